//! What goes on in a session: calls, commands and agents that run, the models that answer, what they have read and cost.

use super::{
    approval::plan_reader::PlanReader, hooks::HookRecord, running::RunningCalls, spending::Spending,
    work_watch::WorkWatch,
};
use crate::{
    cancel::Cancel,
    custom::CustomCommandRow,
    event::{CallId, ContextUse},
    lock::lock,
    model_handle::{ModelHandle, ModelHandles},
    tools::{BackgroundRuns, SeenFiles, WorkingFolder},
    undo::UndoMemory,
};
use fore_model::{Duty, Usage};
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
};
use tokio::{sync::Semaphore, task::JoinHandle};

/// Subagents that may run at once, whatever a setting says.
const MAX_AGENTS: usize = 100;

/// The work of a session.
#[derive(Debug)]
pub(crate) struct OngoingWork {
    /// Where commands of the main conversation run.
    pub(crate) folder: Arc<WorkingFolder>,
    pub(crate) seen: Arc<SeenFiles>,
    /// The workspace as it was when the plan that waits was shown.
    pub(crate) plan_reader: Mutex<Option<PlanReader>>,
    /// The workspace as work on a plan left it last.
    pub(crate) watch: Arc<WorkWatch>,
    /// The commands of files that the person was told of last.
    pub(super) commands_told: Mutex<Vec<CustomCommandRow>>,
    /// What files were before the agent changed them.
    pub(crate) undo: UndoMemory,
    pub(crate) background: Arc<BackgroundRuns>,
    /// What the person was told of it last.
    pub(super) background_told: Mutex<Vec<String>>,
    pub(crate) running: Arc<RunningCalls>,
    /// Subagents that may run at once.
    pub(crate) agent_slots: Semaphore,
    /// One plan of a subagent is put before the person at a time.
    pub(crate) agent_approval: Semaphore,
    models: Mutex<ModelHandles>,
    turn: Mutex<Cancel>,
    usage: Mutex<(Usage, ContextUse)>,
    pub(crate) spending: Spending,
    /// Files that may have changed by the person's own commands.
    pub(super) typed: Mutex<Vec<PathBuf>>,
    /// The person's own commands that run.
    pub(super) typed_runs: Mutex<Vec<JoinHandle<()>>>,
    /// How many open steps the person was told of as the reason why a plan still holds.
    pub(crate) open_steps_told: AtomicUsize,
    calls: AtomicU64,
    /// What is remembered of the person's hooks.
    pub(crate) hooks: HookRecord,
    hook_runs: AtomicU64,
    /// How much had begun that could change files when the settings files were last seen as they were read.
    settings_seen_at: AtomicU64,
    /// A settings file has changed and waits for the person's word, who was told.
    has_unread_settings: AtomicBool,
}

impl OngoingWork {
    /// Nothing runs yet. Calls are numbered from the one after `calls`.
    pub(super) fn new(
        (folder, undo, spending): (&Path, UndoMemory, Spending),
        models: ModelHandles,
        most_agents: usize,
        calls: u64,
    ) -> OngoingWork {
        OngoingWork {
            folder: Arc::new(WorkingFolder::new(folder.to_owned())),
            seen: Arc::default(),
            plan_reader: Mutex::default(),
            watch: Arc::default(),
            undo,
            commands_told: Mutex::default(),
            background: Arc::default(),
            background_told: Mutex::default(),
            running: Arc::default(),
            agent_slots: Semaphore::new(most_agents.clamp(1, MAX_AGENTS)),
            agent_approval: Semaphore::new(1),
            models: Mutex::new(models),
            turn: Mutex::default(),
            usage: Mutex::default(),
            spending,
            typed: Mutex::default(),
            typed_runs: Mutex::default(),
            open_steps_told: AtomicUsize::new(0),
            calls: AtomicU64::new(calls),
            hooks: HookRecord::default(),
            hook_runs: AtomicU64::new(0),
            settings_seen_at: AtomicU64::new(0),
            has_unread_settings: AtomicBool::new(false),
        }
    }

    pub(crate) fn model(&self, duty: Duty) -> ModelHandle {
        lock(&self.models).of(duty).clone()
    }

    /// All of them, as they are now.
    pub(crate) fn models(&self) -> ModelHandles {
        lock(&self.models).clone()
    }

    /// The model of this name; the error says why there is none. May take its time: its key may come from a command.
    pub(crate) fn find_model(&self, name: &str) -> Result<ModelHandle, String> {
        let choose = lock(&self.models).choose.clone();
        choose(name)
    }

    /// Puts another model in place, for one duty or for all.
    pub(super) fn replace_model(&self, model: ModelHandle, duty: Option<Duty>) {
        lock(&self.models).replace(model, duty);
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

    /// Names a run of a hook, so that it can be stopped like a call.
    pub(crate) fn next_hook(&self) -> CallId {
        CallId(format!("hook-{}", self.hook_runs.fetch_add(1, Ordering::SeqCst) + 1))
    }

    /// Ends what could still write the plan, before it is shown; gives whether that worked.
    pub(crate) async fn settle_plan(&self) -> bool {
        let running = Arc::clone(&self.running);
        tokio::task::spawn_blocking(move || running.settle_plan()).await.unwrap_or(false)
    }

    /// How full the context of the main conversation is.
    pub(crate) fn context_use(&self) -> ContextUse {
        lock(&self.usage).1
    }

    pub(super) fn set_context_use(&self, context: ContextUse) {
        lock(&self.usage).1 = context;
    }

    /// Adds what an answer cost; gives what the session has cost. `context` is how full the main conversation is now.
    pub(super) fn add_usage(&self, answer: Usage, context: Option<ContextUse>) -> (Usage, ContextUse) {
        let mut usage = lock(&self.usage);
        usage.0 = usage.0.plus(&answer);
        usage.1 = context.unwrap_or(usage.1);
        *usage
    }

    /// Settings wait for the person from now on; whether that is news.
    pub(super) fn note_unread_settings(&self) -> bool {
        !self.has_unread_settings.swap(true, Ordering::SeqCst)
    }

    pub(super) fn has_unread_settings(&self) -> bool {
        self.has_unread_settings.load(Ordering::SeqCst)
    }

    pub(super) fn forget_unread_settings(&self) {
        self.has_unread_settings.store(false, Ordering::SeqCst);
    }

    /// The settings files were what was read after so much had begun that could change them, and nothing of it runs any more.
    pub(super) fn note_settings_seen(&self, begun_changes: u64) {
        self.settings_seen_at.store(begun_changes, Ordering::SeqCst);
    }

    /// Whether something has begun since then that could have changed them.
    pub(super) fn could_have_changed_settings(&self) -> bool {
        self.running.begun_changes() != self.settings_seen_at.load(Ordering::SeqCst)
    }

    /// Whether a call or a command in the background could change files right now.
    pub(super) fn is_writing(&self) -> bool {
        self.running.is_changing() || self.background.has_writers()
    }
}
