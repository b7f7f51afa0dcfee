//! What a session said and did before, read back from its transcript as the events a screen shows. Changes nothing.
//!
//! The transcript keeps what the model was told, not what the person was shown: the line of a call is made again from its
//! input, its body from its result. Words of the program for the model are never among them.

mod result;

use super::{rewind::texts, toolbox::Toolbox};
use crate::{
    context::input_of,
    control::todo_write,
    disk::project_of,
    document::one_line,
    event::{ApprovalOutcome, CallId, CallOutcome, Event, NoticeLevel, ShownBody, ShownCall},
};
use fore_model::{Block, ModelName, ToolResult, ToolUse};
use fore_plan::{Change, Decision, State, approval::Proposal, gate::tool_name, plan::Hash};
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
/// Of one answer: its end. A model that was stopped too late may have said more than all that is shown.
const MAX_SAID_BYTES: usize = 256 * 1024;
/// Of a prompt that was taken back.
const MAX_LINE_CHARS: usize = 100;
/// What stands behind words that were stopped.
const STOPPED: &str = "\n[interrupted by the person]";

/// The newest events of a session, oldest first, at most so many. Damaged lines are left out; a session that another
/// process has open can be read too.
pub fn events(home: &Home, session: SessionId, most: usize) -> Result<Vec<Event>, StoreError> {
    let entries = recent(home, session, MAX_READ_BYTES)?;
    let mut past = TranscriptReplay::new();
    entries.into_iter().for_each(|entry| past.entry(entry));
    past.end();
    Ok(newest(past.events, most))
}

/// The name in [`Event::Said`] of answers that an older program wrote down without it.
pub fn earlier_model() -> ModelName {
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
        }
    }

    fn entry(&mut self, entry: Entry) {
        match entry.body {
            EntryBody::Session(header) => self.project = Some(project_of(Path::new(&header.folder))),
            EntryBody::Note(_) => {}
            EntryBody::Change(change) => self.change(change),
            EntryBody::Message(message) => self.message(&message),
            EntryBody::Todos(items) => {
                self.todos.clone_from(&items);
                self.events.push(Event::Todos { items });
            }
            EntryBody::Cut(cut) => {
                self.close_calls();
                let why = match cut {
                    Cut::Compacted { .. } => "summarised",
                    Cut::Cleared => "cleared",
                };
                self.events.push(Event::ContextCut { why: why.into() });
            }
            EntryBody::Rewind(_) => self.rewind(),
        }
    }

    fn message(&mut self, message: &StoredMessage) {
        if message.meta || message.plan.is_some() && message.speaker == Speaker::Program {
            return;
        }
        if message.is_prompt() {
            let text = texts(message).join("\n");
            self.prompts.push(one_line(&text, MAX_LINE_CHARS));
            self.events.push(Event::PromptTaken { text });
            return;
        }
        let name = message.model.as_deref().and_then(|name| name.split_once('/'));
        let model = || name.map_or_else(earlier_model, |(provider, name)| ModelName::new(provider, name));
        let blocks: Vec<Block> = serde_json::from_str(message.content.get()).unwrap_or_default();
        for block in blocks {
            match (message.speaker, block) {
                (Speaker::Model, Block::Text(text)) if !text.text.trim().is_empty() => {
                    let text = end_of(text.text.strip_suffix(STOPPED).unwrap_or(&text.text));
                    self.events.push(Event::Said { agent: None, model: model(), text });
                }
                (Speaker::Model, Block::ToolUse(call)) => self.started(call),
                (Speaker::Tool, Block::ToolResult(result)) => self.finished(&result),
                (Speaker::Program, Block::Text(text)) => self.typed(&text.text),
                _ => {}
            }
        }
    }

    fn next_call(&mut self) -> CallId {
        self.calls += 1;
        CallId(format!("past-{}", self.calls))
    }

    fn started(&mut self, call: ToolUse) {
        let id = self.next_call();
        let tool = name_of(&call.name);
        let line = self.toolbox.line(&tool, &input_of(&call).cloned().unwrap_or_default());
        self.events.push(Event::ToolStarted { agent: None, call: id.clone(), tool, line, cage: None });
        self.open.push((call, id));
    }

    fn finished(&mut self, result: &ToolResult) {
        let Some(place) = self.open.iter().position(|(call, _)| call.id == result.id) else { return };
        let (call, id) = self.open.remove(place);
        let tool = name_of(&call.name);
        let (outcome, shown) = match (tool.as_str(), self.decided.take()) {
            ("ExitPlanMode", Some(shown)) => (CallOutcome::Done, shown),
            ("TodoWrite", _) if !result.is_error => (CallOutcome::Done, ShownCall::line(todo_write::line(&self.todos))),
            _ => result::shown(&tool, result, || self.again(&tool, &call, result)),
        };
        self.events.push(Event::ToolFinished { agent: None, call: id, tool, outcome, shown });
    }

    /// The difference that an edit made. The plan is seen when it is handed in.
    fn again(&self, tool: &str, call: &ToolUse, result: &ToolResult) -> Option<ShownCall> {
        let told = result::model_text(result);
        let shown = self.toolbox.get(tool)?.again(input_of(call)?, told, self.project.as_deref())?;
        let is_outside = matches!(&shown.body, ShownBody::Diff { path, .. } if path.starts_with('/'));
        Some(if self.state.pre_plan_mode().is_some() && is_outside { ShownCall::line(shown.line) } else { shown })
    }

    /// A command of the person's own, as the model was told of it.
    fn typed(&mut self, words: &str) {
        let Some((line, output)) =
            words.strip_prefix("The person ran `").and_then(|rest| rest.split_once("` themselves:\n"))
        else {
            return;
        };
        let (call, tool) = (self.next_call(), "!".to_owned());
        let (started, finished) = (call.clone(), tool.clone());
        let (line, shown) = (line.to_owned(), result::folded(output));
        self.events.push(Event::ToolStarted { agent: None, call: started, tool: finished, line, cage: None });
        self.events.push(Event::ToolFinished { agent: None, call, tool, outcome: CallOutcome::Done, shown });
    }

    fn change(&mut self, change: Change) {
        if let Some(moved) = change.mode_event() {
            self.events.push(Event::ModeChanged(moved));
        }
        let _ = self.state.apply(&change);
        match change {
            Change::PlanWritten { revision, text, .. } => self.written = Some((revision.hash, text)),
            Change::Proposed(proposal) => self.proposal = Some(proposal),
            Change::Decided { decision, to, .. } => self.decision(decision, to),
            _ => {}
        }
    }

    /// A decision comes with the text it was about.
    fn decision(&mut self, decision: Decision, to: fore_plan::Mode) {
        let Some(proposal) = self.proposal.take() else { return };
        let path = proposal.path.clone();
        let mut about = (proposal.hash, proposal.text);
        let (decided, line) = match decision {
            Decision::Approved { receipt } => {
                let edited = self.written.take().filter(|(hash, _)| receipt.edited && *hash == receipt.hash);
                about = edited.unwrap_or(about);
                let line = format!("approved; {} from here on", receipt.level);
                (ApprovalOutcome::Approved { receipt, notice: None }, line)
            }
            Decision::Rejected { reason, by, .. } => {
                let line = if by.is_some() { "keep planning" } else { "not approved" };
                (ApprovalOutcome::KeepPlanning { reason }, line.to_owned())
            }
            Decision::Saved { .. } => (ApprovalOutcome::Saved { path: path.clone() }, "the plan is saved".into()),
            Decision::Left { .. } => {
                let level = match to {
                    fore_plan::Mode::At(level) => level,
                    fore_plan::Mode::Plan => fore_plan::Level::Default,
                };
                (ApprovalOutcome::Left { level }, "left plan mode".into())
            }
            Decision::Discarded { .. } => (ApprovalOutcome::Discarded, "the plan is discarded".into()),
        };
        let (hash, text) = about;
        self.decided = Some(match &decided {
            ApprovalOutcome::Approved { .. } => ShownCall { line, body: ShownBody::Markdown { text: text.clone() } },
            _ => ShownCall::line(line),
        });
        let (path, text, hash) = (Some(path), Some(text), Some(hash));
        self.events.push(Event::Plan { path, text, hash, changed: String::new() });
        self.events.push(Event::Decided(decided));
    }

    /// It is always the last prompt that is taken back.
    fn rewind(&mut self) {
        self.close_calls();
        let text = match self.prompts.pop() {
            Some(prompt) => format!("Taken back: {prompt}"),
            None => "The last prompt was taken back.".to_owned(),
        };
        self.events.push(Event::Notice { level: NoticeLevel::Info, text });
    }

    /// Calls that never got a result: the program ended, or the conversation did.
    fn close_calls(&mut self) {
        for (call, id) in std::mem::take(&mut self.open) {
            let tool = name_of(&call.name);
            let (outcome, shown) = match (tool.as_str(), self.decided.take()) {
                ("ExitPlanMode", Some(shown)) => (CallOutcome::Done, shown),
                _ => (CallOutcome::Interrupted, ShownCall::line("interrupted")),
            };
            self.events.push(Event::ToolFinished { agent: None, call: id, tool, outcome, shown });
        }
    }

    /// A request that still waits is shown by the session itself when it goes on.
    fn end(&mut self) {
        let waits = self.open.iter().position(|(call, _)| {
            self.decided.is_none() && self.proposal.is_some() && name_of(&call.name) == "ExitPlanMode"
        });
        if let Some(place) = waits {
            let (_, waiting) = self.open.remove(place);
            self.events.retain(|event| !matches!(event, Event::ToolStarted { call, .. } if *call == waiting));
        }
        self.close_calls();
    }
}

