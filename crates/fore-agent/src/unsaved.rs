//! What a person has changed in their editor and not saved. It is read beside a file that may be read, and never instead of it: edits
//! change what is on disk.

use std::{fmt, path::Path};

/// Asks the editor in front of the person.
pub trait UnsavedText: fmt::Debug + Send + Sync {
    /// The text that the editor shows of this file, which is a real path; none where it says nothing in time. Called from a thread that
    /// may wait, and only for files that the model may read.
    fn text(&self, path: &Path) -> Option<String>;
}
