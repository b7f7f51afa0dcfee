//! How a server of the new era says that its lists changed: in a stream that we ask for.

use super::client_side::ClientSide;
use crate::events::McpEvent;
use crate::fault::shown;
use rmcp::RoleClient;
use rmcp::model::{ServerNotification, ServerPeerInfo, SubscriptionFilter};
use rmcp::service::{Peer, SubscriptionEnd};
use std::time::Duration;
use tokio::task::AbortHandle;

/// How often a stream that broke is asked for again, and the first pause before that.
const MAX_TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_secs(1);

/// Listens for what the server can say; not at all in the old era, where it speaks unasked.
pub(crate) fn listen(peer: &Peer<RoleClient>, info: Option<&ServerPeerInfo>, side: &ClientSide) -> Option<AbortHandle> {
    let info = info.filter(|info| !info.protocol_version.has_initialize())?;
    let offered = &info.capabilities;
    let mut filter = SubscriptionFilter::new();
    filter.tools_list_changed = offered.tools.as_ref().and_then(|tools| tools.list_changed).filter(|says| *says);
    filter.prompts_list_changed =
        offered.prompts.as_ref().and_then(|prompts| prompts.list_changed).filter(|says| *says);
    filter.resources_list_changed =
        offered.resources.as_ref().and_then(|resources| resources.list_changed).filter(|says| *says);
    if filter == SubscriptionFilter::new() {
        return None;
    }
    Some(tokio::spawn(run(peer.clone(), filter, side.clone())).abort_handle())
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "of what the protocol knows, now and later, the rest is nothing to us"
)]
async fn run(peer: Peer<RoleClient>, filter: SubscriptionFilter, side: ClientSide) {
    for attempt in 0..MAX_TRIES {
        if attempt > 0 {
            tokio::time::sleep(PAUSE * 2u32.pow(attempt)).await;
            // What was said meanwhile was not heard.
            tell_all(&filter, &side);
        }
        let mut stream = match peer.listen(filter.clone()).await {
            Ok(stream) => stream,
            Err(error) => {
                let text = format!("changes of its lists are not heard: {}", shown(&error.to_string()));
                side.sink.tell(McpEvent::Log { level: "warning".to_owned(), text });
                continue;
            }
        };
        while let Ok(Some(notice)) = stream.next().await {
            match notice {
                ServerNotification::ToolListChangedNotification(_) => side.tools_changed(),
                ServerNotification::PromptListChangedNotification(_) => side.sink.tell(McpEvent::PromptsChanged),
                ServerNotification::ResourceListChangedNotification(_) => side.sink.tell(McpEvent::ResourcesChanged),
                _ => {}
            }
        }
        if matches!(stream.end(), Some(SubscriptionEnd::Cancelled)) || peer.is_transport_closed() {
            return;
        }
    }
}

fn tell_all(filter: &SubscriptionFilter, side: &ClientSide) {
    if filter.tools_list_changed.is_some() {
        side.tools_changed();
    }
    if filter.prompts_list_changed.is_some() {
        side.sink.tell(McpEvent::PromptsChanged);
    }
    if filter.resources_list_changed.is_some() {
        side.sink.tell(McpEvent::ResourcesChanged);
    }
}
