//! Commands that run beside the conversation. They end with the session, whatever ends it, and leave nothing running.

use super::{MOST_OUTPUT_BYTES, hearing::Hearing, order::Order, short, words::Ended};
use crate::{event::Shown, output::Output, tools::Hands};
use fore_plan::{Cage, gate::Presented};
use fore_sandbox::Canceller;
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// How long those that were stopped are waited for, and how often they are looked at.
const MAX_WAIT: Duration = Duration::from_secs(1);
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);
/// Commands that run at the same time.
const MOST_RUNNING: usize = 8;
/// Commands that are remembered after they have ended.
const MOST_REMEMBERED: usize = 32;

/// The background commands of a session.
#[derive(Debug, Default)]
pub struct Background {
    runs: Mutex<Runs>,
}

#[derive(Debug, Default)]
struct Runs {
    list: Vec<Run>,
    started: u32,
}

#[derive(Debug)]
struct Run {
    id: String,
    command: String,
    cage: Cage,
    cancel: Canceller,
    life: Arc<Mutex<Life>>,
    /// Taken by whoever waits for the end.
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Life {
    hearing: Hearing,
    ended: Option<Ended>,
}

/// One that was stopped, for the model and the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    pub id: String,
    pub command: String,
}

/// What a look at one shows.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) text: String,
    pub(super) ended: Option<Ended>,
}

impl Background {
    /// Starts a command on a thread of its own and returns at once.
    pub(super) fn start(&self, permit: Presented, order: Order, hands: &Hands) -> Output {
        let mut runs = self.lock();
        let running = runs.list.iter().filter(|run| !run.has_ended()).count();
        if running >= MOST_RUNNING {
            return Output::error(format!(
                "{running} background commands run already, which is the most; stop one with BashOutput first: {}",
                names(&runs.list)
            ));
        }
        forget_oldest(&mut runs.list);
        runs.started += 1;
        let id = format!("bash-{}", runs.started);
        let hearing = Hearing::new(MOST_OUTPUT_BYTES, hands.outputs.clone());
        let life = Arc::new(Mutex::new(Life { hearing, ended: None }));
        let cancel = Canceller::default();
        let run = Run {
            id: id.clone(),
            command: fore_text::line(&short(order.command.lines().next().unwrap_or_default())).into_owned(),
            cage: order.cage.clone(),
            cancel: cancel.clone(),
            life: Arc::clone(&life),
            thread: None,
        };
        let cages = Arc::clone(&hands.cages);
        let thread = std::thread::Builder::new().name(id.clone()).spawn(move || {
            let mut listener = |stream, bytes: &[u8]| drop(locked(&life).hearing.hear(stream, bytes));
            let mut job = order.job(cancel);
            job.report_folder = false;
            job.on_output = Some(&mut listener);
            let result = cages.run(permit, job);
            let ended = Ended::of(&result, &order);
            locked(&life).ended = Some(ended);
        });
        match thread {
            Ok(thread) => runs.list.push(Run { thread: Some(thread), ..run }),
            Err(error) => return Output::error(format!("the command did not run: no thread for it ({error})")),
        }
        let told = format!("runs in the background as `{id}`; BashOutput shows what it prints and stops it");
        Output::text(told, Shown::line(format!("in the background as {id}")))
    }

    /// What is new of a command; none if there is no such one.
    pub(super) fn look(&self, id: &str) -> Option<Look> {
        let life = self.lock().list.iter().find(|run| run.id == id).map(|run| Arc::clone(&run.life))?;
        let mut life = locked(&life);
        Some(Look { text: life.hearing.take(), ended: life.ended.clone() })
    }

    /// Ends a command and waits, not for ever, until everything it started has ended.
    pub(super) fn stop(&self, id: &str) {
        self.stop_those(|run| run.id == id);
    }

    /// Ends all; for the end of a session.
    pub fn stop_all(&self) -> Vec<Stopped> {
        self.stop_those(|_| true)
    }

    /// Ends all that may change something; for the beginning of planning.
    pub fn stop_writers(&self) -> Vec<Stopped> {
        self.stop_those(|run| match run.cage {
            Cage::ReadOnly { .. } | Cage::Rehearsal => false,
            Cage::Workspace { .. } | Cage::Free => true,
        })
    }

    /// How many run now.
    pub fn running(&self) -> usize {
        self.lock().list.iter().filter(|run| !run.has_ended()).count()
    }

    /// Those that can be looked at, in words.
    pub(super) fn names(&self) -> String {
        let runs = self.lock();
        if runs.list.is_empty() { "none was started".to_owned() } else { format!("there are {}", names(&runs.list)) }
    }

    fn stop_those(&self, which: impl Fn(&Run) -> bool) -> Vec<Stopped> {
        let mut waited_for: Vec<JoinHandle<()>> = Vec::new();
        let mut stopped = Vec::new();
        for run in self.lock().list.iter_mut().filter(|run| which(run)) {
            if !run.has_ended() {
                run.cancel.cancel();
                stopped.push(Stopped { id: run.id.clone(), command: run.command.clone() });
            }
            waited_for.extend(run.thread.take());
        }
        // All are told before any is waited for, and none is waited for without an end.
        let started = Instant::now();
        while waited_for.iter().any(|thread| !thread.is_finished()) && started.elapsed() < MAX_WAIT {
            std::thread::sleep(BETWEEN_LOOKS);
        }
        stopped
    }

    fn lock(&self) -> MutexGuard<'_, Runs> {
        locked(&self.runs)
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.stop_all();
    }
}

impl Run {
    fn has_ended(&self) -> bool {
        locked(&self.life).ended.is_some()
    }
}

fn names(list: &[Run]) -> String {
    list.iter().map(|run| format!("{} (`{}`)", run.id, run.command)).collect::<Vec<_>>().join(", ")
}

fn forget_oldest(list: &mut Vec<Run>) {
    while list.len() >= MOST_REMEMBERED {
        let Some(oldest) = list.iter().position(Run::has_ended) else { return };
        list.remove(oldest);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
