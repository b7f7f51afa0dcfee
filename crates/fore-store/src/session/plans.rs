//! A session's plan: its name, its file and its revisions. The old text is kept before a new one takes its place.

use crate::{
    claim::Claim,
    entry::SessionId,
    error::{Result, StoreError},
    plan_file::PlanReading,
    replace::Occupied,
    revisions,
    session::{Session, SessionFolders},
};
use fore_plan::{
    Applied, Change,
    plan::{Author, Hash, PlanFileName, PlanId, PlanRecord, PlanStage, Slug},
};
use std::path::{Path, PathBuf};

/// How often a free name is looked for before giving up.
const MAX_NAMES_TRIED: usize = 10;

/// Names without end.
pub fn random_slugs() -> impl Iterator<Item = Slug> {
    std::iter::repeat_with(|| Slug::from_seed(uuid::Uuid::now_v7().as_u64_pair().1))
}

/// The first of a few names that no session has and no file bears.
pub(super) fn claim_free(
    places: &SessionFolders,
    session: SessionId,
    slugs: impl IntoIterator<Item = Slug>,
) -> Result<(Claim, PlanFileName)> {
    for slug in slugs.into_iter().take(MAX_NAMES_TRIED) {
        let Some(claim) = Claim::take(&places.home, &slug, session)? else { continue };
        let name = PlanFileName::Main(slug);
        // Looked at under the claim: a file that is free now stays free.
        if !places.plans.is_taken(&name)? {
            return Ok((claim, name));
        }
    }
    Err(StoreError::NoFreeName { tried: MAX_NAMES_TRIED })
}

/// The change that gives a session its next plan.
pub(super) fn naming(places: &SessionFolders, session: SessionId, ordinal: u32, name: &PlanFileName) -> Result<Change> {
    let path = places.plans.path_of(name);
    let path = path.to_str().ok_or_else(|| StoreError::NotUnicode { path: path.clone() })?.to_owned();
    Ok(Change::PlanNamed { plan: PlanId { session: session.to_string(), ordinal }, path })
}

impl Session {
    /// Gives the session a new plan under the first free name. An earlier plan keeps its file.
    pub fn name_plan(&mut self, slugs: impl IntoIterator<Item = Slug>) -> Result<PathBuf> {
        let (claim, name) = claim_free(&self.places, self.id, slugs)?;
        let naming = naming(&self.places, self.id, self.state.plans().saturating_add(1), &name)?;
        self.must_record(naming)?;
        self.claim = Some(claim);
        Ok(self.places.plans.path_of(&name))
    }

    /// Replaces the plan's text and records it as a revision. What stood there is kept, also if we did not write it.
    pub fn save_plan(&mut self, author: Author, text: &str) -> Result<Hash> {
        let plan = self.current_plan()?;
        let (folder, name) = self.places.plans.of_recorded(&self.places.home, Path::new(&plan.path))?;
        match folder.read_named(&name) {
            PlanReading::Missing => {}
            PlanReading::Text(old) => self.record_revision(&plan, Author::Other, &old)?,
            PlanReading::Unreadable(error) => return Err(error),
            PlanReading::TooLarge { bytes } => {
                let most = fore_plan::plan::MAX_PLAN_BYTES;
                return Err(StoreError::PlanTooLarge { path: plan.path.into(), bytes, max: most });
            }
        }
        revisions::keep(&self.places.home.revisions, text)?;
        let hash = folder.write_named(&name, text, Occupied::Replace)?;
        let plan = self.current_plan()?;
        self.record_revision(&plan, author, text)?;
        Ok(hash)
    }

    /// Puts a text that is recorded already into the plan file. What stood there is kept by its hash, whoever wrote it.
    pub fn put_plan_in_file(&mut self, text: &str) -> Result<()> {
        let plan = self.current_plan()?;
        let (folder, name) = self.places.plans.of_recorded(&self.places.home, Path::new(&plan.path))?;
        if let PlanReading::Text(old) = folder.read_named(&name)
            && old != text
        {
            let hash = revisions::keep(&self.places.home.revisions, &old)?;
            self.note("plan", &format!("the plan file held another text, which is kept as {hash}"))?;
        }
        folder.write_named(&name, text, Occupied::Replace).map(drop)
    }

