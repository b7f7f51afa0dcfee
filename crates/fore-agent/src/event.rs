//! What a session tells its front ends. The same values, as JSON lines, are the output of the headless protocol.
//!
//! Everything a person may see is here, bounded; reminders are not, they are for the model alone.

mod approval;
mod permission;
mod servers;
mod shown_call;
mod started;
mod team;

pub use approval::{ApprovalAsked, ApprovalOutcome, Proof};
pub use permission::PermissionRequest;
pub use servers::{McpResourceRow, McpServerRow, McpServerState, McpToolRow, McpVouchShown, McpVouchState, McpWish};
pub use shown_call::{CallOutcome, ShownBody, ShownCall};
pub use started::{AgentRow, SandboxGaps, SessionStarted, SkillRow, StartedModels};
pub use team::{TeamMemberRow, TeamWish};

use crate::{
    command::{DutyName, QuestionId},
    custom::CustomCommandRow,
    form::Form,
    session::HookReceipt,
    settings::SettingDifference,
    spent::SpendingReport,
    undo::{UndoDirection, UndoDone, UndoPlan},
};
use fore_model::{ModelName, Price, Usage};
use fore_plan::{Cage, CalledTool, Mode, ModeEvent, contract::Contract, gate::Explanation, plan::Hash, report::Report};
use fore_store::entry::Todo;
use fore_team::TeamTask;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;

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
        /// Who answers now.
        model: ModelName,
        /// For what; nothing means for everything, which is `all` in JSON.
        #[serde(serialize_with = "duty_word")]
        duty: Option<DutyName>,
    },
    /// A mode that the person chose is not taken. The reason is in a notice, too.
    ModeRefused {
        /// What was chosen.
        to: Mode,
        /// Why not, and what to do.
        why: String,
    },
    /// A model that the person chose is not taken. The reason is in a notice, too.
    ModelRefused {
        /// What was chosen.
        name: String,
        /// Why not.
        why: String,
    },
    /// A prompt waits behind the running turn.
    PromptQueued {
        /// Its words.
        text: String,
        /// How many wait, this one included.
        waiting: usize,
    },
    /// The prompts that waited were taken back, in the order they would have been heard; none of them waits any more.
    PromptsReturned {
        /// Their words.
        texts: Vec<String>,
    },
    /// A prompt of the person was heard: it is on its way to the model, unless a hook keeps it back.
    PromptTaken {
        /// Its words.
        text: String,
    },
    /// The agent works until [`Event::TurnEnded`].
    TurnStarted,
    /// A piece of what the model says.
    Text {
        /// The subagent that speaks; the main conversation where there is none.
        agent: Option<AgentId>,
        /// The model that speaks.
        model: ModelName,
        /// More words.
        delta: String,
    },
    /// A piece of what the model thinks.
    Reasoning {
        /// The subagent that thinks; the main conversation where there is none.
        agent: Option<AgentId>,
        /// The model that thinks.
        model: ModelName,
        /// More words.
        delta: String,
    },
    /// The model writes a call. Sent now and then while it grows, so that something moves; what it is comes with
    /// [`Event::ToolStarted`].
    CallGrowing {
        /// The subagent that writes it; the main conversation where there is none.
        agent: Option<AgentId>,
        /// The model that writes.
        model: ModelName,
        /// What it will call.
        tool: CalledTool,
        /// Bytes of its arguments so far.
        bytes: usize,
        /// Lines in the texts among them.
        lines: usize,
    },
    /// The model has said all it wanted to say before its calls, if any.
    Said {
        /// The subagent that spoke; the main conversation where there is none.
        agent: Option<AgentId>,
        /// The model that spoke.
        model: ModelName,
        /// All of it, in one piece.
        text: String,
        /// It goes on where the answer before was cut off by its length limit: both are one answer.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        continues: bool,
    },
    /// Calls that run side by side, in the order the model made them. They begin and end in any order.
    SideBySide {
        /// The subagent that made them; the main conversation where there is none.
        agent: Option<AgentId>,
        /// The calls.
        calls: Vec<CallId>,
    },
    /// A call begins.
    ToolStarted {
        /// The subagent that made it; the main conversation where there is none.
        agent: Option<AgentId>,
        /// Names the call.
        call: CallId,
        /// What is called.
        tool: CalledTool,
        /// What it does, in one line.
        line: String,
        /// What holds its process, where it has one.
        cage: Option<Cage>,
    },
    /// Output of a running call.
    ToolOutput {
        /// The call.
        call: CallId,
        /// More of the output.
        text: String,
    },
    /// A call has ended, in whatever way.
    ToolFinished {
        /// The subagent that made it; the main conversation where there is none.
        agent: Option<AgentId>,
        /// Names the call.
        call: CallId,
        /// What was called.
        tool: CalledTool,
        /// How it ended.
        outcome: CallOutcome,
        /// What a person sees of it.
        shown: ShownCall,
    },
    /// The gate asks about one call.
    Asked(PermissionRequest),
    /// The model asks the person.
    FormAsked {
        /// Names the question for the answer.
        question: QuestionId,
        /// What is asked.
        form: Form,
    },
    /// The model wants to enter plan mode.
    EnterPlanAsked {
        /// Names the question for the answer.
        question: QuestionId,
    },
    /// The person said yes for the whole session: this is not asked about again.
    Allowed {
        /// What that covers, in words.
        what: String,
    },
    /// The classifier of auto mode decided about a call instead of the person.
    AutoVerdict {
        /// The subagent that made the call; the main conversation where there is none.
        agent: Option<AgentId>,
        /// The call.
        call: CallId,
        /// What is called.
        tool: CalledTool,
        /// Yes or no.
        allowed: bool,
        /// Why, in its words.
        reason: String,
    },
    /// The settings were read again because a file has changed, or because the person wanted it.
    SettingsRead {
        /// What is not what it was.
        differences: Vec<SettingDifference>,
        /// Whether this folder is trusted now.
        trusted: bool,
        /// The hosts that are not asked about now.
        allowed_hosts: Vec<String>,
        /// Why nothing of it was taken, with file and line; what held before still does.
        problem: Option<String>,
    },
    /// A question was answered or taken back; a front end that still shows it closes it.
    QuestionClosed {
        /// The question.
        question: QuestionId,
    },
    /// A plan waits for approval.
    ApprovalAsked(ApprovalAsked),
    /// What the plan that waits would cover ([`crate::Command::ReadContract`]).
    ContractRead {
        /// The text that was read.
        plan_hash: Hash,
        /// Of these of its steps alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        steps: Option<Vec<u32>>,
        /// What it covers.
        contract: Contract,
        /// What an answer about it sends back.
        contract_hash: Hash,
        /// What each entry that the person typed would grant, or why it would not.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        added: BTreeMap<String, Contract>,
    },
    /// What became of the plan that was carried out, from what the program saw.
    Report {
        /// The same in one line.
        headline: String,
        /// Per step, file and command.
        report: Box<Report>,
    },
    /// The hooks of this session ([`crate::Command::Hooks`]).
    Hooks {
        /// All that there are, in words, one each.
        hooks: Vec<String>,
        /// Those that ran, oldest first, as far as they are remembered.
        ran: Vec<HookReceipt>,
    },
    /// How the request ended.
    Decided(ApprovalOutcome),
    /// Work on an approved plan begins in an empty context (`plan:implement`).
    #[serde(rename = "plan:implement")]
    PlanImplement {
        /// Where the plan is.
        plan_file_path: String,
        /// The bytes that were approved.
        plan_hash: Hash,
        /// The text that was approved.
        plan_content: String,
    },
    /// The plan as it is on disk.
    Plan {
        /// Its file, once it has one.
        path: Option<String>,
        /// What it says; none where nothing is written yet.
        text: Option<String>,
        /// Of these bytes.
        hash: Option<Hash>,
        /// What changed since the text that the person was last asked about, as unified text; empty if nothing did, or if
        /// they were never asked.
        changed: String,
        /// Why the file cannot be read, where something is there that cannot.
        #[serde(skip_serializing_if = "Option::is_none")]
        unreadable: Option<String>,
    },
    /// The list of what is to do is another one now.
    Todos {
        /// All of it.
        items: Vec<Todo>,
    },
    /// A subagent begins.
    AgentStarted {
        /// Names it.
        agent: AgentId,
        /// What kind it is.
        kind: String,
        /// What it is asked to do, in one line.
        task: String,
        /// Who answers for it.
        model: ModelName,
    },
    /// A subagent has begun another call.
    AgentProgress {
        /// Which one.
        agent: AgentId,
        /// Its calls so far.
        calls: u32,
        /// What it does now.
        line: String,
    },
    /// A subagent has ended.
    AgentFinished {
        /// Which one.
        agent: AgentId,
        /// How.
        outcome: CallOutcome,
        /// The calls it made.
        calls: u32,
        /// What its answers came to.
        tokens: u64,
        /// Calls of it that were refused; hosts have heard of each.
        #[serde(skip)]
        refused: u32,
    },
    /// Commands run in the background, or no longer: sent when that changes and when somebody asks.
    Background {
        /// Those that run: `bash-1: npm run dev`.
        running: Vec<String>,
    },
    /// The team as it is: sent when a member's activity changes and when somebody asks.
    Team {
        /// What it is called; none where there is no team.
        team: Option<String>,
        /// Its members, the lead first.
        members: Vec<TeamMemberRow>,
        /// Its tasks.
        tasks: Vec<TeamTask>,
        /// Teammates whose plans wait for a decision.
        plans: Vec<String>,
    },
    /// What a teammate said and did last, oldest first.
    TeamStory {
        /// The teammate.
        member: String,
        /// Lines.
        lines: Vec<String>,
    },
    /// Words went from one member of the team to another.
    TeamMessage {
        /// Who wrote.
        from: String,
        /// To whom.
        to: String,
        /// What.
        text: String,
    },
    /// The MCP servers that were asked about.
    McpServers {
        /// Them.
        servers: Vec<McpServerRow>,
        /// The one that was asked about; all where there is none.
        only: Option<String>,
    },
    /// What a person would vouch for.
    McpVouchShown(McpVouchShown),
    /// What was spent ([`crate::Command::Spending`]).
    Spending(Box<SpendingReport>),
    /// Tokens of one answer, and of the session so far.
    Usage {
        /// The subagent that asked; the main conversation where there is none.
        #[serde(skip_serializing_if = "Option::is_none")]
        agent: Option<AgentId>,
        /// Who answered.
        model: ModelName,
        /// Of this answer, if the server counted them.
        answer: Option<Usage>,
        /// Of all answers that were counted.
        session: Usage,
        /// How full the context is after it.
        context: ContextUse,
        /// What the model costs, where that is known.
        price: Option<Price>,
    },
    /// The server did not take the request; it is asked again after a wait.
    Retrying {
        /// The subagent that asks; the main conversation where there is none.
        agent: Option<AgentId>,
        /// Who is asked.
        model: ModelName,
        /// Why, in a few words.
        why: String,
        /// How long is waited.
        wait_ms: u64,
        /// The number of the try that comes; the first one is 1.
        attempt: u32,
        /// How many there are at most.
        attempts: u32,
    },
    /// Nothing has come from the model for so long; said every ten seconds.
    Silent {
        /// The subagent that waits; the main conversation where there is none.
        agent: Option<AgentId>,
        /// Who is silent.
        model: ModelName,
        /// For how long.
        seconds: u64,
    },
    /// The model is still reading the prompt, and its server says how far it is.
    PromptRead {
        /// The subagent that waits; the main conversation where there is none.
        agent: Option<AgentId>,
        /// Who reads.
        model: ModelName,
        /// Tokens it has read.
        read: u64,
        /// Tokens of the whole prompt.
        total: u64,
    },
    /// The history is being summarised; an interrupt stops that.
    SummaryStarted,
    /// So much of the summary is written.
    SummaryGrowing {
        /// Bytes so far, thoughts included.
        bytes: usize,
    },
    /// That is over. What came of it is said by `context-cut` or by a notice.
    SummaryEnded,
    /// The history was summarised or emptied.
    ContextCut {
        /// Which of the two.
        why: ContextCutReason,
    },
    /// The last prompt was taken back; these were its words. What came after it is no longer seen by the model.
    Rewound {
        /// The words of the prompt.
        text: String,
    },
    /// What an undo or redo would change; a form asks about it.
    UndoShown {
        /// The same in words.
        text: String,
        /// File by file.
        #[serde(flatten)]
        plan: UndoPlan,
    },
    /// Files were put back.
    Undone {
        /// Which way.
        direction: UndoDirection,
        /// Which, and which not.
        #[serde(flatten)]
        files: UndoDone,
    },
    /// What the gate would say to a command; nothing was run.
    PermissionTested {
        /// The command.
        line: String,
        /// What it would say, and why.
        explanation: Box<Explanation>,
    },
    /// A yes for the session was taken back.
    Forgotten {
        /// In the words of [`Event::Allowed`].
        what: String,
    },
    /// The commands of files are others than were told before.
    CommandsListed {
        /// All of them.
        commands: Vec<CustomCommandRow>,
    },
    /// The resources of connected MCP servers are others than were told before.
    ResourcesListed {
        /// All of them.
        resources: Vec<McpResourceRow>,
    },
    /// For the person: something to know, or something that went wrong without ending anything.
    Notice {
        /// How much it matters.
        level: NoticeLevel,
        /// What to know.
        text: String,
    },
    /// The agent waits for the next prompt.
    TurnEnded {
        /// How the turn ended.
        outcome: TurnOutcome,
    },
    /// The last event.
    Closed,
}

