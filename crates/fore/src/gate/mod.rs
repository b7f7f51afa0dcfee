//! `fore gate`: what the gate decides about a command or a tool call, without running it.
#![warn(clippy::wildcard_enum_match_arm)]

mod answer;
mod context;
mod host;
mod lines;
mod show;

use crate::{args::GateArgs, console::Console, settings::Settings};
use answer::{GateAnswer, VerdictWord};
use anyhow::{Context, bail};
pub(crate) use context::{GateContext, GateTrust};
use fore_agent::Disk;
pub(crate) use fore_agent::project_of;
use fore_plan::gate::Action;
use fore_sandbox::Cages;
use std::{io::IsTerminal, process::ExitCode};

/// Judges the command that was given, or the lines that come in.
pub(crate) fn run(args: &GateArgs, given: Option<&str>) -> anyhow::Result<ExitCode> {
    let cwd = match &args.cwd {
        Some(folder) => folder.clone(),
        None => crate::environment::current_folder()?,
    };
    let cwd = cwd.canonicalize().with_context(|| format!("the folder {} cannot be used", cwd.display()))?;
    if cwd.to_str().is_none() {
        bail!("the path of the folder {} is not text", cwd.display());
    }
    if let Some(host) = args.host {
        if let Some(line) = host::judge(host, args.mode, &cwd, given, std::io::stdin().lock())? {
            Console::stdout().exact_line(fore_text::json(&line))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let settings = Settings::load(&cwd, given)?;
    let cages = Cages::new(settings.cages(), &fore_commands::CATALOGUE);
    let context =
        GateContext::new(args.mode, &cwd, args.plan_file.as_deref(), &settings, &cages, GateTrust::ByTheMode)?;
    if args.command.is_empty() {
        if std::io::stdin().is_terminal() {
            bail!(
                "there is nothing to judge: give a command after `--`, or tool calls as JSON lines on standard input"
            );
        }
        lines::judge_all(&context, &cwd, std::io::stdin().lock(), std::io::stdout().lock())?;
        return Ok(ExitCode::SUCCESS);
    }
    let command = args.command.join(" ");
    let action = Action::Run {
        command: command.clone(),
        cwd: Disk::new(&cwd, settings.home.as_deref()).text(),
        rehearse: args.rehearse,
    };
    let answer = GateAnswer::of(context.judge(action));
    let mut screen = Console::stdout();
    if args.json {
        screen.json_line(&answer.to_line(None))?;
    } else {
        crate::report::warn(&settings);
        show::show(&mut screen, &command, args.mode, &answer)?;
    }
    Ok(match answer.verdict {
        VerdictWord::Allow => ExitCode::SUCCESS,
        VerdictWord::Ask => ExitCode::from(10),
        VerdictWord::Block => ExitCode::from(11),
    })
}
