//! Calls: one line for what was done and what came of it. What changed a file, went wrong or was refused shows more.

use super::BlockStyle;
use crate::{
    paint,
    story::block::{BlockFold, CallSubject, EndedAgent, EndedCall},
    theme::{Sign, TextRole},
};
use fore_agent::{CallOutcome, ShownBody};
use fore_plan::{Cage, Refusal, RefusalCode, ToolName};
use ratatui::text::{Line, Span};

/// Lines of output, of the end of one that failed, and of a difference that are shown folded.
const OUTPUT_LINES: usize = 4;
const END_LINES: usize = 6;
const DIFF_LINES: usize = 24;
/// Columns of what was done that must be seen beside what came of it.
const MIN_TITLE_WIDTH: usize = 16;

pub(super) fn call(call: &EndedCall, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let mut title = vec![block_style.span(call.tool.as_str(), TextRole::Strong)];
    if !call.line.is_empty() {
        title.push(Span::raw(" "));
        title.push(block_style.span(first_line(&call.line, block_style), TextRole::Plain));
    }
    let mark = match call.cage {
        Some(Cage::Rehearsal) => "rehearsed, nothing kept",
        Some(Cage::Free) => "not sandboxed",
        Some(Cage::ReadOnly { .. } | Cage::Workspace { .. }) | None => "",
    };
    let sign = block_style.sign(Sign::Bullet, role(&call.outcome));
    if block_style.is_folded() && is_quiet(call) {
        return block_style
            .signed(sign, vec![in_one_line(title, &outcome_words(call, mark, block_style), block_style)]);
    }
    let mut lines = block_style.signed(sign, one(title, block_style));
    lines.extend(result(call, mark, block_style));
    lines
}

/// It went well and changed no file: nobody has to look at what it gave. What the person answered stays in
/// sight; the plan is seen when it is handed in.
fn is_quiet(call: &EndedCall) -> bool {
    match (&call.outcome, &call.shown.body) {
        (CallOutcome::Done, _) if call.tool.known() == Some(ToolName::AskUserQuestion) => false,
        (CallOutcome::Done, ShownBody::Nothing | ShownBody::Text { .. } | ShownBody::Markdown { .. }) => true,
        (CallOutcome::Done, ShownBody::Diff { .. }) => call.subject == CallSubject::Plan,
        (CallOutcome::Failed | CallOutcome::Refused { .. } | CallOutcome::Interrupted, _) => false,
    }
}

/// What was done is cut before what came of it is, but for its beginning.
fn in_one_line(title: Vec<Span<'static>>, outcome: &str, block_style: BlockStyle<'_>) -> Line<'static> {
    let between = block_style.between();
    let needed = paint::columns(outcome) + paint::columns(&between);
    let room = usize::from(block_style.inside()).saturating_sub(needed).max(MIN_TITLE_WIDTH);
    if outcome.is_empty() {
        return paint::cut_line(Line::from(title), block_style.inside(), block_style.theme);
    }
    let mut line = paint::cut_line(Line::from(title), u16::try_from(room).unwrap_or(u16::MAX), block_style.theme);
    line.push_span(block_style.span(format!("{between}{outcome}"), TextRole::Faint));
    paint::cut_line(line, block_style.inside(), block_style.theme)
}

pub(super) fn typed(call: &EndedCall, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let title = vec![
        block_style.span("! ", TextRole::Strong),
        block_style.span(first_line(&call.line, block_style), TextRole::Person),
    ];
    let mut lines = block_style.signed(block_style.sign(Sign::Prompt, TextRole::Person), one(title, block_style));
    lines.extend(result(call, "your own command", block_style));
    lines
}

pub(super) fn agent(agent: &EndedAgent, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let title = vec![
        block_style.span(&agent.kind, TextRole::Strong),
        block_style.span(format!(" {}", agent.task), TextRole::Plain),
    ];
    let mut lines = block_style.signed(block_style.sign(Sign::Bullet, role(&agent.outcome)), one(title, block_style));
    let (how, how_role) = match &agent.outcome {
        CallOutcome::Done => ("done", TextRole::Faint),
        CallOutcome::Failed => ("failed", TextRole::Bad),
        CallOutcome::Refused { .. } => ("refused", TextRole::Warning),
        CallOutcome::Interrupted => ("interrupted", TextRole::Warning),
    };
    let refused = if agent.refused == 0 { String::new() } else { format!(", {} refused", agent.refused) };
    let mut words = format!("{how}{}{}{refused}", block_style.between(), fore_text::count(agent.calls, "call"));
    // Opened, the whole of it begins with this line.
    if !agent.why.is_empty() && (block_style.is_folded() || agent.answer == ShownBody::Nothing) {
        words = format!("{words}{}{}", block_style.between(), agent.why);
    }
    let mut beneath = block_style.words(&words, how_role, block_style.beneath());
    if agent.why.is_empty() || !block_style.is_folded() {
        beneath.extend(body(&agent.answer, OutputSide::Beginning, block_style));
    }
    lines.extend(block_style.elbow(beneath));
    lines
}

/// Folded, a call is one line, however long its command is.
fn one(title: Vec<Span<'static>>, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    match block_style.fold {
        BlockFold::Folded | BlockFold::Lines | BlockFold::Closed => {
            vec![paint::cut_line(Line::from(title), block_style.inside(), block_style.theme)]
        }
        BlockFold::Open => block_style.wrapped(title, block_style.inside()),
    }
}

fn first_line(line: &str, block_style: BlockStyle<'_>) -> String {
    let mut lines = line.trim().lines();
    let first = lines.next().unwrap_or_default();
    match lines.next() {
        Some(_) => format!("{first} {}", block_style.theme.sign(Sign::Ellipsis)),
        None => first.to_owned(),
    }
}

