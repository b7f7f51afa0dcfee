//! Between the shell judge and the gate: the finding for a command, its row, and what rules may look at.

use crate::gate::{Action, Ground, rule::Inside, table::Row};
use crate::{mode::Mode, state::State};
use fore_shell::{Facts, Finding, Kind};
use std::path::Path;

/// What the shell judge says of a command; none for other actions.
pub(super) fn finding(state: &State, ground: &Ground<'_>, action: &Action) -> Option<Finding> {
    let Action::Run { command, cwd, .. } = action else { return None };
    let writable = state
        .plan()
        .filter(|plan| state.mode() == Mode::Plan && plan.stage.is_unfinished_planning() && state.fallback().is_none());
    Some(fore_shell::judge(
        command,
        &Facts {
            cwd: Path::new(cwd),
            home: ground.home,
            plan_file: writable.map(|plan| Path::new(&plan.path)),
            vouched: ground.vouched,
            repositories: ground.repositories,
        },
    ))
}

pub(super) fn row(finding: Option<&Finding>) -> Row {
    match finding {
        Some(finding) => match finding.kind {
            Kind::Reads if finding.reach.is_empty() => Row::ShellReads,
            Kind::Reads => Row::ShellAsksService,
            Kind::Network => Row::ShellNetwork,
            Kind::Runs => Row::ShellRuns,
            Kind::Unknown => Row::ShellUnknown,
            Kind::Writes => Row::ShellWrites,
        },
        None => Row::ShellUnknown,
    }
}

/// What rules may look at.
pub(super) fn inside(finding: Option<&Finding>) -> Inside<'_> {
    match finding {
        Some(finding) => Inside {
            commands: &finding.commands,
            is_whole: finding.kind != Kind::Unknown,
            runs_others: finding.kind == Kind::Runs,
            paths: &finding.paths,
            has_all_paths: finding.paths.len() < Finding::MOST_PATHS,
            reach: &finding.reach,
        },
        None => Inside::NOTHING,
    }
}
