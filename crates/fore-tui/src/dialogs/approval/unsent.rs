//! What the person wrote and has not sent, as it is kept on disk and brought back. It says what to keep and when; it never
//! answers, and never puts words on lines that they were not written for.

use super::{
    ApprovalDialog, ReviewStage,
    grants::GrantReview,
    remarks::{PlanLines, PlanRemark, Remarks},
    writing::{FieldPurpose, OverallNote, Writing},
};
use crate::theme::TextRole;
use fore_agent::ApprovalAsked;
use fore_plan::{
    approval::{Comment, GrantChanges},
    plan::{CheckNote, Hash},
};
use fore_store::{
    UnsentReview,
    unsent_review::{self, CommentState, NotePurpose},
};

/// Whether what is on disk is what the person wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum UnsavedReview {
    #[default]
    Nothing,
    /// Letters were typed into a field: within a moment is soon enough.
    Typed,
    /// Something was finished, removed or changed.
    Finished,
}

/// An edit that was made to another text than the one that is asked about now, so it is not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LostEdit(pub String);

impl ApprovalDialog {
    /// The request with what was written about it before the program ended. What is about other bytes stands with the
    /// lines that it was written for; an edit of them is given back.
    pub(crate) fn resumed(asked: ApprovalAsked, draft: UnsentReview) -> (ApprovalDialog, Option<LostEdit>) {
        let mut approval = ApprovalDialog::new(asked);
        let is_same = draft.plan == approval.asked.request.plan_hash;
        approval.remarks = Remarks::of(draft.remarks.into_iter().map(read).collect());
        approval.note = OverallNote { text: draft.note, meant: draft.meant };
        let lost = match (draft.edited, is_same) {
            (Some(text), true) => {
                approval.take_edit(text);
                None
            }
            (edited, _) => edited.map(LostEdit),
        };
        let lost_grants = !is_same && draft.grants != GrantChanges::default();
        if is_same {
            approval.bring_grants_back(&draft.grants);
        } else {
            approval.remarks.are_about_an_older_text(&approval.text);
        }
        approval.say_what_is_back(is_same);
        if lost_grants {
            let words =
                "What you struck off the list of what the plan covers, or added to it, was for an older text: see p.";
            approval.say(TextRole::Warning, words);
        }
        approval.unsaved = UnsavedReview::Nothing;
        (approval, lost)
    }

    /// What the person had struck and added holds again: it was about these very bytes.
    pub(super) fn bring_grants_back(&mut self, changes: &GrantChanges) {
        let review = GrantReview::new(self.asked.request.contract.clone(), self.asked.request.contract_hash);
        let is_edited = self.is_edited();
        self.grants = review.with(changes);
        if is_edited {
            self.contract_is_due();
        }
    }

    /// The draft as it was changed on the page in the browser; what stands in an open field here stays.
    pub(crate) fn redrafted(&mut self, draft: UnsentReview) {
        if draft.plan != self.asked.request.plan_hash || self.draft() == draft {
            return;
        }
        let message = self.message.take();
        let proposed = self.asked.request.plan_content.clone();
        if draft.edited != self.whole_edit() {
            self.left_out = None;
            self.take_edit(draft.edited.clone().unwrap_or(proposed));
        }
        let remarks: Vec<PlanRemark> = draft.remarks.into_iter().map(read).collect();
        if self.left_out.is_none() || remarks.len() != self.remarks.count() {
            self.remarks = Remarks::of(remarks);
        }
        self.note = OverallNote { text: draft.note, meant: draft.meant };
        if self.grants.changes() != draft.grants {
            self.bring_grants_back(&draft.grants);
        }
        (self.unsaved, self.message) = (UnsavedReview::Nothing, message);
        self.version = self.version.saturating_add(1);
    }

    /// What is asked, with what the person wrote about it.
    pub(crate) fn for_page(&self) -> (ApprovalAsked, UnsentReview) {
        (self.asked.clone(), self.draft())
    }

