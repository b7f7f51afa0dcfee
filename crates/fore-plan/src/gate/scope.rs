//! What a yes for the whole session covers: the one value that the question, the grant and the list of grants are made of.

use super::MCP_RESOURCES;
use std::path::Path;

/// Letters of a command in a list; the rest is left out.
const MAX_COMMAND_CHARS: usize = 100;

/// One thing that is not asked about again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowScope {
    /// This host.
    Host(String),
    /// This service of the machine.
    Service(String),
    /// Searches on the web.
    WebSearch,
    /// Exactly this command in this folder.
    Command {
        /// The folder.
        cwd: String,
        /// The command.
        command: String,
    },
    /// This tool of a server.
    McpTool {
        /// The server.
        server: String,
        /// Its tool.
        tool: String,
    },
    /// Every change of this file, whichever tool makes it.
    Edits {
        /// The file.
        path: String,
    },
    /// Every edit of an ordinary file in this folder of the project, and below it.
    EditsIn {
        /// The folder.
        folder: String,
    },
    /// Every command in this folder that begins with these words and does nothing but run code of the project.
    CommandsLike {
        /// The folder.
        cwd: String,
        /// The words, a blank between them.
        words: String,
    },
}

impl AllowScope {
    /// The words the state remembers it by ([`crate::Change::Allowed`]).
    pub(crate) fn key(&self) -> String {
        match self {
            AllowScope::Host(host) => format!("host:{host}"),
            AllowScope::Service(name) => format!("service:{name}"),
            AllowScope::WebSearch => "web-search".into(),
            AllowScope::Command { cwd, command } => format!("run:{cwd}\n{command}"),
            AllowScope::McpTool { server, tool } => format!("mcp:{server}/{tool}"),
            AllowScope::Edits { path } => format!("edit:{path}"),
            AllowScope::EditsIn { folder } => format!("edits-in:{folder}"),
            AllowScope::CommandsLike { cwd, words } => format!("runs-like:{cwd}\n{words}"),
        }
    }

    /// What a key of the state covers; none for one that nothing here makes.
    pub fn of_key(key: &str) -> Option<AllowScope> {
        if key == "web-search" {
            return Some(AllowScope::WebSearch);
        }
        let (kind, rest) = key.split_once(':')?;
        let two = |at: char| rest.split_once(at).map(|(one, two)| (one.to_owned(), two.to_owned()));
        match kind {
            "host" => Some(AllowScope::Host(rest.into())),
            "service" => Some(AllowScope::Service(rest.into())),
            "run" => two('\n').map(|(cwd, command)| AllowScope::Command { cwd, command }),
            "mcp" => two('/').map(|(server, tool)| AllowScope::McpTool { server, tool }),
            "edit" => Some(AllowScope::Edits { path: rest.into() }),
            "edits-in" => Some(AllowScope::EditsIn { folder: rest.into() }),
            "runs-like" => two('\n').map(|(cwd, words)| AllowScope::CommandsLike { cwd, words }),
            _ => None,
        }
    }

    /// In words that stand for themselves: `edits of Cargo.toml`.
    pub fn describe(&self, project: &Path) -> String {
        match self {
            AllowScope::Host(host) => format!("talking to {host}"),
            AllowScope::Service(name) => format!("talking to the {name} service"),
            AllowScope::WebSearch => "web searches".into(),
            AllowScope::Command { cwd, command } => {
                format!("the exact command {}{}", beginning(command), beneath(cwd, project))
            }
            AllowScope::CommandsLike { cwd, words } => format!("`{words} …`{}", beneath(cwd, project)),
            AllowScope::McpTool { server, tool } if tool == MCP_RESOURCES => {
                format!("resources of the MCP server {server}")
            }
            AllowScope::McpTool { server, tool } => format!("the tool {tool} of the MCP server {server}"),
            AllowScope::Edits { path } => format!("edits of {}", short(path, project)),
            AllowScope::EditsIn { folder } => match short(folder, project) {
                "." => "edits of any file in this project".into(),
                folder => format!("edits in {folder}/"),
            },
        }
    }

