//! What a session said and did before, read back from its transcript as the events a screen shows. Changes nothing.
//!
//! The transcript keeps what the person was shown beside what the model was told. For entries of older programs, which kept the
//! latter alone, the line of a call is made again from its input, its body from its result. Words of the program for the model
//! are never among them.

mod result;

use super::{
    rewind::texts,
    shown_message::{AgentRecord, CallRecord, ShownBetween, ShownMessage},
};
use crate::session::{ledger::ModeCause, toolbox::Toolbox};
use crate::{
    context::input_of,
    control::todo_write,
    disk::project_of,
    document::one_line,
    event::{
        AgentId, ApprovalOutcome, CallId, CallOutcome, ContextCutReason, Event, NoticeLevel, ShownBody, ShownCall,
    },
};
use fore_model::{Block, ModelName, ToolResult, ToolUse};
use fore_plan::{
    CalledTool, Change, Decision, State, ToolName,
    approval::{Comment, Proposal},
    exit_notice,
    plan::Hash,
};
use fore_store::{
    Entry, EntryBody, Home, SessionId, StoreError,
    entry::{Cut, Speaker, StoredMessage, Todo},
    session::recent,
};

use std::path::{Path, PathBuf};

/// How much of the end of a transcript is read.
const MAX_READ_BYTES: usize = 8 * 1024 * 1024;
/// Text in all events together; the newest ones come first.
const MAX_TEXT_BYTES: usize = 1024 * 1024;
/// The same where everything is wanted.
const MAX_WHOLE_READ_BYTES: usize = 128 * 1024 * 1024;
const MAX_WHOLE_TEXT_BYTES: usize = 32 * 1024 * 1024;
/// Of one answer: its end. A model that was stopped too late may have said more than all that is shown.
const MAX_SAID_BYTES: usize = 256 * 1024;
/// Of a prompt that was taken back.
const MAX_LINE_CHARS: usize = 100;
/// What stands behind words that were stopped, in entries that do not keep what was shown.
const STOPPED: &str = "\n[interrupted by the person]";

/// How the ids of calls begin that were made before.
const PAST_CALL: &str = "past-";

/// The newest events of a session, oldest first, at most so many. Damaged lines are left out; a session that another
/// process has open can be read too.
pub fn events(home: &Home, session: SessionId, most: usize) -> Result<Vec<Event>, StoreError> {
    let entries = recent(home, session, MAX_READ_BYTES)?;
    let mut past = TranscriptReplay::new();
    entries.into_iter().for_each(|entry| past.entry(entry));
    past.end();
    Ok(newest(past.events, most, MAX_TEXT_BYTES))
}

/// All that a session said and did, for front ends that keep it themselves, and whether its beginning was too long and is left out.
pub fn whole(home: &Home, session: SessionId) -> Result<(Vec<Event>, bool), StoreError> {
    let entries = recent(home, session, MAX_WHOLE_READ_BYTES)?;
    let has_beginning = matches!(entries.first().map(|entry| &entry.body), Some(EntryBody::Session(_)));
    let mut past = TranscriptReplay::new();
    entries.into_iter().for_each(|entry| past.entry(entry));
    past.end();
    let all = past.events.len();
    let kept = newest(past.events, usize::MAX, MAX_WHOLE_TEXT_BYTES);
    let is_cut = !has_beginning || kept.len() < all;
    Ok((kept, is_cut))
}

/// The name in [`Event::Said`] of answers that an older program wrote down without it.
pub(crate) fn earlier_model() -> ModelName {
    ModelName::new("earlier", "model")
}

/// Reads entries one after the other.
struct TranscriptReplay {
    toolbox: Toolbox,
    events: Vec<Event>,
    /// Calls without a result so far.
    open: Vec<(ToolUse, CallId)>,
    calls: u64,
    prompts: Vec<String>,
    proposal: Option<Proposal>,
    /// The newest text of the plan.
    written: Option<(Hash, String)>,
    /// What a decision looks like as the end of the call that asked for it.
    decided: Option<ShownCall>,
    todos: Vec<Todo>,
    /// Paths inside are told by what follows it.
    project: Option<PathBuf>,
    state: State,
    /// Whether everything was read that led to the state.
    is_state_known: bool,
    /// The work begins with this plan and an empty context.
    starts_afresh: Option<StartAfresh>,
}

