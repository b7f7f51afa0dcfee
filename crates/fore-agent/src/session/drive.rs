//! Drives one turn of one conversation: performs what the machine wants and tells it what happened.
//!
//! The main conversation and every subagent are driven by this same code; only where words are kept differs.

use super::{
    ask::{self, Asked},
    call::{self, pace},
    desk::Desk,
    seat::{Seat, Who},
    toolbox::Toolbox,
};
use crate::{
    brain::Brain,
    context::{Talk, is_sendable, rebuild},
    event::{AgentId, CallId, Event, NoticeLevel, Outcome, Shown, TurnOutcome},
    turn::{Answered, Effect, Failure, Input, Pace, Push, Slot, Then, Turn},
};
use fore_model::{Answer, Block, Duty, Error, Message, ToolResult, ToolUse};
use fore_plan::reminder::Reminder;
use fore_store::entry::{Message as Saved, Speaker};
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::{
    collections::VecDeque,
    sync::{Arc, atomic::Ordering},
};

/// One conversation with what drives it.
#[derive(Debug)]
pub(crate) struct Driver {
    pub(crate) desk: Arc<Desk>,
    pub(crate) seat: Arc<Seat>,
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) talk: Talk,
    pub(crate) turn: Turn,
    /// The model that a subagent's kind asks for; the main conversation goes by its duty.
    pub(crate) brain: Option<(Brain, Duty)>,
    /// Calls so far, for the progress line.
    pub(crate) calls: u32,
    /// What the model said last.
    pub(crate) last_words: String,
    /// A request for approval that waits on disk, without a result.
    pub(crate) parked: Option<ToolUse>,
    /// The plan as it was when the turn began.
    pub(crate) plan_before: Option<fore_plan::plan::Hash>,
}

impl Driver {
    /// Plays a turn to its end.
    pub(crate) async fn play(&mut self, effects: Vec<Effect>) -> TurnOutcome {
        let mut effects: VecDeque<Effect> = effects.into();
        while let Some(effect) = effects.pop_front() {
            let input = match effect {
                Effect::Ask => self.ask().await,
                Effect::Run(slots) => {
                    self.run(slots, &mut effects).await;
                    continue;
                }
                Effect::Record(result) => {
                    self.record(result);
                    continue;
                }
                Effect::Push(push) => {
                    self.push(push);
                    continue;
                }
                Effect::Compact { why } => {
                    self.desk.notice(NoticeLevel::Info, format!("Summarising the history: {why}"));
                    match self.compact("").await {
                        Ok(()) => Input::Compacted,
                        Err(_) if self.seat.cancel.is_cancelled() => Input::Interrupted,
                        Err(why) => Input::CompactionFailed { why },
                    }
                }
                Effect::End(outcome) => return outcome,
            };
            effects.extend(self.turn.step(input));
        }
        TurnOutcome::Done
    }

    /// Runs calls side by side; results are recorded as soon as their turn comes.
    async fn run(&mut self, slots: Vec<Slot>, effects: &mut VecDeque<Effect>) {
        let count = u32::try_from(slots.len()).unwrap_or(u32::MAX);
        self.calls = self.calls.saturating_add(count);
        self.progress(&slots);
        let calls: Vec<CallId> = slots.iter().map(|_| self.desk.next_call()).collect();
        if calls.len() > 1 {
            self.desk.outbox.send(Event::SideBySide { agent: self.seat.agent(), calls: calls.clone() });
        }
        let start =
            |(id, slot)| call::run(Arc::clone(&self.desk), Arc::clone(&self.seat), Arc::clone(&self.toolbox), id, slot);
        let mut running: FuturesUnordered<_> = calls.into_iter().zip(slots).map(start).collect();
        while let Some(ended) = running.next().await {
            let starts_afresh = ended.then == Then::StartAfresh;
            if let Then::Park(_) = ended.then {
                self.parked = Some(ended.call);
            }
            let input = Input::Finished { slot: ended.slot, result: ended.result, then: ended.then };
            for effect in self.turn.step(input) {
                match effect {
                    Effect::Record(result) => self.record(result),
                    other => effects.push_back(other),
                }
            }
            if starts_afresh {
                self.restore();
            }
        }
        if self.seat.cancel.is_cancelled() && !self.turn.is_over() {
            effects.clear();
            effects.extend(self.turn.step(Input::Interrupted));
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
            let session = self.desk.session();
            rebuild(session.cut(), session.conversation())
        };
        let unanswered = std::mem::take(&mut rebuilt.unanswered);
        let (head, key) = (Arc::clone(self.talk.head()), self.desk.id.to_string());
        self.talk = Talk::restored(head, key, rebuilt);
        unanswered
    }

