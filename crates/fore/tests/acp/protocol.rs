//! What the compatibility kit asks of every agent.

use super::{editor::Editor, model::Scene};
use fore_testkit::{ModelScript, text};
use serde_json::{Value, json};

fn scene() -> Scene {
    Scene::new(ModelScript::new().allow_unused_turns())
}

#[test]
fn a_version_that_is_not_spoken_is_never_echoed() {
    let scene = scene();
    for version in [0, 2, 65535] {
        let mut editor = Editor::of(scene.command(&["acp"]));
        let answer = editor.request("initialize", json!({"protocolVersion": version, "clientCapabilities": {}}));
        assert_eq!(answer["result"]["protocolVersion"], 1, "{version}: {answer}");
        assert_eq!(editor.leave(), Some(0));
    }
}

#[test]
fn the_introduction_says_what_can_be_done() {
    let scene = scene();
    let mut editor = Editor::of(scene.command(&["acp"]));
    let answer = editor.request("initialize", json!({"protocolVersion": 1, "clientCapabilities": {}}));
    let can = &answer["result"]["agentCapabilities"];
    assert_eq!(can["loadSession"], true, "{answer}");
    for name in ["list", "resume", "close"] {
        assert!(can["sessionCapabilities"][name].is_object(), "{name}: {answer}");
    }
    assert_eq!(answer["result"]["agentInfo"]["name"], "forethought");
    assert_eq!(can["promptCapabilities"]["embeddedContext"], true);
}

#[test]
fn nothing_begins_before_the_client_has_introduced_itself() {
    let scene = scene();
    let mut editor = Editor::of(scene.command(&["acp"]));
    let answer = editor.request("session/new", json!({"cwd": scene.place.project(), "mcpServers": []}));
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
}

