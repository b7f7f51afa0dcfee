//! Prints a run as it goes: in words, as one JSON event a line, or not at all until its end.

use super::{
    args::OutputFormat,
    ending::{RunEnding, RunPurpose, RunReport, why},
    event_text::{AnswerTiming, EventText, Printable, Progress, ShowOptions, Tone},
    plan::{ReportedPlan, apply_command},
    tally::Tally,
};
use crate::console::{Console, plain};
use anstyle::{AnsiColor, Color, Style};
use fore_agent::Event;
use fore_text::{ProseStream, TextKind};
use std::io::{self, IsTerminal, Write};

const DIM: Style = Style::new().dimmed();
const NOTE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Yellow)));
const WRONG: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red)));
const BOLD: Style = Style::new().bold();

/// Where a run is shown.
#[derive(Debug)]
pub(crate) enum RunOutput {
    Words(TextOutput),
    /// One object at the end.
    Object,
    /// Every event as a line, the object last.
    Lines,
    /// Nobody reads any more.
    Closed,
}

/// Whether somebody is there to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputReader {
    There,
    Gone,
}

/// A run in words.
#[derive(Debug)]
pub(crate) struct TextOutput {
    options: ShowOptions,
    event_text: EventText,
    /// Set where a person reads along: what the model says, made fit for eyes.
    prose: Option<ProseStream>,
}

impl RunOutput {
    pub(crate) fn new(format: OutputFormat, purpose: RunPurpose, verbose: bool) -> RunOutput {
        let on_terminal = io::stdout().is_terminal();
        let progress = if verbose || io::stderr().is_terminal() { Progress::Shown } else { Progress::Silent };
        let answer =
            if on_terminal && purpose != RunPurpose::Plan { AnswerTiming::AsItComes } else { AnswerTiming::AtTheEnd };
        let look = ShowOptions { purpose, progress, answer };
        match format {
            OutputFormat::Text => RunOutput::Words(TextOutput {
                options: look,
                event_text: EventText::new(look),
                prose: on_terminal.then(ProseStream::default),
            }),
            OutputFormat::Json => RunOutput::Object,
            OutputFormat::StreamJson => RunOutput::Lines,
        }
    }

    pub(crate) fn event(&mut self, event: &Event) -> io::Result<OutputReader> {
        let printed = match self {
            RunOutput::Words(words) => {
                let pieces = words.event_text.event(event);
                words.print(pieces)
            }
            RunOutput::Lines => line(event),
            RunOutput::Object | RunOutput::Closed => Ok(()),
        };
        self.reader(printed)
    }

    /// That nobody reads any more is no error to talk about.
    fn reader(&mut self, printed: io::Result<()>) -> io::Result<OutputReader> {
        match printed {
            Ok(()) => Ok(OutputReader::There),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.close();
                Ok(OutputReader::Gone)
            }
            Err(error) => Err(error),
        }
    }

    /// Nothing is printed any more.
    pub(crate) fn close(&mut self) {
        *self = RunOutput::Closed;
    }

    /// The end of a run.
    pub(crate) fn end(&mut self, report: RunReport<'_>, tally: &Tally, ending: RunEnding) -> io::Result<OutputReader> {
        let printed = match self {
            RunOutput::Words(words) => words.end(&report, tally, ending),
            RunOutput::Object => line(&report),
            RunOutput::Lines => line(&RunReport { event: Some("result"), ..report }),
            RunOutput::Closed => Ok(()),
        };
        self.reader(printed)
    }
}

/// One line of JSON, at once.
fn line(value: &impl serde::Serialize) -> io::Result<()> {
    let text = serde_json::to_string(value)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{}", fore_text::json(&text))?;
    out.flush()
}

impl TextOutput {
    fn print(&mut self, pieces: Vec<Printable>) -> io::Result<()> {
        for piece in pieces {
            match piece {
                Printable::Said(text) => self.say(&text)?,
                Printable::Line(tone, words) => {
                    let style = match tone {
                        Tone::Quiet => DIM,
                        Tone::Warning => NOTE,
                        Tone::Wrong => WRONG,
                    };
                    // Words beside the answer: a run does not end because nobody wants them.
                    let _ = Console::stderr().line(format_args!("{style}{words}{style:#}"));
                }
            }
        }
        Ok(())
    }

    /// Text of a model: as it is for a program, fit for eyes on a terminal.
    fn say(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match &mut self.prose {
            Some(eyes) => out.write_all(eyes.push(text).as_bytes())?,
            None => out.write_all(text.as_bytes())?,
        }
        out.flush()
    }

