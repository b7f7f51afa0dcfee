//! The shape of one row of the git table: a subcommand, what it may be given, what it obeys, and its own examples.

use crate::grammar::{Grammar, OptionGroup, OptionStyle, READER, WORDS, runs, unclear, writes};
use fore_shell::git::SettingClass;

#[derive(Debug)]
pub(super) struct GitRow {
    /// The subcommand, with its action where it has some: `log`, `stash list`.
    pub(super) command: &'static str,
    /// Harmless options.
    pub(super) options: &'static [&'static [OptionGroup]],
    /// `-5` is a number of commits or lines.
    pub(super) numbers: bool,
    pub(super) operands: GitOperands,
    /// Kinds of repository configuration that this subcommand obeys.
    pub(super) touches: &'static [SettingClass],
    /// Options known to do harm, so that a refusal can say why. Never needed for safety.
    pub(super) refused: &'static [OptionGroup],
    /// Arguments after `git` that must be reads.
    pub(super) reads: &'static [&'static str],
    /// Arguments after `git` that must not be.
    pub(super) others: &'static [&'static str],
}

impl GitRow {
    pub(super) fn grammar(&self) -> &'static Grammar {
        if self.numbers { &NUMBERED } else { &PLAIN }
    }
}

const PLAIN: Grammar = Grammar { operands: WORDS, style: OptionStyle::Strict, ..READER };
const NUMBERED: Grammar = Grammar { digits: true, ..PLAIN };

/// Harmful wherever git accepts them.
pub(super) const REFUSED_EVERYWHERE: &[OptionGroup] = &[
    writes("--output", "writes its result into a file"),
    writes("--output-directory", "writes files"),
    runs("--ext-diff", "runs the configured diff program"),
    runs("--textconv", "runs the configured text converter"),
    runs("--show-signature", "runs the configured gpg program"),
    runs("--open-files-in-pager", "opens files in a program"),
    runs("--upload-pack --exec", "runs the program it names"),
    writes("--edit-description", "opens an editor and changes a setting"),
    writes("--remerge-diff", "writes temporary objects into the repository"),
    unclear("--help", "opens the manual with the configured viewer"),
];

#[derive(Debug)]
pub(super) enum GitOperands {
    /// Revisions, paths, patterns: all only looked at.
    Any,
    /// With an operand it is no listing any more.
    None(&'static str),
    AtMost(usize, &'static str),
    /// One of these options (separated by spaces) must be given, or there must be no operand.
    NoneUnless(&'static str, &'static str),
    /// One of these options must be given in any case.
    OnlyWith(&'static str, &'static str),
    /// `git config`: one operand is a question, two are an assignment.
    Setting,
    /// `git ls-remote`: a remote or an address that is asked over the network.
    Remote,
    /// `git remote show`: asks the network when it is given a name and no `-n`.
    RemoteName,
}
