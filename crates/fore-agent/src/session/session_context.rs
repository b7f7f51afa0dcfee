//! What everybody in a session shares: the one state on disk, the gate's ground, the way to the person.
//!
//! Main conversation and subagents judge by the same state at the moment of each call, so a change of mode holds for the
//! very next call of all of them.

use super::{
    baseline::PendingSnapshot,
    caller::{CallerContext, CallerIdentity},
    event_channel::EventSender,
    judged_ahead::VerdictBasis,
    pending_questions::PendingQuestions,
    prompts::Prompts,
    running::RunningCalls,
};
use crate::{
    agents::AgentKinds,
    cancel::Cancel,
    command::{Command, QuestionId},
    disk::Disk,
    event::{CallId, ContextUse, Event, NoticeLevel},
    memory::{Memory, MemoryFile},
    model_handle::{ModelHandle, ModelHandles},
    settings::SessionSettings,
    tools::{BackgroundRuns, SeenFiles, ToolContext, WorkingFolder},
};
use fore_model::{Block, Duty, Message, Role, Usage};
use fore_plan::{
    Actor, Applied, Change, ModeEvent, ModeTarget, Refusal, State,
    approval::{Comment, Reachable},
    gate::{
        Action, FileTarget, Ground, Judgement, Paths, Rules, Verdict, judge,
        table::{CageSupport, GateRow},
    },
    reminder::Notice,
    transition,
};
use fore_sandbox::{Cages, GitProbe, Opener, SessionFiles};
use fore_store::{
    Home, Outputs, PlanFolder, Session, SessionId, StoreError,
    audit::{self, AuditDecider, AuditLine, AuditSubject, Audited, Ruling},
    entry::{Speaker, StoredMessage as Saved},
};
use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

/// Messages that the classifier is shown.
const MAX_RECENT: usize = 12;

/// The shared part of a live session.
#[derive(Debug)]
pub(crate) struct SessionContext {
    pub(crate) id: SessionId,
    pub(crate) project: PathBuf,
    pub(crate) user_home: Option<PathBuf>,
    pub(crate) via: String,
    pub(crate) settings: SessionSettings,
    pub(crate) rules: Arc<Rules>,
    pub(crate) cages: Arc<Cages>,
    pub(crate) probe: Arc<GitProbe<Arc<Cages>>>,
    pub(crate) home: Arc<Home>,
    pub(crate) plans: PlanFolder,
    pub(crate) folder: Arc<WorkingFolder>,
    pub(crate) seen: Arc<SeenFiles>,
    pub(crate) background: Arc<BackgroundRuns>,
    pub(crate) outputs: Arc<Outputs>,
    pub(crate) variables: Arc<Vec<(String, String)>>,
    pub(crate) kinds: AgentKinds,
    pub(crate) memory: Memory,
    pub(crate) events: EventSender,
    pub(crate) questions: PendingQuestions,
    /// Commands that wait until somebody reads the events.
    pub(super) held: Mutex<VecDeque<Command>>,
    pub(crate) running: Arc<RunningCalls>,
    pub(crate) prompts: Mutex<Prompts>,
    pub(crate) runtime: tokio::runtime::Handle,
    /// Subagents that may run at once.
    pub(crate) agent_slots: tokio::sync::Semaphore,
    pub(super) session: Mutex<Session>,
    pub(super) models: Mutex<ModelHandles>,
    pub(super) turn: Mutex<Cancel>,
    pub(super) usage: Mutex<(Usage, ContextUse)>,
    pub(super) baseline: Mutex<PendingSnapshot>,
    /// Files that may have changed by the person's own commands.
    pub(super) typed: Mutex<Vec<PathBuf>>,
    /// The person's own commands that run.
    pub(super) typed_runs: Mutex<Vec<tokio::task::JoinHandle<()>>>,
    /// One of them has ended, and the model is to know.
    pub(super) remarked: tokio::sync::Notify,
    pub(super) is_attended: AtomicBool,
    /// The person switched the mode while a turn ran: the model is told with the next request.
    pub(super) mode_was_switched: AtomicBool,
    pub(super) calls: AtomicU64,
}

