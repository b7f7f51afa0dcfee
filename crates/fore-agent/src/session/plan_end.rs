//! When the work on a plan is over: the plan ends, and with it the level that came with it. Until then it is said what is left.

use super::{drive::Driver, run::report, session_context::SessionContext};
use crate::{
    command::CommandReceiver,
    event::{NoticeLevel, TurnOutcome},
    model_handle::ModelHandle,
};
use fore_model::Duty;
use fore_plan::{Change, Level, Mode, State, plan::PlanStage};
use fore_store::entry::TodoStatus;
use std::sync::{Arc, atomic::Ordering};

/// The work on a plan is over when its turn ends by itself and no step of the todo list is left (M8): the level that came
/// with it ends too.
pub(super) async fn end_plan(driver: &mut Driver, outcome: &TurnOutcome, commands: &mut CommandReceiver) {
    let context = Arc::clone(&driver.context);
    let state = context.ledger.state();
    let Some(plan) = state.plan().filter(|plan| plan.stage == PlanStage::InProgress) else { return };
    let left = context.ledger.session().todos().iter().filter(|todo| todo.status != TodoStatus::Done).count();
    if *outcome != TurnOutcome::Done || state.pre_plan_mode().is_some() {
        return;
    }
    let has_terms = plan.contract.as_ref().is_some_and(|contract| !contract.is_empty());
    if left > 0 {
        // Where nobody can go on with it, this is the end of the work.
        if has_terms && context.person.reachable() == fore_plan::approval::Reachable::Nobody {
            report(driver, commands).await;
        }
        return still_holds(&context, &state, left);
    }
    // The scout carries nothing out: its plan is approved and waits for somebody who does. A level that came with it ends.
    if matches!(context.work.model(Duty::Act), ModelHandle::Scout) && state.grant().is_none() {
        return;
    }
    if has_terms {
        report(driver, commands).await;
        // Whatever was done meanwhile counts: planning may have begun anew.
        if context.ledger.state().plan().is_none_or(|now| now.id != plan.id || now.stage != PlanStage::InProgress) {
            return;
        }
    }
    let before = context.ledger.state().mode();
    context.must_record(Change::Stage { plan: plan.id.clone(), stage: PlanStage::Done });
    let after = context.ledger.state().mode();
    if before != after {
        // The model was told the level with the approval, so it hears that it ended (M11).
        let words =
            format!("The plan is done, so the level {before} that came with it has ended: {after} holds again.");
        context.person.prompts().remind(format!("<system-reminder>\n{words}\n</system-reminder>"));
    }
}

/// The person is told why what came with a plan has not ended, and what ends it: once, and again when another number of steps is open.
fn still_holds(context: &SessionContext, state: &State, left: usize) {
    let Some(grant) = state.grant().filter(|grant| state.mode() == Mode::At(grant.level)) else { return };
    let steps = fore_text::count_as(left, "step of its todo list is", "steps of its todo list are");
    let why = match grant.level {
        Level::Default if state.contract().is_none() => return,
        Level::Default => format!("What the plan covers still runs without asking: {steps} open"),
        Level::AcceptEdits | Level::Auto | Level::BypassPermissions => {
            format!("{} still holds, because it was approved for this plan and {steps} open", grant.level)
        }
    };
    if context.work.open_steps_told.swap(left, Ordering::SeqCst) != left {
        context.person.notice(NoticeLevel::Info, format!("{why}; choose a mode by hand to end it."));
    }
}
