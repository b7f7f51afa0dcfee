//! Tries every protection of this machine for real and says, line by line, what holds and what to do about what does not.
#![expect(clippy::disallowed_methods, reason = "prepares a folder of its own for the tries")]

use crate::cages::{CageSettings, Cages, RequiredBuild};
use crate::error::CageError;
use crate::job::{Job, JobCommand, RunLimits, RunOutcome};
use crate::protection::Layer;
use crate::setup::landlock_version;
use fore_plan::{
    Cage, Outside,
    gate::table::{CageStanding, Lack},
};
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One protection, tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtectionCheck {
    /// As people know it.
    pub name: &'static str,
    /// Whether it holds.
    pub state: ProtectionState,
    /// What was seen.
    pub why: String,
    /// What a person can do, when it does not hold.
    pub what_to_do: Option<String>,
}

/// Whether a protection holds on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtectionState {
    /// It was tried and held.
    On,
    /// Holds, with a gap that `why` names.
    Partly,
    /// It does not hold.
    Off,
}

/// One kind of sandbox: whether it stands here, what holds it, and what each layer is there for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxCheck {
    /// Its kind.
    pub name: &'static str,
    /// What it is for.
    pub purpose: &'static str,
    /// Whether it can be built here.
    pub standing: CageStanding,
    /// The layers that hold it now.
    pub held_by: Vec<Layer>,
    /// What it would cost to be without a layer, or costs already.
    pub costs: Vec<(Layer, &'static str)>,
}

/// The layers that a sandbox can be made of.
const LAYERS: [Layer; 3] = [Layer::Namespaces, Layer::Landlock, Layer::SystemCalls];

const READ_ONLY: Cage = Cage::ReadOnly { outside: Outside::Closed };
const WORKSPACE: Cage = Cage::Workspace { outside: Outside::Closed };

/// Builds each kind of sandbox for a project and says what holds it.
pub fn sandboxes(cages: &Cages, project: &Path) -> Vec<SandboxCheck> {
    let kernel = cages.kernel(project);
    let workspace = cages.standing(WORKSPACE, project).0;
    let costs = |of: fn(Layer) -> &'static str| LAYERS.iter().map(|layer| (*layer, of(*layer))).collect();
    let sandbox = |name, purpose, standing: CageStanding, of| SandboxCheck {
        name,
        purpose,
        held_by: held_by(&standing),
        standing,
        costs: costs(of),
    };
    vec![
        sandbox("read-only", "for commands that only read", kernel.read_only, cost_of_reading),
        sandbox(
            "rehearsal",
            "for what cannot be proved; its changes are dropped",
            kernel.rehearsal,
            cost_of_rehearsing,
        ),
        sandbox("workspace", "for work in auto mode, which stays in the project", workspace, cost_of_working),
    ]
}

fn held_by(standing: &CageStanding) -> Vec<Layer> {
    match standing {
        CageStanding::Full => LAYERS.to_vec(),
        CageStanding::Without(missing) => LAYERS.into_iter().filter(|layer| layer.name() != missing).collect(),
        CageStanding::Missing(_) => Vec::new(),
    }
}

const NO_FILTER: &str = "not available: a command could talk to services through their socket files";
const NO_LANDLOCK: &str = "a few milliseconds: a layer over every folder keeps named pipes out of reach instead";

fn cost(layer: Layer, without_namespaces: &'static str) -> &'static str {
    if layer == Layer::Namespaces {
        return without_namespaces;
    }
    if layer == Layer::Landlock { NO_LANDLOCK } else { NO_FILTER }
}

fn cost_of_reading(layer: Layer) -> &'static str {
    cost(layer, "other processes and the names of hidden files can be seen; temp files lie on the disk, 512 MB at most")
}

fn cost_of_rehearsing(layer: Layer) -> &'static str {
    cost(layer, "not available: what cannot be proved is asked or refused")
}

fn cost_of_working(layer: Layer) -> &'static str {
    cost(layer, "not available: nothing else keeps git's hooks, settings and secrets in a writable project as they are")
}

/// A script whose output tells whether a protection holds.
struct ProtectionTrial {
    name: &'static str,
    cage: Cage,
    layer: Layer,
    script: String,
    expected: &'static str,
    holds: &'static str,
}

