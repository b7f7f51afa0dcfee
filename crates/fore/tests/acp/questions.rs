//! Questions of the gate and of the model.

use super::{editor::Editor, model::Scene};
use fore_testkit::{ModelScript, call, text};
use serde_json::{Value, json};

fn writes() -> ModelScript {
    ModelScript::new().turn(call("Write", json!({"file_path": "made.txt", "content": "x"})))
}

#[test]
fn a_question_names_its_call_and_the_smallest_yes_comes_first() {
    let scene = Scene::new(writes().turn(text("Done.").expect_result("Write", "")));
    let mut editor = Editor::met(&scene);
    let session = editor.session(&scene);
    let prompt = editor.prompt(&session, "go");
    let asked = editor.permission();
    let options: Vec<(&Value, &Value)> = asked["params"]["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| (&option["optionId"], &option["kind"]))
        .collect();
    assert_eq!(options[0], (&json!("yes"), &json!("allow_once")));
    assert_eq!(options.last().unwrap(), &(&json!("no"), &json!("reject_once")));
    assert!(options.iter().all(|(_, kind)| *kind == "allow_once" || *kind == "reject_once"), "{asked}");
    let call = asked["params"]["toolCall"]["toolCallId"].clone();
    let announced =
        editor.all.iter().find(|message| message["params"]["update"]["sessionUpdate"] == "tool_call").unwrap();
    assert_eq!(announced["params"]["update"]["toolCallId"], call);
    let content = asked["params"]["toolCall"]["content"].to_string();
    assert!(content.contains("\"type\":\"diff\"") && content.contains("made.txt"), "{asked}");
    editor.choose(&asked, "yes");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert_eq!(scene.place.read("made.txt").as_deref(), Some("x"));
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}

#[test]
fn a_no_an_unknown_answer_an_error_and_a_cancel_do_nothing() {
    let script = writes()
        .turn(call("Write", json!({"file_path": "made.txt", "content": "x"})))
        .turn(call("Write", json!({"file_path": "made.txt", "content": "x"})))
        .turn(call("Write", json!({"file_path": "made.txt", "content": "x"})))
        .allow_unused_turns();
    let scene = Scene::new(script);
    let mut editor = Editor::met(&scene);
    let session = editor.session(&scene);
    let prompt = editor.prompt(&session, "go");
    let asked = editor.permission();
    editor.choose(&asked, "no");
    let asked = editor.permission();
    editor.choose(&asked, "yes-for-ever");
    let asked = editor.permission();
    editor.say(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32603, "message": "broken"}}));
    let asked = editor.permission();
    editor.answer(&asked, json!({"outcome": {"outcome": "cancelled"}}));
    assert_eq!(editor.stopped(prompt), "cancelled");
    assert_eq!(scene.place.read("made.txt"), None);
    assert_eq!(editor.leave(), Some(0));
}

fn asks() -> ModelScript {
    let question = json!({"question": "Which store?", "header": "Store", "options": [
        {"label": "SQLite", "description": "a file"}, {"label": "Postgres", "description": "a server"},
    ]});
    ModelScript::new()
        .turn(call("AskUserQuestion", json!({"questions": [question]})))
        .turn(text("Thanks.").expect_result("AskUserQuestion", "Postgres"))
}

#[test]
fn questions_of_the_model_are_forms_where_the_client_has_them() {
    let scene = Scene::new(asks());
    let mut editor = Editor::met_as(&scene, &[], "test-editor", json!({"elicitation": {"form": {}}}));
    let session = editor.session(&scene);
    let prompt = editor.prompt(&session, "go");
    let form = editor.asked("elicitation/create");
    assert_eq!(form["params"]["sessionId"], json!(session), "{form}");
    editor.answer(&form, json!({"action": "accept", "content": {"answer1": "1"}}));
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}

#[test]
fn and_buttons_where_it_has_none() {
    let scene = Scene::new(asks());
    let mut editor = Editor::met(&scene);
    let session = editor.session(&scene);
    let prompt = editor.prompt(&session, "go");
    let asked = editor.permission();
    let names: Vec<&Value> =
        asked["params"]["options"].as_array().unwrap().iter().map(|option| &option["name"]).collect();
    assert_eq!(names, ["SQLite", "Postgres", "None of these"]);
    editor.choose(&asked, "1");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert!(!editor.called().contains(&"elicitation/create".to_owned()));
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}

#[test]
fn the_model_plans_first_only_if_the_person_wants_it() {
    let script = ModelScript::new()
        .turn(call("EnterPlanMode", json!({})))
        .turn(text("Fine."))
        .turn(call("EnterPlanMode", json!({})))
        .turn(text("Planning."));
    let scene = Scene::new(script);
    let mut editor = Editor::met(&scene);
    let session = editor.session(&scene);
    let prompt = editor.prompt(&session, "one");
    let asked = editor.permission();
    editor.choose(&asked, "no");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert!(editor.all.iter().all(|message| message["params"]["update"]["sessionUpdate"] != "current_mode_update"));
    let prompt = editor.prompt(&session, "two");
    let asked = editor.permission();
    editor.choose(&asked, "yes");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert_eq!(editor.update("current_mode_update")["currentModeId"], "plan");
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}
