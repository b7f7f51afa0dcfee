//! Teams of one machine: files in the home that are written aside, synced and renamed, and locks that the kernel takes back when a process dies.
//!
//! | in `teams/{team}` | what it is |
//! |---|---|
//! | `team.json` | who leads it, when it was started, whether it has ended |
//! | `members/{name}.json` | somebody on the roster |
//! | `status/{name}.json` | what a member says of itself |
//! | `holds/{name}.lock` | locked by the process that is this member |
//! | `inboxes/{name}/new/{id}.json` | a message that waits |
//! | `inboxes/{name}/cur/{id}.json` | one that was handed out and is not done |
//! | `inboxes/{name}/refused/` | what lay there and was no message, the newest hundred |
//! | `tasks/{number}.json`, `tasks.lock` | a task; the list is locked while it changes |
//! | `requests/{hash}.json` | a plan that waits, or waited |
//! | `decisions/{hash}.json`, `requests.lock` | the one decision about it |

mod mail;
mod requests;
mod roster;
mod tasks;
mod watch;

use crate::{
    error::{TeamError, TeamResult},
    mail::MessageId,
    name::{MemberName, TeamName},
    roster::{MemberRole, TeamOverview},
};
use fore_plan::approval::Timestamp;
use fore_store::{Home, OwnFolder, StoreError};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    collections::HashSet,
    fs::File,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

const FOLDER: &str = "teams";
const TEAM_FILE: &str = "team.json";
const MAX_TEAMS: usize = 1000;
/// The longest small file: a member, a status, a task.
const MAX_SMALL_BYTES: usize = 256 * 1024;
/// How long a place is waited for: whoever only looks whether it is taken lets go at once.
const HOLD_WAIT: Duration = Duration::from_millis(700);
/// How long a list is waited for that others change.
const LIST_WAIT: Duration = Duration::from_secs(20);
const VERSION: u32 = 1;

/// What `team.json` says.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct TeamFile {
    version: u32,
    team: TeamName,
    lead: MemberName,
    started: Timestamp,
    #[serde(default)]
    has_ended: bool,
}

/// A team's folder.
#[derive(Debug)]
struct LocalTeam {
    home: Arc<Home>,
    team: TeamName,
    lead: MemberName,
}

/// A member's place, held by a lock.
#[derive(Clone, Debug)]
pub(crate) struct LocalPlace {
    inner: Arc<HeldPlace>,
}

#[derive(Debug)]
struct HeldPlace {
    team: LocalTeam,
    me: MemberName,
    inbox: mail::Inbox,
    /// Handed out by this process and not done yet.
    handed_out: Mutex<HashSet<MessageId>>,
    /// Locked as long as this lives.
    _hold: File,
}

pub(crate) async fn teams(home: &Arc<Home>) -> TeamResult<Vec<TeamName>> {
    let home = Arc::clone(home);
    on_files(move || {
        let Some(folder) = OwnFolder::find(&home, &[FOLDER])? else { return Ok(Vec::new()) };
        let mut teams: Vec<TeamName> =
            folder.names(MAX_TEAMS)?.into_iter().filter_map(|name| name.parse().ok()).collect();
        teams.retain(|team| LocalTeam::open(&home, team).is_ok());
        teams.sort_unstable();
        Ok(teams)
    })
    .await
}

pub(crate) async fn start(home: &Arc<Home>, team: &TeamName, lead: &MemberName) -> TeamResult<LocalPlace> {
    let (home, team, lead) = (Arc::clone(home), team.clone(), lead.clone());
    on_files(move || {
        let started =
            TeamFile { version: VERSION, team: team.clone(), lead: lead.clone(), started: now(), has_ended: false };
        let folder = OwnFolder::make(&home, &[FOLDER, team.as_str()])?;
        let local = LocalTeam { home: Arc::clone(&home), team: team.clone(), lead: lead.clone() };
        if folder.has(TEAM_FILE)? {
            return Err(TeamError::TeamExists(team));
        }
        // The team is there from the moment its file is: whoever dies before that has made folders that mean nothing.
        for name in ["members", "status", "holds", "inboxes", "tasks", "requests", "decisions"] {
            OwnFolder::make(&home, &[FOLDER, team.as_str(), name])?;
        }
        local.write_member(&lead, MemberRole::Lead)?;
        match put_new_json(&folder, TEAM_FILE, &started) {
            Err(TeamError::Store(StoreError::Exists { .. })) => return Err(TeamError::TeamExists(team)),
            other => other?,
        }
        local.hold(lead)
    })
    .await
}

pub(crate) async fn open(home: &Arc<Home>, team: &TeamName, member: &MemberName) -> TeamResult<LocalPlace> {
    let (home, team, member) = (Arc::clone(home), team.clone(), member.clone());
    on_files(move || LocalTeam::open(&home, &team)?.hold(member)).await
}

pub(crate) async fn overview(home: &Arc<Home>, team: &TeamName) -> TeamResult<TeamOverview> {
    let (home, team) = (Arc::clone(home), team.clone());
    on_files(move || LocalTeam::open(&home, &team)?.overview()).await
}

