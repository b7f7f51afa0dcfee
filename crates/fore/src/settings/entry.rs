//! One value that somebody set: what, where, and what became of it. Data only.

use serde_json::Value;
use std::{fmt, sync::Arc};

/// One value of one layer; each item of a list is one.
#[derive(Clone, PartialEq)]
pub(crate) struct Entry {
    /// The names that lead to it, such as `plan`, `unproven`.
    pub(crate) path: Vec<String>,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
    pub(crate) fate: Fate,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Written { source: Source, line: usize, column: usize },
    Variable(&'static str),
}

/// One text with settings in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) layer: Layer,
    /// As people know it: `~/.forethought/settings.json`.
    pub(crate) name: Arc<str>,
}

/// Who wrote a file. Later ones win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Layer {
    User,
    Project,
    ProjectLocal,
    CommandLine,
}

/// What became of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Taken,
    /// It came from a repository that may not say this.
    Refused(super::guard::Refused),
}

impl Layer {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Layer::User => "user",
            Layer::Project => "project",
            Layer::ProjectLocal => "project-local",
            Layer::CommandLine => "command line",
        }
    }

    /// Files that come with the folder one works in, which somebody else may have written.
    pub(crate) fn is_of_the_repository(self) -> bool {
        match self {
            Layer::Project | Layer::ProjectLocal => true,
            Layer::User | Layer::CommandLine => false,
        }
    }
}

impl Entry {
    /// The whole name: `plan.unproven`.
    pub(crate) fn key(&self) -> String {
        self.path.join(".")
    }

    /// Who wrote it; none for a variable.
    pub(super) fn layer(&self) -> Option<Layer> {
        match &self.origin {
            Origin::Written { source, .. } => Some(source.layer),
            Origin::Variable(_) => None,
        }
    }

    /// Key and value for somebody who decides about them; a header may hold a key of theirs.
    pub(super) fn in_words(&self) -> String {
        if self.path.iter().any(|part| part == "headers") {
            return self.key();
        }
        let value = self.value.to_string();
        let short: String = value.chars().take(MAX_VALUE_LETTERS).collect();
        let rest = if short.len() < value.len() { "…" } else { "" };
        format!("{} = {short}{rest}", self.key())
    }

    pub(crate) fn is_from(&self, this: &Source) -> bool {
        matches!(&self.origin, Origin::Written { source, .. } if source == this)
    }

    pub(crate) fn is_taken(&self) -> bool {
        self.fate == Fate::Taken
    }
}

impl fmt::Debug for Entry {
    /// The value may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} from {} {:?}", self.key(), self.origin, self.fate)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Written { source, line, .. } => write!(f, "{}:{line}", source.name),
            Origin::Variable(name) => f.write_str(name),
        }
    }
}

/// Something in the settings that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) source: Source,
    /// Line and column, where it is about a place.
    pub(crate) place: Option<(usize, usize)>,
    pub(crate) what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what: String = self.what.chars().take(MOST_LETTERS).collect();
        match self.place {
            Some((line, column)) => write!(f, "{}:{line}:{column}: {what}", self.source.name),
            None => write!(f, "{}: {what}", self.source.name),
        }
    }
}

/// Everything that is wrong, of all files at once.
#[derive(Debug)]
pub(crate) struct Problems(pub(crate) Vec<Problem>);

/// Letters of a value that are shown to somebody who decides about it.
const MAX_VALUE_LETTERS: usize = 200;
/// Letters of one problem that are shown at most.
const MOST_LETTERS: usize = 500;
/// Problems that are shown at most.
const MOST_SHOWN: usize = 40;

impl Problems {
    /// One line each, in the order of the files.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.0.iter().take(MOST_SHOWN).map(ToString::to_string).collect();
        if let Some(more) = self.0.len().checked_sub(MOST_SHOWN).filter(|more| *more > 0) {
            lines.push(format!("… and {more} more"));
        }
        lines
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the settings are not understood")
    }
}

impl std::error::Error for Problems {}
