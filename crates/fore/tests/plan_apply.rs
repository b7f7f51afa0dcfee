//! Two steps without a person in between: `fore plan` makes a plan, `fore apply` runs exactly it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "prepares the workspace of the program under test")]

#[path = "support/model.rs"]
#[allow(dead_code, reason = "the other test file talks to its runs")]
mod model;
mod support;

use fore_plan::plan::Hash;
use fore_testkit::{FailureKind, Fault, ModelScript, ProviderFailure, ScriptedTurn, call, text};
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
    scene.place.file("hello.txt", "hi\n");
    let (path, hash) = printed(&scene.fore(&["plan", "add a greeting"]));
    let ran = scene.fore(&["apply", &path, "--hash", &hash, "--output-format", "json"]);
    let result: Value =
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {} {}", ran.out, ran.err));
    assert_eq!(
        (ran.code, &result["result"], &result["outcome"]),
        (Some(0), &json!("It was there."), &json!("done")),
        "its check was run by the program: {result}"
    );
    assert!(result["report"]["commands"][0]["outcome"]["passed"].is_object(), "{result}");
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
    let ran = scene.fore(&["apply", &path, "--hash", &hash()[..32]]);
    assert!(ran.code == Some(2) && ran.err.contains(&format!("you named     {}\n", &hash()[..32])), "{}", ran.err);
    let ran = scene.fore(&["apply", &path, "--hash", &hash()[..31]]);
    assert!(ran.code == Some(2) && ran.err.contains("first 32"), "too few digits are no name: {}", ran.err);
    scene.finish();
}

#[test]
fn m9_what_would_ask_is_denied_listed_and_told_by_the_exit_code() {
    let scene = Scene::new(
        plans()
            .turn(call("Write", json!({"file_path": "hello.txt", "content": "hi"})))
            .turn(call("Write", json!({"file_path": "other.txt", "content": "hi"})).expect_result("Write", "hello.txt"))
            .turn(text("I was not allowed to.").expect_result("Write", "nobody can answer")),
    );
    let (path, hash) = printed(&scene.fore(&["plan", "add a greeting"]));
    let ran = scene.fore(&["apply", &path, "--hash", &hash, "--output-format", "json"]);
    let result: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &result["outcome"]), (Some(6), &json!("denied")), "{result}");
    assert_eq!(result["denied"][0]["tool"], "Write");
    assert_eq!(result["denied"].as_array().map(Vec::len), Some(1), "{result}");
    assert_eq!(scene.place.read("hello.txt").as_deref(), Some("hi"), "what the plan names runs");
    assert_eq!(scene.place.read("other.txt"), None);
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
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Written.\n"), "{}", ran.err);
    assert!(ran.err.contains("checks: 1 passed"), "{}", ran.err);
    assert_eq!(scene.place.read("hello.txt").as_deref(), Some("hi\n"));
    let refused = scene.fore(&["apply", name, "--hash", &hash, "--level", "bypassPermissions"]);
    assert!(refused.code == Some(2) && refused.err.contains("--dangerously-allow-bypass"), "{}", refused.err);
    let bodies = scene.finish();
    assert!(bodies.iter().any(|body| body.contains("Be quick.")), "the words beside the plan reach the model");
}

/// The exit code of a plan that is applied, and the line on top of its report.
#[track_caller]
fn applied(plan: &str, files: &[(&str, &str)], content: &str, options: &[&str]) -> (Option<i32>, String) {
    let planned = call("ExitPlanMode", json!({"plan": plan})).expect_user("add a greeting");
    let write = call("Write", json!({"file_path": "hello.txt", "content": content}));
    let scene = Scene::new(ModelScript::new().turn(planned).turn(write).turn(text("All done, all checks pass.")));
    files.iter().for_each(|(path, text)| scene.place.file(path, text));
    let (path, hash) = printed(&scene.fore(&["plan", "add a greeting"]));
    let ran = scene.fore(&[&["apply", &path, "--hash", &hash], options].concat());
    let headline = ran.err.lines().find(|line| line.contains("checks")).unwrap_or_default().to_owned();
    (ran.code, headline)
}

