//! Which files of the project a hook names: their bytes are part of what a person vouches for.

use crate::definition::HookRunner;
use fore_text::paths;
use std::path::Path;

/// How a command names the project.
const PROJECT_VARIABLES: [&str; 4] =
    ["${CLAUDE_PROJECT_DIR}", "$CLAUDE_PROJECT_DIR", "${FORETHOUGHT_PROJECT_DIR}", "$FORETHOUGHT_PROJECT_DIR"];

/// Files that say what a runner of the project's runs, though no word names them.
const RUN_BY: [(&str, &[&str]); 9] = [
    ("npm", &["package.json"]),
    ("npx", &["package.json"]),
    ("pnpm", &["package.json"]),
    ("yarn", &["package.json"]),
    ("bun", &["package.json"]),
    ("make", &["GNUmakefile", "makefile", "Makefile"]),
    ("just", &["justfile", "Justfile", ".justfile"]),
    ("task", &["Taskfile.yml", "Taskfile.yaml"]),
    ("rake", &["Rakefile", "rakefile"]),
];

/// The most files of one hook.
const MAX_FILES: usize = 64;
/// The most folders that a command is followed to.
const MAX_FOLDERS: usize = 8;

/// Paths inside the project that the hook could mean, each once; whether they are there is for others to see. A hook of the person's
/// own means a file of the project only by a word that can be nothing else, a hook of a repository by any word.
pub(crate) fn named(runner: &HookRunner, project: &Path, any_word: bool) -> Vec<String> {
    let words: Vec<String> = match runner {
        HookRunner::Shell { command } => shell_words(command, project),
        HookRunner::Program { command, args } => {
            std::iter::once(command).chain(args).map(|word| from_the_project(word, project)).collect()
        }
        HookRunner::Http { .. } => Vec::new(),
    };
    let mut found: Vec<String> = Vec::new();
    let mut add = |path: String| {
        if found.len() < MAX_FILES && !path.is_empty() && !found.contains(&path) {
            found.push(path);
        }
    };
    let folders = folders(&words);
    for word in &words {
        for (_, files) in RUN_BY.iter().filter(|(runner, _)| word.rsplit('/').next() == Some(*runner)) {
            for folder in &folders {
                files.iter().filter_map(|file| inside(folder, file, project)).for_each(&mut add);
            }
        }
        // `--config=x` names x.
        let parts = std::iter::once(word.as_str()).chain(word.split_once('=').map(|(_, value)| value));
        for part in parts.filter(|part| any_word || part.contains('/')) {
            folders.iter().filter_map(|folder| inside(folder, part, project)).for_each(&mut add);
        }
    }
    found
}

/// Where a command could look from: the project, and every folder that it goes to.
fn folders(words: &[String]) -> Vec<&str> {
    let goes = |how: &str| matches!(how, "cd" | "pushd" | "-C" | "--prefix" | "--cwd" | "--dir");
    let to = words.iter().zip(words.iter().skip(1)).filter(|(how, _)| goes(how)).map(|(_, to)| to.as_str());
    std::iter::once(".").chain(to).take(MAX_FOLDERS).collect()
}

/// The path from the project on; none for what lies elsewhere.
fn inside(folder: &str, word: &str, project: &Path) -> Option<String> {
    let folded = paths::folded(&project.join(folder).join(word));
    let inside = folded.strip_prefix(project).ok()?.to_str()?;
    Some(inside.to_owned())
}

/// What a shell could take for words. More of them than it really takes do no harm: a word that is no file counts for nothing.
fn shell_words(command: &str, project: &Path) -> Vec<String> {
    let whole = from_the_project(command, project);
    let without_quotes = whole.replace(['"', '\'', '\\'], "");
    let ends = |letter: char| letter.is_whitespace() || "&|;()<>`{}".contains(letter);
    // With and without its quotes: `"a b.sh"` is one word, `a"/b"` too.
    let split =
        [without_quotes.as_str(), whole.as_str()].map(|text| text.split(ends).map(str::to_owned).collect::<Vec<_>>());
    let quoted = whole.split(['"', '\'']).map(|text| text.trim().to_owned());
    split.into_iter().flatten().chain(quoted).filter(|word| !word.is_empty()).collect()
}

/// The project is where every hook is run, so its own path is `.`, which holds no blank.
fn from_the_project(text: &str, project: &Path) -> String {
    let text = PROJECT_VARIABLES.iter().fold(text.to_owned(), |text, variable| text.replace(variable, "."));
    match project.to_str() {
        Some(project) if project.len() > 1 => text.replace(&format!("{project}/"), "./"),
        Some(_) | None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_project_that_a_command_could_mean_is_named() {
        let project = Path::new("/projects/my shop");
        let page = [
            ("$CLAUDE_PROJECT_DIR/.claude/a.sh", ".claude/a.sh"),
            ("\"$CLAUDE_PROJECT_DIR\"/.claude/a.sh", ".claude/a.sh"),
            ("\"${CLAUDE_PROJECT_DIR}/.claude/a b.sh\" x", ".claude/a b.sh"),
            ("python3 tools/check.py --fast", "tools/check.py"),
            ("sh -c 'sh ./x/../run.sh; true'", "run.sh"),
            ("FOO=1 node --require=./pre.js main.js", "pre.js"),
            ("cat<input.txt", "input.txt"),
            ("npm run guard", "package.json"),
            ("/usr/bin/make -s guard", "Makefile"),
            ("(cd sub && ./run)", "sub/run"),
        ];
        for (command, expected) in page {
            let found = named(&HookRunner::Shell { command: command.into() }, project, true);
            assert!(found.iter().any(|path| path == expected), "{command}: {found:?}");
        }
        let outside = ["/opt/guard --now", "../other/run.sh", "~/bin/guard"];
        for command in outside {
            let found = named(&HookRunner::Shell { command: command.into() }, project, false);
            assert!(found.iter().all(|path| path.starts_with('~')), "{command}: {found:?}");
        }
    }
}
