//! Two steps without a person in between: `fore plan` makes a plan, `fore apply` runs exactly it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "prepares the workspace of the program under test")]

#[path = "support/model.rs"]
#[allow(dead_code, reason = "the other test file talks to its runs")]
mod model;
mod support;

use fore_plan::plan::Hash;
use fore_testkit::{ModelScript, call, text};
use model::Scene;
use serde_json::{Value, json};
use support::Ran;

const PLAN: &str = "# Greeting\n\nWrite `hello.txt`.\n\n## Verification\n\n`cat hello.txt`\n";

fn plans() -> ModelScript {
    ModelScript::new()
        .turn(text("I will plan.").call("ExitPlanMode", json!({"plan": PLAN})).expect_user("add a greeting"))
}

fn hash() -> String {
    Hash::of(PLAN.as_bytes()).to_string()
}

/// The path and the hash that `fore plan` printed.
fn printed(ran: &Ran) -> (String, String) {
    let words = |name: &str| {
        let line = ran.out.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("{} {}", ran.out, ran.err)).to_owned()
    };
    (words("plan "), words("hash "))
}

#[test]
fn m9_a_plan_is_two_labelled_lines_for_a_program_and_exit_0() {
    let scene = Scene::new(plans());
    let ran = scene.fore(&["plan", "add a greeting"]);
    assert_eq!((ran.code, ran.out.lines().count(), ran.err.as_str()), (Some(0), 2, ""));
    let (path, printed_hash) = printed(&ran);
    assert_eq!(printed_hash, hash());
    assert_eq!(std::fs::read_to_string(path).unwrap(), PLAN);
    assert_eq!(scene.place.names(), [""; 0], "nothing is changed in the project");
    scene.finish();
}

#[test]
fn m9_the_task_may_come_from_standard_input_and_the_result_as_json() {
    let scene = Scene::new(plans());
    let ran = scene.fore_with(&["plan", "-", "--output-format", "json"], b"add a greeting\n");
    let result: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &result["exitCode"], &result["result"]), (Some(0), &json!(0), &json!(PLAN)));
    assert_eq!((&result["plan"]["hash"], &result["plan"]["stage"]), (&json!(hash()), &json!("proposed")));
}

#[test]
fn m9_a_copy_is_saved_and_never_over_something_else() {
    let scene = Scene::new(plans());
    let ran = scene.fore(&["plan", "add a greeting", "--plan-file", "plan.md"]);
    assert_eq!((ran.code, scene.place.read("plan.md").as_deref()), (Some(0), Some(PLAN)), "{}", ran.err);

    let scene = Scene::new(plans().allow_unused_turns());
    scene.place.file("plan.md", "mine");
    let ran = scene.fore(&["plan", "add a greeting", "--plan-file", "plan.md"]);
    let words = "error: `plan.md` already exists; choose another --plan-file, or add --force to replace it\n";
    assert_eq!((ran.code, ran.err.as_str()), (Some(2), words));
    assert_eq!(scene.server.requests(), [], "nothing is planned for nothing");
    let ran = scene.fore(&["plan", "add a greeting", "--plan-file", "no/such/plan.md"]);
    assert!(ran.code == Some(2) && ran.err.contains("no/such"), "{}", ran.err);
    let ran = scene.fore(&["plan", "add a greeting", "--plan-file", "plan.md", "--force"]);
    assert_eq!((ran.code, scene.place.read("plan.md").as_deref()), (Some(0), Some(PLAN)), "{}", ran.err);
}

#[test]
fn m9_without_a_plan_the_exit_code_is_4_and_the_words_of_the_model_are_shown() {
    let scene = Scene::new(ModelScript::new().turn(text("There is nothing to do.")));
    let ran = scene.fore(&["plan", "nothing"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""));
    assert_eq!(ran.err, "There is nothing to do.\nfore: no plan was made\n");
}

#[test]
fn m9_a_plan_is_applied_by_its_hash_in_a_session_of_its_own() {
    let scene = Scene::new(
        plans()
            .turn(call("Read", json!({"file_path": "hello.txt"})).expect_user("Write `hello.txt`."))
            .turn(text("It was there.").expect_result("Read", "hi")),
    );
    let (path, hash) = printed(&scene.fore(&["plan", "add a greeting"]));
    scene.place.file("hello.txt", "hi\n");
    let ran = scene.fore(&["apply", &path, "--hash", &hash, "--output-format", "json"]);
    let result: Value =
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {} {}", ran.out, ran.err));
    assert_eq!(
        (ran.code, &result["result"], &result["outcome"]),
        (Some(0), &json!("It was there."), &json!("done")),
        "{result}"
    );
    assert_eq!((&result["plan"]["hash"], &result["plan"]["stage"]), (&json!(hash), &json!("done")), "{result}");
    scene.finish();
}

