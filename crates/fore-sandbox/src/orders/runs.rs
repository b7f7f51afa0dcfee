//! The runs that are under way in each workspace: as long as one of them is, what came since the first began is planted.

use super::OrdersSnapshot;
use crate::error::CageError;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Clone, Debug, Default)]
pub(crate) struct ActiveRuns(Arc<Mutex<HashMap<PathBuf, WorkspaceRuns>>>);

/// What the runs in one workspace share.
#[derive(Debug)]
struct WorkspaceRuns {
    /// From before the first of them.
    before: OrdersSnapshot,
    count: usize,
}

/// Stands for one run, until it is settled.
#[derive(Debug)]
pub(crate) struct ActiveRun {
    runs: ActiveRuns,
    workspace: PathBuf,
    is_first: bool,
    has_left: AtomicBool,
}

/// Whether somebody else is there to look after what was planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherRuns {
    Some,
    None,
}

impl ActiveRuns {
    /// Begins a run, and gives what may be there: what is there now, and was before the first run that is still under way.
    ///
    /// `look` is called while nobody else begins or ends here.
    pub(crate) fn begin(
        &self,
        workspace: &Path,
        look: impl FnOnce() -> Result<OrdersSnapshot, CageError>,
    ) -> Result<(OrdersSnapshot, ActiveRun), CageError> {
        let mut all = self.locked();
        let now = look()?;
        let (known, is_first) = match all.get_mut(workspace) {
            Some(shared) => {
                shared.count += 1;
                (now.known_to(&shared.before), false)
            }
            None => {
                all.insert(workspace.to_owned(), WorkspaceRuns { before: now.clone(), count: 1 });
                (now, true)
            }
        };
        let has_left = AtomicBool::new(false);
        Ok((known, ActiveRun { runs: self.clone(), workspace: workspace.to_owned(), is_first, has_left }))
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<PathBuf, WorkspaceRuns>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ActiveRun {
    /// Whether nobody else was under way when it began.
    pub(super) fn is_first(&self) -> bool {
        self.is_first
    }

    /// The command is dead. The last one stays until everything is settled, so that who begins meanwhile takes nothing for granted.
    pub(super) fn leave(&self) -> OtherRuns {
        let mut all = self.runs.locked();
        match all.get_mut(&self.workspace) {
            Some(shared) if shared.count > 1 && !self.has_left.swap(true, Ordering::Relaxed) => {
                shared.count -= 1;
                OtherRuns::Some
            }
            Some(_) | None => OtherRuns::None,
        }
    }
}

impl Drop for ActiveRun {
    fn drop(&mut self) {
        if self.has_left.load(Ordering::Relaxed) {
            return;
        }
        let mut all = self.runs.locked();
        if let Some(shared) = all.get_mut(&self.workspace) {
            shared.count -= 1;
            if shared.count == 0 {
                all.remove(&self.workspace);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blueprint::RawPath;

    fn snapshot(places: &[&str]) -> OrdersSnapshot {
        OrdersSnapshot {
            places: places.iter().map(|path| RawPath::from(Path::new(path))).collect(),
            ..OrdersSnapshot::default()
        }
    }

    #[test]
    fn what_came_since_the_first_run_began_is_known_to_none_that_overlaps_with_it() {
        let runs = ActiveRuns::default();
        let begin =
            |workspace: &str, places: &[&str]| runs.begin(Path::new(workspace), || Ok(snapshot(places))).unwrap();
        let (known, first) = begin("/w", &["/w/.envrc", "/w/.vscode"]);
        assert_eq!(known, snapshot(&["/w/.envrc", "/w/.vscode"]));
        // A bait has come, and the person has removed something.
        let (known, second) = begin("/w", &["/w/.envrc", "/w/.git/hooks"]);
        assert_eq!(known, snapshot(&["/w/.envrc"]));
        assert_eq!(begin("/other", &["/other/.idea"]).0, snapshot(&["/other/.idea"]));
        // The list stays when the first has ended, and goes with the last.
        assert_eq!(first.leave(), OtherRuns::Some);
        drop(first);
        let (known, third) = begin("/w", &["/w/.envrc", "/w/.git/hooks"]);
        assert_eq!(known, snapshot(&["/w/.envrc"]));
        drop(second);
        assert_eq!(third.leave(), OtherRuns::None);
        drop(third);
        assert_eq!(begin("/w", &["/w/.git/hooks"]).0, snapshot(&["/w/.git/hooks"]));
    }
}
