//! How a session is started: where, with which models, by whom it can be answered.

use crate::{
    model_handle::ModelHandles,
    settings::{SessionSettings, SettingsReader},
    unsaved::UnsavedText,
};
use fore_plan::{Level, Mode, Openings, approval::Reachable, gate::Drift, plan::Hash};
use fore_shell::Catalogue;
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
    /// A new session, or which one goes on.
    pub begin: Begin,
    /// Which levels this session may use at all.
    pub openings: Openings,
    /// Whether somebody can answer: questions, forms, approvals. `Nobody`: what would ask is denied.
    pub reachable: Reachable,
    /// Through which front end an answer comes, such as `terminal` or `stream-json`; it stands in receipts.
    pub via: String,
    /// Where changes are that the person has not saved; none: nobody asks.
    pub unsaved: Option<Arc<dyn UnsavedText>>,
    /// What holds in it.
    pub settings: SessionSettings,
    /// Who reads them again when a file has changed; none: they stay as they are.
    pub settings_reader: Option<Arc<dyn SettingsReader>>,
    /// The programs that the shell judge knows; whatever is not in it may do anything.
    pub catalogue: &'static Catalogue,
    /// Who answers in it.
    pub models: ModelHandles,
}

/// What the session begins with.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum Begin {
    /// A new session. `mode` is the one asked for; what is closed is refused before it starts.
    Fresh { mode: Mode },
    /// Goes on with a session, in the mode it was left in, or in a stricter one that was asked for.
    Resume { session: SessionId, mode: Option<Mode> },
    /// A copy of a session that goes its own way.
    Fork { session: SessionId, mode: Option<Mode> },
    /// A new session that implements exactly this text: the person named its hash, which is the approval.
    /// `stale` is for a plan whose files have moved since it was made, `drift` for work that it does not cover.
    /// `runs_checks`: checks of the plan that the model did not run are run at the end.
    Apply { plan: String, hash: Hash, level: Level, stale: StalePlan, drift: Drift, runs_checks: bool },
}

/// What becomes of a plan that names files which have moved since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StalePlan {
    /// It is not carried out.
    #[default]
    Refused,
    /// It is, and the model is told which files it has to read again.
    Allowed,
}
