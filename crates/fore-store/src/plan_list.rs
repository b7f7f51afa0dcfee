//! The plans that are on disk: listed, looked at, removed. A plan that a live session works on stays where it is.

use crate::{
    claim::Claim,
    entry::SessionId,
    error::{Result, StoreError},
    folder::Access,
    home::Home,
    plan_file::{PlanFolder, PlanReading},
    revisions,
    session::{PlanHistory, SessionOverview, overview},
};
use fore_plan::{
    approval::Timestamp,
    plan::{Hash, PlanFileName, Slug},
};
use std::{collections::HashMap, io::Read, path::PathBuf};

/// Files looked at in a folder.
const MAX_FILES: usize = 20_000;
/// How far into a plan its title is looked for.
const MAX_TITLE_BYTES: u64 = 4096;
const MAX_TITLE_CHARS: usize = 200;

/// A plan as a line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanSummary {
    /// The name of its file.
    pub name: PlanFileName,
    /// Where that is.
    pub path: PathBuf,
    /// None when the file is gone and only its revisions are left.
    pub file: Option<PlanFileFacts>,
    /// Its first line with words, without the signs of a heading.
    pub title: String,
    /// The session that made it, if its transcript is still there.
    pub session: Option<SessionId>,
    /// The workspace of that session.
    pub folder: Option<String>,
    /// Its revisions, if that transcript is still there.
    pub history: Option<PlanHistory>,
}

/// What the disk says of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanFileFacts {
    /// When it was written last.
    pub modified: Timestamp,
    /// How long it is.
    pub bytes: u64,
}

/// The names of all plans in a folder, in no order.
pub fn names(folder: &PlanFolder) -> Result<Vec<PlanFileName>> {
    Ok(folder.folder().names(MAX_FILES)?.iter().filter_map(|name| name.parse().ok()).collect())
}

/// At most `most` plans of a folder, newest first.
pub fn list(home: &Home, folder: &PlanFolder, most: usize) -> Result<Vec<PlanSummary>> {
    let mut found = Vec::new();
    for name in names(folder)? {
        if let Some(facts) = folder.folder().facts(&name.to_string())? {
            found.push((facts.modified_ms, name));
        }
    }
    found.sort_by_key(|(modified, name)| (std::cmp::Reverse(*modified), name.to_string()));
    let mut sessions = OverviewCache { home, seen: HashMap::new() };
    found.into_iter().take(most).map(|(_, name)| summary(folder, name, &mut sessions)).collect()
}

/// One plan, by its name; also one whose file is gone, as long as its session knows it.
pub fn find(home: &Home, folder: &PlanFolder, name: &PlanFileName) -> Result<Option<PlanSummary>> {
    let found = summary(folder, name.clone(), &mut OverviewCache { home, seen: HashMap::new() })?;
    Ok(Some(found).filter(|plan| plan.file.is_some() || plan.history.is_some()))
}

/// The text of a revision, by its hash.
pub fn revision_text(home: &Home, hash: Hash) -> Result<Option<String>> {
    revisions::text(&home.revisions, hash)
}

/// Removes a plan file. Its text is kept as a revision; a plan that a live session works on is refused.
pub fn remove(home: &Home, folder: &PlanFolder, name: &PlanFileName) -> Result<()> {
    let slug = slug_of(name);
    let in_use = || {
        let session = Claim::owner(home, slug).map_or_else(|| "another process".into(), |id| format!("session {id}"));
        StoreError::Refused(format!("{session} is working on the plan `{slug}`; end it first"))
    };
    // Held until the file is gone, so that no session begins to use it meanwhile.
    let _claim = Claim::hold(home, slug)?.ok_or_else(in_use)?;
    if let PlanReading::Text(text) = folder.read(name) {
        revisions::keep(&home.revisions, &text)?;
    }
    folder.folder().require_plain_or_free(&name.to_string())?;
    folder.folder().remove(&name.to_string())?;
    folder.folder().sync()
}

fn slug_of(name: &PlanFileName) -> &Slug {
    match name {
        PlanFileName::Main(slug) | PlanFileName::Agent(slug, _) => slug,
    }
}

/// Sessions that were looked at already: several plans may come from one.
struct OverviewCache<'a> {
    home: &'a Home,
    seen: HashMap<SessionId, Option<SessionOverview>>,
}

impl OverviewCache<'_> {
    fn of(&mut self, slug: &Slug) -> Option<(SessionId, &SessionOverview)> {
        let owner = Claim::owner(self.home, slug)?;
        let glance = self.seen.entry(owner).or_insert_with(|| overview(self.home, owner).ok());
        Some((owner, glance.as_ref()?))
    }
}

fn summary(folder: &PlanFolder, name: PlanFileName, sessions: &mut OverviewCache<'_>) -> Result<PlanSummary> {
    let path = folder.path_of(&name);
    let facts = folder.folder().facts(&name.to_string())?;
    let owner = sessions.of(slug_of(&name));
    let history = owner.and_then(|(_, glance)| {
        glance.plans.iter().rev().find(|plan| path.to_str() == Some(plan.path.as_str())).cloned()
    });
    Ok(PlanSummary {
        title: title(folder, &name),
        session: owner.map(|(id, _)| id),
        folder: owner.and_then(|(_, glance)| glance.header.as_ref()).map(|header| header.folder.clone()),
        file: facts.map(|facts| PlanFileFacts { modified: Timestamp(facts.modified_ms), bytes: facts.bytes }),
        history,
        name,
        path,
    })
}

fn title(folder: &PlanFolder, name: &PlanFileName) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = folder.folder().file(&name.to_string(), Access::Read) {
        // A title that cannot be read is no title: the list goes on.
        let _ = file.take(MAX_TITLE_BYTES).read_to_end(&mut bytes);
    }
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| !line.is_empty());
    line.unwrap_or_default().chars().take(MAX_TITLE_CHARS).collect()
}
