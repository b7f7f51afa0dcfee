//! The gate's table: mode × kind of act. Rows say what is done, columns where; what no row names is refused.

use crate::{
    cage::{Cage, Outside},
    host::HostPattern,
    mode::{Level, Mode},
    refusal::Code,
    registries::usual_registries,
};
use serde::Serialize;
use std::borrow::Cow;

/// What is done, as finely as the table needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Row {
    Read,
    Search,
    Think,
    Fetch,
    EditPlanFile,
    EditProject,
    EditElsewhere,
    EditNotebook,
    DeleteOrMove,
    ShellReads,
    ShellAsksService,
    ShellNetwork,
    ShellRuns,
    ShellUnknown,
    ShellWrites,
    ShellRehearsal,
    Hook,
    AgentReadOnly,
    AgentOther,
    McpReadOnly,
    McpOther,
    Todo,
    PlanTool,
    UnknownTool,
}

/// What a cell says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    Allow(Cage),
    Ask(Cage),
    Block(Code),
}

/// What is done with commands that can't be proved harmless, while planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unproven {
    Rehearse,
    Ask,
    Refuse,
}

/// What is done with commands that read from the network, while planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlanNetwork {
    Ask,
    Never,
}

/// The network of work that nobody was asked about, in the `Workspace` cage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkNetwork {
    /// The hosts that the command names, and those the person has allowed.
    Named,
    /// And the package registries.
    Registries,
    /// Every public host.
    Public,
}

/// The todo list while planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TodoInPlan {
    /// Stays listed, so that the prompt cache survives.
    Blocked,
    /// Is not listed.
    Hidden,
    Allowed,
}

/// What runs while planning where no read-only cage can be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WithoutSandbox {
    Nothing,
    /// Commands that are proved to only read, as the person's own shell would run them. The person's own word.
    Reads,
}

/// The settings a table depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSettings {
    pub unproven: Unproven,
    pub network: PlanNetwork,
    pub todo: TodoInPlan,
    pub without_sandbox: WithoutSandbox,
    /// Hosts that the person has named once and for all. Commands that use the network reach them without being asked.
    pub allowed_hosts: Vec<HostPattern>,
    /// Whom work in the `Workspace` cage may talk to besides.
    pub work_network: WorkNetwork,
    /// Package registries: the usual ones, and those that the person's own configuration names.
    pub registries: Vec<HostPattern>,
}

impl Default for TableSettings {
    fn default() -> TableSettings {
        TableSettings {
            unproven: Unproven::Rehearse,
            network: PlanNetwork::Ask,
            todo: TodoInPlan::Blocked,
            without_sandbox: WithoutSandbox::Nothing,
            allowed_hosts: Vec::new(),
            work_network: WorkNetwork::Registries,
            registries: usual_registries(),
        }
    }
}

impl TableSettings {
    /// Who has any network also has the hosts that the person has allowed.
    fn reached(&self, reach: &Outside) -> Outside {
        if reach.has_network() { reach.clone().and_hosts(&self.allowed_hosts) } else { reach.clone() }
    }

    fn reached_by_work(&self, reach: &Outside) -> Outside {
        let named = reach.clone().and_hosts(&self.allowed_hosts);
        match self.work_network {
            WorkNetwork::Named => named,
            WorkNetwork::Registries => named.and_hosts(&self.registries),
            WorkNetwork::Public => named.and_any_public(),
        }
    }
}

/// Which cages can be built on this machine now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    pub read_only: Standing,
    pub rehearsal: Standing,
    /// A read-only or workspace cage from which named hosts or services can be reached.
    pub network: Standing,
}

/// Whether a cage can be built, and if not, why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// With every layer.
    Full,
    /// Without the layer of this name; the others hold what the cage promises.
    Without(String),
    Missing(Lack),
}

/// Why a cage cannot be built, and what a person can do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// In plain words, without a full stop.
    pub reason: Cow<'static, str>,
    /// As a sentence, or several.
    pub remedy: Cow<'static, str>,
}

impl Standing {
    pub fn holds(&self) -> bool {
        match self {
            Standing::Full | Standing::Without(_) => true,
            Standing::Missing(_) => false,
        }
    }

    pub fn lack(&self) -> Option<&Lack> {
        match self {
            Standing::Missing(lack) => Some(lack),
            Standing::Full | Standing::Without(_) => None,
        }
    }
}

