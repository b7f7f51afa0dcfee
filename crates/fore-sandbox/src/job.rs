//! One run: what is asked for, and what came of it. Data only.

use crate::capture::{CapturedOutput, OutputListener, OutputStreams};
use crate::environment::{Environment, Variables};
use crate::git::GitReading;
use crate::network::Connection;
use crate::orders::SettledPlants;
use crate::protection::Protection;
use crate::report::RehearsalReport;
use crate::secrets::SessionFiles;
use crate::sys;
use fore_plan::gate::{Action, Presented};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobCommand {
    /// A program and its arguments, without a shell.
    Program(Vec<OsString>),
    /// A text for bash, run by exactly the shell that the judge has analysed.
    Script(String),
}

impl JobCommand {
    /// The command as one text, which is what a permit is for: each word of a program in quotes, a script as it is.
    pub fn text(&self) -> String {
        match self {
            JobCommand::Script(text) => text.clone(),
            JobCommand::Program(argv) => {
                let quoted = |word: &OsString| format!("'{}'", word.to_string_lossy().replace('\'', r"'\''"));
                argv.iter().map(quoted).collect::<Vec<_>>().join(" ")
            }
        }
    }

    pub(crate) fn argv(&self) -> Vec<OsString> {
        match self {
            JobCommand::Program(argv) => argv.clone(),
            JobCommand::Script(text) => ["bash", "--noprofile", "--norc", "-c", text].map(OsString::from).to_vec(),
        }
    }
}

/// One run in a cage. Start from [`Job::new`] and set what differs.
pub struct Job<'a> {
    /// What runs.
    pub command: JobCommand,
    /// The folder to start in; absolute.
    pub cwd: PathBuf,
    /// The project: what a rehearsal covers and what a workspace cage leaves writable.
    pub workspace: PathBuf,
    /// More paths that a read-only or workspace cage leaves writable; only for commands that the person typed.
    pub extra_writable: Vec<PathBuf>,
    /// What of our own folder the command may read.
    pub session: SessionFiles,
    /// With which variables.
    pub environment: Environment,
    /// Variables of the person's settings, besides the cleaned environment. Where nothing may be kept, those that steer
    /// programs or look like secrets are left out; see `environment.rs`.
    pub variables: Variables,
    /// How git is set up while only reading; see [`crate::git::GitProbe::reading`].
    pub git: GitReading,
    /// What the command reads; empty means nothing.
    pub stdin: Vec<u8>,
    /// Where it says what goes wrong.
    pub streams: OutputStreams,
    /// How much of everything it may take.
    pub limits: RunLimits,
    /// Add unified diffs to a rehearsal's report.
    pub diff: bool,
    /// Say in [`RunOutcome::folder`] where a script's shell stood when it ended.
    pub report_folder: bool,
    /// Ends it from another thread.
    pub cancel: Canceller,
    /// Sees all output as it comes, also what is not kept.
    pub on_output: Option<OutputListener<'a>>,
}

impl<'a> Job<'a> {
    /// A job with the cleaned environment of this process and the usual limits.
    pub fn new(command: JobCommand, workspace: &Path) -> Job<'a> {
        Job {
            command,
            cwd: workspace.to_owned(),
            workspace: workspace.to_owned(),
            extra_writable: Vec::new(),
            session: SessionFiles::default(),
            environment: Environment::Cleaned,
            variables: Variables::new(),
            git: GitReading::default(),
            stdin: Vec::new(),
            streams: OutputStreams::default(),
            limits: RunLimits::default(),
            diff: false,
            report_folder: false,
            cancel: Canceller::default(),
            on_output: None,
        }
    }

    /// The same job with somebody else who sees its output.
    pub(crate) fn heard_by<'b>(self, on_output: Option<OutputListener<'b>>) -> Job<'b> {
        Job {
            command: self.command,
            cwd: self.cwd,
            workspace: self.workspace,
            extra_writable: self.extra_writable,
            session: self.session,
            environment: self.environment,
            variables: self.variables,
            git: self.git,
            stdin: self.stdin,
            streams: self.streams,
            limits: self.limits,
            diff: self.diff,
            report_folder: self.report_folder,
            cancel: self.cancel,
            on_output,
        }
    }

    /// What a permit is for: its command, in its folder. None if it is for something else than a command.
    pub fn of(permit: &Presented, workspace: &Path) -> Option<Job<'a>> {
        let Action::Run { command, cwd, .. } = permit.action() else { return None };
        Some(Job { cwd: PathBuf::from(cwd), ..Job::new(JobCommand::Script(command.clone()), workspace) })
    }
}

