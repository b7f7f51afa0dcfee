//! `/help`: the keys as they are bound now, and the commands.

use super::COMMANDS;
use crate::keys::{Action, Keymap};

const BESIDES: &str = include_str!("help.md");

/// Beneath the head of a table.
const LINE: &str = "|---|---|";

/// The page as Markdown.
pub(crate) fn page(keymap: &Keymap) -> String {
    let mut lines = vec![BESIDES.trim_end().to_owned(), String::new(), "| Commands | |".into(), LINE.into()];
    for command in COMMANDS {
        let words = if command.words.is_empty() { String::new() } else { format!(" {}", command.words) };
        lines.push(format!("| `/{}{words}` | {} |", command.name, command.about));
    }
    lines.extend([String::new(), "| Keys | |".into(), LINE.into()]);
    for action in Action::ALL {
        let keys = keymap.keys_of(*action).join(", ");
        if !keys.is_empty() {
            lines.push(format!("| `{keys}` | {} |", action.about()));
        }
    }
    lines.join("\n")
}
