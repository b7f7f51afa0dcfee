//! A plan's Markdown as its readers need it: lines, headings, prose, code spans and code blocks, each with its line number.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

/// A plan taken apart.
#[derive(Debug)]
pub(crate) struct Outline<'a> {
    pub(crate) lines: Vec<OutlineLine<'a>>,
    pub(crate) headings: Vec<Heading>,
    pub(crate) fragments: Vec<Fragment>,
    pub(crate) blocks: Vec<CodeBlock>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct OutlineLine<'a> {
    /// From 1.
    pub(crate) number: usize,
    pub(crate) text: &'a str,
    /// In a code block, where words mean nothing for the check.
    pub(crate) is_code: bool,
}

#[derive(Debug)]
pub(crate) struct Heading {
    pub(crate) line: usize,
    pub(crate) level: HeadingLevel,
    pub(crate) text: String,
}

/// A stretch of text outside code blocks.
#[derive(Debug)]
pub(crate) struct Fragment {
    pub(crate) line: usize,
    pub(crate) kind: FragmentKind,
    pub(crate) text: String,
    /// The bytes of the plan that it stands for.
    pub(crate) span: Range<usize>,
    /// Where the paragraph, item or row around it begins.
    pub(crate) block: usize,
    /// What a link shows; empty for everything else.
    pub(crate) label: String,
    /// In the text of a link or a picture.
    pub(crate) is_in_link: bool,
    /// In text that is struck out.
    pub(crate) is_struck: bool,
}

/// A code block, with what is in it.
#[derive(Debug)]
pub(crate) struct CodeBlock {
    /// The line of its fence, or its first one.
    pub(crate) line: usize,
    /// The first word behind the fence; none for a block that is only indented.
    pub(crate) language: Option<String>,
    /// The line where the text begins.
    pub(crate) first: usize,
    pub(crate) text: String,
    /// A fence ends it, or it needs none.
    pub(crate) is_closed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FragmentKind {
    Prose,
    CodeSpan,
    /// The target of a link.
    Link,
    Html,
}

impl<'a> Outline<'a> {
    pub(crate) fn of(plan: &'a str) -> Self {
        let starts: Vec<usize> =
            std::iter::once(0).chain(plan.match_indices('\n').map(|(at, _)| at.saturating_add(1))).collect();
        let lines = plan
            .split('\n')
            .zip(1..)
            .map(|(text, number)| OutlineLine { number, text: text.trim_end_matches('\r'), is_code: false })
            .collect();
        let mut reader = OutlineReader {
            starts,
            outline: Self { lines, headings: Vec::new(), fragments: Vec::new(), blocks: Vec::new() },
            heading: None,
            in_code: false,
            block: 0,
            link: None,
            is_in_image: false,
            is_struck: false,
        };
        let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
        for (event, range) in TextMergeWithOffset::new(Parser::new_ext(plan, options).into_offset_iter()) {
            reader.take(event, range);
        }
        reader.outline
    }

    /// The lines between a heading and the next one of the same rank or higher.
    pub(crate) fn section(&self, heading: &Heading) -> impl Iterator<Item = &OutlineLine<'a>> {
        let later = self.headings.get(self.headings_until(heading.line)..).unwrap_or_default();
        let end = later
            .iter()
            .find(|other| other.level <= heading.level)
            .map_or(self.lines.len(), |other| other.line.saturating_sub(1));
        self.lines.get(heading.line..end).unwrap_or_default().iter()
    }

    /// How many headings stand on this line or above.
    fn headings_until(&self, line: usize) -> usize {
        self.headings.partition_point(|heading| heading.line <= line)
    }

    /// The text of the nearest heading above the line.
    pub(crate) fn heading_above(&self, line: usize) -> Option<&str> {
        let last = self.headings_until(line).checked_sub(1).and_then(|at| self.headings.get(at));
        last.map(|heading| heading.text.as_str())
    }

    pub(crate) fn line(&self, number: usize) -> &'a str {
        number.checked_sub(1).and_then(|at| self.lines.get(at)).map_or("", |line| line.text)
    }

    pub(crate) fn is_heading(&self, line: usize) -> bool {
        self.headings.binary_search_by_key(&line, |heading| heading.line).is_ok()
    }
}

