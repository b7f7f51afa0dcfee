//! What other processes, a full disk and `kill -9` do to the store. Starts itself again as those processes.
#![expect(clippy::disallowed_methods, reason = "tests start processes and look at files by hand")]
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../src/tests/support/mod.rs"]
mod support;
mod tracer;
mod workers;

use fore_store::{
    Session, SessionId,
    audit::{AuditLine, Audited, Ruling},
    session::{list, resume},
};
use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
};
use support::{Ground, human};

const TESTS: &[(&str, fn())] = &[
    ("k6_kill_9_loses_nothing_that_was_acknowledged", k6_kill_9_loses_nothing_that_was_acknowledged),
    ("k6_killed_before_each_change_of_the_disk", k6_killed_before_each_change_of_the_disk),
    ("k6_a_write_that_stops_at_any_byte_tears_nothing", k6_a_write_that_stops_at_any_byte_tears_nothing),
    ("a_full_disk_says_so_and_loses_nothing", a_full_disk_says_so_and_loses_nothing),
    ("a_read_only_home_says_so", a_read_only_home_says_so),
    ("b2_sessions_that_start_at_once_never_share_a_name", b2_sessions_that_start_at_once_never_share_a_name),
    ("b2_a_name_whose_process_died_early_is_free_again", b2_a_name_whose_process_died_early_is_free_again),
    ("a_second_process_is_told_who_has_the_session", a_second_process_is_told_who_has_the_session),
    ("a6_lines_of_four_processes_stay_whole", a6_lines_of_four_processes_stay_whole),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((first, rest)) = arguments.split_first()
        && first == "worker"
    {
        return workers::run(rest);
    }
    if arguments.iter().any(|argument| argument == "--list") {
        TESTS.iter().for_each(|(name, _)| println!("{name}: test"));
        return;
    }
    let is_exact = arguments.iter().any(|argument| argument == "--exact");
    let filters: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |name: &str| {
        let matches =
            |filter: &&String| if is_exact { name == filter.as_str() } else { name.contains(filter.as_str()) };
        filters.is_empty() || filters.iter().any(matches)
    };
    for (name, test) in TESTS.iter().filter(|(name, _)| is_wanted(name)) {
        // A panic ends the program with an error, which is all that cargo needs to know.
        print!("test {name} ... ");
        std::io::stdout().flush().unwrap();
        test();
        println!("ok");
    }
}

/// This program as another process.
fn worker(name: &str, arguments: &[&str]) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .arg("worker")
        .arg(name)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn run_worker(name: &str, arguments: &[&str]) -> String {
    let output = worker(name, arguments).wait_with_output().unwrap();
    assert!(output.status.success(), "worker {name} failed: {}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stdout).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn k6_kill_9_loses_nothing_that_was_acknowledged() {
    for round in 0..40_usize {
        let ground = Ground::new();
        let mut child = worker("steps", &[text(&ground.home_path()), text(&ground.project)]);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let session: SessionId = lines.next().unwrap().unwrap().parse().unwrap();
        // Each round another number of steps; the child is somewhere in the next one when it is hit.
        let wanted = 1 + round * 3 % 41;
        let mut acknowledged: Vec<String> = lines.by_ref().take(wanted).map(|line| line.unwrap()).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        acknowledged.extend(lines.map_while(Result::ok).filter(|line| line.ends_with('.')));

        let (resumed, report) = resume(&ground.places, session).unwrap();
        assert!(!workers::has_lost_entries(&report.report), "{:?}", report.report);
        workers::check_steps(&resumed, &report, &acknowledged);
    }
}

fn k6_killed_before_each_change_of_the_disk() {
    for nth in 1.. {
        let ground = Ground::new();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["worker", "few-steps", text(&ground.home_path()), text(&ground.project)]);
        let traced = tracer::kill_before_change(&mut command, nth);
        if !traced.was_killed {
            assert!(nth > 50, "only {nth} changes were seen");
            return;
        }
        let Some(session) = traced.said.first().and_then(|line| line.parse::<SessionId>().ok()) else {
            // Not even the beginning was acknowledged: then whatever is there can still be listed.
            list(&ground.places.home, None, 10).unwrap();
            continue;
        };
        let (resumed, report) = resume(&ground.places, session).unwrap();
        assert!(!workers::has_lost_entries(&report.report), "before change {nth}: {:?}", report.report);
        workers::check_steps(&resumed, &report, &traced.said);
    }
}

