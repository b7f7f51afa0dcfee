//! What this program was started with: variables and folders. No other file of it asks the system for them.
#![expect(clippy::disallowed_methods, reason = "the one place of the program that reads its environment")]

use anyhow::Context;
use fore_store::{HOME_VARIABLE, Home};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

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
    Ok(Home::open(&Home::locate(variable(HOME_VARIABLE), user_home())?)?.with_keyring(session_bus().as_deref()))
}

/// Where the bus of the person's desktop is, if there is one.
fn session_bus() -> Option<String> {
    let named = text("DBUS_SESSION_BUS_ADDRESS").filter(|address| !address.is_empty());
    named.or_else(|| {
        let socket = PathBuf::from(text("XDG_RUNTIME_DIR").filter(|folder| folder.starts_with('/'))?).join("bus");
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/-_.".contains(letter);
        let socket = socket.to_str().filter(|path| path.chars().all(is_plain) && Path::new(path).exists())?.to_owned();
        Some(format!("unix:path={socket}"))
    })
}
