//! Begins a session, or goes on with one: everything is read, checked and made ready before the first command.

use super::{
    apply::{self, NotApplied},
    approval::now,
    desk::Desk,
    drive::Driver,
    outbox::Outbox,
    running::Running,
    seat::Seat,
    toolbox::{Offering, Toolbox},
    waiting::Waiting,
};
use crate::{
    agents::{AgentKind, AgentKinds},
    cancel::Cancel,
    context::{Surroundings, Talk, rebuild, system_prompt},
    disk::project_of,
    event::{AgentRow, Event, NoticeLevel, Sandbox, SkillRow, Started, StartedModels},
    launch::{Begin, Launch},
    memory::Memory,
    skills::{SkillKind, Skills},
    tools::{Background, SeenFiles, WorkingFolder},
    turn::Turn,
};
use fore_model::{Arguments, Head, Piece, ToolResult, ToolUse};
use fore_plan::{
    Actor, Change, Level, Mode, Refusal, Role, State, Target,
    approval::{self, Reachable, text},
    gate::{
        Scope,
        table::{Lack, WithoutSandbox},
        tool_name,
    },
    plan::Hash,
    transition,
};
use fore_sandbox::{Cages, Opener, Probe};
use fore_store::{
    Outputs, Places, PlanFolder, Session, Start, StoreError,
    session::{PlanOnResume, Resumed, fork, random_slugs, resume},
};
use serde_json::json;
use std::{
    path::Path,
    sync::{Arc, Mutex, atomic::AtomicBool, atomic::AtomicU64},
};

pub(super) const CRASHED: &str = "The program ended while this call was under way. It is not known whether it took effect: \
     look before you make it again.";

/// Subagents that may run at once, whatever a setting says.
const MOST_AGENTS: usize = 100;
/// Kinds of agents, and skills, that are listed at the beginning.
const MOST_ROWS: usize = 200;

/// Why a session did not begin. Nothing has happened then.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("{0}")]
    Refused(Refusal),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the plan was not applied: {0}")]
    NotApplied(String),
    #[error("the folder `{0}` cannot be used: {1}")]
    Folder(String, std::io::Error),
}

/// A session that is ready to go.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) driver: Driver,
    /// Calls that wait for an answer of the person since before the restart.
    pub(super) left: Vec<ToolUse>,
    /// An approved plan is the first message: the work begins without a prompt.
    pub(super) starts_work: bool,
}

pub(super) fn open(launch: Launch, outbox: Outbox) -> Result<Opened, StartError> {
    if let Begin::Apply { plan, hash, .. } = &launch.begin
        && Hash::of(plan.as_bytes()) != *hash
    {
        return Err(StartError::NotApplied("the text is not the one whose hash was named".into()));
    }
    let folder = launch.folder.canonicalize();
    let folder = folder.map_err(|error| StartError::Folder(launch.folder.display().to_string(), error))?;
    let project = project_of(&folder);
    let plans = PlanFolder::resolve(&launch.home, &project, launch.settings.plans_directory.as_deref());
    if let Some(refused) = plans.refused() {
        let text = format!("{refused} Plans go to {}.", plans.path().display());
        outbox.send(Event::Notice { level: NoticeLevel::Warning, text });
    }
    let places = Places { home: Arc::clone(&launch.home), plans: plans.clone() };
    let (session, resumed) = begin(&launch, &places, &folder)?;
    let desk = desk(&launch, &project, &folder, plans, session, outbox)?;
    tell_what_was_met(&desk, resumed.as_ref());
    catch_up(&desk, &launch, resumed.is_some())?;
    let applied = match &launch.begin {
        Begin::Apply { plan, level, .. } => {
            Some(apply::approve_ahead(&desk, plan, *level, "fore apply").map_err(|error| match error {
                NotApplied::Refused(refusal) => StartError::Refused(refusal),
                NotApplied::Failed(why) => StartError::NotApplied(why),
            })?)
        }
        Begin::Fresh { .. } | Begin::Resume { .. } | Begin::Fork { .. } => None,
    };
    let (skills, warnings) = Skills::find(&desk.opener(), &desk.project, Some(desk.home.path()));
    warnings.into_iter().for_each(|warning| desk.notice(NoticeLevel::Warning, warning));
    let skills = Arc::new(skills);
    let toolbox = Arc::new(Toolbox::new(&skills));
    let (mut driver, left) = conversation(desk, toolbox, &folder);
    driver.estimate_context();
    started(&driver, &launch, &skills, resumed.is_some());
    Ok(Opened { driver, left, starts_work: applied.is_some() })
}

