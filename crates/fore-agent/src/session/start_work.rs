//! The beginning of the work on a plan that was approved: in the same context, or in an empty one that starts with the plan.

use super::{
    call::{CallResult, ToolCall},
    plan_file::changed_since,
    session_context::SessionContext,
};
use crate::{
    event::{Event, NoticeLevel, ShownCall},
    output::Output,
    turn::AfterCall,
};
use fore_plan::{
    Change,
    approval::{Comment, Receipt, text},
    plan::{Author, PlanStage},
};
use fore_store::entry::{Cut, PlanMark, Speaker, StoredMessage};

/// An approval with all that came with it.
pub(super) struct ApprovedPlan {
    pub(super) receipt: Receipt,
    pub(super) text: String,
    pub(super) note: String,
    pub(super) comments: Vec<Comment>,
}

pub(super) fn start_work(call: &ToolCall, path: &str, approval: &ApprovedPlan) -> CallResult {
    let context = &call.context;
    context.must_record(Change::Stage { plan: approval.receipt.plan.clone(), stage: PlanStage::InProgress });
    let state = context.state();
    let newest = state.plan().and_then(|plan| plan.revision.as_ref()).filter(|it| it.hash == approval.receipt.hash);
    let author = if approval.receipt.edited { Author::Person } else { newest.map_or(Author::Model, |it| it.author) };
    let known = context.plan_text(state.plan().and_then(|plan| plan.known));
    let changed = changed_since(known.as_deref(), &approval.text);
    let words = text::Approved {
        path,
        plan: &approval.text,
        level: approval.receipt.level.name(),
        author,
        changed: &changed,
        by: &approval.receipt.by,
        todo_list: text::Offered::Yes,
        agent_tool: text::Offered::Yes,
        remark: Some(&approval.note),
        comments: &approval.comments,
    };
    // What the result says is all the model needs to hear of the change of mode.
    context.mark_exit_told();
    let shown = ShownCall {
        line: format!("approved; {} from here on", approval.receipt.level),
        body: crate::event::ShownBody::Markdown { text: approval.text.clone() },
    };
    if !approval.receipt.clear_context {
        return CallResult::of(Output::text(text::approved(&words), shown));
    }
    match begin_afresh(context, &text::start_from_plan(&words)) {
        Ok(()) => {
            context.events.send(Event::PlanImplement {
                plan_file_path: path.to_owned(),
                plan_hash: approval.receipt.hash,
                plan_content: approval.text.clone(),
            });
            CallResult::of(Output::text("", shown)).and_then(AfterCall::StartAfresh)
        }
        Err(why) => {
            context.notice(NoticeLevel::Error, format!("The context was not cleared: {why}"));
            CallResult::of(Output::text(text::approved(&words), shown))
        }
    }
}

/// Empties what the model sees; the approved plan becomes its first message (D5).
pub(super) fn begin_afresh(context: &SessionContext, first: &str) -> Result<(), String> {
    let message = StoredMessage::text(Speaker::Program, first).map_err(|error| error.to_string())?;
    let mut session = context.session();
    session.cut_context(Cut::Cleared).map_err(|error| error.to_string())?;
    session.append_message(message.holding_plan(PlanMark::FirstMessage)).map_err(|error| error.to_string())?;
    drop(session);
    context.seen.forget_all();
    // The first message is the reference.
    context.mark_exit_told();
    Ok(())
}
