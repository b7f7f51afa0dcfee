//! Which git commands only read, and what a repository can make them do.

mod format;
mod globals;
pub mod hardening;
pub mod keys;
mod options;
pub mod probe;
mod row;
mod rows;
mod writers;

use crate::{
    context::Context,
    facts::GitFacts,
    finding::{Finding, Kind, Reach},
    languages::verdict::{reads_path, runs, shown, unknown, writes},
    word::Word,
};
use globals::Start;
use options::{Given, rule};
use row::{Operands, Row};
use std::path::Path;

/// Judges a whole `git` command, program name included.
pub fn judge(argv: &[Word], context: &Context<'_>) -> Finding {
    match globals::read(argv.get(1..).unwrap_or_default(), context.cwd.as_deref()) {
        Ok(Start::About) => Finding::reads(),
        Ok(Start::Subcommand { folder, words }) => {
            judge_subcommand(words, folder.as_deref(), context).unwrap_or_else(|finding| *finding)
        }
        Err(finding) => *finding,
    }
}

/// One line of the table's own documentation: words after `git`, split at blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    pub line: &'static str,
    pub is_read: bool,
}

/// What the table says of itself; every row has some.
pub fn examples() -> impl Iterator<Item = Example> {
    rows::examples()
}

type Judged<T> = Result<T, Box<Finding>>;

fn judge_subcommand(
    words: &[Word],
    folder: Option<&Path>,
    context: &Context<'_>,
) -> Judged<Finding> {
    let (row, command, arguments) = find_row(words)?;
    let asks_for_usage = matches!(arguments, [only] if only.as_literal() == Some("-h"));
    if asks_for_usage && !matches!(row.operands, Operands::Remote) {
        return Ok(Finding::reads());
    }
    let given = options::read(row, arguments)?;
    let mut finding = judge_operands(row, command, &given)?;
    if let Some(problem) = obeys_hostile_settings(row, command, folder, context) {
        return Err(Box::new(problem));
    }
    if matches!(
        row.command,
        "blame" | "annotate" | "diff" | "grep" | "hash-object" | "check-mailmap"
    ) {
        // Certain only for plain names; revisions look the same, which does no harm to rules that forbid reading.
        for path in given
            .operands
            .iter()
            .filter_map(|word| word.as_literal())
            .filter(|text| text.contains('/'))
        {
            let inside = Context {
                cwd: folder.map(Path::to_path_buf),
                ..context.clone()
            };
            finding = finding.and(reads_path(&inside, path));
        }
    }
    Ok(finding)
}

/// The row for a subcommand, with the words after its name and after its action.
fn find_row(words: &[Word]) -> Judged<(&'static Row, &Word, &[Word])> {
    let nothing = || {
        Box::new(unknown(
            "git.subcommand",
            &Word::literal("git"),
            "there is no git subcommand",
        ))
    };
    let (command, rest) = words.split_first().ok_or_else(nothing)?;
    let name = command.as_literal().unwrap_or_default();
    if let Some((_, actions)) = writers::WRITING_ACTIONS
        .iter()
        .find(|(own, _)| *own == name)
    {
        return find_action(name, command, rest, actions);
    }
    match rows::named(name) {
        Some(row) => Ok((row, command, rest)),
        None => Err(Box::new(match writers::known(name) {
            Some((kind, why)) => shown(
                kind,
                format!("git.{name}"),
                command,
                format!("`git {name}` {why}"),
            ),
            None => unknown(
                "git.subcommand",
                command,
                format!("`git {name}` is an alias or not a known git subcommand"),
            ),
        })),
    }
}

/// Subcommands whose first operand says what they do.
fn find_action<'a>(
    name: &str,
    command: &'a Word,
    rest: &'a [Word],
    writing: &[&str],
) -> Judged<(&'static Row, &'a Word, &'a [Word])> {
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
    let changes = after
        .iter()
        .filter_map(Word::as_literal)
        .find(|text| writing.contains(text));
    let named = action.and_then(|action| rows::named(&format!("{name} {action}")));
    match (named, changes, action) {
        (Some(row), _, _) => Ok((row, command, after.get(1..).unwrap_or_default())),
        (None, Some(change), _) if name != "config" || action == Some(change) => {
            let why = format!("`git {name} {change}` changes the repository");
            Err(Box::new(writes(
                format!("git.{name}.{change}"),
                first.unwrap_or(command),
                why,
            )))
        }
        (None, _, None) if first.is_none() && name == "stash" => Err(Box::new(writes(
            "git.stash",
            command,
            "`git stash` puts the changes of the work tree away",
        ))),
        (None, _, _) if name == "stash" && action.is_some_and(|action| action.starts_with('-')) => {
            Err(Box::new(writes(
                "git.stash",
                command,
                "`git stash` puts the changes of the work tree away",
            )))
        }
        (None, _, None) if first.is_none() => {
            let default = match name {
                "notes" => "notes list",
                "submodule" => "submodule status",
                other => other,
            };
            match rows::named(default) {
                Some(row) => Ok((row, command, &[])),
                None => Err(Box::new(unknown(
                    format!("git.{name}"),
                    command,
                    format!("`git {name}` alone does nothing that is known"),
                ))),
            }
        }
        (None, _, _) => match (name, action) {
            ("bisect" | "submodule", Some(action @ ("run" | "foreach"))) => Err(Box::new(runs(
                format!("git.{name}.{action}"),
                command,
                format!("`git {name} {action}` runs a command"),
            ))),
            ("config" | "reflog" | "remote", _) => match rows::named(name) {
                Some(row) => Ok((row, command, rest)),
                None => Err(Box::new(unknown(
                    format!("git.{name}"),
                    command,
                    "not a known form",
                ))),
            },
            _ => {
                let shown = first.unwrap_or(command);
                Err(Box::new(unknown(
                    format!("git.{name}"),
                    shown,
                    format!("this is not a known reading form of `git {name}`"),
                )))
            }
        },
    }
}

