//! The settings as people write them. The published schema is made from these types and their comments; nothing is decided here.

use super::{
    allowed_values,
    mcp::McpServerSection,
    money::{BudgetSection, PriceSection},
};
use fore_model::Protocol;
use fore_plan::{
    Level, Mode,
    gate::table::{PlanNetwork, TableSettings, TodoInPlan, Unproven, WithoutSandbox, WorkNetwork},
    team::TeamApprover,
    workflow::{AgentCount, Agents, ExploreOrder, PlanLength, Trigger, Workflow, WorkflowKind},
};
use fore_tui::NotifyOptions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt, path::PathBuf};

/// Settings of Forethought. Layers, later ones win: ~/.forethought/settings.json, .forethought/settings.json and
/// .forethought/settings.local.json of the project, environment, command line. Lists are joined.
#[derive(Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(title = "Forethought settings")]
pub(crate) struct WrittenSettings {
    /// The schema of this file, for editors.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub(crate) schema: Option<String>,
    /// Where plans are kept inside the project, relative to its root. Not set: ~/.forethought/plans. Refused: the root itself,
    /// and folders that agents, hooks, editors or build servers read, or that programs are run from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plans_directory: Option<String>,
    /// What may happen without asking.
    pub(crate) permissions: PermissionsSection,
    /// How planning goes.
    pub(crate) plan: PlanSection,
    /// Which language models are used, and how they are reached.
    pub(crate) model: ModelSection,
    /// A proxy for everything but this machine. Not set: HTTPS_PROXY and the like are obeyed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) proxy: Option<String>,
    /// Whom commands may talk to.
    pub(crate) network: NetworkSection,
    /// Variables for the commands that are run.
    #[schemars(schema_with = "allowed_values::variables")]
    pub(crate) env: BTreeMap<String, String>,
    /// What commands can see.
    pub(crate) cage: CageSection,
    /// MCP servers.
    pub(crate) mcp: McpSection,
    /// Work in an editor, by the Agent Client Protocol.
    pub(crate) acp: AcpSection,
    /// Teammates.
    pub(crate) team: TeamSection,
    /// Programs and addresses that are told what happens, by event, as in Claude Code: [{"matcher": "Bash", "hooks": [{"type":
    /// "command", "command": "./guard.sh"}]}]. Those of a repository run once you trusted each of them: fore hooks trust.
    pub(crate) hooks: HooksSection,
    /// The conversation that a model is sent.
    pub(crate) context: ContextSection,
    /// Limits of a session.
    pub(crate) limits: LimitsSection,
    /// What may be spent before you are asked: money such as "$5", or tokens such as "400k tokens". Never from a repository.
    pub(crate) budget: BudgetSection,
    /// Whether AGENTS.md and the like are read and given to the model.
    pub(crate) memory: bool,
    /// The colours of the terminal. NO_COLOR switches them off.
    #[schemars(schema_with = "allowed_values::theme")]
    pub(crate) theme: ThemeName,
    /// Whether the terminal prints line after line and moves nothing, for screen readers. The same as --plain.
    pub(crate) plain: bool,
    /// Whether the terminal shows a tip at its start.
    pub(crate) tips: bool,
    /// How you are notified when you look elsewhere and a question or a plan waits. Never from a repository.
    pub(crate) notify: NotifySection,
    /// Keys of the terminal, by what they do, such as "openEditor": ["ctrl+g"]; /help lists them. Never from a repository.
    pub(crate) keys: BTreeMap<String, KeyBinding>,
}

/// The colours of the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ThemeName {
    #[default]
    Auto,
    Dark,
    Light,
}

/// How you are notified when you look elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(rename = "Notify")]
pub(crate) struct NotifySection {
    /// What the terminal does. It is left alone while it is in front, or while you use it where that is not known.
    #[schemars(schema_with = "allowed_values::notify_sign")]
    pub(crate) terminal: NotifySignName,
    /// Whether the title of the window says what goes on.
    pub(crate) title: bool,
    /// How many seconds a turn takes whose end is told.
    #[schemars(range(min = 1, max = 3600))]
    pub(crate) after_seconds: u32,
    /// A command of yours, word by word, such as ["notify-send"]. "{title}" and "{text}" stand for what is said; without them
    /// both come last. It runs as if you had typed it, without a shell.
    pub(crate) command: Vec<String>,
}

