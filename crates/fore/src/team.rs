//! `fore team`: the teams of this machine, who is in one, and ending one. A session makes teams; this looks at what they left on disk.

use crate::{
    console::{Console, plain},
    table::{Table, TableCell},
};
use anyhow::bail;
use fore_plan::Mode;
use fore_team::{
    MailBody, MemberActivity, MemberName, MemberRole, Outgoing, RosterMember, TeamError, TeamName, TeamOverview,
    TeamStore,
};
use serde_json::json;
use std::{process::ExitCode, sync::Arc};

/// The arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct TeamArgs {
    #[command(subcommand)]
    command: TeamCommand,
}

/// What is wanted of a team.
#[derive(Debug, clap::Subcommand)]
enum TeamCommand {
    /// List the teams of this machine.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show who is in a team, what they do, and which plans wait.
    Show {
        /// The team.
        team: TeamName,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// End a member of a team that nobody leads at the moment, or the whole team.
    Stop {
        /// The team.
        team: TeamName,
        /// The member; without one the team ends.
        member: Option<MemberName>,
    },
}

pub(crate) fn run(args: &TeamArgs) -> anyhow::Result<ExitCode> {
    let store = TeamStore::one_machine(Arc::new(crate::environment::own_home()?));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match &args.command {
            TeamCommand::List { json } => list(&store, *json).await,
            TeamCommand::Show { team, json } => show(&store, team, *json).await,
            TeamCommand::Stop { team, member } => stop(&store, team, member.as_ref()).await,
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

async fn list(store: &TeamStore, as_json: bool) -> anyhow::Result<()> {
    let mut screen = Console::stdout();
    let mut teams = Vec::new();
    for name in store.teams().await? {
        teams.push(store.overview(&name).await?);
    }
    if as_json {
        let rows: Vec<_> = teams.iter().map(overview_json).collect();
        screen.json(&json!(rows))?;
        return Ok(());
    }
    if teams.is_empty() {
        screen.line("There is no team on this machine yet; ask for teammates in a session.")?;
        return Ok(());
    }
    let mut table = Table::new(vec!["TEAM", "MEMBERS", "PLANS WAITING", "STATE"]);
    for team in &teams {
        let members = team.members.iter().filter(|member| !member.has_left && member.role != MemberRole::Lead).count();
        table.row(vec![
            TableCell::left(team.team.to_string()),
            TableCell::right(members.to_string()),
            TableCell::right(team.requests.len().to_string()),
            TableCell::left(state(team)),
        ]);
    }
    table.print(&mut screen)?;
    Ok(())
}

fn state(team: &TeamOverview) -> &'static str {
    let leads = team.members.iter().any(|member| member.role == MemberRole::Lead && member.is_open);
    match (team.has_ended, leads) {
        (true, _) => "ended",
        (false, true) => "at work",
        (false, false) => "rests",
    }
}

async fn show(store: &TeamStore, team: &TeamName, as_json: bool) -> anyhow::Result<()> {
    let overview = store.overview(team).await?;
    let mut screen = Console::stdout();
    if as_json {
        screen.json(&overview_json(&overview))?;
        return Ok(());
    }
    let mut table = Table::new(vec!["NAME", "ROLE", "DOES", "MODE", "MAIL", "AT"]);
    for member in overview.members.iter().filter(|member| !member.has_left) {
        table.row(vec![
            TableCell::left(member.name.to_string()),
            TableCell::left(role(member.role)),
            TableCell::left(activity(member)),
            TableCell::left(member.status.mode.map(Mode::name).unwrap_or_default()),
            TableCell::right(member.waiting_mail.to_string()),
            TableCell::left(member.status.note.clone()),
        ]);
    }
    table.print(&mut screen)?;
    for request in &overview.requests {
        screen.line(plain(&format!("The plan of {} waits: {}", request.from, request.plan_file_path)))?;
    }
    for task in &overview.tasks {
        let owner = task.owner.as_ref().map(|owner| format!(" ({owner})")).unwrap_or_default();
        screen.line(plain(&format!("Task {}: {}{owner}", task.id, task.title)))?;
    }
    Ok(())
}

fn role(role: MemberRole) -> &'static str {
    match role {
        MemberRole::Lead => "lead",
        MemberRole::Required => "required",
        MemberRole::Voluntary => "voluntary",
    }
}

fn activity(member: &RosterMember) -> &'static str {
    if !member.is_open {
        return "rests";
    }
    match member.status.activity {
        MemberActivity::New => "begins",
        MemberActivity::Planning => "plans",
        MemberActivity::AwaitingApproval => "awaits approval",
        MemberActivity::Working => "works",
        MemberActivity::Asking => "asks",
        MemberActivity::Idle => "idle",
        MemberActivity::Stopped => "stopped",
    }
}

fn overview_json(team: &TeamOverview) -> serde_json::Value {
    let members: Vec<_> = team
        .members
        .iter()
        .filter(|member| !member.has_left)
        .map(|member| {
            json!({
                "name": member.name, "role": member.role, "isOpen": member.is_open, "mail": member.waiting_mail,
                "status": member.status,
            })
        })
        .collect();
    json!({
        "team": team.team, "lead": team.lead, "hasEnded": team.has_ended, "members": members, "tasks": team.tasks,
        "requests": team.requests,
    })
}

/// Only where no session leads the team: one that does is asked there.
async fn stop(store: &TeamStore, team: &TeamName, member: Option<&MemberName>) -> anyhow::Result<()> {
    let overview = store.overview(team).await?;
    let lead = match store.open(team, &overview.lead).await {
        Err(TeamError::InUse { .. }) => {
            bail!("a session leads team `{team}` right now; use /team stop there, or close that session first")
        }
        Ok(lead) => lead,
        Err(error) => return Err(error.into()),
    };
    let is_meant = |other: &&RosterMember| {
        other.role != MemberRole::Lead && !other.has_left && member.is_none_or(|member| *member == other.name)
    };
    let mut screen = Console::stdout();
    let meant: Vec<&RosterMember> = overview.members.iter().filter(is_meant).collect();
    if let (Some(member), true) = (member, meant.is_empty()) {
        bail!("`{member}` is not in team `{team}`; `fore team show {team}` lists who is");
    }
    for other in meant {
        if other.is_open {
            let words = MailBody::ShutdownRequest("You were asked to end.".to_owned());
            lead.send(Outgoing::new(other.name.clone(), words)).await?;
            screen.line(plain(&format!("{} was asked to end.", other.name)))?;
        } else if member.is_some() {
            lead.remove_member(&other.name).await?;
            screen.line(plain(&format!("{} is off the team.", other.name)))?;
        }
    }
    if member.is_none() {
        lead.end_team().await?;
        screen.line(plain(&format!("Team {team} has ended; `fore team show {team}` still shows it.")))?;
    }
    Ok(())
}
