//! What a run begins with: folder, home, settings, models, and the session or plan it goes on with. It starts nothing.

use super::{
    args::{PrintArgs, RunArgs},
    plan::quoted,
    reread::{RunOverrides, SettingsFiles, SharedSettings},
};
use crate::{
    models::models,
    pick, report,
    review::run_page::PageSetup,
    settings::{Settings, hook_notices},
};
use anyhow::{Context, bail};
use fore_agent::{Begin, Launch, ModelHandle, ModelHandles, SettingsReader};
use fore_plan::{Change, Level, Mode, Openings, SessionRole, State, approval::Reachable};
use fore_store::{Home, PlanFolder, SessionId, session};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// A session that was only opened and left is smaller.
const MAX_EMPTY_SESSION_BYTES: u64 = 16 << 10;
/// Sessions that were only opened and left are passed over, so many at most.
const MAX_LOOKED_AT: usize = 50;

/// Who answers what is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnsweredBy {
    Nobody,
    /// A program, line by line.
    Host,
    /// A person in front of a terminal.
    Terminal,
    /// A person in front of a browser.
    Page,
}

/// Where a run happens, and by whom it is answered.
#[derive(Debug)]
pub(crate) struct RunContext {
    pub(crate) home: Arc<Home>,
    pub(crate) folder: PathBuf,
    settings: Arc<Settings>,
    models: ModelHandles,
    openings: Openings,
    overrides: RunOverrides,
    reader: Arc<SettingsFiles>,
}

impl RunContext {
    /// Looks around. What the person should know is said on standard error; what is wrong is an error.
    pub(crate) fn here(run: &RunArgs, given: Option<&str>) -> anyhow::Result<RunContext> {
        let folder = here()?;
        let settings = Arc::new(Settings::load(&folder, given)?);
        report::warn(&settings);
        let (context, notices) = RunContext::with(folder, Arc::new(Mutex::new(settings)), given, run, || {
            Ok(Arc::new(crate::environment::own_home()?))
        })?;
        notices.iter().for_each(|notice| report::warning(notice));
        Ok(context)
    }

    /// Finds the models for these settings, and says what the person should know about them. `given` follows `--settings`.
    pub(crate) fn with(
        folder: PathBuf,
        shared: SharedSettings,
        given: Option<&str>,
        run: &RunArgs,
        home: impl FnOnce() -> anyhow::Result<Arc<Home>>,
    ) -> anyhow::Result<(RunContext, Vec<String>)> {
        let settings = Arc::clone(&shared.lock().unwrap_or_else(PoisonError::into_inner));
        let overrides = RunOverrides {
            max_rounds: run.max_rounds,
            allowed_hosts: run.allow_host.concat(),
            trusted_servers: run.trust_server.clone(),
            trusted_hooks: run.trust_hooks.clone(),
        };
        if let Some(missing) = overrides.missing_hooks(&settings).first() {
            bail!("no hook here has the hash {missing}; `fore hooks list` shows them");
        }
        let reader = Arc::new(SettingsFiles::new(&folder, given, overrides.clone(), shared));
        let found = models(&settings, run.model.as_deref())?;
        let openings = settings.openings(run.bypass(), &found.handles);
        let home = home()?;
        let hooks = overrides.session(&settings)?.hooks;
        let notices = found.notices.into_iter().chain(hook_notices(&hooks)).collect();
        let context = RunContext { home, folder, settings, models: found.handles, openings, overrides, reader };
        Ok((context, notices))
    }

    /// Everything that `fore_agent` needs to begin.
    pub(crate) fn launch(&self, begin: Begin, answers: AnsweredBy) -> anyhow::Result<Launch> {
        let reader: Arc<dyn SettingsReader> = self.reader.clone();
        let (reachable, via) = match answers {
            AnsweredBy::Nobody => (Reachable::Nobody, "headless"),
            AnsweredBy::Host => (Reachable::Approver, "stream-json"),
            AnsweredBy::Terminal => (Reachable::Approver, "terminal"),
            AnsweredBy::Page => (Reachable::Approver, "browser"),
        };
        Ok(Launch {
            folder: self.folder.clone(),
            home: Arc::clone(&self.home),
            user_home: self.settings.home.clone(),
            begin,
            openings: self.openings,
            reachable,
            via: via.into(),
            settings: self.overrides.session(&self.settings)?,
            unsaved: None,
            settings_reader: Some(reader),
            catalogue: &fore_commands::CATALOGUE,
            models: self.models.clone(),
        })
    }

    /// What a page needs that is served beside a run.
    pub(crate) fn page(&self) -> PageSetup {
        PageSetup { home: Arc::clone(&self.home), settings: Arc::clone(&self.settings) }
    }

