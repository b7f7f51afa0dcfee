//! Begins a session, or goes on with one: everything is read, checked and made ready before the first command.

use super::{
    approval::{
        apply::{self, NotApplied},
        now,
    },
    caller::CallerContext,
    drive::Driver,
    ledger::Ledger,
    open_checks::CheckRunning,
    person::PersonLink,
    servers::server_names,
    session_context::SessionContext,
    setup::{HeldSettings, LiveSettings, SessionSetup},
    spending::{CacheWatch, Spending},
    stale::{moved_since, named},
    team::{SessionTeam, start::TeamPlaceGiven},
    toolbox::{ToolOffering, Toolbox},
    work::OngoingWork,
};
use crate::{
    agents::{AgentKind, AgentKinds},
    cancel::Cancel,
    context::{Conversation, Heads, SystemFacts, lean_prompt, lean_tools, present, rebuild, system_prompt},
    custom::CustomCommands,
    disk::project_of,
    event::{AgentRow, Event, NoticeLevel, SandboxGaps, SessionStarted, SkillRow, StartedModels},
    event_channel::EventSender,
    launch::{Begin, Launch, StalePlan},
    memory::Memory,
    named_files::MovedFile,
    skills::{SkillKind, Skills},
    turn::Turn,
};
use fore_model::{Arguments, RequestHead, ResultPart, ToolResult, ToolUse};
use fore_plan::{
    Actor, Change, Level, Mode, ModeReason, ModeTarget, Refusal, SessionRole, State, ToolName,
    approval::{self, ApprovalText, Approver, Reachable},
    gate::{
        AllowScope, Drift,
        table::{Lack, WithoutSandbox},
    },
    plan::Hash,
    transition,
};
use fore_sandbox::{Cages, GitProbe, Opener};
use fore_store::{
    Outputs, PlanFolder, Session, SessionFolders, SessionStart, StoreError,
    session::{PlanOnResume, Resumed, fork, random_slugs, resume},
};
use fore_team::MemberRole;
use serde_json::json;
use std::{path::Path, sync::Arc};

pub(super) const CRASHED: &str = "The program ended while this call was under way. It is not known whether it took effect: \
     look before you make it again.";

/// Kinds of agents, and skills, that are listed at the beginning.
const MAX_ROWS: usize = 200;

/// Why a session did not begin. Nothing has happened then.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The mode that was asked for is closed here.
    #[error("{0}")]
    Refused(Refusal),
    /// Our own files could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The plan that was to be applied does not fit.
    #[error("the plan was not applied: {0}")]
    NotApplied(String),
    /// Files that the plan names have moved since it was made.
    #[error("{} since the plan was made", fore_text::count_as(moved.len(), "file that it names has changed", "files that it names have changed"))]
    Stale {
        /// Which of them, and how.
        moved: Vec<MovedFile>,
        /// Where the repository stood then and stands now, in words, if that differs.
        heads: Option<(String, String)>,
    },
    /// There is no such folder, or it cannot be entered.
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
    /// How it began, as hooks know it.
    pub(super) source: &'static str,
}

