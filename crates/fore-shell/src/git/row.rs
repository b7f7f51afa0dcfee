//! The shape of one row of the git table: a subcommand, what it may be given, what it obeys, and its own examples.

use super::keys::Class;
use crate::finding::Kind;

#[derive(Debug)]
pub(super) struct Row {
    /// The subcommand, with its action where it has some: `log`, `stash list`.
    pub(super) command: &'static str,
    /// Harmless options, in the notation of [`super::options`].
    pub(super) options: &'static [&'static [&'static str]],
    /// `-5` is a number of commits or lines.
    pub(super) numbers: bool,
    pub(super) operands: Operands,
    /// Kinds of repository configuration that this subcommand obeys.
    pub(super) touches: &'static [Class],
    /// Options known to do harm, so that a refusal can say why. Never needed for safety.
    pub(super) refused: &'static [Refused],
    /// Arguments after `git` that must be reads.
    pub(super) reads: &'static [&'static str],
    /// Arguments after `git` that must not be.
    pub(super) others: &'static [&'static str],
}

/// An option that changes something or runs something.
pub(super) type Refused = (&'static str, Kind, &'static str);

#[derive(Debug)]
pub(super) enum Operands {
    /// Revisions, paths, patterns: all only looked at.
    Any,
    /// With an operand it is no listing any more.
    None(&'static str),
    AtMost(usize, &'static str),
    /// One of these options must be given, or there must be no operand.
    NoneUnless(&'static [&'static str], &'static str),
    /// One of these options must be given in any case.
    OnlyWith(&'static [&'static str], &'static str),
    /// `git config`: one operand is a question, two are an assignment.
    Setting,
    /// `git ls-remote`: a remote or an address that is asked over the network.
    Remote,
    /// `git remote show`: asks the network when it is given a name and no `-n`.
    RemoteName,
}
