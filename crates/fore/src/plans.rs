//! `fore plans`: which plans there are, their texts and revisions, copies of them, and removing one.

use crate::{
    console::{Console, plain},
    format::ago,
    headless::{
        args::{ListArgs, PlansArgs, PlansCommand, RunArgs},
        launch::{self, AnsweredBy, RunContext},
        plan::quoted,
    },
    pick,
    sessions::confirmed,
    settings::Settings,
    table::{Table, TableCell},
};
use anstyle::{AnsiColor, Color, Style};
use anyhow::{Context, bail};
use fore_agent::Begin;
use fore_plan::{
    Mode,
    plan::{Hash, PlanFileName, PlanStage, diff},
    report::{Report, ReportVerdict, ShownTimes, StepOutcome},
};
use fore_store::{
    Home, PlanFolder, SessionId,
    entry::TodoStatus,
    plan_file::{self, PlanReading},
    plan_list::{self, PlanSummary},
    session::PlanHistory,
};
use fore_text::TextKind;
use serde_json::{Value, json};
use std::{
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

const ADDED: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green)));
const REMOVED: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red)));
const DIM: Style = Style::new().dimmed();
const NOTE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Yellow)));
/// Plans among which the one that was carried out is looked for.
const MAX_REPORTED: usize = 1_000;
/// Lines of a difference that are shown.
const MAX_DIFF_LINES: usize = 10_000;

pub(crate) fn run(args: &PlansArgs, given: Option<&str>) -> anyhow::Result<ExitCode> {
    let home = crate::environment::own_home()?;
    let folders = launch::plan_folders(&home, &Settings::load_here(given)?);
    let find =
        |word: &str| pick::plan(&home, &folders, word).and_then(|(folder, name)| StoredPlan::open(&home, folder, name));
    match &args.command {
        None => list(&home, &folders, &args.list),
        Some(PlansCommand::Show { name, revision, json, covers: true, .. }) => {
            covers(&find(name)?, *revision, *json, given)
        }
        Some(PlansCommand::Show { name, revision, json, covers: false, raw }) => {
            let shows = match (json, raw) {
                (true, _) => PlanFormat::Json,
                (false, true) => PlanFormat::Raw,
                (false, false) => PlanFormat::Text,
            };
            show(&find(name)?, *revision, shows)
        }
        Some(PlansCommand::Diff { name, old, new }) => difference(&find(name)?, *old, *new),
        Some(PlansCommand::Report { name, json }) => became(&find(name)?, &folders, *json),
        Some(PlansCommand::Export { name, path, revision, html }) => {
            export(&find(name)?, path.as_deref(), *revision, *html)
        }
        Some(PlansCommand::Remove { name, yes }) => remove(&find(name)?, name, *yes),
    }
}

/// One plan with its versions.
#[derive(Debug)]
pub(crate) struct StoredPlan<'a> {
    home: &'a Home,
    folder: PlanFolder,
    summary: PlanSummary,
}

/// A text of a plan and what it is called.
#[derive(Debug)]
pub(crate) struct PlanVersion {
    label: String,
    pub(crate) hash: Hash,
    pub(crate) text: String,
}

