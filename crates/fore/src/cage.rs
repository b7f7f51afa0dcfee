//! `fore cage`: runs the person's own command in a cage and says afterwards what was blocked or what would have changed.

use crate::{
    args::CageArgs,
    console::{Console, plain},
    gate::project_of,
    headless::hold_signals,
    settings::Settings,
};
use anstyle::{AnsiColor, Color, Style};
use anyhow::{Context, bail};
use fore_plan::{
    Cage, Contacts, Outside, State,
    gate::{Action, Ground, typed},
};
use fore_sandbox::{Cages, Canceller, Ending, Job, JobCommand, OutputStream, RunOutcome};
use fore_text::ProgramOutput;
use std::{
    io::{self, IsTerminal, Read, Write},
    path::Path,
    process::ExitCode,
    time::Duration,
};

const DIM: Style = Style::new().dimmed();
const NOTE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Yellow)));
const ADDED: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green)));
const REMOVED: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red)));

/// What `--stdin` hands over at most.
const MAX_INPUT_BYTES: u64 = 64 << 20;
/// Changes that are listed at most.
const MAX_LISTED: usize = 50;

pub(crate) fn run(args: &CageArgs, given: Option<&str>) -> anyhow::Result<ExitCode> {
    let workspace = crate::environment::current_folder()?;
    let settings = Settings::load(&workspace, given)?;
    if !args.quiet {
        crate::report::warn(&settings);
    }
    let outside = outside(args);
    let cage = match (args.rehearse, args.workspace) {
        (true, _) => Cage::Rehearsal,
        (false, true) => Cage::Workspace { outside },
        (false, false) => Cage::ReadOnly { outside },
    };
    let command = JobCommand::Program(args.command.clone());
    let state = State::default();
    let project = project_of(&workspace);
    let rules = settings.rules(&project)?;
    let ground =
        Ground::new(&rules, &settings.table, &project, &fore_shell::GitFacts::Unprobed, &fore_commands::CATALOGUE);
    let ground = Ground { home: settings.home.as_deref(), ..ground };
    let cwd = workspace.to_str().context("the current folder's path is not text")?.to_owned();
    let permit =
        typed(&state, &ground, Action::Run { command: command.text(), cwd, rehearse: args.rehearse }, cage.clone())?;
    let permit = permit.present(&state)?;

    let mut job = Job::new(command, &workspace);
    job.extra_writable = args.write.iter().map(|path| workspace.join(path)).collect();
    job.limits.time = Duration::from_secs(args.timeout);
    job.diff = args.diff;
    if args.stdin {
        std::io::stdin().lock().take(MAX_INPUT_BYTES + 1).read_to_end(&mut job.stdin)?;
        if job.stdin.len() as u64 > MAX_INPUT_BYTES {
            bail!("standard input is larger than {} MiB", MAX_INPUT_BYTES >> 20);
        }
    }
    cancel_on_signals(job.cancel.clone())?;
    let mut filters =
        [std::io::stdout().is_terminal(), std::io::stderr().is_terminal()].map(|is| is.then(ProgramOutput::default));
    let mut pass_on = |stream: OutputStream, bytes: &[u8]| {
        let [stdout, stderr] = &mut filters;
        let filter = if stream == OutputStream::Stdout { stdout } else { stderr };
        match filter {
            Some(filter) => print(stream, filter.push(bytes).as_bytes()),
            None => print(stream, bytes),
        }
    };
    job.on_output = Some(&mut pass_on);
    let result = Cages::new(settings.cages(), &fore_commands::CATALOGUE).run(permit, &mut job);
    for (filter, stream) in filters.iter_mut().zip([OutputStream::Stdout, OutputStream::Stderr]) {
        if let Some(filter) = filter {
            print(stream, filter.finish().as_bytes());
        }
    }
    let outcome = result?;
    if !args.quiet {
        // The command has run: that nobody can be told of it does not change how it ended.
        let _ = say(&mut Console::stderr(), &outcome, &cage, &workspace);
    }
    Ok(exit_code(&outcome))
}

/// Whom the person lets it talk to.
fn outside(args: &CageArgs) -> Outside {
    let named = Outside::named(Contacts { hosts: args.allow_host.concat(), services: Vec::new() });
    if args.net { named.and_any_public() } else { named }
}

/// A closed pipe ends this program by itself; any other failure to print must not stop the command.
fn print(stream: OutputStream, bytes: &[u8]) {
    let _ = match stream {
        OutputStream::Stdout => std::io::stdout().lock().write_all(bytes).and_then(|()| std::io::stdout().flush()),
        OutputStream::Stderr => std::io::stderr().lock().write_all(bytes),
    };
}

