//! Turns outside of planning: answers, calls, questions, interrupts.

use crate::support::Stage;
use fore_agent::{
    Command,
    command::{QuestionId, Reply, When},
};
use fore_testkit::{Script, call, text};
use serde_json::json;

#[tokio::test(flavor = "current_thread")]
async fn a_prompt_gets_an_answer() {
    let stage = Stage::new(Script::new().turn(text("Hello.").expect_user("hi")));
    let mut show = stage.start("default").await;
    show.prompt("hi").await;
    show.until("ended").await;
    assert_eq!(show.close().await, ["started in default", "person: hi", "model: Hello.", "ended", "closed"]);
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn a_change_is_asked_for_and_the_no_reaches_the_model() {
    let script = Script::new()
        .turn(call("Bash", json!({"command": "touch made"})))
        .turn(text("Then not.").expect_result("Bash", "not today"));
    let stage = Stage::new(script);
    let mut show = stage.start("default").await;
    show.prompt("make it").await;
    show.until("asks: Bash").await;
    let question = QuestionId("question-call-1".into());
    show.send(Command::Reply { question, reply: Reply::No { reason: "not today".into() } }).await;
    show.until("ended").await;
    let lines = show.close().await;
    assert!(lines.contains(&"refused Bash: person.declined".to_owned()), "{lines:#?}");
    assert!(!stage.project.join("made").exists());
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn words_can_wait_behind_a_turn() {
    let script = Script::new()
        .turn(call("Bash", json!({"command": "touch made"})))
        .turn(text("one").expect_result("Bash", "person said no"))
        .turn(text("two").expect_user("second"));
    let stage = Stage::new(script);
    let mut show = stage.start("default").await;
    show.prompt("first").await;
    show.until("asks: Bash").await;
    show.send(Command::Prompt { text: "second".into(), when: When::Queue }).await;
    show.until("queued: second").await;
    let question = QuestionId("question-call-1".into());
    show.send(Command::Reply { question, reply: Reply::No { reason: String::new() } }).await;
    show.until("model: two").await;
    show.until("ended").await;
    show.close().await;
    stage.server.finish().unwrap();
}
