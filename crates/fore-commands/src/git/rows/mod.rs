//! The table of git subcommands that can be reads. A subcommand without a row is never a read.

mod history;
mod objects;
mod references;
mod settings;
mod shared;
mod work_tree;

use super::{Example, row::GitRow};

/// All rows.
pub(super) fn all() -> impl Iterator<Item = &'static GitRow> {
    [history::ROWS, objects::ROWS, references::ROWS, settings::ROWS, work_tree::ROWS].into_iter().flatten()
}

pub(super) fn named(command: &str) -> Option<&'static GitRow> {
    all().find(|row| row.command == command)
}

/// The examples of all rows.
pub(super) fn examples() -> impl Iterator<Item = Example> {
    all().flat_map(|row| {
        let example = |is_read| move |line: &&'static str| Example { line, is_read };
        let reads = row.reads.iter().map(example(true));
        reads.chain(row.others.iter().map(example(false)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_shell::{CommandKind, GitFacts, JudgeContext, ShellFacts, Word};

    fn kind(line: &str) -> CommandKind {
        let facts = ShellFacts {
            catalogue: &crate::CATALOGUE,
            cwd: std::path::Path::new("/project"),
            home: None,
            plan_file: None,
            vouched: &[],
            repositories: &GitFacts::Quiet,
        };
        let argv: Vec<Word> = std::iter::once("git").chain(line.split(' ')).map(Word::literal).collect();
        crate::git::judge(&argv, &JudgeContext::new(&facts)).kind
    }

    #[test]
    fn every_row_matches_its_own_examples() {
        let wrong: Vec<(&str, CommandKind)> = examples()
            .filter(|example| (kind(example.line) == CommandKind::Reads) != example.is_read)
            .map(|example| (example.line, kind(example.line)))
            .collect();
        assert_eq!(wrong, []);
    }

    #[test]
    fn every_row_has_examples_of_both_kinds() {
        let bare: Vec<&str> =
            all().filter(|row| row.reads.is_empty() || row.others.is_empty()).map(|row| row.command).collect();
        assert_eq!(bare, ["ls-remote"], "ls-remote is never a plain read: it talks to somebody");
    }

    #[test]
    fn no_command_has_two_rows() {
        let mut names: Vec<&str> = all().map(|row| row.command).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
