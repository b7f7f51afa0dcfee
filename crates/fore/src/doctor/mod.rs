//! `fore doctor`: what this machine's kernel can enforce, tried for real, and what a session here would start with.

mod setup;

use crate::{
    args::DoctorArgs,
    console::{Console, plain},
    settings::Settings,
};
use anstyle::{AnsiColor, Color, Style};
use anyhow::Context;
use fore_plan::gate::table::{CageStanding, CageSupport, WithoutSandbox};
use fore_sandbox::{
    Cages, Layer,
    doctor::{ProtectionCheck, ProtectionState, SandboxCheck, examine, sandboxes},
};
use serde_json::json;
use setup::SetupSection;
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
    let cwd = crate::environment::current_folder()?;
    let settings = Settings::load_understood(&cwd, given)?;
    let cages = Cages::new(settings.cages(), &fore_commands::CATALOGUE);
    let kernel = cages.kernel(&settings.project);
    let sandboxes = sandboxes(&cages, &settings.project);
    let lines = examine(&cages, &settings.project).context("the tries could not be prepared")?;
    let parts = setup::parts(&settings, &cwd)?;
    let mut screen = Console::stdout();
    if args.json {
        screen.json(&as_json(&sandboxes, &lines, &kernel, &parts))?;
    } else {
        for sandbox in &sandboxes {
            show_sandbox(&mut screen, sandbox)?;
        }
        screen.line("")?;
        let width = lines.iter().map(|line| line.name.len()).max().unwrap_or(0);
        for line in &lines {
            show(&mut screen, line, width)?;
        }
        screen.line("")?;
        screen.paragraph("", &verdict(&kernel, settings.table.without_sandbox))?;
        screen.line("")?;
        for part in &parts {
            show_part(&mut screen, part)?;
        }
    }
    let is_off = |part: &SetupSection| part.lines.iter().any(|(state, _)| *state == ProtectionState::Off);
    let all_hold = lines.iter().all(|line| line.state != ProtectionState::Off) && !parts.iter().any(is_off);
    Ok(if all_hold { ExitCode::SUCCESS } else { ExitCode::from(SOMETHING_IS_OFF) })
}

fn sign(state: ProtectionState) -> (Style, &'static str) {
    match state {
        ProtectionState::On => (GOOD, "✓"),
        ProtectionState::Partly => (UNSURE, "~"),
        ProtectionState::Off => (BAD, "✗"),
    }
}

/// How wide the names of the parts are.
const PART_WIDTH: usize = 8;

fn show_part(screen: &mut Console<impl Write>, part: &SetupSection) -> io::Result<()> {
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

fn show(screen: &mut Console<impl Write>, line: &ProtectionCheck, width: usize) -> io::Result<()> {
    let (style, sign) = sign(line.state);
    screen.line(format_args!("{style}{sign}{style:#} {:<width$}  {DIM}{}{DIM:#}", line.name, line.why))?;
    if let Some(advice) = &line.what_to_do {
        screen.line(format_args!("  {:<width$}  → {advice}", ""))?;
    }
    Ok(())
}

/// How wide the names of sandboxes are.
const SANDBOX_WIDTH: usize = 9;

fn show_sandbox(screen: &mut Console<impl Write>, sandbox: &SandboxCheck) -> io::Result<()> {
    let names = |layers: &[Layer]| layers.iter().map(|layer| layer.name()).collect::<Vec<_>>().join(", ");
    let (state, words) = match &sandbox.standing {
        CageStanding::Full => (ProtectionState::On, format!("enforced by {}", names(&sandbox.held_by))),
        CageStanding::Without(layer) => {
            (ProtectionState::Partly, format!("enforced by {}, without {layer}", names(&sandbox.held_by)))
        }
        CageStanding::Missing(lack) => (ProtectionState::Off, format!("none: {}. {}", lack.reason, lack.remedy)),
    };
    let (style, sign) = sign(state);
    let mut indent = format!("{style}{sign}{style:#} {:<SANDBOX_WIDTH$}  ", sandbox.name);
    let plain_indent = " ".repeat(SANDBOX_WIDTH + 4);
    for line in screen.broken(plain_indent.len(), &plain(&format!("{words} ({})", sandbox.purpose))) {
        screen.line(format_args!("{indent}{line}"))?;
        indent.clone_from(&plain_indent);
    }
    for (layer, cost) in &sandbox.costs {
        for line in screen.broken(plain_indent.len(), &format!("without {layer}: {cost}")) {
            screen.line(format_args!("{plain_indent}{DIM}{line}{DIM:#}"))?;
        }
    }
    Ok(())
}

fn verdict(kernel: &CageSupport, without: WithoutSandbox) -> String {
    match (kernel.read_only.lack(), kernel.rehearsal.lack(), without) {
        (None, None, _) => {
            "Plan mode is enforced by the kernel: reads run in a sandbox, anything else runs in a throw-away sandbox."
                .into()
        }
        (None, Some(_), _) => {
            "Plan mode is enforced by the kernel for reads; there is no rehearsal, so what cannot be proved is \
             refused."
                .into()
        }
        (Some(_), _, WithoutSandbox::Nothing) => {
            "No sandbox can be built here, so no command runs while planning; Read, Grep and Glob work.".into()
        }
        (Some(_), _, WithoutSandbox::Reads) => {
            "No sandbox can be built here. Your settings (plan.withoutSandbox) let commands \
             that are proved to read run without one while planning."
                .into()
        }
    }
}

fn sandbox_as_json(sandbox: &SandboxCheck) -> serde_json::Value {
    let (missing, what_to_do) = match &sandbox.standing {
        CageStanding::Full => (None, None),
        CageStanding::Without(layer) => (Some(layer.clone()), None),
        CageStanding::Missing(lack) => (Some(lack.reason.to_string()), Some(lack.remedy.to_string())),
    };
    let costs: serde_json::Map<String, serde_json::Value> =
        sandbox.costs.iter().map(|(layer, cost)| (layer.name().to_owned(), json!(cost))).collect();
    json!({
        "name": sandbox.name,
        "stands": sandbox.standing.holds(),
        "held_by": sandbox.held_by.iter().map(|layer| layer.name()).collect::<Vec<_>>(),
        "missing": missing,
        "what_to_do": what_to_do,
        "without": costs,
    })
}

fn as_json(
    sandboxes: &[SandboxCheck],
    lines: &[ProtectionCheck],
    kernel: &CageSupport,
    parts: &[SetupSection],
) -> serde_json::Value {
    let state = |state: ProtectionState| match state {
        ProtectionState::On => "on",
        ProtectionState::Partly => "partly",
        ProtectionState::Off => "off",
    };
    let lines: Vec<serde_json::Value> = lines
        .iter()
        .map(|line| json!({"name": line.name, "state": state(line.state), "why": line.why, "what_to_do": line.what_to_do}))
        .collect();
    let mut all = json!({"sandboxes": sandboxes.iter().map(sandbox_as_json).collect::<Vec<_>>(), "protections": lines, "read_only": kernel.read_only.holds(), "rehearsal": kernel.rehearsal.holds()});
    for part in parts {
        let lines = part.lines.iter().map(|(of, words)| json!({"state": state(*of), "what": words}));
        all[part.name] = lines.collect();
    }
    all
}
