//! How a run ended, in one word and one exit code, and the object that says it to programs.

use super::{
    plan::ReportedPlan,
    tally::{DeniedCall, Tally},
};
use fore_agent::event::TurnOutcome;
use fore_model::Usage;
use fore_plan::Mode;
use fore_store::SessionId;
use serde::Serialize;
use std::time::Duration;

/// What the run was for; the same end means different things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunPurpose {
    Print,
    Plan,
    Apply,
}

/// What stopped a run from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunStop {
    /// Ctrl+C.
    Interrupt,
    /// SIGTERM or SIGHUP.
    Terminate,
    /// Nobody reads what is printed.
    NobodyReads,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunEnding {
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

impl RunEnding {
    pub(crate) fn of(purpose: RunPurpose, tally: &Tally, stop: Option<RunStop>) -> RunEnding {
        match stop {
            Some(RunStop::Interrupt) => return RunEnding::Interrupted,
            Some(RunStop::Terminate) => return RunEnding::Terminated,
            Some(RunStop::NobodyReads) => return RunEnding::NobodyReads,
            None => {}
        }
        match (&tally.last, purpose) {
            (None, RunPurpose::Print) if tally.plan.is_some() => RunEnding::PlanAwaits,
            // A host may come only to look, or to switch the mode.
            (None, RunPurpose::Print) if tally.session.is_some() && tally.trouble.is_none() => RunEnding::Done,
            (None, _) => RunEnding::Failed,
            (Some(TurnOutcome::Interrupted), _) => RunEnding::Interrupted,
            (Some(TurnOutcome::ModelFailed { .. }), _) => RunEnding::ModelFailed,
            (Some(TurnOutcome::PlanAwaits { .. } | TurnOutcome::PlanSaved { .. }), RunPurpose::Plan) => {
                RunEnding::Planned
            }
            (Some(TurnOutcome::PlanAwaits { .. }), _) => RunEnding::PlanAwaits,
            (Some(TurnOutcome::PlanSaved { .. }), _) => RunEnding::PlanSaved,
            (Some(TurnOutcome::Done | TurnOutcome::TooManyRounds { .. }), RunPurpose::Plan) => RunEnding::NoPlan,
            (Some(TurnOutcome::TooManyRounds { .. }), _) => RunEnding::TooManyRounds,
            // The scout only plans; what it says instead of an answer is how to set a model up.
            (Some(TurnOutcome::Done), _) if tally.is_by_scout => RunEnding::NoModel,
            (Some(TurnOutcome::Done), RunPurpose::Apply) if tally.denied_in_all > 0 => RunEnding::Denied,
            (Some(TurnOutcome::Done), _) => RunEnding::Done,
        }
    }

    pub(crate) fn code(self) -> u8 {
        match self {
            RunEnding::Done | RunEnding::Planned | RunEnding::PlanSaved => 0,
            RunEnding::Failed | RunEnding::TooManyRounds => 1,
            RunEnding::PlanAwaits => 3,
            RunEnding::NoPlan => 4,
            RunEnding::ModelFailed | RunEnding::NoModel => 5,
            RunEnding::Denied => 6,
            RunEnding::Interrupted => 130,
            RunEnding::NobodyReads => 141,
            RunEnding::Terminated => 143,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            RunEnding::Done => "done",
            RunEnding::Planned | RunEnding::PlanAwaits => "plan-awaits",
            RunEnding::PlanSaved => "plan-saved",
            RunEnding::Failed => "error",
            RunEnding::TooManyRounds => "too-many-rounds",
            RunEnding::NoPlan => "no-plan",
            RunEnding::ModelFailed => "model-failed",
            RunEnding::NoModel => "no-model",
            RunEnding::Denied => "denied",
            RunEnding::Interrupted | RunEnding::Terminated | RunEnding::NobodyReads => "interrupted",
        }
    }
}

/// The object at the end of `json` and `stream-json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunReport<'a> {
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
    pub(crate) plan: Option<&'a ReportedPlan>,
    pub(crate) denied: &'a [DeniedCall],
    pub(crate) usage: Usage,
    /// US dollars, where all prices are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost: Option<f64>,
    pub(crate) turns: u32,
    pub(crate) duration_ms: u64,
    pub(crate) exit_code: u8,
}

impl<'a> RunReport<'a> {
    pub(crate) fn new(
        tally: &'a Tally,
        ending: RunEnding,
        plan: Option<&'a ReportedPlan>,
        took: Duration,
    ) -> RunReport<'a> {
        let is_plan = matches!(ending, RunEnding::Planned | RunEnding::PlanAwaits | RunEnding::PlanSaved);
        let text = plan.filter(|_| is_plan).and_then(|plan| plan.text.as_deref());
        RunReport {
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
pub(crate) fn why(tally: &Tally, ending: RunEnding) -> Option<String> {
    match (ending, &tally.last) {
        (_, Some(TurnOutcome::ModelFailed { why })) => Some(why.clone()),
        (_, Some(TurnOutcome::TooManyRounds { rounds })) => {
            Some(format!("the turn took {rounds} rounds of calls, the most that it may; see --max-rounds"))
        }
        (RunEnding::NoModel, _) => Some("no language model is set up".into()),
        (RunEnding::Failed, _) => {
            let silent = || "the session ended before the turn did".to_owned();
            Some(tally.trouble.clone().unwrap_or_else(silent))
        }
        _ => None,
    }
}
