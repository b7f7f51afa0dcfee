//! What you see is what there is: one nasty text, wherever text from outside can stand, through every subcommand, into a
//! pipe and onto a terminal. Nothing that steers or hides is in the bytes; the marks are.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "prepares the workspace of the program under test and starts it")]

#[path = "support/model.rs"]
#[allow(dead_code, reason = "the other test file talks to its runs")]
mod model;
mod support;

use fore_plan::{
    Change, Level, Openings, SessionRole,
    plan::{Author, Hash},
};
use fore_store::{
    Home, PlanFolder, Session, SessionFolders, SessionStart,
    entry::{Speaker, StoredMessage},
};
use fore_testkit::{FailureKind, Fault, ModelScript, ScriptedTurn, failure, text};
use fore_text::TextKind;
use model::Scene;
use serde_json::{Value, json};
use std::{
    fs::File,
    io::Read,
    os::fd::{FromRawFd, OwnedFd},
    process::{Command, Stdio},
    sync::Arc,
};
use support::Place;

/// Every class of what hides, with letters between that must all be seen.
const NASTY: &str = "\u{1b}[8mA\u{1b}[0m\u{1b}[30;40mB\rC\u{8}D\u{7f}E\u{202e}F\u{2066}G\u{200b}H\u{feff}I\u{e0041}J\u{e0100}K\u{ad}L\u{3164}M\
    \u{2028}N\u{9b}2JO\u{1b}]0;t\u{7}P\u{e000}Q\u{2800}R\u{180e}S\u{fff9}T\u{200d}U\u{2003}V";
/// A plan that reads otherwise where a terminal obeys.
const PLAN: &str = "# Title \u{202e}\u{200b}\n\n3. Look\n4. OVERWRITE push force to main\r4. Run the tests.\n\u{1b}[8mhidden\u{1b}[0m\u{e0041}\n\n## Verification\n\nLook.\n";

/// What is shown of [`NASTY`] on one line.
fn marked() -> String {
    fore_text::line(NASTY).into_owned()
}

/// Asserts that nothing in the text steers or hides but our own colours.
#[track_caller]
fn assert_visible(what: &str, printed: &str) {
    let plain = fore_text::styled(printed);
    assert_eq!(plain, printed, "{what}");
    let mut letters = String::new();
    let mut parts = printed.split('\u{1b}');
    letters.push_str(parts.next().unwrap_or_default());
    for part in parts {
        letters.push_str(part.split_once('m').expect("the end of a colour").1);
    }
    assert_eq!(fore_text::first_mark(&letters, TextKind::Prose), None, "{what}: {letters:?}");
}

