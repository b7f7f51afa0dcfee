//! `EnterPlanMode` and `ExitPlanMode` on a real session: what is written, asked, waited for and told, in that order.
//!
//! The request is an entry on disk before anybody sees it, and every answer is judged against the bytes that were shown.
//! Whatever is not a clear yes means that planning goes on.

use super::{
    call::{Call, Done},
    desk::Desk,
    plan_file::changed_since,
    waiting::{Given, Wants},
    work::{Approval, start_work},
};
use crate::{
    command::QuestionId,
    event::{ApprovalAsked, Decided, Event, NoticeLevel, Outcome, TurnOutcome},
    output::Output,
    turn::Then,
};
use fore_plan::{
    Applied, Change,
    approval::{
        self, Answered, Asking, Entering, ExitCall, ExitRequest, ExitResponse, Exiting, OnDisk, Proposal, Reachable,
        Timestamp, text,
    },
    plan::{Author, Hash, check},
    reminder::Notice,
    workflow,
};
use serde_json::json;

/// Times a plan is shown again because its file changed while it was read.
const MOST_SHOWN: u32 = 50;

/// The model wants to plan first; the person confirms (C3).
pub(super) async fn enter_plan(call: &Call) -> Done {
    let desk = &call.desk;
    // Not offered then; a model that calls it all the same asks nobody.
    if !desk.settings.model_may_plan {
        return call.refused(call.no_such_tool());
    }
    match approval::enter::enter(&desk.state(), &call.input, &call.seat.caller(), desk.reachable()) {
        Entering::Refused(refusal) => return call.refused(refusal),
        Entering::AlreadyPlanning => {
            let path = desk.plan_path().unwrap_or_default();
            return Done::text(workflow::enter_already_planning(&path), "plan mode is on already");
        }
        Entering::Confirm => {}
    }
    let id = QuestionId(format!("enter-{}", call.id.0));
    let Some(receiver) = desk.waiting.open(id.clone(), Wants::Confirmation) else {
        return Done::of(Output::error("too many questions are open"));
    };
    desk.outbox.send(Event::EnterPlanAsked { question: id.clone() });
    let given = desk.waiting.answer(&id, receiver, &call.seat.cancel).await;
    desk.outbox.send(Event::QuestionClosed { question: id });
    if !matches!(given, Some(Given::Confirmed(true))) {
        return Done::text(workflow::enter_declined(), "not now");
    }
    match approval::enter::confirmed(&desk.state()) {
        Err(refusal) => call.refused(refusal),
        Ok(change) => {
            change.into_iter().for_each(|change| desk.must_record(change));
            if !desk.plans() {
                return Done::of(Output::error("plan mode could not be entered; the person was told why"));
            }
            // The person has just said yes, so this is their turn as much as a prompt is: the workflow is told at once.
            Done { reminders: desk.due_reminders(), ..Done::text(workflow::entered(), "planning") }
        }
    }
}

/// The model asks for approval (D1).
pub(super) async fn exit_plan(call: &Call) -> Done {
    let desk = &call.desk;
    let waits = desk.state().pending().cloned();
    if let Err(error) = desk.plans().then(|| desk.current_plan()).transpose() {
        return Done::of(Output::error(error.to_string()));
    }
    if desk.plans() && !desk.settle_plan().await {
        return Done::of(Output::error("something still writes the plan; call ExitPlanMode again when it has ended"));
    }
    // Read once, with nothing left that could write it: these bytes are recorded, shown and approved. What the model wrote is
    // noted after each of its calls, so what differs now was somebody else.
    let found = desk.look_at_plan();
    match judge_exit(call, &call.input, found.on_disk()) {
        Exiting::Refused(refusal) => call.refused(refusal),
        Exiting::SubagentDone => Done::text(text::approved_for_subagent(), "done"),
        Exiting::AskPerson(asking) | Exiting::Awaits(asking) => match put(call, asking) {
            Err(done) => *done,
            Ok(proposal) if desk.reachable() == Reachable::Nobody => awaits(desk, &proposal),
            Ok(proposal) => {
                let seen = || desk.state().plan().and_then(|plan| plan.seen.clone()).map(|seen| seen.text);
                let waited = waits.map(|waited| waited.text).filter(|text| *text != proposal.text);
                wait(call, proposal, waited.or_else(seen)).await
            }
        },
        // Teammates are sessions of their own; this one has no lead.
        Exiting::AskLead(..) | Exiting::Left(_) => {
            Done::of(Output::error("this session belongs to a team, which this program does not serve yet"))
        }
    }
}

fn judge_exit(call: &Call, input: &serde_json::Value, on_disk: OnDisk<'_>) -> Exiting {
    let state = call.desk.state();
    let nonce = uuid::Uuid::now_v7().to_string();
    approval::exit(
        &state,
        &ExitCall {
            input,
            caller: &call.seat.caller(),
            reachable: call.desk.reachable(),
            on_disk,
            nonce: &nonce,
            now: now(),
        },
    )
}

