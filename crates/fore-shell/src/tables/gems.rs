//! Package managers of languages that have no file of their own.

use super::grammar::{
    Grammar, READER, Row, VERBS, Verbs, WORDS, changes, flags, nested, starts, verb, verbs,
};
use super::packages::{ASKING, LISTING};
use crate::finding::Kind;

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
                        options: &[flags(
                            "-a -l -d --local --all --details --no-versions --versions -i --quiet",
                        )],
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
        &[
            "gem install x",
            "gem ins x",
            "gem uninstall x",
            "gem exec x",
            "gem list --config-file x",
        ],
    ),
    verbs(
        "composer",
        &Verbs {
            options: &[flags("-V -n --no-interaction --no-ansi --no-plugins -q")],
            verbs: &[
                verb(
                    "show info licenses outdated validate depends why prohibits why-not diagnose",
                    &Grammar {
                        check: Some(|seen, _| {
                            (!seen.has("--no-plugins")).then(|| {
                                seen.verdict(
                                    Kind::Runs,
                                    "plugins",
                                    "loads plugins of the project unless told `--no-plugins`",
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
        &["composer --version", "composer show --no-plugins"],
        &[
            "composer install",
            "composer require x",
            "composer show",
            "composer run test",
        ],
    ),
    verbs(
        "bundle bundler rake rails",
        &Verbs {
            options: &[flags("-v")],
            verbs: &[changes(
                "install add update remove init clean config lock pristine",
                "changes gems",
            )],
            bare: Kind::Runs,
            otherwise: Kind::Runs,
            help: super::grammar::Help::Never,
            ..VERBS
        },
        &["bundle --version", "rake --version"],
        &[
            "bundle install",
            "bundle exec rspec",
            "rake test",
            "rails console",
            "bundle list",
        ],
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
                starts(
                    "build test run publish list watch format msbuild exec",
                    "runs the project's build",
                ),
                changes(
                    "new add remove restore clean tool workload sln pack",
                    "changes files",
                ),
            ],
            otherwise: Kind::Runs,
            help: super::grammar::Help::Never,
            ..VERBS
        },
        &["dotnet --version", "dotnet --info", "dotnet --list-sdks"],
        &[
            "dotnet build",
            "dotnet run",
            "dotnet add package x",
            "dotnet x.dll",
        ],
    ),
    verbs(
        "nix nix-store",
        &Verbs {
            verbs: &[starts(
                "run develop build shell flake eval repl",
                "evaluates and builds code",
            )],
            otherwise: Kind::Unknown,
            help: super::grammar::Help::Never,
            ..VERBS
        },
        &["nix --version"],
        &[
            "nix run x",
            "nix develop",
            "nix-store --gc",
            "nix profile install x",
        ],
    ),
];
