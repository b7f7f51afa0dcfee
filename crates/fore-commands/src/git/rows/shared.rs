//! Option lists that several subcommands share.

use super::super::values::{CERTAIN, FORMAT, MERGES, SORT_FIELD, SUBMODULES};
use crate::grammar::{OptionGroup, ValueType, attached, flags, optional, value};

/// Which commits are walked and how each is shown.
pub(super) const REVISIONS: &[OptionGroup] = &[
    flags(
        "--all-match --invert-grep -i --regexp-ignore-case -E --extended-regexp -F --fixed-strings --perl-regexp \
            -P --basic-regexp --remove-empty --merges --no-merges --no-min-parents --no-max-parents --first-parent \
            --exclude-first-parent-only --not --all --reflog --single-worktree --ignore-missing --bisect --stdin \
            --cherry-mark --cherry-pick --left-only --right-only --cherry -g --walk-reflogs --merge --boundary \
            --simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges --date-order \
            --author-date-order --topo-order --reverse --do-walk --unpacked --in-commit-order --objects \
            --objects-edge --no-filter --filter-print-omitted --exclude-promisor-objects --use-bitmap-index --count \
            --oneline --abbrev-commit --no-abbrev-commit --no-expand-tabs --no-notes --standard-notes \
            --no-standard-notes --relative-date --header --no-commit-header --commit-header --parents --children \
            --timestamp --left-right --graph --no-graph --no-show-signature",
    ),
    value(
        "-n --max-count --skip --since --after --since-as-filter --until --before --max-age --min-age --author \
            --committer --grep-reflog --grep --min-parents --max-parents --glob --exclude --progress --encoding \
            --date --default",
        ValueType::Text,
    ),
    value("--exclude-hidden --filter --missing", CERTAIN),
    value("--format", FORMAT),
    attached(
        "--branches --tags --remotes --ancestry-path --no-walk --disk-usage --expand-tabs --notes --show-notes \
            --show-linear-break",
        ValueType::Text,
    ),
    attached("--pretty", FORMAT),
];

/// How differences are found and shown.
pub(super) const DIFF: &[OptionGroup] = &[
    flags(
        "-p -u --patch -s --no-patch -W --function-context --no-function-context --raw --patch-with-raw \
            --patch-with-stat --numstat --shortstat --cumulative --check --summary --name-only --name-status \
            --compact-summary --no-compact-summary --binary --full-index --no-full-index --no-color -z --no-abbrev \
            --no-prefix --default-prefix -D --irreversible-delete --find-copies-harder --no-find-copies-harder \
            --no-renames --rename-empty --no-rename-empty --follow --no-follow --minimal -w --ignore-all-space -b \
            --ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines --indent-heuristic \
            --no-indent-heuristic --patience --histogram --no-color-moved --no-color-moved-ws --no-relative -a \
            --text --no-text -R --exit-code --quiet --no-ext-diff --no-textconv --ita-invisible-in-index \
            --ita-visible-in-index --pickaxe-all --pickaxe-regex",
    ),
    value(
        "--stat-width --stat-name-width --stat-graph-width --stat-count --ws-error-highlight --src-prefix \
            --dst-prefix --line-prefix --inter-hunk-context --output-indicator-new --output-indicator-old \
            --output-indicator-context -l -I --ignore-matching-lines --diff-algorithm --anchored --word-diff-regex \
            --color-moved-ws -S -G -O --rotate-to --skip-to --find-object --diff-filter",
        ValueType::Text,
    ),
    attached(
        "-U --unified -X --dirstat --dirstat-by-file --stat --color --abbrev -B --break-rewrites -M \
            --find-renames -C --find-copies --word-diff --color-words --color-moved --relative --ignore-submodules",
        ValueType::Text,
    ),
    attached("--submodule", SUBMODULES),
];

/// How merges are shown, and what log adds.
pub(super) const LOG: &[OptionGroup] = &[
    flags(
        "-m -c --cc --dd --no-diff-merges --combined-all-paths -t -r -q --source --no-source --use-mailmap \
            --no-use-mailmap --mailmap --no-mailmap --clear-decorations --no-decorate --log-size --full-diff --root",
    ),
    value("--decorate-refs --decorate-refs-exclude -L", ValueType::Text),
    value("--diff-merges", MERGES),
    attached("--decorate", ValueType::Text),
];

/// How references are chosen, sorted and shown.
pub(super) const REFERENCES: &[OptionGroup] = &[
    flags("--no-sort --no-color -i --ignore-case --omit-empty --no-omit-empty"),
    value("--points-at", ValueType::Text),
    value("--format", FORMAT),
    value("--sort", SORT_FIELD),
    attached("--color", ValueType::Text),
    optional("--contains --no-contains --with --without --merged --no-merged", ValueType::Text),
];
