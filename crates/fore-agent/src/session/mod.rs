//! A live session: commands in, events out. The only async loop of the program; every front end comes this way.

mod agents;
mod approval;
mod call;
mod caller;
mod custom_turn;
mod drive;
mod history;
mod hooks;
mod ledger;
mod made_prompt;
mod open;
mod open_checks;
mod permissions;
mod person;
mod plan_end;
mod plan_report;
mod reload;
mod reminders;
mod run;
mod running;
mod servers;
mod session_context;
mod setup;
mod spending;
mod stale;
pub(crate) mod team;
pub(crate) mod toolbox;
mod trusted_folder;
mod typed;
mod undo;
mod work;
mod work_contents;
mod work_watch;

pub(crate) use spending::Admission;

pub use approval::plan_reader::contract_of;
pub use history::replay;
pub use hooks::{HookProcess, HookReceipt, hash_of_hook_file, hook_action, writable_for_hooks};
pub use open::StartError;
pub use servers::{ProbedServer, probe_server};

use crate::{
    command::{Command, CommandReceiver, CommandSender, command_queue},
    event::Event,
    event_channel::{EventReceiver, event_channel},
    launch::Launch,
};
use team::start::TeamPlaceGiven;
use tokio::task::JoinHandle;

/// A session from outside.
#[derive(Debug)]
pub struct Handle {
    commands: CommandSender,
    events: EventReceiver,
    running: JoinHandle<()>,
}

/// Starts a session on the current tokio runtime.
pub async fn start(launch: Launch) -> Result<Handle, StartError> {
    start_with(launch, command_queue()).await
}

/// Starts a session that takes its commands from this queue; what is in it already waited for the session.
pub async fn start_with(launch: Launch, queue: (CommandSender, CommandReceiver)) -> Result<Handle, StartError> {
    begin(launch, queue, None)
}

/// The same for whoever has a runtime around them: a session starts others, too.
fn begin(
    launch: Launch,
    queue: (CommandSender, CommandReceiver),
    place: Option<TeamPlaceGiven>,
) -> Result<Handle, StartError> {
    let (sender, events) = event_channel();
    let opened = open::open(launch, place, sender)?;
    let (commands, receiver) = queue;
    let running = tokio::spawn(run::run(opened, receiver));
    Ok(Handle { commands, events, running })
}

impl Handle {
    /// Sends a command; false when the session is over.
    pub async fn send(&self, command: Command) -> bool {
        self.commands.send(command).await
    }

    /// Another way to send commands, which may outlive the handle.
    pub fn sender(&self) -> CommandSender {
        self.commands.clone()
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
