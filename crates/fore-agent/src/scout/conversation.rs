//! Reads a session's history: what the person wants, what was looked at since, how the last plan was received.

use fore_model::{Arguments, Block, History, Message, Piece, Role, ToolResult};
use serde_json::Value;
use std::collections::BTreeMap;

/// How far back the history is read.
const MESSAGES_MAX: usize = 400;
/// How many messages and remarks of the person make up one task.
const WORDS_MAX: usize = 8;

/// What the history says about the work at hand.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// The task, then what the person said about earlier plans for it, oldest first.
    pub(super) words: Vec<String>,
    /// What was looked at since the person last spoke.
    pub(super) answered: Vec<Answered>,
    /// How many answers with calls were given since the person last spoke.
    pub(super) rounds: usize,
    /// How the plan that was just handed in was received; none while there is still something to do.
    pub(super) verdict: Option<Verdict>,
}

/// One call and what came of it.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) tool: String,
    pub(super) input: Value,
    /// None for a call that was refused, that failed or that was never answered.
    pub(super) text: Option<String>,
}

/// How a plan was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Not approved, with the person's words.
    Again(String),
    /// Not approved, and nobody said why.
    NoWords,
    /// The call itself was refused or failed.
    Refused,
    /// The work on this plan is over: approved, saved, discarded, left, or nobody there to approve it.
    Over,
}

impl Conversation {
    pub(super) fn read(history: &History) -> Conversation {
        let mut reader = Backwards::default();
        for index in (0..history.len()).rev().take(MESSAGES_MAX) {
            if history.look(index, |message| reader.take(message)) != Some(Walk::On) {
                break;
            }
        }
        reader.finish()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Walk {
    On,
    Enough,
}

/// The walk from the newest message to the one that began the task.
#[derive(Default)]
struct Backwards {
    conversation: Conversation,
    results: BTreeMap<String, (String, bool)>,
    /// The person has spoken after what is read now: calls before that are old.
    is_before: bool,
    /// A plan was handed in and not accepted between the prompt that is read next and the one read before.
    is_open: bool,
    prompts: usize,
}

impl Backwards {
    fn take(&mut self, message: &Message) -> Walk {
        match message.role {
            Role::Assistant => self.take_answer(message),
            Role::User => return self.take_user(message),
        }
        Walk::On
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
                    self.conversation.answered.push(Answered { tool: call.name.clone(), input: input.clone(), text });
                }
            }
        }
        self.conversation.rounds += usize::from(self.conversation.answered.len() > before);
    }

    fn take_user(&mut self, message: &Message) -> Walk {
        let words = human_words(message);
        let results = || {
            message.blocks.iter().filter_map(|block| match block {
                Block::ToolResult(result) => Some(result),
                Block::Text(_) | Block::Image(_) | Block::ToolUse(_) | Block::Reasoning(_) => None,
            })
        };
        // Words beside results were said in the middle of the work: they add to it and do not begin it again.
        if results().next().is_some() {
            self.conversation.words.extend(Some(words).filter(|words| !words.is_empty()));
            let is_enough = results().any(|result| self.take_result(result) == Walk::Enough);
            return if is_enough { Walk::Enough } else { Walk::On };
        }
        if words.is_empty() {
            return Walk::On;
        }
        if self.prompts > 0 && !self.is_open {
            return Walk::Enough;
        }
        self.prompts += 1;
        (self.is_before, self.is_open) = (true, false);
        self.conversation.words.push(words);
        Walk::On
    }

    fn take_result(&mut self, result: &ToolResult) -> Walk {
        let text = joined(result);
        if result.name != "ExitPlanMode" {
            if !self.is_before {
                self.results.insert(result.id.clone(), (text, result.is_error));
            }
            return Walk::On;
        }
        let verdict = verdict(&text, result.is_error);
        let is_newest = !self.is_before && self.conversation.rounds == 0 && self.conversation.words.is_empty();
        match &verdict {
            Verdict::Again(words) => self.conversation.words.push(words.clone()),
            Verdict::NoWords | Verdict::Refused => {}
            Verdict::Over if !self.conversation.words.is_empty() => return Walk::Enough,
            Verdict::Over => {}
        }
        if is_newest && !matches!(verdict, Verdict::Again(_)) {
            self.conversation.verdict = Some(verdict);
        }
        (self.is_before, self.is_open) = (true, true);
        Walk::On
    }

    fn finish(mut self) -> Conversation {
        let words = &mut self.conversation.words;
        words.reverse();
        // The first words are the task; of the remarks the newest count.
        if words.len() > WORDS_MAX {
            words.drain(1..=words.len() - WORDS_MAX);
        }
        self.conversation.answered.reverse();
        self.conversation
    }
}

/// What a person wrote in a message, without reminders.
fn human_words(message: &Message) -> String {
    let texts = message.blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.text.trim()),
        Block::Image(_) | Block::ToolUse(_) | Block::ToolResult(_) | Block::Reasoning(_) => None,
    });
    texts.filter(|text| !text.is_empty() && !text.starts_with("<system-reminder>")).collect::<Vec<_>>().join("\n")
}

fn joined(result: &ToolResult) -> String {
    let texts = result.content.iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(text.as_str()),
        Piece::Image(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Reads what `ExitPlanMode` answered; the words are those of `fore_plan::approval`.
fn verdict(text: &str, is_error: bool) -> Verdict {
    let is_rejected = text.starts_with("This plan was not approved");
    let said = ["## What was said about it", "## Comments on lines of the plan"];
    let begin = said.iter().filter_map(|heading| text.find(heading)).min();
    match begin.filter(|_| is_rejected).and_then(|at| text.get(at..)) {
        Some(words) => {
            let lines = words.lines().filter(|line| !said.contains(&line.trim()) && !line.starts_with('>'));
            Verdict::Again(lines.collect::<Vec<_>>().join("\n").trim().to_owned())
        }
        None if is_rejected || text.starts_with("No approval was given") => Verdict::NoWords,
        None if is_error => Verdict::Refused,
        None => Verdict::Over,
    }
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
