//! What happens to a draft, as pages of before and after.

use super::*;

const PLAN: &str = "# Cart\n\n1. Read\n2. Write\n3. Test\n";

fn draft() -> SharedDraft {
    SharedDraft::new(PLAN, Hash::of(PLAN.as_bytes()), None)
}

/// `3-4 Why?`, and what is said of its lines.
fn shown(draft: &SharedDraft) -> Vec<String> {
    let one = |remark: &UnsentComment| {
        let Comment { first_line, last_line, remark: words, .. } = &remark.comment;
        let anchor = match remark.anchor {
            Anchor::Same => "",
            Anchor::LineChanged => " (line changed)",
            Anchor::OlderText => " (older text)",
        };
        format!("{first_line}-{last_line} {words}{anchor}")
    };
    draft.review().remarks.iter().map(one).collect()
}

#[test]
fn comments_are_put_changed_and_taken_away_by_their_lines() {
    let mut draft = draft();
    draft.comment((3, 4), "Why?", CommentState::Saved).unwrap();
    draft.comment((1, 1), "Name", CommentState::Draft).unwrap();
    draft.comment((3, 4), "Why so?", CommentState::Saved).unwrap();
    assert_eq!(shown(&draft), ["1-1 Name", "3-4 Why so?"]);
    assert_eq!(draft.outgoing()[1].quote, "1. Read\n2. Write");
    draft.comment((1, 1), "  ", CommentState::Saved).unwrap();
    assert_eq!(shown(&draft), ["3-4 Why so?"]);
}

#[test]
fn what_cannot_be_is_refused_and_changes_nothing() {
    let mut draft = draft();
    for lines in [(0, 1), (2, 1), (5, 6), (9, 9)] {
        assert!(draft.comment(lines, "x", CommentState::Saved).is_err(), "{lines:?}");
    }
    let long = "x".repeat(MAX_WORDS_BYTES + 1);
    assert!(draft.comment((1, 1), &long, CommentState::Saved).is_err());
    assert!(draft.note(&long, NotePurpose::Note).is_err());
    assert!(draft.edit(Some(" \n")).is_err());
    assert!(draft.edit(Some(&"x".repeat(MAX_PLAN_BYTES + 1))).is_err());
    assert!(draft.apply_suggestion((1, 1)).is_err());
    assert_eq!((draft.version(), draft.has_words(), draft.text()), (0, false, PLAN));
    for line in 0..MAX_COMMENTS {
        let text = "l\n".repeat(200);
        let at = u32::try_from(line).unwrap() + 1;
        if line == 0 {
            draft = SharedDraft::new(&text, Hash::of(text.as_bytes()), None);
        }
        draft.comment((at, at), "x", CommentState::Saved).unwrap();
    }
    assert!(draft.comment((150, 150), "x", CommentState::Saved).is_err());
    draft.comment((3, 3), "changed", CommentState::Saved).unwrap();
}

#[test]
fn a_suggestion_takes_the_place_of_its_lines_and_comments_follow_theirs() {
    let mut draft = draft();
    draft.comment((3, 3), "Better:\n```suggestion\n1. Read all\n1. Look\n```", CommentState::Saved).unwrap();
    draft.comment((5, 5), "Which?", CommentState::Saved).unwrap();
    draft.apply_suggestion((3, 3)).unwrap();
    assert_eq!(draft.text(), "# Cart\n\n1. Read all\n1. Look\n2. Write\n3. Test\n");
    assert_eq!(shown(&draft), ["3-4 Better:", "6-6 Which?"]);
    assert_eq!(draft.review().edited.as_deref(), Some(draft.text()));
    draft.comment((5, 5), "```suggestion\n```", CommentState::Saved).unwrap();
    draft.apply_suggestion((5, 5)).unwrap();
    assert_eq!(draft.text(), "# Cart\n\n1. Read all\n1. Look\n3. Test\n");
    draft.edit(None).unwrap();
    assert_eq!((draft.text(), draft.review().edited.as_deref()), (PLAN, None));
}

#[test]
fn an_edit_that_changes_nothing_is_none() {
    let mut draft = draft();
    draft.edit(Some(PLAN.trim_end())).unwrap();
    assert_eq!(draft.review().edited, None);
    draft.edit(Some(&PLAN.replace('\n', "\r\n"))).unwrap();
    assert_eq!(draft.review().edited, None);
}

#[test]
fn words_on_another_text_say_so_and_its_edit_is_left_out() {
    let mut other = SharedDraft::new("# Cart\n\n2. Write\n", Hash::of(b"x"), None);
    other.comment((3, 3), "Why?", CommentState::Saved).unwrap();
    other.edit(Some("# Mine\n")).unwrap();
    let draft = SharedDraft::new(PLAN, Hash::of(PLAN.as_bytes()), Some(other.review().clone()));
    assert_eq!(shown(&draft), ["4-4 Why? (older text)"]);
    assert_eq!((draft.text(), draft.review().edited.as_deref()), (PLAN, None));
}

#[test]
fn comments_of_somebody_else_come_in_once() {
    let mut draft = draft();
    let comment = Comment { first_line: 9, last_line: 9, quote: "2. Write".into(), remark: "Why?".into() };
    assert_eq!(draft.import(vec![comment.clone(), Comment { remark: " ".into(), ..comment.clone() }]), 1);
    assert_eq!(shown(&draft), ["4-4 Why?"]);
    let again = Comment { first_line: 4, last_line: 4, ..comment };
    assert_eq!(draft.import(vec![again]), 0);
}
