//! What a walk over a workspace has met that may give orders. It only remembers; what is still there is looked at when it counts.

use super::names::Names;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{FileType, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What is downloaded or built, by the thousand: nobody opens it as a project. Git is another matter: it acts wherever somebody
/// stands, if only to show a prompt.
const PASSED_OVER: [&str; 5] = ["node_modules", "target", ".venv", "__pycache__", ".tox"];

#[derive(Clone, Debug, Default)]
pub(crate) struct Met {
    workspace: PathBuf,
    names: Names,
    /// By their names, or what a folder of the right name may hold.
    pub(super) named: BTreeSet<PathBuf>,
    /// Everything called `.git`.
    pub(super) repositories: BTreeSet<PathBuf>,
    /// Folders with a file that every git folder has, whatever that is called.
    pub(super) heads: BTreeSet<PathBuf>,
    /// Links in what gives orders.
    pub(super) links: BTreeSet<PathBuf>,
    /// Folders that could not be looked into.
    pub(super) closed: BTreeSet<PathBuf>,
}

impl Met {
    pub(crate) fn new<'a>(workspace: &Path, names: impl Iterator<Item = &'a Path>) -> Met {
        let mut met = Met { workspace: workspace.to_owned(), names: Names::new(names), ..Met::default() };
        met.clear();
        met
    }

    /// For a workspace without an index: looks at every name, and opens up what the command has closed.
    pub(super) fn by_walking<'a>(workspace: &Path, names: impl Iterator<Item = &'a Path>) -> Met {
        let mut met = Met::new(workspace, names);
        let mut folders = vec![workspace.to_owned()];
        while let Some(folder) = folders.pop() {
            let is_closed = folder.join(".").symlink_metadata().is_err() || std::fs::read_dir(&folder).is_err();
            if is_closed {
                // What stays closed is nobody's to enter.
                let _ = open_up(&folder);
            }
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let Ok(kind) = entry.file_type() else { continue };
                met.meet(&folder, &entry.file_name(), kind);
                if kind.is_dir() {
                    folders.push(entry.path());
                }
            }
        }
        met
    }

    pub(super) fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Forgets everything but where things are held without having been met.
    pub(crate) fn clear(&mut self) {
        self.named = self.names.at_top().iter().map(|path| self.workspace.join(path)).collect();
        for set in [&mut self.repositories, &mut self.heads, &mut self.links, &mut self.closed] {
            set.clear();
        }
    }

    /// One name in a folder.
    pub(crate) fn meet(&mut self, folder: &Path, name: &OsStr, kind: FileType) {
        if name.eq_ignore_ascii_case(".git") {
            self.repositories.insert(folder.join(name));
        } else if name == "HEAD" {
            self.heads.insert(folder.to_owned());
        }
        let rests = self.names.after(name);
        if (rests.is_empty() && !kind.is_symlink()) || is_passed_over(&self.workspace, folder) {
            return;
        }
        let path = folder.join(name);
        if kind.is_symlink() && self.is_in_orders(folder) {
            self.links.insert(path.clone());
        }
        for rest in rests {
            self.named.insert(if rest.as_os_str().is_empty() { path.clone() } else { path.join(rest) });
        }
    }

    /// A folder that could not be listed: it may still be entered, or one above it keeps everybody out.
    pub(crate) fn meet_closed(&mut self, folder: &Path) {
        let mut above = folder.ancestors().take_while(|above| above.starts_with(&self.workspace));
        let seen = above.find_map(|above| Some((above, above.symlink_metadata().ok()?)));
        if let Some((closed, _)) = seen.filter(|(_, found)| found.is_dir()) {
            self.closed.insert(closed.to_owned());
        }
    }

    /// What was met while its folder stood open, and cannot be looked at any more.
    pub(crate) fn meet_what_was_closed(&mut self) {
        let marks = self.heads.iter().chain(&self.repositories).map(|folder| folder.join("HEAD"));
        let met = self.named.iter().chain(&self.links).cloned();
        let is_closed = |path: &PathBuf| {
            path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied)
        };
        let closed: Vec<PathBuf> = marks.chain(met).filter(is_closed).collect();
        closed.iter().for_each(|path| self.meet_closed(path));
    }

    /// What is gone, with everything beneath it.
    pub(crate) fn forget(&mut self, path: &Path) {
        for set in [&mut self.named, &mut self.repositories, &mut self.heads, &mut self.links, &mut self.closed] {
            let gone: Vec<PathBuf> =
                set.range(path.to_owned()..).take_while(|known| known.starts_with(path)).cloned().collect();
            for path in gone {
                set.remove(&path);
            }
        }
        if path.file_name() == Some(OsStr::new("HEAD")) {
            path.parent().map(|folder| self.heads.remove(folder));
        }
        let at_top = self.names.at_top().iter().map(|entry| self.workspace.join(entry));
        self.named.extend(at_top.filter(|entry| entry.starts_with(path)));
    }

    /// Opens what the command has closed; gives the folders that are to be walked now, each of them once.
    pub(crate) fn open_up(&mut self, before: &super::Snapshot, opened: &mut BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let new: Vec<PathBuf> = self.closed.iter().filter(|folder| !before.holds(folder)).cloned().collect();
        self.closed.retain(|folder| !new.contains(folder));
        new.into_iter().filter(|folder| opened.insert(folder.clone()) && open_up(folder).is_ok()).collect()
    }

    fn is_in_orders(&self, folder: &Path) -> bool {
        let inside = folder.strip_prefix(&self.workspace).unwrap_or(folder);
        let mut parts = inside.iter();
        let mut anywhere = std::iter::from_fn(|| Some((parts.next()?, parts.as_path().to_owned())));
        anywhere.any(|(part, beneath)| self.names.after(part).iter().any(|rest| beneath.starts_with(rest)))
            || self.names.at_top().iter().any(|entry| inside.starts_with(entry))
    }
}

fn is_passed_over(workspace: &Path, folder: &Path) -> bool {
    let inside = folder.strip_prefix(workspace).unwrap_or(folder);
    inside.iter().any(|part| PASSED_OVER.iter().any(|passed| part == *passed))
}

/// Lets its owner look into a folder again.
#[expect(clippy::disallowed_methods, reason = "undoes what the command did to a folder, so that it can be searched")]
pub(super) fn open_up(folder: &Path) -> std::io::Result<()> {
    let opened = crate::sys::open_true(folder.as_os_str())?;
    let place = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&opened));
    let mode = std::fs::metadata(&place)?.permissions().mode();
    std::fs::set_permissions(&place, Permissions::from_mode(mode | 0o700))
}
