//! MCP servers as they are set up: the person's own in their settings, the project's in its `.mcp.json`. It starts nothing.
//!
//! Where both have a server of one name, the person's counts. What a project's settings say of servers only ever switches them off.

use crate::regular_file;
use fore_agent::{McpOrigin, McpServerSetting};
use fore_mcp::{McpFileFormat, ServerEntry, server_entries, server_entry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    io::Read as _,
    path::{Path, PathBuf},
};

/// The project's file.
pub(crate) const PROJECT_FILE: &str = ".mcp.json";
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Letters of the name of a server.
const MAX_NAME: usize = 40;
/// Servers of a session.
const MAX_SERVERS: usize = 100;

/// How an MCP server is started or reached. ${NAME} and ${NAME:-otherwise} stand for variables of your environment.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(rename = "McpServer")]
pub(crate) struct McpServerSection {
    /// The program, for a server on this machine. It is started without a shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<String>,
    /// Its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) args: Vec<String>,
    /// Variables that it gets; it gets none of yours besides the harmless ones. Their values are never shown.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) env: BTreeMap<String, String>,
    /// Where it starts, from the project. Not set: in the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cwd: Option<String>,
    /// The address, for a server elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    /// "sse" for servers with an address that speak the old protocol with two channels.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
    /// Headers that are sent with every request. Their values are never shown.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) headers: BTreeMap<String, String>,
    /// Hosts that a program may reach from its sandbox, such as "api.example.com"; while planning it reaches no others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) hosts: Vec<String>,
    /// Whether the server is left alone. A repository may switch servers off, never on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) disabled: bool,
    /// Whether its tools stand in the first request as tools of their own. Not set: the model finds them with McpSearch.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) always_load: bool,
    /// Only these tools are used. Not set: all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) enabled_tools: Vec<String>,
    /// These tools are not used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) disabled_tools: Vec<String>,
    /// Milliseconds until a server that starts has to answer. Not set: 30000.
    #[schemars(range(min = 1, max = 86400000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) start_timeout: Option<u64>,
    /// Milliseconds that a call may be without a sign of life. Not set: 300000.
    #[schemars(range(min = 1, max = 86400000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) call_timeout: Option<u64>,
}

impl std::fmt::Debug for McpServerSection {
    /// Variables and headers hold keys.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McpServerSection").field("command", &self.command).finish_non_exhaustive()
    }
}

/// Why a name cannot be the name of a server: tools are called `mcp__server__tool`, which has to mean one thing.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let is_plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-');
    let is_one_way = !name.contains("__") && !name.starts_with('_') && !name.ends_with('_');
    if is_plain && is_one_way && (1..=MAX_NAME).contains(&name.len()) {
        return Ok(());
    }
    let shown = fore_text::line(fore_text::cut::chars(name, 60)).into_owned();
    Err(format!(
        "`{shown}` cannot be the name of an MCP server: up to {MAX_NAME} letters, digits, `-` and single `_` inside are right"
    ))
}

/// All servers that are set up for a project.
#[derive(Debug, Default)]
pub(crate) struct FoundServers {
    pub(crate) servers: Vec<McpServerSetting>,
    pub(crate) warnings: Vec<String>,
}

/// Looks for them. `variable` fills in what entries name.
pub(super) fn find(
    sections: &BTreeMap<String, McpServerSection>,
    project: &Path,
    variable: &dyn Fn(&str) -> Option<String>,
) -> FoundServers {
    let mut found = FoundServers::default();
    let mut off: Vec<&str> = Vec::new();
    for (name, section) in sections {
        if section.command.is_none() && section.url.is_none() && section.disabled {
            off.push(name);
            continue;
        }
        let entry = check_name(name).and_then(|()| {
            let value = serde_json::to_value(section).map_err(|error| error.to_string())?;
            server_entry(name, &value).map_err(|fault| fault.to_string())
        });
        match entry {
            Ok((entry, warnings)) => found.add(entry, warnings, McpOrigin::Person, variable),
            Err(why) => found.warnings.push(format!("an MCP server of your settings is left out: {why}")),
        }
    }
    let Some(text) = project_file(project) else { return found };
    match text.and_then(|text| server_entries(&text, McpFileFormat::McpJson).map_err(|fault| fault.to_string())) {
        Err(why) => found.warnings.push(format!("{PROJECT_FILE} is left out: {why}")),
        Ok(file) => {
            let faults = file.faults.iter().map(|fault| format!("{PROJECT_FILE}: {fault}"));
            found.warnings.extend(faults.chain(file.warnings.iter().map(|why| format!("{PROJECT_FILE}: {why}"))));
            for mut entry in file.servers {
                if let Err(why) = check_name(&entry.name) {
                    found.warnings.push(format!("{PROJECT_FILE}: {why}"));
                } else if found.servers.iter().any(|server| server.entry.name == entry.name) {
                    let name = &entry.name;
                    found
                        .warnings
                        .push(format!("{PROJECT_FILE} has a server {name}, too; yours is the one that is used"));
                } else {
                    entry.disabled |= off.contains(&entry.name.as_str());
                    found.add(entry, Vec::new(), McpOrigin::Repository, variable);
                }
            }
        }
    }
    found
}

