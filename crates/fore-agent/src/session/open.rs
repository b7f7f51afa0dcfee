//! Begins a session, or goes on with one: everything is read, checked and made ready before the first command.

use super::{
    apply::{self, NotApplied},
    approval::now,
    caller::CallerContext,
    drive::Driver,
    event_channel::EventSender,
    pending_questions::PendingQuestions,
    running::RunningCalls,
    session_context::SessionContext,
    toolbox::{ToolOffering, Toolbox},
};
use crate::{
    agents::{AgentKind, AgentKinds},
    cancel::Cancel,
    context::{Conversation, SystemFacts, rebuild, system_prompt},
    disk::project_of,
    event::{AgentRow, Event, NoticeLevel, SandboxGaps, SessionStarted, SkillRow, StartedModels},
    launch::{Begin, Launch},
    memory::Memory,
    skills::{SkillKind, Skills},
    tools::{BackgroundRuns, SeenFiles, WorkingFolder},
    turn::Turn,
};
use fore_model::{Arguments, RequestHead, ResultPart, ToolResult, ToolUse};
use fore_plan::{
    Actor, Change, Level, Mode, ModeTarget, Refusal, SessionRole, State,
    approval::{self, Reachable, text},
    gate::{
        AllowScope,
        table::{Lack, WithoutSandbox},
        tool_name,
    },
    plan::Hash,
    transition,
};
use fore_sandbox::{Cages, GitProbe, Opener};
use fore_store::{
    Outputs, PlanFolder, Session, SessionFolders, SessionStart, StoreError,
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
const MAX_AGENTS: usize = 100;
/// Kinds of agents, and skills, that are listed at the beginning.
const MAX_ROWS: usize = 200;

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
pub(super) struct OpenedSession {
    pub(super) driver: Driver,
    /// Calls that wait for an answer of the person since before the restart.
    pub(super) left: Vec<ToolUse>,
    /// An approved plan is the first message: the work begins without a prompt.
    pub(super) starts_work: bool,
}

pub(super) fn open(launch: Launch, events: EventSender) -> Result<OpenedSession, StartError> {
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
        events.send(Event::Notice { level: NoticeLevel::Warning, text });
    }
    let places = SessionFolders { home: Arc::clone(&launch.home), plans: plans.clone() };
    let (session, resumed) = begin(&launch, &places, &folder)?;
    let context = session_context(&launch, &project, &folder, plans, session, events)?;
    report_resume(&context, resumed.as_ref());
    catch_up(&context, &launch, resumed.is_some())?;
    let applied = match &launch.begin {
        Begin::Apply { plan, level, .. } => {
            Some(apply::approve_ahead(&context, plan, *level, "fore apply").map_err(|error| match error {
                NotApplied::Refused(refusal) => StartError::Refused(refusal),
                NotApplied::Failed(why) => StartError::NotApplied(why),
            })?)
        }
        Begin::Fresh { .. } | Begin::Resume { .. } | Begin::Fork { .. } => None,
    };
    let (skills, warnings) = Skills::find(&context.opener(), &context.project, Some(context.home.path()));
    warnings.into_iter().for_each(|warning| context.notice(NoticeLevel::Warning, warning));
    let skills = Arc::new(skills);
    let toolbox = Arc::new(Toolbox::new(&skills));
    let (mut driver, left) = conversation(context, toolbox, &folder);
    driver.estimate_context();
    started(&driver, &launch, &skills, resumed.is_some());
    Ok(OpenedSession { driver, left, starts_work: applied.is_some() })
}

fn begin(launch: &Launch, places: &SessionFolders, folder: &Path) -> Result<(Session, Option<Resumed>), StartError> {
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
            let (session, report) = fork(places, *session, fore_store::fold::FoldUntil::End, random_slugs())?;
            let plan = PlanOnResume::None;
            Ok((session, Some(Resumed { report, plan, planning_because_of_damage: false })))
        }
    }
}

fn fresh(launch: &Launch, places: &SessionFolders, folder: &Path, mode: Mode) -> Result<Session, StartError> {
    let (level, planning) = allowed(launch, mode)?;
    let start = SessionStart { level, planning, openings: launch.openings, role: SessionRole::Main };
    Ok(Session::create(places, folder, start)?)
}

