//! What rows are written with: the grammar of the engine, and a short way to say what most rows say.

use fore_shell::CommandKind;

pub(crate) use fore_shell::catalogue::grammar::*;

const TOO_MANY: (CommandKind, &str) = READER.operands.surplus;

/// Any number of paths that are read.
pub(crate) const PATHS: Operands = READER.operands;
/// Any number of words that mean nothing to the file system.
pub(crate) const WORDS: Operands = Operands { first: &[], rest: Some(ValueType::Text), surplus: TOO_MANY };
/// No operands.
pub(crate) const NOTHING: Operands = Operands { first: &[], rest: None, surplus: TOO_MANY };
/// A pattern, then paths.
pub(crate) const PATTERN_PATHS: Operands =
    Operands { first: &[ValueType::Text], rest: Some(ValueType::ReadPath), surplus: TOO_MANY };
/// Any number of hosts, talked to at this port.
pub(crate) const fn hosts(port: u16) -> Operands {
    Operands { first: &[], rest: Some(ValueType::Host(port)), surplus: TOO_MANY }
}

/// One path to read; a second one would be written.
pub(crate) const ONE_PATH_THEN_OUTPUT: Operands = Operands {
    first: &[ValueType::ReadPath],
    rest: None,
    surplus: (CommandKind::Writes, "takes its second file as output"),
};

/// A reader that no argument can turn into anything else.
pub(crate) const ALWAYS_READS: Grammar = Grammar { always_reads: true, ..READER };

/// A grammar with single-dash words as options.
pub(crate) const DASHED: Grammar = Grammar { style: OptionStyle::Dashed, ..READER };

/// Only prints.
pub(crate) const PRINTS: Grammar = Grammar { operands: NOTHING, ..READER };

/// The usual for programs with verbs.
pub(crate) const VERBS: Verbs = Verbs {
    options: &[],
    verbs: &[],
    bare: CommandKind::Reads,
    reach: Reaches::Inherit,
    otherwise: CommandKind::Unknown,
    help: Help::Reading,
};

/// Harmless options without a value.
pub(crate) const fn flags(names: &'static str) -> OptionGroup {
    OptionGroup { names, arity: Arity::None, value: ValueType::Text, kind: CommandKind::Reads, why: "" }
}

/// Harmless options with a value.
pub(crate) const fn value(names: &'static str, value: ValueType) -> OptionGroup {
    OptionGroup { names, arity: Arity::One, value, kind: CommandKind::Reads, why: "" }
}

/// Harmless options whose value may follow only attached.
pub(crate) const fn attached(names: &'static str, value: ValueType) -> OptionGroup {
    OptionGroup { names, arity: Arity::Attached, value, kind: CommandKind::Reads, why: "" }
}

/// Harmless options that take the next word where there is one.
pub(crate) const fn optional(names: &'static str, value: ValueType) -> OptionGroup {
    OptionGroup { names, arity: Arity::Optional, value, kind: CommandKind::Reads, why: "" }
}

/// Harmless options whose value is always the next word.
pub(crate) const fn separate(names: &'static str, value: ValueType) -> OptionGroup {
    OptionGroup { names, arity: Arity::Separate, value, kind: CommandKind::Reads, why: "" }
}

/// Options that write to the file they name.
pub(crate) const fn output(names: &'static str) -> OptionGroup {
    OptionGroup { names, arity: Arity::One, value: ValueType::OutPath, kind: CommandKind::Reads, why: "writes a file" }
}

/// Options without a value that change something.
pub(crate) const fn writes(names: &'static str, why: &'static str) -> OptionGroup {
    OptionGroup { names, arity: Arity::None, value: ValueType::Text, kind: CommandKind::Writes, why }
}

/// Options with a value that change something.
pub(crate) const fn writes_with(names: &'static str, why: &'static str) -> OptionGroup {
    OptionGroup { names, arity: Arity::One, value: ValueType::Text, kind: CommandKind::Writes, why }
}

/// Options with a value that start a program.
pub(crate) const fn runs_with(names: &'static str, why: &'static str) -> OptionGroup {
    OptionGroup { names, arity: Arity::One, value: ValueType::Text, kind: CommandKind::Runs, why }
}

/// Options without a value that start a program.
pub(crate) const fn runs(names: &'static str, why: &'static str) -> OptionGroup {
    OptionGroup { names, arity: Arity::None, value: ValueType::Text, kind: CommandKind::Runs, why }
}

/// Options without a value of which nobody knows what they do here.
pub(crate) const fn unclear(names: &'static str, why: &'static str) -> OptionGroup {
    OptionGroup { names, arity: Arity::None, value: ValueType::Text, kind: CommandKind::Unknown, why }
}

/// A verb read by this grammar.
pub(crate) const fn verb(names: &'static str, grammar: &'static Grammar) -> Verb {
    Verb { names, action: Handling::Parse(grammar) }
}

/// A verb with verbs of its own.
pub(crate) const fn nested(names: &'static str, verbs: &'static Verbs) -> Verb {
    Verb { names, action: Handling::Nested(verbs) }
}

/// Verbs that change something.
pub(crate) const fn changes(names: &'static str, why: &'static str) -> Verb {
    Verb { names, action: Handling::Is(CommandKind::Writes, why) }
}

/// Verbs that run code from elsewhere.
pub(crate) const fn starts(names: &'static str, why: &'static str) -> Verb {
    Verb { names, action: Handling::Is(CommandKind::Runs, why) }
}

/// A row that is judged by its options and operands.
pub(crate) const fn parse(
    names: &'static str,
    grammar: &'static Grammar,
    reads: &'static [&'static str],
    not: &'static [&'static str],
) -> CommandRow {
    CommandRow { names, action: Handling::Parse(grammar), steered_by: "", reads, not }
}

/// A row that is judged by its verbs.
pub(crate) const fn verbs(
    names: &'static str,
    verbs: &'static Verbs,
    reads: &'static [&'static str],
    not: &'static [&'static str],
) -> CommandRow {
    CommandRow { names, action: Handling::Nested(verbs), steered_by: "", reads, not }
}

/// A row that is judged by a function.
pub(crate) const fn ask(
    names: &'static str,
    judge: Judge,
    reads: &'static [&'static str],
    not: &'static [&'static str],
) -> CommandRow {
    CommandRow { names, action: Handling::Ask(judge), steered_by: "", reads, not }
}

/// A row whose programs always do the same.
pub(crate) const fn always(
    names: &'static str,
    kind: CommandKind,
    why: &'static str,
    not: &'static [&'static str],
) -> CommandRow {
    CommandRow { names, action: Handling::Is(kind, why), steered_by: "", reads: &[], not }
}

/// The same row for programs that files of the working folder steer (`by`): whatever they are asked, they run.
pub(crate) const fn steered(by: &'static str, row: CommandRow) -> CommandRow {
    CommandRow { steered_by: by, ..row }
}
