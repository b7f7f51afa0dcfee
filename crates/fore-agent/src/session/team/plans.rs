//! The plan of a teammate on its way: from the teammate to whoever decides, and the one decision back.
//!
//! A request waits in the store, through crashes of either side and for as long as it takes. It is decided once, for the bytes that were
//! shown; the teammate judges the decision again before it counts, by its own state and by the mode of its lead at that moment.

use super::{JoinedTeam, TurnStanding, mail::filled};
use crate::{
    command::QuestionId,
    control::answer_plan::{AnswerCall, PlanWord},
    event::{AgentId, ApprovalAsked, ApprovalOutcome, Event, NoticeLevel, Proof, TurnOutcome},
    output::Output,
    session::{
        approval::{decide, now, put, record_all, start_voluntary},
        call::{CallResult, ToolCall},
        drive::Driver,
        person::pending_questions::{AnswerKind, GivenAnswer},
        session_context::SessionContext,
    },
    turn::AfterCall,
};
use fore_plan::{
    Change, Level, Mode, SessionRole, State, ToolName,
    approval::{
        self, Answered, ApprovalText, Approver, Choice, Comment, Decider, ExitRequest, ExitResponse, OfferKind, OnDisk,
        Proposal, Reachable, ReadyProposal, RequestId, SelectedOffer,
    },
    contract::Contract,
    plan::{Author, Hash, PlanId, Revision, check},
    team::{self, PlanApprovalRequest, PlanApprovalResponse, TeamApprover},
};
use fore_team::{DecisionDraft, DecisionOutcome, MailBody, MessageId, Outgoing, PlanRequest, RequestVerdict};
use std::{collections::HashSet, sync::Arc, time::Duration};

/// What stands where a session's own plan has its proof.
const READS_ALONE: &str = "This teammate could only read while it planned.";
/// How long a plan of a teammate in another program may lie before it is seen.
const LOOKS: Duration = Duration::from_secs(2);

// ---- the teammate's side

/// A required teammate hands its plan in: the request is on disk here and in the store before anybody is told.
pub(in crate::session) async fn ask_lead(call: &ToolCall, asking: ReadyProposal) -> CallResult {
    let context = &call.context;
    let Some(joined) = context.setup.team.joined().cloned() else {
        return CallResult::of(Output::error("this session has lost its team, so nobody can approve the plan"));
    };
    let before = context.ledger.state().pending().map(|pending| pending.request.clone());
    let proposal = match put(call, asking) {
        Ok(proposal) => proposal,
        Err(done) => return *done,
    };
    if let Some(before) = before.filter(|before| *before != proposal.request)
        && let Err(error) = joined.membership.withdraw(&before).await
    {
        context.person.notice(NoticeLevel::Warning, format!("The earlier request was not taken back: {error}"));
    }
    let request = team::request(&proposal, joined.membership.name().as_str(), now());
    if let Err(error) = joined.membership.ask_approval(request).await {
        if let Some(change) = approval::cancelled(&context.ledger.state()) {
            context.must_record(change);
        }
        return CallResult::of(Output::error(format!(
            "the plan did not reach your lead: {error}; call ExitPlanMode again"
        )));
    }
    context.tell_team_status(TurnStanding::Runs).await;
    let (path, hash) = (proposal.path.clone(), proposal.hash);
    let told = ApprovalText::WaitingForLead { path: &path, request: &proposal.request.0 }.render();
    CallResult::text(told, format!("the plan waits for {}", joined.membership.lead()))
        .and_then(AfterCall::End(TurnOutcome::PlanAwaits { path, hash }))
}

