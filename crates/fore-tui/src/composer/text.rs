//! The text being written: a text area whose long pastes are chips. It knows no history and no commands.

use super::chips::{Chips, MARK};
use super::clean::clean;
use std::ops::Range;
use tui_textarea::{AtomicRange, CursorMove, CursorRenderMode, TextArea, WrapMode};
use unicode_segmentation::UnicodeSegmentation as _;

/// Most bytes that stand in the text itself. Each key wraps them anew, so this bounds what a key costs.
const MAX_SHOWN_BYTES: usize = 20_000;

/// Most bytes of a prompt, with its chips whole.
const MAX_EXPANDED_BYTES: usize = 1024 * 1024;

/// A paste with more lines or letters than this becomes a chip.
const MAX_INLINE_LINES: usize = 10;
const MAX_INLINE_CHARS: usize = 1_000;

/// Steps that can be undone.
const MAX_UNDO_STEPS: usize = 200;

/// How far around the cursor letters of several code points are found.
const CLUSTER_REACH: usize = 120;

/// Most names of files that are coloured.
const MAX_MENTIONS: usize = 64;

#[derive(Debug)]
pub(super) struct ComposerText {
    pub(super) area: TextArea<'static>,
    chips: Chips,
    spots: Vec<Spot>,
}

/// Something in the text that is drawn differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) row: usize,
    pub(super) bytes: Range<usize>,
    pub(super) kind: SpotKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpotKind {
    Chip,
    Mention,
}

/// Why a text is not taken, in words for the person.
pub(super) type InputRefusal = String;

impl ComposerText {
    pub(super) fn new() -> ComposerText {
        let mut area = TextArea::default();
        area.set_cursor_line_style(ratatui::style::Style::new());
        area.set_cursor_render_mode(CursorRenderMode::Hidden);
        area.set_wrap_mode(WrapMode::WordOrGlyph);
        area.set_max_histories(MAX_UNDO_STEPS);
        area.set_undo_coalescing(true);
        ComposerText { area, chips: Chips::default(), spots: Vec::new() }
    }

    /// What stands in the text, chips as they are shown; for [`Draft::restore`].
    pub(super) fn shown(&self) -> String {
        self.area.lines().join("\n")
    }

    /// What will be sent.
    pub(super) fn expanded(&self) -> String {
        self.chips.expand(&self.shown())
    }

