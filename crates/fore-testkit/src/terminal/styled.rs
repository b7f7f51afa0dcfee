//! The screen with its colours and attributes as text, for snapshots: `[bold cyan]text[/]`.

use super::{cell::ScreenCell, screen::Screen};
use vt100::Color;

const NAMES: [&str; 8] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

impl Screen {
    /// The rows with the look of each piece of text before it in brackets, and `[/]` behind it. Plain text has neither;
    /// plain blanks at the ends of rows and empty rows at the bottom are left out.
    pub fn styled(&self) -> String {
        let rows: Vec<String> = self.cells.iter().map(|row| styled(row)).collect();
        rows.join("\n").trim_end_matches('\n').to_owned()
    }
}

fn styled(row: &[ScreenCell]) -> String {
    let mut made = String::new();
    let mut look = String::new();
    for cell in row.iter().filter(|cell| cell.columns() > 0) {
        let next = look_of(cell);
        if next != look {
            if !look.is_empty() {
                made.push_str("[/]");
            }
            if !next.is_empty() {
                made.push_str(&format!("[{next}]"));
            }
            look = next;
        }
        made.push_str(cell.text());
    }
    if look.is_empty() { made.trim_end().to_owned() } else { format!("{made}[/]") }
}

/// How a cell looks, in words; nothing for one that looks as usual. Of a blank only what shows counts.
fn look_of(cell: &ScreenCell) -> String {
    let (style, is_blank) = (cell.style, cell.is_blank());
    let shows_in_text = [(style.bold, "bold"), (style.dim, "dim"), (style.italic, "italic")];
    let shows_always = [(style.underline, "underline"), (style.inverse, "reverse")];
    let in_text = shows_in_text.into_iter().filter(|(is_on, _)| *is_on && !is_blank);
    let all = in_text.chain(shows_always.into_iter().filter(|(is_on, _)| *is_on));
    let mut words: Vec<String> = all.map(|(_, name)| name.to_owned()).collect();
    if !is_blank || style.inverse {
        words.extend(colour(style.foreground));
    }
    words.extend(colour(style.background).map(|name| format!("on {name}")));
    words.join(" ")
}

fn colour(colour: Color) -> Option<String> {
    match colour {
        Color::Default => None,
        Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
        Color::Idx(index) => {
            Some(match (NAMES.get(usize::from(index)), NAMES.get(usize::from(index).wrapping_sub(8))) {
                (Some(name), _) => (*name).to_owned(),
                (None, Some(name)) => format!("bright-{name}"),
                (None, None) => format!("colour-{index}"),
            })
        }
    }
}
