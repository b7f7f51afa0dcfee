//! Programs that compare files.

use super::grammar::{
    ALWAYS_READS, CommandRow, Grammar, READER, ValueType::*, attached, flags, output, parse, runs_with, value,
};

pub(super) const ROWS: &[CommandRow] = &[
    parse(
        "diff cmp",
        &Grammar {
            options: &[
                flags("-a -b -B -c -d -e -f -h -i -l -n -N -p -P -q -r -s -t -T -u -v -w -y -E -Z -A -x -X -m -3"),
                flags("--brief --side-by-side --recursive --text --ignore-case --ignore-all-space"),
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
                value("--unchanged-group-format --changed-group-format --old-group-format --new-group-format", Text),
            ],
            digits: true,
            ..ALWAYS_READS
        },
        &[
            "diff a b",
            "diff -ru a b",
            "diff -U3 a b",
            "diff -y --suppress-common-lines a b",
            "cmp -s a b",
            "diff -q a b",
            "diff -U 5 a b",
            "diff --unified a b",
            "diff --unified=0 a b",
        ],
        &["diff --output=x a b"],
    ),
    parse(
        // Not `ALWAYS_READS`: `--diff-program` starts what it names.
        "diff3 colordiff",
        &Grammar {
            options: &[
                flags("-a -A -e -E -i -m -t -T -x -X -3 -v -u -r -q -b -w -B -N -s -y -c"),
                flags("--text --show-all --ed --show-overlap --merge --initial-tab --easy-only"),
                flags("--overlap-only --strip-trailing-cr --brief --recursive --unified"),
                value("-L --label -U", Text),
                runs_with("--diff-program", "starts a program"),
            ],
            ..READER
        },
        &["diff3 a b c", "diff3 -m a b c", "colordiff -ru a b"],
        &["diff3 --diff-program=./x a b c", "diff3 $x a b c", "diff3 --diff-p ./x a b c"],
    ),
    parse(
        "zdiff zcmp bzdiff xzdiff",
        &Grammar { options: &[flags("-u -q -r -b -w -i -s -y"), value("-U", Int)], ..READER },
        &["zdiff a.gz b.gz"],
        &["zdiff --frob a b"],
    ),
    parse(
        "sdiff",
        &Grammar {
            options: &[flags("-i -b -B -W -E -a -l -s -d -t -H"), value("-w -I --width", Text), output("-o --output")],
            ..READER
        },
        &["sdiff a b", "sdiff -s a b"],
        &["sdiff -o out a b"],
    ),
];
