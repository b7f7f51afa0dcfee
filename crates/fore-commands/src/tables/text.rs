//! Programs that print, cut, sort and compare text.

use super::grammar::{
    ALWAYS_READS, CommandRow, Grammar, NOTHING, ONE_PATH_THEN_OUTPUT, Operands, OptionOrder, READER, ValueType::*,
    WORDS, attached, flags, output, parse, runs_with, value, writes_with,
};
use fore_shell::CommandKind;

pub(super) const ROWS: &[CommandRow] = &[
    parse(
        "cat tac rev zcat bzcat xzcat lzcat gzcat",
        &Grammar {
            options: &[
                flags("-A -b -e -E -n -s -t -T -u -v -l -r -p -f -k -q -h -d -c -z"),
                flags(
                    "--show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting",
                ),
                flags("--before --regex --force --quiet --stdout --decompress"),
                value("-S --suffix --separator", Text),
            ],
            always_reads: true,
            ..READER
        },
        &["cat a b", "cat -n src/main.rs", "cat -- -x", "zcat a.gz", "cat $x", "tac log.txt"],
        &["cat --output=x a", "./cat a", "/tmp/x/cat a"],
    ),
    // Not `ALWAYS_READS`: `-o` writes a file and `--rm` deletes what was read.
    parse(
        "zstdcat lz4cat",
        &Grammar { options: &[flags("-f -q -v -d -c --force --quiet --stdout")], ..READER },
        &["zstdcat a.zst", "lz4cat -q a.lz4"],
        &["zstdcat -o f a.zst", "zstdcat $x", "lz4cat --rm a.lz4"],
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
            ..ALWAYS_READS
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
            ..ALWAYS_READS
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
            ..ALWAYS_READS
        },
        &["tail -f log", "tail -n +5 f", "tail -5 f", "tail -50f log", "tail --follow=name x"],
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
            ..ALWAYS_READS
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
                value("--output-delimiter --delimiters --tabs --prefix --goal", Text),
                flags(
                    "-s -n -z -i -u -q -h -m -D -l --only-delimited --complement --zero-terminated --serial --ignore-case",
                ),
                flags("--check-order --nocheck-order --header --total --initial --first-only --spaces --crown-margin"),
                flags("--split-only --uniform-spacing --tagged-paragraph -3 -12 -23 -13 -123"),
            ],
            digits: true,
            ..ALWAYS_READS
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
            options: &[flags("-c -C -d -s -t -u --complement --delete --squeeze-repeats --truncate-set1")],
            operands: WORDS,
            order: OptionOrder::OptionsFirst,
            ..ALWAYS_READS
        },
        &["tr a b", "tr -d '\\n'", "tr -cd a-z", "tr a-z A-Z"],
        &["tr --frob a"],
    ),
    parse(
        "sort gsort",
        &Grammar {
            options: &[
                flags("-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z --ignore-leading-blanks --dictionary-order"),
                flags("--ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort"),
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
                flags("-c -d -D -i -u -z --count --repeated --ignore-case --unique --zero-terminated"),
                value("-f -s -w --skip-fields --skip-chars --check-chars", Int),
                attached("--all-repeated --group", Text),
            ],
            operands: ONE_PATH_THEN_OUTPUT,
            order: OptionOrder::OptionsFirst,
            digits: true,
            ..READER
        },
        &["uniq", "uniq -c", "uniq -c a", "uniq -f 1 a"],
        &["uniq a b", "uniq -c a b", "uniq $x", "uniq a $x", "uniq -- a b", "uniq a -c"],
    ),
    parse(
        "col",
        &Grammar { options: &[flags("-b -f -h -p -x"), value("-l", Int)], operands: NOTHING, ..READER },
        &["col -b", "col -bx"],
        &["col --frob", "col f"],
    ),
    parse(
        "uuidgen",
        &Grammar { options: &[flags("-r --random")], operands: NOTHING, ..READER },
        &["uuidgen", "uuidgen -r"],
        // By time it keeps a state file.
        &["uuidgen -t"],
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
            ..ALWAYS_READS
        },
        &["column -t", "column -t -s, f", "column -ts: /etc/passwd"],
        &["column --exec"],
    ),
    parse(
        "bc",
        &Grammar {
            options: &[flags("-l -q -s -w -i --mathlib --quiet"), value("-e --expression", Text)],
            ..ALWAYS_READS
        },
        &["bc -l", "bc"],
        &["bc --frob"],
    ),
    parse(
        "pr",
        &Grammar {
            options: &[
                flags("-a -c -d -f -F -J -m -p -r -t -T -v --across --merge --omit-header --double-space"),
                attached("-e -i -n -s -S", Text),
                value("-h -l -N -o -w -W -D --columns --header --length --width --indent", Text),
            ],
            digits: true,
            ..ALWAYS_READS
        },
        &["pr -2 f", "pr -t -n f", "pr -m a b"],
        &["pr --exec"],
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
            ..ALWAYS_READS
        },
        &["seq 1 10", "seq -w 1 3", "seq -s, 1 9", "expr 1 + 2", "numfmt --to=iec 1024", "seq 5 -1 1", "yes"],
        &["seq --exec"],
    ),
    parse(
        "tee",
        &Grammar {
            options: &[flags("-a -i -p --append --ignore-interrupts"), attached("--output-error", Text)],
            operands: Operands { first: &[], rest: Some(OutPath), surplus: (CommandKind::Writes, "writes files") },
            ..READER
        },
        &["tee", "tee /dev/null", "tee /dev/stderr", "tee -a /dev/null"],
        &["tee f", "tee -a f", "tee /dev/null f", "tee $x", "tee -- f", "tee /dev/../etc/x"],
    ),
    parse(
        "tput",
        &Grammar {
            operands: Operands { rest: Some(Enum("cols lines colors bold sgr0 rev smul longname")), ..NOTHING },
            ..READER
        },
        &["tput cols"],
        &["tput reset", "tput -S"],
    ),
];
