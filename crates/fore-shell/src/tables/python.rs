//! Python's tools.

use super::grammar::{
    Grammar, NOTHING, Operands, READER, Reaches, Row, Type::*, VERBS, Verbs, WORDS, ask, changes, flags, nested,
    runs_with, starts, value, verb, verbs,
};
use crate::{
    context::Context,
    finding::{Finding, Kind},
    word::Word,
};

/// The interpreter that is named is started to answer.
const PYTHON: super::grammar::Group = runs_with("--python -p", "starts the program it names");
const LISTING: Grammar = Grammar {
    options: &[
        flags(
            "-v -q -l -e -f -u --verbose --quiet --local --user --editable --exclude-editable --include-editable --files --not-required --all --tree -t --why --top-level -T --only --no-dev --strict --outdated-only --disable-pip-version-check --no-color --no-cache --offline --system --frozen --locked --universal --no-dedupe --invert --only-installed --only-downloads --all-versions --show-extras",
        ),
        value(
            "--format --exclude --path --output-format --depth --prune --package --with --without --group --color --directory --project",
            Text,
        ),
        PYTHON,
    ],
    operands: WORDS,
    ..READER
};
const ASKING: Grammar = Grammar { reach: Reaches::Host("pypi.org"), ..LISTING };

const PIP: &[super::grammar::Verb] = &[
    verb(
        "list ls",
        &Grammar {
            options: &[
                flags(
                    "-o --outdated -u --uptodate --pre -v -q -l -e --local --user --editable --exclude-editable --not-required --disable-pip-version-check --no-color --strict --system",
                ),
                value("--format --exclude --path", Text),
                PYTHON,
            ],
            operands: NOTHING,
            check: Some(|seen, _| {
                seen.has("-o --outdated -u --uptodate")
                    .then(|| super::verdict::reaching(Reaches::Host("pypi.org"), "pip", seen.program))
            }),
            ..READER
        },
    ),
    verb("show freeze check inspect debug tree", &LISTING),
    nested("index", &Verbs { verbs: &[verb("versions", &ASKING)], bare: Kind::Unknown, ..VERBS }),
    verb("search", &ASKING),
    nested(
        "config",
        &Verbs { verbs: &[verb("list get debug", &LISTING)], bare: Kind::Unknown, otherwise: Kind::Writes, ..VERBS },
    ),
    nested(
        "cache",
        &Verbs { verbs: &[verb("dir info list", &LISTING)], bare: Kind::Unknown, otherwise: Kind::Writes, ..VERBS },
    ),
    verb("hash help", &LISTING),
    changes("install uninstall download wheel sync compile lock", "changes packages or files"),
];

