//! What an approved, uncaged command leaves running: it ends before planning is announced, and with the session.

#![expect(clippy::disallowed_methods, reason = "reads what the processes of the test wrote")]

use crate::support::{Show, Stage};
use fore_agent::Command;
use fore_testkit::{ModelScript, call, text};
use serde_json::json;
use std::path::Path;

/// Leaves a writer behind and ends once that has begun. `ticks` grows for as long as it lives.
fn leaving(writer: &str) -> String {
    format!("{writer}\nwhile [ ! -s ticks ]; do :; done")
}

/// Ways to outlive the command that started one.
const WRITERS: [(&str, &str); 6] = [
    ("a session of its own", "(setsid nohup sh -c 'while :; do echo x >> ticks; done' >/dev/null 2>&1 &)"),
    (
        "deaf to polite signals",
        "(setsid sh -c \"trap '' TERM HUP INT QUIT; while :; do echo x >> ticks; done\" >/dev/null 2>&1 &)",
    ),
    (
        "a daemon without descriptors",
        "perl -e 'use POSIX; fork and exit; setsid; fork and exit; POSIX::close($_) for 0..255;
            while (1) { open F, q(>>), q(ticks); print F q(x); close F }'",
    ),
    (
        "one that forks and ends, over and over",
        "(setsid perl -e 'while (1) { exit if fork; open F, q(>>), q(ticks); print F q(x); close F }' >/dev/null 2>&1 &)",
    ),
    (
        "a crowd, each in a session of its own",
        "for i in $(seq 20); do (setsid sh -c 'while :; do echo x >> ticks; sleep 0.01; done' >/dev/null 2>&1 &); done",
    ),
    (
        "one that starts another as soon as it is gone",
        "(setsid sh -c 'while :; do setsid sh -c \"echo x >> ticks; sleep 0.02\" & wait; done' >/dev/null 2>&1 &)",
    ),
];

fn ticks(project: &Path) -> u64 {
    std::fs::metadata(project.join("ticks")).map_or(0, |found| found.len())
}

/// Everybody on this machine who works in the project's folder.
fn processes_in(project: &Path) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let in_project =
        entries.filter(|entry| std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == project));
    in_project.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

async fn after(stage: &Stage) -> Show {
    let mut show = stage.start("bypassPermissions").await;
    show.prompt("start it").await;
    show.until("ended").await;
    show
}

fn stage(writer: &str) -> Stage {
    let script = ModelScript::new()
        .turn(call("Bash", json!({"command": leaving(writer)})))
        .turn(text("Runs.").expect_result("Bash", "still run"))
        .turn(text("Planned."));
    Stage::new(script)
}

#[tokio::test(flavor = "current_thread")]
async fn what_a_command_left_running_is_dead_before_planning_is_announced() {
    for (name, writer) in WRITERS {
        let stage = stage(writer);
        let mut show = after(&stage).await;
        assert!(ticks(&stage.project) > 0, "{name}: the control failed");
        show.send(Command::Mode { to: "plan".parse().unwrap() }).await;
        show.until("mode bypassPermissions → plan").await;
        let before = ticks(&stage.project);
        assert_eq!(processes_in(&stage.project), Vec::<String>::new(), "{name}");
        show.prompt("plan").await;
        show.until("ended").await;
        assert_eq!(ticks(&stage.project), before, "{name}");
        let lines = show.close().await;
        let told = "notice: Planning began: processes that earlier commands had left running were stopped.";
        assert!(lines.iter().any(|line| line == told), "{name}: {lines:#?}");
    }
}

#[tokio::test(flavor = "current_thread")]
async fn what_a_command_left_running_ends_with_the_session() {
    let (_, writer) = WRITERS[0];
    let stage = stage(writer);
    let show = after(&stage).await;
    assert!(!processes_in(&stage.project).is_empty(), "the control failed");
    show.close().await;
    assert_eq!(processes_in(&stage.project), Vec::<String>::new());
}

#[tokio::test(flavor = "current_thread")]
async fn a_stopped_command_takes_along_what_it_has_started() {
    let (_, writer) = WRITERS[0];
    let script = ModelScript::new()
        .turn(call("Bash", json!({"command": format!("{}; sleep 600", leaving(writer))})))
        .turn(text("Fine."));
    let stage = Stage::new(script);
    let mut show = stage.start("bypassPermissions").await;
    show.prompt("start it").await;
    show.until("call Bash").await;
    while ticks(&stage.project) == 0 {
        tokio::task::yield_now().await;
    }
    show.send(Command::Interrupt).await;
    show.until("ended").await;
    assert_eq!(processes_in(&stage.project), Vec::<String>::new());
    show.close().await;
}

#[tokio::test(flavor = "current_thread")]
async fn what_the_person_started_is_left_alone() {
    let stage = Stage::new(ModelScript::new());
    let mut show = stage.start("bypassPermissions").await;
    let line = "(setsid sh -c 'echo x > ticks; exec sleep 600' >/dev/null 2>&1 &); while [ ! -s ticks ]; do :; done";
    show.send(Command::Typed { line: line.into() }).await;
    show.until("done !").await;
    show.send(Command::Mode { to: "plan".parse().unwrap() }).await;
    show.until("mode bypassPermissions → plan").await;
    let people = processes_in(&stage.project);
    for pid in &people {
        std::process::Command::new("kill").arg(pid).status().unwrap();
    }
    assert_eq!(people.len(), 1, "{people:?}");
    show.close().await;
}