    /// The text of a plan, which somebody is about to approve: fit for eyes wherever it goes.
    fn say_plan(&mut self, plan: &ReportedPlan) -> io::Result<()> {
        let text = plan.text.as_deref().unwrap_or_default();
        self.say_all(&fore_text::prose(text))?;
        if let Some(words) = fore_text::notice(fore_text::marks(text, TextKind::Prose)) {
            // Beside the plan itself, where the marks are: nothing hangs on this line.
            let _ = Console::stderr().line(format_args!("{NOTE}fore: the plan {words}{NOTE:#}"));
        }
        Ok(())
    }

    fn say_all(&mut self, text: &str) -> io::Result<()> {
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        self.say(&format!("{text}{end}"))
    }

    fn end(&mut self, report: &RunReport<'_>, tally: &Tally, ending: RunEnding) -> io::Result<()> {
        let open = self.event_text.finish();
        self.print(open)?;
        if let Some(eyes) = &mut self.prose {
            let held = eyes.finish();
            io::stdout().lock().write_all(held.as_bytes())?;
        }
        match (report.plan, ending) {
            (Some(plan), RunEnding::Planned) => self.planned(plan)?,
            (Some(plan), RunEnding::PlanAwaits) => {
                self.say_plan(plan)?;
                let _ = how_to_apply(plan);
            }
            (_, RunEnding::NoPlan | RunEnding::NoModel) if self.options.answer == AnswerTiming::AtTheEnd => {
                let _ = answer_beside(&tally.answer);
            }
            _ if self.options.answer == AnswerTiming::AtTheEnd => self.say_all(&tally.answer)?,
            _ => {}
        }
        let _ = self.afterword(report, tally, ending);
        Ok(())
    }

    /// On a terminal the plan itself, then where it is; for a program only where it is.
    fn planned(&mut self, plan: &ReportedPlan) -> io::Result<()> {
        if self.prose.is_some() {
            self.say_plan(plan)?;
            let _ = how_to_apply(plan);
            return Ok(());
        }
        self.say(&format!("plan {}\nhash {}\n", plain(&plan.path), plan.hash))?;
        if self.options.progress == Progress::Shown {
            let _ = how_to_apply(plan);
        }
        Ok(())
    }

    fn afterword(&self, report: &RunReport<'_>, tally: &Tally, ending: RunEnding) -> io::Result<()> {
        let mut screen = Console::stderr();
        if tally.denied_in_all > 0 && self.options.purpose != RunPurpose::Plan {
            let calls =
                if tally.denied_in_all == 1 { "1 call was" } else { &format!("{} calls were", tally.denied_in_all) };
            screen.line(format_args!(
                "{NOTE}fore: {calls} refused: by the mode, by a rule, or because nobody could allow it{NOTE:#}"
            ))?;
        }
        if let Some(why) = why(tally, ending) {
            for (number, line) in why.lines().enumerate() {
                let start = if number == 0 { format!("{WRONG}error:{WRONG:#} ") } else { "  ".into() };
                screen.line(format_args!("{start}{}", plain(line)))?;
            }
        }
        match (ending, report.plan) {
            (RunEnding::NoPlan, Some(plan)) => screen.line(format_args!(
                "{NOTE}fore: no plan was handed in; what was written so far is in {}{NOTE:#}",
                plain(&plan.path)
            )),
            (RunEnding::NoPlan, None) => screen.line(format_args!("{NOTE}fore: no plan was made{NOTE:#}")),
            (RunEnding::PlanSaved, Some(plan)) => {
                screen.line(format_args!("{NOTE}fore: the plan is saved as {}{NOTE:#}", plain(&plan.path)))
            }
            (RunEnding::Interrupted | RunEnding::Terminated, _) => {
                let session =
                    tally.session.map_or_else(String::new, |id| format!("; go on with: fore -p … --resume {id}"));
                screen.line(format_args!("{NOTE}fore: interrupted{session}{NOTE:#}"))
            }
            _ => Ok(()),
        }
    }
}

fn how_to_apply(plan: &ReportedPlan) -> io::Result<()> {
    let mut screen = Console::stderr();
    screen.line("")?;
    screen.line(format_args!("{BOLD}The plan awaits your approval.{BOLD:#} Nothing was changed."))?;
    screen.exact_line(format_args!("  {DIM}plan{DIM:#} {}", plain(&plan.path)))?;
    screen.exact_line(format_args!("  {DIM}hash{DIM:#} {}", plan.hash))?;
    screen.line("To run exactly this plan:")?;
    screen.exact_line(format_args!("  {}", plain(&apply_command(plan))))
}

/// What the model said instead of making a plan.
fn answer_beside(answer: &str) -> io::Result<()> {
    let mut screen = Console::stderr();
    fore_text::prose(answer).lines().try_for_each(|line| screen.exact_line(line))
}
