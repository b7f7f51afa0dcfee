//! The slash commands: their names, what may follow, and what they are for, in one table; and what each of them does.

pub(crate) mod agents;
pub(crate) mod cost;
pub(crate) mod help;
pub(crate) mod hooks;
pub(crate) mod mcp;
pub(crate) mod mode;
pub(crate) mod permissions;
pub(crate) mod plan;
pub(crate) mod status;
pub(crate) mod team;

use crate::{
    app::{Act, Activity, App, DialogSubject, HostQuery, ModelsFor, OwnDialog},
    dialogs::confirm::ConfirmDialog,
    story::StoryBlock,
};
use fore_agent::{Begin, Command, custom::CustomCommandRow};
use fore_text::spelling::nearest;
use std::{path::PathBuf, time::Instant};

/// One command as help and completion show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlashCommand {
    /// Without the slash.
    pub name: &'static str,
    /// What may follow, as help shows it.
    pub words: &'static str,
    pub about: &'static str,
}

/// Every command, in the order help lists them.
pub(crate) const COMMANDS: &[SlashCommand] = &[
    SlashCommand { name: "plan", words: "[task]", about: "plan first: nothing changes until you approve" },
    SlashCommand { name: "plan open", words: "", about: "open the plan in your editor" },
    SlashCommand { name: "plan diff", words: "", about: "what changed since you last saw the plan" },
    SlashCommand { name: "plan export", words: "PATH", about: "save a copy of the plan; nothing is overwritten" },
    SlashCommand { name: "plan off", words: "", about: "leave plan mode without approving" },
    SlashCommand { name: "report", words: "", about: "what became of the approved plan so far" },
    SlashCommand { name: "mode", words: "[MODE]", about: "show or switch the mode" },
    SlashCommand { name: "model", words: "[NAME]", about: "show or choose the model" },
    SlashCommand { name: "status", words: "", about: "model, mode, sandbox, context, cost, files" },
    SlashCommand { name: "cost", words: "", about: "what was spent: turn, session, day, plan; also /usage" },
    SlashCommand { name: "todos", words: "", about: "the todo list as it is now" },
    SlashCommand { name: "copy", words: "", about: "copy the last answer to the clipboard" },
    SlashCommand { name: "permissions", words: "", about: "which rules hold, and what you allowed" },
    SlashCommand { name: "permissions test", words: "COMMAND", about: "why this would ask, run or be refused" },
    SlashCommand { name: "permissions forget", words: "WHAT", about: "take back what you allowed" },
    SlashCommand { name: "config reload", words: "", about: "read your settings again, now" },
    SlashCommand { name: "agents", words: "", about: "the agents there are, and those at work" },
    SlashCommand { name: "team", words: "[NAME] [words]", about: "your team; what one did; words for one" },
    SlashCommand { name: "team stop", words: "[NAME]", about: "end one of your team, or all; also interrupt" },
    SlashCommand { name: "hooks", words: "", about: "the hooks there are, and what they answered" },
    SlashCommand { name: "tasks", words: "[stop ID]", about: "commands in the background; stop one" },
    SlashCommand { name: "mcp", words: "[SERVER]", about: "MCP servers, their tools and logs; also restart" },
    SlashCommand { name: "mcp trust", words: "SERVER", about: "look at a server of the project, and let it start" },
    SlashCommand { name: "mcp vouch", words: "SERVER TOOL", about: "look at a tool, and let it run while planning" },
    SlashCommand { name: "undo", words: "[TURNS]", about: "take back what the agent changed in files; shown first" },
    SlashCommand { name: "redo", words: "", about: "bring back what was undone" },
    SlashCommand { name: "rewind", words: "", about: "go back to a prompt: words, files or both" },
    SlashCommand { name: "clear", words: "", about: "empty what the model sees; also /new" },
    SlashCommand { name: "compact", words: "[what to keep]", about: "summarise the conversation" },
    SlashCommand { name: "resume", words: "[ID]", about: "resume another session" },
    SlashCommand { name: "fork", words: "", about: "continue in a copy of this session" },
    SlashCommand { name: "export", words: "PATH", about: "save the conversation as Markdown" },
    SlashCommand { name: "trust", words: "", about: "trust this folder" },
    SlashCommand { name: "help", words: "", about: "the short page; also /help commands, keys, plan" },
    SlashCommand { name: "quit", words: "", about: "leave; the session is kept" },
];

