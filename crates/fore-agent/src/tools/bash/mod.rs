//! Runs a command in the cage that its permit names, and says what it printed and how it ended.

mod background;
mod bash_output;
mod end_report;
mod folder_change;
mod output_recorder;
#[cfg(test)]
mod tests;

pub(crate) use background::BackgroundRuns;
pub(crate) use bash_output::BashOutput;

use super::{ToolContext, TypedTool};
use crate::{event::ShownCall, output::Output};
use end_report::CommandEnd;
use fore_model::ResultPart;
use fore_plan::{
    Cage, ToolName,
    gate::{Action, Presented},
};
use fore_sandbox::{GitReading, Job, OutputStreams, RunLimits};
use fore_text::cut::{self, TextEnds};
use output_recorder::OutputRecorder;
use schemars::JsonSchema;
use serde::Deserialize;
use std::{path::PathBuf, time::Duration};

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);
const MAX_TIMEOUT_MS: u64 = 600_000;
const MAX_TIMEOUT: Duration = Duration::from_millis(MAX_TIMEOUT_MS);
/// How long a background command may run if it is not told otherwise.
const BACKGROUND_TIME: Duration = Duration::from_secs(8 * 60 * 60);
/// Output that the model gets.
const MAX_OUTPUT_BYTES: usize = 30_000;
/// Output that the sandbox itself keeps: enough for its hints about what was refused.
const HINT_BYTES: usize = 32 << 10;
/// Output that a person sees while the command runs.
const MAX_LIVE_BYTES: usize = 64 << 10;
/// Output that a person can open afterwards.
const MAX_SHOWN_BYTES: usize = 10_000;
const MAX_LINE_CHARS: usize = 160;

const PLAN_IN_BACKGROUND: &str =
    "A command that writes the plan does not run in the background. Run it without, or use Write or Edit.";

/// The tool `Bash`.
#[derive(Debug)]
pub(crate) struct Bash;

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct BashInput {
    /// The command, as one would type it
    command: String,
    /// What it is for, in three to ten words for the person
    description: Option<String>,
    #[schemars(range(min = 1, max = MAX_TIMEOUT_MS))]
    timeout_ms: Option<u64>,
    /// Run it in a throw-away layer
    #[expect(dead_code, reason = "the gate reads it: the permit's action says whether it is a rehearsal")]
    rehearse: Option<bool>,
    /// Return at once with an id
    run_in_background: Option<bool>,
}

impl TypedTool for Bash {
    type Input = BashInput;

    const NAME: ToolName = ToolName::Bash;

    const UNSAID: &'static str = "";

    fn description(&self) -> &str {
        include_str!("bash.md").trim_ascii_end()
    }

    fn line(&self, input: &BashInput) -> String {
        let command = &input.command;
        let first = command.lines().next().unwrap_or_default();
        let more = if command.lines().nth(1).is_some() { " …" } else { "" };
        let about = input.description.as_deref().unwrap_or_default().lines().next().filter(|about| !about.is_empty());
        let about = about.map(|about| format!("  # {about}")).unwrap_or_default();
        fore_text::line(&cut::ellipsis(&format!("{first}{more}{about}"), MAX_LINE_CHARS)).into_owned()
    }

    fn run(&self, permit: Presented, input: BashInput, context: &ToolContext) -> Output {
        let in_background = input.run_in_background == Some(true);
        let usual = if in_background { BACKGROUND_TIME } else { DEFAULT_TIMEOUT };
        let time = input.timeout_ms.map_or(usual, |ms| Duration::from_millis(ms.max(1)).min(MAX_TIMEOUT));
        let Some(job) = job(&permit, time, context) else {
            return Output::error("the permit of this call is not for a command");
        };
        let plan = permit.plan_file().map(PathBuf::from);
        match plan {
            // It could write long after a person has read the plan.
            Some(_) if in_background => Output::error(PLAN_IN_BACKGROUND),
            _ if in_background => context.background.start(permit, job, context),
            // A plan that was not written yet cannot be opened to a command.
            Some(plan) if !plan.symlink_metadata().is_ok_and(|found| found.is_file()) => {
                run_and_wait(permit.without_plan_file(), job, context)
            }
            Some(_) | None => run_and_wait(permit, job, context),
        }
    }

