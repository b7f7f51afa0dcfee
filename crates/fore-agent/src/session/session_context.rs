//! A live session in its four parts, and what concerns several of them: a change that is recorded stops, closes and tells.
//!
//! Main conversation and subagents judge by the same state at the moment of each call, so a change of mode holds for the
//! very next call of all of them.

use super::{
    caller::{CallerContext, CallerIdentity},
    ledger::Ledger,
    person::PersonLink,
    setup::SessionSetup,
    work::OngoingWork,
};
use crate::{
    cancel::Cancel,
    command::QuestionId,
    event::{CallId, Event, NoticeLevel},
    lock::lock,
    tools::{ToolContext, WorkingFolder},
};
use fore_model::Duty;
use fore_plan::{
    Actor, Applied, Change, Level, Mode, ModeReason, ModeTarget, Refusal, State, exit_notice,
    plan::{Author, Hash},
    reminder::Notice,
    transition,
};
use fore_store::StoreError;
use std::{path::PathBuf, sync::Arc};

/// A live session.
#[derive(Debug)]
pub(crate) struct SessionContext {
    /// What it was set up with, and does not change.
    pub(crate) setup: SessionSetup,
    /// What is true, and written down.
    pub(crate) ledger: Ledger,
    /// Who sees and decides.
    pub(crate) person: PersonLink,
    /// What goes on.
    pub(crate) work: OngoingWork,
}

impl SessionContext {
    /// Records a change and makes it hold: nothing that could change files outlives the beginning of planning, and a question
    /// that has become void is closed.
    pub(crate) fn record(&self, change: Change) -> Result<Applied, StoreError> {
        if self.ledger.would_begin_planning(&change) {
            // Before anybody is told that nothing changes any more, and not under the lock: this waits for processes.
            self.end_left_behind();
            self.stop_working_servers();
        }
        let recorded = self.ledger.record(change)?;
        if let Some(void) = recorded.void {
            // Whoever still waits for an answer to it waits for nothing.
            self.person.questions.close(&QuestionId(void.0));
        }
        if recorded.planning_began {
            self.planning_began();
        }
        self.tell_team_of_mode();
        Ok(recorded.applied)
    }

    /// Records a change that fits; trouble with the disk is shown.
    pub(crate) fn must_record(&self, change: Change) {
        if let Err(error) = self.try_record(change) {
            self.person.notice(NoticeLevel::Error, error.to_string());
        }
    }

    /// Records a change; that it did not fit is shown.
    pub(crate) fn try_record(&self, change: Change) -> Result<(), StoreError> {
        if let Applied::Ignored(why) = self.record(change)? {
            self.person.notice(NoticeLevel::Warning, format!("Nothing changed: {why}."));
        }
        Ok(())
    }

    /// Switches the mode by the person's hand. The refusal is shown, the mode stays.
    pub(crate) fn switch(&self, target: ModeTarget, why: ModeReason) -> Result<(), Refusal> {
        let before = self.ledger.state();
        let switched = transition(&before, target, Actor::Person, why);
        let change = switched.inspect_err(|refusal| self.ledger.audit_refused_switch(target, "person", refusal))?;
        if let Some(change) = change {
            self.must_record(change);
            self.person.note_switch();
            self.tell_closed_auto(&before);
        }
        Ok(())
    }

    /// Planning was left by hand, and auto mode, which held before it, is closed.
    fn tell_closed_auto(&self, before: &State) {
        let is_default = self.ledger.state().mode() == Mode::At(Level::Default);
        if before.pre_plan_mode().is_some() && is_default {
            let notice = exit_notice(before).into_iter();
            notice.for_each(|notice| self.person.notice(NoticeLevel::Info, notice));
        }
    }

    /// Ends what earlier commands have left running, and says so.
    fn end_left_behind(&self) {
        let ended = self.setup.cages.end_left_behind();
        if ended.commands > 0 {
            let text = "Planning began: processes that earlier commands had left running were stopped.";
            self.person.notice(NoticeLevel::Warning, text);
        }
        if ended.failed > 0 {
            let text = "Some processes that an earlier command left running could not be stopped, perhaps because they \
                        belong to another user. They can still change files while you plan; stop them yourself.";
            self.person.notice(NoticeLevel::Error, text);
        }
    }

    /// Tells what runs in the background, if that is not what was told last.
    pub(crate) fn tell_background(&self) {
        let running = self.work.background.list();
        let is_new = {
            let mut told = lock(&self.work.background_told);
            let is_new = *told != running;
            told.clone_from(&running);
            is_new
        };
        if is_new {
            self.person.events.send(Event::Background { running });
        }
    }

