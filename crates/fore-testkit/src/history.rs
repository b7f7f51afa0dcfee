//! The rules about history that hold in every protocol: who speaks when, which calls are answered, what came back unchanged.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::issued::{Issued, IssuedTurn};
use crate::json_place::shorten;
use crate::protocol::WireProtocol;
use crate::received::{Received, ReceivedBlock, ReceivedEntry, ReceivedRole};
use crate::reply::TurnKey;
use crate::report::BrokenRules;
use crate::script::HistoryRule;

const PAIRING: &str = "every tool call is answered exactly once, in the next message";
const RETURNED: &str = "the model's answer comes back unchanged";

pub(crate) fn check(
    protocol: WireProtocol,
    received: &Received,
    issued: &Issued,
    history: HistoryRule,
    findings: &mut BrokenRules,
) {
    order(protocol, received, findings);
    sequence(received, issued, findings);
    for (index, entry) in received.entries.iter().enumerate() {
        match entry.role {
            ReceivedRole::Assistant => {
                answered(entry, received.entries.get(index + 1), findings);
                known(entry, issued, history, findings);
                unchanged(protocol, entry, received, issued, findings);
            }
            ReceivedRole::User => {
                let before = index.checked_sub(1).and_then(|index| received.entries.get(index));
                asked_for(entry, before, findings);
            }
        }
    }
}

fn order(protocol: WireProtocol, received: &Received, findings: &mut BrokenRules) {
    let Some(first) = received.entries.first() else {
        findings.add("there are messages", "$", "at least one message of the user", "none");
        return;
    };
    if first.role != ReceivedRole::User {
        findings.add("the user speaks first", &first.path, "user", "assistant");
    }
    if let Some(last) = received.entries.last().filter(|last| last.role == ReceivedRole::Assistant) {
        findings.add("the user speaks last", &last.path, "user, or tool results", "assistant");
    }
    // Chat Completions and Responses allow several messages of the same role in a row.
    if matches!(protocol, WireProtocol::Anthropic | WireProtocol::Gemini) {
        for (before, entry) in received.entries.iter().zip(received.entries.iter().skip(1)) {
            if before.role == entry.role {
                findings.add("roles alternate", &entry.path, "the other role", format!("{:?} again", entry.role));
            }
        }
    }
}

fn results(entry: &ReceivedEntry) -> Vec<&str> {
    let mut ids = Vec::new();
    for block in &entry.blocks {
        match block {
            ReceivedBlock::Result { id, .. } => ids.push(id.as_str()),
            ReceivedBlock::Text(_)
            | ReceivedBlock::Image
            | ReceivedBlock::Reasoning { .. }
            | ReceivedBlock::Call { .. } => {}
        }
    }
    ids
}

fn calls(entry: &ReceivedEntry) -> Vec<(&str, &str)> {
    let mut calls = Vec::new();
    for block in &entry.blocks {
        match block {
            ReceivedBlock::Call { id, name, .. } => calls.push((id.as_str(), name.as_str())),
            ReceivedBlock::Text(_)
            | ReceivedBlock::Image
            | ReceivedBlock::Reasoning { .. }
            | ReceivedBlock::Result { .. } => {}
        }
    }
    calls
}

fn answered(entry: &ReceivedEntry, next: Option<&ReceivedEntry>, findings: &mut BrokenRules) {
    let answers = next.filter(|next| next.role == ReceivedRole::User).map(results).unwrap_or_default();
    let place = next.map_or_else(|| format!("after {}", entry.path), |next| next.path.clone());
    let mut seen = BTreeMap::new();
    for (id, name) in calls(entry) {
        let times = answers.iter().filter(|answer| **answer == id).count();
        if times != 1 {
            let listed = if answers.is_empty() { "no results".to_owned() } else { answers.join(", ") };
            findings.add(PAIRING, &place, format!("one result for {id} ({name})"), format!("{times}: {listed}"));
        }
        if let Some(other) = seen.insert(id, name) {
            findings.add("call ids are unique", &entry.path, format!("another id than {id}"), format!("also {other}"));
        }
    }
}

fn asked_for(entry: &ReceivedEntry, before: Option<&ReceivedEntry>, findings: &mut BrokenRules) {
    let asked = before.filter(|before| before.role == ReceivedRole::Assistant).map(calls).unwrap_or_default();
    for id in results(entry) {
        if !asked.iter().any(|(call, _)| *call == id) {
            let listed = asked.iter().map(|(id, _)| *id).collect::<Vec<_>>().join(", ");
            let expected = if listed.is_empty() { "no results: nothing was called".to_owned() } else { listed };
            findings.add("every result belongs to a call of the message before", &entry.path, expected, id);
        }
    }
}

/// Answers stand in the history as they were given: each in one place, none before an earlier one.
fn sequence(received: &Received, issued: &Issued, findings: &mut BrokenRules) {
    let mut last: BTreeMap<usize, usize> = BTreeMap::new();
    for entry in received.entries.iter().filter(|entry| entry.role == ReceivedRole::Assistant) {
        let mut turns: Vec<TurnKey> = tokens(entry).into_iter().filter_map(|token| issued.turn_of(token)).collect();
        turns.dedup();
        for TurnKey { conversation, turn } in turns {
            if let Some(before) = last.insert(conversation, turn).filter(|before| *before >= turn) {
                let expected = format!("an answer after turn {before}");
                findings.add("answers come back in order", &entry.path, expected, format!("turn {turn}"));
            }
        }
    }
}

