//! What the words around a path say about it: to be changed, to be left alone, only pointed to.

use super::NotGrantedReason;
use super::word_set::WordSet;
use std::ops::Range;

/// How far back and on words count.
const MAX_BEFORE: usize = 200;
const MAX_AFTER: usize = 120;
const MAX_WORDS_AFTER: usize = 16;
/// Words between the name of a file and the one that says it is made, and that one.
const MAX_BEFORE_MADE: usize = 5;

/// What a sentence says about a path in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathMention {
    /// It is to be made or changed.
    Changed,
    Deleted,
    /// It gets another name, or is the new name.
    Moved,
    NotGranted(NotGrantedReason),
    /// Nothing in particular.
    Silent,
}

static VERBS: WordSet = WordSet::new(
    "add adding adds adjust alter amend apply bump change changes changing convert create creates creating edit \
     editing edits expand extend extending extends fill fix fixes generate generates implement implemented implements \
     insert introduce introduces migrate modify modifying new patch populate refactor register replace rewrite \
     rewriting save saves saving scaffold split touch touching update updates updating wire write writes writing \
     generating export extract simplify",
);
/// What they are said of may be new.
static MAKES: WordSet = WordSet::new(
    "new add adds adding create creates created creating creation generate generates generated generating generation \
     introduce introduces introduced introducing scaffold scaffolds scaffolded scaffolding write writes writing written \
     touch save saves saved saving",
);
/// May stand between a word of making and the name of the file.
static BETWEEN_MAKE: WordSet = WordSet::new("a an the new empty file text small short simple called named as to in");
/// May stand between the name of a file and the word that says it is made.
static BETWEEN_MADE: WordSet = WordSet::new("is are will be been gets get should must has a an the file brand");
static DELETES: WordSet = WordSet::new("delete deletes deleting remove removes removing drop");
static MOVES: WordSet = WordSet::new("move moves moving rename renames renaming");
static NEGATIONS: WordSet =
    WordSet::new("not never without no avoid instead nobody neither rather refrain forbidden prohibited disallowed");
/// May stand between a negation that is further off and the verb: "not, in any way, to be".
static BETWEEN_NEGATION: WordSet = WordSet::new(
    "any at all in way ways case ever be been being get is are to of going allowed permitted possible supposed meant \
     necessary needed need under further directly simply just also",
);
/// Behind a negation they say that a file stays as it is.
static TOUCHES: WordSet = WordSet::new(
    "change changes changed changing modify modified modifying touch touched touching edit edits edited editing alter \
     altered affect affected rewrite rewritten delete deleted remove removed move moved rename renamed update updated need \
     needs needed",
);
/// Anywhere behind a path they say the same by themselves.
static LEFT: WordSet =
    WordSet::new("unchanged untouched unaffected intact frozen forbidden prohibited disallowed excluded");
/// Without one of them nothing behind a path says so.
static KEPT_SIGNS: WordSet = WordSet::new(
    "not no never as stay stays remain remains need needs nothing fine limits scope alone leave unchanged untouched unaffected \
     intact frozen forbidden prohibited disallowed excluded",
);
/// Right before a path they say the same.
static LEAVES: WordSet = WordSet::new(
    "leave leaves leaving except excepting excluding exclude excludes avoid avoids skip skips skipping ignore ignores \
     preserve preserves neither nor unchanged untouched unaffected excluded frozen",
);
/// May stand between such a word and the path.
static BETWEEN_LEAVES: WordSet = WordSet::new("the a file files folder for in of from touching with anything");
/// Whoever is not the one who carries the plan out.
static OTHERS: WordSet = WordSet::new("person user human reviewer maintainer maintainers ci manually");
/// Right before a path they only point to it.
static POINTERS: WordSet = WordSet::new(
    "see like mirror mirrors mirroring similar reuse reuses reusing reused follow follows following matching matches \
     reference references referencing refer compare consult read inspect review study example analogous modeled \
     modelled based use uses using cf per consistent alongside pattern style conventions",
);
/// May stand between a pointer and its path.
static BETWEEN: WordSet = WordSet::new(
    "the a an in at to of on by with after from file module code existing helper helpers function as is and or its \
     our same how",
);
/// May stand between a verb that takes a file away and the file.
static BETWEEN_DELETE: WordSet = WordSet::new(
    "the file files old now unused obsolete dead legacy deprecated entire whole module folder directory and stale \
     empty test tests both script class component handler package migration a an",
);

