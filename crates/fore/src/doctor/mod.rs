//! `fore doctor`: what this machine's kernel can enforce, tried for real, and what a session here would start with.

mod setup;

use crate::{
    args::DoctorArgs,
    screen::{Screen, plain},
    settings::Settings,
};
use anstyle::{AnsiColor, Color, Style};
use anyhow::Context;
use fore_plan::gate::table::Kernel;
use fore_sandbox::{
    Cages,
    doctor::{Line, State, examine},
};
use serde_json::json;
use setup::Part;
use std::{
    io::{self, Write},
    process::ExitCode,
};

const GOOD: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green))).bold();
const UNSURE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Yellow))).bold();
const BAD: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red))).bold();
const DIM: Style = Style::new().dimmed();

/// Exit code when something does not hold.
const SOMETHING_IS_OFF: u8 = 1;

pub(crate) fn run(args: &DoctorArgs, given: Option<&str>) -> anyhow::Result<ExitCode> {
    let cwd = std::env::current_dir().context("the current folder cannot be found")?;
    let settings = Settings::load(&cwd, given)?;
    let cages = Cages::new(settings.cages());
    let lines = examine(&cages).context("the tries could not be prepared")?;
    let kernel = cages.kernel(&settings.project);
    let parts = setup::parts(&settings, &cwd)?;
    let mut screen = Screen::stdout();
    if args.json {
        screen.json(&as_json(&lines, &kernel, &parts))?;
    } else {
        let width = lines.iter().map(|line| line.name.len()).max().unwrap_or(0);
        for line in &lines {
            show(&mut screen, line, width)?;
        }
        screen.line("")?;
        screen.paragraph("", &verdict(&kernel))?;
        screen.line("")?;
        for part in &parts {
            show_part(&mut screen, part)?;
        }
    }
    let is_off = |part: &Part| part.lines.iter().any(|(state, _)| *state == State::Off);
    let all_hold = lines.iter().all(|line| line.state != State::Off) && !parts.iter().any(is_off);
    Ok(if all_hold { ExitCode::SUCCESS } else { ExitCode::from(SOMETHING_IS_OFF) })
}

fn sign(state: State) -> (Style, &'static str) {
    match state {
        State::On => (GOOD, "✓"),
        State::Partly => (UNSURE, "~"),
        State::Off => (BAD, "✗"),
    }
}

/// How wide the names of the parts are.
const PART_WIDTH: usize = 8;

fn show_part(screen: &mut Screen<impl Write>, part: &Part) -> io::Result<()> {
    let mut name = part.name;
    for (state, words) in &part.lines {
        let (style, sign) = sign(*state);
        let mut indent = format!("{style}{sign}{style:#} {name:<PART_WIDTH$}  ");
        let plain_indent = " ".repeat(PART_WIDTH + 4);
        for line in screen.broken(plain_indent.len(), &plain(words)) {
            screen.line(format_args!("{indent}{DIM}{line}{DIM:#}"))?;
            indent.clone_from(&plain_indent);
        }
        name = "";
    }
    Ok(())
}

fn show(screen: &mut Screen<impl Write>, line: &Line, width: usize) -> io::Result<()> {
    let (style, sign) = sign(line.state);
    screen.line(format_args!("{style}{sign}{style:#} {:<width$}  {DIM}{}{DIM:#}", line.name, line.why))?;
    if let Some(advice) = line.what_to_do {
        screen.line(format_args!("  {:<width$}  → {advice}", ""))?;
    }
    Ok(())
}

fn verdict(kernel: &Kernel) -> String {
    match (kernel.read_only.lack(), kernel.rehearsal.lack()) {
        (None, None) => {
            "Plan mode is held by the kernel: reads run in a sandbox, the unproved runs in rehearsal.".into()
        }
        (None, Some(lack)) => format!(
            "Plan mode is held by the kernel for reads; there is no rehearsal, so what cannot be proved is refused: {}. {}",
            lack.reason, lack.remedy
        ),
        (Some(lack), _) => {
            format!("No sandbox can be built here, so no command runs while planning: {}. {}", lack.reason, lack.remedy)
        }
    }
}

fn as_json(lines: &[Line], kernel: &Kernel, parts: &[Part]) -> serde_json::Value {
    let state = |state: State| match state {
        State::On => "on",
        State::Partly => "partly",
        State::Off => "off",
    };
    let lines: Vec<serde_json::Value> = lines
        .iter()
        .map(|line| json!({"name": line.name, "state": state(line.state), "why": line.why, "what_to_do": line.what_to_do}))
        .collect();
    let mut all =
        json!({"protections": lines, "read_only": kernel.read_only.holds(), "rehearsal": kernel.rehearsal.holds()});
    for part in parts {
        let lines = part.lines.iter().map(|(of, words)| json!({"state": state(*of), "what": words}));
        all[part.name] = lines.collect();
    }
    all
}
