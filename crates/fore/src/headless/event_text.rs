//! A run in words: what the model says goes to standard output, what happens beside it is one line each. It prints nothing itself.

use super::ending::RunPurpose;
use crate::console::one_line;
use fore_agent::{AgentId, CallId, CallOutcome, DutyName, Event, NoticeLevel};
use fore_plan::{CalledTool, ModeReason, ToolName};
use fore_text::cut;
use std::{collections::HashMap, fmt::Display};

/// Letters of a line; the rest is left out.
const MAX_LETTERS: usize = 400;
/// Letters of what a refused call was about.
const MAX_CALL_LETTERS: usize = 120;
/// Calls that run at once and are remembered.
const MAX_RUNNING: usize = 1000;

/// How much is shown, and where the answer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShowOptions {
    pub(crate) purpose: RunPurpose,
    /// Somebody watches: say what is done.
    pub(crate) progress: Progress,
    pub(crate) answer: AnswerTiming,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Shown,
    Silent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerTiming {
    /// A person reads along: everything the model says, as it comes.
    AsItComes,
    /// A program reads: the last answer alone, at the end.
    AtTheEnd,
}

/// Something to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Printable {
    /// Text of the model for standard output, without a line end of ours.
    Said(String),
    /// A line for standard error.
    Line(Tone, String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Quiet,
    Warning,
    Wrong,
}

/// The fold from events to pieces.
#[derive(Debug)]
pub(crate) struct EventText {
    options: ShowOptions,
    /// Text on standard output that does not end in a line break yet.
    is_inside_line: bool,
    has_spoken: bool,
    /// What the calls that run are about.
    running: HashMap<CallId, String>,
}

impl EventText {
    pub(crate) fn new(options: ShowOptions) -> EventText {
        EventText { options, is_inside_line: false, has_spoken: false, running: HashMap::new() }
    }

    pub(crate) fn event(&mut self, event: &Event) -> Vec<Printable> {
        if let Event::ToolStarted { call, line, .. } = event
            && self.running.len() < MAX_RUNNING
        {
            self.running.insert(call.clone(), line.clone());
        }
        let pieces = self.pieces(event);
        if let Event::ToolFinished { call, .. } = event {
            self.running.remove(call);
        }
        pieces
    }

    fn pieces(&mut self, event: &Event) -> Vec<Printable> {
        match event {
            Event::Text { agent: None, delta, .. } if self.streams() => self.say(delta),
            Event::Said { agent: None, text, .. } => self.said(text),
            Event::ToolFinished { agent, tool, call, outcome: CallOutcome::Refused { refusal }, .. } => {
                let what = self.running.remove(call).filter(|line| !line.is_empty());
                let what = what.map_or_else(String::new, |line| format!(" {}", cut::ellipsis(&line, MAX_CALL_LETTERS)));
                let who = with_agent(agent.as_ref(), tool);
                let (declined, way_out) = refusal.for_person();
                let reason = if way_out.is_empty() {
                    sentence(&declined)
                } else {
                    format!("{} {way_out}", sentence(&refusal.reason))
                };
                self.line(Tone::Warning, format!("✗ refused {who}{what}: {reason} [{}]", refusal.code))
            }
            Event::Notice { level: NoticeLevel::Warning, text } => self.line(Tone::Warning, format!("! {text}")),
            Event::Notice { level: NoticeLevel::Error, text } => self.line(Tone::Wrong, format!("✗ {text}")),
            event if self.options.progress == Progress::Shown => {
                let words = self.progress(event);
                words.map_or_else(Vec::new, |words| self.line(Tone::Quiet, format!("· {words}")))
            }
            _ => Vec::new(),
        }
    }