impl<'a> StoredPlan<'a> {
    pub(crate) fn open(home: &'a Home, folder: PlanFolder, name: PlanFileName) -> anyhow::Result<StoredPlan<'a>> {
        let found = plan_list::find(home, &folder, &name)?;
        let summary = found.with_context(|| format!("the plan `{}` is gone", stem(&name)))?;
        Ok(StoredPlan { home, folder, summary })
    }

    /// The file as it is; none when it is gone.
    fn on_disk(&self) -> anyhow::Result<Option<PlanVersion>> {
        let text = match self.folder.read(&self.summary.name) {
            PlanReading::Text(text) => text,
            PlanReading::Missing => return Ok(None),
            reading @ (PlanReading::Unreadable(_) | PlanReading::TooLarge { .. }) => {
                bail!("the plan cannot be read: {}", reading.trouble().unwrap_or_default())
            }
        };
        let hash = Hash::of(text.as_bytes());
        let number = self.revisions().iter().rev().find(|kept| kept.hash == hash).map(|kept| kept.number);
        let label = number.map_or_else(|| "the file as it is".into(), |number| format!("revision {number} (the file)"));
        Ok(Some(PlanVersion { label, hash, text }))
    }

    /// A plan of another project means other files by the same names.
    pub(crate) fn require_about(&self, folder: &Path) -> anyhow::Result<()> {
        let here = fore_agent::project_of(folder);
        let is_other = |about: &&str| fore_agent::project_of(Path::new(about)) != here;
        match self.summary.folder.as_deref().filter(is_other) {
            Some(about) => bail!("the plan `{}` is about {about}; go there first: cd {}", self.stem(), quoted(about)),
            None => Ok(()),
        }
    }

    fn revisions(&self) -> &[fore_store::session::KeptRevision] {
        self.summary.history.as_ref().map_or(&[], |history| &history.revisions)
    }

    fn revision(&self, number: u32) -> anyhow::Result<PlanVersion> {
        let kept = self.revisions().iter().rev().find(|kept| kept.number == number);
        let Some(kept) = kept else {
            match self.revisions().iter().map(|kept| kept.number).max() {
                Some(newest) => bail!("`{}` has no revision {number}; the newest is {newest}", self.stem()),
                None => bail!("no revisions of `{}` are recorded: its session is gone or was never here", self.stem()),
            }
        };
        let text = plan_list::revision_text(self.home, kept.hash)?;
        let text = text.with_context(|| format!("the text of revision {number} is lost or damaged"))?;
        Ok(PlanVersion { label: format!("revision {number}"), hash: kept.hash, text })
    }

    /// The revision that is asked for, else the file, else the newest revision.
    pub(crate) fn version(&self, revision: Option<u32>) -> anyhow::Result<PlanVersion> {
        if let Some(number) = revision {
            return self.revision(number);
        }
        match (self.on_disk()?, self.revisions().last()) {
            (Some(version), _) => Ok(version),
            (None, Some(newest)) => self.revision(newest.number),
            (None, None) => bail!("the plan `{}` has no text", self.stem()),
        }
    }

    pub(crate) fn stem(&self) -> String {
        stem(&self.summary.name)
    }

    /// The session that made it, where that is still there.
    pub(crate) fn session(&self) -> Option<SessionId> {
        self.summary.session
    }

    pub(crate) fn path(&self) -> &Path {
        &self.summary.path
    }
}

pub(crate) fn stem(name: &PlanFileName) -> String {
    name.to_string().trim_end_matches(".md").to_owned()
}

fn list(home: &Home, folders: &[PlanFolder], args: &ListArgs) -> anyhow::Result<ExitCode> {
    let mut plans = Vec::new();
    for folder in folders {
        plans.extend(plan_list::list(home, folder, usize::from(args.limit))?);
    }
    plans.sort_by_key(|plan| std::cmp::Reverse(plan.file.map(|file| file.modified)));
    let mut plans = without_copies(plans);
    plans.truncate(usize::from(args.limit));
    let mut screen = Console::stdout();
    if args.json {
        let all: Vec<Value> = plans.iter().map(as_json).collect();
        screen.json(&all)?;
        return Ok(ExitCode::SUCCESS);
    }
    if plans.is_empty() {
        screen.line("No plan yet. `fore plan \"what to do\"` makes one.")?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(vec!["PLAN", "AGE", "STAGE", "FOLDER", "TITLE"]);
    for plan in &plans {
        table.row(vec![
            TableCell::left(stem(&plan.name)),
            TableCell::right(plan.file.map_or_else(String::new, |file| ago(file.modified))),
            TableCell::left(stage_of(plan)),
            TableCell::path(plan.folder.clone().unwrap_or_else(|| "?".into())),
            TableCell::left(plan.title.clone()),
        ]);
    }
    table.print(&mut screen)?;
    Ok(ExitCode::SUCCESS)
}

/// One plan, one row: `fore apply` works on a copy of its own, whose stage is that of the plan.
pub(crate) fn without_copies(plans: Vec<PlanSummary>) -> Vec<PlanSummary> {
    let newest =
        |plan: &PlanSummary| plan.history.as_ref().and_then(|history| history.revisions.last()).map(|kept| kept.hash);
    let mut rows: Vec<PlanSummary> = Vec::new();
    for plan in plans {
        let hash = newest(&plan);
        let twin = rows.iter_mut().find(|row| hash.is_some() && newest(row) == hash && row.folder == plan.folder);
        let Some(twin) = twin else {
            rows.push(plan);
            continue;
        };
        let (first, mut later) = if plan.session < twin.session { (plan, twin.clone()) } else { (twin.clone(), plan) };
        let stage = |plan: &PlanSummary| plan.history.as_ref().map(|history| progress(history.stage));
        let is_ahead = stage(&later) > stage(&first);
        *twin = first;
        if let (true, Some(history), Some(ahead)) = (is_ahead, twin.history.as_mut(), later.history.take()) {
            (history.stage, history.approved) = (ahead.stage, ahead.approved);
            (history.todos, history.report) = (ahead.todos, ahead.report);
        }
    }
    rows
}

/// How far a plan has come.
fn progress(stage: PlanStage) -> u8 {
    match stage {
        PlanStage::Abandoned => 0,
        PlanStage::Draft => 1,
        PlanStage::Rejected => 2,
        PlanStage::Proposed => 3,
        PlanStage::Approved => 4,
        PlanStage::InProgress => 5,
        PlanStage::Done => 6,
    }
}

/// How far a plan is, with what is known of its steps and its end.
pub(crate) fn stage_of(plan: &PlanSummary) -> String {
    match (&plan.history, &plan.name) {
        (Some(history), _) => stage_words(history),
        (None, PlanFileName::Agent(..)) => "an agent's notes".into(),
        (None, PlanFileName::Main(_)) => "unknown".into(),
    }
}

fn stage_words(history: &PlanHistory) -> String {
    let word = stage_word(history.stage);
    match (history.stage, &history.report) {
        // What the report saw counts more than what the model ticked off.
        (PlanStage::InProgress, Some(report)) if !report.steps.is_empty() => {
            format!("{word} {}", steps_done(report))
        }
        (PlanStage::InProgress, _) if !history.todos.is_empty() => {
            let done = history.todos.iter().filter(|todo| todo.status == TodoStatus::Done).count();
            format!("{word} {done}/{}", history.todos.len())
        }
        (PlanStage::Done, Some(report)) => match report.verdict() {
            ReportVerdict::Clean => word.to_owned(),
            ReportVerdict::Unfinished => unfinished(report),
            ReportVerdict::NotPlanned => format!("{word} with drift"),
            ReportVerdict::Unproved => format!("{word}, not proved"),
        },
        (
            PlanStage::Draft
            | PlanStage::Proposed
            | PlanStage::Rejected
            | PlanStage::Approved
            | PlanStage::InProgress
            | PlanStage::Done
            | PlanStage::Abandoned,
            _,
        ) => word.to_owned(),
    }
}

/// The todo list is closed, and something of the plan did not happen.
fn unfinished(report: &Report) -> String {
    if report.steps.is_empty() { "unfinished".to_owned() } else { format!("unfinished {}", steps_done(report)) }
}

/// `3/8`
fn steps_done(report: &Report) -> String {
    let done = report.steps.iter().filter(|step| step.outcome == StepOutcome::Done).count();
    format!("{done}/{}", report.steps.len())
}

/// A stage as people say it.
pub(crate) fn stage_word(stage: PlanStage) -> &'static str {
    match stage {
        PlanStage::Draft => "draft",
        PlanStage::Proposed => "awaits approval",
        PlanStage::Rejected => "sent back",
        PlanStage::Approved => "approved",
        PlanStage::InProgress => "in progress",
        PlanStage::Done => "done",
        PlanStage::Abandoned => "abandoned",
    }
}

fn as_json(plan: &PlanSummary) -> Value {
    let revisions = plan.history.as_ref().map_or_else(Vec::new, |history| {
        let revision = |kept: &fore_store::session::KeptRevision| {
            json!({"revision": kept.number, "hash": kept.hash, "author": kept.author, "at": kept.at})
        };
        history.revisions.iter().map(revision).collect()
    });
    let report = plan.history.as_ref().and_then(|history| history.report.as_ref());
    json!({
        "name": stem(&plan.name),
        "path": plan.path,
        "title": plan.title,
        "modified": plan.file.map(|file| file.modified),
        "bytes": plan.file.map(|file| file.bytes),
        "session": plan.session,
        "folder": plan.folder,
        "stage": plan.history.as_ref().map(|history| history.stage),
        "approved": plan.history.as_ref().and_then(|history| history.approved),
        "report": report.map(|report| json!({"headline": report.headline(), "verdict": report.verdict()})),
        "revisions": revisions,
        "rehearsals": plan.history.as_ref().map_or(&[][..], |history| &history.rehearsals),
    })
}

/// In which form a plan is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PlanFormat {
    /// Fit for eyes.
    Text,
    Json,
    /// Byte for byte.
    Raw,
}

