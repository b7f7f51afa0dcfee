//! What a call really did, written down while a plan is carried out: the facts that its report is made of.

use super::ToolCall;
use crate::{
    cancel::Cancel,
    output::CallFact,
    session::{
        approval::now,
        session_context::SessionContext,
        work_watch::{ChangedPaths, TouchedFiles, WatchedRun},
    },
};
use fore_plan::{
    Cage, WorkDone, WorkRecord,
    approval::Timestamp,
    gate::{Action, Presented},
};
use std::{path::Path, sync::Arc};

impl ToolCall {
    /// Looks at the workspace before a call that may change it, if its changes are to be told apart.
    pub(super) fn watch(&self, permit: &Presented) -> Option<WatchedRun> {
        let may_change = match permit.cage() {
            Cage::Workspace { .. } | Cage::Free => true,
            Cage::ReadOnly { .. } | Cage::Rehearsal => false,
        };
        let is_edit = matches!(permit.action(), Action::Edit { .. } | Action::EditNotebook { .. });
        let is_run = may_change && matches!(permit.action(), Action::Run { .. });
        if !(is_edit || is_run) || !self.context.carries_plan_out() {
            return None;
        }
        let watched = self.context.work.watch.begin(&self.context);
        is_run.then_some(watched)
    }

    /// Writes it down; what was rehearsed is evidence for an approval, everything else for the report. `began`: when it was started.
    pub(super) fn note_fact(&self, action: &Action, fact: CallFact, (watched, began): (Option<WatchedRun>, Timestamp)) {
        let agent = self.caller.agent().map(|agent| agent.0);
        match (fact, action) {
            (CallFact::Rehearsed(rehearsal), _) => self.context.ledger.note_rehearsal(rehearsal),
            (CallFact::Edited { added, removed }, Action::Edit { target, .. } | Action::EditNotebook { target }) => {
                let Some(path) = self.context.edited_path(Path::new(&target.real)) else { return };
                self.context.work.watch.edited(&self.context, &path);
                let done = WorkDone::Edited { path, added, removed };
                self.context.note_work(WorkRecord { at: now(), agent, done });
            }
            (CallFact::Ran { exit_code }, Action::Run { command, cwd, .. }) => {
                let touched = watched.map(|watched| self.context.work.watch.end(&self.context, watched, None));
                self.context.note_run(agent, (command, cwd), (exit_code, began), touched);
            }
            (CallFact::InBackground { run }, Action::Run { command, cwd, .. }) => {
                if watched.is_some() {
                    self.context.work.watch.runs_on(&run);
                }
                let (context, command, cwd) = (Arc::clone(&self.context), command.clone(), cwd.clone());
                self.context.work.background.when_ended(&run.clone(), move |exit_code| {
                    let touched = watched.map(|watched| context.work.watch.end(&context, watched, Some(&run)));
                    context.note_run(agent, (&command, &cwd), (exit_code, began), touched);
                    context.tell_background();
                });
            }
            (CallFact::Edited { .. } | CallFact::Ran { .. } | CallFact::InBackground { .. }, _) => {}
        }
    }
}

impl ToolCall {
    /// Looks at the workspace before a tool of a server is called that may change it.
    pub(super) async fn watch_server(&self, permit: &Presented) -> Option<(WatchedRun, Timestamp)> {
        let may_change = match permit.cage() {
            Cage::Workspace { .. } | Cage::Free => true,
            Cage::ReadOnly { .. } | Cage::Rehearsal => false,
        };
        if !may_change || !self.context.carries_plan_out() {
            return None;
        }
        let context = Arc::clone(&self.context);
        let look = move || context.work.watch.begin(&context);
        let watched = tokio::task::spawn_blocking(look).await.ok()?;
        Some((watched, now()))
    }

