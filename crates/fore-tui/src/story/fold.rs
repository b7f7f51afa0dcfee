//! Events into the story, one by one. The same events from the past of a resumed session give the same story.

use super::{
    CurrentPlan, DecidedPlan, EndedCall, Printed, PromptDelivery, Speech, Story, StoryBlock, Welcome,
    answer_progress::NextTry,
    block::{CallSubject, EndedAgent},
    live_state::{LiveState, RunningAgent, RunningCall},
};
use fore_agent::{
    AgentId, ApprovalOutcome, CallId, CallOutcome, DutyName, Event, NoticeLevel, SessionStarted, ShownBody, ShownCall,
    TurnOutcome, UndoDirection,
};
use fore_plan::{
    Cage, CalledTool, Mode, ModeEvent, ModeReason, ToolName,
    plan::{Hash, only_steps},
    report::ShownTimes,
};
use std::{
    mem,
    sync::Arc,
    time::{Duration, Instant},
};

/// The provider of what the built-in scout says.
const SCOUT: &str = "scout";

fn running(call: &CallId, tool: &CalledTool, line: &str, cage: Option<&Cage>, since: Option<Instant>) -> RunningCall {
    let (call, tool, line, cage) = (call.clone(), tool.clone(), line.to_owned(), cage.cloned());
    RunningCall { call, tool, line, cage, tail: String::new(), lines: 0, since }
}

impl Story {
    /// Takes what happened before the session was resumed. There a plan comes with the decision about it.
    pub(crate) fn past(&mut self, event: &Event) {
        match event {
            Event::Plan { text, .. } => self.now.plan.clone_from(text),
            Event::PromptTaken { .. } => {
                self.end_past_turn();
                self.event(event);
            }
            event => self.event(event),
        }
    }

    /// The transcript does not say where a turn ended: with an answer that made no calls, before the next prompt.
    pub(crate) fn end_past_turn(&mut self) {
        let is_mode = |block: &&Arc<StoryBlock>| matches!(block.as_ref(), StoryBlock::Mode(_));
        let last = self.blocks.iter().rev().find(|block| !is_mode(block));
        if last.is_some_and(|block| matches!(block.as_ref(), StoryBlock::Said { .. })) {
            self.tell_todos();
        }
    }

    fn model_changed(&mut self, model: String, duty: Option<DutyName>) {
        self.keep(StoryBlock::Model { model, duty });
    }

    fn page(&mut self, title: &str, text: String) {
        self.keep(StoryBlock::Page { title: title.to_owned(), text });
    }

    fn said_by(&mut self, is_scout: bool, text: &str) {
        self.now.is_scout = is_scout;
        self.said(text);
    }

