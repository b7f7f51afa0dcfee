//! The MCP servers of a session: which there are, whether they may start, what is known of their tools, and who is connected.
//!
//! It gives no permission: each start and each call has the gate's permit, and a connection is only used by a call whose permit names the
//! sandbox that the server runs in.

mod always;
mod connect;
mod for_person;
mod logins;
mod offers;
mod outcome;
mod probe;
mod prompts;
mod questions;
mod resources;
mod use_server;

pub(crate) use offers::server_names;
pub(crate) use outcome::{resource_output, result_output};
pub use probe::{ProbedServer, probe_server};
pub(crate) use prompts::CalledPrompt;
pub(crate) use resources::{MAX_MENTIONS, ResourceMention};
pub(crate) use use_server::ServerCall;

use super::{session_context::SessionContext, setup::SessionSetup};
use crate::{
    lock::lock,
    settings::{McpOrigin, McpServerSetting, SessionSettings},
};
use connect::ConnectionSlot;
use fore_mcp::{LeftOutTool, McpPrompt, McpResource, McpToolList, ServerEntry, ServerTransport, tool_alias};
use fore_plan::{
    Change,
    gate::{MCP_RESOURCES, McpClaims, McpPlace},
    plan::Hash,
};
use fore_store::vouches::{VouchKind, VouchState, Vouches};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::Semaphore;

/// Servers that start at the same time.
const MAX_STARTS: usize = 3;
/// Lines kept of what a server says by itself.
const MAX_LOG_LINES: usize = 200;
/// How long servers that could write are waited for when planning begins.
const MAX_STOP_WAIT: Duration = Duration::from_secs(2);

/// All servers of a session and its subagents.
#[derive(Debug)]
pub(crate) struct SessionServers {
    records: Mutex<BTreeMap<String, Arc<ServerRecord>>>,
    starts: Semaphore,
    /// The names of tools that the model was told last.
    told: Mutex<String>,
}

impl Default for SessionServers {
    fn default() -> SessionServers {
        SessionServers { records: Mutex::default(), starts: Semaphore::new(MAX_STARTS), told: Mutex::default() }
    }
}

/// What is known of one server, and its connections.
#[derive(Debug)]
pub(crate) struct ServerRecord {
    name: String,
    known: Mutex<KnownServer>,
    /// In the read-only sandbox.
    reading: ConnectionSlot,
    /// Held as work is; a server elsewhere has only this one.
    working: ConnectionSlot,
}

#[derive(Debug, Default)]
struct KnownServer {
    /// The entry that all of this is about.
    content: String,
    offers: Option<Arc<ServerOffers>>,
    /// What it has besides tools, as it said last.
    prompts: Arc<Vec<McpPrompt>>,
    resources: Arc<Vec<McpResource>>,
    /// Why there is no connection.
    trouble: Option<String>,
    log: VecDeque<String>,
}

/// What a server offers, as it said last.
#[derive(Debug)]
pub(crate) struct ServerOffers {
    pub(crate) tools: Arc<McpToolList>,
    pub(crate) instructions: Option<String>,
    pub(crate) identity: String,
}

/// Whether a server may be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServerStanding {
    Usable,
    /// Its entry switches it off.
    Off,
    /// The repository names it, and the person has not vouched for this entry; `before` is what they vouched for.
    Untrusted {
        before: Option<String>,
    },
}

impl SessionServers {
    fn record(&self, name: &str) -> Arc<ServerRecord> {
        let mut records = lock(&self.records);
        let new = || {
            Arc::new(ServerRecord {
                name: name.to_owned(),
                known: Mutex::default(),
                reading: ConnectionSlot::default(),
                working: ConnectionSlot::default(),
            })
        };
        Arc::clone(records.entry(name.to_owned()).or_insert_with(new))
    }

    fn existing(&self) -> Vec<Arc<ServerRecord>> {
        lock(&self.records).values().cloned().collect()
    }

    /// What the server of this name said last that it offers.
    pub(crate) fn offers(&self, name: &str) -> Option<Arc<ServerOffers>> {
        let record = lock(&self.records).get(name).cloned()?;
        lock(&record.known).offers.clone()
    }

    /// Ends every server that could write, and waits for that. For the moment when planning begins; gives the names.
    pub(crate) fn stop_working(&self) -> Vec<String> {
        let records = self.existing();
        let stopping: Vec<_> =
            records.iter().filter_map(|record| Some((record, record.working.stop_process()?))).collect();
        let until = std::time::Instant::now() + MAX_STOP_WAIT;
        let name = |(record, process): &(&Arc<ServerRecord>, Arc<connect::ServerProcess>)| {
            process.wait(until.saturating_duration_since(std::time::Instant::now()));
            record.name.clone()
        };
        stopping.iter().map(name).collect()
    }

    /// Ends all of them.
    pub(crate) fn stop_all(&self) {
        for record in self.existing() {
            record.reading.close();
            record.working.close();
        }
    }

    /// After the settings were read again: what is no longer what was started ends.
    pub(crate) fn follow(&self, settings: &SessionSettings) {
        for record in self.existing() {
            let now = settings.mcp.iter().find(|server| server.entry.name == record.name);
            let content = now.map(|server| known_by(&server.entry)).unwrap_or_default();
            let is_same = lock(&record.known).content == content;
            if !is_same {
                record.forget();
            }
        }
    }
}

impl ServerRecord {
    /// Nothing of it is true any more.
    fn forget(&self) {
        *lock(&self.known) = KnownServer::default();
        self.reading.close();
        self.working.close();
    }

