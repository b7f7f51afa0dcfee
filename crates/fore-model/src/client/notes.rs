//! What servers showed of themselves while they were asked: how much they can read, what they cost, and which fields they refuse. Shared by all clones of a client.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use crate::provider::{ChosenModel, Price};

/// Fewer tokens than this are a misunderstanding, not a window.
const MIN_WINDOW: u64 = 256;
/// Servers that are remembered; a program names a handful.
const MAX_SERVERS: usize = 256;

#[derive(Debug, Default)]
pub(crate) struct ServerNotes(Mutex<BTreeMap<String, ServerNote>>);

#[derive(Clone, Debug, Default)]
struct ServerNote {
    refused: Vec<String>,
    /// By model.
    windows: BTreeMap<String, u64>,
    prices: BTreeMap<String, Price>,
    /// Models whose size was looked for.
    asked: BTreeSet<String>,
    /// llama.cpp's own server says how far it has read a prompt, when it is asked to.
    tells_progress: bool,
}

impl ServerNotes {
    fn with<T>(&self, model: &ChosenModel, use_note: impl FnOnce(&mut ServerNote) -> T) -> T {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let address = model.address();
        if notes.len() >= MAX_SERVERS && !notes.contains_key(&address) {
            notes.clear();
        }
        use_note(notes.entry(address).or_default())
    }

    pub(crate) fn refused(&self, model: &ChosenModel) -> Vec<String> {
        self.with(model, |note| note.refused.clone())
    }

    /// Without these fields the server took the request.
    pub(crate) fn keep_refused(&self, model: &ChosenModel, fields: Vec<String>) {
        self.with(model, |note| note.refused = fields);
    }

    pub(crate) fn window(&self, model: &ChosenModel) -> Option<u64> {
        self.with(model, |note| note.windows.get(model.name.name()).copied())
    }

    pub(crate) fn keep_window(&self, model: &ChosenModel, tokens: u64) {
        if tokens >= MIN_WINDOW {
            self.with(model, |note| note.windows.insert(model.name.name().to_owned(), tokens));
        }
    }

    pub(crate) fn price(&self, model: &ChosenModel) -> Option<Price> {
        self.with(model, |note| note.prices.get(model.name.name()).copied())
    }

    pub(crate) fn keep_price(&self, model: &ChosenModel, price: Price) {
        self.with(model, |note| note.prices.insert(model.name.name().to_owned(), price));
    }

    /// Whether nobody has looked for the size of this model yet; from now on somebody has.
    pub(crate) fn asks_first(&self, model: &ChosenModel) -> bool {
        self.with(model, |note| note.asked.insert(model.name.name().to_owned()))
    }

    pub(crate) fn tells_progress(&self, model: &ChosenModel) -> bool {
        self.with(model, |note| note.tells_progress)
    }

    pub(crate) fn keep_progress(&self, model: &ChosenModel) {
        self.with(model, |note| note.tells_progress = true);
    }
}