    /// Takes what happened.
    pub(crate) fn event(&mut self, event: &Event) {
        match event {
            Event::Started(started) => self.started(started),
            Event::ModeChanged(change) => self.mode_changed(change),
            Event::ModelChanged { model, duty } => self.model_changed(model.to_string(), *duty),
            Event::PromptQueued { text, .. } => self.now.wait(text),
            Event::PromptsReturned { .. } => self.now.forget_prompts(),
            Event::PromptTaken { text } => self.prompt(text),
            Event::TurnStarted => self.turn_started(),
            Event::Text { agent: None, delta, .. } => self.text(delta),
            Event::Reasoning { agent: None, delta, .. } => self.now.think(delta),
            Event::Said { agent: None, text, model, .. } => self.said_by(model.provider() == SCOUT, text),
            Event::SideBySide { agent: None, calls } => self.side_by_side(calls),
            Event::ToolStarted { agent: None, call, tool, line, cage } => {
                self.tool_started(running(call, tool, line, cage.as_ref(), self.clock));
            }
            Event::ToolOutput { call, text } => self.now.output(call, text),
            Event::ToolFinished { agent: None, call, tool, outcome, shown } => {
                self.tool_finished(call, tool, outcome, shown);
            }
            Event::ToolStarted { agent: Some(agent), tool, line, .. } => self.agent_calls(agent, tool, line),
            Event::ToolFinished { agent: Some(agent), outcome, .. } => self.agent_call_finished(agent, outcome),
            Event::ApprovalAsked(asked) => {
                self.end_words();
                self.now.plan = Some(asked.request.plan_content.clone());
            }
            Event::Decided(decided) => self.decided(decided),
            Event::Rewound { .. } => self.rewound(),
            Event::PlanImplement { plan_file_path, plan_hash, .. } => self.implement(plan_file_path, *plan_hash),
            Event::Plan { path, text, .. } => self.current_plan(path.clone(), text.clone()),
            Event::Report { report, .. } => self.report(report.markdown(ShownTimes::Hidden)),
            Event::Hooks { hooks, ran } => self.page("Hooks", crate::slash::hooks::page(hooks, ran)),
            Event::Spending(report) => self.page("Cost", crate::slash::cost::page(report)),
            Event::UndoShown { text, plan } => self.undo_shown(plan.direction, text.clone()),
            Event::Todos { items } => self.now.set_todos(items),
            Event::AgentStarted { .. } | Event::AgentProgress { .. } | Event::AgentFinished { .. } => {
                self.agent_event(event);
            }
            Event::SummaryStarted => self.summary(true),
            Event::SummaryGrowing { bytes } => self.now.answer.summarise(*bytes),
            Event::SummaryEnded => self.summary(false),
            Event::CallGrowing { agent: None, tool, bytes, lines, .. } => self.now.answer.call(tool, *bytes, *lines),
            Event::Retrying { agent, why, wait_ms, attempt, attempts, .. } => {
                self.retrying(agent.as_ref(), why, *wait_ms, (*attempt, *attempts));
            }
            Event::Silent { agent: None, seconds, .. } => self.silent(*seconds),
            Event::PromptRead { agent: None, read, total, .. } => self.now.answer.read(*read, *total),
            Event::ContextCut { why } => self.keep_after_speech(StoryBlock::ContextCut { why: *why }),
            Event::Notice { level, text } => self.notice(*level, text),
            Event::TeamMessage { from, text, .. } => self.notice(NoticeLevel::Info, &format!("{from}: {text}")),
            Event::TurnEnded { outcome } => self.turn_ended(outcome),
            Event::Asked(_) => self.now.is_asked = true,
            Event::QuestionClosed { .. } => self.now.is_asked = false,
            Event::Closed => self.rest(),
            // What a subagent says is its own; questions are dialogs; use is the status line's. A verdict stands in its call's line, and
            // what is new in the settings comes as a notice.
            Event::Text { agent: Some(_), .. }
            | Event::Reasoning { agent: Some(_), .. }
            | Event::CallGrowing { agent: Some(_), .. }
            | Event::Said { agent: Some(_), .. }
            | Event::SideBySide { agent: Some(_), .. }
            | Event::FormAsked { .. }
            | Event::EnterPlanAsked { .. }
            | Event::Allowed { .. }
            | Event::AutoVerdict { .. }
            | Event::SettingsRead { .. }
            | Event::CommandsListed { .. }
            | Event::ResourcesListed { .. }
            // A notice says it.
            | Event::ModeRefused { .. }
            | Event::ModelRefused { .. }
            | Event::PermissionTested { .. }
            | Event::Undone { .. }
            | Event::Forgotten { .. }
            | Event::ContractRead { .. }
            | Event::Background { .. }
            | Event::McpServers { .. }
            | Event::Team { .. }
            | Event::TeamStory { .. }
            | Event::McpVouchShown(_)
            | Event::Silent { agent: Some(_), .. }
            | Event::PromptRead { agent: Some(_), .. }
            | Event::Usage { .. } => {}
        }
    }

    fn implement(&mut self, path: &str, hash: Hash) {
        self.keep_after_speech(StoryBlock::Implement { path: path.to_owned(), hash });
    }

    fn agent_calls(&mut self, agent: &AgentId, tool: &CalledTool, line: &str) {
        self.now.agent(agent).into_iter().for_each(|running| running.line = format!("{tool} {line}"));
    }

    fn turn_started(&mut self) {
        self.settle();
        (self.now.is_running, self.now.is_stopping) = (true, false);
        self.now.answer.restart(self.clock);
    }

