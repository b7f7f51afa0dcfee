//! What became of a plan: one story after the other, each with the facts and the report that they make.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken page fails the test")]

use fore_plan::{
    approval::Timestamp,
    contract::{Contract, ContractGround, Coverage, ProjectTree},
    gate::{Ground, Rules, table::TableSettings},
    plan::steps,
    report::{
        ChangedBy, ChangedFile, CommandOutcome, CommandRun, FileOutcome, Report, ReportFacts, ReportVerdict,
        ShownTimes, StepOutcome, StepTodo,
    },
};
use fore_shell::GitFacts;
use std::path::Path;

const PLAN: &str = "# Totals

1. Create `src/total.rs` and declare it in `src/lib.rs`
   Run: `cargo test total`
2. Use it in `src/cart.rs`
3. Tell people in `docs/cart.md`
4. Think about the name

## Verification

```sh
cargo test
cargo clippy
```
";
const TREE: [&str; 8] = [
    "Cargo.toml",
    "Cargo.lock",
    "src/lib.rs",
    "src/cart.rs",
    "src/price.rs",
    "docs/cart.md",
    "web/app.js",
    "tests/cart.rs",
];

fn coverage(plan: &str) -> Coverage {
    let (rules, settings) = (Rules::default(), TableSettings::default());
    let tree = ProjectTree::new(TREE.map(str::to_owned));
    let gate = Ground::new(&rules, &settings, Path::new("/shop"), &GitFacts::Quiet, &fore_commands::CATALOGUE);
    Coverage::new(Contract::read(plan, &ContractGround { gate: &gate, tree: &tree }), Path::new("/shop"))
}

/// What happened, in order: `+path` a tool changed it, `!path` the person, `-path` a tool took it away, `~path` a formatter changed only white
/// space, `=path` a tool did,
/// `?command > path` a command wrote it, `command = code` a command ran.
fn told(plan: &str, story: &[&str], todos: &[(u32, StepTodo)], said: Option<&str>) -> Report {
    let (mut files, mut runs): (Vec<ChangedFile>, Vec<CommandRun>) = (Vec::new(), Vec::new());
    for (line, order) in story.iter().zip(1_u64..) {
        let file = |path: &str, by: ChangedBy| ChangedFile {
            path: path.to_owned(),
            lines: Some((3, 1)),
            by,
            order,
            is_gone: line.starts_with('-'),
            is_white_space: line.starts_with(['~', '=']),
        };
        let changed = match (line.split_at(1), line.split_once(" > ")) {
            (("+" | "-" | "=", path), _) => file(path, ChangedBy::Tool { name: "Edit".into() }),
            (("~", path), _) => {
                file(path, ChangedBy::Command { command: "prettier -w .".into(), folder: String::new() })
            }
            (("!", path), _) => file(path, ChangedBy::Person),
            (("?", _), Some((command, path))) => {
                file(path, ChangedBy::Command { command: command[1..].to_owned(), folder: String::new() })
            }
            _ => {
                let (command, code) = line.split_once(" = ").unwrap();
                let at = Timestamp(order * 1_000);
                runs.push(CommandRun {
                    command: command.to_owned(),
                    folder: String::new(),
                    exit_code: code.parse().ok(),
                    is_running: code == "runs",
                    at,
                    began: order.saturating_sub(1),
                    order,
                });
                continue;
            }
        };
        files.retain(|known| known.path != changed.path);
        files.push(changed);
    }
    let (coverage, steps) = (coverage(plan), steps(plan));
    Report::new(&ReportFacts { coverage: &coverage, steps: &steps, todos, files: &files, runs: &runs, said })
}

fn outcomes(report: &Report) -> Vec<StepOutcome> {
    report.steps.iter().map(|step| step.outcome).collect()
}

