//! The file-system twins of shell builtins, as wrappers such as `xargs` and `timeout` start them.

use super::{
    grammar::{Grammar, Order, READER, Row, TAME, Type::*, WORDS, flags, parse, value},
    scan::Scan,
    verdict::unknown,
};
use crate::{context::Context, finding::Finding, word::Value};

pub(super) const ROWS: &[Row] = &[
    parse(
        "echo true false :",
        &Grammar { operands: WORDS, ..ECHO },
        &["echo hi", "echo -n x", "echo --- a", "true", "echo $x", "echo -e 'a\\n'", "echo a -rf b"],
        &[],
    ),
    parse(
        "printf",
        &Grammar { operands: WORDS, order: Order::OptionsFirst, check: Some(printf), ..READER },
        &["printf '%s\\n' a b", "printf -- -v", "printf '%d' \"$x\""],
        &["printf -v 'a[$(x)]' y", "printf -va y", "printf $x"],
    ),
    parse(
        "test [",
        &Grammar { operands: WORDS, check: Some(test), ..ECHO },
        &["test -f x", "[ -f x ]", "[ a = b ]", "[ -n \"$x\" ]", "test -d a -a -f b"],
        &["test -v 'a[$(x)]'", "[ -v a ]", "[ $x $y ]", "[ -R a ]"],
    ),
    parse("pwd", &Grammar { options: &[flags("-L -P -W --logical --physical")], operands: WORDS, ..TAME }, &["pwd", "pwd -P"], &["pwd --exec"]),
    parse("sleep", &Grammar { operands: super::grammar::Operands { rest: Some(Int), ..WORDS }, ..READER }, &["sleep 1", "sleep 0.5s"], &["sleep --frob"]),
    parse("getopt", &Grammar { options: &[value("-o -l -n --options --longoptions --name", Text)], operands: WORDS, ..READER }, &["getopt -o ab -- -a"], &["getopt --frob"]),
];

/// Words that look like options but are none: everything is printed or compared.
const ECHO: Grammar = Grammar { literal_dashes: true, ..TAME };

/// Bash's `printf -v NAME` assigns, and evaluates what stands in a subscript.
fn printf(seen: &Scan<'_>, _: &Context<'_>) -> Option<Finding> {
    let format = seen.operands.first()?;
    let opaque = matches!(&format.value, Value::Opaque(o) if o.may_be_option);
    opaque.then(|| unknown("printf.word".into(), format, "`printf` may be told to assign a variable".into()))
}

/// Bash's `test -v NAME` and `-R NAME` evaluate what stands in a subscript.
fn test(seen: &Scan<'_>, _: &Context<'_>) -> Option<Finding> {
    let several = seen.operands.iter().filter(|word| matches!(&word.value, Value::Opaque(o) if o.may_be_option)).count() > 1;
    seen.operands.iter().find_map(|word| match &word.value {
        Value::Literal(text) if matches!(text.as_str(), "-v" | "-R") => {
            Some(unknown("test.-v".into(), word, "`test -v` evaluates its operand".into()))
        }
        Value::Literal(_) => None,
        Value::Opaque(o) if o.may_be_option && (o.may_split || several) => {
            Some(unknown("test.word".into(), word, format!("`{}` may become `-v`, which evaluates its operand", word.source)))
        }
        Value::Opaque(_) => None,
    })
}
