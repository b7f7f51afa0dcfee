//! Looks after a workspace for as long as a command runs in it, and once more when everybody in its cage is dead.

use super::aside::{self, Settled};
use super::runs::{Others, UnderWay};
use super::{Orders, Snapshot};
use crate::error::CageError;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Between two looks, and how little of the time they may take; where the kernel does not tell of changes, a look is a walk.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
const BETWEEN_WALKS: Duration = Duration::from_secs(1);
const LOOK_SHARE: u32 = 20;
/// How long to wait for the kernel's word, should somebody else have heard it.
const PATIENCE: Duration = Duration::from_secs(1);
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
pub(crate) enum When {
    Before,
    /// Nothing is changed under the feet of the command, but for what it plants.
    During,
    /// Also what the command closed is looked into.
    After,
}

/// What is to become of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    GoesOn,
    Ends,
}

pub(crate) struct Keeper<'a> {
    orders: &'a Orders,
    run: &'a UnderWay,
    look: &'a dyn Fn(When) -> Result<Snapshot, CageError>,
    settled: Settled,
    /// What gives orders and has come, be it still there or not.
    seen: BTreeMap<PathBuf, Seen>,
    /// Whether some of it may not be finished.
    waits: bool,
    times: usize,
    /// How much was heard of changes when this was last looked at.
    heard: Option<u64>,
    is_behind: bool,
    looked: Option<Instant>,
    took: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Since it came for the first time: who makes something twice has finished it.
    since: Instant,
    was_put_aside: bool,
}

impl<'a> Keeper<'a> {
    /// `heard`: how much was heard of changes before the command started; none where they are not told.
    pub(crate) fn new(
        (orders, run): (&'a Orders, &'a UnderWay),
        look: &'a dyn Fn(When) -> Result<Snapshot, CageError>,
        heard: Option<u64>,
    ) -> Keeper<'a> {
        Keeper {
            orders,
            run,
            look,
            settled: Settled::default(),
            seen: BTreeMap::new(),
            waits: false,
            times: 0,
            heard,
            // Who came before may have planted something.
            is_behind: !run.is_first(),
            looked: None,
            took: Duration::ZERO,
        }
    }

    /// When to call [`Keeper::attend`] again, if nothing is heard before.
    pub(crate) fn due_in(&self) -> Duration {
        if self.is_behind || self.waits { self.rests_for() } else { PATIENCE }
    }

    /// Puts aside what was planted while the command runs.
    pub(crate) fn attend(&mut self, heard: Option<u64>) -> Verdict {
        self.is_behind |= heard.is_none() || heard != self.heard;
        if !(self.is_behind || self.waits) || !self.rests_for().is_zero() {
            return Verdict::GoesOn;
        }
        (self.heard, self.is_behind) = (heard, false);
        self.put_aside_what_is_finished()
    }

    fn rests_for(&self) -> Duration {
        let between = if self.heard.is_some() { BETWEEN_LOOKS } else { BETWEEN_WALKS };
        let rest = between.max(self.took.saturating_mul(LOOK_SHARE));
        self.looked.map_or(Duration::ZERO, |looked| rest.saturating_sub(looked.elapsed()))
    }

    fn put_aside_what_is_finished(&mut self) -> Verdict {
        let start = Instant::now();
        let found = (self.look)(When::During).map(|now| now.planted(&self.orders.before));
        // Where nobody can look any more nobody goes on writing.
        let Ok(planted) = found else { return Verdict::Ends };
        self.waits = false;
        self.settled.left.clear();
        for path in planted {
            let seen = self.seen.entry(path.clone()).or_insert(Seen { since: start, was_put_aside: false });
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
        (self.looked, self.took) = (Some(Instant::now()), start.elapsed());
        let is_bounded = self.times <= MAX_TIMES && self.seen.len() <= MAX_SEEN;
        if is_bounded && self.settled.left.is_empty() { Verdict::GoesOn } else { Verdict::Ends }
    }

    /// When everybody in the cage is dead: puts aside the rest, and says what was put aside in all.
    pub(crate) fn settle(mut self) -> Settled {
        match self.run.leave() {
            // What is not finished may be theirs, and they look after it.
            Others::Some => {
                let _ = self.put_aside_what_is_finished();
            }
            Others::None => {
                let rest = aside::settle(self.orders, || (self.look)(When::After));
                self.settled.put_aside.extend(rest.put_aside);
                self.settled.removed.extend(rest.removed);
                self.settled.left = rest.left;
            }
        }
        self.settled.in_order()
    }
}