#[test]
fn all_as_planned() {
    use StepOutcome::{Done, Untold};
    let story = [
        "+src/total.rs",
        "+src/lib.rs",
        "cargo test total = 0",
        "+src/cart.rs",
        "+docs/cart.md",
        "cargo test = 0",
        "cargo clippy = 0",
    ];
    let report = told(PLAN, &story, &[], Some("All done, tests pass."));
    assert_eq!(outcomes(&report), [Done, Done, Done, Untold]);
    assert_eq!(report.headline(), "3 of 4 steps · 4 files as planned · checks: 3 passed");
    assert_eq!(report.verdict(), ReportVerdict::Clean);
    insta::assert_snapshot!(report.markdown(ShownTimes::Hidden));
}

/// Says done, did half; says tests pass, they did not.
#[test]
fn a_model_that_lies_gets_a_report_that_says_so() {
    use StepOutcome::{Skipped, Unchecked, Untold};
    let todos = [(1, StepTodo::Done), (2, StepTodo::Done), (3, StepTodo::Done), (4, StepTodo::Done)];
    let story = ["+src/cart.rs", "cargo test = 101"];
    let report = told(PLAN, &story, &todos, Some("Everything is done and all tests pass!"));
    assert_eq!(outcomes(&report), [Skipped, Unchecked, Skipped, Untold]);
    assert_eq!(report.headline(), "0 of 4 steps · 1 file as planned, 3 untouched · checks: 1 failed, 2 not run");
    assert_eq!(report.verdict(), ReportVerdict::Unproved);
    insta::assert_snapshot!(report.markdown(ShownTimes::Hidden));
}

#[test]
fn nothing_happened() {
    use StepOutcome::{NotBegun, Untold};
    let report = told(PLAN, &[], &[], None);
    assert_eq!(outcomes(&report), [NotBegun, NotBegun, NotBegun, Untold]);
    assert_eq!(report.headline(), "0 of 4 steps · 0 files as planned, 4 untouched · checks: 3 not run");
}

#[test]
fn a_check_is_stale_when_its_files_changed_after_it() {
    use StepOutcome::{Done, Unchecked};
    let story = [
        "+src/total.rs",
        "+src/lib.rs",
        "cargo test total = 0",
        "cargo test = 0",
        "cargo clippy = 0",
        "+src/cart.rs",
        "+docs/cart.md",
    ];
    let report = told(PLAN, &story, &[], None);
    // What a step checks by itself holds as long as its own files do.
    assert_eq!(outcomes(&report)[..3], [Done, Unchecked, Unchecked]);
    assert_eq!(report.headline(), "1 of 4 steps · 4 files as planned · checks: 1 passed, 2 stale");
    assert_eq!(report.verdict(), ReportVerdict::Unproved);
    let story = ["+src/total.rs", "cargo test total = 0", "+src/lib.rs"];
    let report = told(PLAN, &story, &[], None);
    assert!(matches!(report.commands[0].outcome, CommandOutcome::Stale { .. }), "{:?}", report.commands);
}

#[test]
fn the_last_run_of_a_check_counts() {
    let base =
        ["+src/total.rs", "+src/lib.rs", "+src/cart.rs", "+docs/cart.md", "cargo test total = 0", "cargo clippy = 0"];
    for (runs, verdict) in [
        (["cargo test = 1", "cargo test = 0"], ReportVerdict::Clean),
        (["cargo test = 0", "cargo test = 1"], ReportVerdict::Unproved),
        (["cargo test = 0", "cargo test = killed"], ReportVerdict::Unproved),
        (["cargo test = 0", "cargo test --all = 1"], ReportVerdict::Clean),
    ] {
        let story: Vec<&str> = base.into_iter().chain(runs).collect();
        assert_eq!(told(PLAN, &story, &[], None).verdict(), verdict, "{runs:?}");
    }
}

