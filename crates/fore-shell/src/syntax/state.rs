//! What is known of the shell while it runs: folder, variables, functions. Joined where paths meet.

use crate::{context::JudgeContext, word::Opaque};
use std::path::PathBuf;

/// Most variables whose values are followed.
const MAX_VARIABLES: usize = 128;

/// What a variable may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    /// One of these texts.
    OneOf(Vec<String>),
    /// Some integer.
    Number,
    /// Words none of which starts with a dash.
    Identifiers,
    /// Something decided at run time; as a whole, without splitting.
    Opaque(Opaque),
}

impl Binding {
    pub(crate) fn anything() -> Binding {
        Binding::Opaque(Opaque { prefix: String::new(), may_be_empty: true, may_split: true, may_be_option: true })
    }

    pub(crate) fn join(self, other: Binding) -> Binding {
        match (self, other) {
            (same, other) if same == other => same,
            (Binding::OneOf(mut values), Binding::OneOf(others)) => {
                values.extend(others);
                values.sort();
                values.dedup();
                if values.len() > 16 { Binding::anything() } else { Binding::OneOf(values) }
            }
            (Binding::OneOf(values), Binding::Number) | (Binding::Number, Binding::OneOf(values))
                if values.iter().all(|value| super::arithmetic::is_integer(value)) =>
            {
                Binding::Number
            }
            (
                Binding::OneOf(_) | Binding::Number | Binding::Identifiers | Binding::Opaque(_),
                Binding::OneOf(_) | Binding::Number | Binding::Identifiers | Binding::Opaque(_),
            ) => Binding::anything(),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ShellState<'a> {
    pub(crate) context: JudgeContext<'a>,
    variables: Vec<(String, Binding)>,
    /// Folders it may be in instead of `context.cwd`, after a `cd` that may have failed. Empty when that is `None`.
    pub(crate) elsewhere: Vec<PathBuf>,
    pub(crate) functions: Vec<String>,
    /// This point is never reached: an `exit` or `return` came before.
    pub(crate) ended: bool,
    /// `nullglob` may be on: a pattern without files is no argument at all.
    pub(crate) globs_vanish: bool,
}

impl<'a> ShellState<'a> {
    pub(crate) fn new(context: JudgeContext<'a>) -> ShellState<'a> {
        ShellState {
            context,
            variables: Vec::new(),
            elsewhere: Vec::new(),
            functions: Vec::new(),
            ended: false,
            globs_vanish: false,
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Binding> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, binding)| binding)
    }

    pub(crate) fn set(&mut self, name: &str, binding: Binding) {
        // Beyond the bound a variable stays unknown, which is always true.
        let room = self.variables.len() < MAX_VARIABLES;
        match self.variables.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = binding,
            None if room => self.variables.push((name.to_owned(), binding)),
            None => {}
        }
    }

    /// Forgets what may have changed meanwhile: values and folder.
    pub(crate) fn forget(&mut self) {
        for (_, binding) in &mut self.variables {
            *binding = Binding::anything();
        }
        self.place(Vec::new());
    }

    /// All folders it may be in; empty when that is unknown.
    pub(crate) fn places(&self) -> Vec<PathBuf> {
        self.context.cwd.iter().chain(&self.elsewhere).cloned().collect()
    }

    /// Sets the folders it may be in; none or too many mean unknown.
    pub(crate) fn place(&mut self, places: Vec<PathBuf>) {
        const MAX_PLACES: usize = 4;
        let mut known: Vec<PathBuf> = Vec::with_capacity(places.len());
        for place in places {
            if !known.contains(&place) {
                known.push(place);
            }
        }
        if known.len() > MAX_PLACES {
            known.clear();
        }
        let mut known = known.into_iter();
        self.context.cwd = known.next();
        self.elsewhere = known.collect();
    }

    /// Nothing more is known here than there.
    pub(crate) fn knows_the_same(&self, other: &ShellState<'_>) -> bool {
        self.context.cwd == other.context.cwd
            && self.elsewhere == other.elsewhere
            && self.functions == other.functions
            && self.variables == other.variables
            && self.ended == other.ended
            && self.globs_vanish == other.globs_vanish
    }

    /// What holds on both paths.
    pub(crate) fn join(&mut self, other: ShellState<'a>) {
        if other.ended {
            return;
        }
        if self.ended {
            *self = other;
            return;
        }
        self.globs_vanish |= other.globs_vanish;
        let (ours, theirs) = (self.context.cwd.is_some(), other.context.cwd.is_some());
        self.place(if ours && theirs { self.places().into_iter().chain(other.places()).collect() } else { Vec::new() });
        self.functions.retain(|name| other.functions.contains(name));
        for (name, binding) in &mut self.variables {
            let theirs = other.get(name).cloned().unwrap_or_else(Binding::anything);
            *binding = std::mem::replace(binding, Binding::Number).join(theirs);
        }
        for (name, _) in other.variables {
            if self.get(&name).is_none() {
                self.variables.push((name, Binding::anything()));
            }
        }
    }
}