    fn current_plan(&mut self, path: Option<String>, text: Option<String>) {
        let editor = self.editor.clone();
        self.keep(StoryBlock::CurrentPlan(CurrentPlan { path, text, mode: self.mode, editor }));
    }

    fn report(&mut self, text: String) {
        let title = "What became of the plan".to_owned();
        self.keep_after_speech(StoryBlock::Page { title, text });
    }

    fn undo_shown(&mut self, direction: UndoDirection, text: String) {
        let title = match direction {
            UndoDirection::Undo => "Undo",
            UndoDirection::Redo => "Redo",
        };
        self.keep_after_speech(StoryBlock::Page { title: title.to_owned(), text });
    }

    fn side_by_side(&mut self, calls: &[fore_agent::CallId]) {
        let left = self.now.parallel.begin(calls);
        self.keep_all(left);
    }

    fn silent(&mut self, seconds: u64) {
        let since = self.clock.and_then(|now| now.checked_sub(Duration::from_secs(seconds)));
        self.now.answer.fall_silent(since);
    }

    /// The server did not take a request: of what had come of the answer nothing counts.
    fn retrying(&mut self, agent: Option<&AgentId>, why: &str, wait_ms: u64, (attempt, attempts): (u32, u32)) {
        let Some(agent) = agent else {
            let at = self.clock.and_then(|now| now.checked_add(Duration::from_millis(wait_ms)));
            return self.now.answer.retry(NextTry { why: why.to_owned(), at, attempt, attempts });
        };
        if let Some(running) = self.now.agent(agent) {
            let seconds = wait_ms.div_ceil(1000);
            running.line = format!("{why}, next try in {seconds} s ({attempt} of {attempts})");
        }
    }

    fn summary(&mut self, begins: bool) {
        self.now.is_summarising = begins;
        if begins {
            self.end_words();
        }
        self.now.answer.restart(self.clock);
        if begins {
            self.now.answer.summarise(0);
        }
    }

    fn agent_event(&mut self, event: &Event) {
        if let Event::AgentStarted { agent, kind, task, .. } = event {
            let (agent, kind, task) = (agent.clone(), kind.clone(), task.clone());
            let (line, calls, refused, since) = (String::new(), 0, 0, self.clock);
            self.now.start_agent(RunningAgent { agent, kind, task, calls, refused, line, ended: None, since });
        }
        if let Event::AgentProgress { agent, calls, line } = event {
            let running = self.now.agent(agent).into_iter();
            running.for_each(|running| (running.calls, running.line) = (*calls, line.clone()));
        }
        if let Event::AgentFinished { agent, outcome, calls, refused, .. } = event {
            self.agent_finished(agent, outcome, *calls, *refused);
        }
    }

    fn mode_changed(&mut self, change: &ModeEvent) {
        self.mode = change.to;
        self.now.has_decided = true;
        // A decision about a plan says itself which mode it leads to.
        if !matches!(change.why, ModeReason::Approved { .. } | ModeReason::LeftAtApproval) {
            self.hold(change);
        }
    }

    fn tool_started(&mut self, mut running: RunningCall) {
        if self.now.is_scout {
            running.line = in_words(&running.line);
        }
        // The person's own commands run beside whatever is said.
        if running.tool != CalledTool::Typed {
            self.end_words();
        }
        self.now.has_decided &= !is_about_plans(&running.tool);
        self.now.start(running);
    }

    fn agent_call_finished(&mut self, agent: &AgentId, outcome: &CallOutcome) {
        if let (Some(running), CallOutcome::Refused { .. }) = (self.now.agent(agent), outcome) {
            running.refused = running.refused.saturating_add(1);
        }
    }

    fn agent_finished(&mut self, agent: &AgentId, outcome: &CallOutcome, calls: u32, refused: u32) {
        if let Some(running) = self.now.agent(agent) {
            (running.calls, running.refused) = (calls, running.refused.max(refused));
            running.ended = Some(outcome.clone());
        }
    }

    fn notice(&mut self, level: NoticeLevel, text: &str) {
        // After a warning the model may begin anew; what is merely to know stands beside its words.
        if level != NoticeLevel::Info {
            self.end_words();
        }
        self.keep(StoryBlock::Notice { level, text: text.to_owned() });
    }

