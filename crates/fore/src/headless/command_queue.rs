//! What was said to a session and what it still waits for: a fold over commands and events. It sends nothing itself.
//!
//! Where nobody can answer any more, what waits is taken back, which never approves anything.

use super::listen::HostLine;
use fore_agent::{Command, CommandLine, Event, NoticeLevel, PromptTiming};
use std::collections::VecDeque;

/// Prompts that wait at once; one more is refused.
const MAX_PROMPTS: usize = 50;

/// What a run says to its session.
#[derive(Debug)]
pub(crate) struct RunScript {
    /// The prompts to begin with.
    pub(crate) prompts: Vec<String>,
    pub(crate) host: HostInput,
    pub(crate) beginning: Beginning,
}

/// Whether somebody goes on talking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostInput {
    Lines,
    Nobody,
}

/// Who speaks first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    WithAPrompt,
    /// The session works without being asked: an approved plan is its task.
    ByItself,
}

/// Whether more may come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputState {
    Open,
    Over,
}

#[derive(Debug, Default)]
pub(crate) struct CommandQueue {
    /// Commands on their way to the session.
    pub(crate) pending: VecDeque<Command>,
    /// Prompts that have not been taken yet.
    due: usize,
    /// A turn that will begin by itself.
    owes_turn: bool,
    is_running: bool,
    is_closing: bool,
    /// Somebody could answer, and has not left.
    is_attended: bool,
}

impl CommandQueue {
    pub(crate) fn new(script: RunScript) -> CommandQueue {
        let owes_turn = script.beginning == Beginning::ByItself;
        let mut queue =
            CommandQueue { owes_turn, is_attended: script.host == HostInput::Lines, ..CommandQueue::default() };
        // Words beside a plan belong to its turn.
        let when = if owes_turn { PromptTiming::Steer } else { PromptTiming::Queue };
        for text in script.prompts {
            // What names no command is a prompt; words beside a plan are always that.
            queue.say(match (text.starts_with('/'), when) {
                (true, PromptTiming::Queue) => Command::Custom { line: text, or_words: true },
                (true, PromptTiming::Steer) | (false, _) => Command::Prompt { text, when },
            });
        }
        queue
    }

    fn say(&mut self, command: Command) {
        // A session takes no empty prompt, so none is waited for.
        let is_prompt = matches!(
            &command,
            Command::Prompt { text, .. } | Command::Custom { line: text, .. } if !text.trim().is_empty()
        );
        self.due += usize::from(is_prompt);
        self.is_closing |= command == Command::Close;
        self.is_attended &= command != Command::Detach;
        self.pending.push_back(command);
    }

    /// A line of the host. One that is not understood changes nothing and gives the event that says so.
    pub(crate) fn line(&mut self, line: HostLine) -> Option<Event> {
        let trouble = match line {
            HostLine::Unreadable(why) => why,
            HostLine::Text(text) => match CommandLine::read(&text) {
                Ok(Command::Prompt { .. } | Command::Custom { .. }) if self.due >= MAX_PROMPTS => {
                    format!("{MAX_PROMPTS} prompts are queued already; this one was not taken")
                }
                Ok(command) => {
                    self.say(command);
                    return None;
                }
                Err(why) => why,
            },
        };
        Some(Event::Notice { level: NoticeLevel::Error, text: format!("input: {trouble}") })
    }

    pub(crate) fn heard(&mut self, event: &Event) {
        match event {
            // Its turn follows at once, or is the one that runs.
            Event::PromptTaken { .. } => (self.due, self.is_running) = (self.due.saturating_sub(1), true),
            Event::TurnStarted => (self.is_running, self.owes_turn) = (true, false),
            Event::TurnEnded { .. } => self.is_running = false,
            _ => {}
        }
    }

    /// Once nobody talks any more: says so to the session, which then takes back what waits, and closes it when nothing runs.
    pub(crate) fn settle(&mut self, input: InputState) {
        if input == InputState::Open || self.is_closing || !self.pending.is_empty() {
            return;
        }
        if !self.is_running && !self.owes_turn && self.due == 0 {
            self.say(Command::Close);
        } else if self.is_attended {
            self.say(Command::Detach);
        }
    }

    /// Ends everything now, in good order.
    pub(crate) fn stop(&mut self) {
        self.pending.clear();
        self.say(Command::Interrupt);
        self.say(Command::Close);
    }
}

#[cfg(test)]
#[path = "command_queue_tests.rs"]
mod tests;
