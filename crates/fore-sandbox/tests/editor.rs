//! The person's editor in a real terminal: who hears Ctrl+C and Ctrl+Z, and who is in front afterwards.
//!
//! This program is also the one that opens the editor: inside the terminal it runs itself.
#![expect(clippy::disallowed_methods, reason = "prepares the file that is edited")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use fore_sandbox::Editor;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::{
    ffi::OsString,
    io::{Read, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
    path::{Path, PathBuf},
    process::{ExitCode, ExitStatus},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

/// An editor that says what it hears, and puts the line it reads into the file.
const EDITOR: &str =
    r#"bash -c 'trap "echo heard" INT; echo ready; until read -r line; do :; done; echo "$line" > "$0"'"#;
/// How often a job stops and goes on.
const ROUNDS: usize = 300;
/// Nothing here takes a second; a machine may be slow.
const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(word) if word == "open" => open(&PathBuf::from(arguments.next().unwrap())),
        Some(word) if word == "stop" => {
            (0..ROUNDS).for_each(|_| fore_sandbox::stop_as_a_job());
            ExitCode::SUCCESS
        }
        Some(word) if word == "shell" => shell(),
        Some(word) if word == "--list" => ExitCode::SUCCESS,
        _ => {
            ctrl_c_is_for_the_editor_alone();
            ctrl_z_stops_both_and_fg_lets_both_go_on();
            where_no_shell_is_ctrl_z_does_nothing();
            an_editor_that_fails_is_named_and_the_terminal_comes_back();
            who_lets_a_job_go_on_as_soon_as_it_stops_is_never_too_early();
            println!("5 stories of an editor hold");
            ExitCode::SUCCESS
        }
    }
}

/// Opens the editor, and says how that went and who is in front.
fn open(file: &Path) -> ExitCode {
    let editor = Editor::of_the_person(&|name| std::env::var_os(name)).unwrap();
    let done = editor.open(file).map_err(|error| error.to_string());
    // SAFETY: no pointers.
    let in_front = unsafe { libc::tcgetpgrp(libc::STDIN_FILENO) == libc::getpgrp() };
    println!("{done:?}, in front: {in_front}");
    ExitCode::SUCCESS
}

struct Terminal {
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    seen: String,
    file: PathBuf,
    _keep: (tempfile::TempDir, Box<dyn portable_pty::MasterPty + Send>, Box<dyn portable_pty::Child + Send + Sync>),
}

impl Terminal {
    /// A terminal in which a program was started; in its arguments `FILE` is the file to edit.
    fn with(editor: &str, arguments: &[OsString]) -> Terminal {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("plan.md");
        std::fs::write(&file, "old\n").unwrap();
        let pair = native_pty_system().openpty(PtySize { rows: 24, cols: 80, ..PtySize::default() }).unwrap();
        let mut command = CommandBuilder::from_argv(arguments.to_vec());
        command.env("EDITOR", editor);
        command.env_remove("VISUAL");
        command.env("FILE", &file);
        command.env("SELF", std::env::current_exe().unwrap());
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Terminal { keys, output, seen: String::new(), file, _keep: (folder, pair.master, child) }
    }

    /// The program of this test in front, without a shell.
    fn alone(editor: &str) -> Terminal {
        Terminal::with(editor, &["sh", "-c", "exec \"$SELF\" open \"$FILE\""].map(OsString::from))
    }

    /// Waits until the terminal shows this, and forgets everything up to it.
    fn shows(&mut self, words: &str) {
        loop {
            if let Some(found) = self.seen.find(words) {
                self.seen.drain(..found + words.len());
                return;
            }
            match self.output.recv_timeout(PATIENCE) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) => panic!("`{words}` never came; the terminal showed {:?}", self.seen),
            }
        }
    }

    fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.file).unwrap()
    }
}

fn ctrl_c_is_for_the_editor_alone() {
    let mut terminal = Terminal::alone(EDITOR);
    terminal.shows("ready");
    terminal.types("\u{3}");
    terminal.shows("heard");
    terminal.types("new\n");
    terminal.shows("Ok(()), in front: true");
    assert_eq!(terminal.text(), "new\n");
}

fn ctrl_z_stops_both_and_fg_lets_both_go_on() {
    for command in [r#""$SELF" open "$FILE""#, r#"sh -c '"$SELF" open "$FILE"; echo script over'"#] {
        let mut terminal = Terminal::with(EDITOR, &["bash", "--norc", "--noprofile", "-i"].map(OsString::from));
        terminal.types(&format!("{command}\n"));
        terminal.shows("ready");
        terminal.types("\u{1a}");
        terminal.shows("Stopped");
        terminal.types("echo shell=$((40+2))\n");
        terminal.shows("shell=42");
        terminal.types("fg\n");
        terminal.shows("open");
        terminal.types("new\n");
        terminal.shows("Ok(()), in front: true");
        assert_eq!(terminal.text(), "new\n");
    }
}

fn where_no_shell_is_ctrl_z_does_nothing() {
    let mut terminal = Terminal::alone(EDITOR);
    terminal.shows("ready");
    terminal.types("\u{1a}");
    terminal.types("new\n");
    terminal.shows("Ok(()), in front: true");
    assert_eq!(terminal.text(), "new\n");
}

fn an_editor_that_fails_is_named_and_the_terminal_comes_back() {
    let mut terminal = Terminal::alone("bash -c 'stty raw -echo; exit 3'");
    terminal.shows(r#"Err("the editor bash ended with exit code 3"), in front: true"#);
    let mut terminal = Terminal::alone("bash -c 'kill -9 $$'");
    terminal.shows(r#"Err("the editor bash ended by signal 9"), in front: true"#);
    assert_eq!(terminal.text(), "old\n");
}

/// A script and the program in it are one job: the program stops both, and the shell that sees the script stop lets both go on at once,
/// which may be before the program has stopped itself.
fn who_lets_a_job_go_on_as_soon_as_it_stops_is_never_too_early() {
    let mut terminal = Terminal::with(EDITOR, &["sh", "-c", "exec \"$SELF\" shell"].map(OsString::from));
    terminal.shows("the job has ended: exit status: 0");
}

/// A shell for one job: whatever of it stops, the whole job goes on.
#[expect(clippy::zombie_processes, reason = "it is waited for by its number, which tells of stops, too")]
fn shell() -> ExitCode {
    let mut command = std::process::Command::new("sh");
    let job = command.args(["-c", r#""$SELF" stop; exit $?"#]).process_group(0).spawn().unwrap();
    let job = libc::pid_t::try_from(job.id()).unwrap();
    loop {
        let mut status = 0;
        // SAFETY: the status outlives the call.
        assert_eq!(unsafe { libc::waitpid(job, &raw mut status, libc::WUNTRACED) }, job);
        if !libc::WIFSTOPPED(status) {
            println!("the job has ended: {}", ExitStatus::from_raw(status));
            return ExitCode::SUCCESS;
        }
        // SAFETY: no pointers.
        assert_eq!(unsafe { libc::killpg(job, libc::SIGCONT) }, 0);
    }
}