pub(super) fn open(
    launch: Launch,
    place: Option<TeamPlaceGiven>,
    events: EventSender,
) -> Result<OpenedSession, StartError> {
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
    let (cages, held) = (cages(&launch), held(&launch));
    let moved = match &launch.begin {
        Begin::Apply { hash, stale, .. } => {
            require_not_stale(&launch, (opener(&cages, &held, &project), &project), *hash, *stale)?
        }
        Begin::Fresh { .. } | Begin::Resume { .. } | Begin::Fork { .. } => None,
    };
    let places = SessionFolders { home: Arc::clone(&launch.home), plans: plans.clone() };
    let (session, resumed) = begin(&launch, place.as_ref(), &places, &folder)?;
    let context = session_context(&launch, &project, &folder, plans, session, events, (cages, held))?;
    if let Some(place) = &place {
        context.setup.team.sit(Arc::clone(&place.membership), place.lead_here.clone());
    }
    report_resume(&context, resumed.as_ref());
    catch_up(&context, &launch, resumed.is_some())?;
    if resumed.is_some() {
        context.tell_moved_on_resume();
    }
    let applied = match &launch.begin {
        Begin::Apply { plan, level, .. } => {
            tell_moved(&context, moved.as_deref());
            let applied = apply::approve_ahead(&context, plan, *level, "fore apply", moved.as_deref());
            Some(applied.map_err(|error| match error {
                NotApplied::Refused(refusal) => StartError::Refused(refusal),
                NotApplied::Failed(why) => StartError::NotApplied(why),
            })?)
        }
        Begin::Fresh { .. } | Begin::Resume { .. } | Begin::Fork { .. } => None,
    };
    let (skills, warnings) = Skills::find(
        &context.setup.opener(&context.ledger.state()),
        &context.setup.project,
        Some(context.setup.home.path()),
    );
    warnings.into_iter().for_each(|warning| context.person.notice(NoticeLevel::Warning, warning));
    let skills = Arc::new(skills);
    let (commands, warnings) = context.custom_commands();
    warnings.into_iter().for_each(|warning| context.person.notice(NoticeLevel::Warning, warning));
    let toolbox = Arc::new(Toolbox::new(&skills).with_servers(server_names(&context.setup.live().settings.mcp)));
    let (mut driver, left) = conversation(context, toolbox, &folder);
    driver.estimate_context();
    started(&driver, &launch, (&skills, commands), resumed.is_some());
    driver.context.tell_untrusted_servers();
    if driver.context.person.reachable() == Reachable::Approver {
        driver.context.start_servers_ahead(|_| true);
    }
    let source = match &launch.begin {
        Begin::Fresh { .. } | Begin::Apply { .. } => "startup",
        Begin::Resume { .. } => "resume",
        Begin::Fork { .. } => "fork",
    };
    Ok(OpenedSession { driver, left, starts_work: applied.is_some(), source })
}

fn begin(
    launch: &Launch,
    place: Option<&TeamPlaceGiven>,
    places: &SessionFolders,
    folder: &Path,
) -> Result<(Session, Option<Resumed>), StartError> {
    match &launch.begin {
        Begin::Fresh { mode } => Ok((fresh(launch, role(place), (places, folder), *mode)?, None)),
        Begin::Apply { level, .. } => {
            // The level is checked before anything is written; planning is on until the plan is approved.
            allowed(launch, Mode::At(*level))?;
            Ok((fresh(launch, role(place), (places, folder), Mode::Plan)?, None))
        }
        Begin::Resume { session, .. } => {
            let (session, resumed) = resume(places, *session)?;
            Ok((session, Some(resumed)))
        }
        Begin::Fork { session, .. } => {
            let (session, report) = fork(places, *session, fore_store::FoldUntil::End, random_slugs())?;
            let plan = PlanOnResume::None;
            Ok((session, Some(Resumed { report, plan, planning_because_of_damage: false })))
        }
    }
}

fn fresh(
    launch: &Launch,
    role: SessionRole,
    (places, folder): (&SessionFolders, &Path),
    mode: Mode,
) -> Result<Session, StartError> {
    let (level, planning) = allowed(launch, mode)?;
    let start = SessionStart { level, planning, openings: launch.openings, role };
    Ok(Session::create(places, folder, start)?)
}

fn role(place: Option<&TeamPlaceGiven>) -> SessionRole {
    let Some(place) = place else { return SessionRole::Main };
    let (name, team) = (place.membership.name().to_string(), place.membership.team().to_string());
    match place.role {
        MemberRole::Lead => SessionRole::Main,
        MemberRole::Voluntary => SessionRole::Voluntary { name, team },
        MemberRole::Required => SessionRole::Required { name, team, lead: place.membership.lead().to_string() },
    }
}

/// The level and whether to plan; a mode that is closed here is refused before it starts, never weakened (A7).
fn allowed(launch: &Launch, mode: Mode) -> Result<(Level, bool), StartError> {
    let openings = launch.openings;
    let started = Change::Started { level: Level::Default, planning: false, openings, role: SessionRole::Main };
    let state = State::fold_all([&started]);
    match transition(&state, ModeTarget::from(mode), Actor::Person, ModeReason::Start).map_err(StartError::Refused)? {
        Some(Change::Mode { to: Mode::At(level), .. }) => Ok((level, false)),
        Some(Change::Mode { to: Mode::Plan, .. }) => Ok((Level::Default, true)),
        Some(_) | None => Ok((Level::Default, false)),
    }
}

