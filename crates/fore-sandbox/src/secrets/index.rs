//! Where a workspace holds secrets and sockets, at every depth and under every name: found by one walk, and kept true by the
//! kernel's word on changes. Where that word is not to be had, each use walks again.

mod events;
mod walk;

use super::appeared::{AppearedNames, HiddenAtStart, RunWatch};
use super::exceptions::Exceptions;
use super::identity::WorkspaceIdentity;
use super::inotify::Watcher;
use super::list::{self, ListedSecrets, is_worth_hiding};
use super::names::{Naming, SecretContent, naming};
use crate::cages::CageSettings;
use crate::error::CageError;
use crate::orders::{self, OrderCandidates, OrdersSnapshot};
use crate::sys::{self, Inode, inode};
use rustix::fs::OFlags;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Files and folders of a workspace; one with more is no project.
const MAX_ENTRIES: usize = 2_000_000;
/// Paths that a cage hides; each costs a mount.
const MAX_HIDDEN: usize = 10_000;
/// Files in the secret folders outside whose other names are looked for.
const MAX_ELSEWHERE: usize = 10_000;
const MAX_DEPTH_ELSEWHERE: usize = 4;
/// Workspaces that are kept in mind.
const MAX_INDEXES: usize = 8;
/// The same for a folder that a command names.
const MAX_ENTRIES_OF_OTHERS: usize = 200_000;
/// Closed folders that are tried again; with more each use walks again.
const MAX_CLOSED: usize = 1_000;
/// Hidden paths that are remembered to see which are new.
const MAX_COMPARED: usize = 1_000;

/// The indexes of the workspaces that one `Cages` has run in, the latest last.
#[derive(Debug, Default)]
pub(crate) struct Indexes(Mutex<Vec<Arc<Mutex<Index>>>>);

impl Indexes {
    /// Asks the index of a folder after it has been brought up to date. `listed` are the secrets known by their place.
    pub(crate) fn ask<T>(
        &self,
        settings: &CageSettings,
        (workspace, whose): (&Path, IndexOwner),
        listed: &ListedSecrets,
        question: impl FnOnce(&mut Index) -> T,
    ) -> Result<T, CageError> {
        let index = self.of(settings, workspace, whose);
        let mut asked = locked(&index);
        match asked.refresh(listed) {
            Ok(()) => Ok(question(&mut asked)),
            Err(error) => {
                // An index that could not be finished is not kept.
                self.locked().retain(|known| !Arc::ptr_eq(known, &index));
                Err(error)
            }
        }
    }

    /// What to hide of a folder, and the watch over what comes to it from now on.
    pub(crate) fn hide(
        &self,
        settings: &CageSettings,
        (workspace, whose): (&Path, IndexOwner),
        listed: &ListedSecrets,
        watch: &mut RunWatch,
    ) -> Result<Vec<PathBuf>, CageError> {
        let (hidden, since) = self.ask(settings, (workspace, whose), listed, |index| {
            let hidden = index.hidden();
            index.appeared.register(watch.waker());
            let hidden_then = hidden.iter().cloned().collect();
            let since = HiddenAtStart { mark: index.appeared.mark(), moves: index.moves, hidden: hidden_then };
            (hidden, since)
        })?;
        watch.add(self.of(settings, workspace, whose), since);
        Ok(hidden)
    }

