//! What a hook is told: the JSON on its standard input, field for field as hooks of other agents expect it.

use crate::event::HookEvent;
use serde_json::{Map, Value, json};

/// What every hook is told of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookSession {
    /// Names it.
    pub session_id: String,
    /// Where its transcript is; in our own format.
    pub transcript_path: String,
    /// Where its commands run.
    pub cwd: String,
    /// Names the prompt that is worked on; none before the first one.
    pub prompt_id: Option<String>,
    /// The mode, as people see it.
    pub permission_mode: String,
    /// The subagent that it is about.
    pub agent: Option<HookedAgent>,
}

/// A subagent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookedAgent {
    /// Names it.
    pub id: String,
    /// Its kind.
    pub kind: String,
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct HookedCall {
    /// What is called.
    pub tool: String,
    /// With what; paths are absolute.
    pub input: Value,
    /// Names the call.
    pub id: String,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the fields have the names that hooks know them by")]
pub enum HookOccasion {
    /// A call is about to be judged.
    PreToolUse { call: HookedCall },
    /// A call is over.
    PostToolUse { call: HookedCall, response: Value, duration_ms: u64 },
    /// A call failed.
    PostToolUseFailure { call: HookedCall, error: String, is_interrupt: bool, duration_ms: u64 },
    /// The gate asks.
    PermissionRequest { call: HookedCall, question: String },
    /// A call was refused.
    PermissionDenied { call: HookedCall, reason: String },
    /// The person said something.
    UserPromptSubmit { prompt: String },
    /// A session begins: `startup`, `resume`, `clear`, `compact` or `fork`.
    SessionStart { source: &'static str, model: Option<String> },
    /// A session ends: `clear`, `prompt_input_exit` or `other`.
    SessionEnd { reason: &'static str },
    /// A turn ends.
    Stop { stop_hook_active: bool, last_assistant_message: String, background_tasks: Vec<String> },
    /// A subagent begins.
    SubagentStart { agent: HookedAgent },
    /// A subagent ends.
    SubagentStop { agent: HookedAgent, stop_hook_active: bool, last_assistant_message: String },
    /// The conversation is about to be summarised: `manual` or `auto`.
    PreCompact { trigger: &'static str, custom_instructions: String },
    /// It was.
    PostCompact { trigger: &'static str },
    /// The person is wanted.
    Notification { kind: &'static str, message: String },
    /// A plan was handed in.
    PlanProposed { plan_file_path: String, plan_hash: String, plan: String },
    /// Somebody decided about it, or nobody could.
    PlanDecided {
        plan_file_path: String,
        plan_hash: Option<String>,
        decision: String,
        level: Option<String>,
        reason: String,
    },
    /// A call that the approved plan does not cover.
    PlanDrift { call: HookedCall, question: String },
    /// The report of a plan.
    PlanReport { headline: String, report: Value },
}

impl HookOccasion {
    /// The event that it is.
    pub fn event(&self) -> HookEvent {
        match self {
            HookOccasion::PreToolUse { .. } => HookEvent::PreToolUse,
            HookOccasion::PostToolUse { .. } => HookEvent::PostToolUse,
            HookOccasion::PostToolUseFailure { .. } => HookEvent::PostToolUseFailure,
            HookOccasion::PermissionRequest { .. } => HookEvent::PermissionRequest,
            HookOccasion::PermissionDenied { .. } => HookEvent::PermissionDenied,
            HookOccasion::UserPromptSubmit { .. } => HookEvent::UserPromptSubmit,
            HookOccasion::SessionStart { .. } => HookEvent::SessionStart,
            HookOccasion::SessionEnd { .. } => HookEvent::SessionEnd,
            HookOccasion::Stop { .. } => HookEvent::Stop,
            HookOccasion::SubagentStart { .. } => HookEvent::SubagentStart,
            HookOccasion::SubagentStop { .. } => HookEvent::SubagentStop,
            HookOccasion::PreCompact { .. } => HookEvent::PreCompact,
            HookOccasion::PostCompact { .. } => HookEvent::PostCompact,
            HookOccasion::Notification { .. } => HookEvent::Notification,
            HookOccasion::PlanProposed { .. } => HookEvent::PlanProposed,
            HookOccasion::PlanDecided { .. } => HookEvent::PlanDecided,
            HookOccasion::PlanDrift { .. } => HookEvent::PlanDrift,
            HookOccasion::PlanReport { .. } => HookEvent::PlanReport,
        }
    }

    /// What a matcher is compared with.
    pub fn subject(&self) -> Option<&str> {
        match self {
            HookOccasion::PreToolUse { call }
            | HookOccasion::PostToolUse { call, .. }
            | HookOccasion::PostToolUseFailure { call, .. }
            | HookOccasion::PermissionRequest { call, .. }
            | HookOccasion::PermissionDenied { call, .. }
            | HookOccasion::PlanDrift { call, .. } => Some(&call.tool),
            HookOccasion::SessionStart { source, .. } => Some(source),
            HookOccasion::SessionEnd { reason } => Some(reason),
            HookOccasion::SubagentStart { agent } | HookOccasion::SubagentStop { agent, .. } => Some(&agent.kind),
            HookOccasion::PreCompact { trigger, .. } | HookOccasion::PostCompact { trigger } => Some(trigger),
            HookOccasion::Notification { kind, .. } => Some(kind),
            HookOccasion::PlanDecided { decision, .. } => Some(decision),
            HookOccasion::UserPromptSubmit { .. }
            | HookOccasion::Stop { .. }
            | HookOccasion::PlanProposed { .. }
            | HookOccasion::PlanReport { .. } => None,
        }
    }

    /// The JSON that a hook gets.
    pub fn input(&self, session: &HookSession) -> Value {
        let mut fields = Map::new();
        let mut put = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
        put("session_id", json!(session.session_id));
        put("transcript_path", json!(session.transcript_path));
        put("cwd", json!(session.cwd));
        if let Some(id) = &session.prompt_id {
            put("prompt_id", json!(id));
        }
        if self.tells_mode() {
            put("permission_mode", json!(session.permission_mode));
        }
        let own = match self {
            HookOccasion::SubagentStart { agent } | HookOccasion::SubagentStop { agent, .. } => Some(agent),
            HookOccasion::PreToolUse { .. }
            | HookOccasion::PostToolUse { .. }
            | HookOccasion::PostToolUseFailure { .. }
            | HookOccasion::PermissionRequest { .. }
            | HookOccasion::PermissionDenied { .. }
            | HookOccasion::UserPromptSubmit { .. }
            | HookOccasion::SessionStart { .. }
            | HookOccasion::SessionEnd { .. }
            | HookOccasion::Stop { .. }
            | HookOccasion::PreCompact { .. }
            | HookOccasion::PostCompact { .. }
            | HookOccasion::Notification { .. }
            | HookOccasion::PlanProposed { .. }
            | HookOccasion::PlanDecided { .. }
            | HookOccasion::PlanDrift { .. }
            | HookOccasion::PlanReport { .. } => None,
        };
        if let Some(agent) = own.or(session.agent.as_ref()) {
            put("agent_id", json!(agent.id));
            put("agent_type", json!(agent.kind));
        }
        put("hook_event_name", json!(self.event().name()));
        self.own_fields().into_iter().for_each(|(name, value)| put(name, value));
        Value::Object(fields)
    }

    /// Some events of the reference program say nothing of the mode.
    fn tells_mode(&self) -> bool {
        !matches!(
            self,
            HookOccasion::SessionStart { .. } | HookOccasion::SessionEnd { .. } | HookOccasion::SubagentStart { .. }
        )
    }

    fn own_fields(&self) -> Vec<(&'static str, Value)> {
        match self {
            HookOccasion::PreToolUse { call } => with_id(call, Vec::new()),
            HookOccasion::PostToolUse { call, response, duration_ms } => {
                let mut fields = called(call);
                fields.push(("tool_response", response.clone()));
                fields.extend([("tool_use_id", json!(call.id)), ("duration_ms", json!(duration_ms))]);
                fields
            }
            HookOccasion::PostToolUseFailure { call, error, is_interrupt, duration_ms } => with_id(
                call,
                vec![
                    ("error", json!(error)),
                    ("is_interrupt", json!(is_interrupt)),
                    ("duration_ms", json!(duration_ms)),
                ],
            ),
            HookOccasion::PermissionRequest { call, .. } => {
                let mut fields = called(call);
                fields.push(("permission_suggestions", json!([])));
                fields
            }
            HookOccasion::PermissionDenied { call, reason } => with_id(call, vec![("reason", json!(reason))]),
            HookOccasion::UserPromptSubmit { prompt } => vec![("prompt", json!(prompt))],
            HookOccasion::SessionStart { source, model } => {
                let model = model.iter().map(|model| ("model", json!(model)));
                std::iter::once(("source", json!(source))).chain(model).collect()
            }
            HookOccasion::SessionEnd { reason } => vec![("reason", json!(reason))],
            HookOccasion::Stop { stop_hook_active, last_assistant_message, background_tasks } => vec![
                ("stop_hook_active", json!(stop_hook_active)),
                ("last_assistant_message", json!(last_assistant_message)),
                ("background_tasks", json!(background_tasks)),
                ("session_crons", json!([])),
            ],
            HookOccasion::SubagentStart { .. } => Vec::new(),
            HookOccasion::SubagentStop { stop_hook_active, last_assistant_message, .. } => vec![
                ("stop_hook_active", json!(stop_hook_active)),
                ("agent_transcript_path", json!("")),
                ("last_assistant_message", json!(last_assistant_message)),
                ("background_tasks", json!([])),
                ("session_crons", json!([])),
            ],
            HookOccasion::PreCompact { trigger, custom_instructions } => {
                vec![("trigger", json!(trigger)), ("custom_instructions", json!(custom_instructions))]
            }
            HookOccasion::PostCompact { trigger } => vec![("trigger", json!(trigger))],
            HookOccasion::Notification { kind, message } => {
                vec![("message", json!(message)), ("notification_type", json!(kind))]
            }
            HookOccasion::PlanProposed { plan_file_path, plan_hash, plan } => {
                vec![("plan_file_path", json!(plan_file_path)), ("plan_hash", json!(plan_hash)), ("plan", json!(plan))]
            }
            HookOccasion::PlanDecided { plan_file_path, plan_hash, decision, level, reason } => vec![
                ("plan_file_path", json!(plan_file_path)),
                ("plan_hash", json!(plan_hash)),
                ("decision", json!(decision)),
                ("level", json!(level)),
                ("reason", json!(reason)),
            ],
            HookOccasion::PlanDrift { call, question } => with_id(call, vec![("question", json!(question))]),
            HookOccasion::PlanReport { headline, report } => {
                vec![("headline", json!(headline)), ("report", report.clone())]
            }
        }
    }
}

fn called(call: &HookedCall) -> Vec<(&'static str, Value)> {
    vec![("tool_name", json!(call.tool)), ("tool_input", call.input.clone())]
}

fn with_id(call: &HookedCall, more: Vec<(&'static str, Value)>) -> Vec<(&'static str, Value)> {
    let mut fields = called(call);
    fields.push(("tool_use_id", json!(call.id)));
    fields.extend(more);
    fields
}
