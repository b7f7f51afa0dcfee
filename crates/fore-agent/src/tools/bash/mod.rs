//! Runs a command in the cage that its permit names, and says what it printed and how it ended.

mod background;
mod bash_output;
mod command_spec;
mod end_report;
mod output_recorder;
#[cfg(test)]
mod tests;

pub use background::{BackgroundRuns, StoppedRun};
pub(crate) use bash_output::BashOutput;

use super::{Tool, ToolContext, fields};
use crate::{event::ShownCall, output::Output};
use command_spec::CommandSpec;
use end_report::CommandEnd;
use fore_model::ResultPart;
use fore_plan::gate::{Action, Presented};
use output_recorder::OutputRecorder;
use serde_json::{Value, json};
use std::{path::PathBuf, time::Duration};

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);
const MAX_TIMEOUT: Duration = Duration::from_secs(600);
/// How long a background command may run if it is not told otherwise.
const BACKGROUND_TIME: Duration = Duration::from_secs(8 * 60 * 60);
/// Output that the model gets.
const MAX_OUTPUT_BYTES: usize = 30_000;
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

/// What the gate does not judge.
#[derive(Debug)]
struct BashOptions {
    timeout: Option<Duration>,
    in_background: bool,
}

impl BashOptions {
    fn read(input: &Value) -> Result<BashOptions, String> {
        let timeout = fields::number(input, "timeout_ms")?;
        let timeout = timeout.map(|ms| Duration::from_millis(u64::try_from(ms.max(1)).unwrap_or(u64::MAX)));
        Ok(BashOptions { timeout, in_background: fields::choice(input, "run_in_background")? == Some(true) })
    }
}

impl Tool for Bash {
    fn name(&self) -> &'static str {
        "Bash"
    }

    fn description(&self) -> &'static str {
        include_str!("bash.md").trim_ascii_end()
    }

    fn parameters(&self) -> Value {
        let most = MAX_TIMEOUT.as_millis();
        json!({
            "type": "object",
            "properties": {
                "command": { "type": "string", "description": "The command, as one would type it" },
                "description": { "type": "string", "description": "What it is for, in three to ten words for the person" },
                "timeout_ms": { "type": "integer", "minimum": 1, "maximum": most },
                "rehearse": { "type": "boolean", "description": "Run it in a throw-away layer" },
                "run_in_background": { "type": "boolean", "description": "Return at once with an id" },
            },
            "required": ["command"],
            "additionalProperties": false,
        })
    }

    fn line(&self, input: &Value) -> String {
        let text = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default();
        let command = text("command");
        let first = command.lines().next().unwrap_or_default();
        let more = if command.lines().nth(1).is_some() { " …" } else { "" };
        let about = text("description").lines().next().filter(|about| !about.is_empty());
        let about = about.map(|about| format!("  # {about}")).unwrap_or_default();
        fore_text::line(&short(&format!("{first}{more}{about}"))).into_owned()
    }

    fn run(&self, permit: Presented, input: &Value, context: &ToolContext) -> Output {
        let wanted = match BashOptions::read(input) {
            Ok(wanted) => wanted,
            Err(why) => return Output::error(why),
        };
        let usual = if wanted.in_background { BACKGROUND_TIME } else { DEFAULT_TIMEOUT };
        let time = wanted.timeout.map_or(usual, |time| time.min(MAX_TIMEOUT));
        let Some(order) = CommandSpec::new(&permit, time, context) else {
            return Output::error("the permit of this call is not for a command");
        };
        let plan = permit.plan_file().map(PathBuf::from);
        match plan {
            // It could write long after a person has read the plan.
            Some(_) if wanted.in_background => Output::error(PLAN_IN_BACKGROUND),
            _ if wanted.in_background => context.background.start(permit, order, context),
            // A plan that was not written yet cannot be opened to a command.
            Some(plan) if !plan.symlink_metadata().is_ok_and(|found| found.is_file()) => {
                run_and_wait(permit.without_plan_file(), &order, context)
            }
            Some(_) | None => run_and_wait(permit, &order, context),
        }
    }

    fn preview(&self, action: &Action, input: &Value, context: &ToolContext) -> Result<ShownCall, String> {
        let Action::Run { command, cwd, rehearse } = action else { return Ok(ShownCall::line(self.line(input))) };
        let how = if *rehearse { "rehearse" } else { "run" };
        let place = context.short(std::path::Path::new(cwd));
        Ok(ShownCall::text(format!("{how} in {place}"), command))
    }
}

fn run_and_wait(permit: Presented, order: &CommandSpec, context: &ToolContext) -> Output {
    let mut recorder = OutputRecorder::new(MAX_OUTPUT_BYTES, context.outputs.clone());
    let mut live = LiveOutput { left: MAX_LIVE_BYTES, tell: &*context.on_output };
    let mut listener = |stream, bytes: &[u8]| live.send(&recorder.record(stream, bytes));
    let mut job = order.job(context.cancel.cage());
    job.on_output = Some(&mut listener);
    let result = context.cages.run(permit, job);
    let mut ended = CommandEnd::of(&result, order);
    let folder = result.as_ref().ok().and_then(|outcome| outcome.folder.as_deref());
    ended.notes.extend(command_spec::follow(order, folder, context));
    ended.notes.extend(command_spec::recover(order, context));
    output(&recorder.take(), &ended)
}

/// What is told of a command that has ended.
fn output(text: &str, ended: &CommandEnd) -> Output {
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
    let lines = text.lines().count();
    let count = match lines {
        0 => ", no output".to_owned(),
        1 => ", 1 line".to_owned(),
        lines => format!(", {lines} lines"),
    };
    let shown =
        ShownCall::text(format!("{}{count}", ended.brief), fore_text::output(&bounded(&model, MAX_SHOWN_BYTES)));
    Output { model: vec![ResultPart::Text(model)], is_error: ended.is_error, shown }
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
        let fits = text.get(..text.floor_char_boundary(self.left)).unwrap_or_default();
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
    if text.len() <= most {
        return text.to_owned();
    }
    let start = text.get(..text.floor_char_boundary(most / 2)).unwrap_or_default();
    let end = text.get(text.ceil_char_boundary(text.len() - most / 2)..).unwrap_or_default();
    format!("{start}\n[{} bytes not shown]\n{end}", text.len() - start.len() - end.len())
}

fn short(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
