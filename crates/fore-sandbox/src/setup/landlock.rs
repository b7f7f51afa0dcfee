//! Landlock: the second opinion on every path, and the only one on pipes, and on signals and sockets without a path.

use crate::blueprint::{Blueprint, CageBuild, CageReach, RawPath};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::fs::FileType;
use std::collections::BTreeSet;
use std::io;
use std::ops::Bound;
use std::path::{Path, PathBuf};

/// Most rules a run may need; more means a folder with a secret and a great many neighbours.
const MAX_RULES: usize = 20_000;

/// The Landlock version of this kernel; 0 without Landlock.
pub(crate) fn landlock_version() -> i64 {
    asked_version().unwrap_or(0)
}

fn asked_version() -> io::Result<i64> {
    const LANDLOCK_CREATE_RULESET_VERSION: u32 = 1;
    // SAFETY: with this flag the kernel reads no attributes and returns a number.
    crate::sys::check(unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<libc::c_void>(),
            0usize,
            LANDLOCK_CREATE_RULESET_VERSION,
        )
    })
}

/// An error unless this kernel's Landlock holds what the walls promise.
pub(super) fn is_new_enough(build: CageBuild) -> io::Result<()> {
    // An old one is like none: it does not know what is needed.
    if asked_version()? < version_needed(build) { Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP)) } else { Ok(()) }
}

/// The kernel's own error, where a library has wrapped it: only that tells a lack from an accident.
pub(super) fn unwrapped(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    let mut inner: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(source) = inner {
        if let Some(code) = source.downcast_ref::<io::Error>().and_then(io::Error::raw_os_error) {
            return io::Error::from_raw_os_error(code);
        }
        inner = source.source();
    }
    io::Error::other(error)
}

/// The lowest version that holds what the walls promise: without mounts Landlock alone must also see truncation (3).
fn version_needed(build: CageBuild) -> i64 {
    match build {
        CageBuild::Full | CageBuild::WithoutLandlock | CageBuild::None => 1,
        CageBuild::LandlockOnly => 3,
    }
}

/// Rules for this process and everything it becomes, as far as they are the same however the disk looks: what may be read, and the
/// harmless devices.
pub(super) fn begin(blueprint: &Blueprint) -> io::Result<LandlockRules> {
    let newest = ABI::V9;
    let mut ruleset = Ruleset::default().handle_access(AccessFs::from_all(newest)).map_err(unwrapped)?;
    if blueprint.reach == CageReach::Nobody {
        // Handled and granted nowhere: no TCP at all.
        ruleset = ruleset.handle_access(AccessNet::from_all(newest)).map_err(unwrapped)?;
    }
    let scopes = match blueprint.reach {
        CageReach::Anybody => BitFlags::from(Scope::Signal),
        CageReach::Nobody | CageReach::Loopback | CageReach::Services => Scope::from_all(newest),
    };
    let mut rules =
        LandlockRules { created: ruleset.scope(scopes).map_err(unwrapped)?.create().map_err(unwrapped)?, count: 0 };

    let reading = AccessFs::ReadFile | AccessFs::ReadDir | AccessFs::Execute;
    match blueprint.build {
        CageBuild::Full | CageBuild::WithoutLandlock | CageBuild::None => rules.allow(Path::new("/"), reading)?,
        CageBuild::LandlockOnly => {
            // A hidden path counts under its true name: rules follow files, not the links that lead to them.
            // Terminals and disks are hidden as well; the harmless devices are allowed one by one.
            let hidden = blueprint.masked.iter().map(RawPath::path).chain([Path::new("/dev")]);
            let hidden: BTreeSet<PathBuf> = hidden.filter_map(|path| path.canonicalize().ok()).collect();
            let personal = blueprint.personal.iter().filter_map(|path| path.path().canonicalize().ok());
            let all_hidden = hidden.iter().cloned().chain(personal).collect();
            rules.allow_all_but(Path::new("/"), &all_hidden)?;
            let is_personal =
                |path: &&RawPath| blueprint.personal.iter().any(|top| path.path().starts_with(top.path()));
            let (shown, kept): (Vec<&RawPath>, Vec<&RawPath>) = blueprint.kept.iter().partition(is_personal);
            for path in shown {
                rules.allow_all_but(path.path(), &hidden)?;
            }
            for path in kept {
                rules.allow(path.path(), reading)?;
            }
        }
    }
    for device in ["null", "zero", "full", "random", "urandom"] {
        rules.allow(&Path::new("/dev").join(device), AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev)?;
    }
    if blueprint.build == CageBuild::Full {
        rules.allow(Path::new("/dev/shm"), writing())?;
    }
    Ok(rules)
}

