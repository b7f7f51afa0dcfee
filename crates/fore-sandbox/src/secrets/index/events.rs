//! What the kernel says about changes, and how the index takes it in; where it cannot, the index is stale.

use super::{FolderRole, Index, IndexState, MAX_COMPARED, WatchedFolder};
use crate::secrets::identity::way_of;
use crate::secrets::inotify::WatchEvent;
use crate::secrets::names::{Naming, naming};
use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

impl Index {
    /// Takes in what the kernel has said since the last time.
    pub(super) fn read_events(&mut self) {
        let Some(watcher) = &self.watcher else {
            self.state = IndexState::Stale;
            return;
        };
        if !self.identity.as_mut().is_some_and(|identity| identity.is_same(&self.workspace)) {
            self.state = IndexState::Stale;
            return;
        }
        match watcher.events() {
            Ok(events) => events.iter().for_each(|event| self.take(event)),
            Err(_) => self.state = IndexState::Stale,
        }
        self.try_the_closed();
    }

    pub(super) fn take(&mut self, event: &WatchEvent) {
        let is_folder = event.is(libc::IN_ISDIR);
        if event.is(libc::IN_Q_OVERFLOW | libc::IN_UNMOUNT) || (is_folder && event.is(libc::IN_MOVED_FROM)) {
            self.state = IndexState::Stale;
        }
        if event.is(libc::IN_Q_OVERFLOW) {
            self.appeared.push(self.workspace.clone());
        }
        if event.is(libc::IN_IGNORED)
            && let Some(gone) = self.folders.remove(&event.watch)
        {
            // The next folder of that name may get its number, too.
            self.walked.remove(&gone.path);
            if gone.path == self.workspace {
                self.state = IndexState::Stale;
            }
        }
        let Some(WatchedFolder { path: folder, part }) = self.folders.get(&event.watch).cloned() else { return };
        if event.is(libc::IN_MOVE_SELF) {
            self.state = IndexState::Stale;
        }
        if event.name.is_empty() {
            return;
        }
        let path = folder.join(&event.name);
        if is_folder && event.is(libc::IN_MOVED_FROM) {
            self.moves += 1;
        }
        if event.is(libc::IN_DELETE | libc::IN_MOVED_FROM) {
            self.hidden.remove(&path);
            self.doubtful.remove(&path);
            self.orders.forget(&path);
        }
        if event.is(libc::IN_CREATE | libc::IN_MOVED_TO) {
            self.news += 1;
            self.take_new(folder, &event.name, part);
        }
    }

    /// A name that came, or stands for something else now.
    pub(super) fn take_new(&mut self, folder: PathBuf, name: &OsStr, part: FolderRole) {
        let path = folder.join(name);
        let found = path.symlink_metadata();
        if found.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied) {
            // Its folder was closed; only a walk meets that.
            self.state = IndexState::Stale;
        }
        let Ok(facts) = found else {
            // Gone again, or its folder has moved; somebody may have read it all the same.
            if part == FolderRole::Workspace && naming(name) == Naming::Secret {
                self.appeared.push(path);
            }
            return;
        };
        self.hidden.remove(&path);
        let next = self.meet(&folder, name, facts.file_type(), facts.ino(), part);
        let is_secret = |index: &Index| index.hidden.contains(&path) || index.doubtful.contains_key(&path);
        if is_secret(self) && part == FolderRole::Workspace {
            self.appeared.push(path.clone());
        }
        if let Some(secret) = self.ways.get(&path).cloned() {
            self.note(&path);
            self.appeared.push(secret);
            if !facts.is_file() {
                self.state = IndexState::Stale;
            }
        }
        if let Some((inside, part)) = next {
            self.enter(&inside, part);
        }
    }

    /// Walks through a folder that was not there before, or could not be entered.
    pub(super) fn enter(&mut self, inside: &Path, part: FolderRole) {
        let known = if self.hidden.len() > MAX_COMPARED { None } else { Some(self.hidden.clone()) };
        if self.walk(inside, part).is_err() {
            self.state = IndexState::Stale;
        }
        match known {
            Some(known) => self.appeared.extend(self.hidden.difference(&known)),
            None => self.appeared.extend(self.hidden.iter().filter(|path| path.starts_with(inside))),
        }
        self.appeared.extend(self.doubtful.keys().filter(|path| path.starts_with(inside)));
    }

    /// Whether somebody has opened a folder that could not be listed: nobody is told of that.
    pub(super) fn try_the_closed(&mut self) {
        let is_open = |folder: &&PathBuf| std::fs::read_dir(folder).is_ok();
        let open: Vec<PathBuf> = self.closed.iter().filter(is_open).cloned().collect();
        for folder in open {
            self.closed.remove(&folder);
            self.enter(&folder, FolderRole::Workspace);
        }
    }

    pub(super) fn watch(&mut self, folder: &Path, part: FolderRole) {
        let Some(watcher) = &self.watcher else { return };
        let has_room = self.folders.len() < watcher.max_watches();
        match has_room.then(|| watcher.watch(folder)).flatten() {
            Some(watch) => drop(self.folders.insert(watch, WatchedFolder { path: folder.to_owned(), part })),
            // A folder that is gone or closed has nothing to tell.
            None if std::fs::read_dir(folder).is_err() => {}
            None => self.watcher = None,
        }
    }

    /// Hears when something else comes to stand under a listed name.
    pub(super) fn watch_beside(&mut self, path: &Path) {
        let Some(folder) = path.parent() else { return };
        // What comes to the top of the home folder is not shown in a cage that stands already.
        let is_walked = self.home.as_deref() == Some(folder)
            || folder.starts_with(&self.workspace)
            || folder.ancestors().any(|top| self.listed.contains(top));
        let is_watched = || self.folders.values().any(|watched| watched.path == folder);
        if !is_walked && !is_watched() && folder.is_dir() {
            self.watch(folder, FolderRole::HoldsListed);
        }
    }

    /// Hears when a link comes to lead to something else, or something else to stand where it leads.
    pub(super) fn watch_way(&mut self, path: &Path) {
        let way = way_of(path);
        if way.len() > 1 {
            for place in way {
                self.watch_beside(&place);
                self.ways.insert(place, path.to_owned());
            }
        }
    }
}
