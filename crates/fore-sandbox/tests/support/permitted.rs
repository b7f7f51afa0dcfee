//! Runs jobs as the person's own commands: the permit that `fore cage` gets, for the same job.
#![expect(clippy::expect_used, reason = "a test that cannot set itself up has failed")]

use fore_plan::{
    Cage, State,
    gate::{Action, Ground, Presented, Rules, table::TableSettings, typed},
};
use fore_sandbox::{CageError, Cages, Job, RunOutcome};
use std::path::Path;

pub(crate) trait RunTyped {
    fn run_typed(&self, cage: &Cage, job: Job<'_>) -> Result<RunOutcome, CageError>;
}

impl RunTyped for Cages {
    fn run_typed(&self, cage: &Cage, mut job: Job<'_>) -> Result<RunOutcome, CageError> {
        let cwd = job.cwd.to_string_lossy().into_owned();
        let action = Action::Run { command: job.command.text(), cwd, rehearse: false };
        self.run(permit(action, cage.clone()), &mut job)
    }
}

/// The permit for something that the person does.
pub(crate) fn permit(action: Action, cage: Cage) -> Presented {
    let (rules, settings, state) = (Rules::default(), TableSettings::default(), State::default());
    let ground =
        Ground::new(&rules, &settings, Path::new("/"), &fore_shell::GitFacts::Unprobed, &fore_commands::CATALOGUE);
    let permit = typed(&state, &ground, action, cage).expect("no rule denies it");
    permit.present(&state).expect("it was just given")
}

/// The usual settings of whoever runs this.
pub(crate) fn usual_settings() -> fore_sandbox::CageSettings {
    fore_sandbox::CageSettings::new(std::env::home_dir(), |name| std::env::var_os(name))
}
