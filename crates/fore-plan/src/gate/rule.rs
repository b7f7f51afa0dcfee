//! Rules of the user: `Tool(specifier)` to allow, ask or deny. Deny always holds; allow never speaks while planning.

use crate::gate::{
    Action,
    action::{FileTarget, is_ambiguous, mcp_name},
    commands::{CommandPattern, wildcard},
    pattern::{CaseRule, PathPattern},
};
use crate::host::Host;
use crate::tool_name::ToolName;
use fore_shell::{CommandKind, Finding, Reach};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The most rules that are kept of all settings together.
pub(crate) const MAX_RULES: usize = 2000;

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleEffect {
    /// What it names is done without asking, unless the session plans.
    Allow,
    /// What it names is asked about.
    Ask,
    /// What it names is never done.
    Deny,
}

/// One rule, as written and as understood.
#[derive(Clone, Debug)]
pub struct Rule {
    effect: RuleEffect,
    text: String,
    matcher: Matcher,
}

#[derive(Clone, Debug)]
enum Matcher {
    Runs(CommandPattern),
    /// `Read(~/.ssh/**)`, `Edit(src/**)`; none for any path.
    Reads(Option<PathPattern>),
    Edits(Option<PathPattern>),
    /// `WebFetch(domain:example.com)`; none for any.
    Fetches(Option<String>),
    /// `mcp__server`, `mcp__server__*`, `mcp__server__get_*`: a pattern over `server__tool`.
    Mcp(String),
    /// `Agent(Explore)`; none for any.
    Agent(Option<String>),
    Skill(Option<String>),
    /// A tool by its bare name.
    Tool(String),
}

/// Why a rule was not understood. A rule that is not understood is an error, never a rule that matches nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what it is")]
pub enum BadRule {
    #[error("`{0}` is not a rule; a rule is a tool name, or `Tool(specifier)`")]
    Shape(String),
    #[error("`{0}`: an empty pair of brackets matches nothing; leave it out to match every call")]
    Empty(String),
    #[error("`{0}`: WebFetch takes `domain:example.com`")]
    Domain(String),
    #[error("`{rule}`: the pattern is not understood: {why}")]
    Pattern { rule: String, why: String },
    #[error("`{0}`: this tool takes no specifier")]
    NoSpecifier(String),
    #[error("`{0}`: `*` stands for tools of MCP servers only; name each other tool")]
    Star(String),
    #[error("there are more than {MAX_RULES} rules")]
    TooMany,
}

/// The folders that patterns are relative to.
#[derive(Clone, Copy, Debug)]
pub struct PatternRoots<'a> {
    /// The project folder.
    pub project: &'a Path,
    /// The person's home folder, for `~`.
    pub home: Option<&'a Path>,
}

/// One simple command inside a text, word by word; a word that is decided at run time is none.
pub(crate) type CommandWords = Vec<Option<String>>;

/// All rules of a session.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    rules: Vec<Rule>,
}

impl Rules {
    /// Adds a rule.
    pub fn add(&mut self, effect: RuleEffect, text: &str, roots: PatternRoots<'_>) -> Result<(), BadRule> {
        if self.rules.len() >= MAX_RULES {
            return Err(BadRule::TooMany);
        }
        self.rules.push(Rule { effect, text: text.to_owned(), matcher: parse(effect, text, roots)? });
        Ok(())
    }

    /// The first rule with this effect that speaks about an action. `inside`: the simple commands of a shell text.
    pub fn find(&self, effect: RuleEffect, action: &Action, inside: &ShellContents<'_>) -> Option<&Rule> {
        self.rules.iter().filter(|rule| rule.effect == effect).find(|rule| rule.matches(action, inside))
    }

    /// The rules without broad allows, as they hold while auto mode is active. Nothing is lost: these stay as they are.
    #[must_use]
    pub(crate) fn without_broad_allows(&self) -> Rules {
        let is_kept = |rule: &&Rule| rule.effect != RuleEffect::Allow || !rule.is_broad();
        Rules { rules: self.rules.iter().filter(is_kept).cloned().collect() }
    }

    /// All of them, in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }
}

/// What is known of a shell text's inside.
#[derive(Clone, Copy, Debug)]
pub struct ShellContents<'a> {
    /// Every simple command, wrapped ones included; meaningful only if `is_complete`.
    pub commands: &'a [CommandWords],
    /// The text was understood, so `commands` is all of it.
    pub is_complete: bool,
    /// A program that is not known is run, which may run what it is given.
    pub runs_others: bool,
    /// Paths that are certainly read.
    pub paths: &'a [String],
    /// No path was left out because there were too many.
    pub has_all_paths: bool,
    /// Whom it talks to.
    pub reach: &'a [Reach],
}

