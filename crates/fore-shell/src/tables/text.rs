//! Programs that print, cut, sort and compare text.

use super::{
    grammar::{
        Grammar, NOTHING, ONE_PATH_THEN_OUTPUT, Operands, Order, PATHS, READER, Row, TAME, Type::*,
        WORDS, ask, attached, flags, output, parse, runs_with, value, writes_with,
    },
    verdict::{because, read_path, unknown},
};
use crate::{
    context::Context,
    finding::{Finding, Kind},
    word::{Value, Word},
};

pub(super) const ROWS: &[Row] = &[
    parse(
        "cat tac rev zcat bzcat xzcat lzcat zstdcat gzcat lz4cat",
        &Grammar {
            options: &[
                flags("-A -b -e -E -n -s -t -T -u -v -l -r -p -f -k -q -h -d -c -z"),
                flags(
                    "--show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting",
                ),
                flags("--before --regex --force --quiet --stdout --decompress"),
                value("-S --suffix --separator", Text),
            ],
            tame: true,
            ..READER
        },
        &[
            "cat a b",
            "cat -n src/main.rs",
            "cat -- -x",
            "zcat a.gz",
            "cat $x",
            "tac log.txt",
        ],
        &["cat --output=x a", "./cat a", "/tmp/x/cat a"],
    ),
    parse(
        "nl",
        &Grammar {
            options: &[
                flags("-p --no-renumber"),
                value(
                    "-b -d -f -h -i -l -n -s -v -w --body-numbering --header-numbering --footer-numbering --line-increment",
                    Text,
                ),
                value(
                    "--section-delimiter --join-blank-lines --number-format --number-separator --starting-line-number --number-width",
                    Text,
                ),
            ],
            ..TAME
        },
        &["nl f", "nl -ba f", "nl -b a -w 4 f"],
        &["nl --exec f"],
    ),
    parse(
        "head",
        &Grammar {
            options: &[
                value("-n -c --lines --bytes", Int),
                flags("-q -v -z --quiet --silent --verbose --zero-terminated"),
            ],
            digits: true,
            ..TAME
        },
        &[
            "head -20 a",
            "head -n 5 a b",
            "head -n5 a",
            "head -c 100 f",
            "head --lines=3 f",
            "head a -n 3",
            "head -n $n f",
        ],
        &["head --exec a"],
    ),
    parse(
        "tail",
        &Grammar {
            options: &[
                value("-n -c -b --lines --bytes", Int),
                value("--pid -s --sleep-interval --max-unchanged-stats", Int),
                attached("--follow", Text),
                flags("-f -F -q -v -z -r --retry --quiet --silent --verbose --zero-terminated"),
            ],
            digits: true,
            ..TAME
        },
        &[
            "tail -f log",
            "tail -n +5 f",
            "tail -5 f",
            "tail -50f log",
            "tail --follow=name x",
        ],
        &["tail --exec x"],
    ),
    parse(
        "wc",
        &Grammar {
            options: &[
                flags("-c -m -l -L -w --bytes --chars --lines --max-line-length --words"),
                value("--files0-from", ReadPath),
                value("--total", Text),
            ],
            ..TAME
        },
        &["wc -l a b", "wc --files0-from=list", "wc"],
        &["wc --frob"],
    ),
    parse(
        "cut paste join comm expand unexpand fold fmt tsort look",
        &Grammar {
            options: &[
                value(
                    "-b -c -f -d -w -t -j -1 -2 -a -v -o -e -p -g --delimiter --fields --characters --bytes --width",
                    Text,
                ),
                value(
                    "--output-delimiter --delimiters --tabs --prefix --goal",
                    Text,
                ),
                flags(
                    "-s -n -z -i -u -q -h -m -D -l --only-delimited --complement --zero-terminated --serial --ignore-case",
                ),
                flags(
                    "--check-order --nocheck-order --header --total --initial --first-only --spaces --crown-margin",
                ),
                flags("--split-only --uniform-spacing --tagged-paragraph -3 -12 -23 -13 -123"),
            ],
            digits: true,
            ..TAME
        },
        &[
            "cut -d: -f1 /etc/passwd",
            "cut -d ' ' -f 2-3",
            "paste -sd+ a",
            "comm -12 a b",
            "join -t, a b",
            "fold -w 80 f",
            "fmt -80 f",
        ],
        &["cut --exec x"],
    ),
    parse(
        "tr",
        &Grammar {
            options: &[flags(
                "-c -C -d -s -t -u --complement --delete --squeeze-repeats --truncate-set1",
            )],
            operands: WORDS,
            order: Order::OptionsFirst,
            ..TAME
        },
        &["tr a b", "tr -d '\\n'", "tr -cd a-z", "tr a-z A-Z"],
        &["tr --frob a"],
    ),
    parse(
        "sort gsort",
        &Grammar {
            options: &[
                flags(
                    "-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z --ignore-leading-blanks --dictionary-order",
                ),
                flags(
                    "--ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort",
                ),
                flags(
                    "--numeric-sort --random-sort --reverse --version-sort --merge --stable --unique --zero-terminated --debug",
                ),
                value("-k -t --key --field-separator --sort", Text),
                value("-S --buffer-size --parallel --batch-size", Int),
                value("--files0-from --random-source", ReadPath),
                attached("--check", Text),
                output("-o --output"),
                writes_with("-T --temporary-directory", "writes temporary files there"),
                runs_with("--compress-program", "starts a program"),
            ],
            ..READER
        },
        &[
            "sort a",
            "sort -k2,2nr -t: a",
            "sort -u",
            "sort -rn a b",
            "sort a -o /dev/null",
            "sort -k \"$x\" a",
            "sort -- -o",
        ],
        &[
            "sort -o f a",
            "sort -of a",
            "sort a -o f",
            "sort --output=f a",
            "sort --out=f a",
            "sort -uo f a",
            "sort --compress-program=sh a",
            "sort -T /tmp a",
            "sort -k $x -o f",
            "sort $x",
            "sort --o f a",
            "sort \"$x\"",
        ],
    ),
    parse(
        "uniq",
        &Grammar {
            options: &[
                flags(
                    "-c -d -D -i -u -z --count --repeated --ignore-case --unique --zero-terminated",
                ),
                value("-f -s -w --skip-fields --skip-chars --check-chars", Int),
                attached("--all-repeated --group", Text),
            ],
            operands: ONE_PATH_THEN_OUTPUT,
            order: Order::OptionsFirst,
            digits: true,
            ..READER
        },
        &["uniq", "uniq -c", "uniq -c a", "uniq -f 1 a"],
        &[
            "uniq a b",
            "uniq -c a b",
            "uniq $x",
            "uniq a $x",
            "uniq -- a b",
            "uniq a -c",
        ],
    ),
    parse(
        "column",
        &Grammar {
            options: &[
                flags(
                    "-t -x -n -e -J -R -L -d --table --fillrows --json --keep-empty-lines --table-noheadings --table-maxout",
                ),
                value(
                    "-s -c -o -N -O -H -E -r -T -l -W -i -p --separator --output-separator --columns --output-width",
                    Text,
                ),
                value(
                    "--table-columns --table-name --table-right --table-hide --table-truncate --table-columns-limit",
                    Text,
                ),
                value("--table-order --table-wrap --table-noextreme", Text),
            ],
            ..TAME
        },
        &["column -t", "column -t -s, f", "column -ts: /etc/passwd"],
        &["column --exec"],
    ),
    parse(
        "diff colordiff cmp diff3",
        &Grammar {
            options: &[
                flags(
                    "-a -b -B -c -d -e -f -h -i -l -n -N -p -P -q -r -s -t -T -u -v -w -y -E -Z -A -x -X -m -3",
                ),
                flags(
                    "--brief --side-by-side --unified --context --recursive --text --ignore-case --ignore-all-space",
                ),
                flags(
                    "--ignore-space-change --ignore-blank-lines --ignore-trailing-space --ignore-tab-expansion --new-file",
                ),
                flags(
                    "--report-identical-files --minimal --speed-large-files --suppress-common-lines --left-column --normal",
                ),
                flags(
                    "--strip-trailing-cr --expand-tabs --initial-tab --show-c-function --no-dereference --rcs --ed --verbose",
                ),
                flags(
                    "--print-bytes --quiet --silent --unidirectional-new-file --no-ignore-file-name-case --merge --easy-only",
                ),
                attached("--unified --context --color", Text),
                value(
                    "-U -C -W -I -F -D -S -x -X --exclude --exclude-from --ignore-matching-lines --label -L --width",
                    Text,
                ),
                value(
                    "--show-function-line --ifdef --starting-file --from-file --to-file --tabsize --horizon-lines",
                    Text,
                ),
                value(
                    "--line-format --old-line-format --new-line-format --unchanged-line-format --palette --bytes --ignore-initial",
                    Text,
                ),
                value(
                    "--unchanged-group-format --changed-group-format --old-group-format --new-group-format",
                    Text,
                ),
            ],
            digits: true,
            ..TAME
        },
        &[
            "diff a b",
            "diff -ru a b",
            "diff -U3 a b",
            "diff -y --suppress-common-lines a b",
            "cmp -s a b",
            "diff -q a b",
            "diff -U 5 a b",
        ],
        &["diff --output=x a b"],
    ),
    parse(
        "zdiff zcmp bzdiff xzdiff",
        &Grammar {
            options: &[flags("-u -q -r -b -w -i -s -y"), value("-U", Int)],
            ..READER
        },
        &["zdiff a.gz b.gz"],
        &["zdiff --frob a b"],
    ),
    parse(
        "bc",
        &Grammar {
            options: &[
                flags("-l -q -s -w -i --mathlib --quiet"),
                value("-e --expression", Text),
            ],
            ..TAME
        },
        &["bc -l", "bc"],
        &["bc --frob"],
    ),
    parse(
        "sdiff",
        &Grammar {
            options: &[
                flags("-i -b -B -W -E -a -l -s -d -t -H"),
                value("-w -I --width", Text),
                output("-o --output"),
            ],
            ..READER
        },
        &["sdiff a b", "sdiff -s a b"],
        &["sdiff -o out a b"],
    ),
    parse(
        "pr",
        &Grammar {
            options: &[
                flags(
                    "-a -c -d -f -F -J -m -p -r -t -T -v --across --merge --omit-header --double-space",
                ),
                attached("-e -i -n -s -S", Text),
                value(
                    "-h -l -N -o -w -W -D --columns --header --length --width --indent",
                    Text,
                ),
            ],
            digits: true,
            ..TAME
        },
        &["pr -2 f", "pr -t -n f", "pr -m a b"],
        &["pr --exec"],
    ),
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
            ..TAME
        },
        &[
            "od -c f",
            "od -A x -t x1z f",
            "od -An -tx1 -N16 f",
            "hexdump -C f",
            "hexdump -C -n 64 f",
        ],
        &["od --exec f"],
    ),
    ask(
        "xxd",
        xxd,
        &[
            "xxd f",
            "xxd -l 16 f",
            "xxd -c8 f",
            "xxd -p",
            "xxd -r -p",
            "xxd -s 4 -l 4 f",
            "xxd -ps f",
            "xxd --version",
        ],
        &[
            "xxd a b",
            "xxd -r a b",
            "xxd -ps a b",
            "xxd -l 16 a b",
            "xxd $x",
            "xxd a $x",
            "xxd -q a",
        ],
    ),
    parse(
        "strings",
        &Grammar {
            options: &[
                flags(
                    "-a -f -o -w -d --all --print-file-name --data --include-all-whitespace - -arch",
                ),
                value(
                    "-n -t -e -T -s -U --bytes --radix --encoding --target --output-separator",
                    Text,
                ),
            ],
            digits: true,
            ..TAME
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
        &[
            "base64 -o out f",
            "base64 -i in -o out",
            "base64 $x",
            "base64 -do out",
        ],
    ),
    parse(
        "shuf",
        &Grammar {
            options: &[
                flags("-e -r -z --echo --repeat --zero-terminated"),
                value("-i -n --input-range --head-count", Int),
                value("--random-source", ReadPath),
                output("-o --output"),
            ],
            ..READER
        },
        &["shuf -n 5 f", "shuf -i 1-10"],
        &["shuf -o f f", "shuf --output=f f"],
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
        "seq factor yes numfmt expr",
        &Grammar {
            options: &[
                flags("-w --equal-width -z --debug --grouping -h --exponents --zero-terminated"),
                value(
                    "-s -f -t -d --separator --format --to --from --suffix --padding --field --delimiter --round --to-unit --from-unit --invalid",
                    Text,
                ),
                attached("--header", Int),
            ],
            operands: WORDS,
            digits: true,
            ..TAME
        },
        &[
            "seq 1 10",
            "seq -w 1 3",
            "seq -s, 1 9",
            "expr 1 + 2",
            "numfmt --to=iec 1024",
            "seq 5 -1 1",
            "yes",
        ],
        &["seq --exec"],
    ),
    parse(
        "tee",
        &Grammar {
            options: &[
                flags("-a -i -p --append --ignore-interrupts"),
                attached("--output-error", Text),
            ],
            operands: Operands {
                first: &[],
                rest: Some(OutPath),
                surplus: (Kind::Writes, "writes files"),
            },
            ..READER
        },
        &[
            "tee",
            "tee /dev/null",
            "tee /dev/stderr",
            "tee -a /dev/null",
        ],
        &[
            "tee f",
            "tee -a f",
            "tee /dev/null f",
            "tee $x",
            "tee -- f",
            "tee /dev/../etc/x",
        ],
    ),
    parse(
        "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum md5 sha256 sha1 b3sum crc32 xxhsum xxh64sum",
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
            ..TAME
        },
        &[
            "sha256sum f",
            "md5sum -c sums",
            "cksum f",
            "shasum -a 256 f",
            "b2sum --tag f",
            "md5 -q f",
        ],
        &["sha256sum --output=x f"],
    ),
    parse(
        "tput",
        &Grammar {
            operands: Operands {
                rest: Some(Enum("cols lines colors bold sgr0 rev smul longname")),
                ..NOTHING
            },
            ..READER
        },
        &["tput cols"],
        &["tput reset", "tput -S"],
    ),
];

