//! The command line, as data.

use crate::acp::args::AcpArgs;
use crate::exit_codes::{
    ACP_CODES, CAGE_CODES, CONFIG_CODES, DOCTOR_CODES, GATE_CODES, HOOKS_CODES, MODELS_CODES, PERMISSIONS_CODES,
    TRUST_CODES,
};
use crate::headless::args::{ApplyArgs, PlanArgs, PlansArgs, PrintArgs, RUN_CODES, ReviewArgs, SessionsArgs};
use crate::mcp::args::McpArgs;
use clap::{
    Args as ClapArgs, CommandFactory as _, Parser, Subcommand, ValueEnum,
    error::{ContextKind, ContextValue, ErrorKind},
};
use fore_hooks::HookEvent;
use fore_plan::{HostPattern, Mode, plan::Hash};
use fore_text::spelling;
use std::{ffi::OsString, path::PathBuf};

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

/// A coding agent that plans before it acts.
///
/// While it plans, nothing on this machine can change. You approve the plan,
/// and what you approved is what it does.
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

/// The command that a word is but for one slip of the fingers.
pub(crate) fn near_command(word: &str) -> Option<String> {
    let command = Args::command();
    let mut names = command.get_subcommands().map(clap::Command::get_name);
    names.find(|name| spelling::is_one_slip_away(word, name)).map(str::to_owned)
}

/// Letters of somebody's words that an error repeats.
const MAX_REPEATED_LETTERS: usize = 100;

