//! What a command names literally: paths, and secrets in git's history. What it puts together while it runs is not seen here.

use crate::job::{Job, JobCommand};
use crate::secrets::{Naming, naming};
use fore_shell::{Catalogue, GitFacts, ShellFacts};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Words of one command that are looked at.
const MAX_WORDS: usize = 4096;
/// Paths that are found in them.
const MAX_PATHS: usize = 64;
/// Folders that a command goes to, which its other words may be relative to.
const MAX_FOLDERS: usize = 8;
/// What separates words, whatever quotes say: to take too much for a path only shows what the command spells out.
const BETWEEN: &[char] = &[
    ' ', '\t', '\n', '\r', '\'', '"', '`', ';', '|', '&', '(', ')', '<', '>', '=', ':', ',', '{', '}', '[', ']', '\\',
];
/// Subcommands of git that show what was committed.
const TELLING: [&str; 12] = [
    "show",
    "cat-file",
    "diff",
    "blame",
    "annotate",
    "grep",
    "archive",
    "whatchanged",
    "format-patch",
    "difftool",
    "diff-tree",
    "log",
];

/// The words of a job's command, each list of them a simple command.
pub(crate) struct JobWords(Vec<Vec<Option<String>>>);

impl JobWords {
    pub(crate) fn of(job: &Job<'_>, home: Option<&Path>, catalogue: &Catalogue) -> JobWords {
        match &job.command {
            JobCommand::Program(argv) => {
                let mut commands = vec![argv.iter().map(|word| word.to_str().map(str::to_owned)).collect()];
                // `bash -c TEXT`, `env … sh -c TEXT`.
                let inner = argv.iter().position(|word| word == "-c").and_then(|at| argv.get(at + 1)?.to_str());
                commands.extend(inner.map(|text| of_script(text, job, home, catalogue)).unwrap_or_default());
                JobWords(commands)
            }
            JobCommand::Script(text) => JobWords(of_script(text, job, home, catalogue)),
        }
    }

    /// Paths that exist, absolute, without repeats. `cwd` is where the job's folder really is.
    pub(crate) fn paths(&self, job: &Job<'_>, cwd: &Path, home: Option<&Path>) -> Vec<PathBuf> {
        self.paths_that(job, cwd, home, &|path| path.symlink_metadata().is_ok())
    }

    /// Names of secrets that do not exist yet.
    pub(crate) fn missing_secrets(&self, job: &Job<'_>, cwd: &Path, home: Option<&Path>) -> Vec<PathBuf> {
        let is_secret = |path: &Path| path.file_name().is_some_and(|name| naming(name) == Naming::Secret);
        self.paths_that(job, cwd, home, &|path| is_secret(path) && path.symlink_metadata().is_err())
    }

    fn paths_that(
        &self,
        job: &Job<'_>,
        cwd: &Path,
        home: Option<&Path>,
        is_wanted: &dyn Fn(&Path) -> bool,
    ) -> Vec<PathBuf> {
        let bases = self.folders(cwd);
        let mut found = Vec::new();
        let words = self.0.iter().flatten().flatten().map(String::as_str);
        match &job.command {
            JobCommand::Script(text) => {
                in_words(words.chain(text.split(BETWEEN)), (&bases, home), is_wanted, &mut found)
            }
            JobCommand::Program(argv) => {
                let pieces = argv.iter().filter_map(|word| word.to_str()).flat_map(|word| word.split(BETWEEN));
                in_words(words.chain(pieces), (&bases, home), is_wanted, &mut found);
                // A program may have a name that is not text.
                let odd = argv.iter().filter(|word| word.to_str().is_none()).map(|word| job.cwd.join(word));
                found.extend(odd.filter(|path| is_wanted(path)).take(MAX_PATHS));
            }
        }
        found
    }

    /// Where the command starts, and where it goes.
    fn folders(&self, cwd: &Path) -> Vec<PathBuf> {
        let mut folders = vec![cwd.to_owned()];
        for words in &self.0 {
            if let [Some(name), .., Some(folder)] = words.as_slice()
                && matches!(name.as_str(), "cd" | "pushd")
                && folders.len() < MAX_FOLDERS
            {
                let gone_to = folders.iter().rev().find_map(|base| base.join(folder).canonicalize().ok());
                folders.extend(gone_to.filter(|folder| folder.is_dir()));
            }
        }
        folders
    }

    /// A committed secret that a git command asks for by name, as it was written.
    pub(crate) fn git_secret(&self) -> Option<String> {
        self.0.iter().find_map(|words| {
            let is_git = |word: &Option<String>| {
                word.as_deref().is_some_and(|word| Path::new(word).file_name() == Some(OsStr::new("git")))
            };
            let at = words.iter().position(is_git)?;
            let words: Vec<&str> = words.iter().skip(at + 1).map(|word| word.as_deref().unwrap_or_default()).collect();
            let subcommand = words.iter().find(|word| TELLING.contains(*word))?;
            let shows_content = *subcommand != "log" || words.iter().any(|word| is_patch(word));
            let after_dashes = words.iter().position(|word| *word == "--").unwrap_or(words.len());
            let mut numbered = words.iter().enumerate();
            let found = numbered.find(|(at, word)| match word.rsplit_once(':') {
                Some((_, path)) => is_secret(path),
                None => *at > after_dashes && shows_content && is_secret(word),
            });
            found.map(|(_, word)| (*word).to_owned())
        })
    }
}

