//! How a call is judged: what it would do, on which ground the gate stands, and how long a verdict counts.
//!
//! The verdict from the moment an answer came says which of its calls may run side by side; it is the verdict that counts if
//! the call begins at once and nothing it depends on has changed.

use crate::{
    context::input_of,
    disk::Disk,
    session::{caller::CallerContext, session_context::SessionContext, setup::SessionSetup},
    turn::Concurrency,
};
use fore_hooks::{HookOccasion, HookedCall};
use fore_model::ToolUse;
use fore_plan::{
    Cage, Epoch, Refusal, State,
    gate::{
        self, Action, FileTarget, Ground, Judgement, McpClaims, Paths, PatternRoots, Permit, Verdict, table::GateRow,
    },
};
use fore_sandbox::Opener;
use fore_store::audit::{AuditDecider, AuditOutcome, AuditSubject, Audited, Ruling};
use serde_json::Value;
use std::{path::Path, sync::Arc};

/// What a call would do.
pub(crate) fn action(context: &SessionContext, caller: &CallerContext, tool: &str, input: &Value) -> Action {
    let (setup, folder) = (&context.setup, context.folder_of(caller).get());
    let disk = Disk::new(&folder, setup.user_home.as_deref());
    let paths = SessionPaths { disk, setup };
    match setup.tool_by_alias(tool) {
        Some((server, tool)) => {
            let claims = paths.mcp_claims(&server, &tool);
            Action::Mcp { server, tool, claims }
        }
        None => Action::from_call(tool, input, &paths),
    }
}

/// Judges an action by a state. Leaves no trace: for what is asked ahead of the call itself.
pub(crate) fn judge(setup: &SessionSetup, state: &State, action: Action) -> Judgement {
    on_ground(setup, |ground| gate::judge(state, ground, action))
}

/// What the gate judges by, besides the state.
pub(crate) fn on_ground<T>(setup: &SessionSetup, work: impl FnOnce(&Ground<'_>) -> T) -> T {
    let (kernel, live) = (setup.kernel(), setup.live());
    let is_secret = |path: &Path| Opener::new(Arc::clone(&setup.cages), &setup.project).is_secret(path);
    let roots = PatternRoots { project: &setup.project, home: setup.user_home.as_deref() };
    let rules = setup.held.rules(roots);
    let ground = Ground {
        rules: &rules,
        settings: &live.settings.table,
        kernel: &kernel,
        project: &setup.project,
        home: setup.user_home.as_deref(),
        vouched: &live.settings.vouched,
        repositories: &*setup.probe,
        catalogue: setup.cages.catalogue(),
        servers: &live.settings.servers,
        vouched_tool: &|server, tool, definition| setup.is_vouched_tool(server, tool, definition),
        drift: setup.drift,
        is_secret: &is_secret,
    };
    work(&ground)
}

/// Writes a verdict to the audit log.
pub(crate) fn audited(context: &SessionContext, action: &Action, judgement: Judgement) -> Judgement {
    // What a plan tool may do is decided when it runs; its line comes then.
    if !(judgement.row == GateRow::PlanTool && matches!(judgement.verdict, Verdict::Allow(_))) {
        context.ledger.audit(Audited::Gate(Ruling::of(AuditSubject::new(action), &judgement.verdict)));
    }
    judgement
}

/// A permit for what the person typed.
pub(crate) fn permit_typed(context: &SessionContext, action: Action) -> Result<Permit, Refusal> {
    let (setup, live) = (&context.setup, context.setup.live());
    let ground = Ground {
        home: setup.user_home.as_deref(),
        ..Ground::new(&live.rules, &live.settings.table, &setup.project, &*setup.probe, setup.cages.catalogue())
    };
    let about = AuditSubject::new(&action);
    let typed = gate::typed(&context.ledger.state(), &ground, action, Cage::Free);
    context.ledger.audit(Audited::Gate(match &typed {
        Ok(permit) => Ruling::new(about, AuditOutcome::Allowed, permit.source().into()),
        Err(refusal) => Ruling::refused(about, AuditDecider::Gate, refusal),
    }));
    typed
}

/// Leave to put one file back as it was, which the person wants.
pub(crate) fn permit_taken_back(context: &SessionContext, action: Action) -> Result<Permit, Refusal> {
    let (setup, live) = (&context.setup, context.setup.live());
    let ground = Ground {
        home: setup.user_home.as_deref(),
        ..Ground::new(&live.rules, &live.settings.table, &setup.project, &*setup.probe, setup.cages.catalogue())
    };
    let about = AuditSubject::new(&action);
    let given = gate::taken_back(&context.ledger.state(), &ground, action);
    context.ledger.audit(Audited::Gate(match &given {
        Ok(permit) => Ruling::new(about, AuditOutcome::Allowed, permit.source().into()),
        Err(refusal) => Ruling::refused(about, AuditDecider::Gate, refusal),
    }));
    given
}

/// A call that was judged when its answer came.
#[derive(Debug)]
pub(crate) struct JudgedAhead {
    action: Action,
    basis: VerdictBasis,
    runs_in_background: bool,
    /// A hook may make another call of it.
    is_hooked: bool,
    judgement: Judgement,
}

/// What a verdict depends on besides the action and what does not change in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VerdictBasis {
    /// Mode, level, plan and settings.
    pub(crate) epoch: Epoch,
    /// What the person has said yes to for the whole session, and what the plan covers; both only grow in one epoch.
    allowed: usize,
    /// Calls that could change files, which may change what git or a path leads to.
    changes: u64,
}

