//! What a tool call would do, by kind. Built from a call's name and input; an unknown name stays unknown.

use crate::{plan::Hash, tool_name::ToolName};
use fore_shell::Reach;
use serde::Serialize;
use serde_json::Value;

/// The kinds of tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolKind {
    /// Reads files.
    Read,
    /// Looks for files or in them.
    Search,
    /// Gets something from the network.
    Fetch,
    /// Touches nothing.
    Think,
    /// Writes files.
    Edit,
    /// Removes files.
    Delete,
    /// Gives files another name.
    Move,
    /// Runs a command.
    Execute,
    /// Anything else.
    Other,
}

/// A file that a call wants to change, with what is really there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileTarget {
    /// As the call named it.
    pub asked: String,
    /// Absolute, without links in its folders.
    pub real: String,
    /// The file itself is a symbolic link.
    pub is_link: bool,
    /// How many names the file has; 0 when it does not exist.
    pub names: u64,
}

impl FileTarget {
    /// Not a link, and under its only name: a change reaches this file and no other.
    pub fn is_plain(&self) -> bool {
        !self.is_link && self.names <= 1
    }
}

/// What a tool call would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "action")]
pub enum Action {
    /// `path` is what is really read, `asked` as the call named it: a rule may name either.
    Read {
        /// What is really read.
        path: String,
        /// As the call named it.
        asked: String,
    },
    /// Where a search begins. What rules deny beneath it is for the tool to leave out.
    Search {
        /// Where it really begins.
        path: String,
        /// As the call named it.
        asked: String,
    },
    /// `host` is none for a web search. It names a port where that is not the web's own.
    Fetch {
        /// Whom it talks to.
        host: Option<String>,
    },
    /// Something that touches nothing.
    Think {
        /// By which tool.
        tool: ToolName,
    },
    /// A file is written.
    Edit {
        /// By which tool.
        tool: ToolName,
        /// The file.
        target: FileTarget,
    },
    /// A notebook is written.
    EditNotebook {
        /// The file.
        target: FileTarget,
    },
    /// A file is removed.
    Delete {
        /// The file.
        target: FileTarget,
    },
    /// A file gets another name.
    Move {
        /// As it is.
        from: FileTarget,
        /// As it will be.
        to: FileTarget,
    },
    /// A command is run.
    Run {
        /// The command, as the shell gets it.
        command: String,
        /// The folder it runs in.
        cwd: String,
        /// The model wants its writes thrown away.
        rehearse: bool,
    },
    /// A hook of the user's, which runs beside the agent.
    Hook {
        /// What it runs, or the address that is told.
        command: String,
        /// What the person's own settings let hooks write, in every mode.
        may_write: Vec<String>,
    },
    /// A subagent is started.
    Agent {
        /// Its kind.
        name: String,
        /// Whether that kind can change nothing.
        is_read_only: bool,
    },
    /// Somebody of the team is told something.
    Message {
        /// Who.
        to: String,
        /// Whether they can change nothing because of it.
        is_harmless: bool,
    },
    /// A tool of a server is called.
    Mcp {
        /// The server.
        server: String,
        /// Its tool.
        tool: String,
        /// What is known of the tool.
        claims: McpClaims,
    },
    /// A server is started, or a connection to it made.
    McpServer {
        /// The server.
        server: String,
        /// What is run, as a JSON array of its words, or the address.
        command: String,
        /// Where it is.
        place: McpPlace,
    },
    /// The list of what is to do is written.
    Todo,
    /// A skill is read.
    Skill {
        /// Which.
        name: String,
    },
    /// Planning shall begin.
    EnterPlanMode,
    /// A plan is handed in.
    ExitPlanMode,
    /// More shall be granted than the plan names.
    AmendPlan,
    /// Something that nobody here knows.
    Other {
        /// What was called.
        tool: String,
    },
}

/// What a server says of one of its tools, and where the server is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct McpClaims {
    /// It says that the tool only reads.
    pub read_only: bool,
    /// It says that the tool destroys something; that counts more.
    pub destructive: bool,
    /// The tool's definition as it is now; none where it is not known.
    pub definition: Option<Hash>,
    /// Where the server is.
    pub place: McpPlace,
}

