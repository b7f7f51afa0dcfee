//! What a person asks about permissions while a session lives: why a command would ask, and to ask about something again.

use super::{call::judge::on_ground, session_context::SessionContext};
use crate::event::{Event, NoticeLevel};
use fore_plan::{
    Change,
    gate::{Action, AllowScope, explain},
};
use std::{path::Path, sync::Arc};

/// Says what the gate would say now. Judging may ask git, so nobody waits for it.
pub(super) fn test(context: &Arc<SessionContext>, line: String) {
    let there = Arc::clone(context);
    let work = move || {
        let cwd = there.work.folder.get().to_string_lossy().into_owned();
        let action = Action::Run { command: line.clone(), cwd, rehearse: false };
        let state = there.ledger.state();
        let explanation = on_ground(&there.setup, |ground| explain(&state, ground, action));
        there.person.events.send(Event::PermissionTested { line, explanation: Box::new(explanation) });
    };
    drop(context.setup.runtime.spawn_blocking(work));
}

/// Takes back every yes for the session that these words mean. Permits that were given by then are void.
pub(super) fn forget(context: &SessionContext, words: &str) {
    let state = context.ledger.state();
    let project = &context.setup.project;
    let meant: Vec<(String, AllowScope)> = state
        .allowed()
        .filter_map(|key| Some((key.to_owned(), AllowScope::of_key(key)?)))
        .filter(|(_, scope)| means(scope, words, project))
        .collect();
    if meant.is_empty() {
        let text = format!("Nothing like `{}` was allowed for this session.", fore_text::line(words));
        return context.person.notice(NoticeLevel::Info, text);
    }
    for (what, scope) in meant {
        context.must_record(Change::Forgotten { what });
        context.person.events.send(Event::Forgotten { what: scope.describe(project) });
    }
}

/// Whether a person means this yes: by the words of the list, or by the command alone.
fn means(scope: &AllowScope, words: &str, project: &Path) -> bool {
    let plain = |text: &str| text.replace(['`', '…'], "").split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = plain(words);
    let is_command = match scope {
        AllowScope::Command { command, .. } => plain(command) == wanted,
        AllowScope::CommandsLike { words, .. } => plain(words) == wanted,
        AllowScope::Host(name) | AllowScope::Service(name) => *name == wanted,
        AllowScope::WebSearch | AllowScope::McpTool { .. } | AllowScope::Edits { .. } | AllowScope::EditsIn { .. } => {
            false
        }
    };
    !wanted.is_empty() && (is_command || plain(&scope.describe(project)) == wanted)
}
