//! What Write, Edit and NotebookEdit share: a file is changed only as the model has seen it, and what it becomes counts as seen.

use super::{ToolContext, difference, read::secret, suggestions, tool_context::short};
use crate::{
    event::ShownCall,
    output::{CallFact, Output},
};
use fore_plan::gate::{Action, FileTarget, Presented};
use fore_sandbox::edit::{self, EditError, FoundFile, LineEnds, Precondition, WriteOptions, WriteOutcome};
use std::path::Path;

/// A change that is worked out and not made yet.
#[derive(Debug)]
pub(super) struct PendingEdit {
    pub(super) old: Option<FoundFile>,
    pub(super) new: Vec<u8>,
    pub(super) before: Precondition,
    /// One sentence for the model when it is done.
    pub(super) done: String,
}

/// What the model is told of a file that was as it should be.
const SAME: &str = " holds exactly this already; nothing was changed.";

/// The name of a file that was not changed, if that is what the model was told.
pub(super) fn unchanged(told: &str, project: Option<&Path>) -> Option<ShownCall> {
    let path = told.strip_suffix(SAME)?;
    Some(ShownCall::line(format!("{}: no change", short(Path::new(path), project))))
}

/// The file that an action changes.
pub(super) fn target(action: &Action) -> Result<&FileTarget, String> {
    match action {
        Action::Edit { target, .. } | Action::EditNotebook { target } => Ok(target),
        Action::Read { .. }
        | Action::Search { .. }
        | Action::Fetch { .. }
        | Action::Think { .. }
        | Action::Delete { .. }
        | Action::Move { .. }
        | Action::Run { .. }
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
        | Action::Other { .. } => Err("The permit is not for a file.".into()),
    }
}

/// The file as it is, if that is how the model knows it.
pub(super) fn seen(path: &Path, context: &ToolContext) -> Result<FoundFile, String> {
    let found = found(path)?.ok_or_else(|| suggestions::missing(path, context))?;
    match context.seen.fingerprint(path) {
        None if context.opener().is_secret(path) => Err(secret(path)),
        None => Err(format!("{} has not been read yet. Read it first, then change it.", path.display())),
        Some(known) if known != found.fingerprint => Err(changed(path)),
        Some(_) => Ok(found),
    }
}

/// The file as it is; none when there is none.
pub(super) fn found(path: &Path) -> Result<Option<FoundFile>, String> {
    match edit::read(path) {
        Ok(found) => Ok(Some(found)),
        Err(EditError::Missing(_) | EditError::NoFolder(_)) => Ok(None),
        Err(error) => Err(format!("{error}.")),
    }
}

fn changed(path: &Path) -> String {
    format!("{} has changed since you read it. Read it again, then change it.", path.display())
}

/// Makes the change, whole or not at all.
pub(super) fn make(permit: Presented, draft: Result<PendingEdit, String>, context: &ToolContext) -> Output {
    let work = || {
        let draft = draft?;
        let path = Path::new(&target(permit.action())?.real).to_owned();
        if context.cancel.is_cancelled() {
            return Err("Stopped before anything was changed.".into());
        }
        let options = WriteOptions { before: draft.before, make_folders: true, ends: LineEnds::AsGiven };
        let written = edit::write(permit, &draft.new, options).map_err(|error| match error {
            EditError::Changed(_) | EditError::Exists(_) | EditError::Missing(_) => changed(&path),
            error @ (EditError::NotPermitted
            | EditError::Outside(_)
            | EditError::Link(_)
            | EditError::NoFolder(_)
            | EditError::NotAFile(_)
            | EditError::SeveralNames(_)
            | EditError::TooLarge(_)
            | EditError::Io { .. }) => format!("{error}. Nothing was changed."),
        })?;
        context.seen.note(&path, edit::fingerprint(&draft.new));
        let old = draft.old.as_ref().map(|old| old.bytes.as_slice());
        let shown = difference::shown(context.short(&path), old, &draft.new);
        let done = match written {
            WriteOutcome::Same => format!("{}{SAME}", path.display()),
            WriteOutcome::Created | WriteOutcome::Replaced => draft.done,
        };
        let fact = (written != WriteOutcome::Same).then(|| {
            let (added, removed) = difference::counts(old, &draft.new);
            CallFact::Edited { added, removed }
        });
        Ok(Output { fact, ..Output::text(done, shown) })
    };
    work().unwrap_or_else(|why: String| Output::error(why))
}

/// The same change as a person sees it before it happens, or why it cannot.
pub(super) fn preview(
    action: &Action,
    draft: Result<PendingEdit, String>,
    context: &ToolContext,
) -> Result<ShownCall, String> {
    let draft = draft?;
    let path = Path::new(&target(action)?.real);
    Ok(difference::shown(context.short(path), draft.old.as_ref().map(|old| old.bytes.as_slice()), &draft.new))
}