impl fmt::Debug for Job<'_> {
    // The environment and the input may hold what does not belong in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").field("command", &self.command).field("cwd", &self.cwd).finish_non_exhaustive()
    }
}

/// Bounds of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// How long it may run.
    pub time: Duration,
    /// Bytes kept of each output stream, half from the start and half from the end.
    pub output_bytes: usize,
    /// Processes at the same time.
    pub processes: u64,
    /// Memory of all processes together, as far as it is their own; and of each by itself.
    pub memory_bytes: u64,
    /// Of one file that it writes.
    pub file_bytes: u64,
    /// Of one process.
    pub open_files: u64,
    /// What temp files and a rehearsal's layer may take, in memory.
    pub layer_bytes: u64,
}

/// What set-up programs expect that nobody has asked anything yet.
pub(crate) const LAYER_BYTES: u64 = 4 << 30;

impl Default for RunLimits {
    fn default() -> RunLimits {
        RunLimits {
            time: Duration::from_secs(120),
            output_bytes: 256 << 10,
            processes: 1024,
            memory_bytes: 8 << 30,
            file_bytes: 4 << 30,
            open_files: 4096,
            layer_bytes: LAYER_BYTES,
        }
    }
}

/// Ends a run from another thread, with everything that was started in it.
#[derive(Clone, Debug, Default)]
pub struct Canceller {
    /// `None` when the kernel had no descriptor left; such a run cannot be cancelled, only time out.
    event: Arc<LazyEvent>,
}

#[derive(Debug)]
struct LazyEvent(Option<OwnedFd>);

impl Default for LazyEvent {
    fn default() -> LazyEvent {
        LazyEvent(sys::eventfd().ok())
    }
}

impl Canceller {
    /// Ends the run, now or as soon as it begins.
    pub fn cancel(&self) {
        if let Some(event) = &self.event.0 {
            sys::ring(event);
        }
    }

    pub(crate) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.event.0.as_ref().map(|event| event.as_fd())
    }
}

/// How the command itself ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
}

impl Status {
    pub(crate) fn from_wait(status: i32) -> Status {
        if libc::WIFEXITED(status) {
            Status::Exited(libc::WEXITSTATUS(status))
        } else {
            Status::Signalled(libc::WTERMSIG(status))
        }
    }

    /// Whether it says that all went well.
    pub fn success(self) -> bool {
        self == Status::Exited(0)
    }

    /// As a shell would put it: 128 and more for signals.
    pub fn code(self) -> i32 {
        match self {
            Status::Exited(code) => code,
            Status::Signalled(signal) => 128 + signal,
        }
    }
}

/// Who ended the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// The command, by itself.
    Itself,
    /// Its time was over.
    Time,
    /// It took more memory than allowed.
    Memory,
    /// It started more processes than allowed.
    Processes,
    /// It wrote more temp files than allowed.
    TempSpace,
    /// Somebody called [`Canceller::cancel`].
    Cancelled,
    /// A secret came to where it could see it; [`RunOutcome::appeared`] names it. What it printed since is withheld.
    SecretAppeared,
    /// It went on making what others take orders from, each time that was put aside; or that could not be put aside.
    Planting,
}

