//! The session's plan file: named when it is first needed, watched for changes, and every version kept as a revision.
//!
//! The file is the working draft. What was shown or approved is taken by its hash, never from the file.

use super::session_context::{SessionContext, lock};
use crate::event::{Event, NoticeLevel};
use fore_plan::{
    Change, State,
    approval::OnDisk,
    plan::{Author, Hash, diff},
};
use fore_store::{StoreError, plan_file::PlanReading, session::random_slugs};

/// Lines of the difference to the last text a person saw.
const MAX_DIFF_LINES: usize = 400;

/// What changed since the text a person saw, as unified text; empty if nothing did, or if they saw none.
pub(crate) fn changed_since(shown: Option<&str>, text: &str) -> String {
    let shown = shown.filter(|shown| *shown != text);
    shown.map_or_else(String::new, |shown| diff::diff(shown, text).unified(MAX_DIFF_LINES))
}

/// Lines of a difference in a notice.
const MAX_NOTICE_LINES: usize = 20;

/// What the person is told of a change that neither they nor the model made through us.
fn changed_notice(state: &State, difference: &str) -> String {
    let is_approved = state.plan().is_some_and(|plan| plan.receipt.is_some());
    let meaning = if is_approved {
        "What you approved still counts, and the model is told so."
    } else {
        "You will see it before anything is approved, and the model is told."
    };
    let lines: Vec<&str> = difference.lines().take(MAX_NOTICE_LINES).collect();
    let more = if difference.lines().count() > lines.len() { "\n…" } else { "" };
    format!(
        "The plan file was changed, neither by the model nor by you in Forethought. {meaning}\n{}{more}",
        lines.join("\n")
    )
}

/// What the person is told when the bytes that they approved are gone.
pub(crate) fn lost_notice(hash: Hash) -> String {
    format!(
        "The text of the approved plan ({}) is missing or damaged, and its file does not count instead. Plan again and \
         approve what is to be done.",
        hash.short()
    )
}

/// The plan file as it was found.
#[derive(Debug)]
pub(crate) enum FoundPlan {
    Missing,
    Unreadable(String),
    Text(String),
}

impl FoundPlan {
    pub(crate) fn on_disk(&self) -> OnDisk<'_> {
        match self {
            FoundPlan::Missing => OnDisk::Missing,
            FoundPlan::Unreadable(why) => OnDisk::Unreadable { why },
            FoundPlan::Text(text) => OnDisk::Text(text),
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            FoundPlan::Text(text) => Some(text),
            FoundPlan::Missing | FoundPlan::Unreadable(_) => None,
        }
    }
}

impl SessionContext {
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

    pub(crate) fn read_plan(&self) -> FoundPlan {
        match lock(&self.session).read_plan() {
            None | Some(PlanReading::Missing) => FoundPlan::Missing,
            Some(PlanReading::Text(text)) => FoundPlan::Text(text),
            Some(PlanReading::Unreadable(error)) => FoundPlan::Unreadable(error.to_string()),
            Some(PlanReading::TooLarge { bytes }) => {
                FoundPlan::Unreadable(format!("it has {bytes} bytes, which is too much"))
            }
        }
    }

    /// After a call of the model's that was allowed to write the plan: its text becomes a revision (K4). `is_models` knows the
    /// model's own bytes; what else is there was put there by somebody else.
    pub(crate) fn note_plan_written(&self, is_models: impl Fn(&str) -> bool) {
        let found = self.read_plan();
        let state = self.state();
        let (Some(plan), Some(text)) = (state.plan(), found.text()) else { return };
        if !is_models(text) {
            return self.note_plan_found(&found);
        }
        if let Some(revision) = plan.next_revision(Hash::of(text.as_bytes()), Author::Model) {
            self.must_record(Change::PlanWritten { plan: plan.id.clone(), revision, text: text.to_owned() });
        }
    }

    /// Looks at the plan file: did somebody change it whom we know nothing of?
    pub(crate) fn refresh_plan(&self) -> FoundPlan {
        let found = self.read_plan();
        self.note_plan_found(&found);
        found
    }

