//! `fore-testkit serve script.json`: the scripted model server by hand, until Ctrl+C.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Parser, Subcommand};
use fore_testkit::{Options, Protocol, Script, Server};

/// Scripted models for tests.
#[derive(Debug, Parser)]
#[command(name = "fore-testkit")]
struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Answer as the model of a script says, and print what breaks the protocol's rules.
    Serve {
        /// The script, as JSON.
        script: PathBuf,
        /// The port on loopback; a free one by default.
        #[arg(long, default_value_t = 0)]
        port: u16,
        /// anthropic, responses, chat, gemini or all.
        #[arg(long, default_value = "all")]
        protocol: String,
    },
    /// Read a script and say whether it can be used.
    Check {
        /// The script, as JSON.
        script: PathBuf,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse().action) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // By hand: what `main` prints by itself grows a backtrace when the environment asks for one.
            eprintln!("Error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(action: Action) -> anyhow::Result<()> {
    match action {
        Action::Serve { script, port, protocol } => serve(Script::load(&script)?, port, &protocols(&protocol)?),
        Action::Check { script } => {
            let script = Script::load(&script)?;
            say(&format!("{} turns, {} named conversations", script.turns.len(), script.conversations.len()))
        }
    }
}

fn protocols(name: &str) -> anyhow::Result<Vec<Protocol>> {
    if name == "all" {
        return Ok(Protocol::ALL.to_vec());
    }
    let Some(protocol) = Protocol::from_name(name) else {
        bail!("no protocol is called {name}; there are anthropic, responses, chat, gemini and all");
    };
    Ok(vec![protocol])
}

fn serve(script: Script, port: u16, protocols: &[Protocol]) -> anyhow::Result<()> {
    let key = script.key.clone().unwrap_or_else(|| "any-key".to_owned());
    let observer = Box::new(|violation: &fore_testkit::Violation| {
        // A reader that went away is no reason to stop serving.
        let _ = say(&violation.to_string());
    });
    let options = Options { port, protocols: protocols.to_vec(), observer: Some(observer) };
    let server = Server::start_with(script, options)?;
    for protocol in protocols {
        say(&format!("# {protocol}"))?;
        for (name, value) in protocol.variables(&server.origin(), &key) {
            say(&format!("export {name}={value}"))?;
        }
    }
    say("# serving until Ctrl+C")?;
    loop {
        std::thread::park();
    }
}

fn say(line: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).context("cannot write to standard output")
}
