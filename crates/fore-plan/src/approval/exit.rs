//! `ExitPlanMode` as a decision: what is proposed, to whom, or why not. The only way for a model to ask for approval.

use crate::{
    approval::{Approver, Caller, Decider, GrantScope, Proposal, Reachable, Receipt, RequestId, Timestamp},
    change::{Change, Decision, SessionRole},
    mode::Mode,
    plan::{Author, Hash, MAX_PLAN_BYTES, PlanRecord},
    refusal::{Refusal, RefusalCode},
    state::State,
    team::{self, PlanApprovalRequest},
    tool_name::ToolName,
};
use serde_json::Value;

/// The plan file as it is right now, as far as a decision depends on it. Whoever reads files knows more of what went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnDisk<'a> {
    /// It is not there.
    Missing,
    /// Something is there that cannot be read.
    Unreadable {
        /// Why not.
        why: String,
    },
    /// What it says.
    Text(&'a str),
}

/// One `ExitPlanMode` call with the facts around it.
#[derive(Clone, Debug)]
pub struct ExitCall<'a> {
    /// What the model wrote.
    pub input: &'a Value,
    /// Who calls.
    pub caller: &'a Caller,
    /// Whether somebody can approve.
    pub reachable: Reachable,
    /// The plan file.
    pub on_disk: OnDisk<'a>,
    /// Fresh random text: makes the request's id unlike any other.
    pub nonce: &'a str,
    /// The time, for the record.
    pub now: Timestamp,
}

/// A request that is ready to be shown. Do it in this order: write, append the changes, ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadyProposal {
    /// Text that came with the call and goes into the plan file first.
    pub write: Option<String>,
    /// What the session records.
    pub changes: Vec<Change>,
    /// What is shown.
    pub proposal: Proposal,
}

/// What comes of an `ExitPlanMode` call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exiting {
    /// There is nothing to approve, or not now.
    Refused(Refusal),
    /// A subagent's plan is its answer; the session goes on planning.
    SubagentDone,
    /// Show it to the person and wait as long as it takes.
    AskPerson(ReadyProposal),
    /// Put the message into the lead's inbox and wait.
    AskLead(ReadyProposal, PlanApprovalRequest),
    /// Nobody can approve: the run ends with the plan on disk, awaiting approval.
    Awaits(ReadyProposal),
    /// A voluntary teammate left by itself.
    Left(ReadyProposal),
}

/// Judges the call.
pub fn exit(state: &State, call: &ExitCall<'_>) -> Exiting {
    if let Caller::Subagent { .. } = call.caller {
        return match state.mode() {
            Mode::Plan => Exiting::SubagentDone,
            Mode::At(_) => Exiting::Refused(outside(state)),
        };
    }
    if state.mode() != Mode::Plan {
        return Exiting::Refused(outside(state));
    }
    match propose(state, call) {
        Ok(asking) => route(state, call, asking),
        Err(refusal) => Exiting::Refused(refusal),
    }
}

fn route(state: &State, call: &ExitCall<'_>, mut asking: ReadyProposal) -> Exiting {
    match (state.role(), call.reachable) {
        (SessionRole::Required { name, .. }, _) => {
            let message = team::request(&asking.proposal, name, call.now);
            Exiting::AskLead(asking, message)
        }
        (SessionRole::Voluntary { name, .. }, _) => {
            let receipt = Receipt {
                request: asking.proposal.request.clone(),
                plan: asking.proposal.plan.clone(),
                revision: asking.proposal.revision,
                hash: asking.proposal.hash,
                level: state.level_beneath(),
                scope: GrantScope::Unchanged,
                edited: false,
                clear_context: false,
                steps: Vec::new(),
                contract: None,
                runs_covered: false,
                by: Decider::Teammate { name: name.clone() },
                at: call.now,
            };
            let to = Mode::At(state.level_beneath());
            let decision = Decision::Approved { receipt, comments: Vec::new(), contract: None };
            asking.changes.push(Change::Decided { decision, from: Mode::Plan, to });
            Exiting::Left(asking)
        }
        (SessionRole::Main, Reachable::Approver) => Exiting::AskPerson(asking),
        (SessionRole::Main, Reachable::Nobody) => Exiting::Awaits(asking),
    }
}

