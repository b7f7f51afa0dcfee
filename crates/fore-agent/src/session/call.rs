//! One call from the model's words to its result: judged by the gate, asked about if need be, run by its permit.
//!
//! This is the only road to a tool. The state is read at the moment of the call and again when the permit is presented.

use super::{
    agents, approval, caller::CallerContext, judged_ahead::JudgedAhead, running::MayChange,
    session_context::SessionContext, toolbox::Toolbox,
};
use crate::{
    cancel::Cancel,
    context::input_of,
    event::{CallId, CallOutcome, Event, ShownCall},
    output::Output,
    turn::{AfterCall, Slot},
};
use fore_model::{ResultPart, ToolResult, ToolUse};
use fore_plan::{
    Epoch, Refusal, RefusalCode, State,
    gate::{Action, Judgement, Permit, Presented, Verdict, tool_name},
    reminder::{Reminder, defuse_str},
};
use fore_sandbox::edit;
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// The longest text of one result; tools keep to smaller bounds of their own.
const MAX_RESULT_BYTES: usize = 200 * 1024;

/// How long a tool that was stopped is waited for.
const MAX_STOPPING: Duration = Duration::from_millis(700);

/// Of a tool that there is not.
const MAX_NAME_CHARS: usize = 80;

/// What came of a call.
#[derive(Debug)]
pub(crate) struct FinishedCall {
    pub(crate) slot: usize,
    pub(crate) call: ToolUse,
    pub(crate) result: ToolResult,
    pub(crate) then: AfterCall,
}

/// A call with everything around it.
#[derive(Clone, Debug)]
pub(crate) struct ToolCall {
    pub(crate) context: Arc<SessionContext>,
    pub(crate) caller: Arc<CallerContext>,
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) id: CallId,
    /// The one name of the tool, or what the model called it.
    pub(crate) tool: String,
    pub(crate) input: Value,
}

/// What a tool gave, and what that means for the turn.
#[derive(Debug)]
pub(crate) struct CallResult {
    pub(crate) output: Output,
    /// The program's own words, which the model gets after the output.
    pub(crate) reminders: Vec<String>,
    pub(crate) outcome: CallOutcome,
    pub(crate) then: AfterCall,
}

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
        CallResult { output, reminders: Vec::new(), outcome, then: AfterCall::GoOn }
    }

    /// Words for the model and a line for the person.
    pub(crate) fn text(model: impl Into<String>, line: impl Into<String>) -> CallResult {
        CallResult::of(Output::text(model, ShownCall::line(line)))
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
    let unknown = || slot.call.name.chars().take(MAX_NAME_CHARS).collect();
    let tool = tool_name(&slot.call.name).map_or_else(unknown, str::to_owned);
    let input = input_of(&slot.call).cloned().unwrap_or_default();
    let call = ToolCall { context, caller, toolbox, id, tool, input };
    let done = call.run(&slot.call, ahead).await;
    call.context.events.send(Event::ToolFinished {
        agent: call.caller.agent(),
        call: call.id.clone(),
        tool: call.tool.clone(),
        outcome: done.outcome,
        shown: done.output.shown,
    });
    let reminders = done.reminders.into_iter().map(ResultPart::Text);
    let content = done.output.model.into_iter().map(safe).chain(reminders).collect();
    let Slot { slot, call } = slot;
    let result = ToolResult { id: call.id.clone(), name: call.name.clone(), content, is_error: done.output.is_error };
    FinishedCall { slot, call, result, then: done.then }
}

/// Text from outside cannot speak as a reminder (E9), and has a bound.
fn safe(piece: ResultPart) -> ResultPart {
    match piece {
        ResultPart::Text(text) => ResultPart::Text(bounded(&defuse_str(&text))),
        ResultPart::Image(image) => ResultPart::Image(image),
    }
}

