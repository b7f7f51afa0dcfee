//! Where a shell stood when it ended, and that asking for it changes nothing else.

use crate::permitted::RunTyped;
use crate::workspaces::workspace;
use fore_plan::{Cage, Outside};
use fore_sandbox::{CageSettings, Cages, Job, JobCommand, RequiredBuild, RunLimits, RunOutcome};
use std::path::Path;
use std::time::Duration;

const READ_ONLY: Cage = Cage::ReadOnly { outside: Outside::Closed };
const WORKSPACE: Cage = Cage::Workspace { outside: Outside::Closed };

fn cages(thickness: RequiredBuild) -> Cages {
    let setup = Some(env!("CARGO_BIN_EXE_fore-cage-setup").into());
    Cages::new(
        CageSettings { setup, required_build: thickness, ..crate::permitted::usual_settings() },
        &fore_commands::CATALOGUE,
    )
}

fn job<'a>(text: &str, folder: &Path) -> Job<'a> {
    Job { report_folder: true, ..Job::new(JobCommand::Script(text.to_owned()), folder) }
}

/// The folder below the workspace, the exit code and the output.
fn told(outcome: &RunOutcome, folder: &Path) -> (Option<String>, i32, String) {
    let inside = outcome.folder.as_deref().map(|path| path.strip_prefix(folder).unwrap_or(path));
    let output = outcome.stdout.text() + &outcome.stderr.text();
    (inside.map(|path| path.display().to_string()), outcome.status.code(), output)
}

#[test]
fn a_shell_tells_where_it_stood_when_it_ended() {
    let folder = workspace();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("sub/deep")).unwrap();
    std::os::unix::fs::symlink("sub/deep", root.join("link")).unwrap();
    let page = [
        ("true", Some(""), 0),
        ("cd sub", Some("sub"), 0),
        ("cd sub && cd deep; false", Some("sub/deep"), 1),
        ("cd link; exit 7", Some("sub/deep"), 7),
        ("(cd sub)", Some(""), 0),
        ("cd sub & wait", Some(""), 0),
        ("set -eu; cd sub; false; cd deep", Some("sub"), 1),
        ("cd /usr", Some("/usr"), 0),
        // Those that are not asked: where they went stays unknown.
        ("cd sub; exec true", None, 0),
        ("cd sub; trap 'exit 3' EXIT", None, 3),
        ("cd sub; kill -KILL $$", None, 137),
        ("kill() { :; }; builtin() { :; }; cd sub", None, 0),
    ];
    for thickness in [RequiredBuild::Full, RequiredBuild::LandlockOnly] {
        let cages = cages(thickness);
        for cage in [READ_ONLY, WORKSPACE, Cage::Free] {
            for (text, expected, code) in page {
                let outcome = cages.run_typed(&cage, job(text, &root)).unwrap();
                let expected = (expected.map(str::to_owned), code, String::new());
                assert_eq!(told(&outcome, &root), expected, "{cage:?} {thickness:?} {text}");
            }
        }
    }
}

#[test]
fn a_command_that_is_asked_sees_no_trace_of_it() {
    let folder = workspace();
    let text = "ls /proc/self/fd | wc -l; echo ${BASH_ENV-none}; env | grep -c BASH_ENV; echo $LINENO; if";
    for cage in [READ_ONLY, Cage::Free] {
        let cages = cages(RequiredBuild::Full);
        let plain = cages.run_typed(&cage, Job { report_folder: false, ..job(text, folder.path()) }).unwrap();
        let asked = cages.run_typed(&cage, job(text, folder.path())).unwrap();
        let same = |outcome: &RunOutcome| (outcome.status, outcome.stdout.text(), outcome.stderr.text());
        assert_eq!(same(&asked), same(&plain));
    }
}

#[test]
fn a_shell_that_stops_itself_goes_on_and_one_that_ran_out_of_time_tells_nothing() {
    let folder = workspace();
    let cages = cages(RequiredBuild::Full);
    let outcome = cages.run_typed(&READ_ONLY, job("cd /usr; kill -STOP $$; cd /; echo on", folder.path())).unwrap();
    assert_eq!(told(&outcome, folder.path()), (Some("/".to_owned()), 0, "on\n".to_owned()));
    let limits = RunLimits { time: Duration::from_millis(300), ..RunLimits::default() };
    let endless = Job { limits, ..job("cd /usr; kill -STOP $$; while :; do :; done", folder.path()) };
    assert_eq!(cages.run_typed(&READ_ONLY, endless).unwrap().folder, None);
}

#[test]
fn a_program_without_a_shell_and_a_shell_with_its_own_start_up_file_are_not_asked() {
    let folder = workspace();
    let own = folder.path().join("own");
    std::fs::write(&own, "echo started\n").unwrap();
    let cages = cages(RequiredBuild::Full);
    let program = Job { command: JobCommand::Program(vec!["true".into()]), ..job("", folder.path()) };
    assert_eq!(cages.run_typed(&READ_ONLY, program).unwrap().folder, None);
    let started = Job { variables: vec![("BASH_ENV".into(), own.into())], ..job("cd /usr", folder.path()) };
    let outcome = cages.run_typed(&Cage::Free, started).unwrap();
    assert_eq!(told(&outcome, folder.path()), (None, 0, "started\n".to_owned()));
}
