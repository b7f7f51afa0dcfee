//! Going on with a session: everything as it was left, the plan found again, and never a weaker mode.

use crate::{
    claim::Claim,
    entry::SessionId,
    error::{Result, StoreError},
    fold::{FoldReport, PlanTraces},
    home::Home,
    plan_file::PlanReading,
    replace::Occupied,
    revisions,
    session::{Session, SessionFolders},
    transcript::Transcript,
};
use fore_plan::{
    Actor, Change, ModeReason, ModeTarget, Openings,
    plan::{Hash, PlanFileName, PlanRecord, PlanStage},
    transition,
};
use std::path::Path;

/// What was met on the way.
#[derive(Debug)]
pub struct Resumed {
    /// How well the transcript could be read.
    pub report: FoldReport,
    /// What became of the plan file.
    pub plan: PlanOnResume,
    /// Saved entries were lost to damage, and one of them may have begun planning: so planning is on.
    pub planning_because_of_damage: bool,
}

/// What became of the plan file.
#[derive(Debug)]
pub enum PlanOnResume {
    /// The session has none, or one that nothing was written to.
    None,
    /// It is there, with the bytes that were recorded last.
    AsRecorded,
    /// Somebody changed it; their text is kept as a revision and stays in place. What was approved counts all the same.
    ChangedOutside,
    /// It was gone and is back.
    Recovered {
        /// Where its text was found.
        from: RecoveredFrom,
    },
    /// It is gone, the plan is over, and it stays gone.
    NotNeeded,
    /// It is gone and no copy was found.
    Lost,
    /// Something is in its place that is not ours to touch, or its folder cannot be used.
    Unavailable(StoreError),
}

/// Where a lost plan was found, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveredFrom {
    /// By its hash.
    Revision,
    /// In the entry of a revision.
    Snapshot,
    /// In the call that handed it in.
    ExitInput,
    /// In the message that work on it began with.
    FirstMessage,
    /// In a reminder that quoted it.
    Reference,
}

/// Opens a session to go on with it.
pub fn resume(places: &SessionFolders, id: SessionId) -> Result<(Session, Resumed)> {
    let (transcript, folded) = Transcript::open(&places.home.sessions, id)?;
    if folded.report.entries == 0 {
        return Err(StoreError::Empty { path: transcript.path().to_owned() });
    }
    let report = folded.report.clone();
    let mut session = Session::over(places, id, transcript, folded)?;
    if !report.is_clean() {
        session.note("repair", &report.to_string())?;
    }
    session.close_bypass()?;
    let planning_because_of_damage = session.plan_after_damage(&report)?;
    session.claim_again()?;
    let plan = session.find_plan(&report)?;
    Ok((session, Resumed { report, plan, planning_because_of_damage }))
}

impl Session {
    /// Permission to bypass belongs to one start of the program: whoever starts it again gives it again.
    fn close_bypass(&mut self) -> Result<()> {
        let openings = *self.state.openings();
        if !openings.bypass_permitted {
            return Ok(());
        }
        let openings = Openings { bypass_permitted: false, ..openings };
        self.must_record(Change::Openings { openings, by: Actor::Settings })
    }

    /// A lost entry may have been the one that began planning, so planning is on until the person says otherwise.
    fn plan_after_damage(&mut self, report: &FoldReport) -> Result<bool> {
        if !report.has_lost_entries() {
            return Ok(false);
        }
        match transition(&self.state, ModeTarget::Plan, Actor::Settings, ModeReason::Damage) {
            Ok(Some(change)) => self.must_record(change).map(|()| true),
            Ok(None) => Ok(false),
            Err(refusal) => Err(StoreError::Refused(refusal.reason)),
        }
    }

    fn claim_again(&mut self) -> Result<()> {
        let Some(plan) = self.state.plan() else { return Ok(()) };
        let name = Path::new(&plan.path).file_name().and_then(|name| name.to_str()).map(str::parse);
        let Some(Ok(PlanFileName::Main(slug))) = name else { return Ok(()) };
        let claim = Claim::take(&self.places.home, &slug, self.id)?;
        let taken =
            || StoreError::Refused(format!("another session has the plan name `{slug}`; fork this one instead"));
        self.claim = Some(claim.ok_or_else(taken)?);
        Ok(())
    }

