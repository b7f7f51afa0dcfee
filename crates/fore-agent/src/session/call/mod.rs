//! One call from the model's words to its result: judged by the gate, asked about if need be, run by its permit.
//!
//! This is the only road to a tool. The state is read at the moment of the call and again when the permit is presented.

mod audit;
mod forms;
mod hooked;
pub(super) mod judge;
mod of_program;
mod permission;
mod remembered;
mod servers;
mod work_facts;

use super::{
    agents, approval,
    caller::{CallerContext, is_of_the_main_conversation},
    history::shown_message::{AgentRecord, CallRecord},
    running::MayChange,
    session_context::SessionContext,
    toolbox::{TeamPlace, Toolbox},
};
use crate::{
    cancel::Cancel,
    context::input_of,
    control::agent,
    event::{CallId, CallOutcome, Event, ShownCall},
    output::Output,
    turn::{AfterCall, Slot},
};
use fore_model::{ResultPart, ToolResult, ToolUse};
use fore_plan::{
    Cage, CalledTool, Epoch, Refusal, RefusalCode, State, ToolName,
    contract::Contract,
    gate::{Action, Judgement, McpClaims, McpPlace, Permit, PermitSource, Presented, Verdict},
    reminder::{Reminder, defuse_str},
};
use fore_sandbox::edit;
use hooked::{HookedBefore, HookedQuestion};
use judge::{JudgedAhead, VerdictBasis};
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// The longest text of one result; tools keep to smaller bounds of their own.
const MAX_RESULT_BYTES: usize = 200 * 1024;

/// Letters of the name of an agent that is not there.
const MAX_NAME_CHARS: usize = 64;

/// How long a tool that was stopped is waited for.
const MAX_STOPPING: Duration = Duration::from_millis(700);

/// What came of a call.
#[derive(Debug)]
pub(crate) struct FinishedCall {
    pub(crate) slot: usize,
    pub(crate) call: ToolUse,
    pub(crate) result: ToolResult,
    pub(crate) then: AfterCall,
    /// What the person was shown of it.
    pub(crate) record: CallRecord,
}

/// A call with everything around it.
#[derive(Clone, Debug)]
pub(crate) struct ToolCall {
    pub(crate) context: Arc<SessionContext>,
    pub(crate) caller: Arc<CallerContext>,
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) id: CallId,
    pub(crate) tool: CalledTool,
    pub(crate) input: Value,
    /// What an AmendPlan that the person sees would grant.
    shown_amendment: Arc<Mutex<Option<Contract>>>,
}

/// What a tool gave, and what that means for the turn.
#[derive(Debug)]
pub(crate) struct CallResult {
    pub(crate) output: Output,
    /// The program's own words, which the model gets after the output.
    pub(crate) reminders: Vec<String>,
    pub(crate) outcome: CallOutcome,
    pub(crate) then: AfterCall,
    /// Where its process ran.
    pub(crate) cage: Option<Cage>,
    /// The subagent that it was.
    pub(crate) agent: Option<AgentRecord>,
}

/// A permit, and what is said in the call's line of who gave it, where that was neither the gate nor the person.
pub(super) type GivenPermit = (Permit, Option<String>);

/// Why a call got no permit.
#[derive(Debug)]
pub(super) enum NoPermit {
    Refused(Refusal),
    /// The gate would have asked, but a yes could change nothing: it would fail with these words.
    CannotWork(String),
    /// The person stopped the turn while it was judged.
    Interrupted,
}

impl From<Refusal> for NoPermit {
    fn from(refusal: Refusal) -> NoPermit {
        NoPermit::Refused(refusal)
    }
}

impl CallResult {
    pub(crate) fn of(output: Output) -> CallResult {
        let outcome = if output.is_error { CallOutcome::Failed } else { CallOutcome::Done };
        CallResult { output, reminders: Vec::new(), outcome, then: AfterCall::GoOn, cage: None, agent: None }
    }

    /// Words for the model and a line for the person.
    pub(crate) fn text(model: impl Into<String>, line: impl Into<String>) -> CallResult {
        CallResult::of(Output::text(model, ShownCall::line(line)))
    }

    /// Says in the call's own line why it was allowed.
    fn with_remark(mut self, remark: Option<String>) -> CallResult {
        if let Some(remark) = remark {
            let line = &mut self.output.shown.line;
            *line = if line.is_empty() { remark } else { format!("{line} · {remark}") };
        }
        self
    }

    pub(crate) fn and_then(self, then: AfterCall) -> CallResult {
        CallResult { then, ..self }
    }
}