impl McpClaims {
    /// Whether the server's own word is that the tool changes nothing.
    pub fn says_it_only_reads(&self) -> bool {
        self.read_only && !self.destructive
    }
}

/// Where an MCP server is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum McpPlace {
    /// A process of this machine; its sandbox reaches these hosts.
    Process(Vec<String>),
    /// Behind an address. What it does there, nothing on this machine can hold.
    Remote,
}

impl Default for McpPlace {
    fn default() -> McpPlace {
        McpPlace::Process(Vec::new())
    }
}

/// Looks up what a path named in a call really is. The gate itself touches no file.
pub trait Paths {
    /// What this path leads to.
    fn resolve(&self, asked: &str) -> FileTarget;
    /// The folder a command runs in.
    fn cwd(&self) -> String;
    /// Whether an agent of this name only reads.
    fn is_read_only_agent(&self, name: &str) -> bool;
    /// Whether somebody of the team can change nothing because of what they are told: a teammate that plans, or who leads.
    fn is_harmless_to_tell(&self, name: &str) -> bool;
    /// What is known of a server's tool; [`McpClaims::default`] where nothing is.
    fn mcp_claims(&self, server: &str, tool: &str) -> McpClaims;
}

impl Action {
    /// What kind of tool does such a thing.
    pub fn kind(&self) -> ToolKind {
        match self {
            Action::Read { .. } | Action::Skill { .. } => ToolKind::Read,
            Action::Search { .. } => ToolKind::Search,
            Action::Fetch { .. } => ToolKind::Fetch,
            Action::Think { .. } | Action::Todo | Action::EnterPlanMode | Action::ExitPlanMode | Action::AmendPlan => {
                ToolKind::Think
            }
            Action::Edit { .. } | Action::EditNotebook { .. } => ToolKind::Edit,
            Action::Delete { .. } => ToolKind::Delete,
            Action::Move { .. } => ToolKind::Move,
            Action::Run { .. } | Action::Hook { .. } | Action::McpServer { .. } => ToolKind::Execute,
            Action::Agent { .. } | Action::Message { .. } | Action::Mcp { .. } | Action::Other { .. } => {
                ToolKind::Other
            }
        }
    }

    /// Reads a tool call. Names that other agents use for the same tools are known too.
    pub fn from_call(tool: &str, input: &Value, paths: &dyn Paths) -> Action {
        let other = || Action::Other { tool: tool.chars().take(100).collect() };
        let text = |names: &[&str]| one_text(input, names);
        let name = match (ToolName::from_called(tool), mcp_name(tool)) {
            (Some(name), _) => name,
            (None, Some((server, name))) => {
                let claims = if is_ambiguous(tool) { McpClaims::default() } else { paths.mcp_claims(server, name) };
                return Action::Mcp { server: server.into(), tool: name.into(), claims };
            }
            (None, None) => return other(),
        };
        let action = match name {
            ToolName::Read => text(&READ_PATHS).required().map(|asked| read(asked, paths)),
            ToolName::Glob | ToolName::Grep | ToolName::Ls => searched(name, input).map(|asked| match asked {
                None => Action::Search { path: paths.cwd(), asked: ".".into() },
                Some(asked) => Action::Search { path: paths.resolve(&asked).real, asked },
            }),
            ToolName::WebFetch => {
                text(&["url"]).required().and_then(host_of).map(|host| Action::Fetch { host: Some(host) })
            }
            ToolName::WebSearch => Some(Action::Fetch { host: None }),
            ToolName::AskUserQuestion | ToolName::BashOutput | ToolName::McpSearch | ToolName::AnswerPlan => {
                Some(Action::Think { tool: name })
            }
            ToolName::McpCall => server_and(text(&["tool"]), input).map(|(server, tool)| mcp(server, tool, paths)),
            ToolName::McpRead => server_and(text(&["uri"]), input).map(|(server, _)| mcp(server, MCP_RESOURCES, paths)),
            ToolName::Write | ToolName::Edit | ToolName::MultiEdit => {
                text(&PATHS).required().map(|asked| Action::Edit { tool: name, target: paths.resolve(asked) })
            }
            ToolName::NotebookEdit => {
                text(&READ_PATHS).required().map(|asked| Action::EditNotebook { target: paths.resolve(asked) })
            }
            ToolName::Bash => command(input, paths),
            ToolName::Agent => text(&["subagent_type", "agent"]).required().map(|name| {
                // One that is started to plan only reads, whatever its kind may do.
                let plans = text(&["mode"]).required().is_some_and(|mode| mode.trim() == "plan");
                Action::Agent { name: name.into(), is_read_only: plans || paths.is_read_only_agent(name) }
            }),
            // Whoever is told something may act on it, so it is judged as if they were started.
            ToolName::SendMessage => text(&["to"])
                .required()
                .map(|to| Action::Message { to: to.into(), is_harmless: paths.is_harmless_to_tell(to) }),
            ToolName::TodoWrite => Some(Action::Todo),
            ToolName::Skill => text(&["skill", "name"]).required().map(|name| Action::Skill { name: name.into() }),
            ToolName::EnterPlanMode => Some(Action::EnterPlanMode),
            ToolName::ExitPlanMode => Some(Action::ExitPlanMode),
            ToolName::AmendPlan => Some(Action::AmendPlan),
        };
        action.unwrap_or_else(other)
    }
}

