//! What a session is told to do by its settings: values that mean something, read and checked elsewhere.

use crate::budget::BudgetAmount;
use fore_hooks::HookSettings;
use fore_mcp::ServerEntry;
use fore_plan::{
    Level, Mode,
    gate::{Rules, table::TableSettings},
    plan::Hash,
    team::TeamApprover,
    workflow::{Trigger, Workflow},
};
use fore_store::Home;
use fore_team::TeamStore;
use serde::Serialize;
use std::{collections::BTreeMap, ffi::OsString, fmt, sync::Arc, time::Duration};

/// The settings of one session. `Default` is what a person gets who has set nothing.
#[derive(Clone, Debug)]
pub struct SessionSettings {
    /// What the person allows, asks and denies.
    pub rules: Rules,
    /// What the gate does where no rule speaks.
    pub table: TableSettings,
    /// Argv prefixes that the person vouches for as read-only.
    pub vouched: Vec<Vec<String>>,
    /// MCP servers whose word the person takes, outside of plan mode, that a tool only reads.
    pub servers: Vec<String>,
    /// The MCP servers that are set up, those of the person first.
    pub mcp: Vec<McpServerSetting>,
    /// Entries of the repository that the person trusts for this run, by their hashes.
    pub trusted_servers: Vec<Hash>,
    /// What cages show and reach.
    pub cages: fore_sandbox::CageSettings,
    /// Where plans go inside the project, if not to the home.
    pub plans_directory: Option<OsString>,
    /// How a plan is made.
    pub workflow: Workflow,
    /// When the model thinks of planning by itself.
    pub trigger: Trigger,
    /// Whether the model may ask to enter plan mode by itself.
    pub model_may_plan: bool,
    /// The classifier of auto mode decides while planning what would ask.
    pub auto_during_plan: bool,
    /// The share of the context, in percent, at which the history is summarised; 0 is never.
    pub compact_at_percent: u8,
    /// Variables for commands.
    pub variables: Vec<(String, String)>,
    /// Rounds of calls in one turn.
    pub max_rounds: u32,
    /// Subagents that run at once.
    pub max_agents: usize,
    /// What one turn may come to before the person is asked.
    pub cap_per_turn: Option<BudgetAmount>,
    /// The same for a session.
    pub cap_per_session: Option<BudgetAmount>,
    /// The same for all sessions of a day, which begins at midnight UTC.
    pub cap_per_day: Option<BudgetAmount>,
    /// Whether project memory (`AGENTS.md` and the like) is read.
    pub memory: bool,
    /// Prompts of the person between two reminders that the session plans.
    pub turns_between_reminders: u32,
    /// The agents that can be started are told with each prompt, not only with the first one.
    pub agents_with_each_prompt: bool,
    /// The mode that a session starts in. One that runs is switched when it is another one after a reading.
    pub default_mode: Mode,
    /// All values that hold, by their names, in words: what has changed is told by them.
    pub listed: BTreeMap<String, String>,
    /// Whether models get a short system text and few tools; not set: where the window is small.
    pub lean: Option<bool>,
    /// Files of the repository that the person trusts, by the hash of what they say: its agents choose their own model only there.
    pub trusted_files: Vec<Hash>,
    /// What runs beside the agent, and what waits for the person's trust.
    pub hooks: HookSettings,
    /// Who decides about the plans of teammates.
    pub team_approver: TeamApprover,
}

impl SessionSettings {
    /// The usual ones, with these cages: whose home and programs they protect is for the host to say.
    pub fn new(cages: fore_sandbox::CageSettings) -> SessionSettings {
        SessionSettings {
            rules: Rules::default(),
            table: TableSettings::default(),
            vouched: Vec::new(),
            servers: Vec::new(),
            mcp: Vec::new(),
            trusted_servers: Vec::new(),
            cages,
            plans_directory: None,
            workflow: Workflow::default(),
            trigger: Trigger::default(),
            model_may_plan: true,
            auto_during_plan: false,
            compact_at_percent: 85,
            variables: Vec::new(),
            max_rounds: 200,
            max_agents: 8,
            cap_per_turn: None,
            cap_per_session: None,
            cap_per_day: None,
            memory: true,
            turns_between_reminders: 5,
            agents_with_each_prompt: false,
            default_mode: Mode::At(Level::Default),
            listed: BTreeMap::new(),
            lean: None,
            trusted_files: Vec::new(),
            hooks: HookSettings::default(),
            team_approver: TeamApprover::default(),
        }
    }

    /// Where teams are kept.
    pub(crate) fn team_store(&self, home: &Arc<Home>) -> TeamStore {
        TeamStore::one_machine(Arc::clone(home))
    }
}

/// An MCP server that a session may use.
#[derive(Clone, PartialEq, Eq)]
pub struct McpServerSetting {
    /// As it was written: this is shown and vouched for.
    pub entry: ServerEntry,
    /// With its variables filled in. Never shown, never kept.
    pub filled: ServerEntry,
    /// Who wrote it.
    pub origin: McpOrigin,
}

/// Who set an MCP server up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpOrigin {
    /// The person, in their own settings.
    Person,
    /// The project, in its `.mcp.json`. It does not start before the person vouched for it.
    Repository,
    /// A client of the program, which handed it over with the session. The same holds for it.
    Client,
}

impl McpOrigin {
    /// At the beginning of a sentence.
    pub(crate) fn who(self) -> &'static str {
        match self {
            McpOrigin::Person => "You",
            McpOrigin::Repository => "The project",
            McpOrigin::Client => "Your editor",
        }
    }

    /// Within one, for the model.
    pub(crate) fn whose(self) -> &'static str {
        match self {
            McpOrigin::Person => "their settings",
            McpOrigin::Repository => "the project",
            McpOrigin::Client => "their editor",
        }
    }

    /// The other way to look at a server: `fore mcp` knows those of files alone.
    pub(crate) fn trusted_by_command(self, name: &str) -> String {
        match self {
            McpOrigin::Person | McpOrigin::Repository => format!(" or `fore mcp trust {name}`"),
            McpOrigin::Client => String::new(),
        }
    }
}

impl fmt::Debug for McpServerSetting {
    /// Values of variables are secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServerSetting").field("name", &self.entry.name).field("origin", &self.origin).finish()
    }
}

/// Reads the settings of a session again while it lives.
pub trait SettingsReader: fmt::Debug + Send + Sync {
    /// Whether something that settings are read from has changed since they were read last, and how long that has to rest until
    /// it is taken: a file that is being written is not whole. Cheap, nothing is opened.
    fn changed(&self) -> Option<Duration>;

    /// Reads all of them again. The error says what is wrong, with file and line.
    fn read(&self) -> Result<SettingsRead, String>;
}

/// What was read.
#[derive(Clone, Debug)]
pub struct SettingsRead {
    /// What would hold in the session.
    pub settings: SessionSettings,
    /// Whether the person trusts this folder, with what it says now.
    pub folder_trusted: bool,
    /// Whether the person opted in to auto mode.
    pub auto_opted_in: bool,
    /// What the person should know about them.
    pub warnings: Vec<String>,
}

/// One value that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingDifference {
    /// Its name, such as `plan.network`.
    pub key: String,
    /// What held before; none where nothing was set.
    pub before: Option<String>,
    /// What is set now.
    pub after: Option<String>,
    /// It counts only when the program is started again.
    pub needs_restart: bool,
}