/// Runs one call of a batch.
pub(crate) async fn run(
    context: Arc<SessionContext>,
    caller: Arc<CallerContext>,
    toolbox: Arc<Toolbox>,
    id: CallId,
    (slot, ahead): (Slot, Option<JudgedAhead>),
) -> FinishedCall {
    let tool = CalledTool::by_model(&slot.call.name);
    let input = input_of(&slot.call).cloned().unwrap_or_default();
    let mut call = ToolCall { context, caller, toolbox, id, tool, input, shown_amendment: Arc::default() };
    let done = call.run_with_hooks(&slot.call, ahead).await;
    let record = CallRecord {
        tool: call.tool.clone(),
        line: call.line(),
        cage: done.cage,
        outcome: done.outcome,
        shown: done.output.shown,
        agent: done.agent,
    };
    call.context.person.events.send(Event::ToolFinished {
        agent: call.caller.agent(),
        call: call.id.clone(),
        tool: call.tool.clone(),
        outcome: record.outcome.clone(),
        shown: record.shown.clone(),
    });
    if let Some(ToolName::Bash | ToolName::BashOutput) = call.tool.known() {
        call.context.tell_background();
    }
    let reminders = done.reminders.into_iter().map(ResultPart::Text);
    let content = done.output.model.into_iter().map(safe).chain(reminders).collect();
    let Slot { slot, call } = slot;
    let result = ToolResult { id: call.id.clone(), name: call.name.clone(), content, is_error: done.output.is_error };
    FinishedCall { slot, call, result, then: done.then, record }
}

/// Text from outside cannot speak as a reminder (E9), and has a bound.
fn safe(piece: ResultPart) -> ResultPart {
    match piece {
        ResultPart::Text(text) => ResultPart::Text(bounded(&defuse_str(&text))),
        ResultPart::Image(image) => ResultPart::Image(image),
    }
}

fn bounded(text: &str) -> String {
    let kept = fore_text::cut::bytes(text, MAX_RESULT_BYTES);
    match text.len() - kept.len() {
        0 => text.to_owned(),
        left => format!("{kept}\n[… {left} more bytes are left out]"),
    }
}

impl ToolCall {
    /// Hooks first, then the call as they leave it, then hooks again.
    async fn run_with_hooks(&mut self, call: &ToolUse, ahead: Option<JudgedAhead>) -> CallResult {
        let is_made = call.broken_result().is_none() && !self.caller.cancel.is_cancelled();
        let before = if is_made { self.hooks_before(call).await } else { HookedBefore::default() };
        let begun = Instant::now();
        let done = match &before.refusal {
            Some(refusal) => {
                self.started(None);
                self.refused(self.audited(refusal.clone()))
            }
            None => self.run(call, ahead, &before).await,
        };
        if is_made { self.hooks_after(call, before, begun.elapsed(), done).await } else { done }
    }

    async fn run(&self, call: &ToolUse, ahead: Option<JudgedAhead>, before: &HookedBefore) -> CallResult {
        if let Some(broken) = call.broken_result() {
            self.context.ledger.audit_unreadable(self.tool.as_str());
            return CallResult::of(Output {
                model: broken.content,
                is_error: true,
                shown: ShownCall::line("unreadable call"),
                fact: None,
            });
        }
        if self.caller.cancel.is_cancelled() {
            return self.interrupted();
        }
        if let Some(stopped) = self.learn_server().await {
            self.started(None);
            return stopped;
        }
        let action = judge::action(&self.context, &self.caller, &call.name, &self.input);
        let may_have = self.caller.has(&self.tool) && self.may_use_server_tool(&action);
        if !may_have || self.would_ask_for_nothing(&action) {
            self.started(None);
            return self.refused(self.audited(self.no_such_tool()));
        }
        if let Some(refusal) = self.no_such_agent() {
            self.started(None);
            return self.refused(self.audited(refusal));
        }
        let basis = VerdictBasis::now(&self.context);
        let ahead = ahead.and_then(|ahead| ahead.if_current(&action, basis));
        let epoch = basis.epoch;
        match self.permit(action, epoch, ahead, before).await {
            Err(stopped) => {
                self.started(None);
                match stopped {
                    NoPermit::Refused(refusal) => self.refused(refusal),
                    NoPermit::CannotWork(why) => CallResult::of(Output::error(why)),
                    NoPermit::Interrupted => not_run(),
                }
            }
            Ok((permit, allowed_by)) => {
                let runs = runs_a_program(permit.action());
                let cage = runs.then(|| permit.cage().clone());
                self.started(cage.clone());
                let is_near = permit.source() == PermitSource::NearPlan;
                let change = MayChange::of(permit.action(), permit.cage(), permit.plan_file());
                let cancel = self.context.work.running.add(self.id.clone(), change);
                // The last look: whatever happened while the call was judged or a question was open counts.
                let done = match self.state_of(epoch).and_then(|state| permit.present(&state)) {
                    _ if self.caller.cancel.is_cancelled() => not_run(),
                    Err(refusal) => self.refused(self.audited(refusal)),
                    Ok(permit) => self.perform(permit, cancel).await,
                };
                self.context.work.running.remove(&self.id);
                let near = is_near.then(|| "near the plan".to_owned());
                CallResult { cage, ..done }.with_remark(near.or(allowed_by))
            }
        }
    }

