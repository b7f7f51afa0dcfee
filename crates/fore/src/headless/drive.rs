//! Drives one session from its first prompt to its end: commands in, events out, and what stops it from outside.

use super::{
    command_queue::{CommandQueue, HostInput, InputState, RunScript},
    ending::RunStop,
    heartbeat::Heartbeat,
    listen::{self, HostLine},
    printer::Printer,
    tally::Tally,
};
use crate::{
    report,
    review::run_page::{PageSetup, RunPage},
};
use fore_agent::{Command, Event, Handle, Launch, NoticeLevel};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{self, OwnedPermit};

/// Commands that wait for the session before a host has to.
const MAX_QUEUED: usize = 16;

/// How often it is looked whether nothing was said for long.
const LOOKS: Duration = Duration::from_secs(1);

/// What a run came to.
#[derive(Debug, Default)]
pub(crate) struct RunResult {
    pub(crate) tally: Tally,
    pub(crate) stop: Option<RunStop>,
}

impl RunResult {
    /// The first reason to stop counts.
    fn stop(&mut self, why: RunStop, commands: &mut CommandQueue) {
        self.stop.get_or_insert(why);
        commands.stop();
    }
}

/// Runs a session to its end. The error is for people: why it could not begin, or not go on.
pub(crate) async fn run(
    launch: Launch,
    script: RunScript,
    page: Option<PageSetup>,
    printer: &mut Printer,
) -> anyhow::Result<RunResult> {
    report::outlive_closed_pipes();
    // Before anything else: the threads that follow inherit which signals are waited for.
    let stops = listen::stops();
    let mut handle = fore_agent::start(launch).await?;
    let page = page.map(|setup| RunPage::open(setup, handle.sender())).transpose();
    let ran = match page {
        Ok(page) => follow(&mut handle, stops, (script, page), printer).await,
        Err(error) => Err(error),
    };
    // Also when it could not be shown any more: what it started ends, what it knows is saved.
    handle.ended().await;
    ran
}

async fn follow(
    handle: &mut Handle,
    mut stops: mpsc::Receiver<RunStop>,
    (script, mut page): (RunScript, Option<RunPage>),
    printer: &mut Printer,
) -> anyhow::Result<RunResult> {
    let mut lines = match script.host {
        HostInput::Lines => Some(listen::host_lines()),
        HostInput::Nobody => None,
    };
    let sender = handle.sender();
    let mut trouble = printer.take_trouble();
    let mut ran = RunResult::default();
    let mut commands = CommandQueue::new(script);
    let mut beat = Heartbeat::new(Instant::now());
    loop {
        commands.settle(if lines.is_some() { InputState::Open } else { InputState::Over });
        let next = commands.pending.front().cloned();
        let room = commands.pending.len() < MAX_QUEUED;
        tokio::select! {
            event = next_event(handle, printer, ran.stop) => {
                let Some((event, room)) = event else { break };
                ran.tally.add(&event);
                beat.heard(&event, Instant::now());
                commands.heard(&event);
                if let Some(page) = &mut page {
                    commands.pending.extend(page.heard(&event)?);
                }
                let is_over = event == Event::Closed;
                if let Some(room) = room {
                    room.send(event);
                }
                if is_over {
                    break;
                }
            }
            () = tokio::time::sleep(LOOKS), if printer.shows_progress => {}
            Some(stop) = stops.recv() => ran.stop(stop, &mut commands),
            trouble = Printer::trouble(&mut trouble) => match trouble {
                Ok(_) => ran.stop(RunStop::NobodyReads, &mut commands),
                Err(error) => return Err(error.into()),
            },
            line = next_line(&mut lines), if room => match line {
                None => lines = None,
                Some(line) => {
                    if let Some(unreadable) = commands.line(line) {
                        printer.print(unreadable);
                    }
                }
            },
            is_open = sender.send(next.clone().unwrap_or(Command::Close)), if next.is_some() => {
                commands.pending.pop_front();
                if !is_open {
                    commands.pending.clear();
                }
            }
        }
        if let Some(text) = beat.due(Instant::now()).filter(|_| printer.shows_progress) {
            printer.print(Event::Notice { level: NoticeLevel::Info, text });
        }
    }
    Ok(ran)
}

/// The next event, with the room to print it. Once the run was stopped, what finds no room is not printed: the end of a
/// session waits for no reader.
async fn next_event(
    handle: &mut Handle,
    printer: &Printer,
    stop: Option<RunStop>,
) -> Option<(Event, Option<OwnedPermit<Event>>)> {
    let room = match stop {
        None => printer.room().await,
        Some(_) => printer.room_now(),
    };
    Some((handle.next().await?, room))
}

async fn next_line(lines: &mut Option<mpsc::Receiver<HostLine>>) -> Option<HostLine> {
    match lines {
        Some(lines) => lines.recv().await,
        None => std::future::pending().await,
    }
}
