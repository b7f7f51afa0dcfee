//! C1, C2 and the first page of the test list: what the words behind `/plan` mean.

use crate::{
    Level, Mode,
    slash::{PlanIntent, meant, nothing_written, opened},
};

const PLAN_PATH: &str = "/home/ada/.forethought/plans/login.md";

#[test]
fn c1_plan_with_a_description_enters_and_sends_it_at_once() {
    let intent = meant(Mode::At(Level::AcceptEdits), " rework the login ");
    assert_eq!(intent, PlanIntent::Enter { prompt: Some("rework the login".into()) });
}

#[test]
fn c1_plan_open_outside_plan_mode_only_enters() {
    assert_eq!(meant(Mode::At(Level::Default), "open"), PlanIntent::Enter { prompt: None });
}

#[test]
fn c2_plan_open_opens_the_file_and_says_whether_that_worked() {
    assert_eq!(meant(Mode::Plan, "open"), PlanIntent::Open);
    assert_eq!(opened(PLAN_PATH, Ok(())), format!("Opened plan in editor: {PLAN_PATH}"));
    assert_eq!(opened(PLAN_PATH, Err("no editor is set")), "Failed to open plan in editor: no editor is set");
    assert_eq!(nothing_written(Mode::Plan), "Already in plan mode. No plan written yet.");
}

#[test]
fn c1_c2_what_the_words_mean_depends_on_the_mode() {
    let prompt = |words: &str| PlanIntent::Prompt(words.into());
    let enter = |words: Option<&str>| PlanIntent::Enter { prompt: words.map(str::to_owned) };
    let export = |to: Option<&str>| PlanIntent::Export { to: to.map(str::to_owned) };
    // words, in another mode, in plan mode
    let page = [
        ("", enter(None), PlanIntent::Show),
        ("open", enter(None), PlanIntent::Open),
        ("off", PlanIntent::NotOn, PlanIntent::Leave),
        ("diff", PlanIntent::Diff, PlanIntent::Diff),
        ("export", export(None), export(None)),
        ("export notes/plan.md", export(Some("notes/plan.md")), export(Some("notes/plan.md"))),
        ("rework the login", enter(Some("rework the login")), prompt("rework the login")),
        ("open the door", enter(Some("open the door")), PlanIntent::Open),
        ("off by one in the pager", enter(Some("off by one in the pager")), prompt("off by one in the pager")),
    ];
    for (words, elsewhere, planning) in page {
        assert_eq!(meant(Mode::At(Level::AcceptEdits), words), elsewhere, "{words}");
        assert_eq!(meant(Mode::Plan, words), planning, "{words}");
    }
}
