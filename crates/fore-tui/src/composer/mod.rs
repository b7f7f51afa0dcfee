//! Where the person writes: several lines, history, completion. It sends nothing itself.

mod chips;
mod clean;
mod complete;
mod draft;
mod draw;
mod edit;
mod files;
mod popup;
mod recall;
mod search;
mod submit;
#[cfg(test)]
mod tests;

pub use files::FileSource;
pub use submit::Submission;

use crate::keys::{Action, Keymap, SYSTEM};
use complete::{Popup, Word};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use draft::Draft;
use edit::{Edit, edit};
use fore_agent::command::When;
use recall::{Recall, Step};
use search::{After, Search};
use tui_textarea::{CursorMove, TextArea};

/// The text being written and all that helps to write it.
#[derive(Debug)]
pub struct Composer {
    draft: Draft,
    recall: Recall,
    files: FileSource,
    popup: Option<Popup>,
    /// The popup was closed by hand: it stays closed for this word.
    quiet: bool,
    search: Option<Search>,
}

/// What a key led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// Not a key of the composer, or one that had nothing to do.
    Nothing,
    /// Draw again.
    Changed,
    /// The person sends this; the composer is empty again.
    Submit(Submission),
    /// A key with a meaning beyond the composer.
    Act(Action),
    /// Too much: why, in words to show. The text is what it was.
    Refused(String),
}

/// Whether keys come here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    Focused,
    /// A dialog has the keys.
    Unfocused,
}

impl Composer {
    /// An empty composer. Earlier prompts come oldest first.
    pub fn new(history: Vec<String>, files: FileSource) -> Composer {
        Composer { draft: Draft::new(), recall: Recall::new(history), files, popup: None, quiet: false, search: None }
    }

    /// A key, while the composer has the focus.
    pub fn key(&mut self, key: KeyEvent, keymap: &Keymap) -> Typed {
        if key.kind == KeyEventKind::Release || key.modifiers.intersects(SYSTEM) {
            return Typed::Nothing;
        }
        let action = keymap.action(&key);
        if self.search.is_some() {
            return self.search_key(&key, usual(&key, action));
        }
        if let Some(typed) = self.popup_key(usual(&key, action)) {
            return typed;
        }
        match action {
            Some(Action::Submit) if self.draft.before_cursor().ends_with('\\') => self.continued_line(),
            Some(Action::Submit) => self.submit(When::Queue),
            Some(Action::SteerNow) => self.submit(When::Steer),
            Some(Action::NewLine) => {
                let done = self.draft.insert("\n");
                self.changed(done)
            }
            Some(Action::HistoryBack) => self.walk(&key, CursorMove::Up, Recall::older),
            Some(Action::HistoryForward) => self.walk(&key, CursorMove::Down, Recall::newer),
            Some(Action::HistorySearch) => {
                self.popup = None;
                self.search = Some(Search::new(&self.draft));
                Typed::Changed
            }
            Some(Action::Undo) => self.restored(TextArea::undo),
            Some(Action::Redo) => self.restored(TextArea::redo),
            Some(Action::EndOfInput) if !self.draft.is_empty() => self.restored(TextArea::delete_next_char),
            Some(action) => Typed::Act(action),
            None => self.write(&key),
        }
    }

    /// Text that was pasted: it is put in, and never sent, whatever line breaks it has.
    pub fn paste(&mut self, text: &str) -> Typed {
        self.search = None;
        self.popup = None;
        match self.draft.paste(text) {
            Ok(()) => Typed::Changed,
            Err(refused) => Typed::Refused(refused),
        }
    }

    /// The text as it would be sent, long pastes whole.
    pub fn text(&self) -> String {
        self.draft.whole()
    }

    pub fn is_empty(&self) -> bool {
        self.draft.is_empty()
    }

    /// Nothing is written and nothing is being looked for.
    pub fn rests(&self) -> bool {
        self.is_empty() && self.search.is_none() && self.popup.is_none()
    }

    /// Keeps a prompt for the history of this terminal.
    pub fn remember(&mut self, text: &str) {
        self.recall.remember(text.to_owned());
    }

    /// Replaces the text, as rewinding and the editor do. The cursor is at its end.
    pub fn set(&mut self, text: &str) -> Typed {
        self.search = None;
        self.popup = None;
        match self.draft.replace(text) {
            Ok(()) => {
                self.recall.rest();
                Typed::Changed
            }
            Err(refused) => Typed::Refused(refused),
        }
    }

    /// Empties the composer; what was written can be brought back from the history.
    pub fn clear(&mut self) {
        let text = self.draft.whole();
        self.recall.remember(text);
        self.reset();
    }

    /// Takes what was found in the background; whether there is something new to draw.
    pub fn refresh(&mut self) -> bool {
        let fresh = self.files.refresh();
        match &mut self.popup {
            Some(popup) if fresh => {
                popup.refresh(&self.files);
                true
            }
            _ => false,
        }
    }

    /// Whether [`Composer::refresh`] is worth calling soon.
    pub fn is_waiting(&self) -> bool {
        self.popup.as_ref().is_some_and(|popup| popup.waits)
    }

