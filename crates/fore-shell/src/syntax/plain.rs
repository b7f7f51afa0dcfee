//! Builds statements directly from plain tokens: simple commands with `|`, `&&`, `||`, `;`, newlines and redirections.
//!
//! Only a faster road to what [`super::lower`] gives for the same tokens; it gives up on everything else.

use super::{
    assignment,
    script::{Chain, Command, Joint, Pipeline, Raw, Redirection, RedirectionKind, Script, Shape},
    token::{self, Class, Token},
};

/// The statements, or `None` when the tokens need the full grammar.
pub(crate) fn script<'t>(text: &'t str, tokens: &[Token]) -> Option<Script<'t>> {
    let mut builder = Builder {
        text,
        tokens,
        at: 0,
    };
    builder.script()
}

struct Builder<'t, 'k> {
    text: &'t str,
    tokens: &'k [Token],
    at: usize,
}

impl<'t> Builder<'t, '_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    /// The operator that comes next, without taking it.
    fn operator(&self) -> Option<&'t str> {
        self.peek()
            .filter(|token| token.class == Class::Operator)
            .map(|token| token.text(self.text))
    }

    fn skip_newlines(&mut self) {
        while self.operator() == Some("\n") {
            self.at += 1;
        }
    }

    fn script(&mut self) -> Option<Script<'t>> {
        let mut chains = Vec::with_capacity(2);
        self.skip_newlines();
        while self.peek().is_some() {
            chains.push(self.chain()?);
            match self.operator() {
                Some(";") => {
                    self.at += 1;
                    self.skip_newlines();
                }
                Some("\n") => self.skip_newlines(),
                Some(_) => return None,
                None if self.peek().is_none() => {}
                None => return None,
            }
        }
        Some(Script { chains })
    }

    fn chain(&mut self) -> Option<Chain<'t>> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            let joint = match self.operator() {
                Some("&&") => Joint::And,
                Some("||") => Joint::Or,
                Some(_) | None => {
                    return Some(Chain {
                        first,
                        rest,
                        background: false,
                    });
                }
            };
            self.at += 1;
            self.skip_newlines();
            rest.push((joint, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Option<Pipeline<'t>> {
        let mut commands = vec![self.command()?];
        while self.operator() == Some("|") {
            self.at += 1;
            self.skip_newlines();
            commands.push(self.command()?);
        }
        Some(Pipeline {
            negated: false,
            commands,
        })
    }

    fn command(&mut self) -> Option<Command<'t>> {
        let mut assignments = Vec::new();
        let mut words: Vec<Raw<'t>> = Vec::with_capacity(4);
        let mut redirections = Vec::new();
        while let Some(token) = self.peek().copied() {
            let word = token.text(self.text);
            match token.class {
                Class::Operator => match redirection_kind(word) {
                    Some(kind) => redirections.push(self.redirection(None, kind)?),
                    None if matches!(
                        word,
                        "(" | ")" | "|&" | "&" | "<<" | "<<-" | ";;" | ";&" | ";;&"
                    ) =>
                    {
                        return None;
                    }
                    None => break,
                },
                Class::Word => {
                    let next = self
                        .tokens
                        .get(self.at + 1)
                        .filter(|next| next.class == Class::Operator && next.start == token.end);
                    let kind = next.and_then(|next| redirection_kind(next.text(self.text)));
                    let numbered = word.bytes().all(|byte| byte.is_ascii_digit());
                    // `2&>f` is the word `2` and then a redirection of both.
                    if let (Some(kind), true, Some(false)) = (
                        kind,
                        numbered,
                        next.map(|next| next.text(self.text).starts_with('&')),
                    ) {
                        self.at += 1;
                        redirections.push(self.redirection(word.parse().ok(), kind)?);
                        continue;
                    }
                    let raw = Raw {
                        text: word,
                        start: token.start,
                    };
                    if words.is_empty() {
                        if token::is_reserved(word) {
                            return None;
                        }
                        if assignment::looks_assigned(word) {
                            // Arrays and subscripts need the full grammar.
                            let value = word.split_once('=').map(|(name, _)| name)?;
                            if value.contains('[')
                                || next.is_some_and(|next| next.text(self.text) == "(")
                            {
                                return None;
                            }
                            assignments.push(assignment::read(raw).ok()?);
                            self.at += 1;
                            continue;
                        }
                    }
                    words.push(raw);
                    self.at += 1;
                }
                Class::Arithmetic | Class::HereBody | Class::HereEnd => return None,
            }
        }
        if words.is_empty() && assignments.is_empty() && redirections.is_empty() {
            return None;
        }
        Some(Command {
            shape: Shape::Simple { assignments, words },
            redirections,
        })
    }

    /// Takes the operator and its target.
    fn redirection(
        &mut self,
        descriptor: Option<u32>,
        kind: RedirectionKind,
    ) -> Option<Redirection<'t>> {
        self.at += 1;
        let target = self
            .peek()
            .filter(|token| token.class == Class::Word)
            .copied()?;
        self.at += 1;
        Some(Redirection {
            descriptor,
            kind,
            target: Raw {
                text: target.text(self.text),
                start: target.start,
            },
        })
    }
}

fn redirection_kind(operator: &str) -> Option<RedirectionKind> {
    match operator {
        "<" => Some(RedirectionKind::Read),
        ">" | ">>" | ">|" | "&>" | "&>>" => Some(RedirectionKind::Write),
        "<>" => Some(RedirectionKind::ReadWrite),
        "<&" => Some(RedirectionKind::DuplicateInput),
        ">&" => Some(RedirectionKind::DuplicateOutput),
        "<<<" => Some(RedirectionKind::HereString),
        _ => None,
    }
}
