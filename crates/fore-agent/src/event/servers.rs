//! What a session says of its MCP servers to whoever asks with [`crate::Command::Mcp`].

use fore_plan::plan::Hash;
use serde::{Deserialize, Serialize};

/// What somebody wants to know of MCP servers, or to be done with one. As JSON the field `do` names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum McpWish {
    /// All servers, or this one with its log ([`crate::Event::McpServers`]).
    List {
        #[serde(default)]
        server: Option<String>,
    },
    /// Stops a server; it starts again when it is needed, and at once where that is allowed.
    Restart { server: String },
    /// What a vouch would be for: a tool's definition or, without one, how the server is started ([`crate::Event::McpVouchShown`]).
    LookAt {
        server: String,
        #[serde(default)]
        tool: Option<String>,
    },
    /// Vouches for exactly what was shown: that the tool only reads or, without one, that the server may be started.
    Vouch {
        server: String,
        #[serde(default)]
        tool: Option<String>,
        hash: Hash,
    },
    /// Takes a vouch back.
    Unvouch {
        server: String,
        #[serde(default)]
        tool: Option<String>,
    },
}

/// A resource of a server, for completion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct McpResourceRow {
    /// Whose it is.
    pub server: String,
    /// Its address.
    pub uri: String,
    /// What it is called.
    pub name: String,
}

/// One server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct McpServerRow {
    /// Its name.
    pub name: String,
    /// What is run, whole, or its address; variables as they are written.
    pub shown: String,
    /// Whether the project names it, and not the person.
    pub of_project: bool,
    /// How it is.
    pub state: McpServerState,
    /// Who it says it is.
    pub identity: Option<String>,
    /// Its tools, as far as they are known.
    pub tools: Vec<McpToolRow>,
    /// Tools that cannot be used, with the reason.
    pub left_out: Vec<String>,
    /// The last of what it said by itself and on its error output; only where this server was asked about.
    pub log: Vec<String>,
}

/// How a server is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum McpServerState {
    /// Switched off.
    Off,
    /// The person has not vouched for how it is started, or for something else than this.
    NeedsTrust,
    /// It starts when it is needed.
    Ready,
    /// It is connected, in the read-only sandbox or as work is held.
    Connected {
        /// In the read-only sandbox.
        read_only: bool,
    },
    /// It could not be started, or has ended.
    Failed {
        /// Why, with the end of its error output.
        why: String,
    },
}

/// One tool of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct McpToolRow {
    /// Its name.
    pub name: String,
    /// Whether its server says that it only reads, and not that it destroys something.
    pub says_it_only_reads: bool,
    /// Whether the person vouched for it.
    pub vouch: McpVouchState,
}

/// Whether a vouch holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum McpVouchState {
    /// For exactly what there is.
    Holds,
    /// It was for something else.
    Changed,
    /// There is none.
    None,
}

/// What a person looks at before they vouch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct McpVouchShown {
    /// The server.
    pub server: String,
    /// Its tool; none: how it is started.
    pub tool: Option<String>,
    /// What it is, to the letter, hidden characters as marks.
    pub content: String,
    /// What has changed since the person last vouched for it.
    pub difference: Option<String>,
    /// What the vouch would be for.
    pub hash: Hash,
    /// Whether they vouched for exactly this already.
    pub holds: bool,
    /// What a vouch cannot change.
    pub note: Option<String>,
}
