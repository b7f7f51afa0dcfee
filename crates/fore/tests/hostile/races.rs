//! The person turns planning on while something runs or waits: what was begun before does not go on changing things.

use crate::{
    BYPASS,
    stage::{MARK, Stage, Ways, prompt},
};
use fore_agent::{Begin, Command, Event, Handle, Reply};
use fore_plan::Mode;
use fore_testkit::{ModelScript, Server, call, text};
use serde_json::json;
use std::{os::unix::fs::OpenOptionsExt, time::Duration};

const MAX_SILENCE: Duration = Duration::from_secs(60);

async fn started(stage: &Stage, ways: Ways, server: &Server) -> Handle {
    let fresh = Begin::Fresh { mode: ways.level.parse().unwrap() };
    let handle = fore_agent::start(stage.launch(server, ways, fresh)).await.unwrap();
    assert!(handle.send(prompt("do it")).await);
    handle
}

/// Reads events until one fits. A session that says nothing for a minute fails the test.
async fn until(handle: &mut Handle, fits: impl Fn(&Event) -> bool) -> Event {
    loop {
        let event = tokio::time::timeout(MAX_SILENCE, handle.next()).await.unwrap().unwrap();
        if fits(&event) {
            return event;
        }
    }
}

async fn close(mut handle: Handle) {
    until(&mut handle, |event| matches!(event, Event::TurnEnded { .. })).await;
    assert!(handle.send(Command::Close).await);
    handle.ended().await;
}

/// Says when it has begun, and would write when the pipe is opened by the test.
fn waits_and_writes() -> serde_json::Value {
    json!({"command": format!("echo begun; read line < go; echo x > {MARK}-late")})
}

fn pipe(stage: &Stage) -> std::path::PathBuf {
    let path = stage.project.join("go");
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    path
}

#[tokio::test(flavor = "current_thread")]
async fn a_command_that_runs_when_planning_begins_is_stopped() {
    let stage = Stage::new();
    let go = pipe(&stage);
    let script = ModelScript::new()
        .turn(call("Bash", waits_and_writes()))
        .turn(text("Oh.").expect_result("Bash", "planning began"));
    let server = Server::start_blocking(script).unwrap();
    let mut handle = started(&stage, BYPASS, &server).await;
    until(&mut handle, |event| matches!(event, Event::ToolOutput { text, .. } if text.contains("begun"))).await;
    assert!(handle.send(Command::Mode { to: Mode::Plan }).await);
    until(&mut handle, |event| matches!(event, Event::ToolFinished { .. })).await;
    assert!(
        std::fs::OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(go).is_err(),
        "nobody waits any more"
    );
    close(handle).await;
    assert!(!stage.project.join(format!("{MARK}-late")).exists());
    server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn a_yes_that_comes_after_planning_began_counts_for_nothing() {
    let stage = Stage::new();
    let script = ModelScript::new()
        .turn(call("Bash", json!({"command": format!("touch {MARK}-asked")})))
        .turn(text("Oh.").expect_result("Bash", "mode changed"));
    let server = Server::start_blocking(script).unwrap();
    let ways = Ways { level: "default", ..BYPASS };
    let mut settings_that_ask = stage.launch(&server, ways, Begin::Fresh { mode: "default".parse().unwrap() });
    settings_that_ask.settings.rules = Default::default();
    let mut handle = fore_agent::start(settings_that_ask).await.unwrap();
    assert!(handle.send(prompt("do it")).await);
    let Event::Asked(asked) = until(&mut handle, |event| matches!(event, Event::Asked(_))).await else { panic!() };
    assert!(handle.send(Command::Mode { to: Mode::Plan }).await);
    assert!(handle.send(Command::Reply { question: asked.question, reply: Reply::Yes }).await);
    close(handle).await;
    assert!(!stage.project.join(format!("{MARK}-asked")).exists());
    server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn a_background_command_that_writes_ends_when_planning_begins() {
    let stage = Stage::new();
    let go = pipe(&stage);
    let mut input = waits_and_writes();
    input["run_in_background"] = json!(true);
    let ask = json!({"questions": [{"question": "Which?", "header": "x", "multiSelect": false,
        "options": [{"label": "a", "description": "a"}, {"label": "b", "description": "b"}]}]});
    let script = ModelScript::new()
        .turn(call("Bash", input))
        .turn(call("AskUserQuestion", ask))
        .turn(call("Bash", json!({"command": format!("touch {MARK}-late")})))
        .turn(text("Oh."));
    let server = Server::start_blocking(script).unwrap();
    let mut handle = started(&stage, BYPASS, &server).await;
    let Event::FormAsked { question, .. } = until(&mut handle, |event| matches!(event, Event::FormAsked { .. })).await
    else {
        panic!()
    };
    assert!(handle.send(Command::Mode { to: Mode::Plan }).await);
    until(&mut handle, |event| matches!(event, Event::Notice { text, .. } if text.contains("planning began"))).await;
    assert!(handle.send(Command::FillForm { question, answers: vec![Default::default()] }).await);
    assert!(
        std::fs::OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(go).is_err(),
        "nobody waits any more"
    );
    close(handle).await;
    assert!(!stage.project.join(format!("{MARK}-late")).exists());
    server.finish().unwrap();
}
