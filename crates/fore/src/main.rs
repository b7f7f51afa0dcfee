//! `fore`: a coding agent that plans before it acts. This file is the table of contents.

mod age;
mod args;
mod cage;
mod config;
mod doctor;
mod gate;
mod headless;
mod models;
mod pick;
mod plans;
mod regular_file;
mod report;
mod room;
mod screen;
mod sessions;
mod settings;
mod table;
mod terminal;
mod trust;

use args::{Args, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A cage is set up by a fresh copy of this program when the small set-up program is not beside it.
    fore_sandbox::become_setup_if_asked();
    models::take_keys();
    report::die_quietly_when_nobody_reads();
    match Args::try_parse() {
        Ok(args) => report::exit(run(args)),
        Err(error) => report::usage(&args::in_plain_words(error)),
    }
}

fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (before, settings) = (args.ask, args.settings.as_deref());
    let Some(command) = args.command else {
        room::for_threads()?;
        return match &before.print {
            Some(prompt) => headless::print(&before, prompt.as_deref(), settings),
            None => terminal::run(before, settings),
        };
    };
    before.require_fitting(&command)?;
    if matches!(command, Command::Plan(_) | Command::Apply(_) | Command::Cage(_)) {
        room::for_threads()?;
    }
    match command {
        Command::Plan(args) => headless::plan(args, before.run, settings),
        Command::Apply(args) => headless::apply(args, before.run, settings),
        Command::Sessions(args) => sessions::run(&args),
        Command::Plans(args) => plans::run(&args, settings),
        Command::Gate(args) => gate::run(&args, settings),
        Command::Cage(args) => cage::run(&args, settings),
        Command::Doctor(args) => doctor::run(&args, settings),
        Command::Config(args) => config::run(&args, settings),
        Command::Trust(args) => trust::run(&args),
    }
}
