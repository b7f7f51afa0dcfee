//! The beginning of the work on a plan that was approved: in the same context, or in an empty one that starts with the plan.

use crate::session::{
    call::{CallResult, ToolCall},
    ledger::changed_since,
    session_context::SessionContext,
    stale,
};
use crate::{
    event::{Event, NoticeLevel, ShownCall},
    named_files::MovedFile,
    output::Output,
    turn::AfterCall,
};
use fore_plan::{
    Change,
    approval::{ApprovalText, Approved, Comment, Offered, Receipt},
    contract::Contract,
    plan::{Author, PlanStage, PlanStep, steps},
    reminder::Notice,
    step_name,
};
use fore_store::entry::{Cut, PlanMark, Speaker, StoredMessage, Todo, TodoStatus};
use std::sync::atomic::Ordering;

/// An approval with all that came with it.
pub(super) struct ApprovedPlan {
    pub(super) receipt: Receipt,
    pub(super) text: String,
    pub(super) note: String,
    pub(super) comments: Vec<Comment>,
    /// Files that it names and that have moved since it was made.
    pub(super) moved: Vec<MovedFile>,
}

pub(super) fn start_work(call: &ToolCall, path: &str, approval: &ApprovedPlan) -> CallResult {
    let context = &call.context;
    context.must_record(Change::Stage { plan: approval.receipt.plan.clone(), stage: PlanStage::InProgress });
    let state = context.ledger.state();
    let newest = state.plan().and_then(|plan| plan.revision.as_ref()).filter(|it| it.hash == approval.receipt.hash);
    let author = if approval.receipt.edited { Author::Person } else { newest.map_or(Author::Model, |it| it.author) };
    let known = context.ledger.plan_text(state.plan().and_then(|plan| plan.known));
    let changed = changed_since(known.as_deref(), &approval.text);
    let covers = state.contract().and_then(Contract::summary);
    begin_todos(context, &approval.text);
    context.begin_watching();
    let words = Approved {
        path,
        plan: &approval.text,
        level: approval.receipt.level.name(),
        covers: covers.as_deref(),
        author,
        steps: &approval.receipt.steps,
        changed: &changed,
        moved: &stale::list(&approval.moved),
        by: &approval.receipt.by,
        todo_list: Offered::Yes,
        agent_tool: Offered::Yes,
        remark: Some(&approval.note),
        comments: &approval.comments,
    };
    // The result holds the plan. That changes are allowed is said again with the next prompt, as after every exit (E6).
    context.mark_told(&[Notice::PlanReference, Notice::PlanChanged]);
    let shown = ShownCall {
        line: format!("approved; {} from here on", approval.receipt.level),
        body: crate::event::ShownBody::Markdown { text: approval.text.clone() },
    };
    if !approval.receipt.clear_context {
        return CallResult::of(Output::text(ApprovalText::Approved(&words).render(), shown));
    }
    match begin_afresh(context, &ApprovalText::StartFromPlan(&words).render()) {
        Ok(()) => {
            context.person.events.send(Event::PlanImplement {
                plan_file_path: path.to_owned(),
                plan_hash: approval.receipt.hash,
                plan_content: approval.text.clone(),
            });
            CallResult::of(Output::text("", shown)).and_then(AfterCall::StartAfresh)
        }
        Err(why) => {
            context.person.notice(NoticeLevel::Error, format!("The context was not cleared: {why}"));
            CallResult::of(Output::text(ApprovalText::Approved(&words).render(), shown))
        }
    }
}

/// The list of what is to do starts as the steps of the plan, so that plan, progress and report speak of the same things.
pub(super) fn begin_todos(context: &SessionContext, plan: &str) {
    context.work.open_steps_told.store(0, Ordering::SeqCst);
    let todo = |step: &PlanStep| Todo { text: step_name(step), status: TodoStatus::Pending };
    let todos: Vec<Todo> = steps(plan).iter().map(todo).collect();
    if todos.is_empty() {
        return;
    }
    let saved = context.ledger.session().set_todos(todos.clone());
    match saved {
        Ok(()) => context.person.events.send(Event::Todos { items: todos }),
        Err(error) => context.person.notice(NoticeLevel::Error, error.to_string()),
    }
}

/// Empties what the model sees; the approved plan becomes its first message (D5).
pub(super) fn begin_afresh(context: &SessionContext, first: &str) -> Result<(), String> {
    let message = StoredMessage::text(Speaker::Program, first).map_err(|error| error.to_string())?;
    let mut session = context.ledger.session();
    session.cut_context(Cut::Cleared).map_err(|error| error.to_string())?;
    let message = StoredMessage { plan: Some(PlanMark::FirstMessage), ..message };
    session.append_message(message).map_err(|error| error.to_string())?;
    drop(session);
    context.work.seen.forget_all();
    // The first message is the reference.
    context.mark_exit_told();
    Ok(())
}
