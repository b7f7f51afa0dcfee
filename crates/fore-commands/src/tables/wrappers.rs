//! Programs that start another program: the inner command is judged in their place.

use super::{
    catalogue::{ArgumentScan, GivenValue, OptionScope, scan},
    grammar::{
        CommandRow, Grammar, OptionOrder, READER, ValueType::*, WORDS, ask, flags, output, runs_with, value,
        writes_with,
    },
};
use fore_shell::{Finding, JudgeContext, Word};

pub(super) const ROWS: &[CommandRow] = &[
    ask(
        "timeout gtimeout",
        timeout,
        &["timeout 5 ls", "timeout -k 1 5s cat f", "timeout --signal=KILL 5 ls", "timeout 10 grep -r x ."],
        &["timeout 5 rm x", "timeout 5", "timeout $x ls", "timeout -x 5 ls", "timeout 5 $x"],
    ),
    ask(
        "nice",
        |argv, context| plain(argv, &NICE, context),
        &["nice ls", "nice -n 10 ls", "nice -10 ls", "nice"],
        &["nice rm x", "nice -n 5 rm x"],
    ),
    ask(
        "ionice",
        |argv, context| plain(argv, &IONICE, context),
        &["ionice -c 3 ls", "ionice -c3 cat f"],
        &["ionice -c 3 rm x", "ionice -c 3 -p 1"],
    ),
    ask(
        "stdbuf",
        |argv, context| plain(argv, &STDBUF, context),
        &["stdbuf -oL ls", "stdbuf -o L grep x f"],
        &["stdbuf -oL rm x", "stdbuf -oL"],
    ),
    ask(
        "time",
        |argv, context| plain(argv, &TIME, context),
        &["time ls", "time -p ls", "/usr/bin/time -v ls"],
        &["time rm x", "time -o f ls", "time -of ls", "time --output=f ls"],
    ),
    ask("chronic", |argv, context| plain(argv, &CHRONIC, context), &["chronic ls"], &["chronic rm x"]),
    ask(
        "env",
        env,
        &["env", "env LC_ALL=C ls", "env -i ls", "env -u X ls", "env TZ=UTC date", "env -0"],
        &[
            "env rm x",
            "env LD_PRELOAD=x ls",
            "env -S 'rm x'",
            "env PATH=. ls",
            "env $x",
            "env -i rm x",
            "env A=b ls",
            "env --split-string='rm x'",
            "env GIT_PAGER=sh git log",
            "env - rm x",
            "env -vS 'rm x'",
            "env -u GIT_CONFIG_COUNT git diff",
            "env -i git diff",
            "env - git status",
            "env LC_ALL=zh_CN.GBK bash -c ls",
        ],
    ),
    ask(
        "watch",
        watch,
        &["watch -n 1 ls", "watch 'df -h | head'", "watch --version"],
        &["watch rm x", "watch -n1 'rm x'", "watch $x", "watch '[[ a > b ]]'"],
    ),
];

static NICE: Grammar = Grammar {
    options: &[value("-n --adjustment", Int)],
    digits: true,
    operands: WORDS,
    order: OptionOrder::OptionsFirst,
    ..READER
};
static IONICE: Grammar = Grammar {
    options: &[
        value("-c -n --class --classdata", Text),
        flags("-t --ignore"),
        writes_with("-p -P -u --pid --pgid --uid", "changes a running process"),
    ],
    operands: WORDS,
    order: OptionOrder::OptionsFirst,
    ..READER
};
static STDBUF: Grammar = Grammar {
    options: &[value("-i -o -e --input --output --error", Format(is_mode))],
    operands: WORDS,
    order: OptionOrder::OptionsFirst,
    ..READER
};
static TIME: Grammar = Grammar {
    options: &[
        flags("-p -v -l -h -q -a --portability --verbose --quiet --append"),
        value("-f --format", Text),
        output("-o --output"),
    ],
    operands: WORDS,
    order: OptionOrder::OptionsFirst,
    ..READER
};
static CHRONIC: Grammar =
    Grammar { options: &[flags("-v -e")], operands: WORDS, order: OptionOrder::OptionsFirst, ..READER };
static TIMEOUT: Grammar = Grammar {
    options: &[flags("-v -p -f --preserve-status --foreground --verbose"), value("-k -s --kill-after --signal", Text)],
    operands: WORDS,
    order: OptionOrder::OptionsFirst,
    ..READER
};
static ENV: Grammar = Grammar {
    options: &[
        flags("-i -0 -v --ignore-environment --null --debug --list-signal-handling"),
        value("-u --unset", Text),
        runs_with("-S -C -P -a --split-string --chdir --argv0", "is not analysed"),
    ],
    operands: WORDS,
    order: OptionOrder::OptionsFirst,
    ..READER
};
static WATCH: Grammar = Grammar {
    options: &[
        flags(
            "-d -t -e -g -c -b -p -x -w -C --differences --no-title --errexit --chgexit --color --beep --precise --exec --no-wrap",
        ),
        value("-n -q --interval --equexit", Text),
    ],
    operands: WORDS,
    order: OptionOrder::OptionsFirst,
    ..READER
};

fn is_mode(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// What stands in the way before the inner command, and the inner command itself.
pub(super) fn split<'w>(
    argv: &'w [Word],
    grammar: &'static Grammar,
    context: &JudgeContext<'_>,
) -> Option<(ArgumentScan<'w>, &'w [Word])> {
    let (program, words) = argv.split_first()?;
    let name = program.as_literal().unwrap_or_default();
    let seen = scan(name.rsplit('/').next().unwrap_or(name), program, words, grammar, OptionScope::NONE, context);
    let inner = words.get(seen.stop..).unwrap_or_default();
    Some((seen, inner))
}

