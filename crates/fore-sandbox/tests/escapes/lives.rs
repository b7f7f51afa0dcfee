//! What needs a whole program to be seen: an agent that is killed, a machine without namespaces, one file as agent and set-up program.

use crate::permitted::RunTyped;
use crate::{READ_ONLY, WORKSPACE, place, proxy};
use fore_plan::Cage;
use fore_sandbox::{CageError, CageSettings, Cages, Ending, Job, JobCommand, Layer, RequiredBuild, RunLimits};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::process::{ExitCode, Stdio};

type Check = (&'static str, fn() -> Result<(), String>);

pub(crate) const CHECKS: &[Check] = &[
    ("a killed agent takes its cages along", a_killed_agent),
    ("what a run planted is put aside although its agent was killed", planted_and_killed),
    ("a machine without namespaces gets thinner walls and no rehearsal", a_machine_without_namespaces),
    ("a lock taken while reading holds nobody up", locks),
    ("memory and threads that no process limit counts are bounded", hoarders),
    ("temp files on the real disk are bounded in all, however they are hidden", temp_hoarders),
    ("the proxy is not talked round by spelling or smuggling", proxy::spelled_and_smuggled),
    ("the proxy carries one plain request for each connection", proxy::one_request_each),
    ("the proxy leads to the ports of the web, where none was named", proxy::other_ports),
    ("without network there is no proxy", proxy::nobody_elses_proxy),
    ("this program stands in for the set-up program", standing_in),
];

fn settings() -> CageSettings {
    CageSettings { setup: Some(env!("CARGO_BIN_EXE_fore-cage-setup").into()), ..crate::permitted::usual_settings() }
}

/// This program again, with signals that do what they usually do, whatever was ignored where the tests were started (`nohup`).
fn own() -> std::process::Command {
    let mut command = std::process::Command::new("env");
    command.arg("--default-signal").arg(std::env::current_exe().unwrap());
    command
}

fn script<'a>(text: &str, workspace: &Path) -> Job<'a> {
    Job::new(JobCommand::Script(text.to_owned()), workspace)
}

const SLEEPERS: &str =
    "(setsid sleep 987654 &); sleep 987654 & while ! grep -q sleep /proc/$!/comm; do :; done; echo begun; wait";

/// As an agent: a live run, which it speaks with until it is killed.
fn live_agent() -> ExitCode {
    let folder = tempfile::tempdir_in(place()).unwrap();
    let job = script(SLEEPERS, folder.path());
    let cwd = job.cwd.to_string_lossy().into_owned();
    let action = fore_plan::gate::Action::Run { command: job.command.text(), cwd, rehearse: false };
    let cages = std::sync::Arc::new(Cages::new(settings(), &fore_commands::CATALOGUE));
    let mut run = cages.live(crate::permitted::permit(action, READ_ONLY), job).unwrap();
    let pipes = run.take_pipes().unwrap();
    let mut said = std::fs::File::from(pipes.stdout);
    loop {
        let mut bytes = [0; 64];
        match std::io::Read::read(&mut said, &mut bytes) {
            Ok(0) => return ExitCode::FAILURE,
            Ok(count) => print!("{}", String::from_utf8_lossy(&bytes[..count])),
            Err(_) => {
                let mut poll = libc::pollfd { fd: said.as_raw_fd(), events: libc::POLLIN, revents: 0 };
                // SAFETY: one valid pollfd.
                unsafe { libc::poll(&raw mut poll, 1, -1) };
            }
        }
    }
}

/// As an agent: a long run that says when it has begun.
pub(crate) fn agent(which: &str) -> ExitCode {
    if which == "live" {
        return live_agent();
    }
    let (cage, thickness) = match which {
        "read-only" => (READ_ONLY, RequiredBuild::Full),
        "rehearsal" => (Cage::Rehearsal, RequiredBuild::Full),
        _ => (READ_ONLY, RequiredBuild::LandlockOnly),
    };
    let folder = tempfile::tempdir_in(place()).unwrap();
    let mut listener = |_, bytes: &[u8]| print!("{}", String::from_utf8_lossy(bytes));
    let mut job = script(SLEEPERS, folder.path());
    job.on_output = Some(&mut listener);
    Cages::new(CageSettings { required_build: thickness, ..settings() }, &fore_commands::CATALOGUE)
        .run_typed(&cage, job)
        .unwrap();
    ExitCode::SUCCESS
}

/// Ends with every sleeper below the agent being gone; their ends are waited for, not their absence guessed.
fn a_killed_agent() -> Result<(), String> {
    for which in ["read-only", "rehearsal", "Landlock alone", "live"] {
        let mut agent =
            own().args(["agent", which]).stdout(Stdio::piped()).spawn().map_err(|error| error.to_string())?;
        let mut line = String::new();
        BufReader::new(agent.stdout.take().unwrap()).read_line(&mut line).map_err(|error| error.to_string())?;
        let below = descendants(agent.id());
        let sleepers = below.iter().filter(|pid| arguments(**pid).starts_with("sleep")).count();
        let watched: Vec<OwnedFd> = below.iter().filter_map(|pid| watch(*pid)).collect();
        agent.kill().and_then(|()| agent.wait()).map_err(|error| error.to_string())?;
        if line != "begun\n" || sleepers < 1 {
            return Err(format!("{which}: the control failed: {line:?}, {sleepers} sleepers"));
        }
        if !watched.iter().all(ends) {
            return Err(format!("{which}: somebody outlived the agent"));
        }
    }
    Ok(())
}

/// Plants what git, an agent and a shell would obey, in plain sight, in a closed folder and by a moved one.
const PLANT: &str = "mkdir -p .claude sub/.git/hooks deep/er/closed/.vscode bare/objects bare/refs
    echo x > .claude/settings.json; echo x > sub/.git/hooks/post-checkout; echo x > .envrc; mv deep moved
    echo 'ref: refs/heads/x' > bare/HEAD; echo '[core] fsmonitor = ./x' > bare/config; chmod 111 moved/er/closed";

/// As an agent: plants, says so, and waits to be killed.
pub(crate) fn planter(folder: &str) -> ExitCode {
    let mut listener = |_, bytes: &[u8]| print!("{}", String::from_utf8_lossy(bytes));
    let text = format!("{PLANT}; (setsid sleep 987654 &); echo begun; sleep 987654");
    let job = Job { on_output: Some(&mut listener), ..script(&text, Path::new(folder)) };
    Cages::new(settings(), &fore_commands::CATALOGUE).run_typed(&WORKSPACE, job).unwrap();
    ExitCode::SUCCESS
}

/// The guard outlives the agent for as long as it takes to look at what was made; its end is waited for.
fn planted_and_killed() -> Result<(), String> {
    for signal in [libc::SIGKILL, libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
        let folder = tempfile::tempdir_in(place()).unwrap();
        let mut agent = own().arg("planter").arg(folder.path()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let read = BufReader::new(agent.stdout.take().unwrap()).read_line(&mut line);
        let watched: Vec<OwnedFd> = descendants(agent.id()).iter().filter_map(|pid| watch(*pid)).collect();
        // SAFETY: no pointers; our own child, which was not waited for.
        unsafe { libc::kill(agent.id() as i32, signal) };
        agent.wait().and(read).map_err(|error| error.to_string())?;
        if line != "begun\n" || watched.is_empty() || !watched.iter().all(ends) {
            return Err(format!("signal {signal}: {line:?}, or somebody outlived the agent"));
        }
        let planted = [".claude", "sub/.git/hooks", ".envrc", "moved/er/closed/.vscode", "bare/config"];
        let left: Vec<&str> =
            planted.into_iter().filter(|path| folder.path().join(path).symlink_metadata().is_ok()).collect();
        if !left.is_empty() {
            return Err(format!("signal {signal}: {left:?} stayed"));
        }
    }
    Ok(())
}

fn arguments(pid: u32) -> String {
    std::fs::read(format!("/proc/{pid}/cmdline"))
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default()
}

fn descendants(top: u32) -> Vec<u32> {
    let mut found = vec![top];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        next += 1;
        // A child belongs to the thread that started it.
        for task in std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten() {
            let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            found.extend(children.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
        }
    }
    found.split_off(1)
}

fn watch(pid: u32) -> Option<OwnedFd> {
    // SAFETY: no pointers.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    // SAFETY: the descriptor is new and ours.
    (fd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

fn ends(process: &OwnedFd) -> bool {
    let mut poll = libc::pollfd { fd: process.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one valid pollfd.
    unsafe { libc::poll(&raw mut poll, 1, 120_000) == 1 }
}

/// A cage without namespaces refuses new ones, so what runs in it sees a machine that has none.
fn a_machine_without_namespaces() -> Result<(), String> {
    let folder = tempfile::tempdir_in(place()).unwrap();
    // Named, so that it is seen: it builds the inner cages.
    let setup = env!("CARGO_BIN_EXE_fore-cage-setup");
    let argv = vec![std::env::current_exe().unwrap().into_os_string(), "without namespaces".into(), setup.into()];
    let cages = Cages::new(
        CageSettings { required_build: RequiredBuild::LandlockOnly, ..settings() },
        &fore_commands::CATALOGUE,
    );
    let job =
        Job { extra_writable: vec![folder.path().to_owned()], ..Job::new(JobCommand::Program(argv), folder.path()) };
    let outcome = cages.run_typed(&READ_ONLY, job).map_err(|error| error.to_string())?;
    if outcome.status.success() { Ok(()) } else { Err(outcome.stdout.text() + &outcome.stderr.text()) }
}

pub(crate) fn without_namespaces() -> ExitCode {
    let folder = std::env::current_dir().unwrap();
    let cages = Cages::new(settings(), &fore_commands::CATALOGUE);
    let read = cages.run_typed(&READ_ONLY, script("(echo x > new) 2>/dev/null || echo refused", &folder));
    let rehearsal = cages.run_typed(&Cage::Rehearsal, script("touch new", &folder));
    // Nothing else would keep what gives orders in a folder that can be written.
    let work = cages.run_typed(&WORKSPACE, script("touch new", &folder));
    let all_or_nothing =
        Cages::new(CageSettings { required_build: RequiredBuild::Full, ..settings() }, &fore_commands::CATALOGUE)
            .run_typed(&READ_ONLY, script("touch new", &folder));
    let told = read.as_ref().is_ok_and(|outcome| {
        outcome.stdout.text() == "refused\n"
            && outcome.protections.iter().any(|held| held.layer == Layer::Namespaces && !held.on)
    });
    let refused =
        |result: &Result<_, CageError>| matches!(result, Err(CageError::Layer { layer: Layer::Namespaces, .. }));
    if told && refused(&rehearsal) && refused(&work) && refused(&all_or_nothing) && !folder.join("new").exists() {
        return ExitCode::SUCCESS;
    }
    println!("{read:?} {rehearsal:?} {work:?} {all_or_nothing:?}");
    ExitCode::FAILURE
}

/// In the cage: takes a lock on a file that is open for reading, says so and keeps it.
pub(crate) fn hold_lock(kind: &str, path: &str) -> ExitCode {
    let file = std::fs::File::open(path).unwrap();
    // SAFETY: an all-zero flock is a lock for reading from the first byte to the last.
    let mut whole: libc::flock = unsafe { std::mem::zeroed() };
    whole.l_type = libc::F_RDLCK as libc::c_short;
    // SAFETY: a descriptor that is open, and a lock that is initialised.
    let taken = unsafe {
        match kind {
            "exclusive" => libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB),
            "shared" => libc::flock(file.as_raw_fd(), libc::LOCK_SH),
            "record" => libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &raw const whole),
            _ => libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLKW, &raw const whole),
        }
    };
    println!("{}", if taken == 0 { "taken" } else { "refused" });
    loop {
        std::thread::park();
    }
}

/// Whether somebody holds a lock that keeps a writer waiting.
fn is_held(path: &Path) -> bool {
    let file = std::fs::File::options().write(true).open(path).unwrap();
    // SAFETY: an all-zero flock is a lock over the whole file.
    let mut whole: libc::flock = unsafe { std::mem::zeroed() };
    whole.l_type = libc::F_WRLCK as libc::c_short;
    // SAFETY: a descriptor that is open, and a lock that is initialised and filled by the kernel.
    unsafe {
        let free = libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) == 0;
        libc::fcntl(file.as_raw_fd(), libc::F_GETLK, &raw mut whole);
        !free || i32::from(whole.l_type) != libc::F_UNLCK
    }
}

fn locks() -> Result<(), String> {
    let folder = tempfile::tempdir_in(place()).unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "x").unwrap();
    for kind in ["exclusive", "shared", "record", "open file"] {
        // Outside it holds; in a cage it only seems to.
        for (thickness, expected) in
            [(None, true), (Some(RequiredBuild::Full), false), (Some(RequiredBuild::LandlockOnly), false)]
        {
            let own = std::env::current_exe().unwrap();
            let argv = [own.as_os_str(), "hold a lock".as_ref(), kind.as_ref(), file.as_os_str()];
            let cancel = fore_sandbox::Canceller::default();
            let (mut held, mut said) = (None, String::new());
            let mut listener = |_, bytes: &[u8]| {
                said.push_str(&String::from_utf8_lossy(bytes));
                held = Some(is_held(&file));
                cancel.cancel();
            };
            let mut job = Job::new(JobCommand::Program(argv.map(Into::into).to_vec()), folder.path());
            job.on_output = Some(&mut listener);
            job.cancel = cancel.clone();
            let cage = if thickness.is_some() { READ_ONLY } else { Cage::Free };
            let thickness = thickness.unwrap_or(RequiredBuild::Best);
            Cages::new(CageSettings { required_build: thickness, ..settings() }, &fore_commands::CATALOGUE)
                .run_typed(&cage, job)
                .map_err(|error| error.to_string())?;
            if (said.as_str(), held) != ("taken\n", Some(expected)) {
                return Err(format!("{kind} in {cage:?}, {thickness:?}: {said} {held:?}"));
            }
        }
    }
    Ok(())
}

