//! The answer for people: verdict, the command with its evidence underlined, the reason, the way out.

use super::answer::{Answer, Word};
use anstream::println;
use anstyle::{AnsiColor, Color, Style};
use fore_plan::Mode;
use fore_shell::Evidence;
use unicode_width::UnicodeWidthStr;

const GOOD: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green))).bold();
const UNSURE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Yellow))).bold();
const BAD: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red))).bold();
const DIM: Style = Style::new().dimmed();

/// Lines of a command that are shown at most.
const MOST_LINES: usize = 40;

pub(crate) fn show(command: &str, mode: Mode, answer: &Answer) {
    let (style, sign, word) = match answer.verdict {
        Word::Allow => (GOOD, "✓", "allowed"),
        Word::Ask => (UNSURE, "?", "asks"),
        Word::Block => (BAD, "✗", "refused"),
    };
    let place = answer.cage.map_or_else(String::new, |cage| match cage {
        "free" => ", without a cage".into(),
        cage => format!(", in the {cage} cage"),
    });
    println!("{style}{sign} {word}{style:#}{place} {DIM}· mode {mode} · {}{DIM:#}", finding(answer.finding));
    println!();
    show_command(command, &answer.evidence, style);
    println!();
    println!("  {}", sentence(&answer.reason));
    if !answer.way_out.is_empty() && answer.verdict == Word::Block {
        println!("  {}", answer.way_out);
    }
    let names: Vec<&str> = answer.code.into_iter().chain(answer.rule.as_deref()).collect();
    if !names.is_empty() {
        println!("  {DIM}{}{DIM:#}", names.join(" · rule "));
    }
}

fn finding(kind: fore_shell::Kind) -> &'static str {
    match kind {
        fore_shell::Kind::Reads => "reads",
        fore_shell::Kind::Network => "network",
        fore_shell::Kind::Runs => "runs",
        fore_shell::Kind::Unknown => "unknown",
        fore_shell::Kind::Writes => "writes",
    }
}

/// The command, each line followed by marks under the words that count as evidence and what they show.
fn show_command(command: &str, evidence: &[Evidence], style: Style) {
    let mut start = 0;
    for (number, line) in command.split('\n').enumerate() {
        if number == MOST_LINES {
            println!("    {DIM}…{DIM:#}");
            return;
        }
        println!("    {}", plain(line));
        let end = start + line.len();
        for one in evidence {
            let Some(span) = one.span.filter(|span| span.start >= start && span.start <= end) else { continue };
            let last = span.end.min(end);
            let (Some(before), Some(word)) = (command.get(start..span.start), command.get(span.start..last)) else {
                continue;
            };
            let marks = "^".repeat(plain(word).width().max(1));
            println!("    {}{style}{marks}{style:#} {DIM}{}{DIM:#}", " ".repeat(plain(before).width()), one.why);
        }
        start = end + 1;
    }
}

/// Control characters would move the cursor; they are shown as signs.
fn plain(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '\t' => ' ',
            letter if letter.is_control() => '␦',
            letter => letter,
        })
        .collect()
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
