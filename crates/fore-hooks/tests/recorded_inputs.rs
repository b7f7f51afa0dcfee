//! What our hooks are told against what was recorded from the program whose contract it is: the same fields in the same order.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot read its pages has failed")]

use fore_hooks::{HookOccasion, HookSession, HookedAgent, HookedCall};
use serde_json::{Value, json};

const RECORDED: &str = include_str!("recorded/claude-code-2.1.197.txt");

fn call() -> HookedCall {
    HookedCall { tool: "Bash".into(), input: json!({ "command": "ls" }), id: "toolu_1".into() }
}

fn occasions() -> Vec<HookOccasion> {
    let agent = || HookedAgent { id: "a1".into(), kind: "Explore".into() };
    let words = || "done".to_owned();
    vec![
        HookOccasion::SessionStart { source: "startup", model: None },
        HookOccasion::UserPromptSubmit { prompt: words() },
        HookOccasion::PreToolUse { call: call() },
        HookOccasion::PostToolUse { call: call(), response: json!({}), duration_ms: 1 },
        HookOccasion::PostToolUseFailure { call: call(), error: words(), is_interrupt: false, duration_ms: 1 },
        HookOccasion::SubagentStart { agent: agent() },
        HookOccasion::SubagentStop { agent: agent(), stop_hook_active: false, last_assistant_message: words() },
        HookOccasion::Stop { stop_hook_active: false, last_assistant_message: words(), background_tasks: Vec::new() },
        HookOccasion::SessionEnd { reason: "other" },
    ]
}

fn session(has_prompt: bool) -> HookSession {
    HookSession {
        session_id: "s".into(),
        transcript_path: "/t".into(),
        cwd: "/w".into(),
        prompt_id: has_prompt.then(|| "p".to_owned()),
        permission_mode: "default".into(),
        agent: None,
    }
}

fn fields(input: &Value) -> Vec<&str> {
    input.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn every_recorded_event_has_the_same_fields_in_the_same_order() {
    let rows: Vec<Vec<&str>> =
        RECORDED.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(' ').collect()).collect();
    assert_eq!(rows.len(), occasions().len());
    for occasion in occasions() {
        let name = occasion.event().name();
        let recorded = rows.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("{name} was not recorded"));
        let input = occasion.input(&session(name != "SessionStart"));
        assert_eq!(fields(&input), recorded[1..], "{name}");
        assert_eq!(input["hook_event_name"], name);
    }
}

#[test]
fn what_is_asked_about_has_no_id_and_our_own_events_say_what_they_are_about() {
    let asked = HookOccasion::PermissionRequest { call: call(), question: "?".into() }.input(&session(true));
    assert!(asked.get("tool_use_id").is_none() && asked["permission_suggestions"] == json!([]));
    let plan =
        HookOccasion::PlanProposed { plan_file_path: "/p.md".into(), plan_hash: "00".into(), plan: "# P".into() };
    let plan = plan.input(&session(true));
    assert_eq!(fields(&plan)[6..], ["plan_file_path", "plan_hash", "plan"]);
    let within = HookSession { agent: Some(HookedAgent { id: "a1".into(), kind: "Explore".into() }), ..session(true) };
    let input = HookOccasion::PreToolUse { call: call() }.input(&within);
    assert_eq!((&input["agent_id"], &input["agent_type"]), (&json!("a1"), &json!("Explore")));
}
