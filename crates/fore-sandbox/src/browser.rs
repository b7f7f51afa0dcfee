//! Opens a file in the person's own browser. It is their program, so no cage holds it; it is never chosen by a model or a repository, and
//! opens only what its caller names. What it opens is a file and not an address: others on the machine can read command lines.
#![expect(clippy::disallowed_methods, reason = "starts a program that the person and not the agent works with")]

use crate::editor::{found, split_words};
use std::{
    ffi::OsString,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Stdio,
};

/// Looked for in this order where the person named no browser; each hands the file to the one that the desktop knows.
const USUAL: [&str; 4] = ["xdg-open", "gio", "sensible-browser", "wslview"];

/// The person's browser: a program that is there, and what stands before the name of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Browser {
    program: PathBuf,
    arguments: Vec<String>,
}

impl Browser {
    /// `BROWSER`, else one that the desktop knows; none without a desktop. A program without a path is looked for on `PATH`, in absolute
    /// folders only.
    pub fn of_the_person(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<Browser> {
        let path = variable("PATH").unwrap_or_default();
        let named = variable("BROWSER").unwrap_or_default().to_string_lossy().trim().to_owned();
        // Several may be named; the first one that is there.
        for words in named.split(':').filter_map(|one| split_words(one).ok()) {
            let mut words = words.into_iter();
            let program = words.next().and_then(|program| found(&program, &path));
            if let Some(program) = program {
                return Some(Browser { program, arguments: words.filter(|word| word != "%s").collect() });
            }
        }
        let has_desktop = ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].iter().any(|name| variable(name).is_some());
        let usual = USUAL.iter().filter(|_| has_desktop && named.is_empty());
        let (name, program) = usual.filter_map(|name| Some((*name, found(name, &path)?))).next()?;
        let arguments = if name == "gio" { vec!["open".to_owned()] } else { Vec::new() };
        Some(Browser { program, arguments })
    }

    /// Opens a file and does not wait for the browser; false when it cannot be started.
    pub fn open(&self, file: &Path) -> bool {
        let mut command = std::process::Command::new(&self.program);
        command.args(&self.arguments).arg(file).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(mut child) = command.spawn() else { return false };
        // Whoever hands over to a browser that runs already ends at once; somebody has to notice.
        std::thread::Builder::new().name("browser".into()).spawn(move || drop(child.wait())).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_browser_is_the_one_that_was_named_or_the_desktops() {
        let bin = tempfile::tempdir().unwrap();
        for name in ["firefox", "gio"] {
            std::fs::write(bin.path().join(name), "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(bin.path().join(name), std::fs::Permissions::from_mode(0o700)).unwrap();
        }
        let path = bin.path().display().to_string();
        let chosen = |variables: &[(&str, &str)]| {
            let variable = |wanted: &str| {
                variables.iter().find(|(name, _)| *name == wanted).map(|(_, value)| OsString::from(value))
            };
            let browser = Browser::of_the_person(&variable)?;
            Some([vec![browser.program.display().to_string()], browser.arguments].concat().join(" ").replace(&path, ""))
        };
        type Variables<'a> = &'a [(&'a str, &'a str)];
        let page: [(Variables<'_>, Option<&str>); 6] = [
            (&[("PATH", &path)], None),
            (&[("PATH", &path), ("DISPLAY", ":0")], Some("/gio open")),
            (&[("PATH", &path), ("BROWSER", "firefox --new-window %s")], Some("/firefox --new-window")),
            (&[("PATH", &path), ("BROWSER", "missing:firefox")], Some("/firefox")),
            (&[("PATH", &path), ("BROWSER", "missing"), ("DISPLAY", ":0")], None),
            (&[("PATH", "."), ("BROWSER", "firefox")], None),
        ];
        for (variables, expected) in page {
            assert_eq!(chosen(variables).as_deref(), expected, "{variables:?}");
        }
    }
}
