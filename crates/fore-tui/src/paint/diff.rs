//! Unified differences as people read them: line numbers, signs, changed words marked. Readable without colours.

use super::{columns, cut, sanitize, wrap::wrap};
use crate::theme::{Sign, TextRole, Theme};
use ratatui::text::{Line, Span};
use similar::{ChangeTag, TextDiff};

/// Lines of a difference that are drawn.
const MAX_LINES: usize = 5_000;
/// Longer lines get no word marks, and are cut.
const MAX_LINE_BYTES: usize = 2_000;
/// Replaced passages with more lines get no word marks: nobody compares them word by word.
const MAX_COMPARED_LINES: usize = 40;
/// Lines with less in common are simply two lines.
const MIN_SIMILARITY: f32 = 0.4;
/// Digits of a line number that are shown; a hunk header may claim anything.
const MAX_DIGITS: usize = 6;

/// A unified difference in lines of at most `width` columns. `path` is what the caller says already: the header that
/// names the files is left out then.
pub(crate) fn diff(unified: &str, path: Option<&str>, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let rows: Vec<DiffRow> = rows(unified, path);
    let most = rows.iter().filter_map(|row| row.number).max();
    let digits = most.map_or(0, |most| most.to_string().len().min(MAX_DIGITS));
    let diff_style = DiffStyle { width, digits, theme };
    let mut drawn = Vec::new();
    let mut index = 0;
    while let Some(row) = rows.get(index) {
        if row.kind == DiffRowKind::Removed {
            index += passage(rows.get(index..).unwrap_or_default(), diff_style, &mut drawn);
        } else {
            drawn.extend(diff_style.row(row, &[]));
            index += 1;
        }
    }
    let left = unified.lines().count().saturating_sub(MAX_LINES);
    if left > 0 {
        drawn.push(super::left_out(left, width, theme));
    }
    drawn
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DiffRowKind {
    Same,
    Removed,
    Added,
    /// Lines between two hunks are left out.
    Break,
    /// Which file follows, or a remark.
    Remark,
}

#[derive(Clone, Debug)]
struct DiffRow {
    kind: DiffRowKind,
    /// None where nobody knows it.
    number: Option<u64>,
    text: String,
}

fn rows(unified: &str, path: Option<&str>) -> Vec<DiffRow> {
    let mut rows = Vec::new();
    let (mut old, mut new) = (Some(1_u64), Some(1_u64));
    let after = |number: Option<u64>| number.map(|number| number.saturating_add(1));
    // How much of the hunk is still to come: inside it a line of dashes is a removed line.
    let mut left = (0_u64, 0_u64);
    for line in unified.lines().take(MAX_LINES) {
        let mut add = |kind, number, text: &str| rows.push(DiffRow { kind, number, text: text.to_owned() });
        if let Some(hunk) = line.strip_prefix("@@ ").and_then(hunk) {
            // A side that begins at line 0 is empty, or was somewhere that nobody wrote down.
            let number = |start: u64| (start > 0).then_some(start);
            (old, new) = (number(hunk.0), number(hunk.2));
            left = (hunk.1, hunk.3);
            add(DiffRowKind::Break, None, "");
            continue;
        }
        let is_inside = left != (0, 0);
        let (sign, text) = line.split_at_checked(1).unwrap_or((line, ""));
        match sign {
            "-" if is_inside || !line.starts_with("---") => {
                add(DiffRowKind::Removed, old, text);
                old = after(old);
                left.0 = left.0.saturating_sub(1);
            }
            "+" if is_inside || !line.starts_with("+++") => {
                add(DiffRowKind::Added, new, text);
                new = after(new);
                left.1 = left.1.saturating_sub(1);
            }
            " " | "" => {
                add(DiffRowKind::Same, new, text);
                (old, new) = (after(old), after(new));
                left = (left.0.saturating_sub(1), left.1.saturating_sub(1));
            }
            "-" | "+" if path.is_some() => {}
            _ => add(DiffRowKind::Remark, None, line),
        }
    }
    // Between two passages something is left out; before the first that goes without saying.
    if rows.first().is_some_and(|row: &DiffRow| row.kind == DiffRowKind::Break) {
        rows.remove(0);
    }
    rows
}

/// `-1,3 +1,4 @@…`: where each side begins, and how many lines it has.
fn hunk(header: &str) -> Option<(u64, u64, u64, u64)> {
    let mut words = header.split(' ');
    let side = |word: Option<&str>, sign: char| -> Option<(u64, u64)> {
        let word = word?.strip_prefix(sign)?;
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let (old, old_lines) = side(words.next(), '-')?;
    let (new, new_lines) = side(words.next(), '+')?;
    Some((old, old_lines, new, new_lines))
}

/// Draws removed lines and the added ones that follow, paired; gives how many rows that were.
fn passage(rows: &[DiffRow], diff_style: DiffStyle<'_>, drawn: &mut Vec<Line<'static>>) -> usize {
    let removed = rows.iter().take_while(|row| row.kind == DiffRowKind::Removed).count();
    let added = rows.iter().skip(removed).take_while(|row| row.kind == DiffRowKind::Added).count();
    let (before, after) = rows.split_at(removed);
    let pairs = if removed.max(added) > MAX_COMPARED_LINES { 0 } else { removed.min(added) };
    let marks: Vec<_> = before.iter().zip(after).take(pairs).map(|(old, new)| changed(&old.text, &new.text)).collect();
    for (index, row) in before.iter().enumerate() {
        drawn.extend(diff_style.row(row, marks.get(index).map_or(&[], |marks| &marks.0)));
    }
    for (index, row) in after.iter().take(added).enumerate() {
        drawn.extend(diff_style.row(row, marks.get(index).map_or(&[], |marks| &marks.1)));
    }
    removed + added
}

/// A line cut into pieces: text, and whether it differs from the other side.
type MarkedWords = Vec<(String, bool)>;

/// The words of two lines; empty where marks would not help.
fn changed(old: &str, new: &str) -> (MarkedWords, MarkedWords) {
    if old.len() > MAX_LINE_BYTES || new.len() > MAX_LINE_BYTES {
        return (Vec::new(), Vec::new());
    }
    let (old, new) = (sanitize(old), sanitize(new));
    let (old_words, new_words) = (words(&old), words(&new));
    let diff = TextDiff::from_slices(&old_words, &new_words);
    if diff.ratio() < MIN_SIMILARITY {
        return (Vec::new(), Vec::new());
    }
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for change in diff.iter_all_changes() {
        let word = change.value();
        match change.tag() {
            ChangeTag::Equal => {
                join(&mut before, word, false);
                join(&mut after, word, false);
            }
            ChangeTag::Delete => join(&mut before, word, true),
            ChangeTag::Insert => join(&mut after, word, true),
        }
    }
    (before, after)
}

/// Runs of letters and digits, runs of spaces, every other sign alone.
fn words(text: &str) -> Vec<&str> {
    let class = |letter: char| match letter {
        ' ' => 1,
        letter if letter.is_alphanumeric() || letter == '_' => 2,
        _ => 0,
    };
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match class(first) {
            0 => first.len_utf8(),
            kind => rest.find(|letter| class(letter) != kind).unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after;
    }
    words
}

fn join(pieces: &mut MarkedWords, word: &str, is_changed: bool) {
    match pieces.last_mut() {
        Some((text, was)) if *was == is_changed => text.push_str(word),
        _ => pieces.push((word.to_owned(), is_changed)),
    }
}

#[derive(Clone, Copy)]
struct DiffStyle<'theme> {
    width: u16,
    digits: usize,
    theme: &'theme Theme,
}

impl DiffStyle<'_> {
    fn row(self, row: &DiffRow, pieces: &[(String, bool)]) -> Vec<Line<'static>> {
        let theme = self.theme;
        let (sign, role, word) = match row.kind {
            DiffRowKind::Same => (' ', TextRole::Plain, TextRole::Plain),
            DiffRowKind::Removed => ('-', TextRole::Removed, TextRole::RemovedWord),
            DiffRowKind::Added => ('+', TextRole::Added, TextRole::AddedWord),
            DiffRowKind::Break => {
                let sign = format!("{:>1$}", theme.sign(Sign::Ellipsis), self.digits);
                return vec![Line::from(Span::styled(cut(&sign, self.width, theme), theme.style(TextRole::Faint)))];
            }
            DiffRowKind::Remark => {
                return vec![Line::from(Span::styled(cut(&row.text, self.width, theme), theme.style(TextRole::Faint)))];
            }
        };
        let style = theme.style(role);
        let mut line = Line::default();
        if pieces.is_empty() {
            line.spans.push(Span::styled(self.text(row), style));
        }
        let styled = |is_changed: bool| if is_changed { theme.style(word) } else { style };
        line.spans.extend(pieces.iter().map(|(text, is_changed)| Span::styled(text.clone(), styled(*is_changed))));
        let mut gutter = vec![Span::styled(format!("{sign} "), style)];
        if self.digits > 0 {
            let number = row.number.map(|number| number.to_string()).unwrap_or_default();
            gutter.insert(0, Span::styled(format!("{number:>0$} ", self.digits), theme.style(TextRole::Faint)));
        }
        self.beside(gutter, &line)
    }

    /// The text beside its number and sign; the lines that follow stand beneath the text.
    fn beside(self, gutter: Vec<Span<'static>>, text: &Line<'static>) -> Vec<Line<'static>> {
        let wide: usize = gutter.iter().map(|span| columns(&span.content)).sum();
        let room = usize::from(self.width).saturating_sub(wide);
        if room == 0 {
            return wrap(text, self.width, 0);
        }
        let mut before = gutter;
        let lines = wrap(text, u16::try_from(room).unwrap_or(u16::MAX), 0).into_iter().map(|mut line| {
            line.spans.splice(0..0, std::mem::replace(&mut before, vec![Span::raw(" ".repeat(wide))]));
            line
        });
        lines.collect()
    }

    fn text(self, row: &DiffRow) -> String {
        let text = sanitize(&row.text);
        if columns(&text) <= MAX_LINE_BYTES {
            return text.into_owned();
        }
        cut(&text, u16::try_from(MAX_LINE_BYTES).unwrap_or(u16::MAX), self.theme)
    }
}
