//! What a tool gives back: one channel for the model, one for the person.

use crate::event::ShownCall;
use fore_model::ResultPart;
use fore_store::entry::Rehearsal;

/// The result of a call. The loop defuses and bounds the model's part; a tool need not.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Output {
    pub model: Vec<ResultPart>,
    pub is_error: bool,
    pub shown: ShownCall,
    /// What it came to, for the record.
    pub fact: Option<CallFact>,
}

/// What a call really did, as its tool knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallFact {
    /// Nothing was kept of it.
    Rehearsed(Rehearsal),
    /// So many lines of the file are new, and so many are gone.
    Edited { added: u32, removed: u32 },
    /// Its exit code; none where it did not end by itself.
    Ran { exit_code: Option<i32> },
    /// It runs on under this name.
    InBackground { run: String },
}

impl Output {
    pub(crate) fn text(model: impl Into<String>, shown: ShownCall) -> Output {
        Output { model: vec![ResultPart::Text(model.into())], is_error: false, shown, fact: None }
    }

    /// It went wrong; both are told why.
    pub(crate) fn error(why: impl Into<String>) -> Output {
        let why = why.into();
        let line = fore_text::cut::chars(why.lines().next().unwrap_or_default(), 200).to_owned();
        Output { model: vec![ResultPart::Text(why)], is_error: true, shown: ShownCall::line(line), fact: None }
    }
}
