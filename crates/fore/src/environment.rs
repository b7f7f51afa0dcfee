//! What this program was started with: variables and folders. No other file of it asks the system for them.
#![expect(clippy::disallowed_methods, reason = "the one place of the program that reads its environment")]

use anyhow::Context;
use fore_store::{HOME_VARIABLE, Home};
use std::{ffi::OsString, path::PathBuf};

pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// A variable that is text.
pub(crate) fn text(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

pub(crate) fn variables() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

/// The person's home folder.
pub(crate) fn user_home() -> Option<PathBuf> {
    std::env::home_dir()
}

pub(crate) fn current_folder() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("the current folder cannot be found")
}

/// Our own folder, where the variables say that it is.
pub(crate) fn own_home() -> fore_store::Result<Home> {
    Home::open(&Home::locate(variable(HOME_VARIABLE), user_home())?)
}
