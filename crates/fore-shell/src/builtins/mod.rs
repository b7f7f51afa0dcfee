//! Commands that the shell runs itself: a positive table. What is not in it is unknown, because builtins can change the shell.

mod declare;
mod options;
mod read;
mod test;

use crate::{
    command::judge_argv,
    context::JudgeContext,
    finding::{CommandKind, Finding},
    paths::resolve,
    word::{Value, Word},
};
use std::path::PathBuf;

/// What a builtin does to the shell that runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BuiltinEffect {
    None,
    /// The working folder changes if it succeeds; `None`: to an unknown place.
    Folder(Option<PathBuf>),
    /// These variables get unknown values.
    Variables(Vec<String>),
    /// Nothing is certain any more.
    Everything,
    GlobsVanish,
    /// The shell ends.
    Ends,
    /// A loop ends or starts again.
    Jumps,
}

const NAMES: [&str; 61] = [
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

pub(crate) fn is_builtin(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok()
}

/// Judges a builtin; `None` when the program is none.
pub(crate) fn judge(argv: &[Word], context: &JudgeContext<'_>) -> Option<Finding> {
    let (first, arguments) = argv.split_first()?;
    let name = first.as_literal().filter(|name| is_builtin(name))?;
    let unknown = |why: &str| Finding::shown(CommandKind::Unknown, format!("builtin.{name}"), first, why);
    Some(match name {
        "echo" | ":" | "true" | "false" | "pwd" | "times" | "caller" | "cd" | "pushd" | "popd" | "dirs" | "shift"
        | "break" | "continue" | "return" | "exit" | "type" | "help" => Finding::reads(),
        "printf" => read::printf(first, arguments),
        "test" | "[" => test::judge(first, arguments),
        "read" => read::read(first, arguments),
        "mapfile" | "readarray" => read::mapfile(first, arguments),
        "declare" | "typeset" | "local" | "export" => declare::judge(first, arguments),
        "unset" => declare::unset(first, arguments),
        "set" => options::set(first, arguments),
        "shopt" => options::shopt(first, arguments),
        "command" | "builtin" | "exec" => match inner(argv) {
            InnerCommand::LooksUp => Finding::reads(),
            InnerCommand::Runs(rest) if splits_assignments(rest) => {
                unknown("the assignments behind it may turn out to be others")
            }
            InnerCommand::Runs(rest) => judge_argv(rest, context),
            InnerCommand::Unclear => unknown("options that are not analysed"),
        },
        "source" | "." => Finding::shown(CommandKind::Runs, "builtin.source", first, "a sourced file may do anything"),
        "eval" => unknown("the text it runs is put together at run time"),
        "kill" => kill(first, arguments),
        "jobs" | "wait" | "umask" | "ulimit" | "hash" | "trap" | "compgen" | "alias" | "history" => {
            if options::only_shows(name, arguments) {
                Finding::reads()
            } else {
                unknown("this form changes the shell")
            }
        }
        _ => unknown("this builtin changes the shell"),
    })
}

/// What stands behind `command`, `builtin` or `exec`.
enum InnerCommand<'a> {
    /// Only looks a name up, or only redirects.
    LooksUp,
    Runs(&'a [Word]),
    Unclear,
}

fn inner(argv: &[Word]) -> InnerCommand<'_> {
    let name = argv.first().and_then(Word::as_literal).unwrap_or_default();
    match (name, argv.get(1).map(|word| &word.value)) {
        (_, None) => InnerCommand::LooksUp,
        ("command", Some(Value::Literal(option))) if matches!(option.as_str(), "-v" | "-V") => InnerCommand::LooksUp,
        ("command", Some(Value::Literal(option))) if option == "-p" => match argv.get(2).map(|word| &word.value) {
            Some(Value::Literal(inner)) if !inner.starts_with('-') => {
                argv.get(2..).map_or(InnerCommand::Unclear, InnerCommand::Runs)
            }
            Some(Value::Literal(_) | Value::Opaque(_)) | None => InnerCommand::Unclear,
        },
        (_, Some(Value::Literal(option))) if option.starts_with('-') => InnerCommand::Unclear,
        ("builtin", Some(Value::Literal(inner))) if !is_builtin(inner) => InnerCommand::Unclear,
        (_, Some(Value::Literal(_))) => argv.get(1..).map_or(InnerCommand::Unclear, InnerCommand::Runs),
        (_, Some(Value::Opaque(_))) => InnerCommand::Unclear,
    }
}

