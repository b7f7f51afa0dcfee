//! The workspace as it was when planning began, for the proof that nothing changed (M10). Kept on disk, so that a session
//! that is resumed still compares with the beginning.

use super::super::{running::RunningCalls, setup::SessionSetup};
use crate::{cancel::Cancel, event::Proof, lock::lock, proof::WorkspaceSnapshot};
use fore_plan::State;
use fore_store::snapshot;
use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
};
use tokio::sync::watch;

/// A snapshot that is being taken, or was; none if nobody looked. Whoever wants it waits for it.
#[derive(Debug, Default)]
pub(crate) struct Baseline(Mutex<Option<watch::Receiver<Option<Arc<WorkspaceSnapshot>>>>>);

impl Baseline {
    /// Takes the snapshot beside the work: what runs while planning cannot change the workspace.
    pub(crate) fn take(&self, setup: &SessionSetup, state: &State, running: &Arc<RunningCalls>) {
        let (project, home, id) = (setup.project.clone(), Arc::clone(&setup.home), setup.id);
        let (running, opener) = (Arc::clone(running), setup.opener(state));
        let (sender, receiver) = watch::channel(None);
        *lock(&self.0) = Some(receiver);
        setup.runtime.spawn_blocking(move || {
            // What was stopped because planning began still belongs to the time before.
            running.wait_for_changes();
            let taken = WorkspaceSnapshot::take(&opener, &project, &Cancel::default());
            // Without the file a restart loses the beginning, and the proof says so; planning itself continues.
            let _ = snapshot::save(&home, id, &taken.to_bytes());
            sender.send_replace(Some(Arc::new(taken)));
        });
    }

    /// The snapshot of a session that plans and is resumed; if none is there, planning counts from now.
    pub(crate) fn find(&self, setup: &SessionSetup, state: &State, running: &Arc<RunningCalls>) {
        let saved = snapshot::load(&setup.home, setup.id).ok().flatten();
        match saved.and_then(|bytes| WorkspaceSnapshot::from_bytes(&bytes)) {
            Some(found) => *lock(&self.0) = Some(watch::channel(Some(Arc::new(found))).1),
            None => self.take(setup, state, running),
        }
    }

    /// Whether the workspace is as it was when planning began, files apart that the person changed.
    pub(crate) async fn proof(
        &self,
        setup: &SessionSetup,
        state: &State,
        typed: Vec<PathBuf>,
        cancel: &Cancel,
    ) -> Proof {
        let before = lock(&self.0).clone();
        let taken = match before {
            None => None,
            Some(mut before) => before.wait_for(Option::is_some).await.ok().and_then(|found| found.clone()),
        };
        let Some(taken) = taken else {
            let line =
                "The workspace was not recorded when planning began, so it cannot be said what has changed since."
                    .to_owned();
            return Proof { line, incomplete: true, ..Proof::default() };
        };
        let (project, cancel) = (setup.project.clone(), cancel.clone());
        let plan = state.plan().map(|plan| PathBuf::from(&plan.path));
        let excused: Vec<PathBuf> = plan.into_iter().chain(typed).collect();
        let opener = setup.opener(state);
        let compare = move || taken.compare(&WorkspaceSnapshot::take(&opener, &project, &cancel), &excused);
        setup.runtime.spawn_blocking(compare).await.unwrap_or_default()
    }
}
