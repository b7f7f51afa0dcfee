//! Names of plans and of their files. Random numbers and the question whether a name is taken are handed in.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::name_words::{MOODS, QUALITIES, THINGS};

const MAX_SLUG_BYTES: usize = 48;
const MAX_AGENT_ID_BYTES: usize = 64;
const EXTENSION: &str = ".md";
/// Between the slug and the agent in a file name. No slug holds this word, so a file name is read in one way only.
const AGENT_WORD: &str = "agent";

/// Two or three plain words that name a plan: `brave-quiet-fox`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Slug(String);

/// Why a text is no slug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SlugError {
    #[error("a plan name has at most {MAX_SLUG_BYTES} characters")]
    TooLong,
    #[error("a plan name has two or three words joined by '-', not {0}")]
    WordCount(usize),
    #[error("a plan name has no empty word")]
    EmptyWord,
    #[error("a plan name has only the letters a to z and '-', not {0:?}")]
    Character(char),
    #[error("the word \"agent\" is kept for the plans of subagents")]
    AgentWord,
}

impl Slug {
    /// Three words picked by a random number.
    pub fn from_seed(seed: u64) -> Self {
        let mut picker = WordPicker(seed);
        let words = [picker.word(&MOODS), picker.word(&QUALITIES), picker.word(&THINGS)];
        Self(words.join("-"))
    }

    /// The words, joined by `-`.
    #[cfg(test)]
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Spreads one random number over several picks.
struct WordPicker(u64);

impl WordPicker {
    fn word<'a>(&mut self, words: &[&'a str]) -> &'a str {
        // The SplitMix64 step: neighbouring seeds give unrelated words.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let at = mixed.checked_rem(words.len() as u64).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| words.get(at)).copied().unwrap_or("plain")
    }
}

impl FromStr for Slug {
    type Err = SlugError;

    fn from_str(text: &str) -> Result<Self, SlugError> {
        if text.len() > MAX_SLUG_BYTES {
            return Err(SlugError::TooLong);
        }
        if let Some(c) = text.chars().find(|c| !c.is_ascii_lowercase() && *c != '-') {
            return Err(SlugError::Character(c));
        }
        let words: Vec<&str> = text.split('-').collect();
        match words.as_slice() {
            _ if words.contains(&"") => Err(SlugError::EmptyWord),
            _ if words.contains(&AGENT_WORD) => Err(SlugError::AgentWord),
            [_, _] | [_, _, _] => Ok(Self(text.to_owned())),
            other => Err(SlugError::WordCount(other.len())),
        }
    }
}

impl TryFrom<String> for Slug {
    type Error = SlugError;

    fn try_from(text: String) -> Result<Self, SlugError> {
        text.parse()
    }
}

impl From<Slug> for String {
    fn from(slug: Slug) -> Self {
        slug.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of a subagent, safe inside a file name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AgentFileId(String);

/// Why a text is no agent id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgentIdError {
    #[error("an agent id is not empty")]
    Empty,
    #[error("an agent id has at most {MAX_AGENT_ID_BYTES} characters")]
    TooLong,
    #[error("an agent id has only ASCII letters, digits, '-' and '_', not {0:?}")]
    Character(char),
}

impl AgentFileId {}

impl FromStr for AgentFileId {
    type Err = AgentIdError;

    fn from_str(text: &str) -> Result<Self, AgentIdError> {
        if text.is_empty() {
            return Err(AgentIdError::Empty);
        }
        if text.len() > MAX_AGENT_ID_BYTES {
            return Err(AgentIdError::TooLong);
        }
        match text.chars().find(|c| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_')) {
            Some(c) => Err(AgentIdError::Character(c)),
            None => Ok(Self(text.to_owned())),
        }
    }
}

impl TryFrom<String> for AgentFileId {
    type Error = AgentIdError;

    fn try_from(text: String) -> Result<Self, AgentIdError> {
        text.parse()
    }
}

impl From<AgentFileId> for String {
    fn from(id: AgentFileId) -> Self {
        id.0
    }
}

impl fmt::Display for AgentFileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a plan file, without its folder.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PlanFileName {
    /// The plan of a session.
    Main(Slug),
    /// What a subagent of it handed back.
    Agent(Slug, AgentFileId),
}

impl fmt::Display for PlanFileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Main(slug) => write!(f, "{slug}{EXTENSION}"),
            Self::Agent(slug, agent) => write!(f, "{slug}-{AGENT_WORD}-{agent}{EXTENSION}"),
        }
    }
}

/// Why a file name is not that of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileNameError {
    #[error("a plan file ends in {EXTENSION}")]
    Extension,
    #[error(transparent)]
    Slug(#[from] SlugError),
    #[error(transparent)]
    Agent(#[from] AgentIdError),
}

impl FromStr for PlanFileName {
    type Err = FileNameError;

    fn from_str(name: &str) -> Result<Self, FileNameError> {
        let stem = name.strip_suffix(EXTENSION).ok_or(FileNameError::Extension)?;
        match stem.split_once("-agent-") {
            Some((slug, agent)) => Ok(Self::Agent(slug.parse()?, agent.parse()?)),
            None => Ok(Self::Main(stem.parse()?)),
        }
    }
}

#[cfg(test)]
#[path = "slug_tests.rs"]
mod tests;
