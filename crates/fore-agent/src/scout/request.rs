//! Takes a request apart: what to look for, and which kind of work it is. Never looks at the repository.

mod split;
mod stem;
mod stop;

pub(super) use split::parts;
use stem::{ENDINGS, part_matches, stem};

/// How many things are looked for.
pub(super) const MAX_TERMS: usize = 8;
/// What stands behind this many bytes of a request is not read.
const MAX_READ_BYTES: usize = 4_000;
/// How many neighbours are taken for one name.
const MAX_PAIRS: usize = 3;

/// Something to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) kind: TermKind,
    /// As the person wrote it.
    pub(super) said: String,
    /// The lower-case parts a name must have one after the other; empty where only the text itself counts.
    pub(super) stems: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TermKind {
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
pub(super) enum WorkKind {
    Add,
    Fix,
    Rename,
    Remove,
    Speed,
    Test,
    Document,
    Restructure,
    Upgrade,
    Other,
}

/// A request taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TaskRequest {
    pub(super) work: WorkKind,
    pub(super) terms: Vec<Term>,
}

impl TaskRequest {
    /// The first text is the task, the others are remarks on it, which count as much.
    pub(super) fn read(texts: &[String]) -> TaskRequest {
        let mut terms: Vec<Term> = Vec::new();
        for text in texts.iter().rev() {
            let text = text.get(..text.floor_char_boundary(MAX_READ_BYTES)).unwrap_or_default();
            for term in split::terms(text) {
                match terms.iter_mut().find(|held| held.is_same(&term)) {
                    Some(held) if term.kind < held.kind => *held = term,
                    Some(_) => {}
                    None => terms.push(term),
                }
            }
        }
        let task = texts.first().map(String::as_str).unwrap_or_default();
        TaskRequest { work: stop::work(task), terms: bounded(terms) }
    }
}

/// The most telling first, words in the order in which they were said.
fn bounded(terms: Vec<Term>) -> Vec<Term> {
    let mut kept: Vec<Term> = Vec::new();
    for kind in [TermKind::Path, TermKind::Name, TermKind::Quoted] {
        kept.extend(terms.iter().filter(|term| term.kind == kind).take(4).cloned());
    }
    let pairs = terms.iter().filter(|term| term.kind == TermKind::Pair);
    let words = terms.iter().filter(|term| term.kind == TermKind::Word);
    kept.truncate(MAX_TERMS - 2);
    let room = MAX_TERMS - kept.len();
    let pairs: Vec<Term> = pairs.take(MAX_PAIRS.min(room / 2)).cloned().collect();
    kept.extend(words.take(room - pairs.len()).cloned());
    kept.extend(pairs);
    kept
}

impl Term {
    fn word(said: &str) -> Term {
        Term { kind: TermKind::Word, said: said.to_owned(), stems: vec![stem(&said.to_lowercase())] }
    }

    fn name(said: &str) -> Term {
        let stems = parts(said);
        Term { kind: TermKind::Name, said: said.to_owned(), stems }
    }

    fn pair(first: &Term, second: &Term) -> Term {
        let stems = first.stems.iter().chain(&second.stems).cloned().collect();
        Term { kind: TermKind::Pair, said: format!("{} {}", first.said, second.said), stems }
    }

    fn is_same(&self, other: &Term) -> bool {
        self.stems == other.stems && (!self.stems.is_empty() || self.said == other.said)
    }

    /// How much it tells, before it is known how rare it is.
    pub(super) fn weight(&self) -> f64 {
        match self.kind {
            TermKind::Path => 3.0,
            TermKind::Name => 2.0,
            TermKind::Quoted => 1.6,
            TermKind::Pair => 1.8,
            TermKind::Word => 1.0,
        }
    }

    /// Whether a name, already split into its parts, has this term in it.
    pub(super) fn is_in(&self, parts: &[String]) -> bool {
        !self.stems.is_empty() && parts.windows(self.stems.len()).any(|window| self.matches(window))
    }

    /// Whether a name is this term and nothing else.
    pub(super) fn is_all_of(&self, parts: &[String]) -> bool {
        !self.stems.is_empty() && parts.len() == self.stems.len() && self.matches(parts)
    }

    fn matches(&self, window: &[String]) -> bool {
        window.iter().zip(&self.stems).all(|(part, stem)| match self.kind {
            TermKind::Path | TermKind::Name | TermKind::Quoted => part == stem,
            TermKind::Pair | TermKind::Word => part_matches(part, stem),
        })
    }

