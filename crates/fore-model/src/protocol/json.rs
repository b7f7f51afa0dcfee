//! Writes JSON by hand into one buffer: the same values always give the same bytes, and nothing is copied in between.

use serde::Serialize;

#[derive(Debug, Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    pub(crate) fn raw(&mut self, text: &str) -> &mut Self {
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    /// Any value; strings, numbers and JSON values cannot fail to serialise into memory.
    pub(crate) fn value(&mut self, value: &(impl Serialize + ?Sized)) -> &mut Self {
        let before = self.0.len();
        if serde_json::to_writer(&mut self.0, value).is_err() {
            self.0.truncate(before);
            self.raw("null");
        }
        self
    }

    /// A value as JSON text inside a JSON string.
    pub(crate) fn quoted(&mut self, value: &impl Serialize) -> &mut Self {
        let text = serde_json::to_string(value).unwrap_or_default();
        self.value(text.as_str())
    }

    /// Two texts as one string.
    pub(crate) fn text(&mut self, prefix: &str, text: &str) -> &mut Self {
        if prefix.is_empty() { self.value(text) } else { self.value(&format!("{prefix}{text}")) }
    }

    /// A comma unless this is the first element since `from`.
    pub(crate) fn comma_since(&mut self, from: usize) -> &mut Self {
        if self.0.len() > from { self.raw(",") } else { self }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    pub(crate) fn into_vec(self) -> Vec<u8> {
        self.0
    }
}
