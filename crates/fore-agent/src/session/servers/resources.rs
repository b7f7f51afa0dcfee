//! Resources of servers that a person names in their words: `@server:uri`. They are read by an ordinary McpRead, through the gate, and
//! stand behind the words.

use super::{ServerRecord, ServerStanding, connect::LiveServer, prompts::LIST_TIME};
use crate::{
    custom::{CommandTemplate, TemplatePiece},
    event::{Event, McpResourceRow},
    lock::lock,
    session::session_context::SessionContext,
};
use std::sync::Arc;

/// Resources that one prompt may name.
pub(crate) const MAX_MENTIONS: usize = 10;
/// Resources that are listed for completion.
const MAX_ROWS: usize = 500;

/// What stands behind `@`, where that is a resource of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResourceMention {
    pub(crate) server: String,
    pub(crate) uri: String,
}

impl SessionContext {
    /// The resource that `server:uri` names; none where no server of this name is set up.
    pub(crate) fn resource_named(&self, words: &str) -> Option<ResourceMention> {
        let (server, uri) = words.split_once(':').filter(|(_, uri)| !uri.is_empty())?;
        let live = self.setup.live();
        let is_there = live.settings.mcp.iter().any(|setting| setting.entry.name == server && !setting.entry.disabled);
        is_there.then(|| ResourceMention { server: server.to_owned(), uri: uri.to_owned() })
    }

    /// All that a prompt names, once each. Code in it names nothing.
    pub(crate) fn mentioned_resources(&self, text: &str) -> Vec<ResourceMention> {
        if !text.contains('@') || self.setup.live().settings.mcp.is_empty() {
            return Vec::new();
        }
        let mut found: Vec<ResourceMention> = Vec::new();
        for piece in CommandTemplate::read(text).pieces {
            let TemplatePiece::File(words) = piece else { continue };
            found.extend(self.resource_named(&words).filter(|mention| !found.contains(mention)));
        }
        found
    }

    /// Asks a server which resources it has; who completes words is told.
    pub(super) async fn learn_resources(self: &Arc<Self>, record: &ServerRecord, live: &LiveServer) {
        let Ok(Ok(resources)) = tokio::time::timeout(LIST_TIME, live.connection.resources()).await else { return };
        let is_news = {
            let mut known = lock(&record.known);
            let is_news = *known.resources != resources;
            known.resources = Arc::new(resources);
            is_news
        };
        if is_news {
            self.person.events.send(Event::ResourcesListed { resources: self.resource_rows() });
        }
    }

    /// The resources of servers that may be used. Patterns of addresses are no address.
    fn resource_rows(&self) -> Vec<McpResourceRow> {
        let live = self.setup.live();
        let mut rows = Vec::new();
        for server in &live.settings.mcp {
            if self.setup.server_standing(server) != ServerStanding::Usable {
                continue;
            }
            let name = &server.entry.name;
            let record = self.setup.servers.record(name);
            let resources = Arc::clone(&lock(&record.known).resources);
            let plain = resources.iter().filter(|resource| !resource.is_template);
            rows.extend(plain.map(|resource| McpResourceRow {
                server: name.clone(),
                uri: resource.uri.clone(),
                name: resource.name.clone(),
            }));
        }
        rows.truncate(MAX_ROWS);
        rows
    }
}
