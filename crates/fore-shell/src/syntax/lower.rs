//! Turns the parser's tree into statements. Every node is named; what has no statement is a doubt.
//!
//! The tree is used for its shape only: words are read again from the source, by position.

use super::{
    assignment,
    doubt::Doubt,
    scan,
    script::{Chain, Command, Joint, Pipeline, Raw, Redirection, RedirectionKind, Script, Shape},
    token::{self, Class, Token},
};
use brush_parser::{ParserOptions, SourcePosition, SourceSpan, ast};
use std::sync::Arc;

pub(super) type Lowered<T> = Result<T, Doubt>;

/// Parses tokens with the bash grammar.
pub(crate) fn script<'t>(text: &'t str, tokens: &[Token]) -> Lowered<Script<'t>> {
    let handed: Vec<brush_parser::Token> = tokens.iter().map(|token| hand_over(text, token)).collect();
    let program = brush_parser::parse_tokens(&handed, &ParserOptions::default()).map_err(|error| {
        use brush_parser::ParseError::{ParsingAtEndOfInput, ParsingNear, Tokenizing};
        let doubt = Doubt::new("syntax.error", "bash would not accept this text");
        match error {
            ParsingNear(position) => {
                let near = tokens.iter().find(|token| token.end > position.index);
                near.map_or(doubt.clone(), |token| doubt.at(token.start, token.end))
            }
            ParsingAtEndOfInput | Tokenizing { .. } => doubt,
        }
    })?;
    let lower = Lower { text };
    let mut whole = Script::default();
    for list in &program.complete_commands {
        whole.chains.extend(lower.list(list)?.chains);
    }
    Ok(whole)
}

/// A token as the parser needs it. Words with quotes or expansions are handed over as stand-ins, so that nothing
/// depends on how the parser reads the inside of a word.
fn hand_over(text: &str, token: &Token) -> brush_parser::Token {
    let place = |index| Arc::new(SourcePosition { index, line: 1, column: index + 1 });
    let span = SourceSpan { start: place(token.start), end: place(token.end) };
    let word = token.text(text);
    match token.class {
        Class::Operator => brush_parser::Token::Operator(word.to_owned(), span),
        Class::HereBody => brush_parser::Token::Word(String::new(), span),
        Class::HereEnd | Class::Arithmetic => brush_parser::Token::Word("w".to_owned(), span),
        Class::Word => {
            let plain = word.len() <= 64
                && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-+.,/:@%!={}[]~".contains(&byte));
            let assigned = assignment::looks_assigned(word);
            let handed = if assigned && word.ends_with('=') {
                word.to_owned()
            } else if assigned {
                "w=w".to_owned()
            } else if plain {
                word.to_owned()
            } else {
                "\"w\"".to_owned()
            };
            brush_parser::Token::Word(handed, span)
        }
    }
}

pub(super) struct Lower<'t> {
    pub(super) text: &'t str,
}

