//! Turns a cage and a job into a blueprint: every path resolved and checked, before anything is started.

mod held_orders;
mod hidden;
mod real_paths;

pub(crate) use held_orders::snapshot;

use self::{
    held_orders::{is_project, orders, real_home},
    hidden::{personal, secrets, to_be_hidden, visible_own_files},
    real_paths::{KERNEL, outermost, real, real_folder, real_plan, usable},
};
use crate::blueprint::{Blueprint, Bounds, CageBuild, CageReach, RawPath, StdinSource};
use crate::cages::{CageSettings, PersonalView};
use crate::environment::{self, Environment, EnvironmentPurpose, Variables, added};
use crate::error::CageError;
use crate::git;
use crate::job::{Job, JobCommand};
use crate::network::{self, configured::PersonConfig};
use crate::orders::{ActiveRun, ActiveRuns};
use crate::person_environment;
use crate::personal::Personal;
use crate::private_temp::PrivateTemp;
use crate::protection::Layer;
use crate::secrets::{Indexes, ListedSecrets, Listings, MayCreate, PathPresence, RunWatch, at_home};
use crate::services;
use fore_plan::{Cage, Outside};
use fore_shell::Catalogue;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where the machine's services put their sockets.
const SERVICES: [&str; 1] = ["/run"];
/// What programs need of it: name resolution, and on some systems the programs themselves.
const KEPT: [&str; 6] = [
    "/run/systemd/resolve",
    "/run/NetworkManager/resolv.conf",
    "/run/resolvconf",
    "/run/current-system",
    "/run/booted-system",
    "/run/opengl-driver",
];
const TEMPS: [&str; 1] = ["/tmp"];
/// For files that outlive a restart, so it is read-only like the rest; but everybody may leave pipes there.
const QUIET: [&str; 1] = ["/var/tmp"];

pub(crate) struct BlueprintDraft {
    pub(crate) blueprint: Blueprint,
    /// Over the secrets that may come while it runs.
    pub(crate) watch: RunWatch,
    pub(crate) personal: Personal,
    /// Among the runs that write this workspace.
    pub(crate) under_way: Option<ActiveRun>,
    /// Without namespaces the private temp folder is a real one; it goes away with the draft.
    _temp: Option<PrivateTemp>,
}

impl BlueprintDraft {
    /// Keeps a program from being replaced where the cage leaves its folder writable.
    pub(crate) fn protect(&mut self, program: &Path) {
        let blueprint = &mut self.blueprint;
        if blueprint.writable.is_empty() {
            return;
        }
        let Ok(program) = program.canonicalize() else { return };
        if blueprint.writable.iter().any(|top| program.starts_with(top.path())) {
            blueprint.protected.push(program.into());
        }
    }
}

