//! The events that hooks are for, with what is particular about each.

use std::time::Duration;

/// When a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookEvent {
    /// Before a call is judged.
    PreToolUse,
    /// After a call that did what it was to do.
    PostToolUse,
    /// After a call that failed.
    PostToolUseFailure,
    /// When the gate asks about a call.
    PermissionRequest,
    /// When a call was refused.
    PermissionDenied,
    /// When the person has said something.
    UserPromptSubmit,
    /// When a session begins, goes on or was emptied.
    SessionStart,
    /// When a session ends.
    SessionEnd,
    /// When the model wants to end its turn.
    Stop,
    /// When a subagent begins.
    SubagentStart,
    /// When a subagent wants to end.
    SubagentStop,
    /// Before the conversation is summarised.
    PreCompact,
    /// After that.
    PostCompact,
    /// When the person is wanted.
    Notification,
    /// When a plan was handed in, before anybody is asked about it.
    PlanProposed,
    /// When somebody decided about a plan.
    PlanDecided,
    /// When a call goes beyond the approved plan.
    PlanDrift,
    /// When the report of a plan was made.
    PlanReport,
}

/// Seconds that a hook has where nothing else is said.
const USUAL_SECONDS: u64 = 600;

impl HookEvent {
    /// All of them, in the order they are listed.
    pub const ALL: [HookEvent; 18] = [
        HookEvent::PreToolUse,
        HookEvent::PostToolUse,
        HookEvent::PostToolUseFailure,
        HookEvent::PermissionRequest,
        HookEvent::PermissionDenied,
        HookEvent::UserPromptSubmit,
        HookEvent::SessionStart,
        HookEvent::SessionEnd,
        HookEvent::Stop,
        HookEvent::SubagentStart,
        HookEvent::SubagentStop,
        HookEvent::PreCompact,
        HookEvent::PostCompact,
        HookEvent::Notification,
        HookEvent::PlanProposed,
        HookEvent::PlanDecided,
        HookEvent::PlanDrift,
        HookEvent::PlanReport,
    ];

    /// As settings and hooks spell it.
    pub fn name(self) -> &'static str {
        match self {
            HookEvent::PreToolUse => "PreToolUse",
            HookEvent::PostToolUse => "PostToolUse",
            HookEvent::PostToolUseFailure => "PostToolUseFailure",
            HookEvent::PermissionRequest => "PermissionRequest",
            HookEvent::PermissionDenied => "PermissionDenied",
            HookEvent::UserPromptSubmit => "UserPromptSubmit",
            HookEvent::SessionStart => "SessionStart",
            HookEvent::SessionEnd => "SessionEnd",
            HookEvent::Stop => "Stop",
            HookEvent::SubagentStart => "SubagentStart",
            HookEvent::SubagentStop => "SubagentStop",
            HookEvent::PreCompact => "PreCompact",
            HookEvent::PostCompact => "PostCompact",
            HookEvent::Notification => "Notification",
            HookEvent::PlanProposed => "PlanProposed",
            HookEvent::PlanDecided => "PlanDecided",
            HookEvent::PlanDrift => "PlanDrift",
            HookEvent::PlanReport => "PlanReport",
        }
    }

    /// The event of this name.
    pub fn from_name(name: &str) -> Option<HookEvent> {
        HookEvent::ALL.into_iter().find(|event| event.name() == name)
    }

    /// Whether a hook that does not work keeps the call from being made: it may be there to guard.
    pub(crate) fn fails_closed(self) -> bool {
        match self {
            HookEvent::PreToolUse | HookEvent::PermissionRequest => true,
            HookEvent::PostToolUse
            | HookEvent::PostToolUseFailure
            | HookEvent::PermissionDenied
            | HookEvent::UserPromptSubmit
            | HookEvent::SessionStart
            | HookEvent::SessionEnd
            | HookEvent::Stop
            | HookEvent::SubagentStart
            | HookEvent::SubagentStop
            | HookEvent::PreCompact
            | HookEvent::PostCompact
            | HookEvent::Notification
            | HookEvent::PlanProposed
            | HookEvent::PlanDecided
            | HookEvent::PlanDrift
            | HookEvent::PlanReport => false,
        }
    }

    /// Whether its plain output is words for the model.
    pub(crate) fn takes_plain_words(self) -> bool {
        matches!(self, HookEvent::UserPromptSubmit | HookEvent::SessionStart)
    }

    /// How long a hook may run where its settings do not say.
    pub(crate) fn usual_timeout(self) -> Duration {
        match self {
            HookEvent::UserPromptSubmit => Duration::from_secs(30),
            // The program is about to end, and whoever left it does not wait.
            HookEvent::SessionEnd => Duration::from_millis(1500),
            HookEvent::PreToolUse
            | HookEvent::PostToolUse
            | HookEvent::PostToolUseFailure
            | HookEvent::PermissionRequest
            | HookEvent::PermissionDenied
            | HookEvent::SessionStart
            | HookEvent::Stop
            | HookEvent::SubagentStart
            | HookEvent::SubagentStop
            | HookEvent::PreCompact
            | HookEvent::PostCompact
            | HookEvent::Notification
            | HookEvent::PlanProposed
            | HookEvent::PlanDecided
            | HookEvent::PlanDrift
            | HookEvent::PlanReport => Duration::from_secs(USUAL_SECONDS),
        }
    }

    /// The longest a hook may run, whatever its settings say.
    pub(crate) fn most_seconds(self) -> u64 {
        if self == HookEvent::SessionEnd { 60 } else { 3_600 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_found_by_its_name_and_no_other_is() {
        for event in HookEvent::ALL {
            assert_eq!(HookEvent::from_name(event.name()), Some(event));
        }
        assert_eq!(HookEvent::from_name("pretooluse"), None);
        let closed: Vec<&str> =
            HookEvent::ALL.into_iter().filter(|it| it.fails_closed()).map(HookEvent::name).collect();
        assert_eq!(closed, ["PreToolUse", "PermissionRequest"]);
    }
}
