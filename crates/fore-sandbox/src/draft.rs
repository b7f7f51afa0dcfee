//! Turns a cage and a job into a blueprint: every path resolved and checked, before anything is started.

use crate::blueprint::{Blueprint, Bounds, CageBuild, CageReach, RawPath};
use crate::cages::{CageSettings, PersonalView};
use crate::environment::{self, Environment, EnvironmentPurpose, Variables, added};
use crate::error::CageError;
use crate::git;
use crate::job::{Job, JobCommand};
use crate::network::{self, configured::PersonConfig};
use crate::orders::{self, ActiveRun, ActiveRuns, CheckTime, Orders, OrdersSnapshot, PersonPaths as Whom};
use crate::personal::{self, Personal};
use crate::private_temp::PrivateTemp;
use crate::protection::Layer;
use crate::secrets::{
    Exceptions, Index, IndexOwner, Indexes, ListedSecrets, Listings, MayCreate, PathPresence, RunWatch, at_home,
    in_home, in_order, judged_by_content, names_above,
};
use crate::services;
use fore_plan::{Cage, Outside};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

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
/// File systems that are not files; nothing there can be a workspace.
const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];
/// What gives orders in one workspace; each costs the kernel a mount or more.
const MAX_ORDERS: usize = 5_000;

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
    settings: &CageSettings,
    (indexes, listings, runs): (&Indexes, &Listings, &ActiveRuns),
    (cage, plan, sees): (&Cage, Option<&Path>, PersonalView),
    build: CageBuild,
    job: &Job<'_>,
) -> Result<BlueprintDraft, CageError> {
    let there = PathPresence::default();
    let cwd = real_folder(&job.cwd, &there)?;
    let workspace = real_folder(&job.workspace, &there)?;
    let reach = reach(cage);
    let outside = outside(cage);
    if build == CageBuild::LandlockOnly && *outside != Outside::Closed {
        let reason = "a command that may talk to somebody needs a network of its own".to_owned();
        return Err(CageError::Layer { layer: Layer::Namespaces, errno: None, reason });
    }
    let mut draft = Blueprint {
        build,
        argv: argv(cage, job),
        environment: environment(cage, job, &workspace, &there),
        git_config: None,
        cwd: cwd.as_path().into(),
        stdin_bytes: job.stdin.len() as u64,
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
        reach,
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
    let mut under_way = None;
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
            draft.writable = outermost(std::iter::once(workspace.clone()).chain(more));
            for path in &draft.writable {
                usable(path.path())?;
            }
            let found = orders(settings, (indexes, runs), (&workspace, &listed), &draft.writable, job)?;
            (draft.orders, under_way) = found.unzip();
        }
        Cage::Rehearsal => {
            usable(&workspace)?;
            draft.overlays = overlays(settings, &workspace, &listed.there);
        }
    }
    let personal = match sees {
        PersonalView::Named => personal(settings, (&workspace, &cwd), &listed, &draft, job)?,
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
    let blank = job.git.blank.iter().map(|path| RawPath::from(path.as_path()));
    match build {
        CageBuild::Full | CageBuild::WithoutLandlock => {
            draft.blank = blank.collect();
            // What looks empty need not be out of reach as well.
            draft.masked.retain(|path| !draft.blank.contains(path));
        }
        // Nothing can be put over them, but nobody needs to open them.
        CageBuild::LandlockOnly | CageBuild::None => draft.masked.extend(blank),
    }
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
        let person = PersonConfig { home: settings.home.as_deref(), variable: &|name| std::env::var(name).ok() };
        let is_set = draft.environment.iter().any(|(name, _)| name.eq_ignore_ascii_case("npm_config_registry"));
        if let Some(registry) = person.npm_registry(&cwd).filter(|_| !is_set) {
            set(&mut draft.environment, "npm_config_registry", registry.into());
        }
    }
    let git_config = job.git.config.as_ref().filter(|_| matches!(cage, Cage::ReadOnly { .. }));
    let mut temp = None;
    match build {
        CageBuild::None => {}
        CageBuild::Full | CageBuild::WithoutLandlock => {
            draft.temps = TEMPS.iter().map(Path::new).filter(|path| path.is_dir()).map(RawPath::from).collect();
            // A project that lies there has its own pipes there, and uses them.
            let is_quiet = |path: &&Path| is_true_folder(path) && !workspace.starts_with(path);
            draft.quiet = QUIET.iter().map(Path::new).filter(is_quiet).map(RawPath::from).collect();
            set(&mut draft.environment, "TMPDIR", "/tmp".into());
            draft.git_config = git_config.cloned();
            draft.emptied = emptied();
            draft.kept.extend(KEPT.iter().map(|path| RawPath::from(Path::new(path))));
            draft.emptied.extend(own.map(RawPath::from));
            let covered =
                |path: &Path| draft.temps.iter().chain(&draft.emptied).any(|over| path.starts_with(over.path()));
            let again =
                |path: &Path| draft.writable.iter().chain(&draft.overlays).any(|over| path.starts_with(over.path()));
            let is_personal = |path: &Path| personal.tops.iter().any(|top| path.starts_with(top));
            // Where Landlock is missing, a layer keeps its pipes from being written to.
            let needs_layer = |path: &Path| covered(path) || (build == CageBuild::WithoutLandlock && is_personal(path));
            draft.shown = outermost([workspace, cwd].into_iter().filter(|path| needs_layer(path) && !again(path)));
            kept.retain(|path| !draft.shown.iter().any(|shown| shown.path() == path));
        }
        CageBuild::LandlockOnly => {
            draft.masked.extend(own.map(RawPath::from));
            let folder = PrivateTemp::new()?;
            set(&mut draft.environment, "TMPDIR", folder.path().into());
            if let Some(text) = git_config {
                set(&mut draft.environment, git::CONFIG_VARIABLE, folder.add("gitconfig", text)?.into());
            }
            draft.temps = vec![folder.path().into()];
            temp = Some(folder);
        }
    }
    draft.kept.extend(kept.into_iter().map(RawPath::from));
    if build.has_namespaces() {
        draft.masked = to_be_hidden(&draft);
    }
    Ok(BlueprintDraft { blueprint: draft, watch, personal, under_way, _temp: temp })
}

