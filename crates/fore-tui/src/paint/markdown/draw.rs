//! Draws blocks of Markdown one after the other. It remembers only what the next block needs to know of the last.

use super::{
    Rendered,
    inline::{Breaks, InlineStyle, Markup, inline},
    leaf::{Container, ContainerKind, ItemMarker, Leaf, PlacedLeaf},
    table::TableLayout,
};
use crate::{
    paint::{
        code::CodeLines,
        wrap::{columns, is_blank, wrap},
    },
    theme::{Sign, TextRole, Theme},
};
use ratatui::{
    style::{Modifier, Style},
    text::{Line, Span},
};
use std::ops::RangeInclusive;

/// Columns before code.
const CODE_INDENT: usize = 2;
/// The longest name of a language.
const MAX_LANGUAGE: usize = 20;
/// Columns that the text itself keeps, however deep it stands.
const MIN_TEXT_WIDTH: usize = 12;

/// What the next block needs to know.
#[derive(Clone, Debug, Default)]
pub(crate) struct Painter {
    markup: Markup,
    code: Option<CodeLines>,
    /// Around code of which no line is drawn yet: the marker of an item stands before the first one.
    begun: Option<Vec<Container>>,
    layout: Option<TableLayout>,
    last: Option<LastLeaf>,
    coloured: usize,
    max_coloured_lines: Option<usize>,
}

#[derive(Clone, Debug)]
struct LastLeaf {
    frames: Vec<Container>,
    kind: LeafKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeafKind {
    Text,
    Heading,
    Rule,
    Code,
    Table,
}

/// How wide, and how it looks.
#[derive(Clone, Copy)]
struct MarkdownStyle<'theme> {
    width: usize,
    theme: &'theme Theme,
    markup: Markup,
}

impl<'theme> MarkdownStyle<'theme> {
    fn inline_style(&self) -> InlineStyle<'theme> {
        InlineStyle { theme: self.theme, markup: self.markup }
    }
}

impl Painter {
    /// For a whole document: after so many lines, code is drawn without colours.
    pub(crate) fn bounded(most_coloured: usize, markup: Markup) -> Painter {
        Painter { max_coloured_lines: Some(most_coloured), markup, ..Painter::default() }
    }

    pub(crate) fn leaf(&mut self, placed: &PlacedLeaf, width: u16, theme: &Theme, out: &mut Rendered) {
        let markdown_style = MarkdownStyle { width: usize::from(width).max(1), theme, markup: self.markup };
        if self.wants_gap(placed) {
            self.gap(placed, markdown_style, out);
        }
        let prefix = match (&placed.leaf, self.begun.take()) {
            (Leaf::Code(_), Some(frames)) => LinePrefix::new(&frames, markdown_style),
            _ => LinePrefix::new(&placed.containers, markdown_style),
        };
        match &placed.leaf {
            Leaf::Paragraph(lines) => paragraph(lines, placed, prefix, markdown_style, out),
            Leaf::Heading(level, title) => heading(*level, title, placed, prefix, markdown_style, out),
            Leaf::Rule => {
                let room = markdown_style.width.saturating_sub(prefix.width);
                let line = Line::from(Span::styled(theme.sign(Sign::Rule).repeat(room), theme.style(TextRole::Border)));
                put(vec![line], &placed.source, prefix, out);
            }
            Leaf::CodeBegins(language) => {
                if !is_name_of_language(language) {
                    // More than a name may be meant for whoever reads: it is not hidden.
                    let words = Line::from(Span::styled(language.clone(), theme.style(TextRole::Faint)));
                    let room = u16::try_from(markdown_style.width.saturating_sub(prefix.width)).unwrap_or(u16::MAX);
                    put(wrap(&words, room, 0), &placed.source, prefix, out);
                } else {
                    self.begun = Some(placed.containers.clone());
                }
                let is_within = self.max_coloured_lines.is_none_or(|most| self.coloured < most);
                self.code = Some(CodeLines::new(if is_within { language } else { "" }, theme));
            }
            Leaf::Code(line) => self.code(line, placed, prefix, markdown_style, out),
            Leaf::Table(table) => {
                let room = markdown_style.width.saturating_sub(prefix.width);
                if !table.header.is_empty() {
                    self.layout = Some(TableLayout::new(table, room, markdown_style.inline_style()));
                }
                let layout =
                    self.layout.get_or_insert_with(|| TableLayout::new(table, room, markdown_style.inline_style()));
                let mut prefix = prefix;
                for (line, source) in layout.draw(table, room, markdown_style.inline_style()) {
                    // A terminal that has become narrower since the columns were measured.
                    let lines = wrap(&line, u16::try_from(room).unwrap_or(u16::MAX), 0);
                    prefix = put(lines, &(source..=source), prefix, out);
                }
            }
            Leaf::Empty => {
                put(vec![Line::default()], &placed.source, prefix, out);
            }
        }
        self.last = Some(LastLeaf { frames: placed.containers.clone(), kind: kind(&placed.leaf) });
    }