/// A voluntary teammate leaves plan mode by itself, unless its lead plans: then nobody may begin.
pub(in crate::session) async fn leave(call: &ToolCall, asking: ReadyProposal) -> CallResult {
    let context = &call.context;
    let Some(joined) = context.setup.team.joined() else {
        return CallResult::of(Output::error("this session has lost its team"));
    };
    if joined.lead_mode().await == Mode::Plan {
        let why = format!(
            "{} plans, so nobody of the team carries anything out yet; keep the plan, end your answer and wait for a message",
            joined.membership.lead()
        );
        return CallResult::of(Output::error(why));
    }
    start_voluntary(call, asking)
}

/// What was asked before a restart is asked again: the store knows it already, or learns it now. A decision that was taken meanwhile lies in
/// the inbox.
pub(super) async fn ask_again(context: &Arc<SessionContext>, joined: &Arc<JoinedTeam>) {
    let state = context.ledger.state();
    let Some(pending) = state.pending().filter(|pending| matches!(pending.approver, Approver::Lead { .. })) else {
        return;
    };
    let request = team::request(pending, joined.membership.name().as_str(), now());
    if let Err(error) = joined.membership.ask_approval(request).await {
        context.person.notice(
            NoticeLevel::Warning,
            format!("Your plan still waits here, but your lead was not asked again: {error}"),
        );
    }
}

/// The decision about this session's plan has come: what the model is told, if it counts.
pub(super) async fn answered(
    driver: &mut Driver,
    joined: &Arc<JoinedTeam>,
    response: &PlanApprovalResponse,
) -> Option<String> {
    let context = Arc::clone(&driver.context);
    let lead_mode = joined.lead_mode().await;
    let found = context.ledger.refresh_plan();
    let state = context.ledger.state();
    let receipt = state.plan().and_then(|plan| plan.receipt.as_ref()).filter(|it| it.request == response.request_id);
    if let Some(receipt) = receipt {
        // It counted before a crash, and the model was not told any more.
        return Some(format!("Your plan is approved ({} holds); carry it out.", receipt.level));
    }
    let given = match team::matched(&state, response, lead_mode) {
        Ok(given) => given,
        Err(why) => {
            not_counted(&context, joined, &why.to_string()).await;
            return None;
        }
    };
    let pending = state.pending().cloned()?;
    let nonce = uuid::Uuid::now_v7().to_string();
    match approval::answer(&state, &given, found.on_disk(), &nonce, &|_| Contract::default()) {
        Answered::NotCounted { why } => {
            not_counted(&context, joined, &why).await;
            None
        }
        Answered::ShowAgain { changes, proposal, .. } => {
            not_counted(
                &context,
                joined,
                "the plan file is not what was shown; it is asked again with what it says now",
            )
            .await;
            if record_all(&context, changes).is_ok() {
                let request = team::request(&proposal, joined.membership.name().as_str(), now());
                if let Err(error) = joined.membership.ask_approval(request).await {
                    context
                        .person
                        .notice(NoticeLevel::Error, format!("The changed plan did not reach your lead: {error}"));
                }
            }
            None
        }
        decided @ (Answered::Approved { .. }
        | Answered::KeepPlanning { .. }
        | Answered::Saved { .. }
        | Answered::Left { .. }
        | Answered::Discarded { .. }) => {
            let call = ToolCall::of_program(&driver.context, &driver.caller, &driver.toolbox, ToolName::ExitPlanMode);
            let done = decide(&call, &pending, decided, None);
            Some(done.words())
        }
    }
}

/// An answer that does not count leaves the request where it is, and both sides hear why.
async fn not_counted(context: &SessionContext, joined: &JoinedTeam, why: &str) {
    context.person.events.send(Event::Decided(ApprovalOutcome::NotCounted { why: why.to_owned() }));
    let text = format!("The decision about my plan did not count: {why}.");
    let message = Outgoing::new(joined.membership.lead().clone(), MailBody::Text(text));
    if let Err(error) = joined.membership.send(message).await {
        context.person.notice(NoticeLevel::Error, format!("Your lead was not told: {error}"));
    }
}

// ---- the lead's side

