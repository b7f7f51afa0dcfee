//! Expands a word the way bash does: braces, tilde, parameters, substitutions, splitting, globs, quote removal.

use super::{
    brace,
    doubt::Doubt,
    limits::MAX_WORDS,
    output,
    partial_word::PartialWord,
    piece::{self, QuoteReading, WordPiece},
    script::RawWord,
    state::{Binding, ShellState},
    walk::ScriptWalk,
};
use crate::{
    context::JudgeContext,
    word::{Opaque, Value},
};

/// What a word is used for decides which expansions bash performs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordUse {
    /// An argument: everything.
    Argument,
    /// A value that stays one text: no braces, no splitting, no globs.
    Single,
}

/// One argument that a word becomes: every value it may have.
pub(crate) type ExpandedField = Vec<Value>;

/// What an expansion inside a word stands for.
#[derive(Clone, Debug)]
pub(crate) enum Expansion {
    OneOf(Vec<String>),
    /// Digits only.
    Count,
    /// Decided at run time, with at least this known.
    Unknown(Opaque),
    /// Words none of which starts with a dash, such as names of commits.
    Identifiers,
    /// Several arguments or none, even in quotes (`"$@"`).
    Many,
}

impl Expansion {
    pub(crate) fn anything() -> Expansion {
        Expansion::Unknown(Opaque { prefix: String::new(), may_be_empty: true, may_split: true, may_be_option: true })
    }
}

/// Whether a word means exactly what it says, so that nothing needs to be expanded.
pub(crate) fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b',' | b'@' | b'%' | b':' | b'=')
        })
}

impl<'t> ScriptWalk<'t> {
    /// The arguments a word becomes.
    pub(crate) fn expand(
        &mut self,
        state: &mut ShellState<'_>,
        raw: RawWord<'t>,
        purpose: WordUse,
    ) -> Result<Vec<ExpandedField>, Doubt> {
        if is_plain(raw.text) {
            return Ok(vec![vec![Value::Literal(raw.text.to_owned())]]);
        }
        let at_word = |doubt: Doubt| {
            if doubt.range.is_none() { doubt.at(raw.start, raw.end()) } else { doubt }
        };
        let pieces = piece::pieces(raw, QuoteReading::Word).map_err(at_word)?;
        if purpose == WordUse::Argument && brace::present(&pieces) {
            let mut fields = Vec::new();
            for pieces in brace::expand(pieces).map_err(at_word)? {
                fields.extend(self.fields(state, &pieces, purpose).map_err(at_word)?);
            }
            return Ok(fields);
        }
        self.fields(state, &pieces, purpose).map_err(at_word)
    }

    /// The value of a word that stays one text.
    pub(crate) fn expand_single(
        &mut self,
        state: &mut ShellState<'_>,
        raw: RawWord<'t>,
    ) -> Result<ExpandedField, Doubt> {
        let fields = self.expand(state, raw, WordUse::Single)?;
        Ok(fields.into_iter().next().unwrap_or_else(|| vec![Value::Literal(String::new())]))
    }

    /// Judges what a text expands (a here-document, the word of `${x:-word}`) without caring for the result.
    pub(crate) fn expand_body(&mut self, state: &mut ShellState<'_>, raw: RawWord<'t>) -> Result<(), Doubt> {
        for piece in piece::pieces(raw, QuoteReading::Body)? {
            self.filling(state, &piece)?;
        }
        Ok(())
    }

