//! The command line, as data.

use crate::headless::args::{ApplyArgs, PlanArgs, PlansArgs, PrintArgs, RUN_CODES, SessionsArgs};
use clap::{Args as ClapArgs, Parser, Subcommand};
use fore_plan::{HostPattern, Mode};
use std::{ffi::OsString, path::PathBuf};

const GATE_CODES: &str = "\
Exit codes for one command: 0 allow, 10 ask, 11 block, 2 not judged.
For lines: 0 when all were answered.
Settings: ~/.forethought/settings.json (FORETHOUGHT_HOME moves the folder).";

const CAGE_CODES: &str = "\
Exit codes: the command's own; 124 when its time was up, 130 when it was
stopped, 137 when it took too much, 2 when it was not started.";

const DOCTOR_CODES: &str =
    "Exit codes: 0 when everything holds, 1 when something is off, 2 when it could not be tried.";

const EXAMPLES: &str = "\
Examples:
  fore                                      plan and work in this terminal
  fore \"add discounts to the cart\" --mode plan
  fore --continue                           where you left off
  fore plan \"add discounts to the cart\"     make a plan; nothing is changed
  fore apply PLAN --hash HASH               run exactly that plan
  fore -p \"Why is login slow?\"              one question, one answer
  git diff | fore -p \"Review this\"          with something to look at
Without a key for a model, the built-in scout plans from what it finds.";

const CONFIG_CODES: &str = "Exit codes: 0, or 2 when the settings are not understood.";

const TRUST_CODES: &str = "Exit codes: 0, or 2 when it could not be done.";

/// A coding agent that plans before it acts.
///
/// While it plans, nothing on this machine can change. You approve the plan,
/// and what you approved is what runs.
#[derive(Debug, Parser)]
#[command(
    name = "fore", version, about, verbatim_doc_comment,
    override_usage = "fore [PROMPT] [OPTIONS]\n       fore -p PROMPT [OPTIONS]\n       fore COMMAND",
    after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{RUN_CODES}")
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) ask: PrintArgs,
    /// Settings for this run, on top of all others: a file, or JSON in braces.
    #[arg(long, global = true, value_name = "FILE|JSON")]
    pub(crate) settings: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Option<CliCommand>,
}

/// The same error about the same arguments, with what steers a terminal or hides in them written out: clap quotes them as they are.
pub(crate) fn in_plain_words(error: clap::Error) -> clap::Error {
    let given = std::env::args_os().map(|argument| fore_text::line(&argument.to_string_lossy()).into_owned());
    Args::try_parse_from(given).err().unwrap_or(error)
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Make a plan and stop: nothing is changed, nobody is asked.
    ///
    /// Reads the project, writes the plan to a file of its own and prints where
    /// it is and the hash of its text. Read it, then run exactly it:
    ///
    ///   fore plan "add discounts to the cart"
    ///   fore apply PLAN --hash HASH
    ///
    /// When standard output is no terminal, two lines are printed there:
    /// `plan PATH` and `hash HASH`.
    #[command(verbatim_doc_comment, after_help = RUN_CODES, after_long_help = RUN_CODES)]
    Plan(PlanArgs),
    /// Run exactly the plan that you have read.
    ///
    /// You approve the plan by naming the hash of its text; any other text is
    /// refused. Nobody is asked on the way: what would ask is denied and listed.
    ///
    ///   fore apply brave-quiet-fox --hash 3f5a… --level acceptEdits
    #[command(verbatim_doc_comment, after_help = RUN_CODES, after_long_help = RUN_CODES)]
    Apply(ApplyArgs),
    /// List sessions, show one, or remove one.
    #[command(args_conflicts_with_subcommands = true)]
    Sessions(SessionsArgs),
    /// List plans; show, compare, export or remove one.
    #[command(args_conflicts_with_subcommands = true)]
    Plans(PlansArgs),
    /// Say what the gate decides about a command; nothing is run.
    ///
    /// Judges one shell command, given after `--`:
    ///
    ///   fore gate -- 'git log -5 | head'
    ///
    /// or tool calls, one JSON object a line on standard input:
    ///
    ///   {"id": 1, "tool": "Bash", "input": {"command": "git log"}}
    ///
    /// and answers each with one line of JSON, in order: id, verdict (allow, ask
    /// or block), finding, cage, code, reason, way_out, rule, evidence.
    #[command(verbatim_doc_comment, after_help = GATE_CODES, after_long_help = GATE_CODES)]
    Gate(GateArgs),
    /// Run a command in a sandbox that the kernel enforces.
    ///
    /// Says afterwards what was blocked or what would have changed. Without a
    /// choice of sandbox the command runs read-only.
    ///
    ///   fore cage -- make -n
    ///   fore cage --rehearse --diff -- cargo fmt
    #[command(verbatim_doc_comment, after_help = CAGE_CODES, after_long_help = CAGE_CODES)]
    Cage(CageArgs),
    /// Show what this machine's kernel can enforce, tried for real.
    #[command(after_help = DOCTOR_CODES)]
    Doctor(DoctorArgs),
    /// Show every setting that holds and where it comes from.
    ///
    /// Layers, later ones win: ~/.forethought/settings.json, then
    /// .forethought/settings.json and .forethought/settings.local.json of the
    /// project, the environment, --settings. Lists are joined.
    ///
    ///   fore config plan
    #[command(verbatim_doc_comment, after_help = CONFIG_CODES, after_long_help = CONFIG_CODES)]
    Config(ConfigArgs),
    /// Trust a folder: its own settings may then grant what they ask for.
    ///
    /// Without a folder: the project you are in. Everything inside a trusted
    /// folder is trusted. Settings that grant something are trusted as they
    /// are now: when they change, you are asked again.
    #[command(verbatim_doc_comment, after_help = TRUST_CODES, after_long_help = TRUST_CODES)]
    Trust(TrustArgs),
}

#[derive(Debug, ClapArgs)]
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
    /// Let it talk to every public web server, through a proxy that programs find in https_proxy.
    #[arg(long, conflicts_with = "rehearse")]
    pub(crate) net: bool,
    /// Let it talk to this host, through the same proxy; without a port, to the ports of the web. May be given several times.
    #[arg(long, value_name = "HOST[:PORT]", conflicts_with = "rehearse", value_parser = HostPattern::of_text)]
    pub(crate) allow_host: Vec<Vec<HostPattern>>,
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

#[derive(Debug, ClapArgs)]
pub(crate) struct ConfigArgs {
    /// Only this setting, or this group of them.
    #[arg(value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// Print JSON instead of words.
    #[arg(long, conflicts_with_all = ["schema", "paths"])]
    pub(crate) json: bool,
    /// Print the JSON schema of settings files.
    #[arg(long, conflicts_with_all = ["key", "paths"])]
    pub(crate) schema: bool,
    /// Show only where settings are looked for.
    #[arg(long, conflicts_with = "key")]
    pub(crate) paths: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct TrustArgs {
    /// The folder.
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Trust it no longer.
    #[arg(long)]
    pub(crate) remove: bool,
    /// Show what changed since you trusted it, and what it would grant.
    #[arg(long, conflicts_with = "remove")]
    pub(crate) review: bool,
    /// List the folders that are trusted.
    #[arg(long, conflicts_with_all = ["remove", "review", "folder"])]
    pub(crate) list: bool,
}
