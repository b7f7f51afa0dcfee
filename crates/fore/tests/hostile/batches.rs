//! Many calls at once: plan-mode tools in every position, subagents, floods, broken arguments.

use crate::{
    BYPASS, DEFAULT, attacks, nothing_changed,
    stage::{FORGED, MARK, PLAN, Stage, Ways},
};
use fore_testkit::{Chunking, ModelScript, ScriptedTurn, call, call_raw, text};
use serde_json::json;

/// In large pieces: how a server cuts its answers is not what is tried here.
const LARGE: Chunking = Chunking { piece_chars: 100_000, write_bytes: 0, delay_ms: 0 };

/// Calls that would each leave something behind.
pub(crate) fn writers() -> [(&'static str, serde_json::Value); 3] {
    [
        ("Write", json!({"file_path": format!("{MARK}-batch"), "content": MARK})),
        ("Bash", json!({"command": format!("touch {MARK}-batch-2")})),
        ("Edit", json!({"file_path": "src/cart.rs", "old_string": "1", "new_string": "2"})),
    ]
}

/// A batch with plan-mode tools in the given places among the writers.
fn batch(places: &[(usize, &str, serde_json::Value)]) -> ScriptedTurn {
    let mut calls: Vec<(String, serde_json::Value)> =
        writers().into_iter().map(|(name, input)| (name.to_owned(), input)).collect();
    for (place, name, input) in places {
        calls.insert((*place).min(calls.len()), ((*name).to_owned(), input.clone()));
    }
    calls.into_iter().fold(ScriptedTurn::default(), |turn, (name, input)| turn.call(name, input))
}

#[tokio::test(flavor = "current_thread")]
async fn plan_mode_tools_open_nothing_wherever_they_stand_in_a_batch() {
    for answer in ["keepPlanning", "approve", "yes", "discard-everything", ""] {
        let stage = Stage::new();
        let before = stage.tree();
        let mut script = ModelScript::new();
        for place in 0..=3 {
            for name in ["EnterPlanMode", "ExitPlanMode", "enter_plan_mode", "exit_plan_mode"] {
                script = script.turn(batch(&[(place, name, json!({}))]));
            }
            let both = [(place, "EnterPlanMode", json!({})), (3 - place, "ExitPlanMode", json!({"plan": PLAN}))];
            script = script.turn(batch(&both));
            let twice = [(place, "ExitPlanMode", json!({"plan": PLAN})), (0, "ExitPlanMode", json!({}))];
            script = script.turn(batch(&twice));
        }
        let script = script.turn(text("Why?"));
        // Answers that nobody knows are no approval; they are asked again and then taken back by the last one.
        let ways = Ways { answer, ..BYPASS };
        let outcome = stage.plan(ways, |_| script).await;
        nothing_changed(&stage, &before, &outcome);
    }
}

#[tokio::test(flavor = "current_thread")]
async fn m13_no_subagent_does_what_the_planner_may_not() {
    let stage = Stage::new();
    let before = stage.tree();
    let outcome = stage
        .plan(BYPASS, |plan| {
            let mut script = ModelScript::new();
            for (number, kind) in ["general", "Explore", "Plan", "evil", "worse", "nobody"].into_iter().enumerate() {
                for mode in [None, Some("plan"), Some("bypassPermissions")] {
                    let key = format!("task {number} {mode:?}");
                    let mut input = json!({"subagent_type": kind, "description": FORGED, "prompt": format!("{key} {FORGED}")});
                    if let Some(mode) = mode {
                        input["mode"] = json!(mode);
                    }
                    script = script.turn(call(if number % 2 == 0 { "Agent" } else { "Task" }, input));
                    let mut turns: Vec<ScriptedTurn> = vec![
                        call("Agent", json!({"subagent_type": "general", "description": "x", "prompt": "write"})),
                        call("ExitPlanMode", json!({})),
                        call("EnterPlanMode", json!({})),
                        call("Write", json!({"file_path": plan, "content": MARK})),
                        call("Bash", json!({"command": format!("(sleep 1; touch {MARK}-agent) & echo hi > {MARK}-agent-2"), "run_in_background": true})),
                        call("Bash", json!({"command": format!("python3 -c 'open(\"{MARK}-agent-3\",\"w\")'")})),
                        call("TodoWrite", json!({"todos": []})),
                    ];
                    turns.extend(writers().map(|(name, input)| call(name, input)));
                    turns.push(text(format!("Done. {FORGED}")));
                    script = script.conversation(key.clone(), key, turns);
                }
            }
            script.turn(text("Why?")).allow_unused_turns()
        })
        .await;
    nothing_changed(&stage, &before, &outcome);
    let plan = std::fs::read_to_string(outcome.plan.unwrap()).unwrap();
    assert_eq!(plan, PLAN, "a subagent does not write the plan");
}

#[tokio::test(flavor = "current_thread")]
async fn a_flood_of_calls_in_one_answer_changes_nothing() {
    let stage = Stage::new();
    let before = stage.tree();
    let outcome = stage
        .plan(DEFAULT, |plan| {
            let small = attacks::calls(&stage, plan).into_iter().filter(|(name, input)| {
                name != "Bash"
                    && name != "run_shell_command"
                    && !name.contains("xit")
                    && input.to_string().len() < 10_000
            });
            let calls: Vec<_> = small.cycle().take(1_000).collect();
            let flood = calls.into_iter().fold(ScriptedTurn::default(), |turn, (name, input)| turn.call(name, input));
            ModelScript::new().turn(flood).turn(text("Why?"))
        })
        .await;
    nothing_changed(&stage, &before, &outcome);
}

#[tokio::test(flavor = "current_thread")]
async fn giant_nested_and_broken_arguments_change_nothing() {
    let stage = Stage::new();
    let before = stage.tree();
    let outcome = stage
        .plan(BYPASS, |plan| {
            let path = format!("{MARK}-giant");
            let nested = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
            let twice = format!(r#"{{"file_path":"{plan}","file_path":"{path}","content":"x"}}"#);
            let differ = json!({"file_path": plan, "path": path, "absolute_path": plan, "content": MARK});
            ModelScript::new()
                .turn(call_raw("Write", format!(r#"{{"file_path":"{path}","content":{nested}}}"#)))
                .turn(call_raw("Write", twice))
                .turn(call("Write", differ))
                .turn(call_raw("Bash", r#"{"command":"touch fore-was-here-raw"#))
                .turn(call_raw("Bash", "touch fore-was-here-raw"))
                .turn(call_raw("Bash", "[\"touch\""))
                .turn(call_raw("Bash", "\u{0}\u{fffd}"))
                .turn(call("Write", json!({"file_path": [plan, path], "content": MARK})))
                .turn(call("Write", json!({"file_path": {"real": plan}, "content": MARK})))
                .turn(call("Bash", json!({"command": "x".repeat(200_000)})).chunking(LARGE))
                .turn(
                    call("Bash", json!({"command": format!("touch {}", format!("{MARK}-many ").repeat(10_000))}))
                        .chunking(LARGE),
                )
                .turn(call("Write", json!({"file_path": "a/".repeat(50_000), "content": MARK})).chunking(LARGE))
                .turn(call("Write", json!({"file_path": path, "content": "x".repeat(2_000_000)})).chunking(LARGE))
                .turn(call("ExitPlanMode", json!({"plan": "x".repeat(3_000_000)})).chunking(LARGE))
                .turn(text(FORGED))
        })
        .await;
    nothing_changed(&stage, &before, &outcome);
}
