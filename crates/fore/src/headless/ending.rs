//! How a run ended, in one word and one exit code, and the object that says it to programs.

use super::{
    plan::PlanFacts,
    tally::{Denied, Tally},
};
use fore_agent::event::TurnOutcome;
use fore_model::Usage;
use fore_plan::Mode;
use fore_store::SessionId;
use serde::Serialize;
use std::time::Duration;

/// What the run was for; the same end means different things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Print,
    Plan,
    Apply,
}

/// What stopped a run from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Ctrl+C.
    Interrupt,
    /// SIGTERM or SIGHUP.
    Terminate,
    /// Nobody reads what is printed.
    NobodyReads,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Done,
    /// `fore plan` has its plan.
    Planned,
    PlanSaved,
    Failed,
    TooManyRounds,
    PlanAwaits,
    NoPlan,
    ModelFailed,
    /// None is set up, and this was no task for the scout.
    NoModel,
    /// The work is done as far as it was allowed.
    Denied,
    Interrupted,
    Terminated,
    NobodyReads,
}

impl Ending {
    pub(crate) fn of(purpose: Purpose, tally: &Tally, stop: Option<Stop>) -> Ending {
        match stop {
            Some(Stop::Interrupt) => return Ending::Interrupted,
            Some(Stop::Terminate) => return Ending::Terminated,
            Some(Stop::NobodyReads) => return Ending::NobodyReads,
            None => {}
        }
        match (&tally.last, purpose) {
            (None, Purpose::Print) if tally.plan.is_some() => Ending::PlanAwaits,
            // A host may come only to look, or to switch the mode.
            (None, Purpose::Print) if tally.session.is_some() && tally.trouble.is_none() => Ending::Done,
            (None, _) => Ending::Failed,
            (Some(TurnOutcome::Interrupted), _) => Ending::Interrupted,
            (Some(TurnOutcome::ModelFailed { .. }), _) => Ending::ModelFailed,
            (Some(TurnOutcome::PlanAwaits { .. } | TurnOutcome::PlanSaved { .. }), Purpose::Plan) => Ending::Planned,
            (Some(TurnOutcome::PlanAwaits { .. }), _) => Ending::PlanAwaits,
            (Some(TurnOutcome::PlanSaved { .. }), _) => Ending::PlanSaved,
            (Some(TurnOutcome::Done | TurnOutcome::TooManyRounds { .. }), Purpose::Plan) => Ending::NoPlan,
            (Some(TurnOutcome::TooManyRounds { .. }), _) => Ending::TooManyRounds,
            // The scout only plans; what it says instead of an answer is how to set a model up.
            (Some(TurnOutcome::Done), _) if tally.is_by_scout => Ending::NoModel,
            (Some(TurnOutcome::Done), Purpose::Apply) if tally.denied_in_all > 0 => Ending::Denied,
            (Some(TurnOutcome::Done), _) => Ending::Done,
        }
    }

    pub(crate) fn code(self) -> u8 {
        match self {
            Ending::Done | Ending::Planned | Ending::PlanSaved => 0,
            Ending::Failed | Ending::TooManyRounds => 1,
            Ending::PlanAwaits => 3,
            Ending::NoPlan => 4,
            Ending::ModelFailed | Ending::NoModel => 5,
            Ending::Denied => 6,
            Ending::Interrupted => 130,
            Ending::NobodyReads => 141,
            Ending::Terminated => 143,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Ending::Done => "done",
            Ending::Planned | Ending::PlanAwaits => "plan-awaits",
            Ending::PlanSaved => "plan-saved",
            Ending::Failed => "error",
            Ending::TooManyRounds => "too-many-rounds",
            Ending::NoPlan => "no-plan",
            Ending::ModelFailed => "model-failed",
            Ending::NoModel => "no-model",
            Ending::Denied => "denied",
            Ending::Interrupted | Ending::Terminated | Ending::NobodyReads => "interrupted",
        }
    }
}

/// The object at the end of `json` and `stream-json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report<'a> {
    /// `result` where it stands among events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) event: Option<&'static str>,
    /// The plan where one is the result, else what the model said last.
    pub(crate) result: &'a str,
    pub(crate) session: Option<SessionId>,
    pub(crate) mode: Option<Mode>,
    pub(crate) outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<&'a PlanFacts>,
    pub(crate) denied: &'a [Denied],
    pub(crate) usage: Usage,
    /// US dollars, where all prices are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost: Option<f64>,
    pub(crate) turns: u32,
    pub(crate) duration_ms: u64,
    pub(crate) exit_code: u8,
}

impl<'a> Report<'a> {
    pub(crate) fn new(tally: &'a Tally, ending: Ending, plan: Option<&'a PlanFacts>, took: Duration) -> Report<'a> {
        let is_plan = matches!(ending, Ending::Planned | Ending::PlanAwaits | Ending::PlanSaved);
        let text = plan.filter(|_| is_plan).and_then(|plan| plan.text.as_deref());
        Report {
            event: None,
            result: text.unwrap_or(&tally.answer),
            session: tally.session,
            mode: tally.mode,
            outcome: ending.name(),
            error: why(tally, ending),
            plan,
            denied: &tally.denied,
            usage: tally.spent.usage,
            cost: tally.spent.cost.dollars(),
            turns: tally.turns,
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            exit_code: ending.code(),
        }
    }
}

/// What went wrong, in words, if something did.
pub(crate) fn why(tally: &Tally, ending: Ending) -> Option<String> {
    match (ending, &tally.last) {
        (_, Some(TurnOutcome::ModelFailed { why })) => Some(why.clone()),
        (_, Some(TurnOutcome::TooManyRounds { rounds })) => {
            Some(format!("the turn took {rounds} rounds of calls, the most that it may; see --max-rounds"))
        }
        (Ending::NoModel, _) => Some("no language model is set up".into()),
        (Ending::Failed, _) => {
            let silent = || "the session ended before the turn did".to_owned();
            Some(tally.trouble.clone().unwrap_or_else(silent))
        }
        _ => None,
    }
}
