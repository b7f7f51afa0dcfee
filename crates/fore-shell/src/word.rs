//! What is known of a word after bash has expanded it: its value, or how much of it could be anything.

use crate::finding::Span;

/// One argument as the program will see it, as far as that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub value: Value,
    /// As written in the text, for messages.
    pub source: String,
    pub span: Option<Span>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Exactly this argument.
    Literal(String),
    /// Something decided at run time.
    Opaque(Opaque),
}

/// What can be said of a word whose value is decided at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// Literal text it certainly starts with (`src/` in `src/*.rs`).
    pub prefix: String,
    /// It may vanish altogether.
    pub may_be_empty: bool,
    /// It may become several arguments.
    pub may_split: bool,
    /// One of its arguments may start with `-`, so it may be an option.
    pub may_be_option: bool,
}

impl Word {
    pub fn literal(text: impl Into<String>) -> Word {
        let text = text.into();
        Word { source: text.clone(), value: Value::Literal(text), span: None }
    }

    /// The value, if it is certain.
    pub fn as_literal(&self) -> Option<&str> {
        match &self.value {
            Value::Literal(text) => Some(text),
            Value::Opaque(_) => None,
        }
    }
}
