//! Drives one turn of one conversation: performs what the machine wants and tells it what happened.
//!
//! The main conversation and every subagent are driven by this same code; only where words are kept differs.

use super::{
    call,
    caller::{CallerContext, CallerIdentity},
    judged_ahead::JudgedAhead,
    model_reply::{self, ModelReply},
    session_context::SessionContext,
    toolbox::Toolbox,
};
use crate::{
    context::{Conversation, is_sendable, rebuild},
    event::{AgentId, CallId, CallOutcome, Event, NoticeLevel, ShownCall, TurnOutcome},
    model_handle::ModelHandle,
    turn::{AfterCall, AnswerSummary, Concurrency, Nudge, Slot, Turn, TurnEffect, TurnFailure, TurnInput},
};
use fore_model::{Answer, Block, Duty, Error, Message, ToolResult, ToolUse};
use fore_plan::reminder::Reminder;
use fore_store::entry::{Speaker, StoredMessage as Saved};
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, atomic::Ordering},
};

/// One conversation with what drives it.
#[derive(Debug)]
pub(crate) struct Driver {
    pub(crate) context: Arc<SessionContext>,
    pub(crate) caller: Arc<CallerContext>,
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) conversation: Conversation,
    pub(crate) turn: Turn,
    /// The model that a subagent's kind asks for; the main conversation goes by its duty.
    pub(crate) model: Option<(ModelHandle, Duty)>,
    /// Calls so far, for the progress line.
    pub(crate) calls: u32,
    /// What the model said last.
    pub(crate) last_text: String,
    /// The calls of an answer as they were judged when it came, until the first of them begin.
    pub(crate) judged: HashMap<String, JudgedAhead>,
    /// A request for approval that waits on disk, without a result.
    pub(crate) parked: Option<ToolUse>,
    /// The plan as it was when the turn began.
    pub(crate) plan_before: Option<fore_plan::plan::Hash>,
}

impl Driver {
    /// Plays a turn to its end.
    pub(crate) async fn play(&mut self, effects: Vec<TurnEffect>) -> TurnOutcome {
        let mut effects: VecDeque<TurnEffect> = effects.into();
        while let Some(effect) = effects.pop_front() {
            let input = match effect {
                TurnEffect::Ask => self.ask().await,
                TurnEffect::Run(slots) => {
                    self.run(slots, &mut effects).await;
                    continue;
                }
                TurnEffect::Record(result) => {
                    self.record(result);
                    continue;
                }
                TurnEffect::Nudge(push) => {
                    self.nudge(push);
                    continue;
                }
                TurnEffect::Compact { why } => {
                    self.context.notice(NoticeLevel::Info, format!("Summarising the history: {why}"));
                    match self.compact("").await {
                        Ok(()) => TurnInput::Compacted,
                        Err(_) if self.caller.cancel.is_cancelled() => TurnInput::Interrupted,
                        Err(why) => TurnInput::CompactionFailed { why },
                    }
                }
                TurnEffect::End(outcome) => return outcome,
            };
            effects.extend(self.turn.step(input));
        }
        TurnOutcome::Done
    }