impl Kernel {
    pub const FULL: Kernel = Kernel { read_only: Standing::Full, rehearsal: Standing::Full, network: Standing::Full };
    /// Nobody has looked, so nothing is known to hold.
    pub const NONE: Kernel =
        Kernel { read_only: Standing::UNKNOWN, rehearsal: Standing::UNKNOWN, network: Standing::UNKNOWN };
}

impl Standing {
    const UNKNOWN: Standing = Standing::Missing(Lack {
        reason: Cow::Borrowed("nobody has tried whether a sandbox can be built here"),
        remedy: Cow::Borrowed("Run `fore doctor` to see what is missing."),
    });
}

impl Row {
    pub const ALL: [Row; 24] = [
        Row::Read,
        Row::Search,
        Row::Think,
        Row::Fetch,
        Row::EditPlanFile,
        Row::EditProject,
        Row::EditElsewhere,
        Row::EditNotebook,
        Row::DeleteOrMove,
        Row::ShellReads,
        Row::ShellAsksService,
        Row::ShellNetwork,
        Row::ShellRuns,
        Row::ShellUnknown,
        Row::ShellWrites,
        Row::ShellRehearsal,
        Row::Hook,
        Row::AgentReadOnly,
        Row::AgentOther,
        Row::McpReadOnly,
        Row::McpOther,
        Row::Todo,
        Row::PlanTool,
        Row::UnknownTool,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Row::Read => "read",
            Row::Search => "search",
            Row::Think => "think",
            Row::Fetch => "fetch",
            Row::EditPlanFile => "edit-plan-file",
            Row::EditProject => "edit-project",
            Row::EditElsewhere => "edit-elsewhere",
            Row::EditNotebook => "edit-notebook",
            Row::DeleteOrMove => "delete-or-move",
            Row::ShellReads => "shell-reads",
            Row::ShellAsksService => "shell-asks-service",
            Row::ShellNetwork => "shell-network",
            Row::ShellRuns => "shell-runs",
            Row::ShellUnknown => "shell-unknown",
            Row::ShellWrites => "shell-writes",
            Row::ShellRehearsal => "shell-rehearsal",
            Row::Hook => "hook",
            Row::AgentReadOnly => "agent-read-only",
            Row::AgentOther => "agent-other",
            Row::McpReadOnly => "mcp-read-only",
            Row::McpOther => "mcp-other",
            Row::Todo => "todo",
            Row::PlanTool => "plan-tool",
            Row::UnknownTool => "unknown-tool",
        }
    }
}

/// Looks a cell up. `reach` is whom the act itself wants to talk to.
pub fn cell(mode: Mode, row: Row, reach: &Outside, settings: &TableSettings, kernel: &Kernel) -> Cell {
    match mode {
        Mode::Plan => while_planning(row, reach, settings, kernel),
        Mode::At(level) => at_level(level, row, reach, settings, kernel),
    }
}

/// For what this program does itself, without starting another.
const IN_PROCESS: Cage = Cage::ReadOnly { outside: Outside::Closed };

fn while_planning(row: Row, reach: &Outside, settings: &TableSettings, kernel: &Kernel) -> Cell {
    match row {
        Row::Read | Row::Search | Row::Think | Row::EditPlanFile => Cell::Allow(IN_PROCESS),
        Row::AgentReadOnly | Row::McpReadOnly | Row::PlanTool => Cell::Allow(IN_PROCESS),
        Row::ShellReads => match (read_only_cage(kernel, Outside::Closed), settings.without_sandbox) {
            (Some(cage), _) => Cell::Allow(cage),
            (None, WithoutSandbox::Reads) => Cell::Allow(Cage::Free),
            (None, WithoutSandbox::Nothing) => Cell::Block(Code::CageUnavailable),
        },
        Row::Hook => match read_only_cage(kernel, Outside::Closed) {
            Some(cage) => Cell::Allow(cage),
            None => Cell::Block(Code::CageUnavailable),
        },
        // A page is fetched by this program itself.
        Row::Fetch => network(settings, Some(Cage::ReadOnly { outside: settings.reached(reach) })),
        Row::ShellNetwork | Row::ShellAsksService => network(settings, talking_cage(kernel, settings.reached(reach))),
        Row::ShellRuns | Row::ShellUnknown => match settings.unproven {
            Unproven::Rehearse if kernel.rehearsal.holds() => Cell::Allow(Cage::Rehearsal),
            Unproven::Ask if kernel.rehearsal.holds() => Cell::Ask(Cage::Rehearsal),
            Unproven::Ask if kernel.read_only.holds() => Cell::Ask(Cage::ReadOnly { outside: Outside::Closed }),
            Unproven::Rehearse | Unproven::Ask | Unproven::Refuse => Cell::Block(Code::PlanShellUnproven),
        },
        Row::ShellRehearsal => rehearsal(kernel),
        Row::ShellWrites => Cell::Block(Code::PlanShellWrites),
        Row::EditProject | Row::EditElsewhere | Row::DeleteOrMove => Cell::Block(Code::PlanEdit),
        Row::EditNotebook => Cell::Block(Code::PlanNotebook),
        Row::AgentOther => Cell::Block(Code::PlanAgent),
        Row::McpOther => Cell::Block(Code::PlanMcp),
        Row::Todo => match settings.todo {
            TodoInPlan::Allowed => Cell::Allow(IN_PROCESS),
            TodoInPlan::Blocked | TodoInPlan::Hidden => Cell::Block(Code::PlanTodo),
        },
        Row::UnknownTool => Cell::Block(Code::UnknownTool),
    }
}

