//! Rust's tools. `cargo`, `rustc` and the rest are proxies that start the toolchain which the folder names.

use super::{
    grammar::{
        CommandRow, Grammar, Handling, READER, Reaches, VERBS, ValueType::*, Verb, Verbs, WORDS, always, ask, changes,
        flags, nested, runs_with, steered, value, verb, verbs,
    },
    registry_option::registry_of,
};
use fore_shell::{CommandKind, Finding, JudgeContext, Partner, Registry, Word};

const BY: &str = "`rust-toolchain.toml` and `.cargo/config.toml`";

/// Which registry that is, the project's `.cargo/config.toml` says.
const ASKING: Grammar = Grammar {
    options: &[value("--limit --color --registry --index", Text), flags("-q -v --verbose --quiet --offline --locked")],
    operands: WORDS,
    reach: Reaches::Configured(Partner::Registry(Registry::Cargo)),
    check: Some(|seen, _| registry_of("--registry --index", seen)),
    ..READER
};

pub(super) const ROWS: &[CommandRow] = &[
    steered(
        BY,
        verbs(
            "cargo",
            &Verbs {
                options: &[
                    flags("--locked --offline --frozen -q --quiet -v -vv -vV -Vv --verbose -V --version --list -h"),
                    value("--color", Text),
                    runs_with("--config -C -Z", "changes how cargo works"),
                ],
                verbs: &[
                    verb("search info", &ASKING),
                    Verb { names: "fmt", action: Handling::Ask(formats) },
                    changes(
                        "new init add remove rm update fix clean install uninstall publish yank owner login logout package vendor generate-lockfile fetch",
                        "changes files or the registry",
                    ),
                ],
                otherwise: CommandKind::Runs,
                help: super::grammar::Help::Every,
                ..VERBS
            },
            &[],
            &[
                "cargo --version",
                "cargo -V",
                "cargo tree",
                "cargo tree --depth 1 -e normal",
                "cargo metadata --no-deps --format-version 1",
                "cargo locate-project",
                "cargo search serde",
                "cargo --list",
                "cargo add --help",
                "cargo build --help",
                "cargo build",
                "cargo fmt",
                "cargo fmt --check",
                "cargo fix",
                "cargo add serde",
                "cargo --config x.toml tree",
                "cargo -C d tree",
                "cargo foo --help",
                "cargo clippy --fix",
                "cargo $x",
                "cargo +nightly tree",
                "cargo update --dry-run",
                "cargo info x --registry y",
                "cargo audit",
            ],
        ),
    ),
    steered(
        BY,
        always(
            "rustc rustdoc cargo-clippy cargo-fmt cargo-miri clippy-driver rust-gdb rust-lldb rls",
            CommandKind::Runs,
            "compiles",
            &["rustc --version", "rustc -vV", "rustc --print sysroot", "rustc main.rs", "rustdoc --version"],
        ),
    ),
    steered(
        BY,
        verbs(
            "rustup",
            &Verbs {
                options: &[flags("-v -q --verbose --quiet -V")],
                verbs: &[
                    nested(
                        "toolchain target component override",
                        &Verbs {
                            verbs: &[super::grammar::starts("list", "asks the toolchain that the folder names")],
                            bare: CommandKind::Unknown,
                            otherwise: CommandKind::Writes,
                            ..VERBS
                        },
                    ),
                    changes("update install uninstall default set self upgrade", "changes toolchains"),
                ],
                otherwise: CommandKind::Runs,
                ..VERBS
            },
            &[],
            &[
                "rustup show",
                "rustup --version",
                "rustup toolchain list",
                "rustup which cargo",
                "rustup update",
                "rustup default nightly",
                "rustup toolchain install nightly",
                "rustup run nightly ls",
                "rustup override set x",
            ],
        ),
    ),
    steered(
        BY,
        ask(
            "rustfmt",
            rustfmt,
            &[],
            &["rustfmt --version", "rustfmt --check src/main.rs", "rustfmt src/main.rs", "rustfmt --emit files f"],
        ),
    ),
];

/// `cargo fmt` rewrites files unless it is asked to look.
fn formats(argv: &[Word], _: &JudgeContext<'_>) -> Finding {
    rewrites(argv, "cargo.fmt", "`cargo fmt` rewrites source files", |text| matches!(text, "--check" | "--help" | "-h"))
}

fn rustfmt(argv: &[Word], _: &JudgeContext<'_>) -> Finding {
    let looks = |text: &str| matches!(text, "--check" | "--emit=stdout" | "--version" | "-V" | "--help" | "-h");
    rewrites(argv, "rustfmt.operand", "`rustfmt` rewrites the files it is given", looks)
}

/// Nothing but a word that says "only look" keeps these from rewriting files; whatever else they do, they run.
fn rewrites(argv: &[Word], rule: &str, why: &str, looks: fn(&str) -> bool) -> Finding {
    match argv.split_first() {
        Some((program, words)) if !words.iter().filter_map(Word::as_literal).any(looks) => {
            Finding::shown(CommandKind::Writes, rule, program, why)
        }
        Some((program, _)) => Finding::shown(CommandKind::Runs, rule, program, "it starts programs over the project"),
        None => Finding::reads(),
    }
}
