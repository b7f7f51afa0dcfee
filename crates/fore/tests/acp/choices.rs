//! Modes, models and thinking.

use super::{editor::Editor, model::Scene};
use fore_testkit::{ModelScript, text};
use serde_json::{Value, json};

fn current(options: &Value, id: &str) -> Value {
    let option = options.as_array().unwrap().iter().find(|option| option["id"] == id).unwrap();
    option["currentValue"].clone()
}

#[test]
fn modes_and_options_say_the_same_whichever_way_they_are_chosen() {
    let scene = Scene::new(ModelScript::new().allow_unused_turns());
    let mut editor = Editor::met(&scene);
    let begun = editor.begin(&scene);
    let session = begun["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(
        (&begun["modes"]["currentModeId"], &current(&begun["configOptions"], "mode")),
        (&json!("default"), &json!("default"))
    );
    let modes: Vec<&Value> =
        begun["modes"]["availableModes"].as_array().unwrap().iter().map(|mode| &mode["id"]).collect();
    assert_eq!(modes, ["plan", "default"], "the folder is not trusted");
    assert!(editor.mode(&session, "plan")["result"].is_object());
    assert_eq!(editor.update("current_mode_update")["currentModeId"], "plan");
    assert_eq!(current(&editor.update("config_option_update")["configOptions"], "mode"), "plan");
    let set = |editor: &mut Editor, id: &str, value: &str| {
        editor.request("session/set_config_option", json!({"sessionId": session, "configId": id, "value": value}))
    };
    let answer = set(&mut editor, "mode", "default");
    assert_eq!(current(&answer["result"]["configOptions"], "mode"), "default", "{answer}");
    assert_eq!(editor.update("current_mode_update")["currentModeId"], "default");
    // Every answer has all of them.
    assert_eq!(answer["result"]["configOptions"].as_array().unwrap().len(), 3);
    let categories: Vec<&Value> =
        answer["result"]["configOptions"].as_array().unwrap().iter().map(|one| &one["category"]).collect();
    assert_eq!(categories, ["mode", "model", "thought_level"]);
    for (id, value) in [
        ("mode", "bypassPermissions"),
        ("mode", "acceptEdits"),
        ("mode", "x"),
        ("model", "nobody/nothing"),
        ("thinking", "x"),
        ("x", "y"),
    ] {
        let answer = set(&mut editor, id, value);
        assert!(!answer["error"]["message"].as_str().unwrap_or_default().is_empty(), "{id} {value}: {answer}");
    }
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn bypass_is_open_only_where_the_start_and_the_person_opened_it() {
    let scene = Scene::new(ModelScript::new().allow_unused_turns());
    let ran = scene.place.command(&["trust"]).output().unwrap();
    assert!(ran.status.success());
    let mut editor = Editor::met(&scene);
    let session = editor.session(&scene);
    let answer = editor.mode(&session, "bypassPermissions");
    assert!(answer["error"]["message"].as_str().unwrap().contains("--dangerously-allow-bypass"), "{answer}");
    assert!(editor.mode(&session, "acceptEdits")["result"].is_object());
    assert_eq!(editor.leave(), Some(0));
    let mut editor = Editor::met_as(&scene, &["--dangerously-allow-bypass"], "test-editor", json!({}));
    let session = editor.session(&scene);
    assert!(editor.mode(&session, "bypassPermissions")["result"].is_object());
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn a_model_and_its_thinking_count_from_the_next_prompt_on() {
    let scene = Scene::new(ModelScript::new().model("scripted").model("other").turn(text("one")).turn(text("two")));
    let mut editor = Editor::met(&scene);
    let session = editor.session(&scene);
    let prompt = editor.prompt(&session, "one");
    assert_eq!(editor.stopped(prompt), "end_turn");
    let set = |editor: &mut Editor, id: &str, value: &str| {
        editor.request("session/set_config_option", json!({"sessionId": session, "configId": id, "value": value}))
    };
    let answer = set(&mut editor, "thinking", "high");
    assert_eq!(current(&answer["result"]["configOptions"], "thinking"), "high", "{answer}");
    let answer = set(&mut editor, "model", "anthropic/other");
    assert_eq!(current(&answer["result"]["configOptions"], "model"), "anthropic/other", "{answer}");
    assert_eq!(current(&answer["result"]["configOptions"], "thinking"), "high", "{answer}");
    let prompt = editor.prompt(&session, "two");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert_eq!(editor.leave(), Some(0));
    let bodies: Vec<Value> = scene.finish().iter().map(|body| serde_json::from_str(body).unwrap()).collect();
    assert_eq!((&bodies[0]["model"], &bodies[1]["model"]), (&json!("scripted"), &json!("other")));
    assert_ne!(
        bodies[0]["thinking"].to_string() + &bodies[0]["output_config"].to_string(),
        bodies[1]["thinking"].to_string() + &bodies[1]["output_config"].to_string()
    );
}
