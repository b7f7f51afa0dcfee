//! A server that does what a test says, at the other end of a pair of pipes.

use fore_mcp::{ConnectOptions, Elicitation, ElicitationAnswer, ElicitationHandler, McpConnection, McpFault};
use serde_json::{Value, json};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex, split};

/// The server's end.
pub(crate) struct Fake {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    out: WriteHalf<DuplexStream>,
}

/// The client's end.
pub(crate) struct OtherEnd(DuplexStream);

pub(crate) fn pair() -> (OtherEnd, Fake) {
    let (ours, theirs) = duplex(64 << 10);
    let (read, out) = split(theirs);
    (OtherEnd(ours), Fake { lines: BufReader::new(read).lines(), out })
}

impl OtherEnd {
    pub(crate) async fn connect(self, options: ConnectOptions) -> Result<McpConnection, McpFault> {
        let (read, write) = split(self.0);
        McpConnection::over_pipes(read, write, options).await
    }
}

pub(crate) fn options() -> ConnectOptions {
    ConnectOptions {
        client: ("forethought".into(), "1.0".into()),
        workspace: "/work/my project".into(),
        start_timeout: Duration::from_secs(30),
        call_timeout: Duration::from_secs(60),
        elicitation: None,
    }
}

/// Answers every question the same way, and remembers them.
#[derive(Clone)]
pub(crate) struct Person {
    pub(crate) answer: ElicitationAnswer,
    pub(crate) seen: Arc<Mutex<Vec<Elicitation>>>,
}

impl Person {
    pub(crate) fn who_answers(answer: ElicitationAnswer) -> Person {
        Person { answer, seen: Arc::default() }
    }

    pub(crate) fn options(&self) -> ConnectOptions {
        ConnectOptions { elicitation: Some(Arc::new(self.clone())), ..options() }
    }
}

impl ElicitationHandler for Person {
    fn ask(&self, question: Elicitation) -> Pin<Box<dyn Future<Output = ElicitationAnswer> + Send + '_>> {
        self.seen.lock().unwrap().push(question);
        Box::pin(std::future::ready(self.answer.clone()))
    }
}

impl Fake {
    /// The next message.
    pub(crate) async fn hear(&mut self) -> Value {
        serde_json::from_str(&self.lines.next_line().await.unwrap().unwrap()).unwrap()
    }

    /// The next message, which must be of this method.
    pub(crate) async fn hears(&mut self, method: &str) -> Value {
        let message = self.hear().await;
        assert_eq!(message["method"], method, "{message}");
        message
    }

    /// Whether the client said nothing more before it hung up.
    pub(crate) async fn hears_the_end(&mut self) {
        let rest = self.lines.next_line().await.unwrap();
        assert_eq!(rest, None);
    }

    pub(crate) async fn says(&mut self, message: Value) {
        self.prints(&message.to_string()).await;
    }

    pub(crate) async fn prints(&mut self, line: &str) {
        self.out.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    pub(crate) async fn notifies(&mut self, method: &str, params: Value) {
        self.says(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    pub(crate) async fn answers(&mut self, request: &Value, result: Value) {
        self.says(json!({"jsonrpc": "2.0", "id": request["id"], "result": result})).await;
    }

    pub(crate) async fn refuses(&mut self, request: &Value, code: i32, message: &str) {
        self.says(json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}})).await;
    }

    /// The handshake of the old era, to its end. Gives the client's first message.
    pub(crate) async fn shakes_hands(&mut self) -> Value {
        let first = self.hears("initialize").await;
        self.answers(&first, welcome(json!({"tools": {"listChanged": true}}))).await;
        self.hears("notifications/initialized").await;
        first
    }

    /// The discovery of the new era.
    pub(crate) async fn is_discovered(&mut self, capabilities: Value) {
        let first = self.hears("initialize").await;
        self.refuses(&first, -32601, "method not found").await;
        let discover = self.hears("server/discover").await;
        self.answers(&discover, discovered(capabilities)).await;
    }

    /// Answers a request of this method.
    pub(crate) async fn gives(&mut self, method: &str, result: Value) -> Value {
        let request = self.hears(method).await;
        self.answers(&request, result).await;
        request
    }
}

pub(crate) fn welcome(capabilities: Value) -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "serverInfo": {"name": "fake\u{202e}", "version": "1"},
        "instructions": "Use me \u{200b}well.",
    })
}

pub(crate) fn discovered(capabilities: Value) -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": capabilities,
        "serverInfo": {"name": "fake", "version": "2"},
        "ttlMs": 0,
        "cacheScope": "private",
    })
}

/// A connection of the old era.
pub(crate) async fn connected(options: ConnectOptions) -> (McpConnection, Fake) {
    let (other, mut fake) = pair();
    let (connection, _) = tokio::join!(other.connect(options), fake.shakes_hands());
    (connection.unwrap(), fake)
}

/// A connection of the new era.
pub(crate) async fn discovered_connection(options: ConnectOptions, capabilities: Value) -> (McpConnection, Fake) {
    let (other, mut fake) = pair();
    let (connection, ()) = tokio::join!(other.connect(options), fake.is_discovered(capabilities));
    (connection.unwrap(), fake)
}

pub(crate) fn object(value: Value) -> serde_json::Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is not an object"),
    }
}

impl Fake {
    /// A piece of a line.
    pub(crate) async fn writes(&mut self, piece: &str) -> std::io::Result<()> {
        self.out.write_all(piece.as_bytes()).await
    }
}
