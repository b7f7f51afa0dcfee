//! Opens a file in the person's own editor, in front of the terminal. It is their program, so no cage holds it; it is
//! never chosen by a model or a repository, and opens only what its caller names.
#![expect(clippy::disallowed_methods, reason = "starts the one program that the person and not the agent works with")]

use rustix::{
    io::retry_on_intr,
    process::{Pid, Signal, WaitOptions, getpgrp, getpid, kill_process_group, waitpid},
    termios::{self, OptionalActions, Termios},
};
use std::{
    ffi::OsString,
    io,
    os::{
        fd::BorrowedFd,
        unix::{
            fs::PermissionsExt,
            process::{CommandExt, ExitStatusExt},
        },
    },
    path::{Path, PathBuf},
    process::ExitStatus,
};

/// Looked for in this order where the person named no editor.
const USUAL: [&str; 3] = ["nano", "vim", "vi"];

/// The person's editor: a program that is there, and what stands before the name of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Editor {
    program: PathBuf,
    arguments: Vec<String>,
}

/// Why no file could be edited.
#[derive(Debug, thiserror::Error)]
pub enum EditorError {
    /// No variable names one, and none of the usual ones is there.
    #[error("no editor was found: set EDITOR to yours, such as EDITOR=nano")]
    None,
    /// A variable that cannot be taken apart into words.
    #[error("{variable} is `{value}`, which is not a command: {why}")]
    NotUnderstood {
        /// Its name.
        variable: &'static str,
        /// What it says.
        value: String,
        /// What is wrong with that.
        why: &'static str,
    },
    /// Its program is not on the search path.
    #[error("{variable} is `{value}`, but `{program}` is not found")]
    NotFound {
        /// Its name.
        variable: &'static str,
        /// What it says.
        value: String,
        /// The word that should be a program.
        program: String,
    },
    /// The system did not start it.
    #[error("the editor {name} cannot be started: {why}")]
    NotStarted {
        /// The program.
        name: String,
        /// What the system said.
        why: io::Error,
    },
    /// It ended with an error; the file may be half written.
    #[error("the editor {name} ended {how}")]
    Failed {
        /// The program.
        name: String,
        /// With which code or signal.
        how: String,
    },
}

impl Editor {
    /// `VISUAL`, else `EDITOR`, else a usual one. A program without a path is looked for on `PATH`, in absolute folders
    /// only: what lies in the project has no say.
    pub fn of_the_person(variable: &dyn Fn(&str) -> Option<OsString>) -> Result<Editor, EditorError> {
        let path = variable("PATH").unwrap_or_default();
        for name in ["VISUAL", "EDITOR"] {
            let value = variable(name).unwrap_or_default().to_string_lossy().trim().to_owned();
            if value.is_empty() {
                continue;
            }
            let not = |why| EditorError::NotUnderstood { variable: name, value: value.clone(), why };
            let mut words = split_words(&value).map_err(not)?.into_iter();
            let program = words.next().filter(|word| !word.is_empty()).ok_or_else(|| not("it names no program"))?;
            let found = found(&program, &path);
            let program =
                found.ok_or_else(|| EditorError::NotFound { variable: name, value: value.clone(), program })?;
            return Ok(Editor { program, arguments: words.collect() });
        }
        let usual = USUAL.iter().find_map(|name| found(name, &path)).ok_or(EditorError::None)?;
        Ok(Editor { program: usual, arguments: Vec::new() })
    }

    /// As people call it: `vim`.
    pub fn name(&self) -> String {
        self.program.file_name().unwrap_or(self.program.as_os_str()).to_string_lossy().into_owned()
    }

    /// Opens a file and waits until the person is done. The terminal belongs to the editor meanwhile, with its keys for
    /// interrupting and stopping; this program must not draw or read.
    pub fn open(&self, file: &Path) -> Result<(), EditorError> {
        let mut command = std::process::Command::new(&self.program);
        command.args(&self.arguments).arg(file);
        let status = in_front(&mut command);
        let status = status.map_err(|why| EditorError::NotStarted { name: self.name(), why })?;
        match (status.code(), status.signal()) {
            (Some(0), _) => Ok(()),
            (Some(code), _) => Err(self.failed(format!("with exit code {code}"))),
            (None, signal) => Err(self.failed(format!("by signal {}", signal.unwrap_or_default()))),
        }
    }

