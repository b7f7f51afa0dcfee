//! "Are you sure?": asked where words would be lost or go along unseen, and before a plan is thrown away. The first
//! answer never approves.

use super::{
    ApprovalDialog, ReadingFocus, ReviewStage, SeenParts, answer::SendReview, keys::is_plain, offers::Meaning,
};
use crate::{
    dialogs::{
        DialogStep,
        text::{LineBreak, paragraph, rows},
    },
    theme::{Sign, TextRole, Theme},
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use fore_plan::approval::OfferKind;
use ratatui::text::{Line, Span};

/// Leaves room for the answers in the lowest window.
const SENTENCE_ROWS: usize = 3;

/// A question with its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConfirmQuestion {
    sentence: String,
    answers: Vec<(String, ConfirmEffect)>,
    selected: usize,
}

/// What an answer leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ConfirmEffect {
    Back,
    Send { value: OfferKind, words: SendReview },
}

impl ConfirmQuestion {
    /// Esc was pressed and something was written that has not been sent.
    pub(super) fn on_leaving(unsent: &str) -> ConfirmQuestion {
        ConfirmQuestion {
            sentence: format!("You wrote {unsent}."),
            answers: vec![
                ("Keep planning and send it".into(), ConfirmEffect::keep(SendReview::All)),
                ("Keep planning and discard it".into(), ConfirmEffect::keep(SendReview::Nothing)),
                ("Back to the plan".into(), ConfirmEffect::Back),
            ],
            selected: 0,
        }
    }

    /// A choice was made other than to keep planning, and something was written.
    pub(super) fn on_choosing(value: OfferKind, meaning: Meaning, unsent: &str) -> ConfirmQuestion {
        let (sentence, go_on, words) = match meaning {
            Meaning::Approve => (format!("You wrote {unsent}."), "Approve and send it along", SendReview::All),
            Meaning::Discard => (
                format!("Discard the plan? You wrote {unsent}, which goes with it."),
                "Discard it all",
                SendReview::Nothing,
            ),
            Meaning::SaveAndStop | Meaning::LeavePlanMode | Meaning::KeepPlanning => {
                (format!("You wrote {unsent}. Nobody reads it after this answer."), "Do it anyway", SendReview::All)
            }
        };
        ConfirmQuestion {
            sentence,
            answers: vec![
                ("Back to the plan".into(), ConfirmEffect::Back),
                ("Keep planning and send it".into(), ConfirmEffect::keep(SendReview::All)),
                (go_on.into(), ConfirmEffect::Send { value, words }),
            ],
            selected: 0,
        }
    }

    pub(super) fn on_discarding(value: OfferKind) -> ConfirmQuestion {
        ConfirmQuestion {
            sentence: "Discard the plan? The model starts with an empty plan.".into(),
            answers: vec![
                ("Back to the plan".into(), ConfirmEffect::Back),
                ("Discard it".into(), ConfirmEffect::Send { value, words: SendReview::Nothing }),
            ],
            selected: 0,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.answers.len()
    }

    pub(super) fn lines(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut all = paragraph(&self.sentence, theme.style(TextRole::Warning), width);
        all.truncate(SENTENCE_ROWS);
        for (index, (label, _)) in self.answers.iter().enumerate() {
            let (pointer, role) = if index == self.selected {
                (theme.sign(Sign::Pointer), TextRole::Selected)
            } else {
                (" ", TextRole::Plain)
            };
            let line = Line::from(vec![
                Span::styled(pointer, theme.style(TextRole::Accent)),
                Span::styled(format!(" {} ", index + 1), theme.style(TextRole::Accent)),
                Span::styled(label.clone(), theme.style(role)),
            ]);
            all.extend(rows(&line, width, 4, LineBreak::Words));
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

impl ConfirmEffect {
    fn keep(words: SendReview) -> ConfirmEffect {
        ConfirmEffect::Send { value: OfferKind::KeepPlanning, words }
    }
}

impl ApprovalDialog {
    /// A key while a question is open.
    pub(super) fn consider(&mut self, mut question: ConfirmQuestion, key: KeyEvent) -> DialogStep {
        let back = |approval: &mut ApprovalDialog| {
            (approval.stage, approval.reading_focus) = (ReviewStage::Reading, ReadingFocus::Text);
            DialogStep::Stay
        };
        match key.code {
            KeyCode::Esc => return back(self),
            // A key that is held down is no answer.
            KeyCode::Enter if is_plain(key) && key.kind == KeyEventKind::Press && self.seen == SeenParts::Choices => {
                match question.answers.get(question.selected) {
                    Some((_, ConfirmEffect::Send { value, words })) => return self.answer(*value, *words),
                    Some((_, ConfirmEffect::Back)) | None => return back(self),
                }
            }
            code if is_plain(key) || code == KeyCode::BackTab => question.select(code),
            _ => {}
        }
        self.stage = ReviewStage::Asking(question);
        DialogStep::Stay
    }
}
