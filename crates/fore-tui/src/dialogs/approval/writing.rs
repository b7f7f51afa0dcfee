//! What the person writes in the dialog: comments, a reason, a note, a search. Leaving a field keeps what stands in it.

use super::{
    ApprovalDialog, ReviewPage, ReviewStage, UnsavedReview,
    answer::SendReview,
    remarks::{self, Anchor, CommentState, MAX_REMARKS, PlanLines, PlanRemark},
};
use crate::{
    dialogs::{
        DialogStep,
        field::{FieldRows, FieldStep, TextField},
    },
    theme::TextRole,
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use fore_plan::approval::OfferKind;
pub(super) use fore_store::unsent_review::NotePurpose;

/// Words for the whole plan. They go out as the reason of whatever answer is given.
#[derive(Debug, Default)]
pub(super) struct OverallNote {
    pub(super) text: String,
    pub(super) meant: NotePurpose,
}

/// A field that is open.
#[derive(Debug)]
pub(super) struct Writing {
    pub(super) purpose: FieldPurpose,
    pub(super) field: TextField,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FieldPurpose {
    Remark {
        lines: PlanLines,
        quote: String,
        anchor: Anchor,
    },
    Reason,
    Note,
    Search,
    /// A file, folder or command that the approval shall cover besides.
    Grant,
}

impl OverallNote {
    pub(super) fn name(&self) -> &'static str {
        match self.meant {
            NotePurpose::Note => "a note",
            NotePurpose::Reason => "a reason",
            NotePurpose::Draft => "the draft of a note",
        }
    }
}

impl Writing {
    fn new(purpose: FieldPurpose, text: &str) -> Writing {
        let rows = if matches!(purpose, FieldPurpose::Search | FieldPurpose::Grant) {
            FieldRows::One
        } else {
            FieldRows::Several
        };
        Writing { field: TextField::new(rows, text), purpose }
    }

    pub(super) fn is_remark(&self) -> bool {
        matches!(self.purpose, FieldPurpose::Remark { .. })
    }

    /// What stands above the field.
    pub(super) fn label(&self) -> String {
        match &self.purpose {
            FieldPurpose::Remark { lines, .. } => format!("Comment on {}", lines.words()),
            FieldPurpose::Reason => "What should be different? (optional)".into(),
            FieldPurpose::Note => "A note that goes along with your answer".into(),
            FieldPurpose::Search => "Search".into(),
            FieldPurpose::Grant => "A file or folder to cover as well; a command begins with $".into(),
        }
    }
}

impl ApprovalDialog {
    pub(super) fn begin(&mut self, what: FieldPurpose, text: &str) -> DialogStep {
        self.stage = ReviewStage::Writing(Box::new(Writing::new(what, text)));
        DialogStep::Stay
    }

    /// Opens the comment on the chosen lines, or a new one.
    pub(super) fn begin_remark(&mut self) -> DialogStep {
        if self.page != ReviewPage::Plan {
            self.say(TextRole::Faint, "Comments are for the plan itself: Esc goes back to it.");
            return DialogStep::Stay;
        }
        let Some(lines) = self.plan_view().chosen() else { return DialogStep::Stay };
        let marking = self.plan_view().is_marking();
        let there = self.remarks.on(lines).filter(|remark| !marking || remark.lines == lines).cloned();
        if let Some(PlanRemark { lines, quote, text, anchor, .. }) = there {
            self.plan_view().mark_lines(lines);
            return self.begin(FieldPurpose::Remark { lines, quote, anchor }, &text);
        }
        if self.remarks.count() >= MAX_REMARKS {
            self.say(TextRole::Warning, format!("There are {MAX_REMARKS} comments already; more are not sent."));
            return DialogStep::Stay;
        }
        self.plan_view().mark_lines(lines);
        let quote = remarks::quote(&self.text, lines);
        self.begin(FieldPurpose::Remark { lines, quote, anchor: Anchor::Same }, "")
    }

    /// A key while a field is open.
    pub(super) fn write(&mut self, mut writing: Box<Writing>, key: KeyEvent) -> DialogStep {
        // A key that is held down neither sends nor saves.
        if key.kind == KeyEventKind::Repeat && key.code == KeyCode::Enter {
            self.stage = ReviewStage::Writing(writing);
            return DialogStep::Stay;
        }
        match writing.field.key(key) {
            FieldStep::Stay => {
                self.touched(&writing.purpose, UnsavedReview::Typed);
                self.stage = ReviewStage::Writing(writing);
                DialogStep::Stay
            }
            FieldStep::Done(text) => {
                self.touched(&writing.purpose, UnsavedReview::Finished);
                self.finish(writing.purpose, text)
            }
            FieldStep::Leave => {
                self.touched(&writing.purpose, UnsavedReview::Finished);
                self.leave(writing.purpose, writing.field.text());
                DialogStep::Stay
            }
        }
    }

    /// Something was done to what stands in a field.
    pub(super) fn touched(&mut self, what: &FieldPurpose, unkept: UnsavedReview) {
        if !matches!(what, FieldPurpose::Search | FieldPurpose::Grant) {
            self.unsaved = self.unsaved.max(unkept);
        }
    }

    fn finish(&mut self, what: FieldPurpose, text: String) -> DialogStep {
        match what {
            FieldPurpose::Remark { lines, quote, anchor } => {
                if text.trim().is_empty() && self.remarks.on(lines).is_some_and(|remark| remark.lines == lines) {
                    self.say(TextRole::Faint, "The comment is removed; u brings it back.");
                }
                self.plan_view().end_mark();
                self.remarks.put(PlanRemark { lines, quote, text, state: CommentState::Saved, anchor });
            }
            FieldPurpose::Reason => {
                self.note = OverallNote { text, meant: NotePurpose::Reason };
                return self.answer(OfferKind::KeepPlanning, SendReview::All);
            }
            FieldPurpose::Note => self.note = OverallNote { text, meant: NotePurpose::Note },
            FieldPurpose::Search => self.search(&text),
            FieldPurpose::Grant => self.add_grant(&text),
        }
        DialogStep::Stay
    }

    fn leave(&mut self, what: FieldPurpose, text: String) {
        match what {
            FieldPurpose::Remark { lines, quote, anchor } => {
                self.plan_view().end_mark();
                let before = self.remarks.on(lines).filter(|remark| remark.lines == lines);
                if text.trim().is_empty() || before.is_some_and(|remark| remark.text == text) {
                    return;
                }
                self.remarks.put(PlanRemark { lines, quote, text, state: CommentState::Draft, anchor });
                self.say(TextRole::Faint, "Kept as a draft: c opens it again, x removes it.");
            }
            FieldPurpose::Reason if text.trim().is_empty() => self.note = OverallNote::default(),
            FieldPurpose::Reason if text != self.note.text => {
                self.note = OverallNote { text, meant: NotePurpose::Reason };
                self.say(TextRole::Faint, "Kept, not sent.");
            }
            FieldPurpose::Note if text != self.note.text => {
                self.note = OverallNote { text, meant: NotePurpose::Draft };
                self.say(TextRole::Faint, "Kept, not sent.");
            }
            FieldPurpose::Reason | FieldPurpose::Note | FieldPurpose::Search | FieldPurpose::Grant => {}
        }
    }

    fn search(&mut self, text: &str) {
        let plan_view = self.plan_view();
        if text.trim().is_empty() {
            return plan_view.end_search();
        }
        plan_view.search_for(text);
        let from = plan_view.cursor();
        plan_view.next_found(from);
    }
}
