//! Drives one turn of one conversation: performs what the machine wants and tells it what happened.
//!
//! The main conversation and every subagent are driven by this same code; only where words are kept differs.

use super::{
    call::{self, judge::JudgedAhead},
    caller::{CallerContext, CallerIdentity},
    history::{
        compact::CompactionCause,
        shown_message::{CallRecord, ShownMessage},
    },
    session_context::SessionContext,
    spending::CacheWatch,
    toolbox::{ToolOffering, Toolbox},
};
use crate::repetition::without_repetition;
use crate::{
    context::{Conversation, Heads, SMALL_WINDOW, is_sendable, rebuild},
    event::{AgentId, CallId, CallOutcome, Event, NoticeLevel, ShownCall, TurnOutcome},
    model_handle::{ModelHandle, ModelReply},
    scout::{self, ScoutFiles, ScoutFindings},
    turn::{
        AfterCall, AnswerSummary, Concurrency, Nudge, PlanDebt, Slot, Turn, TurnEffect, TurnFailure, TurnInput,
        asks_for_approval, tool_in_text,
    },
};
use fore_model::{Answer, Block, Duty, Error, Message, ModelRequest, ToolResult, ToolUse};
use fore_plan::{
    CalledTool,
    reminder::{Reminder, plan_in_reference},
};
use fore_store::entry::{PlanMark, Speaker, StoredMessage as Saved};
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