#[test]
fn a_client_is_who_it_said_it_is_for_good() {
    let scene = scene();
    let mut editor = Editor::met_as(&scene, &[], "acpx", json!({}));
    let other = json!({"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {"name": "zed", "version": "1"}});
    assert_eq!(editor.request("initialize", other)["error"]["code"], -32600);
}

#[test]
fn two_sessions_have_two_ids_and_each_is_its_own() {
    let scene =
        Scene::new(ModelScript::new().turn(text("one").expect_user("first")).turn(text("two").expect_user("second")));
    let mut editor = Editor::met(&scene);
    let (first, second) = (editor.session(&scene), editor.session(&scene));
    assert_ne!(first, second);
    let prompt = editor.prompt(&first, "first");
    assert_eq!(editor.stopped(prompt), "end_turn");
    let prompt = editor.prompt(&second, "second");
    assert_eq!(editor.stopped(prompt), "end_turn");
    let said = |id: &str| {
        let of = editor.all.iter().filter(|message| message["params"]["sessionId"] == id);
        of.filter_map(|message| message["params"]["update"]["content"]["text"].as_str()).collect::<String>()
    };
    assert_eq!((said(&first), said(&second)), ("one".into(), "two".into()));
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}

#[test]
fn every_request_gets_an_answer_whatever_it_is() {
    let scene = scene();
    let mut editor = Editor::met(&scene);
    let session = editor.session(&scene);
    let page = [
        ("_custom/method", json!({}), -32601),
        ("no/such/method", json!({}), -32601),
        ("session/prompt", json!({"sessionId": session}), -32602),
        ("session/prompt", json!({"sessionId": "nobody", "prompt": [{"type": "text", "text": "x"}]}), -32002),
        ("session/set_mode", json!({"sessionId": session, "modeId": "everything"}), -32602),
        ("session/load", json!({"sessionId": "nobody", "cwd": scene.place.project(), "mcpServers": []}), -32002),
        ("session/new", json!({"cwd": "relative", "mcpServers": []}), -32602),
        ("session/new", json!({"cwd": "/nowhere/at/all", "mcpServers": []}), -32602),
        ("session/close", json!({"sessionId": "nobody"}), -32002),
        ("authenticate", json!({"methodId": "none"}), -32601),
    ];
    for (method, params, code) in page {
        let answer = editor.request(method, params);
        assert_eq!(answer["error"]["code"], code, "{method}: {answer}");
        assert!(!answer["error"]["message"].as_str().unwrap().is_empty());
    }
    // Notifications that nobody knows are ignored, lines that are no JSON are answered, and it goes on.
    editor.notify("_custom/notice", json!({}));
    editor.say_text("this is not JSON");
    editor.wait("a parse error", |message| message["error"]["code"] == -32700);
    editor.say_text(&format!("[{}", "[".repeat(100_000)));
    editor.wait("a parse error", |message| message["error"]["code"] == -32700);
    assert!(editor.request("session/list", json!({}))["result"]["sessions"].is_array());
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn it_ends_when_its_input_is_closed_also_in_the_middle_of_a_turn() {
    let scene = Scene::new(ModelScript::new().turn(text("never").stall(1)).allow_unused_turns());
    let mut editor = Editor::met(&scene);
    let session = editor.session(&scene);
    editor.prompt(&session, "go");
    assert!(scene.server.wait_requests_blocking(1));
    let began = std::time::Instant::now();
    assert_eq!(editor.leave(), Some(0));
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "it took {:?}", began.elapsed());
}

/// Every word of a closed list that was said, as `field: word`; what begins with `_` is one's own.
fn unknown_words(message: &Value, page: &mut Vec<String>) {
    let tools = ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"];
    let permissions = ["allow_once", "allow_always", "reject_once", "reject_always"];
    let updates = [
        "user_message_chunk",
        "agent_message_chunk",
        "agent_thought_chunk",
        "tool_call",
        "tool_call_update",
        "plan",
        "plan_update",
        "available_commands_update",
        "current_mode_update",
        "config_option_update",
        "session_info_update",
        "usage_update",
        "notice",
    ];
    let known = |field: &str, word: &str| match field {
        "kind" => tools.contains(&word) || permissions.contains(&word),
        "sessionUpdate" => updates.contains(&word),
        "status" => ["pending", "in_progress", "completed", "failed"].contains(&word),
        "priority" => ["high", "medium", "low"].contains(&word),
        "stopReason" => ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"].contains(&word),
        "category" => ["mode", "model", "model_config", "thought_level"].contains(&word),
        "mode" => ["form", "url"].contains(&word),
        _ => true,
    };
    match message {
        Value::Object(fields) => {
            for (field, value) in fields {
                if let Some(word) = value.as_str().filter(|word| !word.starts_with('_') && !known(field, word)) {
                    page.push(format!("{field}: {word}"));
                }
                // What the model wrote has words of its own.
                if field != "rawInput" && field != "requestedSchema" {
                    unknown_words(value, page);
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| unknown_words(value, page)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Plans, is asked for a reason, works, writes and reports.
fn whole_story() -> ModelScript {
    let plan = |words: &str| json!({"plan": format!("# Notes\n\n1. Change `notes.txt`{words}.\n2. Read it.\n")});
    ModelScript::new()
        .turn(text("Reading.").call("Read", json!({"file_path": "notes.txt"})).call("ExitPlanMode", plan("")))
        .turn(fore_testkit::call("ExitPlanMode", plan(" well")))
        .turn(fore_testkit::call("Write", json!({"file_path": "notes.txt", "content": "x\n"})))
        .turn(fore_testkit::call("Bash", json!({"command": "rm -r nothing"})))
        .turn(text("Done."))
}

/// Plays it as a client that offers this, and answers what it is asked.
fn play(capabilities: &Value) -> (Scene, Editor) {
    let scene = Scene::new(whole_story());
    scene.place.file("notes.txt", "it says\n");
    let mut editor = Editor::met_as(&scene, &[], "test-editor", capabilities.clone());
    let session = editor.session(&scene);
    editor.mode(&session, "plan");
    let prompt = editor.prompt(&session, "go");
    let mut asked = 0;
    loop {
        let message =
            editor.wait("the next request", |message| message.get("method").is_none() || message.get("id").is_some());
        match message["method"].as_str() {
            None if message["id"] == prompt => break,
            None => {}
            Some("fs/read_text_file") => editor.answer(&message, json!({"content": "it says\n"})),
            Some("elicitation/create") => {
                editor.answer(&message, json!({"action": "accept", "content": {"reason": "well"}}));
            }
            Some("session/request_permission") => {
                asked += 1;
                let option = match asked {
                    1 => "keepPlanning",
                    2 => {
                        std::thread::sleep(std::time::Duration::from_millis(1200));
                        "startEditing"
                    }
                    _ => "no",
                };
                editor.choose(&message, option);
            }
            Some(other) => panic!("{other} was called"),
        }
    }
    (scene, editor)
}

#[test]
fn custom_values_begin_with_an_underscore() {
    let (_scene, mut editor) = play(&json!({"plan": {}, "elicitation": {"form": {}}, "session": {"notices": {}}}));
    editor.request("session/list", json!({}));
    let mut page = Vec::new();
    editor.all.iter().for_each(|message| unknown_words(message, &mut page));
    assert_eq!(page, [""; 0]);
    for kind in [
        "plan",
        "plan_update",
        "tool_call",
        "tool_call_update",
        "notice",
        "current_mode_update",
        "config_option_update",
    ] {
        editor.update(kind);
    }
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn nothing_is_called_that_was_not_offered_and_nothing_that_changes_something() {
    let methods = |editor: &Editor| {
        let mut methods = editor.called();
        methods.sort();
        methods.dedup();
        methods
    };
    let scene = Scene::new(whole_story().allow_unused_turns());
    scene.place.file("notes.txt", "it says\n");
    let mut editor = Editor::met(&scene);
    let session = editor.session(&scene);
    editor.mode(&session, "plan");
    let prompt = editor.prompt(&session, "go");
    let asked = editor.permission();
    editor.choose(&asked, "keepPlanning");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert_eq!(methods(&editor), ["session/request_permission", "session/update"]);
    assert_eq!(editor.leave(), Some(0));

    let everything = json!({
        "fs": {"readTextFile": true, "writeTextFile": true}, "terminal": true, "plan": {}, "elicitation": {"form": {}, "url": {}},
    });
    let (_scene, editor) = play(&everything);
    let expected = ["elicitation/create", "fs/read_text_file", "session/request_permission", "session/update"];
    assert_eq!(methods(&editor), expected, "no file is written and no terminal opened by the client");
    assert_eq!(editor.leave(), Some(0));
}
