//! The calls of one answer: which run together, in which order, and the result each of them gets.
//!
//! Results are handed out in the order the calls run in, so that what is on disk after a crash is a prefix of it.

use fore_model::{ResultPart, ToolResult, ToolUse};
use fore_plan::{
    ToolName,
    approval::{BatchOrder as Place, order},
};

/// Calls that run side by side at most.
const MAX_CONCURRENT: usize = 10;

pub(super) const INTERRUPTED: &str = "Not run: the person interrupted the turn before this call began.";
pub(super) const ENDED: &str = "Not run: the turn ended before this call began.";
pub(super) const TOO_MANY: &str =
    "Not run: this turn has used up its rounds of calls. The person can prompt again to go on.";
const RETRY: &str =
    "Not run: EnterPlanMode in the same batch may change the mode. Make this call again afterwards, if it still fits.";
const REPEATED: &str = "Not run: one call of a plan-mode tool in a batch is enough.";

/// Whether a call may run beside its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Concurrency {
    /// It only reads: neighbours that only read run with it.
    Together,
    Alone,
}

/// Whose calls they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BatchOwner {
    Main,
    /// It cannot enter plan mode, so that it tries to is no reason for its other calls to wait.
    Agent,
}

/// A call that is to run now.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slot {
    pub slot: usize,
    pub call: ToolUse,
}

/// What the batch wants.
pub(super) enum BatchStep {
    Run(Vec<Slot>),
    /// Some calls need no run; their results are ready.
    Answered,
    /// Calls are running.
    Wait,
    Done,
}

#[derive(Debug)]
pub(super) struct Batch {
    /// In the order they run in.
    calls: Vec<PendingCall>,
    /// How many results were handed out.
    given: usize,
}

#[derive(Debug)]
struct PendingCall {
    call: ToolUse,
    concurrency: Concurrency,
    /// The answer to a call that is not run at all.
    instead: Option<ToolResult>,
    is_running: bool,
    result: Option<ToolResult>,
}

impl Batch {
    pub(super) fn new(calls: Vec<(ToolUse, Concurrency)>, whose: BatchOwner) -> Batch {
        let counts = |name: &ToolName| whose == BatchOwner::Main || *name != ToolName::EnterPlanMode;
        let names: Vec<_> = calls.iter().map(|(call, _)| ToolName::from_called(&call.name).filter(counts)).collect();
        let places = order(&names);
        let (mut first, mut last) = (Vec::new(), Vec::new());
        for ((call, concurrency), place) in calls.into_iter().zip(places) {
            let instead = match place {
                _ if call.broken_result().is_some() => call.broken_result(),
                Place::InPlace | Place::Last => None,
                Place::Retry => Some(not_run(&call, RETRY)),
                Place::Repeated => Some(not_run(&call, REPEATED)),
            };
            let pending = PendingCall { call, concurrency, instead, is_running: false, result: None };
            if place == Place::Last { last.push(pending) } else { first.push(pending) }
        }
        first.extend(last);
        Batch { calls: first, given: 0 }
    }

    pub(super) fn next(&mut self) -> BatchStep {
        if self.calls.iter().any(|call| call.is_running && call.result.is_none()) {
            return BatchStep::Wait;
        }
        let Some(start) = self.calls.iter().position(|call| call.result.is_none()) else { return BatchStep::Done };
        let mut slots = Vec::new();
        let mut has_answered = false;
        for (slot, pending) in self.calls.iter_mut().enumerate().skip(start) {
            if let Some(result) = pending.instead.take() {
                if !slots.is_empty() {
                    pending.instead = Some(result);
                    break;
                }
                pending.result = Some(result);
                has_answered = true;
                continue;
            }
            let fits =
                slots.is_empty() || (pending.concurrency == Concurrency::Together && slots.len() < MAX_CONCURRENT);
            if has_answered || !fits {
                break;
            }
            pending.is_running = true;
            slots.push(Slot { slot, call: pending.call.clone() });
            if pending.concurrency == Concurrency::Alone {
                break;
            }
        }
        if has_answered { BatchStep::Answered } else { BatchStep::Run(slots) }
    }

    pub(super) fn finish(&mut self, slot: usize, result: ToolResult) {
        if let Some(pending) = self.calls.get_mut(slot).filter(|pending| pending.result.is_none()) {
            pending.result = Some(result);
        }
    }

    /// The same, each with its call.
    pub(super) fn take_ready_with_calls(&mut self) -> Vec<(ToolUse, ToolResult)> {
        let given = self.given;
        let ready = self.take_ready();
        let calls = self.calls.iter().skip(given).map(|pending| pending.call.clone());
        calls.zip(ready).collect()
    }

    /// Results that nobody was given yet, as far as none before them is missing.
    pub(super) fn take_ready(&mut self) -> Vec<ToolResult> {
        let ready: Vec<ToolResult> =
            self.calls.iter().skip(self.given).map_while(|pending| pending.result.clone()).collect();
        self.given += ready.len();
        ready
    }

    /// All results that are still to be given; calls without one get these words.
    pub(super) fn give_up(&mut self, why: &str) -> Vec<ToolResult> {
        for pending in &mut self.calls {
            if pending.result.is_none() {
                pending.result = Some(not_run(&pending.call, why));
            }
        }
        self.take_ready()
    }

    /// The same, except that one call gets no result at all: it waits for an answer.
    pub(super) fn give_up_but(&mut self, slot: usize) -> Vec<ToolResult> {
        if slot < self.calls.len() {
            self.calls.remove(slot);
        }
        self.give_up(ENDED)
    }

    pub(super) fn is_done(&self) -> bool {
        self.calls.iter().all(|pending| pending.result.is_some())
    }
}

fn not_run(call: &ToolUse, why: &str) -> ToolResult {
    ToolResult { content: vec![ResultPart::Text(why.to_owned())], is_error: true, ..ToolResult::text(call, "") }
}