/// What came of a run.
#[derive(Debug)]
pub struct RunOutcome {
    /// How the command ended.
    pub status: Status,
    /// Who ended it.
    pub ending: Ending,
    /// What it printed, as far as it was kept.
    pub stdout: CapturedOutput,
    /// The same of its errors.
    pub stderr: CapturedOutput,
    /// From the start of the set-up to the end.
    pub duration: Duration,
    /// What the cage seems to have refused, as told by the command's own words.
    pub blocked: Vec<&'static str>,
    /// In a rehearsal: what would have changed.
    pub would_change: Option<RehearsalReport>,
    /// Processes that an uncaged command has left running. They end with the session, or with [`crate::Cages::end_left_behind`].
    pub left_running: u64,
    /// In a workspace cage: what the command made where others take orders from. It has another name now, with `.planted-` in it.
    pub put_aside: Vec<PathBuf>,
    /// The same where no other name could be given: it is gone.
    pub removed: Vec<PathBuf>,
    /// The same where nothing helped: it is still there, and others obey it.
    pub left_planted: Vec<PathBuf>,
    /// Where the shell stood when it ended, as the kernel told; `None` when it was not asked, was killed, became another
    /// program or set an exit trap of its own. As seen from inside the cage: outside it may not exist.
    pub folder: Option<PathBuf>,
    /// A secret that came to be while the command ran, so that its sandbox did not hide it.
    pub appeared: Option<PathBuf>,
    /// Paths that it seems to have missed because the sandbox shows only parts of the places where people keep their things.
    pub not_shown: Vec<PathBuf>,
    /// Whom it wanted to talk to through the proxy, with what became of it.
    pub connections: Vec<Connection>,
    /// Layer by layer, what held it.
    pub protections: Vec<Protection>,
}

impl RunOutcome {
    /// Takes in what became of what it planted.
    pub(crate) fn take(&mut self, settled: SettledPlants) {
        let SettledPlants { put_aside, removed, left } = settled;
        self.blocked.extend((!put_aside.is_empty()).then_some(PLANTED));
        (self.put_aside, self.removed, self.left_planted) = (put_aside, removed, left);
    }

    /// Whether its time was over.
    pub fn timed_out(&self) -> bool {
        self.ending == Ending::Time
    }
}

/// Said when a protected path that had not been there was made.
const PLANTED: &str = "a file that other programs would obey later, outside; it was given another name";

/// Said when a command could not reach somebody.
pub(crate) const NETWORK: &str = "the network";
/// The same where the approved hosts can be reached, but only through the proxy.
pub(crate) const PAST_THE_PROXY: &str =
    "the network: only the approved hosts can be reached, and only by programs that use the proxy in https_proxy";

/// Guesses from a command's complaints what the cage refused: words of other programs, which there is no other way to learn
/// from. A hint for people, never a decision.
pub(crate) fn blocked(complaints: &CapturedOutput, status: Status) -> Vec<&'static str> {
    const WORDS: [(&str, &str); 7] = [
        ("Read-only file system", "a write to the read-only disk"),
        ("Permission denied", "a path that is hidden or not writable in this sandbox"),
        ("Operation not permitted", "a system call that this sandbox refuses"),
        ("Network is unreachable", NETWORK),
        ("Could not resolve host", NETWORK),
        ("Temporary failure in name resolution", NETWORK),
        ("No space left on device", "more temp or layer space than this sandbox has"),
    ];
    let text = complaints.text();
    let mut found: Vec<&'static str> =
        WORDS.iter().filter(|(words, _)| text.contains(words)).map(|(_, meaning)| *meaning).collect();
    if status == Status::Signalled(libc::SIGSYS) {
        found.push("a system call of another architecture");
    }
    if status == Status::Signalled(libc::SIGXFSZ) {
        found.push("a file larger than this sandbox allows");
    }
    found.dedup();
    found
}
