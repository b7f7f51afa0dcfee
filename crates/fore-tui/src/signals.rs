//! Signals that ask the program to end or to stop for a while, and the end itself: the session saves everything, but nobody
//! is kept waiting.

use crate::{options::ExitReason, session_link::SessionLink};
use std::{io, time::Duration};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    time::{sleep, timeout},
};

/// How long a session may take to end before the program leaves all the same.
const PATIENCE: Duration = Duration::from_secs(10);
/// An end that takes longer is told of.
const UNNOTICED: Duration = Duration::from_millis(400);

/// They are caught for as long as the program runs: once asked for, none of them ends it by itself any more.
#[derive(Debug)]
pub(crate) struct Signals {
    terminated: Signal,
    interrupted: Signal,
    hung_up: Signal,
}

/// Signals of a shell and of a window to a program that has the whole terminal.
#[derive(Debug)]
pub(crate) struct JobSignals {
    stopped: Signal,
    continued: Signal,
    resized: Signal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobSignal {
    /// Give the terminal back and stop until told to go on.
    Stop,
    /// The program was stopped and goes on.
    GoOn,
    /// The window has another size.
    Resized,
}

impl JobSignals {
    pub(crate) fn new() -> io::Result<JobSignals> {
        Ok(JobSignals {
            stopped: signal(SignalKind::from_raw(libc::SIGTSTP))?,
            continued: signal(SignalKind::from_raw(libc::SIGCONT))?,
            resized: signal(SignalKind::window_change())?,
        })
    }

    /// The next one. Nothing is lost when this is dropped.
    pub(crate) async fn next(&mut self) -> JobSignal {
        tokio::select! {
            biased;
            _ = self.continued.recv() => JobSignal::GoOn,
            _ = self.stopped.recv() => JobSignal::Stop,
            _ = self.resized.recv() => JobSignal::Resized,
        }
    }
}

impl Signals {
    pub(crate) fn new() -> io::Result<Signals> {
        Ok(Signals {
            terminated: signal(SignalKind::terminate())?,
            interrupted: signal(SignalKind::interrupt())?,
            hung_up: signal(SignalKind::hangup())?,
        })
    }

    /// The next one. Nothing is lost when this is dropped.
    pub(crate) async fn next(&mut self) -> ExitReason {
        tokio::select! {
            _ = self.terminated.recv() => ExitReason::Terminated,
            _ = self.hung_up.recv() => ExitReason::Terminated,
            _ = self.interrupted.recv() => ExitReason::Interrupted,
        }
    }

    /// Ends the session in good order. Whoever does not want to wait for that presses Ctrl+C once more; `say` tells them.
    pub(crate) async fn end(&mut self, line: SessionLink, say: impl FnOnce(&str)) {
        let ending = timeout(PATIENCE, line.end());
        tokio::pin!(ending);
        tokio::select! {
            _ = &mut ending => return,
            _ = self.next() => return,
            () = sleep(UNNOTICED) => {}
        }
        say("The session is being saved; Ctrl+C leaves at once.");
        tokio::select! {
            _ = ending => {}
            _ = self.next() => {}
        }
    }
}
