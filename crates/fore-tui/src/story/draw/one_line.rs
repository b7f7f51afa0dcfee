//! Blocks that are mostly one line: words of the person, notices, changes of mode, lists.

use super::{BlockStyle, PROMPT_LINES};
use crate::{
    paint,
    story::block::{BlockFold, PromptDelivery, Welcome},
    theme::{Sign, TextRole, mode_words},
};
use fore_agent::{ContextCutReason, DutyName, NoticeLevel, TurnOutcome};
use fore_plan::{Actor, ModeChanger, ModeEvent, ModeReason, approval::Decider};
use fore_store::entry::{Todo, TodoStatus};
use ratatui::{
    style::Modifier,
    text::{Line, Span},
};

/// Columns of the names in the welcome.
const NAME: usize = 8;

pub(super) fn welcome(welcome: &Welcome, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let theme = block_style.theme;
    let resumed = if welcome.resumed { format!("{}resumed", block_style.between()) } else { String::new() };
    let title = vec![
        block_style.span("Forethought", TextRole::Heading),
        block_style.span(format!(" {}{resumed}", welcome.version), TextRole::Faint),
    ];
    let mut lines = block_style.wrapped(title, block_style.width);
    let mut row = |name: &str, sign: Option<Sign>, text: &str, role: TextRole| {
        let sign = sign.map_or_else(String::new, |sign| format!("{} ", theme.sign(sign)));
        let room = block_style.inside().saturating_sub(u16::try_from(NAME).unwrap_or(0)).max(1);
        let words = paint::wrap(&Line::from(block_style.span(format!("{sign}{text}"), role)), room, 0);
        for (index, mut line) in words.into_iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            if block_style.width > 24 {
                line.spans.insert(0, block_style.span(format!("  {name:<NAME$}"), TextRole::Faint));
            }
            lines.push(line);
        }
    };
    row("folder", None, &welcome.folder, TextRole::Plain);
    row("model", None, &welcome.model, TextRole::Plain);
    row("mode", Some(Sign::Mode(welcome.mode)), mode_words(welcome.mode), TextRole::Mode(welcome.mode));
    let sandbox = &welcome.sandbox;
    if let Some(layer) = &sandbox.without {
        row("sandbox", Some(Sign::Caged), &format!("on while planning, without {layer}"), TextRole::Plain);
    } else if welcome.caged {
        row("sandbox", Some(Sign::Caged), "on while planning", TextRole::Plain);
    } else if sandbox.uncaged_reads {
        let words = "none: while planning, commands proved to read run without one, as your settings say";
        row("sandbox", Some(Sign::NotCaged), words, TextRole::Warning);
    } else {
        row("sandbox", Some(Sign::NotCaged), "none: while planning, no command runs", TextRole::Warning);
    }
    if !welcome.trusted {
        row("trust", Some(Sign::Warning), "folder not trusted; /trust to change", TextRole::Warning);
    }
    lines
}

pub(super) fn prompt(text: &str, way: PromptDelivery, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let words = block_style.words(text.trim(), TextRole::Person, block_style.inside());
    let mut lines = block_style.folded(words, PROMPT_LINES, block_style.inside());
    let mark = match way {
        PromptDelivery::AtOnce => None,
        PromptDelivery::Queued => Some("(queued)"),
        PromptDelivery::Steered => Some("joined the running turn"),
    };
    if let Some(mark) = mark {
        lines.push(Line::from(
            block_style.span(paint::cut(mark, block_style.inside(), block_style.theme), TextRole::Faint),
        ));
    }
    block_style.signed(block_style.sign(Sign::Prompt, TextRole::Person), lines)
}

pub(super) fn thought(text: &str, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let sign = block_style.sign(Sign::Circle, TextRole::Faint);
    let lines = fore_text::count(text.trim().lines().count(), "line");
    let style = block_style.theme.style(TextRole::Faint).add_modifier(Modifier::ITALIC);
    match block_style.fold {
        BlockFold::Folded | BlockFold::Lines | BlockFold::Closed => {
            let words = format!("thought{}{lines} ({})", block_style.between(), block_style.key());
            let words = paint::cut(&words, block_style.inside(), block_style.theme);
            block_style.signed(sign, vec![Line::from(Span::styled(words, style))])
        }
        BlockFold::Open => {
            let mut lines = block_style.words(text.trim(), TextRole::Faint, block_style.inside());
            lines.iter_mut().flat_map(|line| &mut line.spans).for_each(|span| span.style = style);
            block_style.signed(sign, lines)
        }
    }
}

pub(super) fn notice(level: NoticeLevel, text: &str, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let (sign, role, words) = match level {
        NoticeLevel::Info => (Sign::Dot, TextRole::Faint, TextRole::Plain),
        NoticeLevel::Warning => (Sign::Warning, TextRole::Warning, TextRole::Warning),
        NoticeLevel::Error => (Sign::Cross, TextRole::Bad, TextRole::Bad),
    };
    block_style.signed(block_style.sign(sign, role), block_style.words(text, words, block_style.inside()))
}

