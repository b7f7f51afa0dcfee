//! The shape of a table row: how a program reads its arguments and what each of them does. Only data, no matching.

use crate::{context::JudgeContext, facts::Partner, finding::CommandKind, finding::Finding, word::Word};

use super::scanned::ArgumentScan;

/// A judge for a whole command that data cannot describe; program name included.
pub type Judge = fn(&[Word], &JudgeContext<'_>) -> Finding;

/// A look at all options and operands together, after each passed on its own.
pub type Check = fn(&ArgumentScan<'_>, &JudgeContext<'_>) -> Option<Finding>;

/// One program, or several that read their arguments alike.
#[derive(Clone, Copy, Debug)]
pub struct CommandRow {
    /// Separated by spaces.
    pub names: &'static str,
    /// How its arguments are judged.
    pub action: Handling,
    /// What in the working folder picks another program under this name, or loads code into it; empty where nothing does.
    pub steered_by: &'static str,
    /// Examples that must be judged a read (or a network read).
    pub reads: &'static [&'static str],
    /// Examples that must not.
    pub not: &'static [&'static str],
}

/// How a program or one of its verbs is judged.
#[derive(Clone, Copy, Debug)]
pub enum Handling {
    /// By its options and operands.
    Parse(&'static Grammar),
    /// By the verb that follows.
    Nested(&'static Verbs),
    /// Always the same, whatever follows; the words say why.
    Is(CommandKind, &'static str),
    /// By a function.
    Ask(Judge),
}

/// A program's verbs: `docker ps`, `npm install`.
#[derive(Clone, Copy, Debug)]
pub struct Verbs {
    /// Options that may stand before the verb and, as most such programs allow, after it.
    pub options: &'static [OptionGroup],
    /// Those that are known.
    pub verbs: &'static [Verb],
    /// What happens without a verb.
    pub bare: CommandKind,
    /// Whom all of them talk to, unless a verb says otherwise.
    pub reach: Reaches,
    /// Verbs that are not listed.
    pub otherwise: CommandKind,
    /// Whether asking for help is harmless.
    pub help: Help,
}

/// For which verbs `PROGRAM VERB --help` only prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Help {
    /// For none: the program may hand the question on.
    Never,
    /// All but those that run code, which might be handed the question.
    Reading,
    /// For all of them.
    Every,
}

/// One or several verbs that are judged alike.
#[derive(Clone, Copy, Debug)]
pub struct Verb {
    /// Separated by spaces.
    pub names: &'static str,
    /// How what follows the verb is judged.
    pub action: Handling,
}

/// How one program reads its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Grammar {
    /// Those that are known; any other makes the command unknown.
    pub options: &'static [OptionGroup],
    /// What the other arguments are.
    pub operands: Operands,
    /// Where options may stand.
    pub order: OptionOrder,
    /// How they are spelled.
    pub style: OptionStyle,
    /// No argument whatsoever can make any common implementation do more than read.
    pub always_reads: bool,
    /// `-20` is an option.
    pub digits: bool,
    /// With one of these options the first operand is no pattern but already a path; separated by spaces.
    pub replaces_first: &'static str,
    /// Whom the program talks to.
    pub reach: Reaches,
    /// What no table can say: looks at all that was met.
    pub check: Option<Check>,
}

/// What the arguments that are no options mean.
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    /// One by one, in their order.
    pub first: &'static [ValueType],
    /// Everything after `first`; without it more operands are not allowed.
    pub rest: Option<ValueType>,
    /// What too many operands show, and why.
    pub surplus: (CommandKind, &'static str),
}

/// Whether options may follow operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionOrder {
    /// GNU: anywhere before `--`.
    Anywhere,
    /// POSIX: the first operand ends the options.
    OptionsFirst,
}

/// How options are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionStyle {
    /// `-abc`, `-oFILE`, `--long=value`.
    Getopt,
    /// `-name value` or `-name=value`, one or two dashes, no clusters.
    Dashed,
    /// As `Getopt`, and nothing is forgiven: no value or operand looks like an option, a value is never missing, a switch
    /// takes none, a number stands alone.
    Strict,
}

/// Options of one kind.
#[derive(Clone, Copy, Debug)]
pub struct OptionGroup {
    /// With dashes, separated by spaces: `-o --output`.
    pub names: &'static str,
    /// Whether they take a value.
    pub arity: Arity,
    /// What that value must be.
    pub value: ValueType,
    /// What the option makes of the command.
    pub kind: CommandKind,
    /// Completes "`sort -o` …" when the kind is not `Reads`.
    pub why: &'static str,
}

/// Whether an option takes a value, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// A switch.
    None,
    /// Attached or as the next word.
    One,
    /// Only attached: `--color=auto`, `-U3`.
    Attached,
    /// The next word, where there is one.
    Optional,
    /// Only as the next word, also in the middle of a cluster; attached it is not understood.
    Separate,
}

/// What a value must be.
#[derive(Clone, Copy, Debug)]
pub enum ValueType {
    /// A whole number.
    Int,
    /// Anything.
    Text,
    /// A file that is read.
    ReadPath,
    /// A file that is written.
    OutPath,
    /// A command that is started.
    Exec,
    /// A host that is talked to at this port.
    Host(u16),
    /// One of these, separated by spaces.
    Enum(&'static str),
    /// Text of which this says that it is harmless.
    Format(fn(&str) -> bool),
    /// Says what a value does besides being read, and why; it is given `None` for one that is decided at run time.
    Judged(fn(Option<&str>) -> Option<(CommandKind, &'static str)>),
}

/// Whom a program talks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaches {
    /// As the verb above says.
    Inherit,
    /// It does not use the network.
    Nobody,
    /// Nobody can say whom.
    AnyHost,
    /// This host alone.
    Host(&'static str),
    /// Whom the configuration names.
    Configured(Partner<'static>),
    /// A service of this machine.
    Daemon(&'static str),
}

/// The usual: GNU order, no options yet, paths to read.
pub const READER: Grammar = Grammar {
    options: &[],
    operands: Operands {
        first: &[],
        rest: Some(ValueType::ReadPath),
        surplus: (CommandKind::Unknown, "takes no such argument"),
    },
    order: OptionOrder::Anywhere,
    style: OptionStyle::Getopt,
    always_reads: false,
    digits: false,
    replaces_first: "",
    reach: Reaches::Inherit,
    check: None,
};
