//! What a session is set up with when it begins: folders, cages, agents, memory. Nothing of it changes while it lives but the settings,
//! which are replaced as a whole ([`super::reload`]).

use super::{open_checks::CheckRunning, servers::SessionServers, team::SessionTeam};
use crate::{
    agents::AgentKinds,
    memory::{Memory, MemoryFile},
    settings::{SessionSettings, SettingsReader},
    unsaved::UnsavedText,
};
use fore_plan::{
    State,
    gate::{Drift, PatternRoots, RuleEffect, Rules, table::CageSupport},
};
use fore_sandbox::{Cages, GitProbe, Opener, SessionFiles};
use fore_store::{Home, Outputs, PlanFolder, SessionId};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

/// The settings that hold at one moment. Whoever judges takes them once.
#[derive(Debug)]
pub(crate) struct LiveSettings {
    pub(crate) settings: SessionSettings,
    pub(crate) rules: Arc<Rules>,
    /// What commands get besides the cleaned environment.
    pub(crate) variables: Arc<Vec<(String, String)>>,
    /// Whether the folder was trusted when they were read.
    pub(crate) folder_trusted: bool,
}

/// The one place that has them.
#[derive(Clone, Debug)]
pub(crate) struct HeldSettings {
    live: Arc<RwLock<Arc<LiveSettings>>>,
    /// Rules of calls that need not ask in the running turn, by the word of a command that the person trusts.
    turn: Arc<RwLock<Vec<String>>>,
}

impl LiveSettings {
    pub(crate) fn new(settings: SessionSettings, folder_trusted: bool) -> LiveSettings {
        let (rules, variables) = (Arc::new(settings.rules.clone()), Arc::new(settings.variables.clone()));
        LiveSettings { settings, rules, variables, folder_trusted }
    }
}

impl HeldSettings {
    pub(crate) fn new(live: LiveSettings) -> HeldSettings {
        HeldSettings { live: Arc::new(RwLock::new(Arc::new(live))), turn: Arc::default() }
    }

    pub(crate) fn now(&self) -> Arc<LiveSettings> {
        Arc::clone(&self.live.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts others in their place, all at once.
    pub(crate) fn replace(&self, live: Arc<LiveSettings>) {
        *self.live.write().unwrap_or_else(PoisonError::into_inner) = live;
    }

    /// What these rules name need not ask until the turn ends. Allow rules never speak while planning, and no rule speaks against
    /// one that denies or asks.
    pub(crate) fn allow_for_turn(&self, rules: Vec<String>) {
        *self.turn.write().unwrap_or_else(PoisonError::into_inner) = rules;
    }

    /// The turn is over, and what was allowed for it.
    pub(crate) fn end_turn(&self) {
        self.allow_for_turn(Vec::new());
    }

    /// The rules by which calls are judged now. One that is not understood grants nothing.
    pub(crate) fn rules(&self, roots: PatternRoots<'_>) -> Arc<Rules> {
        let live = self.now();
        let turn = self.turn.read().unwrap_or_else(PoisonError::into_inner);
        if turn.is_empty() {
            return Arc::clone(&live.rules);
        }
        let mut rules = Rules::clone(&live.rules);
        for rule in turn.iter() {
            let _ = rules.add(RuleEffect::Allow, rule, roots);
        }
        Arc::new(rules)
    }

    /// Whether a rule that holds now keeps the model from a file.
    pub(crate) fn is_denied(&self, path: &Path) -> bool {
        crate::tools::is_denied(&self.now().rules, path)
    }
}

/// The unchanging part of a session.
#[derive(Debug)]
pub(crate) struct SessionSetup {
    pub(crate) id: SessionId,
    /// The repository or folder that the session is about, as a real path.
    pub(crate) project: PathBuf,
    pub(crate) user_home: Option<PathBuf>,
    /// By which front end a person answers.
    pub(crate) via: String,
    pub(crate) unsaved: Option<Arc<dyn UnsavedText>>,
    /// What becomes of work that the approved plan does not cover: a choice for one run.
    pub(crate) drift: Drift,
    pub(crate) held: HeldSettings,
    pub(crate) reader: Option<Arc<dyn SettingsReader>>,
    pub(crate) cages: Arc<Cages>,
    pub(crate) servers: Arc<SessionServers>,
    /// Its place in a team, once it has one.
    pub(crate) team: SessionTeam,
    pub(crate) probe: Arc<GitProbe<Arc<Cages>>>,
    pub(crate) home: Arc<Home>,
    pub(crate) plans: PlanFolder,
    pub(crate) outputs: Arc<Outputs>,
    pub(crate) kinds: AgentKinds,
    pub(crate) memory: Memory,
    pub(crate) runtime: tokio::runtime::Handle,
    /// Who says whether checks that nobody ran are run.
    pub(crate) check_running: CheckRunning,
}

impl SessionSetup {
    /// The settings that hold at this moment.
    pub(crate) fn live(&self) -> Arc<LiveSettings> {
        self.held.now()
    }

    /// Which cages can be built now.
    pub(crate) fn kernel(&self) -> CageSupport {
        self.cages.kernel(&self.project)
    }

    /// What of our own folder the session may read in this state.
    pub(crate) fn session_files(&self, state: &State) -> SessionFiles {
        let plans = state.plan().map(|plan| plan.path.as_str()).into_iter().chain(state.previous_plan());
        SessionFiles { plans: plans.map(PathBuf::from).collect(), outputs: Some(self.outputs.path()) }
    }

    /// Opens files for the model where no tool does.
    pub(crate) fn opener(&self, state: &State) -> Opener {
        let opener = Opener::new(Arc::clone(&self.cages), &self.project).with_session(self.session_files(state));
        let held = self.held.clone();
        opener.denying(Arc::new(move |path| held.is_denied(path)))
    }

    /// Memory of the folders around a file that was read, told once (in a reminder's place, after the output).
    pub(crate) fn nested_memory(&self, path: &str) -> Vec<String> {
        self.memory.nested(Path::new(path)).iter().map(MemoryFile::section).collect()
    }
}
