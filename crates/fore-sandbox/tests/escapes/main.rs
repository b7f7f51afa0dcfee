//! Tries to get out of every cage, as root and as an ordinary person. Each attack must work outside and fail inside.
//!
//! This program is judge and attacker: inside the cage it runs itself with the name of one attack.
#![expect(
    clippy::disallowed_methods,
    reason = "attacks write and start what they like, the judge prepares their targets"
)]
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod attacks;
mod lives;
#[path = "../support/permitted.rs"]
mod permitted;
mod proxy;
mod scene;

use attacks::{ATTACKS, Aim, Attack, Control};
use fore_plan::{Cage, Contacts, Outside};
use fore_sandbox::{CageSettings, Cages, Job, JobCommand, RequiredBuild, Status};
use permitted::RunTyped;
use scene::{MARKER, MARKER_VALUE, Scene, Targets};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::ExitCode;

/// The exit code of an attack that was refused; any other failure is trouble of the test itself.
const REFUSED: i32 = 10;
/// The ordinary person that root becomes for the second half.
const NOBODY: u32 = 65534;
/// Where the ordinary person may make targets.
const PLACE: &str = "FORE_TEST_PLACE";

fn main() -> ExitCode {
    // So that this program can also show that one file is enough.
    fore_sandbox::become_setup_if_asked();
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("attack") => attack(&arguments.next().unwrap(), &Targets::from_arguments(arguments)),
        Some("agent") => lives::agent(&arguments.next().unwrap()),
        Some("planter") => lives::planter(&arguments.next().unwrap()),
        Some("hold a lock") => lives::hold_lock(&arguments.next().unwrap(), &arguments.next().unwrap()),
        Some("hoard") => lives::hoard(&arguments.next().unwrap()),
        Some("without namespaces") => lives::without_namespaces(),
        Some("--list") => ExitCode::SUCCESS,
        filter => judge(filter.filter(|filter| !filter.starts_with('-')).unwrap_or("")),
    }
}

fn attack(name: &str, targets: &Targets) -> ExitCode {
    let attack = ATTACKS.iter().find(|attack| attack.name == name).unwrap();
    match (attack.run)(targets) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::from(REFUSED as u8)
        }
    }
}

/// One cage that all attacks are tried in.
struct Prison {
    name: &'static str,
    cage: Cage,
    thickness: RequiredBuild,
    target: Place,
}

/// Where the target lies, as seen from the cage.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    /// In the workspace, which a rehearsal covers with a throw-away layer.
    Workspace,
    /// In the temp folder, which every cage covers with a throw-away layer.
    Temp,
    /// In the workspace, which lies in the temp folder.
    WorkspaceInTemp,
}

const READ_ONLY: Cage = Cage::ReadOnly { outside: Outside::Closed };
const WORKSPACE: Cage = Cage::Workspace { outside: Outside::Closed };
/// Every public web server can be reached through the proxy, and nobody in any other way.
const PUBLIC: Outside = Outside::AnyPublic(Contacts { hosts: Vec::new(), services: Vec::new() });
const PRISONS: [Prison; 17] = [
    Prison {
        name: "read-only with network",
        cage: Cage::ReadOnly { outside: PUBLIC },
        thickness: RequiredBuild::Full,
        target: Place::Outside,
    },
    Prison {
        name: "workspace with network",
        cage: Cage::Workspace { outside: PUBLIC },
        thickness: RequiredBuild::Full,
        target: Place::Outside,
    },
    Prison { name: "read-only", cage: READ_ONLY, thickness: RequiredBuild::Full, target: Place::Outside },
    Prison {
        name: "read-only over the target",
        cage: READ_ONLY,
        thickness: RequiredBuild::Full,
        target: Place::Workspace,
    },
    Prison {
        name: "read-only, target in the temp folder",
        cage: READ_ONLY,
        thickness: RequiredBuild::Full,
        target: Place::Temp,
    },
    Prison {
        name: "read-only over the target in the temp folder",
        cage: READ_ONLY,
        thickness: RequiredBuild::Full,
        target: Place::WorkspaceInTemp,
    },
    Prison {
        name: "read-only, Landlock alone",
        cage: READ_ONLY,
        thickness: RequiredBuild::LandlockOnly,
        target: Place::Outside,
    },
    Prison {
        name: "read-only, without Landlock",
        cage: READ_ONLY,
        thickness: RequiredBuild::WithoutLandlock,
        target: Place::Outside,
    },
    Prison {
        name: "read-only over the target, without Landlock",
        cage: READ_ONLY,
        thickness: RequiredBuild::WithoutLandlock,
        target: Place::Workspace,
    },
    Prison {
        name: "read-only, target in the temp folder, without Landlock",
        cage: READ_ONLY,
        thickness: RequiredBuild::WithoutLandlock,
        target: Place::Temp,
    },
    Prison {
        name: "read-only over the target in the temp folder, without Landlock",
        cage: READ_ONLY,
        thickness: RequiredBuild::WithoutLandlock,
        target: Place::WorkspaceInTemp,
    },
    Prison {
        name: "workspace, without Landlock",
        cage: WORKSPACE,
        thickness: RequiredBuild::WithoutLandlock,
        target: Place::Outside,
    },
    Prison {
        name: "rehearsal, without Landlock",
        cage: Cage::Rehearsal,
        thickness: RequiredBuild::WithoutLandlock,
        target: Place::Outside,
    },
    Prison {
        name: "rehearsal over the target, without Landlock",
        cage: Cage::Rehearsal,
        thickness: RequiredBuild::WithoutLandlock,
        target: Place::Workspace,
    },
    Prison { name: "workspace", cage: WORKSPACE, thickness: RequiredBuild::Full, target: Place::Outside },
    Prison { name: "rehearsal", cage: Cage::Rehearsal, thickness: RequiredBuild::Full, target: Place::Outside },
    Prison {
        name: "rehearsal over the target",
        cage: Cage::Rehearsal,
        thickness: RequiredBuild::Full,
        target: Place::Workspace,
    },
];

