//! `EnterPlanMode` and `ExitPlanMode` on a real session: what is written, asked, waited for and told, in that order.
//!
//! The request is an entry on disk before anybody sees it, and every answer is judged against the bytes that were shown.
//! Whatever is not a clear yes means that planning goes on.

use super::{
    call::{CallResult, ToolCall},
    pending_questions::{AnswerKind, GivenAnswer},
    plan_file::changed_since,
    session_context::SessionContext,
    start_work::{ApprovedPlan, start_work},
};
use crate::{
    command::QuestionId,
    event::{ApprovalAsked, ApprovalOutcome, CallOutcome, Event, NoticeLevel, TurnOutcome},
    output::Output,
    turn::AfterCall,
};
use fore_plan::{
    Applied, Change,
    approval::{
        self, Answered, Entering, ExitCall, ExitRequest, ExitResponse, Exiting, OnDisk, Proposal, Reachable,
        ReadyProposal, Timestamp, text,
    },
    plan::{Author, Hash, check},
    reminder::Notice,
    workflow,
};
use serde_json::json;

/// Times a plan is shown again because its file changed while it was read.
const MAX_SHOWN: u32 = 50;

/// The model wants to plan first; the person confirms (C3).
pub(super) async fn enter_plan(call: &ToolCall) -> CallResult {
    let context = &call.context;
    // Not offered then; a model that calls it all the same asks nobody.
    if !context.settings.model_may_plan {
        return call.refused(call.no_such_tool());
    }
    match approval::enter::enter(&context.state(), &call.input, &call.caller.caller(), context.reachable()) {
        Entering::Refused(refusal) => return call.refused(refusal),
        Entering::AlreadyPlanning => {
            let path = context.plan_path().unwrap_or_default();
            return CallResult::text(workflow::enter_already_planning(&path), "plan mode is on already");
        }
        Entering::Confirm => {}
    }
    let id = QuestionId(format!("enter-{}", call.id.0));
    let Some(receiver) = context.questions.open(id.clone(), AnswerKind::Confirmation) else {
        return CallResult::of(Output::error("too many questions are open"));
    };
    context.events.send(Event::EnterPlanAsked { question: id.clone() });
    let given = context.questions.answer(&id, receiver, &call.caller.cancel).await;
    context.events.send(Event::QuestionClosed { question: id });
    if !matches!(given, Some(GivenAnswer::Confirmed(true))) {
        return CallResult::text(workflow::enter_declined(), "not now");
    }
    match approval::enter::confirmed(&context.state()) {
        Err(refusal) => call.refused(refusal),
        Ok(change) => {
            change.into_iter().for_each(|change| context.must_record(change));
            if !context.is_planning() {
                return CallResult::of(Output::error("plan mode could not be entered; the person was told why"));
            }
            // The person has just said yes, so this is their turn as much as a prompt is: the workflow is told at once.
            CallResult { reminders: context.due_reminders(), ..CallResult::text(workflow::entered(), "planning") }
        }
    }
}

/// The model asks for approval (D1).
pub(super) async fn exit_plan(call: &ToolCall) -> CallResult {
    let context = &call.context;
    let waits = context.state().pending().cloned();
    if let Err(error) = context.is_planning().then(|| context.current_plan()).transpose() {
        return CallResult::of(Output::error(error.to_string()));
    }
    if context.is_planning() && !context.settle_plan().await {
        return CallResult::of(Output::error(
            "something still writes the plan; call ExitPlanMode again when it has ended",
        ));
    }
    // Read once, with nothing left that could write it: these bytes are recorded, shown and approved. What the model wrote is
    // noted after each of its calls, so what differs now was somebody else.
    let found = context.refresh_plan();
    match judge_exit(call, &call.input, found.on_disk()) {
        Exiting::Refused(refusal) => call.refused(refusal),
        Exiting::SubagentDone => CallResult::text(text::approved_for_subagent(), "done"),
        Exiting::AskPerson(asking) | Exiting::Awaits(asking) => match put(call, asking) {
            Err(done) => *done,
            Ok(proposal) if context.reachable() == Reachable::Nobody => awaits(context, &proposal),
            Ok(proposal) => {
                let seen = || context.state().plan().and_then(|plan| plan.seen.clone()).map(|seen| seen.text);
                let waited = waits.map(|waited| waited.text).filter(|text| *text != proposal.text);
                wait(call, proposal, waited.or_else(seen)).await
            }
        },
        // Teammates are sessions of their own; this one has no lead.
        Exiting::AskLead(..) | Exiting::Left(_) => {
            CallResult::of(Output::error("this session belongs to a team, which this program does not serve yet"))
        }
    }
}

