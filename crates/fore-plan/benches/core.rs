//! How much a decision costs: the gate with and without a contract, the reminder with a short and a long history, reading a plan as a
//! contract, and the report of its work.
//!
//! `cargo bench -p fore-plan`

#![expect(clippy::disallowed_types, reason = "a benchmark measures time")]

use divan::{Bencher, counter::ItemsCount};
use fore_plan::{
    Change, Level, Openings, SessionRole, SinceApproval, State, ToolName, WorkDone, WorkFacts, WorkRecord,
    approval::{
        self, Answered, ApprovalAnswer, Choice, ChosenLevel, Decider, ExitCall, Exiting, GrantChanges, GrantScope,
        OnDisk, Reachable, Timestamp,
    },
    contract::{Contract, ContractGround, Coverage, ProjectTree},
    gate::{Action, FileTarget, Ground, Rules, judge, table::CageSupport, table::TableSettings},
    plan::PlanId,
    report_work,
};
use fore_shell::GitFacts;
use serde_json::json;
use std::{
    path::Path,
    time::{Duration, Instant},
};

fn main() {
    gate_with_a_contract();
    report_after_calls();
    divan::main();
}

/// The work on a plan, approved with what it covers or without that.
fn carried_out(plan: &str, runs_covered: bool) -> State {
    let mut state = planning();
    let call = ExitCall {
        input: &json!({}),
        caller: &approval::Caller::Main,
        reachable: Reachable::Approver,
        on_disk: OnDisk::Text(plan),
        nonce: "1",
        now: Timestamp(1),
    };
    let Exiting::AskPerson(asking) = approval::exit(&state, &call) else { unreachable!("the plan can be proposed") };
    for change in &asking.changes {
        let _ = state.apply(change);
    }
    let level = ChosenLevel::Level { level: Level::Default, scope: GrantScope::Plan };
    let choice = Choice::Approve {
        level,
        runs_covered,
        clear_context: false,
        edited: None,
        steps: None,
        contract_hash: None,
        grants: GrantChanges::default(),
        note: String::new(),
        comments: Vec::new(),
    };
    let by = Decider::Person { via: "bench".to_owned() };
    let proposal = asking.proposal;
    let answer = ApprovalAnswer { request: proposal.request, hash: proposal.hash, by, at: Timestamp(2), choice };
    let reads = |text: &str| with_ground(|ground| Contract::read(text, ground));
    match approval::answer(&state, &answer, OnDisk::Text(plan), "2", &reads) {
        Answered::Approved { changes, .. } => {
            for change in &changes {
                let _ = state.apply(change);
            }
        }
        other => unreachable!("the plan is approved: {other:?}"),
    }
    state
}

/// The same decisions with a contract of a thousand entries and without one: the best of many rounds, taken in turn.
fn gate_with_a_contract() {
    let plan: String = (0..900).map(|number| format!("- `src/part{}/file{number}.rs`\n", number / 20)).collect();
    let commands: String = (0..100).map(|number| format!("Run: `cargo test --package part{number}`\n\n")).collect();
    let plan = format!("# Plan\n\n{plan}\n{commands}");
    let states = [carried_out(&plan, false), carried_out(&plan, true)];
    let granted = states[1].contract().map_or(0, |contract| contract.files.len() + contract.commands.len());
    let (rules, settings) = (Rules::default(), TableSettings::default());
    let ground = Ground::new(&rules, &settings, Path::new("/shop"), &GitFacts::Quiet, &fore_commands::CATALOGUE);
    let ground = Ground { kernel: &CageSupport::FULL, ..ground };
    let mut best = [Duration::MAX; 2];
    for _ in 0..2_000 {
        for (state, best) in states.iter().zip(&mut best) {
            let actions: Vec<Action> = actions().into_iter().chain(covered_actions()).collect();
            let begun = Instant::now();
            for action in actions {
                divan::black_box(judge(state, &ground, action));
            }
            *best = begun.elapsed().min(*best);
        }
    }
    let ratio = best[1].as_secs_f64() / best[0].as_secs_f64();
    println!("gate decisions with a contract of {granted} entries: {ratio:.2} × those without one");
}

fn covered_actions() -> Vec<Action> {
    let edit = |path: &str| Action::Edit {
        tool: ToolName::Edit,
        target: FileTarget { asked: path.into(), real: path.into(), is_link: false, names: 1 },
    };
    let run = |command: &str| Action::Run { command: command.into(), cwd: "/shop".into(), rehearse: false };
    vec![edit("/shop/src/part3/file70.rs"), edit("/shop/src/part3/near.rs"), run("cargo test --package part7")]
}

/// A report after a session of a thousand calls: half of them wrote a file, half of them ran a command that wrote two.
fn report_after_calls() {
    let plan = long_plan(5_000);
    let contract = with_ground(|ground| Contract::read(&plan, ground));
    let record = |number: usize| {
        let path = format!("src/part{}/file{number}.rs", number / 20);
        let done = match number % 2 {
            0 => WorkDone::Edited { path, added: 3, removed: 1 },
            _ => WorkDone::Ran {
                command: format!("cargo test --package part{}", number / 10 * 10 + 4),
                folder: String::new(),
                exit_code: Some(0),
                changed: vec![path, format!("out/{number}.txt")],
                more: 0,
                white_space: Vec::new(),
                began: None,
            },
        };
        WorkRecord { at: Timestamp(number as u64), agent: None, done }
    };
    let work: Vec<WorkRecord> = (0..1_000).map(record).collect();
    let facts = WorkFacts { work: &work, running: &[], todos: &[], said: None };
    let since = |_: &str| SinceApproval::Changed { added: 3, removed: 1, is_white_space: false, is_gone: false };
    let mut best = Duration::MAX;
    for _ in 0..20 {
        let begun = Instant::now();
        divan::black_box(report_work(&plan, &contract, Path::new("/shop"), &facts, &since));
        best = begun.elapsed().min(best);
    }
    println!("report of a plan of 5,000 lines after 1,000 calls: {:.1} ms", best.as_secs_f64() * 1e3);
}