/// What to type instead of several words without quotes, or of a command that was mistyped; none for other mistakes.
pub(crate) fn way_out(error: &clap::Error, words: &[String]) -> Option<String> {
    let unexpected = match error.kind() {
        ErrorKind::UnknownArgument => error.get(ContextKind::InvalidArg),
        ErrorKind::InvalidSubcommand => error.get(ContextKind::InvalidSubcommand),
        _ => None,
    };
    if !matches!(unexpected, Some(ContextValue::String(word)) if !word.starts_with('-')) {
        return None;
    }
    let free: Vec<&str> = words.iter().map(String::as_str).take_while(|word| !word.starts_with('-')).collect();
    let quoted = |words: &[&str]| {
        let words = fore_text::line(&words.join(" ")).replace('"', "'");
        format!("\"{}\"", fore_text::cut::ellipsis(&words, MAX_REPEATED_LETTERS))
    };
    let is_command = |word: &str| Args::command().get_subcommands().any(|command| command.get_name() == word);
    match free.as_slice() {
        [] => words.iter().any(|word| word == "-p").then(|| "put the words of the prompt in quotes".to_owned()),
        ["plan", task @ ..] => Some(format!("put the task in quotes: fore plan {}", quoted(task))),
        [command, ..] if is_command(command) => None,
        [first, ..] if near_command(first).is_some() => Some(format!(
            "`{}` is not a fore command; did you mean `fore {}`?",
            fore_text::line(first),
            near_command(first).unwrap_or_default()
        )),
        prompt => Some(format!("put the prompt in quotes: fore {}", quoted(prompt))),
    }
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
    /// When standard output is not a terminal, two lines are printed there:
    /// `plan PATH` and `hash HASH`.
    #[command(verbatim_doc_comment, after_help = RUN_CODES, after_long_help = RUN_CODES)]
    Plan(PlanArgs),
    /// Run exactly the plan that you have read.
    ///
    /// You approve the plan by naming the hash of its text; any other text is
    /// refused. Nobody is asked on the way: what would ask is denied and listed.
    ///
    ///   fore apply add-discounts-cart --hash 3f5a… --level acceptEdits
    #[command(verbatim_doc_comment, after_help = RUN_CODES, after_long_help = RUN_CODES)]
    Apply(ApplyArgs),
    /// Read, comment on and answer a plan that waits, in your browser.
    ///
    /// Serves one page on 127.0.0.1, with an address that is for you alone. In a
    /// terminal the session opens beside it; the first answer counts. Without
    /// one, what would be asked after your yes is denied and listed.
    ///
    ///   fore review
    ///   fore review add-discounts-cart
    ///   fore review --all
    #[command(verbatim_doc_comment, after_help = RUN_CODES, after_long_help = RUN_CODES)]
    Review(ReviewArgs),
    /// List sessions, show one, or remove one.
    #[command(args_conflicts_with_subcommands = true)]
    Sessions(SessionsArgs),
    /// List plans; show, compare, export or remove one.
    #[command(args_conflicts_with_subcommands = true)]
    Plans(PlansArgs),
    /// Take back what the agent changed in files; shown first.
    ///
    /// Of its newest turn that changed something in this project. Files that you
    /// have changed since are left as they are, and what goes is kept: `fore redo`
    /// brings it back.
    ///
    ///   fore undo
    ///   fore undo --turns 3
    #[command(verbatim_doc_comment)]
    Undo(crate::undo::UndoArgs),
    /// Bring back what was undone; shown first.
    Redo(crate::undo::UndoArgs),
    /// List teams, show one, or end one.
    ///
    /// A team is made in a session: ask for teammates in your own words. Its plans
    /// wait for you there; here you see who is in it.
    ///
    ///   fore team list
    ///   fore team show TEAM
    #[command(verbatim_doc_comment)]
    Team(crate::team::TeamArgs),
    /// Show what was spent: tokens and money, by day, model, project or plan.
    ///
    /// Of all sessions on this machine. What may be spent is set by budget.perTurn,
    /// budget.perSession and budget.perDay; prices by model.prices.
    ///
    ///   fore usage
    ///   fore usage --days 30 --by model
    ///   fore config set budget.perDay '$5'
    #[command(verbatim_doc_comment)]
    Usage(crate::usage::UsageArgs),
    /// List the models you can use, or test one.
    ///
    /// Asks the servers that you set up and those on this machine what they offer.
    /// A test asks one model for a word, a stream, a tool call and an answer that is
    /// stopped on its way.
    ///
    ///   fore models
    ///   fore models test ollama/qwen3
    #[command(verbatim_doc_comment, after_help = MODELS_CODES, after_long_help = MODELS_CODES)]
    Models(ModelsArgs),
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
    ///   fore config set plan.network never
    #[command(verbatim_doc_comment, args_conflicts_with_subcommands = true, after_help = CONFIG_CODES, after_long_help = CONFIG_CODES)]
    Config(ConfigArgs),
    /// List the rules that hold, say why a command would ask, or take one back.
    ///
    ///   fore permissions
    ///   fore permissions test "npm test -- x"
    ///   fore permissions forget npm test
    #[command(verbatim_doc_comment, args_conflicts_with_subcommands = true, after_help = PERMISSIONS_CODES, after_long_help = PERMISSIONS_CODES)]
    Permissions(PermissionsArgs),
    /// Trust a folder: its own settings may then grant what they ask for.
    ///
    /// Without a folder: the project you are in. Everything inside a trusted
    /// folder is trusted. Settings that grant something are trusted as they
    /// are now: when they change, you are asked again.
    #[command(verbatim_doc_comment, after_help = TRUST_CODES, after_long_help = TRUST_CODES)]
    Trust(TrustArgs),
    /// Work in an editor that speaks the Agent Client Protocol.
    ///
    /// An editor starts this and shows plans, questions and changes itself. See
    /// docs/editors.md.
    ///
    ///   fore acp --print-config zed
    #[command(verbatim_doc_comment, after_help = ACP_CODES, after_long_help = ACP_CODES)]
    Acp(AcpArgs),
    /// Set up MCP servers, look at them, and vouch for their tools.
    ///
    /// Your own servers are in your settings; those of a project are in its
    /// .mcp.json and start only once you trust their entry. While planning a
    /// tool runs only if you vouched for its definition.
    ///
    ///   fore mcp add git -- mcp-server-git --repository .
    ///   fore mcp test git
    ///   fore mcp vouch git git_log
    #[command(verbatim_doc_comment, after_help = TRUST_CODES, after_long_help = TRUST_CODES)]
    Mcp(McpArgs),
    /// List, try and trust hooks: programs that are told what happens.
    ///
    /// Hooks are set up in `hooks` of your settings and in .claude/settings.json
    /// of a project. Those of a project run once you trusted exactly them. `list`
    /// shows each with its hash, for --trust-hooks. `install` puts `fore gate`
    /// into the hooks of another agent.
    ///
    ///   fore hooks list
    ///   fore hooks test PreToolUse --tool Bash --input '{"command": "rm -rf /"}'
    ///   fore hooks install claude
    #[command(visible_alias = "hook", verbatim_doc_comment, after_help = HOOKS_CODES, after_long_help = HOOKS_CODES)]
    Hooks(HooksArgs),
    /// Print the script that completes commands, plans and sessions in your shell.
    ///
    ///   bash   echo 'source <(fore completions bash)' >> ~/.bashrc
    ///   zsh    echo 'source <(fore completions zsh)' >> ~/.zshrc
    ///   fish   fore completions fish > ~/.config/fish/completions/fore.fish
    #[command(verbatim_doc_comment)]
    Completions(CompletionsArgs),
    /// Print the manual page of fore, or of one of its commands.
    ///
    ///   fore man | man -l -
    ///   fore man plan > fore-plan.1
    #[command(verbatim_doc_comment)]
    Man(ManArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CompletionsArgs {
    /// The shell that is to read the script.
    #[arg(value_name = "SHELL")]
    pub(crate) shell: CompletedShell,
}

/// A shell that can be told what fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompletedShell {
    Bash,
    Zsh,
    Fish,
}

impl CompletedShell {
    pub(crate) fn name(self) -> &'static str {
        match self {
            CompletedShell::Bash => "bash",
            CompletedShell::Zsh => "zsh",
            CompletedShell::Fish => "fish",
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ManArgs {
    /// One of the commands, such as plan.
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
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
    /// Answer as the hook of another agent: one call on standard input, its mode counts, the answer in its own form.
    #[arg(long = "as", value_name = "AGENT", conflicts_with_all = ["json", "rehearse", "plan_file", "command"])]
    pub(crate) host: Option<HookHost>,
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
    /// Print nothing afterwards.
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, ClapArgs)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ModelsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ModelsCommand>,
    /// Print JSON instead of words.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// Test a model: text, stream, tool call, cancel.
    Test {
        /// The model, as provider/name or server/name.
        #[arg(value_name = "NAME")]
        name: String,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DoctorArgs {
    /// Print JSON instead of words.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ConfigCommand>,
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

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Set a value in your own settings; comments and order stay.
    Set {
        /// The setting, such as plan.network.
        #[arg(value_name = "KEY")]
        key: String,
        /// The value as JSON; anything that is not JSON is taken as text.
        #[arg(value_name = "VALUE", allow_hyphen_values = true)]
        value: String,
    },
    /// Take a value out of your own settings.
    Unset {
        /// The setting.
        #[arg(value_name = "KEY")]
        key: String,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PermissionsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<PermissionsCommand>,
    /// Print JSON instead of words.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PermissionsCommand {
    /// List the rules that hold, and where each comes from.
    List {
        /// Print JSON instead of words.
        #[arg(long)]
        json: bool,
    },
    /// Say whether a command would run, ask or be refused, and why; nothing is run.
    Test {
        /// The mode to judge in; not given: the one that sessions begin in.
        #[arg(long)]
        mode: Option<Mode>,
        /// Print JSON instead of words.
        #[arg(long)]
        json: bool,
        /// The command, as one word or several.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Take back what you always allow in this project, or a rule of your own settings.
    Forget {
        /// How the commands begin, such as npm test, or the rule.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND|RULE")]
        words: Vec<String>,
    },
}

impl PermissionsArgs {
    /// Whether the list is wanted as JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json || matches!(self.command, Some(PermissionsCommand::List { json: true }))
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct HooksArgs {
    #[command(subcommand)]
    pub(crate) command: HooksCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HooksCommand {
    /// List all hooks of this folder, and which of them run.
    List {
        /// Print JSON instead of words.
        #[arg(long)]
        json: bool,
    },
    /// Run the hooks of an event with an example, and say what each answered and how long it took.
    Test {
        /// The event, such as PreToolUse.
        #[arg(value_name = "EVENT", value_parser = hook_event)]
        event: HookEvent,
        /// The tool of the example.
        #[arg(long, value_name = "NAME", default_value = "Bash")]
        tool: String,
        /// The input of the tool, as JSON.
        #[arg(long, value_name = "JSON", default_value = r#"{"command": "echo hello"}"#)]
        input: String,
        /// The mode to run them in: in plan mode they can only read.
        #[arg(long, default_value = "plan")]
        mode: Mode,
    },
    /// Trust hooks of this project as they are now; shows each of them first.
    Trust {
        /// Only these, as `fore hooks list` prints them. Not given: all that wait, after you said yes.
        #[arg(value_name = "HASH")]
        hashes: Vec<Hash>,
        /// Trust all that wait, without a question.
        #[arg(long, conflicts_with = "hashes")]
        yes: bool,
    },
    /// Trust hooks of this project no longer.
    Untrust {
        /// Only these.
        #[arg(value_name = "HASH")]
        hashes: Vec<Hash>,
        /// All of this project.
        #[arg(long, conflicts_with = "hashes")]
        all: bool,
    },
    /// Put `fore gate` into the hooks of another agent; shows the difference first.
    ///
    /// Its calls are then judged by fore: in its plan mode, what is refused here is
    /// refused there, and commands that it lets through run in the sandbox.
    #[command(verbatim_doc_comment)]
    Install {
        /// The agent.
        #[arg(value_name = "AGENT")]
        agent: HookHost,
        /// Into your own settings of that agent instead of this project's.
        #[arg(long)]
        user: bool,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
    /// Take out exactly what `install` put in.
    Uninstall {
        /// The agent.
        #[arg(value_name = "AGENT")]
        agent: HookHost,
        /// From your own settings of that agent instead of this project's.
        #[arg(long)]
        user: bool,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
}

/// An agent whose hooks can ask `fore gate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookHost {
    Claude,
    Codex,
    Gemini,
    Qwen,
    Opencode,
}

fn hook_event(name: &str) -> Result<HookEvent, String> {
    HookEvent::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = HookEvent::ALL.into_iter().map(HookEvent::name).collect();
        match spelling::nearest(name, names.iter().copied(), 1).first() {
            Some(near) => format!("there is no such event; did you mean {near}?"),
            None => format!("there is no such event; there are {}", names.join(", ")),
        }
    })
}

#[derive(Debug, ClapArgs)]
pub(crate) struct TrustArgs {
    /// The folder.
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Stop trusting it.
    #[arg(long)]
    pub(crate) remove: bool,
    /// Show what changed since you trusted it, and what it would grant.
    #[arg(long, conflicts_with = "remove")]
    pub(crate) review: bool,
    /// List the folders that are trusted.
    #[arg(long, conflicts_with_all = ["remove", "review", "folder"])]
    pub(crate) list: bool,
}
