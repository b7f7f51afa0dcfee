//! What the model is told besides the person's words: the notices that are due, made from the state and never from history.
//!
//! If one cannot be made, only reads are allowed until it can, and the person is told (E10).

use super::{ledger::lost_notice, session_context::SessionContext};
use crate::{
    control::todo_write,
    event::{AgentId, NoticeLevel},
};
use fore_plan::{
    Change, State,
    contract::Contract,
    plan::{Author, PlanStage, diff},
    reminder::{AgentLine, Audience, ForgetReason, Notice, PlanFile, PlanStanding, Reminder},
};
use fore_store::{entry::Cut, plan_file::PlanReading};

/// Lines of a difference that are told.
const MAX_DIFF_LINES: usize = 200;

/// Whether the current plan may be carried out.
fn standing(state: &State) -> PlanStanding {
    match state.plan().map(|plan| (plan.stage, plan.receipt.is_some())) {
        Some((PlanStage::Approved | PlanStage::InProgress, _)) => PlanStanding::Approved,
        Some((PlanStage::Abandoned, true)) => PlanStanding::Ended,
        Some((PlanStage::Draft | PlanStage::Proposed | PlanStage::Rejected | PlanStage::Done, _))
        | Some((PlanStage::Abandoned, false))
        | None => PlanStanding::Open,
    }
}

impl SessionContext {
    /// Counts a prompt of the person and gives the reminders that go with it.
    pub(crate) fn reminders_for_prompt(&self, is_first: bool) -> Vec<String> {
        self.must_record(Change::HumanTurn);
        let mut reminders = self.due_reminders();
        if is_first {
            reminders.extend(self.first_reminders());
        } else if self.setup.live().settings.agents_with_each_prompt {
            reminders.push(self.agents_there_are());
        }
        reminders.extend(self.tools_of_servers());
        reminders
    }

    /// The notices that are due now; each is told once.
    pub(crate) fn due_reminders(&self) -> Vec<String> {
        if self.ledger.is_planning()
            && let Err(error) = self.ledger.current_plan().and_then(|_| self.setup.plans.require_in_place())
        {
            let why = error.to_string();
            self.person.notice(NoticeLevel::Error, format!("Only reads are allowed for now: {why}"));
            self.must_record(Change::ReminderFailed { why: why.clone() });
            return vec![Reminder::Fallback { reason: &why }.render()];
        }
        if self.ledger.state().fallback().is_some() {
            self.must_record(Change::ReminderMended);
        }
        let plan = self.ledger.refresh_plan();
        let state = self.ledger.state();
        let is_approved = state.plan().is_some_and(|plan| plan.receipt.is_some());
        let exists = plan.text().is_some() || is_approved || state.previous_plan().is_some();
        let notices = state.notices_due_every(exists, self.setup.live().settings.turns_between_reminders);
        if notices.is_empty() {
            return Vec::new();
        }
        let reminders = notices.iter().filter_map(|notice| self.render(*notice, &state, &plan)).collect();
        self.must_record(Change::Told { notices });
        reminders
    }

    /// What happened to the plan file while it was shown, for the answer that sends the model back to it.
    pub(crate) fn plan_edits(&self) -> Vec<String> {
        let plan = self.ledger.refresh_plan();
        let state = self.ledger.state();
        let notices: Vec<Notice> =
            state.notices_due(true).into_iter().filter(|notice| *notice == Notice::PlanChanged).collect();
        if notices.is_empty() {
            return Vec::new();
        }
        let reminders = notices.iter().filter_map(|notice| self.render(*notice, &state, &plan)).collect();
        self.must_record(Change::Told { notices });
        reminders
    }

