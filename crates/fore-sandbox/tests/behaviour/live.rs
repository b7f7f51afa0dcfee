//! A job with live pipes: somebody speaks with it while it runs, its cage holds, and nothing is left when nobody does any more.

use crate::permitted::permit;
use crate::secrets::READ_ONLY;
use crate::workspaces::{Workspace, workspace};
use fore_plan::gate::Action;
use fore_plan::{Cage, Outside};
use fore_sandbox::{CageError, CageSettings, Cages, Ending, Job, JobCommand, Layer, LiveRun, RequiredBuild, Status};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

const WORKSPACE: Cage = Cage::Workspace { outside: Outside::Closed };
const PATIENCE: Duration = Duration::from_secs(120);

/// A server for tests: each line that it reads is a command, and what that says is one line of answer.
const SERVER: &str = r#"while IFS= read -r line; do printf '%s\n' "$(eval "$line" 2>&1 | tr '\n' ' ')"; done"#;

fn cages(thickness: RequiredBuild) -> Arc<Cages> {
    let setup = Some(env!("CARGO_BIN_EXE_fore-cage-setup").into());
    let settings = CageSettings { setup, required_build: thickness, ..crate::permitted::usual_settings() };
    Arc::new(Cages::new(settings, &fore_commands::CATALOGUE))
}

fn job<'a>(text: &str, folder: &Workspace) -> Job<'a> {
    let argv = ["bash", "--noprofile", "--norc", "-c", text].map(Into::into).to_vec();
    Job::new(JobCommand::Program(argv), folder.path())
}

fn start(cages: &Arc<Cages>, cage: &Cage, job: Job<'_>) -> Result<Talk, CageError> {
    let cwd = job.cwd.to_string_lossy().into_owned();
    let action = Action::Run { command: job.command.text(), cwd, rehearse: false };
    let mut run = cages.live(permit(action, cage.clone()), job)?;
    let pipes = run.take_pipes().unwrap();
    assert!(run.take_pipes().is_none(), "there is one pair");
    Ok(Talk { run, stdin: Some(File::from(pipes.stdin)), stdout: File::from(pipes.stdout), ahead: VecDeque::new() })
}

/// Both ends, with calls that wait.
struct Talk {
    run: LiveRun,
    stdin: Option<File>,
    stdout: File,
    /// What was read and not yet asked for.
    ahead: VecDeque<u8>,
}

fn ready(fd: i32, events: i16) {
    let mut poll = libc::pollfd { fd, events, revents: 0 };
    // SAFETY: one valid pollfd.
    assert_eq!(unsafe { libc::poll(&raw mut poll, 1, 120_000) }, 1, "nothing came in time");
}

impl Talk {
    fn write(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let stdin = self.stdin.as_mut().unwrap();
            ready(stdin.as_raw_fd(), libc::POLLOUT);
            match stdin.write(bytes) {
                Ok(count) => bytes = &bytes[count..],
                Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock),
            }
        }
    }

    /// One byte more; none at the end.
    fn byte(&mut self) -> Option<u8> {
        let mut bytes = [0; 4096];
        loop {
            if let Some(byte) = self.ahead.pop_front() {
                return Some(byte);
            }
            ready(self.stdout.as_raw_fd(), libc::POLLIN);
            match self.stdout.read(&mut bytes) {
                Ok(0) => return None,
                Ok(count) => self.ahead.extend(&bytes[..count]),
                Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock),
            }
        }
    }

    fn line(&mut self) -> String {
        let bytes: Vec<u8> = std::iter::from_fn(|| self.byte()).take_while(|byte| *byte != b'\n').collect();
        String::from_utf8(bytes).unwrap().trim().to_owned()
    }

    fn ask(&mut self, command: &str) -> String {
        self.write(format!("{command}\n").as_bytes());
        self.line()
    }
}

/// A process by its number on the machine, which a cage does not know; found by what only it has in its arguments.
fn named(mark: &str) -> Vec<OwnedFd> {
    let numbers = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_it = |pid: &u32| {
        let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&arguments).starts_with(&format!("sleep\0{mark}"))
    };
    numbers.filter(is_it).filter_map(watch).collect()
}

