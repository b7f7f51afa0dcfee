//! Workspaces for tests, and a second run of all of them as an ordinary person.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

const PLACE: &str = "FORE_TEST_PLACE";
const NOBODY: u32 = 65534;

/// A project in folders of its own, which are no temp folder inside a cage. Commands may name what lies beside it and above, such as
/// `../..`: there is nothing of other tests.
pub(crate) struct Workspace {
    path: PathBuf,
    _outer: tempfile::TempDir,
}

impl Workspace {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

pub(crate) fn workspace() -> Workspace {
    let outer = tempfile::tempdir_in(place()).unwrap();
    let path = outer.path().join("one/two/three/project");
    std::fs::create_dir_all(&path).unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    Workspace { path, _outer: outer }
}

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

pub(crate) fn is_root() -> bool {
    // SAFETY: no pointers, cannot fail.
    unsafe { libc::geteuid() == 0 }
}

/// Runs this test program again as an ordinary person, without the test that calls this. Who is one already needs no second run.
pub(crate) fn again_as_an_ordinary_person(this_test: &str) {
    if !is_root() {
        return;
    }
    let place = tempfile::tempdir_in(place()).unwrap();
    std::os::unix::fs::chown(place.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command
        .args(["--skip", this_test])
        .uid(NOBODY)
        .gid(NOBODY)
        .env("HOME", "/nonexistent")
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env(PLACE, place.path());
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
