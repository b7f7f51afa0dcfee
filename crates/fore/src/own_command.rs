//! Runs a command that the person wrote into their own settings (a key's, a call's), as if they had typed it. Their deny rules hold.

use crate::settings::Settings;
use anyhow::Context;
use fore_plan::{
    Cage, State,
    gate::{Action, Ground, Rules, table::TableSettings, typed},
};
use fore_sandbox::{Cages, Job, JobCommand, RunOutcome, environment::Environment};
use std::{path::PathBuf, time::Duration};

/// What such commands are run with.
pub(crate) struct OwnCommands {
    rules: Rules,
    table: TableSettings,
    cages: Cages,
    /// Where they start: not in the project, which would choose what runs.
    folder: PathBuf,
    project: PathBuf,
}

impl OwnCommands {
    pub(crate) fn new(settings: &Settings) -> anyhow::Result<OwnCommands> {
        Ok(OwnCommands {
            rules: settings.rules(&settings.project)?,
            table: settings.table.clone(),
            cages: Cages::new(settings.cages(), &fore_commands::CATALOGUE),
            folder: settings.home.clone().filter(|home| home.is_dir()).unwrap_or_else(|| PathBuf::from("/")),
            project: settings.project.clone(),
        })
    }

    /// With the person's rights and their environment, without the keys that were taken out of it.
    pub(crate) fn run(&self, command: JobCommand, time: Duration, output_bytes: usize) -> anyhow::Result<RunOutcome> {
        let state = State::default();
        let ground = Ground::new(
            &self.rules,
            &self.table,
            &self.project,
            &fore_shell::GitFacts::Unprobed,
            &fore_commands::CATALOGUE,
        );
        let cwd = self.folder.to_str().context("the home folder's path is not text")?.to_owned();
        let action = Action::Run { command: command.text(), cwd, rehearse: false };
        let permit = typed(&state, &ground, action, Cage::Free)?.present(&state)?;
        let mut job = Job::new(command, &self.folder);
        job.environment = Environment::Exactly(crate::environment::variables());
        job.limits.time = time;
        job.limits.output_bytes = output_bytes;
        Ok(self.cages.run(permit, &mut job)?)
    }

    pub(crate) fn project(&self) -> &std::path::Path {
        &self.project
    }
}
