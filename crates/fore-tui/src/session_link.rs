//! Sessions on a thread of their own, so that no work of theirs delays a key. Events come out here; commands go straight in.

use crate::host::{Launched, TerminalHost};
use fore_agent::{Begin, Command, CommandReceiver, CommandSender, Event, Handle, command_queue};
use fore_store::UnsentReview;
use std::{sync::Arc, thread::JoinHandle};
use tokio::sync::{mpsc, oneshot};

/// The line to the session, which may not have begun yet.
#[derive(Debug)]
pub(crate) struct SessionLink {
    requests: mpsc::UnboundedSender<BeginRequest>,
    thread: Option<JoinHandle<()>>,
    state: LinkState,
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
    queue: (CommandSender, CommandReceiver),
    answer: oneshot::Sender<Result<BegunSession, String>>,
}

/// What comes along the line.
#[derive(Debug)]
pub(crate) enum LinkEvent {
    Event(Box<Event>),
    Begun(Box<SessionPast>),
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
        Ok(SessionLink { requests: orders, thread: Some(thread), state: LinkState::Closed })
    }

    /// Begins a session; the one before ends. Commands for it can be sent from now on.
    pub(crate) fn begin(&mut self, begin: Begin) -> CommandSender {
        let before = match std::mem::replace(&mut self.state, LinkState::Closed) {
            LinkState::Open(handle) => Some(handle),
            LinkState::Closed | LinkState::Beginning(_) => None,
        };
        let (answer, receiver) = oneshot::channel();
        let queue = command_queue();
        let commands = queue.0.clone();
        if self.requests.send(BeginRequest { begin, before, queue, answer }).is_ok() {
            self.state = LinkState::Beginning(receiver);
        }
        commands
    }

    /// The next thing that comes along; nothing is lost when this is dropped.
    pub(crate) async fn next(&mut self) -> LinkEvent {
        match &mut self.state {
            LinkState::Closed => std::future::pending().await,
            LinkState::Beginning(receiver) => match receiver.await {
                Ok(Ok(BegunSession { handle, past })) => {
                    self.state = LinkState::Open(handle);
                    LinkEvent::Begun(Box::new(past))
                }
                Ok(Err(why)) => self.not_begun(why),
                Err(_) => self.not_begun("the session could not be started".into()),
            },
            LinkState::Open(handle) => match handle.next().await {
                Some(event) => LinkEvent::Event(Box::new(event)),
                None => {
                    self.state = LinkState::Closed;
                    LinkEvent::Over
                }
            },
        }
    }

    fn not_begun(&mut self, why: String) -> LinkEvent {
        self.state = LinkState::Closed;
        LinkEvent::NotBegun(why)
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
    while let Some(BeginRequest { begin, before, queue, answer }) = orders.recv().await {
        if let Some(handle) = before {
            close(handle).await;
        }
        // Another one was wanted meanwhile: this one ends as it should.
        if let Err(Ok(unwanted)) = answer.send(begin_one(host, begin, queue).await) {
            close(unwanted.handle).await;
        }
    }
}

async fn begin_one(
    host: &Arc<dyn TerminalHost>,
    begin: Begin,
    queue: (CommandSender, CommandReceiver),
) -> Result<BegunSession, String> {
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
    let handle = fore_agent::start_with(launch, queue).await.map_err(|error| error.to_string())?;
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
