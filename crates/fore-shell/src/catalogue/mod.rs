//! The programs that a judge knows, and how a row of theirs is applied to an argument list.
//!
//! What a row may say is in `grammar`, `scan` reads arguments by it. The rows themselves are somebody else's: they change often,
//! and the engine does not. Deny by default at three levels: a program without a row, an option that is not listed, a value of
//! the wrong type.

pub mod grammar;
mod reach;
mod scan;
mod scanned;

pub use reach::reaching;
pub use scan::scan;
pub use scanned::{ArgumentScan, GivenValue, OptionScope, SeenOption};

use std::{collections::HashMap, sync::OnceLock};

use crate::{
    context::JudgeContext,
    finding::{CommandKind, Finding},
    word::{Value, Word},
};

use grammar::{Arity, CommandRow, Grammar, Handling, Help, OptionStyle, READER, Reaches, Verbs};

/// Options in front of a verb, spelled with one dash and a whole word.
const DASHED: Grammar = Grammar { style: OptionStyle::Dashed, ..READER };

/// The rows that commands are looked up in. It is handed in by the program that judges, as a value of its own code: nothing
/// is registered, and neither a repository nor a model has a way to hand in another one. Rows only ever make a program known:
/// with an empty catalogue every program may run anything.
pub struct Catalogue {
    families: &'static [&'static [CommandRow]],
    by_name: OnceLock<HashMap<&'static str, &'static CommandRow>>,
}

impl Catalogue {
    /// Of these rows; no program has two.
    pub const fn new(families: &'static [&'static [CommandRow]]) -> Catalogue {
        Catalogue { families, by_name: OnceLock::new() }
    }

    /// All rows, for tests and lists.
    pub fn rows(&self) -> impl Iterator<Item = &'static CommandRow> {
        self.families.iter().copied().flatten()
    }

    fn by_name(&self) -> &HashMap<&'static str, &'static CommandRow> {
        self.by_name
            .get_or_init(|| self.rows().flat_map(|row| row.names.split(' ').map(move |name| (name, row))).collect())
    }

    /// Judges by row; `None` when no row knows the program.
    pub(crate) fn judge(&self, argv: &[Word], context: &JudgeContext<'_>) -> Option<Finding> {
        let (program, words) = argv.split_first()?;
        let (name, row) = self.by_name().get_key_value(program.as_literal()?)?;
        if let [only] = words
            && matches!(only.as_literal(), Some("--version" | "--help"))
            && (!row.steered_by.is_empty() || prints_about_itself(row, only))
        {
            return Some(steered(name, program, row, Finding::reads()));
        }
        let finding = match row.action {
            Handling::Parse(grammar) => {
                by_grammar(name, program, words, grammar, OptionScope::NONE, Reaches::Nobody, context)
            }
            Handling::Nested(verbs) => {
                by_verbs(name, program, words, verbs, OptionScope::NONE, Reaches::Nobody, context)
            }
            Handling::Is(kind, why) => Finding::shown(kind, name.to_string(), program, format!("`{name}` {why}")),
            Handling::Ask(judge) => judge(argv, context),
        };
        Some(steered(name, program, row, finding))
    }
}

impl std::fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Catalogue").field("rows", &self.rows().count()).finish_non_exhaustive()
    }
}

/// What files of the folder can steer is no read, whatever was asked; what is worse stays as it is.
fn steered(name: &str, program: &Word, row: &CommandRow, finding: Finding) -> Finding {
    if row.steered_by.is_empty() || finding.kind > CommandKind::Runs {
        return finding;
    }
    let why = format!("files of this folder decide what `{name}` runs: {}", row.steered_by);
    let steered = Finding::shown(CommandKind::Runs, format!("{name}.steered"), program, why);
    Finding { reach: finding.reach, sends: finding.sends, paths: finding.paths, ..steered }
}

/// `--version` and `--help` alone print and end, except where the row is a function that has its own mind about them.
fn prints_about_itself(row: &CommandRow, only: &Word) -> bool {
    match row.action {
        Handling::Ask(_) => false,
        Handling::Parse(_) | Handling::Nested(_) => true,
        // Help of a tool that runs project code may load that code first.
        Handling::Is(kind, _) => kind != CommandKind::Runs || only.as_literal() == Some("--version"),
    }
}

/// Judges words by options and operands.
fn by_grammar(
    name: &str,
    program: &Word,
    words: &[Word],
    grammar: &'static Grammar,
    scope: OptionScope<'_>,
    reach: Reaches,
    context: &JudgeContext<'_>,
) -> Finding {
    let seen = scan(name, program, words, grammar, scope, context).finding;
    let reach = if grammar.reach == Reaches::Inherit { reach } else { grammar.reach };
    match reach {
        Reaches::Inherit | Reaches::Nobody => seen,
        Reaches::AnyHost | Reaches::Host(_) | Reaches::Configured(_) | Reaches::Daemon(_) => {
            seen.and(reaching(reach, name, program, context))
        }
    }
}

