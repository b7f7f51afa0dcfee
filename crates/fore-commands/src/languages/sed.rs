//! Judges `sed`: its options as getopt reads them, and every script it would run.

mod script;

use fore_shell::{Finding, JudgeContext, Word};
use script::{SedEffect, SedTrouble};

/// Judges a whole `sed` command, program name included.
pub(crate) fn judge(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    let words = argv.get(1..).unwrap_or_default();
    // BSD sed, and GNU sed under POSIXLY_CORRECT, take no options after the first operand: what is a file for one is
    // the script for the other.
    let permuted = read(words, SedOperands::Anywhere, context);
    let strict = read(words, SedOperands::Last, context);
    if permuted == strict { permuted } else { permuted.and(strict) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SedOperands {
    Anywhere,
    Last,
}

#[derive(Default)]
struct SedArguments<'a> {
    /// Pieces given by `-e`, each with the word it stands in.
    pieces: Vec<(&'a Word, String)>,
    operands: Vec<&'a Word>,
    prints_about_itself: bool,
}

fn read(words: &[Word], operands: SedOperands, context: &JudgeContext<'_>) -> Finding {
    let arguments = match arguments(words, operands) {
        Ok(arguments) => arguments,
        Err(finding) => return *finding,
    };
    let mut files = arguments.operands.as_slice();
    let (word, text) = match arguments.pieces.first() {
        Some((word, _)) => {
            let pieces: Vec<&str> = arguments.pieces.iter().map(|(_, piece)| piece.as_str()).collect();
            (*word, pieces.join("\n"))
        }
        None => {
            let Some((script, rest)) = files.split_first() else {
                return without_script(words, &arguments);
            };
            files = rest;
            let Some(text) = script.as_literal() else {
                return Finding::unknown("sed.script", script, "the sed script is decided at run time");
            };
            (*script, text.to_owned())
        }
    };
    let script = judge_script(word, &text, context);
    files.iter().fold(script, |finding, file| finding.and(fore_shell::paths::read_operand(file, context)))
}

fn without_script(words: &[Word], arguments: &SedArguments<'_>) -> Finding {
    if arguments.prints_about_itself {
        return Finding::reads();
    }
    let nothing = Word::literal("sed");
    Finding::unknown("sed.script", words.first().unwrap_or(&nothing), "there is no sed script")
}

fn judge_script(word: &Word, text: &str, context: &JudgeContext<'_>) -> Finding {
    let effects = match script::effects(text) {
        Ok(effects) => effects,
        Err(SedTrouble(reason)) => {
            return Finding::unknown("sed.script", word, format!("the sed script was not understood: {reason}"));
        }
    };
    let mut finding = Finding::reads();
    for effect in effects {
        finding = finding.and(match effect {
            SedEffect::ReadsFile(path) => fore_shell::paths::read(&path, context),
            SedEffect::WritesFile { command: 's', path } => {
                Finding::writes("sed.s.w", word, format!("the `w` flag of sed's `s` writes the file `{path}`"))
            }
            SedEffect::WritesFile { command, path } => Finding::writes(
                format!("sed.{command}"),
                word,
                format!("sed's `{command}` command writes the file `{path}`"),
            ),
            SedEffect::RunsCommand { flag: true } => {
                Finding::runs("sed.s.e", word, "the `e` flag of sed's `s` runs its result as a shell command")
            }
            SedEffect::RunsCommand { flag: false } => {
                Finding::runs("sed.e", word, "sed's `e` command runs a shell command")
            }
        });
    }
    finding
}

fn arguments(words: &[Word], operands: SedOperands) -> Result<SedArguments<'_>, Box<Finding>> {
    let mut read = SedArguments::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if operands == SedOperands::Last && !read.operands.is_empty() {
            read.operands.push(word);
            continue;
        }
        match word.as_literal() {
            None if word.may_be_option() => {
                return Err(Box::new(Finding::unknown(
                    "sed.option",
                    word,
                    "this may turn out to be an option of sed, such as `-i`",
                )));
            }
            Some("--") => {
                read.operands.extend(rest);
                break;
            }
            Some(text) if text.starts_with("--") => long_option(word, text, &mut rest, &mut read)?,
            Some(text) if text.len() > 1 && text.starts_with('-') => short_options(word, text, &mut rest, &mut read)?,
            _ => read.operands.push(word),
        }
    }
    Ok(read)
}