/// What the first word of a sentence makes of all paths in it, if nothing else is said.
static OPENERS: WordSet = WordSet::new("see reuse follow mirror read review consult inspect study compare refer");

/// The words around a path, in small letters and without code.
pub(super) struct Surroundings {
    before: String,
    after: String,
}

impl Surroundings {
    /// Of what stands at `span`, in the paragraph that begins at `block`.
    pub(super) fn new(plan: &str, span: &Range<usize>, block: usize) -> Surroundings {
        let start = floor(plan, span.start.saturating_sub(MAX_BEFORE)).max(block);
        let before = plan.get(start..span.start).unwrap_or_default();
        // An odd number of backticks: the text begins within code.
        let is_cut = before.bytes().filter(|byte| *byte == b'`').count() % 2 == 1;
        let before = if is_cut { before.split_once('`').map_or("", |(_, rest)| rest) } else { before };
        let after = plan.get(span.end..floor(plan, span.end.saturating_add(MAX_AFTER))).unwrap_or_default();
        Surroundings { before: spoken(before.split('`').step_by(2)), after: spoken(behind(paragraph(after))) }
    }

    pub(super) fn mention(&self) -> PathMention {
        let (before, after) = (self.sentence(), words(&self.after));
        let said = if before.is_empty() { PathMention::Silent } else { said_before(&before, &self.before) };
        // What is said right behind a path counts more than what is said before, and that more than what is said further on.
        let reach = if said == PathMention::Changed { 4 } else { MAX_WORDS_AFTER };
        match said_after(&after, reach, self.after.trim_start().starts_with('(')) {
            PathMention::Silent if said == PathMention::Silent && is_made(&after) => PathMention::Changed,
            PathMention::Silent => said,
            after @ (PathMention::Changed | PathMention::Deleted | PathMention::Moved | PathMention::NotGranted(_)) => {
                after
            }
        }
    }

    /// Whether the words say that the file is made.
    pub(super) fn says_new(&self) -> bool {
        self.sentence().iter().any(|word| MAKES.contains(word)) || is_made(&words(&self.after))
    }

    /// Whether a word of making stands right before, and the clause ends there or says what is to be in the file: `Create
    /// hello.txt with a greeting`. A name in running text may be a product (`Add Node.js support`).
    pub(super) fn clearly_makes(&self) -> bool {
        let (sentence, after) = (self.sentence(), words(&self.after));
        let is_said =
            sentence.iter().rev().find(|word| !BETWEEN_MAKE.contains(word)).is_some_and(|word| MAKES.contains(word));
        let is_file = sentence.iter().rev().take(2).any(|word| *word == "file");
        let ends = after.is_empty() && self.after.trim_start().is_empty()
            || self.after.trim_start().starts_with(['.', ':', ',', '(', ';'])
            || matches!(after.first(), Some(&("with" | "that" | "containing" | "holding" | "saying")));
        is_said && (is_file || ends)
    }

