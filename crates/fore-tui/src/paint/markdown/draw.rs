//! Draws blocks of Markdown one after the other. It remembers only what the next block needs to know of the last.

use super::{
    Rendered,
    inline::{Breaks, Markup, Pen, inline},
    piece::{Frame, FrameKind, ItemMarker, Leaf, Piece},
    table::Layout,
};
use crate::{
    paint::{
        code::CodeLines,
        wrap::{columns, is_blank, wrap},
    },
    theme::{Role, Sign, Theme},
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
const LEAST_TEXT: usize = 12;

/// What the next block needs to know.
#[derive(Clone, Debug, Default)]
pub(crate) struct Painter {
    markup: Markup,
    code: Option<CodeLines>,
    /// Around code of which no line is drawn yet: the marker of an item stands before the first one.
    begun: Option<Vec<Frame>>,
    layout: Option<Layout>,
    last: Option<Last>,
    coloured: usize,
    most_coloured: Option<usize>,
}

#[derive(Clone, Debug)]
struct Last {
    frames: Vec<Frame>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Heading,
    Rule,
    Code,
    Table,
}

/// How wide, and how it looks.
#[derive(Clone, Copy)]
struct Sheet<'theme> {
    width: usize,
    theme: &'theme Theme,
    markup: Markup,
}

impl<'theme> Sheet<'theme> {
    fn pen(&self) -> Pen<'theme> {
        Pen { theme: self.theme, markup: self.markup }
    }
}

impl Painter {
    /// For a whole document: after so many lines, code is drawn without colours.
    pub(crate) fn bounded(most_coloured: usize, markup: Markup) -> Painter {
        Painter { most_coloured: Some(most_coloured), markup, ..Painter::default() }
    }

    pub(crate) fn piece(&mut self, piece: &Piece, width: u16, theme: &Theme, out: &mut Rendered) {
        let sheet = Sheet { width: usize::from(width).max(1), theme, markup: self.markup };
        if self.wants_gap(piece) {
            self.gap(piece, sheet, out);
        }
        let prefix = match (&piece.leaf, self.begun.take()) {
            (Leaf::Code(_), Some(frames)) => Prefix::new(&frames, sheet),
            _ => Prefix::new(&piece.frames, sheet),
        };
        match &piece.leaf {
            Leaf::Paragraph(lines) => paragraph(lines, piece, prefix, sheet, out),
            Leaf::Heading(level, title) => heading(*level, title, piece, prefix, sheet, out),
            Leaf::Rule => {
                let room = sheet.width.saturating_sub(prefix.width);
                let line = Line::from(Span::styled(theme.sign(Sign::Rule).repeat(room), theme.style(Role::Border)));
                put(vec![line], &piece.source, prefix, out);
            }
            Leaf::CodeBegins(language) => {
                if !is_name_of_language(language) {
                    // More than a name may be meant for whoever reads: it is not hidden.
                    let words = Line::from(Span::styled(language.clone(), theme.style(Role::Faint)));
                    let room = u16::try_from(sheet.width.saturating_sub(prefix.width)).unwrap_or(u16::MAX);
                    put(wrap(&words, room, 0), &piece.source, prefix, out);
                } else {
                    self.begun = Some(piece.frames.clone());
                }
                let is_within = self.most_coloured.is_none_or(|most| self.coloured < most);
                self.code = Some(CodeLines::new(if is_within { language } else { "" }, theme));
            }
            Leaf::Code(line) => self.code(line, piece, prefix, sheet, out),
            Leaf::Table(table) => {
                let room = sheet.width.saturating_sub(prefix.width);
                if !table.header.is_empty() {
                    self.layout = Some(Layout::new(table, room, sheet.pen()));
                }
                let layout = self.layout.get_or_insert_with(|| Layout::new(table, room, sheet.pen()));
                let mut prefix = prefix;
                for (line, source) in layout.draw(table, room, sheet.pen()) {
                    // A terminal that has become narrower since the columns were measured.
                    let lines = wrap(&line, u16::try_from(room).unwrap_or(u16::MAX), 0);
                    prefix = put(lines, &(source..=source), prefix, out);
                }
            }
            Leaf::Empty => {
                put(vec![Line::default()], &piece.source, prefix, out);
            }
        }
        self.last = Some(Last { frames: piece.frames.clone(), kind: kind(&piece.leaf) });
    }

