//! `/mcp`: the servers, their tools and log, and the person's word for what they were shown.

use super::cost::{code, literal, row};
use crate::{
    app::{App, DialogSubject, OwnDialog},
    dialogs::confirm::ConfirmDialog,
    options::DisplayMode,
    story::StoryBlock,
};
use fore_agent::{Command, McpServerRow, McpServerState, McpToolRow, McpVouchShown, McpVouchState, McpWish};
use std::time::Instant;

/// Lines of a log that are shown.
const MAX_LOG_LINES: usize = 60;
/// Letters of what is vouched for here; what is longer nobody reads in a terminal.
const MAX_CONTENT_CHARS: usize = 20_000;

const USAGE: &str = "Write /mcp, /mcp SERVER, /mcp trust SERVER, /mcp untrust SERVER, /mcp vouch SERVER TOOL, /mcp unvouch SERVER TOOL \
                     or /mcp restart SERVER.";

/// Asks the session.
pub(crate) fn run(app: &mut App, words: &str) {
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let parts: Vec<&str> = words.iter().map(String::as_str).collect();
    let owned = |text: &str| text.to_owned();
    let wish = match parts.as_slice() {
        [] => McpWish::List { server: None },
        ["trust", server] => McpWish::LookAt { server: owned(server), tool: None },
        ["untrust", server] => McpWish::Unvouch { server: owned(server), tool: None },
        ["vouch", server, tool] => McpWish::LookAt { server: owned(server), tool: Some(owned(tool)) },
        ["unvouch", server, tool] => McpWish::Unvouch { server: owned(server), tool: Some(owned(tool)) },
        ["restart", server] => McpWish::Restart { server: owned(server) },
        ["trust", server, hash] | ["vouch", server, _, hash] => match hash.parse() {
            Ok(hash) => {
                let tool = if let ["vouch", _, tool, _] = parts.as_slice() { Some(owned(tool)) } else { None };
                McpWish::Vouch { server: owned(server), tool, hash }
            }
            Err(_) => return app.say(USAGE),
        },
        ["trust" | "untrust" | "vouch" | "unvouch" | "restart", ..] => return app.say(USAGE),
        [server] => McpWish::List { server: Some(owned(server)) },
        [..] => return app.say(USAGE),
    };
    app.send(Command::Mcp { wish });
}

/// The servers as they are.
pub(crate) fn show(app: &mut App, servers: &[McpServerRow], only: Option<&str>) {
    let text = match (servers, only) {
        ([server], Some(_)) => one(server),
        ([], _) => "No MCP server is set up; `fore mcp add` does that.".to_owned(),
        (servers, _) => servers.iter().map(brief).collect::<Vec<_>>().join("\n"),
    };
    app.note(StoryBlock::Page { title: "MCP servers".into(), text });
}

fn brief(server: &McpServerRow) -> String {
    let tools = fore_text::count(server.tools.len(), "tool");
    let vouched = server.tools.iter().filter(|tool| tool.vouch == McpVouchState::Holds).count();
    let known = match (&server.identity, vouched) {
        (None, _) => String::new(),
        (Some(_), 0) => format!(", {tools}"),
        (Some(_), vouched) => format!(", {tools}, {vouched} may run while planning"),
    };
    row(&literal(&server.name), format!("{}{known}; {}", state(server), code(&server.shown)))
}

fn state(server: &McpServerRow) -> String {
    let words = match &server.state {
        McpServerState::Off => "off".to_owned(),
        McpServerState::NeedsTrust => format!("of the project, not trusted (/mcp trust {})", server.name),
        McpServerState::Ready => "starts when it is needed".to_owned(),
        McpServerState::Connected { read_only: true } => "connected, read-only".to_owned(),
        McpServerState::Connected { read_only: false } => "connected".to_owned(),
        McpServerState::Failed { why } => format!("failed: {}", why.lines().next().unwrap_or_default()),
    };
    literal(&words)
}

