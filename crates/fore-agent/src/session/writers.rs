//! Calls that may change something and are under way: when planning begins they are stopped, and the proof that nothing
//! changed begins after the last of them.

use crate::cancel::Cancel;
use fore_plan::{Cage, gate::Action};
use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// How long the last of them is waited for; the cages end a stopped command sooner.
const MOST_WAIT: Duration = Duration::from_secs(40);

/// The calls that may change something now. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writers {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    running: Mutex<Vec<Running>>,
    ended: Condvar,
}

#[derive(Debug)]
struct Running {
    call: String,
    cancel: Cancel,
}

/// A place among the writers, kept as long as the call runs.
#[derive(Debug)]
pub(crate) struct Place {
    writers: Option<(Writers, String)>,
    pub(crate) cancel: Cancel,
}

impl Writers {
    /// Takes a place before the last look at the mode: whoever begins to plan after that look finds the call here.
    pub(crate) fn enter(&self, call: &str, action: &Action, cage: Cage, turn: &Cancel) -> Place {
        let may_write = match (action, cage) {
            (Action::Run { .. }, Cage::Workspace { .. } | Cage::Free) => true,
            (Action::Run { .. }, Cage::ReadOnly { .. } | Cage::Rehearsal) => false,
            (Action::Edit { .. } | Action::EditNotebook { .. } | Action::Delete { .. } | Action::Move { .. }, _) => {
                true
            }
            _ => false,
        };
        if !may_write {
            return Place { writers: None, cancel: turn.clone() };
        }
        let cancel = turn.child();
        self.lock().push(Running { call: call.to_owned(), cancel: cancel.clone() });
        Place { writers: Some((self.clone(), call.to_owned())), cancel }
    }

    /// Tells all of them to stop; gives how many there were.
    pub(crate) fn stop(&self) -> usize {
        let running = self.lock();
        running.iter().for_each(|running| running.cancel.cancel());
        running.len()
    }

    /// Waits until those that were told to stop have ended. Later ones are not waited for: they were judged anew.
    pub(crate) fn wait_for_stopped(&self) {
        let is_stopping = |running: &mut Vec<Running>| running.iter().any(|running| running.cancel.is_cancelled());
        let waited = self.shared.ended.wait_timeout_while(self.lock(), MOST_WAIT, is_stopping);
        drop(waited);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Running>> {
        self.shared.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some((writers, call)) = self.writers.take() {
            writers.lock().retain(|running| running.call != call);
            writers.shared.ended.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(cage: Cage, writers: &Writers, turn: &Cancel) -> Place {
        let action = Action::Run { command: "make".into(), cwd: "/projects/shop".into(), rehearse: false };
        writers.enter("call-1", &action, cage, turn)
    }

    #[test]
    fn those_that_may_write_are_stopped_alone_and_the_turn_goes_on() {
        let (writers, turn) = (Writers::default(), Cancel::default());
        let free = run(Cage::Free, &writers, &turn);
        assert_eq!(writers.stop(), 1);
        assert!(free.cancel.is_cancelled() && !turn.is_cancelled());
        drop(free);
        writers.wait_for_stopped();
        assert_eq!(writers.stop(), 0);
    }

    #[test]
    fn a_rehearsal_is_left_alone_and_an_interrupt_reaches_all() {
        let (writers, turn) = (Writers::default(), Cancel::default());
        let (rehearsal, free) = (run(Cage::Rehearsal, &writers, &turn), run(Cage::Free, &writers, &turn));
        turn.cancel();
        assert!(rehearsal.cancel.is_cancelled() && free.cancel.is_cancelled());
        let late = run(Cage::Free, &writers, &turn);
        assert!(late.cancel.is_cancelled());
    }
}
