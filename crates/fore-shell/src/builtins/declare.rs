//! `declare`, `local`, `export`, `unset`: plain names only, and exports only from the positive list.

use super::BuiltinEffect;
use crate::{
    finding::{CommandKind, Finding},
    syntax::{check_name, may_export, scan::is_name},
    word::{Value, Word},
};

pub(super) fn judge(first: &Word, arguments: &[Word]) -> Finding {
    let mut exports = first.as_literal() == Some("export");
    let plain_builtin = first.as_literal() == Some(first.source.as_str());
    let unknown = |word: &Word, why: &str| Finding::shown(CommandKind::Unknown, "builtin.declare", word, why);
    for (at, word) in arguments.iter().enumerate() {
        if let Some(option) = word.as_literal().filter(|text| text.starts_with(['-', '+'])) {
            match option {
                // Printing looks at names and changes nothing.
                "-p" | "-F"
                    if at == 0 && arguments.iter().skip(1).all(|word| word.as_literal().is_some_and(is_name)) =>
                {
                    return Finding::reads();
                }
                "-a" | "-g" | "-ga" | "--" if !exports => {}
                "-x" | "-gx" => exports = true,
                _ => return unknown(word, "an option that changes how values are read"),
            }
            continue;
        }
        let Some((name, value)) = assigned(word, plain_builtin) else {
            return unknown(word, "not a plain name");
        };
        if exports {
            if !may_export(name, value) {
                return Finding::shown(
                    CommandKind::Unknown,
                    "environment",
                    word,
                    format!("exporting `{name}` may change what later commands do"),
                );
            }
        } else if check_name(name).is_err() && !may_export(name, value) {
            return Finding::shown(
                CommandKind::Unknown,
                "environment",
                word,
                format!("setting `{name}` changes what later commands do"),
            );
        }
    }
    Finding::reads()
}

/// Name and value, if the word is certainly `name` or `name=…`.
fn assigned(word: &Word, plain_builtin: bool) -> Option<(&str, Option<&str>)> {
    match &word.value {
        Value::Literal(text) => {
            let (name, value) = text.split_once('=').map_or((text.as_str(), None), |(name, value)| (name, Some(value)));
            // Bash expands the text of an array, even when it comes from quotes.
            let array = value.is_some_and(|value| value.starts_with('('));
            (is_name(name) && !array).then_some((name, value))
        }
        // Where bash knows the builtin by its plain name, the value is neither split nor globbed.
        Value::Opaque(_) if plain_builtin => {
            let (name, value) = word.source.split_once('=')?;
            (is_name(name) && !value.starts_with('(') && !value.contains('{')).then_some((name, None))
        }
        Value::Opaque(_) => None,
    }
}

pub(super) fn unset(first: &Word, arguments: &[Word]) -> Finding {
    for word in arguments {
        match word.as_literal() {
            Some("-v") => {}
            Some(name) if is_name(name) && check_name(name).is_ok() => {}
            Some(_) | None => {
                return Finding::shown(
                    CommandKind::Unknown,
                    "builtin.unset",
                    first,
                    "a name that is not plain, or that later commands need",
                );
            }
        }
    }
    Finding::reads()
}

pub(super) fn effect(arguments: &[Word]) -> BuiltinEffect {
    let mut names = Vec::new();
    for word in arguments {
        match word.as_literal() {
            Some(text) if text.starts_with(['-', '+']) => {}
            _ => match assigned(word, true) {
                Some((name, _)) => names.push(name.to_owned()),
                None => return BuiltinEffect::Everything,
            },
        }
    }
    BuiltinEffect::Variables(names)
}
