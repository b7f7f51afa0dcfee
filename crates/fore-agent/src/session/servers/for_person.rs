//! `/mcp`: how the servers are, what a person would vouch for, and their word for it.

use super::{ServerRecord, ServerStanding, place_of, resources_definition, tool_vouch};
use crate::{
    event::{Event, McpServerRow, McpServerState, McpToolRow, McpVouchShown, McpVouchState, McpWish, NoticeLevel},
    lock::lock,
    session::session_context::SessionContext,
    settings::{McpOrigin, McpServerSetting},
};
use fore_plan::{
    approval::Reachable,
    gate::{MCP_RESOURCES, McpPlace},
    plan::{Hash, diff},
};
use fore_store::vouches::{self, Vouch, VouchKind, VouchState, Vouches};
use serde_json::Value;
use std::sync::Arc;

/// Lines of a difference that are shown.
const MAX_DIFFERENCE: usize = 400;

/// What a vouch is about: its kind, its name, and what it would be for.
struct VouchSubject {
    kind: VouchKind,
    name: String,
    content: String,
    note: Option<String>,
}

impl SessionContext {
    /// The project names servers that nobody said may start: each is shown whole.
    pub(crate) fn tell_untrusted_servers(&self) {
        for server in &self.setup.live().settings.mcp {
            let ServerStanding::Untrusted { before } = self.setup.server_standing(server) else { continue };
            let (name, shown) = (&server.entry.name, server.entry.shown_whole());
            let changed = if before.is_some() { ", and it is not the one that you trusted" } else { "" };
            let how = match self.person.reachable() {
                Reachable::Approver => format!("/mcp trust {name} lets it start"),
                Reachable::Nobody => {
                    format!("--trust-server {} lets it start", Hash::of(server.entry.content().as_bytes()))
                }
            };
            let text = format!(
                "{} names an MCP server, {name}, which was not started{changed}: {shown}. {how}.",
                server.origin.who()
            );
            self.person.notice(NoticeLevel::Warning, text);
        }
    }

    /// Does what somebody wants with servers; on a thread of its own, because files are read and processes waited for.
    pub(crate) fn mcp_wish(self: &Arc<Self>, wish: McpWish) {
        let context = Arc::clone(self);
        drop(self.setup.runtime.spawn_blocking(move || {
            if let Err(why) = context.do_mcp_wish(wish) {
                context.person.notice(NoticeLevel::Warning, why);
            }
        }));
    }

    fn do_mcp_wish(self: &Arc<Self>, wish: McpWish) -> Result<(), String> {
        match wish {
            McpWish::List { server } => {
                let servers = self.server_rows(server.as_deref())?;
                self.person.events.send(Event::McpServers { servers, only: server });
            }
            McpWish::Restart { server } => {
                self.known_server(&server)?;
                self.setup.servers.record(&server).forget();
                self.start_servers_ahead(|entry| entry.name == server);
                self.person.notice(NoticeLevel::Info, format!("The MCP server {server} was stopped; it starts again."));
            }
            McpWish::LookAt { server, tool } => {
                let shown = self.vouch_shown(server, tool)?;
                self.person.events.send(Event::McpVouchShown(shown));
            }
            McpWish::Vouch { server, tool, hash } => self.vouch(server, tool, hash)?,
            McpWish::Unvouch { server, tool } => self.unvouch(&server, tool.as_deref())?,
        }
        Ok(())
    }

    fn known_server(&self, name: &str) -> Result<McpServerSetting, String> {
        self.setup.server_setting(name).ok_or_else(|| {
            let live = self.setup.live();
            let names: Vec<&str> = live.settings.mcp.iter().map(|server| server.entry.name.as_str()).collect();
            let name = fore_text::line(fore_text::cut::chars(name, 60)).into_owned();
            match names.is_empty() {
                true => "No MCP server is set up; `fore mcp add` does that.".to_owned(),
                false => format!("There is no MCP server {name}. There are: {}.", names.join(", ")),
            }
        })
    }

