//! What the terminal needs from the program around it: sessions to start, an editor, files, settings. The terminal itself
//! starts no process, reads no setting and writes no file.

use crate::app::NotifyReason;
use fore_agent::{ApprovalAsked, Begin, CommandSender, Event, Launch};
use fore_plan::plan::CheckNote;
use fore_store::{SessionId, UnsentReview};
use std::path::{Path, PathBuf};

/// The program around the terminal. Calls may take a moment; they are made off the drawing thread where it says so.
pub trait TerminalHost: Send + Sync {
    /// Everything a session needs, for [`fore_agent::start`], and what the person should know. It reads the settings
    /// again and looks for models, so it takes a moment. Off the drawing thread.
    fn launch(&self, begin: Begin) -> Result<Launched, String>;

    /// What the session said and did before, oldest first, bounded, for the screen of a resumed session. Off the drawing
    /// thread.
    fn past(&self, session: SessionId) -> Vec<Event>;

    /// What the person wrote about the plan of a session that waits, and did not send. Off the drawing thread.
    fn draft(&self, session: SessionId) -> Result<Option<UnsentReview>, String>;

    /// Keeps such words in the place of those that were kept before; nothing takes those away. Off the drawing thread, one
    /// after the other.
    fn keep(&self, session: SessionId, draft: Option<&UnsentReview>) -> Result<(), String>;

    /// The notes of the plan check on a text; it looks for the files that the text names. Off the drawing thread.
    fn check(&self, plan: &str) -> Vec<CheckNote>;

    /// Sessions of this folder in which something was said, newest first, bounded. Off the drawing thread.
    fn sessions(&self) -> Result<Vec<SessionRow>, String>;

    /// The session of this folder that a word means: its id, or a beginning that no other one has. The error names what is
    /// near. Off the drawing thread.
    fn session(&self, word: &str) -> Result<SessionId, String>;

    /// Models that can be chosen now, and why. Asks servers on this machine. Off the drawing thread.
    fn models(&self) -> Vec<ModelRow>;

    /// Uses this model from the next session on: it is written into the person's settings. Gives a sentence that says so;
    /// empty where it would be used anyway.
    fn choose_model(&self, name: &str) -> Result<String, String>;

    /// The models of a server at this address, each by the name it would have in the person's settings; the error is why there are
    /// none. Off the drawing thread.
    fn server_models(&self, address: &str) -> Result<Vec<ModelRow>, String>;

    /// Uses a model of a server at this address from the next session on: both are written into the person's settings. Gives a
    /// sentence that says so.
    fn use_server(&self, address: &str, model: &str) -> Result<String, String>;

    /// The rules that hold and where each comes from, one a line.
    fn permissions(&self) -> Vec<String>;

    /// Allows commands that begin so for good in this project: it is written into the person's own list, never into the project. Gives a
    /// sentence that says so.
    fn allow_always(&self, command: &str) -> Result<String, String>;

    /// Takes back what these words allow for good in this project, or a rule of the person's own settings. Gives a sentence that says so.
    fn forget(&self, words: &str) -> Result<String, String>;

    /// The files a session here is made of: settings, transcripts, plans.
    fn files(&self, session: SessionId) -> Vec<(String, PathBuf)>;

    /// Remembers whether the person trusts this project. Gives a sentence that says so.
    fn trust(&self, trusted: bool) -> Result<String, String>;

    /// Saves a text where the person wants it; never over a file that is there. Gives the path that was written.
    fn export(&self, path: &Path, text: &str) -> Result<PathBuf, String>;

    /// The editor that [`TerminalHost::edit`] would use, by name.
    fn editor(&self) -> Option<String>;

    /// Opens the person's editor on a text, in the foreground, and gives what it left. The terminal has been handed over.
    fn edit(&self, name: &str, text: &str) -> Result<String, String>;

    /// Stops this program until the shell goes on with it (Ctrl+Z). The terminal has been handed over.
    fn suspend(&self);

    /// Earlier prompts of this project, oldest first, bounded.
    fn history(&self) -> Vec<String>;

    /// Remembers a prompt for [`TerminalHost::history`].
    fn remember(&self, prompt: &str);

    /// The first-run questions were answered or skipped: they need not come again.
    fn welcomed(&self) -> Result<(), String>;

    /// Calls somebody who looks elsewhere, with the command of their settings. Off the drawing thread.
    fn notify(&self, why: NotifyReason) -> Result<(), String>;

    /// Shows the plan that waits on a page of the browser, and gives a sentence that says where that is. Off the drawing thread.
    fn review(&self, request: PageRequest) -> Result<String, String>;

    /// Something happened in the session: an open page wants to know. Fast where there is none.
    fn heard(&self, event: &Event);

    /// A tip whose turn it is; showing it starts its cooldown of 20 sessions.
    fn tip(&self) -> Option<String>;
}

/// A plan for a page of the browser, which is a second front end of the same session.
pub struct PageRequest {
    /// The session that asks.
    pub session: SessionId,
    /// What it asks.
    pub asked: ApprovalAsked,
    /// What the person wrote about it so far.
    pub draft: UnsentReview,
    /// The way to the session.
    pub commands: CommandSender,
    /// Tells the terminal what is done there.
    pub tell: Box<dyn Fn(PageNews) + Send + Sync>,
}

impl std::fmt::Debug for PageRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PageRequest").field("session", &self.session).finish_non_exhaustive()
    }
}

/// What was done on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageNews {
    /// The draft is this one now.
    Draft(Box<UnsentReview>),
    /// An answer is on its way from there.
    Answering,
}

/// A session that can begin.
#[derive(Debug)]
pub struct Launched {
    /// What it is started with.
    pub launch: Launch,
    /// What the person should know and has not been told yet.
    pub notices: Vec<String>,
}

/// A session that could be resumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// Names it.
    pub id: SessionId,
    /// The first prompt, in one line.
    pub about: String,
    /// How long ago it was used, in words.
    pub age: String,
    /// The mode it is in, as people see it.
    pub mode: String,
    /// A plan waits for approval there.
    pub awaits_approval: bool,
}

/// A model that could be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRow {
    /// `provider/name`.
    pub name: String,
    /// Why it is known: a key, a setting, a server on this machine.
    pub why: String,
}