impl FoundServers {
    fn add(
        &mut self,
        entry: ServerEntry,
        warnings: Vec<String>,
        origin: McpOrigin,
        variable: &dyn Fn(&str) -> Option<String>,
    ) {
        if self.servers.len() >= MAX_SERVERS {
            return self.warnings.push(format!("more than {MAX_SERVERS} MCP servers are set up; the rest is left out"));
        }
        let filled = entry.expanded(variable);
        self.warnings.extend(warnings);
        if !entry.disabled {
            let name = &entry.name;
            self.warnings.extend(filled.warnings.iter().map(|why| format!("MCP server {name}: {why}")));
        }
        self.servers.push(McpServerSetting { entry, filled: filled.entry, origin });
    }
}

/// The text of the project's file; none where there is no file.
fn project_file(project: &Path) -> Option<Result<String, String>> {
    let path = project.join(PROJECT_FILE);
    let file = match regular_file::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => return Some(Err(error.to_string())),
    };
    let real: Option<PathBuf> = path.canonicalize().ok().filter(|real| real.starts_with(project));
    if !real.is_some_and(|real| regular_file::is_same(&real, &file).unwrap_or(false)) {
        return Some(Err("it leads out of the project".into()));
    }
    let mut text = String::new();
    let read = file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text);
    Some(match read {
        Err(error) => Err(error.to_string()),
        Ok(_) if text.len() as u64 > MAX_FILE_BYTES => Err("it is too large".into()),
        Ok(_) => Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(value: serde_json::Value) -> McpServerSection {
        serde_json::from_value(value).unwrap()
    }

    #[expect(clippy::disallowed_methods, reason = "writes the file of a project by hand")]
    fn found(sections: serde_json::Value, file: Option<&str>) -> FoundServers {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().canonicalize().unwrap();
        if let Some(text) = file {
            std::fs::write(project.join(PROJECT_FILE), text).unwrap();
        }
        let sections: BTreeMap<String, McpServerSection> =
            sections.as_object().unwrap().iter().map(|(name, value)| (name.clone(), section(value.clone()))).collect();
        find(&sections, &project, &|name| (name == "TOKEN").then(|| "s3cret".to_owned()))
    }

    #[test]
    fn the_persons_servers_come_first_and_a_project_cannot_take_their_names() {
        let found = found(
            serde_json::json!({
                "git": {"command": "mcp-git", "args": ["--token", "${TOKEN}"]},
                "db": {"disabled": true},
                "a__b": {"command": "x"},
            }),
            Some(
                r#"{"mcpServers": {"git": {"command": "evil"}, "db": {"command": "db"}, "web": {"url": "https://web.example"}}}"#,
            ),
        );
        let names: Vec<_> = found.servers.iter().map(|server| (server.entry.name.as_str(), server.origin)).collect();
        let (person, project) = (McpOrigin::Person, McpOrigin::Repository);
        assert_eq!(names, [("git", person), ("db", project), ("web", project)]);
        assert_eq!(found.servers[0].entry.shown(), "mcp-git --token ${TOKEN}", "what is shown has no values");
        assert_eq!(found.servers[0].filled.shown(), "mcp-git --token s3cret");
        assert!(found.servers[1].entry.disabled, "settings may switch a project's server off");
        assert_eq!(
            found.warnings,
            [
                "an MCP server of your settings is left out: `a__b` cannot be the name of an MCP server: up to 40 letters, digits, \
                 `-` and single `_` inside are right",
                ".mcp.json has a server git, too; yours is the one that is used",
            ]
        );
        assert!(!format!("{:?}", found.servers).contains("s3cret"));
    }

    #[test]
    fn a_broken_file_of_the_project_sets_up_nothing_and_is_said() {
        let broken = found(serde_json::json!({}), Some("{"));
        assert!(broken.servers.is_empty());
        assert!(broken.warnings[0].starts_with(".mcp.json is left out: line 1, column 1"), "{:?}", broken.warnings);
        assert!(found(serde_json::json!({}), None).warnings.is_empty());
    }
}
