//! Tasks on one machine: a file each, changed while the list is locked.

use super::{HeldPlace, LocalPlace, LocalTeam, MAX_SMALL_BYTES, put_json, put_new_json, read_json};
use crate::{
    error::{TeamError, TeamResult},
    mail::{MailBody, MessageId, TeamMessage},
    name::MemberName,
    task::{MAX_TASKS, NewTask, TaskId, TeamTask, TeamTaskState},
};

const LOCK: &str = "tasks.lock";

impl LocalTeam {
    pub(super) fn tasks(&self) -> TeamResult<Vec<TeamTask>> {
        let folder = self.folder(&["tasks"])?;
        let mut tasks = Vec::new();
        for name in folder.names(MAX_TASKS * 2)? {
            let number = name.strip_suffix(".json").and_then(|number| number.parse().ok()).map(TaskId);
            let Some(id) = number.filter(|id| file_name(*id) == name) else { continue };
            let task: Option<TeamTask> = read_json(&folder, &name, MAX_SMALL_BYTES)?;
            tasks.extend(task.filter(|task| task.id == id));
        }
        tasks.sort_unstable_by_key(|task| task.id);
        Ok(tasks)
    }
}

impl HeldPlace {
    fn add_task(&self, task: NewTask) -> TeamResult<TeamTask> {
        task.check()?;
        self.team.require_going()?;
        self.team.require_present(&self.me)?;
        if let Some(owner) = &task.owner {
            self.team.require_present(owner)?;
            if *owner != self.me {
                self.require_lead("give a task to somebody else")?;
            }
        }
        let _locked = self.team.lock(LOCK)?;
        let all = self.team.tasks()?;
        if let Some(known) = all.iter().find(|known| known.key == task.key) {
            return Ok(known.clone());
        }
        if all.len() >= MAX_TASKS {
            let then = "end this team and start a new one";
            return Err(TeamError::Full { what: "the list of tasks".to_owned(), max: MAX_TASKS, then });
        }
        if let Some(unknown) = task.needs.iter().find(|need| all.iter().all(|known| known.id != **need)) {
            return Err(TeamError::NoSuchTask(*unknown));
        }
        let id = TaskId(all.last().map_or(1, |last| last.id.0 + 1));
        let NewTask { key, title, text, needs, owner } = task;
        let state = TeamTaskState::Open;
        let task = TeamTask { id, key, title, text, needs, owner, state, added_by: self.me.clone() };
        put_new_json(&self.team.folder(&["tasks"])?, &file_name(id), &task)?;
        Ok(task)
    }

    /// Changes a task while nobody else does.
    pub(super) fn change_task(
        &self,
        id: TaskId,
        change: impl FnOnce(&mut TeamTask, &[TeamTask]) -> TeamResult<()>,
    ) -> TeamResult<TeamTask> {
        let _locked = self.team.lock(LOCK)?;
        let all = self.team.tasks()?;
        let known = all.iter().find(|task| task.id == id).ok_or(TeamError::NoSuchTask(id))?;
        let mut task = known.clone();
        change(&mut task, &all)?;
        if task != *known {
            put_json(&self.team.folder(&["tasks"])?, &file_name(id), &task)?;
        }
        Ok(task)
    }

    fn claim_task(&self, id: TaskId) -> TeamResult<TeamTask> {
        self.team.require_going()?;
        self.team.require_present(&self.me)?;
        self.change_task(id, |task, all| task.claim(&self.me, all))
    }

    fn assign_task(&self, id: TaskId, owner: Option<MemberName>) -> TeamResult<TeamTask> {
        self.require_lead("assign a task")?;
        self.team.require_going()?;
        if let Some(owner) = &owner {
            self.team.require_present(owner)?;
        }
        let task = self.change_task(id, |task, _| task.assign(owner))?;
        if let Some(owner) = task.owner.clone().filter(|owner| *owner != self.me) {
            let (from, body) = (self.me.clone(), MailBody::TaskAssigned(id));
            self.team.deliver(&TeamMessage { id: MessageId::fresh(), from, to: owner, at: super::now(), body })?;
        }
        Ok(task)
    }
}

impl LocalPlace {
    pub(crate) async fn tasks(&self) -> TeamResult<Vec<TeamTask>> {
        self.run(|place| place.team.tasks()).await
    }

    pub(crate) async fn add_task(&self, task: NewTask) -> TeamResult<TeamTask> {
        self.run(move |place| place.add_task(task)).await
    }

    pub(crate) async fn claim_task(&self, id: TaskId) -> TeamResult<TeamTask> {
        self.run(move |place| place.claim_task(id)).await
    }

    pub(crate) async fn set_task_state(&self, id: TaskId, state: TeamTaskState) -> TeamResult<TeamTask> {
        self.run(move |place| {
            place.team.require_going()?;
            let is_lead = place.me == place.team.lead;
            place.change_task(id, |task, all| task.set_state(state, &place.me, is_lead, all))
        })
        .await
    }

    pub(crate) async fn assign_task(&self, id: TaskId, owner: Option<MemberName>) -> TeamResult<TeamTask> {
        self.run(move |place| place.assign_task(id, owner)).await
    }
}

fn file_name(id: TaskId) -> String {
    format!("{id}.json")
}
