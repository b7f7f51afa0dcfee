//! What was said to a session and what it still waits for: a fold over commands and events. It sends nothing itself.
//!
//! Where nobody can answer any more, what waits is taken back, which never approves anything.

use super::listen::HostLine;
use fore_agent::{
    Command, Event,
    command::{CommandLine, When},
    event::NoticeLevel,
};
use std::collections::VecDeque;

/// Prompts that wait at once; one more is refused.
const MOST_PROMPTS: usize = 50;

/// What a run says to its session.
#[derive(Debug)]
pub(crate) struct Script {
    /// The prompts to begin with.
    pub(crate) prompts: Vec<String>,
    pub(crate) host: Host,
    pub(crate) beginning: Beginning,
}

/// Whether somebody goes on talking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Host {
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
pub(crate) enum Input {
    Open,
    Over,
}

#[derive(Debug, Default)]
pub(crate) struct Talk {
    /// Commands on their way to the session.
    pub(crate) queue: VecDeque<Command>,
    /// Prompts that have not been taken yet.
    due: usize,
    /// A turn that will begin by itself.
    owes_turn: bool,
    is_running: bool,
    is_closing: bool,
    /// Somebody could answer, and has not left.
    is_attended: bool,
}

impl Talk {
    pub(crate) fn new(script: Script) -> Talk {
        let owes_turn = script.beginning == Beginning::ByItself;
        let mut talk = Talk { owes_turn, is_attended: script.host == Host::Lines, ..Talk::default() };
        // Words beside a plan belong to its turn.
        let when = if owes_turn { When::Steer } else { When::Queue };
        for text in script.prompts {
            talk.say(Command::Prompt { text, when });
        }
        talk
    }

    fn say(&mut self, command: Command) {
        // A session takes no empty prompt, so none is waited for.
        let is_prompt = matches!(&command, Command::Prompt { text, .. } if !text.trim().is_empty());
        self.due += usize::from(is_prompt);
        self.is_closing |= command == Command::Close;
        self.is_attended &= command != Command::Detach;
        self.queue.push_back(command);
    }

    /// A line of the host. One that is not understood changes nothing and gives the event that says so.
    pub(crate) fn line(&mut self, line: HostLine) -> Option<Event> {
        let trouble = match line {
            HostLine::Unreadable(why) => why,
            HostLine::Text(text) => match CommandLine::read(&text) {
                Ok(Command::Prompt { .. }) if self.due >= MOST_PROMPTS => {
                    format!("{MOST_PROMPTS} prompts wait already; this one was not taken")
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
    pub(crate) fn settle(&mut self, input: Input) {
        if input == Input::Open || self.is_closing || !self.queue.is_empty() {
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
        self.queue.clear();
        self.say(Command::Interrupt);
        self.say(Command::Close);
    }
}

#[cfg(test)]
#[path = "talk_tests.rs"]
mod tests;