fn judge_exit(call: &ToolCall, input: &serde_json::Value, on_disk: OnDisk<'_>) -> Exiting {
    let state = call.context.state();
    let nonce = uuid::Uuid::now_v7().to_string();
    approval::exit(
        &state,
        &ExitCall {
            input,
            caller: &call.caller.caller(),
            reachable: call.context.reachable(),
            on_disk,
            nonce: &nonce,
            now: now(),
        },
    )
}

/// Writes what came with the call, then puts the request on disk.
fn put(call: &ToolCall, asking: ReadyProposal) -> Result<Proposal, Box<CallResult>> {
    let context = &call.context;
    let asking = match asking.write {
        None => asking,
        Some(inline) => {
            context
                .save_plan(Author::Model, &inline)
                .map_err(|error| Box::new(CallResult::of(Output::error(error.to_string()))))?;
            // Judged again with the revision that was just recorded, by the same buffer: the file is not asked for it.
            match judge_exit(call, &json!({}), OnDisk::Text(&inline)) {
                Exiting::AskPerson(asking) | Exiting::Awaits(asking) => asking,
                Exiting::Refused(refusal) => return Err(Box::new(call.refused(refusal))),
                Exiting::SubagentDone | Exiting::AskLead(..) | Exiting::Left(_) => {
                    return Err(Box::new(CallResult::of(Output::error("the plan could not be proposed"))));
                }
            }
        }
    };
    for change in asking.changes {
        context.try_record(change).map_err(|error| Box::new(CallResult::of(Output::error(error.to_string()))))?;
    }
    match context.state().pending() {
        Some(pending) if *pending == asking.proposal => Ok(asking.proposal),
        Some(_) | None => {
            Err(Box::new(CallResult::of(Output::error("the request could not be recorded; call ExitPlanMode again"))))
        }
    }
}

/// Nobody can approve: the plan stays on disk and the run ends.
fn awaits(context: &SessionContext, proposal: &Proposal) -> CallResult {
    let (path, hash) = (proposal.path.clone(), proposal.hash);
    context.events.send(Event::Decided(ApprovalOutcome::Awaits { path: path.clone(), hash }));
    CallResult::text(text::nobody_can_approve(&path), "the plan awaits approval")
        .and_then(AfterCall::Park(TurnOutcome::PlanAwaits { path, hash }))
}

/// Shows the request and waits as long as it takes.
async fn wait(call: &ToolCall, mut proposal: Proposal, mut shown_before: Option<String>) -> CallResult {
    let context = &call.context;
    for _ in 0..MAX_SHOWN {
        let id = QuestionId(proposal.request.0.clone());
        let Some(mut receiver) = context.questions.open(id.clone(), AnswerKind::Approval) else {
            return unanswered(context, &proposal);
        };
        show(call, &proposal, shown_before.as_deref()).await;
        loop {
            let given = context.questions.answer(&id, receiver, &call.caller.cancel).await;
            if !context.is_planning() {
                return left(context);
            }
            let Some(GivenAnswer::Approval(response)) = given else {
                return unanswered(context, &proposal);
            };
            match judge_answer(context, &proposal, response) {
                Answered::NotCounted { why } => {
                    context.events.send(Event::Decided(ApprovalOutcome::NotCounted { why: why.clone() }));
                    if context.state().pending().is_none_or(|pending| pending.request != proposal.request) {
                        let reason = format!("The answer did not count: {why}.");
                        let words = text::NoDecision { path: &proposal.path, reason: &reason, changed: None };
                        return CallResult::text(text::keep_planning(&words), "the answer did not count");
                    }
                    match context.questions.open(id.clone(), AnswerKind::Approval) {
                        Some(again) => receiver = again,
                        None => return unanswered(context, &proposal),
                    }
                }
                Answered::ShowAgain { changes, proposal: newer, shown } => {
                    if let Err(why) = record_all(context, changes) {
                        return not_recorded(context, &proposal, &why);
                    }
                    let text = "The plan changed on disk after it was shown; here it is again with the difference.";
                    context.notice(NoticeLevel::Warning, text);
                    (proposal, shown_before) = (newer, Some(shown));
                    break;
                }
                decided @ (Answered::Approved { .. }
                | Answered::KeepPlanning { .. }
                | Answered::Saved { .. }
                | Answered::Left { .. }
                | Answered::Discarded { .. }) => return decide(call, &proposal, decided),
            }
        }
    }
    taken_back(context, &proposal)
}

