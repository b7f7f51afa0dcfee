//! The program as a process: lines in, lines out, signals, and an end that always comes.

use super::ScenarioError;
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    thread::JoinHandle,
    time::Duration,
};

/// The longest time one run may take before it counts as hanging.
const MAX_TIME: Duration = Duration::from_secs(180);
/// The longest output that is kept.
const MAX_BYTES: u64 = 8 << 20;

/// A running program.
#[derive(Debug)]
pub(crate) struct ScenarioProcess {
    child: Child,
    input: Option<ChildStdin>,
    pub(crate) lines: Receiver<String>,
    errors: JoinHandle<String>,
    /// Ends it when its time is over; dropped when it has ended.
    watch: (Sender<()>, JoinHandle<bool>),
}

/// How it ended.
#[derive(Debug)]
pub(crate) struct ProcessEnd {
    /// The exit code, or the signal.
    pub(crate) code: String,
    pub(crate) errors: String,
    pub(crate) hung: bool,
}

impl ScenarioProcess {
    #[expect(clippy::disallowed_methods, reason = "a scenario starts the program under test")]
    pub(crate) fn start(
        program: &Path,
        arguments: &[String],
        folder: &Path,
        environment: &[(String, String)],
    ) -> Result<ScenarioProcess, ScenarioError> {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder).env_clear().envs(environment.iter().cloned()).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
        let (sender, lines) = mpsc::channel();
        let output = child.stdout.take().ok_or("no output")?;
        std::thread::spawn(move || {
            for line in BufReader::new(output.take(MAX_BYTES)).split(b'\n').map_while(Result::ok) {
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
            }
        });
        let errors = child.stderr.take().ok_or("no errors")?;
        let errors = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // What came before a failed read is still worth showing.
            let _ = errors.take(MAX_BYTES).read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let (ended, waits) = mpsc::channel();
        let group = child.id();
        let watch = std::thread::spawn(move || {
            let hangs = waits.recv_timeout(MAX_TIME) == Err(RecvTimeoutError::Timeout);
            if hangs {
                signal(&format!("-{group}"), "KILL");
            }
            hangs
        });
        let input = child.stdin.take();
        Ok(ScenarioProcess { child, input, lines, errors, watch: (ended, watch) })
    }

    /// Writes a line. That nobody reads it any more shows in what follows.
    pub(crate) fn write(&mut self, line: &str) {
        if let Some(input) = &mut self.input {
            let _ = writeln!(input, "{line}").and_then(|()| input.flush());
        }
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    pub(crate) fn signal(&self, name: &str) {
        signal(&self.child.id().to_string(), name);
    }

    pub(crate) fn end(mut self) -> ProcessEnd {
        self.close_input();
        let status = self.child.wait();
        drop(self.watch.0);
        let code = match status {
            Ok(status) => {
                use std::os::unix::process::ExitStatusExt as _;
                match (status.code(), status.signal()) {
                    (Some(code), _) => format!("exit code {code}"),
                    (None, Some(signal)) => format!("ended by signal {signal}"),
                    (None, None) => "ended".to_owned(),
                }
            }
            Err(error) => error.to_string(),
        };
        let hung = self.watch.1.join().unwrap_or_default();
        ProcessEnd { code, errors: self.errors.join().unwrap_or_default(), hung }
    }
}

#[expect(clippy::disallowed_methods, reason = "a scenario sends signals to the program it started")]
pub(crate) fn signal(process: &str, name: &str) {
    // A process that has gone needs no signal.
    let _ = Command::new("kill").args([format!("-{name}"), "--".to_owned(), process.to_owned()]).output();
}
