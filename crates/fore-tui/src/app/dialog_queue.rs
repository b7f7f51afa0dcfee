//! The dialogs that wait, and who has the keys. A dialog never takes keys that were meant for the composer.

use crate::{
    dialogs::{Dialog, DialogStep, Focus, approval::ApprovalDialog},
    view::{Space, View},
};
use crossterm::event::{KeyCode, KeyEvent};
use fore_agent::QuestionId;
use std::{
    collections::VecDeque,
    fmt,
    time::{Duration, Instant},
};

/// Whoever has typed within this time may be typing still: a dialog that comes up then does not take the keys.
pub(crate) const STILL_TYPING: Duration = Duration::from_millis(1_500);

/// So long a question is on the screen before it takes the keys: whoever begins to type just then did not mean it.
pub(super) const SETTLES: Duration = Duration::from_millis(700);

/// Whoever has answered a question within this time goes on with the next one.
const STILL_ANSWERING: Duration = Duration::from_secs(3);

/// With fewer rows a dialog cannot show what it asks about, and so Enter answers nothing in it.
const MIN_ROWS: u16 = 6;

/// The dialogs, the first of which is shown.
#[derive(Debug, Default)]
pub(crate) struct DialogQueue {
    waiting: VecDeque<OpenDialog>,
    /// Answered, but the session has not said yet that it counts.
    sent: Option<OpenDialog>,
    has_keys: bool,
    /// The person has turned to the one that is shown: went to it, or moved in it.
    is_turned_to: bool,
    /// The one that is shown was drawn, large enough to be read. What nobody could see, nobody chooses.
    is_seen: bool,
    last_typed: Option<Instant>,
    last_answered: Option<Instant>,
    /// When the one that is shown takes the keys, if nobody types before.
    takes_keys_at: Option<Instant>,
}

/// One dialog with what it is about.
pub(crate) struct OpenDialog {
    pub about: DialogSubject,
    pub dialog: Box<dyn Dialog>,
}

/// What a dialog is about, so that it can be closed when that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DialogSubject {
    /// A question of the session.
    Question(QuestionId),
    /// The request for approval with this id.
    Approval(String),
    /// Something of the terminal's own; the value says what becomes of the answer.
    Own(OwnDialog),
}

/// What a dialog of the terminal's own is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnDialog {
    Resume,
    Model,
    Mode,
    Trust,
    FirstRun,
    /// Leaving while something runs.
    Leave,
    /// Ending a session in which something runs, for another one.
    Switch,
    /// A message was written while a plan waits.
    Message,
    /// A tool of an MCP server, or how one is started.
    Vouch,
}

impl fmt::Debug for OpenDialog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OpenDialog").field(&self.about).finish()
    }
}

impl DialogQueue {
    /// A new question. It gets the keys only if nobody is writing or reading something else (`is_free`), and was not
    /// just now; and unless the person asked for it or is answering already, only after a while on the screen.
    pub(crate) fn ask(&mut self, about: DialogSubject, dialog: Box<dyn Dialog>, is_free: bool, now: Instant) {
        let is_own = matches!(about, DialogSubject::Own(_));
        if is_own {
            // Asked for twice: one is enough.
            self.close(&about);
        }
        let asked = OpenDialog { about, dialog };
        let is_shown = match is_own && !self.has_keys {
            // What the person asked for stands before questions that they have not turned to.
            true => {
                self.waiting.push_front(asked);
                true
            }
            false => {
                self.waiting.push_back(asked);
                self.waiting.len() == 1
            }
        };
        if is_shown {
            self.is_turned_to = is_own;
            let is_within = |at: Option<Instant>, time| at.is_some_and(|at| now.saturating_duration_since(at) < time);
            let is_quiet = is_free && !is_within(self.last_typed, STILL_TYPING);
            let is_awaited = is_own || is_within(self.last_answered, STILL_ANSWERING);
            self.has_keys = is_quiet && is_awaited;
            self.takes_keys_at = (is_quiet && !is_awaited).then(|| now + SETTLES);
            self.is_seen = false;
        }
    }

