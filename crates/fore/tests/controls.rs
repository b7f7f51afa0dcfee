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

use fore_testkit::{ModelScript, call, kernel::LimitedMachine, text};
use model::{Running, Scene};
use serde_json::{Value, json};
use std::{
    fs::File,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    time::{Duration, Instant},
};

/// The controls are made to act within a second; a busy machine gets more.
const AT_ONCE: Duration = Duration::from_secs(10);
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
    let script = ModelScript::new()
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

/// Whether a process ends soon.
fn is_soon_gone(pid: u32) -> bool {
    let started = Instant::now();
    while started.elapsed() < AT_ONCE {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        if stat.is_empty() || stat.contains(") Z ") {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

#[test]
fn a_command_that_ignores_signals_or_stops_its_guard_does_not_keep_an_interrupt_waiting() {
    let page = [
        "trap '' TERM INT HUP; echo $$; sleep 60",
        "echo $$; kill -STOP $PPID; sleep 60",
        "echo $$; kill -STOP $$",
        // Stopped again each time that it is woken.
        "echo $$; until [ -e seen ]; do :; done; while :; do kill -STOP $PPID; done",
        "(trap '' HUP TERM; until [ -e seen ]; do :; done; while :; do kill -STOP $PPID; done) & echo $!; sleep 60",
    ];
    for line in page {
        let script = ModelScript::new().turn(call("Bash", json!({ "command": line }))).allow_unused_turns();
        let scene = Scene::new(script);
        assert_eq!(scene.place.fore(&["trust"]).code, Some(0));
        let free = ["--mode", "bypassPermissions", "--dangerously-allow-bypass"];
        let mut run = scene.start(&[&TALKS[..], &free].concat());
        run.say(&prompt("run it"));
        let output = run.wait_for("tool-output");
        scene.place.file("seen", "");
        let pid: u32 =
            output["text"].as_str().unwrap_or_default().trim().parse().unwrap_or_else(|_| panic!("{output}"));
        let ended = acts(&mut run, &command("interrupt"), "turn-ended");
        assert_eq!(ended["outcome"]["ended"], "interrupted", "{line}: {ended}");
        acts(&mut run, &to_mode("plan"), "mode-changed");
        assert!(is_soon_gone(pid), "{line}: it still runs");
        run.end();
    }
}

#[test]
fn a_key_command_that_hangs_keeps_nobody_from_the_controls() {
    let scene = Scene::new(ModelScript::new().turn(text("I am thinking about it, slowly.").stall(4)));
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

#[test]
fn what_was_chosen_is_told_as_what_it_is_and_so_is_what_is_not_taken() {
    let script = ModelScript::new().model("scripted").model("other").turn(text("hello")).allow_unused_turns();
    let scene = Scene::new(script);
    let mut run = scene.start(&TALKS);
    run.wait_for("started");
    for (duty, told) in [(Some("plan"), "plan"), (Some("act"), "act"), (Some("small"), "small"), (None, "all")] {
        let name = model::MODEL;
        run.say(&json!({ "command": "model", "name": name, "duty": duty }));
        let changed = run.wait_for("model-changed");
        assert_eq!(changed["duty"], told, "{changed}");
    }
    run.say(&json!({ "command": "model", "name": "nobody/nothing" }));
    let refused = run.wait_for("model-refused");
    assert_eq!(refused["name"], "nobody/nothing", "{refused}");
    assert_eq!(run.wait_for("notice")["text"], refused["why"]);
    run.say(&to_mode("acceptEdits"));
    let refused = run.wait_for("mode-refused");
    assert_eq!(refused["to"], "acceptEdits", "{refused}");
    assert_eq!(run.wait_for("notice")["text"], refused["why"]);
    run.end();
}

/// A run whose output nobody reads, with more of it than a pipe takes.
fn unread() -> (Scene, Running) {
    let many = "slowly, ".repeat(60_000);
    let script = ModelScript::new().turn(text(&many).stall(39_000)).allow_unused_turns();
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
fn an_ignore_file_that_is_a_pipe_a_device_or_endless_keeps_no_search_and_no_control_waiting() {
    let page = [
        (".gitignore", "/dev/stdin"),
        (".gitignore", "pipe"),
        (".ignore", "/dev/zero"),
        ("src/.gitignore", "/dev/tty"),
        (".git/info/exclude", "pipe"),
        ("../home/excludes", "pipe"),
        (".gitignore", "four gigabytes"),
    ];
    for (name, what) in page {
        let script = ModelScript::new()
            .turn(call("Grep", json!({"pattern": "needle"})))
            .turn(call("Glob", json!({"pattern": "**/*.txt"})))
            .turn(text("I am thinking about it, slowly.").stall(4));
        let scene = Scene::new(script);
        let project = scene.place.folder("project");
        for folder in ["src", ".git/info"] {
            std::fs::create_dir_all(project.join(folder)).unwrap();
        }
        scene.place.file("src/notes.txt", "a needle\n");
        let path = project.join(name);
        match what {
            "pipe" => make_pipe(&path),
            "four gigabytes" => File::create(&path).unwrap().set_len(4 << 30).unwrap(),
            device => std::os::unix::fs::symlink(device, &path).unwrap(),
        }
        let mut program = scene.command(&TALKS);
        let config = scene.place.folder("home").join("gitconfig");
        std::fs::write(&config, format!("[core]\nexcludesFile = {}\n", path.display())).unwrap();
        if name.starts_with("../") {
            program.env("GIT_CONFIG_GLOBAL", &config);
        }
        program.stdin(Stdio::piped());
        let mut run = Running::of(program);
        run.wait_for("started");
        // Planning takes a picture of the workspace, too.
        acts(&mut run, &to_mode("plan"), "mode-changed");
        let found = acts(&mut run, &prompt("look"), "tool-finished");
        assert_eq!(found["shown"]["line"], "1 file", "{name} is {what}: {found}");
        let found = run.wait_for("tool-finished");
        assert_eq!(found["shown"]["line"], "1 file", "{name} is {what}: {found}");
        run.wait_for("text");
        // The lines of the host are read by nobody but the host's reader.
        acts(&mut run, &to_mode("default"), "mode-changed");
        let ended = acts(&mut run, &command("interrupt"), "turn-ended");
        assert_eq!(ended["outcome"]["ended"], "interrupted", "{name} is {what}: {ended}");
        run.end();
    }
}

#[test]
fn a_pipe_in_the_place_of_any_file_that_may_be_there_keeps_no_start_waiting() {
    let home = ["settings.json", "trusted.json", "trusted", "tips.json", "audit.jsonl", "audit.lock", "AGENTS.md"];
    let project = [".forethought/settings.json", ".forethought/settings.local.json", "AGENTS.md", ".gitignore"];
    for (top, name) in home.map(|name| ("home", name)).into_iter().chain(project.map(|name| ("project", name))) {
        let scene = Scene::new(ModelScript::new().turn(text("Hello.")).allow_unused_turns());
        let path = scene.place.folder(top).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        make_pipe(&path);
        let mut child = scene.command(&["-p", "hello"]);
        let mut child = child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let has_ended = ends(&mut child, Duration::from_secs(30));
        let _ = child.kill();
        let _ = child.wait();
        assert!(has_ended, "{top}/{name}");
    }
}

/// Where a session can be when somebody takes hold of everything.
struct Moment {
    name: &'static str,
    mode: &'static str,
    script: fn() -> ModelScript,
    /// Said one after the other, each after the event of the one before.
    reach: Vec<(Value, &'static str)>,
    /// Shows that an interrupt was heard.
    interrupted: &'static str,
}

/// Never comes to its end.
fn endless() -> fore_testkit::ScriptedTurn {
    text("I am thinking about it, slowly.").stall(4)
}

fn moments() -> Vec<Moment> {
    const PLAN: &str = "# Plan\n\n1. Fix it.\n";
    let turn = |name, mode, script, event| Moment {
        name,
        mode,
        script,
        reach: vec![(prompt("go"), event)],
        interrupted: "turn-ended",
    };
    vec![
        turn("the model speaks while planning", "plan", || ModelScript::new().turn(endless()), "text"),
        turn(
            "a command runs in a read-only sandbox",
            "plan",
            || {
                ModelScript::new()
                    .turn(call("Bash", json!({"command": "echo begun; tail -f notes.txt"})))
                    .allow_unused_turns()
            },
            "tool-output",
        ),
        turn(
            "a command runs in a rehearsal",
            "plan",
            || ModelScript::new().turn(call("Bash", json!({"command": "echo begun; ./slow.sh"}))).allow_unused_turns(),
            "tool-output",
        ),
        turn(
            "an approval is open",
            "plan",
            || {
                ModelScript::new()
                    .turn(call("ExitPlanMode", json!({"plan": PLAN})))
                    .turn(text("Well."))
                    .allow_unused_turns()
            },
            "approval-asked",
        ),
        turn(
            "a question of the gate is open",
            "default",
            || {
                ModelScript::new()
                    .turn(call("Bash", json!({"command": "touch x"})))
                    .turn(text("Well."))
                    .allow_unused_turns()
            },
            "asked",
        ),
        turn(
            "a form is open",
            "plan",
            || {
                let questions = json!({"questions": [{"question": "Which?", "header": "x", "multiSelect": false,
                    "options": [{"label": "a", "description": "a"}, {"label": "b", "description": "b"}]}]});
                ModelScript::new().turn(call("AskUserQuestion", questions)).turn(text("Well.")).allow_unused_turns()
            },
            "form-asked",
        ),
        turn(
            "an agent works",
            "plan",
            || {
                let agent = json!({"subagent_type": "Explore", "description": "look", "prompt": "CHILD: look"});
                let child =
                    ModelScript::new().turn(call("Agent", agent)).conversation("child", "CHILD: look", [endless()]);
                child.turn(text("Well.")).allow_unused_turns()
            },
            "agent-started",
        ),
        Moment {
            name: "the history is summarised",
            mode: "default",
            script: || ModelScript::new().turn(text("Hello.")).turn(endless()),
            reach: vec![(prompt("hi"), "turn-ended"), (command("compact"), "summary-started")],
            interrupted: "summary-ended",
        },
    ]
}

fn make_pipe(path: &Path) {
    let path = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: a valid C string.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
}

/// Puts something that cannot be written to in the place of the audit log.
fn spoil_audit(scene: &Scene, number: usize) {
    let log = scene.place.folder("home").join("audit.jsonl");
    let _ = std::fs::remove_file(&log);
    match number % 3 {
        0 => make_pipe(&log),
        1 => std::os::unix::fs::symlink("/dev/full", &log).unwrap(),
        _ => std::fs::create_dir(&log).unwrap(),
    }
}

/// A scene in which this moment has come, with everything held that can be.
fn at(moment: &Moment, number: usize) -> (Scene, Running, Vec<File>) {
    let scene = Scene::new((moment.script)());
    scene.place.file("notes.txt", "one\n");
    scene.place.file("slow.sh", "#!/bin/sh\nsleep 60\n");
    let slow = scene.place.project().join("slow.sh");
    std::fs::set_permissions(slow, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut run = scene.start(&[&TALKS[..], &["--mode", moment.mode]].concat());
    for (said, event) in &moment.reach {
        run.say(said);
        run.wait_for(event);
    }
    let held = hold_every_lock(&scene);
    assert!(!held.is_empty(), "nothing was there to hold");
    spoil_audit(&scene, number);
    (scene, run, held)
}

#[test]
fn whatever_goes_on_and_whatever_others_hold_interrupt_mode_and_signals_act_at_once() {
    for (number, moment) in moments().iter().enumerate() {
        let (_scene, mut run, _held) = at(moment, number);
        acts(&mut run, &command("interrupt"), moment.interrupted);
        run.end();

        let (_scene, mut run, _held) = at(moment, number + 1);
        acts(&mut run, &command("cycle-mode"), "mode-changed");
        run.signal(libc::SIGTERM);
        run.end();

        let (_scene, mut run, _held) = at(moment, number + 2);
        run.signal(libc::SIGINT);
        assert!(ends(&mut run.child, AT_ONCE + AT_ONCE), "{}: a signal is not heard", moment.name);
    }
}

#[test]
fn what_the_audit_log_does_not_take_is_said_and_stops_nothing() {
    for number in 0..3 {
        let scene =
            Scene::new(ModelScript::new().turn(call("Read", json!({"file_path": "notes.txt"}))).turn(text("Read.")));
        scene.place.file("notes.txt", "one\n");
        let mut run = scene.start(&TALKS);
        run.wait_for("started");
        spoil_audit(&scene, number);
        run.say(&prompt("look"));
        let notice = run.wait_for("notice");
        assert!(notice["text"].as_str().unwrap().contains("not written to the audit log"), "{number}: {notice}");
        let ended = run.wait_for("turn-ended");
        assert_eq!(ended["outcome"]["ended"], "done", "{number}: {ended}");
        run.end();
        scene.finish();
    }
}

#[test]
fn a_start_waits_for_no_lock_and_says_which_one_is_in_its_way() {
    let scene = Scene::new(ModelScript::new().turn(text("Hello.")).turn(text("Again.")).turn(text("And again.")));
    let first = scene.fore(&["-p", "hello", "--output-format", "json"]);
    assert_eq!(first.code, Some(0), "{}", first.err);
    let held = hold_every_lock(&scene);
    assert!(!held.is_empty());
    for (arguments, may_fail) in
        [(&["-p", "again"][..], false), (&["-p", "again", "--continue"], true), (&["trust"], true), (&["plans"], false)]
    {
        let asks_a_model = arguments.contains(&"-p");
        let mut start = if asks_a_model { scene.command(arguments) } else { scene.place.command(arguments) };
        let mut child = start.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let has_ended = ends(&mut child, Duration::from_secs(30));
        let _ = child.kill();
        let output = child.wait_with_output().unwrap();
        assert!(has_ended, "{arguments:?}");
        let words = String::from_utf8_lossy(&output.stderr);
        let says_why = words.contains("in use by") || words.contains("locked by another process");
        assert!(output.status.success() || (may_fail && says_why), "{arguments:?}: {words}");
    }
}

#[test]
fn a_home_that_cannot_be_written_ends_a_start_at_once_with_the_reason() {
    let scene = Scene::new(ModelScript::new().turn(text("Hello.")).allow_unused_turns());
    let home = scene.place.folder("home");
    // With more rights than these the folder would be made private, and thereby writable, by the program itself.
    std::fs::set_permissions(&home, std::os::unix::fs::PermissionsExt::from_mode(0o500)).unwrap();
    let mut start = scene.command(&["-p", "hello"]);
    LimitedMachine::ReadOnlyHome.apply(&mut start);
    let mut child = start.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let has_ended = ends(&mut child, Duration::from_secs(30));
    let _ = child.kill();
    let output = child.wait_with_output().unwrap();
    std::fs::set_permissions(&home, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(has_ended && !output.status.success(), "{words}");
    assert!(words.contains("permission denied; make it yours, or set FORETHOUGHT_HOME to a folder that is"), "{words}");
}
