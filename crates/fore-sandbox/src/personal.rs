//! What a cage shows of the places where people keep their own things: the project, what toolchains need, and what the command or
//! the person names. Everything else there looks empty. It only looks.

mod known;
mod named;

pub(crate) use named::{JobWords, in_text};

use crate::cages::CageSettings;
use crate::environment::Variables;
use crate::secrets::{PathPresence, Secrets, at_home};
use fore_text::paths::folded;
use rustix::fs::OFlags;
use std::collections::BTreeSet;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Folders of the disk that belong to the system. Whatever else lies beside them is somebody's.
const OF_THE_SYSTEM: [&str; 18] = [
    "bin", "boot", "dev", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "nix", "opt", "proc", "run", "sbin", "snap",
    "sys", "usr", "var",
];
/// Has layers and rules of its own.
const TEMP: &str = "tmp";
/// Names at the top of the disk that are looked at.
const MAX_AT_THE_TOP: usize = 256;
/// Folders above a file that may be the package it belongs to.
const MAX_ABOVE: usize = 6;
/// Links on the way to one path.
const MAX_LINKS: usize = 16;
/// Bytes of git's small files.
const MAX_GIT_FILE: usize = 4096;

/// What is shown and what is not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Personal {
    /// The places, outermost only.
    pub(crate) tops: Vec<PathBuf>,
    /// What is shown of them as it is.
    pub(crate) kept: Vec<PathBuf>,
    /// Links that lead to what is shown.
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
    /// Folders among them that hold whatever a person keeps: to be searched for secrets.
    pub(crate) searched: Vec<PathBuf>,
    /// Places that the command asks for as a whole.
    pub(crate) asked_for: Vec<PathBuf>,
    /// What it names and is secret, wherever it lies.
    pub(crate) secret: Vec<PathBuf>,
    /// What it names and would be secret if it were there.
    pub(crate) missing: Vec<PathBuf>,
}

/// What a run is about.
#[derive(Clone, Copy)]
pub(crate) struct RunSubject<'a> {
    pub(crate) workspace: &'a Path,
    pub(crate) cwd: &'a Path,
    /// The folder as the caller wrote it, perhaps through links.
    pub(crate) written_cwd: &'a Path,
    pub(crate) environment: &'a Variables,
    /// What the command names.
    pub(crate) named: &'a [PathBuf],
    /// Programs, and files of programs, that are started without a shell: they are shown with the package that they belong to.
    pub(crate) programs: &'a [PathBuf],
    /// Files that the person's settings of git name.
    pub(crate) of_git: &'a [PathBuf],
    /// What is known to be on the disk.
    pub(crate) there: &'a PathPresence,
}

impl Personal {
    pub(crate) fn find(settings: &CageSettings, secrets: &Secrets, about: RunSubject<'_>) -> Personal {
        let home = settings.home.as_ref().and_then(|home| about.there.real(home));
        let tops = tops(home.as_deref(), about.workspace);
        let mut finder =
            PersonalFinder { found: Personal { tops, ..Personal::default() }, secrets, home, there: about.there };
        finder.show(about.workspace);
        settings.home.iter().for_each(|home| finder.link_up(home));
        finder.link_up(about.written_cwd);
        finder.show_repository(about.workspace);
        if about.cwd != about.workspace {
            finder.show_repository(about.cwd);
        }
        finder.show_and_search(about.cwd);
        finder.show_toolchains(about.environment);
        for folder in &settings.shown {
            if let Some(folder) = at_home(settings, folder) {
                finder.name(&folder);
            }
        }
        about.of_git.iter().for_each(|path| finder.show_file(path));
        about.named.iter().for_each(|path| finder.name(path));
        about.programs.iter().for_each(|path| finder.show_package(path));
        finder.found
    }

    /// Whether a real path lies in one of the places and is not shown.
    pub(crate) fn hides(&self, path: &Path) -> bool {
        self.tops.iter().any(|top| path.starts_with(top)) && !self.kept.iter().any(|kept| path.starts_with(kept))
    }
}

/// What is shown of a home because tools need it.
pub(crate) fn toolchains(home: &Path) -> Vec<PathBuf> {
    let named = crate::person_environment::variables()
        .filter(|(name, _)| !known::NOT_FOLDERS.iter().any(|known| name == known));
    let named = named.map(|(_, value)| PathBuf::from(value));
    let in_home = |path: &PathBuf| path.starts_with(home) && path != home;
    let mut all: Vec<PathBuf> =
        known::IN_HOME.iter().map(|name| home.join(name)).chain(named.filter(in_home)).collect();
    all.sort();
    all.dedup();
    all
}

