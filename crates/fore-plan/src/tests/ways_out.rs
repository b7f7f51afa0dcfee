//! Ways out of planning that are none: histories, answers and permits that claim more than a person gave.

use super::support::*;
use crate::{
    Applied, Change, Decision, Level, Mode, ModeReason, Openings, RefusalCode, SessionRole, ToolName,
    approval::{Answered, ChosenLevel, GrantScope, Receipt, Timestamp},
    change::Actor,
    gate::{Action, FileTarget, Ground, Permit, Rules, Verdict, judge, table::TableSettings},
    plan::{Author, Hash, PlanId, PlanStage},
};
use fore_shell::GitFacts;
use std::path::Path;

/// The change does not fit and changes nothing.
fn is_ignored(story: &mut Story, change: &Change) {
    let before = story.state.clone();
    assert!(matches!(story.state.apply(change), Applied::Ignored(_)), "{change:?}");
    assert_eq!(story.state, before);
}

fn permit_to_write_the_plan(story: &Story) -> Permit {
    let target = FileTarget { asked: PLAN_PATH.into(), real: PLAN_PATH.into(), is_link: false, names: 1 };
    let (rules, settings) = (Rules::default(), TableSettings::default());
    let ground =
        Ground::new(&rules, &settings, Path::new("/projects/shop"), &GitFacts::Quiet, &fore_commands::CATALOGUE);
    match judge(&story.state, &ground, Action::Edit { tool: ToolName::Write, target }).verdict {
        Verdict::Allow(permit) => permit,
        other => panic!("not allowed: {other:?}"),
    }
}

fn is_void(permit: Permit, story: &Story) {
    assert_eq!(permit.present(&story.state).unwrap_err().code, RefusalCode::PermitStale);
}

#[test]
fn a_second_beginning_neither_ends_planning_nor_frees_a_teammate() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let started = |planning, role| Change::Started { level: Level::Default, planning, openings: EVERYTHING, role };
    is_ignored(&mut story, &started(false, SessionRole::Main));
    assert_eq!(story.state.apply(&started(true, SessionRole::Main)), Applied::Yes, "a copy plans on");
    let role = SessionRole::Required { name: "ada".into(), team: "blue".into(), lead: "lin".into() };
    let mut story = Story::with(Level::Default, EVERYTHING, role);
    story.enter();
    is_ignored(&mut story, &started(true, SessionRole::Main));
}

#[test]
fn a3_the_history_gives_the_model_no_level_either() {
    let change = |to, level, keeps_grant, by| Change::Mode {
        from: Mode::At(Level::Default),
        to: Mode::At(to),
        level,
        keeps_grant,
        by,
        why: ModeReason::Other("forged".into()),
    };
    let mut story = Story::at(Level::Default);
    is_ignored(&mut story, &change(Level::BypassPermissions, Level::BypassPermissions, false, Actor::Model));
    is_ignored(&mut story, &change(Level::AcceptEdits, Level::AcceptEdits, false, Actor::Breaker));
    is_ignored(&mut story, &change(Level::Default, Level::BypassPermissions, false, Actor::Person));
    is_ignored(&mut story, &change(Level::Default, Level::BypassPermissions, true, Actor::Person));
}

#[test]
fn a7_neither_the_model_nor_a_reload_opens_what_was_closed() {
    let mut story = Story::with(Level::Default, Openings::CLOSED, SessionRole::Main);
    is_ignored(&mut story, &Change::Openings { openings: EVERYTHING, by: Actor::Model });
    let mut story = Story::at(Level::Auto);
    for _ in 0..3 {
        story.apply(Change::AutoVerdict { allowed: false });
    }
    story.apply(Change::Openings { openings: EVERYTHING, by: Actor::Settings });
    assert_eq!(story.mode(), "default", "the breaker holds until a person opens auto mode again");
    story.apply(Change::Openings { openings: EVERYTHING, by: Actor::Person });
    assert_eq!(story.mode(), "auto");
}

#[test]
fn m1_a_yes_to_a_text_that_is_no_longer_the_newest_does_not_count() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    let receipt = |revision, hash, edited| Receipt {
        contract: None,
        runs_covered: false,
        request: proposal.request.clone(),
        plan: proposal.plan.clone(),
        revision,
        hash,
        level: Level::Default,
        scope: GrantScope::Unchanged,
        edited,
        clear_context: false,
        steps: Vec::new(),
        by: person(),
        at: Timestamp(0),
    };
    let decided = |receipt| Change::Decided {
        decision: Decision::Approved { contract: None, receipt, comments: Vec::new() },
        from: Mode::Plan,
        to: Mode::At(Level::Default),
    };
    let plan = story.state.plan().unwrap().clone();
    let revision = plan.next_revision(Hash::of(b"# Other\n"), Author::Model).unwrap();
    let (number, hash) = (revision.number, revision.hash);
    story.apply(Change::PlanWritten { plan: plan.id, revision, text: "# Other\n".into() });
    is_ignored(&mut story, &decided(receipt(proposal.revision, proposal.hash, false)));
    is_ignored(&mut story, &decided(receipt(number, hash, true)));
    // The file is as it was shown, but something else was recorded in between: the person sees it once more.
    let answered = story.answer(&proposal, approve(ChosenLevel::Previous));
    let Answered::ShowAgain { proposal, .. } = answered else { panic!("not shown again: {answered:?}") };
    assert!(matches!(story.answer(&proposal, approve(ChosenLevel::Previous)), Answered::Approved { .. }));
}