fn show(plan: &StoredPlan<'_>, revision: Option<u32>, shows: PlanFormat) -> anyhow::Result<ExitCode> {
    let version = plan.version(revision)?;
    if shows == PlanFormat::Json {
        let mut value = as_json(&plan.summary);
        value["hash"] = json!(version.hash);
        value["text"] = json!(version.text);
        Console::stdout().json(&value)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = io::stdout().lock();
    if shows == PlanFormat::Raw {
        out.write_all(version.text.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let is_terminal = out.is_terminal();
    let text = fore_text::prose(&version.text);
    let end = if text.ends_with('\n') || !is_terminal { "" } else { "\n" };
    write!(out, "{text}{end}")?;
    drop(out);
    let mut screen = Console::stderr();
    if let Some(words) = fore_text::notice(fore_text::marks(&version.text, TextKind::Prose)) {
        screen.line(format_args!("{NOTE}This plan {words}; --raw prints it as it is.{NOTE:#}"))?;
    }
    for tried in plan.summary.history.iter().flat_map(|history| &history.rehearsals) {
        screen.line(format_args!(
            "{DIM}tried while planning, nothing kept: {}{DIM:#}",
            fore_text::output(&tried.to_string())
        ))?;
    }
    if is_terminal {
        screen.line(format_args!("\n{DIM}{} · {}{DIM:#}", plain(&plan.path().display().to_string()), version.label))?;
        screen.line(format_args!("{DIM}hash {}{DIM:#}", version.hash))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What a plan covers in this folder.
fn covers(plan: &StoredPlan<'_>, revision: Option<u32>, json: bool, given: Option<&str>) -> anyhow::Result<ExitCode> {
    let version = plan.version(revision)?;
    let context = RunContext::here(&RunArgs::default(), given)?;
    let launch = context.launch(Begin::Fresh { mode: Mode::Plan }, AnsweredBy::Nobody)?;
    plan.require_about(&launch.folder)?;
    let contract = fore_agent::contract_of(&launch, &version.text);
    let mut screen = Console::stdout();
    if json {
        screen.json(&json!({ "hash": version.hash, "contract": contract }))?;
    } else {
        crate::covers::lines(&contract).iter().try_for_each(|line| screen.exact_line(line))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn difference(plan: &StoredPlan<'_>, old: Option<u32>, new: Option<u32>) -> anyhow::Result<ExitCode> {
    let new = plan.version(new)?;
    let before = |number| plan.revision(number).map(Some);
    let old = match old {
        Some(number) => before(number)?,
        None => match plan.revisions().iter().rev().find(|kept| kept.hash != new.hash) {
            Some(kept) => before(kept.number)?,
            None => None,
        },
    };
    let mut screen = Console::stdout();
    let Some(old) = old else {
        Console::stderr().line(format_args!("`{}` has only one version", plan.stem()))?;
        return Ok(ExitCode::SUCCESS);
    };
    let changes = diff(&old.text, &new.text);
    screen.line(format_args!("{DIM}--- {}\n+++ {}{DIM:#}", old.label, new.label))?;
    for line in changes.unified(MAX_DIFF_LINES).lines() {
        let style = match line.as_bytes().first() {
            Some(b'+') => ADDED,
            Some(b'-') => REMOVED,
            Some(b'@') => DIM,
            _ => Style::new(),
        };
        screen.exact_line(format_args!("{style}{}{style:#}", fore_text::exact(line)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What became of a plan, in whichever session it was carried out.
fn became(plan: &StoredPlan<'_>, folders: &[PlanFolder], json: bool) -> anyhow::Result<ExitCode> {
    let known: Vec<Hash> = plan.revisions().iter().map(|kept| kept.hash).collect();
    let mut all = vec![plan.summary.clone()];
    for folder in folders {
        all.extend(plan_list::list(plan.home, folder, MAX_REPORTED)?);
    }
    let is_it = |history: &&PlanHistory| history.approved.is_some_and(|hash| known.contains(&hash));
    let histories = all.iter().filter_map(|plan| plan.history.as_ref()).filter(is_it);
    let Some(report) = histories.filter_map(|history| history.report.as_ref()).next_back() else {
        bail!(
            "there is no report on `{}`: it is made when the work on an approved plan ends, or by /report",
            plan.stem()
        );
    };
    if json {
        Console::stdout()
            .json(&json!({ "headline": report.headline(), "verdict": report.verdict(), "report": report }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = io::stdout().lock();
    write!(out, "{}", fore_text::prose(&report.markdown(ShownTimes::Clock)))?;
    Ok(ExitCode::SUCCESS)
}

fn export(plan: &StoredPlan<'_>, path: Option<&Path>, revision: Option<u32>, html: bool) -> anyhow::Result<ExitCode> {
    let version = plan.version(revision)?;
    let named = PathBuf::from(format!("{}.html", plan.stem()));
    let path = path.unwrap_or(&named);
    match html {
        true => plan_file::export(path, &fore_review::export_html(&plan.stem(), &version.label, &version.text))?,
        false => plan_file::export(path, &version.text)?,
    }
    Console::stderr().line(format_args!(
        "Saved {} of `{}` as {}",
        version.label,
        plan.stem(),
        plain(&path.display().to_string())
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn remove(plan: &StoredPlan<'_>, word: &str, yes: bool) -> anyhow::Result<ExitCode> {
    if word.strip_suffix(".md").unwrap_or(word) != plan.stem() {
        bail!("name the plan in full to remove it: `fore plans remove {}`", plan.stem());
    }
    if plan.summary.file.is_none() {
        bail!("the file of `{}` is gone already; its recorded revisions stay", plan.stem());
    }
    if !confirmed(&format!("Remove the plan `{}` ({})?", plan.stem(), plan.summary.title), yes)? {
        return Ok(ExitCode::FAILURE);
    }
    plan_list::remove(plan.home, &plan.folder, &plan.summary.name)?;
    Console::stderr()
        .line(format_args!("Removed {}. Its recorded revisions stay.", plain(&plan.path().display().to_string())))?;
    Ok(ExitCode::SUCCESS)
}
