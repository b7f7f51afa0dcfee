//! Rows that look at the work tree and the index.

use super::super::values::FORMAT;
use super::{
    super::row::{GitOperands, GitRow},
    shared::DIFF,
};
use crate::grammar::{ValueType, attached, flags, runs, value, writes};
use fore_shell::git::SettingClass::{Drivers, Objects, Pager, WorkTree};

pub(super) const ROWS: &[GitRow] = &[
    GitRow {
        command: "status",
        options: &[&[
            flags(
                "-s --short -b --branch --no-branch --show-stash --long -v --verbose -z --null --no-column --ahead-behind \
            --no-ahead-behind --renames --no-renames",
            ),
            attached(
                "--porcelain -u --untracked-files --ignore-submodules --ignored --column --find-renames -M",
                ValueType::Text,
            ),
        ]],
        numbers: false,
        operands: GitOperands::Any,
        touches: &[WorkTree, Drivers, Pager],
        refused: &[],
        reads: &["status", "status -sb", "status --porcelain=v2", "status -uno", "status --short -- src"],
        others: &["status --bogus", "status --help"],
    },
    GitRow {
        command: "diff",
        options: &[
            DIFF,
            &[flags("--cached --staged --merge-base --no-index --base --ours --theirs -0 -1 -2 -3 -q -c --cc")],
        ],
        numbers: false,
        operands: GitOperands::Any,
        touches: &[WorkTree, Drivers, Objects, Pager],
        refused: &[],
        reads: &[
            "diff",
            "diff --stat",
            "diff --cached --name-only",
            "diff HEAD~3 -- src",
            "diff main...feature",
            "diff --no-index a b",
            "diff -U10 --word-diff",
            "diff --diff-filter=AM --name-status",
            "diff --no-ext-diff --no-textconv",
        ],
        others: &[
            "diff --output=x",
            "diff --output x",
            "diff --ext-diff",
            "diff --ext",
            "diff --textconv",
            "diff --submodule=diff",
            "diff -- -x",
        ],
    },
    GitRow {
        command: "diff-files",
        options: &[DIFF, &[flags("-q -0 -1 -2 -3 -c --cc")]],
        numbers: false,
        operands: GitOperands::Any,
        touches: &[WorkTree, Drivers, Objects],
        refused: &[],
        reads: &["diff-files --name-only", "diff-files --quiet"],
        others: &["diff-files --output=x -p", "diff-files --textconv -p"],
    },
    GitRow {
        command: "diff-index",
        options: &[DIFF, &[flags("--cached -m --merge-base")]],
        numbers: false,
        operands: GitOperands::Any,
        touches: &[WorkTree, Drivers, Objects],
        refused: &[],
        reads: &["diff-index --quiet HEAD", "diff-index --cached --name-only HEAD --"],
        others: &["diff-index --output=x HEAD", "diff-index --ext-diff HEAD"],
    },
    GitRow {
        command: "ls-files",
        options: &[&[
            flags(
                "-z -t -v -f -c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -k --killed \
            --directory --no-empty-directory --empty-directory --eol -u --unmerged --resolve-undo --exclude-standard \
            --full-name --error-unmatch --debug --deduplicate --sparse",
            ),
            value("-x --exclude -X --exclude-from --exclude-per-directory --with-tree", ValueType::Text),
            value("--format", FORMAT),
            attached("--abbrev", ValueType::Text),
        ]],
        numbers: false,
        operands: GitOperands::Any,
        touches: &[WorkTree],
        refused: &[],
        reads: &["ls-files", "ls-files -m", "ls-files --others --exclude-standard", "ls-files -- src", "ls-files *.rs"],
        others: &["ls-files --recurse-submodules", "ls-files --bogus"],
    },
    GitRow {
        command: "grep",
        options: &[&[
            flags(
                "--cached --no-index --untracked --no-exclude-standard --exclude-standard -v --invert-match -i \
            --ignore-case -w --word-regexp -a --text -I -r --recursive --no-recursive -E --extended-regexp -G \
            --basic-regexp -F --fixed-strings -P --perl-regexp -n --line-number --column -h -H --full-name -l \
            --files-with-matches --name-only -L --files-without-match -z --null -o --only-matching -c --count \
            --no-color --break --heading -p --show-function -W --function-context --and --or --not -q --quiet \
            --all-match --no-textconv -( -)",
            ),
            value(
                "--max-depth -C --context -B --before-context -A --after-context --threads -f -e -m --max-count",
                ValueType::Text,
            ),
            attached("--color", ValueType::Text),
        ]],
        numbers: true,
        operands: GitOperands::Any,
        touches: &[WorkTree, Objects, Pager],
        refused: &[runs("-O", "opens files in a program"), runs("--ext-grep", "may run another grep")],
        reads: &[
            "grep foo",
            "grep -n foo -- src",
            "grep -ni -e foo --and -e bar",
            "grep -C3 foo HEAD",
            "grep -l foo *.rs",
        ],
        others: &[
            "grep -O foo",
            "grep -Oless foo",
            "grep --open-files-in-pager=x foo",
            "grep --open foo",
            "grep --textconv foo",
            "grep -nO foo",
        ],
    },
    GitRow {
        command: "check-ignore",
        options: &[&[flags("-q --quiet -v --verbose --stdin -z -n --non-matching --no-index")]],
        numbers: false,
        operands: GitOperands::Any,
        touches: &[],
        refused: &[],
        reads: &["check-ignore -v target"],
        others: &["check-ignore --bogus"],
    },
    GitRow {
        command: "check-attr",
        options: &[&[flags("-a --all --cached --stdin -z"), value("--source", ValueType::Text)]],
        numbers: false,
        operands: GitOperands::Any,
        touches: &[],
        refused: &[],
        reads: &["check-attr -a README.md", "check-attr text -- a b"],
        others: &["check-attr --bogus"],
    },
    GitRow {
        command: "check-mailmap",
        options: &[&[flags("--stdin"), value("--mailmap-file --mailmap-blob", ValueType::Text)]],
        numbers: false,
        operands: GitOperands::Any,
        touches: &[],
        refused: &[],
        reads: &["check-mailmap --stdin"],
        others: &["check-mailmap --bogus"],
    },
    GitRow {
        command: "clean",
        options: &[&[flags("-n --dry-run -d -x -X -q --quiet -f --force"), value("-e --exclude", ValueType::Text)]],
        numbers: false,
        operands: GitOperands::OnlyWith("-n --dry-run", "without `--dry-run` it deletes files"),
        touches: &[WorkTree],
        refused: &[writes("-i", "deletes files")],
        reads: &["clean -n", "clean -nd", "clean --dry-run -d -x"],
        others: &["clean -f", "clean -fd", "clean -ni", "clean", "clean -e n -f", "clean -n --no-dry-run -f"],
    },
    GitRow {
        command: "apply",
        options: &[&[
            flags("--stat --numstat --summary --check -v --verbose -R --reverse"),
            value("-p -C --include --exclude --directory", ValueType::Text),
        ]],
        numbers: false,
        operands: GitOperands::OnlyWith("--stat --numstat --summary --check", "it changes files of the work tree"),
        touches: &[WorkTree],
        refused: &[writes("--apply --index", "changes files"), writes("--cached", "changes the index")],
        reads: &["apply --stat a.patch", "apply --check a.patch"],
        others: &["apply a.patch", "apply --stat --apply a.patch", "apply --check --index a.patch", "apply -R a.patch"],
    },
];
