//! Where a story is played in a terminal: a home with a project in it, a scripted model, and the real program between them.
#![allow(dead_code, reason = "benchmarks and tests use their own parts")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set itself up has failed")]
#![allow(clippy::disallowed_methods, reason = "lays out the files that a story begins with")]

use fore_testkit::{
    Learn, ModelScript, Server, WireProtocol,
    terminal::{Habits, Terminal, TerminalProgram, TerminalSize},
};
use serde_json::{Value, json};
use std::{
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

pub(crate) const WIDE: TerminalSize = TerminalSize { columns: 120, rows: 40 };
pub(crate) const USUAL: TerminalSize = TerminalSize { columns: 80, rows: 24 };
pub(crate) const NARROW: TerminalSize = TerminalSize { columns: 40, rows: 20 };

pub(crate) const MODEL: &str = "anthropic/scripted-1";
/// A key that opens nothing.
const KEY: &str = "no-real-key";
/// How long processes have to be gone after the program.
const GRACE: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(10);
/// Every commit of a project has this time.
const DATE: &str = "1767225600 +0000";

/// Who sits at the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Person {
    /// Has used the program before: there are settings with a model, and the project is trusted.
    Known,
    /// Starts it for the first time, with a key in the environment.
    New,
}

/// A home with a project in it and a model that says what a script tells it to say.
pub(crate) struct Stage {
    root: tempfile::TempDir,
    pub(crate) server: Server,
    environment: Vec<(String, String)>,
}

impl Stage {
    /// With the files that all stories share.
    pub(crate) fn new(script: ModelScript, person: Person) -> Stage {
        let stage = Stage::empty(script);
        copy(&scenarios().join("workspace"), &stage.project());
        stage.commit();
        stage.settle(person, json!({}));
        stage
    }

    /// The stage of a story that is also told without a terminal.
    pub(crate) fn of(story: &str) -> Stage {
        let folder = scenarios().join(story);
        let script = std::fs::read_to_string(folder.join("model.json")).unwrap();
        let stage = Stage::empty(serde_json::from_str(&script).unwrap());
        copy(&scenarios().join("workspace"), &stage.project());
        copy(&folder.join("workspace"), &stage.project());
        stage.commit();
        let settings = scenario(story).get("settings").cloned().unwrap_or_else(|| json!({}));
        stage.settle(Person::Known, settings);
        stage
    }

    fn empty(mut script: ModelScript) -> Stage {
        // Random, and as long as `/home/ada`, so that rows of the screen break where they would break there.
        let root = tempfile::Builder::new().prefix("").rand_bytes(4).tempdir_in("/tmp").unwrap();
        for name in ["shop", "tmp", "bin"] {
            std::fs::create_dir(root.path().join(name)).unwrap();
        }
        let plan = Learn { contains: "/plans/".to_owned(), ends: ".md".to_owned() };
        script.learn.entry("plan".to_owned()).or_insert(plan);
        let server = Server::start_blocking(script).unwrap();
        let path = |name: &str| root.path().join(name).display().to_string();
        let environment = [
            ("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", path("bin"))),
            ("HOME", root.path().display().to_string()),
            ("FORETHOUGHT_HOME", path(".forethought")),
            ("TMPDIR", path("tmp")),
            ("SHELL", "/bin/sh".to_owned()),
            ("LC_ALL", "C.UTF-8".to_owned()),
            ("TZ", "UTC".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
            ("COLORTERM", "truecolor".to_owned()),
            ("ANTHROPIC_API_KEY", KEY.to_owned()),
            ("ANTHROPIC_BASE_URL", server.url(WireProtocol::Anthropic)),
        ];
        let environment = environment.map(|(name, value)| (name.to_owned(), value)).to_vec();
        Stage { root, server, environment }
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root().join("shop")
    }

    pub(crate) fn fore_home(&self) -> PathBuf {
        self.root().join(".forethought")
    }