/// A folder that is no temp folder in any cage.
fn place() -> PathBuf {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    // Whoever builds in the temp folder needs another place: cages have a temp folder of their own.
    let usual = if target.starts_with(std::env::temp_dir()) { PathBuf::from("/var/tmp") } else { target };
    let place = std::env::var_os(PLACE).map_or(usual, PathBuf::from);
    // So that what is made here is not taken for a part of the repository that this is built in.
    let mark = place.join("CACHEDIR.TAG");
    if !mark.exists() {
        let _ = std::fs::write(mark, "Signature: 8a477f597d28d172789f06886806bc55");
    }
    place
}

/// Where files may be written, only what plants something is an attack.
const PLANTED_IN: &[Prison] = &[
    Prison {
        name: "workspace over the target",
        cage: WORKSPACE,
        thickness: RequiredBuild::Full,
        target: Place::Workspace,
    },
    Prison {
        name: "workspace over the target, without Landlock",
        cage: WORKSPACE,
        thickness: RequiredBuild::WithoutLandlock,
        target: Place::Workspace,
    },
];

fn judge(filter: &str) -> ExitCode {
    // SAFETY: no pointers, cannot fail.
    let is_root = unsafe { libc::geteuid() } == 0;
    let who = if is_root { "root" } else { "an ordinary person" };
    // SAFETY: no other thread runs yet.
    unsafe { std::env::set_var(MARKER, MARKER_VALUE) };
    let mut failures = Vec::new();
    let mut count = 0;
    for attack in ATTACKS.iter().filter(|attack| attack.name.contains(filter)) {
        count += 1;
        failures.extend(try_outside(attack, is_root));
        let more = if attack.aim == Aim::Planting { PLANTED_IN } else { &[] };
        failures.extend(PRISONS.iter().chain(more).filter_map(|prison| try_inside(attack, prison)));
    }
    for (name, check) in lives::CHECKS.iter().filter(|(name, _)| name.contains(filter)) {
        count += 1;
        failures.extend(check().err().map(|error| format!("{name}: {error}")));
    }
    for failure in &failures {
        println!("FAILED as {who}: {failure}");
    }
    println!("{count} attacks and checks on {} cages as {who}: {} failures", PRISONS.len(), failures.len());
    let again = !is_root || again_as_nobody(filter);
    if failures.is_empty() && again { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn again_as_nobody(filter: &str) -> bool {
    let own = std::env::current_exe().unwrap();
    let place = tempfile::tempdir_in(place()).unwrap();
    std::os::unix::fs::chown(place.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    let mut command = std::process::Command::new(own);
    command.arg(filter).uid(NOBODY).gid(NOBODY).env("HOME", "/nonexistent").env(PLACE, place.path());
    command.status().unwrap().success()
}

/// The control: what does not work outside proves nothing inside.
fn try_outside(attack: &Attack, is_root: bool) -> Option<String> {
    if attack.control == Control::Root && !is_root {
        return None;
    }
    let scene = Scene::new(&place());
    let own = std::env::current_exe().unwrap();
    let output =
        std::process::Command::new(own).args(["attack", attack.name]).args(scene.targets.arguments()).output().unwrap();
    (!output.status.success()).then(|| {
        format!(
            "{}: did not even work outside: {} {}",
            attack.name,
            output.status,
            String::from_utf8_lossy(&output.stdout)
        )
    })
}

fn try_inside(attack: &Attack, prison: &Prison) -> Option<String> {
    let mut scene = Scene::new(&match prison.target {
        Place::Outside | Place::Workspace => place(),
        Place::Temp | Place::WorkspaceInTemp => std::env::temp_dir(),
    });
    let folder = &scene.targets.folder;
    let settings = CageSettings {
        setup: Some(env!("CARGO_BIN_EXE_fore-cage-setup").into()),
        secrets: vec![folder.join("secret-file"), folder.join("secret-folder")],
        required_build: prison.thickness,
        ..crate::permitted::usual_settings()
    };
    let mut argv = vec![std::env::current_exe().unwrap().into_os_string(), "attack".into(), attack.name.into()];
    argv.extend(scene.targets.arguments().into_iter().map(Into::into));
    let workspace = match prison.target {
        Place::Workspace | Place::WorkspaceInTemp => folder,
        Place::Outside | Place::Temp => &scene.workspace,
    };
    let throw_away =
        prison.target == Place::Temp || (prison.target == Place::Workspace && prison.cage == Cage::Rehearsal);
    let before = scene.tree();
    let outcome = Cages::new(settings, &fore_commands::CATALOGUE)
        .run_typed(&prison.cage, Job::new(JobCommand::Program(argv), workspace));
    let problem = |text: String| Some(format!("{} in {}: {text}", attack.name, prison.name));
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return problem(error.to_string()),
    };
    let refused = matches!(outcome.status, Status::Exited(REFUSED) | Status::Signalled(libc::SIGSYS));
    let may_seem_to_work = attack.aim == Aim::Files && throw_away && outcome.status.success();
    if !refused && !may_seem_to_work {
        return problem(format!("{:?} {}{}", outcome.status, outcome.stdout.text(), outcome.stderr.text()));
    }
    let arrivals = scene.arrivals();
    if !arrivals.is_empty() {
        return problem(format!("reached {arrivals:?}"));
    }
    let after = scene.tree();
    (before != after).then(|| format!("{} in {}: the tree changed:\n{before:#?}\n{after:#?}", attack.name, prison.name))
}
