//! A live session: commands in, events out. The only async loop of the program; every front end comes this way.

mod agents;
mod apply;
mod approval;
mod audit;
mod baseline;
mod call;
mod caller;
mod compact;
mod drive;
mod event_channel;
mod forms;
mod judged_ahead;
mod model_reply;
mod open;
mod pending_questions;
mod permission;
mod plan_file;
mod prompts;
mod reminders;
pub mod replay;
mod rewind;
mod run;
mod running;
mod session_context;
mod start_work;
mod toolbox;
mod typed;

pub use open::StartError;

use crate::{command::Command, event::Event, launch::Launch};
use event_channel::{EventReceiver, event_channel};
use tokio::{sync::mpsc, task::JoinHandle};

/// Commands that wait to be taken.
const MAX_COMMANDS: usize = 64;

/// A session from outside.
#[derive(Debug)]
pub struct Handle {
    commands: mpsc::Sender<Command>,
    events: EventReceiver,
    running: JoinHandle<()>,
}

/// Sends commands from elsewhere.
#[derive(Clone, Debug)]
pub struct CommandSender(mpsc::Sender<Command>);

/// Starts a session on the current tokio runtime.
pub async fn start(launch: Launch) -> Result<Handle, StartError> {
    let (sender, events) = event_channel();
    let opened = open::open(launch, sender)?;
    let (commands, receiver) = mpsc::channel(MAX_COMMANDS);
    let running = tokio::spawn(run::run(opened, receiver));
    Ok(Handle { commands, events, running })
}

impl Handle {
    /// Sends a command; false when the session is over.
    pub async fn send(&self, command: Command) -> bool {
        self.commands.send(command).await.is_ok()
    }

    pub fn sender(&self) -> CommandSender {
        CommandSender(self.commands.clone())
    }

    /// The next event; none after [`Event::Closed`].
    pub async fn next(&mut self) -> Option<Event> {
        self.events.next().await
    }

    /// Waits until the session has ended and let go of its files.
    pub async fn ended(self) {
        let Handle { commands, events: receiver, running } = self;
        drop((commands, receiver));
        let _ = running.await;
    }
}

impl CommandSender {
    /// Sends a command; false when the session is over.
    pub async fn send(&self, command: Command) -> bool {
        self.0.send(command).await.is_ok()
    }
}
