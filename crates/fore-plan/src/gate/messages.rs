//! The gate's own words: questions for a person, refusals for model and person alike.

use crate::{
    cage::Cage,
    gate::{
        Action, Rule,
        table::{CageSupport, GateRow},
    },
    refusal::{Refusal, RefusalCode},
    state::State,
};
use fore_shell::{Finding, Reach};

pub(super) fn denied(state: &State, rule: &Rule) -> Refusal {
    Refusal {
        code: RefusalCode::RuleDeny,
        mode: state.mode(),
        rule: rule.name(),
        reason: format!("your settings deny this: {}", rule.name()),
        way_out: "Do it another way; a deny rule holds in every mode.".into(),
    }
}

pub(super) fn question_text(action: &Action, finding: Option<&Finding>, cage: &Cage) -> String {
    let whom = |reach: &[Reach]| -> String {
        let names: Vec<String> = reach
            .iter()
            .map(|reach| match reach {
                Reach::Host(host) => host.clone(),
                Reach::Daemon(name) => format!("the {name} service"),
                Reach::AnyHost => "a host that cannot be known beforehand".into(),
            })
            .collect();
        names.join(", ")
    };
    match action {
        Action::Run { .. } => match finding {
            Some(finding) if !finding.sends.is_empty() && finding.kind <= fore_shell::CommandKind::Network => {
                format!("This command sends {} to {}. Let it?", finding.sends.join(", "), whom(&finding.reach))
            }
            Some(finding) if !finding.reach.is_empty() && finding.kind <= fore_shell::CommandKind::Network => {
                format!("This command only reads, but talks to {}. Let it?", whom(&finding.reach))
            }
            Some(finding) => {
                let why =
                    finding.evidence.first().map_or("it could not be proved harmless", |first| first.why.as_str());
                let kept = if *cage == Cage::Rehearsal { " Nothing it writes would be kept." } else { "" };
                let sent = match finding.sends.as_slice() {
                    [] if finding.reach.is_empty() => String::new(),
                    [] => format!(" It talks to {}.", whom(&finding.reach)),
                    sends => format!(" It sends {} to {}.", sends.join(", "), whom(&finding.reach)),
                };
                format!("Run this command? {}.{sent}{kept}", capitalised(why))
            }
            None => "Run this command?".into(),
        },
        Action::Fetch { host: Some(host) } => format!("Fetch a page from {host}?"),
        Action::Fetch { host: None } => "Search the web?".into(),
        Action::Edit { target, .. } | Action::EditNotebook { target } => format!("Change {}?", target.real),
        Action::Delete { target } => format!("Delete {}?", target.real),
        Action::Move { from, to } => format!("Move {} to {}?", from.real, to.real),
        Action::Mcp { server, tool, .. } => format!("Call {tool} of the MCP server {server}?"),
        Action::Agent { name, .. } => format!("Start the agent {name}?"),
        Action::Read { path, .. } | Action::Search { path, .. } => format!("Read {path}?"),
        Action::Skill { name } => format!("Load the skill {name}?"),
        Action::Think { tool } | Action::Other { tool } => format!("Use {tool}?"),
        Action::Hook { .. } => "Run this hook?".into(),
        Action::Todo => "Change the todo list?".into(),
        Action::EnterPlanMode => "Enter plan mode?".into(),
        Action::ExitPlanMode => "Leave plan mode?".into(),
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

pub(super) fn blocked(
    state: &State,
    kernel: &CageSupport,
    (code, row): (RefusalCode, GateRow),
    action: &Action,
    finding: Option<&Finding>,
) -> Refusal {
    let evidence = finding.and_then(|finding| finding.evidence.first());
    let plan_path = state.plan().map(|plan| plan.path.as_str());
    let rule = evidence.map_or_else(|| row.name().to_owned(), |evidence| evidence.rule.clone());
    let put_in_plan = "Put this step in the plan.";
    let (reason, way_out) = match code {
        RefusalCode::PlanShellWrites => (
            evidence.map_or_else(|| "the command changes something".into(), |evidence| evidence.why.clone()),
            if kernel.rehearsal.holds() {
                "Put this step in the plan, or run it with `rehearse: true`, which drops every write.".to_owned()
            } else {
                put_in_plan.to_owned()
            },
        ),
        RefusalCode::PlanShellUnproven => (
            evidence.map_or_else(|| "the command could not be proved harmless".into(), |evidence| evidence.why.clone()),
            match kernel.rehearsal.lack() {
                Some(lack) => format!(
                    "Use a command that only reads, or put this step in the plan. It cannot be rehearsed: {}. {}",
                    lack.reason, lack.remedy
                ),
                None => "Use a command that only reads, or put this step in the plan.".into(),
            },
        ),
        RefusalCode::PlanEdit => (
            format!("{} would be changed", subject(action)),
            match plan_path {
                Some(path) => format!("Only the plan file {path} may be written. {put_in_plan}"),
                None => put_in_plan.into(),
            },
        ),
        RefusalCode::PlanNotebook => ("notebooks are never edited while planning".into(), put_in_plan.into()),
        RefusalCode::PlanNetwork => (
            "the setting plan.network closes the network while planning".into(),
            "Work with what is on this machine, or note the open point in the plan.".into(),
        ),
        RefusalCode::PlanAgent => {
            (format!("{} may change things", subject(action)), "Use a read-only agent such as Explore or Plan.".into())
        }
        RefusalCode::PlanMcp => (
            format!("{} is not known to only read", subject(action)),
            "Let the server mark the tool as read-only and trust the server for it, or put this step in the plan."
                .into(),
        ),
        RefusalCode::PlanTodo => {
            ("the todo list starts with the work, not with the plan".into(), "Write the steps into the plan.".into())
        }
        RefusalCode::UnknownTool if is_odd_address(action) => (
            "this address can be read in two ways, so it is not certain which host it names".into(),
            "Give a plain http or https address: a host name or an ordinary IP address, without a user name.".into(),
        ),
        RefusalCode::UnknownTool => {
            (format!("{} is not a tool that the gate knows", subject(action)), "Use a listed tool.".into())
        }
        RefusalCode::CageUnavailable => no_sandbox(kernel, row, finding),
        RefusalCode::UntrustedFolder
        | RefusalCode::ModeNotAvailable
        | RefusalCode::NeedsApproval
        | RefusalCode::LeadDecides
        | RefusalCode::ReadOnlyFallback
        | RefusalCode::RuleDeny
        | RefusalCode::PermitStale
        | RefusalCode::Declined
        | RefusalCode::AutoDenied
        | RefusalCode::EnterInput
        | RefusalCode::EnterSubagent
        | RefusalCode::EnterNoApprover
        | RefusalCode::ExitOutsidePlan
        | RefusalCode::ExitInput
        | RefusalCode::ExitWrongFile
        | RefusalCode::ExitNoPlan
        | RefusalCode::ExitPending
        | RefusalCode::BatchRetry => ("the gate's table refuses it".into(), put_in_plan.into()),
    };
    Refusal { code, mode: state.mode(), rule, reason, way_out }
}

/// A page whose host nobody can be sure of.
fn is_odd_address(action: &Action) -> bool {
    matches!(action, Action::Other { tool } if super::tool_name(tool) == Some("WebFetch"))
}

/// What is said where the cage that was needed could not be had.
fn no_sandbox(kernel: &CageSupport, row: GateRow, finding: Option<&Finding>) -> (String, String) {
    if let (Some(finding), true, Some(lack)) = (finding, kernel.read_only.holds(), kernel.network.lack())
        && row != GateRow::ShellRehearsal
        && !finding.reach.is_empty()
    {
        let reason = format!("no command reaches a network or a service here: {}", lack.reason);
        return (reason, format!("{} WebFetch works without it.", lack.remedy));
    }
    let needed = if row == GateRow::ShellRehearsal { &kernel.rehearsal } else { &kernel.read_only };
    match needed.lack() {
        Some(lack) => (
            format!("no command runs without a sandbox, and there is none: {}", lack.reason),
            format!("{} Read, Grep and Glob work without one.", lack.remedy),
        ),
        None => ("no command runs without a sandbox".into(), "Run `fore doctor` to see what is missing.".into()),
    }
}

fn subject(action: &Action) -> String {
    match action {
        Action::Edit { target, .. } | Action::EditNotebook { target } | Action::Delete { target } => {
            target.real.clone()
        }
        Action::Move { from, .. } => from.real.clone(),
        Action::Agent { name, .. } => format!("the agent `{name}`"),
        Action::Mcp { server, tool, .. } => format!("`{tool}` of the MCP server `{server}`"),
        Action::Read { path, .. } | Action::Search { path, .. } => path.clone(),
        Action::Skill { name } => format!("the skill `{name}`"),
        Action::Think { tool } | Action::Other { tool } => format!("`{tool}`"),
        Action::Fetch { .. } => "a web page".into(),
        Action::Run { .. } => "the command".into(),
        Action::Hook { .. } => "the hook".into(),
        Action::Todo => "the todo list".into(),
        Action::EnterPlanMode | Action::ExitPlanMode => "the mode".into(),
    }
}
