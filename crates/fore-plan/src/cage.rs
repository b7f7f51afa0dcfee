//! What a process may read, write and reach. Data only: `fore-sandbox` builds the cage that a permit names.

use serde::{Deserialize, Serialize};

/// The cage a permit runs in, from strictest to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "cage")]
pub enum Cage {
    /// Whole disk readable, only the plan file and a private temp folder writable.
    ReadOnly { outside: Outside },
    /// A throw-away copy-on-write layer: every write is dropped afterwards.
    Rehearsal,
    /// The project writable, the rest read-only.
    Workspace { outside: Outside },
    /// No cage: as the person's own shell.
    Free,
}

/// Whom a caged process may talk to outside its cage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outside {
    /// Nobody.
    Closed,
    /// The network, but no socket of this machine's services.
    Network,
    /// The network and the sockets of this machine's services, such as docker's.
    Services,
}
