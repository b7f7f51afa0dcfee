//! The pictures in the documentation: they are drawn by the running program, and this test fails when it says something else.
//!
//! `docs/screenshots/make` draws them anew.
#![allow(clippy::disallowed_methods, reason = "pictures are written when the person asks for it")]
#![allow(clippy::panic, reason = "a test may stop where it is wrong")]

use crate::{
    screens::at_rest,
    stage::{Person, Stage},
    steps::{turn_to_plan, wait_question},
};
use fore_testkit::{
    ModelScript, call,
    terminal::{Screen, Terminal, TerminalKey, TerminalSize, WindowTheme},
    text,
};
use serde_json::{Value, json};
use std::path::Path;

/// Set to write the pictures instead of comparing them.
const UPDATE: &str = "UPDATE_SCREENSHOTS";
/// The window of the pictures, and of those that need more or less room. So narrow that no path of a plan fits whole: what
/// is seen of it is always as long.
const WINDOW: TerminalSize = TerminalSize { columns: 90, rows: 34 };
const FOR_A_PLAN: TerminalSize = TerminalSize { rows: 37, ..WINDOW };
const FOR_AN_EDIT: TerminalSize = TerminalSize { rows: 32, ..WINDOW };
const FOR_SETTINGS: TerminalSize = TerminalSize { columns: 100, rows: 10 };
/// A model that people know, with a window and a price.
const MODEL: &str = "anthropic/claude-sonnet-5-5";
/// What stands before the version, which is left out of the comparison.
const NAME: &str = "Forethought";
const TASK: &str = "Login is slow for shops with many users. Plan a fix.";
const PLAN: &str = include_str!("picture_plan.md");

/// A session with this script, planning on the task.
fn planning(script: ModelScript, window: TerminalSize) -> (Stage, Terminal) {
    // A terminal that says that it is dark is drawn on in full colour.
    let stage = Stage::new(script, Person::Known).variable("COLORFGBG", Some("15;0"));
    let settings = stage.read(".forethought/settings.json").replace(crate::stage::MODEL, MODEL);
    stage.write(".forethought/settings.json", &settings);
    let terminal = stage.start(&["--mode", "plan", TASK], window);
    (stage, terminal)
}

fn read(name: &str) -> Value {
    json!({ "file_path": name })
}

#[test]
fn planning_as_the_documentation_shows_it() {
    let agent = |task: &str, prompt: &str| json!({"subagent_type": "Explore", "description": task, "prompt": prompt});
    let reads = text("I look at how users are found, and who relies on it.")
        .call("Read", read("src/login.rs"))
        .call("Grep", json!({"pattern": "users", "path": "src"}))
        .call("Bash", json!({"command": "git log --oneline -3"}));
    let asks = call("Agent", agent("who calls users()", "FIND-CALLERS"))
        .call("Agent", agent("what the tests of login rely on", "FIND-TESTS"));
    let silence = || text("Well.").stall(0);
    let callers = [call("Grep", json!({"pattern": "users\\(", "path": "src"})), silence()];
    let tests = [call("Read", read("src/login.rs")), call("Read", read("src/users.rs")), silence()];
    let script = ModelScript::new()
        .turn(reads)
        .turn(asks)
        .conversation("callers", "FIND-CALLERS", callers)
        .conversation("tests", "FIND-TESTS", tests);
    let (stage, terminal) = planning(script, WINDOW);
    keep(&stage, &terminal, "planning");
    stage.finish();
}

#[test]
fn a_refusal_as_the_documentation_shows_it() {
    let tries = text("The fix is small, so I make it right away.")
        .call("Bash", json!({"command": "sed -i 's/users()/by_name(name)/' src/login.rs"}))
        .call("Bash", json!({"command": "git commit -am 'Find users by name'"}));
    let rests = text("Nothing was changed. I read on and write a plan that you can approve.")
        .call("Read", read("src/login.rs"));
    let (stage, terminal) = planning(ModelScript::new().turn(tries).turn(rests).turn(text("Well.").stall(0)), WINDOW);
    keep(&stage, &terminal, "refusal");
    stage.finish();
}

#[test]
fn an_approval_and_the_edit_after_it_as_the_documentation_shows_them() {
    let says =
        "The plan is ready: two files change, and nothing that others call.\n\nPlease look at the order of users.";
    let plans = call("Write", json!({"file_path": "{{plan}}", "content": PLAN}));
    let old = "    users().iter().any(|user| user == name)\n";
    let new = "    // One look-up, however many users there are.\n    by_name(name).is_some()\n";
    let edits = call("Edit", json!({"file_path": "src/login.rs", "old_string": old, "new_string": new}));
    let script = ModelScript::new().turn(plans).turn(text(says).call("ExitPlanMode", json!({})));
    let script = script.turn(call("Read", read("src/login.rs"))).turn(edits).turn(text("Well.").stall(0));
    let (stage, mut terminal) = planning(script, FOR_A_PLAN);
    wait_question(&terminal, "Keep planning");
    turn_to_plan(&mut terminal);
    terminal.keys("/index\n");
    terminal.key(TerminalKey::Esc);
    terminal.keys("ckeep the old order of users, the tests rely on it\n");
    keep(&stage, &terminal, "approval");
    // Its end has to be seen, and with a comment an approval asks once more.
    terminal.keys("G3\t\n3\n");
    terminal.wait_for("One look-up");
    terminal.resize(FOR_AN_EDIT);
    keep(&stage, &terminal, "edit");
    stage.finish();
}

