//! Nothing of a plan is hidden by the way it is drawn: a source line of which any sign is left out is shown a second time as it
//! was written. It trusts no renderer.
//!
//! What may be left out is what makes a block and can be no part of a command: the sign of a bullet or of a heading in front of a
//! line, the box of a task, a fence with the name of a language, a line that only divides, the outer borders of a table.

use crate::{
    dialogs::text::{LineBreak, rows, sanitize_line},
    paint::{self, is_name_of_language},
    theme::{TextRole, Theme},
};
use ratatui::text::{Line, Span};
use std::{
    collections::BTreeMap,
    ops::{Range, RangeInclusive},
};

/// With more such lines, the whole plan is shown as it was written.
const MAX_HIDDEN_LINES: usize = 200;
/// Markers in front of a line that are looked through, one inside the other.
const MAX_MARKERS: usize = 8;

/// Drawn lines with the source lines of each.
pub(super) type Drawing = (Vec<Line<'static>>, Vec<RangeInclusive<u32>>);

/// The drawing, and what it leaves out.
pub(super) fn reveal_hidden((lines, sources): Drawing, text: &str, width: u16, theme: &Theme) -> Drawing {
    if lines.len() != sources.len() || !are_in_order(&sources) {
        return as_written(text, width, theme);
    }
    let mut seen = DrawnText::default();
    // Each with the drawn line it goes behind.
    let mut hidden: Vec<(usize, u32, &str)> = Vec::new();
    for (number, source) in (1u32..).zip(text.lines()) {
        let covering = covering(&sources, number);
        let behind = sources.partition_point(|source| *source.start() <= number);
        let is_alone = sources.get(covering.clone()).is_some_and(|all| all.iter().all(|one| *one == (number..=number)));
        seen.turn_to(covering, &lines);
        let fit = paint::sanitize(source);
        let is_seen = seen.has_in_order(&fit) || is_alone && seen.has_in_cells(&fit);
        if !is_seen {
            hidden.push((behind, number, source));
        }
        if hidden.len() > MAX_HIDDEN_LINES {
            return as_written(text, width, theme);
        }
    }
    if hidden.is_empty() {
        return (lines, sources);
    }
    insert(lines, sources, &hidden, width, theme)
}

/// What the drawn lines that show a source line say, without blanks.
#[derive(Debug, Default)]
struct DrawnText {
    rows: Range<usize>,
    signs: String,
    /// Behind the last word that was found.
    at: usize,
}

impl DrawnText {
    fn turn_to(&mut self, rows: Range<usize>, lines: &[Line<'static>]) {
        if rows == self.rows {
            return;
        }
        let drawn = lines.get(rows.clone()).unwrap_or_default();
        let signs = drawn.iter().flat_map(|line| &line.spans).flat_map(|span| span.content.chars());
        *self = DrawnText { rows, signs: signs.filter(|sign| !sign.is_whitespace()).collect(), at: 0 };
    }

    /// Each word behind the one before: what is hidden cannot borrow its words from what is seen.
    fn has_in_order(&mut self, source: &str) -> bool {
        let mut at = self.at;
        for word in words(source) {
            match self.signs.get(at..).and_then(|rest| rest.find(word)) {
                Some(place) => at += place + word.len(),
                None => return false,
            }
        }
        self.at = at;
        true
    }

    /// Cells that are broken into rows stand side by side: the words are all there, and no sign is missing.
    fn has_in_cells(&self, source: &str) -> bool {
        let count = |signs: &mut dyn Iterator<Item = char>| {
            let mut counted = BTreeMap::<char, usize>::new();
            signs.for_each(|sign| *counted.entry(sign).or_default() += 1);
            counted
        };
        let drawn = count(&mut self.signs.chars());
        let written = count(&mut words(source).flat_map(str::chars));
        source.contains('|')
            && written.iter().all(|(sign, count)| drawn.get(sign).is_some_and(|drawn| drawn >= count))
            && words(source).all(|word| self.signs.contains(word))
    }
}

/// Lines are looked up by halving, which needs an order.
fn are_in_order(sources: &[RangeInclusive<u32>]) -> bool {
    sources.is_sorted_by(|one, next| one.start() <= next.start() && one.end() <= next.end())
}

fn covering(sources: &[RangeInclusive<u32>], number: u32) -> Range<usize> {
    let first = sources.partition_point(|source| *source.end() < number);
    let behind = sources.partition_point(|source| *source.start() <= number);
    first..behind.max(first)
}

/// The words of a source line with all their signs, without what makes a block.
fn words(source: &str) -> impl Iterator<Item = &str> {
    let mut seen: [&str; MAX_MARKERS] = [""; MAX_MARKERS];
    let mut rest = source;
    for seen in &mut seen {
        rest = rest.trim_start_matches([' ', '\t']);
        let unmarked = without_marker(rest);
        if unmarked == rest {
            break;
        }
        // The number of an item is drawn as it is, and so is the sign of a quote: it may be a redirection.
        let marker = rest.get(..rest.len() - unmarked.len()).unwrap_or_default();
        *seen = if marker.starts_with(|sign: char| sign.is_ascii_digit() || sign == '>') { marker } else { "" };
        rest = unmarked;
    }
    let rest = without_block(rest);
    seen.into_iter().filter(|marker| !marker.is_empty()).chain(rest.split_whitespace())
}

/// Without the sign or number of a list item, the box of a task, or the signs of a quote or a heading.
fn without_marker(line: &str) -> &str {
    if let Some(quoted) = line.strip_prefix('>') {
        return quoted;
    }
    let after_digits = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let after_number = (after_digits.len() < line.len()).then(|| after_digits.strip_prefix(['.', ')'])).flatten();
    let after_sign = line.strip_prefix(['-', '*', '+']);
    let after_box = ["[x]", "[X]", "[ ]"].iter().find_map(|task| line.strip_prefix(task));
    let after_heading =
        Some(line.trim_start_matches('#')).filter(|after| (1..=6).contains(&(line.len() - after.len())));
    let after = after_number.or(after_sign).or(after_box).or(after_heading);
    after.filter(|after| after.is_empty() || after.starts_with([' ', '\t'])).unwrap_or(line)
}

/// Without what begins or divides a block; nothing of a line that does only that.
fn without_block(line: &str) -> &str {
    let line = line.trim();
    let is_only = |signs: &[char]| line.chars().all(|sign| signs.contains(&sign) || sign == ' ');
    let is_rule = line.len() >= 3 && ['*', '_', '`', '~'].into_iter().any(|sign| is_only(&[sign]));
    let is_underline = is_only(&['=']) || is_only(&['-']);
    let is_under_header = line.contains('-') && is_only(&['|', '-', ':']);
    if is_rule || is_underline || is_under_header {
        return "";
    }
    if let Some(language) = line.strip_prefix("```").or_else(|| line.strip_prefix("~~~"))
        && is_name_of_language(language.trim_start_matches(['`', '~']).trim())
    {
        return "";
    }
    // A heading may end as it begins.
    let title = line.trim_end_matches('#');
    let line = if title.ends_with(' ') { title.trim_end() } else { line };
    match line.strip_prefix('|') {
        Some(cells) => cells.strip_suffix('|').filter(|cells| !cells.ends_with('\\')).unwrap_or(cells),
        None => line,
    }
}

fn insert(
    lines: Vec<Line<'static>>,
    sources: Vec<RangeInclusive<u32>>,
    hidden: &[(usize, u32, &str)],
    width: u16,
    theme: &Theme,
) -> Drawing {
    let mut drawing: Drawing = (Vec::with_capacity(lines.len()), Vec::with_capacity(sources.len()));
    let mut left = hidden.iter().peekable();
    let mut add = |index: usize, drawing: &mut Drawing| {
        while let Some((_, number, source)) = left.next_if(|(behind, _, _)| *behind == index) {
            // Ends never go back, so that lines can be looked up.
            let end = drawing.1.last().map_or(*number, |before| *before.end().max(number));
            let label = Span::styled("as written: ", theme.style(TextRole::Warning));
            let source = Span::styled(sanitize_line(source), theme.style(TextRole::Code));
            for row in rows(&Line::from(vec![label, source]), width, 2, LineBreak::Words) {
                drawing.0.push(row);
                drawing.1.push(*number..=end);
            }
        }
    };
    add(0, &mut drawing);
    for (index, (line, source)) in lines.into_iter().zip(sources).enumerate() {
        drawing.0.push(line);
        drawing.1.push(source);
        add(index + 1, &mut drawing);
    }
    drawing
}

fn as_written(text: &str, width: u16, theme: &Theme) -> Drawing {
    let mut drawing = Drawing::default();
    for (number, source) in (1u32..).zip(text.lines()) {
        let line = Line::from(Span::styled(sanitize_line(source), theme.style(TextRole::Code)));
        for row in rows(&line, width, 0, LineBreak::Words) {
            drawing.0.push(row);
            drawing.1.push(number..=number);
        }
    }
    drawing
}

#[cfg(test)]
#[path = "reveal_tests.rs"]
mod tests;
