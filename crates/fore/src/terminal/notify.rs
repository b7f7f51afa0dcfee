//! How somebody is called who looks elsewhere: what their settings say, what their terminal understands, and the command of their own.

use crate::{
    own_command::OwnCommands,
    settings::{EnvironmentLookup, NotifySection, NotifySignName, Settings},
};
use anyhow::bail;
use fore_sandbox::{Ending, JobCommand};
use fore_tui::{NotifyOptions, NotifyReason, NotifySign};
use std::{ffi::OsString, time::Duration};

/// A command that calls is ended after this time.
const MAX_TIME: Duration = Duration::from_secs(10);
const MAX_OUTPUT_BYTES: usize = 4 << 10;
/// Places in the words of the command.
const TITLE: &str = "{title}";
const TEXT: &str = "{text}";

pub(super) fn options(notify: &NotifySection, variable: EnvironmentLookup<'_>) -> NotifyOptions {
    let sign = match notify.terminal {
        NotifySignName::Auto => understood(variable),
        NotifySignName::Bell => NotifySign::Bell,
        NotifySignName::Osc9 => NotifySign::Osc9,
        NotifySignName::Osc777 => NotifySign::Osc777,
        NotifySignName::Never => NotifySign::Silent,
    };
    NotifyOptions {
        sign,
        has_command: !notify.command.is_empty(),
        long_turn: Duration::from_secs(u64::from(notify.after_seconds)),
        title: notify.title,
    }
}

/// What a terminal of this name shows as a notification; the bell where that is not known. A multiplexer passes nothing else on.
fn understood(variable: EnvironmentLookup<'_>) -> NotifySign {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    if is_set("TMUX") || is_set("STY") {
        return NotifySign::Bell;
    }
    let (term, program) = (variable("TERM").unwrap_or_default(), variable("TERM_PROGRAM").unwrap_or_default());
    match program.as_str() {
        "iTerm.app" | "WezTerm" | "ghostty" => return NotifySign::Osc9,
        _ => {}
    }
    match term.split('-').next().unwrap_or_default() {
        "foot" | "rxvt" => NotifySign::Osc777,
        _ if term == "xterm-kitty" || term == "xterm-ghostty" => NotifySign::Osc9,
        _ => NotifySign::Bell,
    }
}

/// Runs the command of the person's settings.
pub(super) fn run(settings: &Settings, why: NotifyReason) -> anyhow::Result<()> {
    let words = &settings.written.notify.command;
    let project = settings.project.file_name().unwrap_or(settings.project.as_os_str()).to_string_lossy();
    let title = format!("Forethought: {}", fore_text::line(&project));
    let argv = filled(words, &title, why.text());
    let outcome = OwnCommands::new(settings)?.run(JobCommand::Program(argv), MAX_TIME, MAX_OUTPUT_BYTES)?;
    match (outcome.ending, outcome.status.success()) {
        (Ending::Itself, true) => Ok(()),
        (Ending::Time, _) => bail!("it took longer than {} s", MAX_TIME.as_secs()),
        (_, _) => bail!("it ended with exit code {}", outcome.status.code()),
    }
}

/// The command with what is said in its places; behind it, where it has none.
fn filled(words: &[String], title: &str, text: &str) -> Vec<OsString> {
    let has_place = words.iter().any(|word| word.contains(TITLE) || word.contains(TEXT));
    let filled = words.iter().map(|word| word.replace(TITLE, title).replace(TEXT, text).into());
    let behind = if has_place { Vec::new() } else { vec![title.into(), text.into()] };
    filled.chain(behind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_stands_in_its_places_or_behind_the_command() {
        let page: [(&[&str], &[&str]); 3] = [
            (&["notify-send"], &["notify-send", "Forethought: shop", "The turn is over."]),
            (&["say", "{text}"], &["say", "The turn is over."]),
            (
                &["post", "--title={title}", "-d", "{text} ({title})"],
                &["post", "--title=Forethought: shop", "-d", "The turn is over. (Forethought: shop)"],
            ),
        ];
        for (words, expected) in page {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(filled(&words, "Forethought: shop", NotifyReason::TurnEnded.text()), expected);
        }
    }

    #[test]
    fn a_terminal_that_is_known_shows_a_notification_and_any_other_rings() {
        let page: [(&[(&str, &str)], NotifySign); 7] = [
            (&[("TERM", "xterm-256color")], NotifySign::Bell),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")], NotifySign::Osc9),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm"), ("TMUX", "/tmp/x,1,0")], NotifySign::Bell),
            (&[("TERM", "xterm-kitty")], NotifySign::Osc9),
            (&[("TERM", "foot")], NotifySign::Osc777),
            (&[("TERM", "rxvt-unicode-256color")], NotifySign::Osc777),
            (&[], NotifySign::Bell),
        ];
        for (variables, expected) in page {
            let variable = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(options(&NotifySection::default(), &variable).sign, expected, "{variables:?}");
        }
    }
}
