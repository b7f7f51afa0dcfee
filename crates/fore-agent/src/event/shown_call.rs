//! What a person sees of a call that is over: how it ended, one line, and what opens behind it.

use fore_plan::Refusal;
use serde::{Deserialize, Serialize};

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum CallOutcome {
    /// It ran and went well.
    Done,
    /// It ran and went wrong.
    Failed,
    /// The gate, a rule or the person said no; nothing ran.
    Refused {
        /// Who said no, and why.
        refusal: Box<Refusal>,
    },
    /// The person stopped it.
    Interrupted,
}

/// What a person sees of a call: one line, and more that opens on demand. The model gets its own text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownCall {
    /// What it did, in one line.
    pub line: String,
    /// What there is to see besides.
    pub body: ShownBody,
}

/// The part that opens on demand; bounded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ShownBody {
    /// The line says it all.
    #[default]
    Nothing,
    /// Text as it is.
    Text {
        /// The text.
        text: String,
    },
    /// Text with headings, lists and code.
    Markdown {
        /// The text.
        text: String,
    },
    /// A unified difference of one file.
    Diff {
        /// The file.
        path: String,
        /// The difference.
        diff: String,
    },
}

impl ShownCall {
    /// One line and nothing else.
    pub fn line(line: impl Into<String>) -> ShownCall {
        ShownCall { line: line.into(), body: ShownBody::Nothing }
    }

    /// One line, with text behind it.
    pub fn text(line: impl Into<String>, text: impl Into<String>) -> ShownCall {
        ShownCall { line: line.into(), body: ShownBody::Text { text: text.into() } }
    }

    /// One line, with the difference of a file behind it.
    pub fn diff(line: impl Into<String>, path: impl Into<String>, diff: impl Into<String>) -> ShownCall {
        ShownCall { line: line.into(), body: ShownBody::Diff { path: path.into(), diff: diff.into() } }
    }
}
