//! Planning stories: a plan is proposed, decided about, and carried out.

use crate::support::Stage;
use fore_agent::Begin;
use fore_plan::approval::Reachable;
use fore_testkit::{ModelScript, call, text};
use serde_json::json;

const PLAN: &str = "# Plan\n\n1. Fix it.\n\n## Verification\nRun the tests.\n";

#[tokio::test(flavor = "current_thread")]
async fn d4_an_approved_plan_is_carried_out_at_the_level_from_before() {
    let script = ModelScript::new()
        .turn(call("Bash", json!({"command": "touch made"})).expect_user("fix it"))
        .turn(call("ExitPlanMode", json!({"plan": PLAN})).expect_result("Bash", "call was not made"))
        .turn(text("Working.").expect_result("ExitPlanMode", "1. Fix it."));
    let stage = Stage::new(script);
    let mut show = stage.start("plan").await;
    show.prompt("fix it").await;
    show.until("approval of revision 1").await;
    assert!(!stage.project.join("made").exists());
    show.answer("startEditing").await;
    show.until("ended").await;
    let expected = [
        "started in plan",
        "person: fix it",
        "call Bash",
        "refused Bash: plan.shell-writes",
        "call ExitPlanMode",
        "approval of revision 1",
        "mode plan → default by person (test)",
        "approved at default",
        "done ExitPlanMode",
        "model: Working.",
        "ended",
        "closed",
    ];
    assert_eq!(show.close().await, expected);
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn d8_a_request_survives_a_restart_and_is_offered_again() {
    let script = ModelScript::new()
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(text("Working.").expect_result("ExitPlanMode", "1. Fix it."));
    let stage = Stage::new(script);
    let mut show = stage.start("plan").await;
    show.prompt("fix it").await;
    show.until("approval of revision 1").await;
    let session = show.session.unwrap();
    show.close().await;
    let begin = Begin::Resume { session, mode: None };
    let mut show = stage.go(stage.launch(begin, Reachable::Approver)).await;
    show.until("approval of revision 1").await;
    show.answer("acceptEdits").await;
    show.until("ended").await;
    let expected = [
        "started in plan",
        "call ExitPlanMode",
        "approval of revision 1",
        "mode plan → acceptEdits by person (test)",
        "approved at acceptEdits",
        "done ExitPlanMode",
        "model: Working.",
        "notice: acceptEdits still holds, because it was approved for this plan and 1 step of its todo list is open; choose a mode by hand to end it.",
        "ended",
        "closed",
    ];
    assert_eq!(show.close().await, expected);
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn m1_a_prompt_is_no_approval_and_takes_the_request_back() {
    let script = ModelScript::new()
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(text("Still planning.").expect_user("yes, do it").expect_result("ExitPlanMode", "not approve"));
    let stage = Stage::new(script);
    let mut show = stage.start("plan").await;
    show.prompt("fix it").await;
    show.until("approval of revision 1").await;
    let session = show.session.unwrap();
    show.close().await;
    let begin = Begin::Resume { session, mode: None };
    let mut show = stage.go(stage.launch(begin, Reachable::Nobody)).await;
    show.prompt("yes, do it").await;
    show.until("ended").await;
    let lines = show.close().await;
    assert_eq!(lines, ["started in plan", "person: yes, do it", "model: Still planning.", "ended", "closed"]);
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn l2_without_an_approver_the_plan_awaits_and_nothing_goes_on() {
    let script = ModelScript::new().turn(call("ExitPlanMode", json!({"plan": PLAN})));
    let stage = Stage::new(script);
    let begin = Begin::Fresh { mode: "plan".parse().unwrap() };
    let mut show = stage.go(stage.launch(begin, Reachable::Nobody)).await;
    show.prompt("fix it").await;
    show.until("ended PlanAwaits").await;
    let lines = show.close().await;
    assert!(lines.contains(&"awaits".to_owned()), "{lines:#?}");
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn d5_a_cleared_context_begins_with_the_plan() {
    let script = ModelScript::new()
        .turn(call("ExitPlanMode", json!({"plan": PLAN})).expect_user("fix it"))
        .turn(text("Working.").expect_user("1. Fix it."));
    let stage = Stage::new(script);
    let mut show = stage.start("plan").await;
    show.prompt("fix it").await;
    show.until("approval").await;
    show.answer("clearContextAndStart").await;
    show.until("plan:implement").await;
    show.until("ended").await;
    show.close().await;
    let requests = stage.server.finish().unwrap();
    assert_eq!(requests.len(), 2);
}
