//! The program that sets cages up, for tests of other crates: Cargo builds it for those of its own crate alone.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
    time::SystemTime,
};

/// The set-up program beside the running test, built anew where it is missing or older than the library that the test has linked.
/// One of another build would answer no call, and a test would wait for what never comes.
///
/// # Panics
///
/// Where it is needed and cannot be built.
pub fn cage_setup() -> &'static Path {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| match beside() {
        Ok(program) => program,
        #[expect(clippy::panic, reason = "a test without its set-up program has nothing to say")]
        Err(why) => panic!("fore-cage-setup is missing or old: {why}; run `cargo build -p fore-sandbox --bins`"),
    });
    &PROGRAM
}

#[expect(clippy::disallowed_methods, reason = "the set-up program lies beside the test that runs")]
fn beside() -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let libraries = own.parent().ok_or(io::ErrorKind::NotFound)?;
    let folder = libraries.parent().ok_or(io::ErrorKind::NotFound)?;
    let program = folder.join("fore-cage-setup");
    if program.metadata().and_then(|facts| facts.modified()).is_ok_and(|built| built >= newest_library(libraries)) {
        return Ok(program);
    }
    build(folder)?;
    // Cargo leaves a program alone that is as it should be; the next test must not ask again.
    fs::File::open(&program)?.set_modified(SystemTime::now())?;
    Ok(program)
}

fn newest_library(folder: &Path) -> SystemTime {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let libraries = entries.filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libfore_sandbox-") && name.ends_with(".rlib")
    });
    let times = libraries.filter_map(|entry| entry.metadata().and_then(|facts| facts.modified()).ok());
    times.max().unwrap_or(SystemTime::UNIX_EPOCH)
}

#[expect(clippy::disallowed_methods, reason = "Cargo builds what a test needs")]
fn build(folder: &Path) -> io::Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--offline", "--package", "fore-sandbox", "--bin", "fore-cage-setup"]);
    if folder.ends_with("release") {
        command.arg("--release");
    }
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
    command.arg("--manifest-path").arg(manifest);
    command.env("CARGO_TARGET_DIR", folder.parent().unwrap_or(folder));
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}
