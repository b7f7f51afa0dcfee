//! What a run begins with: folder, home, settings, models, and the session or plan it goes on with. It starts nothing.

use super::{
    args::{PrintArgs, RunArgs},
    plan::quoted,
};
use crate::{
    models::models,
    pick, report,
    settings::{Bypass, Settings},
};
use anyhow::{Context, bail};
use fore_agent::{Begin, Brain, Brains, Launch};
use fore_plan::{Change, Level, Mode, Openings, Role, State, approval::Reachable};
use fore_store::{Home, PlanFolder, SessionId, session};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Where a run happens, and by whom it is answered.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) home: Arc<Home>,
    pub(crate) folder: PathBuf,
    settings: Settings,
    brains: Brains,
    openings: Openings,
    most_rounds: Option<u32>,
}

impl Place {
    /// Looks around. What the person should know is said on standard error; what is wrong is an error.
    pub(crate) fn here(run: &RunArgs, given: Option<&str>) -> anyhow::Result<Place> {
        let folder = here()?;
        let settings = Settings::load(&folder, given)?;
        report::warn(&settings);
        let found = models(&settings, run.model.as_deref())?;
        found.notices.iter().for_each(|notice| report::warning(notice));
        let bypass = if run.dangerously_allow_bypass { Bypass::Permitted } else { Bypass::NotPermitted };
        let openings = settings.openings(bypass, &found.brains);
        let home = Arc::new(Home::from_environment()?);
        Ok(Place { home, folder, settings, brains: found.brains, openings, most_rounds: run.max_rounds })
    }

    /// Everything that `fore_agent` needs to begin.
    pub(crate) fn launch(&self, begin: Begin, reachable: Reachable) -> anyhow::Result<Launch> {
        let mut settings = self.settings.session()?;
        settings.most_rounds = self.most_rounds.unwrap_or(settings.most_rounds);
        let via = match reachable {
            Reachable::Approver => "stream-json",
            Reachable::Nobody => "headless",
        };
        Ok(Launch {
            folder: self.folder.clone(),
            home: Arc::clone(&self.home),
            user_home: self.settings.home.clone(),
            begin,
            openings: self.openings,
            reachable,
            via: via.into(),
            settings,
            brains: self.brains.clone(),
        })
    }

    /// What `-p` begins with: a new session, or one that goes on.
    pub(crate) fn begin(&self, args: &PrintArgs) -> anyhow::Result<Begin> {
        let mode = args.mode;
        if let Some(Mode::At(level)) = mode {
            self.require(level)?;
        }
        if let Some(word) = &args.fork {
            return Ok(Begin::Fork { session: self.session(word)?, mode });
        }
        match (&args.resume, args.go_on) {
            (Some(Some(word)), _) => Ok(Begin::Resume { session: self.session(word)?, mode }),
            (Some(None), _) | (None, true) => Ok(Begin::Resume { session: self.newest()?, mode }),
            (None, false) => {
                let (mode, notice) = self.settings.starting_mode(mode, self.openings)?;
                notice.iter().for_each(|notice| report::warning(notice));
                Ok(Begin::Fresh { mode })
            }
        }
    }

    /// Refuses a level that this folder or this start does not allow, with the way to open it.
    pub(crate) fn require(&self, level: Level) -> anyhow::Result<()> {
        let openings = self.openings;
        let started = Change::Started { level: Level::Default, planning: false, openings, role: Role::Main };
        if State::fold_all([&started]).may_use(level) {
            return Ok(());
        }
        let project = self.settings.project.display();
        match level {
            _ if !openings.folder_trusted => {
                bail!(
                    "{level} is for folders that you trust, and {project} is not one yet; run `fore trust` there first"
                )
            }
            Level::BypassPermissions => {
                bail!("{level} runs everything without asking; add --dangerously-allow-bypass if you mean it")
            }
            Level::Auto if openings.auto_opted_in => {
                bail!("{level} needs a language model that decides what is asked; name one with --model")
            }
            Level::Auto | Level::AcceptEdits | Level::Default => {
                bail!("{level} is not open; set `permissions.autoOptIn` to true in your settings first")
            }
        }
    }

    /// Refuses work that only a language model can do, before anything is approved for it.
    pub(crate) fn require_model(&self) -> anyhow::Result<()> {
        match self.brains.act {
            Brain::Remote(_) => Ok(()),
            Brain::Scout => bail!(
                "a plan is carried out by a language model, and none is set up; nothing was run\n\
                 name one with --model PROVIDER/NAME and set its key; `fore doctor` shows what is found on this machine"
            ),
        }
    }

    /// Where plans may be.
    pub(crate) fn plan_folders(&self) -> Vec<PlanFolder> {
        plan_folders(&self.home, &self.settings)
    }

    fn newest(&self) -> anyhow::Result<SessionId> {
        let folder = self.folder.to_str().context("the path of this folder is not text")?;
        session::latest(&self.home, folder)?
            .with_context(|| format!("there is no session of {folder} yet; `fore sessions --all` lists the others"))
    }

    /// A session of this folder: one of another folder knows other files, and its plan is for those.
    fn session(&self, word: &str) -> anyhow::Result<SessionId> {
        let id = pick::session(&self.home, word)?;
        let folder = session::summary_of(&self.home, id)?.and_then(|summary| summary.folder);
        match folder.filter(|folder| Path::new(folder) != self.folder) {
            Some(folder) => bail!("session {id} is about {folder}; go there first: cd {}", quoted(&folder)),
            None => Ok(id),
        }
    }
}

/// The folder the person is in, by its real path.
pub(crate) fn here() -> anyhow::Result<PathBuf> {
    let folder = std::env::current_dir().context("the current folder cannot be found")?;
    let folder = folder.canonicalize().with_context(|| format!("the folder {} cannot be used", folder.display()))?;
    if folder.to_str().is_none() {
        bail!("the path of the folder {} is not text", folder.display());
    }
    Ok(folder)
}

/// Where plans may be: in the home, and in the project if its settings say so.
pub(crate) fn plan_folders(home: &Home, settings: &Settings) -> Vec<PlanFolder> {
    let mut folders = vec![PlanFolder::of_home(home)];
    if let Some(inside) = &settings.written.plans_directory {
        let resolved = PlanFolder::resolve(home, &settings.project, Some(inside.as_ref()));
        if resolved.refused().is_none() {
            folders.insert(0, resolved);
        }
    }
    folders
}
