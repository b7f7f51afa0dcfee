//! Reads tokens as statements by recursive descent, from lists down to commands. What is not in this grammar is a
//! doubt, also where bash would have a use for it.
//!
//! Every token is looked at a fixed number of times and never again after it was taken, so the time is linear in the text.

mod compound;
mod condition;
mod simple;

use super::{
    doubt::Doubt,
    script::{Chain, CommandShape, Joint, Pipeline, RawWord, Redirection, RedirectionKind, Script, ShellCommand},
    token::{Token, TokenClass, is_redirection, is_reserved},
};

/// Compound commands inside of each other. The tokenizer counts too; this bound alone keeps the stack small.
const MAX_DEPTH: usize = 64;

type Parsed<T> = Result<T, Doubt>;

/// The statements of a whole text.
pub(crate) fn script<'t>(text: &'t str, tokens: &[Token]) -> Parsed<Script<'t>> {
    let mut parser = ScriptParser { text, tokens, at: 0, depth: 0, open_cases: 0, behind_regex: false };
    parser.skip_newlines();
    let script = if parser.starts_command() { parser.list()? } else { Script::default() };
    if parser.at < tokens.len() { Err(parser.error()) } else { Ok(script) }
}

struct ScriptParser<'t, 'k> {
    text: &'t str,
    tokens: &'k [Token],
    at: usize,
    depth: usize,
    /// How many `case` wait for their `esac`.
    open_cases: usize,
    /// A regular expression has come in this `[[`.
    behind_regex: bool,
}

/// The tokens: looking at them and taking them.
impl<'t> ScriptParser<'t, '_> {
    fn token(&self, ahead: usize) -> Option<Token> {
        self.tokens.get(self.at + ahead).copied()
    }

    fn class_text(&self, ahead: usize) -> Option<(TokenClass, &'t str)> {
        self.token(ahead).map(|token| (token.class, token.text(self.text)))
    }

    fn is_word(&self, word: &str) -> bool {
        self.class_text(0) == Some((TokenClass::Word, word))
    }

    fn is_operator(&self, ahead: usize, operator: &str) -> bool {
        self.class_text(ahead) == Some((TokenClass::Operator, operator))
    }

    fn take_if_word(&mut self, word: &str) -> bool {
        let taken = self.is_word(word);
        self.at += usize::from(taken);
        taken
    }

    fn take_if_operator(&mut self, operator: &str) -> bool {
        let taken = self.is_operator(0, operator);
        self.at += usize::from(taken);
        taken
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.take_if_word(word) { Ok(()) } else { Err(self.error()) }
    }

    fn expect_operator(&mut self, operator: &str) -> Parsed<()> {
        if self.take_if_operator(operator) { Ok(()) } else { Err(self.error()) }
    }

    /// Any word, keywords included.
    fn word(&mut self) -> Parsed<RawWord<'t>> {
        match self.class_text(0) {
            Some((TokenClass::Word, text)) => {
                let start = self.token(0).map_or(0, |token| token.start);
                self.at += 1;
                Ok(RawWord { text, start })
            }
            Some(_) | None => Err(self.error()),
        }
    }

    /// Whether anything was skipped.
    fn skip_newlines(&mut self) -> bool {
        let start = self.at;
        while self.take_if_operator("\n") {}
        self.at > start
    }

    fn class_text_behind_newlines(&self) -> Option<(TokenClass, &'t str)> {
        let mut ahead = 0;
        while self.is_operator(ahead, "\n") {
            ahead += 1;
        }
        self.class_text(ahead)
    }

    /// The token that no rule expects here.
    fn error(&self) -> Doubt {
        let doubt = Doubt::new("syntax.error", "bash would not accept this text");
        self.token(0).map_or(doubt.clone(), |token| doubt.at(token.start, token.end))
    }
}