/// Judges words by the verb among them.
fn by_verbs(
    name: &str,
    program: &Word,
    words: &[Word],
    verbs: &'static Verbs,
    outer: OptionScope<'_>,
    reach: Reaches,
    context: &JudgeContext<'_>,
) -> Finding {
    let scope = OptionScope { options: &[verbs.options], outer: Some(&outer) };
    let reach = if verbs.reach == Reaches::Inherit { reach } else { verbs.reach };
    let spoken = name.replace('.', " ");
    let mut finding = Finding::reads();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let Value::Literal(text) = &word.value else {
            let why = format!("`{}` decides what `{spoken}` does", word.source);
            return finding.and(Finding::unknown(format!("{name}.word"), word, why));
        };
        if !text.starts_with('-') {
            let rest = words.get(at..).unwrap_or_default();
            return finding.and(by_verb(name, text, word, rest, verbs, scope, reach, context));
        }
        if text == "--help" && at == words.len() && verbs.help != Help::Never {
            return finding;
        }
        let (option, attached) = match text.split_once('=') {
            Some((option, _)) => (option, true),
            None => (text.as_str(), false),
        };
        match scope.find(option) {
            Some((group, option)) => {
                let start = at - 1;
                let takes_next = matches!(group.arity, Arity::One | Arity::Separate | Arity::Optional) && !attached;
                let end = words.len().min(at + usize::from(takes_next));
                // In front of the verb an option means what it means behind it, its value included.
                let written = words.get(start..end).unwrap_or_default();
                let style = if text.starts_with("--") || text.len() == 2 { &READER } else { &DASHED };
                finding = finding.and(scan(name, program, written, style, scope, context).finding);
                if takes_next {
                    let value = words.get(at);
                    at += 1;
                    if value.and_then(Word::as_literal).is_some_and(|text| text.starts_with('-')) {
                        // Some programs take it for the next option, and then the verb is another one.
                        let why = format!("`{spoken} {option}` may be without its value");
                        return finding.and(Finding::unknown(format!("{name}.{option}"), word, why));
                    }
                    if let Some(Value::Opaque(opaque)) = value.map(|word| &word.value)
                        && (opaque.may_split || opaque.may_be_empty)
                    {
                        let why = format!("`{spoken} {option}` takes a value that may be several words");
                        return finding.and(Finding::unknown(format!("{name}.word"), word, why));
                    }
                }
            }
            None => {
                let why = format!("`{text}` is not a known option of `{spoken}`");
                finding = finding.and(Finding::unknown(format!("{name}.option"), word, why));
            }
        }
    }
    let asks_version = matches!(words, [only] if matches!(only.as_literal(), Some("-v" | "-V" | "--version")));
    if verbs.bare == CommandKind::Reads || asks_version {
        return finding;
    }
    finding.and(Finding::shown(verbs.bare, name.to_string(), program, format!("`{spoken}` alone does more than read")))
}

#[expect(clippy::too_many_arguments, reason = "the way through nested verbs is all context")]
fn by_verb(
    name: &str,
    text: &str,
    word: &Word,
    rest: &[Word],
    verbs: &'static Verbs,
    scope: OptionScope<'_>,
    reach: Reaches,
    context: &JudgeContext<'_>,
) -> Finding {
    let full = format!("{name}.{text}");
    let spoken = full.replace('.', " ");
    let helps = matches!(rest, [only] if only.as_literal() == Some("--help"));
    let Some(verb) = verbs.verbs.iter().find(|verb| verb.names.split(' ').any(|one| one == text)) else {
        // At the top an unlisted verb may be an alias or a plugin, which does what it likes with `--help`.
        if helps && verbs.help != Help::Never && name.contains('.') {
            return Finding::reads();
        }
        let why = match verbs.otherwise {
            CommandKind::Writes => format!("`{spoken}` is not one of the subcommands that only read"),
            CommandKind::Reads | CommandKind::Network | CommandKind::Runs | CommandKind::Unknown => {
                format!("`{spoken}` is not a known subcommand")
            }
        };
        return Finding::shown(verbs.otherwise, full, word, why);
    };
    match verb.action {
        Handling::Is(kind, _)
            if helps && (verbs.help == Help::Every || (verbs.help == Help::Reading && kind != CommandKind::Runs)) =>
        {
            Finding::reads()
        }
        Handling::Parse(_) if helps && verbs.help != Help::Never => Finding::reads(),
        Handling::Parse(grammar) => by_grammar(&full, word, rest, grammar, scope, reach, context),
        Handling::Nested(verbs) => by_verbs(&full, word, rest, verbs, scope, reach, context),
        Handling::Is(kind, why) => Finding::shown(kind, full, word, format!("`{spoken}` {why}")),
        Handling::Ask(judge) => {
            let mut argv = Vec::with_capacity(rest.len() + 1);
            argv.push(Word { value: Value::Literal(full), source: word.source.clone(), span: word.span });
            argv.extend_from_slice(rest);
            judge(&argv, context)
        }
    }
}