    /// Time has passed: a question that nobody typed over takes the keys. True when it does.
    pub(crate) fn tick(&mut self, now: Instant) -> bool {
        let is_due = self.takes_keys_at.is_some_and(|at| now >= at);
        if is_due {
            self.takes_keys_at = None;
            self.has_keys = !self.waiting.is_empty();
        }
        is_due
    }

    /// Whether a question is about to take the keys.
    pub(crate) fn is_settling(&self) -> bool {
        self.takes_keys_at.is_some()
    }

    /// A key was pressed that was not meant for a dialog which might come up now.
    pub(crate) fn typed(&mut self, now: Instant) {
        (self.last_typed, self.last_answered, self.takes_keys_at) = (Some(now), None, None);
    }

    /// The person has finished what they were writing and waits for what comes of it.
    pub(crate) fn rested(&mut self) {
        self.last_typed = None;
    }

    pub(crate) fn focus(&self) -> Option<Focus> {
        let focus = match self.has_keys {
            true => Focus::Here,
            false if self.is_settling() => Focus::Soon,
            false => Focus::Elsewhere,
        };
        self.waiting.front().map(|_| focus)
    }

    /// Whether the dialog was drawn too small to be answered.
    pub(crate) fn needs_room(&self) -> bool {
        self.focus() == Some(Focus::Here) && !self.is_seen
    }

    /// Whether a key begins a message rather than a command of the plan that is shown: it took the keys by itself, and
    /// nobody has turned to it yet. Digits only mark, and `?` lists the keys.
    pub(crate) fn begins_message(&self, key: &KeyEvent) -> bool {
        let is_word = match key.code {
            KeyCode::Char(letter) => !letter.is_ascii_digit() && letter != '?' && crate::dialogs::is_plain(key),
            _ => false,
        };
        is_word && self.is_only_shown()
    }

    /// A plan has the keys by itself, and nobody has turned to it: words are a message.
    pub(crate) fn is_only_shown(&self) -> bool {
        let is_plan = matches!(self.about(), Some(DialogSubject::Approval(_)));
        is_plan && self.has_keys && !self.is_turned_to
    }

    /// Gives the keys to the dialog, or back to the composer.
    pub(crate) fn turn(&mut self) {
        self.takes_keys_at = None;
        self.is_turned_to = !self.has_keys;
        self.has_keys = !self.has_keys && !self.waiting.is_empty();
        if let Some(asked) = self.waiting.front_mut().filter(|_| !self.has_keys) {
            asked.dialog.left();
        }
    }

    pub(crate) fn about(&self) -> Option<&DialogSubject> {
        self.waiting.front().map(|asked| &asked.about)
    }

    /// How many more wait behind the one that is shown.
    pub(crate) fn behind(&self) -> usize {
        self.waiting.len().saturating_sub(1)
    }

    /// A key for the dialog that is shown; nothing reaches it without the focus.
    pub(crate) fn key(&mut self, key: KeyEvent, now: Instant) -> Option<(DialogSubject, DialogStep)> {
        if key.code == KeyCode::Enter && !self.is_seen {
            return None;
        }
        let asked = self.waiting.front_mut().filter(|_| self.has_keys)?;
        // Should it close now, by itself, the next key is still meant for it.
        self.last_typed = Some(now);
        self.is_turned_to = true;
        let step = asked.dialog.key(key);
        Some((asked.about.clone(), step))
    }

    /// The person's editor on what the dialog is about, where it can be edited.
    pub(crate) fn open_editor(&mut self, now: Instant) -> Option<(DialogSubject, DialogStep)> {
        let asked = self.waiting.front_mut().filter(|_| self.has_keys)?;
        let step = asked.dialog.open_editor()?;
        self.last_typed = Some(now);
        Some((asked.about.clone(), step))
    }

    pub(crate) fn paste(&mut self, text: &str) -> bool {
        match self.waiting.front_mut().filter(|_| self.has_keys) {
            Some(asked) => {
                asked.dialog.paste(text);
                true
            }
            None => false,
        }
    }

    pub(crate) fn served(&mut self, address: &str, models: Result<Vec<crate::host::ModelRow>, String>) {
        if let Some(asked) = self.waiting.front_mut() {
            asked.dialog.served(address, models);
        }
    }

