//! A part of a text by lines, numbered or plain, within bounds that the model is told when they cut something off.

use std::fmt::Write as _;

/// Lines of one read when the call names no number.
const DEFAULT_LINES: usize = 2_000;
/// Lines of one read at most, whatever the call says.
const MAX_LINES: usize = 20_000;
/// Bytes of one read; what comes after is for the next one.
const MAX_BYTES: usize = 100_000;
/// Letters of one line.
const MAX_CHARS: usize = 2_000;

/// Which lines are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineWindow {
    /// From 1.
    first: usize,
    limit: usize,
}

/// What was cut out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TextExcerpt {
    pub(super) text: String,
    pub(super) lines: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LineNumbers {
    Shown,
    LeftOut,
}

impl LineWindow {
    pub(super) fn of(offset: Option<usize>, limit: Option<usize>) -> LineWindow {
        LineWindow { first: offset.unwrap_or(1).max(1), limit: limit.unwrap_or(DEFAULT_LINES).clamp(1, MAX_LINES) }
    }

    /// With line numbers, and a note of the caller's at the end.
    pub(super) fn numbered(self, text: &str, note: Option<&str>) -> Result<TextExcerpt, String> {
        self.cut(text, LineNumbers::Shown, note)
    }

    /// As it is.
    pub(super) fn plain(self, text: &str) -> Result<TextExcerpt, String> {
        self.cut(text, LineNumbers::LeftOut, None)
    }

    fn cut(self, text: &str, numbers: LineNumbers, note: Option<&str>) -> Result<TextExcerpt, String> {
        let all = text.lines().count();
        if self.first > all {
            return Err(format!("There is no line {}: the file has {}.", self.first, fore_text::count(all, "line")));
        }
        let mut cut = TextExcerpt { text: String::new(), lines: 0 };
        let before = self.first.saturating_sub(1);
        for (index, line) in text.lines().enumerate().skip(before).take(self.limit) {
            if cut.text.len() >= MAX_BYTES {
                break;
            }
            if numbers == LineNumbers::Shown {
                // Writing into a String can't fail.
                let _ = write!(cut.text, "{:>6}\t", index.saturating_add(1));
            }
            push_line(&mut cut.text, line);
            cut.lines = cut.lines.saturating_add(1);
        }
        let last = before.saturating_add(cut.lines);
        let rest = (last < all)
            .then(|| format!("Lines {} to {last} of {all}. Go on with offset {}.", self.first, last.saturating_add(1)));
        for note in note.into_iter().chain(rest.as_deref()) {
            let _ = write!(cut.text, "\n[{note}]");
        }
        if note.is_none() && rest.is_none() {
            cut.text.truncate(cut.text.trim_end_matches('\n').len());
        }
        Ok(cut)
    }
}

fn push_line(text: &mut String, line: &str) {
    let (shown, left) = line.split_at(fore_text::cut::chars(line, MAX_CHARS).len());
    text.push_str(shown);
    if !left.is_empty() {
        // Writing into a String can't fail.
        let _ = write!(text, "… [{} more characters in this line]", left.chars().count());
    }
    text.push('\n');
}
