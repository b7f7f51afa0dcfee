//! The steps of a plan, as its Markdown says them: task headings, else numbered items and task lists. Reads every text, in one pass.
//!
//! A step is what a person can approve by itself, with all lines that belong to it.

use fore_text::cut;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Steps that are read; what comes behind belongs to the last one.
pub(crate) const MAX_STEPS: usize = 200;
const MAX_TITLE_CHARS: usize = 120;
/// Columns before an item that is still one of the plan's own list.
const MAX_INDENT: usize = 1;

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanStep {
    /// Counts from 1, in the order of the text.
    pub number: u32,
    /// What it says, in one line.
    pub title: String,
    /// Counts from 1.
    pub first_line: u32,
    /// The last line that belongs to it.
    pub last_line: u32,
}

/// What a line is, as far as steps are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineKind<'a> {
    /// A heading, and whether it names a task.
    Heading {
        level: usize,
        title: &'a str,
        is_task: bool,
    },
    /// An item of the plan's own list.
    Item {
        title: &'a str,
    },
    Blank,
    /// Stands at the left edge: a new paragraph, if nothing but blanks is before it.
    Edge,
    /// Belongs to what is before it.
    Inside,
}

/// Reads the steps. Fewer than two task headings are none; then the items are the steps.
pub fn steps(text: &str) -> Vec<PlanStep> {
    let (kinds, _) = kinds(text);
    let tasks = tasks(&kinds);
    if tasks.len() >= 2 { tasks } else { items(&kinds) }
}

/// What a no says of the steps that were left out; none if all of them are meant.
pub fn left_out_words(whole: &str, kept: &[u32]) -> Option<String> {
    let left_out = steps(whole).into_iter().filter(|step| !kept.contains(&step.number));
    let lines: Vec<String> = left_out.map(|step| format!("Leave out step {}: {}", step.number, step.title)).collect();
    Some(lines.join("\n")).filter(|words| !words.is_empty())
}

/// The plan with these steps alone; the others are named at its end as not approved. None if one of the numbers names no
/// step, or there is none.
pub fn only_steps(text: &str, approved: &[u32]) -> Option<String> {
    let all = steps(text);
    let wanted: BTreeSet<u32> = approved.iter().copied().collect();
    if wanted.is_empty() || !wanted.iter().all(|number| all.iter().any(|step| step.number == *number)) {
        return None;
    }
    let left_out: Vec<&PlanStep> = all.iter().filter(|step| !wanted.contains(&step.number)).collect();
    if left_out.is_empty() {
        return Some(text.to_owned());
    }
    let mut spans = left_out.iter().map(|step| step.first_line..=step.last_line).peekable();
    let mut kept = String::with_capacity(text.len());
    for (line, number) in text.split_inclusive('\n').zip(1_u32..) {
        while spans.next_if(|span| *span.end() < number).is_some() {}
        if !spans.peek().is_some_and(|span| span.contains(&number)) {
            kept.push_str(line);
        }
    }
    // A code block that nothing ends would take in what follows.
    let (_, open_fence) = kinds(&kept);
    let end = open_fence.map_or_else(String::new, |(mark, length)| format!("\n{}", mark.to_string().repeat(length)));
    let titles: String = left_out.iter().map(|step| format!("- {}\n", step.title)).collect();
    Some(format!("{}{end}\n\n{}\n\n{titles}", kept.trim_end(), include_str!("not-approved.md").trim_end()))
}

/// What each line is, and the sign of a code block that is still open at the end.
fn kinds(text: &str) -> (Vec<LineKind<'_>>, Option<(char, usize)>) {
    let mut fence: Option<(char, usize)> = None;
    let kinds = text
        .lines()
        .map(|line| {
            let bare = line.trim_start();
            let run = |mark: char| bare.len() - bare.trim_start_matches(mark).len();
            // What stands behind backticks and has some itself is code in a line, not the beginning of a block.
            let opens = |mark: &char| run(*mark) >= 3 && !(*mark == '`' && bare.trim_start_matches('`').contains('`'));
            match fence {
                Some((mark, length)) => {
                    if run(mark) >= length && bare.trim_start_matches(mark).trim().is_empty() {
                        fence = None;
                    }
                    LineKind::Inside
                }
                None => match ['`', '~'].into_iter().find(opens) {
                    Some(mark) => {
                        fence = Some((mark, run(mark)));
                        LineKind::Inside
                    }
                    None => kind(line),
                },
            }
        })
        .collect();
    (kinds, fence)
}

