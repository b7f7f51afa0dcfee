//! Text inside a block: emphasis, code, links. Gives styled lines as wide as they are; it never wraps, and it hides
//! nothing: where a letter of the source would not be seen, the text is shown as it was written.

use crate::{
    paint::sanitize,
    theme::{Colours, TextRole, Theme},
};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};
use ratatui::{
    style::{Modifier, Style},
    text::{Line, Span},
};
use std::ops::Range;

/// Stands before the text while it is read, so that nothing in it can begin a block.
const GUARD: &str = "\u{e000} ";

/// What becomes of the signs that Markdown uses up, such as those around emphasis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Markup {
    /// They are left out where the style says the same.
    #[default]
    Used,
    /// All of them stay: a star may be part of a command, and what is approved is the text with its stars.
    Kept,
}

/// What text is drawn with.
#[derive(Clone, Copy)]
pub(super) struct InlineStyle<'theme> {
    pub(super) theme: &'theme Theme,
    pub(super) markup: Markup,
}

/// What becomes of the line breaks of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Breaks {
    Kept,
    /// They are spaces: the text is wrapped anew.
    Joined,
}

/// The text in lines; one, unless breaks are kept or asked for.
pub(super) fn inline(text: &str, base: Style, breaks: Breaks, inline_style: InlineStyle<'_>) -> Vec<Line<'static>> {
    let theme = inline_style.theme;
    let mut renderer = InlineRenderer::new(base, breaks, theme);
    if !text.contains(['*', '_', '`', '[', '<', '&', '\\', '~']) {
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                renderer.soft_break();
            }
            renderer.text(line.trim_end(), base);
        }
        return renderer.finish();
    }
    let guarded = format!("{GUARD}{text}");
    if inline_style.markup == Markup::Kept {
        return with_signs(&guarded, renderer);
    }
    let mut is_first = true;
    // Letters of the source that were drawn, in their order.
    let mut seen = String::new();
    for (event, range) in Parser::new_ext(&guarded, Options::ENABLE_STRIKETHROUGH).into_offset_iter() {
        match &event {
            Event::Text(_) | Event::Code(_) | Event::Html(_) | Event::InlineHtml(_) => {
                seen.extend(letters(guarded.get(range).unwrap_or_default()));
            }
            Event::End(TagEnd::Link | TagEnd::Image) => renderer.address_letters(&mut seen),
            _ => {}
        }
        match event {
            Event::Text(text) if is_first => {
                is_first = false;
                // The space after the guard is there only if text follows it.
                let rest = text.strip_prefix('\u{e000}').unwrap_or(&text);
                let style = renderer.style();
                renderer.text(rest.strip_prefix(' ').unwrap_or(rest), style);
            }
            event => renderer.event(&event),
        }
    }
    if letters(text).eq(letters(&seen)) { renderer.finish() } else { as_written(text, base, breaks, theme) }
}

/// The source itself, byte for byte, in the styles that Markdown gives to its parts.
fn with_signs(guarded: &str, mut renderer: InlineRenderer<'_>) -> Vec<Line<'static>> {
    let mut at = GUARD.len();
    for (event, range) in Parser::new_ext(guarded, Options::ENABLE_STRIKETHROUGH).into_offset_iter() {
        let style = renderer.style();
        match event {
            Event::Start(Tag::Emphasis) => {
                at = renderer.source(guarded, at..range.start, style);
                renderer.styles.push(style.add_modifier(Modifier::ITALIC));
            }
            Event::Start(Tag::Strong) => {
                at = renderer.source(guarded, at..range.start, style);
                renderer.styles.push(style.add_modifier(Modifier::BOLD));
            }
            Event::Start(Tag::Strikethrough) => {
                at = renderer.source(guarded, at..range.start, style);
                renderer.styles.push(style.add_modifier(Modifier::CROSSED_OUT));
            }
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => {
                at = renderer.source(guarded, at..range.start, style);
                renderer.styles.push(style.patch(renderer.theme.style(TextRole::Link)));
            }
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image) => {
                at = renderer.source(guarded, at..range.end, style);
                renderer.end_style();
            }
            Event::Code(_) => {
                renderer.source(guarded, at..range.start, style);
                let code = style.patch(renderer.theme.style(TextRole::Code));
                // It may be a command: every blank counts.
                renderer.text(&fore_text::exact(guarded.get(range.clone()).unwrap_or_default()), code);
                at = range.end;
            }
            // Drawn with what comes next.
            _ => {}
        }
    }
    let style = renderer.style();
    renderer.source(guarded, at..guarded.len(), style);
    renderer.finish()
}

