//! A connection to one server: what it offers, calls, and what it says by itself.

mod client_side;
mod exchange;
mod handshake;
mod http_fault;
mod pipe;
mod start;
mod subscription;
mod two_channels;
pub(crate) mod web;

use crate::content::{McpContent, McpProgress, McpResult, ResultRoom};
use crate::elicitation::ElicitationHandler;
use crate::entry::ServerEntry;
use crate::events::{EventSink, McpEvent, McpEvents};
use crate::fault::{McpFault, McpFaultKind};
use crate::login::{LoginHandler, TokenStore};
use crate::offers::{MAX_OFFERS, McpPrompt, McpPromptText, McpResource};
use crate::tool::McpToolList;
use client_side::ClientSide;
use exchange::{Patience, exchange};
use pipe::Pipes;
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequestParams, ClientRequest, GetPromptRequestParams, PaginatedRequestParams, ReadResourceRequestParams,
    Request, RequestOptionalParam,
};
use rmcp::service::{Peer, RunningServiceCancellationToken};
use serde_json::{Map, Value};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Mutex as AsyncMutex, Notify, mpsc};
use tokio::task::AbortHandle;

/// Pages and entries of one list.
const MAX_PAGES: usize = 100;
const MAX_ENTRIES: usize = 2000;
const MAX_NAME: usize = 128;
const MAX_INSTRUCTIONS: usize = 16 << 10;
const MAX_CLOSING: Duration = Duration::from_secs(6);

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

/// Whether the connection still stands.
#[derive(Debug, Default)]
struct ConnectionLife {
    is_over: AtomicBool,
    over: Notify,
}

/// A live connection. Dropping it ends it; pipes are closed then, and whoever started the program ends that.
pub struct McpConnection {
    peer: Peer<RoleClient>,
    side: ClientSide,
    identity: ServerIdentity,
    instructions: Option<String>,
    tools: AsyncMutex<Option<(u64, Arc<McpToolList>)>>,
    life: Arc<ConnectionLife>,
    /// Ends the library's task.
    end: Option<RunningServiceCancellationToken>,
    listener: Option<AbortHandle>,
    /// How it came about, to do it again.
    origin: Option<(ServerEntry, HttpOptions)>,
}

impl McpConnection {
    /// Connects to a program over its pipes: `read` is its output, `write` its input.
    pub async fn over_pipes(
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
        options: ConnectOptions,
    ) -> Result<McpConnection, McpFault> {
        let sink = EventSink::default();
        let side = ClientSide::new(options, sink.clone());
        let pipes = Pipes::new(Box::new(read), Box::new(write), sink.clone());
        let running = start::over_pipes(pipes.clone(), &side, &sink).await?;
        Ok(McpConnection::new(running, side, None, Some(pipes)))
    }

    /// Connects over HTTP: streamable or, for `ServerTransport::Sse`, with two channels. The entry's variables are filled in already.
    pub async fn over_http(
        entry: &ServerEntry,
        http: HttpOptions,
        options: ConnectOptions,
    ) -> Result<McpConnection, McpFault> {
        let side = ClientSide::new(options, EventSink::default());
        let running = start::over_http(entry, &http, &side, None).await?;
        Ok(McpConnection::new(running, side, Some((entry.clone(), http)), None))
    }

    /// Connects anew to an HTTP server, with the login that it asked for if that is what the fault is about.
    pub async fn reconnect(&self, after: &McpFault) -> Result<McpConnection, McpFault> {
        let Some((entry, http)) = &self.origin else {
            return Err(McpFault::new(McpFaultKind::NotConnected, "a program is started anew instead"));
        };
        let side = ClientSide::new(self.side.options.clone(), EventSink::default());
        let challenge = after.challenge.clone().filter(|_| after.kind == McpFaultKind::NeedsLogin);
        let running = start::over_http(entry, http, &side, challenge).await?;
        Ok(McpConnection::new(running, side, Some((entry.clone(), http.clone())), None))
    }

    fn new(
        running: start::Running,
        side: ClientSide,
        origin: Option<(ServerEntry, HttpOptions)>,
        pipes: Option<Pipes>,
    ) -> McpConnection {
        let peer = running.peer().clone();
        let info = peer.peer_info();
        let line = |text: &str| fore_text::line(fore_text::cut::chars(text, MAX_NAME)).into_owned();
        let (mut identity, mut instructions) = (ServerIdentity::default(), None);
        if let Some(info) = &info {
            identity.protocol = line(info.protocol_version.as_str());
            if let Some(server) = &info.server_info {
                (identity.name, identity.version) = (line(&server.name), line(&server.version));
            }
            instructions = info
                .instructions
                .as_deref()
                .filter(|text| !text.trim().is_empty())
                .map(|text| fore_text::prose(fore_text::cut::bytes(text, MAX_INSTRUCTIONS)).into_owned());
        }
        let listener = subscription::listen(&peer, info.as_deref(), &side);
        let life = Arc::new(ConnectionLife::default());
        let end = Some(running.cancellation_token());
        let (told, sink) = (Arc::clone(&life), side.sink.clone());
        tokio::spawn(async move {
            let _ = running.waiting().await;
            let reason = pipes.and_then(|pipes| pipes.ended()).unwrap_or_else(|| "the connection ended".to_owned());
            told.is_over.store(true, Ordering::Release);
            sink.tell(McpEvent::Closed { reason });
            told.over.notify_waiters();
        });
        McpConnection { peer, side, identity, instructions, tools: AsyncMutex::default(), life, end, listener, origin }
    }

