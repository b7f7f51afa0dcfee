//! The approval as a host sees it: `plan:exit:request` out, `plan:exit:response` in.
//!
//! `agentId` in the request is opaque and names this one request; a host sends it back as it came, so that an answer
//! to an earlier request does not count.

use crate::{
    approval::{ApprovalAnswer, Choice, ChosenLevel, Comment, Decider, GrantScope, Proposal, RequestId, Timestamp},
    contract::Contract,
    mode::{Level, Mode},
    plan::{Hash, PlanStep, steps},
    state::State,
};
use serde::{Deserialize, Serialize};

/// What can be chosen at an approval. The words are what hosts see and send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OfferKind {
    /// Approve, and what the plan covers is not asked about; everything else is.
    StartCovered,
    /// Approve, at the level from before.
    StartEditing,
    /// Approve, and edits are not asked about.
    AcceptEdits,
    /// Approve, and every edit is asked about.
    AskEachEdit,
    /// Approve, and begin with the plan alone.
    ClearContextAndStart,
    /// Say what should be otherwise.
    KeepPlanning,
    /// Keep the plan and decide later.
    SaveAndStop,
    /// End planning without an approval.
    LeavePlanMode,
    /// Throw the plan away.
    Discard,
}

impl OfferKind {
    const ALL: [OfferKind; 9] = [
        OfferKind::StartCovered,
        OfferKind::StartEditing,
        OfferKind::AcceptEdits,
        OfferKind::AskEachEdit,
        OfferKind::ClearContextAndStart,
        OfferKind::KeepPlanning,
        OfferKind::SaveAndStop,
        OfferKind::LeavePlanMode,
        OfferKind::Discard,
    ];

    /// What it is called where the mode that it leads to stands beside it.
    pub fn label(self, leads_to: Mode) -> &'static str {
        match self {
            OfferKind::StartCovered => "Approve; what the plan covers runs without asking",
            OfferKind::StartEditing if leads_to == Mode::At(Level::Default) => "Approve; ask before each edit",
            OfferKind::StartEditing => "Approve and start",
            OfferKind::AcceptEdits => "Approve and accept edits while this plan lasts",
            OfferKind::AskEachEdit => "Approve and ask for each edit while this plan lasts",
            OfferKind::ClearContextAndStart => "Approve and start fresh with only the plan",
            OfferKind::KeepPlanning => "Keep planning",
            OfferKind::SaveAndStop => "Save the plan and stop here",
            OfferKind::LeavePlanMode => "Leave plan mode without approving",
            OfferKind::Discard => "Discard and start over",
        }
    }

    fn label_with(self, level: Level) -> String {
        let label = self.label(Mode::At(level));
        match self {
            OfferKind::StartEditing if level == Level::Default => label.to_owned(),
            OfferKind::StartEditing => format!("{label} in {level}"),
            OfferKind::ClearContextAndStart => format!("{label}, in {level}"),
            OfferKind::LeavePlanMode => format!("{label}, to {level}"),
            OfferKind::StartCovered
            | OfferKind::AcceptEdits
            | OfferKind::AskEachEdit
            | OfferKind::KeepPlanning
            | OfferKind::SaveAndStop
            | OfferKind::Discard => label.to_owned(),
        }
    }

    /// The word that hosts see and send.
    pub fn word(self) -> &'static str {
        match self {
            OfferKind::StartCovered => "startCovered",
            OfferKind::StartEditing => "startEditing",
            OfferKind::AcceptEdits => "acceptEdits",
            OfferKind::AskEachEdit => "askEachEdit",
            OfferKind::ClearContextAndStart => "clearContextAndStart",
            OfferKind::KeepPlanning => "keepPlanning",
            OfferKind::SaveAndStop => "saveAndStop",
            OfferKind::LeavePlanMode => "leavePlanMode",
            OfferKind::Discard => "discard",
        }
    }
}

/// What an answer chose. A word that nobody offers decides nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum SelectedOffer {
    /// One of ours.
    Known(OfferKind),
    /// A word that means nothing here.
    Unknown(String),
}

impl From<OfferKind> for SelectedOffer {
    fn from(kind: OfferKind) -> SelectedOffer {
        SelectedOffer::Known(kind)
    }
}

impl From<String> for SelectedOffer {
    fn from(word: String) -> SelectedOffer {
        let known = OfferKind::ALL.into_iter().find(|kind| kind.word() == word).or_else(|| outcome(&word));
        known.map_or(SelectedOffer::Unknown(word), SelectedOffer::Known)
    }
}