impl ShellContents<'_> {
    /// What rules may look at in what the shell judge found.
    pub(super) fn of(finding: Option<&Finding>) -> ShellContents<'_> {
        match finding {
            Some(finding) => ShellContents {
                commands: &finding.commands,
                is_complete: finding.kind != CommandKind::Unknown,
                runs_others: finding.kind == CommandKind::Runs,
                paths: &finding.paths,
                has_all_paths: finding.paths.len() < Finding::MAX_PATHS,
                reach: &finding.reach,
            },
            None => ShellContents::NOTHING,
        }
    }

    /// Not a shell text.
    pub const NOTHING: ShellContents<'static> = ShellContents {
        commands: &[],
        is_complete: true,
        runs_others: false,
        paths: &[],
        has_all_paths: true,
        reach: &[],
    };
}

impl Rule {
    /// What it does.
    pub fn effect(&self) -> RuleEffect {
        self.effect
    }

    /// As shown in refusals: `deny Read(~/.ssh/**)`.
    pub(crate) fn name(&self) -> String {
        let effect = match self.effect {
            RuleEffect::Allow => "allow",
            RuleEffect::Ask => "ask",
            RuleEffect::Deny => "deny",
        };
        format!("{effect} {}", self.text)
    }

    /// Rules that would let auto mode run anything: any shell, interpreters, agents.
    fn is_broad(&self) -> bool {
        match &self.matcher {
            Matcher::Agent(_) => true,
            Matcher::Runs(commands) => commands.is_broad(),
            Matcher::Reads(_)
            | Matcher::Edits(_)
            | Matcher::Fetches(_)
            | Matcher::Mcp(_)
            | Matcher::Skill(_)
            | Matcher::Tool(_) => false,
        }
    }

    fn matches(&self, action: &Action, inside: &ShellContents<'_>) -> bool {
        match (&self.matcher, action) {
            (Matcher::Runs(commands), Action::Run { command, .. }) => commands.speak_of(self.effect, command, inside),
            (Matcher::Reads(pattern), Action::Read { path, asked } | Action::Search { path, asked }) => {
                let Some(pattern) = pattern else { return true };
                pattern.matches(path) || (self.effect != RuleEffect::Allow && pattern.matches(asked))
            }
            (Matcher::Reads(Some(pattern)), Action::Run { .. }) => {
                let is_met = !inside.has_all_paths || inside.paths.iter().any(|path| pattern.matches(path));
                self.effect != RuleEffect::Allow && is_met
            }
            (Matcher::Fetches(Some(domain)), Action::Run { .. }) => {
                let is_met = |reach: &Reach| matches!(reach, Reach::Host(host) if is_host_in(domain, host));
                self.effect != RuleEffect::Allow && inside.reach.iter().any(is_met)
            }
            (
                Matcher::Edits(pattern),
                Action::Edit { target, .. } | Action::EditNotebook { target } | Action::Delete { target },
            ) => self.matches_target(pattern.as_ref(), target),
            (Matcher::Edits(pattern), Action::Move { from, to }) => {
                let [from, to] = [from, to].map(|target| self.matches_target(pattern.as_ref(), target));
                if self.effect == RuleEffect::Allow { from && to } else { from || to }
            }
            (Matcher::Fetches(domain), Action::Fetch { host }) => match (domain, host) {
                (None, _) => true,
                (Some(domain), Some(host)) => is_host_in(domain, host),
                (Some(_), None) => false,
            },
            (Matcher::Mcp(pattern), Action::Mcp { server, tool, .. }) => {
                matches_mcp(self.effect, pattern, &format!("{server}__{tool}"))
            }
            // A server of which every tool is denied is not started either.
            (Matcher::Mcp(pattern), Action::McpServer { server, .. }) => {
                self.effect == RuleEffect::Deny && (pattern == "*" || *pattern == format!("{server}__*"))
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
                | Matcher::Mcp(_)
                | Matcher::Agent(_)
                | Matcher::Skill(_),
                _,
            ) => false,
        }
    }

    fn matches_target(&self, pattern: Option<&PathPattern>, target: &FileTarget) -> bool {
        let Some(pattern) = pattern else { return true };
        match self.effect {
            RuleEffect::Allow => pattern.matches(&target.real) && !target.is_link,
            RuleEffect::Ask | RuleEffect::Deny => pattern.matches(&target.real) || pattern.matches(&target.asked),
        }
    }
}

fn tool_of(action: &Action) -> Option<&str> {
    match action {
        Action::Think { tool } | Action::Edit { tool, .. } => Some(tool.name()),
        Action::Other { tool } => Some(tool),
        Action::EditNotebook { .. } => Some(ToolName::NotebookEdit.name()),
        Action::Todo => Some(ToolName::TodoWrite.name()),
        Action::EnterPlanMode => Some(ToolName::EnterPlanMode.name()),
        Action::ExitPlanMode => Some(ToolName::ExitPlanMode.name()),
        Action::AmendPlan => Some(ToolName::AmendPlan.name()),
        Action::Message { .. } => Some(ToolName::SendMessage.name()),
        Action::Fetch { host: None } => Some(ToolName::WebSearch.name()),
        Action::Delete { .. } => Some("Delete"),
        Action::Move { .. } => Some("Move"),
        Action::Read { .. }
        | Action::Search { .. }
        | Action::Fetch { .. }
        | Action::Run { .. }
        | Action::Hook { .. }
        | Action::Agent { .. }
        | Action::Mcp { .. }
        | Action::McpServer { .. }
        | Action::Skill { .. } => None,
    }
}

