//! The beginning of the work on a plan that was approved: in the same context, or in an empty one that starts with the plan.

use super::{
    call::{Call, Done},
    desk::Desk,
    plan_file::changed_since,
};
use crate::{
    event::{Event, NoticeLevel, Shown},
    output::Output,
    turn::Then,
};
use fore_plan::{
    Change,
    approval::{Comment, Receipt, text},
    plan::{Author, Stage},
};
use fore_store::entry::{Cut, Message, PlanMark, Speaker};

/// An approval with all that came with it.
pub(super) struct Approval {
    pub(super) receipt: Receipt,
    pub(super) text: String,
    pub(super) note: String,
    pub(super) comments: Vec<Comment>,
}

pub(super) fn start_work(call: &Call, path: &str, approval: &Approval) -> Done {
    let desk = &call.desk;
    desk.must_record(Change::Stage { plan: approval.receipt.plan.clone(), stage: Stage::InProgress });
    let state = desk.state();
    let newest = state.plan().and_then(|plan| plan.revision.as_ref()).filter(|it| it.hash == approval.receipt.hash);
    let author = if approval.receipt.edited { Author::Person } else { newest.map_or(Author::Model, |it| it.author) };
    let known = desk.plan_text(state.plan().and_then(|plan| plan.known));
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
    desk.tell_left();
    let shown = Shown {
        line: format!("approved; {} from here on", approval.receipt.level),
        body: crate::event::Body::Markdown { text: approval.text.clone() },
    };
    if !approval.receipt.clear_context {
        return Done::of(Output::text(text::approved(&words), shown));
    }
    match begin_afresh(desk, &text::start_from_plan(&words)) {
        Ok(()) => {
            desk.outbox.send(Event::PlanImplement {
                plan_file_path: path.to_owned(),
                plan_hash: approval.receipt.hash,
                plan_content: approval.text.clone(),
            });
            Done::of(Output::text("", shown)).and_then(Then::StartAfresh)
        }
        Err(why) => {
            desk.notice(NoticeLevel::Error, format!("The context was not cleared: {why}"));
            Done::of(Output::text(text::approved(&words), shown))
        }
    }
}

/// Empties what the model sees; the approved plan becomes its first message (D5).
pub(super) fn begin_afresh(desk: &Desk, first: &str) -> Result<(), String> {
    let message = Message::text(Speaker::Program, first).map_err(|error| error.to_string())?;
    let mut session = desk.session();
    session.cut_context(Cut::Cleared).map_err(|error| error.to_string())?;
    session.say(message.holding_plan(PlanMark::FirstMessage)).map_err(|error| error.to_string())?;
    drop(session);
    desk.seen.forget_all();
    // The first message is the reference.
    desk.tell_left();
    Ok(())
}
