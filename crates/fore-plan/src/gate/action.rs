//! What a tool call would do, by kind. Built from a call's name and input; an unknown name stays unknown.

use crate::approval::batch::plan_tool;
use serde::Serialize;
use serde_json::Value;

/// The kinds of tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Read,
    Search,
    Fetch,
    Think,
    Edit,
    Delete,
    Move,
    Execute,
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

/// What a tool call would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "action")]
pub enum Action {
    Read {
        path: String,
    },
    Search {
        path: String,
    },
    /// `host` is none for a web search.
    Fetch {
        host: Option<String>,
    },
    Think {
        tool: String,
    },
    Edit {
        tool: String,
        target: FileTarget,
    },
    EditNotebook {
        target: FileTarget,
    },
    Delete {
        target: FileTarget,
    },
    Move {
        from: FileTarget,
        to: FileTarget,
    },
    Run {
        command: String,
        cwd: String,
        rehearse: bool,
    },
    /// A hook of the user's, which runs beside the agent.
    Hook {
        command: String,
    },
    Agent {
        name: String,
        is_read_only: bool,
    },
    Mcp {
        server: String,
        tool: String,
        says_read_only: bool,
    },
    Todo,
    Skill {
        name: String,
    },
    EnterPlanMode,
    ExitPlanMode,
    Other {
        tool: String,
    },
}

/// Looks up what a path named in a call really is. The gate itself touches no file.
pub trait Paths {
    fn resolve(&self, asked: &str) -> FileTarget;
    /// The folder a command runs in.
    fn cwd(&self) -> String;
    /// Whether an agent of this name only reads.
    fn is_read_only_agent(&self, name: &str) -> bool;
    /// Whether the server marked this tool as read-only.
    fn says_read_only(&self, server: &str, tool: &str) -> bool;
}

impl Action {
    pub fn kind(&self) -> Kind {
        match self {
            Action::Read { .. } | Action::Skill { .. } => Kind::Read,
            Action::Search { .. } => Kind::Search,
            Action::Fetch { .. } => Kind::Fetch,
            Action::Think { .. } | Action::Todo | Action::EnterPlanMode | Action::ExitPlanMode => Kind::Think,
            Action::Edit { .. } | Action::EditNotebook { .. } => Kind::Edit,
            Action::Delete { .. } => Kind::Delete,
            Action::Move { .. } => Kind::Move,
            Action::Run { .. } | Action::Hook { .. } => Kind::Execute,
            Action::Agent { .. } | Action::Mcp { .. } | Action::Other { .. } => Kind::Other,
        }
    }

    /// Reads a tool call. Names that other agents use for the same tools are known too.
    pub fn from_call(tool: &str, input: &Value, paths: &dyn Paths) -> Action {
        let text = |name: &str| input.get(name).and_then(Value::as_str);
        let other = || Action::Other { tool: tool.chars().take(100).collect() };
        let path = || text("file_path").or_else(|| text("path")).or_else(|| text("absolute_path"));
        let here = || Some(paths.cwd());
        match tool {
            "Read" | "read_file" | "NotebookRead" | "View" => path()
                .or_else(|| text("notebook_path"))
                .map_or_else(other, |asked| Action::Read { path: paths.resolve(asked).real }),
            "Glob" | "Grep" | "LS" | "glob" | "grep" | "grep_search" | "search_file_content" | "list_directory" => {
                let folder = path().map(|asked| paths.resolve(asked).real).or_else(here);
                Action::Search { path: folder.unwrap_or_default() }
            }
            "WebFetch" | "web_fetch" => {
                text("url").and_then(host_of).map_or_else(other, |host| Action::Fetch { host: Some(host) })
            }
            "WebSearch" | "web_search" | "google_web_search" => Action::Fetch { host: None },
            "AskUserQuestion" | "ask_user_question" | "BashOutput" => Action::Think { tool: tool.into() },
            "Write" | "write_file" | "Edit" | "edit" | "replace" | "MultiEdit" => {
                path().map_or_else(other, |asked| Action::Edit { tool: tool.into(), target: paths.resolve(asked) })
            }
            "NotebookEdit" => text("notebook_path")
                .or_else(path)
                .map_or_else(other, |asked| Action::EditNotebook { target: paths.resolve(asked) }),
            "Bash" | "run_shell_command" | "shell" => text("command").map_or_else(other, |command| Action::Run {
                command: command.into(),
                cwd: paths.cwd(),
                rehearse: input.get("rehearse").and_then(Value::as_bool).unwrap_or(false),
            }),
            "Agent" | "Task" | "task" => text("subagent_type").or_else(|| text("agent")).map_or_else(other, |name| {
                Action::Agent { name: name.into(), is_read_only: paths.is_read_only_agent(name) }
            }),
            "TodoWrite" | "todo_write" => Action::Todo,
            "Skill" | "skill" => {
                text("skill").or_else(|| text("name")).map_or_else(other, |name| Action::Skill { name: name.into() })
            }
            _ => match (plan_tool(tool), mcp_name(tool)) {
                (Some("EnterPlanMode"), _) => Action::EnterPlanMode,
                (Some(_), _) => Action::ExitPlanMode,
                (None, Some((server, name))) => Action::Mcp {
                    server: server.into(),
                    tool: name.into(),
                    says_read_only: paths.says_read_only(server, name),
                },
                (None, None) => other(),
            },
        }
    }
}

/// `mcp__server__tool` in its two parts.
pub(super) fn mcp_name(tool: &str) -> Option<(&str, &str)> {
    let (server, name) = tool.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !name.is_empty()).then_some((server, name))
}

/// The host of an `http` or `https` URL, in lower case. Anything odd gives none: an unclear host is no host.
fn host_of(url: &str) -> Option<String> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        Some(_) => return None,
        None => authority,
    };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-';
    (!host.is_empty() && host.bytes().all(is_plain)).then(|| host.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_a_url_is_certain_or_absent() {
        let page = [
            ("https://Docs.RS/tokio?q=1", Some("docs.rs")),
            ("http://localhost:8080/x", Some("localhost")),
            ("https://user@evil.example/", None),
            ("https://good.example\\@evil.example/", None),
            ("ftp://x/", None),
            ("https://", None),
            ("https:///x", None),
            ("https://[::1]/", None),
        ];
        for (url, host) in page {
            assert_eq!(host_of(url).as_deref(), host, "{url}");
        }
    }

    #[test]
    fn an_mcp_name_has_a_server_and_a_tool() {
        assert_eq!(mcp_name("mcp__jira__get_issue"), Some(("jira", "get_issue")));
        assert_eq!(mcp_name("mcp__jira"), None);
        assert_eq!(mcp_name("mcp____x"), None);
        assert_eq!(mcp_name("jira__get"), None);
    }
}