    fn failed(&self, how: String) -> EditorError {
        EditorError::Failed { name: self.name(), how }
    }
}

/// The terminal that this program was started in.
fn terminal() -> BorrowedFd<'static> {
    rustix::stdio::stdin()
}

/// Runs a program as a job of its own in front of the terminal, as a shell would, and comes back to the front afterwards.
fn in_front(command: &mut std::process::Command) -> io::Result<ExitStatus> {
    let own = getpgrp();
    // It fails where standard input is not the terminal of this session.
    if termios::tcgetpgrp(terminal()) != Ok(own) {
        return command.status();
    }
    command.process_group(0);
    // SAFETY: between fork and exec only calls are made that are safe there; they touch no memory of others.
    unsafe {
        command.pre_exec(|| to_front(getpid()));
    }
    let modes = SavedTermios::now();
    let ended = command.spawn().and_then(|child| wait(Pid::from_child(&child), own, &modes));
    let back = to_front(own);
    modes.restore();
    ended.and_then(|status| back.map(|()| status))
}

/// Waits for a job. When the person stops it (Ctrl+Z) this program stops with it, and both go on together.
fn wait(job: Pid, own: Pid, modes: &SavedTermios) -> io::Result<ExitStatus> {
    loop {
        match retry_on_intr(|| waitpid(Some(job), WaitOptions::UNTRACED))? {
            Some((_, status)) if !status.stopped() => return Ok(ExitStatus::from_raw(status.as_raw())),
            Some(_) => {
                let editors = SavedTermios::now();
                to_front(own)?;
                modes.restore();
                stop_as_a_job();
                editors.restore();
                to_front(job)?;
                // The job has not been waited for to its end, so its number is still its own.
                let _ = kill_process_group(job, Signal::CONT);
            }
            // Only who does not want to wait gets this.
            None => {}
        }
    }
}

/// Stops this program, and with it the scripts around it, until its shell lets them go on. Where no shell could, the kernel
/// drops the signal, and it goes on at once.
///
/// Its own stop waits, blocked, before the others are told: a shell that lets all of them go on the moment it sees the first one stop
/// takes back a stop that still waits, and cannot come too early for one that is not there yet.
pub fn stop_as_a_job() {
    // SAFETY: the old behaviour and mask are saved and put back; all structs outlive their calls.
    unsafe {
        let mut usual: libc::sigaction = std::mem::zeroed();
        usual.sa_sigaction = libc::SIG_DFL;
        let mut before: libc::sigaction = std::mem::zeroed();
        let mut stop: libc::sigset_t = std::mem::zeroed();
        let mut mask: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut stop);
        libc::sigaddset(&raw mut stop, libc::SIGTSTP);
        libc::sigaction(libc::SIGTSTP, &raw const usual, &raw mut before);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const stop, &raw mut mask);
        // To this thread and not only to the group: it is stopped when it no longer blocks the signal, not a moment later.
        libc::raise(libc::SIGTSTP);
        libc::kill(0, libc::SIGTSTP);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const stop, std::ptr::null_mut());
        libc::sigaction(libc::SIGTSTP, &raw const before, std::ptr::null_mut());
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const mask, std::ptr::null_mut());
    }
}

/// Gives the terminal to a process group. One in the background may do that only while it does not hear the objection.
fn to_front(group: Pid) -> io::Result<()> {
    // SAFETY: the sets outlive the calls; only this thread's mask changes, and it is put back.
    let given = unsafe {
        let mut objection: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut objection);
        libc::sigaddset(&raw mut objection, libc::SIGTTOU);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const objection, &raw mut before);
        let given = termios::tcsetpgrp(terminal(), group);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        given
    };
    Ok(given?)
}

/// How the terminal treats what is typed; an editor that crashed may leave it strange.
struct SavedTermios(Option<Termios>);

impl SavedTermios {
    fn now() -> SavedTermios {
        SavedTermios(termios::tcgetattr(terminal()).ok())
    }

    fn restore(&self) {
        if let Some(modes) = &self.0 {
            // That it fails changes nothing that could be done here.
            let _ = termios::tcsetattr(terminal(), OptionalActions::Drain, modes);
        }
    }
}

/// A program by its path, or by its name on `PATH`.
pub(crate) fn found(program: &str, path: &std::ffi::OsStr) -> Option<PathBuf> {
    let runs = |file: &PathBuf| file.metadata().is_ok_and(|is| is.is_file() && is.permissions().mode() & 0o111 != 0);
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(runs);
    }
    std::env::split_paths(path).filter(|folder| folder.is_absolute()).map(|folder| folder.join(program)).find(runs)
}

