//! From what was written down while a plan was carried out, and the disk, to a report.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken page fails the test")]

use fore_plan::{
    MAX_WORK, SinceApproval, WorkDone, WorkFacts, WorkRecord,
    approval::Timestamp,
    contract::{Contract, ContractGround, ProjectTree},
    gate::{Ground, Rules, table::TableSettings},
    report::{Report, ShownTimes},
    report_work,
};
use fore_shell::GitFacts;
use std::{collections::HashMap, path::Path};

const PLAN: &str = "1. Modify `src/cart.rs`\n2. Modify `src/price.rs`\n\n## Verify\n\n- `cargo test`\n- `cargo fmt`\n";

fn contract() -> Contract {
    let (rules, settings) = (Rules::default(), TableSettings::default());
    let tree = ProjectTree::new(["src/cart.rs", "src/price.rs", "web/app.js", "web/menu.js"].map(str::to_owned));
    let gate = Ground::new(&rules, &settings, Path::new("/shop"), &GitFacts::Quiet, &fore_commands::CATALOGUE);
    Contract::read(PLAN, &ContractGround { gate: &gate, tree: &tree })
}

fn edited(path: &str) -> WorkDone {
    WorkDone::Edited { path: path.into(), added: 3, removed: 1 }
}

fn ran(command: &str, code: i32, changed: &[&str], white_space: &[&str]) -> WorkDone {
    let paths = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
    WorkDone::Ran {
        command: command.into(),
        folder: String::new(),
        exit_code: Some(code),
        changed: paths(changed),
        more: 0,
        white_space: paths(white_space),
        began: None,
    }
}

/// The report of a story. `disk`: what is known of files; nothing is known of others.
fn told(story: Vec<WorkDone>, running: &[&str], disk: &[(&str, SinceApproval)]) -> Report {
    let work: Vec<WorkRecord> =
        story.into_iter().map(|done| WorkRecord { at: Timestamp(1), agent: None, done }).collect();
    let running: Vec<(String, String)> = running.iter().map(|text| ((*text).to_owned(), String::new())).collect();
    let facts = WorkFacts { work: &work, running: &running, todos: &[], said: None };
    let disk: HashMap<&str, SinceApproval> = disk.iter().copied().collect();
    let since = |path: &str| disk.get(path).copied().unwrap_or(SinceApproval::Unknown { is_gone: false });
    report_work(PLAN, &contract(), Path::new("/shop"), &facts, &since)
}

/// Each file in one line.
fn files(report: &Report) -> Vec<String> {
    let page = report.markdown(ShownTimes::Hidden);
    let rows = page.lines().filter(|line| line.starts_with("| `") && line.matches('|').count() == 4);
    rows.map(|row| row.trim_matches(['|', ' ']).replace(" | ", " ").replace('`', "")).collect()
}

fn changed(added: u32, removed: u32, is_white_space: bool) -> SinceApproval {
    SinceApproval::Changed { added, removed, is_white_space, is_gone: false }
}

#[test]
fn lines_are_those_of_the_whole_work_where_the_file_is_known_from_before() {
    let story = vec![edited("src/cart.rs"), edited("src/cart.rs"), ran("cargo fmt", 0, &["src/price.rs"], &[])];
    let report = told(story, &[], &[("src/cart.rs", changed(4, 2, false)), ("src/price.rs", changed(1, 0, false))]);
    assert_eq!(files(&report), ["src/cart.rs +4 −2 as planned (line 1)", "src/price.rs +1 −0 as planned (line 2)"]);
}

#[test]
fn what_was_there_before_and_is_not_known_is_only_called_changed() {
    let story = vec![
        edited("src/cart.rs"),
        edited("src/cart.rs"),
        edited("src/price.rs"),
        ran("sh gen.sh", 0, &["src/price.rs", "web/app.js"], &[]),
    ];
    let report = told(story, &[], &[]);
    assert_eq!(
        files(&report),
        [
            "src/cart.rs +6 −2 as planned (line 1)",
            "src/price.rs changed as planned (line 2)",
            "web/app.js changed **not planned** (by sh gen.sh)"
        ]
    );
}

