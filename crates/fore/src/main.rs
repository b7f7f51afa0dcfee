//! `fore`: a coding agent that plans before it acts. This file is the table of contents.

mod acp;
mod args;
mod cage;
mod completions;
mod config;
mod console;
mod covers;
mod doctor;
mod environment;
mod exit_codes;
mod format;
mod gate;
mod headless;
mod hooks;
mod mcp;
mod models;
mod own_command;
mod permissions;
mod pick;
mod plans;
mod regular_file;
mod report;
mod review;
mod sessions;
mod settings;
mod table;
mod team;
mod terminal;
mod threads;
mod trust;
mod undo;
mod usage;

use args::{Args, CliCommand};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A cage is set up by a fresh copy of this program when the small set-up program is not beside it.
    fore_sandbox::become_setup_if_asked();
    models::take_keys();
    completions::answer_if_asked();
    report::die_quietly_when_nobody_reads();
    match Args::try_parse() {
        Ok(args) => report::exit(run(args)),
        Err(error) => {
            let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into()).collect();
            match args::way_out(&error, &words) {
                Some(words) => report::exit(Err(anyhow::Error::msg(words))),
                None => report::usage(&args::in_plain_words(error)),
            }
        }
    }
}

fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (before, settings) = (args.ask, args.settings.as_deref());
    let Some(command) = args.command else {
        threads::require_available()?;
        return match &before.print {
            Some(prompt) => headless::print(&before, prompt.as_deref(), settings),
            None => terminal::run(before, settings),
        };
    };
    before.require_fitting(&command)?;
    if matches!(command, CliCommand::Plan(_) | CliCommand::Apply(_) | CliCommand::Review(_) | CliCommand::Cage(_)) {
        threads::require_available()?;
    }
    match command {
        CliCommand::Plan(args) => headless::plan(args, before.run, settings),
        CliCommand::Apply(args) => headless::apply(args, before.run, settings),
        CliCommand::Review(args) => review::run(args, before, settings),
        CliCommand::Sessions(args) => sessions::run(&args),
        CliCommand::Plans(args) => plans::run(&args, settings),
        CliCommand::Models(args) => models::run(&args, settings),
        CliCommand::Gate(args) => gate::run(&args, settings),
        CliCommand::Cage(args) => cage::run(&args, settings),
        CliCommand::Doctor(args) => doctor::run(&args, settings),
        CliCommand::Config(args) => config::run(&args, settings),
        CliCommand::Permissions(args) => permissions::run(&args, settings),
        CliCommand::Trust(args) => trust::run(&args),
        CliCommand::Undo(args) => undo::run(&args, fore_agent::UndoDirection::Undo, settings),
        CliCommand::Usage(args) => usage::run(&args),
        CliCommand::Redo(args) => undo::run(&args, fore_agent::UndoDirection::Redo, settings),
        CliCommand::Team(args) => team::run(&args),
        CliCommand::Hooks(args) => hooks::run(&args, settings),
        CliCommand::Acp(args) => acp::run(args, before.run, settings),
        CliCommand::Mcp(args) => mcp::run(args, settings),
        CliCommand::Completions(args) => completions::run(&args),
        CliCommand::Man(args) => completions::manual(&args),
    }
}
