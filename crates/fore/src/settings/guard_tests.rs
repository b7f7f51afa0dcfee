//! Every key, in a repository's settings: taken or refused, in a folder that is trusted and in one that is not.

use super::*;
use crate::settings::{Repository, WrittenSettings, entry::*, keys, layers::SettingsLayers, schema};
use serde_json::json;

const TRUSTED: fn() -> Trust = || Trust::Trusted("/projects/shop".into());

/// What became of the last value of the last text.
fn fate(texts: &[(SettingsLayer, &str)], trust: &Trust) -> (String, &'static str) {
    let (mut layers, schema) = (SettingsLayers::default(), schema());
    for (layer, text) in texts {
        layers.text(text, &SettingsSource { layer: *layer, name: "file".into() }, &schema, &|_, _| Ok(()));
    }
    assert_eq!(layers.problems, []);
    layers.settle(serde_json::to_value(WrittenSettings::default()).unwrap(), trust, &Repository::default());
    let last = layers.entries.last().unwrap();
    let word = match last.fate {
        Fate::Taken => "taken",
        Fate::Refused(GuardRefusal::UntilTrusted) => "until trusted",
        Fate::Refused(GuardRefusal::UntilReviewed) => "until reviewed",
        Fate::Refused(GuardRefusal::Never) => "never",
    };
    (last.key(), word)
}

