//! Everything of a project to read: plans, sessions, reports. Nothing here can be answered or changed.

use crate::{
    markdown::{self, OutlineEntry},
    site::{LibraryAccess, ReviewHost, ReviewSite},
    token::ReviewToken,
};
use fore_agent::Command;
use fore_plan::plan::{CheckNote, Hash};
use fore_store::{UnsentReview, session::KeptRevision};
use serde::Serialize;
use std::{io, sync::Arc};

/// What there is to read, and the texts.
pub trait ReviewLibrary: Send + Sync {
    /// The project, in one line.
    fn project(&self) -> String;

    /// All there is, newest first, bounded.
    fn entries(&self) -> Vec<LibraryEntry>;

    /// The text with this id; none where it is gone, or was never listed.
    fn text(&self, id: &str) -> Option<LibraryText>;
}

/// One thing to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LibraryEntry {
    /// Names it in a request.
    pub id: String,
    /// `plan`, `session` or `report`.
    pub kind: &'static str,
    /// What it is about, in one line.
    pub title: String,
    /// How far it is, or in which mode.
    pub state: String,
    /// How long ago, in words.
    pub age: String,
}

/// A text in Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryText {
    /// What it is, in one line.
    pub title: String,
    /// Markdown.
    pub text: String,
}

#[derive(Serialize)]
pub(crate) struct LibraryPage {
    kind: &'static str,
    project: String,
    entries: Vec<LibraryEntry>,
}

#[derive(Serialize)]
pub(crate) struct LibraryTextView {
    title: String,
    html: String,
    outline: Vec<OutlineEntry>,
}

impl dyn ReviewLibrary {
    pub(crate) fn page(&self) -> LibraryPage {
        LibraryPage { kind: "library", project: self.project(), entries: self.entries() }
    }

    pub(crate) fn read(&self, id: &str) -> Option<LibraryText> {
        self.text(id)
    }
}

impl LibraryText {
    pub(crate) fn view(&self) -> LibraryTextView {
        let rendered = markdown::render(&self.text);
        LibraryTextView { title: self.title.clone(), html: rendered.html, outline: rendered.outline }
    }
}

/// Opens a page on which everything of a project can be read; gives it with its address.
pub fn read_library(library: Arc<dyn ReviewLibrary>) -> io::Result<(ReviewSite, String)> {
    let access = LibraryAccess { token: ReviewToken::fresh()?, library };
    let site = ReviewSite::with(Arc::new(NothingToAnswer), Some(access))?;
    let address = site.library_address().unwrap_or_default();
    Ok((site, address))
}

/// A page without a session.
struct NothingToAnswer;

impl ReviewHost for NothingToAnswer {
    fn send(&self, _: Command) -> Result<(), String> {
        Err("there is no session here".to_owned())
    }

    fn keep(&self, _: Option<&UnsentReview>) -> Result<(), String> {
        Ok(())
    }

    fn check(&self, _: &str) -> Vec<CheckNote> {
        Vec::new()
    }

    fn revisions(&self, _: &str) -> Vec<KeptRevision> {
        Vec::new()
    }

    fn revision_text(&self, _: Hash) -> Option<String> {
        None
    }
}
