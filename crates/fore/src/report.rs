//! Turns errors into words and exit codes. Nobody else does.

use crate::screen::{Screen, plain};
use anstyle::{AnsiColor, Style};
use std::process::ExitCode;

/// A usage or set-up problem; the same code that clap uses.
const USAGE: u8 = 2;

/// Red and bold, for what went wrong.
const WRONG: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red))).bold();

/// The exit code of a finished command, or the words for what stopped it.
pub(crate) fn exit(done: anyhow::Result<ExitCode>) -> ExitCode {
    done.unwrap_or_else(|error| {
        let mut screen = Screen::stderr();
        let causes = error.chain().skip(1).map(|cause| format!("  because: {}", plain(&cause.to_string())));
        let lines = std::iter::once(format!("{WRONG}error:{WRONG:#} {}", plain(&error.to_string()))).chain(causes);
        for line in lines {
            // There is nobody left to tell when this fails; the exit code says it.
            let _ = screen.line(line);
        }
        ExitCode::from(USAGE)
    })
}

/// `fore gate … | head` ends without a complaint, as other commands do: Rust ignores SIGPIPE, people expect it.
pub(crate) fn die_quietly_when_nobody_reads() {
    // SAFETY: setting a default disposition before any thread exists.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}