/// What the lead's model is told of a request, where it may decide.
pub(super) fn reminder_for_lead(
    context: &SessionContext,
    id: MessageId,
    from: &str,
    request: &PlanApprovalRequest,
) -> Option<String> {
    match context.setup.live().settings.team_approver {
        TeamApprover::Person if context.person.reachable() == Reachable::Approver => None,
        TeamApprover::Person | TeamApprover::Lead => {
            let words = include_str!("told/plan_request.md").replace("{request}", &request.request_id.0);
            Some(filled(&words, id, from, &request.plan_content))
        }
    }
}

/// The lead's model decides (`AnswerPlan`): only where the person left that to it, never for more than `default`, and never while it plans.
pub(in crate::session) async fn answer(call: &ToolCall, asked: AnswerCall) -> CallResult {
    let context = &call.context;
    let Some(joined) = context.setup.team.joined().filter(|joined| joined.is_lead()) else {
        return CallResult::of(Output::error("only the lead of a team decides about plans"));
    };
    if context.setup.live().settings.team_approver == TeamApprover::Person {
        let why = "plans of this team are not yours to decide (team.approver is `person`); the request is shown where it can be answered";
        return CallResult::of(Output::error(why));
    }
    let request = match joined.membership.open_requests().await {
        Ok(requests) => requests.into_iter().find(|request| request.request.0 == asked.request),
        Err(error) => return CallResult::of(Output::error(error.to_string())),
    };
    let Some(request) = request else {
        let why = format!("no request `{}` waits (any more)", fore_text::cut::chars(&asked.request, 200));
        return CallResult::of(Output::error(why));
    };
    let verdict = match asked.decision {
        PlanWord::Approve => {
            if let Err(why) = team::may_grant(Level::Default, context.ledger.state().mode()) {
                return CallResult::of(Output::error(why.to_string()));
            }
            RequestVerdict::Approved { mode: Mode::At(Level::Default), feedback: asked.feedback }
        }
        PlanWord::Reject => RequestVerdict::Rejected { feedback: asked.feedback },
    };
    let by = Decider::Lead { name: joined.membership.name().to_string() };
    let draft = DecisionDraft { request: request.request.clone(), hash: request.hash, verdict, by };
    match joined.membership.decide(draft).await {
        Ok(DecisionOutcome::Counts(_)) => {
            joined.changed.notify_waiters();
            CallResult::text(format!("Decided, and {} was told.", request.from), format!("{} was told", request.from))
        }
        Ok(DecisionOutcome::TooLate(_)) => {
            CallResult::of(Output::error("this request was decided before; that decision counts"))
        }
        Err(error) => CallResult::of(Output::error(error.to_string())),
    }
}

/// Puts the plans of teammates before the person, one after the other, for as long as the session lives.
pub(super) async fn watch(context: Arc<SessionContext>, joined: Arc<JoinedTeam>) {
    let mut told_of_trouble = false;
    // A request that the person closed without an answer is not shown again until something happens to it.
    let mut closed = HashSet::new();
    loop {
        let changed = joined.changed.notified();
        tokio::pin!(changed);
        changed.as_mut().enable();
        let asks_person = context.setup.live().settings.team_approver == TeamApprover::Person;
        let is_there = context.person.reachable() == Reachable::Approver && !context.person.is_closing();
        let requests = match joined.membership.open_requests().await {
            Ok(requests) => requests,
            Err(error) => {
                if !std::mem::replace(&mut told_of_trouble, true) {
                    context
                        .person
                        .notice(NoticeLevel::Warning, format!("Plans of the team cannot be looked for: {error}"));
                }
                Vec::new()
            }
        };
        let next = requests.into_iter().find(|request| !closed.contains(&request.request));
        match next.filter(|_| asks_person && is_there) {
            Some(request) => {
                if !ask_person(&context, &joined, &request).await {
                    closed.insert(request.request);
                }
            }
            None => {
                let _ = tokio::time::timeout(LOOKS, changed).await;
            }
        }
    }
}

