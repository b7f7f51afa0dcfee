//! A text as statements, as far as a verdict depends on them.

use crate::finding::Span;

/// A text and where it stands in the text that is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceText<'t> {
    pub(crate) text: &'t str,
    /// Offset in the judged text; `None` for texts that do not stand in it (the argument of `bash -c`).
    pub(crate) base: Option<usize>,
}

impl SourceText<'_> {
    pub(crate) fn span(&self, start: usize, end: usize) -> Option<Span> {
        self.base.map(|base| Span { start: base + start, end: base + end })
    }
}

/// A word as written, not yet expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawWord<'t> {
    pub(crate) text: &'t str,
    /// Byte offset in its source.
    pub(crate) start: usize,
}

impl RawWord<'_> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Script<'t> {
    pub(crate) chains: Vec<Chain<'t>>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chain<'t> {
    pub(crate) first: Pipeline<'t>,
    pub(crate) rest: Vec<(Joint, Pipeline<'t>)>,
    /// Ended by `&`: it goes on running.
    pub(crate) background: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joint {
    And,
    Or,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pipeline<'t> {
    pub(crate) negated: bool,
    pub(crate) commands: Vec<ShellCommand<'t>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShellCommand<'t> {
    pub(crate) shape: CommandShape<'t>,
    pub(crate) redirections: Vec<Redirection<'t>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CommandShape<'t> {
    Simple {
        assignments: Vec<Assignment<'t>>,
        words: Vec<RawWord<'t>>,
    },
    Group(Script<'t>),
    Subshell(Script<'t>),
    /// Conditions with their bodies, in order, and the `else` body.
    If {
        arms: Vec<(Script<'t>, Script<'t>)>,
        otherwise: Option<Script<'t>>,
    },
    While {
        until: bool,
        condition: Script<'t>,
        body: Script<'t>,
    },
    For {
        name: RawWord<'t>,
        values: Option<Vec<RawWord<'t>>>,
        body: Script<'t>,
    },
    ArithmeticFor {
        expressions: Vec<RawWord<'t>>,
        body: Script<'t>,
    },
    Case {
        value: RawWord<'t>,
        arms: Vec<(Vec<RawWord<'t>>, Script<'t>)>,
    },
    Function {
        name: RawWord<'t>,
        body: Box<ShellCommand<'t>>,
    },
    Arithmetic(RawWord<'t>),
    Condition(Condition<'t>),
}

/// What stands between `[[` and `]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition<'t> {
    Both(Box<Condition<'t>>, Box<Condition<'t>>),
    Inverse(Box<Condition<'t>>),
    /// Words that are only compared or looked up as files.
    Plain(Vec<RawWord<'t>>),
    /// Words that bash evaluates as arithmetic.
    Arithmetic(RawWord<'t>, RawWord<'t>),
    /// A word that names a variable.
    Variable(RawWord<'t>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment<'t> {
    pub(crate) name: &'t str,
    pub(crate) append: bool,
    pub(crate) value: AssignedValue<'t>,
    /// The whole assignment, for messages.
    pub(crate) raw: RawWord<'t>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AssignedValue<'t> {
    Scalar(RawWord<'t>),
    Array(Vec<RawWord<'t>>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Redirection<'t> {
    pub(crate) descriptor: Option<u32>,
    pub(crate) kind: RedirectionKind,
    pub(crate) target: RawWord<'t>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RedirectionKind {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`, `&>`, `&>>`
    Write,
    /// `<>`
    ReadWrite,
    /// `<&`
    DuplicateInput,
    /// `>&`
    DuplicateOutput,
    /// `<<<`
    HereString,
    /// `<<` with a body that is expanded.
    HereDocument,
    /// `<<'END'`: the body is plain text.
    QuotedHereDocument,
}

impl RedirectionKind {
    /// Whether it gives the command something to read.
    pub(crate) fn feeds(self) -> bool {
        match self {
            RedirectionKind::Read
            | RedirectionKind::ReadWrite
            | RedirectionKind::DuplicateInput
            | RedirectionKind::HereString
            | RedirectionKind::HereDocument
            | RedirectionKind::QuotedHereDocument => true,
            RedirectionKind::Write | RedirectionKind::DuplicateOutput => false,
        }
    }
}
