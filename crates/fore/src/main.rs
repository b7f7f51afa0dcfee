//! `fore`: a coding agent that plans before it acts. This file is the table of contents.

mod args;
mod cage;
mod config;
mod doctor;
mod gate;
mod models;
mod report;
mod screen;
mod settings;
mod tame;
mod trust;

use args::{Args, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A cage is set up by a fresh copy of this program when the small set-up program is not beside it.
    fore_sandbox::become_setup_if_asked();
    report::die_quietly_when_nobody_reads();
    let Args { settings, command } = Args::parse();
    let settings = settings.as_deref();
    let done = match command {
        Command::Gate(args) => gate::run(&args, settings),
        Command::Cage(args) => cage::run(&args, settings),
        Command::Doctor(args) => doctor::run(&args, settings),
        Command::Config(args) => config::run(&args, settings),
        Command::Trust(args) => trust::run(&args),
    };
    report::exit(done)
}
