//! What a finding of the shell judge means to the gate: its row, the plan file it may write, and what rules may look at.

use crate::gate::{Action, rule::ShellContents, table::GateRow};
use crate::{cage::Cage, mode::Mode, state::State};
use fore_shell::{CommandKind, Finding};

/// The plan file, as long as it is being planned.
pub(super) fn writable_plan(state: &State) -> Option<&str> {
    let is_planned = state.mode() == Mode::Plan && state.fallback().is_none();
    let plan = state.plan().filter(|plan| is_planned && plan.stage.is_unfinished_planning());
    plan.map(|plan| plan.path.as_str())
}

/// The plan file, if this command was judged to write it and to do nothing else. What only might be harmless never gets it.
pub(super) fn plan_file(state: &State, action: &Action, cage: &Cage, finding: Option<&Finding>) -> Option<String> {
    let is_proved = finding.is_some_and(|finding| finding.writes_plan && finding.kind <= CommandKind::Network);
    let is_run = matches!(action, Action::Run { rehearse: false, .. });
    let is_caged = matches!(cage, Cage::ReadOnly { .. });
    writable_plan(state).filter(|_| is_proved && is_run && is_caged).map(str::to_owned)
}

pub(super) fn row(finding: Option<&Finding>) -> GateRow {
    match finding {
        Some(finding) => match finding.kind {
            CommandKind::Reads if finding.reach.is_empty() => GateRow::ShellReads,
            CommandKind::Reads => GateRow::ShellAsksService,
            CommandKind::Network => GateRow::ShellNetwork,
            CommandKind::Runs => GateRow::ShellRuns,
            CommandKind::Unknown => GateRow::ShellUnknown,
            CommandKind::Writes => GateRow::ShellWrites,
        },
        None => GateRow::ShellUnknown,
    }
}

/// What rules may look at.
pub(super) fn inside(finding: Option<&Finding>) -> ShellContents<'_> {
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