    fn fields(
        &mut self,
        state: &mut ShellState<'_>,
        pieces: &[WordPiece<'t>],
        purpose: WordUse,
    ) -> Result<Vec<ExpandedField>, Doubt> {
        let mut draft = PartialWord::new();
        let mut before = String::new();
        let alone = pieces.len() == 1;
        let globs = purpose == WordUse::Argument;
        let bracket_closes =
            pieces.iter().any(|piece| matches!(piece, WordPiece::Text { text, quoted: false } if text.contains(']')));
        for (index, piece) in pieces.iter().enumerate() {
            match piece {
                WordPiece::Text { text, quoted: true } => {
                    draft.quoted = true;
                    draft.push(text);
                }
                WordPiece::Text { text, quoted: false } => {
                    let mut text: &str = text;
                    if index == 0 && text.starts_with('~') {
                        text = self.tilde(state, &mut draft, text, alone);
                    }
                    let (certain, rest) = text.split_at(assigned_tilde(&before, text).unwrap_or(text.len()));
                    self.living(&mut draft, certain, globs, bracket_closes, state);
                    if !rest.is_empty() {
                        draft.unknown(false, false, false);
                        self.living(&mut draft, rest, globs, bracket_closes, state);
                    }
                    before.push_str(text);
                    continue;
                }
                WordPiece::Parameter { quoted, .. }
                | WordPiece::Command { quoted, .. }
                | WordPiece::Arithmetic { quoted, .. } => {
                    let filling = self.filling(state, piece)?;
                    draft.quoted |= quoted;
                    let split = !quoted && purpose == WordUse::Argument;
                    if alone
                        && split
                        && let Some(fields) = split_known(&filling)
                    {
                        return Ok(fields);
                    }
                    fill(&mut draft, filling, split, purpose);
                }
                WordPiece::Process { .. } => {
                    self.filling(state, piece)?;
                    draft.push("/dev/fd/");
                    draft.unknown(false, false, false);
                }
            }
            before.push('\u{1}');
        }
        Ok(draft.finish().into_iter().collect())
    }

    /// Unquoted text: globs in it make the rest unknown.
    fn living(&self, draft: &mut PartialWord, text: &str, globs: bool, bracket_closes: bool, state: &ShellState<'_>) {
        let wild = |character: char| matches!(character, '*' | '?') || (character == '[' && bracket_closes);
        match text.find(wild).filter(|_| globs) {
            Some(at) => {
                draft.push(text.get(..at).unwrap_or_default());
                // File names are not split again, so only the front of the pattern can bring a dash.
                let started = draft.rest.is_none() && draft.texts.iter().all(|text| !text.is_empty());
                // A pattern at the front becomes names of this folder, or stays as it is where none fits.
                let dashes = !started && may_hold_dashed_names(state);
                draft.unknown(state.globs_vanish, false, dashes);
                if let Some(rest) = &mut draft.rest {
                    rest.splits = true;
                }
            }
            None => draft.push(text),
        }
    }

    /// Puts the home folder in front; gives back the text behind the tilde.
    fn tilde<'p>(&self, state: &ShellState<'_>, draft: &mut PartialWord, text: &'p str, alone: bool) -> &'p str {
        let end = text.find('/').unwrap_or(text.len());
        let (user, rest) = text.split_at(end);
        let ends_here = alone || end < text.len();
        match state.context.facts.home.and_then(|home| home.to_str()) {
            Some(home) if user == "~" && ends_here && home.starts_with('/') => draft.push(home),
            Some(_) | None => draft.unknown(false, false, false),
        }
        rest
    }

    /// What an expansion gives; judges the commands inside it.
    fn filling(&mut self, state: &mut ShellState<'_>, piece: &WordPiece<'t>) -> Result<Expansion, Doubt> {
        match piece {
            WordPiece::Text { .. } => Ok(Expansion::OneOf(Vec::new())),
            WordPiece::Parameter { inside, .. } => self.parameter(state, *inside),
            WordPiece::Command { inside, .. } | WordPiece::Process { inside } => {
                self.substitution(state, *inside)?;
                Ok(if output::is_identifiers(inside.text) { Expansion::Identifiers } else { Expansion::anything() })
            }
            WordPiece::Arithmetic { inside, .. } => {
                self.arithmetic(state, *inside)?;
                // The result may be negative.
                Ok(Expansion::Unknown(Opaque {
                    prefix: String::new(),
                    may_be_empty: false,
                    may_split: false,
                    may_be_option: true,
                }))
            }
        }
    }
}

/// Where `~` stands in `a=~/x` or `a=b:~/x`: bash expands these tildes in some places and not in others.
fn assigned_tilde(before: &str, text: &str) -> Option<usize> {
    if text.starts_with('~') && before.ends_with(['=', ':']) {
        return Some(0);
    }
    text.find("=~").into_iter().chain(text.find(":~")).min().map(|at| at + 1)
}

fn fill(draft: &mut PartialWord, filling: Expansion, split: bool, purpose: WordUse) {
    match filling {
        Expansion::OneOf(values) => {
            let changes = |value: &String| value.contains([' ', '\t', '\n', '*', '?', '[', '\\']);
            if split && values.iter().any(changes) { draft.unknown(true, true, true) } else { draft.one_of(&values) }
        }
        Expansion::Count => draft.unknown(false, false, false),
        Expansion::Identifiers => draft.unknown(true, split, false),
        Expansion::Unknown(opaque) if split => {
            let splits = opaque.may_split || opaque.may_be_empty;
            draft.unknown(opaque.may_be_empty, splits, splits || opaque.may_be_option);
        }
        Expansion::Unknown(opaque) => {
            if !opaque.prefix.is_empty() && draft.rest.is_none() {
                draft.push(&opaque.prefix);
                draft.unknown(true, false, false);
            } else {
                draft.unknown(true, false, opaque.may_be_option);
            }
        }
        Expansion::Many => {
            draft.unknown(true, purpose == WordUse::Argument, true);
            draft.quoted = false;
        }
    }
}

/// A word that is only a variable with a known value, unquoted: bash splits it at blanks.
fn split_known(filling: &Expansion) -> Option<Vec<ExpandedField>> {
    let Expansion::OneOf(values) = filling else {
        return None;
    };
    let [value] = values.as_slice() else {
        return None;
    };
    if value.contains(['*', '?', '[', '\\']) {
        return None;
    }
    let fields: Vec<ExpandedField> = value
        .split([' ', '\t', '\n'])
        .filter(|part| !part.is_empty())
        .map(|part| vec![Value::Literal(part.to_owned())])
        .collect();
    (fields.len() <= MAX_WORDS).then_some(fields)
}

/// The binding that a variable gets when a word is assigned to it.
pub(crate) fn binding(field: ExpandedField) -> Binding {
    let mut values = Vec::with_capacity(field.len());
    for value in field {
        match value {
            Value::Literal(text) => values.push(text),
            // Whatever it is, it may hold blanks.
            Value::Opaque(opaque) => {
                return Binding::Opaque(Opaque { may_split: true, ..opaque });
            }
        }
    }
    if values.len() > 16 { Binding::anything() } else { Binding::OneOf(values) }
}

fn may_hold_dashed_names(state: &ShellState<'_>) -> bool {
    let JudgeContext { facts, cwd, .. } = &state.context;
    cwd.as_deref().is_none_or(|folder| facts.repositories.may_hold_dashed_names(folder))
}