/// Shows one plan and waits as long as it takes; false where it was left without an answer.
async fn ask_person(context: &Arc<SessionContext>, joined: &Arc<JoinedTeam>, request: &PlanRequest) -> bool {
    let Ok(_turn) = context.work.agent_approval.acquire().await else { return false };
    let Some(shown) = TeammatePlan::new(context, request) else {
        context.person.notice(NoticeLevel::Error, format!("The plan of {} cannot be shown.", request.from));
        return false;
    };
    let id = QuestionId(request.request.0.clone());
    let mut is_shown = false;
    loop {
        let Some(receiver) = context.person.questions.open(id.clone(), AnswerKind::Approval) else { return false };
        if !std::mem::replace(&mut is_shown, true) {
            shown.show(context, request);
        }
        let given = tokio::select! {
            biased;
            given = receiver => given.ok(),
            () = gone(joined, &request.request) => {
                context.person.questions.close(&id);
                let reason = format!("{} asks no longer", request.from);
                context.person.events.send(Event::Decided(ApprovalOutcome::KeepPlanning { reason, comments: Vec::new() }));
                return true;
            }
        };
        let Some(GivenAnswer::Approval(response)) = given else { return false };
        match shown.decide(context, joined, request, response).await {
            Ok(outcome) => {
                context.person.events.send(Event::Decided(outcome));
                return true;
            }
            Err(why) => context.person.events.send(Event::Decided(ApprovalOutcome::NotCounted { why })),
        }
    }
}

/// Returns when the request no longer waits.
async fn gone(joined: &JoinedTeam, request: &RequestId) {
    loop {
        let changed = joined.changed.notified();
        tokio::pin!(changed);
        changed.as_mut().enable();
        if joined.membership.open_requests().await.is_ok_and(|open| open.iter().all(|one| one.request != *request)) {
            return;
        }
        let _ = tokio::time::timeout(LOOKS, changed).await;
    }
}

/// A request as the person sees it, judged by a state of its own: the lead's is not touched by it.
struct TeammatePlan {
    state: State,
    proposal: Proposal,
    /// The lead's level, beyond which nothing is offered.
    level: Level,
}

impl TeammatePlan {
    fn new(context: &SessionContext, request: &PlanRequest) -> Option<TeammatePlan> {
        let lead = context.ledger.state();
        let (openings, level) = (*lead.openings(), lead.level_beneath());
        let id = PlanId { session: request.from.to_string(), ordinal: 1 };
        let (text, path) = (request.plan_content.clone(), request.plan_file_path.clone());
        let hash = Hash::of(text.as_bytes());
        let revision = Revision { number: 1, hash, author: Author::Model, parent: None };
        let proposal = Proposal {
            request: request.request.clone(),
            plan: id.clone(),
            path: path.clone(),
            revision: 1,
            hash,
            text: text.clone(),
            approver: Approver::Person,
        };
        let story = [
            Change::Started { level: Level::Default, planning: true, openings, role: SessionRole::Main },
            Change::PlanNamed { plan: id.clone(), path },
            Change::PlanWritten { plan: id, revision, text },
            Change::Proposed(proposal.clone()),
        ];
        let state = State::fold_all(&story);
        let is_whole = hash == request.hash && state.pending() == Some(&proposal);
        is_whole.then_some(TeammatePlan { state, proposal, level })
    }

    fn is_offered(&self, kind: OfferKind) -> bool {
        match kind {
            OfferKind::StartEditing | OfferKind::KeepPlanning => true,
            OfferKind::AcceptEdits => self.level >= Level::AcceptEdits,
            OfferKind::StartCovered
            | OfferKind::AskEachEdit
            | OfferKind::ClearContextAndStart
            | OfferKind::SaveAndStop
            | OfferKind::LeavePlanMode
            | OfferKind::Discard => false,
        }
    }

