//! What an approved plan covers: a question of the table becomes a yes, in a cage. It never answers a rule, and never while planning.

use super::{Action, Ground, permit::PermitSource, table::GateRow};
use crate::{
    approval::amend::PlanAddition,
    cage::{Cage, Contacts, Outside},
    contract::{CommandGrant, Coverage, FileCover, PlannedChange},
    host::HostPattern,
    state::State,
};
use fore_shell::Finding;
use std::path::Path;

/// The cage and the reason of a yes, where the plan covers this action. `asked` is where a yes would have let it run.
pub(super) fn permitted(
    state: &State,
    ground: &Ground<'_>,
    action: &Action,
    (row, finding): (GateRow, Option<&Finding>),
    asked: &Cage,
) -> Option<(Cage, PermitSource)> {
    let coverage = state.coverage(ground.project)?;
    match action {
        Action::Edit { target, .. } if row == GateRow::EditProject => {
            Some((asked.clone(), file_source(coverage, ground, &target.real)?))
        }
        Action::EditNotebook { target } if row == GateRow::EditNotebook => {
            Some((asked.clone(), file_source(coverage, ground, &target.real)?))
        }
        Action::Run { command, cwd, rehearse: false } => {
            let folder = Path::new(cwd).strip_prefix(ground.project).ok()?.to_str()?;
            let outside = match coverage.command(command, folder, finding?) {
                Some(grant) => outside(grant)?,
                None if folder.is_empty() && moves_as_planned(coverage, command, finding) => Outside::Closed,
                None => return None,
            };
            // The workspace cage needs the same layers.
            let can_be_built =
                ground.kernel.read_only.holds() && (outside == Outside::Closed || ground.kernel.network.holds());
            can_be_built.then_some((Cage::Workspace { outside }, PermitSource::Plan))
        }
        Action::Read { .. }
        | Action::Search { .. }
        | Action::Fetch { .. }
        | Action::Think { .. }
        | Action::Edit { .. }
        | Action::EditNotebook { .. }
        | Action::Delete { .. }
        | Action::Move { .. }
        | Action::Run { rehearse: true, .. }
        | Action::Hook { .. }
        | Action::Agent { .. }
        | Action::Message { .. }
        | Action::Mcp { .. }
        | Action::McpServer { .. }
        | Action::Todo
        | Action::Skill { .. }
        | Action::EnterPlanMode
        | Action::ExitPlanMode
        | Action::AmendPlan
        | Action::Other { .. } => None,
    }
}

/// What a yes could add to the plan, where one is carried out that does not cover this action.
pub(super) fn addition(state: &State, ground: &Ground<'_>, action: &Action, row: GateRow) -> Option<PlanAddition> {
    state.contract()?;
    let (files, commands) = match action {
        Action::Edit { target, .. } if row == GateRow::EditProject => (Some(inside(ground, &target.real)?), None),
        Action::EditNotebook { target } if row == GateRow::EditNotebook => (Some(inside(ground, &target.real)?), None),
        Action::Run { command, cwd, rehearse: false } if Path::new(cwd) == ground.project => (None, Some(command)),
        Action::Read { .. }
        | Action::Search { .. }
        | Action::Fetch { .. }
        | Action::Think { .. }
        | Action::Edit { .. }
        | Action::EditNotebook { .. }
        | Action::Delete { .. }
        | Action::Move { .. }
        | Action::Run { .. }
        | Action::Hook { .. }
        | Action::Agent { .. }
        | Action::Message { .. }
        | Action::Mcp { .. }
        | Action::McpServer { .. }
        | Action::Todo
        | Action::Skill { .. }
        | Action::EnterPlanMode
        | Action::ExitPlanMode
        | Action::AmendPlan
        | Action::Other { .. } => return None,
    };
    let files = files.into_iter().map(str::to_owned).collect();
    Some(PlanAddition { why: String::new(), files, commands: commands.into_iter().cloned().collect() })
}

fn file_source(coverage: &Coverage, ground: &Ground<'_>, real: &str) -> Option<PermitSource> {
    match coverage.file(inside(ground, real)?) {
        FileCover::Named { .. } => Some(PermitSource::Plan),
        FileCover::Near { .. } => Some(PermitSource::NearPlan),
        FileCover::No => None,
    }
}

/// A path from the project folder, as a plan names it.
pub(super) fn inside<'a>(ground: &Ground<'_>, real: &'a str) -> Option<&'a str> {
    Path::new(real).strip_prefix(ground.project).ok()?.to_str().filter(|path| !path.is_empty())
}

/// Whom a granted command may talk to; none where one of the hosts is not clear.
fn outside(grant: &CommandGrant) -> Option<Outside> {
    let hosts: Option<Vec<Vec<HostPattern>>> = grant.hosts.iter().map(|host| HostPattern::of_text(host).ok()).collect();
    Some(Outside::named(Contacts { hosts: hosts?.concat(), services: Vec::new() }))
}

/// Whether a single plain command removes, moves or makes exactly what the plan says is removed, moved or made.
fn moves_as_planned(coverage: &Coverage, command: &str, finding: Option<&Finding>) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+@ ".contains(letter);
    let Some([argv]) = finding.map(|finding| finding.commands.as_slice()) else { return false };
    let Some(words) = argv.iter().map(Option::as_deref).collect::<Option<Vec<&str>>>() else { return false };
    if !command.trim().chars().all(is_plain) {
        return false;
    }
    let words =
        words.strip_prefix(&["git"]).filter(|rest| matches!(rest.first(), Some(&("rm" | "mv")))).unwrap_or(&words);
    let Some((program, rest)) = words.split_first() else { return false };
    let options = rest.iter().take_while(|word| word.starts_with('-')).count();
    let (options, operands) = rest.split_at(options);
    let granted = &coverage.contract().files;
    let is_moved = |from: &str, to: &str| {
        granted.iter().any(|file| {
            file.path == from && matches!(&file.change, PlannedChange::Move { to: planned } if planned == to)
        })
    };
    match (*program, operands) {
        (_, []) => false,
        ("rm", paths) if options.iter().all(|option| matches!(*option, "-f" | "-v" | "--")) => {
            paths.iter().all(|path| matches!(coverage.removal(path), FileCover::Named { .. }))
        }
        ("mv", [from, to]) if options.iter().all(|option| matches!(*option, "-n" | "-v" | "--")) => is_moved(from, to),
        ("mkdir", paths) if options.iter().all(|option| matches!(*option, "-p" | "-v" | "--")) => {
            let is_above = |path: &str| {
                let beneath = format!("{}/", path.trim_end_matches('/'));
                granted.iter().any(|file| file.path.starts_with(&beneath) || file.path == path.trim_end_matches('/'))
            };
            paths.iter().all(|path| !path.starts_with('/') && !path.contains("..") && is_above(path))
        }
        (_, _) => false,
    }
}
