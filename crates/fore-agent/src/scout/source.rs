//! What a file is by its path, and what a line of source code defines.

use super::request::parts;

/// What a file is for, as far as its path tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileKind {
    Source,
    Test,
    Example,
    Benchmark,
    Documentation,
    Settings,
    /// Changelogs, licences.
    Paper,
    TestData,
    /// Locked, minified, vendored, built: nobody edits it by hand.
    Generated,
}

const SOURCE: &str = "astro bash c cc clj cljs coffee cpp cr cs css cshtml cu cxx dart elm erb erl ex exs f90 fish fs fsx gd
    glsl go gradle graphql groovy h haml hbs hh hpp hrl hs htm html hxx inc ino ipynb jade java jl js jsx kt kts less lua m
    mjs cjs mm ml mli mts cts nim nix pas php pl pm proto ps1 pug py pyi pyx r rb rs s sass scala scss sh slim sol sql
    svelte swift tcl tf thrift ts tsx twig v vb vhd vim vue wgsl xaml zig zsh";
const PAPER: [&str; 9] =
    ["changelog", "changes", "history", "news", "license", "licence", "copying", "authors", "contributors"];
const VENDORED: [&str; 12] = [
    "node_modules",
    "vendor",
    "vendored",
    "third_party",
    "thirdparty",
    "external",
    "dist",
    "build",
    "target",
    "generated",
    "bower_components",
    "site-packages",
];
const DATA: [&str; 9] =
    ["fixtures", "fixture", "testdata", "test-data", "test_data", "snapshots", "__snapshots__", "corpus", "goldens"];
const TESTS: [&str; 6] = ["tests", "test", "spec", "specs", "__tests__", "testing"];

impl FileKind {
    pub(super) fn of(path: &str) -> FileKind {
        let lower = path.to_lowercase();
        let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let folders: Vec<&str> = folders.split('/').collect();
        let within = |names: &[&str]| folders.iter().any(|folder| names.contains(folder));
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        let is_script = ending.is_empty() && within(&["bin", "libexec", "scripts"]);
        let is_source = is_script || SOURCE.split_whitespace().any(|known| known == ending);
        if is_generated(name, ending) || within(&VENDORED) || folders.iter().any(|folder| folder.ends_with(".egg-info"))
        {
            FileKind::Generated
        } else if PAPER.iter().any(|paper| stem.starts_with(paper)) && !is_source {
            FileKind::Paper
        } else if within(&DATA) || ending == "snap" {
            FileKind::TestData
        } else if within(&["benches", "bench", "benchmark", "benchmarks"]) {
            FileKind::Benchmark
        } else if is_source && (within(&TESTS) || is_test_name(path)) {
            FileKind::Test
        } else if within(&TESTS) {
            FileKind::TestData
        } else if within(&["examples", "example", "samples", "demo", "demos"]) {
            FileKind::Example
        } else if matches!(ending, "md" | "mdx" | "rst" | "adoc" | "txt") || within(&["docs", "doc"]) {
            FileKind::Documentation
        } else if is_of_the_build(name) {
            FileKind::Settings
        } else if is_source {
            FileKind::Source
        } else {
            FileKind::Settings
        }
    }

    /// How much of its score a file of this kind keeps when code is asked for.
    pub(super) fn share(self) -> f64 {
        match self {
            FileKind::Source => 1.0,
            FileKind::Test => 0.4,
            FileKind::Example | FileKind::Settings => 0.35,
            FileKind::Benchmark => 0.3,
            FileKind::Documentation => 0.25,
            FileKind::Paper => 0.05,
            FileKind::TestData => 0.1,
            FileKind::Generated => 0.03,
        }
    }
}

/// Source code that says how the project is built and checked.
fn is_of_the_build(name: &str) -> bool {
    matches!(name, "setup.py" | "noxfile.py" | "conftest.py" | "gulpfile.js" | "gruntfile.js" | "runtests.py")
        || [".config.js", ".config.mjs", ".config.cjs", ".config.ts"].iter().any(|end| name.ends_with(end))
}

