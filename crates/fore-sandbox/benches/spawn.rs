//! What a cage adds to a plain spawn of `bash -c true`: medians of interleaved runs. `cargo bench -p fore-sandbox --bench spawn`,
//! with `-- WORDS` only the plain spawn and the case of that name, or all that have these words in it.
#![expect(clippy::disallowed_methods, reason = "measures a plain spawn beside the cages, over trees made for it")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot set itself up may stop")]

#[path = "../tests/support/permitted.rs"]
mod permitted;

use fore_plan::{Cage, Outside};
use fore_sandbox::{CageSettings, Cages, Job, JobCommand, RequiredBuild};
use permitted::RunTyped;
use std::path::Path;
use std::time::{Duration, Instant};

const RUNS: usize = 200;
const PAUSE: Duration = Duration::from_millis(10);

fn main() {
    // `cargo test --benches` passes `--test`: then one round shows that it works.
    let runs = if std::env::args().any(|argument| argument == "--test") { 1 } else { RUNS };
    let few = tree(10);
    let many = std::cell::OnceCell::new();
    let many = || many.get_or_init(|| tree(100_000)).path();
    let setup = Some(env!("CARGO_BIN_EXE_fore-cage-setup").into());
    let cages = Cages::new(
        CageSettings { setup: setup.clone(), ..crate::permitted::usual_settings() },
        &fore_commands::CATALOGUE,
    );
    let thin = Cages::new(
        CageSettings {
            setup: setup.clone(),
            required_build: RequiredBuild::LandlockOnly,
            ..crate::permitted::usual_settings()
        },
        &fore_commands::CATALOGUE,
    );
    let layered = Cages::new(
        CageSettings { setup, required_build: RequiredBuild::WithoutLandlock, ..crate::permitted::usual_settings() },
        &fore_commands::CATALOGUE,
    );
    let read_only = Cage::ReadOnly { outside: Outside::Closed };
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let cases: [(&str, &dyn Fn() -> Duration); 7] = [
        ("plain spawn", &plain),
        ("read-only, Landlock alone", &|| caged(&thin, &read_only, few.path())),
        ("read-only, without Landlock", &|| caged(&layered, &read_only, few.path())),
        ("read-only", &|| caged(&cages, &read_only, few.path())),
        ("rehearsal over 10 files", &|| caged(&cages, &Cage::Rehearsal, few.path())),
        ("rehearsal over 100,000 files", &|| caged(&cages, &Cage::Rehearsal, many())),
        ("workspace", &|| caged(&cages, &Cage::Workspace { outside: Outside::Closed }, few.path())),
    ];
    let is_one = cases.iter().any(|(name, _)| *name == wanted);
    let is_wanted =
        |(name, _): &(&str, _)| *name == "plain spawn" || if is_one { *name == wanted } else { name.contains(&wanted) };
    let cases: Vec<(&str, &dyn Fn() -> Duration)> = cases.into_iter().filter(is_wanted).collect();
    // A first round makes what is missing. Then the disk comes to rest: few projects were made this moment.
    for (_, case) in &cases {
        case();
    }
    if runs > 1 {
        std::thread::sleep(Duration::from_secs(3));
    }
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); cases.len()];
    for _ in 0..runs {
        for ((_, case), times) in cases.iter().zip(&mut times) {
            // Commands come one model's answer after the other, not at each other's heels. What is done between them is in the
            // processor time.
            std::thread::sleep(PAUSE);
            times.push(case());
        }
    }
    let medians: Vec<f64> = times.iter_mut().map(|times| median(times)).collect();
    println!("medians of {runs} runs of `bash -c true`, and processor time of all processes per run");
    let works: Vec<f64> = cases.iter().map(|(_, case)| processor_ms(case, runs)).collect();
    for (((name, _), median), work) in cases.iter().zip(&medians).zip(&works) {
        let more = median - medians.first().unwrap();
        let more_work = work - works.first().unwrap();
        println!("{name:30} {median:7.3} ms {more:+7.3} ms   {work:7.3} ms {more_work:+7.3} ms");
    }
}

/// What a case costs the processor, which says more than a clock does on a busy machine.
fn processor_ms(case: &dyn Fn() -> Duration, runs: usize) -> f64 {
    let before = processor_time_of_children();
    for _ in 0..runs {
        case();
    }
    (processor_time_of_children() - before) * 1000.0 / runs as f64
}

fn processor_time_of_children() -> f64 {
    // SAFETY: plain data, filled by the call.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage), 0);
        usage
    };
    [usage.ru_utime, usage.ru_stime].iter().map(|time| time.tv_sec as f64 + time.tv_usec as f64 / 1e6).sum()
}

fn plain() -> Duration {
    let start = Instant::now();
    let output = std::process::Command::new("bash").args(["--noprofile", "--norc", "-c", "true"]).output().unwrap();
    assert!(output.status.success());
    start.elapsed()
}

fn caged(cages: &Cages, cage: &Cage, workspace: &Path) -> Duration {
    let start = Instant::now();
    let outcome = cages.run_typed(cage, Job::new(JobCommand::Script("true".to_owned()), workspace)).unwrap();
    assert!(outcome.status.success());
    start.elapsed()
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort();
    times.get(times.len() / 2).unwrap().as_secs_f64() * 1000.0
}

/// A workspace of that many files, in folders of a hundred. Not in the temp folder, where cages have more to set up and
/// projects seldom lie.
fn tree(files: usize) -> tempfile::TempDir {
    let top = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for index in 0..files {
        let folder = top.path().join((index / 100).to_string());
        if index % 100 == 0 {
            std::fs::create_dir(&folder).unwrap();
        }
        std::fs::write(folder.join(format!("{index}.txt")), "x").unwrap();
    }
    top
}
