//! A plan that waits for approval, as a client shows it: the text, what stands beside it, and what can be answered. Pure.

use super::{plan_terms::PlanTerms, tool_cards};
use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, ToolCallContent, ToolCallStatus, ToolCallUpdateFields, ToolKind,
};
use fore_agent::ApprovalAsked;
use fore_plan::{
    Level, Mode,
    approval::{ExitRequest, Offer, OfferKind},
};
use serde_json::json;
use std::fmt::Write as _;

/// Entries of a list that are shown; the rest is counted.
const MAX_LISTED: usize = 30;
/// Bytes of a difference that are shown.
const MAX_DIFFERENCE: usize = 16 << 10;

/// What the card of the request shows. The plan comes first, and with its path also as input, for clients that look there.
pub(super) fn fields(asked: &ApprovalAsked, terms: &PlanTerms) -> ToolCallUpdateFields {
    let ExitRequest { plan_content, plan_file_path, .. } = &asked.request;
    let beside = beside(asked, terms);
    let mut content = vec![tool_cards::text(&fore_text::prose(plan_content))];
    if !beside.is_empty() {
        content.push(ToolCallContent::from(fore_text::prose(&beside).into_owned()));
    }
    ToolCallUpdateFields::new()
        .kind(ToolKind::SwitchMode)
        .status(ToolCallStatus::Pending)
        .title(title(asked))
        .content(content)
        .raw_input(json!({ "plan": plan_content, "planFilePath": plan_file_path }))
}

/// What the card is called.
pub(super) fn title(asked: &ApprovalAsked) -> String {
    match &asked.agent {
        None => "Approve this plan?".to_owned(),
        Some(_) => tool_cards::line(&format!("Approve the plan of a subagent? {}", asked.agent_task)),
    }
}

/// Everything that helps to decide, as Markdown.
fn beside(asked: &ApprovalAsked, terms: &PlanTerms) -> String {
    let ApprovalAsked { notes, changed, proof, moved, rehearsals, estimate, .. } = asked;
    let mut page = terms.page();
    if !moved.is_empty() {
        page.push_str("\n**Changed since the plan was made**\n\n");
        for file in moved.iter().take(MAX_LISTED) {
            let _ = writeln!(page, "- `{}`", file.path);
        }
        more(&mut page, moved.len());
    }
    if let Some(estimate) = estimate {
        let _ = writeln!(page, "\n**The work**: {estimate:#}");
    }
    if !notes.is_empty() {
        page.push_str("\n**The plan check notes**\n\n");
        for note in notes.iter().take(MAX_LISTED) {
            let place = note.line.map(|line| format!("line {line}: ")).unwrap_or_default();
            let _ = writeln!(page, "- {place}{}", note.sentence);
        }
        more(&mut page, notes.len());
    }
    if !rehearsals.is_empty() {
        page.push_str("\n**Tried while planning; nothing of it was kept**\n\n");
        for rehearsal in rehearsals.iter().take(MAX_LISTED) {
            let _ = writeln!(page, "- `{}`: {}", fore_text::cut::one_line(&rehearsal.command), rehearsal.ended);
        }
        more(&mut page, rehearsals.len());
    }
    if !changed.is_empty() {
        page.push_str("\n**Changed since you last saw it**\n\n");
        page.push_str(&tool_cards::fenced(fore_text::cut::bytes(changed, MAX_DIFFERENCE)));
        page.push('\n');
    }
    if !proof.line.is_empty() {
        let _ = write!(page, "\n{}\n", proof.line);
    }
    page.trim().to_owned()
}

fn more(page: &mut String, all: usize) {
    if let Some(left) = all.checked_sub(MAX_LISTED).filter(|left| *left > 0) {
        let _ = writeln!(page, "- and {left} more");
    }
}

/// How much a yes lets happen without asking: the least comes first, because clients that answer by themselves take the first.
fn power(offer: &Offer) -> Option<(u8, u8)> {
    let level = match offer.leads_to {
        Mode::Plan => 0,
        Mode::At(Level::Default) => 1,
        Mode::At(Level::AcceptEdits) => 2,
        Mode::At(Level::Auto) => 3,
        Mode::At(Level::BypassPermissions) => 4,
    };
    let within = match offer.value {
        OfferKind::StartEditing | OfferKind::AskEachEdit | OfferKind::AcceptEdits => 0,
        OfferKind::ClearContextAndStart => 1,
        OfferKind::StartCovered => 2,
        OfferKind::KeepPlanning | OfferKind::SaveAndStop | OfferKind::LeavePlanMode | OfferKind::Discard => {
            return None;
        }
    };
    Some((level, within))
}