pub(super) fn asks_about_itself(argv: &[Word]) -> bool {
    matches!(argv, [_, only] if matches!(only.as_literal(), Some("--version" | "--help")))
}

/// Judges the inner command one level deeper.
pub(super) fn inner(command: &[Word], seen: &ArgumentScan<'_>, context: &JudgeContext<'_>) -> Finding {
    let Some(first) = command.first() else {
        return seen.unknown("command", "has no command to start");
    };
    if first.as_literal().is_none() {
        return Finding::unknown(
            format!("{}.word", seen.name),
            first,
            format!("what `{}` starts is decided at run time", seen.name),
        );
    }
    match context.deeper() {
        Some(deeper) => fore_shell::judge_argv(command, &deeper),
        None => seen.unknown("depth", "is nested too deeply to judge"),
    }
}

/// Wrappers whose options are all they have before the command.
fn plain(argv: &[Word], grammar: &'static Grammar, context: &JudgeContext<'_>) -> Finding {
    if asks_about_itself(argv) {
        return Finding::reads();
    }
    let Some((seen, command)) = split(argv, grammar, context) else {
        return Finding::reads();
    };
    if command.is_empty() && seen.name == "nice" {
        return seen.finding;
    }
    seen.finding.clone().and(inner(command, &seen, context))
}

fn timeout(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    if asks_about_itself(argv) {
        return Finding::reads();
    }
    let Some((seen, words)) = split(argv, &TIMEOUT, context) else {
        return Finding::reads();
    };
    let Some((duration, command)) = words.split_first() else {
        return seen.unknown("command", "has no command to start");
    };
    let is_duration = |text: &str| {
        text.bytes().next().is_some_and(|b| b.is_ascii_digit() || b == b'.')
            && text.bytes().all(|b| b.is_ascii_digit() || b".smhd".contains(&b))
    };
    if !duration.as_literal().is_some_and(is_duration) {
        return seen.finding.and(Finding::unknown(
            "timeout.duration",
            duration,
            format!("`{}` is no duration", duration.source),
        ));
    }
    seen.finding.clone().and(inner(command, &seen, context))
}

fn env(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    if asks_about_itself(argv) {
        return Finding::reads();
    }
    let Some((seen, mut words)) = split(argv, &ENV, context) else {
        return Finding::reads();
    };
    let mut finding = seen.finding.clone();
    let mut empties = seen.has("-i --ignore-environment");
    if words.first().and_then(Word::as_literal) == Some("-") {
        words = words.get(1..).unwrap_or_default();
        empties = true;
    }
    let steers = |one: &super::catalogue::SeenOption<'_>| {
        matches!(one.name, "-u" | "--unset")
            && match one.value {
                GivenValue::Text(name) => fore_shell::syntax::steers(name),
                GivenValue::Nothing | GivenValue::Something => true,
            }
    };
    if seen.options.iter().any(steers) {
        finding = finding.and(seen.unknown("-u", "takes away a variable that may keep the command harmless"));
    }
    while let Some((first, rest)) = words.split_first() {
        let Some((name, value)) = first.as_literal().and_then(|text| text.split_once('=')) else {
            break;
        };
        if !is_harmless_assignment(name, value) {
            let why = format!("`env` sets `{}`, which may change what the command does", fore_shell::quoted(name));
            finding = finding.and(Finding::unknown("env.assignment", first, why));
        }
        words = rest;
    }
    if words.is_empty() {
        return finding;
    }
    let before = context.met.borrow().len();
    finding = finding.and(inner(words, &seen, context));
    // Git is kept from running programs and from writing its index by variables that would be gone.
    let starts_git = context.met.borrow().iter().skip(before).any(|argv| {
        let program = argv.first().and_then(Option::as_deref).unwrap_or_default();
        program.rsplit('/').next() == Some("git")
    });
    if empties && starts_git {
        finding = finding.and(seen.unknown("-i", "takes away the variables that keep git harmless"));
    }
    finding
}

/// Variables that only change how something looks.
fn is_harmless_assignment(name: &str, value: &str) -> bool {
    match name {
        "GIT_PAGER" | "PAGER" | "MANPAGER" | "GH_PAGER" => matches!(value, "cat" | ""),
        "GIT_OPTIONAL_LOCKS" | "GIT_TERMINAL_PROMPT" => value == "0",
        "TZ" => true,
        "NO_COLOR" | "FORCE_COLOR" | "CLICOLOR" | "CLICOLOR_FORCE" | "COLUMNS" | "LINES" | "TERM"
        | "RUST_BACKTRACE" | "BLOCKSIZE" | "CARGO_TERM_COLOR" | "GREP_COLORS" => !value.contains('/'),
        _ => fore_shell::syntax::may_export(name, Some(value)),
    }
}

/// `watch` hands its words, joined, to a shell.
fn watch(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    if asks_about_itself(argv) {
        return Finding::reads();
    }
    let Some((seen, words)) = split(argv, &WATCH, context) else {
        return Finding::reads();
    };
    let literals: Vec<&str> = words.iter().filter_map(Word::as_literal).collect();
    if literals.len() != words.len() || literals.is_empty() {
        return seen.finding.clone().and(seen.unknown("word", "starts something decided at run time"));
    }
    let Some(deeper) = context.deeper() else {
        return seen.unknown("depth", "is nested too deeply to judge");
    };
    let verdict = if seen.has("-x --exec") {
        fore_shell::judge_argv(words, &deeper)
    } else {
        // `sh` reads some texts differently from bash: `[[ a > b ]]` writes a file there.
        let shell = ["sh", "-c", &literals.join(" ")].map(Word::literal);
        fore_shell::judge_argv(&shell, &deeper)
    };
    seen.finding.and(verdict)
}
