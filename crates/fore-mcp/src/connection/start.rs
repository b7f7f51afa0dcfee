//! How a connection comes about: over pipes, over HTTP with or without a login, and over two channels where that is all a server has.

use super::client_side::ClientSide;
use super::handshake::{self, Era};
use super::pipe::Pipes;
use super::two_channels::TwoChannels;
use super::web::{self, Web};
use super::{HttpOptions, http_fault};
use crate::entry::{ServerEntry, ServerTransport};
use crate::events::EventSink;
use crate::fault::{McpFault, McpFaultKind};
use crate::login;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::RoleClient;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, ClientLifecycleMode, RunningService, serve_client_with_lifecycle};
use rmcp::transport::auth::AuthorizationManager;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransport, StreamableHttpClientTransportConfig};
use rmcp::transport::{AuthClient, Transport};
use std::collections::HashMap;
use std::time::Duration;

pub(crate) type Running = RunningService<RoleClient, ClientSide>;

/// Logins in one try to connect: the first, and one for more rights.
const MAX_LOGINS: usize = 2;

/// The old handshake, or the discovery of the new era.
fn mode(era: Era) -> ClientLifecycleMode {
    match era {
        Era::Handshake => ClientLifecycleMode::Initialize,
        Era::Discovery => ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::LATEST] },
    }
}

pub(crate) async fn over_pipes(pipes: Pipes, side: &ClientSide, sink: &EventSink) -> Result<Running, McpFault> {
    let configs = (side.config(Some(Era::Handshake)), side.config(Some(Era::Discovery)));
    let timeout = side.options.start_timeout;
    let era = handshake::shake_hands(&pipes, (&configs.0, &configs.1), timeout, sink).await?;
    within(timeout, serve(side.of(era), pipes, mode(era))).await
}

async fn serve<T>(side: ClientSide, transport: T, mode: ClientLifecycleMode) -> Result<Running, McpFault>
where
    T: Transport<RoleClient> + Send + 'static,
    T::Error: Send + Sync,
{
    serve_client_with_lifecycle(side, transport, mode)
        .await
        .map_err(|error: ClientInitializeError| http_fault::of_start(&error))
}

async fn within<T>(timeout: Duration, work: impl Future<Output = Result<T, McpFault>>) -> Result<T, McpFault> {
    match tokio::time::timeout(timeout, work).await {
        Ok(result) => result,
        Err(_) => {
            let waited = timeout.as_secs_f32();
            Err(McpFault::new(McpFaultKind::Silent, format!("it did not answer within {waited:.0} s")))
        }
    }
}

/// Where a server is, and how it is spoken to.
struct Target<'a> {
    url: &'a str,
    headers: HashMap<HeaderName, HeaderValue>,
    http: &'a HttpOptions,
    side: &'a ClientSide,
}

/// Connects; `challenge` is what the server said last time, when it wanted another login.
pub(crate) async fn over_http(
    entry: &ServerEntry,
    http: &HttpOptions,
    side: &ClientSide,
    challenge: Option<String>,
) -> Result<Running, McpFault> {
    let (url, pairs, has_two_channels) = match &entry.transport {
        ServerTransport::Http { url, headers } => (url, headers, false),
        ServerTransport::Sse { url, headers } => (url, headers, true),
        ServerTransport::Stdio { .. } => {
            return Err(McpFault::new(McpFaultKind::NotConnected, "this server is a program"));
        }
    };
    let headers = web::headers(pairs)?;
    let target = Target { url, headers, http, side };
    if has_two_channels {
        return within(side.options.start_timeout, target.two_channels()).await;
    }
    let has_own_login = target.headers.keys().any(|name| name == reqwest::header::AUTHORIZATION);
    let tokens = http.tokens.as_ref().filter(|_| !has_own_login);
    let Some(tokens) = tokens else {
        return within(side.options.start_timeout, target.streamable(None)).await;
    };
    let mut manager = Some(login::with_kept_tokens(url, tokens).await?);
    let mut wanted = challenge;
    for _ in 0..MAX_LOGINS {
        if let Some(challenge) = wanted.take() {
            let Some(handler) = &http.login else {
                let fault = McpFault::new(McpFaultKind::NeedsLogin, "the server wants a login");
                return Err(McpFault { challenge: Some(challenge), ..fault });
            };
            manager = Some(login::log_in(url, tokens, handler, &challenge).await?);
        }
        match within(side.options.start_timeout, target.streamable(manager.take())).await {
            Err(fault) if fault.kind == McpFaultKind::NeedsLogin && http.login.is_some() => {
                wanted = Some(fault.challenge.unwrap_or_default());
            }
            other => return other,
        }
    }
    match wanted {
        Some(challenge) => {
            let Some(handler) = &http.login else {
                return Err(McpFault::new(McpFaultKind::NeedsLogin, "the server wants a login"));
            };
            let manager = login::log_in(url, tokens, handler, &challenge).await?;
            within(side.options.start_timeout, target.streamable(Some(manager))).await
        }
        None => Err(McpFault::new(McpFaultKind::NeedsLogin, "the server wants a login again and again")),
    }
}

impl Target<'_> {
    /// Asks for the new era first: over HTTP who does not know it says so at once.
    async fn streamable(&self, manager: Option<AuthorizationManager>) -> Result<Running, McpFault> {
        let web = Web::new(self.http, self.url)?;
        let config = || {
            StreamableHttpClientTransportConfig::with_uri(self.url)
                .custom_headers(self.headers.clone())
                .max_sse_event_size(super::pipe::MAX_MESSAGE)
                // A new session forgets what the old one knew: that is for the caller to decide.
                .reinit_on_expired_session(false)
        };
        let mode = ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::LATEST],
            legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
        };
        let side = self.side.clone();
        let result = match manager {
            Some(manager) => {
                let client = AuthClient::new(web.clone(), manager);
                serve(side, StreamableHttpClientTransport::with_client(client, config()), mode).await
            }
            None => serve(side, StreamableHttpClientTransport::with_client(web.clone(), config()), mode).await,
        };
        match result {
            Err(first) if first.kind != McpFaultKind::NeedsLogin && web.is_not_streamable() => {
                self.two_channels().await.map_err(|second| {
                    if second.kind == McpFaultKind::NeedsLogin {
                        return second;
                    }
                    McpFault::new(first.kind, format!("{}; as an older server: {}", first.message, second.message))
                })
            }
            other => other,
        }
    }

    async fn two_channels(&self) -> Result<Running, McpFault> {
        let web = Web::new(self.http, self.url)?;
        let sink = self.side.sink.clone();
        let channels = TwoChannels::open(web, self.url, self.headers.clone(), sink).await?;
        serve(self.side.of(Era::Handshake), channels, mode(Era::Handshake)).await
    }
}
