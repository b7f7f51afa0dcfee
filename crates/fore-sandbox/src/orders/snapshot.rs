//! Everything that gives orders in a workspace at one moment, also where links, git's settings and unusual repositories lead.

use super::candidates::OrderCandidates;
use super::{approved, hooks, programs};
use crate::blueprint::RawPath;
use crate::git::orders as git;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Links that are followed on the way to one path, as the kernel has it.
const MAX_LINKS: usize = 40;
/// Files of git's settings that are followed.
const MAX_CONFIGS: usize = 10_000;
/// Names in a folder of hooks that are looked at; git knows some thirty.
const MAX_HOOKS: usize = 1_000;

/// What of the person decides which files give orders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PersonPaths<'a> {
    pub(crate) home: Option<&'a Path>,
    /// Where their shell looks for programs.
    pub(crate) path: &'a [&'a Path],
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OrdersSnapshot {
    /// Files and folders, without links on the way: a cage keeps them as they are.
    pub(crate) places: BTreeSet<RawPath>,
    /// Links, and where they lead. Nothing can be put over a link.
    pub(super) links: BTreeSet<(RawPath, RawPath)>,
    pub(super) git_folders: BTreeSet<RawPath>,
    /// What git would start when it goes on with work that it stopped in, by the file that says so.
    pub(super) pending: BTreeSet<(RawPath, String)>,
    /// Settings of git that could not be read to their end.
    pub(crate) unread: BTreeSet<RawPath>,
}

impl OrdersSnapshot {
    pub(crate) fn of(met: &OrderCandidates, person: PersonPaths<'_>) -> OrdersSnapshot {
        let mut found = OrdersSnapshot::of_open(met, person);
        let mut look = SnapshotBuilder::new(met, person.home);
        met.closed.iter().for_each(|path| drop(look.add(path)));
        found.places.append(&mut look.found.places);
        found.links.append(&mut look.found.links);
        found
    }

    /// The same without the folders that are closed: what is in them is looked at later.
    pub(crate) fn of_open(met: &OrderCandidates, person: PersonPaths<'_>) -> OrdersSnapshot {
        let mut look = SnapshotBuilder::new(met, person.home);
        let own_programs = person.home.filter(|home| *home == met.workspace()).map(|home| home.join("bin"));
        for path in met.named.iter().chain(&met.links).chain(&own_programs) {
            look.add(path);
        }
        met.reached().for_each(|path| drop(look.add(path)));
        for program in programs::standing_in(met.workspace(), person.path) {
            look.add(&program);
        }
        for path in &met.repositories {
            look.add_repository(path);
        }
        for folder in &met.heads {
            if git::is_git_folder(folder) {
                look.add_git_folder(folder, None);
            }
        }
        look.found
    }

    /// Whether a path was there, or lies beneath what was.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        path.ancestors().any(|path| self.places.contains(&RawPath::from(path)))
    }

    /// What of this was there before as well, or lies beneath what was.
    pub(crate) fn known_to(self, before: &OrdersSnapshot) -> OrdersSnapshot {
        let OrdersSnapshot { mut places, mut links, mut git_folders, mut pending, unread } = self;
        places.retain(|place| before.holds(place.path()));
        links.retain(|link| before.links.contains(link));
        git_folders.retain(|folder| before.git_folders.contains(folder));
        pending.retain(|command| before.pending.contains(command));
        OrdersSnapshot { places, links, git_folders, pending, unread }
    }

    /// Whether a path lies at the top of a git folder that was there.
    pub(crate) fn is_in_git(&self, path: &Path) -> bool {
        path.parent().is_some_and(|folder| self.git_folders.contains(&RawPath::from(folder)))
    }

    /// What is there now and was not before, or leads elsewhere. New repositories may be made, as long as they obey nobody.
    pub(crate) fn planted(&self, before: &OrdersSnapshot) -> Vec<PathBuf> {
        let links = self.links.difference(&before.links).map(|(path, _)| path.path());
        let places = self.places.iter().map(RawPath::path).filter(|path| !before.holds(path));
        let mut new: BTreeSet<&Path> = places.chain(links).filter(|path| !self.is_harmless(path, before)).collect();
        new.extend(self.pending.difference(&before.pending).map(|(path, _)| path.path()));
        let is_outermost = |path: &&Path| !path.ancestors().skip(1).any(|above| new.contains(above));
        let is_planted = |path: &&Path| is_outermost(path) && !approved::is_as_approved(path);
        new.iter().copied().filter(is_planted).map(Path::to_owned).collect()
    }

    /// Whether this is a part of a new repository that starts nothing.
    fn is_harmless(&self, path: &Path, before: &OrdersSnapshot) -> bool {
        let is_known = |folder: PathBuf| {
            folder.canonicalize().is_ok_and(|folder| self.git_folders.contains(&RawPath::from(folder)))
        };
        let names_repository = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git"));
        if names_repository {
            let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
            return is_file && git::plainly_named_folder(path).is_some_and(is_known);
        }
        let folders = path.ancestors().skip(1).take(2);
        let mut new = folders.filter(|folder| {
            let folder = RawPath::from(*folder);
            self.git_folders.contains(&folder) && !before.git_folders.contains(&folder)
        });
        new.any(|folder| path.strip_prefix(folder).is_ok_and(|part| git::starts_nothing(folder, part, is_known)))
    }
}

