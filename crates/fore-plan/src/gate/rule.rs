//! Rules of the user: `Tool(specifier)` to allow, ask or deny. Deny always holds; allow never speaks while planning.

use crate::gate::{
    Action,
    action::{FileTarget, mcp_name},
    pattern::PathPattern,
};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The most rules that are kept of all settings together.
pub const MOST_RULES: usize = 2000;

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    Allow,
    Ask,
    Deny,
}

/// One rule, as written and as understood.
#[derive(Clone, Debug)]
pub struct Rule {
    effect: Effect,
    text: String,
    matcher: Matcher,
}

#[derive(Clone, Debug)]
enum Matcher {
    Runs(Commands),
    /// `Read(~/.ssh/**)`, `Edit(src/**)`; none for any path.
    Reads(Option<PathPattern>),
    Edits(Option<PathPattern>),
    /// `WebFetch(domain:example.com)`; none for any.
    Fetches(Option<String>),
    /// `mcp__server` or `mcp__server__*` (tool none), `mcp__server__tool`.
    Mcp {
        server: String,
        tool: Option<String>,
    },
    /// `Agent(Explore)`; none for any.
    Agent(Option<String>),
    Skill(Option<String>),
    /// A tool by its bare name.
    Tool(String),
}

#[derive(Clone, Debug)]
enum Commands {
    Any,
    /// `Bash(npm run test:*)`: these words and anything after them.
    Prefix(Vec<String>),
    /// `Bash(npm run *)`: the whole command with `*` for anything.
    Pattern(String),
}

/// Why a rule was not understood. A rule that is not understood is an error, never a rule that matches nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRule {
    #[error("`{0}` is no rule; a rule is a tool name, or `Tool(specifier)`")]
    Shape(String),
    #[error("`{0}`: an empty pair of brackets matches nothing; leave it out to match every call")]
    Empty(String),
    #[error("`{0}`: WebFetch takes `domain:example.com`")]
    Domain(String),
    #[error("`{rule}`: the pattern is not understood: {why}")]
    Pattern { rule: String, why: String },
    #[error("`{0}`: this tool takes no specifier")]
    NoSpecifier(String),
    #[error("there are more than {MOST_RULES} rules")]
    TooMany,
}

/// The folders that patterns are relative to.
#[derive(Clone, Copy, Debug)]
pub struct Roots<'a> {
    pub project: &'a Path,
    pub home: Option<&'a Path>,
}

/// One simple command inside a text, word by word; a word that is decided at run time is none.
pub type Words = Vec<Option<String>>;

/// All rules of a session.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    rules: Vec<Rule>,
}

impl Rules {
    /// Adds a rule.
    pub fn add(&mut self, effect: Effect, text: &str, roots: Roots<'_>) -> Result<(), BadRule> {
        if self.rules.len() >= MOST_RULES {
            return Err(BadRule::TooMany);
        }
        self.rules.push(Rule { effect, text: text.to_owned(), matcher: parse(text, roots)? });
        Ok(())
    }

    /// The first rule with this effect that speaks about an action. `inside`: the simple commands of a shell text.
    pub fn find(&self, effect: Effect, action: &Action, inside: &Inside<'_>) -> Option<&Rule> {
        self.rules.iter().filter(|rule| rule.effect == effect).find(|rule| rule.matches(action, inside))
    }

    /// The rules without broad allows, as they hold while auto mode is active. Nothing is lost: these stay as they are.
    #[must_use]
    pub fn without_broad_allows(&self) -> Rules {
        let is_kept = |rule: &&Rule| rule.effect != Effect::Allow || !rule.is_broad();
        Rules { rules: self.rules.iter().filter(is_kept).cloned().collect() }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }
}

/// What is known of a shell text's inside.
#[derive(Clone, Copy, Debug)]
pub struct Inside<'a> {
    /// Every simple command, wrapped ones included; meaningful only if `is_whole`.
    pub commands: &'a [Words],
    /// The text was understood, so `commands` is all of it.
    pub is_whole: bool,
    /// Paths that are certainly read.
    pub paths: &'a [String],
}

impl Inside<'_> {
    /// Not a shell text.
    pub const NOTHING: Inside<'static> = Inside { commands: &[], is_whole: true, paths: &[] };
}

impl Rule {
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// As shown in refusals: `deny Read(~/.ssh/**)`.
    pub fn name(&self) -> String {
        let effect = match self.effect {
            Effect::Allow => "allow",
            Effect::Ask => "ask",
            Effect::Deny => "deny",
        };
        format!("{effect} {}", self.text)
    }