    fn preview(&self, action: &Action, input: BashInput, context: &ToolContext) -> Result<ShownCall, String> {
        let Action::Run { command, cwd, rehearse } = action else { return Ok(ShownCall::line(self.line(&input))) };
        let how = if *rehearse { "rehearse" } else { "run" };
        let place = context.short(std::path::Path::new(cwd));
        Ok(ShownCall::text(format!("{how} in {place}"), command))
    }
}

/// What the permit is for, with all that the session gives to its commands.
fn job(permit: &Presented, time: Duration, context: &ToolContext) -> Option<Job<'static>> {
    let job = Job::of(permit, &context.project)?;
    let git = match permit.cage() {
        Cage::ReadOnly { .. } => context.probe.reading(&job.cwd),
        // Elsewhere the repository's settings belong to the work. But nobody waits for a pipe among the configuration, and what
        // it names is there.
        Cage::Rehearsal | Cage::Workspace { .. } => context.probe.reading(&job.cwd).of_work(),
        Cage::Free => GitReading::default(),
    };
    Some(Job {
        session: context.session.clone(),
        git,
        variables: context.variables.iter().map(|(name, value)| (name.into(), value.into())).collect(),
        limits: RunLimits { time, output_bytes: HINT_BYTES, ..RunLimits::default() },
        // One order for the person and the model, as in a terminal.
        streams: OutputStreams::Together,
        cancel: context.cancel.cage(),
        report_folder: *permit.cage() != Cage::Rehearsal,
        ..job
    })
}

fn run_and_wait(permit: Presented, job: Job<'static>, context: &ToolContext) -> Output {
    let mut recorder = OutputRecorder::new(MAX_OUTPUT_BYTES, context.outputs.clone());
    let mut live = LiveOutput { left: MAX_LIVE_BYTES, tell: &*context.on_output };
    let mut listener = |_stream, bytes: &[u8]| live.send(&recorder.record(bytes));
    let (mut job, cage) = (Job { on_output: Some(&mut listener), ..job }, permit.cage().clone());
    let result = context.cages.run(permit, &mut job);
    let mut ended = CommandEnd::of(&result, &job, &cage);
    let folder = result.as_ref().ok().and_then(|outcome| outcome.folder.as_deref());
    ended.notes.extend(folder_change::follow(&job.cwd, folder, context));
    ended.notes.extend(folder_change::recover(&job.cwd, context));
    let lines = recorder.lines();
    output(&recorder.take(), lines, &ended)
}

/// What is told of a command that has ended.
fn output(text: &str, lines: usize, ended: &CommandEnd) -> Output {
    let mut model = text.trim_end_matches('\n').to_owned();
    for note in &ended.notes {
        if !model.is_empty() {
            model.push('\n');
        }
        model.push_str(note);
    }
    if model.is_empty() {
        model.push_str("(no output)");
    }
    let count = match lines {
        0 => ", no output".to_owned(),
        lines => format!(", {}", fore_text::count(lines, "line")),
    };
    let shown =
        ShownCall::text(format!("{}{count}", ended.brief), fore_text::output(&bounded(&model, MAX_SHOWN_BYTES)));
    Output { model: vec![ResultPart::Text(model)], is_error: ended.is_error, shown, fact: ended.fact.clone() }
}

/// Tells the person what comes, up to a bound.
struct LiveOutput<'a> {
    left: usize,
    tell: &'a (dyn Fn(&str) + Send + Sync),
}

impl LiveOutput<'_> {
    fn send(&mut self, text: &str) {
        if text.is_empty() || self.left == 0 {
            return;
        }
        let fits = cut::bytes(text, self.left);
        (self.tell)(&fore_text::output(fits));
        self.left -= fits.len();
        if fits.len() < text.len() {
            self.left = 0;
            (self.tell)("\n… and more, which is not shown while it runs\n");
        }
    }
}

/// The start and the end of a text.
fn bounded(text: &str, most: usize) -> String {
    match cut::ends(text, most) {
        None => text.to_owned(),
        Some(TextEnds { start, left_out, end }) => format!("{start}\n[{left_out} bytes not shown]\n{end}"),
    }
}