#[test]
fn what_was_not_planned_says_by_whom() {
    let checks = ["cargo test total = 0", "cargo test = 0", "cargo clippy = 0"];
    let base = ["+src/total.rs", "+src/lib.rs", "+src/cart.rs", "+docs/cart.md"];
    for (change, outcome, verdict) in [
        (
            "+web/app.js",
            FileOutcome::NotPlanned { by: ChangedBy::Tool { name: "Edit".into() } },
            ReportVerdict::NotPlanned,
        ),
        ("!web/app.js", FileOutcome::NotPlanned { by: ChangedBy::Person }, ReportVerdict::Clean),
        (
            "?npm run gen > web/app.js",
            FileOutcome::NotPlanned { by: ChangedBy::Command { command: "npm run gen".into(), folder: String::new() } },
            ReportVerdict::NotPlanned,
        ),
        ("?cargo clippy > web/app.js", FileOutcome::Generated { command: "cargo clippy".into() }, ReportVerdict::Clean),
        ("~web/app.js", FileOutcome::Incidental, ReportVerdict::Clean),
        ("?cargo add x > Cargo.lock", FileOutcome::Incidental, ReportVerdict::Clean),
        ("?yarn > web/yarn.lock", FileOutcome::Incidental, ReportVerdict::Clean),
        (
            "=web/app.js",
            FileOutcome::NotPlanned { by: ChangedBy::Tool { name: "Edit".into() } },
            ReportVerdict::NotPlanned,
        ),
        (
            "+web/yarn.lock",
            FileOutcome::NotPlanned { by: ChangedBy::Tool { name: "Edit".into() } },
            ReportVerdict::NotPlanned,
        ),
        (
            "-src/price.rs",
            FileOutcome::NotPlanned { by: ChangedBy::Tool { name: "Edit".into() } },
            ReportVerdict::NotPlanned,
        ),
    ] {
        let story: Vec<&str> = base.into_iter().chain([change]).chain(checks).collect();
        let report = told(PLAN, &story, &[], None);
        let path = change.rsplit([' ', '+', '!', '-', '~', '=']).next().unwrap();
        let file = report.files.iter().find(|file| file.path == path).unwrap();
        assert_eq!((&file.outcome, report.verdict()), (&outcome, verdict), "{change}");
    }
}

#[test]
fn near_files_are_near_and_formatters_make_nothing_stale() {
    let story = [
        "+src/total.rs",
        "+src/lib.rs",
        "+src/cart.rs",
        "+docs/cart.md",
        "+tests/cart.rs",
        "+Cargo.toml",
        "cargo test total = 0",
        "cargo test = 0",
        "cargo clippy = 0",
        "~src/price.rs",
        "?cargo add x > Cargo.lock",
    ];
    let report = told(PLAN, &story, &[], None);
    assert_eq!(report.headline(), "3 of 4 steps · 4 files as planned, 2 near · checks: 3 passed");
    assert_eq!(report.verdict(), ReportVerdict::Clean);
}

/// A blank may change what a program does, and one passing test says nothing about the others.
#[test]
fn what_a_tool_did_after_a_check_makes_it_stale_and_a_part_of_a_check_is_none() {
    let plan = "1. Change `src/cart.rs` and `tests/cart.rs`\n\n## Verification\n\n```sh\npytest\npython3 tests/cart.rs\n```\n\n## \
         Out of scope\n\n- `web/app.js`\n";
    let checked = ["+src/cart.rs", "pytest = 0", "python3 tests/cart.rs = 0"];
    let page: [(&[&str], &str); 5] = [
        (&[], "1 of 1 step · 1 file as planned, 1 untouched · checks: 2 passed"),
        (&["=src/price.rs"], "1 of 1 step · 1 file as planned, 1 near, 1 untouched · checks: 2 stale"),
        (&["~src/price.rs"], "1 of 1 step · 1 file as planned, 1 untouched · checks: 2 passed"),
        (
            &["pytest = 1", "pytest tests/cart.rs = 0"],
            "0 of 1 step · 1 file as planned, 1 untouched · checks: 1 passed, 1 failed",
        ),
        (
            &["python3 tests/cart.rs = 1", "python3 = 0"],
            "0 of 1 step · 1 file as planned, 1 untouched · checks: 1 passed, 1 failed",
        ),
    ];
    for (then, headline) in page {
        let story: Vec<&str> = checked.iter().chain(then).copied().collect();
        assert_eq!(told(plan, &story, &[], None).headline(), headline, "{then:?}");
    }
    for change in ["?pytest > web/app.js", "~web/app.js"] {
        let report = told(plan, &["+src/cart.rs", change, "pytest = 0", "python3 tests/cart.rs = 0"], &[], None);
        assert_eq!(report.verdict(), ReportVerdict::NotPlanned, "{change}");
    }
}