impl LocalTeam {
    fn open(home: &Arc<Home>, team: &TeamName) -> TeamResult<LocalTeam> {
        let found = OwnFolder::find(home, &[FOLDER, team.as_str()])?;
        let file = match &found {
            Some(folder) => read_json::<TeamFile>(folder, TEAM_FILE, MAX_SMALL_BYTES)?,
            None => None,
        };
        let Some(file) = file else {
            let names = match OwnFolder::find(home, &[FOLDER])? {
                Some(folder) => folder.names(MAX_TEAMS)?,
                None => Vec::new(),
            };
            let nearest = fore_text::spelling::nearest(team.as_str(), names.iter().map(String::as_str), 1).pop();
            return Err(TeamError::NoSuchTeam { team: team.clone(), nearest });
        };
        if file.version != VERSION || file.team != *team {
            let why = format!("it is of version {} and of team `{}`", file.version, file.team);
            return Err(TeamError::Malformed { path: TEAM_FILE.to_owned(), why });
        }
        Ok(LocalTeam { home: Arc::clone(home), team: file.team, lead: file.lead })
    }

    /// A folder of the team.
    fn folder(&self, names: &[&str]) -> TeamResult<OwnFolder> {
        let mut path = vec![FOLDER, self.team.as_str()];
        path.extend(names);
        let found = OwnFolder::find(&self.home, &path)?;
        let gone = || StoreError::Refused(format!("the folder `{}` of the home is gone; put it back", path.join("/")));
        Ok(found.ok_or_else(gone)?)
    }

    fn file(&self) -> TeamResult<TeamFile> {
        let file = read_json::<TeamFile>(&self.folder(&[])?, TEAM_FILE, MAX_SMALL_BYTES)?;
        file.ok_or_else(|| TeamError::NoSuchTeam { team: self.team.clone(), nearest: None })
    }

    fn require_going(&self) -> TeamResult<()> {
        if self.file()?.has_ended { Err(TeamError::Ended(self.team.clone())) } else { Ok(()) }
    }

    /// Locks a list of the team until the file is closed.
    fn lock(&self, name: &str) -> TeamResult<File> {
        let folder = self.folder(&[])?;
        let locked = folder.lock(name, LIST_WAIT)?;
        Ok(locked.ok_or_else(|| StoreError::Locked { path: folder.path().join(name) })?)
    }

    fn hold(self, me: MemberName) -> TeamResult<LocalPlace> {
        self.require_present(&me)?;
        let hold = self.folder(&["holds"])?.lock(&format!("{me}.lock"), HOLD_WAIT)?;
        let hold = hold.ok_or_else(|| TeamError::InUse { name: me.clone(), team: self.team.clone() })?;
        let inbox = mail::Inbox::open(&self, &me)?;
        let handed_out = Mutex::default();
        Ok(LocalPlace { inner: Arc::new(HeldPlace { team: self, me, inbox, handed_out, _hold: hold }) })
    }
}

impl LocalPlace {
    pub(crate) fn team(&self) -> &TeamName {
        &self.inner.team.team
    }

    pub(crate) fn me(&self) -> &MemberName {
        &self.inner.me
    }

    pub(crate) fn lead(&self) -> &MemberName {
        &self.inner.team.lead
    }

    pub(crate) async fn overview(&self) -> TeamResult<TeamOverview> {
        self.run(|place| place.team.overview()).await
    }

    pub(crate) async fn end_team(&self) -> TeamResult<()> {
        self.run(|place| {
            place.require_lead("end the team")?;
            let ended = TeamFile { has_ended: true, ..place.team.file()? };
            put_json(&place.team.folder(&[])?, TEAM_FILE, &ended)
        })
        .await
    }

    /// Does something with files, on a thread that may wait for the disk.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&HeldPlace) -> TeamResult<T> + Send + 'static,
    ) -> TeamResult<T> {
        let inner = Arc::clone(&self.inner);
        on_files(move || work(&inner)).await
    }
}

impl HeldPlace {
    fn require_lead(&self, doing: &'static str) -> TeamResult<()> {
        if self.me == self.team.lead {
            return Ok(());
        }
        Err(TeamError::NotTheLead { doing, lead: self.team.lead.clone() })
    }

    fn handed_out(&self) -> std::sync::MutexGuard<'_, HashSet<MessageId>> {
        self.handed_out.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn on_files<T: Send + 'static>(work: impl FnOnce() -> TeamResult<T> + Send + 'static) -> TeamResult<T> {
    tokio::task::spawn_blocking(work).await.map_err(|_| TeamError::Interrupted)?
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

fn read_json<T: DeserializeOwned>(folder: &OwnFolder, name: &str, most: usize) -> TeamResult<Option<T>> {
    let Some(bytes) = folder.read(name, most)? else { return Ok(None) };
    let malformed = |error: serde_json::Error| TeamError::Malformed {
        path: folder.path().join(name).display().to_string(),
        why: error.to_string(),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(malformed)
}

fn put_json<T: Serialize>(folder: &OwnFolder, name: &str, value: &T) -> TeamResult<()> {
    let bytes = serde_json::to_vec(value).map_err(StoreError::from)?;
    Ok(folder.put(name, &bytes)?)
}

fn put_new_json<T: Serialize>(folder: &OwnFolder, name: &str, value: &T) -> TeamResult<()> {
    let bytes = serde_json::to_vec(value).map_err(StoreError::from)?;
    Ok(folder.put_new(name, &bytes)?)
}
