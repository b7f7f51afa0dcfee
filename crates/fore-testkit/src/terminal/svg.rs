//! A screen as a picture: a window with its text, as SVG. Text stays text; every piece begins in its own column, whatever
//! font the reader has.

use super::{
    cell::ScreenCell,
    drawn::{self, Paint},
    palette::{Rgb, mixed},
    screen::Screen,
};

/// Hundredths of a pixel, so that numbers are the same on every machine.
type SvgLength = u32;
const COLUMN: SvgLength = 843;
const ROW: SvgLength = 2_000;
const FONT: SvgLength = 1_400;
/// From the top of a row to the line that letters stand on.
const BASELINE: SvgLength = 1_450;
const PADDING: SvgLength = 1_600;
const BAR: SvgLength = 3_600;
/// Around the window.
const MARGIN: SvgLength = 800;
const FONTS: &str = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace";

/// Whether the window is dark or light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowTheme {
    /// Light letters on a dark ground.
    Dark,
    /// Dark letters on a light ground.
    Light,
}

/// How a piece of text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SvgStyle {
    foreground: Rgb,
    background: Option<Rgb>,
    bold: bool,
    italic: bool,
    underline: bool,
}

/// A piece of text in one style.
struct SvgText {
    column: usize,
    columns: usize,
    text: String,
    style: SvgStyle,
}