pub(super) fn mode(event: &ModeEvent, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    // Whoever switched knows by which key; the id of a plan is for the audit log.
    let why = match (&event.by, &event.why) {
        (ModeChanger::Actor(Actor::Person) | ModeChanger::Decider(Decider::Person { .. }), _) => String::new(),
        (_, ModeReason::EnterConfirmed) => "The model asked to plan first; you agreed.".to_owned(),
        (_, ModeReason::Settings) => "your settings ask for it".to_owned(),
        (by, ModeReason::Approved { revision, .. }) => format!("{by}: plan revision {revision} approved"),
        (by, why) => format!("{by}: {why}"),
    };
    let why = if why.is_empty() { why } else { format!("{}{why}", block_style.between()) };
    let spans = vec![
        block_style.span(
            format!("{} {}", block_style.theme.sign(Sign::Mode(event.to)), mode_words(event.to)),
            TextRole::Mode(event.to),
        ),
        block_style.span(why, TextRole::Faint),
    ];
    paint::wrap(&Line::from(spans), block_style.width, super::SIGN)
}

/// From here on another model does the work of a duty, or of all.
pub(super) fn model(name: &str, duty: Option<DutyName>, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let purpose = match duty {
        None => "",
        Some(DutyName::Plan) => " for planning",
        Some(DutyName::Act) => " for the work",
        Some(DutyName::Small) => " for small tasks",
    };
    fact(&format!("Now using {name}{purpose}"), "", block_style)
}

/// One thing to know.
pub(super) fn fact(words: &str, more: &str, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let more = if more.is_empty() { String::new() } else { format!("{}{more}", block_style.between()) };
    let spans = vec![block_style.span(words, TextRole::Plain), block_style.span(more, TextRole::Faint)];
    block_style.signed(block_style.sign(Sign::Dot, TextRole::Faint), block_style.wrapped(spans, block_style.inside()))
}

pub(super) fn cut_words(why: ContextCutReason) -> &'static str {
    match why {
        ContextCutReason::Summarised => "The conversation was summarised; the transcript keeps all of it.",
        ContextCutReason::Shortened => {
            "The oldest parts of the conversation were left out; the transcript keeps all of it."
        }
        ContextCutReason::Cleared => "Context cleared. The transcript is kept.",
    }
}

pub(super) fn todos(items: &[Todo], block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let done = items.iter().filter(|item| item.status == TodoStatus::Done).count();
    let title = vec![
        block_style.span("Todo list", TextRole::Strong),
        block_style.span(format!("{}{done} of {} done", block_style.between(), items.len()), TextRole::Faint),
    ];
    let mut lines = block_style.wrapped(title, block_style.inside());
    lines.extend(items.iter().flat_map(|item| todo(item, block_style)));
    block_style.signed(block_style.sign(Sign::Bullet, TextRole::Plain), lines)
}

/// One item, beside its sign.
pub(in crate::story) fn todo(item: &Todo, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let (sign, sign_role, role) = match item.status {
        TodoStatus::Pending => (Sign::Circle, TextRole::Faint, TextRole::Plain),
        TodoStatus::InProgress => (Sign::Pointer, TextRole::Accent, TextRole::Strong),
        TodoStatus::Done => (Sign::Check, TextRole::Good, TextRole::Faint),
    };
    let words = block_style.words(&item.text.replace('\n', " "), role, block_style.beneath());
    super::signed(block_style.sign(sign, sign_role), words, block_style.inside())
}

pub(super) fn ended(outcome: &TurnOutcome, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let (level, words) = ended_words(outcome);
    if words.is_empty() { Vec::new() } else { notice(level, &words, block_style) }
}

/// How a turn ended, in words; nothing where it simply ended.
pub(in crate::story) fn ended_words(outcome: &TurnOutcome) -> (NoticeLevel, String) {
    match outcome {
        TurnOutcome::Done => (NoticeLevel::Info, String::new()),
        TurnOutcome::Interrupted => (NoticeLevel::Warning, "Interrupted. What should I do instead?".to_owned()),
        TurnOutcome::PlanAwaits { path, hash } => {
            (NoticeLevel::Info, format!("The plan awaits approval: {path} ({})", hash.short()))
        }
        TurnOutcome::PlanSaved { path, hash } => {
            (NoticeLevel::Info, format!("The plan is saved: {path} ({})", hash.short()))
        }
        TurnOutcome::ModelFailed { why } => (NoticeLevel::Error, format!("The model could not answer: {why}")),
        TurnOutcome::NoAnswer { why } => (NoticeLevel::Error, format!("There is no answer: {why}.")),
        TurnOutcome::NotSent { why } => (NoticeLevel::Error, why.clone()),
        TurnOutcome::OverBudget { why } => (NoticeLevel::Warning, format!("Stopped: {why}.")),
        TurnOutcome::TooManyRounds { rounds } => (
            NoticeLevel::Warning,
            format!("Stopped after {rounds} rounds of calls. Say \"continue\" to let it work on."),
        ),
    }
}

pub(super) fn page(title: &str, text: &str, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    if !title.is_empty() {
        lines.push(Line::from(Span::styled(
            paint::cut(title, block_style.inside(), block_style.theme),
            block_style.theme.style(TextRole::Heading),
        )));
        lines.push(Line::default());
    }
    lines.extend(paint::markdown(text, block_style.inside(), block_style.theme).lines);
    super::signed(Span::raw(""), lines, block_style.width)
}