#[test]
fn what_was_changed_back_has_not_changed() {
    let story = vec![edited("src/cart.rs"), edited("web/app.js"), edited("web/app.js")];
    let report = told(story, &[], &[("src/cart.rs", changed(1, 1, false)), ("web/app.js", SinceApproval::Same)]);
    assert_eq!(report.headline(), "0 of 2 steps · 1 file as planned, 1 untouched · checks: 2 not run");
}

#[test]
fn a_formatter_makes_no_check_stale_and_nothing_unplanned() {
    let story = vec![
        edited("src/cart.rs"),
        edited("src/price.rs"),
        ran("cargo test", 0, &[], &[]),
        ran("prettier -w .", 0, &["src/cart.rs", "web/app.js", "web/menu.js"], &["src/cart.rs", "web/app.js"]),
    ];
    let disk = [
        ("src/cart.rs", changed(9, 9, false)),
        ("web/app.js", changed(5, 5, true)),
        ("web/menu.js", changed(2, 2, true)),
    ];
    let report = told(story, &[], &disk);
    assert_eq!(report.headline(), "0 of 2 steps · 2 files as planned · checks: 1 passed, 1 not run");
    assert!(
        report.markdown(ShownTimes::Hidden).contains("Besides: 2 files by tools alone"),
        "{}",
        report.markdown(ShownTimes::Hidden)
    );
}

#[test]
fn a_command_in_the_background_still_runs_until_it_has_ended() {
    let report = told(vec![edited("src/cart.rs")], &["cargo test"], &[]);
    assert_eq!(report.headline(), "0 of 2 steps · 1 file as planned, 1 untouched · checks: 1 still running, 1 not run");
    assert_eq!(report.open_checks(), ["cargo fmt"], "what runs is not offered to be run");
    let story = vec![edited("src/cart.rs"), ran("cargo test", 1, &[], &[]), ran("cargo fmt", 0, &[], &[])];
    let report = told(story, &[], &[]);
    assert_eq!(report.open_checks(), [""; 0], "what failed is not run again by itself");
}

#[test]
fn what_goes_on_until_it_is_stopped_is_no_check() {
    let plan = "## Verify\n\n```sh\nnpm run dev\nnpm start\nnpx vite preview\nnpm test\n```\n";
    let (rules, settings) = (Rules::default(), TableSettings::default());
    let tree = ProjectTree::new(["package.json".to_owned()]);
    let gate = Ground::new(&rules, &settings, Path::new("/shop"), &GitFacts::Quiet, &fore_commands::CATALOGUE);
    let contract = Contract::read(plan, &ContractGround { gate: &gate, tree: &tree });
    let facts = WorkFacts { work: &[], running: &[], todos: &[], said: None };
    let since = |_: &str| SinceApproval::Same;
    let report = report_work(plan, &contract, Path::new("/shop"), &facts, &since);
    assert_eq!(report.open_checks(), ["npm test"], "{report:?}");
}

#[test]
fn records_of_older_sessions_are_read() {
    let old = r#"{"kind":"ran","command":"x","folder":"","exitCode":0,"changed":["a"],"more":0}"#;
    let done: WorkDone = serde_json::from_str(old).unwrap();
    assert_eq!(done, ran("x", 0, &["a"], &[]));
}

/// A check that ran in the background while its files were written has seen neither what was before nor what is now.
#[test]
fn a_check_counts_for_what_was_there_when_it_began() {
    let at = |ms: u64, done: WorkDone| WorkRecord { at: Timestamp(ms), agent: None, done };
    let check = |began: u64| match ran("cargo test", 0, &[], &[]) {
        WorkDone::Ran { command, folder, exit_code, changed, more, white_space, .. } => {
            WorkDone::Ran { command, folder, exit_code, changed, more, white_space, began: Some(Timestamp(began)) }
        }
        other => other,
    };
    let checks = |began: u64| {
        let work = [at(10, edited("src/cart.rs")), at(50, edited("src/price.rs")), at(90, check(began))];
        let facts = WorkFacts { work: &work, running: &[], todos: &[], said: None };
        let since = |_: &str| SinceApproval::Unknown { is_gone: false };
        report_work(PLAN, &contract(), Path::new("/shop"), &facts, &since).headline()
    };
    assert!(checks(60).ends_with("checks: 1 passed, 1 not run"), "{}", checks(60));
    assert!(checks(20).ends_with("checks: 1 stale, 1 not run"), "{}", checks(20));
}

