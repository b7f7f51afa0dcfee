//! A contract ready for questions: is this file, this command in the plan?
//!
//! Built once for an approval and never changed, so that an answer is the same for the gate, the report and the screen. A
//! question costs a few look-ups, whatever the contract's size.

use super::ground::{glob, last_name};
use super::near::{self, Family};
use super::shell_text::is_plain_folder;
use super::{CommandGrant, Contract, FileGrant, NotGrantedReason, PathShape, PlannedChange};
use crate::orders::gives_orders_in;
use fore_shell::{Catalogue, CommandKind, Finding, GitFacts, JudgeContext, ShellFacts, Value};
use globset::GlobMatcher;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Whether the plan covers a change of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileCover {
    /// The plan names it, or a folder or pattern around it.
    Named {
        /// Counts from 1; 0 for what the person added.
        line: u32,
    },
    /// It belongs to what the plan names.
    Near {
        /// The line that names what it belongs to.
        line: u32,
        /// How.
        why: NearReason,
    },
    /// The plan does not cover it.
    No,
}

/// How a file belongs to a named one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NearReason {
    /// A test of it, or what a test keeps.
    Test,
    /// In the same folder.
    SameFolder,
    /// The manifest or lock file of its package.
    Manifest,
    /// The same text in another language.
    Locale,
}

/// A contract that can be asked.
#[derive(Clone)]
pub struct Coverage {
    contract: Contract,
    project: PathBuf,
    /// Places among the grants.
    files: HashMap<String, usize>,
    folders: HashMap<String, usize>,
    globs: Vec<(GlobMatcher, usize)>,
    /// New names of files that are moved.
    moved: HashMap<String, usize>,
    refused: HashSet<String>,
    refused_globs: Vec<GlobMatcher>,
    /// Lines, by what is near: the folder of a named file, the name that a test of it has, its package, its text.
    beside: HashMap<String, u32>,
    stems: HashMap<String, Vec<(String, u32)>>,
    packages: HashMap<(String, Family), u32>,
    locales: HashMap<String, u32>,
    /// By folder and text.
    commands: HashMap<(String, String), usize>,
    /// By the words that are no files of the contract: places, each with those that are.
    shapes: HashMap<Vec<String>, Vec<(usize, Vec<String>)>>,
    /// What is not to be run.
    refused_shapes: Vec<CommandParts>,
}

/// A command that is one simple command: the words that are no files of the contract, and those that are.
#[derive(Clone)]
struct CommandParts {
    words: Vec<String>,
    files: Vec<String>,
}

impl std::fmt::Debug for Coverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Coverage").field("contract", &self.contract).finish_non_exhaustive()
    }
}

/// Two of them answer alike.
impl PartialEq for Coverage {
    fn eq(&self, other: &Coverage) -> bool {
        self.contract == other.contract && self.project == other.project
    }
}

impl Eq for Coverage {}

impl Coverage {
    /// Of a contract in a project folder.
    pub fn new(contract: Contract, project: &Path) -> Coverage {
        let mut coverage = Coverage {
            contract: Contract::default(),
            project: project.to_path_buf(),
            files: HashMap::new(),
            folders: HashMap::new(),
            globs: Vec::new(),
            moved: HashMap::new(),
            refused: HashSet::new(),
            refused_globs: Vec::new(),
            beside: HashMap::new(),
            stems: HashMap::new(),
            packages: HashMap::new(),
            locales: HashMap::new(),
            commands: HashMap::new(),
            shapes: HashMap::new(),
            refused_shapes: Vec::new(),
        };
        for (at, grant) in contract.files.iter().enumerate() {
            coverage.add_file(grant, at);
        }
        coverage.add_refused(&contract);
        coverage.contract = contract;
        coverage.add_commands();
        coverage
    }

    /// What it was made of.
    pub fn contract(&self) -> &Contract {
        &self.contract
    }

