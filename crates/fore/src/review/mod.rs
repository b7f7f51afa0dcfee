//! `fore review`: plans in a browser.

mod import;
mod library;
pub(crate) mod page;
pub(crate) mod run_page;

use crate::{
    headless::{
        self,
        args::{PrintArgs, ReviewArgs, ReviewCommand},
        launch,
    },
    pick,
    plans::StoredPlan,
    settings::Settings,
    terminal,
};
use anyhow::{Context, bail};
use fore_store::{Home, SessionId, session};
use std::{
    io::{self, IsTerminal},
    path::Path,
    process::ExitCode,
};

/// Sessions among which one is looked for whose plan waits.
const MAX_LOOKED_AT: usize = 200;

pub(crate) fn run(args: ReviewArgs, before: PrintArgs, given: Option<&str>) -> anyhow::Result<ExitCode> {
    let run = args.run.or(before.run.clone());
    if let Some(ReviewCommand::Import { file }) = &args.command {
        return import::run(file);
    }
    let home = crate::environment::own_home()?;
    if args.all {
        return library::run(home, given);
    }
    let session = waiting(&home, args.plan.as_deref(), given)?;
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        return terminal::review(PrintArgs { run, ..before }, session, given);
    }
    headless::review(run, session, given)
}

/// The session that asks about a plan.
fn waiting(home: &Home, plan: Option<&str>, given: Option<&str>) -> anyhow::Result<SessionId> {
    let folder = launch::here()?;
    let Some(word) = plan else { return newest(home, &folder) };
    let folders = launch::plan_folders(home, &Settings::load_here(given)?);
    let (plans, name) = pick::plan(home, &folders, word)?;
    let plan = StoredPlan::open(home, plans, name)?;
    plan.require_about(&folder)?;
    let session = plan.session().with_context(|| format!("the session of `{}` is gone", plan.stem()))?;
    if !session::overview(home, session)?.awaits_approval {
        bail!("`{}` does not await approval; `fore review --all` shows every plan to read", plan.stem());
    }
    Ok(session)
}

/// The newest session of this folder in which a plan waits.
fn newest(home: &Home, folder: &Path) -> anyhow::Result<SessionId> {
    let found = session::list(home, folder.to_str(), MAX_LOOKED_AT)?;
    let waits = |id: SessionId| session::overview(home, id).is_ok_and(|glance| glance.awaits_approval);
    found.iter().map(|summary| summary.session).find(|session| waits(*session)).context(
        "no plan awaits your approval here; `fore plan --review \"what to do\"` makes one, and `fore review --all` shows all plans",
    )
}
