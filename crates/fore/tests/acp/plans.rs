//! A plan from its first step to its approval, and everything that does not approve it.

use super::{editor::Editor, model::Scene};
use fore_testkit::{ModelScript, text};
use serde_json::{Value, json};
use std::time::Duration;

const PLAN: &str = "# Faster login\n\n1. Add the index in `src/users.rs`.\n2. Use it in `src/login.rs`.\n\n## Verification\n\nRun the tests.\n";
/// What a person needs at least to read a plan.
const READING: Duration = Duration::from_millis(1200);

fn planned() -> ModelScript {
    ModelScript::new().turn(text("I will plan.").call("ExitPlanMode", json!({"plan": PLAN})))
}

fn scene(script: ModelScript) -> Scene {
    let scene = Scene::new(script);
    std::fs::create_dir_all(scene.place.project().join("src")).unwrap();
    scene.place.file("src/users.rs", "\n");
    scene.place.file("src/login.rs", "\n");
    scene
}

/// A session that plans, up to the question about the plan.
fn until_asked(editor: &mut Editor, scene: &Scene) -> (String, u64, Value) {
    let session = editor.session(scene);
    assert!(editor.mode(&session, "plan")["result"].is_object());
    let prompt = editor.prompt(&session, "make login faster");
    let asked = editor.permission();
    (session, prompt, asked)
}