/// `plan`: the one file that a read-only cage may write. It must exist, as an ordinary file with one name.
pub(crate) fn draft(
    (settings, catalogue): (&CageSettings, &Catalogue),
    (indexes, listings, runs): (&Indexes, &Listings, &ActiveRuns),
    (cage, plan, sees): (&Cage, Option<&Path>, PersonalView),
    build: CageBuild,
    job: &Job<'_>,
) -> Result<BlueprintDraft, CageError> {
    let there = PathPresence::default();
    let cwd = real_folder(&job.cwd, &there)?;
    let workspace = real_folder(&job.workspace, &there)?;
    let outside = outside(cage);
    if build == CageBuild::LandlockOnly && *outside != Outside::Closed {
        let reason = "a command that may talk to somebody needs a network of its own".to_owned();
        return Err(CageError::Layer { layer: Layer::Namespaces, errno: None, reason });
    }
    let mut draft = begun(cage, build, job, [&workspace, &cwd], &there);
    if *cage == Cage::Free {
        let (watch, personal) = (RunWatch::new(MayCreate::Files), Personal::default());
        return Ok(BlueprintDraft { blueprint: draft, watch, personal, under_way: None, _temp: None });
    }
    let own = settings.own_folder().and_then(|own| there.real(&own)).filter(|own| own.is_dir());
    if own.as_ref().is_some_and(|own| cwd.starts_with(own) || workspace.starts_with(own)) {
        let why = "belongs to Forethought itself, and commands do not see it; start in a project folder";
        return Err(CageError::Unusable { path: cwd, why });
    }
    let listed = listings.listed(settings, [&workspace, &cwd], there);
    let under_way = open(&mut draft, settings, (indexes, runs), (cage, plan), (&workspace, &listed), job)?;
    let personal = match sees {
        PersonalView::Named => personal((settings, catalogue), (&workspace, &cwd), &listed, &draft, job)?,
        PersonalView::Everything => Personal::default(),
    };
    let mut watch = RunWatch::new(makes(cage));
    draft.masked = secrets(settings, indexes, ([&workspace, &cwd], listed), &personal, job, &mut watch)?;
    draft.kept = own.iter().flat_map(|own| visible_own_files(settings, own, job)).map(RawPath::from).collect();
    draft.personal = personal.tops.iter().map(|top| RawPath::from(top.as_path())).collect();
    draft.links = personal.links.iter().map(|(link, to)| (link.as_path().into(), to.as_path().into())).collect();
    let mut kept = personal.kept.clone();
    kept.extend(draft.plan_file.iter().map(|plan| plan.path().to_owned()).filter(|plan| personal.hides(plan)));
    kept.retain(|path| !draft.writable.iter().chain(&draft.overlays).any(|over| over.path() == path));
    make_blank(&mut draft, job);
    connect(&mut draft, settings, outside, &cwd)?;
    let git_config = job.git.config.as_ref().filter(|_| matches!(cage, Cage::ReadOnly { .. }));
    let mut temp = None;
    match build {
        CageBuild::None => {}
        CageBuild::Full | CageBuild::WithoutLandlock => {
            draft.git_config = git_config.cloned();
            cover(&mut draft, own, [workspace, cwd], &personal);
            kept.retain(|path| !draft.shown.iter().any(|shown| shown.path() == path));
        }
        CageBuild::LandlockOnly => {
            draft.masked.extend(own.map(RawPath::from));
            temp = Some(real_temp(&mut draft, git_config)?);
        }
    }
    draft.kept.extend(kept.into_iter().map(RawPath::from));
    if build.has_namespaces() {
        draft.masked = to_be_hidden(&draft);
    }
    Ok(BlueprintDraft { blueprint: draft, watch, personal, under_way, _temp: temp })
}

/// What the job alone says.
fn begun(
    cage: &Cage,
    build: CageBuild,
    job: &Job<'_>,
    [workspace, cwd]: [&Path; 2],
    there: &PathPresence,
) -> Blueprint {
    let mut draft = Blueprint {
        build,
        argv: argv(cage, job),
        environment: environment(cage, job, workspace, there),
        git_config: None,
        cwd: cwd.into(),
        stdin: if job.stdin.is_empty() { StdinSource::Nothing } else { StdinSource::Bytes(job.stdin.len() as u64) },
        streams: job.streams,
        plan_file: None,
        writable: Vec::new(),
        protected: Vec::new(),
        orders: None,
        overlays: Vec::new(),
        masked: Vec::new(),
        blank: Vec::new(),
        emptied: Vec::new(),
        kept: Vec::new(),
        personal: Vec::new(),
        links: Vec::new(),
        quiet: Vec::new(),
        shown: Vec::new(),
        temps: Vec::new(),
        reach: reach(cage),
        sockets: Vec::new(),
        proxy_port: None,
        bounds: bounds(job),
        diff: job.diff,
        report_folder: false,
        ends_leftovers: false,
    };
    // Who gives bash a start-up file of their own keeps it.
    draft.report_folder = job.report_folder
        && matches!(job.command, JobCommand::Script(_))
        && !draft.environment.iter().any(|(name, _)| name == "BASH_ENV");
    draft
}

/// What may be written, by the kind of cage.
fn open(
    draft: &mut Blueprint,
    settings: &CageSettings,
    (indexes, runs): (&Indexes, &ActiveRuns),
    (cage, plan): (&Cage, Option<&Path>),
    (workspace, listed): (&Path, &ListedSecrets),
    job: &Job<'_>,
) -> Result<Option<ActiveRun>, CageError> {
    match cage {
        Cage::Free => {}
        Cage::ReadOnly { .. } => {
            draft.writable = outermost(extra_writable(job, &listed.there)?.into_iter());
            for path in &draft.writable {
                usable(path.path())?;
            }
            draft.plan_file = plan.map(|plan| real_plan(plan, &listed.there)).transpose()?.map(RawPath::from)
        }
        Cage::Workspace { .. } => {
            let more = extra_writable(job, &listed.there)?;
            draft.writable = outermost(std::iter::once(workspace.to_owned()).chain(more));
            for path in &draft.writable {
                usable(path.path())?;
            }
            let found = orders(settings, (indexes, runs), (workspace, listed), &draft.writable, job)?;
            let (orders, under_way) = found.unzip();
            draft.orders = orders;
            return Ok(under_way);
        }
        Cage::Rehearsal => {
            usable(workspace)?;
            draft.overlays = overlays(settings, workspace, &listed.there);
        }
    }
    Ok(None)
}