/// The outcomes of a confirmation as Qwen Code's hosts name them (D4).
fn outcome(word: &str) -> Option<OfferKind> {
    match word {
        "ProceedOnce" | "proceed_once" | "ProceedOnceNoFeedback" | "proceed_once_no_feedback" => {
            Some(OfferKind::AskEachEdit)
        }
        "ProceedAlways" | "proceed_always" => Some(OfferKind::AcceptEdits),
        "Cancel" | "cancel" => Some(OfferKind::KeepPlanning),
        _ => None,
    }
}

impl From<&str> for SelectedOffer {
    fn from(word: &str) -> SelectedOffer {
        word.to_owned().into()
    }
}

impl From<SelectedOffer> for String {
    fn from(selected: SelectedOffer) -> String {
        match selected {
            SelectedOffer::Known(kind) => kind.word().to_owned(),
            SelectedOffer::Unknown(word) => word,
        }
    }
}

/// One choice offered, with the mode it leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    /// What is chosen by it.
    pub value: OfferKind,
    /// What people read.
    pub label: String,
    /// The mode that holds after it.
    pub leads_to: Mode,
}

/// The event `plan:exit:request`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename = "plan:exit:request", rename_all = "camelCase")]
pub struct ExitRequest {
    /// Names this request; opaque to hosts.
    pub agent_id: String,
    /// Where the plan is.
    pub plan_file_path: String,
    /// What is to be approved.
    pub plan_content: String,
    /// Its bytes.
    pub plan_hash: Hash,
    /// Which version of the plan it is.
    pub revision: u32,
    /// What can be answered.
    pub options: Vec<Offer>,
    /// Its steps, of which some can be approved; none where the plan has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PlanStep>,
    /// What the plan grants, by its lines; empty where it names nothing.
    #[serde(default)]
    pub contract: Contract,
    /// Names exactly that: an answer that sends it back is about this contract and no other.
    pub contract_hash: Hash,
}

/// What a person made of what the plan grants.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GrantChanges {
    /// Files and folders that are not granted, by their paths.
    pub struck_files: Vec<String>,
    /// Commands that are not granted.
    pub struck_commands: Vec<String>,
    /// Files and folders that are granted besides.
    pub added_files: Vec<String>,
    /// Commands that are granted besides.
    pub added_commands: Vec<String>,
}

/// The answer `plan:exit:response`. Only `agentId` and `selected` are needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename = "plan:exit:response", rename_all = "camelCase")]
pub struct ExitResponse {
    /// The request it answers.
    pub agent_id: String,
    /// What was chosen.
    pub selected: SelectedOffer,
    /// Words for the whole plan.
    #[serde(default)]
    pub reason: String,
    /// Remarks on single lines.
    #[serde(default)]
    pub comments: Vec<Comment>,
    /// The plan as the person changed it. Counts for every choice that keeps the plan; throwing it away or leaving plan
    /// mode leaves the file as it is.
    #[serde(default)]
    pub plan: Option<String>,
    /// Only these steps of the plan are approved, by their numbers; all where the field is missing. Counts for an approval alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<u32>>,
    /// The `contractHash` of what was shown. Needed where an edited plan is to run what it covers: who edits, sees it read again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_hash: Option<Hash>,
    /// What is struck from that and added to it.
    #[serde(default)]
    pub grants: Box<GrantChanges>,
    /// The front end that it came through, where that is not the one the session was started by. No host can set it.
    #[serde(skip)]
    pub through: Option<String>,
}

impl ExitRequest {
    /// The request as hosts get it, with what they may answer.
    pub fn new(state: &State, proposal: &Proposal, contract: Contract) -> ExitRequest {
        let mut options = offers(state, &contract);
        // Without a plan there is nothing to start from.
        options.retain(|offer| offer.value != OfferKind::ClearContextAndStart || !proposal.text.trim().is_empty());
        ExitRequest {
            agent_id: proposal.request.0.clone(),
            plan_file_path: proposal.path.clone(),
            plan_content: proposal.text.clone(),
            plan_hash: proposal.hash,
            revision: proposal.revision,
            options,
            steps: steps(&proposal.text),
            contract_hash: contract.hash(),
            contract,
        }
    }
}

