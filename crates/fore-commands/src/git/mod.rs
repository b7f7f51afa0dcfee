//! Which git commands only read, and what a repository can make them do.

mod globals;
mod operands;
mod repository;
mod row;
mod rows;
mod values;
mod writers;

use fore_shell::{
    CommandKind, Finding, JudgeContext, Partner, Reach, Word,
    catalogue::{OptionScope, scan},
};
use globals::GitStart;
use row::{GitOperands, GitRow, REFUSED_EVERYWHERE};
use std::path::Path;

/// Judges a whole `git` command, program name included.
pub fn judge(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    match globals::read(argv.get(1..).unwrap_or_default(), context.cwd.as_deref()) {
        Ok(GitStart::About) => Finding::reads(),
        Ok(GitStart::Subcommand { folder, words }) => {
            judge_subcommand(words, folder.as_deref(), context).unwrap_or_else(|finding| *finding)
        }
        Err(finding) => *finding,
    }
}

/// One line of the table's own documentation: words after `git`, split at blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// As it would be typed.
    pub line: &'static str,
    /// Whether the table must take it for a read.
    pub is_read: bool,
}

/// What the table says of itself; every row has some.
pub fn examples() -> impl Iterator<Item = Example> {
    rows::examples()
}

/// `git commit -h` and the like: a few lines on how to use it, and nothing else.
const USAGE: GitRow = GitRow {
    command: "usage",
    options: &[],
    numbers: false,
    operands: GitOperands::None("it takes no operand"),
    touches: &[],
    refused: &[],
    reads: &[],
    others: &[],
};

type Judged<T> = Result<T, Box<Finding>>;

fn judge_subcommand(words: &[Word], folder: Option<&Path>, context: &JudgeContext<'_>) -> Judged<Finding> {
    let hosts = |partner: Partner<'_>| context.hosts(partner, folder);
    let (row, command, arguments) = find_row(words, &hosts)?;
    let asks_for_usage = matches!(arguments, [only] if only.as_literal() == Some("-h"));
    if asks_for_usage && !matches!(row.operands, GitOperands::Remote) {
        return Ok(Finding::reads());
    }
    let name = format!("git.{}", row.command.replace(' ', "."));
    let refused = OptionScope { options: &[row.refused, REFUSED_EVERYWHERE], outer: None };
    let scope = OptionScope { options: row.options, outer: Some(&refused) };
    let given = scan(&name, command, arguments, row.grammar(), scope, context);
    if given.finding.kind != CommandKind::Reads {
        return Err(Box::new(given.finding));
    }
    let mut finding = operands::judge_operands(row, &given, arguments, &hosts)?;
    if let Some(problem) = repository::obeys_hostile_settings(row, command, &given, folder, context) {
        return Err(Box::new(problem));
    }
    if matches!(row.command, "blame" | "annotate" | "diff" | "grep" | "hash-object" | "check-mailmap") {
        // Certain only for plain names; revisions look the same, which does no harm to rules that forbid reading.
        for path in given.operands.iter().filter_map(|word| word.as_literal()).filter(|text| text.contains('/')) {
            let inside = JudgeContext { cwd: folder.map(Path::to_path_buf), ..context.clone() };
            finding = finding.and(fore_shell::paths::read(path, &inside));
        }
    }
    Ok(finding)
}

/// The row for a subcommand, with the words after its name and after its action.
fn find_row<'a>(
    words: &'a [Word],
    hosts: &dyn Fn(Partner<'_>) -> Vec<Reach>,
) -> Judged<(&'static GitRow, &'a Word, &'a [Word])> {
    let nothing = || Box::new(Finding::unknown("git.subcommand", &Word::literal("git"), "there is no git subcommand"));
    let (command, rest) = words.split_first().ok_or_else(nothing)?;
    let name = command.as_literal().unwrap_or_default();
    if let Some((_, actions)) = writers::WRITING_ACTIONS.iter().find(|(own, _)| *own == name) {
        return find_action(name, command, rest, actions);
    }
    match rows::named(name) {
        Some(row) => Ok((row, command, rest)),
        None if matches!(rest, [only] if only.as_literal() == Some("-h")) && writers::prints_usage(name) => {
            Ok((&USAGE, command, &[]))
        }
        None => Err(Box::new(match writers::known(name) {
            Some((kind, why)) => talking(
                name,
                rest,
                hosts,
                Finding::shown(kind, format!("git.{name}"), command, format!("`git {name}` {why}")),
            ),
            None => Finding::unknown(
                "git.subcommand",
                command,
                format!("`git {name}` is an alias or not a known git subcommand"),
            ),
        })),
    }
}