fn begin(launch: &Launch, places: &Places, folder: &Path) -> Result<(Session, Option<Resumed>), StartError> {
    match &launch.begin {
        Begin::Fresh { mode } => Ok((fresh(launch, places, folder, *mode)?, None)),
        Begin::Apply { level, .. } => {
            // The level is checked before anything is written; planning is on until the plan is approved.
            allowed(launch, Mode::At(*level))?;
            Ok((fresh(launch, places, folder, Mode::Plan)?, None))
        }
        Begin::Resume { session, .. } => {
            let (session, resumed) = resume(places, *session)?;
            Ok((session, Some(resumed)))
        }
        Begin::Fork { session, .. } => {
            let (session, report) = fork(places, *session, fore_store::fold::Until::End, random_slugs())?;
            let plan = PlanOnResume::None;
            Ok((session, Some(Resumed { report, plan, planning_because_of_damage: false })))
        }
    }
}

fn fresh(launch: &Launch, places: &Places, folder: &Path, mode: Mode) -> Result<Session, StartError> {
    let (level, planning) = allowed(launch, mode)?;
    let start = Start { level, planning, openings: launch.openings, role: Role::Main };
    Ok(Session::create(places, folder, start)?)
}

/// The level and whether to plan; a mode that is closed here is refused before it starts, never weakened (A7).
fn allowed(launch: &Launch, mode: Mode) -> Result<(Level, bool), StartError> {
    let openings = launch.openings;
    let started = Change::Started { level: Level::Default, planning: false, openings, role: Role::Main };
    let state = State::fold_all([&started]);
    match transition(&state, Target::from(mode), Actor::Person, "start").map_err(StartError::Refused)? {
        Some(Change::Mode { to: Mode::At(level), .. }) => Ok((level, false)),
        Some(Change::Mode { to: Mode::Plan, .. }) => Ok((Level::Default, true)),
        Some(_) | None => Ok((Level::Default, false)),
    }
}

fn desk(
    launch: &Launch,
    project: &Path,
    folder: &Path,
    plans: PlanFolder,
    session: Session,
    outbox: Outbox,
) -> Result<Arc<Desk>, StartError> {
    // Wherever our own folder is, nobody reads what other sessions left there.
    let own_folder = Some(launch.home.path().to_owned());
    let cages = Arc::new(Cages::new(fore_sandbox::Settings { own_folder, ..launch.settings.cages.clone() }));
    let rules = Arc::new(launch.settings.rules.clone());
    let denied = Arc::clone(&rules);
    let opener = Opener::new(Arc::clone(&cages), project)
        .denying(Arc::new(move |path: &Path| crate::tools::is_denied(&denied, path)));
    let (kinds, warnings) =
        AgentKinds::find(&opener, project, Some(launch.home.path()), &launch.settings.trusted_files);
    let memory = if launch.settings.memory {
        Memory::find(opener, Some(launch.home.path()), project, folder)
    } else {
        Memory::none(project)
    };
    let id = session.id();
    let desk = Arc::new(Desk {
        id,
        project: project.to_owned(),
        user_home: launch.user_home.clone(),
        via: launch.via.clone(),
        rules,
        probe: Arc::new(Probe::new(Arc::clone(&cages))),
        cages,
        plans,
        folder: Arc::new(WorkingFolder::new(folder.to_owned())),
        seen: Arc::new(SeenFiles::default()),
        background: Arc::new(Background::default()),
        outputs: Arc::new(Outputs::open(&launch.home, id)?),
        variables: Arc::new(launch.settings.variables.clone()),
        home: Arc::clone(&launch.home),
        kinds,
        memory,
        outbox,
        waiting: Waiting::default(),
        held: Mutex::default(),
        running: Arc::new(Running::default()),
        prompts: Mutex::default(),
        runtime: tokio::runtime::Handle::current(),
        seats: tokio::sync::Semaphore::new(launch.settings.most_agents.clamp(1, MOST_AGENTS)),
        settings: launch.settings.clone(),
        session: Mutex::new(session),
        brains: Mutex::new(launch.brains.clone()),
        turn: Mutex::new(Cancel::default()),
        usage: Mutex::default(),
        before: Mutex::default(),
        typed: Mutex::default(),
        typed_runs: Mutex::default(),
        remarked: tokio::sync::Notify::new(),
        is_attended: AtomicBool::new(launch.reachable == Reachable::Approver),
        mode_was_switched: AtomicBool::new(false),
        calls: AtomicU64::new(first_call(&launch.begin)),
    });
    let notes = desk.memory.notes.clone();
    warnings.into_iter().chain(notes).for_each(|text| desk.notice(NoticeLevel::Warning, text));
    Ok(desk)
}