    /// Whether the sentence says to run what stands here; an order not to is [`PathMention::NotGranted`].
    pub(super) fn run_cue(&self) -> Option<PathMention> {
        let sentence = self.sentence();
        let is_between = |word: &&str| matches!(*word, "and" | "then" | "or" | "the" | "with" | "via" | "by" | "using");
        let is_run = |word: &str| {
            matches!(
                word,
                "run" | "runs" | "running" | "rerun" | "execute" | "executing" | "verify" | "verified" | "check"
            )
        };
        let at = sentence.iter().rposition(|word| !is_between(word))?;
        let is_said = sentence.get(at).is_some_and(|word| is_run(word));
        // "Run all tests with"
        let is_opened = sentence.first().is_some_and(|word| is_run(word))
            && sentence.last().is_some_and(|word| matches!(*word, "with" | "via" | "by" | "using"));
        let is_not_ours = |word: &&str| NEGATIONS.contains(word) || OTHERS.contains(word);
        let is_negated = sentence.get(at.saturating_sub(3)..at).unwrap_or_default().iter().any(is_not_ours);
        let cue = if is_negated || self.says_not_to_run() { LEFT_ALONE } else { PathMention::Silent };
        (is_said || is_opened).then_some(cue)
    }

    /// Whether the words behind a command say that it is not to be run, or by somebody else.
    pub(super) fn says_not_to_run(&self) -> bool {
        let after = words(&self.after);
        let end = after.iter().position(|word| *word == ".").unwrap_or(after.len());
        let clause = after.get(..end.min(MAX_WORDS_AFTER)).unwrap_or_default();
        let is_no = |pair: &[&str]| {
            matches!(pair, ["not" | "never", "run" | "runs" | "be" | "to" | "execute" | "executed"] | ["by", "hand"])
        };
        clause.windows(2).any(is_no) || clause.contains(&"manually")
    }

    /// The words of the sentence before.
    fn sentence(&self) -> Vec<&str> {
        let mut words = words(&self.before);
        let end = words.iter().rposition(|word| *word == ".").map_or(0, |at| at.saturating_add(1));
        words.split_off(end)
    }
}

const LEFT_ALONE: PathMention = PathMention::NotGranted(NotGrantedReason::OutOfScope);
const REFERENCE: PathMention = PathMention::NotGranted(NotGrantedReason::Reference);

fn floor(text: &str, at: usize) -> usize {
    fore_text::cut::bytes(text, at).len()
}

/// Up to where the paragraph or item ends.
fn paragraph(text: &str) -> &str {
    let ends = |(at, _): &(usize, &str)| {
        let next = text.get(at.saturating_add(1)..).unwrap_or_default().trim_start_matches([' ', '\t']);
        next.starts_with(['\n', '\r', '-', '*', '+', '#', '>', '|', '`'])
            || next.starts_with(|c: char| c.is_ascii_digit())
    };
    let end = text.match_indices('\n').find(ends).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}

/// The words behind a path up to the next code. `a` and `b` are spoken of together.
fn behind(text: &str) -> std::iter::Once<&str> {
    let is_joined = |piece: &&str| matches!(piece.trim_matches([' ', ',', '\n']), "" | "and" | "or");
    let pieces = || text.split('`').step_by(2);
    let said = pieces().find(|piece| !is_joined(piece)).unwrap_or_default();
    std::iter::once(said)
}

fn spoken<'t>(pieces: impl Iterator<Item = &'t str>) -> String {
    let mut text = String::new();
    for piece in pieces {
        text.push_str(piece);
        text.push(' ');
    }
    text.make_ascii_lowercase();
    if text.contains("n't") || text.contains("n’t") || text.contains("dont ") || text.contains("cannot") {
        text =
            text.replace("n't", " not").replace("n’t", " not").replace("dont ", "do not ").replace("cannot", "can not");
    }
    text
}

/// The words of a text; a dot stands where a sentence ends.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let is_gap = |c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '*' | '_' | '"' | '|' | '-' | '—' | '–');
    for piece in text.split(is_gap) {
        let word = piece.trim_matches(|c: char| !c.is_alphanumeric() && c != '→');
        if !word.is_empty() {
            words.push(word);
        }
        // Right behind code the sign stands alone.
        let is_end = piece.ends_with(['.', ';', '!', '?']) && (word.len() > 2 || piece.len() == 1);
        if is_end {
            words.push(".");
        }
    }
    words
}

