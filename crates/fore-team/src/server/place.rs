//! A member's place on a server: its calls, and the connection that keeps the place and is told of mail.

use super::{
    line::{ServerLine, Values},
    url::ServerUrl,
};
use crate::{
    error::{TeamError, TeamResult},
    mail::{ClaimedMail, MAX_CLAIMED, MessageId, Outgoing, SendOutcome, SetAside, TeamMessage},
    name::{MemberName, TeamName},
    request::{DecisionDraft, DecisionOutcome, PlanDecision, PlanRequest},
    roster::{MemberRole, MemberStatus, NewMember, RosterMember, TeamOverview},
    task::{NewTask, TaskId, TeamTask, TeamTaskState},
};
use fore_plan::{
    approval::{RequestId, Timestamp},
    plan::Hash,
    team::PlanApprovalRequest,
};
use fore_store::StoreError;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::{sync::Notify, task::JoinHandle};
use tokio_postgres::Row;
use uuid::Uuid;

/// A place is somebody's for this long after its process was heard of last, if its connection seems to live.
const LEASE_SECONDS: i32 = 9;
const BETWEEN_SIGNS: Duration = Duration::from_secs(2);
/// How long a place is waited for that a process which died still seems to have.
const MAX_OPENING: Duration = Duration::from_secs(LEASE_SECONDS as u64 + 1);
const BETWEEN_OPENINGS: Duration = Duration::from_millis(500);
/// A look from time to time all the same: what was called out while the line was down is not called again.
const BETWEEN_LOOKS: Duration = Duration::from_secs(30);
/// Times that a task is read again because somebody else has changed it meanwhile.
const MAX_CHANGES: usize = 50;

/// A member's place.
#[derive(Debug)]
pub(crate) struct ServerPlace {
    team: TeamName,
    me: MemberName,
    lead: MemberName,
    holder: String,
    line: ServerLine,
    woken: Arc<Notify>,
    /// Handed out by this process and not done yet.
    handed_out: Mutex<HashSet<MessageId>>,
    signs: JoinHandle<()>,
}

impl Drop for ServerPlace {
    fn drop(&mut self) {
        self.signs.abort();
    }
}

#[derive(Debug, Deserialize)]
struct OverviewRow {
    lead: MemberName,
    started: Timestamp,
    has_ended: bool,
    members: Vec<MemberRow>,
}

#[derive(Debug, Deserialize)]
struct MemberRow {
    name: MemberName,
    role: MemberRole,
    added: Timestamp,
    has_left: bool,
    is_open: bool,
    status: String,
    waiting_mail: usize,
}

#[derive(Debug, Deserialize)]
struct RecordRow {
    counts: bool,
    decision: PlanDecision,
}

#[derive(Debug, Serialize)]
struct TaskRow<'a> {
    title: &'a str,
    text: &'a str,
    needs: &'a [TaskId],
    owner: Option<&'a MemberName>,
}

fn quiet_line(url: &ServerUrl) -> ServerLine {
    ServerLine::new(url, String::new(), Arc::default())
}

pub(crate) async fn teams(url: &ServerUrl) -> TeamResult<Vec<TeamName>> {
    let rows = quiet_line(url).call("select fore_team.teams()", &[]).await?;
    rows.iter().map(|row| text(row, 0)?.parse()).collect()
}

pub(crate) async fn overview(url: &ServerUrl, team: &TeamName) -> TeamResult<TeamOverview> {
    read_overview(&quiet_line(url), team).await
}

pub(crate) async fn start(url: &ServerUrl, team: &TeamName, lead: &MemberName) -> TeamResult<ServerPlace> {
    let (line, holder) = (quiet_line(url), Uuid::now_v7().to_string());
    let start = "select fore_team.start_team($1, $2, $3::text::uuid, $4)";
    line.call(start, &[&team.as_str(), &lead.as_str(), &holder, &LEASE_SECONDS]).await?;
    Ok(ServerPlace::new(url, team, lead, lead.clone(), holder, line))
}

