//! What reading a plan must know of the project: which files are there, and how the shell judge sees a command.

use super::spelling::{Spelling, spelled};
use super::{CommandGrant, FileGrant, NotGrantedReason, PathShape, PlannedChange};
use crate::{gate::Ground, orders::gives_orders_in};
use fore_shell::{CommandKind, Reach, ShellFacts};
use fore_text::TextKind;
use globset::{GlobBuilder, GlobMatcher};
use std::collections::HashMap;
use std::path::Path;

/// Longer commands are not granted: nobody reads them in a list.
const MAX_COMMAND_BYTES: usize = 2_000;
/// In a smaller project one folder may hold everything.
const MIN_FILES: usize = 10;
/// Files that a pattern is tried on to see whether it covers everything.
const MAX_TRIED: usize = 200;

/// What is known besides the text of a plan.
#[derive(Clone, Copy, Debug)]
pub struct ContractGround<'a> {
    /// What the gate judges by: the project folder and the shell judge's facts.
    pub gate: &'a Ground<'a>,
    /// The files of the project.
    pub tree: &'a ProjectTree,
}

/// Which files a project has, ready to be asked by their endings.
#[derive(Clone, Debug, Default)]
pub struct ProjectTree {
    /// Sorted.
    files: Vec<String>,
    /// Places in `files`, by last name.
    by_name: HashMap<String, Vec<usize>>,
    /// How many files lie beneath a folder.
    folders: HashMap<String, usize>,
    folders_by_name: HashMap<String, Vec<String>>,
}

/// What ends like a text.
enum PathEnding<'a> {
    Nothing,
    One(&'a str),
    Several,
}

impl ProjectTree {
    /// Of paths from the project folder, with `/`.
    pub fn new(files: impl IntoIterator<Item = String>) -> ProjectTree {
        let mut files: Vec<String> = files.into_iter().collect();
        files.sort_unstable();
        files.dedup();
        let mut tree = ProjectTree::default();
        for (at, file) in files.iter().enumerate() {
            tree.by_name.entry(last_name(file).to_owned()).or_default().push(at);
            for (end, _) in file.match_indices('/') {
                let folder = file.get(..end).unwrap_or_default();
                match tree.folders.get_mut(folder) {
                    Some(count) => *count = count.saturating_add(1),
                    None => drop(tree.folders.insert(folder.to_owned(), 1)),
                }
            }
        }
        for folder in tree.folders.keys() {
            tree.folders_by_name.entry(last_name(folder).to_owned()).or_default().push(folder.clone());
        }
        ProjectTree { files, ..tree }
    }

    /// Whether this file is there.
    pub(super) fn has_file(&self, path: &str) -> bool {
        self.files.binary_search_by(|file| file.as_str().cmp(path)).is_ok()
    }

    fn has_folder(&self, path: &str) -> bool {
        self.folders.contains_key(path)
    }

    fn file_ending(&self, ending: &str) -> PathEnding<'_> {
        let places = self.by_name.get(last_name(ending)).map(Vec::as_slice).unwrap_or_default();
        only(places.iter().filter_map(|at| self.files.get(*at)).map(String::as_str), ending)
    }

    fn folder_ending(&self, ending: &str) -> PathEnding<'_> {
        let folders = self.folders_by_name.get(last_name(ending)).map(Vec::as_slice).unwrap_or_default();
        only(folders.iter().map(String::as_str), ending)
    }

    /// Where a file that is not there yet is meant to be: as written, or in the only folder that ends like the one written.
    fn place(&self, path: &str) -> String {
        let Some((folder, name)) = path.rsplit_once('/') else { return path.to_owned() };
        let top = path.split('/').next().unwrap_or_default();
        if self.has_folder(top) {
            return path.to_owned();
        }
        match self.folder_ending(folder) {
            PathEnding::One(folder) => format!("{folder}/{name}"),
            PathEnding::Nothing | PathEnding::Several => path.to_owned(),
        }
    }

    /// Nine of ten files, or more.
    fn is_everything(&self, covered: usize, of: usize) -> bool {
        self.files.len() >= MIN_FILES && covered.saturating_mul(10) >= of.saturating_mul(9)
    }

    fn folder_is_everything(&self, folder: &str) -> bool {
        self.is_everything(self.folders.get(folder).copied().unwrap_or_default(), self.files.len())
    }

    fn glob_is_everything(&self, glob: &GlobMatcher) -> bool {
        let step = self.files.len().div_ceil(MAX_TRIED).max(1);
        let tried = self.files.iter().step_by(step);
        self.is_everything(tried.clone().filter(|file| glob.is_match(file)).count(), tried.count())
    }
}

fn only<'a>(candidates: impl Iterator<Item = &'a str>, ending: &str) -> PathEnding<'a> {
    let is_meant = |path: &&str| {
        let rest = path.strip_suffix(ending);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let mut meant = candidates.filter(is_meant);
    match (meant.next(), meant.next()) {
        (None, _) => PathEnding::Nothing,
        (Some(one), None) => PathEnding::One(one),
        (Some(_), Some(_)) => PathEnding::Several,
    }
}

pub(super) fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A pattern over paths from the project folder.
pub(super) fn glob(pattern: &str) -> Option<GlobMatcher> {
    // Brackets are names of folders in some frameworks, and never sets of letters here.
    let pattern = pattern.replace('[', "\u{1}").replace(']', "[]]").replace('\u{1}', "[[]");
    let glob = GlobBuilder::new(&pattern).literal_separator(true).backslash_escape(false).build();
    glob.ok().map(|glob| glob.compile_matcher())
}

