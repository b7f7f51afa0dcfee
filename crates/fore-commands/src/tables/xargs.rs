//! `xargs`: the inner command is judged with anything in place of its input.

use super::wrappers::{asks_about_itself, inner, split};
use super::{
    catalogue::GivenValue,
    grammar::{CommandRow, Grammar, Operands, OptionOrder, READER, ValueType::*, WORDS, ask, attached, flags, value},
};
use fore_shell::{Finding, JudgeContext, Opaque, Value, Word};

pub(super) const ROWS: &[CommandRow] = &[ask(
    "xargs gxargs",
    xargs,
    &[
        "xargs",
        "xargs ls",
        "xargs -0 grep -n foo",
        "xargs -I{} cat {}",
        "xargs -n 1 wc -l",
        "xargs -r head -5",
        "xargs -P 4 -n1 basename",
        "xargs -I % cat src/%",
        "xargs -a list wc",
        "xargs -I{} head -n 5 {}",
        "xargs -d '\\n' cat",
        "xargs grep -l foo",
    ],
    &[
        "xargs rm",
        "xargs -t touch",
        "xargs -I{} rm {}",
        "xargs sort",
        "xargs -I{} sh -c '{}'",
        "xargs -I{} {}",
        "xargs -I{} -n1 sort x",
        "xargs env",
        "xargs -0 rm -rf",
        "xargs $x",
        "xargs uniq",
        "xargs -I cat rm x",
        "xargs rg foo",
        "xargs tee",
        "xargs -I{} tee {}",
        "xargs --frob ls",
        "xargs sh -c 'rm \"$@\"' _",
        "xargs -J % mv % d",
        "xargs -irm rm x",
        "xargs timeout 5",
        "xargs xargs",
        "xargs -I{} sed -n {}p f",
    ],
)];

static XARGS: Grammar = Grammar {
    options: &[
        flags("-0 -r -t -x -p -o --null --no-run-if-empty --verbose --exit --interactive --open-tty --show-limits"),
        value("-n -L -P -s -E --max-args --max-procs --max-chars -d --delimiter", Text),
        value("-a --arg-file", ReadPath),
        value("-I", Text),
        attached("-i -l -e --replace --max-lines --eof", Text),
    ],
    operands: Operands { first: &[], ..WORDS },
    order: OptionOrder::OptionsFirst,
    ..READER
};

/// The inner command gets words from outside: anything, also options, unless they are put behind other text.
fn xargs(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    if asks_about_itself(argv) {
        return Finding::reads();
    }
    let Some((seen, words)) = split(argv, &XARGS, context) else {
        return Finding::reads();
    };
    let finding = seen.finding.clone();
    if words.is_empty() {
        // Without a command it is `echo`.
        return finding;
    }
    let replaced = match seen.value("-I -i --replace") {
        None => None,
        Some(GivenValue::Text(text)) if !text.is_empty() => Some(text),
        Some(GivenValue::Nothing | GivenValue::Text(_)) => Some("{}"),
        Some(GivenValue::Something) => {
            return finding.and(seen.unknown("-I", "replaces something decided at run time"));
        }
    };
    let mut command = Vec::with_capacity(words.len() + 1);
    for word in words {
        command.push(match replaced {
            Some(mark) => replace(word, mark),
            None => word.clone(),
        });
    }
    // Of `-I` and `-n` or `-L` the last one wins, so both must be harmless.
    if replaced.is_none() || seen.has("-n -L -l --max-args --max-lines") {
        command.push(Word::anything("(input)"));
    }
    let mut finding = finding.and(inner(&command, &seen, context));
    if finding.reaches_network() {
        finding.send("what `xargs` is given".to_owned());
    }
    finding
}

/// A word in which `xargs` puts one line of its input.
fn replace(word: &Word, mark: &str) -> Word {
    match &word.value {
        Value::Literal(text) => match text.split_once(mark) {
            None => word.clone(),
            Some((prefix, _)) => {
                let may_be_option = prefix.is_empty() || prefix.starts_with('-');
                let opaque =
                    Opaque { prefix: prefix.to_string(), may_be_empty: false, may_split: false, may_be_option };
                Word { value: Value::Opaque(opaque), ..word.clone() }
            }
        },
        Value::Opaque(_) => word.clone(),
    }
}
