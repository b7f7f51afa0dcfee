//! What the composer hands over: words and commands go to the session, slash commands are run here.

use super::{Act, App, DialogSubject, OwnDialog};
use crate::{
    composer::{ComposerStep, Submission},
    dialogs::confirm::{AS_REASON, ConfirmDialog, LATER},
    keys::KeyAction,
    slash,
};
use crossterm::event::KeyEvent;
use fore_agent::{Command, CommandSender, PromptTiming, Unsent};
use std::time::Instant;

/// What is said to a command without a session.
const NO_SESSION: &str = "There is no session: /clear begins a new one, /resume lists earlier ones.";
/// What is said of a prompt whose session did not begin.
pub(super) const NOT_SENT: &str = "What you had written was not sent; Up brings it back.";

impl App {
    /// A key for the composer: nobody else wants it.
    pub(super) fn composer_key(&mut self, key: KeyEvent, now: Instant) {
        let takes_back = self.keymap.action(&key) == Some(KeyAction::HistoryBack) && self.composer.rests();
        if takes_back && self.story.has_waiting() {
            return self.send(Command::TakeBack);
        }
        let typed = self.composer.key(key, &self.keymap);
        self.composed(typed, now);
    }

    pub(super) fn composed(&mut self, typed: ComposerStep, now: Instant) {
        match typed {
            ComposerStep::Nothing => {}
            ComposerStep::Changed => {
                self.dialogs.typed(now);
                self.hints.clear();
            }
            ComposerStep::Refused(why) => self.hints.say(why, now),
            ComposerStep::Submit(submission) => {
                self.dialogs.typed(now);
                self.hints.clear();
                if let Submission::Prompt { text, .. } = &submission
                    && self.dialogs.approval().is_some()
                    && self.astray(&submission).is_none()
                {
                    return self.ask_about_message(text.clone(), now);
                }
                if let Some(answer) = self.astray(&submission) {
                    self.composer.paste(&answer);
                    return self.hints.say("a question waits: tab goes to it", now);
                }
                self.submit(submission, now);
            }
            ComposerStep::Act(action) => self.action(action, now),
        }
    }

    /// What was meant as an answer to the question that waits, and is no prompt.
    fn astray(&self, submission: &Submission) -> Option<String> {
        let Submission::Prompt { text, .. } = submission else { return None };
        let is_answer = matches!(text.trim(), "y" | "n") || text.trim().parse::<u8>().is_ok_and(|digit| digit < 10);
        (self.dialogs.focus().is_some() && is_answer).then(|| text.clone())
    }

    /// A message was written while a plan waits: it may be why the plan is not good yet.
    fn ask_about_message(&mut self, text: String, now: Instant) {
        self.act(Act::Remember(Submission::Prompt { text: text.clone(), when: PromptTiming::Queue }.typed()));
        self.held_message = Some(text);
        self.dialogs.rested();
        self.ask(DialogSubject::Own(OwnDialog::Message), Box::new(ConfirmDialog::message()), now);
    }

    /// What becomes of that message.
    pub(super) fn place_message(&mut self, choice: &str, now: Instant) {
        let Some(text) = self.held_message.take() else { return };
        match choice {
            AS_REASON => {
                let Some(answer) = self.dialogs.approval().map(|approval| approval.keep_planning(&text)) else {
                    return self.send(Command::Prompt { text, when: PromptTiming::Queue });
                };
                if let Some(DialogSubject::Approval(_)) = self.dialogs.about() {
                    self.dialogs.answered();
                }
                self.send(answer);
            }
            LATER => self.send(Command::Prompt { text, when: PromptTiming::Queue }),
            _ => {
                let typed = self.composer.set(&text);
                self.composed(typed, now);
            }
        }
    }

    fn submit(&mut self, submission: Submission, now: Instant) {
        let typed = submission.typed();
        // What waited and was taken back is in the history since it was sent first.
        if !std::mem::take(&mut self.returned).contains(&typed) {
            self.act(Act::Remember(typed));
        }
        match submission {
            Submission::Prompt { text, when } => self.send(Command::Prompt { text, when }),
            Submission::Own { line } => self.send(Command::Typed { line }),
            Submission::Slash { name, words } => {
                self.dialogs.rested();
                slash::run(self, &name, &words, now);
            }
        }
    }

    pub(crate) fn send(&mut self, command: Command) {
        self.story.sent(&command);
        let is_prompt = matches!(command, Command::Prompt { .. } | Command::Custom { .. });
        match self.commands.as_ref().ok_or(Unsent::Over).and_then(|commands| commands.send_now(command)) {
            Ok(()) => {
                self.sent = self.sent.wrapping_add(1);
                self.has_unheard_prompt |= is_prompt && self.facts.started.is_none();
            }
            Err(Unsent::Busy) => self.problem("The session is busy; this was not sent."),
            Err(Unsent::Over) => self.problem(NO_SESSION),
        }
    }

    /// How many commands were sent so far.
    pub(crate) fn sent(&self) -> usize {
        self.sent
    }

    /// Whether a command is still on its way.
    pub(crate) fn is_sending(&self) -> bool {
        self.commands.as_ref().is_some_and(CommandSender::is_waiting)
    }
}
