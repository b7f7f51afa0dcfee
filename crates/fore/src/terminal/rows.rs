//! What the terminal lists: sessions, files. It only reads.

use crate::{
    console::one_line,
    format::ago,
    settings::{LocationState, Settings},
};
use fore_store::{
    Home, SessionId,
    session::{self, SessionSummary},
};
use fore_tui::SessionRow;
use std::path::{Path, PathBuf};

/// Sessions that are listed.
const MAX_SESSIONS: usize = 50;
/// Sessions that are looked at to find them.
const MAX_LOOKED_AT: usize = 200;
/// Letters of a first prompt that are shown.
const MAX_LETTERS: usize = 200;

/// Sessions of a folder in which something was said, newest first.
pub(super) fn sessions(home: &Home, folder: &Path) -> anyhow::Result<Vec<SessionRow>> {
    let found = session::list(home, folder.to_str(), MAX_LOOKED_AT)?;
    Ok(found.iter().filter_map(|summary| row(home, summary)).take(MAX_SESSIONS).collect())
}

fn row(home: &Home, summary: &SessionSummary) -> Option<SessionRow> {
    let glance = session::overview(home, summary.session).ok().filter(|glance| glance.prompts > 0)?;
    let start: String = glance.first_prompt.unwrap_or_default().chars().take(MAX_LETTERS).collect();
    Some(SessionRow {
        id: summary.session,
        about: one_line(&start),
        age: format!("{} ago", ago(summary.modified)),
        mode: glance.mode.to_string(),
        awaits_approval: glance.awaits_approval,
    })
}

/// The newest session of a folder that was used, if a plan waits for approval there.
pub(super) fn awaiting(home: &Home, folder: &Path) -> Option<SessionId> {
    let found = session::list(home, folder.to_str(), MAX_SESSIONS).ok()?;
    let glanced = found.iter().filter_map(|summary| Some((summary, session::overview(home, summary.session).ok()?)));
    let mut used = glanced.filter(|(_, glance)| glance.prompts > 0);
    used.next().filter(|(_, glance)| glance.awaits_approval).map(|(summary, _)| summary.session)
}

/// The files that a session is made of.
pub(super) fn files(home: &Home, settings: &Settings, id: SessionId) -> Vec<(String, PathBuf)> {
    let mut files = vec![("transcript".to_owned(), session::path_of(home, id))];
    let plans = session::overview(home, id).map_or_else(|_| Vec::new(), |glance| glance.plans);
    files.extend(plans.into_iter().map(|plan| ("plan".to_owned(), PathBuf::from(plan.path))));
    let written = settings.places.iter().filter(|place| place.found == LocationState::Settings);
    files.extend(
        written.filter_map(|place| Some((format!("{} settings", place.source.layer.name()), place.path.clone()?))),
    );
    files
}
