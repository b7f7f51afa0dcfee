//! The options of runs without a screen, as data.

use crate::{args::CliCommand, completions, settings::Bypass};
use anyhow::bail;
use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use clap_complete::ArgValueCompleter;
use fore_agent::StalePlan;
use fore_plan::{HostPattern, Level, Mode, gate::Drift, plan::Hash};
use std::path::PathBuf;

/// The exit codes of every run, for the help of every command that runs one.
pub(crate) const RUN_CODES: &str = "\
Exit codes:
  0    done (fore plan: there is a plan, awaiting your approval)
  1    something went wrong on the way
  2    there is a mistake in the command line or the settings; nothing ran
  3    the plan is finished and awaits approval; nothing else was run
  4    fore plan ended without a plan
  5    the model could not be asked, or none is set up
  6    fore apply is done, but calls were denied on the way
  7    the model answered nothing, or the same again and again
  8    fore apply is done, but something was changed that the plan does not name
  9    fore apply is done, but a check of the plan failed, is stale or was not run
  10   fore apply did not begin: files that the plan names have changed since it was made
  11   fore apply ended before the steps of the plan were done
  12   your budget is used up; the rest was not begun
  130  interrupted (143: asked to end)";

/// One question without a screen, or options for the command behind them.
#[derive(Debug, ClapArgs)]
pub(crate) struct PrintArgs {
    /// Answer this prompt and exit; without one it is read from standard input.
    ///
    /// On a terminal, hidden and control characters of the answer are shown as
    /// marks like \u{1b}. Into a pipe or a file the answer goes byte for byte.
    #[arg(short, long, verbatim_doc_comment, value_name = "PROMPT", num_args = 0..=1)]
    pub(crate) print: Option<Option<String>>,
    /// The first prompt, in quotes.
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Option<String>,
    /// Print line after line and move nothing, for screen readers; also chosen by TERM=dumb.
    #[arg(long)]
    pub(crate) plain: bool,
    /// The mode to work in: default, acceptEdits, plan, auto or bypassPermissions.
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<Mode>,
    /// What comes in on standard input: a prompt, or one JSON command a line.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) input_format: Option<InputFormat>,
    /// How a plan is put before a host: as an event of ours, or as Sema's hosts know it.
    #[arg(long, value_name = "PROTOCOL")]
    pub(crate) host_protocol: Option<HostProtocol>,
    /// Continue the newest session of this folder.
    #[arg(short = 'c', long = "continue", conflicts_with_all = ["resume", "fork"])]
    pub(crate) go_on: bool,
    /// Resume this session; the start of an id will do. Without one you choose; with -p it is the newest.
    #[arg(short, long, value_name = "ID", num_args = 0..=1, conflicts_with = "fork",
        add = ArgValueCompleter::new(completions::sessions))]
    pub(crate) resume: Option<Option<String>>,
    /// Continue in a copy of this session; the session itself stays as it is.
    #[arg(long, value_name = "ID", add = ArgValueCompleter::new(completions::sessions))]
    pub(crate) fork: Option<String>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// What every run has.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct RunArgs {
    /// The model, as provider/name; `scout` is built in and needs no key.
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// What is printed: the answer, one JSON object at the end, or one JSON event a line.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) output_format: Option<OutputFormat>,
    /// Print progress to stderr, even when it isn't a terminal.
    #[arg(long)]
    pub(crate) verbose: bool,
    /// Maximum tool-call rounds per turn.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) max_rounds: Option<u32>,
    /// Let commands talk to this host without asking; without a port, to the ports of the web. May be given several times.
    #[arg(long, value_name = "HOST[:PORT]", value_parser = HostPattern::of_text)]
    pub(crate) allow_host: Vec<Vec<HostPattern>>,
    /// Let an MCP server of this project start, by the hash of its entry; `fore mcp list` shows both. May be given several times.
    #[arg(long, value_name = "HASH")]
    pub(crate) trust_server: Vec<Hash>,
    /// Trust the hook of this hash for this run, as `fore hooks list` prints it. May be given several times.
    #[arg(long, value_name = "HASH")]
    pub(crate) trust_hooks: Vec<Hash>,
    /// Allow the mode bypassPermissions, in which nothing is asked; the folder must be trusted as well.
    #[arg(long)]
    pub(crate) dangerously_allow_bypass: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    #[default]
    Text,
    Json,
    StreamJson,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    #[default]
    Text,
    StreamJson,
}

