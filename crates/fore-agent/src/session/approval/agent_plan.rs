//! The plan of a subagent that was started to plan: put before the person like any other, under the agent's name.
//!
//! An approval ends the agent's task and hands the approved bytes to the session that started it, which carries them out with
//! its own rights: the agent gains nothing by it. While the session plans, or where nobody can approve, the plan is handed back
//! as text that nobody has approved.

use super::{now, unknown_answer};
use crate::session::{
    agents::notes_file,
    call::{CallResult, ToolCall},
    caller::HandedPlan,
    history::shown_message::ShownBetween,
    person::pending_questions::{AnswerKind, GivenAnswer},
    session_context::SessionContext,
    toolbox::TeamPlace,
};
use crate::{
    command::QuestionId,
    event::{AgentId, ApprovalAsked, ApprovalOutcome, CallOutcome, Event, NoticeLevel, Proof, TurnOutcome},
    lock::lock,
    output::Output,
    turn::AfterCall,
};
use fore_plan::{
    Applied, Change, SessionRole, State,
    approval::{
        self, Answered, ApprovalText, Approved, Comment, ExitCall, ExitRequest, ExitResponse, Exiting, OfferKind,
        Offered, OnDisk, Proposal, Reachable, Receipt, SelectedOffer,
    },
    contract::Contract,
    plan::{Author, Hash, MAX_PLAN_BYTES, PlanFileName, PlanId, Slug, check},
};
use fore_store::{Claim, PlanFolder};
use serde_json::json;
use std::{
    hash::{Hash as _, Hasher},
    sync::{Arc, Mutex},
};

/// What stands where a session's own plan has its proof.
const READS_ALONE: &str = "This agent could only read while it planned.";
/// Names that are tried for a plan, until one is nobody else's.
const MAX_NAMES: u32 = 10;

/// The plan that came with the call, with the person's answer to it.
pub(super) async fn hand_in(
    call: &ToolCall,
    (agent, task): (&AgentId, &str),
    handed: &Arc<Mutex<Option<HandedPlan>>>,
) -> CallResult {
    let context = &call.context;
    let plan = call.input.get("plan").and_then(serde_json::Value::as_str).filter(|plan| !plan.trim().is_empty());
    let Some(plan) = plan.filter(|plan| plan.len() <= MAX_PLAN_BYTES) else {
        let words = format!("give the whole plan as `plan`, in at most {MAX_PLAN_BYTES} bytes");
        return CallResult::of(Output::error(words));
    };
    let path = match keep(context, agent, plan) {
        Ok(path) => path,
        Err(why) => return CallResult::of(Output::error(why)),
    };
    let turn = tokio::select! {
        biased;
        () = call.caller.cancel.cancelled() => return taken_back(context),
        turn = context.work.agent_approval.acquire() => turn,
    };
    if turn.is_err() {
        return taken_back(context);
    }
    // Asked only now: planning may have begun while the plan of another agent was shown.
    let is_teammate = context.setup.team.place() == TeamPlace::Member;
    if context.ledger.is_planning() || is_teammate || context.person.reachable() == Reachable::Nobody {
        return open_plan(&path, plan, handed);
    }
    let Some(request) = AgentRequest::new(context, agent, path, plan) else {
        return CallResult::of(Output::error("the plan could not be put before the person"));
    };
    request.ask(call, (agent, task), handed).await
}

/// A request about an agent's plan, judged by a state of its own: the session's is not touched by it.
struct AgentRequest {
    state: State,
    proposal: Proposal,
}

impl AgentRequest {
    fn new(context: &SessionContext, agent: &AgentId, path: String, plan: &str) -> Option<AgentRequest> {
        let session = context.ledger.state();
        let (level, openings) = (session.level_beneath(), *session.openings());
        let id = PlanId { session: format!("{}-{}", context.setup.id, agent.0), ordinal: 1 };
        let begun = [
            Change::Started { level, planning: true, openings, role: SessionRole::Main },
            Change::PlanNamed { plan: id, path },
        ];
        let mut state = State::fold_all(&begun);
        let nonce = uuid::Uuid::now_v7().to_string();
        let exit_call = ExitCall {
            input: &json!({ "plan": plan }),
            caller: &approval::Caller::Main,
            reachable: Reachable::Approver,
            on_disk: OnDisk::Missing,
            nonce: &nonce,
            now: now(),
        };
        let Exiting::AskPerson(ready) = approval::exit(&state, &exit_call) else { return None };
        let fits = ready.changes.iter().all(|change| state.apply(change) == Applied::Yes);
        fits.then_some(AgentRequest { state, proposal: ready.proposal })
    }

