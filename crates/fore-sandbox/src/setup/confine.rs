//! The last steps of the child before it becomes the command: no terminal, limits, the call filter, Landlock, no privileges.

use super::filter::{FilterNeeds, Filters, LockPolicy};
use super::landlock::LandlockRules;
use super::last_folder::StartupFile;
use super::{AtLayer, LayerFailure, TempFiles, landlock, pipes, temp_space};
use crate::blueprint::{Blueprint, CageBuild, CageReach, Namespaces, RawPath, SetupMessage, StdinSource};
use crate::capture::OutputStreams;
use crate::protection::{Layer, Protection};
use crate::sys;
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, Resource, set_dumpable_behavior};
use rustix::stdio::{dup2_stderr, dup2_stdin};
use rustix::thread::{CapabilitySet, CapabilitySets};
use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Landlock keeps signals inside from this version on.
const SIGNAL_SCOPE_VERSION: i64 = 6;

/// What the child has from its guard.
pub(super) type Given<'a> = (&'a OwnedFd, &'a Filters, Option<&'a StartupFile>);

/// Becomes the command when the cage stands; comes back only with the reason why not.
pub(super) fn become_command(
    blueprint: &Blueprint,
    given: Given<'_>,
    stands: impl FnOnce() -> io::Result<TempFiles>,
) -> SetupMessage {
    let (_, filters, start_up) = given;
    let ahead = confine_ahead(blueprint, filters);
    let (rules, temp_files) = match ahead.and_then(|rules| Ok((rules, stands().at(Layer::Guard)?))) {
        Ok(both) => both,
        Err(failure) => return failure.answer(),
    };
    let narrowed;
    let blueprint = match temp_files {
        TempFiles::AsDrawn => blueprint,
        TempFiles::InMemory => {
            narrowed = with_temp_in_memory(blueprint);
            &narrowed
        }
    };
    match confine(blueprint, given, rules) {
        Ok(()) => {
            let error = execute(blueprint, start_up);
            SetupMessage::NotStarted { errno: error.raw_os_error(), reason: error.to_string() }
        }
        Err(failure) => failure.answer(),
    }
}

/// What does not depend on how the disk looks in the cage.
fn confine_ahead(blueprint: &Blueprint, filters: &Filters) -> Result<Option<LandlockRules>, LayerFailure> {
    // The child of a fork leads no group, so it gets a session of its own, without a terminal.
    rustix::process::setsid().at(Layer::Guard)?;
    reset_signals().at(Layer::Guard)?;
    if blueprint.build == CageBuild::LandlockOnly {
        super::usage::go_first_when_memory_ends();
    }
    let mut rules = None;
    if blueprint.build != CageBuild::None {
        limit(blueprint).at(Layer::Limits)?;
        rustix::thread::set_no_new_privs(true).at(Layer::Privileges)?;
        if blueprint.build.has_landlock() {
            landlock::is_new_enough(blueprint.build).at(Layer::Landlock)?;
            rules = Some(landlock::begin(blueprint).at(Layer::Landlock)?);
        }
        // It refuses nothing that is still to be done here, and the kernel takes its time over it.
        filters.install(needs(blueprint)).at(Layer::SystemCalls)?;
    }
    Ok(rules)
}

fn confine(
    blueprint: &Blueprint,
    (stdin, _, start_up): Given<'_>,
    rules: Option<LandlockRules>,
) -> Result<(), LayerFailure> {
    match blueprint.stdin {
        // Opened in here: through the descriptor of a device outside, root could change its mode and times.
        StdinSource::Nothing => dup2_stdin(sys::open(c"/dev/null", OFlags::RDONLY).at(Layer::Guard)?),
        StdinSource::Bytes(_) | StdinSource::Pipe => dup2_stdin(stdin),
    }
    .at(Layer::Guard)?;
    if blueprint.streams == OutputStreams::Together {
        dup2_stderr(rustix::stdio::stdout()).at(Layer::Guard)?;
    }
    // Once more, because mounts may now lie over the folder this process stood in.
    std::env::set_current_dir(blueprint.cwd.path()).at_path(Layer::WorkingFolder, blueprint.cwd.path())?;
    set_dumpable_behavior(DumpableBehavior::Dumpable).at(Layer::Guard)?;
    if blueprint.build != CageBuild::None {
        match (rules, blueprint.build.has_landlock()) {
            (Some(rules), true) => rules.finish(blueprint).at(Layer::Landlock)?,
            (None, false) => {}
            (Some(_), false) | (None, true) => {
                return Err(io::Error::other("its rules were not begun as they were to end")).at(Layer::Landlock);
            }
        }
        drop_privileges(kept_capabilities(blueprint)).at(Layer::Privileges)?;
    }
    sys::close_others_on_exec().at(Layer::Guard)?;
    if let Some(start_up) = start_up {
        start_up.keep_open().at(Layer::Guard)?;
    }
    Ok(())
}

/// The same, with temp files in the private shared memory instead of the temp folder.
fn with_temp_in_memory(blueprint: &Blueprint) -> Blueprint {
    let mut narrowed = blueprint.clone();
    narrowed.temps.clear();
    for (_, value) in narrowed.environment.iter_mut().filter(|(name, _)| name == "TMPDIR") {
        *value = "/dev/shm".into();
    }
    narrowed
}

