//! E: when the model is told what.

use super::support::*;
use crate::{
    Applied, Change, Level,
    approval::{Choice, ChosenLevel},
    reminder::{Notice, ToldMode},
};

fn page(notices: &[Notice]) -> String {
    let names: Vec<String> = notices.iter().map(|notice| format!("{notice:?}")).collect();
    if names.is_empty() { "-".into() } else { names.join("+") }
}

fn prompts(story: &mut Story, count: usize) -> String {
    (0..count).map(|_| page(&story.prompt())).collect::<Vec<_>>().join(" ")
}

#[test]
fn e4_a_plan_reminder_comes_with_the_first_prompt_and_every_fifth_after_it() {
    let mut story = Story::planning(Level::Default, "");
    story.disk = None;
    assert_eq!(prompts(&mut story, 12), "PlanFull - - - - PlanSparse - - - - PlanSparse -");
}

#[test]
fn e4_the_first_sixth_and_eleventh_reminder_are_full() {
    let mut story = Story::planning(Level::Default, "");
    story.disk = None;
    let given: Vec<String> = (0..60).map(|_| page(&story.prompt())).filter(|notices| notices != "-").collect();
    let full: Vec<usize> = given.iter().enumerate().filter(|(_, n)| *n == "PlanFull").map(|(at, _)| at + 1).collect();
    assert_eq!((given.len(), full), (12, vec![1, 6, 11]));
}

#[test]
fn e4_the_count_restarts_at_each_exit() {
    let mut story = Story::planning(Level::Default, "");
    story.disk = None;
    assert_eq!(prompts(&mut story, 6), "PlanFull - - - - PlanSparse");
    story.leave();
    assert_eq!(prompts(&mut story, 1), "Exit");
    story.enter();
    assert_eq!(prompts(&mut story, 1), "PlanFull");
}

#[test]
fn e4_the_distance_between_two_reminders_can_be_chosen() {
    let mut story = Story::planning(Level::Default, "");
    assert_eq!(prompts(&mut story, 3), "PlanFull - -");
    // Two prompts ago: with a distance of two it is time, with three it is not. None at all counts as one.
    let due = |story: &Story, between| story.state.notices_due_every(false, between);
    assert_eq!((due(&story, 3), due(&story, 2)), (Vec::new(), vec![Notice::PlanSparse]));
    assert_eq!(due(&story, 0), due(&story, 1));
}

#[test]
fn e2_tool_loops_and_meta_messages_are_no_prompts() {
    let mut story = Story::planning(Level::Default, "");
    assert_eq!(prompts(&mut story, 1), "PlanFull");
    for _ in 0..20 {
        assert_eq!(story.state.notices_due(true), [], "only Change::HumanTurn counts");
    }
}

#[test]
fn e5_re_entry_with_a_plan_on_disk_is_told_once() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    assert_eq!(prompts(&mut story, 1), "PlanFull");
    story.leave();
    assert_eq!(prompts(&mut story, 1), "Exit");
    story.enter();
    assert_eq!(prompts(&mut story, 6), "ReEntry+PlanFull - - - - PlanSparse");
}

#[test]
fn e5_re_entry_without_a_plan_says_nothing_of_one() {
    let mut story = Story::planning(Level::Default, "");
    story.disk = None;
    story.prompt();
    story.leave();
    story.prompt();
    story.enter();
    assert_eq!(prompts(&mut story, 1), "PlanFull");
}

#[test]
fn e6_the_exit_is_told_once_on_the_next_prompt() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    story.prompt();
    let proposal = story.propose();
    story.answer(&proposal, approve(ChosenLevel::Previous));
    assert_eq!(prompts(&mut story, 3), "Exit - -");
}

#[test]
fn e6_planning_again_before_the_next_prompt_is_told_and_leaving_is_not() {
    for leaves in [approve(ChosenLevel::Previous), Choice::LeavePlanMode] {
        let mut story = Story::planning(Level::Default, "# Plan\n");
        story.prompt();
        let proposal = story.propose();
        story.answer(&proposal, leaves);
        story.enter();
        assert_eq!(prompts(&mut story, 2), "ReEntry+PlanFull -", "the answer said that planning was over");
    }
}

#[test]
fn e6_a_prompt_that_is_taken_back_takes_what_it_said_of_leaving_along() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    story.prompt();
    let proposal = story.propose();
    story.answer(&proposal, approve(ChosenLevel::Previous));
    assert_eq!(prompts(&mut story, 1), "Exit");
    story.apply(Change::ContextRewound { told: ToldMode::Working, unheard: vec![Notice::Exit] });
    assert_eq!(prompts(&mut story, 2), "Exit -");
}

