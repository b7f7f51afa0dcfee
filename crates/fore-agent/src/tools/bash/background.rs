//! Commands that run beside the conversation. They end with the session, whatever ends it, and leave nothing running.

use super::{
    MAX_OUTPUT_BYTES, command_spec::CommandSpec, end_report::CommandEnd, output_recorder::OutputRecorder, short,
};
use crate::{event::ShownCall, output::Output, tools::ToolContext};
use fore_plan::{Cage, gate::Presented};
use fore_sandbox::Canceller;
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// How long those that were stopped are waited for, and how often they are looked at.
const MAX_WAIT: Duration = Duration::from_secs(1);
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// Commands that run at the same time.
const MAX_RUNNING: usize = 8;
/// Commands that are remembered after they have ended.
const MAX_REMEMBERED: usize = 32;

/// The background commands of a session.
#[derive(Debug, Default)]
pub struct BackgroundRuns {
    runs: Mutex<RunList>,
}

#[derive(Debug, Default)]
struct RunList {
    list: Vec<BackgroundRun>,
    started: u32,
}

#[derive(Debug)]
struct BackgroundRun {
    id: String,
    command: String,
    cage: Cage,
    cancel: Canceller,
    life: Arc<Mutex<RunProgress>>,
    /// Taken by whoever waits for the end.
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct RunProgress {
    output: OutputRecorder,
    ended: Option<CommandEnd>,
}

/// One that was stopped, for the model and the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoppedRun {
    pub id: String,
    pub command: String,
}

/// What a look at one shows.
#[derive(Debug)]
pub(super) struct NewOutput {
    pub(super) text: String,
    pub(super) ended: Option<CommandEnd>,
}

impl BackgroundRuns {
    /// Starts a command on a thread of its own and returns at once.
    pub(super) fn start(&self, permit: Presented, order: CommandSpec, context: &ToolContext) -> Output {
        let mut runs = self.lock();
        let running = runs.list.iter().filter(|run| !run.has_ended()).count();
        if running >= MAX_RUNNING {
            return Output::error(format!(
                "{running} background commands run already, which is the most; stop one with BashOutput first: {}",
                names(&runs.list)
            ));
        }
        forget_oldest(&mut runs.list);
        runs.started += 1;
        let id = format!("bash-{}", runs.started);
        let recorder = OutputRecorder::new(MAX_OUTPUT_BYTES, context.outputs.clone());
        let life = Arc::new(Mutex::new(RunProgress { output: recorder, ended: None }));
        let cancel = Canceller::default();
        let run = BackgroundRun {
            id: id.clone(),
            command: fore_text::line(&short(order.command.lines().next().unwrap_or_default())).into_owned(),
            cage: order.cage.clone(),
            cancel: cancel.clone(),
            life: Arc::clone(&life),
            thread: None,
        };
        let cages = Arc::clone(&context.cages);
        let thread = std::thread::Builder::new().name(id.clone()).spawn(move || {
            let mut listener = |stream, bytes: &[u8]| drop(locked(&life).output.record(stream, bytes));
            let mut job = order.job(cancel);
            job.report_folder = false;
            job.on_output = Some(&mut listener);
            let result = cages.run(permit, job);
            let ended = CommandEnd::of(&result, &order);
            locked(&life).ended = Some(ended);
        });
        match thread {
            Ok(thread) => runs.list.push(BackgroundRun { thread: Some(thread), ..run }),
            Err(error) => return Output::error(format!("the command did not run: no thread for it ({error})")),
        }
        let told = format!("runs in the background as `{id}`; BashOutput shows what it prints and stops it");
        Output::text(told, ShownCall::line(format!("in the background as {id}")))
    }

    /// What is new of a command; none if there is no such one.
    pub(super) fn take_output(&self, id: &str) -> Option<NewOutput> {
        let life = self.lock().list.iter().find(|run| run.id == id).map(|run| Arc::clone(&run.life))?;
        let mut life = locked(&life);
        Some(NewOutput { text: life.output.take(), ended: life.ended.clone() })
    }

    /// Ends a command and waits, not for ever, until everything it started has ended.
    pub(super) fn stop(&self, id: &str) {
        self.stop_those(|run| run.id == id);
    }

    /// Ends all; for the end of a session.
    pub fn stop_all(&self) -> Vec<StoppedRun> {
        self.stop_those(|_| true)
    }

    /// Ends all that may change something; for the beginning of planning.
    pub fn stop_writers(&self) -> Vec<StoppedRun> {
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

    fn stop_those(&self, which: impl Fn(&BackgroundRun) -> bool) -> Vec<StoppedRun> {
        let mut waited_for: Vec<JoinHandle<()>> = Vec::new();
        let mut stopped = Vec::new();
        for run in self.lock().list.iter_mut().filter(|run| which(run)) {
            if !run.has_ended() {
                run.cancel.cancel();
                stopped.push(StoppedRun { id: run.id.clone(), command: run.command.clone() });
            }
            waited_for.extend(run.thread.take());
        }
        // All are told before any is waited for, and none is waited for without an end.
        let started = Instant::now();
        while waited_for.iter().any(|thread| !thread.is_finished()) && started.elapsed() < MAX_WAIT {
            std::thread::sleep(POLL_INTERVAL);
        }
        stopped
    }

    fn lock(&self) -> MutexGuard<'_, RunList> {
        locked(&self.runs)
    }
}

impl Drop for BackgroundRuns {
    fn drop(&mut self) {
        self.stop_all();
    }
}

impl BackgroundRun {
    fn has_ended(&self) -> bool {
        locked(&self.life).ended.is_some()
    }
}

fn names(list: &[BackgroundRun]) -> String {
    list.iter().map(|run| format!("{} (`{}`)", run.id, run.command)).collect::<Vec<_>>().join(", ")
}

fn forget_oldest(list: &mut Vec<BackgroundRun>) {
    while list.len() >= MAX_REMEMBERED {
        let Some(oldest) = list.iter().position(BackgroundRun::has_ended) else { return };
        list.remove(oldest);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
