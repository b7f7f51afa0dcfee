//! The shell judge's corpora, run for real: reads change nothing where they could, writers nothing where they cannot.

use crate::permitted::RunTyped;
use crate::workspaces::{Workspace, is_root, workspace};
use fore_plan::{Cage, Outside};
use fore_sandbox::GitReading;
use fore_sandbox::environment::{self, Environment, EnvironmentPurpose, Variables};
use fore_sandbox::{CageSettings, Cages, Job, JobCommand, RequiredBuild, RunLimits};
use fore_shell::{CommandKind, GitFacts, ShellFacts};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const READS: &str = include_str!("../../../fore-commands/corpus/reads.txt");
const WRITES: &str = include_str!("../../../fore-commands/corpus/writes.txt");
const RUNS: &str = include_str!("../../../fore-commands/corpus/runs.txt");
/// Commands that wait for ever are ended; what they did until then counts.
const PATIENCE: Duration = Duration::from_secs(1);
/// How many share a cage.
const GROUP: usize = 12;

/// Inode, mode, size, and the times of the last change of content and of state.
type Inode = (u64, u32, u64, i64, i64, i64, i64);

/// Everything beneath a folder.
fn tree(folder: &Path) -> BTreeMap<String, Inode> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let found = path.symlink_metadata().unwrap();
            if found.is_dir() {
                folders.push(path.clone());
            }
            let times = (found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec());
            let facts = (found.ino(), found.mode(), found.size(), times.0, times.1, times.2, times.3);
            all.insert(path.display().to_string(), facts);
        }
    }
    all
}

/// A small project with the files that the commands name, so that they find something to change.
fn project() -> Workspace {
    let folder = workspace();
    let at = |name: &str| folder.path().join(name);
    for name in ["src", "docs", "build", "old", "tests", "node_modules", "home"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    for name in [
        "a",
        "b",
        "f",
        "x",
        "file",
        "a.txt",
        "b.txt",
        "in.txt",
        "log",
        "data.json",
        "script.sh",
        "src/main.rs",
        "Makefile",
    ] {
        std::fs::write(at(name), "one\ntwo\n").unwrap();
    }
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(arguments).current_dir(folder.path()).env("HOME", folder.path());
        assert!(command.output().unwrap().status.success(), "{arguments:?}");
    };
    git(&["init", "-q"]);
    git(&["-c", "user.name=x", "-c", "user.email=x@example.org", "add", "."]);
    git(&["-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "one"]);
    folder
}

/// The commands of a corpus; `⏎` stands for a new line.
fn commands(corpus: &str) -> Vec<String> {
    let lines = corpus.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.replace('⏎', "\n")).collect()
}

/// Runs every command in a cage, each worker in a project of its own, and names the ones that changed it. Some at a time:
/// where something changed they are tried one by one, and where one ended the others these go on without it.
fn changing(commands: &[String], cage: Cage) -> Vec<String> {
    let groups: Vec<&[String]> = commands.chunks(GROUP).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let work = || {
            let mut bench = Bench::new(cage.clone());
            let mut found = Vec::new();
            while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut rest: &[String] = group;
                while let Some((first, _)) = rest.split_first() {
                    rest = match bench.run(rest) {
                        Ran::Some(count) => rest.get(count..).unwrap_or_default(),
                        Ran::ChangedSomething | Ran::Not(_) => {
                            match bench.run(std::slice::from_ref(first)) {
                                Ran::Some(_) => {}
                                Ran::ChangedSomething => found.push(format!("changed something: {first}")),
                                Ran::Not(error) => found.push(format!("{error}: {first}")),
                            }
                            rest.get(1..).unwrap_or_default()
                        }
                    };
                }
            }
            found
        };
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

#[derive(Debug, PartialEq, Eq)]
enum Ran {
    /// So many, without a change; the last of them may have ended what ran it.
    Some(usize),
    ChangedSomething,
    Not(String),
}

/// A project, as it was before the next command.
struct Bench {
    cages: Cages,
    cage: Cage,
    folder: Workspace,
    before: BTreeMap<String, Inode>,
}

impl Bench {
    fn new(cage: Cage) -> Bench {
        let setup = Some(env!("CARGO_BIN_EXE_fore-cage-setup").into());
        let cages = Cages::new(
            CageSettings { setup, required_build: RequiredBuild::Full, ..crate::permitted::usual_settings() },
            &fore_commands::CATALOGUE,
        );
        let folder = project();
        let before = tree(folder.path());
        Bench { cages, cage, folder, before }
    }

    fn run(&mut self, commands: &[String]) -> Ran {
        let project = self.folder.path();
        let quoted = |text: &String| format!("'{}'", text.replace('\'', "'\\''"));
        let one = |text: &String| {
            format!("timeout {} bash -c {} </dev/null &>/dev/null; echo .\n", PATIENCE.as_secs(), quoted(text))
        };
        let script: String = commands.iter().map(one).collect();
        let limits = RunLimits { time: PATIENCE * (commands.len() as u32 + 1), ..RunLimits::default() };
        let environment = Environment::Exactly(reading_at_home(project));
        let job = Job { limits, environment, ..Job::new(JobCommand::Script(script), project) };
        let outcome = match self.cages.run_typed(&self.cage, job) {
            Ok(outcome) => outcome,
            Err(error) => return Ran::Not(error.to_string()),
        };
        let after = tree(project);
        if after != self.before {
            self.before = after;
            return Ran::ChangedSomething;
        }
        Ran::Some((outcome.stdout.text().lines().count() + 1).min(commands.len()))
    }
}

/// The environment of a reader whose home is a folder of the project, so that what is written there is seen too.
fn reading_at_home(project: &Path) -> Variables {
    let mut variables = environment::of_this_process(project, &EnvironmentPurpose::Reading(GitReading::default()));
    variables.retain(|(name, _)| name != "HOME");
    variables.push(("HOME".into(), project.join("home").into()));
    variables
}

#[test]
fn what_is_judged_a_read_changes_nothing_where_it_could() {
    if is_root() {
        return;
    }
    let facts = ShellFacts {
        catalogue: &fore_commands::CATALOGUE,
        cwd: Path::new("/project"),
        home: Some(Path::new("/home/ada")),
        plan_file: None,
        vouched: &[],
        repositories: &GitFacts::Quiet,
    };
    let all = commands(READS);
    let reads: Vec<String> =
        all.iter().filter(|text| fore_shell::judge(text, &facts).kind == CommandKind::Reads).cloned().collect();
    assert!(reads.len() * 100 >= all.len() * 98, "{} of {}", reads.len(), all.len());
    let found = changing(&reads, Cage::Workspace { outside: Outside::Closed });
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn writers_and_runners_leave_everything_as_it_was_in_the_read_only_cage() {
    // Root comes here a second time as an ordinary person: what slips out must not meet a machine that it can ruin.
    if is_root() {
        return;
    }
    let all = [commands(WRITES), commands(RUNS)].concat();
    assert!(all.len() > 1000, "only {} commands", all.len());
    let found = changing(&all, Cage::ReadOnly { outside: Outside::Closed });
    assert_eq!(found, Vec::<String>::new());
}