/// Runs it with a terminal on all three ends, and gives what was written there.
fn on_terminal(mut command: Command) -> String {
    let (mut master, mut slave) = (0, 0);
    let size = libc::winsize { ws_row: 40, ws_col: 2_000, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: two places for descriptors and a size that outlive the call; no name and no settings are asked for.
    let made = unsafe {
        libc::openpty(&raw mut master, &raw mut slave, std::ptr::null_mut(), std::ptr::null(), &raw const size)
    };
    assert_eq!(made, 0);
    // SAFETY: both were just made and belong to nobody else.
    let (mut master, slave) = unsafe { (File::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) };
    command.env_remove("NO_COLOR").env("TERM", "xterm-256color");
    command.stdin(slave.try_clone().unwrap()).stdout(slave.try_clone().unwrap()).stderr(slave);
    let mut child = command.spawn().unwrap();
    // Its copies of the other end, so that the last one closes with the program.
    drop(command);
    let mut bytes = Vec::new();
    // A terminal that nobody writes to any more is an error to read from.
    let _ = master.read_to_end(&mut bytes);
    child.wait().unwrap();
    String::from_utf8(bytes).unwrap().replace("\r\n", "\n")
}

/// Into a pipe: standard output, and standard error.
fn piped(mut command: Command) -> (String, String) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Both ways; everything that was printed.
#[track_caller]
fn walk(what: &str, command: impl Fn() -> Command) -> String {
    let (out, err) = piped(command());
    assert_visible(&format!("{what}, piped out"), &out);
    assert_visible(&format!("{what}, piped err"), &err);
    let shown = on_terminal(command());
    assert_visible(&format!("{what}, on a terminal"), &shown);
    format!("{out}{err}{shown}")
}

#[track_caller]
fn assert_marked(what: &str, printed: &str) {
    for mark in [r"\u{202e}", r"\u{200b}"] {
        assert!(printed.contains(mark), "{what} shows no {mark}: {printed}");
    }
}

#[test]
fn colours_in_an_argument_are_not_taken_for_our_own() {
    let place = Place::new();
    let page = [
        &["plans", "\u{1b}[8mx"][..],
        &["--output-format", "\u{1b}[8mx", "-p", "x"],
        &["--\u{1b}[8mx"],
        &["apply", "x", "--hash", "x", "\u{1b}[8mx"],
    ];
    for arguments in page {
        let shown = walk(&arguments.join(" "), || place.command(arguments));
        assert!(shown.contains(r"\u{1b}[8mx") && !shown.contains("\u{1b}[8m"), "{arguments:?}: {shown:?}");
    }
}

fn lived(place: &Place) -> Session {
    let home = Arc::new(Home::open(&place.folder("home")).unwrap());
    let places = SessionFolders { plans: PlanFolder::of_home(&home), home };
    let start =
        SessionStart { level: Level::Default, planning: true, openings: Openings::TRUSTED, role: SessionRole::Main };
    let folder = place.project().canonicalize().unwrap();
    let mut session = Session::create(&places, &folder, start).unwrap();
    session.append_message(StoredMessage::text(Speaker::Human, NASTY).unwrap()).unwrap();
    let _ = session.record(Change::HumanTurn).unwrap();
    session.name_plan(["brave-quiet-fox".parse().unwrap()]).unwrap();
    session.save_plan(Author::Model, &format!("# {NASTY}\n")).unwrap();
    session.save_plan(Author::Model, PLAN).unwrap();
    session
}

#[test]
fn plans_and_sessions() {
    let place = Place::new();
    let session = lived(&place);
    let id = session.id().to_string();
    drop(session);
    let fore = |arguments: &[&str]| walk(&arguments.join(" "), || place.command(arguments));
    for arguments in [
        &["plans"][..],
        &["plans", "show", "brave"],
        &["plans", "show", "brave", "--revision", "1"],
        &["plans", "diff", "brave"],
        &["sessions"],
        &["sessions", "--all"],
        &["sessions", "show", &id],
        &["plans", "show", NASTY],
        &["sessions", "show", NASTY],
        &["plans", "remove", NASTY, "--yes"],
    ] {
        assert_marked(&arguments.join(" "), &fore(arguments));
    }
    let shown = fore(&["plans", "show", "brave"]);
    assert!(shown.contains(r"4. OVERWRITE push force to main\r4. Run the tests."), "{shown}");
    assert!(shown.contains("This plan contains 6 hidden characters, shown as marks"), "{shown}");
    for arguments in [
        &["plans", "--json"][..],
        &["plans", "show", "brave", "--json"],
        &["sessions", "--json"],
        &["sessions", "show", &id, "--json"],
    ] {
        let (out, _) = piped(place.command(arguments));
        assert_visible("json", &out);
        assert!(out.contains(r"\u202e"), "{out}");
        serde_json::from_str::<Value>(&out).unwrap();
    }
    let (json, _) = piped(place.command(&["plans", "show", "brave", "--json"]));
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap()["text"], json!(PLAN), "JSON is exact");
    let (raw, _) = piped(place.command(&["plans", "show", "brave", "--raw"]));
    assert_eq!(raw, PLAN, "--raw is exact");
    let copy = format!("copy{NASTY}.md");
    let (out, err) = piped(place.command(&["plans", "export", "brave", &copy]));
    assert_visible("export", &format!("{out}{err}"));
    assert_marked("export", &err);
    assert_eq!(place.read(&copy).as_deref(), Some(PLAN), "a copy is exact");
}

#[test]
fn commands_settings_folders_and_mistakes() {
    let place = Place::new();
    let folder = place.project().join(format!("in{NASTY}"));
    std::fs::create_dir(&folder).unwrap();
    // A repository of its own, whose branch has a name that turns around.
    std::fs::create_dir_all(folder.join(".git/refs/heads")).unwrap();
    std::fs::write(folder.join(".git/HEAD"), "ref: refs/heads/b\u{202e}\u{200b}r\n").unwrap();
    std::fs::write(folder.join("AGENTS.md"), format!("@{NASTY}.md\n")).unwrap();
    std::fs::create_dir(folder.join(".forethought")).unwrap();
    let written = json!({"env": {"RUST_LOG": NASTY}, "permissions": {"allow": [format!("Bash({NASTY})")]}});
    std::fs::write(folder.join(".forethought/settings.json"), written.to_string()).unwrap();
    let settings =
        json!({"permissions": {"deny": [format!("Bash(x{NASTY}:*)")]}, "env": {"RUST_LOG": NASTY}}).to_string();
    place.settings(&settings);
    let fore = |arguments: &[&str]| {
        walk(&arguments.join(" "), || {
            let mut command = place.command(arguments);
            command.current_dir(&folder).env("OLLAMA_HOST", "127.0.0.1:1");
            command
        })
    };
    let name = folder.to_str().unwrap();
    let unknown = json!({NASTY: 1}).to_string();
    let wrong = json!({"theme": NASTY}).to_string();
    let rule = format!("rm {NASTY}");
    for arguments in [
        &["gate", "--", &rule][..],
        &["gate", "--mode", "default", "--", &rule],
        &["config"],
        &["config", "--paths"],
        &["config", NASTY],
        &["--settings", &unknown, "config"],
        &["--settings", &wrong, "config"],
        &["--settings", NASTY, "config"],
        &["doctor"],
        &["sessions"],
        &["trust", name],
        &["trust", "--list"],
        &["trust", "--remove", name],
        &["trust", NASTY],
        &["apply", NASTY, "--hash", "x"],
        &["apply", &format!("./{NASTY}"), "--hash", "x"],
        &["plan", "x", "--plan-file", name],
        &["--resume", NASTY, "-p", "x"],
        &["--mode", NASTY, "-p", "x"],
        &["--model", NASTY, "-p", "x"],
        &[&format!("--{NASTY}")],
        &["plans", NASTY],
        &["cage", "--rehearse", "--diff", "--", "sh", "-c", "printf \"$0\" > \"$0\"", NASTY],
    ] {
        assert_marked(&arguments.join(" "), &fore(arguments));
    }
    for arguments in [&["config", "--json"][..], &["doctor", "--json"], &["gate", "--json", "--", &rule]] {
        let (out, err) = piped({
            let mut command = place.command(arguments);
            command.current_dir(&folder).env("OLLAMA_HOST", "127.0.0.1:1");
            command
        });
        assert_visible("json", &format!("{out}{err}"));
        // The gate names the first hidden character alone; the others quote the whole text.
        assert!(out.contains(if arguments[0] == "gate" { r"\u001b" } else { r"\u202e" }), "{out}");
    }
    let line = json!({"id": NASTY, "tool": "Bash", "input": {"command": rule}}).to_string();
    let ran = place.fore_with(&["gate"], line.as_bytes());
    assert_visible("gate lines", &ran.out);
    assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap()["id"], NASTY, "JSON is exact");
}

