//! Asks git, from inside a read-only cage, what a repository's own settings could make it do, and remembers the answer.

use crate::cages::Cages;
use crate::job::{Command, Job, Limits};
use fore_plan::{Cage, Outside};
use fore_shell::git::{hardening, probe};
use fore_shell::{GitFacts, Repositories};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// More submodules than this are not looked through; the repository then counts as unprobed.
const MOST_SUBMODULES: usize = 64;
/// More folders than this are not remembered at the same time.
const MOST_FOLDERS: usize = 256;

/// More names in a folder than this are not looked through for one that starts with a dash.
const MOST_NAMES: usize = 20_000;

/// The same command, told to run no driver of the repository's; other programs are left as they are.
pub(crate) fn without_drivers(argv: Vec<OsString>) -> Vec<OsString> {
    let is_git = argv.first().is_some_and(|program| Path::new(program).file_name() == Some(OsStr::new("git")));
    let words: Option<Vec<String>> = argv.iter().map(|word| word.to_str().map(str::to_owned)).collect();
    match words {
        Some(words) if is_git => hardening::harden_argv(&words).into_iter().map(OsString::from).collect(),
        _ => argv,
    }
}

/// Probes repositories and answers from memory until one of the files that the answer came from changes.
#[derive(Debug)]
pub struct Probe<C> {
    cages: C,
    known: Mutex<HashMap<PathBuf, Known>>,
}

#[derive(Clone, Debug)]
struct Known {
    facts: GitFacts,
    filters: Vec<String>,
    stamps: Vec<(PathBuf, Stamp)>,
}

/// What tells that a file or folder was changed; `None` when it is not there.
type Stamp = Option<(u64, u64, i64, i64, i64, i64)>;

impl<C: Borrow<Cages>> Probe<C> {
    /// `cages` is borrowed or shared: a session keeps what was learned for as long as it lives.
    pub fn new(cages: C) -> Probe<C> {
        Probe { cages, known: Mutex::new(HashMap::new()) }
    }

    /// The filters that the repository at `folder` defines, for [`Job::git_filters`].
    pub fn filters(&self, folder: &Path) -> Vec<String> {
        self.look(folder).filters
    }

    fn look(&self, folder: &Path) -> Known {
        let remembered = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(folder).cloned();
        if let Some(known) = remembered.filter(|known| known.stamps.iter().all(|(path, then)| stamp(path) == *then)) {
            return known;
        }
        let known = self.ask(folder);
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_FOLDERS {
            all.clear();
        }
        // What failed may work the next time.
        if known.facts != GitFacts::Unprobed {
            all.insert(folder.to_owned(), known.clone());
        }
        known
    }

    fn ask(&self, folder: &Path) -> Known {
        // Before the questions: what changes while they are asked must count as changed.
        let mut stamps: Vec<(PathBuf, Stamp)> = Vec::new();
        let mut watch = |path: PathBuf| stamps.push((path.clone(), stamp(&path)));
        folder.ancestors().for_each(|ancestor| watch(ancestor.join(".git")));
        let unprobed = |stamps| Known { facts: GitFacts::Unprobed, filters: Vec::new(), stamps };

        let Some((code, places, trouble)) =
            self.git(folder, &["rev-parse", "--absolute-git-dir", "--git-common-dir", "--show-toplevel"])
        else {
            return unprobed(stamps);
        };
        // A repository without a work tree answers the first two questions and then fails.
        if code != 0 && places.lines().count() < 2 {
            let none = trouble.contains("not a git repository");
            return Known { facts: if none { GitFacts::NoRepository } else { GitFacts::Unprobed }, ..unprobed(stamps) };
        }
        let mut lines = places.lines().map(|line| folder.join(line));
        let (Some(own), Some(common)) = (lines.next(), lines.next()) else {
            return unprobed(stamps);
        };
        let top = lines.next().unwrap_or_else(|| own.clone());
        let submodules = submodules(&common);
        for name in ["config", "hooks", "modules"] {
            watch(common.join(name));
        }
        for name in ["config.worktree", "info/attributes", "HEAD"] {
            watch(own.join(name));
        }
        submodules.iter().for_each(|config| watch(config.clone()));
        let Some(found) = self.found(folder, (&top, &common), &submodules, &mut watch) else {
            return unprobed(stamps);
        };
        let filters = hardening::filters(found.settings.iter().map(|setting| setting.key.as_str()));
        Known { facts: probe::probe(&found), filters, stamps }
    }