    /// What changed meanwhile is that tool's doing.
    pub(super) async fn note_server(&self, tool: String, watched: Option<(WatchedRun, Timestamp)>) {
        let Some((watched, began)) = watched else { return };
        let (context, agent) = (Arc::clone(&self.context), self.caller.agent().map(|agent| agent.0));
        let look = move || {
            let TouchedFiles { before, during: (changed, more), .. } = context.work.watch.end(&context, watched, None);
            context.note_outside_at(began, before);
            if !changed.is_empty() {
                context.note_work(WorkRecord { at: now(), agent, done: WorkDone::Called { tool, changed, more } });
            }
        };
        let _ = tokio::task::spawn_blocking(look).await;
    }
}

impl SessionContext {
    /// Whether a plan is carried out whose work is written down.
    pub(crate) fn carries_plan_out(&self) -> bool {
        let state = self.ledger.state();
        state.plan().is_some_and(|plan| plan.stage.is_carried_out() && plan.contract.is_some())
    }

    /// Writes down a command that has ended. One that can change nothing counts if it is a check of the plan.
    fn note_run(
        &self,
        agent: Option<String>,
        (command, cwd): (&str, &str),
        (exit_code, began): (Option<i32>, Timestamp),
        touched: Option<TouchedFiles>,
    ) {
        if touched.is_none() && !self.is_planned_command(command) {
            return;
        }
        let TouchedFiles { before, during, white_space } = touched.unwrap_or_default();
        // What changed before it began was there when it ran.
        self.note_outside_at(began, before);
        let folder = self.run_folder(Path::new(cwd));
        let (changed, more) = during;
        let began = Some(began);
        let done = WorkDone::Ran { command: command.to_owned(), folder, exit_code, changed, more, white_space, began };
        self.note_work(WorkRecord { at: now(), agent, done });
    }

    /// Whether the plan that is carried out names this very command.
    fn is_planned_command(&self, command: &str) -> bool {
        let state = self.ledger.state();
        let contract = state.plan().and_then(|plan| plan.contract.as_ref());
        contract.is_some_and(|contract| contract.commands.iter().any(|grant| grant.command == command.trim()))
    }

    /// Under which path an edit is written down: from the project folder, or the whole path of what lies elsewhere. None for plans
    /// and notes, which are the program's own.
    fn edited_path(&self, path: &Path) -> Option<String> {
        let is_own = path.starts_with(self.setup.home.plans_path());
        self.project_path(path).or_else(|| (!is_own).then(|| path.to_string_lossy().into_owned()))
    }

    /// A path from the project folder; none for what lies elsewhere.
    pub(crate) fn project_path(&self, path: &Path) -> Option<String> {
        path.strip_prefix(&self.setup.project).ok().and_then(Path::to_str).map(str::to_owned)
    }

    /// Where a command ran, from the project folder. One that ran elsewhere keeps the whole path: it is none of the plan, which
    /// speaks of the project folder.
    pub(crate) fn run_folder(&self, cwd: &Path) -> String {
        self.project_path(cwd).unwrap_or_else(|| cwd.to_string_lossy().into_owned())
    }

    /// Writes down what was changed by nobody here.
    pub(crate) fn note_outside(&self, touched: ChangedPaths) {
        self.note_outside_at(now(), touched);
    }

    fn note_outside_at(&self, at: Timestamp, (changed, more): ChangedPaths) {
        if !changed.is_empty() {
            self.note_work(WorkRecord { at, agent: None, done: WorkDone::ChangedOutside { changed, more } });
        }
    }

    /// Looks what else has changed by now.
    pub(crate) fn look_for_outside_changes(&self, cancel: &Cancel) {
        if self.carries_plan_out() {
            let touched = self.work.watch.look(self, cancel);
            self.note_outside(touched);
        }
    }

    fn note_work(&self, record: WorkRecord) {
        if !self.carries_plan_out() {
            return;
        }
        let noted = self.ledger.session().note_work(record);
        if let Err(error) = noted {
            self.person.notice(crate::event::NoticeLevel::Error, error.to_string());
        }
    }
}
