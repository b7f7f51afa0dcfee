//! A report as a page for a pull request. Everything in it that came from outside is made fit for eyes.

use super::{ChangedBy, CommandOutcome, FileOutcome, FileReport, Report, StepOutcome};
use crate::contract::NearReason;
use fore_text::{count, cut};

/// Rows of a table; what comes behind is counted.
const MAX_ROWS: usize = 500;
const MAX_CELL_CHARS: usize = 300;

pub(super) fn page(report: &Report) -> String {
    let mut page = format!("**{}**\n", report.headline());
    let steps = report.steps.iter().map(|step| {
        let outcome = match step.outcome {
            StepOutcome::Done => "done",
            StepOutcome::Unchecked => "changed, not checked since",
            StepOutcome::Skipped => "skipped",
            StepOutcome::NotBegun => "not begun",
            StepOutcome::Untold => "names no file or command",
        };
        format!("| {} | {} | {outcome} |", step.number, titled(&step.title))
    });
    table(&mut page, "Steps", "| | step | |\n|--:|---|---|", steps, report.steps.len());
    let is_listed = |file: &&FileReport| file.outcome != FileOutcome::Incidental;
    let listed = report.files.iter().filter(is_listed);
    let files = listed.clone().map(|file| {
        let lines = match (file.added, file.removed) {
            _ if matches!(file.outcome, FileOutcome::Untouched { .. }) => "–".to_owned(),
            (Some(added), Some(removed)) => format!("+{added} −{removed}"),
            (None, _) | (_, None) => "changed".to_owned(),
        };
        format!("| {} | {lines} | {} |", code(&file.path), outcome(&file.outcome))
    });
    table(&mut page, "Files", "| file | | |\n|---|---|---|", files, listed.clone().count());
    let incidental = report.files.len().saturating_sub(listed.count());
    if incidental > 0 {
        page.push_str(&format!("\nBesides: {} by tools alone (lock files, white space).\n", count(incidental, "file")));
    }
    if report.unlisted > 0 {
        page.push_str(&format!(
            "\n**{} more** changed by commands, too many to be listed.\n",
            count(report.unlisted, "file")
        ));
    }
    let commands = report.commands.iter().map(|command| {
        let outcome = match command.outcome {
            CommandOutcome::Passed { .. } if command.is_check => "passed".to_owned(),
            CommandOutcome::Passed { .. } => "ran".to_owned(),
            CommandOutcome::Stale { .. } => "passed, but files changed since".to_owned(),
            CommandOutcome::Unclear { .. } => "ran; its exit code does not say if the check passed".to_owned(),
            CommandOutcome::Failed { exit_code: Some(code), .. } => format!("failed with exit code {code}"),
            CommandOutcome::Failed { exit_code: None, .. } => "was ended".to_owned(),
            CommandOutcome::Running => "still running".to_owned(),
            CommandOutcome::NotRun => "not run".to_owned(),
        };
        format!("| {} | {outcome} |", code(&command.command))
    });
    table(&mut page, "Commands", "| command | |\n|---|---|", commands, report.commands.len());
    if let Some(said) = &report.said {
        let quoted: Vec<String> = fore_text::prose(said).lines().map(|line| format!("> {line}")).collect();
        page.push_str(&format!("\n### What the model said\n\n{}\n", quoted.join("\n")));
    }
    page
}

fn outcome(outcome: &FileOutcome) -> String {
    match outcome {
        FileOutcome::AsPlanned { line: 0 } => "as planned".to_owned(),
        FileOutcome::AsPlanned { line } => format!("as planned (line {line})"),
        FileOutcome::Generated { command } => format!("by {}", code(command)),
        FileOutcome::Near { why, .. } => match why {
            NearReason::Test => "near: a test".to_owned(),
            NearReason::SameFolder => "near: the same folder".to_owned(),
            NearReason::Manifest => "near: the manifest".to_owned(),
            NearReason::Locale => "near: another language".to_owned(),
        },
        FileOutcome::Incidental => "by a tool".to_owned(),
        FileOutcome::NotPlanned { by } => match by {
            ChangedBy::Tool { name } => format!("**not planned** (by {})", cell(name)),
            ChangedBy::Command { command, .. } => format!("**not planned** (by {})", code(command)),
            ChangedBy::Person => "not planned (not by this session)".to_owned(),
        },
        FileOutcome::Untouched { .. } => "planned, untouched".to_owned(),
    }
}

fn table(page: &mut String, title: &str, head: &str, rows: impl Iterator<Item = String>, number: usize) {
    if number == 0 {
        return;
    }
    page.push_str(&format!("\n### {title}\n\n{head}\n"));
    for row in rows.take(MAX_ROWS) {
        page.push_str(&row);
        page.push('\n');
    }
    if number > MAX_ROWS {
        page.push_str(&format!("\n{} more.\n", number - MAX_ROWS));
    }
}

/// The title of a step: what it has between backticks stays code.
fn titled(title: &str) -> String {
    let title = cut::ellipsis(&fore_text::line(&cut::one_line(title)), MAX_CELL_CHARS).into_owned();
    let pieces: Vec<&str> = title.split('`').collect();
    if pieces.len().is_multiple_of(2) || title.contains("``") {
        return escaped(&title);
    }
    let shown = |(place, piece): (usize, &&str)| if !place.is_multiple_of(2) { code(piece) } else { escaped(piece) };
    pieces.iter().enumerate().map(shown).collect()
}

/// Text that stays in its cell and means nothing to Markdown.
fn cell(text: &str) -> String {
    escaped(&cut::ellipsis(&fore_text::line(&cut::one_line(text)), MAX_CELL_CHARS))
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '|' | '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '#' | '~' | '!' | '&' | '@') {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// A path or command in one line of code. Where a backslash of its own would make a bar end the cell, it is no code.
fn code(text: &str) -> String {
    let text = cut::one_line(text);
    let text = fore_text::line(&text);
    if text.contains("``") || text.contains('|') && text.contains('\\') {
        return cell(&text);
    }
    let shown = cut::ellipsis(&text, MAX_CELL_CHARS).replace('|', "\\|");
    let (fence, blank) = if text.contains('`') { ("``", " ") } else { ("`", "") };
    format!("{fence}{blank}{shown}{blank}{fence}")
}
