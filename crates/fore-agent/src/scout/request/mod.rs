//! Takes a request apart: what to look for, and which kind of work it is. Never looks at the repository.

mod alike;
mod intent;
mod split;
mod stem;
mod stop;

pub(in crate::scout) use split::parts;
pub(in crate::scout) use stem::part_matches;
use stem::stem;

const NAME_WEIGHT: f64 = 2.5;
const QUOTED_WEIGHT: f64 = 2.5;
/// What each term keeps that is said after another.
const LATER: f64 = 0.97;
const PAIR_WEIGHT: f64 = 1.0;
/// What tells less is only used for the order of files.
const TOLD: f64 = 0.9;
const MAX_TOLD: usize = 8;

/// How many things are looked for.
pub(in crate::scout) const MAX_TERMS: usize = 40;
/// What stands behind this many bytes of a request is not read.
const MAX_READ_BYTES: usize = 4_000;

/// Something to look for.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::scout) struct Term {
    pub(in crate::scout) kind: TermKind,
    /// As you wrote it.
    pub(in crate::scout) said: String,
    /// The lower-case parts a name must have one after the other; empty where only the text itself counts.
    pub(in crate::scout) stems: Vec<String>,
    /// Stems of other spellings of a word: `configuration` is often `cfg`.
    pub(in crate::scout) alike: Vec<String>,
    /// How much it tells, before it is known how rare it is.
    pub(in crate::scout) weight: f64,
    /// How many terms were said before it.
    pub(in crate::scout) place: usize,
    /// Written like the name of a type within a sentence: `give Punctuated a retain`.
    pub(in crate::scout) is_proper: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::scout) enum TermKind {
    /// A file or folder.
    Path,
    /// An identifier.
    Name,
    /// Text in quotation marks.
    Quoted,
    /// Two words side by side, which are often one name.
    Pair,
    Word,
}

/// Which kind of work is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scout) enum WorkKind {
    Add,
    Fix,
    Rename,
    Remove,
    Deprecate,
    Speed,
    Test,
    Document,
    Restructure,
    Upgrade,
    Other,
}

/// A name that is to become another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::scout) struct Renaming {
    pub(in crate::scout) from: String,
    pub(in crate::scout) to: String,
    /// The old name is to stay as well.
    pub(in crate::scout) keeps_old: bool,
}

/// A request taken apart.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::scout) struct TaskRequest {
    pub(in crate::scout) work: WorkKind,
    /// It asks for an answer, not for a change.
    pub(in crate::scout) is_question: bool,
    /// It is about what can be imported from where.
    pub(in crate::scout) is_about_exports: bool,
    pub(in crate::scout) renaming: Option<Renaming>,
    pub(in crate::scout) terms: Vec<Term>,
}

impl TaskRequest {
    /// The first text is the task, the others are remarks on it, which count as much.
    pub(in crate::scout) fn read(texts: &[String]) -> TaskRequest {
        let task = texts.first().map(String::as_str).unwrap_or_default();
        let task = fore_text::cut::bytes(task, MAX_READ_BYTES);
        let renaming = intent::renaming(task);
        let mut terms: Vec<Term> = Vec::new();
        if let Some(renaming) = &renaming {
            terms.push(Term::name(&renaming.from));
        }
        for text in texts.iter().rev() {
            for (place, term) in split::terms(fore_text::cut::bytes(text, MAX_READ_BYTES)).into_iter().enumerate() {
                let term = Term { place, ..term };
                let is_new_name = |said: &Renaming| split::parts(&said.to) == term.stems && term.said == said.to;
                // Of a name that changes, `name` says nothing.
                let is_filler = renaming.is_some() && matches!(term.said.to_lowercase().as_str(), "name" | "names");
                if term.said.is_empty() || is_filler || renaming.as_ref().is_some_and(is_new_name) {
                    continue;
                }
                match terms.iter_mut().find(|held| held.is_same(&term)) {
                    Some(held) if term.kind < held.kind => *held = term,
                    Some(_) => {}
                    None => terms.push(term),
                }
            }
        }
        let work = if renaming.is_some() { WorkKind::Rename } else { intent::work(task) };
        let (is_question, is_about_exports) = (intent::is_question(task), intent::is_about_exports(task));
        TaskRequest { work, is_question, is_about_exports, renaming, terms: bounded(terms) }
    }

