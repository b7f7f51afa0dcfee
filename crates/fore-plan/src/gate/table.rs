//! The gate's table: mode × kind of act. Rows say what is done, columns where; what no row names is refused.

use crate::{
    cage::{Cage, Outside},
    host::HostPattern,
    mode::{Level, Mode},
    refusal::RefusalCode,
    registries::usual_registries,
};
use fore_shell::{CommandKind, Finding};
use serde::Serialize;
use std::borrow::Cow;

/// What is done, as finely as the table needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateRow {
    /// Reads a file.
    Read,
    /// Looks for files or in them.
    Search,
    /// Touches nothing.
    Think,
    /// Gets something from the network.
    Fetch,
    /// Writes the plan.
    EditPlanFile,
    /// Writes a file of the project.
    EditProject,
    /// Writes a file outside of it, a link, or one that gives orders.
    EditElsewhere,
    /// Writes a notebook.
    EditNotebook,
    /// Takes a file away.
    DeleteOrMove,
    /// A command that is proved to only read.
    ShellReads,
    /// A command that reads from a service of the machine.
    ShellAsksService,
    /// A command that reads from the network.
    ShellNetwork,
    /// A command that runs code of the project.
    ShellRuns,
    /// A command that nobody here knows.
    ShellUnknown,
    /// A command that is known to change something.
    ShellWrites,
    /// A command that the model wants to rehearse.
    ShellRehearsal,
    /// A hook of the user's.
    Hook,
    /// A subagent that can change nothing.
    AgentReadOnly,
    /// Any other subagent.
    AgentOther,
    /// A tool of a server that is believed to only read.
    McpReadOnly,
    /// Any other tool of a server.
    McpOther,
    /// A tool of a server elsewhere that is vouched for, or the connection to one.
    McpRemote,
    /// A server is started.
    McpServer,
    /// The list of what is to do.
    Todo,
    /// The tools that begin and end planning.
    PlanTool,
    /// More than the plan grants is asked for.
    AmendPlan,
    /// A tool that nobody here knows.
    UnknownTool,
}

/// What a cell says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GateCell {
    /// It runs, in this cage.
    Allow(Cage),
    /// It is asked about, and would run in this cage.
    Ask(Cage),
    /// It does not run.
    Block(RefusalCode),
}

/// What is done with commands that can't be proved harmless, while planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unproven {
    /// They run, and their writes are thrown away.
    Rehearse,
    /// They are asked about.
    Ask,
    /// They do not run.
    Refuse,
}

/// What is done with commands that read from the network, while planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlanNetwork {
    /// They are asked about.
    Ask,
    /// They do not run.
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
    /// Works as always.
    Allowed,
}

/// What runs while planning where no read-only cage can be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WithoutSandbox {
    /// No command.
    Nothing,
    /// Commands that are proved to only read, as the person's own shell would run them. The person's own word.
    Reads,
}

/// The settings a table depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSettings {
    /// Commands that can't be proved harmless.
    pub unproven: Unproven,
    /// Commands that read from the network.
    pub network: PlanNetwork,
    /// The todo list.
    pub todo: TodoInPlan,
    /// Machines without a read-only cage.
    pub without_sandbox: WithoutSandbox,
    /// Hosts that the person has named once and for all. Commands that use the network reach them without being asked.
    pub allowed_hosts: Vec<HostPattern>,
    /// Whom work in the `Workspace` cage may talk to besides.
    pub work_network: WorkNetwork,
    /// Package registries: the usual ones, and those that the person's own configuration names.
    pub registries: Vec<HostPattern>,
    /// How commands begin that the person allowed for good in this project; they count in a folder that is trusted.
    pub always_run: Vec<String>,
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
            always_run: Vec::new(),
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
pub struct CageSupport {
    /// A cage in which nothing can be written.
    pub read_only: CageStanding,
    /// A cage whose writes are thrown away.
    pub rehearsal: CageStanding,
    /// A read-only or workspace cage from which named hosts or services can be reached.
    pub network: CageStanding,
}

/// Whether a cage can be built, and if not, why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CageStanding {
    /// With every layer.
    Full,
    /// Without the layer of this name; the others hold what the cage promises.
    Without(String),
    /// It cannot be built.
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

impl CageStanding {
    /// Whether it can be built.
    pub fn holds(&self) -> bool {
        match self {
            CageStanding::Full | CageStanding::Without(_) => true,
            CageStanding::Missing(_) => false,
        }
    }

