//! A plan as HTML: every row knows its lines in the source. Raw HTML is text, images are not fetched, and links lead to
//! http, https, mailto and places on the page alone.

use crate::{markup, source_lines::SourceLines};
use fore_text::TextKind;
use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde::Serialize;
use std::{fmt::Write as _, ops::Range};

/// Letters of a heading in the outline.
const MAX_HEADING_LETTERS: usize = 200;
/// Headings that the outline lists.
const MAX_HEADINGS: usize = 2_000;
/// Lists and quotes inside each other that are drawn as such; what is deeper stands on the last level.
const MAX_DEPTH: usize = 24;

/// A plan as a page shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct RenderedPlan {
    pub(crate) html: String,
    pub(crate) outline: Vec<OutlineEntry>,
}

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct OutlineEntry {
    level: u8,
    text: String,
    line: u32,
}

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// Markdown with its lines.
pub(crate) fn render(text: &str) -> RenderedPlan {
    let events: Vec<(Event<'_>, Range<usize>)> = Parser::new_ext(text, options()).into_offset_iter().collect();
    let lines = SourceLines::of(text);
    let items = item_rows(&events, &lines);
    let mut writer = HtmlWriter { lines: Some(&lines), ..HtmlWriter::default() };
    for (index, (event, range)) in events.into_iter().enumerate() {
        let item = items.binary_search_by_key(&index, |(at, _)| *at).ok().and_then(|at| items.get(at));
        writer.event(event, &range, item.and_then(|(_, row)| *row));
    }
    RenderedPlan { html: writer.out, outline: writer.outline }
}

/// Markdown of a comment: nothing in it can be commented on.
pub(crate) fn render_comment(text: &str) -> String {
    let mut writer = HtmlWriter::default();
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        writer.event(event, &range, None);
    }
    writer.out
}

/// The source itself, a row for each line.
pub(crate) fn render_source(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    out.push_str("<div class=\"code source\" role=\"group\" aria-label=\"source of the plan\">");
    for (index, line) in text.lines().enumerate() {
        code_row(&mut out, Some(u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1)), line);
    }
    out.push_str("</div>");
    out
}

/// For the events that begin an item: its own lines, where its text is a row; none where its blocks are rows themselves.
#[expect(clippy::wildcard_enum_match_arm, reason = "only what begins and ends an item counts")]
fn item_rows(events: &[(Event<'_>, Range<usize>)], lines: &SourceLines<'_>) -> Vec<(usize, Option<(u32, u32)>)> {
    let mut found: Vec<(usize, Option<(u32, u32)>)> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (index, (event, range)) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::Item) => {
                let next = events.get(index + 1).map(|(event, _)| event);
                let has_blocks = matches!(
                    next,
                    Some(Event::Start(
                        Tag::Paragraph
                            | Tag::Heading { .. }
                            | Tag::CodeBlock(_)
                            | Tag::BlockQuote(_)
                            | Tag::List(_)
                            | Tag::HtmlBlock
                            | Tag::Table(_)
                    ))
                );
                let row = (!has_blocks).then(|| (lines.line(range.start), lines.last_line(range.start, range.end)));
                open.push(found.len());
                found.push((index, row));
            }
            Event::Start(Tag::List(_)) => {
                // Its own text ends where the first list inside begins.
                if let Some((_, Some((first, last)))) = open.last().and_then(|at| found.get_mut(*at)) {
                    *last = (*last).min(lines.line(range.start).saturating_sub(1)).max(*first);
                }
            }
            Event::End(TagEnd::Item) => drop(open.pop()),
            _ => {}
        }
    }
    found
}

#[derive(Default)]
struct HtmlWriter<'a> {
    out: String,
    /// None where rows have no lines.
    lines: Option<&'a SourceLines<'a>>,
    outline: Vec<OutlineEntry>,
    heading: Option<(u8, u32, String)>,
    code: Option<(u32, String)>,
    /// The words of an image, and where it is.
    image: Option<(String, String)>,
    columns: Vec<Alignment>,
    column: usize,
    is_head: bool,
    /// Whether each open link was written as one.
    links: Vec<bool>,
    depth: usize,
}