#[test]
fn m9_checks_that_the_model_left_out_are_run_at_the_end_and_decide_about_the_exit_code() {
    let plan =
        "# Greeting\n\nWrite `hello.txt`.\n\n## Verification\n\n- Run: `grep -q hi hello.txt`\n- Run: `sh check.sh`\n";
    let check = [("check.sh", "grep -q there hello.txt\n")];
    let page = [
        ("hi there", vec![], Some(0), "2 passed"),
        ("hi", vec![], Some(9), "1 passed, 1 failed"),
        ("hi there", vec!["--no-checks"], Some(9), "2 not run"),
    ];
    for (content, options, code, checks) in page {
        let (ended, headline) = applied(plan, &check, content, &options);
        assert_eq!(ended, code, "{content} {options:?}: {headline}");
        assert!(headline.contains(&format!("checks: {checks}")), "{content} {options:?}: {headline}");
    }
}

#[test]
fn m9_what_does_not_say_that_it_checks_is_not_run_by_the_program() {
    let plan = "# Greeting\n\nWrite `hello.txt`.\n\n## Verification\n\n- Run: `sh check.sh`\n- Run: `find . -name 'check.*' -delete`\n";
    let (ended, headline) = applied(plan, &[("check.sh", "exit 0\n")], "hi", &[]);
    assert_eq!(ended, Some(9), "{headline}");
    assert!(headline.contains("checks: 1 passed, 1 not run"), "{headline}");
}

#[test]
fn m14_without_a_model_the_scout_makes_a_plan_and_nothing_is_asked() {
    let place = support::Place::new();
    place.file("cart.py", "class Cart:\n    def total(self):\n        return sum(item.price for item in self.items)\n");
    place.file("login.py", "def login(name):\n    return name\n");
    place.git(&["init", "-q"]);
    place.git(&["add", "."]);
    let ran = place.fore(&["--model", "scout", "plan", "add discounts to the cart", "--plan-file", "plan.md"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    let text = place.read("plan.md").unwrap();
    assert!(text.starts_with("# Add discounts to the cart\n") && text.contains("1. `cart.py`"), "{text}");
    assert_eq!(printed(&ran).1, Hash::of(text.as_bytes()).to_string());

    let (path, hash) = printed(&ran);
    let applied = place.fore(&["--model", "scout", "apply", &path, "--hash", &hash]);
    assert!(applied.code == Some(2) && applied.err.contains("none is set up; nothing was run"), "{}", applied.err);
    let asked = place.fore(&["--model", "scout", "-p", "Why is login slow?"]);
    assert_eq!((asked.code, asked.err.as_str()), (Some(0), ""), "{}", asked.out);
    assert!(asked.out.contains("- `login` is defined at `login.py:1`: `def login(name)`."), "{}", asked.out);
    assert!(asked.out.contains("No language model is set up, so this is what the code shows"), "{}", asked.out);
    let planned = place.fore(&["--model", "scout", "-p", "add discounts to the cart"]);
    assert!(planned.code == Some(3) && planned.out.contains("1. `cart.py`"), "{} {}", planned.out, planned.err);
    assert!(planned.err.contains(" --model NAME"), "the next step works from here: {}", planned.err);
}

/// What the scout's plan names as the next step.
#[test]
fn m14_a_model_goes_on_from_the_plan_of_the_scout() {
    let scene = Scene::new(ModelScript::new().foreign_history().turn(text("Seen.")));
    scene.place.file("cart.py", "class Cart:\n    def total(self):\n        return 0\n");
    let planned = scene.place.fore(&["-p", "add discounts to the cart", "--model", "scout"]);
    assert_eq!(planned.code, Some(3), "{} {}", planned.out, planned.err);
    let seen = scene.fore(&["-p", "carry it out", "--continue"]);
    assert_eq!((seen.code, seen.out.trim()), (Some(0), "Seen."), "{}", seen.err);
    let bodies = scene.finish();
    assert!(bodies[0].contains("Files likely to change") && bodies[0].contains("cart.py"), "{}", bodies[0]);
}

const WORK: &str = "# Cart\n\n## Change\n- `src/cart.txt`: raise the total.\n\n## Verify\n- `cat src/cart.txt`\n";

/// A cart, a plan about it, and whatever a model then makes of it.
fn work(carried_out: impl FnOnce(ModelScript) -> ModelScript) -> Scene {
    let planned = ModelScript::new().turn(call("ExitPlanMode", json!({"plan": WORK})));
    let scene = Scene::new(carried_out(planned));
    for folder in ["src", "docs"] {
        std::fs::create_dir_all(scene.place.project().join(folder)).unwrap();
    }
    scene.place.file("src/cart.txt", "total 1\n");
    scene
}

fn planned(scene: &Scene) -> (String, String) {
    printed(&scene.fore(&["plan", "raise the total"]))
}

fn as_planned(script: ModelScript) -> ModelScript {
    script
        .turn(call("Read", json!({"file_path": "src/cart.txt"})))
        .turn(call("Edit", json!({"file_path": "src/cart.txt", "old_string": "total", "new_string": "sum"})))
        .turn(call("Bash", json!({"command": "cat src/cart.txt"})))
        .turn(text("Done."))
}

fn json_of(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {} {}", ran.out, ran.err))
}

#[test]
fn m9_a_stale_plan_is_refused_with_10_and_what_moved() {
    let scene = work(as_planned);
    let (path, hash) = planned(&scene);
    scene.place.file("src/cart.txt", "total 1\ntax 2\n");
    let ran = scene.fore(&["apply", &path, "--hash", &hash]);
    let words = "error: 1 file that the plan names has changed since it was made; nothing was run\n  \
                 src/cart.txt (changed, +1 −0)\n    @@ -1 +1,2 @@\n     total 1\n    +tax 2\n\
                 Make the plan again, or carry it out as it is with --stale allow: the model then reads these files \
                 again.\n";
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(10), "", words));
    let ran = scene.fore(&["apply", &path, "--hash", &hash, "--output-format", "json"]);
    let result = json_of(&ran);
    assert_eq!((ran.code, &result["outcome"], &result["exitCode"]), (Some(10), &json!("stale"), &json!(10)));
    let moved = json!([{
        "path": "src/cart.txt", "change": "changed", "added": 1, "removed": 0,
        "diff": "@@ -1 +1,2 @@\n total 1\n+tax 2\n"
    }]);
    assert_eq!((&result["stale"], &result["session"]), (&moved, &json!(null)), "no session was begun");

    let ran = scene.fore(&["apply", &path, "--hash", &hash, "--stale", "allow", "--output-format", "json"]);
    let result = json_of(&ran);
    assert_eq!((ran.code, &result["stale"]), (Some(0), &moved), "{result}");
    assert_eq!(scene.place.read("src/cart.txt").as_deref(), Some("sum 1\ntax 2\n"));
    let bodies = scene.finish();
    assert_eq!(bodies.len(), 5, "nothing was asked of the model while it was refused");
    assert!(bodies[1].contains("- src/cart.txt (changed, +1 −0)") && bodies[1].contains("read them again"));
}