/// How a terminal calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NotifySignName {
    #[default]
    Auto,
    Bell,
    Osc9,
    Osc777,
    Never,
}

/// One key, or several that do the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Keys")]
pub(crate) enum KeyBinding {
    One(String),
    Several(Vec<String>),
}

/// What may happen without asking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(rename = "Permissions")]
pub(crate) struct PermissionsSection {
    /// Calls that are allowed without asking, such as "Bash(cargo test:*)". Never widens planning.
    pub(crate) allow: Vec<String>,
    /// Calls that you are always asked about.
    pub(crate) ask: Vec<String>,
    /// Calls that are refused in every mode, such as "Read(~/.netrc)".
    pub(crate) deny: Vec<String>,
    /// The mode a session starts in.
    #[schemars(schema_with = "allowed_values::mode")]
    pub(crate) default_mode: Mode,
    /// Whether the mode auto can be chosen, in which a model decides what would otherwise be asked.
    pub(crate) auto_opt_in: bool,
}

/// How planning goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(rename = "Plan")]
pub(crate) struct PlanSection {
    /// What is done, while planning, with a command that cannot be proved to only read.
    #[schemars(schema_with = "allowed_values::unproven")]
    pub(crate) unproven: Unproven,
    /// What is done, while planning, with a command that reads from the network.
    #[schemars(schema_with = "allowed_values::network")]
    pub(crate) network: PlanNetwork,
    /// The todo list while planning.
    #[schemars(schema_with = "allowed_values::todo")]
    pub(crate) todo: TodoInPlan,
    /// What may run while planning on a machine where no sandbox can be built. Never from a repository.
    #[schemars(schema_with = "allowed_values::without_sandbox")]
    pub(crate) without_sandbox: WithoutSandbox,
    /// The way the model is told to plan.
    #[schemars(schema_with = "allowed_values::workflow")]
    pub(crate) workflow: WorkflowKind,
    /// How long a plan may get.
    #[schemars(schema_with = "allowed_values::length")]
    pub(crate) length: PlanLength,
    /// When the model is told to plan by itself.
    #[schemars(schema_with = "allowed_values::trigger")]
    pub(crate) trigger: Trigger,
    /// Plan agents of one round of planning.
    #[schemars(schema_with = "allowed_values::agent_count")]
    pub(crate) agents: AgentCount,
    /// Explore agents of one round of planning.
    #[schemars(schema_with = "allowed_values::agent_count")]
    pub(crate) explore_agents: AgentCount,
    /// Whether Explore agents run at once.
    #[schemars(schema_with = "allowed_values::explore_order")]
    pub(crate) explore_order: ExploreOrder,
    /// How many of your prompts lie between two reminders to the model that plan mode is on.
    #[schemars(range(min = 1, max = 100))]
    pub(crate) turns_between_reminders: u32,
    /// The same as network.allowedHosts: hosts that are not asked about, so that pages can be fetched while planning. Never from a
    /// repository.
    pub(crate) allowed_hosts: Vec<String>,
    /// First words of commands that only read, such as "ib get" or ["python3", "/opt/query.py"]. Never from a repository.
    pub(crate) read_only_commands: Vec<CommandPrefix>,
    /// Whether the model may ask to enter plan mode.
    pub(crate) model_may_enter: bool,
    /// Whether the classifier of auto mode decides, while planning, what would otherwise be asked.
    pub(crate) use_auto_mode_during_plan: bool,
}

/// The first words of a command, as one text or word by word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Prefix")]
pub(crate) enum CommandPrefix {
    Line(String),
    Words(Vec<String>),
}