/// The level and whether to plan; a mode that is closed here is refused before it starts, never weakened (A7).
fn allowed(launch: &Launch, mode: Mode) -> Result<(Level, bool), StartError> {
    let openings = launch.openings;
    let started = Change::Started { level: Level::Default, planning: false, openings, role: SessionRole::Main };
    let state = State::fold_all([&started]);
    match transition(&state, ModeTarget::from(mode), Actor::Person, "start").map_err(StartError::Refused)? {
        Some(Change::Mode { to: Mode::At(level), .. }) => Ok((level, false)),
        Some(Change::Mode { to: Mode::Plan, .. }) => Ok((Level::Default, true)),
        Some(_) | None => Ok((Level::Default, false)),
    }
}

fn session_context(
    launch: &Launch,
    project: &Path,
    folder: &Path,
    plans: PlanFolder,
    session: Session,
    events: EventSender,
) -> Result<Arc<SessionContext>, StartError> {
    // Wherever our own folder is, nobody reads what other sessions left there.
    let own_folder = Some(launch.home.path().to_owned());
    let cages = Arc::new(Cages::new(fore_sandbox::CageSettings { own_folder, ..launch.settings.cages.clone() }));
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
    let context = Arc::new(SessionContext {
        id,
        project: project.to_owned(),
        user_home: launch.user_home.clone(),
        via: launch.via.clone(),
        rules,
        probe: Arc::new(GitProbe::new(Arc::clone(&cages))),
        cages,
        plans,
        folder: Arc::new(WorkingFolder::new(folder.to_owned())),
        seen: Arc::new(SeenFiles::default()),
        background: Arc::new(BackgroundRuns::default()),
        outputs: Arc::new(Outputs::open(&launch.home, id)?),
        variables: Arc::new(launch.settings.variables.clone()),
        home: Arc::clone(&launch.home),
        kinds,
        memory,
        events,
        questions: PendingQuestions::default(),
        held: Mutex::default(),
        running: Arc::new(RunningCalls::default()),
        prompts: Mutex::default(),
        runtime: tokio::runtime::Handle::current(),
        agent_slots: tokio::sync::Semaphore::new(launch.settings.max_agents.clamp(1, MAX_AGENTS)),
        settings: launch.settings.clone(),
        session: Mutex::new(session),
        models: Mutex::new(launch.models.clone()),
        turn: Mutex::new(Cancel::default()),
        usage: Mutex::default(),
        baseline: Mutex::default(),
        typed: Mutex::default(),
        typed_runs: Mutex::default(),
        remarked: tokio::sync::Notify::new(),
        is_attended: AtomicBool::new(launch.reachable == Reachable::Approver),
        mode_was_switched: AtomicBool::new(false),
        calls: AtomicU64::new(first_call(&launch.begin)),
    });
    let notes = context.memory.notes.clone();
    warnings.into_iter().chain(notes).for_each(|text| context.notice(NoticeLevel::Warning, text));
    Ok(context)
}

/// Calls and questions of a session that goes on have other names than before: an answer that comes late meets none of them.
fn first_call(begin: &Begin) -> u64 {
    match begin {
        Begin::Fresh { .. } | Begin::Apply { .. } => 0,
        Begin::Resume { .. } | Begin::Fork { .. } => now().0 / 1000,
    }
}