/// One conversation with what drives it.
#[derive(Debug)]
pub(crate) struct Driver {
    pub(crate) context: Arc<SessionContext>,
    pub(crate) caller: Arc<CallerContext>,
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) conversation: Conversation,
    pub(crate) heads: Heads,
    pub(crate) turn: Turn,
    /// What the main conversation is offered; a subagent has what its kind has.
    pub(crate) offering: Option<ToolOffering>,
    /// The model that a subagent's kind asks for; the main conversation goes by its duty.
    pub(crate) model: Option<(ModelHandle, Duty)>,
    /// Calls so far, for the progress line.
    pub(crate) calls: u32,
    /// Those of them that were refused.
    pub(crate) refused: u32,
    /// What the answers of this conversation came to, in tokens.
    pub(crate) tokens: u64,
    /// What was shown of the calls of the last answer, by the model's id, until their results are recorded.
    pub(crate) shown: Vec<(String, CallRecord)>,
    /// What the model said last.
    pub(crate) last_text: String,
    /// The answer before was cut off by its length limit, and the model was told to go on.
    pub(crate) continues: bool,
    /// The calls of an answer as they were judged when it came, until the first of them begin.
    pub(crate) judged: HashMap<String, JudgedAhead>,
    /// A request for approval that waits on disk, without a result.
    pub(crate) parked: Option<ToolUse>,
    /// The plan as it was when the turn began.
    pub(crate) plan_before: Option<fore_plan::plan::Hash>,
    /// What the scout found for the task at hand.
    pub(crate) findings: Option<ScoutFindings>,
    /// Whether the server still has what it has read before.
    pub(crate) cache: CacheWatch,
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
                TurnEffect::Compact { why, shorten } => self.make_room(&why, shorten).await,
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
        let calls: Vec<CallId> = slots.iter().map(|_| self.context.work.next_call()).collect();
        if calls.len() > 1 {
            self.context.person.events.send(Event::SideBySide { agent: self.caller.agent(), calls: calls.clone() });
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
            if let CallOutcome::Refused { .. } = ended.record.outcome {
                self.refused = self.refused.saturating_add(1);
            }
            self.shown.push((ended.result.id.clone(), ended.record));
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
            let session = self.context.ledger.session();
            rebuild(session.cut(), session.conversation())
        };
        let unanswered = std::mem::take(&mut rebuilt.unanswered);
        let (head, key) = (Arc::clone(self.conversation.head()), self.context.setup.id.to_string());
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
        self.apply_steering().await;
        self.load_always().await;
        self.offer_what_fits();
        let (model, duty) = self.model.clone().unwrap_or_else(|| {
            let duty = self.context.duty();
            (self.context.work.model(duty), duty)
        });
        tokio::select! {
            biased;
            () = self.caller.cancel.cancelled() => return TurnInput::Interrupted,
            () = model.prepare() => {}
        }
        self.fit_head(&model);
        // Before anything is shortened: where nothing more may be spent, the conversation stays as it is.
        let request = self.conversation.request();
        if let Err(stopped) = self.admitted(&model, &request).await {
            return stopped;
        }
        // What begins has nothing yet that could be left out.
        if !self.conversation.has_no_answer()
            && self.is_nearly_full(&model)
            && let Err(why) = self.compact("", CompactionCause::NoRoom).await
            && !self.caller.cancel.is_cancelled()
            && !self.context.work.spending.is_refused()
            && let Err(why) = self.shorten(&why)
        {
            self.context.person.notice(NoticeLevel::Warning, format!("The conversation could not be shortened: {why}"));
        }
        let request = self.conversation.request();
        let agent = self.caller.agent();
        if matches!(model, ModelHandle::Scout) {
            self.look_around(&request).await;
        }
        let admitted = match self.admitted(&model, &request).await {
            Ok(admitted) => admitted,
            Err(stopped) => return stopped,
        };
        let show = (&self.context.person.events, agent.as_ref());
        let (findings, may) = (self.findings.as_ref(), (&self.caller.cancel, &admitted));
        let asked = model.answer(&request, (duty, findings), may, show).await;
        self.count(&model, &request, &asked);
        drop(admitted);
        match asked {
            ModelReply::Answered(answer) => self.answered(*answer, &model, agent).await,
            ModelReply::Interrupted(answer) => {
                self.record_partial_answer(&answer, &model, agent);
                TurnInput::Interrupted
            }
            ModelReply::Repeated(answer) => {
                self.record_repeated_answer(&answer, &model, agent);
                TurnInput::Answered(AnswerSummary { repeats: true, ..AnswerSummary::default() })
            }
            ModelReply::Failed(error) => TurnInput::Failed(self.failure(&error)),
        }
    }

    /// Before the first request: tools of servers that stand in all of them. The main conversation alone.
    async fn load_always(&mut self) {
        let Some(offering) = self.offering.filter(|_| !self.toolbox.knows_always()) else { return };
        let tools = tokio::select! {
            biased;
            () = self.caller.cancel.cancelled() => return,
            tools = self.context.always_loaded_tools(&self.caller) => tools,
        };
        if self.toolbox.set_always(tools) {
            self.heads.offer(self.toolbox.offered(&offering));
        }
    }

    /// Lists other tools when the mode or the settings want that; the main conversation alone.
    fn offer_what_fits(&mut self) {
        let Some(before) = self.offering else { return };
        let live = self.context.setup.live();
        let planning = self.context.ledger.is_planning();
        let now = ToolOffering::now(&live.settings, before.reachable, planning, self.context.setup.team.place());
        if now != before {
            self.offering = Some(now);
            self.heads.offer(self.toolbox.offered(&now));
        }
    }

    /// A small window gets the lean head. It changes only with what is known of the model, so that the prefix stays.
    fn fit_head(&mut self, model: &ModelHandle) {
        let is_small = || model.window().is_some_and(|window| window <= SMALL_WINDOW);
        let is_lean = self.context.setup.live().settings.lean.unwrap_or_else(is_small);
        self.conversation.set_head(if is_lean { &self.heads.lean } else { &self.heads.full });
    }

    /// Lets the scout look at the project; it reads on a thread of its own.
    async fn look_around(&mut self, request: &ModelRequest) {
        let call = self.context.work.next_call();
        let tools = self.context.tool_context(&self.caller, self.caller.cancel.clone(), call);
        let (history, before) = (request.history.clone(), self.findings.take());
        let look = move || scout::look(&history, || ScoutFiles::find(&tools), before);
        self.findings = self.context.setup.runtime.spawn_blocking(look).await.ok().flatten();
    }

    async fn answered(&mut self, answer: Answer, model: &ModelHandle, agent: Option<AgentId>) -> TurnInput {
        let continues = std::mem::take(&mut self.continues);
        let (stop, text) = (answer.stop.clone(), answer.text());
        let calls: Vec<_> = answer.tool_calls().cloned().collect();
        let message = answer.into_message();
        if message.blocks.iter().any(is_sendable) {
            self.record_answer(message, model);
        }
        if !text.is_empty() {
            self.context.person.events.send(Event::Said { agent, model: model.name(), text: text.clone(), continues });
            if !continues {
                self.last_text.clear();
            }
            self.last_text.push_str(&text);
        }
        self.shown.clear();
        self.show_broken(&calls);
        let plan_debt = if calls.is_empty() { self.plan_debt(&text) } else { PlanDebt::Nothing };
        let is_empty = calls.is_empty() && text.trim().is_empty();
        let text_call = if calls.is_empty() { tool_in_text(&text) } else { None };
        let calls = self.with_concurrency(calls).await;
        TurnInput::Answered(AnswerSummary { calls, stop, plan_debt, is_empty, text_call, repeats: false })
    }

    /// A call that cannot be read gets its answer without being run; the person sees that it was there.
    fn show_broken(&mut self, calls: &[ToolUse]) {
        for call in calls.iter().filter(|call| call.broken_result().is_some()) {
            let (id, tool) = (self.context.work.next_call(), CalledTool::by_model(&call.name));
            self.context.ledger.audit_unreadable(tool.as_str());
            let shown = ShownCall::line("the call could not be read");
            let (agent, outcome) = (self.caller.agent(), CallOutcome::Failed);
            let record = CallRecord {
                tool: tool.clone(),
                line: String::new(),
                cage: None,
                outcome: outcome.clone(),
                shown: shown.clone(),
                agent: None,
            };
            self.shown.push((call.id.clone(), record));
            self.context.person.events.send(Event::ToolFinished { agent, call: id, tool, outcome, shown });
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
        self.append(Speaker::Model, Some(model), &message.blocks, None);
        self.conversation.commit(message);
    }

    /// The words that had come when the person stopped the model stay; calls that were not finished do not.
    fn record_partial_answer(&mut self, answer: &Answer, model: &ModelHandle, agent: Option<AgentId>) {
        let text = answer.text();
        if text.trim().is_empty() {
            return;
        }
        let message = Message::assistant(vec![Block::text(format!("{text}\n[interrupted by the person]"))]);
        self.append(Speaker::Model, Some(model), &message.blocks, Some(&ShownMessage::Said(text.clone())));
        self.conversation.commit(message);
        let continues = std::mem::take(&mut self.continues);
        self.context.person.events.send(Event::Said { agent, model: model.name(), text, continues });
    }

    /// Of a text that repeated itself the beginning stays.
    fn record_repeated_answer(&mut self, answer: &Answer, model: &ModelHandle, agent: Option<AgentId>) {
        let text = answer.text();
        let text = without_repetition(&text).trim_end();
        let words = format!("{text}\n[stopped here: the same words came again and again]");
        let message = Message::assistant(vec![Block::text(words)]);
        self.append(Speaker::Model, Some(model), &message.blocks, Some(&ShownMessage::Said(text.to_owned())));
        self.conversation.commit(message);
        self.context.person.events.send(Event::Said {
            agent,
            model: model.name(),
            text: text.to_owned(),
            continues: std::mem::take(&mut self.continues),
        });
        let text = format!("{} repeated itself and was stopped.", model.name());
        self.context.person.notice(NoticeLevel::Warning, text);
    }

    /// Records a result of this turn. What was not begun was not shown.
    fn record(&mut self, result: ToolResult) {
        let place = self.shown.iter().position(|(id, _)| *id == result.id);
        let shown = place.map(|place| self.shown.remove(place).1);
        let shown = shown.map_or(ShownMessage::Nothing, |record| ShownMessage::Call(Box::new(record)));
        self.append(Speaker::Tool, None, &[Block::ToolResult(result.clone())], Some(&shown));
        self.conversation.add_result(result);
    }

    /// Records the result of a call that an earlier run of the program began: nobody knows what was shown of it.
    pub(super) fn record_late(&mut self, result: ToolResult) {
        self.append(Speaker::Tool, None, &[Block::ToolResult(result.clone())], None);
        self.conversation.add_result(result);
    }

    /// Writes blocks to the transcript; a subagent's words are its own.
    fn append(&self, speaker: Speaker, model: Option<&ModelHandle>, blocks: &[Block], shown: Option<&ShownMessage>) {
        if matches!(self.caller.identity, CallerIdentity::Agent { .. }) {
            return;
        }
        let saved = serde_json::value::to_raw_value(blocks).map_err(|error| error.to_string());
        let said = saved.and_then(|content| {
            let message = Saved {
                model: model.map(|model| model.name().to_string()),
                shown: shown.and_then(ShownMessage::to_raw),
                ..Saved::new(speaker, content)
            };
            self.context.ledger.session().append_message(message).map_err(|error| error.to_string())
        });
        if let Err(why) = said {
            self.context.person.notice(NoticeLevel::Error, format!("The transcript could not be written: {why}"));
        }
    }

    /// Words of the program for the model: meta, never shown. What brings the plan back is known as a copy of it (K2).
    pub(crate) fn remind(&mut self, text: &str) {
        if matches!(self.caller.identity, CallerIdentity::Main)
            && let Ok(message) = Saved::text(Speaker::Program, text)
        {
            let plan = plan_in_reference(text).map(|_| PlanMark::Reference);
            let message = Saved { meta: true, plan, ..message };
            if let Err(error) = self.context.ledger.session().append_message(message) {
                self.context.person.notice(NoticeLevel::Error, error.to_string());
            }
        }
        self.conversation.add_text(text);
    }

    /// A prompt of the person, with the reminders that are due before it (E1) and with what hooks say to it.
    pub(crate) fn add_prompt_with(&mut self, text: &str, words: &[String]) {
        self.add_prompt_typed_as(text, None, words);
        self.context.person.events.send(Event::PromptTaken { text: text.to_owned() });
    }

    /// The prompt that a custom command became; the person, who typed the line, has seen that already.
    pub(super) fn add_command_prompt(&mut self, line: &str, text: &str, words: &[String]) {
        self.add_prompt_typed_as(text, Some(&ShownMessage::Typed(line.to_owned())), words);
    }

    fn add_prompt_typed_as(&mut self, text: &str, shown: Option<&ShownMessage>, words: &[String]) {
        self.add_remarks();
        self.context.ledger.set_task(text);
        let is_first = self.conversation.is_new();
        for reminder in self.context.reminders_for_prompt(is_first) {
            self.remind(&reminder);
        }
        let reminders = std::mem::take(&mut self.context.person.prompts().reminders);
        for reminder in reminders.iter().chain(words) {
            self.remind(reminder);
        }
        // Pictures stand before the words that are about them, and are no prompt of their own.
        let pictures = std::mem::take(&mut self.context.person.prompts().pictures);
        for picture in pictures {
            self.add_spoken(Speaker::Program, Block::Image(picture), None);
        }
        self.add_spoken(Speaker::Human, Block::text(text), shown);
    }

    /// What the person did themselves. It stands before their next prompt and is no part of it, so it stays when that is
    /// taken back.
    pub(super) fn add_remarks(&mut self) {
        loop {
            let Some(remark) = self.context.person.prompts().remarks.pop_front() else { break };
            let shown = ShownMessage::Call(Box::new(remark.shown));
            self.add_spoken(Speaker::Program, Block::text(remark.text), Some(&shown));
        }
    }

    /// Words that outlive a cut, on disk first, with what the person saw of them where they do not say that themselves.
    pub(super) fn add_spoken(&mut self, speaker: Speaker, block: Block, shown: Option<&ShownMessage>) {
        self.append(speaker, None, std::slice::from_ref(&block), shown);
        self.conversation.add_spoken(speaker, block);
    }

    /// What the person did while the turn ran: words that steer it, a switch of the mode.
    async fn apply_steering(&mut self) {
        if !matches!(self.caller.identity, CallerIdentity::Main) {
            return;
        }
        loop {
            let Some(text) = self.context.person.prompts().take_steering() else { break };
            match self.context.hooks_of_prompt(&self.caller, &text).await {
                Ok(words) => self.add_prompt_with(&text, &words),
                Err(why) => {
                    self.context.person.events.send(Event::PromptTaken { text });
                    self.context.person.notice(NoticeLevel::Warning, format!("Your words were not taken: {why}"));
                }
            }
        }
        if self.context.person.take_switch() {
            for reminder in self.context.due_reminders() {
                self.remind(&reminder);
            }
        }
    }

    fn nudge(&mut self, push: Nudge) {
        self.continues = push == Nudge::GoOn;
        let text = match push {
            Nudge::GoOn => "Your answer was cut off at its length limit. Go on exactly where it stopped.".to_owned(),
            Nudge::RepeatCall => "Your last tool call could not be read. Make it again with complete JSON.".to_owned(),
            Nudge::SaySomething => {
                let text = "The model's answer was empty; asking once more.";
                self.context.person.notice(NoticeLevel::Warning, text);
                "Your last answer was empty. Answer in words, or call a tool.".to_owned()
            }
            Nudge::StopRepeating => {
                "Your last answer repeated the same words and was stopped. Do not repeat it: take the next step, or say in one sentence what holds you up."
                    .to_owned()
            }
            Nudge::CallForReal(tool) => {
                let tool = tool.name();
                let text = format!("The model wrote a call of {tool} as text; it was told how to make it.");
                self.context.person.notice(NoticeLevel::Info, text);
                format!(
                    "You wrote a call of {tool} as text, so nothing was run. Make it as a tool call of this interface instead; write no JSON."
                )
            }
            Nudge::LeaveCircle => {
                let text = "The model repeats a call that always has the same result; it was told.";
                self.context.person.notice(NoticeLevel::Info, text);
                "You have made the same call several times and got the same result each time; it will not change. Do something else: other arguments, another tool, or tell the person what is missing."
                    .to_owned()
            }
            Nudge::HandInPlan => Reminder::PlanNotHandedIn { path: &self.plan_path() }.render(),
            Nudge::AskProperly => Reminder::ApprovalInText { path: &self.plan_path() }.render(),
        };
        self.remind(&text);
    }

    fn plan_path(&self) -> String {
        self.context.ledger.plan_path().unwrap_or_default()
    }

    /// What the last words of a planning turn leave undone. A subagent hands in by ending.
    fn plan_debt(&self, words: &str) -> PlanDebt {
        let newest = self.context.ledger.plan_hash();
        let is_main = matches!(self.caller.identity, CallerIdentity::Main);
        if !is_main || !self.context.ledger.is_planning() || newest.is_none() {
            return PlanDebt::Nothing;
        }
        if asks_for_approval(words) {
            return PlanDebt::ApprovalInText;
        }
        let asks = words.lines().any(|line| line.trim_end().ends_with(['?', '？']));
        // A plan that was handed in and sent back as it is has been looked at.
        let shown = self.context.ledger.state().plan().and_then(|plan| plan.seen.as_ref()).map(|seen| seen.hash);
        if !asks && newest != self.plan_before && newest != shown { PlanDebt::NotHandedIn } else { PlanDebt::Nothing }
    }

    fn failure(&self, error: &Error) -> TurnFailure {
        let why = error.to_string();
        match error {
            error if is_overflow(error) => TurnFailure::Overflow { why },
            Error::Cut { .. } | Error::Broke { .. } | Error::Timeout { .. } | Error::Garbled { .. } => {
                if self.turn.may_ask_again() {
                    self.context.person.notice(NoticeLevel::Warning, format!("{why}; asking again"));
                }
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
                format!("{} {}", slot.call.name, self.toolbox.line(&CalledTool::by_model(&slot.call.name), &input))
            });
            let line: String = lines.collect::<Vec<_>>().join(", ").chars().take(200).collect();
            self.context.person.events.send(Event::AgentProgress { agent: id.clone(), calls: self.calls, line });
        }
    }
}

pub(super) fn is_overflow(error: &Error) -> bool {
    if let Error::Broke { cause, .. } = error {
        return is_overflow(cause);
    }
    matches!(error, Error::ContextOverflow { .. })
}
