//! Finds the files a plan names: `src/a/b.rs`, `src/a.rs:10-20`. Leaves alone what only looks like a path.

use super::outline::FragmentKind;

/// Endings that mark a path in running prose, where `he/she.It` must not be taken for one. Sorted.
const KNOWN_ENDINGS: [&str; 77] = [
    "adoc", "bash", "bat", "c", "cc", "cfg", "cjs", "clj", "cmake", "conf", "cpp", "cs", "css", "csv", "cts", "dart",
    "diff", "env", "erl", "ex", "exs", "fish", "go", "gradle", "graphql", "h", "hpp", "hs", "html", "ini", "ipynb",
    "java", "jl", "js", "json", "jsonc", "jsonl", "jsx", "kt", "kts", "lock", "lua", "m", "md", "mdx", "mjs", "ml",
    "mts", "nix", "patch", "php", "pl", "png", "proto", "ps1", "py", "pyi", "r", "rb", "rs", "rst", "scala", "scss",
    "sh", "snap", "sql", "svelte", "svg", "swift", "tf", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml",
];
pub(crate) const BARE_NAMES: [&str; 5] = ["Makefile", "Dockerfile", "Justfile", "LICENSE", "CODEOWNERS"];
const SITE_ENDINGS: [&str; 16] =
    ["com", "org", "net", "io", "dev", "app", "ai", "co", "edu", "gov", "de", "fr", "uk", "eu", "sh", "so"];
const MEDIA_TYPES: [&str; 7] = ["application", "audio", "font", "message", "model", "multipart", "video"];
pub(crate) const MAX_PATH_BYTES: usize = 512;

/// The paths named in a fragment, in order, without line numbers.
pub(crate) fn cited_paths(kind: FragmentKind, text: &str) -> Vec<String> {
    match kind {
        FragmentKind::CodeSpan | FragmentKind::Link => path(text.trim(), Strictness::Quoted).into_iter().collect(),
        FragmentKind::Prose => text
            .split(|c: char| c.is_whitespace() || c == ',')
            .filter_map(|word| path(bare(word), Strictness::Prose))
            .collect(),
        FragmentKind::Html => Vec::new(),
    }
}

/// How sure the surroundings make it that a path is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strictness {
    /// In a code span or a link.
    Quoted,
    Prose,
}

/// A word without the punctuation around it.
pub(crate) fn bare(word: &str) -> &str {
    let opening = |c: char| matches!(c, '(' | '[' | '"' | '\'' | '*' | '_' | '“' | '‘' | '«' | '→');
    let closing = |c: char| {
        matches!(c, ')' | ']' | '"' | '\'' | '*' | '_' | '”' | '’' | '»' | '.' | ';' | ':' | '!' | '?' | '…' | '→')
    };
    word.trim_start_matches(opening).trim_end_matches(closing)
}

fn path(token: &str, strictness: Strictness) -> Option<String> {
    if !token.contains('/') {
        return None;
    }
    let token = without_position(token);
    let token = token.strip_prefix("./").unwrap_or(token);
    let plausible = token.len() <= MAX_PATH_BYTES
        && token.contains('/')
        && !token.contains("//")
        && !token.starts_with(['/', '-', '~', '@', '$', '#', '+'])
        && token
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+' | '@' | '~' | '#') || is_joined(c));
    if !plausible || is_site(token) {
        return None;
    }
    let name = token.rsplit('/').next().unwrap_or_default();
    let known = BARE_NAMES.contains(&name)
        || match (name.rsplit_once('.'), strictness) {
            (Some((_, ending)), Strictness::Prose) => is_known_ending(ending),
            (Some((_, ending)), Strictness::Quoted) => is_ending(ending) && !is_media_type(token, ending),
            (None, Strictness::Quoted) => name.is_empty(),
            (None, Strictness::Prose) => false,
        };
    known.then(|| token.to_owned())
}

/// Marks and joiners that belong to letters of some scripts.
pub(crate) fn is_joined(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{93c}'..='\u{94d}' | '\u{e31}'..='\u{e4e}' | '\u{200c}' | '\u{200d}' | '\u{3099}' | '\u{309a}')
}