    /// Nothing may change while planning: background work that could is ended, and the workspace is remembered.
    fn planning_began(&self) {
        // What a command was allowed for its turn was not allowed for the work on a plan.
        self.setup.held.end_turn();
        let calls = self.work.running.stop_changes();
        if calls > 0 {
            let text = "Planning began: the running call that could change something was stopped.";
            self.person.notice(NoticeLevel::Warning, text);
        }
        let stopped = self.work.background.stop_writers();
        if !stopped.is_empty() {
            let commands: Vec<&str> = stopped.iter().map(|stopped| stopped.command.as_str()).collect();
            let text = format!("Stopped in the background, because planning began: {}", commands.join(", "));
            self.person.notice(NoticeLevel::Warning, text);
        }
        // One may have been started only just now.
        self.stop_working_servers();
        // A command that ended only just now may have left something, too.
        self.end_left_behind();
        self.remember_workspace();
    }

    /// The workspace as it is now is what the proof compares with.
    pub(super) fn remember_workspace(&self) {
        self.ledger.baseline.take(&self.setup, &self.ledger.state(), &self.work.running);
    }

    pub(crate) fn duty(&self) -> Duty {
        if self.ledger.is_planning() { Duty::Plan } else { Duty::Act }
    }

    /// Where the commands of a caller run.
    pub(super) fn folder_of<'a>(&'a self, caller: &'a CallerContext) -> &'a Arc<WorkingFolder> {
        match &caller.identity {
            CallerIdentity::Main => &self.work.folder,
            CallerIdentity::Agent { folder, .. } => folder,
        }
    }

    pub(crate) fn tool_context(&self, caller: &CallerContext, cancel: Cancel, call: CallId) -> ToolContext {
        let (setup, work, state) = (&self.setup, &self.work, self.ledger.state());
        let live = setup.live();
        let events = self.person.events.clone();
        let on_output = move |text: &str| {
            if events.has_room() {
                events.send(Event::ToolOutput { call: call.clone(), text: text.to_owned() });
            }
        };
        ToolContext {
            project: setup.project.clone(),
            folder: Arc::clone(self.folder_of(caller)),
            cages: Arc::clone(&setup.cages),
            probe: Arc::clone(&setup.probe),
            rules: Arc::clone(&live.rules),
            // The plan is the main conversation's: no cage of a subagent's opens it.
            plan_file: state
                .plan()
                .filter(|_| matches!(caller.identity, CallerIdentity::Main))
                .map(|plan| PathBuf::from(&plan.path)),
            seen: Arc::clone(&work.seen),
            variables: Arc::clone(&live.variables),
            background: Arc::clone(&work.background),
            outputs: Arc::clone(&setup.outputs),
            session: setup.session_files(&state),
            cancel,
            on_output: Arc::new(on_output),
            runtime: setup.runtime.clone(),
            unsaved: setup.unsaved.clone(),
        }
    }

    /// That planning ended, and what the plan says, was told in other words: no reminder repeats it.
    pub(crate) fn mark_exit_told(&self) {
        self.mark_told(&[Notice::Exit, Notice::PlanReference, Notice::PlanChanged]);
    }

    /// These were told in other words, as far as they are due.
    pub(crate) fn mark_told(&self, these: &[Notice]) {
        let due = self.ledger.state().notices_due(true).into_iter();
        let notices: Vec<Notice> = due.filter(|notice| these.contains(notice)).collect();
        if !notices.is_empty() {
            self.must_record(Change::Told { notices });
        }
    }

    /// After a call of the model's that was allowed to write the plan: its text becomes a revision (K4). `is_models` knows the
    /// model's own bytes; what else is there was put there by somebody else.
    pub(crate) fn note_plan_written(&self, is_models: impl Fn(&str) -> bool) {
        let found = self.ledger.read_plan();
        let state = self.ledger.state();
        let (Some(plan), Some(text)) = (state.plan(), found.text()) else { return };
        if !is_models(text) {
            return self.ledger.note_plan_found(&found);
        }
        if let Some(revision) = plan.next_revision(Hash::of(text.as_bytes()), Author::Model) {
            self.must_record(Change::PlanWritten { plan: plan.id.clone(), revision, text: text.to_owned() });
        }
    }

    /// The person changed the plan in the editor that we started; what stood there meanwhile is kept as a revision.
    pub(crate) fn plan_edited(&self, text: &str) {
        let Some(id) = self.ledger.state().plan().map(|plan| plan.id.clone()) else {
            return self.person.notice(NoticeLevel::Warning, "There is no plan to edit.");
        };
        self.ledger.refresh_plan();
        let before = self.ledger.plan_hash();
        match self.ledger.save_plan(Author::Person, text) {
            Ok(hash) if before == Some(hash) => {}
            Ok(_) => self.must_record(Change::PlanEditedOutside { plan: id }),
            Err(error) => self.person.notice(NoticeLevel::Error, format!("Your text was not saved: {error}")),
        }
    }

    /// What the model has read is forgotten, because it no longer sees it.
    pub(super) fn forget_what_was_read(&self) {
        self.work.seen.forget_all();
        self.setup.memory.forget_nested();
    }

    /// Whom commands have talked to since this was last written down.
    pub(super) fn audit_connections(&self) {
        self.ledger.audit_connections(self.setup.cages.take_connections());
    }
}