    /// In words for somebody who sees the call: a command need not be said again.
    fn describe_beside_call(&self, project: &Path) -> String {
        if let AllowScope::Command { .. } = self { "this exact command".into() } else { self.describe(project) }
    }
}

/// Several at once, in words that stand for themselves.
pub(super) fn describe_all(scopes: &[AllowScope], project: &Path) -> String {
    let words: Vec<String> = scopes.iter().map(|scope| scope.describe(project)).collect();
    match words.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        Some(_) | None => words.concat(),
    }
}

/// Several at once, for somebody who sees the call.
pub(super) fn describe_beside_call(scopes: &[AllowScope], project: &Path) -> String {
    let words: Vec<String> = scopes.iter().map(|scope| scope.describe_beside_call(project)).collect();
    words.join(" and ")
}

/// A path as people say it: inside of the project without the project's own.
fn short<'a>(path: &'a str, project: &Path) -> &'a str {
    match Path::new(path).strip_prefix(project).ok().and_then(Path::to_str) {
        Some("") => ".",
        Some(inside) => inside,
        None => path,
    }
}

/// Where a command runs, if that is not the project itself.
fn beneath(cwd: &str, project: &Path) -> String {
    match short(cwd, project) {
        "." => String::new(),
        place => format!(" in {place}"),
    }
}

fn beginning(command: &str) -> String {
    let first = command.trim().lines().next().unwrap_or_default();
    let kept = fore_text::cut::chars(first, MAX_COMMAND_CHARS);
    if kept.len() < command.trim().len() { format!("{kept} …") } else { kept.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_is_remembered_asked_for_and_listed_from_one_value() {
        let command = |cwd: &str, command: &str| AllowScope::Command { cwd: cwd.into(), command: command.into() };
        let long = format!("echo {}", "x".repeat(200));
        let page = [
            (AllowScope::Host("docs.rs".into()), "talking to docs.rs", "talking to docs.rs"),
            (AllowScope::Service("docker".into()), "talking to the docker service", "talking to the docker service"),
            (AllowScope::WebSearch, "web searches", "web searches"),
            (
                AllowScope::McpTool { server: "db".into(), tool: "query".into() },
                "the tool query of the MCP server db",
                "the tool query of the MCP server db",
            ),
            (
                AllowScope::Edits { path: "/projects/shop/Cargo.toml".into() },
                "edits of Cargo.toml",
                "edits of Cargo.toml",
            ),
            (AllowScope::Edits { path: "/etc/hosts".into() }, "edits of /etc/hosts", "edits of /etc/hosts"),
            (AllowScope::EditsIn { folder: "/projects/shop/src".into() }, "edits in src/", "edits in src/"),
            (
                AllowScope::EditsIn { folder: "/projects/shop".into() },
                "edits of any file in this project",
                "edits of any file in this project",
            ),
            (
                AllowScope::CommandsLike { cwd: "/projects/shop/web".into(), words: "npm test".into() },
                "`npm test …` in web",
                "`npm test …` in web",
            ),
            (command("/projects/shop", "cargo test"), "this exact command", "the exact command cargo test"),
            (
                command("/projects/shop/web", "npm test\nnpm run build"),
                "this exact command",
                "the exact command npm test … in web",
            ),
            (
                command("/projects/shop", &long),
                "this exact command",
                &format!("the exact command echo {} …", "x".repeat(95)),
            ),
        ];
        for (scope, asked, listed) in page {
            let project = Path::new("/projects/shop");
            assert_eq!(describe_beside_call(std::slice::from_ref(&scope), project), asked);
            assert_eq!(scope.describe(project), listed);
            assert_eq!(AllowScope::of_key(&scope.key()), Some(scope));
        }
        assert_eq!(AllowScope::of_key("everything"), None);
    }
}
