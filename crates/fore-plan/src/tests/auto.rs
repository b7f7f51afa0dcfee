//! I2–I4: auto mode around planning, its circuit breaker and its fall back.

use super::support::*;
use crate::{
    Actor, Change, Level, Openings, SessionRole,
    approval::{Answered, ChosenLevel},
    auto::exit_notice,
    reminder::Notice,
};

fn planning_with(level: Level, wanted: bool) -> Story {
    let mut story = Story::at(level);
    story.apply(Change::AutoDuringPlan { wanted });
    story.enter();
    story
}

#[test]
fn i4_who_decides_while_planning_by_level_and_setting() {
    let page: Vec<String> = Level::ALL
        .iter()
        .flat_map(|level| [(level, true), (level, false)])
        .map(|(level, wanted)| {
            let story = planning_with(*level, wanted);
            let who = if story.state.auto_decides() { "classifier" } else { "person" };
            format!("{level} wanted={wanted}: {who}, back to {}", story.state.pre_plan_mode().unwrap())
        })
        .collect();
    assert_eq!(
        page.join("\n"),
        "default wanted=true: classifier, back to default\n\
         default wanted=false: person, back to default\n\
         acceptEdits wanted=true: classifier, back to acceptEdits\n\
         acceptEdits wanted=false: person, back to acceptEdits\n\
         auto wanted=true: classifier, back to auto\n\
         auto wanted=false: person, back to auto\n\
         bypassPermissions wanted=true: person, back to bypassPermissions\n\
         bypassPermissions wanted=false: person, back to bypassPermissions"
    );
}

#[test]
fn i4_auto_needs_opt_in_and_an_open_gate_also_while_planning() {
    for openings in [
        Openings { auto_opted_in: false, ..EVERYTHING },
        Openings { auto_gate_open: false, ..EVERYTHING },
        Openings { folder_trusted: false, ..EVERYTHING },
    ] {
        let mut story = Story::with(Level::Default, openings, SessionRole::Main);
        story.apply(Change::AutoDuringPlan { wanted: true });
        story.enter();
        assert!(!story.state.auto_decides(), "{openings:?}");
    }
}

#[test]
fn i4_a_setting_that_changes_during_planning_takes_effect_at_once_and_is_told() {
    let mut story = planning_with(Level::Default, true);
    story.prompt();
    let epoch = story.state.epoch();
    story.apply(Change::AutoDuringPlan { wanted: false });
    assert!(!story.state.auto_decides());
    assert!(story.state.epoch() > epoch);
    assert_eq!(story.prompt(), [Notice::AutoExit]);
    story.apply(Change::AutoDuringPlan { wanted: true });
    assert!(story.state.auto_decides());
    assert_eq!(story.prompt(), [], "auto is on again: nothing contradictory is told");
}

#[test]
fn i4_entering_from_auto_without_the_setting_tells_that_auto_stopped() {
    let mut story = planning_with(Level::Auto, false);
    assert_eq!(story.prompt(), [Notice::AutoExit, Notice::PlanFull]);
}

#[test]
fn i4_leaving_to_a_closed_auto_mode_falls_back_to_default_and_says_so() {
    let mut story = Story::planning(Level::Auto, "# Plan\n");
    let closed = Openings { auto_gate_open: false, ..EVERYTHING };
    story.apply(Change::Openings { openings: closed, by: Actor::Settings });
    assert_eq!(exit_notice(&story.state), Some("plan exit → default · auto mode unavailable"));
    let proposal = story.propose();
    let Answered::Approved { notice, receipt, .. } = story.answer(&proposal, approve(ChosenLevel::Previous)) else {
        panic!()
    };
    assert_eq!(notice, Some("plan exit → default · auto mode unavailable"));
    assert_eq!((story.mode(), receipt.level), ("default", Level::Default));
}

#[test]
fn i4_leaving_to_an_open_auto_mode_says_nothing() {
    let mut story = Story::planning(Level::Auto, "# Plan\n");
    let proposal = story.propose();
    let Answered::Approved { notice, .. } = story.answer(&proposal, approve(ChosenLevel::Previous)) else { panic!() };
    assert_eq!((notice, story.mode()), (None, "auto"));
}

#[test]
fn i2_three_denials_in_a_row_close_auto_mode() {
    let mut story = Story::at(Level::Auto);
    for allowed in [false, false, true, false, false] {
        story.apply(Change::AutoVerdict { allowed });
        assert_eq!(story.mode(), "auto");
    }
    story.apply(Change::AutoVerdict { allowed: false });
    assert_eq!(story.mode(), "default");
    assert_eq!(story.prompt(), [Notice::AutoExit]);
}

#[test]
fn i2_twenty_denials_in_all_close_auto_mode() {
    let mut story = Story::at(Level::Auto);
    let mut denials = 0;
    while story.mode() == "auto" {
        story.apply(Change::AutoVerdict { allowed: false });
        story.apply(Change::AutoVerdict { allowed: true });
        denials += 1;
    }
    assert_eq!(denials, 20);
}

#[test]
fn i2_opening_the_gate_again_starts_a_new_count() {
    let mut story = Story::at(Level::Auto);
    for _ in 0..3 {
        story.apply(Change::AutoVerdict { allowed: false });
    }
    assert_eq!(story.mode(), "default");
    story.apply(Change::Openings { openings: EVERYTHING, by: Actor::Person });
    story.apply(Change::AutoVerdict { allowed: false });
    assert_eq!(story.mode(), "auto");
}
