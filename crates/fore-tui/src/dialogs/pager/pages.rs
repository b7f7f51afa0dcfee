//! What a pager shows, item by item, so that only what is in sight has to be laid out. It knows no keys.

use crate::{
    dialogs::{
        Annotation, PagerDocument,
        text::{LineBreak, rows, sanitize_line},
    },
    paint::{self, Markup, Rendered, diff, markdown, plan, sanitize, wrap},
    theme::{Sign, TextRole, Theme},
};
use fore_agent::ShownBody;
use ratatui::text::{Line, Span};
use std::borrow::Cow;

/// Lines of plain text in one item.
const TEXT_LINES: usize = 64;
/// A Markdown document is parted at headings once an item has so many lines.
const MARKDOWN_LINES: usize = 48;
/// A difference is parted at its hunks once an item has so many lines.
const DIFF_LINES: usize = 256;

/// How much of an item is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemFold {
    Closed,
    Open,
}

/// A list of items that can be drawn one by one.
pub(crate) trait Pages: Send {
    fn count(&self) -> usize;

    /// The rows of one item, none of them wider than `width`.
    fn lines(&self, item: usize, fold: ItemFold, width: u16, theme: &Theme) -> Vec<Line<'static>>;

    /// Whether the item has more to show when it is open.
    fn opens(&self, _item: usize) -> bool {
        false
    }

    /// Whether any item may open: then the pager has a cursor.
    fn has_folds(&self) -> bool {
        false
    }

    /// All the words of the item, for the search.
    fn text(&self, item: usize) -> Cow<'_, str>;
}

/// A document, in pieces.
#[derive(Debug)]
pub(super) struct DocumentPages {
    format: DocumentFormat,
    markup: Markup,
    items: Vec<String>,
    annotations: Vec<Annotation>,
}

#[derive(Debug)]
enum DocumentFormat {
    Text,
    Markdown,
    Diff { path: String },
}

impl DocumentPages {
    pub(super) fn new(document: PagerDocument) -> DocumentPages {
        let (format, items) = match document.body {
            ShownBody::Nothing => (DocumentFormat::Text, Vec::new()),
            ShownBody::Text { text } => (DocumentFormat::Text, part(&text, TEXT_LINES, |_| true)),
            ShownBody::Markdown { text } => (DocumentFormat::Markdown, part(&text, MARKDOWN_LINES, at_headings())),
            ShownBody::Diff { path, diff } => {
                (DocumentFormat::Diff { path }, part(&diff, DIFF_LINES, |line| line.starts_with("@@")))
            }
        };
        DocumentPages { format, markup: document.markup, items, annotations: document.annotations }
    }

    /// What stands beneath lines of one piece, each with the line counted from the start of the piece.
    fn beneath(&self, item: usize) -> Vec<(u32, &Annotation)> {
        let count = |piece: &String| u32::try_from(piece.lines().count()).unwrap_or(u32::MAX);
        let before = self.items.iter().take(item).map(count).fold(0, u32::saturating_add);
        let is_last = item + 1 == self.items.len();
        let end = before.saturating_add(self.items.get(item).map_or(0, count));
        let is_here = |beneath: &&Annotation| beneath.line > before && (beneath.line <= end || is_last);
        self.annotations.iter().filter(is_here).map(|beneath| (beneath.line - before, beneath)).collect()
    }
}

impl Pages for DocumentPages {
    fn count(&self) -> usize {
        self.items.len()
    }

    fn lines(&self, item: usize, _fold: ItemFold, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let text = self.items.get(item).map(String::as_str).unwrap_or_default();
        match &self.format {
            DocumentFormat::Markdown => {
                let draw = match self.markup {
                    Markup::Used => markdown,
                    Markup::Kept => plan,
                };
                with_beneath(draw(text, width, theme), &self.beneath(item), width, theme)
            }
            DocumentFormat::Diff { path } => diff(text, Some(path), width, theme),
            DocumentFormat::Text => {
                let style = theme.style(TextRole::Plain);
                let line = |line: &str| Line::from(Span::styled(line.to_owned(), style));
                sanitize(text).lines().flat_map(|text| wrap(&line(text), width, 0)).collect()
            }
        }
    }

    fn text(&self, item: usize) -> Cow<'_, str> {
        let text = self.items.get(item).map(String::as_str).unwrap_or_default();
        match self.format {
            DocumentFormat::Text | DocumentFormat::Diff { .. } => Cow::Borrowed(text),
            // As it is written, and as it is read: without marks, on one line.
            DocumentFormat::Markdown => {
                let read = text.replace(['*', '`', '_'], "").replace('\n', " ");
                let mut all = format!("{text}\n{read}");
                for (_, beneath) in self.beneath(item) {
                    all.push_str(&format!("\n{}{}", beneath.label, beneath.text));
                }
                Cow::Owned(all)
            }
        }
    }
}

/// The drawn lines, with the person's words beneath those they are about.
fn with_beneath(drawn: Rendered, all: &[(u32, &Annotation)], width: u16, theme: &Theme) -> Vec<Line<'static>> {
    if all.is_empty() {
        return drawn.lines;
    }
    let last_of = |line: u32| drawn.sources.partition_point(|source| *source.start() <= line).saturating_sub(1);
    let mut left = all.iter().map(|(line, beneath)| (last_of(*line), *beneath)).peekable();
    let mut lines = Vec::new();
    for (index, line) in drawn.lines.into_iter().enumerate() {
        lines.push(line);
        while let Some((_, beneath)) = left.next_if(|(at, _)| *at <= index) {
            lines.extend(words_of_person(beneath, width, theme));
        }
    }
    lines.extend(left.flat_map(|(_, beneath)| words_of_person(beneath, width, theme)));
    lines
}

fn words_of_person(beneath: &Annotation, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut all = Vec::new();
    for (number, text) in beneath.text.lines().enumerate() {
        let label = if number == 0 { beneath.label.clone() } else { String::new() };
        let spans = vec![
            Span::styled(label, theme.style(TextRole::Faint)),
            Span::styled(sanitize_line(text), theme.style(TextRole::Person)),
        ];
        for mut row in rows(&Line::from(spans), width.saturating_sub(2).max(1), 0, LineBreak::Words) {
            let sign = Span::styled(format!("{} ", theme.sign(Sign::Remark)), theme.style(TextRole::Person));
            row.spans.insert(0, sign);
            all.push(paint::cut_line(row, width, theme));
        }
    }
    all
}

/// Parts a text into pieces of at least `least` lines, each beginning at a line that may begin one.
fn part(text: &str, least: usize, mut may_begin: impl FnMut(&str) -> bool) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut lines = 0;
    for line in text.split_inclusive('\n') {
        if may_begin(line) && lines >= least {
            pieces.push(std::mem::take(&mut piece));
            lines = 0;
        }
        piece.push_str(line);
        lines += 1;
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// Headings outside of code blocks: nothing that Markdown joins reaches across one.
fn at_headings() -> impl FnMut(&str) -> bool {
    let mut fence: Option<&'static str> = None;
    move |line| {
        let bare = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        fence.is_none() && line.starts_with('#')
    }
}