/// What may follow `/mode`, for completion.
pub(crate) const MODES: &[SlashCommand] = &[
    SlashCommand { name: "mode default", words: "", about: "asks before each change" },
    SlashCommand { name: "mode acceptEdits", words: "", about: "edits in the project are not asked about" },
    SlashCommand { name: "mode plan", words: "", about: "read and plan: nothing changes until you approve" },
    SlashCommand { name: "mode auto", words: "", about: "a model judges each call; needs permissions.autoOptIn" },
    SlashCommand {
        name: "mode bypassPermissions",
        words: "",
        about: "nothing is asked; needs --dangerously-allow-bypass",
    },
];

/// Does what a command says. What is unknown is said, and sent nowhere.
pub(crate) fn run(app: &mut App, name: &str, words: &str, now: Instant) {
    let words = words.trim();
    match name {
        "plan" => plan::run(app, words),
        "mode" => mode::run(app, words, now),
        "model" if words.is_empty() => app.act(Act::Fetch(HostQuery::Models(ModelsFor::Choosing))),
        "model" => app.send(Command::Model { name: words.to_owned(), duty: None }),
        "status" => app.act(Act::Fetch(HostQuery::Files)),
        "report" => app.send(Command::Report),
        "cost" | "usage" => app.send(Command::Spending),
        "permissions" => permissions(app, words),
        "config" if words.eq_ignore_ascii_case("reload") => app.send(Command::ReloadSettings),
        "config" => {
            app.say("/config reload reads your settings again; `fore config` shows what holds and where it comes from.")
        }
        "agents" => page(app, "Agents", agents::page(&app.facts)),
        "team" => team::run(app, words),
        "hooks" => app.send(Command::Hooks),
        "tasks" => tasks(app, words),
        "mcp" => mcp::run(app, words),
        "undo" => match words {
            "" => app.send(Command::Undo { turns: 1 }),
            words => match words.parse::<usize>() {
                Ok(turns @ 1..=100) => app.send(Command::Undo { turns }),
                Ok(_) | Err(_) => app.say("Write /undo, or /undo 3 for the last three turns that changed something."),
            },
        },
        "redo" => app.send(Command::Redo),
        "rewind" => app.send(Command::GoBack),
        "clear" | "new" if app.facts.activity == Activity::Over => app.begin_fresh(),
        "clear" | "new" => later(app, Command::Clear),
        "compact" => later(app, Command::Compact { keep: words.to_owned() }),
        "resume" if words.is_empty() => app.act(Act::Fetch(HostQuery::Sessions)),
        "resume" => app.act(Act::Fetch(HostQuery::Session(words.to_owned()))),
        "fork" => fork(app, now),
        "export" => export(app, words),
        "todos" => {
            if !app.story.tell_todos_again() {
                app.say("There is no todo list yet.");
            }
        }
        "copy" => match app.story.last_answer() {
            Some(text) => app.act(Act::Copy(text)),
            None => app.say("There is no answer to copy yet."),
        },
        "trust" => trust(app, now),
        "help" => match help::page(&app.keymap, app.display, words, app.facts.custom_commands()) {
            Some(text) => page(app, "Help", text),
            None => app.problem(format!("There is no help on `{words}`: /help commands, /help keys or /help plan.")),
        },
        "quit" | "exit" => app.leave(now),
        other => custom(app, other, words),
    }
}

