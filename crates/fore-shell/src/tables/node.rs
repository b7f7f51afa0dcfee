//! JavaScript's tools.

use super::grammar::{
    Grammar, NOTHING, Operands, READER, Reaches, Row, Type::*, VERBS, Verbs, WORDS, always, ask, changes, flags,
    nested, output, parse, runs_with, starts, value, verb, verbs, writes,
};
use crate::{
    context::Context,
    finding::{Finding, Kind},
    word::Word,
};

const LISTING: Grammar = Grammar {
    options: &[
        flags(
            "-a -g -l -j --all --long --parseable --json --global --link --package-lock-only --unicode -p -D -P --dev --prod --production --no-optional --omit --ignore-workspace -r --recursive -w --workspaces --workspace-root -s --silent --include-workspace-root --compatible --no-color --lockfile-only",
        ),
        value(
            "--depth --omit --include --only --workspace --filter -F -C --prefix --pattern --loglevel --before --long-format",
            Text,
        ),
    ],
    operands: WORDS,
    ..READER
};
const ASKING: Grammar = Grammar { reach: Reaches::Host("registry.npmjs.org"), ..LISTING };

pub(super) const ROWS: &[Row] = &[
    verbs(
        "npm",
        &Verbs {
            options: &[
                flags(
                    "-v -g --global --json --silent -s -q --quiet --no-color --long --no-update-notifier --no-fund --no-audit --offline --workspaces -h",
                ),
                value("--prefix --loglevel -w --workspace", Text),
                runs_with("--script-shell --node-options --userconfig --globalconfig --cache", "changes how npm works"),
            ],
            verbs: &[
                verb("ls list ll la", &LISTING),
                verb("explain why", &LISTING),
                verb("root prefix bin", &LISTING),
                verb("view info show v outdated search s find se ping docs-list", &ASKING),
                verb(
                    "fund whoami",
                    &Grammar {
                        operands: Operands { surplus: (Kind::Runs, "with a package opens a browser"), ..NOTHING },
                        ..ASKING
                    },
                ),
                nested(
                    "config c",
                    &Verbs {
                        verbs: &[verb("get list ls", &LISTING)],
                        bare: Kind::Unknown,
                        otherwise: Kind::Writes,
                        ..VERBS
                    },
                ),
                verb("get query", &LISTING),
                nested(
                    "pkg",
                    &Verbs { verbs: &[verb("get", &LISTING)], bare: Kind::Unknown, otherwise: Kind::Writes, ..VERBS },
                ),
                nested(
                    "dist-tag dist-tags",
                    &Verbs {
                        verbs: &[verb("ls list", &ASKING)],
                        bare: Kind::Unknown,
                        otherwise: Kind::Writes,
                        ..VERBS
                    },
                ),
                nested(
                    "owner access team token profile org",
                    &Verbs {
                        verbs: &[verb("ls list get", &ASKING)],
                        bare: Kind::Unknown,
                        otherwise: Kind::Writes,
                        ..VERBS
                    },
                ),
                verb(
                    "audit",
                    &Grammar {
                        operands: Operands {
                            rest: Some(Enum("signatures")),
                            surplus: (Kind::Writes, "fix changes packages"),
                            first: &[],
                        },
                        ..ASKING
                    },
                ),
                verb("version versions", &Grammar { operands: NOTHING, options: &[flags("--json")], ..READER }),
                verb("help help-search", &Grammar { operands: NOTHING, ..READER }),
                nested("run run-script rum urn", &Verbs { otherwise: Kind::Runs, ..VERBS }),
                starts("test t tst start stop restart exec x explore edit doctor", "runs scripts of the project"),
                changes(
                    "install i in ins inst insta instal isnt isnta isntal add ci clean-install ic install-clean isntall-clean install-test it cit update up upgrade udpate uninstall un unlink remove rm r publish unpublish deprecate link ln init create innit set cache dedupe ddp prune rebuild rb shrinkwrap pack login logout adduser star unstar audit-fix diff install-ci-test",
                    "changes packages, files or the registry",
                ),
            ],
            otherwise: Kind::Unknown,
            ..VERBS
        },
        &[
            "npm ls",
            "npm ls --depth=0",
            "npm list -g",
            "npm view react version",
            "npm outdated",
            "npm config get registry",
            "npm --version",
            "npm -v",
            "npm root -g",
            "npm explain x",
            "npm audit",
            "npm audit --json",
            "npm install --help",
            "npm pkg get name",
            "npm run",
            "npm config list",
            "npm why x",
        ],
        &[
            "npm install",
            "npm i x",
            "npm ci",
            "npm run build",
            "npm test",
            "npm audit fix",
            "npm publish",
            "npm config set a b",
            "npm exec x",
            "npm i -g x",
            "npm add -g x",
            "npm pkg set a=b",
            "npm version patch",
            "npm set a b",
            "npm $x",
            "npm cache clean",
            "npm --script-shell=sh ls",
            "npm fund react",
            "npm view x --registry http://a.b",
            "npm --prefix --cache=x ls",
            "npm c set a b",
        ],
    ),
    ask(
        "yarn yarnpkg",
        yarn,
        &[],
        &[
            "yarn",
            "yarn install",
            "yarn add x",
            "yarn test",
            "yarn build",
            "yarn foo",
            "yarn --silent",
            "yarn config set a b",
            "yarn workspaces foreach run x",
            "yarn list",
            "yarn why x",
            "yarn --version",
        ],
    ),
    verbs(
        "pnpm",
        &Verbs {
            options: &[
                flags("-v -r --recursive -s --silent -w --workspace-root --json -h"),
                value("-C --dir --filter -F --loglevel --reporter", Text),
            ],
            verbs: &[
                // `.pnpmfile.cjs` of the project is loaded whatever is asked.
                starts(
                    "ls list ll la why root bin licenses outdated view info show v search",
                    "loads code of the project",
                ),
                nested(
                    "audit",
                    &Verbs {
                        options: &[writes("--fix", "changes packages")],
                        bare: Kind::Runs,
                        otherwise: Kind::Runs,
                        help: super::grammar::Help::Never,
                        ..VERBS
                    },
                ),
                nested(
                    "config c store",
                    &Verbs {
                        verbs: &[starts("get list path status", "loads code of the project")],
                        bare: Kind::Unknown,
                        otherwise: Kind::Writes,
                        help: super::grammar::Help::Never,
                        ..VERBS
                    },
                ),
                starts("run test t start exec dlx build dev lint create", "runs scripts of the project"),
                changes(
                    "install i add remove rm uninstall un update up upgrade publish link unlink import rebuild rb prune fetch patch patch-commit dedupe deploy env setup init pack version self-update",
                    "changes packages or files",
                ),
            ],
            otherwise: Kind::Runs,
            ..VERBS
        },
        &["pnpm --version", "pnpm -v"],
        &[
            "pnpm ls",
            "pnpm list --depth 0",
            "pnpm why x",
            "pnpm outdated",
            "pnpm -r ls",
            "pnpm config get registry",
            "pnpm audit",
            "pnpm install",
            "pnpm add x",
            "pnpm test",
            "pnpm build",
            "pnpm exec ls",
            "pnpm foo",
            "pnpm audit --fix",
            "pnpm config set a b",
        ],
    ),
    verbs(
        "bun",
        &Verbs {
            options: &[flags("-v --revision")],
            verbs: &[
                nested(
                    "pm",
                    &Verbs {
                        verbs: &[verb("ls bin hash whoami cache-dir", &LISTING)],
                        bare: Kind::Unknown,
                        otherwise: Kind::Writes,
                        ..VERBS
                    },
                ),
                verb("outdated info", &ASKING),
                starts("run test x exec dev build repl create", "runs code of the project"),
                changes(
                    "install i add a remove rm update link unlink publish patch upgrade init",
                    "changes packages or files",
                ),
            ],
            bare: Kind::Runs,
            otherwise: Kind::Runs,
            help: super::grammar::Help::Never,
            ..VERBS
        },
        &["bun --version", "bun pm ls", "bun -v outdated"],
        &["bun install", "bun run x", "bun x.ts", "bun add x", "bun test", "bun", "bun pm cache rm"],
    ),
    parse(
        "node nodejs deno",
        &Grammar {
            options: &[
                flags("-v -V -h --version"),
                runs_with("-e -p --eval --print -r --require --import -c --check --test", "runs code"),
            ],
            operands: Operands { surplus: (Kind::Runs, "runs code"), ..NOTHING },
            check: Some(|seen, _| {
                (seen.options.is_empty() && seen.operands.is_empty())
                    .then(|| seen.verdict(Kind::Runs, "stdin", "runs what it is given"))
            }),
            ..READER
        },
        &["node --version", "node -v"],
        &["node x.js", "node -e 'x'", "node", "node -p 1", "node -v x.js", "node --test", "node -pe 1"],
    ),
    always("npx bunx pnpx", Kind::Runs, "downloads and runs a package", &["npx pkg", "bunx x", "npx tsc --noEmit"]),
    verbs(
        "nvm fnm volta corepack",
        &Verbs {
            verbs: &[verb("ls list current version which", &LISTING), verb("ls-remote list-remote", &ASKING)],
            otherwise: Kind::Writes,
            ..VERBS
        },
        &["nvm ls", "nvm current", "fnm list", "volta list"],
        &["nvm install 20", "nvm use 20", "volta pin node", "corepack enable"],
    ),
    parse(
        "tsc",
        &Grammar {
            options: &[
                flags("-v --version --showConfig --all -h"),
                value("-p --project", ReadPath),
                writes("--init", "writes a configuration file"),
                output("--outDir --outFile --declarationDir --generateTrace --generateCpuProfile --tsBuildInfoFile"),
            ],
            operands: Operands { surplus: (Kind::Writes, "writes compiled files"), ..NOTHING },
            check: Some(|seen, _| {
                let asks = seen.has("-v --version --showConfig --all -h");
                (!asks).then(|| seen.verdict(Kind::Runs, "compile", "compiles the project"))
            }),
            ..READER
        },
        &["tsc --version", "tsc -v", "tsc --showConfig"],
        &["tsc", "tsc --noEmit", "tsc --init", "tsc -p .", "tsc a.ts"],
    ),
];

/// `yarnPath` in the project's settings names a program that yarn hands everything to, even `--version`; so do plugins.
fn yarn(argv: &[Word], _: &Context<'_>) -> Finding {
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
        (Kind::Writes, "`yarn` changes packages or files here")
    } else {
        (Kind::Runs, "`yarn` runs the program that the project names")
    };
    super::verdict::because(kind, "yarn".into(), program, why.into())
}
