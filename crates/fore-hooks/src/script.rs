//! Which files of the project a hook names: their bytes are part of what a person vouches for.

use crate::definition::HookRunner;
use fore_text::paths;
use std::{collections::BTreeSet, path::Path};

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

/// What an interpreter adds to a name that it is given.
const STANDS_FOR: [(&str, &[&str]); 3] = [
    ("node", &[".js", ".cjs", ".mjs", "/index.js", "/index.cjs", "/index.mjs", "/package.json"]),
    ("bun", &[".js", ".ts", ".mjs", "/index.js", "/index.ts", "/package.json"]),
    ("python", &[".py", "/__main__.py", "/__init__.py"]),
];

/// The most paths that are looked at for one hook, and the most folders that a command is followed to. A command that names more is not
/// one whose bytes a person could vouch for.
const MAX_PATHS: usize = 2_000;
const MAX_FOLDERS: usize = 8;

/// A command names more than is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManyFiles;

/// Paths inside the project that the hook could mean, each once; whether they are there is for others to see. A hook of the person's
/// own means a file of the project only by a word that can be nothing else, a hook of a repository by any word.
pub(crate) fn named(runner: &HookRunner, project: &Path, any_word: bool) -> Result<Vec<String>, TooManyFiles> {
    let words: Vec<String> = match runner {
        HookRunner::Shell { command } => shell_words(command, project),
        HookRunner::Program { command, args } => {
            std::iter::once(command).chain(args).map(|word| from_the_project(word, project)).collect()
        }
        HookRunner::Http { .. } => Vec::new(),
    };
    let folders = folders(&words)?;
    let program = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let endings: Vec<&str> = STANDS_FOR
        .iter()
        .filter(|(name, _)| words.iter().any(|word| program(word).starts_with(name)))
        .flat_map(|(_, endings)| endings.iter().copied())
        .collect();
    let mut found = NamedPaths::default();
    for (at, word) in words.iter().enumerate() {
        for (_, files) in RUN_BY.iter().filter(|(runner, _)| program(word) == *runner) {
            for folder in &folders {
                files.iter().try_for_each(|file| found.add(inside(folder, file, project)))?;
            }
        }
        // `--config=x` names x, and `-m a.b` names a/b.
        let parts = std::iter::once(word.as_str()).chain(word.split_once('=').map(|(_, value)| value));
        let is_module = at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|before| before == "-m");
        let module = is_module.then(|| word.replace('.', "/"));
        for part in parts.chain(module.as_deref()).filter(|part| any_word || part.contains('/')) {
            for folder in &folders {
                found.add(inside(folder, part, project))?;
                endings.iter().try_for_each(|ending| found.add(inside(folder, &format!("{part}{ending}"), project)))?;
            }
        }
    }
    Ok(found.paths)
}

/// Paths in their order, each once.
#[derive(Default)]
struct NamedPaths {
    paths: Vec<String>,
    known: BTreeSet<String>,
}

impl NamedPaths {
    fn add(&mut self, path: Option<String>) -> Result<(), TooManyFiles> {
        let Some(path) = path.filter(|path| !path.is_empty()) else { return Ok(()) };
        if self.known.insert(path.clone()) {
            self.paths.push(path);
        }
        if self.paths.len() > MAX_PATHS { Err(TooManyFiles) } else { Ok(()) }
    }
}

/// Where a command could look from: the project, and every folder that it goes to.
fn folders(words: &[String]) -> Result<Vec<&str>, TooManyFiles> {
    let goes = |how: &str| matches!(how, "cd" | "pushd" | "-C" | "--prefix" | "--cwd" | "--dir");
    let to = words.iter().zip(words.iter().skip(1)).filter(|(how, _)| goes(how)).map(|(_, to)| to.as_str());
    let mut folders = vec!["."];
    for folder in to {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    if folders.len() > MAX_FOLDERS { Err(TooManyFiles) } else { Ok(folders) }
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
            ("node .claude/guard", ".claude/guard.js"),
            ("node .claude/hooks", ".claude/hooks/index.js"),
            ("python3 -m tools.guard", "tools/guard.py"),
            ("python3 tools", "tools/__main__.py"),
        ];
        for (command, expected) in page {
            let found = named(&HookRunner::Shell { command: command.into() }, project, true).unwrap();
            assert!(found.iter().any(|path| path == expected), "{command}: {found:?}");
        }
        let outside = ["/opt/guard --now", "../other/run.sh", "~/bin/guard"];
        for command in outside {
            let found = named(&HookRunner::Shell { command: command.into() }, project, false).unwrap();
            assert!(found.iter().all(|path| path.starts_with('~')), "{command}: {found:?}");
        }
    }

    #[test]
    fn no_file_hides_behind_many_words_or_folders() {
        let project = Path::new("/projects/shop");
        let of = |command: String| named(&HookRunner::Shell { command }, project, true);
        let words = |count: usize| (0..count).map(|number| format!("w{number} ")).collect::<String>();
        let many = of(format!(": {}; ./evil.sh", words(500))).unwrap();
        assert!(many.iter().any(|path| path == "evil.sh"));
        assert_eq!(of(format!(": {}; ./evil.sh", words(5_000))), Err(TooManyFiles));
        let folders: String = (0..20).map(|number| format!("cd f{number}; ")).collect();
        assert_eq!(of(format!("{folders}./evil.sh")), Err(TooManyFiles));
    }
}
