//! What the compatibility kit asks of every agent.

use super::{editor::Editor, model::Scene};
use fore_testkit::{ModelScript, text};
use serde_json::json;

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
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn custom_values_begin_with_an_underscore_and_nothing_is_called_that_was_not_offered() {
    let script = ModelScript::new()
        .turn(text("Reading.").call("Read", json!({"file_path": "notes.txt"})))
        .turn(fore_testkit::call("Write", json!({"file_path": "made.txt", "content": "x"})))
        .turn(text("Done."));
    let scene = Scene::new(script);
    scene.place.file("notes.txt", "it says\n");
    let everything = json!({"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": true});
    let mut editor = Editor::met_as(&scene, &[], "test-editor", everything);
    let session = editor.session(&scene);
    let prompt = editor.prompt(&session, "go");
    let asked = editor.permission();
    editor.choose(&asked, "yes");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert_eq!(scene.place.read("made.txt").as_deref(), Some("x"));
    for method in editor.called() {
        assert!(["session/update", "session/request_permission"].contains(&method.as_str()), "{method}");
    }
    scene.finish();
}
