//! Reads Markdown line by line and gives its blocks as soon as they can no longer change. It draws nothing.
//!
//! Blocks are found as CommonMark finds them: every line first continues or closes the open containers (quotes, list
//! items), then may open new ones, then belongs to a leaf. What is open is bounded, so text may come for ever.

use super::{
    inline::Markup,
    leaf::{ColumnAlign, Container, ContainerKind, ItemMarker, Leaf, MarkdownTable, PlacedLeaf},
    line::{self, ItemStart},
};
use std::{mem, ops::RangeInclusive};

/// Containers inside each other; deeper ones are text.
const MAX_DEPTH: usize = 8;
/// Bytes of a paragraph that is held together.
const MAX_PARAGRAPH_BYTES: usize = 16 << 10;
/// Rows of a table that decide how wide its columns are; later ones follow.
const MAX_ROWS: usize = 60;

#[derive(Clone, Debug)]
enum OpenContainer {
    Quote(u32),
    Item(ListItem),
}

#[derive(Clone, Debug)]
struct ListItem {
    id: u32,
    /// Columns before the text of the item.
    indent: usize,
    marker: ItemMarker,
    has_leaf: bool,
    first_line: u32,
}

#[derive(Clone, Debug, Default)]
enum OpenLeaf {
    #[default]
    Nothing,
    Paragraph {
        lines: Vec<String>,
        bytes: usize,
        first: u32,
        last: u32,
    },
    Fence {
        sign: char,
        length: usize,
        indent: usize,
    },
    Indented {
        /// Empty lines that belong to the code only if more of it follows.
        blank: usize,
    },
    Table {
        table: MarkdownTable,
        first: u32,
        last: u32,
    },
}

/// The cells of a row; what is too many for the table stays in sight, in the last one.
fn row(text: &str, columns: usize, markup: Markup) -> Vec<String> {
    let mut cells = line::cells(text, markup);
    if cells.len() > columns && columns > 0 {
        let rest = cells.split_off(columns - 1);
        cells.push(rest.join(" | "));
    }
    cells
}

/// The open blocks of a text that is still coming.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockParser {
    markup: Markup,
    line: u32,
    next_id: u32,
    open: Vec<OpenContainer>,
    held: OpenLeaf,
    /// The last number of each ordered list that is open, by depth, with its sign.
    numbers: Vec<Option<(char, u64)>>,
    is_apart: bool,
    /// A leaf was given before: what follows stands apart from something.
    has_given: bool,
    done: Vec<PlacedLeaf>,
}

impl BlockParser {
    pub(super) fn new(markup: Markup) -> BlockParser {
        BlockParser { markup, ..BlockParser::default() }
    }

    /// Takes a line without its end.
    pub(crate) fn push(&mut self, text: &str) {
        self.line = self.line.saturating_add(1);
        self.push_rest(text);
    }

    /// Takes another part of a line that is too long to be held together.
    pub(crate) fn push_rest(&mut self, text: &str) {
        let (matched, rest) = self.matching(text);
        if matched == self.open.len() && self.goes_on(&rest) {
            return;
        }
        let is_lazy = matched < self.open.len() && self.is_lazy(&rest);
        if is_lazy {
            self.add_to_paragraph(rest.trim_start());
            return;
        }
        if rest.trim().is_empty() {
            self.blank(matched);
            return;
        }
        self.close_to(matched);
        self.begin(rest);
    }

    /// Nothing more comes.
    pub(crate) fn finish(&mut self) {
        self.close_to(0);
        self.close_leaf();
    }

    pub(crate) fn take(&mut self) -> Vec<PlacedLeaf> {
        mem::take(&mut self.done)
    }

    /// How many open containers the line continues, and what is left of it.
    fn matching(&self, text: &str) -> (usize, String) {
        let mut rest = text.to_owned();
        let mut matched = 0;
        for open in &self.open {
            match open {
                OpenContainer::Quote(_) => match line::quoted(&rest) {
                    Some(inside) => rest = inside.to_owned(),
                    None => break,
                },
                OpenContainer::Item(item) if rest.trim().is_empty() => {
                    // An item that begins with an empty line ends with the next one.
                    if !item.has_leaf && matches!(self.held, OpenLeaf::Nothing) && self.line > item.first_line {
                        break;
                    }
                    rest = rest.get(item.indent..).unwrap_or_default().to_owned();
                }
                OpenContainer::Item(item) => match line::dedented(&rest, item.indent) {
                    Some(inside) => rest = inside.to_owned(),
                    None => break,
                },
            }
            matched += 1;
        }
        (matched, rest)
    }

