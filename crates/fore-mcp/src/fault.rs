//! What goes wrong with a server, in words for people and with what a caller must know: whether a call may have happened.

use std::fmt;

/// Most characters of a server's own words in a fault.
const MAX_SAID: usize = 600;

/// Whether a call that failed may have had its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallFate {
    /// It never got to the server, or the server refused it before doing anything.
    DidNotHappen,
    /// It was sent and not answered: it must not be repeated unless the tool is idempotent.
    MayHaveHappened,
}

/// The kinds of faults a caller tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpFaultKind {
    /// No connection came about.
    NotConnected,
    /// The server wants a login, or another one.
    NeedsLogin,
    /// The connection ended.
    Closed,
    /// The server said nothing for too long.
    Silent,
    /// The server answered with an error.
    Refused,
    /// The server's answer is not what the protocol says, or larger than is read.
    Unusable,
    /// Somebody here cancelled it.
    Cancelled,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpFault {
    /// Which kind it is.
    pub kind: McpFaultKind,
    /// In words for people; what the server said in it is bounded and has no hidden characters.
    pub message: String,
    /// What became of the call, if it was one.
    pub fate: CallFate,
    /// What an HTTP server said about the login it wants.
    pub(crate) challenge: Option<String>,
    /// The number that the protocol has for a refusal.
    pub(crate) code: Option<i32>,
}

/// The number of JSON-RPC for something that a server does not know.
const UNKNOWN_METHOD: i32 = -32601;

impl McpFault {
    pub(crate) fn new(kind: McpFaultKind, message: impl AsRef<str>) -> McpFault {
        McpFault { kind, message: shown(message.as_ref()), fate: CallFate::DidNotHappen, challenge: None, code: None }
    }

    /// Whether the server does not know what it was asked.
    pub(crate) fn is_unknown_method(&self) -> bool {
        self.code == Some(UNKNOWN_METHOD)
    }

    pub(crate) fn after_sending(self) -> McpFault {
        McpFault { fate: CallFate::MayHaveHappened, ..self }
    }
}

impl fmt::Display for McpFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for McpFault {}

/// A server's words on one line, bounded and visible.
pub(crate) fn shown(said: &str) -> String {
    fore_text::line(&fore_text::cut::one_line(&fore_text::cut::ellipsis(said, MAX_SAID))).into_owned()
}
