//! Rust's tools.

use super::{
    grammar::{
        Action, Grammar, NOTHING, Operands, READER, Reaches, Row, Type::*, VERBS, Verb, Verbs, WORDS, changes, flags,
        nested, output, parse, runs_with, starts, value, verb, verbs,
    },
    verdict::because,
};
use crate::{
    context::Context,
    finding::{Finding, Kind},
    word::Word,
};

pub(super) const ROWS: &[Row] = &[
    verbs(
        "cargo",
        &Verbs {
            options: &[
                flags("--locked --offline --frozen -q --quiet -v -vv -vV -Vv --verbose -V --version --list -h"),
                value("--color", Text),
                runs_with("--config -C -Z", "changes how cargo works"),
            ],
            verbs: &[
                verb(
                    "tree",
                    &Grammar {
                        options: &[
                            flags(
                                "-d --duplicates --no-dedupe --locked --offline --frozen --workspace --all --all-features --no-default-features -q --quiet -v --verbose",
                            ),
                            value(
                                "-i --invert -e --edges --prune --depth --prefix --charset -f --format --target -p --package --exclude -F --features --color",
                                Text,
                            ),
                            value("--manifest-path", ReadPath),
                        ],
                        operands: Operands { first: &[], rest: Some(Text), ..NOTHING },
                        ..READER
                    },
                ),
                verb(
                    "metadata",
                    &Grammar {
                        options: &[
                            flags(
                                "--no-deps --locked --offline --frozen --all-features --no-default-features -q --quiet -v --verbose",
                            ),
                            value("--format-version --filter-platform -F --features --color", Text),
                            value("--manifest-path", ReadPath),
                        ],
                        operands: NOTHING,
                        ..READER
                    },
                ),
                verb(
                    "pkgid locate-project read-manifest verify-project",
                    &Grammar {
                        options: &[
                            flags("--workspace"),
                            value("--message-format", Text),
                            value("-p --package --color", Text),
                            value("--manifest-path", ReadPath),
                            flags("--locked --offline --frozen -q --quiet -v --verbose"),
                        ],
                        operands: WORDS,
                        ..READER
                    },
                ),
                verb(
                    "help",
                    &Grammar {
                        operands: Operands {
                            rest: Some(Format(|text| text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'))),
                            ..NOTHING
                        },
                        ..READER
                    },
                ),
                verb("version", &Grammar { options: &[flags("-v --verbose")], operands: NOTHING, ..READER }),
                verb(
                    "search info",
                    &Grammar {
                        options: &[
                            value("--limit --color", Text),
                            runs_with("--registry", "may start the credential provider that the project names"),
                            flags("-q -v --verbose --quiet --offline --locked --frozen"),
                        ],
                        operands: WORDS,
                        reach: Reaches::Host("crates.io"),
                        ..READER
                    },
                ),
                // `audit`, `deny`, `outdated` and other verbs that are not built in are missing on purpose: an alias in
                // the project's own `.cargo/config.toml` goes before them.
                starts(
                    "build b check c test t run r bench doc d rustc rustdoc",
                    "compiles and runs code of the project",
                ),
                Verb { names: "fmt", action: Action::Ask(formats) },
                changes(
                    "new init add remove rm update fix clean install uninstall publish yank owner login logout package vendor generate-lockfile fetch",
                    "changes files or the registry",
                ),
            ],
            otherwise: Kind::Runs,
            help: super::grammar::Help::Every,
            ..VERBS
        },
        &[
            "cargo tree",
            "cargo tree -i serde",
            "cargo tree --depth 1 -e normal",
            "cargo metadata --no-deps --format-version 1",
            "cargo metadata --format-version=1",
            "cargo --version",
            "cargo -V",
            "cargo -vV",
            "cargo search serde",
            "cargo --list",
            "cargo pkgid",
            "cargo locate-project",
            "cargo add --help",
            "cargo build --help",
        ],
        &[
            "cargo build",
            "cargo test",
            "cargo check",
            "cargo run",
            "cargo fmt",
            "cargo fix",
            "cargo add serde",
            "cargo --config x.toml tree",
            "cargo -C d tree",
            "cargo foo",
            "cargo clippy --fix",
            "cargo fmt --check",
            "cargo clippy",
            "cargo xtask --help",
            "cargo $x",
            "cargo +nightly tree",
            "cargo update --dry-run",
            "cargo foo --help",
            "cargo info x --registry y",
            "cargo audit",
            "cargo deny check",
            "cargo audit --help",
            "cargo fmt --help",
            "cargo sweep --help",
        ],
    ),
    parse(
        "rustc",
        &Grammar {
            options: &[
                flags("-V -vV -v --verbose --version"),
                value(
                    "--print",
                    Enum(
                        "sysroot target-list target-libdir cfg host-tuple target-cpus target-features crate-name file-names native-static-libs split-debuginfo",
                    ),
                ),
                value("--explain --target", Format(is_no_argument_file)),
                output("-o --out-dir --emit"),
            ],
            operands: NOTHING,
            check: Some(|seen, _| {
                let asks = seen.has("-V -vV --version --print --explain") || seen.options.is_empty();
                (!asks).then(|| seen.unknown("compile", "without `--version` or `--print` compiles"))
            }),
            ..READER
        },
        &[
            "rustc --version",
            "rustc -vV",
            "rustc --print sysroot",
            "rustc --explain E0308",
            "rustc -V",
            "rustc --print=cfg",
        ],
        &[
            "rustc main.rs",
            "rustc -o x main.rs",
            "rustc --print link-args main.rs",
            "rustc --print=cfg=out.txt",
            "rustc -",
            "rustc --print cfg --target @arguments",
        ],
    ),
    verbs(
        "rustup",
        &Verbs {
            options: &[flags("-v -q --verbose --quiet -V")],
            verbs: &[
                verb(
                    "show",
                    &Grammar {
                        options: &[flags("-v --verbose")],
                        operands: Operands { rest: Some(Enum("active-toolchain home profile")), ..NOTHING },
                        ..READER
                    },
                ),
                nested(
                    "toolchain target component override",
                    &Verbs {
                        verbs: &[verb(
                            "list",
                            &Grammar {
                                options: &[flags("-v --verbose --installed -q --quiet"), value("--toolchain", Text)],
                                operands: NOTHING,
                                ..READER
                            },
                        )],
                        bare: Kind::Unknown,
                        otherwise: Kind::Writes,
                        ..VERBS
                    },
                ),
                verb("which", &Grammar { options: &[value("--toolchain", Text)], operands: WORDS, ..READER }),
                verb("check", &Grammar { operands: NOTHING, reach: Reaches::Host("static.rust-lang.org"), ..READER }),
                starts("run doc man", "starts a program"),
                changes("update install uninstall default set self upgrade", "changes toolchains"),
            ],
            ..VERBS
        },
        &[
            "rustup show",
            "rustup toolchain list",
            "rustup target list --installed",
            "rustup which cargo",
            "rustup component list",
            "rustup check",
        ],
        &[
            "rustup update",
            "rustup default nightly",
            "rustup toolchain install nightly",
            "rustup target add x",
            "rustup run nightly ls",
            "rustup override set x",
        ],
    ),
    parse(
        "rustfmt",
        &Grammar {
            options: &[
                flags("--check -l -q -v"),
                value("--edition --color", Text),
                value("--config", Format(is_harmless_setting)),
                value("--emit", Enum("stdout")),
            ],
            check: Some(|seen, _| {
                let only = seen.has("--check") || seen.has("--emit");
                (!only && !seen.operands.is_empty())
                    .then(|| seen.verdict(Kind::Writes, "operand", "rewrites the files it is given"))
            }),
            ..READER
        },
        &["rustfmt --check src/main.rs", "rustfmt --edition 2021 --check f", "rustfmt"],
        &[
            "rustfmt src/main.rs",
            "rustfmt --emit=files f",
            "rustfmt --emit files f",
            "rustfmt --config-path x --check f",
            "rustfmt --backup f",
            "rustfmt --check --config emit_mode=Files f",
            "rustfmt --check --config=max_width=80,emit_mode=files f",
        ],
    ),
];

/// `cargo fmt` rewrites files; with `--check` it still runs cargo and rustfmt over the project. Not even its help is
/// certain: an alias of the project goes before a verb that is not built in.
fn formats(argv: &[Word], _: &Context<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    let looks = |word: &Word| matches!(word.as_literal(), Some("--check" | "--help" | "-h"));
    let (kind, why) = if words.iter().any(looks) {
        (Kind::Runs, "starts programs over the project")
    } else {
        (Kind::Writes, "rewrites source files")
    };
    because(kind, "cargo.fmt".into(), program, format!("`cargo fmt` {why}"))
}

/// `--config emit_mode=Files` goes before `--check`, and another key keeps backups.
fn is_harmless_setting(text: &str) -> bool {
    !text.contains("emit_mode") && !text.contains("make_backup")
}

/// Other values name a file with more arguments.
fn is_no_argument_file(text: &str) -> bool {
    !text.starts_with('@')
}
