//! How a run ended, in one word and one exit code, and the object that says it to programs.

use super::{
    plan::ReportedPlan,
    tally::{DeniedCall, Tally},
};
use fore_agent::{MovedFile, TurnOutcome};
use fore_model::Usage;
use fore_plan::{
    Mode,
    report::{Report, ReportVerdict},
};
use fore_store::SessionId;
use serde::Serialize;
use std::time::Duration;

/// What the run was for; the same end means different things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunPurpose {
    Print,
    Plan,
    Apply,
    /// A plan that is answered in the browser, and the work that follows a yes.
    Review,
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
    /// It was asked and said nothing, or the same again and again.
    NoAnswer,
    /// A cap of the person's is reached.
    OverBudget,
    /// The work is done as far as it was allowed.
    Denied,
    /// Something was changed that the plan does not name.
    NotPlanned,
    /// A check of the plan failed, is stale, or was never run.
    Unproved,
    /// A step of the plan did not happen.
    Unfinished,
    /// Files that the plan names have moved since it was made, so it was not carried out.
    Stale,
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
            (None, RunPurpose::Apply) if tally.stale.is_some() => RunEnding::Stale,
            (None, _) => RunEnding::Failed,
            (Some(TurnOutcome::Interrupted), _) => RunEnding::Interrupted,
            (Some(TurnOutcome::ModelFailed { .. }), _) => RunEnding::ModelFailed,
            (Some(TurnOutcome::NoAnswer { .. }), _) => RunEnding::NoAnswer,
            (Some(TurnOutcome::NotSent { .. }), _) => RunEnding::Failed,
            (Some(TurnOutcome::OverBudget { .. }), _) => RunEnding::OverBudget,
            (Some(TurnOutcome::PlanAwaits { .. } | TurnOutcome::PlanSaved { .. }), RunPurpose::Plan) => {
                RunEnding::Planned
            }
            (Some(TurnOutcome::PlanAwaits { .. }), _) => RunEnding::PlanAwaits,
            (Some(TurnOutcome::PlanSaved { .. }), _) => RunEnding::PlanSaved,
            (Some(TurnOutcome::Done | TurnOutcome::TooManyRounds { .. }), RunPurpose::Plan) => RunEnding::NoPlan,
            (Some(TurnOutcome::Done), RunPurpose::Review) if !tally.is_approved => RunEnding::NoPlan,
            (Some(TurnOutcome::TooManyRounds { .. }), _) => RunEnding::TooManyRounds,
            (Some(TurnOutcome::Done), RunPurpose::Apply | RunPurpose::Review) if tally.denied_at_work() => {
                RunEnding::Denied
            }
            (Some(TurnOutcome::Done), RunPurpose::Apply | RunPurpose::Review) => {
                match tally.report.as_ref().map(Report::verdict) {
                    Some(ReportVerdict::NotPlanned) => RunEnding::NotPlanned,
                    Some(ReportVerdict::Unproved) => RunEnding::Unproved,
                    Some(ReportVerdict::Unfinished) => RunEnding::Unfinished,
                    Some(ReportVerdict::Clean) | None => RunEnding::Done,
                }
            }
            (Some(TurnOutcome::Done), _) => RunEnding::Done,
        }
    }

    pub(crate) fn code(self) -> u8 {
        match self {
            RunEnding::Done | RunEnding::Planned | RunEnding::PlanSaved => 0,
            RunEnding::Failed | RunEnding::TooManyRounds => 1,
            RunEnding::PlanAwaits => 3,
            RunEnding::NoPlan => 4,
            RunEnding::ModelFailed => 5,
            RunEnding::Denied => 6,
            RunEnding::NoAnswer => 7,
            RunEnding::NotPlanned => 8,
            RunEnding::Unproved => 9,
            RunEnding::Stale => 10,
            RunEnding::Unfinished => 11,
            RunEnding::OverBudget => 12,
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
            RunEnding::NoAnswer => "no-answer",
            RunEnding::Denied => "denied",
            RunEnding::NotPlanned => "not-planned",
            RunEnding::Unproved => "unproved",
            RunEnding::Unfinished => "unfinished",
            RunEnding::Stale => "stale",
            RunEnding::OverBudget => "over-budget",
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
    /// What became of the plan that was carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) report: Option<&'a Report>,
    /// For `fore apply`: files that the plan names and that have moved since it was made; null where nothing is known of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stale: Option<Option<&'a [MovedFile]>>,
    pub(crate) denied: &'a [DeniedCall],
    pub(crate) usage: Usage,
    /// Answers that are not in `usage`: the server did not count them.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) uncounted_answers: u32,
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
        (purpose, ending): (RunPurpose, RunEnding),
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
            report: tally.report.as_ref(),
            stale: (purpose == RunPurpose::Apply).then_some(tally.moved.as_deref()),
            denied: &tally.denied,
            usage: tally.spent.usage,
            uncounted_answers: tally.spent.uncounted,
            cost: tally.spent.cost.dollars(),
            turns: tally.turns,
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            exit_code: ending.code(),
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// What went wrong, in words, if something did.
pub(crate) fn why(tally: &Tally, ending: RunEnding) -> Option<String> {
    match (ending, &tally.last) {
        (_, Some(TurnOutcome::ModelFailed { why } | TurnOutcome::NoAnswer { why } | TurnOutcome::NotSent { why })) => {
            Some(why.clone())
        }
        (_, Some(TurnOutcome::TooManyRounds { rounds })) => {
            Some(format!("the turn took {rounds} rounds of calls, which is the limit; see --max-rounds"))
        }
        (_, Some(TurnOutcome::OverBudget { why })) => Some(why.clone()),
        (RunEnding::Stale, _) => Some(stale_words(tally.moved.as_deref().unwrap_or_default())),
        (RunEnding::Failed, _) => {
            let silent = || "the session ended before the turn did".to_owned();
            Some(tally.trouble.clone().unwrap_or_else(silent))
        }
        _ => None,
    }
}

/// That nothing ran, because files of the plan have moved.
fn stale_words(moved: &[MovedFile]) -> String {
    let files = fore_text::count_as(moved.len(), "file that the plan names has", "files that the plan names have");
    format!("{files} changed since it was made; nothing was run")
}
