//! All cages: settings, which kinds this machine can build, and the one function that runs a job.

use crate::blueprint::{CageBuild, Namespaces, Prelude, StdinSource};
use crate::draft;
use crate::environment::added;
use crate::error::CageError;
use crate::job::{Job, JobCommand, RunLimits, RunOutcome};
use crate::lack::{self, LackDuration};
use crate::left_behind::{EndedLeftovers, LeftBehindList};
use crate::live::{LiveRun, LiveStreams};
use crate::network::Connection;
use crate::orders::{ActiveRuns, CheckTime, WorkspaceMonitor};
use crate::person_environment;
use crate::personal::Personal;
use crate::protection::Layer;
use crate::run::{self, ProxyAccess, RunFailure};
use crate::secrets::{self, Indexes, Listings, PathPresence};
use crate::setup::{self, landlock_version};
use crate::starter::SpareSetups;
use fore_plan::{
    Cage, Outside,
    gate::{
        Action, PermitSource, Presented,
        table::{CageStanding, CageSupport, Lack},
    },
    orders::GIVES_ORDERS,
};
use fore_shell::Catalogue;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// What all runs of a session share. From user settings, never from a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CageSettings {
    /// The person's home folder, for `~` in the lists below.
    pub home: Option<PathBuf>,
    /// Paths nobody in a cage may read; `~/…` or absolute, or relative: then in the workspace, in the folder the command
    /// starts in, and in all folders above them.
    pub secrets: Vec<PathBuf>,
    /// Folders outside the workspace that a rehearsal may seem to change; `~/…` or absolute.
    pub caches: Vec<PathBuf>,
    /// Our own folder; `~/.forethought` when not given. Nobody reads it but for this session's files.
    pub own_folder: Option<PathBuf>,
    /// Names that stay read-only even where the workspace is writable, at every depth: what is planted there runs later, outside.
    /// As in [`fore_plan::orders::GIVES_ORDERS`]; of a git folder only what gives orders.
    pub protected: Vec<PathBuf>,
    /// Where the person's shell looks for programs: one of these folders may lie in a workspace.
    pub path: Vec<PathBuf>,
    /// Folders of the person's that commands may see besides the project; `~/…` or absolute.
    pub shown: Vec<PathBuf>,
    /// Files of the project whose names look like secrets and are none: patterns with `*` and `**`.
    pub not_secret: Vec<PathBuf>,
    /// Where the set-up program is; looked for beside this program when not given.
    pub setup: Option<PathBuf>,
    /// How much of a cage must stand before anything runs.
    pub required_build: RequiredBuild,
    /// The person's own proxy, through which ours goes. Not given: as the usual variables say.
    pub proxy: Option<String>,
}

/// How thick the walls have to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredBuild {
    /// As many layers as this machine has, as long as the cage holds without the others.
    Best,
    /// All layers or nothing.
    Full,
    /// Landlock and the call filter alone, even where more is possible.
    LandlockOnly,
    /// Namespaces and the call filter alone, even where more is possible.
    WithoutLandlock,
}

const CACHES: [&str; 9] =
    ["~/.cargo", "~/.rustup", "~/.npm", "~/.cache", "~/.gradle", "~/.m2", "~/go", "~/.local/share/pnpm", "~/.yarn"];

impl CageSettings {
    /// The usual ones for the person whose home this is. Their variables say where they look for programs, and where tools
    /// keep secrets instead of the usual places.
    pub fn new(home: Option<PathBuf>, variable: impl Fn(&str) -> Option<OsString>) -> CageSettings {
        let path = variable("PATH").map(|path| std::env::split_paths(&path).collect());
        CageSettings {
            home: home.filter(|home| home.is_absolute()),
            secrets: {
                let moved = secrets::moved(&secrets::USUAL, variable);
                secrets::USUAL.iter().map(PathBuf::from).chain(moved).collect()
            },
            caches: CACHES.map(PathBuf::from).to_vec(),
            own_folder: None,
            protected: GIVES_ORDERS.iter().map(PathBuf::from).collect(),
            path: path.unwrap_or_default(),
            shown: Vec::new(),
            not_secret: Vec::new(),
            setup: None,
            required_build: RequiredBuild::Best,
            proxy: None,
        }
    }
}

/// As the tests were started.
#[cfg(test)]
impl Default for CageSettings {
    fn default() -> CageSettings {
        CageSettings::new(person_environment::home(), person_environment::variable)
    }
}

