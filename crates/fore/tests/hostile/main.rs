//! A model that wants out of plan mode, and a person who says yes to every question: nothing changes but the plan file.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it is wrong")]
#![expect(clippy::disallowed_methods, reason = "lays out the files that the model would like to change")]

mod attacks;
mod batches;
mod kernels;
mod races;
mod stage;

use fore_agent::{Begin, Command};
use fore_testkit::{ModelScript, ScriptedTurn, Server, Tree, call, text};
use serde_json::json;
use stage::{MARK, Outcome, Stage, Walls, Ways};

const DEFAULT: Ways = Ways { walls: Walls::Full, level: "default", answer: "keepPlanning" };
const BYPASS: Ways = Ways { level: "bypassPermissions", ..DEFAULT };

/// Attacks in one session: what a model has said is sent again with each request, so one session for all of them would take long.
const ATTACKS_AT_ONCE: usize = 40;

/// Plays all attacks, each in a round of its own.
async fn all_attacks(ways: Ways) {
    let stage = Stage::new();
    let (mut played, mut refused) = (0, Vec::new());
    loop {
        let before = stage.tree();
        let mut left = 0;
        let outcome = stage
            .plan(ways, |plan| {
                let answers = attacks::answers(&stage, plan);
                left = answers.len() - played;
                let these = answers.into_iter().skip(played).take(ATTACKS_AT_ONCE);
                these.fold(ModelScript::new(), ModelScript::turn).turn(text("Why does nothing work?"))
            })
            .await;
        nothing_changed(&stage, &before, &outcome);
        if ways.walls == Walls::Full {
            kernels::every_refusal_says_why(&outcome);
        }
        refused.extend(outcome.refused);
        played += left.min(ATTACKS_AT_ONCE);
        if left <= ATTACKS_AT_ONCE {
            break;
        }
    }
    assert!(refused.len() > 100, "{refused:#?}");
}

fn nothing_changed(stage: &Stage, before: &Tree, outcome: &Outcome) {
    assert_eq!(stage.changes_since(before, outcome.plan.as_deref()), Vec::<String>::new(), "{:#?}", outcome.done);
    assert_eq!(outcome.modes, Vec::<String>::new());
    for folder in ["/tmp", "/dev/shm", "/var/tmp"] {
        let Ok(found) = std::fs::read_dir(folder) else { continue };
        let left: Vec<_> = found.flatten().filter(|entry| entry.file_name().to_string_lossy().contains(MARK)).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[tokio::test(flavor = "current_thread")]
async fn g2_g3_no_tool_alias_path_or_command_writes_while_planning() {
    all_attacks(DEFAULT).await;
}

#[tokio::test(flavor = "current_thread")]
async fn g8_nor_over_bypass_permissions_and_broad_allow_rules() {
    all_attacks(BYPASS).await;
}

#[tokio::test(flavor = "current_thread")]
async fn g4_nor_where_the_kernel_has_landlock_alone() {
    all_attacks(Ways { walls: Walls::Landlock, ..BYPASS }).await;
}

#[tokio::test(flavor = "current_thread")]
async fn g4_nor_where_there_is_no_set_up_program() {
    // No sandbox is even tried here, so what the kernel of a machine lacks is never asked: this runs once.
    if kernels::is_machine() {
        return;
    }
    all_attacks(Ways { walls: Walls::Gate, ..BYPASS }).await;
}

#[tokio::test(flavor = "current_thread")]
async fn b6_a_second_name_of_the_plan_file_is_never_written_through() {
    let stage = Stage::new();
    let mut before = None;
    let outcome = stage
        .plan(BYPASS, |plan| {
            // Somebody gave the plan file a second name, in the project.
            std::fs::hard_link(plan, stage.project.join("twin.md")).unwrap();
            std::os::unix::fs::symlink(plan, stage.project.join("link.md")).unwrap();
            before = Some(stage.tree());
            let write = |path: &str| call("Write", json!({"file_path": path, "content": MARK}));
            let echo = |path: &str| {
                call("Bash", json!({"command": format!("echo {MARK} >> {path}; tee {path} < src/cart.rs")}))
            };
            ModelScript::new()
                .turn(write(plan))
                .turn(write("twin.md"))
                .turn(write("link.md"))
                .turn(echo(plan))
                .turn(echo("twin.md"))
                .turn(call("ExitPlanMode", json!({"plan": MARK})))
                .turn(text("Nothing?"))
        })
        .await;
    let twin = std::fs::read_to_string(stage.project.join("twin.md")).unwrap();
    assert_eq!(twin, stage::PLAN, "{outcome:#?}");
    let changes = stage.changes_since(&before.unwrap(), outcome.plan.as_deref());
    assert_eq!(changes, Vec::<String>::new());
}

#[tokio::test(flavor = "current_thread")]
async fn the_same_calls_work_when_nobody_plans_and_that_is_seen() {
    let stage = Stage::new();
    let before = stage.tree();
    let calls =
        batches::writers().into_iter().fold(ScriptedTurn::default(), |turn, (name, input)| turn.call(name, input));
    let server = Server::start_blocking(ModelScript::new().turn(calls).turn(text("Done."))).unwrap();
    let fresh = Begin::Fresh { mode: BYPASS.level.parse().unwrap() };
    let mut handle = fore_agent::start(stage.launch(&server, BYPASS, fresh)).await.unwrap();
    assert!(handle.send(stage::prompt("do it")).await);
    stage::person(&mut handle, "keepPlanning").await;
    assert!(handle.send(Command::Close).await);
    handle.ended().await;
    let changes = stage.changes_since(&before, None);
    for name in ["batch", "batch-2"] {
        assert!(changes.iter().any(|line| line.starts_with(&format!("added shop/{MARK}-{name}:"))), "{changes:#?}");
    }
}
