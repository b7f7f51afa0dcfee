//! JavaScript's tools. Version managers stand in for nearly all of them, and `package.json` names what they start.

use super::grammar::{
    CommandRow, Grammar, Operands, READER, Reaches, VERBS, ValueType::*, Verbs, WORDS, always, ask, changes, flags,
    nested, output, parse, runs_with, starts, steered, value, verb, verbs, writes,
};
use super::registry_option::registry_of;
use fore_shell::{CommandKind, Finding, JudgeContext, Partner, Registry, Word};

const BY: &str = "`package.json`, `.npmrc` and version files";

const REGISTRY: Reaches = Reaches::Configured(Partner::Registry(Registry::Npm));

/// Which registry is asked, `.npmrc` says, for each scope another.
const ASKING: Grammar = Grammar {
    options: &[
        flags("-a -g -l -p -s --all --long --parseable --json --global --silent --no-color -w --workspaces"),
        value("--depth --omit --include --workspace --prefix --registry --loglevel", Text),
    ],
    operands: WORDS,
    reach: REGISTRY,
    check: Some(|seen, _| registry_of("--registry", seen)),
    ..READER
};
/// Verbs with a form that only asks.
const ASKED: Verbs = Verbs {
    verbs: &[verb("ls list get", &ASKING)],
    bare: CommandKind::Unknown,
    otherwise: CommandKind::Writes,
    reach: REGISTRY,
    ..VERBS
};
const KEPT: Verbs = Verbs {
    verbs: &[starts("get list ls", "loads settings of the project")],
    bare: CommandKind::Unknown,
    otherwise: CommandKind::Writes,
    ..VERBS
};