#[test]
fn a_check_of_files_by_a_pattern_is_stale_when_anything_changed_after_it() {
    let plan = "1. Change `src/*.rs`, then run `cargo test`.\n";
    let stale = told(plan, &["cargo test = 0", "+src/cart.rs"], &[], None);
    assert!(stale.headline().ends_with("checks: 1 stale"), "{}", stale.headline());
    let passed = told(plan, &["+src/cart.rs", "cargo test = 0"], &[], None);
    assert!(passed.headline().ends_with("checks: 1 passed"), "{}", passed.headline());
}

#[test]
fn deleting_and_renaming_are_done_when_the_files_went() {
    let plan = "1. Delete `web/app.js`\n2. Rename `docs/cart.md` to `docs/total.md`\n\nRun: `cargo test`\n";
    let report = told(plan, &["-web/app.js", "-docs/cart.md", "+docs/total.md", "cargo test = 0"], &[], None);
    assert_eq!(outcomes(&report), [StepOutcome::Done, StepOutcome::Done]);
    assert_eq!(report.headline(), "2 of 2 steps · 3 files as planned · checks: 1 passed");
}

#[test]
fn the_check_of_one_step_gets_stale_by_another_step_that_has_none() {
    let plan = "1. Change `docs/cart.md` and run `sh check.sh`.\n2. Change `src/cart.rs`.\n";
    let report = told(plan, &["+docs/cart.md", "sh check.sh = 0", "+src/cart.rs"], &[], None);
    assert_eq!(report.headline(), "1 of 2 steps · 2 files as planned · checks: 1 stale");
    assert_eq!(report.verdict(), ReportVerdict::Unproved);
    let plan = "1. Change `src/cart.rs` and run `sh check.sh`.\n2. Change `docs/cart.md`.\n";
    let report = told(plan, &["+src/cart.rs", "sh check.sh = 0", "+docs/cart.md"], &[], None);
    assert_eq!(report.verdict(), ReportVerdict::Clean, "text for people needs no check");
}

#[test]
fn what_is_too_much_to_be_listed_is_counted_and_is_not_clean() {
    let report = Report { unlisted: 1_200, ..told("1. Change `src/cart.rs`.\n", &["+src/cart.rs"], &[], None) };
    assert_eq!(report.headline(), "0 of 1 step · 1 file as planned, 1200 not listed · no checks");
    assert_eq!(report.verdict(), ReportVerdict::NotPlanned);
    assert!(
        report.markdown(ShownTimes::Hidden).contains("**1200 files more** changed by commands"),
        "{}",
        report.markdown(ShownTimes::Hidden)
    );
}

#[test]
fn a_test_that_first_fails_counts_by_its_last_run() {
    let plan = "### Task 1: Totals\n\n- Create: `tests/total.py`\n- Modify: `src/cart.rs`\n\nRun: `pytest tests/total.py::test_sum -v`\n\nRun: `pytest tests/total.py -v`\n\n```sh\ngit add -A\ngit commit -m 'totals'\n```\n\n### Task 2: Docs\n\n- Modify: `docs/cart.md`\n";
    let story = [
        "+tests/total.py",
        "pytest tests/total.py::test_sum -v = 1",
        "+src/cart.rs",
        "pytest tests/total.py -v = 0",
        "git add -A = 0",
        "git commit -m 'totals' = 0",
        "+docs/cart.md",
    ];
    let report = told(plan, &story, &[], None);
    assert_eq!(outcomes(&report), [StepOutcome::Done, StepOutcome::Unchecked]);
    assert_eq!(report.headline(), "1 of 2 steps · 3 files as planned · checks: 2 passed");
    assert_eq!(report.verdict(), ReportVerdict::Clean);
}

