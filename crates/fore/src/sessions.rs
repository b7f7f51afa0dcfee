//! `fore sessions`: which sessions there are, one of them closer, and removing one.

use crate::{
    console::{Console, one_line, plain},
    format::{ago, moment, size},
    headless::{
        args::{SessionsArgs, SessionsCommand},
        launch,
    },
    pick,
    table::{Table, TableCell},
};
use anstyle::Style;
use anyhow::{Context, bail};
use fore_store::{
    Home, Session, SessionId,
    session::{self, SessionOverview, SessionSummary},
};
use serde_json::{Value, json};
use std::{
    io::{self, BufRead, IsTerminal, Write},
    process::ExitCode,
};

const DIM: Style = Style::new().dimmed();

pub(crate) fn run(args: &SessionsArgs) -> anyhow::Result<ExitCode> {
    let home = crate::environment::own_home()?;
    match &args.command {
        None => list(&home, args),
        Some(SessionsCommand::Show { id, json }) => show(&home, pick::session(&home, id)?, *json),
        Some(SessionsCommand::Remove { id, yes }) => remove(&home, pick::session(&home, id)?, *yes),
    }
}

fn list(home: &Home, args: &SessionsArgs) -> anyhow::Result<ExitCode> {
    let folder = launch::here()?;
    let folder = folder.to_str().filter(|_| !args.all);
    let found = session::list(home, folder, usize::from(args.list.limit))?;
    let mut screen = Console::stdout();
    if args.list.json {
        let all: Vec<Value> = found.iter().map(|summary| as_json(home, summary)).collect();
        screen.json(&all)?;
        return Ok(ExitCode::SUCCESS);
    }
    if found.is_empty() {
        match folder {
            Some(folder) => {
                screen.line(format_args!("No session of {} yet; --all lists those of other folders.", plain(folder)))?
            }
            None => screen.line("No session yet.")?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let ids: Vec<String> = session::ids(home)?.iter().map(ToString::to_string).collect();
    let mut heads = vec!["SESSION", "AGE", "MODE", "SIZE"];
    heads.extend(args.all.then_some("FOLDER"));
    heads.push("FIRST PROMPT");
    let mut table = Table::new(heads);
    for summary in &found {
        let glance = session::overview(home, summary.session).ok();
        // Nothing was ever said in it, so nobody looks for it; `--json` has all.
        if glance.as_ref().is_some_and(|glance| glance.first_prompt.is_none() && glance.plans.is_empty()) {
            continue;
        }
        let mut cells = vec![
            TableCell::left(pick::short(&summary.session.to_string(), &ids)),
            TableCell::right(ago(summary.modified)),
            TableCell::left(glance.as_ref().map_or_else(|| "?".into(), mode)),
            TableCell::right(size(summary.bytes)),
        ];
        cells.extend(args.all.then(|| TableCell::path(summary.folder.clone().unwrap_or_else(|| "?".into()))));
        cells.push(TableCell::left(glance.and_then(|glance| glance.first_prompt).unwrap_or_default()));
        table.row(cells);
    }
    table.print(&mut screen)?;
    Ok(ExitCode::SUCCESS)
}

fn mode(glance: &SessionOverview) -> String {
    let waits = if glance.awaits_approval { ", awaits approval" } else { "" };
    format!("{}{waits}", glance.mode)
}

fn as_json(home: &Home, summary: &SessionSummary) -> Value {
    let glance = session::overview(home, summary.session).ok();
    let plans = glance.as_ref().map_or_else(Vec::new, |glance| {
        let plan = |plan: &session::PlanHistory| {
            let newest = plan.revisions.last();
            json!({
                "path": plan.path, "stage": plan.stage,
                "revision": newest.map(|kept| kept.number), "hash": newest.map(|kept| kept.hash),
            })
        };
        glance.plans.iter().map(plan).collect()
    });
    json!({
        "session": summary.session,
        "folder": summary.folder,
        "created": summary.created,
        "modified": summary.modified,
        "bytes": summary.bytes,
        "forkedFrom": summary.forked_from.as_ref().map(|origin| origin.session),
        "mode": glance.as_ref().map(|glance| glance.mode),
        "awaitsApproval": glance.as_ref().map(|glance| glance.awaits_approval),
        "prompts": glance.as_ref().map(|glance| glance.prompts),
        "firstPrompt": glance.as_ref().and_then(|glance| glance.first_prompt.as_ref()),
        "plans": plans,
    })
}

fn show(home: &Home, id: SessionId, json: bool) -> anyhow::Result<ExitCode> {
    let summary = session::summary_of(home, id)?.with_context(|| format!("the session {id} is gone"))?;
    let mut screen = Console::stdout();
    if json {
        screen.json(&as_json(home, &summary))?;
        return Ok(ExitCode::SUCCESS);
    }
    let glance = session::overview(home, id)?;
    let folder = summary.folder.as_deref().unwrap_or("unknown");
    let mut lines = vec![("session", id.to_string()), ("folder", folder.to_owned())];
    lines.extend(summary.created.map(|created| ("began", moment(created))));
    lines.push(("last used", format!("{} ago", ago(summary.modified))));
    lines.push(("mode", mode(&glance)));
    lines.push(("prompts", glance.prompts.to_string()));
    lines.push(("size", size(summary.bytes)));
    lines.extend(summary.forked_from.map(|origin| ("copy of", origin.session.to_string())));
    for plan in &glance.plans {
        let revisions = fore_text::count(plan.revisions.len(), "revision");
        let stage = crate::plans::stage_word(plan.stage);
        lines.push(("plan", format!("{} ({stage}, {revisions})", plan.path)));
    }
    lines.extend(glance.first_prompt.map(|prompt| ("asked", one_line(&prompt))));
    for (name, value) in lines {
        screen.line(format_args!("{DIM}{name:<10}{DIM:#}{}", plain(&value)))?;
    }
    screen.line("")?;
    screen.line(format_args!("Resume it with: fore --resume {id}"))?;
    Ok(ExitCode::SUCCESS)
}

fn remove(home: &Home, id: SessionId, yes: bool) -> anyhow::Result<ExitCode> {
    let words = session::overview(home, id)?.first_prompt.unwrap_or_default();
    let words: String = words.lines().next().unwrap_or_default().chars().take(60).collect();
    let what = if words.is_empty() { format!("session {id}") } else { format!("session {id} (“{words}”)") };
    if !confirmed(&format!("Remove {what} for good?"), yes)? {
        return Ok(ExitCode::FAILURE);
    }
    Session::remove(home, id)?;
    Console::stderr().line(format_args!("Removed session {id}. Its plans stay."))?;
    Ok(ExitCode::SUCCESS)
}

/// Whether the person says yes. Where nobody can be asked, only `--yes` is one.
pub(crate) fn confirmed(question: &str, yes: bool) -> anyhow::Result<bool> {
    if yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        bail!("nobody can be asked here; add --yes if you mean it");
    }
    let mut ask = io::stderr().lock();
    write!(ask, "{} [y/N] ", plain(question))?;
    ask.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
