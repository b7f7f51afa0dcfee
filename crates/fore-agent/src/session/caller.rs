//! Who is at work: the main conversation or one of its subagents, and how much it may do at most.

use crate::{agents::AgentKind, cancel::Cancel, event::AgentId, tools::WorkingFolder};
use fore_plan::{Change, SessionRole, State, approval::Caller};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) struct CallerContext {
    pub(crate) identity: CallerIdentity,
    pub(crate) judged_by: JudgedBy,
    pub(crate) cancel: Cancel,
}

#[derive(Clone, Debug)]
pub(crate) enum CallerIdentity {
    Main,
    Agent {
        id: AgentId,
        kind: Box<AgentKind>,
        /// Where its commands run: going elsewhere moves nobody else.
        folder: Arc<WorkingFolder>,
    },
}

/// By which state the calls of a caller are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JudgedBy {
    /// By the session's own, whatever it is at that moment.
    AsSession,
    /// As if planning without a plan file: it only ever reads, also when the session is not planning.
    ReadOnly,
}

impl CallerContext {
    pub(crate) fn main(cancel: Cancel) -> CallerContext {
        CallerContext { identity: CallerIdentity::Main, judged_by: JudgedBy::AsSession, cancel }
    }

    pub(crate) fn agent(&self) -> Option<AgentId> {
        match &self.identity {
            CallerIdentity::Main => None,
            CallerIdentity::Agent { id, .. } => Some(id.clone()),
        }
    }

    pub(crate) fn caller(&self) -> Caller {
        match &self.identity {
            CallerIdentity::Main => Caller::Main,
            CallerIdentity::Agent { id, .. } => Caller::Subagent { id: id.0.clone() },
        }
    }

    /// Whether this caller has the tool at all.
    pub(crate) fn has(&self, tool: &str) -> bool {
        match &self.identity {
            CallerIdentity::Main => true,
            CallerIdentity::Agent { kind, .. } => !is_of_the_main_conversation(tool) && kind.tools.allows(tool),
        }
    }

    /// The state that its calls are judged by: the session's, or a stricter one made from it. The plan file is the main
    /// conversation's alone, so while the session plans a subagent has nothing to write at all.
    pub(crate) fn state(&self, session: State) -> State {
        let is_agent = matches!(self.identity, CallerIdentity::Agent { .. });
        let must_only_read = self.judged_by == JudgedBy::ReadOnly || (is_agent && session.pre_plan_mode().is_some());
        if !must_only_read {
            return session;
        }
        let (level, openings) = (session.level_beneath(), *session.openings());
        State::fold_all([&Change::Started { level, planning: true, openings, role: SessionRole::Main }])
    }
}

/// Subagents share the planning of the session that started them: they neither enter nor leave, ask nobody, start nobody.
fn is_of_the_main_conversation(tool: &str) -> bool {
    matches!(tool, "Agent" | "AskUserQuestion" | "TodoWrite" | "EnterPlanMode" | "ExitPlanMode")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_plan::{Level, Mode, Openings};

    #[test]
    fn m13_a_read_only_seat_plans_whatever_the_session_does() {
        let openings = Openings { bypass_permitted: true, ..Openings::TRUSTED };
        let started =
            Change::Started { level: Level::BypassPermissions, planning: false, openings, role: SessionRole::Main };
        let session = State::fold_all([&started]);
        let caller = CallerContext { judged_by: JudgedBy::ReadOnly, ..CallerContext::main(Cancel::default()) };
        let strict = caller.state(session.clone());
        assert_eq!((session.mode(), strict.mode()), (Mode::At(Level::BypassPermissions), Mode::Plan));
        assert!(strict.plan().is_none(), "and it has no file of its own to write");
    }
}