pub(super) fn cages(launch: &Launch) -> Arc<Cages> {
    // Wherever our own folder is, nobody reads what other sessions left there.
    let own_folder = Some(launch.home.path().to_owned());
    let settings = fore_sandbox::CageSettings { own_folder, ..launch.settings.cages.clone() };
    Arc::new(Cages::new(settings, launch.catalogue))
}

pub(super) fn held(launch: &Launch) -> HeldSettings {
    HeldSettings::new(LiveSettings::new(launch.settings.clone(), launch.openings.folder_trusted))
}

pub(super) fn opener(cages: &Arc<Cages>, held: &HeldSettings, project: &Path) -> Opener {
    let denied = held.clone();
    Opener::new(Arc::clone(cages), project).denying(Arc::new(move |path: &Path| denied.is_denied(path)))
}

/// What has moved since the plan was made; none where nobody here made it. A plan that is stale is refused before anything is
/// written, unless the person allowed it.
fn require_not_stale(
    launch: &Launch,
    (opener, project): (Opener, &Path),
    plan: Hash,
    stale: StalePlan,
) -> Result<Option<Vec<MovedFile>>, StartError> {
    let Some(moved) = moved_since(&launch.home, &opener, project, plan) else { return Ok(None) };
    match stale {
        StalePlan::Refused if !moved.files.is_empty() => {
            Err(StartError::Stale { moved: moved.files, heads: moved.heads })
        }
        StalePlan::Refused | StalePlan::Allowed => Ok(Some(moved.files)),
    }
}

fn tell_moved(context: &SessionContext, moved: Option<&[MovedFile]>) {
    match moved {
        None => {
            let text = "This plan was not made here, so it is not known whether the files it names have changed since.";
            context.person.notice(NoticeLevel::Info, text);
        }
        Some([]) => {}
        Some(moved) => {
            let text = format!("Changed since the plan was made: {}.", named(moved));
            context.person.notice(NoticeLevel::Warning, text);
        }
    }
}

fn session_context(
    launch: &Launch,
    project: &Path,
    folder: &Path,
    plans: PlanFolder,
    session: Session,
    events: EventSender,
    (cages, held): (Arc<Cages>, HeldSettings),
) -> Result<Arc<SessionContext>, StartError> {
    let opener = opener(&cages, &held, project);
    let (kinds, warnings) =
        AgentKinds::find(&opener, project, Some(launch.home.path()), &launch.settings.trusted_files);
    let memory = if launch.settings.memory {
        Memory::find(opener, Some(launch.home.path()), project, folder)
    } else {
        Memory::none(project)
    };
    let id = session.id();
    let setup = SessionSetup {
        id,
        project: project.to_owned(),
        user_home: launch.user_home.clone(),
        via: launch.via.clone(),
        unsaved: launch.unsaved.clone(),
        drift: match &launch.begin {
            Begin::Apply { drift, .. } => *drift,
            Begin::Fresh { .. } | Begin::Resume { .. } | Begin::Fork { .. } => Drift::Asked,
        },
        held,
        reader: launch.settings_reader.clone(),
        probe: Arc::new(GitProbe::new(Arc::clone(&cages))),
        cages,
        servers: Arc::default(),
        team: SessionTeam::default(),
        home: Arc::clone(&launch.home),
        plans,
        outputs: Arc::new(Outputs::open(&launch.home, id)?),
        kinds,
        memory,
        runtime: tokio::runtime::Handle::current(),
        check_running: match launch.begin {
            Begin::Apply { runs_checks: true, .. } => CheckRunning::AtTheEnd,
            Begin::Apply { .. } | Begin::Fresh { .. } | Begin::Resume { .. } | Begin::Fork { .. } => {
                CheckRunning::Asked
            }
        },
    };
    let first = first_call(&launch.begin);
    let undo = crate::undo::UndoMemory::new(&launch.home, &setup.project, id.to_string());
    let spending = Spending::new(&launch.home, id, &setup.project);
    let context = Arc::new(SessionContext {
        setup,
        ledger: Ledger::new(session, events.clone()),
        person: PersonLink::new(events, launch.reachable),
        work: OngoingWork::new((folder, undo, spending), launch.models.clone(), launch.settings.max_agents, first),
    });
    let notes = context.setup.memory.notes.clone();
    warnings.into_iter().chain(notes).for_each(|text| context.person.notice(NoticeLevel::Warning, text));
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
        notices.push(
            "Part of the saved session was damaged, so plan mode is on; leave it by hand if that is wrong.".into(),
        );
    }
    match &resumed.plan {
        PlanOnResume::None | PlanOnResume::AsRecorded | PlanOnResume::NotNeeded => {}
        PlanOnResume::ChangedOutside if context.ledger.state().plan().is_some_and(|plan| plan.receipt.is_some()) => {
            let text = "The plan file was changed since the plan was approved. What was approved still counts; \
                        /plan shows it, /plan diff the change.";
            notices.push(text.into());
        }
        PlanOnResume::ChangedOutside => {
            notices.push("The plan file was changed since, outside of Forethought; /plan diff shows it.".into());
        }
        PlanOnResume::Recovered { .. } => {
            notices.push("The plan file was missing; it was restored from the transcript.".into())
        }
        PlanOnResume::Lost => notices.push("The plan file is missing, and no copy of it was found.".into()),
        PlanOnResume::Unavailable(error) => notices.push(format!("The plan file cannot be used: {error}")),
    }
    notices.into_iter().for_each(|text| context.person.notice(NoticeLevel::Warning, text));
}

