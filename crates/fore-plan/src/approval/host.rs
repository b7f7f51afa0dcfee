//! The approval as a host sees it: `plan:exit:request` out, `plan:exit:response` in.
//!
//! `agentId` in the request is opaque and names this one request; a host sends it back as it came, so that an answer
//! to an earlier request does not count.

use crate::{
    approval::{ApprovalAnswer, Choice, ChosenLevel, Comment, Decider, GrantScope, Proposal, RequestId, Timestamp},
    mode::{Level, Mode},
    plan::Hash,
    state::State,
};
use serde::{Deserialize, Serialize};

/// One choice offered, with the mode it leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    pub value: String,
    pub label: String,
    pub leads_to: Mode,
}

/// The event `plan:exit:request`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename = "plan:exit:request", rename_all = "camelCase")]
pub struct ExitRequest {
    pub agent_id: String,
    pub plan_file_path: String,
    pub plan_content: String,
    pub plan_hash: Hash,
    pub revision: u32,
    pub options: Vec<Offer>,
}

/// The answer `plan:exit:response`. Only `agentId` and `selected` are needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename = "plan:exit:response", rename_all = "camelCase")]
pub struct ExitResponse {
    pub agent_id: String,
    pub selected: String,
    #[serde(default)]
    pub reason: String,
    #[serde(default)]
    pub comments: Vec<Comment>,
    /// The plan as the person changed it. Counts for every choice that keeps the plan; throwing it away or leaving plan
    /// mode leaves the file as it is.
    #[serde(default)]
    pub plan: Option<String>,
}

impl ExitRequest {
    pub fn new(state: &State, proposal: &Proposal) -> ExitRequest {
        let mut options = offers(state);
        // Without a plan there is nothing to start from.
        options.retain(|offer| offer.value != CLEAR_AND_START || !proposal.text.trim().is_empty());
        ExitRequest {
            agent_id: proposal.request.0.clone(),
            plan_file_path: proposal.path.clone(),
            plan_content: proposal.text.clone(),
            plan_hash: proposal.hash,
            revision: proposal.revision,
            options,
        }
    }
}

const CLEAR_AND_START: &str = "clearContextAndStart";

/// What is offered at an approval, best first; only what this session may use.
pub fn offers(state: &State) -> Vec<Offer> {
    let previous = state.level_beneath();
    let offer = |value: &str, label: String, leads_to| Offer { value: value.into(), label, leads_to };
    let mut all = vec![offer("startEditing", format!("Approve and go on in {previous}"), Mode::At(previous))];
    if previous != Level::AcceptEdits && state.may_use(Level::AcceptEdits) {
        let label = "Approve and accept edits while this plan lasts".into();
        all.push(offer("acceptEdits", label, Mode::At(Level::AcceptEdits)));
    }
    if previous != Level::Default {
        let label = "Approve and ask for each edit while this plan lasts".into();
        all.push(offer("askEachEdit", label, Mode::At(Level::Default)));
    }
    let label = format!("Approve, clear the context and start from the plan, in {previous}");
    all.push(offer(CLEAR_AND_START, label, Mode::At(previous)));
    all.push(offer("keepPlanning", "Keep planning".into(), Mode::Plan));
    all.push(offer("saveAndStop", "Save the plan and stop here".into(), Mode::Plan));
    all.push(offer("leavePlanMode", format!("Leave plan mode without approving, to {previous}"), Mode::At(previous)));
    all.push(offer("discard", "Discard the plan and plan anew".into(), Mode::Plan));
    all
}

impl ExitResponse {
    /// The answer this is. An unknown word means "keep planning".
    pub fn into_answer(self, shown: &Proposal, via: &str, at: Timestamp) -> ApprovalAnswer {
        // Hosts that always send the field send it empty when nothing was edited.
        let edited = || self.plan.clone().filter(|plan| !plan.trim().is_empty());
        let approve = |level, clear_context| Choice::Approve {
            level,
            clear_context,
            edited: edited(),
            note: self.reason.clone(),
            comments: self.comments.clone(),
        };
        let for_this_plan = |level| ChosenLevel::Level { level, scope: GrantScope::Plan };
        let choice = match self.selected.as_str() {
            "startEditing" => approve(ChosenLevel::Previous, false),
            "acceptEdits" => approve(for_this_plan(Level::AcceptEdits), false),
            "askEachEdit" => approve(for_this_plan(Level::Default), false),
            CLEAR_AND_START => approve(ChosenLevel::Previous, true),
            "saveAndStop" => Choice::SaveAndStop { edited: edited() },
            "leavePlanMode" => Choice::LeavePlanMode,
            "discard" => Choice::Discard,
            selected => {
                // A word nobody offered writes nothing.
                let edited = edited().filter(|_| selected == "keepPlanning");
                Choice::KeepPlanning { reason: self.reason.clone(), comments: self.comments.clone(), edited }
            }
        };
        ApprovalAnswer {
            request: RequestId(self.agent_id),
            hash: shown.hash,
            by: Decider::Person { via: via.into() },
            at,
            choice,
        }
    }
}
