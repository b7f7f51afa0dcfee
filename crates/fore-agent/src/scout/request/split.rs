//! Splits a request into paths, names, quoted text and words; and names into their parts.

use super::{
    Term,
    intent::verb,
    stop::{is_everyday, is_stop_word},
};

const ENDINGS: &str =
    "adoc bash bat c cc cfg clj cmake conf cpp cs css csv dart ex exs fish go gradle graphql h hpp hs html ini
    ipynb java jl js json jsx kt kts lock lua md mdx mjs ml nix php pl proto ps1 py pyi r rb rs rst scala scss sh sql
    svelte swift tf toml ts tsx txt vue xml yaml yml zig";
/// A longer piece is no name.
const MAX_PIECE_BYTES: usize = 200;

/// Everything in a text that can be looked for, in its order; pairs behind the words they are made of.
pub(super) fn terms(text: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    let text = text.replace("thread 'main' panicked at", " ");
    for (is_quoted, piece) in quoted_pieces(&text) {
        if is_quoted {
            terms.extend(quoted(piece));
        } else {
            running(piece, &mut terms);
        }
    }
    terms
}

/// The lower-case parts of a name: `applyDiscount`, `apply_discount` and `apply-discount` have the same.
pub(in crate::scout) fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut part = String::new();
    let receiver: Vec<char> = name.chars().collect();
    for (at, letter) in receiver.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| receiver.get(at));
        let after = receiver.get(at + 1);
        // `applyDiscount` and the `R` of `HTTPRequest` begin a part.
        let is_hump = letter.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() || after.is_some_and(|after| after.is_lowercase() && before.is_uppercase())
            });
        if (is_hump || !letter.is_alphanumeric()) && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        if letter.is_alphanumeric() {
            part.extend(letter.to_lowercase());
        }
    }
    parts.extend(Some(part).filter(|part| !part.is_empty()));
    parts
}

/// The text in turns of running and quoted pieces.
fn quoted_pieces(text: &str) -> Vec<(bool, &str)> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some((at, open)) = rest.get(from..).and_then(|tail| tail.char_indices().find(|(_, c)| is_open(*c))) {
        let at = from + at;
        let inside = at + open.len_utf8();
        let before = rest.get(..at).and_then(|before| before.chars().next_back());
        let line = rest.get(inside..).and_then(|tail| tail.lines().next());
        let close = line.and_then(|line| line.find(closing(open)));
        let is_apostrophe = open == '\'' && before.is_some_and(char::is_alphanumeric);
        match close.filter(|length| !is_apostrophe && (1..=MAX_PIECE_BYTES).contains(length)) {
            Some(length) => {
                pieces.push((false, rest.get(..at).unwrap_or_default()));
                pieces.push((true, rest.get(inside..inside + length).unwrap_or_default()));
                rest = rest.get(inside + length + closing(open).len_utf8()..).unwrap_or_default();
                from = 0;
            }
            None => from = inside,
        }
    }
    pieces.push((false, rest));
    pieces
}

fn is_open(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '`' | '“' | '‘' | '«')
}

fn closing(open: char) -> char {
    match open {
        '“' => '”',
        '‘' => '’',
        '«' => '»',
        other => other,
    }
}

/// Quoted text is a path or a name where it looks like one.
fn quoted(text: &str) -> Vec<Term> {
    let text = text.trim();
    if !text.chars().any(char::is_alphanumeric) {
        return Vec::new();
    }
    let text = text.trim_end_matches("()");
    if let Some((path, about)) = path(text, SplitMode::Quoted) {
        return [path].into_iter().chain(about).collect();
    }
    let is_name = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '#' | '@' | '$'));
    if is_name {
        return names(text);
    }
    let mut terms: Vec<Term> = Vec::new();
    // Code is its names; a message is looked for as it stands, and its words count a little.
    if text.contains(' ') {
        terms.push(Term::quoted(text));
    }
    let mut inner = Vec::new();
    running(text, &mut inner);
    let share = if text.contains(' ') { QUOTED_WORDS } else { 1.0 };
    terms.extend(inner.into_iter().map(|term| term.times(share)));
    terms
}

