//! How fast typical planner commands are judged, parsing included: `cargo bench -p fore-shell --bench judge`.

use divan::{Bencher, counter::ItemsCount};
use fore_shell::{GitFacts, ShellFacts, judge};
use std::path::Path;

const CORPUS: &str = include_str!("corpus.txt");

fn main() {
    divan::main();
}

fn facts() -> ShellFacts<'static> {
    ShellFacts {
        catalogue: &fore_commands::CATALOGUE,
        cwd: Path::new("/home/ada/project"),
        home: Some(Path::new("/home/ada")),
        plan_file: Some(Path::new("/home/ada/project/plans/plan.md")),
        vouched: &[],
        repositories: &GitFacts::Quiet,
    }
}

/// The whole corpus; the item rate is commands per second.
#[divan::bench]
fn corpus(bencher: Bencher<'_, '_>) {
    let facts = facts();
    let commands: Vec<&str> = CORPUS.lines().collect();
    bencher.counter(ItemsCount::new(commands.len())).bench_local(|| {
        for command in &commands {
            divan::black_box(judge(divan::black_box(command), &facts));
        }
    });
}