fn bounded(text: &str) -> String {
    if text.len() <= MAX_RESULT_BYTES {
        return text.to_owned();
    }
    let mut end = MAX_RESULT_BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}\n[… {} more bytes are left out]", text.get(..end).unwrap_or_default(), text.len() - end)
}

impl ToolCall {
    async fn run(&self, call: &ToolUse, ahead: Option<JudgedAhead>) -> CallResult {
        if let Some(broken) = call.broken_result() {
            self.context.audit_unreadable(&self.tool);
            return CallResult::of(Output {
                model: broken.content,
                is_error: true,
                shown: ShownCall::line("unreadable call"),
            });
        }
        if self.caller.cancel.is_cancelled() {
            return self.interrupted();
        }
        let action = self.context.action(&self.caller, &call.name, &self.input);
        if !self.caller.has(&self.tool) || self.would_ask_for_nothing(&action) {
            self.started(None);
            return self.refused(self.audited(self.no_such_tool()));
        }
        let basis = self.context.verdict_basis();
        let ahead = ahead.and_then(|ahead| ahead.if_current(&action, basis));
        let epoch = basis.epoch;
        match self.permit(action, epoch, ahead).await {
            Err(stopped) => {
                self.started(None);
                match stopped {
                    NoPermit::Refused(refusal) => self.refused(refusal),
                    NoPermit::CannotWork(why) => CallResult::of(Output::error(why)),
                    NoPermit::Interrupted => not_run(),
                }
            }
            Ok(permit) => {
                let runs = matches!(permit.action(), Action::Run { .. });
                self.started(runs.then(|| permit.cage().clone()));
                let change = MayChange::of(permit.action(), permit.cage(), permit.plan_file());
                let cancel = self.context.running.add(self.id.clone(), change);
                // The last look: whatever happened while the call was judged or a question was open counts.
                let done = match self.state_of(epoch).and_then(|state| permit.present(&state)) {
                    _ if self.caller.cancel.is_cancelled() => not_run(),
                    Err(refusal) => self.refused(self.audited(refusal)),
                    Ok(permit) => self.perform(permit, cancel).await,
                };
                self.context.running.remove(&self.id);
                done
            }
        }
    }

    /// Whether the gate would allow or ask for a tool that this session does not have, such as one of a server that is not connected.
    fn would_ask_for_nothing(&self, action: &Action) -> bool {
        let name = self.tool.as_str();
        let is_ours = matches!(name, "TodoWrite" | "AskUserQuestion" | "EnterPlanMode" | "ExitPlanMode" | "Agent");
        let is_there = is_ours || self.toolbox.get(name).is_some();
        let judged = || self.context.judge_untraced(&self.caller.state(self.context.state()), action.clone()).verdict;
        !is_there && !matches!(judged(), Verdict::Block(_))
    }

    /// The state for this caller, as long as the session enforces what it did when the call was judged. A caller may be judged
    /// by a stricter state than the session's, whose own epoch says nothing about the session.
    pub(super) fn state_of(&self, epoch: Epoch) -> Result<State, Refusal> {
        let session = self.context.state();
        if session.epoch() != epoch {
            let reason = "the mode changed after this was allowed";
            let way_out = "Call it again; it is judged in the mode that holds now.";
            return Err(self.refusal(RefusalCode::PermitStale, reason, way_out));
        }
        Ok(self.caller.state(session))
    }

    fn started(&self, cage: Option<fore_plan::Cage>) {
        self.context.events.send(Event::ToolStarted {
            agent: self.caller.agent(),
            call: self.id.clone(),
            tool: self.tool.clone(),
            line: self.toolbox.line(&self.tool, &self.input),
            cage,
        });
    }

