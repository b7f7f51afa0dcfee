//! What a command would do, with the words that show it. Never says what to do about it: that is the gate's business.

use serde::{Deserialize, Serialize};

/// What a command would do, from harmless to certain harm. A compound takes the strongest of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Proved: changes nothing and stays on this machine.
    Reads,
    /// Proved to change nothing here, but talks to somebody outside.
    Network,
    /// Runs code that the tables know nothing about: builds, tests, interpreters, unknown programs.
    Runs,
    /// Could not be analysed.
    Unknown,
    /// Changes something, shown by the evidence.
    Writes,
}

/// A byte range of the judged text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// One reason for a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub kind: Kind,
    /// Stable name of the rule that fired, such as `sort.-o`, `redirect`, `git.branch.-D`, `syntax.limit`.
    pub rule: String,
    /// The word that showed it, as written (bounded).
    pub word: String,
    /// Where that word stands in the judged text, if it does.
    pub span: Option<Span>,
    /// The reason in plain words: "`sort -o` writes a file".
    pub why: String,
}

/// Somebody outside the file system that a command talks to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// A host by its literal name: `api.github.com`.
    Host(String),
    /// A host that the text does not name.
    AnyHost,
    /// A service on this machine behind a socket: `docker`.
    Daemon(String),
}

/// What a command would do, and why we think so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub kind: Kind,
    /// Strongest first, at most [`Finding::MOST_EVIDENCE`]; empty for plain reads.
    pub evidence: Vec<Evidence>,
    /// Sorted, without repeats, at most [`Finding::MOST_REACH`] (beyond that: `AnyHost`).
    pub reach: Vec<Reach>,
    /// Absolute paths that are certainly read, as far as they are literal; at most [`Finding::MOST_PATHS`]. Serves deny rules.
    pub paths: Vec<String>,
    /// Every simple command that was met, wrapped ones included, word by word; a word decided at run time is none. Serves
    /// rules about commands, and is all of them unless the kind is `Unknown`.
    #[serde(skip)]
    pub commands: Vec<Vec<Option<String>>>,
}

impl Finding {
    pub const MOST_EVIDENCE: usize = 8;
    pub const MOST_REACH: usize = 8;
    pub const MOST_PATHS: usize = 64;

    /// A proved read.
    pub fn reads() -> Finding {
        Finding { kind: Kind::Reads, evidence: Vec::new(), reach: Vec::new(), paths: Vec::new(), commands: Vec::new() }
    }

    /// A finding with one piece of evidence.
    pub fn because(evidence: Evidence) -> Finding {
        Finding {
            kind: evidence.kind,
            evidence: vec![evidence],
            reach: Vec::new(),
            paths: Vec::new(),
            commands: Vec::new(),
        }
    }

    /// A read that needs a service on this machine, such as docker's. It stays `Reads`; the gate sees the need in `reach`.
    pub fn daemon(name: &str) -> Finding {
        Finding { reach: vec![Reach::Daemon(name.into())], ..Finding::reads() }
    }

    /// Both together: the stronger kind, all evidence (bounded), all reach.
    #[must_use]
    pub fn and(mut self, other: Finding) -> Finding {
        self.kind = self.kind.max(other.kind);
        self.evidence.extend(other.evidence);
        self.evidence.sort_by_key(|e| std::cmp::Reverse(e.kind));
        self.evidence.truncate(Self::MOST_EVIDENCE);
        self.reach.extend(other.reach);
        self.reach.sort();
        self.reach.dedup();
        if self.reach.len() > Self::MOST_REACH {
            self.reach.truncate(Self::MOST_REACH - 1);
            self.reach.push(Reach::AnyHost);
        }
        self.paths.extend(other.paths);
        self.paths.truncate(Self::MOST_PATHS);
        self.commands.extend(other.commands);
        self
    }
}
