//! A plan's Markdown as the check needs it: lines, headings, prose and code spans, each with its line number.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

/// A plan taken apart.
#[derive(Debug)]
pub(super) struct Outline<'a> {
    pub(super) lines: Vec<OutlineLine<'a>>,
    pub(super) headings: Vec<Heading>,
    pub(super) fragments: Vec<Fragment>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct OutlineLine<'a> {
    /// From 1.
    pub(super) number: usize,
    pub(super) text: &'a str,
    /// In a code block, where words mean nothing for the check.
    pub(super) is_code: bool,
}

#[derive(Debug)]
pub(super) struct Heading {
    pub(super) line: usize,
    pub(super) level: HeadingLevel,
    pub(super) text: String,
}

/// A stretch of text outside code blocks.
#[derive(Debug)]
pub(super) struct Fragment {
    pub(super) line: usize,
    pub(super) kind: FragmentKind,
    pub(super) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FragmentKind {
    Prose,
    CodeSpan,
    /// The target of a link.
    Link,
    Html,
}

impl<'a> Outline<'a> {
    pub(super) fn of(plan: &'a str) -> Self {
        let starts: Vec<usize> =
            std::iter::once(0).chain(plan.match_indices('\n').map(|(at, _)| at.saturating_add(1))).collect();
        let lines = plan
            .split('\n')
            .zip(1..)
            .map(|(text, number)| OutlineLine { number, text: text.trim_end_matches('\r'), is_code: false })
            .collect();
        let mut reader = OutlineReader {
            starts,
            outline: Self { lines, headings: Vec::new(), fragments: Vec::new() },
            heading: None,
            in_code: false,
        };
        let parser = Parser::new_ext(plan, Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS);
        for (event, range) in TextMergeWithOffset::new(parser.into_offset_iter()) {
            reader.take(event, range.start, range.end);
        }
        reader.outline
    }

    /// The lines between a heading and the next one of the same rank or higher.
    pub(super) fn section(&self, heading: &Heading) -> impl Iterator<Item = &OutlineLine<'a>> {
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
    pub(super) fn heading_above(&self, line: usize) -> Option<&str> {
        let last = self.headings_until(line).checked_sub(1).and_then(|at| self.headings.get(at));
        last.map(|heading| heading.text.as_str())
    }

    pub(super) fn line(&self, number: usize) -> &'a str {
        number.checked_sub(1).and_then(|at| self.lines.get(at)).map_or("", |line| line.text)
    }

    pub(super) fn is_heading(&self, line: usize) -> bool {
        self.headings.binary_search_by_key(&line, |heading| heading.line).is_ok()
    }
}

struct OutlineReader<'a> {
    /// Where each line begins in the text.
    starts: Vec<usize>,
    outline: Outline<'a>,
    heading: Option<Heading>,
    in_code: bool,
}

impl OutlineReader<'_> {
    fn take(&mut self, event: Event<'_>, start: usize, end: usize) {
        let line = self.line_at(start);
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                self.heading = Some(Heading { line, level, text: String::new() })
            }
            Event::End(TagEnd::Heading(_)) => self.outline.headings.extend(self.heading.take()),
            Event::Start(Tag::CodeBlock(_)) => {
                self.in_code = true;
                self.mark_code(line, self.line_at(end.saturating_sub(1)));
            }
            Event::End(TagEnd::CodeBlock) => self.in_code = false,
            Event::Start(Tag::Link { dest_url, .. }) => self.add(line, FragmentKind::Link, &dest_url),
            Event::Text(text) if !self.in_code => self.add_lines(line, FragmentKind::Prose, &text),
            Event::Code(text) => self.add(line, FragmentKind::CodeSpan, &text),
            Event::InlineHtml(text) | Event::Html(text) => self.add_lines(line, FragmentKind::Html, &text),
            Event::Start(_)
            | Event::End(_)
            | Event::Text(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }

    fn add_lines(&mut self, first: usize, kind: FragmentKind, text: &str) {
        for (number, line) in (first..).zip(text.split('\n')) {
            self.add(number, kind, line);
        }
    }

    fn add(&mut self, line: usize, kind: FragmentKind, text: &str) {
        if let Some(heading) = self.heading.as_mut().filter(|_| kind != FragmentKind::Link) {
            heading.text.push_str(text);
        }
        self.outline.fragments.push(Fragment { line, kind, text: text.to_owned() });
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
