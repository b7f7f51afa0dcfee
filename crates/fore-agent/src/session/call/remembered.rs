//! What files were before a call that may change them, for undo.

use super::{PlanWriting, ToolCall};
use crate::undo::{RememberedEdit, RememberedRun};
use fore_plan::{
    Cage,
    gate::{Action, Presented},
};
use std::path::Path;

/// What was remembered of a call.
#[derive(Debug)]
pub(super) enum RememberedCall {
    Nothing,
    Run(RememberedRun),
    Edit(RememberedEdit),
}

impl ToolCall {
    /// Remembers what the call may change. Call it where blocking is allowed.
    pub(super) fn before_change(&self, permit: &Presented, plan: &PlanWriting) -> RememberedCall {
        let undo = &self.context.work.undo;
        let opener = || self.context.setup.opener(&self.context.ledger.state());
        let may_write = match permit.cage() {
            Cage::Workspace { .. } | Cage::Free => true,
            Cage::ReadOnly { .. } | Cage::Rehearsal => false,
        };
        match permit.action() {
            // The plan has revisions of its own.
            _ if *plan != PlanWriting::None => RememberedCall::Nothing,
            Action::Edit { target, .. } | Action::EditNotebook { target } => {
                let edit = undo.begin_edit(&opener(), Path::new(&target.real));
                edit.map_or(RememberedCall::Nothing, RememberedCall::Edit)
            }
            Action::Run { .. } | Action::Mcp { .. } if may_write => {
                undo.begin_run(&opener()).map_or(RememberedCall::Nothing, RememberedCall::Run)
            }
            Action::Run { .. }
            | Action::Mcp { .. }
            | Action::Read { .. }
            | Action::Search { .. }
            | Action::Fetch { .. }
            | Action::Think { .. }
            | Action::Delete { .. }
            | Action::Move { .. }
            | Action::Hook { .. }
            | Action::Agent { .. }
            | Action::Message { .. }
            | Action::McpServer { .. }
            | Action::Todo
            | Action::Skill { .. }
            | Action::EnterPlanMode
            | Action::ExitPlanMode
            | Action::AmendPlan
            | Action::Other { .. } => RememberedCall::Nothing,
        }
    }

    /// The same for a tool of a server, which runs on nobody's thread.
    pub(super) async fn before_server(&self, permit: &Presented) -> RememberedCall {
        let may_write = match permit.cage() {
            Cage::Workspace { .. } | Cage::Free => true,
            Cage::ReadOnly { .. } | Cage::Rehearsal => false,
        };
        if !may_write || !matches!(permit.action(), Action::Mcp { .. }) {
            return RememberedCall::Nothing;
        }
        let call = self.clone();
        let work = move || {
            let opener = call.context.setup.opener(&call.context.ledger.state());
            call.context.work.undo.begin_run(&opener)
        };
        let run = tokio::task::spawn_blocking(work).await.ok().flatten();
        run.map_or(RememberedCall::Nothing, RememberedCall::Run)
    }

    /// It has ended.
    pub(super) async fn after_server(&self, remembered: RememberedCall) {
        let call = self.clone();
        let _ = tokio::task::spawn_blocking(move || call.after_change(remembered)).await;
    }

    /// The call has ended.
    pub(super) fn after_change(&self, call: RememberedCall) {
        let opener = || self.context.setup.opener(&self.context.ledger.state());
        match call {
            RememberedCall::Nothing => {}
            RememberedCall::Run(run) => self.context.work.undo.end_run(&opener(), run),
            RememberedCall::Edit(edit) => self.context.work.undo.end_edit(&opener(), edit),
        }
    }
}
