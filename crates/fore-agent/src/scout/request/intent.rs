//! What a request wants: which kind of work, an answer, or a name to become another.

use super::{Renaming, WorkKind, split::is_path};

/// The kind of work, by the first word that tells it.
pub(super) fn work(task: &str) -> WorkKind {
    let task = task.to_lowercase();
    // The message of a failure may have any verb in it.
    if task.contains("traceback (most recent call last)") || task.contains(" panicked at ") {
        return WorkKind::Fix;
    }
    let mut words = task.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let told = words.clone().find_map(verb);
    let is_fault = |word: &str| {
        matches!(word, "error" | "traceback" | "exception" | "panic" | "panics" | "hangs" | "throws" | "raises")
    };
    told.unwrap_or(if words.any(is_fault) { WorkKind::Fix } else { WorkKind::Other })
}

/// The kind of work that a lower-case word tells.
pub(super) fn verb(word: &str) -> Option<WorkKind> {
    Some(match word {
        "add" | "adds" | "adding" | "implement" | "introduce" | "integrate" | "create" | "support" | "supports"
        | "allow" | "enable" | "build" | "provide" | "extend" | "offer" => WorkKind::Add,
        "fix" | "fixes" | "fixing" | "repair" | "solve" | "bug" | "bugs" | "broken" | "crash" | "crashes" | "wrong"
        | "fails" | "failing" | "debug" | "correct" | "prevent" => WorkKind::Fix,
        "rename" | "renaming" => WorkKind::Rename,
        "remove" | "removes" | "removing" | "delete" | "drop" => WorkKind::Remove,
        "deprecate" | "deprecates" | "deprecating" => WorkKind::Deprecate,
        "speed" | "faster" | "slow" | "optimize" | "optimise" | "performance" => WorkKind::Speed,
        "test" | "tests" | "testing" | "cover" | "coverage" => WorkKind::Test,
        "document" | "documentation" | "docs" | "explain" | "describe" => WorkKind::Document,
        "refactor" | "restructure" | "split" | "extract" | "move" | "simplify" | "clean" | "merge" => {
            WorkKind::Restructure
        }
        "upgrade" | "bump" | "migrate" | "port" => WorkKind::Upgrade,
        _ => return None,
    })
}

/// Whether it is about what a package hands out: what `from package import name` and its like find.
pub(super) fn is_about_exports(task: &str) -> bool {
    let task = task.to_lowercase();
    ["imported from", "be imported", "importable", "importing the package", "re-export", "reexport", "exported from"]
        .iter()
        .any(|said| task.contains(said))
}

/// Verbs that ask for a change when a sentence begins with them, beside those that tell its kind.
const ORDERS: &[&str] = &[
    "change",
    "make",
    "let",
    "use",
    "replace",
    "update",
    "improve",
    "write",
    "rewrite",
    "convert",
    "set",
    "keep",
    "turn",
    "switch",
    "put",
    "raise",
    "lower",
    "increase",
    "reduce",
    "handle",
    "ignore",
    "return",
    "treat",
    "reject",
    "accept",
    "stop",
    "avoid",
    "ensure",
    "give",
    "report",
    "warn",
    "log",
    "cache",
    "limit",
    "catch",
    "validate",
    "check",
    "do",
    "don't",
    "never",
    "always",
    "please",
    "revert",
    "restore",
    "expose",
    "export",
    "import",
    "print",
    "apply",
    "configure",
    "define",
];
const ASKS: &[&str] = &[
    "why", "where", "what", "what's", "where's", "how", "which", "who", "whose", "when", "is", "are", "does", "do",
    "did", "was", "were", "has", "have", "can", "could", "should", "would", "will",
];
const TELLS: &[&str] = &["explain", "describe", "tell", "show", "find", "locate", "list", "summarize", "summarise"];

