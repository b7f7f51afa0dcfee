//! A copy of a session that goes its own way: new id, new plan name, the history up to a point.
//!
//! A request for approval that waits is asked anew in the copy, about the same bytes and under an id of its own: the answer
//! to the first session's request is none to the copy's. A level that an approval granted is not taken over, nor a yes for the whole session. Planning is on if it was on at
//! that point or is on now, and also if the history is damaged: a copy is never weaker than what it was made from.

use crate::{
    entry::{self, BodyRef, Entry, EntryRef, ForkOrigin, KeptContent, LineReading, SessionHeader, SessionId, VERSION},
    error::{Result, StoreError},
    fold::{FoldReport, FoldUntil, FoldedTranscript, TranscriptLines},
    folder::Access,
    plan_file::PlanReading,
    replace::Occupied,
    revisions,
    session::{Session, SessionFolders, plans, resume},
    transcript::{self, Transcript},
};
use fore_plan::{
    Change, Openings,
    approval::{Approver, Proposal, RequestId},
    plan::{Author, Hash, PlanId, PlanStage, Revision, Slug},
    reminder::{Notice, ToldMode},
};
use std::path::Path;

/// Copies a session, which may be in use, up to a point.
pub fn fork(
    places: &SessionFolders,
    source: SessionId,
    until: FoldUntil,
    slugs: impl IntoIterator<Item = Slug>,
) -> Result<(Session, FoldReport)> {
    let sessions = &places.home.sessions;
    let there = Transcript::read(sessions, source, until)?;
    let now = Transcript::read(sessions, source, FoldUntil::End)?;
    check(places, source, until, &there, &now)?;

    let id = SessionId::fresh();
    let mut draft = Transcript::draft(sessions, id)?;
    let folder = there.header.as_ref().map_or_else(String::new, |header| header.folder.clone());
    let forked_from = Some(ForkOrigin { session: source, entry: there.last });
    draft.append(&Entry::now(SessionHeader { session: id, folder, created: entry::now(), forked_from }))?;
    copy_lines(places, source, there.last, &mut draft)?;
    let mut claim = None;
    for change in beginning(&there, &now) {
        draft.append(&Entry::now(change))?;
    }
    if let Some(copied) = plan_to_copy(places, until, &there) {
        let (taken, name) = plans::claim_free(places, id, slugs)?;
        claim = Some(taken);
        let newest = copied.newer.as_ref().unwrap_or(&copied.version);
        places.plans.write_named(&name.to_string(), &newest.text, Occupied::Refuse)?;
        draft.append(&Entry::now(plans::naming(places, id, 1, &name)?))?;
        for version in std::iter::once(&copied.version).chain(&copied.newer) {
            revisions::keep(&places.home.revisions, &version.text)?;
        }
        let path = places.plans.path_of(&name).to_string_lossy().into_owned();
        for change in copied.changes(id, path) {
            draft.append(&Entry::now(change))?;
        }
        for rehearsal in &there.traces.rehearsals {
            draft.append(&Entry::now(rehearsal.clone()))?;
        }
        for work in &there.traces.work {
            draft.append(&Entry::now(work.clone()))?;
        }
    }
    let transcript = draft.publish()?;
    let folded = Transcript::read(sessions, id, FoldUntil::End)?;
    let mut session = Session::over(places, id, transcript, folded)?;
    session.claim = claim;
    Ok((session, now.report))
}

fn check(
    places: &SessionFolders,
    source: SessionId,
    until: FoldUntil,
    there: &FoldedTranscript,
    now: &FoldedTranscript,
) -> Result<()> {
    let path = places.home.sessions.path_of(&transcript::file_name(source));
    if let Some(found) = now.report.newer_version {
        return Err(StoreError::NewerVersion { path, found, known: VERSION });
    }
    match until {
        FoldUntil::Entry(wanted) if there.last != Some(wanted) => {
            Err(StoreError::Refused(format!("`{}` has no entry {wanted}", path.display())))
        }
        FoldUntil::Entry(_) | FoldUntil::End if there.report.entries == 0 => Err(StoreError::Empty { path }),
        FoldUntil::Entry(_) | FoldUntil::End => Ok(()),
    }
}

/// Copies every sound line but the header, byte for byte.
fn copy_lines(
    places: &SessionFolders,
    source: SessionId,
    last: Option<entry::EntryId>,
    draft: &mut Transcript,
) -> Result<()> {
    let name = transcript::file_name(source);
    let path = places.home.sessions.path_of(&name);
    let file = places.home.sessions.file(&name, Access::Read)?;
    let mut lines = TranscriptLines::new(&file);
    while let Some(line) = lines.next().map_err(StoreError::io("read", &path))? {
        match entry::read(line.bytes, KeptContent::Content) {
            _ if !line.is_complete => break,
            LineReading::Broken | LineReading::Newer { .. } => {}
            LineReading::Entry(EntryRef { body: BodyRef::Session(_), .. }) => {}
            LineReading::UnknownKind => draft.append_lines(line.bytes)?,
            LineReading::Entry(EntryRef { id, .. }) => {
                draft.append_lines(line.bytes)?;
                if Some(id) == last {
                    break;
                }
            }
        }
    }
    Ok(())
}

