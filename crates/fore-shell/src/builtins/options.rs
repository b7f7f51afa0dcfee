//! `set`, `shopt` and builtins that only show something in their harmless forms.

use crate::{
    finding::{CommandKind, Finding},
    word::{Value, Word},
};

pub(super) fn set(first: &Word, arguments: &[Word]) -> Finding {
    let unknown = |word: &Word| {
        Finding::shown(
            CommandKind::Unknown,
            "builtin.set",
            word,
            "an option of the shell that changes how text is read",
        )
    };
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        at += 1;
        let Value::Literal(text) = &word.value else {
            return unknown(word);
        };
        let Some(letters) = text.strip_prefix(['-', '+']) else {
            return Finding::reads();
        };
        if text == "--" {
            return Finding::reads();
        }
        for letter in letters.bytes() {
            match letter {
                b'e' | b'u' | b'x' | b'f' => {}
                b'o' => {
                    let name = arguments.get(at).and_then(Word::as_literal);
                    if !name
                        .is_some_and(|name| matches!(name, "pipefail" | "errexit" | "nounset" | "xtrace" | "noglob"))
                    {
                        return unknown(word);
                    }
                    at += 1;
                }
                _ => return unknown(word),
            }
        }
        if letters.is_empty() {
            return unknown(first);
        }
    }
    Finding::reads()
}

pub(super) fn shopt(first: &Word, arguments: &[Word]) -> Finding {
    let harmless = |word: &Word| {
        word.as_literal().is_some_and(|text| {
            matches!(
                text,
                "-s" | "-u" | "-q" | "-p" | "globstar" | "nullglob" | "dotglob" | "nocaseglob" | "nocasematch"
            )
        })
    };
    if arguments.iter().all(harmless) {
        return Finding::reads();
    }
    Finding::shown(CommandKind::Unknown, "builtin.shopt", first, "an option of the shell that changes how text is read")
}

/// Whether these arguments only show or wait for something.
pub(super) fn only_shows(name: &str, arguments: &[Word]) -> bool {
    let all = |harmless: fn(&str) -> bool| arguments.iter().all(|word| word.as_literal().is_some_and(harmless));
    match name {
        "jobs" => all(|text| matches!(text, "-l" | "-p" | "-r" | "-s" | "-n")),
        "wait" => all(|text| text == "-n" || text.bytes().all(|byte| byte.is_ascii_digit())),
        "umask" => all(|text| matches!(text, "-S" | "-p")),
        "ulimit" => all(|text| text.len() == 2 && text.starts_with('-')),
        "hash" => arguments.is_empty(),
        "trap" => {
            let shows = |text: &str| matches!(text, "-l" | "-p");
            let names_signal = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
            // `trap - EXIT` takes a trap away; what it would have run was judged where it was set.
            match arguments.split_first() {
                Some((first, signals)) if first.as_literal() == Some("-") => {
                    signals.iter().all(|word| word.as_literal().is_some_and(names_signal))
                }
                Some(_) | None => all(shows),
            }
        }
        "alias" => all(|text| text == "-p"),
        "history" => arguments.len() <= 1 && all(|text| text.bytes().all(|byte| byte.is_ascii_digit())),
        "compgen" => all(|text| matches!(text, "-a" | "-b" | "-c" | "-k" | "-v" | "-e")),
        _ => false,
    }
}