    fn render(&self, notice: Notice, state: &State, plan: &PlanReading) -> Option<String> {
        let path = state.plan().map(|plan| plan.path.as_str()).unwrap_or_default();
        let file = PlanFile { path, exists: plan.text().is_some() };
        let standing = standing(state);
        let reminder = match notice {
            Notice::PlanFull => {
                Reminder::PlanFull { reader: Audience::Main, plan: file, workflow: self.setup.live().settings.workflow }
                    .render()
            }
            Notice::PlanSparse => Reminder::PlanSparse { reader: Audience::Main, path }.render(),
            Notice::ReEntry => {
                let old = if file.exists { path } else { state.previous_plan()? };
                Reminder::PlanReentry { old, path }.render()
            }
            Notice::Exit => {
                let is_done = state.plan().is_some_and(|plan| plan.stage == PlanStage::Done && plan.receipt.is_some());
                let standing = if is_done { PlanStanding::Approved } else { standing };
                Reminder::PlanExit { plan: file, standing }.render()
            }
            Notice::AutoExit => Reminder::AutoExit.render(),
            Notice::PlanReference => {
                let after = match self.ledger.session().cut() {
                    _ if state.counters().is_taken_back() => ForgetReason::Rewind,
                    Some(Cut::Cleared) => ForgetReason::ClearedContext,
                    Some(Cut::Compacted { .. }) | None => ForgetReason::Compaction,
                };
                let by =
                    state.plan().and_then(|plan| plan.revision.as_ref()).map_or(Author::Model, |newest| newest.author);
                match self.ledger.what_counts() {
                    Some(content) => {
                        let covers = state.contract().and_then(Contract::summary);
                        let covers = covers.as_deref();
                        Reminder::PlanReference { path, content: &content, after, standing, by, covers }.render()
                    }
                    None => self.lost(path, state)?,
                }
            }
            Notice::PlanChanged => {
                let plan = state.plan()?;
                let newest = plan.revision.as_ref()?;
                // After an approval the difference is to what was approved, before it to what the model knows.
                let base = plan.receipt.as_ref().map(|receipt| receipt.hash).or(plan.known);
                let (old, new) =
                    (self.ledger.plan_text(base).unwrap_or_default(), self.ledger.plan_text(Some(newest.hash))?);
                let change = diff(&old, &new).unified(MAX_DIFF_LINES);
                Reminder::PlanChanged { path, diff: &change, by: newest.author, standing }.render()
            }
        };
        Some(reminder)
    }

    /// The approved bytes are gone: that is said, to both, and nothing else takes their place.
    fn lost(&self, path: &str, state: &State) -> Option<String> {
        let hash = state.plan()?.receipt.as_ref()?.hash;
        self.person.notice(NoticeLevel::Error, lost_notice(hash));
        Some(Reminder::PlanLost { path, hash: &hash.short() }.render())
    }

    /// Which agents can be started.
    fn agents_there_are(&self) -> String {
        let kinds = self.setup.kinds.iter();
        let lines: Vec<AgentLine<'_>> =
            kinds.map(|kind| AgentLine { name: &kind.name, description: &kind.description }).collect();
        Reminder::Subagents { agents: &lines }.render()
    }

    /// What a model needs at the beginning of what it sees: which agents there are, and an unfinished todo list.
    pub(crate) fn first_reminders(&self) -> Vec<String> {
        let mut reminders = vec![self.agents_there_are()];
        let todos = self.ledger.session().todos().to_vec();
        if !todos.is_empty() {
            reminders.push(todo_write::reminder(&todos));
        }
        reminders
    }

    /// What a subagent is told about planning: also where what it finds is kept, which is not the plan itself (B3).
    pub(crate) fn agent_reminder(&self, agent: &AgentId) -> Option<String> {
        let state = self.ledger.state();
        let path = self.ledger.is_planning().then(|| state.plan().map(|plan| plan.path.clone()).unwrap_or_default())?;
        // Notes are never the project's, wherever the plan is.
        let name = std::path::Path::new(&path).file_name().unwrap_or_default();
        let path = self.setup.home.plans_path().join(name).to_string_lossy().into_owned();
        let path = path.strip_suffix(".md").map_or_else(|| path.clone(), |stem| format!("{stem}-agent-{}.md", agent.0));
        let plan = PlanFile { path: &path, exists: self.ledger.read_plan().text().is_some() };
        Some(
            Reminder::PlanFull { reader: Audience::Subagent, plan, workflow: self.setup.live().settings.workflow }
                .render(),
        )
    }
}