/// Builds cages and runs jobs in them.
#[derive(Debug)]
pub struct Cages {
    settings: CageSettings,
    /// The commands that are known, to see what a text names.
    catalogue: &'static Catalogue,
    /// Why namespaces are off here, once that has turned out, so that later runs do not try again.
    without_namespaces: OnceLock<String>,
    /// What was found out for a project, as far as it lasts.
    known: Mutex<Option<(PathBuf, CageSupport)>>,
    spares: Arc<SpareSetups>,
    /// The set-up program that was found beside this one.
    beside: OnceLock<Option<PathBuf>>,
    left_behind: LeftBehindList,
    indexes: Indexes,
    listings: Listings,
    /// Those that write a workspace.
    runs: ActiveRuns,
    /// Whom the runs wanted to talk to, until somebody writes it down.
    connections: Mutex<Vec<Connection>>,
}

/// Connections that are kept until they are written down.
const MAX_CONNECTIONS: usize = 2000;

/// Whether what an uncaged command leaves running ends with the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeftoverPolicy {
    On,
    Off,
}

/// What a run is held to.
#[derive(Clone, Copy)]
struct RunTerms<'a> {
    cage: &'a Cage,
    /// The one file that it may write besides.
    plan: Option<&'a Path>,
    leftovers: LeftoverPolicy,
    view: PersonalView,
    /// The pipes of a command that somebody speaks with while it runs.
    live: Option<&'a LiveStreams>,
}

/// What a run sees of the places where people keep their things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PersonalView {
    /// The project, what toolchains need, and what is named.
    Named,
    /// All but the secrets: our own questions, whose answers are about all of it.
    Everything,
}

/// Output that is searched for what the command missed.
const MAX_SEARCHED_BYTES: usize = 32 << 10;
const MAX_NOT_SHOWN: usize = 3;

/// How long a try may take: a machine that is busy is not one that builds no cages.
const TRY_TIME: Duration = Duration::from_secs(20);

impl Cages {
    /// Nothing is tried or started before the first run.
    pub fn new(settings: CageSettings, catalogue: &'static Catalogue) -> Cages {
        Cages {
            settings,
            catalogue,
            without_namespaces: OnceLock::new(),
            known: Mutex::default(),
            spares: Arc::default(),
            beside: OnceLock::new(),
            left_behind: LeftBehindList::default(),
            indexes: Indexes::default(),
            listings: Listings::default(),
            runs: ActiveRuns::default(),
            connections: Mutex::default(),
        }
    }

    /// What all runs share.
    pub fn settings(&self) -> &CageSettings {
        &self.settings
    }