/// Device files are made by nobody in a cage, whatever is writable.
fn writing() -> BitFlags<AccessFs> {
    AccessFs::from_all(ABI::V9) & !(AccessFs::MakeChar | AccessFs::MakeBlock)
}

struct RawWritable<'a>(&'a Path);

fn writable(blueprint: &Blueprint) -> impl Iterator<Item = RawWritable<'_>> {
    blueprint.temps.iter().chain(&blueprint.writable).chain(&blueprint.overlays).map(|path| RawWritable(path.path()))
}

pub(super) struct LandlockRules {
    created: RulesetCreated,
    count: usize,
}

impl LandlockRules {
    /// Adds what may be written, as the disk looks now, and puts all rules into force.
    pub(super) fn finish(mut self, blueprint: &Blueprint) -> io::Result<()> {
        for RawWritable(path) in writable(blueprint) {
            self.allow(path, writing())?;
        }
        if let Some(plan) = &blueprint.plan_file {
            self.allow(plan.path(), AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate)?;
        }
        for socket in &blueprint.sockets {
            // Together with a right that is granted anyway: a rule that is empty on an older kernel would be an error.
            self.allow(socket.path(), AccessFs::ReadFile | AccessFs::ReadDir | AccessFs::ResolveUnix)?;
        }
        let status = self.created.restrict_self().map_err(unwrapped)?;
        // `restrict_self` succeeds on kernels without Landlock too; that must not pass for protection.
        match status.ruleset {
            RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
            RulesetStatus::NotEnforced => Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP)),
        }
    }

    fn allow(&mut self, path: &Path, access: BitFlags<AccessFs>) -> io::Result<()> {
        self.count += 1;
        if self.count > MAX_RULES {
            return Err(io::Error::other("too many neighbours of hidden files to allow one by one"));
        }
        let fd = match PathFd::new(path) {
            Ok(fd) => fd,
            // A path that is not there cannot be allowed, and need not be.
            Err(_) if !path.exists() => return Ok(()),
            Err(error) => return Err(unwrapped(error)),
        };
        let is_folder = FileType::from_raw_mode(rustix::fs::fstat(&fd)?.st_mode) == FileType::Directory;
        let access = if is_folder { access } else { access & AccessFs::from_file(ABI::V9) };
        // The crate drops rights that this kernel does not know; what is left of a rule may be empty.
        (&mut self.created).add_rule(PathBeneath::new(fd, access)).map(drop).map_err(unwrapped)
    }

    /// Allows reading everything below `top` except the hidden paths. Landlock only ever adds rights on the way down, so
    /// every neighbour of a hidden path is allowed by itself. Names stay listable everywhere.
    fn allow_all_but(&mut self, top: &Path, hidden: &BTreeSet<PathBuf>) -> io::Result<()> {
        if top.is_dir() {
            self.allow(top, AccessFs::ReadDir.into())?;
        }
        self.descend(top, hidden)
    }

    fn descend(&mut self, folder: &Path, hidden: &BTreeSet<PathBuf>) -> io::Result<()> {
        let reading = AccessFs::ReadFile | AccessFs::ReadDir | AccessFs::Execute;
        if !has_below(hidden, folder) {
            return self.allow(folder, reading);
        }
        let Ok(entries) = std::fs::read_dir(folder) else {
            return Ok(());
        };
        for entry in entries.flatten() {
            let path = entry.path();
            // A rule on a link would be a rule on its target, past the list of hidden paths.
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) || hidden.contains(&path) {
                continue;
            }
            if has_below(hidden, &path) {
                self.descend(&path, hidden)?;
            } else {
                self.allow(&path, reading)?;
            }
        }
        Ok(())
    }
}

/// Whether a folder is one of these paths or holds one. What lies in a folder comes right behind it in their order.
fn has_below(paths: &BTreeSet<PathBuf>, folder: &Path) -> bool {
    paths
        .range::<Path, _>((Bound::Included(folder), Bound::Unbounded))
        .next()
        .is_some_and(|path| path.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_a_folder_is_found_among_its_neighbours() {
        let paths = ["/a-b/x", "/a/b c/d", "/a.b", "/z"].map(PathBuf::from).into();
        let page = [("/", true), ("/a", true), ("/a/b c", true), ("/a/b", false), ("/a/b c/d", true), ("/b", false)];
        assert_eq!(page.map(|(folder, _)| (folder, has_below(&paths, Path::new(folder)))), page);
    }
}
