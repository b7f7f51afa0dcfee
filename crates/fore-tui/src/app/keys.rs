//! What keys do: first what holds everywhere, then the dialog that has the focus, then the composer.

use super::{Act, Activity, App, DialogSubject, EditFor, HostQuery, OwnDialog, hint::DoublePress, pages::StoryPages};
use crate::{
    dialogs::{
        Dialog, DialogStep, Focus,
        confirm::{ConfirmDialog, LEAVE},
        pager::Pager,
    },
    keys::{
        KeyAction,
        burst::{self, Burst},
    },
    options::DisplayMode,
    story::StoryBlock,
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use fore_agent::{Begin, Command, NoticeLevel};
use std::time::Instant;

impl App {
    /// A key was pressed.
    pub(crate) fn key(&mut self, key: KeyEvent, now: Instant) {
        if key.kind == KeyEventKind::Release {
            return;
        }
        self.touched(now);
        if self.pager.is_some() {
            return self.read(key, now);
        }
        let action = self.keymap.action(&key);
        match action {
            Some(KeyAction::Leave) => return self.leave_key(now),
            Some(KeyAction::ToggleDetails) => return self.open_story(),
            Some(KeyAction::Redraw) => return self.act(Act::Redraw),
            Some(KeyAction::Suspend) => return self.act(Act::Suspend),
            _ => {}
        }
        match (self.dialogs.focus(), action) {
            // Tab moves inside a dialog; the other key of this action leads out of it.
            (Some(Focus::Here), Some(KeyAction::FocusDialog)) if key.code != KeyCode::Tab => self.dialogs.turn(),
            (Some(Focus::Here), _) => self.dialog_key(key, action, now),
            (Some(Focus::Elsewhere | Focus::Soon) | None, _) => self.composer_key(key, now),
        }
    }

    /// Keys that came at once, each of them text or the only one; [`burst`] says what that means.
    pub(crate) fn keys(&mut self, keys: &[KeyEvent], now: Instant) {
        let is_asked = self.pager.is_none() && self.dialogs.focus() == Some(Focus::Here);
        match burst::judge(keys) {
            Burst::Paste => self.paste(&burst::text(keys), now),
            Burst::Line if is_asked => self.paste(&burst::text(keys), now),
            Burst::Typed | Burst::Line => keys.iter().for_each(|key| self.key(*key, now)),
        }
    }

    /// Text came in one piece. It chooses and sends nothing.
    pub(crate) fn paste(&mut self, text: &str, now: Instant) {
        self.touched(now);
        if self.pager.is_none() && self.dialogs.is_only_shown() {
            self.dialogs.turn();
        }
        if self.pager.is_some() || self.dialogs.paste(text) {
            return self.watch_plan(now);
        }
        self.dialogs.typed(now);
        let typed = self.composer.paste(text);
        self.composed(typed, now);
    }

    pub(super) fn action(&mut self, action: KeyAction, now: Instant) {
        match action {
            KeyAction::Interrupt => self.escape(now),
            KeyAction::CycleMode => self.send(Command::CycleMode),
            KeyAction::FocusDialog => self.dialogs.turn(),
            KeyAction::OpenEditor => {
                let text = self.composer.text();
                self.act(Act::Edit { name: "prompt".into(), text, purpose: EditFor::Composer });
            }
            KeyAction::EndOfInput => self.leave(now),
            _ => {}
        }
    }

    /// Esc: stops what runs. When nothing does, twice: empties the draft, or takes the last prompt back.
    fn escape(&mut self, now: Instant) {
        if self.composer.is_empty() && self.dialogs.approval().is_some() {
            // Stopping would take the plan back too.
            let is_own = self.story.has_own_command();
            let words =
                if is_own { "answer the plan (tab), then esc stops it" } else { "the plan waits: tab goes to it" };
            return self.hints.say(words, now);
        }
        if self.is_busy() && self.dialogs.approval().is_none() {
            self.hints.clear();
            return self.stop();
        }
        if !self.composer.is_empty() {
            if self.hints.twice(DoublePress::ClearDraft, "esc again to empty the message", now) {
                self.composer.clear();
            }
        } else if self.facts.activity == Activity::Idle
            && self.hints.twice(DoublePress::Rewind, "esc again to edit your last prompt", now)
        {
            self.send(Command::Rewind);
        }
    }

    /// Stops what runs. What waits behind it is not begun: it comes back into the composer.
    fn stop(&mut self) {
        self.send(Command::TakeBack);
        self.send(Command::Interrupt);
    }

    /// Ctrl+C: stops what runs; twice leaves.
    fn leave_key(&mut self, now: Instant) {
        let waits = self.dialogs.approval().is_some();
        let words = if waits { "ctrl+c again to leave; the plan waits for you" } else { "ctrl+c again to leave" };
        if self.hints.twice(DoublePress::Leave, words, now) {
            return self.act(Act::Leave);
        }
        // A plan that waits is not taken back by somebody who only wants to leave; Esc says so where that is meant.
        if self.is_busy() && !waits {
            self.stop();
        } else if !self.composer.is_empty() {
            self.composer.clear();
        }
    }

    fn dialog_key(&mut self, key: KeyEvent, action: Option<KeyAction>, now: Instant) {
        self.hints.clear();
        if self.dialogs.begins_message(&key) {
            self.dialogs.turn();
            self.composer_key(key, now);
            return self.hints.say("this is a message; tab turns to the plan", now);
        }
        let edits = action.filter(|action| *action == KeyAction::OpenEditor);
        let opened = edits.and_then(|_| self.dialogs.open_editor(now));
        let Some((about, step)) = opened.or_else(|| self.dialogs.key(key, now)) else { return };
        self.step(&about, step, now);
        self.watch_plan(now);
    }

    fn step(&mut self, about: &DialogSubject, step: DialogStep, now: Instant) {
        match step {
            DialogStep::Stay => {}
            DialogStep::Send(command) => {
                self.dialogs.answered();
                match command {
                    Command::Interrupt => self.stop(),
                    command => self.send(command),
                }
            }
            DialogStep::SendAlways { answer, commands } => {
                self.dialogs.answered();
                self.send(answer);
                for command in commands {
                    self.act(Act::AllowAlways(command));
                }
            }
            DialogStep::Edit { name, text } => self.act(Act::Edit { name, text, purpose: EditFor::Dialog }),
            DialogStep::Review => self.review_in_browser(),
            DialogStep::AskServer(address) => self.act(Act::Fetch(HostQuery::Server(address))),
            DialogStep::Read(document) => self.pager = Some(Pager::document(document)),
            DialogStep::Written(text) => {
                self.dialogs.turn();
                let typed = self.composer.paste(&text);
                self.composed(typed, now);
            }
            DialogStep::Close => {
                if let Some(asked) = self.dialogs.take() {
                    self.closed(asked);
                }
            }
            DialogStep::Picked(value) => {
                self.dialogs.take();
                if let DialogSubject::Own(purpose) = about {
                    self.picked(*purpose, value, now);
                }
            }
        }
    }

    fn picked(&mut self, purpose: OwnDialog, value: String, now: Instant) {
        match purpose {
            OwnDialog::Resume => match value.parse() {
                Ok(session) => {
                    let mode = self.resume_in.take();
                    self.begin_session(Begin::Resume { session, mode }, now);
                }
                Err(_) => self.problem(format!("`{value}` is not a session")),
            },
            OwnDialog::Model => self.send(Command::Model { name: value, duty: None }),
            OwnDialog::Mode => match value.parse() {
                Ok(to) => self.send(Command::Mode { to }),
                Err(error) => self.problem(error.to_string()),
            },
            OwnDialog::Trust => {
                if value == crate::dialogs::confirm::TRUST {
                    self.trust();
                }
            }
            OwnDialog::FirstRun => {}
            OwnDialog::Leave => {
                if value == LEAVE {
                    self.act(Act::Leave);
                }
            }
            OwnDialog::Message => self.place_message(&value, now),
            OwnDialog::Vouch => {
                if value == crate::dialogs::confirm::TRUST {
                    crate::slash::mcp::vouched(self);
                }
            }
            OwnDialog::Switch => {
                if let Some(begin) = self.next.take().filter(|_| value == LEAVE) {
                    self.act(Act::Begin(begin));
                }
            }
        }
    }

    /// Another session instead of this one. What works in this one would stop, so the person is asked.
    pub(crate) fn begin_session(&mut self, begin: Begin, now: Instant) {
        if !self.is_busy() || self.display == DisplayMode::Plain {
            return self.act(Act::Begin(begin));
        }
        self.next = Some(begin);
        self.ask(DialogSubject::Own(OwnDialog::Switch), Box::new(ConfirmDialog::switch(&self.running())), now);
    }

    /// A new session where there is none.
    pub(crate) fn begin_fresh(&mut self) {
        self.act(Act::Begin(Begin::Fresh { mode: self.fresh_in }));
    }

    /// `/quit`. What works would stop, so the person is asked.
    pub(crate) fn leave(&mut self, now: Instant) {
        if !self.is_busy() || self.display == DisplayMode::Plain {
            return self.act(Act::Leave);
        }
        let dialog =
            if self.only_a_plan_waits() { ConfirmDialog::leave_plan() } else { ConfirmDialog::leave(&self.running()) };
        self.ask(DialogSubject::Own(OwnDialog::Leave), Box::new(dialog), now);
    }

    /// Nothing runs but the turn that waits for an answer about its plan.
    fn only_a_plan_waits(&self) -> bool {
        self.story.has_plan_waiting() && self.facts.agents.is_empty() && !self.story.has_own_command()
    }

    /// What would be stopped, in words.
    fn running(&self) -> String {
        match self.facts.agents.len() {
            0 if self.story.is_summarising() => "The conversation is being summarised.".to_owned(),
            0 if self.facts.activity != Activity::Working => "A command of yours is running.".to_owned(),
            0 => "The agent is at work.".to_owned(),
            1 => "The agent is at work, and so is a subagent.".to_owned(),
            agents => format!("The agent is at work, and so are {agents} subagents."),
        }
    }

    pub(crate) fn trust(&mut self) {
        if let Some(started) = &mut self.facts.started {
            started.trusted = true;
        }
        self.act(Act::Trust(true));
        self.send(Command::Trust { trusted: true });
    }

    /// A dialog of the terminal's own was closed without a row chosen.
    fn closed(&mut self, mut asked: super::dialog_queue::OpenDialog) {
        if asked.about == DialogSubject::Own(OwnDialog::Resume) && self.is_picking {
            // `fore --resume` without a choice: there is nothing to show.
            return self.act(Act::Leave);
        }
        self.is_meeting &= asked.about != DialogSubject::Own(OwnDialog::FirstRun);
        let Some(first_run) = asked.dialog.first_run() else { return };
        self.act(Act::Welcomed);
        if let (Some(address), Some(model)) = (first_run.server, first_run.model.clone()) {
            // The first prompt waits until the session that uses it begins.
            self.is_meeting = true;
            self.act(Act::UseServer { address, model });
        } else if let Some(name) = first_run.model {
            self.act(Act::ChooseModel(name.clone()));
            if self.facts.activity == Activity::Over {
                // It could not begin without a model.
                self.begin_fresh();
            }
            let is_used = self.facts.answering().is_some_and(|used| used == name || used == format!("{name}/{name}"));
            if !is_used {
                self.send(Command::Model { name, duty: None });
            }
        }
        if first_run.trust == Some(true) {
            self.trust();
        }
    }

    pub(crate) fn problem(&mut self, text: impl Into<String>) {
        self.note(StoryBlock::Notice { level: NoticeLevel::Error, text: text.into() });
    }

    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.note(StoryBlock::Notice { level: NoticeLevel::Info, text: text.into() });
    }

    /// Ctrl+O: everything so far on the whole screen, where calls can be opened.
    fn open_story(&mut self) {
        let pages = StoryPages::new(self.story.shared());
        self.pager = Some(Pager::new("Everything so far", Box::new(pages)).at_the_end());
    }

    fn read(&mut self, key: KeyEvent, now: Instant) {
        self.dialogs.typed(now);
        if self.keymap.action(&key) == Some(KeyAction::Leave) {
            self.pager = None;
            return self.hints.clear();
        }
        let is_closed = self.pager.as_mut().is_none_or(|pager| pager.key(key) == DialogStep::Close);
        if is_closed || self.keymap.action(&key) == Some(KeyAction::ToggleDetails) {
            self.pager = None;
        }
    }
}
