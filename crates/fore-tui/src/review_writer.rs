//! Keeps what the person wrote about a plan: in order, and off the drawing thread. The program around the terminal writes.

use crate::{app::HostReply, host::TerminalHost};
use fore_store::{SessionId, UnsentReview};
use std::sync::{
    Arc,
    mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
};
use tokio::sync::mpsc::UnboundedSender;

/// Drafts that wait for the disk; one more is refused in words.
const MAX_WAITING: usize = 32;

/// What is to be kept for a session; nothing takes away what was kept.
type SaveRequest = (SessionId, Option<UnsentReview>);

/// The way to the disk, opened with the first wish.
#[derive(Debug, Default)]
pub(crate) struct ReviewWriter {
    requests: Option<SyncSender<SaveRequest>>,
}

impl ReviewWriter {
    pub(crate) fn save(
        &mut self,
        request: SaveRequest,
        host: &Arc<dyn TerminalHost>,
        replies: &UnboundedSender<HostReply>,
    ) {
        let requests = self.requests.get_or_insert_with(|| {
            let (requests, waiting) = sync_channel(MAX_WAITING);
            let (host, replies) = (Arc::clone(host), replies.clone());
            tokio::task::spawn_blocking(move || serve(&*host, &waiting, &replies));
            requests
        });
        if let Err(TrySendError::Full(_)) = requests.try_send(request) {
            let _ = replies.send(HostReply::NotKept("the disk does not answer".into()));
        }
    }
}

/// Ends when the writer is gone and everything is written.
fn serve(host: &dyn TerminalHost, requests: &Receiver<SaveRequest>, replies: &UnboundedSender<HostReply>) {
    while let Ok((session, draft)) = requests.recv() {
        if let Err(why) = host.keep(session, draft.as_ref()) {
            let _ = replies.send(HostReply::NotKept(why));
        }
    }
}
