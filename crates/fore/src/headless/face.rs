//! Prints a run as it goes: in words, as one JSON event a line, or not at all until its end.

use super::{
    args::OutputFormat,
    ending::{Ending, Purpose, Report, why},
    plan::{PlanFacts, apply_command},
    show::{Answer, Look, Piece, Progress, Show, Tone},
    tally::Tally,
};
use crate::screen::{Screen, plain};
use anstyle::{AnsiColor, Color, Style};
use fore_agent::Event;
use fore_text::{Kind, ProseStream};
use std::io::{self, IsTerminal, Write};

const DIM: Style = Style::new().dimmed();
const NOTE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Yellow)));
const WRONG: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red)));
const BOLD: Style = Style::new().bold();

/// Where a run is shown.
#[derive(Debug)]
pub(crate) enum Face {
    Words(Words),
    /// One object at the end.
    Object,
    /// Every event as a line, the object last.
    Lines,
    /// Nobody reads any more.
    Closed,
}

/// Whether somebody is there to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    There,
    Gone,
}

/// A run in words.
#[derive(Debug)]
pub(crate) struct Words {
    look: Look,
    show: Show,
    /// Set where a person reads along: what the model says, made fit for eyes.
    eyes: Option<ProseStream>,
}

impl Face {
    pub(crate) fn new(format: OutputFormat, purpose: Purpose, verbose: bool) -> Face {
        let on_terminal = io::stdout().is_terminal();
        let progress = if verbose || io::stderr().is_terminal() { Progress::Shown } else { Progress::Silent };
        let answer = if on_terminal && purpose != Purpose::Plan { Answer::AsItComes } else { Answer::AtTheEnd };
        let look = Look { purpose, progress, answer };
        match format {
            OutputFormat::Text => {
                Face::Words(Words { look, show: Show::new(look), eyes: on_terminal.then(ProseStream::default) })
            }
            OutputFormat::Json => Face::Object,
            OutputFormat::StreamJson => Face::Lines,
        }
    }

    pub(crate) fn event(&mut self, event: &Event) -> io::Result<Reader> {
        let printed = match self {
            Face::Words(words) => {
                let pieces = words.show.event(event);
                words.print(pieces)
            }
            Face::Lines => line(event),
            Face::Object | Face::Closed => Ok(()),
        };
        self.reader(printed)
    }