/// An approval whose work begins with the plan alone.
struct StartAfresh {
    path: String,
    hash: Hash,
    text: String,
}

impl TranscriptReplay {
    fn new() -> TranscriptReplay {
        TranscriptReplay {
            toolbox: Toolbox::for_lines(),
            events: Vec::new(),
            open: Vec::new(),
            calls: 0,
            prompts: Vec::new(),
            proposal: None,
            written: None,
            decided: None,
            todos: Vec::new(),
            project: None,
            state: State::default(),
            is_state_known: false,
            starts_afresh: None,
        }
    }

    fn entry(&mut self, entry: Entry) {
        match entry.body {
            EntryBody::Session(header) => self.project = Some(project_of(Path::new(&header.folder))),
            EntryBody::Note(_) | EntryBody::Rehearsal(_) | EntryBody::Work(_) => {}
            EntryBody::Report(report) => {
                self.events.push(Event::Report { headline: report.headline(), report: Box::new(report) })
            }
            // What another program has shown may be something that this one does not know.
            EntryBody::Shown(shown) => self.between(serde_json::from_value(shown).ok()),
            EntryBody::Change(change) => self.change(change),
            EntryBody::Message(message) => self.message(&message),
            EntryBody::Todos(items) => {
                self.todos.clone_from(&items);
                self.events.push(Event::Todos { items });
            }
            EntryBody::Cut(cut) => {
                let event = match (cut, self.starts_afresh.take()) {
                    (Cut::Cleared, Some(StartAfresh { path, hash, text })) => {
                        Event::PlanImplement { plan_file_path: path, plan_hash: hash, plan_content: text }
                    }
                    (Cut::Cleared, None) => Event::ContextCut { why: ContextCutReason::Cleared },
                    (Cut::Compacted { .. }, _) => Event::ContextCut { why: ContextCutReason::Summarised },
                };
                self.close_calls();
                self.events.push(event);
            }
            EntryBody::Rewind(_) => self.rewind(),
        }
    }

    fn between(&mut self, shown: Option<ShownBetween>) {
        self.events.extend(shown.map(|shown| match shown {
            ShownBetween::TurnEnded(outcome) => Event::TurnEnded { outcome },
            ShownBetween::NotCounted(why) => Event::Decided(ApprovalOutcome::NotCounted { why }),
        }));
    }

    fn message(&mut self, message: &StoredMessage) {
        if message.meta || message.plan.is_some() && message.speaker == Speaker::Program {
            return;
        }
        let shown = message.shown.as_deref().and_then(ShownMessage::from_raw);
        if let (Speaker::Human | Speaker::Program, Some(ShownMessage::Nothing)) = (message.speaker, &shown) {
            // It stood there before the context was cut.
            return;
        }
        if message.is_prompt() {
            let text = match shown {
                Some(ShownMessage::Typed(line)) => line,
                Some(ShownMessage::Said(_) | ShownMessage::Call(_) | ShownMessage::Nothing) | None => {
                    texts(message).join("\n")
                }
            };
            self.prompts.push(one_line(&text, MAX_LINE_CHARS));
            self.events.push(Event::PromptTaken { text });
            return;
        }
        let model = || model_of(message.model.as_deref());
        if let (Speaker::Model, Some(ShownMessage::Said(text))) = (message.speaker, &shown) {
            let text = end_of(text);
            return self.events.push(Event::Said { agent: None, model: model(), text, continues: false });
        }
        if let (Speaker::Program, Some(ShownMessage::Call(record))) = (message.speaker, &shown) {
            return self.typed(record);
        }
        let blocks: Vec<Block> = serde_json::from_str(message.content.get()).unwrap_or_default();
        for block in blocks {
            match (message.speaker, block) {
                (Speaker::Model, Block::Text(text)) if !text.text.trim().is_empty() => {
                    let text = end_of(text.text.strip_suffix(STOPPED).unwrap_or(&text.text));
                    self.events.push(Event::Said { agent: None, model: model(), text, continues: false });
                }
                (Speaker::Model, Block::ToolUse(call)) => self.started(call),
                (Speaker::Tool, Block::ToolResult(result)) => match &shown {
                    Some(ShownMessage::Call(record)) => self.ended(&result, record),
                    Some(ShownMessage::Nothing) => self.never_begun(&result),
                    Some(ShownMessage::Said(_) | ShownMessage::Typed(_)) | None => self.finished(&result),
                },
                (Speaker::Program, Block::Text(text)) => self.typed_by_words(&text.text),
                (Speaker::Model, Block::Text(_) | Block::Image(_) | Block::ToolResult(_) | Block::Reasoning(_))
                | (Speaker::Tool, Block::Text(_) | Block::Image(_) | Block::ToolUse(_) | Block::Reasoning(_))
                | (
                    Speaker::Program,
                    Block::Image(_) | Block::ToolUse(_) | Block::ToolResult(_) | Block::Reasoning(_),
                )
                | (
                    Speaker::Human,
                    Block::Text(_) | Block::Image(_) | Block::ToolUse(_) | Block::ToolResult(_) | Block::Reasoning(_),
                ) => {}
            }
        }
    }