    /// Whether the gate would allow or ask for a tool that this session does not have, such as one of a server that is not connected.
    fn would_ask_for_nothing(&self, action: &Action) -> bool {
        let is_ours = self.tool.known().is_some_and(is_of_the_main_conversation);
        let is_servers = self.toolbox.has_servers() && (is_for_servers(&self.tool) || self.has_server_of(action));
        let is_there = is_ours || is_servers || self.toolbox.get(&self.tool).is_some();
        let judged = || {
            judge::judge(&self.context.setup, &self.caller.state(self.context.ledger.state()), action.clone()).verdict
        };
        !is_there && !matches!(judged(), Verdict::Block(_))
    }

    /// The state for this caller, as long as the session enforces what it did when the call was judged. A caller may be judged
    /// by a stricter state than the session's, whose own epoch says nothing about the session.
    pub(super) fn state_of(&self, epoch: Epoch) -> Result<Arc<State>, Refusal> {
        let session = self.context.ledger.state();
        if session.epoch() != epoch {
            let reason = "the mode changed after this was allowed";
            let way_out = "Call it again; it is judged in the mode that holds now.";
            return Err(self.refusal(RefusalCode::PermitStale, reason, way_out));
        }
        Ok(self.caller.state(session))
    }

    fn started(&self, cage: Option<Cage>) {
        self.context.person.events.send(Event::ToolStarted {
            agent: self.caller.agent(),
            call: self.id.clone(),
            tool: self.tool.clone(),
            line: self.line(),
            cage,
        });
    }

    /// One line for people about it.
    fn line(&self) -> String {
        self.toolbox.line(&self.tool, &self.input)
    }

    /// The gate's yes, or somebody's.
    async fn permit(
        &self,
        action: Action,
        epoch: Epoch,
        ahead: Option<Judgement>,
        before: &HookedBefore,
    ) -> Result<GivenPermit, NoPermit> {
        let judged = {
            let call = self.clone();
            let judge = move || {
                let now = || {
                    judge::judge(&call.context.setup, &call.caller.state(call.context.ledger.state()), action.clone())
                };
                judge::audited(&call.context, &action, ahead.unwrap_or_else(now))
            };
            // Judging a command may ask git, in a cage; nobody else waits for that, and an interrupt does not either.
            tokio::select! {
                biased;
                () = self.caller.cancel.cancelled() => return Err(NoPermit::Interrupted),
                judged = tokio::task::spawn_blocking(judge) => judged,
            }
        };
        match judged.map(|judgement| judgement.verdict) {
            Ok(Verdict::Allow(permit)) => match &before.asks {
                Some(asks) => self.ask(self.asked_by_hook(permit, asks), epoch).await,
                None => Ok((permit, None)),
            },
            Ok(Verdict::Block(refusal)) => Err(NoPermit::Refused(refusal)),
            Ok(Verdict::Ask(question)) => {
                // Whoever wants the person to look has said more than whoever would allow it.
                let allows = before.allows.as_deref().filter(|_| before.asks.is_none());
                match self.hooks_of_question(question, allows).await? {
                    HookedQuestion::Answered(permit, remark) => Ok((*permit, Some(remark))),
                    HookedQuestion::Open(question) => self.ask(*question, epoch).await,
                }
            }
            Err(_) => {
                let refusal =
                    self.refusal(RefusalCode::UnknownTool, "the call could not be judged", "Try another way.");
                Err(NoPermit::Refused(self.audited(refusal)))
            }
        }
    }