#[test]
fn a_report_is_kept_as_json_and_hides_nothing() {
    let report = told(
        "1. Change `src/cart.rs` | <b>*x*</b>\n",
        &["+src/cart.rs", "+web/a\u{202e}b`|c.js"],
        &[],
        Some("done \u{1b}[2J\n# Not a heading"),
    );
    let read_back: Report = serde_json::from_str(&serde_json::to_string(&report).unwrap()).unwrap();
    assert_eq!(read_back, report);
    let page = report.markdown(ShownTimes::Hidden);
    assert!(!page.contains('\u{202e}') && !page.contains('\u{1b}'), "{page}");
    insta::assert_snapshot!(page);
}

#[test]
fn a_plan_without_steps_is_reported_by_file() {
    let report = told("Change `src/cart.rs`.\n", &["+src/cart.rs"], &[], None);
    assert_eq!(report.headline(), "1 file as planned · no checks");
    assert_eq!(report.verdict(), ReportVerdict::Clean);
}

#[test]
fn an_exit_code_that_is_not_that_of_the_check_is_no_pass() {
    let plan = "1. Modify `src/cart.rs`\n\n## Verify\n\n```sh\ncargo test | tail -5\nnpm test || true\nmake test; echo ok\n```\n";
    let story = ["+src/cart.rs", "cargo test | tail -5 = 0", "npm test || true = 0", "make test; echo ok = 0"];
    let report = told(plan, &story, &[], Some("All tests pass."));
    assert_eq!(report.headline(), "0 of 1 step · 1 file as planned · checks: 3 unclear");
    assert_eq!((outcomes(&report), report.verdict()), (vec![StepOutcome::Unchecked], ReportVerdict::Unproved));
    assert_eq!(report.open_checks(), [""; 0], "running it once more would tell no more");
    assert!(
        report
            .markdown(ShownTimes::Hidden)
            .contains("| `npm test \\|\\| true` | ran; its exit code does not say if the check passed |")
    );
    let failed = told(plan, &["+src/cart.rs", "cargo test | tail -5 = 1"], &[], None);
    assert!(failed.headline().ends_with("checks: 1 failed, 2 not run"), "{}", failed.headline());
    let shown =
        told("1. Modify `src/cart.rs`\n\n## Verify\n\n- Run: `true`\n", &["+src/cart.rs", "true = 0"], &[], None);
    assert!(shown.headline().ends_with("no checks"), "what can only succeed is no check: {}", shown.headline());
}

#[test]
fn a_name_that_is_made_to_look_like_a_row_stays_in_its_cell() {
    let report = told("Modify `src/cart.rs`", &["+a\\| +1 −0 | as planned (line 1) |", "+b` | done | `"], &[], None);
    let page = report.markdown(ShownTimes::Hidden);
    let rows: Vec<&str> = page.lines().filter(|line| line.contains("not planned**")).collect();
    let cells = |row: &str| {
        let mut letters = row.chars();
        let mut bars = 0;
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => drop(letters.next()),
                '|' => bars += 1,
                _ => {}
            }
        }
        bars
    };
    assert_eq!(rows.iter().map(|row| cells(row)).collect::<Vec<_>>(), [4, 4], "{page}");
}

#[test]
fn what_hides_files_is_not_generated_and_what_tools_keep_makes_nothing_stale() {
    let plan = "1. Modify `src/cart.rs`\n\n## Verify\n\n- Run: `cargo test`\n- Run: `npm test`\n";
    let hides = ["+src/cart.rs", "?cargo test > .gitignore", "?cargo test > src/made.rs"];
    let report = told(plan, &hides, &[], None);
    let of = |path: &str| report.files.iter().find(|file| file.path == path).map(|file| file.outcome.clone());
    assert!(matches!(of(".gitignore"), Some(FileOutcome::NotPlanned { .. })), "{:?}", report.files);
    assert!(matches!(of("src/made.rs"), Some(FileOutcome::Generated { .. })), "{:?}", report.files);
    let keeps = ["+src/cart.rs", "cargo test = 0", "?npm test > src/__pycache__/a.pyc", "npm test = 0"];
    assert!(told(plan, &keeps, &[], None).headline().ends_with("checks: 2 passed"));
    let writes = ["+src/cart.rs", "cargo test = 0", "+src/__pycache__/a.pyc", "npm test = 0"];
    assert!(
        told(plan, &writes, &[], None).headline().ends_with("checks: 1 passed, 1 stale"),
        "a tool's own edit counts"
    );
}

