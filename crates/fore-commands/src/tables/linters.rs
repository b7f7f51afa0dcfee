//! Linters, formatters, test runners and build tools. Nearly all of them load code or configuration of the project.

use super::grammar::{
    CommandRow, Grammar, READER, ValueType::*, WORDS, always, ask, attached, flags, parse, steered, value, writes,
};
use fore_shell::{CommandKind, Finding, JudgeContext, Word};

pub(super) const ROWS: &[CommandRow] = &[
    parse(
        "shellcheck",
        &Grammar {
            options: &[
                flags("-a -x -V --check-sourced --external-sources --version --list-optional --norc"),
                attached("-C --color", Text),
                value(
                    "-s -e -i -f -S -o -P -W --shell --exclude --include --format --severity --enable --source-path --wiki-link-count",
                    Text,
                ),
                value("--rcfile", ReadPath),
            ],
            always_reads: true,
            ..READER
        },
        &["shellcheck x.sh", "shellcheck -s bash -f json x.sh", "shellcheck -S error *.sh"],
        &["shellcheck --frob x"],
    ),
    parse(
        "shfmt",
        &Grammar {
            options: &[
                flags("-d -l -s -f -bn -ci -sr -kp -mn --diff --list --simplify -version"),
                value("-i -ln --indent", Text),
                writes("-w --write", "rewrites files"),
            ],
            style: super::grammar::OptionStyle::Dashed,
            ..READER
        },
        &["shfmt -d x.sh", "shfmt -l ."],
        &["shfmt -w x.sh", "shfmt -l -w ."],
    ),
    parse(
        "clang-format",
        &Grammar {
            options: &[
                flags("-n --dry-run -Werror --dump-config --verbose"),
                value("--style --assume-filename --lines -style", Text),
                writes("-i", "rewrites files"),
            ],
            style: super::grammar::OptionStyle::Dashed,
            check: Some(|seen, _| seen.argument_file()),
            ..READER
        },
        &["clang-format x.c", "clang-format --dry-run x.c"],
        &["clang-format -i x.c", "clang-format --i x.c", "clang-format @arguments", "clang-format --style @arguments"],
    ),
    steered(
        "the project's configuration and plugins",
        ask(
            "eslint prettier ruff black isort yapf autopep8 stylelint biome oxlint standard xo rubocop stylua dprint pyupgrade autoflake docformatter sqlfluff markdownlint markdownlint-cli2 gofumpt-lint golangci-lint staticcheck djlint ktlint swiftlint swiftformat credo mix-format phpcbf php-cs-fixer terraform-docs buf taplo",
            formatter,
            &[],
            &[
                "eslint --version",
                "ruff --version",
                "black --version",
                "prettier --version",
                "eslint src",
                "eslint --fix src",
                "prettier --check .",
                "prettier --write .",
                "ruff check",
                "ruff format",
                "black .",
                "black --check .",
                "isort .",
                "golangci-lint run",
                "stylua .",
                "rubocop -V",
                "rubocop --version",
            ],
        ),
    ),
    steered(
        "the project's configuration and plugins",
        always(
            "mypy pyright pyre pylint flake8 bandit pytype pydocstyle yamllint jsonlint actionlint semgrep tflint checkov trivy vulture radon deptry interrogate lizard pycodestyle pyflakes depcheck madge knip",
            CommandKind::Runs,
            "loads code or plugins of the project",
            &["mypy .", "pyright", "flake8 src", "pylint x", "flake8 --version"],
        ),
    ),
    steered(
        "the project's configuration and plugins",
        always(
            "pytest jest vitest mocha ava tap tox nox unittest nose2 playwright cypress karma rspec phpunit ctest bats tsx ts-node esbuild webpack rollup vite next nuxt astro turbo nx lerna gulp grunt parcel swc babel storybook coverage",
            CommandKind::Runs,
            "runs code of the project",
            &[
                "pytest",
                "jest --listTests",
                "vitest run",
                "tox -e py311",
                "webpack",
                "pytest --help",
                "pytest --version",
                "tox --version",
                "mocha --version",
            ],
        ),
    ),
    steered(
        "the project's build files and wrappers",
        always(
            "ninja cmake meson bazel bazelisk buck buck2 scons just task mage ant mvnw gradlew sbt lein mill waf autoconf automake configure xcodebuild swift stack cabal mix rebar3 dune opam flutter pod fastlane earthly pants please tup ccache distcc",
            CommandKind::Runs,
            "runs what the project's build files say",
            &[
                "cmake .",
                "ninja",
                "gradlew tasks",
                "mvnw dependency:tree",
                "just --list",
                "bazel --help",
                "bazel --version",
                "gradlew --version",
                "mvnw --version",
                "sbt --version",
            ],
        ),
    ),
    always(
        "hyperfine strace ltrace gdb lldb valgrind perf bpftrace dtruss rr heaptrack py-spy",
        CommandKind::Runs,
        "runs or attaches to programs",
        &["hyperfine ls", "strace ls", "gdb a.out", "perf record ls"],
    ),
    always(
        "protoc flatc thrift sqlc ctags etags cscope doxygen pandoc latex pdflatex xelatex lualatex dot plantuml ffmpeg convert magick exiftool",
        CommandKind::Runs,
        "makes files",
        &["protoc x.proto", "ctags -R .", "pandoc a.md -o b", "dot -Tpng x", "ffmpeg -i a b"],
    ),
    steered(
        "the project's configuration and plugins",
        always(
            "swagger-codegen openapi-generator sphinx-build mkdocs jekyll hugo typedoc jsdoc latexmk",
            CommandKind::Runs,
            "makes files",
            &["mkdocs build", "jekyll --version", "latexmk --version", "sphinx-build --version"],
        ),
    ),
    parse(
        "xmlstarlet xml",
        &Grammar {
            options: &[flags("-t -n"), value("-v -m -o", Text), writes("-L --inplace", "edits the file")],
            operands: WORDS,
            check: Some(|seen, _| {
                let selects = matches!(
                    seen.operands.first().and_then(|word| word.as_literal()),
                    Some("sel" | "select" | "el" | "elements" | "val" | "validate")
                );
                (!selects).then(|| seen.unknown("verb", "is only known to read with `sel`"))
            }),
            ..READER
        },
        &["xmlstarlet sel -t -v //a f.xml"],
        &["xmlstarlet ed -L -u x f", "xmlstarlet ed -u x f"],
    ),
];

