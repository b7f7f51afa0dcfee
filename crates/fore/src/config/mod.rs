//! `fore config`: every setting that holds and where it comes from; what was refused, and why. Only `set` and `unset` change something.

mod change;
mod rows;
mod show;

use crate::{
    args::{ConfigArgs, ConfigCommand},
    console::{Console, one_line},
    settings::Settings,
};
use anyhow::bail;
use fore_text::spelling::nearest;
pub(crate) use rows::listed;
use rows::{SettingRow, rows};
use std::process::ExitCode;

pub(crate) fn run(args: &ConfigArgs, given: Option<&str>) -> anyhow::Result<ExitCode> {
    let mut screen = Console::stdout();
    let done = match &args.command {
        Some(ConfigCommand::Set { key, value }) => Some(change::set(key, value)?),
        Some(ConfigCommand::Unset { key }) => Some(change::unset(key)?),
        None => None,
    };
    if let Some(words) = done {
        screen.line(one_line(&words))?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.schema {
        screen.json(&crate::settings::schema())?;
        return Ok(ExitCode::SUCCESS);
    }
    let settings = Settings::load_understood(&crate::environment::current_folder()?, given)?;
    let rows = chosen(rows(&settings), args.key.as_deref())?;
    if args.json {
        screen.json(&rows::as_json(&settings, &rows))?;
    } else if args.paths {
        show::paths(&mut screen, &settings)?;
    } else {
        show::table(&mut screen, &rows)?;
        if args.key.is_none() {
            show::closing(&mut screen, &settings)?;
        }
    }
    // What holds without them is on the screen; that they are left out is an error all the same.
    if settings.problems.is_empty() { Ok(ExitCode::SUCCESS) } else { Err(settings.problems.into()) }
}

/// The rows of a key, or of everything under it.
fn chosen(rows: Vec<SettingRow>, key: Option<&str>) -> anyhow::Result<Vec<SettingRow>> {
    let Some(key) = key else { return Ok(rows) };
    let is_in =
        |row: &SettingRow| row.key.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let names: Vec<String> = rows.iter().map(|row| row.key.clone()).collect();
    let chosen: Vec<SettingRow> = rows.into_iter().filter(is_in).collect();
    if chosen.is_empty() {
        let near = nearest(key, names.iter().map(String::as_str), 1);
        let last = names.iter().find(|name| name.rsplit('.').next() == Some(key));
        match last.or(near.first()) {
            Some(near) => bail!("there is no setting `{key}`; did you mean `{near}`?"),
            None => bail!("there is no setting `{key}`; `fore config` lists them all"),
        }
    }
    Ok(chosen)
}
