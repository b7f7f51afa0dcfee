//! Walks a folder as git sees it: the one walk for searches, for proofs and for the names that the terminal offers.
//!
//! It follows no link and never shows `.git`. Whoever called gets an answer in time: a disk that hangs holds up a thread of the
//! walk, not the caller.

mod person;
mod rules;

pub use person::person_excludes;
pub use rules::IgnoreFiles;

use rules::{IgnoreMarkers, IgnoreRules};
use std::{
    ffi::OsString,
    fs::{DirEntry, FileType},
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// How often a walk looks whether it is to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Threads of all walks together; with more, disks hang and no further walk begins.
const MAX_THREADS: usize = 128;

/// How many there are now.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Where to walk, and how far.
#[derive(Clone, Debug)]
pub struct Walk {
    /// A real path.
    pub root: PathBuf,
    /// Whether ignore files count.
    pub ignore_files: IgnoreFiles,
    /// The person's own ignore file, which counts after all others; see [`person_excludes`].
    pub excludes: Option<PathBuf>,
    /// How many walk at once.
    pub threads: usize,
    /// Most that is kept.
    pub max_found: usize,
    /// After that the walk ends where it is.
    pub time: Duration,
}

/// What is met beneath the root. It may be asked by several threads at once.
pub trait Visitor: Send + Sync + 'static {
    /// What is kept of an entry.
    type Found: Send + 'static;

    /// Whether to enter this folder.
    fn folder(&self, path: &Path) -> EnterFolder<Self::Found>;

    /// Anything that is not a folder; a link is one of these, wherever it leads.
    fn file(&self, path: PathBuf, kind: FileType) -> Option<Self::Found>;

    /// What the ignore files leave out. It is not entered, whatever it is.
    fn left_out(&self, _: PathBuf, _: FileType) -> Option<Self::Found> {
        None
    }
}

/// What to do with a folder.
#[derive(Debug)]
pub enum EnterFolder<T> {
    /// It is left out, with everything in it.
    No,
    /// It is entered.
    Yes,
    /// It is entered and something is kept of it as well.
    AndKeep(T),
}