    fn reset(&mut self) {
        self.draft.reset();
        self.popup = None;
        self.search = None;
        self.quiet = false;
    }

    fn submit(&mut self, when: When) -> Typed {
        let shown = self.draft.shown();
        if let Some(words) = submit::unfinished(&shown) {
            self.quiet = false;
            self.propose();
            return Typed::Refused(words.into());
        }
        match submit::submission(&shown, when, |text| self.draft.expand(text)) {
            Some(submission) => {
                self.recall.remember(self.draft.whole());
                self.reset();
                Typed::Submit(submission)
            }
            None => Typed::Nothing,
        }
    }

    /// A backslash before Enter means: go on in the next line.
    fn continued_line(&mut self) -> Typed {
        let done = self.draft.replace_before(1, "\n");
        self.changed(done)
    }

    fn write(&mut self, key: &KeyEvent) -> Typed {
        match edit(&mut self.draft, key) {
            Ok(Edit::Nothing) => Typed::Nothing,
            Ok(Edit::Moved) => {
                // Moving about opens nothing, but a popup follows its word.
                if self.popup.is_some() {
                    self.propose();
                }
                Typed::Changed
            }
            Ok(Edit::Changed) => self.changed(Ok(())),
            Err(refused) => Typed::Refused(refused),
        }
    }

    fn changed(&mut self, done: Result<(), String>) -> Typed {
        match done {
            Ok(()) => {
                self.propose();
                Typed::Changed
            }
            Err(refused) => Typed::Refused(refused),
        }
    }

    fn restored(&mut self, change: fn(&mut TextArea<'static>) -> bool) -> Typed {
        if !change(&mut self.draft.area) {
            return Typed::Nothing;
        }
        self.draft.settle();
        self.changed(Ok(()))
    }

    /// Arrows move inside the text as long as they can; at its edge, and with other keys at once, the history is walked.
    fn walk(&mut self, key: &KeyEvent, to: CursorMove, step: fn(&mut Recall, String) -> Option<Step>) -> Typed {
        if matches!(key.code, KeyCode::Up | KeyCode::Down) {
            let before = self.draft.area.cursor();
            self.draft.area.cancel_selection();
            self.draft.area.move_cursor(to);
            self.draft.settle();
            if self.draft.area.cursor() != before {
                return Typed::Changed;
            }
        }
        self.popup = None;
        match step(&mut self.recall, self.draft.shown()) {
            Some(Step::Entry(text)) => match self.draft.set(&text) {
                Ok(()) => Typed::Changed,
                Err(refused) => Typed::Refused(refused),
            },
            Some(Step::Draft(shown)) => {
                self.draft.restore(&shown);
                Typed::Changed
            }
            None => Typed::Nothing,
        }
    }

    fn search_key(&mut self, key: &KeyEvent, action: Option<Action>) -> Typed {
        let Some(search) = &mut self.search else {
            return Typed::Nothing;
        };
        match search.key(key, action, &self.recall, &mut self.draft) {
            After::GoesOn => Typed::Changed,
            After::Other(action) => Typed::Act(action),
            After::Taken | After::GivenUp => {
                self.search = None;
                Typed::Changed
            }
            After::TakenThen => {
                self.search = None;
                self.write(key);
                Typed::Changed
            }
        }
    }

    /// Keys that the popup takes while it shows.
    fn popup_key(&mut self, action: Option<Action>) -> Option<Typed> {
        let popup = self.popup.as_mut().filter(|popup| popup.shows())?;
        match action? {
            Action::Interrupt => {
                self.popup = None;
                self.quiet = true;
            }
            _ if popup.rows.is_empty() => return None,
            Action::HistoryBack => popup.previous(),
            Action::HistoryForward => popup.next(),
            Action::Submit if popup.chosen.is_none() => return None,
            Action::Submit | Action::FocusDialog => {
                let letters = popup.word().letters();
                let completion = popup.completion()?;
                let done = self.draft.replace_before(letters, &completion);
                return Some(self.changed(done));
            }
            _ => return None,
        }
        Some(Typed::Changed)
    }

    /// Opens, changes or closes the popup for the word before the cursor.
    fn propose(&mut self) {
        let word = Word::before(self.draft.before_cursor(), self.draft.area.lines().len() == 1);
        let old = self.popup.take();
        match word {
            None => self.quiet = false,
            Some(_) if self.quiet => {}
            Some(word) => self.popup = Some(Popup::new(word, &mut self.files, old)),
        }
    }
}

/// In a popup and in a search these keys mean what they mean everywhere, however they are bound outside.
fn usual(key: &KeyEvent, action: Option<Action>) -> Option<Action> {
    if !key.modifiers.is_empty() {
        return action;
    }
    match key.code {
        KeyCode::Up => Some(Action::HistoryBack),
        KeyCode::Down => Some(Action::HistoryForward),
        KeyCode::Enter => Some(Action::Submit),
        KeyCode::Tab => Some(Action::FocusDialog),
        KeyCode::Esc => Some(Action::Interrupt),
        _ => action,
    }
}
