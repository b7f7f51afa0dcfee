//! The plan that waits, beside its dialog: what the person wrote about it is kept and brought back, and an edited text is
//! checked. It never answers.

use super::{Act, App, Wanted};
use crate::{
    dialogs::approval::{Approval, LostEdit, Unkept},
    story::{Block, fenced},
};
use fore_agent::event::{ApprovalAsked, Decided};
use fore_store::Draft;
use std::time::{Duration, Instant};

/// Letters in an open field are kept at most so often.
pub(crate) const TYPED_KEPT: Duration = Duration::from_secs(1);

/// What is known of the words that wait with a plan.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Kept when the session was left, and not shown yet.
    kept: Option<Draft>,
    /// When letters that were typed are to be kept.
    keep_at: Option<Instant>,
    /// Why they could not be kept, as it was said last.
    not_kept: Option<String>,
}

impl App {
    /// The session had words that wait with its plan.
    pub(super) fn has_kept(&mut self, draft: Result<Option<Draft>, String>) {
        self.words = Words::default();
        match draft {
            Ok(draft) => self.words.kept = draft.filter(|draft| !draft.is_empty()),
            Err(why) => self.problem(format!("What you had written about the plan cannot be shown: {why}")),
        }
    }

    /// What was kept and is shown now.
    pub(crate) fn take_kept(&mut self) -> Option<Draft> {
        self.words.kept.take()
    }

    /// The dialog for a plan, with what was written about it before.
    pub(super) fn approval(&mut self, asked: &ApprovalAsked) -> Approval {
        let Some(draft) = self.take_kept() else { return Approval::new(asked.clone()) };
        let (approval, lost) = Approval::resumed(asked.clone(), draft);
        if let Some(LostEdit(text)) = lost {
            let title = "The plan changed after you had edited it, so your edit is not in it".into();
            self.note(Block::Page { title, text: fenced("markdown", &text) });
        }
        approval
    }

    /// After everything that may have changed what stands in the dialog.
    pub(super) fn look_after_plan(&mut self, now: Instant) {
        let Some(approval) = self.asking.approval() else { return };
        let (unchecked, unkept) = (approval.unchecked(), approval.unkept());
        if let Some(text) = unchecked {
            self.act(Act::Fetch(Wanted::Notes(text)));
        }
        match unkept {
            Unkept::Nothing => {}
            Unkept::Typed => drop(self.words.keep_at.get_or_insert(now + TYPED_KEPT)),
            Unkept::Finished => self.keep_words(),
        }
    }

    /// Keeps letters whose time has come.
    pub(super) fn keep_typed(&mut self, now: Instant) {
        if self.words.keep_at.is_some_and(|at| at <= now) {
            self.keep_words();
        }
    }

    pub(super) fn has_typed(&self) -> bool {
        self.words.keep_at.is_some()
    }

    /// Keeps what is not kept yet: a session is left, or something was finished.
    pub(crate) fn keep_words(&mut self) {
        self.words.keep_at = None;
        let Some(session) = self.facts.started.as_ref().map(|started| started.session) else { return };
        let unkept = self.asking.approval().filter(|approval| approval.unkept() != Unkept::Nothing);
        if let Some(draft) = unkept.map(Approval::keep) {
            self.act(Act::Keep { session, draft: Some(draft) });
        }
    }

    /// A prompt came before any plan was shown: the one that the words were about is decided already.
    pub(super) fn prompt_taken(&mut self) {
        if self.words.kept.is_some() {
            self.forget_words();
        }
    }

    /// Nothing waits to be sent.
    fn forget_words(&mut self) {
        self.words = Words::default();
        if let Some(session) = self.facts.started.as_ref().map(|started| started.session) {
            self.act(Act::Keep { session, draft: None });
        }
    }

    pub(super) fn decided(&mut self, decided: &Decided) {
        match decided {
            // The request still waits.
            Decided::NotCounted { .. } | Decided::Awaits { .. } => {}
            Decided::Approved { .. }
            | Decided::KeepPlanning { .. }
            | Decided::Saved { .. }
            | Decided::Left { .. }
            | Decided::Discarded => self.forget_words(),
        }
    }

    /// Said once for each reason.
    pub(super) fn words_not_kept(&mut self, why: String) {
        if self.words.not_kept.as_ref() != Some(&why) {
            self.problem(format!("What you write about the plan is not kept on disk: {why}"));
            self.words.not_kept = Some(why);
        }
    }
}
