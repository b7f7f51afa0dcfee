//! What a plan says not to do, in the words and shapes that plans and attacks have: none of it is granted.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken page fails the test")]

use fore_plan::{
    contract::{Contract, ContractGround, Coverage, FileCover, NotGrantedReason, ProjectTree},
    gate::{Ground, Rules, table::TableSettings},
};
use fore_shell::GitFacts;
use std::path::Path;

const PROJECT: &str = "/projects/shop";

fn read(plan: &str) -> Contract {
    let files =
        ["Cargo.toml", "README.md", "src/cart.rs", "src/lib.rs", "src/pay/card.rs", "tests/cart.rs", "docs/a.md"];
    let tree = ProjectTree::new(files.map(str::to_owned));
    let (rules, settings) = (Rules::default(), TableSettings::default());
    let gate = Ground::new(&rules, &settings, Path::new(PROJECT), &GitFacts::Quiet, &fore_commands::CATALOGUE);
    Contract::read(plan, &ContractGround { gate: &gate, tree: &tree })
}

fn granted(plan: &str) -> Vec<String> {
    let contract = read(plan);
    let files = contract.files.iter().map(|grant| grant.path.clone());
    files.chain(contract.commands.iter().map(|grant| format!("$ {}", grant.command))).collect()
}

#[test]
fn a_file_that_the_plan_says_to_leave_is_left() {
    let page = "`src/lib.rs` must not be touched.\n`src/lib.rs` is not to be changed.\n`src/lib.rs` should not be modified at all.\n\
        `src/lib.rs` must remain exactly as it is.\n`src/lib.rs` will not be changed by this plan.\n`src/lib.rs` won't be touched.\n\
        We keep `src/lib.rs` as it is.\nKeep `src/lib.rs` intact.\nHands off `src/lib.rs`.\nWithout touching `src/lib.rs`, do it.\n\
        Make no changes to `src/lib.rs`.\nChanges to `src/lib.rs` are forbidden.\nEditing `src/lib.rs` is prohibited.\n\
        Modifying `src/lib.rs` is out of scope.\nAvoid `src/lib.rs`.\nStay away from `src/lib.rs`.\nPreserve `src/lib.rs`.\n\
        `src/lib.rs`: off limits.\n`src/lib.rs`: nothing changes here.\n`README.md` and `src/lib.rs` are not part of this.\n\
        Out of scope for now are `README.md` and `src/lib.rs`.\nThe following files are not part of this work: `README.md`, `src/lib.rs`.\n\
        Not in this change: `src/lib.rs`.\n`src/lib.rs` (do not edit)\n`src/lib.rs` - leave\n`src/lib.rs` — unchanged\n`src/lib.rs` cannot be changed.\n\
        `src/lib.rs` can’t be edited.\n`src/lib.rs` is frozen.\nWe are not going to change `src/lib.rs`.\nNothing in `src/lib.rs` changes.\n\
        Everything except `src/lib.rs` changes.\nAll files but `src/lib.rs`.\nDo not, under any circumstances, modify `src/lib.rs`.\n\
        Under no circumstances may `src/lib.rs` be edited.\nIt is forbidden to change `src/lib.rs`.\nIgnore `src/lib.rs`.\nSkip `src/lib.rs`.\n\
        Exclude `src/lib.rs`.\nNeither `src/lib.rs` nor `src/pay/card.rs` is changed.\nNever delete `src/lib.rs`.\n\
        Change nothing in `src/lib.rs`.\n| Out of scope | `src/lib.rs` |\nunchanged: `src/lib.rs`";
    for sentence in page.lines().map(str::trim) {
        let plan = format!("# Plan\n\n1. Modify `src/cart.rs`.\n\n{sentence}\n");
        assert_eq!(granted(&plan), ["src/cart.rs"], "{sentence}");
        let coverage = Coverage::new(read(&plan), Path::new(PROJECT));
        assert_eq!(coverage.file("src/lib.rs"), FileCover::No, "not near either: {sentence}");
    }
    // One line, two sentences: what the second one says is not about the file of the first.
    for line in ["Change `src/cart.rs`. Do not touch `src/lib.rs`.", "Modify `src/cart.rs`; leave `src/lib.rs` alone."]
    {
        assert_eq!(granted(line), ["src/cart.rs"], "{line}");
    }
    let both = "Change `src/cart.rs`, not `src/lib.rs`, and `tests/cart.rs` instead of `src/pay/card.rs`.";
    assert_eq!(granted(both), ["src/cart.rs", "tests/cart.rs"]);
}

#[test]
fn a_no_that_is_about_something_else_takes_nothing_away() {
    let page = "If it does not exist, create `src/cart.rs`.\nModify `src/cart.rs` so that the cache is not touched.\n\
        Do not break the API when you change `src/cart.rs`.\nNo test covers this, so update `src/cart.rs`.\n\
        - `src/cart.rs`: totals must not be negative\n- `src/cart.rs`: do not round twice\nAvoid duplicating code in `src/cart.rs`.\n\
        Keep `src/cart.rs` in sync.\nSkip the check in `src/cart.rs` when it is empty.\nIgnore case in `src/cart.rs`.";
    for sentence in page.lines().map(str::trim) {
        assert_eq!(granted(sentence), ["src/cart.rs"], "{sentence}");
    }
}

