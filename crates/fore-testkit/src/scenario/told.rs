//! What the model was told, request by request: only what is new since the request before.

use super::page::ScenarioPage;
use crate::record::{RecordedRequest, ToldPart};

const START: &str = "<system-reminder>";
const END: &str = "</system-reminder>";
/// Lines of one piece, unless the page shows whole words.
const MAX_LINES: usize = 14;
/// Lines of a reminder, unless the page shows whole words.
const MAX_REMINDER_LINES: usize = 2;

pub(crate) fn write(page: &mut ScenarioPage, requests: &[RecordedRequest], whole: bool, tools: bool) {
    let mut names: Vec<&str> = requests.iter().filter_map(|request| request.conversation.as_deref()).collect();
    names.sort_by_key(|name| (*name != "main", *name));
    names.dedup();
    for name in names {
        let of_it = requests.iter().filter(|request| request.conversation.as_deref() == Some(name));
        conversation(page, name, &of_it.collect::<Vec<_>>(), whole, tools);
    }
}

fn conversation(page: &mut ScenarioPage, name: &str, requests: &[&RecordedRequest], whole: bool, tools: bool) {
    let mut before: Vec<ToldPart> = Vec::new();
    let mut offered: &[String] = &[];
    for (number, request) in requests.iter().enumerate() {
        let told = pieces(&request.told);
        let goes_on = told.starts_with(&before);
        let anew = if goes_on { "" } else { " (begins anew)" };
        let label = if name == "main" { String::new() } else { format!(" of {name}") };
        page.line(&format!("request {}{label}{anew}", number + 1));
        if tools && offered != request.tools {
            page.line(&format!("    offers: {}", request.tools.join(", ")));
            offered = &request.tools;
        }
        let new = if goes_on { told.get(before.len()..).unwrap_or_default() } else { &told };
        for piece in new {
            write_one(page, piece, whole, goes_on);
        }
        before = told;
    }
}

/// The same pieces for all protocols: some join the words of a message, and some mark a failed result in its text.
fn pieces(told: &[ToldPart]) -> Vec<ToldPart> {
    let mut made = Vec::new();
    for piece in told {
        match piece {
            ToldPart::Words(text) => {
                let mut rest = text.as_str();
                while let Some((words, after)) = next_reminder(rest) {
                    words.into_iter().flatten().for_each(|words| add_words(&mut made, words));
                    rest = after;
                }
                if !rest.is_empty() {
                    add_words(&mut made, rest);
                }
            }
            ToldPart::Result { tool, text } => {
                let text = text.strip_prefix("Error: ").unwrap_or(text).to_owned();
                made.push(ToldPart::Result { tool: tool.clone(), text });
            }
            ToldPart::Image | ToldPart::Said(_) | ToldPart::Called(_) => made.push(piece.clone()),
        }
    }
    made
}

/// Adds words; those that follow other words go on with them.
fn add_words(made: &mut Vec<ToldPart>, words: &str) {
    match made.last_mut() {
        Some(ToldPart::Words(before)) if !before.starts_with(START) && !words.starts_with(START) => {
            before.push_str("\n\n");
            before.push_str(words);
        }
        _ => made.push(ToldPart::Words(words.to_owned())),
    }
}

/// The words before the first reminder and the reminder itself, and what comes after.
fn next_reminder(text: &str) -> Option<([Option<&str>; 2], &str)> {
    let starts = |at: &usize| *at == 0 || text.get(..*at).is_some_and(|before| before.ends_with('\n'));
    let start = text.match_indices(START).map(|(at, _)| at).find(starts)?;
    let end = start + text.get(start..)?.find(END)? + END.len();
    let (before, reminder) = (text.get(..start)?.trim_end(), text.get(start..end)?);
    Some(([Some(before).filter(|before| !before.is_empty()), Some(reminder)], text.get(end..)?.trim_start()))
}

fn write_one(page: &mut ScenarioPage, told: &ToldPart, whole: bool, goes_on: bool) {
    let (label, text) = match told {
        ToldPart::Words(text) if text.starts_with(START) => {
            return reminder(page, text, whole);
        }
        ToldPart::Words(text) => ("words".to_owned(), text.as_str()),
        ToldPart::Image => ("an image".to_owned(), ""),
        ToldPart::Result { tool, text } => (format!("result of {tool}"), text.as_str()),
        // What the model said is on the page already, unless the history was cut.
        ToldPart::Said(_) | ToldPart::Called(_) if goes_on => return,
        ToldPart::Said(text) => ("it had said".to_owned(), text.as_str()),
        ToldPart::Called(tool) => (format!("it had called {tool}"), ""),
    };
    let most = if whole { usize::MAX } else { MAX_LINES };
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let first = lines.first().copied().unwrap_or_default();
    page.line(&format!("    {label}: {first}"));
    for line in lines.iter().skip(1).take(most.saturating_sub(1)) {
        page.line(&format!("        {line}"));
    }
    if lines.len() > most {
        page.line(&format!("        … {} more lines", lines.len() - most));
    }
}

fn reminder(page: &mut ScenarioPage, text: &str, whole: bool) {
    let inner = text.trim_start_matches(START).trim_end().trim_end_matches(END).trim();
    let lines: Vec<&str> = inner.lines().collect();
    let most = if whole { usize::MAX } else { MAX_REMINDER_LINES };
    page.line(&format!("    reminder: {}", lines.first().copied().unwrap_or_default()));
    for line in lines.iter().skip(1).take(most.saturating_sub(1)) {
        page.line(&format!("        {line}"));
    }
    if lines.len() > most {
        page.line("        …");
    }
}
