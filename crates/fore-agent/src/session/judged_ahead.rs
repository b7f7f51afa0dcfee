//! The verdict on a call from the moment its answer came: it says whether the call may run beside others, and is the verdict
//! that counts if the call begins at once and nothing it depends on has changed.

use super::{caller::CallerContext, session_context::SessionContext};
use crate::{context::input_of, turn::Concurrency};
use fore_model::ToolUse;
use fore_plan::{
    Epoch,
    gate::{Action, Judgement, table::GateRow},
};

/// A call that was judged when its answer came.
#[derive(Debug)]
pub(crate) struct JudgedAhead {
    action: Action,
    basis: VerdictBasis,
    runs_in_background: bool,
    judgement: Judgement,
}

/// What a verdict depends on besides the action and what does not change in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VerdictBasis {
    /// Mode, level, plan and settings.
    pub(super) epoch: Epoch,
    /// What the person has said yes to for the whole session; it only grows.
    pub(super) allowed: usize,
    /// Calls that could change files, which may change what git or a path leads to.
    pub(super) changes: u64,
}

impl JudgedAhead {
    /// Nothing for a call that cannot be read.
    pub(crate) fn new(context: &SessionContext, caller: &CallerContext, call: &ToolUse) -> Option<JudgedAhead> {
        let input = input_of(call)?;
        let action = context.action(caller, &call.name, input);
        let basis = context.verdict_basis();
        let judgement = context.judge_untraced(&caller.state(context.state()), action.clone());
        let runs_in_background = input.get("run_in_background").is_some();
        Some(JudgedAhead { action, basis, runs_in_background, judgement })
    }

    /// Whether the call may run beside others: it only reads, by the gate's own word.
    pub(crate) fn concurrency(&self) -> Concurrency {
        // A command that changes its folder changes it for the ones after it.
        let changes_folder = self.judgement.finding.as_ref().is_some_and(|finding| finding.changes_folder());
        if changes_folder || self.runs_in_background {
            return Concurrency::Alone;
        }
        match self.judgement.row {
            GateRow::Read
            | GateRow::Search
            | GateRow::Fetch
            | GateRow::ShellReads
            | GateRow::AgentReadOnly
            | GateRow::AgentOther => Concurrency::Together,
            GateRow::Think
            | GateRow::EditPlanFile
            | GateRow::EditProject
            | GateRow::EditElsewhere
            | GateRow::EditNotebook
            | GateRow::DeleteOrMove
            | GateRow::ShellAsksService
            | GateRow::ShellNetwork
            | GateRow::ShellRuns
            | GateRow::ShellUnknown
            | GateRow::ShellWrites
            | GateRow::ShellRehearsal
            | GateRow::Hook
            | GateRow::McpReadOnly
            | GateRow::McpOther
            | GateRow::Todo
            | GateRow::PlanTool
            | GateRow::UnknownTool => Concurrency::Alone,
        }
    }

    /// The verdict, if the call is still the one that was judged and nothing has happened since that could change it.
    pub(crate) fn if_current(self, action: &Action, basis: VerdictBasis) -> Option<Judgement> {
        (self.action == *action && self.basis == basis).then_some(self.judgement)
    }
}

#[cfg(test)]
#[path = "judged_ahead_tests.rs"]
mod tests;
