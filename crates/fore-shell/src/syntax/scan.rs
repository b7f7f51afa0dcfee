//! Finds where quotes, expansions and words end, exactly as bash reads them. What bash reads in more than one way is a doubt.

use super::doubt::Doubt;
use crate::context::MAX_NESTING;

type ScanEnd = Result<usize, Doubt>;

/// The byte at `at`, or NUL behind the end (the text itself holds no NUL).
pub(crate) fn byte(text: &str, at: usize) -> u8 {
    text.as_bytes().get(at).copied().unwrap_or(0)
}

pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Characters that end an unquoted word.
pub(crate) fn is_meta(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

pub(crate) fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

pub(crate) fn is_name(text: &str) -> bool {
    is_name_start(byte(text, 0)) && text.bytes().all(is_name_byte)
}

/// End of the name that starts at `at`.
pub(crate) fn name_end(text: &str, mut at: usize) -> usize {
    while is_name_byte(byte(text, at)) {
        at += 1;
    }
    at
}

fn open(text: &str, start: usize, what: &str) -> Doubt {
    Doubt::new("syntax.unclosed", format!("{what} is never closed")).at(start, text.len())
}

fn deeper(depth: usize) -> Result<usize, Doubt> {
    if depth >= MAX_NESTING {
        Err(Doubt::limit(format!("nested deeper than {MAX_NESTING} levels")))
    } else {
        Ok(depth + 1)
    }
}

/// End of the word that starts at `start`; the same position when there is no word.
pub(crate) fn word(text: &str, start: usize, depth: usize) -> ScanEnd {
    let mut at = start;
    loop {
        match byte(text, at) {
            0 => return Ok(at),
            b'\\' => match byte(text, at + 1) {
                0 => return Err(open(text, at, "the backslash at the end")),
                b'\n' if is_blank(byte(text, at + 2)) && at > start => return Ok(at),
                b'\n' => return Err(joined(at)),
                _ => at += 1 + char_len(text, at + 1),
            },
            b'\'' => at = single(text, at)?,
            b'"' => at = double(text, at, depth)?,
            b'`' => at = backquote(text, at)?,
            b'$' => at = dollar(text, at, Quoting::None, depth)?,
            b'<' | b'>' if byte(text, at + 1) == b'(' => {
                if at != start {
                    return Err(Doubt::new("syntax.process", "a process substitution inside a word").at(at, at + 2));
                }
                at = substitution(text, at + 2, deeper(depth)?)?;
            }
            b'(' if at > start && matches!(byte(text, at - 1), b'?' | b'*' | b'+' | b'@' | b'!') => {
                return Err(Doubt::new("syntax.extglob", "an extended glob").at(at - 1, at + 1));
            }
            meta if is_meta(meta) => return Ok(at),
            _ => at += char_len(text, at),
        }
    }
}

/// A line continuation where joining the lines could build a different token.
pub(crate) fn joined(at: usize) -> Doubt {
    Doubt::new("syntax.continuation", "a line continuation in the middle of a word or operator").at(at, at + 2)
}

pub(crate) fn char_len(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
}

/// End of `'…'`, whose opening quote is at `start`.
pub(crate) fn single(text: &str, start: usize) -> ScanEnd {
    match text.get(start + 1..).and_then(|rest| rest.find('\'')) {
        Some(length) => Ok(start + 1 + length + 1),
        None => Err(open(text, start, "the single quote")),
    }
}

/// End of `$'…'`, whose dollar is at `start`.
pub(crate) fn ansi(text: &str, start: usize) -> ScanEnd {
    let mut at = start + 2;
    loop {
        match byte(text, at) {
            0 => return Err(open(text, start, "the quote `$'`")),
            b'\'' => return Ok(at + 1),
            b'\\' => at += 1 + char_len(text, at + 1),
            _ => at += char_len(text, at),
        }
    }
}

/// End of `"…"`, whose opening quote is at `start`.
pub(crate) fn double(text: &str, start: usize, depth: usize) -> ScanEnd {
    let mut at = start + 1;
    let mut expands = false;
    let mut joins = None;
    loop {
        match byte(text, at) {
            0 => return Err(open(text, start, "the double quote")),
            b'"' => {
                return match joins {
                    Some(place) if expands => Err(joined(place)),
                    _ => Ok(at + 1),
                };
            }
            b'\\' => {
                if byte(text, at + 1) == b'\n' {
                    joins = Some(at);
                }
                at += 1 + char_len(text, at + 1);
            }
            b'`' => {
                expands = true;
                at = backquote(text, at)?;
            }
            b'$' => {
                expands = true;
                at = dollar(text, at, Quoting::Double, depth)?;
            }
            _ => at += char_len(text, at),
        }
    }
}

/// End of `` `…` ``, whose opening quote is at `start`. A backslash inside changes what the inner text is: a doubt.
pub(crate) fn backquote(text: &str, start: usize) -> ScanEnd {
    let inside = text.get(start + 1..).unwrap_or_default();
    match inside.find('`') {
        None => Err(open(text, start, "the backquote")),
        Some(length) if inside.get(..length).is_some_and(|inside| inside.contains('\\')) => {
            Err(Doubt::new("syntax.backquote", "a backslash inside backquotes").at(start, start + length + 2))
        }
        Some(length) => Ok(start + 1 + length + 1),
    }
}

/// Which quotes an expansion stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quoting {
    None,
    Double,
}

