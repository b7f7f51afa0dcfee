//! Nobody takes the controls away: interrupt, mode and signals act whatever other processes hold.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(
    clippy::disallowed_methods,
    reason = "prepares the workspace of the program under test, and holds what it can"
)]

#[path = "support/model.rs"]
#[allow(dead_code, reason = "other tests use its other parts")]
mod model;
mod support;

use fore_testkit::{Script, call, text};
use model::{Running, Scene};
use serde_json::{Value, json};
use std::{
    fs::File,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    time::{Duration, Instant},
};

/// The controls are made to act within a second; a busy machine gets more.
const AT_ONCE: Duration = Duration::from_secs(3);
const TALKS: [&str; 5] = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];
/// Events that are read before a test gives up.
const MAX_EVENTS: usize = 10_000;

fn command(name: &str) -> Value {
    json!({ "command": name })
}

fn prompt(text: &str) -> Value {
    json!({ "command": "prompt", "text": text })
}

fn to_mode(mode: &str) -> Value {
    json!({ "command": "mode", "to": mode })
}

/// Says something and waits for the event that shows that it was heard.
#[track_caller]
fn acts(run: &mut Running, said: &Value, event: &str) -> Value {
    let started = Instant::now();
    run.say(said);
    for _ in 0..MAX_EVENTS {
        let next = run.next().unwrap_or_else(|| panic!("the run ended before `{event}`"));
        if next["event"] == event {
            assert!(started.elapsed() < AT_ONCE, "{said} took {:?}", started.elapsed());
            return next;
        }
    }
    panic!("no `{event}`");
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let below = |entry: std::fs::DirEntry| match entry.path() {
        path if path.is_dir() => files(&path),
        path => vec![path],
    };
    entries.flat_map(below).collect()
}

/// Locks every file of ours that is not locked already.
fn hold_every_lock(scene: &Scene) -> Vec<File> {
    let files = files(&scene.place.folder("home")).into_iter().filter_map(|path| File::open(path).ok());
    files.filter(|file| file.try_lock().is_ok()).collect()
}

#[test]
fn with_every_lock_held_the_mode_changes_a_call_is_judged_and_an_interrupt_stops_the_turn() {
    let script = Script::new()
        .turn(call("Read", json!({"file_path": "notes.txt"})))
        .turn(text("I am thinking about it, slowly.").stall(4));
    let scene = Scene::new(script);
    scene.place.file("notes.txt", "one\n");
    let mut run = scene.start(&TALKS);
    run.wait_for("started");
    let held = hold_every_lock(&scene);
    assert!(!held.is_empty(), "nothing was there to hold");
    acts(&mut run, &to_mode("plan"), "mode-changed");
    acts(&mut run, &prompt("look"), "tool-finished");
    acts(&mut run, &to_mode("default"), "mode-changed");
    acts(&mut run, &command("cycle-mode"), "mode-changed");
    let ended = acts(&mut run, &command("interrupt"), "turn-ended");
    assert_eq!(ended["outcome"]["ended"], "interrupted", "{ended}");
    drop(held);
    run.end();
}

#[test]
fn a_command_that_ignores_signals_or_stops_its_guard_does_not_keep_an_interrupt_waiting() {
    let page = [
        "trap '' TERM INT HUP; echo ready; sleep 60",
        "echo ready; kill -STOP $PPID; sleep 60",
        "echo ready; kill -STOP $$",
    ];
    for line in page {
        let script = Script::new().turn(call("Bash", json!({ "command": line }))).allow_unused_turns();
        let scene = Scene::new(script);
        assert_eq!(scene.place.fore(&["trust"]).code, Some(0));
        let free = ["--mode", "bypassPermissions", "--dangerously-allow-bypass"];
        let mut run = scene.start(&[&TALKS[..], &free].concat());
        run.say(&prompt("run it"));
        run.wait_for("tool-output");
        let ended = acts(&mut run, &command("interrupt"), "turn-ended");
        assert_eq!(ended["outcome"]["ended"], "interrupted", "{line}: {ended}");
        acts(&mut run, &to_mode("plan"), "mode-changed");
        run.end();
    }
}

#[test]
fn a_key_command_that_hangs_keeps_nobody_from_the_controls() {
    let scene = Scene::new(Script::new().turn(text("I am thinking about it, slowly.").stall(4)));
    scene.place.settings(r#"{"model": {"providers": {"xai": {"apiKeyCommand": "sleep 60"}}}}"#);
    let mut run = scene.start(&TALKS);
    run.say(&prompt("hello"));
    run.wait_for("text");
    run.say(&json!({ "command": "model", "name": "xai/grok" }));
    acts(&mut run, &to_mode("plan"), "mode-changed");
    let ended = acts(&mut run, &command("interrupt"), "turn-ended");
    assert_eq!(ended["outcome"]["ended"], "interrupted", "{ended}");
    run.signal(libc::SIGTERM);
    run.end();
}

/// A run whose output nobody reads, with more of it than a pipe takes.
fn unread() -> (Scene, Running) {
    let many = "slowly, ".repeat(60_000);
    let script = Script::new().turn(text(&many).stall(39_000)).allow_unused_turns();
    let scene = Scene::new(script);
    let mut run = scene.start(&TALKS);
    run.say(&prompt("talk"));
    run.wait_for("text");
    assert!(scene.server.wait_requests_blocking(1));
    (scene, run)
}

fn ends(child: &mut Child, within: Duration) -> bool {
    let started = Instant::now();
    while started.elapsed() < within {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        std::thread::park_timeout(Duration::from_millis(10));
    }
    false
}

#[test]
fn output_that_nobody_reads_holds_up_neither_an_interrupt_nor_a_signal() {
    let (scene, mut run) = unread();
    run.say(&command("interrupt"));
    assert!(scene.server.wait_closed_blocking(0), "the model is still asked");
    // What was held back is there when somebody reads again.
    let ended = run.wait_for("turn-ended");
    assert_eq!(ended["outcome"]["ended"], "interrupted", "{ended}");
    run.end();

    for signal in [libc::SIGINT, libc::SIGTERM] {
        let (_scene, mut run) = unread();
        run.signal(signal);
        assert!(ends(&mut run.child, AT_ONCE + AT_ONCE), "it waits for a reader");
    }
}

#[test]
fn a_pipe_in_the_place_of_any_file_that_may_be_there_keeps_no_start_waiting() {
    let home = ["settings.json", "trusted.json", "trusted", "tips.json", "audit.jsonl", "audit.lock", "AGENTS.md"];
    let project = [".forethought/settings.json", ".forethought/settings.local.json", "AGENTS.md", ".gitignore"];
    for (top, name) in home.map(|name| ("home", name)).into_iter().chain(project.map(|name| ("project", name))) {
        let scene = Scene::new(Script::new().turn(text("Hello.")).allow_unused_turns());
        let path = scene.place.folder(top).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let path = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: a valid C string.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
        let mut child = scene.command(&["-p", "hello"]);
        let mut child = child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let has_ended = ends(&mut child, Duration::from_secs(10));
        let _ = child.kill();
        let _ = child.wait();
        assert!(has_ended, "{top}/{name}");
    }
}
