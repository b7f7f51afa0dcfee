//! What gives orders in a workspace that a cage leaves writable, before a run, during it and afterwards.

use super::reads_nothing;
use crate::blueprint::RawPath;
use crate::cages::CageSettings;
use crate::error::CageError;
use crate::job::Job;
use crate::orders::{self, ActiveRun, ActiveRuns, CheckTime, Orders, OrdersSnapshot, PersonPaths as Whom};
use crate::secrets::{Index, IndexOwner, Indexes, ListedSecrets};
use std::path::{Path, PathBuf};

/// What gives orders in one workspace; each costs the kernel a mount or more.
const MAX_ORDERS: usize = 5_000;

/// What gives orders in a workspace that is to be writable.
pub(super) fn orders(
    settings: &CageSettings,
    (indexes, runs): (&Indexes, &ActiveRuns),
    (workspace, listed): (&Path, &ListedSecrets),
    writable: &[RawPath],
    job: &Job<'_>,
) -> Result<Option<(Orders, ActiveRun)>, CageError> {
    let wrong = |why| CageError::Unusable { path: workspace.to_owned(), why };
    if reads_nothing(job) {
        return Ok(None);
    }
    if !is_project(settings, workspace) {
        return Err(wrong("holds home folders; choose a project folder as workspace"));
    }
    if orders::lies_in_orders(&settings.protected, workspace) {
        return Err(wrong(
            "lies in a folder whose files give orders to other programs (such as .git, .vscode, .claude), so nothing in it can be \
             changed by commands; start in the folder above",
        ));
    }
    let look = || snapshot(settings, indexes, (workspace, listed), CheckTime::Before, &OrdersSnapshot::default());
    let (before, under_way) = runs.begin(workspace, look)?;
    let writable: Vec<&Path> = writable.iter().map(RawPath::path).collect();
    let mut also_held = orders::other_names(&before.places, &writable).map_err(wrong)?;
    // A shared mapping changes a file that runs as its owner, and the kernel lets it go on doing so. To look at every file costs
    // much, so it is done where the owner may be somebody with powers.
    if rustix::process::geteuid().is_root() {
        let found = indexes.ask(settings, (workspace, IndexOwner::Project), listed, Index::set_ids)?;
        also_held.extend(found.map_err(wrong)?);
    }
    if before.places.len() + also_held.len() > MAX_ORDERS {
        return Err(wrong(
            "holds more files that give orders to other programs (such as .git/config, CLAUDE.md, .npmrc) than can be kept \
             from changing; start in a folder below it",
        ));
    }
    if !before.unread.is_empty() {
        return Err(wrong(
            "holds a git configuration that cannot be read to its end (it is too long, closed, or names files by something that is not text), \
             so nobody knows what git would obey there",
        ));
    }
    let orders = Orders {
        workspace: workspace.into(),
        home: real_home(settings).map(RawPath::from),
        path: settings.path.iter().map(|folder| folder.as_path().into()).collect(),
        names: orders::names_in(&settings.protected, workspace).into_iter().map(RawPath::from).collect(),
        before,
        also_held: also_held.into_iter().map(RawPath::from).collect(),
    };
    Ok(Some((orders, under_way)))
}

/// The disk, or the folder of all homes, is not one project.
pub(super) fn is_project(settings: &CageSettings, workspace: &Path) -> bool {
    let holds_home = settings.home.as_ref().is_some_and(|home| home.starts_with(workspace) && home != workspace);
    workspace != Path::new("/") && !holds_home
}

/// Where the person's home really is.
pub(super) fn real_home(settings: &CageSettings) -> Option<PathBuf> {
    settings.home.as_ref()?.canonicalize().ok()
}

/// What gives orders in a workspace now. After a run: also in what it closed since `before`.
pub(crate) fn snapshot(
    settings: &CageSettings,
    indexes: &Indexes,
    (workspace, listed): (&Path, &ListedSecrets),
    when: CheckTime,
    before: &OrdersSnapshot,
) -> Result<OrdersSnapshot, CageError> {
    let home = real_home(settings);
    let path: Vec<&Path> = settings.path.iter().map(PathBuf::as_path).collect();
    let whom = Whom { home: home.as_deref(), path: &path };
    let look = |index: &mut Index| {
        Ok(match when {
            CheckTime::Before => OrdersSnapshot::of(index.orders(None)?, whom),
            CheckTime::During => OrdersSnapshot::of_open(index.orders(None)?, whom),
            CheckTime::After => OrdersSnapshot::of(index.orders(Some(before))?, whom),
        })
    };
    indexes.ask(settings, (workspace, IndexOwner::Project), listed, look)?
}