    async fn ask(
        &self,
        call: &ToolCall,
        agent: (&AgentId, &str),
        handed: &Arc<Mutex<Option<HandedPlan>>>,
    ) -> CallResult {
        let (context, proposal) = (&call.context, &self.proposal);
        let id = QuestionId(proposal.request.0.clone());
        let mut is_shown = false;
        loop {
            let Some(receiver) = context.person.questions.open(id.clone(), AnswerKind::Approval) else {
                return taken_back(context);
            };
            if !std::mem::replace(&mut is_shown, true) {
                self.show(context, agent);
            }
            let given = context.person.questions.answer(&id, receiver, &call.caller.cancel).await;
            let Some(GivenAnswer::Approval(response)) = given else { return taken_back(context) };
            match self.judge(context, response) {
                Answered::Approved { receipt, text, note, comments, .. } => {
                    let approved = ApprovedAgentPlan { receipt, text, note, comments };
                    return self.approved(call, approved, handed);
                }
                Answered::KeepPlanning { reason, comments, write, .. } => {
                    let changed = write.map(|text| crate::session::ledger::changed_since(Some(&proposal.text), &text));
                    let decided = ApprovalOutcome::KeepPlanning { reason: reason.clone(), comments: comments.clone() };
                    context.person.events.send(Event::Decided(decided));
                    return not_approved(&reason, &comments, changed.as_deref(), "keep planning");
                }
                Answered::NotCounted { why } => {
                    context.ledger.note_shown(&ShownBetween::NotCounted(why.clone()));
                    context.person.events.send(Event::Decided(ApprovalOutcome::NotCounted { why }));
                }
                // The bytes are ours alone, and nothing else is offered.
                Answered::ShowAgain { .. }
                | Answered::Saved { .. }
                | Answered::Left { .. }
                | Answered::Discarded { .. } => return taken_back(context),
            }
        }
    }

