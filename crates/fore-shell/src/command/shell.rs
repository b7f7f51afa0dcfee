//! `bash -c 'text'` and `sh -c 'text'`: the inner text is judged like the outer one. Script files are project code.

use crate::{
    context::JudgeContext,
    finding::{CommandKind, Finding},
    word::{Value, Word},
};

/// Judges a shell started by a command.
pub(super) fn judge(name: &str, argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    let Some(program) = argv.first() else {
        return Finding::reads();
    };
    let mut reads_text = false;
    let mut checks_only = false;
    let mut at = 1;
    loop {
        let Some(word) = argv.get(at) else {
            return from_input(program);
        };
        let Value::Literal(option) = &word.value else {
            return decided_at_run_time(word);
        };
        at += 1;
        match option.as_str() {
            "--version" | "--help" if name == "bash" && argv.len() == 2 => return Finding::reads(),
            "--norc" | "--noprofile" if name == "bash" => {}
            "--" | "-" => break,
            _ if !option.starts_with('-') && !option.starts_with('+') => {
                at -= 1;
                break;
            }
            _ => {
                let Some(letters) = option.strip_prefix('-') else {
                    return not_analysed(word);
                };
                for letter in letters.bytes() {
                    match letter {
                        b'c' => reads_text = true,
                        b'n' => checks_only = true,
                        b'e' | b'u' | b'x' => {}
                        b'o' if argv
                            .get(at)
                            .and_then(Word::as_literal)
                            .is_some_and(|set| matches!(set, "pipefail" | "errexit" | "nounset" | "xtrace")) =>
                        {
                            at += 1;
                        }
                        _ => {
                            return not_analysed(word);
                        }
                    }
                }
            }
        }
    }
    let Some(word) = argv.get(at) else {
        return from_input(program);
    };
    if checks_only && !reads_text {
        return Finding::reads();
    }
    if !reads_text {
        return Finding::shown(CommandKind::Runs, "shell.script", word, "a script file may do anything");
    }
    let Value::Literal(text) = &word.value else {
        return decided_at_run_time(word);
    };
    if name != "bash"
        && let Some(form) = read_differently(text)
    {
        return Finding::shown(
            CommandKind::Unknown,
            "shell.dialect",
            word,
            format!("`{form}` means different things to `sh` and to bash"),
        );
    }
    let finding = crate::syntax::judge_text(text, context);
    // The inner text has no place of its own: point to the word that holds it.
    let evidence = finding.evidence.into_iter().map(|mut evidence| {
        evidence.span = None;
        evidence
    });
    Finding { evidence: evidence.collect(), ..finding }
}

fn from_input(program: &Word) -> Finding {
    Finding::shown(CommandKind::Runs, "shell.stdin", program, "a shell runs whatever comes from its input")
}

fn decided_at_run_time(word: &Word) -> Finding {
    Finding::shown(CommandKind::Unknown, "shell.opaque", word, "what the shell runs is decided at run time")
}

fn not_analysed(option: &Word) -> Finding {
    Finding::shown(CommandKind::Unknown, "shell.option", option, "an option of the shell that is not analysed")
}

/// Spellings that other shells read differently, so that judging them as bash would be wrong.
fn read_differently(text: &str) -> Option<&'static str> {
    let braces = text.replace("${", "");
    if braces.contains('{') {
        return Some("{");
    }
    let forms = [
        "$'", "$\"", "&>", "[[", "((", "<(", ">(", "|&", ";&", "<<<", "function", "select", "coproc", "time", "+=",
        ">&", "source", "~", "\\\n", "pushd", "popd", "local ", "local\t",
    ];
    forms.into_iter().find(|form| text.replace("2>&1", "").replace("1>&2", "").replace(">&2", "").contains(form))
}
