//! `/help`: a short page first; every command, the keys as they are bound now, and the keys of the dialogs by topic.

use super::{
    COMMANDS, SlashCommand,
    cost::{code, literal},
};
use crate::{
    keys::{KeyAction, Keymap},
    options::DisplayMode,
};
use fore_agent::custom::CustomCommandRow;

const BESIDES: &str = include_str!("help.md");
/// Keys that hold only while something is asked.
const DIALOGS: &str = include_str!("help_dialogs.md");
/// Instead of keys, where there are only lines.
const LINES: &str = include_str!("help_lines.md");

const NAMES: &str =
    "In brackets: the name of a key in your settings, as in `\"keys\": {\"openEditor\": [\"ctrl+g\", \"f4\"]}`.";

/// Where there are none of one's own.
const NO_CUSTOM: &str = "A file `.forethought/commands/NAME.md` is a command `/NAME` of your own.";

/// Beneath the head of a table.
const LINE: &str = "|---|---|";

/// What the first page has; the rest is one topic away.
const FIRST_COMMANDS: [&str; 6] = ["plan", "mode", "model", "status", "resume", "quit"];
const FIRST_KEYS: [KeyAction; 4] =
    [KeyAction::CycleMode, KeyAction::ToggleDetails, KeyAction::OpenEditor, KeyAction::Leave];

/// The page on a topic as Markdown; the short one where there is none. None for a topic that nobody knows.
pub(crate) fn page(keymap: &Keymap, look: DisplayMode, topic: &str, custom: &[CustomCommandRow]) -> Option<String> {
    let asked = match look {
        DisplayMode::Full => DIALOGS,
        DisplayMode::Plain => LINES,
    };
    Some(match topic {
        "" => first(keymap, look),
        "commands" if custom.is_empty() => format!("{}\n\n{NO_CUSTOM}", commands(COMMANDS.iter())),
        "commands" => format!("{}\n\n{}", commands(COMMANDS.iter()), of_files(custom)),
        "keys" if look == DisplayMode::Full => {
            format!("{}\n\n{NAMES}", keys(keymap, KeyAction::ALL.iter().copied()))
        }
        "keys" | "plan" | "questions" => asked.trim_end().to_owned(),
        _ => return None,
    })
}

fn first(keymap: &Keymap, look: DisplayMode) -> String {
    let chosen = COMMANDS.iter().filter(|command| FIRST_COMMANDS.contains(&command.name));
    let mut parts = vec![BESIDES.trim_end().to_owned()];
    match look {
        DisplayMode::Full => parts.extend([commands(chosen), keys(keymap, FIRST_KEYS.into_iter())]),
        DisplayMode::Plain => parts.extend([LINES.trim_end().to_owned(), commands(chosen)]),
    }
    parts.push(match look {
        DisplayMode::Full => {
            "More: `/help commands`, `/help keys`, `/help plan` (keys of plans and questions).".to_owned()
        }
        DisplayMode::Plain => "More: `/help commands`.".to_owned(),
    });
    parts.join("\n\n")
}

fn commands<'a>(chosen: impl Iterator<Item = &'a SlashCommand>) -> String {
    let row = |command: &SlashCommand| {
        let words = if command.words.is_empty() { String::new() } else { format!(" {}", command.words) };
        format!("| `/{}{}` | {} |", command.name, words, command.about)
    };
    let head = ["| Commands | |".to_owned(), LINE.to_owned()];
    head.into_iter().chain(chosen.map(row)).collect::<Vec<_>>().join("\n")
}

/// The commands of files, each with the file.
fn of_files(custom: &[CustomCommandRow]) -> String {
    let row = |command: &CustomCommandRow| {
        let words = format!("/{} {}", command.name, command.arguments);
        let about = format!("{} · {}", literal(&command.description), literal(&command.from));
        format!("| {} | {about} |", code(words.trim_end()).replace('|', "\\|"))
    };
    let head = ["| Yours and the project's | |".to_owned(), LINE.to_owned()];
    head.into_iter().chain(custom.iter().map(row)).collect::<Vec<_>>().join("\n")
}

fn keys(keymap: &Keymap, chosen: impl Iterator<Item = KeyAction>) -> String {
    let row = |action: KeyAction| {
        let keys = keymap.keys_of(action).join(", ");
        let keys = if keys.is_empty() { "no key".to_owned() } else { format!("`{keys}`") };
        format!("| {keys} | {} ({}) |", action.about(), action.name())
    };
    let head = ["| Keys | |".to_owned(), LINE.to_owned()];
    head.into_iter().chain(chosen.map(row)).collect::<Vec<_>>().join("\n")
}