/// The fields that name the file of a call, by the agents that use them.
const PATHS: [&str; 3] = ["file_path", "path", "absolute_path"];
const READ_PATHS: [&str; 4] = ["file_path", "path", "absolute_path", "notebook_path"];
/// The fields that name the folder a command runs in.
const FOLDERS: [&str; 4] = ["directory", "dir_path", "workdir", "cwd"];

/// What a call's fields say.
enum FieldText<'a> {
    Nothing,
    Text(&'a str),
    /// Two fields that differ, or one that is no text: nobody can know which of them the tool obeys.
    Unclear,
}

impl<'a> FieldText<'a> {
    fn required(self) -> Option<&'a str> {
        match self {
            FieldText::Text(text) => Some(text),
            FieldText::Nothing | FieldText::Unclear => None,
        }
    }

    /// `Some(None)`: nothing was said.
    fn optional(self) -> Option<Option<&'a str>> {
        match self {
            FieldText::Nothing => Some(None),
            FieldText::Text(text) => Some(Some(text)),
            FieldText::Unclear => None,
        }
    }
}

fn one_text<'a>(input: &'a Value, names: &[&str]) -> FieldText<'a> {
    let mut said = FieldText::Nothing;
    for value in names.iter().filter_map(|name| input.get(*name)).filter(|value| !value.is_null()) {
        said = match (value.as_str(), said) {
            (Some(text), FieldText::Nothing) => FieldText::Text(text),
            (Some(text), FieldText::Text(before)) if text == before => FieldText::Text(text),
            _ => return FieldText::Unclear,
        };
    }
    said
}

fn read(asked: &str, paths: &dyn Paths) -> Action {
    Action::Read { path: paths.resolve(asked).real, asked: asked.into() }
}

/// Where a search begins: its folder and, for Glob, the part of the pattern before its first wildcard.
fn searched(tool: ToolName, input: &Value) -> Option<Option<String>> {
    let folder = one_text(input, &PATHS).optional()?;
    let pattern = if tool == ToolName::Glob { one_text(input, &["pattern"]).optional()? } else { None };
    let fixed = pattern.map(|pattern| {
        let wild = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
        let before = pattern.get(..wild).unwrap_or_default();
        before.rfind('/').map_or("", |slash| before.get(..=slash).unwrap_or_default())
    });
    Some(match (folder, fixed.filter(|fixed| !fixed.is_empty())) {
        (folder, None) => folder.map(str::to_owned),
        (None, Some(fixed)) => Some(fixed.to_owned()),
        (Some(_), Some(fixed)) if fixed.starts_with(['/', '~']) => Some(fixed.to_owned()),
        (Some(folder), Some(fixed)) => Some(format!("{folder}/{fixed}")),
    })
}

fn command(input: &Value, paths: &dyn Paths) -> Option<Action> {
    let command = one_text(input, &["command"]).required()?.to_owned();
    let folder = one_text(input, &FOLDERS).optional()?;
    let cwd = folder.map_or_else(|| paths.cwd(), |folder| paths.resolve(folder).real);
    let rehearse = input.get("rehearse").and_then(Value::as_bool).unwrap_or(false);
    Some(Action::Run { command, cwd, rehearse })
}

