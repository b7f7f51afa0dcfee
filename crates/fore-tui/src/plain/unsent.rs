//! What was written about a plan and not sent, without a dialog: kept on disk, and read out again. It answers nothing.

use super::{
    PlainFrontend,
    questions::{MAX_COMMENTS, PlainApproval, PlainQuestion},
};
use crate::app::Act;
use fore_agent::{ApprovalAsked, Command};
use fore_plan::approval::{Comment, ExitResponse, GrantChanges};
use fore_store::{
    UnsentReview,
    unsent_review::{Anchor, CommentState, NotePurpose, UnsentComment},
};

impl PlainFrontend {
    /// The plan that is asked about, with what was written about it before the program ended.
    pub(super) fn approval(&mut self, asked: &ApprovalAsked) -> PlainQuestion {
        let mut approval = PlainApproval::new(asked.clone());
        if let Some(draft) = self.app.take_review() {
            self.app.say(summary(&draft, draft.plan == asked.request.plan_hash));
            bring_back(&mut approval, draft);
            if let Some(text) = &approval.edited {
                approval.asked.notes = self.host.check(text);
                approval.grants.forget();
            }
            if !approval.grants.is_known() {
                approval.read_contract().into_iter().for_each(|command| self.app.send(command));
            }
        }
        PlainQuestion::Approval(Box::new(approval))
    }

    /// The plan that waits, on a page of the browser as well.
    pub(super) fn review_in_browser(&mut self) {
        match self.waiting.iter().find_map(|waiting| match waiting {
            PlainQuestion::Approval(approval) => Some((approval.asked.clone(), draft(approval))),
            _ => None,
        }) {
            Some((asked, draft)) => self.app.review_plan(asked, draft),
            None => self.app.say("No plan waits for your answer."),
        }
    }

    /// The draft as it was changed there.
    pub(super) fn redrafted(&mut self, draft: UnsentReview) {
        let found = self.waiting.iter_mut().find_map(|waiting| match waiting {
            PlainQuestion::Approval(approval) => Some(approval),
            _ => None,
        });
        let Some(approval) = found.filter(|approval| approval.asked.request.plan_hash == draft.plan) else { return };
        let (before, is_edited) = (approval.comments.len(), approval.edited != draft.edited);
        self.page_note.clone_from(&draft.note);
        bring_back(approval, draft);
        let count = approval.comments.len();
        if is_edited && let Some(text) = approval.edited.clone() {
            approval.asked.notes = self.host.check(&text);
            approval.grants.forget();
        }
        let command = if approval.grants.is_known() { None } else { approval.read_contract() };
        command.into_iter().for_each(|command| self.app.send(command));
        if count != before {
            self.app.say(format!("In the browser: {}.", fore_text::count(count, "comment")));
        }
        if is_edited {
            self.app.say("The plan was edited in the browser; /show reads it.");
        }
    }

    /// Words for the whole plan that were written on the page go along, where no others are given.
    pub(super) fn with_page_note(&mut self, command: Command) -> Command {
        let note = std::mem::take(&mut self.page_note);
        match command {
            Command::Approval(response) if response.reason.trim().is_empty() => {
                Command::Approval(ExitResponse { reason: note.trim().to_owned(), ..response })
            }
            command => command,
        }
    }

    /// Keeps what was written about the plan that waits, if anything was.
    pub(super) fn save_review(&mut self) {
        if let Some(PlainQuestion::Approval(approval)) = self.waiting.front()
            && !draft(approval).is_empty()
        {
            self.save_whole_review();
        }
    }

    /// The same where something was taken back: then nothing takes away what was kept.
    pub(super) fn save_whole_review(&mut self) {
        let session = self.app.facts.started.as_ref().map(|started| started.session);
        if let (Some(session), Some(PlainQuestion::Approval(approval))) = (session, self.waiting.front()) {
            let draft = UnsentReview { note: self.page_note.clone(), ..draft(approval) };
            let draft = Some(draft).filter(|draft| !draft.is_empty());
            self.app.act(Act::Keep { session, draft });
        }
    }
}

/// What is about other bytes is read out, and goes with no answer.
fn bring_back(approval: &mut PlainApproval, draft: UnsentReview) {
    if draft.plan == approval.asked.request.plan_hash {
        approval.comments = draft.remarks.into_iter().map(|remark| remark.comment).take(MAX_COMMENTS).collect();
        approval.edited = draft.edited;
        approval.grants.bring_back(&draft.grants);
    }
}

