//! What a command changed that still ran when the program ended: found by comparing with the look that was kept, and put down so that it
//! is never overwritten unasked, because nobody knows who changed what meanwhile.

use super::{
    look_bytes,
    memory::{MemoryState, differences, now_ms},
    tree_look::TreeLook,
    turn_changes::TurnChanges,
};
use fore_sandbox::Opener;
use fore_store::UndoFolder;
use std::path::Path;

const PROMPT: &str = "(the program ended while a command ran)";

/// Once, before anything is changed or taken back.
pub(super) fn recover(folder: &UndoFolder, project: &Path, opener: &Opener, session: &str) {
    for left in folder.take_left_looks().unwrap_or_default() {
        let Some(look) = look_bytes::read(&left.bytes) else { continue };
        let mut now = TreeLook::take(project, &|| false);
        let files = differences(project, folder, opener, &look, &mut now, &mut MemoryState::default());
        let Some(files) = files.filter(|files| !files.is_empty()) else { continue };
        let known = folder.turns().unwrap_or_default().into_iter().find(|turn| turn.id == left.id);
        let known = known.and_then(|turn| TurnChanges::read(&turn.bytes));
        let mut turn = known.unwrap_or_else(|| TurnChanges::new(session.to_owned(), now_ms(), PROMPT.to_owned()));
        for (path, change) in files {
            turn.add(path.clone(), change);
            if let Some(change) = turn.files.get_mut(&path) {
                change.is_mixed = true;
            }
        }
        let _ = turn.write(folder, &left.id);
    }
}
