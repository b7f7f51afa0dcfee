//! A live session: commands in, events out. The only async loop of the program; all front ends stand before this door.

mod agents;
mod apply;
mod approval;
mod ask;
mod audit;
mod before;
mod call;
mod compact;
mod desk;
mod drive;
mod forms;
mod open;
mod outbox;
pub mod past;
mod plan_file;
mod prompts;
mod question;
mod reminders;
mod rewind;
mod run;
mod running;
mod seat;
mod toolbox;
mod typed;
mod waiting;
mod work;

pub use open::StartError;

use crate::{command::Command, event::Event, launch::Launch};
use outbox::{Letters, outbox};
use tokio::{sync::mpsc, task::JoinHandle};

/// Commands that wait to be taken.
const MOST_COMMANDS: usize = 64;

/// A session from outside.
#[derive(Debug)]
pub struct Handle {
    commands: mpsc::Sender<Command>,
    letters: Letters,
    running: JoinHandle<()>,
}

/// Sends commands from elsewhere.
#[derive(Clone, Debug)]
pub struct CommandSender(mpsc::Sender<Command>);

/// Starts a session on the current tokio runtime.
pub async fn start(launch: Launch) -> Result<Handle, StartError> {
    let (outbox, letters) = outbox();
    let opened = open::open(launch, outbox)?;
    let (commands, receiver) = mpsc::channel(MOST_COMMANDS);
    let running = tokio::spawn(run::run(opened, receiver));
    Ok(Handle { commands, letters, running })
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
        self.letters.next().await
    }

    /// Waits until the session has ended and let go of its files.
    pub async fn ended(self) {
        let Handle { commands, letters, running } = self;
        drop((commands, letters));
        let _ = running.await;
    }
}

impl CommandSender {
    /// Sends a command; false when the session is over.
    pub async fn send(&self, command: Command) -> bool {
        self.0.send(command).await.is_ok()
    }
}
