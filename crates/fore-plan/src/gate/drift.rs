//! Work that goes beyond an approved plan, in a run whose person allowed that beforehand. It never answers a rule, and never while
//! planning; what the plan leaves alone, secrets, what gives orders and what lies outside stay questions.

use super::{Action, AllowScope, Ground, covered::inside, permit::PermitSource, table::GateRow, wider};
use crate::{
    cage::{Cage, Outside},
    state::State,
};
use fore_shell::Finding;
use std::path::Path;

/// What becomes of work that the approved plan does not cover, where it would only be asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drift {
    /// It is asked about; where nobody answers, that is a no.
    #[default]
    Asked,
    /// Ordinary files of the project may be edited, and its own code may run in the sandbox without network.
    Allowed,
}

/// The cage and the reason of a yes, where this run may drift so far. `asked` is where a yes would have let it run.
pub(super) fn permitted(
    state: &State,
    ground: &Ground<'_>,
    action: &Action,
    (row, finding): (GateRow, Option<&Finding>),
    asked: &Cage,
) -> Option<(Cage, PermitSource)> {
    match ground.drift {
        Drift::Asked => return None,
        Drift::Allowed => {}
    }
    // Auto mode has somebody who decides.
    if state.auto_decides() {
        return None;
    }
    // Without a plan that is carried out there is nothing to drift from.
    let coverage = state.coverage(ground.project)?;
    let may_edit = |real: &str| {
        let is_left_alone = inside(ground, real).is_none_or(|path| coverage.leaves_alone(path));
        !is_left_alone && !(ground.is_secret)(Path::new(real))
    };
    match action {
        Action::Edit { target, .. } if row == GateRow::EditProject && may_edit(&target.real) => {
            Some((asked.clone(), PermitSource::Drift))
        }
        Action::EditNotebook { target } if row == GateRow::EditNotebook && may_edit(&target.real) => {
            Some((asked.clone(), PermitSource::Drift))
        }
        // Only known runners of the project's own code, which talk to nobody: everything else is for a person to see.
        Action::Run { cwd, rehearse: false, .. } if row == GateRow::ShellRuns => {
            let is_runner = |scope: &AllowScope| matches!(scope, AllowScope::CommandsLike { .. });
            let is_known = wider::covers(&wider::kinds(ground, action, row, finding), is_runner);
            let is_inside = Path::new(cwd).strip_prefix(ground.project).is_ok();
            let is_closed = finding.is_some_and(|finding| finding.reach.is_empty());
            let may_run = is_known && is_inside && is_closed && ground.kernel.read_only.holds();
            may_run.then_some((Cage::Workspace { outside: Outside::Closed }, PermitSource::Drift))
        }
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
        | Action::Other { .. } => None,
    }
}
