//! `fore permissions`: the rules that hold with where each comes from, why a command would ask, and how to take one back. The terminal's
//! `/permissions` asks the same questions.

use crate::{
    args::{PermissionsArgs, PermissionsCommand},
    console::{Console, one_line},
    environment, gate,
    headless::launch::here,
    settings::{Fate, Settings, without_rule},
};
use anyhow::bail;
use fore_agent::Disk;
use fore_plan::gate::{Action, ExplainedOutcome, Explanation};
use fore_sandbox::Cages;
use fore_store::{Home, always_allowed, own_settings};
use serde_json::json;
use std::process::ExitCode;
use unicode_width::UnicodeWidthStr as _;

/// The widest column of rules.
const MAX_COLUMN_WIDTH: usize = 40;
const LISTS: [&str; 3] = ["deny", "ask", "allow"];

pub(crate) fn run(args: &PermissionsArgs, given: Option<&str>) -> anyhow::Result<ExitCode> {
    let folder = here()?;
    let settings = Settings::load(&folder, given)?;
    crate::report::warn(&settings);
    let mut screen = Console::stdout();
    match &args.command {
        None | Some(PermissionsCommand::List { .. }) => list(&mut screen, &settings, args.is_json())?,
        Some(PermissionsCommand::Test { mode, json, command }) => {
            let mode = mode.unwrap_or(settings.written.permissions.default_mode);
            let cages = Cages::new(settings.cages(), &fore_commands::CATALOGUE);
            let context = gate::GateContext::new(mode, &folder, None, &settings, &cages, gate::GateTrust::AsItIs)?;
            let cwd = Disk::new(&folder, settings.home.as_deref()).text();
            let command = command.join(" ");
            let explanation = context.explain(Action::Run { command: command.clone(), cwd, rehearse: false });
            if *json {
                screen.json(&json!({ "command": command, "explanation": explanation }))?;
            } else {
                explain(&mut screen, &command, &explanation)?;
            }
            return Ok(ExitCode::from(match explanation.outcome {
                ExplainedOutcome::Runs => 0,
                ExplainedOutcome::Asks => 10,
                ExplainedOutcome::Refused => 11,
            }));
        }
        Some(PermissionsCommand::Forget { words }) => {
            let home = environment::own_home()?;
            screen.line(one_line(&forget(&home, &settings, &words.join(" "))?))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(screen: &mut Console<impl std::io::Write>, settings: &Settings, as_json: bool) -> anyhow::Result<()> {
    let always = always_of(settings);
    let rows = rows(settings, &always);
    if as_json {
        let row = |row: &RuleRow| json!({ "list": row.list, "rule": row.rule, "from": row.from });
        screen.json(&rows.iter().map(row).collect::<Vec<_>>())?;
        return Ok(());
    }
    screen.line(format_args!("mode     {}, when a session begins", settings.written.permissions.default_mode))?;
    for line in rules(settings, &always) {
        screen.exact_line(line)?;
    }
    if rows.is_empty() {
        screen.line("There are no rules: what is not a read is asked about.")?;
    }
    Ok(())
}

fn explain(screen: &mut Console<impl std::io::Write>, command: &str, explanation: &Explanation) -> anyhow::Result<()> {
    screen.exact_line(one_line(command))?;
    for line in explanation.lines() {
        screen.paragraph("  ", &one_line(&line))?;
    }
    Ok(())
}

/// What the person allowed for good in this project. A list that is not understood allows nothing, which is said elsewhere.
pub(crate) fn always_of(settings: &Settings) -> Vec<String> {
    let read = settings.folder.as_deref().map(|folder| always_allowed::read(folder, &settings.project));
    read.and_then(Result::ok).unwrap_or_default()
}

/// One rule, for a list.
struct RuleRow {
    list: &'static str,
    rule: String,
    from: String,
}

/// The rules of the settings, deny before ask before allow, and what is always allowed in this project. Refused ones say why they do
/// not hold.
fn rows(settings: &Settings, always: &[String]) -> Vec<RuleRow> {
    let of_list = |wanted: &'static str| {
        settings.entries.iter().filter_map(move |entry| {
            let ["permissions", list] = entry.path.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
                return None;
            };
            let from = match &entry.fate {
                Fate::Taken => entry.origin.to_string(),
                Fate::Refused(why) => format!("{}, {why}", entry.origin),
            };
            let rule = entry.value.as_str().filter(|_| list == wanted)?;
            Some(RuleRow { list: wanted, rule: one_line(rule), from: one_line(&from) })
        })
    };
    let always = always.iter().map(|command| RuleRow {
        list: "always",
        rule: format!("{} …", one_line(command)),
        from: "in this project".to_owned(),
    });
    LISTS.into_iter().flat_map(of_list).chain(always).collect()
}

/// The same, one a line.
pub(crate) fn rules(settings: &Settings, always: &[String]) -> Vec<String> {
    let rows = rows(settings, always);
    let width = rows.iter().map(|row| row.rule.width()).max().unwrap_or(0).min(MAX_COLUMN_WIDTH);
    let line = |row: &RuleRow| {
        let gap = " ".repeat(width.saturating_sub(row.rule.width()));
        format!("{:<6}  {}{gap}  {}", row.list, row.rule, row.from)
    };
    rows.iter().map(line).collect()
}

/// Takes back what is always allowed in this project, or a rule of the person's own settings, and says so. What others wrote is theirs.
pub(crate) fn forget(home: &Home, settings: &Settings, words: &str) -> anyhow::Result<String> {
    let command = words.replace(['`', '…'], "").trim().to_owned();
    if always_allowed::set(home, &settings.project, &command, false)? {
        return Ok(format!("`{command} …` is asked about again; sessions that are open now still allow it."));
    }
    let words = words.trim();
    let (list, rule) = match words.split_once(char::is_whitespace) {
        Some((list, rule)) if LISTS.contains(&list) => (Some(list), rule.trim()),
        Some(_) | None => (None, words),
    };
    let held: Vec<&crate::settings::SettingEntry> = settings
        .entries
        .iter()
        .filter(|entry| entry.path.len() == 2 && entry.path.first().is_some_and(|group| group == "permissions"))
        .filter(|entry| {
            entry.value.as_str() == Some(rule) && list.is_none_or(|list| entry.path.last().is_some_and(|of| of == list))
        })
        .collect();
    let Some(text) = own_settings::read(home)?.and_then(|text| without_rule(&text, list, rule)) else {
        match held.first() {
            Some(entry) => bail!("`{rule}` is written in {}; take it out there", entry.origin),
            None => bail!("nothing here is called `{words}`; `fore permissions` lists what holds"),
        }
    };
    own_settings::write(home, &text)?;
    let path = own_settings::path(home);
    Ok(format!("`{rule}` is no longer in your settings: {}.", path.display()))
}
