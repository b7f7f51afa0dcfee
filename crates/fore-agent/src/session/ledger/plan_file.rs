//! The session's plan file: named when it is first needed, watched for changes, and every version kept as a revision.
//!
//! The file is the working draft. What was shown or approved is taken by its hash, never from the file.

use super::Ledger;
use super::plan_name::names_for;
use crate::event::{Event, NoticeLevel};
use crate::lock::lock;
use crate::session::history::shown_message::ShownBetween;
use fore_plan::{
    State,
    approval::OnDisk,
    plan::{Author, Hash, diff},
};
use fore_store::{StoreError, entry::Rehearsal, plan_file::PlanReading};

/// Letters of a prompt that a plan may be named after.
const MAX_TASK_LETTERS: usize = 400;
/// Lines of the difference to the last text a person saw.
const MAX_DIFF_LINES: usize = 400;

/// What changed since the text a person saw, as unified text; empty if nothing did, or if they saw none.
pub(crate) fn changed_since(shown: Option<&str>, text: &str) -> String {
    let shown = shown.filter(|shown| *shown != text);
    shown.map_or_else(String::new, |shown| diff(shown, text).unified(MAX_DIFF_LINES))
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

impl Ledger {
    /// The path of the plan that planning writes to now; a new plan gets a name and a file of its own.
    pub(crate) fn current_plan(&self) -> Result<String, StoreError> {
        let mut session = self.session();
        let unfinished = session.state().plan().filter(|plan| plan.stage.is_unfinished_planning());
        if let Some(plan) = unfinished {
            return Ok(plan.path.clone());
        }
        let path = session.name_plan(names_for(&lock(&self.task)))?;
        Ok(path.to_string_lossy().into_owned())
    }

    /// What the person wants done; a plan that gets a name now is named after it.
    pub(crate) fn set_task(&self, text: &str) {
        *lock(&self.task) = fore_text::cut::chars(text, MAX_TASK_LETTERS).to_owned();
    }

    pub(crate) fn read_plan(&self) -> PlanReading {
        self.session().read_plan().unwrap_or(PlanReading::Missing)
    }

    /// Looks at the plan file: did somebody change it whom we know nothing of?
    pub(crate) fn refresh_plan(&self) -> PlanReading {
        let found = self.read_plan();
        self.note_plan_found(&found);
        found
    }

    /// What was found in the plan file: a text that nobody has recorded is said to the person and, later, to the model.
    pub(crate) fn note_plan_found(&self, found: &PlanReading) {
        let Some(text) = found.text() else { return };
        let before = self.what_counts();
        let noted = self.session().note_plan_found(text);
        match noted {
            Ok(false) => {}
            Ok(true) => {
                let difference = changed_since(Some(&before.unwrap_or_default()), text);
                self.events.notice(NoticeLevel::Warning, changed_notice(&self.state(), &difference));
            }
            Err(error) => self.events.notice(NoticeLevel::Error, error.to_string()),
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
        let put = self.session().put_plan_in_file(text);
        if let Err(error) = put {
            let text = format!("The plan counts as you decided, but its file could not be written: {error}");
            self.events.notice(NoticeLevel::Warning, text);
        }
    }

    /// Replaces the plan's text.
    pub(crate) fn save_plan(&self, author: Author, text: &str) -> Result<Hash, StoreError> {
        self.session().save_plan(author, text)
    }

    /// The plan as an event: what was approved once something was, else the file.
    pub(crate) fn show_plan(&self) {
        let path = self.plan_path();
        let found = self.refresh_plan();
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
                    self.events.notice(NoticeLevel::Error, lost_notice(receipt.hash));
                }
                let changed = text.as_deref().zip(found.text()).map(|(text, file)| changed_since(Some(text), file));
                (text, changed.unwrap_or_default())
            }
        };
        let hash = text.as_ref().map(|text| Hash::of(text.as_bytes()));
        let unreadable = match found.on_disk() {
            OnDisk::Unreadable { why } => Some(why),
            OnDisk::Missing | OnDisk::Text(_) => None,
        };
        self.events.send(Event::Plan { path, text, hash, changed, unreadable });
    }

    /// Writes down what was tried while planning: evidence for whoever approves the plan (M3).
    pub(crate) fn note_rehearsal(&self, rehearsal: Rehearsal) {
        if !self.is_planning() {
            return;
        }
        let noted = self.session().note_rehearsal(rehearsal);
        if let Err(error) = noted {
            self.events.notice(NoticeLevel::Error, error.to_string());
        }
    }

    /// Writes down what the person was shown between messages, for the day the session is resumed.
    pub(crate) fn note_shown(&self, shown: &ShownBetween) {
        let Ok(shown) = serde_json::to_value(shown) else { return };
        let noted = self.session().note_shown(shown);
        if let Err(error) = noted {
            self.events.notice(NoticeLevel::Error, error.to_string());
        }
    }

    /// What was tried since planning began.
    pub(crate) fn rehearsals(&self) -> Vec<Rehearsal> {
        self.session().rehearsals().to_vec()
    }

    /// The hash of the newest revision, to tell whether a turn wrote the plan.
    pub(crate) fn plan_hash(&self) -> Option<Hash> {
        let session = self.session();
        session.state().plan().and_then(|plan| plan.revision.as_ref()).map(|revision| revision.hash)
    }

    /// The file of the current plan.
    pub(crate) fn plan_path(&self) -> Option<String> {
        self.session().state().plan().map(|plan| plan.path.clone())
    }
}