    fn show(&self, context: &Arc<SessionContext>, asked: &PlanRequest) {
        let mut request = ExitRequest::new(&self.state, &self.proposal, Contract::default());
        request.options.retain(|offer| self.is_offered(offer.value));
        request.steps.clear();
        let project = context.setup.project.clone();
        context.person.events.send(Event::ApprovalAsked(ApprovalAsked {
            agent: Some(AgentId(asked.from.to_string())),
            agent_task: format!("{} of your team", asked.from),
            request,
            notes: check(&self.proposal.text, context.setup.live().settings.workflow.length, |path| {
                project.join(path).exists()
            }),
            changed: String::new(),
            seen: None,
            proof: Proof { line: READS_ALONE.to_owned(), ..Proof::default() },
            moved: Vec::new(),
            rehearsals: Vec::new(),
            context: context.work.context_use(),
            estimate: None,
            earlier_comments: Vec::new(),
        }));
    }

    /// Takes the decision in the store, where it is taken once. The error says why the answer does not count; the plan still waits.
    async fn decide(
        &self,
        context: &SessionContext,
        joined: &JoinedTeam,
        request: &PlanRequest,
        response: ExitResponse,
    ) -> Result<ApprovalOutcome, String> {
        match &response.selected {
            SelectedOffer::Known(kind) if !self.is_offered(*kind) => {
                return Err("this is not offered for the plan of a teammate".to_owned());
            }
            SelectedOffer::Unknown(word) => {
                return Err(format!("`{}` is not an answer to a plan", fore_text::cut::chars(word, 40)));
            }
            SelectedOffer::Known(_) => {}
        }
        let is_edited =
            response.plan.as_ref().is_some_and(|plan| !plan.trim().is_empty() && *plan != self.proposal.text);
        if is_edited || response.steps.is_some() {
            return Err("the plan of a teammate is theirs to change; keep planning, and say what should be different"
                .to_owned());
        }
        let given = response.into_answer(&self.proposal, &context.setup.via, now());
        let nonce = uuid::Uuid::now_v7().to_string();
        let on_disk = OnDisk::Text(&self.proposal.text);
        let judged = approval::answer(&self.state, &given, on_disk, &nonce, &|_| Contract::default());
        let (verdict, outcome) = match (judged, &given.choice) {
            (Answered::Approved { receipt, note, comments, .. }, Choice::Approve { .. }) => {
                team::may_grant(receipt.level, context.ledger.state().mode()).map_err(|why| why.to_string())?;
                let feedback = with_comments(&note, &comments);
                let verdict = RequestVerdict::Approved { mode: Mode::At(receipt.level), feedback };
                (verdict, ApprovalOutcome::Approved { receipt, notice: None, moved: None, comments })
            }
            (Answered::KeepPlanning { reason, comments, .. }, Choice::KeepPlanning { .. }) => {
                let verdict = RequestVerdict::Rejected { feedback: with_comments(&reason, &comments) };
                (verdict, ApprovalOutcome::KeepPlanning { reason, comments })
            }
            (Answered::NotCounted { why }, _) => return Err(why),
            _ => return Err("this is not offered for the plan of a teammate".to_owned()),
        };
        let draft = DecisionDraft { request: request.request.clone(), hash: request.hash, verdict, by: given.by };
        match joined.membership.decide(draft).await {
            Ok(DecisionOutcome::Counts(_)) => Ok(outcome),
            Ok(DecisionOutcome::TooLate(_)) => Err("it was decided before, and that counts".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// What the person wrote, with their remarks on lines, in words.
fn with_comments(words: &str, comments: &[Comment]) -> String {
    let remark = |comment: &Comment| {
        let quote = fore_text::cut::ellipsis(&fore_text::cut::one_line(&comment.quote), 120).into_owned();
        format!("- line {} (`{quote}`): {}", comment.first_line, comment.remark)
    };
    let lines = std::iter::once(words.trim().to_owned()).chain(comments.iter().map(remark));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}
