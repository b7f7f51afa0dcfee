//! The pages of requirements and of the test list are true: each row has a test, each named test is there, and no test cites a
//! row that is not.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "reads the sources of the workspace"
)]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// One row of the page.
struct Requirement {
    id: String,
    held_by: Vec<String>,
    open: String,
}

fn requirements() -> Vec<Requirement> {
    rows("docs/requirements.md")
}

/// What has to show, and the ten mistakes.
fn test_list() -> Vec<Requirement> {
    rows("docs/test-list.md")
}

/// What somebody who knows another plan mode finds here.
fn coming_from() -> Vec<Requirement> {
    ["qwen-code", "sema", "claude-code", "first-plan-mode"]
        .iter()
        .flat_map(|name| rows(&format!("docs/coming-from-{name}.md")))
        .collect()
}

fn rows(page: &str) -> Vec<Requirement> {
    let page = fs::read_to_string(root().join(page)).unwrap();
    let rows = page
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| id |") && !line.starts_with("| there |"));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [id, _, held_by, open] = cells[..] else { panic!("four columns: {line}") };
        let held_by = held_by.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        Requirement { id: id.to_owned(), held_by, open: open.to_owned() }
    })
    .collect()
}

fn sources(folder: &Path, into: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(fs::read_to_string(&path).unwrap());
        }
    }
}

/// The names of all functions.
fn functions() -> BTreeSet<String> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let package = entry.unwrap().path();
        ["src", "tests"]
            .map(|part| package.join(part))
            .iter()
            .filter(|part| part.is_dir())
            .for_each(|part| sources(part, &mut texts));
    }
    names(&texts)
}

/// The tests that start the program itself.
fn functions_of_the_program() -> BTreeSet<String> {
    let mut texts = Vec::new();
    sources(&root().join("crates/fore/tests"), &mut texts);
    names(&texts)
}

fn is_scenario(name: &str) -> bool {
    root().join("crates/fore/tests/scenarios").join(name).join("expected.txt").is_file()
}

fn names(texts: &[String]) -> BTreeSet<String> {
    let name = |line: &str| {
        let (_, behind) = line.split_once("fn ")?;
        Some(behind.split(['(', '<']).next()?.to_owned())
    };
    texts.iter().flat_map(|text| text.lines()).filter_map(name).collect()
}

/// `d4_…` cites D4, `g2_g3_…` both.
fn cited(function: &str) -> Vec<String> {
    let is_id = |word: &&str| {
        let (letter, number) = word.split_at(usize::from(!word.is_empty()));
        matches!(letter, "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "k" | "l" | "m")
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    function.split('_').take_while(is_id).map(str::to_uppercase).collect()
}

#[test]
fn every_row_names_what_holds_it() {
    let mut rows = requirements();
    assert!(rows.len() > 80, "{} rows were read", rows.len());
    rows.extend(test_list());
    let bare = rows.iter().filter(|row| row.held_by.is_empty());
    let bare: Vec<&String> = bare.map(|row| &row.id).collect();
    assert!(bare.is_empty(), "{bare:?}");
}

#[test]
fn everything_that_a_row_names_is_there() {
    let functions = functions();
    let exists = |name: &String| {
        functions.contains(name) || is_scenario(name) || (name.contains('/') && root().join(name).is_file())
    };
    let absent: Vec<String> = requirements()
        .iter()
        .chain(&test_list())
        .chain(&coming_from())
        .flat_map(|row| row.held_by.iter().filter(|name| !exists(name)).map(|name| format!("{}: {name}", row.id)))
        .collect();
    assert!(absent.is_empty(), "{absent:#?}");
}

#[test]
fn no_test_cites_a_row_that_nobody_can_look_up() {
    let rows: BTreeSet<String> = requirements().into_iter().map(|row| row.id).collect();
    let functions = functions();
    let strange: Vec<&String> =
        functions.iter().filter(|name| cited(name).iter().any(|id| !rows.contains(id))).collect();
    assert!(strange.is_empty(), "{strange:#?}");
}

#[test]
fn every_line_of_the_test_list_is_played_by_the_program_or_says_why_not() {
    let rows = test_list();
    let ids: BTreeSet<&String> = rows.iter().map(|row| &row.id).collect();
    assert_eq!((rows.len(), ids.len()), (68, 68), "58 lines of the list and ten mistakes, each once");
    let functions = functions_of_the_program();
    let is_played = |row: &&Requirement| {
        !row.open.is_empty() || row.held_by.iter().any(|name| functions.contains(name) || is_scenario(name))
    };
    let unplayed: Vec<&String> = rows.iter().filter(|row| !is_played(row)).map(|row| &row.id).collect();
    assert!(unplayed.is_empty(), "{unplayed:?}");
}

#[test]
fn every_line_for_newcomers_names_what_shows_it() {
    let rows = coming_from();
    assert!(rows.len() > 60, "{} rows were read", rows.len());
    let bare: Vec<&String> = rows.iter().filter(|row| row.held_by.is_empty()).map(|row| &row.id).collect();
    assert!(bare.is_empty(), "{bare:?}");
}