    /// Runs calls side by side; results are recorded as soon as their turn comes.
    async fn run(&mut self, slots: Vec<Slot>, effects: &mut VecDeque<TurnEffect>) {
        let count = u32::try_from(slots.len()).unwrap_or(u32::MAX);
        self.calls = self.calls.saturating_add(count);
        self.progress(&slots);
        let calls: Vec<CallId> = slots.iter().map(|_| self.context.next_call()).collect();
        if calls.len() > 1 {
            self.context.events.send(Event::SideBySide { agent: self.caller.agent(), calls: calls.clone() });
        }
        // What comes after these calls is judged when they are over: much may happen until then.
        let mut judged = std::mem::take(&mut self.judged);
        let start = |(id, slot): (CallId, Slot)| {
            let ahead = judged.remove(&slot.call.id);
            call::run(Arc::clone(&self.context), Arc::clone(&self.caller), Arc::clone(&self.toolbox), id, (slot, ahead))
        };
        let mut running: FuturesUnordered<_> = calls.into_iter().zip(slots).map(start).collect();
        while let Some(ended) = running.next().await {
            let starts_afresh = ended.then == AfterCall::StartAfresh;
            if let AfterCall::Park(_) = ended.then {
                self.parked = Some(ended.call);
            }
            let input = TurnInput::Finished { slot: ended.slot, result: ended.result, then: ended.then };
            for effect in self.turn.step(input) {
                match effect {
                    TurnEffect::Record(result) => self.record(result),
                    TurnEffect::Ask
                    | TurnEffect::Run(_)
                    | TurnEffect::Nudge(_)
                    | TurnEffect::Compact { .. }
                    | TurnEffect::End(_) => effects.push_back(effect),
                }
            }
            if starts_afresh {
                self.restore();
            }
        }
        if self.caller.cancel.is_cancelled() && !self.turn.is_over() {
            effects.clear();
            effects.extend(self.turn.step(TurnInput::Interrupted));
        }
    }

    /// The conversation again as it is on disk, after it was cut.
    fn restore(&mut self) {
        self.read_again();
        self.introduce();
    }

    /// The conversation as it is on disk; gives the calls of the last answer that have no result.
    pub(super) fn read_again(&mut self) -> Vec<ToolUse> {
        let mut rebuilt = {
            let session = self.context.session();
            rebuild(session.cut(), session.conversation())
        };
        let unanswered = std::mem::take(&mut rebuilt.unanswered);
        let (head, key) = (Arc::clone(self.conversation.head()), self.context.id.to_string());
        self.conversation = Conversation::restored(head, key, rebuilt);
        unanswered
    }

    /// What a model needs at the beginning of what it sees.
    pub(super) fn introduce(&mut self) {
        for reminder in self.context.first_reminders() {
            self.remind(&reminder);
        }
    }

    async fn ask(&mut self) -> TurnInput {
        if self.caller.cancel.is_cancelled() {
            return TurnInput::Interrupted;
        }
        self.apply_steering();
        let (model, duty) = self.model.clone().unwrap_or_else(|| {
            let duty = self.context.duty();
            (self.context.model(duty), duty)
        });
        if self.is_nearly_full(&model)
            && let Err(why) = self.compact("").await
            && !self.caller.cancel.is_cancelled()
        {
            self.context.notice(NoticeLevel::Warning, format!("The history could not be summarised: {why}"));
        }
        let request = self.conversation.request();
        let agent = self.caller.agent();
        let asked = model_reply::ask(&self.context, &model, &request, duty, agent.as_ref(), &self.caller.cancel).await;
        match asked {
            ModelReply::Answered(answer) => self.answered(*answer, &model, agent).await,
            ModelReply::Interrupted(answer) => {
                self.record_partial_answer(&answer, &model, agent);
                TurnInput::Interrupted
            }
            ModelReply::Failed(error) => TurnInput::Failed(self.failure(&error)),
        }
    }

    async fn answered(&mut self, answer: Answer, model: &ModelHandle, agent: Option<AgentId>) -> TurnInput {
        let estimate = self.conversation.estimate();
        self.context.count(model.name(), answer.usage, estimate, model.window(), agent.is_none());
        let (stop, text) = (answer.stop.clone(), answer.text());
        let calls: Vec<_> = answer.tool_calls().cloned().collect();
        let message = answer.into_message();
        if message.blocks.iter().any(is_sendable) {
            self.record_answer(message, model);
        }
        if !text.is_empty() {
            self.context.events.send(Event::Said { agent, model: model.name(), text: text.clone() });
            self.last_text.clone_from(&text);
        }
        self.show_broken(&calls);
        let owes_plan = calls.is_empty() && self.owes_plan(&text);
        TurnInput::Answered(AnswerSummary { calls: self.with_concurrency(calls).await, stop, owes_plan })
    }

