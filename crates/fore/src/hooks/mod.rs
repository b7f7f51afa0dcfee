//! `fore hooks`: lists hooks, tries them, says which ones of a project are trusted, and puts `fore gate` into other agents' hooks.

mod host_settings;
mod install;
mod test_run;

use crate::{
    args::{HooksArgs, HooksCommand},
    console::{Console, plain},
    report,
    settings::Settings,
};
use anyhow::bail;
use fore_hooks::{ConfiguredHook, HookStanding};
use fore_plan::plan::{Hash, diff};
use fore_store::vouches::{self, Vouch, VouchKind, Vouches};
use serde_json::json;
use std::{
    io::{self, BufRead as _, IsTerminal as _, Write},
    process::ExitCode,
};

/// Lines of a difference that are shown.
const MAX_DIFF_LINES: usize = 60;
/// The longest answer to a question.
const MAX_ANSWER_BYTES: u64 = 100;

pub(crate) fn run(args: &HooksArgs, given: Option<&str>) -> anyhow::Result<ExitCode> {
    let mut screen = Console::stdout();
    match &args.command {
        HooksCommand::Install { agent, user, yes } => return install::install(&mut screen, *agent, *user, *yes),
        HooksCommand::Uninstall { agent, user, yes } => return install::uninstall(&mut screen, *agent, *user, *yes),
        HooksCommand::List { .. }
        | HooksCommand::Test { .. }
        | HooksCommand::Trust { .. }
        | HooksCommand::Untrust { .. } => {}
    }
    let settings = Settings::load_here(given)?;
    match &args.command {
        HooksCommand::List { json: true } => screen.json(&as_json(&settings))?,
        HooksCommand::List { json: false } => list(&mut screen, &settings)?,
        HooksCommand::Test { event, tool, input, mode } => {
            let example = test_run::HookExample { event: *event, tool, input, mode: *mode };
            return test_run::test(&mut screen, &settings, &example);
        }
        HooksCommand::Trust { hashes, yes } => trust(&mut screen, &settings, hashes, *yes)?,
        HooksCommand::Untrust { hashes, all } => untrust(&mut screen, &settings, hashes, *all)?,
        HooksCommand::Install { .. } | HooksCommand::Uninstall { .. } => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn standing(one: &ConfiguredHook) -> &'static str {
    match one.standing {
        HookStanding::Own => "runs",
        HookStanding::Vouched => "runs, trusted",
        HookStanding::Unknown => "off, not trusted",
        HookStanding::Changed(_) => "off, not what you trusted",
    }
}

fn list(screen: &mut Console<impl Write>, settings: &Settings) -> io::Result<()> {
    let hooks = &settings.hooks;
    if hooks.hooks.is_empty() {
        screen.line("No hooks are set up here.")?;
    }
    for one in &hooks.hooks {
        show(screen, one)?;
    }
    for path in &hooks.may_write {
        screen.line(format_args!("Hooks may write {}, also while planning.", plain(&path.display().to_string())))?;
    }
    for (file, fault) in &hooks.faults {
        report::warning(&format!("{file}: {}", fault.what));
    }
    Ok(())
}

/// The whole hook: nobody trusts what they have not seen.
fn show(screen: &mut Console<impl Write>, one: &ConfiguredHook) -> io::Result<()> {
    let hook = &one.hook;
    let matcher = hook.matcher.text().trim();
    let matcher = if matcher.is_empty() { String::new() } else { format!(" {matcher}") };
    let head = format!("{}{matcher} · {} · {}", hook.event.name(), hook.origin.file, standing(one));
    screen.line(plain(&head))?;
    hook.runner.text().lines().try_for_each(|line| screen.exact_line(format_args!("    {}", plain(line))))?;
    if matches!(one.standing, HookStanding::Own) {
        return Ok(());
    }
    // To the letter: arguments one by one, headers, and the files whose bytes count.
    one.content.lines().skip(2).try_for_each(|line| screen.exact_line(format_args!("      {}", plain(line))))?;
    screen.line(format_args!("    hash {}", one.hash()))?;
    if let HookStanding::Changed(before) = &one.standing {
        let changes = diff(before, &one.content).unified(MAX_DIFF_LINES);
        changes.lines().try_for_each(|line| screen.exact_line(format_args!("    {}", plain(line))))?;
    }
    Ok(())
}

fn as_json(settings: &Settings) -> serde_json::Value {
    let row = |one: &ConfiguredHook| {
        json!({
            "event": one.hook.event.name(),
            "matcher": one.hook.matcher.text(),
            "runs": one.hook.runner.text(),
            "from": one.hook.origin.file,
            "timeoutMs": u64::try_from(one.hook.timeout.as_millis()).unwrap_or(u64::MAX),
            "isOn": one.runs(),
            "standing": standing(one),
            "hash": one.hash().to_string(),
            "content": one.content,
        })
    };
    json!({
        "hooks": settings.hooks.hooks.iter().map(row).collect::<Vec<_>>(),
        "mayWrite": settings.hooks.may_write,
        "notUnderstood": settings.hooks.faults.iter().map(|(file, fault)| json!({"file": file, "what": fault.what})).collect::<Vec<_>>(),
    })
}

fn trust(screen: &mut Console<impl Write>, settings: &Settings, hashes: &[Hash], yes: bool) -> anyhow::Result<()> {
    let waiting: Vec<&ConfiguredHook> = settings.hooks.waiting().collect();
    let missing = hashes.iter().find(|hash| !settings.hooks.hooks.iter().any(|one| one.hash() == **hash));
    if let Some(missing) = missing {
        bail!("no hook here has the hash {missing}; `fore hooks list` shows them");
    }
    let chosen: Vec<&ConfiguredHook> =
        waiting.into_iter().filter(|one| hashes.is_empty() || hashes.contains(&one.hash())).collect();
    if chosen.is_empty() {
        screen.line("No hook waits for your trust.")?;
        return Ok(());
    }
    chosen.iter().try_for_each(|one| show(screen, one))?;
    if hashes.is_empty()
        && !yes
        && !agreed(screen, "Trust them as they are now? They run as you do, outside of plan mode without a sandbox.")?
    {
        screen.line("Nothing was changed.")?;
        return Ok(());
    }
    let home = crate::environment::own_home()?;
    for one in &chosen {
        let vouch = Vouch { kind: VouchKind::Hook, name: one.hook.vouch_name(), content: one.content.clone() };
        vouches::add(&home, &settings.project, vouch)?;
    }
    let which = fore_text::count_as(chosen.len(), "hook is", "hooks are");
    screen.line(format_args!(
        "{which} trusted now, until a byte of what they run changes. Take it back with: fore hooks untrust"
    ))?;
    Ok(())
}

fn untrust(screen: &mut Console<impl Write>, settings: &Settings, hashes: &[Hash], all: bool) -> anyhow::Result<()> {
    if hashes.is_empty() && !all {
        bail!("say which: `fore hooks untrust HASH`, or --all");
    }
    let home = crate::environment::own_home()?;
    let vouches = Vouches::read(home.path(), &settings.project)?;
    let mut count = 0_usize;
    for vouch in vouches.of_kind(VouchKind::Hook).filter(|vouch| all || hashes.contains(&vouch.hash())) {
        count += usize::from(vouches::remove(&home, &settings.project, VouchKind::Hook, &vouch.name)?);
    }
    if count == 0 {
        screen.line("No such hook was trusted here.")?;
        return Ok(());
    }
    screen.line(format_args!("{} trusted no longer.", fore_text::count_as(count, "hook is", "hooks are")))?;
    Ok(())
}

/// Whether the person says yes; without a terminal nobody does.
fn agreed(screen: &mut Console<impl Write>, question: &str) -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() {
        bail!("nobody can answer here; look at it, then say it with --yes");
    }
    screen.paragraph("", &format!("{question} [y/N]"))?;
    let mut answer = String::new();
    io::Read::take(io::stdin().lock(), MAX_ANSWER_BYTES).read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
