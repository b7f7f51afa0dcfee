//! Says what a shell command would do, without running it.
//!
//! Pure: text, working folder and facts go in, a [`Finding`] comes out. Whatever is not understood is
//! [`CommandKind::Unknown`]; nothing is ever a read because no rule spoke against it.
//!
//! `syntax` cuts a text into tokens, parses them into statements and walks these; every simple command goes to `command`,
//! which asks a builtin, a row of `tables`, `git`, or one of the `languages`. All rows are written in one grammar and read
//! by one scanner, and every verdict is made by a constructor of [`Finding`].
#![warn(clippy::wildcard_enum_match_arm)]

mod builtins;
pub mod command;
pub mod context;
pub mod facts;
pub mod finding;
pub mod git;
pub mod languages;
mod paths;
mod sends;
pub mod syntax;
pub mod tables;
pub mod word;

pub use facts::{GitFacts, Partner, Registry, RemoteDirection, Repositories, ShellFacts};
pub use finding::{CommandKind, Evidence, Finding, Reach, Span, plain_host};

/// Says what `text` would do if `bash --noprofile --norc -c` ran it in `facts.cwd`.
pub fn judge(text: &str, facts: &ShellFacts<'_>) -> Finding {
    let context = context::JudgeContext::new(facts);
    let finding = syntax::judge_text(text, &context);
    Finding { commands: context.met.take(), ..finding }
}
