//! Plans: what was decided about them, and the plan itself behind a bar in the colour of plan mode (D9).

use super::BlockStyle;
use crate::{
    paint,
    story::block::{CurrentPlan, DecidedPlan},
    theme::{Sign, TextRole, mode_words},
};
use fore_agent::ApprovalOutcome;
use fore_plan::{
    Mode,
    approval::{Comment, Decider, GrantScope, Receipt},
    plan::Hash,
};
use ratatui::text::{Line, Span};

/// Lines of a decided plan that are shown folded: the person has just read it.
const DECIDED_LINES: usize = 12;
/// The colour of everything about plans.
const PLAN: TextRole = TextRole::Mode(Mode::Plan);

pub(super) fn decided(decided: &DecidedPlan, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let facts = facts(&decided.how);
    let mut title = vec![block_style.span(title(decided), PLAN)];
    title
        .extend(facts.iter().map(|fact| block_style.span(format!("{}{fact}", block_style.between()), TextRole::Faint)));
    let mut lines = block_style.wrapped(title, block_style.inside());
    lines.extend(remarks(decided, block_style));
    let has_plan = !matches!(decided.how, ApprovalOutcome::NotCounted { .. });
    if has_plan && !decided.plan.trim().is_empty() {
        lines.extend(barred(&decided.plan, DECIDED_LINES, block_style));
    }
    if let ApprovalOutcome::Saved { path } = &decided.how {
        lines.extend(block_style.words(&how_to_go_on(path, decided), TextRole::Faint, block_style.inside()));
    }
    block_style.signed(block_style.sign(Sign::Bullet, PLAN), lines)
}

fn title(decided: &DecidedPlan) -> &'static str {
    match &decided.how {
        ApprovalOutcome::Approved { .. } => "Plan approved",
        ApprovalOutcome::KeepPlanning { reason, .. } if reason.trim().is_empty() && decided.comments.is_empty() => {
            "Plan not approved, planning continues"
        }
        ApprovalOutcome::KeepPlanning { .. } => "Plan rejected, planning continues",
        ApprovalOutcome::Saved { .. } => "Plan saved, nothing started",
        ApprovalOutcome::Left { .. } => "Left plan mode without approving",
        ApprovalOutcome::Discarded => "Plan discarded",
        ApprovalOutcome::NotCounted { .. } => "The answer did not count",
        ApprovalOutcome::Awaits { .. } => "Plan awaits approval",
    }
}

/// What stands behind the title.
fn facts(how: &ApprovalOutcome) -> Vec<String> {
    match how {
        ApprovalOutcome::Approved { receipt, .. } => receipt_facts(receipt),
        ApprovalOutcome::Saved { path } => vec![path.clone()],
        ApprovalOutcome::Left { level } => vec![mode_words(Mode::At(*level)).to_owned()],
        ApprovalOutcome::NotCounted { why } => vec![why.clone()],
        ApprovalOutcome::Awaits { path, hash } => vec![path.clone(), hash.short()],
        ApprovalOutcome::KeepPlanning { .. } | ApprovalOutcome::Discarded => Vec::new(),
    }
}

/// What holds where a plan grants what it covers: everything else is asked about.
const COVERED_RUNS: &str = "what it covers runs without asking";

fn receipt_facts(receipt: &Receipt) -> Vec<String> {
    let asks = if receipt.runs_covered { COVERED_RUNS } else { mode_words(Mode::At(receipt.level)) };
    let mut facts = vec![asks.to_owned()];
    match receipt.scope {
        GrantScope::Plan => facts.push("for this plan".to_owned()),
        GrantScope::Session | GrantScope::Unchanged => {}
    }
    facts.push(format!("revision {}", receipt.revision));
    facts.push(receipt.hash.short());
    match receipt.steps.len() {
        0 if receipt.edited => facts.push("edited by you".to_owned()),
        0 => {}
        steps => facts.push(format!("only {}", fore_text::count(steps, "step"))),
    }
    if receipt.clear_context {
        facts.push("with an empty context".to_owned());
    }
    match &receipt.by {
        Decider::Person { via } => facts.extend(named_client(via)),
        Decider::Lead { name } | Decider::Teammate { name } => facts.push(format!("by {name}")),
    }
    facts
}