    /// Rules that would let auto mode run anything: any shell, interpreters, agents.
    fn is_broad(&self) -> bool {
        const INTERPRETERS: [&str; 22] = [
            "sh", "bash", "zsh", "fish", "python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "lua",
            "npx", "uvx", "pipx", "env", "xargs", "sudo", "ssh", "eval", "exec",
        ];
        match &self.matcher {
            Matcher::Runs(Commands::Any) | Matcher::Agent(_) => true,
            Matcher::Runs(Commands::Prefix(words)) => {
                words.len() <= 1 && words.first().is_none_or(|word| INTERPRETERS.contains(&word.as_str()))
            }
            Matcher::Runs(Commands::Pattern(pattern)) => {
                let head = pattern.split_whitespace().next().unwrap_or("*");
                head.contains('*') || (INTERPRETERS.contains(&head) && pattern.contains('*'))
            }
            Matcher::Reads(_)
            | Matcher::Edits(_)
            | Matcher::Fetches(_)
            | Matcher::Mcp { .. }
            | Matcher::Skill(_)
            | Matcher::Tool(_) => false,
        }
    }

    fn matches(&self, action: &Action, inside: &Inside<'_>) -> bool {
        match (&self.matcher, action) {
            (Matcher::Runs(commands), Action::Run { command, .. }) => self.matches_run(commands, command, inside),
            (Matcher::Reads(pattern), Action::Read { path } | Action::Search { path }) => {
                pattern.as_ref().is_none_or(|pattern| pattern.matches(path))
            }
            (Matcher::Reads(Some(pattern)), Action::Run { .. }) => {
                self.effect != Effect::Allow && inside.paths.iter().any(|path| pattern.matches(path))
            }
            (
                Matcher::Edits(pattern),
                Action::Edit { target, .. } | Action::EditNotebook { target } | Action::Delete { target },
            ) => self.matches_target(pattern.as_ref(), target),
            (Matcher::Edits(pattern), Action::Move { from, to }) => {
                let [from, to] = [from, to].map(|target| self.matches_target(pattern.as_ref(), target));
                if self.effect == Effect::Allow { from && to } else { from || to }
            }
            (Matcher::Fetches(domain), Action::Fetch { host }) => match (domain, host) {
                (None, _) => true,
                (Some(domain), Some(host)) => matches_domain(domain, host),
                (Some(_), None) => false,
            },
            (Matcher::Mcp { server, tool }, Action::Mcp { server: called, tool: name, .. }) => {
                server == called && tool.as_ref().is_none_or(|tool| tool == name)
            }
            (Matcher::Agent(wanted), Action::Agent { name, .. }) | (Matcher::Skill(wanted), Action::Skill { name }) => {
                wanted.as_ref().is_none_or(|wanted| wanted == name)
            }
            (Matcher::Tool(wanted), action) => tool_of(action).is_some_and(|tool| tool == wanted),
            (
                Matcher::Runs(_)
                | Matcher::Reads(_)
                | Matcher::Edits(_)
                | Matcher::Fetches(_)
                | Matcher::Mcp { .. }
                | Matcher::Agent(_)
                | Matcher::Skill(_),
                _,
            ) => false,
        }
    }

    /// An allow must cover every command in the text; an ask or a deny needs only one, and doubt counts for it.
    fn matches_run(&self, commands: &Commands, text: &str, inside: &Inside<'_>) -> bool {
        let one = |words: &Words| match commands {
            Commands::Any => true,
            Commands::Prefix(prefix) => starts_with(words, prefix, self.effect),
            Commands::Pattern(pattern) => {
                let line: Option<Vec<&str>> = words.iter().map(Option::as_deref).collect();
                line.is_some_and(|line| wildcard(pattern, &line.join(" ")))
            }
        };
        let as_a_whole = match commands {
            Commands::Any => return true,
            Commands::Prefix(_) => false,
            Commands::Pattern(pattern) => wildcard(pattern, text.trim()),
        };
        match self.effect {
            Effect::Allow => inside.is_whole && !inside.commands.is_empty() && inside.commands.iter().all(one),
            Effect::Ask | Effect::Deny => {
                as_a_whole || inside.commands.iter().any(one) || (!inside.is_whole && commands.name_a_word_of(text))
            }
        }
    }

    fn matches_target(&self, pattern: Option<&PathPattern>, target: &FileTarget) -> bool {
        let Some(pattern) = pattern else { return true };
        match self.effect {
            Effect::Allow => pattern.matches(&target.real) && !target.is_link,
            Effect::Ask | Effect::Deny => pattern.matches(&target.real) || pattern.matches(&target.asked),
        }
    }
}

impl Commands {
    /// For texts that were not understood: does the program that the rule names occur at all?
    fn name_a_word_of(&self, text: &str) -> bool {
        let program = match self {
            Commands::Any => return true,
            Commands::Prefix(words) => words.first().map(String::as_str),
            Commands::Pattern(pattern) => pattern.split_whitespace().next(),
        };
        let is_separator = |letter: char| !(letter.is_alphanumeric() || "._-+".contains(letter));
        program.is_some_and(|program| program.contains('*') || text.split(is_separator).any(|word| word == program))
    }
}