    fn next_call(&mut self) -> CallId {
        self.calls += 1;
        CallId(format!("{PAST_CALL}{}", self.calls))
    }

    fn started(&mut self, call: ToolUse) {
        let id = self.next_call();
        let tool = CalledTool::by_model(&call.name);
        let line = self.toolbox.line(&tool, &input_of(&call).cloned().unwrap_or_default());
        self.events.push(Event::ToolStarted { agent: None, call: id.clone(), tool, line, cage: None });
        self.open.push((call, id));
    }

    /// A call as it was shown.
    fn ended(&mut self, result: &ToolResult, record: &CallRecord) {
        let Some(id) = self.close(result) else { return };
        let record = &CallRecord { tool: CalledTool::by_model(record.tool.as_str()), ..record.clone() };
        self.decided = None;
        let begun = self.events.iter_mut().rev().find(|event| started_call(event) == Some(&id));
        if let Some(Event::ToolStarted { tool, line, cage, .. }) = begun {
            (*tool, *line, *cage) = (record.tool.clone(), record.line.clone(), record.cage.clone());
        }
        if let Some(agent) = &record.agent {
            self.agent(&id, agent);
        }
        self.finish(id, record);
    }

    fn finish(&mut self, call: CallId, record: &CallRecord) {
        let CallRecord { tool, outcome, shown, .. } = record.clone();
        self.events.push(Event::ToolFinished { agent: None, call, tool, outcome, shown });
    }

    /// A subagent has the number of the call that started it.
    fn agent(&mut self, call: &CallId, record: &AgentRecord) {
        let agent = AgentId(call.0.replace(PAST_CALL, "a"));
        let AgentRecord { kind, task, model, outcome, calls, refused, tokens, plan: _ } = record.clone();
        let model = model_of(Some(&model));
        self.events.push(Event::AgentStarted { agent: agent.clone(), kind, task, model });
        self.events.push(Event::AgentFinished { agent, outcome, calls, tokens, refused });
    }

    /// A call that nobody saw: the turn ended before it.
    fn never_begun(&mut self, result: &ToolResult) {
        if let Some(id) = self.close(result) {
            self.events.retain(|event| started_call(event) != Some(&id));
        }
    }

    /// The call that this is the result of.
    fn close(&mut self, result: &ToolResult) -> Option<CallId> {
        let place = self.open.iter().position(|(call, _)| call.id == result.id)?;
        Some(self.open.remove(place).1)
    }

    fn finished(&mut self, result: &ToolResult) {
        let Some(place) = self.open.iter().position(|(call, _)| call.id == result.id) else { return };
        let (call, id) = self.open.remove(place);
        let tool = CalledTool::by_model(&call.name);
        let (outcome, shown) = match (tool.known(), self.decided.take()) {
            (Some(ToolName::ExitPlanMode), Some(shown)) => (CallOutcome::Done, shown),
            (Some(ToolName::TodoWrite), _) if !result.is_error => {
                (CallOutcome::Done, ShownCall::line(todo_write::line(&self.todos)))
            }
            _ => result::shown(&tool, result, || self.again(&tool, &call, result)),
        };
        self.events.push(Event::ToolFinished { agent: None, call: id, tool, outcome, shown });
    }