struct SnapshotBuilder<'a> {
    workspace: &'a Path,
    home: Option<&'a Path>,
    found: OrdersSnapshot,
    configs: BTreeSet<PathBuf>,
}

impl<'a> SnapshotBuilder<'a> {
    fn new(met: &'a OrderCandidates, home: Option<&'a Path>) -> SnapshotBuilder<'a> {
        SnapshotBuilder {
            workspace: met.workspace(),
            home,
            found: OrdersSnapshot::default(),
            configs: BTreeSet::default(),
        }
    }

    /// Takes in a path if it is there, and every link on the way to it. Gives the place where it is, in the workspace.
    fn add(&mut self, path: &Path) -> Option<PathBuf> {
        let place = self.resolve(path)?;
        self.found.places.insert(RawPath::from(place.as_path()));
        Some(place)
    }

    fn resolve(&mut self, path: &Path) -> Option<PathBuf> {
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            match self.walk_to(&path)? {
                LinkStep::There(place) => {
                    let is_inside = place.starts_with(self.workspace) && place != self.workspace;
                    return is_inside.then_some(place);
                }
                LinkStep::Onward(next) => path = next,
            }
        }
        None
    }

    fn walk_to(&mut self, path: &Path) -> Option<LinkStep> {
        // The workspace itself is known to be free of links.
        let (mut at, rest) = match path.strip_prefix(self.workspace) {
            Ok(rest) => (self.workspace.to_owned(), rest),
            Err(_) => (PathBuf::from("/"), path.strip_prefix("/").ok()?),
        };
        let mut parts = rest.components();
        while let Some(part) = parts.next() {
            match part {
                Component::Normal(name) => at.push(name),
                Component::ParentDir => drop(at.pop()),
                Component::CurDir | Component::RootDir | Component::Prefix(_) => continue,
            }
            if at.symlink_metadata().ok()?.is_symlink() {
                let target = std::fs::read_link(&at).ok()?;
                let onward = at.parent().unwrap_or(Path::new("/")).join(&target).join(parts.as_path());
                if at.starts_with(self.workspace) {
                    self.found.links.insert((at.as_path().into(), target.into()));
                }
                return Some(LinkStep::Onward(onward));
            }
        }
        Some(LinkStep::There(at))
    }

    /// Something called `.git`: a git folder, or a file or link that leads to one.
    fn add_repository(&mut self, path: &Path) {
        let Ok(found) = path.symlink_metadata() else { return };
        if found.is_dir() {
            return self.add_git_folder(path, path.parent());
        }
        let named = git::named_folder(path);
        let place = if found.is_symlink() { self.resolve(path) } else { self.add(path) };
        let folder = named.or(place).and_then(|folder| self.resolve(&folder));
        if let Some(folder) = folder.filter(|folder| folder.is_dir()) {
            self.add_git_folder(&folder, path.parent());
        }
    }

    /// What git obeys in this folder, and where its settings lead.
    fn add_git_folder(&mut self, folder: &Path, top: Option<&Path>) {
        if !folder.starts_with(self.workspace) || !self.found.git_folders.insert(RawPath::from(folder)) {
            return;
        }
        let top = top.map_or_else(|| git::top_of(folder), Path::to_owned);
        for part in fore_plan::orders::GIT_ORDERS {
            let Some(place) = self.add(&folder.join(part)) else { continue };
            if *part == "hooks" {
                self.add_leads_of_hooks(&place, &top);
            }
        }
        let pending = git::commands(folder).into_iter().map(|(file, command)| (RawPath::from(file), command));
        self.found.pending.extend(pending);
        if let Some(common) = git::common_folder(folder).and_then(|common| self.resolve(&common)) {
            self.add_git_folder(&common, None);
        }
        for config in ["config", "config.worktree"] {
            self.add_leads(&folder.join(config), &top);
        }
        for config in git::of_the_person(self.home) {
            let hooks = git::leads(&config, &top, self.home).hooks;
            hooks.iter().for_each(|path| self.add_hooks(path, &top));
        }
    }

    fn add_leads(&mut self, config: &Path, top: &Path) {
        if self.configs.len() >= MAX_CONFIGS || !self.configs.insert(config.to_owned()) {
            return;
        }
        let leads = git::leads(config, top, self.home);
        if leads.unread {
            self.found.unread.insert(RawPath::from(config));
        }
        leads.hooks.iter().for_each(|path| self.add_hooks(path, top));
        leads.programs.iter().for_each(|path| drop(self.add(path)));
        for included in leads.includes {
            self.add(&included);
            self.add_leads(&included, top);
        }
    }

    fn add_hooks(&mut self, path: &Path, top: &Path) {
        if let Some(place) = self.add(path) {
            self.add_leads_of_hooks(&place, top);
        }
    }

    /// A hook may be a link to a script of the project, or start one.
    fn add_leads_of_hooks(&mut self, folder: &Path, top: &Path) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_HOOKS) {
            let hook = entry.path();
            if hook.extension() == Some(OsStr::new("sample")) {
                continue;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                self.add(&hook);
            }
            hooks::named_in(&hook, top).iter().for_each(|path| drop(self.add(path)));
        }
    }
}

enum LinkStep {
    There(PathBuf),
    /// A link leads on.
    Onward(PathBuf),
}