    fn of(&self, settings: &CageSettings, workspace: &Path, whose: IndexOwner) -> Arc<Mutex<Index>> {
        let mut indexes = self.locked();
        let is_it = |index: &Index| index.workspace == workspace && index.whose == whose;
        let known = indexes.iter().position(|index| is_it(&locked(index)));
        let index =
            known.map_or_else(|| Arc::new(Mutex::new(Index::new(settings, workspace, whose))), |at| indexes.remove(at));
        if indexes.len() >= MAX_INDEXES {
            indexes.remove(0);
        }
        indexes.push(Arc::clone(&index));
        index
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Arc<Mutex<Index>>>> {
        locked(&self.0)
    }
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Which files are secret, by their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct SecretInodes(HashMap<Inode, PathBuf>);

impl SecretInodes {
    pub(crate) fn hold(&self, facts: &Metadata) -> bool {
        // The number may have been given to another file since.
        let known = self.0.get(&inode(facts));
        known.is_some_and(|path| path.metadata().is_ok_and(|secret| inode(&secret) == inode(facts)))
    }
}

/// Whose folder an index is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexOwner {
    Project,
    /// One beside it that a command names: smaller, and its pipes are not the project's to use.
    Others,
}

#[derive(Debug)]
pub(crate) struct Index {
    workspace: PathBuf,
    whose: IndexOwner,
    /// Folders outside whose files are all secret, and single ones.
    listed: HashSet<PathBuf>,
    /// Settings that hold at any depth.
    relative: Vec<PathBuf>,
    exceptions: Exceptions,
    own: Option<PathBuf>,
    home: Option<PathBuf>,
    watcher: Option<Watcher>,
    /// What the watcher watches.
    identity: Option<WorkspaceIdentity>,
    folders: HashMap<i32, WatchedFolder>,
    /// Listed folders outside that were walked, by their numbers.
    walked: HashMap<PathBuf, Inode>,
    hidden: BTreeSet<PathBuf>,
    /// Links on the way to a secret, and where they end, with its name: whatever comes to stand there is one, too.
    ways: HashMap<PathBuf, PathBuf>,
    /// Folders that nobody could list. They may be opened, and some let those in who know a name.
    closed: BTreeSet<PathBuf>,
    /// Files whose content decides, with what it said the last time.
    doubtful: BTreeMap<PathBuf, Option<InspectedFile>>,
    secrets: SecretInodes,
    /// The same without the disks: a listing has only these numbers.
    numbers: HashSet<u64>,
    entries: usize,
    elsewhere: usize,
    /// What the same walk met that may give orders.
    orders: OrderCandidates,
    state: IndexState,
    /// What became a secret since the first walk.
    appeared: AppearedNames,
    /// How many names came, as far as was heard.
    news: u64,
    /// How often a folder went away with what is in it.
    moves: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IndexState {
    Fresh,
    /// Something happened that only a walk can tell the end of.
    Stale,
    /// A secret has another name, which may have been met before the secret.
    MissesNames,
}

#[derive(Clone, Debug)]
struct WatchedFolder {
    path: PathBuf,
    part: FolderRole,
}

/// What a folder belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FolderRole {
    Workspace,
    /// Everything in it is secret; so many folders deep.
    Secret(usize),
    /// Outside, and some of its names are listed.
    HoldsListed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct InspectedFile {
    inode: Inode,
    bytes: u64,
    changed: (i64, i64),
    is_secret: bool,
}

impl Index {
    fn new(settings: &CageSettings, workspace: &Path, whose: IndexOwner) -> Index {
        let is_relative = |path: &&PathBuf| list::at_home(settings, path).is_none();
        Index {
            workspace: workspace.to_owned(),
            whose,
            listed: HashSet::new(),
            relative: settings.secrets.iter().filter(is_relative).cloned().collect(),
            exceptions: Exceptions::of(settings, workspace),
            home: settings.home.as_ref().and_then(|home| home.canonicalize().ok()),
            own: settings.own_folder().and_then(|own| own.canonicalize().ok()),
            watcher: None,
            identity: None,
            folders: HashMap::new(),
            walked: HashMap::new(),
            hidden: BTreeSet::new(),
            ways: HashMap::new(),
            closed: BTreeSet::new(),
            doubtful: BTreeMap::new(),
            secrets: SecretInodes::default(),
            numbers: HashSet::new(),
            entries: 0,
            elsewhere: 0,
            orders: OrderCandidates::new(
                workspace,
                orders::names_in(&settings.protected, workspace).iter().map(PathBuf::as_path),
            ),
            state: IndexState::Stale,
            appeared: AppearedNames::default(),
            news: 0,
            moves: 0,
        }
    }

    pub(super) fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// How many names came since it was made, as far as was heard; none where the kernel does not tell.
    pub(super) fn news(&self) -> Option<u64> {
        self.watcher.as_ref().map(|_| self.news)
    }

    /// The paths that a cage hides.
    pub(crate) fn hidden(&mut self) -> Vec<PathBuf> {
        let secret = self.inspect_doubtful();
        let hidden = self.hidden.iter().filter(|path| is_worth_hiding(path));
        hidden.chain(&self.closed).cloned().chain(secret).collect()
    }

