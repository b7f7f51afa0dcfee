//! What a hook of the person's can do to a question and a permit: a yes only to what the table asks at work, and never while planning.

use super::*;
use crate::gate::Question;

fn asked(story: &Story, rules: &Rules, tool: &str, input: Value) -> Question {
    match verdict(&story.state, rules, tool, input) {
        Verdict::Ask(question) => question,
        other => panic!("{tool} was not asked about: {other:?}"),
    }
}

#[test]
fn class_11_a_hook_answers_only_what_the_table_asks_at_work() {
    let story = Story::at(Level::Default);
    let edit = || json!({"file_path": "src/cart.rs"});
    let permit = asked(&story, &Rules::default(), "Edit", edit()).allowed_by_hook(&story.state).unwrap();
    assert_eq!(permit.source(), PermitSource::Hook);
    assert!(permit.present(&story.state).is_ok());
    // A rule that asks means the person.
    let question = asked(&story, &rules(&[(RuleEffect::Ask, "Edit")]), "Edit", edit());
    let question = question.allowed_by_hook(&story.state).unwrap_err();
    assert!(question.answer(Reply::Yes, &story.state).is_ok(), "and the person can still answer it");
}

#[test]
fn class_11_while_planning_no_hook_answers_a_question() {
    let mut story = Story::at(Level::Default);
    let at_work = asked(&story, &Rules::default(), "Edit", json!({"file_path": "src/cart.rs"}));
    story.enter();
    assert!(at_work.allowed_by_hook(&story.state).is_err(), "planning began while the hook ran");
    let question = asked(&story, &Rules::default(), "WebFetch", json!({"url": "https://docs.example/"}));
    assert!(!question.may_be_answered_by_hook());
    assert!(question.allowed_by_hook(&story.state).is_err());
}

#[test]
fn class_11_a_hook_can_have_the_person_asked_and_no_hook_answers_that() {
    let story = Story::at(Level::AcceptEdits);
    let Verdict::Allow(permit) = verdict(&story.state, &Rules::default(), "Edit", json!({"file_path": "src/cart.rs"}))
    else {
        panic!("edits pass")
    };
    let question = permit.asked_first(&story.state, "guard.sh", "Look at this.".into());
    assert_eq!((question.rule(), question.text()), ("hook guard.sh", "Look at this."));
    let question = question.allowed_by_hook(&story.state).unwrap_err();
    let refusal = question.answer(Reply::No { reason: "no".into() }, &story.state).unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Declined);
}
