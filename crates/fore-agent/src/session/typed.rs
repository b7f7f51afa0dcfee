//! The person's own commands (`!cmd`): not the agent's, so no plan gate; deny rules hold. The output is shown and told.

use super::{
    desk::{Desk, lock},
    running::Change,
    seat::Seat,
};
use crate::{
    event::{Event, NoticeLevel, Outcome},
    proof::Snapshot,
    tools::{Bash, Tool},
};
use fore_model::Piece;
use fore_plan::{gate::Action, reminder::defuse_str};
use serde_json::json;
use std::sync::Arc;

/// Files changed by the person's commands that are remembered for the proof.
const MOST_REMEMBERED: usize = 1_000;

/// Commands of the person's own that run at the same time.
const MOST_RUNNING: usize = 8;

/// Starts the command beside whatever goes on. An interrupt and the end of the session stop it, planning does not.
pub(super) fn start(desk: &Arc<Desk>, line: String) {
    let running = {
        let mut runs = lock(&desk.typed_runs);
        runs.retain(|run| !run.is_finished());
        runs.len()
    };
    if running >= MOST_RUNNING {
        return desk
            .notice(NoticeLevel::Warning, format!("{running} of your commands run already; wait for one of them."));
    }
    let cwd = desk.folder.get().to_string_lossy().into_owned();
    let action = Action::Run { command: line.clone(), cwd, rehearse: false };
    let (desk, call) = (Arc::clone(desk), desk.next_call());
    let cancel = desk.running.add(call.clone(), Change::Impossible);
    let (runtime, shared) = (desk.runtime.clone(), Arc::clone(&desk));
    let run = runtime.spawn_blocking(move || {
        // Judging may ask git, so it is not done on the loop's own time.
        let permit = match desk.typed(action).and_then(|permit| permit.present(&desk.state())) {
            Ok(permit) => permit,
            Err(refusal) => {
                desk.running.remove(&call);
                return desk.notice(NoticeLevel::Warning, refusal.for_person());
            }
        };
        let (tool, cage) = ("!".to_owned(), Some(permit.cage().clone()));
        desk.outbox.send(Event::ToolStarted {
            agent: None,
            call: call.clone(),
            tool: tool.clone(),
            line: line.clone(),
            cage,
        });
        let hands = desk.hands(&Seat::main(cancel.clone()), cancel, call.clone());
        let before = desk.plans().then(|| Snapshot::take(&hands.opener(), &desk.project, &hands.cancel));
        let output = Bash.run(permit, &json!({ "command": line }), &hands);
        desk.audit_connections();
        if let Some(before) = before {
            // What the person changed while planning is theirs, and the proof says so.
            let changed = before.changed(&Snapshot::take(&hands.opener(), &desk.project, &hands.cancel));
            let mut typed = lock(&desk.typed);
            let room = MOST_REMEMBERED.saturating_sub(typed.len());
            typed.extend(changed.into_iter().take(room));
        }
        let text: String = output
            .model
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.as_str(),
                Piece::Image(_) => "",
            })
            .collect();
        let remark = format!("The person ran `{line}` themselves:\n{}", defuse_str(&text));
        lock(&desk.prompts).remark(remark);
        desk.remarked.notify_one();
        let outcome = match output.is_error {
            _ if hands.cancel.is_cancelled() => Outcome::Interrupted,
            true => Outcome::Failed,
            false => Outcome::Done,
        };
        desk.running.remove(&call);
        desk.outbox.send(Event::ToolFinished { agent: None, call, tool, outcome, shown: output.shown });
    });
    lock(&shared.typed_runs).push(run);
}
