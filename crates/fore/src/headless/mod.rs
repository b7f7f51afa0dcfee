//! Runs without a screen: `fore -p`, `fore plan` and `fore apply`. Nobody is waited for, and nothing approves itself.

pub(crate) mod args;
mod drive;
mod ending;
mod face;
pub(crate) mod launch;
mod listen;
mod plan;
mod printer;
mod prompt;
mod show;
mod talk;
mod tally;

use crate::{pick, plans::Plan, regular_file, report};
use anyhow::{Context, bail};
use args::{ApplyArgs, InputFormat, PlanArgs, PrintArgs, RunArgs};
use drive::Ran;
use ending::{Ending, Purpose, Report};
use face::{Face, Reader};
use fore_agent::{Begin, Launch};
use fore_plan::{
    Level, Mode,
    plan::{Hash, MOST_PLAN_BYTES},
};
use fore_store::{StoreError, plan_file};
use launch::{Answers, Place};
use plan::PlanFacts;
use printer::Printer;
use std::{
    io::Read,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};
use talk::{Beginning, Host, Script};

/// One run, lowered from the command line.
struct Run {
    purpose: Purpose,
    place: Place,
    launch: Launch,
    script: Script,
    options: RunArgs,
    copy: Option<PlanCopy>,
}

/// Where the person wants a copy of the plan.
struct PlanCopy {
    path: PathBuf,
    replaces: bool,
}

/// `fore -p`, with the word behind it.
pub(crate) fn print(args: &PrintArgs, given: Option<&str>, settings: Option<&str>) -> anyhow::Result<ExitCode> {
    if args.plain {
        bail!("--plain is for the terminal, and has no meaning with -p");
    }
    let words = given.or(args.prompt.as_deref());
    if given.is_some() && args.prompt.is_some() {
        bail!("there are two prompts; put the words of one in quotes");
    }
    let host = match args.input_format.unwrap_or_default() {
        InputFormat::Text => Host::Nobody,
        InputFormat::StreamJson => Host::Lines,
    };
    let (answers, prompts) = match host {
        Host::Nobody => (Answers::Nobody, vec![prompt::whole(words)?]),
        Host::Lines => (Answers::Host, words.map(str::to_owned).into_iter().collect()),
    };
    let place = Place::here(&args.run, settings)?;
    let launch = place.launch(place.begin(args)?, answers)?;
    let script = Script { prompts, host, beginning: Beginning::WithAPrompt };
    conduct(Run { purpose: Purpose::Print, place, launch, script, options: args.run.clone(), copy: None })
}

/// `fore plan`.
pub(crate) fn plan(args: PlanArgs, before: RunArgs, settings: Option<&str>) -> anyhow::Result<ExitCode> {
    let options = args.run.or(before);
    let task = prompt::task(&args.task)?;
    let copy = args.plan_file.map(|path| PlanCopy { path, replaces: args.force });
    if let Some(copy) = copy.as_ref().filter(|copy| !copy.replaces) {
        // Before anything is planned: nobody wants to find this out afterwards.
        plan_file::require_free(&copy.path).map_err(|error| match error {
            StoreError::Exists { path } => anyhow::anyhow!(
                "`{}` already exists; choose another --plan-file, or add --force to replace it",
                path.display()
            ),
            error => error.into(),
        })?;
    }
    let place = Place::here(&options, settings)?;
    let launch = place.launch(Begin::Fresh { mode: Mode::Plan }, Answers::Nobody)?;
    let script = Script { prompts: vec![task], host: Host::Nobody, beginning: Beginning::WithAPrompt };
    conduct(Run { purpose: Purpose::Plan, place, launch, script, options, copy })
}

/// `fore apply`.
pub(crate) fn apply(args: ApplyArgs, before: RunArgs, settings: Option<&str>) -> anyhow::Result<ExitCode> {
    let options = args.run.or(before);
    let place = Place::here(&options, settings)?;
    let level = args.level.unwrap_or(Level::Default);
    place.require(level)?;
    let (text, name) = plan_text(&place, &args.plan)?;
    let hash = named_hash(&args.hash, &text, &name)?;
    place.require_model()?;
    let launch = place.launch(Begin::Apply { plan: text, hash, level }, Answers::Nobody)?;
    let prompts = args.prompt.into_iter().collect();
    let script = Script { prompts, host: Host::Nobody, beginning: Beginning::ByItself };
    conduct(Run { purpose: Purpose::Apply, place, launch, script, options, copy: None })
}

