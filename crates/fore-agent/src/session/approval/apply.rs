//! An approval that was given ahead: the person named the hash of the plan, so exactly that text is carried out (M9).

use super::{
    now,
    plan_reader::PlanReader,
    record_all,
    start_work::{begin_afresh, begin_todos},
};
use crate::cancel::Cancel;
use crate::event::{ApprovalOutcome, Event};
use crate::named_files::MovedFile;
use crate::session::{session_context::SessionContext, stale};
use fore_plan::{
    Change, Refusal,
    approval::{
        self, Answered, ApprovalText, Approved, Decider, ExitCall, Exiting, Offered, OnDisk, Reachable, Receipt,
    },
    contract::Contract,
    plan::{Author, PlanStage},
};
use serde_json::json;
use std::sync::Arc;

/// A refusal in the way of an approval that a person gave ahead, by naming the hash of the plan.
#[derive(Debug)]
pub(crate) enum NotApplied {
    Refused(Refusal),
    Failed(String),
}

/// Approves exactly this text at this level, because the person named its hash (M9).
pub(crate) fn approve_ahead(
    context: &Arc<SessionContext>,
    plan: &str,
    level: fore_plan::Level,
    via: &str,
    moved: Option<&[MovedFile]>,
) -> Result<String, NotApplied> {
    let failed = |error: fore_store::StoreError| NotApplied::Failed(error.to_string());
    let path = context.ledger.current_plan().map_err(failed)?;
    context.ledger.save_plan(Author::Person, plan).map_err(failed)?;
    // The buffer whose hash was named is the one that is approved and told; the file is never asked what it says now.
    let state = context.ledger.state();
    let nonce = uuid::Uuid::now_v7().to_string();
    let (input, caller) = (json!({}), approval::Caller::Main);
    let exit_call = ExitCall {
        input: &input,
        caller: &caller,
        reachable: Reachable::Approver,
        on_disk: OnDisk::Text(plan),
        nonce: &nonce,
        now: now(),
    };
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
        runs_covered: true,
        clear_context: true,
        edited: None,
        steps: None,
        contract_hash: None,
        grants: approval::GrantChanges::default(),
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
    let reader = PlanReader::here(context, &Cancel::default());
    match approval::answer(&context.ledger.state(), &answer, OnDisk::Text(plan), &nonce, &|text| {
        reader.read(context, text)
    }) {
        Answered::Approved { changes, receipt, text, .. } => {
            record_all(context, changes).map_err(NotApplied::Failed)?;
            context.must_record(Change::Stage { plan: receipt.plan.clone(), stage: PlanStage::InProgress });
            context.person.events.send(Event::Decided(ApprovalOutcome::Approved {
                receipt: receipt.clone(),
                notice: None,
                moved: moved.map(<[MovedFile]>::to_vec),
                comments: Vec::new(),
            }));
            let first = first_message(context, &path, (&text, moved.unwrap_or_default()), &receipt);
            begin_afresh(context, &first).map_err(NotApplied::Failed)?;
            let (plan_file_path, plan_hash) = (path, receipt.hash);
            context.person.events.send(Event::PlanImplement { plan_file_path, plan_hash, plan_content: text });
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

/// What the cleared context begins with; the list of what is to do begins as the plan's steps.
fn first_message(
    context: &Arc<SessionContext>,
    path: &str,
    (text, moved): (&str, &[MovedFile]),
    receipt: &Receipt,
) -> String {
    let covers = context.ledger.state().contract().and_then(Contract::summary);
    begin_todos(context, text);
    context.begin_watching();
    let words = Approved {
        path,
        plan: text,
        level: receipt.level.name(),
        covers: covers.as_deref(),
        author: Author::Model,
        changed: "",
        moved: &stale::list(moved),
        steps: &[],
        by: &receipt.by,
        todo_list: Offered::Yes,
        agent_tool: Offered::Yes,
        remark: None,
        comments: &[],
    };
    ApprovalText::StartFromPlan(&words).render()
}