fn one(server: &McpServerRow) -> String {
    let from = if server.of_project { "the project's .mcp.json" } else { "your settings" };
    let mut lines = vec![
        row("server", literal(&server.name)),
        row("from", from),
        row("runs", code(&server.shown)),
        row("state", state(server)),
    ];
    lines.extend(server.identity.iter().map(|identity| row("says it is", literal(identity))));
    lines.extend([String::new(), "Tools:".into(), String::new()]);
    if server.tools.is_empty() {
        lines.push("- not known yet".into());
    }
    lines.extend(server.tools.iter().map(|tool| row(&literal(&tool.name), tool_words(tool))));
    lines.extend(server.left_out.iter().map(|left| format!("- left out: {}", literal(left))));
    if let McpServerState::Failed { why } = &server.state {
        lines.extend([String::new(), "Why:".into(), String::new(), fenced(why.lines().map(str::to_owned).collect())]);
    }
    if !server.log.is_empty() {
        let from = server.log.len().saturating_sub(MAX_LOG_LINES);
        let log = server.log.get(from..).unwrap_or_default().to_vec();
        lines.extend([String::new(), "The end of its log:".into(), String::new(), fenced(log)]);
    }
    lines.join("\n")
}

/// Lines as they are; none of them can end the block.
fn fenced(lines: Vec<String>) -> String {
    lines.iter().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

fn tool_words(tool: &McpToolRow) -> &'static str {
    match (tool.says_it_only_reads, tool.vouch) {
        (true, McpVouchState::Holds) => "only reads, by its own word and yours: runs while planning",
        (true, McpVouchState::Changed) => "says that it only reads; changed since you vouched for it",
        (true, McpVouchState::None) => "says that it only reads",
        (false, McpVouchState::Holds | McpVouchState::Changed | McpVouchState::None) => "may change something",
    }
}

/// What the person would vouch for: as a question or, without dialogs, as a page with the words that answer it.
pub(crate) fn vouch_shown(app: &mut App, shown: &McpVouchShown, now: Instant) {
    let about = match &shown.tool {
        None => format!("how the MCP server {} is started", shown.server),
        Some(tool) => format!("the tool {tool} of the MCP server {}", shown.server),
    };
    let note = shown.note.iter().map(|note| format!("\n{note}\n")).collect::<String>();
    let what = match &shown.difference {
        Some(difference) => format!("What changed since you vouched for it:\n\n{difference}\n{note}"),
        None => format!("{}\n{note}", shown.content),
    };
    if shown.holds {
        return app.say(format!("You vouched for {about} already, exactly as it is."));
    }
    if what.chars().count() > MAX_CONTENT_CHARS {
        let command = match &shown.tool {
            None => format!("fore mcp trust {}", shown.server),
            Some(tool) => format!("fore mcp vouch {} {tool}", shown.server),
        };
        return app.say(format!("This is {about}, and too long to be shown here whole; look at it with `{command}`."));
    }
    if app.display == DisplayMode::Plain {
        let command = match &shown.tool {
            None => format!("/mcp trust {} {}", shown.server, shown.hash),
            Some(tool) => format!("/mcp vouch {} {tool} {}", shown.server, shown.hash),
        };
        return app.say(format!("This is {about}:\n{what}\nTo vouch for exactly this, write {command}"));
    }
    let dialog = ConfirmDialog::vouch(shown.tool.as_deref(), &shown.server, &what);
    app.vouching = Some((shown.server.clone(), shown.tool.clone(), shown.hash));
    app.ask(DialogSubject::Own(OwnDialog::Vouch), Box::new(dialog), now);
}

/// The person said yes to what they were shown.
pub(crate) fn vouched(app: &mut App) {
    if let Some((server, tool, hash)) = app.vouching.take() {
        app.send(Command::Mcp { wish: McpWish::Vouch { server, tool, hash } });
    }
}
