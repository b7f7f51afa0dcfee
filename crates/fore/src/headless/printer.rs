//! Prints a run on a thread of its own: a reader that does not read holds up what is shown, never what the run is told.

use super::output::{OutputReader, RunOutput};
use fore_agent::Event;
use std::{
    io,
    thread::JoinHandle,
    time::{Duration, Instant},
};
use tokio::sync::mpsc;

/// Events that wait to be printed; then the session waits too.
const MAX_WAITING: usize = 64;
/// How long a reader is waited for when the run was stopped.
const MAX_WAIT: Duration = Duration::from_millis(500);
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// That nobody reads any more, or what went wrong.
pub(crate) type PrintFailures = mpsc::Receiver<io::Result<OutputReader>>;

/// An output that is written elsewhere.
#[derive(Debug)]
pub(crate) struct Printer {
    events: mpsc::Sender<Event>,
    trouble: Option<PrintFailures>,
    thread: JoinHandle<RunOutput>,
    /// Somebody watches: lines about what goes on are welcome.
    pub(crate) shows_progress: bool,
}

impl Printer {
    pub(crate) fn new(mut output: RunOutput) -> io::Result<Printer> {
        let (events, mut waiting) = mpsc::channel::<Event>(MAX_WAITING);
        let (told, trouble) = mpsc::channel(1);
        let shows_progress = output.shows_progress();
        let thread = std::thread::Builder::new().name("printer".into()).spawn(move || {
            while let Some(event) = waiting.blocking_recv() {
                match output.event(&event) {
                    Ok(OutputReader::There) => {}
                    // The first trouble counts; nothing is printed after it.
                    wrong => {
                        let _ = told.try_send(wrong);
                        output.close();
                    }
                }
            }
            output
        })?;
        Ok(Printer { events, trouble: Some(trouble), thread, shows_progress })
    }

    /// Waits until there is room for one more event.
    pub(crate) async fn room(&self) -> Option<mpsc::OwnedPermit<Event>> {
        self.events.clone().reserve_owned().await.ok()
    }

    /// Room, if there is some now.
    pub(crate) fn room_now(&self) -> Option<mpsc::OwnedPermit<Event>> {
        self.events.clone().try_reserve_owned().ok()
    }

    /// Prints beside the session's events; left out where nobody has read for long.
    pub(crate) fn print(&self, event: Event) {
        let _ = self.events.try_send(event);
    }

    /// Where trouble is heard of, once.
    pub(crate) fn take_trouble(&mut self) -> Option<PrintFailures> {
        self.trouble.take()
    }

    /// Waits for trouble.
    pub(crate) async fn trouble(from: &mut Option<PrintFailures>) -> io::Result<OutputReader> {
        let told = match from {
            Some(from) => from.recv().await,
            None => None,
        };
        match told {
            Some(trouble) => trouble,
            None => std::future::pending().await,
        }
    }

    /// Waits until everything is printed and gives the output back. A run that was stopped does not wait for a reader that does
    /// not read: none.
    pub(crate) fn finish(self, was_stopped: bool) -> Option<RunOutput> {
        let Printer { events, thread, .. } = self;
        drop(events);
        let started = Instant::now();
        while was_stopped && !thread.is_finished() {
            if started.elapsed() >= MAX_WAIT {
                return None;
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
        thread.join().ok()
    }
}
