//! Brace expansion, the first thing bash does to a word: `{a,b}` and `{1..3}`.

use super::{doubt::Doubt, limits::MAX_BRACES, piece::WordPiece};
use std::borrow::Cow;

/// Most opening braces in one word: each of them is a search for its partner.
const MAX_OPEN: usize = 64;

/// A living character of a word, or something braces cannot look into.
#[derive(Clone, Debug)]
enum Atom<'t> {
    Living(char),
    Sealed(WordPiece<'t>),
}

impl Atom<'_> {
    fn is(&self, wanted: char) -> bool {
        match self {
            Atom::Living(character) => *character == wanted,
            Atom::Sealed(_) => false,
        }
    }
}

/// Whether a word has braces at all.
pub(crate) fn present(pieces: &[WordPiece<'_>]) -> bool {
    pieces.iter().any(|piece| match piece {
        WordPiece::Text { text, quoted } => !quoted && text.contains('{'),
        WordPiece::Parameter { .. }
        | WordPiece::Command { .. }
        | WordPiece::Process { .. }
        | WordPiece::Arithmetic { .. } => false,
    })
}

/// The words that one word becomes.
pub(crate) fn expand(pieces: Vec<WordPiece<'_>>) -> Result<Vec<Vec<WordPiece<'_>>>, Doubt> {
    let mut atoms = Vec::new();
    for piece in pieces {
        match piece {
            WordPiece::Text { text, quoted: false } => atoms.extend(text.chars().map(Atom::Living)),
            piece @ (WordPiece::Text { .. }
            | WordPiece::Parameter { .. }
            | WordPiece::Command { .. }
            | WordPiece::Process { .. }
            | WordPiece::Arithmetic { .. }) => {
                atoms.push(Atom::Sealed(piece));
            }
        }
    }
    if atoms.windows(2).any(fuses) || atoms.last().is_some_and(|last| last.is('$')) {
        return Err(Doubt::new("word.braces", "braces next to a `$` build a new variable name"));
    }
    if atoms.iter().filter(|atom| atom.is('{')).count() > MAX_OPEN {
        return Err(too_many());
    }
    let mut results = Vec::new();
    words(&atoms, 0, &mut results)?;
    Ok(results.into_iter().map(together).collect())
}

/// Braces are expanded as text, before `$` is looked at: `$a{b,c}` becomes `$ab $ac`.
fn fuses(pair: &[Atom<'_>]) -> bool {
    let [first, second] = pair else { return false };
    let open_ended = match first {
        Atom::Living(character) => *character == '$',
        Atom::Sealed(WordPiece::Parameter { quoted, braced, .. }) => !quoted && !braced,
        Atom::Sealed(
            WordPiece::Text { .. }
            | WordPiece::Command { .. }
            | WordPiece::Process { .. }
            | WordPiece::Arithmetic { .. },
        ) => false,
    };
    let separate = match second {
        Atom::Living(character) => !character.is_alphanumeric() && !matches!(character, '_' | '{' | '}' | ',' | '['),
        Atom::Sealed(_) => false,
    };
    open_ended && (first.is('$') || !separate)
}

fn too_many() -> Doubt {
    Doubt::limit(format!("braces that make more than {MAX_BRACES} words"))
}

/// All words that `atoms` stands for.
fn words<'t>(atoms: &[Atom<'t>], depth: usize, results: &mut Vec<Vec<Atom<'t>>>) -> Result<(), Doubt> {
    if depth > 8 {
        return Err(Doubt::limit("braces nested too deeply"));
    }
    let mut from = 0;
    while let Some(open) = atoms.iter().skip(from).position(|atom| atom.is('{')).map(|found| found + from) {
        from = open + 1;
        let Some(close) = closing(atoms, open) else {
            continue;
        };
        let inside = atoms.get(open + 1..close).unwrap_or_default();
        let Some(choices) = choices(inside, depth)? else {
            continue;
        };
        let before = atoms.get(..open).unwrap_or_default();
        let mut tails = Vec::new();
        words(atoms.get(close + 1..).unwrap_or_default(), depth + 1, &mut tails)?;
        if choices.len().saturating_mul(tails.len()).saturating_add(results.len()) > MAX_BRACES {
            return Err(too_many());
        }
        for choice in &choices {
            for tail in &tails {
                results.push(before.iter().chain(choice).chain(tail).cloned().collect());
            }
        }
        return Ok(());
    }
    results.push(atoms.to_vec());
    Ok(())
}

/// The brace that closes the one at `open`. As bash has it, a `}` closes only behind a comma or `..` of the same level; one
/// that comes earlier is plain.
fn closing(atoms: &[Atom<'_>], open: usize) -> Option<usize> {
    let is = |at: usize, wanted: char| atoms.get(at).is_some_and(|atom| atom.is(wanted));
    if open == 0 && is(1, '}') {
        return None;
    }
    let mut level = 0usize;
    let mut separated = false;
    for at in open + 1..atoms.len() {
        if is(at, '{') {
            level += 1;
        } else if is(at, '}') && level > 0 {
            level -= 1;
        } else if is(at, '}') && separated {
            return Some(at);
        } else if level == 0 {
            separated |= is(at, ',') || (is(at, '.') && is(at + 1, '.') && !is(at + 2, '}'));
        }
    }
    None
}

/// What stands between the braces, expanded; `None` when they are plain characters.
fn choices<'t>(inside: &[Atom<'t>], depth: usize) -> Result<Option<Vec<Vec<Atom<'t>>>>, Doubt> {
    let mut depth_inside = 0usize;
    let mut commas = Vec::new();
    for (at, atom) in inside.iter().enumerate() {
        if atom.is('{') {
            depth_inside += 1;
        } else if atom.is('}') {
            depth_inside = depth_inside.saturating_sub(1);
        } else if atom.is(',') && depth_inside == 0 {
            commas.push(at);
        }
    }
    if commas.is_empty() {
        return sequence(inside);
    }
    let mut results = Vec::new();
    let mut from = 0;
    for to in commas.into_iter().chain([inside.len()]) {
        words(inside.get(from..to).unwrap_or_default(), depth + 1, &mut results)?;
        if results.len() > MAX_BRACES {
            return Err(too_many());
        }
        from = to + 1;
    }
    Ok(Some(results))
}