    /// What a model needs at the beginning of what it sees.
    pub(super) fn introduce(&mut self) {
        for reminder in self.desk.first_reminders() {
            self.remind(&reminder);
        }
    }

    async fn ask(&mut self) -> Input {
        if self.seat.cancel.is_cancelled() {
            return Input::Interrupted;
        }
        self.hear_the_person();
        let (brain, duty) = self.brain.clone().unwrap_or_else(|| {
            let duty = self.desk.duty();
            (self.desk.brain(duty), duty)
        });
        if self.is_nearly_full(&brain)
            && let Err(why) = self.compact("").await
            && !self.seat.cancel.is_cancelled()
        {
            self.desk.notice(NoticeLevel::Warning, format!("The history could not be summarised: {why}"));
        }
        let request = self.talk.request();
        let agent = self.seat.agent();
        let asked = ask::ask(&self.desk, &brain, &request, duty, agent.as_ref(), &self.seat.cancel).await;
        match asked {
            Asked::Answered(answer) => self.answered(*answer, &brain, agent).await,
            Asked::Interrupted(answer) => {
                self.keep_words(&answer, &brain, agent);
                Input::Interrupted
            }
            Asked::Failed(error) => Input::Failed(self.failure(&error)),
        }
    }

    async fn answered(&mut self, answer: Answer, brain: &Brain, agent: Option<AgentId>) -> Input {
        let estimate = self.talk.estimate();
        self.desk.count(brain.name(), answer.usage, estimate, brain.window(), agent.is_none());
        let (stop, text) = (answer.stop.clone(), answer.text());
        let calls: Vec<_> = answer.tool_calls().cloned().collect();
        let message = answer.into_message();
        if message.blocks.iter().any(is_sendable) {
            self.say(message, brain);
        }
        if !text.is_empty() {
            self.desk.outbox.send(Event::Said { agent, model: brain.name(), text: text.clone() });
            self.last_words.clone_from(&text);
        }
        self.show_broken(&calls);
        let owes_plan = calls.is_empty() && self.owes_plan(&text);
        Input::Answered(Answered { calls: self.paced(calls).await, stop, owes_plan })
    }

    /// A call that cannot be read gets its answer without being run; the person sees that it was there.
    fn show_broken(&self, calls: &[ToolUse]) {
        for call in calls.iter().filter(|call| call.broken_result().is_some()) {
            let (id, tool) = (self.desk.next_call(), call.name.chars().take(80).collect::<String>());
            self.desk.audit_unreadable(&tool);
            let shown = Shown::line("the call could not be read");
            let (agent, outcome) = (self.seat.agent(), Outcome::Failed);
            self.desk.outbox.send(Event::ToolFinished { agent, call: id, tool, outcome, shown });
        }
    }

    /// Which calls may run side by side. Judging a command may ask git, in a cage; nobody else waits for that.
    async fn paced(&self, calls: Vec<ToolUse>) -> Vec<(ToolUse, Pace)> {
        let (desk, seat, judged) = (Arc::clone(&self.desk), Arc::clone(&self.seat), calls.clone());
        let judge = move || judged.iter().map(|call| pace(&desk, &seat, call)).collect::<Vec<_>>();
        let paces = tokio::select! {
            biased;
            () = self.seat.cancel.cancelled() => Vec::new(),
            paces = tokio::task::spawn_blocking(judge) => paces.unwrap_or_default(),
        };
        let rest = std::iter::repeat(Pace::Alone);
        calls.into_iter().zip(paces.into_iter().chain(rest)).collect()
    }

    /// Puts an answer into the history, on disk first.
    fn say(&mut self, message: Message, brain: &Brain) {
        self.keep(Speaker::Model, Some(brain), &message.blocks);
        self.talk.commit(message);
    }

    /// The words that had come when the person stopped the model stay; calls that were not finished do not.
    fn keep_words(&mut self, answer: &Answer, brain: &Brain, agent: Option<AgentId>) {
        let text = answer.text();
        if text.trim().is_empty() {
            return;
        }
        self.say(Message::assistant(vec![Block::text(format!("{text}\n[interrupted by the person]"))]), brain);
        self.desk.outbox.send(Event::Said { agent, model: brain.name(), text });
    }

    pub(super) fn record(&mut self, result: ToolResult) {
        self.keep(Speaker::Tool, None, &[Block::ToolResult(result.clone())]);
        self.talk.add_result(result);
    }

    /// Writes blocks to the transcript; a subagent's words are its own.
    fn keep(&self, speaker: Speaker, model: Option<&Brain>, blocks: &[Block]) {
        if matches!(self.seat.who, Who::Agent { .. }) {
            return;
        }
        let saved = serde_json::value::to_raw_value(blocks).map_err(|error| error.to_string());
        let said = saved.and_then(|content| {
            let message = Saved::new(speaker, content).by(model.map(|brain| brain.name().to_string()));
            self.desk.session().say(message).map_err(|error| error.to_string())
        });
        if let Err(why) = said {
            self.desk.notice(NoticeLevel::Error, format!("The transcript could not be written: {why}"));
        }
    }

