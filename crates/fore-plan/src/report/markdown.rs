//! A report as a page for a pull request. Everything in it that came from outside is made fit for eyes.

use super::{ChangedBy, CommandOutcome, CommandReport, FileOutcome, FileReport, Report, ShownTimes, StepOutcome};
use crate::{approval::Timestamp, contract::NearReason};
use fore_text::{count, cut};

/// Rows of a table; what comes behind is counted.
const MAX_ROWS: usize = 500;
const MAX_CELL_CHARS: usize = 300;

pub(super) fn page(report: &Report, times: ShownTimes) -> String {
    let mut page = format!("**{}**\n", report.headline());
    let steps = report.steps.iter().map(|step| {
        let outcome = match step.outcome {
            StepOutcome::Done => "done",
            StepOutcome::Unchecked => "changed, not checked since",
            StepOutcome::Skipped => "skipped",
            StepOutcome::NotBegun => "not begun",
            StepOutcome::Untold => "names no file or command",
        };
        let untouched: Vec<String> = step.untouched.iter().map(|path| code(path)).collect();
        let but = if untouched.is_empty() { String::new() } else { format!("; untouched: {}", untouched.join(", ")) };
        format!("| {} | {} | {outcome}{but} |", step.number, titled(&step.title))
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
    let commands =
        report.commands.iter().map(|command| format!("| {} | {} |", code(&command.command), ended(command, times)));
    table(&mut page, "Commands", "| command | |\n|---|---|", commands, report.commands.len());
    if let Some(said) = &report.said {
        let quoted: Vec<String> = fore_text::prose(said).lines().map(|line| format!("> {line}")).collect();
        page.push_str(&format!("\n### What the model said\n\n{}\n", quoted.join("\n")));
    }
    page
}

/// How a command ended, when, and on which state of the tree.
fn ended(command: &CommandReport, times: ShownTimes) -> String {
    let names: Vec<String> = command.changed_since.iter().map(|path| code(path)).collect();
    let more = if command.more_since == 0 { String::new() } else { format!(" and {} more", command.more_since) };
    let since = if names.is_empty() { String::new() } else { format!("{}{more}", names.join(", ")) };
    let (outcome, exit_code, at) = match command.outcome {
        CommandOutcome::Passed { at } if command.is_check => ("passed".to_owned(), Some(0), at),
        CommandOutcome::Passed { at } => ("ran".to_owned(), Some(0), at),
        CommandOutcome::Stale { at } => ("passed, but files changed since".to_owned(), Some(0), at),
        CommandOutcome::Unclear { at } => {
            ("ran; its exit code does not say if the check passed".to_owned(), Some(0), at)
        }
        CommandOutcome::Failed { exit_code: Some(code), at } => (format!("failed with exit code {code}"), None, at),
        CommandOutcome::Failed { exit_code: None, at } => ("was ended".to_owned(), None, at),
        CommandOutcome::Running => return "still running".to_owned(),
        CommandOutcome::NotRun => return "not run".to_owned(),
    };
    let when = match (times, exit_code) {
        (ShownTimes::Hidden, _) => String::new(),
        (ShownTimes::Clock, Some(code)) => format!(" (exit code {code}, {})", clock(at)),
        (ShownTimes::Clock, None) => format!(" ({})", clock(at)),
    };
    match (command.outcome, times) {
        (CommandOutcome::Stale { .. }, _) if !since.is_empty() => format!("passed{when}, but {since} changed since"),
        (_, ShownTimes::Clock) if !since.is_empty() => format!("{outcome}{when}; changed since: {since}"),
        (_, ShownTimes::Clock | ShownTimes::Hidden) => format!("{outcome}{when}"),
    }
}

/// `2026-11-19 21:07:33 UTC`
fn clock(at: Timestamp) -> String {
    let seconds = at.0 / 1_000;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years that begin in March have the leap day at their end.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march = (5 * day_of_year + 2) / 153;
    let (day, month) = (day_of_year - (153 * march + 2) / 5 + 1, if march < 10 { march + 3 } else { march - 9 });
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC", second / 3_600, second / 60 % 60, second % 60)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_by_the_calendar() {
        let page = [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_399_000, "2000-02-28 23:59:59 UTC"),
            (951_782_400_000, "2000-02-29 00:00:00 UTC"),
            (1_709_251_200_500, "2024-03-01 00:00:00 UTC"),
            (1_795_122_453_000, "2026-11-19 21:07:33 UTC"),
            (4_107_542_399_000, "2100-02-28 23:59:59 UTC"),
            (4_107_542_400_000, "2100-03-01 00:00:00 UTC"),
        ];
        for (ms, told) in page {
            assert_eq!(clock(Timestamp(ms)), told);
        }
        // Whatever a file says.
        assert!(clock(Timestamp(u64::MAX)).ends_with("UTC"));
    }
}