pub(super) const ROWS: &[Row] = &[
    verbs(
        "pip pip3 pip2",
        &Verbs {
            options: &[
                flags("-V -v -q --verbose --quiet --disable-pip-version-check --no-color --isolated --no-input -h"),
                PYTHON,
            ],
            verbs: PIP,
            ..VERBS
        },
        &[
            "pip list",
            "pip show requests",
            "pip freeze",
            "pip3 list --outdated",
            "pip check",
            "pip --version",
            "pip -V",
            "pip index versions x",
            "pip list --format=json",
            "pip config list",
            "pip install --help",
        ],
        &[
            "pip install x",
            "pip download x",
            "pip uninstall x",
            "pip3 install -r r.txt",
            "pip config set a b",
            "pip cache purge",
            "pip --log f list",
            "pip wheel .",
            "pip $x",
            "pip --python ./x list",
            "pip list --python=./x",
            "pip show --python ./x y",
        ],
    ),
    verbs(
        "uv",
        &Verbs {
            options: &[
                flags("-V -q -v --quiet --verbose --offline --no-cache --no-color --no-progress -h"),
                value("--directory --project --color", Text),
                PYTHON,
            ],
            verbs: &[
                // The python in the project's `.venv` is started to answer.
                nested(
                    "pip",
                    &Verbs {
                        verbs: &[
                            starts("list ls show freeze check tree", "starts the project's python"),
                            changes("install uninstall download wheel sync compile lock", "changes packages or files"),
                        ],
                        bare: Kind::Unknown,
                        ..VERBS
                    },
                ),
                verb(
                    "version",
                    &Grammar {
                        options: &[flags("--short"), value("--output-format", Text)],
                        operands: Operands { surplus: (Kind::Writes, "with a version sets it"), ..NOTHING },
                        ..READER
                    },
                ),
                nested(
                    "python",
                    &Verbs {
                        verbs: &[verb("dir", &LISTING), starts("list find", "starts the pythons it finds")],
                        bare: Kind::Unknown,
                        otherwise: Kind::Writes,
                        ..VERBS
                    },
                ),
                nested(
                    "tool",
                    &Verbs {
                        verbs: &[verb("list dir", &LISTING), starts("run", "downloads and runs a package")],
                        bare: Kind::Unknown,
                        otherwise: Kind::Writes,
                        ..VERBS
                    },
                ),
                nested(
                    "cache",
                    &Verbs { verbs: &[verb("dir", &LISTING)], bare: Kind::Unknown, otherwise: Kind::Writes, ..VERBS },
                ),
                nested(
                    "self",
                    &Verbs {
                        verbs: &[verb("version", &LISTING)],
                        bare: Kind::Unknown,
                        otherwise: Kind::Writes,
                        ..VERBS
                    },
                ),
                starts("tree", "starts the project's python"),
                starts("run", "runs code of the project"),
                changes("add remove sync lock venv init build publish export format", "changes packages or files"),
            ],
            ..VERBS
        },
        &["uv --version", "uv version", "uv tool list", "uv python dir"],
        &[
            "uv pip list",
            "uv pip show x",
            "uv tree --frozen",
            "uv python list",
            "uv --python ./x version",
            "uv add x",
            "uv sync",
            "uv run x",
            "uv pip install x",
            "uv tree",
            "uv lock",
            "uv tool run x",
            "uv version 1.2",
            "uv version --bump minor",
            "uv self update",
        ],
    ),
    verbs(
        "poetry pdm pipenv hatch rye",
        &Verbs {
            options: &[
                flags("-V -q -v -n --no-ansi --quiet --verbose --no-interaction"),
                value("-C --directory --project -P", Text),
            ],
            verbs: &[
                // Plugins that the project brings are loaded whatever is asked.
                starts("show list about graph check", "loads code of the project"),
                nested(
                    "env",
                    &Verbs {
                        verbs: &[starts("info list show", "loads code of the project")],
                        bare: Kind::Unknown,
                        otherwise: Kind::Writes,
                        help: super::grammar::Help::Never,
                        ..VERBS
                    },
                ),
                starts("run shell test", "runs code of the project"),
                changes(
                    "add remove install update lock build publish init new cache self export sync uninstall",
                    "changes packages or files",
                ),
            ],
            otherwise: Kind::Unknown,
            help: super::grammar::Help::Never,
            ..VERBS
        },
        &["poetry --version"],
        &[
            "poetry show",
            "poetry show --tree",
            "poetry env info",
            "poetry env use --help",
            "poetry check",
            "poetry version",
            "poetry config --list",
            "pipenv graph",
            "pdm list",
            "poetry add x",
            "poetry install",
            "poetry run pytest",
            "poetry lock",
            "poetry config a b",
            "poetry config --unset a",
            "poetry config --list a b",
            "poetry version patch",
            "hatch version",
            "poetry env use 3.11",
            "pipenv install",
        ],
    ),
    verbs(
        "conda mamba micromamba",
        &Verbs {
            options: &[flags("-V")],
            verbs: &[
                verb(
                    "list info",
                    &Grammar {
                        options: &[
                            flags("-e -a --json --envs --all --export --explicit"),
                            value("-n -p --name --prefix", Text),
                        ],
                        operands: WORDS,
                        ..READER
                    },
                ),
                nested(
                    "env",
                    &Verbs {
                        verbs: &[verb(
                            "list export",
                            &Grammar {
                                options: &[flags("--json --from-history --no-builds"), value("-n --name", Text)],
                                operands: NOTHING,
                                ..READER
                            },
                        )],
                        bare: Kind::Unknown,
                        otherwise: Kind::Writes,
                        ..VERBS
                    },
                ),
                verb(
                    "search",
                    &Grammar {
                        options: &[flags("--json --info"), value("-c --channel", Text)],
                        operands: WORDS,
                        reach: Reaches::AnyHost,
                        ..READER
                    },
                ),
                starts("run", "starts a program"),
                changes(
                    "install create remove update clean config init activate deactivate uninstall upgrade build",
                    "changes environments",
                ),
            ],
            ..VERBS
        },
        &["conda list", "conda env list", "conda info --envs", "conda --version"],
        &["conda install x", "conda create -n x", "conda env export -f x.yml", "conda env remove -n x", "conda run ls"],
    ),
    ask(
        "python python3 python2 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3 ipython",
        python,
        &["python --version", "python3 -V", "python3 -VV", "python --help"],
        &[
            "python x.py",
            "python -c 'print(1)'",
            "python -m json.tool a b",
            "python",
            "python -m pip install x",
            "python3 -",
            "python3 -m json.tool a",
            "python3 -V x.py",
        ],
    ),
    verbs(
        "pyenv rbenv asdf nodenv goenv sdk",
        &Verbs {
            options: &[flags("-v")],
            verbs: &[
                verb(
                    "versions version which whence root commands shims current ls where",
                    &Grammar {
                        options: &[flags("--bare --skip-aliases --json --installed --current -i -c -J")],
                        operands: WORDS,
                        ..READER
                    },
                ),
                starts("exec run x shell env activate", "starts a program"),
                changes(
                    "install uninstall local global use set rehash init update upgrade trust plugin prune settings",
                    "changes versions",
                ),
            ],
            ..VERBS
        },
        &["pyenv versions", "asdf current", "rbenv version"],
        &["pyenv install 3.12", "asdf install", "pyenv local 3.12"],
    ),
    verbs(
        "mise rtx",
        &Verbs {
            options: &[flags("-v")],
            verbs: &[
                // The project's settings are templates that may start programs.
                starts("exec run x shell env activate ls list current which where version", "starts programs"),
                changes(
                    "install uninstall local global use set rehash init update upgrade trust plugin prune settings",
                    "changes versions",
                ),
            ],
            bare: Kind::Unknown,
            ..VERBS
        },
        &["mise --version"],
        &["mise use node", "mise exec -- ls", "mise ls", "mise"],
    ),
];

/// Python runs whatever it is given, and looks for modules in the working folder even for its own tools.
fn python(argv: &[Word], _: &Context<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    if matches!(words, [only] if matches!(only.as_literal(), Some("--version" | "-V" | "-VV" | "--help" | "-h")))
        && program.as_literal() != Some("ipython")
    {
        return Finding::reads();
    }
    let literal = |at: usize| words.get(at).and_then(Word::as_literal).unwrap_or_default();
    if literal(0) == "-m" {
        let installs = literal(1) == "pip" && matches!(literal(2), "install" | "uninstall" | "download");
        let outputs = literal(1) == "json.tool"
            && words.iter().skip(2).filter(|w| !w.as_literal().is_some_and(|t| t.starts_with('-'))).count() > 1;
        let makes = matches!(literal(1), "venv" | "compileall" | "ensurepip" | "py_compile" | "virtualenv");
        if installs || outputs || makes {
            let why = format!("`python -m {}` writes files", literal(1));
            return super::verdict::because(Kind::Writes, format!("python.-m.{}", literal(1)), program, why);
        }
    }
    super::verdict::because(Kind::Runs, "python".into(), program, format!("`{}` runs code", program.source))
}
