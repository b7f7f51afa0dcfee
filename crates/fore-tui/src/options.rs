//! What the terminal begins with, and how it ended. Read from arguments and settings before the first frame; it decides nothing.

use crate::{screen::NotifySign, theme::Theme};
use fore_agent::Begin;
use fore_plan::Mode;
use fore_store::SessionId;
use std::{collections::BTreeMap, path::PathBuf, time::Duration};

/// How the terminal begins.
#[derive(Clone, Debug)]
pub struct Options {
    /// The session that comes first.
    pub start: InitialSession,
    /// Sent as soon as the session is there.
    pub prompt: Option<String>,
    /// How it is drawn.
    pub display: DisplayMode,
    /// Colours and signs.
    pub theme: Theme,
    /// What becomes of rows when the window gets narrower.
    pub narrowing: Narrowing,
    /// Keys by action, as the person's settings have them; what is not named keeps its own.
    pub keys: BTreeMap<String, Vec<String>>,
    /// Neither settings nor sessions are there yet: the person meets this program for the first time.
    pub first_run: Option<FirstRunFacts>,
    /// What the person should know before anything else. More comes with [`crate::host::Launched`].
    pub notices: Vec<String>,
    /// The folder the person is in; a real path.
    pub folder: PathBuf,
    /// The project that the folder belongs to.
    pub project: PathBuf,
    /// The first plan that waits is shown in the browser, too.
    pub reviews: bool,
    /// The program's, for the welcome.
    pub version: &'static str,
    /// How somebody is called who looks elsewhere.
    pub notify: NotifyOptions,
    /// Whether the status line says what the session cost.
    pub shows_cost: bool,
}

/// How somebody is called who looks elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotifyOptions {
    /// What the terminal does.
    pub sign: NotifySign,
    /// Whether [`crate::host::TerminalHost::notify`] is asked, too.
    pub has_command: bool,
    /// How long a turn takes whose end is told.
    pub long_turn: Duration,
    /// Whether the title of the window says what goes on.
    pub title: bool,
}

/// With which session it begins.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum InitialSession {
    /// Hand it to [`crate::host::TerminalHost::launch`].
    With(Begin),
    /// The person picks one of [`crate::host::TerminalHost::sessions`], and goes on with it in this mode if one was asked for.
    Pick { mode: Option<Mode> },
}

/// How it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisplayMode {
    /// A live area beneath the conversation.
    Full,
    /// Line after line, nothing moves: for screen readers and for terminals that can do no more.
    Plain,
}

/// What the terminal does by itself with rows that are too long once its window gets narrower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrowing {
    /// They take more rows, and nothing of them is gone.
    Folds,
    /// They lose their ends.
    Cuts,
}

/// What is known at the first start. Which models there are is asked of [`crate::host::TerminalHost::models`], after the first frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstRunFacts {
    /// Whether the folder is trusted already.
    pub folder: FolderTrust,
    /// What could be set up to have more models.
    pub missing: Vec<SetupHint>,
}

/// Something that could be set up, such as a variable for a key. It is not told where a model of it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupHint {
    /// Whose models it would bring.
    pub providers: Vec<String>,
    /// What to do.
    pub words: String,
}

/// What the person has said about a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderTrust {
    /// Its settings count.
    Trusted,
    /// Its settings may only make things stricter.
    NotTrusted,
}

/// How the terminal was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalExit {
    /// Who ended it.
    pub reason: ExitReason,
    /// The session to come back to; none when nothing was said in it.
    pub session: Option<SessionId>,
}

/// Why the terminal was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitReason {
    /// By the person: `/quit`, twice Ctrl+C.
    Left,
    /// A signal asked for it: SIGINT.
    Interrupted,
    /// A signal asked for it: SIGTERM, or SIGHUP when the terminal was closed.
    Terminated,
}

impl Default for NotifyOptions {
    fn default() -> NotifyOptions {
        NotifyOptions { sign: NotifySign::Bell, has_command: false, long_turn: Duration::from_secs(10), title: true }
    }
}

impl Options {
    /// Begins anew in this mode, with what nobody has chosen otherwise.
    #[cfg(test)]
    pub(crate) fn fresh(mode: Mode, theme: Theme, folder: PathBuf) -> Options {
        Options {
            start: InitialSession::With(Begin::Fresh { mode }),
            prompt: None,
            display: DisplayMode::Full,
            theme,
            narrowing: Narrowing::Folds,
            keys: BTreeMap::new(),
            first_run: None,
            notices: Vec::new(),
            project: folder.clone(),
            folder,
            reviews: false,
            version: env!("CARGO_PKG_VERSION"),
            notify: NotifyOptions::default(),
            shows_cost: false,
        }
    }
}
