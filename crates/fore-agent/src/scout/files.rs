//! The files of the project that the scout may read: the same walk as every search, and the one opener.

use super::index::{FileAccess, MAX_FILE_BYTES, MAX_FILES};
use super::tool_output::is_plain_path;
use crate::tools::{FileSearch, SearchTarget, ToolContext, WalkEnd};
use fore_sandbox::open::{Links, Opener};
use std::{
    io::Read as _,
    path::PathBuf,
    time::{Duration, Instant},
};

/// After that nothing more is read; what was read by then counts.
const MAX_TIME: Duration = Duration::from_secs(8);
/// A file with a zero byte among its first bytes is not text.
const PROBED_BYTES: usize = 4096;

/// What there is to read, and how.
#[derive(Debug)]
pub(crate) struct ScoutFiles {
    root: PathBuf,
    /// Relative to the root, in order.
    pub(super) paths: Vec<String>,
    /// There are more.
    pub(super) is_cut: bool,
    opener: Opener,
    cancel: crate::cancel::Cancel,
    until: Option<Instant>,
}

impl ScoutFiles {
    /// Walks the project. Blocks.
    pub(crate) fn find(context: &ToolContext) -> ScoutFiles {
        let until = Instant::now().checked_add(MAX_TIME);
        let root = context.folder.get();
        let opener = context.opener().for_many();
        let target = SearchTarget::ContentsExcept(opener.secrets());
        let search = FileSearch { context: context.clone(), target, types: None, filter: Box::new(|_, _| true) };
        let walked = search.files(&root);
        let inside = |path: PathBuf| path.strip_prefix(&root).ok()?.to_str().map(str::to_owned);
        let mut paths: Vec<String> = walked.found.into_iter().filter_map(inside).collect();
        paths.retain(|path| is_plain_path(path));
        paths.sort_unstable();
        let is_cut = walked.end != WalkEnd::Complete || paths.len() > MAX_FILES;
        paths.truncate(MAX_FILES);
        ScoutFiles { root, paths, is_cut, opener, cancel: context.cancel.clone(), until }
    }
}

impl FileAccess for ScoutFiles {
    fn read(&self, path: &str) -> Option<String> {
        let opened = self.opener.open(&self.root.join(path), Links::Refused).ok()?;
        if opened.bytes > MAX_FILE_BYTES {
            return None;
        }
        let mut bytes = Vec::new();
        opened.file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
        if bytes.iter().take(PROBED_BYTES).any(|byte| *byte == 0) {
            return None;
        }
        Some(String::from_utf8(bytes).unwrap_or_else(|broken| String::from_utf8_lossy(broken.as_bytes()).into_owned()))
    }

    fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || self.until.is_none_or(|until| Instant::now() >= until)
    }
}