    /// What was found in the plan file: a text that nobody has recorded is said to the person and, later, to the model.
    pub(crate) fn note_plan_found(&self, found: &FoundPlan) {
        let Some(text) = found.text() else { return };
        let before = self.what_counts();
        let noted = lock(&self.session).note_plan_found(text);
        match noted {
            Ok(false) => {}
            Ok(true) => {
                let difference = changed_since(Some(&before.unwrap_or_default()), text);
                self.notice(NoticeLevel::Warning, changed_notice(&self.state(), &difference));
            }
            Err(error) => self.notice(NoticeLevel::Error, error.to_string()),
        }
    }

    /// The text that counts, by its hash: what was approved, else the newest revision. None when there is none, or when its
    /// bytes are gone; the file never stands in for them.
    pub(crate) fn what_counts(&self) -> Option<String> {
        let session = self.session();
        let hash = session.state().plan().and_then(fore_plan::plan::PlanRecord::counts)?;
        session.plan_text(hash)
    }

    /// The text with this hash.
    pub(crate) fn plan_text(&self, hash: Option<Hash>) -> Option<String> {
        self.session().plan_text(hash?)
    }

    /// Puts a text that is recorded already into the plan file. The bytes are kept by their hash, so trouble with the file
    /// is told and undoes nothing.
    pub(crate) fn put_plan_in_file(&self, text: &str) {
        let put = lock(&self.session).put_plan_in_file(text);
        if let Err(error) = put {
            let text = format!("The plan counts as you decided, but its file could not be written: {error}");
            self.notice(NoticeLevel::Warning, text);
        }
    }

    /// The person changed the plan in the editor that we started; what stood there meanwhile is kept as a revision.
    pub(crate) fn plan_edited(&self, text: &str) {
        let Some(id) = self.state().plan().map(|plan| plan.id.clone()) else {
            return self.notice(NoticeLevel::Warning, "There is no plan that could be edited.");
        };
        self.refresh_plan();
        let before = self.plan_hash();
        match self.save_plan(Author::Person, text) {
            Ok(hash) if before == Some(hash) => {}
            Ok(_) => self.must_record(Change::PlanEditedOutside { plan: id }),
            Err(error) => self.notice(NoticeLevel::Error, format!("Your text was not saved: {error}")),
        }
    }

    /// Replaces the plan's text.
    pub(crate) fn save_plan(&self, author: Author, text: &str) -> Result<Hash, StoreError> {
        lock(&self.session).save_plan(author, text)
    }

    /// The plan as an event: what was approved once something was, else the file.
    pub(crate) fn show_plan(&self) {
        let path = self.plan_path();
        let found = self.refresh_plan();
        if let FoundPlan::Unreadable(why) = &found {
            self.notice(NoticeLevel::Warning, format!("The plan cannot be read: {why}"));
        }
        let state = self.state();
        let receipt = state.plan().and_then(|plan| plan.receipt.as_ref());
        let (text, changed) = match receipt {
            None => {
                let text = found.text().map(str::to_owned);
                let waits = state.pending().map(|pending| pending.text.as_str());
                let seen = || state.plan().and_then(|plan| plan.seen.as_ref()).map(|seen| seen.text.as_str());
                let changed = text.as_deref().map(|text| changed_since(waits.or_else(seen), text));
                (text, changed.unwrap_or_default())
            }
            Some(receipt) => {
                let text = self.plan_text(Some(receipt.hash));
                if text.is_none() {
                    self.notice(NoticeLevel::Error, lost_notice(receipt.hash));
                }
                let changed = text.as_deref().zip(found.text()).map(|(text, file)| changed_since(Some(text), file));
                (text, changed.unwrap_or_default())
            }
        };
        let hash = text.as_ref().map(|text| Hash::of(text.as_bytes()));
        self.events.send(Event::Plan { path, text, hash, changed });
    }

    /// The hash of the newest revision, to tell whether a turn wrote the plan.
    pub(crate) fn plan_hash(&self) -> Option<Hash> {
        let session = self.session();
        session.state().plan().and_then(|plan| plan.revision.as_ref()).map(|revision| revision.hash)
    }
}
