//! Prints a run as it goes: in words, as one JSON event a line, or not at all until its end.

use super::{
    args::{HostProtocol, OutputFormat},
    ending::{RunEnding, RunPurpose, RunReport, why},
    event_text::{AnswerTiming, EventText, Printable, Progress, ShowOptions, Tone},
    host_protocol::HostEvent,
    plan::{ReportedPlan, apply_command},
    tally::{DeniedCall, Tally},
};
use crate::{
    console::{Console, plain},
    covers,
};
use anstyle::{AnsiColor, Color, Style};
use fore_agent::Event;
use fore_plan::{RefusalCode, report::ShownTimes};
use fore_text::{ProseStream, TextKind};
use std::io::{self, IsTerminal, Write};

const DIM: Style = Style::new().dimmed();
const NOTE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Yellow)));
const WRONG: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red)));
const ADDED: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green)));
const REMOVED: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red)));
/// Files that have moved and are shown with their difference.
const MAX_MOVED: usize = 20;
const BOLD: Style = Style::new().bold();

/// Where a run is shown.
#[derive(Debug)]
pub(crate) enum RunOutput {
    Words(TextOutput),
    /// One object at the end.
    Object,
    /// Every event as a line, the object last.
    Lines(HostProtocol),
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
    pub(crate) fn new(format: OutputFormat, protocol: HostProtocol, purpose: RunPurpose, verbose: bool) -> RunOutput {
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
            OutputFormat::StreamJson => RunOutput::Lines(protocol),
        }
    }

    pub(crate) fn event(&mut self, event: &Event) -> io::Result<OutputReader> {
        let printed = match self {
            RunOutput::Words(words) => {
                let pieces = words.event_text.event(event);
                words.print(pieces)
            }
            RunOutput::Lines(protocol) => line(&HostEvent::new(event, *protocol)),
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

    /// Whether lines about what goes on are printed.
    pub(crate) fn shows_progress(&self) -> bool {
        matches!(self, RunOutput::Words(words) if words.options.progress == Progress::Shown)
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
            RunOutput::Lines(_) => line(&RunReport { event: Some("result"), ..report }),
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
            (Some(plan), RunEnding::Planned) => self.planned(plan, tally)?,
            (Some(plan), RunEnding::PlanAwaits) => {
                self.say_plan(plan)?;
                let _ = how_to_apply(plan, tally);
            }
            (_, RunEnding::NoPlan) if self.options.answer == AnswerTiming::AtTheEnd => {
                let _ = answer_beside(&tally.answer);
            }
            _ if self.options.answer == AnswerTiming::AtTheEnd => self.say_all(&tally.answer)?,
            _ => {}
        }
        if let Some(became) = &tally.report {
            let markdown = became.markdown(ShownTimes::Hidden);
            let text = fore_text::prose(&markdown);
            let mut screen = Console::stderr();
            let _ = text.lines().try_for_each(|line| screen.exact_line(line));
        }
        let _ = self.afterword(report, tally, ending);
        Ok(())
    }

    /// On a terminal the plan itself, then where it is; for a program only where it is.
    fn planned(&mut self, plan: &ReportedPlan, tally: &Tally) -> io::Result<()> {
        if self.prose.is_some() {
            self.say_plan(plan)?;
            let _ = how_to_apply(plan, tally);
            return Ok(());
        }
        self.say(&format!("plan {}\nhash {}\n", plain(&plan.path), plan.hash))?;
        if self.options.progress == Progress::Shown {
            let _ = how_to_apply(plan, tally);
        }
        Ok(())
    }

    fn afterword(&self, report: &RunReport<'_>, tally: &Tally, ending: RunEnding) -> io::Result<()> {
        let mut screen = Console::stderr();
        if tally.denied_in_all > 0 && self.options.purpose != RunPurpose::Plan {
            let calls = fore_text::count_as(tally.denied_in_all, "call was", "calls were");
            screen.line(format_args!(
                "{NOTE}fore: {calls} refused: by the mode, by a rule, or because nobody could allow it{NOTE:#}"
            ))?;
            let is_drift = |call: &&DeniedCall| call.code == RefusalCode::PlanNotCovered.name();
            match tally.denied.iter().filter(is_drift).count() {
                0 => {}
                drift => screen.line(format_args!(
                    "{NOTE}fore: {} not in the plan; add it to the plan, or let the work go beyond it with --drift allow{NOTE:#}",
                    fore_text::count_as(drift, "of them is", "of them are")
                ))?,
            }
        }
        if let Some(why) = why(tally, ending) {
            for (number, line) in why.lines().enumerate() {
                let start = if number == 0 { format!("{WRONG}error:{WRONG:#} ") } else { "  ".into() };
                screen.line(format_args!("{start}{}", plain(line)))?;
            }
        }
        if ending == RunEnding::Stale {
            stale(&mut screen, tally)?;
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
                    tally.session.map_or_else(String::new, |id| format!("; continue with: fore -p … --resume {id}"));
                screen.line(format_args!("{NOTE}fore: interrupted{session}{NOTE:#}"))
            }
            _ => Ok(()),
        }
    }
}

/// What has moved, and how to continue.
fn stale(screen: &mut Console<impl Write>, tally: &Tally) -> io::Result<()> {
    for file in tally.moved.iter().flatten().take(MAX_MOVED) {
        screen.exact_line(format_args!("  {}", plain(&file.to_string())))?;
        for line in file.diff.lines() {
            let style = match line.as_bytes().first() {
                Some(b'+') => ADDED,
                Some(b'-') => REMOVED,
                _ => DIM,
            };
            screen.exact_line(format_args!("    {style}{}{style:#}", fore_text::exact(line)))?;
        }
    }
    let more = tally.moved.iter().flatten().count().saturating_sub(MAX_MOVED);
    if more > 0 {
        screen.line(format_args!("  … and {more} more"))?;
    }
    if let Some((then, now)) = tally.stale.as_ref().and_then(|stale| stale.heads.as_ref()) {
        screen.line(format_args!("  {DIM}made on {}, now on {}{DIM:#}", plain(then), plain(now)))?;
    }
    screen.line(
        "Make the plan again, or carry it out as it is with --stale allow: the model then reads these files again.",
    )
}

fn how_to_apply(plan: &ReportedPlan, tally: &Tally) -> io::Result<()> {
    let mut screen = Console::stderr();
    if let Some(contract) = &plan.contract {
        screen.line("")?;
        covers::lines(contract).iter().try_for_each(|line| screen.exact_line(line))?;
    }
    screen.line("")?;
    screen.line(format_args!("{BOLD}The plan awaits your approval.{BOLD:#} Nothing was changed."))?;
    screen.exact_line(format_args!("  {DIM}plan{DIM:#} {}", plain(&plan.path)))?;
    screen.exact_line(format_args!("  {DIM}hash{DIM:#} {}", plan.hash))?;
    // The scout plans, but a language model has to carry it out.
    let (model, words) = if tally.is_by_scout {
        (" --model NAME", "To run exactly this plan, with a language model:")
    } else {
        ("", "To run exactly this plan:")
    };
    screen.line(words)?;
    screen.exact_line(format_args!("  {}{model}", plain(&apply_command(plan))))
}

/// What the model said instead of making a plan.
fn answer_beside(answer: &str) -> io::Result<()> {
    let mut screen = Console::stderr();
    fore_text::prose(answer).lines().try_for_each(|line| screen.exact_line(line))
}
