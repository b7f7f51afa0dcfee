//! Python's tools. Shims, environments of the project and modules in the working folder decide what runs.

use super::grammar::{
    CommandRow, Grammar, NOTHING, READER, Reaches, VERBS, ValueType::*, Verb, Verbs, WORDS, ask, changes, flags,
    nested, runs_with, starts, steered, value, verb, verbs,
};
use super::registry_option::registry_of;
use fore_shell::{CommandKind, Finding, JudgeContext, Partner, Registry, Word};

const BY: &str = "`.python-version`, `.tool-versions` and the project's own environment";
/// The interpreter that is named is started to answer.
const PYTHON: super::grammar::OptionGroup = runs_with("--python -p", "starts the program it names");
/// Which index is asked, `pip.conf` and `uv.toml` say.
const ASKING: Grammar = Grammar {
    options: &[
        flags("-v -q --verbose --quiet --pre --json --no-color"),
        value("--format --index-url -i", Text),
        PYTHON,
    ],
    operands: WORDS,
    reach: Reaches::Configured(Partner::Registry(Registry::Pip)),
    check: Some(|seen, _| registry_of("--index-url -i", seen)),
    ..READER
};
const PIP: &[Verb] = &[
    starts("list ls show freeze check inspect debug tree hash help", "starts the project's python"),
    nested("index", &Verbs { verbs: &[verb("versions", &ASKING)], bare: CommandKind::Unknown, ..VERBS }),
    verb("search", &ASKING),
    nested("config cache", &KEPT),
    changes("install uninstall download wheel sync compile lock", "changes packages or files"),
];
/// Verbs with a form that only asks.
const KEPT: Verbs = Verbs {
    verbs: &[starts("list get debug dir info path find version", "starts the project's python")],
    bare: CommandKind::Unknown,
    otherwise: CommandKind::Writes,
    ..VERBS
};