pub(crate) async fn open(url: &ServerUrl, team: &TeamName, me: &MemberName) -> TeamResult<ServerPlace> {
    let (line, holder) = (quiet_line(url), Uuid::now_v7().to_string());
    let started = Instant::now();
    let lead = loop {
        let open = "select fore_team.open_place($1, $2, $3::text::uuid, $4)";
        match line.call(open, &[&team.as_str(), &me.as_str(), &holder, &LEASE_SECONDS]).await {
            Ok(rows) => break first_text(&rows)?.parse()?,
            // Its machine may be gone, and then only time tells.
            Err(TeamError::OpenElsewhere(_)) if started.elapsed() < MAX_OPENING => {
                tokio::time::sleep(BETWEEN_OPENINGS).await;
            }
            Err(error) => return Err(error),
        }
    };
    Ok(ServerPlace::new(url, team, me, lead, holder, line))
}

/// Says every few seconds that the place is taken, on the connection that is told of mail.
async fn give_signs(line: ServerLine, team: String, holder: String) {
    loop {
        let keep = "select fore_team.keep_place($1, $2::text::uuid, $3)";
        if let Err(TeamError::PlaceLost(_)) = line.call(keep, &[&team, &holder, &LEASE_SECONDS]).await {
            return;
        }
        tokio::time::sleep(BETWEEN_SIGNS).await;
    }
}

impl ServerPlace {
    fn new(
        url: &ServerUrl,
        team: &TeamName,
        me: &MemberName,
        lead: MemberName,
        holder: String,
        line: ServerLine,
    ) -> ServerPlace {
        let woken = Arc::new(Notify::new());
        // Names are letters, digits and `-`.
        let greeting =
            format!("do $$ begin execute 'listen ' || quote_ident(fore_team.channel('{team}', '{me}')); end $$");
        let told = ServerLine::new(url, greeting, Arc::clone(&woken));
        let signs = tokio::spawn(give_signs(told, team.to_string(), holder.clone()));
        let (team, me) = (team.clone(), me.clone());
        ServerPlace { team, me, lead, holder, line, woken, handed_out: Mutex::default(), signs }
    }

    pub(crate) fn team(&self) -> &TeamName {
        &self.team
    }

    pub(crate) fn me(&self) -> &MemberName {
        &self.me
    }

    pub(crate) fn lead(&self) -> &MemberName {
        &self.lead
    }

    fn handed_out(&self) -> std::sync::MutexGuard<'_, HashSet<MessageId>> {
        self.handed_out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls a function of the server as this member; its further values follow `$2`.
    async fn write(&self, sql: &str, values: Values<'_>) -> TeamResult<Vec<Row>> {
        let team = self.team.as_str();
        let mut all: Vec<&(dyn tokio_postgres::types::ToSql + Sync)> = vec![&team, &self.holder];
        all.extend(values);
        self.line.call(sql, &all).await
    }

    pub(crate) async fn close(self) -> TeamResult<()> {
        self.signs.abort();
        self.write("select fore_team.leave_place($1, $2::text::uuid)", &[]).await.map(drop)
    }

    pub(crate) async fn overview(&self) -> TeamResult<TeamOverview> {
        read_overview(&self.line, &self.team).await
    }

    pub(crate) async fn add_member(&self, member: NewMember) -> TeamResult<()> {
        let login = member.login.unwrap_or_else(|| format!("{}_{}", self.team, member.name));
        let role = match member.role {
            MemberRole::Lead => "lead",
            MemberRole::Required => "required",
            MemberRole::Voluntary => "voluntary",
        };
        let add = "select fore_team.add_member($1, $2::text::uuid, $3, $4, $5)";
        self.write(add, &[&member.name.as_str(), &role, &login]).await.map(drop)
    }