    fn say_what_is_back(&mut self, is_same: bool) {
        let edit = self.is_edited().then(|| "an edit of the plan".to_owned());
        let back: Vec<String> = self.unsent().into_iter().chain(edit).chain(self.grant_change_words()).collect();
        let back = back.join(", and ");
        match (back.is_empty(), is_same) {
            (true, _) => {}
            (false, true) => self.say(TextRole::Person, format!("Here again, not sent yet: {back}.")),
            (false, false) => self.say(TextRole::Warning, format!("Written on an older text, not sent yet: {back}.")),
        }
    }

    pub(crate) fn unkept(&self) -> UnsavedReview {
        self.unsaved
    }

    /// Everything that would be lost now, to be kept.
    pub(crate) fn keep(&mut self) -> UnsentReview {
        self.unsaved = UnsavedReview::Nothing;
        self.draft()
    }

    /// What the person wrote so far, an open field included.
    pub(crate) fn draft(&self) -> UnsentReview {
        let mut remarks = self.remarks.all().to_vec();
        let (mut note, mut meant) = (self.note.text.clone(), self.note.meant);
        if let ReviewStage::Writing(writing) = &self.stage {
            match begun(writing) {
                // It was only opened.
                OpenFieldText::Remark(remark)
                    if remarks.iter().any(|other| (other.lines, &other.text) == (remark.lines, &remark.text)) => {}
                OpenFieldText::Remark(remark) => {
                    remarks.retain(|other| other.lines != remark.lines);
                    remarks.push(remark);
                }
                OpenFieldText::Note(text, being) if text != note => (note, meant) = (text, being),
                OpenFieldText::Note(..) | OpenFieldText::Nothing => {}
            }
        }
        UnsentReview {
            plan: self.asked.request.plan_hash,
            remarks: remarks.into_iter().map(written).collect(),
            note,
            meant,
            edited: self.whole_edit(),
            grants: self.grants.changes(),
        }
    }

    /// The text that nobody has checked yet, once.
    pub(crate) fn unchecked(&mut self) -> Option<String> {
        std::mem::take(&mut self.is_unchecked).then(|| self.text.clone())
    }

    /// The notes on a text; those on another one than the one that is shown come too late.
    pub(crate) fn checked(&mut self, plan: Hash, notes: Vec<CheckNote>) {
        if plan == self.hash {
            (self.notes, self.noted) = (Some(notes), None);
        }
    }
}

/// What stands in an open field, as leaving it would keep it.
enum OpenFieldText {
    Remark(PlanRemark),
    Note(String, NotePurpose),
    Nothing,
}

fn begun(writing: &Writing) -> OpenFieldText {
    let text = writing.field.text();
    match &writing.purpose {
        FieldPurpose::Remark { .. } if text.trim().is_empty() => OpenFieldText::Nothing,
        FieldPurpose::Remark { lines, quote, anchor } => OpenFieldText::Remark(PlanRemark {
            lines: *lines,
            quote: quote.clone(),
            text,
            state: CommentState::Draft,
            anchor: *anchor,
        }),
        FieldPurpose::Reason => OpenFieldText::Note(text, NotePurpose::Reason),
        FieldPurpose::Note => OpenFieldText::Note(text, NotePurpose::Draft),
        FieldPurpose::Search | FieldPurpose::Grant => OpenFieldText::Nothing,
    }
}

fn written(remark: PlanRemark) -> unsent_review::UnsentComment {
    let PlanRemark { lines, quote, text, state, anchor } = remark;
    let comment = Comment { first_line: lines.first, last_line: lines.last, quote, remark: text };
    unsent_review::UnsentComment { comment, state, anchor }
}

fn read(remark: unsent_review::UnsentComment) -> PlanRemark {
    let unsent_review::UnsentComment { comment, state, anchor } = remark;
    let first = comment.first_line.max(1);
    let lines = PlanLines { first, last: comment.last_line.max(first) };
    PlanRemark { lines, quote: comment.quote, text: comment.remark, state, anchor }
}
