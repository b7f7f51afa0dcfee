//! What one line of Markdown can begin, continue or close. Knows nothing of the lines around it.

use super::{inline::Markup, leaf::ColumnAlign};

/// The longest number of a list item.
const MAX_DIGITS: usize = 9;

/// The beginning of a list item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ItemStart {
    /// Columns before the text.
    pub(super) indent: usize,
    pub(super) number: Option<u64>,
    pub(super) sign: char,
    pub(super) text: String,
    /// It can stand right after a paragraph.
    pub(super) interrupts: bool,
}

pub(super) fn indent(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b' ').count()
}

/// The line without `columns` spaces, if it has them.
pub(super) fn dedented(text: &str, columns: usize) -> Option<&str> {
    if indent(text) >= columns { text.get(columns..) } else { None }
}

/// Indentation of four makes code, so blocks begin with less.
fn body(text: &str) -> Option<&str> {
    if indent(text) < 4 { Some(text.trim_start_matches(' ')) } else { None }
}

/// What stands behind the sign of a quote.
pub(super) fn quoted(text: &str) -> Option<&str> {
    let inside = body(text)?.strip_prefix('>')?;
    Some(inside.strip_prefix(' ').unwrap_or(inside))
}

pub(super) fn marker(text: &str) -> Option<ItemStart> {
    let start = body(text)?;
    if is_rule(text) {
        return None;
    }
    let digits = start.bytes().take_while(u8::is_ascii_digit).count();
    let number = match digits {
        0 => None,
        1..=MAX_DIGITS => Some(start.get(..digits)?.parse().ok()?),
        _ => return None,
    };
    let sign = start.get(digits..)?.chars().next()?;
    let is_marker = if number.is_some() { matches!(sign, '.' | ')') } else { matches!(sign, '-' | '+' | '*') };
    let after = start.get(digits + 1..).filter(|_| is_marker)?;
    if !after.is_empty() && !after.starts_with(' ') {
        return None;
    }
    let spaces = if after.trim().is_empty() { 1 } else { indent(after) };
    // More than four spaces are code inside the item.
    let spaces = if spaces > 4 { 1 } else { spaces };
    let inside = after.get(spaces..).unwrap_or_default();
    let interrupts = !inside.trim().is_empty() && number.is_none_or(|number| number == 1);
    Some(ItemStart { indent: indent(text) + digits + 1 + spaces, number, sign, text: inside.to_owned(), interrupts })
}

/// Whether a task is done, and its words.
pub(super) fn task(text: &str) -> Option<(bool, &str)> {
    let inside = text.strip_prefix('[')?;
    let (is_done, rest) = match inside.chars().next()? {
        ' ' => (false, inside.get(1..)?),
        'x' | 'X' => (true, inside.get(1..)?),
        _ => return None,
    };
    Some((is_done, rest.strip_prefix("] ")?))
}

pub(super) fn heading(text: &str) -> Option<(usize, &str)> {
    let start = body(text)?;
    let level = start.bytes().take_while(|byte| *byte == b'#').count();
    let rest = start.get(level..)?;
    if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with(' ')) {
        return None;
    }
    let title = rest.trim();
    let bare = title.trim_end_matches('#');
    Some((level, if bare.is_empty() || bare.ends_with(' ') { bare.trim_end() } else { title }))
}

/// The level of the heading that such a line makes of the paragraph above it.
pub(super) fn underline(text: &str) -> Option<usize> {
    let start = body(text)?.trim_end();
    match start.bytes().next()? {
        b'=' if start.bytes().all(|byte| byte == b'=') => Some(1),
        b'-' if start.bytes().all(|byte| byte == b'-') => Some(2),
        _ => None,
    }
}

pub(super) fn is_rule(text: &str) -> bool {
    let Some(start) = body(text) else { return false };
    let Some(sign) = start.chars().next().filter(|sign| matches!(sign, '-' | '*' | '_')) else { return false };
    let count = start.chars().filter(|letter| *letter == sign).count();
    count >= 3 && start.chars().all(|letter| letter == sign || letter == ' ')
}

/// The sign of a code fence, how often it stands there, and the language.
pub(super) fn fence(text: &str) -> Option<(char, usize, &str)> {
    let start = body(text)?;
    let sign = start.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let length = start.chars().take_while(|letter| *letter == sign).count();
    let language = start.get(length..)?.trim();
    (length >= 3 && !(sign == '`' && language.contains('`'))).then_some((sign, length, language))
}

pub(super) fn closes_fence(text: &str, sign: char, length: usize) -> bool {
    let Some(start) = body(text).map(str::trim_end) else { return false };
    start.chars().count() >= length && start.chars().all(|letter| letter == sign)
}

/// Whether the line can not be the next line of a paragraph or a table.
pub(super) fn begins_block(text: &str) -> bool {
    quoted(text).is_some()
        || marker(text).is_some()
        || heading(text).is_some()
        || fence(text).is_some()
        || is_rule(text)
}

/// The cells of a row; `\|` is no border.
pub(super) fn cells(text: &str, markup: Markup) -> Vec<String> {
    let row = text.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut cells = vec![String::new()];
    let mut letters = row.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&'|') => {
                letters.next();
                if markup == Markup::Kept {
                    push(&mut cells, '\\');
                }
                push(&mut cells, '|');
            }
            '|' => cells.push(String::new()),
            letter => push(&mut cells, letter),
        }
    }
    if cells.len() > 1 && cells.last().is_some_and(|cell| cell.trim().is_empty()) && row.ends_with('|') {
        cells.pop();
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

fn push(cells: &mut [String], letter: char) {
    if let Some(cell) = cells.last_mut() {
        cell.push(letter);
    }
}

/// The line beneath the header of a table: to which side each column leans.
pub(super) fn sides(text: &str) -> Option<Vec<ColumnAlign>> {
    if !text.contains('|') {
        return None;
    }
    let side = |cell: &String| {
        let inside = cell.trim_matches(':');
        if inside.is_empty() || !inside.bytes().all(|byte| byte == b'-') {
            return None;
        }
        Some(match (cell.starts_with(':'), cell.ends_with(':')) {
            (true, true) => ColumnAlign::Middle,
            (false, true) => ColumnAlign::Right,
            (true | false, false) => ColumnAlign::Left,
        })
    };
    cells(text, Markup::Used).iter().map(side).collect()
}
