//! What was wrong with the requests, in words a person can act on.

use std::fmt;

use crate::protocol::WireProtocol;

/// One rule that one request broke.
#[derive(Clone, PartialEq, Eq)]
pub struct Violation {
    /// The number of the request, from 0, in the order of arrival.
    pub request: usize,
    /// The protocol it spoke.
    pub protocol: Option<WireProtocol>,
    /// The conversation it belongs to, as far as that was known.
    pub conversation: Option<String>,
    /// The rule.
    pub rule: &'static str,
    /// The place in the request.
    pub place: String,
    /// What should be there.
    pub expected: String,
    /// What is there.
    pub found: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let protocol = self.protocol.map_or("no known protocol", WireProtocol::name);
        let conversation = self.conversation.as_deref().map(|name| format!(", {name}")).unwrap_or_default();
        writeln!(f, "request {} ({protocol}{conversation}) breaks: {}", self.request, self.rule)?;
        writeln!(f, "  at        {}", self.place)?;
        writeln!(f, "  expected  {}", self.expected.replace('\n', "\n            "))?;
        write!(f, "  found     {}", self.found.replace('\n', "\n            "))
    }
}

impl fmt::Debug for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Why a test fails: violations, and turns that were never delivered.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerReport {
    /// Rules that were broken, in the order of discovery.
    pub violations: Vec<Violation>,
    /// Turns that nobody asked for, for example `main: turn 2 of 3`.
    pub unused: Vec<String>,
}

impl fmt::Display for ServerReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for violation in &self.violations {
            writeln!(f, "{violation}")?;
        }
        for turn in &self.unused {
            writeln!(f, "never asked for: {turn}")?;
        }
        Ok(())
    }
}

// `finish().unwrap()` in a test prints this: the report itself, not its escaped form.
impl fmt::Debug for ServerReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for ServerReport {}

/// The broken rules of one request, while it is being read.
#[derive(Debug, Default)]
pub(crate) struct BrokenRules {
    pub(crate) list: Vec<BrokenRule>,
}

/// A broken rule, before it is known which request broke it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BrokenRule {
    pub(crate) rule: &'static str,
    pub(crate) place: String,
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl BrokenRules {
    pub(crate) fn add(
        &mut self,
        rule: &'static str,
        place: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) {
        self.list.push(BrokenRule { rule, place: place.into(), expected: expected.into(), found: found.into() });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
