//! Why a text could not be analysed. A doubt always ends in `unknown`, never in a guess.

use crate::finding::{CommandKind, Finding, Span};

/// A place in the text that the judge does not understand well enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Doubt {
    pub(crate) rule: &'static str,
    pub(crate) why: String,
    /// Byte range in the source that was being read.
    pub(crate) range: Option<(usize, usize)>,
}

impl Doubt {
    pub(crate) fn new(rule: &'static str, why: impl Into<String>) -> Doubt {
        Doubt { rule, why: why.into(), range: None }
    }

    pub(crate) fn at(mut self, start: usize, end: usize) -> Doubt {
        self.range = Some((start, end));
        self
    }

    /// A bound was reached: nothing else found in the text counts.
    pub(crate) fn limit(why: impl Into<String>) -> Doubt {
        Doubt::new("syntax.limit", why)
    }

    pub(crate) fn is_limit(&self) -> bool {
        self.rule == "syntax.limit"
    }

    /// The doubt as a finding; `base` is where `text` starts in the judged text.
    pub(crate) fn finding(&self, text: &str, base: Option<usize>) -> Finding {
        let found = self.range.and_then(|(start, end)| text.get(start..end).map(|word| (word, start, end)));
        let (word, span) = match found {
            Some((word, start, end)) => (word, base.map(|base| Span { start: base + start, end: base + end })),
            None => (text, None),
        };
        Finding::at(CommandKind::Unknown, self.rule, word, span, &self.why)
    }
}
