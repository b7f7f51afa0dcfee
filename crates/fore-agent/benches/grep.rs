//! Grep, with its gate and its permit, against `rg` on the same tree: the ratio of their fastest rounds in one run.
//!
//! The tree is the sources of all crates that cargo has fetched; `GREP_TREE` names another one.
#![expect(clippy::disallowed_methods, reason = "a benchmark starts the program it compares with")]
#![expect(clippy::expect_used, clippy::panic, reason = "a benchmark that cannot set itself up has failed")]

use fore_agent::measure::grep_in;
use fore_sandbox::{CageSettings, Cages};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

const ROUNDS: usize = 15;
const TARGET: f64 = 1.2;

/// What is searched for: the words for people, the call, and the same for `rg`.
fn cases() -> [(&'static str, Value, Vec<&'static str>); 5] {
    [
        ("a rare word, files", json!({"pattern": "PhantomPinned", "head_limit": 10_000}), vec!["-l", "PhantomPinned"]),
        (
            "a class of words, lines",
            json!({"pattern": "impl.*FusedIterator for [A-C]", "output_mode": "content", "head_limit": 10_000}),
            vec!["-n", "impl.*FusedIterator for [A-C]"],
        ),
        (
            "any case, count",
            json!({"pattern": "deadlock", "-i": true, "output_mode": "count", "head_limit": 10_000}),
            vec!["-c", "-i", "deadlock"],
        ),
        (
            "one type of files",
            json!({"pattern": "fn drop", "type": "rust", "head_limit": 10_000}),
            vec!["-l", "-t", "rust", "fn drop"],
        ),
        ("no match at all", json!({"pattern": "zzqqxxyyzz[0-9]+"}), vec!["-l", "zzqqxxyyzz[0-9]+"]),
    ]
}

fn main() {
    let Some(tree) = tree() else {
        println!("grep: no tree to search; name one in GREP_TREE.");
        return;
    };
    let version = Command::new("rg").arg("--version").stdin(Stdio::null()).output();
    let Some(version) = version.ok().filter(|output| output.status.success()) else {
        println!(
            "grep: `rg` is not installed, so there is nothing to compare with (Debian package `ripgrep`). Nothing was measured."
        );
        return;
    };
    let version = String::from_utf8_lossy(&version.stdout).lines().next().unwrap_or_default().to_owned();
    println!("{} files in {}, {version}, fastest of {ROUNDS} rounds in turn", count(&tree), tree.display());
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let search = searches(&tree, &runtime);
    for (name, input, arguments) in cases() {
        let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
        let (mut found, mut expected) = (0, 0);
        let before = used();
        for _ in 0..ROUNDS {
            let began = Instant::now();
            found = search(&input);
            ours = ours.min(began.elapsed());
            let began = Instant::now();
            expected = rg(&arguments, &tree);
            theirs = theirs.min(began.elapsed());
        }
        let after = used();
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        let verdict = if ratio <= TARGET { "within" } else { "MISSES" };
        println!(
            "{name:<24} Grep {ours:>9.1?}  rg {theirs:>9.1?}  ratio {ratio:.2} ({verdict} {TARGET})  processor {:.2}  lines {found} and {expected}",
            (after.0 - before.0) / (after.1 - before.1)
        );
    }
}

/// The sources of the crates that cargo has fetched.
fn tree() -> Option<PathBuf> {
    let named = std::env::var_os("GREP_TREE").map(PathBuf::from);
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    named.or_else(|| home.map(|home| home.join("registry/src"))).and_then(|tree| tree.canonicalize().ok())
}

fn count(tree: &Path) -> usize {
    ignore::WalkBuilder::new(tree).hidden(false).build().flatten().filter(|entry| entry.path().is_file()).count()
}

/// One call as the loop makes it; gives the lines it found.
fn searches(tree: &Path, runtime: &tokio::runtime::Runtime) -> impl Fn(&Value) -> usize {
    let home = tempfile::tempdir().expect("a temp folder");
    let home = fore_store::Home::open(&home.path().join("home")).expect("a home");
    let outputs = fore_store::Outputs::open(&home, fore_store::SessionId::fresh()).expect("a home");
    let cages = Arc::new(Cages::new(
        CageSettings::new(std::env::home_dir(), |name| std::env::var_os(name)),
        &fore_commands::CATALOGUE,
    ));
    let grep = grep_in(tree, cages, outputs, runtime.handle().clone());
    move |input| grep(input).expect("a search is allowed and gives text").lines().count()
}

/// Processor time of this program and of the programs it has waited for, in ticks: it says more than the clock where others
/// use the same processors.
fn used() -> (f64, f64) {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("the kernel's account of this program");
    let after_name = stat.rsplit_once(')').expect("a name in brackets").1;
    let ticks: Vec<f64> = after_name.split_whitespace().skip(11).take(4).filter_map(|part| part.parse().ok()).collect();
    match ticks.as_slice() {
        [user, system, of_others, system_of_others] => (user + system, of_others + system_of_others),
        other => panic!("four numbers, not {other:?}"),
    }
}

fn rg(arguments: &[&str], tree: &Path) -> usize {
    let output = Command::new("rg")
        .args(["--hidden", "--no-config", "--glob", "!.git"])
        .args(arguments)
        .current_dir(tree)
        .stdin(Stdio::null())
        .arg("./")
        .output()
        .expect("rg runs");
    output.stdout.iter().filter(|byte| **byte == b'\n').count()
}
