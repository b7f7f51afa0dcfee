//! Turns errors into words and exit codes. Nobody else does.

use crate::{
    screen::{Screen, plain},
    settings::{Problems, Settings},
};
use anstyle::{AnsiColor, Style};
use std::process::ExitCode;

/// A usage or set-up problem; the same code that clap uses.
const USAGE: u8 = 2;

/// Red and bold, for what went wrong.
const WRONG: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red))).bold();

/// Yellow and bold, for what may go wrong.
const UNSURE: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow))).bold();

/// The exit code of a finished command, or the words for what stopped it.
pub(crate) fn exit(done: anyhow::Result<ExitCode>) -> ExitCode {
    done.unwrap_or_else(|error| {
        let mut screen = Screen::stderr();
        let causes = error.chain().skip(1).map(|cause| format!("  because: {}", plain(&cause.to_string())));
        let each = error.downcast_ref::<Problems>().map(Problems::lines).unwrap_or_default();
        let causes = causes.chain(each.iter().map(|line| format!("  {}", plain(line))));
        let lines = std::iter::once(format!("{WRONG}error:{WRONG:#} {}", plain(&error.to_string()))).chain(causes);
        for line in lines {
            // There is nobody left to tell when this fails; the exit code says it.
            let _ = screen.line(line);
        }
        ExitCode::from(USAGE)
    })
}

/// Says what the person should know about the settings, where it does not get between a program and its answer.
pub(crate) fn warn(settings: &Settings) {
    let mut screen = Screen::stderr();
    for warning in settings.all_warnings() {
        // The exit code does not hang on this.
        let _ = screen.line(format_args!("{UNSURE}warning:{UNSURE:#} {}", plain(warning)));
    }
}

/// `fore gate … | head` ends without a complaint, as other commands do: Rust ignores SIGPIPE, people expect it.
pub(crate) fn die_quietly_when_nobody_reads() {
    // SAFETY: setting a default disposition before any thread exists.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}