#[test]
fn m9_another_hash_is_refused_with_both_and_nothing_runs() {
    let scene = Scene::new(plans());
    let (path, _) = printed(&scene.fore(&["plan", "add a greeting"]));
    let other = Hash::of(b"other").to_string();
    let ran = scene.fore(&["apply", &path, "--hash", &other]);
    assert_eq!(
        (ran.code, ran.err),
        (
            Some(2),
            format!(
                "error: the plan is not the one that you named; nothing was run\n  {path}\n  has the hash  {}\n  \
                 you named     {other}\n  Read it again, and apply it with its hash if it is what you want.\n",
                hash()
            )
        )
    );
    std::fs::write(&path, "# Something else\n").unwrap();
    let ran = scene.fore(&["apply", &path, "--hash", &hash()]);
    assert_eq!(ran.code, Some(2), "a plan that changed since is another one");
    let ran = scene.fore(&["apply", &path, "--hash", &hash()[..12]]);
    assert!(ran.code == Some(2) && ran.err.contains("64 digits"), "{}", ran.err);
    scene.finish();
}

#[test]
fn m9_what_would_ask_is_denied_listed_and_told_by_the_exit_code() {
    let scene = Scene::new(
        plans()
            .turn(call("Write", json!({"file_path": "hello.txt", "content": "hi"})))
            .turn(text("I was not allowed to.").expect_result("Write", "nobody can answer")),
    );
    let (path, hash) = printed(&scene.fore(&["plan", "add a greeting"]));
    let ran = scene.fore(&["apply", &path, "--hash", &hash, "--output-format", "json"]);
    let result: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &result["outcome"]), (Some(6), &json!("denied")), "{result}");
    assert_eq!(result["denied"][0]["tool"], "Write");
    assert_eq!(scene.place.read("hello.txt"), None);
}

#[test]
fn a7_a_level_that_is_closed_here_is_refused_before_anything_runs() {
    let scene = Scene::new(plans());
    let (path, hash) = printed(&scene.fore(&["plan", "add a greeting"]));
    for level in ["acceptEdits", "auto", "yolo"] {
        let ran = scene.fore(&["apply", &path, "--hash", &hash, "--level", level]);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains("`fore trust`"), "{}", ran.err);
    }
    let ran = scene.fore(&["apply", &path, "--hash", &hash, "--level", "plan"]);
    assert!(ran.code == Some(2) && ran.err.contains("a plan is applied at a level"), "{}", ran.err);
    scene.finish();
}

#[test]
fn m9_in_a_trusted_folder_a_plan_is_applied_at_the_level_that_was_named() {
    let scene = Scene::new(
        plans()
            .turn(call("Write", json!({"file_path": "hello.txt", "content": "hi\n"})))
            .turn(text("Written.").expect_result("Write", "hello.txt")),
    );
    let (path, hash) = printed(&scene.fore(&["plan", "add a greeting"]));
    assert_eq!(scene.place.fore(&["trust"]).code, Some(0));
    let name = std::path::Path::new(&path).file_stem().unwrap().to_str().unwrap();
    let ran = scene.fore(&["apply", name, "--hash", &hash, "--level", "acceptEdits", "--prompt", "Be quick."]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "Written.\n", ""));
    assert_eq!(scene.place.read("hello.txt").as_deref(), Some("hi\n"));
    let refused = scene.fore(&["apply", name, "--hash", &hash, "--level", "bypassPermissions"]);
    assert!(refused.code == Some(2) && refused.err.contains("--dangerously-allow-bypass"), "{}", refused.err);
    let bodies = scene.finish();
    assert!(bodies.iter().any(|body| body.contains("Be quick.")), "the words beside the plan reach the model");
}

#[test]
fn m14_without_a_model_the_scout_makes_a_plan_and_nothing_is_asked() {
    let place = support::Place::new();
    place.file("cart.py", "class Cart:\n    def total(self):\n        return sum(item.price for item in self.items)\n");
    place.file("login.py", "def login(name):\n    return name\n");
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        assert!(command.args(arguments).current_dir(place.project()).output().unwrap().status.success());
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    let ran = place.fore(&["--model", "scout", "plan", "add discounts to the cart", "--plan-file", "plan.md"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    let text = place.read("plan.md").unwrap();
    assert!(text.starts_with("# Add discounts to the cart\n") && text.contains("1. `cart.py`"), "{text}");
    assert_eq!(printed(&ran).1, Hash::of(text.as_bytes()).to_string());

    let (path, hash) = printed(&ran);
    let applied = place.fore(&["--model", "scout", "apply", &path, "--hash", &hash]);
    assert!(applied.code == Some(2) && applied.err.contains("none is set up; nothing was run"), "{}", applied.err);
    let asked = place.fore(&["--model", "scout", "-p", "Why is login slow?"]);
    assert_eq!((asked.code, asked.out.as_str()), (Some(5), ""), "what is no answer is not printed as one");
    assert!(
        asked.err.starts_with("I am the scout") && asked.err.contains("error: no language model is set up"),
        "{}",
        asked.err
    );
}