fn draft(approval: &PlainApproval) -> UnsentReview {
    let remark = |comment: &Comment| UnsentComment {
        comment: comment.clone(),
        state: CommentState::Saved,
        anchor: Anchor::Same,
    };
    UnsentReview {
        plan: approval.asked.request.plan_hash,
        remarks: approval.comments.iter().map(remark).collect(),
        note: String::new(),
        meant: NotePurpose::Note,
        edited: approval.edited.clone(),
        grants: approval.grants.changes(),
    }
}

fn summary(draft: &UnsentReview, is_same: bool) -> String {
    let first = match is_same {
        true => "You wrote this before and did not send it. It goes with your answer:",
        false => "You wrote this on an older text of the plan and did not send it. It does not go with your answer:",
    };
    let mut lines = vec![first.to_owned()];
    for UnsentComment { comment, .. } in &draft.remarks {
        let place = match comment.first_line == comment.last_line {
            true => format!("line {}", comment.first_line),
            false => format!("lines {}-{}", comment.first_line, comment.last_line),
        };
        let quote = fore_text::cut::one_line(&comment.quote);
        lines.push(format!("Comment on {place}, \"{quote}\": {}", comment.remark));
    }
    match &draft.edited {
        Some(_) if is_same => lines.push("An edit of the plan.".into()),
        Some(text) => lines.push(format!("An edit of the plan:\n{text}")),
        None => {}
    }
    let GrantChanges { struck_files, struck_commands, .. } = &draft.grants;
    lines.extend(struck_files.iter().chain(struck_commands).map(|named| format!("Struck off the list: {named}")));
    lines.extend(draft.grants.added_as_typed().iter().map(|entry| format!("Added to the list: {entry}")));
    if !draft.note.trim().is_empty() {
        lines.push(format!("Words for the whole plan, to be written again behind /answer: {}", draft.note));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::tests::approval;
    use fore_agent::Event;
    use fore_plan::plan::Hash;

    fn asked(plan: &str) -> PlainApproval {
        match approval("p1", plan) {
            Event::ApprovalAsked(asked) => PlainApproval::new(asked),
            other => panic!("{other:?}"),
        }
    }

    fn kept(plan: &str) -> UnsentReview {
        let comment =
            Comment { first_line: 1, last_line: 2, quote: "The plan\n\nOne".into(), remark: "Why so many?".into() };
        UnsentReview {
            plan: Hash::of(plan.as_bytes()),
            remarks: vec![UnsentComment { comment, state: CommentState::Saved, anchor: Anchor::Same }],
            note: "Smaller".into(),
            meant: NotePurpose::Reason,
            edited: Some("# Mine\n".into()),
            grants: GrantChanges {
                struck_files: vec!["src/cart.rs".into()],
                added_commands: vec!["cargo test".into()],
                ..GrantChanges::default()
            },
        }
    }

    #[test]
    fn what_was_written_comes_back_with_the_same_plan() {
        let mut approval = asked("# Plan\n");
        bring_back(&mut approval, kept("# Plan\n"));
        assert_eq!(
            draft(&approval),
            UnsentReview { note: String::new(), meant: NotePurpose::Note, ..kept("# Plan\n") }
        );
        insta::assert_snapshot!(summary(&kept(""), true), @r#"
        You wrote this before and did not send it. It goes with your answer:
        Comment on lines 1-2, "The plan One": Why so many?
        An edit of the plan.
        Struck off the list: src/cart.rs
        Added to the list: $ cargo test
        Words for the whole plan, to be written again behind /answer: Smaller
        "#);
    }

    #[test]
    fn what_was_written_about_another_text_is_read_out_and_goes_with_no_answer() {
        let mut approval = asked("# Plan\n");
        bring_back(&mut approval, kept("# Older\n"));
        assert_eq!((approval.comments, approval.edited), (Vec::new(), None));
        insta::assert_snapshot!(summary(&kept(""), false), @r#"
        You wrote this on an older text of the plan and did not send it. It does not go with your answer:
        Comment on lines 1-2, "The plan One": Why so many?
        An edit of the plan:
        # Mine

        Struck off the list: src/cart.rs
        Added to the list: $ cargo test
        Words for the whole plan, to be written again behind /answer: Smaller
        "#);
    }
}
