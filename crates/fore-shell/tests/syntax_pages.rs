//! Pages of commands and what the judge says of them: everything that is decided by syntax alone.

use fore_shell::{Facts, GitFacts, judge};
use std::path::Path;

fn facts(vouched: &[Vec<String>]) -> Facts<'_> {
    Facts {
        cwd: Path::new("/work/project"),
        home: Some(Path::new("/home/ada")),
        plan_file: Some(Path::new("/work/project/plans/plan.md")),
        vouched,
        repositories: &GitFacts::Quiet,
    }
}

/// `kind` or `kind rule rule …`, strongest first.
fn described(text: &str) -> String {
    let finding = judge(text, &facts(&[]));
    let mut words = vec![format!("{:?}", finding.kind).to_lowercase()];
    words.extend(
        finding
            .evidence
            .iter()
            .map(|evidence| evidence.rule.clone()),
    );
    words.dedup();
    words.join(" ")
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(described(text), expected, "{text}");
}

#[test]
fn plain_builtins_read() {
    for text in [
        "echo hi",
        "true",
        "pwd",
        "test -f a",
        "[ -f a ]",
        "printf '%s\\n' a b",
        "echo a | echo b && true || false; pwd",
        "cd src && pwd",
        "echo a 2>/dev/null",
        "echo a 2>&1 | echo b",
    ] {
        check(text, "reads");
    }
}

#[test]
fn unknown_programs_run() {
    check("frobnicate --now", "runs command.unknown");
    check("./script.sh", "runs command.path");
    check("/tmp/x/ls", "runs command.path");
    check("bash script.sh", "runs shell.script");
    check("$CMD x", "unknown command.opaque");
    check("\"$(echo touch)\" x", "unknown command.opaque");
}