/// Calls and questions of a session that goes on have other names than before: an answer that comes late meets none of them.
fn first_call(begin: &Begin) -> u64 {
    match begin {
        Begin::Fresh { .. } | Begin::Apply { .. } => 0,
        Begin::Resume { .. } | Begin::Fork { .. } => now().0 / 1000,
    }
}

fn tell_what_was_met(desk: &Desk, resumed: Option<&Resumed>) {
    let Some(resumed) = resumed else { return };
    let mut notices: Vec<String> = Vec::new();
    if !resumed.report.is_clean() {
        notices.push(resumed.report.to_string());
    }
    if resumed.planning_because_of_damage {
        notices.push("Saved entries were damaged, so planning is on; leave it by hand if that is wrong.".into());
    }
    match &resumed.plan {
        PlanOnResume::None | PlanOnResume::AsRecorded | PlanOnResume::NotNeeded => {}
        PlanOnResume::ChangedOutside if desk.state().plan().is_some_and(|plan| plan.receipt.is_some()) => {
            let text = "The plan file was changed since the plan was approved. What was approved still counts; \
                        /plan shows it, /plan diff the change.";
            notices.push(text.into());
        }
        PlanOnResume::ChangedOutside => {
            notices.push("The plan file was changed since, outside of Forethought; /plan diff shows it.".into());
        }
        PlanOnResume::Recovered { .. } => {
            notices.push("The plan file was gone and is back from the transcript.".into())
        }
        PlanOnResume::Lost => notices.push("The plan file is gone and no copy of it was found.".into()),
        PlanOnResume::Unavailable(error) => notices.push(format!("The plan file cannot be used: {error}")),
    }
    notices.into_iter().for_each(|text| desk.notice(NoticeLevel::Warning, text));
}

/// What may have changed since the session was left: openings, rules, settings; and the mode that was asked for, if it is
/// stricter than the one it was left in.
fn catch_up(desk: &Desk, launch: &Launch, is_resumed: bool) -> Result<(), StartError> {
    if is_resumed {
        if *desk.state().openings() != launch.openings {
            desk.try_record(Change::Openings { openings: launch.openings, by: Actor::Settings })?;
        }
        desk.try_record(Change::SettingsRead)?;
        let asked = match &launch.begin {
            Begin::Resume { mode, .. } | Begin::Fork { mode, .. } => *mode,
            Begin::Fresh { .. } | Begin::Apply { .. } => None,
        };
        if desk.plans() && matches!(asked, Some(Mode::At(_))) {
            let text = "This session was left planning and goes on planning; leave plan mode to change that.";
            desk.notice(NoticeLevel::Warning, text);
        } else if let Some(mode) = asked {
            let change = transition(&desk.state(), Target::from(mode), Actor::Person, "start")
                .inspect_err(|refusal| desk.audit_refused_switch(Target::from(mode), "person", refusal));
            if let Some(change) = change.map_err(StartError::Refused)? {
                desk.try_record(change)?;
            }
        }
        desk.find_snapshot();
    } else if desk.plans() {
        desk.remember_workspace();
    }
    if desk.settings.auto_during_plan {
        desk.try_record(Change::AutoDuringPlan { wanted: true })?;
    }
    Ok(())
}

/// The conversation as far as it got, with every call answered but one that still waits for the person.
fn conversation(desk: Arc<Desk>, toolbox: Arc<Toolbox>, folder: &Path) -> (Driver, Vec<ToolUse>) {
    let offering = Offering {
        reachable: desk.reachable(),
        model_may_plan: desk.settings.model_may_plan,
        todo: desk.settings.table.todo,
        trigger: desk.settings.trigger,
    };
    let memory = desk.memory_text();
    let surroundings =
        Surroundings { project: &desk.project, folder, caged: desk.kernel().read_only.holds(), memory: &memory };
    let head = Head::new(system_prompt(&surroundings), toolbox.offered(&offering));
    let rebuilt = {
        let session = desk.session();
        rebuild(session.cut(), session.conversation())
    };
    let unanswered = rebuilt.unanswered.clone();
    let talk = Talk::restored(head, desk.id.to_string(), rebuilt);
    let mut driver = Driver {
        seat: Arc::new(Seat::main(Cancel::default())),
        toolbox,
        talk,
        turn: Turn::new(desk.settings.most_rounds),
        brain: None,
        calls: 0,
        last_words: String::new(),
        parked: None,
        plan_before: None,
        desk,
    };
    let left = answer_the_crashed(&mut driver, unanswered);
    (driver, left)
}