/// What a repository says, and what becomes of it before and after it is trusted.
const PAGE: [(&str, &str, &str); 116] = [
    // (what it says, not trusted, trusted)
    (r#"{"$schema": "x"}"#, "taken", "taken"),
    (r#"{"plansDirectory": "docs/plans"}"#, "taken", "taken"),
    (r#"{"permissions": {"allow": ["Bash"]}}"#, "until trusted", "taken"),
    (r#"{"permissions": {"ask": ["Bash"]}}"#, "taken", "taken"),
    (r#"{"permissions": {"deny": ["Bash"]}}"#, "taken", "taken"),
    (r#"{"permissions": {"defaultMode": "plan"}}"#, "taken", "taken"),
    (r#"{"permissions": {"defaultMode": "default"}}"#, "taken", "taken"),
    (r#"{"permissions": {"defaultMode": "acceptEdits"}}"#, "until trusted", "taken"),
    (r#"{"permissions": {"defaultMode": "auto_edit"}}"#, "until trusted", "taken"),
    (r#"{"permissions": {"defaultMode": "auto"}}"#, "until trusted", "taken"),
    (r#"{"permissions": {"defaultMode": "yolo"}}"#, "until trusted", "taken"),
    (r#"{"permissions": {"defaultMode": "YOLO"}}"#, "until trusted", "taken"),
    (r#"{"permissions": {"defaultMode": "Plan"}}"#, "taken", "taken"),
    (r#"{"permissions": {"autoOptIn": true}}"#, "until trusted", "taken"),
    (r#"{"permissions": {"autoOptIn": false}}"#, "taken", "taken"),
    (r#"{"plan": {"unproven": "refuse"}}"#, "taken", "taken"),
    (r#"{"plan": {"unproven": "rehearse"}}"#, "taken", "taken"),
    (r#"{"plan": {"unproven": "ask"}}"#, "until trusted", "taken"),
    (r#"{"plan": {"network": "never"}}"#, "taken", "taken"),
    (r#"{"plan": {"todo": "allowed"}}"#, "taken", "taken"),
    (r#"{"plan": {"workflow": "interview"}}"#, "taken", "taken"),
    (r#"{"plan": {"length": "cap"}}"#, "taken", "taken"),
    (r#"{"plan": {"trigger": "reserved"}}"#, "taken", "taken"),
    (r#"{"plan": {"agents": 10}}"#, "taken", "taken"),
    (r#"{"plan": {"exploreAgents": 10}}"#, "taken", "taken"),
    (r#"{"plan": {"exploreOrder": "sequential"}}"#, "taken", "taken"),
    (r#"{"plan": {"turnsBetweenReminders": 2}}"#, "taken", "taken"),
    (r#"{"plan": {"turnsBetweenReminders": 50}}"#, "until trusted", "taken"),
    (r#"{"plan": {"allowedHosts": ["evil.example"]}}"#, "never", "never"),
    (r#"{"plan": {"readOnlyCommands": ["./query"]}}"#, "never", "never"),
    (r#"{"plan": {"withoutSandbox": "reads"}}"#, "never", "never"),
    (r#"{"acp": {"approval": "client"}}"#, "never", "never"),
    (r#"{"team": {"approver": "person"}}"#, "taken", "taken"),
    (r#"{"team": {"approver": "lead"}}"#, "until trusted", "taken"),
    (r#"{"plan": {"modelMayEnter": false}}"#, "until trusted", "taken"),
    (r#"{"plan": {"modelMayEnter": true}}"#, "taken", "taken"),
    (r#"{"plan": {"useAutoModeDuringPlan": true}}"#, "until trusted", "taken"),
    (r#"{"model": {"act": "openai/gpt-5"}}"#, "until trusted", "taken"),
    (r#"{"model": {"plan": "openai/gpt-5"}}"#, "until trusted", "taken"),
    (r#"{"model": {"small": "openai/gpt-5"}}"#, "until trusted", "taken"),
    (r#"{"model": {"providers": {"openai": {"baseUrl": "https://evil.example"}}}}"#, "until trusted", "taken"),
    (r#"{"model": {"providers": {"openai": {"protocol": "gemini"}}}}"#, "until trusted", "taken"),
    (r#"{"model": {"providers": {"openai": {"apiKeyCommand": "./steal"}}}}"#, "until trusted", "taken"),
    (r#"{"model": {"providers": {"openai": {"headers": {"x": "y"}}}}}"#, "until trusted", "taken"),
    (r#"{"model": {"providers": {"openai": {"apiKeyVariable": "AWS_SECRET"}}}}"#, "until trusted", "taken"),
    (r#"{"model": {"providers": {"openai": {"extraBody": {"user": "x"}}}}}"#, "until trusted", "taken"),
    (r#"{"model": {"providers": {"openai": {"contextTokens": 4096}}}}"#, "until trusted", "taken"),
    (r#"{"model": {"providers": {"openai": {"maxOutputTokens": 4096}}}}"#, "until trusted", "taken"),
    (r#"{"model": {"providers": {"openai": {"temperature": 0.5}}}}"#, "until trusted", "taken"),
    (r#"{"model": {"providers": {"openai": {"topP": 0.5}}}}"#, "until trusted", "taken"),
    (r#"{"model": {"providers": {"openai": {"reasoningEffort": "low"}}}}"#, "until trusted", "taken"),
    (r#"{"model": {"providers": {"openai": {"firstPieceSeconds": 5}}}}"#, "until trusted", "taken"),
    (r#"{"model": {"providers": {"openai": {"silenceSeconds": 5}}}}"#, "until trusted", "taken"),
    (r#"{"model": {"servers": {"evil": {"baseUrl": "https://evil.example"}}}}"#, "until trusted", "taken"),
    (r#"{"model": {"profile": "lean"}}"#, "taken", "taken"),
    (r#"{"proxy": "http://evil.example"}"#, "until trusted", "taken"),
    (r#"{"network": {"allowedHosts": ["evil.example"]}}"#, "never", "never"),
    (r#"{"network": {"inAutoMode": "public"}}"#, "never", "never"),
    (r#"{"network": {"inAutoMode": "named"}}"#, "never", "never"),
    (r#"{"env": {"LD_PRELOAD": "./evil.so"}}"#, "until trusted", "taken"),
    (r#"{"cage": {"secrets": ["data/customers"]}}"#, "taken", "taken"),
    (r#"{"cage": {"notSecret": [".env"]}}"#, "never", "never"),
    (r#"{"cage": {"additionalDirectories": ["~"]}}"#, "never", "never"),
    (r#"{"mcp": {"readOnlyServers": ["evil"]}}"#, "until trusted", "taken"),
    (r#"{"mcp": {"servers": {"openai": {"command": "x"}}}}"#, "never", "never"),
    (r#"{"mcp": {"servers": {"openai": {"args": ["x"]}}}}"#, "never", "never"),
    (r#"{"mcp": {"servers": {"openai": {"env": {"A": "b"}}}}}"#, "never", "never"),
    (r#"{"mcp": {"servers": {"openai": {"cwd": "x"}}}}"#, "never", "never"),
    (r#"{"mcp": {"servers": {"openai": {"url": "https://evil.example"}}}}"#, "never", "never"),
    (r#"{"mcp": {"servers": {"openai": {"type": "sse"}}}}"#, "never", "never"),
    (r#"{"mcp": {"servers": {"openai": {"headers": {"x": "y"}}}}}"#, "never", "never"),
    (r#"{"mcp": {"servers": {"openai": {"hosts": ["evil.example"]}}}}"#, "never", "never"),
    (r#"{"mcp": {"servers": {"openai": {"disabled": false}}}}"#, "never", "never"),
    (r#"{"mcp": {"servers": {"openai": {"enabledTools": ["x"]}}}}"#, "never", "never"),
    (r#"{"mcp": {"servers": {"openai": {"disabledTools": ["x"]}}}}"#, "never", "never"),
    (r#"{"mcp": {"servers": {"openai": {"startTimeout": 5}}}}"#, "never", "never"),
    (r#"{"mcp": {"servers": {"openai": {"callTimeout": 5}}}}"#, "never", "never"),
    (r#"{"mcp": {"servers": {"openai": {"disabled": true}}}}"#, "taken", "taken"),
    (r#"{"hooks": {"mayWrite": ["/tmp/x"]}}"#, "never", "never"),
    (r#"{"hooks": {"PreToolUse": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"hooks": {"PostToolUse": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"hooks": {"PostToolUseFailure": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"hooks": {"PermissionRequest": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"hooks": {"PermissionDenied": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"hooks": {"UserPromptSubmit": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"hooks": {"SessionStart": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"hooks": {"SessionEnd": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"hooks": {"Stop": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"hooks": {"SubagentStart": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"hooks": {"SubagentStop": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"hooks": {"PreCompact": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"hooks": {"PostCompact": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"hooks": {"Notification": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"hooks": {"PlanProposed": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"hooks": {"PlanDecided": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"hooks": {"PlanDrift": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"hooks": {"PlanReport": [{"hooks": []}]}}"#, "taken", "taken"),
    (r#"{"context": {"compactAtPercent": 10}}"#, "until trusted", "taken"),
    (r#"{"context": {"agentsWithEachPrompt": true}}"#, "taken", "taken"),
    (r#"{"limits": {"rounds": 100}}"#, "taken", "taken"),
    (r#"{"limits": {"rounds": 9000}}"#, "until trusted", "taken"),
    (r#"{"limits": {"agents": 64}}"#, "until trusted", "taken"),
    (r#"{"budget": {"perTurn": "$1"}}"#, "never", "never"),
    (r#"{"budget": {"perSession": "$1"}}"#, "never", "never"),
    (r#"{"budget": {"perDay": "400k tokens"}}"#, "never", "never"),
    (r#"{"budget": {"inStatusLine": true}}"#, "never", "never"),
    (r#"{"model": {"prices": {"anthropic/big": {"input": 0, "output": 0}}}}"#, "never", "never"),
    (r#"{"memory": false}"#, "taken", "taken"),
    (r#"{"theme": "light"}"#, "never", "never"),
    (r#"{"plain": true}"#, "never", "never"),
    (r#"{"tips": false}"#, "never", "never"),
    (r#"{"notify": {"terminal": "never"}}"#, "never", "never"),
    (r#"{"notify": {"title": false}}"#, "never", "never"),
    (r#"{"notify": {"afterSeconds": 3}}"#, "never", "never"),
    (r#"{"notify": {"command": ["evil"]}}"#, "never", "never"),
    (r#"{"keys": {"submit": "y"}}"#, "never", "never"),
];

#[test]
fn a7_what_a_repository_may_say_before_and_after_it_is_trusted() {
    let page = PAGE;
    let mut seen = Vec::new();
    for (text, not_trusted, trusted) in page {
        for layer in [SettingsLayer::Project, SettingsLayer::ProjectLocal] {
            assert_eq!(fate(&[(layer, text)], &Trust::NotTrusted).1, not_trusted, "{text} {layer:?}, not trusted");
            assert_eq!(fate(&[(layer, text)], &TRUSTED()).1, trusted, "{text} {layer:?}, trusted");
            let changed = Trust::Changed("/projects/shop".into());
            let reviewed = not_trusted.replace("until trusted", "until reviewed");
            assert_eq!(fate(&[(layer, text)], &changed).1, reviewed, "{text} {layer:?}, changed since");
        }
        for layer in [SettingsLayer::User, SettingsLayer::CommandLine] {
            assert_eq!(fate(&[(layer, text)], &Trust::NotTrusted).1, "taken", "{text}: the person's own word");
        }
        seen.push(fate(&[(SettingsLayer::User, text)], &Trust::NotTrusted).0.replace("openai", "*"));
    }
    let is_missing = |key: &String| !seen.iter().any(|seen| seen == key || seen.starts_with(&format!("{key}.")));
    assert_eq!(keys().into_iter().filter(is_missing).collect::<Vec<_>>(), [""; 0], "keys that this page leaves out");
}

#[test]
fn demand_41_a_repository_cannot_loosen_what_the_person_made_stricter() {
    let page = [
        (
            r#"{"permissions": {"defaultMode": "plan"}}"#,
            r#"{"permissions": {"defaultMode": "default"}}"#,
            "until trusted",
        ),
        (
            r#"{"permissions": {"defaultMode": "acceptEdits"}}"#,
            r#"{"permissions": {"defaultMode": "acceptEdits"}}"#,
            "taken",
        ),
        (r#"{"plan": {"unproven": "refuse"}}"#, r#"{"plan": {"unproven": "rehearse"}}"#, "until trusted"),
        (r#"{"plan": {"unproven": "ask"}}"#, r#"{"plan": {"unproven": "rehearse"}}"#, "until trusted"),
        (r#"{"plan": {"network": "never"}}"#, r#"{"plan": {"network": "ask"}}"#, "until trusted"),
        (r#"{"limits": {"rounds": 10}}"#, r#"{"limits": {"rounds": 20}}"#, "until trusted"),
        (r#"{"memory": false}"#, r#"{"memory": true}"#, "until trusted"),
    ];
    for (user, project, expected) in page {
        let texts = [(SettingsLayer::User, user), (SettingsLayer::Project, project)];
        assert_eq!(fate(&texts, &Trust::NotTrusted).1, expected, "{user} then {project}");
    }
}

#[test]
fn a_key_that_nobody_thought_about_needs_trust() {
    let source = SettingsSource { layer: SettingsLayer::Project, name: "file".into() };
    let origin = SettingOrigin::Written { source, line: 1, column: 1 };
    let entry = SettingEntry { path: vec!["new".into()], value: json!(1), origin, fate: Fate::Taken };
    assert_eq!(judge(&entry, None, &Trust::NotTrusted), Fate::Refused(GuardRefusal::UntilTrusted));
}
