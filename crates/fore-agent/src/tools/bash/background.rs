//! Commands that run beside the conversation. They end with the session, whatever ends it, and leave nothing running.

use super::{MAX_LINE_CHARS, MAX_OUTPUT_BYTES, end_report::CommandEnd, output_recorder::OutputRecorder};
use crate::{
    event::ShownCall,
    lock::lock,
    output::{CallFact, Output},
    tools::ToolContext,
};
use fore_plan::{Cage, gate::Presented};
use fore_sandbox::{Canceller, Job};
use fore_text::cut;
use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard},
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
pub(crate) struct BackgroundRuns {
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
    /// The whole of it, and where it runs.
    started: (String, PathBuf),
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
    on_end: OnEnd,
}

/// Who is told the exit code when it ends; none where it does not end by itself.
#[derive(Default)]
struct OnEnd(Option<Box<dyn FnOnce(Option<i32>) + Send>>);

impl fmt::Debug for OnEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OnEnd").field(&self.0.is_some()).finish()
    }
}

/// One that was stopped, for the model and the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoppedRun {
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
    pub(super) fn start(&self, permit: Presented, mut job: Job<'static>, context: &ToolContext) -> Output {
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
        let life = Arc::new(Mutex::new(RunProgress { output: recorder, ended: None, on_end: OnEnd(None) }));
        job.cancel = Canceller::default();
        job.report_folder = false;
        let (text, cage) = (job.command.text(), permit.cage().clone());
        let first = text.lines().next().unwrap_or_default();
        let run = BackgroundRun {
            id: id.clone(),
            command: fore_text::line(&cut::ellipsis(first, MAX_LINE_CHARS)).into_owned(),
            started: (text.to_string(), job.cwd.clone()),
            cage: cage.clone(),
            cancel: job.cancel.clone(),
            life: Arc::clone(&life),
            thread: None,
        };
        let cages = Arc::clone(&context.cages);
        let thread = std::thread::Builder::new().name(id.clone()).spawn(move || {
            let mut listener = |_stream, bytes: &[u8]| drop(lock(&life).output.record(bytes));
            let mut job = Job { on_output: Some(&mut listener), ..job };
            let result = cages.run(permit, &mut job);
            let ended = CommandEnd::of(&result, &job, &cage);
            let exit_code = exit_code(&ended);
            let on_end = {
                let mut life = lock(&life);
                life.ended = Some(ended);
                life.on_end.0.take()
            };
            if let Some(tell) = on_end {
                tell(exit_code);
            }
        });
        match thread {
            Ok(thread) => runs.list.push(BackgroundRun { thread: Some(thread), ..run }),
            Err(error) => return Output::error(format!("the command did not run: no thread for it ({error})")),
        }
        let told = format!("runs in the background as `{id}`; BashOutput shows what it prints and stops it");
        let shown = ShownCall::line(format!("in the background as {id}"));
        Output { fact: Some(CallFact::InBackground { run: id }), ..Output::text(told, shown) }
    }

    /// Tells the exit code of a command when it ends, or now if it has ended.
    pub(crate) fn when_ended(&self, id: &str, tell: impl FnOnce(Option<i32>) + Send + 'static) {
        let Some(life) = self.lock().list.iter().find(|run| run.id == id).map(|run| Arc::clone(&run.life)) else {
            return;
        };
        let mut life = lock(&life);
        match life.ended.as_ref().map(exit_code) {
            None => life.on_end = OnEnd(Some(Box::new(tell))),
            Some(exit_code) => {
                drop(life);
                tell(exit_code);
            }
        }
    }

    /// The commands that run now, whole, with their folders.
    pub(crate) fn running_now(&self) -> Vec<(String, PathBuf)> {
        self.lock().list.iter().filter(|run| !run.has_ended()).map(|run| run.started.clone()).collect()
    }

    /// What is new of a command; none if there is no such one.
    pub(super) fn take_output(&self, id: &str) -> Option<NewOutput> {
        let life = self.lock().list.iter().find(|run| run.id == id).map(|run| Arc::clone(&run.life))?;
        let mut life = lock(&life);
        Some(NewOutput { text: life.output.take(), ended: life.ended.clone() })
    }

    /// Ends a command and waits, not for ever, until everything it started has ended.
    pub(crate) fn stop(&self, id: &str) -> Vec<StoppedRun> {
        self.stop_those(|run| run.id == id)
    }

    /// Those that run now, for the person: `bash-1: npm run dev`.
    pub(crate) fn list(&self) -> Vec<String> {
        let runs = self.lock();
        let running = runs.list.iter().filter(|run| !run.has_ended());
        running.map(|run| format!("{}: {}", run.id, run.command)).collect()
    }

    /// Ends all; for the end of a session.
    pub(crate) fn stop_all(&self) -> Vec<StoppedRun> {
        self.stop_those(|_| true)
    }

    /// Ends all that may change something; for the beginning of planning.
    pub(crate) fn stop_writers(&self) -> Vec<StoppedRun> {
        self.stop_those(BackgroundRun::can_write)
    }

    /// Whether one runs that could write.
    pub(crate) fn has_writers(&self) -> bool {
        self.lock().list.iter().any(|run| run.can_write() && !run.has_ended())
    }

    /// How many run now.
    #[cfg(test)]
    pub(crate) fn running(&self) -> usize {
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
        lock(&self.runs)
    }
}

impl Drop for BackgroundRuns {
    fn drop(&mut self) {
        self.stop_all();
    }
}

impl BackgroundRun {
    fn can_write(&self) -> bool {
        match self.cage {
            Cage::ReadOnly { .. } | Cage::Rehearsal => false,
            Cage::Workspace { .. } | Cage::Free => true,
        }
    }

    fn has_ended(&self) -> bool {
        lock(&self.life).ended.is_some()
    }
}

fn exit_code(ended: &CommandEnd) -> Option<i32> {
    match ended.fact {
        Some(CallFact::Ran { exit_code }) => exit_code,
        Some(CallFact::Rehearsed(_) | CallFact::Edited { .. } | CallFact::InBackground { .. }) | None => None,
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