fn answer_the_crashed(driver: &mut Driver, calls: Vec<ToolUse>) -> Vec<ToolUse> {
    let desk = Arc::clone(&driver.desk);
    let waits = desk.state().pending().is_some();
    let mut request = None;
    for call in calls {
        if waits && request.is_none() && tool_name(&call.name) == Some("ExitPlanMode") {
            request = Some(call);
        } else {
            driver.record(failed(&call, CRASHED));
        }
    }
    match desk.reachable() {
        // A plan that came with the call is in its file since then, and the person may have changed it there.
        Reachable::Approver => {
            request.map(|call| ToolUse { arguments: Arguments::Ok(json!({})), ..call }).into_iter().collect()
        }
        // Nobody is here to answer: it stays where it is until a prompt takes it back.
        Reachable::Nobody => {
            driver.parked = request;
            Vec::new()
        }
    }
}

pub(super) fn failed(call: &ToolUse, words: &str) -> ToolResult {
    ToolResult { content: vec![Piece::Text(words.to_owned())], is_error: true, ..ToolResult::text(call, "") }
}

impl Driver {
    /// The person goes on without answering the request that waits: planning goes on, and the call gets its result.
    pub(super) fn take_request_back(&mut self) {
        if let Some(change) = approval::cancelled(&self.desk.state()) {
            self.desk.must_record(change);
        }
        if let Some(call) = self.parked.take() {
            let path = self.desk.plan_path().unwrap_or_default();
            let words = text::rejected(&text::Rejected { path: &path, words: None, comments: &[], changed: None });
            self.record(failed(&call, &words));
        }
    }
}

fn started(driver: &Driver, launch: &Launch, skills: &Skills, resumed: bool) {
    let (desk, brains) = (&driver.desk, &launch.brains);
    let state = desk.state();
    let kernel = desk.kernel();
    let started = Started {
        session: desk.id,
        folder: desk.folder.get().display().to_string(),
        project: desk.project.display().to_string(),
        mode: state.mode(),
        trusted: state.openings().folder_trusted,
        allowed_hosts: desk.settings.table.allowed_hosts.iter().map(ToString::to_string).collect(),
        models: StartedModels { plan: brains.plan.name(), act: brains.act.name(), small: brains.small.name() },
        caged: kernel.read_only.holds(),
        rehearsal: kernel.rehearsal.holds(),
        sandbox: Sandbox::new(&kernel, desk.settings.table.without_sandbox),
        resumed,
        tools: driver.talk.head().tools().iter().map(|tool| tool.name.clone()).collect(),
        memory: desk.memory.files.iter().map(|file| file.path.display().to_string()).collect(),
        agents: desk.kinds.iter().take(MOST_ROWS).map(agent_row).collect(),
        skills: skills.iter().take(MOST_ROWS).map(skill_row).collect(),
        plan: desk.plan_path(),
        context: desk.context_use(),
        allowed: state.allowed().filter_map(Scope::of_key).map(|scope| scope.words(&desk.project)).collect(),
    };
    desk.outbox.begin(Event::Started(started));
    if let Some(lack) = kernel.read_only.lack() {
        desk.notice(NoticeLevel::Warning, no_sandbox(lack, desk.settings.table.without_sandbox));
    }
}

fn no_sandbox(lack: &Lack, without: WithoutSandbox) -> String {
    let so = match without {
        WithoutSandbox::Nothing => "while planning no command runs",
        WithoutSandbox::Reads => {
            "while planning, commands that are proved to read run without one, as your settings say"
        }
    };
    format!("No sandbox can be built here, so {so}: {}. {}", lack.reason, lack.remedy)
}

fn agent_row(kind: &AgentKind) -> AgentRow {
    AgentRow { name: kind.name.clone(), description: kind.description.clone(), read_only: kind.is_read_only }
}

fn skill_row(skill: &SkillKind) -> SkillRow {
    SkillRow { name: skill.name.clone(), description: skill.description.clone() }
}
