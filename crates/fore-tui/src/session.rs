//! Sessions on a thread of their own, so that no work of theirs delays a key. Commands go in, events come out.

use crate::door::{Door, Launched};
use fore_agent::{Begin, Command, Event, Handle};
use fore_store::Draft;
use std::{collections::VecDeque, sync::Arc, thread::JoinHandle};
use tokio::sync::{mpsc, oneshot};

/// Commands that wait until the session takes them; more are refused in words.
const MOST_WAITING: usize = 256;

/// The line to the session, which may not have begun yet.
#[derive(Debug)]
pub(crate) struct Line {
    orders: mpsc::UnboundedSender<Order>,
    thread: Option<JoinHandle<()>>,
    state: Talking,
    waiting: VecDeque<Command>,
}

#[derive(Debug)]
enum Talking {
    Nobody,
    Beginning(oneshot::Receiver<Result<Begun, String>>),
    With(Handle),
}

/// A session that began, with what it said and did before.
#[derive(Debug)]
struct Begun {
    handle: Handle,
    past: Past,
}

/// What there is of a session before it goes on.
#[derive(Debug)]
pub(crate) struct Past {
    pub(crate) events: Vec<Event>,
    /// What the person should know.
    pub(crate) notices: Vec<String>,
    /// What they wrote about the plan that waits, and did not send.
    pub(crate) draft: Result<Option<Draft>, String>,
}

struct Order {
    begin: Begin,
    /// The session before: it ends first, in good order.
    before: Option<Handle>,
    answer: oneshot::Sender<Result<Begun, String>>,
}

/// What comes along the line.
#[derive(Debug)]
pub(crate) enum Heard {
    Event(Box<Event>),
    Begun(Past),
    NotBegun(String),
    /// The session has ended.
    Over,
}

impl Line {
    pub(crate) fn new(door: Arc<dyn Door>) -> std::io::Result<Line> {
        let (orders, receiver) = mpsc::unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::Builder::new().name("session".into()).spawn(move || {
            runtime.block_on(serve(&door, receiver));
            // The session has saved everything and let go; a thread that hangs somewhere must not keep the program.
            runtime.shutdown_background();
        })?;
        Ok(Line { orders, thread: Some(thread), state: Talking::Nobody, waiting: VecDeque::new() })
    }

    /// Begins a session; the one before ends.
    pub(crate) fn begin(&mut self, begin: Begin) {
        let before = match std::mem::replace(&mut self.state, Talking::Nobody) {
            Talking::With(handle) => Some(handle),
            Talking::Nobody | Talking::Beginning(_) => None,
        };
        let (answer, receiver) = oneshot::channel();
        // What was meant for the one before is not for this one; what was typed before any began is.
        if before.is_some() {
            self.waiting.clear();
        }
        if self.orders.send(Order { begin, before, answer }).is_ok() {
            self.state = Talking::Beginning(receiver);
        }
    }

    /// Puts a command on its way. The error says why it is not.
    pub(crate) fn send(&mut self, command: Command) -> Result<(), &'static str> {
        if matches!(self.state, Talking::Nobody) {
            return Err("There is no session: /clear begins a new one, /resume lists earlier ones.");
        }
        if self.waiting.len() >= MOST_WAITING {
            return Err("The session is busy; this was not sent.");
        }
        self.waiting.push_back(command);
        Ok(())
    }

    /// Whether a command is still on its way.
    pub(crate) fn is_sending(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The next thing that comes along. Commands go out meanwhile; nothing is lost when this is dropped.
    pub(crate) async fn next(&mut self) -> Heard {
        loop {
            match &mut self.state {
                Talking::Nobody => std::future::pending().await,
                Talking::Beginning(receiver) => {
                    let begun = receiver.await;
                    match begun {
                        Ok(Ok(Begun { handle, past })) => {
                            self.state = Talking::With(handle);
                            return Heard::Begun(past);
                        }
                        Ok(Err(why)) => return self.not_begun(why),
                        Err(_) => return self.not_begun("the session could not be started".into()),
                    }
                }
                Talking::With(handle) => {
                    let sender = handle.sender();
                    let next = self.waiting.front().cloned();
                    tokio::select! {
                        biased;
                        is_open = sender.send(next.clone().unwrap_or(Command::ShowPlan)), if next.is_some() => {
                            self.waiting.pop_front();
                            if !is_open {
                                self.waiting.clear();
                            }
                        }
                        event = handle.next() => match event {
                            Some(event) => return Heard::Event(Box::new(event)),
                            None => {
                                self.state = Talking::Nobody;
                                // What it did not take is not meant for another session.
                                self.waiting.clear();
                                return Heard::Over;
                            }
                        },
                    }
                }
            }
        }
    }

    fn not_begun(&mut self, why: String) -> Heard {
        self.state = Talking::Nobody;
        let is_lost = self.waiting.drain(..).any(|command| matches!(command, Command::Prompt { .. }));
        let lost = if is_lost { "\nWhat you had written was not sent; Up brings it back." } else { "" };
        Heard::NotBegun(format!("{why}{lost}"))
    }

    /// Ends the session in good order and waits until it has let go of its files.
    pub(crate) async fn end(mut self) {
        match std::mem::replace(&mut self.state, Talking::Nobody) {
            Talking::With(handle) => close(handle).await,
            Talking::Beginning(receiver) => {
                if let Ok(Ok(begun)) = receiver.await {
                    close(begun.handle).await;
                }
            }
            Talking::Nobody => {}
        }
        let Line { orders, thread, .. } = self;
        drop(orders);
        if let Some(thread) = thread {
            let _ = tokio::task::spawn_blocking(move || thread.join()).await;
        }
    }
}

async fn serve(door: &Arc<dyn Door>, mut orders: mpsc::UnboundedReceiver<Order>) {
    while let Some(Order { begin, before, answer }) = orders.recv().await {
        if let Some(handle) = before {
            close(handle).await;
        }
        // Another one was wanted meanwhile: this one ends as it should.
        if let Err(Ok(unwanted)) = answer.send(begin_one(door, begin).await) {
            close(unwanted.handle).await;
        }
    }
}

async fn begin_one(door: &Arc<dyn Door>, begin: Begin) -> Result<Begun, String> {
    let (of_launch, of_past) = (Arc::clone(door), Arc::clone(door));
    let source = match &begin {
        Begin::Resume { session, .. } => Some((*session, Some(*session))),
        // What was written about a plan stays with the session that asks about it.
        Begin::Fork { session, .. } => Some((*session, None)),
        Begin::Fresh { .. } | Begin::Apply { .. } => None,
    };
    let failed = |_| "the session could not be started".to_owned();
    let launched = tokio::task::spawn_blocking(move || of_launch.launch(begin)).await.map_err(failed)??;
    let Launched { launch, notices } = launched;
    let (events, draft) = match source {
        Some((session, resumed)) => {
            let read = move || (of_past.past(session), resumed.map_or(Ok(None), |session| of_past.draft(session)));
            tokio::task::spawn_blocking(read).await.map_err(failed)?
        }
        None => (Vec::new(), Ok(None)),
    };
    let handle = fore_agent::start(launch).await.map_err(|error| error.to_string())?;
    Ok(Begun { handle, past: Past { events, notices, draft } })
}

/// Asks it to end, reads on until it has, and waits for its files.
async fn close(mut handle: Handle) {
    let sender = handle.sender();
    let closing = async {
        sender.send(Command::Close).await;
    };
    let reading = async { while handle.next().await.is_some_and(|event| event != Event::Closed) {} };
    tokio::join!(closing, reading);
    handle.ended().await;
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