/// What can be answered to a plan, in the order in which it is shown. Nothing is ever allowed or refused for good, and planning
/// is left, or the plan thrown away, by other means than an answer to it.
pub(super) fn offered(request: &ExitRequest) -> Vec<OfferKind> {
    let mut yes: Vec<((u8, u8), OfferKind)> =
        request.options.iter().filter_map(|offer| Some((power(offer)?, offer.value))).collect();
    yes.sort_by_key(|(power, _)| *power);
    let no = [OfferKind::KeepPlanning, OfferKind::SaveAndStop].into_iter();
    let no = no.filter(|kind| request.options.iter().any(|offer| offer.value == *kind));
    yes.into_iter().map(|(_, kind)| kind).chain(no).collect()
}

/// Whether it is a yes.
pub(super) fn is_yes(kind: OfferKind) -> bool {
    match kind {
        OfferKind::StartCovered
        | OfferKind::StartEditing
        | OfferKind::AcceptEdits
        | OfferKind::AskEachEdit
        | OfferKind::ClearContextAndStart => true,
        OfferKind::KeepPlanning | OfferKind::SaveAndStop | OfferKind::LeavePlanMode | OfferKind::Discard => false,
    }
}

/// The label of an answer.
pub(super) fn label(request: &ExitRequest, kind: OfferKind) -> String {
    request.options.iter().find(|offer| offer.value == kind).map(|offer| offer.label.clone()).unwrap_or_default()
}

/// The same as buttons.
pub(super) fn options(request: &ExitRequest) -> Vec<PermissionOption> {
    let option = |kind: OfferKind| {
        let of_kind = if is_yes(kind) { PermissionOptionKind::AllowOnce } else { PermissionOptionKind::RejectOnce };
        PermissionOption::new(kind.word(), label(request, kind), of_kind)
    };
    offered(request).into_iter().map(option).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_plan::{contract::Contract, plan::Hash};

    fn request(options: &[(OfferKind, Mode)]) -> ExitRequest {
        let offer = |(value, leads_to): &(OfferKind, Mode)| Offer {
            value: *value,
            label: value.word().into(),
            leads_to: *leads_to,
        };
        ExitRequest {
            agent_id: "request".into(),
            plan_file_path: "/plans/a.md".into(),
            plan_content: "# A".into(),
            plan_hash: Hash::of(b"# A"),
            revision: 1,
            options: options.iter().map(offer).collect(),
            steps: Vec::new(),
            contract: Contract::default(),
            contract_hash: Contract::default().hash(),
        }
    }

    #[test]
    fn the_least_powerful_yes_comes_first_and_nothing_is_for_good() {
        let (default, edits) = (Mode::At(Level::Default), Mode::At(Level::AcceptEdits));
        let bypass = Mode::At(Level::BypassPermissions);
        let all = request(&[
            (OfferKind::StartCovered, default),
            (OfferKind::StartEditing, bypass),
            (OfferKind::AcceptEdits, edits),
            (OfferKind::AskEachEdit, default),
            (OfferKind::ClearContextAndStart, bypass),
            (OfferKind::KeepPlanning, Mode::Plan),
            (OfferKind::SaveAndStop, Mode::Plan),
            (OfferKind::LeavePlanMode, bypass),
            (OfferKind::Discard, Mode::Plan),
        ]);
        let expected = [
            OfferKind::AskEachEdit,
            OfferKind::StartCovered,
            OfferKind::AcceptEdits,
            OfferKind::StartEditing,
            OfferKind::ClearContextAndStart,
            OfferKind::KeepPlanning,
            OfferKind::SaveAndStop,
        ];
        assert_eq!(offered(&all), expected);
        let kinds: Vec<_> = options(&all).iter().map(|option| option.kind).collect();
        assert!(kinds[..5].iter().all(|kind| *kind == PermissionOptionKind::AllowOnce));
        assert!(kinds[5..].iter().all(|kind| *kind == PermissionOptionKind::RejectOnce));
    }
}