/// `text`: the same with its commas, and what stands before it.
fn said_before(sentence: &[&str], text: &str) -> PathMention {
    if leaves(sentence) {
        return LEFT_ALONE;
    }
    if let Some(mention) = pointed_to(sentence) {
        return mention;
    }
    let Some(at) = sentence.iter().rposition(|word| is_verb(word)) else { return kept(sentence) };
    if is_negated(sentence, at, text) {
        return LEFT_ALONE;
    }
    let verb = sentence.get(at).copied().unwrap_or_default();
    let is_right_before =
        sentence.get(at.saturating_add(1)..).unwrap_or_default().iter().all(|word| BETWEEN_DELETE.contains(word));
    match verb {
        "new" if !is_right_before => PathMention::Silent,
        verb if is_right_before && DELETES.contains(verb) => PathMention::Deleted,
        verb if is_right_before && MOVES.contains(verb) => PathMention::Moved,
        _ => PathMention::Changed,
    }
}

/// Whether the verb at this place is denied: right before it and in the same clause ("if it does not exist, create" denies
/// nothing), or further off with nothing but small words between.
fn is_negated(sentence: &[&str], at: usize, text: &str) -> bool {
    let before = sentence.get(..at).unwrap_or_default();
    let Some(last) = before.iter().rposition(|word| NEGATIONS.contains(word)) else { return false };
    let between = before.get(last.saturating_add(1)..).unwrap_or_default();
    if between.len() > 2 {
        return between.iter().all(|word| BETWEEN_NEGATION.contains(word));
    }
    let (negation, verb) = (before.get(last).copied(), sentence.get(at).copied());
    let found = negation.and_then(|negation| text.rfind(negation)).and_then(|from| text.get(from..));
    let clause = found.zip(verb).and_then(|(clause, verb)| clause.split(verb).next());
    !clause.is_some_and(|clause| clause.contains(','))
}

/// `everything except`, `hands off`, `nothing in`, `under no circumstances may`.
fn leaves(sentence: &[&str]) -> bool {
    if sentence.contains(&"circumstances") || is_set_apart(sentence) {
        return true;
    }
    let end = sentence.iter().rposition(|word| !BETWEEN_LEAVES.contains(word)).map_or(0, |at| at.saturating_add(1));
    let (said, small) = sentence.split_at_checked(end).unwrap_or((sentence, &[]));
    match said {
        [.., "hands", "off"] | [.., "apart"] | [.., "other", "than"] | [.., "stay" | "stays", "away"] => true,
        [.., "all" | "everything", "but"] | [.., "all" | "everything", _, "but"] => true,
        [.., "nothing"] => !small.is_empty(),
        [.., "instead"] => small.first() == Some(&"of"),
        [.., "not"] | [.., "out", "of", "scope"] => true,
        [.., last] => LEAVES.contains(last),
        [] => false,
    }
}

/// "Out of scope for now are", "the following are not part of this work": whatever follows, unless a verb says what becomes of it.
fn is_set_apart(sentence: &[&str]) -> bool {
    let phrases: [&[&str]; 7] = [
        &["out", "of", "scope"],
        &["outside", "the", "scope"],
        &["not", "in", "scope"],
        &["not", "part", "of"],
        &["not", "included"],
        &["not", "affected"],
        &["not", "in", "this"],
    ];
    phrases.iter().any(|phrase| {
        let at = sentence.windows(phrase.len()).rposition(|words| words == *phrase);
        let rest = at.and_then(|at| sentence.get(at.saturating_add(phrase.len())..));
        rest.is_some_and(|rest| !rest.iter().any(|word| is_verb(word)))
    })
}

fn is_verb(word: &str) -> bool {
    VERBS.contains(word) || DELETES.contains(word) || MOVES.contains(word)
}

