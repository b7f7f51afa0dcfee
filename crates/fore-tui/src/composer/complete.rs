//! What could be meant by the word being written: a command after `/`, a file after `@`. It proposes; a key chooses.

use super::files::{FileMatches, FileSource, MAX_FOUND, NameMatch, Ties, rank};
use crate::slash::{COMMANDS, MODES, SlashCommand};
use fore_agent::{McpResourceRow, custom::CustomCommandRow};
use std::borrow::Cow;

/// The word that is being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CompletionWord {
    /// Everything after the slash.
    Command(String),
    /// What stands after `@`, and after the quote if there is one.
    File { words: String, quoted: bool },
}

/// Proposals for a word, and which of them a key would take.
#[derive(Debug)]
pub(super) struct Popup {
    word: CompletionWord,
    pub(super) rows: Vec<CompletionRow>,
    pub(super) chosen: Option<usize>,
    /// Files are still being looked for.
    pub(super) waits: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CompletionRow {
    /// What stands in the row, and what is put in.
    pub(super) name: String,
    pub(super) marks: Vec<usize>,
    /// What may follow a command.
    pub(super) words: Cow<'static, str>,
    pub(super) about: Cow<'static, str>,
}

impl CompletionWord {
    /// The word before the cursor, if it can be completed. `only_line` is whether the draft has no other line.
    pub(super) fn before(text: &str, only_line: bool) -> Option<CompletionWord> {
        if let Some(command) = text.strip_prefix('/').filter(|_| only_line) {
            let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_: ".contains(letter);
            return command.chars().all(plain).then(|| CompletionWord::Command(command.into()));
        }
        if text.starts_with('!') {
            return None;
        }
        let (before, after) = text.rsplit_once('@')?;
        if !before.chars().next_back().is_none_or(|letter| letter.is_whitespace() || letter == '(') {
            return None;
        }
        match after.strip_prefix('"') {
            Some(quoted) => {
                (!quoted.contains('"')).then(|| CompletionWord::File { words: quoted.into(), quoted: true })
            }
            None => (!after.contains(char::is_whitespace))
                .then(|| CompletionWord::File { words: after.into(), quoted: false }),
        }
    }

    /// How many letters before the cursor it takes.
    pub(super) fn char_count(&self) -> usize {
        match self {
            CompletionWord::Command(words) => words.chars().count() + 1,
            CompletionWord::File { words, quoted } => words.chars().count() + 1 + usize::from(*quoted),
        }
    }
}

impl Popup {
    /// Proposals for a word; `old` are those that were there a letter ago.
    pub(super) fn new(
        word: CompletionWord,
        files: &mut FileSource,
        (custom, resources): (&[CustomCommandRow], &[McpResourceRow]),
        old: Option<Popup>,
    ) -> Popup {
        match &word {
            CompletionWord::Command(words) => {
                let rows = commands(words, custom);
                Popup { chosen: first_command(&rows, words.trim_end()), rows, word, waits: false }
            }
            CompletionWord::File { words, .. } => {
                files.ask(words);
                files.refresh();
                let mut popup = Popup { word, rows: Vec::new(), chosen: None, waits: true };
                popup.take_files(files, resources, old.and_then(Popup::chosen_by_hand));
                popup
            }
        }
    }

    /// Files that have been found since.
    pub(super) fn refresh(&mut self, files: &FileSource, resources: &[McpResourceRow]) {
        let chosen = self.chosen.and_then(|chosen| self.rows.get(chosen)).map(|row| row.name.clone());
        self.take_files(files, resources, chosen);
    }

    fn take_files(&mut self, files: &FileSource, resources: &[McpResourceRow], chosen: Option<String>) {
        let CompletionWord::File { words, .. } = &self.word else {
            return;
        };
        self.waits = files.waits();
        self.rows = files.found().map(|found| fitting(found, words)).unwrap_or_default();
        self.rows.extend(of_servers(words, resources));
        let kept = chosen.and_then(|name| self.rows.iter().position(|row| row.name == name));
        self.chosen = kept.or_else(|| first(&self.rows, words));
    }

    /// The row that was moved to, rather than being first by itself.
    fn chosen_by_hand(self) -> Option<String> {
        let chosen = self.chosen.filter(|chosen| *chosen > 0)?;
        self.rows.into_iter().nth(chosen).map(|row| row.name)
    }

    /// Whether there is anything to see.
    pub(super) fn shows(&self) -> bool {
        self.waits || !self.rows.is_empty()
    }

    pub(super) fn word(&self) -> &CompletionWord {
        &self.word
    }

    pub(super) fn next(&mut self) {
        let last = self.rows.len().saturating_sub(1);
        self.chosen = Some(self.chosen.map_or(0, |chosen| if chosen >= last { 0 } else { chosen + 1 }));
    }

    pub(super) fn previous(&mut self) {
        let last = self.rows.len().saturating_sub(1);
        self.chosen = Some(self.chosen.map_or(last, |chosen| chosen.checked_sub(1).unwrap_or(last)));
    }

    /// The chosen row is a command that takes no words: with it the draft is finished.
    pub(super) fn finishes(&self) -> bool {
        let chosen = self.chosen.and_then(|chosen| self.rows.get(chosen));
        matches!(self.word, CompletionWord::Command(_)) && chosen.is_some_and(|row| row.words.is_empty())
    }

