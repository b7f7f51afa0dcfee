//! What a hook answered: its exit code, its words and its JSON, read by the contract that hooks are written for.

use crate::{definition::Hook, event::HookEvent};
use fore_text::cut;
use serde_json::Value;

/// Bytes of one text that a hook gives.
const MAX_TEXT_BYTES: usize = 10_000;

/// What came of running a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookReply {
    /// How it ended.
    pub ending: HookEnding,
    /// What it printed; of an address, what it answered.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
}

/// How a hook ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookEnding {
    /// By itself, with this code. An address that answered as it should counts as 0.
    Exited(i32),
    /// Its time was over.
    TimedOut,
    /// By a signal, or because the turn was stopped.
    Killed(String),
    /// It was never there, or may not be run; in words.
    NotStarted(String),
}

/// What a hook says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HookAnswer {
    /// About a call, a prompt or an end.
    pub decision: HookDecision,
    /// Words for the model.
    pub context: Option<String>,
    /// The call, as it should be instead.
    pub rewritten: Option<Value>,
    /// Words for the person.
    pub message: Option<String>,
    /// Everything should stop, and why.
    pub stops: Option<String>,
    /// Why it did not work. Whether that decides anything is in `decision`.
    pub failure: Option<String>,
}

/// What a hook decides; the last ones are the strictest.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookDecision {
    /// Nothing.
    #[default]
    Silent,
    /// Yes.
    Allow,
    /// The person should be asked.
    Ask(String),
    /// No.
    Deny(String),
}

/// What an exit code says of a program that a shell could not start.
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;
/// A shell adds this to the signal that ended its command.
const SIGNALLED: i32 = 128;
const MAX_SIGNAL: i32 = 64;

impl HookAnswer {
    /// Reads what a hook answered.
    pub fn read(hook: &Hook, reply: &HookReply) -> HookAnswer {
        let complaint = first_line(&reply.stderr);
        let failed = match &reply.ending {
            HookEnding::Exited(0) => return answered(hook, &reply.stdout),
            HookEnding::Exited(2) => {
                let reason = bounded(reply.stderr.trim());
                let reason = if reason.is_empty() { "it gave no reason".to_owned() } else { reason };
                return HookAnswer { decision: HookDecision::Deny(reason), ..HookAnswer::default() };
            }
            HookEnding::Exited(NOT_EXECUTABLE) => with(complaint, "it cannot be executed"),
            HookEnding::Exited(NOT_FOUND) => with(complaint, "it was not found"),
            HookEnding::Exited(code) if (SIGNALLED + 1..=SIGNALLED + MAX_SIGNAL).contains(code) => {
                format!("it was ended by signal {}", code - SIGNALLED)
            }
            HookEnding::Exited(code) => {
                // Such a code decides nothing by itself, but what was said in JSON counts.
                if let Some(said) = object(&reply.stdout) {
                    return of_json(hook, &said);
                }
                let why = with(complaint, &format!("exit code {code}"));
                return HookAnswer { failure: Some(why), ..HookAnswer::default() };
            }
            HookEnding::TimedOut => format!("it took longer than {} s", hook.timeout.as_secs_f32()),
            HookEnding::Killed(how) | HookEnding::NotStarted(how) => how.clone(),
        };
        did_not_work(hook, failed)
    }
}

fn did_not_work(hook: &Hook, why: String) -> HookAnswer {
    let decision = if hook.blocks_on_failure() {
        HookDecision::Deny(format!("it did not work: {why}"))
    } else {
        HookDecision::Silent
    };
    HookAnswer { decision, failure: Some(why), ..HookAnswer::default() }
}

/// It ended well.
fn answered(hook: &Hook, stdout: &str) -> HookAnswer {
    let text = stdout.trim();
    if text.starts_with('{') {
        return match object(text) {
            Some(said) => of_json(hook, &said),
            None => did_not_work(hook, "its answer is not JSON".into()),
        };
    }
    let is_for_model = hook.event.takes_plain_words() && !text.is_empty();
    HookAnswer { context: is_for_model.then(|| bounded(text)), ..HookAnswer::default() }
}

