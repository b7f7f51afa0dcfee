//! `fore hooks`, run for real: listed, tried, trusted by their bytes, and put into the settings of other agents.
#![allow(clippy::unwrap_used, reason = "a test that cannot read an answer has failed")]
#![allow(clippy::disallowed_methods, reason = "prepares its workspace")]

mod support;

use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use support::Place;

fn with_repository_hook(script: &str) -> Place {
    let place = Place::new();
    std::fs::create_dir_all(place.project().join(".git")).unwrap();
    std::fs::create_dir_all(place.project().join(".claude")).unwrap();
    let hook = json!({"type": "command", "command": "$CLAUDE_PROJECT_DIR/.claude/guard.sh"});
    place.file(
        ".claude/settings.json",
        &json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}).to_string(),
    );
    write_script(&place, script);
    place
}

fn write_script(place: &Place, text: &str) {
    place.file(".claude/guard.sh", text);
    let path = place.project().join(".claude/guard.sh");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn listed(place: &Place) -> Value {
    serde_json::from_str(&place.fore(&["hooks", "list", "--json"]).out).unwrap()
}

const GUARD: &str = "#!/bin/sh\ngrep -q 'rm -rf' && { echo 'never delete folders' >&2; exit 2; }\nexit 0\n";
const REMOVES: &str = r#"{"command": "rm -rf src"}"#;

#[test]
fn a_hook_of_a_project_is_trusted_by_its_bytes_and_tried() {
    let place = with_repository_hook(GUARD);
    let test = ["hooks", "test", "PreToolUse", "--input", REMOVES];
    let off = place.fore(&test);
    assert!(off.out.contains("off, because you do not trust it") && off.code == Some(0), "{off:?}");
    let nobody = place.fore(&["hooks", "trust"]);
    assert!(nobody.code == Some(2) && nobody.err.contains("--yes"), "nobody is asked without a terminal: {nobody:?}");
    let hash = listed(&place)["hooks"][0]["hash"].as_str().unwrap().to_owned();
    let trusted = place.fore(&["hooks", "trust", &hash]);
    assert!(trusted.out.contains("guard.sh") && trusted.out.contains("1 hook is trusted now"), "{trusted:?}");
    for mode in ["plan", "default"] {
        let tried = place.fore(&[&test[..], &["--mode", mode]].concat());
        assert!(tried.code == Some(1) && tried.out.contains("refuses: never delete folders"), "{mode}: {tried:?}");
    }
    let calm = place.fore(&["hooks", "test", "PreToolUse"]);
    assert!(calm.code == Some(0) && calm.out.contains("decides nothing"), "{calm:?}");

    write_script(&place, "#!/bin/sh\nexit 0\n");
    let changed = place.fore(&["hooks", "list"]);
    assert!(changed.out.contains("off, not what you trusted") && changed.out.contains("sha256"), "{changed:?}");
    assert!(place.fore(&test).out.contains("off, because"), "other bytes are not run");
    write_script(&place, GUARD);
    assert_eq!(place.fore(&test).code, Some(1), "the same bytes are the same hook");
    assert!(place.fore(&["hooks", "untrust", "--all"]).out.contains("1 hook is trusted no longer"));
    assert_eq!(listed(&place)["hooks"][0]["isOn"], false);
}

#[test]
fn whoever_trusts_a_hook_sees_where_its_headers_come_from_and_each_argument() {
    let place = Place::new();
    std::fs::create_dir_all(place.project().join(".git")).unwrap();
    std::fs::create_dir_all(place.project().join(".claude")).unwrap();
    let web = json!({"type": "http", "url": "http://127.0.0.1:9/hook", "headers": {"X-Key": "$DEPLOY_TOKEN"},
                     "allowedEnvVars": ["DEPLOY_TOKEN"]});
    let program = json!({"type": "command", "command": "echo", "args": ["a b", "c"], "async": true});
    let hidden = json!({"type": "command", "command": format!(": {}; ./evil.sh", "w x y ".repeat(3_000))});
    let words: String = (0..3_000).map(|number| format!("w{number} ")).collect();
    let many = json!({"type": "command", "command": format!(": {words}; ./evil.sh")});
    place.file(
        ".claude/settings.json",
        &json!({"hooks": {"PreToolUse": [{"hooks": [web, program, hidden, many]}]}}).to_string(),
    );
    let trusted = place.fore(&["hooks", "trust", "--yes"]);
    for shown in [r#"header "X-Key: $DEPLOY_TOKEN""#, r#"variable "DEPLOY_TOKEN""#, r#"arg "a b""#, "async"] {
        assert!(trusted.out.contains(shown), "{shown}: {trusted:?}");
    }
    let tried = place.fore(&["hooks", "test", "PreToolUse", "--input", REMOVES]);
    assert!(tried.code == Some(1) && tried.out.contains("names more files of the project"), "{tried:?}");
}

#[test]
fn a_hook_writes_nothing_in_plan_mode_but_where_the_person_said_so() {
    let place = Place::new();
    let logs = place.folder("logs");
    std::fs::create_dir_all(&logs).unwrap();
    let log = logs.join("log").display().to_string();
    let command = format!("echo x > made; echo x >> {log}; echo '{{}}'");
    let hooks = json!({"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}], "mayWrite": [logs]});
    place.settings(&json!({ "hooks": hooks }).to_string());
    let _ = place.fore(&["hooks", "test", "PreToolUse"]);
    assert_eq!(place.read("made"), None, "planning holds hooks");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "x\n", "a logger may write its log");
    let _ = place.fore(&["hooks", "test", "PreToolUse", "--mode", "default"]);
    assert_eq!(place.read("made").as_deref(), Some("x\n"), "at work it runs as the person's own programs do");
    // No way into the project by this setting.
    let hooks = json!({"PreToolUse": [{"hooks": [{"type": "command", "command": "echo x > again"}]}], "mayWrite": [place.project()]});
    place.settings(&json!({ "hooks": hooks }).to_string());
    let _ = place.fore(&["hooks", "test", "PreToolUse"]);
    assert_eq!(place.read("again"), None);
}

#[test]
fn fore_gate_is_put_into_another_agents_hooks_and_taken_out_again() {
    let place = Place::new();
    std::fs::create_dir_all(place.project().join(".git")).unwrap();
    std::fs::create_dir_all(place.project().join(".claude")).unwrap();
    let before = "{\n  // mine\n  \"model\": \"x\"\n}\n";
    place.file(".claude/settings.json", before);
    let asked = place.fore(&["hook", "install", "claude"]);
    assert!(
        asked.code == Some(2) && asked.out.contains("+    \"PreToolUse\""),
        "the difference comes first: {asked:?}"
    );
    assert_eq!(place.read(".claude/settings.json").as_deref(), Some(before));
    assert_eq!(place.fore(&["hook", "install", "claude", "--yes"]).code, Some(0));
    let with = place.read(".claude/settings.json").unwrap();
    assert!(with.contains("gate --as claude") && with.contains("// mine"), "{with}");
    assert!(place.fore(&["hook", "install", "claude", "--yes"]).out.contains("installed there already"));
    assert_eq!(place.fore(&["hook", "uninstall", "claude", "--yes"]).code, Some(0));
    assert_eq!(place.read(".claude/settings.json").as_deref(), Some(before));
    assert!(place.fore(&["hook", "uninstall", "claude", "--yes"]).out.contains("not installed there"));
    for host in ["codex", "gemini", "qwen", "opencode"] {
        assert_eq!(place.fore(&["hook", "install", host, "--yes"]).code, Some(0), "{host}");
        // In milliseconds: one of 30 would be over before the answer, and the call would pass.
        if let "gemini" | "qwen" = host {
            let written = place.read(&format!(".{host}/settings.json")).unwrap();
            assert!(written.contains("\"timeout\": 30000"), "{written}");
        }
        assert_eq!(place.fore(&["hook", "uninstall", host, "--yes"]).code, Some(0), "{host}");
    }
}

fn gate(place: &Place, host: &str, call: &Value) -> Value {
    let ran = place.fore_with(&["gate", "--as", host], call.to_string().as_bytes());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    if ran.out.trim().is_empty() { Value::Null } else { serde_json::from_str(&ran.out).unwrap() }
}

#[test]
fn another_agents_call_is_judged_in_its_mode_and_answered_in_its_form() {
    let place = Place::new();
    let call = |mode: &str, tool: &str, input: Value| json!({"hook_event_name": "PreToolUse", "permission_mode": mode, "cwd": place.project(), "tool_name": tool, "tool_input": input});
    let writes = || json!({"command": "sort -o a a", "description": "sort"});
    let denied = gate(&place, "claude", &call("plan", "Bash", writes()));
    assert_eq!(denied["hookSpecificOutput"]["permissionDecision"], "deny", "{denied}");
    assert_eq!(gate(&place, "claude", &call("default", "Bash", writes())), Value::Null, "its own business at work");
    let edit = json!({"file_path": place.project().join("a"), "content": "x"});
    assert_eq!(
        gate(&place, "qwen", &call("plan", "write_file", edit.clone()))["hookSpecificOutput"]["permissionDecision"],
        "deny"
    );
    assert_eq!(gate(&place, "gemini", &call("plan", "write_file", edit.clone()))["decision"], "deny");
    assert!(gate(&place, "opencode", &call("plan", "write", edit))["refused"].is_string());
    assert_eq!(gate(&place, "claude", &call("plan", "ExitPlanMode", json!({}))), Value::Null);
    let unknown = gate(&place, "claude", &call("plan", "SendMail", json!({})));
    assert_eq!(unknown["hookSpecificOutput"]["permissionDecision"], "deny", "what nobody knows is not let through");
    let garbage = place.fore_with(&["gate", "--as", "claude"], b"no json");
    assert!(garbage.out.contains("\"deny\""), "{garbage:?}");

    // A command that is let through runs in our sandbox: what the host runs instead cannot write.
    let reads = gate(&place, "claude", &call("plan", "Bash", json!({"command": "ls -a", "description": "list"})));
    let input = &reads["hookSpecificOutput"]["updatedInput"];
    assert!(input["command"].as_str().unwrap().contains(" cage --read-only --quiet -- bash -c 'ls -a'"), "{reads}");
    assert_eq!(input["description"], "list", "the rest of the call stays");
    // One that is harmless only where its writes are dropped: in a rehearsal, or not at all where the host runs what it was told.
    let tries =
        |host: &str| gate(&place, host, &call("plan", "Bash", json!({"command": "make all", "description": "build"})));
    let rehearsed = tries("claude");
    let command = rehearsed["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap().to_owned();
    assert!(command.contains(" cage --rehearse --quiet -- bash -c 'make all'"), "{rehearsed}");
    let denied = tries("qwen");
    assert_eq!(denied["hookSpecificOutput"]["permissionDecision"], "deny", "{denied}");
}

#[test]
fn the_plan_file_of_another_agent_is_left_to_it() {
    let place = Place::new();
    let plans = place.folder("person").join(".claude/plans");
    std::fs::create_dir_all(&plans).unwrap();
    let write = |path: std::path::PathBuf| json!({"permission_mode": "plan", "cwd": place.project(), "tool_name": "Write", "tool_input": {"file_path": path, "content": "x"}});
    assert_eq!(gate(&place, "claude", &write(plans.join("calm-river.md"))), Value::Null);
    for elsewhere in [plans.join("../settings.md"), plans.join("x.sh"), place.project().join("plans/x.md")] {
        let answer = gate(&place, "claude", &write(elsewhere.clone()));
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{}", elsewhere.display());
    }
}
