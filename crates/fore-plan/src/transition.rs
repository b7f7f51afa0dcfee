//! The one function behind every way in and out of a mode: key, command, tool, host, settings, breaker.
//!
//! It returns the change or a refusal and touches nothing, so after a refusal the mode is what it was.

use crate::{
    change::{Actor, Change, SessionRole},
    mode::{Level, Mode},
    mode_event::ModeReason,
    refusal::{Refusal, RefusalCode},
    state::State,
};

/// Where to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeTarget {
    /// Planning, over the level that is there.
    Plan,
    /// Out of planning, to the level beneath it.
    Beneath,
    /// Out of planning if need be, at this level.
    Level(Level),
}

impl From<Mode> for ModeTarget {
    fn from(mode: Mode) -> ModeTarget {
        match mode {
            Mode::Plan => ModeTarget::Plan,
            Mode::At(level) => ModeTarget::Level(level),
        }
    }
}

/// Decides a switch. `Ok(None)`: it is so already, nothing changes.
pub fn transition(state: &State, target: ModeTarget, by: Actor, why: ModeReason) -> Result<Option<Change>, Refusal> {
    let planning = state.mode() == Mode::Plan;
    match target {
        ModeTarget::Plan if planning => Ok(None),
        ModeTarget::Plan => Ok(Some(change(state, Mode::Plan, state.level(), true, by, why))),
        ModeTarget::Beneath if !planning => Ok(None),
        ModeTarget::Beneath => {
            may_leave(state, by)?;
            Ok(Some(change(state, Mode::At(state.level_beneath()), state.level(), true, by, why)))
        }
        ModeTarget::Level(level) => {
            if planning {
                may_leave(state, by)?;
            }
            may_raise(state, level, by)?;
            if state.mode() == Mode::At(level) {
                return Ok(None);
            }
            Ok(Some(change(state, Mode::At(level), level, false, by, why)))
        }
    }
}

fn change(state: &State, to: Mode, level: Level, keeps_grant: bool, by: Actor, why: ModeReason) -> Change {
    Change::Mode { from: state.mode(), to, level, keeps_grant, by, why }
}

fn may_leave(state: &State, by: Actor) -> Result<(), Refusal> {
    if state.may_toggle_out(by) {
        return Ok(());
    }
    if let SessionRole::Required { lead, .. } = state.role() {
        return Err(refusal(
            state,
            RefusalCode::LeadDecides,
            format!("this session's plan needs the approval of {lead}"),
            "Write the plan, call ExitPlanMode, and wait for the answer in the inbox.",
        ));
    }
    Err(refusal(
        state,
        RefusalCode::NeedsApproval,
        "planning ends only when a person approves the plan or leaves plan mode".into(),
        "Call ExitPlanMode to ask for approval.",
    ))
}

fn may_raise(state: &State, level: Level, by: Actor) -> Result<(), Refusal> {
    if by == Actor::Model || (by == Actor::Breaker && level != Level::Default) {
        return Err(refusal(
            state,
            RefusalCode::ModeNotAvailable,
            format!("only a person can choose the mode {level}"),
            "Go on in the mode that is set.",
        ));
    }
    // A file can change without the person, so it never loosens a session that runs.
    if by == Actor::Settings && level > state.level_beneath() {
        return Err(refusal(
            state,
            RefusalCode::ModeNotAvailable,
            format!("a settings file that changes cannot loosen a session that runs to {level}"),
            "Choose the mode by hand.",
        ));
    }
    if state.may_use(level) {
        return Ok(());
    }
    if !state.openings().folder_trusted {
        return Err(refusal(
            state,
            RefusalCode::UntrustedFolder,
            format!("the mode {level} grants more than default and this folder is not trusted"),
            "Trust it first (/trust, or `fore trust` outside), or stay in default or plan.",
        ));
    }
    let way_out = match level {
        Level::Auto if state.openings().auto_opted_in => "Auto mode is closed for now; choose another mode.",
        Level::Auto => "Set `permissions.autoOptIn` to true in your settings first.",
        Level::BypassPermissions => "Start fore with --dangerously-allow-bypass first.",
        Level::Default | Level::AcceptEdits => "Choose another mode.",
    };
    Err(refusal(
        state,
        RefusalCode::ModeNotAvailable,
        format!("the mode {level} is not available in this session"),
        way_out,
    ))
}

