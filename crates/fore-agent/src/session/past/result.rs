//! What a person sees of a call whose result is all that was kept.

use crate::{
    document::one_line,
    event::{Outcome, Shown},
};
use fore_model::{Piece, ToolResult};
use fore_plan::{Code, Mode, Refusal};

const MOST_LINE_CHARS: usize = 120;
const MOST_BODY_LINES: usize = 40;
const MOST_BODY_BYTES: usize = 4 * 1024;
/// How words of the program for the model begin; they are not shown.
const REMINDER: &str = "<system-reminder>";
/// How the words around a refusal begin while planning.
const BLOCKED: &str = "<system-reminder>\nThe call was not made";

/// How the call ended, and what is shown of it.
pub(super) fn shown(tool: &str, result: &ToolResult, again: impl Fn() -> Option<Shown>) -> (Outcome, Shown) {
    if let Some(refusal) = result.is_error.then(|| refusal(result)).flatten() {
        let shown = Shown::line(format!("refused: {}", refusal.reason));
        return (Outcome::Refused { refusal: Box::new(refusal) }, shown);
    }
    let outcome = if result.is_error { Outcome::Failed } else { Outcome::Done };
    let words = words(result);
    let shown = match tool {
        "EnterPlanMode" if outcome == Outcome::Done => Shown::line("planning"),
        "Read" if outcome == Outcome::Done => {
            Shown::text(counted(words.lines().count(), "line", "lines"), folded_text(words))
        }
        "AskUserQuestion" => match words.split_once('\n') {
            Some((_, answers)) => Shown::text("answered", folded_text(answers)),
            None => Shown::line("not answered"),
        },
        _ => (outcome == Outcome::Done).then(again).flatten().unwrap_or_else(|| folded(words)),
    };
    (outcome, shown)
}

/// What the tool told the model.
pub(super) fn words(result: &ToolResult) -> &str {
    texts(result).find(|text| !text.starts_with(REMINDER)).unwrap_or_default()
}

/// The first line, and a bounded part of all of it if there is more.
pub(super) fn folded(text: &str) -> Shown {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let line = one_line(first, MOST_LINE_CHARS);
    if text.trim().lines().count() <= 1 && first.chars().count() <= MOST_LINE_CHARS {
        return Shown::line(line);
    }
    Shown::text(line, folded_text(text))
}

fn folded_text(text: &str) -> String {
    let (mut kept, mut lines) = (String::new(), text.lines());
    for line in lines.by_ref().take(MOST_BODY_LINES) {
        let room = MOST_BODY_BYTES.saturating_sub(kept.len());
        let end = line.char_indices().map(|(at, letter)| at + letter.len_utf8()).take_while(|end| *end <= room).last();
        kept.push_str(line.get(..end.unwrap_or(0)).unwrap_or_default());
        kept.push('\n');
        if kept.len() >= MOST_BODY_BYTES {
            break;
        }
    }
    match lines.count() {
        0 => kept,
        more => format!("{kept}… {}\n", counted(more, "more line", "more lines")),
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn texts(result: &ToolResult) -> impl Iterator<Item = &str> {
    result.content.iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(text.as_str()),
        Piece::Image(_) => None,
    })
}

/// The refusal that a result holds, read back from its words.
fn refusal(result: &ToolResult) -> Option<Refusal> {
    let text = texts(result).next()?;
    let words = match text.strip_prefix(BLOCKED) {
        Some(rest) => rest.split_once('\n')?.1.trim_end().strip_suffix("</system-reminder>")?.trim_end(),
        None => text,
    };
    let (words, end) = words.strip_suffix(']')?.rsplit_once(" [")?;
    let (code, rule) = end.split_once("; rule ")?;
    let code: Code = serde_json::from_value(serde_json::Value::String(code.to_owned())).ok()?;
    let (mode, words) = match words.strip_prefix("Plan mode: ") {
        Some(words) => (Mode::Plan, words),
        None => {
            let (mode, words) = words.strip_prefix("Refused in mode ")?.split_once(": ")?;
            (mode.parse().ok()?, words)
        }
    };
    let (reason, way_out) = words.split_once(". ").unwrap_or((words, ""));
    Some(Refusal { code, mode, rule: rule.into(), reason: reason.into(), way_out: way_out.into() })
}
