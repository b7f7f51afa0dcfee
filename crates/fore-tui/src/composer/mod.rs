//! Where the person writes: several lines, history, completion. It sends nothing itself.

mod chips;
mod clean;
mod complete;
mod draw;
mod edit;
mod files;
mod popup;
mod recall;
mod search;
mod submit;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use files::FileSource;
pub(crate) use submit::Submission;

use crate::keys::{KeyAction, Keymap, SYSTEM};
use complete::{CompletionWord, Popup};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use edit::{EditStep, edit};
use fore_agent::{McpResourceRow, PromptTiming, custom::CustomCommandRow};
use recall::{Recall, RecallStep};
use search::{PromptSearch, SearchStep};
use text::ComposerText;
use tui_textarea::{CursorMove, TextArea};

/// The text being written and all that helps to write it.
#[derive(Debug)]
pub(crate) struct Composer {
    draft: ComposerText,
    recall: Recall,
    files: FileSource,
    /// Commands of files, besides the program's own.
    custom: Vec<CustomCommandRow>,
    /// What `@` may name besides files.
    resources: Vec<McpResourceRow>,
    popup: Option<Popup>,
    /// The popup was closed by hand: it stays closed for this word.
    quiet: bool,
    search: Option<PromptSearch>,
}

/// What a key led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ComposerStep {
    /// Not a key of the composer, or one that had nothing to do.
    Nothing,
    /// Draw again.
    Changed,
    /// The person sends this; the composer is empty again.
    Submit(Submission),
    /// A key with a meaning beyond the composer.
    Act(KeyAction),
    /// Too much: why, in words to show. The text is what it was.
    Refused(String),
}

/// Whether keys come here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComposerFocus {
    Focused,
    /// A dialog has the keys.
    Unfocused,
}

impl Composer {
    /// An empty composer. Earlier prompts come oldest first.
    pub(crate) fn new(history: Vec<String>, files: FileSource) -> Composer {
        Composer {
            draft: ComposerText::new(),
            recall: Recall::new(history),
            files,
            custom: Vec::new(),
            resources: Vec::new(),
            popup: None,
            quiet: false,
            search: None,
        }
    }

    /// Proposes these commands, too.
    pub(crate) fn set_custom(&mut self, custom: Vec<CustomCommandRow>) {
        self.custom = custom;
    }

    /// Proposes these resources, too.
    pub(crate) fn set_resources(&mut self, resources: Vec<McpResourceRow>) {
        self.resources = resources;
    }

    /// A key, while the composer has the focus.
    pub(crate) fn key(&mut self, key: KeyEvent, keymap: &Keymap) -> ComposerStep {
        if key.kind == KeyEventKind::Release || key.modifiers.intersects(SYSTEM) {
            return ComposerStep::Nothing;
        }
        let action = keymap.action(&key);
        if self.search.is_some() {
            return self.search_key(&key, usual(&key, action));
        }
        if let Some(typed) = self.popup_key(usual(&key, action), action == Some(KeyAction::Submit)) {
            return typed;
        }
        match action {
            Some(KeyAction::Submit) if self.draft.before_cursor().ends_with('\\') => self.continued_line(),
            Some(KeyAction::Submit) => self.submit(PromptTiming::Queue),
            Some(KeyAction::SteerNow) => self.submit(PromptTiming::Steer),
            Some(KeyAction::NewLine) => {
                let done = self.draft.insert("\n");
                self.changed(done)
            }
            Some(KeyAction::HistoryBack) => self.walk(&key, CursorMove::Up, Recall::older),
            Some(KeyAction::HistoryForward) => self.walk(&key, CursorMove::Down, Recall::newer),
            Some(KeyAction::HistorySearch) => {
                self.popup = None;
                self.search = Some(PromptSearch::new(&self.draft));
                ComposerStep::Changed
            }
            Some(KeyAction::Undo) => self.restored(TextArea::undo),
            Some(KeyAction::Redo) => self.restored(TextArea::redo),
            Some(KeyAction::EndOfInput) if !self.draft.is_empty() => self.restored(TextArea::delete_next_char),
            Some(action) => ComposerStep::Act(action),
            None => self.write(&key),
        }
    }

    /// Text that was pasted: it is put in, and never sent, whatever line breaks it has.
    pub(crate) fn paste(&mut self, text: &str) -> ComposerStep {
        self.search = None;
        self.popup = None;
        match self.draft.paste(text) {
            Ok(()) => ComposerStep::Changed,
            Err(refused) => ComposerStep::Refused(refused),
        }
    }

    /// The text as it would be sent, long pastes whole.
    pub(crate) fn text(&self) -> String {
        self.draft.expanded()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.draft.is_empty()
    }

    /// Nothing is written and nothing is being looked for.
    pub(crate) fn rests(&self) -> bool {
        self.is_empty() && self.search.is_none() && self.popup.is_none()
    }

    /// Keeps a prompt for the history of this terminal.
    pub(crate) fn remember(&mut self, text: &str) {
        self.recall.remember(text.to_owned());
    }

    /// Replaces the text, as rewinding and the editor do. The cursor is at its end.
    pub(crate) fn set(&mut self, text: &str) -> ComposerStep {
        self.search = None;
        self.popup = None;
        match self.draft.replace(text) {
            Ok(()) => {
                self.recall.rest();
                ComposerStep::Changed
            }
            Err(refused) => ComposerStep::Refused(refused),
        }
    }

    /// Empties the composer; what was written can be brought back from the history.
    pub(crate) fn clear(&mut self) {
        let text = self.draft.expanded();
        self.recall.remember(text);
        self.reset();
    }

