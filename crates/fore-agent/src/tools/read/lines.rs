//! A part of a text by lines, numbered or plain, within bounds that the model is told when they cut something off.

use std::fmt::Write as _;

/// Lines of one read when the call names no number.
const USUAL_LINES: usize = 2_000;
/// Lines of one read at most, whatever the call says.
const MOST_LINES: usize = 20_000;
/// Bytes of one read; what comes after is for the next one.
const MOST_BYTES: usize = 100_000;
/// Letters of one line.
const MOST_LETTERS: usize = 2_000;

/// Which lines are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// From 1.
    first: usize,
    limit: usize,
}

/// What was cut out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) lines: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Shown,
    LeftOut,
}

impl Window {
    pub(super) fn of(offset: Option<usize>, limit: Option<usize>) -> Window {
        Window { first: offset.unwrap_or(1).max(1), limit: limit.unwrap_or(USUAL_LINES).clamp(1, MOST_LINES) }
    }

    /// With line numbers, and a note of the caller's at the end.
    pub(super) fn numbered(self, text: &str, note: Option<&str>) -> Result<Text, String> {
        self.cut(text, Numbers::Shown, note)
    }

    /// As it is.
    pub(super) fn plain(self, text: &str) -> Result<Text, String> {
        self.cut(text, Numbers::LeftOut, None)
    }

    fn cut(self, text: &str, numbers: Numbers, note: Option<&str>) -> Result<Text, String> {
        let all = text.lines().count();
        if self.first > all {
            let lines = if all == 1 { "1 line".to_owned() } else { format!("{all} lines") };
            return Err(format!("There is no line {}: the file has {lines}.", self.first));
        }
        let mut cut = Text { text: String::new(), lines: 0 };
        let before = self.first.saturating_sub(1);
        for (index, line) in text.lines().enumerate().skip(before).take(self.limit) {
            if cut.text.len() >= MOST_BYTES {
                break;
            }
            if numbers == Numbers::Shown {
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
    match line.char_indices().nth(MOST_LETTERS) {
        None => text.push_str(line),
        Some((end, _)) => {
            let (shown, left) = line.split_at(end);
            // Writing into a String can't fail.
            let _ = write!(text, "{shown}… [{} more characters in this line]", left.chars().count());
        }
    }
    text.push('\n');
}