/// A check is about one state of the tree: what is different now is named.
#[test]
fn a_command_says_when_it_ran_and_what_was_changed_since() {
    let story =
        ["+src/total.rs", "+src/lib.rs", "cargo test total = 0", "cargo test = 1", "+src/cart.rs", "+docs/cart.md"];
    let report = told(PLAN, &story, &[], None);
    let rows = |times| {
        let page = report.markdown(times);
        let rows = page.lines().filter(|line| line.starts_with("| `cargo")).map(str::to_owned);
        rows.collect::<Vec<_>>()
    };
    assert_eq!(
        rows(ShownTimes::Hidden),
        [
            "| `cargo test total` | passed |",
            "| `cargo test` | failed with exit code 1 |",
            "| `cargo clippy` | not run |"
        ]
    );
    assert_eq!(
        rows(ShownTimes::Clock),
        [
            "| `cargo test total` | passed (exit code 0, 1970-01-01 00:00:03 UTC); changed since: `docs/cart.md`, `src/cart.rs` |",
            "| `cargo test` | failed with exit code 1 (1970-01-01 00:00:04 UTC); changed since: `docs/cart.md`, `src/cart.rs` |",
            "| `cargo clippy` | not run |",
        ]
    );
    let stale =
        told("1. Change `src/cart.rs`, then run `cargo test`.\n", &["cargo test = 0", "+src/cart.rs"], &[], None);
    assert!(
        stale.markdown(ShownTimes::Hidden).contains("| `cargo test` | passed, but `src/cart.rs` changed since |"),
        "{}",
        stale.markdown(ShownTimes::Hidden)
    );
    let many: Vec<String> = (0..9).map(|number| format!("+src/{number}.rs")).collect();
    let story: Vec<&str> = std::iter::once("cargo test = 0").chain(many.iter().map(String::as_str)).collect();
    let report = told("Run: `cargo test`\n", &story, &[], None);
    assert_eq!((report.commands[0].changed_since.len(), report.commands[0].more_since), (5, 4));
}

/// Ticked off, said to be done, and nothing happened: that is not done.
#[test]
fn a_step_that_did_not_happen_leaves_the_plan_unfinished() {
    let plan = "1. Change `src/cart.rs` and `src/lib.rs`.\n2. Change `docs/cart.md`.\n3. Think.\n";
    let done = [(1, StepTodo::Done), (2, StepTodo::Done), (3, StepTodo::Done)];
    let page: [(&[&str], ReportVerdict); 4] = [
        (&[], ReportVerdict::Unfinished),
        (&["+src/cart.rs"], ReportVerdict::Unfinished),
        (&["+src/cart.rs", "+docs/cart.md"], ReportVerdict::Clean),
        (&["+src/cart.rs", "+web/app.js"], ReportVerdict::NotPlanned),
    ];
    for (story, verdict) in page {
        assert_eq!(told(plan, story, &done, Some("All done.")).verdict(), verdict, "{story:?}");
    }
    let half = told(plan, &["+src/cart.rs", "+docs/cart.md"], &done, None).markdown(ShownTimes::Hidden);
    assert!(half.contains("| changed, not checked since; untouched: `src/lib.rs` |"), "{half}");
    // Without steps that name files, nothing of the whole plan happened.
    let plan = "Change `src/cart.rs` and `src/lib.rs`.\n";
    assert_eq!(told(plan, &[], &[], None).verdict(), ReportVerdict::Unfinished);
    assert_eq!(told(plan, &["+src/cart.rs"], &[], None).verdict(), ReportVerdict::Clean);
}