    /// Hears what the server says by itself. One receiver gets each event.
    pub fn events(&self) -> McpEvents {
        self.side.sink.receiver()
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
        // Who asks meanwhile waits for the same list.
        let mut kept = self.tools.lock().await;
        let generation = self.side.tools_generation();
        if let Some((known, list)) = kept.as_ref()
            && *known == generation
        {
            return Ok(Arc::clone(list));
        }
        let mut list = McpToolList::default();
        let request = |params| ClientRequest::ListToolsRequest(with_params(params));
        for tool in self.pages("tools", request).await? {
            list.add(&tool);
        }
        let list = Arc::new(list);
        *kept = Some((generation, Arc::clone(&list)));
        Ok(list)
    }

    /// Calls a tool. Dropping the future cancels the call and tells the server.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        options: CallOptions,
    ) -> Result<McpResult, McpFault> {
        let CallOptions { progress, timeout } = options;
        let patience = Patience { timeout: timeout.unwrap_or(self.side.options.call_timeout), progress };
        let request = |answers, state| {
            let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments.clone());
            (params.input_responses, params.request_state) = (answers, state);
            ClientRequest::CallToolRequest(Request::new(params))
        };
        Ok(McpResult::read(&exchange(&self.peer, &self.side, &patience, request).await?))
    }

    /// Its resources, and patterns of their addresses.
    pub async fn resources(&self) -> Result<Vec<McpResource>, McpFault> {
        let request = |params| ClientRequest::ListResourcesRequest(with_params(params));
        let mut found: Vec<McpResource> = self
            .pages("resources", request)
            .await?
            .iter()
            .filter_map(|resource| McpResource::read(resource, false))
            .take(MAX_OFFERS)
            .collect();
        let request = |params| ClientRequest::ListResourceTemplatesRequest(with_params(params));
        let templates = self.pages("resourceTemplates", request).await?;
        found.extend(templates.iter().filter_map(|template| McpResource::read(template, true)).take(MAX_OFFERS));
        Ok(found)
    }

    /// The contents of a resource.
    pub async fn read_resource(&self, uri: &str) -> Result<Vec<McpContent>, McpFault> {
        let request = |answers, state| {
            let mut params = ReadResourceRequestParams::new(uri);
            (params.input_responses, params.request_state) = (answers, state);
            ClientRequest::ReadResourceRequest(Request::new(params))
        };
        let value = exchange(&self.peer, &self.side, &self.patience(), request).await?;
        Ok(ResultRoom::new().resources(value.get("contents").and_then(Value::as_array).map_or(&[], Vec::as_slice)))
    }

    /// Its prompts.
    pub async fn prompts(&self) -> Result<Vec<McpPrompt>, McpFault> {
        let request = |params| ClientRequest::ListPromptsRequest(with_params(params));
        let prompts = self.pages("prompts", request).await?;
        Ok(prompts.iter().filter_map(McpPrompt::read).take(MAX_OFFERS).collect())
    }

    /// A prompt with its arguments filled in.
    pub async fn get_prompt(&self, name: &str, arguments: Map<String, Value>) -> Result<McpPromptText, McpFault> {
        let request = |answers, state| {
            let mut params = GetPromptRequestParams::new(name).with_arguments(arguments.clone());
            (params.input_responses, params.request_state) = (answers, state);
            ClientRequest::GetPromptRequest(Request::new(params))
        };
        Ok(McpPromptText::read(&exchange(&self.peer, &self.side, &self.patience(), request).await?))
    }

    /// Whether the connection still stands.
    pub fn is_open(&self) -> bool {
        !self.life.is_over.load(Ordering::Acquire)
    }

    /// Ends it in good order, within a bounded time.
    pub async fn close(mut self) {
        if let Some(end) = self.end.take() {
            let over = self.life.over.notified();
            end.cancel();
            if self.is_open() {
                let _ = tokio::time::timeout(MAX_CLOSING, over).await;
            }
        }
    }

    fn patience(&self) -> Patience {
        Patience { timeout: self.side.options.call_timeout, progress: None }
    }

    /// All pages of a list. A server that does not know the list has nothing in it.
    async fn pages(
        &self,
        key: &str,
        request: impl Fn(PaginatedRequestParams) -> ClientRequest,
    ) -> Result<Vec<Value>, McpFault> {
        let mut found = Vec::new();
        let mut cursor: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let params = || PaginatedRequestParams::default().with_cursor(cursor.clone());
            let page = exchange(&self.peer, &self.side, &self.patience(), |_, _| request(params())).await;
            let mut page = match page {
                Ok(page) => page,
                Err(fault) if found.is_empty() && fault.is_unknown_method() => return Ok(found),
                Err(fault) => return Err(fault),
            };
            if let Some(Value::Array(list)) = page.get_mut(key).map(Value::take) {
                found.extend(list);
            }
            let next = page.get("nextCursor").and_then(Value::as_str).filter(|next| !next.is_empty());
            let next = next.map(str::to_owned);
            // A page that leads to itself has no end.
            if next.is_none() || next == cursor || found.len() >= MAX_ENTRIES {
                break;
            }
            cursor = next;
        }
        found.truncate(MAX_ENTRIES);
        Ok(found)
    }
}

impl fmt::Debug for McpConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpConnection").field("identity", &self.identity).finish_non_exhaustive()
    }
}

impl Drop for McpConnection {
    fn drop(&mut self) {
        if let Some(listener) = self.listener.take() {
            listener.abort();
        }
        if let Some(end) = self.end.take() {
            end.cancel();
        }
    }
}

fn with_params<M: Default>(params: PaginatedRequestParams) -> RequestOptionalParam<M, PaginatedRequestParams> {
    RequestOptionalParam::with_param(params)
}