    fn note_log(&self, line: String) {
        let mut known = lock(&self.known);
        if known.log.len() >= MAX_LOG_LINES {
            known.log.pop_front();
        }
        known.log.push_back(line);
    }
}

/// By what an entry is known while the session lives: another one is another server.
fn known_by(entry: &ServerEntry) -> String {
    let ServerEntry { disabled, enabled_tools, disabled_tools, .. } = entry;
    format!("{}{disabled}{enabled_tools:?}{disabled_tools:?}", entry.content())
}

/// The tools that an entry lets through; the others are left out, and said.
fn chosen_tools(entry: &ServerEntry, tools: Arc<McpToolList>) -> Arc<McpToolList> {
    if tools.tools.iter().all(|tool| entry.offers(&tool.name)) {
        return tools;
    }
    let mut list = McpToolList { tools: Vec::new(), left_out: tools.left_out.clone() };
    for tool in &tools.tools {
        if entry.offers(&tool.name) {
            list.tools.push(tool.clone());
        } else {
            list.left_out.push(LeftOutTool { name: tool.name.clone(), reason: "its entry leaves it out".to_owned() });
        }
    }
    Arc::new(list)
}

/// Where a server is, for the gate.
pub(crate) fn place_of(entry: &ServerEntry) -> McpPlace {
    match &entry.transport {
        ServerTransport::Stdio { .. } => McpPlace::Process(entry.hosts.clone()),
        ServerTransport::Http { .. } | ServerTransport::Sse { .. } => McpPlace::Remote,
    }
}

/// What a vouch for all resources of a server holds for.
fn resources_definition(entry: &ServerEntry) -> String {
    format!("every resource of {}", entry.content())
}

impl SessionSetup {
    /// The entry of a server; a name that nobody configured has none.
    pub(crate) fn server_setting(&self, name: &str) -> Option<McpServerSetting> {
        self.live().settings.mcp.iter().find(|server| server.entry.name == name).cloned()
    }

    /// Whether it may be started.
    pub(crate) fn server_standing(&self, server: &McpServerSetting) -> ServerStanding {
        if server.entry.disabled {
            return ServerStanding::Off;
        }
        let content = server.entry.content();
        let is_named = || self.live().settings.trusted_servers.contains(&Hash::of(content.as_bytes()));
        match server.origin {
            McpOrigin::Person => ServerStanding::Usable,
            McpOrigin::Repository | McpOrigin::Client if is_named() => ServerStanding::Usable,
            McpOrigin::Repository | McpOrigin::Client => {
                match self.vouches().state(VouchKind::McpServer, &server.entry.name, &content) {
                    VouchState::Holds => ServerStanding::Usable,
                    VouchState::Changed(before) => ServerStanding::Untrusted { before: Some(before) },
                    VouchState::Unknown => ServerStanding::Untrusted { before: None },
                }
            }
        }
    }

    /// What the person vouched for in this project. A list that cannot be read vouches for nothing.
    pub(crate) fn vouches(&self) -> Vouches {
        Vouches::read(self.home.path(), &self.project).unwrap_or_default()
    }

    /// Whether the person vouched for this definition of a tool.
    pub(crate) fn is_vouched_tool(&self, server: &str, tool: &str, definition: &Hash) -> bool {
        let name = tool_vouch(server, tool);
        self.vouches().of_kind(VouchKind::McpTool).any(|vouch| vouch.name == name && vouch.hash() == *definition)
    }

    /// What is known of a tool at this moment. What nobody has said yet is not known.
    pub(crate) fn mcp_claims(&self, server: &str, tool: &str) -> McpClaims {
        let Some(setting) = self.server_setting(server) else { return McpClaims::default() };
        let place = place_of(&setting.entry);
        if tool == MCP_RESOURCES {
            let definition = Some(Hash::of(resources_definition(&setting.entry).as_bytes()));
            return McpClaims { read_only: true, destructive: false, definition, place };
        }
        let offers = self.servers.offers(server);
        match offers.as_ref().and_then(|offers| offers.tools.get(tool)) {
            None => McpClaims { place, ..McpClaims::default() },
            Some(tool) => McpClaims {
                read_only: tool.read_only == Some(true),
                destructive: tool.destructive == Some(true),
                definition: Some(Hash::of(tool.definition().as_bytes())),
                place,
            },
        }
    }

    /// The server and the tool that a name such as `mcp__server__tool` means, where it is not their plain names.
    pub(crate) fn tool_by_alias(&self, called: &str) -> Option<(String, String)> {
        if !called.starts_with("mcp__") {
            return None;
        }
        let live = self.live();
        live.settings.mcp.iter().find_map(|server| {
            let offers = self.servers.offers(&server.entry.name)?;
            let tool = offers.tools.tools.iter().find(|tool| tool_alias(&server.entry.name, &tool.name) == called)?;
            Some((server.entry.name.clone(), tool.name.clone()))
        })
    }
}

/// The name of a vouch for a tool.
pub(crate) fn tool_vouch(server: &str, tool: &str) -> String {
    format!("{server}/{tool}")
}

impl SessionContext {
    /// Planning begins: servers that could write are stopped. They come back in the read-only sandbox when one is needed.
    pub(crate) fn stop_working_servers(&self) {
        let stopped = self.setup.servers.stop_working();
        if !stopped.is_empty() {
            let text = format!(
                "Planning began: MCP servers that could write were stopped ({}). They start again, read-only, when needed.",
                stopped.join(", ")
            );
            self.person.notice(crate::event::NoticeLevel::Info, text);
        }
    }

    /// What was vouched for has changed: permits that were given by it are void.
    pub(crate) fn vouches_changed(&self) {
        self.must_record(Change::SettingsRead);
    }
}