#[test]
fn e3_an_approved_plan_that_ends_with_a_cleared_context_comes_back_once() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    story.prompt();
    let proposal = story.propose();
    story.answer(&proposal, approve(ChosenLevel::Previous));
    assert_eq!(prompts(&mut story, 1), "Exit");
    let plan = story.state.plan().unwrap().id.clone();
    story.apply(Change::Stage { plan, stage: crate::plan::PlanStage::Abandoned });
    story.apply(Change::ContextCut);
    assert_eq!(prompts(&mut story, 2), "PlanReference -");
    story.apply(Change::ContextCut);
    assert_eq!(prompts(&mut story, 1), "-", "it is over, and was said");
}

#[test]
fn e4_a_new_plan_after_a_discarded_one_is_told_with_its_file() {
    let mut story = Story::planning(Level::Default, "# A");
    assert_eq!(prompts(&mut story, 2), "PlanFull -");
    let proposal = story.propose();
    story.answer(&proposal, Choice::Discard);
    story.name_plan();
    assert_eq!(prompts(&mut story, 2), "PlanFull -");
}

#[test]
fn a4_plan_default_plan_between_two_prompts_tells_nothing() {
    let mut story = Story::planning(Level::Default, "");
    story.disk = None;
    assert_eq!(prompts(&mut story, 1), "PlanFull");
    story.leave();
    story.enter();
    assert_eq!(prompts(&mut story, 1), "-");
}

#[test]
fn a4_default_plan_default_between_two_prompts_tells_nothing() {
    let mut story = Story::at(Level::Default);
    assert_eq!(prompts(&mut story, 1), "-");
    story.enter();
    story.leave();
    assert_eq!(prompts(&mut story, 2), "- -");
}

#[test]
fn k5_after_a_cut_the_plan_comes_back_and_planning_is_told_in_full() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    story.prompt();
    let proposal = story.propose();
    story.answer(&proposal, keep_planning("more"));
    story.apply(Change::ContextCut);
    assert_eq!(prompts(&mut story, 2), "PlanReference+PlanFull -");
}

#[test]
fn k5_a_plan_that_is_over_does_not_come_back_after_a_cut() {
    for end in [crate::plan::PlanStage::Done, crate::plan::PlanStage::Abandoned] {
        let mut story = Story::planning(Level::Default, "# Plan\n");
        story.prompt();
        let proposal = story.propose();
        story.answer(&proposal, approve(ChosenLevel::Previous));
        let plan = story.state.plan().unwrap().id.clone();
        story.apply(Change::Stage { plan, stage: end });
        assert_eq!(prompts(&mut story, 1), "Exit");
        story.apply(Change::ContextCut);
        assert_eq!(prompts(&mut story, 1), "-", "{end:?}");
    }
}

#[test]
fn e3_a_plan_that_the_person_changed_on_disk_is_told_once() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    story.prompt();
    let plan = story.state.plan().unwrap().id.clone();
    story.apply(Change::PlanEditedOutside { plan });
    assert_eq!(prompts(&mut story, 2), "PlanChanged -");
}

#[test]
fn e10_when_a_reminder_cannot_be_made_only_reads_are_left() {
    let mut story = Story::planning(Level::BypassPermissions, "# Plan\n");
    let before = story.state.epoch();
    story.apply(Change::ReminderFailed { why: "the plan folder cannot be read".into() });
    assert_eq!(story.state.fallback(), Some("the plan folder cannot be read"));
    assert!(story.state.epoch() > before, "permits from before are void");
    story.apply(Change::ReminderMended);
    assert_eq!(story.state.fallback(), None);
}

#[test]
fn m11_after_each_prompt_the_model_was_told_what_the_gate_enforces() {
    let mut story = Story::at(Level::Default);
    for step in 0..40 {
        if step % 3 == 1 {
            story.enter();
        }
        if step % 7 == 5 {
            story.leave();
        }
        story.prompt();
        let told = story.state.counters().told();
        assert_eq!(is_planning(&story), told == ToldMode::Planning, "step {step}: {told:?}");
    }
}

#[test]
fn reminder_counters_survive_a_restart() {
    let mut story = Story::planning(Level::Default, "");
    story.disk = None;
    prompts(&mut story, 3);
    story.state = crate::State::fold_all(&story.changes);
    assert_eq!(prompts(&mut story, 4), "- - PlanSparse -");
    assert_eq!(story.state.apply(&Change::HumanTurn), Applied::Yes);
}
