//! The first words over pipes: the handshake of the old era first, which a program of the new era refuses at once, then the new one's.
//!
//! A program of the old era that stays silent to what it does not know costs no wait that way, and none is asked something that
//! makes it end. Only one that says nothing at all is asked both.

use super::pipe::Pipes;
use crate::events::{EventSink, McpEvent};
use crate::fault::{McpFault, McpFaultKind, shown};
use rmcp::model::{ClientConfig, ProtocolVersion};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Numbers of our two requests; the library begins with 0 and what it asks first is not sent.
const INITIALIZE: u64 = 0;
const DISCOVER: u64 = 1_000_000_000;
/// Part of the time for a start after which a silent program is asked the other way, too.
const PATIENCE: (u32, u32) = (2, 3);

/// Which era a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// A handshake, up to 2025-11-25.
    Handshake,
    /// Each request for itself, from 2026-07-28.
    Discovery,
}

/// What became of one of our two requests.
enum Asked {
    NotYet,
    Waiting,
    Refused(String),
}

/// Finds out which era a program speaks. Its answer is ready for the library then.
pub(crate) async fn shake_hands(
    pipes: &Pipes,
    (old, new): (&ClientConfig, &ClientConfig),
    start_timeout: Duration,
    sink: &EventSink,
) -> Result<Era, McpFault> {
    let end = Instant::now() + start_timeout;
    let patience = Instant::now() + start_timeout * PATIENCE.0 / PATIENCE.1;
    let (mut initialize, mut discover) = (Asked::Waiting, Asked::NotYet);
    send(pipes, &initialize_request(old)).await?;
    loop {
        let until = if matches!(discover, Asked::NotYet) { patience } else { end };
        let message = match timeout_at(until, pipes.next()).await {
            Ok(Some(message)) => message,
            Ok(None) => return Err(not_connected(&pipes.ended().unwrap_or_else(|| "its output ended".to_owned()))),
            Err(_) if matches!(discover, Asked::NotYet) => {
                discover = Asked::Waiting;
                send(pipes, &discover_request(new)).await?;
                continue;
            }
            Err(_) => {
                let waited = start_timeout.as_secs_f32();
                return Err(McpFault::new(McpFaultKind::Silent, format!("it did not answer within {waited:.0} s")));
            }
        };
        match (message.get("method").and_then(Value::as_str), message.get("id")) {
            (Some("ping"), Some(id)) => send(pipes, &json!({"jsonrpc": "2.0", "id": id, "result": {}})).await?,
            (Some("notifications/message"), _) => {
                let data = message.pointer("/params/data").map(Value::to_string).unwrap_or_default();
                sink.tell(McpEvent::Log { level: "info".to_owned(), text: shown(&data) });
            }
            // Nothing else is answered before hands are shaken.
            (Some(_), _) => {}
            (None, id) => {
                let of_discover = match id.and_then(Value::as_u64) {
                    Some(DISCOVER) => true,
                    Some(_) => false,
                    // Who could not read a request cannot say which one.
                    None => !matches!(discover, Asked::NotYet),
                };
                if let Some(result) = message.get("result") {
                    pipes.answer_first(result.clone());
                    return Ok(if of_discover { Era::Discovery } else { Era::Handshake });
                }
                let said = message.pointer("/error/message").and_then(Value::as_str).unwrap_or("no reason");
                let refused = Asked::Refused(shown(said));
                if of_discover { discover = refused } else { initialize = refused }
            }
        }
        match (&initialize, &discover) {
            (Asked::Refused(_), Asked::NotYet) => {
                discover = Asked::Waiting;
                send(pipes, &discover_request(new)).await?;
            }
            (Asked::Refused(old), Asked::Refused(new)) => {
                return Err(not_connected(&format!("it refused both handshakes: {old}; {new}")));
            }
            (Asked::Waiting | Asked::NotYet | Asked::Refused(_), _) => {}
        }
    }
}

fn not_connected(why: &str) -> McpFault {
    McpFault::new(McpFaultKind::NotConnected, why)
}

async fn send(pipes: &Pipes, message: &Value) -> Result<(), McpFault> {
    pipes.write(message).await.map_err(|error| not_connected(&format!("it reads nothing: {error}")))
}

fn initialize_request(config: &ClientConfig) -> Value {
    json!({"jsonrpc": "2.0", "id": INITIALIZE, "method": "initialize", "params": config})
}

fn discover_request(config: &ClientConfig) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": ProtocolVersion::LATEST,
        "io.modelcontextprotocol/clientInfo": config.client_info,
        "io.modelcontextprotocol/clientCapabilities": config.capabilities,
    });
    json!({"jsonrpc": "2.0", "id": DISCOVER, "method": "server/discover", "params": {"_meta": meta}})
}
