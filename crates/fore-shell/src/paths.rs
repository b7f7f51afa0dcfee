//! Paths in commands: made absolute by spelling alone, noted as read, and known as the plan or a sink.

use crate::{context::JudgeContext, finding::Finding, word::Word};
use std::path::{Component, Path, PathBuf};

/// The absolute path, without `.` and with `..` taken as text; `None` when the folder is unknown.
pub(crate) fn resolve(cwd: Option<&Path>, path: &str) -> Option<PathBuf> {
    let joined = if path.starts_with('/') { PathBuf::from(path) } else { cwd?.join(path) };
    Some(fore_text::paths::folded(&joined))
}

/// The same as text.
pub(crate) fn absolute(path: &str, context: &JudgeContext<'_>) -> Option<String> {
    resolve(context.cwd.as_deref(), path)?.into_os_string().into_string().ok()
}

/// Adds a path that is read, if its place is known; `-` is standard input.
pub fn note_read(finding: &mut Finding, path: &str, context: &JudgeContext<'_>) {
    if path.is_empty() || path == "-" || finding.paths.len() >= Finding::MAX_PATHS {
        return;
    }
    finding.paths.extend(absolute(path, context));
}

/// A read of one file.
pub fn read(path: &str, context: &JudgeContext<'_>) -> Finding {
    let mut finding = Finding::reads();
    note_read(&mut finding, path, context);
    finding
}

/// A file operand: nothing certain when it is decided at run time.
pub fn read_operand(word: &Word, context: &JudgeContext<'_>) -> Finding {
    word.as_literal().map_or_else(Finding::reads, |path| read(path, context))
}

/// Written to by everybody without changing a file.
pub fn is_sink(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr")
}

/// What writing to this path does where that changes nothing but the plan: it is the plan itself, or a sink.
pub fn written(path: &str, context: &JudgeContext<'_>) -> Option<Finding> {
    if is_sink(path) {
        return Some(Finding::reads());
    }
    is_plan(path, context).then(|| Finding { writes_plan: true, ..Finding::reads() })
}

fn is_plan(path: &str, context: &JudgeContext<'_>) -> bool {
    let Some(plan) = context.facts.plan_file else {
        return false;
    };
    // `..` behind a link may lead elsewhere than its spelling says.
    if Path::new(path).components().any(|part| part == Component::ParentDir) {
        return false;
    }
    resolve(context.cwd.as_deref(), path).is_some_and(|path| path == plan)
}