/// Homes, what is mounted for people, and top folders that no system has.
fn tops(home: Option<&Path>, workspace: &Path) -> Vec<PathBuf> {
    let listing = std::fs::read_dir("/").into_iter().flatten().flatten().take(MAX_AT_THE_TOP);
    let found = listing.filter(|entry| {
        let name = entry.file_name();
        let is_of_the_system = name
            .to_str()
            .is_some_and(|name| OF_THE_SYSTEM.contains(&name) || name == TEMP || name.contains(".usr-is-merged"));
        !is_of_the_system && entry.file_type().is_ok_and(|kind| kind.is_dir())
    });
    let mut tops: BTreeSet<PathBuf> = found.map(|entry| entry.path()).collect();
    if let Some(home) = home.filter(|home| home.parent().is_some() && !home.starts_with("/tmp") && home.is_dir()) {
        tops.insert(home.to_owned());
    }
    // Whoever works on a whole place, or on all of them, sees it.
    tops.retain(|top| !top.starts_with(workspace));
    let outermost: Vec<PathBuf> =
        tops.iter().filter(|top| !tops.iter().any(|outer| outer != *top && top.starts_with(outer))).cloned().collect();
    outermost
}

struct PersonalFinder<'a> {
    found: Personal,
    secrets: &'a Secrets,
    home: Option<PathBuf>,
    there: &'a PathPresence,
}