/// In which shape a host is asked about a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum HostProtocol {
    /// `approval-asked`, with all that stands beside the plan.
    #[default]
    Forethought,
    /// `plan:exit:request {agentId, planFilePath, planContent, options}`, with `options` as a map.
    Sema,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PlanArgs {
    /// What to plan; `-` reads it from standard input.
    #[arg(value_name = "TASK")]
    pub(crate) task: String,
    /// Save a copy of the plan here; nothing is overwritten.
    #[arg(long, value_name = "FILE")]
    pub(crate) plan_file: Option<PathBuf>,
    /// With --plan-file: replace the file that is there.
    #[arg(long, requires = "plan_file")]
    pub(crate) force: bool,
    /// Then read and answer the plan in your browser: comments bring another plan, and after a yes it is carried out here.
    #[arg(long)]
    pub(crate) review: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, ClapArgs)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ReviewArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ReviewCommand>,
    /// The plan, as `fore plans` shows it. Not given: the newest one of this folder that awaits approval.
    #[arg(value_name = "PLAN", add = ArgValueCompleter::new(completions::plans))]
    pub(crate) plan: Option<String>,
    /// Read all plans, sessions and reports of this project; nothing is answered there.
    #[arg(long, conflicts_with = "plan")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReviewCommand {
    /// Take in comments that somebody wrote in a file of `fore plans export --html`; they approve nothing.
    Import {
        /// The file with the comments.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ApplyArgs {
    /// The plan: its file, or its name as `fore plans` shows it.
    #[arg(value_name = "PLAN", add = ArgValueCompleter::new(completions::plans))]
    pub(crate) plan: String,
    /// The hash of the plan that you have read, all 64 digits or the first 32 and more; anything else is refused.
    #[arg(long, value_name = "HASH")]
    pub(crate) hash: String,
    /// How much may happen without asking; what would ask is denied.
    #[arg(long, value_name = "LEVEL", value_parser = read_level)]
    pub(crate) level: Option<Level>,
    /// Whether the plan is carried out if files it names have changed since it was made; they are listed, and the model reads them again.
    #[arg(long, value_name = "CHOICE", default_value = "deny")]
    pub(crate) stale: AllowOrDeny,
    /// Whether the work may go beyond the plan: edit other ordinary files of the project, and run its own code in the sandbox
    /// without network. The report lists it, and the exit code is 8.
    #[arg(long, value_name = "CHOICE", default_value = "deny")]
    pub(crate) drift: AllowOrDeny,
    /// More words for the model, beside the plan.
    #[arg(long, value_name = "WORDS")]
    pub(crate) prompt: Option<String>,
    /// Do not run the plan's checks at the end that the model left out.
    #[arg(long)]
    pub(crate) no_checks: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AllowOrDeny {
    Allow,
    Deny,
}

impl From<AllowOrDeny> for StalePlan {
    fn from(choice: AllowOrDeny) -> StalePlan {
        match choice {
            AllowOrDeny::Allow => StalePlan::Allowed,
            AllowOrDeny::Deny => StalePlan::Refused,
        }
    }
}

impl From<AllowOrDeny> for Drift {
    fn from(choice: AllowOrDeny) -> Drift {
        match choice {
            AllowOrDeny::Allow => Drift::Allowed,
            // Nobody is asked in this run, which is a no.
            AllowOrDeny::Deny => Drift::Asked,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SessionsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<SessionsCommand>,
    /// Sessions of all folders, not of this one alone.
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) list: ListArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// Show one session: its folder, mode, plans and first prompt.
    Show {
        /// The session; the start of its id will do.
        #[arg(add = ArgValueCompleter::new(completions::sessions))]
        id: String,
        /// Print JSON instead of words.
        #[arg(long)]
        json: bool,
    },
    /// Remove one session for good; its plans stay.
    Remove {
        /// The session; the start of its id will do.
        #[arg(add = ArgValueCompleter::new(completions::sessions))]
        id: String,
        /// Do not ask.
        #[arg(long, short)]
        yes: bool,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PlansArgs {
    #[command(subcommand)]
    pub(crate) command: Option<PlansCommand>,
    #[command(flatten)]
    pub(crate) list: ListArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PlansCommand {
    /// Print a plan, as it is or as it was.
    Show {
        /// The plan's name; the start of it will do.
        #[arg(add = ArgValueCompleter::new(completions::plans))]
        name: String,
        /// An earlier revision, by its number.
        #[arg(long, value_name = "N")]
        revision: Option<u32>,
        /// Print JSON instead of the text alone.
        #[arg(long)]
        json: bool,
        /// Print what the plan covers, read anew in this folder: what `fore apply` grants, with the lines of the plan.
        #[arg(long, conflicts_with = "raw")]
        covers: bool,
        /// Print the bytes as they are; otherwise characters that hide or steer a terminal are shown as marks.
        #[arg(long, conflicts_with = "json")]
        raw: bool,
    },
    /// Show what changed between two revisions, or since the last one.
    Diff {
        /// The plan's name; the start of it will do.
        #[arg(add = ArgValueCompleter::new(completions::plans))]
        name: String,
        /// The older revision, by its number.
        old: Option<u32>,
        /// The newer revision; without one: the file as it is.
        new: Option<u32>,
    },
    /// Print what became of an approved plan: steps, files and checks, as the program saw them.
    Report {
        /// The plan's name; the start of it will do.
        #[arg(add = ArgValueCompleter::new(completions::plans))]
        name: String,
        /// Print JSON instead of Markdown.
        #[arg(long)]
        json: bool,
    },
    /// Save a copy of a plan; nothing is overwritten.
    ///
    /// With --html it is one page to send to somebody: it loads nothing, and their
    /// comments come back as a small file for `fore review import`.
    #[command(verbatim_doc_comment)]
    Export {
        /// The plan's name; the start of it will do.
        #[arg(add = ArgValueCompleter::new(completions::plans))]
        name: String,
        /// Where to.
        #[arg(required_unless_present = "html")]
        path: Option<PathBuf>,
        /// An earlier revision, by its number.
        #[arg(long, value_name = "N")]
        revision: Option<u32>,
        /// As one page with everything in it; without a path it is NAME.html.
        #[arg(long)]
        html: bool,
    },
    /// Remove a plan file; its recorded revisions stay.
    Remove {
        /// The plan's whole name.
        #[arg(add = ArgValueCompleter::new(completions::plans))]
        name: String,
        /// Do not ask.
        #[arg(long, short)]
        yes: bool,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ListArgs {
    /// Print JSON instead of words.
    #[arg(long)]
    pub(crate) json: bool,
    /// How many are listed, newest first.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
}

impl RunArgs {
    pub(crate) fn bypass(&self) -> Bypass {
        if self.dangerously_allow_bypass { Bypass::Permitted } else { Bypass::NotPermitted }
    }

    fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--model", self.model.is_some()),
            ("--output-format", self.output_format.is_some()),
            ("--verbose", self.verbose),
            ("--max-rounds", self.max_rounds.is_some()),
            ("--allow-host", !self.allow_host.is_empty()),
            ("--trust-server", !self.trust_server.is_empty()),
            ("--trust-hooks", !self.trust_hooks.is_empty()),
            ("--dangerously-allow-bypass", self.dangerously_allow_bypass),
        ];
        given.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }

    /// What was given behind the command holds, else what was given before it.
    pub(crate) fn or(self, before: RunArgs) -> RunArgs {
        RunArgs {
            model: self.model.or(before.model),
            output_format: self.output_format.or(before.output_format),
            verbose: self.verbose || before.verbose,
            max_rounds: self.max_rounds.or(before.max_rounds),
            allow_host: before.allow_host.into_iter().chain(self.allow_host).collect(),
            trust_server: before.trust_server.into_iter().chain(self.trust_server).collect(),
            trust_hooks: before.trust_hooks.into_iter().chain(self.trust_hooks).collect(),
            dangerously_allow_bypass: self.dangerously_allow_bypass || before.dangerously_allow_bypass,
        }
    }
}

impl PrintArgs {
    /// Refuses options in front of a command that has no use for them.
    pub(crate) fn require_fitting(&self, command: &CliCommand) -> anyhow::Result<()> {
        let runs =
            matches!(command, CliCommand::Plan(_) | CliCommand::Apply(_) | CliCommand::Acp(_) | CliCommand::Review(_));
        let of_a_run = self.run.first_given().filter(|_| !runs);
        match self.first_of_its_own().or(of_a_run) {
            Some(option) => bail!("{option} has no meaning for this command; see its --help"),
            None => Ok(()),
        }
    }

    /// Refuses options that are about what a run without a screen prints.
    pub(crate) fn require_for_a_terminal(&self) -> anyhow::Result<()> {
        let given = [
            ("--output-format", self.run.output_format.is_some()),
            ("--input-format", self.input_format.is_some()),
            ("--host-protocol", self.host_protocol.is_some()),
            ("--verbose", self.run.verbose),
        ];
        match given.into_iter().find_map(|(name, is_given)| is_given.then_some(name)) {
            Some(option) => bail!("{option} is for runs without a screen; add -p \"your prompt\", or leave it out"),
            None => Ok(()),
        }
    }

    fn first_of_its_own(&self) -> Option<&'static str> {
        let given = [
            ("-p", self.print.is_some()),
            ("a prompt", self.prompt.is_some()),
            ("--plain", self.plain),
            ("--mode", self.mode.is_some()),
            ("--input-format", self.input_format.is_some()),
            ("--host-protocol", self.host_protocol.is_some()),
            ("--continue", self.go_on),
            ("--resume", self.resume.is_some()),
            ("--fork", self.fork.is_some()),
        ];
        given.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }
}

fn read_level(word: &str) -> Result<Level, String> {
    match word.parse::<Mode>() {
        Ok(Mode::At(level)) => Ok(level),
        Ok(Mode::Plan) => Err("a plan is applied at a level: default, acceptEdits, auto or bypassPermissions".into()),
        Err(_) => {
            Err(format!("`{word}` is not a level; the levels are default, acceptEdits, auto and bypassPermissions"))
        }
    }
}
