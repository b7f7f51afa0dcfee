//! `kill -9` at 200 random moments of planning, approval and work: the session is resumed and finished, and everything is as
//! if nothing had happened. Nothing approved is asked again, nothing done is done again.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it is wrong")]
#![expect(clippy::disallowed_methods, reason = "starts the program under test and ends it")]

mod model;

use fore_testkit::{GitData, Times, Tree};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

/// Where the random moments come from; the same every time.
const SEED: u64 = 0x5eed_0005;
const STORIES: u64 = 20;
const KILLS_EACH: u32 = 10;
/// Stories that are played at the same time.
const TOGETHER: u64 = 4;
/// Events of one run before it is ended at the latest.
const MAX_EVENTS: u64 = 26;
/// The latest moment of a run that is ended by the clock.
const MAX_MICROSECONDS: u64 = 250_000;

#[test]
fn k6_a_story_that_is_killed_at_any_moment_ends_as_if_nothing_had_happened() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || model::serve(listener));
    println!("seed {SEED:#x}");
    let expected = Story::new(0, &url, 0).play();
    assert_eq!(expected.log, "first\nsecond\nthird\n");
    assert_eq!(expected.approvals, 1);
    let (mut kills, mut moments) = (0, [0; 4]);
    for first in (1..=STORIES).step_by(TOGETHER as usize) {
        let stories = (first..first + TOGETHER).map(|number| {
            let url = url.clone();
            std::thread::spawn(move || Story::new(number, &url, KILLS_EACH).play())
        });
        for (number, story) in (first..).zip(stories.collect::<Vec<_>>()) {
            let ended = story.join().unwrap();
            assert_eq!(ended.log, expected.log, "story {number}: every side effect once, in order");
            assert_eq!(expected.tree.changes(&ended.tree), Vec::<String>::new(), "story {number}");
            assert_eq!(ended.approvals, 1, "story {number}: approved once");
            kills += ended.moments.iter().sum::<u32>();
            moments.iter_mut().zip(ended.moments).for_each(|(all, one)| *all += one);
        }
    }
    let [starting, planning, working, done] = moments;
    println!(
        "killed {starting} × while starting, {planning} × while planning, {working} × at work, {done} × afterwards"
    );
    assert!(planning > 0 && working > 0, "{moments:?}");
    assert_eq!(u64::from(kills), STORIES * u64::from(KILLS_EACH));
}

/// How a story ended.
struct Ended {
    tree: Tree,
    log: String,
    /// Approvals that the transcript holds.
    approvals: usize,
    /// How often it was killed: while starting, planning, at work, and when all was done.
    moments: [u32; 4],
}

/// One story with the person in it.
struct Story {
    folder: tempfile::TempDir,
    url: String,
    random: Random,
    kills_left: u32,
    session: Option<String>,
    /// The program has told that the plan is approved: from then on it must not ask.
    is_approved: bool,
    /// Whether the run that plays has told anything, and whether its turn is over.
    has_started: bool,
    is_over: bool,
}

/// When a run ends by force.
#[derive(Clone, Copy, Debug)]
enum Moment {
    Never,
    AfterEvents(u64),
    /// Since the program was started.
    After(Duration),
    /// Since it told its first event.
    AfterStart(Duration),
}