/// What is offered at an approval, best first; only what this session may use.
pub fn offers(state: &State, contract: &Contract) -> Vec<Offer> {
    let previous = state.level_beneath();
    let offer = |value: OfferKind, leads_to| Offer { value, label: value.label_with(previous), leads_to };
    let mut all = Vec::new();
    if !contract.is_empty() {
        all.push(offer(OfferKind::StartCovered, Mode::At(Level::Default)));
    }
    all.push(offer(OfferKind::StartEditing, Mode::At(previous)));
    if previous != Level::AcceptEdits && state.may_use(Level::AcceptEdits) {
        all.push(offer(OfferKind::AcceptEdits, Mode::At(Level::AcceptEdits)));
    }
    if previous != Level::Default {
        all.push(offer(OfferKind::AskEachEdit, Mode::At(Level::Default)));
    }
    all.push(offer(OfferKind::ClearContextAndStart, Mode::At(previous)));
    all.push(offer(OfferKind::KeepPlanning, Mode::Plan));
    all.push(offer(OfferKind::SaveAndStop, Mode::Plan));
    all.push(offer(OfferKind::LeavePlanMode, Mode::At(previous)));
    all.push(offer(OfferKind::Discard, Mode::Plan));
    all
}

impl ExitResponse {
    /// The answer this is. An unknown word means "keep planning".
    pub fn into_answer(self, shown: &Proposal, via: &str, at: Timestamp) -> ApprovalAnswer {
        // Hosts that always send the field send it empty when nothing was edited.
        let edited = || self.plan.clone().filter(|plan| !plan.trim().is_empty());
        let runs_covered = self.selected == SelectedOffer::Known(OfferKind::StartCovered);
        let approve = |level, clear_context| Choice::Approve {
            level,
            runs_covered,
            clear_context,
            edited: edited(),
            steps: self.steps.clone(),
            contract_hash: self.contract_hash,
            grants: GrantChanges::clone(&self.grants),
            note: self.reason.clone(),
            comments: self.comments.clone(),
        };
        let for_this_plan = |level| ChosenLevel::Level { level, scope: GrantScope::Plan };
        let keep_planning =
            |edited| Choice::KeepPlanning { reason: self.reason.clone(), comments: self.comments.clone(), edited };
        let choice = match self.selected {
            SelectedOffer::Known(OfferKind::StartCovered) => approve(for_this_plan(Level::Default), false),
            SelectedOffer::Known(OfferKind::StartEditing) => approve(ChosenLevel::Previous, false),
            SelectedOffer::Known(OfferKind::AcceptEdits) => approve(for_this_plan(Level::AcceptEdits), false),
            SelectedOffer::Known(OfferKind::AskEachEdit) => approve(for_this_plan(Level::Default), false),
            SelectedOffer::Known(OfferKind::ClearContextAndStart) => approve(ChosenLevel::Previous, true),
            SelectedOffer::Known(OfferKind::KeepPlanning) => keep_planning(edited()),
            SelectedOffer::Known(OfferKind::SaveAndStop) => Choice::SaveAndStop { edited: edited() },
            SelectedOffer::Known(OfferKind::LeavePlanMode) => Choice::LeavePlanMode,
            SelectedOffer::Known(OfferKind::Discard) => Choice::Discard,
            // A word nobody offered writes nothing.
            SelectedOffer::Unknown(_) => keep_planning(None),
        };
        ApprovalAnswer {
            request: RequestId(self.agent_id),
            hash: shown.hash,
            by: Decider::Person { via: self.through.unwrap_or_else(|| via.into()) },
            at,
            choice,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d10_a_host_sees_and_sends_the_same_word_and_another_one_decides_nothing() {
        for (index, kind) in OfferKind::ALL.into_iter().enumerate() {
            assert_eq!((kind as usize, serde_json::to_value(kind).unwrap()), (index, kind.word().into()));
            assert_eq!(SelectedOffer::from(kind.word()), SelectedOffer::Known(kind));
        }
        assert_eq!(OfferKind::Discard as usize + 1, OfferKind::ALL.len(), "the last one");
        for (outcome, kind) in [
            ("ProceedOnce", OfferKind::AskEachEdit),
            ("proceed_once", OfferKind::AskEachEdit),
            ("ProceedOnceNoFeedback", OfferKind::AskEachEdit),
            ("ProceedAlways", OfferKind::AcceptEdits),
            ("proceed_always", OfferKind::AcceptEdits),
            ("Cancel", OfferKind::KeepPlanning),
            ("cancel", OfferKind::KeepPlanning),
        ] {
            assert_eq!(SelectedOffer::from(outcome), SelectedOffer::Known(kind), "{outcome}");
        }
        assert_eq!(SelectedOffer::from("proceed"), SelectedOffer::Unknown("proceed".into()));
        let unknown: SelectedOffer = serde_json::from_value("StartEditing".into()).unwrap();
        assert_eq!(unknown, SelectedOffer::Unknown("StartEditing".into()));
        assert_eq!(serde_json::to_value(unknown).unwrap(), "StartEditing");
    }
}