    fn rewound(&mut self) {
        let text = "Your last prompt was undone. Files were not changed back.".into();
        self.keep_after_speech(StoryBlock::Notice { level: NoticeLevel::Info, text });
    }

    fn started(&mut self, started: &SessionStarted) {
        self.mode = started.mode;
        let models = &started.models;
        let model = if models.plan == models.act {
            models.act.to_string()
        } else {
            format!("{}, for plans {}", models.act, models.plan)
        };
        self.keep(StoryBlock::Welcome(Welcome {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            folder: started.folder.clone(),
            model,
            mode: started.mode,
            caged: started.caged,
            sandbox: started.sandbox.clone(),
            trusted: started.trusted,
            resumed: started.resumed,
        }));
    }

    fn prompt(&mut self, text: &str) {
        self.end_words();
        let steers_at_once = self.now.is_steering(text);
        let way = match self.now.heard(text) {
            Some(waited) if waited.is_steering && self.now.is_running => PromptDelivery::Steered,
            Some(_) => PromptDelivery::Queued,
            None if steers_at_once && self.now.is_running => PromptDelivery::Steered,
            None => PromptDelivery::AtOnce,
        };
        self.keep(StoryBlock::Prompt { text: text.to_owned(), way });
    }

    fn text(&mut self, delta: &str) {
        self.settle();
        self.end_thought();
        self.end_parallel();
        self.flush_agents();
        self.now.answer.speak(delta);
        self.speech.get_or_insert_with(Speech::default).text.push_str(delta);
    }

    /// The whole of what was said; most of it was streamed already.
    fn said(&mut self, text: &str) {
        self.now.answer.restart(self.clock);
        self.end_thought();
        self.end_parallel();
        match &mut self.speech {
            Some(speech) => {
                // When it was stopped a last piece may have been kept that was not streamed any more.
                let rest = text.strip_prefix(speech.text.as_str()).unwrap_or_default();
                speech.text.push_str(rest);
                self.end_speech();
            }
            None if text.trim().is_empty() => {}
            None => {
                self.flush_agents();
                self.keep(StoryBlock::Said { text: text.to_owned(), stopped_at: None });
            }
        }
    }

    /// Whatever was being said or thought is over.
    fn end_words(&mut self) {
        self.end_thought();
        self.end_speech();
        self.flush_agents();
    }

    fn end_speech(&mut self) {
        let Some(speech) = self.speech.take().filter(|speech| !speech.text.trim().is_empty()) else { return };
        let mut rest = speech.end();
        if self.now.is_stopping {
            let _ = rest.stop();
        }
        self.remember(Arc::clone(rest.block()));
        self.print(Printed::Rest(Box::new(rest)));
    }

    /// Of what was stopped nothing more is printed but a few last words.
    fn stop_words(&mut self) {
        // The newest blocks are those that are not printed yet, in the same order.
        for (block, waiting) in self.blocks.iter_mut().rev().zip(self.unprinted.iter_mut().rev()) {
            if let Printed::Rest(rest) = waiting
                && rest.stop()
            {
                *block = Arc::clone(rest.block());
            }
        }
    }

    fn end_thought(&mut self) {
        let text = mem::take(&mut self.now.thought);
        if !text.trim().is_empty() {
            self.keep(StoryBlock::Thought { text });
        }
    }

    fn keep_after_speech(&mut self, block: StoryBlock) {
        self.end_words();
        self.keep(block);
    }

    fn tool_finished(&mut self, call: &CallId, tool: &CalledTool, outcome: &CallOutcome, shown: &ShownCall) {
        let running = self.now.end(call);
        self.now.answer.restart(self.clock);
        let (line, cage) = running.map_or_else(Default::default, |running| (running.line, running.cage));
        let agent = (tool.known() == Some(ToolName::Agent)).then(|| self.now.end_agent(call)).flatten();
        let block = match agent {
            Some(agent) => Some(ended_agent(agent, outcome, shown)),
            None => self.ended_call(tool, line, cage, outcome, shown),
        };
        let told = self.now.parallel.ended(call, block);
        self.keep_all(told);
    }

