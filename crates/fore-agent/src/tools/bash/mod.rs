//! Runs a command in the cage that its permit names, and says what it printed and how it ended.

mod background;
mod bash_output;
mod hearing;
mod order;
#[cfg(test)]
mod tests;
mod words;

pub use background::{Background, Stopped};
pub(crate) use bash_output::BashOutput;

use super::{Hands, Tool, fields};
use crate::{event::Shown, output::Output};
use fore_model::Piece;
use fore_plan::gate::{Action, Presented};
use hearing::Hearing;
use order::Order;
use serde_json::{Value, json};
use std::{path::PathBuf, time::Duration};
use words::Ended;

const USUAL_TIME: Duration = Duration::from_secs(120);
const MOST_TIME: Duration = Duration::from_secs(600);
/// How long a background command may run if it is not told otherwise.
const BACKGROUND_TIME: Duration = Duration::from_secs(8 * 60 * 60);
/// Output that the model gets.
const MOST_OUTPUT_BYTES: usize = 30_000;
/// Output that a person sees while the command runs.
const MOST_LIVE_BYTES: usize = 64 << 10;
/// Output that a person can open afterwards.
const MOST_SHOWN_BYTES: usize = 10_000;
const MOST_LINE_LETTERS: usize = 160;

const PLAN_IN_BACKGROUND: &str =
    "A command that writes the plan does not run in the background. Run it without, or use Write or Edit.";

/// The tool `Bash`.
#[derive(Debug)]
pub(crate) struct Bash;

/// What the gate does not judge.
#[derive(Debug)]
struct Wanted {
    timeout: Option<Duration>,
    in_background: bool,
}

impl Wanted {
    fn read(input: &Value) -> Result<Wanted, String> {
        let timeout = fields::number(input, "timeout_ms")?;
        let timeout = timeout.map(|ms| Duration::from_millis(u64::try_from(ms.max(1)).unwrap_or(u64::MAX)));
        Ok(Wanted { timeout, in_background: fields::choice(input, "run_in_background")? == Some(true) })
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
        let most = MOST_TIME.as_millis();
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

    fn run(&self, permit: Presented, input: &Value, hands: &Hands) -> Output {
        let wanted = match Wanted::read(input) {
            Ok(wanted) => wanted,
            Err(why) => return Output::error(why),
        };
        let usual = if wanted.in_background { BACKGROUND_TIME } else { USUAL_TIME };
        let time = wanted.timeout.map_or(usual, |time| time.min(MOST_TIME));
        let Some(order) = Order::new(&permit, time, hands) else {
            return Output::error("the permit of this call is not for a command");
        };
        let plan = permit.plan_file().map(PathBuf::from);
        match plan {
            // It could write long after a person has read the plan.
            Some(_) if wanted.in_background => Output::error(PLAN_IN_BACKGROUND),
            _ if wanted.in_background => hands.background.start(permit, order, hands),
            // A plan that was not written yet cannot be opened to a command.
            Some(plan) if !plan.symlink_metadata().is_ok_and(|found| found.is_file()) => {
                run_and_wait(permit.without_plan_file(), &order, hands)
            }
            Some(_) | None => run_and_wait(permit, &order, hands),
        }
    }

    fn preview(&self, action: &Action, input: &Value, hands: &Hands) -> Result<Shown, String> {
        let Action::Run { command, cwd, rehearse } = action else { return Ok(Shown::line(self.line(input))) };
        let how = if *rehearse { "rehearse" } else { "run" };
        let place = hands.short(std::path::Path::new(cwd));
        Ok(Shown::text(format!("{how} in {place}"), command))
    }
}

fn run_and_wait(permit: Presented, order: &Order, hands: &Hands) -> Output {
    let mut hearing = Hearing::new(MOST_OUTPUT_BYTES, hands.outputs.clone());
    let mut live = Live { left: MOST_LIVE_BYTES, tell: &*hands.on_output };
    let mut listener = |stream, bytes: &[u8]| live.tell(&hearing.hear(stream, bytes));
    let mut job = order.job(hands.cancel.cage());
    job.on_output = Some(&mut listener);
    let result = hands.cages.run(permit, job);
    let mut ended = Ended::of(&result, order);
    let folder = result.as_ref().ok().and_then(|outcome| outcome.folder.as_deref());
    ended.notes.extend(order::follow(order, folder, hands));
    ended.notes.extend(order::recover(order, hands));
    output(&hearing.take(), &ended)
}

/// What is told of a command that has ended.
fn output(text: &str, ended: &Ended) -> Output {
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
    let shown = Shown::text(format!("{}{count}", ended.brief), fore_text::output(&bounded(&model, MOST_SHOWN_BYTES)));
    Output { model: vec![Piece::Text(model)], is_error: ended.is_error, shown }
}

/// Tells the person what comes, up to a bound.
struct Live<'a> {
    left: usize,
    tell: &'a (dyn Fn(&str) + Send + Sync),
}

impl Live<'_> {
    fn tell(&mut self, text: &str) {
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
    match line.char_indices().nth(MOST_LINE_LETTERS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
