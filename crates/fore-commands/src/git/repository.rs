//! Judges whether a git subcommand would obey a dangerous setting of the repository it runs in.

use super::row::GitRow;
use fore_shell::{Finding, GitFacts, JudgeContext, Word, catalogue::ArgumentScan, git::SettingClass};
use std::path::Path;

/// `HEAD:path` is looked up in trees, which a partial clone may have to fetch.
fn touched(row: &GitRow, given: &ArgumentScan<'_>) -> &'static [SettingClass] {
    let names_path = |word: &&Word| word.as_literal().is_none_or(|text| text.contains(':'));
    if row.touches.is_empty()
        && matches!(row.command, "rev-parse" | "describe" | "name-rev")
        && given.operands.iter().any(names_path)
    {
        return &[SettingClass::Objects];
    }
    row.touches
}

/// The reason why not, if it would.
pub(super) fn obeys_hostile_settings(
    row: &GitRow,
    command: &Word,
    given: &ArgumentScan<'_>,
    folder: Option<&Path>,
    context: &JudgeContext<'_>,
) -> Option<Finding> {
    let touches = touched(row, given);
    let obeys_some = !touches.is_empty();
    let Some(folder) = folder else {
        return obeys_some.then(|| {
            Finding::unknown(
                "git.config.folder",
                command,
                "in which repository this git command runs is decided at run time",
            )
        });
    };
    match context.facts.repositories.at(folder) {
        GitFacts::NoRepository | GitFacts::Quiet => None,
        GitFacts::Unprobed if !obeys_some => None,
        GitFacts::Unprobed => Some(Finding::unknown(
            "git.config.unprobed",
            command,
            "the settings of this repository, which can make git run programs, were not looked at",
        )),
        GitFacts::Armed(keys) => {
            // Newer gits let an alias take the name of a subcommand that is on its way out.
            let alias = format!("alias.{}", command.as_literal().unwrap_or_default());
            // A key that nobody knows the class of may do anything.
            let obeyed = |key: &&String| match SettingClass::of_key(key) {
                Some(class) => touches.contains(&class) || key.eq_ignore_ascii_case(&alias),
                None => obeys_some,
            };
            let key = keys.iter().find(obeyed)?;
            Some(Finding::unknown(
                "git.config.armed",
                command,
                format!("the repository's setting `{key}` can make `git {}` run a program", row.command),
            ))
        }
    }
}
