//! Plans: what was decided about them, and the plan itself behind a bar in the colour of plan mode (D9).

use super::Sheet;
use crate::{
    paint,
    story::block::{CurrentPlan, Decided, Decision},
    theme::{Role, Sign, mode_words},
};
use fore_plan::{
    Mode,
    approval::{Comment, Decider, Receipt, Scope},
    plan::Hash,
};
use ratatui::text::{Line, Span};

/// Lines of a decided plan that are shown folded: the person has just read it.
const DECIDED_LINES: usize = 12;
/// The colour of everything about plans.
const PLAN: Role = Role::Mode(Mode::Plan);

pub(super) fn decided(decided: &Decided, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let facts = facts(&decided.how);
    let mut title = vec![sheet.span(title(decided), PLAN)];
    title.extend(facts.iter().map(|fact| sheet.span(format!("{}{fact}", sheet.between()), Role::Faint)));
    let mut lines = sheet.wrapped(title, sheet.inside());
    lines.extend(remarks(decided, sheet));
    let has_plan = !matches!(decided.how, Decision::NotCounted { .. });
    if has_plan && !decided.plan.trim().is_empty() {
        lines.extend(barred(&decided.plan, DECIDED_LINES, sheet));
    }
    if let Decision::Saved { path } = &decided.how {
        lines.extend(sheet.words(&how_to_go_on(path, &decided.plan), Role::Faint, sheet.inside()));
    }
    sheet.signed(sheet.sign(Sign::Bullet, PLAN), lines)
}

fn title(decided: &Decided) -> &'static str {
    match &decided.how {
        Decision::Approved { .. } => "Plan approved",
        Decision::KeepPlanning { reason } if reason.trim().is_empty() && decided.comments.is_empty() => {
            "Plan not approved, planning goes on"
        }
        Decision::KeepPlanning { .. } => "Plan rejected, planning goes on",
        Decision::Saved { .. } => "Plan saved, nothing started",
        Decision::Left { .. } => "Left plan mode without approving",
        Decision::Discarded => "Plan discarded",
        Decision::NotCounted { .. } => "The answer did not count",
        Decision::Awaits { .. } => "Plan awaits approval",
    }
}

/// What stands behind the title.
fn facts(how: &Decision) -> Vec<String> {
    match how {
        Decision::Approved { receipt, .. } => receipt_facts(receipt),
        Decision::Saved { path } => vec![path.clone()],
        Decision::Left { level } => vec![mode_words(Mode::At(*level)).to_owned()],
        Decision::NotCounted { why } => vec![why.clone()],
        Decision::Awaits { path, hash } => vec![path.clone(), hash.short()],
        Decision::KeepPlanning { .. } | Decision::Discarded => Vec::new(),
    }
}

fn receipt_facts(receipt: &Receipt) -> Vec<String> {
    let mut facts = vec![mode_words(Mode::At(receipt.level)).to_owned()];
    match receipt.scope {
        Scope::Plan => facts.push("for this plan".to_owned()),
        Scope::Session | Scope::Unchanged => {}
    }
    facts.push(format!("revision {}", receipt.revision));
    facts.push(receipt.hash.short());
    if receipt.edited {
        facts.push("edited by you".to_owned());
    }
    if receipt.clear_context {
        facts.push("with an empty context".to_owned());
    }
    match &receipt.by {
        Decider::Person { .. } => {}
        Decider::Lead { name } | Decider::Teammate { name } => facts.push(format!("by {name}")),
    }
    facts
}

/// What a person can do with a plan that was saved.
fn how_to_go_on(path: &str, plan: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = file.strip_suffix(".md").unwrap_or(file);
    let is_plain = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
    if plan.is_empty() || name.is_empty() || !name.chars().all(is_plain) {
        return "A prompt here goes on planning.".to_owned();
    }
    let hash = Hash::of(plan.as_bytes());
    format!("A prompt here goes on planning. To carry out exactly this text: fore apply {name} --hash {hash}")
}

/// The person's words on the plan.
fn remarks(decided: &Decided, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    match &decided.how {
        Decision::KeepPlanning { reason } if !reason.trim().is_empty() => {
            lines.extend(sheet.words(reason.trim(), Role::Person, sheet.inside()));
        }
        Decision::Approved { notice: Some(notice), .. } => {
            lines.extend(sheet.words(notice, Role::Warning, sheet.inside()));
        }
        _ => {}
    }
    lines.extend(decided.comments.iter().flat_map(|comment| remark(comment, sheet)));
    lines
}

fn remark(comment: &Comment, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let place = if comment.first_line == comment.last_line {
        format!("line {}: ", comment.first_line)
    } else {
        format!("lines {}-{}: ", comment.first_line, comment.last_line)
    };
    let quote = comment.quote.lines().next().unwrap_or_default().trim();
    let mut lines = vec![paint::cut_line(
        Line::from(vec![sheet.span(place, Role::Faint), sheet.span(quote, Role::Quote)]),
        sheet.beneath(),
        sheet.theme,
    )];
    lines.extend(sheet.words(comment.remark.trim(), Role::Person, sheet.beneath()));
    super::signed(sheet.sign(Sign::Remark, PLAN), lines, sheet.inside())
}

pub(super) fn implement(path: &str, hash: &Hash, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let between = sheet.between();
    let spans = vec![
        sheet.span("Work starts from the plan alone", PLAN),
        sheet.span(format!("{between}{path}{between}{}", hash.short()), Role::Faint),
    ];
    sheet.signed(sheet.sign(Sign::Bullet, PLAN), sheet.wrapped(spans, sheet.inside()))
}

/// The answer to `/plan` (C2).
pub(super) fn current(current: &CurrentPlan, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let sign = sheet.sign(Sign::Bullet, PLAN);
    let Some(text) = current.text.as_ref().filter(|text| !text.trim().is_empty()) else {
        let words = match current.mode {
            Mode::Plan => "Already in plan mode. No plan written yet.",
            Mode::At(_) => "No plan written yet.",
        };
        return sheet.signed(sign, sheet.words(words, Role::Plain, sheet.inside()));
    };
    let mut lines = sheet.words("Current Plan", PLAN, sheet.inside());
    if let Some(path) = &current.path {
        lines.extend(sheet.words(path, Role::Faint, sheet.inside()));
    }
    lines.extend(barred(text, usize::MAX, sheet));
    if let Some(editor) = &current.editor {
        let words = format!("/plan open edits it in {editor}");
        lines.extend(sheet.words(&words, Role::Faint, sheet.inside()));
    }
    sheet.signed(sign, lines)
}

/// The plan behind its bar; folded, it says how much is left.
fn barred(text: &str, most: usize, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let width = sheet.beneath();
    let lines = sheet.folded(paint::plan(text, width, sheet.theme).lines, most, width);
    let bar = sheet.theme.sign(Sign::Bar);
    let style = sheet.theme.style(PLAN);
    lines
        .into_iter()
        .map(|mut line| {
            let before = if paint::is_blank(&line) { bar.to_owned() } else { format!("{bar} ") };
            line.spans.insert(0, Span::styled(before, style));
            line
        })
        .collect()
}