/// End of the expansion whose dollar is at `start`; behind the dollar when it is a plain character.
pub(crate) fn dollar(text: &str, start: usize, quoting: Quoting, depth: usize) -> ScanEnd {
    match byte(text, start + 1) {
        b'\\' if byte(text, start + 2) == b'\n' => Err(joined(start + 1)),
        b'\'' if quoting == Quoting::None => ansi(text, start),
        b'"' if quoting == Quoting::None => double(text, start + 1, depth),
        b'(' if byte(text, start + 2) == b'(' => arithmetic(text, start + 3, deeper(depth)?),
        b'(' => substitution(text, start + 2, deeper(depth)?),
        b'{' => parameter(text, start, quoting, deeper(depth)?),
        b'[' => Err(Doubt::new("syntax.arithmetic", "the old arithmetic form `$[…]`").at(start, start + 2)),
        first if is_name_start(first) => Ok(name_end(text, start + 1)),
        b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' => Ok(start + 2),
        _ => Ok(start + 1),
    }
}

/// End of `((…))` or `$((…))`; `start` is behind the opening parentheses.
pub(crate) fn arithmetic(text: &str, start: usize, depth: usize) -> ScanEnd {
    let mut at = start;
    let mut open_parentheses = 0usize;
    loop {
        match byte(text, at) {
            b')' if open_parentheses == 0 && byte(text, at + 1) == b')' => return Ok(at + 2),
            b')' if open_parentheses == 0 => {
                return Err(Doubt::new("syntax.arithmetic", "`((` that may be two subshells").at(start, at));
            }
            b')' => {
                open_parentheses -= 1;
                at += 1;
            }
            b'(' => {
                open_parentheses += 1;
                if open_parentheses > MAX_NESTING {
                    return Err(Doubt::limit("arithmetic nested too deeply"));
                }
                at += 1;
            }
            b'$' => at = dollar(text, at, Quoting::Double, depth)?,
            0 => return Err(open(text, start, "`((`")),
            b'\'' | b'"' | b'\\' | b'`' | b'{' | b'}' | b'#' | b'\n' => {
                return Err(Doubt::new("syntax.arithmetic", "arithmetic with quotes or other unusual characters")
                    .at(start, at + 1));
            }
            _ => at += char_len(text, at),
        }
    }
}

/// End of `${…}`, whose dollar is at `start`.
pub(crate) fn parameter(text: &str, start: usize, quoting: Quoting, depth: usize) -> ScanEnd {
    let mut at = start + 2;
    loop {
        match byte(text, at) {
            0 => return Err(open(text, start, "`${`")),
            b'}' => return Ok(at + 1),
            b'$' => at = dollar(text, at, Quoting::Double, depth)?,
            b'"' if quoting == Quoting::None => at = double(text, at, depth)?,
            b'\\' if is_plainly_escaped(byte(text, at + 1), quoting) => at += 1 + char_len(text, at + 1),
            b'<' | b'>' if byte(text, at + 1) == b'(' => {
                return Err(Doubt::new("syntax.process", "a process substitution inside `${…}`").at(start, at + 2));
            }
            b'\'' | b'"' | b'\\' | b'`' | b'{' | b'\n' => {
                return Err(Doubt::new("syntax.parameter", "quotes or braces inside `${…}`").at(start, at + 1));
            }
            _ => at += char_len(text, at),
        }
    }
}

/// Inside `${…}`: characters that a backslash takes away from the scan wherever the expansion stands.
fn is_plainly_escaped(escaped: u8, quoting: Quoting) -> bool {
    match quoting {
        Quoting::None => !matches!(escaped, b'\n' | b'}' | b'{' | 0),
        Quoting::Double => !matches!(escaped, b'\n' | b'}' | b'{' | b'"' | b'\'' | b'`' | b'$' | b'\\' | 0),
    }
}

/// End of a command or process substitution, closing parenthesis included; `start` is behind the opening one.
pub(crate) fn substitution(text: &str, start: usize, depth: usize) -> ScanEnd {
    let mut at = start;
    let mut open_parentheses = 0usize;
    let mut fresh = true;
    loop {
        match byte(text, at) {
            0 => return Err(open(text, start, "the substitution")),
            b')' if open_parentheses == 0 => return Ok(at + 1),
            b')' => {
                open_parentheses -= 1;
                at += 1;
            }
            b'(' if byte(text, at + 1) == b'(' => at = arithmetic(text, at + 2, deeper(depth)?)?,
            b'(' => {
                open_parentheses += 1;
                if open_parentheses > MAX_NESTING {
                    return Err(Doubt::limit("parentheses nested too deeply"));
                }
                at += 1;
            }
            b'#' if fresh => at += text.get(at..).and_then(|rest| rest.find('\n')).unwrap_or(text.len() - at),
            b'<' if byte(text, at + 1) == b'<' && byte(text, at + 2) != b'<' => {
                return Err(Doubt::new("syntax.heredoc", "a here-document inside a substitution").at(at, at + 2));
            }
            b'<' if byte(text, at + 1) == b'<' => at += 3,
            b'<' | b'>' if byte(text, at + 1) == b'(' => at = word(text, at, depth)?,
            b'\\' if byte(text, at + 1) == b'\n' => at = continuation(text, at, start)?,
            meta if is_meta(meta) => at += 1,
            _ => {
                let end = word(text, at, depth)?;
                fresh = false;
                at = end.max(at + 1);
                continue;
            }
        }
        fresh = true;
    }
}

/// End of a line continuation between tokens; a doubt where joining the lines could build a different token.
pub(crate) fn continuation(text: &str, at: usize, start: usize) -> ScanEnd {
    let after = byte(text, at + 2);
    let alone_before = at == start || matches!(byte(text, at - 1), b' ' | b'\t' | b'\n');
    if alone_before || matches!(after, b' ' | b'\t' | 0) { Ok(at + 2) } else { Err(joined(at)) }
}
