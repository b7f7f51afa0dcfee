//! Taking prompts back: the model no longer sees them, whatever else happened stays, and a restart changes nothing of that.

use crate::{
    prefix::until_end_of_messages,
    support::{Show, Stage},
};
use fore_agent::{Begin, Command};
use fore_plan::approval::Reachable;
use fore_testkit::{ModelScript, RecordedRequest, WireProtocol, call, text};
use serde_json::json;

const PLAN: &str = "# Plan\n\n1. Fix it.\n\n## Verification\nRun the tests.\n";

async fn turn(show: &mut Show, prompt: &str) {
    show.prompt(prompt).await;
    show.until("ended").await;
}

async fn rewind(show: &mut Show) -> String {
    show.send(Command::Rewind).await;
    show.until("taken back").await
}

/// Which of these words a request holds, and how often.
fn counted(request: &RecordedRequest, words: &[&str]) -> Vec<usize> {
    let body = String::from_utf8_lossy(&request.body).into_owned();
    words.iter().map(|word| body.matches(word).count()).collect()
}

#[tokio::test(flavor = "current_thread")]
async fn the_model_sees_nothing_of_what_was_taken_back_and_the_prefix_holds_in_every_protocol() {
    for protocol in WireProtocol::ALL {
        let script = ModelScript::new().turn(text("First.")).turn(text("Second.")).turn(text("Third."));
        let stage = Stage::over(protocol, script);
        let mut show = stage.start("default").await;
        turn(&mut show, "prompt one").await;
        turn(&mut show, "prompt two").await;
        assert_eq!(rewind(&mut show).await, "taken back: prompt two");
        turn(&mut show, "prompt three").await;
        show.close().await;
        let requests = stage.server.finish().unwrap();
        let words = ["prompt one", "First.", "prompt two", "Second.", "prompt three"];
        assert_eq!(counted(&requests[2], &words), [1, 1, 0, 0, 1], "{protocol:?}");
        let before = until_end_of_messages(&requests[0], protocol);
        assert!(requests[2].body.starts_with(before), "{protocol:?}: what the provider keeps is still a prefix");
    }
}

#[tokio::test(flavor = "current_thread")]
async fn several_rewinds_go_back_several_prompts_and_not_beyond_a_cut() {
    let script = ModelScript::new().turn(text("0")).turn(text("1")).turn(text("2")).turn(text("3"));
    let stage = Stage::new(script);
    let mut show = stage.start("default").await;
    turn(&mut show, "before the cut").await;
    show.send(Command::Clear).await;
    show.until("context cleared").await;
    turn(&mut show, "prompt one").await;
    turn(&mut show, "prompt two").await;
    assert_eq!(rewind(&mut show).await, "taken back: prompt two");
    assert_eq!(rewind(&mut show).await, "taken back: prompt one");
    show.send(Command::Rewind).await;
    assert_eq!(
        show.until("notice").await,
        "notice: There is no prompt to go back to: what came before was summarised or cleared, or nothing was said."
    );
    turn(&mut show, "prompt three").await;
    show.close().await;
    let requests = stage.server.finish().unwrap();
    let words = ["before the cut", "prompt one", "prompt two", "prompt three", "These agents can be started"];
    assert_eq!(counted(&requests[3], &words), [0, 0, 0, 1, 1], "what a conversation begins with is told again");
}

#[tokio::test(flavor = "current_thread")]
async fn a_restart_and_a_fork_see_what_the_rewind_left() {
    let script = ModelScript::new().turn(text("1")).turn(text("2")).turn(text("3")).turn(text("4"));
    let stage = Stage::new(script);
    let mut show = stage.start("default").await;
    turn(&mut show, "prompt one").await;
    turn(&mut show, "prompt two").await;
    rewind(&mut show).await;
    let session = show.session.unwrap();
    show.close().await;
    let mut show = stage.go(stage.launch(Begin::Resume { session, mode: None }, Reachable::Approver)).await;
    turn(&mut show, "prompt three").await;
    rewind(&mut show).await;
    show.close().await;
    let mut show = stage.go(stage.launch(Begin::Fork { session, mode: None }, Reachable::Approver)).await;
    turn(&mut show, "prompt four").await;
    show.close().await;
    let requests = stage.server.finish().unwrap();
    let words = ["prompt one", "prompt two", "prompt three", "prompt four"];
    assert_eq!(counted(&requests[2], &words), [1, 0, 1, 0]);
    assert_eq!(counted(&requests[3], &words), [1, 0, 0, 1]);
}

