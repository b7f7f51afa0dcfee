//! How well a file fits a request: by its words as a whole, by its best function, by its name and by what it defines.

use super::index::{CloserLook, FileCount, FileCounts, Piece, Query, Relation};
use super::request::{TaskRequest, Term, TermKind, WorkKind, parts};
use super::source::{FileKind, subject};

/// How much each kind of sign counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    /// Words of the whole file.
    pub(super) whole: f64,
    /// Words of its best function.
    pub(super) piece: f64,
    /// The second best function, as a share of the best.
    pub(super) second: f64,
    pub(super) subject: f64,
    pub(super) in_name: f64,
    pub(super) in_folder: f64,
    pub(super) defines: f64,
    pub(super) defines_part: f64,
    /// A name of a function that has a term in it, within the best function.
    pub(super) piece_name: f64,
    /// Defines what is written like the name of a type, in the same letters.
    pub(super) defines_proper: f64,
    /// What a function within the tests of a file keeps.
    pub(super) test: f64,
    /// How much length counts against a file, and against a function.
    pub(super) length: f64,
    pub(super) piece_length: f64,
    /// How soon more of the same counts no more.
    pub(super) soon: f64,
    pub(super) piece_soon: f64,
    /// Several terms in one place count more than their sum.
    pub(super) cover: f64,
    pub(super) package_index: f64,
    /// What a piece outside of every definition keeps.
    pub(super) outside: f64,
    /// A rarer word is as often one that has nothing to do with code.
    pub(super) rarest: f64,
    /// What a file that only hands on what others define keeps, and one that only declares.
    pub(super) package_index_share: f64,
    pub(super) declaration_share: f64,
    /// What the index of a package gains when a request is about what can be imported from it.
    pub(super) exports: f64,
}

pub(super) const WEIGHTS: Weights = Weights {
    whole: 1.0,
    piece: 1.0,
    second: 0.3,
    subject: 1.2,
    in_name: 0.8,
    in_folder: 0.25,
    defines: 1.5,
    defines_part: 0.3,
    piece_name: 0.6,
    defines_proper: 1.0,
    test: 0.3,
    length: 0.6,
    piece_length: 0.35,
    soon: 1.4,
    piece_soon: 1.0,
    cover: 0.5,
    package_index: 0.8,
    outside: 0.75,
    rarest: 4.0,
    package_index_share: 0.85,
    declaration_share: 0.5,
    exports: 1.8,
};

/// What a file scores that is named with its path.
pub(super) const NAMED: f64 = 1000.0;
const IN_NAMED_FOLDER: f64 = 12.0;
/// How long a function usually is.
const USUAL_LINES: f64 = 25.0;

/// How telling each term is among the files of a project.
#[derive(Clone, Debug)]
pub(super) struct Rarity {
    /// In texts.
    text: Vec<f64>,
    /// In names of files.
    name: Vec<f64>,
    /// As what is defined, by how few files define it.
    defined: Vec<f64>,
    average_bytes: f64,
}

impl Rarity {
    pub(super) fn of(query: &Query, counts: &FileCounts, weights: &Weights) -> Rarity {
        let is_code = |file: &&FileCount| matches!(file.kind, FileKind::Source | FileKind::Test | FileKind::Example);
        let code: Vec<&FileCount> = counts.files.iter().filter(is_code).collect();
        let all = code.len().max(1) as f64;
        let rare =
            |held: usize| (1.0 + (all - held as f64 + 0.5).max(0.0) / (held as f64 + 0.5)).ln().min(weights.rarest);
        let terms = query.terms.iter().enumerate();
        let in_text =
            |at: usize| code.iter().filter(|file| file.found.get(at).is_some_and(|found| *found > 0.0)).count();
        let in_name = |term: &Term| code.iter().filter(|file| PathPart::of(term, &file.path).is_some()).count();
        let (text, name) = terms.map(|(at, term)| (rare(in_text(at)), rare(in_name(term)))).unzip();
        let bytes: usize = code.iter().map(|file| file.own_bytes).sum();
        Rarity { text, name, defined: Vec::new(), average_bytes: (bytes as f64 / all).max(1.0) }
    }