/// `1..5`, `a..e`, with an optional step.
fn sequence<'t>(inside: &[Atom<'t>]) -> Result<Option<Vec<Vec<Atom<'t>>>>, Doubt> {
    if !inside.windows(2).any(|pair| pair.iter().all(|atom| atom.is('.'))) {
        return Ok(None);
    }
    let doubt = || Doubt::new("word.braces", "an unusual brace sequence");
    let mut text = String::new();
    for atom in inside {
        match atom {
            Atom::Living(character) => text.push(*character),
            Atom::Sealed(_) => return Err(doubt()),
        }
    }
    let parts: Vec<&str> = text.split("..").collect();
    let (first, last, step) = match parts.as_slice() {
        [first, last] => (*first, *last, 1),
        [first, last, step] => (*first, *last, step.parse::<i64>().map_err(|_| doubt())?),
        _ => return Err(doubt()),
    };
    let values = match (first.parse::<i64>(), last.parse::<i64>()) {
        (Ok(first_number), Ok(last_number)) => {
            let plain = |text: &str| text == "0" || !text.trim_start_matches('-').starts_with(['0', '+']);
            let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            // `{08..10}`: all numbers get as many digits as the longer end has.
            let width = match plain(first) && plain(last) {
                true => 0,
                false if digits(first) && digits(last) => first.len().max(last.len()),
                false => return Err(doubt()),
            };
            if first.starts_with('+') || last.starts_with('+') {
                return Err(doubt());
            }
            numbers(first_number, last_number, step)
                .ok_or_else(too_many)?
                .iter()
                .map(|number| format!("{number:0width$}"))
                .collect::<Vec<_>>()
        }
        (Ok(_) | Err(_), Ok(_) | Err(_)) => {
            let letter = |text: &str| match text.as_bytes() {
                [letter] if letter.is_ascii_lowercase() => Some(i64::from(*letter)),
                _ => None,
            };
            let (first, last) = letter(first).zip(letter(last)).ok_or_else(doubt)?;
            let codes = numbers(first, last, step).ok_or_else(too_many)?;
            codes.iter().filter_map(|code| u8::try_from(*code).ok()).map(|code| char::from(code).to_string()).collect()
        }
    };
    Ok(Some(values.iter().map(|value| value.chars().map(Atom::Living).collect()).collect()))
}

fn numbers(first: i64, last: i64, step: i64) -> Option<Vec<i64>> {
    let step = i64::try_from(step.unsigned_abs().max(1)).ok()?;
    let distance = last.checked_sub(first)?.checked_abs()?;
    let count = usize::try_from(distance / step).ok()?.checked_add(1)?;
    if count > MAX_BRACES {
        return None;
    }
    let step = if last < first { -step } else { step };
    (0..i64::try_from(count).ok()?).map(|index| first.checked_add(step.checked_mul(index)?)).collect()
}

/// Atoms back to pieces.
fn together(atoms: Vec<Atom<'_>>) -> Vec<WordPiece<'_>> {
    let mut pieces: Vec<WordPiece<'_>> = Vec::new();
    let mut run = String::new();
    for atom in atoms {
        match atom {
            Atom::Living(character) => run.push(character),
            Atom::Sealed(piece) => {
                if !run.is_empty() {
                    pieces.push(WordPiece::Text { text: Cow::Owned(std::mem::take(&mut run)), quoted: false });
                }
                pieces.push(piece);
            }
        }
    }
    if !run.is_empty() {
        pieces.push(WordPiece::Text { text: Cow::Owned(run), quoted: false });
    }
    pieces
}