/// Stands for all resources of a server, where a tool is named. No tool of a server is called so by us.
pub const MCP_RESOURCES: &str = "resources/read";

fn mcp(server: &str, tool: &str, paths: &dyn Paths) -> Action {
    Action::Mcp { server: server.into(), tool: tool.into(), claims: paths.mcp_claims(server, tool) }
}

/// The server of a call that names one, and what else it has to name.
fn server_and<'a>(wanted: FieldText<'a>, input: &'a Value) -> Option<(&'a str, &'a str)> {
    let server = one_text(input, &["server"]).required().filter(|server| !server.is_empty())?;
    Some((server, wanted.required().filter(|wanted| !wanted.is_empty())?))
}

/// `mcp__server__tool` in its two parts.
pub(super) fn mcp_name(tool: &str) -> Option<(&str, &str)> {
    let (server, name) = tool.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !name.is_empty()).then_some((server, name))
}

/// Whether the name can be split in two ways: `mcp__a__b__c` may be `b__c` of `a` or `c` of `a__b`.
pub(super) fn is_ambiguous(tool: &str) -> bool {
    let rest = tool.strip_prefix("mcp__").unwrap_or(tool);
    rest.as_bytes().windows(2).filter(|pair| *pair == b"__").count() > 1
}

/// The host of an `http` or `https` URL, with its port where that is not one of the web's. Anything odd gives none: an unclear
/// host is no host.
fn host_of(url: &str) -> Option<String> {
    let (rest, usual) = match url.strip_prefix("https://") {
        Some(rest) => (rest, 443),
        None => (url.strip_prefix("http://")?, 80),
    };
    let authority = rest.split(['/', '?', '#']).next().filter(|authority| !authority.contains('@'))?;
    match Reach::authority(authority, usual) {
        Reach::Host(host) => Some(host),
        Reach::AnyHost | Reach::Daemon(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_a_url_is_certain_or_absent() {
        let page = [
            ("https://Docs.RS/tokio?q=1", Some("docs.rs")),
            ("http://localhost:8080/x", Some("localhost:8080")),
            ("https://docs.rs:80/", Some("docs.rs")),
            ("https://docs.rs:/", None),
            ("https://user@evil.example/", None),
            ("https://good.example\\@evil.example/", None),
            ("ftp://x/", None),
            ("https://", None),
            ("https:///x", None),
            ("https://[::1]/", Some("::1")),
            ("http://[::1]:8080/", Some("[::1]:8080")),
            ("https://::1/", None),
            ("https://docs.rs./", Some("docs.rs")),
            ("https://docs.rs../", None),
            ("https://./", None),
            ("https://.docs.rs/", None),
            ("https://127.0.0.1:443/", Some("127.0.0.1")),
            ("http://2130706433/", None),
            ("http://0x7f.1/", None),
            ("http://0177.0.0.1/", None),
            ("https://good.example\t.evil.example/", None),
            ("https://xn--e1afmkfd.example/", Some("xn--e1afmkfd.example")),
            ("https://пример.example/", None),
            ("https://docs.rs:443:80/", None),
        ];
        for (url, host) in page {
            assert_eq!(host_of(url).as_deref(), host, "{url}");
        }
    }

    #[test]
    fn a_name_that_can_be_split_in_two_ways_is_nobodys_word() {
        assert!(is_ambiguous("mcp__a__b__c") && is_ambiguous("mcp__a___b") && is_ambiguous("mcp___a__b__"));
        assert!(!is_ambiguous("mcp__a__b") && !is_ambiguous("mcp__a_b__c_d"));
    }

    #[test]
    fn an_mcp_name_has_a_server_and_a_tool() {
        assert_eq!(mcp_name("mcp__jira__get_issue"), Some(("jira", "get_issue")));
        assert_eq!(mcp_name("mcp__jira"), None);
        assert_eq!(mcp_name("mcp____x"), None);
        assert_eq!(mcp_name("jira__get"), None);
    }
}
