//! What the written settings mean: checks beyond the type, and the values that the gate and a session work with.

use super::{CommandPrefix, ModelProfile, Settings, Trust, WrittenSettings};
use fore_agent::ModelHandles;
use fore_model::Duty;
use fore_plan::{
    Actor, Change, HostPattern, Level, Mode, ModeReason, ModeTarget, Openings, SessionRole, State,
    gate::{PatternRoots, RuleEffect, Rules, table::TableSettings},
    transition,
    workflow::{Agents, Workflow},
};
use fore_shell::Reach;
use serde_json::Value;
use std::{collections::BTreeMap, path::Path};

/// Whether the program was started with permission to bypass (`--dangerously-allow-bypass`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bypass {
    Permitted,
    NotPermitted,
}

impl Settings {
    /// What a session is told.
    pub(crate) fn session(&self) -> anyhow::Result<fore_agent::SessionSettings> {
        let WrittenSettings { plans_directory, plan, env, context, limits, budget, memory, .. } = &self.written;
        // Checked when it was read.
        let cap = |text: Option<&String>| text.and_then(|text| text.parse().ok());
        Ok(fore_agent::SessionSettings {
            rules: self.rules(&self.project)?,
            table: self.table.clone(),
            vouched: self.read_only_commands.clone(),
            servers: self.servers.clone(),
            mcp: self.mcp.clone(),
            trusted_servers: Vec::new(),
            cages: self.cages(),
            plans_directory: plans_directory.as_ref().map(Into::into),
            workflow: Workflow {
                kind: plan.workflow,
                length: plan.length,
                agents: Agents { explore: plan.explore_agents, plan: plan.agents, order: plan.explore_order },
            },
            trigger: plan.trigger,
            model_may_plan: plan.model_may_enter,
            auto_during_plan: plan.use_auto_mode_during_plan,
            compact_at_percent: context.compact_at_percent,
            variables: env.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            max_rounds: limits.rounds,
            max_agents: limits.agents,
            cap_per_turn: cap(budget.per_turn.as_ref()),
            cap_per_session: cap(budget.per_session.as_ref()),
            cap_per_day: cap(budget.per_day.as_ref()),
            memory: *memory,
            turns_between_reminders: plan.turns_between_reminders,
            agents_with_each_prompt: context.agents_with_each_prompt,
            default_mode: self.written.permissions.default_mode,
            listed: BTreeMap::new(),
            lean: match self.written.model.profile {
                ModelProfile::Auto => None,
                ModelProfile::Full => Some(false),
                ModelProfile::Lean => Some(true),
            },
            trusted_files: match self.trust {
                Trust::Trusted(_) | Trust::Changed(_) => self.repository.trusted_words().collect(),
                Trust::NotTrusted => Vec::new(),
            },
            hooks: self.hooks.clone(),
            team_approver: self.written.team.approver,
        })
    }

    /// Whether the person trusts this folder with what its files say now.
    pub(crate) fn is_trusted(&self) -> bool {
        match self.trust {
            Trust::Trusted(_) => true,
            Trust::Changed(_) | Trust::NotTrusted => false,
        }
    }

    /// Which levels the session may use at all. The classifier of auto mode needs a language model.
    pub(crate) fn openings(&self, bypass: Bypass, handles: &ModelHandles) -> Openings {
        Openings {
            folder_trusted: self.is_trusted(),
            auto_opted_in: self.written.permissions.auto_opt_in,
            auto_gate_open: matches!(handles.of(Duty::Small), fore_agent::ModelHandle::Remote(_)),
            bypass_permitted: bypass == Bypass::Permitted,
        }
    }

    /// The mode to start in, and what the person should know about it. A mode that was asked for and is closed is an
    /// error; one of the settings gives way to `default`, which is never more.
    pub(crate) fn starting_mode(
        &self,
        asked: Option<Mode>,
        openings: Openings,
    ) -> anyhow::Result<(Mode, Option<String>)> {
        let started = Change::Started { level: Level::Default, planning: false, openings, role: SessionRole::Main };
        let state = State::fold_all([&started]);
        let mode = asked.unwrap_or(self.written.permissions.default_mode);
        match (transition(&state, ModeTarget::from(mode), Actor::Person, ModeReason::Start), asked) {
            (Ok(_), _) => Ok((mode, None)),
            (Err(refusal), Some(_)) => anyhow::bail!("{}. {}", refusal.reason, refusal.way_out),
            (Err(refusal), None) => {
                let words = format!("starting in default: {}. {}", refusal.reason, refusal.way_out);
                Ok((Mode::At(Level::Default), Some(words)))
            }
        }
    }
}