fn beginning(there: &FoldedTranscript, now: &FoldedTranscript) -> Vec<Change> {
    let state = &there.state;
    let planning = state.pre_plan_mode().is_some()
        || now.state.pre_plan_mode().is_some()
        || there.report.has_lost_entries()
        || now.report.has_lost_entries();
    // As on resume: permission to bypass belongs to one start of the program.
    let openings = Openings { bypass_permitted: false, ..*state.openings() };
    let (level, role) = (state.level(), state.role().clone());
    let mut changes = vec![Change::Started { level, planning, openings, role }];
    if !planning && state.counters().told() == ToldMode::Planning {
        // The copied conversation ends in planning, so the model still has to hear that it is over.
        changes.push(Change::Told { notices: vec![Notice::PlanSparse] });
    }
    changes
}

/// The plan that a copy begins with.
struct CopiedPlan {
    version: CopiedVersion,
    /// What somebody made of it since.
    newer: Option<CopiedVersion>,
    /// The request that waits for an answer about the first version.
    waits: Option<Proposal>,
}

struct CopiedVersion {
    text: String,
    author: Author,
}

/// The bytes that count: of an approved plan exactly those, whatever its file says.
fn plan_to_copy(places: &SessionFolders, until: FoldUntil, there: &FoldedTranscript) -> Option<CopiedPlan> {
    let plan = there.state.plan()?;
    if matches!(plan.stage, PlanStage::Done | PlanStage::Abandoned) {
        return None;
    }
    let on_disk = || {
        let (folder, name) = places.plans.of_recorded(&places.home, Path::new(&plan.path)).ok()?;
        match folder.read_named(&name) {
            PlanReading::Text(text) => Some(text),
            PlanReading::Missing | PlanReading::Unreadable(_) | PlanReading::TooLarge { .. } => None,
        }
    };
    let is_draft = until == FoldUntil::End && plan.receipt.is_none();
    let found = if is_draft { on_disk() } else { None };
    let recorded = resume::recover(&places.home, plan, &there.traces).map(|(_, text)| {
        let hash = Hash::of(text.as_bytes());
        let recorded = plan.revision.as_ref().filter(|newest| newest.hash == hash).map(|newest| newest.author);
        let author = if plan.known == Some(hash) { Author::Model } else { recorded.unwrap_or(Author::Other) };
        CopiedVersion { text, author }
    });
    let found = found.map(|text| CopiedVersion { text, author: Author::Other });
    let (version, newer) = match (recorded, found) {
        (Some(recorded), found) => {
            let newer = found.filter(|found| found.text != recorded.text);
            (recorded, newer)
        }
        (None, found) => (found?, None),
    };
    let waits = there.state.pending().filter(|waits| waits.approver == Approver::Person).cloned();
    match waits {
        // It was changed while it was shown: the request is about the bytes from before.
        Some(asked) if asked.hash != Hash::of(version.text.as_bytes()) => {
            let author = if plan.known == Some(asked.hash) { Author::Model } else { Author::Other };
            let shown = CopiedVersion { text: asked.text.clone(), author };
            Some(CopiedPlan { version: shown, newer: newer.or(Some(version)), waits: Some(asked) })
        }
        waits => Some(CopiedPlan { version, newer, waits }),
    }
}

impl CopiedPlan {
    /// The same as changes of the copy's own plan.
    fn changes(self, session: SessionId, path: String) -> Vec<Change> {
        let plan = PlanId { session: session.to_string(), ordinal: 1 };
        let CopiedVersion { text, author } = self.version;
        let hash = Hash::of(text.as_bytes());
        let revision = Revision { number: 1, hash, parent: None, author };
        let mut changes = vec![Change::PlanWritten { plan: plan.clone(), revision, text }];
        if let Some(waits) = self.waits {
            let request = RequestId(format!("plan_approval:main:{plan}:1:{}:{}", hash.short(), uuid::Uuid::now_v7()));
            changes.push(Change::Proposed(Proposal { request, plan: plan.clone(), path, revision: 1, ..waits }));
        }
        if let Some(CopiedVersion { text, author }) = self.newer {
            let revision = Revision { number: 2, hash: Hash::of(text.as_bytes()), parent: Some(hash), author };
            changes.push(Change::PlanWritten { plan: plan.clone(), revision, text });
            changes.push(Change::PlanEditedOutside { plan });
        }
        changes
    }
}
