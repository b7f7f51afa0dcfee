//! What gives orders in a workspace that a command may write: kept as it is while the command runs, and what is new afterwards gets
//! another name, however the run has ended.

mod above;
mod aside;
mod met;
mod names;
mod snapshot;

pub(crate) use above::{lies_in_orders, names_in};
pub(crate) use aside::{settle, settle_alone};
pub(crate) use met::Met;
pub(crate) use snapshot::Snapshot;

use crate::blueprint::RawPath;
use serde::{Deserialize, Serialize};

/// What is known of a workspace before a run, for whoever looks at it afterwards.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Orders {
    pub(crate) workspace: RawPath,
    pub(crate) home: Option<RawPath>,
    /// The list of names, as in the settings.
    pub(crate) names: Vec<RawPath>,
    pub(crate) before: Snapshot,
}