fn needs(blueprint: &Blueprint) -> FilterNeeds {
    let keeps_something = !(blueprint.writable.is_empty() && blueprint.overlays.is_empty());
    let signals_scoped = landlock::landlock_version() >= SIGNAL_SCOPE_VERSION;
    let locks = if keeps_something { LockPolicy::Real } else { LockPolicy::Pretended };
    FilterNeeds { build: blueprint.build, reach: blueprint.reach, signals_scoped, locks }
}

/// What a command most probably needs: to read without a network, or to rehearse with one of its own.
pub(super) fn probable_needs(namespaces: Namespaces) -> FilterNeeds {
    let version = landlock::landlock_version();
    let build = if version > 0 { CageBuild::Full } else { CageBuild::WithoutLandlock };
    let (reach, locks) = match namespaces {
        Namespaces::Network => (CageReach::Loopback, LockPolicy::Real),
        Namespaces::Closed | Namespaces::Missing => (CageReach::Nobody, LockPolicy::Pretended),
    };
    FilterNeeds { build, reach, signals_scoped: version >= SIGNAL_SCOPE_VERSION, locks }
}

/// What these steps hold, said honestly: without namespaces some things stay open.
pub(super) fn protections(blueprint: &Blueprint) -> Vec<Protection> {
    let version = landlock::landlock_version();
    match blueprint.build {
        CageBuild::None => vec![Protection::off(Layer::Namespaces, "no sandbox: everything its user may do")],
        CageBuild::Full | CageBuild::WithoutLandlock => vec![
            if blueprint.build.has_landlock() {
                Protection::on(Layer::Landlock, format!("version {version}"))
            } else {
                Protection::off(Layer::Landlock, pipes::instead(blueprint))
            },
            if kept_capabilities(blueprint).is_empty() {
                Protection::on(Layer::Privileges, "no capabilities, and no way to new ones")
            } else {
                let kept = "root's powers over files, on what the sandbox lets be written, and no others";
                Protection::on(Layer::Privileges, kept)
            },
            Protection::on(Layer::SystemCalls, "dangerous system calls are blocked"),
            Protection::on(Layer::Limits, "time, output, memory, processes, file size"),
        ],
        CageBuild::LandlockOnly => {
            let mut list = vec![
                Protection::off(
                    Layer::Namespaces,
                    "not available: other processes stay visible in /proc, the temp folder is a real folder, names of hidden files and folders can be listed",
                ),
                Protection::on(
                    Layer::Landlock,
                    format!("version {version}: only the allowed paths can be written, hidden files cannot be read"),
                ),
                Protection::on(Layer::Privileges, "no capabilities, and no way to new ones"),
                Protection::on(
                    Layer::SystemCalls,
                    "dangerous system calls and changes of mode, owner, time and attributes are blocked",
                ),
            ];
            match blueprint.reach {
                CageReach::Nobody | CageReach::Loopback => list.push(Protection::on(Layer::Services, "no sockets")),
                CageReach::Services | CageReach::Anybody => {
                    list.push(Protection::off(Layer::Services, "network and this machine's services can be reached"))
                }
            }
            let in_writable =
                |secret: &RawPath| blueprint.writable.iter().any(|top| secret.path().starts_with(top.path()));
            if blueprint.masked.iter().any(in_writable) {
                list.push(Protection::off(
                    Layer::Secrets,
                    "hidden files that lie in a writable folder can be read, because Landlock cannot take them out of it",
                ));
            }
            if !blueprint.protected.is_empty() {
                list.push(Protection::off(
                    Layer::Writable,
                    "everything in the writable folders can be changed, git's hooks and configuration too",
                ));
            }
            list.push(Protection::on(Layer::Limits, "time, output, memory, processes, file size"));
            list
        }
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A Rust program ignores SIGPIPE, and an ignored signal stays ignored in what is executed: `yes | head` would never end.
fn reset_signals() -> io::Result<()> {
    for signal in 1..=64 {
        // SAFETY: SIG_DFL is a valid disposition; SIGKILL, SIGSTOP and libc's own signals refuse, which is fine.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: an initialised, empty set.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        sys::check(i64::from(libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut()))).map(drop)
    }
}

fn limit(blueprint: &Blueprint) -> io::Result<()> {
    let bounds = &blueprint.bounds;
    // One, not zero: a core dump that the machine pipes into a program of its own is stopped only by exactly this value.
    sys::set_limit(Resource::Core, 1)?;
    // Where temp files are real files, and all that can be written, one of them cannot be larger than all of them.
    let only_temp = blueprint.build == CageBuild::LandlockOnly && blueprint.writable.is_empty();
    let file_bytes = if only_temp { bounds.file_bytes.min(temp_space::max_bytes(bounds)) } else { bounds.file_bytes };
    sys::set_limit(Resource::Fsize, file_bytes)?;
    sys::set_limit(Resource::Nofile, bounds.open_files)?;
    // Nobody here may claim a processor for itself, or memory that cannot be moved out.
    sys::set_limit(Resource::Rtprio, 0)?;
    sys::set_limit(Resource::Memlock, 64 << 20)?;
    // Writable memory, not address space: language runtimes reserve terabytes of addresses that they never touch.
    sys::set_limit(Resource::Data, bounds.memory_bytes)?;
    // Inside a user namespace the kernel counts only the processes in there; without one, all of this person's.
    let others = match blueprint.build {
        CageBuild::Full | CageBuild::WithoutLandlock | CageBuild::None => 0,
        // Root has no such limit, so there is nothing to count.
        CageBuild::LandlockOnly if is_root() => 0,
        CageBuild::LandlockOnly => threads_of_this_person(),
    };
    sys::set_limit(Resource::Nproc, bounds.processes.saturating_add(others))
}

fn threads_of_this_person() -> u64 {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::getuid().as_raw();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mine = entries.filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.uid() == own));
    mine.filter_map(|entry| std::fs::read_dir(entry.path().join("task")).ok()).map(|tasks| tasks.count() as u64).sum()
}

