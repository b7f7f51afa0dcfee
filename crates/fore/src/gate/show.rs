//! The answer for people: verdict, the command with its evidence underlined, the reason, the way out.

use super::answer::{GateAnswer, VerdictWord};
use crate::console::{Console, plain};
use anstyle::{AnsiColor, Color, Style};
use fore_plan::Mode;
use fore_shell::Evidence;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

const GOOD: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green))).bold();
const UNSURE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Yellow))).bold();
const BAD: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red))).bold();
const DIM: Style = Style::new().dimmed();

/// Lines of a command that are shown at most.
const MAX_LINES: usize = 40;

pub(crate) fn show(screen: &mut Console<impl Write>, command: &str, mode: Mode, answer: &GateAnswer) -> io::Result<()> {
    let (style, sign, word) = match answer.verdict {
        VerdictWord::Allow => (GOOD, "✓", "allowed"),
        VerdictWord::Ask => (UNSURE, "?", "asks"),
        VerdictWord::Block => (BAD, "✗", "refused"),
    };
    let context = answer.cage.map_or_else(String::new, |cage| match cage {
        "free" => ", without a sandbox".into(),
        cage => format!(", in the {cage} sandbox"),
    });
    let finding = finding(answer.finding);
    screen.line(format_args!("{style}{sign} {word}{style:#}{context} {DIM}· mode {mode} · {finding}{DIM:#}"))?;
    screen.line("")?;
    show_command(screen, command, &answer.evidence, style)?;
    screen.line("")?;
    screen.paragraph("  ", &plain(&sentence(&answer.reason)))?;
    if !answer.advice.is_empty() && answer.verdict == VerdictWord::Block {
        screen.paragraph("  ", &plain(&answer.advice))?;
    }
    let names: Vec<&str> = answer.code.into_iter().chain(answer.rule.as_deref()).collect();
    if !names.is_empty() {
        screen.line(format_args!("  {DIM}{}{DIM:#}", plain(&names.join(" · rule "))))?;
    }
    Ok(())
}

fn finding(kind: fore_shell::CommandKind) -> &'static str {
    match kind {
        fore_shell::CommandKind::Reads => "reads",
        fore_shell::CommandKind::Network => "network",
        fore_shell::CommandKind::Runs => "runs",
        fore_shell::CommandKind::Unknown => "unknown",
        fore_shell::CommandKind::Writes => "writes",
    }
}

/// The command, each line followed by marks under the words that count as evidence and what they show.
fn show_command(
    screen: &mut Console<impl Write>,
    command: &str,
    evidence: &[Evidence],
    style: Style,
) -> io::Result<()> {
    let mut start = 0;
    for (number, line) in command.split('\n').enumerate() {
        if number == MAX_LINES {
            return screen.line(format_args!("    {DIM}…{DIM:#}"));
        }
        screen.exact_line(format_args!("    {}", plain(line)))?;
        let end = start + line.len();
        for one in evidence {
            let Some(span) = one.span.filter(|span| span.start >= start && span.start <= end) else { continue };
            let last = span.end.min(end);
            let (Some(before), Some(word)) = (command.get(start..span.start), command.get(span.start..last)) else {
                continue;
            };
            if !screen.fits(plain(line).width() + 4) {
                // Marks under a line that the screen breaks would point at other words.
                screen.paragraph("    ^ ", &format!("{}: {}", plain(word), plain(&one.why)))?;
                continue;
            }
            let marks = "^".repeat(plain(word).width().max(1));
            let (indent, why) = (" ".repeat(plain(before).width()), plain(&one.why));
            screen.line(format_args!("    {indent}{style}{marks}{style:#} {DIM}{why}{DIM:#}"))?;
        }
        start = end + 1;
    }
    Ok(())
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let mut whole: String =
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect());
    if !whole.ends_with(['.', '?', '!']) {
        whole.push('.');
    }
    whole
}