    fn show(&self, context: &SessionContext, (agent, task): (&AgentId, &str)) {
        let project = context.setup.project.clone();
        let mut request = ExitRequest::new(&self.state, &self.proposal, Contract::default());
        request.options.retain(|offer| is_offered(offer.value));
        context.person.events.send(Event::ApprovalAsked(ApprovalAsked {
            agent: Some(agent.clone()),
            agent_task: task.to_owned(),
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

    fn judge(&self, context: &SessionContext, response: ExitResponse) -> Answered {
        match &response.selected {
            SelectedOffer::Known(kind) if !is_offered(*kind) => {
                return Answered::NotCounted { why: "this is not offered for the plan of an agent".to_owned() };
            }
            SelectedOffer::Unknown(word) => {
                context.person.notice(NoticeLevel::Warning, unknown_answer(word, &self.state, &Contract::default()));
            }
            SelectedOffer::Known(_) => {}
        }
        let answer = response.into_answer(&self.proposal, &context.setup.via, now());
        let nonce = uuid::Uuid::now_v7().to_string();
        approval::answer(&self.state, &answer, OnDisk::Text(&self.proposal.text), &nonce, &|_| Contract::default())
    }

    fn approved(
        &self,
        call: &ToolCall,
        approved: ApprovedAgentPlan,
        handed: &Arc<Mutex<Option<HandedPlan>>>,
    ) -> CallResult {
        let (context, path) = (&call.context, &self.proposal.path);
        let ApprovedAgentPlan { receipt, text, note, comments } = approved;
        // Planning began while the plan was shown: nobody may start with it now.
        if context.ledger.is_planning() {
            let text = "The plan of the agent was not approved, because planning began. The session has it as what the agent found.";
            context.person.notice(NoticeLevel::Warning, text);
            let decided = ApprovalOutcome::KeepPlanning { reason: String::new(), comments: Vec::new() };
            context.person.events.send(Event::Decided(decided));
            return open_plan(path, &self.proposal.text, handed);
        }
        if receipt.edited
            && let Err(why) = rewrite(context, path, &text)
        {
            context.person.notice(NoticeLevel::Warning, format!("The approved plan counts, but was not saved: {why}"));
        }
        let words = ApprovalText::Approved(&Approved {
            path,
            plan: &text,
            level: receipt.level.name(),
            covers: None,
            author: if receipt.edited { Author::Person } else { Author::Model },
            steps: &receipt.steps,
            changed: "",
            moved: "",
            by: &receipt.by,
            todo_list: Offered::Yes,
            agent_tool: Offered::Yes,
            remark: Some(&note),
            comments: &comments,
        })
        .render();
        let words = format!("The agent put its plan before the person. {words}");
        let decided = ApprovalOutcome::Approved { receipt: receipt.clone(), notice: None, moved: None, comments };
        context.person.events.send(Event::Decided(decided));
        *lock(handed) = Some(HandedPlan { words, text, receipt: Some(receipt) });
        ended("approved")
    }
}

struct ApprovedAgentPlan {
    receipt: Receipt,
    text: String,
    note: String,
    comments: Vec<Comment>,
}

/// Yes or no: levels, contexts and the session's own planning are not an agent's to change.
fn is_offered(kind: OfferKind) -> bool {
    match kind {
        OfferKind::StartEditing | OfferKind::KeepPlanning => true,
        OfferKind::AcceptEdits
        | OfferKind::AskEachEdit
        | OfferKind::StartCovered
        | OfferKind::ClearContextAndStart
        | OfferKind::SaveAndStop
        | OfferKind::LeavePlanMode
        | OfferKind::Discard => false,
    }
}

/// The plan goes back as what the agent found, approved by nobody.
fn open_plan(path: &str, plan: &str, handed: &Arc<Mutex<Option<HandedPlan>>>) -> CallResult {
    let words = format!("{}\n{plan}", include_str!("agent-plan-open.md").replace("{path}", path));
    *lock(handed) = Some(HandedPlan { words, text: plan.to_owned(), receipt: None });
    ended("handed in, not approved")
}

/// The agent's part is over.
fn ended(line: &str) -> CallResult {
    CallResult::text(ApprovalText::ApprovedForSubagent.render(), line).and_then(AfterCall::End(TurnOutcome::Done))
}

/// Nobody answered: an interrupt, or the session ends.
fn taken_back(context: &SessionContext) -> CallResult {
    let decided = ApprovalOutcome::KeepPlanning { reason: String::new(), comments: Vec::new() };
    context.person.events.send(Event::Decided(decided));
    CallResult { outcome: CallOutcome::Interrupted, ..not_approved("", &[], None, "not approved") }
}

/// The agent goes on; it has no file to edit and nobody to ask, so its next call brings the whole plan again.
fn not_approved(reason: &str, comments: &[Comment], changed: Option<&str>, line: &str) -> CallResult {
    let is_silent = reason.trim().is_empty() && comments.is_empty() && changed.is_none();
    let reason =
        if is_silent { "Nothing was said; look again for what may be wrong or unclear in it." } else { reason };
    let rejected = ApprovalText::Rejected { path: "your plan", reason: Some(reason), comments, changed };
    CallResult::text(rejected.render(), line)
}

/// Keeps the plan in our own home: the program writes it, never the agent (B3).
fn keep(context: &SessionContext, agent: &AgentId, plan: &str) -> Result<String, String> {
    let folder = PlanFolder::of_home(&context.setup.home);
    let named = notes_file(&context.ledger, agent).or_else(|| made_name(context, agent));
    let name = named.ok_or("the plan could not be named")?;
    folder.write(&name, plan).map_err(|error| error.to_string())?;
    context.ledger.session().keep_text(plan).map_err(|error| error.to_string())?;
    Ok(folder.path_of(&name).to_string_lossy().into_owned())
}

/// Without a plan of the session's own there is no name to begin with: one that stays the same for this agent is made, and claimed
/// for the session, so that it is nobody else's and lists know where it comes from.
fn made_name(context: &SessionContext, agent: &AgentId) -> Option<PlanFileName> {
    let made = |round: u32| {
        let mut hasher = std::hash::DefaultHasher::new();
        (context.setup.id.to_string(), &agent.0, round).hash(&mut hasher);
        Slug::from_seed(hasher.finish())
    };
    let is_ours = |slug: &Slug| matches!(Claim::take(&context.setup.home, slug, context.setup.id), Ok(Some(_)));
    let slug = (0..MAX_NAMES).map(made).find(is_ours)?;
    Some(PlanFileName::Agent(slug, agent.0.parse().ok()?))
}

/// The text as the person approved it takes the place of the agent's.
fn rewrite(context: &SessionContext, path: &str, text: &str) -> Result<Hash, String> {
    let name = std::path::Path::new(path).file_name().and_then(|name| name.to_str()).map(str::parse);
    let Some(Ok(name)) = name else { return Err("it has no name".to_owned()) };
    PlanFolder::of_home(&context.setup.home).write(&name, text).map_err(|error| error.to_string())?;
    context.ledger.session().keep_text(text).map_err(|error| error.to_string())
}
