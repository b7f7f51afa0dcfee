//! The ten common mistakes of plan modes, each shown not to be made here.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken story fails the test")]

mod support;

use fore_plan::{
    Level, RefusalCode, SessionRole,
    approval::{Caller, ChosenLevel, Exiting, Reachable},
    gate::{Action, FileTarget, Ground, Rules, Verdict, judge, table::TableSettings},
    plan::{AgentFileId, PlanFileName, Slug},
    reminder::{Audience, Notice, PlanFile, PlanStanding, Reminder},
    slash::{PlanCommand, plan_command},
    workflow::{Workflow, entered},
};
use fore_shell::GitFacts;
use serde_json::json;
use std::path::Path;
use support::*;

#[test]
fn n20_1_the_mode_from_before_is_there_again_afterwards() {
    let mut story = Story::planning(Level::AcceptEdits, "# Plan\n");
    let proposal = story.propose();
    story.answer(&proposal, approve(ChosenLevel::Previous));
    assert_eq!((story.mode(), story.state.pre_plan_mode()), ("acceptEdits", None));
}

#[test]
fn n20_2_plan_with_a_description_sends_it() {
    let story = Story::at(Level::Default);
    let command = plan_command(&story.state, "rework the login", story.on_disk(), None);
    assert!(matches!(command, PlanCommand::Entered { prompt: Some(prompt), .. } if prompt == "rework the login"));
}

#[test]
fn n20_3_no_other_file_may_be_written() {
    let story = Story::planning(Level::BypassPermissions, "# Plan\n");
    let (rules, settings) = (Rules::default(), TableSettings::default());
    let ground = Ground::new(&rules, &settings, Path::new("/projects/shop"), &GitFacts::Quiet);
    let may_write = |path: &str| {
        let target = FileTarget { asked: path.into(), real: path.into(), is_link: false, names: 1 };
        matches!(judge(&story.state, &ground, Action::Edit { tool: "Write".into(), target }).verdict, Verdict::Allow(_))
    };
    assert!(may_write(PLAN_PATH));
    for other in
        ["/projects/shop/src/a.rs", "/projects/shop/plan.md", "/home/ada/.forethought/plans/other.md", "/etc/hosts"]
    {
        assert!(!may_write(other), "{other}");
    }
}

#[test]
fn n20_4_entering_by_tool_answers_shortly_and_the_workflow_comes_by_reminder() {
    assert!(entered().len() < 300);
    assert!(!entered().contains("Phase 1"));
    let mut story = Story::at(Level::Default);
    story.apply(fore_plan::approval::enter::confirmed(&story.state).unwrap().unwrap());
    assert_eq!(story.prompt(), [Notice::PlanFull], "the same text as for every other way in");
}

#[test]
fn n20_5_leaving_asks_a_person() {
    let mut story = Story::planning(Level::BypassPermissions, "# Plan\n");
    let exiting = story.exit_with(json!({}), Caller::Main, Reachable::Approver);
    assert!(matches!(exiting, Exiting::AskPerson(_)));
}

#[test]
fn n20_6_the_model_is_told_that_it_may_change_things_now() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    story.prompt();
    let proposal = story.propose();
    story.answer(&proposal, approve(ChosenLevel::Previous));
    assert_eq!(story.prompt(), [Notice::Exit]);
    let text =
        Reminder::PlanExit { plan: PlanFile { path: PLAN_PATH, exists: true }, standing: PlanStanding::Open }.render();
    assert!(text.contains(PLAN_PATH), "{text}");
}

#[test]
fn n20_7_a_plan_keeps_its_name() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let before = story.state.plan().unwrap().path.clone();
    let proposal = story.propose();
    story.answer(&proposal, keep_planning("more"));
    story.leave();
    story.enter();
    assert_eq!(story.state.plan().unwrap().path, before);
}

#[test]
fn n20_8_a_subagents_plan_has_a_file_of_its_own() {
    let slug: Slug = "brave-quiet-fox".parse().unwrap();
    let agent: AgentFileId = "a1".parse().unwrap();
    assert_eq!(PlanFileName::Agent(slug.clone(), agent).to_string(), "brave-quiet-fox-agent-a1.md");
    assert_eq!(PlanFileName::Main(slug).to_string(), "brave-quiet-fox.md");
}

#[test]
fn n20_9_the_workflow_forbids_to_ask_for_approval_in_text() {
    let plan = PlanFile { path: PLAN_PATH, exists: false };
    let text = Reminder::PlanFull { reader: Audience::Main, plan, workflow: Workflow::default() }.render();
    insta::assert_snapshot!(text);
}

#[test]
fn n20_10_a_required_teammate_without_a_plan_cannot_leave() {
    let role = SessionRole::Required { name: "ada".into(), team: "blue".into(), lead: "lin".into() };
    let mut story = Story::with(Level::Default, EVERYTHING, role);
    story.enter();
    story.name_plan();
    let exiting = story.exit_with(json!({}), Caller::Main, Reachable::Approver);
    assert!(matches!(exiting, Exiting::Refused(refusal) if refusal.code == RefusalCode::ExitNoPlan));
}