    /// The gate's yes, or somebody's.
    async fn permit(&self, action: Action, epoch: Epoch, ahead: Option<Judgement>) -> Result<Permit, NoPermit> {
        let judged = {
            let call = self.clone();
            let judge = move || match ahead {
                Some(judgement) => call.context.audited_judgement(&action, judgement),
                None => call.context.judge(&call.caller.state(call.context.state()), action),
            };
            // Judging a command may ask git, in a cage; nobody else waits for that, and an interrupt does not either.
            tokio::select! {
                biased;
                () = self.caller.cancel.cancelled() => return Err(NoPermit::Interrupted),
                judged = tokio::task::spawn_blocking(judge) => judged,
            }
        };
        match judged.map(|judgement| judgement.verdict) {
            Ok(Verdict::Allow(permit)) => Ok(permit),
            Ok(Verdict::Block(refusal)) => Err(NoPermit::Refused(refusal)),
            Ok(Verdict::Ask(question)) => self.ask(question, epoch).await,
            Err(_) => {
                let refusal =
                    self.refusal(RefusalCode::UnknownTool, "the call could not be judged", "Try another way.");
                Err(NoPermit::Refused(self.audited(refusal)))
            }
        }
    }

    /// Does what the permit names.
    async fn perform(&self, permit: Presented, cancel: Cancel) -> CallResult {
        match self.tool.as_str() {
            "TodoWrite" => self.write_todos(),
            "AskUserQuestion" => self.ask_questions().await,
            "EnterPlanMode" | "ExitPlanMode" => {
                let was_planning = self.context.is_planning();
                let done = match self.tool.as_str() {
                    "EnterPlanMode" => approval::enter_plan(self).await,
                    _ => approval::exit_plan(self).await,
                };
                self.audit_plan_tool(was_planning, &done);
                done
            }
            "Agent" => agents::run(self).await,
            name if self.toolbox.get(name).is_some() => self.use_tool(permit, cancel).await,
            _ => self.refused(self.audited(self.no_such_tool())),
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
                call.context.refresh_plan();
            }
            let output = call.toolbox.get(&call.tool).map(|tool| tool.run(permit, &call.input, &context));
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
            return CallResult::of(Output::error("the tool broke down; nothing more is known"));
        };
        if cancel.is_cancelled() {
            return CallResult { outcome: CallOutcome::Interrupted, ..CallResult::of(mark_interrupted(output)) };
        }
        let mut done = CallResult::of(output);
        if let Action::Read { path, .. } = &action
            && !done.output.is_error
        {
            done.reminders.extend(self.context.nested_memory(path));
        }
        done
    }

    /// A tool that was stopped and does not end is left to itself: the person has the controls. What could change something
    /// stays on the list of what runs until it has really ended.
    fn leave<T: Send + 'static>(&self, working: tokio::task::JoinHandle<T>, change: MayChange) -> CallResult {
        let (running, id) = (Arc::clone(&self.context.running), CallId(format!("{}-left", self.id.0)));
        running.add(id.clone(), change).cancel();
        self.context.runtime.spawn(async move {
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
        if self.context.is_planning() {
            let reminders = vec![Reminder::Blocked { refusal: &words }.render()];
            let output = Output { model: Vec::new(), is_error: true, shown };
            return CallResult { output, reminders, outcome, then: AfterCall::GoOn };
        }
        let output = Output { model: vec![ResultPart::Text(words)], is_error: true, shown };
        CallResult { output, reminders: Vec::new(), outcome, then: AfterCall::GoOn }
    }

    fn interrupted(&self) -> CallResult {
        self.started(None);
        not_run()
    }

    pub(super) fn no_such_tool(&self) -> Refusal {
        let reason = format!("there is no tool `{}` here", self.tool);
        self.refusal(RefusalCode::UnknownTool, &reason, "Use one of the tools that are listed.")
    }

    pub(super) fn refusal(&self, code: RefusalCode, reason: &str, way_out: &str) -> Refusal {
        let mode = self.caller.state(self.context.state()).mode();
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
            | Action::Mcp { .. }
            | Action::Todo
            | Action::Skill { .. }
            | Action::EnterPlanMode
            | Action::ExitPlanMode
            | Action::Other { .. } => PlanWriting::None,
        }
    }
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
#[path = "call_tests.rs"]
mod tests;
