//! Rails for the sources: one name one thing, words of the trade, a purpose at the head of each file, a true map.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "reads the sources of the workspace"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

const MAX_FILE_LINES: usize = 600;
/// A page of cases may be longer.
const MAX_TEST_LINES: usize = 700;

/// Figures of speech that stood for ordinary parts. The words of the domain are in the glossary of ARCHITECTURE.md.
const METAPHORS: [&str; 20] = [
    "abreast",
    "brain",
    "brains",
    "crowd",
    "desk",
    "door",
    "errand",
    "hearing",
    "ink",
    "keeper",
    "letterbox",
    "outbox",
    "pump",
    "ribbon",
    "seat",
    "sheet",
    "shelf",
    "tame",
    "talk",
    "walls",
];

/// Names that tell nothing about what a file holds.
const EMPTY_FILE_NAMES: [&str; 7] = ["words", "common", "helper", "helpers", "manager", "misc", "utils"];

/// How many public items a crate may have. A number here only falls: whoever needs another public item finds one that nobody needs.
const MAX_PUBLIC: [(&str, usize); 15] = [
    ("fore", 0),
    ("fore-agent", 145),
    ("fore-commands", 5),
    ("fore-hooks", 48),
    ("fore-mcp", 67),
    ("fore-model", 112),
    ("fore-plan", 384),
    ("fore-review", 18),
    ("fore-sandbox", 138),
    ("fore-shell", 109),
    // A folder for another crate of ours (`OwnFolder`), so that files in the home are written in one way.
    ("fore-store", 254),
    ("fore-team", 70),
    ("fore-testkit", 159),
    ("fore-text", 45),
    ("fore-tui", 27),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

struct SourceFile {
    /// From the root of the workspace, with `/`.
    path: String,
    text: String,
}

impl SourceFile {
    fn stem(&self) -> &str {
        self.path.rsplit('/').next().unwrap().trim_end_matches(".rs")
    }

    /// Tests, benches and examples; their names are their own.
    fn is_test(&self) -> bool {
        let (_, inside) = self.path.split_once('/').unwrap();
        !inside.contains("/src/")
            || inside.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "test_support" | "test_support.rs"))
            || self.stem().ends_with("_tests")
    }
}

fn collect(folder: &Path, into: &mut Vec<SourceFile>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // The workspaces of scenarios are somebody's projects.
        if path.is_dir() && !path.ends_with("scenarios") {
            collect(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
            into.push(SourceFile { path: name, text: fs::read_to_string(&path).unwrap() });
        }
    }
}

fn sources() -> Vec<SourceFile> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let package = entry.unwrap().path();
        let parts = ["src", "tests", "benches", "examples"].map(|part| package.join(part));
        parts.iter().filter(|part| part.is_dir()).for_each(|part| collect(part, &mut found));
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

/// The name that a line defines as a type at the top of a module; types inside a function or a test module stand further in.
fn defined_type(line: &str) -> Option<&str> {
    let rest = match line.strip_prefix("pub") {
        Some(rest) => rest.split_once(' ')?.1,
        None => line,
    };
    let (keyword, rest) = rest.strip_prefix("unsafe ").unwrap_or(rest).split_once(' ')?;
    let name = rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?;
    (matches!(keyword, "struct" | "enum" | "trait" | "type" | "union") && !name.is_empty()).then_some(name)
}

/// The code alone: comments and what stands between quotes are blank.
fn code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("r#\"") || rest.starts_with("r\"") {
            let hashes = rest[1..].bytes().take_while(|byte| *byte == b'#').count();
            let end = format!("\"{}", "#".repeat(hashes));
            let body = hashes + 2;
            rest[body..].find(&end).map_or(rest.len(), |at| body + at + end.len())
        } else if first == '"' {
            let mut escaped = false;
            let end = rest[1..].char_indices().find(|(_, letter)| {
                let ends = *letter == '"' && !escaped;
                escaped = *letter == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |(at, _)| at + 2)
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\\"'") {
            rest[1..].find('\'').map_or(rest.len(), |at| at + 2)
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        out.extend(rest[..skipped].chars().filter(|letter| *letter == '\n'));
        out.push(' ');
        rest = &rest[skipped..];
    }
    out
}