/// What a person reads, without signs.
fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|letter| letter.is_alphanumeric())
}

fn as_written(text: &str, base: Style, breaks: Breaks, theme: &Theme) -> Vec<Line<'static>> {
    let mut renderer = InlineRenderer::new(base, breaks, theme);
    renderer.text(text, base);
    renderer.finish()
}

struct InlineRenderer<'theme> {
    theme: &'theme Theme,
    breaks: Breaks,
    lines: Vec<Vec<Span<'static>>>,
    styles: Vec<Style>,
    links: Vec<OpenLink>,
}

/// A link that is open.
#[derive(Debug, Default)]
struct OpenLink {
    address: String,
    title: String,
    /// Its words so far.
    text: String,
    /// `<https://…>`: the words are the address, which is written once.
    is_auto: bool,
}

impl OpenLink {
    fn new(kind: LinkType, address: &str, title: &str) -> OpenLink {
        let is_auto = matches!(kind, LinkType::Autolink | LinkType::Email);
        OpenLink { address: address.to_owned(), title: title.to_owned(), text: String::new(), is_auto }
    }
}

impl<'theme> InlineRenderer<'theme> {
    fn new(base: Style, breaks: Breaks, theme: &'theme Theme) -> InlineRenderer<'theme> {
        InlineRenderer { theme, breaks, lines: vec![Vec::new()], styles: vec![base], links: Vec::new() }
    }

    /// The letters of the address that ends here, which are drawn with it or are its words already.
    fn address_letters(&self, seen: &mut String) {
        if let Some(link) = self.links.last().filter(|link| !link.is_auto) {
            seen.extend(letters(&link.address).chain(letters(&link.title)));
        }
    }

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
            Tag::Strikethrough => {
                self.struck(style);
                style.add_modifier(Modifier::CROSSED_OUT)
            }
            Tag::Link { link_type, dest_url, title, .. } => {
                self.links.push(OpenLink::new(*link_type, dest_url, title));
                style.patch(self.theme.style(TextRole::Link))
            }
            Tag::Image { link_type, dest_url, title, .. } => {
                self.links.push(OpenLink::new(*link_type, dest_url, title));
                self.text("image: ", style);
                style.patch(self.theme.style(TextRole::Link))
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
            TagEnd::Emphasis | TagEnd::Strong => self.end_style(),
            TagEnd::Strikethrough => {
                self.end_style();
                self.struck(self.style());
            }
            TagEnd::Link | TagEnd::Image => {
                self.end_style();
                let Some(OpenLink { address, title, text, .. }) = self.links.pop() else { return };
                let is_same = address == text || address.strip_prefix("mailto:") == Some(&text);
                let address = if is_same { "" } else { address.as_str() };
                let words = match (address.is_empty(), title.is_empty()) {
                    (true, true) => return,
                    (false, true) => format!(" ({address})"),
                    (true, false) => format!(" (\"{title}\")"),
                    (false, false) => format!(" ({address} \"{title}\")"),
                };
                self.text(&words, self.theme.style(TextRole::Faint));
            }
            _ => {}
        }
    }

    fn end_style(&mut self) {
        if self.styles.len() > 1 {
            self.styles.pop();
        }
    }

    /// What is crossed out means its opposite, so it is marked where a line through it may not be seen.
    fn struck(&mut self, style: Style) {
        if self.theme.colours == Colours::Nothing {
            self.text("~~", style);
        }
    }

    fn code(&mut self, text: &str) {
        let style = self.style().patch(self.theme.style(TextRole::Code));
        match self.theme.colours {
            Colours::Nothing => self.text(&format!("`{text}`"), style),
            Colours::Sixteen | Colours::Palette | Colours::Full => self.text(text, style),
        }
    }

    /// A part of the source as it is written; gives where it ends.
    fn source(&mut self, text: &str, part: Range<usize>, style: Style) -> usize {
        self.text(text.get(part.clone()).unwrap_or_default(), style);
        part.end.max(part.start)
    }

    /// Text as it is to be read; entities may have brought in what a terminal obeys.
    fn text(&mut self, text: &str, style: Style) {
        if let Some(link) = self.links.last_mut() {
            link.text.push_str(text);
        }
        for (index, line) in sanitize(text).split('\n').enumerate() {
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