impl Story {
    fn new(number: u64, url: &str, kills: u32) -> Story {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        for name in ["project", "home", "temp"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("project/notes.txt"), "two files and a log\n").unwrap();
        let random = Random(SEED.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        Story {
            folder,
            url: url.to_owned(),
            random,
            kills_left: kills,
            session: None,
            is_approved: false,
            has_started: false,
            is_over: false,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs, kills and resumes until the story is over.
    fn play(mut self) -> Ended {
        let mut moments = [0; 4];
        loop {
            let time = Duration::from_micros(self.random.below(MAX_MICROSECONDS));
            let moment = match (self.kills_left, self.random.below(5)) {
                (0, _) => Moment::Never,
                (_, 0) => Moment::After(time),
                (_, 1 | 2) => Moment::AfterEvents(self.random.below(MAX_EVENTS)),
                (_, _) => Moment::AfterStart(time),
            };
            let was_killed = self.run(moment);
            if !was_killed && self.kills_left == 0 {
                break;
            }
            // A run that came to its end before its moment goes on with another prompt; it is killed then.
            self.kills_left -= u32::from(was_killed);
            let moment = match (self.has_started, self.is_over, self.is_approved) {
                (false, ..) => 0,
                (true, true, _) => 3,
                (true, false, false) => 1,
                (true, false, true) => 2,
            };
            moments[moment] += u32::from(was_killed);
        }
        let transcript = self.transcript();
        let approvals =
            transcript.lines().filter(|line| line.contains("\"approved\"") && line.contains("receipt")).count();
        let log = std::fs::read_to_string(self.path("project/log.txt")).unwrap_or_default();
        let tree = Tree::read(&self.path("project"), Times::Ignored, GitData::Ignored).unwrap();
        Ended { tree, log, approvals, moments }
    }

    fn transcript(&self) -> String {
        let id = self.session.as_ref().unwrap();
        std::fs::read_to_string(self.path("home/sessions").join(format!("{id}.jsonl"))).unwrap()
    }

    /// One run of the program; whether it was killed.
    fn run(&mut self, moment: Moment) -> bool {
        (self.has_started, self.is_over) = (false, false);
        let mut child = self.start();
        let mut input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut killer = match moment {
            Moment::After(time) => Some(kill_later(&child, time)),
            Moment::Never | Moment::AfterEvents(_) | Moment::AfterStart(_) => None,
        };
        let mut say = |line: Value| {
            // A program that was killed hears nothing.
            let _ = writeln!(input, "{line}");
        };
        let (mut seen, mut is_waiting) = (0, false);
        for line in output.lines().map_while(Result::ok) {
            // The last line of a killed program may be half a line.
            let Ok(event) = serde_json::from_str::<Value>(&line) else { break };
            seen += 1;
            if let (Moment::AfterStart(time), None) = (moment, &killer) {
                killer = Some(kill_later(&child, time));
            }
            self.has_started = true;
            self.is_over |= event["event"] == "turn-ended";
            match event["event"].as_str().unwrap_or_default() {
                "started" => {
                    self.session = Some(event["session"].as_str().unwrap().to_owned());
                    say(json!({"command": "show-plan"}));
                }
                // A request that waits begins a turn by itself, before any command is heard.
                "turn-started" => is_waiting = true,
                "plan" if !is_waiting => say(json!({"command": "prompt", "text": "go on"})),
                "asked" => say(json!({"command": "reply", "question": event["question"], "reply": "yes"})),
                "approval-asked" => {
                    assert!(!self.is_approved, "an approval was lost");
                    let id = &event["request"]["agentId"];
                    say(json!({"event": "plan:exit:response", "agentId": id, "selected": "startEditing"}));
                }
                "decided" => self.is_approved |= event["decision"] == "approved",
                "turn-ended" if matches!(moment, Moment::Never) && event["outcome"]["ended"] == "done" => break,
                "turn-ended" if matches!(moment, Moment::Never) => panic!("{event}"),
                _ => {}
            }
            if matches!(moment, Moment::AfterEvents(most) if seen > most) {
                child.kill().unwrap();
            }
            if event["event"] == "turn-ended" {
                // Nothing more happens by itself: wait for the blow.
                child.kill().unwrap();
            }
        }
        drop(input);
        if let Some(killer) = killer {
            killer.join().unwrap();
        }
        let status = child.wait().unwrap();
        status.code().is_none()
    }

    fn start(&self) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fore"));
        command.args([
            "--model",
            "anthropic/scripted",
            "-p",
            "--input-format",
            "stream-json",
            "--output-format",
            "stream-json",
        ]);
        match &self.session {
            Some(id) => command.args(["--resume", id]),
            None => command.args(["--mode", "plan"]),
        };
        command
            .current_dir(self.path("project"))
            .env("FORETHOUGHT_HOME", self.path("home"))
            .env("TMPDIR", self.path("temp"));
        command.env("ANTHROPIC_BASE_URL", &self.url).env("ANTHROPIC_API_KEY", "key").env("NO_COLOR", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    }
}

/// Ends a process after a while, as the kernel would when memory runs out.
fn kill_later(child: &Child, time: Duration) -> std::thread::JoinHandle<()> {
    let pid = i32::try_from(child.id()).unwrap();
    std::thread::spawn(move || {
        std::thread::sleep(time);
        // SAFETY: a process of ours that is waited for only after this thread has ended.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    })
}

/// Numbers that look random and are the same every time (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}
