//! An answer of the page: checked against what is offered and what was shown, then sent as the same command that the terminal sends.

use crate::site::{LiveReview, SiteState};
use fore_agent::Command;
use fore_plan::{
    Mode,
    approval::{ExitResponse, GrantChanges, OfferKind},
    plan::{Hash, left_out_words, steps},
};
use serde::Deserialize;

/// What the receipt calls this front end.
const THROUGH: &str = "browser";

/// What the person chose, and what they had before their eyes.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PageAnswer {
    /// The request that it answers.
    agent_id: String,
    /// One of the offers, by its word.
    selected: String,
    /// The mode that stood beside it.
    leads_to: Mode,
    /// The bytes that were shown.
    text_hash: Hash,
    /// What they cover, as it was shown.
    contract_hash: Option<Hash>,
    /// Only these steps.
    steps: Option<Vec<u32>>,
    /// What becomes of comments and note.
    words: Option<SentWords>,
    /// The version of the draft that was shown: comments, note, edit, and what was struck or added.
    draft: u64,
}

/// Comments that were not sent yet go along, or are thrown away; the person says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SentWords {
    Send,
    Drop,
}

/// Why an answer was not sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotSent {
    /// It does not fit what is asked.
    Wrong(String),
    /// Another answer is on its way.
    Already,
    /// Comments are unsent, and the person was not asked what becomes of them.
    Unsent,
}

/// What a choice comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChoiceMeaning {
    Approve,
    KeepPlanning,
    /// The plan stays or goes, and no words go along.
    WithoutWords,
}

impl ChoiceMeaning {
    pub(crate) fn of(kind: OfferKind) -> ChoiceMeaning {
        match kind {
            OfferKind::StartCovered
            | OfferKind::StartEditing
            | OfferKind::AcceptEdits
            | OfferKind::AskEachEdit
            | OfferKind::ClearContextAndStart => ChoiceMeaning::Approve,
            OfferKind::KeepPlanning => ChoiceMeaning::KeepPlanning,
            OfferKind::SaveAndStop | OfferKind::LeavePlanMode | OfferKind::Discard => ChoiceMeaning::WithoutWords,
        }
    }
}

/// Sends an answer to the session. That it was sent does not mean that it counts: the session says so.
pub(crate) fn send(site: &SiteState, answer: &PageAnswer) -> Result<(), NotSent> {
    let response = {
        let mut current = site.current();
        let Some(live) = &mut current.live else { return Err(wrong("No plan waits here any more.")) };
        if live.is_sent {
            return Err(NotSent::Already);
        }
        let response = response(live, answer)?;
        live.is_sent = true;
        response
    };
    site.host.send(Command::Approval(response)).map_err(|why| {
        if let Some(live) = &mut site.current().live {
            live.is_sent = false;
        }
        NotSent::Wrong(why)
    })
}

fn response(live: &LiveReview, answer: &PageAnswer) -> Result<ExitResponse, NotSent> {
    let request = &live.asked.request;
    if answer.agent_id != request.agent_id {
        return Err(wrong("That is an answer to another request."));
    }
    if answer.text_hash != live.draft.hash() {
        return Err(wrong("The plan has changed since it was shown here; look at it again."));
    }
    if answer.draft != live.draft.version() {
        return Err(wrong("Your comments have changed since you saw them here; look at them again."));
    }
    let offered = request.options.iter().find(|offer| offer.value.word() == answer.selected);
    let Some(offer) = offered.filter(|offer| offer.leads_to == answer.leads_to).cloned() else {
        return Err(wrong("That answer is not offered for this plan."));
    };
    let meaning = ChoiceMeaning::of(offer.value);
    match (meaning, answer.words) {
        (ChoiceMeaning::Approve | ChoiceMeaning::WithoutWords, None) if live.draft.has_words() => {
            return Err(NotSent::Unsent);
        }
        (ChoiceMeaning::WithoutWords, Some(SentWords::Send)) => {
            return Err(wrong("Comments go along with an approval or with \"keep planning\" alone."));
        }
        _ => {}
    }
    let (contract_hash, grants) = match meaning {
        ChoiceMeaning::Approve => contract(live, offer.value, answer)?,
        ChoiceMeaning::KeepPlanning | ChoiceMeaning::WithoutWords => (None, GrantChanges::default()),
    };
    let chosen = chosen_steps(live.draft.text(), answer.steps.as_deref())?;
    // Thrown away only if the answer counts: the draft ends with it.
    let is_dropped = answer.words == Some(SentWords::Drop);
    let note = if is_dropped { String::new() } else { live.draft.review().note.trim().to_owned() };
    let reason = match (meaning, &chosen) {
        (ChoiceMeaning::KeepPlanning, Some(kept)) => {
            let said = Some(note).filter(|note| !note.is_empty());
            said.into_iter().chain(left_out_words(live.draft.text(), kept)).collect::<Vec<_>>().join("\n\n")
        }
        _ => note,
    };
    let comments = if is_dropped { Vec::new() } else { live.draft.outgoing() };
    Ok(ExitResponse {
        agent_id: request_id(live),
        selected: offer.value.into(),
        reason,
        comments,
        plan: live.draft.review().edited.clone().filter(|_| offer.value != OfferKind::Discard),
        steps: chosen.filter(|_| meaning == ChoiceMeaning::Approve),
        contract_hash,
        grants: Box::new(grants),
        through: Some(THROUGH.to_owned()),
    })
}

fn request_id(live: &LiveReview) -> String {
    live.asked.request.agent_id.clone()
}

/// The steps that are meant; none where that is all of them.
fn chosen_steps(text: &str, chosen: Option<&[u32]>) -> Result<Option<Vec<u32>>, NotSent> {
    let Some(chosen) = chosen else { return Ok(None) };
    let all: Vec<u32> = steps(text).iter().map(|step| step.number).collect();
    if chosen.is_empty() || chosen.iter().any(|number| !all.contains(number)) {
        return Err(wrong("The plan has no such steps."));
    }
    let kept: Vec<u32> = all.iter().copied().filter(|number| chosen.contains(number)).collect();
    Ok((kept.len() < all.len()).then_some(kept))
}

/// What goes along with an approval: which contract was shown, and what the person made of it.
fn contract(live: &LiveReview, kind: OfferKind, answer: &PageAnswer) -> Result<(Option<Hash>, GrantChanges), NotSent> {
    let shown = &live.contract;
    let is_current = shown.plan == live.draft.hash();
    let is_named = answer.contract_hash == Some(shown.hash) && is_current;
    if answer.contract_hash.is_some() && !is_named {
        return Err(wrong("What the plan covers is not what was shown here; look at it again."));
    }
    if kind == OfferKind::StartCovered && !is_named {
        return Err(wrong("What this text covers is still being read; try again in a moment."));
    }
    let mut grants = live.draft.review().grants.clone();
    grants.struck_files.retain(|path| shown.contract.files.iter().any(|grant| grant.path == *path));
    grants.struck_commands.retain(|line| shown.contract.commands.iter().any(|grant| grant.command == *line));
    Ok((answer.contract_hash, grants))
}

fn wrong(why: &str) -> NotSent {
    NotSent::Wrong(why.to_owned())
}