/// Behind `command` bash splits and globs the value of `declare a=$x` like any other word.
fn splits_assignments(argv: &[Word]) -> bool {
    let declares = matches!(
        argv.first().and_then(Word::as_literal),
        Some("declare" | "typeset" | "local" | "export" | "readonly")
    );
    let splits = |word: &Word| matches!(&word.value, Value::Opaque(opaque) if opaque.may_split);
    declares && argv.iter().any(splits)
}

fn kill(first: &Word, arguments: &[Word]) -> Finding {
    let literal = |at: usize| arguments.get(at).and_then(Word::as_literal);
    let targets = match (literal(0), literal(1)) {
        (Some("-l" | "-L" | "-0"), _) => arguments.get(1..),
        (Some("-s"), Some("0")) => arguments.get(2..),
        (_, _) => None,
    };
    // A later `-s` or `-n` takes the place of the first one, if a process follows it.
    let stays = |targets: &[Word]| {
        let may_be_signal = |word: &Word| match &word.value {
            Value::Literal(text) => text.starts_with('-'),
            Value::Opaque(opaque) => opaque.may_be_option || opaque.may_split,
        };
        match targets {
            [only] => !matches!(&only.value, Value::Opaque(opaque) if opaque.may_split),
            several => !several.iter().any(may_be_signal),
        }
    };
    if targets.is_some_and(stays) {
        Finding::reads()
    } else {
        Finding::shown(CommandKind::Writes, "kill", first, "sends a signal to a process")
    }
}

/// What the command does to the shell itself.
pub(crate) fn effect(argv: &[Word], context: &JudgeContext<'_>) -> BuiltinEffect {
    let Some((first, arguments)) = argv.split_first() else {
        return BuiltinEffect::None;
    };
    let Some(name) = first.as_literal() else {
        return BuiltinEffect::Everything;
    };
    if !is_builtin(name) {
        return BuiltinEffect::None;
    }
    match name {
        "echo" | ":" | "true" | "false" | "pwd" | "times" | "caller" | "dirs" | "shift" | "return" | "type"
        | "help" | "test" | "[" | "set" | "kill" | "jobs" | "umask" | "ulimit" | "hash" | "compgen" | "trap" => {
            BuiltinEffect::None
        }
        "cd" | "pushd" => BuiltinEffect::Folder(folder(arguments, context)),
        "popd" => BuiltinEffect::Folder(None),
        "break" | "continue" => BuiltinEffect::Jumps,
        // With two or more arguments, or with one that is no number, bash may stay.
        "exit" => match arguments {
            [] => BuiltinEffect::Ends,
            [code]
                if code.as_literal().is_some_and(|code| {
                    !code.is_empty() && code.len() < 4 && code.bytes().all(|byte| byte.is_ascii_digit())
                }) =>
            {
                BuiltinEffect::Ends
            }
            _ => BuiltinEffect::None,
        },
        "printf" => read::printf_effect(arguments),
        "read" | "mapfile" | "readarray" => read::effect(name, arguments),
        "declare" | "typeset" | "local" | "export" | "unset" => declare::effect(arguments),
        "shopt" => BuiltinEffect::GlobsVanish,
        "command" | "builtin" | "exec" => match inner(argv) {
            InnerCommand::LooksUp => BuiltinEffect::None,
            InnerCommand::Runs(rest) => effect(rest, context),
            InnerCommand::Unclear => BuiltinEffect::Everything,
        },
        _ => BuiltinEffect::Everything,
    }
}

/// Where `cd` goes.
fn folder(arguments: &[Word], context: &JudgeContext<'_>) -> Option<PathBuf> {
    let mut operands = Vec::new();
    for word in arguments {
        match word.as_literal()? {
            "--" | "-L" if operands.is_empty() => {}
            text if text.starts_with(['-', '+']) || text.is_empty() => return None,
            text => operands.push(text),
        }
    }
    match operands.as_slice() {
        [] => context.facts.home.map(PathBuf::from),
        [path] => resolve(context.cwd.as_deref(), path),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::NAMES;

    #[test]
    fn names_are_sorted_so_that_they_are_found() {
        assert!(NAMES.is_sorted());
    }
}
