//! Code with its syntax in colours, line by line. It never waits for the syntax definitions: without them code is drawn plain.

use super::sanitize;
use crate::theme::{Background, Colours, TextRole, Theme};
use ratatui::{
    style::{Color, Modifier, Style},
    text::{Line, Span},
};
use std::sync::OnceLock;
use syntect::{
    highlighting::{self, FontStyle, HighlightIterator, HighlightState, Highlighter},
    parsing::{ParseState, ScopeStack, SyntaxSet},
};
use two_face::theme::{EmbeddedLazyThemeSet, EmbeddedThemeName};

/// Lines that are longer are drawn plain: nobody reads them word by word, and they are slow.
const MAX_LINE_BYTES: usize = 1_000;
/// Lines of one block that are highlighted.
const MAX_LINES: usize = 2_000;
/// The syntax definitions and their colours; read once.
struct Library {
    syntaxes: SyntaxSet,
    themes: EmbeddedLazyThemeSet,
}

static LIBRARY: OnceLock<Library> = OnceLock::new();

/// Reads the syntax definitions. Takes a while: for a thread of its own, once, soon after the start.
pub(crate) fn warm_up() {
    let library = LIBRARY
        .get_or_init(|| Library { syntaxes: two_face::syntax::extra_newlines(), themes: two_face::theme::extra() });
    // Themes are unpacked when they are first asked for.
    for name in [DARK, LIGHT, SIXTEEN] {
        let _ = library.themes.get(name);
    }
}

const DARK: EmbeddedThemeName = EmbeddedThemeName::OneHalfDark;
const LIGHT: EmbeddedThemeName = EmbeddedThemeName::OneHalfLight;
const SIXTEEN: EmbeddedThemeName = EmbeddedThemeName::Ansi;

/// Code that comes line by line.
#[derive(Clone)]
pub(crate) struct CodeLines {
    plain: Style,
    state: Option<CodeHighlighter>,
    lines: usize,
}

#[derive(Clone)]
struct CodeHighlighter {
    library: &'static Library,
    look: Theme,
    theme: &'static highlighting::Theme,
    parse: ParseState,
    highlight: HighlightState,
}

impl std::fmt::Debug for CodeLines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CodeLines").field("lines", &self.lines).finish_non_exhaustive()
    }
}

impl CodeLines {
    /// Begins a block in a language: its name, a file ending, or a path.
    pub(crate) fn new(language: &str, theme: &Theme) -> CodeLines {
        let state = match theme.colours {
            Colours::Nothing => None,
            Colours::Sixteen | Colours::Palette | Colours::Full => {
                LIBRARY.get().and_then(|library| CodeHighlighter::new(library, language, theme))
            }
        };
        let plain = if state.is_some() { TextRole::Plain } else { TextRole::Code };
        CodeLines { plain: theme.style(plain), state, lines: 0 }
    }

    /// The next line, without its end. It is as wide as it is.
    pub(crate) fn line(&mut self, line: &str) -> Line<'static> {
        let line = sanitize(line);
        self.lines = self.lines.saturating_add(1);
        if line.len() > MAX_LINE_BYTES || self.lines > MAX_LINES {
            self.state = None;
        }
        let highlighted = self.state.as_mut().and_then(|state| state.line(&line));
        highlighted.unwrap_or_else(|| Line::from(Span::styled(line.into_owned(), self.plain)))
    }
}

impl CodeHighlighter {
    fn new(library: &'static Library, language: &str, theme: &Theme) -> Option<CodeHighlighter> {
        let word = language.split([' ', ',', '{']).next().unwrap_or_default();
        let ending = word.rsplit(['/', '.']).next().unwrap_or_default();
        let syntaxes = &library.syntaxes;
        let syntax = [word, ending, known_as(word)]
            .into_iter()
            .filter(|name| !name.is_empty())
            .find_map(|name| syntaxes.find_syntax_by_token(name))?;
        let name = match (theme.colours, theme.background) {
            (Colours::Palette | Colours::Full, Background::Light) => LIGHT,
            (Colours::Palette | Colours::Full, Background::Dark) => DARK,
            (Colours::Sixteen | Colours::Nothing, _) => SIXTEEN,
        };
        let (look, theme) = (*theme, library.themes.get(name));
        let highlight = HighlightState::new(&Highlighter::new(theme), ScopeStack::new());
        Some(CodeHighlighter { library, look, theme, parse: ParseState::new(syntax), highlight })
    }

    fn line(&mut self, line: &str) -> Option<Line<'static>> {
        let whole = format!("{line}\n");
        let changes = self.parse.parse_line(&whole, &self.library.syntaxes).ok()?;
        let highlighter = Highlighter::new(self.theme);
        let mut spans: Vec<Span<'static>> = Vec::new();
        for (style, text) in HighlightIterator::new(&mut self.highlight, &changes, &whole, &highlighter) {
            let text = text.trim_end_matches('\n');
            let style = style_of(style, self.theme.settings.foreground, self.look);
            match spans.last_mut() {
                _ if text.is_empty() => {}
                Some(last) if last.style == style => last.content.to_mut().push_str(text),
                _ => spans.push(Span::styled(text.to_owned(), style)),
            }
        }
        Some(Line::from(spans))
    }
}

/// Names that models use and the definitions do not know.
fn known_as(word: &str) -> &str {
    match word {
        "shell" | "console" | "shell-session" => "bash",
        "jsonc" | "json5" => "json",
        "golang" => "go",
        other => other,
    }
}

/// What has the theme's plain colour has the terminal's own.
fn style_of(style: highlighting::Style, plain: Option<highlighting::Color>, look: Theme) -> Style {
    let mut drawn = Style::new();
    if let Some(colour) = colour_of(style.foreground, look).filter(|_| Some(style.foreground) != plain) {
        drawn = drawn.fg(colour);
    }
    if style.font_style.contains(FontStyle::BOLD) {
        drawn = drawn.add_modifier(Modifier::BOLD);
    }
    if style.font_style.contains(FontStyle::ITALIC) {
        drawn = drawn.add_modifier(Modifier::ITALIC);
    }
    drawn
}

/// The theme for sixteen colours says which one by red, with nothing in alpha; alpha 1 is the terminal's own.
fn colour_of(colour: highlighting::Color, look: Theme) -> Option<Color> {
    const SIXTEEN: [Color; 16] = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];
    match colour.a {
        0 => SIXTEEN.get(usize::from(colour.r)).map(|colour| look.of_sixteen(*colour)),
        1 => None,
        _ => Some(look.own(colour.r, colour.g, colour.b)),
    }
}