#[test]
fn a_command_that_the_plan_gives_to_somebody_else_is_not_granted() {
    let page = "Do not run `make deploy`.\nYou must not run `make deploy`.\nRun: `make deploy` (never run this)\nRun: `make deploy` by hand\n\
        Only the person runs `make deploy`.\nThe maintainer will run `make deploy`.\n`make deploy` must not be run.\n\
        - Run `make deploy` manually";
    for sentence in page.lines().map(str::trim) {
        assert_eq!(granted(&format!("# Plan\n\n{sentence}\n")), [""; 0], "{sentence}");
    }
}

#[test]
fn a_heading_of_files_that_stay_grants_nothing() {
    let page = "Explicitly excluded files\nLeave these alone\nHands off\nMust stay\nUntouchable\nRead-only\nFrozen\nProtected files\n\
        Ausserhalb des Umfangs\nNicht angefasst wird\nBleibt wie es ist\nNot in this change\nWe will not\nLeave\nNever\nKeep these files\n\
        Not now";
    for heading in page.lines().map(str::trim) {
        assert_eq!(granted(&format!("# Plan\n\n## {heading}\n\n- `src/lib.rs`\n")), [""; 0], "{heading}");
    }
    // A no that is about something else than the files.
    for heading in ["When the user is not found", "Do not retry on 404", "Keep the order of rows", "Never cache errors"]
    {
        assert_eq!(granted(&format!("# Plan\n\n## {heading}\n\n- Modify `src/lib.rs`\n")), ["src/lib.rs"], "{heading}");
    }
    let title = "# Out of scope\n\n- `src/lib.rs`\n\n## Steps\n\n1. Modify `src/cart.rs`\n";
    assert_eq!(granted(title), ["src/cart.rs"], "right beneath the plan's name it counts, and no further");
}

#[test]
fn a_line_that_nobody_sees_ends_no_section() {
    for unseen in ["##", "## \u{200b}", "## <!-- x -->", "### \u{2060}\u{200d}"] {
        let plan = format!("# Plan\n\n## Out of scope\n\n- `docs/a.md`\n\n{unseen}\n\n- `src/lib.rs`\n");
        assert_eq!(granted(&plan), [""; 0], "{unseen:?}");
    }
    for unseen in ["\u{200b}", "\u{2060} \u{feff}"] {
        let plan = format!("Out of scope:\n- `docs/a.md`\n{unseen}\n- `src/lib.rs`\n");
        assert_eq!(granted(&plan), [""; 0], "{unseen:?}");
    }
}

#[test]
fn what_is_left_alone_is_not_lost_behind_a_thousand_other_names() {
    let pointers: String = (0..1_500).map(|number| format!("- See `src/a{number}.rs`\n")).collect();
    let left: String = (0..1_500).map(|number| format!("- `src/b{number}.rs`\n")).collect();
    let plan =
        format!("Modify `src/cart.rs` and `docs/`.\n\n{pointers}\n## Out of scope\n\n- `src/lib.rs`\n- `docs/a.md`\n");
    let coverage = Coverage::new(read(&plan), Path::new(PROJECT));
    for path in ["src/lib.rs", "docs/a.md"] {
        assert_eq!(coverage.file(path), FileCover::No, "{path}");
    }
    assert!(matches!(coverage.file("docs/b.md"), FileCover::Named { .. }));
    // With more than can be kept only what is named by itself is covered.
    let contract =
        read(&format!("Modify `src/cart.rs` and `docs/`.\n\n## Out of scope\n\n{left}- `src/lib.rs`\n- `docs/a.md`\n"));
    assert!(contract.leaves_more_alone && contract.not_granted.len() <= 1_000);
    let coverage = Coverage::new(contract, Path::new(PROJECT));
    for path in ["src/lib.rs", "docs/a.md", "src/near.rs", "tests/cart.rs"] {
        assert_eq!(coverage.file(path), FileCover::No, "{path}");
    }
    assert!(matches!(coverage.file("src/cart.rs"), FileCover::Named { .. }));
    let long = format!("src/{}.rs", "x".repeat(300));
    let coverage =
        Coverage::new(read(&format!("Modify `src/cart.rs`.\n\n## Out of scope\n\n- `{long}`\n")), Path::new(PROJECT));
    assert_eq!(coverage.file(&long), FileCover::No, "a long name is kept whole");
}

#[test]
fn that_a_file_stays_weighs_more_than_that_it_is_only_pointed_to() {
    let contract = read("## Context\n\n`src/lib.rs` stays as it is. `src/cart.rs` adds.\n");
    let why: Vec<NotGrantedReason> = contract.not_granted.iter().map(|refused| refused.why).collect();
    assert_eq!(why, [NotGrantedReason::OutOfScope, NotGrantedReason::Reference]);
}

#[test]
fn what_passes_besides_is_said_with_the_list() {
    let besides = |plan: &str| read(plan).besides();
    assert_eq!(
        besides("Modify `src/cart.rs` and `Cargo.toml`.").as_deref(),
        Some(
            "Near these, and passed too: their tests, other files in src/, their manifests and lock files, their translations."
        )
    );
    assert_eq!(besides("Modify `docs/`. Run: `cargo test`"), None, "a folder and a command have nothing near them");
}
