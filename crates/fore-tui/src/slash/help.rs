//! `/help`: the commands, the keys as they are bound now with their names for the settings, and the keys of the dialogs.

use super::COMMANDS;
use crate::{
    keys::{KeyAction, Keymap},
    options::DisplayMode,
};

const BESIDES: &str = include_str!("help.md");
/// Keys that hold only while something is asked.
const DIALOGS: &str = include_str!("help_dialogs.md");
/// Instead of keys, where there are only lines.
const LINES: &str = include_str!("help_lines.md");

const NAMES: &str =
    "In brackets: the name of a key in your settings, as in `\"keys\": {\"openEditor\": [\"ctrl+g\", \"f4\"]}`.";

/// Beneath the head of a table.
const LINE: &str = "|---|---|";

/// The page as Markdown.
pub(crate) fn page(keymap: &Keymap, look: DisplayMode) -> String {
    let mut lines = vec![BESIDES.trim_end().to_owned(), String::new()];
    // What is looked for most stands last, where the screen is.
    let asked = match look {
        DisplayMode::Full => DIALOGS,
        DisplayMode::Plain => LINES,
    };
    lines.extend([asked.trim_end().to_owned(), String::new()]);
    lines.extend(["| Commands | |".into(), LINE.into()]);
    for command in COMMANDS {
        let words = if command.words.is_empty() { String::new() } else { format!(" {}", command.words) };
        lines.push(format!("| `/{}{words}` | {} |", command.name, command.about));
    }
    if look == DisplayMode::Full {
        lines.extend([String::new(), "| Keys | |".into(), LINE.into()]);
        for action in KeyAction::ALL {
            let keys = keymap.keys_of(*action).join(", ");
            let keys = if keys.is_empty() { "no key".to_owned() } else { format!("`{keys}`") };
            lines.push(format!("| {keys} | {} ({}) |", action.about(), action.name()));
        }
        lines.extend([String::new(), NAMES.to_owned()]);
    }
    lines.join("\n")
}