    pub(crate) fn edited(&mut self, text: Result<String, String>) {
        if let Some(asked) = self.waiting.front_mut() {
            asked.dialog.edited(text);
        }
    }

    pub(crate) fn view(&mut self, space: Space) -> Option<View> {
        let focus = self.focus()?;
        self.is_seen = space.height >= MIN_ROWS;
        let is_only_shown = self.is_only_shown();
        if let Some(approval) = self.approval() {
            approval.set_turned_to(!is_only_shown);
        }
        if space.height == 0 {
            return None;
        }
        self.waiting.front_mut().map(|asked| asked.dialog.view(space, focus))
    }

    /// The dialog that is shown has been answered; an approval is kept until the session says that it counts.
    pub(crate) fn answered(&mut self) {
        let Some(asked) = self.take() else { return };
        if matches!(asked.about, DialogSubject::Approval(_)) {
            self.sent = Some(asked);
        }
    }

    /// The dialog that is shown, taken away by the person: whoever answers one question goes on with the next one, but
    /// not from a dialog that was put before it.
    pub(crate) fn take(&mut self) -> Option<OpenDialog> {
        let asked = self.waiting.pop_front()?;
        let is_own = matches!(asked.about, DialogSubject::Own(_));
        self.is_seen = false;
        self.is_turned_to = false;
        self.has_keys &= !self.waiting.is_empty() && !is_own;
        self.takes_keys_at = None;
        // The key that took it away was the last one.
        self.last_answered = self.last_typed.take().filter(|_| !is_own);
        Some(asked)
    }

    /// An answer did not count: the dialog is back, with everything that was written in it.
    pub(crate) fn bring_back(&mut self) {
        if let Some(mut asked) = self.sent.take() {
            asked.dialog.left();
            self.waiting.push_front(asked);
            self.drop_focus();
        }
    }

    /// The question is over, however.
    pub(crate) fn close(&mut self, about: &DialogSubject) {
        let was_first = self.about() == Some(about);
        self.waiting.retain(|asked| asked.about != *about);
        if was_first {
            self.drop_focus();
        }
    }

    /// Another one is shown now, or none.
    fn drop_focus(&mut self) {
        (self.has_keys, self.is_seen, self.takes_keys_at) = (false, false, None);
        self.is_turned_to = false;
    }

    /// The approval that is shown or was just answered, to be asked again with all that was written in it.
    pub(crate) fn take_approval(&mut self) -> Option<Box<dyn Dialog>> {
        let is_approval = |asked: &OpenDialog| matches!(asked.about, DialogSubject::Approval(_));
        let index = self.waiting.iter().position(is_approval);
        // What stood behind it is not what the person was looking at.
        if index == Some(0) {
            self.drop_focus();
        }
        let waiting = index.and_then(|index| self.waiting.remove(index));
        self.sent.take().or(waiting).map(|asked| asked.dialog)
    }

    /// The approval that is asked for, or was just answered.
    pub(crate) fn approval(&mut self) -> Option<&mut ApprovalDialog> {
        let mut all = self.waiting.iter_mut().chain(&mut self.sent);
        all.find(|asked| matches!(asked.about, DialogSubject::Approval(_)))?.dialog.approval()
    }

    pub(crate) fn close_approvals(&mut self) {
        self.sent = None;
        let was_first = matches!(self.about(), Some(DialogSubject::Approval(_)));
        self.waiting.retain(|asked| !matches!(asked.about, DialogSubject::Approval(_)));
        if was_first {
            self.drop_focus();
        }
    }

    /// The session is over, and so is all that it asked. The first meeting and the choice of a session go on.
    pub(crate) fn close_all(&mut self) {
        let goes_on =
            |about: &DialogSubject| matches!(about, DialogSubject::Own(OwnDialog::FirstRun | OwnDialog::Resume));
        if !self.about().is_some_and(goes_on) {
            self.drop_focus();
        }
        self.waiting.retain(|asked| goes_on(&asked.about));
        self.sent = None;
    }
}
