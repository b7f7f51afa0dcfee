//! Programs that search in files.

use super::{
    catalogue::{OptionScope, scan},
    grammar::{
        ALWAYS_READS, CommandRow, Grammar, PATTERN_PATHS, READER, ValueType::*, ask, attached, flags, parse, runs,
        runs_with, value, writes, writes_with,
    },
};
use fore_shell::{CommandKind, Finding, JudgeContext, Word};

const GREP: &[super::grammar::OptionGroup] = &[
    flags("-a -b -c -E -F -G -H -h -i -I -J -L -l -n -o -O -P -p -q -R -r -S -s -T -U -u -V -v -w -x -y -z -Z"),
    flags(
        "--extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --word-regexp",
    ),
    flags("--line-regexp --null-data --no-messages --invert-match --byte-offset --line-number --line-buffered"),
    flags("--with-filename --no-filename --only-matching --quiet --silent --text --recursive --dereference-recursive"),
    flags("--files-without-match --files-with-matches --count --initial-tab --null --binary --unix-byte-offsets"),
    attached("--color --colour", Text),
    value("-e --regexp -A -B -C -m -d -D --max-count --label --binary-files --directories --devices", Text),
    value(
        "--include --exclude --exclude-dir --after-context --before-context --context --group-separator --exclude-from",
        Text,
    ),
    flags("--no-group-separator"),
    value("-f --file", ReadPath),
];