/// The words that an identifier is made of, in small letters: `ToolContext` and `tool_context` are `tool`, `context`.
fn words(identifier: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for letter in identifier.chars() {
        if letter == '_' || letter.is_uppercase() {
            found.push(String::new());
        }
        if letter != '_' {
            found.last_mut().unwrap().extend(letter.to_lowercase());
        }
    }
    found.retain(|word| !word.is_empty());
    found
}

#[test]
fn one_name_means_one_thing() {
    let sources = sources();
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in sources.iter().filter(|file| !file.is_test()) {
        file.text.lines().filter_map(defined_type).for_each(|name| places.entry(name).or_default().push(&file.path));
    }
    assert!(places.len() > 500, "{} types: the sources are not read", places.len());
    let shared: Vec<String> = places
        .iter()
        .filter(|(_, paths)| paths.len() > 1)
        .map(|(name, paths)| format!("{name}: {}", paths.join(" ")))
        .collect();
    assert!(shared.is_empty(), "types that share their name with another one:\n{}", shared.join("\n"));
}

#[test]
fn plumbing_has_no_figures_of_speech() {
    let mut page = String::new();
    for file in sources().iter().filter(|file| !file.is_test()) {
        let own = file.text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let code = code(own);
        let identifiers: BTreeSet<&str> = code
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .filter(|word| !word.is_empty())
            .collect();
        for identifier in identifiers {
            if words(identifier).iter().any(|word| METAPHORS.contains(&word.as_str())) {
                writeln!(page, "{}: {identifier}", file.path).unwrap();
            }
        }
        if words(file.stem()).iter().any(|word| METAPHORS.contains(&word.as_str())) {
            writeln!(page, "{}: its name", file.path).unwrap();
        }
    }
    assert!(page.is_empty(), "the word of the trade instead:\n{page}");
}

#[test]
fn files_say_what_they_are_for_and_have_one_subject() {
    let mut page = String::new();
    for file in sources() {
        let first = file.text.lines().next().unwrap_or_default();
        if !(first.starts_with("//! ") && first.len() > 12) {
            writeln!(page, "{}: the first line does not say what it is for", file.path).unwrap();
        }
        let lines = file.text.lines().count();
        let most = if file.is_test() { MAX_TEST_LINES } else { MAX_FILE_LINES };
        if lines > most {
            writeln!(page, "{}: {lines} lines are more than one subject", file.path).unwrap();
        }
        if EMPTY_FILE_NAMES.contains(&file.stem()) {
            writeln!(page, "{}: its name does not tell what is in it", file.path).unwrap();
        }
    }
    assert!(page.is_empty(), "{page}");
}

/// The command tables change most often: whoever depends on them is rebuilt for every row.
#[test]
fn only_the_binary_depends_on_the_command_tables() {
    let mut dependents = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let package = entry.unwrap().path();
        let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
        let of_tests = |section: &&str| section.starts_with("dev-dependencies]");
        let needed = manifest.split("\n[").filter(|section| section.contains("dependencies]") && !of_tests(section));
        if needed.flat_map(str::lines).any(|line| line.starts_with("fore-commands")) {
            dependents.push(package.file_name().unwrap().to_str().unwrap().to_owned());
        }
    }
    assert_eq!(dependents, ["fore"]);
}

fn all_paths(folder: &Path, into: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        into.push(format!("/{}", path.strip_prefix(root()).unwrap().display()));
        if path.is_dir() && !path.ends_with("scenarios") {
            all_paths(&path, into);
        }
    }
}

/// Whether a text between backticks names a file or folder of the workspace, not a command, a pattern or a place elsewhere.
fn is_path(text: &str) -> bool {
    let is_plain = !text.contains([' ', '*', '{', '(', '<', ':']) && !text.starts_with(['/', '~', '.', '-']);
    is_plain
        && !text.contains("NAME")
        && (text.ends_with(".rs") || text.ends_with('/') || text.starts_with("fore-") && text.contains('/'))
}

