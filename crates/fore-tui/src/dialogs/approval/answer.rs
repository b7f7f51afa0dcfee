//! What the person decided, as the command that goes to the session.

use super::{ApprovalDialog, offers::Meaning};
use crate::dialogs::DialogStep;
use fore_agent::Command;
use fore_plan::approval::ExitResponse;

/// What Esc and everything unclear come to.
pub(super) const KEEP_PLANNING: &str = "keepPlanning";

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
    pub(super) fn answer(&self, selected: &str, words: SendReview) -> DialogStep {
        let (reason, comments) = match words {
            SendReview::All => (self.note.text.trim().to_owned(), self.remarks.outgoing()),
            SendReview::Nothing => (String::new(), Vec::new()),
        };
        DialogStep::Send(Command::Approval(ExitResponse {
            agent_id: self.asked.request.agent_id.clone(),
            selected: selected.to_owned(),
            reason,
            comments,
            plan: (self.is_edited() && Meaning::of(selected) != Meaning::Discard).then(|| self.text.clone()),
        }))
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
            1 => "1 comment".to_owned(),
            count => format!("{count} comments"),
        };
        Some(match self.remarks.drafts() {
            0 => words,
            1 => format!("{words} (1 a draft)"),
            drafts => format!("{words} ({drafts} drafts)"),
        })
    }
}