    pub(crate) async fn remove_member(&self, name: &MemberName) -> TeamResult<()> {
        let remove = "select fore_team.remove_member($1, $2::text::uuid, $3)";
        self.write(remove, &[&name.as_str()]).await.map(drop)
    }

    pub(crate) async fn end_team(&self) -> TeamResult<()> {
        self.write("select fore_team.end_team($1, $2::text::uuid)", &[]).await.map(drop)
    }

    pub(crate) async fn set_status(&self, status: MemberStatus) -> TeamResult<()> {
        status.check()?;
        self.write("select fore_team.set_status($1, $2::text::uuid, $3)", &[&json(&status)?]).await.map(drop)
    }

    pub(crate) async fn send(&self, message: Outgoing) -> TeamResult<SendOutcome> {
        message.body.check_sendable()?;
        let send = "select fore_team.send($1, $2::text::uuid, $3::text::uuid, $4, $5)";
        let (id, body) = (message.id.to_string(), json(&message.body)?);
        let sent = self.write(send, &[&id, &message.to.as_str(), &body]).await;
        match sent {
            Ok(rows) if first::<bool>(&rows)? => Ok(SendOutcome::Sent),
            Ok(_) => Ok(SendOutcome::Already),
            Err(error) => Err(self.with_nearest(error).await),
        }
    }

    /// An unknown name comes back with the one that was probably meant.
    async fn with_nearest(&self, error: TeamError) -> TeamError {
        let TeamError::UnknownMember(name) = error else { return error };
        let Ok(seen) = self.overview().await else { return TeamError::UnknownMember(name) };
        let names = seen.members.iter().map(|member| member.name.as_str());
        let nearest = fore_text::spelling::nearest(name.as_str(), names, 1).pop();
        TeamError::NotAMember { name, team: self.team.clone(), nearest }
    }

    /// Says with each call what this process has, so that an answer that was lost on the way loses nothing.
    fn known(&self) -> Vec<String> {
        self.handed_out().iter().map(MessageId::to_string).collect()
    }

    pub(crate) async fn claim(&self, most: usize) -> TeamResult<ClaimedMail> {
        let most = i32::try_from(most.min(MAX_CLAIMED)).unwrap_or(1);
        let claim =
            "select id, seq, from_name, at, body from fore_team.claim($1, $2::text::uuid, $3::text[]::uuid[], $4)";
        let mut rows = self.write(claim, &[&self.known(), &most]).await?;
        rows.sort_by_key(|row| row.try_get::<_, i64>(1).unwrap_or_default());
        let mut mail = ClaimedMail::default();
        for row in &rows {
            let id: MessageId = text(row, 0)?.parse()?;
            match self.message(id, row) {
                Ok(message) => {
                    self.handed_out().insert(id);
                    mail.messages.push(message);
                }
                Err(why) => {
                    mail.set_aside.push(SetAside { name: id.to_string(), why: why.to_string() });
                    self.done(id).await?;
                }
            }
        }
        Ok(mail)
    }

    fn message(&self, id: MessageId, row: &Row) -> TeamResult<TeamMessage> {
        let at: i64 = row.try_get(3).map_err(|error| unread(&error.to_string()))?;
        let at = Timestamp(u64::try_from(at).unwrap_or_default());
        Ok(TeamMessage { id, from: text(row, 2)?.parse()?, to: self.me.clone(), at, body: from_json(text(row, 4)?)? })
    }

    pub(crate) async fn done(&self, id: MessageId) -> TeamResult<()> {
        let done = "select fore_team.done($1, $2::text::uuid, $3::text::uuid)";
        self.write(done, &[&id.to_string()]).await?;
        self.handed_out().remove(&id);
        Ok(())
    }

    pub(crate) async fn wait_for_mail(&self, at_most: Duration) -> TeamResult<bool> {
        let wait = async {
            loop {
                let look = "select fore_team.has_mail($1, $2::text::uuid, $3::text[]::uuid[])";
                let rows = self.write(look, &[&self.known()]).await?;
                if first::<bool>(&rows)? {
                    return Ok(true);
                }
                // A call that came in between is remembered.
                let _ = tokio::time::timeout(BETWEEN_LOOKS, self.woken.notified()).await;
            }
        };
        tokio::time::timeout(at_most, wait).await.unwrap_or(Ok(false))
    }