    /// What is told of a call that has ended.
    fn ended_call(
        &mut self,
        tool: &CalledTool,
        line: String,
        cage: Option<Cage>,
        outcome: &CallOutcome,
        shown: &ShownCall,
    ) -> Option<StoryBlock> {
        let is_said_elsewhere =
            tool.known() == Some(ToolName::TodoWrite) || is_about_plans(tool) && mem::take(&mut self.now.has_decided);
        let is_plain = matches!(outcome, CallOutcome::Done | CallOutcome::Interrupted);
        if is_said_elsewhere && is_plain {
            return None;
        }
        let (tool, outcome, shown) = (tool.clone(), outcome.clone(), shown.clone());
        // While planning nothing but the plan can be changed. An edit in the project, which has a path of its own, is shown
        // all the same: it may have begun before.
        let is_outside = matches!(&shown.body, ShownBody::Diff { path, .. } if path.starts_with('/'));
        let is_plan = self.mode == Mode::Plan && is_outside;
        let subject = if is_plan { CallSubject::Plan } else { CallSubject::Work };
        let call = EndedCall { tool, line, cage, outcome, shown, subject };
        Some(if call.tool == CalledTool::Typed { StoryBlock::Typed(call) } else { StoryBlock::Call(call) })
    }

    fn keep_all(&mut self, blocks: Vec<StoryBlock>) {
        for block in blocks {
            self.keep(block);
        }
    }

    /// Nothing more will be heard of calls that ran side by side.
    fn end_parallel(&mut self) {
        let left = self.now.parallel.end();
        self.keep_all(left);
    }

    /// A call of which nothing more will be heard.
    fn lose(&mut self, running: RunningCall) {
        let RunningCall { call, tool, line, cage, .. } = running;
        let (outcome, shown) = (CallOutcome::Interrupted, ShownCall::default());
        let lost = EndedCall { tool, line, cage, outcome, shown, subject: CallSubject::Work };
        let block = if lost.tool == CalledTool::Typed { StoryBlock::Typed(lost) } else { StoryBlock::Call(lost) };
        let told = self.now.parallel.ended(&call, Some(block));
        self.keep_all(told);
    }

    fn decided(&mut self, decided: &ApprovalOutcome) {
        self.end_words();
        self.now.has_decided = true;
        if matches!(decided, ApprovalOutcome::Left { .. }) {
            // It says which mode it led to.
            self.held = None;
        }
        let (how, is_of_scout) = (decided.clone(), self.now.is_scout);
        // An answer that did not count leaves the request, and the plan, where they are.
        if matches!(how, ApprovalOutcome::NotCounted { .. }) {
            self.now.response = None;
            let (plan, comments) = (String::new(), Vec::new());
            return self.keep(StoryBlock::Decided(DecidedPlan { how, plan, comments, is_of_scout }));
        }
        let comments = match &how {
            ApprovalOutcome::Approved { comments, .. } | ApprovalOutcome::KeepPlanning { comments, .. } => {
                comments.clone()
            }
            ApprovalOutcome::Saved { .. }
            | ApprovalOutcome::Left { .. }
            | ApprovalOutcome::Discarded
            | ApprovalOutcome::NotCounted { .. }
            | ApprovalOutcome::Awaits { .. } => Vec::new(),
        };
        // Of a decision in the past nothing was sent by this program: the text that it is about came with it.
        let (edited, steps) = self.now.response.take().map_or((None, None), |response| (response.plan, response.steps));
        let shown = self.now.plan.take().unwrap_or_default();
        let whole = edited.unwrap_or(shown);
        let plan = match (&how, steps) {
            (ApprovalOutcome::Approved { .. }, Some(numbers)) => only_steps(&whole, &numbers).unwrap_or(whole),
            _ => whole,
        };
        self.keep(StoryBlock::Decided(DecidedPlan { how, plan, comments, is_of_scout }));
    }

