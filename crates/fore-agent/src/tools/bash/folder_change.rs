//! Where the next command runs: where the last one went, or the project if that folder has gone.

use crate::tools::ToolContext;
use std::path::Path;

/// Takes the working folder along to where a command went. Gives the line that says so.
pub(super) fn follow(cwd: &Path, ended: Option<&Path>, context: &ToolContext) -> Option<String> {
    let ended = ended?;
    // A call that named a folder of its own goes there and back.
    let stays = context.folder.get() != cwd || cwd.canonicalize().ok().as_deref() == Some(ended);
    if stays {
        return None;
    }
    let shown = ended.display();
    if !ended.is_dir() || ended.to_str().is_none() {
        let stays = cwd.display();
        return Some(format!(
            "{shown} is not there any more, or only inside the sandbox; the working folder stays {stays}"
        ));
    }
    context.folder.set(ended.to_path_buf());
    Some(format!("the working folder is now {shown}"))
}

/// Where the next command runs when the working folder has gone.
pub(super) fn recover(cwd: &Path, context: &ToolContext) -> Option<String> {
    if cwd.is_dir() || context.folder.get() != cwd {
        return None;
    }
    context.folder.set(context.project.clone());
    Some(format!(
        "the working folder {} is gone; the next command runs in {}",
        cwd.display(),
        context.project.display()
    ))
}
