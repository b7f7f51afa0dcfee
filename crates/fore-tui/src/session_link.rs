//! Sessions on a thread of their own, so that no work of theirs delays a key. Commands go in, events come out.

use crate::host::{Launched, TerminalHost};
use fore_agent::{Begin, Command, Event, Handle};
use fore_store::UnsentReview;
use std::{collections::VecDeque, sync::Arc, thread::JoinHandle};
use tokio::sync::{mpsc, oneshot};

/// Commands that wait until the session takes them; more are refused in words.
const MAX_WAITING: usize = 256;

/// The line to the session, which may not have begun yet.
#[derive(Debug)]
pub(crate) struct SessionLink {
    requests: mpsc::UnboundedSender<BeginRequest>,
    thread: Option<JoinHandle<()>>,
    state: LinkState,
    waiting: VecDeque<Command>,
}

#[derive(Debug)]
enum LinkState {
    Closed,
    Beginning(oneshot::Receiver<Result<BegunSession, String>>),
    Open(Handle),
}

/// A session that began, with what it said and did before.
#[derive(Debug)]
struct BegunSession {
    handle: Handle,
    past: SessionPast,
}

/// What there is of a session before it goes on.
#[derive(Debug)]
pub(crate) struct SessionPast {
    pub(crate) events: Vec<Event>,
    /// What the person should know.
    pub(crate) notices: Vec<String>,
    /// What they wrote about the plan that waits, and did not send.
    pub(crate) draft: Result<Option<UnsentReview>, String>,
}

struct BeginRequest {
    begin: Begin,
    /// The session before: it ends first, in good order.
    before: Option<Handle>,
    answer: oneshot::Sender<Result<BegunSession, String>>,
}

/// What comes along the line.
#[derive(Debug)]
pub(crate) enum LinkEvent {
    Event(Box<Event>),
    Begun(SessionPast),
    NotBegun(String),
    /// The session has ended.
    Over,
}

impl SessionLink {
    pub(crate) fn new(host: Arc<dyn TerminalHost>) -> std::io::Result<SessionLink> {
        let (orders, receiver) = mpsc::unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::Builder::new().name("session".into()).spawn(move || {
            runtime.block_on(serve(&host, receiver));
            // The session has saved everything and let go; a thread that hangs somewhere must not keep the program.
            runtime.shutdown_background();
        })?;
        Ok(SessionLink { requests: orders, thread: Some(thread), state: LinkState::Closed, waiting: VecDeque::new() })
    }

    /// Begins a session; the one before ends.
    pub(crate) fn begin(&mut self, begin: Begin) {
        let before = match std::mem::replace(&mut self.state, LinkState::Closed) {
            LinkState::Open(handle) => Some(handle),
            LinkState::Closed | LinkState::Beginning(_) => None,
        };
        let (answer, receiver) = oneshot::channel();
        // What was meant for the one before is not for this one; what was typed before any began is.
        if before.is_some() {
            self.waiting.clear();
        }
        if self.requests.send(BeginRequest { begin, before, answer }).is_ok() {
            self.state = LinkState::Beginning(receiver);
        }
    }

    /// Puts a command on its way. The error says why it is not.
    pub(crate) fn send(&mut self, command: Command) -> Result<(), &'static str> {
        if matches!(self.state, LinkState::Closed) {
            return Err("There is no session: /clear begins a new one, /resume lists earlier ones.");
        }
        if self.waiting.len() >= MAX_WAITING {
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
    pub(crate) async fn next(&mut self) -> LinkEvent {
        loop {
            match &mut self.state {
                LinkState::Closed => std::future::pending().await,
                LinkState::Beginning(receiver) => {
                    let begun = receiver.await;
                    match begun {
                        Ok(Ok(BegunSession { handle, past })) => {
                            self.state = LinkState::Open(handle);
                            return LinkEvent::Begun(past);
                        }
                        Ok(Err(why)) => return self.not_begun(why),
                        Err(_) => return self.not_begun("the session could not be started".into()),
                    }
                }
                LinkState::Open(handle) => {
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
                            Some(event) => return LinkEvent::Event(Box::new(event)),
                            None => {
                                self.state = LinkState::Closed;
                                // What it did not take is not meant for another session.
                                self.waiting.clear();
                                return LinkEvent::Over;
                            }
                        },
                    }
                }
            }
        }
    }

    fn not_begun(&mut self, why: String) -> LinkEvent {
        self.state = LinkState::Closed;
        let is_lost = self.waiting.drain(..).any(|command| matches!(command, Command::Prompt { .. }));
        let lost = if is_lost { "\nWhat you had written was not sent; Up brings it back." } else { "" };
        LinkEvent::NotBegun(format!("{why}{lost}"))
    }

    /// Ends the session in good order and waits until it has let go of its files.
    pub(crate) async fn end(mut self) {
        match std::mem::replace(&mut self.state, LinkState::Closed) {
            LinkState::Open(handle) => close(handle).await,
            LinkState::Beginning(receiver) => {
                if let Ok(Ok(begun)) = receiver.await {
                    close(begun.handle).await;
                }
            }
            LinkState::Closed => {}
        }
        let SessionLink { requests: orders, thread, .. } = self;
        drop(orders);
        if let Some(thread) = thread {
            let _ = tokio::task::spawn_blocking(move || thread.join()).await;
        }
    }
}

async fn serve(host: &Arc<dyn TerminalHost>, mut orders: mpsc::UnboundedReceiver<BeginRequest>) {
    while let Some(BeginRequest { begin, before, answer }) = orders.recv().await {
        if let Some(handle) = before {
            close(handle).await;
        }
        // Another one was wanted meanwhile: this one ends as it should.
        if let Err(Ok(unwanted)) = answer.send(begin_one(host, begin).await) {
            close(unwanted.handle).await;
        }
    }
}

async fn begin_one(host: &Arc<dyn TerminalHost>, begin: Begin) -> Result<BegunSession, String> {
    let (of_launch, of_past) = (Arc::clone(host), Arc::clone(host));
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
    Ok(BegunSession { handle, past: SessionPast { events, notices, draft } })
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
#[path = "session_link_tests.rs"]
mod tests;