/// Every crate has its line in ARCHITECTURE.md, and every file that the page names is there.
#[test]
fn the_map_is_true() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut paths = Vec::new();
    all_paths(&root().join("crates"), &mut paths);
    let mut wrong = String::new();
    for package in paths.iter().filter_map(|path| path.strip_prefix("/crates/")).filter(|path| !path.contains('/')) {
        if !page.contains(&format!("\n| `{package}` |")) {
            writeln!(wrong, "no line for the crate {package}").unwrap();
        }
    }
    let named: BTreeSet<&str> = page.split('`').skip(1).step_by(2).filter(|text| is_path(text)).collect();
    assert!(named.len() > 60, "only {} files are named", named.len());
    for name in named {
        let ending = format!("/{}", name.trim_end_matches('/'));
        // `fore-agent/turn` stands for `fore-agent/src/turn`.
        let in_source = name.split_once('/').map(|(package, inside)| format!("/crates/{package}/src/{inside}"));
        let is_there = |path: &String| {
            path.ends_with(&ending)
                || in_source.as_ref().is_some_and(|source| path == source || *path == format!("{source}.rs"))
        };
        if !paths.iter().any(is_there) {
            writeln!(wrong, "`{name}` is not there").unwrap();
        }
    }
    let sources = sources();
    let is_written = |name: &str| sources.iter().any(|file| file.text.contains(name));
    let types =
        page.split('`').skip(1).step_by(2).flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric()));
    for name in types.filter(|name| is_type_name(name)).collect::<BTreeSet<_>>() {
        if !is_written(name) {
            writeln!(wrong, "`{name}` is nowhere in the sources").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// `ToolContext`, not `README` or `Makefile`.
fn is_type_name(text: &str) -> bool {
    let letters = text.as_bytes();
    let humps = letters.iter().filter(|letter| letter.is_ascii_uppercase()).count();
    humps > 1 && letters[0].is_ascii_uppercase() && letters.iter().any(u8::is_ascii_lowercase)
}

/// Whether a line defines something that other crates can use: a module, type, trait, function, method or value that says
/// `pub` and nothing narrower. Fields and variants belong to their type. `pub use` gives no second count: what it names is
/// counted where it stands. That such an item really can be reached is held by the compiler: `unreachable_pub` is on in the
/// workspace.
fn is_public_item(line: &str) -> bool {
    let Some(mut rest) = line.trim_start().strip_prefix("pub ") else { return false };
    while let Some(more) = ["async ", "unsafe ", "extern \"C\" "].iter().find_map(|word| rest.strip_prefix(word)) {
        rest = more;
    }
    let keyword = rest.split(' ').next().unwrap_or_default();
    matches!(keyword, "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static" | "mod")
}

#[test]
fn the_public_surface_only_shrinks() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for file in sources().iter().filter(|file| !file.is_test()) {
        let package = file.path.split('/').nth(1).unwrap();
        let own = file.text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        *counts.entry(package.to_owned()).or_default() += own.lines().filter(|line| is_public_item(line)).count();
    }
    let mut page = String::new();
    for (package, count) in &counts {
        match MAX_PUBLIC.iter().find(|(name, _)| name == package) {
            Some((_, most)) if count <= most => {}
            Some((_, most)) => writeln!(page, "{package}: {count} public items, at most {most} are allowed").unwrap(),
            None => writeln!(page, "{package}: {count} public items, and no number in MAX_PUBLIC").unwrap(),
        }
    }
    assert!(page.is_empty(), "make it `pub(crate)` where no other crate needs it:\n{page}");
}

/// Files that do something with a prompt and its call, from Enter to the process.
const MAX_ROAD: usize = 19;

#[test]
fn the_road_from_the_composer_to_a_process_is_short() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let road = map.split("\n## One request, nineteen files\n").nth(1).expect("the road has a section");
    let road = road.split("\n## ").next().unwrap();
    // The last hop is the way back.
    let hops =
        road.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| 8 ") && !line.starts_with("| hop"));
    let files: usize = hops.map(|hop| hop.split('|').nth(2).unwrap().matches('`').count() / 2).sum();
    assert_eq!(files, MAX_ROAD, "the section says how many files there are");
}

/// Blocks of `unsafe`, each with its reason.
const MAX_UNSAFE: usize = 32;

#[test]
fn unsafe_blocks_get_fewer() {
    let blocks = |file: &SourceFile| code(&file.text).matches("unsafe {").count();
    let found: Vec<_> =
        sources().into_iter().filter(|file| !file.is_test()).map(|file| (blocks(&file), file.path)).collect();
    let all: usize = found.iter().map(|(blocks, _)| blocks).sum();
    assert!(all <= MAX_UNSAFE, "{all}: {:?}", found.iter().filter(|(blocks, _)| *blocks > 0).collect::<Vec<_>>());
}

