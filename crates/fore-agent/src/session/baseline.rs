//! The workspace as it was when planning began, for the proof that nothing changed (M10). Kept on disk, so that a session
//! that goes on after a restart still compares with the beginning.

use super::session_context::{SessionContext, lock};
use crate::{cancel::Cancel, event::Proof, proof::WorkspaceSnapshot};
use fore_store::snapshot;
use std::{path::PathBuf, sync::Arc};
use tokio::sync::watch;

/// A snapshot that is being taken, or was; none if nobody looked. Whoever wants it waits for it.
pub(crate) type PendingSnapshot = Option<watch::Receiver<Option<Arc<WorkspaceSnapshot>>>>;

impl SessionContext {
    /// Takes the snapshot beside the work: what runs while planning cannot change the workspace.
    pub(super) fn remember_workspace(&self) {
        let (project, home, id) = (self.project.clone(), Arc::clone(&self.home), self.id);
        let (running, opener) = (Arc::clone(&self.running), self.opener());
        let (sender, receiver) = watch::channel(None);
        *lock(&self.baseline) = Some(receiver);
        self.runtime.spawn_blocking(move || {
            // What was stopped because planning began still belongs to the time before.
            running.wait_for_changes();
            let taken = WorkspaceSnapshot::take(&opener, &project, &Cancel::default());
            // Without the file a restart loses the beginning, and the proof says so; planning itself goes on.
            let _ = snapshot::save(&home, id, &taken.to_bytes());
            sender.send_replace(Some(Arc::new(taken)));
        });
    }

    /// The snapshot of the session that goes on; if it was planning and none is there, planning counts from now.
    pub(super) fn find_snapshot(&self) {
        if !self.is_planning() {
            return;
        }
        let saved = snapshot::load(&self.home, self.id).ok().flatten();
        match saved.and_then(|bytes| WorkspaceSnapshot::from_bytes(&bytes)) {
            Some(found) => *lock(&self.baseline) = Some(watch::channel(Some(Arc::new(found))).1),
            None => self.remember_workspace(),
        }
    }

    /// Whether the workspace is as it was when planning began.
    pub(crate) async fn proof(&self, cancel: &Cancel) -> Proof {
        let before = lock(&self.baseline).clone();
        let taken = match before {
            None => None,
            Some(mut before) => before.wait_for(Option::is_some).await.ok().and_then(|found| found.clone()),
        };
        let Some(taken) = taken else {
            let line = "Nobody looked at the workspace when planning began, so nothing is proved.".to_owned();
            return Proof { line, incomplete: true, ..Proof::default() };
        };
        let (project, cancel) = (self.project.clone(), cancel.clone());
        let plan = self.plan_path().map(PathBuf::from);
        let excused: Vec<PathBuf> = plan.into_iter().chain(lock(&self.typed).iter().cloned()).collect();
        let opener = self.opener();
        let compare = move || taken.compare(&WorkspaceSnapshot::take(&opener, &project, &cancel), &excused);
        self.runtime.spawn_blocking(compare).await.unwrap_or_default()
    }
}