fn judge_answer(context: &SessionContext, proposal: &Proposal, response: ExitResponse) -> Answered {
    let answer = response.into_answer(proposal, &context.via, now());
    let (state, found) = (context.state(), context.read_plan());
    approval::answer(&state, &answer, found.on_disk(), &uuid::Uuid::now_v7().to_string())
}

/// The request with everything that helps to decide.
async fn show(call: &ToolCall, proposal: &Proposal, shown_before: Option<&str>) {
    let context = &call.context;
    let proof = tokio::select! {
        biased;
        () = call.caller.cancel.cancelled() => return,
        proof = context.proof(&call.caller.cancel) => proof,
    };
    let project = context.project.clone();
    let exists = |path: &str| project.join(path).exists();
    let changed = changed_since(shown_before, &proposal.text);
    context.events.send(Event::ApprovalAsked(ApprovalAsked {
        request: ExitRequest::new(&context.state(), proposal),
        notes: check::check(&proposal.text, context.settings.workflow.length, exists),
        changed,
        seen: shown_before.map(str::to_owned),
        proof,
        context: context.context_use(),
        earlier_comments: context.earlier_comments(),
    }));
}

/// No answer came. A session that ends leaves the request on disk, where it is found again; an interrupt takes it back.
fn unanswered(context: &SessionContext, proposal: &Proposal) -> CallResult {
    if !context.is_planning() {
        return left(context);
    }
    if context.is_closing() {
        return CallResult::text("", "waits for approval").and_then(AfterCall::Park(TurnOutcome::Interrupted));
    }
    match context.reachable() {
        Reachable::Nobody => awaits(context, proposal),
        Reachable::Approver => taken_back(context, proposal),
    }
}

/// Esc and interrupts: planning goes on.
fn taken_back(context: &SessionContext, proposal: &Proposal) -> CallResult {
    if let Some(change) = approval::cancelled(&context.state()) {
        context.must_record(change);
    }
    context.events.send(Event::Decided(ApprovalOutcome::KeepPlanning { reason: String::new() }));
    let rejected = text::Rejected { path: &proposal.path, reason: None, comments: &[], changed: None };
    let words = text::rejected(&rejected);
    CallResult { outcome: CallOutcome::Interrupted, ..CallResult::text(words, "not approved") }
}

/// The person left plan mode by hand, here or by a key while the request waited. The result is all the model hears of it.
fn left(context: &SessionContext) -> CallResult {
    let level = context.state().level_beneath();
    context.mark_told(&[Notice::Exit]);
    context.events.send(Event::Decided(ApprovalOutcome::Left { level }));
    CallResult::text(text::left_by_person(level.name()), "left plan mode").and_then(AfterCall::End(TurnOutcome::Done))
}

/// What is not on disk has not happened: planning goes on.
fn not_recorded(context: &SessionContext, proposal: &Proposal, why: &str) -> CallResult {
    context.notice(NoticeLevel::Error, format!("The answer could not be recorded, so it does not count: {why}"));
    taken_back(context, proposal)
}

fn decide(call: &ToolCall, proposal: &Proposal, answered: Answered) -> CallResult {
    decided(call, proposal, answered).unwrap_or_else(|why| not_recorded(&call.context, proposal, &why))
}