    /// A call that cannot be read gets its answer without being run; the person sees that it was there.
    fn show_broken(&self, calls: &[ToolUse]) {
        for call in calls.iter().filter(|call| call.broken_result().is_some()) {
            let (id, tool) = (self.context.next_call(), call.name.chars().take(80).collect::<String>());
            self.context.audit_unreadable(&tool);
            let shown = ShownCall::line("the call could not be read");
            let (agent, outcome) = (self.caller.agent(), CallOutcome::Failed);
            self.context.events.send(Event::ToolFinished { agent, call: id, tool, outcome, shown });
        }
    }

    /// Which calls may run side by side. Judging a command may ask git, in a cage; nobody else waits for that.
    pub(super) async fn with_concurrency(&mut self, calls: Vec<ToolUse>) -> Vec<(ToolUse, Concurrency)> {
        let (context, caller, wanted) = (Arc::clone(&self.context), Arc::clone(&self.caller), calls.clone());
        let judge = move || wanted.iter().map(|call| JudgedAhead::new(&context, &caller, call)).collect::<Vec<_>>();
        let judged = tokio::select! {
            biased;
            () = self.caller.cancel.cancelled() => Vec::new(),
            judged = tokio::task::spawn_blocking(judge) => judged.unwrap_or_default(),
        };
        self.judged.clear();
        let judged = judged.into_iter().chain(std::iter::repeat_with(|| None));
        let with_concurrency = |(call, judged): (ToolUse, Option<JudgedAhead>)| {
            let concurrency = judged.as_ref().map_or(Concurrency::Alone, JudgedAhead::concurrency);
            self.judged.extend(judged.map(|judged| (call.id.clone(), judged)));
            (call, concurrency)
        };
        calls.into_iter().zip(judged).map(with_concurrency).collect()
    }

    /// Puts an answer into the history, on disk first.
    fn record_answer(&mut self, message: Message, model: &ModelHandle) {
        self.append(Speaker::Model, Some(model), &message.blocks);
        self.conversation.commit(message);
    }

    /// The words that had come when the person stopped the model stay; calls that were not finished do not.
    fn record_partial_answer(&mut self, answer: &Answer, model: &ModelHandle, agent: Option<AgentId>) {
        let text = answer.text();
        if text.trim().is_empty() {
            return;
        }
        self.record_answer(
            Message::assistant(vec![Block::text(format!("{text}\n[interrupted by the person]"))]),
            model,
        );
        self.context.events.send(Event::Said { agent, model: model.name(), text });
    }

    pub(super) fn record(&mut self, result: ToolResult) {
        self.append(Speaker::Tool, None, &[Block::ToolResult(result.clone())]);
        self.conversation.add_result(result);
    }

    /// Writes blocks to the transcript; a subagent's words are its own.
    fn append(&self, speaker: Speaker, model: Option<&ModelHandle>, blocks: &[Block]) {
        if matches!(self.caller.identity, CallerIdentity::Agent { .. }) {
            return;
        }
        let saved = serde_json::value::to_raw_value(blocks).map_err(|error| error.to_string());
        let said = saved.and_then(|content| {
            let message = Saved::new(speaker, content).by(model.map(|model| model.name().to_string()));
            self.context.session().append_message(message).map_err(|error| error.to_string())
        });
        if let Err(why) = said {
            self.context.notice(NoticeLevel::Error, format!("The transcript could not be written: {why}"));
        }
    }

    /// Words of the program for the model: meta, never shown.
    pub(crate) fn remind(&mut self, text: &str) {
        if matches!(self.caller.identity, CallerIdentity::Main)
            && let Ok(message) = Saved::text(Speaker::Program, text)
            && let Err(error) = self.context.session().append_message(message.as_meta())
        {
            self.context.notice(NoticeLevel::Error, error.to_string());
        }
        self.conversation.add_text(text);
    }

    /// A prompt of the person, with the reminders that are due before it (E1).
    pub(crate) fn add_prompt(&mut self, text: &str) {
        self.add_remarks();
        let is_first = self.conversation.is_new();
        for reminder in self.context.reminders_for_prompt(is_first) {
            self.remind(&reminder);
        }
        let reminders = std::mem::take(&mut super::session_context::lock(&self.context.prompts).reminders);
        for reminder in reminders {
            self.remind(&reminder);
        }
        self.add_spoken(Speaker::Human, Block::text(text));
        self.context.events.send(Event::PromptTaken { text: text.to_owned() });
    }