    fn add_file(&mut self, grant: &FileGrant, at: usize) {
        match grant.shape {
            PathShape::File => {
                self.files.entry(grant.path.clone()).or_insert(at);
                self.add_near(&grant.path, grant.line);
            }
            PathShape::Folder => drop(self.folders.entry(grant.path.clone()).or_insert(at)),
            PathShape::Glob => self.globs.extend(glob(&grant.path).map(|glob| (glob, at))),
        }
        if let PlannedChange::Move { to } = &grant.change {
            match grant.shape {
                PathShape::File | PathShape::Glob => drop(self.moved.entry(to.clone()).or_insert(at)),
                PathShape::Folder => drop(self.folders.entry(to.clone()).or_insert(at)),
            }
            self.add_near(to, grant.line);
        }
    }

    fn add_near(&mut self, path: &str, line: u32) {
        let folder = near::folder(path);
        if !folder.is_empty() {
            self.beside.entry(folder.to_owned()).or_insert(line);
        }
        self.stems.entry(near::stem(path).to_owned()).or_default().push((folder.to_owned(), line));
        if let Some(family) = near::family_of_source(path) {
            for above in near::folders_above(path) {
                self.packages.entry((above.to_owned(), family)).or_insert(line);
            }
        }
        if let Some(text) = near::locale_key(path) {
            self.locales.entry(text).or_insert(line);
        }
    }

    fn add_refused(&mut self, contract: &Contract) {
        for refused in &contract.not_granted {
            match refused.named.contains('*') {
                true if is_left_alone(refused.why) => self.refused_globs.extend(glob(&refused.named)),
                // That everything is too much says nothing against a part of it.
                _ if refused.why == NotGrantedReason::TooBroad => {}
                _ => drop(self.refused.insert(refused.named.clone())),
            }
        }
    }

    fn add_commands(&mut self) {
        let commands = std::mem::take(&mut self.contract.commands);
        for (at, grant) in commands.iter().enumerate() {
            let (folder, text) = placed("", &grant.command);
            self.commands.entry((folder, text.to_owned())).or_insert(at);
            if let Some(CommandParts { words, files }) = self.shape(&grant.command) {
                self.shapes.entry(words).or_default().push((at, files));
            }
        }
        self.contract.commands = commands;
        let refused = self.contract.not_granted.iter().filter(|refused| is_left_alone(refused.why));
        self.refused_shapes = refused.filter_map(|refused| self.shape(&refused.named)).collect();
    }

    /// Whether the plan covers making or changing a file. The path counts from the project folder and is spelled straight.
    pub fn file(&self, path: &str) -> FileCover {
        if let Some(line) = self.named(path) {
            return FileCover::Named { line };
        }
        match self.near(path) {
            Some((line, why)) if self.is_plain(path) => FileCover::Near { line, why },
            Some(_) | None => FileCover::No,
        }
    }

    /// Whether the plan covers that a file goes away: it says so, or the file is one that the plan makes.
    pub fn removal(&self, path: &str) -> FileCover {
        let goes = |grant: &FileGrant| match (&grant.change, grant.shape) {
            (PlannedChange::Delete, _)
            | (PlannedChange::New, PathShape::File | PathShape::Folder)
            | (PlannedChange::Move { .. }, PathShape::File | PathShape::Glob) => true,
            // What is in the folder that it moves to may have been there before.
            (PlannedChange::Move { .. }, PathShape::Folder) => Path::new(path).starts_with(&grant.path),
            // What fits the pattern of something new may have been there before.
            (PlannedChange::New, PathShape::Glob) | (PlannedChange::Change, _) => false,
        };
        match self.named_by(path).filter(|grant| goes(grant)) {
            Some(grant) => FileCover::Named { line: grant.line },
            None => FileCover::No,
        }
    }

    fn named(&self, path: &str) -> Option<u32> {
        self.named_by(path).map(|grant| grant.line)
    }

    fn named_by(&self, path: &str) -> Option<&FileGrant> {
        let grant = |at: &usize| self.contract.files.get(*at);
        if let Some(found) = self.files.get(path).or_else(|| self.moved.get(path)) {
            return grant(found);
        }
        if !is_straight(path) || self.is_refused(path) || self.contract.leaves_more_alone {
            return None;
        }
        let by_folder = near::folders_above(path).find_map(|folder| self.folders.get(folder));
        let by_glob = || self.globs.iter().find(|(glob, _)| glob.is_match(path)).map(|(_, at)| at);
        by_folder.or_else(by_glob).filter(|_| self.is_plain(path)).and_then(grant)
    }

