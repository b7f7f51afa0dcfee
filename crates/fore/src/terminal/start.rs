//! Reads what the terminal begins with. Fast: no model is looked for and no session is opened before the first frame.

use super::{appearance, host::HostProgram, notify};
use crate::{
    headless::{args::PrintArgs, launch},
    models,
    settings::{KeyBinding, LocationState, Settings, Trust},
};
use anyhow::{Context, bail};
use fore_agent::Begin;
use fore_plan::{Mode, Openings};
use fore_store::{Home, tips};
use fore_tui::{DisplayMode, FirstRunFacts, FolderTrust, InitialSession, Keymap, Options};
use std::{collections::BTreeMap, path::Path, sync::Arc};

/// What the terminal begins with, and what it can ask for later.
pub(super) fn read(args: PrintArgs, given: Option<&str>, reviews: bool) -> anyhow::Result<(Options, Arc<HostProgram>)> {
    let folder = launch::here()?;
    let settings = Settings::load(&folder, given)?;
    let home = Arc::new(crate::environment::own_home()?);
    let options = Options {
        start: start(&args, &settings, &home, &folder)?,
        display: look(args.plain || settings.written.plain),
        theme: appearance::theme(settings.written.theme, &crate::environment::text),
        narrowing: appearance::narrowing(&crate::environment::text),
        keys: keys(&settings)?,
        // Who says which model to use has met this program before.
        first_run: if args.run.model.is_some() { None } else { first_run(&settings, &home)? },
        notices: settings.all_warnings().map(str::to_owned).chain(settings.differences()).collect(),
        project: settings.project.clone(),
        folder: folder.clone(),
        reviews,
        version: env!("CARGO_PKG_VERSION"),
        shows_cost: settings.written.budget.in_status_line,
        notify: notify::options(&settings.written.notify, &crate::environment::text),
        prompt: args.prompt.filter(|prompt| !prompt.trim().is_empty()),
    };
    let program = HostProgram::new(folder, home, settings, args.run, args.mode, given.map(str::to_owned));
    Ok((options, Arc::new(program)))
}

/// The session that is meant. What is asked for and cannot be is said now, while there is no screen to tidy up.
fn start(args: &PrintArgs, settings: &Settings, home: &Home, folder: &Path) -> anyhow::Result<InitialSession> {
    let mode = args.mode;
    let openings = openings(settings, args);
    if let Some(Mode::At(level)) = mode {
        launch::require(settings, openings, level)?;
    }
    if let Some(word) = &args.fork {
        return Ok(InitialSession::With(Begin::Fork { session: launch::session_of(home, folder, word)?, mode }));
    }
    Ok(match (&args.resume, args.go_on) {
        (Some(Some(word)), _) => {
            InitialSession::With(Begin::Resume { session: launch::session_of(home, folder, word)?, mode })
        }
        (Some(None), _) => {
            let (used, _) = launch::used(home, folder)?;
            used.with_context(|| {
                format!("there is no session of {} yet; `fore sessions --all` lists the others", folder.display())
            })?;
            InitialSession::Pick { mode }
        }
        (None, true) => InitialSession::With(Begin::Resume { session: launch::newest(home, folder)?, mode }),
        (None, false) => {
            let (mode, _) = settings.starting_mode(mode, openings)?;
            InitialSession::With(Begin::Fresh { mode })
        }
    })
}

/// The levels that may be open, as far as can be told before the models are known. [`super::host::HostProgram`] decides with them.
fn openings(settings: &Settings, args: &PrintArgs) -> Openings {
    let handles = fore_agent::ModelHandles::one(fore_agent::ModelHandle::Scout);
    Openings { auto_gate_open: true, ..settings.openings(args.run.bypass(), &handles) }
}

fn look(wants_plain: bool) -> DisplayMode {
    let term = crate::environment::text("TERM").unwrap_or_default();
    if wants_plain || ["", "dumb"].contains(&term.as_str()) { DisplayMode::Plain } else { DisplayMode::Full }
}

/// The person's keys, if all of them are understood.
fn keys(settings: &Settings) -> anyhow::Result<BTreeMap<String, Vec<String>>> {
    let list = |keys: &KeyBinding| match keys {
        KeyBinding::One(key) => vec![key.clone()],
        KeyBinding::Several(keys) => keys.clone(),
    };
    let keys = settings.written.keys.iter().map(|(action, keys)| (action.clone(), list(keys))).collect();
    match Keymap::with(&keys) {
        Ok(_) => Ok(keys),
        Err(problems) => bail!("there is a mistake in the keys of your settings\n{}", problems.join("\n")),
    }
}

fn first_run(settings: &Settings, home: &Home) -> anyhow::Result<Option<FirstRunFacts>> {
    let has_settings = settings
        .places
        .iter()
        .any(|place| place.found == LocationState::Settings && !place.source.layer.is_of_the_repository());
    if has_settings || tips::is_welcomed(home)? {
        return Ok(None);
    }
    let folder = match settings.trust {
        Trust::Trusted(_) => FolderTrust::Trusted,
        Trust::Changed(_) | Trust::NotTrusted => FolderTrust::NotTrusted,
    };
    Ok(Some(FirstRunFacts { folder, missing: models::missing(&models::variable) }))
}
