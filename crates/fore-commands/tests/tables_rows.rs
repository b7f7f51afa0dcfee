//! Holds every table row to its own examples.

use std::path::Path;

use fore_commands::CATALOGUE;
use fore_shell::{CommandKind, Finding, GitFacts, ShellFacts, judge};

fn verdict(text: &str) -> Finding {
    let facts = ShellFacts {
        catalogue: &CATALOGUE,
        cwd: Path::new("/home/ada/project"),
        home: Some(Path::new("/home/someone")),
        plan_file: Some(Path::new("/plans/one.md")),
        vouched: &[],
        repositories: &GitFacts::Quiet,
    };
    judge(text, &facts)
}

fn shown(text: &str, finding: &Finding) -> String {
    let first = finding.evidence.first();
    let rule = first.map_or("", |evidence| &evidence.rule);
    let why = first.map_or("", |evidence| &evidence.why);
    format!("{:?}  {text}  [{rule}: {why}]", finding.kind)
}

#[test]
fn every_row_reads_what_it_says_it_reads_and_nothing_that_it_says_it_does_not() {
    let mut wrong = Vec::new();
    for row in CATALOGUE.rows() {
        for text in row.reads {
            let finding = verdict(text);
            if finding.kind > CommandKind::Network {
                wrong.push(format!("should read: {}", shown(text, &finding)));
            }
        }
        for text in row.not {
            let finding = verdict(text);
            if finding.kind <= CommandKind::Network {
                wrong.push(format!("should not:  {}", shown(text, &finding)));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn no_program_has_two_rows() {
    let mut names: Vec<&str> = CATALOGUE.rows().flat_map(|row| row.names.split(' ')).collect();
    names.sort_unstable();
    let twice: Vec<&str> = names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    assert_eq!(twice, Vec::<&str>::new());
}

#[test]
fn every_row_names_what_it_does_not_read() {
    let silent: Vec<&str> = CATALOGUE.rows().filter(|row| row.not.is_empty()).map(|row| row.names).collect();
    assert_eq!(silent, Vec::<&str>::new());
}

#[test]
fn a_program_that_files_of_the_folder_steer_is_never_a_read() {
    let mut wrong = Vec::new();
    for row in CATALOGUE.rows().filter(|row| !row.steered_by.is_empty()) {
        assert_eq!(row.reads, &[] as &[&str], "{}", row.names);
        for name in row.names.split(' ') {
            for question in ["", " --version", " --help", " -v", " -V", " version", " -h"] {
                for text in
                    [format!("{name}{question}"), format!("/usr/bin/{name}{question}"), format!("env {name}{question}")]
                {
                    if verdict(&text).kind < CommandKind::Runs {
                        wrong.push(text);
                    }
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn toolchain_proxies_version_managers_wrappers_and_language_tools_are_steered() {
    let known = "cargo rustc rustfmt rustdoc clippy-driver cargo-clippy cargo-fmt rustup rust-analyzer go gofmt gopls \
        node npm npx yarn pnpm bun deno tsc corepack nvm fnm volta nodenv python python3 pip pip3 uv poetry pipenv pyenv \
        ruby gem bundle rake rails rbenv php composer dotnet mvn mvnw gradle gradlew make just cmake bazel zig swift \
        swiftc ghc elixir mix julia dart flutter scala kotlin terraform tofu terragrunt asdf mise rtx jenv sdk goenv \
        tfenv tenv direnv nix eslint prettier jest vitest pytest mypy pylint flake8 rubocop stylelint babel webpack tox \
        ansible hg pre-commit clangd";
    let steered = |name: &str| verdict(&format!("{name} --version")).kind >= CommandKind::Runs;
    let missed: Vec<&str> = known.split_whitespace().filter(|name| !steered(name)).collect();
    assert_eq!(missed, Vec::<&str>::new());
    let plain = "ls cat grep rg find sed awk jq git head tail wc sort diff tar file stat tree fd curl gh bash vim gcc";
    let asks = |name: &str| verdict(&format!("{name} --version")).kind == CommandKind::Reads;
    let lost: Vec<&str> = plain.split_whitespace().filter(|name| !asks(name)).collect();
    assert_eq!(lost, Vec::<&str>::new());
}

/// Every program is found as a shim.
struct Shims;

impl fore_shell::Repositories for Shims {
    fn at(&self, _: &Path) -> GitFacts {
        GitFacts::Quiet
    }

    fn is_shim(&self, program: &str, _folder: &Path) -> bool {
        program != "cat"
    }
}

#[test]
fn a_shim_on_the_search_path_runs_whatever_its_name_promises() {
    let facts = ShellFacts {
        catalogue: &CATALOGUE,
        cwd: Path::new("/home/ada/project"),
        home: None,
        plan_file: None,
        vouched: &[],
        repositories: &Shims,
    };
    let page = [
        ("jq . f", CommandKind::Runs),
        ("rg x | cat", CommandKind::Runs),
        ("env jq . f", CommandKind::Runs),
        ("xargs jq . < f", CommandKind::Runs),
        ("find . -exec jq . {} +", CommandKind::Runs),
        ("gh pr view 1", CommandKind::Runs),
        ("git status", CommandKind::Runs),
        ("/usr/bin/jq . f", CommandKind::Reads),
        ("cat f", CommandKind::Reads),
        ("echo x", CommandKind::Reads),
        ("jq . f > out", CommandKind::Writes),
    ];
    for (text, expected) in page {
        assert_eq!(judge(text, &facts).kind, expected, "{text}");
    }
}
