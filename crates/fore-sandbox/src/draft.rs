//! Turns a cage and a job into a blueprint: every path resolved and checked, before anything is started.

use crate::blueprint::{Blueprint, Bounds, RawPath, Reach, Walls};
use crate::cages::Settings;
use crate::environment::{self, Environment, Purpose, Variables, added};
use crate::error::CageError;
use crate::git;
use crate::job::{Command, Job};
use crate::orders;
use crate::private_temp::PrivateTemp;
use crate::setup::Mounts;
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
/// `/var/tmp` is for files that outlive a restart, so it is read-only like the rest.
const TEMPS: [&str; 1] = ["/tmp"];
/// File systems that are not files; nothing there can be a workspace.
const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

pub(crate) struct Draft {
    pub(crate) blueprint: Blueprint,
    /// Without namespaces the private temp folder is a real one; it goes away with the draft.
    _temp: Option<PrivateTemp>,
}

impl Draft {
    /// Keeps a program from being replaced where the cage leaves its folder writable.
    pub(crate) fn protect(&mut self, program: &Path) {
        let Ok(program) = program.canonicalize() else { return };
        let blueprint = &mut self.blueprint;
        if blueprint.writable.iter().any(|top| program.starts_with(top.path())) {
            blueprint.protected.push(program.into());
        }
    }
}

pub(crate) fn draft(settings: &Settings, cage: &Cage, walls: Walls, job: &Job<'_>) -> Result<Draft, CageError> {
    let cwd = real_folder(&job.cwd)?;
    let workspace = real_folder(&job.workspace)?;
    let reach = reach(cage);
    let mut draft = Blueprint {
        walls,
        argv: argv(cage, job),
        environment: environment(cage, job, &workspace),
        cwd: cwd.as_path().into(),
        stdin_bytes: job.stdin.len() as u64,
        plan_file: None,
        writable: Vec::new(),
        protected: Vec::new(),
        overlays: Vec::new(),
        masked: Vec::new(),
        blank: Vec::new(),
        emptied: Vec::new(),
        kept: Vec::new(),
        shown: Vec::new(),
        temps: Vec::new(),
        reach,
        bounds: bounds(job),
        diff: job.diff,
        report_folder: false,
        leash: false,
    };
    // Who gives bash a start-up file of their own keeps it.
    draft.report_folder = job.report_folder
        && matches!(job.command, Command::Script(_))
        && !draft.environment.iter().any(|(name, _)| name == "BASH_ENV");
    match cage {
        Cage::Free => {
            return Ok(Draft { blueprint: draft, _temp: None });
        }
        Cage::ReadOnly { .. } => {
            draft.writable = outermost(extra_writable(job)?.into_iter());
            for path in &draft.writable {
                usable(path.path())?;
            }
            draft.plan_file = job.plan_file.as_deref().map(real_plan).transpose()?.map(RawPath::from)
        }
        Cage::Workspace { .. } => {
            let more = extra_writable(job)?;
            draft.writable = outermost(std::iter::once(workspace.clone()).chain(more));
            for path in &draft.writable {
                usable(path.path())?;
            }
            let protected = orders::protected(&settings.protected, &workspace);
            draft.protected = protected.into_iter().map(RawPath::from).collect();
        }
        Cage::Rehearsal => {
            usable(&workspace)?;
            draft.overlays = overlays(settings, &workspace);
        }
    }
    draft.masked = secrets(settings, [&workspace, &cwd]);
    let blank = job.git.blank.iter().map(|path| RawPath::from(path.as_path()));
    match walls {
        Walls::Full => draft.blank = blank.collect(),
        // Nothing can be put over them, but nobody needs to open them.
        Walls::LandlockOnly | Walls::None => draft.masked.extend(blank),
    }
    let mut temp = None;
    match walls {
        Walls::None => {}
        Walls::Full => {
            draft.temps = TEMPS.iter().map(Path::new).filter(|path| path.is_dir()).map(RawPath::from).collect();
            set(&mut draft.environment, "TMPDIR", "/tmp".into());
            if reach != Reach::Services {
                draft.emptied = services();
                draft.kept = KEPT.iter().map(|path| RawPath::from(Path::new(path))).collect();
            }
            let covered =
                |path: &Path| draft.temps.iter().chain(&draft.emptied).any(|over| path.starts_with(over.path()));
            let again =
                |path: &Path| draft.writable.iter().chain(&draft.overlays).any(|over| path.starts_with(over.path()));
            draft.shown = outermost([workspace, cwd].into_iter().filter(|path| covered(path) && !again(path)));
        }
        Walls::LandlockOnly => {
            let folder = PrivateTemp::new()?;
            set(&mut draft.environment, "TMPDIR", folder.path().into());
            draft.temps = vec![folder.path().into()];
            temp = Some(folder);
        }
    }
    Ok(Draft { blueprint: draft, _temp: temp })
}

fn extra_writable(job: &Job<'_>) -> Result<Vec<PathBuf>, CageError> {
    job.extra_writable.iter().map(|path| real(path)).collect()
}

fn reach(cage: &Cage) -> Reach {
    match cage {
        Cage::ReadOnly { outside } | Cage::Workspace { outside } => match outside {
            Outside::Closed => Reach::Nobody,
            Outside::Network => Reach::Network,
            Outside::Services => Reach::Services,
        },
        Cage::Rehearsal => Reach::Loopback,
        Cage::Free => Reach::Services,
    }
}