impl HtmlWriter<'_> {
    /// ` id="L4" data-l="4" data-e="6" tabindex="-1"`
    fn row(&self, range: &Range<usize>) -> String {
        match self.lines {
            Some(lines) => row_of(lines.line(range.start), lines.last_line(range.start, range.end)),
            None => String::new(),
        }
    }

    fn event(&mut self, event: Event<'_>, range: &Range<usize>, item: Option<(u32, u32)>) {
        match event {
            Event::Start(tag) => self.start(tag, range, item),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(code) => {
                self.note_heading(&code);
                if let Some((words, _)) = &mut self.image {
                    return words.push_str(&code);
                }
                self.out.push_str("<code>");
                markup::push_text(&mut self.out, &code, TextKind::Exact);
                self.out.push_str("</code>");
            }
            Event::Html(html) => self.html_lines(&html, range),
            Event::InlineHtml(html) => {
                self.out.push_str("<code class=\"raw\">");
                markup::push_text(&mut self.out, &html, TextKind::Exact);
                self.out.push_str("</code>");
            }
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out.push_str("<br>"),
            Event::Rule => {
                let row = self.row(range);
                let _ = write!(self.out, "<hr{row}>");
            }
            Event::TaskListMarker(done) => {
                self.out.push_str(if done {
                    "<span class=\"task\">☑ </span>"
                } else {
                    "<span class=\"task\">☐ </span>"
                });
            }
            Event::FootnoteReference(name) => self.text(&name),
            Event::InlineMath(math) | Event::DisplayMath(math) => self.text(&math),
        }
    }

    fn text(&mut self, text: &str) {
        self.note_heading(text);
        if let Some((_, code)) = &mut self.code {
            code.push_str(text);
        } else if let Some((words, _)) = &mut self.image {
            words.push_str(text);
        } else {
            markup::push_text(&mut self.out, text, TextKind::Prose);
        }
    }

    fn note_heading(&mut self, text: &str) {
        if let Some((_, _, words)) = &mut self.heading
            && words.len() < MAX_HEADING_LETTERS * 4
        {
            words.push_str(text);
        }
    }

    /// Raw HTML, as the text it is.
    fn html_lines(&mut self, html: &str, range: &Range<usize>) {
        let first = self.lines.map(|lines| lines.line(range.start));
        for (index, line) in html.lines().enumerate() {
            let number = first.map(|first| first.saturating_add(u32::try_from(index).unwrap_or(u32::MAX)));
            code_row(&mut self.out, number, line);
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: &Range<usize>, item: Option<(u32, u32)>) {
        match tag {
            Tag::Paragraph => {
                let row = self.row(range);
                let _ = write!(self.out, "<p{row}>");
            }
            Tag::Heading { level, .. } => {
                let row = self.row(range);
                // The page has a heading of its own above the plan.
                let _ = write!(self.out, "<h{}{row}>", shown_level(level));
                let line = self.lines.map_or(1, |lines| lines.line(range.start));
                self.heading = Some((level as u8, line, String::new()));
            }
            Tag::BlockQuote(_) => self.open("<blockquote>"),
            Tag::CodeBlock(kind) => {
                let name = match &kind {
                    CodeBlockKind::Fenced(name) => fore_text::cut::ellipsis(&fore_text::line(name), 40).into_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                let label = if name.is_empty() { "code".to_owned() } else { format!("code: {name}") };
                let _ = write!(
                    self.out,
                    "<div class=\"code\" role=\"group\" aria-label=\"{}\">",
                    markup::attribute(&label)
                );
                let first = self.lines.map_or(0, |lines| lines.line(range.start));
                self.code = Some((first + u32::from(matches!(kind, CodeBlockKind::Fenced(_))), String::new()));
            }
            Tag::HtmlBlock => self.out.push_str("<div class=\"code raw\" role=\"group\" aria-label=\"HTML as text\">"),
            Tag::List(Some(first)) => self.open(&format!("<ol start=\"{first}\">")),
            Tag::List(None) => self.open("<ul>"),
            Tag::Item => match item.filter(|_| self.lines.is_some()) {
                Some((first, last)) => {
                    let row = row_of(first, last);
                    let _ = write!(self.out, "<li{row}>");
                }
                None => self.out.push_str("<li>"),
            },
            Tag::Table(columns) => {
                self.columns = columns;
                self.out.push_str("<div class=\"table\" role=\"region\" aria-label=\"table\" tabindex=\"0\"><table>");
            }
            Tag::TableHead => {
                (self.is_head, self.column) = (true, 0);
                let row = self.row(range);
                let _ = write!(self.out, "<thead><tr{row}>");
            }
            Tag::TableRow => {
                self.column = 0;
                let row = self.row(range);
                let _ = write!(self.out, "<tr{row}>");
            }
            Tag::TableCell => {
                let side = match self.columns.get(self.column) {
                    Some(Alignment::Center) => " class=\"center\"",
                    Some(Alignment::Right) => " class=\"right\"",
                    Some(Alignment::Left | Alignment::None) | None => "",
                };
                let _ = write!(self.out, "<{}{side}>", if self.is_head { "th" } else { "td" });
            }
            Tag::Emphasis => self.out.push_str("<em>"),
            Tag::Strong => self.out.push_str("<strong>"),
            Tag::Strikethrough => self.out.push_str("<del>"),
            Tag::Link { dest_url, .. } => self.start_link(&dest_url),
            Tag::Image { dest_url, .. } => self.image = Some((String::new(), dest_url.into_string())),
            // None of these is asked for.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.out.push_str("</p>"),
            TagEnd::Heading(level) => {
                let _ = write!(self.out, "</h{}>", shown_level(level));
                if let Some((level, line, text)) = self.heading.take()
                    && self.outline.len() < MAX_HEADINGS
                {
                    let text =
                        fore_text::cut::ellipsis(&fore_text::line(text.trim()), MAX_HEADING_LETTERS).into_owned();
                    self.outline.push(OutlineEntry { level, text, line });
                }
            }
            TagEnd::BlockQuote(_) => self.close("</blockquote>"),
            TagEnd::CodeBlock => {
                let (first, code) = self.code.take().unwrap_or_default();
                for (index, line) in code.lines().enumerate() {
                    let number = first.saturating_add(u32::try_from(index).unwrap_or(u32::MAX));
                    code_row(&mut self.out, self.lines.map(|_| number), line);
                }
                self.out.push_str("</div>");
            }
            TagEnd::HtmlBlock => self.out.push_str("</div>"),
            TagEnd::List(true) => self.close("</ol>"),
            TagEnd::List(false) => self.close("</ul>"),
            TagEnd::Item => self.out.push_str("</li>"),
            TagEnd::Table => self.out.push_str("</tbody></table></div>"),
            TagEnd::TableHead => {
                self.is_head = false;
                self.out.push_str("</tr></thead><tbody>");
            }
            TagEnd::TableRow => self.out.push_str("</tr>"),
            TagEnd::TableCell => {
                self.column += 1;
                self.out.push_str(if self.is_head { "</th>" } else { "</td>" });
            }
            TagEnd::Emphasis => self.out.push_str("</em>"),
            TagEnd::Strong => self.out.push_str("</strong>"),
            TagEnd::Strikethrough => self.out.push_str("</del>"),
            TagEnd::Link => {
                if self.links.pop() == Some(true) {
                    self.out.push_str("</a>");
                }
            }
            TagEnd::Image => {
                let (words, address) = self.image.take().unwrap_or_default();
                let words = if words.is_empty() { address } else { format!("{words} ({address})") };
                self.out.push_str("<span class=\"image\">[image, not loaded: ");
                markup::push_text(&mut self.out, &words, TextKind::Line);
                self.out.push_str("]</span>");
            }
            TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    /// A list or a quote; a browser is not asked to nest thousands of them.
    fn open(&mut self, tag: &str) {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            self.out.push_str(tag);
        }
    }

    fn close(&mut self, tag: &str) {
        if self.depth <= MAX_DEPTH {
            self.out.push_str(tag);
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn start_link(&mut self, address: &str) {
        let is_safe = is_safe_link(address);
        self.links.push(is_safe);
        if !is_safe {
            return;
        }
        let address = markup::attribute(address);
        let _ = match address.starts_with('#') {
            true => write!(self.out, "<a href=\"{address}\">"),
            false => write!(
                self.out,
                "<a href=\"{address}\" title=\"{address}\" target=\"_blank\" rel=\"noopener noreferrer nofollow\">"
            ),
        };
    }
}

fn shown_level(level: HeadingLevel) -> u8 {
    (level as u8).saturating_add(1).min(6)
}

fn row_of(first: u32, last: u32) -> String {
    format!(" id=\"L{first}\" data-l=\"{first}\" data-e=\"{last}\" tabindex=\"-1\"")
}

fn code_row(out: &mut String, number: Option<u32>, line: &str) {
    let row = number.map(|number| row_of(number, number)).unwrap_or_default();
    let _ = write!(out, "<div class=\"line\"{row}><code>");
    markup::push_text(out, line, TextKind::Exact);
    out.push_str("</code></div>");
}

/// Where a link of a plan may lead.
fn is_safe_link(address: &str) -> bool {
    let is_plain = address.chars().all(|letter| fore_text::hidden(letter).is_none());
    let starts = |scheme: &str| address.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    is_plain && (address.starts_with('#') || ["http://", "https://", "mailto:"].into_iter().any(starts))
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