fn watch(pid: u32) -> Option<OwnedFd> {
    // SAFETY: no pointers.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    // SAFETY: the descriptor is new and ours.
    (fd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

#[test]
fn a_server_answers_again_and_again_and_ends_when_its_input_does() {
    for cage in [READ_ONLY, WORKSPACE] {
        let folder = workspace();
        let cages = cages(RequiredBuild::Full);
        let mut talk = start(&cages, &cage, job(SERVER, &folder)).unwrap();
        assert_eq!(talk.ask("echo one"), "one");
        assert_eq!(talk.ask("echo two; echo three"), "two three");
        assert!(talk.run.ended().is_none());
        talk.stdin = None;
        assert_eq!(talk.byte(), None);
        let ended = talk.run.wait(PATIENCE).unwrap().as_ref().unwrap();
        assert_eq!((ended.status, ended.ending), (Status::Exited(0), Ending::Itself));
    }
}

#[test]
fn in_the_read_only_sandbox_a_write_fails_and_in_the_workspace_it_does_not() {
    let folder = workspace();
    let cages = cages(RequiredBuild::Full);
    let write = "echo x > made";
    let mut reads = start(&cages, &READ_ONLY, job(SERVER, &folder)).unwrap();
    let said = reads.ask(write);
    assert!(said.contains("Read-only file system"), "{said}");
    assert!(!folder.path().join("made").exists());
    let mut works = start(&cages, &WORKSPACE, job(SERVER, &folder)).unwrap();
    assert_eq!(works.ask(write), "");
    assert_eq!(std::fs::read_to_string(folder.path().join("made")).unwrap(), "x\n");
    // What gives orders stays as it is, while the other goes on.
    let said = works.ask("mkdir .vscode && echo x > .vscode/tasks.json; echo done");
    assert!(said.contains("done"), "{said}");
    works.run.stop();
    let ended = works.run.wait(PATIENCE).unwrap().as_ref().unwrap();
    assert_eq!(ended.put_aside.len() + ended.removed.len(), 1, "{ended:?}");
    assert!(!folder.path().join(".vscode").exists());
    assert_eq!(reads.ask("echo still here"), "still here");
}

#[test]
fn secrets_are_hidden_and_one_that_comes_later_ends_it() {
    let folder = workspace();
    std::fs::write(folder.path().join(".env"), "KEY=hidden").unwrap();
    let mut talk = start(&cages(RequiredBuild::Full), &READ_ONLY, job(SERVER, &folder)).unwrap();
    let said = talk.ask("cat .env");
    assert!(!said.contains("hidden"), "{said}");
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    std::fs::write(folder.path().join("sub/.env"), "KEY=later").unwrap();
    talk.write(b"cat sub/.env\n");
    let said: Vec<u8> = std::iter::from_fn(|| talk.byte()).collect();
    assert!(!String::from_utf8_lossy(&said).contains("later"));
    let ended = talk.run.wait(PATIENCE).unwrap().as_ref().unwrap();
    assert_eq!(ended.ending, Ending::SecretAppeared);
}

#[test]
fn its_environment_is_clean_but_for_what_it_is_given() {
    let folder = workspace();
    let mut job = job(SERVER, &folder);
    job.variables = [("API_TOKEN", "given"), ("TMPDIR", "/elsewhere"), ("bad name", "x")]
        .map(|(name, value)| (name.into(), value.into()))
        .to_vec();
    let mut talk = start(&cages(RequiredBuild::Full), &READ_ONLY, job).unwrap();
    // What it was given it gets, also a key; what only the sandbox sets it does not.
    assert_eq!(talk.ask("echo $API_TOKEN $TMPDIR"), "given /tmp");
    let names = talk.ask("compgen -e");
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some() && !names.contains("CARGO_MANIFEST_DIR"), "{names}");
}

#[test]
fn when_it_is_dropped_nothing_is_left() {
    for (cage, thickness, number) in [
        (READ_ONLY, RequiredBuild::Full, "9871101"),
        (WORKSPACE, RequiredBuild::Full, "9871102"),
        (READ_ONLY, RequiredBuild::LandlockOnly, "9871103"),
        (Cage::Free, RequiredBuild::Best, "9871104"),
    ] {
        let folder = workspace();
        let cages = cages(thickness);
        let mark = format!("{number}{}", std::process::id());
        let mut talk = start(&cages, &cage, job(SERVER, &folder)).unwrap();
        let begin = format!(
            "sleep {mark} </dev/null >/dev/null 2>&1 & (setsid sleep {mark} </dev/null >/dev/null 2>&1 &); echo begun"
        );
        assert_eq!(talk.ask(&begin), "begun", "{cage:?}");
        let begun = Instant::now();
        let mut sleepers = named(&mark);
        while sleepers.len() < 2 {
            assert!(begun.elapsed() < PATIENCE, "{cage:?}: {} sleepers", sleepers.len());
            sleepers = named(&mark);
        }
        drop(talk);
        sleepers.iter().for_each(|sleeper| ready(sleeper.as_raw_fd(), libc::POLLIN));
        assert!(named(&mark).is_empty(), "{cage:?}");
    }
}

#[test]
fn what_it_says_on_standard_error_is_kept_as_a_tail() {
    let folder = workspace();
    let text = format!("seq 100000 >&2; echo the last line >&2; echo told; {SERVER}");
    let mut talk = start(&cages(RequiredBuild::Full), &READ_ONLY, job(&text, &folder)).unwrap();
    assert_eq!(talk.line(), "told");
    let begun = Instant::now();
    while !talk.run.stderr_tail().ends_with("the last line\n") {
        assert!(begun.elapsed() < PATIENCE, "{}", talk.run.stderr_tail());
    }
    assert!(talk.run.stderr_tail().len() <= 16 << 10);
}

#[test]
fn one_that_writes_more_than_is_read_waits_and_loses_nothing() {
    let folder = workspace();
    let mut talk = start(&cages(RequiredBuild::Full), &READ_ONLY, job("seq 1000000; echo end >&2", &folder)).unwrap();
    // It has far more to say than the pipes and what is kept between them hold.
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut sum = 0u64;
            for _ in 0..1_000_000 {
                sum += talk.line().parse::<u64>().unwrap();
            }
            (sum, talk.byte())
        });
        assert_eq!(reader.join().unwrap(), (500_000_500_000, None));
    });
}