/// Ctrl+C and a request to end stop everything in the cage at once, before it can say what would have changed.
fn cancel_on_signals(cancel: Canceller) -> io::Result<()> {
    let set = hold_signals();
    std::thread::Builder::new()
        .spawn(move || {
            let mut signal = 0;
            // SAFETY: both pointers are to locals that outlive the call.
            while unsafe { libc::sigwait(&raw const set, &raw mut signal) } == 0 {
                cancel.cancel();
            }
        })
        .map(drop)
}

fn exit_code(outcome: &RunOutcome) -> ExitCode {
    match outcome.ending {
        Ending::Itself => ExitCode::from(u8::try_from(outcome.status.code()).unwrap_or(1)),
        Ending::Cancelled => ExitCode::from(130),
        Ending::Time => ExitCode::from(124),
        Ending::Memory | Ending::Processes | Ending::TempSpace | Ending::SecretAppeared | Ending::Planting => {
            ExitCode::from(137)
        }
    }
}

/// Why it did not end by itself.
fn stopped(outcome: &RunOutcome, cage: &Cage, workspace: &Path) -> Option<String> {
    let why = match outcome.ending {
        Ending::Itself => return None,
        Ending::Time => return Some(format!("stopped after {} s, as asked", outcome.duration.as_secs())),
        Ending::SecretAppeared if outcome.appeared.as_deref() != Some(workspace) => {
            let name = outcome.appeared.as_deref().unwrap_or(workspace);
            let name = plain(&name.strip_prefix(workspace).unwrap_or(name).to_string_lossy());
            return Some(format!(
                "stopped, and the rest of its output is withheld: {name} appeared while it ran, and is kept secret. Run it again"
            ));
        }
        Ending::SecretAppeared => {
            "stopped, and the rest of its output is withheld: folders of the project were moved about, so that not every secret \
             could be hidden. Run it again"
        }
        Ending::Memory => "stopped: it used more memory than its sandbox allows",
        Ending::Processes => "stopped: it started more processes than its sandbox allows",
        Ending::TempSpace => "stopped: its temp files took too much room",
        Ending::Planting => "stopped: it went on making files that other programs would obey later, outside",
        Ending::Cancelled if *cage == Cage::Rehearsal => "stopped; nothing it wrote is kept",
        Ending::Cancelled => "stopped",
    };
    Some(why.to_owned())
}

fn say(screen: &mut Console<impl Write>, outcome: &RunOutcome, cage: &Cage, workspace: &Path) -> io::Result<()> {
    if let Some(why) = stopped(outcome, cage, workspace) {
        screen.line(format_args!("{NOTE}fore: {why}{NOTE:#}"))?;
    }
    if !outcome.blocked.is_empty() {
        let name = if *cage == Cage::Rehearsal { "rehearsal" } else { "sandbox" };
        let what = plain(&outcome.blocked.join(", "));
        screen.line(format_args!("{NOTE}fore: the {name} seems to have refused: {what}{NOTE:#}"))?;
    }
    let planted = [
        (
            &outcome.removed,
            "removed, because other programs would obey it later, outside, and it could get no other name",
        ),
        (
            &outcome.left_planted,
            "STILL THERE, and other programs obey it: it could neither be renamed nor removed. Look at it",
        ),
    ];
    for (paths, what) in planted {
        for path in paths {
            let path = plain(&path.to_string_lossy());
            screen.line(format_args!("{NOTE}fore: {path}: {what}{NOTE:#}"))?;
        }
    }
    for path in &outcome.not_shown {
        let path = plain(&path.to_string_lossy());
        screen.line(format_args!(
            "{NOTE}fore: not everything in {path} is shown in the sandbox: name what you need in the command, or add its folder to \
             cage.additionalDirectories in your settings{NOTE:#}"
        ))?;
    }
    for refused in outcome.connections.iter().filter(|connection| connection.refused.is_some()).take(MAX_LISTED) {
        screen.line(format_args!("{NOTE}fore: {}{NOTE:#}", plain(&refused.line())))?;
    }
    for missing in outcome.protections.iter().filter(|protection| !protection.on) {
        screen.line(format_args!("{NOTE}fore: without {}: {}{NOTE:#}", missing.layer, missing.note))?;
    }
    if let Some(report) = &outcome.would_change {
        let lines = report.lines(workspace, MAX_LISTED);
        for (number, line) in lines.iter().enumerate() {
            let style = match (number, line.trim_start().as_bytes().first()) {
                (0, _) => NOTE,
                (_, Some(b'+')) => ADDED,
                (_, Some(b'-')) => REMOVED,
                (_, Some(b'~')) => Style::new(),
                _ => DIM,
            };
            let who = if number == 0 { "fore: " } else { "" };
            screen.line(format_args!("{style}{who}{}{style:#}", plain(line)))?;
        }
    }
    Ok(())
}