    /// Whether the line belongs to the code or the table that is open.
    fn goes_on(&mut self, text: &str) -> bool {
        match &mut self.held {
            OpenLeaf::Fence { sign, length, indent } => {
                if line::closes_fence(text, *sign, *length) {
                    self.held = OpenLeaf::Nothing;
                    return true;
                }
                let code = text.get(line::indent(text).min(*indent)..).unwrap_or_default().to_owned();
                self.give(Leaf::Code(code), self.line..=self.line);
                true
            }
            OpenLeaf::Indented { blank } if text.trim().is_empty() => {
                *blank += 1;
                self.is_apart = true;
                true
            }
            OpenLeaf::Indented { blank } => {
                let Some(code) = line::dedented(text, 4).map(str::to_owned) else { return false };
                let blanks = mem::take(blank);
                self.is_apart = false;
                for back in (1..=u32::try_from(blanks).unwrap_or(0)).rev() {
                    let number = self.line.saturating_sub(back);
                    self.give(Leaf::Code(String::new()), number..=number);
                }
                self.give(Leaf::Code(code), self.line..=self.line);
                true
            }
            OpenLeaf::Table { table, last, .. } => {
                if text.trim().is_empty() || line::begins_block(text) {
                    return false;
                }
                table.rows.push(row(text, table.aligns.len(), self.markup));
                *last = self.line;
                if table.rows.len() >= MAX_ROWS {
                    self.give_table();
                }
                true
            }
            OpenLeaf::Nothing | OpenLeaf::Paragraph { .. } => false,
        }
    }

    /// A line of a paragraph that left out the signs of its containers.
    fn is_lazy(&self, text: &str) -> bool {
        matches!(self.held, OpenLeaf::Paragraph { .. }) && !text.trim().is_empty() && !line::begins_block(text)
    }

    fn blank(&mut self, matched: usize) {
        // A quote ends with an empty line; an item may go on after it.
        if self.open.iter().skip(matched).any(|open| matches!(open, OpenContainer::Quote(_))) {
            self.close_to(matched);
        } else {
            self.close_leaf();
            if matched < self.open.len() {
                self.close_to(matched);
            }
        }
        self.is_apart = true;
    }

    /// A line that continues nothing but the containers: it opens blocks or is part of a paragraph.
    fn begin(&mut self, text: String) {
        let mut text = text;
        while self.open.len() < MAX_DEPTH {
            let in_paragraph = matches!(self.held, OpenLeaf::Paragraph { .. });
            if line::indent(&text) >= 4 {
                break;
            }
            if let Some(inside) = line::quoted(&text).map(str::to_owned) {
                self.close_leaf();
                let id = self.id();
                self.open.push(OpenContainer::Quote(id));
                text = inside;
            } else if let Some(marker) = line::marker(&text).filter(|marker| !in_paragraph || marker.interrupts) {
                self.close_leaf();
                text = self.open_item(&marker);
            } else {
                break;
            }
        }
        self.leaf(&text);
    }

    fn open_item(&mut self, marker: &ItemStart) -> String {
        let depth = self.open.len();
        self.numbers.resize(depth + 1, None);
        let known = self.numbers.get(depth).copied().flatten();
        let number = match (marker.number, known) {
            // Where signs are kept, so are the numbers as they were written.
            (Some(_), Some((sign, last))) if sign == marker.sign && self.markup == Markup::Used => {
                Some(last.saturating_add(1))
            }
            (number, _) => number,
        };
        if let Some(slot) = self.numbers.get_mut(depth) {
            *slot = Some((marker.sign, number.unwrap_or(0)));
        }
        let (kind, text) = match (number, line::task(&marker.text)) {
            (Some(number), _) => (ItemMarker::Number(number, marker.sign), marker.text.clone()),
            (None, Some((is_done, text))) => (ItemMarker::Task { is_done }, text.to_owned()),
            (None, None) => (ItemMarker::Bullet, marker.text.clone()),
        };
        let id = self.id();
        self.open.push(OpenContainer::Item(ListItem {
            id,
            indent: marker.indent,
            marker: kind,
            has_leaf: false,
            first_line: self.line,
        }));
        text
    }

