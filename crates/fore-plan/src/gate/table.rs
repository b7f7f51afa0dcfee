//! The gate's table: mode × kind of act. Rows say what is done, columns where; what no row names is refused.

use crate::{
    cage::{Cage, Outside},
    mode::{Level, Mode},
    refusal::Code,
};
use serde::Serialize;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// The settings a table depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSettings {
    pub unproven: Unproven,
    pub network: PlanNetwork,
    pub todo: TodoInPlan,
    /// Whom work in the `Workspace` cage may talk to.
    pub workspace_outside: Outside,
}

impl Default for TableSettings {
    fn default() -> TableSettings {
        TableSettings {
            unproven: Unproven::Rehearse,
            network: PlanNetwork::Ask,
            todo: TodoInPlan::Blocked,
            workspace_outside: Outside::Network,
        }
    }
}

/// Which cages this kernel can build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    pub read_only: bool,
    pub rehearsal: bool,
}

impl Kernel {
    pub const FULL: Kernel = Kernel { read_only: true, rehearsal: true };
    pub const NONE: Kernel = Kernel { read_only: false, rehearsal: false };

    fn read_only_cage(self, outside: Outside) -> Cage {
        if self.read_only { Cage::ReadOnly { outside } } else { Cage::Free }
    }
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

/// Looks a cell up.
pub fn cell(mode: Mode, row: Row, settings: &TableSettings, kernel: Kernel) -> Cell {
    match mode {
        Mode::Plan => while_planning(row, settings, kernel),
        Mode::At(level) => at_level(level, row, settings, kernel),
    }
}

const IN_PROCESS: Cage = Cage::ReadOnly { outside: Outside::Closed };

fn while_planning(row: Row, settings: &TableSettings, kernel: Kernel) -> Cell {
    match row {
        Row::Read | Row::Search | Row::Think | Row::EditPlanFile => Cell::Allow(IN_PROCESS),
        Row::AgentReadOnly | Row::McpReadOnly | Row::PlanTool => Cell::Allow(IN_PROCESS),
        Row::ShellReads => Cell::Allow(kernel.read_only_cage(Outside::Closed)),
        Row::Hook if kernel.read_only => Cell::Allow(Cage::ReadOnly { outside: Outside::Closed }),
        Row::Hook => Cell::Block(Code::CageUnavailable),
        Row::Fetch | Row::ShellNetwork => network(settings, kernel.read_only_cage(Outside::Network)),
        Row::ShellAsksService => network(settings, kernel.read_only_cage(Outside::Services)),
        Row::ShellRuns | Row::ShellUnknown => match settings.unproven {
            Unproven::Rehearse if kernel.rehearsal => Cell::Allow(Cage::Rehearsal),
            Unproven::Ask if kernel.rehearsal => Cell::Ask(Cage::Rehearsal),
            Unproven::Ask if kernel.read_only => Cell::Ask(Cage::ReadOnly { outside: Outside::Closed }),
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

fn network(settings: &TableSettings, cage: Cage) -> Cell {
    match settings.network {
        PlanNetwork::Ask => Cell::Ask(cage),
        PlanNetwork::Never => Cell::Block(Code::PlanNetwork),
    }
}

fn rehearsal(kernel: Kernel) -> Cell {
    if kernel.rehearsal { Cell::Allow(Cage::Rehearsal) } else { Cell::Block(Code::CageUnavailable) }
}

fn at_level(level: Level, row: Row, settings: &TableSettings, kernel: Kernel) -> Cell {
    let bypasses = level == Level::BypassPermissions;
    let ask_unless_bypass = |cage| if bypasses { Cell::Allow(cage) } else { Cell::Ask(cage) };
    // A person's yes is to the exact command; the classifier's yes stays inside the project.
    let work_cage = match level {
        Level::Auto => Cage::Workspace { outside: settings.workspace_outside },
        Level::Default | Level::AcceptEdits | Level::BypassPermissions => Cage::Free,
    };
    match row {
        Row::Read | Row::Search | Row::Think | Row::Todo | Row::PlanTool => Cell::Allow(IN_PROCESS),
        Row::AgentReadOnly | Row::AgentOther | Row::McpReadOnly => Cell::Allow(IN_PROCESS),
        Row::ShellReads => Cell::Allow(kernel.read_only_cage(Outside::Closed)),
        Row::ShellAsksService => Cell::Allow(kernel.read_only_cage(Outside::Services)),
        Row::Fetch | Row::ShellNetwork => ask_unless_bypass(kernel.read_only_cage(Outside::Network)),
        Row::EditPlanFile | Row::EditProject | Row::EditNotebook => match level {
            Level::Default => Cell::Ask(work_cage),
            Level::AcceptEdits | Level::Auto | Level::BypassPermissions => Cell::Allow(work_cage),
        },
        Row::EditElsewhere | Row::DeleteOrMove | Row::McpOther => ask_unless_bypass(work_cage),
        Row::ShellRuns | Row::ShellUnknown | Row::ShellWrites => ask_unless_bypass(work_cage),
        Row::ShellRehearsal => rehearsal(kernel),
        Row::Hook => Cell::Allow(Cage::Free),
        Row::UnknownTool => Cell::Block(Code::UnknownTool),
    }
}
