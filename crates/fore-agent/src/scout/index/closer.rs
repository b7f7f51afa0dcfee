//! A closer look at one file: which of its definitions the request is about, and how it relates to the names that were said.

use super::query::Query;
use super::structure::{DefinedRange, Structure};
use crate::scout::request::{TermKind, parts};
use crate::scout::source::{FileKind, defined};
use std::collections::BTreeMap;

/// Lines of code outside of every definition are read in pieces of this length.
const PIECE: usize = 40;
/// A longer definition is read in pieces.
const MAX_PIECE: usize = 120;
/// What a word in a comment counts of one in code.
const PROSE: f64 = 0.7;
/// A line of source is not shown beyond this.
const MAX_TEXT_BYTES: usize = 300;

/// A place where something is defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::scout) struct Definition {
    pub(in crate::scout) path: String,
    pub(in crate::scout) line: u64,
    pub(in crate::scout) name: String,
    pub(in crate::scout) text: String,
    /// Within the tests of the file.
    pub(in crate::scout) is_test: bool,
}

/// How a file relates to a name that was said, the closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::scout) enum Relation {
    Defines,
    /// Takes it from elsewhere; in a file that is the index of a package this hands it on.
    Imports,
    Uses,
    /// Only in comments and documentation.
    Mentions,
}

/// What one file holds.
#[derive(Clone, Debug, Default)]
pub(in crate::scout) struct CloserLook {
    /// In the order of the file.
    pub(in crate::scout) definitions: Vec<Definition>,
    /// The pieces of the file with what was found in each: by term, how often.
    pub(in crate::scout) pieces: Vec<Piece>,
    /// For each term, the closest relation and its first line.
    pub(in crate::scout) relations: BTreeMap<usize, (Relation, u64)>,
    pub(in crate::scout) has_tests: bool,
}

/// A function, or some lines outside of all of them.
#[derive(Clone, Debug, Default)]
pub(in crate::scout) struct Piece {
    pub(in crate::scout) name: Option<String>,
    /// Within the tests of the file.
    pub(in crate::scout) is_test: bool,
    pub(in crate::scout) first: usize,
    pub(in crate::scout) last: usize,
    pub(in crate::scout) found: BTreeMap<usize, f64>,
}

impl CloserLook {
    pub(in crate::scout) fn at(path: &str, text: &str, query: &Query) -> CloserLook {
        let lines: Vec<&str> = text.lines().collect();
        let is_written = matches!(FileKind::of(path), FileKind::Documentation | FileKind::Paper);
        // What people write for people defines nothing, however its lines begin.
        let structure = match Structure::of(path, text) {
            Some(structure) => structure,
            None if is_written => Structure::default(),
            None => by_lines(&lines),
        };
        let definitions: Vec<Definition> = structure
            .definitions
            .iter()
            .filter_map(|held| {
                let text = (*lines.get(held.first.checked_sub(1)?)?).to_owned();
                let is_test = structure.is_within_tests(held);
                let (path, line, name) = (path.to_owned(), held.first as u64, held.name.clone());
                Some(Definition {
                    path,
                    line,
                    name,
                    text: fore_text::cut::bytes(&text, MAX_TEXT_BYTES).to_owned(),
                    is_test,
                })
            })
            .collect();
        let mut look = CloserLook {
            definitions,
            pieces: pieces(&structure, lines.len()),
            relations: BTreeMap::new(),
            has_tests: text.contains("#[cfg(test)]"),
        };
        look.find(text, path, query, &structure, is_written);
        look
    }

    fn find(&mut self, text: &str, path: &str, query: &Query, structure: &Structure, is_written: bool) {
        let starts = line_starts(text);
        let lines: Vec<&str> = text.lines().collect();
        for hit in query.hits(text) {
            let line = starts.partition_point(|start| *start <= hit.at);
            let prose = is_written || structure.is_prose(line);
            // Innermost first.
            let piece = self.pieces.iter_mut().filter(|piece| (piece.first..=piece.last).contains(&line));
            if let Some(piece) = piece.min_by_key(|piece| piece.last - piece.first) {
                *piece.found.entry(hit.term).or_default() += if prose { PROSE * hit.strength } else { hit.strength };
            }
            let said = query.terms.get(hit.term);
            let is_definition = || {
                structure
                    .definitions
                    .iter()
                    .any(|held| held.first == line && said.is_some_and(|term| term.is_all_of(&parts(&held.name))))
            };
            let relation = match () {
                () if hit.strength < 1.0 && said.is_some_and(|term| term.kind == TermKind::Name) => continue,
                () if prose => Relation::Mentions,
                () if structure.is_import(line) && is_handed_on(path, &lines, line) => Relation::Imports,
                () if is_definition() => Relation::Defines,
                () => Relation::Uses,
            };
            let held = self.relations.entry(hit.term).or_insert((relation, line as u64));
            if relation < held.0 {
                *held = (relation, line as u64);
            }
        }
    }
}

/// In Rust only `pub use` hands on what it takes; the statement may have begun on a line above.
fn is_handed_on(path: &str, lines: &[&str], line: usize) -> bool {
    let above = lines.get(..line).unwrap_or_default().iter().rev().map(|text| text.trim_start());
    let begins = |text: &&str| text.starts_with("use ") || text.starts_with("pub");
    !path.ends_with(".rs") || above.take(MAX_PIECE).find(begins).is_some_and(|text| text.starts_with("pub"))
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0)
        .chain(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1))
        .collect()
}

/// Where no grammar knows the language: a definition reaches to the next one.
fn by_lines(lines: &[&str]) -> Structure {
    let mut structure = Structure::default();
    for (number, line) in (1..).zip(lines) {
        if let Some(name) = defined(line) {
            if let Some(last) = structure.definitions.last_mut() {
                last.last = number - 1;
            }
            let name = name.to_owned();
            structure.definitions.push(DefinedRange { name, first: number, last: number, is_container: false });
        }
    }
    if let Some(last) = structure.definitions.last_mut() {
        last.last = lines.len();
    }
    structure
}

/// The definitions that hold no others, with the comment above them, and the rest in pieces.
fn pieces(structure: &Structure, lines: usize) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut cuts: Vec<(usize, usize, &str)> = structure
        .definitions
        .iter()
        .filter(|held| !held.is_container && held.last > held.first)
        .map(|held| (held.first, held.last, held.name.as_str()))
        .collect();
    cuts.sort();
    let mut next = 1;
    for (first, last, name) in cuts {
        if last < next {
            continue;
        }
        // Documentation stands above what it is about.
        let mut above = first;
        while above > next.max(1) && structure.is_prose(above - 1) {
            above -= 1;
        }
        fill(&mut pieces, next, above.saturating_sub(1), None);
        fill(&mut pieces, above.max(next), last, Some(name));
        next = last + 1;
    }
    fill(&mut pieces, next, lines.max(1), None);
    for piece in &mut pieces {
        let holds = |held: &&DefinedRange| held.is_container && held.first <= piece.last && piece.last <= held.last;
        let holder = structure.definitions.iter().filter(holds).min_by_key(|held| held.last - held.first);
        piece.is_test = holder.is_some_and(|held| structure.is_within_tests(held));
    }
    pieces
}

fn fill(pieces: &mut Vec<Piece>, first: usize, last: usize, name: Option<&str>) {
    let size = if name.is_some() { MAX_PIECE } else { PIECE };
    let mut from = first;
    while from <= last {
        let to = (from + size - 1).min(last);
        pieces.push(Piece { name: name.map(str::to_owned), first: from, last: to, ..Piece::default() });
        from = to + 1;
    }
}
