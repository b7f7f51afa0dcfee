//! The workspace between two commands of the work on a plan: what each of them changed, and what nobody here did.
//!
//! One look after each command that may change something; times of the kernel tell what happened before it began. What is changed
//! while a command runs in the background, and by nothing else, is that command's.

use super::{session_context::SessionContext, work_contents::WorkContents};
use crate::{cancel::Cancel, lock::lock, proof::WorkspaceSnapshot};
use fore_plan::SinceApproval;
use std::{
    collections::BTreeSet,
    sync::Mutex,
    time::{SystemTime, UNIX_EPOCH},
};

/// Paths of one command that are written down; more are counted.
const MAX_PATHS: usize = 1_000;

/// The kernel stamps files by a clock that moves in steps of up to so much.
const CLOCK_STEP_NS: i64 = 20_000_000;

/// Paths that were changed, the first of them, and how many more there are.
pub(crate) type ChangedPaths = (Vec<String>, u32);

/// What is known of the workspace since work began.
#[derive(Debug, Default)]
pub(crate) struct WorkWatch(Mutex<WatchState>);

#[derive(Debug, Default)]
struct WatchState {
    last: Option<WorkspaceSnapshot>,
    contents: WorkContents,
    /// What tools wrote since then.
    edited: BTreeSet<String>,
    /// Commands that run in the background, the oldest first.
    background: Vec<BackgroundWork>,
}

/// A command in the background, and what was seen to be its doing.
#[derive(Debug)]
struct BackgroundWork {
    run: String,
    changed: BTreeSet<String>,
}

/// A command that runs.
#[derive(Debug)]
pub(crate) struct WatchedRun {
    began_ns: i64,
}

/// What had changed when a command ended.
#[derive(Debug, Default)]
pub(crate) struct TouchedFiles {
    /// Before it began, and by no tool.
    pub(crate) before: ChangedPaths,
    /// Since it began.
    pub(crate) during: ChangedPaths,
    /// Those of them in which nothing but white space changed.
    pub(crate) white_space: Vec<String>,
}

impl WorkWatch {
    /// A call that may change files begins. Call it where blocking is allowed.
    pub(crate) fn begin(&self, context: &SessionContext) -> WatchedRun {
        self.start(context);
        WatchedRun { began_ns: now_ns().saturating_sub(CLOCK_STEP_NS) }
    }

    /// Remembers the workspace and what its files hold, once for each plan. Call it where blocking is allowed.
    pub(crate) fn start(&self, context: &SessionContext) {
        let mut state = lock(&self.0);
        if state.last.is_none() {
            let now = take(context, &Cancel::default());
            state.contents = WorkContents::take(context, &now);
            state.last = Some(now);
            state.edited.clear();
        }
    }

    /// It has ended; `background`: under which name it ran on.
    pub(crate) fn end(&self, context: &SessionContext, run: WatchedRun, background: Option<&str>) -> TouchedFiles {
        let mut state = lock(&self.0);
        let own = background.map(|run| state.take_background(run)).unwrap_or_default();
        let (before, during) = state.differences(take(context, &Cancel::default()), run.began_ns);
        // What others did while a command runs in the background is taken for that command's.
        let before = state.leave_to_background(before);
        let during: BTreeSet<String> = during.into_iter().chain(own).collect();
        let during = bounded(during.into_iter().collect());
        let white_space = state.contents.only_white_space(context, &during.0);
        TouchedFiles { before: bounded(before), during, white_space }
    }

    /// A command goes on under this name.
    pub(crate) fn runs_on(&self, run: &str) {
        lock(&self.0).background.push(BackgroundWork { run: run.to_owned(), changed: BTreeSet::new() });
    }

    /// A tool wrote this file.
    pub(crate) fn edited(&self, context: &SessionContext, path: &str) {
        let mut state = lock(&self.0);
        state.edited.insert(path.to_owned());
        state.contents.note(context, path);
    }

    /// What was changed since the last look, by no tool and no command.
    pub(crate) fn look(&self, context: &SessionContext, cancel: &Cancel) -> ChangedPaths {
        self.start(context);
        let mut state = lock(&self.0);
        let (before, during) = state.differences(take(context, cancel), i64::MIN);
        let paths = state.leave_to_background([before, during].concat());
        bounded(paths)
    }

    /// A file against what it was when work began.
    pub(crate) fn since(&self, context: &SessionContext, path: &str) -> SinceApproval {
        lock(&self.0).contents.since(context, path)
    }

    /// Another plan begins.
    pub(crate) fn forget(&self) {
        *lock(&self.0) = WatchState::default();
    }
}

impl WatchState {
    /// What tools did not write: before a time, and since then.
    fn differences(&mut self, now: WorkspaceSnapshot, since_ns: i64) -> (Vec<String>, Vec<String>) {
        let touched = self.last.as_ref().map(|last| last.touched_since(&now, since_ns)).unwrap_or_default();
        let edited = std::mem::take(&mut self.edited);
        self.last = Some(match &self.last {
            Some(last) => now.with_what_was_known(last),
            None => now,
        });
        let ours = touched.into_iter().filter(|(path, _)| !edited.contains(path));
        let (during, before): (Vec<_>, Vec<_>) = ours.partition(|(_, is_during)| *is_during);
        let paths = |touched: Vec<(String, bool)>| touched.into_iter().map(|(path, _)| path).collect();
        (paths(before), paths(during))
    }

    /// Gives changes to the command that has run in the background for longest; what is left is nobody's.
    fn leave_to_background(&mut self, paths: Vec<String>) -> Vec<String> {
        let Some(oldest) = self.background.first_mut() else { return paths };
        oldest.changed.extend(paths);
        Vec::new()
    }

    fn take_background(&mut self, run: &str) -> BTreeSet<String> {
        let at = self.background.iter().position(|known| known.run == run);
        at.map(|at| self.background.remove(at).changed).unwrap_or_default()
    }
}

fn take(context: &SessionContext, cancel: &Cancel) -> WorkspaceSnapshot {
    WorkspaceSnapshot::take(&context.setup.opener(&context.ledger.state()), &context.setup.project, cancel)
}

fn bounded(mut paths: Vec<String>) -> ChangedPaths {
    let more = u32::try_from(paths.len().saturating_sub(MAX_PATHS)).unwrap_or(u32::MAX);
    paths.truncate(MAX_PATHS);
    (paths, more)
}

fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
