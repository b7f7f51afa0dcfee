//! Calls: one line for what was done and what came of it. What changed a file, went wrong or was refused shows more.

use super::Sheet;
use crate::{
    paint,
    story::block::{Agent, Call, Fold, Subject},
    theme::{Role, Sign},
};
use fore_agent::event::{Body, Outcome};
use fore_plan::{Cage, Refusal};
use ratatui::text::{Line, Span};

/// Lines of output, of the end of one that failed, and of a difference that are shown folded.
const OUTPUT_LINES: usize = 4;
const END_LINES: usize = 6;
const DIFF_LINES: usize = 24;
/// Columns of what was done that must be seen beside what came of it.
const LEAST_TITLE: usize = 16;

pub(super) fn call(call: &Call, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let mut title = vec![sheet.span(&call.tool, Role::Strong)];
    if !call.line.is_empty() {
        title.push(Span::raw(" "));
        title.push(sheet.span(first_line(&call.line, sheet), Role::Plain));
    }
    let mark = match call.cage {
        Some(Cage::Rehearsal) => "rehearsed, nothing kept",
        Some(Cage::Free) => "not sandboxed",
        Some(Cage::ReadOnly { .. } | Cage::Workspace { .. }) | None => "",
    };
    let sign = sheet.sign(Sign::Bullet, role(&call.outcome));
    if sheet.is_folded() && is_quiet(call) {
        return sheet.signed(sign, vec![in_one_line(title, &outcome_words(call, mark, sheet), sheet)]);
    }
    let mut lines = sheet.signed(sign, one(title, sheet));
    lines.extend(result(call, mark, sheet));
    lines
}

/// It went well and changed no file: nobody has to look at what it gave. What the person answered stays in
/// sight; the plan is seen when it is handed in.
fn is_quiet(call: &Call) -> bool {
    match (&call.outcome, &call.shown.body) {
        (Outcome::Done, _) if call.tool == "AskUserQuestion" => false,
        (Outcome::Done, Body::Nothing | Body::Text { .. } | Body::Markdown { .. }) => true,
        (Outcome::Done, Body::Diff { .. }) => call.subject == Subject::Plan,
        (Outcome::Failed | Outcome::Refused { .. } | Outcome::Interrupted, _) => false,
    }
}

/// What was done is cut before what came of it is, but for its beginning.
fn in_one_line(title: Vec<Span<'static>>, outcome: &str, sheet: Sheet<'_>) -> Line<'static> {
    let between = sheet.between();
    let needed = paint::columns(outcome) + paint::columns(&between);
    let room = usize::from(sheet.inside()).saturating_sub(needed).max(LEAST_TITLE);
    if outcome.is_empty() {
        return paint::cut_line(Line::from(title), sheet.inside(), sheet.theme);
    }
    let mut line = paint::cut_line(Line::from(title), u16::try_from(room).unwrap_or(u16::MAX), sheet.theme);
    line.push_span(sheet.span(format!("{between}{outcome}"), Role::Faint));
    paint::cut_line(line, sheet.inside(), sheet.theme)
}

pub(super) fn typed(call: &Call, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let title = vec![sheet.span("! ", Role::Strong), sheet.span(first_line(&call.line, sheet), Role::Person)];
    let mut lines = sheet.signed(sheet.sign(Sign::Prompt, Role::Person), one(title, sheet));
    lines.extend(result(call, "your own command", sheet));
    lines
}

pub(super) fn agent(agent: &Agent, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let title = vec![sheet.span(&agent.kind, Role::Strong), sheet.span(format!(" {}", agent.task), Role::Plain)];
    let mut lines = sheet.signed(sheet.sign(Sign::Bullet, role(&agent.outcome)), one(title, sheet));
    let (how, how_role) = match &agent.outcome {
        Outcome::Done => ("done", Role::Faint),
        Outcome::Failed => ("failed", Role::Bad),
        Outcome::Refused { .. } => ("refused", Role::Warning),
        Outcome::Interrupted => ("interrupted", Role::Warning),
    };
    let noun = if agent.calls == 1 { "call" } else { "calls" };
    let refused = if agent.refused == 0 { String::new() } else { format!(", {} refused", agent.refused) };
    let mut words = format!("{how}{}{} {noun}{refused}", sheet.between(), agent.calls);
    // Opened, the whole of it begins with this line.
    if !agent.why.is_empty() && (sheet.is_folded() || agent.answer == Body::Nothing) {
        words = format!("{words}{}{}", sheet.between(), agent.why);
    }
    let mut beneath = sheet.words(&words, how_role, sheet.beneath());
    if agent.why.is_empty() || !sheet.is_folded() {
        beneath.extend(body(&agent.answer, Side::Beginning, sheet));
    }
    lines.extend(sheet.elbow(beneath));
    lines
}

/// Folded, a call is one line, however long its command is.
fn one(title: Vec<Span<'static>>, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    match sheet.fold {
        Fold::Folded | Fold::Closed => vec![paint::cut_line(Line::from(title), sheet.inside(), sheet.theme)],
        Fold::Open => sheet.wrapped(title, sheet.inside()),
    }
}

