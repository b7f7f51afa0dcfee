//! HTTP as servers before 2025 have it: one stream of events from the server, and an address for what goes to it.

use super::pipe::{MAX_MESSAGE, understood};
use super::web::{Web, events};
use crate::events::EventSink;
use crate::fault::{McpFault, McpFaultKind, shown};
use futures_util::StreamExt as _;
use reqwest::header::{ACCEPT, HeaderName, HeaderValue};
use reqwest::{StatusCode, Url};
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_client::AuthRequiredError;
use std::collections::HashMap;
use std::io;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

/// How long the server may take until it says where messages go to.
const FIRST_EVENT: Duration = Duration::from_secs(30);
/// How long it may take to accept one.
const ACCEPT_TIME: Duration = Duration::from_secs(60);
const ROOM: usize = 64;

/// A connection to such a server.
pub(crate) struct TwoChannels {
    web: Web,
    address: Url,
    headers: HashMap<HeaderName, HeaderValue>,
    incoming: mpsc::Receiver<RxJsonRpcMessage<RoleClient>>,
    reader: AbortHandle,
}

impl Drop for TwoChannels {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl TwoChannels {
    /// Opens the stream and waits for the address.
    pub(crate) async fn open(
        web: Web,
        url: &str,
        headers: HashMap<HeaderName, HeaderValue>,
        sink: EventSink,
    ) -> Result<TwoChannels, McpFault> {
        let fault = |why: &str| McpFault::new(McpFaultKind::NotConnected, why);
        let base = Url::parse(url).map_err(|error| fault(&format!("its address cannot be used: {error}")))?;
        let mut request = web.http.get(base.clone()).header(ACCEPT, "text/event-stream");
        for (name, value) in &headers {
            request = request.header(name, value);
        }
        let response = request.send().await.map_err(|error| fault(&error.without_url().to_string()))?;
        if response.status() == StatusCode::UNAUTHORIZED {
            return Err(McpFault::new(McpFaultKind::NeedsLogin, "the server wants a login"));
        }
        if !response.status().is_success() {
            return Err(fault(&format!("HTTP {}", response.status())));
        }
        let mut stream = events(response, MAX_MESSAGE);
        let first = async {
            while let Some(event) = stream.next().await {
                let event = event.map_err(|error| fault(&error.to_string()))?;
                if event.event.as_deref() == Some("endpoint") {
                    return Ok(event.data.unwrap_or_default());
                }
            }
            Err(fault("its stream ended before it said where messages go to"))
        };
        let silent = |_| McpFault::new(McpFaultKind::Silent, "it did not say where messages go to");
        let address = tokio::time::timeout(FIRST_EVENT, first).await.map_err(silent)??;
        let address = base.join(address.trim()).map_err(|error| fault(&format!("the address it gave: {error}")))?;
        // What we know of this server must not go to another.
        if address.origin() != base.origin() {
            return Err(fault("it wants messages to go to another server"));
        }
        let (sender, incoming) = mpsc::channel(ROOM);
        let reader = tokio::spawn(async move {
            while let Some(Ok(event)) = stream.next().await {
                if !matches!(event.event.as_deref(), None | Some("message" | "")) {
                    continue;
                }
                let message = event.data.and_then(|data| serde_json::from_str(&data).ok());
                if let Some(message) = message.and_then(|message| understood(message, &sink))
                    && sender.send(message).await.is_err()
                {
                    return;
                }
            }
        });
        Ok(TwoChannels { web, address, headers, incoming, reader: reader.abort_handle() })
    }
}

impl Transport<RoleClient> for TwoChannels {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let mut request = self.web.http.post(self.address.clone()).timeout(ACCEPT_TIME).json(&item);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        async move {
            let response = request.send().await.map_err(io::Error::other)?;
            let status = response.status();
            if status == StatusCode::UNAUTHORIZED {
                return Err(io::Error::other(AuthRequiredError::new(String::new())));
            }
            if status.is_success() { Ok(()) } else { Err(io::Error::other(shown(&format!("HTTP {status}")))) }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.reader.abort();
        Ok(())
    }
}