fn kind(line: &str) -> LineKind<'_> {
    let bare = line.trim();
    if bare.is_empty() {
        return LineKind::Blank;
    }
    let indent: usize = line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum();
    if indent > MAX_INDENT {
        return LineKind::Inside;
    }
    let level = bare.len() - bare.trim_start_matches('#').len();
    if let (1..=6, Some(title)) = (level, bare.get(level..).and_then(|rest| rest.strip_prefix([' ', '\t']))) {
        let title = title.trim().trim_end_matches('#').trim_end();
        return LineKind::Heading { level, title, is_task: is_task(title) };
    }
    match numbered(bare).or_else(|| ticked(bare)) {
        Some(title) => LineKind::Item { title },
        // Dashes right below a numbered item say more of it.
        None if bare.starts_with(['-', '*', '+']) => LineKind::Inside,
        None => LineKind::Edge,
    }
}

/// What follows `3. ` or `3) `.
fn numbered(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = Some(rest).filter(|rest| (1..=9).contains(&(line.len() - rest.len())))?;
    let rest = rest.strip_prefix(['.', ')'])?;
    Some(rest.strip_prefix([' ', '\t'])?.trim()).filter(|title| !title.is_empty())
}

/// What follows `- [ ] `.
fn ticked(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['-', '*', '+'])?.trim_start();
    let rest = ["[ ]", "[x]", "[X]"].iter().find_map(|tick| rest.strip_prefix(tick))?;
    Some(rest.strip_prefix([' ', '\t'])?.trim()).filter(|title| !title.is_empty())
}

/// `Task 3: …`, `Step 2`, `Phase A - …`, `4. …`.
fn is_task(title: &str) -> bool {
    if numbered(title).is_some() {
        return true;
    }
    let word_end = title.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(title.len());
    let (word, rest) = title.split_at(word_end);
    let is_word = ["task", "step", "phase"].iter().any(|known| word.eq_ignore_ascii_case(known));
    let mut rest = rest.trim_start().chars();
    let (first, second) = (rest.next(), rest.next());
    let is_letter = first.is_some_and(|c| c.is_ascii_uppercase()) && second.is_none_or(|c| !c.is_alphanumeric());
    is_word && (is_letter || first.is_some_and(|c| c.is_ascii_digit() || matches!(c, ':' | '#')))
}

/// Task headings of the level of the first, each with all below it.
fn tasks(kinds: &[LineKind<'_>]) -> Vec<PlanStep> {
    let mut level_of_tasks = None;
    let mut steps = StepList::default();
    for (index, kind) in kinds.iter().enumerate() {
        match *kind {
            LineKind::Heading { level, title, is_task: true } if *level_of_tasks.get_or_insert(level) == level => {
                steps.begin(index, title);
            }
            LineKind::Heading { level, .. } if level_of_tasks.is_some_and(|tasks| level <= tasks) => steps.end(),
            LineKind::Blank => {}
            LineKind::Heading { .. } | LineKind::Item { .. } | LineKind::Edge | LineKind::Inside => steps.extend(index),
        }
    }
    steps.done
}

/// Items at the left edge, each with what is indented below it or follows without a gap.
fn items(kinds: &[LineKind<'_>]) -> Vec<PlanStep> {
    let mut steps = StepList::default();
    let mut after_blank = false;
    for (index, kind) in kinds.iter().enumerate() {
        match *kind {
            LineKind::Item { title } => steps.begin(index, title),
            LineKind::Heading { .. } => steps.end(),
            LineKind::Edge if after_blank => steps.end(),
            LineKind::Edge | LineKind::Inside => steps.extend(index),
            LineKind::Blank => {}
        }
        after_blank = *kind == LineKind::Blank;
    }
    steps.done
}

#[derive(Default)]
struct StepList {
    done: Vec<PlanStep>,
    is_open: bool,
}

impl StepList {
    fn begin(&mut self, index: usize, title: &str) {
        if self.done.len() >= MAX_STEPS {
            self.is_open = true;
            return self.extend(index);
        }
        let line = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
        let number = u32::try_from(self.done.len()).unwrap_or(u32::MAX).saturating_add(1);
        let title = cut::ellipsis(&cut::one_line(title), MAX_TITLE_CHARS).into_owned();
        self.done.push(PlanStep { number, title, first_line: line, last_line: line });
        self.is_open = true;
    }

    fn extend(&mut self, index: usize) {
        if let Some(step) = self.done.last_mut().filter(|_| self.is_open) {
            step.last_line = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
        }
    }

    fn end(&mut self) {
        self.is_open = false;
    }
}

#[cfg(test)]
#[path = "steps_tests.rs"]
mod tests;
