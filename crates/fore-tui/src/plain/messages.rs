//! Longer words of the plain terminal: lists and what is shown of a call. It decides nothing.

use crate::{dialogs::text::folded, options::FolderTrust, theme::mode_words};
use fore_agent::{ShownBody, ShownCall};
use fore_plan::Mode;
use fore_text::TextKind;

/// What `/trust` says in lines.
pub(super) const TRUST: &str = "\
Trusting a folder lets its own settings grant what they ask for, and enables modes that ask less often.
/trust yes trusts this project.";

/// Every mode, with how to switch to it.
pub(super) fn modes(folder: FolderTrust) -> String {
    let rows = Mode::ALL.map(|mode| {
        let is_open = folder == FolderTrust::Trusted || !mode.needs_trust();
        let needs = if is_open { "" } else { ", needs /trust" };
        format!("/mode {mode}  {}{needs}", mode_words(mode))
    });
    rows.join("\n")
}

/// What is shown of a call that asks, whole: a command or a difference.
pub(super) fn body_lines(shown: &ShownCall) -> Vec<String> {
    let text = match &shown.body {
        ShownBody::Nothing => shown.line.clone(),
        ShownBody::Text { text } | ShownBody::Markdown { text } => text.clone(),
        ShownBody::Diff { path, diff } => format!("{path}\n{diff}"),
    };
    let rows = folded(&text);
    let mut lines: Vec<String> = rows.iter().map(|row| format!("    {}", fore_text::exact(&row.words()))).collect();
    let hidden = fore_text::notice(fore_text::marks(&text, TextKind::Exact));
    lines.extend(hidden.map(|words| format!("Careful: this {words}.")));
    lines
}
