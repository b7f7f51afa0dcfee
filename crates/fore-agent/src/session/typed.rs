//! The person's own commands (`!cmd`): not the agent's, so no plan gate; deny rules hold. The output is shown and told.

use super::{
    call::judge::permit_typed, caller::CallerContext, history::shown_message::CallRecord, person::prompts::TypedReport,
    running::MayChange, session_context::SessionContext,
};
use crate::{
    event::{CallOutcome, Event, NoticeLevel},
    lock::lock,
    proof::WorkspaceSnapshot,
    tools::{Bash, Tool},
};
use fore_model::ResultPart;
use fore_plan::{CalledTool, gate::Action, reminder::defuse_str};
use serde_json::json;
use std::sync::Arc;

/// Files changed by the person's commands that are remembered for the proof.
const MAX_REMEMBERED: usize = 1_000;

/// Commands of the person's own that run at the same time.
const MAX_RUNNING: usize = 8;

/// Starts the command beside whatever goes on. An interrupt and the end of the session stop it, planning does not.
pub(super) fn start(context: &Arc<SessionContext>, line: String) {
    let running = {
        let mut runs = lock(&context.work.typed_runs);
        runs.retain(|run| !run.is_finished());
        runs.len()
    };
    if running >= MAX_RUNNING {
        return context
            .person
            .notice(NoticeLevel::Warning, format!("{running} of your commands run already; wait for one of them."));
    }
    let cwd = context.work.folder.get().to_string_lossy().into_owned();
    let action = Action::Run { command: line.clone(), cwd, rehearse: false };
    let (context, call) = (Arc::clone(context), context.work.next_call());
    context.work.running.count_change();
    let cancel = context.work.running.add(call.clone(), MayChange::Impossible);
    let (runtime, shared) = (context.setup.runtime.clone(), Arc::clone(&context));
    let run = runtime.spawn_blocking(move || {
        // Judging may ask git, so it is not done on the loop's own time.
        let permit = match permit_typed(&context, action).and_then(|permit| permit.present(&context.ledger.state())) {
            Ok(permit) => permit,
            Err(refusal) => {
                context.work.running.remove(&call);
                let (why, way_out) = refusal.for_person();
                return context.person.notice(NoticeLevel::Warning, format!("{why} {way_out}"));
            }
        };
        let (tool, cage) = (CalledTool::Typed, Some(permit.cage().clone()));
        context.person.events.send(Event::ToolStarted {
            agent: None,
            call: call.clone(),
            tool: tool.clone(),
            line: line.clone(),
            cage: cage.clone(),
        });
        let tool_context = context.tool_context(&CallerContext::main(cancel.clone()), cancel, call.clone());
        let before = context
            .ledger
            .is_planning()
            .then(|| WorkspaceSnapshot::take(&tool_context.opener(), &context.setup.project, &tool_context.cancel));
        let output = Bash.run(permit, &json!({ "command": line }), &tool_context);
        context.audit_connections();
        if let Some(before) = before {
            // What the person changed while planning is theirs, and the proof says so.
            let changed = before.changed(&WorkspaceSnapshot::take(
                &tool_context.opener(),
                &context.setup.project,
                &tool_context.cancel,
            ));
            let mut typed = lock(&context.work.typed);
            let room = MAX_REMEMBERED.saturating_sub(typed.len());
            typed.extend(changed.into_iter().take(room));
        }
        let text: String = output
            .model
            .iter()
            .map(|piece| match piece {
                ResultPart::Text(text) => text.as_str(),
                ResultPart::Image(_) => "",
            })
            .collect();
        let text = format!("The person ran `{line}` themselves:\n{}", defuse_str(&text));
        let outcome = match output.is_error {
            _ if tool_context.cancel.is_cancelled() => CallOutcome::Interrupted,
            true => CallOutcome::Failed,
            false => CallOutcome::Done,
        };
        let (shown, ended) = (output.shown.clone(), outcome.clone());
        let shown = CallRecord { tool: tool.clone(), line, cage, outcome: ended, shown, agent: None };
        context.person.prompts().remark(TypedReport { text, shown });
        context.person.remarked.notify_one();
        context.work.running.remove(&call);
        context.person.events.send(Event::ToolFinished { agent: None, call, tool, outcome, shown: output.shown });
    });
    lock(&shared.work.typed_runs).push(run);
}
