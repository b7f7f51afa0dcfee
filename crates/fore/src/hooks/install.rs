//! `fore hooks install` and `uninstall`: shows what would change in another agent's settings, asks, and writes it.

use super::{agreed, host_settings};
use crate::{
    args::HookHost,
    console::{Console, plain},
    gate::project_of,
};
use anyhow::{Context, bail};
use fore_plan::plan::diff;
use fore_sandbox::person_environment::own_program;
use fore_store::agent_settings::{AgentSettings, beneath};
use std::{io::Write, process::ExitCode};

/// Lines of the difference.
const MAX_DIFF_LINES: usize = 80;

pub(super) fn install(
    screen: &mut Console<impl Write>,
    host: HookHost,
    user: bool,
    yes: bool,
) -> anyhow::Result<ExitCode> {
    let file = file(host, user)?;
    let before = file.read()?;
    let program = own_program().context("this program cannot be found")?;
    let program = program.to_str().context("the path of this program is not text")?;
    let mode = if host == HookHost::Gemini { " --mode default" } else { "" };
    let command = format!("'{}' gate --as {}{mode}", program.replace('\'', r"'\''"), name(host));
    let after = host_settings::with_hook(host_settings::row(host), before.as_deref(), &command);
    let after = after.map_err(|why| anyhow::anyhow!("{} was not changed: {why}", file.path().display()))?;
    if before.as_deref() == Some(after.as_str()) {
        screen.line("It is installed there already.")?;
        return Ok(ExitCode::SUCCESS);
    }
    change(screen, &file, before.as_deref(), Some(&after), yes)
}

pub(super) fn uninstall(
    screen: &mut Console<impl Write>,
    host: HookHost,
    user: bool,
    yes: bool,
) -> anyhow::Result<ExitCode> {
    let file = file(host, user)?;
    let before = file.read()?;
    let left = before.as_deref().map(|text| host_settings::without_hook(host_settings::row(host), text));
    let left = left.transpose().map_err(|why| anyhow::anyhow!("{} was not changed: {why}", file.path().display()))?;
    match left {
        Some(after) if after != before => change(screen, &file, before.as_deref(), after.as_deref(), yes),
        Some(_) | None => {
            screen.line("It is not installed there.")?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Shows the difference, asks, and writes; what somebody changed meanwhile is left alone.
fn change(
    screen: &mut Console<impl Write>,
    file: &AgentSettings,
    before: Option<&str>,
    after: Option<&str>,
    yes: bool,
) -> anyhow::Result<ExitCode> {
    let path = file.path();
    screen.line(plain(&path.display().to_string()))?;
    let changes = diff(before.unwrap_or_default(), after.unwrap_or_default()).unified(MAX_DIFF_LINES);
    changes.lines().try_for_each(|line| screen.exact_line(plain(line)))?;
    if !yes && !agreed(screen, "Write this?")? {
        screen.line("Nothing was changed.")?;
        return Ok(ExitCode::SUCCESS);
    }
    file.replace(before, after)?;
    screen.line(if after.is_some() { "Written." } else { "The file held nothing else, so it is gone." })?;
    Ok(ExitCode::SUCCESS)
}

fn file(host: HookHost, user: bool) -> anyhow::Result<AgentSettings> {
    let row = host_settings::row(host);
    if user {
        let Some(home) = crate::environment::user_home().filter(|home| home.is_absolute()) else {
            bail!("your home folder is not known");
        };
        return Ok(beneath(&home, row.in_home));
    }
    let here = crate::environment::current_folder()?;
    Ok(beneath(&project_of(&here.canonicalize().unwrap_or(here)), row.in_project))
}

fn name(host: HookHost) -> &'static str {
    match host {
        HookHost::Claude => "claude",
        HookHost::Codex => "codex",
        HookHost::Gemini => "gemini",
        HookHost::Qwen => "qwen",
        HookHost::Opencode => "opencode",
    }
}
