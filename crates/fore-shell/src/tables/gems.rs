//! Package managers of languages that have no file of their own.

use super::grammar::{Grammar, READER, Row, VERBS, Verbs, WORDS, ask, changes, flags, nested, starts, verb, verbs};
use super::packages::{ASKING, LISTING};
use super::verdict::because;
use crate::finding::{Finding, Kind};

pub(super) const ROWS: &[Row] = &[
    verbs(
        "gem",
        &Verbs {
            options: &[flags("-v -h")],
            verbs: &[
                verb(
                    "list env environment contents which specification dependency",
                    &Grammar {
                        operands: WORDS,
                        options: &[flags("-a -l -d --local --all --details --no-versions --versions -i --quiet")],
                        ..READER
                    },
                ),
                verb("search query info outdated", &ASKING),
            ],
            otherwise: Kind::Writes,
            help: super::grammar::Help::Never,
            ..VERBS
        },
        &["gem list", "gem env", "gem which rake", "gem --version"],
        &["gem install x", "gem ins x", "gem uninstall x", "gem exec x", "gem list --config-file x"],
    ),
    verbs(
        "composer",
        &Verbs {
            options: &[flags("-V -n --no-interaction --no-ansi --no-plugins --no-scripts -q")],
            verbs: &[
                verb(
                    "show info licenses outdated validate depends why prohibits why-not diagnose",
                    &Grammar {
                        check: Some(|seen, _| {
                            // A script of the project may hang on `pre-command-run`.
                            (!seen.has("--no-plugins") || !seen.has("--no-scripts")).then(|| {
                                seen.verdict(
                                    Kind::Runs,
                                    "plugins",
                                    "runs plugins and scripts of the project unless told `--no-plugins --no-scripts`",
                                )
                            })
                        }),
                        ..LISTING
                    },
                ),
                starts("run-script run exec test", "runs scripts of the project"),
            ],
            otherwise: Kind::Writes,
            help: super::grammar::Help::Never,
            ..VERBS
        },
        &["composer --version", "composer show --no-plugins --no-scripts"],
        &["composer install", "composer require x", "composer show", "composer show --no-plugins", "composer run test"],
    ),
    verbs(
        "bundle bundler",
        &Verbs {
            options: &[flags("-v")],
            verbs: &[changes("install add update remove init clean config lock pristine", "changes gems")],
            bare: Kind::Runs,
            otherwise: Kind::Runs,
            help: super::grammar::Help::Never,
            ..VERBS
        },
        &["bundle --version", "bundle -v"],
        &["bundle install", "bundle exec rspec", "bundle list"],
    ),
    verbs(
        // Here `-v` is no version but a talkative run of the default task.
        "rake",
        &Verbs {
            options: &[flags("-V")],
            bare: Kind::Runs,
            otherwise: Kind::Runs,
            help: super::grammar::Help::Never,
            ..VERBS
        },
        &["rake --version", "rake -V"],
        &["rake", "rake test", "rake -v", "rake -T"],
    ),
    ask(
        "rails",
        |argv, _| match argv.first() {
            // Even `rails --version` starts `bin/rails` of the project it stands in.
            Some(program) => because(Kind::Runs, "rails".into(), program, "`rails` runs code of the project".into()),
            None => Finding::reads(),
        },
        &[],
        &["rails console", "rails --version", "rails --help"],
    ),
    verbs(
        "dotnet",
        &Verbs {
            options: &[flags("--info --list-sdks --list-runtimes")],
            verbs: &[
                nested(
                    "nuget",
                    &Verbs {
                        verbs: &[verb("locals-list", &LISTING)],
                        bare: Kind::Unknown,
                        otherwise: Kind::Writes,
                        ..VERBS
                    },
                ),
                starts("build test run publish list watch format msbuild exec", "runs the project's build"),
                changes("new add remove restore clean tool workload sln pack", "changes files"),
            ],
            otherwise: Kind::Runs,
            help: super::grammar::Help::Never,
            ..VERBS
        },
        &["dotnet --version", "dotnet --info", "dotnet --list-sdks"],
        &["dotnet build", "dotnet run", "dotnet add package x", "dotnet x.dll"],
    ),
    verbs(
        "nix nix-store",
        &Verbs {
            verbs: &[starts("run develop build shell flake eval repl", "evaluates and builds code")],
            otherwise: Kind::Unknown,
            help: super::grammar::Help::Never,
            ..VERBS
        },
        &["nix --version"],
        &["nix run x", "nix develop", "nix-store --gc", "nix profile install x"],
    ),
];