/// A single git command that only reads is told to run no driver of the repository's. Inside a script the environment does
/// what an environment can; the cage does the rest.
fn argv(cage: &Cage, job: &Job<'_>) -> Vec<OsString> {
    let argv = job.command.argv();
    match (cage, &job.command) {
        (Cage::ReadOnly { .. }, Command::Program(_)) => git::without_drivers(argv),
        _ => argv,
    }
}

/// Only a cage that can do nothing but read gets git held back: elsewhere people commit.
fn environment(cage: &Cage, job: &Job<'_>, workspace: &Path) -> Variables {
    let purpose = match cage {
        Cage::ReadOnly { .. } => Purpose::Reading(job.git.clone()),
        Cage::Rehearsal | Cage::Workspace { .. } | Cage::Free => Purpose::Working,
    };
    match &job.environment {
        Environment::Cleaned => {
            let mut variables = environment::of_this_process(workspace, &purpose);
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
fn real(path: &Path) -> Result<PathBuf, CageError> {
    if !path.is_absolute() {
        return Err(CageError::Unusable { path: path.to_owned(), why: "is not an absolute path" });
    }
    path.canonicalize()
        .map_err(|_| CageError::Unusable { path: path.to_owned(), why: "does not exist or cannot be reached" })
}

fn real_folder(path: &Path) -> Result<PathBuf, CageError> {
    let real = real(path)?;
    if real.is_dir() { Ok(real) } else { Err(CageError::Unusable { path: real, why: "is not a folder" }) }
}

/// The plan file by its true folder and its own name: the name itself may not be a link.
fn real_plan(path: &Path) -> Result<PathBuf, CageError> {
    let wrong = |why| CageError::Unusable { path: path.to_owned(), why };
    let (Some(folder), Some(Component::Normal(name))) = (path.parent(), path.components().next_back()) else {
        return Err(wrong("does not name a plan file"));
    };
    let plan = real_folder(folder)?.join(name);
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
fn overlays(settings: &Settings, workspace: &Path) -> Vec<RawPath> {
    let caches = settings.caches.iter().filter_map(|path| at_home(settings, path)?.canonicalize().ok());
    let caches: Vec<PathBuf> = caches
        .filter(|path| {
            path.is_dir() && usable(path).is_ok() && !workspace.starts_with(path) && !path.starts_with(workspace)
        })
        .collect();
    outermost(std::iter::once(workspace.to_owned()).chain(caches))
}

/// A relative secret is hidden in every folder from the top of the disk down to where the command works: the project may begin
/// further up than the workspace does.
pub(crate) fn secrets(settings: &Settings, folders: [&Path; 2]) -> Vec<RawPath> {
    let folders: BTreeSet<&Path> = folders.into_iter().flat_map(Path::ancestors).collect();
    let mut list: Vec<RawPath> = Vec::new();
    for secret in &settings.secrets {
        match at_home(settings, secret) {
            Some(path) => list.push(path.into()),
            None => list.extend(
                // Most are not there; each that is told to the set-up program costs it a look.
                folders
                    .iter()
                    .map(|folder| folder.join(secret))
                    .filter(|path| is_worth_hiding(path))
                    .map(RawPath::from),
            ),
        }
    }
    // A bind mount gives a file a second name.
    let mounts = Mounts::now();
    let true_paths = list.iter().filter_map(|path| path.path().canonicalize().ok());
    let others: Vec<RawPath> = true_paths.flat_map(|path| mounts.other_names(&path)).map(RawPath::from).collect();
    list.extend(others);
    list.sort();
    list.dedup();
    list
}

/// A repository can hold links, and one named `.env` that leads to `/usr` must not hide all programs.
fn is_worth_hiding(path: &Path) -> bool {
    match path.symlink_metadata() {
        Ok(found) if found.is_symlink() => path.metadata().is_ok_and(|target| target.is_file()),
        Ok(_) => true,
        Err(_) => false,
    }
}

/// `~/…` in the person's home, or an absolute path; `None` for a relative one.
pub(crate) fn at_home(settings: &Settings, path: &Path) -> Option<PathBuf> {
    match path.strip_prefix("~") {
        // Without a home there is nothing to hide there.
        Ok(rest) => Some(
            settings.home.as_ref().map_or_else(|| PathBuf::from("/nonexistent").join(rest), |home| home.join(rest)),
        ),
        Err(_) => path.is_absolute().then(|| path.to_owned()),
    }
}

/// Service folders as they are on this machine, the person's own one included.
fn services() -> Vec<RawPath> {
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
    fn the_disk_and_kernel_folders_are_no_workspace() {
        let refused: Vec<bool> = ["/", "/proc/1", "/sys", "/dev/shm/x", "/home/x"]
            .iter()
            .map(|path| usable(Path::new(path)).is_err())
            .collect();
        assert_eq!(refused, [true, true, true, true, false]);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "makes the files that are looked for")]
    fn secrets_at_home_by_path_and_in_every_folder_on_the_way_are_told_apart() {
        let settings = Settings {
            home: Some("/home/x".into()),
            secrets: ["~/.ssh", "/etc/secret", ".env"].map(PathBuf::from).to_vec(),
            ..Settings::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let (top, inner) = (folder.path(), folder.path().join("a/b"));
        std::fs::create_dir_all(&inner).unwrap();
        for path in [top.join(".env"), inner.join(".env")] {
            std::fs::write(path, "").unwrap();
        }
        let mut expected = paths(&["/etc/secret", "/home/x/.ssh"]);
        expected.extend([top.join(".env"), inner.join(".env")].map(RawPath::from));
        expected.sort();
        assert_eq!(secrets(&settings, [&top.join("a"), &inner]), expected);
    }
}