fn judge_operands(row: &Row, command: &Word, given: &Given<'_>) -> Judged<Finding> {
    let count = given.operands.len();
    let refuse = |why: &str| {
        let word = given.operands.last().copied().unwrap_or(command);
        let why = format!("`git {}`: {why}", row.command);
        let certain = given
            .operands
            .iter()
            .all(|word| word.as_literal().is_some());
        let kind = if certain { Kind::Writes } else { Kind::Unknown };
        Err(Box::new(shown(kind, rule(row, "operand"), word, why)))
    };
    match &row.operands {
        Operands::Any => Ok(Finding::reads()),
        Operands::None(_) if count == 0 => Ok(Finding::reads()),
        Operands::None(why) => refuse(why),
        // One that is decided at run time may become several.
        Operands::AtMost(most, _)
            if count <= *most
                && given
                    .operands
                    .iter()
                    .all(|word| word.as_literal().is_some()) =>
        {
            Ok(Finding::reads())
        }
        Operands::AtMost(_, why) => refuse(why),
        Operands::NoneUnless(listing, _) if count == 0 || given.has_one_of(listing) => {
            Ok(Finding::reads())
        }
        Operands::NoneUnless(_, why) => refuse(why),
        Operands::OnlyWith(required, _) if given.has_one_of(required) => Ok(Finding::reads()),
        Operands::OnlyWith(_, why) => refuse(why),
        Operands::Setting => {
            let asks = given.has_one_of(&[
                "-l",
                "--list",
                "--get",
                "--get-all",
                "--get-regexp",
                "--get-urlmatch",
                "--get-color",
                "--get-colorbool",
            ]);
            let one = matches!(given.operands.as_slice(), [only] if only.as_literal().is_some());
            if asks || one {
                Ok(Finding::reads())
            } else {
                refuse("with a value it changes the setting")
            }
        }
        Operands::Remote => remote(row, command, given),
        Operands::RemoteName if count == 0 || given.has_one_of(&["-n"]) => Ok(Finding::reads()),
        Operands::RemoteName => remote(row, command, given),
    }
}

/// Asks a remote: by its name, or by an address that only git's own client handles.
fn remote(row: &Row, command: &Word, given: &Given<'_>) -> Judged<Finding> {
    let word = given.operands.first().copied().unwrap_or(command);
    let address = given.operands.first().map(|word| word.as_literal());
    let plain = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
            && !text.starts_with('.')
    };
    let reach = match address {
        None => Reach::AnyHost,
        Some(Some(text)) if plain(text) => Reach::AnyHost,
        Some(Some(text)) => match text
            .strip_prefix("https://")
            .map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default())
        {
            Some(host) => {
                let host = host
                    .rsplit('@')
                    .next()
                    .unwrap_or_default()
                    .split(':')
                    .next()
                    .unwrap_or_default();
                if !plain(host) {
                    return Err(Box::new(unknown(
                        rule(row, "operand"),
                        word,
                        "the host of this address is not certain",
                    )));
                }
                Reach::Host(host.to_ascii_lowercase())
            }
            None => {
                return Err(Box::new(unknown(
                    rule(row, "operand"),
                    word,
                    "this kind of address may make git run another program",
                )));
            }
        },
        Some(None) => {
            return Err(Box::new(unknown(
                rule(row, "operand"),
                word,
                "which remote is asked is decided at run time",
            )));
        }
    };
    let mut finding = shown(
        Kind::Network,
        rule(row, "network"),
        word,
        format!("`git {}` asks another repository", row.command),
    );
    finding.reach.push(reach);
    Ok(finding)
}

fn obeys_hostile_settings(
    row: &Row,
    command: &Word,
    folder: Option<&Path>,
    context: &Context<'_>,
) -> Option<Finding> {
    if row.touches.is_empty() {
        return None;
    }
    let Some(folder) = folder else {
        return Some(unknown(
            "git.config.folder",
            command,
            "in which repository this git command runs is decided at run time",
        ));
    };
    match context.facts.repositories.at(folder) {
        GitFacts::NoRepository | GitFacts::Quiet => None,
        GitFacts::Unprobed => Some(unknown(
            "git.config.unprobed",
            command,
            "the settings of this repository, which can make git run programs, were not looked at",
        )),
        GitFacts::Armed(keys) => {
            // A key that nobody knows the class of may do anything.
            let key = keys
                .iter()
                .find(|key| keys::class(key).is_none_or(|class| row.touches.contains(&class)))?;
            Some(unknown(
                "git.config.armed",
                command,
                format!(
                    "the repository's setting `{key}` can make `git {}` run a program",
                    row.command
                ),
            ))
        }
    }
}
