//! What a screen needs to be true: the plan with what changed, the lists of a session, and the mode that is enforced.

#![expect(clippy::disallowed_methods, reason = "lays out the files that the tests need")]

use crate::support::{Show, Stage};
use fore_agent::{Begin, Command};
use fore_plan::{Level, Mode, Openings, approval::Reachable};
use fore_store::{Home, Session};
use fore_testkit::{ModelScript, call, text};
use serde_json::json;

const PLAN: &str = "# Plan\n\n1. Fix it.\n\n## Verification\nRun the tests.\n";

#[tokio::test(flavor = "current_thread")]
async fn b7_the_plan_comes_with_what_changed_since_the_person_was_asked() {
    let script = ModelScript::new()
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(call("ExitPlanMode", json!({"plan": PLAN.replace("Fix it", "Mend it")})));
    let stage = Stage::new(script);
    let mut show = stage.start("plan").await;
    show.send(Command::ShowPlan).await;
    assert_eq!(show.until("plan, changed").await, "plan, changed: ", "nobody was asked yet");
    show.prompt("fix it").await;
    show.until("approval of revision 1").await;
    show.send(Command::ShowPlan).await;
    assert_eq!(show.until("plan, changed").await, "plan, changed: ", "it is what was just shown");
    show.answer("keepPlanning").await;
    show.until("approval of revision 2").await;
    show.send(Command::Interrupt).await;
    show.until("ended").await;
    let plan = show.plan_file();
    std::fs::write(&plan, PLAN.replace("Fix it", "Repair it")).unwrap();
    show.send(Command::ShowPlan).await;
    assert_eq!(
        show.until("plan, changed").await,
        "plan, changed: @@ -1,6 +1,6 @@\n # Plan\n \n-1. Mend it.\n+1. Repair it.\n \n ## Verification\n Run the tests.\n"
    );
    show.close().await;
}

#[tokio::test(flavor = "current_thread")]
async fn a_session_begins_with_its_agents_skills_and_plan() {
    let stage = Stage::new(ModelScript::new());
    let skill = stage.project.join(".forethought/skills/release");
    std::fs::create_dir_all(&skill).unwrap();
    std::fs::write(skill.join("SKILL.md"), "---\nname: release\ndescription: How to\n---\nDo it.\n").unwrap();
    let agents = stage.project.join(".forethought/agents");
    std::fs::create_dir_all(&agents).unwrap();
    std::fs::write(agents.join("tester.md"), "---\nname: tester\ndescription: Tests.\n---\nTest it.\n").unwrap();
    let mut show = stage.start("default").await;
    show.until("started").await;
    let started = show.started.clone().unwrap();
    let agents: Vec<(&str, bool)> = started.agents.iter().map(|agent| (agent.name.as_str(), agent.read_only)).collect();
    assert_eq!(agents, [("Explore", true), ("Plan", true), ("general", false), ("tester", false)]);
    let skills: Vec<(&str, &str)> =
        started.skills.iter().map(|skill| (skill.name.as_str(), skill.description.as_str())).collect();
    assert_eq!(skills, [("release", "How to")]);
    assert_eq!(started.plan, None, "nothing is planned yet");
    show.close().await;
}

/// The mode on the screen is the one on disk, which is the one that the gate goes by.
async fn check(stage: &Stage, show: &mut Show, after: &str) {
    // What was sent before is done when this is answered.
    show.send(Command::ShowPlan).await;
    show.until("plan, changed").await;
    let home = Home::open(&stage.home.join(".forethought")).unwrap();
    let enforced = Session::read(&home, show.session.unwrap()).unwrap().state.mode();
    assert_eq!(show.mode, Some(enforced), "after {after}");
}

fn moves() -> Vec<Command> {
    let modes = Mode::ALL.into_iter().map(|to| Command::Mode { to });
    let others = [
        Command::CycleMode,
        Command::CycleMode,
        Command::LeavePlanMode,
        Command::Trust { trusted: true },
        Command::Trust { trusted: false },
        Command::Clear,
        Command::Rewind,
    ];
    modes.chain(others).collect()
}

#[tokio::test(flavor = "current_thread")]
async fn a6_the_shown_mode_is_the_enforced_mode_whatever_the_person_does() {
    let stage = Stage::new(ModelScript::new());
    let everything =
        Openings { bypass_permitted: true, auto_opted_in: true, auto_gate_open: true, ..Openings::TRUSTED };
    let begin = Begin::Fresh { mode: Mode::At(Level::Default) };
    let launch = fore_agent::Launch { openings: everything, ..stage.launch(begin, Reachable::Approver) };
    let mut show = stage.go(launch).await;
    let moves = moves();
    let mut seed = 20_260_u32;
    for step in 0..150 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let command = moves[(seed >> 16) as usize % moves.len()].clone();
        show.send(command.clone()).await;
        check(&stage, &mut show, &format!("step {step}: {command:?}")).await;
    }
    show.close().await;
}