/// As a hoarder: takes far more than it may have, and waits to be stopped.
pub(crate) fn hoard(what: &str) -> ExitCode {
    let piece = vec![1u8; 1 << 20];
    for number in 0..2048 {
        match what {
            "memory files" => {
                // SAFETY: a valid name; the descriptor is new, and kept open on purpose.
                let fd = unsafe { libc::memfd_create(c"hoard".as_ptr(), 0) };
                // SAFETY: as above.
                let mut file = unsafe { std::fs::File::from_raw_fd(fd) };
                file.write_all(&piece).unwrap();
                std::mem::forget(file);
            }
            "shared memory" => {
                let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
                // SAFETY: a new mapping of the size that is written.
                unsafe {
                    let page =
                        libc::mmap(std::ptr::null_mut(), piece.len(), libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
                    assert!(page != libc::MAP_FAILED);
                    page.cast::<u8>().copy_from(piece.as_ptr(), piece.len());
                }
            }
            "temp files" | "nameless temp files" | "deep temp files" => hoard_temp(what, number, &piece),
            _ => {
                let started = std::thread::Builder::new().stack_size(64 << 10).spawn(|| {
                    loop {
                        std::thread::park();
                    }
                });
                if started.is_err() {
                    return ExitCode::from(crate::REFUSED as u8);
                }
            }
        }
    }
    loop {
        std::thread::park();
    }
}

/// Into the temp folder: by name, without one, or deeper than a path can say.
fn hoard_temp(what: &str, number: u32, piece: &[u8]) {
    if number == 0 {
        std::env::set_current_dir(std::env::temp_dir()).unwrap();
    }
    let name = number.to_string();
    if what == "deep temp files" {
        std::fs::create_dir(&name).unwrap();
        std::env::set_current_dir(&name).unwrap();
    }
    let mut file = std::fs::File::create(&name).unwrap();
    if what == "nameless temp files" {
        std::fs::remove_file(&name).unwrap();
    }
    file.write_all(piece).unwrap();
    std::mem::forget(file);
}

fn temp_hoarders() -> Result<(), String> {
    let folder = tempfile::tempdir_in(place()).unwrap();
    let limits = RunLimits { layer_bytes: 16 << 20, ..RunLimits::default() };
    for what in ["temp files", "nameless temp files", "deep temp files"] {
        let argv = vec![std::env::current_exe().unwrap().into_os_string(), "hoard".into(), what.into()];
        let job = Job { limits, ..Job::new(JobCommand::Program(argv), folder.path()) };
        let outcome = Cages::new(
            CageSettings { required_build: RequiredBuild::LandlockOnly, ..settings() },
            &fore_commands::CATALOGUE,
        )
        .run_typed(&READ_ONLY, job)
        .map_err(|error| error.to_string())?;
        if outcome.ending != Ending::TempSpace {
            return Err(format!("{what}: {outcome:?}"));
        }
    }
    Ok(())
}

fn hoarders() -> Result<(), String> {
    let folder = tempfile::tempdir_in(place()).unwrap();
    let limits = RunLimits { memory_bytes: 256 << 20, layer_bytes: 64 << 20, processes: 200, ..RunLimits::default() };
    for (what, expected) in
        [("memory files", Ending::Memory), ("shared memory", Ending::Memory), ("threads", Ending::Processes)]
    {
        let argv = vec![std::env::current_exe().unwrap().into_os_string(), "hoard".into(), what.into()];
        let job = Job { limits, ..Job::new(JobCommand::Program(argv), folder.path()) };
        let outcome =
            Cages::new(CageSettings { required_build: RequiredBuild::Full, ..settings() }, &fore_commands::CATALOGUE)
                .run_typed(&READ_ONLY, job)
                .map_err(|error| error.to_string())?;
        // The kernel itself stops an ordinary person's threads.
        let by_the_kernel = what == "threads" && outcome.status.code() == crate::REFUSED;
        if outcome.ending != expected && !by_the_kernel {
            return Err(format!("{what}: {outcome:?}"));
        }
    }
    Ok(())
}

fn standing_in() -> Result<(), String> {
    let folder = tempfile::tempdir_in(place()).unwrap();
    let outcome = Cages::new(CageSettings { setup: None, ..settings() }, &fore_commands::CATALOGUE)
        .run_typed(&Cage::Rehearsal, script("touch new && ls", folder.path()))
        .map_err(|error| error.to_string())?;
    if outcome.stdout.text() == "new\n" && !folder.path().join("new").exists() {
        Ok(())
    } else {
        Err(format!("{outcome:?}"))
    }
}