fn k6_a_write_that_stops_at_any_byte_tears_nothing() {
    let whole = Ground::new();
    let session = run_worker("limited", &[text(&whole.home_path()), text(&whole.project), "1000000"]);
    let session = session.lines().next().unwrap().parse().unwrap();
    let length = std::fs::metadata(whole.transcript(session)).unwrap().len();
    // The limit holds for each file by itself; a prime step visits all kinds of places within the lines.
    for limit in (0..length).step_by(97) {
        let ground = Ground::new();
        let output = run_worker("limited", &[text(&ground.home_path()), text(&ground.project), &limit.to_string()]);
        let mut lines = output.lines();
        let Ok(session) = lines.next().unwrap().parse::<SessionId>() else {
            // Not even the beginning fitted: then there is no half session either.
            assert!(output.contains("files may not grow"), "limit {limit}: {output}");
            assert_eq!(list(&ground.places.home, None, 10).unwrap(), []);
            continue;
        };
        let acknowledged: Vec<String> = lines.map(str::to_owned).collect();
        assert!(acknowledged.iter().any(|line| line.contains("files may not grow")), "limit {limit}: {acknowledged:?}");

        let folded = Session::read(&ground.places.home, session).unwrap();
        assert!(folded.report.is_clean(), "limit {limit}: {:?}", folded.report);
        let (resumed, report) = resume(&ground.places, session).unwrap();
        workers::check_steps(&resumed, &report, &acknowledged);
    }
}

fn a_full_disk_says_so_and_loses_nothing() {
    let ground = Ground::new();
    let output = run_worker("full-disk", &[text(ground.path())]);
    assert_eq!(output.lines().last(), Some("all held"), "{output}");
}

fn a_read_only_home_says_so() {
    let ground = Ground::new();
    let output = run_worker("read-only", &[text(ground.path())]);
    assert_eq!(output.lines().last(), Some("all held"), "{output}");
}

fn b2_sessions_that_start_at_once_never_share_a_name() {
    const PROCESSES: usize = 8;
    const ROUNDS: u64 = 50;
    let ground = Ground::new();
    let mut children: Vec<Child> =
        (0..PROCESSES).map(|_| worker("claims", &[text(&ground.home_path()), text(&ground.project)])).collect();
    let mut outputs: Vec<_> =
        children.iter_mut().map(|child| BufReader::new(child.stdout.take().unwrap()).lines()).collect();
    let mut all = BTreeSet::new();
    for round in 0..ROUNDS {
        // All get the same names in the same order, so that all want the same one.
        for child in &mut children {
            writeln!(child.stdin.as_mut().unwrap(), "{round}").unwrap();
        }
        for output in &mut outputs {
            let name = output.next().unwrap().unwrap();
            assert!(all.insert(name.clone()), "round {round}: `{name}` was given twice");
        }
    }
    assert_eq!(all.len(), PROCESSES * ROUNDS as usize);
    for mut child in children {
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
    }
}

fn b2_a_name_whose_process_died_early_is_free_again() {
    let ground = Ground::new();
    // A claim whose session never came to have a transcript, held by a living process at first.
    let mut child = worker("claim-only", &[text(&ground.home_path())]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let slug: fore_plan::plan::Slug = lines.next().unwrap().unwrap().parse().unwrap();
    let mut session = ground.planning();
    session.name_plan([slug.clone()]).expect_err("the name is held by a living process");

    child.kill().unwrap();
    child.wait().unwrap();
    let path = session.name_plan([slug.clone()]).unwrap();
    assert_eq!(path.file_name().unwrap().to_str().unwrap(), format!("{slug}.md"));
}

fn a_second_process_is_told_who_has_the_session() {
    let ground = Ground::new();
    let mut session = ground.planning();
    session.append_message(human("mine")).unwrap();
    let output = run_worker("open", &[text(&ground.home_path()), text(&ground.project), &session.id().to_string()]);
    let pid = std::process::id();
    assert!(output.contains(&format!("(process {pid})")), "{output}");
    assert!(output.contains("read only: 1 message"), "{output}");

    let id = session.id();
    drop(session);
    let output = run_worker("open", &[text(&ground.home_path()), text(&ground.project), &id.to_string()]);
    assert_eq!(output, "opened\nread only: 1 message\n");
}

fn a6_lines_of_four_processes_stay_whole() {
    const PROCESSES: usize = 4;
    const LINES: usize = 500;
    let ground = Ground::new();
    let children: Vec<Child> = (0..PROCESSES)
        .map(|number| worker("audit", &[text(&ground.home_path()), &number.to_string(), &LINES.to_string()]))
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let mut seen = BTreeSet::new();
    for file in std::fs::read_dir(ground.home_path()).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            // A line that was seen half-way, and was taken for one that was cut off, is followed by an empty one.
            for line in std::fs::read_to_string(path).unwrap().lines().filter(|line| !line.is_empty()) {
                let line: AuditLine = serde_json::from_str(line).unwrap();
                let Audited::Gate(Ruling { about, .. }) = line.what else { panic!("no gate line") };
                let subject = about.subject;
                let mark = subject.split(' ').next().unwrap().to_owned();
                assert!(seen.insert(mark), "{subject} is there twice");
            }
        }
    }
    assert_eq!(seen.len(), PROCESSES * LINES);
}
