//! "Are you sure?": asked where words would be lost or go along unseen, and before a plan is thrown away. The first
//! answer never approves.

use super::{
    Approval, Inner, Shown, Stage,
    answer::{KEEP_PLANNING, Words},
    choices::Meaning,
    press::is_plain,
};
use crate::{
    dialogs::{
        Step,
        words::{Break, paragraph, rows},
    },
    theme::{Role, Sign, Theme},
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use ratatui::text::{Line, Span};

/// Leaves room for the answers in the lowest window.
const SENTENCE_ROWS: usize = 3;

/// A question with its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Question {
    sentence: String,
    answers: Vec<(String, Act)>,
    selected: usize,
}

/// What an answer leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Act {
    Back,
    Send { value: String, words: Words },
}

impl Question {
    /// Esc was pressed and something was written that has not been sent.
    pub(super) fn on_leaving(unsent: &str) -> Question {
        Question {
            sentence: format!("You wrote {unsent}."),
            answers: vec![
                ("Keep planning and send it".into(), Act::keep(Words::All)),
                ("Keep planning and throw it away".into(), Act::keep(Words::Nothing)),
                ("Back to the plan".into(), Act::Back),
            ],
            selected: 0,
        }
    }

    /// A choice was made other than to keep planning, and something was written.
    pub(super) fn on_choosing(value: &str, meaning: Meaning, unsent: &str) -> Question {
        let (sentence, go_on, words) = match meaning {
            Meaning::Approve => (format!("You wrote {unsent}."), "Approve and send it along", Words::All),
            Meaning::Discard => {
                (format!("Discard the plan? You wrote {unsent}, which goes with it."), "Discard it all", Words::Nothing)
            }
            Meaning::SaveAndStop | Meaning::LeavePlanMode | Meaning::KeepPlanning => {
                (format!("You wrote {unsent}. Nobody reads it after this answer."), "Do it all the same", Words::All)
            }
        };
        Question {
            sentence,
            answers: vec![
                ("Back to the plan".into(), Act::Back),
                ("Keep planning and send it".into(), Act::keep(Words::All)),
                (go_on.into(), Act::Send { value: value.to_owned(), words }),
            ],
            selected: 0,
        }
    }

    pub(super) fn on_discarding(value: &str) -> Question {
        Question {
            sentence: "Discard the plan? The model starts with an empty plan.".into(),
            answers: vec![
                ("Back to the plan".into(), Act::Back),
                ("Discard it".into(), Act::Send { value: value.to_owned(), words: Words::Nothing }),
            ],
            selected: 0,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.answers.len()
    }

    pub(super) fn lines(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut all = paragraph(&self.sentence, theme.style(Role::Warning), width);
        all.truncate(SENTENCE_ROWS);
        for (index, (label, _)) in self.answers.iter().enumerate() {
            let (pointer, role) =
                if index == self.selected { (theme.sign(Sign::Pointer), Role::Selected) } else { (" ", Role::Plain) };
            let line = Line::from(vec![
                Span::styled(pointer, theme.style(Role::Accent)),
                Span::styled(format!(" {} ", index + 1), theme.style(Role::Accent)),
                Span::styled(label.clone(), theme.style(role)),
            ]);
            all.extend(rows(&line, width, 4, Break::Words));
        }
        all
    }

    fn select(&mut self, key: KeyCode) {
        let last = self.answers.len().saturating_sub(1);
        self.selected = match key {
            KeyCode::Up | KeyCode::BackTab | KeyCode::Char('k') => self.selected.saturating_sub(1),
            KeyCode::Down | KeyCode::Tab | KeyCode::Char('j') => self.selected.saturating_add(1).min(last),
            KeyCode::Char(digit @ '1'..='9') => {
                match digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()) {
                    Some(number) if number <= self.answers.len() => number - 1,
                    _ => self.selected,
                }
            }
            _ => self.selected,
        };
    }
}

impl Act {
    fn keep(words: Words) -> Act {
        Act::Send { value: KEEP_PLANNING.to_owned(), words }
    }
}

impl Approval {
    /// A key while a question is open.
    pub(super) fn consider(&mut self, mut question: Question, key: KeyEvent) -> Step {
        let back = |approval: &mut Approval| {
            (approval.stage, approval.inner) = (Stage::Reading, Inner::Text);
            Step::Stay
        };
        match key.code {
            KeyCode::Esc => return back(self),
            // A key that is held down is no answer.
            KeyCode::Enter if is_plain(key) && key.kind == KeyEventKind::Press && self.shown == Shown::Choices => {
                match question.answers.get(question.selected) {
                    Some((_, Act::Send { value, words })) => return self.answer(value, *words),
                    Some((_, Act::Back)) | None => return back(self),
                }
            }
            code if is_plain(key) || code == KeyCode::BackTab => question.select(code),
            _ => {}
        }
        self.stage = Stage::Asking(question);
        Step::Stay
    }
}