/// `registries` are those that the person's own configuration names, besides the usual ones.
pub(super) fn table(written: &WrittenSettings, registries: &[Reach]) -> TableSettings {
    let plan = &written.plan;
    let usual = TableSettings::default();
    let own = registries.iter().filter_map(|reach| match reach {
        Reach::Host(host) => HostPattern::of_text(host).ok(),
        Reach::AnyHost | Reach::Daemon(_) => None,
    });
    // Checked when it was read.
    let allowed = written.network.allowed_hosts.iter().chain(&plan.allowed_hosts);
    let allowed = allowed.filter_map(|text| HostPattern::of_text(text).ok());
    TableSettings {
        unproven: plan.unproven,
        network: plan.network,
        todo: plan.todo,
        without_sandbox: plan.without_sandbox,
        allowed_hosts: allowed.flatten().collect(),
        work_network: written.network.in_auto_mode,
        registries: usual.registries.iter().cloned().chain(own.flatten()).collect(),
        always_run: usual.always_run,
    }
}

pub(super) fn read_only_commands(written: &WrittenSettings) -> Vec<Vec<String>> {
    written.plan.read_only_commands.iter().map(words).collect()
}

fn words(prefix: &CommandPrefix) -> Vec<String> {
    match prefix {
        CommandPrefix::Line(line) => line.split_whitespace().map(str::to_owned).collect(),
        CommandPrefix::Words(words) => words.clone(),
    }
}

/// Checks one value beyond its type.
pub(super) fn check(path: &[String], value: &Value, project: &Path, home: Option<&Path>) -> Result<(), String> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let text = value.as_str().unwrap_or_default();
    match path.as_slice() {
        ["permissions", list @ ("allow" | "ask" | "deny")] => {
            let effect = match *list {
                "allow" => RuleEffect::Allow,
                "ask" => RuleEffect::Ask,
                _ => RuleEffect::Deny,
            };
            Rules::default().add(effect, text, PatternRoots { project, home }).map_err(|error| error.to_string())
        }
        ["plan", "readOnlyCommands"] => {
            let prefix: CommandPrefix = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
            if words(&prefix).iter().all(|word| word.trim().is_empty()) {
                return Err("an empty command would vouch for everything".into());
            }
            Ok(())
        }
        ["model", "act" | "plan" | "small"] if text == "scout" => Ok(()),
        // A name before the slash that no provider has may be a server of the person's own, however near it is to a
        // provider's (`ollama2`); it is looked for when it is used.
        ["model", "act" | "plan" | "small"] => match fore_model::parse_name(text) {
            Ok(_) => Ok(()),
            Err(fore_model::NameError::UnknownProvider { given, .. }) if !given.is_empty() => Ok(()),
            Err(error) => Err(error.to_string()),
        },
        ["model", "providers" | "servers", _, "apiKeyVariable"] if !super::read::is_variable(text) => {
            Err("it is not a name of a variable: letters, digits and `_`".into())
        }
        ["model", "providers" | "servers", _, "headers", _] if text.contains(char::is_control) => {
            Err("a header cannot hold a control character".into())
        }
        ["network" | "plan", "allowedHosts"] => HostPattern::of_text(text)
            .map(|_| ())
            .map_err(|error| format!("{error} or *.example.com; a host without a port means both ports of the web")),
        ["budget", "perTurn" | "perSession" | "perDay"] => {
            text.parse::<fore_agent::BudgetAmount>().map(|_| ()).map_err(str::to_owned)
        }
        ["model", "prices", name, ..] if !name.contains('/') => Err("a model is named provider/name".into()),
        ["env", _] if text.contains('\0') => Err("a variable cannot hold a zero byte".into()),
        ["cage", "additionalDirectories"] | ["hooks", "mayWrite"]
            if !text.starts_with("~/") && !text.starts_with('/') =>
        {
            Err("it has to begin with `~/` or `/`".into())
        }
        ["cage", "secrets" | "notSecret"] | ["mcp", "readOnlyServers"] | ["proxy"] if text.trim().is_empty() => {
            Err("it is empty".into())
        }
        _ => Ok(()),
    }
}
