//! Somebody swaps the plan file in every moment of a real session: what is approved was shown, and what is told was approved. The same
//! in thousands of rounds, without a session around it, is in the store's own `races`.

#![expect(clippy::disallowed_methods, reason = "somebody else writes the plan file here")]

use crate::{
    receipt::{EVIL, FORGED, PLAN, approved, body, proposes, tells_what_was_approved},
    support::{Show, Stage},
};
use fore_agent::{ApprovalOutcome, Begin, Command, Event};
use fore_plan::{approval::Reachable, plan::Hash};
use fore_testkit::{ModelScript, RecordedRequest, Swap, Swapper, call, text};
use serde_json::json;
use std::{collections::HashMap, path::PathBuf};

/// Answers at one approval until nobody swaps any more.
const ANSWERS: usize = 150;
/// Times that the model is told of its plan in one session.
const TIMES: usize = 8;
const OTHERS: &str = "what lies behind a link";

fn everything(stage: &Stage) -> Vec<Swap> {
    let other = stage.project.join("other.md");
    std::fs::write(&other, OTHERS).unwrap();
    vec![
        Swap::Text(FORGED.into()),
        Swap::Renamed(PLAN.into()),
        Swap::Link(other.clone()),
        Swap::Renamed(FORGED.into()),
        Swap::Pipe,
        Swap::Text(PLAN.into()),
        Swap::Folder,
        Swap::Renamed(FORGED.repeat(2)),
        Swap::HardLink(other),
        Swap::Missing,
    ]
}

/// Says yes to whatever is shown, as often as it is shown, until the turn ends. Gives the text that was approved.
async fn insist(show: &mut Show, selected: &str, swapper: Swapper) -> Option<String> {
    let first = show.last_asked.clone().unwrap().request;
    let mut shown = HashMap::from([(first.agent_id, first.plan_content)]);
    let (mut swapper, mut answers, mut approved) = (Some(swapper), 1, None);
    show.answer(selected).await;
    loop {
        match show.next().await.unwrap() {
            Event::ApprovalAsked(asked) => {
                let request = asked.request;
                assert_eq!(Hash::of(request.plan_content.as_bytes()), request.plan_hash);
                assert!(!request.plan_content.contains(OTHERS));
                shown.insert(request.agent_id, request.plan_content);
            }
            Event::Decided(ApprovalOutcome::NotCounted { .. }) => {}
            Event::Decided(ApprovalOutcome::Approved { receipt, .. }) => {
                let text = shown[&receipt.request.0].clone();
                assert_eq!(receipt.hash, Hash::of(text.as_bytes()), "what was approved is what was shown");
                approved = Some(text);
                continue;
            }
            Event::TurnEnded { .. } => return approved,
            _ => continue,
        }
        answers += 1;
        if answers == ANSWERS {
            // A plain file stays behind, so that an answer can count.
            drop(swapper.take());
        }
        show.answer(selected).await;
    }
}

#[tokio::test(flavor = "current_thread")]
async fn m1_only_what_was_shown_is_approved_whoever_swaps_the_plan_meanwhile() {
    for (round, selected) in ["startEditing", "clearContextAndStart"].into_iter().cycle().take(6).enumerate() {
        let first = ModelScript::new().turn(call("ExitPlanMode", json!({ "plan": PLAN })));
        // Shown too often, a request is taken back; the model makes it again.
        let script = (0..8).fold(first, |script, _| script.turn(call("ExitPlanMode", json!({}))));
        let stage = Stage::new(script.turn(text("Done.")).allow_unused_turns());
        let mut show = stage.start("plan").await;
        show.prompt("fix it").await;
        show.until("approval of revision 1").await;
        let swapper = Swapper::start(&show.plan_file(), everything(&stage), FORGED);
        let approved = insist(&mut show, selected, swapper).await;
        show.close().await;
        let requests = stage.server.finish().unwrap();
        let text = approved.unwrap_or_else(|| panic!("round {round}: nothing was approved"));
        let quoted = serde_json::to_string(text.trim_end()).unwrap();
        // Where the file was gone, an empty plan was shown, and that is what was agreed to.
        let words = if text.is_empty() { "leave plan mode without a plan" } else { "## Approved plan" };
        let told = requests.iter().map(body).filter(|body| body.contains(words)).collect::<Vec<_>>();
        assert!(!told.is_empty(), "round {round}: {text}");
        assert!(told.iter().all(|told| told.contains(quoted.trim_matches('"'))), "round {round}: {text}\n{told:#?}");
    }
}