fn object(text: &str) -> Option<Value> {
    serde_json::from_str(text.trim()).ok().filter(Value::is_object)
}

fn of_json(hook: &Hook, said: &Value) -> HookAnswer {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(bounded).filter(|text| !text.is_empty());
    let own = said.get("hookSpecificOutput");
    // What says that it is about something else is not about this.
    if let Some(named) = own.and_then(|own| own.get("hookEventName")).and_then(Value::as_str)
        && named != hook.event.name()
    {
        return did_not_work(hook, format!("its answer is for {}", cut::chars(named, 40)));
    }
    let field = |name: &str| own.and_then(|own| own.get(name));
    let reason = text(said.get("reason"));
    let general = match said.get("decision").and_then(Value::as_str) {
        Some("block" | "deny") => HookDecision::Deny(reason.clone().unwrap_or_else(|| NO_REASON.into())),
        Some("approve" | "allow") => HookDecision::Allow,
        Some(_) => return did_not_work(hook, "its answer has a decision that nobody knows".into()),
        None => HookDecision::Silent,
    };
    let special = match (hook.event, field("permissionDecision"), field("decision")) {
        (HookEvent::PreToolUse, Some(word), _) => {
            let why = text(field("permissionDecisionReason")).or(reason);
            match word.as_str() {
                Some("allow") => HookDecision::Allow,
                Some("deny") => HookDecision::Deny(why.unwrap_or_else(|| NO_REASON.into())),
                // Whoever wants to decide later decides by asking.
                Some("ask" | "defer") => HookDecision::Ask(why.unwrap_or_else(|| NO_REASON.into())),
                Some(_) | None => return did_not_work(hook, "its answer has a decision that nobody knows".into()),
            }
        }
        (HookEvent::PermissionRequest, _, Some(answer)) => match answer.get("behavior").and_then(Value::as_str) {
            Some("allow") => HookDecision::Allow,
            Some("deny") => {
                HookDecision::Deny(text(answer.get("message")).or(reason).unwrap_or_else(|| NO_REASON.into()))
            }
            Some(_) | None => return did_not_work(hook, "its answer has a decision that nobody knows".into()),
        },
        _ => HookDecision::Silent,
    };
    let rewritten = match hook.event {
        HookEvent::PreToolUse => field("updatedInput"),
        HookEvent::PermissionRequest => field("decision").and_then(|answer| answer.get("updatedInput")),
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
        | HookEvent::PlanReport => None,
    };
    if rewritten.is_some_and(|input| !input.is_object()) {
        return did_not_work(hook, "it rewrites the call into something that is not an object".into());
    }
    let interrupts =
        field("decision").and_then(|answer| answer.get("interrupt")).and_then(Value::as_bool) == Some(true);
    let stops = said.get("continue").and_then(Value::as_bool) == Some(false) || interrupts;
    HookAnswer {
        decision: general.max(special),
        context: text(field("additionalContext")),
        rewritten: rewritten.cloned(),
        message: text(said.get("systemMessage")),
        stops: stops.then(|| text(said.get("stopReason")).unwrap_or_else(|| NO_REASON.into())),
        failure: None,
    }
}

const NO_REASON: &str = "it gave no reason";

fn with(complaint: &str, why: &str) -> String {
    if complaint.is_empty() { why.to_owned() } else { format!("{why}: {complaint}") }
}

fn first_line(text: &str) -> &str {
    cut::chars(text.trim().lines().next().unwrap_or_default(), 200)
}

fn bounded(text: &str) -> String {
    let kept = cut::bytes(text, MAX_TEXT_BYTES);
    if kept.len() < text.len() { format!("{kept}\n[… the rest is left out]") } else { text.to_owned() }
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;