pub(super) const ROWS: &[CommandRow] = &[
    parse(
        "grep egrep fgrep ggrep rgrep",
        &Grammar {
            options: GREP,
            operands: PATTERN_PATHS,
            digits: true,
            replaces_first: "-e -f --regexp --file",
            ..ALWAYS_READS
        },
        &[
            "grep -rn foo src",
            "grep foo f",
            "grep -C3 foo f",
            "grep -3 foo f",
            "grep -e a -e b f",
            "grep -rn --include=*.rs foo .",
            "grep --include '*.ts' -rl x .",
            "grep foo $x",
            "egrep 'a|b' f",
            "grep -c '' f",
            "grep -n \"git apply\\|--check\" file",
        ],
        &["grep --pager=sh foo", "grep --exec x"],
    ),
    parse(
        "zgrep zegrep zfgrep bzgrep xzgrep zstdgrep",
        &Grammar {
            options: GREP,
            operands: PATTERN_PATHS,
            digits: true,
            replaces_first: "-e -f --regexp --file",
            ..READER
        },
        &["zgrep foo a.gz", "zgrep -i -c foo a.gz"],
        &["zgrep --frob x"],
    ),
    parse(
        "rg ripgrep",
        &Grammar {
            options: &[
                flags("-a -b -c -F -H -h -I -i -L -l -N -n -o -p -P -q -S -s -U -u -v -V -w -x -0 -."),
                flags(
                    "--text --byte-offset --count --count-matches --fixed-strings --no-fixed-strings --with-filename --no-filename",
                ),
                flags(
                    "--ignore-case --case-sensitive --smart-case --follow --no-follow --files-with-matches --files-without-match",
                ),
                flags(
                    "--line-number --no-line-number --only-matching --pretty --pcre2 --no-pcre2 --quiet --no-messages --multiline",
                ),
                flags(
                    "--no-multiline --multiline-dotall --unrestricted --invert-match --word-regexp --line-regexp --null --null-data",
                ),
                flags(
                    "--hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot --no-ignore-global",
                ),
                flags(
                    "--no-ignore-exclude --no-ignore-files --ignore-vcs --no-require-git --require-git --files --type-list",
                ),
                flags(
                    "--stats --no-stats --json --heading --no-heading --vimgrep --column --no-column --passthru --trim --no-trim",
                ),
                flags(
                    "--line-buffered --block-buffered --crlf --mmap --no-mmap --one-file-system --include-zero --binary",
                ),
                flags(
                    "--max-columns-preview --auto-hybrid-regex --pcre2-version --no-unicode --sort-files --no-config --debug",
                ),
                flags(
                    "--trace --glob-case-insensitive --ignore-file-case-insensitive --stop-on-nonmatch --no-pre --no-search-zip",
                ),
                flags(
                    "--no-context-separator --no-encoding --no-invert-match --messages --ignore --no-json --no-crlf --no-binary",
                ),
                value(
                    "-A -B -C -m -M -j -d --after-context --before-context --context --max-count --max-columns --threads",
                    Int,
                ),
                value("--max-depth --maxdepth --max-filesize --dfa-size-limit --regex-size-limit", Int),
                value(
                    "-e -g -t -T -r -E --regexp --glob --iglob --type --type-not --type-add --type-clear --replace --encoding",
                    Text,
                ),
                value(
                    "--color --colors --context-separator --field-context-separator --field-match-separator --sort --sortr",
                    Text,
                ),
                value("--engine --path-separator --pre-glob --generate --hyperlink-format", Text),
                value("-f --file --ignore-file", ReadPath),
                runs_with("--pre", "starts a program for every file"),
                runs_with("--hostname-bin", "starts a program"),
                runs("-z --search-zip", "starts programs that uncompress"),
            ],
            operands: PATTERN_PATHS,
            replaces_first: "-e -f --regexp --file --files --type-list",
            ..READER
        },
        &[
            "rg foo",
            "rg -n 'fn main' src",
            "rg -t rust -l foo",
            "rg --files -g '*.rs'",
            "rg -uu foo",
            "rg foo -A 3",
            "rg -A3 -B2 x",
            "rg --json foo",
            "rg -e a -e b src",
            "rg foo \"src/$x\"",
            "rg -g \"!*.md\" foo",
            "rg --max-count=5 foo",
            "rg -- --pre",
        ],
        &[
            "rg --pre sh foo",
            "rg --pre=sh foo",
            "rg -z foo",
            "rg -nz foo",
            "rg --hostname-bin=x foo",
            "rg $x",
            "rg foo $x",
            "rg --pr=sh x",
        ],
    ),
    ask(
        "fd fdfind",
        fd,
        &[
            "fd",
            "fd -e rs",
            "fd -t f foo src",
            "fd -H -I foo",
            "fd -e rs -x wc -l",
            "fd foo -X grep -n bar",
            "fd --version",
            "fd -x cat {} \\; -e rs",
        ],
        &[
            "fd -x rm",
            "fd -e rs --exec rm",
            "fd -X sh -c x",
            "fd -xrm",
            "fd --exec=rm foo",
            "fd -e rs -x sort",
            "fd -Hx rm",
            "fd $x",
            "fd -C sub -x git status",
        ],
    ),
    parse(
        "ag",
        &Grammar {
            options: &[
                flags(
                    "-a -c -D -f -F -H -i -l -L -n -o -Q -r -R -s -S -t -u -U -v -w -0 --count --hidden --ignore-case --case-sensitive",
                ),
                flags(
                    "--smart-case --files-with-matches --files-without-matches --literal --nocolor --nogroup --nobreak --noheading --numbers --column --vimgrep --stats --all-types --all-text --no-numbers --fixed-strings --word-regexp --list-file-types --follow --filename --nofilename --only-matching --print-long-lines --recurse --norecurse --skip-vcs-ignores --unrestricted --invert-match --silent --break --heading --color --group",
                ),
                attached("-A -B -C --after --before --context", Int),
                value(
                    "-g -G -m -p -W --file-search-regex --max-count --ignore --ignore-dir --depth --path-to-ignore --width",
                    Text,
                ),
                runs_with("--pager", "starts a program"),
            ],
            operands: PATTERN_PATHS,
            digits: true,
            ..READER
        },
        &["ag foo", "ag -i foo src", "ag -l foo"],
        &["ag --pager=sh foo", "ag $x"],
    ),
    parse(
        "ack",
        &Grammar {
            options: &[
                flags(
                    "-i -I -v -w -Q -l -L -c -n -h -H -f -r -R -s -x -o -1 --nocolor --nogroup --noheading --nobreak --count --column --literal --no-filename --with-filename --smart-case --ignore-case --noenv",
                ),
                attached(
                    "-A -B -C -m -t -T --type --ignore-dir --ignore-directory --ignore-file --match --max-count --context --after-context --before-context",
                    Text,
                ),
                runs_with("--pager --output", "may run code"),
                writes_with("--ackrc", "reads options from a file"),
                writes("--create-ackrc --dump --bar --thpppt", "is not a search"),
            ],
            operands: PATTERN_PATHS,
            check: Some(|seen, _| {
                (!seen.has("--noenv")).then(|| seen.verdict(CommandKind::Runs, "ackrc", "obeys the project's `.ackrc`"))
            }),
            ..READER
        },
        &["ack --noenv foo", "ack --noenv -i foo lib", "ack --noenv -l foo"],
        &["ack foo", "ack --pager=sh foo", "ack --output='$&' foo", "ack --ackrc=x foo", "ack -C --pager=x foo"],
    ),
];