/// What was kept, in no order.
#[derive(Debug)]
pub struct WalkResult<T> {
    /// What was kept.
    pub found: Vec<T>,
    /// Whether that is all.
    pub end: WalkEnd,
    /// Some folders could not be read.
    pub has_gaps: bool,
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkEnd {
    /// Everything was seen.
    Complete,
    /// Somebody stopped it.
    Cancelled,
    /// As much was kept as may be.
    TooMany,
    /// The time was over.
    TooSlow,
}

impl Walk {
    /// Returns soon after `stop` says so or the time is over, whatever the disk does.
    pub fn run<V: Visitor>(self, visitor: V, stop: &dyn Fn() -> bool) -> WalkResult<V::Found> {
        let until = Instant::now().checked_add(self.time);
        let threads = self.threads.max(1);
        let shared = Arc::new(WalkShared {
            visitor,
            max_found: self.max_found,
            count: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            state: Mutex::new(WalkProgress {
                todo: vec![WalkTask::Begin(Box::new(self))],
                busy: 0,
                found: Vec::new(),
                has_gaps: false,
                end: None,
            }),
            changed: Condvar::new(),
        });
        let is_late = || until.is_none_or(|until| Instant::now() >= until);
        if is_late() || stop() || !(0..threads).fold(false, |any, _| start(&shared) || any) {
            let end = if stop() { WalkEnd::Cancelled } else { WalkEnd::TooSlow };
            return WalkResult { found: Vec::new(), end, has_gaps: true };
        }
        let mut state = shared.lock();
        let end = loop {
            match state.end {
                Some(end) => break end,
                None if stop() => break WalkEnd::Cancelled,
                None if is_late() => break WalkEnd::TooSlow,
                None => {}
            }
            state = shared.changed.wait_timeout(state, POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
        };
        shared.is_over.store(true, Ordering::Relaxed);
        let (found, has_gaps) = (std::mem::take(&mut state.found), state.has_gaps);
        drop(state);
        shared.changed.notify_all();
        WalkResult { found, end, has_gaps }
    }
}

/// As many threads as there are processors, within reason.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from).min(12)
}

/// What the threads of one walk have in common.
struct WalkShared<V: Visitor> {
    visitor: V,
    max_found: usize,
    count: AtomicUsize,
    is_over: AtomicBool,
    state: Mutex<WalkProgress<V::Found>>,
    changed: Condvar,
}

struct WalkProgress<T> {
    todo: Vec<WalkTask>,
    /// Threads that look at a folder.
    busy: usize,
    found: Vec<T>,
    has_gaps: bool,
    end: Option<WalkEnd>,
}

enum WalkTask {
    /// The rules above the root are read by a thread too: they may lie on a disk that hangs.
    Begin(Box<Walk>),
    Folder(PathBuf, IgnoreRules),
}

/// What one folder gave.
struct FolderResult<T> {
    folders: Vec<WalkTask>,
    found: Vec<T>,
    has_gaps: bool,
}

/// Begins one more thread; it belongs to nobody, so that nobody has to wait for it.
fn start<V: Visitor>(shared: &Arc<WalkShared<V>>) -> bool {
    if THREADS.fetch_add(1, Ordering::Relaxed) >= MAX_THREADS {
        THREADS.fetch_sub(1, Ordering::Relaxed);
        return false;
    }
    let counted = ThreadCount;
    let shared = Arc::clone(shared);
    let work = move || {
        let _counted = counted;
        shared.work();
    };
    std::thread::Builder::new().name("walk".into()).spawn(work).is_ok()
}

/// One of [`THREADS`].
struct ThreadCount;

impl Drop for ThreadCount {
    fn drop(&mut self) {
        THREADS.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<V: Visitor> WalkShared<V> {
    fn lock(&self) -> MutexGuard<'_, WalkProgress<V::Found>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            if self.is_over() || state.end.is_some() {
                return;
            }
            let Some(todo) = state.todo.pop() else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.busy = state.busy.saturating_add(1);
            drop(state);
            let mut share = self.visit(todo);
            state = self.lock();
            state.busy = state.busy.saturating_sub(1);
            state.found.append(&mut share.found);
            state.has_gaps |= share.has_gaps;
            let is_more = share.folders.len() > 1;
            state.todo.append(&mut share.folders);
            if self.count.load(Ordering::Relaxed) > self.max_found {
                state.end = Some(WalkEnd::TooMany);
            } else if state.busy == 0 && state.todo.is_empty() {
                state.end = Some(WalkEnd::Complete);
            }
            if is_more || state.end.is_some() {
                self.changed.notify_all();
            }
        }
    }

    fn visit(&self, todo: WalkTask) -> FolderResult<V::Found> {
        let (folder, rules) = match todo {
            WalkTask::Begin(walk) => {
                let rules = IgnoreRules::above(&walk);
                (walk.root, rules)
            }
            WalkTask::Folder(folder, rules) => (folder, rules),
        };
        let mut share = FolderResult { folders: Vec::new(), found: Vec::new(), has_gaps: false };
        let Ok(entries) = folder.read_dir() else {
            share.has_gaps = true;
            return share;
        };
        let entries: Vec<(OsString, DirEntry)> =
            entries.take_while(|_| !self.is_over()).flatten().map(|entry| (entry.file_name(), entry)).collect();
        let rules = rules.within(&folder, IgnoreMarkers::of(entries.iter().map(|(name, _)| name.as_os_str())));
        for (name, entry) in &entries {
            // What is gone by now is gone.
            let Ok(kind) = entry.file_type() else { continue };
            let path = folder.join(name);
            if name == ".git" {
                continue;
            }
            if rules.ignore(&path, kind.is_dir()) {
                share.found.extend(self.visitor.left_out(path, kind).filter(|_| self.has_room()));
                continue;
            }
            if self.is_over() || self.count.load(Ordering::Relaxed) > self.max_found {
                break;
            }
            if !kind.is_dir() {
                share.found.extend(self.visitor.file(path, kind).filter(|_| self.has_room()));
                continue;
            }
            match self.visitor.folder(&path) {
                EnterFolder::No => continue,
                EnterFolder::Yes => {}
                EnterFolder::AndKeep(kept) => share.found.extend(self.has_room().then_some(kept)),
            }
            share.folders.push(WalkTask::Folder(path, rules.clone()));
        }
        share
    }

    fn has_room(&self) -> bool {
        self.count.fetch_add(1, Ordering::Relaxed) < self.max_found
    }
}

#[cfg(test)]
mod tests;
