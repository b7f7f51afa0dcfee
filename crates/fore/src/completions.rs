//! Completion for shells, and manual pages: both from the definitions that `--help` is made of. It changes nothing.

use crate::{
    args::{Args, CompletionsArgs, ManArgs},
    environment,
    format::ago,
    headless::launch::{here, plan_folders},
    settings::Settings,
};
use anyhow::{Context, bail};
use clap::CommandFactory as _;
use clap_complete::{CompleteEnv, CompletionCandidate, env::Shells};
use fore_store::{Home, PlanFolder, plan_list, session};
use std::{
    ffi::OsStr,
    io::{self, Write as _},
    process::ExitCode,
};

/// The variable by which a shell asks what fits; set by the script alone.
const VARIABLE: &str = "FORE_COMPLETE";
/// Sessions that are offered, the newest first.
const MAX_SESSIONS: usize = 50;
const MAX_PLANS: usize = 500;
const MAX_HELP_CHARS: usize = 60;

/// Answers a shell that asks what fits, and ends the program then.
pub(crate) fn answer_if_asked() {
    CompleteEnv::with_factory(Args::command).var(VARIABLE).complete();
}

/// `fore completions`: the script that a shell reads once.
pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    let shells = Shells::builtins();
    let name = args.shell.name();
    let shell = shells.completer(name).with_context(|| format!("there is no completion for {name}"))?;
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "fore", "fore", "fore", &mut script)?;
    io::stdout().lock().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// `fore man`: one manual page.
pub(crate) fn manual(args: &ManArgs) -> anyhow::Result<ExitCode> {
    let mut command = Args::command();
    command.build();
    let page = match &args.command {
        None => command,
        Some(name) => match command.find_subcommand(name) {
            Some(found) => found.clone(),
            None => bail!("`{name}` is not a fore command; `fore --help` lists them"),
        },
    };
    let mut out = Vec::new();
    clap_mangen::Man::new(page).render(&mut out)?;
    io::stdout().lock().write_all(&out)?;
    Ok(ExitCode::SUCCESS)
}

/// The names of plans that begin so.
pub(crate) fn plans(begin: &OsStr) -> Vec<CompletionCandidate> {
    let Some(home) = existing_home() else { return Vec::new() };
    let settings = here().ok().and_then(|folder| Settings::load(&folder, None).ok());
    let folders = settings.map_or_else(|| vec![PlanFolder::of_home(&home)], |settings| plan_folders(&home, &settings));
    let names = folders.iter().filter_map(|folder| plan_list::names(folder).ok()).flatten();
    let mut names: Vec<String> = names.map(|name| name.to_string().trim_end_matches(".md").to_owned()).collect();
    names.sort();
    names.dedup();
    fitting(names.into_iter().take(MAX_PLANS).map(CompletionCandidate::new), begin)
}

/// The ids of this folder's sessions that begin so, each with its first prompt.
pub(crate) fn sessions(begin: &OsStr) -> Vec<CompletionCandidate> {
    let (Some(home), Ok(folder)) = (existing_home(), here()) else { return Vec::new() };
    let found = session::list(&home, folder.to_str(), MAX_SESSIONS).unwrap_or_default();
    let described = found.iter().enumerate().map(|(order, summary)| {
        let prompt = session::overview(&home, summary.session).ok().and_then(|glance| glance.first_prompt);
        let help = format!("{}: {}", ago(summary.modified), prompt.unwrap_or_default());
        let help = fore_text::cut::ellipsis(&fore_text::line(&help), MAX_HELP_CHARS).into_owned();
        let candidate = CompletionCandidate::new(summary.session.to_string());
        candidate.help(Some(help.into())).display_order(Some(order))
    });
    fitting(described, begin)
}

fn fitting(all: impl Iterator<Item = CompletionCandidate>, begin: &OsStr) -> Vec<CompletionCandidate> {
    let begin = begin.as_encoded_bytes();
    all.filter(|candidate| candidate.get_value().as_encoded_bytes().starts_with(begin)).collect()
}

/// Our own folder, if it is there: a key pressed in a shell makes none.
fn existing_home() -> Option<Home> {
    let path = Home::locate(environment::variable(fore_store::HOME_VARIABLE), environment::user_home()).ok()?;
    path.is_dir().then(|| Home::open(&path).ok()).flatten()
}