/// Adds whom a writing subcommand talks to.
fn talking(name: &str, rest: &[Word], hosts: &dyn Fn(Partner<'_>) -> Vec<Reach>, mut finding: Finding) -> Finding {
    match name {
        "push" | "fetch" | "pull" | "clone" => finding.reach.extend(operands::partner(name, rest, hosts)),
        "send-pack" | "http-push" | "send-email" | "request-pull" => finding.reach.push(Reach::AnyHost),
        _ => {}
    }
    if matches!(name, "push" | "send-pack" | "http-push" | "send-email") {
        finding.send("commits of this repository".to_owned());
    }
    finding
}

/// Subcommands whose first operand says what they do.
fn find_action<'a>(
    name: &str,
    command: &'a Word,
    rest: &'a [Word],
    writing: &[&str],
) -> Judged<(&'static GitRow, &'a Word, &'a [Word])> {
    let before = |word: &&Word| match (name, word.as_literal()) {
        ("remote", Some("-v" | "--verbose")) | ("submodule", Some("-q" | "--quiet")) => true,
        ("notes", Some(text)) => text.starts_with("--ref="),
        _ => false,
    };
    let skipped = rest.iter().take_while(before).count();
    let after = rest.get(skipped..).unwrap_or_default();
    let first = after.first();
    let action = first.and_then(Word::as_literal);
    // Some gits look for the action behind options; a branch of that name is rare enough to be asked about.
    let changes = after.iter().filter_map(Word::as_literal).find(|text| writing.contains(text));
    let named = action.and_then(|action| rows::named(&format!("{name} {action}")));
    match (named, changes, action) {
        (Some(row), _, _) => Ok((row, command, after.get(1..).unwrap_or_default())),
        (None, Some(change), _) if name != "config" || action == Some(change) => {
            let why = format!("`git {name} {change}` changes the repository");
            Err(Box::new(Finding::writes(format!("git.{name}.{change}"), first.unwrap_or(command), why)))
        }
        (None, _, None) if first.is_none() && name == "stash" => {
            Err(Box::new(Finding::writes("git.stash", command, "`git stash` puts the changes of the work tree away")))
        }
        (None, _, _) if name == "stash" && action.is_some_and(|action| action.starts_with('-')) => {
            Err(Box::new(Finding::writes("git.stash", command, "`git stash` puts the changes of the work tree away")))
        }
        (None, _, None) if first.is_none() => {
            let default = match name {
                "notes" => "notes list",
                "submodule" => "submodule status",
                other => other,
            };
            match rows::named(default) {
                Some(row) => Ok((row, command, &[])),
                None => Err(Box::new(Finding::unknown(
                    format!("git.{name}"),
                    command,
                    format!("`git {name}` alone does nothing that is known"),
                ))),
            }
        }
        (None, _, _) => match (name, action) {
            ("bisect" | "submodule", Some(action @ ("run" | "foreach"))) => Err(Box::new(Finding::runs(
                format!("git.{name}.{action}"),
                command,
                format!("`git {name} {action}` runs a command"),
            ))),
            ("config" | "reflog" | "remote", _) => match rows::named(name) {
                Some(row) => Ok((row, command, rest)),
                None => Err(Box::new(Finding::unknown(format!("git.{name}"), command, "not a known form"))),
            },
            _ => {
                let shown = first.unwrap_or(command);
                Err(Box::new(Finding::unknown(
                    format!("git.{name}"),
                    shown,
                    format!("this is not a known reading form of `git {name}`"),
                )))
            }
        },
    }
}