fn short_options<'a>(
    word: &'a Word,
    text: &str,
    rest: &mut std::slice::Iter<'a, Word>,
    read: &mut SedArguments<'a>,
) -> Result<(), Box<Finding>> {
    let mut letters = text.chars().skip(1);
    while let Some(letter) = letters.next() {
        match letter {
            'n' | 'E' | 'r' | 's' | 'u' | 'z' | 'b' => {}
            'e' => {
                let attached: String = letters.collect();
                let (word, piece) = value("sed.-e", word, attached, rest)?;
                read.pieces.push((word, piece));
                return Ok(());
            }
            'l' => {
                let attached: String = letters.collect();
                let (word, width) = value("sed.-l", word, attached, rest)?;
                return numeric(word, &width);
            }
            'i' | 'I' => {
                return Err(Box::new(Finding::writes("sed.-i", word, "`sed -i` rewrites files in place")));
            }
            'f' => {
                return Err(Box::new(Finding::unknown(
                    "sed.-f",
                    word,
                    "`sed -f` takes its script from a file that was not read",
                )));
            }
            other => {
                return Err(Box::new(Finding::unknown(
                    "sed.option",
                    word,
                    format!("`-{other}` is not a known option of sed"),
                )));
            }
        }
    }
    Ok(())
}

fn long_option<'a>(
    word: &'a Word,
    text: &str,
    rest: &mut std::slice::Iter<'a, Word>,
    read: &mut SedArguments<'a>,
) -> Result<(), Box<Finding>> {
    let (name, attached) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    match (name, attached) {
        (
            "--quiet" | "--silent" | "--regexp-extended" | "--separate" | "--unbuffered" | "--null-data"
            | "--zero-terminated" | "--posix" | "--debug" | "--sandbox" | "--binary" | "--follow-symlinks",
            None,
        ) => Ok(()),
        ("--help" | "--version", None) => {
            read.prints_about_itself = true;
            Ok(())
        }
        ("--expression", attached) => {
            let (word, piece) = match attached {
                Some(piece) => (word, piece),
                None => value("sed.-e", word, String::new(), rest)?,
            };
            read.pieces.push((word, piece));
            Ok(())
        }
        ("--line-length", attached) => {
            let (word, width) = match attached {
                Some(width) => (word, width),
                None => value("sed.-l", word, String::new(), rest)?,
            };
            numeric(word, &width)
        }
        ("--file", _) => Err(Box::new(Finding::unknown(
            "sed.-f",
            word,
            "`sed --file` takes its script from a file that was not read",
        ))),
        (name, _) if name.len() > 2 && "--in-place".starts_with(name) => {
            Err(Box::new(Finding::writes("sed.-i", word, "`sed --in-place` rewrites files in place")))
        }
        (name, _) => {
            Err(Box::new(Finding::unknown("sed.option", word, format!("`{name}` is not a known option of sed"))))
        }
    }
}

/// The value of an option: attached, or the next word.
fn value<'a>(
    rule: &str,
    word: &'a Word,
    attached: String,
    rest: &mut std::slice::Iter<'a, Word>,
) -> Result<(&'a Word, String), Box<Finding>> {
    if !attached.is_empty() {
        return Ok((word, attached));
    }
    let Some(next) = rest.next() else {
        return Err(Box::new(Finding::unknown(rule, word, "this option lacks its value")));
    };
    match next.as_literal() {
        Some(text) => Ok((next, text.to_owned())),
        None if next.is_one_argument() => {
            Err(Box::new(Finding::unknown(rule, next, "the sed script is decided at run time")))
        }
        None => Err(Box::new(Finding::unknown(rule, next, "this may turn out to be several arguments"))),
    }
}

/// BSD's `-l` takes no value, so anything but a number could be a script there.
fn numeric(word: &Word, text: &str) -> Result<(), Box<Finding>> {
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(());
    }
    Err(Box::new(Finding::unknown("sed.-l", word, "`sed -l` takes a number")))
}
