//! `ExitPlanMode` as a decision: what is proposed, to whom, or why not. The only way for a model to ask for approval.

use crate::{
    approval::{Approver, Caller, Decider, Proposal, Reachable, Receipt, RequestId, Scope, Timestamp},
    change::{Change, Decision, Role},
    mode::Mode,
    plan::{Author, Hash, MOST_PLAN_BYTES, PlanRecord},
    refusal::{Code, Refusal},
    state::State,
    team::{self, PlanApprovalRequest},
};
use serde_json::Value;

/// The plan file as it is right now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDisk<'a> {
    Missing,
    Unreadable { why: &'a str },
    Text(&'a str),
}

/// One `ExitPlanMode` call with the facts around it.
#[derive(Clone, Copy, Debug)]
pub struct ExitCall<'a> {
    pub input: &'a Value,
    pub caller: &'a Caller,
    pub reachable: Reachable,
    pub on_disk: OnDisk<'a>,
    /// Fresh random text: makes the request's id unlike any other.
    pub nonce: &'a str,
    pub now: Timestamp,
}

/// A request that is ready to be shown. Do it in this order: write, append the changes, ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asking {
    /// Text that came with the call and goes into the plan file first.
    pub write: Option<String>,
    pub changes: Vec<Change>,
    pub proposal: Proposal,
}

/// What comes of an `ExitPlanMode` call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exiting {
    Refused(Refusal),
    /// A subagent's plan is its answer; the session goes on planning.
    SubagentDone,
    /// Show it to the person and wait as long as it takes.
    AskPerson(Asking),
    /// Put the message into the lead's inbox and wait.
    AskLead(Asking, PlanApprovalRequest),
    /// Nobody can approve: the run ends with the plan on disk, awaiting approval.
    Awaits(Asking),
    /// A voluntary teammate left by itself.
    Left(Asking),
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

fn route(state: &State, call: &ExitCall<'_>, mut asking: Asking) -> Exiting {
    match (state.role(), call.reachable) {
        (Role::Required { name, .. }, _) => {
            let message = team::request(&asking.proposal, name, call.now);
            Exiting::AskLead(asking, message)
        }
        (Role::Voluntary { name, .. }, _) => {
            let receipt = Receipt {
                request: asking.proposal.request.clone(),
                plan: asking.proposal.plan.clone(),
                revision: asking.proposal.revision,
                hash: asking.proposal.hash,
                level: state.level_beneath(),
                scope: Scope::Unchanged,
                edited: false,
                clear_context: false,
                by: Decider::Teammate { name: name.clone() },
                at: call.now,
            };
            let to = Mode::At(state.level_beneath());
            let decision = Decision::Approved { receipt };
            asking.changes.push(Change::Decided { decision, from: Mode::Plan, to });
            Exiting::Left(asking)
        }
        (Role::Main, Reachable::Approver) => Exiting::AskPerson(asking),
        (Role::Main, Reachable::Nobody) => Exiting::Awaits(asking),
    }
}

fn propose(state: &State, call: &ExitCall<'_>) -> Result<Asking, Refusal> {
    let Some(plan) = state.plan().filter(|plan| plan.stage.is_unfinished_planning()) else {
        return Err(refusal(state, Code::ExitNoPlan, "this task has no plan file yet".into(), "Write the plan first."));
    };
    let input = read_input(state, plan, call.input)?;
    let on_disk = match call.on_disk {
        OnDisk::Text(text) => Some(text),
        OnDisk::Missing => None,
        OnDisk::Unreadable { why } if input.is_none() => {
            let reason = format!("the plan file {} cannot be read: {why}", plan.path);
            return Err(refusal(state, Code::ExitNoPlan, reason, "Write the plan again, then call ExitPlanMode."));
        }
        OnDisk::Unreadable { .. } => None,
    };
    let text = input.as_deref().or(on_disk).unwrap_or_default();
    if text.len() > MOST_PLAN_BYTES {
        let reason = format!("the plan has {} bytes, the most is {MOST_PLAN_BYTES}", text.len());
        return Err(refusal(state, Code::ExitInput, reason, "Shorten the plan."));
    }
    if text.trim().is_empty() && matches!(state.role(), Role::Required { .. }) {
        let reason = format!("there is no plan at {} to send to the lead", plan.path);
        return Err(refusal(state, Code::ExitNoPlan, reason, "Write the plan to that file first."));
    }
    let hash = Hash::of(text.as_bytes());
    if let Some(waiting) = state.pending().filter(|waiting| waiting.hash == hash) {
        if let Approver::Lead { name } = &waiting.approver {
            let reason = format!("this plan waits for {name} already, as request {}", waiting.request.0);
            return Err(refusal(state, Code::ExitPending, reason, "Wait for the answer in the inbox."));
        }
        return Ok(Asking { write: None, changes: Vec::new(), proposal: waiting.clone() });
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
            Role::Required { lead, .. } => Approver::Lead { name: lead.clone() },
            Role::Main | Role::Voluntary { .. } => Approver::Person,
        },
    };
    let written =
        revision.map(|revision| Change::PlanWritten { plan: plan.id.clone(), revision, text: text.to_owned() });
    let changes = written.into_iter().chain([Change::Proposed(proposal.clone())]).collect();
    let write = input.filter(|input| on_disk != Some(input.as_str()));
    Ok(Asking { write, changes, proposal })
}

/// The plan that came with the call: none for an empty input or blank text, which never overwrites a written plan.
fn read_input(state: &State, plan: &PlanRecord, input: &Value) -> Result<Option<String>, Refusal> {
    let bad = |reason: String| {
        let way_out = "Call it with no input; the plan is read from its file.";
        Err(refusal(state, Code::ExitInput, reason, way_out))
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
                return Err(refusal(state, Code::ExitWrongFile, reason, &way_out));
            }
            ("plan" | "planFilePath", None) => return bad(format!("`{name}` must be text")),
            _ => return bad(format!("ExitPlanMode has no input `{}`", name.chars().take(40).collect::<String>())),
        }
    }
    Ok(text)
}

fn request_id(role: &Role, plan: &PlanRecord, revision: u32, hash: Hash, nonce: &str) -> RequestId {
    let who = match role {
        Role::Main => "main".to_owned(),
        Role::Required { name, team, .. } | Role::Voluntary { name, team } => format!("{name}@{team}"),
    };
    RequestId(format!("plan_approval:{who}:{}:{revision}:{}:{nonce}", plan.id, hash.short()))
}

fn outside(state: &State) -> Refusal {
    refusal(
        state,
        Code::ExitOutsidePlan,
        "plan mode is not on, so there is nothing to leave".into(),
        "If your plan was approved, go on with the work.",
    )
}

fn refusal(state: &State, code: Code, reason: String, way_out: &str) -> Refusal {
    Refusal { code, mode: state.mode(), rule: "ExitPlanMode".into(), reason, way_out: way_out.into() }
}
