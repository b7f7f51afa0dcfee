//! Runs the real program against a scripted model.

use super::support::{Place, Ran};
use fore_testkit::{ModelScript, Server, WireProtocol};
use std::{
    ffi::OsStr,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

pub(crate) const MODEL: &str = "anthropic/scripted";

/// A workspace and a model that says what a script tells it to say.
pub(crate) struct Scene {
    pub(crate) place: Place,
    pub(crate) server: Server,
}

impl Scene {
    pub(crate) fn new(script: ModelScript) -> Scene {
        Scene { place: Place::new(), server: Server::start_blocking(script).unwrap() }
    }

    pub(crate) fn fore(&self, arguments: &[&str]) -> Ran {
        self.fore_with(arguments, b"")
    }

    pub(crate) fn fore_with(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let url = self.server.url(WireProtocol::Anthropic);
        let variables: [(&str, &OsStr); 2] =
            [("ANTHROPIC_BASE_URL", url.as_ref()), ("ANTHROPIC_API_KEY", "key".as_ref())];
        self.place.fore_where(&variables, &[&["--model", MODEL], arguments].concat(), input)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.command(&[&["--model", MODEL], arguments].concat());
        command.env("ANTHROPIC_BASE_URL", self.server.url(WireProtocol::Anthropic)).env("ANTHROPIC_API_KEY", "key");
        command
    }

    /// A run that can be talked to.
    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        let mut command = self.command(arguments);
        let talks = arguments.contains(&"--input-format");
        command.stdin(if talks { Stdio::piped() } else { Stdio::null() });
        Running::of(command)
    }

    /// Everything was asked for and kept the rules of the protocol; the bodies of the requests.
    pub(crate) fn finish(self) -> Vec<String> {
        let requests = self.server.finish().unwrap_or_else(|report| panic!("{report}"));
        requests.iter().map(|request| String::from_utf8_lossy(&request.body).into_owned()).collect()
    }
}

/// A program that runs.
pub(crate) struct Running {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    pub(crate) output: BufReader<ChildStdout>,
}

impl Running {
    /// Its standard input is what the command says.
    pub(crate) fn of(mut command: std::process::Command) -> Running {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Running { child, input, output }
    }

    pub(crate) fn say(&mut self, line: &serde_json::Value) {
        self.say_text(&line.to_string());
    }

    pub(crate) fn say_text(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// The next event of this kind, and how many came before it.
    pub(crate) fn wait_for(&mut self, kind: &str) -> serde_json::Value {
        loop {
            let event = self.next().unwrap_or_else(|| panic!("the run ended before `{kind}`"));
            if event["event"] == kind {
                return event;
            }
        }
    }

    pub(crate) fn next(&mut self) -> Option<serde_json::Value> {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        (!line.is_empty()).then(|| serde_json::from_str(&line).unwrap())
    }

    pub(crate) fn signal(&self, signal: libc::c_int) {
        // SAFETY: a process of ours that has not been waited for.
        assert_eq!(unsafe { libc::kill(self.child.id().try_into().unwrap(), signal) }, 0);
    }

    /// Closes the other end of standard output.
    pub(crate) fn stop_reading(self) -> Child {
        drop(self.output);
        self.child
    }

    /// The rest of the events, the last of them the result, and the exit code.
    pub(crate) fn end(mut self) -> (serde_json::Value, Option<i32>) {
        self.input = None;
        let mut last = serde_json::Value::Null;
        while let Some(event) = self.next() {
            last = event;
        }
        (last, self.child.wait().unwrap().code())
    }
}