/// What of git looks empty in the cage.
fn make_blank(draft: &mut Blueprint, job: &Job<'_>) {
    let blank = job.git.blank.iter().map(|path| RawPath::from(path.as_path()));
    match draft.build {
        CageBuild::Full | CageBuild::WithoutLandlock => {
            draft.blank = blank.collect();
            // What looks empty need not be out of reach as well.
            draft.masked.retain(|path| !draft.blank.contains(path));
        }
        // Nothing can be put over them, but nobody needs to open them.
        CageBuild::LandlockOnly | CageBuild::None => draft.masked.extend(blank),
    }
}

/// Whom it may talk to, and what its programs must know to do so.
fn connect(draft: &mut Blueprint, settings: &CageSettings, outside: &Outside, cwd: &Path) -> Result<(), CageError> {
    if let Some(contacts) = outside.contacts() {
        draft.sockets = services::sockets(&contacts.services, settings.home.as_deref())?;
        services::set_variables(&mut draft.environment, &contacts.services);
    }
    if outside.has_network() {
        draft.proxy_port = Some(network::PORT);
        for (name, value) in network::variables() {
            set(&mut draft.environment, name, value.into());
        }
        // Git speaks these itself, without a program of the repository's choice; whom it talks to, the proxy holds.
        if draft.environment.iter().any(|(name, _)| name == "GIT_ALLOW_PROTOCOL") {
            set(&mut draft.environment, "GIT_ALLOW_PROTOCOL", "http:https".into());
        }
        // Cages hide the person's own `.npmrc`, which may hold a password.
        let person = PersonConfig { home: settings.home.as_deref(), variable: &person_environment::text };
        let is_set = draft.environment.iter().any(|(name, _)| name.eq_ignore_ascii_case("npm_config_registry"));
        if let Some(registry) = person.npm_registry(cwd).filter(|_| !is_set) {
            set(&mut draft.environment, "npm_config_registry", registry.into());
        }
    }
    Ok(())
}

/// Puts private layers over temp files, services and our own folder, and back on top what is worked on.
fn cover(draft: &mut Blueprint, own: Option<PathBuf>, [workspace, cwd]: [PathBuf; 2], personal: &Personal) {
    draft.temps = TEMPS.iter().map(Path::new).filter(|path| path.is_dir()).map(RawPath::from).collect();
    // A project that lies there has its own pipes there, and uses them.
    let is_quiet = |path: &&Path| is_true_folder(path) && !workspace.starts_with(path);
    draft.quiet = QUIET.iter().map(Path::new).filter(is_quiet).map(RawPath::from).collect();
    set(&mut draft.environment, "TMPDIR", "/tmp".into());
    draft.emptied = emptied();
    draft.kept.extend(KEPT.iter().map(|path| RawPath::from(Path::new(path))));
    draft.emptied.extend(own.map(RawPath::from));
    let covered = |path: &Path| draft.temps.iter().chain(&draft.emptied).any(|over| path.starts_with(over.path()));
    let again = |path: &Path| draft.writable.iter().chain(&draft.overlays).any(|over| path.starts_with(over.path()));
    let is_personal = |path: &Path| personal.tops.iter().any(|top| path.starts_with(top));
    // Where Landlock is missing, a layer keeps its pipes from being written to.
    let needs_layer = |path: &Path| covered(path) || (draft.build == CageBuild::WithoutLandlock && is_personal(path));
    draft.shown = outermost([workspace, cwd].into_iter().filter(|path| needs_layer(path) && !again(path)));
}

/// Without namespaces its temp folder is a real one.
fn real_temp(draft: &mut Blueprint, git_config: Option<&String>) -> Result<PrivateTemp, CageError> {
    let folder = PrivateTemp::new()?;
    set(&mut draft.environment, "TMPDIR", folder.path().into());
    if let Some(text) = git_config {
        set(&mut draft.environment, git::CONFIG_VARIABLE, folder.add("gitconfig", text)?.into());
    }
    draft.temps = vec![folder.path().into()];
    Ok(folder)
}

