//! How much a decision costs: the gate, and the reminder with a short and a long history.
//!
//! `cargo bench -p fore-plan`

use divan::{Bencher, counter::ItemsCount};
use fore_plan::{
    Change, Level, Openings, SessionRole, State,
    gate::{Action, FileTarget, Ground, Rules, judge, table::CageSupport, table::TableSettings},
    plan::PlanId,
};
use fore_shell::GitFacts;
use std::path::Path;

fn main() {
    divan::main();
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
        tool: "Edit".into(),
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
    let ground = Ground::new(&rules, &settings, Path::new("/shop"), &GitFacts::Quiet);
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