/// `Cart::total` are two names. Their parts are words that count less.
fn names(text: &str) -> Vec<Term> {
    let pieces = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '$'));
    let pieces = pieces.map(|piece| piece.trim_matches(['-', '$'])).filter(|piece| piece.chars().count() > 1);
    let mut terms = Vec::new();
    for piece in pieces.filter(|piece| !piece.chars().all(|c| c.is_ascii_digit())) {
        let name = Term::name(piece);
        let parts = name.stems.clone();
        // One short lower-case word is as likely an ordinary word.
        let is_plain = parts.len() == 1 && piece.chars().all(|c| c.is_lowercase());
        let lower = piece.to_lowercase();
        if is_plain && is_stop_word(&lower) || is_literal(&lower) || parts.is_empty() {
            continue;
        }
        if is_of_the_language(piece) {
            terms.push(name.times(OF_THE_LANGUAGE));
            continue;
        }
        terms.push(if is_plain { name.times(PLAIN_NAME) } else { name });
        if parts.len() > 1 {
            let telling = parts.iter().filter(|part| part.chars().count() > 2 && !is_stop_word(part));
            terms.extend(telling.map(|part| Term::word(part).times(PART_OF_NAME)));
        }
    }
    terms
}

fn is_literal(word: &str) -> bool {
    matches!(word, "true" | "false" | "none" | "null" | "nil" | "undefined" | "self" | "this")
}

/// What stands inside of quoted text counts less than what is said.
const QUOTED_WORDS: f64 = 0.7;
const PART_OF_NAME: f64 = 0.5;
const PLAIN_NAME: f64 = 0.6;
/// An error that the language raises by itself stands in no source that is at fault.
const OF_THE_LANGUAGE: f64 = 0.3;
/// A number tells something where it is found, and nothing where it is not.
const NUMBER: f64 = 0.8;
/// Words of everyday life, and adverbs, which tell how and not where.
const EVERYDAY: f64 = 0.4;
/// A word that also tells the kind of work.
const VERB: f64 = 0.4;
/// A word that is written as a name within a sentence.
const CAPITAL: f64 = 1.4;

fn running(text: &str, terms: &mut Vec<Term>) {
    let mut before: Option<Term> = None;
    let mut is_first = true;
    terms.extend(text.lines().filter_map(frame).flat_map(names));
    let spoken = text.lines().filter(|line| !line.trim_start().starts_with("Traceback (most recent call last)"));
    for token in
        spoken.flat_map(str::split_whitespace).filter(|token| token.len() <= MAX_PIECE_BYTES && !token.contains("://"))
    {
        let opens = |c: char| matches!(c, '(' | '[' | '{' | '<' | '*' | ',' | ';');
        let bare =
            token.trim_start_matches(opens).trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '_'));
        let ends_here = token.ends_with([',', '.', ';', ':', '!', '?', ')']);
        if let Some((path, about)) = path(bare, SplitMode::Running) {
            terms.push(path);
            terms.extend(about);
            before = None;
        } else if is_identifier(bare) || is_code(token) {
            terms.extend(names(bare));
            before = None;
        } else {
            for word in bare.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()) {
                before = take_word(word, before, is_first, terms);
                is_first = false;
            }
        }
        is_first = token.ends_with(['.', '!', '?', ':']);
        if ends_here {
            before = None;
        }
    }
}

/// `AttributeError`, `NullPointerException`: what the language itself raises.
fn is_of_the_language(name: &str) -> bool {
    matches!(
        name,
        "AttributeError"
            | "TypeError"
            | "KeyError"
            | "IndexError"
            | "NameError"
            | "SyntaxError"
            | "ReferenceError"
            | "RangeError"
            | "RecursionError"
            | "AssertionError"
            | "RuntimeError"
            | "SystemError"
            | "NullPointerException"
    )
}

/// The function of a frame in a stack trace of Python: `, line 12, in total`.
fn frame(line: &str) -> Option<&str> {
    let (before, name) = line.rsplit_once(", in ")?;
    let (_, number) = before.rsplit_once(", line ")?;
    let is_frame = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    Some(name.trim()).filter(|name| is_frame && !name.contains(char::is_whitespace) && !name.starts_with('<'))
}

