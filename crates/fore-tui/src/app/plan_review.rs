//! The plan that waits, beside its dialog: what the person wrote about it is kept and brought back, and an edited text is
//! checked. It never answers.

use super::{Act, App, HostQuery, ReviewedPlan};
use crate::{
    dialogs::approval::{ApprovalDialog, LostEdit, UnsavedReview},
    host::PageNews,
    story::{StoryBlock, fenced},
};
use fore_agent::{ApprovalAsked, ApprovalOutcome};
use fore_store::UnsentReview;
use std::time::{Duration, Instant};

/// Letters in an open field are kept at most so often.
pub(crate) const TYPED_KEPT: Duration = Duration::from_secs(1);

/// What is known of the words that wait with a plan.
#[derive(Debug, Default)]
pub(super) struct ReviewAutosave {
    /// Kept when the session was left, and not shown yet.
    kept: Option<UnsentReview>,
    /// When letters that were typed are to be kept.
    keep_at: Option<Instant>,
    /// Why they could not be kept, as it was said last.
    not_kept: Option<String>,
}

impl App {
    /// The session had words that wait with its plan.
    pub(super) fn restore_review(&mut self, draft: Result<Option<UnsentReview>, String>) {
        self.autosave = ReviewAutosave::default();
        match draft {
            Ok(draft) => self.autosave.kept = draft.filter(|draft| !draft.is_empty()),
            Err(why) => self.problem(format!("Your unsent comments on the plan cannot be shown: {why}")),
        }
    }

    /// What was kept and is shown now.
    pub(crate) fn take_review(&mut self) -> Option<UnsentReview> {
        self.autosave.kept.take()
    }

    /// The dialog for a plan, with what was written about it before.
    pub(super) fn approval(&mut self, asked: &ApprovalAsked) -> ApprovalDialog {
        let Some(draft) = self.take_review() else { return ApprovalDialog::new(asked.clone()) };
        let (approval, lost) = ApprovalDialog::resumed(asked.clone(), draft);
        if let Some(LostEdit(text)) = lost {
            let title = "The plan changed after you had edited it, so your edit is not in it".into();
            self.note(StoryBlock::Page { title, text: fenced("markdown", &text) });
        }
        approval
    }

    /// After everything that may have changed what stands in the dialog.
    pub(super) fn watch_plan(&mut self, now: Instant) {
        let Some(approval) = self.dialogs.approval() else { return };
        let (unchecked, unread, unkept) = (approval.unchecked(), approval.unread_contract(), approval.unkept());
        if let Some(question) = unread {
            self.send(question);
        }
        if let Some(text) = unchecked {
            self.act(Act::Fetch(HostQuery::Notes(text)));
        }
        match unkept {
            UnsavedReview::Nothing => {}
            UnsavedReview::Typed => drop(self.autosave.keep_at.get_or_insert(now + TYPED_KEPT)),
            UnsavedReview::Finished => self.save_review(),
        }
    }

    /// Keeps letters whose time has come.
    pub(super) fn save_typed(&mut self, now: Instant) {
        if self.autosave.keep_at.is_some_and(|at| at <= now) {
            self.save_review();
        }
    }

    pub(super) fn has_typed(&self) -> bool {
        self.autosave.keep_at.is_some()
    }

    /// Keeps what is not kept yet: a session is left, or something was finished.
    pub(crate) fn save_review(&mut self) {
        self.autosave.keep_at = None;
        let Some(session) = self.facts.started.as_ref().map(|started| started.session) else { return };
        let unkept = self.dialogs.approval().filter(|approval| approval.unkept() != UnsavedReview::Nothing);
        if let Some(draft) = unkept.map(ApprovalDialog::keep) {
            self.act(Act::Keep { session, draft: Some(draft) });
        }
    }

    /// A prompt came before any plan was shown: the one that the words were about is decided already.
    pub(super) fn prompt_taken(&mut self) {
        if self.autosave.kept.is_some() {
            self.forget_review();
        }
    }

    /// Nothing waits to be sent.
    fn forget_review(&mut self) {
        self.autosave = ReviewAutosave::default();
        if let Some(session) = self.facts.started.as_ref().map(|started| started.session) {
            self.act(Act::Keep { session, draft: None });
        }
    }

    /// The plan that waits, on a page of the browser as well; it is answered there or here.
    pub(crate) fn review_in_browser(&mut self) {
        match self.dialogs.approval().map(|approval| approval.for_page()) {
            Some((asked, draft)) => self.review_plan(asked, draft),
            None => self.say("No plan waits for your answer."),
        }
    }

    /// Asks for the page of a plan, with what was written about it.
    pub(crate) fn review_plan(&mut self, asked: ApprovalAsked, draft: UnsentReview) {
        let session = self.facts.started.as_ref().map(|started| started.session);
        if let (Some(session), Some(commands)) = (session, self.commands.clone()) {
            self.act(Act::Review(Box::new(ReviewedPlan { session, asked, draft, commands })));
        }
    }

    /// Whether the first plan that comes is wanted in the browser; true once.
    pub(crate) fn opens_page(&mut self) -> bool {
        std::mem::take(&mut self.opens_page)
    }

    /// A plan has come while the person wanted to read it in the browser.
    pub(super) fn review_first_plan(&mut self) {
        if self.opens_page() {
            self.review_in_browser();
        }
    }

    /// Something was done on the page.
    pub(super) fn page_news(&mut self, news: PageNews) {
        match news {
            PageNews::Draft(draft) => {
                if let Some(approval) = self.dialogs.approval() {
                    approval.redrafted(*draft);
                }
            }
            PageNews::Answering => self.page_answers = true,
        }
    }

    pub(super) fn decided(&mut self, decided: &ApprovalOutcome) {
        let was_page = std::mem::take(&mut self.page_answers);
        if was_page && !matches!(decided, ApprovalOutcome::NotCounted { .. }) {
            self.say("Answered in the browser.");
        }
        match decided {
            // The request still waits.
            ApprovalOutcome::NotCounted { .. } | ApprovalOutcome::Awaits { .. } => {}
            ApprovalOutcome::Approved { .. }
            | ApprovalOutcome::KeepPlanning { .. }
            | ApprovalOutcome::Saved { .. }
            | ApprovalOutcome::Left { .. }
            | ApprovalOutcome::Discarded => self.forget_review(),
        }
    }

    /// Said once for each reason.
    pub(super) fn review_not_saved(&mut self, why: String) {
        if self.autosave.not_kept.as_ref() != Some(&why) {
            self.problem(format!("Your comments on the plan cannot be saved: {why}"));
            self.autosave.not_kept = Some(why);
        }
    }
}