/// `xxd` names its options by prefix and takes an output file as second operand, so that it is read word by word.
fn xxd(argv: &[Word], context: &Context<'_>) -> Finding {
    const FLAGS: &str = "-a -autoskip -b -bits -C -d -e -E -EBCDIC -h -help -i -include -p -ps -plain -postscript -r -revert -u -v -version -R --version --help";
    const VALUES: &str = "-c -cols -g -group -groupsize -l -len -n -name -o -offset -s -seek -skip";
    let mut finding = Finding::reads();
    let mut operands = 0;
    let mut words = argv.iter().skip(1);
    while let Some(word) = words.next() {
        let text = match &word.value {
            Value::Literal(text) => text.as_str(),
            Value::Opaque(o) if o.may_be_option || o.may_split => {
                return unknown(
                    "xxd.word".into(),
                    word,
                    format!("`{}` could become more than the file to dump", word.source),
                );
            }
            Value::Opaque(_) => "opaque",
        };
        if operands == 0 && text.starts_with('-') && text != "-" {
            let number = text.get(2..).unwrap_or_default();
            let is_attached = matches!(
                text.as_bytes().get(1),
                Some(b'c' | b'g' | b'l' | b's' | b'o')
            ) && !number.is_empty()
                && number
                    .bytes()
                    .all(|b| b.is_ascii_hexdigit() || matches!(b, b'x' | b'-' | b'+'));
            if VALUES.split(' ').any(|name| name == text) {
                let splits = |word: &Word| matches!(&word.value, Value::Opaque(o) if o.may_split || o.may_be_empty);
                if let Some(value) = words.next().filter(|value| splits(value)) {
                    return unknown(
                        "xxd.word".into(),
                        value,
                        format!("`{}` may be more than one word", value.source),
                    );
                }
            } else if !is_attached && !FLAGS.split(' ').any(|name| name == text) {
                let why = format!("`{text}` is not a known option of `xxd`");
                finding = finding.and(unknown("xxd.option".into(), word, why));
            }
            continue;
        }
        operands += 1;
        if operands > 1 {
            let why = "`xxd` takes its second file as output".to_string();
            return finding.and(because(Kind::Writes, "xxd.operand".into(), word, why));
        }
        if let Some(path) = word.as_literal() {
            read_path(&mut finding, path, context);
        }
    }
    finding
}