/// Whether it asks for an answer and for no change.
pub(super) fn is_question(task: &str) -> bool {
    let mut asks = false;
    for sentence in sentences(task) {
        let lower = sentence.to_lowercase();
        let words: Vec<&str> =
            lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
        let words = match words.as_slice() {
            ["please" | "and" | "then" | "but" | "so" | "also" | "hi" | "hello" | "hey" | "now", rest @ ..] => rest,
            words => words,
        };
        // `can you add …?` is an order, `can you tell …?` a question.
        let (words, is_polite) = match words {
            ["can" | "could" | "would" | "will", "you", "please", rest @ ..]
            | ["can" | "could" | "would" | "will", "you", rest @ ..]
            | ["can" | "could" | "should" | "shall", "we", rest @ ..] => (rest, true),
            words => (words, false),
        };
        let Some(first) = words.first() else { continue };
        if TELLS.contains(first) {
            asks = asks || asks_for_words(first, words);
            continue;
        }
        if is_order(first) && (is_polite || !(sentence.ends_with('?') && *first == "do")) {
            return false;
        }
        if is_polite {
            return false;
        }
        asks = asks || (ASKS.contains(first) && (sentence.ends_with('?') || is_open(words)));
    }
    asks
}

/// `show me where`, `find out why`; but `show the total` and `list the items` are work.
fn asks_for_words(first: &str, words: &[&str]) -> bool {
    // `tell me why` asks; `tell users when it fails` is work.
    let is_told = first == "tell" && words.get(1).is_some_and(|word| matches!(*word, "me" | "us"));
    if first == "tell" && !is_told {
        return false;
    }
    is_told
        || matches!(first, "explain" | "locate")
        || words.iter().any(|word| matches!(*word, "why" | "where" | "what" | "how" | "which" | "who" | "all"))
        || first == "describe" && words.len() < 6
}

/// A question without its mark: it begins with a word that only questions begin with.
fn is_open(words: &[&str]) -> bool {
    match words {
        ["why" | "where" | "where's" | "what's" | "who" | "whose", ..] => true,
        ["what" | "which" | "how", next, ..] => {
            matches!(*next, "is" | "are" | "does" | "do" | "did" | "can" | "has" | "was" | "calls" | "uses" | "happens")
        }
        _ => false,
    }
}

fn is_order(word: &str) -> bool {
    let is_verb = |word: &str| {
        verb(word).is_some()
            && !matches!(word, "bug" | "bugs" | "broken" | "wrong" | "fails" | "failing" | "slow" | "tests" | "docs")
    };
    is_verb(word) || ORDERS.contains(&word)
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| matches!(c, '?' | '!' | '\n' | ';');
    text.split_inclusive(ends).flat_map(|piece| piece.split(". ")).map(str::trim).filter(|piece| !piece.is_empty())
}

/// `rename A to B`, `rename the class A to B`, `A should be called B`.
pub(super) fn renaming(task: &str) -> Option<Renaming> {
    let words: Vec<&str> = task.split_whitespace().collect();
    let at = words.iter().position(|word| {
        let word = word.to_lowercase();
        matches!(word.as_str(), "rename" | "renaming" | "renames")
    })?;
    let rest = words.get(at + 1..)?;
    let to = rest.iter().take(10).position(|word| matches!(*word, "to" | "into" | "as" | "->" | "→"))?;
    let kinds = [
        "the",
        "a",
        "our",
        "my",
        "this",
        "function",
        "method",
        "class",
        "struct",
        "type",
        "variable",
        "field",
        "module",
        "option",
        "flag",
        "setting",
        "constant",
        "parameter",
        "argument",
        "property",
        "enum",
        "trait",
        "interface",
        "file",
        "helper",
        "public",
        "private",
        "existing",
        "old",
        "command",
        "column",
        "table",
        "from",
    ];
    let bare = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$'));
        word.trim_end_matches("()").to_owned()
    };
    let pick = |words: &[&str]| {
        words
            .iter()
            .map(|word| bare(word))
            .find(|word| !word.is_empty() && !kinds.contains(&word.to_lowercase().as_str()))
    };
    let (from, new) = (pick(rest.get(..to)?)?, pick(rest.get(to + 1..)?)?);
    // A path is found as one.
    if [&from, &new].into_iter().any(|name| name.contains('/') || is_path(name)) {
        return None;
    }
    // Of `Session.mount` the last is what changes; where it belongs to is looked for beside it.
    let last = |name: String| name.rsplit(['.', ':', '#']).next().map(str::to_owned).unwrap_or_default();
    let (from, new) = (last(from), last(new));
    if from.is_empty() || new.is_empty() {
        return None;
    }
    let lower = task.to_lowercase();
    let keeps_old =
        ["keep", "alias", "still work", "backward", "deprecat", "compatib"].iter().any(|word| lower.contains(word));
    Some(Renaming { from, to: new, keeps_old })
}