/// None where it cannot be built. There is nothing that stands in for it.
fn read_only_cage(kernel: &Kernel, outside: Outside) -> Option<Cage> {
    kernel.read_only.holds().then_some(Cage::ReadOnly { outside })
}

/// The same for a command that talks to somebody.
fn talking_cage(kernel: &Kernel, outside: Outside) -> Option<Cage> {
    (kernel.read_only.holds() && kernel.network.holds()).then_some(Cage::ReadOnly { outside })
}

fn network(settings: &TableSettings, cage: Option<Cage>) -> Cell {
    match (settings.network, cage) {
        (PlanNetwork::Ask, Some(cage)) => Cell::Ask(cage),
        (PlanNetwork::Ask, None) => Cell::Block(Code::CageUnavailable),
        (PlanNetwork::Never, _) => Cell::Block(Code::PlanNetwork),
    }
}

fn rehearsal(kernel: &Kernel) -> Cell {
    if kernel.rehearsal.holds() { Cell::Allow(Cage::Rehearsal) } else { Cell::Block(Code::CageUnavailable) }
}

fn at_level(level: Level, row: Row, reach: &Outside, settings: &TableSettings, kernel: &Kernel) -> Cell {
    let bypasses = level == Level::BypassPermissions;
    let ask_unless_bypass = |cage| if bypasses { Cell::Allow(cage) } else { Cell::Ask(cage) };
    // A person's yes is to the exact command; the classifier's yes stays inside the project.
    let work_cage = match level {
        Level::Auto if kernel.network.holds() => Cage::Workspace { outside: settings.reached_by_work(reach) },
        Level::Auto => Cage::Workspace { outside: Outside::Closed },
        Level::Default | Level::AcceptEdits | Level::BypassPermissions => Cage::Free,
    };
    let run = || match level {
        // The workspace cage needs the same layers.
        Level::Auto if !kernel.read_only.holds() => Cell::Block(Code::CageUnavailable),
        Level::Auto if *reach != Outside::Closed && !kernel.network.holds() => Cell::Block(Code::CageUnavailable),
        Level::Default | Level::AcceptEdits | Level::Auto | Level::BypassPermissions => {
            ask_unless_bypass(work_cage.clone())
        }
    };
    match row {
        Row::Read | Row::Search | Row::Think | Row::Todo | Row::PlanTool => Cell::Allow(IN_PROCESS),
        Row::AgentReadOnly | Row::AgentOther | Row::McpReadOnly => Cell::Allow(IN_PROCESS),
        // Without a cage a read is a command like any other, and is asked for like one.
        Row::ShellReads => read_only_cage(kernel, Outside::Closed).map_or_else(run, Cell::Allow),
        Row::ShellAsksService => talking_cage(kernel, settings.reached(reach)).map_or_else(run, Cell::Allow),
        Row::ShellNetwork => talking_cage(kernel, settings.reached(reach)).map_or_else(run, ask_unless_bypass),
        Row::Fetch => ask_unless_bypass(Cage::ReadOnly { outside: settings.reached(reach) }),
        Row::EditPlanFile | Row::EditProject | Row::EditNotebook => match level {
            Level::Default => Cell::Ask(work_cage),
            Level::AcceptEdits | Level::Auto | Level::BypassPermissions => Cell::Allow(work_cage),
        },
        Row::EditElsewhere | Row::DeleteOrMove | Row::McpOther => ask_unless_bypass(work_cage),
        Row::ShellRuns | Row::ShellUnknown | Row::ShellWrites => run(),
        Row::ShellRehearsal => rehearsal(kernel),
        Row::Hook => Cell::Allow(Cage::Free),
        Row::UnknownTool => Cell::Block(Code::UnknownTool),
    }
}