    /// Why it cannot.
    pub fn lack(&self) -> Option<&Lack> {
        match self {
            CageStanding::Missing(lack) => Some(lack),
            CageStanding::Full | CageStanding::Without(_) => None,
        }
    }
}

impl CageSupport {
    /// Everything holds.
    pub const FULL: CageSupport =
        CageSupport { read_only: CageStanding::Full, rehearsal: CageStanding::Full, network: CageStanding::Full };
    /// Nobody has looked, so nothing is known to hold.
    pub(crate) const NONE: CageSupport = CageSupport {
        read_only: CageStanding::UNKNOWN,
        rehearsal: CageStanding::UNKNOWN,
        network: CageStanding::UNKNOWN,
    };
}

impl CageStanding {
    const UNKNOWN: CageStanding = CageStanding::Missing(Lack {
        reason: Cow::Borrowed("nobody has tried whether a sandbox can be built here"),
        remedy: Cow::Borrowed("Run `fore doctor` to see what is missing."),
    });
}

impl GateRow {
    /// Every row, in the order of the table.
    #[cfg(test)]
    pub(crate) const ALL: [GateRow; 27] = [
        GateRow::Read,
        GateRow::Search,
        GateRow::Think,
        GateRow::Fetch,
        GateRow::EditPlanFile,
        GateRow::EditProject,
        GateRow::EditElsewhere,
        GateRow::EditNotebook,
        GateRow::DeleteOrMove,
        GateRow::ShellReads,
        GateRow::ShellAsksService,
        GateRow::ShellNetwork,
        GateRow::ShellRuns,
        GateRow::ShellUnknown,
        GateRow::ShellWrites,
        GateRow::ShellRehearsal,
        GateRow::Hook,
        GateRow::AgentReadOnly,
        GateRow::AgentOther,
        GateRow::McpReadOnly,
        GateRow::McpOther,
        GateRow::McpRemote,
        GateRow::McpServer,
        GateRow::Todo,
        GateRow::PlanTool,
        GateRow::AmendPlan,
        GateRow::UnknownTool,
    ];

    /// The row of a command by what the shell judge found; a text that nobody judged is unknown.
    pub(super) fn of_command(finding: Option<&Finding>) -> GateRow {
        match finding {
            Some(finding) => match finding.kind {
                CommandKind::Reads if finding.reach.is_empty() => GateRow::ShellReads,
                CommandKind::Reads => GateRow::ShellAsksService,
                CommandKind::Network => GateRow::ShellNetwork,
                CommandKind::Runs => GateRow::ShellRuns,
                CommandKind::Unknown => GateRow::ShellUnknown,
                CommandKind::Writes => GateRow::ShellWrites,
            },
            None => GateRow::ShellUnknown,
        }
    }

    /// The word for it in logs and pages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            GateRow::Read => "read",
            GateRow::Search => "search",
            GateRow::Think => "think",
            GateRow::Fetch => "fetch",
            GateRow::EditPlanFile => "edit-plan-file",
            GateRow::EditProject => "edit-project",
            GateRow::EditElsewhere => "edit-elsewhere",
            GateRow::EditNotebook => "edit-notebook",
            GateRow::DeleteOrMove => "delete-or-move",
            GateRow::ShellReads => "shell-reads",
            GateRow::ShellAsksService => "shell-asks-service",
            GateRow::ShellNetwork => "shell-network",
            GateRow::ShellRuns => "shell-runs",
            GateRow::ShellUnknown => "shell-unknown",
            GateRow::ShellWrites => "shell-writes",
            GateRow::ShellRehearsal => "shell-rehearsal",
            GateRow::Hook => "hook",
            GateRow::AgentReadOnly => "agent-read-only",
            GateRow::AgentOther => "agent-other",
            GateRow::McpReadOnly => "mcp-read-only",
            GateRow::McpOther => "mcp-other",
            GateRow::McpRemote => "mcp-remote",
            GateRow::McpServer => "mcp-server",
            GateRow::Todo => "todo",
            GateRow::PlanTool => "plan-tool",
            GateRow::AmendPlan => "amend-plan",
            GateRow::UnknownTool => "unknown-tool",
        }
    }
}