    /// The commands that are known.
    pub fn catalogue(&self) -> &'static Catalogue {
        self.catalogue
    }

    pub(crate) fn indexes(&self) -> &Indexes {
        &self.indexes
    }

    /// Runs what a permit is for, in the cage that it names, and waits until everything in it has ended.
    ///
    /// Call it from a thread that lives as long as the run: the kernel ties the cage's life to that thread.
    pub fn run(&self, permit: Presented, job: &mut Job<'_>) -> Result<RunOutcome, CageError> {
        self.run_permitted(&permit, job, None)
    }

    /// Starts what a permit is for, in the cage that it names, as a job with live pipes and a life of its own. Comes back when the
    /// cage stands and the program runs in it, or with the reason why not. How long it may run is not bounded.
    ///
    /// It ends by itself, by [`LiveRun::stop`], when the value is dropped, and when this program ends, whatever ends it; with it ends
    /// everything that it has started. It gets all of the job's variables: who may start it has vouched for them, too.
    pub fn live(self: &Arc<Cages>, permit: Presented, job: Job<'_>) -> Result<LiveRun, CageError> {
        if !is_permitted(&permit, &job) {
            return Err(CageError::NotPermitted);
        }
        let cages = Arc::clone(self);
        LiveRun::start(job, move |job, live| cages.run_permitted(&permit, job, Some(live)))
    }

    fn run_permitted(
        &self,
        permit: &Presented,
        job: &mut Job<'_>,
        live: Option<&LiveStreams>,
    ) -> Result<RunOutcome, CageError> {
        if !is_permitted(permit, job) {
            return Err(CageError::NotPermitted);
        }
        // What the person starts is theirs, also when it outlives the command; but what somebody speaks with ends with that.
        let is_theirs = permit.source() == PermitSource::Typed && live.is_none();
        let leftovers = if is_theirs { LeftoverPolicy::Off } else { LeftoverPolicy::On };
        // Which file a command may write is the gate's word alone: a job cannot name one.
        let plan = permit.plan_file().map(Path::new);
        self.run_with(RunTerms { cage: permit.cage(), plan, leftovers, view: PersonalView::Named, live }, job)
    }

    /// Runs a job in a cage. Inside this crate only: everybody else shows a permit.
    pub(crate) fn run_in(&self, cage: &Cage, job: &mut Job<'_>) -> Result<RunOutcome, CageError> {
        let (leftovers, view) = (LeftoverPolicy::On, PersonalView::Everything);
        self.run_with(RunTerms { cage, plan: None, leftovers, view, live: None }, job)
    }

    /// The connections of all runs since this was last asked, for the audit log.
    pub fn take_connections(&self) -> Vec<Connection> {
        std::mem::take(&mut self.connections.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds one that this program made itself, on behalf of the model.
    pub fn note_connection(&self, connection: Connection) {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        if connections.len() < MAX_CONNECTIONS {
            connections.push(connection);
        }
    }

    /// Whether something still runs that an uncaged command has left behind.
    pub fn has_left_behind(&self) -> bool {
        !self.left_behind.is_empty()
    }

    /// Ends everything that uncaged commands have left running, and waits for that, for a bounded time.
    pub fn end_left_behind(&self) -> EndedLeftovers {
        let ended = self.left_behind.end();
        self.spares.discard();
        ended
    }

    fn run_with(&self, terms: RunTerms<'_>, job: &mut Job<'_>) -> Result<RunOutcome, CageError> {
        let setup = self.setup()?;
        let cage = terms.cage;
        let build = self.build_for(cage);
        match self.attempt(&setup, terms, build, job) {
            Err(RunFailure::Layer { layer, errno, reason }) if self.may_do_without(cage, build, layer, errno) => {
                let whose = if layer == Layer::Namespaces { String::new() } else { format!("{layer}: ") };
                let _ = self.without_namespaces.set(whose + &reason);
                self.attempt(&setup, terms, CageBuild::LandlockOnly, job)
            }
            other => other,
        }
        .map_err(|failed| self.explained(failed))
    }

    fn attempt(
        &self,
        setup: &Path,
        terms: RunTerms<'_>,
        build: CageBuild,
        job: &mut Job<'_>,
    ) -> Result<RunOutcome, RunFailure> {
        // It prepares what it can while the blueprint is drawn.
        let namespaces = Namespaces::of(build, draft::reach(terms.cage));
        let prelude = Prelude { namespaces, layer_bytes: job.limits.layer_bytes };
        let started = self.spares.take(setup, prelude).map_err(|error| run::not_started(setup, error))?;
        let drafted = draft::draft(
            (&self.settings, self.catalogue),
            (&self.indexes, &self.listings, &self.runs),
            (terms.cage, terms.plan, terms.view),
            build,
            job,
        );
        let mut draft = match drafted {
            Ok(draft) => draft,
            Err(error) => {
                started.dismiss();
                return Err(error.into());
            }
        };
        if terms.live.is_some() {
            draft.blueprint.stdin = StdinSource::Pipe;
            added::add_vouched(&mut draft.blueprint.environment, &job.variables);
        }
        draft.blueprint.ends_leftovers = build == CageBuild::None && terms.leftovers == LeftoverPolicy::On;
        // Who can change one of these programs runs outside of every cage the next time.
        for program in person_environment::own_program().iter().map(PathBuf::as_path).chain([setup]) {
            draft.protect(program);
        }
        let both = draft.blueprint.orders.as_ref().zip(draft.under_way.as_ref());
        let look = both.map(|(orders, _)| {
            let (workspace, cwd) = (orders.workspace.path(), draft.blueprint.cwd.path());
            move |when: CheckTime| {
                let listed = self.listings.listed(&self.settings, [workspace, cwd], PathPresence::default());
                draft::snapshot(&self.settings, &self.indexes, (workspace, &listed), when, &orders.before)
            }
        });
        let monitor = both.zip(look.as_ref()).map(|(both, look)| WorkspaceMonitor::new(both, look, draft.watch.news()));
        let way_out = ProxyAccess { outside: draft::outside(terms.cage), proxy: self.settings.proxy.as_deref() };
        let told = (&draft.blueprint, way_out);
        let ran = run::run(&self.spares, (setup, started), told, draft.watch, (job, terms.live), monitor);
        if build == CageBuild::None {
            self.spares.discard();
        }
        let (mut outcome, left_behind) = ran?;
        outcome.not_shown = not_shown(&outcome, &draft.personal, job, self.settings.home.as_deref());
        left_behind.into_iter().for_each(|left_behind| self.left_behind.add(left_behind));
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MAX_CONNECTIONS.saturating_sub(connections.len());
        connections.extend(outcome.connections.iter().take(room).cloned());
        drop(connections);
        Ok(outcome)
    }

    fn build_for(&self, cage: &Cage) -> CageBuild {
        let with_namespaces = || if landlock_version() > 0 { CageBuild::Full } else { CageBuild::WithoutLandlock };
        match (cage, self.settings.required_build) {
            (Cage::Free, _) => CageBuild::None,
            (_, RequiredBuild::Full) => CageBuild::Full,
            (_, RequiredBuild::WithoutLandlock) => CageBuild::WithoutLandlock,
            // Landlock takes nothing out of a folder that can be written: neither what gives orders there nor its secrets.
            (Cage::Rehearsal | Cage::Workspace { .. }, RequiredBuild::LandlockOnly) => CageBuild::Full,
            (Cage::Rehearsal | Cage::Workspace { .. }, RequiredBuild::Best) => with_namespaces(),
            (Cage::ReadOnly { .. }, RequiredBuild::LandlockOnly) => CageBuild::LandlockOnly,
            (Cage::ReadOnly { .. }, RequiredBuild::Best) => match self.without_namespaces.get() {
                Some(_) => CageBuild::LandlockOnly,
                None => with_namespaces(),
            },
        }
    }

    /// Landlock is asked to hold alone only where namespaces are missing: then both are.
    fn explained(&self, failed: RunFailure) -> CageError {
        match (failed, self.without_namespaces.get()) {
            (RunFailure::Layer { layer: Layer::Landlock, errno, reason }, Some(before)) => {
                let reason = format!("{before}; and Landlock, which could hold without them, is missing too: {reason}");
                CageError::Layer { layer: Layer::Namespaces, errno, reason }
            }
            (RunFailure::Layer { layer, errno, reason }, _) => CageError::Layer { layer, errno, reason },
            (RunFailure::Other(error), _) => error,
        }
    }

    /// Only a machine that forbids namespaces is a reason for thinner walls; an accident is not.
    fn may_do_without(&self, cage: &Cage, build: CageBuild, layer: Layer, errno: Option<i32>) -> bool {
        let of_namespaces = matches!(
            layer,
            Layer::Namespaces
                | Layer::ReadOnlyDisk
                | Layer::Processes
                | Layer::Devices
                | Layer::PrivateTemp
                | Layer::Loopback
        );
        let thin_enough = matches!(cage, Cage::ReadOnly { .. });
        self.settings.required_build == RequiredBuild::Best
            && build.has_namespaces()
            && errno.is_some_and(lack::is_forbidden)
            && of_namespaces
            && thin_enough
    }

    /// Which cages this machine can build for a project, found out by building them. What failed for a reason that may pass is
    /// tried again with the next question.
    pub fn kernel(&self, project: &Path) -> CageSupport {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, kernel)) = known.filter(|(of, _)| of == project) {
            return kernel;
        }
        // Side by side: every session waits for this before its first word.
        let (read_only, rehearsal) = std::thread::scope(|scope| {
            let beside = std::thread::Builder::new().spawn_scoped(scope, || self.standing(Cage::Rehearsal, project));
            let read_only = self.standing(Cage::ReadOnly { outside: Outside::Closed }, Path::new("/"));
            let rehearsal = match beside {
                Ok(beside) => beside.join().unwrap_or_else(|_| unknown("the try of a rehearsal broke off")),
                Err(error) => unknown(format!("no thread could be started: {error}")),
            };
            (read_only, rehearsal)
        });
        let lasts = read_only.1 == LackDuration::Yes && rehearsal.1 == LackDuration::Yes;
        let network = self.network(&read_only.0);
        let kernel = CageSupport { read_only: read_only.0, rehearsal: rehearsal.0, network };
        if lasts {
            *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some((project.to_owned(), kernel.clone()));
        }
        kernel
    }

    /// Whether a cage can have a network of its own, from which only the proxy leads out: that is made by namespaces.
    fn network(&self, read_only: &CageStanding) -> CageStanding {
        match self.build_for(&Cage::ReadOnly { outside: Outside::Closed }) {
            CageBuild::Full | CageBuild::WithoutLandlock => read_only.clone(),
            CageBuild::LandlockOnly | CageBuild::None => {
                let why = self.without_namespaces.get().map(|why| format!(": {why}")).unwrap_or_default();
                let reason = format!("that needs a network of its own, and there are no namespaces{why}").into();
                let remedy = format!("{}.", Layer::Namespaces.advice().trim_end_matches('.')).into();
                CageStanding::Missing(Lack { reason, remedy })
            }
        }
    }

    /// Builds a cage once, around nothing. It starts in `/`, which is always there: the temp folder may not be.
    pub(crate) fn standing(&self, cage: Cage, workspace: &Path) -> (CageStanding, LackDuration) {
        let limits = RunLimits { time: TRY_TIME, ..RunLimits::default() };
        let mut job = Job { cwd: "/".into(), limits, ..Job::new(JobCommand::Program(vec!["true".into()]), workspace) };
        match self.run_in(&cage, &mut job) {
            Ok(outcome) if !outcome.status.success() => unknown(format!("a try in it ended with {:?}", outcome.status)),
            // A machine without the program has shown all the same that the cage stands.
            Ok(_) | Err(CageError::NotStarted { .. }) => (self.build_for(&cage).standing(), LackDuration::Yes),
            Err(error) => {
                let (lack, lasts) = lack::of(&error);
                (CageStanding::Missing(lack), lasts)
            }
        }
    }

    /// The set-up program: as told, this program itself if it can stand in, or one beside it.
    fn setup(&self) -> Result<PathBuf, CageError> {
        if let Some(given) = &self.settings.setup {
            return Ok(given.clone());
        }
        // A file beside it may have been put there by a command.
        if setup::can_stand_in() {
            return Ok(PathBuf::from("/proc/self/exe"));
        }
        let beside = || Some(person_environment::own_program()?.parent()?.join("fore-cage-setup"));
        // Asked once, before anything has run.
        let found = self.beside.get_or_init(|| beside().filter(|path| path.is_file()));
        found.clone().ok_or(CageError::SetupMissing)
    }
}