    /// The difference that an edit made.
    fn again(&self, tool: &CalledTool, call: &ToolUse, result: &ToolResult) -> Option<ShownCall> {
        let told = result::model_text(result);
        self.toolbox.get(tool)?.again(input_of(call)?, told, self.project.as_deref())
    }

    /// A command of the person's own.
    fn typed(&mut self, record: &CallRecord) {
        let call = self.next_call();
        let CallRecord { tool, line, cage, .. } = record.clone();
        self.events.push(Event::ToolStarted { agent: None, call: call.clone(), tool, line, cage });
        self.finish(call, record);
    }

    /// The same, as the model was told of it.
    fn typed_by_words(&mut self, words: &str) {
        let Some((line, output)) =
            words.strip_prefix("The person ran `").and_then(|rest| rest.split_once("` themselves:\n"))
        else {
            return;
        };
        let (call, tool) = (self.next_call(), CalledTool::Typed);
        let (started, finished) = (call.clone(), tool.clone());
        let (line, shown) = (line.to_owned(), result::folded(output));
        self.events.push(Event::ToolStarted { agent: None, call: started, tool: finished, line, cage: None });
        self.events.push(Event::ToolFinished { agent: None, call, tool, outcome: CallOutcome::Done, shown });
    }

    fn change(&mut self, change: Change) {
        let notice = exit_notice(&self.state).map(str::to_owned);
        self.mode(&change);
        if matches!(change, Change::Mode { to: fore_plan::Mode::At(_), .. }) && self.waits().is_some() {
            self.left_by_hand();
        }
        match change {
            Change::PlanWritten { revision, text, .. } => self.written = Some((revision.hash, text)),
            Change::Proposed(proposal) => self.proposal = Some(proposal),
            Change::Decided { decision, to, .. } => self.decision(decision, to, notice),
            Change::Started { .. }
            | Change::Mode { .. }
            | Change::Openings { .. }
            | Change::SettingsRead
            | Change::AutoDuringPlan { .. }
            | Change::PlanNamed { .. }
            | Change::Stage { .. }
            | Change::Amended { .. }
            | Change::HumanTurn
            | Change::Told { .. }
            | Change::ReminderFailed { .. }
            | Change::ReminderMended
            | Change::ContextCut
            | Change::ContextRewound { .. }
            | Change::PlanEditedOutside { .. }
            | Change::Allowed { .. }
            | Change::Forgotten { .. }
            | Change::AutoVerdict { .. } => {}
        }
    }

    /// What was told of the mode when this was recorded.
    fn mode(&mut self, change: &Change) {
        let (cause, from) = (ModeCause::of(change), self.state.mode());
        let applied = self.state.apply(change);
        let event = match (change, self.is_state_known) {
            // A session begins in its mode.
            (Change::Started { .. }, _) => {
                self.is_state_known = true;
                None
            }
            (_, true) => cause.event(from, self.state.mode(), applied),
            (_, false) => change.mode_event(),
        };
        self.events.extend(event.map(Event::ModeChanged));
    }

    /// The person chose another mode while the request waited: that is all that was decided about the plan.
    fn left_by_hand(&mut self) {
        let Some(proposal) = self.proposal.take() else { return };
        let left = ApprovalOutcome::Left { level: self.state.level_beneath() };
        self.tell_decision(left, "left plan mode", proposal.path, (proposal.hash, proposal.text));
    }

    /// The place of the call that waits for approval.
    fn waits(&self) -> Option<usize> {
        let asks = |(call, _): &(ToolUse, CallId)| ToolName::from_called(&call.name) == Some(ToolName::ExitPlanMode);
        (self.decided.is_none() && self.proposal.is_some()).then(|| self.open.iter().position(asks)).flatten()
    }