    /// Once the likely files were read: a name that many files have tells much about the one that defines it.
    pub(super) fn learn<'a>(
        &mut self,
        query: &Query,
        looks: impl Iterator<Item = &'a CloserLook> + Clone,
        weights: &Weights,
    ) {
        let all = looks.clone().count() as f64;
        let by_term = |term: &Term| {
            let held =
                looks.clone().filter(|look| look.definitions.iter().any(|held| is_proper(term, &held.name))).count();
            let held = held as f64;
            (1.0 + (all - held + 0.5).max(0.0) / (held + 0.5)).ln().min(weights.rarest)
        };
        self.defined = query.terms.iter().map(by_term).collect();
    }

    fn defined(&self, term: usize) -> f64 {
        self.defined.get(term).copied().unwrap_or_default()
    }

    fn text(&self, term: usize) -> f64 {
        self.text.get(term).copied().unwrap_or_default()
    }

    fn name(&self, term: usize) -> f64 {
        self.name.get(term).copied().unwrap_or_default()
    }
}

/// Which part of a path a term is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathPart {
    Subject,
    Name,
    Folder,
}

impl PathPart {
    pub(super) fn of(term: &Term, path: &str) -> Option<PathPart> {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let name = parts(stem);
        if term.is_all_of(&parts(subject(path))) || term.is_all_of(&name) {
            Some(PathPart::Subject)
        } else if term.is_in(&name) {
            Some(PathPart::Name)
        } else if folders.split('/').any(|folder| term.is_in(&parts(folder))) {
            Some(PathPart::Folder)
        } else {
            None
        }
    }
}

/// What the words and the name of a file say; the files worth a closer look score most.
pub(super) fn coarse(query: &Query, rarity: &Rarity, file: &FileCount, weights: &Weights) -> f64 {
    let mut score = 0.0;
    for (at, term) in query.terms.iter().enumerate() {
        let found = file.found.get(at).copied().unwrap_or_default();
        let length = 1.0 - weights.length + weights.length * file.own_bytes as f64 / rarity.average_bytes;
        let often = found * (weights.soon + 1.0) / (found + weights.soon * length);
        score += weights.whole * term.telling() * rarity.text(at) * often;
        score += path_score(rarity, at, term, &file.path, weights);
    }
    score
}

fn path_score(rarity: &Rarity, at: usize, term: &Term, path: &str, weights: &Weights) -> f64 {
    if term.kind == TermKind::Path {
        let folder = format!("{}/", term.said);
        return match () {
            () if is_meant(&term.said, path) => NAMED,
            () if path.starts_with(&folder) || path.contains(&format!("/{folder}")) => IN_NAMED_FOLDER,
            () => 0.0,
        };
    }
    let share = match PathPart::of(term, path) {
        Some(PathPart::Subject) => weights.subject,
        Some(PathPart::Name) => weights.in_name,
        Some(PathPart::Folder) => weights.in_folder,
        None => 0.0,
    };
    share * term.telling() * rarity.name(at)
}

/// Whether a path in a request may mean this file.
pub(super) fn is_meant(said: &str, path: &str) -> bool {
    let is_tail =
        |long: &str, short: &str| long == short || long.strip_suffix(short).is_some_and(|before| before.ends_with('/'));
    // What stands at the root of the system is no file that happens to end alike.
    match said.strip_prefix('/') {
        None => is_tail(path, said) || is_tail(said, path),
        Some(inner) => is_tail(said, path) || is_installed(inner, path),
    }
}

/// Whether a path from the root names the file where it was installed: `/usr/lib/shop/cart.py` is `src/shop/cart.py`.
fn is_installed(said: &str, path: &str) -> bool {
    let (said, path) = (said.rsplit('/'), path.rsplit('/'));
    let alike = said.clone().zip(path).take_while(|(one, other)| one == other).count();
    alike >= 2 && alike < said.count()
}

