//! Grep: searches contents with ripgrep's libraries. It never reads what a rule denies, what is secret, or `.git`.

mod find;
mod matches;
mod query;

use super::{
    Tool, ToolContext, TypedTool,
    walk::{FileSearch, FoundKind, SearchTarget, WalkEnd, begin, called},
};
use crate::{event::ShownCall, output::Output};
use find::{SearchResults, find};
use fore_plan::{
    ToolName,
    gate::{Action, Presented},
};
use fore_sandbox::open::{Links, NotOpened};
use matches::Matches;
use query::{GrepMode, SearchQuery};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::{fmt::Write as _, path::Path};

/// Bytes that one call gives.
const MAX_BYTES: usize = 60_000;

#[derive(Debug)]
pub(crate) struct Grep;

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct GrepInput {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    output_mode: Option<GrepMode>,
    /// Ignore case
    #[serde(rename = "-i")]
    ignores_case: Option<bool>,
    /// Line numbers; true if not given
    #[serde(rename = "-n")]
    numbers: Option<bool>,
    #[serde(rename = "-A")]
    after: Option<usize>,
    #[serde(rename = "-B")]
    before: Option<usize>,
    #[serde(rename = "-C")]
    around: Option<usize>,
    multiline: Option<bool>,
    /// Results at most; 250 if not given
    #[schemars(range(min = 1))]
    head_limit: Option<usize>,
}

impl TypedTool for Grep {
    type Input = GrepInput;

    const NAME: ToolName = ToolName::Grep;

    fn description(&self) -> &str {
        include_str!("grep.md").trim_ascii_end()
    }

    fn line(&self, input: &GrepInput) -> String {
        let mut line = format!("\"{}\"", input.pattern);
        if let Some(path) = &input.path {
            line.push_str(" in ");
            line.push_str(path);
        }
        for only in [&input.glob, &input.kind].into_iter().flatten() {
            line.push_str(", ");
            line.push_str(only);
        }
        line
    }

    fn run(&self, permit: Presented, input: GrepInput, context: &ToolContext) -> Output {
        let Action::Search { path, .. } = permit.action() else {
            return Output::error("The permit is not for a search.");
        };
        search(Path::new(path), input, context).unwrap_or_else(Output::error)
    }
}

/// The tool for the benchmark, which lives outside of this crate.
#[doc(hidden)]
pub(crate) fn grep(permit: Presented, input: &Value, context: &ToolContext) -> Output {
    Tool::run(&Grep, permit, input, context)
}

fn search(root: &Path, input: GrepInput, context: &ToolContext) -> Result<Output, String> {
    let asked = SearchQuery::read(input)?;
    let opener = context.opener().for_many();
    let secrets = opener.secrets();
    let kind = begin(root, context)?;
    let is_closed = match kind {
        FoundKind::Folder => secrets.hold(root),
        FoundKind::File => matches!(opener.open(root, Links::Refused), Err(NotOpened::Secret)),
    };
    if is_closed {
        return Err(super::read::secret(root));
    }
    let globs = asked.globs(root)?;
    let types = asked.types()?;
    let (mut files, end) = match kind {
        // It was named, so it is searched whatever the rules of ignoring say.
        FoundKind::File => (vec![root.to_owned()], WalkEnd::Complete),
        FoundKind::Folder => {
            let wants =
                move |path: &Path, entry: FoundKind| !globs.matched(path, entry == FoundKind::Folder).is_ignore();
            let what = SearchTarget::ContentsExcept(secrets);
            let walked =
                FileSearch { context: context.clone(), target: what, types, filter: Box::new(wants) }.files(root);
            (walked.found, walked.end)
        }
    };
    if end == WalkEnd::Cancelled {
        return Err("The search was stopped.".into());
    }
    files.sort_unstable();
    let found = find(&files, &asked, &opener, &context.cancel);
    if context.cancel.is_cancelled() {
        return Err("The search was stopped.".into());
    }
    if let (FoundKind::File, [(_, Matches::Binary)]) = (kind, found.matches.as_slice()) {
        return Err(format!("{} is binary; it is not searched.", root.display()));
    }
    Ok(output(&found, &asked, end, context))
}

/// The two channels of a result.
fn output(found: &SearchResults<'_>, asked: &SearchQuery, end: WalkEnd, context: &ToolContext) -> Output {
    let folder = context.folder.get();
    let mut page = ResultText { text: String::new(), left: asked.limit, is_cut: false };
    let mut files = 0_usize;
    for (path, matches) in &found.matches {
        if *matches == Matches::Binary || page.is_cut {
            continue;
        }
        let before = page.text.len();
        page.add(&called(path, &folder), matches, asked);
        files = files.saturating_add(usize::from(page.text.len() > before));
    }
    let (is_cut, mut text) = (page.is_cut || found.is_cut, page.text);
    text.truncate(text.trim_end_matches('\n').len());
    if files == 0 {
        text = "No matches.".into();
    }
    if is_cut {
        let _ = write!(text, "\n[There is more. Narrow the search or raise head_limit.]");
    }
    match end {
        WalkEnd::Complete | WalkEnd::Cancelled => {}
        WalkEnd::TooMany => {
            text.push_str("\n[There are too many files: some were not looked at. Search in one of the folders.]")
        }
        WalkEnd::TooSlow => {
            text.push_str("\n[It took too long: some files were not looked at. Search in one of the folders.]")
        }
    }
    let line = match files {
        0 => "no matches".to_owned(),
        files if !is_cut => fore_text::count(files, "file"),
        files => format!("{files} or more files"),
    };
    Output::text(text.clone(), ShownCall::text(line, text))
}

/// The text for the model while it is written.
struct ResultText {
    text: String,
    /// Lines that may still come.
    left: usize,
    is_cut: bool,
}

impl ResultText {
    fn add(&mut self, name: &str, matches: &Matches, asked: &SearchQuery) {
        match matches {
            Matches::Binary => {}
            Matches::Some => self.line(name),
            Matches::Count(count) => self.line(&format!("{name}:{count}")),
            Matches::Lines(lines) => {
                for (index, line) in lines.iter().enumerate() {
                    let begins_group = asked.has_context() && line.begins_group && !self.text.is_empty();
                    if begins_group || (asked.has_context() && index == 0 && !self.text.is_empty()) {
                        self.line("--");
                    }
                    let mark = if line.is_match { ':' } else { '-' };
                    match line.number.filter(|_| asked.numbers) {
                        Some(number) => self.line(&format!("{name}{mark}{number}{mark}{}", line.text)),
                        None => self.line(&format!("{name}{mark}{}", line.text)),
                    }
                }
            }
        }
    }

    fn line(&mut self, line: &str) {
        if self.left == 0 || self.text.len().saturating_add(line.len()) > MAX_BYTES {
            self.is_cut = true;
        }
        if self.is_cut {
            return;
        }
        // The mark between groups is no result.
        self.left = self.left.saturating_sub(usize::from(line != "--"));
        self.text.push_str(line);
        self.text.push('\n');
    }
}

#[cfg(test)]
mod tests;