    /// A decision comes with the text it was about.
    fn decision(&mut self, decision: Decision, to: fore_plan::Mode, notice: Option<String>) {
        let Some(proposal) = self.proposal.take() else { return };
        let path = proposal.path.clone();
        let mut about = (proposal.hash, proposal.text);
        let (decided, line) = match decision {
            Decision::Approved { receipt, comments, .. } => {
                let edited = self.written.take().filter(|(hash, _)| receipt.edited && *hash == receipt.hash);
                about = edited.unwrap_or(about);
                let line = format!("approved; {} from here on", receipt.level);
                self.starts_afresh = receipt.clear_context.then(|| {
                    let (hash, text) = about.clone();
                    StartAfresh { path: path.clone(), hash, text }
                });
                (ApprovalOutcome::Approved { receipt, notice, moved: None, comments }, line)
            }
            Decision::Rejected { reason, comments, by, .. } => {
                let line = if by.is_some() { "keep planning" } else { "not approved" };
                (ApprovalOutcome::KeepPlanning { reason, comments }, line.to_owned())
            }
            Decision::Saved { .. } => (ApprovalOutcome::Saved { path: path.clone() }, "the plan is saved".into()),
            Decision::Left { .. } => {
                self.events.extend(notice.map(|text| Event::Notice { level: NoticeLevel::Info, text }));
                let level = match to {
                    fore_plan::Mode::At(level) => level,
                    fore_plan::Mode::Plan => fore_plan::Level::Default,
                };
                (ApprovalOutcome::Left { level }, "left plan mode".into())
            }
            Decision::Discarded { .. } => (ApprovalOutcome::Discarded, "the plan is discarded".into()),
        };
        self.tell_decision(decided, &line, path, about);
    }

    fn tell_decision(&mut self, decided: ApprovalOutcome, line: &str, path: String, (hash, text): (Hash, String)) {
        self.decided = Some(match &decided {
            ApprovalOutcome::Approved { .. } => {
                ShownCall { line: line.to_owned(), body: ShownBody::Markdown { text: text.clone() } }
            }
            ApprovalOutcome::KeepPlanning { .. }
            | ApprovalOutcome::Saved { .. }
            | ApprovalOutcome::Left { .. }
            | ApprovalOutcome::Discarded
            | ApprovalOutcome::NotCounted { .. }
            | ApprovalOutcome::Awaits { .. } => ShownCall::line(line),
        });
        let (path, text, hash) = (Some(path), Some(text), Some(hash));
        self.events.push(Event::Plan { path, text, hash, changed: String::new(), unreadable: None });
        self.events.push(Event::Decided(decided));
    }

    /// It is always the last prompt that is taken back.
    fn rewind(&mut self) {
        self.close_calls();
        let text = self.prompts.pop().unwrap_or_default();
        self.events.push(Event::Rewound { text });
    }

    /// Calls that never got a result: the program ended, or the conversation did.
    fn close_calls(&mut self) {
        for (call, id) in std::mem::take(&mut self.open) {
            let tool = CalledTool::by_model(&call.name);
            let (outcome, shown) = match (tool.known(), self.decided.take()) {
                (Some(ToolName::ExitPlanMode), Some(shown)) => (CallOutcome::Done, shown),
                _ => (CallOutcome::Interrupted, ShownCall::line("interrupted")),
            };
            self.events.push(Event::ToolFinished { agent: None, call: id, tool, outcome, shown });
        }
    }

    /// A request that still waits is shown by the session itself when it goes on.
    fn end(&mut self) {
        if let Some(place) = self.waits() {
            let (_, waiting) = self.open.remove(place);
            self.events.retain(|event| !matches!(event, Event::ToolStarted { call, .. } if *call == waiting));
        }
        self.close_calls();
    }
}

fn model_of(name: Option<&str>) -> ModelName {
    let parts = name.and_then(|name| name.split_once('/'));
    parts.map_or_else(earlier_model, |(provider, name)| ModelName::new(provider, name))
}

/// An answer, or what there is room for: its last lines.
fn end_of(text: &str) -> String {
    let end = fore_text::cut::last_lines(text, MAX_SAID_BYTES);
    match text.len() - end.len() {
        0 => text.to_owned(),
        left => format!("[{} kB of this answer are left out here]\n\n{end}", left / 1000),
    }
}

