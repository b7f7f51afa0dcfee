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
    let prompt = editor.prompt(&session, "/report");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert!(editor.words().contains("2 files as planned"), "{}", editor.words());
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}