    /// Does what the permit names.
    async fn perform(&self, permit: Presented, cancel: Cancel) -> CallResult {
        match self.tool.known() {
            Some(ToolName::TodoWrite) => self.write_todos(),
            Some(ToolName::AskUserQuestion) => self.ask_questions().await,
            Some(ToolName::EnterPlanMode) => {
                let was_planning = self.context.ledger.is_planning();
                let done = approval::enter_plan(self).await;
                self.audit_plan_tool(was_planning, &done);
                done
            }
            Some(ToolName::ExitPlanMode) => {
                let was_planning = self.context.ledger.is_planning();
                let done = approval::exit_plan(self).await;
                self.audit_plan_tool(was_planning, &done);
                done
            }
            Some(ToolName::AmendPlan) => self.amend_plan().await,
            Some(ToolName::Agent) => agents::run(self).await,
            Some(ToolName::SendMessage) if self.context.setup.team.place() != TeamPlace::Alone => {
                self.send_message().await
            }
            Some(ToolName::AnswerPlan) if self.context.setup.team.place() == TeamPlace::Lead => {
                self.answer_plan().await
            }
            Some(ToolName::McpSearch) if self.toolbox.has_servers() => self.search_servers().await,
            Some(ToolName::McpCall | ToolName::McpRead) if self.toolbox.has_servers() => {
                self.use_server(permit, cancel).await
            }
            None if self.has_server_of(permit.action()) => self.use_server(permit, cancel).await,
            Some(
                ToolName::Read
                | ToolName::Glob
                | ToolName::Grep
                | ToolName::Ls
                | ToolName::WebFetch
                | ToolName::WebSearch
                | ToolName::BashOutput
                | ToolName::Write
                | ToolName::Edit
                | ToolName::MultiEdit
                | ToolName::NotebookEdit
                | ToolName::Bash
                | ToolName::Skill,
            ) if self.toolbox.get(&self.tool).is_some() => self.use_tool(permit, cancel).await,
            Some(_) | None => self.refused(self.audited(self.no_such_tool())),
        }
    }

    async fn use_tool(&self, permit: Presented, cancel: Cancel) -> CallResult {
        let (call, switch) = (self.clone(), cancel.clone());
        let change = MayChange::of(permit.action(), permit.cage(), permit.plan_file());
        let work = move || {
            let context = call.context.tool_context(&call.caller, switch, call.id.clone());
            let action = permit.action().clone();
            let plan = PlanWriting::of(&permit, context.plan_file.as_deref());
            if plan != PlanWriting::None {
                // What somebody else did to it before is not the model's.
                call.context.ledger.refresh_plan();
            }
            let remembered = call.before_change(&permit, &plan);
            let watched = call.watch(&permit);
            let began = approval::now();
            let mut output = call.toolbox.get(&call.tool).map(|tool| tool.run(permit, &call.input, &context));
            call.after_change(remembered);
            if let Some(fact) = output.as_mut().and_then(|output| output.fact.take()) {
                call.note_fact(&action, fact, (watched, began));
            }
            match plan {
                PlanWriting::None => {}
                PlanWriting::ByCommand => call.context.note_plan_written(|_| true),
                // A tool knows the bytes that it wrote.
                PlanWriting::ByTool(path) => call.context.note_plan_written(|text| {
                    context.seen.fingerprint(&path) == Some(edit::fingerprint(text.as_bytes()))
                }),
            }
            (action, output)
        };
        let mut working = tokio::task::spawn_blocking(work);
        let worked = tokio::select! {
            biased;
            worked = &mut working => worked,
            () = stopped_for_a_while(&cancel) => return self.leave(working, change),
        };
        self.context.audit_connections();
        let Ok((action, Some(output))) = worked else {
            return CallResult::of(Output::error("the tool crashed; nothing more is known"));
        };
        if cancel.is_cancelled() {
            return CallResult { outcome: CallOutcome::Interrupted, ..CallResult::of(mark_interrupted(output)) };
        }
        let mut done = CallResult::of(output);
        if let Action::Read { path, .. } = &action
            && !done.output.is_error
        {
            done.reminders.extend(self.context.setup.nested_memory(path));
        }
        done
    }

