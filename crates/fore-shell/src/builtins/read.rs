//! Builtins that fill variables: `read`, `mapfile`, `printf -v`. The names they fill must be plain names.

use super::BuiltinEffect;
use crate::{
    finding::{CommandKind, Finding},
    syntax::{check_name, scan::is_name},
    word::Word,
};

pub(super) fn printf(first: &Word, arguments: &[Word]) -> Finding {
    match printf_effect(arguments) {
        BuiltinEffect::None => Finding::reads(),
        BuiltinEffect::Variables(names) if names.iter().all(|name| check_name(name).is_ok()) => Finding::reads(),
        BuiltinEffect::Folder(_)
        | BuiltinEffect::Variables(_)
        | BuiltinEffect::Everything
        | BuiltinEffect::GlobsVanish
        | BuiltinEffect::Ends
        | BuiltinEffect::Jumps => {
            Finding::shown(CommandKind::Unknown, "builtin.printf", first, "the variable it fills is not a plain name")
        }
    }
}

pub(super) fn printf_effect(arguments: &[Word]) -> BuiltinEffect {
    let Some(format) = arguments.first() else {
        return BuiltinEffect::None;
    };
    match format.as_literal() {
        Some("-v") => match arguments.get(1).and_then(Word::as_literal).filter(|name| is_name(name)) {
            Some(name) => BuiltinEffect::Variables(vec![name.to_owned()]),
            None => BuiltinEffect::Everything,
        },
        Some(text) if text.starts_with("-v") => BuiltinEffect::Everything,
        Some("--") => match arguments.get(1) {
            Some(format) => format_effect(format, arguments.len() > 2),
            None => BuiltinEffect::None,
        },
        Some(_) => format_effect(format, arguments.len() > 1),
        None if may_be_option(format) => BuiltinEffect::Everything,
        None => format_effect(format, arguments.len() > 1),
    }
}

/// `%n` fills the variable that its argument names: `printf '12%n' PATH`.
fn format_effect(format: &Word, has_arguments: bool) -> BuiltinEffect {
    let counts = match format.as_literal() {
        Some(text) => text.replace("%%", "").split('%').skip(1).any(|conversion| {
            conversion.trim_start_matches(|c: char| c.is_ascii_digit() || "-+ #'.*hlLjzt".contains(c)).starts_with('n')
        }),
        None => true,
    };
    if counts && has_arguments { BuiltinEffect::Everything } else { BuiltinEffect::None }
}

fn may_be_option(word: &Word) -> bool {
    match &word.value {
        crate::word::Value::Literal(text) => text.starts_with('-'),
        crate::word::Value::Opaque(opaque) => opaque.may_be_option,
    }
}

pub(super) fn read(first: &Word, arguments: &[Word]) -> Finding {
    judge(first, filled(arguments, b"rs", b"tnNdpu", b"a", "REPLY"))
}

pub(super) fn mapfile(first: &Word, arguments: &[Word]) -> Finding {
    judge(first, filled(arguments, b"t", b"nOsud", b"", "MAPFILE"))
}

fn judge(first: &Word, names: Option<Vec<String>>) -> Finding {
    match names {
        Some(names) if names.iter().all(|name| check_name(name).is_ok()) => Finding::reads(),
        Some(_) | None => {
            Finding::shown(CommandKind::Unknown, "builtin.read", first, "options or names that are not plain")
        }
    }
}

pub(super) fn effect(name: &str, arguments: &[Word]) -> BuiltinEffect {
    let names = if name == "read" {
        filled(arguments, b"rs", b"tnNdpu", b"a", "REPLY")
    } else {
        filled(arguments, b"t", b"nOsud", b"", "MAPFILE")
    };
    names.map_or(BuiltinEffect::Everything, BuiltinEffect::Variables)
}

/// The variables that are filled; `None` when an option or a name is not certain.
fn filled(arguments: &[Word], flags: &[u8], valued: &[u8], named: &[u8], default: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut words = arguments.iter();
    let mut options = true;
    while let Some(word) = words.next() {
        let text = word.as_literal()?;
        if !options || !text.starts_with('-') || text == "-" {
            options = false;
            names.push(Some(text).filter(|name| is_name(name))?.to_owned());
            continue;
        }
        if text == "--" {
            options = false;
            continue;
        }
        let letters = text.as_bytes().get(1..).unwrap_or_default();
        for (at, letter) in letters.iter().enumerate() {
            if flags.contains(letter) {
                continue;
            }
            let attached = text.get(at + 2..).unwrap_or_default();
            if valued.contains(letter) {
                if attached.is_empty() {
                    // The value is text or a number; it is never evaluated, but it must be one word.
                    let value = words.next()?;
                    value.as_literal()?;
                }
            } else if named.contains(letter) {
                let name = if attached.is_empty() { words.next()?.as_literal()? } else { attached };
                names.push(Some(name).filter(|name| is_name(name))?.to_owned());
            } else {
                return None;
            }
            break;
        }
    }
    if names.is_empty() {
        names.push(default.to_owned());
    }
    Some(names)
}
