//! The page of requirements is true: each row has a test, each named test is there, and no test cites a row that is not.
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
    let page = fs::read_to_string(root().join("docs/requirements.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| id |"));
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
fn every_row_names_what_holds_it_or_what_is_missing() {
    let rows = requirements();
    assert!(rows.len() > 80, "{} rows were read", rows.len());
    let bare: Vec<&String> =
        rows.iter().filter(|row| row.held_by.is_empty() && row.open.is_empty()).map(|row| &row.id).collect();
    assert!(bare.is_empty(), "{bare:?}");
}

#[test]
fn everything_that_a_row_names_is_there() {
    let functions = functions();
    let exists = |name: &String| {
        functions.contains(name)
            || root().join("crates/fore/tests/scenarios").join(name).is_dir()
            || (name.contains('/') && root().join(name).is_file())
    };
    let absent: Vec<String> = requirements()
        .iter()
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