    /// That nobody reads any more is no error to talk about.
    fn reader(&mut self, printed: io::Result<()>) -> io::Result<Reader> {
        match printed {
            Ok(()) => Ok(Reader::There),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.close();
                Ok(Reader::Gone)
            }
            Err(error) => Err(error),
        }
    }

    /// Nothing is printed any more.
    pub(crate) fn close(&mut self) {
        *self = Face::Closed;
    }

    /// The end of a run.
    pub(crate) fn end(&mut self, report: Report<'_>, tally: &Tally, ending: Ending) -> io::Result<Reader> {
        let printed = match self {
            Face::Words(words) => words.end(&report, tally, ending),
            Face::Object => line(&report),
            Face::Lines => line(&Report { event: Some("result"), ..report }),
            Face::Closed => Ok(()),
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

impl Words {
    fn print(&mut self, pieces: Vec<Piece>) -> io::Result<()> {
        for piece in pieces {
            match piece {
                Piece::Said(text) => self.say(&text)?,
                Piece::Line(tone, words) => {
                    let style = match tone {
                        Tone::Quiet => DIM,
                        Tone::Warning => NOTE,
                        Tone::Wrong => WRONG,
                    };
                    // Words beside the answer: a run does not end because nobody wants them.
                    let _ = Screen::stderr().line(format_args!("{style}{words}{style:#}"));
                }
            }
        }
        Ok(())
    }

    /// Text of a model: as it is for a program, fit for eyes on a terminal.
    fn say(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match &mut self.eyes {
            Some(eyes) => out.write_all(eyes.push(text).as_bytes())?,
            None => out.write_all(text.as_bytes())?,
        }
        out.flush()
    }

    /// The text of a plan, which somebody is about to approve: fit for eyes wherever it goes.
    fn say_plan(&mut self, plan: &PlanFacts) -> io::Result<()> {
        let text = plan.text.as_deref().unwrap_or_default();
        self.say_whole(&fore_text::prose(text))?;
        if let Some(words) = fore_text::notice(fore_text::marks(text, Kind::Prose)) {
            // Beside the plan itself, where the marks are: nothing hangs on this line.
            let _ = Screen::stderr().line(format_args!("{NOTE}fore: the plan {words}{NOTE:#}"));
        }
        Ok(())
    }

    fn say_whole(&mut self, text: &str) -> io::Result<()> {
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        self.say(&format!("{text}{end}"))
    }

    fn end(&mut self, report: &Report<'_>, tally: &Tally, ending: Ending) -> io::Result<()> {
        let open = self.show.finish();
        self.print(open)?;
        if let Some(eyes) = &mut self.eyes {
            let held = eyes.finish();
            io::stdout().lock().write_all(held.as_bytes())?;
        }
        match (report.plan, ending) {
            (Some(plan), Ending::Planned) => self.planned(plan)?,
            (Some(plan), Ending::PlanAwaits) => {
                self.say_plan(plan)?;
                let _ = how_to_apply(plan);
            }
            (_, Ending::NoPlan | Ending::NoModel) if self.look.answer == Answer::AtTheEnd => {
                let _ = answer_beside(&tally.answer);
            }
            _ if self.look.answer == Answer::AtTheEnd => self.say_whole(&tally.answer)?,
            _ => {}
        }
        let _ = self.afterword(report, tally, ending);
        Ok(())
    }

    /// On a terminal the plan itself, then where it is; for a program only where it is.
    fn planned(&mut self, plan: &PlanFacts) -> io::Result<()> {
        if self.eyes.is_some() {
            self.say_plan(plan)?;
            let _ = how_to_apply(plan);
            return Ok(());
        }
        self.say(&format!("plan {}\nhash {}\n", plain(&plan.path), plan.hash))?;
        if self.look.progress == Progress::Shown {
            let _ = how_to_apply(plan);
        }
        Ok(())
    }

    fn afterword(&self, report: &Report<'_>, tally: &Tally, ending: Ending) -> io::Result<()> {
        let mut screen = Screen::stderr();
        if tally.denied_in_all > 0 && self.look.purpose != Purpose::Plan {
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
            (Ending::NoPlan, Some(plan)) => screen.line(format_args!(
                "{NOTE}fore: no plan was handed in; what was written so far is in {}{NOTE:#}",
                plain(&plan.path)
            )),
            (Ending::NoPlan, None) => screen.line(format_args!("{NOTE}fore: no plan was made{NOTE:#}")),
            (Ending::PlanSaved, Some(plan)) => {
                screen.line(format_args!("{NOTE}fore: the plan is saved as {}{NOTE:#}", plain(&plan.path)))
            }
            (Ending::Interrupted | Ending::Terminated, _) => {
                let session =
                    tally.session.map_or_else(String::new, |id| format!("; go on with: fore -p … --resume {id}"));
                screen.line(format_args!("{NOTE}fore: interrupted{session}{NOTE:#}"))
            }
            _ => Ok(()),
        }
    }
}

fn how_to_apply(plan: &PlanFacts) -> io::Result<()> {
    let mut screen = Screen::stderr();
    screen.line("")?;
    screen.line(format_args!("{BOLD}The plan awaits your approval.{BOLD:#} Nothing was changed."))?;
    screen.exact_line(format_args!("  {DIM}plan{DIM:#} {}", plain(&plan.path)))?;
    screen.exact_line(format_args!("  {DIM}hash{DIM:#} {}", plan.hash))?;
    screen.line("To run exactly this plan:")?;
    screen.exact_line(format_args!("  {}", plain(&apply_command(plan))))
}

/// What the model said instead of making a plan.
fn answer_beside(answer: &str) -> io::Result<()> {
    let mut screen = Screen::stderr();
    fore_text::prose(answer).lines().try_for_each(|line| screen.exact_line(line))
}
