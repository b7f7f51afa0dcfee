//! A hook that is a program: started in the cage of its permit, with the JSON on its standard input and a bound on everything.

use super::not_started;
use crate::session::{caller::CallerContext, running::MayChange, session_context::SessionContext};
use fore_hooks::{ConfiguredHook, Hook, HookEnding, HookReply, HookRunner, HookStanding};
use fore_plan::{
    Cage,
    gate::{Action, Presented},
    plan::Hash,
};
use fore_sandbox::{
    Cages, Canceller, Ending, GitReading, Job, JobCommand, RunLimits, RunOutcome, Status,
    environment::{Environment, EnvironmentPurpose, of_this_process},
    small_file::{LinkPolicy, read},
};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Bytes of output that are kept, of each stream.
const MAX_OUTPUT_BYTES: usize = 64 << 10;
/// The largest file of the project that can be part of a hook.
const MAX_SCRIPT_BYTES: u64 = 16 << 20;
/// How a hook learns where the project is.
const PROJECT_VARIABLES: [&str; 2] = ["CLAUDE_PROJECT_DIR", "FORETHOUGHT_PROJECT_DIR"];

/// What is started; none for an address.
fn command(runner: &HookRunner) -> Option<JobCommand> {
    match runner {
        HookRunner::Shell { command } => Some(JobCommand::Script(command.clone())),
        HookRunner::Program { command, args } => {
            Some(JobCommand::Program(std::iter::once(command).chain(args).map(OsString::from).collect()))
        }
        HookRunner::Http { .. } => None,
    }
}

/// The hash of a file of the project that a hook names; none where there is no such file.
pub fn hash_of_hook_file(path: &Path) -> Option<Hash> {
    read(path, LinkPolicy::Followed, MAX_SCRIPT_BYTES).map(|bytes| Hash::of(&bytes))
}

/// What of these paths hooks may really write. Nothing of the project or of our own folder: while planning nothing in them changes.
pub fn writable_for_hooks(named: &[PathBuf], project: &Path, own_folder: &Path) -> Vec<PathBuf> {
    let is_apart = |path: &PathBuf| {
        let touches = |other: &Path| path.starts_with(other) || other.starts_with(path);
        !touches(project) && !touches(own_folder)
    };
    named.iter().filter_map(|path| path.canonicalize().ok()).filter(is_apart).collect()
}

/// What the gate is asked before a hook runs.
pub fn hook_action(hook: &Hook, may_write: &[PathBuf]) -> Action {
    let command = command(&hook.runner).map_or_else(|| hook.runner.text(), |command| command.text());
    Action::Hook { command, may_write: may_write.iter().map(|path| path.display().to_string()).collect() }
}

/// Why it is not what the person trusted any more; it is looked at each time, because the project changes under a session.
fn changed(hook: &ConfiguredHook, project: &Path) -> Option<String> {
    if hook.hook.names_too_much(project) {
        return Some(
            "its command names more files of the project than anybody could vouch for; put it into one script"
                .to_owned(),
        );
    }
    let is_same = match hook.standing {
        HookStanding::Own => !hook.hook.needs_vouch(project, &hash_of_hook_file),
        HookStanding::Vouched => hook.hook.content(project, &hash_of_hook_file) == hook.content,
        HookStanding::Unknown | HookStanding::Changed(_) => false,
    };
    let why = "it is not what you trusted; look at it with `fore hooks list`, then `fore hooks trust`";
    (!is_same).then(|| why.to_owned())
}

/// A hook that is about to be started.
#[derive(Debug)]
pub struct HookProcess<'a> {
    /// Builds its sandbox.
    pub cages: &'a Cages,
    /// Where it runs.
    pub project: &'a Path,
    /// The hook.
    pub hook: &'a ConfiguredHook,
    /// What it may write although it is held to reading.
    pub may_write: &'a [PathBuf],
    /// Ends it.
    pub cancel: Canceller,
}

impl HookProcess<'_> {
    /// Starts it and waits for its end. Not what was trusted: it is not started.
    pub fn run(self, permit: Presented, input: String) -> HookReply {
        if let Some(why) = changed(self.hook, self.project) {
            return not_started(why);
        }
        let Some(command) = command(&self.hook.hook.runner) else { return not_started("it is not a command") };
        let is_held = permit.cage().outside().is_some();
        let purpose = match permit.cage() {
            Cage::ReadOnly { .. } => EnvironmentPurpose::Reading(GitReading::default()),
            Cage::Rehearsal | Cage::Workspace { .. } | Cage::Free => EnvironmentPurpose::Working,
        };
        let mut variables = of_this_process(self.project, &purpose);
        variables.extend(PROJECT_VARIABLES.map(|name| (OsString::from(name), OsString::from(self.project))));
        let mut job = Job {
            environment: Environment::Exactly(variables),
            extra_writable: if is_held { self.may_write.to_vec() } else { Vec::new() },
            stdin: input.into_bytes(),
            limits: RunLimits { time: self.hook.hook.timeout, output_bytes: MAX_OUTPUT_BYTES, ..RunLimits::default() },
            cancel: self.cancel,
            ..Job::new(command, self.project)
        };
        match self.cages.run(permit, &mut job) {
            Ok(outcome) => reply(&outcome),
            Err(error) => not_started(error.to_string()),
        }
    }
}

impl SessionContext {
    /// Starts it and waits for its end. An interrupt ends it, and so does the beginning of planning, unless it can only read.
    pub(super) async fn run_program(
        self: &Arc<Self>,
        caller: &CallerContext,
        hook: &ConfiguredHook,
        permit: Presented,
        input: String,
    ) -> HookReply {
        let call = self.work.next_hook();
        let change = MayChange::of(permit.action(), permit.cage(), permit.plan_file());
        let cancel = self.work.running.add(call.clone(), change);
        if caller.cancel.is_cancelled() {
            cancel.cancel();
        }
        let (context, hook) = (Arc::clone(self), hook.clone());
        let start = move || {
            let may_write = context.writable_for_hooks();
            let (cages, project) = (&context.setup.cages, context.setup.project.as_path());
            let process = HookProcess { cages, project, hook: &hook, may_write: &may_write, cancel: cancel.cage() };
            process.run(permit, input)
        };
        let run = tokio::task::spawn_blocking(start).await;
        self.work.running.remove(&call);
        run.unwrap_or_else(|_| not_started("it could not be run"))
    }
}

fn reply(outcome: &RunOutcome) -> HookReply {
    let killed = |why: &str| HookEnding::Killed(why.to_owned());
    let ending = match outcome.ending {
        Ending::Itself => match outcome.status {
            Status::Exited(code) => HookEnding::Exited(code),
            Status::Signalled(signal) => HookEnding::Killed(format!("it was ended by signal {signal}")),
        },
        Ending::Time => HookEnding::TimedOut,
        Ending::Memory => killed("it took too much memory"),
        Ending::Processes => killed("it started too many processes"),
        Ending::TempSpace => killed("its temp files took too much room"),
        Ending::Cancelled => killed("it was interrupted, or planning began"),
        Ending::SecretAppeared => killed("it was stopped, because a secret came to where it could see it"),
        Ending::Planting => killed("it was stopped, because it made files that others take orders from"),
    };
    HookReply { ending, stdout: outcome.stdout.text(), stderr: outcome.stderr.text() }
}