/// Looks a cell up. `reach` is whom the act itself wants to talk to.
pub(crate) fn cell(
    mode: Mode,
    row: GateRow,
    reach: &Outside,
    settings: &TableSettings,
    kernel: &CageSupport,
) -> GateCell {
    match mode {
        Mode::Plan => while_planning(row, reach, settings, kernel),
        Mode::At(level) => at_level(level, row, reach, settings, kernel),
    }
}

/// For what this program does itself, without starting another.
pub(super) const IN_PROCESS: Cage = Cage::ReadOnly { outside: Outside::Closed };

fn while_planning(row: GateRow, reach: &Outside, settings: &TableSettings, kernel: &CageSupport) -> GateCell {
    match row {
        GateRow::Read | GateRow::Search | GateRow::Think | GateRow::EditPlanFile => GateCell::Allow(IN_PROCESS),
        GateRow::AgentReadOnly | GateRow::PlanTool => GateCell::Allow(IN_PROCESS),
        GateRow::McpReadOnly | GateRow::McpServer => match server_cage(kernel, settings, reach) {
            Some(cage) => GateCell::Allow(cage),
            None => GateCell::Block(RefusalCode::CageUnavailable),
        },
        // What is asked of a server elsewhere goes over the network.
        GateRow::McpRemote => match settings.network {
            PlanNetwork::Ask => GateCell::Allow(IN_PROCESS),
            PlanNetwork::Never => GateCell::Block(RefusalCode::PlanNetwork),
        },
        GateRow::ShellReads => match (read_only_cage(kernel, Outside::Closed), settings.without_sandbox) {
            (Some(cage), _) => GateCell::Allow(cage),
            (None, WithoutSandbox::Reads) => GateCell::Allow(Cage::Free),
            (None, WithoutSandbox::Nothing) => GateCell::Block(RefusalCode::CageUnavailable),
        },
        GateRow::Hook => match read_only_cage(kernel, Outside::Closed) {
            Some(cage) => GateCell::Allow(cage),
            None => GateCell::Block(RefusalCode::CageUnavailable),
        },
        // A page is fetched by this program itself.
        GateRow::Fetch => network(settings, Some(Cage::ReadOnly { outside: settings.reached(reach) })),
        GateRow::ShellNetwork | GateRow::ShellAsksService => {
            network(settings, talking_cage(kernel, settings.reached(reach)))
        }
        GateRow::ShellRuns | GateRow::ShellUnknown => match settings.unproven {
            Unproven::Rehearse if kernel.rehearsal.holds() => GateCell::Allow(Cage::Rehearsal),
            Unproven::Ask if kernel.rehearsal.holds() => GateCell::Ask(Cage::Rehearsal),
            Unproven::Ask if kernel.read_only.holds() => GateCell::Ask(Cage::ReadOnly { outside: Outside::Closed }),
            Unproven::Rehearse | Unproven::Ask | Unproven::Refuse => GateCell::Block(RefusalCode::PlanShellUnproven),
        },
        GateRow::ShellRehearsal => rehearsal(kernel),
        GateRow::ShellWrites => GateCell::Block(RefusalCode::PlanShellWrites),
        GateRow::EditProject | GateRow::EditElsewhere | GateRow::DeleteOrMove => GateCell::Block(RefusalCode::PlanEdit),
        GateRow::EditNotebook => GateCell::Block(RefusalCode::PlanNotebook),
        GateRow::AgentOther => GateCell::Block(RefusalCode::PlanAgent),
        GateRow::McpOther => GateCell::Block(RefusalCode::PlanMcp),
        GateRow::Todo => match settings.todo {
            TodoInPlan::Allowed => GateCell::Allow(IN_PROCESS),
            TodoInPlan::Blocked | TodoInPlan::Hidden => GateCell::Block(RefusalCode::PlanTodo),
        },
        GateRow::AmendPlan => GateCell::Block(RefusalCode::PlanAmend),
        GateRow::UnknownTool => GateCell::Block(RefusalCode::UnknownTool),
    }
}

/// None where it cannot be built. There is nothing that stands in for it.
fn read_only_cage(kernel: &CageSupport, outside: Outside) -> Option<Cage> {
    kernel.read_only.holds().then_some(Cage::ReadOnly { outside })
}

