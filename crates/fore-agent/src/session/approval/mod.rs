//! `EnterPlanMode` and `ExitPlanMode` on a real session: what is written, asked, waited for and told, in that order.
//!
//! The request is an entry on disk before anybody sees it, and every answer is judged against the bytes that were shown.
//! Whatever is not a clear yes means that planning goes on.

mod agent_plan;
pub(super) mod amend;
pub(super) mod apply;
pub(super) mod plan_reader;
mod start_work;

use crate::session::{
    call::{CallResult, ToolCall},
    caller::CallerIdentity,
    history::shown_message::ShownBetween,
    ledger::{Ledger, changed_since},
    person::{
        PersonLink,
        pending_questions::{AnswerKind, GivenAnswer},
    },
    session_context::SessionContext,
    stale,
    team::plans,
};
use crate::{
    command::QuestionId,
    event::{ApprovalAsked, ApprovalOutcome, CallOutcome, Event, NoticeLevel, TurnOutcome},
    lock::lock,
    named_files::MovedFile,
    output::Output,
    turn::AfterCall,
};
use fore_plan::{
    Applied, Change, State,
    approval::{
        self, Answered, ApprovalText, Entering, ExitCall, ExitRequest, ExitResponse, Exiting, GrantChanges, OnDisk,
        Proposal, Reachable, ReadyProposal, SelectedOffer, Timestamp,
    },
    contract::Contract,
    plan::{Author, Hash, MAX_PLAN_BYTES, check},
    workflow,
};
use plan_reader::PlanReader;
use serde_json::json;
use start_work::{ApprovedPlan, start_work};
use std::sync::Arc;

/// Times a plan is shown again because its file changed while it was read.
const MAX_SHOWN: u32 = 50;
/// Entries that a person typed and that are looked up at once.
const MAX_TYPED: usize = 100;