fn role(outcome: &CallOutcome) -> TextRole {
    match outcome {
        CallOutcome::Done => TextRole::Good,
        CallOutcome::Failed => TextRole::Bad,
        CallOutcome::Refused { .. } | CallOutcome::Interrupted => TextRole::Warning,
    }
}

/// What came of it; `mark` says what is special about how it ran.
fn result(call: &EndedCall, mark: &str, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let role = match &call.outcome {
        CallOutcome::Refused { refusal } => return block_style.elbow(refusal_lines(refusal, block_style)),
        CallOutcome::Done => TextRole::Faint,
        CallOutcome::Failed => TextRole::Bad,
        CallOutcome::Interrupted => TextRole::Warning,
    };
    let words = outcome_words(call, mark, block_style);
    let mut lines = block_style.words(&words, role, block_style.beneath());
    if block_style.fold == BlockFold::Open && call.line.trim().contains('\n') {
        lines.splice(0..0, block_style.words(call.line.trim(), TextRole::Code, block_style.beneath()));
    }
    let side = if call.outcome == CallOutcome::Done { OutputSide::Beginning } else { OutputSide::End };
    match &call.shown.body {
        ShownBody::Text { text } => {
            let text = unsaid(text, &call.shown.line);
            lines.extend(body(&ShownBody::Text { text: text.to_owned() }, side, block_style));
        }
        other => lines.extend(body(other, side, block_style)),
    }
    block_style.elbow(lines)
}

/// What a command printed, without what the line above says already: how it ended, and that it printed nothing.
fn unsaid<'a>(text: &'a str, line: &str) -> &'a str {
    let text = text.trim_end();
    // Who allowed it may stand behind that.
    let line = line.split(" · ").next().unwrap_or_default();
    let ended = line.split(", ").next().filter(|ended| !ended.is_empty());
    let before = match ended.and_then(|ended| text.strip_suffix(ended)) {
        Some(before) if before.is_empty() || before.ends_with('\n') => before,
        _ => text,
    };
    if before == "(no output)" { "" } else { before }
}

/// What came of it, in a few words.
fn outcome_words(call: &EndedCall, mark: &str, block_style: BlockStyle<'_>) -> String {
    // Edits say which file once.
    let line = call.shown.line.as_str();
    let line = line.strip_prefix(call.line.as_str()).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(line);
    let how = match &call.outcome {
        CallOutcome::Done if line == call.line => "",
        CallOutcome::Failed if line.is_empty() => "failed",
        CallOutcome::Interrupted => "interrupted",
        CallOutcome::Done | CallOutcome::Failed | CallOutcome::Refused { .. } => line,
    };
    [mark, how].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(&block_style.between())
}

/// The rule and the way out, in full: what was refused is not folded.
fn refusal_lines(refusal: &Refusal, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let (words, way_out) = refusal.for_person();
    let end = if refusal.reason.ends_with(['.', '!', '?']) { "" } else { "." };
    let why = match refusal.code {
        RefusalCode::Declined => words,
        _ => format!("Refused in {} mode: {}{end}", refusal.mode, refusal.reason),
    };
    let mut lines = block_style.words(&why, TextRole::Warning, block_style.beneath());
    lines.extend(block_style.words(&way_out, TextRole::Plain, block_style.beneath()));
    let rule =
        if refusal.rule.is_empty() { String::new() } else { format!("{}rule {}", block_style.between(), refusal.rule) };
    if block_style.fold == BlockFold::Open {
        lines.extend(block_style.words(&format!("{}{rule}", refusal.code), TextRole::Faint, block_style.beneath()));
    }
    lines
}

/// What of an output is shown folded: why something went wrong stands at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputSide {
    Beginning,
    End,
}

fn body(body: &ShownBody, side: OutputSide, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let width = block_style.beneath();
    match body {
        ShownBody::Nothing => Vec::new(),
        ShownBody::Text { text } => {
            let text = paint::sanitize_output(text.trim_end());
            output(&text, side, block_style, width)
        }
        ShownBody::Markdown { text } => {
            let lines = paint::markdown(text, width, block_style.theme).lines;
            block_style.folded(lines, OUTPUT_LINES, width)
        }
        ShownBody::Diff { path, diff } => {
            let lines = paint::diff(diff, Some(path), width, block_style.theme);
            block_style.folded(lines, DIFF_LINES, width)
        }
    }
}

/// Folded, a line of output is one line: what is wide is cut, so that little is measured of what is long.
fn output(text: &str, side: OutputSide, block_style: BlockStyle<'_>, width: u16) -> Vec<Line<'static>> {
    let style = block_style.theme.style(TextRole::Plain);
    let count = text.lines().count();
    let source = text.lines().map(|line| Line::from(Span::styled(line.to_owned(), style)));
    match block_style.fold {
        BlockFold::Open => source.flat_map(|line| paint::wrap(&line, width, 0)).collect(),
        BlockFold::Folded | BlockFold::Lines | BlockFold::Closed => {
            let room = if side == OutputSide::End { END_LINES } else { OUTPUT_LINES };
            let most = if count <= room + 1 { count } else { room };
            let left = count - most;
            let cut = |line| paint::cut_line(line, width, block_style.theme);
            match side {
                OutputSide::Beginning => {
                    let more = (left > 0).then(|| block_style.more(left, "more", width));
                    source.take(most).map(cut).chain(more).collect()
                }
                OutputSide::End => {
                    let more = (left > 0).then(|| block_style.more(left, "earlier", width));
                    more.into_iter().chain(source.skip(left).map(cut)).collect()
                }
            }
        }
    }
}
