//! What a walk over a workspace has met that may give orders. It only remembers; what is still there is looked at when it counts.

use super::names::OrderNames;
use super::other_names::{UncoveredPart, WalkCoverage, walk};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{FileType, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What is downloaded or built, by the thousand: nobody opens it as a project. Git is another matter: it acts wherever somebody
/// stands, if only to show a prompt.
const PASSED_OVER: [&str; 5] = ["node_modules", "target", ".venv", "__pycache__", ".tox"];

#[derive(Clone, Debug, Default)]
pub(crate) struct OrderCandidates {
    workspace: PathBuf,
    names: OrderNames,
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
    /// By their names, in what is passed over: they count where a link leads to them.
    pub(super) passed: BTreeSet<PathBuf>,
    /// Links outside of what is passed over, wherever they lead.
    pub(super) ways: BTreeSet<PathBuf>,
    /// Files that run as their owner or group; not looked for until somebody asks, because that means to look at every file.
    set_ids: Option<BTreeSet<PathBuf>>,
}

impl OrderCandidates {
    pub(crate) fn new<'a>(workspace: &Path, names: impl Iterator<Item = &'a Path>) -> OrderCandidates {
        let mut met = OrderCandidates {
            workspace: workspace.to_owned(),
            names: OrderNames::new(names),
            ..OrderCandidates::default()
        };
        met.clear();
        met
    }

    /// For a workspace without an index: looks at every name, and opens up what the command has closed.
    pub(super) fn by_walking<'a>(workspace: &Path, names: impl Iterator<Item = &'a Path>) -> OrderCandidates {
        let mut met = OrderCandidates::new(workspace, names);
        let mut folders = vec![workspace.to_owned()];
        while let Some(folder) = folders.pop() {
            let is_closed = folder.join(".").symlink_metadata().is_err() || std::fs::read_dir(&folder).is_err();
            if is_closed && (open_up(&folder).is_err() || std::fs::read_dir(&folder).is_err()) {
                met.meet_closed(&folder);
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
        let OrderCandidates { repositories, heads, links, closed, passed, ways, set_ids, .. } = self;
        for set in [repositories, heads, links, closed, passed, ways].into_iter().chain(set_ids) {
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
        if let Some(set_ids) = self.set_ids.as_mut().filter(|_| kind.is_file()) {
            set_ids.extend(Some(folder.join(name)).filter(|path| is_set_id(path)));
        }
        let rests = self.names.after(name);
        if rests.is_empty() && !kind.is_symlink() {
            return;
        }
        let path = folder.join(name);
        let is_passed = is_passed_over(&self.workspace, folder);
        if kind.is_symlink() && !is_passed {
            self.ways.insert(path.clone());
            if self.is_in_orders(folder) {
                self.links.insert(path.clone());
            }
        }
        let met = if is_passed { &mut self.passed } else { &mut self.named };
        for rest in rests {
            met.insert(if rest.as_os_str().is_empty() { path.clone() } else { path.join(rest) });
        }
    }

    /// The files that run as their owner or group. An error says why they are not all known.
    pub(crate) fn set_ids(&mut self) -> Result<Vec<PathBuf>, &'static str> {
        let known = match self.set_ids.take() {
            Some(known) => known,
            None => search(&self.workspace)?,
        };
        let found = known.iter().filter(|path| is_set_id(path)).cloned().collect();
        self.set_ids = Some(known);
        Ok(found)
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
        let OrderCandidates { named, repositories, heads, links, closed, passed, ways, set_ids, .. } = self;
        for set in [named, repositories, heads, links, closed, passed, ways].into_iter().chain(set_ids) {
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
    pub(crate) fn open_up(&mut self, before: &super::OrdersSnapshot, opened: &mut BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let new: Vec<PathBuf> = self.closed.iter().filter(|folder| !before.holds(folder)).cloned().collect();
        self.closed.retain(|folder| !new.contains(folder));
        new.into_iter().filter(|folder| opened.insert(folder.clone()) && open_up(folder).is_ok()).collect()
    }

    /// What gives orders in what is passed over, and is reached by a link from outside of it.
    pub(super) fn reached(&self) -> impl Iterator<Item = &Path> {
        let leads = self.ways.iter().filter_map(|way| way.canonicalize().ok());
        let targets: BTreeSet<PathBuf> = leads
            .filter(|target| target.starts_with(&self.workspace) && is_passed_over(&self.workspace, target))
            .collect();
        let beneath = |target: PathBuf| {
            let from = target.clone();
            self.passed.range(from..).take_while(move |path| path.starts_with(&target))
        };
        targets.into_iter().flat_map(beneath).map(PathBuf::as_path)
    }

    fn is_in_orders(&self, folder: &Path) -> bool {
        let inside = folder.strip_prefix(&self.workspace).unwrap_or(folder);
        let mut parts = inside.iter();
        let mut anywhere = std::iter::from_fn(|| Some((parts.next()?, parts.as_path().to_owned())));
        anywhere.any(|(part, beneath)| self.names.after(part).iter().any(|rest| beneath.starts_with(rest)))
            || self.names.at_top().iter().any(|entry| inside.starts_with(entry))
    }
}

fn is_set_id(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o6000 != 0)
}

fn search(workspace: &Path) -> Result<BTreeSet<PathBuf>, &'static str> {
    let mut found = BTreeSet::new();
    let mut meet = |path: &Path, _| found.extend(Some(path.to_owned()).filter(|path| is_set_id(path)));
    match walk(vec![workspace.to_owned()], &mut meet) {
        // What is closed for this program is closed for the command as well, or it is the command's own.
        WalkCoverage::Complete | WalkCoverage::InPart(UncoveredPart::Closed) => Ok(found),
        WalkCoverage::InPart(UncoveredPart::TooMuch) => {
            Err("holds more files than can be searched for those that run as their owner")
        }
    }
}

fn is_passed_over(workspace: &Path, folder: &Path) -> bool {
    let inside = folder.strip_prefix(workspace).unwrap_or(folder);
    inside.iter().any(|part| PASSED_OVER.iter().any(|passed| part == *passed))
}

/// Lets its owner look into a folder again.
pub(super) fn open_up(folder: &Path) -> std::io::Result<()> {
    change_mode(folder, |mode| mode | 0o700)
}

/// Lets nobody into a folder who has no powers over it.
pub(super) fn close(folder: &Path) -> std::io::Result<()> {
    change_mode(folder, |mode| mode & !0o7777)
}

#[expect(clippy::disallowed_methods, reason = "undoes what the command did to a folder, and closes what it planted")]
fn change_mode(folder: &Path, change: impl Fn(u32) -> u32) -> std::io::Result<()> {
    let opened = crate::sys::open_true(folder.as_os_str())?;
    let place = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&opened));
    let mode = std::fs::metadata(&place)?.permissions().mode();
    std::fs::set_permissions(&place, Permissions::from_mode(change(mode)))
}
