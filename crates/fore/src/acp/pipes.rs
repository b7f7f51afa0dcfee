//! Standard input and output as the lines of the protocol. Both are bounded, and each has a thread of its own.

use crate::headless::{HostLine, host_lines};
use futures_util::{Sink, Stream, sink, stream};
use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread::JoinHandle,
};
use tokio::sync::{Notify, mpsc};

/// Lines that wait to be written.
const MAX_LINES: usize = 64;
/// Updates that wait to be written before sessions have to wait.
const MAX_WAITING: usize = 256;
/// How an update begins; the rest of the line may be long.
const HEAD: usize = 100;

/// Standard output: how much of what was sent is not written yet.
#[derive(Debug, Default)]
pub(super) struct UpdateQueue {
    waiting: AtomicUsize,
    written: Notify,
}

impl UpdateQueue {
    /// An update is on its way.
    pub(super) fn sent(&self) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn has_room(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) < MAX_WAITING
    }

    /// Waits until the client has read enough.
    pub(super) async fn room(&self) {
        loop {
            let written = self.written.notified();
            tokio::pin!(written);
            written.as_mut().enable();
            if self.has_room() {
                return;
            }
            written.await;
        }
    }

    fn wrote(&self, line: &str) {
        if is_update(line) {
            let one_less = |waiting: usize| Some(waiting.saturating_sub(1));
            let _ = self.waiting.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less);
            self.written.notify_waiters();
        }
    }
}

fn is_update(line: &str) -> bool {
    fore_text::cut::bytes(line, HEAD).contains("\"method\":\"session/update\"")
}

/// The lines that come in. What is no line is handed on as something that is not JSON, so that it is answered as such.
pub(super) fn incoming() -> impl Stream<Item = io::Result<String>> + Send + 'static {
    Box::pin(stream::unfold(host_lines(), |mut lines| async move {
        let line = match lines.recv().await? {
            HostLine::Text(line) => line,
            HostLine::Unreadable(why) => why,
        };
        Some((Ok(line), lines))
    }))
}

/// Where lines go. The thread ends when all are written and nobody sends any more, or when nobody reads them.
pub(super) fn outgoing(
    queue: &Arc<UpdateQueue>,
) -> io::Result<(impl Sink<String, Error = io::Error> + Send + 'static, JoinHandle<()>)> {
    let (sender, mut lines) = mpsc::channel::<String>(MAX_LINES);
    let queue = Arc::clone(queue);
    let thread = std::thread::Builder::new().name("answers".into()).spawn(move || {
        let mut out = io::stdout().lock();
        while let Some(line) = lines.blocking_recv() {
            if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
                return;
            }
            queue.wrote(&line);
        }
    })?;
    let sink = sink::unfold(sender, |sender, line: String| async move {
        let gone = |_| io::Error::new(io::ErrorKind::BrokenPipe, "nobody reads the answers");
        sender.send(line).await.map_err(gone)?;
        Ok(sender)
    });
    Ok((Box::pin(sink), thread))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_written_makes_room() {
        let queue = UpdateQueue::default();
        (0..MAX_WAITING).for_each(|_| queue.sent());
        assert!(!queue.has_room());
        queue.wrote(r#"{"jsonrpc":"2.0","id":1,"result":{"text":"\"method\":\"session/update\""}}"#);
        assert!(!queue.has_room(), "an answer is no update");
        queue.wrote(r#"{"jsonrpc":"2.0","method":"session/update","params":{}}"#);
        assert!(queue.has_room());
    }
}
