//! What a session is told to do by its settings: values that mean something, read and checked elsewhere.

use fore_plan::{
    gate::{Rules, table::TableSettings},
    plan::Hash,
    workflow::{Trigger, Workflow},
};
use std::ffi::OsString;

/// The settings of one session. `Default` is what a person gets who has set nothing.
#[derive(Clone, Debug)]
pub struct SessionSettings {
    pub rules: Rules,
    pub table: TableSettings,
    /// Argv prefixes that the person vouches for as read-only.
    pub vouched: Vec<Vec<String>>,
    /// MCP servers whose word the person takes that a tool only reads.
    pub servers: Vec<String>,
    pub cages: fore_sandbox::CageSettings,
    /// Where plans go inside the project, if not to the home.
    pub plans_directory: Option<OsString>,
    pub workflow: Workflow,
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
    /// Whether project memory (`AGENTS.md` and the like) is read.
    pub memory: bool,
    /// Files of the repository that the person trusts, by the hash of what they say: its agents choose their own model only there.
    pub trusted_files: Vec<Hash>,
}

impl Default for SessionSettings {
    fn default() -> SessionSettings {
        SessionSettings {
            rules: Rules::default(),
            table: TableSettings::default(),
            vouched: Vec::new(),
            servers: Vec::new(),
            cages: fore_sandbox::CageSettings::default(),
            plans_directory: None,
            workflow: Workflow::default(),
            trigger: Trigger::default(),
            model_may_plan: true,
            auto_during_plan: false,
            compact_at_percent: 85,
            variables: Vec::new(),
            max_rounds: 200,
            max_agents: 8,
            memory: true,
            trusted_files: Vec::new(),
        }
    }
}