/// A path of the project that a plan means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MeantPath {
    pub(super) path: String,
    pub(super) shape: PathShape,
    /// It is there already.
    pub(super) is_there: bool,
}

impl ContractGround<'_> {
    /// What a text grants as a file, for what a person adds or a model asks for.
    pub fn file(&self, text: &str) -> Result<FileGrant, NotGrantedReason> {
        let Spelling::Paths(paths) = spelled(text, self.gate.project) else {
            return Err(NotGrantedReason::NotFound);
        };
        let [(path, shape)] = paths.as_slice() else { return Err(NotGrantedReason::Ambiguous) };
        let meant = self.meant(path, *shape, true)?;
        let change = if meant.is_there { PlannedChange::Change } else { PlannedChange::New };
        Ok(FileGrant { path: meant.path, shape: meant.shape, change, line: 0 })
    }

    /// What a text grants as a command.
    pub fn command(&self, text: &str) -> Result<CommandGrant, NotGrantedReason> {
        let command = text.trim();
        if fore_text::first_mark(command, TextKind::Exact).is_some() {
            return Err(NotGrantedReason::Hidden);
        }
        if command.is_empty() || command.len() > MAX_COMMAND_BYTES {
            return Err(NotGrantedReason::Unreadable);
        }
        let facts = ShellFacts {
            catalogue: self.gate.catalogue,
            cwd: self.gate.project,
            home: self.gate.home,
            plan_file: None,
            vouched: self.gate.vouched,
            repositories: self.gate.repositories,
        };
        let finding = fore_shell::judge(command, &facts);
        match finding.kind {
            CommandKind::Unknown => return Err(NotGrantedReason::Unreadable),
            CommandKind::Reads | CommandKind::Network | CommandKind::Runs | CommandKind::Writes => {}
        }
        if !finding.sends.is_empty() {
            return Err(NotGrantedReason::Sends);
        }
        let host = |reach: Reach| match reach {
            Reach::Host(host) => Ok(host),
            Reach::AnyHost => Err(NotGrantedReason::AnyHost),
            Reach::Daemon(_) => Err(NotGrantedReason::Service),
        };
        let hosts = finding.reach.into_iter().map(host).collect::<Result<_, _>>()?;
        Ok(CommandGrant { command: command.to_owned(), hosts, line: 0 })
    }

    /// Which path of the project a spelling means. `may_be_new`: the plan says that it makes it.
    pub(super) fn meant(&self, path: &str, shape: PathShape, may_be_new: bool) -> Result<MeantPath, NotGrantedReason> {
        let meant = match shape {
            PathShape::File => self.meant_file(path, may_be_new)?,
            PathShape::Folder => self.meant_folder(path),
            PathShape::Glob => MeantPath { path: path.to_owned(), shape, is_there: !may_be_new },
        };
        if self.gives_orders(&meant.path) {
            return Err(NotGrantedReason::GivesOrders);
        }
        let is_everything = match meant.shape {
            PathShape::File => false,
            PathShape::Folder => meant.path.is_empty() || self.tree.folder_is_everything(&meant.path),
            PathShape::Glob => match glob(&meant.path) {
                Some(glob) => is_bare_glob(&meant.path) || self.tree.glob_is_everything(&glob),
                None => return Err(NotGrantedReason::OutsideProject),
            },
        };
        if is_everything { Err(NotGrantedReason::TooBroad) } else { Ok(meant) }
    }

    fn meant_file(&self, path: &str, may_be_new: bool) -> Result<MeantPath, NotGrantedReason> {
        let there = |path: &str| MeantPath { path: path.to_owned(), shape: PathShape::File, is_there: true };
        let new = |path: String| MeantPath { path, shape: PathShape::File, is_there: false };
        if self.tree.has_file(path) {
            return Ok(there(path));
        }
        if self.tree.has_folder(path) {
            return Ok(MeantPath { path: path.to_owned(), shape: PathShape::Folder, is_there: true });
        }
        let has_folder = path.contains('/');
        if may_be_new && has_folder {
            return Ok(new(self.tree.place(path)));
        }
        match self.tree.file_ending(path) {
            PathEnding::One(file) => Ok(there(file)),
            PathEnding::Several if has_folder && self.tree.has_folder(path.split('/').next().unwrap_or_default()) => {
                Ok(new(path.to_owned()))
            }
            PathEnding::Several => Err(NotGrantedReason::Ambiguous),
            PathEnding::Nothing if has_folder || may_be_new => Ok(new(self.tree.place(path))),
            PathEnding::Nothing => Err(NotGrantedReason::NotFound),
        }
    }

    fn meant_folder(&self, path: &str) -> MeantPath {
        let found = match self.tree.folder_ending(path) {
            PathEnding::One(folder) if !self.tree.has_folder(path) => folder,
            PathEnding::One(_) | PathEnding::Nothing | PathEnding::Several => path,
        };
        let is_there = self.tree.has_folder(found);
        MeantPath { path: found.to_owned(), shape: PathShape::Folder, is_there }
    }

    pub(super) fn gives_orders(&self, path: &str) -> bool {
        gives_orders_in(self.gate.project, Path::new(path))
    }

    /// Whether a file of this name is there.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.tree.by_name.contains_key(name)
    }

    /// Whether a text without an ending is a file or folder that is there.
    pub(super) fn is_there(&self, path: &str) -> bool {
        self.tree.has_file(path) || self.tree.has_folder(path)
    }
}

/// Nothing in it narrows it to a folder or a kind of file.
fn is_bare_glob(pattern: &str) -> bool {
    pattern.split('/').all(|part| part.chars().all(|c| matches!(c, '*' | '?' | '.')))
}