/// The words of a command as a shell would split them; nothing is expanded.
pub(crate) fn split_words(text: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            _ if letter.is_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                while let Some(inside) = Some(letters.next().ok_or(NOT_CLOSED)?).filter(|inside| *inside != '\'') {
                    word.push(inside);
                }
            }
            '"' => quoted(&mut letters, word.get_or_insert_default())?,
            '\\' => word.get_or_insert_default().push(letters.next().ok_or("it ends in a backslash")?),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

const NOT_CLOSED: &str = "a quote is not closed";

/// What stands between double quotes; the first one has been read.
fn quoted(letters: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), &'static str> {
    loop {
        match letters.next().ok_or(NOT_CLOSED)? {
            '"' => return Ok(()),
            '\\' => match letters.next().ok_or(NOT_CLOSED)? {
                escaped @ ('"' | '\\' | '$' | '`') => word.push(escaped),
                other => word.extend(['\\', other]),
            },
            other => word.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_may_have_arguments_and_a_name_with_spaces() {
        let page: [(&str, Result<&[&str], &str>); 9] = [
            ("vim", Ok(&["vim"])),
            ("code  --wait", Ok(&["code", "--wait"])),
            (r#""/opt/my editor/ed" -n"#, Ok(&["/opt/my editor/ed", "-n"])),
            (r"/opt/my\ editor/ed", Ok(&["/opt/my editor/ed"])),
            ("emacs -nw --eval '(setq x \"y\")'", Ok(&["emacs", "-nw", "--eval", "(setq x \"y\")"])),
            (r#"ed "" ''"#, Ok(&["ed", "", ""])),
            ("ed $HOME;ls `x`", Ok(&["ed", "$HOME;ls", "`x`"])),
            ("ed 'open", Err("a quote is not closed")),
            ("ed \\", Err("it ends in a backslash")),
        ];
        for (text, expected) in page {
            let expected = expected.map(|words| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
            assert_eq!(split_words(text), expected, "{text}");
        }
    }

    fn chosen(variables: &[(&str, &str)]) -> Result<String, String> {
        let variable =
            |wanted: &str| variables.iter().find(|(name, _)| *name == wanted).map(|(_, value)| OsString::from(value));
        let editor = Editor::of_the_person(&variable).map_err(|error| error.to_string())?;
        Ok([vec![editor.program.display().to_string()], editor.arguments].concat().join(" "))
    }

    #[test]
    fn visual_comes_before_editor_and_both_before_the_usual_ones() {
        let bin = tempfile::tempdir().unwrap();
        for name in ["nano", "vi", "mine"] {
            std::fs::write(bin.path().join(name), "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(bin.path().join(name), std::fs::Permissions::from_mode(0o700)).unwrap();
        }
        std::fs::write(bin.path().join("vim"), "not executable").unwrap();
        let path = bin.path().display().to_string();
        let at = |name: &str| Ok(format!("{path}/{name}"));
        assert_eq!(chosen(&[("PATH", &path), ("VISUAL", "mine -w"), ("EDITOR", "vi")]), at("mine -w"));
        assert_eq!(chosen(&[("PATH", &path), ("VISUAL", " "), ("EDITOR", "vi")]), at("vi"));
        assert_eq!(chosen(&[("PATH", &path)]), at("nano"));
        std::fs::remove_file(bin.path().join("nano")).unwrap();
        assert_eq!(chosen(&[("PATH", &path)]), at("vi"));
    }

    #[test]
    fn an_editor_that_is_not_there_is_named() {
        let page: [(&[(&str, &str)], &str); 4] = [
            (&[], "no editor was found: set EDITOR to yours, such as EDITOR=nano"),
            (&[("PATH", "."), ("EDITOR", "Cargo.toml")], "EDITOR is `Cargo.toml`, but `Cargo.toml` is not found"),
            (&[("VISUAL", "'vi")], "VISUAL is `'vi`, which is not a command: a quote is not closed"),
            (&[("EDITOR", "''")], "EDITOR is `''`, which is not a command: it names no program"),
        ];
        for (variables, words) in page {
            assert_eq!(chosen(variables), Err(words.to_owned()));
        }
    }
}