struct OutlineReader<'a> {
    /// Where each line begins in the text.
    starts: Vec<usize>,
    outline: Outline<'a>,
    heading: Option<Heading>,
    in_code: bool,
    /// Where the paragraph, item or row begins.
    block: usize,
    /// The link that is open, as a place among the fragments.
    link: Option<usize>,
    is_in_image: bool,
    is_struck: bool,
}

impl OutlineReader<'_> {
    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        let line = self.line_at(range.start);
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                self.block = range.start;
                self.heading = Some(Heading { line, level, text: String::new() });
            }
            Event::End(TagEnd::Heading(_)) => self.outline.headings.extend(self.heading.take()),
            Event::Start(Tag::CodeBlock(kind)) => self.begin_code(line, &kind, &range),
            Event::End(TagEnd::CodeBlock) => self.in_code = false,
            Event::Text(text) if self.in_code => self.add_code(line, &text),
            Event::Start(Tag::Paragraph | Tag::Item | Tag::TableRow | Tag::TableHead) => self.block = range.start,
            Event::Start(Tag::Link { dest_url, .. }) => {
                self.add(line, FragmentKind::Link, &dest_url, range);
                self.link = self.outline.fragments.len().checked_sub(1);
            }
            Event::End(TagEnd::Link) => self.link = None,
            Event::Start(Tag::Image { .. }) => self.is_in_image = true,
            Event::End(TagEnd::Image) => self.is_in_image = false,
            Event::Start(Tag::Strikethrough) => self.is_struck = true,
            Event::End(TagEnd::Strikethrough) => self.is_struck = false,
            Event::Text(text) => self.add_lines(line, FragmentKind::Prose, &text, range),
            Event::Code(text) => self.add(line, FragmentKind::CodeSpan, &text, range),
            Event::InlineHtml(text) | Event::Html(text) => self.add_lines(line, FragmentKind::Html, &text, range),
            Event::Start(_)
            | Event::End(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }

    fn begin_code(&mut self, line: usize, kind: &CodeBlockKind<'_>, range: &Range<usize>) {
        let last = self.line_at(range.end.saturating_sub(1));
        self.in_code = true;
        self.mark_code(line, last);
        let (language, first, is_closed) = match kind {
            CodeBlockKind::Indented => (None, line, true),
            CodeBlockKind::Fenced(info) => {
                let end = self.outline.line(last).trim_start_matches(|c: char| c.is_whitespace() || c == '>');
                let is_fence = end.starts_with("```") || end.starts_with("~~~");
                let language = info.split(|c: char| c.is_whitespace() || matches!(c, ',' | '{')).next();
                (language.map(str::to_lowercase), line.saturating_add(1), last > line && is_fence)
            }
        };
        self.outline.blocks.push(CodeBlock { line, language, first, text: String::new(), is_closed });
    }

    fn add_code(&mut self, line: usize, text: &str) {
        if let Some(block) = self.outline.blocks.last_mut() {
            if block.text.is_empty() {
                block.first = line;
            }
            block.text.push_str(text);
        }
    }

    fn add_lines(&mut self, first: usize, kind: FragmentKind, text: &str, range: Range<usize>) {
        let mut start = range.start;
        for (number, line) in (first..).zip(text.split('\n')) {
            let end = start.saturating_add(line.len()).min(range.end);
            self.add(number, kind, line, start..end);
            start = end.saturating_add(1).min(range.end);
        }
    }

    fn add(&mut self, line: usize, kind: FragmentKind, text: &str, span: Range<usize>) {
        if let Some(heading) = self.heading.as_mut().filter(|_| kind != FragmentKind::Link) {
            heading.text.push_str(text);
        }
        if let Some(link) = self.link.and_then(|at| self.outline.fragments.get_mut(at)) {
            link.label.push_str(text);
        }
        self.outline.fragments.push(Fragment {
            line,
            kind,
            text: text.to_owned(),
            span,
            block: self.block,
            label: String::new(),
            is_in_link: self.link.is_some() || self.is_in_image,
            is_struck: self.is_struck,
        });
    }

    fn mark_code(&mut self, first: usize, last: usize) {
        let range = first.saturating_sub(1)..last;
        for line in self.outline.lines.get_mut(range).into_iter().flatten() {
            line.is_code = true;
        }
    }

    fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }
}