    /// Everything the repository says; `None` when a part of it could not be read.
    fn found(
        &self,
        folder: &Path,
        (top, common): (&Path, &Path),
        submodules: &[PathBuf],
        watch: &mut dyn FnMut(PathBuf),
    ) -> Option<probe::Found> {
        if submodules.len() > MOST_SUBMODULES {
            return None;
        }
        let (0, origins, _) =
            self.git(folder, &["config", "--list", "--includes", "-z", "--show-origin", "--name-only"])?
        else {
            return None;
        };
        for origin in origins.split('\0').filter_map(|field| field.strip_prefix("file:")) {
            watch(folder.join(origin));
        }
        let (0, listing, _) = self.git(folder, &["config", "--list", "--includes", "-z", "--show-scope"])? else {
            return None;
        };
        let mut settings = probe::settings(&listing);
        for config in submodules {
            let (0, listing, _) =
                self.git(folder, &["config", "--file", config.to_str()?, "--list", "--includes", "-z"])?
            else {
                return None;
            };
            settings.extend(listing.split('\0').filter(|entry| !entry.is_empty()).map(of_submodule));
        }
        let hooks_path = settings.iter().rev().find(|setting| {
            setting.scope == probe::Scope::Repository && setting.key.eq_ignore_ascii_case("core.hooksPath")
        });
        let hooks = match hooks_path.map(|setting| setting.value.as_deref()) {
            None => Some(common.join("hooks")),
            // Relative to the top of the work tree. `~` and `%(prefix)` are git's to resolve, so nobody looked.
            Some(value) => value.filter(|path| !path.starts_with(['~', '%'])).map(|path| top.join(path)),
        };
        if let Some(hooks) = &hooks {
            watch(hooks.clone());
        }
        Some(probe::Found { settings, hooks: hooks.map(|hooks| executables(&hooks)), attributes: None })
    }

    /// Runs git where it can change nothing and reach nobody; `None` when that failed.
    fn git(&self, folder: &Path, arguments: &[&str]) -> Option<(i32, String, String)> {
        let argv = std::iter::once("git").chain(arguments.iter().copied()).map(OsString::from).collect();
        let limits = Limits { time: Duration::from_secs(10), output_bytes: 4 << 20, ..Limits::default() };
        let job = Job { limits, ..Job::new(Command::Program(argv), folder) };
        let outcome = self.cages.borrow().run_in(&Cage::ReadOnly { outside: Outside::Closed }, job).ok()?;
        let text = String::from_utf8(outcome.stdout.bytes()).ok().filter(|_| !outcome.stdout.truncated())?;
        Some((outcome.status.code(), text, outcome.stderr.text()))
    }
}

impl<C: Borrow<Cages>> Repositories for Probe<C> {
    fn at(&self, folder: &Path) -> GitFacts {
        // Git cannot start in a folder that is not there, so there is nothing to obey.
        let is_missing = folder.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
        if is_missing { GitFacts::NoRepository } else { self.look(folder).facts }
    }

    fn may_hold_dashed_names(&self, folder: &Path) -> bool {
        use std::os::unix::ffi::OsStrExt;
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            // Where nothing is, a pattern stays as it is written.
            Err(error) => return error.kind() != std::io::ErrorKind::NotFound,
        };
        for (number, entry) in entries.enumerate() {
            let is_plain = entry.is_ok_and(|entry| !entry.file_name().as_bytes().starts_with(b"-"));
            if !is_plain || number >= MOST_NAMES {
                return true;
            }
        }
        false
    }
}

/// `key\nvalue`, or a key alone. Git calls settings of a named file the command's own; they are the repository's.
fn of_submodule(entry: &str) -> probe::Setting {
    let (key, value) = match entry.split_once('\n') {
        Some((key, value)) => (key, Some(value.to_owned())),
        None => (entry, None),
    };
    probe::Setting { scope: probe::Scope::Repository, key: key.to_owned(), value }
}

/// The settings files of initialised submodules, nested ones too; one more than the most when there are more.
pub(crate) fn submodules(common: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![common.join("modules")];
    let mut looked_at = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            looked_at += 1;
            if found.len() > MOST_SUBMODULES || looked_at > 10_000 {
                found.resize(MOST_SUBMODULES + 1, PathBuf::new());
                return found;
            }
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            let path = entry.path();
            if path.join("config").is_file() {
                found.push(path.join("config"));
                folders.push(path.join("modules"));
            } else {
                // A submodule whose name holds slashes lies deeper.
                folders.push(path);
            }
        }
    }
    found
}

/// Where git keeps what belongs to one linked work tree only.
pub(crate) fn work_trees(common: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).take(MOST_SUBMODULES).collect()
}

fn executables(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| {
            std::fs::metadata(entry.path()).is_ok_and(|metadata| metadata.is_file() && metadata.mode() & 0o111 != 0)
        })
        .map(|entry| String::from_utf8_lossy(entry.file_name().as_bytes()).into_owned())
        .collect();
    names.sort();
    names
}

fn stamp(path: &Path) -> Stamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((
        metadata.ino(),
        metadata.size(),
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ))
}
