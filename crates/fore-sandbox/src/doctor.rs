//! Tries every protection of this machine for real and says, line by line, what holds and what to do about what does not.
#![expect(clippy::disallowed_methods, reason = "prepares a folder of its own for the tries")]

use crate::cages::{Cages, Settings, Thickness};
use crate::error::CageError;
use crate::job::{Command, Job, Limits, Outcome};
use crate::protection::Layer;
use crate::setup::landlock_version;
use fore_plan::{Cage, Outside};
use std::io;
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

/// One protection, tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub name: &'static str,
    pub state: State,
    /// What was seen.
    pub why: String,
    /// What a person can do, when it does not hold.
    pub what_to_do: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    On,
    /// Holds, with a gap that `why` names.
    Partly,
    Off,
}

const READ_ONLY: Cage = Cage::ReadOnly { outside: Outside::Closed };

/// A script whose output tells whether a protection holds.
struct Try {
    name: &'static str,
    cage: Cage,
    thickness: Thickness,
    layer: Layer,
    script: String,
    expected: &'static str,
    holds: &'static str,
}

/// Tries everything with the settings of these cages.
pub fn examine(cages: &Cages) -> io::Result<Vec<Line>> {
    let folder = tempfile::Builder::new().prefix("fore-doctor-").tempdir()?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    std::fs::create_dir(folder.path().join("old"))?;
    std::fs::write(folder.path().join("old/file"), "x\n")?;
    std::fs::write(folder.path().join("secret"), "x\n")?;
    let mut lines = vec![landlock()];
    for attempt in tries(listener.local_addr()?.port()) {
        let settings =
            Settings { thickness: attempt.thickness, secrets: vec!["secret".into()], ..cages.settings().clone() };
        let line = judge(&attempt, run(&settings, &attempt, folder.path()));
        let kept = std::fs::read_dir(folder.path())?.count() != 2 || !folder.path().join("old/file").exists();
        lines.push(if kept { Line { state: State::Off, why: "a write was kept".to_owned(), ..line } } else { line });
    }
    Ok(lines)
}

fn run(settings: &Settings, attempt: &Try, folder: &Path) -> Result<Outcome, CageError> {
    let limits = Limits { time: Duration::from_secs(10), ..Limits::default() };
    let job = Job { limits, ..Job::new(Command::Script(attempt.script.clone()), folder) };
    Cages::new(settings.clone()).run_in(&attempt.cage, job)
}

fn judge(attempt: &Try, result: Result<Outcome, CageError>) -> Line {
    let off = |why: String, layer: Layer| Line {
        name: attempt.name,
        state: State::Off,
        why,
        what_to_do: Some(layer.advice()),
    };
    match result {
        Ok(outcome) if outcome.stdout.text().trim() == attempt.expected => {
            Line { name: attempt.name, state: State::On, why: attempt.holds.to_owned(), what_to_do: None }
        }
        Ok(outcome) => off(
            format!(
                "instead of \"{}\" came \"{}{}\"",
                attempt.expected,
                outcome.stdout.text().trim(),
                outcome.stderr.text().trim()
            ),
            attempt.layer,
        ),
        Err(CageError::Layer { layer, reason, .. }) => off(format!("{layer}: {reason}"), layer),
        Err(error) => off(error.to_string(), attempt.layer),
    }
}

fn landlock() -> Line {
    let version = landlock_version();
    let (state, why) = match version {
        0 => (State::Off, "this kernel has no Landlock, or it is not switched on".to_owned()),
        1..3 => (State::Off, format!("version {version} does not see truncation, so it cannot hold a cage alone")),
        3..6 => (
            State::Partly,
            format!(
                "version {version} does not keep signals inside; without namespaces the call filter then refuses them all"
            ),
        ),
        _ => (State::On, format!("version {version}")),
    };
    Line { name: "Landlock", state, why, what_to_do: (state != State::On).then(|| Layer::Landlock.advice()) }
}

fn tries(port: u16) -> Vec<Try> {
    let agent = std::process::id();
    let full = |name, layer, script: String, expected, holds| Try {
        name,
        cage: READ_ONLY,
        thickness: Thickness::Full,
        layer,
        script,
        expected,
        holds,
    };
    let attempt = |what: &str| format!("({what}) 2>/dev/null && echo worked || echo refused");
    vec![
        full("namespaces", Layer::Namespaces, "echo stands".to_owned(), "stands", "own users, mounts, processes and shared memory; an own network where sockets are allowed"),
        full("read-only disk", Layer::ReadOnlyDisk, attempt("echo x > new"), "refused", "a write was refused"),
        full("private temp folder", Layer::PrivateTemp, "echo x > /tmp/fore-doctor && cat /tmp/fore-doctor".to_owned(), "x", "writable, and dropped afterwards"),
        full("private devices", Layer::Devices, attempt("exec 3<>/dev/tty || ls /dev/pts"), "refused", "no terminal"),
        full("private process list", Layer::Processes, attempt(&format!("kill -0 {agent}")), "refused", "other processes are out of sight"),
        full("hidden secrets", Layer::Secrets, attempt("cat secret"), "refused", "permission denied"),
        full("no network", Layer::Services, attempt(&format!("exec 3<>/dev/tcp/127.0.0.1/{port}")), "refused", "not even this machine could be reached"),
        full(
            "dropped privileges",
            Layer::Privileges,
            "while read -r name value; do case $name in CapEff:|CapBnd:|NoNewPrivs:) printf '%s ' $((16#$value)) ;; esac; done < /proc/self/status".to_owned(),
            "0 0 1",
            "no capabilities, no way to new ones",
        ),
        full(
            "system call filter",
            Layer::SystemCalls,
            "while read -r name value; do case $name in Seccomp:) echo $value ;; esac; done < /proc/self/status".to_owned(),
            "2",
            "attack families and unknown calls are refused",
        ),
        Try {
            name: "rehearsal",
            cage: Cage::Rehearsal,
            thickness: Thickness::Full,
            layer: Layer::Overlay,
            script: "echo x > new && cat new".to_owned(),
            expected: "x",
            holds: "a write seemed to work and was dropped",
        },
        Try {
            name: "rehearsal of remade folders",
            cage: Cage::Rehearsal,
            thickness: Thickness::Full,
            layer: Layer::Overlay,
            script: "rm -r old && mkdir old && ls -A old && echo empty".to_owned(),
            expected: "empty",
            holds: "a removed folder could be made again",
        },
        Try {
            name: "read-only cage without namespaces",
            cage: READ_ONLY,
            thickness: Thickness::LandlockOnly,
            layer: Layer::Landlock,
            script: format!("{}; {}; {}", attempt("echo x > new"), attempt("chmod 700 secret"), attempt("cat secret")),
            expected: "refused\nrefused\nrefused",
            holds: "Landlock and the call filter hold alone where they must",
        },
    ]
}
