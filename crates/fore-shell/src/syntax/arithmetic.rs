//! Arithmetic: only integers, operators and variables that certainly hold integers. Anything else bash would evaluate as text.

use super::{
    doubt::Doubt,
    piece::{self, QuoteReading, WordPiece},
    scan,
    script::RawWord,
    state::{Binding, ShellState},
    walk::ScriptWalk,
};

/// Operators, and what may stand between them.
const OPERATORS: &[u8] = b" \t+-*/%<>=!&|^~?:,()";

impl<'t> ScriptWalk<'t> {
    /// Checks the inside of `((…))` or `$((…))` and notes the variables it changes.
    pub(crate) fn arithmetic(&mut self, state: &mut ShellState<'_>, inside: RawWord<'t>) -> Result<(), Doubt> {
        self.stumble();
        let doubt = |why: &str| Doubt::new("word.arithmetic", why.to_owned()).at(inside.start, inside.end());
        let mut expression = String::with_capacity(inside.text.len());
        for piece in piece::pieces(inside, QuoteReading::Body)? {
            match &piece {
                WordPiece::Text { text, .. } => expression.push_str(text),
                // A whole number put in place of the expansion keeps the grammar as it is.
                WordPiece::Parameter { inside: name, .. } if self.is_number(state, name.text) => {
                    expression.push_str(" 0 ")
                }
                WordPiece::Parameter { .. } | WordPiece::Command { .. } | WordPiece::Process { .. } => {
                    return Err(doubt("arithmetic with a value that is not certainly a number"));
                }
                WordPiece::Arithmetic { inside, .. } => {
                    self.arithmetic(state, *inside)?;
                    expression.push_str(" 0 ");
                }
            }
        }
        let mut at = 0;
        let mut changes = false;
        let mut names = Vec::new();
        while at < expression.len() {
            let byte = scan::byte(&expression, at);
            if scan::is_name_start(byte) {
                let end = scan::name_end(&expression, at);
                names.push(expression.get(at..end).unwrap_or_default().to_owned());
                at = end;
                continue;
            }
            if byte.is_ascii_digit() {
                let end = scan::name_end(&expression, at);
                if expression
                    .get(at..end)
                    .is_none_or(|digits| digits.len() > 18 || !digits.bytes().all(|digit| digit.is_ascii_digit()))
                {
                    return Err(doubt("an unusual number"));
                }
                at = end;
                continue;
            }
            if !OPERATORS.contains(&byte) {
                return Err(doubt("arithmetic with unusual characters"));
            }
            changes |= assigns(&expression, at);
            at += 1;
        }
        for name in &names {
            if !self.is_number(state, name) && !first_assigned(&expression, name) {
                return Err(doubt("arithmetic with a variable that is not certainly a number"));
            }
            if changes {
                super::environment::check_name(name).map_err(|doubt| doubt.at(inside.start, inside.end()))?;
            }
        }
        if changes {
            for name in names {
                state.set(&name, Binding::Number);
            }
        }
        Ok(())
    }

    /// Whether a variable certainly holds an integer.
    pub(crate) fn is_number(&self, state: &ShellState<'_>, name: &str) -> bool {
        match name {
            "#" | "?" | "$" => true,
            _ => match state.get(name) {
                Some(Binding::Number) => true,
                Some(Binding::OneOf(values)) => values.iter().all(|value| is_integer(value)),
                Some(Binding::Identifiers | Binding::Opaque(_)) => false,
                None => name.strip_prefix('#').is_some_and(scan::is_name),
            },
        }
    }
}

/// A decimal number that bash cannot take for an octal one.
pub(crate) fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let decimal = digits == "0" || !digits.starts_with('0');
    decimal && !digits.is_empty() && digits.len() <= 18 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// `=`, `+=`, `++` …, but not `==`, `<=`, `>=`, `!=`.
fn assigns(expression: &str, at: usize) -> bool {
    let byte = scan::byte(expression, at);
    let before = if at == 0 { 0 } else { scan::byte(expression, at - 1) };
    let after = scan::byte(expression, at + 1);
    match byte {
        b'=' => {
            after != b'=' && !matches!(before, b'=' | b'!' | b'<' | b'>')
                || (matches!(before, b'<' | b'>') && at > 1 && scan::byte(expression, at - 2) == before)
        }
        b'+' | b'-' => after == byte,
        _ => false,
    }
}

/// The expression is `name = …`, so the old value is not looked at.
fn first_assigned(expression: &str, name: &str) -> bool {
    let rest = expression.trim_start().strip_prefix(name).map(str::trim_start);
    let Some(rest) = rest.and_then(|rest| rest.strip_prefix('=')) else {
        return false;
    };
    let mentioned_again =
        rest.split(|character: char| !character.is_ascii_alphanumeric() && character != '_').any(|word| word == name);
    !rest.starts_with('=') && !mentioned_again
}