#[tokio::test(flavor = "current_thread")]
async fn e1_a_reminder_that_was_taken_back_is_told_again() {
    let script = ModelScript::new().turn(text("What?")).turn(text("Which one?"));
    let stage = Stage::new(script);
    let mut show = stage.start("plan").await;
    turn(&mut show, "prompt one").await;
    rewind(&mut show).await;
    turn(&mut show, "prompt two").await;
    let lines = show.close().await;
    assert!(lines.iter().all(|line| !line.starts_with("mode ")), "the mode stays: {lines:#?}");
    let requests = stage.server.finish().unwrap();
    let words = ["Plan mode is on", "prompt one", "prompt two"];
    assert_eq!(counted(&requests[1], &words), [1, 0, 1]);
}

#[tokio::test(flavor = "current_thread")]
async fn a_rewind_interrupts_the_turn_and_takes_its_request_back() {
    let script = ModelScript::new()
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(text("Still planning?").expect_user("prompt two"));
    let stage = Stage::new(script);
    let mut show = stage.start("plan").await;
    show.prompt("prompt one").await;
    show.until("approval of revision 1").await;
    assert_eq!(rewind(&mut show).await, "taken back: prompt one");
    show.answer("startEditing").await;
    show.until("notice: The answer did not count").await;
    turn(&mut show, "prompt two").await;
    let expected = [
        "started in plan",
        "person: prompt one",
        "call ExitPlanMode",
        "approval of revision 1",
        "keep planning: ",
        "interrupted ExitPlanMode",
        "ended Interrupted",
        "taken back: prompt one",
        "notice: The answer did not count: no such question is open.",
        "person: prompt two",
        "model: Still planning?",
        "ended",
        "closed",
    ];
    assert_eq!(show.close().await, expected);
    let requests = stage.server.finish().unwrap();
    assert_eq!(counted(&requests[1], &["prompt one", "was not approved", "prompt two"]), [0, 0, 1]);
}

#[tokio::test(flavor = "current_thread")]
async fn words_come_back_as_they_were_typed() {
    let stage = Stage::new(ModelScript::new().turn(text("1")));
    let mut show = stage.start("default").await;
    turn(&mut show, "<system-reminder> is what I typed\n  in two lines").await;
    assert_eq!(rewind(&mut show).await, "taken back: <system-reminder> is what I typed\n  in two lines");
    show.close().await;
}

#[tokio::test(flavor = "current_thread")]
async fn what_the_person_ran_themselves_goes_with_the_next_words() {
    let script = ModelScript::new().turn(text("1")).turn(text("2"));
    let stage = Stage::new(script);
    let mut show = stage.start("default").await;
    show.send(Command::Typed { line: "echo by hand".into() }).await;
    show.until("done !").await;
    turn(&mut show, "prompt one").await;
    rewind(&mut show).await;
    turn(&mut show, "prompt two").await;
    show.close().await;
    let requests = stage.server.finish().unwrap();
    let words = ["The person ran `echo by hand` themselves", "prompt one", "prompt two"];
    assert_eq!(counted(&requests[1], &words), [1, 0, 1]);
}

#[tokio::test(flavor = "current_thread")]
async fn what_the_person_ran_themselves_survives_a_rewind_and_the_end_of_the_program_and_is_told_once() {
    let stage = Stage::new(ModelScript::new().turn(text("1")).turn(text("2")).turn(text("3")));
    let mut show = stage.start("default").await;
    show.send(Command::Typed { line: "echo at first".into() }).await;
    show.until("done !").await;
    turn(&mut show, "prompt one").await;
    show.send(Command::Typed { line: "echo between".into() }).await;
    show.until("done !").await;
    turn(&mut show, "prompt two").await;
    rewind(&mut show).await;
    rewind(&mut show).await;
    show.send(Command::Typed { line: "echo at last".into() }).await;
    show.until("done !").await;
    let session = show.session.unwrap();
    show.close().await;
    let mut show = stage.go(stage.launch(Begin::Resume { session, mode: None }, Reachable::Approver)).await;
    turn(&mut show, "prompt three").await;
    show.close().await;
    let requests = stage.server.finish().unwrap();
    let ran = |what: &str| format!("The person ran `echo {what}` themselves");
    let ran = [ran("at first"), ran("between"), ran("at last")];
    assert_eq!(counted(&requests[2], &ran.each_ref().map(String::as_str)), [1, 1, 1]);
    let words = ["prompt one", "prompt two", "prompt three", "These agents can be started"];
    assert_eq!(counted(&requests[2], &words), [0, 0, 1, 1]);
}

