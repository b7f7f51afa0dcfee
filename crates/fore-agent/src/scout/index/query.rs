//! What a request looks for, made ready to be found in any text in one pass.

use crate::scout::request::{TaskRequest, Term, TermKind, part_matches};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::ops::Range;

/// A name that only contains the name that was said.
const PART_OF_NAME: f64 = 0.35;

/// The terms of a request with one automaton that finds all of them.
#[derive(Debug)]
pub(in crate::scout) struct Query {
    pub(in crate::scout) terms: Vec<Term>,
    automaton: Option<AhoCorasick>,
    /// The term of each pattern, and how it is found there.
    patterns: Vec<(usize, PatternKind)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PatternKind {
    /// Where a part of a name begins, with any usual ending.
    Part,
    /// A name, in one of its spellings.
    Whole,
    /// Anywhere.
    Text,
}

/// A place where a term was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::scout) struct Hit {
    pub(in crate::scout) term: usize,
    pub(in crate::scout) at: usize,
    pub(in crate::scout) end: usize,
    /// 1 where it is the term itself.
    pub(in crate::scout) strength: f64,
}

impl Query {
    pub(in crate::scout) fn of(request: &TaskRequest) -> Query {
        let terms = request.terms.clone();
        let mut texts: Vec<String> = Vec::new();
        let mut patterns = Vec::new();
        for (at, term) in terms.iter().enumerate() {
            for (text, kind) in spellings(term) {
                texts.push(text);
                patterns.push((at, kind));
            }
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(&texts)
            .ok();
        Query { terms, automaton, patterns }
    }

    /// Every place where a term stands, in the order of their ends.
    pub(in crate::scout) fn hits(&self, text: &str) -> Vec<Hit> {
        let Some(automaton) = &self.automaton else { return Vec::new() };
        let bytes = text.as_bytes();
        let mut hits: Vec<Hit> = Vec::new();
        for found in automaton.find_overlapping_iter(bytes) {
            let Some((term, kind)) = self.patterns.get(found.pattern().as_usize()).copied() else { continue };
            let Some(said) = self.terms.get(term) else { continue };
            let hit = match kind {
                PatternKind::Text => Some((found.end(), 1.0)),
                PatternKind::Whole => whole(bytes, found.range()),
                PatternKind::Part => part(bytes, found.range(), said),
            };
            let Some((end, strength)) = hit else { continue };
            let new = Hit { term, at: found.start(), end, strength };
            // Of several spellings that end together, one counts.
            match hits.iter_mut().rev().take(4).find(|held| held.term == term && held.at < end && new.at < held.end) {
                Some(held) if held.strength < strength => *held = new,
                Some(_) => {}
                None => hits.push(new),
            }
        }
        self.pairs(&mut hits);
        hits
    }

    /// Two words of a pair side by side: `connection pool`, `connectionPool`, `connection_pool`.
    fn pairs(&self, hits: &mut Vec<Hit>) {
        let mut found = Vec::new();
        for (at, term) in self.terms.iter().enumerate().filter(|(_, term)| term.kind == TermKind::Pair) {
            let [first, second] = term.stems.as_slice() else { continue };
            let word = |stem: &String| {
                self.terms.iter().position(|term| term.kind == TermKind::Word && term.stems.first() == Some(stem))
            };
            let (Some(first), Some(second)) = (word(first), word(second)) else { continue };
            let mut last: Option<&Hit> = None;
            for hit in hits.iter() {
                if let Some(before) = last.filter(|before| hit.term == second && hit.at >= before.end)
                    && hit.at - before.end <= 1
                {
                    found.push(Hit { term: at, at: before.at, end: hit.end, strength: 1.0 });
                }
                if hit.term == first {
                    last = Some(hit);
                }
            }
        }
        hits.extend(found);
    }
}

fn spellings(term: &Term) -> Vec<(String, PatternKind)> {
    let stems = &term.stems;
    match term.kind {
        // A path of the system is text that code has in it.
        TermKind::Path if term.said.starts_with('/') => vec![(term.said.clone(), PatternKind::Text)],
        TermKind::Path => Vec::new(),
        TermKind::Quoted => vec![(term.said.clone(), PatternKind::Text)],
        // Written as one word; side by side they are found as words.
        TermKind::Pair => {
            vec![(term.said.to_lowercase().replace(' ', ""), PatternKind::Part)]
        }
        TermKind::Word => {
            let own = stems.first().cloned().into_iter();
            own.chain(term.alike.iter().cloned()).map(|stem| (stem, PatternKind::Part)).collect()
        }
        TermKind::Name => {
            let mut all: Vec<String> = ["_", "", "-"].iter().map(|joint| stems.join(joint)).collect();
            all.dedup();
            all.into_iter().filter(|name| !name.is_empty()).map(|name| (name, PatternKind::Whole)).collect()
        }
    }
}

fn is_in_name(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
}

/// Whether a part of a name begins here.
fn begins(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| bytes.get(at));
    let (here, after) = (bytes.get(at), bytes.get(at + 1));
    let is_upper = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_uppercase);
    let is_lower = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_lowercase);
    !is_in_name(before)
        || before.is_some_and(u8::is_ascii_digit) && !here.is_some_and(u8::is_ascii_digit)
        || is_upper(here) && (!is_upper(before) || is_lower(after))
}

/// Where the part of a name that begins here ends.
fn part_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    // The first letters may be one block of capitals: `HTTPServer` ends behind `HTTP`.
    while is_in_name(bytes.get(end)) && !(begins(bytes, end)) {
        end += 1;
    }
    end
}

fn whole(bytes: &[u8], range: Range<usize>) -> Option<(usize, f64)> {
    let (start, end) = (range.start, range.end);
    let is_joined = |byte: Option<&u8>| is_in_name(byte) || byte == Some(&b'_');
    let before = start.checked_sub(1).and_then(|at| bytes.get(at));
    let strips = before == Some(&b'_') && !is_in_name(start.checked_sub(2).and_then(|at| bytes.get(at)));
    if (!is_joined(before) || strips) && !is_joined(bytes.get(end)) {
        return Some((end, 1.0));
    }
    let ends = !is_in_name(bytes.get(end)) || begins(bytes, end);
    (begins(bytes, start) && ends).then_some((end, PART_OF_NAME))
}

fn part(bytes: &[u8], range: Range<usize>, term: &Term) -> Option<(usize, f64)> {
    if !begins(bytes, range.start) {
        return None;
    }
    let end = part_end(bytes, range.start).max(range.end);
    let (part, stem) = (bytes.get(range.start..end)?, bytes.get(range)?);
    let (part, stem) = (std::str::from_utf8(part).ok()?, std::str::from_utf8(stem).ok()?);
    // Most are lower-case already.
    if part.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return matched(part, stem, term, end);
    }
    matched(&part.to_lowercase(), &stem.to_lowercase(), term, end)
}

fn matched(part: &str, stem: &str, term: &Term, end: usize) -> Option<(usize, f64)> {
    let is_own = term.kind == TermKind::Pair || term.stems.first().is_some_and(|own| own == stem);
    part_matches(part, stem).then_some((end, if is_own { 1.0 } else { 0.7 }))
}
