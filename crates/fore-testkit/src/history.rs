//! The rules about history that hold in every protocol: who speaks when, which calls are answered, what came back unchanged.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::issued::{Issued, IssuedTurn};
use crate::place::shorten;
use crate::protocol::Protocol;
use crate::received::{Block, Entry, Received, Role};
use crate::reply::TurnKey;
use crate::report::Findings;
use crate::script::History;

const PAIRING: &str = "every tool call is answered exactly once, in the next message";
const RETURNED: &str = "the model's answer comes back unchanged";

pub(crate) fn check(
    protocol: Protocol,
    received: &Received,
    issued: &Issued,
    history: History,
    findings: &mut Findings,
) {
    order(protocol, received, findings);
    sequence(received, issued, findings);
    for (index, entry) in received.entries.iter().enumerate() {
        match entry.role {
            Role::Assistant => {
                answered(entry, received.entries.get(index + 1), findings);
                known(entry, issued, history, findings);
                unchanged(protocol, entry, received, issued, findings);
            }
            Role::User => {
                let before = index.checked_sub(1).and_then(|index| received.entries.get(index));
                asked_for(entry, before, findings);
            }
        }
    }
}

fn order(protocol: Protocol, received: &Received, findings: &mut Findings) {
    let Some(first) = received.entries.first() else {
        findings.add("there are messages", "$", "at least one message of the user", "none");
        return;
    };
    if first.role != Role::User {
        findings.add("the user speaks first", &first.path, "user", "assistant");
    }
    if let Some(last) = received.entries.last().filter(|last| last.role == Role::Assistant) {
        findings.add("the user speaks last", &last.path, "user, or tool results", "assistant");
    }
    // Chat Completions and Responses allow several messages of the same role in a row.
    if matches!(protocol, Protocol::Anthropic | Protocol::Gemini) {
        for (before, entry) in received.entries.iter().zip(received.entries.iter().skip(1)) {
            if before.role == entry.role {
                findings.add("roles alternate", &entry.path, "the other role", format!("{:?} again", entry.role));
            }
        }
    }
}

fn results(entry: &Entry) -> Vec<&str> {
    let mut ids = Vec::new();
    for block in &entry.blocks {
        match block {
            Block::Result { id, .. } => ids.push(id.as_str()),
            Block::Text(_) | Block::Image | Block::Reasoning { .. } | Block::Call { .. } => {}
        }
    }
    ids
}

fn calls(entry: &Entry) -> Vec<(&str, &str)> {
    let mut calls = Vec::new();
    for block in &entry.blocks {
        match block {
            Block::Call { id, name, .. } => calls.push((id.as_str(), name.as_str())),
            Block::Text(_) | Block::Image | Block::Reasoning { .. } | Block::Result { .. } => {}
        }
    }
    calls
}

fn answered(entry: &Entry, next: Option<&Entry>, findings: &mut Findings) {
    let answers = next.filter(|next| next.role == Role::User).map(results).unwrap_or_default();
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

fn asked_for(entry: &Entry, before: Option<&Entry>, findings: &mut Findings) {
    let asked = before.filter(|before| before.role == Role::Assistant).map(calls).unwrap_or_default();
    for id in results(entry) {
        if !asked.iter().any(|(call, _)| *call == id) {
            let listed = asked.iter().map(|(id, _)| *id).collect::<Vec<_>>().join(", ");
            let expected = if listed.is_empty() { "no results: nothing was called".to_owned() } else { listed };
            findings.add("every result belongs to a call of the message before", &entry.path, expected, id);
        }
    }
}

/// Answers stand in the history as they were given: each in one place, none before an earlier one.
fn sequence(received: &Received, issued: &Issued, findings: &mut Findings) {
    let mut last: BTreeMap<usize, usize> = BTreeMap::new();
    for entry in received.entries.iter().filter(|entry| entry.role == Role::Assistant) {
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

fn known(entry: &Entry, issued: &Issued, history: History, findings: &mut Findings) {
    for block in &entry.blocks {
        match block {
            Block::Call { id, name, arguments, seal } => {
                match issued.calls.get(id) {
                    None if history == History::Own => {
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
            Block::Reasoning { text, seal: Some(seal) } => {
                known_seal(entry, seal, Some(text), issued, history, findings);
            }
            Block::Reasoning { seal: None, .. } | Block::Text(_) | Block::Image | Block::Result { .. } => {}
        }
    }
}

fn known_seal(
    entry: &Entry,
    seal: &str,
    text: Option<&String>,
    issued: &Issued,
    history: History,
    findings: &mut Findings,
) {
    let Some(sent) = issued.seals.get(seal) else {
        if history == History::Own {
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
fn same_arguments(entry: &Entry, id: &str, sent: &str, found: &str, findings: &mut Findings) {
    let Ok(sent) = serde_json::from_str::<Value>(sent) else { return };
    if serde_json::from_str::<Value>(found).ok().as_ref() != Some(&sent) {
        let place = format!("{} arguments of {id}", entry.path);
        findings.add(RETURNED, place, shorten(&sent.to_string()), shorten(found));
    }
}

fn unchanged(protocol: Protocol, entry: &Entry, received: &Received, issued: &Issued, findings: &mut Findings) {
    let tokens = tokens(entry);
    let words: String = entry.blocks.iter().filter_map(text_of).collect();
    for turn in &issued.turns {
        // Seals belong to one model and one protocol: after a switch they cannot go back.
        if !turn.whole || turn.protocol != protocol || turn.model != received.model {
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
fn same_reasoning(protocol: Protocol, entry: &Entry, turn: &IssuedTurn, findings: &mut Findings) {
    if protocol != Protocol::Chat {
        return;
    }
    for block in &entry.blocks {
        if let Block::Reasoning { text, .. } = block
            && *text != turn.reasoning
        {
            let place = format!("{}.reasoning_content", entry.path);
            findings.add("reasoning comes back unchanged", place, shorten(&turn.reasoning), shorten(text));
        }
    }
}

fn text_of(block: &Block) -> Option<&str> {
    match block {
        Block::Text(text) => Some(text),
        Block::Image | Block::Reasoning { .. } | Block::Call { .. } | Block::Result { .. } => None,
    }
}

fn tokens(entry: &Entry) -> Vec<&str> {
    let mut tokens = Vec::new();
    for block in &entry.blocks {
        match block {
            Block::Reasoning { seal: Some(seal), .. } => tokens.push(seal.as_str()),
            Block::Call { id, seal, .. } => {
                tokens.extend(seal.as_deref());
                tokens.push(id);
            }
            Block::Reasoning { seal: None, .. } | Block::Text(_) | Block::Image | Block::Result { .. } => {}
        }
    }
    tokens
}