    fn server_rows(&self, only: Option<&str>) -> Result<Vec<McpServerRow>, String> {
        if let Some(name) = only {
            return Ok(vec![self.server_row(&self.known_server(name)?, true)]);
        }
        Ok(self.setup.live().settings.mcp.iter().map(|server| self.server_row(server, false)).collect())
    }

    fn server_row(&self, server: &McpServerSetting, with_log: bool) -> McpServerRow {
        let (entry, vouches) = (&server.entry, self.setup.vouches());
        let record = self.setup.servers.record(&entry.name);
        let offers = self.setup.servers.offers(&entry.name);
        let tools = offers.iter().flat_map(|offers| &offers.tools.tools).map(|tool| McpToolRow {
            name: tool.name.clone(),
            says_it_only_reads: tool.read_only == Some(true) && tool.destructive != Some(true),
            vouch: state_of(&vouches, VouchKind::McpTool, &tool_vouch(&entry.name, &tool.name), tool.definition()),
        });
        let left_out = offers.iter().flat_map(|offers| &offers.tools.left_out);
        McpServerRow {
            name: entry.name.clone(),
            shown: entry.shown(),
            of_project: server.origin == McpOrigin::Repository,
            state: self.server_state(server, &record),
            identity: offers.as_ref().map(|offers| offers.identity.clone()),
            tools: tools.collect(),
            left_out: left_out.map(|tool| format!("{}: {}", tool.name, tool.reason)).collect(),
            log: if with_log { record.log() } else { Vec::new() },
        }
    }

    fn server_state(&self, server: &McpServerSetting, record: &ServerRecord) -> McpServerState {
        match self.setup.server_standing(server) {
            ServerStanding::Off => return McpServerState::Off,
            ServerStanding::Untrusted { .. } => return McpServerState::NeedsTrust,
            ServerStanding::Usable => {}
        }
        if record.working.is_connected() {
            return McpServerState::Connected { read_only: false };
        }
        if record.reading.is_connected() {
            return McpServerState::Connected { read_only: true };
        }
        match lock(&record.known).trouble.clone() {
            Some(why) => McpServerState::Failed { why },
            None => McpServerState::Ready,
        }
    }

    /// What a vouch of this kind would be for now.
    fn vouch_subject(&self, server: &str, tool: Option<&str>) -> Result<VouchSubject, String> {
        let setting = self.known_server(server)?;
        let Some(tool) = tool else {
            let note = match setting.origin {
                McpOrigin::Repository | McpOrigin::Client => None,
                McpOrigin::Person => Some("You set this server up yourself; it may start without this.".to_owned()),
            };
            let content = setting.entry.content();
            return Ok(VouchSubject { kind: VouchKind::McpServer, name: server.to_owned(), content, note });
        };
        let elsewhere = match place_of(&setting.entry) {
            McpPlace::Process(_) => None,
            McpPlace::Remote => Some(
                "This server is elsewhere: the sandbox holds only files on this machine, and what it does there is its own word.",
            ),
        };
        let (kind, name, note) = (VouchKind::McpTool, tool_vouch(server, tool), elsewhere.map(str::to_owned));
        if tool == MCP_RESOURCES {
            return Ok(VouchSubject { kind, name, content: resources_definition(&setting.entry), note });
        }
        let offers = self.setup.servers.offers(server);
        let Some(found) = offers.as_ref().and_then(|offers| offers.tools.get(tool)) else {
            let tool = fore_text::line(fore_text::cut::chars(tool, 80)).into_owned();
            return Err(match offers {
                Some(_) => format!("The MCP server {server} has no tool {tool}; /mcp {server} lists them."),
                None => format!(
                    "The MCP server {server} has not been started yet, so its tools are not known; /mcp restart {server} starts it."
                ),
            });
        };
        let note = match found.read_only == Some(true) && found.destructive != Some(true) {
            true => note,
            false => Some("Its server does not say that it only reads, so it will not run while planning.".to_owned()),
        };
        Ok(VouchSubject { kind, name, content: found.definition().to_owned(), note })
    }

