//! The parts of a command that is several in a row, each judged alone: a yes for kinds covers the whole only where it covers every part.
//!
//! A part counts by itself only if no part before it can change what it means, so everything that changes the shell (`cd`, `export`,
//! assignments, functions, sourced files) belongs to no kind.

use super::{AllowScope, Ground, wider};
use fore_shell::{CommandKind, Finding, ShellFacts, syntax::CommandPart};
use std::path::Path;

/// What a part of a command belongs to.
pub(super) enum PartKind {
    /// It does nothing that anybody would be asked about: it prints, or cuts what comes through a pipe.
    Silent,
    /// It runs code of the project and begins like others.
    Alike(AllowScope),
    /// Exactly this and nothing else.
    Exact(AllowScope),
}

/// Parts of one command that are looked at.
const MAX_PARTS: usize = 16;

/// Programs between pipes, with the letters of the options that they may have here: none of them names a file.
const FILTERS: [(&str, &str); 7] = [
    ("head", "ncq"),
    ("tail", "ncq"),
    ("grep", "ivEFncowxqABCmhs"),
    ("wc", "lwcm"),
    ("sort", "unr"),
    ("uniq", "cdui"),
    ("cat", ""),
];

/// What the shell itself does, or what may change what comes after it, and what runs whatever it reads.
const CHANGES_THE_SHELL: [&str; 46] = [
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
];
const CHANGES_THE_SHELL_TOO: [&str; 12] =
    ["test", "times", "trap", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait", "printf", "coproc"];

/// The kind of each part, in order; none where some part has none, or the text is not plainly several commands in a row.
pub(super) fn kinds(ground: &Ground<'_>, command: &str, cwd: &str) -> Option<Vec<PartKind>> {
    each(ground, command, cwd)?.into_iter().map(|(_, kind)| kind).collect()
}

/// Each part with its kind, if it has one.
pub(super) fn each<'t>(ground: &Ground<'_>, command: &'t str, cwd: &str) -> Option<Vec<(&'t str, Option<PartKind>)>> {
    let parts = fore_shell::syntax::parts(command)?;
    if parts.len() > MAX_PARTS {
        return None;
    }
    let facts = ShellFacts {
        catalogue: ground.catalogue,
        cwd: Path::new(cwd),
        home: ground.home,
        plan_file: None,
        vouched: ground.vouched,
        repositories: ground.repositories,
    };
    let is_alone = parts.len() == 1;
    let judged = |(at, part): (usize, &CommandPart<'t>)| match at == 0 && !is_alone && stays(part, cwd) {
        true => (part.text, Some(PartKind::Silent)),
        false => (part.text, kind(part, &fore_shell::judge(part.text, &facts), cwd)),
    };
    Some(parts.iter().enumerate().map(judged).collect())
}

/// `cd FOLDER &&` into the folder where it runs anyway.
fn stays(part: &CommandPart<'_>, cwd: &str) -> bool {
    let folder = part.text.strip_prefix("cd ").map(str::trim);
    let folder = folder.map(|folder| folder.trim_end_matches('/'));
    part.is_condition && (folder == Some(cwd) || folder == Some("."))
}

fn kind(part: &CommandPart<'_>, finding: &Finding, cwd: &str) -> Option<PartKind> {
    let [command] = finding.commands.as_slice() else { return None };
    let is_closed = finding.reach.is_empty() && finding.sends.is_empty() && !finding.writes_plan;
    let program = command.first()?.as_deref()?;
    if !is_closed {
        return None;
    }
    if finding.kind == CommandKind::Reads {
        let words: Vec<&str> = command.iter().map(Option::as_deref).collect::<Option<_>>()?;
        let is_silent = finding.paths.is_empty() && is_plain(part.text) && is_silent(&words);
        return is_silent.then_some(PartKind::Silent);
    }
    if let Some(words) = wider::beginning(finding).map(|words| words.join(" ")) {
        // Nothing stands before it: no variable that is set for this run, no quotes.
        let is_written = part.text.starts_with(words.as_str());
        return is_written.then(|| PartKind::Alike(AllowScope::CommandsLike { cwd: cwd.to_owned(), words }));
    }
    let is_known = matches!(finding.kind, CommandKind::Runs | CommandKind::Writes);
    let changes_shell = CHANGES_THE_SHELL.contains(&program) || CHANGES_THE_SHELL_TOO.contains(&program);
    // Between pipes a program may run what another one prints.
    if !is_known || part.is_piped || changes_shell || finding.changes_folder() {
        return None;
    }
    let (cwd, command) = (cwd.to_owned(), part.text.to_owned());
    Some(PartKind::Exact(AllowScope::Command { cwd, command }))
}

/// Nothing in it is put in by the shell: no variable, pattern, substitution or redirection.
fn is_plain(text: &str) -> bool {
    !text.contains(['$', '`', '*', '?', '[', '{', '~', '<', '>', '\\', '!'])
}

/// A print, or a filter that reads nothing but what comes to it.
fn is_silent(words: &[&str]) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    if matches!(*program, "echo" | "true" | "pwd") {
        return true;
    }
    let Some((_, letters)) = FILTERS.iter().find(|(name, _)| name == program) else { return false };
    let is_number = |word: &str| word.strip_prefix('+').unwrap_or(word).bytes().all(|byte| byte.is_ascii_digit());
    let is_option = |word: &str| {
        word.strip_prefix('-').is_some_and(|option| {
            !option.is_empty() && option.chars().all(|letter| letter.is_ascii_digit() || letters.contains(letter))
        })
    };
    let takes_number = |word: &str| is_option(word) && word.ends_with(['n', 'c', 'A', 'B', 'C', 'm']);
    let mut operands = 0;
    let mut before = "";
    for word in rest {
        match *word {
            word if is_option(word) => {}
            word if !word.is_empty() && is_number(word) && takes_number(before) && *program != "sort" => {}
            word if word.starts_with('-') => return false,
            _ => operands += 1,
        }
        before = word;
    }
    // What grep looks for.
    operands == usize::from(*program == "grep")
}