#[test]
fn a_request_ends_when_its_plan_goes_on_to_another_stage() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    story.apply(Change::Stage { plan: proposal.plan.clone(), stage: PlanStage::Draft });
    assert_eq!(story.state.pending(), None);
    assert!(matches!(story.answer(&proposal, approve(ChosenLevel::Previous)), Answered::NotCounted { .. }));
}

#[test]
fn permits_are_void_when_rules_or_settings_were_read_again() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let permit = permit_to_write_the_plan(&story);
    story.apply(Change::SettingsRead);
    is_void(permit, &story);
}

#[test]
fn a_permit_for_the_plan_file_is_void_once_the_plan_was_thrown_away_or_approved() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let permit = permit_to_write_the_plan(&story);
    let plan = story.state.plan().unwrap().id.clone();
    story.apply(Change::Stage { plan, stage: PlanStage::Abandoned });
    is_void(permit, &story);

    let mut story = Story::planning(Level::Default, "# Plan\n");
    let permit = permit_to_write_the_plan(&story);
    let proposal = story.propose();
    story.answer(&proposal, approve(ChosenLevel::Previous));
    is_void(permit, &story);
}

#[test]
fn a_permit_is_void_when_trust_is_withdrawn_or_another_plan_is_named() {
    let mut story = Story::at(Level::AcceptEdits);
    let before = story.state.epoch();
    story.apply(Change::Openings { openings: Openings::CLOSED, by: Actor::Person });
    assert!(story.state.epoch() > before);
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let permit = permit_to_write_the_plan(&story);
    story.name_plan();
    is_void(permit, &story);
}

#[test]
fn incident_f5_a_plan_is_never_named_after_the_file_of_the_one_before_or_by_a_detour() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    story.answer(&proposal, approve(ChosenLevel::Previous));
    story.enter();
    for path in [PLAN_PATH, "plan.md", "/plans/../projects/shop/src/a.rs", ""] {
        let plan = PlanId { session: "s1".into(), ordinal: 2 };
        is_ignored(&mut story, &Change::PlanNamed { plan, path: path.into() });
    }
}

#[test]
fn a_yes_for_a_text_without_bound_is_not_kept() {
    let mut story = Story::at(Level::Default);
    is_ignored(&mut story, &Change::Allowed { what: "x".repeat(1 << 20) });
    let command = format!("npm install {}", "x ".repeat(1 << 16));
    let (rules, settings) = (Rules::default(), TableSettings::default());
    let ground =
        Ground::new(&rules, &settings, Path::new("/projects/shop"), &GitFacts::Quiet, &fore_commands::CATALOGUE);
    let action = Action::Run { command, cwd: "/projects/shop".into(), rehearse: false };
    let Verdict::Ask(question) = judge(&story.state, &ground, action).verdict else { panic!("it must be asked") };
    assert!(!may_last(&question));
}

#[test]
fn e3_an_edit_of_another_plan_is_not_told_as_one_of_this() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    story.prompt();
    is_ignored(&mut story, &Change::PlanEditedOutside { plan: PlanId { session: "other".into(), ordinal: 9 } });
    let plan = story.state.plan().unwrap().id.clone();
    story.apply(Change::PlanEditedOutside { plan });
    story.name_plan();
    let told = [crate::reminder::Notice::PlanFull];
    assert_eq!(story.prompt(), told, "the plan that was changed is no longer the current one; the new file is told");
}

#[test]
fn e3_a_plan_that_was_brought_back_whole_is_told_as_changed_only_if_nobody_knows_by_whom() {
    use crate::reminder::Notice::{PlanChanged, PlanFull, PlanReference};
    let page =
        [(Author::Person, vec![PlanReference, PlanFull]), (Author::Other, vec![PlanReference, PlanChanged, PlanFull])];
    for (author, expected) in page {
        let mut story = Story::planning(Level::Default, "# Plan\n");
        story.prompt();
        let plan = story.state.plan().unwrap().clone();
        let revision = plan.next_revision(Hash::of(b"# Plan\n"), author).unwrap();
        story.apply(Change::PlanWritten { plan: plan.id.clone(), revision, text: "# Plan\n".into() });
        story.apply(Change::PlanEditedOutside { plan: plan.id });
        story.apply(Change::ContextCut);
        assert_eq!(story.prompt(), expected, "{author:?}");
        assert_eq!(story.prompt(), []);
    }
}

#[test]
fn e5_a_plan_written_after_the_re_entry_is_not_told_as_one_from_before() {
    let mut story = Story::planning(Level::Default, "");
    story.disk = None;
    story.prompt();
    story.leave();
    story.prompt();
    story.enter();
    story.prompt();
    story.disk = Some("# Plan\n".into());
    let told: Vec<_> = (0..5).flat_map(|_| story.prompt()).collect();
    assert_eq!(told, [crate::reminder::Notice::PlanSparse]);
}