fn refused() -> ScriptedTurn {
    let mut turn = failure(FailureKind::InvalidRequest);
    if let Some(Fault::Status(failure)) = &mut turn.fault {
        failure.message = Some(NASTY.to_owned());
    }
    turn
}

/// Answers, commands, file names, notices of the server: all that a model can say.
#[test]
fn what_a_model_says() {
    let hostile = || {
        text(NASTY)
            .call("Bash", json!({"command": format!("ls {NASTY}"), "description": NASTY}))
            .call("Read", json!({"file_path": format!("x{NASTY}")}))
            .call("Grep", json!({"pattern": NASTY}))
            .call(format!("Tool{}", "x"), json!({"x": NASTY}))
    };
    let script = (0..2).fold(ModelScript::new(), |script, _| script.turn(hostile()).turn(text(format!("End {NASTY}"))));
    let scene = Scene::new(script);
    scene.place.file(&format!("x{NASTY}"), NASTY);
    let shown = on_terminal(scene.command(&["-p", NASTY]));
    assert_visible("-p on a terminal", &shown);
    assert!(shown.contains(&marked()), "{shown}");
    let (out, err) = piped(scene.command(&["-p", NASTY, "--verbose"]));
    assert_visible("-p --verbose", &err);
    assert_marked("-p --verbose", &err);
    assert_eq!(out, format!("End {NASTY}\n"), "what is piped is exact");

    let scene = Scene::new(ModelScript::new().turn(hostile()).turn(text("End.")));
    let (out, err) = piped(scene.command(&["-p", NASTY, "--output-format", "stream-json"]));
    assert_visible("stream-json", &format!("{out}{err}"));
    assert!(out.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));

    let scene = Scene::new(ModelScript::new().turn(refused()).turn(refused()));
    assert_marked("an error of the server", &walk("an error of the server", || scene.command(&["-p", "x"])));
}

/// The plan itself, before anybody approves it and when it is applied.
#[test]
fn a_plan_that_hides_something_says_so() {
    let plans = || text(NASTY).call("ExitPlanMode", json!({"plan": PLAN}));
    let scene =
        Scene::new(ModelScript::new().turn(plans()).turn(plans()).turn(plans()).turn(text(NASTY)).turn(text(NASTY)));
    let shown = walk("fore plan", || scene.command(&["plan", NASTY, "--verbose"]));
    assert!(shown.contains(r"4. OVERWRITE push force to main\r4. Run the tests."), "{shown}");
    assert!(shown.contains("the plan contains 6 hidden characters, shown as marks"), "{shown}");
    let (out, err) = piped(scene.command(&["-p", "plan it", "--mode", "plan"]));
    assert_visible("-p that plans", &format!("{out}{err}"));
    assert!(out.contains(r"4. OVERWRITE push force to main\r4. Run the tests."), "{out}");
    scene.place.file("plan.md", PLAN);
    let hash = Hash::of(PLAN.as_bytes()).to_string();
    assert_visible("apply", &on_terminal(scene.command(&["apply", "plan.md", "--hash", &hash])));
    let (_, err) = piped(scene.command(&["apply", "plan.md", "--hash", &hash, "--verbose"]));
    assert_visible("apply --verbose", &err);
}
