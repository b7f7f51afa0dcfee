//! `EnterPlanMode` as a decision: may this caller enter now, and what must the person confirm.

use crate::{
    change::{Actor, Change},
    mode::Mode,
    mode_event::ModeReason,
    refusal::{Refusal, RefusalCode},
    state::State,
    tool_name::ToolName,
    transition::{ModeTarget, transition},
};
use serde_json::Value;

/// Who calls a plan-mode tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// The conversation with the person.
    Main,
    /// One that the session started.
    Subagent {
        /// Which.
        id: String,
    },
}

/// Whether somebody is there to approve the way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reachable {
    /// A person, or a host that speaks for one.
    Approver,
    /// Nobody: headless without an approver, a chat channel.
    Nobody,
}

/// What comes of an `EnterPlanMode` call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entering {
    /// The person confirms first; then [`confirmed`] gives the change.
    Confirm,
    /// Nothing to do.
    AlreadyPlanning,
    /// Not here, or not now.
    Refused(Refusal),
}

/// Whether the tool is listed at all: plan mode must never be a trap.
pub fn is_offered(caller: &Caller, reachable: Reachable) -> bool {
    *caller == Caller::Main && reachable == Reachable::Approver
}

/// Judges the call.
pub fn enter(state: &State, input: &Value, caller: &Caller, reachable: Reachable) -> Entering {
    let refuse = |code, reason: &str, way_out: &str| {
        Entering::Refused(Refusal {
            code,
            mode: state.mode(),
            rule: ToolName::EnterPlanMode.name().into(),
            reason: reason.into(),
            way_out: way_out.into(),
        })
    };
    if let Caller::Subagent { .. } = caller {
        return refuse(
            RefusalCode::EnterSubagent,
            "a subagent shares the planning of the session that started it",
            "Return what you found; the session decides whether to plan.",
        );
    }
    if reachable == Reachable::Nobody {
        return refuse(
            RefusalCode::EnterNoApprover,
            "nobody is here to approve a plan, so plan mode could not be left again",
            "Go on without plan mode.",
        );
    }
    if !input.as_object().is_some_and(serde_json::Map::is_empty) {
        return refuse(RefusalCode::EnterInput, "EnterPlanMode takes no input", "Call it again with an empty object.");
    }
    match state.mode() {
        Mode::Plan => Entering::AlreadyPlanning,
        Mode::At(_) => Entering::Confirm,
    }
}

/// The person said yes to entering. `Ok(None)`: planning is on already.
pub fn confirmed(state: &State) -> Result<Option<Change>, Refusal> {
    transition(state, ModeTarget::Plan, Actor::Model, ModeReason::EnterConfirmed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        change::SessionRole,
        mode::{Level, Openings},
        state::Applied,
    };
    use serde_json::json;

    fn state(level: Level) -> State {
        let openings =
            Openings { folder_trusted: true, auto_opted_in: true, auto_gate_open: true, bypass_permitted: true };
        State::fold_all([&Change::Started { level, planning: false, openings, role: SessionRole::Main }])
    }

    fn code(entering: Entering) -> RefusalCode {
        match entering {
            Entering::Refused(refusal) => refusal.code,
            Entering::Confirm | Entering::AlreadyPlanning => panic!("not refused: {entering:?}"),
        }
    }

    #[test]
    fn c3_the_person_confirms_and_then_planning_is_on_under_every_level() {
        for level in Level::ALL {
            let mut state = state(level);
            assert_eq!(enter(&state, &json!({}), &Caller::Main, Reachable::Approver), Entering::Confirm);
            let change = confirmed(&state).unwrap().unwrap();
            assert_eq!(state.apply(&change), Applied::Yes);
            assert_eq!((state.mode(), state.pre_plan_mode()), (Mode::Plan, Some(Mode::At(level))));
            assert_eq!(enter(&state, &json!({}), &Caller::Main, Reachable::Approver), Entering::AlreadyPlanning);
            assert_eq!(confirmed(&state), Ok(None));
        }
    }

    #[test]
    fn c3_input_is_strictly_empty() {
        for input in [json!({"plan": "x"}), json!(null), json!([]), json!("go"), json!({"": 1})] {
            let entering = enter(&state(Level::Default), &input, &Caller::Main, Reachable::Approver);
            assert_eq!(code(entering), RefusalCode::EnterInput, "{input}");
        }
    }

    #[test]
    fn c3_a_subagent_is_refused_and_not_offered_it() {
        let caller = Caller::Subagent { id: "a1".into() };
        assert!(!is_offered(&caller, Reachable::Approver));
        let entering = enter(&state(Level::Default), &json!({}), &caller, Reachable::Approver);
        assert_eq!(code(entering), RefusalCode::EnterSubagent);
    }

    #[test]
    fn c3_where_nobody_could_approve_the_exit_it_is_neither_offered_nor_taken() {
        assert!(!is_offered(&Caller::Main, Reachable::Nobody));
        assert!(is_offered(&Caller::Main, Reachable::Approver));
        let entering = enter(&state(Level::Default), &json!({}), &Caller::Main, Reachable::Nobody);
        assert_eq!(code(entering), RefusalCode::EnterNoApprover);
    }
}