/// Whether a command starts with these words. For a deny the program counts by its last name and git's own options are skipped.
fn starts_with(words: &Words, prefix: &[String], effect: Effect) -> bool {
    let known: Vec<&str> = words.iter().map_while(Option::as_deref).collect();
    let plainly = prefix.len() <= known.len() && prefix.iter().zip(&known).all(|(wanted, word)| wanted == word);
    if plainly || effect == Effect::Allow {
        return plainly;
    }
    let Some((program, rest)) = known.split_first() else { return false };
    let program = program.rsplit('/').next().unwrap_or(program);
    let rest = if program == "git" { after_git_options(rest) } else { rest };
    let mut words = std::iter::once(program).chain(rest.iter().copied());
    prefix.iter().all(|wanted| words.next() == Some(wanted))
}

fn after_git_options<'a, 'b>(mut words: &'b [&'a str]) -> &'b [&'a str] {
    while let [first, rest @ ..] = words {
        words = match *first {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" => {
                rest.get(1..).unwrap_or_default()
            }
            option if option.starts_with('-') => rest,
            _ => break,
        };
    }
    words
}

fn tool_of(action: &Action) -> Option<&str> {
    match action {
        Action::Think { tool } | Action::Edit { tool, .. } | Action::Other { tool } => Some(tool),
        Action::EditNotebook { .. } => Some("NotebookEdit"),
        Action::Todo => Some("TodoWrite"),
        Action::EnterPlanMode => Some("EnterPlanMode"),
        Action::ExitPlanMode => Some("ExitPlanMode"),
        Action::Read { .. }
        | Action::Search { .. }
        | Action::Fetch { .. }
        | Action::Delete { .. }
        | Action::Move { .. }
        | Action::Run { .. }
        | Action::Hook { .. }
        | Action::Agent { .. }
        | Action::Mcp { .. }
        | Action::Skill { .. } => None,
    }
}

fn parse(text: &str, roots: Roots<'_>) -> Result<Matcher, BadRule> {
    let shape = || BadRule::Shape(text.chars().take(200).collect());
    let (tool, specifier) = match text.split_once('(') {
        Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').ok_or_else(shape)?.trim())),
        None => (text, None),
    };
    let is_name = !tool.is_empty() && tool.chars().all(|letter| letter.is_alphanumeric() || "_-*".contains(letter));
    if !is_name {
        return Err(shape());
    }
    if specifier == Some("") {
        return Err(BadRule::Empty(text.into()));
    }
    let pattern = || match specifier {
        None => Ok(None),
        Some(pattern) => {
            PathPattern::new(pattern, roots).map(Some).map_err(|why| BadRule::Pattern { rule: text.into(), why })
        }
    };
    match tool {
        "Bash" => Ok(Matcher::Runs(bash(specifier))),
        "Read" | "Glob" | "Grep" | "LS" => Ok(Matcher::Reads(pattern()?)),
        "Edit" | "Write" | "MultiEdit" => Ok(Matcher::Edits(pattern()?)),
        "WebFetch" => match specifier {
            None => Ok(Matcher::Fetches(None)),
            Some(specifier) => match specifier.strip_prefix("domain:") {
                Some(domain) if !domain.is_empty() => Ok(Matcher::Fetches(Some(domain.to_ascii_lowercase()))),
                Some(_) | None => Err(BadRule::Domain(text.into())),
            },
        },
        "Agent" | "Task" => Ok(Matcher::Agent(specifier.map(str::to_owned))),
        "Skill" => Ok(Matcher::Skill(specifier.map(str::to_owned))),
        _ if specifier.is_some() => Err(BadRule::NoSpecifier(text.into())),
        _ => Ok(mcp(tool).unwrap_or_else(|| Matcher::Tool(tool.into()))),
    }
}

fn bash(specifier: Option<&str>) -> Commands {
    match specifier {
        None | Some("*" | ":*") => Commands::Any,
        Some(specifier) => match specifier.strip_suffix(":*") {
            Some(prefix) => Commands::Prefix(prefix.split_whitespace().map(str::to_owned).collect()),
            None => Commands::Pattern(specifier.into()),
        },
    }
}

fn mcp(tool: &str) -> Option<Matcher> {
    if let Some((server, name)) = mcp_name(tool) {
        let tool = (name != "*").then(|| name.to_owned());
        return Some(Matcher::Mcp { server: server.into(), tool });
    }
    let server = tool.strip_prefix("mcp__").filter(|server| !server.is_empty())?;
    Some(Matcher::Mcp { server: server.into(), tool: None })
}

fn matches_domain(domain: &str, host: &str) -> bool {
    match domain.strip_prefix("*.") {
        Some(parent) => host.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.')),
        None => domain == host,
    }
}

/// `*` for anything, the rest as it stands. Linear: each star keeps its last place only.
fn wildcard(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(previous) = last.replace(part) {
            let Some(at) = rest.find(previous) else { return false };
            rest = &rest[at + previous.len()..];
        }
    }
    match last {
        None => rest.is_empty(),
        Some(last) => rest.ends_with(last),
    }
}

#[cfg(test)]
mod tests;
