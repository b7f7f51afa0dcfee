//! The gate's table on one page: mode × kind of act, for each setting and each kernel that changes it.

use crate::{
    Cage, Contacts, Host, HostPattern, Mode, Outside,
    gate::table::{
        CageStanding, CageSupport, GateCell, GateRow, PlanNetwork, TableSettings, TodoInPlan, Unproven, WithoutSandbox,
        WorkNetwork, cell,
    },
};
use std::fmt::Write;

fn cage(cage: &Cage) -> &'static str {
    match cage {
        Cage::ReadOnly { outside: Outside::Closed } => "read-only",
        Cage::ReadOnly { outside: Outside::Named(_) } => "read-only+named",
        Cage::ReadOnly { outside: Outside::AnyPublic(_) } => "read-only+public",
        Cage::Rehearsal => "rehearsal",
        Cage::Workspace { .. } => "workspace",
        Cage::Free => "free",
    }
}

/// Whom an act of this kind wants to talk to.
fn reach(row: GateRow) -> Outside {
    match row {
        GateRow::Fetch | GateRow::ShellNetwork => Outside::hosts(Host::new("docs.rs", 443)),
        GateRow::ShellAsksService => Outside::named(Contacts { hosts: Vec::new(), services: vec!["docker".into()] }),
        _ => Outside::Closed,
    }
}

fn show(cell: GateCell) -> String {
    match cell {
        GateCell::Allow(inside) => format!("allow {}", cage(&inside)),
        GateCell::Ask(inside) => format!("ask {}", cage(&inside)),
        GateCell::Block(code) => format!("BLOCK {code}"),
    }
}

fn matrix(modes: &[Mode], rows: &[GateRow], settings: &TableSettings, kernel: &CageSupport) -> String {
    let mut page = format!("{:<20}", "");
    for mode in modes {
        let _ = write!(page, "{:<28}", mode.name());
    }
    for row in rows {
        let _ = write!(page, "\n{:<20}", row.name());
        for mode in modes {
            let _ = write!(page, "{:<28}", show(cell(*mode, *row, &reach(*row), settings, kernel)));
        }
    }
    page.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn g1_the_whole_table_with_default_settings() {
    insta::assert_snapshot!(matrix(&Mode::ALL, &GateRow::ALL, &TableSettings::default(), &CageSupport::FULL));
}

#[test]
fn g4_the_whole_table_where_no_sandbox_can_be_built() {
    insta::assert_snapshot!(matrix(&Mode::ALL, &GateRow::ALL, &TableSettings::default(), &CageSupport::NONE));
}

#[test]
fn m2_what_settings_and_kernel_change_while_planning() {
    let rows = [
        GateRow::Fetch,
        GateRow::ShellReads,
        GateRow::ShellAsksService,
        GateRow::ShellNetwork,
        GateRow::ShellRuns,
        GateRow::ShellUnknown,
        GateRow::ShellWrites,
        GateRow::ShellRehearsal,
        GateRow::Hook,
        GateRow::McpRemote,
        GateRow::McpServer,
        GateRow::Todo,
    ];
    let base = TableSettings::default;
    let no_overlay = || CageSupport { rehearsal: CageSupport::NONE.rehearsal, ..CageSupport::FULL };
    let pages = [
        ("kernel without rehearsal", base(), no_overlay()),
        ("kernel without cages", base(), CageSupport::NONE),
        (
            "kernel without cages, withoutSandbox = reads",
            TableSettings { without_sandbox: WithoutSandbox::Reads, ..base() },
            CageSupport::NONE,
        ),
        ("unproven = ask", TableSettings { unproven: Unproven::Ask, ..base() }, CageSupport::FULL),
        ("unproven = ask, kernel without rehearsal", TableSettings { unproven: Unproven::Ask, ..base() }, no_overlay()),
        (
            "unproven = ask, kernel without cages",
            TableSettings { unproven: Unproven::Ask, ..base() },
            CageSupport::NONE,
        ),
        ("unproven = refuse", TableSettings { unproven: Unproven::Refuse, ..base() }, CageSupport::FULL),
        ("kernel without namespaces", base(), CageSupport { network: CageSupport::NONE.network, ..CageSupport::FULL }),
        ("network = never", TableSettings { network: PlanNetwork::Never, ..base() }, CageSupport::FULL),
        ("todo = allowed", TableSettings { todo: TodoInPlan::Allowed, ..base() }, CageSupport::FULL),
    ];
    let page: Vec<String> = pages
        .iter()
        .map(|(name, settings, kernel)| format!("## {name}\n{}", matrix(&[Mode::Plan], &rows, settings, kernel)))
        .collect();
    insta::assert_snapshot!(page.join("\n\n"));
}

#[test]
fn whatever_the_settings_planning_never_allows_a_change() {
    let changing = [
        GateRow::EditProject,
        GateRow::EditElsewhere,
        GateRow::EditNotebook,
        GateRow::DeleteOrMove,
        GateRow::ShellWrites,
        GateRow::AgentOther,
        GateRow::McpOther,
        GateRow::UnknownTool,
    ];
    let kernels = [
        CageSupport::FULL,
        CageSupport::NONE,
        CageSupport { rehearsal: CageSupport::NONE.rehearsal, ..CageSupport::FULL },
        {
            let without = || CageStanding::Without("Landlock".into());
            CageSupport { read_only: without(), rehearsal: without(), network: without() }
        },
        CageSupport { network: CageSupport::NONE.network, ..CageSupport::FULL },
    ];
    let mut all = Vec::new();
    for unproven in [Unproven::Rehearse, Unproven::Ask, Unproven::Refuse] {
        for network in [PlanNetwork::Ask, PlanNetwork::Never] {
            for todo in [TodoInPlan::Blocked, TodoInPlan::Hidden, TodoInPlan::Allowed] {
                for without_sandbox in [WithoutSandbox::Nothing, WithoutSandbox::Reads] {
                    let (allowed_hosts, work_network) = (HostPattern::of_text("docs.rs").unwrap(), WorkNetwork::Public);
                    let base = TableSettings { unproven, network, todo, without_sandbox, ..TableSettings::default() };
                    all.push(TableSettings { allowed_hosts, work_network, ..base });
                }
            }
        }
    }
    for (settings, kernel) in all.iter().flat_map(|settings| kernels.iter().map(move |kernel| (settings, kernel))) {
        for row in changing {
            assert!(matches!(cell(Mode::Plan, row, &reach(row), settings, kernel), GateCell::Block(_)), "{row:?}");
        }
        for row in GateRow::ALL {
            let found = cell(Mode::Plan, row, &reach(row), settings, kernel);
            let is_open =
                matches!(found, GateCell::Allow(Cage::Workspace { .. }) | GateCell::Ask(Cage::Workspace { .. }));
            assert!(!is_open, "planning never runs in a writable cage: {row:?}");
            let is_free = matches!(found, GateCell::Allow(Cage::Free) | GateCell::Ask(Cage::Free));
            let the_person_said_so = settings.without_sandbox == WithoutSandbox::Reads && !kernel.read_only.holds();
            assert!(!is_free || (row == GateRow::ShellReads && the_person_said_so), "no cage, no command: {row:?}");
        }
    }
}
