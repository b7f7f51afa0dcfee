//! A copy of a session that goes its own way: new id, new plan name, the history up to a point.
//!
//! A request for approval that waits is not taken over: its answer belongs to the first session, and the copy has to ask
//! again. Neither is a level that an approval granted, nor a yes for the whole session. Planning is on if it was on at
//! that point or is on now, and also if the history is damaged: a copy is never weaker than what it was made from.

use crate::{
    entry::{self, BodyRef, Entry, Header, Keep, Line, Origin, Reading, SessionId, VERSION},
    error::{Result, StoreError},
    fold::{Folded, Lines, Report, Until},
    folder::Access,
    plan_file::PlanReading,
    replace::Occupied,
    revisions,
    session::{Places, Session, plans, resume},
    transcript::{self, Transcript},
};
use fore_plan::{
    Change, Openings,
    plan::{Author, Hash, PlanId, Revision, Stage, slug::Slug},
    reminder::{Notice, Told},
};
use std::path::Path;

/// Copies a session, which may be in use, up to a point.
pub fn fork(
    places: &Places,
    source: SessionId,
    until: Until,
    slugs: impl IntoIterator<Item = Slug>,
) -> Result<(Session, Report)> {
    let sessions = &places.home.sessions;
    let there = Transcript::read(sessions, source, until)?;
    let now = Transcript::read(sessions, source, Until::End)?;
    check(places, source, until, &there, &now)?;

    let id = SessionId::fresh();
    let mut draft = Transcript::draft(sessions, id)?;
    let folder = there.header.as_ref().map_or_else(String::new, |header| header.folder.clone());
    let forked_from = Some(Origin { session: source, entry: there.last });
    draft.append(&Entry::now(Header { session: id, folder, created: entry::now(), forked_from }))?;
    copy_lines(places, source, there.last, &mut draft)?;
    let mut claim = None;
    for change in beginning(&there, &now) {
        draft.append(&Entry::now(change))?;
    }
    if let Some(text) = plan_to_copy(places, until, &there) {
        let (taken, name) = plans::claim_free(places, id, slugs)?;
        claim = Some(taken);
        revisions::keep(&places.home.revisions, &text)?;
        places.plans.write_named(&name.to_string(), &text, Occupied::Refuse)?;
        draft.append(&Entry::now(plans::naming(places, id, 1, &name)?))?;
        draft.append(&Entry::now(first_revision(id, text)))?;
    }
    let transcript = draft.publish()?;
    let folded = Transcript::read(sessions, id, Until::End)?;
    let mut session = Session::over(places, id, transcript, folded)?;
    session.claim = claim;
    Ok((session, now.report))
}

fn check(places: &Places, source: SessionId, until: Until, there: &Folded, now: &Folded) -> Result<()> {
    let path = places.home.sessions.path_of(&transcript::file_name(source));
    if let Some(found) = now.report.newer_version {
        return Err(StoreError::NewerVersion { path, found, known: VERSION });
    }
    match until {
        Until::Entry(wanted) if there.last != Some(wanted) => {
            Err(StoreError::Refused(format!("`{}` has no entry {wanted}", path.display())))
        }
        Until::Entry(_) | Until::End if there.report.entries == 0 => Err(StoreError::Empty { path }),
        Until::Entry(_) | Until::End => Ok(()),
    }
}

/// Copies every sound line but the header, byte for byte.
fn copy_lines(places: &Places, source: SessionId, last: Option<entry::EntryId>, draft: &mut Transcript) -> Result<()> {
    let name = transcript::file_name(source);
    let path = places.home.sessions.path_of(&name);
    let file = places.home.sessions.file(&name, Access::Read)?;
    let mut lines = Lines::new(&file);
    while let Some(line) = lines.next().map_err(StoreError::io("read", &path))? {
        match entry::read(line.bytes, Keep::Content) {
            _ if !line.is_complete => break,
            Reading::Broken | Reading::Newer { .. } => {}
            Reading::Entry(Line { body: BodyRef::Session(_), .. }) => {}
            Reading::UnknownKind => draft.append_lines(line.bytes)?,
            Reading::Entry(Line { id, .. }) => {
                draft.append_lines(line.bytes)?;
                if Some(id) == last {
                    break;
                }
            }
        }
    }
    Ok(())
}

fn beginning(there: &Folded, now: &Folded) -> Vec<Change> {
    let state = &there.state;
    let planning = state.pre_plan_mode().is_some()
        || now.state.pre_plan_mode().is_some()
        || there.report.has_lost_entries()
        || now.report.has_lost_entries();
    // As on resume: permission to bypass belongs to one start of the program.
    let openings = Openings { bypass_permitted: false, ..*state.openings() };
    let (level, role) = (state.level(), state.role().clone());
    let mut changes = vec![Change::Started { level, planning, openings, role }];
    if !planning && state.counters().told() == Told::Planning {
        // The copied conversation ends in planning, so the model still has to hear that it is over.
        changes.push(Change::Told { notices: vec![Notice::PlanSparse] });
    }
    changes
}

/// The text the copy begins with: the file for the whole history, the snapshot for an earlier point.
fn plan_to_copy(places: &Places, until: Until, there: &Folded) -> Option<String> {
    let plan = there.state.plan()?;
    if matches!(plan.stage, Stage::Done | Stage::Abandoned) {
        return None;
    }
    let on_disk = || {
        let (folder, name) = places.plans.of_recorded(&places.home, Path::new(&plan.path)).ok()?;
        match folder.read_named(&name) {
            PlanReading::Text(text) => Some(text),
            PlanReading::Missing | PlanReading::Unreadable(_) | PlanReading::TooLarge { .. } => None,
        }
    };
    let newest = if until == Until::End { on_disk() } else { None };
    newest.or_else(|| resume::recover(&there.traces).map(|(_, text)| text.to_owned()))
}

fn first_revision(session: SessionId, text: String) -> Change {
    let revision = Revision { number: 1, hash: Hash::of(text.as_bytes()), parent: None, author: Author::Model };
    Change::PlanWritten { plan: PlanId { session: session.to_string(), ordinal: 1 }, revision, text }
}
