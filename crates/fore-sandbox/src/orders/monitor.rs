//! Looks after a workspace for as long as a command runs in it, and once more when everybody in its cage is dead.

use super::aside::{self, SettledPlants};
use super::runs::{ActiveRun, OtherRuns};
use super::{Orders, OrdersSnapshot};
use crate::error::CageError;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Between two looks, and how little of the time they may take; where the kernel does not tell of changes, a look is a walk.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
const WALK_INTERVAL: Duration = Duration::from_secs(1);
const CHECK_SHARE: u32 = 20;
/// How long to wait for the kernel's word, should somebody else have heard it.
const MAX_KERNEL_WAIT: Duration = Duration::from_secs(1);
/// A clone or a generator makes a folder first and fills it then, and git an empty file: what is not finished is left alone for so
/// long. At the end of the run it is put aside all the same.
const UNFINISHED: Duration = Duration::from_secs(5);
/// Git needs it again and again while it brings modules along, and obeys no program in it.
const AT_THE_END: &str = ".gitmodules";
/// How often something may come back that was put aside before the command is ended: it means to.
const MAX_TIMES: usize = 32;
/// Names that give orders and come in one run; what brings more along is ended, too.
const MAX_SEEN: usize = 10_000;

/// When a workspace is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckTime {
    Before,
    /// Nothing is changed under the feet of the command, but for what it plants.
    During,
    /// Also what the command closed is looked into.
    After,
}

/// What is to become of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckResult {
    GoesOn,
    Ends,
}

pub(crate) struct WorkspaceMonitor<'a> {
    orders: &'a Orders,
    run: &'a ActiveRun,
    snapshot: &'a dyn Fn(CheckTime) -> Result<OrdersSnapshot, CageError>,
    settled: SettledPlants,
    /// What gives orders and has come, be it still there or not.
    seen: BTreeMap<PathBuf, SeenPlant>,
    /// Whether some of it may not be finished.
    waits: bool,
    times: usize,
    /// How much was heard of changes when this was last looked at.
    change_count: Option<u64>,
    is_behind: bool,
    checked_at: Option<Instant>,
    took: Duration,
}

#[derive(Clone, Copy, Debug)]
struct SeenPlant {
    /// Since it came for the first time: who makes something twice has finished it.
    since: Instant,
    was_put_aside: bool,
}

impl<'a> WorkspaceMonitor<'a> {
    /// `heard`: how much was heard of changes before the command started; none where they are not told.
    pub(crate) fn new(
        (orders, run): (&'a Orders, &'a ActiveRun),
        snapshot: &'a dyn Fn(CheckTime) -> Result<OrdersSnapshot, CageError>,
        change_count: Option<u64>,
    ) -> WorkspaceMonitor<'a> {
        WorkspaceMonitor {
            orders,
            run,
            snapshot,
            settled: SettledPlants::default(),
            seen: BTreeMap::new(),
            waits: false,
            times: 0,
            change_count,
            // Who came before may have planted something.
            is_behind: !run.is_first(),
            checked_at: None,
            took: Duration::ZERO,
        }
    }

    /// When to call [`WorkspaceMonitor::attend`] again, if nothing is heard before.
    pub(crate) fn due_in(&self) -> Duration {
        if self.is_behind || self.waits { self.pause() } else { MAX_KERNEL_WAIT }
    }

    /// Puts aside what was planted while the command runs.
    pub(crate) fn check(&mut self, heard: Option<u64>) -> CheckResult {
        self.is_behind |= heard.is_none() || heard != self.change_count;
        if !(self.is_behind || self.waits) || !self.pause().is_zero() {
            return CheckResult::GoesOn;
        }
        (self.change_count, self.is_behind) = (heard, false);
        self.put_aside_what_is_finished()
    }

    fn pause(&self) -> Duration {
        let between = if self.change_count.is_some() { CHECK_INTERVAL } else { WALK_INTERVAL };
        let rest = between.max(self.took.saturating_mul(CHECK_SHARE));
        self.checked_at.map_or(Duration::ZERO, |looked| rest.saturating_sub(looked.elapsed()))
    }

    fn put_aside_what_is_finished(&mut self) -> CheckResult {
        let start = Instant::now();
        let found = (self.snapshot)(CheckTime::During).map(|now| now.planted(&self.orders.before));
        // Where nobody can look any more nobody goes on writing.
        let Ok(planted) = found else { return CheckResult::Ends };
        self.waits = false;
        self.settled.left.clear();
        for path in planted {
            let seen = self.seen.entry(path.clone()).or_insert(SeenPlant { since: start, was_put_aside: false });
            if path.file_name().is_some_and(|name| name == AT_THE_END) {
                continue;
            }
            if !self.orders.before.is_in_git(&path) && start.duration_since(seen.since) < UNFINISHED {
                self.waits = true;
                continue;
            }
            self.times += usize::from(std::mem::replace(&mut seen.was_put_aside, true));
            if !self.settled.take(&path) {
                self.settled.left.push(path);
            }
        }
        (self.checked_at, self.took) = (Some(Instant::now()), start.elapsed());
        let is_bounded = self.times <= MAX_TIMES && self.seen.len() <= MAX_SEEN;
        if is_bounded && self.settled.left.is_empty() { CheckResult::GoesOn } else { CheckResult::Ends }
    }

    /// When everybody in the cage is dead: puts aside the rest, and says what was put aside in all.
    pub(crate) fn settle(mut self) -> SettledPlants {
        match self.run.leave() {
            // What is not finished may be theirs, and they look after it.
            OtherRuns::Some => {
                let _ = self.put_aside_what_is_finished();
            }
            OtherRuns::None => {
                let rest = aside::settle(self.orders, || (self.snapshot)(CheckTime::After));
                self.settled.put_aside.extend(rest.put_aside);
                self.settled.removed.extend(rest.removed);
                self.settled.left = rest.left;
            }
        }
        self.settled.in_order()
    }
}