/// Why the model no longer sees what was said before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContextCutReason {
    /// A summary stands in its place.
    Summarised,
    /// Nothing does.
    Cleared,
    /// It could not be summarised, so the program left out its oldest parts.
    Shortened,
}

impl ContextCutReason {
    /// The word for it in notices.
    pub fn word(self) -> &'static str {
        match self {
            ContextCutReason::Summarised => "summarised",
            ContextCutReason::Cleared => "cleared",
            ContextCutReason::Shortened => "shortened",
        }
    }
}

/// How full the context is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextUse {
    /// What the model has to read.
    pub tokens: u64,
    /// The window of the model, where it is known.
    pub window: Option<u64>,
    /// Whether `tokens` is an estimate rather than the server's count.
    pub estimated: bool,
}

/// How much a notice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeLevel {
    /// Good to know.
    Info,
    /// Something is not as it should be.
    Warning,
    /// Something went wrong.
    Error,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ended", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum TurnOutcome {
    /// The model said its last word.
    Done,
    /// The person stopped it.
    Interrupted,
    /// The plan is on disk and awaits an approval that nobody here can give.
    PlanAwaits {
        /// Where it is.
        path: String,
        /// The bytes that an approval must name.
        hash: Hash,
    },
    /// The person saved the plan and stopped.
    PlanSaved {
        /// Where it is.
        path: String,
        /// Its bytes.
        hash: Hash,
    },
    /// The model could not be asked, or not be understood.
    ModelFailed {
        /// What went wrong.
        why: String,
    },
    /// The model was asked and said nothing, or the same again and again.
    NoAnswer {
        /// What it did instead.
        why: String,
    },
    /// A cap of the person's is reached, and nobody said to go on.
    OverBudget {
        /// Which, and what was used.
        why: String,
    },
    /// The prompt of a custom command could not be made, so the model was not asked.
    NotSent {
        /// What stood in its way.
        why: String,
    },
    /// The most rounds of calls for one turn were reached.
    TooManyRounds {
        /// How many that are.
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn duty_word<S: Serializer>(duty: &Option<DutyName>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(DutyName::word(*duty))
}