    /// It takes no orders to others, and the plan does not leave it alone.
    fn is_plain(&self, path: &str) -> bool {
        is_straight(path) && !gives_orders_in(&self.project, Path::new(path))
    }

    fn is_refused(&self, path: &str) -> bool {
        self.refused.contains(path)
            || self.is_in_refused_folder(path)
            || self.refused_globs.iter().any(|glob| glob.is_match(path))
    }

    /// Whether the plan says that the file stays as it is, or the person took it off the list.
    pub(crate) fn leaves_alone(&self, path: &str) -> bool {
        self.is_refused(path)
    }

    /// Whether the plan says in so many words that the file stays as it is, or the person took it off the list: not only that it
    /// points to it.
    pub(crate) fn is_out_of_scope(&self, path: &str) -> bool {
        let refused = self.contract.not_granted.iter().filter(|refused| is_left_alone(refused.why));
        let mut names = refused.map(|refused| refused.named.as_str()).filter(|named| !named.is_empty());
        names.any(|named| Path::new(path).starts_with(named))
            || self.refused_globs.iter().any(|glob| glob.is_match(path))
    }

    fn is_in_refused_folder(&self, path: &str) -> bool {
        !self.refused.is_empty() && near::folders_above(path).any(|folder| self.refused.contains(folder))
    }

    fn near(&self, path: &str) -> Option<(u32, NearReason)> {
        if !is_straight(path) || self.is_refused(path) || self.contract.leaves_more_alone {
            return None;
        }
        let test = near::tested_stem(path).and_then(|stem| self.stems.get(stem)).and_then(|named| {
            let beside = |(folder, _): &&(String, u32)| near::is_beside(path, folder);
            named.iter().find(beside).map(|(_, line)| *line)
        });
        let snapshot = || near::snapshot_folder(path).and_then(|folder| self.beside.get(folder)).copied();
        let manifest = || {
            let family = near::family_of_manifest(last_name(path))?;
            self.packages.get(&(near::folder(path).to_owned(), family)).copied()
        };
        let locale = || near::locale_key(path).and_then(|key| self.locales.get(&key)).copied();
        let same_folder = || {
            let is_dotted = last_name(path).starts_with('.');
            self.beside.get(near::folder(path)).filter(|_| !is_dotted).copied()
        };
        test.or_else(snapshot)
            .map(|line| (line, NearReason::Test))
            .or_else(|| manifest().map(|line| (line, NearReason::Manifest)))
            .or_else(|| locale().map(|line| (line, NearReason::Locale)))
            .or_else(|| same_folder().map(|line| (line, NearReason::SameFolder)))
    }

    /// The grant for a command that is to be run in a folder of the project (empty for the project folder itself): its exact
    /// text, or the same words with other files that the contract names. `finding`: what the shell judge says of it.
    pub fn command(&self, command: &str, folder: &str, finding: &Finding) -> Option<&CommandGrant> {
        let may_vary = finding.kind <= CommandKind::Runs;
        self.exact(command, folder).or_else(|| self.varied(command, folder).filter(|_| may_vary))
    }

    /// The grant that a command was run for, whatever it does.
    pub(crate) fn matching(&self, command: &str, folder: &str) -> Option<&CommandGrant> {
        self.exact(command, folder).or_else(|| self.varied(command, folder))
    }

    /// All grants that a run of this command speaks for: those with the same words. One file in the place of another, fewer of
    /// them, or a single test of a file show nothing about the others.
    pub(crate) fn meant(&self, command: &str, folder: &str) -> Vec<&CommandGrant> {
        let own = self.shape(command.trim()).filter(|_| folder.is_empty());
        let alike = own.as_ref().and_then(|own| self.shapes.get(&own.words)).into_iter().flatten();
        let mut places: Vec<usize> =
            alike.filter(|(_, files)| own.as_ref().is_some_and(|own| own.runs_all(files))).map(|(at, _)| *at).collect();
        let (place, text) = placed(folder, command.trim());
        places.extend(self.commands.get(&(place, text.to_owned())).filter(|at| !places.contains(at)));
        places.iter().filter_map(|at| self.contract.commands.get(*at)).collect()
    }