#[test]
fn a_check_in_another_folder_is_not_the_one_of_the_plan() {
    let elsewhere = match ran("cargo test", 0, &[], &[]) {
        WorkDone::Ran { command, exit_code, changed, more, white_space, began, .. } => {
            WorkDone::Ran { command, folder: "/tmp/empty".into(), exit_code, changed, more, white_space, began }
        }
        other => other,
    };
    let report = told(vec![edited("src/cart.rs"), elsewhere], &[], &[]);
    assert!(report.headline().ends_with("checks: 2 not run"), "{}", report.headline());
}

#[test]
fn work_beyond_what_is_kept_leaves_nothing_proved() {
    let mut story: Vec<WorkDone> = (0..MAX_WORK).map(|_| edited("src/cart.rs")).collect();
    story.truncate(MAX_WORK - 3);
    story.extend([ran("cargo test", 0, &[], &[]), ran("cargo fmt", 0, &[], &[])]);
    let kept = told(story.clone(), &[], &[]);
    assert!(kept.headline().contains("checks: 2 passed") && kept.unlisted == 0, "{}", kept.headline());
    story.push(edited("src/cart.rs"));
    story.swap(MAX_WORK - 1, MAX_WORK - 3);
    let full = told(story, &[], &[]);
    assert!(full.headline().contains("1 not listed") && full.headline().contains("2 stale"), "{}", full.headline());
}

/// Formatters and people touch what is there; who brought it there is somebody else.
#[test]
fn what_was_not_planned_is_not_made_good_by_whoever_touches_it_later() {
    let outside = WorkDone::ChangedOutside { changed: vec!["web/app.js".into()], more: 0 };
    let page = [
        vec![edited("web/app.js"), ran("cargo fmt", 0, &["web/app.js"], &[])],
        vec![edited("web/app.js"), outside.clone()],
        vec![ran("cargo fmt", 0, &["web/app.js"], &[]), edited("web/app.js"), outside.clone()],
    ];
    for story in page {
        let report = told(story.clone(), &[], &[]);
        assert!(files(&report).contains(&"web/app.js changed **not planned** (by Edit)".to_owned()), "{story:?}");
    }
    let report =
        told(vec![ran("sh x.sh", 0, &["web/app.js"], &[]), ran("cargo fmt", 0, &["web/app.js"], &[])], &[], &[]);
    assert!(files(&report).contains(&"web/app.js changed **not planned** (by sh x.sh)".to_owned()), "{report:?}");
    let report = told(vec![outside, ran("cargo fmt", 0, &["web/app.js"], &[])], &[], &[]);
    assert!(files(&report).contains(&"web/app.js changed by cargo fmt".to_owned()), "{report:?}");
}

/// Who writes through a server has written, and outside of the project, too.
#[test]
fn what_a_server_changed_and_what_lies_elsewhere_is_not_planned() {
    let called = |changed: &[&str]| WorkDone::Called {
        tool: "mcp__notes__save".into(),
        changed: changed.iter().map(|path| (*path).to_owned()).collect(),
        more: 0,
    };
    let story = vec![called(&["src/cart.rs", "web/app.js"]), edited("/etc/motd")];
    let report = told(story, &[], &[("src/cart.rs", changed(1, 0, false)), ("web/app.js", changed(2, 0, false))]);
    assert_eq!(
        files(&report),
        [
            "/etc/motd +3 −1 **not planned** (by Edit)",
            "src/cart.rs +1 −0 as planned (line 1)",
            "src/price.rs – planned, untouched",
            "web/app.js +2 −0 **not planned** (by mcp\\_\\_notes\\_\\_save)",
        ]
    );
}