/// What may have changed since the session was left: openings, rules, settings; and the mode that was asked for, if it is
/// stricter than the one it was left in.
fn catch_up(context: &SessionContext, launch: &Launch, is_resumed: bool) -> Result<(), StartError> {
    if is_resumed {
        if *context.ledger.state().openings() != launch.openings {
            context.try_record(Change::Openings { openings: launch.openings, by: Actor::Settings })?;
        }
        context.try_record(Change::SettingsRead)?;
        let asked = match &launch.begin {
            Begin::Resume { mode, .. } | Begin::Fork { mode, .. } => *mode,
            Begin::Fresh { .. } | Begin::Apply { .. } => None,
        };
        if context.ledger.is_planning() && matches!(asked, Some(Mode::At(_))) {
            let text = "This session was in plan mode when you left it, and still is; Shift+Tab changes that.";
            context.person.notice(NoticeLevel::Warning, text);
        } else if let Some(mode) = asked {
            let change = transition(&context.ledger.state(), ModeTarget::from(mode), Actor::Person, ModeReason::Start)
                .inspect_err(|refusal| context.ledger.audit_refused_switch(ModeTarget::from(mode), "person", refusal));
            if let Some(change) = change.map_err(StartError::Refused)? {
                context.try_record(change)?;
            }
        }
        if context.ledger.is_planning() {
            context.ledger.baseline.find(&context.setup, &context.ledger.state(), &context.work.running);
        }
    } else if context.ledger.is_planning() {
        context.remember_workspace();
    }
    // A session that goes on may have had it on.
    let wanted = launch.settings.auto_during_plan;
    if wanted || is_resumed {
        context.try_record(Change::AutoDuringPlan { wanted })?;
    }
    Ok(())
}

