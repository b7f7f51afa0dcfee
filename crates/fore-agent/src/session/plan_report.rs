//! What became of the plan: made from the record and the disk, kept with the plan, shown as a card.

use super::{caller::CallerContext, session_context::SessionContext};
use crate::{
    cancel::Cancel,
    event::{Event, NoticeLevel},
};
use fore_hooks::HookOccasion;
use fore_plan::{
    WorkFacts,
    report::{Report, StepTodo},
    report_work,
};
use fore_store::entry::{Todo, TodoStatus};
use std::sync::Arc;

/// What the list says of a step.
pub(crate) fn step_todo(todo: &Todo) -> (String, StepTodo) {
    let state = match todo.status {
        TodoStatus::Pending => StepTodo::Open,
        TodoStatus::InProgress => StepTodo::InProgress,
        TodoStatus::Done => StepTodo::Done,
    };
    (todo.text.clone(), state)
}

impl SessionContext {
    /// Makes the report of the plan that was approved last, keeps it and shows it. Call it where blocking is allowed.
    pub(crate) fn tell_report(self: &Arc<Self>) -> Option<Report> {
        let Some(report) = self.plan_report() else {
            let text = "No approved plan is being carried out, so there is nothing to report.";
            self.person.notice(NoticeLevel::Info, text);
            return None;
        };
        let kept = self.ledger.session().note_report(report.clone());
        if let Err(error) = kept {
            self.person.notice(NoticeLevel::Error, error.to_string());
        }
        let headline = report.headline();
        let told = serde_json::to_value(&report).unwrap_or_default();
        let caller = CallerContext::main(Cancel::default());
        self.hooks_beside(&caller, HookOccasion::PlanReport { headline: headline.clone(), report: told });
        self.person.events.send(Event::Report { headline, report: Box::new(report.clone()) });
        Some(report)
    }

    /// The same, for nobody's eyes.
    pub(crate) fn plan_report(&self) -> Option<Report> {
        self.look_for_outside_changes(&Cancel::default());
        let state = self.ledger.state();
        let plan = state.plan()?;
        let (receipt, contract) = (plan.receipt.as_ref()?, plan.contract.as_ref()?);
        let text = self.ledger.plan_text(Some(receipt.hash))?;
        let (work, todos) = {
            let session = self.ledger.session();
            let todos: Vec<(String, StepTodo)> = session.todos().iter().map(step_todo).collect();
            (session.work().to_vec(), todos)
        };
        let said = self.ledger.last_words();
        let running: Vec<(String, String)> = self
            .work
            .background
            .running_now()
            .into_iter()
            .map(|(command, folder)| (command, self.run_folder(&folder)))
            .collect();
        let facts = WorkFacts { work: &work, running: &running, todos: &todos, said: said.as_deref() };
        let since = |path: &str| self.work.watch.since(self, path);
        Some(report_work(&text, contract, &self.setup.project, &facts, &since))
    }
}