    /// Notes what was found in the plan file: what nobody has recorded was written by somebody else, and the model is to
    /// hear of it. Gives whether it is news. It never changes what counts as approved.
    pub fn note_plan_found(&mut self, text: &str) -> Result<bool> {
        let is_over = |plan: &PlanRecord| matches!(plan.stage, PlanStage::Done | PlanStage::Abandoned);
        let Some(plan) = self.state.plan().filter(|plan| !is_over(plan)).cloned() else { return Ok(false) };
        let hash = Hash::of(text.as_bytes());
        if plan.next_revision(hash, Author::Other).is_none() {
            return Ok(false);
        }
        self.record_revision(&plan, Author::Other, text)?;
        if plan.receipt.is_some() && plan.counts() == Some(hash) {
            // It holds again what was approved.
            return Ok(false);
        }
        self.must_record(Change::PlanEditedOutside { plan: plan.id })?;
        Ok(true)
    }

    /// After damage the entry of the newest revision may be lost. A text that we keep under its hash was recorded once, so
    /// nobody is said to have changed the file; it is a revision again, of which nobody knows any more who wrote it.
    pub(super) fn note_lost_revision(&mut self, plan: &PlanRecord, text: &str) -> Result<bool> {
        let was_recorded = revisions::text(&self.places.home.revisions, Hash::of(text.as_bytes()))?.is_some();
        if was_recorded {
            self.note_recovered(plan, text)?;
        }
        Ok(was_recorded)
    }

    /// A text of the plan that the transcript gave back is its newest revision again.
    pub(super) fn note_recovered(&mut self, plan: &PlanRecord, text: &str) -> Result<()> {
        self.record_revision(plan, Author::Other, text)
    }

    /// The text with this hash: what is kept under it, else a copy of the same bytes in the transcript. Never the plan file.
    pub fn plan_text(&self, hash: Hash) -> Option<String> {
        let copies = [
            revisions::text(&self.places.home.revisions, hash).ok().flatten(),
            self.traces.snapshot.as_ref().map(|snapshot| snapshot.text.clone()),
            self.state.pending().map(|pending| pending.text.clone()),
            self.state.plan().and_then(|plan| plan.seen.as_ref()).map(|seen| seen.text.clone()),
        ];
        copies.into_iter().flatten().find(|text| Hash::of(text.as_bytes()) == hash)
    }

    /// The plan as it is on disk; none if no plan has a name yet. Trouble with it is noted in the transcript.
    pub fn read_plan(&mut self) -> Option<PlanReading> {
        let plan = self.state.plan()?;
        let reading = match self.places.plans.of_recorded(&self.places.home, Path::new(&plan.path)) {
            Ok((folder, name)) => folder.read_named(&name),
            Err(error) if error.is_missing() => PlanReading::Missing,
            Err(error) => PlanReading::Unreadable(error),
        };
        if let Some(trouble) = reading.trouble() {
            let _ = self.note("plan", &trouble);
        }
        Some(reading)
    }

    /// Keeps a text under its hash, as every plan that somebody may approve.
    pub fn keep_text(&self, text: &str) -> Result<Hash> {
        revisions::keep(&self.places.home.revisions, text)
    }

    fn record_revision(&mut self, plan: &PlanRecord, author: Author, text: &str) -> Result<()> {
        match plan.next_revision(Hash::of(text.as_bytes()), author) {
            Some(revision) => {
                self.must_record(Change::PlanWritten { plan: plan.id.clone(), revision, text: text.to_owned() })
            }
            None => Ok(()),
        }
    }

    fn current_plan(&self) -> Result<PlanRecord> {
        let plan = self.state.plan().cloned();
        plan.ok_or_else(|| StoreError::Refused("this session has no plan yet; name one first".into()))
    }

    pub(super) fn must_record(&mut self, change: Change) -> Result<()> {
        match self.record(change)? {
            Applied::Yes => Ok(()),
            Applied::Ignored(why) => Err(StoreError::Refused(why.to_owned())),
        }
    }
}
