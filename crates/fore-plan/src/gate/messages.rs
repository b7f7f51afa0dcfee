//! The gate's own words: questions for a person, refusals for model and person alike.

use crate::{
    cage::Cage,
    gate::{
        Action, MCP_RESOURCES, McpPlace, Rule,
        effects::{effects, partners},
        table::{CageSupport, GateRow},
    },
    mode::Mode,
    refusal::{REHEARSE_INSTEAD, Refusal, RefusalCode},
    state::State,
    tool_name::ToolName,
};
use fore_shell::Finding;

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
    match action {
        Action::Run { .. } => match finding {
            Some(finding) if !finding.sends.is_empty() && finding.kind <= fore_shell::CommandKind::Network => {
                format!("This command sends {} to {}. Let it?", finding.sends.join(", "), partners(&finding.reach))
            }
            Some(finding) if !finding.reach.is_empty() && finding.kind <= fore_shell::CommandKind::Network => {
                format!("This command only reads, but talks to {}. Let it?", partners(&finding.reach))
            }
            Some(finding) => {
                let mut sentences: Vec<String> = effects(finding).iter().map(|effect| sentence(&effect.why)).collect();
                sentences.dedup();
                if sentences.is_empty() {
                    sentences.push("It could not be proved harmless.".into());
                }
                if *cage == Cage::Rehearsal {
                    sentences.push("Nothing it writes would be kept.".into());
                }
                format!("Run this command? {}", sentences.join(" "))
            }
            None => "Run this command?".into(),
        },
        Action::Fetch { host: Some(host) } => format!("Fetch a page from {host}?"),
        Action::Fetch { host: None } => "Search the web?".into(),
        Action::Edit { target, .. } | Action::EditNotebook { target } => format!("Allow this edit to {}?", target.real),
        Action::Delete { target } => format!("Delete {}?", target.real),
        Action::Move { from, to } => format!("Move {} to {}?", from.real, to.real),
        Action::Mcp { server, tool, claims } => {
            let call = match tool.as_str() {
                MCP_RESOURCES => format!("Read a resource of the MCP server {server}?"),
                tool => format!("Call {tool} of the MCP server {server}?"),
            };
            match claims.place {
                McpPlace::Process(_) => call,
                McpPlace::Remote => format!("{call} It is elsewhere: only files on this machine are held."),
            }
        }
        Action::McpServer { server, .. } => format!("Start the MCP server {server}?"),
        Action::Agent { name, .. } => format!("Start the agent {name}?"),
        Action::Message { to, .. } => format!("Send a message to {to}?"),
        Action::Read { path, .. } | Action::Search { path, .. } => format!("Read {path}?"),
        Action::Skill { name } => format!("Load the skill {name}?"),
        Action::Think { tool } => format!("Use {tool}?"),
        Action::Other { tool } => format!("Use {tool}?"),
        Action::Hook { .. } => "Run this hook?".into(),
        Action::Todo => "Change the todo list?".into(),
        Action::EnterPlanMode => "Enter plan mode?".into(),
        Action::ExitPlanMode => "Leave plan mode?".into(),
        Action::AmendPlan => "Add this to the plan?".into(),
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map_or_else(String::new, |first| first.to_uppercase().collect());
    format!("{first}{}.", letters.as_str())
}

/// The way out where an agent could change something.
const TO_PLANNERS: &str = "While you plan, write only to your lead and to teammates who plan too.";
const READING_AGENT: &str =
    "Start it with mode `plan`, in which it only reads, or use an agent such as Explore or Plan.";

