//! What a person sees of a call whose result is all that an older program kept.

use crate::{
    document::one_line,
    event::{CallOutcome, ShownCall},
};
use fore_model::{ResultPart, ToolResult};
use fore_plan::{CalledTool, Mode, Refusal, RefusalCode, ToolName};

const MAX_LINE_CHARS: usize = 200;
const MAX_BODY_LINES: usize = 40;
const MAX_BODY_BYTES: usize = 4 * 1024;
/// How words of the program for the model begin; they are not shown.
const REMINDER: &str = "<system-reminder>";
/// How the words around a refusal begin while planning.
const BLOCKED: &str = "<system-reminder>\nThe call was not made";

/// How the call ended, and what is shown of it.
pub(super) fn shown(
    tool: &CalledTool,
    result: &ToolResult,
    again: impl Fn() -> Option<ShownCall>,
) -> (CallOutcome, ShownCall) {
    if let Some(refusal) = result.is_error.then(|| refusal(result)).flatten() {
        let shown = ShownCall::line(format!("refused: {}", refusal.reason));
        return (CallOutcome::Refused { refusal: Box::new(refusal) }, shown);
    }
    let outcome = if result.is_error { CallOutcome::Failed } else { CallOutcome::Done };
    let words = model_text(result);
    let shown = match tool.known() {
        Some(ToolName::EnterPlanMode) if outcome == CallOutcome::Done => ShownCall::line("planning"),
        Some(ToolName::Read) if outcome == CallOutcome::Done => {
            ShownCall::text(fore_text::count(words.lines().count(), "line"), folded_text(words))
        }
        Some(ToolName::AskUserQuestion) => match words.split_once('\n') {
            Some((_, answers)) => ShownCall::text("answered", folded_text(answers)),
            None => ShownCall::line("not answered"),
        },
        Some(_) | None => (outcome == CallOutcome::Done).then(again).flatten().unwrap_or_else(|| folded(words)),
    };
    (outcome, shown)
}

/// What the tool told the model.
pub(super) fn model_text(result: &ToolResult) -> &str {
    texts(result).find(|text| !text.starts_with(REMINDER)).unwrap_or_default()
}

/// The first line, and a bounded part of all of it if there is more.
pub(super) fn folded(text: &str) -> ShownCall {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let line = one_line(first, MAX_LINE_CHARS);
    if text.trim().lines().count() <= 1 && first.chars().count() <= MAX_LINE_CHARS {
        return ShownCall::line(line);
    }
    ShownCall::text(line, folded_text(text))
}

fn folded_text(text: &str) -> String {
    let (mut kept, mut lines) = (String::new(), text.lines());
    for line in lines.by_ref().take(MAX_BODY_LINES) {
        let room = MAX_BODY_BYTES.saturating_sub(kept.len());
        kept.push_str(fore_text::cut::bytes(line, room));
        kept.push('\n');
        if kept.len() >= MAX_BODY_BYTES {
            break;
        }
    }
    match lines.count() {
        0 => kept,
        more => format!("{kept}… {}\n", fore_text::count(more, "more line")),
    }
}

fn texts(result: &ToolResult) -> impl Iterator<Item = &str> {
    result.content.iter().filter_map(|piece| match piece {
        ResultPart::Text(text) => Some(text.as_str()),
        ResultPart::Image(_) => None,
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
    let code: RefusalCode = serde_json::from_value(serde_json::Value::String(code.to_owned())).ok()?;
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