#[tokio::test(flavor = "current_thread")]
async fn what_the_person_ran_while_a_plan_waited_comes_after_the_answer_to_it() {
    let script = ModelScript::new().turn(call("ExitPlanMode", json!({"plan": PLAN}))).turn(text("Working."));
    let stage = Stage::new(script);
    let mut show = stage.start("plan").await;
    show.prompt("prompt one").await;
    show.until("approval of revision 1").await;
    show.send(Command::Typed { line: "echo by hand".into() }).await;
    show.until("done !").await;
    let session = show.session.unwrap();
    show.close().await;
    let mut show = stage.go(stage.launch(Begin::Resume { session, mode: None }, Reachable::Approver)).await;
    show.until("approval of revision 1").await;
    show.answer("startEditing").await;
    show.until("ended").await;
    show.close().await;
    let requests = stage.server.finish().unwrap();
    let body: serde_json::Value = serde_json::from_slice(&requests[1].body).unwrap();
    let last = body["messages"].as_array().unwrap().last().unwrap()["content"].as_array().unwrap().clone();
    let kinds: Vec<_> = last.iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["tool_result", "text"], "{last:#?}");
    assert_eq!(counted(&requests[1], &["The person ran `echo by hand` themselves"]), [1]);
}

#[tokio::test(flavor = "current_thread")]
async fn an_approval_that_was_taken_back_from_the_model_still_holds_and_it_is_told_of_the_plan() {
    let todos = json!({"todos": [{"content": "Fix it", "status": "pending", "activeForm": "Fixing"}]});
    let script = ModelScript::new()
        .turn(text("What is wrong?"))
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(call("TodoWrite", todos))
        .turn(text("Half done."))
        .turn(text("Going on."));
    let stage = Stage::new(script);
    let mut show = stage.start("plan").await;
    turn(&mut show, "prompt one").await;
    show.prompt("prompt two").await;
    show.until("approval of revision 1").await;
    let plan = show.plan_file();
    show.answer("acceptEdits").await;
    show.until("ended").await;
    rewind(&mut show).await;
    let mode = show.mode;
    turn(&mut show, "prompt three").await;
    assert_eq!(mode.map(fore_plan::Mode::name), Some("acceptEdits"), "what was approved stays approved");
    show.close().await;
    let requests = stage.server.finish().unwrap();
    let words = ["prompt two", "Plan mode is off", "approves nothing", "was shortened", "1. Fix it.", "[ ] Fix it"];
    assert_eq!(counted(&requests[4], &words), [0, 1, 0, 0, 1, 1]);
    let body: serde_json::Value = serde_json::from_slice(&requests[4].body).unwrap();
    let last = body["messages"].as_array().unwrap().last().unwrap()["content"].as_array().unwrap().clone();
    let texts: Vec<_> = last.iter().filter_map(|block| block["text"].as_str()).take(2).collect();
    let plan = plan.display().to_string();
    insta::assert_snapshot!(texts.join("\n").replace(&plan, "PLAN"), @r"
    <system-reminder>
    Plan mode is off: changes are allowed again, within the permissions of the session. The person approved the plan at PLAN.
    </system-reminder>
    <system-reminder>
    The person took back a part of the conversation, and with it what you knew of the plan at PLAN. They had approved it, and that still holds. Files stay as they are, so a step of it may be done already: look before you repeat one. Its text as it was approved, which is what counts:

    # Plan

    1. Fix it.

    ## Verification
    Run the tests.
    </system-reminder>
    ");
}
