//! Searching earlier prompts while typing. It chooses; nothing is sent from here.

use super::recall::Recall;
use super::text::ComposerText;
use crate::keys::KeyAction;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Most letters of the words searched for.
const MAX_QUERY_CHARS: usize = 200;

#[derive(Debug)]
pub(super) struct PromptSearch {
    pub(super) words: String,
    /// The prompt that is shown.
    pub(super) found: Option<usize>,
    /// Whether the last step led nowhere.
    pub(super) failed: bool,
    /// What was being written before.
    before: String,
}

/// What became of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchStep {
    GoesOn,
    /// The found prompt stays in the draft.
    Taken,
    /// As [`After::Taken`], and the key is still to be used.
    TakenThen,
    /// The draft is what it was before.
    GivenUp,
    /// A key that has nothing to do with it.
    Other(KeyAction),
}

impl PromptSearch {
    pub(super) fn new(draft: &ComposerText) -> PromptSearch {
        PromptSearch { words: String::new(), found: None, failed: false, before: draft.shown() }
    }

    pub(super) fn key(
        &mut self,
        key: &KeyEvent,
        action: Option<KeyAction>,
        recall: &Recall,
        draft: &mut ComposerText,
    ) -> SearchStep {
        let newest = recall.len();
        match (action, key.code) {
            (Some(KeyAction::HistorySearch | KeyAction::HistoryBack), _) => {
                self.show(recall.find_older(&self.words, self.found.unwrap_or(newest)), recall, draft);
            }
            (Some(KeyAction::HistoryForward), _) => {
                let newer = self.found.and_then(|found| recall.find_newer(&self.words, found));
                self.show(newer, recall, draft);
            }
            (Some(KeyAction::Submit | KeyAction::FocusDialog), _) => return SearchStep::Taken,
            (Some(KeyAction::Interrupt | KeyAction::Leave), _) => {
                draft.restore(&self.before);
                return SearchStep::GivenUp;
            }
            (Some(action), _) => return SearchStep::Other(action),
            (None, KeyCode::Backspace) => {
                self.words.pop();
                self.again(newest, recall, draft);
            }
            (None, KeyCode::Char(letter)) if writes(key, letter) => {
                if self.words.chars().count() < MAX_QUERY_CHARS {
                    self.words.push(letter);
                    self.again(self.found.map_or(newest, |found| found + 1), recall, draft);
                }
            }
            (None, _) => return SearchStep::TakenThen,
        }
        SearchStep::GoesOn
    }

    fn again(&mut self, before: usize, recall: &Recall, draft: &mut ComposerText) {
        if self.words.is_empty() {
            self.found = None;
            self.failed = false;
            draft.restore(&self.before);
        } else {
            self.show(recall.find_older(&self.words, before), recall, draft);
        }
    }

    fn show(&mut self, found: Option<usize>, recall: &Recall, draft: &mut ComposerText) {
        let shown = found.and_then(|at| recall.entry(at)).is_some_and(|entry| draft.set(entry).is_ok());
        self.failed = !shown;
        if shown {
            self.found = found;
        }
    }
}

fn writes(key: &KeyEvent, letter: char) -> bool {
    !letter.is_control() && !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
}