pub(super) const ROWS: &[CommandRow] = &[
    steered(
        BY,
        verbs(
            "pip pip3 pip2 pipx",
            &Verbs {
                options: &[
                    flags("-V -v -q --verbose --quiet --disable-pip-version-check --no-color --isolated --no-input -h"),
                    PYTHON,
                ],
                verbs: PIP,
                ..VERBS
            },
            &[],
            &[
                "pip --version",
                "pip list",
                "pip show requests",
                "pip freeze",
                "pip index versions x",
                "pip config list",
                "pip install --help",
                "pip install x",
                "pip download x",
                "pip uninstall x",
                "pip config set a b",
                "pip cache purge",
                "pip $x",
                "pip --python ./x list",
            ],
        ),
    ),
    steered(
        BY,
        verbs(
            "uv",
            &Verbs {
                options: &[
                    flags("-V -q -v --quiet --verbose --offline --no-cache --no-color --no-progress -h"),
                    value("--directory --project --color", Text),
                    PYTHON,
                ],
                verbs: &[
                    nested("pip", &Verbs { verbs: PIP, bare: CommandKind::Unknown, ..VERBS }),
                    verb(
                        "version",
                        &Grammar {
                            options: &[flags("--short"), value("--output-format", Text)],
                            operands: super::grammar::Operands {
                                surplus: (CommandKind::Writes, "with a version sets it"),
                                ..NOTHING
                            },
                            ..READER
                        },
                    ),
                    nested("python cache self", &KEPT),
                    nested(
                        "tool",
                        &Verbs {
                            verbs: &[starts("list dir run", "starts the project's python")],
                            bare: CommandKind::Unknown,
                            otherwise: CommandKind::Writes,
                            ..VERBS
                        },
                    ),
                    starts("tree run", "starts the project's python"),
                    changes("add remove sync lock venv init build publish export format", "changes packages or files"),
                ],
                ..VERBS
            },
            &[],
            &[
                "uv --version",
                "uv version",
                "uv pip list",
                "uv tree --frozen",
                "uv python list",
                "uv add x",
                "uv run x",
                "uv pip install x",
                "uv tool run x",
                "uv tool install x",
                "uv version 1.2",
                "uv version --bump minor",
                "uv self update",
            ],
        ),
    ),
    steered(
        BY,
        verbs(
            "poetry pdm pipenv hatch rye",
            &Verbs {
                options: &[
                    flags("-V -q -v -n --no-ansi --quiet --verbose --no-interaction"),
                    value("-C --directory --project -P", Text),
                ],
                verbs: &[
                    // Plugins that the project brings are loaded whatever is asked.
                    starts("show list about graph check run shell test", "loads code of the project"),
                    nested(
                        "env",
                        &Verbs {
                            verbs: &[starts("info list show", "loads code of the project")],
                            bare: CommandKind::Unknown,
                            otherwise: CommandKind::Writes,
                            help: super::grammar::Help::Never,
                            ..VERBS
                        },
                    ),
                    changes(
                        "add remove install update lock build publish init new cache self export sync uninstall",
                        "changes packages or files",
                    ),
                ],
                otherwise: CommandKind::Unknown,
                help: super::grammar::Help::Never,
                ..VERBS
            },
            &[],
            &[
                "poetry --version",
                "poetry show --tree",
                "poetry env info",
                "poetry env use --help",
                "poetry version",
                "poetry config --list",
                "pipenv graph",
                "poetry add x",
                "poetry install",
                "poetry run pytest",
                "poetry config a b",
                "poetry env use 3.11",
            ],
        ),
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
                        bare: CommandKind::Unknown,
                        otherwise: CommandKind::Writes,
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
    steered(
        BY,
        ask(
            "python python3 python2 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3 ipython",
            python,
            &[],
            &[
                "python --version",
                "python3 -V",
                "python x.py",
                "python -c 'print(1)'",
                "python -m json.tool a b",
                "python",
                "python -m pip install x",
                "python3 -m json.tool a",
            ],
        ),
    ),
    steered(
        "the version files it is there for",
        verbs(
            "pyenv rbenv asdf goenv jenv phpenv plenv tfenv tenv sdk mise rtx proto aqua direnv devbox hermit vfox swiftly",
            &Verbs {
                options: &[flags("-v")],
                verbs: &[
                    starts(
                        "versions version which whence root commands shims current ls list where exec run x shell env activate export status",
                        "does what files of the folder say",
                    ),
                    changes(
                        "install uninstall local global use set rehash init update upgrade trust plugin prune settings allow deny",
                        "changes versions",
                    ),
                ],
                ..VERBS
            },
            &[],
            &[
                "pyenv versions",
                "asdf current",
                "rbenv version",
                "mise --version",
                "mise ls",
                "direnv status",
                "pyenv install 3.12",
                "asdf install",
                "mise use node",
                "mise exec -- ls",
            ],
        ),
    ),
];

/// Python runs whatever it is given, and looks for modules in the working folder even for its own tools.
fn python(argv: &[Word], _: &JudgeContext<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    let literal = |at: usize| words.get(at).and_then(Word::as_literal).unwrap_or_default();
    if literal(0) == "-m" {
        let installs = literal(1) == "pip" && matches!(literal(2), "install" | "uninstall" | "download");
        let outputs = literal(1) == "json.tool"
            && words.iter().skip(2).filter(|w| !w.as_literal().is_some_and(|t| t.starts_with('-'))).count() > 1;
        let makes = matches!(literal(1), "venv" | "compileall" | "ensurepip" | "py_compile" | "virtualenv");
        if installs || outputs || makes {
            let why = format!("`python -m {}` writes files", literal(1));
            return Finding::shown(CommandKind::Writes, format!("python.-m.{}", literal(1)), program, why);
        }
    }
    Finding::shown(CommandKind::Runs, "python", program, format!("`{}` runs code", program.source))
}