    fn vouch_shown(&self, server: String, tool: Option<String>) -> Result<McpVouchShown, String> {
        let subject = self.vouch_subject(&server, tool.as_deref())?;
        let before = self.setup.vouches().state(subject.kind, &subject.name, &subject.content);
        let (difference, holds) = match before {
            VouchState::Holds => (None, true),
            VouchState::Unknown => (None, false),
            VouchState::Changed(before) => {
                let difference = diff(&readable(&before), &readable(&subject.content)).unified(MAX_DIFFERENCE);
                // A difference that is cut could hide what matters: then it is shown as if it were new.
                let is_whole = difference.lines().count() <= MAX_DIFFERENCE;
                (is_whole.then(|| fore_text::exact(&difference).into_owned()), false)
            }
        };
        Ok(McpVouchShown {
            server,
            tool,
            content: fore_text::exact(&readable(&subject.content)).into_owned(),
            difference,
            hash: Hash::of(subject.content.as_bytes()),
            holds,
            note: subject.note,
        })
    }

    /// The person's word for exactly the bytes that they were shown.
    fn vouch(self: &Arc<Self>, server: String, tool: Option<String>, hash: Hash) -> Result<(), String> {
        let VouchSubject { kind, name, content, .. } = self.vouch_subject(&server, tool.as_deref())?;
        if Hash::of(content.as_bytes()) != hash {
            return Err("It is no longer what you were shown, so nothing was vouched for; look at it again.".into());
        }
        let added = vouches::add(&self.setup.home, &self.setup.project, Vouch { kind, name, content });
        added.map_err(|error| error.to_string())?;
        self.vouches_changed();
        let text = match &tool {
            None => {
                self.start_servers_ahead(|entry| entry.name == server);
                format!("The MCP server {server} may be started in this project, as it is configured now.")
            }
            Some(tool) => {
                format!("You vouched for {tool} of {server}: it may run while planning, as it is defined now.")
            }
        };
        self.person.notice(NoticeLevel::Info, text);
        Ok(())
    }

    fn unvouch(&self, server: &str, tool: Option<&str>) -> Result<(), String> {
        let (kind, name) = match tool {
            None => (VouchKind::McpServer, server.to_owned()),
            Some(tool) => (VouchKind::McpTool, tool_vouch(server, tool)),
        };
        let removed = vouches::remove(&self.setup.home, &self.setup.project, kind, &name);
        let shown = fore_text::line(fore_text::cut::chars(&name, 120)).into_owned();
        if !removed.map_err(|error| error.to_string())? {
            return Err(format!("You have not vouched for {shown} in this project."));
        }
        self.vouches_changed();
        let is_theirs = self.setup.server_setting(server).is_none_or(|server| server.origin == McpOrigin::Person);
        if tool.is_none() && !is_theirs {
            self.setup.servers.record(server).forget();
        }
        self.person.notice(NoticeLevel::Info, format!("You no longer vouch for {shown}."));
        Ok(())
    }
}

impl ServerRecord {
    /// What it said by itself, and the end of its error output.
    fn log(&self) -> Vec<String> {
        let mut lines: Vec<String> = lock(&self.known).log.iter().cloned().collect();
        for words in [&self.reading, &self.working].into_iter().filter_map(super::connect::ConnectionSlot::last_words) {
            lines.extend(words.lines().map(str::to_owned));
        }
        lines
    }
}

fn state_of(vouches: &Vouches, kind: VouchKind, name: &str, content: &str) -> McpVouchState {
    match vouches.state(kind, name, content) {
        VouchState::Holds => McpVouchState::Holds,
        VouchState::Changed(_) => McpVouchState::Changed,
        VouchState::Unknown => McpVouchState::None,
    }
}

/// What is vouched for is one line of JSON; people read it line by line.
fn readable(content: &str) -> String {
    match serde_json::from_str::<Value>(content) {
        Ok(value) => format!("{value:#}\n"),
        Err(_) => format!("{content}\n"),
    }
}