/// `see the helper in`, `the pattern in`, `import it from`.
fn pointed_to(sentence: &[&str]) -> Option<PathMention> {
    let is_as_in = matches!(sentence, [.., "as" | "like", "in"]);
    let word = sentence.iter().rev().find(|word| !BETWEEN.contains(word))?;
    // "Remove it from a.rs" changes a.rs; "import it from a.rs" does not.
    let takes_out =
        |word: &&str| DELETES.contains(word) || MOVES.contains(word) || matches!(*word, "extract" | "export" | "strip");
    let is_source = sentence.last() == Some(&"from") && !sentence.iter().any(takes_out);
    (POINTERS.contains(word) || is_as_in || is_source).then_some(REFERENCE)
}

/// What a sentence without a verb of change says: `leave x alone`, `no x is touched`, `see x`.
fn kept(sentence: &[&str]) -> PathMention {
    match sentence {
        ["no" | "not", ..] | ["do", "not", ..] => LEFT_ALONE,
        [first, ..] if OPENERS.contains(first) => REFERENCE,
        _ => PathMention::Silent,
    }
}

/// `x.txt (new)`, `x.txt is created`, `x.txt: new file`.
fn is_made(after: &[&str]) -> bool {
    let made = after.iter().take(MAX_BEFORE_MADE).find(|word| !BETWEEN_MADE.contains(word));
    made.is_some_and(|word| matches!(*word, "new" | "create" | "created" | "added" | "generated" | "written"))
}

/// Whether the words behind a path say that it stays as it is: `must not be touched`, `stays as it is`, `is out of scope`.
fn is_kept(clause: &[&str]) -> bool {
    if !clause.iter().any(|word| KEPT_SIGNS.contains(word)) {
        return false;
    }
    let is_left_alone = |pair: &[&str]| {
        matches!(
            pair,
            ["as", "is"]
                | ["stay" | "stays" | "remain" | "remains", "as" | "the" | "where"]
                | ["need" | "needs", "no"]
                | ["nothing", "to" | "changes" | "change"]
                | ["is" | "are", "fine"]
                | ["off", "limits"]
        )
    };
    let is_phrase = |three: &[&str]| {
        matches!(three, ["as", "it", "is"] | ["as", "they", "are"] | ["out", "of", "scope"] | ["not", "part", "of"])
    };
    let is_denied = |(at, word): (usize, &&str)| {
        let rest = clause.get(at.saturating_add(1)..).unwrap_or_default();
        matches!(*word, "not" | "no" | "never")
            && rest
                .iter()
                .find(|word| !BETWEEN_NEGATION.contains(word) || TOUCHES.contains(word))
                .is_some_and(|word| TOUCHES.contains(word))
    };
    matches!(clause, ["alone" | "leave", ..])
        || clause.iter().any(|word| LEFT.contains(word))
        || clause.windows(2).any(is_left_alone)
        || clause.windows(3).any(is_phrase)
        || clause.iter().enumerate().any(is_denied)
}

/// What the words behind a path say, as far as they reach.
fn said_after(words: &[&str], reach: usize, is_bracketed: bool) -> PathMention {
    let end = words.iter().position(|word| *word == ".").unwrap_or(words.len());
    let clause = words.get(..end.min(reach)).unwrap_or_default();
    if is_kept(clause) {
        return LEFT_ALONE;
    }
    let is_pointed_to = |pair: &[&str]| {
        matches!(
            pair,
            ["for" | "as", "reference" | "comparison" | "template" | "example"]
                | ["a", "reference"]
                | ["only", "read"]
                | ["read", "only"]
        )
    };
    if clause.windows(2).any(is_pointed_to) || matches!(clause, ["reference" | "reused" | "existing" | "never", ..]) {
        return REFERENCE;
    }
    match clause {
        [
            "new" | "create" | "created" | "modify" | "modified" | "update" | "updated" | "changed" | "edit" | "extend",
            ..,
        ] => PathMention::Changed,
        ["delete" | "deleted" | "remove" | "removed"] => PathMention::Deleted,
        ["delete" | "deleted" | "remove" | "removed", ..] if is_bracketed => PathMention::Deleted,
        _ => PathMention::Silent,
    }
}
