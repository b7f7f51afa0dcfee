//! Custom commands: Markdown files of a person or a project that are prompts with arguments, called as `/name`; skills by their
//! names too. Finding one only reads.
//!
//! What a file says to the model are words and need no trust. What it says to the program (tools that need not ask, a model, a
//! mode that asks less) counts only in the person's own files and in those of a repository whose bytes the person trusts.

mod find;
mod head;
mod template;

pub use find::{MAX_FILE_BYTES, MAX_FILES, PROJECT_FOLDERS, is_name};
pub use head::wishes;

pub(crate) use find::text_of;
pub(crate) use head::{CommandHead, CommandModel};
pub(crate) use template::{CommandArguments, CommandTemplate, MAX_CALLS, TemplatePiece};

use crate::skills::Skills;
use fore_sandbox::Opener;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The commands of the program itself; none of these can be a custom one.
pub const BUILT_IN: &[&str] = &[
    "agents",
    "clear",
    "compact",
    "config",
    "copy",
    "cost",
    "exit",
    "export",
    "fork",
    "help",
    "hooks",
    "mcp",
    "mode",
    "model",
    "new",
    "permissions",
    "plan",
    "quit",
    "redo",
    "report",
    "resume",
    "rewind",
    "status",
    "tasks",
    "team",
    "todos",
    "trust",
    "undo",
    "usage",
];

/// What the prompts of MCP servers begin with; no file can have such a name.
pub(crate) const PROMPT_PREFIX: &str = "mcp__";

/// One command, for a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomCommandRow {
    /// Without the slash: `git:commit`.
    pub name: String,
    /// What may follow, as its file says.
    pub arguments: String,
    /// One line.
    pub description: String,
    /// The file it comes from, as people say it.
    pub from: String,
}

/// Where a command comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandOrigin {
    /// The person's own.
    Person,
    /// The repository's: as little trusted as the rest of it.
    Project,
    /// A skill, whosever it is: words alone.
    Skill,
}

/// A command that can be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CustomCommand {
    pub(crate) row: CustomCommandRow,
    pub(crate) origin: CommandOrigin,
    pub(crate) path: PathBuf,
    /// The folder that its file must not lead out of.
    pub(crate) root: PathBuf,
}

/// The folders in which commands are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommandPlaces<'a> {
    pub(crate) project: &'a Path,
    /// Our own folder in the person's home.
    pub(crate) own: &'a Path,
    /// The person's home, for what other agents keep there.
    pub(crate) user_home: Option<&'a Path>,
}

/// All commands of a session; names are unique, in any case of their letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CustomCommands {
    commands: Vec<CustomCommand>,
}

impl CustomCommands {
    /// The person's own, then the project's, then the skills; with warnings.
    pub(crate) fn find(opener: &Opener, places: &CommandPlaces<'_>, skills: &Skills) -> (CustomCommands, Vec<String>) {
        let (mut commands, mut warnings) = (CustomCommands::default(), Vec::new());
        find::all(&opener.clone().for_many(), places, &mut commands, &mut warnings);
        for skill in skills.iter() {
            let row = CustomCommandRow {
                name: skill.name.clone(),
                arguments: String::new(),
                description: skill.description.clone(),
                from: "a skill".to_owned(),
            };
            // A command goes before a skill of its name, and a skill is there for the model all the same: nothing is said.
            if !is_built_in(&row.name) && commands.get(&row.name).is_none() {
                let (path, root) = (skill.folder.clone(), skill.folder.clone());
                commands.commands.push(CustomCommand { row, origin: CommandOrigin::Skill, path, root });
            }
        }
        (commands, warnings)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&CustomCommand> {
        self.commands.iter().find(|command| command.row.name.eq_ignore_ascii_case(name))
    }

    /// For a list, bounded.
    pub(crate) fn rows(&self, most: usize) -> Vec<CustomCommandRow> {
        self.commands.iter().take(most).map(|command| command.row.clone()).collect()
    }

    /// Takes one more; none of a name that is taken.
    fn add(&mut self, command: CustomCommand, warnings: &mut Vec<String>) {
        let (name, from) = (&command.row.name, &command.row.from);
        if is_built_in(name) {
            warnings.push(format!("{from} is left out: /{name} is a command of the program; rename the file"));
        } else if name.get(..PROMPT_PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(PROMPT_PREFIX)) {
            warnings
                .push(format!("{from} is left out: such names belong to the prompts of MCP servers; rename the file"));
        } else if let Some(first) = self.get(name) {
            warnings.push(format!("{from} is left out: /{name} is {} already", first.row.from));
        } else {
            self.commands.push(command);
        }
    }
}

/// What a line calls: the name, and what follows it. None where it does not look like a command.
pub(crate) fn called(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix('/')?;
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (name, arguments) = rest.split_at(end);
    is_called(name).then(|| (name, arguments.trim()))
}

/// Whether a word after a slash can be the name of a command: `git:commit`, and no path.
fn is_called(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.split(':').all(is_name)
}

fn is_built_in(name: &str) -> bool {
    BUILT_IN.iter().any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests;
