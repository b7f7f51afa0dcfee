//! A session at a glance: what was asked first, the mode it is in, the plans it made. What was said later is not read.

use crate::{
    entry::{self, BodyRef, EntryRef, KeptContent, LineReading, Rehearsal, SessionHeader, SessionId, Todo},
    error::{Result, StoreError},
    fold::{MAX_REHEARSALS, TranscriptLines, looks_like},
    folder::Access,
    home::Home,
    transcript,
};
use fore_plan::{
    Applied, Change, MAX_WORK, Mode, State, WorkRecord,
    approval::Timestamp,
    contract::Contract,
    plan::{Author, Hash, PlanId, PlanStage},
    report::Report,
};

/// Letters of the first prompt that are kept.
const MAX_PROMPT_CHARS: usize = 1000;

/// What a list shows of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionOverview {
    /// Which session it is; none when the first line is damaged.
    pub header: Option<SessionHeader>,
    /// What the person asked first, shortened.
    pub first_prompt: Option<String>,
    /// How often the person asked.
    pub prompts: u64,
    /// The mode it was left in.
    pub mode: Mode,
    /// A request for approval waits.
    pub awaits_approval: bool,
    /// Its plans, in the order they were begun.
    pub plans: Vec<PlanHistory>,
}

/// One plan of a session, from its first revision to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanHistory {
    /// Names it.
    pub plan: PlanId,
    /// Its file.
    pub path: String,
    /// How far it is.
    pub stage: PlanStage,
    /// The text that was approved, once one was.
    pub approved: Option<Hash>,
    /// Oldest first.
    pub revisions: Vec<KeptRevision>,
    /// What was tried while it was planned last, oldest first; bounded.
    pub rehearsals: Vec<Rehearsal>,
    /// What was approved with it.
    pub contract: Option<Contract>,
    /// What was done since, oldest first; bounded.
    pub work: Vec<WorkRecord>,
    /// What is to do for it, as the list stood last.
    pub todos: Vec<Todo>,
    /// The report that was made last.
    pub report: Option<Report>,
}

/// A revision whose text can be had by its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptRevision {
    /// Counted from 1.
    pub number: u32,
    /// Its bytes.
    pub hash: Hash,
    /// Who wrote it.
    pub author: Author,
    /// When it was recorded.
    pub at: Timestamp,
}

/// Looks at a session, also while another process has it. Costs one walk over its lines; only changes are taken apart.
pub fn overview(home: &Home, id: SessionId) -> Result<SessionOverview> {
    let name = transcript::file_name(id);
    let path = home.sessions.path_of(&name);
    let file = home.sessions.file(&name, Access::Read).map_err(|error| {
        let folder = home.sessions.path().to_owned();
        if error.is_missing() { StoreError::NoSuchSession { session: id.to_string(), folder } } else { error }
    })?;
    let mut look = OverviewBuilder::default();
    let mut lines = TranscriptLines::new(&file);
    while let Some(line) = lines.next().map_err(StoreError::io("read", &path))? {
        let is_later_exchange = look.first_prompt.is_some() && looks_like(line.bytes, b"message\"");
        if !line.is_complete || is_later_exchange {
            continue;
        }
        if let LineReading::Entry(entry) = entry::read(line.bytes, KeptContent::Content) {
            look.entry(entry);
        }
    }
    let OverviewBuilder { header, first_prompt, prompts, state, plans } = look;
    Ok(SessionOverview {
        header,
        first_prompt,
        prompts,
        mode: state.mode(),
        awaits_approval: state.pending().is_some(),
        plans,
    })
}

#[derive(Debug, Default)]
struct OverviewBuilder {
    header: Option<SessionHeader>,
    first_prompt: Option<String>,
    prompts: u64,
    state: State,
    plans: Vec<PlanHistory>,
}

impl OverviewBuilder {
    fn entry(&mut self, line: EntryRef<'_>) {
        match line.body {
            BodyRef::Session(header) => {
                self.header.get_or_insert(header);
            }
            BodyRef::Change(change) => self.change(&change, line.at),
            BodyRef::Message(message) => {
                if self.first_prompt.is_none() {
                    self.first_prompt = message.prompt().map(|text| text.chars().take(MAX_PROMPT_CHARS).collect());
                }
            }
            BodyRef::Cut(_) => {
                let _ = self.state.apply(&Change::ContextCut);
            }
            BodyRef::Rewind(rewind) => {
                let _ = self.state.apply(&rewind.change());
            }
            BodyRef::Rehearsal(rehearsal) => {
                if let Some(plan) = self.plan().filter(|plan| plan.rehearsals.len() < MAX_REHEARSALS) {
                    plan.rehearsals.push(rehearsal);
                }
            }
            BodyRef::Work(work) => {
                if let Some(plan) = self.plan().filter(|plan| plan.work.len() < MAX_WORK) {
                    plan.work.push(work);
                }
            }
            BodyRef::Report(report) => {
                if let Some(plan) = self.plan() {
                    plan.report = Some(report);
                }
            }
            BodyRef::Todos(todos) => {
                if let Some(plan) = self.plan().filter(|plan| plan.approved.is_some()) {
                    plan.todos = todos;
                }
            }
            BodyRef::Note | BodyRef::Shown(_) => {}
        }
    }

    fn change(&mut self, change: &Change, at: Timestamp) {
        if let Applied::Ignored(_) = self.state.apply(change) {
            return;
        }
        match change {
            // A copy of a session begins here: the plans before are those of the first one.
            Change::Started { .. } => self.plans.clear(),
            Change::HumanTurn => self.prompts += 1,
            Change::PlanNamed { .. }
            | Change::Stage { .. }
            | Change::Proposed(_)
            | Change::Decided { .. }
            | Change::Amended { .. } => {
                self.plan();
            }
            Change::PlanWritten { revision, .. } => {
                let kept = KeptRevision { number: revision.number, hash: revision.hash, author: revision.author, at };
                if let Some(plan) = self.plan() {
                    plan.revisions.push(kept);
                }
            }
            Change::Mode { from, to: Mode::Plan, .. } if *from != Mode::Plan => {
                if let Some(plan) = self.plan() {
                    plan.rehearsals.clear();
                }
            }
            Change::Mode { .. }
            | Change::Openings { .. }
            | Change::SettingsRead
            | Change::AutoDuringPlan { .. }
            | Change::Told { .. }
            | Change::ReminderFailed { .. }
            | Change::ReminderMended
            | Change::ContextCut
            | Change::ContextRewound { .. }
            | Change::PlanEditedOutside { .. }
            | Change::Allowed { .. }
            | Change::Forgotten { .. }
            | Change::AutoVerdict { .. } => {}
        }
    }

    /// The history of the current plan, brought up to date.
    fn plan(&mut self) -> Option<&mut PlanHistory> {
        let record = self.state.plan()?;
        if self.plans.last().is_none_or(|newest| newest.plan != record.id) {
            let (plan, path) = (record.id.clone(), record.path.clone());
            self.plans.push(PlanHistory {
                plan,
                path,
                stage: record.stage,
                approved: None,
                revisions: Vec::new(),
                rehearsals: Vec::new(),
                contract: None,
                work: Vec::new(),
                todos: Vec::new(),
                report: None,
            });
        }
        let plan = self.plans.last_mut()?;
        plan.stage = record.stage;
        plan.approved = record.receipt.as_ref().map(|receipt| receipt.hash);
        if plan.contract != record.contract {
            plan.contract.clone_from(&record.contract);
        }
        Some(plan)
    }
}