fn decided(call: &ToolCall, proposal: &Proposal, answered: Answered) -> Result<CallResult, String> {
    let context = &call.context;
    let (path, hash) = (proposal.path.clone(), proposal.hash);
    let tell = |decided| context.events.send(Event::Decided(decided));
    Ok(match answered {
        Answered::Approved { changes, receipt, text, write, note, comments, notice } => {
            record_all(context, changes)?;
            if let Some(text) = write {
                context.put_plan_in_file(&text);
            }
            tell(ApprovalOutcome::Approved { receipt: receipt.clone(), notice: notice.map(str::to_owned) });
            start_work(call, &path, &ApprovedPlan { receipt, text, note, comments })
        }
        Answered::KeepPlanning { changes, reason, comments, write } => {
            let changed = write_edits(context, proposal, write.as_deref())?;
            record_all(context, changes)?;
            tell(ApprovalOutcome::KeepPlanning { reason: reason.clone() });
            let changed = changed.as_deref();
            let rejected = text::Rejected { path: &path, reason: Some(&reason), comments: &comments, changed };
            let done = CallResult::text(text::rejected(&rejected), "keep planning");
            CallResult { reminders: context.plan_edits(), ..done }
        }
        Answered::Saved { changes, write } => {
            let changed = write_edits(context, proposal, write.as_deref())?;
            record_all(context, changes)?;
            tell(ApprovalOutcome::Saved { path: path.clone() });
            let hash = write.map_or(hash, |text| Hash::of(text.as_bytes()));
            let done = CallResult::text(text::saved_and_stopped(&path, changed.as_deref()), "the plan is saved");
            done.and_then(AfterCall::End(TurnOutcome::PlanSaved { path, hash }))
        }
        Answered::Left { changes, notice } => {
            record_all(context, changes)?;
            notice.into_iter().for_each(|notice| context.notice(NoticeLevel::Info, notice));
            left(context)
        }
        Answered::Discarded { changes } => {
            record_all(context, changes)?;
            tell(ApprovalOutcome::Discarded);
            CallResult::text(text::discarded(), "the plan is discarded").and_then(AfterCall::End(TurnOutcome::Done))
        }
        Answered::NotCounted { why } => CallResult::of(Output::error(why)),
        Answered::ShowAgain { .. } => taken_back(context, proposal),
    })
}

/// Writes what the person made of the plan; gives the difference to what they were shown, for the model.
fn write_edits(context: &SessionContext, proposal: &Proposal, edited: Option<&str>) -> Result<Option<String>, String> {
    let Some(edited) = edited else { return Ok(None) };
    context.save_plan(Author::Person, edited).map_err(|error| error.to_string())?;
    Ok(Some(changed_since(Some(&proposal.text), edited)))
}

/// Records changes in order; what is recorded already (by a save) is not recorded twice, and a cut has its own entry. The
/// error says why one of them did not happen.
pub(super) fn record_all(context: &SessionContext, changes: Vec<Change>) -> Result<(), String> {
    for change in changes {
        let is_known = match &change {
            Change::PlanWritten { revision, .. } => context.plan_hash() == Some(revision.hash),
            Change::ContextCut => true,
            Change::Started { .. }
            | Change::Mode { .. }
            | Change::Openings { .. }
            | Change::SettingsRead
            | Change::AutoDuringPlan { .. }
            | Change::AutoVerdict { .. }
            | Change::PlanNamed { .. }
            | Change::PlanEditedOutside { .. }
            | Change::Proposed(_)
            | Change::Decided { .. }
            | Change::Stage { .. }
            | Change::HumanTurn
            | Change::Told { .. }
            | Change::ReminderFailed { .. }
            | Change::ReminderMended
            | Change::ContextRewound { .. }
            | Change::Allowed { .. } => false,
        };
        if is_known {
            continue;
        }
        if let Applied::Ignored(why) = context.record(change).map_err(|error| error.to_string())? {
            return Err(why.to_owned());
        }
    }
    Ok(())
}

pub(super) fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
