//! Drives one session from its first prompt to its end: commands in, events out, and what stops it from outside.

use super::{
    ending::Stop,
    face::{Face, Reader},
    listen::{self, HostLine},
    talk::{Host, Input, Script, Talk},
    tally::Tally,
};
use crate::report;
use fore_agent::{Command, Event, Handle, Launch, session};
use tokio::sync::mpsc;

/// Commands that wait for the session before a host has to.
const MOST_QUEUED: usize = 16;

/// What a run came to.
#[derive(Debug, Default)]
pub(crate) struct Ran {
    pub(crate) tally: Tally,
    pub(crate) stop: Option<Stop>,
}

impl Ran {
    /// The first reason to stop counts.
    fn stop(&mut self, why: Stop, talk: &mut Talk) {
        self.stop.get_or_insert(why);
        talk.stop();
    }
}

/// Runs a session to its end. The error is for people: why it could not begin, or not go on.
pub(crate) async fn run(launch: Launch, script: Script, face: &mut Face) -> anyhow::Result<Ran> {
    report::outlive_closed_pipes();
    // Before anything else: the threads that follow inherit which signals are waited for.
    let stops = listen::stops();
    let mut handle = session::start(launch).await?;
    let ran = follow(&mut handle, stops, script, face).await;
    // Also when it could not be shown any more: what it started ends, what it knows is saved.
    handle.ended().await;
    ran
}

async fn follow(
    handle: &mut Handle,
    mut stops: mpsc::Receiver<Stop>,
    script: Script,
    face: &mut Face,
) -> anyhow::Result<Ran> {
    let mut lines = match script.host {
        Host::Lines => Some(listen::host_lines()),
        Host::Nobody => None,
    };
    let sender = handle.sender();
    let mut ran = Ran::default();
    let mut talk = Talk::new(script);
    loop {
        talk.settle(if lines.is_some() { Input::Open } else { Input::Over });
        let next = talk.queue.front().cloned();
        let room = talk.queue.len() < MOST_QUEUED;
        tokio::select! {
            event = handle.next() => {
                let Some(event) = event else { break };
                ran.tally.add(&event);
                talk.heard(&event);
                if face.event(&event)? == Reader::Gone {
                    ran.stop(Stop::NobodyReads, &mut talk);
                }
                if event == Event::Closed {
                    break;
                }
            }
            Some(stop) = stops.recv() => {
                if stop == Stop::NobodyReads {
                    face.close();
                }
                ran.stop(stop, &mut talk);
            }
            line = next_line(&mut lines), if room => match line {
                None => lines = None,
                Some(line) => {
                    if let Some(unreadable) = talk.line(line)
                        && face.event(&unreadable)? == Reader::Gone
                    {
                        ran.stop(Stop::NobodyReads, &mut talk);
                    }
                }
            },
            is_open = sender.send(next.clone().unwrap_or(Command::Close)), if next.is_some() => {
                talk.queue.pop_front();
                if !is_open {
                    talk.queue.clear();
                }
            }
        }
    }
    Ok(ran)
}

async fn next_line(lines: &mut Option<mpsc::Receiver<HostLine>>) -> Option<HostLine> {
    match lines {
        Some(lines) => lines.recv().await,
        None => std::future::pending().await,
    }
}