/// Lists, chains and pipelines.
impl<'t> ScriptParser<'t, '_> {
    fn starts_command(&self) -> bool {
        match self.class_text(0) {
            Some((TokenClass::Word, word)) => !is_reserved(word) || opens_command(word),
            Some((TokenClass::Operator, operator)) => operator == "(" || is_redirection(operator),
            Some((TokenClass::Arithmetic | TokenClass::HereBody, _)) | None => false,
        }
    }

    /// Chains up to a token that starts none. There is at least one.
    fn list(&mut self) -> Parsed<Script<'t>> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Doubt::limit(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        self.skip_newlines();
        let mut chains = Vec::new();
        loop {
            let mut chain = self.chain()?;
            chain.background = self.take_if_operator("&");
            let separated = chain.background || self.take_if_operator(";");
            chains.push(chain);
            if !(self.skip_newlines() || separated) || !self.starts_command() {
                break;
            }
        }
        self.depth -= 1;
        Ok(Script { chains })
    }

    fn chain(&mut self) -> Parsed<Chain<'t>> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            let joint = if self.take_if_operator("&&") {
                Joint::And
            } else if self.take_if_operator("||") {
                Joint::Or
            } else {
                return Ok(Chain { first, rest, background: false });
            };
            self.skip_newlines();
            rest.push((joint, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Parsed<Pipeline<'t>> {
        // Timing prints to the terminal and changes nothing else.
        if self.take_if_word("time") {
            self.take_if_word("-p");
        }
        let mut negated = false;
        while self.take_if_word("!") {
            negated = !negated;
        }
        let mut commands = vec![self.command()?];
        loop {
            let with_errors = self.is_operator(0, "|&");
            if !with_errors && !self.is_operator(0, "|") {
                return Ok(Pipeline { negated, commands });
            }
            if with_errors && let Some(last) = commands.last_mut() {
                self.join_errors(last)?;
            }
            self.at += 1;
            self.skip_newlines();
            commands.push(self.command()?);
        }
    }

    /// `|&` is `2>&1 |`.
    fn join_errors(&self, command: &mut ShellCommand<'t>) -> Parsed<()> {
        let joined = Redirection {
            descriptor: Some(2),
            kind: RedirectionKind::DuplicateOutput,
            target: RawWord { text: "1", start: 0 },
        };
        match &mut command.shape {
            CommandShape::Condition(_) => return Err(self.error()),
            CommandShape::Function { body, .. } => body.redirections.push(joined),
            CommandShape::Simple { .. }
            | CommandShape::Group(_)
            | CommandShape::Subshell(_)
            | CommandShape::If { .. }
            | CommandShape::While { .. }
            | CommandShape::For { .. }
            | CommandShape::ArithmeticFor { .. }
            | CommandShape::Case { .. }
            | CommandShape::Arithmetic(_) => command.redirections.push(joined),
        }
        Ok(())
    }

    fn command(&mut self) -> Parsed<ShellCommand<'t>> {
        match self.class_text(0) {
            Some((TokenClass::Word, "function")) => self.function(),
            Some((TokenClass::Word, "[[")) => {
                let shape = CommandShape::Condition(self.condition()?);
                Ok(ShellCommand { shape, redirections: self.redirections()? })
            }
            Some((TokenClass::Word, word)) if !is_reserved(word) => {
                if self.is_operator(1, "(") && self.is_operator(2, ")") && !word.ends_with('=') {
                    self.function()
                } else {
                    self.simple()
                }
            }
            Some((TokenClass::Operator, operator)) if is_redirection(operator) => self.simple(),
            // In places where this is a plain word bash may still read its keyword.
            Some((TokenClass::Word, "time")) => {
                let doubt = Doubt::new("syntax.keyword", "`time` in an unusual place");
                Err(self.token(0).map_or(doubt.clone(), |token| doubt.at(token.start, token.end)))
            }
            Some((TokenClass::Word | TokenClass::Operator | TokenClass::Arithmetic | TokenClass::HereBody, _))
            | None => Ok(ShellCommand { shape: self.compound()?, redirections: self.redirections()? }),
        }
    }

    /// `function name body`, `function name () body` or `name () body`.
    fn function(&mut self) -> Parsed<ShellCommand<'t>> {
        self.take_if_word("function");
        let name = self.word()?;
        if name.text.ends_with('=') {
            self.at -= 1;
            return Err(self.error());
        }
        if self.is_operator(0, "(") && self.is_operator(1, ")") {
            self.at += 2;
        }
        self.skip_newlines();
        let body = ShellCommand { shape: self.compound()?, redirections: self.redirections()? };
        Ok(ShellCommand { shape: CommandShape::Function { name, body: Box::new(body) }, redirections: Vec::new() })
    }
}

/// Keywords that begin a command; all others end something.
fn opens_command(word: &str) -> bool {
    matches!(word, "!" | "{" | "case" | "for" | "if" | "until" | "while" | "[[" | "function" | "time")
}