    /// What the person did themselves. It stands before their next prompt and is no part of it, so it stays when that is
    /// taken back.
    pub(super) fn add_remarks(&mut self) {
        loop {
            let Some(remark) = super::session_context::lock(&self.context.prompts).remarks.pop_front() else { break };
            self.add_spoken(Speaker::Program, Block::text(remark));
        }
    }

    /// Words that outlive a cut, on disk first.
    pub(super) fn add_spoken(&mut self, speaker: Speaker, block: Block) {
        self.append(speaker, None, std::slice::from_ref(&block));
        self.conversation.add_spoken(speaker, block);
    }

    /// What the person did while the turn ran: words that steer it, a switch of the mode.
    fn apply_steering(&mut self) {
        if !matches!(self.caller.identity, CallerIdentity::Main) {
            return;
        }
        loop {
            let Some(text) = super::session_context::lock(&self.context.prompts).take_steering() else { break };
            self.add_prompt(&text);
        }
        if self.context.mode_was_switched.swap(false, Ordering::SeqCst) {
            for reminder in self.context.due_reminders() {
                self.remind(&reminder);
            }
        }
    }

    fn nudge(&mut self, push: Nudge) {
        let text = match push {
            Nudge::GoOn => "Your answer was cut off at its length limit. Go on exactly where it stopped.".to_owned(),
            Nudge::RepeatCall => "Your last tool call could not be read. Make it again with complete JSON.".to_owned(),
            Nudge::HandInPlan => {
                let path = self.context.plan_path().unwrap_or_default();
                Reminder::PlanNotHandedIn { path: &path }.render()
            }
        };
        self.remind(&text);
    }

    /// Planning, the plan was written in this turn, and the last words ask nothing.
    fn owes_plan(&self, words: &str) -> bool {
        let asks = words.lines().any(|line| line.trim_end().ends_with(['?', '？']));
        let is_main = matches!(self.caller.identity, CallerIdentity::Main);
        let newest = self.context.plan_hash();
        // A plan that was handed in and sent back as it is has been looked at.
        let shown = self.context.state().plan().and_then(|plan| plan.seen.as_ref()).map(|seen| seen.hash);
        is_main && !asks && self.context.is_planning() && newest != self.plan_before && newest != shown
    }

    fn failure(&self, error: &Error) -> TurnFailure {
        let why = error.to_string();
        match error {
            error if is_overflow(error) => TurnFailure::Overflow { why },
            Error::Cut { .. } | Error::Broke { .. } | Error::Timeout { .. } | Error::Garbled { .. } => {
                self.context.notice(NoticeLevel::Warning, format!("{why}; asking again"));
                TurnFailure::Cut { why }
            }
            Error::Auth { .. }
            | Error::ModelNotFound { .. }
            | Error::RateLimited { .. }
            | Error::QuotaSpent { .. }
            | Error::Overloaded { .. }
            | Error::Server { .. }
            | Error::BadRequest { .. }
            | Error::Network { .. }
            | Error::ContextOverflow { .. }
            | Error::TooLarge { .. }
            | Error::Unsendable { .. } => TurnFailure::Fatal { why },
        }
    }

    fn progress(&self, slots: &[Slot]) {
        if let CallerIdentity::Agent { id, .. } = &self.caller.identity {
            let lines = slots.iter().map(|slot| {
                let input = crate::context::input_of(&slot.call).cloned().unwrap_or_default();
                format!("{} {}", slot.call.name, self.toolbox.line(&slot.call.name, &input))
            });
            let line: String = lines.collect::<Vec<_>>().join(", ").chars().take(200).collect();
            self.context.events.send(Event::AgentProgress { agent: id.clone(), calls: self.calls, line });
        }
    }
}

pub(super) fn is_overflow(error: &Error) -> bool {
    if let Error::Broke { cause, .. } = error {
        return is_overflow(cause);
    }
    matches!(error, Error::ContextOverflow { .. })
}
