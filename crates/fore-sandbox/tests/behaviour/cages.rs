//! What a cage lets through, what it bounds, and what it leaves behind.

use crate::permitted::{RunTyped, permit};
use crate::workspaces::{is_root, workspace};
use fore_plan::{
    Cage, Change, Contacts, Level, Openings, Outside, SessionRole, State,
    gate::{
        Action, Ground, Rules, Verdict, judge,
        table::{CageSupport, TableSettings},
    },
    plan::PlanId,
};
use fore_sandbox::environment::Environment;
use fore_sandbox::{
    CageError, CageSettings, Cages, Canceller, Ending, Job, JobCommand, Layer, RequiredBuild, RunOutcome, Status,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

const READ_ONLY: Cage = Cage::ReadOnly { outside: Outside::Closed };
const WORKSPACE: Cage = Cage::Workspace { outside: Outside::Closed };
const THICKNESSES: [RequiredBuild; 2] = [RequiredBuild::Full, RequiredBuild::LandlockOnly];

fn settings(thickness: RequiredBuild) -> CageSettings {
    CageSettings {
        setup: Some(env!("CARGO_BIN_EXE_fore-cage-setup").into()),
        required_build: thickness,
        ..crate::permitted::usual_settings()
    }
}

fn cages() -> Cages {
    Cages::new(settings(RequiredBuild::Full), &fore_commands::CATALOGUE)
}

fn script<'a>(text: &str, workspace: &Path) -> Job<'a> {
    Job::new(JobCommand::Script(text.to_owned()), workspace)
}

/// Runs a script and gives its exit code and both outputs.
fn docker() -> Outside {
    Outside::named(Contacts { hosts: Vec::new(), services: vec!["docker".into()] })
}

fn run(cages: &Cages, cage: Cage, text: &str, workspace: &Path) -> (i32, String) {
    let outcome = cages.run_typed(&cage, script(text, workspace)).unwrap();
    (outcome.status.code(), outcome.stdout.text() + &outcome.stderr.text())
}

/// A time to sleep that no other test program uses at the same moment.
fn long(seconds: &str) -> String {
    format!("{seconds}.{}", std::process::id())
}

/// Whether any process on this machine has `word` in its arguments.
fn is_running(word: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .any(|line| String::from_utf8_lossy(&line).contains(word))
}

#[test]
fn a_reader_sees_the_disk_and_its_exit_code_comes_through() {
    let folder = workspace();
    std::fs::write(folder.path().join("a.txt"), "hello\n").unwrap();
    for thickness in THICKNESSES {
        let cages = Cages::new(settings(thickness), &fore_commands::CATALOGUE);
        assert_eq!(
            run(&cages, READ_ONLY, "cat a.txt | tr a-z A-Z; head -c 4 /etc/passwd >/dev/null && exit 7", folder.path()),
            (7, "HELLO\n".to_owned())
        );
    }
}

/// Runs a script as a model would while the plan is this file. What is judged is what runs: the gate names the file or not.
fn run_planning(cages: &Cages, plan: &Path, text: &str, workspace: &Path) -> Result<RunOutcome, CageError> {
    let (level, openings) = (Level::Default, Openings::TRUSTED);
    let started = Change::Started { level, planning: true, openings, role: SessionRole::Main };
    let id = PlanId { session: "s1".into(), ordinal: 1 };
    let state = State::fold_all([&started, &Change::PlanNamed { plan: id, path: plan.display().to_string() }]);
    let (rules, settings) = (Rules::default(), TableSettings::default());
    let ground = Ground {
        kernel: &CageSupport::FULL,
        vouched: &[vec!["./reader".to_owned()]],
        ..Ground::new(&rules, &settings, workspace, &fore_shell::GitFacts::NoRepository, &fore_commands::CATALOGUE)
    };
    let cwd = workspace.to_string_lossy().into_owned();
    let action = Action::Run { command: text.to_owned(), cwd, rehearse: false };
    match judge(&state, &ground, action).verdict {
        Verdict::Allow(permit) => cages.run(permit.present(&state).unwrap(), &mut script(text, workspace)),
        Verdict::Ask(_) | Verdict::Block(_) => Err(CageError::NotPermitted),
    }
}

/// A program that the person vouches for, and that lies.
fn lying_reader(folder: &Path) {
    let text = "#!/bin/sh\necho new; echo more >> plan.md; echo x > other.md; mv plan.md moved.md; rm plan.md; ln plan.md two.md\n";
    std::fs::write(folder.join("reader"), text).unwrap();
    std::fs::set_permissions(folder.join("reader"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn the_plan_file_is_writable_for_its_judged_redirection_and_its_neighbours_are_not() {
    let folder = workspace();
    let plan = folder.path().join("plan.md");
    lying_reader(folder.path());
    for thickness in THICKNESSES {
        std::fs::write(&plan, "old\n").unwrap();
        let cages = Cages::new(settings(thickness), &fore_commands::CATALOGUE);
        run_planning(&cages, &plan, "./reader > plan.md 2>/dev/null", folder.path()).unwrap();
        let text = std::fs::read_to_string(&plan).unwrap();
        assert_eq!((text.as_str(), names(folder.path())), ("new\nmore\n", vec!["plan.md".into(), "reader".into()]));
    }
}

#[test]
fn a_command_that_was_not_judged_to_write_the_plan_cannot() {
    let folder = workspace();
    let plan = folder.path().join("plan.md");
    lying_reader(folder.path());
    std::fs::write(&plan, "old\n").unwrap();
    // A lie, a rehearsal, and a rehearsal that names the plan: unknown programs beside a redirection are no proof.
    for text in ["./reader", "sh reader", "sh reader; echo forged > plan.md", "./reader; cat plan.md > /dev/null"] {
        for thickness in THICKNESSES {
            let cages = Cages::new(settings(thickness), &fore_commands::CATALOGUE);
            let _ = run_planning(&cages, &plan, text, folder.path());
            let left = std::fs::read_to_string(&plan).unwrap();
            assert_eq!(
                (left.as_str(), names(folder.path())),
                ("old\n", vec!["plan.md".into(), "reader".into()]),
                "{text}"
            );
        }
    }
}

#[test]
fn a_plan_file_that_is_missing_a_link_or_has_two_names_is_refused_before_anything_runs() {
    let folder = workspace();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("real"), "x").unwrap();
    std::os::unix::fs::symlink("real", at("link")).unwrap();
    std::fs::write(at("two"), "x").unwrap();
    std::fs::hard_link(at("two"), at("names")).unwrap();
    for name in ["missing", "link", "names"] {
        let result = run_planning(&cages(), &at(name), &format!("echo ran > {name}"), folder.path());
        assert!(matches!(&result, Err(CageError::Unusable { path, .. }) if *path == at(name)), "{name}: {result:?}");
    }
    assert_eq!(["real", "two"].map(|name| std::fs::read_to_string(at(name)).unwrap()), ["x", "x"]);
}

#[test]
fn the_temp_folder_is_writable_and_forgotten() {
    let folder = workspace();
    for thickness in THICKNESSES {
        let cages = Cages::new(settings(thickness), &fore_commands::CATALOGUE);
        let text = "echo hi > $TMPDIR/fore-test-note && cat $TMPDIR/fore-test-note";
        assert_eq!(run(&cages, READ_ONLY, text, folder.path()), (0, "hi\n".to_owned()));
        assert_eq!(
            run(&cages, READ_ONLY, "cat $TMPDIR/fore-test-note 2>/dev/null; test $? = 1 && echo gone", folder.path()),
            (0, "gone\n".to_owned())
        );
    }
    assert!(!Path::new("/tmp/fore-test-note").exists());
}

#[test]
fn a_temp_folder_of_thin_walls_goes_away_whatever_was_built_in_it() {
    let folder = workspace();
    let text =
        "echo $TMPDIR; cd $TMPDIR; mkdir -m 000 closed; for i in {1..200}; do mkdir d; cd d; done 2>/dev/null; true";
    let (code, place) = run(
        &Cages::new(settings(RequiredBuild::LandlockOnly), &fore_commands::CATALOGUE),
        READ_ONLY,
        text,
        folder.path(),
    );
    assert_eq!((code, Path::new(place.trim()).symlink_metadata().is_ok()), (0, false), "{place}");
}

#[test]
fn secrets_of_home_and_workspace_cannot_be_read() {
    let (home, folder) = (workspace(), workspace());
    std::fs::create_dir(home.path().join(".ssh")).unwrap();
    std::fs::write(home.path().join(".ssh/id"), "key").unwrap();
    std::fs::write(home.path().join(".netrc"), "key").unwrap();
    std::fs::write(home.path().join(".bashrc"), "fine\n").unwrap();
    std::fs::write(folder.path().join(".env"), "key").unwrap();
    for thickness in THICKNESSES {
        let cages = Cages::new(
            CageSettings { home: Some(home.path().to_owned()), ..settings(thickness) },
            &fore_commands::CATALOGUE,
        );
        let text = format!(
            "cd {}; for f in .ssh/id .netrc {}/.env .bashrc; do cat $f 2>&1 | sed 's/.*: //'; done",
            home.path().display(),
            folder.path().display()
        );
        // Without mounts they cannot be made to look missing.
        let in_home = if thickness == RequiredBuild::LandlockOnly {
            "Permission denied\n"
        } else {
            "No such file or directory\n"
        };
        let denied = in_home.repeat(2) + "Permission denied\nfine\n";
        assert_eq!(run(&cages, READ_ONLY, &text, folder.path()), (0, denied));
    }
}

#[test]
fn settings_of_shells_and_tools_are_shown_only_where_they_hold_no_key() {
    let (home, folder) = (workspace(), workspace());
    let at = |name: &str| home.path().join(name);
    std::fs::create_dir_all(at(".config/git")).unwrap();
    std::fs::write(at(".bashrc"), "export OPENAI_API_KEY=sk-proj-abcdefgh\n").unwrap();
    std::fs::write(at(".zshrc"), "export EDITOR=vim\n").unwrap();
    std::fs::write(at(".gitconfig"), "[user]\n\tname = Ada\n[github]\n\ttoken = 0123456789abcdef\n").unwrap();
    std::fs::write(at(".config/git/config"), "[user]\n\temail = ada@example.com\n").unwrap();
    let list = format!(
        "cd {}; cat .bashrc .zshrc .gitconfig .config/git/config 2>&1 | sed 's/^cat: .*/not shown/'",
        home.path().display()
    );
    for thickness in THICKNESSES {
        let cages = Cages::new(
            CageSettings { home: Some(home.path().to_owned()), ..settings(thickness) },
            &fore_commands::CATALOGUE,
        );
        let (code, text) = run(&cages, READ_ONLY, &list, folder.path());
        let expected = "not shown\nexport EDITOR=vim\nnot shown\n[user]\n\temail = ada@example.com\n";
        assert_eq!((code, text.as_str()), (0, expected), "{thickness:?}");
    }
}

#[test]
fn only_private_places_are_mounted_to_be_written() {
    let folder = workspace();
    // What lies over another mount comes after it. Layers and memory are the run's own.
    let list = r#"awk '{ top[$5] = $6 " " $(NF - 2) } END { for (place in top) print top[place], place }' /proc/self/mountinfo"#;
    for (cage, kept) in [(READ_ONLY, None), (Cage::Rehearsal, None), (WORKSPACE, Some(folder.path()))] {
        let (code, text) = run(&cages(), cage.clone(), list, folder.path());
        let is_real =
            |line: &&str| line.starts_with("rw") && !line.contains(" overlay /") && !line.contains(" tmpfs /");
        let real: Vec<&str> = text.lines().filter(is_real).collect();
        let places: Vec<&Path> =
            real.iter().filter_map(|line| line.split_once(" /")).map(|(_, path)| Path::new(path)).collect();
        let kept: Vec<&Path> = kept.iter().filter_map(|path| path.strip_prefix("/").ok()).collect();
        assert_eq!((code, text.is_empty(), places), (0, false, kept), "{cage:?}: {text}");
    }
}

#[test]
fn the_devices_of_the_machine_keep_their_modes_and_times() {
    let folder = workspace();
    let facts = || ["null", "zero", "full", "random", "urandom"].map(|name| facts(&Path::new("/dev").join(name)));
    let before = facts();
    // The last two go through the descriptor of standard input.
    let ways =
        "for name in null zero full random urandom; do chmod 640 /dev/$name; touch -d 2001-01-01 /dev/$name; done
        chmod 640 /dev/stdin; touch -d 2001-01-01 /dev/stdin; echo works > /dev/null; head -c 3 /dev/zero | wc -c";
    for thickness in THICKNESSES {
        for cage in [READ_ONLY, Cage::Rehearsal, WORKSPACE] {
            let job = script(ways, folder.path());
            let Ok(outcome) = Cages::new(settings(thickness), &fore_commands::CATALOGUE).run_typed(&cage, job) else {
                continue;
            };
            assert_eq!(outcome.stdout.text(), "3\n", "{cage:?} {}", outcome.stderr.text());
            assert_eq!(facts(), before, "{cage:?}");
        }
    }
}

fn facts(device: &Path) -> (u32, i64) {
    use std::os::unix::fs::MetadataExt;
    let facts = device.metadata().unwrap();
    (facts.mode(), facts.ctime())
}

#[test]
fn a_cage_leaves_file_watchers_for_others() {
    let folder = workspace();
    let list = "cat /proc/sys/user/max_inotify_instances";
    for cage in [READ_ONLY, Cage::Rehearsal, WORKSPACE] {
        assert_eq!(run(&cages(), cage, list, folder.path()), (0, "32\n".to_owned()));
    }
}

#[test]
fn a_daemonised_grandchild_is_dead_afterwards() {
    let folder = workspace();
    for (thickness, word) in [(RequiredBuild::Full, "31415"), (RequiredBuild::LandlockOnly, "27182")] {
        let cages = Cages::new(settings(thickness), &fore_commands::CATALOGUE);
        let word = long(word);
        let text = format!(
            "(setsid sh -c 'exec >/dev/null 2>&1 </dev/null; sleep {word}' &) ; while ! pgrep -f '^sleep {word}' >/dev/null; do :; done; echo started"
        );
        assert_eq!(run(&cages, READ_ONLY, &text, folder.path()), (0, "started\n".to_owned()));
        assert!(!is_running(&format!("sleep\0{word}")), "{thickness:?}");
    }
}

#[test]
fn time_is_bounded_and_takes_children_along() {
    let folder = workspace();
    for (cage, word) in [(READ_ONLY, "1111"), (Cage::Rehearsal, "1112"), (WORKSPACE, "1113"), (Cage::Free, "1114")] {
        let word = long(word);
        let job = script(&format!("sleep {word} & sleep {word}"), folder.path());
        let mut job =
            Job { limits: fore_sandbox::RunLimits { time: Duration::from_millis(200), ..Default::default() }, ..job };
        job.diff = true;
        let outcome = cages().run_typed(&cage, job).unwrap();
        assert_eq!((outcome.ending, outcome.status), (Ending::Time, Status::Signalled(libc::SIGKILL)), "{cage:?}");
        assert!(!is_running(&format!("sleep\0{word}")), "{cage:?}");
    }
}

#[test]
fn cancelling_ends_everything_at_once() {
    let folder = workspace();
    for (cage, thickness, word) in [
        (READ_ONLY, RequiredBuild::Full, "2222"),
        (Cage::Rehearsal, RequiredBuild::Full, "2223"),
        (READ_ONLY, RequiredBuild::LandlockOnly, "2224"),
        (Cage::Free, RequiredBuild::Full, "2225"),
    ] {
        let word = long(word);
        let cancel = Canceller::default();
        let from_outside = cancel.clone();
        // Cancelled by its own first output, so it is certainly in the middle of its work.
        let mut on_output = |_, _: &[u8]| from_outside.cancel();
        let mut job = Job { cancel, ..script(&format!("sleep {word} & echo up; sleep {word}"), folder.path()) };
        job.on_output = Some(&mut on_output);
        let outcome = Cages::new(settings(thickness), &fore_commands::CATALOGUE).run_typed(&cage, job).unwrap();
        assert_eq!((outcome.ending, outcome.stdout.text()), (Ending::Cancelled, "up\n".to_owned()), "{cage:?}");
        assert!(!is_running(&format!("sleep\0{word}")), "{cage:?}");
    }
}

#[test]
fn a_fork_bomb_is_bounded() {
    let folder = workspace();
    // Who meets the kernel's own limit waits for the clock; root, who has no such limit, must meet the guard before it.
    let time = Duration::from_secs(if is_root() { 60 } else { 1 });
    let limits = fore_sandbox::RunLimits { processes: 60, time, ..Default::default() };
    // One more after the other: one that doubles itself takes every number of a process that the machine has, before a busy guard
    // is awake, and other tests need some.
    for thickness in THICKNESSES {
        let job = Job { limits, ..script("while :; do sleep 100 & done; while :; do :; done", folder.path()) };
        let outcome = Cages::new(settings(thickness), &fore_commands::CATALOGUE).run_typed(&READ_ONLY, job).unwrap();
        assert!(
            matches!(
                (is_root(), outcome.ending),
                (true, Ending::Processes) | (false, Ending::Processes | Ending::Time)
            ),
            "{thickness:?}: {:?}",
            outcome.ending
        );
    }
}

#[test]
fn memory_is_bounded_over_all_processes() {
    let folder = workspace();
    let limits = fore_sandbox::RunLimits { memory_bytes: 100 << 20, ..Default::default() };
    // Each shell stays below the limit, all together do not.
    let text = "for i in 1 2 3 4; do (x=$(head -c 40000000 /dev/zero | tr '\\0' x); while :; do :; done) & done; wait";
    for thickness in THICKNESSES {
        let job = Job { limits, ..script(text, folder.path()) };
        let outcome = Cages::new(settings(thickness), &fore_commands::CATALOGUE).run_typed(&READ_ONLY, job).unwrap();
        assert_eq!(outcome.ending, Ending::Memory, "{thickness:?}");
    }
}

#[test]
fn a_gigabyte_of_output_is_counted_and_not_kept() {
    let folder = workspace();
    let outcome = cages().run_typed(&READ_ONLY, script("head -c 1073741824 /dev/zero", folder.path())).unwrap();
    let limit = fore_sandbox::RunLimits::default().output_bytes;
    assert_eq!(
        (outcome.stdout.total_bytes(), outcome.stdout.bytes().len(), outcome.stdout.truncated()),
        (1 << 30, limit, true)
    );
}

#[test]
fn standard_input_is_what_was_given_or_nothing() {
    let folder = workspace();
    let given = vec![b'x'; 300_000];
    for thickness in THICKNESSES {
        let cages = Cages::new(settings(thickness), &fore_commands::CATALOGUE);
        let outcome = cages
            .run_typed(
                &READ_ONLY,
                Job { stdin: given.clone(), ..script("wc -c; echo more > /dev/stdin", folder.path()) },
            )
            .unwrap();
        assert_eq!(outcome.stdout.text(), "300000\n");
        assert_eq!(run(&cages, READ_ONLY, "wc -c", folder.path()), (0, "0\n".to_owned()));
    }
}

#[test]
fn broken_pipes_end_a_pipeline_as_in_any_shell() {
    let folder = workspace();
    assert_eq!(
        run(&cages(), READ_ONLY, "yes | head -1; echo ${PIPESTATUS[0]}", folder.path()),
        (0, "y\n141\n".to_owned())
    );
}

#[test]
fn a_program_that_is_not_there_is_an_error_with_its_name() {
    let folder = workspace();
    let job = Job::new(JobCommand::Program(vec!["no-such-program-here".into()]), folder.path());
    let error = cages().run_typed(&READ_ONLY, job).unwrap_err().to_string();
    assert_eq!(error, "no-such-program-here could not be started: No such file or directory (os error 2)");
}

#[test]
fn a_missing_set_up_program_means_that_nothing_runs() {
    let folder = workspace();
    let cages = Cages::new(
        CageSettings { setup: Some("/nonexistent/setup".into()), ..settings(RequiredBuild::Full) },
        &fore_commands::CATALOGUE,
    );
    assert!(matches!(cages.run_typed(&READ_ONLY, script("true", folder.path())), Err(CageError::Setup { .. })));
    let cages = Cages::new(CageSettings { setup: None, ..settings(RequiredBuild::Full) }, &fore_commands::CATALOGUE);
    assert!(matches!(cages.run_typed(&READ_ONLY, script("true", folder.path())), Err(CageError::SetupMissing)));
}

#[test]
fn only_the_given_environment_reaches_the_command() {
    let folder = workspace();
    let variables = vec![("PATH".into(), "/usr/bin:/bin".into()), ("ONLY".into(), "this".into())];
    let job = Job {
        environment: Environment::Exactly(variables),
        ..Job::new(JobCommand::Program(vec!["env".into()]), folder.path())
    };
    assert_eq!(
        cages().run_typed(&READ_ONLY, job).unwrap().stdout.text(),
        "PATH=/usr/bin:/bin\nONLY=this\nTMPDIR=/tmp\n"
    );
}

#[test]
fn the_workspace_cage_writes_the_project_and_extra_paths_but_not_git_hooks_or_the_rest() {
    let (folder, extra, other) = (workspace(), workspace(), workspace());
    std::fs::create_dir_all(folder.path().join(".git/hooks")).unwrap();
    std::fs::write(folder.path().join(".git/config"), "[core]\n").unwrap();
    // What Landlock alone cannot hold is not left to it.
    for thickness in THICKNESSES {
        let text = format!(
            "cd '{}' && touch made .git/index '{}/made'; touch .git/hooks/pre-commit; echo x >> .git/config; touch '{}/made'",
            folder.path().display(),
            extra.path().display(),
            other.path().display()
        );
        let job = Job { extra_writable: vec![extra.path().to_owned()], ..script(&text, folder.path()) };
        Cages::new(settings(thickness), &fore_commands::CATALOGUE).run_typed(&WORKSPACE, job).unwrap();
        let made = ["made", ".git/index", ".git/hooks/pre-commit"].map(|name| folder.path().join(name).exists());
        let config = std::fs::read_to_string(folder.path().join(".git/config")).unwrap();
        assert_eq!(
            (made, config.as_str(), extra.path().join("made").exists(), other.path().join("made").exists()),
            ([true, true, false], "[core]\n", true, false)
        );
    }
}

#[test]
fn a_set_up_program_of_another_version_is_named_with_what_to_do() {
    use std::os::unix::fs::PermissionsExt;
    let folder = workspace();
    let stale = folder.path().join("fore-cage-setup");
    // As a program of another version does: it is not meant by the name it is started under.
    std::fs::write(&stale, "#!/bin/sh\necho started by fore itself >&2; exit 2\n").unwrap();
    std::fs::set_permissions(&stale, std::fs::Permissions::from_mode(0o755)).unwrap();
    let settings = CageSettings { setup: Some(stale), ..settings(RequiredBuild::Best) };
    for cage in [READ_ONLY, WORKSPACE, Cage::Rehearsal, Cage::Free] {
        let error = Cages::new(settings.clone(), &fore_commands::CATALOGUE)
            .run_typed(&cage, script("touch ran", folder.path()))
            .unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, CageError::Setup { .. }), "{text}");
        assert!(text.contains("it belongs to another version of this program") && text.contains("Install"), "{text}");
    }
    assert!(!folder.path().join("ran").exists());
}

#[test]
fn the_disk_as_workspace_and_relative_paths_are_refused() {
    let folder = workspace();
    for (cage, job) in [
        (WORKSPACE, script("true", Path::new("/"))),
        (Cage::Rehearsal, script("true", Path::new("/"))),
        (Cage::Rehearsal, script("true", Path::new("/proc/self"))),
        (READ_ONLY, Job { cwd: PathBuf::from("relative"), ..script("true", folder.path()) }),
        (READ_ONLY, Job { cwd: folder.path().join("missing"), ..script("true", folder.path()) }),
    ] {
        let result = cages().run_typed(&cage, job);
        assert!(matches!(result, Err(CageError::Unusable { .. })), "{result:?}");
    }
}

#[test]
fn thin_walls_say_what_they_leave_open() {
    let folder = workspace();
    let off = |outcome: &RunOutcome| {
        outcome
            .protections
            .iter()
            .filter(|protection| !protection.on)
            .map(|protection| protection.layer)
            .collect::<Vec<_>>()
    };
    let full = cages().run_typed(&READ_ONLY, script("true", folder.path())).unwrap();
    assert_eq!(off(&full), []);
    let thin = Cages::new(settings(RequiredBuild::LandlockOnly), &fore_commands::CATALOGUE)
        .run_typed(&READ_ONLY, script("true", folder.path()))
        .unwrap();
    assert_eq!(off(&thin), [Layer::Namespaces]);
    std::fs::write(folder.path().join(".env"), "secret").unwrap();
    let job = Job { extra_writable: vec![folder.path().to_owned()], ..script("true", folder.path()) };
    let thin = Cages::new(settings(RequiredBuild::LandlockOnly), &fore_commands::CATALOGUE)
        .run_typed(&READ_ONLY, job)
        .unwrap();
    assert_eq!(off(&thin), [Layer::Namespaces, Layer::Secrets]);
}

#[test]
fn a_workspace_that_is_the_temp_folder_is_seen_and_temp_files_leave_no_trace() {
    let (name, seen) = (format!("fore-test-{}", std::process::id()), tempfile::NamedTempFile::new_in("/tmp").unwrap());
    std::fs::write(seen.path(), "seen\n").unwrap();
    let text = format!("cat {}; echo hi > $TMPDIR/{name} && cat $TMPDIR/{name}", seen.path().display());
    // Whoever else uses this machine may put a secret there while the command runs, which ends it.
    let mut runs = (0..1_000).map(|_| cages().run_typed(&READ_ONLY, script(&text, Path::new("/tmp"))).unwrap());
    let outcome = runs.find(|outcome| outcome.ending != Ending::SecretAppeared).unwrap();
    assert_eq!((outcome.status.code(), outcome.stdout.text().as_str()), (0, "seen\nhi\n"), "{outcome:?}");
    assert!(!Path::new("/tmp").join(name).exists());
}

#[test]
fn a_link_in_a_repository_hides_nothing_but_a_file() {
    let folder = workspace();
    for target in ["/usr", "/dev/null", "/", "."] {
        let _ = std::fs::remove_file(folder.path().join(".env"));
        std::os::unix::fs::symlink(target, folder.path().join(".env")).unwrap();
        assert_eq!(run(&cages(), READ_ONLY, "ls -A < /dev/null", folder.path()), (0, ".env\n".to_owned()));
    }
}

#[test]
fn what_was_blocked_is_told() {
    let folder = workspace();
    let outcome = cages().run_typed(&READ_ONLY, script("touch x", folder.path())).unwrap();
    assert_eq!((outcome.status, outcome.blocked), (Status::Exited(1), vec!["a write to the read-only disk"]));
}

#[test]
fn sockets_under_a_throw_away_layer_do_not_lead_outside() {
    let (folder, temp) = (workspace(), tempfile::tempdir().unwrap());
    let path = temp.path().join("socket");
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    listener.set_nonblocking(true).unwrap();
    let text = format!(
        "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) or exit 3; connect(S, pack_sockaddr_un(\"{}\")) and exit 4; exit $!+0'; echo $?",
        path.display()
    );
    // Even where sockets of services are allowed: what is in the temp folder is seen through a layer.
    let outcome = cages().run_typed(&Cage::ReadOnly { outside: docker() }, script(&text, folder.path())).unwrap();
    assert_eq!(outcome.stdout.text(), format!("{}\n", libc::ECONNREFUSED));
}

#[test]
fn a_permit_is_for_its_own_command_folder_and_paths() {
    let folder = workspace();
    let at = folder.path().display().to_string();
    let run = |command: &str, cwd: &str| Action::Run { command: command.into(), cwd: cwd.into(), rehearse: false };
    let other = [run("touch other", &at), run("true", "/"), Action::Read { path: at.clone(), asked: at.clone() }];
    for action in other {
        let result = cages().run(permit(action.clone(), WORKSPACE), &mut script("true", folder.path()));
        assert!(matches!(result, Err(CageError::NotPermitted)), "{action:?}: {result:?}");
    }
    assert!(cages().run(permit(run("true", &at), WORKSPACE), &mut script("true", folder.path())).is_ok());
}

#[test]
fn only_the_person_opens_more_paths() {
    let folder = workspace();
    let (rules, settings) = (Rules::default(), TableSettings::default());
    let ground =
        Ground::new(&rules, &settings, folder.path(), &fore_shell::GitFacts::Unprobed, &fore_commands::CATALOGUE);
    let ground = Ground { kernel: &CageSupport::FULL, ..ground };
    let state = State::fold_all(&[fore_plan::Change::Started {
        level: Level::Default,
        planning: true,
        openings: Openings::TRUSTED,
        role: SessionRole::Main,
    }]);
    let cwd = folder.path().display().to_string();
    let action = Action::Run { command: "ls".into(), cwd, rehearse: false };
    let Verdict::Allow(given) = judge(&state, &ground, action).verdict else { panic!("a read is allowed") };
    let mut job = Job { extra_writable: vec![folder.path().into()], ..script("ls", folder.path()) };
    let result = cages().run(given.present(&state).unwrap(), &mut job);
    assert!(matches!(result, Err(CageError::NotPermitted)), "{result:?}");
}