    fn wants_gap(&self, placed: &PlacedLeaf) -> bool {
        let Some(last) = &self.last else { return false };
        match &placed.leaf {
            Leaf::Code(_) => return false,
            Leaf::Table(table) if table.header.is_empty() => return false,
            _ => {}
        }
        let is_outside = placed.containers.is_empty() || last.frames.is_empty();
        let is_large =
            matches!(kind(&placed.leaf), LeafKind::Heading | LeafKind::Rule | LeafKind::Code | LeafKind::Table);
        let was_large = matches!(last.kind, LeafKind::Rule | LeafKind::Code | LeafKind::Table);
        placed.is_apart || (is_outside && (is_large || was_large))
    }

    /// An empty line, with the bars of the quotes that go on.
    fn gap(&self, placed: &PlacedLeaf, markdown_style: MarkdownStyle<'_>, out: &mut Rendered) {
        let last = self.last.as_ref().map_or(&[][..], |last| &last.frames);
        let both = last.iter().zip(&placed.containers).take_while(|(last, next)| last.id == next.id);
        let frames: Vec<Container> = both.map(|(last, _)| last.clone()).collect();
        let first = *placed.source.start();
        let source = if placed.is_apart { first.saturating_sub(1).max(1) } else { first };
        let mut line = LinePrefix::new(&frames, markdown_style).rest;
        while line.last().is_some_and(|span| span.content.trim().is_empty()) {
            line.pop();
        }
        if let Some(last) = line.last_mut() {
            last.content = last.content.trim_end().to_owned().into();
        }
        out.push(Line::from(line), source..=source);
    }

    fn code(
        &mut self,
        line: &str,
        placed: &PlacedLeaf,
        prefix: LinePrefix,
        markdown_style: MarkdownStyle<'_>,
        out: &mut Rendered,
    ) {
        self.coloured = self.coloured.saturating_add(1);
        let lines = self.code.get_or_insert_with(|| CodeLines::new("", markdown_style.theme));
        let room = markdown_style.width.saturating_sub(prefix.width);
        let indent = if room > CODE_INDENT + MIN_TEXT_WIDTH { CODE_INDENT } else { 0 };
        let wide = u16::try_from(room.saturating_sub(indent)).unwrap_or(u16::MAX);
        // What does not fit stands a little deeper than the line it belongs to.
        // Code is a command, or may be one: every blank counts.
        let line = &if markdown_style.markup == Markup::Kept { fore_text::exact(line) } else { line.into() };
        let deeper = u16::try_from(line.len() - line.trim_start().len() + CODE_INDENT).unwrap_or(0);
        let drawn = wrap(&lines.line(line), wide, deeper).into_iter().map(|mut line| {
            if indent > 0 && !is_blank(&line) {
                line.spans.insert(0, Span::raw(" ".repeat(indent)));
            }
            line
        });
        put(drawn.collect(), &placed.source, prefix, out);
    }
}

/// What stands behind a fence is left out if it is no more than the name of a language.
pub(crate) fn is_name_of_language(words: &str) -> bool {
    let is_of_a_name = |sign: char| sign.is_ascii_alphanumeric() || "+-#._".contains(sign);
    words.len() <= MAX_LANGUAGE && words.chars().all(is_of_a_name)
}

fn kind(leaf: &Leaf) -> LeafKind {
    match leaf {
        Leaf::Paragraph(_) | Leaf::Empty => LeafKind::Text,
        Leaf::Heading(..) => LeafKind::Heading,
        Leaf::Rule => LeafKind::Rule,
        Leaf::CodeBegins(_) | Leaf::Code(_) => LeafKind::Code,
        Leaf::Table(_) => LeafKind::Table,
    }
}

fn paragraph(
    lines: &[String],
    placed: &PlacedLeaf,
    prefix: LinePrefix,
    markdown_style: MarkdownStyle<'_>,
    out: &mut Rendered,
) {
    let room = markdown_style.width.saturating_sub(prefix.width);
    let text = lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n");
    let is_quoted = placed.containers.iter().any(|frame| frame.kind == ContainerKind::Quote);
    let base = if is_quoted { markdown_style.theme.style(TextRole::Quote) } else { Style::new() };
    // Lines that fit stand as they were written; where one does not, the paragraph is wrapped anew.
    let fits = lines.iter().all(|line| columns(line) <= room);
    let breaks = if fits { Breaks::Kept } else { Breaks::Joined };
    let drawn = inline(&text, base, breaks, markdown_style.inline_style());
    let (first, last) = (*placed.source.start(), *placed.source.end());
    let is_one_to_one = fits && drawn.len() == lines.len();
    let mut prefix = prefix;
    for (line, number) in drawn.into_iter().zip(first..) {
        let source = if is_one_to_one { number.min(last)..=number.min(last) } else { first..=last };
        prefix = put(wrap(&line, u16::try_from(room).unwrap_or(u16::MAX), 0), &source, prefix, out);
    }
}

