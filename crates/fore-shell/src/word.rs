//! What is known of a word after bash has expanded it: its value, or how much of it could be anything.

use crate::finding::Span;

/// One argument as the program will see it, as far as that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// What the program will see.
    pub value: Value,
    /// As written in the text, for messages.
    pub source: String,
    /// Where it stands in the judged text, if it does.
    pub span: Option<Span>,
}

/// How much is known of a word.
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
    /// A word that is exactly this text.
    pub fn literal(text: impl Into<String>) -> Word {
        let text = text.into();
        Word { source: text.clone(), value: Value::Literal(text), span: None }
    }

    /// Something decided at run time that may be anything at all: what `xargs` adds.
    pub fn anything(source: &str) -> Word {
        let opaque = Opaque { prefix: String::new(), may_be_empty: true, may_split: true, may_be_option: true };
        Word { value: Value::Opaque(opaque), source: source.to_owned(), span: None }
    }

    /// It may turn out to be an option, so a program that has harmful options cannot be judged.
    pub fn may_be_option(&self) -> bool {
        match &self.value {
            Value::Literal(text) => text.len() > 1 && text.starts_with('-'),
            Value::Opaque(opaque) => opaque.may_be_option || opaque.prefix.starts_with('-'),
        }
    }

    /// It may not become more or fewer than one argument, so it can be the value of an option.
    pub fn is_one_argument(&self) -> bool {
        match &self.value {
            Value::Literal(_) => true,
            Value::Opaque(opaque) => !opaque.may_split && !opaque.may_be_empty,
        }
    }

    /// The value, if it is certain.
    pub fn as_literal(&self) -> Option<&str> {
        match &self.value {
            Value::Literal(text) => Some(text),
            Value::Opaque(_) => None,
        }
    }
}
