//! `fore doctor`: what this machine's kernel can enforce, tried for real, line by line.

use crate::{args::DoctorArgs, screen::Screen, settings::Settings};
use anstyle::{AnsiColor, Color, Style};
use anyhow::Context;
use fore_sandbox::{
    Cages,
    doctor::{Line, State, examine},
};
use serde_json::json;
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
    let settings = Settings::load_here(given)?;
    let cages = Cages::new(settings.cages());
    let lines = examine(&cages).context("the tries could not be prepared")?;
    let kernel = cages.kernel();
    let mut screen = Screen::stdout();
    if args.json {
        screen.exact_line(serde_json::to_string_pretty(&as_json(&lines, kernel))?)?;
    } else {
        let width = lines.iter().map(|line| line.name.len()).max().unwrap_or(0);
        for line in &lines {
            show(&mut screen, line, width)?;
        }
        screen.line("")?;
        screen.paragraph("", &verdict(kernel))?;
    }
    let all_hold = lines.iter().all(|line| line.state != State::Off);
    Ok(if all_hold { ExitCode::SUCCESS } else { ExitCode::from(SOMETHING_IS_OFF) })
}

fn show(screen: &mut Screen<impl Write>, line: &Line, width: usize) -> io::Result<()> {
    let (style, sign) = match line.state {
        State::On => (GOOD, "✓"),
        State::Partly => (UNSURE, "~"),
        State::Off => (BAD, "✗"),
    };
    screen.line(format_args!("{style}{sign}{style:#} {:<width$}  {DIM}{}{DIM:#}", line.name, line.why))?;
    if let Some(advice) = line.what_to_do {
        screen.line(format_args!("  {:<width$}  → {advice}", ""))?;
    }
    Ok(())
}

fn verdict(kernel: fore_plan::gate::table::Kernel) -> String {
    match (kernel.read_only, kernel.rehearsal) {
        (true, true) => "Plan mode is held by the kernel: reads run caged, the unproved runs in rehearsal.".into(),
        (true, false) => {
            "Plan mode is held by the kernel for reads; there is no rehearsal, so what cannot be proved is refused."
                .into()
        }
        (false, _) => "This kernel holds no cage: while planning only commands proved to read are run.".into(),
    }
}

fn as_json(lines: &[Line], kernel: fore_plan::gate::table::Kernel) -> serde_json::Value {
    let state = |state: State| match state {
        State::On => "on",
        State::Partly => "partly",
        State::Off => "off",
    };
    let lines: Vec<serde_json::Value> = lines
        .iter()
        .map(|line| json!({"name": line.name, "state": state(line.state), "why": line.why, "what_to_do": line.what_to_do}))
        .collect();
    json!({"protections": lines, "read_only": kernel.read_only, "rehearsal": kernel.rehearsal})
}
