//! The session's plan file: named when it is first needed, watched for changes, and every version kept as a revision.

use super::desk::{Desk, lock};
use crate::event::{Event, NoticeLevel};
use fore_plan::{
    Change,
    approval::OnDisk,
    plan::{Author, Hash, diff},
};
use fore_store::{StoreError, plan_file::PlanReading, session::random_slugs};

/// Lines of the difference to the last text a person saw.
const MOST_DIFF_LINES: usize = 400;

/// What changed since the text a person saw, as unified text; empty if nothing did, or if they saw none.
pub(crate) fn changed_since(shown: Option<&str>, text: &str) -> String {
    let shown = shown.filter(|shown| *shown != text);
    shown.map_or_else(String::new, |shown| diff::diff(shown, text).unified(MOST_DIFF_LINES))
}

/// The plan file as it was found.
#[derive(Debug)]
pub(crate) enum Found {
    Missing,
    Unreadable(String),
    Text(String),
}

impl Found {
    pub(crate) fn on_disk(&self) -> OnDisk<'_> {
        match self {
            Found::Missing => OnDisk::Missing,
            Found::Unreadable(why) => OnDisk::Unreadable { why },
            Found::Text(text) => OnDisk::Text(text),
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Found::Text(text) => Some(text),
            Found::Missing | Found::Unreadable(_) => None,
        }
    }
}

impl Desk {
    /// The path of the plan that planning writes to now; a new plan gets a name and a file of its own.
    pub(crate) fn current_plan(&self) -> Result<String, StoreError> {
        let mut session = lock(&self.session);
        let unfinished = session.state().plan().filter(|plan| plan.stage.is_unfinished_planning());
        if let Some(plan) = unfinished {
            return Ok(plan.path.clone());
        }
        let path = session.name_plan(random_slugs())?;
        Ok(path.to_string_lossy().into_owned())
    }

    pub(crate) fn read_plan(&self) -> Found {
        match lock(&self.session).read_plan() {
            None | Some(PlanReading::Missing) => Found::Missing,
            Some(PlanReading::Text(text)) => Found::Text(text),
            Some(PlanReading::Unreadable(error)) => Found::Unreadable(error.to_string()),
            Some(PlanReading::TooLarge { bytes }) => {
                Found::Unreadable(format!("it has {bytes} bytes, which is too much"))
            }
        }
    }

    /// After a call of the model's that may have written the plan: its new text becomes a revision (K4).
    pub(crate) fn note_plan_written(&self) {
        self.note_revision(Author::Model);
    }

    /// Before the model hears the next prompt: did the person change the plan file in the meantime?
    pub(crate) fn note_plan_edited_outside(&self) {
        if let Some(plan) = self.note_revision(Author::Person) {
            self.must_record(Change::PlanEditedOutside { plan });
        }
    }

    /// Records what is in the file if it is not the newest revision; gives the plan it belongs to.
    fn note_revision(&self, author: Author) -> Option<fore_plan::plan::PlanId> {
        let plan = self.session().state().plan().cloned()?;
        let text = self.read_plan().text()?.to_owned();
        let revision = plan.next_revision(Hash::of(text.as_bytes()), author)?;
        let id = plan.id.clone();
        self.must_record(Change::PlanWritten { plan: plan.id, revision, text });
        Some(id)
    }

    /// Replaces the plan's text.
    pub(crate) fn save_plan(&self, author: Author, text: &str) -> Result<Hash, StoreError> {
        lock(&self.session).save_plan(author, text)
    }

    /// The plan as an event.
    pub(crate) fn show_plan(&self) {
        let path = self.plan_path();
        let found = self.read_plan();
        if let Found::Unreadable(why) = &found {
            self.notice(NoticeLevel::Warning, format!("The plan cannot be read: {why}"));
        }
        let text = found.text().map(str::to_owned);
        let hash = text.as_ref().map(|text| Hash::of(text.as_bytes()));
        let state = self.state();
        let waits = state.pending().map(|pending| pending.text.as_str());
        let seen = || state.plan().and_then(|plan| plan.seen.as_ref()).map(|seen| seen.text.as_str());
        let changed = text.as_deref().map(|text| changed_since(waits.or_else(seen), text)).unwrap_or_default();
        self.outbox.send(Event::Plan { path, text, hash, changed });
    }

    /// The hash of the newest revision, to tell whether a turn wrote the plan.
    pub(crate) fn plan_hash(&self) -> Option<Hash> {
        let session = self.session();
        session.state().plan().and_then(|plan| plan.revision.as_ref()).map(|revision| revision.hash)
    }
}
