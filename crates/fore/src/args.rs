//! The command line, as data.

use clap::{Args as ClapArgs, Parser, Subcommand};
use fore_plan::Mode;
use std::{ffi::OsString, path::PathBuf};

/// A coding agent that plans before it acts.
///
/// At this stage: the gate that judges what an agent wants to do, the cages that hold it, and a doctor that says what
/// this machine's kernel can enforce. All three serve other agents too.
#[derive(Debug, Parser)]
#[command(name = "fore", version, about, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Say what the gate would decide about a command or a tool call, without running it.
    Gate(GateArgs),
    /// Run a command in a cage that the kernel holds.
    Cage(CageArgs),
    /// Show what this machine's kernel can enforce, tried for real.
    Doctor(DoctorArgs),
}

/// Judges one shell command, or tool calls as JSON lines from standard input:
///
///   {"id": 1, "tool": "Bash", "input": {"command": "git log"}}
///
/// and answers each with one line, in order:
///
///   {"id": 1, "verdict": "allow", "finding": "reads", "cage": "read-only", "code": null, "reason": "…", "way_out": "…"}
///
/// Exit code for a single command: 0 allow, 10 ask, 11 block.
#[derive(Debug, ClapArgs)]
#[command(verbatim_doc_comment)]
pub(crate) struct GateArgs {
    /// The mode to judge in: plan, default, acceptEdits, auto or bypassPermissions.
    #[arg(long, default_value = "plan")]
    pub(crate) mode: Mode,
    /// The folder the command would run in.
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// The plan file, which may be written while planning.
    #[arg(long, value_name = "FILE")]
    pub(crate) plan_file: Option<PathBuf>,
    /// Print JSON instead of words.
    #[arg(long)]
    pub(crate) json: bool,
    /// Judge the command as a rehearsal: its writes would be dropped.
    #[arg(long)]
    pub(crate) rehearse: bool,
    /// The command, as one word or several.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// Runs a command in a cage, passes its exit code through, and says afterwards what was blocked or what would have changed.
///
/// Without a choice of cage the command runs read-only.
#[derive(Debug, ClapArgs)]
pub(crate) struct CageArgs {
    /// The whole disk is readable, nothing but a private temp folder is writable, no network (the default).
    #[arg(long, group = "kind")]
    pub(crate) read_only: bool,
    /// Every write goes to a layer that is thrown away afterwards.
    #[arg(long, group = "kind")]
    pub(crate) rehearse: bool,
    /// The current folder is writable, the rest is read-only.
    #[arg(long, group = "kind")]
    pub(crate) workspace: bool,
    /// With --rehearse: show what would have changed as a diff.
    #[arg(long, requires = "rehearse", conflicts_with_all = ["read_only", "workspace"])]
    pub(crate) diff: bool,
    /// One more path that may be written; may be given several times.
    #[arg(long, value_name = "PATH", conflicts_with = "rehearse")]
    pub(crate) write: Vec<PathBuf>,
    /// Leave the network open.
    #[arg(long, conflicts_with = "rehearse")]
    pub(crate) net: bool,
    /// Stop the command after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: u64,
    /// Hand standard input to the command; it is read to its end first.
    #[arg(long)]
    pub(crate) stdin: bool,
    /// Say nothing afterwards.
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DoctorArgs {
    /// Print JSON instead of words.
    #[arg(long)]
    pub(crate) json: bool,
}
