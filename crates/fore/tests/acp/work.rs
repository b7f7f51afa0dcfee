//! The work on an approved plan: what it covers, what it does not, and what became of it.

use super::{editor::Editor, model::Scene};
use fore_testkit::{ModelScript, call, text};
use serde_json::json;
use std::time::Duration;

const PLAN: &str = "# Discounts\n\n1. Change `cart.txt`.\n";

#[test]
fn what_the_plan_covers_runs_what_it_does_not_asks_and_the_report_is_told() {
    let script = ModelScript::new()
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(call("Read", json!({"file_path": "cart.txt"})).call("Read", json!({"file_path": "far/other.txt"})))
        .turn(call("Write", json!({"file_path": "cart.txt", "content": "discounts\n"})))
        .turn(call("Write", json!({"file_path": "far/other.txt", "content": "more\n"})))
        .turn(call("AmendPlan", json!({"why": "it is needed", "files": ["far/other.txt"]})))
        .turn(call("Write", json!({"file_path": "far/other.txt", "content": "more\n"})))
        .turn(call(
            "TodoWrite",
            json!({"todos": [{"content": "Change `cart.txt`", "status": "completed", "activeForm": "changing"}]}),
        ))
        .turn(text("Done."));
    let scene = Scene::new(script);
    scene.place.file("cart.txt", "cart\n");
    std::fs::create_dir(scene.place.project().join("far")).unwrap();
    scene.place.file("far/other.txt", "other\n");
    let mut editor = Editor::met(&scene);
    let session = editor.session(&scene);
    editor.mode(&session, "plan");
    let prompt = editor.prompt(&session, "add discounts");
    let asked = editor.permission();
    assert!(asked.to_string().contains("This plan covers 1 file"), "{asked}");
    std::thread::sleep(Duration::from_millis(1200));
    editor.choose(&asked, "startCovered");

    // The covered file passed; this is the other one.
    let asked = editor.permission();
    assert_eq!(scene.place.read("cart.txt").as_deref(), Some("discounts\n"));
    assert!(asked.to_string().contains("ot in the plan"), "{asked}");
    let ids: Vec<&str> = asked["params"]["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| option["optionId"].as_str().unwrap())
        .collect();
    assert_eq!(ids[..2], ["yes", "yes-for-plan"], "{asked}");
    // A yes within a second does not make a plan longer.
    editor.choose(&asked, "yes-for-plan");
    editor.update_with("agent_message_chunk", "within a second");
    assert_eq!(scene.place.read("far/other.txt").as_deref(), Some("other\n"));

    let asked = editor.permission();
    assert!(asked.to_string().contains("far/other.txt"), "{asked}");
    std::thread::sleep(Duration::from_millis(1200));
    editor.choose(&asked, "yes");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert_eq!(scene.place.read("far/other.txt").as_deref(), Some("more\n"), "{:#?}", editor.all);
    // The report comes by itself when the work ends, and again on demand.
    assert_eq!(editor.words().matches("2 files as planned").count(), 1, "{}", editor.words());
    let prompt = editor.prompt(&session, "/report");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert_eq!(editor.words().matches("2 files as planned").count(), 2, "{}", editor.words());
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}

/// Before the yes: what the plan covers is listed to its end, with whom it reaches, and the person makes less and more of it.
#[test]
fn what_a_plan_covers_is_struck_added_to_and_left_out_in_an_editor() {
    let files: String = (0..40).map(|number| format!("- Create `src/{number}.txt`.\n")).collect();
    let plan = format!(
        "# Discounts\n\n1. Change `cart.txt`.\n2. Change `far/other.txt`.\n\n## Files\n\n{files}\n## Verify\n\n- Run: `curl https://docs.rs/x`\n"
    );
    let script = ModelScript::new()
        .turn(call("ExitPlanMode", json!({"plan": plan})))
        .turn(call("Write", json!({"file_path": "notes.md", "content": "added\n"})))
        .turn(call("Read", json!({"file_path": "cart.txt"})))
        .turn(call("Write", json!({"file_path": "cart.txt", "content": "discounts\n"})))
        .turn(text("Done."));
    let scene = Scene::new(script);
    scene.place.file("cart.txt", "cart\n");
    std::fs::create_dir(scene.place.project().join("far")).unwrap();
    scene.place.file("far/other.txt", "other\n");
    let mut editor = Editor::met(&scene);
    let session = editor.session(&scene);
    editor.mode(&session, "plan");
    let prompt = editor.prompt(&session, "add discounts");
    let asked = editor.permission();
    let shown = asked["params"]["toolCall"]["content"][1]["content"]["text"].as_str().unwrap().to_owned();
    assert!(shown.contains("42. `src/39.txt`, new (line 47)"), "to the last one: {shown}");
    assert!(shown.contains("43. run `curl https://docs.rs/x`, may reach docs.rs (line 51)"), "{shown}");
    editor.choose(&asked, "keepPlanning");
    assert_eq!(editor.stopped(prompt), "end_turn");
    // One step, without the first file, and with another one.
    for (line, part) in [
        ("/strike 99", "with a number of the list"),
        ("/steps 7", "with numbers of steps"),
        ("/cover ../out.md", "cannot be added: outside the project"),
        ("/cover notes.md", "`notes.md`, new, added by you"),
        ("/strike 1", "1. ~~`cart.txt` (line 3)~~ struck"),
        ("/steps 1", "Only these steps: 1"),
    ] {
        let prompt = editor.prompt(&session, line);
        if !part.starts_with("with") {
            let again = editor.permission();
            let shown = again["params"]["toolCall"]["content"].to_string();
            assert!(shown.contains(part) || editor.words().contains(part), "{line}: {shown}");
            assert_ne!(line == "/steps 1", shown.contains("far/other.txt` (line"), "{line}: {shown}");
            if line == "/steps 1" {
                std::thread::sleep(Duration::from_millis(1200));
                editor.choose(&again, "startCovered");
                break;
            }
            editor.choose(&again, "keepPlanning");
        }
        assert_eq!(editor.stopped(prompt), "end_turn");
        assert!(part.starts_with('`') || part.starts_with("1.") || editor.words().contains(part), "{}", editor.words());
    }
    // What was added passes; what was struck is asked about, and in no way.
    let asked = editor.permission();
    assert!(asked.to_string().contains("ot in the plan") && asked.to_string().contains("cart.txt"), "{asked}");
    assert_eq!(scene.place.read("notes.md").as_deref(), Some("added\n"));
    editor.choose(&asked, "no");
    editor.update_with("agent_message_chunk", "Done.");
    assert_eq!(scene.place.read("cart.txt").as_deref(), Some("cart\n"));
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}