fn tell_what_was_approved(requests: &[RecordedRequest]) {
    assert!(!requests.is_empty());
    for request in requests {
        assert!(!body(request).contains(OTHERS), "{}", body(request));
        tells_what_was_approved(request);
    }
}

fn times(script: ModelScript, turns: &[&str]) -> ModelScript {
    (0..TIMES).flat_map(|_| turns).fold(script, |script, words| script.turn(text(*words)))
}

#[tokio::test(flavor = "current_thread")]
async fn m15_after_each_rewind_the_approved_bytes_are_told_whoever_swaps_the_file() {
    let stage = Stage::new(times(proposes(), &["Going on."]));
    let (mut show, plan) = approved(&stage).await;
    let swapper = Swapper::start(&plan, everything(&stage), FORGED);
    for _ in 0..TIMES {
        show.send(Command::Rewind).await;
        show.until("taken back").await;
        show.prompt("again").await;
        show.until("ended").await;
    }
    drop(swapper);
    show.close().await;
    tell_what_was_approved(&stage.server.finish().unwrap()[3..]);
}

#[tokio::test(flavor = "current_thread")]
async fn k5_after_each_summary_the_approved_bytes_are_told_whoever_swaps_the_file() {
    let stage = Stage::new(times(proposes(), &["<summary>Half of it is done.</summary>", "Going on."]));
    let (mut show, plan) = approved(&stage).await;
    let swapper = Swapper::start(&plan, everything(&stage), FORGED);
    for _ in 0..TIMES {
        show.send(Command::Compact { keep: String::new() }).await;
        show.until("summarising is over").await;
        show.prompt("again").await;
        show.until("ended").await;
    }
    drop(swapper);
    show.close().await;
    tell_what_was_approved(&stage.server.finish().unwrap()[3..]);
}

#[tokio::test(flavor = "current_thread")]
async fn k1_k3_each_restart_and_copy_tells_the_approved_bytes_whoever_swaps_the_file() {
    let stage = Stage::new(times(proposes(), &["Going on.", "And on."]));
    let (show, plan) = approved(&stage).await;
    let session = show.session.unwrap();
    show.close().await;
    let swapper = Swapper::start(&plan, everything(&stage), FORGED);
    for _ in 0..TIMES {
        for begin in [Begin::Resume { session, mode: None }, Begin::Fork { session, mode: None }] {
            let mut show = stage.go(stage.launch(begin, Reachable::Approver)).await;
            show.prompt("again").await;
            show.until("ended").await;
            show.close().await;
        }
    }
    drop(swapper);
    tell_what_was_approved(&stage.server.finish().unwrap()[3..]);
}

#[tokio::test(flavor = "current_thread")]
async fn m9_what_is_applied_has_the_hash_that_was_named_whoever_races() {
    let mut applied = 0;
    for round in 0..24 {
        let stage = Stage::new(ModelScript::new().turn(text("Done.")).allow_unused_turns());
        let (plan, hash) = (PLAN.to_owned(), Hash::of(PLAN.as_bytes()));
        let begin = Begin::Apply {
            plan,
            hash,
            level: fore_plan::Level::Default,
            stale: fore_agent::StalePlan::Refused,
            drift: fore_plan::gate::Drift::Asked,
            runs_checks: false,
        };
        let mut launch = stage.launch(begin, Reachable::Nobody);
        launch.settings.plans_directory = Some("docs/plans".into());
        let folder = stage.project.join("docs/plans");
        std::fs::create_dir_all(&folder).unwrap();
        let find = move || -> Vec<PathBuf> {
            let names = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
            names.filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
        };
        let swapper = Swapper::find(find, everything(&stage), FORGED);
        // A racer may be in the way of the file; it is never in the place of the bytes.
        let Ok(handle) = fore_agent::start(launch).await else { continue };
        let mut show = Show::of(handle);
        show.until("ended").await;
        show.close().await;
        drop(swapper);
        let requests = stage.server.finish().unwrap();
        let first = body(&requests[0]);
        assert!(first.contains("1. Fix it.") && !first.contains(EVIL), "round {round}: {first}");
        assert!(!first.contains(OTHERS), "round {round}: {first}");
        applied += 1;
    }
    assert!(applied > 0, "the racer was always in the way");
}