    fn turn_ended(&mut self, outcome: &TurnOutcome) {
        self.end_words();
        if *outcome == TurnOutcome::Interrupted {
            self.stop_words();
        }
        (self.now.is_running, self.now.is_stopping) = (false, false);
        (self.now.is_asked, self.now.is_summarising) = (false, false);
        // The person's own commands run beside the turn; of the others nothing more will be heard.
        let (typed, lost) =
            mem::take(&mut self.now.calls).into_iter().partition(|running| running.tool == CalledTool::Typed);
        self.now.calls = typed;
        Vec::<RunningCall>::from_iter::<Vec<_>>(lost).into_iter().for_each(|running| self.lose(running));
        self.end_parallel();
        self.end_agents(CallOutcome::Interrupted);
        self.tell_todos();
        match outcome {
            // The decision about the plan has said it.
            TurnOutcome::Done | TurnOutcome::PlanAwaits { .. } | TurnOutcome::PlanSaved { .. } => {}
            outcome => self.keep(StoryBlock::Ended { outcome: outcome.clone() }),
        }
    }

    /// The list, where it changed in a turn that has ended.
    fn tell_todos(&mut self) {
        if mem::take(&mut self.now.todos_changed) && !self.now.todos.is_empty() {
            self.keep(StoryBlock::Todos { items: self.now.todos.clone() });
        }
    }

    /// Shows the todo list as it is now; false where there is none.
    pub(crate) fn tell_todos_again(&mut self) -> bool {
        self.now.todos_changed = true;
        self.tell_todos();
        !self.now.todos.is_empty()
    }

    /// Nothing goes on any more: of what has not ended, nothing more will be heard.
    pub(crate) fn rest(&mut self) {
        self.end_words();
        self.settle();
        mem::take(&mut self.now.calls).into_iter().for_each(|running| self.lose(running));
        self.end_parallel();
        self.end_agents(CallOutcome::Interrupted);
        let text = match self.now.waiting.len() {
            0 => String::new(),
            1 => "1 queued message was not sent; Up brings it back.".to_owned(),
            waiting => format!("{waiting} queued messages were not sent; Up brings them back."),
        };
        if !text.is_empty() {
            self.keep(StoryBlock::Notice { level: NoticeLevel::Warning, text });
        }
        self.now = LiveState { todos: mem::take(&mut self.now.todos), ..LiveState::default() };
    }

    /// Another session follows: nothing of this one goes on.
    pub(crate) fn leave(&mut self) {
        self.rest();
        self.now = LiveState::default();
    }

    /// Agents that have ended and whose call is not known here.
    fn flush_agents(&mut self) {
        if self.now.agents.iter().all(|agent| agent.ended.is_none()) || !self.now.calls.is_empty() {
            return;
        }
        let agents = mem::take(&mut self.now.agents);
        for agent in agents {
            match agent.ended {
                Some(_) => self.keep(ended_agent(agent, &CallOutcome::Done, &ShownCall::default())),
                None => self.now.agents.push(agent),
            }
        }
    }

    fn end_agents(&mut self, outcome: CallOutcome) {
        for agent in mem::take(&mut self.now.agents) {
            self.keep(ended_agent(agent, &outcome, &ShownCall::default()));
        }
    }
}

fn ended_agent(agent: RunningAgent, outcome: &CallOutcome, shown: &ShownCall) -> StoryBlock {
    let RunningAgent { kind, task, calls, refused, ended, .. } = agent;
    let outcome = ended.unwrap_or_else(|| outcome.clone());
    let why = if outcome == CallOutcome::Failed { shown.line.clone() } else { String::new() };
    StoryBlock::Agent(EndedAgent { kind, task, outcome, calls, refused, why, answer: shown.body.clone() })
}

/// A command of the scout says behind it what it is for: people read that first. What a model writes stays as it is, so that its
/// words never stand before what it does.
fn in_words(line: &str) -> String {
    match line.rsplit_once(" # ").filter(|_| !line.contains('\n')) {
        Some((command, words)) => format!("{words}: {command}"),
        None => line.to_owned(),
    }
}

/// Calls whose end is told by a decision or a change of mode.
fn is_about_plans(tool: &CalledTool) -> bool {
    matches!(tool.known(), Some(ToolName::ExitPlanMode | ToolName::EnterPlanMode))
}
