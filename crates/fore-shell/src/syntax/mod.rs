//! From text to typed statements to findings: parse, lower, resolve words, walk.
//!
//! Tokens and words are read by our own scanner, which knows exactly where bash sees quotes and expansions; the grammar of
//! everything beyond plain commands is the parser's. What either of them does not accept is unknown.

mod arithmetic;
mod assignment;
mod brace;
pub(crate) mod doubt;
mod environment;
mod expand;
mod limits;
mod lower;
mod parameter;
mod piece;
mod plain;
pub(crate) mod redirect;
pub(crate) mod scan;
mod script;
mod simple;
mod state;
mod token;
mod walk;

pub(crate) use environment::{check_name, may_export};
pub(crate) use token::is_reserved;

use crate::{context::Context, finding::Finding};
use doubt::Doubt;
use script::Source;
use state::State;

/// Which road from tokens to statements is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Road {
    /// Plain commands directly, everything else by the full grammar.
    Fast,
    /// Always the full grammar.
    Full,
}

/// Judges a whole script text.
pub fn judge_text(text: &str, context: &Context<'_>) -> Finding {
    judge_by(text, context, Road::Fast)
}

/// The same without the fast road for plain commands: both must always agree.
#[doc(hidden)]
pub fn judge_text_in_full(text: &str, context: &Context<'_>) -> Finding {
    judge_by(text, context, Road::Full)
}

/// Whether the fast road takes this text.
#[doc(hidden)]
pub fn is_plain(text: &str) -> bool {
    limits::check(text).is_ok()
        && token::tokens(text).is_ok_and(|tokens| plain::script(text, &tokens).is_some())
}

fn judge_by(text: &str, context: &Context<'_>, road: Road) -> Finding {
    // Texts inside others (`bash -c`) do not stand in the judged text.
    let base = (context.depth == 0).then_some(0);
    let source = Source { text, base };
    let judged =
        limits::check(text).and_then(|()| walk_by(source, &mut State::new(context.clone()), road));
    match judged {
        // A bound was hit in a text inside this one: what was seen of it is not the whole truth.
        Ok(_) if context.commands.get() > limits::MOST_COMMANDS => {
            Doubt::limit("a bound was reached inside of the text").finding(text, base)
        }
        Ok(finding) => finding,
        Err(doubt) => {
            if doubt.is_limit() {
                context.commands.set(limits::MOST_COMMANDS + 1);
            }
            doubt.finding(text, base)
        }
    }
}

/// Judges a text that is already known to be within bounds.
fn walk_source(source: Source<'_>, state: &mut State<'_>) -> Result<Finding, Doubt> {
    walk_by(source, state, Road::Fast)
}

fn walk_by(source: Source<'_>, state: &mut State<'_>, road: Road) -> Result<Finding, Doubt> {
    let parsed = token::tokens(source.text).and_then(|tokens| {
        let plain = if road == Road::Fast {
            plain::script(source.text, &tokens)
        } else {
            None
        };
        plain.map_or_else(|| lower::script(source.text, &tokens), Ok)
    });
    let script = match parsed {
        Ok(script) => script,
        Err(doubt) if doubt.is_limit() => return Err(doubt),
        Err(doubt) => return Ok(doubt.finding(source.text, source.base)),
    };
    let mut walk = walk::Walk::new(source);
    walk.script(state, &script)?;
    Ok(walk.finding)
}
