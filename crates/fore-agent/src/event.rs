//! What a session tells its front ends. The same values, as JSON lines, are the output of the headless protocol.
//!
//! Everything a person may see is here, bounded; reminders are not, they are for the model alone.

mod started;

pub use started::{AgentRow, SandboxGaps, SessionStarted, SkillRow, StartedModels};

use crate::{command::QuestionId, form::Form};
use fore_model::{ModelName, Usage};
use fore_plan::{
    Cage, Level, ModeEvent, Refusal,
    approval::{Comment, ExitRequest, Receipt},
    plan::{Hash, check::CheckNote},
};
use fore_store::entry::Todo;
use serde::{Deserialize, Serialize};

/// One thing that happened. As JSON the field `event` names the kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Event {
    /// The session is ready for commands.
    Started(SessionStarted),
    /// The mode changed: from, to, by whom, why. What holds now is `to`.
    ModeChanged(ModeEvent),
    /// Another model answers from now on.
    ModelChanged {
        model: ModelName,
        duty: String,
    },
    /// A prompt waits behind the running turn.
    PromptQueued {
        text: String,
        waiting: usize,
    },
    /// The prompts that waited were taken back, in the order they would have been heard; none of them waits any more.
    PromptsReturned {
        texts: Vec<String>,
    },
    /// A prompt of the person is on its way to the model.
    PromptTaken {
        text: String,
    },
    TurnStarted,
    /// A piece of what the model says.
    Text {
        agent: Option<AgentId>,
        model: ModelName,
        delta: String,
    },
    /// A piece of what the model thinks.
    Reasoning {
        agent: Option<AgentId>,
        model: ModelName,
        delta: String,
    },
    /// The model has said all it wanted to say before its calls, if any.
    Said {
        agent: Option<AgentId>,
        model: ModelName,
        text: String,
    },
    /// Calls that run side by side, in the order the model made them. They begin and end in any order.
    SideBySide {
        agent: Option<AgentId>,
        calls: Vec<CallId>,
    },
    /// A call begins.
    ToolStarted {
        agent: Option<AgentId>,
        call: CallId,
        tool: String,
        line: String,
        cage: Option<Cage>,
    },
    /// Output of a running call.
    ToolOutput {
        call: CallId,
        text: String,
    },
    /// A call has ended, in whatever way.
    ToolFinished {
        agent: Option<AgentId>,
        call: CallId,
        tool: String,
        outcome: CallOutcome,
        shown: ShownCall,
    },
    /// The gate asks about one call.
    Asked(PermissionRequest),
    /// The model asks the person.
    FormAsked {
        question: QuestionId,
        form: Form,
    },
    /// The model wants to enter plan mode.
    EnterPlanAsked {
        question: QuestionId,
    },
    /// The person said yes for the whole session: this is not asked about again.
    Allowed {
        what: String,
    },
    /// A question was answered or taken back; a front end that still shows it closes it.
    QuestionClosed {
        question: QuestionId,
    },
    /// A plan waits for approval.
    ApprovalAsked(ApprovalAsked),
    /// How the request ended.
    Decided(ApprovalOutcome),
    /// Work on an approved plan begins in an empty context (`plan:implement`).
    #[serde(rename = "plan:implement")]
    PlanImplement {
        plan_file_path: String,
        plan_hash: Hash,
        plan_content: String,
    },
    /// The plan as it is on disk.
    Plan {
        path: Option<String>,
        text: Option<String>,
        hash: Option<Hash>,
        /// What changed since the text that the person was last asked about, as unified text; empty if nothing did, or if
        /// they were never asked.
        changed: String,
    },
    Todos {
        items: Vec<Todo>,
    },
    AgentStarted {
        agent: AgentId,
        kind: String,
        task: String,
        model: ModelName,
    },
    AgentProgress {
        agent: AgentId,
        calls: u32,
        line: String,
    },
    AgentFinished {
        agent: AgentId,
        outcome: CallOutcome,
        calls: u32,
        tokens: u64,
    },
    /// Tokens of one answer, and of the session so far.
    Usage {
        model: ModelName,
        answer: Usage,
        session: Usage,
        context: ContextUse,
    },
    /// The history is being summarised; an interrupt stops that.
    SummaryStarted,
    /// That is over. What came of it is said by `context-cut` or by a notice.
    SummaryEnded,
    /// The history was summarised or emptied.
    ContextCut {
        why: String,
    },
    /// The last prompt was taken back; these were its words. What came after it is no longer seen by the model.
    Rewound {
        text: String,
    },
    /// For the person: something to know, or something that went wrong without ending anything.
    Notice {
        level: NoticeLevel,
        text: String,
    },
    TurnEnded {
        outcome: TurnOutcome,
    },
    /// The last event.
    Closed,
}