/// Writes what came with the call, then puts the request on disk.
fn put(call: &Call, asking: Asking) -> Result<Proposal, Box<Done>> {
    let desk = &call.desk;
    let asking = match asking.write {
        None => asking,
        Some(inline) => {
            desk.save_plan(Author::Model, &inline)
                .map_err(|error| Box::new(Done::of(Output::error(error.to_string()))))?;
            // Judged again with the revision that was just recorded, by the same buffer: the file is not asked for it.
            match judge_exit(call, &json!({}), OnDisk::Text(&inline)) {
                Exiting::AskPerson(asking) | Exiting::Awaits(asking) => asking,
                Exiting::Refused(refusal) => return Err(Box::new(call.refused(refusal))),
                Exiting::SubagentDone | Exiting::AskLead(..) | Exiting::Left(_) => {
                    return Err(Box::new(Done::of(Output::error("the plan could not be proposed"))));
                }
            }
        }
    };
    for change in asking.changes {
        desk.try_record(change).map_err(|error| Box::new(Done::of(Output::error(error.to_string()))))?;
    }
    match desk.state().pending() {
        Some(pending) if *pending == asking.proposal => Ok(asking.proposal),
        Some(_) | None => {
            Err(Box::new(Done::of(Output::error("the request could not be recorded; call ExitPlanMode again"))))
        }
    }
}

/// Nobody can approve: the plan stays on disk and the run ends.
fn awaits(desk: &Desk, proposal: &Proposal) -> Done {
    let (path, hash) = (proposal.path.clone(), proposal.hash);
    desk.outbox.send(Event::Decided(Decided::Awaits { path: path.clone(), hash }));
    Done::text(text::nobody_can_approve(&path), "the plan awaits approval")
        .and_then(Then::Park(TurnOutcome::PlanAwaits { path, hash }))
}

/// Shows the request and waits as long as it takes.
async fn wait(call: &Call, mut proposal: Proposal, mut shown_before: Option<String>) -> Done {
    let desk = &call.desk;
    for _ in 0..MOST_SHOWN {
        let id = QuestionId(proposal.request.0.clone());
        let Some(mut receiver) = desk.waiting.open(id.clone(), Wants::Approval) else {
            return unanswered(desk, &proposal);
        };
        show(call, &proposal, shown_before.as_deref()).await;
        loop {
            let given = desk.waiting.answer(&id, receiver, &call.seat.cancel).await;
            if !desk.plans() {
                return left(desk);
            }
            let Some(Given::Approval(response)) = given else {
                return unanswered(desk, &proposal);
            };
            match judge_answer(desk, &proposal, response) {
                Answered::NotCounted { why } => {
                    desk.outbox.send(Event::Decided(Decided::NotCounted { why: why.clone() }));
                    if desk.state().pending().is_none_or(|pending| pending.request != proposal.request) {
                        let reason = format!("The answer did not count: {why}.");
                        let words = text::NoDecision { path: &proposal.path, reason: &reason, changed: None };
                        return Done::text(text::keep_planning(&words), "the answer did not count");
                    }
                    match desk.waiting.open(id.clone(), Wants::Approval) {
                        Some(again) => receiver = again,
                        None => return unanswered(desk, &proposal),
                    }
                }
                Answered::ShowAgain { changes, proposal: newer, shown } => {
                    if let Err(why) = record_all(desk, changes) {
                        return not_recorded(desk, &proposal, &why);
                    }
                    let text = "The plan changed on disk after it was shown; here it is again with the difference.";
                    desk.notice(NoticeLevel::Warning, text);
                    (proposal, shown_before) = (newer, Some(shown));
                    break;
                }
                decided => return decide(call, &proposal, decided),
            }
        }
    }
    taken_back(desk, &proposal)
}

fn judge_answer(desk: &Desk, proposal: &Proposal, response: ExitResponse) -> Answered {
    let answer = response.into_answer(proposal, &desk.via, now());
    let (state, found) = (desk.state(), desk.read_plan());
    approval::answer(&state, &answer, found.on_disk(), &uuid::Uuid::now_v7().to_string())
}

/// The request with everything that helps to decide.
async fn show(call: &Call, proposal: &Proposal, shown_before: Option<&str>) {
    let desk = &call.desk;
    let proof = tokio::select! {
        biased;
        () = call.seat.cancel.cancelled() => return,
        proof = desk.proof(&call.seat.cancel) => proof,
    };
    let project = desk.project.clone();
    let exists = |path: &str| project.join(path).exists();
    let changed = changed_since(shown_before, &proposal.text);
    desk.outbox.send(Event::ApprovalAsked(ApprovalAsked {
        request: ExitRequest::new(&desk.state(), proposal),
        notes: check::check(&proposal.text, desk.settings.workflow.length, exists),
        changed,
        seen: shown_before.map(str::to_owned),
        proof,
        context: desk.context_use(),
        earlier_comments: desk.earlier_comments(),
    }));
}