pub(super) fn blocked(
    state: &State,
    kernel: &CageSupport,
    (code, row): (RefusalCode, GateRow),
    action: &Action,
    finding: Option<&Finding>,
) -> Refusal {
    let evidence = finding.and_then(|finding| finding.evidence.first());
    let plan_path = state.plan().filter(|plan| plan.stage.is_unfinished_planning()).map(|plan| plan.path.as_str());
    let rule = evidence.map_or_else(|| row.name().to_owned(), |evidence| evidence.rule.clone());
    let put_in_plan = "Put this step in the plan.";
    let (reason, way_out) = match code {
        RefusalCode::PlanShellWrites => (
            evidence.map_or_else(|| "the command changes something".into(), |evidence| evidence.why.clone()),
            if kernel.rehearsal.holds() { REHEARSE_INSTEAD.to_owned() } else { put_in_plan.to_owned() },
        ),
        RefusalCode::PlanShellUnproven => (
            evidence.map_or_else(|| "the command could not be proved harmless".into(), |evidence| evidence.why.clone()),
            unproven_way_out(kernel),
        ),
        RefusalCode::PlanEdit if let Some(why) = not_the_plan_alone(plan_path, action) => (
            why,
            "Use the plan's own path; if something else is in its place, tell the person, who can move it away.".into(),
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
        RefusalCode::PlanAgent if matches!(action, Action::Message { .. }) => {
            (format!("{} works and may change things", subject(action)), TO_PLANNERS.into())
        }
        RefusalCode::PlanAgent => (format!("{} may change things", subject(action)), READING_AGENT.into()),
        RefusalCode::PlanMcp => not_vouched_for(action),
        RefusalCode::PlanTodo => {
            ("the todo list starts with the work, not with the plan".into(), "Write the steps into the plan.".into())
        }
        RefusalCode::PlanAmend => nothing_to_amend(state),
        RefusalCode::UnknownTool if is_odd_address(action) => (
            "this address can be read in two ways, so it is not certain which host it names".into(),
            "Give a plain http or https address: a host name or an ordinary IP address, without a user name.".into(),
        ),
        RefusalCode::UnknownTool => match needed_field(action) {
            Some(field) => (
                format!("the `{field}` of {} is missing or unclear", subject(action)),
                format!("Make the call again with `{field}` as one text."),
            ),
            None => (format!("there is no tool {} here", subject(action)), way_to_tool(action)),
        },
        RefusalCode::CageUnavailable => no_sandbox(kernel, row, finding),
        RefusalCode::UntrustedFolder
        | RefusalCode::ModeNotAvailable
        | RefusalCode::NeedsApproval
        | RefusalCode::LeadDecides
        | RefusalCode::ReadOnlyFallback
        | RefusalCode::RuleDeny
        | RefusalCode::PermitStale
        | RefusalCode::PlanNotCovered
        | RefusalCode::Declined
        | RefusalCode::AutoDenied
        | RefusalCode::HookDenied
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

/// Why a tool of a server does not run while planning.
fn not_vouched_for(action: &Action) -> (String, String) {
    let put_in_plan = "Put this step in the plan.";
    let unknown = || (format!("{} is not known to only read", subject(action)), put_in_plan.into());
    let Action::Mcp { claims, server, tool } = action else { return unknown() };
    if claims.definition.is_none() {
        unknown()
    } else if claims.says_it_only_reads() {
        let now = if tool == MCP_RESOURCES { "" } else { " as it is defined now" };
        let reason = format!("nobody has vouched for {}{now}", subject(action));
        (reason, format!("The person can look at it and vouch for it with /mcp vouch {server} {tool}. {put_in_plan}"))
    } else {
        let reason = format!("{} may change something: its server does not say that it only reads", subject(action));
        (reason, put_in_plan.into())
    }
}

/// What to do with a command that is not proved to read.
fn unproven_way_out(kernel: &CageSupport) -> String {
    let way_out = "Use a command that only reads, or put this step in the plan.";
    match kernel.rehearsal.lack() {
        Some(lack) => format!("{way_out} It cannot be rehearsed: {}. {}", lack.reason, lack.remedy),
        None => way_out.into(),
    }
}

/// Why there is nothing to add to.
fn nothing_to_amend(state: &State) -> (String, String) {
    match state.mode() {
        Mode::Plan => ("no plan is being carried out yet".into(), "Write it into the plan itself.".into()),
        Mode::At(_) => (
            "no approved plan is being carried out that says what runs without asking".into(),
            "Make the call itself; it is asked about where that is needed.".into(),
        ),
    }
}

/// Why what stands in the place of the plan file is not written, although it is asked for by the plan's own path.
fn not_the_plan_alone(plan: Option<&str>, action: &Action) -> Option<String> {
    let Action::Edit { target, .. } = action else { return None };
    let plan = plan.filter(|plan| target.asked == *plan || target.real == *plan)?;
    if target.real != plan || target.is_link {
        return Some(format!("{plan} is a link now, and {} would be changed", target.real));
    }
    if target.names > 1 {
        let names = target.names;
        return Some(format!("{plan} is not a file of its own any more: it has {names} names, which would all change"));
    }
    (target.asked != plan)
        .then(|| format!("the plan file is written by its own path, {plan}, and by no other spelling"))
}

/// A page whose host nobody can be sure of.
fn is_odd_address(action: &Action) -> bool {
    matches!(action, Action::Other { tool } if ToolName::from_called(tool) == Some(ToolName::WebFetch))
}

/// The field without which nobody can say what a call of a tool that is known would do.
fn needed_field(action: &Action) -> Option<&'static str> {
    let Action::Other { tool } = action else { return None };
    match ToolName::from_called(tool)? {
        ToolName::Bash => Some("command"),
        ToolName::Read | ToolName::Write | ToolName::Edit | ToolName::MultiEdit => Some("file_path"),
        ToolName::NotebookEdit => Some("notebook_path"),
        ToolName::Glob | ToolName::Grep | ToolName::Ls => Some("path"),
        ToolName::WebFetch => Some("url"),
        ToolName::Agent => Some("subagent_type"),
        ToolName::Skill => Some("skill"),
        ToolName::McpCall => Some("server` and `tool"),
        ToolName::McpRead => Some("server` and `uri"),
        ToolName::SendMessage => Some("to"),
        ToolName::WebSearch
        | ToolName::AskUserQuestion
        | ToolName::BashOutput
        | ToolName::TodoWrite
        | ToolName::EnterPlanMode
        | ToolName::ExitPlanMode
        | ToolName::AmendPlan
        | ToolName::AnswerPlan
        | ToolName::McpSearch => None,
    }
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

/// Which tool was probably meant.
fn way_to_tool(action: &Action) -> String {
    if let Action::Other { tool } = action {
        ToolName::meant_by(tool)
    } else {
        "Use one of the tools that are listed.".into()
    }
}

fn subject(action: &Action) -> String {
    match action {
        Action::Edit { target, .. } | Action::EditNotebook { target } | Action::Delete { target } => {
            target.real.clone()
        }
        Action::Move { from, .. } => from.real.clone(),
        Action::Agent { name, .. } => format!("the agent `{name}`"),
        Action::Message { to, .. } => format!("the teammate `{to}`"),
        Action::Mcp { server, tool, .. } if tool == MCP_RESOURCES => {
            format!("reading resources of the MCP server `{server}`")
        }
        Action::Mcp { server, tool, .. } => format!("`{tool}` of the MCP server `{server}`"),
        Action::McpServer { server, .. } => format!("the MCP server `{server}`"),
        Action::Read { path, .. } | Action::Search { path, .. } => path.clone(),
        Action::Skill { name } => format!("the skill `{name}`"),
        Action::Think { tool } => format!("`{tool}`"),
        Action::Other { tool } => format!("`{tool}`"),
        Action::Fetch { .. } => "a web page".into(),
        Action::Run { .. } => "the command".into(),
        Action::Hook { .. } => "the hook".into(),
        Action::Todo => "the todo list".into(),
        Action::EnterPlanMode | Action::ExitPlanMode => "the mode".into(),
        Action::AmendPlan => "the plan".into(),
    }
}
