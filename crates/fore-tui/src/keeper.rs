//! Keeps what the person wrote about a plan: in order, and off the drawing thread. The program around the terminal writes.

use crate::{app::Told, door::Door};
use fore_store::{Draft, SessionId};
use std::sync::{
    Arc,
    mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
};
use tokio::sync::mpsc::UnboundedSender;

/// Drafts that wait for the disk; one more is refused in words.
const MOST_WAITING: usize = 32;

/// What is to be kept for a session; nothing takes away what was kept.
type Wish = (SessionId, Option<Draft>);

/// The way to the disk, opened with the first wish.
#[derive(Debug, Default)]
pub(crate) struct Keeper {
    wishes: Option<SyncSender<Wish>>,
}

impl Keeper {
    pub(crate) fn keep(&mut self, wish: Wish, door: &Arc<dyn Door>, told: &UnboundedSender<Told>) {
        let wishes = self.wishes.get_or_insert_with(|| {
            let (wishes, waiting) = sync_channel(MOST_WAITING);
            let (door, told) = (Arc::clone(door), told.clone());
            tokio::task::spawn_blocking(move || serve(&*door, &waiting, &told));
            wishes
        });
        if let Err(TrySendError::Full(_)) = wishes.try_send(wish) {
            let _ = told.send(Told::NotKept("the disk does not answer".into()));
        }
    }
}

/// Ends when the keeper is gone and everything is written.
fn serve(door: &dyn Door, wishes: &Receiver<Wish>, told: &UnboundedSender<Told>) {
    while let Ok((session, draft)) = wishes.recv() {
        if let Err(why) = door.keep(session, draft.as_ref()) {
            let _ = told.send(Told::NotKept(why));
        }
    }
}