/// The client of another program through which the answer came; this program's own front ends go without saying.
fn named_client(via: &str) -> Option<String> {
    let is_ours = matches!(via, "terminal" | "headless" | "stream-json");
    (!is_ours && !via.is_empty()).then(|| format!("through {via}"))
}

/// What a person can do with a plan that was saved.
fn how_to_go_on(path: &str, decided: &DecidedPlan) -> String {
    let plan = decided.plan.as_str();
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = file.strip_suffix(".md").unwrap_or(file);
    let is_plain = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
    if plan.is_empty() || name.is_empty() || !name.chars().all(is_plain) {
        return "Your next prompt continues planning.".to_owned();
    }
    let hash = Hash::of(plan.as_bytes());
    // The scout carries nothing out.
    let (with, model) = if decided.is_of_scout { (", with a language model", " --model NAME") } else { ("", "") };
    format!(
        "Your next prompt continues planning. To carry out exactly this text{with}: fore apply {name} --hash {hash}{model}"
    )
}

/// The person's words on the plan.
fn remarks(decided: &DecidedPlan, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    match &decided.how {
        ApprovalOutcome::KeepPlanning { reason, .. } if !reason.trim().is_empty() => {
            lines.extend(block_style.words(reason.trim(), TextRole::Person, block_style.inside()));
        }
        ApprovalOutcome::Approved { notice: Some(notice), .. } => {
            lines.extend(block_style.words(notice, TextRole::Warning, block_style.inside()));
        }
        _ => {}
    }
    lines.extend(decided.comments.iter().flat_map(|comment| remark(comment, block_style)));
    lines
}

fn remark(comment: &Comment, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let place = if comment.first_line == comment.last_line {
        format!("line {}: ", comment.first_line)
    } else {
        format!("lines {}-{}: ", comment.first_line, comment.last_line)
    };
    let quote = comment.quote.lines().next().unwrap_or_default().trim();
    let mut lines = vec![paint::cut_line(
        Line::from(vec![block_style.span(place, TextRole::Faint), block_style.span(quote, TextRole::Quote)]),
        block_style.beneath(),
        block_style.theme,
    )];
    lines.extend(block_style.words(comment.remark.trim(), TextRole::Person, block_style.beneath()));
    super::signed(block_style.sign(Sign::Remark, PLAN), lines, block_style.inside())
}

pub(super) fn implement(path: &str, hash: &Hash, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let between = block_style.between();
    let spans = vec![
        block_style.span("Work starts from the plan alone", PLAN),
        block_style.span(format!("{between}{path}{between}{}", hash.short()), TextRole::Faint),
    ];
    block_style.signed(block_style.sign(Sign::Bullet, PLAN), block_style.wrapped(spans, block_style.inside()))
}

/// The answer to `/plan` (C2).
pub(super) fn current(current: &CurrentPlan, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let sign = block_style.sign(Sign::Bullet, PLAN);
    let Some(text) = current.text.as_ref().filter(|text| !text.trim().is_empty()) else {
        let words = match current.mode {
            Mode::Plan => "Already in plan mode. No plan written yet.",
            Mode::At(_) => "No plan written yet.",
        };
        return block_style.signed(sign, block_style.words(words, TextRole::Plain, block_style.inside()));
    };
    let mut lines = block_style.words("Current Plan", PLAN, block_style.inside());
    if let Some(path) = &current.path {
        lines.extend(block_style.words(path, TextRole::Faint, block_style.inside()));
    }
    lines.extend(barred(text, usize::MAX, block_style));
    if let Some(editor) = &current.editor {
        let words = format!("/plan open edits it in {editor}");
        lines.extend(block_style.words(&words, TextRole::Faint, block_style.inside()));
    }
    block_style.signed(sign, lines)
}

/// The plan behind its bar; folded, it says how much is left.
fn barred(text: &str, most: usize, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let width = block_style.beneath();
    let lines = block_style.folded(paint::plan(text, width, block_style.theme).lines, most, width);
    let bar = block_style.theme.sign(Sign::Bar);
    let style = block_style.theme.style(PLAN);
    lines
        .into_iter()
        .map(|mut line| {
            let before = if paint::is_blank(&line) { bar.to_owned() } else { format!("{bar} ") };
            line.spans.insert(0, Span::styled(before, style));
            line
        })
        .collect()
}