#[tokio::test(flavor = "current_thread")]
async fn a7_a_folder_that_is_no_longer_trusted_closes_its_levels_at_once() {
    let stage = Stage::new(ModelScript::new());
    let mut show = stage.start("acceptEdits").await;
    show.send(Command::Trust { trusted: false }).await;
    show.send(Command::CycleMode).await;
    show.send(Command::CycleMode).await;
    show.send(Command::Trust { trusted: true }).await;
    check(&stage, &mut show, "trust").await;
    let lines: Vec<String> = show.close().await.into_iter().filter(|line| !line.starts_with("plan, ")).collect();
    let expected = [
        "started in acceptEdits",
        "mode acceptEdits → default by program",
        "notice: This folder is not trusted in this session; the modes are plan, default.",
        "mode default → plan by person",
        "mode plan → default by person",
        "notice: This folder is trusted in this session; the modes are plan, default, acceptEdits, bypassPermissions.",
        "closed",
    ];
    assert_eq!(lines, expected);
}

#[tokio::test(flavor = "current_thread")]
async fn a6_a_key_in_the_middle_of_a_turn_is_shown_and_holds() {
    let script = ModelScript::new().turn(call("Bash", json!({"command": "touch made"}))).turn(text("Well."));
    let stage = Stage::new(script);
    let mut show = stage.start("default").await;
    show.prompt("go").await;
    show.until("asks: Bash").await;
    show.send(Command::Mode { to: Mode::Plan }).await;
    check(&stage, &mut show, "a key while a question is open").await;
    show.send(Command::LeavePlanMode).await;
    check(&stage, &mut show, "another key").await;
    show.send(Command::Interrupt).await;
    show.until("ended").await;
    check(&stage, &mut show, "the end of the turn").await;
    show.close().await;
}

#[tokio::test(flavor = "current_thread")]
async fn k1_a_resumed_session_shows_the_mode_that_is_left_of_the_one_before() {
    let stage = Stage::new(ModelScript::new());
    let mut show = stage.start("bypassPermissions").await;
    check(&stage, &mut show, "the start").await;
    let session = show.session.unwrap();
    show.close().await;
    let page = [
        (None, Openings::TRUSTED, "started in default"),
        (Some(Mode::At(Level::AcceptEdits)), Openings::TRUSTED, "started in acceptEdits"),
        (None, Openings::CLOSED, "started in default"),
        (Some(Mode::Plan), Openings::TRUSTED, "started in plan"),
    ];
    for (mode, openings, expected) in page {
        let launch = stage.launch(Begin::Resume { session, mode }, Reachable::Approver);
        let mut show = stage.go(fore_agent::Launch { openings, ..launch }).await;
        assert_eq!(show.until("started").await, expected);
        check(&stage, &mut show, expected).await;
        show.close().await;
    }
}

/// A turn that leaves a step open, at a level that came with its plan.
fn unfinished() -> ModelScript {
    let todos = json!({"todos": [{"content": "Fix it", "status": "pending", "activeForm": "Fixing"}]});
    ModelScript::new()
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(call("TodoWrite", todos))
        .turn(text("Half done."))
}

#[tokio::test(flavor = "current_thread")]
async fn m8_a_level_that_still_holds_says_why_and_ends_with_the_next_plan() {
    let stage = Stage::new(unfinished().turn(text("What next?")));
    let mut show = stage.start("plan").await;
    show.prompt("fix it").await;
    show.until("approval").await;
    show.answer("acceptEdits").await;
    assert_eq!(
        show.until("notice").await,
        "notice: acceptEdits still holds, because it was approved for this plan and 1 step of its todo list is open; \
         choose a mode by hand to end it."
    );
    show.until("ended").await;
    check(&stage, &mut show, "the turn").await;
    assert_eq!(show.mode, Some(Mode::At(Level::AcceptEdits)));
    show.send(Command::Mode { to: Mode::Plan }).await;
    show.prompt("another task").await;
    show.until("ended").await;
    show.send(Command::LeavePlanMode).await;
    check(&stage, &mut show, "leaving the next plan").await;
    assert_eq!(show.mode, Some(Mode::At(Level::Default)), "the new plan ended what came with the old one");
    show.close().await;
}

#[tokio::test(flavor = "current_thread")]
async fn m8_a_level_that_still_holds_ends_with_a_cleared_context() {
    let stage = Stage::new(unfinished());
    let mut show = stage.start("plan").await;
    show.prompt("fix it").await;
    show.until("approval").await;
    show.answer("acceptEdits").await;
    show.until("ended").await;
    show.send(Command::Clear).await;
    assert_eq!(show.until("mode").await, "mode acceptEdits → default by program");
    check(&stage, &mut show, "clear").await;
    show.close().await;
}

#[tokio::test(flavor = "current_thread")]
async fn a_resumed_session_knows_about_how_full_its_context_is() {
    let script = ModelScript::new().turn(text("Hello.")).turn(call("ExitPlanMode", json!({"plan": PLAN})));
    let stage = Stage::new(script);
    let mut show = stage.start("plan").await;
    show.until("started").await;
    assert_eq!(show.started.as_ref().unwrap().context.tokens, 0, "nothing was said");
    show.prompt("hi").await;
    show.until("ended").await;
    let session = show.session.unwrap();
    show.prompt("fix it").await;
    show.until("approval of revision 1").await;
    show.close().await;
    let mut show = stage.go(stage.launch(Begin::Resume { session, mode: None }, Reachable::Approver)).await;
    show.until("approval of revision 1").await;
    let context = show.last_asked.as_ref().unwrap().context;
    assert!(context.estimated && context.tokens > 100, "{context:?}");
    assert_eq!(show.started.as_ref().unwrap().context, context);
    show.close().await;
}
