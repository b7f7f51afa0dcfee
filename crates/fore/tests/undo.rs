//! Undo of files in the real program: what the agent changed by edits and commands is taken back byte for byte, what the person changed
//! is not, and nothing of git is touched.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "prepares the workspace of the program under test")]

#[path = "support/model.rs"]
#[allow(dead_code, reason = "each test file uses its own part")]
mod model;
mod support;

use fore_testkit::{ModelScript, call, text};
use model::Scene;
use serde_json::json;
use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
};

const FREE: [&str; 3] = ["--mode", "bypassPermissions", "--dangerously-allow-bypass"];

/// Every path with what it is, without git's own.
fn tree(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.ends_with(".git") {
                continue;
            }
            let facts = path.symlink_metadata().unwrap();
            let mode = facts.mode() & 0o7777;
            let there = if facts.is_symlink() {
                format!("→ {}", path.read_link().unwrap().display())
            } else if facts.is_dir() {
                folders.push(path.clone());
                format!("folder {mode:o}")
            } else {
                format!("{mode:o} {}", String::from_utf8_lossy(&fs::read(&path).unwrap()))
            };
            found.insert(path.strip_prefix(root).unwrap().display().to_string(), there);
        }
    }
    found
}

/// A repository with a committed, a changed, an untracked and an ignored file, and a link.
fn shop(script: ModelScript) -> Scene {
    let scene = Scene::new(script);
    let place = &scene.place;
    for folder in ["src", "out"] {
        fs::create_dir(place.project().join(folder)).unwrap();
    }
    place.file("src/cart.rs", "pub fn total() -> u32 { 1 }\n");
    place.file("src/price.rs", "pub fn price() -> u32 { 2 }\n");
    place.file("run.sh", "echo run\n");
    place.file(".gitignore", "out/\n");
    place.git(&["init", "-q"]);
    place.git(&["add", "."]);
    place.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first"]);
    place.file("src/price.rs", "pub fn price() -> u32 { 3 }\n");
    place.file("notes.txt", "remember the milk\n");
    place.file("out/log", "one\n");
    symlink("src/cart.rs", place.project().join("link")).unwrap();
    // Git is sure of a file once the index is younger than it.
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    for name in ["src/cart.rs", "run.sh"] {
        fs::File::options().write(true).open(place.project().join(name)).unwrap().set_modified(past).unwrap();
    }
    place.git(&["update-index", "-q", "--refresh"]);
    assert_eq!(place.fore(&["trust"]).code, Some(0));
    scene
}

const COMMAND: &str = "sed -i s/1/10/ src/cart.rs && rm notes.txt && echo two >> out/log && mkdir -p made/deep && \
    echo new > made/deep/file && chmod 755 run.sh && rm link && ln -s run.sh link && mv src/price.rs src/cost.rs";

fn works() -> ModelScript {
    ModelScript::new()
        .turn(call("Bash", json!({"command": COMMAND})))
        .turn(call("Write", json!({"file_path": "docs/cart.md", "content": "# Cart\n"})))
        .turn(text("Done."))
}

#[test]
fn a_turn_of_commands_and_edits_is_taken_back_byte_for_byte_and_brought_back() {
    let scene = shop(works());
    let (place, project) = (&scene.place, scene.place.project());
    let before = tree(&project);
    let ran = scene.fore(&[&["-p", "Make it ten"], FREE.as_slice()].concat());
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Done.\n"), "{}", ran.err);
    let (after, index) = (tree(&project), fs::read(project.join(".git/index")).unwrap());
    assert_ne!(before, after);

    let listed = place.fore(&["undo", "--list"]);
    assert!(listed.out.contains("Make it ten"), "{}", listed.out);
    let unasked = place.fore(&["undo"]);
    assert_eq!(unasked.code, Some(2), "{}{}", unasked.out, unasked.err);
    assert_eq!(tree(&project), after, "nobody could be asked");

    let undone = place.fore(&["undo", "--yes"]);
    assert_eq!(undone.code, Some(0), "{}{}", undone.out, undone.err);
    for line in [
        "What was changed after “Make it ten”:",
        "- src/cart.rs is as it was before (+1 −1)",
        "- notes.txt is there again (+1 −0)",
        "- out/log is as it was before (+0 −1)",
        "- made/deep/file is removed (+0 −1)",
        "- docs/ is removed, if it is empty",
        "- docs/cart.md is removed (+0 −1)",
        "- src/price.rs is there again",
        "`fore redo` brings it back.",
    ] {
        assert!(undone.out.contains(line), "{line}: {}", undone.out);
    }
    assert_eq!(tree(&project), before);

    let redone = place.fore(&["redo", "--yes"]);
    assert_eq!((redone.code, tree(&project)), (Some(0), after), "{}{}", redone.out, redone.err);
    let undone = place.fore(&["undo", "--yes"]);
    assert_eq!((undone.code, tree(&project)), (Some(0), before), "{}{}", undone.out, undone.err);
    assert_eq!(fs::read(project.join(".git/index")).unwrap(), index, "the index is the person's");
    let nothing = place.fore(&["undo", "--yes"]);
    assert!(nothing.code == Some(0) && nothing.out.starts_with("There is nothing to undo"), "{}", nothing.out);
    scene.finish();
}

