//! What became a secret while commands run: a cover hides a file, not what takes its name later. Never lets output pass unlooked at.

use super::index::{Index, inspect, locked};
use super::names::SecretContent;
use super::presence::is_settled;
use crate::sys::{self, Inode, inode};
use std::collections::{HashSet, VecDeque};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

/// Names that are kept; a run that has missed more is ended.
const MAX_KEPT: usize = 256;
/// Names outside of the folders that are watched.
const MAX_EXPECTED: usize = 1_000;
/// Where the kernel does not tell of changes a look is a walk: not more often than this, and not most of the time.
const WALK_INTERVAL: Duration = Duration::from_secs(1);
const WALK_SHARE: u32 = 20;

/// The names that came to an index, by the order in which they did.
#[derive(Debug, Default)]
pub(super) struct AppearedNames {
    count: u64,
    kept: VecDeque<(u64, PathBuf)>,
    wakers: Vec<Weak<OwnedFd>>,
}

impl AppearedNames {
    pub(super) fn push(&mut self, path: PathBuf) {
        self.count += 1;
        if self.kept.len() >= MAX_KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back((self.count, path));
        self.wakers.retain(|waker| waker.upgrade().is_some_and(|waker| wake(&waker)));
    }

    pub(super) fn extend<'a>(&mut self, paths: impl IntoIterator<Item = &'a PathBuf>) {
        paths.into_iter().for_each(|path| self.push(path.clone()));
    }

    pub(super) fn mark(&self) -> u64 {
        self.count
    }

    /// What came after a mark; none if that is no longer known.
    pub(super) fn after(&self, mark: u64) -> Option<Vec<PathBuf>> {
        let first = self.kept.front().map_or(self.count + 1, |(number, _)| *number);
        let later = self.kept.iter().filter(|(number, _)| *number > mark);
        (first <= mark + 1).then(|| later.map(|(_, path)| path.clone()).collect())
    }

    pub(super) fn register(&mut self, waker: Option<&Arc<OwnedFd>>) {
        self.wakers.extend(waker.map(Arc::downgrade));
    }
}

fn wake(waker: &OwnedFd) -> bool {
    sys::ring(waker);
    true
}

/// What a run had hidden when it began.
#[derive(Debug, Default)]
pub(super) struct HiddenAtStart {
    pub(super) mark: u64,
    pub(super) moves: u64,
    pub(super) hidden: HashSet<PathBuf>,
}

/// Whose doing a new name may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MayCreate {
    /// The command writes nowhere, or into a layer that nobody else sees: whatever comes is somebody else's.
    Nothing,
    /// The command may make secrets itself, and knows what it writes. What was covered it cannot replace.
    Files,
}

/// A file that held no key when it was looked into.
#[derive(Debug)]
struct Harmless {
    path: PathBuf,
    content: SecretContent,
    state: Option<FileState>,
}

impl Harmless {
    /// Looks into it again if it has changed, or may have.
    fn has_got_key(&mut self) -> Option<PathBuf> {
        let now = FileState::of(&self.path);
        if now.is_some() && now == self.state {
            return None;
        }
        self.state = now;
        (inspect(&self.path, self.content) == Some(true)).then(|| self.path.clone())
    }
}

/// What tells that a file is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileState {
    inode: Inode,
    bytes: u64,
    changed: (i64, i64),
}

impl FileState {
    /// None for one that changes at this moment, or is not there.
    fn of(path: &Path) -> Option<FileState> {
        FileState::now(path).filter(|state| is_settled(state.changed.0))
    }

    /// None for one that is not there.
    fn now(path: &Path) -> Option<FileState> {
        let facts = path.metadata().ok()?;
        Some(FileState { inode: inode(&facts), bytes: facts.len(), changed: (facts.ctime(), facts.ctime_nsec()) })
    }
}

/// Watches over the secrets of the folders that one run can see.
#[derive(Debug)]
pub(crate) struct RunWatch {
    makes: MayCreate,
    folders: Vec<(Arc<Mutex<Index>>, HiddenAtStart)>,
    /// What is shown because it holds no key.
    harmless: Vec<Harmless>,
    /// What is secret by its name, hidden or not there, in folders that nobody watches.
    expected: Vec<(PathBuf, Option<FileState>)>,
    /// Whether everything is covered.
    stands: bool,
    waker: Option<Arc<OwnedFd>>,
    checked_at: Option<Instant>,
    took: Duration,
}