#[test]
fn what_a_plan_covers_and_what_became_of_it_as_the_documentation_shows_them() {
    let proposal = call("Write", json!({"file_path": "{{plan}}", "content": PLAN}));
    let edit = |file: &str, old: &str, new: &str| json!({"file_path": file, "old_string": old, "new_string": new});
    let done = |step: &str| json!({"content": step, "status": "completed", "activeForm": step});
    let index = "/// The user of this name, from an index.\npub fn by_name(name: &str) -> Option<User> {\n    INDEX.get(name)\n}\n";
    let script = ModelScript::new()
        .turn(proposal)
        .turn(text("The plan is ready.").call("ExitPlanMode", json!({})))
        .turn(call("Read", read("src/login.rs")).call("Read", read("src/users.rs")))
        .turn(call("Write", json!({"file_path": "src/users.rs", "content": index})))
        .turn(call(
            "Edit",
            edit("src/login.rs", "    users().iter().any(|user| user == name)\n", "    by_name(name).is_some()\n"),
        ))
        .turn(call("Bash", json!({"command": "cargo test login"})))
        .turn(call("TodoWrite", json!({"todos": [done("Add by_name"), done("Call by_name in login")]})))
        .turn(text("Login looks users up by name now, and its tests pass."));
    let stage = Stage::new(script, Person::Known).variable("COLORFGBG", Some("15;0"));
    stage.command("cargo", "echo 'test result: ok. 2 passed; 0 failed'");
    let settings = stage.read(".forethought/settings.json").replace(crate::stage::MODEL, MODEL);
    stage.write(".forethought/settings.json", &settings);
    let mut terminal = stage.start(&["--mode", "plan", TASK], FOR_A_PLAN);
    wait_question(&terminal, "Keep planning");
    turn_to_plan(&mut terminal);
    terminal.keys("p");
    terminal.wait_for("cargo test login");
    keep(&stage, &terminal, "grants");
    terminal.key(TerminalKey::Esc);
    terminal.keys("G1\t\n");
    terminal.wait_for("What became of the plan");
    keep(&stage, &terminal, "report");
    stage.finish();
}

/// Compares a picture with the one in the documentation, or writes it.
#[track_caller]
fn keep(stage: &Stage, terminal: &Terminal, name: &'static str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/screenshots/{name}.svg"));
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let is_updated = std::env::var_os(UPDATE).is_some_and(|value| !value.is_empty() && value != "0");
    let version = format!("{NAME} {}", env!("CARGO_PKG_VERSION"));
    let draw = || {
        stage
            .stable(&with_path(&terminal.screen()))
            .svg("fore", WindowTheme::Dark)
            .replace("Forethought 0.0.0", &version)
    };
    let picture = at_rest(is_updated, draw, |picture| words(picture) == words(&kept));
    if is_updated {
        return std::fs::write(&path, picture).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    assert_eq!(words(&picture), words(&kept), "{name} says something else now; to accept that: docs/screenshots/make");
}

#[test]
fn the_settings_of_zed_as_the_documentation_shows_them() {
    let stage = Stage::new(ModelScript::new(), Person::Known);
    let terminal = stage.start(&["acp", "--print-config", "zed"], FOR_SETTINGS);
    terminal.wait_exit();
    keep(&stage, &terminal, "zed");
}

/// The end of a path that is cut, as it would be at home.
fn with_path(screen: &Screen) -> Screen {
    let rows = screen.rows();
    let cut = rows.iter().find_map(|row| row.strip_prefix("╭─ Plan • ")?.split(" • ").next());
    let Some(cut) = cut.filter(|cut| cut.starts_with('…')) else { return screen.clone() };
    let path: Vec<char> = "/home/ada/.forethought/plans/brave-quiet-fox.md".chars().collect();
    let first = (path.len() + 1).saturating_sub(cut.chars().count());
    let path: String = std::iter::once('…').chain(path.into_iter().skip(first)).collect();
    screen.with_words(&[(cut.to_owned(), path)])
}

/// What a picture says, however it looks: all the letters in it, without blanks and line breaks.
fn words(picture: &str) -> String {
    let text = |line: &str| {
        line.strip_prefix("<text")?.strip_suffix("</text>")?.split_once('>').map(|(_, text)| text.to_owned())
    };
    let is_kept = |text: &String| !text.starts_with(NAME);
    picture.lines().filter_map(text).filter(is_kept).collect::<String>().replace(' ', "")
}
