//! Nothing of a plan is hidden by the way it is drawn: a source line with a word that the drawing leaves out (a cell too
//! many, the title of a link) is shown a second time as it was written. It trusts no renderer.

use crate::{
    dialogs::words::{Break, rows, tame},
    theme::{Role, Theme},
};
use ratatui::text::{Line, Span};
use std::{
    borrow::Cow,
    ops::{Range, RangeInclusive},
};

/// With more such lines, the whole plan is shown as it was written.
const MOST_HIDDEN: usize = 200;
/// The name of a language behind a fence is no word of the plan, unless it is longer than any.
const MOST_LANGUAGE: usize = crate::paint::MOST_LANGUAGE;
/// Markers in front of a line that are looked through, one inside the other.
const MOST_MARKERS: usize = 8;

/// Drawn lines with the source lines of each.
pub(super) type Drawing = (Vec<Line<'static>>, Vec<RangeInclusive<u32>>);

/// The drawing, and what it leaves out.
pub(super) fn whole((lines, sources): Drawing, text: &str, width: u16, theme: &Theme) -> Drawing {
    if lines.len() != sources.len() || !are_in_order(&sources) {
        return as_written(text, width, theme);
    }
    let mut seen = Seen::default();
    // Each with the drawn line it goes behind.
    let mut hidden: Vec<(usize, u32, &str)> = Vec::new();
    for (number, source) in (1u32..).zip(text.lines()) {
        let covering = covering(&sources, number);
        let behind = sources.partition_point(|source| *source.start() <= number);
        let is_alone = sources.get(covering.clone()).is_some_and(|all| all.iter().all(|one| *one == (number..=number)));
        seen.turn_to(covering, &lines);
        let once = said_once(source);
        let is_seen = seen.has_in_order(&once) || is_alone && seen.has_somewhere(&once);
        if !is_seen {
            hidden.push((behind, number, source));
        }
        if hidden.len() > MOST_HIDDEN {
            return as_written(text, width, theme);
        }
    }
    if hidden.is_empty() {
        return (lines, sources);
    }
    insert(lines, sources, &hidden, width, theme)
}

/// The letters of the drawn lines that show a source line, in their order.
#[derive(Debug, Default)]
struct Seen {
    rows: Range<usize>,
    letters: String,
    /// Behind the last word that was found.
    at: usize,
}

impl Seen {
    fn turn_to(&mut self, rows: Range<usize>, lines: &[Line<'static>]) {
        if rows == self.rows {
            return;
        }
        let drawn = lines.get(rows.clone()).unwrap_or_default();
        let letters = drawn.iter().flat_map(|line| &line.spans).flat_map(|span| span.content.chars());
        *self = Seen { rows, letters: letters.filter(|letter| letter.is_alphanumeric()).collect(), at: 0 };
    }

    /// Each word behind the one before: what is hidden cannot borrow its words from what is seen.
    fn has_in_order(&mut self, source: &str) -> bool {
        let mut at = self.at;
        for word in words(source) {
            match self.letters.get(at..).and_then(|rest| rest.find(word)) {
                Some(place) => at += place + word.len(),
                None => return false,
            }
        }
        self.at = at;
        true
    }

    /// Cells that are broken into rows stand side by side: the words are all there, and no letter is missing.
    fn has_somewhere(&self, source: &str) -> bool {
        let count: usize = words(source).map(str::len).sum();
        count <= self.letters.len() && words(source).all(|word| self.letters.contains(word))
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

/// A link whose words are its address is drawn once, and so it counts once.
fn said_once(source: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut rest = source;
    while let Some((before, after)) = rest.split_once("](") {
        kept.push_str(before);
        let words = before.rsplit('[').next().unwrap_or_default().trim_matches('`');
        rest = match after.split_once(')') {
            Some((address, behind)) if address == words => behind,
            _ => after,
        };
        kept.push(' ');
    }
    if kept.is_empty() {
        return Cow::Borrowed(source);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// The words of a source line, without what Markdown itself uses up.
fn words(source: &str) -> impl Iterator<Item = &str> {
    let mut rest = source;
    for _ in 0..MOST_MARKERS {
        rest = rest.trim_start_matches([' ', '\t', '>']);
        let unmarked = without_marker(rest);
        if unmarked == rest {
            break;
        }
        rest = unmarked;
    }
    if let Some(language) = rest.strip_prefix("```").or_else(|| rest.strip_prefix("~~~")) {
        let language = language.trim_start_matches(['`', '~']).trim();
        if !language.contains(char::is_whitespace) && language.len() <= MOST_LANGUAGE {
            rest = "";
        }
    }
    rest.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Without the sign or number of a list item, or the box of a task.
fn without_marker(line: &str) -> &str {
    let after_digits = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let after_number = (after_digits.len() < line.len()).then(|| after_digits.strip_prefix(['.', ')'])).flatten();
    let after_sign = line.strip_prefix(['-', '*', '+']);
    let after_box = ["[x]", "[X]", "[ ]"].iter().find_map(|task| line.strip_prefix(task));
    let after = after_number.or(after_sign).or(after_box);
    after.filter(|after| after.starts_with([' ', '\t'])).unwrap_or(line)
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
            let label = Span::styled("as written: ", theme.style(Role::Warning));
            let source = Span::styled(tame(source), theme.style(Role::Code));
            for row in rows(&Line::from(vec![label, source]), width, 2, Break::Words) {
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
        let line = Line::from(Span::styled(tame(source), theme.style(Role::Code)));
        for row in rows(&line, width, 0, Break::Words) {
            drawing.0.push(row);
            drawing.1.push(number..=number);
        }
    }
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn drawn_markdown_is_in_the_order_of_its_lines(
            text in "(( {0,4}|> |- |1\\. |# |```|\\| )[a-z|*`\\[\\]() ]{0,20}\n){0,30}",
            width in 10u16..100,
        ) {
            let theme = crate::dialogs::test_support::THEME;
            let rendered = crate::paint::markdown(&text, width, &theme);
            proptest::prop_assert_eq!(rendered.lines.len(), rendered.sources.len());
            proptest::prop_assert!(are_in_order(&rendered.sources), "{:?}", rendered.sources);
        }
    }

    /// The drawing shows all that we know of; should it hide something one day, that is shown all the same.
    #[test]
    fn what_is_hidden_cannot_borrow_its_words_from_what_is_seen() {
        let theme = crate::dialogs::test_support::THEME;
        let source =
            "| keep all the old files | delete the old files |\nKeep the [old](a.md \"delete old\") ones.\nAll.\n";
        let drawn = ["keep all the old files", "Keep the old (a.md) ones.", "All."];
        let lines = drawn.iter().map(|line| Line::from(*line)).collect();
        let (lines, sources) = whole((lines, vec![1..=1, 2..=2, 3..=3]), source, 80, &theme);
        let page: Vec<String> = lines.iter().map(ToString::to_string).collect();
        assert_eq!(
            page,
            [
                "keep all the old files",
                "as written: | keep all the old files | delete the old files |",
                "Keep the old (a.md) ones.",
                "as written: Keep the [old](a.md \"delete old\") ones.",
                "All.",
            ]
        );
        assert_eq!(sources, [1..=1, 1..=1, 2..=2, 2..=2, 3..=3]);
    }

    #[test]
    fn a_link_that_repeats_its_address_counts_once() {
        let page = [
            ("see [a.md](a.md), [`b`](b) and [c](d)", "see a md b and c d"),
            ("[x](x \"title\") (x) ](x", "x x title x x"),
        ];
        for (source, expected) in page {
            assert_eq!(words(&said_once(source)).collect::<Vec<_>>().join(" "), expected, "{source}");
        }
    }

    #[test]
    fn what_markdown_uses_up_is_no_word() {
        let page = [
            ("# Faster login", "Faster login"),
            ("> - [x] 12. done, `x`", "done x"),
            ("3) three", "three"),
            ("3.5 is a number", "3 5 is a number"),
            ("-x is no item", "x is no item"),
            ("  ```rust", ""),
            ("```rust and more", "rust and more"),
            ("|---|:--|", ""),
        ];
        for (source, expected) in page {
            assert_eq!(words(source).collect::<Vec<_>>().join(" "), expected, "{source}");
        }
    }
}
