//! Which hooks ran in a session, what they answered and how long they took: in the audit log, and the last ones for `/hooks`.

use crate::{event::Event, lock::lock, session::session_context::SessionContext};
use fore_hooks::{ConfiguredHook, HookAnswer, HookDecision};
use fore_store::audit::{Audited, AuditedHook};
use serde::Serialize;
use std::{collections::VecDeque, sync::Mutex, time::Duration};
use tokio::task::JoinHandle;

/// Receipts that are kept for the person.
const MAX_RECEIPTS: usize = 200;
/// Hooks that run beside at the same time.
const MAX_BESIDE: usize = 64;
/// How long the end of a session waits for them.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// One hook that ran, or should have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HookReceipt {
    /// The event.
    pub on: String,
    /// Its command, shortened.
    pub hook: String,
    /// What it answered, or why it did not work.
    pub answer: String,
    /// How long it took.
    pub duration_ms: u64,
}

/// What a session remembers of its hooks.
#[derive(Debug, Default)]
pub(crate) struct HookRecord {
    receipts: Mutex<VecDeque<HookReceipt>>,
    beside: Mutex<Vec<JoinHandle<()>>>,
    prompt: Mutex<Option<String>>,
}

impl HookRecord {
    /// The last ones, oldest first.
    pub(crate) fn receipts(&self) -> Vec<HookReceipt> {
        lock(&self.receipts).iter().cloned().collect()
    }

    pub(super) fn prompt_id(&self) -> Option<String> {
        lock(&self.prompt).clone()
    }

    /// The person has said something: hooks know it by a new name.
    pub(crate) fn begin_prompt(&self) {
        *lock(&self.prompt) = Some(uuid::Uuid::now_v7().to_string());
    }

    pub(super) fn add_beside(&self, run: JoinHandle<()>) {
        let mut beside = lock(&self.beside);
        beside.retain(|run| !run.is_finished());
        if beside.len() < MAX_BESIDE {
            beside.push(run);
        }
    }

    /// Waits for what nobody waited for, for a bounded time.
    pub(crate) async fn settle(&self) {
        let beside = std::mem::take(&mut *lock(&self.beside));
        let all = futures_util::future::join_all(beside);
        let _ = tokio::time::timeout(MAX_WAIT, all).await;
    }
}

impl SessionContext {
    /// Lists all hooks, and those that ran.
    pub(crate) fn tell_hooks(&self) {
        let live = self.setup.live();
        let hooks = &live.settings.hooks;
        let faults = hooks.faults.iter().map(|(file, fault)| format!("{file}: {}", fault.what));
        let hooks = hooks.hooks.iter().map(ConfiguredHook::line).chain(faults).collect();
        self.person.events.send(Event::Hooks { hooks, ran: self.work.hooks.receipts() });
    }

    pub(super) fn note_hook(&self, hook: &ConfiguredHook, answer: &HookAnswer, took: Duration, is_held: bool) {
        let (on, name, words) = (hook.hook.event.name().to_owned(), hook.hook.name(), in_words(answer));
        let duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        self.ledger.audit(Audited::Hook(AuditedHook {
            on: on.clone(),
            hook: name.clone(),
            from: hook.hook.origin.file.clone(),
            answer: words.clone(),
            duration_ms,
            sandboxed: is_held,
        }));
        let mut receipts = lock(&self.work.hooks.receipts);
        if receipts.len() >= MAX_RECEIPTS {
            receipts.pop_front();
        }
        receipts.push_back(HookReceipt { on, hook: name, answer: words, duration_ms });
    }
}

/// What it answered, in a line.
pub(crate) fn in_words(answer: &HookAnswer) -> String {
    let decided = match &answer.decision {
        HookDecision::Silent => None,
        HookDecision::Allow => Some("allow".to_owned()),
        HookDecision::Ask(reason) => Some(format!("ask: {reason}")),
        HookDecision::Deny(reason) => Some(format!("deny: {reason}")),
    };
    let failed = answer.failure.as_ref().filter(|_| decided.is_none()).map(|why| format!("did not work: {why}"));
    let stops = answer.stops.as_ref().map(|why| format!("stop: {why}"));
    let rewrites = answer.rewritten.as_ref().map(|_| "rewrites the call".to_owned());
    let says = answer.context.as_ref().map(|_| "words for the model".to_owned());
    let all: Vec<String> = [decided, failed, stops, rewrites, says].into_iter().flatten().collect();
    let words = if all.is_empty() { "nothing".to_owned() } else { all.join("; ") };
    fore_text::cut::ellipsis(&fore_text::cut::one_line(&words), 300).into_owned()
}
