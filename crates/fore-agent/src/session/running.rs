//! The calls that run right now, each with its own switch: an interrupt stops all of them, the beginning of planning
//! those that could change something.

use crate::{cancel::Cancel, event::CallId, lock::lock};
use fore_plan::{Cage, gate::Action};
use std::{
    collections::HashMap,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// How long a stopped call is waited for, and how often it is looked at.
const MAX_WAIT: Duration = Duration::from_secs(5);
const POLL_INTERVAL: Duration = Duration::from_millis(5);

#[derive(Debug, Default)]
pub(crate) struct RunningCalls {
    calls: Mutex<HashMap<CallId, (MayChange, Cancel)>>,
    begun_changes: AtomicU64,
}

/// Whether a call could change something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MayChange {
    Possible,
    /// Of the plan file, and of nothing else.
    OfPlan,
    Impossible,
}

impl MayChange {
    /// By what its permit allows.
    pub(crate) fn of(action: &Action, cage: &Cage, plan_file: Option<&str>) -> MayChange {
        if plan_file.is_some() { MayChange::OfPlan } else { MayChange::by(action, cage) }
    }

    fn by(action: &Action, cage: &Cage) -> MayChange {
        let is_held = matches!(cage, Cage::ReadOnly { .. } | Cage::Rehearsal);
        match action {
            Action::Run { .. } | Action::Hook { .. } | Action::Mcp { .. } | Action::McpServer { .. } if is_held => {
                MayChange::Impossible
            }
            Action::Run { .. }
            | Action::Hook { .. }
            | Action::Mcp { .. }
            | Action::McpServer { .. }
            | Action::Edit { .. }
            | Action::EditNotebook { .. }
            | Action::Delete { .. }
            | Action::Move { .. }
            | Action::Other { .. } => MayChange::Possible,
            Action::Read { .. }
            | Action::Search { .. }
            | Action::Fetch { .. }
            | Action::Think { .. }
            | Action::Agent { .. }
            | Action::Message { .. }
            | Action::Todo
            | Action::Skill { .. }
            | Action::EnterPlanMode
            | Action::ExitPlanMode
            | Action::AmendPlan => MayChange::Impossible,
        }
    }
}

impl RunningCalls {
    /// Puts a call on the list before its permit is presented: whatever happens from then on finds it.
    pub(crate) fn add(&self, call: CallId, change: MayChange) -> Cancel {
        let cancel = Cancel::default();
        match change {
            MayChange::Possible | MayChange::OfPlan => self.count_change(),
            MayChange::Impossible => {}
        }
        lock(&self.calls).insert(call, (change, cancel.clone()));
        cancel
    }

    /// Something begins that could change files.
    pub(crate) fn count_change(&self) {
        self.begun_changes.fetch_add(1, Ordering::SeqCst);
    }

    /// How often something has begun that could change files.
    pub(crate) fn begun_changes(&self) -> u64 {
        self.begun_changes.load(Ordering::SeqCst)
    }

    /// Whether a call runs that could change files.
    pub(crate) fn is_changing(&self) -> bool {
        lock(&self.calls).values().any(|(change, _)| *change != MayChange::Impossible)
    }

    pub(crate) fn remove(&self, call: &CallId) {
        lock(&self.calls).remove(call);
    }

    pub(crate) fn stop_all(&self) {
        lock(&self.calls).values().for_each(|(_, cancel)| cancel.cancel());
    }

    /// Waits until nothing is left that could change something, for a bounded time. For a thread of its own.
    pub(crate) fn wait_for_changes(&self) {
        let started = Instant::now();
        let is_possible = || lock(&self.calls).values().any(|(change, _)| *change == MayChange::Possible);
        while is_possible() && started.elapsed() < MAX_WAIT {
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Stops what could write the plan and waits for it, for a bounded time; gives whether nothing of that kind is left. For a
    /// thread of its own.
    pub(crate) fn settle_plan(&self) -> bool {
        let started = Instant::now();
        let stop = || {
            let calls = lock(&self.calls);
            let writers = calls.values().filter(|(change, _)| *change != MayChange::Impossible);
            writers.inspect(|(_, cancel)| cancel.cancel()).count()
        };
        while stop() > 0 {
            if started.elapsed() >= MAX_WAIT {
                return false;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        true
    }

    /// Stops what could change something; gives how many calls that were.
    pub(crate) fn stop_changes(&self) -> usize {
        let calls = lock(&self.calls);
        let changes = calls.values().filter(|(change, _)| *change == MayChange::Possible);
        changes.inspect(|(_, cancel)| cancel.cancel()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_plan::Outside;

    #[test]
    fn planning_stops_what_could_change_something_and_nothing_else() {
        let running = RunningCalls::default();
        let run = Action::Run { command: "make".into(), cwd: "/projects/shop".into(), rehearse: false };
        let page = [
            (run.clone(), Cage::Workspace { outside: Outside::any_public() }, true),
            (run.clone(), Cage::Free, true),
            (run.clone(), Cage::Rehearsal, false),
            (run, Cage::ReadOnly { outside: Outside::Closed }, false),
            (Action::Read { path: "/x".into(), asked: "x".into() }, Cage::Free, false),
        ];
        for (number, (action, cage, is_stopped)) in page.into_iter().enumerate() {
            let call = CallId(number.to_string());
            let cancel = running.add(call.clone(), MayChange::by(&action, &cage));
            assert_eq!(running.stop_changes(), usize::from(is_stopped), "{number}");
            assert_eq!(cancel.is_cancelled(), is_stopped, "{number}");
            running.remove(&call);
        }
    }

    #[test]
    fn a_plan_is_shown_only_after_everything_that_could_write_it_has_ended() {
        let running = std::sync::Arc::new(RunningCalls::default());
        let reads = running.add(CallId("reads".into()), MayChange::Impossible);
        let writes = running.add(CallId("writes".into()), MayChange::OfPlan);
        assert_eq!((running.stop_changes(), writes.is_cancelled()), (0, false), "planning itself does not stop it");
        let (ends, shared) = (writes.clone(), std::sync::Arc::clone(&running));
        let other = std::thread::spawn(move || {
            while !ends.is_cancelled() {
                std::thread::yield_now();
            }
            shared.remove(&CallId("writes".into()));
        });
        assert!(running.settle_plan());
        other.join().unwrap();
        assert_eq!((writes.is_cancelled(), reads.is_cancelled()), (true, false));
    }
}