/// Tries everything that these cages are made of here.
pub fn examine(cages: &Cages, project: &Path) -> io::Result<Vec<ProtectionCheck>> {
    let kernel = cages.kernel(project);
    let mut lines = vec![landlock()];
    let (folder, trouble) = folder()?;
    lines.extend(trouble);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    std::fs::create_dir(folder.path().join("old"))?;
    std::fs::write(folder.path().join("old/file"), "x\n")?;
    std::fs::write(folder.path().join("secret"), "x\n")?;
    let settings = CageSettings { secrets: vec!["secret".into()], ..cages.settings().clone() };
    let tried = Cages::new(settings.clone(), cages.catalogue());
    let has_namespaces =
        !matches!(&kernel.read_only, CageStanding::Without(layer) if layer == Layer::Namespaces.name());
    let mut tries = Vec::new();
    match kernel.read_only.lack() {
        Some(lack) => lines.push(missing("sandbox", lack)),
        None => tries.extend(of_reading(listener.local_addr()?.port(), has_namespaces)),
    }
    match kernel.rehearsal.lack() {
        Some(lack) => lines.push(missing("rehearsal", lack)),
        None => tries.extend(of_rehearsing()),
    }
    for attempt in tries {
        lines.push(seen(&attempt, run(&tried, &attempt, folder.path()), folder.path())?);
    }
    if kernel.read_only.lack().is_none() && has_namespaces && landlock_version() >= 3 {
        let thin =
            Cages::new(CageSettings { required_build: RequiredBuild::LandlockOnly, ..settings }, cages.catalogue());
        let attempt = without_namespaces();
        lines.push(seen(&attempt, run(&thin, &attempt, folder.path()), folder.path())?);
    }
    Ok(lines)
}

fn missing(name: &'static str, lack: &Lack) -> ProtectionCheck {
    ProtectionCheck {
        name,
        state: ProtectionState::Off,
        why: lack.reason.to_string(),
        what_to_do: Some(lack.remedy.to_string()),
    }
}

/// A folder for the tries, and a line when the usual place for it cannot be used.
fn folder() -> io::Result<(tempfile::TempDir, Option<ProtectionCheck>)> {
    let within = |place: &Path| tempfile::Builder::new().prefix("fore-doctor-").tempdir_in(place);
    let usual = crate::person_environment::temp_folder();
    let error = match within(&usual) {
        Ok(folder) => return Ok((folder, None)),
        Err(error) => error,
    };
    let others = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
    let Some(folder) = others.iter().find_map(|place| within(place).ok()) else { return Err(error) };
    let line = ProtectionCheck {
        name: "temp folder",
        state: ProtectionState::Partly,
        why: format!("{} cannot be used: {}", usual.display(), kind_of(&error)),
        what_to_do: Some("Let TMPDIR name a folder that exists, is writable and has room".to_owned()),
    };
    Ok((folder, Some(line)))
}

/// The kernel's own words, without the name that was tried.
fn kind_of(error: &io::Error) -> String {
    let code = error.raw_os_error().or_else(|| {
        let inner = error.get_ref()?.source()?.downcast_ref::<io::Error>()?;
        inner.raw_os_error()
    });
    code.map_or_else(|| error.kind().to_string(), |code| io::Error::from_raw_os_error(code).to_string())
}

fn run(cages: &Cages, attempt: &ProtectionTrial, folder: &Path) -> Result<RunOutcome, CageError> {
    let limits = RunLimits { time: Duration::from_secs(10), ..RunLimits::default() };
    let mut job = Job { limits, ..Job::new(JobCommand::Script(attempt.script.clone()), folder) };
    cages.run_in(&attempt.cage, &mut job)
}

/// What came of a try, and whether it left something behind.
fn seen(
    attempt: &ProtectionTrial,
    result: Result<RunOutcome, CageError>,
    folder: &Path,
) -> io::Result<ProtectionCheck> {
    let line = judge(attempt, result);
    let kept = std::fs::read_dir(folder)?.count() != 2 || !folder.join("old/file").exists();
    Ok(if kept {
        ProtectionCheck { state: ProtectionState::Off, why: "a write was kept".to_owned(), ..line }
    } else {
        line
    })
}

fn judge(attempt: &ProtectionTrial, result: Result<RunOutcome, CageError>) -> ProtectionCheck {
    let off = |why: String, layer: Layer| ProtectionCheck {
        name: attempt.name,
        state: ProtectionState::Off,
        why,
        what_to_do: Some(layer.advice().to_owned()),
    };
    match result {
        Ok(outcome) if outcome.stdout.text().trim() == attempt.expected => ProtectionCheck {
            name: attempt.name,
            state: ProtectionState::On,
            why: attempt.holds.to_owned(),
            what_to_do: None,
        },
        Ok(outcome) => off(
            format!(
                "instead of \"{}\" came \"{}{}\"",
                attempt.expected,
                outcome.stdout.text().trim(),
                outcome.stderr.text().trim()
            ),
            attempt.layer,
        ),
        Err(error) => {
            let layer = if let CageError::Layer { layer, .. } = &error { *layer } else { attempt.layer };
            off(error.reason(), layer)
        }
    }
}

