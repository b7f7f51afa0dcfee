//! What a server says by itself: lists that changed, log lines, and that it is gone. Bounded, and nothing that matters is lost.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// Log lines and addresses that wait to be heard.
const MAX_LINES: usize = 200;
const MAX_UPDATED: usize = 200;

/// Something a server said by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpEvent {
    /// Its tools are others now; ask for the list.
    ToolsChanged,
    /// Its resources are others now.
    ResourcesChanged,
    /// Its prompts are others now.
    PromptsChanged,
    /// A resource has another content.
    ResourceUpdated {
        /// Its address.
        uri: String,
    },
    /// A line for the log; hidden characters are marks.
    Log {
        /// How bad, in the server's words.
        level: String,
        /// What.
        text: String,
    },
    /// It said so much that this many lines were not kept.
    LinesLost(u64),
    /// Something the server wanted and did not get, such as our model.
    Refused(String),
    /// The connection is over. Nothing comes after this.
    Closed {
        /// Why, as far as it is known.
        reason: String,
    },
}

#[derive(Debug, Default)]
struct Waiting {
    tools: bool,
    resources: bool,
    prompts: bool,
    updated: BTreeSet<String>,
    lines: VecDeque<McpEvent>,
    lost: u64,
    closed: Option<String>,
    told_closed: bool,
}

#[derive(Debug, Default)]
struct EventState {
    waiting: Mutex<Waiting>,
    news: Notify,
}

/// Hears what a server says by itself.
#[derive(Debug)]
pub struct McpEvents(Arc<EventState>);

/// The connection's end of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventSink(Arc<EventState>);

impl EventSink {
    pub(crate) fn receiver(&self) -> McpEvents {
        McpEvents(Arc::clone(&self.0))
    }

    pub(crate) fn tell(&self, event: McpEvent) {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            McpEvent::ToolsChanged => waiting.tools = true,
            McpEvent::ResourcesChanged => waiting.resources = true,
            McpEvent::PromptsChanged => waiting.prompts = true,
            McpEvent::ResourceUpdated { uri } if waiting.updated.len() < MAX_UPDATED => {
                waiting.updated.insert(uri);
            }
            // Too many to name: all of them may have changed.
            McpEvent::ResourceUpdated { .. } => waiting.resources = true,
            McpEvent::LinesLost(count) => waiting.lost += count,
            McpEvent::Closed { reason } => {
                waiting.closed.get_or_insert(reason);
            }
            line @ (McpEvent::Log { .. } | McpEvent::Refused(_)) => {
                if waiting.lines.len() >= MAX_LINES {
                    waiting.lines.pop_front();
                    waiting.lost += 1;
                }
                waiting.lines.push_back(line);
            }
        }
        drop(waiting);
        self.0.news.notify_one();
    }
}

impl McpEvents {
    /// The next event; none once the connection is over.
    pub async fn next(&mut self) -> Option<McpEvent> {
        loop {
            let state = Arc::clone(&self.0);
            let news = state.news.notified();
            if let Some(next) = self.take() {
                return next;
            }
            news.await;
        }
    }

    /// What waits now; `Some(None)` when there will be nothing more.
    fn take(&mut self) -> Option<Option<McpEvent>> {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut waiting.tools) {
            return Some(Some(McpEvent::ToolsChanged));
        }
        if std::mem::take(&mut waiting.resources) {
            return Some(Some(McpEvent::ResourcesChanged));
        }
        if std::mem::take(&mut waiting.prompts) {
            return Some(Some(McpEvent::PromptsChanged));
        }
        if let Some(uri) = waiting.updated.pop_first() {
            return Some(Some(McpEvent::ResourceUpdated { uri }));
        }
        if waiting.lost > 0 {
            return Some(Some(McpEvent::LinesLost(std::mem::take(&mut waiting.lost))));
        }
        if let Some(line) = waiting.lines.pop_front() {
            return Some(Some(line));
        }
        if waiting.told_closed {
            return Some(None);
        }
        let reason = waiting.closed.clone()?;
        waiting.told_closed = true;
        Some(Some(McpEvent::Closed { reason }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_flood_of_log_lines_loses_no_change_and_no_end() {
        let sink = EventSink::default();
        let mut events = sink.receiver();
        for number in 0..1000 {
            sink.tell(McpEvent::Log { level: "info".into(), text: number.to_string() });
            sink.tell(McpEvent::ToolsChanged);
        }
        sink.tell(McpEvent::Closed { reason: "it ended".into() });
        assert_eq!(events.next().await, Some(McpEvent::ToolsChanged));
        assert_eq!(events.next().await, Some(McpEvent::LinesLost(800)));
        for number in 800..1000 {
            assert_eq!(events.next().await, Some(McpEvent::Log { level: "info".into(), text: number.to_string() }));
        }
        assert_eq!(events.next().await, Some(McpEvent::Closed { reason: "it ended".into() }));
        assert_eq!(events.next().await, None);
        assert_eq!(events.next().await, None);
    }
}