fn makes(cage: &Cage) -> MayCreate {
    match cage {
        Cage::ReadOnly { .. } | Cage::Rehearsal => MayCreate::Nothing,
        Cage::Workspace { .. } | Cage::Free => MayCreate::Files,
    }
}

fn extra_writable(job: &Job<'_>, there: &PathPresence) -> Result<Vec<PathBuf>, CageError> {
    job.extra_writable.iter().map(|path| real(path, there)).collect()
}

pub(crate) fn reach(cage: &Cage) -> CageReach {
    match cage {
        Cage::ReadOnly { outside } | Cage::Workspace { outside } => match outside {
            Outside::Closed => CageReach::Nobody,
            Outside::Named(contacts) | Outside::AnyPublic(contacts) if contacts.services.is_empty() => {
                CageReach::Loopback
            }
            Outside::Named(_) | Outside::AnyPublic(_) => CageReach::Services,
        },
        Cage::Rehearsal => CageReach::Loopback,
        Cage::Free => CageReach::Anybody,
    }
}

/// Whom the proxy lets a cage talk to.
pub(crate) fn outside(cage: &Cage) -> &Outside {
    match cage {
        Cage::ReadOnly { outside } | Cage::Workspace { outside } => outside,
        // Nobody through the proxy: the one reaches only itself, the other has no walls.
        Cage::Rehearsal | Cage::Free => &Outside::Closed,
    }
}

/// A single git command that only reads is told to run no driver of the repository's. Inside a script the environment does
/// what an environment can; the cage does the rest.
fn argv(cage: &Cage, job: &Job<'_>) -> Vec<OsString> {
    let argv = job.command.argv();
    match (cage, &job.command) {
        (Cage::ReadOnly { .. }, JobCommand::Program(_)) => git::without_drivers(argv),
        _ => argv,
    }
}

/// Only a cage that can do nothing but read gets git held back: elsewhere people commit.
fn environment(cage: &Cage, job: &Job<'_>, workspace: &Path, there: &PathPresence) -> Variables {
    let purpose = match cage {
        Cage::ReadOnly { .. } => EnvironmentPurpose::Reading(job.git.clone()),
        Cage::Rehearsal | Cage::Workspace { .. } | Cage::Free => EnvironmentPurpose::Working,
    };
    match &job.environment {
        Environment::Cleaned => {
            let mut variables = environment::for_a_run(workspace, &purpose, there);
            added::add(&mut variables, &job.variables, cage);
            variables
        }
        Environment::Exactly(variables) => variables.clone(),
    }
}

fn bounds(job: &Job<'_>) -> Bounds {
    let limits = &job.limits;
    Bounds {
        time_ms: u64::try_from(limits.time.as_millis()).unwrap_or(u64::MAX),
        processes: limits.processes,
        memory_bytes: limits.memory_bytes,
        file_bytes: limits.file_bytes,
        open_files: limits.open_files,
        layer_bytes: limits.layer_bytes,
    }
}

fn set(environment: &mut Variables, name: &str, value: OsString) {
    environment.retain(|(known, _)| known != name);
    environment.push((name.into(), value));
}

/// The workspace first, then caches that exist. One layer per folder: a folder inside another is covered by the outer one.
fn overlays(settings: &CageSettings, workspace: &Path, there: &PathPresence) -> Vec<RawPath> {
    let caches = settings.caches.iter().filter_map(|path| there.real(&at_home(settings, path)?));
    let caches: Vec<PathBuf> = caches
        .filter(|path| {
            path.is_dir() && usable(path).is_ok() && !workspace.starts_with(path) && !path.starts_with(workspace)
        })
        .collect();
    outermost(std::iter::once(workspace.to_owned()).chain(caches))
}

fn is_true_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

/// What cages are tried out with.
fn reads_nothing(job: &Job<'_>) -> bool {
    matches!(&job.command, JobCommand::Program(argv) if *argv == ["true"])
}

/// Service folders as they are on this machine, the person's own one included.
fn emptied() -> Vec<RawPath> {
    let own = person_environment::variable("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    let fixed = SERVICES.iter().map(PathBuf::from);
    let real = fixed
        .chain(own)
        .filter_map(|path| path.canonicalize().ok())
        .filter(|path| path.is_dir() && path != Path::new("/"));
    outermost(real)
}
