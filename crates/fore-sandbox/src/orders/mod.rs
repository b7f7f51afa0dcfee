//! What gives orders in a workspace that a command may write: kept as it is while the command runs, and what is new gets another
//! name, however the run ends.

mod above;
mod approved;
mod aside;
mod candidates;
mod hooks;
mod monitor;
mod names;
mod other_names;
mod programs;
mod runs;
mod snapshot;

pub(crate) use above::{lies_in_orders, names_in};
pub(crate) use approved::note as note_approved;
pub(crate) use aside::{SettledPlants, settle_alone};
pub(crate) use candidates::OrderCandidates;
pub(crate) use monitor::{CheckResult, CheckTime, WorkspaceMonitor};
pub(crate) use other_names::other_names;
pub(crate) use runs::{ActiveRun, ActiveRuns};
pub(crate) use snapshot::{OrdersSnapshot, PersonPaths};

use crate::blueprint::RawPath;
use serde::{Deserialize, Serialize};

/// What is known of a workspace before a run, for whoever looks at it afterwards.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Orders {
    pub(crate) workspace: RawPath,
    pub(crate) home: Option<RawPath>,
    /// Where the person's shell looks for programs.
    pub(crate) path: Vec<RawPath>,
    /// The list of names, as in the settings.
    pub(crate) names: Vec<RawPath>,
    /// What was there before this run and before every run that it overlaps with.
    pub(crate) before: OrdersSnapshot,
    /// What a cage keeps as it is besides: other names of the same files, and files that run as their owner.
    pub(crate) also_held: Vec<RawPath>,
}
