//! What a Grep call asks for, checked and compiled once.

use super::GrepInput;
use crate::tools::input;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::{
    overrides::{Override, OverrideBuilder},
    types::{Types, TypesBuilder},
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::Path;

/// Results of one call when it names no number, and at most.
const DEFAULT_RESULTS: usize = 250;
const MAX_RESULTS: usize = 10_000;
/// Lines around a match at most.
const MAX_CONTEXT: usize = 50;
/// The longest expression, how much of it is shown, and the most memory it may take compiled.
const MAX_PATTERN_BYTES: usize = 8 << 10;
const MAX_SHOWN_CHARS: usize = 200;
const MAX_COMPILED_BYTES: usize = 16 << 20;
/// The longest line, or file when lines are joined, that is searched.
const MAX_HEAP_BYTES: usize = 64 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = input::without_type)]
pub(crate) enum GrepMode {
    #[serde(rename = "files_with_matches")]
    Files,
    Content,
    Count,
}

#[derive(Clone, Debug)]
pub(super) struct SearchQuery {
    pub(super) matcher: RegexMatcher,
    pub(super) mode: GrepMode,
    pub(super) numbers: bool,
    pub(super) limit: usize,
    spans_lines: bool,
    before: usize,
    after: usize,
    glob: Option<String>,
    kind: Option<String>,
}

impl SearchQuery {
    pub(super) fn read(input: GrepInput) -> Result<SearchQuery, String> {
        let spans_lines = input.multiline.unwrap_or(false);
        let ignores_case = input.ignores_case.unwrap_or(false);
        let lines = |asked: Option<usize>| asked.or(input.around).unwrap_or(0).min(MAX_CONTEXT);
        Ok(SearchQuery {
            matcher: compile(&input.pattern, ignores_case, spans_lines)?,
            mode: input.output_mode.unwrap_or(GrepMode::Files),
            numbers: input.numbers.unwrap_or(true),
            limit: input.head_limit.filter(|limit| *limit > 0).unwrap_or(DEFAULT_RESULTS).min(MAX_RESULTS),
            spans_lines,
            before: lines(input.before),
            after: lines(input.after),
            glob: input.glob.filter(|glob| !glob.is_empty()),
            kind: input.kind.filter(|kind| !kind.is_empty()),
        })
    }

    pub(super) fn has_context(&self) -> bool {
        self.mode == GrepMode::Content && (self.before > 0 || self.after > 0)
    }

    pub(super) fn searcher(&self) -> Searcher {
        let is_content = self.mode == GrepMode::Content;
        SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(MAX_HEAP_BYTES))
            .line_number(is_content && self.numbers)
            .multi_line(self.spans_lines)
            .before_context(if is_content { self.before } else { 0 })
            .after_context(if is_content { self.after } else { 0 })
            .build()
    }

    /// Which names are wanted, with patterns from the folder of the search.
    pub(super) fn globs(&self, root: &Path) -> Result<Override, String> {
        let wrong = |error: ignore::Error| format!("`glob` is not understood: {error}.");
        let mut builder = OverrideBuilder::new(root);
        if let Some(glob) = &self.glob {
            for part in parts(glob) {
                builder.add(part).map_err(wrong)?;
            }
        }
        builder.build().map_err(wrong)
    }

    pub(super) fn types(&self) -> Result<Option<Types>, String> {
        let Some(kind) = &self.kind else { return Ok(None) };
        let mut builder = TypesBuilder::new();
        builder.add_defaults();
        builder.select(kind);
        builder.build().map(Some).map_err(|_| {
            let known: Vec<String> = builder.definitions().iter().map(|known| known.name().to_owned()).collect();
            let near = fore_text::spelling::nearest(kind, known.iter().map(String::as_str), 3).join(", ");
            let near = if near.is_empty() { String::new() } else { format!(" Near: {near}.") };
            format!("The type `{kind}` is not known.{near} A glob such as `*.{kind}` does it too.")
        })
    }
}

/// Some models write several patterns with commas or spaces between them; a comma in braces is none of these.
fn parts(glob: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let split = glob.split(move |letter: char| {
        match letter {
            '{' | '[' => depth = depth.saturating_add(1),
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (letter == ',' || letter == ' ')
    });
    split.filter(|part| !part.is_empty()).collect()
}

fn compile(pattern: &str, ignores_case: bool, spans_lines: bool) -> Result<RegexMatcher, String> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(format!("The expression is longer than {MAX_PATTERN_BYTES} bytes."));
    }
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .case_insensitive(ignores_case)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_COMPILED_BYTES);
    if spans_lines {
        builder.dot_matches_new_line(true);
    } else {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(pattern).map_err(|error| {
        let error = error.to_string();
        // The library shows a pattern that it has put into brackets; the model knows its own better.
        let why = error.rsplit_once("error: ").map_or(error.as_str(), |(_, why)| why);
        let hint = if why.contains("not allowed in a regex") && !spans_lines {
            "A pattern that holds a line end needs `multiline`."
        } else if why.contains("look-around") || why.contains("backreferences") {
            "Search for something simpler and look at the lines it finds."
        } else {
            "To search for special characters as they are, put a backslash before each."
        };
        let shown: String = pattern.chars().take(MAX_SHOWN_CHARS).collect();
        format!("The regular expression `{shown}` is not understood: {why}. {hint}")
    })
}
