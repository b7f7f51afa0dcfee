//! Finding words in the pages, and marking them in a row. Bounded: a search ends after so much text.

use super::{
    layout::{PagerLayout, RowPosition},
    pages::ItemFold,
};
use crate::theme::{TextRole, Theme};
use ratatui::text::{Line, Span};

/// Text that one search reads at most.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// What is looked for. Capital letters count only if there is one in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Needle {
    chars: Vec<char>,
    exact: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchDirection {
    Down,
    Up,
}

/// Where a search begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchStart {
    /// This row may be a hit itself.
    At(RowPosition),
    /// It was one already.
    Beyond(RowPosition),
}

impl Needle {
    /// None for a text with nothing to look for.
    pub(crate) fn new(text: &str) -> Option<Needle> {
        let exact = text.chars().any(char::is_uppercase);
        let letters: Vec<char> = text.chars().map(|letter| folded(letter, exact)).collect();
        (!letters.is_empty()).then_some(Needle { chars: letters, exact })
    }

    /// The next place with a hit, once around. Closed items that have it inside are opened.
    pub(super) fn find(
        &self,
        layout: &mut PagerLayout,
        from: SearchStart,
        direction: SearchDirection,
    ) -> Option<RowPosition> {
        let count = layout.pages.count();
        let place = match from {
            SearchStart::At(place) | SearchStart::Beyond(place) => place,
        };
        let mut left = MAX_BYTES;
        // The item it begins in is looked at twice: beyond the row, and at last before it.
        for step in 0..=count {
            let item = match direction {
                SearchDirection::Down => (place.item + step) % count.max(1),
                SearchDirection::Up => (place.item + count.saturating_mul(2) - step) % count.max(1),
            };
            let text = layout.pages.text(item);
            left = left.checked_sub(text.len())?;
            if !self.is_in(&text) {
                continue;
            }
            let hits = self.hits_in(layout, item);
            let fits = |hit: &usize| match (step, from, direction) {
                (0, SearchStart::At(place), SearchDirection::Down) => *hit >= place.row,
                (0, SearchStart::At(place), SearchDirection::Up) => *hit <= place.row,
                (0, SearchStart::Beyond(place), SearchDirection::Down) => *hit > place.row,
                (0, SearchStart::Beyond(place), SearchDirection::Up) => *hit < place.row,
                _ => true,
            };
            let row = match direction {
                SearchDirection::Down => hits.into_iter().find(fits),
                SearchDirection::Up => hits.into_iter().rev().find(fits),
            };
            if let Some(row) = row {
                return Some(RowPosition { item, row });
            }
        }
        None
    }

    /// The rows to stop at in an item that has the words somewhere.
    fn hits_in(&self, layout: &mut PagerLayout, item: usize) -> Vec<usize> {
        let mut hits = self.hits(layout, item);
        if hits.is_empty() && layout.pages.opens(item) && layout.fold(item) == ItemFold::Closed {
            layout.turn(item);
            hits = self.hits(layout, item);
        }
        // The words are there, but drawn in another way: the item itself is the hit.
        if hits.is_empty() && layout.height(item) > 0 {
            hits.push(0);
        }
        hits
    }

    /// The rows of an item that have a hit, or in which one begins that ends in the next row.
    fn hits(&self, layout: &mut PagerLayout, item: usize) -> Vec<usize> {
        let rows: Vec<String> = layout.rows(item).iter().map(Line::to_string).collect();
        let mut hits = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            let next = rows.get(number + 1).map_or("", String::as_str);
            let begins_here = || !self.is_in(next) && self.is_in(&format!("{} {}", row.trim_end(), next.trim_start()));
            if self.is_in(row) || begins_here() {
                hits.push(number);
            }
        }
        hits
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        let letters: Vec<char> = text.chars().map(|letter| folded(letter, self.exact)).collect();
        letters.windows(self.chars.len()).any(|window| window == self.chars)
    }

    /// The row with its hits marked.
    pub(crate) fn mark(&self, line: Line<'static>, theme: &Theme) -> Line<'static> {
        let letters: Vec<char> = line.to_string().chars().map(|letter| folded(letter, self.exact)).collect();
        let mut is_hit = vec![false; letters.len()];
        let mut found = false;
        for (start, window) in letters.windows(self.chars.len()).enumerate() {
            if window == self.chars {
                found = true;
                is_hit.iter_mut().skip(start).take(self.chars.len()).for_each(|hit| *hit = true);
            }
        }
        if !found {
            return line;
        }
        let mut spans: Vec<Span<'static>> = Vec::new();
        let mut places = is_hit.into_iter();
        for span in line.spans {
            for letter in span.content.chars() {
                let hit = places.next().unwrap_or(false);
                let style = if hit { span.style.patch(theme.style(TextRole::Found)) } else { span.style };
                match spans.last_mut() {
                    Some(last) if last.style == style => last.content.to_mut().push(letter),
                    _ => spans.push(Span::styled(letter.to_string(), style)),
                }
            }
        }
        Line { spans, ..line }
    }
}

fn folded(letter: char, exact: bool) -> char {
    if exact { letter } else { letter.to_lowercase().next().unwrap_or(letter) }
}
