//! MCP servers that a client hands over with a session. They are servers like any other: they go through the same gate, and none
//! starts before the person vouched for its entry.

use crate::settings::check_server_name;
use agent_client_protocol::v1::schema::{EnvVariable, HttpHeader, McpServer};
use fore_agent::{McpOrigin, McpServerSetting, SettingsRead, SettingsReader};
use serde_json::{Map, Value, json};
use std::{sync::Arc, time::Duration};

/// Servers of one session.
const MAX_SERVERS: usize = 50;

/// The servers that can be used, and what is to be said of the others. Names that are taken stay with whoever has them.
pub(super) fn servers(handed: Vec<McpServer>, taken: &[McpServerSetting]) -> (Vec<McpServerSetting>, Vec<String>) {
    let (mut servers, mut warnings): (Vec<McpServerSetting>, Vec<String>) = (Vec::new(), Vec::new());
    if handed.len() > MAX_SERVERS {
        warnings.push(format!("the client handed over more than {MAX_SERVERS} MCP servers; the rest is left out"));
    }
    for server in handed.into_iter().take(MAX_SERVERS) {
        let (name, entry) = match entry(server) {
            Ok(found) => found,
            Err(why) => {
                warnings.push(why);
                continue;
            }
        };
        let is_taken = taken.iter().chain(&servers).any(|server| server.entry.name == name);
        if is_taken {
            warnings.push(format!("the client has an MCP server {name}, too; the one that is set up is used"));
            continue;
        }
        let read = check_server_name(&name)
            .and_then(|()| fore_mcp::server_entry(&name, &entry).map_err(|fault| fault.to_string()));
        match read {
            // Its values stand as they are: no variable of the person's environment is filled in.
            Ok((entry, more)) => {
                warnings.extend(more);
                servers.push(McpServerSetting { filled: entry.clone(), entry, origin: McpOrigin::Client });
            }
            Err(why) => warnings.push(format!("an MCP server of the client is left out: {why}")),
        }
    }
    (servers, warnings)
}

fn entry(server: McpServer) -> Result<(String, Value), String> {
    let variables =
        |list: Vec<EnvVariable>| list.into_iter().map(|one| (one.name, json!(one.value))).collect::<Map<_, _>>();
    let headers =
        |list: Vec<HttpHeader>| list.into_iter().map(|one| (one.name, json!(one.value))).collect::<Map<_, _>>();
    Ok(match server {
        McpServer::Stdio(server) => {
            let Some(command) = server.command.to_str() else {
                return Err("an MCP server of the client is left out: its program is not text".into());
            };
            (server.name, json!({ "command": command, "args": server.args, "env": variables(server.env) }))
        }
        McpServer::Http(server) => {
            (server.name, json!({ "type": "http", "url": server.url, "headers": headers(server.headers) }))
        }
        McpServer::Sse(server) => {
            (server.name, json!({ "type": "sse", "url": server.url, "headers": headers(server.headers) }))
        }
        _ => return Err("an MCP server of the client is left out: it is of a kind that is not known here".into()),
    })
}

/// Reads the settings again, and keeps the servers of the client among them.
#[derive(Debug)]
pub(super) struct SettingsBesideServers {
    pub(super) settings: Arc<dyn SettingsReader>,
    pub(super) servers: Vec<McpServerSetting>,
}

impl SettingsReader for SettingsBesideServers {
    fn changed(&self) -> Option<Duration> {
        self.settings.changed()
    }

    fn read(&self) -> Result<SettingsRead, String> {
        let mut read = self.settings.read()?;
        let is_free =
            |server: &&McpServerSetting| read.settings.mcp.iter().all(|known| known.entry.name != server.entry.name);
        let kept: Vec<McpServerSetting> = self.servers.iter().filter(is_free).cloned().collect();
        read.settings.mcp.extend(kept);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_client_protocol::v1::schema::{McpServerHttp, McpServerStdio};

    #[test]
    fn servers_of_a_client_are_its_own_and_take_no_name() {
        let stdio =
            |name: &str| McpServer::Stdio(McpServerStdio::new(name, "/bin/server").args(vec!["${HOME}".into()]));
        let (first, _) = servers(vec![stdio("git")], &[]);
        assert_eq!(first[0].origin, McpOrigin::Client);
        assert_eq!(first[0].filled.shown(), "/bin/server ${HOME}", "nothing is filled in");
        let web = McpServer::Http(McpServerHttp::new("web", "https://web.example/mcp"));
        let (found, warnings) = servers(vec![stdio("git"), web, stdio("a__b"), stdio("web")], &first);
        let names: Vec<&str> = found.iter().map(|server| server.entry.name.as_str()).collect();
        assert_eq!(names, ["web"]);
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        assert!(warnings[0].contains("git, too") && warnings[1].contains("a__b"), "{warnings:?}");
    }
}
