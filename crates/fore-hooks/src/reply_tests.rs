//! What hooks answer, and what that means: exit codes first, then JSON.

use super::*;
use crate::{HookMatcher, HookOrigin, HookRunner, OnFailure};
use serde_json::json;
use std::time::Duration;

fn hook(event: HookEvent) -> Hook {
    Hook {
        event,
        matcher: HookMatcher::new(""),
        runner: HookRunner::Shell { command: "guard".into() },
        timeout: Duration::from_secs(3),
        on_failure: OnFailure::Block,
        is_async: false,
        origin: HookOrigin { file: "x".into(), is_of_repository: false },
    }
}

fn read(event: HookEvent, ending: HookEnding, stdout: &str, stderr: &str) -> HookAnswer {
    HookAnswer::read(&hook(event), &HookReply { ending, stdout: stdout.into(), stderr: stderr.into() })
}

fn deny(reason: &str) -> HookDecision {
    HookDecision::Deny(reason.into())
}

#[test]
fn an_exit_code_decides_before_any_word() {
    let allow =
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}).to_string();
    let page = [
        (HookEnding::Exited(0), "", "", HookDecision::Silent, false),
        (HookEnding::Exited(0), "all is well", "", HookDecision::Silent, false),
        (HookEnding::Exited(0), allow.as_str(), "", HookDecision::Allow, false),
        (HookEnding::Exited(2), allow.as_str(), "not here\n", deny("not here"), false),
        (HookEnding::Exited(2), "", "", deny("it gave no reason"), false),
        (HookEnding::Exited(1), "", "oops", HookDecision::Silent, true),
        (HookEnding::Exited(1), allow.as_str(), "oops", HookDecision::Allow, false),
        (
            HookEnding::Exited(126),
            "",
            "sh: ./x: Permission denied",
            deny("it did not work: it cannot be executed: sh: ./x: Permission denied"),
            true,
        ),
        (HookEnding::Exited(127), "", "", deny("it did not work: it was not found"), true),
        (HookEnding::Exited(137), "", "", deny("it did not work: it was ended by signal 9"), true),
        (HookEnding::TimedOut, allow.as_str(), "", deny("it did not work: it took longer than 3 s"), true),
        (HookEnding::Killed("it was killed".into()), "", "", deny("it did not work: it was killed"), true),
        (HookEnding::NotStarted("no sandbox".into()), "", "", deny("it did not work: no sandbox"), true),
        (HookEnding::Exited(0), "{not json", "", deny("it did not work: its answer is not JSON"), true),
    ];
    for (ending, stdout, stderr, decision, failed) in page {
        let answer = read(HookEvent::PreToolUse, ending.clone(), stdout, stderr);
        assert_eq!((answer.decision, answer.failure.is_some()), (decision, failed), "{ending:?} {stdout}");
    }
}

#[test]
fn what_does_not_work_blocks_only_where_it_may_be_a_guard_and_nobody_said_otherwise() {
    let late = HookReply { ending: HookEnding::TimedOut, stdout: String::new(), stderr: String::new() };
    for event in HookEvent::ALL {
        let blocks = matches!(event, HookEvent::PreToolUse | HookEvent::PermissionRequest);
        assert_eq!(HookAnswer::read(&hook(event), &late).decision != HookDecision::Silent, blocks, "{event:?}");
        let lenient = Hook { on_failure: OnFailure::Continue, ..hook(event) };
        let answer = HookAnswer::read(&lenient, &late);
        assert_eq!((answer.decision, answer.failure.is_some()), (HookDecision::Silent, true), "{event:?}");
    }
}

#[test]
fn each_event_has_its_own_answers() {
    let of = |event: HookEvent, said: Value| read(event, HookEnding::Exited(0), &said.to_string(), "");
    let pre = |said: Value| {
        let mut own = json!({"hookEventName": "PreToolUse"});
        own.as_object_mut().unwrap().extend(said.as_object().unwrap().clone());
        of(HookEvent::PreToolUse, json!({ "hookSpecificOutput": own }))
    };
    assert_eq!(pre(json!({"permissionDecision": "deny", "permissionDecisionReason": "no"})).decision, deny("no"));
    for word in ["ask", "defer"] {
        let answer = pre(json!({"permissionDecision": word, "permissionDecisionReason": "hm"}));
        assert_eq!(answer.decision, HookDecision::Ask("hm".into()));
    }
    assert!(matches!(pre(json!({"permissionDecision": "maybe"})).decision, HookDecision::Deny(_)), "unknown is no");
    assert!(matches!(pre(json!({"updatedInput": "ls"})).decision, HookDecision::Deny(_)), "not an object");
    let rewritten = pre(json!({"updatedInput": {"command": "ls"}, "additionalContext": "words"}));
    assert_eq!((rewritten.rewritten, rewritten.context.as_deref()), (Some(json!({"command": "ls"})), Some("words")));
    let other = of(
        HookEvent::PreToolUse,
        json!({"hookSpecificOutput": {"hookEventName": "Stop", "permissionDecision": "allow"}}),
    );
    assert!(matches!(other.decision, HookDecision::Deny(_)), "an answer to something else is none");

    let asked = |said: Value| {
        of(
            HookEvent::PermissionRequest,
            json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": said}}),
        )
    };
    assert_eq!(asked(json!({"behavior": "allow"})).decision, HookDecision::Allow);
    let denied = asked(json!({"behavior": "deny", "message": "no", "interrupt": true}));
    assert_eq!((denied.decision, denied.stops.is_some()), (deny("no"), true));
    assert!(matches!(asked(json!({"behavior": "later"})).decision, HookDecision::Deny(_)));

    let stop = of(HookEvent::Stop, json!({"decision": "block", "reason": "tests fail", "systemMessage": "look"}));
    assert_eq!((stop.decision, stop.message.as_deref()), (deny("tests fail"), Some("look")));
    let halt = of(HookEvent::PostToolUse, json!({"continue": false, "stopReason": "enough"}));
    assert_eq!(halt.stops.as_deref(), Some("enough"));
    // What only one event knows means nothing elsewhere.
    let stray =
        of(HookEvent::Stop, json!({"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"a": 1}}}));
    assert_eq!((stray.decision, stray.rewritten), (HookDecision::Silent, None));
}

#[test]
fn plain_words_are_for_the_model_where_the_contract_says_so_and_all_words_have_a_bound() {
    for event in HookEvent::ALL {
        let answer = read(event, HookEnding::Exited(0), "  remember the rules\n", "");
        let expected = matches!(event, HookEvent::SessionStart | HookEvent::UserPromptSubmit);
        assert_eq!(answer.context.as_deref() == Some("remember the rules"), expected, "{event:?}");
    }
    let long = read(HookEvent::SessionStart, HookEnding::Exited(0), &"x".repeat(50_000), "").context.unwrap();
    assert!(long.len() < 10_100 && long.ends_with("left out]"), "{}", long.len());
}
