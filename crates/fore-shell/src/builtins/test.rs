//! `test` and `[`: harmless, unless an operand could become `-v`, which evaluates subscripts.

use crate::{
    finding::{CommandKind, Finding},
    syntax::scan::is_name,
    word::{Value, Word},
};

pub(super) fn judge(first: &Word, arguments: &[Word]) -> Finding {
    let mut arguments = arguments;
    if first.as_literal() == Some("[") {
        match arguments.split_last() {
            Some((last, rest)) if last.as_literal() == Some("]") => arguments = rest,
            Some(_) | None => {
                return Finding::shown(CommandKind::Unknown, "builtin.test", first, "`[` without its `]`");
            }
        }
    }
    match arguments.iter().enumerate().find(|(at, _)| may_evaluate(arguments, *at)) {
        Some((_, word)) => Finding::shown(
            CommandKind::Unknown,
            "builtin.test",
            word,
            "this may become `-v`, which evaluates subscripts",
        ),
        None => Finding::reads(),
    }
}

/// Whether the word at `at` could be an operator that evaluates the word behind it.
fn may_evaluate(arguments: &[Word], at: usize) -> bool {
    let Some(word) = arguments.get(at) else {
        return false;
    };
    let next = arguments.get(at + 1);
    match &word.value {
        Value::Literal(text) => {
            let evaluates = matches!(text.as_str(), "-v" | "-R");
            evaluates && next.is_some_and(|next| !next.as_literal().is_some_and(is_name))
        }
        // Several words at once can bring the operator and its operand.
        Value::Opaque(opaque) if opaque.may_split && opaque.may_be_option => true,
        Value::Opaque(opaque) if opaque.may_be_option || opaque.may_be_empty => match next.map(|next| &next.value) {
            None => false,
            Some(Value::Literal(text)) => !is_operator(text),
            Some(Value::Opaque(_)) => true,
        },
        Value::Opaque(_) => false,
    }
}

fn is_operator(text: &str) -> bool {
    matches!(
        text,
        "=" | "=="
            | "!="
            | "<"
            | ">"
            | "-eq"
            | "-ne"
            | "-lt"
            | "-le"
            | "-gt"
            | "-ge"
            | "-nt"
            | "-ot"
            | "-ef"
            | "-a"
            | "-o"
            | ")"
    )
}