/// Which language models are used, and how they are reached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(rename = "Model")]
pub(crate) struct ModelSection {
    /// The model that does the work, as provider/name, or "scout". The others are this one where they are not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) act: Option<String>,
    /// The model that plans.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<String>,
    /// The model of Explore agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) small: Option<String>,
    /// How much the model is told before a conversation begins.
    #[schemars(schema_with = "allowed_values::profile")]
    pub(crate) profile: ModelProfile,
    /// What models cost, by name, in US dollars for a million tokens: {"company/large": {"input": 3, "output": 15}}. It comes before
    /// every price that is known otherwise. Never from a repository.
    pub(crate) prices: BTreeMap<String, PriceSection>,
    /// Servers of your own, by a name of your choice: "company" makes the models "company/NAME". Each needs a baseUrl.
    #[schemars(schema_with = "allowed_values::servers")]
    pub(crate) servers: BTreeMap<String, ProviderSection>,
    /// How providers are reached, by name.
    #[schemars(schema_with = "allowed_values::providers")]
    pub(crate) providers: BTreeMap<String, ProviderSection>,
}

/// How a provider is reached.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(rename = "Provider")]
pub(crate) struct ProviderSection {
    /// The server's address, such as `https://models.example/v1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) base_url: Option<String>,
    /// The protocol the server speaks.
    #[schemars(schema_with = "allowed_values::protocol")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) protocol: Option<Protocol>,
    /// The variable that holds the key, such as "COMPANY_KEY". It comes before the provider's own ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) api_key_variable: Option<String>,
    /// A command that prints the key. It is run only when no variable holds one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) api_key_command: Option<String>,
    /// Headers that are sent with every request. Their values are never shown.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) headers: BTreeMap<String, String>,
    /// How many tokens the model can read and write in one request. Not set: the server is asked.
    #[schemars(range(min = 512, max = 100000000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) context_tokens: Option<u64>,
    /// The most tokens of one answer. Never more than what is left of the context.
    #[schemars(range(min = 256, max = 10000000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_output_tokens: Option<u32>,
    /// The temperature: how much answers vary; 0 is the least.
    #[schemars(range(min = 0, max = 2))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) temperature: Option<f64>,
    /// The top-p share: only the likeliest words that together reach it are considered.
    #[schemars(range(min = 0, max = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) top_p: Option<f64>,
    /// How much the model should reason before it answers.
    #[schemars(schema_with = "allowed_values::effort")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reasoning_effort: Option<ReasoningEffort>,
    /// Seconds until the first piece of an answer; slow machines read long. Not set: 900.
    #[schemars(range(min = 1, max = 86400))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) first_piece_seconds: Option<u64>,
    /// Seconds of silence in the middle of an answer. Not set: 180.
    #[schemars(range(min = 1, max = 86400))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) silence_seconds: Option<u64>,
    /// Extra fields that are sent with every request, such as {"top_k": 40}.
    #[schemars(schema_with = "allowed_values::extra_body")]
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub(crate) extra_body: serde_json::Map<String, serde_json::Value>,
}

/// How much a model is told before a conversation begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ModelProfile {
    #[default]
    Auto,
    Full,
    Lean,
}

/// How much a model should reason before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ReasoningEffort {
    Off,
    Low,
    Medium,
    High,
}

/// What commands can see.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(rename = "Cage")]
pub(crate) struct CageSection {
    /// More paths that no command may read, besides the usual ones: "~/…", absolute, or relative to the project.
    pub(crate) secrets: Vec<PathBuf>,
    /// Files of the project whose names look like secrets and are not, such as "tests/certs/*.key"; * stands for any letters of
    /// a name, ** for any folders. Only in your own settings.
    pub(crate) not_secret: Vec<PathBuf>,
    /// Folders that commands may see besides the project: "~/…" or absolute. Secrets in them stay hidden. Only in your own settings.
    pub(crate) additional_directories: Vec<PathBuf>,
}

/// Whom commands may talk to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(rename = "Network")]
pub(crate) struct NetworkSection {
    /// Hosts that are not asked about, such as "docs.rs", "*.example.com:8443" or "localhost:5432". Without a port both ports of the
    /// web are meant. Never from a repository.
    pub(crate) allowed_hosts: Vec<String>,
    /// Whom commands may talk to in auto mode besides the hosts that they name and the allowed ones. Never from a repository.
    #[schemars(schema_with = "allowed_values::auto_mode_network")]
    pub(crate) in_auto_mode: WorkNetwork,
}