/// Whether a permit is for this job.
fn is_permitted(permit: &Presented, job: &Job<'_>) -> bool {
    let is_for_it = match permit.action() {
        Action::Run { command, cwd, .. } => *command == job.command.text() && Path::new(cwd) == job.cwd,
        Action::Hook { command, .. } | Action::McpServer { command, .. } => *command == job.command.text(),
        Action::Read { .. }
        | Action::Search { .. }
        | Action::Fetch { .. }
        | Action::Think { .. }
        | Action::Edit { .. }
        | Action::EditNotebook { .. }
        | Action::Delete { .. }
        | Action::Move { .. }
        | Action::Agent { .. }
        | Action::Message { .. }
        | Action::Mcp { .. }
        | Action::Todo
        | Action::Skill { .. }
        | Action::EnterPlanMode
        | Action::ExitPlanMode
        | Action::AmendPlan
        | Action::Other { .. } => false,
    };
    // Only the person opens more paths: to a command that they type, or in their settings to hooks.
    let is_named = |path: &PathBuf| {
        let for_hooks = if let Action::Hook { may_write, .. } = permit.action() { may_write.as_slice() } else { &[] };
        permit.source() == PermitSource::Typed || for_hooks.iter().any(|named| Path::new(named) == path)
    };
    let adds_paths = !job.extra_writable.iter().all(is_named);
    is_for_it && !adds_paths
}

/// What a command that failed names and was not shown, or what it looked through as a whole.
fn not_shown(outcome: &RunOutcome, personal: &Personal, job: &Job<'_>, home: Option<&Path>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = personal.asked_for.clone();
    if !outcome.status.success() && outcome.appeared.is_none() {
        for text in [outcome.stderr.text(), outcome.stdout.text()] {
            let start = fore_text::cut::bytes(&text, MAX_SEARCHED_BYTES);
            let paths = crate::personal::in_text(start, &job.cwd, home).into_iter();
            found.extend(paths.filter(|path| path.canonicalize().is_ok_and(|real| personal.hides(&real))));
        }
    }
    found.dedup();
    found.truncate(MAX_NOT_SHOWN);
    found
}

/// A try that told nothing about this machine.
fn unknown(reason: impl Into<String>) -> (CageStanding, LackDuration) {
    let remedy = "It is tried again with the next command; `fore doctor` tells more.".into();
    (CageStanding::Missing(Lack { reason: reason.into().into(), remedy }), LackDuration::No)
}
