//! Turns errors into words and exit codes. Nobody else does.

use crate::{
    console::{Console, plain},
    settings::{Settings, SettingsProblems},
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
        say(&error);
        ExitCode::from(USAGE)
    })
}

/// Help, the version, or what is not understood of the command line: words of it may come from anywhere.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let words = error.render().ansi().to_string();
    let words = words.trim_end_matches('\n');
    // The exit code does not hang on this.
    let _ = match error.use_stderr() {
        true => Console::stderr().exact_line(words),
        false => Console::stdout().exact_line(words),
    };
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(USAGE))
}

/// Says what went wrong, line by line, with its causes.
pub(crate) fn say(error: &anyhow::Error) {
    let mut screen = Console::stderr();
    let mut lines = lines(error).into_iter();
    let first = format!("{WRONG}error:{WRONG:#} {}", lines.next().unwrap_or_default());
    for line in std::iter::once(first).chain(lines.map(|line| format!("  {line}"))) {
        // There is nobody left to tell when this fails; the exit code says it.
        let _ = screen.line(line);
    }
}

/// What went wrong and why, in one line or several, for whoever shows it.
pub(crate) fn words(error: &anyhow::Error) -> String {
    lines(error).join("\n")
}

fn lines(error: &anyhow::Error) -> Vec<String> {
    let words = error.to_string();
    let causes = error.chain().skip(1).map(|cause| format!("because: {cause}"));
    let each = error.downcast_ref::<SettingsProblems>().map(SettingsProblems::lines).unwrap_or_default();
    words.lines().map(str::to_owned).chain(causes).chain(each).map(|line| plain(&line)).collect()
}

/// Says what the person should know about the settings, where it does not get between a program and its answer.
pub(crate) fn warn(settings: &Settings) {
    settings.all_warnings().for_each(warning);
}

/// One thing to know.
pub(crate) fn warning(words: &str) {
    // The exit code does not hang on this.
    let _ = Console::stderr().line(format_args!("{UNSURE}warning:{UNSURE:#} {}", plain(words)));
}

/// `fore gate … | head` ends without a complaint, as other commands do: Rust ignores SIGPIPE, people expect it.
pub(crate) fn die_quietly_when_nobody_reads() {
    // SAFETY: setting a default disposition before any thread exists.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

/// For runs of a session: a pipe that closes somewhere must not kill a program that has things to save and to stop. That
/// nobody reads the output any more is then an error like others. Commands in cages start with the usual behaviour.
pub(crate) fn outlive_closed_pipes() {
    // SAFETY: setting a disposition; no handler of ours is involved.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
    }
}