/// MCP servers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(rename = "Mcp")]
pub(crate) struct McpSection {
    /// Servers of your own, by a name of your choice. Each needs a command or a url.
    pub(crate) servers: BTreeMap<String, McpServerSection>,
    /// Servers whose word is taken, outside of plan mode, that a tool only reads. While planning a tool of a server runs only if you
    /// vouched for its definition.
    pub(crate) read_only_servers: Vec<String>,
}

/// Work in an editor, by the Agent Client Protocol.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(rename = "Acp")]
pub(crate) struct AcpSection {
    /// Whose yes approves a plan. Never from a repository.
    #[schemars(schema_with = "allowed_values::acp_approval")]
    pub(crate) approval: AcpApproval,
}

/// Whose yes approves a plan in an editor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AcpApproval {
    #[default]
    Person,
    Form,
    Client,
}

/// Teammates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(rename = "Team")]
pub(crate) struct TeamSection {
    /// Who decides about the plan of a teammate.
    #[schemars(schema_with = "allowed_values::team_approver")]
    pub(crate) approver: TeamApprover,
}

/// Hooks, by event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(rename = "Hooks")]
pub(crate) struct HooksSection {
    /// Folders and files outside the project that hooks may write also while planning, such as those of a logger: "~/…" or absolute.
    /// Only in your own settings.
    pub(crate) may_write: Vec<PathBuf>,
    /// Before a call is judged. A hook can refuse it, have you asked, or rewrite it; it is judged as rewritten.
    #[serde(rename = "PreToolUse")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) pre_tool_use: Vec<serde_json::Value>,
    /// After a call.
    #[serde(rename = "PostToolUse")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) post_tool_use: Vec<serde_json::Value>,
    /// After a call that failed.
    #[serde(rename = "PostToolUseFailure")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) post_tool_use_failure: Vec<serde_json::Value>,
    /// When you would be asked. Outside plan mode a hook may answer.
    #[serde(rename = "PermissionRequest")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) permission_request: Vec<serde_json::Value>,
    /// When a call was refused.
    #[serde(rename = "PermissionDenied")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) permission_denied: Vec<serde_json::Value>,
    /// When you send a prompt. A hook can keep it back or add to it.
    #[serde(rename = "UserPromptSubmit")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) user_prompt_submit: Vec<serde_json::Value>,
    /// When a session begins, continues, is emptied or summarised.
    #[serde(rename = "SessionStart")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) session_start: Vec<serde_json::Value>,
    /// When a session ends.
    #[serde(rename = "SessionEnd")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) session_end: Vec<serde_json::Value>,
    /// When the model ends its turn. A hook can make it continue, at most 8 times.
    #[serde(rename = "Stop")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) stop: Vec<serde_json::Value>,
    /// When a subagent begins.
    #[serde(rename = "SubagentStart")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) subagent_start: Vec<serde_json::Value>,
    /// When a subagent ends.
    #[serde(rename = "SubagentStop")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) subagent_stop: Vec<serde_json::Value>,
    /// Before the conversation is summarised.
    #[serde(rename = "PreCompact")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) pre_compact: Vec<serde_json::Value>,
    /// After it was summarised.
    #[serde(rename = "PostCompact")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) post_compact: Vec<serde_json::Value>,
    /// When your attention is needed.
    #[serde(rename = "Notification")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) notification: Vec<serde_json::Value>,
    /// When a plan is handed in. A hook can send it back, never approve it.
    #[serde(rename = "PlanProposed")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) plan_proposed: Vec<serde_json::Value>,
    /// When a plan was decided about.
    #[serde(rename = "PlanDecided")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) plan_decided: Vec<serde_json::Value>,
    /// When a call goes beyond the approved plan. A hook can refuse it.
    #[serde(rename = "PlanDrift")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) plan_drift: Vec<serde_json::Value>,
    /// When the report of a plan was made.
    #[serde(rename = "PlanReport")]
    #[schemars(schema_with = "allowed_values::hook_groups")]
    pub(crate) plan_report: Vec<serde_json::Value>,
}