/// The one name of a tool, or what the model called it.
fn name_of(called: &str) -> String {
    tool_name(called).map_or_else(|| called.chars().take(MAX_LINE_CHARS).collect(), str::to_owned)
}

/// An answer, or what there is room for: its last lines.
fn end_of(text: &str) -> String {
    if text.len() <= MAX_SAID_BYTES {
        return text.to_owned();
    }
    let end = text.get(text.ceil_char_boundary(text.len() - MAX_SAID_BYTES)..).unwrap_or_default();
    let end = end.split_once('\n').map_or(end, |(_, lines)| lines);
    format!("[{} kB of this answer are left out here]\n\n{end}", (text.len() - end.len()) / 1000)
}

/// The newest events within the bounds; an end whose beginning was left out is left out too.
fn newest(mut events: Vec<Event>, most: usize) -> Vec<Event> {
    let mut bytes = 0_usize;
    let fits = |event: &&Event| {
        bytes = bytes.saturating_add(text_bytes(event));
        bytes <= MAX_TEXT_BYTES
    };
    let count = events.iter().rev().take(most).take_while(fits).count();
    let mut kept = events.split_off(events.len() - count);
    let started: std::collections::HashSet<CallId> = kept.iter().filter_map(started_call).cloned().collect();
    kept.retain(|event| !matches!(event, Event::ToolFinished { call, .. } if !started.contains(call)));
    kept
}

fn started_call(event: &Event) -> Option<&CallId> {
    match event {
        Event::ToolStarted { call, .. } => Some(call),
        _ => None,
    }
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
        Event::Decided(ApprovalOutcome::KeepPlanning { reason }) => reason.len(),
        Event::Todos { items } => items.iter().map(|item| item.text.len()).sum(),
        _ => 0,
    }
}