    pub(super) fn expand(&self, shown: &str) -> String {
        self.chips.expand(shown)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    pub(super) fn spots(&self) -> &[Spot] {
        &self.spots
    }

    pub(super) fn first_line(&self) -> &str {
        self.area.lines().first().map_or("", String::as_str)
    }

    /// The line of the cursor, up to the cursor.
    pub(super) fn before_cursor(&self) -> &str {
        let (row, column) = self.area.cursor();
        let line = self.area.lines().get(row).map_or("", String::as_str);
        fore_text::cut::chars(line, column)
    }

    /// Puts text in at the cursor; it has been cleaned.
    pub(super) fn insert(&mut self, text: &str) -> Result<(), InputRefusal> {
        self.room_for(text)?;
        self.area.insert_str(text);
        self.settle();
        Ok(())
    }

    /// One typed letter; a run of them is undone at once.
    pub(super) fn type_letter(&mut self, letter: char) -> Result<(), InputRefusal> {
        let mut bytes = [0; 4];
        self.room_for(letter.encode_utf8(&mut bytes))?;
        self.area.insert_char(letter);
        self.settle();
        Ok(())
    }

    /// Puts back what was cut.
    pub(super) fn yank(&mut self) -> Result<(), InputRefusal> {
        self.room_for(&self.area.yank_text())?;
        self.area.paste();
        self.settle();
        Ok(())
    }

    pub(super) fn paste(&mut self, text: &str) -> Result<(), InputRefusal> {
        if text.len() > MAX_EXPANDED_BYTES {
            return Err(too_long());
        }
        let text = clean(text);
        let long = text.lines().count() > MAX_INLINE_LINES || text.chars().nth(MAX_INLINE_CHARS).is_some();
        if !long && self.bytes() + text.len() <= MAX_SHOWN_BYTES {
            return self.insert(&text);
        }
        if self.expanded().len() + text.len() > MAX_EXPANDED_BYTES {
            return Err(too_long());
        }
        let chip = self.chips.keep(text, "pasted")?;
        self.insert(&chip)
    }

    /// As [`Draft::set`], and nothing of what was there can come back.
    pub(super) fn replace(&mut self, text: &str) -> Result<(), InputRefusal> {
        if text.len() > MAX_EXPANDED_BYTES {
            return Err(too_long());
        }
        self.reset();
        self.set(text)
    }

    /// Shows another text, the cursor at its end. What is too long to be shown becomes a chip.
    pub(super) fn set(&mut self, text: &str) -> Result<(), InputRefusal> {
        if text.len() > MAX_EXPANDED_BYTES {
            return Err(too_long());
        }
        let text = clean(text);
        let shown = if text.len() <= MAX_SHOWN_BYTES { text } else { self.chips.keep(text, "text of")? };
        self.restore(&shown);
        Ok(())
    }

    /// Brings back what [`Draft::shown`] gave.
    pub(super) fn restore(&mut self, shown: &str) {
        let lines: Vec<String> = shown.split('\n').map(String::from).collect();
        let end = (lines.len(), usize::MAX);
        self.area.set_lines(lines, end);
        self.settle();
    }

    /// Empties everything, with what could be undone or put back.
    pub(super) fn reset(&mut self) {
        self.area.set_lines(vec![String::new()], (0, 0));
        if self.area.yank_text().contains(MARK) {
            self.area.set_yank_text("");
        }
        self.chips.clear();
        self.settle();
    }

    /// Puts other words in the place of the last letters before the cursor.
    pub(super) fn replace_before(&mut self, letters: usize, text: &str) -> Result<(), InputRefusal> {
        self.room_for(text)?;
        let (row, column) = self.area.cursor();
        let place = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        let cut = self.area.yank_text();
        self.area.cancel_selection();
        self.area.move_cursor(CursorMove::Jump(place(row), place(column.saturating_sub(letters))));
        self.area.delete_str(letters.min(column));
        self.area.set_yank_text(cut);
        self.area.insert_str(text);
        self.settle();
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.area.lines().iter().map(|line| line.len() + 1).sum()
    }

    fn room_for(&self, text: &str) -> Result<(), InputRefusal> {
        // A full text still has room for chips, so that pasting goes on where typing ends.
        let most = if text.contains(MARK) { MAX_SHOWN_BYTES + MAX_SHOWN_BYTES / 10 } else { MAX_SHOWN_BYTES };
        if self.bytes() + text.len() > most {
            return Err(format!(
                "Not taken: more than {MAX_SHOWN_BYTES} letters are hard to write here. Use your editor, or paste the text."
            ));
        }
        // Only chips are longer than they look.
        if text.contains(MARK)
            && self.expanded().len() + self.chips.expand(text).len() > MAX_EXPANDED_BYTES + MAX_SHOWN_BYTES
        {
            return Err(too_long());
        }
        Ok(())
    }

    /// After every change and move: what is one piece for the cursor, and what is coloured.
    pub(super) fn settle(&mut self) {
        let mut spots = Vec::new();
        let mut pieces = Vec::new();
        for (row, line) in self.area.lines().iter().enumerate() {
            for bytes in self.chips.ranges(line) {
                pieces.push(piece(row, line, &bytes));
                spots.push(Spot { row, bytes, kind: SpotKind::Chip });
            }
            spots.extend(mentions(line).take(MAX_MENTIONS.saturating_sub(spots.len())).map(|bytes| Spot {
                row,
                bytes,
                kind: SpotKind::Mention,
            }));
        }
        let (row, column) = self.area.cursor();
        if let Some(line) = self.area.lines().get(row).filter(|line| !line.is_ascii()) {
            pieces.extend(clusters(row, line, column));
        }
        self.spots = spots;
        // Pieces that overlap would be refused as a whole; then there are none, and only the cursor is less clever.
        if self.area.try_set_atomic_ranges(pieces).is_err() {
            self.area.clear_atomic_ranges();
        }
    }
}

fn too_long() -> InputRefusal {
    format!("Not taken: a prompt has at most {} kB. Name the file with @ instead.", MAX_EXPANDED_BYTES / 1024)
}

fn piece(row: usize, line: &str, bytes: &Range<usize>) -> AtomicRange {
    let letters = |range: Range<usize>| line.get(range).map_or(0, |text| text.chars().count());
    let start_col = letters(0..bytes.start);
    AtomicRange { row, start_col, end_col: start_col + letters(bytes.clone()) }
}

/// Letters near the cursor that are made of several code points: the cursor never stands inside one.
fn clusters(row: usize, line: &str, column: usize) -> Vec<AtomicRange> {
    let mut start_col = 0;
    let mut found = Vec::new();
    for letter in line.graphemes(true) {
        let end_col = start_col + letter.chars().count();
        if end_col - start_col > 1 && end_col + CLUSTER_REACH >= column {
            found.push(AtomicRange { row, start_col, end_col });
        }
        if start_col > column + CLUSTER_REACH {
            break;
        }
        start_col = end_col;
    }
    found
}

/// Names of files in a line, as byte ranges.
fn mentions(line: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    line.match_indices('@').filter_map(|(start, _)| {
        let begins =
            line.get(..start)?.chars().next_back().is_none_or(|before| before.is_whitespace() || before == '(');
        let rest = line.get(start + 1..)?;
        let length = match rest.strip_prefix('"') {
            Some(quoted) => quoted.find('"').map_or(rest.len(), |end| end + 2),
            None => rest.find(|letter: char| letter.is_whitespace() || letter == MARK).unwrap_or(rest.len()),
        };
        (begins && length > 0).then_some(start..start + 1 + length)
    })
}
