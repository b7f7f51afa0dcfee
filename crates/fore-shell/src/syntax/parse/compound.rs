//! Compound commands: groups, conditions, loops, `case` and arithmetic.

use super::{
    super::{
        script::{CommandShape, RawWord, Script},
        token::TokenClass,
    },
    Parsed, ScriptParser,
};

impl<'t> ScriptParser<'t, '_> {
    pub(super) fn compound(&mut self) -> Parsed<CommandShape<'t>> {
        match self.class_text(0) {
            Some((TokenClass::Operator, "(")) if self.is_arithmetic(0) => {
                Ok(CommandShape::Arithmetic(self.arithmetic()?))
            }
            Some((TokenClass::Operator, "(")) => {
                self.at += 1;
                let list = self.list()?;
                self.expect_operator(")")?;
                Ok(CommandShape::Subshell(list))
            }
            Some((TokenClass::Word, "{")) => self.braces().map(CommandShape::Group),
            Some((TokenClass::Word, "if")) => self.conditional(),
            Some((TokenClass::Word, "while")) => self.repeated(false),
            Some((TokenClass::Word, "until")) => self.repeated(true),
            Some((TokenClass::Word, "for")) if self.is_arithmetic(1) => self.arithmetic_for(),
            Some((TokenClass::Word, "for")) => self.for_each(),
            Some((TokenClass::Word, "case")) => self.case(),
            Some(_) | None => Err(self.error()),
        }
    }

    fn braces(&mut self) -> Parsed<Script<'t>> {
        self.expect_word("{")?;
        let list = self.list()?;
        self.expect_word("}")?;
        Ok(list)
    }

    fn do_group(&mut self) -> Parsed<Script<'t>> {
        self.expect_word("do")?;
        let list = self.list()?;
        self.expect_word("done")?;
        Ok(list)
    }

    fn conditional(&mut self) -> Parsed<CommandShape<'t>> {
        self.expect_word("if")?;
        let mut arms = Vec::new();
        loop {
            let condition = self.list()?;
            self.expect_word("then")?;
            arms.push((condition, self.list()?));
            if !self.take_if_word("elif") {
                break;
            }
        }
        let otherwise = if self.take_if_word("else") { Some(self.list()?) } else { None };
        self.expect_word("fi")?;
        Ok(CommandShape::If { arms, otherwise })
    }

    fn repeated(&mut self, until: bool) -> Parsed<CommandShape<'t>> {
        self.at += 1;
        let condition = self.list()?;
        Ok(CommandShape::While { until, condition, body: self.do_group()? })
    }

    fn for_each(&mut self) -> Parsed<CommandShape<'t>> {
        self.expect_word("for")?;
        let name = self.word()?;
        // Inside of `case` bash does not know this keyword on the next line.
        if self.open_cases == 0 && matches!(self.class_text_behind_newlines(), Some((TokenClass::Word, "in"))) {
            self.skip_newlines();
        }
        let mut values = None;
        if self.take_if_word("in") {
            let mut words = Vec::new();
            while let Some((TokenClass::Word, _)) = self.class_text(0) {
                words.push(self.word()?);
            }
            values = Some(words);
            if !self.is_operator(0, ";") && !self.is_operator(0, "\n") {
                return Err(self.error());
            }
        }
        self.take_if_operator(";");
        self.skip_newlines();
        Ok(CommandShape::For { name, values, body: self.do_group()? })
    }

    /// `for ((a; b; c))`.
    fn arithmetic_for(&mut self) -> Parsed<CommandShape<'t>> {
        self.expect_word("for")?;
        let head = self.arithmetic()?;
        if head.text.matches(';').count() != 2 {
            return Err(self.error());
        }
        let mut start = head.start;
        let mut expressions = Vec::with_capacity(3);
        for text in head.text.split(';') {
            expressions.push(RawWord { text, start });
            start += text.len() + 1;
        }
        if self.is_word("{") {
            return Ok(CommandShape::ArithmeticFor { expressions, body: self.braces()? });
        }
        self.take_if_operator(";");
        self.skip_newlines();
        Ok(CommandShape::ArithmeticFor { expressions, body: self.do_group()? })
    }

    /// Two parentheses without a blank: the tokenizer reads them as arithmetic.
    fn is_arithmetic(&self, ahead: usize) -> bool {
        let adjacent =
            self.token(ahead).zip(self.token(ahead + 1)).is_some_and(|(first, second)| first.end == second.start);
        adjacent && self.is_operator(ahead, "(") && self.is_operator(ahead + 1, "(")
    }

    /// The inside of `((…))`, which the tokenizer has checked.
    fn arithmetic(&mut self) -> Parsed<RawWord<'t>> {
        self.expect_operator("(")?;
        self.expect_operator("(")?;
        let start = self.behind();
        while matches!(self.class_text(0), Some((TokenClass::Arithmetic, _) | (TokenClass::Operator, ";"))) {
            self.at += 1;
        }
        let end = self.token(0).map_or(start, |token| token.start);
        let text = self.text.get(start..end).unwrap_or_default();
        self.expect_operator(")")?;
        self.expect_operator(")")?;
        Ok(RawWord { text, start })
    }

    /// Where the token that was taken last ends.
    pub(super) fn behind(&self) -> usize {
        self.at.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(0, |token| token.end)
    }

    fn case(&mut self) -> Parsed<CommandShape<'t>> {
        self.expect_word("case")?;
        let value = self.word()?;
        self.skip_newlines();
        self.expect_word("in")?;
        self.skip_newlines();
        self.open_cases += 1;
        let mut arms = Vec::new();
        loop {
            if self.is_word("esac") {
                self.check_esac()?;
                self.at += 1;
                break;
            }
            let (arm, is_ended) = self.case_arm()?;
            arms.push(arm);
            if !is_ended {
                self.expect_word("esac")?;
                break;
            }
        }
        self.open_cases -= 1;
        Ok(CommandShape::Case { value, arms })
    }

    /// Where `esac` could also be the pattern of one more arm, readers of shell texts differ.
    fn check_esac(&self) -> Parsed<()> {
        let mut ahead = 1;
        while self.is_operator(ahead, "|") && matches!(self.class_text(ahead + 1), Some((TokenClass::Word, _))) {
            ahead += 2;
        }
        if self.is_operator(ahead, ")") { Err(self.error()) } else { Ok(()) }
    }

    /// The patterns of an arm with their commands, and whether `;;` ended it. Whatever ends it, the next arms are judged too.
    fn case_arm(&mut self) -> Parsed<((Vec<RawWord<'t>>, Script<'t>), bool)> {
        self.take_if_operator("(");
        let mut patterns = vec![self.word()?];
        while self.take_if_operator("|") {
            patterns.push(self.word()?);
        }
        self.expect_operator(")")?;
        self.skip_newlines();
        let body = if self.starts_command() { self.list()? } else { Script::default() };
        let is_ended = self.take_if_operator(";;") || self.take_if_operator(";&") || self.take_if_operator(";;&");
        self.skip_newlines();
        Ok(((patterns, body), is_ended))
    }
}
