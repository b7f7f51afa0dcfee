//! What the model was told, request by request: only what is new since the request before.

use super::page::Page;
use crate::record::{Request, Told};

/// Lines of one piece, unless the page shows whole words.
const MOST_LINES: usize = 14;
/// Lines of a reminder, unless the page shows whole words.
const REMINDER_LINES: usize = 2;

pub(crate) fn write(page: &mut Page, requests: &[Request], whole: bool, tools: bool) {
    let mut names: Vec<&str> = requests.iter().filter_map(|request| request.conversation.as_deref()).collect();
    names.sort_by_key(|name| *name != "main");
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let of_it = requests.iter().filter(|request| request.conversation.as_deref() == Some(name));
        conversation(page, name, &of_it.collect::<Vec<_>>(), whole, tools);
    }
}

fn conversation(page: &mut Page, name: &str, requests: &[&Request], whole: bool, tools: bool) {
    let mut before: &[Told] = &[];
    let mut offered: &[String] = &[];
    for (number, request) in requests.iter().enumerate() {
        let goes_on = request.told.starts_with(before);
        let anew = if goes_on { "" } else { " (begins anew)" };
        let label = if name == "main" { String::new() } else { format!(" of {name}") };
        page.line(&format!("request {}{label}{anew}", number + 1));
        if tools && offered != request.tools {
            page.line(&format!("    offers: {}", request.tools.join(", ")));
            offered = &request.tools;
        }
        let new = if goes_on { request.told.get(before.len()..).unwrap_or_default() } else { &request.told };
        for told in new {
            write_one(page, told, whole, goes_on);
        }
        before = &request.told;
    }
}

fn write_one(page: &mut Page, told: &Told, whole: bool, goes_on: bool) {
    let (label, text) = match told {
        Told::Words(text) if text.starts_with("<system-reminder>") => {
            return reminder(page, text, whole);
        }
        Told::Words(text) => ("words".to_owned(), text.as_str()),
        Told::Image => ("an image".to_owned(), ""),
        Told::Result { tool, text } => (format!("result of {tool}"), text.as_str()),
        // What the model said is on the page already, unless the history was cut.
        Told::Said(_) | Told::Called(_) if goes_on => return,
        Told::Said(text) => ("it had said".to_owned(), text.as_str()),
        Told::Called(tool) => (format!("it had called {tool}"), ""),
    };
    let most = if whole { usize::MAX } else { MOST_LINES };
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

fn reminder(page: &mut Page, text: &str, whole: bool) {
    let inner = text.trim_start_matches("<system-reminder>").trim_end().trim_end_matches("</system-reminder>").trim();
    let lines: Vec<&str> = inner.lines().collect();
    let most = if whole { usize::MAX } else { REMINDER_LINES };
    page.line(&format!("    reminder: {}", lines.first().copied().unwrap_or_default()));
    for line in lines.iter().skip(1).take(most.saturating_sub(1)) {
        page.line(&format!("        {line}"));
    }
    if lines.len() > most {
        page.line("        …");
    }
}