impl Screen {
    /// The screen in a window with this title. Empty rows at the bottom are left out.
    pub fn svg(&self, title: &str, look: WindowTheme) -> String {
        let rows = self.text().lines().count().max(usize::from(self.cursor.row) + 1).min(self.cells.len());
        let width = 2 * (MARGIN + PADDING) + COLUMN * u32::from(self.size.columns);
        let height = 2 * MARGIN + BAR + PADDING + ROW * u32::try_from(rows).unwrap_or_default();
        let mut made = String::new();
        window(&mut made, title, look, width, height);
        for (number, row) in self.cells.iter().take(rows).enumerate() {
            let top = MARGIN + BAR + ROW * u32::try_from(number).unwrap_or_default();
            pieces(row, look).iter().for_each(|piece| draw(&mut made, piece, top));
        }
        if !self.modes.hidden_cursor {
            let (x, top) = (left(self.cursor.column.into()), MARGIN + BAR + ROW * u32::from(self.cursor.row));
            let (x, y, column, row) = (Pixels(x), Pixels(top + 150), Pixels(COLUMN), Pixels(ROW - 300));
            let fill = hex(look.foreground());
            line(
                &mut made,
                &format!(r#"<rect x="{x}" y="{y}" width="{column}" height="{row}" fill="{fill}" opacity=".6"/>"#),
            );
        }
        made.push_str("</g>\n</svg>\n");
        made
    }
}

fn window(made: &mut String, title: &str, look: WindowTheme, width: SvgLength, height: SvgLength) {
    let (bar, edge) = look.frame();
    let (inner_width, inner_height) = (Pixels(width - 2 * MARGIN), Pixels(height - 2 * MARGIN));
    let (width, height, margin, title) = (Pixels(width), Pixels(height), Pixels(MARGIN), escaped(title));
    line(
        made,
        &format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">"#
        ),
    );
    line(made, &format!("<title>{title}</title>"));
    let place = format!(r#"x="{margin}" y="{margin}" width="{inner_width}" height="{inner_height}" rx="10""#);
    line(made, &format!(r#"<clipPath id="window"><rect {place}/></clipPath>"#));
    line(made, &format!(r#"<rect {place} fill="{}"/>"#, hex(look.background())));
    let bar_height = Pixels(BAR - MARGIN);
    line(
        made,
        &format!(
            r#"<rect x="{margin}" y="{margin}" width="{inner_width}" height="{bar_height}" fill="{}" clip-path="url(#window)"/>"#,
            hex(bar)
        ),
    );
    line(made, &format!(r#"<rect {place} fill="none" stroke="{}"/>"#, hex(edge)));
    let middle = Pixels(MARGIN + (BAR - MARGIN) / 2);
    for (index, colour) in (0..).zip(["#ff5f57", "#febc2e", "#28c840"]) {
        let x = Pixels(MARGIN + PADDING + 500 + 2_000 * index);
        line(made, &format!(r#"<circle cx="{x}" cy="{middle}" r="6" fill="{colour}"/>"#));
    }
    let faint = hex(mixed(look.foreground(), look.background(), 45));
    let baseline = Pixels(MARGIN + (BAR - MARGIN) / 2 + 440);
    line(
        made,
        &format!(
            r#"<text x="50%" y="{baseline}" text-anchor="middle" font-family="system-ui,sans-serif" font-size="13" fill="{faint}">{title}</text>"#
        ),
    );
    line(made, &format!(r#"<g font-family="{FONTS}" font-size="{}" style="white-space:pre">"#, Pixels(FONT)));
}

/// The row in pieces of one style. Blanks end a piece where there are several, and what is not plain stands alone, since
/// fonts differ in its width.
fn pieces(row: &[ScreenCell], look: WindowTheme) -> Vec<SvgText> {
    let mut pieces: Vec<SvgText> = Vec::new();
    for (column, cell) in row.iter().enumerate().filter(|(_, cell)| cell.columns() > 0) {
        let style = style_of(cell, look);
        let (text, columns) = (cell.text(), cell.columns());
        let goes_on = pieces.last().is_some_and(|last| {
            last.style == style
                && last.text.is_ascii()
                && text.is_ascii()
                && !(text == " " && last.text.ends_with(' ') && !last.text.trim().is_empty())
                && !(text != " " && last.text.ends_with("  "))
        });
        match pieces.last_mut().filter(|_| goes_on) {
            Some(last) => {
                last.text.push_str(text);
                last.columns += columns;
            }
            None => pieces.push(SvgText { column, columns, text: text.to_owned(), style }),
        }
    }
    pieces
}

fn style_of(cell: &ScreenCell, look: WindowTheme) -> SvgStyle {
    let style = cell.style;
    let background = look.colour(style.background);
    let mut foreground = look.colour(style.foreground).unwrap_or_else(|| look.foreground());
    if style.dim {
        foreground = mixed(foreground, look.background(), 45);
    }
    let (foreground, background) = if style.inverse {
        (background.unwrap_or_else(|| look.background()), Some(foreground))
    } else {
        (foreground, background)
    };
    SvgStyle { foreground, background, bold: style.bold, italic: style.italic, underline: style.underline }
}

fn draw(made: &mut String, piece: &SvgText, top: SvgLength) {
    let x = left(piece.column);
    let width = COLUMN * u32::try_from(piece.columns).unwrap_or_default();
    if let Some(background) = piece.style.background {
        let (x, y, width, height) = (Pixels(x), Pixels(top), Pixels(width), Pixels(ROW));
        line(made, &format!(r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{}"/>"#, hex(background)));
    }
    let text = piece.text.trim_end();
    if let Some(sign) = drawn::sign(text) {
        let (x, y, colour) = (Pixels(x), Pixels(top), hex(piece.style.foreground));
        let paint = match sign.paint {
            Paint::Line => format!(r#"fill="none" stroke="{colour}""#),
            Paint::Area => format!(r#"fill="{colour}""#),
        };
        line(made, &format!(r#"<path transform="translate({x},{y})" d="{}" {paint}/>"#, sign.path));
        return;
    }
    if text.is_empty() && !piece.style.underline {
        return;
    }
    let skipped = text.len() - text.trim_start().len();
    let (x, text) = (x + COLUMN * u32::try_from(skipped).unwrap_or_default(), text.trim_start());
    let mut look = format!(r#" fill="{}""#, hex(piece.style.foreground));
    if piece.style.bold {
        look.push_str(r#" font-weight="bold""#);
    }
    if piece.style.italic {
        look.push_str(r#" font-style="italic""#);
    }
    if piece.style.underline {
        look.push_str(r#" text-decoration="underline""#);
    }
    // Fonts that are wider or narrower than a column are set to fit; a sign that stands alone keeps its shape.
    let columns = text.chars().count();
    if text.is_ascii() && columns > 1 {
        let width = Pixels(COLUMN * u32::try_from(columns).unwrap_or_default());
        look.push_str(&format!(r#" textLength="{width}""#));
    }
    line(made, &format!(r#"<text x="{}" y="{}"{look}>{}</text>"#, Pixels(x), Pixels(top + BASELINE), escaped(text)));
}

fn left(column: usize) -> SvgLength {
    MARGIN + PADDING + COLUMN * u32::try_from(column).unwrap_or_default()
}

fn line(made: &mut String, text: &str) {
    made.push_str(text);
    made.push('\n');
}

fn hex((red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A length in pixels, as short as it can be written.
struct Pixels(SvgLength);

impl std::fmt::Display for Pixels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, part) = (self.0 / 100, self.0 % 100);
        write!(f, "{whole}")?;
        match (part, part % 10) {
            (0, _) => Ok(()),
            (_, 0) => write!(f, ".{}", part / 10),
            (_, _) => write!(f, ".{part:02}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_written_short() {
        let written = [0, 100, 843, 850, 805, 1_600].map(|length| Pixels(length).to_string());
        assert_eq!(written, ["0", "1", "8.43", "8.5", "8.05", "16"]);
    }
}
