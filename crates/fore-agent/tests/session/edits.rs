//! What a person does to a plan while it is shown: it is on disk before anything else, and there again after a restart.

#![expect(clippy::disallowed_methods, reason = "lays out the files that the tests need")]

use crate::support::Stage;
use fore_agent::Begin;
use fore_plan::{
    approval::{Comment, Reachable},
    plan::{Author, MAX_PLAN_BYTES},
};
use fore_store::{Home, session::overview};
use fore_testkit::{ModelScript, call, text};
use serde_json::json;

const PLAN: &str = "# Plan\n\n1. Fix it.\n\n## Verification\nRun the tests.\n";

fn edited() -> String {
    PLAN.replace("Fix it", "Measure it first")
}

#[tokio::test(flavor = "current_thread")]
async fn m4_keeping_and_saving_keep_the_persons_own_text() {
    for (selected, end) in [("keepPlanning", "ended"), ("saveAndStop", "ended PlanSaved")] {
        let script = ModelScript::new().turn(call("ExitPlanMode", json!({"plan": PLAN})));
        let script = match selected {
            "keepPlanning" => script.turn(text("Why?").expect_result("ExitPlanMode", "+1. Measure it first.")),
            _ => script,
        };
        let stage = Stage::new(script);
        let mut show = stage.start("plan").await;
        show.prompt("fix it").await;
        show.until("approval of revision 1").await;
        show.answer_with(selected, "", Vec::new(), Some(&edited())).await;
        show.until(end).await;
        assert_eq!(std::fs::read_to_string(show.plan_file()).unwrap(), edited(), "{selected}");
        let session = show.session.unwrap();
        show.close().await;
        let home = Home::open(&stage.home.join(".forethought")).unwrap();
        let plans = overview(&home, session).unwrap().plans;
        let authors: Vec<Author> = plans[0].revisions.iter().map(|revision| revision.author).collect();
        assert_eq!(authors, [Author::Model, Author::Person], "{selected}");
        stage.server.finish().unwrap();
    }
}

#[tokio::test(flavor = "current_thread")]
async fn m4_an_edit_that_does_not_count_leaves_the_request_waiting() {
    let stage = Stage::new(ModelScript::new().turn(call("ExitPlanMode", json!({"plan": PLAN}))));
    let mut show = stage.start("plan").await;
    show.prompt("fix it").await;
    show.until("approval of revision 1").await;
    show.answer_with("keepPlanning", "", Vec::new(), Some(&"x".repeat(MAX_PLAN_BYTES + 1))).await;
    assert_eq!(show.until("not counted").await, "not counted: the edited plan is too long");
    assert_eq!(std::fs::read_to_string(show.plan_file()).unwrap(), PLAN);
    std::fs::write(show.plan_file(), "# Somebody else\n").unwrap();
    show.answer_with("saveAndStop", "", Vec::new(), Some(&edited())).await;
    show.until("approval of revision 2").await;
    assert_eq!(
        show.last_asked.as_ref().unwrap().request.plan_content,
        "# Somebody else\n",
        "shown again, not written over"
    );
    assert_eq!(std::fs::read_to_string(show.plan_file()).unwrap(), "# Somebody else\n");
    show.answer("saveAndStop").await;
    show.until("ended PlanSaved").await;
    show.close().await;
}

#[tokio::test(flavor = "current_thread")]
async fn m4_remarks_on_a_revision_are_beside_the_next_one_also_after_a_restart() {
    let script = ModelScript::new()
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(text("How?"))
        .turn(call("ExitPlanMode", json!({"plan": edited()})));
    let stage = Stage::new(script);
    let mut show = stage.start("plan").await;
    show.prompt("fix it").await;
    show.until("approval of revision 1").await;
    let comments = vec![Comment { first_line: 3, last_line: 3, quote: "1. Fix it.".into(), remark: "how?".into() }];
    show.answer_with("keepPlanning", "unclear", comments.clone(), None).await;
    show.until("ended").await;
    let session = show.session.unwrap();
    show.close().await;
    let mut show = stage.go(stage.launch(Begin::Resume { session, mode: None }, Reachable::Approver)).await;
    show.prompt("go on").await;
    show.until("approval of revision 2").await;
    let asked = show.last_asked.clone().unwrap();
    assert_eq!(asked.earlier_comments, comments);
    assert!(asked.changed.contains("+1. Measure it first."), "{}", asked.changed);
    show.close().await;
}
