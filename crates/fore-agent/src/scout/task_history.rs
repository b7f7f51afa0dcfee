//! Reads a session's history: what the person wants, what was looked at since, how the last plan was received.

use fore_model::{Arguments, Block, History, Message, ResultPart, Role, ToolResult};
use fore_plan::{ToolName, approval::ToldVerdict};
use serde_json::Value;
use std::collections::BTreeMap;

/// How far back the history is read.
const MAX_MESSAGES: usize = 400;
/// How many messages and remarks of the person make up one task.
const MAX_TASK_MESSAGES: usize = 8;

/// What the history says about the work at hand.
#[derive(Debug, Default)]
pub(super) struct TaskHistory {
    /// The task, then what the person said about earlier plans for it, oldest first.
    pub(super) messages: Vec<String>,
    /// What was looked at since the person last spoke.
    pub(super) answered: Vec<AnsweredCall>,
    /// How many answers with calls were given since the person last spoke.
    pub(super) rounds: usize,
    /// How the plan that was just handed in was received; none while there is still something to do.
    pub(super) verdict: Option<PlanReception>,
}

/// One call and what came of it.
#[derive(Debug)]
pub(super) struct AnsweredCall {
    pub(super) tool: Option<ToolName>,
    pub(super) input: Value,
    /// None for a call that was refused, that failed or that was never answered.
    pub(super) text: Option<String>,
}

/// How a plan was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlanReception {
    /// Not approved, with the person's words.
    Again(String),
    /// Not approved, and nobody said why.
    NoWords,
    /// The call itself was refused or failed.
    Refused,
    /// The work on this plan is over: approved, saved, discarded, left, or nobody there to approve it.
    Over,
}

impl TaskHistory {
    pub(super) fn read(history: &History) -> TaskHistory {
        let mut reader = BackwardReader::default();
        for index in (0..history.len()).rev().take(MAX_MESSAGES) {
            if history.with_message(index, |message| reader.take(message)) != Some(BackwardStep::On) {
                break;
            }
        }
        reader.finish()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BackwardStep {
    On,
    Enough,
}

/// The walk from the newest message to the one that began the task.
#[derive(Default)]
struct BackwardReader {
    conversation: TaskHistory,
    results: BTreeMap<String, (String, bool)>,
    /// The person has spoken after what is read now: calls before that are old.
    is_before: bool,
    /// A plan was handed in and not accepted between the prompt that is read next and the one read before.
    is_open: bool,
    prompts: usize,
}

impl BackwardReader {
    fn take(&mut self, message: &Message) -> BackwardStep {
        match message.role {
            Role::Assistant => self.take_answer(message),
            Role::User => return self.take_user(message),
        }
        BackwardStep::On
    }

    fn take_answer(&mut self, message: &Message) {
        if self.is_before {
            return;
        }
        let before = self.conversation.answered.len();
        for block in &message.blocks {
            if let Block::ToolUse(call) = block {
                let result = self.results.remove(&call.id);
                let text = result.filter(|(_, is_error)| !is_error).map(|(text, _)| text);
                if let Arguments::Ok(input) = &call.arguments {
                    self.conversation.answered.push(AnsweredCall {
                        tool: ToolName::from_called(&call.name),
                        input: input.clone(),
                        text,
                    });
                }
            }
        }
        self.conversation.rounds += usize::from(self.conversation.answered.len() > before);
    }

    fn take_user(&mut self, message: &Message) -> BackwardStep {
        let words = human_text(message);
        let results = || {
            message.blocks.iter().filter_map(|block| match block {
                Block::ToolResult(result) => Some(result),
                Block::Text(_) | Block::Image(_) | Block::ToolUse(_) | Block::Reasoning(_) => None,
            })
        };
        // Words beside results were said in the middle of the work: they add to it and do not begin it again.
        if results().next().is_some() {
            self.conversation.messages.extend(Some(words).filter(|words| !words.is_empty()));
            let is_enough = results().any(|result| self.take_result(result) == BackwardStep::Enough);
            return if is_enough { BackwardStep::Enough } else { BackwardStep::On };
        }
        if words.is_empty() {
            return BackwardStep::On;
        }
        if self.prompts > 0 && !self.is_open {
            return BackwardStep::Enough;
        }
        self.prompts += 1;
        (self.is_before, self.is_open) = (true, false);
        self.conversation.messages.push(words);
        BackwardStep::On
    }

    fn take_result(&mut self, result: &ToolResult) -> BackwardStep {
        let text = joined(result);
        if ToolName::from_called(&result.name) != Some(ToolName::ExitPlanMode) {
            if !self.is_before {
                self.results.insert(result.id.clone(), (text, result.is_error));
            }
            return BackwardStep::On;
        }
        let verdict = verdict(&text, result.is_error);
        let is_newest = !self.is_before && self.conversation.rounds == 0 && self.conversation.messages.is_empty();
        match &verdict {
            PlanReception::Again(words) => self.conversation.messages.push(words.clone()),
            PlanReception::NoWords | PlanReception::Refused => {}
            PlanReception::Over if !self.conversation.messages.is_empty() => return BackwardStep::Enough,
            PlanReception::Over => {}
        }
        if is_newest && !matches!(verdict, PlanReception::Again(_)) {
            self.conversation.verdict = Some(verdict);
        }
        (self.is_before, self.is_open) = (true, true);
        BackwardStep::On
    }

    fn finish(mut self) -> TaskHistory {
        let words = &mut self.conversation.messages;
        words.reverse();
        // The first words are the task; of the remarks the newest count.
        if words.len() > MAX_TASK_MESSAGES {
            words.drain(1..=words.len() - MAX_TASK_MESSAGES);
        }
        self.conversation.answered.reverse();
        self.conversation
    }
}

/// What a person wrote in a message, without reminders.
fn human_text(message: &Message) -> String {
    let texts = message.blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.text.trim()),
        Block::Image(_) | Block::ToolUse(_) | Block::ToolResult(_) | Block::Reasoning(_) => None,
    });
    texts.filter(|text| !text.is_empty() && !text.starts_with("<system-reminder>")).collect::<Vec<_>>().join("\n")
}

fn joined(result: &ToolResult) -> String {
    let texts = result.content.iter().filter_map(|piece| match piece {
        ResultPart::Text(text) => Some(text.as_str()),
        ResultPart::Image(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn verdict(text: &str, is_error: bool) -> PlanReception {
    match ToldVerdict::read(text) {
        ToldVerdict::Rejected { said: Some(words) } => PlanReception::Again(words),
        ToldVerdict::Rejected { said: None } | ToldVerdict::Undecided => PlanReception::NoWords,
        ToldVerdict::Other if is_error => PlanReception::Refused,
        ToldVerdict::Other => PlanReception::Over,
    }
}

#[cfg(test)]
#[path = "task_history_tests.rs"]
mod tests;
