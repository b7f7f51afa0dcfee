//! Without a row nothing is known of a program, and a program whose catalogue is empty trusts none.

use fore_shell::{
    Catalogue, CommandKind, GitFacts, ShellFacts,
    catalogue::grammar::{CommandRow, Handling, READER},
    judge,
};
use std::path::Path;

static EMPTY: Catalogue = Catalogue::new(&[]);
static ROWS: &[CommandRow] = &[CommandRow {
    names: "frob",
    action: Handling::Parse(&READER),
    steered_by: "",
    reads: &["frob a"],
    not: &["frob -x a"],
}];
static ONE: Catalogue = Catalogue::new(&[ROWS]);

fn verdict(catalogue: &Catalogue, text: &str) -> (CommandKind, String) {
    let facts = ShellFacts {
        catalogue,
        cwd: Path::new("/project"),
        home: None,
        plan_file: None,
        vouched: &[],
        repositories: &GitFacts::Quiet,
    };
    let finding = judge(text, &facts);
    let rule = finding.evidence.first().map(|evidence| evidence.rule.clone());
    (finding.kind, rule.unwrap_or_default())
}

/// Programs that bash has inside are judged by the engine, as are shells, which judge what is inside of them.
fn is_built_in(name: &str) -> bool {
    matches!(name, "kill" | "test" | "[" | "printf" | "echo" | "pwd" | "true" | "false" | "time" | "bash" | "sh")
}

#[test]
fn an_empty_catalogue_reads_nothing_that_is_no_builtin() {
    let names = fore_commands::CATALOGUE.rows().flat_map(|row| row.names.split(' ')).filter(|name| !is_built_in(name));
    let texts = names.flat_map(|name| [name.to_owned(), format!("{name} --version"), format!("/usr/bin/{name} f")]);
    let read: Vec<String> = texts.filter(|text| verdict(&EMPTY, text).0 < CommandKind::Runs).collect();
    assert_eq!(read, Vec::<String>::new());
    assert_eq!(verdict(&EMPTY, "cat f"), (CommandKind::Runs, "command.unknown".into()));
    assert_eq!(verdict(&EMPTY, "bash -c 'cat f'"), (CommandKind::Runs, "command.unknown".into()));
    assert_eq!(verdict(&EMPTY, "git log | head").0, CommandKind::Runs);
    assert_eq!(verdict(&EMPTY, "cd x && pwd").0, CommandKind::Reads);
}

#[test]
fn what_is_known_is_what_was_handed_in() {
    assert_eq!(verdict(&ONE, "frob a").0, CommandKind::Reads);
    assert_eq!(verdict(&ONE, "frob -x a"), (CommandKind::Unknown, "frob.option".into()));
    assert_eq!(verdict(&ONE, "cat f"), (CommandKind::Runs, "command.unknown".into()));
    assert_eq!(verdict(&fore_commands::CATALOGUE, "frob a"), (CommandKind::Runs, "command.unknown".into()));
}
