//! The person's environment, as this process was started with it: what runs get a cleaned copy of, and what says where the
//! person keeps things. No other file of the libraries reads it.
#![expect(clippy::disallowed_methods, reason = "the one place of the libraries that reads the environment")]

use std::ffi::OsString;
use std::path::PathBuf;

/// One variable.
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// One variable that is text.
pub(crate) fn text(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// All of them.
pub(crate) fn variables() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os()
}

/// The home folder, where it is known.
pub(crate) fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| home.is_absolute())
}

/// The usual folder for temp files.
pub(crate) fn temp_folder() -> PathBuf {
    std::env::temp_dir()
}

/// The program that runs here.
pub fn own_program() -> Option<PathBuf> {
    std::env::current_exe().ok()
}