/// A mutex whose holder cannot leave a value half-changed that matters more than going on.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SessionContext {
    /// The state as it is at this moment.
    pub(crate) fn state(&self) -> State {
        lock(&self.session).state().clone()
    }

    /// Whether planning is on: what decides which model answers and which words are told. The gate decides the rest.
    pub(crate) fn is_planning(&self) -> bool {
        lock(&self.session).state().pre_plan_mode().is_some()
    }

    pub(crate) fn session(&self) -> MutexGuard<'_, Session> {
        lock(&self.session)
    }

    /// Saves a change, folds it in, and tells everybody if it is a change of mode.
    pub(crate) fn record(&self, change: Change) -> Result<Applied, StoreError> {
        let (event, why) = (change.mode_event(), side_effect(&change));
        if self.begins_planning(&change) {
            // Before anybody is told that nothing changes any more, and not under the lock: this waits for processes.
            self.end_left_behind();
        }
        let mut session = lock(&self.session);
        let (before, was_planning) = (session.state().mode(), session.state().pre_plan_mode().is_some());
        let waited = session.state().pending().map(|pending| pending.request.clone());
        let applied = session.record(change)?;
        let (after, plans) = (session.state().mode(), session.state().pre_plan_mode().is_some());
        let waits = session.state().pending().map(|pending| pending.request.clone());
        let event = match event {
            // What holds now is said, whatever was asked for.
            Some(event) => (applied == Applied::Yes).then_some(ModeEvent { from: before, to: after, ..event }),
            // The mode changed because of something else: that is an event like any other (A6).
            None if before != after => {
                let event = ModeEvent { from: before, to: after, by: "program".into(), why: why.into() };
                session.audit_line(AuditLine::mode(self.id, event.clone()));
                Some(event)
            }
            None => None,
        };
        // Still under the lock: two changes at once are told in the order in which they hold.
        if let Some(event) = event {
            self.events.send(Event::ModeChanged(event));
        }
        let missing = session.take_unaudited();
        drop(session);
        self.report_unaudited(missing);
        if let Some(void) = waited.filter(|waited| waits.as_ref() != Some(waited)) {
            // Whoever still waits for an answer to it waits for nothing.
            self.questions.close(&QuestionId(void.0));
        }
        if !was_planning && plans {
            self.planning_began();
        }
        Ok(applied)
    }

    fn begins_planning(&self, change: &Change) -> bool {
        let mut state = self.state();
        let was_planning = state.pre_plan_mode().is_some();
        let _ = state.apply(change);
        !was_planning && state.pre_plan_mode().is_some()
    }

    /// Ends what earlier commands have left running, and says so.
    fn end_left_behind(&self) {
        let ended = self.cages.end_left_behind();
        if ended.commands > 0 {
            let text = "Planning began: processes that earlier commands had left running were stopped.";
            self.notice(NoticeLevel::Warning, text);
        }
        if ended.failed > 0 {
            let text = "Some processes that an earlier command left running could not be stopped, perhaps because they \
                        belong to another user. They can still change files while you plan; stop them yourself.";
            self.notice(NoticeLevel::Error, text);
        }
    }

    /// Nothing may change while planning: background work that could is ended, and the workspace is remembered.
    pub(super) fn planning_began(&self) {
        let calls = self.running.stop_changes();
        if calls > 0 {
            self.notice(
                NoticeLevel::Warning,
                "Planning began: the running call that could change something was stopped.",
            );
        }
        let stopped = self.background.stop_writers();
        if !stopped.is_empty() {
            let commands: Vec<&str> = stopped.iter().map(|stopped| stopped.command.as_str()).collect();
            let text = format!("Stopped in the background, because planning began: {}", commands.join(", "));
            self.notice(NoticeLevel::Warning, text);
        }
        // A command that ended only just now may have left something, too.
        self.end_left_behind();
        self.remember_workspace();
    }

    /// Ends what could still write the plan, before it is shown; gives whether that worked.
    pub(crate) async fn settle_plan(&self) -> bool {
        let running = Arc::clone(&self.running);
        tokio::task::spawn_blocking(move || running.settle_plan()).await.unwrap_or(false)
    }

    /// Switches the mode by the person's hand. The refusal is shown, the mode stays.
    pub(crate) fn switch(&self, target: ModeTarget, why: &str) -> Result<(), Refusal> {
        let switched = transition(&self.state(), target, Actor::Person, why);
        let change = switched.inspect_err(|refusal| self.audit_refused_switch(target, "person", refusal))?;
        if let Some(change) = change {
            self.must_record(change);
            self.mode_was_switched.store(true, Ordering::SeqCst);
        }
        Ok(())
    }

    /// Records a change that fits; trouble with the disk is shown.
    pub(crate) fn must_record(&self, change: Change) {
        if let Err(error) = self.try_record(change) {
            self.notice(NoticeLevel::Error, error.to_string());
        }
    }

    /// Records a change; that it did not fit is shown.
    pub(crate) fn try_record(&self, change: Change) -> Result<(), StoreError> {
        if let Applied::Ignored(why) = self.record(change)? {
            self.notice(NoticeLevel::Warning, format!("Nothing changed: {why}."));
        }
        Ok(())
    }

    pub(crate) fn notice(&self, level: NoticeLevel, text: impl Into<String>) {
        self.events.send(Event::Notice { level, text: text.into() });
    }

    pub(crate) fn reachable(&self) -> Reachable {
        if self.is_attended.load(Ordering::SeqCst) { Reachable::Approver } else { Reachable::Nobody }
    }

    pub(crate) fn duty(&self) -> Duty {
        if self.is_planning() { Duty::Plan } else { Duty::Act }
    }

    pub(crate) fn model(&self, duty: Duty) -> ModelHandle {
        lock(&self.models).of(duty).clone()
    }

    pub(crate) fn is_closing(&self) -> bool {
        lock(&self.prompts).is_closing
    }

    /// Stops the running turn.
    pub(crate) fn interrupt(&self) {
        lock(&self.turn).cancel();
        self.running.stop_all();
    }

    /// A fresh switch for a new turn.
    pub(crate) fn new_turn(&self) -> Cancel {
        let cancel = Cancel::default();
        *lock(&self.turn) = cancel.clone();
        cancel
    }

    pub(crate) fn next_call(&self) -> CallId {
        CallId(format!("call-{}", self.calls.fetch_add(1, Ordering::SeqCst) + 1))
    }

    /// Which cages can be built now.
    pub(crate) fn kernel(&self) -> CageSupport {
        self.cages.kernel(&self.project)
    }

    /// Judges an action by a state, and writes the verdict to the audit log.
    pub(crate) fn judge(&self, state: &State, action: Action) -> Judgement {
        let judgement = self.judge_untraced(state, action.clone());
        self.audited_judgement(&action, judgement)
    }

    /// Writes a verdict to the audit log.
    pub(crate) fn audited_judgement(&self, action: &Action, judgement: Judgement) -> Judgement {
        // What a plan tool may do is decided when it runs; its line comes then.
        if !(judgement.row == GateRow::PlanTool && matches!(judgement.verdict, Verdict::Allow(_))) {
            self.audit(Audited::Gate(Ruling::of(AuditSubject::new(action), &judgement.verdict)));
        }
        judgement
    }

    /// Judges without a trace: for what is asked ahead of the call itself.
    pub(crate) fn judge_untraced(&self, state: &State, action: Action) -> Judgement {
        let kernel = self.kernel();
        let ground = Ground {
            rules: &self.rules,
            settings: &self.settings.table,
            kernel: &kernel,
            project: &self.project,
            home: self.user_home.as_deref(),
            vouched: &self.settings.vouched,
            repositories: &*self.probe,
            servers: &self.settings.servers,
        };
        judge(state, &ground, action)
    }

    /// What a verdict of this moment depends on.
    pub(crate) fn verdict_basis(&self) -> VerdictBasis {
        let changes = self.running.begun_changes();
        let session = lock(&self.session);
        VerdictBasis { epoch: session.state().epoch(), allowed: session.state().allowed().count(), changes }
    }

    /// A permit for what the person typed.
    pub(crate) fn typed(&self, action: Action) -> Result<fore_plan::gate::Permit, Refusal> {
        let ground = Ground {
            home: self.user_home.as_deref(),
            ..Ground::new(&self.rules, &self.settings.table, &self.project, &*self.probe)
        };
        let about = AuditSubject::new(&action);
        let typed = fore_plan::gate::typed(&self.state(), &ground, action, fore_plan::Cage::Free);
        self.audit(Audited::Gate(match &typed {
            Ok(permit) => Ruling::new(about, audit::AuditOutcome::Allowed, permit.source().into()),
            Err(refusal) => Ruling::refused(about, AuditDecider::Gate, refusal),
        }));
        typed
    }

    /// What a call would do.
    pub(crate) fn action(&self, caller: &CallerContext, tool: &str, input: &serde_json::Value) -> Action {
        let folder = self.folder_of(caller).get();
        let disk = Disk::new(&folder, self.user_home.as_deref());
        Action::from_call(tool, input, &SessionPaths { disk, kinds: &self.kinds })
    }

    fn folder_of<'a>(&'a self, caller: &'a CallerContext) -> &'a Arc<WorkingFolder> {
        match &caller.identity {
            CallerIdentity::Main => &self.folder,
            CallerIdentity::Agent { folder, .. } => folder,
        }
    }

    pub(crate) fn tool_context(&self, caller: &CallerContext, cancel: Cancel, call: CallId) -> ToolContext {
        let events = self.events.clone();
        let on_output = move |text: &str| {
            if events.has_room() {
                events.send(Event::ToolOutput { call: call.clone(), text: text.to_owned() });
            }
        };
        ToolContext {
            project: self.project.clone(),
            home: self.user_home.clone(),
            folder: Arc::clone(self.folder_of(caller)),
            cages: Arc::clone(&self.cages),
            probe: Arc::clone(&self.probe),
            rules: Arc::clone(&self.rules),
            // The plan is the main conversation's: no cage of a subagent's opens it.
            plan_file: matches!(caller.identity, CallerIdentity::Main)
                .then(|| self.plan_path())
                .flatten()
                .map(PathBuf::from),
            seen: Arc::clone(&self.seen),
            variables: Arc::clone(&self.variables),
            background: Arc::clone(&self.background),
            outputs: Arc::clone(&self.outputs),
            session: self.session_files(),
            cancel,
            on_output: Arc::new(on_output),
            runtime: self.runtime.clone(),
        }
    }

    /// What of our own folder this session may read.
    fn session_files(&self) -> SessionFiles {
        let state = self.state();
        let plans = state.plan().map(|plan| plan.path.as_str()).into_iter().chain(state.previous_plan());
        SessionFiles { plans: plans.map(PathBuf::from).collect(), outputs: Some(self.outputs.path()) }
    }

    /// Opens files for the model where no tool does.
    pub(crate) fn opener(&self) -> Opener {
        let opener = Opener::new(Arc::clone(&self.cages), &self.project).with_session(self.session_files());
        let rules = Arc::clone(&self.rules);
        opener.denying(Arc::new(move |path| crate::tools::is_denied(&rules, path)))
    }

    /// The file of the current plan.
    pub(crate) fn plan_path(&self) -> Option<String> {
        lock(&self.session).state().plan().map(|plan| plan.path.clone())
    }

    /// What the project's memory files say.
    pub(crate) fn memory_text(&self) -> String {
        self.memory.text()
    }

    /// Memory of the folders around a file that was read, told once (in a reminder's place, after the output).
    pub(crate) fn nested_memory(&self, path: &str) -> Vec<String> {
        self.memory.nested(Path::new(path)).iter().map(MemoryFile::section).collect()
    }

    pub(crate) fn forget_nested_memory(&self) {
        self.memory.forget_nested();
    }

    /// That planning ended, and what the plan says, was told in other words: no reminder repeats it.
    pub(crate) fn mark_exit_told(&self) {
        self.mark_told(&[Notice::Exit, Notice::PlanReference, Notice::PlanChanged]);
    }

    /// These were told in other words, as far as they are due.
    pub(crate) fn mark_told(&self, these: &[Notice]) {
        let due = self.state().notices_due(true).into_iter();
        let notices: Vec<Notice> = due.filter(|notice| these.contains(notice)).collect();
        if !notices.is_empty() {
            self.must_record(Change::Told { notices });
        }
    }

    /// What the person remarked on the revision before.
    pub(crate) fn earlier_comments(&self) -> Vec<Comment> {
        lock(&self.session).state().plan().map(|plan| plan.comments.clone()).unwrap_or_default()
    }

    /// The end of the conversation, for the classifier.
    pub(crate) fn recent(&self) -> Vec<Message> {
        let session = lock(&self.session);
        let conversation = session.conversation();
        let start = conversation.len().saturating_sub(MAX_RECENT);
        let message = |saved: &Saved| {
            let role = if saved.speaker == Speaker::Model { Role::Assistant } else { Role::User };
            let blocks: Vec<Block> = serde_json::from_str(saved.content.get()).ok()?;
            Some(Message { role, blocks })
        };
        conversation.iter().skip(start).filter(|saved| !saved.meta).filter_map(message).collect()
    }

    pub(crate) fn context_use(&self) -> ContextUse {
        lock(&self.usage).1
    }
}

/// Why a change that is none of mode changed the mode all the same.
fn side_effect(change: &Change) -> &'static str {
    match change {
        Change::Stage { .. } | Change::PlanNamed { .. } => "the plan is over, and the level it granted with it",
        Change::Openings { .. } => "what this session may use at all changed",
        Change::AutoVerdict { .. } => "auto mode closed after too many blocked calls",
        _ => "it follows from what was recorded",
    }
}

/// What is behind the paths of a call, and which agents only read.
struct SessionPaths<'a> {
    disk: Disk<'a>,
    kinds: &'a AgentKinds,
}

impl Paths for SessionPaths<'_> {
    fn resolve(&self, asked: &str) -> FileTarget {
        self.disk.resolve(asked)
    }

    fn cwd(&self) -> String {
        self.disk.cwd()
    }

    fn is_read_only_agent(&self, name: &str) -> bool {
        self.kinds.get(name).is_some_and(|kind| kind.is_read_only)
    }

    /// No server is connected, so none has marked anything.
    fn says_read_only(&self, _server: &str, _tool: &str) -> bool {
        false
    }
}