fn of_script(text: &str, job: &Job<'_>, home: Option<&Path>, catalogue: &Catalogue) -> Vec<Vec<Option<String>>> {
    let facts =
        ShellFacts { catalogue, cwd: &job.cwd, home, plan_file: None, vouched: &[], repositories: &GitFacts::Unprobed };
    fore_shell::judge(text, &facts).commands
}

/// The same for what a command printed.
pub(crate) fn in_text(text: &str, cwd: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let exists = |path: &Path| path.symlink_metadata().is_ok();
    in_words(text.split(BETWEEN), (&[cwd.to_owned()], home), &exists, &mut found);
    found
}

fn in_words<'a>(
    words: impl Iterator<Item = &'a str>,
    (bases, home): (&[PathBuf], Option<&Path>),
    is_wanted: &dyn Fn(&Path) -> bool,
    found: &mut Vec<PathBuf>,
) {
    for word in words.take(MAX_WORDS) {
        // `-I../lib`, `--path=../lib`: an option may carry a path.
        let behind_letter =
            word.strip_prefix('-').and_then(|rest| rest.get(1..)).filter(|rest| rest.starts_with(['.', '/', '~']));
        let behind_sign = word.split_once('=').map(|(_, value)| value);
        // The end of a sentence in what was printed.
        let before_stop = word.strip_suffix('.').filter(|rest| !rest.ends_with(['.', '/']));
        for spelled in [Some(word), behind_letter, behind_sign, before_stop].into_iter().flatten() {
            for base in bases {
                let Some(path) = absolute(spelled, base, home) else { continue };
                if found.len() < MAX_PATHS && !found.contains(&path) && is_wanted(&path) {
                    found.push(path);
                }
            }
        }
    }
}

/// A word as a path, if it leads out of the folder: what lies in it is shown anyway.
fn absolute(word: &str, base: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let in_home = ["~", "$HOME", "${HOME}"].iter().find_map(|start| word.strip_prefix(start));
    if let Some(rest) = in_home.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        return Some(home?.join(rest.trim_start_matches('/')));
    }
    let path = Path::new(word);
    let leads_out = path.is_absolute() || word.split('/').any(|part| part == "..");
    leads_out.then(|| fore_text::paths::folded(&base.join(path)))
}

fn is_patch(option: &str) -> bool {
    matches!(option, "-p" | "-u" | "--patch" | "-c" | "--cc" | "-m")
        || option.starts_with("-L")
        || option.starts_with("--word-diff")
}

fn is_secret(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    naming(OsStr::from_bytes(name.as_bytes())) == Naming::Secret
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git_secret(text: &str) -> Option<String> {
        let job = Job::new(JobCommand::Script(text.to_owned()), Path::new("/projects/shop"));
        JobWords::of(&job, None, &fore_commands::CATALOGUE).git_secret()
    }

    #[test]
    fn a_committed_secret_is_known_by_its_name() {
        let page = [
            ("git show HEAD:.env", Some("HEAD:.env")),
            ("git -C api show 'HEAD~3:config/.env.production' | head", Some("HEAD~3:config/.env.production")),
            ("cd api && git cat-file -p main:tls/server.key", Some("main:tls/server.key")),
            ("git log -p -- .env", Some(".env")),
            ("git diff HEAD~1 -- api/.env", Some("api/.env")),
            ("/usr/bin/git blame -- .netrc", Some(".netrc")),
            ("env git show :.env", Some(":.env")),
            ("git show HEAD:.env.example", None),
            ("git show HEAD", None),
            ("git log --oneline -- .env", None),
            ("git check-ignore -- .env", None),
            ("git rm --cached -- .env", None),
            ("echo HEAD:.env", None),
        ];
        for (text, expected) in page {
            assert_eq!(git_secret(text).as_deref(), expected, "{text}");
        }
        let program = JobCommand::Program(["git", "show", "HEAD:.env"].map(Into::into).to_vec());
        assert!(
            JobWords::of(&Job::new(program, Path::new("/")), None, &fore_commands::CATALOGUE).git_secret().is_some()
        );
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "makes the files that are named")]
    fn paths_are_found_however_they_are_spelled() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        for folder in ["shop/src", "other/lib", "home/tools"] {
            std::fs::create_dir_all(top.join(folder)).unwrap();
        }
        std::fs::write(top.join("other/lib/a.txt"), "").unwrap();
        let page: [(&str, &[&str]); 10] = [
            ("cat ../other/lib/a.txt", &["other/lib/a.txt"]),
            ("ls ../other/", &["other"]),
            ("cd ../other && cat ../home/x lib/a.txt", &["other"]),
            ("cd src && ls ../../other", &["other"]),
            ("cc -I../other/lib x.c", &["other/lib"]),
            ("make --directory=../other", &["other"]),
            ("PYTHONPATH='../other:../home' python x", &["other", "home"]),
            ("ls ~/tools \"$HOME/tools\"", &["home/tools"]),
            ("ls src ./src; echo ../nothing", &[]),
            ("git diff main..other", &[]),
        ];
        for (text, expected) in page {
            let job = Job::new(JobCommand::Script(text.to_owned()), &top.join("shop"));
            let expected: Vec<PathBuf> = expected.iter().map(|name| top.join(name)).collect();
            let home = top.join("home");
            assert_eq!(
                JobWords::of(&job, Some(&home), &fore_commands::CATALOGUE).paths(&job, &job.cwd, Some(&home)),
                expected,
                "{text}"
            );
        }
    }
}