/// The plan that a path or a name means.
fn plan_text(place: &Place, word: &str) -> anyhow::Result<(String, String)> {
    let path = Path::new(word);
    if path.is_file() || word.contains('/') {
        let file = regular_file::open(path).with_context(|| format!("the plan {} cannot be read", path.display()))?;
        let mut bytes = Vec::new();
        file.take(MOST_PLAN_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > MOST_PLAN_BYTES {
            bail!("{} is larger than the {MOST_PLAN_BYTES} bytes that a plan may have", path.display());
        }
        let text = String::from_utf8(bytes).ok().with_context(|| format!("{} is no text in UTF-8", path.display()))?;
        return Ok((text, path.display().to_string()));
    }
    let (folder, name) = pick::plan(&place.home, &place.plan_folders(), word)?;
    let plan = Plan::open(&place.home, folder, name)?;
    Ok((plan.version(None)?.text, plan.path().display().to_string()))
}

/// The hash that the person named, if it is that of the text: they approve what they have read and nothing else.
fn named_hash(named: &str, text: &str, name: &str) -> anyhow::Result<Hash> {
    let found = Hash::of(text.as_bytes());
    let Ok(named_hash) = named.parse::<Hash>() else {
        bail!("`{named}` is no hash of a plan: it has 64 digits, as `fore plan` prints it");
    };
    if named_hash != found {
        bail!(
            "the plan is not the one that you named; nothing was run\n\
             {name}\n\
             has the hash  {found}\n\
             you named     {named_hash}\n\
             Read it again, and apply it with its hash if it is what you want."
        );
    }
    Ok(found)
}

/// Runs it, prints its end, and says how it went.
fn conduct(run: Run) -> anyhow::Result<ExitCode> {
    let Run { purpose, place, launch, script, options, copy } = run;
    let face = Face::new(options.output_format.unwrap_or_default(), purpose, options.verbose);
    listen::hold_signals();
    let mut printer = Printer::new(face)?;
    let began = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ran = runtime.block_on(drive::run(launch, script, &mut printer));
    // The session has saved everything and let go; a thread that hangs somewhere must not keep the program.
    runtime.shutdown_background();
    let ran = ran.unwrap_or_else(|error| {
        let mut ran = Ran::default();
        ran.tally.trouble = Some(format!("{error:#}"));
        ran
    });
    let ending = Ending::of(purpose, &ran.tally, ran.stop);
    let plan = plan::of(&place.home, &ran.tally);
    let report = Report::new(&ran.tally, ending, plan.as_ref(), began.elapsed());
    let ended = match printer.finish(ran.stop.is_some()) {
        Some(mut face) => face.end(report, &ran.tally, ending),
        None => Ok(Reader::There),
    };
    let saved = match (&copy, &plan, ending) {
        (Some(copy), Some(plan), Ending::Planned) => save(copy, plan),
        _ => Ok(()),
    };
    let ending = match (ended.map_err(anyhow::Error::from), saved) {
        (Ok(Reader::There), Ok(())) => ending,
        (Ok(Reader::Gone), Ok(())) => Ending::NobodyReads,
        (Err(error), _) | (Ok(_), Err(error)) => {
            report::say(&error);
            Ending::Failed
        }
    };
    Ok(ExitCode::from(ending.code()))
}

/// Saves the copy. One that is there already with the same text will do.
fn save(copy: &PlanCopy, plan: &PlanFacts) -> anyhow::Result<()> {
    let text = plan.text.as_deref().context("the text of the plan is lost, so no copy was saved")?;
    let saved =
        if copy.replaces { plan_file::export_replacing(&copy.path, text) } else { plan_file::export(&copy.path, text) };
    match saved {
        Err(StoreError::Exists { .. }) if is_same(&copy.path, text) => Ok(()),
        saved => saved.with_context(|| format!("the plan is made, but no copy was saved as {}", copy.path.display())),
    }
}

fn is_same(path: &Path, text: &str) -> bool {
    let mut bytes = Vec::new();
    let read = regular_file::open(path).and_then(|file| file.take(MOST_PLAN_BYTES as u64 + 1).read_to_end(&mut bytes));
    read.is_ok() && bytes == text.as_bytes()
}
