//! `fore undo` and `fore redo`: takes back what the agent changed in the files of this project, outside of a session; shown first.

use crate::{
    console::{Console, plain},
    format::ago,
    sessions::confirmed,
    settings::Settings,
};
use anyhow::bail;
use fore_agent::{UndoDirection, Undoer, project_of, undo_opener};
use fore_plan::{
    State,
    gate::{Ground, taken_back},
};
use fore_sandbox::{Cages, GitProbe};
use fore_store::UndoFolder;
use serde_json::json;
use std::{process::ExitCode, sync::Arc};

/// The arguments of both.
#[derive(Debug, clap::Args)]
pub(crate) struct UndoArgs {
    /// How many turns that changed something, the newest first.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=100))]
    turns: u8,
    /// List the turns that can be taken back; nothing is changed.
    #[arg(long, conflicts_with_all = ["turns", "yes", "also_changed"])]
    list: bool,
    /// Ask no question.
    #[arg(long, short)]
    yes: bool,
    /// Also the files that you have changed since; what they hold now is kept.
    #[arg(long)]
    also_changed: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &UndoArgs, direction: UndoDirection, given: Option<&str>) -> anyhow::Result<ExitCode> {
    let workspace = crate::environment::current_folder()?;
    let settings = Settings::load(&workspace, given)?;
    let home = crate::environment::own_home()?;
    let project = project_of(&workspace);
    let rules = Arc::new(settings.rules(&project)?);
    let cages = Arc::new(Cages::new(settings.cages(), &fore_commands::CATALOGUE));
    let probe = GitProbe::new(Arc::clone(&cages));
    let ground =
        Ground::new(&rules, &settings.table, &project, &fore_shell::GitFacts::Unprobed, &fore_commands::CATALOGUE);
    let ground = Ground { home: settings.home.as_deref(), ..ground };
    let state = State::default();
    let folder = UndoFolder::open(&home, &project)?;
    let undoer = Undoer {
        folder: &folder,
        project: &project,
        opener: undo_opener(&cages, &project, &rules),
        session: None,
        objects: &|names| probe.blobs(&project, names),
        permit: &|action| taken_back(&state, &ground, action)?.present(&state),
    };
    undoer.settle();
    let mut screen = Console::stdout();
    if args.list {
        return list(&undoer, direction, args.json, &mut screen);
    }
    let plan = match undoer.plan(direction, usize::from(args.turns)) {
        Ok(plan) => plan,
        Err(why) if args.json => {
            screen.json(&json!({ "direction": direction, "done": [], "left": [], "why": why }))?;
            return Ok(ExitCode::SUCCESS);
        }
        Err(why) => {
            screen.line(plain(&why))?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    if !args.json {
        for line in plan.page(&project).lines() {
            screen.line(plain(line))?;
        }
    }
    let (ready, changed) = plan.counts();
    let also_changed = args.also_changed && changed > 0;
    if ready == 0 && !also_changed {
        if changed > 0 {
            bail!("you have changed every one of these files since; --also-changed takes them back all the same");
        }
        return Ok(ExitCode::SUCCESS);
    }
    let count = if also_changed { ready + changed } else { ready };
    let verb = match direction {
        UndoDirection::Undo => "Undo",
        UndoDirection::Redo => "Redo",
    };
    let question = format!("{verb} the changes of {}?", fore_text::count_as(count, "file", "files"));
    if !confirmed(&question, args.yes)? {
        screen.line("Nothing was changed.")?;
        return Ok(ExitCode::SUCCESS);
    }
    let done = undoer.apply(&plan, also_changed);
    if args.json {
        let left: Vec<_> = done.left.iter().map(|(path, why)| json!({ "path": path, "why": why })).collect();
        screen.json(&json!({ "direction": direction, "done": done.done, "left": left }))?;
    } else {
        let words = done.words(direction, &project).replace("/redo", "`fore redo`").replace("/undo", "`fore undo`");
        screen.paragraph("", &plain(&words))?;
    }
    Ok(if done.left.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn list(
    undoer: &Undoer<'_>,
    direction: UndoDirection,
    as_json: bool,
    screen: &mut Console<impl std::io::Write>,
) -> anyhow::Result<ExitCode> {
    let turns = undoer.prompts(direction);
    if as_json {
        let all: Vec<_> = turns.iter().map(|(at, prompt)| json!({ "at": at, "prompt": prompt })).collect();
        screen.json(&all)?;
        return Ok(ExitCode::SUCCESS);
    }
    if turns.is_empty() {
        screen.line("Nothing is remembered of this project.")?;
    }
    for (number, (at, prompt)) in turns.iter().enumerate() {
        let when = ago(fore_plan::approval::Timestamp(*at));
        screen.line(format_args!("{:>3}  {when:>8}  {}", number + 1, plain(prompt)))?;
    }
    Ok(ExitCode::SUCCESS)
}
