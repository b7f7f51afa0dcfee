//! The scout in any mode: a request is planned at once, a question is answered, and what is secret stays so.

use super::{checked, files, shop};
use crate::stage::{Commands, Stage, on_runtime};
use fore_plan::{Level, Mode, ModeReason};
use fore_testkit::Workspace;

#[test]
fn a_request_in_any_mode_is_planned_at_once() {
    for mode in [Mode::Plan, Mode::At(Level::Default), Mode::At(Level::AcceptEdits)] {
        let shop = shop();
        let played = on_runtime(async {
            let mut stage = Stage::open(shop.path(), mode, Commands::Run, &[]).await;
            stage.prompt("add discounts to the cart", &[("startEditing", "")]).await
        });
        let plan = played.plans.first().unwrap();
        checked(plan, shop.path());
        assert_eq!(files(plan).first(), Some(&"src/cart.rs"), "{plan}");
        let began = played.switches.contains(&ModeReason::NoModel);
        assert_eq!(began, mode != Mode::Plan, "{:?}", played.switches);
        // Where no cage can be built, commands are refused, and the plan comes without them.
        assert!(played.refused.iter().all(|line| line.starts_with("Bash: ")), "{:?}", played.refused);
        assert!(played.said.contains("no language model is set up"), "{}", played.said);
        assert!(played.said.contains("fore --continue --model NAME"), "{}", played.said);
    }
}

#[test]
fn a_question_is_answered_and_makes_no_plan() {
    let shop = shop();
    let played = on_runtime(async {
        let mut stage = Stage::open(shop.path(), Mode::At(Level::Default), Commands::Run, &[]).await;
        stage.prompt("where is `Cart` defined?", &[]).await
    });
    assert_eq!((played.plans.len(), played.calls.len(), played.switches.len()), (0, 0, 0));
    insta::assert_snapshot!(played.said);
}

#[test]
fn what_is_said_about_a_plan_is_looked_for_and_quoted() {
    let shop = shop();
    let played = on_runtime(async {
        let mut stage = Stage::open(shop.path(), Mode::Plan, Commands::Denied, &[]).await;
        let again = ("keepPlanning", "not the cart, the Order");
        stage.prompt("add discounts to the cart", &[again, ("keepPlanning", "")]).await
    });
    let [_, plan] = played.plans.as_slice() else { panic!("{:?}", played.plans) };
    checked(plan, shop.path());
    assert!(plan.contains("Said about it since:\n\n```text\nnot the cart, the Order\n```"), "{plan}");
    assert!(files(plan).contains(&"src/order.rs"), "{plan}");
    assert!(played.said.starts_with("The plan is saved, not approved."), "{}", played.said);
}

#[test]
fn nothing_secret_and_nothing_denied_is_read() {
    let made = || -> Result<Workspace, fore_testkit::WorkspaceError> {
        Workspace::new()?
            .file("src/token.py", "def refresh_token():\n    pass\n")?
            .file(".env", "REFRESH_TOKEN=secret_refresh_token\n")?
            .file("private/refresh_token.py", "def refresh_token_private():\n    pass\n")
    };
    let project = made().unwrap();
    let played = on_runtime(async {
        let mut stage = Stage::open(project.path(), Mode::Plan, Commands::Denied, &["Read(private/**)"]).await;
        stage.prompt("make refresh_token faster", &[]).await
    });
    let plan = played.plans.first().unwrap();
    assert_eq!(files(plan), ["src/token.py"], "{plan}");
    assert!(!plan.contains(".env") && !plan.contains("private"), "{plan}");
}