/// The path without `:10`, `:10-20`, `:10:5`, `#L10-L20` or `::name` behind it.
pub(crate) fn without_position(token: &str) -> &str {
    let token = token.split_once("::").map_or(token, |(path, _)| path);
    let token = token.split_once("#").map_or(token, |(path, _)| path);
    let is_position = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'-' | b'L')) || text.starts_with('L')
    };
    match token.split_once(':') {
        Some((path, position)) if is_position(position) => path,
        _ => token,
    }
}

pub(crate) fn is_known_ending(ending: &str) -> bool {
    KNOWN_ENDINGS.binary_search(&ending).is_ok()
}

pub(crate) fn is_ending(ending: &str) -> bool {
    (1..=10).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// `example.com/page.html`
pub(crate) fn is_site(token: &str) -> bool {
    let host = token.split('/').next().unwrap_or_default();
    match host.rsplit_once('.') {
        Some((name, ending)) => !name.is_empty() && name != "." && SITE_ENDINGS.contains(&ending),
        None => false,
    }
}

/// `application/vnd.api`
pub(crate) fn is_media_type(token: &str, ending: &str) -> bool {
    token.split_once('/').is_some_and(|(kind, rest)| MEDIA_TYPES.contains(&kind) && !rest.contains('/'))
        && !is_known_ending(ending)
}

#[cfg(test)]
mod tests {
    use super::{FragmentKind, KNOWN_ENDINGS, cited_paths, is_known_ending};

    #[test]
    fn every_known_ending_is_found() {
        assert!(KNOWN_ENDINGS.iter().all(|ending| is_known_ending(ending)) && !is_known_ending("It"));
    }

    fn prose(text: &str) -> Vec<String> {
        cited_paths(FragmentKind::Prose, text)
    }

    fn span(text: &str) -> Option<String> {
        cited_paths(FragmentKind::CodeSpan, text).into_iter().next()
    }

    #[test]
    fn paths_in_prose_are_found() {
        assert_eq!(
            prose("Change src/a/b.rs, then (tests/c.py:10-20). See ./docs/ü/größe.md; also \"web/日本.ts\"!"),
            ["src/a/b.rs", "tests/c.py", "docs/ü/größe.md", "web/日本.ts"]
        );
    }

    #[test]
    fn paths_in_code_spans_are_found() {
        for (text, path) in [
            ("src/a.rs", "src/a.rs"),
            ("src/a.rs:10", "src/a.rs"),
            ("src/a.rs:10-20", "src/a.rs"),
            ("src/a.rs:10:5", "src/a.rs"),
            ("src/a.rs#L10-L20", "src/a.rs"),
            ("tests/a.py::test_x", "tests/a.py"),
            ("src/reminder/", "src/reminder/"),
            ("build/Makefile", "build/Makefile"),
            (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
            ("../other/x.weird", "../other/x.weird"),
            ("@scope/x.ts", ""),
        ] {
            assert_eq!(span(text).unwrap_or_default(), path, "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_a_path_is_left_alone() {
        for text in [
            "https://example.com/a/b.html",
            "example.com/a/b.html",
            "www.example.org/x.js",
            "src/**/*.rs",
            "src/{a,b}.rs",
            "src/a.?",
            "src//a.rs",
            "cargo test --test src/a.rs",
            "git show HEAD~1:src/a.rs",
            "origin/main:src/a.rs",
            "origin/main",
            "and/or",
            "application/json",
            "application/vnd.api",
            "1.2/3.4",
            "v1.2.3",
            "/plan",
            "/api/v1/users.json",
            "~/.forethought/plans",
            "$HOME/x.rs",
            "-o/x.rs",
            "std::fs::read",
            "a.rs",
            "<path>/x.rs",
            "",
            "/",
            "//",
        ] {
            assert_eq!(span(text), None, "{text}");
        }
        assert_eq!(prose("he/she.It and/or read/write. 24/7 w/o. src/{a,b}.rs yes/no.Maybe"), Vec::<String>::new());
    }
}
