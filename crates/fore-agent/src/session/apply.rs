//! An approval that was given ahead: the person named the hash of the plan, so exactly that text is carried out (M9).

use super::{
    approval::{now, record_all},
    session_context::SessionContext,
    start_work::begin_afresh,
};
use crate::event::{ApprovalOutcome, Event};
use fore_plan::{
    Change, Refusal,
    approval::{self, Answered, Decider, ExitCall, Exiting, OnDisk, Reachable, text},
    plan::{Author, PlanStage},
};
use serde_json::json;

/// A refusal in the way of an approval that a person gave ahead, by naming the hash of the plan.
#[derive(Debug)]
pub(super) enum NotApplied {
    Refused(Refusal),
    Failed(String),
}

/// Approves exactly this text at this level, because the person named its hash (M9).
pub(super) fn approve_ahead(
    context: &SessionContext,
    plan: &str,
    level: fore_plan::Level,
    via: &str,
) -> Result<String, NotApplied> {
    let failed = |error: fore_store::StoreError| NotApplied::Failed(error.to_string());
    let path = context.current_plan().map_err(failed)?;
    context.save_plan(Author::Person, plan).map_err(failed)?;
    // The buffer whose hash was named is the one that is approved and told; the file is never asked what it says now.
    let (state, on_disk) = (context.state(), OnDisk::Text(plan));
    let nonce = uuid::Uuid::now_v7().to_string();
    let (input, caller) = (json!({}), approval::Caller::Main);
    let exit_call =
        ExitCall { input: &input, caller: &caller, reachable: Reachable::Approver, on_disk, nonce: &nonce, now: now() };
    let asking = match approval::exit(&state, &exit_call) {
        Exiting::AskPerson(asking) => asking,
        Exiting::Refused(refusal) => return Err(NotApplied::Refused(refusal)),
        Exiting::SubagentDone | Exiting::AskLead(..) | Exiting::Awaits(_) | Exiting::Left(_) => {
            return Err(NotApplied::Failed("this plan cannot be approved here".into()));
        }
    };
    record_all(context, asking.changes).map_err(NotApplied::Failed)?;
    let level = approval::ChosenLevel::Level { level, scope: approval::GrantScope::Plan };
    let choice = approval::Choice::Approve {
        level,
        clear_context: true,
        edited: None,
        note: String::new(),
        comments: Vec::new(),
    };
    let by = Decider::Person { via: via.to_owned() };
    let answer = approval::ApprovalAnswer {
        request: asking.proposal.request,
        hash: asking.proposal.hash,
        by,
        at: now(),
        choice,
    };
    match approval::answer(&context.state(), &answer, on_disk, &nonce) {
        Answered::Approved { changes, receipt, text, .. } => {
            record_all(context, changes).map_err(NotApplied::Failed)?;
            context.must_record(Change::Stage { plan: receipt.plan.clone(), stage: PlanStage::InProgress });
            context.events.send(Event::Decided(ApprovalOutcome::Approved { receipt: receipt.clone(), notice: None }));
            let words = text::Approved {
                path: &path,
                plan: &text,
                level: receipt.level.name(),
                author: Author::Model,
                changed: "",
                by: &receipt.by,
                todo_list: text::Offered::Yes,
                agent_tool: text::Offered::Yes,
                remark: None,
                comments: &[],
            };
            let first = text::start_from_plan(&words);
            begin_afresh(context, &first).map_err(NotApplied::Failed)?;
            let (plan_file_path, plan_hash) = (path, receipt.hash);
            context.events.send(Event::PlanImplement { plan_file_path, plan_hash, plan_content: text });
            Ok(first)
        }
        Answered::NotCounted { why } => Err(NotApplied::Failed(why)),
        Answered::ShowAgain { .. }
        | Answered::KeepPlanning { .. }
        | Answered::Saved { .. }
        | Answered::Left { .. }
        | Answered::Discarded { .. } => Err(NotApplied::Failed("the plan changed while it was approved".into())),
    }
}