/// No answer came. A session that ends leaves the request on disk, where it is found again; an interrupt takes it back.
fn unanswered(desk: &Desk, proposal: &Proposal) -> Done {
    if !desk.plans() {
        return left(desk);
    }
    if desk.is_closing() {
        return Done::text("", "waits for approval").and_then(Then::Park(TurnOutcome::Interrupted));
    }
    match desk.reachable() {
        Reachable::Nobody => awaits(desk, proposal),
        Reachable::Approver => taken_back(desk, proposal),
    }
}

/// Esc and interrupts: planning goes on.
fn taken_back(desk: &Desk, proposal: &Proposal) -> Done {
    if let Some(change) = approval::cancelled(&desk.state()) {
        desk.must_record(change);
    }
    desk.outbox.send(Event::Decided(Decided::KeepPlanning { reason: String::new() }));
    let rejected = text::Rejected { path: &proposal.path, words: None, comments: &[], changed: None };
    let words = text::rejected(&rejected);
    Done { outcome: Outcome::Interrupted, ..Done::text(words, "not approved") }
}

/// The person left plan mode by hand, here or by a key while the request waited. The result is all the model hears of it.
fn left(desk: &Desk) -> Done {
    let level = desk.state().level_beneath();
    desk.told(&[Notice::Exit]);
    desk.outbox.send(Event::Decided(Decided::Left { level }));
    Done::text(text::left_by_person(level.name()), "left plan mode").and_then(Then::End(TurnOutcome::Done))
}

/// What is not on disk has not happened: planning goes on.
fn not_recorded(desk: &Desk, proposal: &Proposal, why: &str) -> Done {
    desk.notice(NoticeLevel::Error, format!("The answer could not be recorded, so it does not count: {why}"));
    taken_back(desk, proposal)
}

fn decide(call: &Call, proposal: &Proposal, answered: Answered) -> Done {
    decided(call, proposal, answered).unwrap_or_else(|why| not_recorded(&call.desk, proposal, &why))
}

fn decided(call: &Call, proposal: &Proposal, answered: Answered) -> Result<Done, String> {
    let desk = &call.desk;
    let (path, hash) = (proposal.path.clone(), proposal.hash);
    let tell = |decided| desk.outbox.send(Event::Decided(decided));
    Ok(match answered {
        Answered::Approved { changes, receipt, text, write, note, comments, notice } => {
            record_all(desk, changes)?;
            if let Some(text) = write {
                desk.put_plan_in_file(&text);
            }
            tell(Decided::Approved { receipt: receipt.clone(), notice: notice.map(str::to_owned) });
            start_work(call, &path, &Approval { receipt, text, note, comments })
        }
        Answered::KeepPlanning { changes, reason, comments, write } => {
            let changed = keep_edits(desk, proposal, write.as_deref())?;
            record_all(desk, changes)?;
            tell(Decided::KeepPlanning { reason: reason.clone() });
            let changed = changed.as_deref();
            let rejected = text::Rejected { path: &path, words: Some(&reason), comments: &comments, changed };
            let done = Done::text(text::rejected(&rejected), "keep planning");
            Done { reminders: desk.plan_edits(), ..done }
        }
        Answered::Saved { changes, write } => {
            let changed = keep_edits(desk, proposal, write.as_deref())?;
            record_all(desk, changes)?;
            tell(Decided::Saved { path: path.clone() });
            let hash = write.map_or(hash, |text| Hash::of(text.as_bytes()));
            let done = Done::text(text::saved_and_stopped(&path, changed.as_deref()), "the plan is saved");
            done.and_then(Then::End(TurnOutcome::PlanSaved { path, hash }))
        }
        Answered::Left { changes, notice } => {
            record_all(desk, changes)?;
            notice.into_iter().for_each(|notice| desk.notice(NoticeLevel::Info, notice));
            left(desk)
        }
        Answered::Discarded { changes } => {
            record_all(desk, changes)?;
            tell(Decided::Discarded);
            Done::text(text::discarded(), "the plan is discarded").and_then(Then::End(TurnOutcome::Done))
        }
        Answered::NotCounted { why } => Done::of(Output::error(why)),
        Answered::ShowAgain { .. } => taken_back(desk, proposal),
    })
}

/// Writes what the person made of the plan; gives the difference to what they were shown, for the model.
fn keep_edits(desk: &Desk, proposal: &Proposal, edited: Option<&str>) -> Result<Option<String>, String> {
    let Some(edited) = edited else { return Ok(None) };
    desk.save_plan(Author::Person, edited).map_err(|error| error.to_string())?;
    Ok(Some(changed_since(Some(&proposal.text), edited)))
}

/// Records changes in order; what is recorded already (by a save) is not recorded twice, and a cut has its own entry. The
/// error says why one of them did not happen.
pub(super) fn record_all(desk: &Desk, changes: Vec<Change>) -> Result<(), String> {
    for change in changes {
        let is_known = match &change {
            Change::PlanWritten { revision, .. } => desk.plan_hash() == Some(revision.hash),
            Change::ContextCut => true,
            _ => false,
        };
        if is_known {
            continue;
        }
        if let Applied::Ignored(why) = desk.record(change).map_err(|error| error.to_string())? {
            return Err(why.to_owned());
        }
    }
    Ok(())
}

pub(super) fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