/// The conversation as far as it got, with every call answered but one that still waits for the person.
fn conversation(context: Arc<SessionContext>, toolbox: Arc<Toolbox>, folder: &Path) -> (Driver, Vec<ToolUse>) {
    let live = context.setup.live();
    let (reachable, planning) = (context.person.reachable(), context.ledger.is_planning());
    let offering = ToolOffering::now(&live.settings, reachable, planning, context.setup.team.place());
    let memory = context.setup.memory.text();
    let present = present(&context.setup.opener(&context.ledger.state()), &context.setup.project);
    let surroundings = SystemFacts {
        project: &context.setup.project,
        folder,
        caged: context.setup.kernel().read_only.holds(),
        memory: &memory,
        present: &present,
    };
    let offered = toolbox.offered(&offering);
    let short = lean_tools(&offered);
    let heads = Heads {
        lean: RequestHead::new(lean_prompt(&surroundings, &short), short),
        full: RequestHead::new(system_prompt(&surroundings), offered),
    };
    let head = Arc::clone(&heads.full);
    let rebuilt = {
        let session = context.ledger.session();
        rebuild(session.cut(), session.conversation())
    };
    let unanswered = rebuilt.unanswered.clone();
    let conversation = Conversation::restored(head, context.setup.id.to_string(), rebuilt);
    let mut driver = Driver {
        caller: Arc::new(CallerContext::main(Cancel::default())),
        toolbox,
        conversation,
        heads,
        turn: Turn::new(live.settings.max_rounds),
        offering: Some(offering),
        model: None,
        calls: 0,
        refused: 0,
        tokens: 0,
        shown: Vec::new(),
        last_text: String::new(),
        continues: false,
        parked: None,
        judged: Default::default(),
        plan_before: None,
        findings: None,
        cache: CacheWatch::default(),
        context,
    };
    let left = answer_the_crashed(&mut driver, unanswered);
    (driver, left)
}

fn answer_the_crashed(driver: &mut Driver, calls: Vec<ToolUse>) -> Vec<ToolUse> {
    let context = Arc::clone(&driver.context);
    let waits = context.ledger.state().pending().is_some();
    let mut request = None;
    for call in calls {
        if waits && request.is_none() && ToolName::from_called(&call.name) == Some(ToolName::ExitPlanMode) {
            request = Some(call);
        } else {
            driver.record_late(failed(&call, CRASHED));
        }
    }
    match context.person.reachable() {
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
    /// One that lies with the lead stays there: it is withdrawn by another plan alone.
    pub(super) fn take_request_back(&mut self) {
        let state = self.context.ledger.state();
        let is_with_lead = state.pending().is_some_and(|pending| matches!(pending.approver, Approver::Lead { .. }));
        if let Some(change) = approval::cancelled(&state).filter(|_| !is_with_lead) {
            self.context.must_record(change);
        }
        if let Some(call) = self.parked.take() {
            let path = self.context.ledger.plan_path().unwrap_or_default();
            let words = ApprovalText::Rejected { path: &path, reason: None, comments: &[], changed: None }.render();
            self.record_late(failed(&call, &words));
        }
    }
}

fn started(driver: &Driver, launch: &Launch, (skills, commands): (&Skills, CustomCommands), resumed: bool) {
    let (context, models) = (&driver.context, &launch.models);
    let live = context.setup.live();
    let state = context.ledger.state();
    let kernel = context.setup.kernel();
    let started = SessionStarted {
        session: context.setup.id,
        folder: context.work.folder.get().display().to_string(),
        project: context.setup.project.display().to_string(),
        mode: state.mode(),
        trusted: state.openings().folder_trusted,
        allowed_hosts: live.settings.table.allowed_hosts.iter().map(ToString::to_string).collect(),
        models: StartedModels { plan: models.plan.name(), act: models.act.name(), small: models.small.name() },
        caged: kernel.read_only.holds(),
        rehearsal: kernel.rehearsal.holds(),
        sandbox: SandboxGaps::new(&kernel, live.settings.table.without_sandbox),
        resumed,
        tools: driver.conversation.head().tools().iter().map(|tool| tool.name.clone()).collect(),
        memory: context.setup.memory.files.iter().map(|file| file.path.display().to_string()).collect(),
        agents: context.setup.kinds.iter().take(MAX_ROWS).map(agent_row).collect(),
        skills: skills.iter().take(MAX_ROWS).map(skill_row).collect(),
        commands: context.told_commands(&commands),
        plan: context.ledger.plan_path(),
        context: context.work.context_use(),
        allowed: state
            .allowed()
            .filter_map(AllowScope::of_key)
            .map(|scope| scope.describe(&context.setup.project))
            .collect(),
    };
    context.person.events.begin(Event::Started(started));
    let items = context.ledger.session().todos().to_vec();
    if !items.is_empty() {
        context.person.events.send(Event::Todos { items });
    }
    if let Some(lack) = kernel.read_only.lack() {
        context.person.notice(NoticeLevel::Warning, no_sandbox(lack, live.settings.table.without_sandbox));
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
