//! What is to be run, taken from a permit: owned, so that it can go to another thread.

use crate::tools::ToolContext;
use fore_plan::{
    Cage,
    gate::{Action, Presented},
};
use fore_sandbox::git::GitReading;
use fore_sandbox::{Canceller, Job, JobCommand, RunLimits, SessionFiles};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

/// One command, where and how it runs.
#[derive(Clone, Debug)]
pub(super) struct CommandSpec {
    pub(super) command: String,
    pub(super) cwd: PathBuf,
    pub(super) project: PathBuf,
    pub(super) cage: Cage,
    pub(super) time: Duration,
    session: SessionFiles,
    pub(super) git: GitReading,
    variables: Vec<(OsString, OsString)>,
}

impl CommandSpec {
    /// What the permit is for; none if it is for something else than a command.
    pub(super) fn new(permit: &Presented, time: Duration, context: &ToolContext) -> Option<CommandSpec> {
        let Action::Run { command, cwd, .. } = permit.action() else { return None };
        let cwd = PathBuf::from(cwd);
        let cage = permit.cage().clone();
        // Elsewhere the repository's settings belong to the work.
        let git = match cage {
            Cage::ReadOnly { .. } => context.probe.reading(&cwd),
            // But nobody waits for a pipe among the configuration, and what it names is there.
            Cage::Rehearsal | Cage::Workspace { .. } => context.probe.reading(&cwd).of_work(),
            Cage::Free => GitReading::default(),
        };
        let variables = context.variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        Some(CommandSpec {
            command: command.clone(),
            cwd,
            project: context.project.clone(),
            cage,
            time,
            session: context.session.clone(),
            git,
            variables,
        })
    }

    pub(super) fn job<'a>(&self, cancel: Canceller) -> Job<'a> {
        Job {
            cwd: self.cwd.clone(),
            session: self.session.clone(),
            git: self.git.clone(),
            variables: self.variables.clone(),
            limits: RunLimits { time: self.time, output_bytes: HINT_BYTES, ..RunLimits::default() },
            cancel,
            report_folder: self.cage != Cage::Rehearsal,
            ..Job::new(JobCommand::Script(self.command.clone()), &self.project)
        }
    }
}

/// What the sandbox itself keeps of the output: enough for its hints about what was refused.
const HINT_BYTES: usize = 32 << 10;

/// Takes the working folder along to where a command went. Gives the line that says so.
pub(super) fn follow(order: &CommandSpec, ended: Option<&Path>, context: &ToolContext) -> Option<String> {
    let ended = ended?;
    // A call that named a folder of its own goes there and back.
    let stays = context.folder.get() != order.cwd || order.cwd.canonicalize().ok().as_deref() == Some(ended);
    if stays {
        return None;
    }
    let shown = ended.display();
    if !ended.is_dir() || ended.to_str().is_none() {
        let stays = order.cwd.display();
        return Some(format!(
            "{shown} is not there any more, or only inside the sandbox; the working folder stays {stays}"
        ));
    }
    context.folder.set(ended.to_path_buf());
    Some(format!("the working folder is now {shown}"))
}

/// Where the next command runs when the working folder has gone.
pub(super) fn recover(order: &CommandSpec, context: &ToolContext) -> Option<String> {
    if order.cwd.is_dir() || context.folder.get() != order.cwd {
        return None;
    }
    context.folder.set(context.project.clone());
    Some(format!(
        "the working folder {} is gone; the next command runs in {}",
        order.cwd.display(),
        context.project.display()
    ))
}
