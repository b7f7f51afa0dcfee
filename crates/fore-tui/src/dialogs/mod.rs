//! Dialogs: what a person is asked. A dialog is a value that takes keys and gives lines; it sends and writes nothing itself.
//!
//! The caller decides whether a dialog has the focus. Without it, no key reaches a dialog at all.

pub(crate) mod approval;
pub(crate) mod ask;
mod choices;
pub(crate) mod confirm;
pub(crate) mod enter;
pub(crate) mod field;
pub(crate) mod form;
mod layout;
pub(crate) mod pager;
pub(crate) mod picker;
#[cfg(test)]
pub(crate) mod test_support;
pub(crate) mod text;
pub(crate) mod welcome;

pub(crate) use choices::is_plain;

use crate::view::{Space, View};
use crossterm::event::KeyEvent;
use fore_agent::Command;

/// Something that asks.
pub(crate) trait Dialog: Send {
    /// A key, while the dialog has the focus.
    fn key(&mut self, key: KeyEvent) -> DialogStep;

    /// Text that was pasted while the dialog has the focus. Where nothing is being written it is dropped: pasted text
    /// never chooses.
    fn paste(&mut self, text: &str);

    /// Draws at most `space.height` lines.
    fn view(&mut self, space: Space, focus: Focus) -> View;

    /// The keys go elsewhere: what was selected is to be gone to anew.
    fn left(&mut self) {}

    /// The approval dialog itself, for what is kept of it and checked in it.
    fn approval(&mut self) -> Option<&mut approval::ApprovalDialog> {
        None
    }

    /// The approval dialog itself, for one that is asked again; what was written in it is kept.
    fn into_approval(self: Box<Self>) -> Option<approval::ApprovalDialog> {
        None
    }

    /// What the first meeting settled, for the dialog that is one.
    fn first_run(&mut self) -> Option<welcome::FirstRun> {
        None
    }

    /// The person asks for their editor: on what the dialog is about, if it can be edited here and now.
    fn open_editor(&mut self) -> Option<DialogStep> {
        None
    }

    /// A server was asked after [`DialogStep::AskServer`]: its models, or why there are none.
    fn served(&mut self, _address: &str, _models: Result<Vec<crate::host::ModelRow>, String>) {}

    /// An editor was open on the text of [`DialogStep::Edit`]: what it left, or why it could not be used.
    fn edited(&mut self, _text: Result<String, String>) {}
}

/// Whether keys go to the dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Focus {
    Here,
    /// It has just come up and takes the keys in a moment; until then they go to the composer.
    Soon,
    /// Keys go to the composer; the dialog says how to reach it.
    Elsewhere,
}

/// What a dialog says that is about to take the keys.
pub(crate) const SOON: (&str, &str) = ("Soon", "keys answer here; or keep typing");

/// What a key led to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DialogStep {
    Stay,
    /// The person has decided: the command goes to the session and the dialog closes.
    Send(Command),
    /// The same, and commands that begin so are allowed for good in this project.
    SendAlways {
        answer: Command,
        commands: Vec<String>,
    },
    /// Open the person's editor on this text; what it leaves comes back by [`Dialog::edited`].
    Edit {
        name: String,
        text: String,
    },
    /// Show the plan on a page of the browser.
    Review,
    /// Ask a server at this address for its models; they come back by [`Dialog::served`].
    AskServer(String),
    /// Show this document on the whole screen.
    Read(PagerDocument),
    /// A message that the person began to write: its letters are for the composer, and so are the next keys.
    Written(String),
    /// Close without a command (pickers and the like).
    Close,
    /// A row of a picker was chosen.
    Picked(String),
}

/// A document for the pager.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PagerDocument {
    pub title: String,
    pub body: fore_agent::ShownBody,
    /// What becomes of the signs of Markdown.
    pub markup: crate::paint::Markup,
    /// Words of the person on lines of a Markdown body, ascending.
    pub annotations: Vec<Annotation>,
}

/// Words that stand beneath a line of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Annotation {
    /// Counts from 1.
    pub line: u32,
    pub label: String,
    pub text: String,
}