/// Root works on the files of others, as it does outside: in a container a project often belongs to somebody else. Only
/// where what can be written does, because with these powers root also reads what others keep to themselves; and only with
/// namespaces, where they end at the cage's own mounts.
// Not FSETID: who writes to a file that runs as its owner takes that from it.
const FILE_POWERS: CapabilitySet = CapabilitySet::CHOWN.union(CapabilitySet::DAC_OVERRIDE).union(CapabilitySet::FOWNER);

fn kept_capabilities(blueprint: &Blueprint) -> CapabilitySet {
    let is_of_others = |top: &RawPath| top.path().metadata().is_ok_and(|facts| facts.uid() != 0);
    let works_on_others = || blueprint.overlays.iter().take(1).chain(&blueprint.writable).any(is_of_others);
    if blueprint.build.has_namespaces() && is_root() && works_on_others() {
        FILE_POWERS
    } else {
        CapabilitySet::empty()
    }
}

/// Empties every capability set but for what is kept. Without this, root would get them all back at exec.
fn drop_privileges(kept: CapabilitySet) -> io::Result<()> {
    let each = (0..64).map(|number| CapabilitySet::from_bits_retain(1 << number));
    for capability in each.filter(|capability| !kept.contains(*capability)) {
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            Ok(()) => {}
            // INVAL: past the last capability. PERM: an ordinary person outside a namespace, who has none to lose and, with
            // no_new_privs, none to gain.
            Err(Errno::INVAL | Errno::PERM) => break,
            Err(error) => return Err(error.into()),
        }
    }
    rustix::thread::clear_ambient_capability_set()?;
    let sets = CapabilitySets { effective: kept, permitted: kept, inheritable: CapabilitySet::empty() };
    Ok(rustix::thread::set_capabilities(None, sets)?)
}

/// Executes with exactly the given environment; a bare name is looked up in that environment's PATH.
fn execute(blueprint: &Blueprint, start_up: Option<&StartupFile>) -> io::Error {
    match try_execute(blueprint, start_up) {
        Ok(never) => match never {},
        Err(error) => error,
    }
}

fn try_execute(blueprint: &Blueprint, start_up: Option<&StartupFile>) -> io::Result<std::convert::Infallible> {
    let program = blueprint.argv.first().ok_or_else(|| io::Error::other("no program named"))?;
    let argv = blueprint.argv.iter().map(sys::c_string).collect::<io::Result<Vec<_>>>()?;
    let added = start_up.map(StartupFile::variable);
    let environment = blueprint.environment.iter().chain(&added).map(assignment).collect::<io::Result<Vec<_>>>()?;
    let (argv_pointers, environment_pointers) = (pointers(&argv), pointers(&environment));
    let path = blueprint
        .environment
        .iter()
        .find(|(name, _)| name == "PATH")
        .map(|(_, value)| value.as_os_str())
        .unwrap_or_default();
    let mut last = io::Error::from_raw_os_error(libc::ENOENT);
    for candidate in candidates(program, path) {
        let candidate = sys::c_string(candidate)?;
        // SAFETY: all arrays end with a null pointer and outlive the call.
        unsafe { libc::execve(candidate.as_ptr(), argv_pointers.as_ptr(), environment_pointers.as_ptr()) };
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::ENOENT | libc::ENOTDIR) => {}
            // Somebody further on the path may be executable.
            Some(libc::EACCES) => last = error,
            _ => return Err(error),
        }
    }
    Err(last)
}

fn candidates(program: &OsStr, path: &OsStr) -> Vec<OsString> {
    if program.as_bytes().contains(&b'/') {
        return vec![program.to_owned()];
    }
    let folders = path.as_bytes().split(|byte| *byte == b':').filter(|folder| folder.starts_with(b"/"));
    folders.map(|folder| Path::new(OsStr::from_bytes(folder)).join(program).into_os_string()).collect()
}

fn assignment((name, value): &(OsString, OsString)) -> io::Result<CString> {
    let mut text = name.clone();
    text.push("=");
    text.push(value);
    sys::c_string(text)
}

fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([std::ptr::null()]).collect()
}