/// A command of a file becomes a prompt in the session, which reads it as it is then.
fn custom(app: &mut App, name: &str, words: &str) {
    match app.facts.custom_command(name) {
        Some(known) => {
            let line = format!("/{} {words}", known.name);
            app.send(Command::Custom { line: line.trim_end().to_owned(), or_words: false });
        }
        // A server that was not asked yet may have it.
        None if name.starts_with("mcp__") => {
            let line = format!("/{name} {words}");
            app.send(Command::Custom { line: line.trim_end().to_owned(), or_words: false });
        }
        None => app.problem(unknown_command(name, app.facts.custom_commands())),
    }
}

fn unknown_command(name: &str, custom: &[CustomCommandRow]) -> String {
    let names = COMMANDS.iter().filter_map(|command| command.name.split(' ').next()).chain(["new", "usage", "exit"]);
    let names = names.chain(custom.iter().map(|command| command.name.as_str()));
    match nearest(name, names, 1).first() {
        Some(near) => format!("There is no command /{name}. Did you mean /{near}?"),
        None => format!("There is no command /{name}; /help lists them."),
    }
}

/// `/tasks` lists what runs in the background, `/tasks stop bash-1` ends it.
fn tasks(app: &mut App, words: &str) {
    let stop = match words.split_once(char::is_whitespace) {
        _ if words.is_empty() => None,
        Some(("stop", id)) => Some(id.trim().to_owned()),
        Some(_) | None => return app.say("Write /tasks, or /tasks stop ID."),
    };
    app.facts.is_listing_tasks = true;
    app.send(Command::Background { stop });
}

/// `/permissions` lists what holds, `/permissions test npm test` says why that would ask, `/permissions forget npm test` asks about
/// it again.
fn permissions(app: &mut App, words: &str) {
    match words.split_once(char::is_whitespace) {
        _ if words.is_empty() => app.act(Act::Fetch(HostQuery::Permissions)),
        Some(("test", command)) => app.send(Command::TestPermission { line: command.trim().to_owned() }),
        Some(("forget", words)) => {
            let plain = |text: &str| text.replace(['`', '…'], "").trim().to_owned();
            let wanted = plain(words);
            let is_meant = |granted: &String| {
                let granted = plain(granted);
                granted == wanted || granted.strip_suffix(&wanted).is_some_and(|before| before.ends_with(' '))
            };
            if app.facts.granted.iter().any(is_meant) {
                app.send(Command::Forget { what: wanted });
            } else {
                app.act(Act::Forget(words.trim().to_owned()));
            }
        }
        Some(_) | None => app.say("Write /permissions, /permissions test COMMAND or /permissions forget COMMAND."),
    }
}

fn page(app: &mut App, title: &str, text: String) {
    app.note(StoryBlock::Page { title: title.to_owned(), text });
}

/// The session does it when nothing runs.
fn later(app: &mut App, command: Command) {
    if app.facts.activity == Activity::Working {
        app.say("This is done when the running turn has ended; Esc ends it now.");
    }
    app.send(command);
}

fn fork(app: &mut App, now: Instant) {
    match app.facts.started.as_ref().map(|started| started.session) {
        Some(session) => app.begin_session(Begin::Fork { session, mode: None }, now),
        None => app.problem("The session has not started yet."),
    }
}

fn export(app: &mut App, words: &str) {
    let id = app.facts.started.as_ref().map(|started| started.session.to_string()).unwrap_or_default();
    let usual = || format!("conversation-{}.md", id.rsplit('-').next().unwrap_or_default());
    let path = if words.is_empty() { PathBuf::from(usual()) } else { PathBuf::from(words) };
    let text = app.story.export();
    app.act(Act::Export { path, text });
}

fn trust(app: &mut App, now: Instant) {
    let Some(started) = &app.facts.started else {
        return app.problem("The session has not started yet.");
    };
    if started.trusted {
        return app.say("This folder is trusted already; `fore trust --remove` ends that.");
    }
    let dialog = ConfirmDialog::trust(&started.project);
    app.ask(DialogSubject::Own(OwnDialog::Trust), Box::new(dialog), now);
}

#[cfg(test)]
mod tests;
