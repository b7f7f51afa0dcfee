//! What the benchmarks of this crate measure and nobody else may call.

use crate::{
    cancel::Cancel,
    disk::Disk,
    tools::{SeenFiles, ToolContext, WorkingFolder, grep},
    undo::UndoMemory,
};
use fore_model::ResultPart;
use fore_plan::{
    State,
    gate::{Action, Ground, Verdict, judge, table::TableSettings},
};
use fore_sandbox::{Cages, GitProbe, Opener, SessionFiles};
use fore_store::{Home, Outputs};
use serde_json::Value;
use std::{path::Path, sync::Arc};

/// Calls of Grep in a folder as the loop makes them, each with its gate and its permit; nothing where one was not allowed.
pub fn grep_in(
    folder: &Path,
    cages: Arc<Cages>,
    outputs: Outputs,
    runtime: tokio::runtime::Handle,
) -> impl Fn(&Value) -> Option<String> {
    let context = ToolContext {
        project: folder.to_owned(),
        folder: Arc::new(WorkingFolder::new(folder.to_owned())),
        probe: Arc::new(GitProbe::new(Arc::clone(&cages))),
        cages,
        rules: Arc::default(),
        plan_file: None,
        seen: Arc::new(SeenFiles::default()),
        variables: Arc::default(),
        session: SessionFiles::default(),
        background: Arc::default(),
        outputs: Arc::new(outputs),
        cancel: Cancel::default(),
        on_output: Arc::new(|_| ()),
        runtime,
        unsaved: None,
    };
    move |input| {
        let (state, settings) = (State::default(), TableSettings::default());
        let ground = Ground::new(
            &context.rules,
            &settings,
            &context.project,
            &fore_shell::GitFacts::NoRepository,
            context.cages.catalogue(),
        );
        let action = Action::from_call("Grep", input, &Disk::new(&context.project, None));
        let Verdict::Allow(permit) = judge(&state, &ground, action).verdict else { return None };
        let output = grep(permit.present(&state).ok()?, input, &context);
        let [ResultPart::Text(text)] = output.model.as_slice() else { return None };
        Some(text.clone())
    }
}

/// What a session remembers for undo, step by step.
#[derive(Debug)]
pub struct RememberedSession {
    memory: UndoMemory,
    opener: Opener,
}

impl RememberedSession {
    /// Of a project.
    pub fn new(home: &Arc<Home>, project: &Path, cages: Arc<Cages>) -> RememberedSession {
        let memory = UndoMemory::new(home, project, "measured".to_owned());
        memory.begin_turn("measured");
        RememberedSession { memory, opener: Opener::new(cages, project) }
    }

    /// What goes on beside the model's first answer.
    pub fn prepare(&self) {
        self.memory.prepare(&self.opener, &|| false);
    }

    /// A command that changes what `work` changes.
    pub fn command(&self, work: impl FnOnce()) {
        let run = self.memory.begin_run(&self.opener);
        work();
        if let Some(run) = run {
            self.memory.end_run(&self.opener, run);
        }
    }
}
