//! Turns errors into words and exit codes. Nobody else does.

use anstream::eprintln;
use anstyle::{AnsiColor, Style};
use std::process::ExitCode;

/// A usage or set-up problem; the same code that clap uses.
const USAGE: u8 = 2;

/// Red and bold, for what went wrong.
const WRONG: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red))).bold();

/// The exit code of a finished command, or the words for what stopped it.
pub(crate) fn exit(done: anyhow::Result<ExitCode>) -> ExitCode {
    done.unwrap_or_else(|error| {
        eprintln!("{WRONG}error:{WRONG:#} {error}");
        for cause in error.chain().skip(1) {
            eprintln!("  because: {cause}");
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