/// Words that tell a formatter or linter to rewrite what it finds.
const REWRITES: &str = "--fix --write -w --in-place -i --fix-only --unsafe-fixes --apply --apply-unsafe --autocorrect -a -A --auto-correct --auto-correct-all --fix-type --write-changes --fix-dry-run-off --recursive-fix";
/// Programs that rewrite unless told otherwise.
const REWRITERS: &str = "black isort stylua pyupgrade phpcbf swiftformat docformatter";
const CHECK_OPTIONS: &str = "--check --diff --check-only -c -d --list-different -l --dry-run --output-format";

fn formatter(argv: &[Word], _: &JudgeContext<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    let name = program.as_literal().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let has = |list: &str| {
        words.iter().find(|word| word.as_literal().is_some_and(|text| list.split(' ').any(|one| one == text)))
    };
    if let Some(word) = has(REWRITES) {
        return Finding::shown(
            CommandKind::Writes,
            format!("{name}.fix"),
            word,
            format!("`{name} {}` rewrites files", word.source),
        );
    }
    let formats = matches!(
        (name, words.first().and_then(Word::as_literal)),
        ("ruff" | "biome" | "dprint" | "taplo", Some("format" | "fmt"))
    );
    if (formats || REWRITERS.split(' ').any(|one| one == name)) && has(CHECK_OPTIONS).is_none() {
        return Finding::shown(
            CommandKind::Writes,
            format!("{name}.files"),
            program,
            format!("`{name}` rewrites files"),
        );
    }
    Finding::shown(
        CommandKind::Runs,
        name.to_string(),
        program,
        format!("`{name}` loads code or plugins of the project, or keeps a cache"),
    )
}