    /// A regular expression for the term in running text; a path is not looked for there.
    pub(super) fn pattern(&self) -> Option<String> {
        let pattern = match (self.kind, self.stems.as_slice()) {
            (TermKind::Path, _) => return None,
            (TermKind::Quoted, _) | (_, []) => escaped(&self.said),
            (TermKind::Word, [only]) => word_pattern(only),
            (TermKind::Word | TermKind::Pair, stems) => {
                let stems: Vec<String> = stems.iter().map(|stem| format!("{}(?:{ENDINGS})?", escaped(stem))).collect();
                format!("(?i){}", stems.join("[_ -]?"))
            }
            (TermKind::Name, stems) => {
                let stems: Vec<String> = stems.iter().map(|stem| escaped(stem)).collect();
                format!("(?i)\\b{}\\b", stems.join("[_-]?"))
            }
        };
        Some(self.quick(pattern))
    }

    /// Letters beyond ASCII cost a search several times as much; without them in the term nothing is lost.
    fn quick(&self, pattern: String) -> String {
        if self.stems.iter().all(|stem| stem.is_ascii()) && !self.stems.is_empty() {
            format!("(?-u){pattern}")
        } else {
            pattern
        }
    }

    /// A regular expression for lines that define something with the term in its name.
    pub(super) fn definition(&self) -> Option<String> {
        if self.stems.is_empty() || matches!(self.kind, TermKind::Path | TermKind::Quoted) {
            return None;
        }
        let stems: Vec<String> = self.stems.iter().map(|stem| escaped(stem)).collect();
        let name = format!("\\w*(?i:{})", stems.join("\\w{0,4}[_-]?"));
        let keywords = super::source::KEYWORDS.join("|");
        Some(self.quick(format!(
            "\\b(?:{keywords})\\s+(?:\\([^)]*\\)\\s*)?{name}|\\b(?:public|private|protected|internal)\\s[\\w<>\\[\\], ]*\\b{name}\\w*\\s*\\("
        )))
    }

    /// A pattern for Glob that finds files and folders with the term in their name.
    pub(super) fn glob(&self) -> Option<String> {
        let stems: Vec<String> = self.stems.iter().map(|stem| any_case(stem)).collect();
        match self.kind {
            TermKind::Quoted => None,
            TermKind::Path => {
                let name = self.said.rsplit('/').next().unwrap_or_default();
                let is_folder = !name.contains('.');
                let said = plain_glob(&self.said);
                Some(if is_folder { format!("**/{said}/**") } else { format!("**/*{}*", plain_glob(name)) })
            }
            _ if stems.is_empty() => None,
            TermKind::Name | TermKind::Pair | TermKind::Word => Some(format!("**/*{}*", stems.join("*"))),
        }
    }
}

/// The word where a name or one of its parts begins: `cart`, `my_cart`, `myCart`, `CART`.
fn word_pattern(stem: &str) -> String {
    let mut receiver = stem.chars();
    let first: String = receiver.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    let capital = format!("{first}{}", receiver.as_str());
    let end = if stem.chars().count() > stem::LONG { "" } else { "END" };
    let upper = stem.to_uppercase();
    let (low, capital, upper_stem) = (escaped(stem), escaped(&capital), escaped(&upper));
    let small_end = end.replace("END", &format!("(?:{ENDINGS})?(?:\\b|_|[A-Z0-9])"));
    let upper_end = end.replace("END", &format!("(?:{})?(?:\\b|_|[0-9])", ENDINGS.to_uppercase()));
    format!("(?:\\b|_){low}{small_end}|{capital}{small_end}|(?:\\b|_){upper_stem}{upper_end}")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii_punctuation() && !matches!(letter, '_' | '-' | '/' | '"' | '\'' | ',' | ':' | '=') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// The first letter in both cases: enough for `cart`, `Cart` and `myCart`.
fn any_case(stem: &str) -> String {
    let mut receiver = stem.chars();
    match receiver.next() {
        Some(first) if first.is_ascii_alphabetic() => {
            format!("[{}{}]{}", first.to_ascii_lowercase(), first.to_ascii_uppercase(), plain_glob(receiver.as_str()))
        }
        _ => plain_glob(stem),
    }
}

fn plain_glob(text: &str) -> String {
    text.chars().map(|letter| if "*?[]{}\\!".contains(letter) { '?' } else { letter }).collect()
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