fn propose(state: &State, call: &ExitCall<'_>) -> Result<ReadyProposal, Refusal> {
    let Some(plan) = state.plan().filter(|plan| plan.stage.is_unfinished_planning()) else {
        return Err(refusal(
            state,
            RefusalCode::ExitNoPlan,
            "this task has no plan file yet".into(),
            "Write the plan first.",
        ));
    };
    let input = read_input(state, plan, call.input)?;
    let on_disk = match &call.on_disk {
        OnDisk::Text(text) => Some(*text),
        OnDisk::Missing => None,
        OnDisk::Unreadable { why } if input.is_none() => {
            let reason = format!("the plan file {} cannot be read: {why}", plan.path);
            return Err(refusal(
                state,
                RefusalCode::ExitNoPlan,
                reason,
                "Write the plan again, then call ExitPlanMode.",
            ));
        }
        OnDisk::Unreadable { .. } => None,
    };
    let text = input.as_deref().or(on_disk).unwrap_or_default();
    if text.len() > MAX_PLAN_BYTES {
        let reason = format!("the plan has {} bytes, the most is {MAX_PLAN_BYTES}", text.len());
        return Err(refusal(state, RefusalCode::ExitInput, reason, "Shorten the plan."));
    }
    if text.trim().is_empty() && matches!(state.role(), SessionRole::Required { .. }) {
        let reason = format!("there is no plan at {} to send to the lead", plan.path);
        return Err(refusal(state, RefusalCode::ExitNoPlan, reason, "Write the plan to that file first."));
    }
    let hash = Hash::of(text.as_bytes());
    if let Some(waiting) = state.pending().filter(|waiting| waiting.hash == hash) {
        if let Approver::Lead { name } = &waiting.approver {
            let reason = format!("this plan waits for {name} already, as request {}", waiting.request.0);
            return Err(refusal(state, RefusalCode::ExitPending, reason, "Wait for the answer in the inbox."));
        }
        return Ok(ReadyProposal { write: None, changes: Vec::new(), proposal: waiting.clone() });
    }
    // Whatever the model wrote is recorded by then: what is not was put there by somebody else.
    let author = if input.is_some() { Author::Model } else { Author::Other };
    let revision = plan.next_revision(hash, author);
    let number = revision.as_ref().or(plan.revision.as_ref()).map_or(1, |revision| revision.number);
    let proposal = Proposal {
        request: request_id(state.role(), plan, number, hash, call.nonce),
        plan: plan.id.clone(),
        path: plan.path.clone(),
        revision: number,
        hash,
        text: text.to_owned(),
        approver: match state.role() {
            SessionRole::Required { lead, .. } => Approver::Lead { name: lead.clone() },
            SessionRole::Main | SessionRole::Voluntary { .. } => Approver::Person,
        },
    };
    let written =
        revision.map(|revision| Change::PlanWritten { plan: plan.id.clone(), revision, text: text.to_owned() });
    let changes = written.into_iter().chain([Change::Proposed(proposal.clone())]).collect();
    let write = input.filter(|input| on_disk != Some(input.as_str()));
    Ok(ReadyProposal { write, changes, proposal })
}

/// The plan that came with the call: none for an empty input or blank text, which never overwrites a written plan.
fn read_input(state: &State, plan: &PlanRecord, input: &Value) -> Result<Option<String>, Refusal> {
    let bad = |reason: String| {
        let way_out = "Call it with no input; the plan is read from its file.";
        Err(refusal(state, RefusalCode::ExitInput, reason, way_out))
    };
    let Some(fields) = input.as_object() else {
        return bad("ExitPlanMode takes an object".into());
    };
    let mut text = None;
    for (name, value) in fields {
        match (name.as_str(), value.as_str()) {
            ("plan", Some(inline)) => text = Some(inline.to_owned()).filter(|inline| !inline.trim().is_empty()),
            ("planFilePath", Some(path)) if path == plan.path => {}
            ("planFilePath", Some(path)) => {
                let reason =
                    format!("`{}` is not this session's plan file", path.chars().take(200).collect::<String>());
                let way_out = format!("The plan file is {}.", plan.path);
                return Err(refusal(state, RefusalCode::ExitWrongFile, reason, &way_out));
            }
            ("plan" | "planFilePath", None) => return bad(format!("`{name}` must be text")),
            _ => return bad(format!("ExitPlanMode has no input `{}`", name.chars().take(40).collect::<String>())),
        }
    }
    Ok(text)
}

fn request_id(role: &SessionRole, plan: &PlanRecord, revision: u32, hash: Hash, nonce: &str) -> RequestId {
    let who = match role {
        SessionRole::Main => "main".to_owned(),
        SessionRole::Required { name, team, .. } | SessionRole::Voluntary { name, team } => format!("{name}@{team}"),
    };
    RequestId(format!("plan_approval:{who}:{}:{revision}:{}:{nonce}", plan.id, hash.short()))
}

fn outside(state: &State) -> Refusal {
    refusal(
        state,
        RefusalCode::ExitOutsidePlan,
        "plan mode is not on, so there is nothing to leave".into(),
        "If your plan was approved, go on with the work.",
    )
}

fn refusal(state: &State, code: RefusalCode, reason: String, way_out: &str) -> Refusal {
    Refusal { code, mode: state.mode(), rule: ToolName::ExitPlanMode.name().into(), reason, way_out: way_out.into() }
}
