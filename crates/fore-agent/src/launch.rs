//! How a session is started: where, with which models, by whom it can be answered.

use crate::{model_handle::ModelHandles, settings::SessionSettings};
use fore_plan::{Level, Mode, Openings, approval::Reachable, plan::Hash};
use fore_store::{Home, SessionId};
use std::{path::PathBuf, sync::Arc};

/// Everything a session needs to begin.
#[derive(Debug)]
pub struct Launch {
    /// The folder the person is in; a real path.
    pub folder: PathBuf,
    /// Our own files.
    pub home: Arc<Home>,
    /// The person's home folder, for `~` in calls and rules.
    pub user_home: Option<PathBuf>,
    pub begin: Begin,
    /// Which levels this session may use at all.
    pub openings: Openings,
    /// Whether somebody can answer: questions, forms, approvals. `Nobody`: what would ask is denied.
    pub reachable: Reachable,
    /// Through which front end an answer comes, such as `terminal` or `stream-json`; it stands in receipts.
    pub via: String,
    pub settings: SessionSettings,
    pub models: ModelHandles,
}

/// What the session begins with.
#[derive(Clone, Debug)]
pub enum Begin {
    /// A new session. `mode` is the one asked for; what is closed is refused before it starts.
    Fresh { mode: Mode },
    /// Goes on with a session, in the mode it was left in, or in a stricter one that was asked for.
    Resume { session: SessionId, mode: Option<Mode> },
    /// A copy of a session that goes its own way.
    Fork { session: SessionId, mode: Option<Mode> },
    /// A new session that implements exactly this text: the person named its hash, which is the approval.
    Apply { plan: String, hash: Hash, level: Level },
}