/// How well one function fits.
pub(super) fn piece_score(query: &Query, rarity: &Rarity, piece: &Piece, weights: &Weights) -> f64 {
    let lines = (piece.last + 1 - piece.first) as f64;
    let length = 1.0 - weights.piece_length + weights.piece_length * lines / USUAL_LINES;
    let name = piece.name.as_deref().map(parts).unwrap_or_default();
    let (mut sum, mut square) = (0.0, 0.0);
    for (at, found) in &piece.found {
        let Some(term) = query.terms.get(*at) else { continue };
        let often = found * (weights.piece_soon + 1.0) / (found + weights.piece_soon * length);
        let in_name = if term.is_in(&name) { weights.piece_name } else { 0.0 };
        let gain = term.telling() * rarity.text(*at) * (often + in_name);
        sum += gain;
        square += gain * gain;
    }
    // One term alone covers little, however rare it is.
    let even = if square > 0.0 { sum * sum / square } else { 1.0 };
    let share = if piece.name.is_some() { 1.0 } else { weights.outside };
    let share = if piece.is_test { weights.test * share } else { share };
    share * sum * (1.0 + weights.cover * even.max(1.0).ln())
}

/// What a closer look adds.
pub(super) fn fine(query: &Query, rarity: &Rarity, look: &CloserLook, path: &str, weights: &Weights) -> f64 {
    let mut best: Vec<f64> = look.pieces.iter().map(|piece| piece_score(query, rarity, piece, weights)).collect();
    best.sort_by(|a, b| b.total_cmp(a));
    let mut score = weights.piece * (best.first().unwrap_or(&0.0) + weights.second * best.get(1).unwrap_or(&0.0));
    let own = look.definitions.iter().filter(|held| !held.is_test);
    let names: Vec<Vec<String>> = own.clone().map(|held| parts(&held.name)).collect();
    for (at, term) in query.terms.iter().enumerate() {
        let is_whole = names.iter().any(|name| term.is_all_of(name));
        let is_part = names.iter().any(|name| term.is_in(name));
        let share = match (is_whole, is_part) {
            (true, _) => weights.defines,
            (false, true) => weights.defines_part,
            (false, false) => 0.0,
        };
        score += share * term.telling() * rarity.text(at);
        if own.clone().any(|held| is_proper(term, &held.name)) {
            score += weights.defines_proper * term.telling() * rarity.defined(at);
        }
        let hands_on = term.kind == TermKind::Name
            && is_package_index(path)
            && look.relations.get(&at).is_some_and(|(relation, _)| *relation == Relation::Imports);
        if hands_on {
            score += weights.package_index * term.telling() * rarity.text(at);
        }
    }
    score
}

/// Whether a term is written exactly like a name.
fn is_proper(term: &Term, name: &str) -> bool {
    term.is_proper && term.said == name
}

/// The file through which others use a package.
pub(super) fn is_package_index(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "__init__.py" | "__init__.pyi" | "lib.rs" | "mod.rs" | "prelude.rs")
        || name.starts_with("index.") && !name.ends_with(".html")
}

/// How much of its score a file keeps: tests count when tests are asked for.
pub(super) fn share(file: &FileCount, request: &TaskRequest, weights: &Weights) -> f64 {
    let by_kind = match (file.kind, request.work) {
        (FileKind::Test, WorkKind::Test) | (FileKind::Documentation, WorkKind::Document) => 1.0,
        (FileKind::Settings, WorkKind::Upgrade) => 1.0,
        (kind, _) => kind.share(),
    };
    let is_declaration = file.path.ends_with(".d.ts") || file.path.ends_with(".pyi");
    match () {
        () if is_declaration => by_kind * weights.declaration_share,
        () if is_package_index(&file.path) && request.is_about_exports => by_kind * weights.exports,
        () if is_package_index(&file.path) => by_kind * weights.package_index_share,
        () => by_kind,
    }
}

#[cfg(test)]
#[path = "score_tests.rs"]
mod tests;