fn planning() -> State {
    let plan = PlanId { session: "s".into(), ordinal: 1 };
    State::fold_all(&[
        Change::Started { level: Level::Default, planning: true, openings: Openings::TRUSTED, role: SessionRole::Main },
        Change::PlanNamed { plan, path: "/plans/brave-quiet-fox.md".into() },
    ])
}

fn actions() -> Vec<Action> {
    let edit = |path: &str| Action::Edit {
        tool: ToolName::Edit,
        target: FileTarget { asked: path.into(), real: path.into(), is_link: false, names: 1 },
    };
    let run = |command: &str| Action::Run { command: command.into(), cwd: "/shop".into(), rehearse: false };
    vec![
        Action::Read { path: "/shop/src/cart.rs".into(), asked: "src/cart.rs".into() },
        edit("/shop/src/cart.rs"),
        edit("/plans/brave-quiet-fox.md"),
        run("git log --oneline -5 | head"),
        run("rg -n 'fn total' src"),
        run("rm -rf target"),
        run("cargo test"),
    ]
}

#[divan::bench]
fn gate_decisions(bencher: Bencher<'_, '_>) {
    let (state, rules, settings) = (planning(), Rules::default(), TableSettings::default());
    let ground = Ground::new(&rules, &settings, Path::new("/shop"), &GitFacts::Quiet, &fore_commands::CATALOGUE);
    let ground = Ground { kernel: &CageSupport::FULL, ..ground };
    bencher.with_inputs(actions).input_counter(|actions| ItemsCount::of_iter(actions)).bench_local_values(|actions| {
        for action in actions {
            divan::black_box(judge(&state, &ground, action));
        }
    });
}

/// The same cost whatever happened before: counters, no look at the history.
#[divan::bench(args = [10, 100_000])]
fn reminder_decision_after_entries(bencher: Bencher<'_, '_>, entries: usize) {
    let mut state = planning();
    for turn in 0..entries {
        let change = if turn % 2 == 0 { Change::HumanTurn } else { Change::AutoVerdict { allowed: true } };
        let _ = state.apply(&change);
    }
    bencher.bench_local(|| divan::black_box(&state).notices_due(true));
}

/// A project of two thousand files.
fn tree() -> ProjectTree {
    let file = |number: usize| format!("src/part{}/file{number}.rs", number / 20);
    ProjectTree::new((0..2_000).map(file))
}

/// A plan of so many lines in which every other one names a file, and every tenth a command.
fn long_plan(lines: usize) -> String {
    let line = |number: usize| match number % 10 {
        0 => format!("## Step {number}: rework part {number}\n"),
        1 | 3 | 5 => format!(
            "- Modify `src/part{}/file{number}.rs:10-20` so that the total is kept, not computed\n",
            number / 20
        ),
        2 => format!(
            "- Create `src/part{}/new{number}.rs`, following the pattern in `src/part1/file21.rs`\n",
            number / 20
        ),
        4 => format!("Run: `cargo test --package part{number}`\n"),
        6 => "\n".to_owned(),
        7 => "**Not changed:** `src/part2/file41.rs`\n".to_owned(),
        _ => "The rest of the paragraph says why, in the way that people say it, without naming anything.\n".to_owned(),
    };
    (0..lines).map(line).collect()
}

fn with_ground<T>(ask: impl FnOnce(&ContractGround<'_>) -> T) -> T {
    let (rules, settings, tree) = (Rules::default(), TableSettings::default(), tree());
    let gate = Ground::new(&rules, &settings, Path::new("/shop"), &GitFacts::Quiet, &fore_commands::CATALOGUE);
    ask(&ContractGround { gate: &gate, tree: &tree })
}

/// Ten times the text must not cost much more than ten times the time.
#[divan::bench(args = [500, 5_000])]
fn reading_a_contract(bencher: Bencher<'_, '_>, lines: usize) {
    let plan = long_plan(lines);
    with_ground(|ground| bencher.bench_local(|| Contract::read(divan::black_box(&plan), ground)));
}

#[divan::bench(args = [10, 1_000])]
fn asking_a_contract(bencher: Bencher<'_, '_>, files: usize) {
    let plan: String = (0..files).map(|number| format!("- `src/part{}/file{number}.rs`\n", number / 20)).collect();
    let coverage = Coverage::new(with_ground(|ground| Contract::read(&plan, ground)), Path::new("/shop"));
    let paths = ["src/part0/file5.rs", "src/part0/file5_test.rs", "src/part0/other.rs", "web/index.html"];
    bencher.counter(ItemsCount::new(paths.len())).bench_local(|| {
        for path in paths {
            divan::black_box(coverage.file(divan::black_box(path)));
        }
    });
}