    fn exact(&self, command: &str, folder: &str) -> Option<&CommandGrant> {
        let (place, text) = placed(folder, command.trim());
        self.commands.get(&(place, text.to_owned())).and_then(|at| self.contract.commands.get(*at))
    }

    /// Other files in the place of those that the plan writes; none at all may mean everything there is. Never what the plan
    /// says not to run, or the person took off the list.
    fn varied(&self, command: &str, folder: &str) -> Option<&CommandGrant> {
        let own = self.shape(command.trim()).filter(|_| folder.is_empty())?;
        if self.refused_shapes.iter().any(|refused| own.is_part_of(refused)) {
            return None;
        }
        let places = self.shapes.get(&own.words)?;
        let is_no_wider = |(_, files): &&(usize, Vec<String>)| files.is_empty() || !own.files.is_empty();
        places.iter().find(is_no_wider).and_then(|(at, _)| self.contract.commands.get(*at))
    }

    /// Of a command that is one simple command with each word known.
    fn shape(&self, command: &str) -> Option<CommandParts> {
        let words = plain_words(command)?;
        let is_file = |word: &str| {
            let path = word.split_once("::").map_or(word, |(path, _)| path);
            let path = path.strip_prefix("./").unwrap_or(path);
            self.named(path.trim_end_matches('/')).is_some()
        };
        let (program, operands) = words.split_first()?;
        let (files, rest): (Vec<&String>, Vec<&String>) =
            operands.iter().partition(|word| !word.starts_with('-') && is_file(word));
        let plain = |file: &String| file.strip_prefix("./").unwrap_or(file).trim_end_matches('/').to_owned();
        Some(CommandParts {
            words: std::iter::once(program).chain(rest).cloned().collect(),
            files: files.into_iter().map(plain).collect(),
        })
    }
}

impl CommandParts {
    /// Whether it runs with these files, one by one, and with the whole of each.
    fn runs_all(&self, files: &[String]) -> bool {
        self.files.len() == files.len() && files.iter().zip(&self.files).all(|(wanted, file)| is_within(wanted, file))
    }

    /// Whether it would do some of what the other one does.
    fn is_part_of(&self, other: &CommandParts) -> bool {
        let is_met = |file: &String| self.files.iter().any(|own| is_within(own, file) || is_within(file, own));
        let meets = if other.files.is_empty() { self.files.is_empty() } else { other.files.iter().any(is_met) };
        self.words == other.words && meets
    }
}

/// `tests/a.py::test_sum` is a part of `tests/a.py`.
fn is_within(part: &str, whole: &str) -> bool {
    part.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The plan says that it stays as it is, or the person took it off the list.
fn is_left_alone(why: NotGrantedReason) -> bool {
    matches!(why, NotGrantedReason::OutOfScope | NotGrantedReason::Struck)
}

/// The folder and the text of `cd web && npm test`, run in a folder.
fn placed<'t>(folder: &str, command: &'t str) -> (String, &'t str) {
    let inner = command.strip_prefix("cd ").and_then(|rest| rest.split_once(" && "));
    match inner {
        Some((inner, text)) if is_plain_folder(inner.trim()) => {
            let inner = inner.trim();
            let folder = if folder.is_empty() { inner.to_owned() } else { format!("{folder}/{inner}") };
            (folder, text.trim())
        }
        Some(_) | None => (folder.to_owned(), command),
    }
}

/// A path from the project folder in its one spelling.
fn is_straight(path: &str) -> bool {
    !path.is_empty() && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// The words of a text that is one simple command without redirections, assignments or anything decided at run time.
fn plain_words(command: &str) -> Option<Vec<String>> {
    static NO_ROWS: Catalogue = Catalogue::new(&[]);
    let facts = ShellFacts {
        catalogue: &NO_ROWS,
        cwd: Path::new("/"),
        home: None,
        plan_file: None,
        vouched: &[],
        repositories: &GitFacts::Unprobed,
    };
    let arguments = fore_shell::syntax::arguments(command, &JudgeContext::new(&facts))?;
    let word = |values: Vec<Value>| match <[Value; 1]>::try_from(values) {
        Ok([Value::Literal(word)]) => Some(word),
        Ok([Value::Opaque(_)]) | Err(_) => None,
    };
    arguments.into_iter().map(word).collect()
}
