//! `[[ … ]]`: comparisons are harmless, but some operands are evaluated as arithmetic or as names with subscripts.

use super::{
    doubt::Doubt,
    script::{Condition, RawWord},
    state::ShellState,
    walk::ScriptWalk,
};

impl<'t> ScriptWalk<'t> {
    pub(super) fn condition(&mut self, state: &mut ShellState<'_>, condition: &Condition<'t>) -> Result<(), Doubt> {
        match condition {
            Condition::Both(left, right) => {
                self.condition(state, left)?;
                self.condition(state, right)
            }
            Condition::Inverse(inner) => self.condition(state, inner),
            Condition::Plain(words) => {
                for word in words {
                    let judged = self.expand_single(state, *word);
                    self.absorb(judged)?;
                }
                Ok(())
            }
            Condition::Arithmetic(left, right) => {
                for word in [left, right] {
                    let judged = self.number(state, *word);
                    self.absorb(judged)?;
                }
                Ok(())
            }
            Condition::Variable(word) => {
                let judged = self.name(state, *word);
                self.absorb(judged)?;
                Ok(())
            }
        }
    }

    /// A word that bash evaluates as arithmetic: it must be a number whatever happens.
    fn number(&mut self, state: &mut ShellState<'_>, word: RawWord<'t>) -> Result<(), Doubt> {
        let name = word.text.trim_matches('"').strip_prefix('$').unwrap_or_default();
        let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
        let counted = !name.is_empty() && self.is_number(state, name);
        let literal = |value: &crate::word::Value| matches!(value, crate::word::Value::Literal(text) if super::arithmetic::is_integer(text));
        if counted || self.expand_single(state, word)?.iter().all(literal) {
            return Ok(());
        }
        Err(Doubt::new("word.arithmetic", "bash evaluates this operand, and it is not certainly a number")
            .at(word.start, word.end()))
    }

    fn name(&mut self, state: &mut ShellState<'_>, word: RawWord<'t>) -> Result<(), Doubt> {
        let plain = |value: &crate::word::Value| matches!(value, crate::word::Value::Literal(text) if super::scan::is_name(text));
        if self.expand_single(state, word)?.iter().all(plain) {
            return Ok(());
        }
        Err(Doubt::new("word.subscript", "bash evaluates a subscript in this operand").at(word.start, word.end()))
    }
}
