//! Going on with a session: everything as it was left, the plan found again, and never a weaker mode.

use crate::{
    claim::Claim,
    entry::SessionId,
    error::{Result, StoreError},
    fold::{PlanTraces, Report},
    plan_file::PlanReading,
    replace::Occupied,
    revisions,
    session::{Places, Session},
    transcript::Transcript,
};
use fore_plan::{
    Actor, Change, Openings, Target,
    plan::{Hash, PlanRecord, Stage, slug::PlanFileName},
    transition,
};
use std::path::Path;

/// What was met on the way.
#[derive(Debug)]
pub struct Resumed {
    pub report: Report,
    pub plan: PlanOnResume,
    /// Saved entries were lost to damage, and one of them may have begun planning: so planning is on.
    pub planning_because_of_damage: bool,
}

/// What became of the plan file.
#[derive(Debug)]
pub enum PlanOnResume {
    /// The session has none, or one that nothing was written to.
    None,
    AsRecorded,
    /// Somebody changed it; their text is kept as a revision and stays in place.
    ChangedOutside,
    /// It was gone and is back.
    Recovered {
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
    Snapshot,
    ExitInput,
    FirstMessage,
    Reference,
}

/// Opens a session to go on with it.
pub fn resume(places: &Places, id: SessionId) -> Result<(Session, Resumed)> {
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
    let plan = session.find_plan()?;
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
    fn plan_after_damage(&mut self, report: &Report) -> Result<bool> {
        if !report.has_lost_entries() {
            return Ok(false);
        }
        let why = "saved entries were damaged; what they said is unknown";
        match transition(&self.state, Target::Plan, Actor::Settings, why) {
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

    fn find_plan(&mut self) -> Result<PlanOnResume> {
        let Some(plan) = self.state.plan().cloned() else { return Ok(PlanOnResume::None) };
        let (folder, name) = match self.places.plans.of_recorded(&self.places.home, Path::new(&plan.path)) {
            Ok(found) => found,
            Err(error) => return Ok(PlanOnResume::Unavailable(error)),
        };
        let text = match folder.read_named(&name) {
            PlanReading::Text(text) => return self.compare(&plan, &text),
            PlanReading::Missing => match recover(&self.traces) {
                _ if matches!(plan.stage, Stage::Done | Stage::Abandoned) => return Ok(PlanOnResume::NotNeeded),
                None if plan.revision.is_none() => return Ok(PlanOnResume::None),
                None => return Ok(PlanOnResume::Lost),
                Some(found) => found,
            },
            PlanReading::Unreadable(error) => return Ok(PlanOnResume::Unavailable(error)),
            PlanReading::TooLarge { bytes } => {
                let most = fore_plan::plan::MOST_PLAN_BYTES;
                let error = StoreError::PlanTooLarge { path: plan.path.into(), bytes, most };
                return Ok(PlanOnResume::Unavailable(error));
            }
        };
        let (from, text) = text;
        match folder.write_named(&name, text, Occupied::Refuse) {
            Ok(_) => {}
            Err(error) => return Ok(PlanOnResume::Unavailable(error)),
        }
        self.note("plan", &format!("the plan file was gone and is back from: {from:?}"))?;
        Ok(PlanOnResume::Recovered { from })
    }

    fn compare(&mut self, plan: &PlanRecord, text: &str) -> Result<PlanOnResume> {
        let recorded = plan.revision.as_ref().map(|revision| revision.hash);
        if recorded == Some(Hash::of(text.as_bytes())) {
            return Ok(PlanOnResume::AsRecorded);
        }
        revisions::keep(&self.places.home.revisions, text)?;
        self.must_record(Change::PlanEditedOutside { plan: plan.id.clone() })?;
        Ok(PlanOnResume::ChangedOutside)
    }
}

/// The best copy that the transcript holds.
pub(super) fn recover(traces: &PlanTraces) -> Option<(RecoveredFrom, &str)> {
    let sound = traces.snapshot.as_ref().filter(|snapshot| snapshot.is_sound());
    let sources = [
        (RecoveredFrom::Snapshot, sound.map(|snapshot| snapshot.text.as_str())),
        (RecoveredFrom::ExitInput, traces.exit_input.as_deref()),
        (RecoveredFrom::FirstMessage, traces.first_message.as_deref()),
        (RecoveredFrom::Reference, traces.reference.as_deref()),
    ];
    sources.into_iter().find_map(|(from, text)| Some((from, text?)))
}
