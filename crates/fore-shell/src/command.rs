//! Finds who can judge a simple command: a builtin, a table row, a language parser, or nobody.
//!
//! The one function that wrappers (`xargs`, `env`, `find -exec`, …) call again for the command inside them.

use crate::{
    builtins,
    context::{JudgeContext, MAX_NESTING},
    finding::{CommandKind, Finding},
    sends,
    word::{Value, Word},
};

mod shell;

/// Folders whose programs are the ones their names promise; `./ls` or `/tmp/x/ls` is somebody else's.
const SYSTEM_FOLDERS: [&str; 5] = ["/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin"];

/// Judges one simple command: program and arguments after expansion.
pub fn judge_argv(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    let words = argv.iter().map(|word| word.as_literal().map(str::to_owned));
    context.met.borrow_mut().push(words.collect());
    let Some(first) = argv.first() else {
        return Finding::at(CommandKind::Unknown, "command.empty", "", None, "there is no command");
    };
    let Value::Literal(program) = &first.value else {
        return Finding::shown(
            CommandKind::Unknown,
            "command.opaque",
            first,
            "the command itself is decided at run time",
        );
    };
    // Wrappers inside wrappers come back here, so this is where nesting is counted.
    let Some(inner) = context.deeper() else {
        context.commands.set(usize::MAX / 2);
        return Finding::shown(
            CommandKind::Unknown,
            "syntax.limit",
            first,
            format!("nested deeper than {MAX_NESTING} levels"),
        );
    };
    let finding = sends::noted(judge_program(program, argv, &inner), argv, context);
    if finding.kind == CommandKind::Runs && is_vouched(argv, context) {
        Finding { kind: CommandKind::Reads, evidence: Vec::new(), ..finding }
    } else {
        finding
    }
}

fn judge_program(program: &str, argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    let Some(first) = argv.first() else {
        return Finding::reads();
    };
    if program.is_empty() || program.starts_with('-') || program.contains(['\n', '\t', ' ']) {
        return Finding::shown(CommandKind::Unknown, "command.name", first, "an unusual name for a command");
    }
    let Some((folder, name)) = program.rsplit_once('/') else {
        return builtins::judge(argv, context).unwrap_or_else(|| judge_found(program, argv, context));
    };
    if !SYSTEM_FOLDERS.contains(&folder) || name.is_empty() {
        return Finding::shown(
            CommandKind::Runs,
            "command.path",
            first,
            "a program outside of the system folders may do anything",
        );
    }
    let mut renamed = argv.to_vec();
    if let Some(first) = renamed.first_mut() {
        first.value = Value::Literal(name.to_owned());
    }
    // Builtins that also exist as programs do the same there; the others do not exist in a folder.
    if matches!(name, "echo" | "printf" | "test" | "[" | "true" | "false" | "pwd" | "kill") {
        return builtins::judge(&renamed, context).unwrap_or_else(|| judge_installed(name, &renamed, context));
    }
    judge_installed(name, &renamed, context)
}

/// Judges a program that the search path finds.
fn judge_found(name: &str, argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    let finding = judge_installed(name, argv, context);
    match argv.first() {
        Some(first)
            if finding.kind < CommandKind::Runs && context.facts.repositories.is_shim(name, context.facts.cwd) =>
        {
            let why = format!(
                "`{name}` is a version manager's shim or a link into this project, so files here decide which program runs"
            );
            finding.and(Finding::shown(CommandKind::Runs, "command.shim", first, &why))
        }
        Some(_) | None => finding,
    }
}

/// Judges a program from a system folder by its name.
fn judge_installed(name: &str, argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    if matches!(name, "bash" | "sh" | "dash") {
        return shell::judge(name, argv, context);
    }
    if let Some(finding) = context.facts.catalogue.judge(argv, context) {
        return finding;
    }
    match argv.first() {
        Some(first) => Finding::shown(
            CommandKind::Runs,
            "command.unknown",
            first,
            format!("no table knows `{name}`; it may run anything"),
        ),
        None => Finding::reads(),
    }
}

/// The user's own list: every word of a listed prefix stands literally at the front.
fn is_vouched(argv: &[Word], context: &JudgeContext<'_>) -> bool {
    context.facts.vouched.iter().any(|prefix| {
        !prefix.is_empty()
            && prefix.len() <= argv.len()
            && prefix.iter().zip(argv).all(|(vouched, word)| word.as_literal() == Some(vouched))
    })
}

/// Whether a function of this name hides nothing that the judge knows by that name.
pub(crate) fn may_name_function(name: &str, context: &JudgeContext<'_>) -> bool {
    let mut bytes = name.bytes();
    let spelled = bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    spelled
        && !builtins::is_builtin(name)
        && !crate::syntax::is_reserved(name)
        && !matches!(name, "bash" | "sh" | "dash")
        && context.facts.catalogue.judge(&[Word::literal(name)], context).is_none()
}
