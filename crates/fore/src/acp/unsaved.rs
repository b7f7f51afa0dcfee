//! What the person changed in their editor and has not saved. It is asked for files that the model may read, and never to change anything.

use agent_client_protocol::{
    Client,
    v1::{
        ConnectionTo,
        schema::{ReadTextFileRequest, SessionId},
    },
};
use fore_agent::UnsavedText;
use std::{
    fmt,
    path::Path,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::runtime::Handle;

/// How long a client may take to say what a file looks like; one that took longer is not asked again.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// The texts of a client that offers to read files.
pub(super) struct EditorTexts {
    connection: ConnectionTo<Client>,
    runtime: Handle,
    /// Known once the session has begun.
    session: OnceLock<SessionId>,
    is_silent: AtomicBool,
}

impl EditorTexts {
    pub(super) fn new(connection: ConnectionTo<Client>) -> EditorTexts {
        EditorTexts {
            connection,
            runtime: Handle::current(),
            session: OnceLock::new(),
            is_silent: AtomicBool::new(false),
        }
    }

    /// Before that nothing is asked.
    pub(super) fn begin(&self, session: &str) {
        let _ = self.session.set(SessionId::from(session.to_owned()));
    }
}

impl UnsavedText for EditorTexts {
    fn text(&self, path: &Path) -> Option<String> {
        let session = self.session.get().filter(|_| !self.is_silent.load(Ordering::Relaxed))?;
        let sent = self.connection.send_request(ReadTextFileRequest::new(session.clone(), path));
        let answer = self.runtime.block_on(async { tokio::time::timeout(MAX_WAIT, sent.block_task()).await });
        match answer {
            Ok(answer) => answer.ok().map(|file| file.content),
            Err(_) => {
                self.is_silent.store(true, Ordering::Relaxed);
                None
            }
        }
    }
}

impl fmt::Debug for EditorTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditorTexts").field("session", &self.session).finish_non_exhaustive()
    }
}
