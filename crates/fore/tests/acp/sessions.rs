//! Sessions: listed, loaded, resumed, closed.

use super::{editor::Editor, model::Scene};
use fore_testkit::{ModelScript, text};
use serde_json::{Value, json};

#[test]
fn a_session_is_listed_by_its_title_loaded_with_its_words_and_resumed_without_them() {
    let script = ModelScript::new()
        .turn(text("It scans.").expect_user("Why is login slow?"))
        .turn(text("There as well.").expect_user("And here?"))
        .turn(text("Still so.").expect_user("And now?"));
    let scene = Scene::new(script);
    let mut editor = Editor::met(&scene);
    let session = editor.session(&scene);
    let prompt = editor.prompt(&session, "Why is login slow?");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert_eq!(editor.update("session_info_update")["title"], "Why is login slow?");
    // One that is open cannot be opened twice.
    let whole = json!({"sessionId": session, "cwd": scene.place.project(), "mcpServers": []});
    assert!(editor.request("session/load", whole.clone())["error"].is_object());
    assert!(editor.request("session/close", json!({"sessionId": session}))["result"].is_object());
    let listed = editor.request("session/list", json!({"cwd": scene.place.project()}));
    let row = &listed["result"]["sessions"][0];
    assert_eq!((&row["sessionId"], &row["title"]), (&json!(session), &json!("Why is login slow?")), "{listed}");
    assert!(row["updatedAt"].as_str().unwrap().ends_with('Z'), "{listed}");
    let elsewhere = editor.request("session/list", json!({"cwd": scene.place.folder("elsewhere")}));
    assert_eq!(elsewhere["result"]["sessions"], json!([]));

    let before = editor.all.len();
    assert!(editor.request("session/resume", whole.clone())["result"].is_object());
    let told = |editor: &Editor, from: usize| {
        let kinds =
            editor.all[from..].iter().filter_map(|message| message["params"]["update"]["sessionUpdate"].as_str());
        kinds.filter(|kind| kind.ends_with("_chunk")).map(str::to_owned).collect::<Vec<_>>()
    };
    editor.update("available_commands_update");
    assert_eq!(told(&editor, before), Vec::<String>::new(), "nothing is replayed");
    let prompt = editor.prompt(&session, "And here?");
    assert_eq!(editor.stopped(prompt), "end_turn");
    let titles =
        editor.all.iter().filter(|message| message["params"]["update"]["sessionUpdate"] == "session_info_update");
    assert_eq!(titles.count(), 1, "it is still called by its first prompt");
    assert!(editor.request("session/close", json!({"sessionId": session}))["result"].is_object());

    let before = editor.all.len();
    assert!(editor.request("session/load", whole)["result"].is_object());
    let chunks = ["user_message_chunk", "agent_message_chunk"];
    assert_eq!(told(&editor, before), [chunks, chunks].concat());
    assert_eq!(editor.update("session_info_update")["title"], "Why is login slow?");
    let prompt = editor.prompt(&session, "And now?");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}

#[test]
fn a_session_of_another_folder_is_not_taken_over() {
    let scene = Scene::new(ModelScript::new().turn(text("hello")));
    let mut editor = Editor::met(&scene);
    let session = editor.session(&scene);
    let prompt = editor.prompt(&session, "hello");
    assert_eq!(editor.stopped(prompt), "end_turn");
    editor.request("session/close", json!({"sessionId": session}));
    let other = scene.place.folder("elsewhere");
    let answer = editor.request("session/load", json!({"sessionId": session, "cwd": other, "mcpServers": []}));
    assert!(answer["error"]["message"].as_str().unwrap().contains("is about"), "{answer}");
}