static FD: Grammar = Grammar {
    options: &[
        flags(
            "-H -I -u -s -i -g -F -a -l -L -p -0 -1 -q -h -V --hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-global-ignore-file",
        ),
        flags(
            "--unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --list-details --follow",
        ),
        flags(
            "--full-path --print0 --prune --quiet --show-errors --one-file-system --has-results --no-follow --no-hidden --relative-path",
        ),
        flags("--no-require-git --require-git --ignore --ignore-vcs"),
        attached("--strip-cwd-prefix --hyperlink", Text),
        value(
            "-d -t -e -E -S -o -c -j -C --max-depth --min-depth --exact-depth --type --extension --exclude --size --owner --color --threads --base-directory",
            Text,
        ),
        value(
            "--and --changed-within --changed-before --newer --older --change-newer-than --change-older-than --max-results --path-separator --search-path --batch-size --format --max-buffer-time",
            Text,
        ),
        value("--ignore-file", ReadPath),
        runs_with("-x -X --exec --exec-batch", "starts a program"),
    ],
    operands: PATTERN_PATHS,
    ..READER
};

/// `fd` runs a command for what it finds; that command is judged with anything in place of the file name.
fn fd(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    if matches!(words, [only] if matches!(only.as_literal(), Some("--version" | "--help"))) {
        return Finding::reads();
    }
    let exec = words.iter().position(|word| matches!(word.as_literal(), Some("-x" | "-X" | "--exec" | "--exec-batch")));
    let Some(start) = exec else {
        return scan("fd", program, words, &FD, OptionScope::NONE, context).finding;
    };
    let (before, after) = words.split_at(start);
    let end = after.iter().position(|word| word.as_literal() == Some(";")).unwrap_or(after.len());
    let inner = after.get(1..end).unwrap_or_default();
    let rest = after.get(end + 1..).unwrap_or_default();
    let Some(deeper) = context.deeper() else {
        return Finding::unknown("fd.depth", program, "too deeply nested to judge");
    };
    // `fd --exclude -x rm`: here `-x` would be a value and not an option.
    let scanned = scan("fd", program, before, &FD, OptionScope::NONE, context);
    let mut outer = scanned.finding.clone();
    if scanned.has("-C --base-directory") {
        outer = outer.and(scanned.unknown("-C", "starts the command in another folder"));
    }
    if before.last().and_then(Word::as_literal).is_some_and(|text| text.starts_with('-') && takes_value(text)) {
        outer = outer.and(Finding::unknown("fd.exec", program, "`fd` may take its `-x` as a value"));
    }
    let mut command: Vec<Word> = Vec::with_capacity(inner.len() + 1);
    let mut placed = false;
    for word in inner {
        // `{}`, `{.}`, `{/}`, `{//}`, `{/.}` stand for parts of the path.
        let takes_path = word.as_literal().is_some_and(|text| text.contains('{') && text.contains('}'));
        placed |= takes_path;
        command.push(if takes_path { Word::anything(&word.source) } else { word.clone() });
    }
    if !placed {
        command.push(Word::anything("{}"));
    }
    outer = outer.and(fore_shell::judge_argv(&command, &deeper));
    if rest.is_empty() { outer } else { outer.and(scan("fd", program, rest, &FD, OptionScope::NONE, context).finding) }
}

fn takes_value(text: &str) -> bool {
    let last = text.chars().last().unwrap_or('-');
    let short = format!("-{last}");
    let name = if text.starts_with("--") { text } else { short.as_str() };
    FD.options
        .iter()
        .any(|group| group.arity == super::grammar::Arity::One && group.names.split(' ').any(|one| one == name))
}