impl RunWatch {
    pub(crate) fn new(makes: MayCreate) -> RunWatch {
        let waker = sys::eventfd().ok().map(Arc::new);
        RunWatch {
            makes,
            folders: Vec::new(),
            harmless: Vec::new(),
            expected: Vec::new(),
            stands: false,
            waker,
            checked_at: None,
            took: Duration::ZERO,
        }
    }

    pub(super) fn waker(&self) -> Option<&Arc<OwnedFd>> {
        self.waker.as_ref()
    }

    pub(super) fn add(&mut self, index: Arc<Mutex<Index>>, since: HiddenAtStart) {
        self.folders.push((index, since));
    }

    /// A file that was looked into a moment ago and held no key. What has changed only just now is looked into again.
    pub(crate) fn doubt(&mut self, path: PathBuf, content: SecretContent) {
        let state = FileState::of(&path);
        self.harmless.push(Harmless { path, content, state });
    }

    /// Whatever comes to stand there from now on is a secret.
    pub(crate) fn expect(&mut self, path: PathBuf) {
        if self.expected.len() < MAX_EXPECTED {
            let state = FileState::now(&path);
            self.expected.push((path, state));
        }
    }

    /// Looks at once: a secret that appeared since the run began and that its cage does not hide.
    pub(crate) fn check(&mut self) -> Option<PathBuf> {
        let start = Instant::now();
        self.clear_waker();
        let mut found = None;
        for (index, since) in &self.folders {
            let appeared = locked(index).appeared_since(since);
            let counts = |path: &PathBuf| match self.makes {
                MayCreate::Nothing => true,
                MayCreate::Files => since.hidden.contains(path),
            };
            found = found.or_else(|| appeared.into_iter().find(counts));
        }
        let got_key = self.harmless.iter_mut().find_map(Harmless::has_got_key);
        let has_come = self.expected.iter().find(|(path, then)| {
            let now = FileState::now(path);
            now.is_some() && now != *then
        });
        (self.checked_at, self.took) = (Some(Instant::now()), start.elapsed());
        found.or(got_key).or_else(|| has_come.map(|(path, _)| path.clone()))
    }

    pub(crate) fn stands(&self) -> bool {
        self.stands
    }

    /// From now on a folder that moves takes the covers along. One that was moved since the draft, perhaps with secrets in it, may not be
    /// covered. Where the command may move folders itself nobody can tell.
    pub(crate) fn cage_stands(&mut self) -> Option<PathBuf> {
        self.stands = true;
        match self.makes {
            MayCreate::Nothing => {}
            MayCreate::Files => return None,
        }
        let moved = |(index, since): &&(Arc<Mutex<Index>>, HiddenAtStart)| locked(index).has_moved_secrets(since);
        self.folders.iter().find(moved).map(|(index, _)| locked(index).workspace().to_owned())
    }

    /// How long to wait before output is looked at again; zero where the kernel tells of changes.
    pub(crate) fn due_in(&self) -> Duration {
        let is_told = self.folders.iter().all(|(index, _)| locked(index).events().is_some());
        match self.checked_at {
            Some(looked) if !is_told => {
                WALK_INTERVAL.max(self.took.saturating_mul(WALK_SHARE)).saturating_sub(looked.elapsed())
            }
            _ => Duration::ZERO,
        }
    }

    /// How many names came to the folders, as far as was heard; none where the kernel does not tell.
    pub(crate) fn news(&self) -> Option<u64> {
        self.folders.iter().map(|(index, _)| locked(index).news()).sum()
    }

    /// Readable when a look is worth it.
    pub(crate) fn descriptors(&self) -> Vec<Arc<OwnedFd>> {
        let events = self.folders.iter().filter_map(|(index, _)| locked(index).events());
        events.chain(self.waker.clone()).collect()
    }

    fn clear_waker(&self) {
        if let Some(waker) = &self.waker {
            let _ = rustix::io::read(waker, &mut [0; 8]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_after_a_mark_is_told_and_what_was_forgotten_is_not_taken_for_nothing() {
        let mut appeared = AppearedNames::default();
        assert_eq!(appeared.after(0), Some(Vec::new()));
        appeared.push("/a".into());
        let mark = appeared.mark();
        appeared.push("/b".into());
        assert_eq!(appeared.after(mark), Some(vec!["/b".into()]));
        (0..MAX_KEPT).for_each(|_| appeared.push("/c".into()));
        assert_eq!(appeared.after(mark), None);
        assert_eq!(appeared.after(appeared.mark()), Some(Vec::new()));
    }
}