fn heading(
    level: usize,
    title: &str,
    placed: &PlacedLeaf,
    prefix: LinePrefix,
    markdown_style: MarkdownStyle<'_>,
    out: &mut Rendered,
) {
    let theme = markdown_style.theme;
    let style = match level {
        1 => theme.style(TextRole::Heading).add_modifier(Modifier::UNDERLINED),
        2 => theme.style(TextRole::Heading),
        _ => theme.style(TextRole::Strong),
    };
    let room = u16::try_from(markdown_style.width.saturating_sub(prefix.width)).unwrap_or(u16::MAX);
    let mut prefix = prefix;
    for line in inline(title, style, Breaks::Joined, markdown_style.inline_style()) {
        prefix = put(wrap(&line, room, 0), &placed.source, prefix, out);
    }
}

/// What stands before the lines of a leaf: the marker on the first, bars and spaces on all.
#[derive(Clone, Debug, Default)]
struct LinePrefix {
    width: usize,
    first: Vec<Span<'static>>,
    rest: Vec<Span<'static>>,
}

impl LinePrefix {
    fn new(frames: &[Container], markdown_style: MarkdownStyle<'_>) -> LinePrefix {
        let mut frames = frames;
        loop {
            let prefix = LinePrefix::of(frames, markdown_style.inline_style());
            if prefix.width + MIN_TEXT_WIDTH <= markdown_style.width || frames.len() <= 1 {
                return if prefix.width < markdown_style.width { prefix } else { LinePrefix::default() };
            }
            // Too deep for the width: the outer containers are left out.
            frames = frames.get(1..).unwrap_or_default();
        }
    }

    fn of(frames: &[Container], inline_style: InlineStyle<'_>) -> LinePrefix {
        let theme = inline_style.theme;
        // The sign of a quote may be a redirection.
        let bar = if inline_style.markup == Markup::Kept { ">" } else { theme.sign(Sign::Bar) };
        let mut prefix = LinePrefix::default();
        for frame in frames {
            let (text, style) = match &frame.kind {
                ContainerKind::Quote => (format!("{bar} "), theme.style(TextRole::Border)),
                ContainerKind::Item { marker, .. } => marker_text(*marker, theme),
            };
            let wide = columns(&text);
            prefix.width += wide;
            match &frame.kind {
                ContainerKind::Item { is_first: true, .. } => {
                    prefix.first.push(Span::styled(text, style));
                    prefix.rest.push(Span::raw(" ".repeat(wide)));
                }
                ContainerKind::Item { is_first: false, .. } => {
                    prefix.first.push(Span::raw(" ".repeat(wide)));
                    prefix.rest.push(Span::raw(" ".repeat(wide)));
                }
                ContainerKind::Quote => {
                    prefix.first.push(Span::styled(text.clone(), style));
                    prefix.rest.push(Span::styled(text, style));
                }
            }
        }
        prefix
    }
}

fn marker_text(marker: ItemMarker, theme: &Theme) -> (String, Style) {
    match marker {
        ItemMarker::Bullet => (format!("{} ", theme.sign(Sign::Dot)), theme.style(TextRole::Faint)),
        ItemMarker::Number(number, sign) => (format!("{number}{sign} "), theme.style(TextRole::Faint)),
        ItemMarker::Task { is_done: false } => (format!("{} ", theme.sign(Sign::BoxEmpty)), Style::new()),
        ItemMarker::Task { is_done: true } => {
            (format!("{} ", theme.sign(Sign::BoxTicked)), theme.style(TextRole::Good))
        }
    }
}

/// Puts lines behind the prefix; gives what stands before the lines that follow.
fn put(lines: Vec<Line<'static>>, source: &RangeInclusive<u32>, prefix: LinePrefix, out: &mut Rendered) -> LinePrefix {
    let mut prefix = prefix;
    for mut line in lines {
        let mut spans = prefix.first;
        let is_empty = line.spans.iter().all(|span| span.content.trim().is_empty());
        if is_empty && spans.iter().all(|span| span.content.trim().is_empty()) {
            spans = Vec::new();
        } else {
            spans.append(&mut line.spans);
        }
        line.spans = spans;
        out.push(line, source.clone());
        prefix.first = prefix.rest.clone();
    }
    prefix
}
