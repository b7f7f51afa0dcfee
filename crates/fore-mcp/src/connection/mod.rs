//! A connection to one server: what it offers, calls, and what it says by itself.

use crate::content::{McpContent, McpProgress, McpResult};
use crate::elicitation::ElicitationHandler;
use crate::events::{EventSink, McpEvents};
use crate::fault::{McpFault, McpFaultKind};
use crate::login::{LoginHandler, TokenStore};
use crate::offers::{McpPrompt, McpPromptText, McpResource};
use crate::tool::McpToolList;
use serde_json::{Map, Value};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;

/// Who a server says it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerIdentity {
    /// Its name; hidden characters are marks.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The version of the protocol that both speak.
    pub protocol: String,
}

/// How to connect.
#[derive(Clone)]
pub struct ConnectOptions {
    /// Our name and version, for the server.
    pub client: (String, String),
    /// Told to servers that ask for roots.
    pub workspace: PathBuf,
    /// How long it may take until the server has answered for the first time.
    pub start_timeout: Duration,
    /// How long any other answer may take without a sign of life: each notice of progress begins it anew.
    pub call_timeout: Duration,
    /// Brings a server's questions to the person; without one they are cancelled.
    pub elicitation: Option<Arc<dyn ElicitationHandler>>,
}

/// How to connect over HTTP.
#[derive(Clone)]
pub struct HttpOptions {
    /// Our name for servers, as in `forethought/1.0`.
    pub user_agent: String,
    /// The person's proxy; without one the usual variables are obeyed.
    pub proxy: Option<String>,
    /// Where tokens are kept; without one there is no login.
    pub tokens: Option<Arc<dyn TokenStore>>,
    /// Takes the person through a login; without one a server that wants a login is a fault of its kind.
    pub login: Option<Arc<dyn LoginHandler>>,
}

/// How to call.
#[derive(Clone, Debug, Default)]
pub struct CallOptions {
    /// Hears of progress; when it is full, notices are left out.
    pub progress: Option<mpsc::Sender<McpProgress>>,
    /// Instead of the connection's.
    pub timeout: Option<Duration>,
}

impl fmt::Debug for ConnectOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectOptions").field("client", &self.client).finish_non_exhaustive()
    }
}

impl fmt::Debug for HttpOptions {
    // A proxy's address may hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOptions").field("user_agent", &self.user_agent).finish_non_exhaustive()
    }
}

/// A live connection. Dropping it ends it; pipes are closed then, and whoever started the program ends that.
#[derive(Debug)]
pub struct McpConnection {
    sink: EventSink,
    identity: ServerIdentity,
    instructions: Option<String>,
}

fn later<T>() -> Result<T, McpFault> {
    Err(McpFault::new(McpFaultKind::NotConnected, "no connection"))
}

impl McpConnection {
    /// Connects to a program over its pipes: `read` is its output, `write` its input.
    pub async fn over_pipes(
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
        options: ConnectOptions,
    ) -> Result<McpConnection, McpFault> {
        let _ = (read, write, options);
        later()
    }

    /// Connects over HTTP: streamable or, for `ServerTransport::Sse`, with two channels. The entry's variables are filled in already.
    pub async fn over_http(
        entry: &crate::ServerEntry,
        http: HttpOptions,
        options: ConnectOptions,
    ) -> Result<McpConnection, McpFault> {
        let _ = (entry, http, options);
        later()
    }

    /// Hears what the server says by itself. One receiver gets each event.
    pub fn events(&self) -> McpEvents {
        self.sink.receiver()
    }

    /// Who the server says it is.
    pub fn server_info(&self) -> &ServerIdentity {
        &self.identity
    }

    /// What it says about how to use it: bounded, hidden characters are marks. A model is to read it as a stranger's words.
    pub fn instructions(&self) -> Option<&str> {
        self.instructions.as_deref()
    }

    /// Its tools; asked for again once the server said that they changed.
    pub async fn tools(&self) -> Result<Arc<McpToolList>, McpFault> {
        later()
    }

    /// Calls a tool. Dropping the future cancels the call and tells the server.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        options: CallOptions,
    ) -> Result<McpResult, McpFault> {
        let _ = (tool, arguments, options);
        later()
    }

    /// Its resources, and patterns of their addresses.
    pub async fn resources(&self) -> Result<Vec<McpResource>, McpFault> {
        later()
    }

    /// The contents of a resource.
    pub async fn read_resource(&self, uri: &str) -> Result<Vec<McpContent>, McpFault> {
        let _ = uri;
        later()
    }

    /// Its prompts.
    pub async fn prompts(&self) -> Result<Vec<McpPrompt>, McpFault> {
        later()
    }

    /// A prompt with its arguments filled in.
    pub async fn get_prompt(&self, name: &str, arguments: Map<String, Value>) -> Result<McpPromptText, McpFault> {
        let _ = (name, arguments);
        later()
    }

    /// Whether the connection still stands.
    pub fn is_open(&self) -> bool {
        false
    }

    /// Ends it in good order, within a bounded time.
    pub async fn close(self) {}
}