/// A question of the gate, with everything a person needs to answer it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionRequest {
    pub question: QuestionId,
    pub agent: Option<AgentId>,
    pub call: CallId,
    pub tool: String,
    /// What is asked, in plain words.
    pub text: String,
    /// The exact command, or the difference an edit would make.
    pub shown: ShownCall,
    /// The rule that asks.
    pub rule: String,
    pub cage: Cage,
    /// What `yes-for-session` would cover, such as `edits of Cargo.toml`; none where it is not offered.
    pub for_session: Option<String>,
}

/// A request for approval with what stands beside the plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAsked {
    /// The request as hosts know it, `plan:exit:request`.
    pub request: ExitRequest,
    /// What the plan check noticed.
    pub notes: Vec<CheckNote>,
    /// What changed since the text the person saw last, as unified text; empty at the first time.
    pub changed: String,
    /// That text itself, for a front end in which the person edits the plan; hosts have the difference.
    #[serde(skip)]
    pub seen: Option<String>,
    /// Whether the workspace is as it was when planning began.
    pub proof: Proof,
    /// How full the context is, for "clear the context and start".
    pub context: ContextUse,
    /// The comments on the revision before this one.
    pub earlier_comments: Vec<Comment>,
}

/// What changed in the workspace since planning began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Proof {
    /// One sentence for people: how many files changed and by whom, as far as can be told.
    pub line: String,
    /// Files that changed, relative to the workspace, at most a handful; `changed` counts all.
    pub paths: Vec<String>,
    pub changed: u64,
    /// The workspace was too large or unreadable to be compared whole.
    pub incomplete: bool,
}

/// How a request for approval ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "decision", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ApprovalOutcome {
    Approved {
        receipt: Receipt,
        notice: Option<String>,
    },
    KeepPlanning {
        reason: String,
    },
    Saved {
        path: String,
    },
    Left {
        level: Level,
    },
    Discarded,
    /// The answer was stale, unknown or about other bytes; the request may still wait.
    NotCounted {
        why: String,
    },
    /// Nobody can approve here: the plan is on disk and the run ends.
    Awaits {
        path: String,
        hash: Hash,
    },
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum CallOutcome {
    Done,
    /// It ran and went wrong.
    Failed,
    /// The gate, a rule or the person said no; nothing ran.
    Refused {
        refusal: Box<Refusal>,
    },
    Interrupted,
}

/// What a person sees of a call: one line, and more that opens on demand. The model gets its own text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownCall {
    pub line: String,
    pub body: ShownBody,
}

/// The part that opens on demand; bounded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ShownBody {
    #[default]
    Nothing,
    Text {
        text: String,
    },
    Markdown {
        text: String,
    },
    /// A unified difference of one file.
    Diff {
        path: String,
        diff: String,
    },
}

/// How full the context is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextUse {
    pub tokens: u64,
    /// The window of the model, where it is known.
    pub window: Option<u64>,
    /// Whether `tokens` is an estimate rather than the server's count.
    pub estimated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeLevel {
    Info,
    Warning,
    Error,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "ended", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum TurnOutcome {
    /// The model said its last word.
    Done,
    Interrupted,
    /// The plan is on disk and awaits an approval that nobody here can give.
    PlanAwaits {
        path: String,
        hash: Hash,
    },
    /// The person saved the plan and stopped.
    PlanSaved {
        path: String,
        hash: Hash,
    },
    /// The model could not be asked, or not be understood.
    ModelFailed {
        why: String,
    },
    /// The most rounds of calls for one turn were reached.
    TooManyRounds {
        rounds: u32,
    },
}

/// Names one subagent in a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentId(pub String);

/// Names one call of a session; unlike the model's own ids it is never used twice.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub String);

impl ShownCall {
    pub fn line(line: impl Into<String>) -> ShownCall {
        ShownCall { line: line.into(), body: ShownBody::Nothing }
    }

    pub fn text(line: impl Into<String>, text: impl Into<String>) -> ShownCall {
        ShownCall { line: line.into(), body: ShownBody::Text { text: text.into() } }
    }

    pub fn diff(line: impl Into<String>, path: impl Into<String>, diff: impl Into<String>) -> ShownCall {
        ShownCall { line: line.into(), body: ShownBody::Diff { path: path.into(), diff: diff.into() } }
    }
}