fn known(entry: &ReceivedEntry, issued: &Issued, history: HistoryRule, findings: &mut BrokenRules) {
    for block in &entry.blocks {
        match block {
            ReceivedBlock::Call { id, name, arguments, seal } => {
                match issued.calls.get(id) {
                    None if history == HistoryRule::Own => {
                        findings.add("call ids come from this server", &entry.path, "an id that was sent", id);
                    }
                    None => {}
                    Some(call) => {
                        if call.name != *name {
                            findings.add(RETURNED, format!("{} {id}", entry.path), &call.name, name);
                        }
                        same_arguments(entry, id, &call.arguments, arguments, findings);
                    }
                }
                if let Some(seal) = seal {
                    known_seal(entry, seal, None, issued, history, findings);
                }
            }
            ReceivedBlock::Reasoning { text, seal: Some(seal) } => {
                known_seal(entry, seal, Some(text), issued, history, findings);
            }
            ReceivedBlock::Reasoning { seal: None, .. }
            | ReceivedBlock::Text(_)
            | ReceivedBlock::Image
            | ReceivedBlock::Result { .. } => {}
        }
    }
}

fn known_seal(
    entry: &ReceivedEntry,
    seal: &str,
    text: Option<&String>,
    issued: &Issued,
    history: HistoryRule,
    findings: &mut BrokenRules,
) {
    let Some(sent) = issued.seals.get(seal) else {
        if history == HistoryRule::Own {
            let expected = "a signature or encrypted content that was sent";
            findings.add("seals come back unchanged", &entry.path, expected, shorten(seal));
        }
        return;
    };
    if let (Some(words), Some(text)) = (&sent.text, text)
        && words != text
    {
        let (expected, found) = (format!("{:?}", shorten(words)), format!("{:?}", shorten(text)));
        findings.add("reasoning comes back unchanged", &entry.path, expected, found);
    }
}

/// Arguments may be formatted anew, but they must mean the same; what was broken has no meaning to keep.
fn same_arguments(entry: &ReceivedEntry, id: &str, sent: &str, found: &str, findings: &mut BrokenRules) {
    let Ok(sent) = serde_json::from_str::<Value>(sent) else { return };
    if serde_json::from_str::<Value>(found).ok().as_ref() != Some(&sent) {
        let place = format!("{} arguments of {id}", entry.path);
        findings.add(RETURNED, place, shorten(&sent.to_string()), shorten(found));
    }
}

fn unchanged(
    protocol: WireProtocol,
    entry: &ReceivedEntry,
    received: &Received,
    issued: &Issued,
    findings: &mut BrokenRules,
) {
    let tokens = tokens(entry);
    let words: String = entry.blocks.iter().filter_map(text_of).collect();
    for turn in &issued.turns {
        // Seals belong to one model and one protocol: after a switch they cannot go back.
        if !turn.complete || turn.protocol != protocol || turn.model != received.model {
            continue;
        }
        let found: Vec<&str> = tokens.iter().copied().filter(|token| issued.turn_of(token) == Some(turn.key)).collect();
        let recognised = !found.is_empty() || is_only_answer_with(&words, turn, issued);
        if !recognised {
            continue;
        }
        if found != turn.tokens {
            let shown = |list: &[&str]| if list.is_empty() { "nothing".to_owned() } else { list.join("\n") };
            let sent: Vec<&str> = turn.tokens.iter().map(String::as_str).collect();
            let place = format!("{} seals and call ids", entry.path);
            findings.add("seals and calls come back complete and in order", place, shown(&sent), shown(&found));
        }
        same_reasoning(protocol, entry, turn, findings);
    }
}

/// Words alone tell which turn an entry is only when no other turn said the same.
fn is_only_answer_with(words: &str, turn: &IssuedTurn, issued: &Issued) -> bool {
    !words.is_empty() && turn.words == words && issued.turns.iter().filter(|other| other.words == words).count() == 1
}

/// Chat Completions has no seals; what it calls reasoning may be left out, but not be changed.
fn same_reasoning(protocol: WireProtocol, entry: &ReceivedEntry, turn: &IssuedTurn, findings: &mut BrokenRules) {
    if protocol != WireProtocol::Chat {
        return;
    }
    for block in &entry.blocks {
        if let ReceivedBlock::Reasoning { text, .. } = block
            && *text != turn.reasoning
        {
            let place = format!("{}.reasoning_content", entry.path);
            findings.add("reasoning comes back unchanged", place, shorten(&turn.reasoning), shorten(text));
        }
    }
}

fn text_of(block: &ReceivedBlock) -> Option<&str> {
    match block {
        ReceivedBlock::Text(text) => Some(text),
        ReceivedBlock::Image
        | ReceivedBlock::Reasoning { .. }
        | ReceivedBlock::Call { .. }
        | ReceivedBlock::Result { .. } => None,
    }
}

fn tokens(entry: &ReceivedEntry) -> Vec<&str> {
    let mut tokens = Vec::new();
    for block in &entry.blocks {
        match block {
            ReceivedBlock::Reasoning { seal: Some(seal), .. } => tokens.push(seal.as_str()),
            ReceivedBlock::Call { id, seal, .. } => {
                tokens.extend(seal.as_deref());
                tokens.push(id);
            }
            ReceivedBlock::Reasoning { seal: None, .. }
            | ReceivedBlock::Text(_)
            | ReceivedBlock::Image
            | ReceivedBlock::Result { .. } => {}
        }
    }
    tokens
}
