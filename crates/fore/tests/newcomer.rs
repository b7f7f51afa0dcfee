//! The README as a newcomer types it: no home variable, no key, no name for git, an empty home. Every command in it is here.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "starts the program under test and prepares a machine for it")]

use fore_testkit::terminal::{Exit, Habits, Terminal, TerminalKey, TerminalProgram, TerminalSize};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const README: &str = include_str!("../../../README.md");
const SIZE: TerminalSize = TerminalSize { columns: 100, rows: 30 };

/// What comes of a line of the README.
enum Outcome {
    /// It ends with this code, and says this.
    Ends(i32, &'static str),
    /// It opens the terminal, where this is shown.
    Opens(&'static str),
    /// It needs a model, a network or a plan of somebody's own; elsewhere it is tested with one.
    NeedsMore,
}

use Outcome::{Ends, NeedsMore, Opens};

/// Each line that begins the program, without what follows `#`.
const LINES: [(&str, Outcome); 24] = [
    ("fore", Opens("Welcome to Forethought")),
    (r#"fore plan "add discounts to the cart""#, Ends(0, "hash ")),
    (r#"fore --model anthropic/claude-sonnet-5-5 plan "add discounts to the cart""#, NeedsMore),
    (r#"fore "add discounts to the cart" --mode plan"#, Opens("plan mode on")),
    ("fore --continue", Opens("add discounts to the cart")),
    ("fore --plain", Opens("default")),
    ("fore apply add-discounts-cart --hash 3f5a… --level acceptEdits", NeedsMore),
    (r#"fore -p "Why is login slow?""#, Ends(0, "`login` is defined at `login.py:1`")),
    (r#"git diff | fore -p "Review this" --mode plan"#, NeedsMore),
    (r#"fore -p "continue" --continue"#, NeedsMore),
    (r#"fore -p "…" --output-format json"#, NeedsMore),
    ("fore gate -- 'git log -5 --format=%h | sort -o top.txt'", Ends(11, "`sort -o` writes a file")),
    (r#"fore gate -- 'find . -name "*.rs" | xargs grep -n TODO'"#, Ends(0, "allowed")),
    ("fore gate -- 'cargo test'", Ends(0, "rehears")),
    ("fore gate -- 'curl -s https://docs.rs/serde'", Ends(10, "docs.rs")),
    ("fore gate --mode default -- 'npm install'", Ends(10, "npm install")),
    (
        r#"echo '{"id": 7, "tool": "Bash", "input": {"command": "git branch -D old"}}' | fore gate"#,
        Ends(0, r#""verdict":"block""#),
    ),
    ("fore cage -- ./suspicious.sh", Ends(3, "Read-only file system")),
    ("fore cage --rehearse --diff -- make generate", Ends(0, "+made")),
    ("fore cage --workspace --net -- npm install", NeedsMore),
    ("fore cage --allow-host docs.rs -- curl https://docs.rs", NeedsMore),
    ("fore sessions", Ends(0, "add discounts to the cart")),
    ("fore plans", Ends(0, "discounts")),
    ("fore doctor", Ends(0, "Landlock")),
];

/// Lines of the table that stand in a sentence of the README and not in a block.
const IN_SENTENCES: [&str; 3] = ["fore sessions", "fore plans", "fore doctor"];

/// A machine on which nobody has set up anything: the person's home is empty, and variables say nothing.
struct Machine {
    folder: tempfile::TempDir,
    home: PathBuf,
}

impl Machine {
    fn new() -> Machine {
        // Not in the temp folder, which cages replace.
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let home = home_of_this_user();
        let machine = Machine { folder, home };
        for name in ["bin", "project"] {
            std::fs::create_dir(machine.folder.path().join(name)).unwrap();
        }
        // What is built may lie in the home that is covered.
        std::fs::copy(env!("CARGO_BIN_EXE_fore"), machine.folder.path().join("bin/fore")).unwrap();
        let files = [
            ("cart.py", "def total(cart):\n    return sum(item.price for item in cart)\n"),
            ("login.py", "def login(user):\n    return user\n"),
            ("Makefile", "generate:\n\techo made > generated.txt\n"),
            ("suspicious.sh", "#!/bin/bash\necho gone > cart.py || exit 3\n"),
        ];
        for (name, text) in files {
            std::fs::write(machine.project().join(name), text).unwrap();
        }
        let mut making = bare("bash");
        making.args(["-ec", "chmod +x suspicious.sh; git init -q ."]).current_dir(machine.project());
        assert!(making.status().unwrap().success());
        machine
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// A shell on this machine that does what its first argument says. Its home is one folder for all lines.
    fn shell(&self) -> Vec<String> {
        let kept = self.folder.path().join("home");
        std::fs::create_dir_all(&kept).unwrap();
        let (bind, variable) = match self.home.is_dir() {
            true => (format!("mount --bind {} {}", kept.display(), self.home.display()), String::new()),
            // Whose home is not there has to say where another one is.
            false => ("true".to_owned(), format!("HOME={}", kept.display())),
        };
        let (project, bin) = (self.project(), self.folder.path().join("bin"));
        let prepared = format!(
            "{bind} && cd {} && exec env -i PATH={}:/usr/local/bin:/usr/bin:/bin {variable} TERM=xterm-256color LC_ALL=C.UTF-8 bash -c \"$0\"",
            project.display(),
            bin.display(),
        );
        ["unshare", "--mount", "--map-root-user", "bash", "-c", &prepared].map(str::to_owned).to_vec()
    }

    fn run(&self, line: &str) -> (Option<i32>, String) {
        let shell = self.shell();
        let output = bare(&shell[0]).args(&shell[1..]).arg(line).stdin(Stdio::null()).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        (output.status.code(), text)
    }

    fn open(&self, line: &str) -> Terminal {
        let shell = self.shell();
        let arguments: Vec<&str> = shell[1..].iter().map(String::as_str).chain([line]).collect();
        let program = TerminalProgram::new(found(&shell[0]), &arguments, &self.project());
        Terminal::start(&program, SIZE, Habits::MODERN)
    }
}

/// A program that knows nothing of whoever runs the tests.
fn bare(program: &str) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

/// Of root: that is who everybody is on the machine.
fn home_of_this_user() -> PathBuf {
    let asked = ["--map-root-user", "sh", "-c", "getent passwd \"$(id -u)\" | cut -d: -f6"];
    let said = bare("unshare").args(asked).output().unwrap();
    PathBuf::from(String::from_utf8(said.stdout).unwrap().trim())
}

fn found(program: &str) -> PathBuf {
    let said = Command::new("sh").args(["-c", &format!("command -v {program}")]).output().unwrap();
    Path::new(String::from_utf8(said.stdout).unwrap().trim()).to_owned()
}

/// The lines of the README's shell blocks that start the program.
fn lines_of_the_readme() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut is_shell = false;
    for line in README.lines() {
        if let Some(language) = line.strip_prefix("```") {
            is_shell = !is_shell && matches!(language, "sh" | "");
            continue;
        }
        let line = line.strip_prefix("$ ").unwrap_or(line);
        let command = line.split("  #").next().unwrap().split("   ").next().unwrap().trim_end();
        if is_shell && (command == "fore" || command.starts_with("fore ") || command.contains("| fore ")) {
            found.insert(command.to_owned());
        }
    }
    found
}

#[test]
fn every_command_of_the_readme_is_tried_or_named_here() {
    let known: BTreeSet<String> =
        LINES.iter().map(|(line, _)| *line).filter(|line| !IN_SENTENCES.contains(line)).map(str::to_owned).collect();
    let mut written = lines_of_the_readme();
    written.retain(|line| !line.ends_with("| fore gate") || known.contains(line));
    assert_eq!(written, known);
    for line in IN_SENTENCES {
        assert!(README.contains(&format!("`{line}`")), "{line}");
    }
}

#[test]
fn the_readme_works_as_written_on_a_fresh_machine() {
    let machine = Machine::new();
    for (line, outcome) in LINES {
        match outcome {
            Ends(code, words) => {
                let (ended, text) = machine.run(line);
                assert_eq!(ended, Some(code), "{line}\n{text}");
                assert!(text.contains(words), "{line}\n{text}");
            }
            Opens(words) => {
                let mut terminal = machine.open(line);
                terminal.wait_for(words);
                if words.starts_with("Welcome") {
                    terminal.key(TerminalKey::Esc);
                    terminal.wait_gone(words);
                }
                terminal.signal(libc::SIGTERM);
                assert_ne!(terminal.wait_exit(), Exit::Code(2), "{line}");
            }
            NeedsMore => {}
        }
    }
    let untracked = "?? Makefile\n?? cart.py\n?? login.py\n?? suspicious.sh\n";
    assert_eq!(machine.run("git status --short").1, untracked, "something of the walk stayed");
}
