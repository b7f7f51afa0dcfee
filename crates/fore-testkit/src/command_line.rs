//! `fore-testkit serve script.json`: the scripted model server by hand, until Ctrl+C; and commands on machines with parts missing.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::{
    kernel::LimitedMachine,
    protocol::WireProtocol,
    report::Violation,
    script::ModelScript,
    server::{Server, ServerOptions},
};
use anyhow::{Context as _, bail};
use clap::{Parser, Subcommand};

/// Scripted models for tests.
#[derive(Debug, Parser)]
#[command(name = "fore-testkit")]
struct CliArguments {
    #[command(subcommand)]
    action: CliAction,
}

#[derive(Debug, Subcommand)]
enum CliAction {
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
    /// Run a command on a machine with parts missing.
    Kernel {
        /// What is missing: no-landlock, no-user-namespaces, no-mount, no-seccomp, bare, bad-temp, few-descriptors,
        /// full-temp or read-only-home.
        name: String,
        /// The command and its arguments.
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
    /// Read a script and say whether it can be used.
    Check {
        /// The script, as JSON.
        script: PathBuf,
    },
}

/// Does what the arguments of this process ask for.
pub fn run_command_line() -> ExitCode {
    match run(CliArguments::parse().action) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // By hand: what `main` prints by itself grows a backtrace when the environment asks for one.
            eprintln!("Error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(action: CliAction) -> anyhow::Result<()> {
    match action {
        CliAction::Serve { script, port, protocol } => serve(ModelScript::load(&script)?, port, &protocols(&protocol)?),
        CliAction::Kernel { name, command } => on_kernel(&name, &command),
        CliAction::Check { script } => {
            let script = ModelScript::load(&script)?;
            say(&format!("{} turns, {} named conversations", script.turns.len(), script.conversations.len()))
        }
    }
}

fn protocols(name: &str) -> anyhow::Result<Vec<WireProtocol>> {
    if name == "all" {
        return Ok(WireProtocol::ALL.to_vec());
    }
    let Some(protocol) = WireProtocol::from_name(name) else {
        bail!("no protocol is called {name}; there are anthropic, responses, chat, gemini and all");
    };
    Ok(vec![protocol])
}

fn serve(script: ModelScript, port: u16, protocols: &[WireProtocol]) -> anyhow::Result<()> {
    let key = script.key.clone().unwrap_or_else(|| "any-key".to_owned());
    let observer = Box::new(|violation: &Violation| {
        // A reader that went away is no reason to stop serving.
        let _ = say(&violation.to_string());
    });
    let options = ServerOptions { port, protocols: protocols.to_vec(), observer: Some(observer) };
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

/// Becomes the command.
#[expect(clippy::disallowed_methods, reason = "runs what was asked for on the command line")]
fn on_kernel(name: &str, command: &[String]) -> anyhow::Result<()> {
    let Some(kernel) = LimitedMachine::from_name(name) else {
        let names: Vec<&str> = LimitedMachine::ALL.iter().map(|kernel| kernel.name()).collect();
        bail!("no machine is called {name}; there are {}", names.join(", "));
    };
    let Some((program, arguments)) = command.split_first() else { bail!("no command was given") };
    let mut command = std::process::Command::new(program);
    command.args(arguments);
    kernel.apply(&mut command);
    Err(command.exec()).with_context(|| format!("{program} could not be started on such a machine"))
}

fn say(line: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).context("cannot write to standard output")
}
