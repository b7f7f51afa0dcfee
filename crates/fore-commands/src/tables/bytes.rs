//! Programs that show, encode and sum up bytes.

use super::grammar::{
    ALWAYS_READS, CommandRow, Grammar, PATHS, READER, ValueType::*, ask, attached, flags, output, parse, value,
};
use fore_shell::{CommandKind, Finding, JudgeContext, Value, Word};

pub(super) const ROWS: &[CommandRow] = &[
    parse(
        "od hexdump hd",
        &Grammar {
            options: &[
                flags("-a -b -c -C -d -D -e -f -F -h -H -i -I -l -L -o -O -s -v -x -X -V"),
                value(
                    "-A -t -j -N -S -n --address-radix --format --skip-bytes --read-bytes --strings --endian --length --skip",
                    Text,
                ),
                value("-e -f -s --format-file", Text),
                attached("-w --width", Int),
                flags("--canonical --no-squeezing --output-duplicates --traditional"),
            ],
            ..ALWAYS_READS
        },
        &["od -c f", "od -A x -t x1z f", "od -An -tx1 -N16 f", "hexdump -C f", "hexdump -C -n 64 f"],
        &["od --exec f"],
    ),
    ask(
        "xxd",
        xxd,
        &["xxd f", "xxd -l 16 f", "xxd -c8 f", "xxd -p", "xxd -r -p", "xxd -s 4 -l 4 f", "xxd -ps f", "xxd --version"],
        &["xxd a b", "xxd -r a b", "xxd -ps a b", "xxd -l 16 a b", "xxd $x", "xxd a $x", "xxd -q a"],
    ),
    parse(
        "strings",
        &Grammar {
            options: &[
                flags("-a -f -o -w -d --all --print-file-name --data --include-all-whitespace - -arch"),
                value("-n -t -e -T -s -U --bytes --radix --encoding --target --output-separator", Text),
            ],
            digits: true,
            ..ALWAYS_READS
        },
        &["strings a.out", "strings -n 8 a.out", "strings -a -t x f"],
        &["strings --exec f"],
    ),
    parse(
        "base64 base32 basenc",
        &Grammar {
            options: &[
                flags(
                    "-d -D -i --decode --ignore-garbage --base64 --base64url --base32 --base32hex --base16 --base2msbf --z85",
                ),
                value("-w -b --wrap --break", Int),
                output("-o --output"),
            ],
            ..READER
        },
        &["base64 f", "base64 -d", "base64 -w0 f", "base64 --decode f"],
        &["base64 -o out f", "base64 -i in -o out", "base64 $x", "base64 -do out"],
    ),
    parse(
        "iconv",
        &Grammar {
            options: &[
                flags("-c -s -l --list --silent --verbose"),
                value("-f -t --from-code --to-code", Text),
                output("-o --output"),
            ],
            ..READER
        },
        &["iconv -f utf-8 -t latin1 f", "iconv -l"],
        &["iconv -f a -t b -o out f"],
    ),
    parse(
        "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum shasum b3sum xxhsum xxh64sum",
        &Grammar {
            options: &[
                flags(
                    "-b -c -t -w -q -z -r -s -p -0 -U --binary --check --text --tag --zero --ignore-missing --quiet --status",
                ),
                flags("--strict --warn --raw --untagged --base64 --debug --no-names"),
                value("-a -l --algorithm --length --num-threads", Text),
            ],
            operands: PATHS,
            digits: true,
            ..ALWAYS_READS
        },
        &["sha256sum f", "md5sum -c sums", "shasum -a 256 f", "b2sum --tag f"],
        &["sha256sum --output=x f"],
    ),
    parse(
        // On OpenBSD `-h` names a file for the sums, so that no word may turn into an option.
        "cksum sum md5 sha1 sha256",
        &Grammar {
            options: &[
                flags("-b -c -p -q -r -s -t -w -x -z --binary --check --text --tag --untagged"),
                flags("--zero --ignore-missing --quiet --status --strict --warn --raw --base64"),
                flags("--debug --sysv"),
                value("-a -l -o --algorithm --length", Text),
            ],
            digits: true,
            ..READER
        },
        &["cksum f", "md5 -q f", "sum f", "md5 -s text", "cksum -a sha256 f"],
        &["md5 -h out f", "cksum -h out f", "md5 $x f"],
    ),
];

/// `xxd` names its options by prefix and takes an output file as second operand, so that it is read word by word.
fn xxd(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    const FLAGS: &str = "-a -autoskip -b -bits -C -d -e -E -EBCDIC -h -help -i -include -p -ps -plain -postscript -r -revert -u -v -version -R --version --help";
    const VALUES: &str = "-c -cols -g -group -groupsize -l -len -n -name -o -offset -s -seek -skip";
    let mut finding = Finding::reads();
    let mut operands = 0;
    let mut words = argv.iter().skip(1);
    while let Some(word) = words.next() {
        let text = match &word.value {
            Value::Literal(text) => text.as_str(),
            Value::Opaque(o) if o.may_be_option || o.may_split => {
                return Finding::unknown(
                    "xxd.word",
                    word,
                    format!("`{}` could become more than the file to dump", word.source),
                );
            }
            Value::Opaque(_) => "opaque",
        };
        if operands == 0 && text.starts_with('-') && text != "-" {
            let number = text.get(2..).unwrap_or_default();
            let is_attached = matches!(text.as_bytes().get(1), Some(b'c' | b'g' | b'l' | b's' | b'o'))
                && !number.is_empty()
                && number.bytes().all(|b| b.is_ascii_hexdigit() || matches!(b, b'x' | b'-' | b'+'));
            if VALUES.split(' ').any(|name| name == text) {
                let splits = |word: &Word| matches!(&word.value, Value::Opaque(o) if o.may_split || o.may_be_empty);
                if let Some(value) = words.next().filter(|value| splits(value)) {
                    return Finding::unknown(
                        "xxd.word",
                        value,
                        format!("`{}` may be more than one word", value.source),
                    );
                }
            } else if !is_attached && !FLAGS.split(' ').any(|name| name == text) {
                let why = format!("`{text}` is not a known option of `xxd`");
                finding = finding.and(Finding::unknown("xxd.option", word, why));
            }
            continue;
        }
        operands += 1;
        if operands > 1 {
            let why = "`xxd` takes its second file as output".to_string();
            return finding.and(Finding::shown(CommandKind::Writes, "xxd.operand", word, why));
        }
        if let Some(path) = word.as_literal() {
            fore_shell::paths::note_read(&mut finding, path, context);
        }
    }
    finding
}