fn first_line(line: &str, sheet: Sheet<'_>) -> String {
    let mut lines = line.trim().lines();
    let first = lines.next().unwrap_or_default();
    match lines.next() {
        Some(_) => format!("{first} {}", sheet.theme.sign(Sign::Ellipsis)),
        None => first.to_owned(),
    }
}

fn role(outcome: &Outcome) -> Role {
    match outcome {
        Outcome::Done => Role::Good,
        Outcome::Failed => Role::Bad,
        Outcome::Refused { .. } | Outcome::Interrupted => Role::Warning,
    }
}

/// What came of it; `mark` says what is special about how it ran.
fn result(call: &Call, mark: &str, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let role = match &call.outcome {
        Outcome::Refused { refusal } => return sheet.elbow(refusal_lines(refusal, sheet)),
        Outcome::Done => Role::Faint,
        Outcome::Failed => Role::Bad,
        Outcome::Interrupted => Role::Warning,
    };
    let words = outcome_words(call, mark, sheet);
    let mut lines = sheet.words(&words, role, sheet.beneath());
    if sheet.fold == Fold::Open && call.line.trim().contains('\n') {
        lines.splice(0..0, sheet.words(call.line.trim(), Role::Code, sheet.beneath()));
    }
    let side = if call.outcome == Outcome::Done { Side::Beginning } else { Side::End };
    match &call.shown.body {
        Body::Text { text } => {
            let text = unsaid(text, &call.shown.line);
            lines.extend(body(&Body::Text { text: text.to_owned() }, side, sheet));
        }
        other => lines.extend(body(other, side, sheet)),
    }
    sheet.elbow(lines)
}

/// What a command printed, without what the line above says already: how it ended, and that it printed nothing.
fn unsaid<'a>(text: &'a str, line: &str) -> &'a str {
    let text = text.trim_end();
    let ended = line.split(", ").next().filter(|ended| !ended.is_empty());
    let before = match ended.and_then(|ended| text.strip_suffix(ended)) {
        Some(before) if before.is_empty() || before.ends_with('\n') => before,
        _ => text,
    };
    if before == "(no output)" { "" } else { before }
}

/// What came of it, in a few words.
fn outcome_words(call: &Call, mark: &str, sheet: Sheet<'_>) -> String {
    // Edits say which file once.
    let line = call.shown.line.as_str();
    let line = line.strip_prefix(call.line.as_str()).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(line);
    let how = match &call.outcome {
        Outcome::Done if line == call.line => "",
        Outcome::Failed if line.is_empty() => "failed",
        Outcome::Interrupted => "interrupted",
        Outcome::Done | Outcome::Failed | Outcome::Refused { .. } => line,
    };
    [mark, how].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(&sheet.between())
}

/// The rule and the way out, in full: what was refused is not folded.
fn refusal_lines(refusal: &Refusal, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let end = if refusal.reason.ends_with(['.', '!', '?']) { "" } else { "." };
    let why = format!("Refused in {} mode: {}{end}", refusal.mode, refusal.reason);
    let mut lines = sheet.words(&why, Role::Warning, sheet.beneath());
    lines.extend(sheet.words(&refusal.way_out, Role::Plain, sheet.beneath()));
    let rule =
        if refusal.rule.is_empty() { String::new() } else { format!("{}rule {}", sheet.between(), refusal.rule) };
    if sheet.fold == Fold::Open {
        lines.extend(sheet.words(&format!("{}{rule}", refusal.code), Role::Faint, sheet.beneath()));
    }
    lines
}

/// What of an output is shown folded: why something went wrong stands at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Beginning,
    End,
}

fn body(body: &Body, side: Side, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let width = sheet.beneath();
    match body {
        Body::Nothing => Vec::new(),
        Body::Text { text } => {
            let text = paint::tame_output(text.trim_end());
            output(&text, side, sheet, width)
        }
        Body::Markdown { text } => {
            let lines = paint::markdown(text, width, sheet.theme).lines;
            sheet.folded(lines, OUTPUT_LINES, width)
        }
        Body::Diff { path, diff } => {
            let lines = paint::diff(diff, Some(path), width, sheet.theme);
            sheet.folded(lines, DIFF_LINES, width)
        }
    }
}

/// Folded, a line of output is one line: what is wide is cut, so that little is measured of what is long.
fn output(text: &str, side: Side, sheet: Sheet<'_>, width: u16) -> Vec<Line<'static>> {
    let style = sheet.theme.style(Role::Plain);
    let count = text.lines().count();
    let source = text.lines().map(|line| Line::from(Span::styled(line.to_owned(), style)));
    match sheet.fold {
        Fold::Open => source.flat_map(|line| paint::wrap(&line, width, 0)).collect(),
        Fold::Folded | Fold::Closed => {
            let room = if side == Side::End { END_LINES } else { OUTPUT_LINES };
            let most = if count <= room + 1 { count } else { room };
            let left = count - most;
            let cut = |line| paint::cut_line(line, width, sheet.theme);
            match side {
                Side::Beginning => {
                    let more = (left > 0).then(|| sheet.more(left, "more", width));
                    source.take(most).map(cut).chain(more).collect()
                }
                Side::End => {
                    let more = (left > 0).then(|| sheet.more(left, "earlier", width));
                    more.into_iter().chain(source.skip(left).map(cut)).collect()
                }
            }
        }
    }
}