    /// Words of the program for the model: meta, never shown.
    pub(crate) fn remind(&mut self, text: &str) {
        if matches!(self.seat.who, Who::Main)
            && let Ok(message) = Saved::text(Speaker::Program, text)
            && let Err(error) = self.desk.session().say(message.as_meta())
        {
            self.desk.notice(NoticeLevel::Error, error.to_string());
        }
        self.talk.add_text(text);
    }

    /// A prompt of the person, with the reminders that are due before it (E1).
    pub(crate) fn hear(&mut self, text: &str) {
        self.say_remarks();
        let is_first = self.talk.is_new();
        for reminder in self.desk.reminders_for_prompt(is_first) {
            self.remind(&reminder);
        }
        let reminders = std::mem::take(&mut super::desk::lock(&self.desk.prompts).reminders);
        for reminder in reminders {
            self.remind(&reminder);
        }
        self.say_words(Speaker::Human, Block::text(text));
        self.desk.outbox.send(Event::PromptTaken { text: text.to_owned() });
    }

    /// What the person did themselves. It stands before their next prompt and is no part of it, so it stays when that is
    /// taken back.
    pub(super) fn say_remarks(&mut self) {
        loop {
            let Some(remark) = super::desk::lock(&self.desk.prompts).remarks.pop_front() else { break };
            self.say_words(Speaker::Program, Block::text(remark));
        }
    }

    /// Words that outlive a cut, on disk first.
    pub(super) fn say_words(&mut self, speaker: Speaker, block: Block) {
        self.keep(speaker, None, std::slice::from_ref(&block));
        self.talk.add_words(speaker, block);
    }

    /// What the person did while the turn ran: words that steer it, a switch of the mode.
    fn hear_the_person(&mut self) {
        if !matches!(self.seat.who, Who::Main) {
            return;
        }
        loop {
            let Some(text) = super::desk::lock(&self.desk.prompts).take_steering() else { break };
            self.hear(&text);
        }
        if self.desk.mode_was_switched.swap(false, Ordering::SeqCst) {
            for reminder in self.desk.due_reminders() {
                self.remind(&reminder);
            }
        }
    }

    fn push(&mut self, push: Push) {
        let text = match push {
            Push::GoOn => "Your answer was cut off at its length limit. Go on exactly where it stopped.".to_owned(),
            Push::RepeatCall => "Your last tool call could not be read. Make it again with complete JSON.".to_owned(),
            Push::HandInPlan => {
                let path = self.desk.plan_path().unwrap_or_default();
                Reminder::PlanNotHandedIn { path: &path }.render()
            }
        };
        self.remind(&text);
    }

    /// Planning, the plan was written in this turn, and the last words ask nothing.
    fn owes_plan(&self, words: &str) -> bool {
        let asks = words.lines().any(|line| line.trim_end().ends_with(['?', '？']));
        let is_main = matches!(self.seat.who, Who::Main);
        let newest = self.desk.plan_hash();
        // A plan that was handed in and sent back as it is has been looked at.
        let shown = self.desk.state().plan().and_then(|plan| plan.seen.as_ref()).map(|seen| seen.hash);
        is_main && !asks && self.desk.plans() && newest != self.plan_before && newest != shown
    }

    fn failure(&self, error: &Error) -> Failure {
        let why = error.to_string();
        match error {
            error if is_overflow(error) => Failure::Overflow { why },
            Error::Cut { .. } | Error::Broke { .. } | Error::Timeout { .. } | Error::Garbled { .. } => {
                self.desk.notice(NoticeLevel::Warning, format!("{why}; asking again"));
                Failure::Cut { why }
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
            | Error::Unsendable { .. } => Failure::Fatal { why },
        }
    }

    fn progress(&self, slots: &[Slot]) {
        if let Who::Agent { id, .. } = &self.seat.who {
            let lines = slots.iter().map(|slot| {
                let input = crate::context::input_of(&slot.call).cloned().unwrap_or_default();
                format!("{} {}", slot.call.name, self.toolbox.line(&slot.call.name, &input))
            });
            let line: String = lines.collect::<Vec<_>>().join(", ").chars().take(200).collect();
            self.desk.outbox.send(Event::AgentProgress { agent: id.clone(), calls: self.calls, line });
        }
    }
}

pub(super) fn is_overflow(error: &Error) -> bool {
    match error {
        Error::Broke { cause, .. } => is_overflow(cause),
        error => matches!(error, Error::ContextOverflow { .. }),
    }
}
