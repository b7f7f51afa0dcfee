//! Prompts that wait: behind the running turn, or for its next step. Bounded; nothing is dropped silently.

use super::pictures::readable;
use crate::command::{Command, PromptTiming};
use crate::session::history::shown_message::CallRecord;
use fore_model::Image;
use std::collections::VecDeque;

/// Prompts that wait at most.
const MAX_WAITING: usize = 50;
/// The longest prompt.
const MAX_PROMPT_BYTES: usize = 1 << 20;

#[derive(Debug, Default)]
pub(crate) struct Prompts {
    queued: VecDeque<QueuedPrompt>,
    steering: VecDeque<String>,
    /// Commands that have to wait for the end of the turn.
    later: VecDeque<Command>,
    /// What the model is told besides the person's words, such as the output of their own commands.
    pub(crate) remarks: VecDeque<TypedReport>,
    /// Reminders for the next prompt that follow from no state, such as the end of a granted level.
    pub(crate) reminders: VecDeque<String>,
    /// For the next prompt.
    pub(crate) pictures: Vec<Image>,
    pub(crate) is_closing: bool,
}

/// What the person said, until its turn comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum QueuedPrompt {
    Words(String),
    /// A custom command, or what may be one.
    Command {
        line: String,
        or_words: bool,
    },
}

/// A command of the person's own that has ended.
#[derive(Clone, Debug)]
pub(crate) struct TypedReport {
    /// What the model is told.
    pub(crate) text: String,
    /// What the person saw.
    pub(crate) shown: CallRecord,
}

impl Prompts {
    /// Whether these words can be a prompt; the error says why not.
    pub(crate) fn check(text: &str) -> Result<(), &'static str> {
        match text {
            text if text.trim().is_empty() => Err("An empty prompt says nothing."),
            text if text.len() > MAX_PROMPT_BYTES => {
                Err("This prompt is too long; put the text into a file and name it.")
            }
            _ => Ok(()),
        }
    }

    /// Takes a prompt; the error says that too many wait. `Ok` is how many wait now.
    pub(crate) fn push(&mut self, text: String, when: PromptTiming) -> Result<usize, &'static str> {
        Prompts::check(&text)?;
        self.require_room()?;
        match when {
            PromptTiming::Queue => self.queued.push_back(QueuedPrompt::Words(text)),
            PromptTiming::Steer => self.steering.push_back(text),
        }
        Ok(self.queued.len() + self.steering.len())
    }

    /// Keeps a picture for the next prompt; the error says why it cannot be sent.
    pub(crate) fn attach(&mut self, picture: Image) -> Result<(), &'static str> {
        self.pictures.push(readable(picture, &self.pictures)?);
        Ok(())
    }

    /// Takes a custom command, which always waits for the end of the turn.
    pub(crate) fn push_command(&mut self, line: String, or_words: bool) -> Result<usize, &'static str> {
        Prompts::check(&line)?;
        self.require_room()?;
        self.queued.push_back(QueuedPrompt::Command { line, or_words });
        Ok(self.queued.len() + self.steering.len())
    }

    fn require_room(&self) -> Result<(), &'static str> {
        if self.queued.len() + self.steering.len() >= MAX_WAITING {
            return Err("too many prompts are queued already; this one was not taken");
        }
        Ok(())
    }

    /// Words for the running turn.
    pub(crate) fn take_steering(&mut self) -> Option<String> {
        self.steering.pop_front()
    }

    /// The prompt for the next turn: also what came too late to steer the last one.
    pub(crate) fn take_next(&mut self) -> Option<QueuedPrompt> {
        self.steering.pop_front().map(QueuedPrompt::Words).or_else(|| self.queued.pop_front())
    }

    /// Whether the person has said something that was not heard yet.
    pub(crate) fn has_waiting(&self) -> bool {
        !(self.queued.is_empty() && self.steering.is_empty() && self.later.is_empty())
    }

    /// All that wait, in the order they would be heard.
    pub(crate) fn take_back(&mut self) -> Vec<String> {
        let line = |waiting: QueuedPrompt| match waiting {
            QueuedPrompt::Words(text) | QueuedPrompt::Command { line: text, .. } => text,
        };
        // They belonged to one of these.
        self.pictures.clear();
        self.steering.drain(..).chain(self.queued.drain(..).map(line)).collect()
    }

    pub(crate) fn postpone(&mut self, command: Command) -> Result<(), &'static str> {
        if self.later.len() >= MAX_WAITING {
            return Err("too many commands are queued already; this one was not taken");
        }
        self.later.push_back(command);
        Ok(())
    }

    pub(crate) fn take_later(&mut self) -> Option<Command> {
        self.later.pop_front()
    }

    /// A reminder for the next prompt; what is told once is not told twice.
    pub(crate) fn remind(&mut self, text: String) {
        if self.reminders.len() < MAX_WAITING && !self.reminders.contains(&text) {
            self.reminders.push_back(text);
        }
    }

    /// For the model, as soon as nobody is talking to it.
    pub(crate) fn remark(&mut self, remark: TypedReport) {
        if self.remarks.len() < MAX_WAITING {
            self.remarks.push_back(remark);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_came_too_late_to_steer_are_the_next_prompt() {
        let mut prompts = Prompts::default();
        prompts.push("later".into(), PromptTiming::Queue).unwrap();
        prompts.push("now".into(), PromptTiming::Steer).unwrap();
        assert_eq!(prompts.take_steering().as_deref(), Some("now"));
        assert_eq!(prompts.take_steering(), None);
        prompts.push("too late".into(), PromptTiming::Steer).unwrap();
        let words = |text: &str| Some(QueuedPrompt::Words(text.to_owned()));
        prompts.push_command("/review now".into(), false).unwrap();
        assert_eq!(prompts.take_next(), words("too late"));
        assert_eq!(prompts.take_next(), words("later"));
        let command = QueuedPrompt::Command { line: "/review now".into(), or_words: false };
        assert_eq!(prompts.take_next(), Some(command), "a command keeps its place in the queue");
        assert_eq!(prompts.take_next(), None);
    }

    #[test]
    fn what_waits_is_taken_back_in_the_order_it_would_be_heard() {
        let mut prompts = Prompts::default();
        for (text, when) in [("one", PromptTiming::Queue), ("now", PromptTiming::Steer), ("two", PromptTiming::Queue)] {
            prompts.push(text.into(), when).unwrap();
        }
        assert_eq!(prompts.take_back(), ["now", "one", "two"]);
        assert_eq!((prompts.take_next(), prompts.take_back()), (None, Vec::new()));
    }

    #[test]
    fn too_many_prompts_are_refused_and_not_forgotten() {
        let mut prompts = Prompts::default();
        for number in 0..MAX_WAITING {
            assert_eq!(prompts.push("x".into(), PromptTiming::Queue), Ok(number + 1));
        }
        assert!(prompts.push("y".into(), PromptTiming::Steer).is_err());
    }

    #[test]
    fn neither_nothing_nor_too_much_is_a_prompt() {
        let mut prompts = Prompts::default();
        assert!(prompts.push(" \n".into(), PromptTiming::Steer).is_err());
        assert!(prompts.push("x".repeat(MAX_PROMPT_BYTES + 1), PromptTiming::Queue).is_err());
        assert_eq!(prompts.push("x".repeat(MAX_PROMPT_BYTES), PromptTiming::Queue), Ok(1));
    }
}