fn parse(effect: RuleEffect, text: &str, roots: PatternRoots<'_>) -> Result<Matcher, BadRule> {
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
    // Some disks take `.ENV` for `.env`: a deny holds for both.
    let letters = if effect == RuleEffect::Allow { CaseRule::AsWritten } else { CaseRule::AnyCase };
    let pattern = || match specifier {
        None => Ok(None),
        Some(pattern) => PathPattern::new(pattern, roots, letters)
            .map(Some)
            .map_err(|why| BadRule::Pattern { rule: text.into(), why }),
    };
    match ToolName::from_called(tool).or_else(|| in_any_case(tool)) {
        Some(ToolName::Bash) => Ok(Matcher::Runs(CommandPattern::parse(specifier))),
        Some(ToolName::Read | ToolName::Glob | ToolName::Grep | ToolName::Ls) => Ok(Matcher::Reads(pattern()?)),
        Some(ToolName::Edit | ToolName::Write | ToolName::MultiEdit) => Ok(Matcher::Edits(pattern()?)),
        Some(ToolName::WebFetch) => match specifier {
            None => Ok(Matcher::Fetches(None)),
            Some(specifier) => match specifier.strip_prefix("domain:").and_then(domain) {
                Some(domain) => Ok(Matcher::Fetches(Some(domain))),
                None => Err(BadRule::Domain(text.into())),
            },
        },
        Some(ToolName::Agent) => Ok(Matcher::Agent(specifier.map(str::to_owned))),
        Some(ToolName::Skill) => Ok(Matcher::Skill(specifier.map(str::to_owned))),
        _ if specifier.is_some() => Err(BadRule::NoSpecifier(text.into())),
        Some(
            name @ (ToolName::WebSearch
            | ToolName::AskUserQuestion
            | ToolName::BashOutput
            | ToolName::NotebookEdit
            | ToolName::TodoWrite
            | ToolName::EnterPlanMode
            | ToolName::ExitPlanMode
            | ToolName::AmendPlan
            | ToolName::McpSearch
            | ToolName::McpCall
            | ToolName::McpRead
            | ToolName::SendMessage
            | ToolName::AnswerPlan),
        ) => Ok(Matcher::Tool(name.name().into())),
        None => match (mcp(tool), tool.contains('*')) {
            (Some(mcp), _) => Ok(mcp),
            (None, true) => Err(BadRule::Star(text.into())),
            (None, false) => Ok(Matcher::Tool(tool.into())),
        },
    }
}

/// A rule may name a tool in any case.
fn in_any_case(tool: &str) -> Option<ToolName> {
    ToolName::ALL.into_iter().find(|known| known.name().eq_ignore_ascii_case(tool))
}

/// Where a server's name may hold `__` itself, a name can be split in two ways: a deny counts for both, an allow only if
/// it names the tool in full.
fn matches_mcp(effect: RuleEffect, pattern: &str, name: &str) -> bool {
    match effect {
        RuleEffect::Allow => pattern == name || (!is_ambiguous(name) && wildcard(pattern, name)),
        RuleEffect::Ask | RuleEffect::Deny => wildcard(pattern, name) || wildcard(&format!("{pattern}__*"), name),
    }
}

fn mcp(tool: &str) -> Option<Matcher> {
    let name = tool.strip_prefix("mcp__").filter(|name| !name.is_empty())?;
    let is_a_tool = mcp_name(tool).is_some() || name.ends_with('*');
    Some(Matcher::Mcp(if is_a_tool { name.to_owned() } else { format!("{name}__*") }))
}

/// `docs.rs`, `*.docs.rs` or `*`, as it is compared.
fn domain(written: &str) -> Option<String> {
    match written.strip_prefix("*.") {
        Some(parent) => Host::plain_name(parent).map(|parent| format!("*.{parent}")),
        None if written == "*" => Some("*".into()),
        None => Host::plain_name(written),
    }
}

/// A host, with or without a port: a rule for a domain holds at every port.
fn is_host_in(domain: &str, host: &str) -> bool {
    match host.parse::<Host>() {
        Ok(host) => matches_domain(domain, host.name()),
        Err(_) => matches_domain(domain, host),
    }
}

fn matches_domain(domain: &str, host: &str) -> bool {
    match domain.strip_prefix("*.") {
        Some(parent) => host.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.')),
        None => domain == host || domain == "*",
    }
}

#[cfg(test)]
mod tests;
