//! `fore trust`: says, takes back and lists which folders are trusted. Only a person calls it; nothing else changes the list.

use crate::{
    args::TrustArgs,
    console::{Console, plain},
    report,
    settings::{Settings, Trust},
};
use anyhow::{Context, bail};
use fore_agent::project_of;
use fore_store::{
    Home, TrustedFolders,
    trust::{self, SeenContent, TrustChange},
};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

pub(crate) fn run(args: &TrustArgs) -> anyhow::Result<ExitCode> {
    let home = crate::environment::own_home()?;
    let mut screen = Console::stdout();
    if args.list {
        let trusted = TrustedFolders::read(home.path())?;
        for folder in trusted.folders() {
            screen.line(plain(&folder.display().to_string()))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let folder = folder(args.folder.as_deref())?;
    if args.remove {
        screen.paragraph("", &plain(&remove(&home, &folder)?))?;
        return Ok(ExitCode::SUCCESS);
    }
    let settings = Settings::load_understood(&folder, None)?;
    // Trust is for what was read: a file that is not understood gets none, and is asked about once it is mended.
    settings.problems.lines().iter().for_each(|line| report::warning(&format!("left out: {line}")));
    settings.unknown_keys.iter().for_each(|line| report::warning(line));
    if args.review {
        review(&mut screen, &settings)?;
        return Ok(ExitCode::SUCCESS);
    }
    let named = if args.folder.is_some() { FolderChoice::ByThePerson } else { FolderChoice::ByWhereTheyAre };
    grants(&mut screen, &settings)?;
    let line = add(&home, &folder, named, &settings)?;
    screen.paragraph("", &plain(&line))?;
    Ok(ExitCode::SUCCESS)
}

/// What the folder's own settings get with trust.
fn grants(screen: &mut Console<impl Write>, settings: &Settings) -> io::Result<()> {
    if settings.grants.is_empty() {
        return Ok(());
    }
    screen.line("Its own files grant, once it is trusted:")?;
    settings.grants.iter().try_for_each(|grant| screen.exact_line(format_args!("  {}", plain(grant))))
}

/// What is not as it was trusted, and what that would grant. Changes nothing.
fn review(screen: &mut Console<impl Write>, settings: &Settings) -> io::Result<()> {
    for file in &settings.untrusted {
        screen.paragraph("", &plain(&file.words))?;
        file.difference.lines().try_for_each(|line| screen.exact_line(plain(line)))?;
    }
    match (&settings.trust, settings.untrusted.is_empty()) {
        (Trust::NotTrusted, _) => screen.line("This folder is not trusted.")?,
        (_, true) => screen.line("What this folder's files grant is what you trusted.")?,
        (_, false) => {}
    }
    grants(screen, settings)
}

/// The folder that was named, or the project that one is in: that is what a session asks about.
fn folder(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    let here = crate::environment::current_folder()?;
    Ok(match named {
        Some(folder) => here.join(folder),
        None => project_of(&here.canonicalize().unwrap_or(here)),
    })
}

/// How the folder was chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FolderChoice {
    ByThePerson,
    ByWhereTheyAre,
}

/// Trusts a folder with its settings as they were read, and says so.
pub(crate) fn add(home: &Home, folder: &Path, named: FolderChoice, settings: &Settings) -> anyhow::Result<String> {
    let real = folder.canonicalize().with_context(|| format!("the folder {} cannot be used", folder.display()))?;
    let user_home = crate::environment::user_home().and_then(|home| home.canonicalize().ok());
    if let Some(user_home) = user_home.filter(|user_home| user_home.starts_with(&real)) {
        if user_home != real {
            bail!("{} holds your home folder and more; trust the folder of a project instead", real.display());
        }
        if named == FolderChoice::ByWhereTheyAre {
            bail!("this is your home folder, with everything in it; if you mean that, name it: fore trust ~");
        }
    }
    if settings.project.starts_with(&real) {
        SeenContent::keep(home, &settings.project, settings.repository.texts())?;
    }
    let (real, changed) = trust::add(home, &real)?;
    let shown = real.display();
    let project = project_of(&real);
    let is_whole = TrustedFolders::read(home.path())?.covering(&project).is_some();
    Ok(match changed {
        TrustChange::Already if !settings.untrusted.is_empty() => {
            format!("{shown} is trusted again, with its files as they are now.")
        }
        TrustChange::Already => format!("{shown} was trusted already."),
        TrustChange::Yes if !is_whole => format!(
            "{shown} is trusted now. It is part of {}, which is not: sessions there ask about the whole project.",
            project.display()
        ),
        TrustChange::Yes => {
            format!("{shown} is trusted now, with everything in it. Take it back with: fore trust --remove")
        }
    })
}

/// Trusts a folder no longer, and says so.
pub(crate) fn remove(home: &Home, folder: &Path) -> anyhow::Result<String> {
    let (real, changed) = trust::remove(home, folder)?;
    let trusted = TrustedFolders::read(home.path())?;
    let still = trusted.covering(&real).map(|by| format!(" It is still trusted as part of {}.", by.display()));
    Ok(match changed {
        TrustChange::Yes => format!("{} is no longer trusted.{}", real.display(), still.unwrap_or_default()),
        TrustChange::Already => format!("{} was not on the list.{}", real.display(), still.unwrap_or_default()),
    })
}