    /// What is worth a line for somebody who watches.
    fn progress(&self, event: &Event) -> Option<String> {
        match event {
            Event::Started(started) => {
                let (plan, act) = (&started.models.plan, &started.models.act);
                let model = if plan == act { act.to_string() } else { format!("{act}, for plans {plan}") };
                let resumed = if started.resumed { " (resumed)" } else { "" };
                Some(format!("session {}{resumed} · mode {} · model {model}", started.session, started.mode))
            }
            Event::ModeChanged(change) => {
                let why = match &change.why {
                    ModeReason::Chosen => "you chose it".to_owned(),
                    ModeReason::Left => "you left plan mode".to_owned(),
                    ModeReason::EnterConfirmed => "the model asked to plan first; you agreed".to_owned(),
                    other => other.to_string(),
                };
                Some(format!("mode {} → {}: {why}", change.from, change.to))
            }
            Event::ModelChanged { model, duty } => Some(format!("model {model} ({})", DutyName::word(*duty))),
            // A command or a subagent may take long, so its beginning is told; the rest is told when it is done.
            Event::ToolStarted { agent, tool, line, cage: Some(_), .. } => {
                Some(format!("{} {line}", with_agent(agent.as_ref(), tool)))
            }
            Event::ToolFinished { agent, call, tool, outcome, shown } => {
                let who = with_agent(agent.as_ref(), tool);
                let what = self.running.get(call).filter(|line| !line.is_empty() && **line != shown.line);
                match outcome {
                    CallOutcome::Done if tool.known() == Some(ToolName::Bash) => None,
                    CallOutcome::Done => match what {
                        Some(what) => Some(format!("{who} {} ({})", cut::ellipsis(what, MAX_CALL_LETTERS), shown.line)),
                        None => Some(format!("{who} {}", shown.line)),
                    },
                    CallOutcome::Failed => Some(format!("{who} failed: {}", shown.line)),
                    CallOutcome::Interrupted => Some(format!("{who} interrupted")),
                    CallOutcome::Refused { .. } => None,
                }
            }
            Event::AgentStarted { agent, kind, task, .. } => Some(format!("[{}] {kind}: {task}", agent.0)),
            Event::AgentFinished { agent, outcome, calls, .. } => {
                let how = if *outcome == CallOutcome::Done { "done" } else { "ended early" };
                Some(format!("[{}] {how} after {calls} calls", agent.0))
            }
            Event::AutoVerdict { agent, tool, allowed, reason, .. } => {
                let verdict = if *allowed { "allowed" } else { "blocked" };
                Some(format!("auto mode {verdict} {}: {reason}", with_agent(agent.as_ref(), tool)))
            }
            Event::Retrying { agent, why, wait_ms, attempt, attempts, .. } => {
                let seconds = wait_ms.div_ceil(1000);
                Some(format!("{}{why}, next try in {seconds} s ({attempt} of {attempts})", prefix(agent.as_ref())))
            }
            Event::Silent { agent, seconds, .. } => {
                Some(format!("{}nothing from the model for {seconds} s", prefix(agent.as_ref())))
            }
            Event::ContextCut { why } => Some(format!("context: {}", why.word())),
            Event::TeamMessage { from, to, text } => Some(format!("{from} → {to}: {text}")),
            Event::Notice { level: NoticeLevel::Info, text } => Some(text.clone()),
            _ => None,
        }
    }

    /// Ends an open line of text.
    pub(crate) fn finish(&mut self) -> Vec<Printable> {
        if std::mem::take(&mut self.is_inside_line) { vec![Printable::Said("\n".into())] } else { Vec::new() }
    }

    fn streams(&self) -> bool {
        self.options.answer == AnswerTiming::AsItComes
    }

    fn say(&mut self, delta: &str) -> Vec<Printable> {
        if delta.is_empty() {
            return Vec::new();
        }
        let starts_again = self.has_spoken && !self.is_inside_line;
        self.is_inside_line = !delta.ends_with('\n');
        self.has_spoken = true;
        let gap = if starts_again { "\n" } else { "" };
        vec![Printable::Said(format!("{gap}{delta}"))]
    }

    /// The text itself came in pieces; while a plan is made it is a remark on the way.
    fn said(&mut self, text: &str) -> Vec<Printable> {
        if self.streams() {
            return self.finish();
        }
        let remark = text.lines().find(|line| !line.trim().is_empty());
        match (self.options.purpose, self.options.progress, remark) {
            (RunPurpose::Plan, Progress::Shown, Some(remark)) => self.line(Tone::Quiet, format!("· {remark}")),
            _ => Vec::new(),
        }
    }

    fn line(&mut self, tone: Tone, words: impl Display) -> Vec<Printable> {
        let mut pieces = self.finish();
        pieces.push(Printable::Line(tone, short(&words.to_string())));
        pieces
    }
}

fn with_agent(agent: Option<&AgentId>, tool: &CalledTool) -> String {
    agent.map_or_else(|| tool.to_string(), |agent| format!("[{}] {tool}", agent.0))
}

fn prefix(agent: Option<&AgentId>) -> String {
    agent.map_or_else(String::new, |agent| format!("[{}] ", agent.0))
}

fn sentence(reason: &str) -> String {
    if reason.ends_with(['.', '!', '?']) { reason.to_owned() } else { format!("{reason}.") }
}

/// One line of bounded length that cannot move the cursor.
fn short(words: &str) -> String {
    cut::ellipsis(&one_line(words), MAX_LETTERS).into_owned()
}

#[cfg(test)]
#[path = "event_text_tests.rs"]
mod tests;