    fn leaf(&mut self, text: &str) {
        let here = self.line..=self.line;
        if text.trim().is_empty() {
            return;
        }
        if line::indent(text) >= 4 && !matches!(self.held, OpenLeaf::Paragraph { .. }) {
            let code = line::dedented(text, 4).unwrap_or_default().to_owned();
            self.close_leaf();
            self.give(Leaf::CodeBegins(String::new()), here.clone());
            self.give(Leaf::Code(code), here);
            self.held = OpenLeaf::Indented { blank: 0 };
            return;
        }
        if let OpenLeaf::Paragraph { lines, .. } = &self.held {
            if let (Some(level), true) = (line::underline(text), lines.iter().any(|line| !line.trim().is_empty())) {
                return self.underlined(level);
            }
            if let [header] = lines.as_slice()
                && let Some(sides) = line::sides(text)
                && header.contains('|')
                && line::cells(header, self.markup).len() == sides.len()
            {
                return self.begin_table(sides);
            }
        }
        if let Some((level, title)) = line::heading(text) {
            self.close_leaf();
            self.give(Leaf::Heading(level, title.to_owned()), here);
        } else if line::is_rule(text) {
            self.close_leaf();
            self.give(Leaf::Rule, here);
        } else if let Some((sign, length, language)) = line::fence(text) {
            self.close_leaf();
            self.give(Leaf::CodeBegins(language.to_owned()), here);
            self.held = OpenLeaf::Fence { sign, length, indent: line::indent(text) };
        } else {
            self.add_to_paragraph(text.trim_start());
        }
    }

    fn add_to_paragraph(&mut self, text: &str) {
        match &mut self.held {
            OpenLeaf::Paragraph { lines, bytes, last, .. } if *bytes + text.len() <= MAX_PARAGRAPH_BYTES => {
                *bytes += text.len();
                *last = self.line;
                lines.push(text.to_owned());
            }
            _ => {
                let goes_on = matches!(self.held, OpenLeaf::Paragraph { .. });
                self.close_leaf();
                self.is_apart &= !goes_on;
                let (lines, bytes) = (vec![text.to_owned()], text.len());
                self.held = OpenLeaf::Paragraph { lines, bytes, first: self.line, last: self.line };
            }
        }
    }

    fn underlined(&mut self, level: usize) {
        if let OpenLeaf::Paragraph { lines, first, .. } = mem::take(&mut self.held) {
            self.give(Leaf::Heading(level, lines.join(" ")), first..=self.line);
        }
    }

    fn begin_table(&mut self, sides: Vec<ColumnAlign>) {
        if let OpenLeaf::Paragraph { lines, first, .. } = mem::take(&mut self.held) {
            let header = lines.first().map(|line| line::cells(line, self.markup)).unwrap_or_default();
            let table =
                MarkdownTable { aligns: sides, header, rows: Vec::new(), first_row: self.line.saturating_add(1) };
            self.held = OpenLeaf::Table { table, first, last: self.line };
        }
    }

    /// Gives the rows so far; more may follow.
    fn give_table(&mut self) {
        let OpenLeaf::Table { table, first, last } = &mut self.held else { return };
        let sides = table.aligns.clone();
        let next =
            MarkdownTable { aligns: sides, header: Vec::new(), rows: Vec::new(), first_row: last.saturating_add(1) };
        let given = mem::replace(table, next);
        let source = *first..=*last;
        *first = last.saturating_add(1);
        self.give(Leaf::Table(given), source);
    }

    fn close_leaf(&mut self) {
        match mem::take(&mut self.held) {
            OpenLeaf::Paragraph { lines, first, last, .. } => self.give(Leaf::Paragraph(lines), first..=last),
            OpenLeaf::Table { table, first, last } => {
                if !table.rows.is_empty() || !table.header.is_empty() {
                    self.give(Leaf::Table(table), first..=last);
                }
            }
            OpenLeaf::Nothing | OpenLeaf::Fence { .. } | OpenLeaf::Indented { .. } => {}
        }
    }

    fn close_to(&mut self, depth: usize) {
        if depth >= self.open.len() {
            return;
        }
        self.close_leaf();
        while self.open.len() > depth {
            if let Some(OpenContainer::Item(item)) = self.open.last()
                && !item.has_leaf
            {
                let source = item.first_line..=item.first_line;
                self.give(Leaf::Empty, source);
            }
            self.open.pop();
        }
        // The list at this depth may go on with another item; those inside it may not.
        self.numbers.truncate(depth + 1);
    }

    fn give(&mut self, leaf: Leaf, source: RangeInclusive<u32>) {
        // Lists beside this leaf have ended.
        self.numbers.truncate(self.open.len());
        let frames = self.open.iter_mut().map(|open| match open {
            OpenContainer::Quote(id) => Container { id: *id, kind: ContainerKind::Quote },
            OpenContainer::Item(item) => {
                let is_first = !mem::replace(&mut item.has_leaf, true);
                Container { id: item.id, kind: ContainerKind::Item { marker: item.marker, is_first } }
            }
        });
        let frames = frames.collect();
        let is_apart = mem::take(&mut self.is_apart) && self.has_given;
        self.has_given = true;
        self.done.push(PlacedLeaf { source, containers: frames, leaf, is_apart });
    }

    fn id(&mut self) -> u32 {
        self.next_id = self.next_id.wrapping_add(1);
        self.next_id
    }
}
