//! Turns outside of planning: answers, calls, questions, interrupts.

use crate::support::Stage;
use fore_agent::{Command, PromptTiming, QuestionId, Reply};
use fore_testkit::{ModelScript, call, text};
use serde_json::json;

#[tokio::test(flavor = "current_thread")]
async fn a_prompt_gets_an_answer() {
    let stage = Stage::new(ModelScript::new().turn(text("Hello.").expect_user("hi")));
    let mut show = stage.start("default").await;
    show.prompt("hi").await;
    show.until("ended").await;
    assert_eq!(show.close().await, ["started in default", "person: hi", "model: Hello.", "ended", "closed"]);
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn a_change_is_asked_for_and_the_no_reaches_the_model() {
    let script = ModelScript::new()
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
async fn words_that_wait_can_be_taken_back_and_an_interrupt_alone_leaves_them() {
    let script = ModelScript::new()
        .turn(call("Bash", json!({"command": "touch made"})))
        .turn(call("Bash", json!({"command": "touch made"})).expect_user("stays"));
    let stage = Stage::new(script);
    let mut show = stage.start("default").await;
    show.send(Command::TakeBack).await;
    assert_eq!(show.until("returned").await, "returned: ", "nothing waits, and that is said");
    show.prompt("first").await;
    show.until("asks: Bash").await;
    show.prompt("stays").await;
    show.send(Command::Interrupt).await;
    show.until("person: stays").await;
    show.until("asks: Bash").await;
    show.prompt("second").await;
    show.send(Command::Prompt { text: "now".into(), when: PromptTiming::Steer }).await;
    show.send(Command::TakeBack).await;
    assert_eq!(show.until("returned").await, "returned: now, second");
    show.send(Command::Interrupt).await;
    show.until("ended Interrupted").await;
    let lines = show.close().await;
    assert!(!lines.contains(&"person: second".to_owned()) && !lines.contains(&"person: now".to_owned()), "{lines:#?}");
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn words_can_wait_behind_a_turn() {
    let script = ModelScript::new()
        .turn(call("Bash", json!({"command": "touch made"})))
        .turn(text("one").expect_result("Bash", "person said no"))
        .turn(text("two").expect_user("second"));
    let stage = Stage::new(script);
    let mut show = stage.start("default").await;
    show.prompt("first").await;
    show.until("asks: Bash").await;
    show.send(Command::Prompt { text: "second".into(), when: PromptTiming::Queue }).await;
    show.until("queued: second").await;
    let question = QuestionId("question-call-1".into());
    show.send(Command::Reply { question, reply: Reply::No { reason: String::new() } }).await;
    show.until("model: two").await;
    show.until("ended").await;
    show.close().await;
    stage.server.finish().unwrap();
}

fn compact(keep: &str) -> Command {
    Command::Compact { keep: keep.into() }
}

#[tokio::test(flavor = "current_thread")]
async fn a_summary_is_told_from_its_beginning_to_its_end() {
    let script = ModelScript::new().turn(text("Hello.")).turn(text("They met.").expect_user("the greeting"));
    let stage = Stage::new(script);
    let mut show = stage.start("default").await;
    show.send(compact("")).await;
    show.until("notice").await;
    show.prompt("hi").await;
    show.until("ended").await;
    show.send(compact("the greeting")).await;
    show.until("summarising is over").await;
    show.send(compact("")).await;
    show.until("notice").await;
    let nothing = "notice: There is nothing to summarise yet.";
    assert_eq!(
        show.close().await,
        [
            "started in default",
            nothing,
            "person: hi",
            "model: Hello.",
            "ended",
            "summarising",
            "context summarised",
            "summarising is over",
            nothing,
            "closed"
        ]
    );
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn a_summary_that_takes_long_can_be_stopped() {
    // Whether the question reached the model before it was stopped is luck; what the person sees is not.
    let script = ModelScript::new().turn(text("Hello.")).turn(text("They").stall(0)).allow_unused_turns();
    let stage = Stage::new(script);
    let mut show = stage.start("default").await;
    show.prompt("hi").await;
    show.until("ended").await;
    show.send(compact("")).await;
    show.until("summarising").await;
    show.send(Command::Interrupt).await;
    show.until("summarising is over").await;
    assert_eq!(show.until("notice").await, "notice: The history was not summarised: it was interrupted");
    let lines = show.close().await;
    assert!(!lines.contains(&"context summarised".to_owned()), "{lines:#?}");
}
