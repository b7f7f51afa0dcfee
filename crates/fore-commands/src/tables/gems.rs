//! Package managers and build drivers of languages that have no file of their own.

use super::grammar::{CommandRow, VERBS, Verbs, always, changes, flags, nested, starts, steered, verb, verbs};
use super::packages::ASKING;
use fore_shell::CommandKind;

const RUBY: &str = "`.ruby-version`, `Gemfile` and `.bundle/config`";

pub(super) const ROWS: &[CommandRow] = &[
    steered(
        RUBY,
        verbs(
            "gem",
            &Verbs {
                options: &[flags("-v -h")],
                verbs: &[
                    starts("list env environment contents which specification dependency", "starts ruby"),
                    verb("search query info outdated", &ASKING),
                ],
                otherwise: CommandKind::Writes,
                help: super::grammar::Help::Never,
                ..VERBS
            },
            &[],
            &["gem --version", "gem list", "gem env", "gem search x", "gem install x", "gem ins x", "gem exec x"],
        ),
    ),
    steered(
        RUBY,
        verbs(
            "bundle bundler",
            &Verbs {
                options: &[flags("-v")],
                verbs: &[changes("install add update remove init clean config lock pristine", "changes gems")],
                bare: CommandKind::Runs,
                otherwise: CommandKind::Runs,
                help: super::grammar::Help::Never,
                ..VERBS
            },
            &[],
            &["bundle --version", "bundle -v", "bundle install", "bundle exec rspec", "bundle list"],
        ),
    ),
    steered(
        RUBY,
        always(
            "rake rails",
            CommandKind::Runs,
            "runs code of the project",
            &["rake", "rake --version", "rake -T", "rails console", "rails --version", "rails --help"],
        ),
    ),
    steered(
        "plugins and scripts of `composer.json`",
        verbs(
            "composer",
            &Verbs {
                options: &[flags("-V -n --no-interaction --no-ansi --no-plugins --no-scripts -q")],
                verbs: &[starts(
                    "show info licenses outdated validate depends why prohibits why-not diagnose run-script run exec test",
                    "loads plugins and scripts of the project",
                )],
                otherwise: CommandKind::Writes,
                help: super::grammar::Help::Never,
                ..VERBS
            },
            &[],
            &[
                "composer --version",
                "composer show",
                "composer show --no-plugins --no-scripts",
                "composer install",
                "composer require x",
                "composer run test",
            ],
        ),
    ),
    steered(
        "`global.json` and `Directory.Build.props`",
        verbs(
            "dotnet",
            &Verbs {
                options: &[flags("--info --list-sdks --list-runtimes")],
                verbs: &[
                    nested("nuget", &Verbs { bare: CommandKind::Unknown, otherwise: CommandKind::Writes, ..VERBS }),
                    changes("new add remove restore clean tool workload sln pack", "changes files"),
                ],
                otherwise: CommandKind::Runs,
                help: super::grammar::Help::Never,
                ..VERBS
            },
            &[],
            &[
                "dotnet --version",
                "dotnet --info",
                "dotnet build",
                "dotnet run",
                "dotnet add package x",
                "dotnet x.dll",
            ],
        ),
    ),
    steered(
        "`flake.nix` and `shell.nix`",
        verbs(
            "nix nix-store nix-shell nix-build",
            &Verbs {
                verbs: &[starts("run develop build shell flake eval repl", "evaluates and builds code")],
                otherwise: CommandKind::Unknown,
                help: super::grammar::Help::Never,
                ..VERBS
            },
            &[],
            &["nix --version", "nix run x", "nix develop", "nix-store --gc", "nix profile install x"],
        ),
    ),
];