fn is_generated(name: &str, ending: &str) -> bool {
    let locked = [
        "package-lock.json",
        "pnpm-lock.yaml",
        "go.sum",
        "npm-shrinkwrap.json",
        "bun.lockb",
        // What packing a release writes beside the sources.
        "pkg-info",
        "cargo.toml.orig",
        ".cargo_vcs_info.json",
    ];
    matches!(ending, "lock" | "map" | "pyc" | "class" | "o" | "so" | "a" | "min" | "log")
        || locked.contains(&name)
        || [".min.", ".bundle.", ".generated.", ".g.dart", ".pb.", "_pb2.", "_generated."]
            .iter()
            .any(|mark| name.contains(mark))
}

/// `test_cart.py`, `cart_test.go`, `cart.spec.ts`, `CartTest.java`, `tests.rs`; but `install-test.js`
/// may be a command that tests an installation: such a name is only a test where tests are.
fn is_test_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let mark = |part: &str| matches!(part, "test" | "tests" | "spec" | "specs");
    // Which spelling is a custom depends on the language.
    if let Some((_, last)) = stem.rsplit_once('.') {
        return mark(last);
    }
    let parts = parts(stem);
    let (first, last) = (parts.first().map(String::as_str), parts.last().map(String::as_str));
    match ending {
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => {
            parts.len() == 1 && first.is_some_and(mark) || stem.ends_with("_test")
        }
        "py" | "pyi" => parts.len() > 1 && (stem.starts_with("test_") || stem.ends_with("_test")) || stem == "tests",
        "go" => stem.ends_with("_test"),
        _ => first.is_some_and(mark) && parts.len() > 1 || last.is_some_and(mark),
    }
}

/// The stem that tells what a file is about: of `cart/mod.rs` and `cart/index.ts` it is `cart`.
pub(super) fn subject(path: &str) -> &str {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
    let is_generic = matches!(stem, "mod" | "index" | "__init__" | "main" | "lib" | "init" | "__main__");
    let folder = folders.rsplit('/').next().unwrap_or_default();
    if is_generic && !matches!(folder, "" | "src" | "lib" | "app") { folder } else { stem }
}

/// Words that stand before the name of what a line defines.
pub(super) const KEYWORDS: [&str; 24] = [
    "fn",
    "def",
    "class",
    "struct",
    "enum",
    "union",
    "trait",
    "interface",
    "type",
    "function",
    "func",
    "fun",
    "const",
    "static",
    "mod",
    "module",
    "namespace",
    "object",
    "record",
    "protocol",
    "macro_rules!",
    "defmodule",
    "sub",
    "TABLE",
];

/// The name a line defines.
pub(super) fn defined(line: &str) -> Option<&str> {
    let trimmed = line.trim_start();
    if trimmed.starts_with("//") || trimmed.starts_with('*') || trimmed.starts_with("# ") {
        return None;
    }
    let mut rest = trimmed;
    // A definition has its keyword among its first words.
    for _ in 0..8 {
        let (word, after) = rest.split_once(char::is_whitespace)?;
        // `mod cart;` only says that there is a file.
        if word == "mod" && after.trim_end().ends_with(';') {
            return None;
        }
        if KEYWORDS.contains(&word) {
            return name_at(after.trim_start());
        }
        if matches!(word, "public" | "private" | "protected" | "internal") {
            let call = after.split_once('(').map(|(before, _)| before.trim_end());
            let named = call.and_then(|before| before.rsplit(char::is_whitespace).next()).and_then(name_at);
            let is_type = |word: &str| KEYWORDS.contains(&word) && !matches!(word, "static" | "const");
            if named.is_some() && !after.split_whitespace().any(is_type) {
                return named;
            }
        }
        rest = after.trim_start();
    }
    None
}

/// The identifier at the beginning, behind the receiver of a Go method.
fn name_at(text: &str) -> Option<&str> {
    let text = match text.strip_prefix('(') {
        Some(receiver) => receiver.split_once(')')?.1.trim_start(),
        None => text,
    };
    let text = text.strip_prefix("fn ").or_else(|| text.strip_prefix("unsafe fn ")).unwrap_or(text);
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(text.len());
    text.get(..end).filter(|name| !name.is_empty() && name.len() <= 80)
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
