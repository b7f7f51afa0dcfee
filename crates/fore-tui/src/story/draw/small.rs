//! Blocks that are mostly one line: words of the person, notices, changes of mode, lists.

use super::{PROMPT_LINES, Sheet};
use crate::{
    paint,
    story::block::{Fold, Way, Welcome},
    theme::{Role, Sign, mode_words},
};
use fore_agent::event::{NoticeLevel, TurnOutcome};
use fore_plan::ModeEvent;
use fore_store::entry::{Todo, TodoStatus};
use ratatui::{
    style::Modifier,
    text::{Line, Span},
};

/// Columns of the names in the welcome.
const NAME: usize = 8;

pub(super) fn welcome(welcome: &Welcome, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let theme = sheet.theme;
    let resumed = if welcome.resumed { format!("{}resumed", sheet.between()) } else { String::new() };
    let title = vec![
        sheet.span("Forethought", Role::Heading),
        sheet.span(format!(" {}{resumed}", welcome.version), Role::Faint),
    ];
    let mut lines = sheet.wrapped(title, sheet.width);
    let mut row = |name: &str, sign: Option<Sign>, text: &str, role: Role| {
        let sign = sign.map_or_else(String::new, |sign| format!("{} ", theme.sign(sign)));
        let room = sheet.inside().saturating_sub(u16::try_from(NAME).unwrap_or(0)).max(1);
        let words = paint::wrap(&Line::from(sheet.span(format!("{sign}{text}"), role)), room, 0);
        for (index, mut line) in words.into_iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            if sheet.width > 24 {
                line.spans.insert(0, sheet.span(format!("  {name:<NAME$}"), Role::Faint));
            }
            lines.push(line);
        }
    };
    row("folder", None, &welcome.folder, Role::Plain);
    row("model", None, &welcome.model, Role::Plain);
    row("mode", Some(Sign::Mode(welcome.mode)), mode_words(welcome.mode), Role::Mode(welcome.mode));
    let sandbox = &welcome.sandbox;
    if let Some(layer) = &sandbox.without {
        row("sandbox", Some(Sign::Caged), &format!("the kernel holds what runs, without {layer}"), Role::Plain);
    } else if welcome.caged {
        row("sandbox", Some(Sign::Caged), "the kernel holds what runs", Role::Plain);
    } else if sandbox.uncaged_reads {
        let words = "none: while planning, commands proved to read run without one, as your settings say";
        row("sandbox", Some(Sign::NotCaged), words, Role::Warning);
    } else {
        row("sandbox", Some(Sign::NotCaged), "none: while planning, no command runs", Role::Warning);
    }
    if !welcome.trusted {
        row("trust", Some(Sign::Warning), "this folder is not trusted yet (/trust)", Role::Warning);
    }
    lines
}

pub(super) fn prompt(text: &str, way: Way, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let words = sheet.words(text.trim(), Role::Person, sheet.inside());
    let mut lines = sheet.folded(words, PROMPT_LINES, sheet.inside());
    let mark = match way {
        Way::AtOnce => None,
        Way::Queued => Some("had waited for the turn before"),
        Way::Steered => Some("joined the running turn"),
    };
    if let Some(mark) = mark {
        lines.push(Line::from(sheet.span(paint::cut(mark, sheet.inside(), sheet.theme), Role::Faint)));
    }
    sheet.signed(sheet.sign(Sign::Prompt, Role::Person), lines)
}

pub(super) fn thought(text: &str, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let sign = sheet.sign(Sign::Circle, Role::Faint);
    let count = text.trim().lines().count();
    let noun = if count == 1 { "line" } else { "lines" };
    let style = sheet.theme.style(Role::Faint).add_modifier(Modifier::ITALIC);
    match sheet.fold {
        Fold::Folded | Fold::Closed => {
            let words = format!("thought{}{count} {noun} ({})", sheet.between(), sheet.key());
            let words = paint::cut(&words, sheet.inside(), sheet.theme);
            sheet.signed(sign, vec![Line::from(Span::styled(words, style))])
        }
        Fold::Open => {
            let mut lines = sheet.words(text.trim(), Role::Faint, sheet.inside());
            lines.iter_mut().flat_map(|line| &mut line.spans).for_each(|span| span.style = style);
            sheet.signed(sign, lines)
        }
    }
}

pub(super) fn notice(level: NoticeLevel, text: &str, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let (sign, role, words) = match level {
        NoticeLevel::Info => (Sign::Dot, Role::Faint, Role::Plain),
        NoticeLevel::Warning => (Sign::Warning, Role::Warning, Role::Warning),
        NoticeLevel::Error => (Sign::Cross, Role::Bad, Role::Bad),
    };
    sheet.signed(sheet.sign(sign, role), sheet.words(text, words, sheet.inside()))
}