/// The newest events within the bounds; an end whose beginning was left out is left out too.
fn newest(mut events: Vec<Event>, most: usize, most_bytes: usize) -> Vec<Event> {
    let mut bytes = 0_usize;
    let fits = |event: &&Event| {
        bytes = bytes.saturating_add(text_bytes(event));
        bytes <= most_bytes
    };
    let count = events.iter().rev().take(most).take_while(fits).count();
    let mut kept = events.split_off(events.len() - count);
    let started: std::collections::HashSet<CallId> = kept.iter().filter_map(started_call).cloned().collect();
    kept.retain(|event| !matches!(event, Event::ToolFinished { call, .. } if !started.contains(call)));
    kept
}

fn started_call(event: &Event) -> Option<&CallId> {
    if let Event::ToolStarted { call, .. } = event { Some(call) } else { None }
}

fn comment_bytes(comments: &[Comment]) -> usize {
    comments.iter().map(|comment| comment.quote.len() + comment.remark.len()).sum()
}

fn text_bytes(event: &Event) -> usize {
    match event {
        Event::PromptTaken { text } | Event::Said { text, .. } | Event::Notice { text, .. } => text.len(),
        Event::ToolStarted { line, .. } => line.len(),
        Event::ToolFinished { shown, .. } => {
            let body = match &shown.body {
                ShownBody::Nothing => 0,
                ShownBody::Text { text } | ShownBody::Markdown { text } => text.len(),
                ShownBody::Diff { diff, .. } => diff.len(),
            };
            shown.line.len() + body
        }
        Event::Plan { text, .. } => text.as_ref().map_or(0, String::len),
        Event::PlanImplement { plan_content, .. } => plan_content.len(),
        Event::Decided(ApprovalOutcome::Approved { comments, .. }) => comment_bytes(comments),
        Event::Decided(ApprovalOutcome::KeepPlanning { reason, comments }) => reason.len() + comment_bytes(comments),
        Event::Todos { items } => items.iter().map(|item| item.text.len()).sum(),
        // Of what else is replayed, nothing is long.
        Event::Started(_)
        | Event::ModeChanged(_)
        | Event::ModelChanged { .. }
        | Event::ModeRefused { .. }
        | Event::ModelRefused { .. }
        | Event::PromptQueued { .. }
        | Event::PromptsReturned { .. }
        | Event::TurnStarted
        | Event::Text { .. }
        | Event::Reasoning { .. }
        | Event::CallGrowing { .. }
        | Event::SideBySide { .. }
        | Event::ToolOutput { .. }
        | Event::Asked(_)
        | Event::FormAsked { .. }
        | Event::EnterPlanAsked { .. }
        | Event::Allowed { .. }
        | Event::AutoVerdict { .. }
        | Event::SettingsRead { .. }
        | Event::QuestionClosed { .. }
        | Event::ApprovalAsked(_)
        | Event::ContractRead { .. }
        | Event::Report { .. }
        | Event::Hooks { .. }
        | Event::Decided(_)
        | Event::AgentStarted { .. }
        | Event::AgentProgress { .. }
        | Event::AgentFinished { .. }
        | Event::Background { .. }
        | Event::Team { .. }
        | Event::TeamStory { .. }
        | Event::TeamMessage { .. }
        | Event::McpServers { .. }
        | Event::McpVouchShown(_)
        | Event::Usage { .. }
        | Event::Spending(_)
        | Event::Retrying { .. }
        | Event::Silent { .. }
        | Event::PromptRead { .. }
        | Event::SummaryStarted
        | Event::SummaryGrowing { .. }
        | Event::SummaryEnded
        | Event::ContextCut { .. }
        | Event::Rewound { .. }
        | Event::CommandsListed { .. }
        | Event::ResourcesListed { .. }
        | Event::PermissionTested { .. }
        | Event::UndoShown { .. }
        | Event::Undone { .. }
        | Event::Forgotten { .. }
        | Event::TurnEnded { .. }
        | Event::Closed => 0,
    }
}
