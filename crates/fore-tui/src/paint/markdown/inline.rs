//! Text inside a block: emphasis, code, links. Gives styled lines as wide as they are; it never wraps.

use crate::{
    paint::tame,
    theme::{Colours, Role, Theme},
};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use ratatui::{
    style::{Modifier, Style},
    text::{Line, Span},
};

/// Stands before the text while it is read, so that nothing in it can begin a block.
const GUARD: &str = "\u{e000} ";

/// What becomes of the line breaks of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Breaks {
    Kept,
    /// They are spaces: the text is wrapped anew.
    Joined,
}

/// The text in lines; one, unless breaks are kept or asked for.
pub(super) fn inline(text: &str, base: Style, breaks: Breaks, theme: &Theme) -> Vec<Line<'static>> {
    let mut ink = Ink { theme, breaks, lines: vec![Vec::new()], styles: vec![base], links: Vec::new() };
    if !text.contains(['*', '_', '`', '[', '<', '&', '\\', '~']) {
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                ink.soft_break();
            }
            ink.text(line.trim_end(), base);
        }
        return ink.finish();
    }
    let guarded = format!("{GUARD}{text}");
    let mut is_first = true;
    for event in Parser::new_ext(&guarded, Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Text(text) if is_first => {
                is_first = false;
                // The space after the guard is there only if text follows it.
                let rest = text.strip_prefix('\u{e000}').unwrap_or(&text);
                let style = ink.style();
                ink.text(rest.strip_prefix(' ').unwrap_or(rest), style);
            }
            event => ink.event(&event),
        }
    }
    ink.finish()
}

struct Ink<'theme> {
    theme: &'theme Theme,
    breaks: Breaks,
    lines: Vec<Vec<Span<'static>>>,
    styles: Vec<Style>,
    /// Open links: their address and the text so far.
    links: Vec<(String, String)>,
}

impl Ink<'_> {
    fn event(&mut self, event: &Event<'_>) {
        let style = self.style();
        match event {
            Event::Text(text) => self.text(text, style),
            Event::Code(text) => self.code(text),
            Event::Html(text) | Event::InlineHtml(text) => self.text(text.trim_end_matches('\n'), style),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.text(text, style);
            }
            Event::SoftBreak => self.soft_break(),
            Event::HardBreak => self.lines.push(Vec::new()),
            Event::Rule | Event::TaskListMarker(_) => {}
            Event::Start(tag) => self.start(tag, style),
            Event::End(end) => self.end(*end),
        }
    }

    fn start(&mut self, tag: &Tag<'_>, style: Style) {
        let style = match tag {
            Tag::Emphasis => style.add_modifier(Modifier::ITALIC),
            Tag::Strong => style.add_modifier(Modifier::BOLD),
            Tag::Strikethrough => style.add_modifier(Modifier::CROSSED_OUT),
            Tag::Link { dest_url, .. } => {
                self.links.push((dest_url.to_string(), String::new()));
                style.patch(self.theme.style(Role::Link))
            }
            Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.to_string(), String::new()));
                self.text("image: ", style);
                style.patch(self.theme.style(Role::Link))
            }
            // The guard lets no block begin; what does nevertheless is shown as text on a line of its own.
            _ => {
                if self.lines.last().is_some_and(|line| !line.is_empty()) {
                    self.lines.push(Vec::new());
                }
                return;
            }
        };
        self.styles.push(style);
    }

    fn end(&mut self, end: TagEnd) {
        match end {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => self.end_style(),
            TagEnd::Link | TagEnd::Image => {
                self.end_style();
                let Some((address, text)) = self.links.pop() else { return };
                let is_same = address == text || address.strip_prefix("mailto:") == Some(&text);
                if !is_same && !address.is_empty() {
                    self.text(&format!(" ({address})"), self.theme.style(Role::Faint));
                }
            }
            _ => {}
        }
    }

    fn end_style(&mut self) {
        if self.styles.len() > 1 {
            self.styles.pop();
        }
    }

    fn code(&mut self, text: &str) {
        let style = self.style().patch(self.theme.style(Role::Code));
        match self.theme.colours {
            Colours::Nothing => self.text(&format!("`{text}`"), style),
            Colours::Sixteen | Colours::Full => self.text(text, style),
        }
    }

    /// Text as it is to be read; entities may have brought in what a terminal obeys.
    fn text(&mut self, text: &str, style: Style) {
        if let Some((_, link)) = self.links.last_mut() {
            link.push_str(text);
        }
        for (index, line) in tame(text).split('\n').enumerate() {
            if index > 0 {
                self.soft_break();
            }
            self.add(line, style);
        }
    }

    fn add(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        let Some(line) = self.lines.last_mut() else { return };
        match line.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push_str(text),
            _ => line.push(Span::styled(text.to_owned(), style)),
        }
    }

    fn soft_break(&mut self) {
        match self.breaks {
            Breaks::Kept => self.lines.push(Vec::new()),
            Breaks::Joined => self.add(" ", self.style()),
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn finish(self) -> Vec<Line<'static>> {
        self.lines.into_iter().map(Line::from).collect()
    }
}