    /// The secrets by their numbers, whatever name a file is opened by.
    pub(crate) fn by_number(&mut self) -> SecretInodes {
        drop(self.inspect_doubtful());
        self.secrets.clone()
    }

    /// What may give orders. After a run, what it closed since `before` is opened and looked at.
    pub(crate) fn orders(&mut self, before: Option<&OrdersSnapshot>) -> Result<&OrderCandidates, CageError> {
        self.orders.meet_what_was_closed();
        let Some(before) = before else { return Ok(&self.orders) };
        let mut opened = BTreeSet::new();
        let mut closed = self.orders.open_up(before, &mut opened);
        while let Some(folder) = closed.pop() {
            self.walk(&folder, FolderRole::Workspace)?;
            self.orders.meet_what_was_closed();
            closed.extend(self.orders.open_up(before, &mut opened));
        }
        Ok(&self.orders)
    }

    /// The files that run as their owner or group; an error says why they are not all known.
    pub(crate) fn set_ids(&mut self) -> Result<Vec<PathBuf>, &'static str> {
        self.orders.set_ids()
    }

    fn inspect_doubtful(&mut self) -> Vec<PathBuf> {
        let doubtful: Vec<PathBuf> = self.doubtful.keys().cloned().collect();
        doubtful.into_iter().filter(|path| self.holds_a_secret(path)).collect()
    }

    /// What has become a secret since a run began, as far as its cage has not hidden it. The kernel queues its word on a change
    /// before the change can be seen, so what a command has read by now is known by now.
    pub(super) fn appeared_since(&mut self, since: &HiddenAtStart) -> Vec<PathBuf> {
        self.read_events();
        if self.settle().is_err() {
            return vec![self.workspace.clone()];
        }
        let now = self.inspect_doubtful();
        let unhidden = now.into_iter().filter(|path| !since.hidden.contains(path));
        let mut found: Vec<PathBuf> = unhidden.collect();
        for path in self.appeared.after(since.mark).unwrap_or_else(|| vec![self.workspace.clone()]) {
            // A name that leaves it open is one only if the content says so.
            let depends = matches!(path.file_name().map(naming), Some(Naming::Depends(_)));
            if !depends || !self.doubtful.contains_key(&path) || self.holds_a_secret(&path) {
                found.push(path);
            }
        }
        found
    }

    /// Whether a folder went away since then, perhaps with secrets in it, and perhaps came back: who walked or covered them meanwhile
    /// found nothing there.
    pub(super) fn has_moved_secrets(&mut self, since: &HiddenAtStart) -> bool {
        self.read_events();
        let has_secrets = !since.hidden.is_empty() || !self.hidden.is_empty() || !self.doubtful.is_empty();
        self.moves != since.moves && has_secrets
    }

    /// Becomes readable when the kernel has something to say; none where it does not.
    pub(super) fn events(&self) -> Option<Arc<std::os::fd::OwnedFd>> {
        self.watcher.as_ref().map(Watcher::descriptor)
    }

    fn refresh(&mut self, listed: &ListedSecrets) -> Result<(), CageError> {
        self.read_events();
        self.note_listed(listed);
        self.settle()
    }

    fn settle(&mut self) -> Result<(), CageError> {
        // Twice at most: the second walk knows every secret that the first has met.
        for _ in 0..2 {
            match self.state {
                IndexState::Fresh => break,
                IndexState::Stale => self.walk_and_compare()?,
                IndexState::MissesNames => {
                    self.state = IndexState::Fresh;
                    self.entries = 0;
                    self.walk(&self.workspace.clone(), FolderRole::Workspace)?;
                    self.state = IndexState::Fresh;
                }
            }
        }
        if self.hidden.len() + self.doubtful.len() + self.closed.len() > MAX_HIDDEN {
            return Err(self.too_much("holds more secrets and sockets than can be hidden from a command"));
        }
        self.state = if self.watcher.is_some() { IndexState::Fresh } else { IndexState::Stale };
        Ok(())
    }

