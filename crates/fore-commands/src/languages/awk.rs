//! Judges `awk`: its options, the program it is given, and its operands.

mod program;
mod tokens;

use fore_shell::{CommandKind, Finding, JudgeContext, Reach, Value, Word};
use program::AwkEffect;

/// Judges a whole `awk` command, program name included.
pub(crate) fn judge(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    match arguments(argv.get(1..).unwrap_or_default()) {
        Ok(arguments) => judge_arguments(&arguments, context),
        Err(finding) => *finding,
    }
}

#[derive(Default)]
struct AwkArguments<'a> {
    /// Names set by `-v`.
    variables: Vec<String>,
    program: Option<&'a Word>,
    /// `--version` and the like; not every awk stops there.
    tells_about_itself: bool,
    operands: &'a [Word],
}

fn judge_arguments(arguments: &AwkArguments<'_>, context: &JudgeContext<'_>) -> Finding {
    // Only `--version` and the like come without a program.
    let Some(program) = arguments.program else {
        return Finding::reads();
    };
    let Some(text) = program.as_literal() else {
        return Finding::unknown("awk.program", program, "the awk program is decided at run time");
    };
    let effects = match program::effects(text, &arguments.variables) {
        Ok(effects) => effects,
        Err(reason) => {
            return Finding::unknown("awk.program", program, format!("the awk program was not understood: {reason}"));
        }
    };
    let mut finding = Finding::reads();
    for effect in effects {
        finding = finding.and(match effect {
            AwkEffect::ReadsFile(path) => fore_shell::paths::read(&path, context),
            AwkEffect::WritesFile(path) => {
                Finding::writes("awk.print", program, format!("awk's `print >` writes the file `{path}`"))
            }
            AwkEffect::RunsCommand(why) => {
                Finding::runs(if why.contains("system") { "awk.system" } else { "awk.pipe" }, program, why)
            }
            AwkEffect::Connects => connects(program),
            AwkEffect::Unclear(why) => Finding::unknown("awk.program", program, why),
        });
    }
    arguments.operands.iter().fold(finding, |finding, operand| finding.and(judge_operand(operand, context)))
}

/// `name=value` sets a variable; everything else is a file.
fn judge_operand(word: &Word, context: &JudgeContext<'_>) -> Finding {
    match word.as_literal() {
        Some(text) if text.starts_with("/inet") => connects(word),
        Some(text) if assigned_name(text).is_some() => Finding::reads(),
        _ => fore_shell::paths::read_operand(word, context),
    }
}

fn connects(word: &Word) -> Finding {
    let mut finding = Finding::shown(
        CommandKind::Network,
        "awk.inet",
        word,
        "gawk opens a network connection for file names under `/inet`",
    );
    finding.reach.push(Reach::AnyHost);
    finding
}

fn assigned_name(text: &str) -> Option<&str> {
    let (name, _) = text.split_once('=')?;
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (starts && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')).then_some(name)
}

/// Options end at the program text; after it nothing is an option any more.
fn arguments(words: &[Word]) -> Result<AwkArguments<'_>, Box<Finding>> {
    let mut read = AwkArguments::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = match &word.value {
            Value::Literal(text) => text.as_str(),
            Value::Opaque(opaque) => {
                // `-vname=$x` or `-F"$x"…`: the option is certain, only its value is not.
                let prefix = opaque.prefix.as_str();
                let has_value = prefix.len() > 2 && (prefix.starts_with("-v") || prefix.starts_with("-F"));
                if has_value && word.is_one_argument() {
                    read.variables.extend(prefix.strip_prefix("-v").and_then(assigned_name).map(str::to_owned));
                    continue;
                }
                let why = if word.may_be_option() {
                    "this may turn out to be an option of awk"
                } else {
                    "the awk program is decided at run time"
                };
                return Err(Box::new(Finding::unknown("awk.program", word, why)));
            }
        };
        match text {
            "--" => {
                read.program = rest.next();
                break;
            }
            "--version" | "-V" | "--help" | "-h" | "--copyright" => read.tells_about_itself = true,
            "-F" | "--field-separator" => {
                value(word, &mut rest)?;
            }
            "-v" | "--assign" => {
                let assignment = value(word, &mut rest)?;
                let known = match &assignment.value {
                    Value::Literal(text) => text,
                    Value::Opaque(opaque) => &opaque.prefix,
                };
                read.variables.extend(assigned_name(known).map(str::to_owned));
            }
            "-S"
            | "-b"
            | "-n"
            | "-P"
            | "-r"
            | "-N"
            | "-O"
            | "-M"
            | "-k"
            | "--csv"
            | "--posix"
            | "--traditional"
            | "--sandbox"
            | "--re-interval"
            | "--characters-as-bytes"
            | "--non-decimal-data"
            | "--use-lc-numeric"
            | "--bignum" => {}
            _ if text.starts_with("-F") || text.starts_with("--field-separator=") => {}
            _ if text.starts_with("-v") => {
                read.variables.extend(text.get(2..).and_then(assigned_name).map(str::to_owned))
            }
            _ if text.starts_with("--assign=") => {}
            _ if text.len() > 1 && text.starts_with('-') => {
                return Err(Box::new(refused(word, text, rest.next())));
            }
            _ => {
                read.program = Some(word);
                break;
            }
        }
    }
    read.operands = rest.as_slice();
    if read.program.is_none() && !read.tells_about_itself {
        let nothing = Word::literal("awk");
        let shown = words.last().unwrap_or(&nothing);
        return Err(Box::new(Finding::unknown("awk.program", shown, "there is no awk program")));
    }
    Ok(read)
}

fn value<'a>(option: &Word, rest: &mut std::slice::Iter<'a, Word>) -> Result<&'a Word, Box<Finding>> {
    match rest.next() {
        Some(word) if word.is_one_argument() => Ok(word),
        Some(word) => Err(Box::new(Finding::unknown("awk.option", word, "this may turn out to be several arguments"))),
        None => Err(Box::new(Finding::unknown("awk.option", option, "this option lacks its value"))),
    }
}

fn refused(word: &Word, text: &str, next: Option<&Word>) -> Finding {
    let value = next.and_then(Word::as_literal).unwrap_or_default();
    let in_place = text.contains("inplace") || ((text == "-i" || text == "--include") && value.starts_with("inplace"));
    if in_place {
        return Finding::writes("awk.-i", word, "`awk -i inplace` rewrites files in place");
    }
    let long = text.split('=').next().unwrap_or(text);
    match (long, text.chars().nth(1)) {
        ("-f" | "--file" | "-E" | "--exec", _) => {
            Finding::unknown("awk.-f", word, "the awk program comes from a file that was not read")
        }
        ("--pretty-print" | "--profile" | "--dump-variables", _) | (_, Some('o' | 'p' | 'd')) => {
            Finding::writes("awk.-o", word, format!("`{long}` makes gawk write a file"))
        }
        _ => Finding::unknown("awk.option", word, format!("`{long}` is not a known harmless option of awk")),
    }
}