/// The same for a server, which keeps its hosts where they can be held.
fn server_cage(kernel: &CageSupport, settings: &TableSettings, hosts: &Outside) -> Option<Cage> {
    let outside = match settings.network {
        PlanNetwork::Ask if kernel.network.holds() => hosts.clone(),
        PlanNetwork::Ask | PlanNetwork::Never => Outside::Closed,
    };
    read_only_cage(kernel, outside)
}

/// The same for a command that talks to somebody.
fn talking_cage(kernel: &CageSupport, outside: Outside) -> Option<Cage> {
    (kernel.read_only.holds() && kernel.network.holds()).then_some(Cage::ReadOnly { outside })
}

fn network(settings: &TableSettings, cage: Option<Cage>) -> GateCell {
    match (settings.network, cage) {
        (PlanNetwork::Ask, Some(cage)) => GateCell::Ask(cage),
        (PlanNetwork::Ask, None) => GateCell::Block(RefusalCode::CageUnavailable),
        (PlanNetwork::Never, _) => GateCell::Block(RefusalCode::PlanNetwork),
    }
}

fn rehearsal(kernel: &CageSupport) -> GateCell {
    if kernel.rehearsal.holds() {
        GateCell::Allow(Cage::Rehearsal)
    } else {
        GateCell::Block(RefusalCode::CageUnavailable)
    }
}

fn at_level(level: Level, row: GateRow, reach: &Outside, settings: &TableSettings, kernel: &CageSupport) -> GateCell {
    let bypasses = level == Level::BypassPermissions;
    let ask_unless_bypass = |cage| if bypasses { GateCell::Allow(cage) } else { GateCell::Ask(cage) };
    // A person's yes is to the exact command; the classifier's yes stays inside the project.
    let work_cage = match level {
        Level::Auto if kernel.network.holds() => Cage::Workspace { outside: settings.reached_by_work(reach) },
        Level::Auto => Cage::Workspace { outside: Outside::Closed },
        Level::Default | Level::AcceptEdits | Level::BypassPermissions => Cage::Free,
    };
    let run = || match level {
        // The workspace cage needs the same layers.
        Level::Auto if !kernel.read_only.holds() => GateCell::Block(RefusalCode::CageUnavailable),
        Level::Auto if *reach != Outside::Closed && !kernel.network.holds() => {
            GateCell::Block(RefusalCode::CageUnavailable)
        }
        Level::Default | Level::AcceptEdits | Level::Auto | Level::BypassPermissions => {
            ask_unless_bypass(work_cage.clone())
        }
    };
    match row {
        GateRow::Read | GateRow::Search | GateRow::Think | GateRow::Todo | GateRow::PlanTool => {
            GateCell::Allow(IN_PROCESS)
        }
        GateRow::AgentReadOnly | GateRow::AgentOther | GateRow::McpRemote => GateCell::Allow(IN_PROCESS),
        // A server lives as long as the work does, so it is held as work is.
        GateRow::McpReadOnly | GateRow::McpServer => GateCell::Allow(work_cage),
        // Without a cage a read is a command like any other, and is asked for like one.
        GateRow::ShellReads => read_only_cage(kernel, Outside::Closed).map_or_else(run, GateCell::Allow),
        GateRow::ShellAsksService => talking_cage(kernel, settings.reached(reach)).map_or_else(run, GateCell::Allow),
        GateRow::ShellNetwork => talking_cage(kernel, settings.reached(reach)).map_or_else(run, ask_unless_bypass),
        GateRow::Fetch => ask_unless_bypass(Cage::ReadOnly { outside: settings.reached(reach) }),
        GateRow::EditPlanFile | GateRow::EditProject | GateRow::EditNotebook => match level {
            Level::Default => GateCell::Ask(work_cage),
            Level::AcceptEdits | Level::Auto | Level::BypassPermissions => GateCell::Allow(work_cage),
        },
        GateRow::EditElsewhere | GateRow::DeleteOrMove | GateRow::McpOther => ask_unless_bypass(work_cage),
        GateRow::ShellRuns | GateRow::ShellUnknown | GateRow::ShellWrites => run(),
        GateRow::ShellRehearsal => rehearsal(kernel),
        GateRow::Hook => GateCell::Allow(Cage::Free),
        // The gate asks before it looks here, where a plan is carried out that can be amended.
        GateRow::AmendPlan => GateCell::Block(RefusalCode::PlanAmend),
        GateRow::UnknownTool => GateCell::Block(RefusalCode::UnknownTool),
    }
}
