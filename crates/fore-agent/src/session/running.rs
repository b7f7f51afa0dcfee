//! The calls that run right now, each with its own switch: an interrupt stops all of them, the beginning of planning
//! those that could change something.

use super::desk::lock;
use crate::{cancel::Cancel, event::CallId};
use fore_plan::{Cage, gate::Action};
use std::{
    collections::HashMap,
    sync::Mutex,
    time::{Duration, Instant},
};

/// How long a stopped call is waited for, and how often it is looked at.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

#[derive(Debug, Default)]
pub(crate) struct Running {
    calls: Mutex<HashMap<CallId, (Change, Cancel)>>,
}

/// Whether a call could change something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Possible,
    Impossible,
}

impl Change {
    /// By what its permit allows.
    pub(crate) fn of(action: &Action, cage: &Cage) -> Change {
        let is_held = matches!(cage, Cage::ReadOnly { .. } | Cage::Rehearsal);
        match action {
            Action::Run { .. } | Action::Hook { .. } | Action::Mcp { .. } if !is_held => Change::Possible,
            Action::Edit { .. } | Action::EditNotebook { .. } | Action::Delete { .. } | Action::Move { .. } => {
                Change::Possible
            }
            _ => Change::Impossible,
        }
    }
}

impl Running {
    /// Puts a call on the list before its permit is presented: whatever happens from then on finds it.
    pub(crate) fn add(&self, call: CallId, change: Change) -> Cancel {
        let cancel = Cancel::default();
        lock(&self.calls).insert(call, (change, cancel.clone()));
        cancel
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
        let is_possible = || lock(&self.calls).values().any(|(change, _)| *change == Change::Possible);
        while is_possible() && started.elapsed() < LONGEST_WAIT {
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }

    /// Stops what could change something; gives how many calls that were.
    pub(crate) fn stop_changes(&self) -> usize {
        let calls = lock(&self.calls);
        let changes = calls.values().filter(|(change, _)| *change == Change::Possible);
        changes.inspect(|(_, cancel)| cancel.cancel()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_plan::Outside;

    #[test]
    fn planning_stops_what_could_change_something_and_nothing_else() {
        let running = Running::default();
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
            let cancel = running.add(call.clone(), Change::of(&action, &cage));
            assert_eq!(running.stop_changes(), usize::from(is_stopped), "{number}");
            assert_eq!(cancel.is_cancelled(), is_stopped, "{number}");
            running.remove(&call);
        }
    }
}