/// Crates that decide what may happen: a match on an enum names each of its variants.
const DECIDING: [&str; 10] = [
    "fore-agent",
    "fore-commands",
    "fore-hooks",
    "fore-mcp",
    "fore-plan",
    "fore-review",
    "fore-sandbox",
    "fore-shell",
    "fore-store",
    "fore-team",
];

/// What the binary decides itself: about calls of other agents, about yeses of editors, and about settings of repositories.
const DECIDING_IN_THE_BINARY: [&str; 3] = ["acp", "gate", "settings"];

/// The root file of each crate, with the name of the crate.
fn crate_roots(sources: &[SourceFile]) -> Vec<(&str, &SourceFile)> {
    let root = |file: &&SourceFile| {
        let inside = file.path.splitn(3, '/').nth(2).unwrap();
        inside == "src/lib.rs" || inside == "src/main.rs" && file.path.starts_with("crates/fore/")
    };
    sources.iter().filter(root).map(|file| (file.path.split('/').nth(1).unwrap(), file)).collect()
}

/// Whether an attribute at the head of a file switches this lint on.
fn switches_on(file: &SourceFile, level: &str, lint: &str) -> bool {
    let attributes = file.text.lines().filter(|line| line.starts_with(&format!("#![{level}(")));
    attributes.flat_map(|line| line.split(['(', ',', ' ', ')'])).any(|word| word == lint)
}

#[test]
fn every_crate_has_the_lints_that_its_task_asks_for() {
    let sources = sources();
    let roots = crate_roots(&sources);
    assert!(roots.len() >= 11, "only {} crates are found", roots.len());
    let mut page = String::new();
    for (package, root) in roots {
        let own = format!("crates/{package}/src/");
        let has_unsafe = sources.iter().filter(|file| file.path.starts_with(&own)).any(|file| {
            let code = code(&file.text);
            ["unsafe {", "unsafe fn", "unsafe extern", "unsafe impl"].iter().any(|word| code.contains(word))
        });
        if !has_unsafe && !switches_on(root, "forbid", "unsafe_code") {
            writeln!(page, "{package}: nothing in it is unsafe, so it says `#![forbid(unsafe_code)]`").unwrap();
        }
        if package != "fore" && !switches_on(root, "warn", "missing_docs") {
            writeln!(page, "{package}: a library warns of `missing_docs`").unwrap();
        }
        if DECIDING.contains(&package) && !switches_on(root, "warn", "clippy::wildcard_enum_match_arm") {
            writeln!(page, "{package}: it decides, so it warns of `clippy::wildcard_enum_match_arm`").unwrap();
        }
    }
    for part in DECIDING_IN_THE_BINARY {
        let path = format!("crates/fore/src/{part}/mod.rs");
        let root = sources.iter().find(|file| file.path == path);
        if !root.is_some_and(|file| switches_on(file, "warn", "clippy::wildcard_enum_match_arm")) {
            writeln!(page, "{path}: it decides, so it warns of `clippy::wildcard_enum_match_arm`").unwrap();
        }
    }
    assert!(page.is_empty(), "{page}");
}

/// A `clippy.toml` of a crate stands in the place of the workspace's, so each of them bans what all of them must.
#[test]
fn no_crate_may_read_the_environment_or_start_a_process_by_itself() {
    const BANNED: [&str; 11] = [
        "std::env::var",
        "std::env::var_os",
        "std::env::vars",
        "std::env::vars_os",
        "std::env::set_var",
        "std::env::remove_var",
        "std::env::current_dir",
        "std::env::current_exe",
        "std::env::home_dir",
        "std::env::temp_dir",
        "std::process::Command",
    ];
    let mut files = vec![root().join("clippy.toml")];
    files.extend(fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path().join("clippy.toml")));
    let mut page = String::new();
    for file in files.iter().filter(|file| file.exists()) {
        let text = fs::read_to_string(file).unwrap();
        for banned in BANNED {
            if !text.contains(&format!("\"{banned}\"")) && !text.contains(&format!("\"{banned}::new\"")) {
                writeln!(page, "{} does not ban {banned}", file.display()).unwrap();
            }
        }
    }
    assert!(page.is_empty(), "{page}");
}