    fn find_plan(&mut self, report: &FoldReport) -> Result<PlanOnResume> {
        let Some(plan) = self.state.plan().cloned() else { return Ok(PlanOnResume::None) };
        let (folder, name) = match self.places.plans.of_recorded(&self.places.home, Path::new(&plan.path)) {
            Ok(found) => found,
            Err(error) => return Ok(PlanOnResume::Unavailable(error)),
        };
        let text = match folder.read_named(&name) {
            PlanReading::Text(text) => {
                // Put back from the transcript earlier, and not written since.
                let is_ours = || recover(&self.places.home, &plan, &self.traces).is_some_and(|(_, ours)| ours == text);
                let is_known = plan.revision.is_none() && is_ours();
                if !is_known
                    && plan.receipt.is_none()
                    && report.has_lost_entries()
                    && self.note_lost_revision(&plan, &text)?
                {
                    return Ok(PlanOnResume::AsRecorded);
                }
                let is_news = !is_known && self.note_plan_found(&text)?;
                return Ok(if is_news { PlanOnResume::ChangedOutside } else { PlanOnResume::AsRecorded });
            }
            PlanReading::Missing => match recover(&self.places.home, &plan, &self.traces) {
                _ if matches!(plan.stage, PlanStage::Done | PlanStage::Abandoned) => {
                    return Ok(PlanOnResume::NotNeeded);
                }
                None if plan.revision.is_none() => return Ok(PlanOnResume::None),
                None => return Ok(PlanOnResume::Lost),
                Some(found) => found,
            },
            PlanReading::Unreadable(error) => return Ok(PlanOnResume::Unavailable(error)),
            PlanReading::TooLarge { bytes } => {
                let most = fore_plan::plan::MAX_PLAN_BYTES;
                let error = StoreError::PlanTooLarge { path: plan.path.into(), bytes, max: most };
                return Ok(PlanOnResume::Unavailable(error));
            }
        };
        let (from, text) = text;
        match folder.write_named(&name, &text, Occupied::Refuse) {
            Ok(_) => {}
            Err(error) => return Ok(PlanOnResume::Unavailable(error)),
        }
        if plan.receipt.is_none() {
            // The entry of this text may be lost too; it is back all the same, and nobody is said to have changed it.
            self.note_recovered(&plan, &text)?;
        }
        self.note("plan", &format!("the plan file was gone and is back from: {from:?}"))?;
        Ok(PlanOnResume::Recovered { from })
    }
}

/// The best copy of the plan. Of one that was approved only the very bytes count; of a draft the newest that there is.
pub(super) fn recover(home: &Home, plan: &PlanRecord, traces: &PlanTraces) -> Option<(RecoveredFrom, String)> {
    let wanted = plan.counts();
    let kept = wanted.and_then(|hash| revisions::text(&home.revisions, hash).ok().flatten());
    let sound = traces.snapshot.as_ref().filter(|snapshot| snapshot.is_sound());
    let sources = [
        (RecoveredFrom::Revision, kept),
        (RecoveredFrom::Snapshot, sound.map(|snapshot| snapshot.text.clone())),
        (RecoveredFrom::ExitInput, traces.exit_input.clone()),
        (RecoveredFrom::FirstMessage, traces.first_message.clone()),
        (RecoveredFrom::Reference, traces.reference.clone()),
    ];
    let copies: Vec<(RecoveredFrom, String)> =
        sources.into_iter().filter_map(|(from, text)| Some((from, text?))).collect();
    let exact = copies.iter().find_map(|(from, text)| Some((*from, with_hash(text, wanted?)?)));
    let any = || copies.into_iter().next().filter(|_| plan.receipt.is_none());
    exact.or_else(any)
}

/// The text if it has these bytes; a message loses the line end at the end of what it quotes.
fn with_hash(text: &str, hash: Hash) -> Option<String> {
    let spellings = [text.to_owned(), format!("{text}\n")];
    spellings.into_iter().find(|text| Hash::of(text.as_bytes()) == hash)
}