#[test]
fn closing_a_session_that_works_stops_it_and_the_others_go_on() {
    let script =
        ModelScript::new().turn(text("never").stall(1)).turn(text("here").expect_user("second")).allow_unused_turns();
    let scene = Scene::new(script);
    let mut editor = Editor::met(&scene);
    let (first, second) = (editor.session(&scene), editor.session(&scene));
    let prompt = editor.prompt(&first, "first");
    assert!(scene.server.wait_requests_blocking(1));
    assert!(editor.request("session/close", json!({"sessionId": first}))["result"].is_object());
    assert_eq!(editor.stopped(prompt), "cancelled");
    let gone = editor.request("session/prompt", json!({"sessionId": first, "prompt": [{"type": "text", "text": "x"}]}));
    assert_eq!(gone["error"]["code"], -32002, "{gone}");
    let prompt = editor.prompt(&second, "second");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn servers_of_a_client_do_not_start_before_somebody_trusts_them() {
    let scene = Scene::new(ModelScript::new().allow_unused_turns());
    let marker = scene.place.folder("outside").join("started");
    let server = json!({
        "name": "theirs", "command": "/bin/sh", "args": ["-c", format!("touch {}", marker.display())],
        "env": [{"name": "TOKEN", "value": "t0ken"}],
    });
    let mut editor = Editor::met(&scene);
    let answer = editor.request("session/new", json!({"cwd": scene.place.project(), "mcpServers": [server]}));
    let session = answer["result"]["sessionId"].as_str().unwrap().to_owned();
    let notice = editor.update_with("agent_message_chunk", "Your editor names an MCP server, theirs");
    // All that would be trusted is shown: a variable decides as much as the command.
    assert!(notice.to_string().contains("TOKEN=t0ken"), "{notice}");
    let prompt = editor.prompt(&session, "/mcp");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert!(editor.words().contains("waits for your trust"), "{}", editor.words());
    let prompt = editor.prompt(&session, "/mcp trust theirs");
    let asked = editor.permission();
    let kinds: Vec<&Value> =
        asked["params"]["options"].as_array().unwrap().iter().map(|option| &option["kind"]).collect();
    assert_eq!(kinds, ["allow_once", "reject_once"]);
    editor.choose(&asked, "no");
    assert_eq!(editor.stopped(prompt), "end_turn");
    // A yes that came too soon, and what was not offered, trust nothing either.
    for option in ["yes", "allow"] {
        let prompt = editor.prompt(&session, "/mcp trust theirs");
        let asked = editor.permission();
        editor.choose(&asked, option);
        assert_eq!(editor.stopped(prompt), "end_turn");
    }
    assert!(editor.words().contains("within a second"), "{}", editor.words());
    let prompt = editor.prompt(&session, "/mcp");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert_eq!(editor.words().matches("waits for your trust").count(), 2, "{}", editor.words());
    assert!(!marker.exists());
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn a_client_that_answers_by_itself_trusts_no_server_and_a_person_does() {
    let scene = Scene::new(ModelScript::new().allow_unused_turns());
    let server = json!({"name": "theirs", "command": "/bin/false", "args": [], "env": []});
    let begun = |editor: &mut Editor| {
        let new = json!({"cwd": scene.place.project(), "mcpServers": [server.clone()]});
        editor.request("session/new", new)["result"]["sessionId"].as_str().unwrap().to_owned()
    };
    let trusting = |editor: &mut Editor, session: &str| {
        let prompt = editor.prompt(session, "/mcp trust theirs");
        let asked = editor.permission();
        std::thread::sleep(std::time::Duration::from_millis(1200));
        editor.choose(&asked, "yes");
        assert_eq!(editor.stopped(prompt), "end_turn");
    };
    let mut editor = Editor::met_as(&scene, &[], "acpx", json!({}));
    let session = begun(&mut editor);
    trusting(&mut editor, &session);
    assert!(editor.words().contains("acpx 1.2 can answer by itself"), "{}", editor.words());
    assert_eq!(editor.leave(), Some(0));

    let mut editor = Editor::met(&scene);
    let session = begun(&mut editor);
    let prompt = editor.prompt(&session, "/mcp");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert!(editor.words().contains("waits for your trust"), "{}", editor.words());
    trusting(&mut editor, &session);
    let prompt = editor.prompt(&session, "/mcp");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert_eq!(editor.words().matches("waits for your trust").count(), 1, "{}", editor.words());
    assert_eq!(editor.leave(), Some(0));
}