#[test]
fn what_the_person_changed_since_is_left_unless_they_want_it() {
    let scene = shop(works());
    let (place, project) = (&scene.place, scene.place.project());
    let before = tree(&project);
    scene.fore(&[&["-p", "Make it ten"], FREE.as_slice()].concat());
    place.file("src/cart.rs", "mine\n");
    place.file("made/deep/mine", "mine too\n");
    let undone = place.fore(&["undo", "--yes"]);
    assert!(
        undone.out.contains("src/cart.rs is as it was before (+1 −1): you have changed it since"),
        "{}",
        undone.out
    );
    assert_eq!(undone.code, Some(1), "{}", undone.out);
    assert_eq!(place.read("src/cart.rs").as_deref(), Some("mine\n"));
    assert_eq!(place.read("made/deep/mine").as_deref(), Some("mine too\n"));
    assert_eq!(place.read("made/deep/file"), None);
    assert_eq!(place.read("notes.txt").as_deref(), Some("remember the milk\n"));
    let redone = place.fore(&["redo", "--yes"]);
    assert_eq!(redone.code, Some(0), "{}{}", redone.out, redone.err);
    let undone = place.fore(&["undo", "--yes", "--also-changed"]);
    assert_eq!(undone.code, Some(0), "{}{}", undone.out, undone.err);
    let mut now = tree(&project);
    for name in ["made", "made/deep", "made/deep/mine"] {
        now.remove(name);
    }
    assert_eq!(now, before);
    let redone = place.fore(&["redo", "--yes"]);
    assert_eq!(redone.code, Some(0), "{}{}", redone.out, redone.err);
    assert_eq!(place.read("src/cart.rs").as_deref(), Some("mine\n"), "what went was kept");
}

#[test]
fn a_secret_is_copied_nowhere_and_left_as_it_is() {
    let script = ModelScript::new()
        .turn(call("Bash", json!({"command": "echo KEY=other > .env; echo two > notes.txt"})))
        .turn(text("Done."));
    let scene = shop(script);
    let place = &scene.place;
    place.file(".env", "KEY=very-secret-key\n");
    scene.fore(&[&["-p", "Change them"], FREE.as_slice()].concat());
    let undone = place.fore(&["undo", "--yes"]);
    assert!(undone.out.contains(".env stays as it is: it is kept secret"), "{}", undone.out);
    assert_eq!(place.read("notes.txt").as_deref(), Some("remember the milk\n"));
    assert_eq!(place.read(".env").as_deref(), Some("KEY=other\n"));
    let mut folders = vec![place.folder("home").join("undo")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files += 1;
                let bytes = fs::read(&path).unwrap();
                assert!(!String::from_utf8_lossy(&bytes).contains("very-secret"), "{}", path.display());
                assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0, "{}", path.display());
            }
        }
    }
    assert!(files > 0);
}

#[test]
fn in_a_session_undo_is_shown_asked_and_told_to_the_model_and_refused_while_planning() {
    let script = ModelScript::new()
        .turn(call("Write", json!({"file_path": "docs/cart.md", "content": "# Cart\n"})))
        .turn(text("Done."))
        .turn(text("I see.").expect_user("Go on"));
    let scene = shop(script);
    let place = &scene.place;
    let arguments = ["--input-format", "stream-json", "--output-format", "stream-json", "-p"];
    let mut running = scene.start(&[arguments.as_slice(), &FREE].concat());
    running.say(&json!({"command": "prompt", "text": "Write about it"}));
    running.wait_for("turn-ended");
    assert!(place.read("docs/cart.md").is_some());

    running.say(&json!({"command": "mode", "to": "plan"}));
    running.wait_for("mode-changed");
    running.say(&json!({"command": "undo"}));
    let refused = running.wait_for("notice");
    let words = "No file changes while planning, also not by undo. Leave plan mode first (Shift+Tab), then undo.";
    assert_eq!(refused["text"], words);
    running.say(&json!({"command": "mode", "to": "default"}));
    running.wait_for("mode-changed");

    running.say(&json!({"command": "undo"}));
    let shown = running.wait_for("undo-shown");
    assert_eq!(shown["files"][1]["what"], "is removed", "{shown}");
    let asked = running.wait_for("form-asked");
    assert!(place.read("docs/cart.md").is_some(), "nothing happens before the answer");
    let label = asked["form"]["questions"][0]["options"][0]["label"].clone();
    assert_eq!(label, "Undo 1 file");
    running.say(&json!({"command": "fill-form", "question": asked["question"], "answers": [{"chosen": [label]}]}));
    let undone = running.wait_for("undone");
    assert_eq!(undone["left"], json!([]), "{undone}");
    assert!(!place.project().join("docs").exists());

    running.say(&json!({"command": "prompt", "text": "Go on"}));
    running.wait_for("turn-ended");
    let (_, code) = running.end();
    assert_eq!(code, Some(0));
    let requests = scene.finish();
    assert!(requests[2].contains("The person took changes of files back"), "{}", requests[2]);
}