impl PersonalFinder<'_> {
    fn is_personal(&self, path: &Path) -> bool {
        self.found.tops.iter().any(|top| path.starts_with(top))
    }

    /// A place itself, or what holds a home.
    fn covers_a_root(&self, path: &Path) -> bool {
        self.found.tops.iter().any(|top| top.starts_with(path))
            || self.home.as_ref().is_some_and(|home| home.starts_with(path))
    }

    /// Shows a real path.
    fn show(&mut self, path: &Path) {
        if self.found.hides(path) && !self.secrets.hold(path) {
            self.found.kept.push(path.to_owned());
        }
    }

    /// Shows a folder after everything in it was searched; one that is shown as it is need not be.
    fn show_and_search(&mut self, folder: &Path) {
        if self.found.hides(folder) && !self.covers_a_root(folder) && !self.secrets.hold(folder) {
            self.found.kept.push(folder.to_owned());
            self.found.searched.push(folder.to_owned());
        }
    }

    /// What the command or the person names, by whatever way it leads there.
    fn name(&mut self, path: &Path) {
        self.link_up(path);
        let Some(real) = self.there.real(path) else { return };
        let Ok(facts) = real.metadata() else { return };
        if self.secrets.are_our_own(&real) {
            // It has rules of its own.
        } else if self.secrets.hold(&real) || self.secrets.hold(path) {
            self.found.secret.push(real);
        } else if facts.is_dir() {
            if self.is_personal(&real) && self.covers_a_root(&real) {
                self.found.asked_for.push(real.clone());
            }
            self.show_and_search(&real);
        } else if !facts.file_type().is_fifo() && !facts.file_type().is_socket() {
            self.show(&real);
        }
    }

    /// Shows an ordinary file alone.
    fn show_file(&mut self, path: &Path) {
        let Some(real) = self.there.real(path) else { return };
        if real.is_file() && !self.secrets.hold(path) && !self.secrets.hold(&real) {
            self.link_up(path);
            self.show(&real);
        }
    }

    /// Makes again the links of a hidden place that a path leads through.
    fn link_up(&mut self, path: &Path) {
        let mut way = path.to_owned();
        for _ in 0..MAX_LINKS {
            let links = way.ancestors().filter(|part| self.there.is_link(part));
            let Some(link) = links.last().map(Path::to_owned) else { return };
            let Ok(target) = std::fs::read_link(&link) else { return };
            let Some(folder) = link.parent() else { return };
            let Ok(rest) = way.strip_prefix(&link) else { return };
            let next = folded(&folder.join(&target).join(rest));
            let is_new = !self.found.links.iter().any(|(known, _)| *known == link);
            if is_new && self.found.hides(&link) {
                self.found.links.push((link, target));
            }
            way = next;
        }
    }

    /// The repository that a folder belongs to: its top, and where git keeps what it knows.
    fn show_repository(&mut self, folder: &Path) {
        // What lies in a cache is not part of the project around it, and changes all the time.
        let is_cache = |part: &Path| part.join("CACHEDIR.TAG").is_file();
        let tops = folder.ancestors().take_while(|part| self.is_personal(part) && !is_cache(part));
        let Some(top) = tops.into_iter().find(|part| part.join(".git").symlink_metadata().is_ok()) else { return };
        let top = top.to_owned();
        // Some keep their whole home in git.
        if self.covers_a_root(&top) {
            self.show(&top.join(".git"));
        } else {
            self.show_and_search(&top);
        }
        let git = top.join(".git");
        let kept = pointed_at(&git, b"gitdir:").unwrap_or(git);
        let common = pointed_at(&kept.join("commondir"), b"").unwrap_or_else(|| kept.clone());
        for folder in [kept, common.clone()] {
            if let Some(real) = self.there.real(&folder) {
                self.show(&real);
            }
        }
        let lent = common.join("objects/info/alternates");
        let lent = small(&lent).unwrap_or_default();
        for line in lent.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let store = common.join("objects").join(as_path(line));
            if let Some(real) = self.there.real(&store) {
                self.show(&real);
            }
        }
    }

    fn show_toolchains(&mut self, environment: &Variables) {
        for name in known::IN_HOME {
            let path = self.home.as_ref().map(|home| home.join(name));
            let Some(path) = path.filter(|path| self.there.may_be(path)) else { continue };
            let Ok(facts) = path.metadata() else { continue };
            let Some(real) = self.there.real(&path) else { continue };
            // Most are not there, and the rest are files and folders; a pipe is not for reading.
            if (facts.is_dir() || facts.is_file()) && !self.secrets.hold(&path) && !self.covers_a_root(&real) {
                self.link_up(&path);
                self.show(&real);
            }
        }
        for (name, value) in environment {
            if name == "PATH" {
                std::env::split_paths(value).for_each(|folder| self.show_programs(&folder));
            } else if !known::NOT_FOLDERS.iter().any(|known| name == known) && Path::new(value).is_absolute() {
                let folder = Path::new(value);
                if let Some(real) = self.there.real(folder)
                    && !self.covers_a_root(&real)
                {
                    self.link_up(folder);
                    self.show(&real);
                }
            }
        }
    }

    /// A folder of programs, with the installation around it.
    fn show_programs(&mut self, folder: &Path) {
        let Some(real) = self.there.real(folder) else { return };
        if !self.is_personal(&real) || self.covers_a_root(&real) {
            return;
        }
        self.link_up(folder);
        let is_of_programs = real.file_name().is_some_and(|name| known::OF_PROGRAMS.iter().any(|known| name == *known));
        let around = real.parent().filter(|around| is_of_programs && self.is_installation(around));
        let shown = around.unwrap_or(&real).to_owned();
        self.show(&shown);
    }

    /// What a program loads by itself: the packages beside it, its virtual environment, or the package whose file it is.
    fn show_package(&mut self, path: &Path) {
        let real = self.there.real(path).filter(|real| real.is_file());
        let ways = real.iter().flat_map(|real| [path, real.as_path()]);
        for way in ways {
            if let Some(packages) = way.ancestors().filter(|part| part.ends_with("node_modules")).last() {
                self.link_up(packages);
                self.there.real(packages).iter().for_each(|packages| self.show(packages));
            }
            let above = || way.ancestors().skip(1).take(MAX_ABOVE);
            let has = |mark: &'static str| above().find(move |folder| folder.join(mark).is_file()).map(Path::to_owned);
            if let Some(environment) = has("pyvenv.cfg").filter(|folder| !self.covers_a_root(folder)) {
                self.link_up(&environment);
                self.show(&environment);
            }
            if let Some(package) = known::OF_PACKAGES.iter().copied().find_map(&has) {
                self.show_and_search(&package);
            }
        }
    }

    fn is_installation(&self, folder: &Path) -> bool {
        let is_shared =
            known::SHARED.iter().any(|name| self.home.as_ref().is_some_and(|home| folder == home.join(name)));
        let has = |name: &&str| {
            let path = folder.join(name);
            self.there.may_be(&path) && path.exists()
        };
        !self.covers_a_root(folder) && !is_shared && known::OF_INSTALLATIONS.iter().any(has)
    }
}

/// Where one of git's files that hold a path leads.
fn pointed_at(file: &Path, before: &[u8]) -> Option<PathBuf> {
    let text = small(file)?;
    let path = text.trim_ascii().strip_prefix(before)?.trim_ascii();
    if path.is_empty() {
        return None;
    }
    Some(folded(&file.parent()?.join(as_path(path))))
}

fn as_path(bytes: &[u8]) -> &Path {
    Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes))
}

fn small(file: &Path) -> Option<Vec<u8>> {
    let is_small = file.symlink_metadata().is_ok_and(|facts| facts.is_file() && facts.len() <= MAX_GIT_FILE as u64);
    let fd = is_small.then(|| crate::sys::open(file, OFlags::RDONLY | OFlags::NONBLOCK).ok())??;
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(std::fs::File::from(fd), MAX_GIT_FILE as u64), &mut bytes)
        .ok()?;
    Some(bytes)
}