pub(super) fn mode(event: &ModeEvent, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let leads = sheet.theme.sign(Sign::Leads);
    // Whoever switched knows by which key; the id of a plan is for the audit log.
    let why: Vec<&str> = event.why.split(' ').filter(|word| !word.contains('#')).collect();
    let by = match event.by.as_str() {
        by if by.starts_with("person") => "you".to_owned(),
        by if event.why.is_empty() => by.to_owned(),
        by => format!("{by}: {}", why.join(" ")),
    };
    let between = sheet.between();
    let spans = vec![
        sheet
            .span(format!("{} {}", sheet.theme.sign(Sign::Mode(event.to)), mode_words(event.to)), Role::Mode(event.to)),
        sheet.span(format!("{between}{} {leads} {}{between}by {by}", event.from, event.to), Role::Faint),
    ];
    paint::wrap(&Line::from(spans), sheet.width, super::SIGN)
}

/// From here on another model does the work of a duty, or of all.
pub(super) fn model(name: &str, duty: &str, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let does = match duty {
        "all" => "answers from here on",
        "plan" => "plans from here on",
        "act" => "works from here on",
        "small" => "does the small things from here on",
        other => return fact(&format!("{name} answers from here on"), other, sheet),
    };
    fact(&format!("{name} {does}"), "", sheet)
}

/// One thing to know.
pub(super) fn fact(words: &str, more: &str, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let more = if more.is_empty() { String::new() } else { format!("{}{more}", sheet.between()) };
    let spans = vec![sheet.span(words, Role::Plain), sheet.span(more, Role::Faint)];
    sheet.signed(sheet.sign(Sign::Dot, Role::Faint), sheet.wrapped(spans, sheet.inside()))
}

pub(super) fn cut_words(why: &str) -> String {
    match why {
        "summarised" => "The conversation was summarised; the transcript keeps all of it.".to_owned(),
        "cleared" => "What the model sees is empty now; the transcript keeps all of it.".to_owned(),
        other => format!("What the model sees was cut: {other}"),
    }
}

pub(super) fn todos(items: &[Todo], sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let done = items.iter().filter(|item| item.status == TodoStatus::Done).count();
    let title = vec![
        sheet.span("Todo list", Role::Strong),
        sheet.span(format!("{}{done} of {} done", sheet.between(), items.len()), Role::Faint),
    ];
    let mut lines = sheet.wrapped(title, sheet.inside());
    lines.extend(items.iter().flat_map(|item| todo(item, sheet)));
    sheet.signed(sheet.sign(Sign::Bullet, Role::Plain), lines)
}

/// One item, beside its sign.
pub(in crate::story) fn todo(item: &Todo, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let (sign, sign_role, role) = match item.status {
        TodoStatus::Pending => (Sign::Circle, Role::Faint, Role::Plain),
        TodoStatus::InProgress => (Sign::Pointer, Role::Accent, Role::Strong),
        TodoStatus::Done => (Sign::Check, Role::Good, Role::Faint),
    };
    let words = sheet.words(&item.text.replace('\n', " "), role, sheet.beneath());
    super::signed(sheet.sign(sign, sign_role), words, sheet.inside())
}

pub(super) fn ended(outcome: &TurnOutcome, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let (level, words) = ended_words(outcome);
    if words.is_empty() { Vec::new() } else { notice(level, &words, sheet) }
}

/// How a turn ended, in words; nothing where it simply ended.
pub(in crate::story) fn ended_words(outcome: &TurnOutcome) -> (NoticeLevel, String) {
    match outcome {
        TurnOutcome::Done => (NoticeLevel::Info, String::new()),
        TurnOutcome::Interrupted => (NoticeLevel::Warning, "Interrupted. What should be done instead?".to_owned()),
        TurnOutcome::PlanAwaits { path, hash } => {
            (NoticeLevel::Info, format!("The plan awaits approval: {path} ({})", hash.short()))
        }
        TurnOutcome::PlanSaved { path, hash } => {
            (NoticeLevel::Info, format!("The plan is saved: {path} ({})", hash.short()))
        }
        TurnOutcome::ModelFailed { why } => (NoticeLevel::Error, format!("The model could not answer: {why}")),
        TurnOutcome::TooManyRounds { rounds } => {
            (NoticeLevel::Warning, format!("Stopped after {rounds} rounds of calls. Say \"go on\" to continue."))
        }
    }
}

pub(super) fn page(title: &str, text: &str, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    if !title.is_empty() {
        lines.push(Line::from(Span::styled(
            paint::cut(title, sheet.inside(), sheet.theme),
            sheet.theme.style(Role::Heading),
        )));
        lines.push(Line::default());
    }
    lines.extend(paint::markdown(text, sheet.inside(), sheet.theme).lines);
    super::signed(Span::raw(""), lines, sheet.width)
}