    /// What is put in for the chosen row, or for the first one if none is chosen.
    pub(super) fn completion(&self) -> Option<String> {
        let row = self.rows.get(self.chosen.unwrap_or(0))?;
        Some(match &self.word {
            CompletionWord::Command(_) if row.words.is_empty() => format!("/{}", row.name),
            CompletionWord::Command(_) => format!("/{} ", row.name),
            CompletionWord::File { .. } if row.about.is_empty() => mention(&row.name),
            // A resource is whole, whatever its address ends with.
            CompletionWord::File { .. } if is_one_word(&row.name) => format!("@{} ", row.name),
            CompletionWord::File { .. } => format!("@\"{}\" ", row.name),
        })
    }
}

/// A folder stays open, so that what is in it comes next.
fn mention(path: &str) -> String {
    let (folder, spaces) = (path.ends_with('/'), path.contains(char::is_whitespace));
    match (folder, spaces) {
        (true, true) => format!("@\"{path}"),
        (true, false) => format!("@{path}"),
        (false, true) => format!("@\"{path}\" "),
        (false, false) => format!("@{path} "),
    }
}

/// The first row is chosen by itself, unless nothing was written yet or the word is whole: then Enter means send.
fn first(rows: &[CompletionRow], words: &str) -> Option<usize> {
    let whole = words.is_empty() || rows.iter().any(|row| row.name == words);
    (!whole && !rows.is_empty()).then_some(0)
}

/// A command is chosen by itself only if it begins with what was written: whoever mistyped one is told so, and runs no other.
fn first_command(rows: &[CompletionRow], words: &str) -> Option<usize> {
    let typed = words.to_ascii_lowercase();
    first(rows, words)?;
    rows.iter().position(|row| row.name.to_ascii_lowercase().starts_with(&typed))
}

/// Rows for other words than those they were found for are ranked again, so that no row is offered that does not fit.
fn fitting(found: &FileMatches, words: &str) -> Vec<CompletionRow> {
    let none = || Cow::Borrowed("");
    let file = |fit: NameMatch| CompletionRow { name: fit.name, marks: fit.marks, words: none(), about: none() };
    if found.words == words {
        return found.rows.iter().cloned().map(file).collect();
    }
    rank(words, found.rows.iter().map(|row| row.name.as_str()), MAX_FOUND, Ties::Shortest)
        .into_iter()
        .map(file)
        .collect()
}

/// Whether an address needs no quotes.
fn is_one_word(address: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:~%#=&+@?".contains(letter);
    address.chars().all(is_plain) && !address.ends_with(['.', ':', '?'])
}

/// Resources of servers, behind the files: `server:uri`.
fn of_servers(words: &str, resources: &[McpResourceRow]) -> Vec<CompletionRow> {
    // What can be put between quotes and is read as it was written.
    let is_plain = |name: &String| !name.contains('"') && fore_text::line(name) == name.as_str();
    let names: Vec<String> = resources.iter().map(|one| format!("{}:{}", one.server, one.uri)).collect();
    let fits = rank(words, names.iter().filter(|name| is_plain(name)).map(String::as_str), MAX_FOUND, Ties::AsTheyCome);
    let row = |fit: NameMatch| {
        let place = names.iter().position(|name| *name == fit.name)?;
        let about = fore_text::line(&format!("{} (MCP server)", resources.get(place)?.name)).into_owned();
        Some(CompletionRow { name: fit.name, marks: fit.marks, words: Cow::Borrowed(""), about: Cow::Owned(about) })
    };
    fits.into_iter().filter_map(row).collect()
}

fn commands(words: &str, custom: &[CustomCommandRow]) -> Vec<CompletionRow> {
    if words.contains(' ') {
        let typed = words.to_ascii_lowercase();
        let fits = |command: &&SlashCommand| {
            let name = command.name.to_ascii_lowercase();
            name == typed.trim_end() || name.starts_with(&typed)
        };
        let marks = (0..typed.trim_end().len()).collect::<Vec<_>>();
        return COMMANDS.iter().chain(MODES).filter(fits).map(|command| built_in(command, marks.clone())).collect();
    }
    let names = COMMANDS.iter().map(|command| command.name).chain(custom.iter().map(|command| command.name.as_str()));
    let row = |fit: NameMatch| {
        let command = COMMANDS.iter().find(|command| command.name == fit.name);
        let own = || custom.iter().find(|command| command.name == fit.name);
        match command {
            Some(command) => Some(built_in(command, fit.marks)),
            None => own().map(|command| of_file(command, fit.marks)),
        }
    };
    rank(words, names, COMMANDS.len() + custom.len(), Ties::AsTheyCome).into_iter().filter_map(row).collect()
}

fn built_in(command: &SlashCommand, marks: Vec<usize>) -> CompletionRow {
    CompletionRow { name: command.name.into(), marks, words: command.words.into(), about: command.about.into() }
}

/// A command of a file says where it comes from.
fn of_file(command: &CustomCommandRow, marks: Vec<usize>) -> CompletionRow {
    let about = format!("{} ({})", command.description, command.from);
    let words = if command.arguments.is_empty() { "[…]" } else { &command.arguments };
    let line = |text: &str| Cow::Owned(fore_text::line(text).into_owned());
    CompletionRow { name: command.name.clone(), marks, words: line(words), about: line(&about) }
}
