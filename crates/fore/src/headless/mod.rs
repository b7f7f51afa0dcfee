//! Runs without a screen: `fore -p`, `fore plan` and `fore apply`. Nobody is waited for, and nothing approves itself.

pub(crate) mod args;
mod command_queue;
mod drive;
mod ending;
mod event_text;
mod heartbeat;
mod host_protocol;
pub(crate) mod launch;
mod listen;
mod output;
pub(crate) mod plan;
mod printer;
mod prompt;
pub(crate) mod reread;
mod tally;

pub(crate) use ending::RunStop;
pub(crate) use listen::{HostLine, hold_signals, host_lines, stops};

use crate::{pick, plans::StoredPlan, regular_file, report, review::run_page::PageSetup};
use anyhow::{Context, bail};
use args::{ApplyArgs, HostProtocol, InputFormat, OutputFormat, PlanArgs, PrintArgs, RunArgs};
use command_queue::{Beginning, HostInput, RunScript};
use drive::RunResult;
use ending::{RunEnding, RunPurpose, RunReport};
use fore_agent::{Begin, Launch, StartError};
use fore_plan::{
    Level, Mode,
    plan::{Hash, MAX_PLAN_BYTES},
};
use fore_store::{SessionId, StoreError, plan_file};
use launch::{AnsweredBy, RunContext};
use output::{OutputReader, RunOutput};
use plan::ReportedPlan;
use printer::Printer;
use std::{
    io::Read,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};
use tally::StaleRun;

/// One run, lowered from the command line.
struct HeadlessRun {
    purpose: RunPurpose,
    context: RunContext,
    launch: Launch,
    script: RunScript,
    options: RunArgs,
    protocol: HostProtocol,
    copy: Option<PlanCopy>,
    /// The plan is put on a page of the browser.
    page: Option<PageSetup>,
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
    if args.host_protocol.is_some() && args.run.output_format != Some(OutputFormat::StreamJson) {
        bail!("--host-protocol is for --output-format stream-json");
    }
    let host = match args.input_format.unwrap_or_default() {
        InputFormat::Text => HostInput::Nobody,
        InputFormat::StreamJson => HostInput::Lines,
    };
    let (answers, prompts) = match host {
        HostInput::Nobody => (AnsweredBy::Nobody, vec![prompt::assemble(words)?]),
        HostInput::Lines => (AnsweredBy::Host, words.map(str::to_owned).into_iter().collect()),
    };
    let place = RunContext::here(&args.run, settings)?;
    let launch = place.launch(place.begin(args)?, answers)?;
    let script = RunScript { prompts, host, beginning: Beginning::WithAPrompt };
    conduct(HeadlessRun {
        purpose: RunPurpose::Print,
        context: place,
        launch,
        script,
        options: args.run.clone(),
        protocol: args.host_protocol.unwrap_or_default(),
        copy: None,
        page: None,
    })
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
    let place = RunContext::here(&options, settings)?;
    let answers = if args.review { AnsweredBy::Page } else { AnsweredBy::Nobody };
    let launch = place.launch(Begin::Fresh { mode: Mode::Plan }, answers)?;
    let script = RunScript { prompts: vec![task], host: HostInput::Nobody, beginning: Beginning::WithAPrompt };
    let protocol = HostProtocol::default();
    let purpose = if args.review { RunPurpose::Review } else { RunPurpose::Plan };
    let page = args.review.then(|| place.page());
    conduct(HeadlessRun { purpose, context: place, launch, script, options, protocol, copy, page })
}

/// `fore review` without a terminal: the session of a plan that waits is asked again, and its page is told.
pub(crate) fn review(run: RunArgs, session: SessionId, settings: Option<&str>) -> anyhow::Result<ExitCode> {
    let context = RunContext::here(&run, settings)?;
    let launch = context.launch(Begin::Resume { session, mode: None }, AnsweredBy::Page)?;
    let script = RunScript { prompts: Vec::new(), host: HostInput::Nobody, beginning: Beginning::ByItself };
    let (protocol, page) = (HostProtocol::default(), Some(context.page()));
    conduct(HeadlessRun {
        purpose: RunPurpose::Review,
        context,
        launch,
        script,
        options: run,
        protocol,
        copy: None,
        page,
    })
}

/// `fore apply`.
pub(crate) fn apply(args: ApplyArgs, before: RunArgs, settings: Option<&str>) -> anyhow::Result<ExitCode> {
    let options = args.run.or(before);
    let place = RunContext::here(&options, settings)?;
    let level = args.level.unwrap_or(Level::Default);
    place.require(level)?;
    let (text, name) = plan_text(&place, &args.plan)?;
    let hash = named_hash(&args.hash, &text, &name)?;
    place.require_model()?;
    let (stale, drift) = (args.stale.into(), args.drift.into());
    let begin = Begin::Apply { plan: text, hash, level, stale, drift, runs_checks: !args.no_checks };
    let launch = place.launch(begin, AnsweredBy::Nobody)?;
    let prompts = args.prompt.into_iter().collect();
    let script = RunScript { prompts, host: HostInput::Nobody, beginning: Beginning::ByItself };
    let protocol = HostProtocol::default();
    conduct(HeadlessRun {
        purpose: RunPurpose::Apply,
        context: place,
        launch,
        script,
        options,
        protocol,
        copy: None,
        page: None,
    })
}

