//! Reads the words after a git subcommand against the options its row lists. Whatever is not listed is not harmless.
//!
//! Notation: `--name` takes nothing, `--name=` takes a value (attached or the next word), `--name[=]` may have one
//! attached, `--name?` takes the next word if there is one; `-x` takes nothing, `-x:` takes a value, `-x?` may have one
//! attached. Git completes abbreviated long options; here an abbreviation is an option that is not listed.

use super::{
    format::{checks_signatures, is_signature_field},
    row::{Refused, Row},
};
use crate::{
    finding::{Finding, Kind},
    word::{Value, Word},
};

/// Harmful wherever git accepts them.
const REFUSED_EVERYWHERE: &[Refused] = &[
    ("--output", Kind::Writes, "writes its result into a file"),
    ("--output-directory", Kind::Writes, "writes files"),
    ("--ext-diff", Kind::Runs, "runs the configured diff program"),
    ("--textconv", Kind::Runs, "runs the configured text converter"),
    ("--show-signature", Kind::Runs, "runs the configured gpg program"),
    ("--open-files-in-pager", Kind::Runs, "opens files in a program"),
    ("--upload-pack", Kind::Runs, "runs the program it names"),
    ("--exec", Kind::Runs, "runs the program it names"),
    ("--edit-description", Kind::Writes, "opens an editor and changes a setting"),
    ("--remerge-diff", Kind::Writes, "writes temporary objects into the repository"),
    ("--help", Kind::Unknown, "opens the manual with the configured viewer"),
];

#[derive(Debug, Default)]
pub(super) struct Given<'a> {
    /// Names of the options that were given, as the row lists them without their notation.
    pub(super) options: Vec<&'static str>,
    pub(super) operands: Vec<&'a Word>,
    /// Something that looks like an option stands behind an operand. `git config` takes that for an operand too.
    pub(super) dash_after_operand: bool,
}

impl Given<'_> {
    pub(super) fn has_one_of(&self, names: &[&str]) -> bool {
        self.options.iter().any(|given| names.contains(given))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value,
    Attached,
    NextIfAny,
}

pub(super) fn read<'a>(row: &Row, words: &'a [Word]) -> Result<Given<'a>, Box<Finding>> {
    let mut given = Given::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let (text, is_whole) = match &word.value {
            Value::Literal(text) => (text.as_str(), true),
            Value::Opaque(opaque) => (opaque.prefix.as_str(), false),
        };
        if !is_whole && !text.contains('=') && word.may_be_option() {
            return Err(Box::new(Finding::unknown(
                rule(row, "option"),
                word,
                format!("this may turn out to be an option of `git {}`", row.command),
            )));
        }
        given.dash_after_operand |= text.starts_with('-') && !given.operands.is_empty();
        match text {
            "--" if is_whole => {
                operands_only(row, rest.as_slice(), &mut given)?;
                break;
            }
            _ if text.starts_with("--") => long(row, word, text, &mut rest, &mut given)?,
            _ if text.len() > 1 && text.starts_with('-') && is_whole => short(row, word, text, &mut rest, &mut given)?,
            _ if text.starts_with('-') && !is_whole => {
                return Err(Box::new(Finding::unknown(
                    rule(row, "option"),
                    word,
                    "part of this option is decided at run time",
                )));
            }
            _ => given.operands.push(word),
        }
    }
    Ok(given)
}

/// After `--` a dash means nothing, unless we were wrong about which word took a value: so it is not accepted.
fn operands_only<'a>(row: &Row, words: &'a [Word], given: &mut Given<'a>) -> Result<(), Box<Finding>> {
    for word in words {
        if word.as_literal().is_some_and(|text| text.len() > 1 && text.starts_with('-')) {
            return Err(Box::new(Finding::unknown(rule(row, "option"), word, "an operand that looks like an option")));
        }
        given.operands.push(word);
    }
    Ok(())
}

fn long<'a>(
    row: &Row,
    word: &'a Word,
    text: &str,
    rest: &mut std::slice::Iter<'a, Word>,
    given: &mut Given<'a>,
) -> Result<(), Box<Finding>> {
    let (name, attached) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let Some((listed, takes)) = listed(row, name) else {
        return Err(Box::new(refuse(row, word, name)));
    };
    given.options.push(listed);
    let whole = word.as_literal().is_some();
    match (takes, attached) {
        (Takes::Nothing, Some(_)) => Err(Box::new(refuse(row, word, name))),
        (Takes::Nothing | Takes::Attached, None) if whole => Ok(()),
        (_, Some(_)) if !whole && !word.is_one_argument() => {
            Err(Box::new(Finding::unknown(rule(row, name), word, "this may turn out to be several arguments")))
        }
        (_, Some(value)) => check_value(row, word, name, whole.then_some(value)),
        (Takes::NextIfAny, None) if rest.as_slice().is_empty() => Ok(()),
        (Takes::Value | Takes::NextIfAny, None) => next_value(row, word, name, rest),
        (Takes::Nothing | Takes::Attached, None) => {
            Err(Box::new(Finding::unknown(rule(row, name), word, "part of this option is decided at run time")))
        }
    }
}