fn kinds(asked: &Value) -> Vec<(String, String)> {
    let options = asked["params"]["options"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    options.iter().map(|option| (text(&option["optionId"]), text(&option["kind"]))).collect()
}

fn receipt(scene: &Scene, session: &str) -> Option<Value> {
    let path = scene.place.folder("home").join("sessions").join(format!("{session}.jsonl"));
    let text = std::fs::read_to_string(path).unwrap();
    let line = text.lines().find(|line| line.contains("\"receipt\""))?;
    Some(serde_json::from_str(line).unwrap())
}

#[test]
fn a_plan_is_shown_in_every_form_then_asked_about_then_carried_out() {
    let script = planned().turn(text("Done as planned.").expect_result("ExitPlanMode", "approved"));
    let scene = scene(script);
    let mut editor = Editor::met_as(&scene, &[], "test-editor", json!({"plan": {}}));
    let (session, prompt, asked) = until_asked(&mut editor, &scene);
    let place = |kind: &str, part: &str| {
        let fits = |message: &Value| {
            message["params"]["update"]["sessionUpdate"] == kind && message.to_string().contains(part)
        };
        editor.all.iter().position(fits).unwrap_or_else(|| panic!("{kind}: {:#?}", editor.all))
    };
    let question =
        editor.all.iter().position(|message| message["id"] == asked["id"] && message["method"].is_string()).unwrap();
    let (entries, plan) = (place("plan", "Add the index"), place("plan_update", "Faster login"));
    let (announced, card) = (place("tool_call", "switch_mode"), place("tool_call_update", "planFilePath"));
    assert!(
        entries < card && plan < card && announced < card && card < question,
        "{entries} {plan} {announced} {card} {question}"
    );
    let card = &editor.all[card]["params"]["update"];
    assert_eq!(card["toolCallId"], editor.all[announced]["params"]["update"]["toolCallId"]);
    assert_eq!(card["rawInput"]["plan"], PLAN);
    assert!(card["rawInput"]["planFilePath"].as_str().unwrap().ends_with(".md"));
    assert_eq!(card["content"][0]["content"]["text"], PLAN);
    assert!(card["content"][1]["content"]["text"].as_str().unwrap().contains("This plan covers 2 files"), "{card}");
    assert_eq!(card["kind"], "switch_mode");
    assert_eq!(asked["params"]["toolCall"]["rawInput"]["plan"], PLAN, "the question has it, too");
    assert_eq!(editor.all[plan]["params"]["update"]["plan"]["content"], PLAN);
    let options = kinds(&asked);
    let expected = [
        ("startEditing", "allow_once"),
        ("clearContextAndStart", "allow_once"),
        ("startCovered", "allow_once"),
        ("keepPlanning", "reject_once"),
        ("saveAndStop", "reject_once"),
    ];
    assert_eq!(options, expected.map(|(id, kind)| (id.to_owned(), kind.to_owned())));
    assert_eq!(receipt(&scene, &session), None);

    std::thread::sleep(READING);
    editor.choose(&asked, "startEditing");
    assert_eq!(editor.stopped(prompt), "end_turn");
    editor.update_with("current_mode_update", "default");
    assert!(editor.words().contains("Approved through test-editor 1.2: revision 1"), "{}", editor.words());
    let receipt = receipt(&scene, &session).unwrap().to_string();
    assert!(receipt.contains(r#""via":"test-editor 1.2""#), "{receipt}");
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}

#[test]
fn a_client_without_plans_gets_no_plan_of_its_own_kind() {
    let scene = scene(planned());
    let mut editor = Editor::met(&scene);
    let (_, _, asked) = until_asked(&mut editor, &scene);
    assert!(editor.all.iter().all(|message| message["params"]["update"]["sessionUpdate"] != "plan_update"));
    assert_eq!(asked["params"]["toolCall"]["content"][0]["content"]["text"], PLAN);
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn without_forms_a_no_ends_the_prompt_and_the_next_one_is_the_reason() {
    let script = planned().turn(
        text("Again.")
            .call("ExitPlanMode", json!({"plan": "# Faster login\n\n1. Cache.\n"}))
            .expect_result("ExitPlanMode", "a cache instead"),
    );
    let scene = scene(script);
    let mut editor = Editor::met(&scene);
    let (session, prompt, asked) = until_asked(&mut editor, &scene);
    editor.choose(&asked, "keepPlanning");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert!(editor.words().contains("Your next message says what should be different"), "{}", editor.words());
    let prompt = editor.prompt(&session, "a cache instead");
    let again = editor.permission();
    assert!(again.to_string().contains("1. Cache."), "{again}");
    assert!(again.to_string().contains("Changed since you last saw it"), "{again}");
    editor.choose(&again, "saveAndStop");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert_eq!(receipt(&scene, &session), None);
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}

#[test]
fn with_forms_the_reason_is_asked_for_and_goes_on_at_once() {
    let script = planned().turn(
        text("Again.")
            .call("ExitPlanMode", json!({"plan": "# Faster login\n\n1. Cache.\n"}))
            .expect_result("ExitPlanMode", "a cache instead"),
    );
    let scene = scene(script);
    let mut editor = Editor::met_as(&scene, &[], "test-editor", json!({"elicitation": {"form": {}}}));
    let (_, prompt, asked) = until_asked(&mut editor, &scene);
    editor.choose(&asked, "keepPlanning");
    let form = editor.asked("elicitation/create");
    assert_eq!(form["params"]["mode"], "form", "{form}");
    assert!(form["params"]["requestedSchema"]["properties"]["reason"].is_object(), "{form}");
    editor.answer(&form, json!({"action": "accept", "content": {"reason": "a cache instead"}}));
    let again = editor.permission();
    assert!(again.to_string().contains("1. Cache."), "{again}");
    editor.choose(&again, "keepPlanning");
    let form = editor.asked("elicitation/create");
    editor.answer(&form, json!({"action": "decline"}));
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}

#[test]
fn an_answer_that_was_not_offered_and_a_lost_one_approve_nothing() {
    let scene = scene(planned());
    let mut editor = Editor::met(&scene);
    let (session, prompt, asked) = until_asked(&mut editor, &scene);
    std::thread::sleep(READING);
    editor.choose(&asked, "bypassPermissions");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert!(editor.words().contains("That answer was not offered"), "{}", editor.words());
    // It still waits: shown again on demand, and this time the client fails.
    let prompt = editor.prompt(&session, "/plan");
    let again = editor.permission();
    editor.say(&json!({"jsonrpc": "2.0", "id": again["id"], "error": {"code": -32000, "message": "no window"}}));
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert!(editor.words().contains("no window"), "{}", editor.words());
    assert_eq!(receipt(&scene, &session), None);
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}

#[test]
fn a_client_that_answers_by_itself_approves_nothing_unless_the_settings_say_so() {
    let scene = scene(planned().turn(text("Done.")));
    let mut editor = Editor::met_as(&scene, &[], "acpx", json!({}));
    let (session, prompt, asked) = until_asked(&mut editor, &scene);
    std::thread::sleep(READING);
    editor.choose(&asked, "startEditing");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert!(editor.words().contains("acpx 1.2 can answer by itself"), "{}", editor.words());
    assert_eq!(receipt(&scene, &session), None);
    assert_eq!(editor.leave(), Some(0));

    // The plan waits on disk; the settings are the person's own to change, and no repository's.
    std::fs::create_dir_all(scene.place.project().join(".forethought")).unwrap();
    scene.place.file(".forethought/settings.json", r#"{"acp": {"approval": "client"}}"#);
    let load = json!({"sessionId": session, "cwd": scene.place.project(), "mcpServers": []});
    let mut editor = Editor::met_as(&scene, &[], "acpx", json!({}));
    assert!(editor.request("session/load", load.clone())["result"].is_object());
    let asked = editor.permission();
    editor.choose(&asked, "startEditing");
    editor.update_with("agent_message_chunk", "can answer by itself");
    assert_eq!(receipt(&scene, &session), None);
    assert_eq!(editor.leave(), Some(0));

    std::fs::remove_file(scene.place.project().join(".forethought/settings.json")).unwrap();
    scene.place.settings(r#"{"acp": {"approval": "client"}}"#);
    let mut editor = Editor::met_as(&scene, &[], "acpx", json!({}));
    assert!(editor.request("session/load", load)["result"].is_object());
    let asked = editor.permission();
    editor.choose(&asked, "startEditing");
    editor.update_with("agent_message_chunk", "Approved through acpx 1.2");
    editor.update_with("agent_message_chunk", "Done.");
    assert!(receipt(&scene, &session).is_some());
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}

#[test]
fn with_approval_by_form_the_answer_and_its_words_come_from_a_form() {
    let scene = scene(planned().turn(text("Done.").expect_result("ExitPlanMode", "mind the tests")));
    scene.place.settings(r#"{"acp": {"approval": "form"}}"#);
    let mut editor = Editor::met_as(&scene, &[], "test-editor", json!({"elicitation": {"form": {}}}));
    let session = editor.session(&scene);
    editor.mode(&session, "plan");
    let prompt = editor.prompt(&session, "make login faster");
    let form = editor.asked("elicitation/create");
    std::thread::sleep(READING);
    let choices = form["params"]["requestedSchema"]["properties"]["choice"].to_string();
    assert!(choices.contains("startEditing") && choices.contains("keepPlanning"), "{form}");
    editor
        .answer(&form, json!({"action": "accept", "content": {"choice": "startEditing", "reason": "mind the tests"}}));
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert!(receipt(&scene, &session).is_some());
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}

#[test]
fn cancelling_while_a_plan_waits_keeps_planning() {
    let scene = scene(planned());
    let mut editor = Editor::met(&scene);
    let (session, prompt, asked) = until_asked(&mut editor, &scene);
    editor.notify("session/cancel", json!({"sessionId": session}));
    editor.answer(&asked, json!({"outcome": {"outcome": "cancelled"}}));
    assert_eq!(editor.stopped(prompt), "cancelled");
    assert_eq!(receipt(&scene, &session), None);
    let answer = editor
        .request("session/set_config_option", json!({"sessionId": session, "configId": "thinking", "value": "high"}));
    assert_eq!(answer["result"]["configOptions"][0]["currentValue"], "plan", "{answer}");
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}

#[test]
fn leaving_plan_mode_by_the_picker_approves_nothing() {
    let scene = scene(planned().allow_unused_turns());
    let mut editor = Editor::met(&scene);
    let (session, prompt, _) = until_asked(&mut editor, &scene);
    assert!(editor.mode(&session, "default")["result"].is_object());
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert!(editor.words().contains("the plan is not approved"), "{}", editor.words());
    assert_eq!(receipt(&scene, &session), None);
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn after_a_crash_the_plan_is_asked_about_again_behind_all_that_was_said() {
    let scene = scene(planned().turn(text("Done.")));
    let mut editor = Editor::met(&scene);
    let (session, _, _) = until_asked(&mut editor, &scene);
    editor.child.kill().unwrap();
    editor.child.wait().unwrap();
    let mut editor = Editor::met(&scene);
    let load =
        editor.send("session/load", json!({"sessionId": session, "cwd": scene.place.project(), "mcpServers": []}));
    let answer = editor.response(load);
    assert_eq!(answer["result"]["modes"]["currentModeId"], "plan", "{answer}");
    let asked = editor.permission();
    let place = |fits: &dyn Fn(&Value) -> bool| editor.all.iter().position(fits).unwrap();
    let words = place(&|message| message["params"]["update"]["sessionUpdate"] == "user_message_chunk");
    let said = place(&|message| message.to_string().contains("I will plan."));
    let answered = place(&|message| message["id"] == load && message["result"].is_object());
    let question = place(&|message| message["method"] == "session/request_permission");
    assert!(words < said && said < answered && answered < question, "{words} {said} {answered} {question}");
    assert_eq!(asked["params"]["toolCall"]["rawInput"]["plan"], PLAN);
    std::thread::sleep(READING);
    editor.choose(&asked, "startEditing");
    editor.update_with("agent_message_chunk", "Done.");
    assert!(receipt(&scene, &session).is_some());
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}

#[test]
fn only_the_first_answer_to_a_question_counts_and_none_to_what_was_not_asked() {
    let scene = scene(planned());
    let mut editor = Editor::met(&scene);
    let (session, prompt, asked) = until_asked(&mut editor, &scene);
    std::thread::sleep(READING);
    let yes = json!({"outcome": {"outcome": "selected", "optionId": "startEditing"}});
    for id in [json!("nobody asked"), json!(987_654), json!(null)] {
        editor.answer(&json!({ "id": id }), yes.clone());
    }
    editor.choose(&asked, "saveAndStop");
    editor.choose(&asked, "startEditing");
    assert_eq!(editor.stopped(prompt), "end_turn");
    let listed = editor.request("session/list", json!({}));
    assert!(listed["result"].is_object(), "{listed}");
    assert_eq!(receipt(&scene, &session), None);
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}

#[test]
fn an_answer_that_comes_after_the_question_was_taken_back_approves_nothing() {
    let scene = scene(planned().turn(text("Here.")).allow_unused_turns());
    let mut editor = Editor::met(&scene);
    let (session, prompt, asked) = until_asked(&mut editor, &scene);
    std::thread::sleep(READING);
    assert!(editor.mode(&session, "default")["result"].is_object());
    editor.choose(&asked, "startEditing");
    assert_eq!(editor.stopped(prompt), "end_turn");
    let prompt = editor.prompt(&session, "and now?");
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert_eq!(receipt(&scene, &session), None);
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn what_is_no_whole_answer_is_no_answer() {
    let scene = scene(planned());
    let mut editor = Editor::met(&scene);
    let (session, mut prompt, mut asked) = until_asked(&mut editor, &scene);
    std::thread::sleep(READING);
    for result in [
        json!({}),
        json!("startEditing"),
        json!({"outcome": "startEditing"}),
        json!({"outcome": {"outcome": "selected"}}),
        json!({"outcome": {"outcome": "approved", "optionId": "startEditing"}}),
        json!({"outcome": {"outcome": "selected", "optionId": "STARTEDITING"}}),
        json!({"outcome": {"outcome": "selected", "optionId": "acceptEdits"}}),
        json!({"outcome": {"outcome": "selected", "optionId": "bypassPermissions"}}),
        json!({"outcome": {"outcome": "selected", "optionId": ["startEditing"]}}),
    ] {
        editor.answer(&asked, result.clone());
        assert_eq!(editor.stopped(prompt), "end_turn", "{result}");
        assert_eq!(receipt(&scene, &session), None, "{result}");
        prompt = editor.prompt(&session, "/plan");
        asked = editor.permission();
    }
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}

#[test]
fn a_form_approves_no_sooner_and_nothing_that_was_not_offered() {
    let scene = scene(planned());
    scene.place.settings(r#"{"acp": {"approval": "form"}}"#);
    let mut editor = Editor::met_as(&scene, &[], "test-editor", json!({"elicitation": {"form": {}}}));
    let session = editor.session(&scene);
    editor.mode(&session, "plan");
    let prompt = editor.prompt(&session, "make login faster");
    for _ in 0..3 {
        let form = editor.asked("elicitation/create");
        editor.answer(&form, json!({"action": "accept", "content": {"choice": "startEditing"}}));
    }
    assert_eq!(editor.stopped(prompt), "end_turn");
    assert!(editor.words().contains("within a second"), "{}", editor.words());
    for answer in [
        json!({"action": "accept", "content": {"choice": "bypassPermissions"}}),
        json!({"action": "accept", "content": {}}),
        json!({"action": "accept"}),
        json!({"action": "cancel"}),
        json!({"action": "decline", "content": {"choice": "startEditing"}}),
    ] {
        let prompt = editor.prompt(&session, "/plan");
        let form = editor.asked("elicitation/create");
        std::thread::sleep(READING);
        editor.answer(&form, answer.clone());
        assert_eq!(editor.stopped(prompt), "end_turn", "{answer}");
        assert_eq!(receipt(&scene, &session), None, "{answer}");
    }
    assert_eq!(editor.leave(), Some(0));
    scene.finish();
}