/// Fewer digits would bind nothing: whoever writes a plan can search for two that begin alike (12 digits take 2^24 tries).
const MIN_HASH_DIGITS: usize = 32;

/// The plan that a path or a name means.
fn plan_text(context: &RunContext, word: &str) -> anyhow::Result<(String, String)> {
    let path = Path::new(word);
    if path.is_file() || word.contains('/') {
        let file = regular_file::open(path).with_context(|| format!("the plan {} cannot be read", path.display()))?;
        let mut bytes = Vec::new();
        file.take(MAX_PLAN_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > MAX_PLAN_BYTES {
            bail!("{} is larger than the {MAX_PLAN_BYTES} bytes that a plan may have", path.display());
        }
        let text = String::from_utf8(bytes).ok().with_context(|| format!("{} is not UTF-8 text", path.display()))?;
        return Ok((text, path.display().to_string()));
    }
    let (folder, name) = pick::plan(&context.home, &context.plan_folders(), word)?;
    let plan = StoredPlan::open(&context.home, folder, name)?;
    plan.require_about(&context.folder)?;
    Ok((plan.version(None)?.text, plan.path().display().to_string()))
}

/// The hash that the person named, if it is that of the text: they approve what they have read and nothing else.
fn named_hash(named: &str, text: &str, name: &str) -> anyhow::Result<Hash> {
    let found = Hash::of(text.as_bytes());
    let is_hash = (MIN_HASH_DIGITS..=found.to_string().len()).contains(&named.len())
        && named.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !is_hash {
        bail!(
            "`{named}` is not the hash of a plan: it has 64 digits, as `fore plan` prints it; the first 32 are enough"
        );
    }
    // The text is the one that was found, and nothing else is looked for by these digits.
    if !found.to_string().starts_with(named) {
        bail!(
            "the plan is not the one that you named; nothing was run\n\
             {name}\n\
             has the hash  {found}\n\
             you named     {named}\n\
             Read it again, and apply it with its hash if it is what you want."
        );
    }
    Ok(found)
}

/// Runs it, prints its end, and says how it went.
fn conduct(run: HeadlessRun) -> anyhow::Result<ExitCode> {
    let HeadlessRun { purpose, context: place, launch, script, options, protocol, copy, page } = run;
    let output = RunOutput::new(options.output_format.unwrap_or_default(), protocol, purpose, options.verbose);
    hold_signals();
    let mut printer = Printer::new(output)?;
    let began = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ran = runtime.block_on(drive::run(launch, script, page, &mut printer));
    // The session has saved everything and let go; a thread that hangs somewhere must not keep the program.
    runtime.shutdown_background();
    let ran = ran.unwrap_or_else(not_begun);
    let ending = RunEnding::of(purpose, &ran.tally, ran.stop);
    let plan = plan::of(&place.home, &ran.tally);
    let report = RunReport::new(&ran.tally, (purpose, ending), plan.as_ref(), began.elapsed());
    let ended = match printer.finish(ran.stop.is_some()) {
        Some(mut output) => output.end(report, &ran.tally, ending),
        None => Ok(OutputReader::There),
    };
    let saved = match (&copy, &plan, ending) {
        (Some(copy), Some(plan), RunEnding::Planned) => save(copy, plan),
        _ => Ok(()),
    };
    let ending = match (ended.map_err(anyhow::Error::from), saved) {
        (Ok(OutputReader::There), Ok(())) => ending,
        (Ok(OutputReader::Gone), Ok(())) => RunEnding::NobodyReads,
        (Err(error), _) | (Ok(_), Err(error)) => {
            report::say(&error);
            RunEnding::Failed
        }
    };
    Ok(ExitCode::from(ending.code()))
}

/// A run that ended before its session began, or because it could not be shown.
fn not_begun(error: anyhow::Error) -> RunResult {
    let mut ran = RunResult::default();
    ran.tally.trouble = Some(format!("{error:#}"));
    if let Some(StartError::Stale { moved, heads }) = error.downcast_ref() {
        ran.tally.moved = Some(moved.clone());
        ran.tally.stale = Some(StaleRun { heads: heads.clone() });
    }
    ran
}

/// Saves the copy. One that is there already with the same text will do.
fn save(copy: &PlanCopy, plan: &ReportedPlan) -> anyhow::Result<()> {
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
    let read = regular_file::open(path).and_then(|file| file.take(MAX_PLAN_BYTES as u64 + 1).read_to_end(&mut bytes));
    read.is_ok() && bytes == text.as_bytes()
}
