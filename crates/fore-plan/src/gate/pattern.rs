//! Path patterns of rules, in the syntax of ignore files: `src/**`, `*.env`, `/build`, `~/.ssh/**`, `//etc/**`.

use crate::gate::rule::PatternRoots;
use globset::{GlobBuilder, GlobMatcher};
use std::path::PathBuf;

/// The longest pattern that is compiled.
const MAX_PATTERN_BYTES: usize = 1024;

/// A compiled pattern over absolute paths.
#[derive(Clone, Debug)]
pub(super) struct PathPattern {
    itself: GlobMatcher,
    /// What lies beneath, when the pattern names a folder.
    beneath: GlobMatcher,
    project: PathBuf,
}

/// Whether capitals differ from small letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CaseRule {
    AsWritten,
    AnyCase,
}

impl PathPattern {
    /// `//x` is absolute, `~/x` in the home folder, `/x` and `x/y` in the project, `x` anywhere in the project.
    pub(super) fn new(pattern: &str, roots: PatternRoots<'_>, letters: CaseRule) -> Result<PathPattern, String> {
        if pattern.len() > MAX_PATTERN_BYTES {
            return Err(format!("it is longer than {MAX_PATTERN_BYTES} bytes"));
        }
        let project = globset::escape(&roots.project.to_string_lossy());
        let project = project.trim_end_matches('/');
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/');
        let glob = if let Some(absolute) = pattern.strip_prefix("//") {
            format!("/{absolute}")
        } else if let Some(rest) = pattern.strip_prefix('~') {
            let home = roots.home.ok_or("the home folder is not known")?;
            let home = globset::escape(&home.to_string_lossy());
            match rest.strip_prefix('/') {
                Some(rest) => format!("{}/{rest}", home.trim_end_matches('/')),
                None if rest.is_empty() => home,
                None => return Err("`~name` is not supported; write the path".into()),
            }
        } else if let Some(rooted) = pattern.strip_prefix('/') {
            format!("{project}/{rooted}")
        } else if pattern.contains('/') {
            format!("{project}/{pattern}")
        } else {
            format!("{project}/**/{pattern}")
        };
        let glob = plain(&glob)?;
        let compile = |glob: &str| {
            let built = GlobBuilder::new(glob)
                .literal_separator(true)
                .backslash_escape(true)
                .case_insensitive(letters == CaseRule::AnyCase)
                .build();
            built.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
        };
        Ok(PathPattern {
            itself: compile(&glob)?,
            beneath: compile(&format!("{glob}/**"))?,
            project: roots.project.to_path_buf(),
        })
    }

    /// Whether a path is meant; a relative one counts from the project.
    pub(super) fn matches(&self, path: &str) -> bool {
        let path = fore_text::paths::folded(&self.project.join(path));
        self.itself.is_match(&path) || self.beneath.is_match(&path)
    }
}

/// The pattern without `.` and `..`, which no path that is compared holds, and without a last `/**`: what means all that is
/// in a folder means the folder, so that a deny holds for a search that begins there.
fn plain(glob: &str) -> Result<String, String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in glob.split('/') {
        match part {
            "." => {}
            ".." => match parts.pop() {
                Some(above) if above.contains(['*', '?', '[', '{']) => return Err("`..` after a wildcard".into()),
                Some("") | None => return Err("`..` leads above the root".into()),
                Some(_) => {}
            },
            part => parts.push(part),
        }
    }
    if parts.len() > 2 && parts.last() == Some(&"**") {
        parts.pop();
    }
    Ok(parts.join("/"))
}
