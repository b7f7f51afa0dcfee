//! What stands between `[[` and `]]`: which operands are compared, and which ones bash evaluates.

use super::{
    super::{
        doubt::Doubt,
        script::{Condition, RawWord},
        token::TokenClass,
    },
    Parsed, ScriptParser,
};

impl<'t> ScriptParser<'t, '_> {
    pub(super) fn condition(&mut self) -> Parsed<Condition<'t>> {
        self.expect_word("[[")?;
        self.behind_regex = false;
        let condition = self.alternatives()?;
        self.expect_word("]]")?;
        Ok(condition)
    }

    /// Operands joined by `&&` and `||`. Which of them are looked at does not matter: all are judged.
    fn alternatives(&mut self) -> Parsed<Condition<'t>> {
        let mut all = self.term()?;
        while self.take_if_operator("&&") || self.take_if_operator("||") {
            all = Condition::Both(Box::new(all), Box::new(self.term()?));
        }
        Ok(all)
    }

    /// The tokenizer bounds how many parts a condition has, and with it this recursion.
    fn term(&mut self) -> Parsed<Condition<'t>> {
        if self.take_if_word("!") {
            return Ok(Condition::Inverse(Box::new(self.term()?)));
        }
        if self.behind_regex && self.is_operator(0, "(") && self.is_operator(1, "(") {
            return Err(Doubt::new("syntax.condition", "parentheses that may belong to a regular expression"));
        }
        if self.take_if_operator("(") {
            let inside = self.alternatives()?;
            self.expect_operator(")")?;
            return Ok(Condition::Inverse(Box::new(inside)));
        }
        let first = self.operand()?;
        let has_operand = matches!(self.class_text(1), Some((TokenClass::Word | TokenClass::Arithmetic, _)));
        match self.class_text(0) {
            Some((TokenClass::Word, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge")) if has_operand => {
                self.at += 1;
                Ok(Condition::Arithmetic(first, self.operand()?))
            }
            Some((TokenClass::Word, "=~")) => {
                self.at += 1;
                self.regex(first)
            }
            Some((TokenClass::Word, "-ef" | "-nt" | "-ot" | "==" | "=" | "!=") | (TokenClass::Operator, "<" | ">"))
                if has_operand =>
            {
                self.at += 1;
                Ok(Condition::Plain(vec![first, self.operand()?]))
            }
            Some((TokenClass::Word | TokenClass::Arithmetic, _)) if is_unary(first.text) => self.unary(first),
            Some(_) | None => Ok(Condition::Plain(vec![first])),
        }
    }

    fn unary(&mut self, operator: RawWord<'t>) -> Parsed<Condition<'t>> {
        let operand = self.operand()?;
        Ok(match operator.text {
            "-v" | "-R" => Condition::Variable(operand),
            // The operand is a number, which bash takes for arithmetic.
            "-t" => Condition::Arithmetic(operand, RawWord { text: "0", start: 0 }),
            _ => Condition::Plain(vec![operand]),
        })
    }

    /// A word; also the inside of two parentheses, which the tokenizer took for arithmetic.
    fn operand(&mut self) -> Parsed<RawWord<'t>> {
        match (self.token(0), self.class_text(0)) {
            (Some(token), Some((TokenClass::Word | TokenClass::Arithmetic, text))) if text != "]]" => {
                self.at += 1;
                Ok(RawWord { text, start: token.start })
            }
            _ => Err(self.error()),
        }
    }

    /// Words, `|`, and anything in parentheses; only what the words expand matters.
    fn regex(&mut self, left: RawWord<'t>) -> Parsed<Condition<'t>> {
        let start = self.at;
        let mut words = vec![left];
        let mut open_parentheses = 0usize;
        while let Some((class, text)) = self.class_text(0) {
            match (class, text) {
                (TokenClass::Word, "]]") => break,
                (TokenClass::Word, _) => {
                    words.push(self.word()?);
                    continue;
                }
                (TokenClass::Operator, "(") => open_parentheses += 1,
                (TokenClass::Operator, ")") if open_parentheses > 0 => open_parentheses -= 1,
                (TokenClass::Operator, "|") => {}
                (TokenClass::Operator, _) if open_parentheses > 0 => {}
                (TokenClass::Operator, _) => break,
                (TokenClass::Arithmetic | TokenClass::HereBody, _) => {
                    let doubt = Doubt::new("syntax.condition", "an unusual regular expression");
                    return Err(self.token(0).map_or(doubt.clone(), |token| doubt.at(token.start, token.end)));
                }
            }
            self.at += 1;
        }
        if open_parentheses > 0 || self.at == start {
            return Err(self.error());
        }
        self.behind_regex = true;
        Ok(Condition::Plain(words))
    }
}

fn is_unary(word: &str) -> bool {
    let mut letters = word.strip_prefix('-').unwrap_or_default().bytes();
    letters.next().is_some_and(|letter| b"abcdefghknoprstuvwxzGLNORS".contains(&letter)) && letters.next().is_none()
}
