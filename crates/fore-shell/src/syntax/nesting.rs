//! Counts how deeply commands are nested, token by token, before the recursive parser sees them.

use super::{
    assignment,
    doubt::Doubt,
    scan,
    token::{Token, TokenClass, is_redirection, is_reserved},
};
use crate::context::MAX_NESTING;

/// Most words that may open a compound command.
const MAX_OPENERS: usize = 40;

#[derive(Default)]
pub(super) struct Nesting {
    open: usize,
    cases: usize,
    /// Tokens since `[[`, plus one; zero outside.
    pub(super) condition: usize,
    /// The next word is an argument, not the start of a command.
    inside_command: bool,
    after_parenthesis: bool,
    /// Only redirections and assignments have come since the command started.
    only_prefix: bool,
    /// The next word is the file of a redirection.
    target_due: bool,
    /// Words that may open something, wherever they stand: a second bound that no trick with positions gets around.
    openers: usize,
}

impl Nesting {
    pub(super) fn see(&mut self, token: &Token, text: &str) -> Result<(), Doubt> {
        let word = token.text(text);
        if self.condition > 0 {
            return self.see_condition(token, word);
        }
        if token.class == TokenClass::Word
            && matches!(word, "{" | "if" | "while" | "until" | "for" | "case" | "function")
        {
            self.openers += 1;
        }
        self.see_prefix(token, word, text)?;
        let after_parenthesis = std::mem::replace(&mut self.after_parenthesis, false);
        match token.class {
            TokenClass::Operator => {
                self.inside_command = is_redirection(word);
                if word == "(" {
                    self.open += 1;
                    self.after_parenthesis = true;
                    let adjacent = token.start > 0 && scan::byte(text, token.start - 1) == b'(';
                    if after_parenthesis && !adjacent {
                        return Err(Doubt::new("syntax.parentheses", "a subshell directly inside a subshell")
                            .at(token.start, token.end));
                    }
                } else if word == ")" {
                    self.open = self.open.saturating_sub(1);
                }
            }
            TokenClass::Word if !self.inside_command => match word {
                "{" | "if" | "while" | "until" | "for" | "case" => {
                    self.open += 1;
                    self.cases += usize::from(word == "case");
                    self.inside_command = matches!(word, "for" | "case");
                }
                "}" | "fi" | "done" | "esac" => {
                    self.open = self.open.saturating_sub(1);
                    self.inside_command = false;
                }
                "then" | "do" | "else" | "elif" | "!" | "time" => {}
                "function" => self.inside_command = true,
                "[[" => self.condition = 1,
                "select" | "coproc" => {
                    return Err(Doubt::new("syntax.unsupported", format!("`{word}` is not analysed"))
                        .at(token.start, token.end));
                }
                _ => self.inside_command = true,
            },
            // `for x in a b; do` and `case x in` leave words behind them; what follows `in` on the next line is caught by the operators.
            TokenClass::Word | TokenClass::Arithmetic | TokenClass::HereBody => self.inside_command = true,
        }
        if self.open > MAX_NESTING {
            return Err(Doubt::limit(format!("nested deeper than {MAX_NESTING} levels")));
        }
        if self.openers > MAX_OPENERS {
            return Err(Doubt::limit(format!("more than {MAX_OPENERS} compound commands")));
        }
        if self.cases > 8 {
            return Err(Doubt::limit("too many `case` commands"));
        }
        Ok(())
    }

    /// Behind a redirection or an assignment bash takes every word for a command, keywords too.
    fn see_prefix(&mut self, token: &Token, word: &str, text: &str) -> Result<(), Doubt> {
        if token.class == TokenClass::Operator {
            self.target_due = is_redirection(word);
            self.only_prefix = self.target_due && (self.only_prefix || !self.inside_command);
            return Ok(());
        }
        if std::mem::replace(&mut self.target_due, false) {
            return Ok(());
        }
        if self.only_prefix && is_reserved(word) {
            return Err(Doubt::new("syntax.keyword", "a keyword where bash sees a command").at(token.start, token.end));
        }
        let descriptor =
            matches!(scan::byte(text, token.end), b'<' | b'>') && word.bytes().all(|byte| byte.is_ascii_digit());
        let prefix = descriptor || assignment::looks_assigned(word);
        self.only_prefix = prefix && (self.only_prefix || !self.inside_command);
        Ok(())
    }

    fn see_condition(&mut self, token: &Token, word: &str) -> Result<(), Doubt> {
        const MAX_TOKENS: usize = 48;
        self.condition += 1;
        if token.class == TokenClass::Operator && matches!(word, "\n" | ";" | "&" | ";;" | "<<" | "<<-" | "<<<") {
            return Err(
                Doubt::new("syntax.condition", "a `[[` that does not end on its line").at(token.start, token.end)
            );
        }
        if self.condition > MAX_TOKENS {
            return Err(Doubt::limit("a `[[` with too many parts"));
        }
        if word == "]]" {
            self.condition = 0;
            self.inside_command = true;
        }
        Ok(())
    }
}