    /// What is worth telling you: the most telling terms, each once.
    pub(in crate::scout) fn told(&self) -> impl Iterator<Item = &Term> {
        let is_told = |term: &&Term| term.kind != TermKind::Pair && term.weight >= TOLD;
        self.terms.iter().filter(is_told).take(MAX_TOLD)
    }
}

/// The most telling first, words in the order in which they were said.
fn bounded(terms: Vec<Term>) -> Vec<Term> {
    let mut kept: Vec<Term> = Vec::new();
    for (kind, most) in
        [(TermKind::Path, 4), (TermKind::Name, 8), (TermKind::Quoted, 4), (TermKind::Word, 16), (TermKind::Pair, 8)]
    {
        kept.extend(terms.iter().filter(|term| term.kind == kind).take(most).cloned());
    }
    kept.truncate(MAX_TERMS);
    kept
}

impl Term {
    fn word(said: &str) -> Term {
        let lower = said.to_lowercase();
        let stems = vec![stem(&lower)];
        let alike = alike::spellings(&lower).into_iter().map(|word| stem(&word)).filter(|stem| !stems.contains(stem));
        let mut alike: Vec<String> = alike.collect();
        alike.dedup();
        Term { kind: TermKind::Word, said: said.to_owned(), alike, stems, weight: 1.0, place: 0, is_proper: false }
    }

    fn name(said: &str) -> Term {
        let (stems, alike) = (parts(said), Vec::new());
        Term {
            kind: TermKind::Name,
            said: said.to_owned(),
            stems,
            alike,
            weight: NAME_WEIGHT,
            place: 0,
            is_proper: true,
        }
    }

    fn path(said: &str) -> Term {
        let (stems, alike) = (Vec::new(), Vec::new());
        Term { kind: TermKind::Path, said: said.to_owned(), stems, alike, weight: 3.0, place: 0, is_proper: false }
    }

    fn quoted(said: &str) -> Term {
        let (stems, alike) = (Vec::new(), Vec::new());
        Term {
            kind: TermKind::Quoted,
            said: said.to_owned(),
            stems,
            alike,
            weight: QUOTED_WEIGHT,
            place: 0,
            is_proper: false,
        }
    }

    fn pair(first: &Term, second: &Term) -> Term {
        let stems = first.stems.iter().chain(&second.stems).cloned().collect();
        let said = format!("{} {}", first.said, second.said);
        Term { kind: TermKind::Pair, said, stems, alike: Vec::new(), weight: PAIR_WEIGHT, place: 0, is_proper: false }
    }

    fn times(self, share: f64) -> Term {
        Term { weight: self.weight * share, ..self }
    }

    /// How much it tells where it was said: a request begins with what it is about.
    pub(in crate::scout) fn telling(&self) -> f64 {
        self.weight * LATER.powi(i32::try_from(self.place).unwrap_or(i32::MAX))
    }

    fn is_same(&self, other: &Term) -> bool {
        let is_text = self.stems.is_empty() || other.stems.is_empty();
        self.said.eq_ignore_ascii_case(&other.said) || !is_text && self.stems == other.stems
    }

    /// Whether a name, already split into its parts, has this term in it.
    pub(in crate::scout) fn is_in(&self, parts: &[String]) -> bool {
        !self.stems.is_empty() && parts.windows(self.stems.len()).any(|window| self.matches(window))
            || self.kind == TermKind::Pair && parts.contains(&self.said.to_lowercase().replace(' ', ""))
    }

    /// Whether a name is this term and nothing else.
    pub(in crate::scout) fn is_all_of(&self, parts: &[String]) -> bool {
        !self.stems.is_empty() && parts.len() == self.stems.len() && self.matches(parts)
            || self.kind == TermKind::Pair
                && parts.len() == 1
                && parts.first() == Some(&self.said.to_lowercase().replace(' ', ""))
    }

    fn matches(&self, window: &[String]) -> bool {
        window.iter().zip(&self.stems).all(|(part, stem)| match self.kind {
            TermKind::Path | TermKind::Name | TermKind::Quoted => part == stem,
            TermKind::Pair => part_matches(part, stem),
            TermKind::Word => part_matches(part, stem) || self.alike.iter().any(|other| part_matches(part, other)),
        })
    }
}

#[cfg(test)]
mod tests;