fn report_resume(context: &SessionContext, resumed: Option<&Resumed>) {
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
        PlanOnResume::ChangedOutside if context.state().plan().is_some_and(|plan| plan.receipt.is_some()) => {
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
    notices.into_iter().for_each(|text| context.notice(NoticeLevel::Warning, text));
}

/// What may have changed since the session was left: openings, rules, settings; and the mode that was asked for, if it is
/// stricter than the one it was left in.
fn catch_up(context: &SessionContext, launch: &Launch, is_resumed: bool) -> Result<(), StartError> {
    if is_resumed {
        if *context.state().openings() != launch.openings {
            context.try_record(Change::Openings { openings: launch.openings, by: Actor::Settings })?;
        }
        context.try_record(Change::SettingsRead)?;
        let asked = match &launch.begin {
            Begin::Resume { mode, .. } | Begin::Fork { mode, .. } => *mode,
            Begin::Fresh { .. } | Begin::Apply { .. } => None,
        };
        if context.is_planning() && matches!(asked, Some(Mode::At(_))) {
            let text = "This session was left planning and goes on planning; leave plan mode to change that.";
            context.notice(NoticeLevel::Warning, text);
        } else if let Some(mode) = asked {
            let change = transition(&context.state(), ModeTarget::from(mode), Actor::Person, "start")
                .inspect_err(|refusal| context.audit_refused_switch(ModeTarget::from(mode), "person", refusal));
            if let Some(change) = change.map_err(StartError::Refused)? {
                context.try_record(change)?;
            }
        }
        context.find_snapshot();
    } else if context.is_planning() {
        context.remember_workspace();
    }
    if context.settings.auto_during_plan {
        context.try_record(Change::AutoDuringPlan { wanted: true })?;
    }
    Ok(())
}

/// The conversation as far as it got, with every call answered but one that still waits for the person.
fn conversation(context: Arc<SessionContext>, toolbox: Arc<Toolbox>, folder: &Path) -> (Driver, Vec<ToolUse>) {
    let offering = ToolOffering {
        reachable: context.reachable(),
        model_may_plan: context.settings.model_may_plan,
        todo: context.settings.table.todo,
        trigger: context.settings.trigger,
    };
    let memory = context.memory_text();
    let surroundings =
        SystemFacts { project: &context.project, folder, caged: context.kernel().read_only.holds(), memory: &memory };
    let head = RequestHead::new(system_prompt(&surroundings), toolbox.offered(&offering));
    let rebuilt = {
        let session = context.session();
        rebuild(session.cut(), session.conversation())
    };
    let unanswered = rebuilt.unanswered.clone();
    let conversation = Conversation::restored(head, context.id.to_string(), rebuilt);
    let mut driver = Driver {
        caller: Arc::new(CallerContext::main(Cancel::default())),
        toolbox,
        conversation,
        turn: Turn::new(context.settings.max_rounds),
        model: None,
        calls: 0,
        last_text: String::new(),
        parked: None,
        judged: Default::default(),
        plan_before: None,
        context,
    };
    let left = answer_the_crashed(&mut driver, unanswered);
    (driver, left)
}

fn answer_the_crashed(driver: &mut Driver, calls: Vec<ToolUse>) -> Vec<ToolUse> {
    let context = Arc::clone(&driver.context);
    let waits = context.state().pending().is_some();
    let mut request = None;
    for call in calls {
        if waits && request.is_none() && tool_name(&call.name) == Some("ExitPlanMode") {
            request = Some(call);
        } else {
            driver.record(failed(&call, CRASHED));
        }
    }
    match context.reachable() {
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
    ToolResult { content: vec![ResultPart::Text(words.to_owned())], is_error: true, ..ToolResult::text(call, "") }
}

impl Driver {
    /// The person goes on without answering the request that waits: planning goes on, and the call gets its result.
    pub(super) fn take_request_back(&mut self) {
        if let Some(change) = approval::cancelled(&self.context.state()) {
            self.context.must_record(change);
        }
        if let Some(call) = self.parked.take() {
            let path = self.context.plan_path().unwrap_or_default();
            let words = text::rejected(&text::Rejected { path: &path, reason: None, comments: &[], changed: None });
            self.record(failed(&call, &words));
        }
    }
}

fn started(driver: &Driver, launch: &Launch, skills: &Skills, resumed: bool) {
    let (context, models) = (&driver.context, &launch.models);
    let state = context.state();
    let kernel = context.kernel();
    let started = SessionStarted {
        session: context.id,
        folder: context.folder.get().display().to_string(),
        project: context.project.display().to_string(),
        mode: state.mode(),
        trusted: state.openings().folder_trusted,
        allowed_hosts: context.settings.table.allowed_hosts.iter().map(ToString::to_string).collect(),
        models: StartedModels { plan: models.plan.name(), act: models.act.name(), small: models.small.name() },
        caged: kernel.read_only.holds(),
        rehearsal: kernel.rehearsal.holds(),
        sandbox: SandboxGaps::new(&kernel, context.settings.table.without_sandbox),
        resumed,
        tools: driver.conversation.head().tools().iter().map(|tool| tool.name.clone()).collect(),
        memory: context.memory.files.iter().map(|file| file.path.display().to_string()).collect(),
        agents: context.kinds.iter().take(MAX_ROWS).map(agent_row).collect(),
        skills: skills.iter().take(MAX_ROWS).map(skill_row).collect(),
        plan: context.plan_path(),
        context: context.context_use(),
        allowed: state.allowed().filter_map(AllowScope::of_key).map(|scope| scope.describe(&context.project)).collect(),
    };
    context.events.begin(Event::Started(started));
    if let Some(lack) = kernel.read_only.lack() {
        context.notice(NoticeLevel::Warning, no_sandbox(lack, context.settings.table.without_sandbox));
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