    fn too_much(&self, why: &'static str) -> CageError {
        CageError::Unusable { path: self.workspace.clone(), why }
    }

    fn walk_and_compare(&mut self) -> Result<(), CageError> {
        let (hidden, secrets) = (self.hidden.clone(), self.secrets.0.clone());
        self.walk_anew()?;
        self.appeared.extend(self.hidden.difference(&hidden));
        let is_new = |inode: &&Inode| !secrets.contains_key(*inode);
        let new: Vec<&Inode> = self.secrets.0.keys().filter(is_new).collect();
        self.appeared.extend(new.into_iter().filter_map(|inode| self.secrets.0.get(inode)));
        Ok(())
    }

    fn walk_anew(&mut self) -> Result<(), CageError> {
        self.state = IndexState::Fresh;
        self.news += 1;
        // Before the walk: what happens in between is noticed later.
        self.identity = WorkspaceIdentity::of(&self.workspace);
        self.watcher = self.identity.as_ref().and_then(|_| Watcher::new(&self.workspace));
        self.folders.clear();
        self.walked.clear();
        self.hidden.clear();
        self.ways.clear();
        self.closed.clear();
        self.doubtful.clear();
        self.secrets.0.clear();
        self.numbers.clear();
        self.orders.clear();
        (self.entries, self.elsewhere) = (0, 0);
        for path in std::mem::take(&mut self.listed) {
            self.note_one_listed(path);
        }
        if let Some(own) = self.own.clone() {
            // Not what lies deeper: transcripts and outputs come and go all the time.
            self.walk(&own, FolderRole::Secret(MAX_DEPTH_ELSEWHERE))?;
        }
        // From here on a secret with a second name may have been met too late.
        self.state = IndexState::Fresh;
        self.walk(&self.workspace.clone(), FolderRole::Workspace)
    }

    /// Secrets outside can have names in the workspace.
    fn note_listed(&mut self, listed: &ListedSecrets) {
        if self.state == IndexState::Stale {
            self.listed = listed.all.iter().cloned().collect();
            return;
        }
        // The same name may have become another file or folder, by whatever way it leads there.
        for path in listed.found.keys() {
            match self.walked.get(path) {
                Some(number) if path.metadata().is_ok_and(|facts| inode(&facts) == *number) => {}
                Some(_) => self.note_one_listed(path.clone()),
                None if path.is_dir() => self.note_one_listed(path.clone()),
                None => self.note(path),
            }
        }
        let new: Vec<&PathBuf> = listed.all.iter().filter(|path| !self.listed.contains(*path)).collect();
        new.into_iter().for_each(|path| self.note_one_listed(path.clone()));
    }

    fn note_one_listed(&mut self, path: PathBuf) {
        let facts = path.metadata().ok().filter(Metadata::is_dir);
        match facts.filter(|_| !self.workspace.starts_with(&path) && !path.starts_with(&self.workspace)) {
            Some(facts) => {
                self.walked.insert(path.clone(), inode(&facts));
                // It never fails outside of the workspace.
                let _ = self.walk(&path, FolderRole::Secret(0));
            }
            None => self.note(&path),
        }
        self.watch_beside(&path);
        self.watch_way(&path);
        self.listed.insert(path);
    }

    /// Remembers which file a secret is, so that it is known by its other names too.
    fn note(&mut self, path: &Path) {
        let Ok(facts) = path.metadata() else { return };
        if !facts.is_file() {
            return;
        }
        let is_new = self.secrets.0.insert(inode(&facts), path.to_owned()).is_none();
        self.numbers.insert(facts.ino());
        if is_new && facts.nlink() > 1 && self.state == IndexState::Fresh {
            self.state = IndexState::MissesNames;
        }
    }
}

pub(super) fn inspect(path: &Path, content: SecretContent) -> Option<bool> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    // Somebody may have put a pipe there since.
    match sys::open(path, OFlags::RDONLY | OFlags::NONBLOCK) {
        // What cannot be looked into may be anything.
        Ok(fd) => Some(content.is_in(&std::fs::File::from(fd)).unwrap_or(true)),
        // Its owner can open it, in a layer that is thrown away too.
        Err(error) => (error.kind() == std::io::ErrorKind::PermissionDenied).then_some(true),
    }
}