    pub(crate) async fn tasks(&self) -> TeamResult<Vec<TeamTask>> {
        read_tasks(&self.line, &self.team).await
    }

    pub(crate) async fn add_task(&self, task: NewTask) -> TeamResult<TeamTask> {
        task.check()?;
        let NewTask { key, title, text, needs, owner } = &task;
        let new = json(&TaskRow { title, text, needs, owner: owner.as_ref() })?;
        let add = "select fore_team.add_task($1, $2::text::uuid, $3, $4::text::jsonb)";
        let rows = self.write(add, &[key, &new]).await?;
        from_json(first_text(&rows)?)
    }

    /// Changes a task as it is read, unless somebody was faster: then as it is then.
    async fn change_task(
        &self,
        id: TaskId,
        change: impl Fn(&mut TeamTask, &[TeamTask]) -> TeamResult<()>,
    ) -> TeamResult<TeamTask> {
        for _ in 0..MAX_CHANGES {
            let all = self.tasks().await?;
            let known = all.iter().find(|task| task.id == id).ok_or(TeamError::NoSuchTask(id))?;
            let mut task = known.clone();
            change(&mut task, &all)?;
            if task == *known {
                return Ok(task);
            }
            let (number, was) = (i32::try_from(id.0).unwrap_or(i32::MAX), json(known)?);
            let owner = task.owner.as_ref().map(MemberName::as_str);
            let state = serde_json::to_value(task.state).map_err(StoreError::from)?;
            let state = state.as_str().unwrap_or_default();
            let put = "select fore_team.change_task($1, $2::text::uuid, $3, $4::text::jsonb, $5, $6)";
            let rows = self.write(put, &[&number, &was, &owner, &state]).await?;
            if first::<bool>(&rows)? {
                return Ok(task);
            }
        }
        Err(TeamError::Interrupted)
    }

    pub(crate) async fn claim_task(&self, id: TaskId) -> TeamResult<TeamTask> {
        self.change_task(id, |task, all| task.claim(&self.me, all)).await
    }

    pub(crate) async fn set_task_state(&self, id: TaskId, state: TeamTaskState) -> TeamResult<TeamTask> {
        let is_lead = self.me == self.lead;
        self.change_task(id, |task, all| task.set_state(state, &self.me, is_lead, all)).await
    }

    pub(crate) async fn assign_task(&self, id: TaskId, owner: Option<MemberName>) -> TeamResult<TeamTask> {
        if self.me != self.lead {
            return Err(TeamError::NotTheLead { doing: "assign a task", lead: self.lead.clone() });
        }
        let task = self.change_task(id, |task, _| task.assign(owner.clone())).await?;
        if let Some(owner) = task.owner.clone().filter(|owner| *owner != self.me) {
            self.send(Outgoing::new(owner, crate::mail::MailBody::TaskAssigned(id))).await?;
        }
        Ok(task)
    }

    pub(crate) async fn ask_approval(&self, asked: PlanApprovalRequest) -> TeamResult<PlanRequest> {
        let request = PlanRequest::new(&asked, &self.me, Timestamp(0))?;
        let ask = "select fore_team.ask_approval($1, $2::text::uuid, $3, $4, $5)";
        let rows = self.write(ask, &[&request.request.0, &request.plan_file_path, &request.plan_content]).await?;
        checked(from_json(first_text(&rows)?)?)
    }

    pub(crate) async fn open_requests(&self) -> TeamResult<Vec<PlanRequest>> {
        read_requests(&self.line, &self.team).await
    }