    /// Takes what was found in the background; whether there is something new to draw.
    pub(crate) fn refresh(&mut self) -> bool {
        let fresh = self.files.refresh();
        match &mut self.popup {
            Some(popup) if fresh => {
                popup.refresh(&self.files, &self.resources);
                true
            }
            _ => false,
        }
    }

    /// Whether [`Composer::refresh`] is worth calling soon.
    pub(crate) fn is_waiting(&self) -> bool {
        self.popup.as_ref().is_some_and(|popup| popup.waits)
    }

    fn reset(&mut self) {
        self.draft.reset();
        self.popup = None;
        self.search = None;
        self.quiet = false;
    }

    /// A backslash before Enter means: go on in the next line.
    fn continued_line(&mut self) -> ComposerStep {
        let done = self.draft.replace_before(1, "\n");
        self.changed(done)
    }

    fn write(&mut self, key: &KeyEvent) -> ComposerStep {
        match edit(&mut self.draft, key) {
            Ok(EditStep::Nothing) => ComposerStep::Nothing,
            Ok(EditStep::Moved) => {
                // Moving about opens nothing, but a popup follows its word.
                if self.popup.is_some() {
                    self.propose();
                }
                ComposerStep::Changed
            }
            Ok(EditStep::Changed) => self.changed(Ok(())),
            Err(refused) => ComposerStep::Refused(refused),
        }
    }

    fn changed(&mut self, done: Result<(), String>) -> ComposerStep {
        match done {
            Ok(()) => {
                self.propose();
                ComposerStep::Changed
            }
            Err(refused) => ComposerStep::Refused(refused),
        }
    }

    fn restored(&mut self, change: fn(&mut TextArea<'static>) -> bool) -> ComposerStep {
        if !change(&mut self.draft.area) {
            return ComposerStep::Nothing;
        }
        self.draft.settle();
        self.changed(Ok(()))
    }

    /// Arrows move inside the text as long as they can; at its edge, and with other keys at once, the history is walked.
    fn walk(
        &mut self,
        key: &KeyEvent,
        to: CursorMove,
        step: fn(&mut Recall, String) -> Option<RecallStep>,
    ) -> ComposerStep {
        if matches!(key.code, KeyCode::Up | KeyCode::Down) {
            let before = self.draft.area.cursor();
            self.draft.area.cancel_selection();
            self.draft.area.move_cursor(to);
            self.draft.settle();
            if self.draft.area.cursor() != before {
                return ComposerStep::Changed;
            }
        }
        self.popup = None;
        match step(&mut self.recall, self.draft.shown()) {
            Some(RecallStep::Entry(text)) => match self.draft.set(&text) {
                Ok(()) => ComposerStep::Changed,
                Err(refused) => ComposerStep::Refused(refused),
            },
            Some(RecallStep::Draft(shown)) => {
                self.draft.restore(&shown);
                ComposerStep::Changed
            }
            None => ComposerStep::Nothing,
        }
    }

    fn search_key(&mut self, key: &KeyEvent, action: Option<KeyAction>) -> ComposerStep {
        let Some(search) = &mut self.search else {
            return ComposerStep::Nothing;
        };
        match search.key(key, action, &self.recall, &mut self.draft) {
            SearchStep::GoesOn => ComposerStep::Changed,
            SearchStep::Other(action) => ComposerStep::Act(action),
            SearchStep::Taken | SearchStep::GivenUp => {
                self.search = None;
                ComposerStep::Changed
            }
            SearchStep::TakenThen => {
                self.search = None;
                self.write(key);
                ComposerStep::Changed
            }
        }
    }

    /// Keys that the popup takes while it shows. `sends` is whether the key would send the draft outside of it.
    fn popup_key(&mut self, action: Option<KeyAction>, sends: bool) -> Option<ComposerStep> {
        let popup = self.popup.as_mut().filter(|popup| popup.shows())?;
        match action? {
            KeyAction::Interrupt => {
                self.popup = None;
                self.quiet = true;
            }
            _ if popup.rows.is_empty() => return None,
            KeyAction::HistoryBack => popup.previous(),
            KeyAction::HistoryForward => popup.next(),
            KeyAction::Submit if popup.chosen.is_none() => return None,
            KeyAction::Submit | KeyAction::FocusDialog => {
                let letters = popup.word().char_count();
                let completion = popup.completion()?;
                // Enter on a command that needs no words runs it; Tab only puts it in.
                let is_sent = sends && popup.finishes();
                let done = self.draft.replace_before(letters, &completion);
                let changed = self.changed(done);
                return Some(if is_sent { self.submit(PromptTiming::Queue) } else { changed });
            }
            _ => return None,
        }
        Some(ComposerStep::Changed)
    }

    /// Opens, changes or closes the popup for the word before the cursor.
    fn propose(&mut self) {
        let word = CompletionWord::before(self.draft.before_cursor(), self.draft.area.lines().len() == 1);
        let old = self.popup.take();
        match word {
            None => self.quiet = false,
            Some(_) if self.quiet => {}
            Some(word) => {
                self.popup = Some(Popup::new(word, &mut self.files, (&self.custom, &self.resources), old));
            }
        }
    }
}

/// In a popup and in a search these keys mean what they mean everywhere, however they are bound outside.
fn usual(key: &KeyEvent, action: Option<KeyAction>) -> Option<KeyAction> {
    if !key.modifiers.is_empty() {
        return action;
    }
    match key.code {
        KeyCode::Up => Some(KeyAction::HistoryBack),
        KeyCode::Down => Some(KeyAction::HistoryForward),
        KeyCode::Enter => Some(KeyAction::Submit),
        KeyCode::Tab => Some(KeyAction::FocusDialog),
        KeyCode::Esc => Some(KeyAction::Interrupt),
        _ => action,
    }
}