#[test]
fn m9_files_as_they_were_are_no_stale_plan_whatever_was_committed() {
    let scene = work(as_planned);
    scene.place.git(&["init", "-q"]);
    let (path, hash) = planned(&scene);
    scene.place.git(&["add", "."]);
    scene.place.git(&["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "cart"]);
    scene.place.file("docs/other.txt", "nothing that the plan names\n");
    scene.place.file("src/cart.txt", "total 2\n");
    let ran = scene.fore(&["apply", &path, "--hash", &hash]);
    assert_eq!(ran.code, Some(10));
    assert!(ran.err.contains("  made on ") && ran.err.contains(" without a commit, now on "), "{}", ran.err);
    scene.place.file("src/cart.txt", "total 1\n");
    let ran = scene.fore(&["apply", &path, "--hash", &hash, "--output-format", "json"]);
    let result = json_of(&ran);
    assert_eq!((ran.code, &result["stale"]), (Some(0), &json!([])), "{result}");
    scene.finish();
}

#[test]
fn m9_a_file_that_appeared_and_one_that_went_make_a_plan_stale_too() {
    let plan = "# Cart\n\n- Create `src/new.txt`.\n- Change `src/cart.txt` like `src/price.txt`.\n";
    let scene = Scene::new(ModelScript::new().turn(call("ExitPlanMode", json!({"plan": plan}))));
    std::fs::create_dir_all(scene.place.project().join("src")).unwrap();
    ["src/cart.txt", "src/price.txt"].iter().for_each(|file| scene.place.file(file, "1\n"));
    let (path, hash) = planned(&scene);
    scene.place.file("src/new.txt", "1\n2\n");
    std::fs::remove_file(scene.place.project().join("src/price.txt")).unwrap();
    let ran = scene.fore(&["apply", &path, "--hash", &hash]);
    assert_eq!(ran.code, Some(10));
    let (new, gone) = ("  src/new.txt (new, +2 −0)\n", "  src/price.txt (gone, +0 −1)\n");
    assert!(ran.err.contains(new) && ran.err.contains(gone), "{}", ran.err);
    scene.finish();
}

#[test]
fn m9_of_a_plan_that_was_not_made_here_nothing_is_known_and_that_is_said() {
    let scene = Scene::new(ModelScript::new().turn(text("Nothing to do.")).turn(text("Nothing to do.")));
    let plan = "# Elsewhere\n\n- Change `cart.txt`.\n";
    scene.place.file("cart.txt", "total 1\n");
    let file = scene.place.folder("elsewhere").join("plan.md");
    std::fs::write(&file, plan).unwrap();
    let (file, hash) = (file.to_str().unwrap(), Hash::of(plan.as_bytes()).to_string());
    let ran = scene.fore(&["apply", file, "--hash", &hash, "--output-format", "json"]);
    let result = json_of(&ran);
    assert_eq!((ran.code, result.get("stale")), (Some(11), Some(&json!(null))), "{result}");
    let ran = scene.fore(&["apply", file, "--hash", &hash, "--verbose"]);
    let words = "This plan was not made here, so it is not known whether the files it names have changed since.";
    assert!(ran.err.contains(words), "{}", ran.err);
    scene.finish();
}

/// Edits what the plan names and what it does not, then runs its check.
fn drifting(script: ModelScript) -> ModelScript {
    script
        .turn(call("Read", json!({"file_path": "src/cart.txt"})))
        .turn(call("Edit", json!({"file_path": "src/cart.txt", "old_string": "total", "new_string": "sum"})))
        .turn(call("Write", json!({"file_path": "docs/other.txt", "content": "more\n"})))
        .turn(call("Bash", json!({"command": "cat src/cart.txt"})))
        .turn(text("Done."))
}

#[test]
fn m9_work_beyond_the_plan_is_denied_with_6_or_allowed_and_listed_with_8() {
    let scene = work(drifting);
    let (path, hash) = planned(&scene);
    let ran = scene.fore(&["apply", &path, "--hash", &hash, "--output-format", "json"]);
    let result = json_of(&ran);
    assert_eq!((ran.code, &result["outcome"]), (Some(6), &json!("denied")), "{result}");
    let reason = result["denied"][0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("the plan does not cover it"), "{reason}");
    assert_eq!(
        (result["denied"].as_array().unwrap().len(), &result["denied"][0]["code"]),
        (1, &json!("plan.not-covered"))
    );
    assert_eq!(
        (scene.place.read("docs/other.txt"), scene.place.read("src/cart.txt").as_deref()),
        (None, Some("sum 1\n"))
    );

    let scene = work(drifting);
    let (path, hash) = planned(&scene);
    let ran = scene.fore(&["apply", &path, "--hash", &hash, "--drift", "allow"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(8), "Done.\n"), "{}", ran.err);
    assert!(ran.err.contains("1 file as planned, 1 not planned") && ran.err.contains("docs/other.txt"), "{}", ran.err);
    assert_eq!(scene.place.read("docs/other.txt").as_deref(), Some("more\n"));
    scene.finish();
}

#[test]
fn m9_drift_never_reaches_secrets_orders_other_folders_and_commands_that_change_things() {
    let write = |path: &str| call("Write", json!({"file_path": path, "content": "more\n"}));
    let scene = work(|script| {
        script
            .turn(write("AGENTS.md"))
            .turn(write(".git/hooks/post-commit"))
            .turn(write("../beside.txt"))
            .turn(write(".env"))
            .turn(call("Bash", json!({"command": "rm src/cart.txt"})))
            .turn(call("Bash", json!({"command": "curl https://example.org"})))
            .turn(text("Done."))
    });
    let (path, hash) = planned(&scene);
    let ran = scene.fore(&["apply", &path, "--hash", &hash, "--drift", "allow", "--output-format", "json"]);
    let result = json_of(&ran);
    assert_eq!((ran.code, result["denied"].as_array().unwrap().len()), (Some(6), 6), "{result}");
    assert_eq!(scene.place.names(), ["docs", "src"]);
    assert_eq!(scene.place.read("src/cart.txt").as_deref(), Some("total 1\n"));
    assert_eq!(scene.place.read("../beside.txt"), None);
    scene.finish();
}

#[test]
fn m9_every_end_of_apply_has_its_code() {
    let refusing = || ScriptedTurn::default().fault(Fault::Status(ProviderFailure::new(FailureKind::Forbidden)));
    let without_check = |script: ModelScript| script.turn(text("I did nothing."));
    let silent = |script: ModelScript| script.turn(text(" ")).turn(text(" "));
    let failing = |script: ModelScript| script.turn(refusing());
    let steps = "1. Change `src/cart.txt`.\n2. Create `docs/cart.txt`.\n";
    let half = Scene::new(as_planned(ModelScript::new().turn(call("ExitPlanMode", json!({"plan": steps})))));
    std::fs::create_dir_all(half.place.project().join("src")).unwrap();
    half.place.file("src/cart.txt", "total 1\n");
    let page: [(&str, Scene, i32); 5] = [
        ("unfinished", half, 11),
        ("done", work(as_planned), 0),
        ("model-failed", work(failing), 5),
        ("no-answer", work(silent), 7),
        ("unproved", work(without_check), 9),
    ];
    for (outcome, scene, code) in page {
        let (path, hash) = planned(&scene);
        let ran = scene.fore(&["apply", &path, "--hash", &hash, "--no-checks", "--output-format", "json"]);
        let result = json_of(&ran);
        assert_eq!((ran.code, &result["outcome"]), (Some(code), &json!(outcome)), "{result}");
        scene.finish();
    }
    // 2, 6, 8 and 10 have tests of their own; this one is stopped while the model is silent.
    let scene = work(|script| script.turn(text("Let me").fault(Fault::Stall { after_event: 1 })));
    let (path, hash) = planned(&scene);
    let mut run = scene.start(&["apply", &path, "--hash", &hash, "--output-format", "stream-json"]);
    run.wait_for("turn-started");
    run.signal(libc::SIGINT);
    assert_eq!(run.end().1, Some(130));
}

/// The stage of the only plan in the list, as people see it.
fn stage(scene: &Scene) -> String {
    let listed = scene.place.fore(&["plans"]);
    let stages =
        ["draft", "awaits approval", "approved", "in progress", "done", "unfinished", "abandoned", "sent back"];
    let rows: Vec<&str> = listed.out.lines().skip(1).collect();
    assert_eq!(rows.len(), 1, "one plan, one row, whichever way it was run:\n{}", listed.out);
    let words = rows[0].split("  ").map(str::trim).find(|cell| stages.iter().any(|stage| cell.starts_with(stage)));
    words.unwrap_or_else(|| panic!("{}", listed.out)).to_owned()
}

#[test]
fn m7_the_list_of_plans_says_how_far_each_is_whichever_way_it_was_run() {
    let idle = |script: ModelScript| script.turn(text("All done, all tests pass."));
    let failing = ScriptedTurn::default().fault(Fault::Status(ProviderFailure::new(FailureKind::Forbidden)));
    let page: [(Scene, &[&str], &str); 4] = [
        (work(as_planned), &[], "done"),
        (work(drifting), &["--drift", "allow"], "done with drift"),
        (work(idle), &["--no-checks"], "done, not proved"),
        (work(|script| script.turn(failing)), &[], "in progress"),
    ];
    for (scene, options, expected) in page {
        let (path, hash) = planned(&scene);
        assert_eq!(stage(&scene), "awaits approval");
        scene.fore(&[&["apply", &path, "--hash", &hash], options].concat());
        assert_eq!(stage(&scene), expected);
    }

    // In a session: step by step, thrown away, and what was ticked off and did not happen.
    let steps = "1. Change `src/cart.txt`.\n2. Create `docs/cart.txt`.\n";
    let todos = |done: usize| {
        let todo = |(at, step): (usize, &str)| json!({"content": step, "status": if at < done { "completed" } else { "pending" }});
        let names = ["1. Change `src/cart.txt`.", "2. Create `docs/cart.txt`."];
        call("TodoWrite", json!({"todos": names.into_iter().enumerate().map(todo).collect::<Vec<_>>()}))
    };
    let session = |script: ModelScript, selected: &str| {
        let scene = Scene::new(script);
        std::fs::create_dir_all(scene.place.project().join("src")).unwrap();
        scene.place.file("src/cart.txt", "total 1\n");
        let talks = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--mode", "plan"];
        let mut run = scene.start(&talks);
        run.say(&json!({"command": "prompt", "text": "Plan."}));
        let asked = run.wait_for("approval-asked");
        run.say(&json!({"command": "approval", "event": "plan:exit:response", "agentId": asked["request"]["agentId"], "selected": selected}));
        run.wait_for("turn-ended");
        run.end();
        stage(&scene)
    };
    let proposed = || ModelScript::new().turn(call("ExitPlanMode", json!({"plan": steps})));
    let edit = || call("Edit", json!({"file_path": "src/cart.txt", "old_string": "total", "new_string": "sum"}));
    let begun = || proposed().turn(call("Read", json!({"file_path": "src/cart.txt"}))).turn(edit());
    assert_eq!(session(begun().turn(todos(1)).turn(text("Half.")), "startCovered"), "in progress 1/2");
    assert_eq!(session(begun().turn(todos(2)).turn(text("All done!")), "startCovered"), "unfinished 0/2");
    assert_eq!(session(proposed(), "discard"), "abandoned");
    assert_eq!(session(proposed(), "saveAndStop"), "draft");
}

#[test]
fn m9_what_a_plan_covers_is_printed_with_it_and_by_its_name() {
    let scene = work(|script| script.turn(call("ExitPlanMode", json!({"plan": WORK}))));
    let ran = scene.fore(&["plan", "raise the total", "--verbose"]);
    assert_eq!(
        (ran.code, ran.out.lines().count()),
        (Some(0), 2),
        "two lines for programs, whatever is said beside them"
    );
    let covers = "This plan covers 1 file, 1 command; fore apply grants them:\n  src/cart.txt  change  line 4\n  \
                  run cat src/cart.txt  no network  line 7\n\
                  Near these, and passed too: their tests, other files in src/, their manifests and lock files, their \
                  translations.\n";
    assert!(ran.err.contains(covers), "{}", ran.err);
    let (path, hash) = printed(&ran);
    let result = json_of(&scene.fore(&["plan", "raise the total", "--output-format", "json"]));
    let contract = json!({
        "files": [{"path": "src/cart.txt", "shape": "file", "change": "change", "line": 4}],
        "commands": [{"command": "cat src/cart.txt", "hosts": [], "line": 7}],
        "notGranted": []
    });
    assert_eq!(result["plan"]["contract"], contract);
    let name = std::path::Path::new(&path).file_stem().unwrap().to_str().unwrap().to_owned();
    let shown = scene.place.fore(&["plans", "show", &name, "--covers"]);
    assert_eq!((shown.code, shown.out.as_str()), (Some(0), covers), "{}", shown.err);
    let shown = json_of(&scene.place.fore(&["plans", "show", &name, "--covers", "--json"]));
    assert_eq!(shown, json!({"hash": hash, "contract": contract}));

    scene.place.file("AGENTS.md", "Be kind.\n");
    std::fs::write(&path, "# Cart\n\n- Change `AGENTS.md`.\n\n## Out of scope\n- `src/cart.txt`\n").unwrap();
    let shown = scene.place.fore(&["plans", "show", &name, "--covers"]);
    let words = "This plan names no file or command that could run without asking.\nNamed, but not granted:\n  AGENTS.md \
                 (line 3): steers git, agents, editors or builds\n  src/cart.txt (line 6): the plan leaves it alone\n";
    assert_eq!(shown.out, words);
    scene.finish();
}

#[test]
fn m9_a_plan_of_another_project_is_not_applied_by_its_name() {
    let scene = work(|script| script);
    let (path, hash) = planned(&scene);
    let name = std::path::Path::new(&path).file_stem().unwrap().to_str().unwrap().to_owned();
    let mut command = scene.command(&["apply", &name, "--hash", &hash]);
    let ran = command.current_dir(scene.place.folder("other")).output().unwrap();
    let words = String::from_utf8(ran.stderr).unwrap();
    let about = scene.place.project();
    let expected = format!("the plan `{name}` is about {0}; go there first: cd {0}", about.display());
    assert!(ran.status.code() == Some(2) && words.contains(&expected), "{words}");
    scene.finish();
}

#[test]
fn b3_the_plan_of_an_agent_belongs_to_the_session_and_the_folder_that_it_was_made_in() {
    let task = json!({"subagent_type": "general", "description": "greeting", "prompt": "CHILD: plan", "mode": "plan"});
    let scene = Scene::new(
        ModelScript::new()
            .turn(call("Agent", task))
            .turn(text("It has a plan.").expect_result("Agent", "nobody has approved it"))
            .conversation("child", "CHILD", [call("ExitPlanMode", json!({"plan": PLAN}))]),
    );
    let ran = scene.fore(&["-p", "Let an agent plan.", "--output-format", "json"]);
    let session = serde_json::from_str::<Value>(&ran.out).unwrap()["session"].clone();
    let listed = scene.place.fore(&["plans", "--json"]);
    let listed: Value = serde_json::from_str(&listed.out).unwrap();
    assert_eq!((&listed[0]["session"], &listed[0]["folder"]), (&session, &json!("PROJECT")), "{listed}");
    scene.finish();
}
