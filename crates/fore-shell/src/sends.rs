//! What leaves this machine with a command that talks to somebody: words decided at run time, files, and its input.

use crate::{
    context::JudgeContext,
    finding::Finding,
    word::{Value, Word},
};
use std::borrow::Cow;

/// Letters of a command or a file in such words; the rest is left out.
const MAX_CHARS: usize = 80;

/// Adds what a command that talks to the network sends without saying so: a word that is decided at run time may hold
/// anything, and so may its input.
pub(crate) fn noted(mut finding: Finding, argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    if !finding.reaches_network() {
        return finding;
    }
    for word in argv {
        match &word.value {
            Value::Literal(_) => {}
            Value::Opaque(opaque) if is_address(&opaque.prefix, &word.source) => {}
            Value::Opaque(_) => finding.send(of_word(&word.source)),
        }
    }
    if let Some(input) = &context.input {
        finding.send(input.to_string());
    }
    finding
}

/// An address without quotes, whose `?` or `*` bash takes for a pattern: at most it becomes the name of a file.
fn is_address(prefix: &str, source: &str) -> bool {
    (prefix.starts_with("https://") || prefix.starts_with("http://")) && !source.contains(['$', '`', '(', '~'])
}

/// What a word that is decided at run time brings: the output of its first command, or its value.
fn of_word(source: &str) -> String {
    let inside = |open: &str, close: char| {
        let start = source.find(open)? + open.len();
        let end = source.rfind(close).filter(|end| *end > start)?;
        source.get(start..end)
    };
    match inside("$(", ')').or_else(|| inside("<(", ')')).or_else(|| inside("`", '`')) {
        Some(command) => output_of(command),
        None => format!("whatever `{}` stands for", short(source)),
    }
}

/// The output of a command that is sent.
pub(crate) fn output_of(command: &str) -> String {
    format!("the output of `{}`", short(command))
}

/// A file that is sent.
pub fn sent_file(path: &str) -> String {
    format!("the file `{}`", short(path))
}

fn short(text: &str) -> Cow<'_, str> {
    fore_text::cut::ellipsis(text.trim(), MAX_CHARS)
}
