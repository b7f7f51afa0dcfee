//! Says what a shell command would do, without running it.
//!
//! Pure: text, working folder and facts go in, a [`Finding`] comes out. Whatever is not understood is
//! [`CommandKind::Unknown`]; nothing is ever a read because no rule spoke against it.
//!
//! `syntax` cuts a text into tokens, parses them into statements and walks these; every simple command goes to `command`,
//! which asks a builtin or a row of the [`Catalogue`] that the facts bring. All rows are written in one grammar and read
//! by one scanner, and every verdict is made by a constructor of [`Finding`]. The rows are in `fore-commands`.
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::wildcard_enum_match_arm)]

mod builtins;
pub mod catalogue;
mod command;
mod context;
mod facts;
mod finding;
pub mod git;
pub mod paths;
mod sends;
pub mod syntax;
mod word;

pub use catalogue::Catalogue;
pub use command::judge_argv;
pub use context::JudgeContext;
pub use facts::{GitFacts, Partner, Registry, RemoteDirection, Repositories, ShellFacts};
pub use finding::{CommandKind, Evidence, Finding, Reach, Span, plain_host, quoted};
pub use sends::sent_file;
pub use word::{Opaque, Value, Word};

/// Says what `text` would do if `bash --noprofile --norc -c` ran it in `facts.cwd`.
pub fn judge(text: &str, facts: &ShellFacts<'_>) -> Finding {
    let context = JudgeContext::new(facts);
    let finding = syntax::judge_text(text, &context);
    Finding { commands: context.met.take(), ..finding }
}
