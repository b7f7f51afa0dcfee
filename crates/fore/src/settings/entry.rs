//! One value that somebody set: what, where, and what became of it. Data only.

use fore_text::cut;
use serde_json::Value;
use std::{fmt, sync::Arc};

/// One value of one layer; each item of a list is one.
#[derive(Clone, PartialEq)]
pub(crate) struct SettingEntry {
    /// The names that lead to it, such as `plan`, `unproven`.
    pub(crate) path: Vec<String>,
    pub(crate) value: Value,
    pub(crate) origin: SettingOrigin,
    pub(crate) fate: Fate,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SettingOrigin {
    Written { source: SettingsSource, line: usize, column: usize },
    Variable(&'static str),
}

/// One text with settings in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingsSource {
    pub(crate) layer: SettingsLayer,
    /// As people know it: `~/.forethought/settings.json`.
    pub(crate) name: Arc<str>,
}

/// Who wrote a file. Later ones win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SettingsLayer {
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
    Refused(super::guard::GuardRefusal),
}

impl SettingsLayer {
    pub(crate) fn name(self) -> &'static str {
        match self {
            SettingsLayer::User => "user",
            SettingsLayer::Project => "project",
            SettingsLayer::ProjectLocal => "project-local",
            SettingsLayer::CommandLine => "command line",
        }
    }

    /// Files that come with the folder one works in, which somebody else may have written.
    pub(crate) fn is_of_the_repository(self) -> bool {
        match self {
            SettingsLayer::Project | SettingsLayer::ProjectLocal => true,
            SettingsLayer::User | SettingsLayer::CommandLine => false,
        }
    }
}

impl SettingEntry {
    /// The whole name: `plan.unproven`.
    pub(crate) fn key(&self) -> String {
        self.path.join(".")
    }

    /// Who wrote it; none for a variable.
    pub(super) fn layer(&self) -> Option<SettingsLayer> {
        match &self.origin {
            SettingOrigin::Written { source, .. } => Some(source.layer),
            SettingOrigin::Variable(_) => None,
        }
    }

    /// Key and value for somebody who decides about them; a header may hold a key of theirs.
    pub(super) fn in_words(&self) -> String {
        let is_of_mcp = self.path.first().is_some_and(|part| part == "mcp");
        if self.path.iter().any(|part| part == "headers" || is_of_mcp && part == "env") {
            return self.key();
        }
        format!("{} = {}", self.key(), cut::ellipsis(&self.value.to_string(), MAX_VALUE_LETTERS))
    }

    pub(crate) fn is_from(&self, this: &SettingsSource) -> bool {
        matches!(&self.origin, SettingOrigin::Written { source, .. } if source == this)
    }

    pub(crate) fn is_taken(&self) -> bool {
        self.fate == Fate::Taken
    }
}

impl fmt::Debug for SettingEntry {
    /// The value may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} from {} {:?}", self.key(), self.origin, self.fate)
    }
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingOrigin::Written { source, line, .. } => write!(f, "{}:{line}", source.name),
            SettingOrigin::Variable(name) => f.write_str(name),
        }
    }
}

/// Something in the settings that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingsProblem {
    pub(crate) source: SettingsSource,
    /// Line and column, where it is about a place.
    pub(crate) place: Option<(usize, usize)>,
    pub(crate) what: String,
    pub(crate) weight: ProblemWeight,
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProblemWeight {
    /// What the person means is not clear.
    Wrong,
    /// A key that this version does not have; a newer one of whoever shares the file may.
    UnknownKey,
}

impl SettingsProblem {
    pub(super) fn wrong(source: SettingsSource, what: String) -> SettingsProblem {
        SettingsProblem { source, place: None, what, weight: ProblemWeight::Wrong }
    }

    /// In a file that others write for other versions too, a key that nobody knows here says nothing.
    pub(super) fn is_only_a_warning(&self) -> bool {
        self.weight == ProblemWeight::UnknownKey && self.source.layer.is_of_the_repository()
    }
}

impl fmt::Display for SettingsProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = cut::chars(&self.what, MAX_LETTERS);
        match self.place {
            Some((line, column)) => write!(f, "{}:{line}:{column}: {what}", self.source.name),
            None => write!(f, "{}: {what}", self.source.name),
        }
    }
}

/// Everything that is wrong, of all files at once.
#[derive(Debug)]
pub(crate) struct SettingsProblems(pub(crate) Vec<SettingsProblem>);

/// Letters of a value that are shown to somebody who decides about it.
const MAX_VALUE_LETTERS: usize = 200;
/// Letters of one problem that are shown at most.
const MAX_LETTERS: usize = 500;
/// Problems that are shown at most.
const MAX_SHOWN: usize = 40;

impl SettingsProblems {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether something is wrong in this text.
    pub(crate) fn are_in(&self, source: &SettingsSource) -> bool {
        self.0.iter().any(|problem| problem.source == *source)
    }

    /// One line each, in the order of the files.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.0.iter().take(MAX_SHOWN).map(ToString::to_string).collect();
        if let Some(more) = self.0.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
            lines.push(format!("… and {more} more"));
        }
        lines
    }
}

impl fmt::Display for SettingsProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is a mistake in the settings")
    }
}

impl std::error::Error for SettingsProblems {}
