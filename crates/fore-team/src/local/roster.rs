//! The roster on one machine: a file a member, written by the lead; a file with what each says of itself.

use super::{HeldPlace, LocalPlace, LocalTeam, MAX_SMALL_BYTES, now, put_json, put_new_json, read_json};
use crate::{
    error::{TeamError, TeamResult},
    name::MemberName,
    roster::{MAX_MEMBERS, MemberRole, MemberStatus, NewMember, RosterMember, TeamOverview},
    task::TeamTaskState,
};
use fore_plan::approval::Timestamp;
use fore_store::{OwnFolder, StoreError};
use serde::{Deserialize, Serialize};

/// What `members/{name}.json` says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MemberFile {
    pub(super) name: MemberName,
    pub(super) role: MemberRole,
    added: Timestamp,
    pub(super) has_left: bool,
}

impl LocalTeam {
    /// The inbox is there before the member is.
    pub(super) fn write_member(&self, name: &MemberName, role: MemberRole) -> TeamResult<()> {
        for part in ["new", "cur", "refused"] {
            OwnFolder::make(&self.home, &[super::FOLDER, self.team.as_str(), "inboxes", name.as_str(), part])?;
        }
        let file = MemberFile { name: name.clone(), role, added: now(), has_left: false };
        match put_new_json(&self.folder(&["members"])?, &file_name(name), &file) {
            // Left by somebody who died before the team had its file.
            Err(TeamError::Store(StoreError::Exists { .. })) if role == MemberRole::Lead => {
                put_json(&self.folder(&["members"])?, &file_name(name), &file)
            }
            Err(TeamError::Store(StoreError::Exists { .. })) => Err(TeamError::MemberExists(name.clone())),
            other => other,
        }
    }

    /// A row of the roster. A file whose name and content differ is nobody.
    pub(super) fn member(&self, name: &MemberName) -> TeamResult<Option<MemberFile>> {
        let file = read_json::<MemberFile>(&self.folder(&["members"])?, &file_name(name), MAX_SMALL_BYTES)?;
        Ok(file.filter(|file| file.name == *name && (file.role == MemberRole::Lead) == (file.name == self.lead)))
    }

    /// Refuses whoever is not on the roster, or no longer.
    pub(super) fn require_present(&self, name: &MemberName) -> TeamResult<()> {
        match self.member(name)? {
            Some(member) if member.has_left => Err(TeamError::HasLeft(name.clone())),
            Some(_) => Ok(()),
            None => {
                let names = self.member_names()?;
                let names = names.iter().map(MemberName::as_str);
                let nearest = fore_text::spelling::nearest(name.as_str(), names, 1).pop();
                Err(TeamError::NotAMember { name: name.clone(), team: self.team.clone(), nearest })
            }
        }
    }

    /// The names that have a file; a folder is no file of a member, and neither is a name that breaks the grammar.
    pub(super) fn member_names(&self) -> TeamResult<Vec<MemberName>> {
        let names = self.folder(&["members"])?.names(MAX_MEMBERS * 4)?;
        let mut names: Vec<MemberName> =
            names.iter().filter_map(|name| name.strip_suffix(".json")?.parse().ok()).collect();
        names.sort_unstable();
        Ok(names)
    }

    pub(super) fn overview(&self) -> TeamResult<TeamOverview> {
        let file = self.file()?;
        let (status, holds) = (self.folder(&["status"])?, self.folder(&["holds"])?);
        let mut members = Vec::new();
        for name in self.member_names()? {
            let Ok(Some(member)) = self.member(&name) else { continue };
            let status: Option<MemberStatus> =
                read_json(&status, &file_name(&name), MAX_SMALL_BYTES).unwrap_or_default();
            members.push(RosterMember {
                role: member.role,
                added: member.added,
                has_left: member.has_left,
                is_open: holds.is_locked(&format!("{name}.lock"))?,
                waiting_mail: super::mail::waiting(self, &name)?,
                status: status.unwrap_or_default(),
                name,
            });
        }
        Ok(TeamOverview {
            team: file.team,
            lead: file.lead,
            started: file.started,
            has_ended: file.has_ended,
            members,
            tasks: self.tasks()?,
            requests: self.open_requests()?,
        })
    }
}

impl HeldPlace {
    fn remove_member(&self, name: &MemberName) -> TeamResult<()> {
        self.require_lead("take somebody off the roster")?;
        let member = self.team.member(name)?;
        let Some(member) = member else { return self.team.require_present(name) };
        if member.role == MemberRole::Lead {
            return Err(TeamError::LeadStays);
        }
        put_json(&self.team.folder(&["members"])?, &file_name(name), &MemberFile { has_left: true, ..member })?;
        for task in self.team.tasks()?.into_iter().filter(|task| task.owner.as_ref() == Some(name)) {
            if !task.state.is_over() {
                self.change_task(task.id, |task, _| {
                    task.owner = None;
                    task.state = TeamTaskState::Open;
                    Ok(())
                })?;
            }
        }
        for request in self.team.open_requests()?.into_iter().filter(|request| request.from == *name) {
            self.close_request(&request)?;
        }
        Ok(())
    }
}

impl LocalPlace {
    pub(crate) async fn add_member(&self, member: NewMember) -> TeamResult<()> {
        self.run(move |place| {
            place.require_lead("put somebody on the roster")?;
            place.team.require_going()?;
            if member.role == MemberRole::Lead {
                return Err(TeamError::MemberExists(place.team.lead.clone()));
            }
            let _locked = place.team.lock("members.lock")?;
            if place.team.member_names()?.len() >= MAX_MEMBERS {
                let then = "end this team and start a new one";
                return Err(TeamError::Full { what: "the roster".to_owned(), max: MAX_MEMBERS, then });
            }
            place.team.write_member(&member.name, member.role)
        })
        .await
    }

    pub(crate) async fn remove_member(&self, name: &MemberName) -> TeamResult<()> {
        let name = name.clone();
        self.run(move |place| place.remove_member(&name)).await
    }

    pub(crate) async fn set_status(&self, status: MemberStatus) -> TeamResult<()> {
        self.run(move |place| {
            status.check()?;
            put_json(&place.team.folder(&["status"])?, &file_name(&place.me), &status)
        })
        .await
    }
}

pub(super) fn file_name(name: &MemberName) -> String {
    format!("{name}.json")
}