    /// A tool that was stopped and does not end is left to itself: the person has the controls. What could change something
    /// stays on the list of what runs until it has really ended.
    fn leave<T: Send + 'static>(&self, working: tokio::task::JoinHandle<T>, change: MayChange) -> CallResult {
        let (running, id) = (Arc::clone(&self.context.work.running), CallId(format!("{}-left", self.id.0)));
        running.add(id.clone(), change).cancel();
        self.context.setup.runtime.spawn(async move {
            let _ = working.await;
            running.remove(&id);
        });
        let words = "This call was stopped by the person and had not ended when it was no longer waited for.";
        CallResult { outcome: CallOutcome::Interrupted, ..CallResult::of(Output::error(words)) }
    }

    /// Nothing ran: the model is told why and what it may do, the person sees one line.
    pub(crate) fn refused(&self, refusal: Refusal) -> CallResult {
        let words = refusal.to_string();
        let shown = ShownCall::line(format!("refused: {}", refusal.reason));
        let outcome = CallOutcome::Refused { refusal: Box::new(refusal) };
        if self.context.ledger.is_planning() {
            let reminders = vec![Reminder::Blocked { refusal: &words }.render()];
            let output = Output { model: Vec::new(), is_error: true, shown, fact: None };
            return CallResult { reminders, outcome, ..CallResult::of(output) };
        }
        let output = Output { model: vec![ResultPart::Text(words)], is_error: true, shown, fact: None };
        CallResult { outcome, ..CallResult::of(output) }
    }

    fn interrupted(&self) -> CallResult {
        self.started(None);
        not_run()
    }

    /// An agent that nobody knows is told so before anything else is asked about it.
    fn no_such_agent(&self) -> Option<Refusal> {
        let kinds = &self.context.setup.kinds;
        let is_agent = self.tool.known() == Some(ToolName::Agent);
        let asked = is_agent.then(|| agent::parse(&self.input).ok()).flatten()?;
        kinds.get(&asked.kind).is_none().then(|| {
            let name = fore_text::cut::chars(&asked.kind, MAX_NAME_CHARS);
            let reason = format!("there is no agent `{name}`");
            let way_out = format!("The agents are: {}.", kinds.names().join(", "));
            self.refusal(RefusalCode::UnknownTool, &reason, &way_out)
        })
    }

    pub(super) fn no_such_tool(&self) -> Refusal {
        let reason = format!("there is no tool `{}` here", self.tool);
        // One that exists elsewhere was not misspelled.
        let way_out = match self.tool.known() {
            Some(_) => "Use one of the tools that are listed.".to_owned(),
            None => ToolName::meant_by(self.tool.as_str()),
        };
        self.refusal(RefusalCode::UnknownTool, &reason, &way_out)
    }

    pub(super) fn refusal(&self, code: RefusalCode, reason: &str, way_out: &str) -> Refusal {
        let mode = self.caller.state(self.context.ledger.state()).mode();
        Refusal { code, mode, rule: "tools".into(), reason: reason.into(), way_out: way_out.into() }
    }
}

/// Returns when a tool was stopped and has had its time to end.
async fn stopped_for_a_while(cancel: &Cancel) {
    cancel.cancelled().await;
    tokio::time::sleep(MAX_STOPPING).await;
}

/// How a call may write the plan, by its permit.
#[derive(Debug, PartialEq, Eq)]
enum PlanWriting {
    None,
    ByCommand,
    ByTool(PathBuf),
}

impl PlanWriting {
    fn of(permit: &Presented, plan: Option<&Path>) -> PlanWriting {
        match permit.action() {
            Action::Edit { target, .. } => {
                let is_plan = plan == Some(Path::new(&target.real));
                if is_plan { PlanWriting::ByTool(PathBuf::from(&target.real)) } else { PlanWriting::None }
            }
            Action::Run { .. } if permit.plan_file().is_some() => PlanWriting::ByCommand,
            Action::Run { .. }
            | Action::Read { .. }
            | Action::Search { .. }
            | Action::Fetch { .. }
            | Action::Think { .. }
            | Action::EditNotebook { .. }
            | Action::Delete { .. }
            | Action::Move { .. }
            | Action::Hook { .. }
            | Action::Agent { .. }
            | Action::Message { .. }
            | Action::Mcp { .. }
            | Action::McpServer { .. }
            | Action::Todo
            | Action::Skill { .. }
            | Action::EnterPlanMode
            | Action::ExitPlanMode
            | Action::AmendPlan
            | Action::Other { .. } => PlanWriting::None,
        }
    }
}

/// Whether a process does it, which is in some sandbox.
fn runs_a_program(action: &Action) -> bool {
    let is_server = |claims: &McpClaims| matches!(claims.place, McpPlace::Process(_));
    matches!(action, Action::Run { .. }) || matches!(action, Action::Mcp { claims, .. } if is_server(claims))
}

/// The tools that lead to all servers.
fn is_for_servers(tool: &CalledTool) -> bool {
    matches!(tool.known(), Some(ToolName::McpSearch | ToolName::McpCall | ToolName::McpRead))
}

fn not_run() -> CallResult {
    let words = "Not run: the person interrupted the turn.";
    CallResult { outcome: CallOutcome::Interrupted, ..CallResult::of(Output::error(words)) }
}

fn mark_interrupted(mut output: Output) -> Output {
    let words =
        "This call was stopped by the person, or because planning began; what it had done until then stays done.";
    output.model.push(ResultPart::Text(words.into()));
    output.is_error = true;
    output
}

#[cfg(test)]
mod tests;