pub(super) const ROWS: &[CommandRow] = &[
    steered(
        BY,
        verbs(
            "npm",
            &Verbs {
                options: &[
                    flags(
                        "-v -g --global --json --silent -s -q --quiet --no-color --long --no-update-notifier --no-fund --no-audit --offline --workspaces -h",
                    ),
                    value("--prefix --loglevel -w --workspace", Text),
                    runs_with(
                        "--script-shell --node-options --userconfig --globalconfig --cache",
                        "changes how npm works",
                    ),
                ],
                verbs: &[
                    verb("view info show v outdated search s find se ping whoami", &ASKING),
                    nested("config c pkg", &KEPT),
                    nested("dist-tag dist-tags owner access team token profile org", &ASKED),
                    verb(
                        "audit",
                        &Grammar {
                            operands: Operands {
                                rest: Some(Enum("signatures")),
                                surplus: (CommandKind::Writes, "fix changes packages"),
                                first: &[],
                            },
                            ..ASKING
                        },
                    ),
                    starts(
                        "ls list ll la explain why root prefix bin get query run run-script rum urn version versions help",
                        "loads settings of the project",
                    ),
                    starts(
                        "test t tst start stop restart exec x explore edit doctor fund",
                        "runs scripts of the project",
                    ),
                    changes(
                        "install i in ins inst insta instal isnt isnta isntal add ci clean-install ic install-clean isntall-clean install-test it cit update up upgrade udpate uninstall un unlink remove rm r publish unpublish deprecate link ln init create innit set cache dedupe ddp prune rebuild rb shrinkwrap pack login logout adduser star unstar audit-fix diff install-ci-test",
                        "changes packages, files or the registry",
                    ),
                ],
                otherwise: CommandKind::Unknown,
                ..VERBS
            },
            &[],
            &[
                "npm --version",
                "npm -v",
                "npm ls --depth=0",
                "npm view react version",
                "npm config get registry",
                "npm explain x",
                "npm audit --json",
                "npm install --help",
                "npm run",
                "npm install",
                "npm i x",
                "npm ci",
                "npm run build",
                "npm audit fix",
                "npm config set a b",
                "npm c set a b",
                "npm pkg set a=b",
                "npm version patch",
                "npm $x",
                "npm --script-shell=sh ls",
                "npm view x --registry http://a.b",
                "npm --prefix --cache=x ls",
            ],
        ),
    ),
    steered(
        "`.yarnrc.yml` and `package.json`",
        ask(
            "yarn yarnpkg",
            yarn,
            &[],
            &[
                "yarn",
                "yarn install",
                "yarn add x",
                "yarn test",
                "yarn --silent",
                "yarn config set a b",
                "yarn workspaces foreach run x",
                "yarn why x",
                "yarn --version",
            ],
        ),
    ),
    steered(
        BY,
        verbs(
            "pnpm",
            &Verbs {
                options: &[
                    flags("-v -r --recursive -s --silent -w --workspace-root --json -h"),
                    value("-C --dir --filter -F --loglevel --reporter", Text),
                ],
                verbs: &[
                    // `.pnpmfile.cjs` of the project is loaded whatever is asked.
                    nested(
                        "audit",
                        &Verbs {
                            options: &[writes("--fix", "changes packages")],
                            bare: CommandKind::Runs,
                            otherwise: CommandKind::Runs,
                            help: super::grammar::Help::Never,
                            ..VERBS
                        },
                    ),
                    nested(
                        "config c store",
                        &Verbs {
                            verbs: &[starts("get list path status", "loads code of the project")],
                            bare: CommandKind::Unknown,
                            otherwise: CommandKind::Writes,
                            help: super::grammar::Help::Never,
                            ..VERBS
                        },
                    ),
                    changes(
                        "install i add remove rm uninstall un update up upgrade publish link unlink import rebuild rb prune fetch patch patch-commit dedupe deploy env setup init pack version self-update",
                        "changes packages or files",
                    ),
                ],
                otherwise: CommandKind::Runs,
                ..VERBS
            },
            &[],
            &[
                "pnpm --version",
                "pnpm ls",
                "pnpm why x",
                "pnpm -r ls",
                "pnpm config get registry",
                "pnpm audit",
                "pnpm install",
                "pnpm add x",
                "pnpm test",
                "pnpm exec ls",
                "pnpm audit --fix",
                "pnpm config set a b",
            ],
        ),
    ),
    steered(
        "`bunfig.toml`, `package.json` and version files",
        verbs(
            "bun",
            &Verbs {
                options: &[flags("-v --revision")],
                verbs: &[
                    nested(
                        "pm",
                        &Verbs {
                            verbs: &[starts("ls bin hash whoami cache-dir", "loads settings of the project")],
                            bare: CommandKind::Unknown,
                            otherwise: CommandKind::Writes,
                            ..VERBS
                        },
                    ),
                    verb("outdated info", &ASKING),
                    changes(
                        "install i add a remove rm update link unlink publish patch upgrade init",
                        "changes packages or files",
                    ),
                ],
                bare: CommandKind::Runs,
                otherwise: CommandKind::Runs,
                help: super::grammar::Help::Never,
                ..VERBS
            },
            &[],
            &[
                "bun --version",
                "bun pm ls",
                "bun install",
                "bun run x",
                "bun x.ts",
                "bun add x",
                "bun",
                "bun pm cache rm",
            ],
        ),
    ),
    steered(
        BY,
        always(
            "node nodejs deno npx bunx pnpx nodemon",
            CommandKind::Runs,
            "runs code",
            &["node --version", "node -v", "node x.js", "node -e 'x'", "node", "npx pkg", "npx tsc --noEmit"],
        ),
    ),
    steered(
        "the version files it is there for",
        verbs(
            "nvm fnm volta corepack nodenv nodebrew",
            &Verbs {
                verbs: &[
                    starts("ls list current version which versions root exec run", "asks version files"),
                    verb("ls-remote list-remote", &Grammar { reach: Reaches::AnyHost, ..ASKING }),
                ],
                otherwise: CommandKind::Writes,
                ..VERBS
            },
            &[],
            &["nvm ls", "nvm current", "nodenv exec ls", "nvm install 20", "volta pin node", "corepack enable"],
        ),
    ),
    steered(
        BY,
        parse(
            "tsc",
            &Grammar {
                options: &[
                    flags("-v --version --showConfig --all -h --noEmit"),
                    value("-p --project", ReadPath),
                    writes("--init", "writes a configuration file"),
                    output(
                        "--outDir --outFile --declarationDir --generateTrace --generateCpuProfile --tsBuildInfoFile",
                    ),
                ],
                operands: Operands {
                    surplus: (CommandKind::Writes, "writes compiled files"),
                    ..super::grammar::NOTHING
                },
                ..READER
            },
            &[],
            &["tsc --version", "tsc --showConfig", "tsc", "tsc --noEmit", "tsc --init", "tsc -p .", "tsc a.ts"],
        ),
    ),
];

/// `yarnPath` in the project's settings names a program that yarn hands everything to, even `--version`; so do plugins.
fn yarn(argv: &[Word], _: &JudgeContext<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    let verb = words.iter().filter_map(Word::as_literal).find(|text| !text.starts_with('-'));
    let installs = words.is_empty()
        || matches!(
            verb,
            Some(
                "install"
                    | "add"
                    | "remove"
                    | "upgrade"
                    | "up"
                    | "publish"
                    | "link"
                    | "unlink"
                    | "init"
                    | "create"
                    | "cache"
                    | "import"
                    | "set"
                    | "dedupe"
                    | "pack"
                    | "version"
                    | "global"
                    | "plugin"
                    | "patch"
                    | "rebuild"
                    | "unplug"
                    | "autoclean"
                    | "login"
                    | "logout"
            )
        );
    let (kind, why) = if installs {
        (CommandKind::Writes, "`yarn` changes packages or files here")
    } else {
        (CommandKind::Runs, "`yarn` runs the program that the project names")
    };
    Finding::shown(kind, "yarn", program, why)
}
