//! The few ways a language parser says what it found. Never decides anything itself.

use crate::{
    context::Context,
    finding::{Evidence, Finding, Kind},
    word::{Value, Word},
};
use std::path::Path;

/// Longest word that is repeated in evidence; the span still shows the whole of it.
const MOST_SHOWN: usize = 120;

/// A finding whose evidence is one word.
pub(crate) fn shown(kind: Kind, rule: impl Into<String>, word: &Word, why: impl Into<String>) -> Finding {
    let mut text: String = word.source.chars().take(MOST_SHOWN).collect();
    if text.len() < word.source.len() {
        text.push('…');
    }
    Finding::because(Evidence { kind, rule: rule.into(), word: text, span: word.span, why: why.into() })
}

pub(crate) fn unknown(rule: impl Into<String>, word: &Word, why: impl Into<String>) -> Finding {
    shown(Kind::Unknown, rule, word, why)
}

pub(crate) fn writes(rule: impl Into<String>, word: &Word, why: impl Into<String>) -> Finding {
    shown(Kind::Writes, rule, word, why)
}

pub(crate) fn runs(rule: impl Into<String>, word: &Word, why: impl Into<String>) -> Finding {
    shown(Kind::Runs, rule, word, why)
}

/// A read of one file: named in `paths` when the folder it is relative to is known.
pub(crate) fn reads_path(context: &Context<'_>, path: &str) -> Finding {
    let mut finding = Finding::reads();
    let absolute = if Path::new(path).is_absolute() {
        Some(path.to_owned())
    } else {
        context.cwd.as_ref().map(|folder| folder.join(path).to_string_lossy().into_owned())
    };
    finding.paths.extend(absolute);
    finding
}

/// A file operand: a path when it is literal, `-` for standard input, nothing certain otherwise.
pub(crate) fn reads_operand(context: &Context<'_>, word: &Word) -> Finding {
    match word.as_literal() {
        Some("-" | "") | None => Finding::reads(),
        Some(path) => reads_path(context, path),
    }
}

/// The word may turn out to be an option, so a program that has harmful options cannot be judged.
pub(crate) fn may_be_option(word: &Word) -> bool {
    match &word.value {
        Value::Literal(text) => text.len() > 1 && text.starts_with('-'),
        Value::Opaque(opaque) => opaque.may_be_option || opaque.prefix.starts_with('-'),
    }
}

/// The word may become more or fewer than one argument, so it cannot be the value of an option.
pub(crate) fn is_one_argument(word: &Word) -> bool {
    match &word.value {
        Value::Literal(_) => true,
        Value::Opaque(opaque) => !opaque.may_split && !opaque.may_be_empty,
    }
}

/// Written to by everybody without changing a file.
pub(crate) fn is_harmless_sink(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr")
}