/// The secrets that can be seen where the mounts of a cage stand. Of a personal place that is only what belongs to something that is
/// put back there; each path that is told costs the set-up program a look.
fn to_be_hidden(draft: &Blueprint) -> Vec<RawPath> {
    let again =
        [&draft.kept, &draft.writable, &draft.overlays, &draft.shown, &draft.temps, &draft.sockets, &draft.quiet];
    let again = again.into_iter().flatten().chain(&draft.plan_file).chain(draft.links.iter().map(|(link, _)| link));
    let again: Vec<&[u8]> = again.map(bytes).collect();
    let is_seen = |path: &&RawPath| {
        let path = bytes(path);
        let is_emptied = draft.personal.iter().any(|top| is_in(path, bytes(top)));
        !is_emptied || !is_straight(path) || again.iter().any(|shown| is_in(path, shown) || is_in(shown, path))
    };
    draft.masked.iter().filter(is_seen).cloned().collect()
}

fn bytes(path: &RawPath) -> &[u8] {
    path.path().as_os_str().as_encoded_bytes()
}

/// Whether a path is a folder or lies in it, by their letters: there are many of both.
fn is_in(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/") || folder.ends_with(b"/"))
}

/// Whether letters tell where it leads.
fn is_straight(path: &[u8]) -> bool {
    path.strip_prefix(b"/")
        .is_some_and(|path| !path.split(|byte| *byte == b'/').any(|part| matches!(part, b"" | b"." | b"..")))
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

/// The path without links: mounts and rules hold for the place itself.
fn real(path: &Path, there: &PathPresence) -> Result<PathBuf, CageError> {
    if !path.is_absolute() {
        return Err(CageError::Unusable { path: path.to_owned(), why: "is not an absolute path" });
    }
    let missing = || CageError::Unusable { path: path.to_owned(), why: "does not exist or cannot be reached" };
    there.real(path).ok_or_else(missing)
}

fn real_folder(path: &Path, there: &PathPresence) -> Result<PathBuf, CageError> {
    let real = real(path, there)?;
    if real.is_dir() { Ok(real) } else { Err(CageError::Unusable { path: real, why: "is not a folder" }) }
}

/// The plan file by its true folder and its own name: the name itself may not be a link.
fn real_plan(path: &Path, there: &PathPresence) -> Result<PathBuf, CageError> {
    let wrong = |why| CageError::Unusable { path: path.to_owned(), why };
    let (Some(folder), Some(Component::Normal(name))) = (path.parent(), path.components().next_back()) else {
        return Err(wrong("does not name a plan file"));
    };
    let plan = real_folder(folder, there)?.join(name);
    let metadata = std::fs::symlink_metadata(&plan)
        .map_err(|_| wrong("does not exist; create the plan file before a command may write it"))?;
    if !metadata.is_file() || std::os::unix::fs::MetadataExt::nlink(&metadata) != 1 {
        return Err(wrong("is not an ordinary file with exactly one name, so it cannot be the plan file"));
    }
    Ok(plan)
}

fn usable(workspace: &Path) -> Result<(), CageError> {
    let wrong = |why| Err(CageError::Unusable { path: workspace.to_owned(), why });
    if workspace == Path::new("/") {
        return wrong("is the whole disk; choose a project folder as workspace");
    }
    if KERNEL.iter().any(|kernel| workspace.starts_with(kernel)) {
        return wrong("belongs to the kernel and cannot be a workspace");
    }
    Ok(())
}

/// Without those that lie in another one; the first stays first.
fn outermost(paths: impl Iterator<Item = PathBuf>) -> Vec<RawPath> {
    let paths: Vec<PathBuf> = paths.collect();
    let mut kept: Vec<RawPath> = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let inside =
            paths.iter().enumerate().any(|(other, outer)| path.starts_with(outer) && (path != outer || other < index));
        if !inside {
            kept.push(path.as_path().into());
        }
    }
    kept
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

/// What the cage shows of the places where people keep their things.
fn personal(
    settings: &CageSettings,
    (workspace, cwd): (&Path, &Path),
    listed: &ListedSecrets,
    draft: &Blueprint,
    job: &Job<'_>,
) -> Result<Personal, CageError> {
    if reads_nothing(job) {
        return Ok(Personal::default());
    }
    let home = settings.home.as_deref();
    let words = personal::JobWords::of(job, home);
    if let Some(word) = words.git_secret() {
        return Err(CageError::CommittedSecret { word });
    }
    let (named, environment) = (words.paths(job, cwd, home), &draft.environment);
    let about = personal::RunSubject {
        workspace,
        cwd,
        written_cwd: &job.cwd,
        environment,
        named: &named,
        of_git: &job.git.files,
        there: &listed.there,
    };
    let found = Personal::find(settings, &settings.secrets_among(workspace, listed, &job.session), about);
    Ok(Personal { missing: words.missing_secrets(job, cwd, home), ..found })
}

/// Every path that nobody in the cage may read: by its place, by its name at any depth of the folders that are searched, and
/// whatever else is another name of one of them.
fn secrets(
    settings: &CageSettings,
    indexes: &Indexes,
    ([workspace, cwd], listed): ([&Path; 2], ListedSecrets),
    personal: &Personal,
    job: &Job<'_>,
    watch: &mut RunWatch,
) -> Result<Vec<RawPath>, CageError> {
    let mut found = Vec::new();
    // What the command itself waits for, where no index would hear of it.
    let above = [workspace, cwd].into_iter().flat_map(|folder| folder.ancestors().skip(1)).collect::<BTreeSet<&Path>>();
    let seen = above.into_iter().filter(|folder| !personal.hides(&folder.join(".env")));
    let missing = seen.flat_map(names_above).filter(|path| !path.exists());
    let named = personal.secret.iter().chain(&personal.missing).cloned();
    missing.chain(named).filter(|path| !path.starts_with(workspace)).for_each(|path| watch.expect(path));
    let exceptions = Exceptions::of(settings, workspace);
    for (path, content) in judged_by_content(settings, &listed.there) {
        // By their letters, in which they are in order.
        let is_listed = listed.all.binary_search_by(|known| known.as_os_str().cmp(path.as_os_str())).is_ok();
        if !is_listed && !exceptions.hold(&path) {
            watch.doubt(path, content);
        }
    }
    if is_project(settings, workspace) && !reads_nothing(job) {
        found.extend(indexes.hide(settings, (workspace, IndexOwner::Project), &listed, watch)?);
        found.extend(other_names(settings, indexes, workspace, &listed, personal)?);
    }
    for folder in &personal.searched {
        found.extend(indexes.hide(settings, (folder, IndexOwner::Others), &listed, watch)?);
    }
    let mut list = listed.all;
    // What a link leads to is as secret as the link; the place of the link may look empty by then.
    let leads_on = listed.found.into_iter().filter(|(path, real)| path != real).map(|(_, real)| real);
    list.extend(leads_on.filter(|real| may_be_hidden(settings, real, [workspace, cwd])));
    list.extend(found);
    if real_home(settings).is_none_or(|home| !personal.hides(&home)) {
        list.extend(in_home(settings));
    }
    list.extend(personal.secret.iter().cloned());
    in_order(&mut list);
    Ok(list.into_iter().map(RawPath::from).collect())
}

/// Somebody's link may lead to a folder that everybody needs.
fn may_be_hidden(settings: &CageSettings, real: &Path, folders: [&Path; 2]) -> bool {
    let needed = folders.into_iter().chain(settings.home.as_deref());
    let is_of_the_system = KERNEL.iter().chain(&["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix"]);
    real.is_file()
        || (real.components().count() > 2
            && !needed.into_iter().any(|folder| folder.starts_with(real))
            && !is_of_the_system.into_iter().any(|folder| real.starts_with(folder)))
}

/// The disk, or the folder of all homes, is not one project.
fn is_project(settings: &CageSettings, workspace: &Path) -> bool {
    let holds_home = settings.home.as_ref().is_some_and(|home| home.starts_with(workspace) && home != workspace);
    workspace != Path::new("/") && !holds_home
}

/// What gives orders in a workspace that is to be writable.
fn orders(
    settings: &CageSettings,
    (indexes, runs): (&Indexes, &ActiveRuns),
    (workspace, listed): (&Path, &ListedSecrets),
    writable: &[RawPath],
    job: &Job<'_>,
) -> Result<Option<(Orders, ActiveRun)>, CageError> {
    let wrong = |why| CageError::Unusable { path: workspace.to_owned(), why };
    if reads_nothing(job) {
        return Ok(None);
    }
    if !is_project(settings, workspace) {
        return Err(wrong("holds home folders; choose a project folder as workspace"));
    }
    if orders::lies_in_orders(&settings.protected, workspace) {
        return Err(wrong(
            "lies in a folder whose files give orders to other programs (such as .git, .vscode, .claude), so nothing in it can be \
             changed by commands; start in the folder above",
        ));
    }
    let look = || snapshot(settings, indexes, (workspace, listed), CheckTime::Before, &OrdersSnapshot::default());
    let (before, under_way) = runs.begin(workspace, look)?;
    let writable: Vec<&Path> = writable.iter().map(RawPath::path).collect();
    let mut also_held = orders::other_names(&before.places, &writable).map_err(wrong)?;
    // A shared mapping changes a file that runs as its owner, and the kernel lets it go on doing so. To look at every file costs
    // much, so it is done where the owner may be somebody with powers.
    // SAFETY: no pointers, cannot fail.
    if unsafe { libc::geteuid() } == 0 {
        let found = indexes.ask(settings, (workspace, IndexOwner::Project), listed, Index::set_ids)?;
        also_held.extend(found.map_err(wrong)?);
    }
    if before.places.len() + also_held.len() > MAX_ORDERS {
        return Err(wrong(
            "holds more files that give orders to other programs (such as .git/config, CLAUDE.md, .npmrc) than can be kept \
             from changing; start in a folder below it",
        ));
    }
    if !before.unread.is_empty() {
        return Err(wrong(
            "holds a git configuration that cannot be read to its end (it is too long, closed, or names files by what is no text), \
             so nobody knows what git would obey there",
        ));
    }
    let orders = Orders {
        workspace: workspace.into(),
        home: real_home(settings).map(RawPath::from),
        path: settings.path.iter().map(|folder| folder.as_path().into()).collect(),
        names: orders::names_in(&settings.protected, workspace).into_iter().map(RawPath::from).collect(),
        before,
        also_held: also_held.into_iter().map(RawPath::from).collect(),
    };
    Ok(Some((orders, under_way)))
}

/// Where the person's home really is.
fn real_home(settings: &CageSettings) -> Option<PathBuf> {
    settings.home.as_ref()?.canonicalize().ok()
}

/// What gives orders in a workspace now. After a run: also in what it closed since `before`.
pub(crate) fn snapshot(
    settings: &CageSettings,
    indexes: &Indexes,
    (workspace, listed): (&Path, &ListedSecrets),
    when: CheckTime,
    before: &OrdersSnapshot,
) -> Result<OrdersSnapshot, CageError> {
    let home = real_home(settings);
    let path: Vec<&Path> = settings.path.iter().map(PathBuf::as_path).collect();
    let whom = Whom { home: home.as_deref(), path: &path };
    let look = |index: &mut Index| {
        Ok(match when {
            CheckTime::Before => OrdersSnapshot::of(index.orders(None)?, whom),
            CheckTime::During => OrdersSnapshot::of_open(index.orders(None)?, whom),
            CheckTime::After => OrdersSnapshot::of(index.orders(Some(before))?, whom),
        })
    };
    indexes.ask(settings, (workspace, IndexOwner::Project), listed, look)?
}

/// Files that the command names and that are other names of secrets.
fn other_names(
    settings: &CageSettings,
    indexes: &Indexes,
    workspace: &Path,
    listed: &ListedSecrets,
    personal: &Personal,
) -> Result<Vec<PathBuf>, CageError> {
    let files = personal.kept.iter().filter_map(|path| Some((path, path.metadata().ok()?)));
    let several = |facts: &std::fs::Metadata| facts.is_file() && std::os::unix::fs::MetadataExt::nlink(facts) > 1;
    let doubtful: Vec<_> = files.filter(|(_, facts)| several(facts)).collect();
    if doubtful.is_empty() {
        return Ok(Vec::new());
    }
    let secrets = indexes.ask(settings, (workspace, IndexOwner::Project), listed, |index| index.by_number())?;
    Ok(doubtful.into_iter().filter(|(_, facts)| secrets.hold(facts)).map(|(path, _)| path.clone()).collect())
}

fn is_true_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

/// What cages are tried out with.
fn reads_nothing(job: &Job<'_>) -> bool {
    matches!(&job.command, JobCommand::Program(argv) if *argv == ["true"])
}

/// What stays visible of our own folder. Through a link it would show something else, so there must be none.
fn visible_own_files(settings: &CageSettings, own: &Path, job: &Job<'_>) -> Vec<PathBuf> {
    let meant = settings.own_open();
    let paths = meant.iter().map(PathBuf::as_path).chain(job.session.paths());
    let real = paths.filter_map(|path| Some((path, path.canonicalize().ok()?)));
    // The folder itself may be reached through a link; what is in it may not.
    let kept = real.filter(|(path, real)| real.starts_with(own) && real.file_name() == path.file_name());
    let mut kept: Vec<PathBuf> = kept.map(|(_, real)| real).collect();
    kept.sort();
    kept.dedup();
    kept
}

/// Service folders as they are on this machine, the person's own one included.
fn emptied() -> Vec<RawPath> {
    let own = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    let fixed = SERVICES.iter().map(PathBuf::from);
    let real = fixed
        .chain(own)
        .filter_map(|path| path.canonicalize().ok())
        .filter(|path| path.is_dir() && path != Path::new("/"));
    outermost(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(list: &[&str]) -> Vec<RawPath> {
        list.iter().map(|path| RawPath::from(Path::new(path))).collect()
    }

    #[test]
    fn folders_inside_others_are_left_out_and_the_first_stays_first() {
        let given = ["/w/project", "/a", "/a/b", "/a", "/w/other"].map(PathBuf::from);
        assert_eq!(outermost(given.into_iter()), paths(&["/w/project", "/a", "/w/other"]));
    }

    #[test]
    fn letters_tell_where_a_straight_path_lies() {
        let page: [(&str, &str, bool); 6] = [
            ("/home/x/.ssh", "/home/x", true),
            ("/home/x", "/home/x", true),
            ("/home/xy", "/home/x", false),
            ("/home", "/home/x", false),
            ("/home/x", "/", true),
            ("/", "/", true),
        ];
        assert_eq!(page.map(|(path, folder, _)| (path, folder, is_in(path.as_bytes(), folder.as_bytes()))), page);
        let straight = ["/a/b", "/a//b", "/a/./b", "/a/..", "/a/", "a"].map(|path| is_straight(path.as_bytes()));
        assert_eq!(straight, [true, false, false, false, false, false]);
    }

    #[test]
    fn the_disk_and_kernel_folders_are_no_workspace() {
        let refused: Vec<bool> = ["/", "/proc/1", "/sys", "/dev/shm/x", "/home/x"]
            .iter()
            .map(|path| usable(Path::new(path)).is_err())
            .collect();
        assert_eq!(refused, [true, true, true, true, false]);
    }
}
