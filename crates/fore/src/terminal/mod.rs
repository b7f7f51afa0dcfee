//! `fore` in a terminal: what is decided before its first frame, and what is said after its last. It draws nothing itself.

mod appearance;
mod host;
mod notify;
mod rows;
mod start;
mod tips;

use crate::{args::near_command, console::Console, headless::args::PrintArgs, pick, report};
use anyhow::bail;
use fore_store::{Home, SessionId, session};
use fore_tui::ExitReason;
use std::{
    io::{self, IsTerminal},
    process::ExitCode,
};

/// `fore`, `fore "prompt"`.
pub(crate) fn run(args: PrintArgs, settings: Option<&str>) -> anyhow::Result<ExitCode> {
    show(args, settings, false)
}

/// A session whose plan waits, with that plan in the browser from the start.
pub(crate) fn review(args: PrintArgs, session: SessionId, settings: Option<&str>) -> anyhow::Result<ExitCode> {
    show(PrintArgs { resume: Some(Some(session.to_string())), ..args }, settings, true)
}

fn show(args: PrintArgs, settings: Option<&str>, reviews: bool) -> anyhow::Result<ExitCode> {
    if let Some(word) = &args.prompt {
        require_no_slip(word)?;
    }
    args.require_for_a_terminal()?;
    require_terminal(io::stdin().is_terminal(), io::stdout().is_terminal())?;
    let (options, program) = start::read(args, settings, reviews)?;
    report::outlive_closed_pipes();
    let home = program.home();
    let ended = fore_tui::run(options, program)?;
    if let Some(session) = ended.session {
        // A window that was closed can be told nothing; that is no failure.
        let _ = Console::stdout().line(format_args!("Resume with: fore --resume {}", short(&home, session)));
    }
    Ok(match ended.reason {
        ExitReason::Left => ExitCode::SUCCESS,
        ExitReason::Interrupted => ExitCode::from(130),
        ExitReason::Terminated => ExitCode::from(143),
    })
}

fn short(home: &Home, session: SessionId) -> String {
    let id = session.to_string();
    let all = session::ids(home).unwrap_or_default();
    pick::short(&id, &all.iter().map(ToString::to_string).collect::<Vec<_>>())
}

/// Refuses one word that is a command but for one slip of the fingers: nobody wants to pay a model for that.
fn require_no_slip(word: &str) -> anyhow::Result<()> {
    if word.chars().any(char::is_whitespace) {
        return Ok(());
    }
    match near_command(word) {
        Some(name) => bail!(
            "`{word}` is not a fore command; did you mean `fore {name}`?\nif it is a prompt, start `fore` and type it there"
        ),
        None => Ok(()),
    }
}

fn require_terminal(input: bool, output: bool) -> anyhow::Result<()> {
    let missing = match (input, output) {
        (true, true) => return Ok(()),
        (false, _) => "standard input",
        (true, false) => "standard output",
    };
    bail!("{missing} is not a terminal; add -p \"your prompt\" to run without one, or see `fore --help`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_of_the_fingers_is_a_command_and_other_words_are_prompts() {
        let page = [
            ("palns", true),
            ("sesions", true),
            ("sessionss", true),
            ("gat", true),
            ("Plan", true),
            ("doctro", true),
            ("explain", false),
            ("test", false),
            ("refactor", false),
            ("hello", false),
            ("日本語", false),
            ("palns?!", false),
            ("palns of the shop", false),
        ];
        for (word, expected) in page {
            assert_eq!(require_no_slip(word).is_err(), expected, "{word}");
        }
        assert_eq!(
            require_no_slip("palns").unwrap_err().to_string(),
            "`palns` is not a fore command; did you mean `fore plans`?\nif it is a prompt, start `fore` and type it there"
        );
    }
}