fn short<'a>(
    row: &Row,
    word: &'a Word,
    text: &str,
    rest: &mut std::slice::Iter<'a, Word>,
    given: &mut Given<'a>,
) -> Result<(), Box<Finding>> {
    let letters = text.get(1..).unwrap_or_default();
    if row.numbers && letters.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(());
    }
    let mut letters = letters.chars();
    while let Some(letter) = letters.next() {
        let name = format!("-{letter}");
        let Some((listed, takes)) = listed(row, &name) else {
            return Err(Box::new(refuse(row, word, &name)));
        };
        given.options.push(listed);
        match takes {
            Takes::Nothing => {}
            Takes::Attached => return Ok(()),
            Takes::Value | Takes::NextIfAny if letters.as_str().is_empty() => {
                return next_value(row, word, &name, rest);
            }
            Takes::Value | Takes::NextIfAny => return Ok(()),
        }
    }
    Ok(())
}

fn next_value(row: &Row, word: &Word, name: &str, rest: &mut std::slice::Iter<'_, Word>) -> Result<(), Box<Finding>> {
    match rest.next() {
        None => Err(Box::new(Finding::unknown(rule(row, name), word, "this option lacks its value"))),
        Some(next) if next.as_literal().is_some_and(|text| text.starts_with('-')) => {
            Err(Box::new(Finding::unknown(rule(row, name), next, "a value that looks like an option")))
        }
        Some(next) if !next.is_one_argument() => {
            Err(Box::new(Finding::unknown(rule(row, name), next, "this may turn out to be several arguments")))
        }
        Some(next) => check_value(row, next, name, next.as_literal()),
    }
}

/// Most values are only text to git. `None` is a value that is decided at run time.
fn check_value(row: &Row, word: &Word, name: &str, value: Option<&str>) -> Result<(), Box<Finding>> {
    let trouble = match (name, value) {
        ("--format" | "--pretty" | "--sort" | "--group", None) => {
            Some((Kind::Unknown, "this format is decided at run time and may run gpg"))
        }
        ("--format" | "--pretty" | "--group", Some(format)) if checks_signatures(format) => {
            Some((Kind::Runs, "this format checks signatures, which runs gpg"))
        }
        ("--sort", Some(field)) if is_signature_field(field) => Some((Kind::Runs, "sorting by signature runs gpg")),
        ("--diff-merges", Some("r" | "remerge") | None) => {
            Some((Kind::Writes, "this writes temporary objects into the repository"))
        }
        ("--diff-merges", Some(value)) if "remerge".starts_with(value) => {
            Some((Kind::Unknown, "not a known way to show merges"))
        }
        ("--submodule", Some("short" | "log")) => None,
        ("--submodule", _) => {
            Some((Kind::Unknown, "this runs git inside submodules, whose settings were not looked at"))
        }
        ("--exclude-hidden" | "--filter" | "--missing", None) => Some((Kind::Unknown, "this is decided at run time")),
        _ => None,
    };
    match trouble {
        Some((kind, why)) => Err(Box::new(Finding::shown(kind, rule(row, name), word, why))),
        None => Ok(()),
    }
}

fn listed(row: &Row, name: &str) -> Option<(&'static str, Takes)> {
    row.options.iter().copied().flatten().find_map(|spelled| {
        let (own, takes) = match spelled {
            _ if spelled.ends_with("[=]") => (spelled.trim_end_matches("[=]"), Takes::Attached),
            _ if spelled.ends_with('=') => (spelled.trim_end_matches('='), Takes::Value),
            _ if spelled.starts_with("--") && spelled.ends_with('?') => {
                (spelled.trim_end_matches('?'), Takes::NextIfAny)
            }
            _ if spelled.ends_with(':') => (spelled.trim_end_matches(':'), Takes::Value),
            _ if spelled.ends_with('?') => (spelled.trim_end_matches('?'), Takes::Attached),
            _ => (*spelled, Takes::Nothing),
        };
        (own == name).then_some((own, takes))
    })
}

fn refuse(row: &Row, word: &Word, name: &str) -> Finding {
    let known = row.refused.iter().chain(REFUSED_EVERYWHERE);
    // Git completes unique beginnings of long options.
    let is_meant = |own: &str| own == name || (name.len() > 3 && own.starts_with("--") && own.starts_with(name));
    for (own, kind, why) in known {
        if is_meant(own) {
            return Finding::shown(*kind, rule(row, own), word, format!("`git {} {own}` {why}", row.command));
        }
    }
    Finding::unknown(rule(row, name), word, format!("`{name}` is not a known harmless option of `git {}`", row.command))
}

pub(super) fn rule(row: &Row, what: &str) -> String {
    format!("git.{}.{what}", row.command.replace(' ', "."))
}