    fn wants_gap(&self, piece: &Piece) -> bool {
        let Some(last) = &self.last else { return false };
        match &piece.leaf {
            Leaf::Code(_) => return false,
            Leaf::Table(table) if table.header.is_empty() => return false,
            _ => {}
        }
        let is_outside = piece.frames.is_empty() || last.frames.is_empty();
        let is_large = matches!(kind(&piece.leaf), Kind::Heading | Kind::Rule | Kind::Code | Kind::Table);
        let was_large = matches!(last.kind, Kind::Rule | Kind::Code | Kind::Table);
        piece.is_apart || (is_outside && (is_large || was_large))
    }

    /// An empty line, with the bars of the quotes that go on.
    fn gap(&self, piece: &Piece, sheet: Sheet<'_>, out: &mut Rendered) {
        let last = self.last.as_ref().map_or(&[][..], |last| &last.frames);
        let both = last.iter().zip(&piece.frames).take_while(|(last, next)| last.id == next.id);
        let frames: Vec<Frame> = both.map(|(last, _)| last.clone()).collect();
        let first = *piece.source.start();
        let source = if piece.is_apart { first.saturating_sub(1).max(1) } else { first };
        let mut line = Prefix::new(&frames, sheet).rest;
        while line.last().is_some_and(|span| span.content.trim().is_empty()) {
            line.pop();
        }
        if let Some(last) = line.last_mut() {
            last.content = last.content.trim_end().to_owned().into();
        }
        out.push(Line::from(line), source..=source);
    }

    fn code(&mut self, line: &str, piece: &Piece, prefix: Prefix, sheet: Sheet<'_>, out: &mut Rendered) {
        self.coloured = self.coloured.saturating_add(1);
        let lines = self.code.get_or_insert_with(|| CodeLines::new("", sheet.theme));
        let room = sheet.width.saturating_sub(prefix.width);
        let indent = if room > CODE_INDENT + LEAST_TEXT { CODE_INDENT } else { 0 };
        let wide = u16::try_from(room.saturating_sub(indent)).unwrap_or(u16::MAX);
        // What does not fit stands a little deeper than the line it belongs to.
        // Code is a command, or may be one: every blank counts.
        let line = &if sheet.markup == Markup::Kept { fore_text::exact(line) } else { line.into() };
        let deeper = u16::try_from(line.len() - line.trim_start().len() + CODE_INDENT).unwrap_or(0);
        let drawn = wrap(&lines.line(line), wide, deeper).into_iter().map(|mut line| {
            if indent > 0 && !is_blank(&line) {
                line.spans.insert(0, Span::raw(" ".repeat(indent)));
            }
            line
        });
        put(drawn.collect(), &piece.source, prefix, out);
    }
}

/// What stands behind a fence is left out if it is no more than the name of a language.
pub(crate) fn is_name_of_language(words: &str) -> bool {
    let is_of_a_name = |sign: char| sign.is_ascii_alphanumeric() || "+-#._".contains(sign);
    words.len() <= MAX_LANGUAGE && words.chars().all(is_of_a_name)
}

fn kind(leaf: &Leaf) -> Kind {
    match leaf {
        Leaf::Paragraph(_) | Leaf::Empty => Kind::Text,
        Leaf::Heading(..) => Kind::Heading,
        Leaf::Rule => Kind::Rule,
        Leaf::CodeBegins(_) | Leaf::Code(_) => Kind::Code,
        Leaf::Table(_) => Kind::Table,
    }
}

