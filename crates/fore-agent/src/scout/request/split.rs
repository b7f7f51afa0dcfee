//! Splits a request into paths, names, quoted text and words; and names into their parts.

use super::{Term, TermKind, stop::is_stop_word};

const ENDINGS: &str =
    "adoc bash bat c cc cfg clj cmake conf cpp cs css csv dart ex exs fish go gradle graphql h hpp hs html ini
    ipynb java jl js json jsx kt kts lock lua md mdx mjs ml nix php pl proto ps1 py pyi r rb rs rst scala scss sh sql
    svelte swift tf toml ts tsx txt vue xml yaml yml zig";
/// A longer piece is no name.
const MAX_PIECE_BYTES: usize = 200;

/// Everything in a text that can be looked for, in its order; pairs behind the words they are made of.
pub(super) fn terms(text: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    for (is_quoted, piece) in quoted_pieces(text) {
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
    if text.is_empty() {
        return Vec::new();
    }
    let text = text.trim_end_matches("()");
    if let Some((path, about)) = path(text, SplitMode::Quoted) {
        return [path].into_iter().chain(about).collect();
    }
    let is_name = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '#' | '@'));
    if is_name {
        return names(text);
    }
    vec![Term { kind: TermKind::Quoted, said: text.to_owned(), stems: Vec::new() }]
}

/// `Cart::total` are two names.
fn names(text: &str) -> Vec<Term> {
    let pieces = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-'));
    pieces.filter(|piece| piece.chars().count() > 1).map(Term::name).filter(|term| !term.stems.is_empty()).collect()
}

fn running(text: &str, terms: &mut Vec<Term>) {
    let mut before: Option<Term> = None;
    for token in text.split_whitespace().filter(|token| token.len() <= MAX_PIECE_BYTES && !token.contains("://")) {
        let opens = |c: char| matches!(c, '(' | '[' | '{' | '<' | '*' | '_' | ',' | ';');
        let bare = token.trim_start_matches(opens).trim_end_matches(|c: char| !c.is_alphanumeric() && c != '/');
        let ends_here = token.ends_with([',', '.', ';', ':', '!', '?', ')']);
        if let Some((path, about)) = path(bare, SplitMode::Running) {
            terms.push(path);
            terms.extend(about);
            before = None;
        } else if is_identifier(bare) {
            terms.extend(names(bare));
            before = None;
        } else {
            for word in bare.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()) {
                before = take_word(word, before, terms);
            }
        }
        if ends_here {
            before = None;
        }
    }
}

/// Adds a word, and the pair it makes with its neighbour.
fn take_word(word: &str, before: Option<Term>, terms: &mut Vec<Term>) -> Option<Term> {
    let word = word.strip_suffix("'s").unwrap_or(word).trim_matches('\'');
    let is_number = word.chars().all(|c| c.is_ascii_digit());
    if word.chars().count() < 2 || is_number || is_stop_word(&word.to_lowercase()) {
        return None;
    }
    let term = Term::word(word);
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
    has_letter && plain && (hump || inner.contains('_') || inner.contains("::") || dotted)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SplitMode {
    Quoted,
    Running,
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
    let said = token.trim_matches('/').to_owned();
    let about = Term { kind: TermKind::Word, said: stem.to_owned(), stems: parts(stem) };
    let is_telling = !matches!(stem, "mod" | "index" | "main" | "lib" | "__init__" | "README")
        && !is_stop_word(&stem.to_lowercase());
    let about = Some(about).filter(|about| is_telling && !about.stems.is_empty());
    Some((Term { kind: TermKind::Path, said, stems: Vec::new() }, about))
}
