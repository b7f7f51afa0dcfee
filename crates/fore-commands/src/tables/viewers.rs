//! Programs that show files for people, and readers of structured and binary formats.

use super::{
    catalogue::ArgumentScan,
    grammar::{
        CommandRow, Grammar, NOTHING, Operands, READER, Reaches, ValueType::*, flags, parse, runs, runs_with, value,
        writes, writes_with,
    },
};
use fore_shell::{CommandKind, Finding, JudgeContext};

pub(super) const ROWS: &[CommandRow] = &[
    parse(
        "less zless",
        &Grammar {
            options: &[
                flags("-N -S -R -r -F -X -i -I -M -m -n -e -E -q -Q -s -w -W -g -G -d -f -c -K -J -L"),
                flags(
                    "--LINE-NUMBERS --line-numbers --chop-long-lines --RAW-CONTROL-CHARS --quit-if-one-screen --no-init --ignore-case --squeeze-blank-lines --use-color",
                ),
                writes_with("-o -O --log-file --LOG-FILE", "writes a file"),
                runs_with("--cmd --lesskey-file --lesskey-src --lesskey-content -k", "may run commands"),
            ],
            check: Some(plus_commands),
            ..READER
        },
        &["less f", "less -N f", "less +G f", "less +20 f", "less -SR f"],
        &[
            "less '+!touch x' f",
            "less -o out f",
            "less --log-file=x f",
            "less --cmd=x f",
            "less $x",
            "less -Oout f",
            "less -oout f",
            "less -p -- -of g",
            "less '+/a' f",
        ],
    ),
    parse(
        "more zmore",
        &Grammar {
            options: &[flags("-d -f -l -c -s -u -e"), value("-n --lines", Int)],
            digits: true,
            check: Some(plus_commands),
            ..READER
        },
        &["more f", "more -s f", "more +20 f"],
        &["more '+/x' f", "more '+!x' f", "more $x", "more -p '!touch x' f"],
    ),
    parse(
        "man",
        &Grammar {
            options: &[
                flags("-k -f -w -a -W --where --path --apropos --whatis --all"),
                value("-s -S --sections", Text),
                value("-P --pager", Enum("cat")),
            ],
            operands: Operands { rest: Some(Format(is_page)), ..NOTHING },
            ..READER
        },
        &["man ls", "man 5 crontab", "man -k copy", "man -P cat ls"],
        &[
            "man -P 'sh -c x' ls",
            "man --html=x ls",
            "man -Hx ls",
            "man ./x.1",
            "man -l x",
            "man --pager=x ls",
            "man $x",
        ],
    ),
    parse(
        "info cheat",
        &Grammar {
            options: &[flags("-d -s -m")],
            operands: Operands { rest: Some(Format(is_page)), ..NOTHING },
            ..READER
        },
        &["cheat tar"],
        &["info -o x ls", "cheat -e x"],
    ),
    parse(
        "tldr",
        &Grammar {
            options: &[flags("-m")],
            operands: Operands { rest: Some(Format(is_page)), ..NOTHING },
            reach: Reaches::AnyHost,
            ..READER
        },
        &["tldr tar"],
        &["tldr --update", "tldr -u", "tldr -c"],
    ),
    parse(
        "bat batcat",
        &Grammar {
            options: &[
                flags(
                    "-p -pp -n -A -P -L -u -s -V -h --plain --number --show-all --list-languages --list-themes --no-paging --force-colorization --squeeze-blank --unbuffered --diff -d --no-config --no-custom-assets --acknowledgements",
                ),
                value(
                    "-l -r -H -m --language --line-range --highlight-line --style --theme --color --wrap --tabs --decorations --file-name --map-syntax --italic-text --terminal-width --diff-context --nonprintable-notation --binary --ignored-suffix --theme-light --theme-dark --squeeze-limit --strip-ansi",
                    Text,
                ),
                value("--paging", Enum("never auto")),
                runs_with("--pager", "starts a program"),
                writes("--generate-config-file", "writes a file"),
                runs("--lessopen", "starts a program"),
            ],
            check: Some(|seen, _| {
                let cache = seen.operands.first().and_then(|word| word.as_literal()) == Some("cache");
                cache.then(|| seen.verdict(CommandKind::Writes, "cache", "keeps its cache"))
            }),
            ..READER
        },
        &["bat f", "bat -p f", "bat --style=plain --paging=never f", "bat -r 1:20 f", "batcat -n f", "bat -pp f"],
        &["bat --pager 'sh -c x' f", "bat --paging=always f", "bat cache --build", "bat --pager=sh f", "bat $x"],
    ),
    parse(
        "delta diff-so-fancy",
        &Grammar {
            options: &[
                flags(
                    "-s -n --side-by-side --line-numbers --color-only --no-gitconfig --dark --light --diff-so-fancy --raw --navigate --keep-plus-minus-markers",
                ),
                value("--paging", Enum("never")),
                value("-w --width --syntax-theme --features", Text),
            ],
            operands: NOTHING,
            check: Some(|seen, _| {
                (!seen.has("--no-gitconfig")).then(|| {
                    seen.verdict(CommandKind::Runs, "config", "obeys the repository's settings, which may name a pager")
                })
            }),
            ..READER
        },
        &["delta --no-gitconfig", "delta --no-gitconfig --side-by-side --paging=never"],
        &["delta", "delta --side-by-side", "delta --pager=sh", "delta --no-gitconfig --paging=always"],
    ),
];

/// Words starting with `+` are commands to the pager; only jumps to a place are known to be harmless.
fn plus_commands(seen: &ArgumentScan<'_>, _: &JudgeContext<'_>) -> Option<Finding> {
    seen.operands.iter().find_map(|word| {
        let prefix = match &word.value {
            fore_shell::Value::Literal(text) => text.as_str(),
            fore_shell::Value::Opaque(opaque) => opaque.prefix.as_str(),
        };
        let command = prefix.strip_prefix('+');
        let jumps =
            |text: &str| text == "G" || text == "F" || (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()));
        let is_unsure = word.as_literal().is_none() && prefix.is_empty();
        let harmless =
            if word.as_literal().is_some() { command.is_none_or(jumps) } else { command.is_none() && !is_unsure };
        (!harmless).then(|| {
            Finding::unknown(
                format!("{}.command", seen.name),
                word,
                format!("`{}` may be a command to the pager", word.source),
            )
        })
    })
}

fn is_page(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '+' | '[' | '@'))
        && !text.starts_with('.')
}