fn paragraph(lines: &[String], piece: &Piece, prefix: Prefix, sheet: Sheet<'_>, out: &mut Rendered) {
    let room = sheet.width.saturating_sub(prefix.width);
    let text = lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n");
    let is_quoted = piece.frames.iter().any(|frame| frame.kind == FrameKind::Quote);
    let base = if is_quoted { sheet.theme.style(Role::Quote) } else { Style::new() };
    // Lines that fit stand as they were written; where one does not, the paragraph is wrapped anew.
    let fits = lines.iter().all(|line| columns(line) <= room);
    let breaks = if fits { Breaks::Kept } else { Breaks::Joined };
    let drawn = inline(&text, base, breaks, sheet.pen());
    let (first, last) = (*piece.source.start(), *piece.source.end());
    let is_one_to_one = fits && drawn.len() == lines.len();
    let mut prefix = prefix;
    for (line, number) in drawn.into_iter().zip(first..) {
        let source = if is_one_to_one { number.min(last)..=number.min(last) } else { first..=last };
        prefix = put(wrap(&line, u16::try_from(room).unwrap_or(u16::MAX), 0), &source, prefix, out);
    }
}

fn heading(level: usize, title: &str, piece: &Piece, prefix: Prefix, sheet: Sheet<'_>, out: &mut Rendered) {
    let theme = sheet.theme;
    let style = match level {
        1 => theme.style(Role::Heading).add_modifier(Modifier::UNDERLINED),
        2 => theme.style(Role::Heading),
        _ => theme.style(Role::Strong),
    };
    let room = u16::try_from(sheet.width.saturating_sub(prefix.width)).unwrap_or(u16::MAX);
    let mut prefix = prefix;
    for line in inline(title, style, Breaks::Joined, sheet.pen()) {
        prefix = put(wrap(&line, room, 0), &piece.source, prefix, out);
    }
}

/// What stands before the lines of a leaf: the marker on the first, bars and spaces on all.
#[derive(Clone, Debug, Default)]
struct Prefix {
    width: usize,
    first: Vec<Span<'static>>,
    rest: Vec<Span<'static>>,
}

impl Prefix {
    fn new(frames: &[Frame], sheet: Sheet<'_>) -> Prefix {
        let mut frames = frames;
        loop {
            let prefix = Prefix::of(frames, sheet.pen());
            if prefix.width + LEAST_TEXT <= sheet.width || frames.len() <= 1 {
                return if prefix.width < sheet.width { prefix } else { Prefix::default() };
            }
            // Too deep for the width: the outer containers are left out.
            frames = frames.get(1..).unwrap_or_default();
        }
    }

    fn of(frames: &[Frame], pen: Pen<'_>) -> Prefix {
        let theme = pen.theme;
        // The sign of a quote may be a redirection.
        let bar = if pen.markup == Markup::Kept { ">" } else { theme.sign(Sign::Bar) };
        let mut prefix = Prefix::default();
        for frame in frames {
            let (text, style) = match &frame.kind {
                FrameKind::Quote => (format!("{bar} "), theme.style(Role::Border)),
                FrameKind::Item { marker, .. } => marker_text(*marker, theme),
            };
            let wide = columns(&text);
            prefix.width += wide;
            match &frame.kind {
                FrameKind::Item { is_first: true, .. } => {
                    prefix.first.push(Span::styled(text, style));
                    prefix.rest.push(Span::raw(" ".repeat(wide)));
                }
                FrameKind::Item { is_first: false, .. } => {
                    prefix.first.push(Span::raw(" ".repeat(wide)));
                    prefix.rest.push(Span::raw(" ".repeat(wide)));
                }
                FrameKind::Quote => {
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
        ItemMarker::Bullet => (format!("{} ", theme.sign(Sign::Dot)), theme.style(Role::Faint)),
        ItemMarker::Number(number, sign) => (format!("{number}{sign} "), theme.style(Role::Faint)),
        ItemMarker::Task { is_done: false } => (format!("{} ", theme.sign(Sign::BoxEmpty)), Style::new()),
        ItemMarker::Task { is_done: true } => (format!("{} ", theme.sign(Sign::BoxTicked)), theme.style(Role::Good)),
    }
}

/// Puts lines behind the prefix; gives what stands before the lines that follow.
fn put(lines: Vec<Line<'static>>, source: &RangeInclusive<u32>, prefix: Prefix, out: &mut Rendered) -> Prefix {
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