impl<'t> Lower<'t> {
    pub(super) fn slice(&self, span: &SourceSpan) -> Lowered<Raw<'t>> {
        let (start, end) = (span.start.index, span.end.index);
        let text =
            self.text.get(start..end).ok_or_else(|| Doubt::new("syntax.position", "a position outside of the text"))?;
        Ok(Raw { text, start })
    }

    pub(super) fn word(&self, word: &ast::Word) -> Lowered<Raw<'t>> {
        match &word.loc {
            Some(span) => self.slice(span),
            None => Err(Doubt::new("syntax.position", "a word without a position")),
        }
    }

    fn words(&self, words: &[ast::Word]) -> Lowered<Vec<Raw<'t>>> {
        words.iter().map(|word| self.word(word)).collect()
    }

    fn list(&self, list: &ast::CompoundList) -> Lowered<Script<'t>> {
        let mut chains = Vec::with_capacity(list.0.len());
        for ast::CompoundListItem(chain, separator) in &list.0 {
            let background = match separator {
                ast::SeparatorOperator::Async => true,
                ast::SeparatorOperator::Sequence => false,
            };
            let mut rest = Vec::with_capacity(chain.additional.len());
            for next in &chain.additional {
                rest.push(match next {
                    ast::AndOr::And(pipeline) => (Joint::And, self.pipeline(pipeline)?),
                    ast::AndOr::Or(pipeline) => (Joint::Or, self.pipeline(pipeline)?),
                });
            }
            chains.push(Chain { first: self.pipeline(&chain.first)?, rest, background });
        }
        Ok(Script { chains })
    }

    fn pipeline(&self, pipeline: &ast::Pipeline) -> Lowered<Pipeline<'t>> {
        match &pipeline.timed {
            // Timing prints to the terminal and changes nothing else.
            None | Some(ast::PipelineTimed::Timed(_) | ast::PipelineTimed::TimedWithPosixOutput(_)) => {}
        }
        if pipeline.seq.is_empty() {
            return Err(Doubt::new("syntax.error", "`!` or `time` without a command"));
        }
        let commands = pipeline.seq.iter().map(|command| self.command(command)).collect::<Lowered<_>>()?;
        Ok(Pipeline { negated: pipeline.bang, commands })
    }

    fn command(&self, command: &ast::Command) -> Lowered<Command<'t>> {
        match command {
            ast::Command::Simple(simple) => self.simple(simple),
            ast::Command::Compound(compound, redirections) => {
                Ok(Command { shape: self.compound(compound)?, redirections: self.redirections(redirections.as_ref())? })
            }
            ast::Command::Function(function) => {
                let ast::FunctionBody(body, redirections) = &function.body;
                let body =
                    Command { shape: self.compound(body)?, redirections: self.redirections(redirections.as_ref())? };
                let shape = Shape::Function { name: self.word(&function.fname)?, body: Box::new(body) };
                Ok(Command { shape, redirections: Vec::new() })
            }
            ast::Command::ExtendedTest(test, redirections) => {
                let shape = Shape::Condition(self.condition(&test.expr, test.loc.end.index)?);
                Ok(Command { shape, redirections: self.redirections(redirections.as_ref())? })
            }
        }
    }

    fn simple(&self, simple: &ast::SimpleCommand) -> Lowered<Command<'t>> {
        let mut assignments = Vec::new();
        let mut words = Vec::new();
        let mut redirections = Vec::new();
        let prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0);
        let suffix = simple.suffix.iter().flat_map(|suffix| &suffix.0);
        for item in prefix {
            match item {
                ast::CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                    assignments.push(assignment::read(self.word(word)?)?)
                }
                ast::CommandPrefixOrSuffixItem::IoRedirect(redirection) => {
                    redirections.push(self.redirection(redirection)?)
                }
                ast::CommandPrefixOrSuffixItem::Word(word) => words.push(self.word(word)?),
                ast::CommandPrefixOrSuffixItem::ProcessSubstitution(_, shell) => {
                    return Err(self.process(shell));
                }
            }
        }
        if let Some(name) = &simple.word_or_name {
            words.push(self.word(name)?);
        }
        for item in suffix {
            match item {
                ast::CommandPrefixOrSuffixItem::Word(word)
                | ast::CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                    words.push(self.word(word)?);
                }
                ast::CommandPrefixOrSuffixItem::IoRedirect(redirection) => {
                    redirections.push(self.redirection(redirection)?)
                }
                ast::CommandPrefixOrSuffixItem::ProcessSubstitution(_, shell) => {
                    return Err(self.process(shell));
                }
            }
        }
        // In places where the parser reads the program `time`, bash may still read its own keyword.
        if let Some(time) = words.first().filter(|first| first.text == "time") {
            return Err(Doubt::new("syntax.keyword", "`time` in an unusual place").at(time.start, time.end()));
        }
        Ok(Command { shape: Shape::Simple { assignments, words }, redirections })
    }

    /// Our tokens make process substitutions part of a word; the parser sees one only where parentheses stand apart.
    fn process(&self, shell: &ast::SubshellCommand) -> Doubt {
        Doubt::new("syntax.process", "a redirection in front of parentheses")
            .at(shell.loc.start.index, shell.loc.end.index)
    }

    fn redirections(&self, list: Option<&ast::RedirectList>) -> Lowered<Vec<Redirection<'t>>> {
        list.map(|list| list.0.iter().map(|one| self.redirection(one)).collect()).unwrap_or(Ok(Vec::new()))
    }

    fn redirection(&self, redirection: &ast::IoRedirect) -> Lowered<Redirection<'t>> {
        let (descriptor, kind, target) = match redirection {
            ast::IoRedirect::File(descriptor, kind, target) => {
                let target = match target {
                    ast::IoFileRedirectTarget::Filename(word) | ast::IoFileRedirectTarget::Duplicate(word) => {
                        self.word(word)?
                    }
                    // Added by the parser for `|&`: `2>&1`.
                    ast::IoFileRedirectTarget::Fd(_) => Raw { text: "1", start: 0 },
                    ast::IoFileRedirectTarget::ProcessSubstitution(_, shell) => {
                        return Err(self.process(shell));
                    }
                };
                let kind = match kind {
                    ast::IoFileRedirectKind::Read => RedirectionKind::Read,
                    ast::IoFileRedirectKind::Write
                    | ast::IoFileRedirectKind::Append
                    | ast::IoFileRedirectKind::Clobber => RedirectionKind::Write,
                    ast::IoFileRedirectKind::ReadAndWrite => RedirectionKind::ReadWrite,
                    ast::IoFileRedirectKind::DuplicateInput => RedirectionKind::DuplicateInput,
                    ast::IoFileRedirectKind::DuplicateOutput => RedirectionKind::DuplicateOutput,
                };
                (*descriptor, kind, target)
            }
            ast::IoRedirect::HereDocument(descriptor, document) => {
                let tag = self.word(&document.here_end)?;
                let expands = token::here_delimiter(tag.text).is_none_or(|(_, expands)| expands);
                let kind = if expands { RedirectionKind::HereDocument } else { RedirectionKind::QuotedHereDocument };
                (*descriptor, kind, self.word(&document.doc)?)
            }
            ast::IoRedirect::HereString(descriptor, word) => {
                (*descriptor, RedirectionKind::HereString, self.word(word)?)
            }
            ast::IoRedirect::OutputAndError(word, _) => (None, RedirectionKind::Write, self.word(word)?),
        };
        Ok(Redirection { descriptor: descriptor.and_then(|number| u32::try_from(number).ok()), kind, target })
    }

    fn compound(&self, compound: &ast::CompoundCommand) -> Lowered<Shape<'t>> {
        Ok(match compound {
            ast::CompoundCommand::Arithmetic(command) => {
                let whole = self.slice(&command.loc)?;
                let inside = whole.text.strip_prefix("((").and_then(|rest| rest.strip_suffix("))"));
                let inside = inside.ok_or_else(|| {
                    Doubt::new("syntax.parentheses", "parentheses that may be arithmetic").at(whole.start, whole.end())
                })?;
                Shape::Arithmetic(Raw { text: inside, start: whole.start + 2 })
            }
            ast::CompoundCommand::ArithmeticForClause(command) => {
                let whole = self.slice(&command.loc)?;
                let from = whole.text.find("((").ok_or_else(|| {
                    Doubt::new("syntax.position", "a loop without its head").at(whole.start, whole.end())
                })?;
                let to = scan::arithmetic(whole.text, from + 2, 0)? - 2;
                let mut start = whole.start + from + 2;
                let mut expressions = Vec::new();
                for text in whole.text.get(from + 2..to).unwrap_or_default().split(';') {
                    expressions.push(Raw { text, start });
                    start += text.len() + 1;
                }
                Shape::ArithmeticFor { expressions, body: self.list(&command.body.list)? }
            }
            ast::CompoundCommand::BraceGroup(group) => Shape::Group(self.list(&group.list)?),
            ast::CompoundCommand::Subshell(shell) => Shape::Subshell(self.list(&shell.list)?),
            ast::CompoundCommand::ForClause(command) => {
                let whole = self.slice(&command.loc)?;
                // The tree has no position for the name: it is the second word.
                let tokens = token::tokens(whole.text)?;
                let name =
                    tokens.get(1).map(|token| Raw { text: token.text(whole.text), start: whole.start + token.start });
                let name = name.ok_or_else(|| Doubt::new("syntax.position", "a loop without its variable"))?;
                let listed = tokens.iter().take(4).any(|token| token.text(whole.text) == "in");
                let values = match &command.values {
                    Some(values) => Some(self.words(values)?),
                    None => listed.then(Vec::new),
                };
                Shape::For { name, values, body: self.list(&command.body.list)? }
            }
            ast::CompoundCommand::CaseClause(command) => {
                let mut arms = Vec::with_capacity(command.cases.len());
                for case in &command.cases {
                    match case.post_action {
                        // Every arm is judged in any case.
                        ast::CaseItemPostAction::ExitCase
                        | ast::CaseItemPostAction::UnconditionallyExecuteNextCaseItem
                        | ast::CaseItemPostAction::ContinueEvaluatingCases => {}
                    }
                    let body = case.cmd.as_ref().map(|body| self.list(body)).transpose()?.unwrap_or_default();
                    arms.push((self.words(&case.patterns)?, body));
                }
                Shape::Case { value: self.word(&command.value)?, arms }
            }
            ast::CompoundCommand::IfClause(command) => {
                let mut arms = vec![(self.list(&command.condition)?, self.list(&command.then)?)];
                let mut otherwise = None;
                for part in command.elses.iter().flatten() {
                    let body = self.list(&part.body)?;
                    match &part.condition {
                        Some(condition) => arms.push((self.list(condition)?, body)),
                        None => otherwise = Some(body),
                    }
                }
                Shape::If { arms, otherwise }
            }
            ast::CompoundCommand::WhileClause(ast::WhileOrUntilClauseCommand(condition, body, _)) => {
                Shape::While { until: false, condition: self.list(condition)?, body: self.list(&body.list)? }
            }
            ast::CompoundCommand::UntilClause(ast::WhileOrUntilClauseCommand(condition, body, _)) => {
                Shape::While { until: true, condition: self.list(condition)?, body: self.list(&body.list)? }
            }
            ast::CompoundCommand::Coprocess(command) => {
                return Err(Doubt::new("syntax.unsupported", "`coproc` is not analysed")
                    .at(command.loc.start.index, command.loc.end.index));
            }
        })
    }
}