fn landlock() -> ProtectionCheck {
    let version = landlock_version();
    let (state, why) = match version {
        0 => (ProtectionState::Partly, "this kernel has no Landlock, or it is not switched on".to_owned()),
        1..3 => (
            ProtectionState::Partly,
            format!("version {version} does not see truncation, so it cannot hold a sandbox alone"),
        ),
        3..6 => (
            ProtectionState::Partly,
            format!(
                "version {version} does not keep signals inside; without namespaces the call filter then refuses them all"
            ),
        ),
        _ => (ProtectionState::On, format!("version {version}")),
    };
    let advice = (state != ProtectionState::On).then(|| Layer::Landlock.advice().to_owned());
    ProtectionCheck { name: "Landlock", state, why, what_to_do: advice }
}

fn attempt(what: &str) -> String {
    format!("({what}) 2>/dev/null && echo worked || echo refused")
}

fn of_reading(port: u16, has_namespaces: bool) -> Vec<ProtectionTrial> {
    let agent = std::process::id();
    let read_only = |name, layer, script: String, expected, holds| ProtectionTrial {
        name,
        cage: READ_ONLY,
        layer,
        script,
        expected,
        holds,
    };
    let mut tries = Vec::new();
    if has_namespaces {
        let holds = "own users, mounts, processes and shared memory; an own network where sockets are allowed";
        tries.push(read_only("namespaces", Layer::Namespaces, "echo stands".to_owned(), "stands", holds));
    }
    let temp = "echo x > \"$TMPDIR\"/fore-doctor && cat \"$TMPDIR\"/fore-doctor".to_owned();
    let status = |names: &str, what: &str| {
        format!("while read -r name value; do case $name in {names}) {what} ;; esac; done < /proc/self/status")
    };
    let powers = status("CapEff:|CapBnd:|NoNewPrivs:", "printf '%s ' $((16#$value))");
    tries.extend([
        read_only("read-only disk", Layer::ReadOnlyDisk, attempt("echo x > new"), "refused", "a write was refused"),
        read_only("private temp folder", Layer::PrivateTemp, temp, "x", "writable, and dropped afterwards"),
        read_only(
            "private devices",
            Layer::Devices,
            attempt("exec 3<>/dev/tty || exec 3<>/dev/ptmx"),
            "refused",
            "no terminal",
        ),
        read_only(
            "other processes",
            Layer::Processes,
            attempt(&format!("kill -0 {agent}")),
            "refused",
            "they are out of reach",
        ),
        read_only("hidden secrets", Layer::Secrets, attempt("cat secret"), "refused", "permission denied"),
        read_only(
            "no network",
            Layer::Services,
            attempt(&format!("exec 3<>/dev/tcp/127.0.0.1/{port}")),
            "refused",
            "not even this machine could be reached",
        ),
        read_only(
            "system call filter",
            Layer::SystemCalls,
            status("Seccomp:", "echo $value"),
            "2",
            "dangerous system calls are blocked",
        ),
    ]);
    if has_namespaces {
        let holds = "no capabilities, no way to new ones";
        tries.push(read_only("dropped privileges", Layer::Privileges, powers, "0 0 1", holds));
    }
    tries
}

fn of_rehearsing() -> [ProtectionTrial; 2] {
    let rehearsal = |name, script: &str, expected, holds| ProtectionTrial {
        name,
        cage: Cage::Rehearsal,
        layer: Layer::Overlay,
        script: script.to_owned(),
        expected,
        holds,
    };
    [
        rehearsal("rehearsal", "echo x > new && cat new", "x", "a write seemed to work and was dropped"),
        rehearsal(
            "rehearsal of remade folders",
            "rm -r old && mkdir old && ls -A old && echo empty",
            "empty",
            "a removed folder could be made again",
        ),
    ]
}

fn without_namespaces() -> ProtectionTrial {
    ProtectionTrial {
        name: "without namespaces",
        cage: READ_ONLY,
        layer: Layer::Landlock,
        script: format!("{}; {}; {}", attempt("echo x > new"), attempt("chmod 700 secret"), attempt("cat secret")),
        expected: "refused\nrefused\nrefused",
        holds: "Landlock and the call filter would hold alone",
    }
}