    /// Writes a file below the home.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.root().join(name).exists()
    }

    /// Something to read from that nobody ever writes to.
    pub(crate) fn pipe(&self, name: &str) {
        assert!(Command::new("mkfifo").arg(self.root().join(name)).status().unwrap().success(), "{name}");
    }

    /// A shell script that is found under this name.
    pub(crate) fn command(&self, name: &str, text: &str) {
        self.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{text}\n"));
        let path = self.root().join("bin").join(name);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// With this variable, in the place of one that has its name; without one for nothing.
    #[must_use]
    pub(crate) fn variable(mut self, name: &str, value: Option<&str>) -> Stage {
        self.environment.retain(|(other, _)| other != name);
        self.environment.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        self
    }

    /// The program with these arguments, in the project.
    pub(crate) fn fore(&self, arguments: &[&str]) -> TerminalProgram {
        let mut program = TerminalProgram::new(env!("CARGO_BIN_EXE_fore"), arguments, &self.project());
        program.environment.clone_from(&self.environment);
        program
    }

    pub(crate) fn start(&self, arguments: &[&str], size: TerminalSize) -> Terminal {
        Terminal::start(&self.fore(arguments), size, Habits::MODERN)
    }

    /// The names of the sessions on disk, oldest first.
    pub(crate) fn sessions(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.fore_home().join("sessions")).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter_map(|name| name.strip_suffix(".jsonl").map(str::to_owned)).collect();
        names.sort();
        names
    }

    /// All sessions were used last three days ago.
    pub(crate) fn touch_sessions(&self) {
        for session in self.sessions() {
            let path = self.fore_home().join(format!("sessions/{session}.jsonl"));
            assert!(Command::new("touch").args(["-d", "75 hours ago"]).arg(path).status().unwrap().success());
        }
    }

    /// The names of the sessions' own plans, written or not, as the transcripts tell them.
    pub(crate) fn plans(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for session in self.sessions() {
            let text = self.read(&format!(".forethought/sessions/{session}.jsonl"));
            for part in text.split("/plans/").skip(1) {
                let name = part.split_once(".md").map(|(name, _)| name).unwrap_or_default();
                let is_name =
                    !name.is_empty() && name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
                if is_name && !name.contains("-agent-") && !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
        }
        names
    }

    /// Processes that were started here and are still there after a moment, by their command lines.
    pub(crate) fn left_running(&self) -> Vec<String> {
        let end = Instant::now() + GRACE;
        loop {
            let left = self.processes();
            if left.is_empty() || Instant::now() > end {
                return left;
            }
            std::thread::park_timeout(LOOK_AGAIN);
        }
    }

    fn processes(&self) -> Vec<String> {
        let variable = format!("HOME={}\0", self.root().display()).into_bytes();
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        let lines = entries.filter_map(|entry| {
            let environment = std::fs::read(entry.path().join("environ")).ok()?;
            let line = std::fs::read(entry.path().join("cmdline")).ok()?;
            let is_ours = environment.windows(variable.len()).any(|part| part == variable);
            (is_ours && !line.is_empty()).then(|| String::from_utf8_lossy(&line).replace('\0', " "))
        });
        lines.collect()
    }

    /// The story is over: everything was asked for and kept the rules of the protocol.
    pub(crate) fn finish(self) {
        if let Err(report) = self.server.finish() {
            panic!("{report}");
        }
    }

    fn settle(&self, person: Person, settings: Value) {
        if person == Person::New {
            return;
        }
        let provider = json!({ "baseUrl": self.server.url(WireProtocol::Anthropic), "protocol": "anthropic-messages" });
        let mut all = json!({ "model": { "act": MODEL, "providers": { "anthropic": provider } } });
        all.as_object_mut().unwrap().extend(settings.as_object().cloned().unwrap_or_default());
        self.write(".forethought/settings.json", &all.to_string());
        let project = self.project().canonicalize().unwrap();
        self.write(".forethought/trusted.json", &json!({ "folders": [project] }).to_string());
    }

    /// Makes the project a repository with everything in it committed; the ids depend on the content alone.
    fn commit(&self) {
        for arguments in [&["init", "-q", "-b", "main"][..], &["add", "-A"], &["commit", "-q", "-m", "first"]] {
            let mut git = Command::new("git");
            git.args(arguments).current_dir(self.project()).env_clear().envs(self.environment.iter().cloned());
            git.envs([("GIT_AUTHOR_NAME", "Ada"), ("GIT_AUTHOR_EMAIL", "ada@example.invalid")]);
            git.envs([("GIT_COMMITTER_NAME", "Ada"), ("GIT_COMMITTER_EMAIL", "ada@example.invalid")]);
            git.envs([("GIT_AUTHOR_DATE", DATE), ("GIT_COMMITTER_DATE", DATE), ("GIT_CONFIG_NOSYSTEM", "1")]);
            assert!(git.status().unwrap().success(), "git {arguments:?}");
        }
    }
}

fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios")
}

/// `scenario.json` of a story.
pub(crate) fn scenario(story: &str) -> Value {
    let text = std::fs::read_to_string(scenarios().join(story).join("scenario.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).into_iter().flatten().flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            std::fs::copy(&from, &to).unwrap();
        }
    }
}
