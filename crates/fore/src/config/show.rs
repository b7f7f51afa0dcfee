//! The rows for people: groups, values beside where they come from, refused ones marked.

use super::rows::{SettingRow, SettingValue, ValueState};
use crate::{
    console::{Console, plain},
    settings::{LocationState, Settings, Trust},
};
use anstyle::{AnsiColor, Color, Style};
use serde_json::Value;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

const HEAD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const BAD: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red)));
const NOTE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Yellow)));

/// The widest that names and values are lined up at; longer ones push the rest aside.
const NAME_WIDTH: usize = 23;
const VALUE_WIDTH: usize = 22;
/// Longest value that is shown whole.
const MAX_LETTERS: usize = 200;

pub(super) fn table(screen: &mut Console<impl Write>, rows: &[SettingRow]) -> io::Result<()> {
    let mut group = "";
    for (number, row) in rows.iter().enumerate() {
        let (head, name) = row.key.rsplit_once('.').unwrap_or(("", &row.key));
        if head != group {
            group = head;
            if number > 0 {
                screen.line("")?;
            }
            screen.line(format_args!("{HEAD}{}{HEAD:#}", plain(head)))?;
        }
        let indent = if head.is_empty() { "" } else { "  " };
        show_row(screen, &format!("{indent}{}", plain(name)), row)?;
    }
    Ok(())
}

fn show_row(screen: &mut Console<impl Write>, name: &str, row: &SettingRow) -> io::Result<()> {
    let shown: Vec<&SettingValue> = row.parts.iter().filter(|part| part.state != ValueState::Overridden).collect();
    let value = row.value.as_ref().map(words).filter(|value| !value.is_empty());
    let mut name = name;
    let holds = shown.iter().any(|part| part.state == ValueState::Holds);
    if !holds && (value.is_some() || shown.is_empty()) {
        cell(screen, name, " ", Style::new(), value.as_deref().unwrap_or("-"), "default")?;
        name = "";
    }
    for (number, part) in shown.iter().enumerate() {
        let (sign, style) = match part.state {
            ValueState::Holds | ValueState::Overridden => (" ", Style::new()),
            ValueState::Refused(_) => ("✗", BAD),
        };
        cell(screen, name, sign, style, &words(&part.value), &part.origin.to_string())?;
        // The reason stands once, under the last of those it is for.
        let is_last = shown.get(number + 1).is_none_or(|next| next.state != part.state);
        if let (ValueState::Refused(why), true) = (&part.state, is_last) {
            screen.paragraph(&" ".repeat(NAME_WIDTH + 3), why)?;
        }
        name = "";
    }
    Ok(())
}

/// One line, or two where the screen is too narrow for one.
fn cell(
    screen: &mut Console<impl Write>,
    name: &str,
    sign: &str,
    style: Style,
    value: &str,
    origin: &str,
) -> io::Result<()> {
    let pad = |text: &str, width: usize| " ".repeat(width.saturating_sub(text.width()));
    let (name_pad, value_pad) = (pad(name, NAME_WIDTH), pad(value, VALUE_WIDTH));
    let left = format!("{name}{name_pad} {style}{sign} {value}{style:#}");
    let width = name.width() + name_pad.len() + 3 + value.width() + value_pad.len() + 2 + origin.width();
    let origin = plain(origin);
    if screen.fits(width) {
        screen.line(format_args!("{left}{value_pad}  {DIM}{origin}{DIM:#}"))
    } else {
        screen.line(left)?;
        screen.line(format_args!("{}{DIM}{origin}{DIM:#}", " ".repeat(NAME_WIDTH + 3)))
    }
}

/// A value as a person would write it, on one line.
fn words(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(words).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    };
    plain(&fore_text::cut::ellipsis(&text, MAX_LETTERS))
}

/// Where settings were looked for.
pub(super) fn paths(screen: &mut Console<impl Write>, settings: &Settings) -> io::Result<()> {
    for place in &settings.places {
        let found = match place.found {
            LocationState::Settings => "",
            LocationState::Nothing => " (not there)",
        };
        let path = place.path.as_ref().map_or_else(|| place.source.name.to_string(), |path| path.display().to_string());
        screen.line(format_args!("{:<14} {}{DIM}{found}{DIM:#}", place.source.layer.name(), plain(&path)))?;
    }
    Ok(())
}

/// Files, trust, and what else the person should know.
pub(super) fn closing(screen: &mut Console<impl Write>, settings: &Settings) -> io::Result<()> {
    screen.line("")?;
    paths(screen, settings)?;
    let trust = match &settings.trust {
        Trust::Trusted(_) => "trusted".to_owned(),
        Trust::Changed(_) => "trusted with other settings; `fore trust --review` shows what changed".to_owned(),
        Trust::NotTrusted => "not trusted; `fore trust` changes that".to_owned(),
    };
    screen.line(format_args!(
        "{:<14} {}, {DIM}{trust}{DIM:#}",
        "folder",
        plain(&settings.project.display().to_string())
    ))?;
    for warning in settings.warnings.iter().chain(&settings.unknown_keys) {
        screen.paragraph("", &format!("{NOTE}warning:{NOTE:#} {}", plain(warning)))?;
    }
    Ok(())
}