#[test]
fn one_that_nobody_reads_any_more_is_ended() {
    let folder = workspace();
    let mut talk = start(&cages(RequiredBuild::Full), &READ_ONLY, job(SERVER, &folder)).unwrap();
    assert_eq!(talk.ask("echo one"), "one");
    drop(std::mem::replace(&mut talk.stdout, File::open("/dev/null").unwrap()));
    let ended = talk.run.wait(PATIENCE).unwrap().as_ref().unwrap();
    assert_eq!(ended.ending, Ending::Cancelled);
}

#[test]
fn a_program_that_is_not_there_is_a_reason_and_no_run() {
    let folder = workspace();
    let missing = Job::new(JobCommand::Program(vec!["no-such-server".into()]), folder.path());
    let result = start(&cages(RequiredBuild::Full), &READ_ONLY, missing);
    assert!(matches!(result.err(), Some(CageError::NotStarted { program, .. }) if program == "no-such-server"));
}

#[test]
fn a_permit_for_something_else_starts_nothing() {
    let folder = workspace();
    let action = Action::Run { command: "'true'".into(), cwd: "/".into(), rehearse: false };
    let result = cages(RequiredBuild::Full).live(permit(action, READ_ONLY), job(SERVER, &folder));
    assert!(matches!(result.err(), Some(CageError::NotPermitted)));
}

#[test]
fn hosts_are_reached_by_the_proxy_alone_and_not_at_all_without_namespaces() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let host = format!("127.0.0.1:{}", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let _ = client.read(&mut [0; 4096]);
            let _ = client.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\nhello\n");
        }
    });
    let folder = workspace();
    let cage = Cage::ReadOnly { outside: Outside::hosts([host.parse().unwrap()]) };
    let mut talk = start(&cages(RequiredBuild::Full), &cage, job(SERVER, &folder)).unwrap();
    let ask = |url: &str| {
        format!(
            r"exec 3<>/dev/tcp/127.0.0.1/3128; printf 'GET http://{url}/ HTTP/1.1\r\nhost: {url}\r\nconnection: close\r\n\r\n' >&3; cat <&3"
        )
    };
    let said = talk.ask(&ask(&host));
    assert!(said.contains("hello"), "{said}");
    let said = talk.ask(&ask("127.0.0.1:1"));
    assert!(said.contains("403") && !said.contains("hello"), "{said}");
    let port = host.split(':').next_back().unwrap();
    let said = talk.ask(&format!("(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo past || echo no way"));
    assert_eq!(said, "no way");

    let result = start(&cages(RequiredBuild::LandlockOnly), &cage, job(SERVER, &folder));
    assert!(matches!(result.err(), Some(CageError::Layer { layer: Layer::Namespaces | Layer::Loopback, .. })));
    let result = start(&cages(RequiredBuild::LandlockOnly), &READ_ONLY, job(SERVER, &folder));
    assert_eq!(result.unwrap().ask("(echo x > made) 2>/dev/null || echo refused"), "refused");
}
