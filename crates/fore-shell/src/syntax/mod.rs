//! From text to findings: cut into tokens, parse into statements, resolve words, walk.
//!
//! The scanner knows exactly where bash sees quotes and expansions, the parser which statements the tokens make. What
//! either of them does not accept is unknown.

mod arithmetic;
mod assignment;
mod brace;
mod condition;
pub(crate) mod doubt;
mod environment;
mod expand;
mod limits;
mod nesting;
mod output;
mod parameter;
mod parse;
mod partial_word;
mod piece;
pub(crate) mod redirect;
mod repeat;
pub(crate) mod scan;
mod script;
mod simple;
mod state;
mod token;
mod walk;

pub(crate) use environment::check_name;
pub use environment::{may_export, steers};
pub(crate) use token::is_reserved;

use crate::{context::JudgeContext, finding::Finding, word::Value};
use doubt::Doubt;
use script::{Chain, CommandShape, Joint, RedirectionKind, ShellCommand, SourceText};
use state::ShellState;

/// What is known of the arguments of a text that is one simple command: for each of them the values it may have. Bash
/// itself can be asked to confirm this. None for every other text: several commands, redirections, assignments.
pub fn arguments(text: &str, context: &JudgeContext<'_>) -> Option<Vec<Vec<Value>>> {
    limits::check(text).ok()?;
    let tokens = token::tokens(text).ok()?;
    let script = parse::script(text, &tokens).ok()?;
    let [Chain { first, rest, background: false }] = script.chains.as_slice() else {
        return None;
    };
    let ([ShellCommand { shape, redirections }], []) = (first.commands.as_slice(), rest.as_slice()) else {
        return None;
    };
    let (CommandShape::Simple { assignments, words }, []) = (shape, redirections.as_slice()) else {
        return None;
    };
    if !assignments.is_empty() {
        return None;
    }
    let mut walk = walk::ScriptWalk::new(SourceText { text, base: Some(0) });
    let mut state = ShellState::new(context.clone());
    let mut arguments = Vec::new();
    for word in words {
        arguments.extend(walk.expand(&mut state, *word, expand::WordUse::Argument).ok()?);
    }
    Some(arguments)
}

/// One simple command of several in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandPart<'t> {
    /// As it is written, with its redirections.
    pub text: &'t str,
    /// A pipe joins it with another one.
    pub is_piped: bool,
    /// `&&` stands behind it: what follows runs only if it worked.
    pub is_condition: bool,
}

/// The parts of a text that is nothing but simple commands in a row, joined by `&&`, `||`, `;`, pipes and lines. None for every other
/// text: assignments, functions, loops, groups, negations, here-documents, commands in the background.
pub fn parts(text: &str) -> Option<Vec<CommandPart<'_>>> {
    limits::check(text).ok()?;
    let tokens = token::tokens(text).ok()?;
    let script = parse::script(text, &tokens).ok()?;
    let mut parts = Vec::new();
    for chain in &script.chains {
        if chain.background {
            return None;
        }
        let joints = chain.rest.iter().map(|(joint, _)| Some(*joint)).chain([None]);
        let pipelines = std::iter::once(&chain.first).chain(chain.rest.iter().map(|(_, pipeline)| pipeline));
        for (pipeline, joint) in pipelines.zip(joints) {
            let is_piped = pipeline.commands.len() > 1;
            let is_condition = joint == Some(Joint::And);
            for command in &pipeline.commands {
                let text = plain_part(text, command).filter(|_| !pipeline.negated)?;
                parts.push(CommandPart { text, is_piped, is_condition });
            }
        }
    }
    (!parts.is_empty()).then_some(parts)
}

/// A simple command as it is written, if nothing stands before its words.
fn plain_part<'t>(text: &'t str, command: &ShellCommand<'t>) -> Option<&'t str> {
    let CommandShape::Simple { assignments, words } = &command.shape else { return None };
    let (first, last) = (words.first()?, words.last()?);
    let mut end = last.end();
    for redirection in &command.redirections {
        match redirection.kind {
            RedirectionKind::HereDocument | RedirectionKind::QuotedHereDocument => return None,
            RedirectionKind::Read
            | RedirectionKind::Write
            | RedirectionKind::ReadWrite
            | RedirectionKind::DuplicateInput
            | RedirectionKind::DuplicateOutput
            | RedirectionKind::HereString => {}
        }
        if redirection.target.start < first.start {
            return None;
        }
        end = end.max(redirection.target.end());
    }
    if assignments.is_empty() { text.get(first.start..end) } else { None }
}

/// Judges a whole script text.
pub(crate) fn judge_text(text: &str, context: &JudgeContext<'_>) -> Finding {
    // Texts inside others (`bash -c`) do not stand in the judged text.
    let base = (context.depth == 0).then_some(0);
    let source = SourceText { text, base };
    let judged = limits::check(text).and_then(|()| walk_source(source, &mut ShellState::new(context.clone())));
    match judged {
        // A bound was hit in a text inside this one: what was seen of it is not the whole truth.
        Ok(_) if context.commands.get() > limits::MAX_COMMANDS => {
            Doubt::limit("a bound was reached inside of the text").finding(text, base)
        }
        Ok(finding) => finding,
        Err(doubt) => {
            if doubt.is_limit() {
                context.commands.set(limits::MAX_COMMANDS + 1);
            }
            doubt.finding(text, base)
        }
    }
}

/// Judges a text that is already known to be within bounds.
fn walk_source(source: SourceText<'_>, state: &mut ShellState<'_>) -> Result<Finding, Doubt> {
    let parsed = token::tokens(source.text).and_then(|tokens| parse::script(source.text, &tokens));
    let script = match parsed {
        Ok(script) => script,
        Err(doubt) if doubt.is_limit() => return Err(doubt),
        Err(doubt) => return Ok(doubt.finding(source.text, source.base)),
    };
    let mut walk = walk::ScriptWalk::new(source);
    walk.script(state, &script)?;
    Ok(walk.finding)
}
