//! What the person decided, as the command that goes to the session.

use super::{ApprovalDialog, offers::Meaning};
use crate::dialogs::DialogStep;
use fore_agent::Command;
use fore_plan::approval::{ExitResponse, GrantChanges, OfferKind};

/// Whether the person's words go along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SendReview {
    /// Comments and note.
    All,
    /// The person threw them away.
    Nothing,
}

impl ApprovalDialog {
    /// The answer. An edited plan goes along, unless it is thrown away.
    pub(super) fn answer(&self, selected: OfferKind, words: SendReview) -> DialogStep {
        let (reason, comments) = match (words, Meaning::of(selected)) {
            (SendReview::All, Meaning::KeepPlanning) => (self.words_of_no(&self.note.text), self.remarks.outgoing()),
            (SendReview::All, _) => (self.note.text.trim().to_owned(), self.remarks.outgoing()),
            (SendReview::Nothing, _) => (String::new(), Vec::new()),
        };
        let (contract_hash, grants) = match Meaning::of(selected) {
            Meaning::Approve => self.grant_changes(),
            Meaning::KeepPlanning | Meaning::SaveAndStop | Meaning::LeavePlanMode | Meaning::Discard => {
                (None, GrantChanges::default())
            }
        };
        DialogStep::Send(Command::Approval(ExitResponse {
            agent_id: self.asked.request.agent_id.clone(),
            selected: selected.into(),
            reason,
            comments,
            plan: self.whole_edit().filter(|_| Meaning::of(selected) != Meaning::Discard),
            steps: self.chosen_steps().filter(|_| Meaning::of(selected) == Meaning::Approve),
            contract_hash,
            grants: Box::new(grants),
            through: None,
        }))
    }

    /// Another plan is wanted, for the reason that the person has sent as a message; what else they wrote goes along.
    pub(crate) fn keep_planning(&self, message: &str) -> Command {
        let note = self.note.text.trim();
        let reason = if note.is_empty() { message.to_owned() } else { format!("{message}\n\n{note}") };
        Command::Approval(ExitResponse {
            agent_id: self.asked.request.agent_id.clone(),
            selected: OfferKind::KeepPlanning.into(),
            reason: self.words_of_no(&reason),
            comments: self.remarks.outgoing(),
            plan: self.whole_edit(),
            steps: None,
            contract_hash: None,
            grants: Box::default(),
            through: None,
        })
    }

    /// `2 comments (1 a draft) and a note`; none if nothing was written.
    pub(super) fn unsent(&self) -> Option<String> {
        let comments = self.remark_count();
        let note = if self.note.text.trim().is_empty() { None } else { Some(self.note.name()) };
        match (comments, note) {
            (None, None) => None,
            (Some(comments), None) => Some(comments),
            (None, Some(note)) => Some(note.to_owned()),
            (Some(comments), Some(note)) => Some(format!("{comments} and {note}")),
        }
    }

    /// `2 comments (1 a draft)`
    pub(super) fn remark_count(&self) -> Option<String> {
        let words = match self.remarks.count() {
            0 => return None,
            count => fore_text::count(count, "comment"),
        };
        Some(match self.remarks.drafts() {
            0 => words,
            1 => format!("{words} (1 a draft)"),
            drafts => format!("{words} ({drafts} drafts)"),
        })
    }
}