/// Adds a word, and the pair it makes with its neighbour.
fn take_word(word: &str, before: Option<Term>, is_first: bool, terms: &mut Vec<Term>) -> Option<Term> {
    let word = word.strip_suffix("'s").unwrap_or(word).trim_matches('\'');
    // A status or a port is telling, other numbers are not.
    let is_number = word.chars().all(|c| c.is_ascii_digit()) && !(3..=5).contains(&word.len());
    let lower = word.to_lowercase();
    if word.chars().count() < 2 || is_number || is_stop_word(&lower) || is_literal(&lower) {
        return None;
    }
    let is_capital = !is_first && word.starts_with(char::is_uppercase);
    let term = Term::word(word);
    let term = match verb(&lower) {
        Some(_) => term.times(VERB),
        None if is_capital => Term { is_proper: true, ..term.times(CAPITAL) },
        None if word.starts_with(|c: char| c.is_ascii_digit()) => term.times(NUMBER),
        None if is_everyday(&lower) => term.times(EVERYDAY),
        None => term,
    };
    let pair = before.map(|before| Term::pair(&before, &term));
    terms.push(term.clone());
    terms.extend(pair);
    Some(term)
}

/// `snake_case`, `camelCase`, `a::b`, `a.b()`; an ordinary word, a number or an abbreviation is none.
fn is_identifier(token: &str) -> bool {
    let inner = token.trim_matches('_');
    let receiver: Vec<char> = inner.chars().collect();
    let hump = receiver.windows(2).any(|pair| matches!(pair, [a, b] if a.is_lowercase() && b.is_uppercase()));
    let has_letter = receiver.iter().any(|c| c.is_alphabetic());
    let plain = receiver.iter().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '-' | '(' | ')' | '#'));
    let dotted = inner.split('.').filter(|piece| piece.chars().count() > 2).count() > 1;
    let is_private = token.starts_with('_') && !inner.is_empty();
    let kebab = inner.split('-').filter(|piece| piece.len() > 1).count() > 2 && !inner.contains('.');
    has_letter && plain && (hump || kebab || is_private || inner.contains('_') || inner.contains("::") || dotted)
}

/// `verify=False`, `Table(highlight=True)`, `--extra-files`, `x[0]`: written as code within a sentence.
fn is_code(token: &str) -> bool {
    let token = token.trim_end_matches([',', '.', ';', ':', '!', '?']);
    let is_option = token.starts_with("--") && token.len() > 3;
    let letter = |at: usize| token.as_bytes().get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let joins = |at: usize| at > 0 && letter(at - 1);
    let opens = token.find(['(', '=', '[', '{']).is_some_and(joins);
    is_option || opens && token.find(['(', '=', '[', '{']).is_some_and(|at| at + 1 < token.len())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SplitMode {
    Quoted,
    Running,
}

/// Whether a word within a sentence names a file.
pub(super) fn is_path(token: &str) -> bool {
    path(token, SplitMode::Running).is_some()
}

/// A path, and the word that its file is about.
fn path(token: &str, strictness: SplitMode) -> Option<(Term, Option<Term>)> {
    let token = token.split_once("::").map_or(token, |(path, _)| path);
    let token = token.split_once('#').map_or(token, |(path, _)| path);
    let token = match token.split_once(':') {
        Some((path, line)) if line.starts_with(|c: char| c.is_ascii_digit()) => path,
        Some(_) => return None,
        None => token,
    };
    let token = token.strip_prefix("./").unwrap_or(token);
    let is_absolute = token.starts_with('/') && token.matches('/').count() > 1;
    let plain = token.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+' | '@'));
    let name = token.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let has_ending = !stem.is_empty() && ENDINGS.split_whitespace().any(|known| known == ending);
    let slashes = token.matches('/').count();
    let is_path = match strictness {
        SplitMode::Quoted => has_ending || slashes > 0,
        // `Node.js` is no file, `and/or` no folder.
        SplitMode::Running => {
            let is_library = ending == "js" && stem.starts_with(char::is_uppercase);
            (has_ending && !is_library) || token.ends_with('/') && slashes > 0 || slashes > 1
        }
    };
    if !plain || !is_path || token.contains("//") || token.contains("..") {
        return None;
    }
    // The slash of a path from the root is kept: it may be one of the system and no file of the project.
    let said = if is_absolute { token.trim_end_matches('/') } else { token.trim_matches('/') }.to_owned();
    if !said.chars().any(char::is_alphanumeric) {
        return None;
    }
    let stem = stem.to_owned();
    let about = Term { stems: parts(&stem), alike: Vec::new(), ..Term::word(&stem) };
    let is_telling = !matches!(stem.as_str(), "mod" | "index" | "main" | "lib" | "__init__" | "README")
        && !is_stop_word(&stem.to_lowercase());
    let about = Some(about).filter(|about| is_telling && !about.stems.is_empty());
    Some((Term::path(&said), about))
}
