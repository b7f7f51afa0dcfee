//! One JSON message a line, over the pipes of a program. Lines are bounded; what is no message goes to the log.

use crate::events::{EventSink, McpEvent};
use crate::fault::shown;
use rmcp::RoleClient;
use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex as AsyncMutex;

/// Longest message. A result with a large image fits.
pub(crate) const MAX_MESSAGE: usize = 32 << 20;
const CHUNK: usize = 64 << 10;

type PipeReadEnd = Box<dyn AsyncRead + Send + Unpin>;
type PipeWriteEnd = Box<dyn AsyncWrite + Send + Unpin>;

/// Both directions. A clone is the same pipes.
#[derive(Clone)]
pub(crate) struct Pipes {
    incoming: Arc<AsyncMutex<LineReader>>,
    outgoing: Arc<AsyncMutex<Option<PipeWriteEnd>>>,
    /// Answers that were already read, for requests that are not sent again.
    known: Arc<Mutex<KnownAnswer>>,
    sink: EventSink,
    ended: Arc<Mutex<Option<String>>>,
}

/// The answer to the first request, which was exchanged before the library came.
#[derive(Default)]
struct KnownAnswer {
    answer: Option<Value>,
    ready: VecDeque<ServerJsonRpcMessage>,
}

struct LineReader {
    reader: PipeReadEnd,
    buffer: Vec<u8>,
    /// What of the buffer has no line end in it.
    searched: usize,
}

impl Pipes {
    pub(crate) fn new(reader: PipeReadEnd, writer: PipeWriteEnd, sink: EventSink) -> Pipes {
        Pipes {
            incoming: Arc::new(AsyncMutex::new(LineReader { reader, buffer: Vec::new(), searched: 0 })),
            outgoing: Arc::new(AsyncMutex::new(Some(writer))),
            known: Arc::default(),
            sink,
            ended: Arc::default(),
        }
    }

    /// Why it ended, if it did by itself.
    pub(crate) fn ended(&self) -> Option<String> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn end(&self, why: &str) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| why.to_owned());
    }

    /// The next request of the library gets this answer and is not sent.
    pub(crate) fn answer_first(&self, result: Value) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).answer = Some(result);
    }

    /// The next message; what is no message is passed over. May be dropped and asked again.
    pub(crate) async fn next(&self) -> Option<Value> {
        let mut incoming = self.incoming.lock().await;
        loop {
            let line = match incoming.line().await {
                Ok(Some(line)) => line,
                Ok(None) => {
                    self.end("its output ended");
                    return None;
                }
                Err(error) => {
                    self.end(&error.to_string());
                    return None;
                }
            };
            let text = line.strip_prefix(b"\xef\xbb\xbf".as_slice()).unwrap_or(&line);
            if text.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match serde_json::from_slice::<Value>(text) {
                Ok(message @ Value::Object(_)) => return Some(message),
                Ok(_) | Err(_) => self.sink.tell(McpEvent::Log {
                    level: "warning".to_owned(),
                    text: format!("no message on its output: {}", shown(&String::from_utf8_lossy(head(text)))),
                }),
            }
        }
    }

    pub(crate) async fn write(&self, message: &Value) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let mut outgoing = self.outgoing.lock().await;
        let writer = outgoing.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        let written = async {
            writer.write_all(&line).await?;
            writer.flush().await
        };
        written.await.inspect_err(|_| self.end("it reads no more"))
    }
}

fn head(text: &[u8]) -> &[u8] {
    text.get(..400).unwrap_or(text)
}

impl LineReader {
    /// The next line. What was read stays when the future is dropped.
    async fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
            if let Some(at) = unsearched.iter().position(|byte| *byte == b'\n') {
                let rest = self.buffer.split_off(self.searched + at + 1);
                let mut line = std::mem::replace(&mut self.buffer, rest);
                line.pop();
                self.searched = 0;
                return Ok(Some(line));
            }
            self.searched = self.buffer.len();
            if self.buffer.len() > MAX_MESSAGE {
                return Err(io::Error::other(format!("it sent a message of more than {} MiB", MAX_MESSAGE >> 20)));
            }
            self.buffer.reserve(CHUNK);
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        }
    }
}

/// A message that the library does not understand becomes an error for whoever waits for it, if somebody does.
pub(crate) fn understood(message: Value, sink: &EventSink) -> Option<ServerJsonRpcMessage> {
    let id = message.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let is_answer = message.get("method").is_none();
    match serde_json::from_value::<ServerJsonRpcMessage>(message) {
        Ok(message) => Some(message),
        Err(error) => {
            sink.tell(McpEvent::Log {
                level: "warning".to_owned(),
                text: format!("a message that is not as the protocol says: {}", shown(&error.to_string())),
            });
            let unusable = ErrorData::new(ErrorCode::INTERNAL_ERROR, "its answer is not as the protocol says", None);
            id.filter(|_| is_answer).map(|id| ServerJsonRpcMessage::error(unusable, Some(id)))
        }
    }
}

impl Transport<RoleClient> for Pipes {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let pipes = self.clone();
        async move {
            if let TxJsonRpcMessage::<RoleClient>::Request(request) = &item {
                let mut known = pipes.known.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(result) = known.answer.take() {
                    let message = serde_json::json!({"jsonrpc": "2.0", "id": request.id, "result": result});
                    known.ready.extend(understood(message, &pipes.sink));
                    return Ok(());
                }
            }
            let message = serde_json::to_value(&item)?;
            pipes.write(&message).await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let ready = self.known.lock().unwrap_or_else(PoisonError::into_inner).ready.pop_front();
            if let Some(ready) = ready {
                return Some(ready);
            }
            let message = self.next().await?;
            if let Some(message) = understood(message, &self.sink) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        // A program whose input ends knows that nobody needs it any more.
        drop(self.outgoing.lock().await.take());
        Ok(())
    }
}
