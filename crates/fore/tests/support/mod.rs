//! Runs the real program in a workspace of its own.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]
#![allow(clippy::disallowed_methods, reason = "starts the program under test and prepares its workspace")]

use std::{
    ffi::OsStr,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

pub struct Place {
    folder: tempfile::TempDir,
}

/// What a run printed and how it ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Place {
        // Not in the target folder, which may lie inside a repository, and not in the temp folder, which cages replace.
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        std::fs::create_dir_all(folder.path().join("project")).unwrap();
        std::fs::create_dir_all(folder.path().join("home")).unwrap();
        Place { folder }
    }

    pub fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub fn file(&self, name: &str, text: &str) {
        std::fs::write(self.project().join(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.project().join(name)).ok()
    }

    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.project()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn settings(&self, text: &str) {
        std::fs::write(self.folder.path().join("home/settings.json"), text).unwrap();
    }

    pub fn fore(&self, arguments: &[&str]) -> Ran {
        self.fore_with(arguments, b"")
    }

    pub fn fore_with(&self, arguments: &[&str], input: &[u8]) -> Ran {
        self.fore_where(&[], arguments, input)
    }

    /// With these variables on top.
    pub fn fore_where(&self, variables: &[(&str, &OsStr)], arguments: &[&str], input: &[u8]) -> Ran {
        let mut command = self.command(arguments);
        run(command.envs(variables.iter().copied()), &self.project(), input)
    }

    /// The program with these arguments, in the project, in a UTF-8 locale without colours. Of the variables of whoever runs the
    /// tests it gets no other than the way to programs.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fore"));
        command.args(arguments).current_dir(self.project()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", self.folder("person"));
        command.env("FORETHOUGHT_HOME", self.folder.path().join("home")).env("NO_COLOR", "1").env("LC_ALL", "C.UTF-8");
        command
    }

    /// git in the project, with nobody's settings.
    pub fn git(&self, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(self.project()).env_clear().env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", self.folder("person"));
        let output = command.output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// A folder beside the project.
    pub fn folder(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// A link in the project.
    pub fn link(&self, to: &Path, name: &str) {
        std::os::unix::fs::symlink(to, self.project().join(name)).unwrap();
    }
}

fn run(command: &mut Command, folder: &Path, input: &[u8]) -> Ran {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A program that does not read its input closes the pipe; that is no failure of the test.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&folder.display().to_string(), "PROJECT");
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}
