//! Glob: files by a pattern over their names, newest first. It reads no file and never looks outside of the folder its permit names.

use super::{
    ToolContext, TypedTool,
    walk::{FileSearch, FoundKind, SearchTarget, WalkEnd, begin, called},
};
use crate::{event::ShownCall, output::Output};
use fore_plan::{
    ToolName,
    gate::{Action, Presented},
};
use globset::{GlobBuilder, GlobMatcher};
use schemars::JsonSchema;
use serde::Deserialize;
use std::{
    cmp::Reverse,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Names that one call gives.
const MAX_NAMES: usize = 200;
/// The longest pattern that is compiled.
const MAX_PATTERN_BYTES: usize = 1024;

#[derive(Debug)]
pub(crate) struct Glob;

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct GlobInput {
    pattern: String,
    path: Option<String>,
}

impl TypedTool for Glob {
    type Input = GlobInput;

    const NAME: ToolName = ToolName::Glob;

    fn description(&self) -> &str {
        include_str!("glob.md").trim_ascii_end()
    }

    fn line(&self, input: &GlobInput) -> String {
        let pattern = &input.pattern;
        match &input.path {
            Some(path) if !path.is_empty() => format!("{pattern} in {path}"),
            Some(_) | None => pattern.clone(),
        }
    }

    fn run(&self, permit: Presented, input: GlobInput, context: &ToolContext) -> Output {
        let Action::Search { path, .. } = permit.action() else {
            return Output::error("The permit is not for a search.");
        };
        search(Path::new(path), &input.pattern, context).unwrap_or_else(Output::error)
    }
}

fn search(root: &Path, pattern: &str, context: &ToolContext) -> Result<Output, String> {
    let matcher = matcher(pattern)?;
    if begin(root, context)? == FoundKind::File {
        return Err(format!("{} is a file, not a folder. Read it, or search in its folder.", root.display()));
    }
    let secrets = context.opener().secrets();
    if secrets.hold(root) {
        return Err(super::read::secret(root));
    }
    let beneath = root.to_owned();
    let wants = move |path: &Path, entry: FoundKind| match entry {
        FoundKind::Folder => true,
        FoundKind::File => path.strip_prefix(&beneath).is_ok_and(|inside| matcher.is_match(inside)),
    };
    let what = SearchTarget::NamesExcept(secrets);
    let walked =
        FileSearch { context: context.clone(), target: what, types: None, filter: Box::new(wants) }.files(root);
    let note = match walked.end {
        WalkEnd::Cancelled => return Err("The search was stopped.".into()),
        WalkEnd::TooMany => "\n[There are too many files: some were not looked at. Search in one of the folders.]",
        WalkEnd::TooSlow => "\n[It took too long: some files were not looked at. Search in one of the folders.]",
        WalkEnd::Complete => "",
    };
    Ok(found(walked.found, note, pattern, context))
}

/// What is left of the pattern behind the folders that the permit's path already names.
fn matcher(pattern: &str) -> Result<GlobMatcher, String> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(format!("The pattern is longer than {MAX_PATTERN_BYTES} bytes."));
    }
    let wild = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
    let fixed = pattern.get(..wild).and_then(|before| before.rfind('/')).map_or(0, |slash| slash.saturating_add(1));
    let rest = pattern.get(fixed..).unwrap_or_default();
    // Without names the folder itself is meant, so what is in it.
    let rest = if rest.is_empty() { "*" } else { rest };
    if rest.split(['/', '{', ',', '}']).any(|part| part == "..") {
        return Err("`..` cannot follow a wildcard in a pattern; begin further up with `path`.".into());
    }
    let built = GlobBuilder::new(rest).literal_separator(true).backslash_escape(true).empty_alternates(true).build();
    built.map(|glob| glob.compile_matcher()).map_err(|error| format!("The pattern is not understood: {error}."))
}

fn found(files: Vec<PathBuf>, note: &str, pattern: &str, context: &ToolContext) -> Output {
    let total = files.len();
    if total == 0 {
        let hint =
            if pattern.contains('/') { "" } else { " It looks into one folder only; `**/` before it looks into all." };
        return Output::text(format!("No file matches `{pattern}`.{hint}{note}"), ShownCall::line("no files"));
    }
    let time =
        |path: &PathBuf| path.symlink_metadata().and_then(|found| found.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let mut files: Vec<(Reverse<SystemTime>, PathBuf)> =
        files.into_iter().map(|path| (Reverse(time(&path)), path)).collect();
    files.sort();
    let folder = context.folder.get();
    let names: Vec<String> = files.iter().take(MAX_NAMES).map(|(_, path)| called(path, &folder)).collect();
    let mut text = names.join("\n");
    if total > MAX_NAMES {
        text.push_str(&format!("\n[{} more files; narrow the pattern to see them.]", total.saturating_sub(MAX_NAMES)));
    }
    text.push_str(note);
    let line = fore_text::count(total, "file");
    Output::text(text, ShownCall::text(line, names.join("\n")))
}

#[cfg(test)]
#[path = "glob_tests.rs"]
mod tests;