    /// The mode that a session of the terminal starts in, and what to know about it. One that was asked for and is closed
    /// is an error.
    pub(crate) fn starting_mode(&self, asked: Option<Mode>) -> anyhow::Result<(Mode, Option<String>)> {
        self.settings.starting_mode(asked, self.openings)
    }

    /// What `-p` begins with: a new session, or one that goes on.
    pub(crate) fn begin(&self, args: &PrintArgs) -> anyhow::Result<Begin> {
        let mode = args.mode;
        if let Some(Mode::At(level)) = mode {
            self.require(level)?;
        }
        if let Some(word) = &args.fork {
            return Ok(Begin::Fork { session: session_of(&self.home, &self.folder, word)?, mode });
        }
        match (&args.resume, args.go_on) {
            (Some(Some(word)), _) => Ok(Begin::Resume { session: session_of(&self.home, &self.folder, word)?, mode }),
            (Some(None), _) | (None, true) => Ok(Begin::Resume { session: newest(&self.home, &self.folder)?, mode }),
            (None, false) => {
                let (mode, notice) = self.settings.starting_mode(mode, self.openings)?;
                notice.iter().for_each(|notice| report::warning(notice));
                Ok(Begin::Fresh { mode })
            }
        }
    }

    /// Refuses a level that this folder or this start does not allow, with the way to open it.
    pub(crate) fn require(&self, level: Level) -> anyhow::Result<()> {
        require(&self.settings, self.openings, level)
    }

    /// Refuses work that only a language model can do, before anything is approved for it.
    pub(crate) fn require_model(&self) -> anyhow::Result<()> {
        match self.models.act {
            ModelHandle::Remote(_) => Ok(()),
            ModelHandle::Scout => bail!(
                "a plan is carried out by a language model, and none is set up; nothing was run\n\
                 name one with --model PROVIDER/NAME and set its key; `fore doctor` shows what is found on this machine"
            ),
        }
    }

    /// Where plans may be.
    pub(crate) fn plan_folders(&self) -> Vec<PlanFolder> {
        plan_folders(&self.home, &self.settings)
    }
}

/// Refuses a level that is closed, with the way to open it.
pub(crate) fn require(settings: &Settings, openings: Openings, level: Level) -> anyhow::Result<()> {
    let started = Change::Started { level: Level::Default, planning: false, openings, role: SessionRole::Main };
    if State::fold_all([&started]).may_use(level) {
        return Ok(());
    }
    let project = settings.project.display();
    match level {
        _ if !openings.folder_trusted => {
            bail!("{level} is for folders that you trust, and {project} is not one yet; run `fore trust` there first")
        }
        Level::BypassPermissions => {
            bail!("{level} runs everything without asking; add --dangerously-allow-bypass if you mean it")
        }
        Level::Auto if openings.auto_opted_in => {
            bail!("{level} needs a language model that decides what is asked; name one with --model")
        }
        Level::Auto | Level::AcceptEdits | Level::Default => {
            bail!("{level} is not available; set `permissions.autoOptIn` to true in your settings first")
        }
    }
}

/// The newest session of a folder; one that was only opened and left gives way to an older one.
pub(crate) fn newest(home: &Home, folder: &Path) -> anyhow::Result<SessionId> {
    let (used, newest) = used(home, folder)?;
    let found = used.or(newest);
    found.with_context(|| {
        format!("there is no session of {} yet; `fore sessions --all` lists the others", folder.display())
    })
}

/// The newest session of a folder in which something was said, and the newest of all.
pub(crate) fn used(home: &Home, folder: &Path) -> anyhow::Result<(Option<SessionId>, Option<SessionId>)> {
    let folder = folder.to_str().context("the path of this folder is not text")?;
    let is_empty = |summary: &session::SessionSummary| {
        summary.bytes < MAX_EMPTY_SESSION_BYTES
            && session::overview(home, summary.session).is_ok_and(|it| it.prompts == 0)
    };
    let found = session::list(home, Some(folder), MAX_LOOKED_AT)?;
    let used = found.iter().find(|summary| !is_empty(summary)).map(|summary| summary.session);
    Ok((used, found.first().map(|summary| summary.session)))
}

/// A session of this folder: one of another folder knows other files, and its plan is for those.
pub(crate) fn session_of(home: &Home, folder: &Path, word: &str) -> anyhow::Result<SessionId> {
    let id = pick::session(home, word)?;
    let about = session::summary_of(home, id)?.and_then(|summary| summary.folder);
    match about.filter(|about| Path::new(about) != folder) {
        Some(about) => bail!("session {id} is about {about}; go there first: cd {}", quoted(&about)),
        None => Ok(id),
    }
}

/// The folder the person is in, by its real path.
pub(crate) fn here() -> anyhow::Result<PathBuf> {
    let folder = crate::environment::current_folder()?;
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