impl VerdictBasis {
    /// As it is at this moment.
    pub(crate) fn now(context: &SessionContext) -> VerdictBasis {
        let changes = context.work.running.begun_changes();
        let state = context.ledger.state();
        let covered = state.contract().map_or(0, |contract| contract.files.len() + contract.commands.len());
        VerdictBasis { epoch: state.epoch(), allowed: state.allowed().count() + covered, changes }
    }
}

impl JudgedAhead {
    /// Nothing for a call that cannot be read.
    pub(crate) fn new(context: &SessionContext, caller: &CallerContext, call: &ToolUse) -> Option<JudgedAhead> {
        let input = input_of(call)?;
        let action = action(context, caller, &call.name, input);
        let basis = VerdictBasis::now(context);
        let judgement = judge(&context.setup, &caller.state(context.ledger.state()), action.clone());
        let runs_in_background = input.get("run_in_background").is_some();
        let hooked = HookedCall { tool: call.name.clone(), input: Value::Null, id: String::new() };
        let is_hooked =
            !context.setup.live().settings.hooks.meant(&HookOccasion::PreToolUse { call: hooked }).is_empty();
        Some(JudgedAhead { action, basis, runs_in_background, is_hooked, judgement })
    }

    /// Whether the call may run beside others: it only reads, by the gate's own word.
    pub(crate) fn concurrency(&self) -> Concurrency {
        // A command that changes its folder changes it for the ones after it.
        let changes_folder = self.judgement.finding.as_ref().is_some_and(|finding| finding.changes_folder());
        if changes_folder || self.runs_in_background || self.is_hooked {
            return Concurrency::Alone;
        }
        match self.judgement.row {
            GateRow::Read
            | GateRow::Search
            | GateRow::Fetch
            | GateRow::ShellReads
            | GateRow::AgentReadOnly
            | GateRow::AgentOther => Concurrency::Together,
            GateRow::Think
            | GateRow::EditPlanFile
            | GateRow::EditProject
            | GateRow::EditElsewhere
            | GateRow::EditNotebook
            | GateRow::DeleteOrMove
            | GateRow::ShellAsksService
            | GateRow::ShellNetwork
            | GateRow::ShellRuns
            | GateRow::ShellUnknown
            | GateRow::ShellWrites
            | GateRow::ShellRehearsal
            | GateRow::Hook
            | GateRow::McpReadOnly
            | GateRow::McpOther
            | GateRow::McpRemote
            | GateRow::McpServer
            | GateRow::Todo
            | GateRow::PlanTool
            | GateRow::AmendPlan
            | GateRow::UnknownTool => Concurrency::Alone,
        }
    }

    /// The verdict, if the call is still the one that was judged and nothing has happened since that could change it.
    pub(crate) fn if_current(self, action: &Action, basis: VerdictBasis) -> Option<Judgement> {
        (self.action == *action && self.basis == basis).then_some(self.judgement)
    }
}

/// What is behind the paths of a call, and which agents only read.
struct SessionPaths<'a> {
    disk: Disk<'a>,
    setup: &'a SessionSetup,
}

impl Paths for SessionPaths<'_> {
    fn resolve(&self, asked: &str) -> FileTarget {
        self.disk.resolve(asked)
    }

    fn cwd(&self) -> String {
        self.disk.cwd()
    }

    fn is_read_only_agent(&self, name: &str) -> bool {
        self.setup.kinds.get(name).is_some_and(|kind| kind.is_read_only)
    }

    fn is_harmless_to_tell(&self, name: &str) -> bool {
        self.setup.team.is_harmless_to_tell(name)
    }

    fn mcp_claims(&self, server: &str, tool: &str) -> McpClaims {
        self.setup.mcp_claims(server, tool)
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