/// The conversation that a model is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(rename = "Context")]
pub(crate) struct ContextSection {
    /// The share of the context at which the history is summarised; 0 is never.
    #[schemars(range(min = 0, max = 95))]
    pub(crate) compact_at_percent: u8,
    /// Whether the model is told with each prompt which agents there are, not only with the first one.
    pub(crate) agents_with_each_prompt: bool,
}

/// Bounds of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(rename = "Limits")]
pub(crate) struct LimitsSection {
    /// Rounds of tool calls in one turn.
    #[schemars(range(min = 1, max = 10000))]
    pub(crate) rounds: u32,
    /// Subagents that run at once.
    #[schemars(range(min = 1, max = 64))]
    pub(crate) agents: usize,
}

/// People put keys into headers, variables, addresses and commands.
impl fmt::Debug for WrittenSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WrittenSettings { permissions, plan, limits, .. } = self;
        f.debug_tuple("WrittenSettings").field(permissions).field(plan).field(limits).finish_non_exhaustive()
    }
}

impl fmt::Debug for ProviderSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderSection").field("protocol", &self.protocol).finish_non_exhaustive()
    }
}

/// What a session does where nothing is set; its cages are the business of whoever starts one.
fn usual_session() -> fore_agent::SessionSettings {
    fore_agent::SessionSettings::new(fore_sandbox::CageSettings::new(None, |_| None))
}

/// What a person gets who has set nothing: the defaults of the crates that use the values.
impl Default for WrittenSettings {
    fn default() -> WrittenSettings {
        let session = usual_session();
        WrittenSettings {
            schema: None,
            plans_directory: None,
            permissions: PermissionsSection::default(),
            plan: PlanSection::default(),
            model: ModelSection::default(),
            proxy: None,
            network: NetworkSection::default(),
            env: BTreeMap::new(),
            cage: CageSection::default(),
            mcp: McpSection::default(),
            acp: AcpSection::default(),
            team: TeamSection::default(),
            hooks: HooksSection::default(),
            context: ContextSection::default(),
            limits: LimitsSection::default(),
            budget: BudgetSection::default(),
            memory: session.memory,
            theme: ThemeName::default(),
            plain: false,
            tips: true,
            notify: NotifySection::default(),
            keys: BTreeMap::new(),
        }
    }
}

impl Default for NotifySection {
    fn default() -> NotifySection {
        let NotifyOptions { has_command: _, sign: _, long_turn, title } = NotifyOptions::default();
        let after_seconds = u32::try_from(long_turn.as_secs()).unwrap_or(u32::MAX);
        NotifySection { terminal: NotifySignName::default(), title, after_seconds, command: Vec::new() }
    }
}

impl Default for PermissionsSection {
    fn default() -> PermissionsSection {
        PermissionsSection {
            allow: Vec::new(),
            ask: Vec::new(),
            deny: Vec::new(),
            default_mode: Mode::At(Level::Default),
            auto_opt_in: false,
        }
    }
}

impl Default for PlanSection {
    fn default() -> PlanSection {
        let (table, session) = (TableSettings::default(), usual_session());
        let Workflow { kind, length, agents: Agents { explore, plan, order } } = Workflow::default();
        PlanSection {
            unproven: table.unproven,
            network: table.network,
            todo: table.todo,
            without_sandbox: table.without_sandbox,
            workflow: kind,
            length,
            trigger: Trigger::default(),
            agents: plan,
            explore_agents: explore,
            explore_order: order,
            turns_between_reminders: session.turns_between_reminders,
            allowed_hosts: Vec::new(),
            read_only_commands: Vec::new(),
            model_may_enter: session.model_may_plan,
            use_auto_mode_during_plan: session.auto_during_plan,
        }
    }
}

impl Default for NetworkSection {
    fn default() -> NetworkSection {
        NetworkSection { allowed_hosts: Vec::new(), in_auto_mode: TableSettings::default().work_network }
    }
}

impl Default for ContextSection {
    fn default() -> ContextSection {
        let session = usual_session();
        ContextSection {
            compact_at_percent: session.compact_at_percent,
            agents_with_each_prompt: session.agents_with_each_prompt,
        }
    }
}

impl Default for LimitsSection {
    fn default() -> LimitsSection {
        let session = usual_session();
        LimitsSection { rounds: session.max_rounds, agents: session.max_agents }
    }
}