fn refusal(state: &State, code: RefusalCode, reason: String, way_out: &str) -> Refusal {
    Refusal { code, mode: state.mode(), rule: "transition".into(), reason, way_out: way_out.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{mode::Openings, state::Applied};

    const EVERYTHING: Openings =
        Openings { folder_trusted: true, auto_opted_in: true, auto_gate_open: true, bypass_permitted: true };

    fn started(level: Level, openings: Openings, role: SessionRole) -> State {
        State::fold_all([&Change::Started { level, planning: false, openings, role }])
    }

    fn go(state: &mut State, target: ModeTarget, by: Actor) -> Result<Mode, RefusalCode> {
        match transition(state, target, by, ModeReason::Chosen) {
            Ok(Some(change)) => {
                assert_eq!(state.apply(&change), Applied::Yes);
                Ok(state.mode())
            }
            Ok(None) => Ok(state.mode()),
            Err(refusal) => Err(refusal.code),
        }
    }

    #[test]
    fn a2_entering_stores_nothing_and_leaving_reveals_the_level_beneath() {
        for level in Level::ALL {
            let mut state = started(level, EVERYTHING, SessionRole::Main);
            assert_eq!(state.pre_plan_mode(), None);
            assert_eq!(go(&mut state, ModeTarget::Plan, Actor::Person), Ok(Mode::Plan));
            assert_eq!(state.pre_plan_mode(), Some(Mode::At(level)));
            assert_eq!(go(&mut state, ModeTarget::Beneath, Actor::Person), Ok(Mode::At(level)));
            assert_eq!(state.pre_plan_mode(), None);
        }
    }

    #[test]
    fn a2_entering_while_planning_changes_nothing() {
        let mut state = started(Level::AcceptEdits, EVERYTHING, SessionRole::Main);
        assert_eq!(go(&mut state, ModeTarget::Plan, Actor::Person), Ok(Mode::Plan));
        let before = state.clone();
        assert_eq!(transition(&state, ModeTarget::Plan, Actor::Model, ModeReason::Chosen), Ok(None));
        assert_eq!(state, before);
    }

    #[test]
    fn a3_settings_that_change_make_a_session_stricter_and_never_looser() {
        let mut state = started(Level::AcceptEdits, EVERYTHING, SessionRole::Main);
        for level in [Level::Auto, Level::BypassPermissions] {
            let raised = go(&mut state, ModeTarget::Level(level), Actor::Settings);
            assert_eq!(raised, Err(RefusalCode::ModeNotAvailable), "{level}");
        }
        assert_eq!(state.mode(), Mode::At(Level::AcceptEdits));
        let stricter = go(&mut state, ModeTarget::Level(Level::Default), Actor::Settings);
        assert_eq!(stricter, Ok(Mode::At(Level::Default)));
        assert_eq!(go(&mut state, ModeTarget::Plan, Actor::Settings), Ok(Mode::Plan));
    }

    #[test]
    fn a3_neither_model_nor_settings_nor_breaker_ends_planning() {
        for by in [Actor::Model, Actor::Settings, Actor::Breaker] {
            for target in
                [ModeTarget::Beneath, ModeTarget::Level(Level::Default), ModeTarget::Level(Level::BypassPermissions)]
            {
                let mut state = started(Level::Default, EVERYTHING, SessionRole::Main);
                assert_eq!(go(&mut state, ModeTarget::Plan, Actor::Person), Ok(Mode::Plan));
                let before = state.clone();
                assert_eq!(go(&mut state, target, by), Err(RefusalCode::NeedsApproval), "{by:?} {target:?}");
                assert_eq!(state, before, "after a refusal the mode is what it was");
            }
        }
    }

    #[test]
    fn a3_the_model_may_enter_but_never_choose_a_level() {
        let mut state = started(Level::Default, EVERYTHING, SessionRole::Main);
        assert_eq!(
            go(&mut state, ModeTarget::Level(Level::AcceptEdits), Actor::Model),
            Err(RefusalCode::ModeNotAvailable)
        );
        assert_eq!(go(&mut state, ModeTarget::Plan, Actor::Model), Ok(Mode::Plan));
    }

    #[test]
    fn a6_a_change_says_from_to_by_whom_and_why() {
        let state = started(Level::AcceptEdits, EVERYTHING, SessionRole::Main);
        let change = transition(&state, ModeTarget::Plan, Actor::Person, ModeReason::Cycled).unwrap().unwrap();
        let event = change.mode_event().unwrap();
        assert_eq!(
            serde_json::to_string(&event).unwrap(),
            r#"{"from":"acceptEdits","to":"plan","by":"person","why":"shift+tab"}"#
        );
    }

    #[test]
    fn a7_an_untrusted_folder_refuses_every_level_above_default_and_allows_planning() {
        let untrusted = Openings { folder_trusted: false, ..EVERYTHING };
        for level in [Level::AcceptEdits, Level::Auto, Level::BypassPermissions] {
            let mut state = started(Level::Default, untrusted, SessionRole::Main);
            assert_eq!(go(&mut state, ModeTarget::Level(level), Actor::Person), Err(RefusalCode::UntrustedFolder));
            assert_eq!(go(&mut state, ModeTarget::Plan, Actor::Person), Ok(Mode::Plan));
        }
        let sneaky = started(Level::BypassPermissions, untrusted, SessionRole::Main);
        assert_eq!(sneaky.mode(), Mode::At(Level::Default), "a level that is closed never holds");
    }

    #[test]
    fn a7_refusals_say_what_to_do() {
        let state = started(Level::Default, Openings::CLOSED, SessionRole::Main);
        let refusal =
            transition(&state, ModeTarget::Level(Level::AcceptEdits), Actor::Person, ModeReason::Chosen).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "Refused in mode default: the mode acceptEdits grants more than default and this folder is not trusted. \
             Trust it first (/trust, or `fore trust` outside), or stay in default or plan. [mode.untrusted-folder; rule transition]"
        );
        let state = started(Level::Default, Openings::TRUSTED, SessionRole::Main);
        let refusal =
            transition(&state, ModeTarget::Level(Level::BypassPermissions), Actor::Person, ModeReason::Chosen)
                .unwrap_err();
        assert_eq!(refusal.way_out, "Start fore with --dangerously-allow-bypass first.");
    }

    #[test]
    fn j2_a_required_teammate_leaves_only_by_the_leads_answer() {
        let role = SessionRole::Required { name: "ada".into(), team: "blue".into(), lead: "lin".into() };
        let mut state = started(Level::Default, EVERYTHING, role);
        assert_eq!(go(&mut state, ModeTarget::Plan, Actor::Person), Ok(Mode::Plan));
        assert_eq!(go(&mut state, ModeTarget::Beneath, Actor::Person), Err(RefusalCode::LeadDecides));
        assert_eq!(go(&mut state, ModeTarget::Level(Level::Default), Actor::Person), Err(RefusalCode::LeadDecides));
    }

    #[test]
    fn m8_choosing_a_level_by_hand_ends_a_granted_one() {
        let mut state = started(Level::Default, EVERYTHING, SessionRole::Main);
        assert_eq!(
            go(&mut state, ModeTarget::Level(Level::AcceptEdits), Actor::Person),
            Ok(Mode::At(Level::AcceptEdits))
        );
        assert_eq!(state.level(), Level::AcceptEdits);
    }

    #[test]
    fn every_change_of_what_is_enforced_starts_a_new_epoch() {
        let mut state = started(Level::Default, EVERYTHING, SessionRole::Main);
        let first = state.epoch();
        assert_eq!(go(&mut state, ModeTarget::Plan, Actor::Person), Ok(Mode::Plan));
        let second = state.epoch();
        assert!(second > first);
        assert_eq!(state.apply(&Change::HumanTurn), Applied::Yes);
        assert_eq!(state.epoch(), second);
        assert_eq!(go(&mut state, ModeTarget::Beneath, Actor::Person), Ok(Mode::At(Level::Default)));
        assert!(state.epoch() > second);
    }
}