    pub(crate) async fn decide(&self, draft: DecisionDraft) -> TeamResult<DecisionOutcome> {
        draft.check()?;
        let decide = "select fore_team.decide($1, $2::text::uuid, $3, $4, $5::text::jsonb, $6::text::jsonb)";
        let (verdict, by) = (json(&draft.verdict)?, json(&draft.by)?);
        let rows = self.write(decide, &[&draft.request.0, &draft.hash.to_string(), &verdict, &by]).await?;
        outcome(&rows)
    }

    pub(crate) async fn withdraw(&self, request: &RequestId) -> TeamResult<DecisionOutcome> {
        outcome(&self.write("select fore_team.withdraw($1, $2::text::uuid, $3)", &[&request.0]).await?)
    }

    pub(crate) async fn decision(&self, request: &RequestId) -> TeamResult<Option<PlanDecision>> {
        let team = self.team.as_str();
        let rows = self.line.call("select fore_team.decision($1, $2)", &[&team, &request.0]).await?;
        first::<Option<&str>>(&rows)?.map(from_json).transpose()
    }
}

async fn read_tasks(line: &ServerLine, team: &TeamName) -> TeamResult<Vec<TeamTask>> {
    let rows = line.call("select fore_team.tasks($1)", &[&team.as_str()]).await?;
    rows.iter().map(|row| from_json(text(row, 0)?)).collect()
}

async fn read_requests(line: &ServerLine, team: &TeamName) -> TeamResult<Vec<PlanRequest>> {
    let rows = line.call("select fore_team.open_requests($1)", &[&team.as_str()]).await?;
    rows.iter().map(|row| checked(from_json(text(row, 0)?)?)).collect()
}

async fn read_overview(line: &ServerLine, team: &TeamName) -> TeamResult<TeamOverview> {
    let rows = line.call("select fore_team.overview($1)", &[&team.as_str()]).await?;
    let OverviewRow { lead, started, has_ended, members } = from_json(first_text(&rows)?)?;
    let members = members.into_iter().map(|row| RosterMember {
        name: row.name,
        role: row.role,
        added: row.added,
        has_left: row.has_left,
        is_open: row.is_open,
        waiting_mail: row.waiting_mail,
        status: serde_json::from_str(&row.status).unwrap_or_default(),
    });
    Ok(TeamOverview {
        team: team.clone(),
        lead,
        started,
        has_ended,
        members: members.collect(),
        tasks: read_tasks(line, team).await?,
        requests: read_requests(line, team).await?,
    })
}

/// A request is bound to its bytes on this side, too.
fn checked(request: PlanRequest) -> TeamResult<PlanRequest> {
    if request.hash == Hash::of(request.plan_content.as_bytes()) {
        Ok(request)
    } else {
        Err(unread("a plan is not its hash"))
    }
}

fn outcome(rows: &[Row]) -> TeamResult<DecisionOutcome> {
    let RecordRow { counts, decision } = from_json(first_text(rows)?)?;
    Ok(if counts { DecisionOutcome::Counts(decision) } else { DecisionOutcome::TooLate(decision) })
}

fn unread(why: &str) -> TeamError {
    TeamError::Malformed { path: "what the team server says".to_owned(), why: why.to_owned() }
}

fn first<'a, T: tokio_postgres::types::FromSql<'a>>(rows: &'a [Row]) -> TeamResult<T> {
    let row = rows.first().ok_or_else(|| unread("it says nothing"))?;
    row.try_get(0).map_err(|error| unread(&error.to_string()))
}

fn first_text(rows: &[Row]) -> TeamResult<&str> {
    first(rows)
}

fn text(row: &Row, column: usize) -> TeamResult<&str> {
    row.try_get(column).map_err(|error| unread(&error.to_string()))
}

fn json<T: Serialize>(value: &T) -> TeamResult<String> {
    Ok(serde_json::to_string(value).map_err(StoreError::from)?)
}

fn from_json<T: DeserializeOwned>(text: &str) -> TeamResult<T> {
    serde_json::from_str(text).map_err(|error| unread(&error.to_string()))
}