/// The model wants to plan first; the person confirms (C3).
pub(super) async fn enter_plan(call: &ToolCall) -> CallResult {
    let context = &call.context;
    // Not offered then; a model that calls it all the same asks nobody.
    if !context.setup.live().settings.model_may_plan {
        return call.refused(call.no_such_tool());
    }
    match approval::enter::enter(
        &context.ledger.state(),
        &call.input,
        &call.caller.caller(),
        context.person.reachable(),
    ) {
        Entering::Refused(refusal) => return call.refused(refusal),
        Entering::AlreadyPlanning => {
            let path = context.ledger.plan_path().unwrap_or_default();
            return CallResult::text(workflow::enter_already_planning(&path), "plan mode is on already");
        }
        Entering::Confirm => {}
    }
    let id = QuestionId(format!("enter-{}", call.id.0));
    let Some(receiver) = context.person.questions.open(id.clone(), AnswerKind::Confirmation) else {
        return CallResult::of(Output::error("too many questions are open"));
    };
    context.person.events.send(Event::EnterPlanAsked { question: id.clone() });
    let given = context.person.questions.answer(&id, receiver, &call.caller.cancel).await;
    context.person.events.send(Event::QuestionClosed { question: id });
    if !matches!(given, Some(GivenAnswer::Confirmed(true))) {
        return CallResult::text(workflow::enter_declined(), "not now");
    }
    match approval::enter::confirmed(&context.ledger.state()) {
        Err(refusal) => call.refused(refusal),
        Ok(change) => {
            change.into_iter().for_each(|change| context.must_record(change));
            if !context.ledger.is_planning() {
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
    if let CallerIdentity::Agent { id, kind, plans: Some(plans), task, .. } = &call.caller.identity {
        let task = format!("{}: {task}", kind.name);
        return agent_plan::hand_in(call, (id, &task), plans).await;
    }
    let waits = context.ledger.state().pending().cloned();
    if let Err(error) = context.ledger.is_planning().then(|| context.ledger.current_plan()).transpose() {
        return CallResult::of(Output::error(error.to_string()));
    }
    if context.ledger.is_planning() && !context.work.settle_plan().await {
        return CallResult::of(Output::error(
            "something still writes the plan; call ExitPlanMode again when it has ended",
        ));
    }
    let waited = waits.as_ref().map(|waited| waited.hash);
    // Read once, with nothing left that could write it: these bytes are recorded, shown and approved. What the model wrote is
    // noted after each of its calls, so what differs now was somebody else.
    let found = context.ledger.refresh_plan();
    match judge_exit(call, &call.input, found.on_disk()) {
        Exiting::Refused(refusal) => call.refused(refusal),
        Exiting::SubagentDone => CallResult::text(ApprovalText::ApprovedForSubagent.render(), "done"),
        Exiting::AskPerson(asking) | Exiting::Awaits(asking) => match put(call, asking) {
            Err(done) => *done,
            Ok(proposal) if let Some(why) = context.hooks_of_plan(&call.caller, &proposal).await => {
                sent_back_by_hook(context, &proposal, &why)
            }
            Ok(proposal) if context.person.reachable() == Reachable::Nobody => {
                let reader = PlanReader::beside(context, &call.caller.cancel).await;
                let contract = reader.read(context, &proposal.text);
                remember_named(context, &proposal, &contract, waited).await;
                let (plan_hash, contract_hash) = (proposal.hash, contract.hash());
                context.person.events.send(Event::ContractRead {
                    plan_hash,
                    steps: None,
                    contract,
                    contract_hash,
                    added: std::collections::BTreeMap::new(),
                });
                let decided = ApprovalOutcome::Awaits { path: proposal.path.clone(), hash: plan_hash };
                context.hooks_of_decision(&call.caller, (&proposal.path, plan_hash), &decided);
                awaits(&context.person, &proposal)
            }
            Ok(proposal) => {
                let seen = || context.ledger.state().plan().and_then(|plan| plan.seen.clone()).map(|seen| seen.text);
                let text_waited = waits.map(|waited| waited.text).filter(|text| *text != proposal.text);
                wait(call, proposal, text_waited.or_else(seen), waited).await
            }
        },
        Exiting::AskLead(asking, _) => plans::ask_lead(call, asking).await,
        Exiting::Left(asking) => plans::leave(call, asking).await,
    }
}

fn judge_exit(call: &ToolCall, input: &serde_json::Value, on_disk: OnDisk<'_>) -> Exiting {
    let state = call.context.ledger.state();
    let nonce = uuid::Uuid::now_v7().to_string();
    approval::exit(
        &state,
        &ExitCall {
            input,
            caller: &call.caller.caller(),
            reachable: call.context.person.reachable(),
            on_disk,
            nonce: &nonce,
            now: now(),
        },
    )
}

/// Writes what came with the call, then puts the request on disk.
pub(super) fn put(call: &ToolCall, asking: ReadyProposal) -> Result<Proposal, Box<CallResult>> {
    let context = &call.context;
    let asking = match asking.write {
        None => asking,
        Some(inline) => {
            context
                .ledger
                .save_plan(Author::Model, &inline)
                .map_err(|error| Box::new(CallResult::of(Output::error(error.to_string()))))?;
            // Judged again with the revision that was just recorded, by the same buffer: the file is not asked for it.
            match judge_exit(call, &json!({}), OnDisk::Text(&inline)) {
                Exiting::AskPerson(asking) | Exiting::Awaits(asking) | Exiting::AskLead(asking, _) => asking,
                Exiting::Refused(refusal) => return Err(Box::new(call.refused(refusal))),
                Exiting::SubagentDone | Exiting::Left(_) => {
                    return Err(Box::new(CallResult::of(Output::error("the plan could not be proposed"))));
                }
            }
        }
    };
    for change in asking.changes {
        context.try_record(change).map_err(|error| Box::new(CallResult::of(Output::error(error.to_string()))))?;
    }
    match context.ledger.state().pending() {
        Some(pending) if *pending == asking.proposal => Ok(asking.proposal),
        Some(_) | None => {
            Err(Box::new(CallResult::of(Output::error("the request could not be recorded; call ExitPlanMode again"))))
        }
    }
}

/// Nobody can approve: the plan stays on disk and the run ends.
fn awaits(person: &PersonLink, proposal: &Proposal) -> CallResult {
    let (path, hash) = (proposal.path.clone(), proposal.hash);
    person.events.send(Event::Decided(ApprovalOutcome::Awaits { path: path.clone(), hash }));
    CallResult::text(ApprovalText::NobodyCanApprove { path: &path }.render(), "the plan awaits approval")
        .and_then(AfterCall::Park(TurnOutcome::PlanAwaits { path, hash }))
}

/// Shows the request and waits as long as it takes.
async fn wait(
    call: &ToolCall,
    mut proposal: Proposal,
    mut shown_before: Option<String>,
    mut waited: Option<Hash>,
) -> CallResult {
    let context = &call.context;
    // One plan is before the person at a time, those of teammates too.
    let turn = tokio::select! {
        biased;
        () = call.caller.cancel.cancelled() => None,
        turn = context.work.agent_approval.acquire() => turn.ok(),
    };
    if turn.is_none() {
        return unanswered(context, &proposal);
    }
    for _ in 0..MAX_SHOWN {
        let id = QuestionId(proposal.request.0.clone());
        let Some(mut receiver) = context.person.questions.open(id.clone(), AnswerKind::Approval) else {
            return unanswered(context, &proposal);
        };
        let reader = PlanReader::beside(context, &call.caller.cancel).await;
        let contract = reader.read(context, &proposal.text);
        *lock(&context.work.plan_reader) = Some(reader.clone());
        let moved = remember_named(context, &proposal, &contract, waited).await;
        waited = Some(proposal.hash);
        show(call, &proposal, shown_before.as_deref(), (contract.clone(), moved.clone())).await;
        loop {
            let given = context.person.questions.answer(&id, receiver, &call.caller.cancel).await;
            if !context.ledger.is_planning() {
                return left(context);
            }
            let Some(GivenAnswer::Approval(response)) = given else {
                return unanswered(context, &proposal);
            };
            if let SelectedOffer::Unknown(word) = &response.selected {
                context.person.notice(NoticeLevel::Warning, unknown_answer(word, &context.ledger.state(), &contract));
            }
            match judge_answer(context, &proposal, response, &reader) {
                Answered::NotCounted { why } => {
                    context.ledger.note_shown(&ShownBetween::NotCounted(why.clone()));
                    context.person.events.send(Event::Decided(ApprovalOutcome::NotCounted { why: why.clone() }));
                    if context.ledger.state().pending().is_none_or(|pending| pending.request != proposal.request) {
                        let reason = format!("The answer did not count: {why}.");
                        let words = ApprovalText::NoDecision { path: &proposal.path, reason: &reason, changed: None };
                        return CallResult::text(words.render(), "the answer did not count");
                    }
                    match context.person.questions.open(id.clone(), AnswerKind::Approval) {
                        Some(again) => receiver = again,
                        None => return unanswered(context, &proposal),
                    }
                }
                Answered::ShowAgain { changes, proposal: newer, shown } => {
                    if let Err(why) = record_all(context, changes) {
                        return not_recorded(context, &proposal, &why);
                    }
                    let text = "The plan changed on disk after it was shown; here it is again with the difference.";
                    context.person.notice(NoticeLevel::Warning, text);
                    (proposal, shown_before) = (newer, Some(shown));
                    break;
                }
                decided @ Answered::Approved { .. } => {
                    let moved_now = moved_at_approval(context, &proposal, &decided, &moved).await;
                    return decide(call, &proposal, decided, moved_now);
                }
                decided @ (Answered::KeepPlanning { .. }
                | Answered::Saved { .. }
                | Answered::Left { .. }
                | Answered::Discarded { .. }) => return decide(call, &proposal, decided, None),
            }
        }
    }
    taken_back(context, &proposal)
}

/// Remembers the files that a plan names as it is put before somebody; gives those that have moved since it was proposed.
async fn remember_named(
    context: &Arc<SessionContext>,
    proposal: &Proposal,
    contract: &Contract,
    waited: Option<Hash>,
) -> Vec<MovedFile> {
    let (there, plan, contract) = (Arc::clone(context), proposal.hash, contract.clone());
    let look = move || there.moved_at_request(plan, &contract, waited);
    context.setup.runtime.spawn_blocking(look).await.unwrap_or_default()
}

/// What has moved by the time of the yes; what the person could not see in the request is said.
async fn moved_at_approval(
    context: &Arc<SessionContext>,
    proposal: &Proposal,
    decided: &Answered,
    shown: &[MovedFile],
) -> Option<Vec<MovedFile>> {
    let Answered::Approved { receipt, .. } = decided else { return None };
    let (there, plan, approved) = (Arc::clone(context), proposal.hash, receipt.hash);
    let look = move || there.moved_at_approval(plan, approved);
    let moved = context.setup.runtime.spawn_blocking(look).await.ok().flatten()?;
    let unseen: Vec<MovedFile> = moved.iter().filter(|file| !shown.contains(file)).cloned().collect();
    if !unseen.is_empty() {
        let text = format!("Changed while the plan was shown: {}.", stale::named(&unseen));
        context.person.notice(NoticeLevel::Warning, text);
    }
    Some(moved)
}

/// What the plan that waits would cover otherwise, by the same look at the workspace as when it was shown.
pub(super) fn read_contract(context: &Arc<SessionContext>, text: String, steps: Option<Vec<u32>>, added: Vec<String>) {
    let there = Arc::clone(context);
    let read = move || {
        let reader = lock(&there.work.plan_reader).clone();
        let reads = |text: &str| reader.as_ref().map(|reader| reader.read(&there, text)).unwrap_or_default();
        let text = fore_text::cut::bytes(&text, MAX_PLAN_BYTES);
        if let Some(offered) = approval::offered_contract(text, steps.as_deref(), &reads) {
            let plan_hash = Hash::of(text.as_bytes());
            let (contract, contract_hash) = (offered.contract, offered.hash);
            let typed = added.into_iter().take(MAX_TYPED);
            let added = typed.map(|entry| (entry.clone(), GrantChanges::typed(&entry, &reads))).collect();
            there.person.events.send(Event::ContractRead { plan_hash, steps, contract, contract_hash, added });
        }
    };
    drop(context.setup.runtime.spawn_blocking(read));
}

fn judge_answer(
    context: &SessionContext,
    proposal: &Proposal,
    response: ExitResponse,
    reader: &PlanReader,
) -> Answered {
    let answer = response.into_answer(proposal, &context.setup.via, now());
    let (state, found) = (context.ledger.state(), context.ledger.read_plan());
    let nonce = uuid::Uuid::now_v7().to_string();
    approval::answer(&state, &answer, found.on_disk(), &nonce, &|text| reader.read(context, text))
}

/// A word that nobody offered keeps planning; whoever sent it hears which ones there are.
fn unknown_answer(word: &str, state: &State, contract: &Contract) -> String {
    let words: Vec<&str> = approval::offers(state, contract).iter().map(|offer| offer.value.word()).collect();
    let word = fore_text::cut::ellipsis(&fore_text::cut::one_line(word), 40).into_owned();
    format!("`{word}` is not an answer to a plan, so planning continues; the answers are {}.", words.join(", "))
}

/// The request with everything that helps to decide.
async fn show(
    call: &ToolCall,
    proposal: &Proposal,
    shown_before: Option<&str>,
    (contract, moved): (Contract, Vec<MovedFile>),
) {
    let context = &call.context;
    let state = context.ledger.state();
    let typed = lock(&context.work.typed).clone();
    let proof = context.ledger.baseline.proof(&context.setup, &state, typed, &call.caller.cancel);
    let proof = tokio::select! {
        biased;
        () = call.caller.cancel.cancelled() => return,
        proof = proof => proof,
    };
    let project = context.setup.project.clone();
    let exists = |path: &str| project.join(path).exists();
    let changed = changed_since(shown_before, &proposal.text);
    let rehearsals = context.ledger.rehearsals();
    let (there, text) = (Arc::clone(context), proposal.text.clone());
    let estimate = context.setup.runtime.spawn_blocking(move || there.estimate_work(&text)).await.ok().flatten();
    context.person.events.send(Event::ApprovalAsked(ApprovalAsked {
        agent: None,
        agent_task: String::new(),
        request: ExitRequest::new(&context.ledger.state(), proposal, contract),
        notes: check(&proposal.text, context.setup.live().settings.workflow.length, exists),
        changed,
        seen: shown_before.map(str::to_owned),
        proof,
        moved,
        rehearsals,
        context: context.work.context_use(),
        estimate,
        earlier_comments: context.ledger.earlier_comments(),
    }));
    let wanted = "Forethought has a plan that waits for your approval".to_owned();
    context.hooks_of_notification(&call.caller, "permission_prompt", wanted);
}

/// No answer came. A session that ends leaves the request on disk, where it is found again; an interrupt takes it back.
fn unanswered(context: &SessionContext, proposal: &Proposal) -> CallResult {
    if !context.ledger.is_planning() {
        return left(context);
    }
    if context.person.is_closing() {
        return CallResult::text("", "waits for approval").and_then(AfterCall::Park(TurnOutcome::Interrupted));
    }
    match context.person.reachable() {
        Reachable::Nobody => awaits(&context.person, proposal),
        Reachable::Approver => taken_back(context, proposal),
    }
}

/// A hook looked at the plan before anybody else did, and wants another one: planning goes on.
fn sent_back_by_hook(context: &SessionContext, proposal: &Proposal, why: &str) -> CallResult {
    if let Some(change) = approval::cancelled(&context.ledger.state()) {
        context.must_record(change);
    }
    let reason = why.to_owned();
    context.person.events.send(Event::Decided(ApprovalOutcome::KeepPlanning { reason, comments: Vec::new() }));
    let words = ApprovalText::NoDecision { path: &proposal.path, reason: why, changed: None };
    CallResult::text(words.render(), "sent back by a hook")
}

/// Esc and interrupts: planning goes on.
fn taken_back(context: &SessionContext, proposal: &Proposal) -> CallResult {
    if let Some(change) = approval::cancelled(&context.ledger.state()) {
        context.must_record(change);
    }
    context
        .person
        .events
        .send(Event::Decided(ApprovalOutcome::KeepPlanning { reason: String::new(), comments: Vec::new() }));
    let rejected = ApprovalText::Rejected { path: &proposal.path, reason: None, comments: &[], changed: None };
    let words = rejected.render();
    CallResult { outcome: CallOutcome::Interrupted, ..CallResult::text(words, "not approved") }
}

/// The person left plan mode by hand, here or by a key while the request waited. The next prompt says it once more (E6).
fn left(context: &SessionContext) -> CallResult {
    let level = context.ledger.state().level_beneath();
    context.person.events.send(Event::Decided(ApprovalOutcome::Left { level }));
    CallResult::text(ApprovalText::LeftByPerson { level: level.name() }.render(), "left plan mode")
        .and_then(AfterCall::End(TurnOutcome::Done))
}

/// What is not on disk has not happened: planning goes on.
fn not_recorded(context: &SessionContext, proposal: &Proposal, why: &str) -> CallResult {
    context.person.notice(NoticeLevel::Error, format!("The answer could not be recorded, so it does not count: {why}"));
    taken_back(context, proposal)
}

/// A voluntary teammate's own yes: nobody reviewed the plan, and the receipt says so.
pub(super) fn start_voluntary(call: &ToolCall, asking: ReadyProposal) -> CallResult {
    let context = &call.context;
    let (path, text) = (asking.proposal.path.clone(), asking.proposal.text.clone());
    if let Some(inline) = &asking.write
        && let Err(error) = context.ledger.save_plan(Author::Model, inline)
    {
        return CallResult::of(Output::error(error.to_string()));
    }
    if let Err(why) = record_all(context, asking.changes) {
        return CallResult::of(Output::error(why));
    }
    let Some(receipt) = context.ledger.state().plan().and_then(|plan| plan.receipt.clone()) else {
        return CallResult::of(Output::error("the plan could not be recorded; call ExitPlanMode again"));
    };
    context.person.events.send(Event::Decided(ApprovalOutcome::Approved {
        receipt: receipt.clone(),
        notice: None,
        moved: None,
        comments: Vec::new(),
    }));
    let (note, comments, moved) = (String::new(), Vec::new(), Vec::new());
    start_work(call, &path, &ApprovedPlan { receipt, text, note, comments, moved })
}

pub(super) fn decide(
    call: &ToolCall,
    proposal: &Proposal,
    answered: Answered,
    moved: Option<Vec<MovedFile>>,
) -> CallResult {
    decided(call, proposal, answered, moved).unwrap_or_else(|why| not_recorded(&call.context, proposal, &why))
}

fn decided(
    call: &ToolCall,
    proposal: &Proposal,
    answered: Answered,
    moved: Option<Vec<MovedFile>>,
) -> Result<CallResult, String> {
    let context = &call.context;
    let (path, hash) = (proposal.path.clone(), proposal.hash);
    let tell = |decided: ApprovalOutcome| {
        context.hooks_of_decision(&call.caller, (&path, hash), &decided);
        context.person.events.send(Event::Decided(decided));
    };
    Ok(match answered {
        Answered::Approved { changes, receipt, text, write, note, comments, notice } => {
            record_all(context, changes)?;
            if let Some(text) = write {
                context.ledger.put_plan_in_file(&text);
            }
            tell(ApprovalOutcome::Approved {
                receipt: receipt.clone(),
                notice: notice.map(str::to_owned),
                moved: moved.clone().filter(|moved| !moved.is_empty()),
                comments: comments.clone(),
            });
            start_work(call, &path, &ApprovedPlan { receipt, text, note, comments, moved: moved.unwrap_or_default() })
        }
        Answered::KeepPlanning { changes, reason, comments, write } => {
            let changed = write_edits(&context.ledger, proposal, write.as_deref())?;
            record_all(context, changes)?;
            tell(ApprovalOutcome::KeepPlanning { reason: reason.clone(), comments: comments.clone() });
            let changed = changed.as_deref();
            let rejected = ApprovalText::Rejected { path: &path, reason: Some(&reason), comments: &comments, changed };
            let done = CallResult::text(rejected.render(), "keep planning");
            CallResult { reminders: context.plan_edits(), ..done }
        }
        Answered::Saved { changes, write } => {
            let changed = write_edits(&context.ledger, proposal, write.as_deref())?;
            record_all(context, changes)?;
            tell(ApprovalOutcome::Saved { path: path.clone() });
            let hash = write.map_or(hash, |text| Hash::of(text.as_bytes()));
            let done = CallResult::text(
                ApprovalText::SavedAndStopped { path: &path, changed: changed.as_deref() }.render(),
                "the plan is saved",
            );
            done.and_then(AfterCall::End(TurnOutcome::PlanSaved { path, hash }))
        }
        Answered::Left { changes, notice } => {
            record_all(context, changes)?;
            notice.into_iter().for_each(|notice| context.person.notice(NoticeLevel::Info, notice));
            left(context)
        }
        Answered::Discarded { changes } => {
            record_all(context, changes)?;
            tell(ApprovalOutcome::Discarded);
            CallResult::text(ApprovalText::Discarded.render(), "the plan is discarded")
                .and_then(AfterCall::End(TurnOutcome::Done))
        }
        Answered::NotCounted { why } => CallResult::of(Output::error(why)),
        Answered::ShowAgain { .. } => taken_back(context, proposal),
    })
}

/// Writes what the person made of the plan; gives the difference to what they were shown, for the model.
fn write_edits(ledger: &Ledger, proposal: &Proposal, edited: Option<&str>) -> Result<Option<String>, String> {
    let Some(edited) = edited else { return Ok(None) };
    ledger.save_plan(Author::Person, edited).map_err(|error| error.to_string())?;
    Ok(Some(changed_since(Some(&proposal.text), edited)))
}

/// Records changes in order; what is recorded already (by a save) is not recorded twice, and a cut has its own entry. The
/// error says why one of them did not happen.
pub(super) fn record_all(context: &SessionContext, changes: Vec<Change>) -> Result<(), String> {
    for change in changes {
        let is_known = match &change {
            Change::PlanWritten { revision, .. } => context.ledger.plan_hash() == Some(revision.hash),
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
            | Change::Amended { .. }
            | Change::Stage { .. }
            | Change::HumanTurn
            | Change::Told { .. }
            | Change::ReminderFailed { .. }
            | Change::ReminderMended
            | Change::ContextRewound { .. }
            | Change::Allowed { .. }
            | Change::Forgotten { .. } => false,
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

pub(crate) fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
