//! Questions about calls: what a yes for the session covers, and that nobody is asked about what cannot work.

#![expect(clippy::disallowed_methods, reason = "lays out the files that the tests need")]

use crate::support::{Show, Stage};
use fore_agent::{Begin, Command, QuestionId, Reply};
use fore_plan::{
    Level, Mode,
    approval::Reachable,
    gate::{PatternRoots, RuleEffect},
};
use fore_testkit::{ModelScript, ScriptedTurn, call, text};
use serde_json::json;

async fn allow(show: &mut Show, call: u32, reply: Reply) {
    show.send(Command::Reply { question: QuestionId(format!("question-call-{call}")), reply }).await;
}

fn edit(old: &str, new: &str) -> ScriptedTurn {
    call("Edit", json!({"file_path": "Cargo.toml", "old_string": old, "new_string": new}))
}

#[tokio::test(flavor = "current_thread")]
async fn a_yes_for_the_session_covers_what_the_question_said_and_is_there_after_a_restart() {
    let script = ModelScript::new()
        .turn(call("Read", json!({"file_path": "Cargo.toml"})))
        .turn(edit("one", "two"))
        .turn(edit("two", "three"))
        .turn(call("Bash", json!({"command": "touch made"})))
        .turn(text("Done."));
    let stage = Stage::new(script);
    std::fs::write(stage.project.join("Cargo.toml"), "one\n").unwrap();
    let mut show = stage.start("default").await;
    show.prompt("count").await;
    show.until("asks: Edit").await;
    assert_eq!(show.for_session.as_deref(), Some("edits of Cargo.toml"));
    allow(&mut show, 2, Reply::YesForSession).await;
    assert_eq!(show.until("not asked again").await, "not asked again: edits of Cargo.toml");
    show.until("asks: Bash").await;
    assert_eq!(show.for_session.as_deref(), Some("this exact command"));
    allow(&mut show, 4, Reply::YesForSession).await;
    assert_eq!(show.until("not asked again").await, "not asked again: the exact command touch made");
    show.until("ended").await;
    assert_eq!(std::fs::read_to_string(stage.project.join("Cargo.toml")).unwrap(), "three\n", "asked about once");
    let session = show.session.unwrap();
    show.close().await;
    let mut show = stage.go(stage.launch(Begin::Resume { session, mode: None }, Reachable::Approver)).await;
    show.until("started").await;
    let allowed = show.started.clone().unwrap().allowed;
    assert_eq!(allowed, ["edits of Cargo.toml", "the exact command touch made"]);
    show.close().await;
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn nobody_is_asked_about_an_edit_that_cannot_work_and_the_model_is_told_why() {
    let script = ModelScript::new()
        .turn(edit("one", "two"))
        .turn(call("Read", json!({"file_path": "Cargo.toml"})).expect_result("Edit", "has not been read yet"))
        .turn(edit("nine", "ten"))
        .turn(edit("one", "two").expect_result("Edit", "old_string is not in"))
        .turn(call("Write", json!({"file_path": "Cargo.toml"})).expect_result("Edit", "2 times, at lines 1, 2"))
        .turn(text("I cannot.").expect_result("Write", "content"));
    let stage = Stage::new(script);
    std::fs::write(stage.project.join("Cargo.toml"), "one\none\n").unwrap();
    let mut show = stage.start("default").await;
    show.prompt("count").await;
    show.until("ended").await;
    assert_eq!(
        show.close().await,
        [
            "started in default",
            "person: count",
            "call Edit",
            "failed Edit",
            "call Read",
            "done Read",
            "call Edit",
            "failed Edit",
            "call Edit",
            "failed Edit",
            "call Write",
            "failed Write",
            "model: I cannot.",
            "ended",
            "closed"
        ]
    );
    assert_eq!(std::fs::read_to_string(stage.project.join("Cargo.toml")).unwrap(), "one\none\n");
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn what_the_gate_refuses_is_refused_in_its_words_and_a_hidden_file_stays_hidden() {
    let script = ModelScript::new()
        .turn(edit("one", "two"))
        .turn(text("No.").expect_result("Edit", "Plan mode"))
        .turn(call("Edit", json!({"file_path": "secret.txt", "old_string": "a", "new_string": "b"})))
        .turn(text("No.").expect_result("Edit", "person said no"))
        .turn(edit("one", "two"))
        .turn(text("No.").expect_result("Edit", "nobody can answer"));
    let stage = Stage::new(script);
    let mut launch = stage.launch(Begin::Fresh { mode: Mode::Plan }, Reachable::Approver);
    let roots = PatternRoots { project: &stage.project, home: None };
    launch.settings.rules.add(RuleEffect::Deny, "Read(secret.txt)", roots).unwrap();
    let mut show = stage.go(launch).await;
    show.prompt("plan").await;
    show.until("refused Edit: plan.").await;
    show.until("ended").await;
    show.send(Command::Mode { to: Mode::At(Level::Default) }).await;
    show.prompt("work").await;
    // The model may not read it, so only a person hears that it is not there.
    show.until("asks: Edit").await;
    allow(&mut show, 2, Reply::No { reason: String::new() }).await;
    show.until("ended").await;
    show.send(Command::Detach).await;
    show.prompt("go on").await;
    show.until("refused Edit: person.declined").await;
    show.until("ended").await;
    show.close().await;
    stage.server.finish().unwrap();
}
