//! What was written about a plan and not sent, without a dialog: kept on disk, and read out again. It answers nothing.

use super::{
    PlainFrontend,
    questions::{MAX_COMMENTS, PlainApproval, PlainQuestion},
};
use crate::app::Act;
use fore_agent::event::ApprovalAsked;
use fore_plan::approval::Comment;
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
            }
        }
        PlainQuestion::Approval(Box::new(approval))
    }

    /// Keeps what was written about the plan that waits, if anything was.
    pub(super) fn save_review(&mut self) {
        let session = self.app.facts.started.as_ref().map(|started| started.session);
        if let (Some(session), Some(PlainQuestion::Approval(approval))) = (session, self.waiting.front())
            && !(approval.comments.is_empty() && approval.edited.is_none())
        {
            let draft = Some(draft(approval));
            self.app.act(Act::Keep { session, draft });
        }
    }
}

/// What is about other bytes is read out, and goes with no answer.
fn bring_back(approval: &mut PlainApproval, draft: UnsentReview) {
    if draft.plan == approval.asked.request.plan_hash {
        approval.comments = draft.remarks.into_iter().map(|remark| remark.comment).take(MAX_COMMENTS).collect();
        approval.edited = draft.edited;
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
        let quote = comment.quote.split_whitespace().collect::<Vec<_>>().join(" ");
        lines.push(format!("Comment on {place}, \"{quote}\": {}", comment.remark));
    }
    match &draft.edited {
        Some(_) if is_same => lines.push("An edit of the plan.".into()),
        Some(text) => lines.push(format!("An edit of the plan:\n{text}")),
        None => {}
    }
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

        Words for the whole plan, to be written again behind /answer: Smaller
        "#);
    }
}
