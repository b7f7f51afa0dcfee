//! Programs that list and describe files.

use super::grammar::{
    ALWAYS_READS, Arity, CommandRow, Grammar, OptionGroup, PATHS, READER, ValueType::*, WORDS, attached, flags, output,
    parse, runs, runs_with, separate, value, writes, writes_with,
};
use fore_shell::CommandKind;

pub(super) const ROWS: &[CommandRow] = &[
    parse(
        "ls dir vdir gls",
        &Grammar {
            options: &[
                flags(
                    "-a -A -b -B -c -C -d -D -e -f -F -g -G -h -H -i -k -l -L -m -n -N -o -O -p -P -q -Q -r -R -s -S -t -T -u -U -v -W -x -X -y -Z -1 -@ -% -,",
                ),
                flags(
                    "--all --almost-all --author --escape --ignore-backups --directory --dired --file-type --full-time",
                ),
                flags(
                    "--group-directories-first --no-group --human-readable --si --dereference-command-line --dereference",
                ),
                flags(
                    "--dereference-command-line-symlink-to-dir --inode --kibibytes --numeric-uid-gid --literal --hide-control-chars",
                ),
                flags("--show-control-chars --quote-name --reverse --recursive --size --context --zero"),
                attached("--color --classify --hyperlink", Text),
                value(
                    "-I -w --block-size --format --hide --indicator-style --ignore --quoting-style --sort --time --time-style --tabsize --width",
                    Text,
                ),
            ],
            ..ALWAYS_READS
        },
        &["ls", "ls -la", "ls -lah /tmp", "ls --color=auto src", "ls $x", "ls -1 src/*.rs", "/bin/ls -l", "ls --help"],
        &["ls --exec=x", "/tmp/ls"],
    ),
    parse(
        "eza exa lsd",
        &Grammar {
            options: &[
                flags("-1 -l -G -x -R -T -F -a -A -d -D -f -r -b -B -g -h -H -i -n -S -m -u -U -X -Z -@ -O -M -v -V"),
                flags(
                    "--oneline --long --grid --across --recurse --tree --all --almost-all --list-dirs --only-dirs --only-files",
                ),
                flags(
                    "--reverse --group-directories-first --group-directories-last --git-ignore --binary --bytes --group",
                ),
                flags(
                    "--header --links --inode --numeric --blocksize --modified --accessed --created --changed --extended",
                ),
                flags(
                    "--no-permissions --no-filesize --no-user --no-time --no-icons --git --git-repos --no-git --octal-permissions",
                ),
                flags(
                    "--total-size --dereference --follow-symlinks --no-quotes --absolute --human-readable --size --show-symlinks",
                ),
                attached("--icons --color --colour --classify --hyperlink --color-scale", Text),
                value(
                    "-L -s -I -t -w --level --sort --ignore-glob --time --time-style --width --smart-group --depth --icon --date --blocks --group-dirs",
                    Text,
                ),
            ],
            ..READER
        },
        &["eza -la", "exa -T -L 2 src", "eza --tree --level=2 --git-ignore", "lsd -l"],
        &["eza --frob"],
    ),
    parse(
        "stat gstat",
        &Grammar {
            options: &[
                flags("-L -f -t -x -s -n -q -r -l -F --dereference --file-system --terse"),
                value("-c --format --printf --cached", Text),
            ],
            ..ALWAYS_READS
        },
        &["stat f", "stat -c %s f", "stat -f %z f", "stat --format='%n %s' a b", "stat -c '%a %n' *"],
        &["stat --exec x"],
    ),
    parse(
        "du df",
        &Grammar {
            options: &[
                flags(
                    "-0 -a -A -b -c -D -g -h -H -i -I -k -l -L -m -n -N -P -q -s -S -T -x -y -Y -v --all --apparent-size --total --bytes",
                ),
                flags(
                    "--human-readable --si --inodes --local --portability --print-type --dereference --no-dereference --null --count-links",
                ),
                flags("--one-file-system --separate-dirs --summarize --no-sync"),
                attached("--time --output", Text),
                value(
                    "-d -B -t -X -x --max-depth --block-size --threshold --exclude --exclude-from --files0-from --time-style --type --exclude-type",
                    Text,
                ),
            ],
            digits: true,
            ..ALWAYS_READS
        },
        &["du -sh .", "du -h -d 1", "du -ah --max-depth=2 src", "df -h", "df -T /", "df --output=source,size"],
        &["du --exec", "df --sync"],
    ),
    parse(
        "tree",
        &Grammar {
            options: &[
                flags("-a -d -f -i -l -s -h -p -u -g -D -F -q -N -Q -n -C -A -S -x -r -t -c -v -U -J -X"),
                flags(
                    "--inodes --device --noreport --dirsfirst --filesfirst --prune --du --si --gitignore --info --matchdirs",
                ),
                flags("--ignore-case --metafirst --nolinks --fromfile --fromtabfile --fflinks"),
                value("-L", Format(is_digits)),
                value("--filelimit", Int),
                separate("-P -I -H -T --charset --timefmt --gitfile --infofile", Text),
                attached("--sort", Text),
                OptionGroup { arity: Arity::Separate, ..output("-o") },
                writes("-R", "writes a file into every folder"),
            ],
            ..READER
        },
        &[
            "tree",
            "tree -L 2",
            "tree -a -I 'node_modules|target' src",
            "tree -J -L 1",
            "tree --dirsfirst --gitignore .",
        ],
        &[
            "tree -o f",
            "tree -ofile",
            "tree -R -L 1",
            "tree -ao f",
            "tree $x",
            "tree -aR",
            "tree -Lo 2 f",
            "tree -L1o f",
            "tree -Io x f",
            "tree -aoL f 2",
        ],
    ),
    parse(
        "file",
        &Grammar {
            options: &[
                flags(
                    "-b -i -I -L -h -k -r -0 -N -n -s -d -E -v --brief --mime --mime-type --mime-encoding --extension --apple",
                ),
                flags(
                    "--dereference --no-dereference --keep-going --raw --print0 --no-pad --no-buffer --special-files",
                ),
                value("-e -F -P --exclude --separator --parameter", Text),
                writes("-C --compile", "writes a compiled magic file"),
                writes("-p --preserve-date", "sets the access time of the file"),
                runs("-z -Z --uncompress --uncompress-noreport", "starts programs that uncompress"),
            ],
            ..READER
        },
        &["file a b", "file -b --mime-type a", "file -i a", "file src/*"],
        &["file -C -m magic", "file -m m f", "file -f list", "file -p f", "file -z f", "file $x"],
    ),
    parse(
        "basename dirname realpath readlink grealpath greadlink",
        &Grammar {
            options: &[
                flags(
                    "-a -z -e -m -n -f -q -s -v -L -P -E --multiple --zero --canonicalize --canonicalize-existing --canonicalize-missing",
                ),
                flags("--no-newline --no-symlinks --strip --logical --physical --quiet --silent --verbose"),
                value("--suffix --relative-to --relative-base", Text),
            ],
            ..ALWAYS_READS
        },
        &[
            "basename a/b .c",
            "dirname /a/b",
            "realpath .",
            "readlink -f x",
            "basename -s .rs a.rs",
            "realpath --relative-to=. x",
        ],
        &["realpath --exec"],
    ),
    parse(
        "namei getfacl lsattr getfattr pathchk mountpoint",
        &Grammar {
            options: &[
                flags(
                    "-l -x -m -o -v -a -R -d -n -q -p -P -c -e -s -t -E -L -h --long --modes --owners --absolute-names --all-effective --no-effective --skip-base --recursive --numeric --dump --only-values",
                ),
                value("--name --encoding --match", Text),
            ],
            ..READER
        },
        &["namei -l /a/b", "getfacl f", "lsattr f"],
        &["getfattr --frob f"],
    ),
    parse(
        "cloc",
        &Grammar {
            options: &[
                flags(
                    "--by-file --by-file-by-lang --csv --json --md --yaml --xml --quiet --hide-rate --skip-uniqueness --sum-one -v --show-lang --show-ext",
                ),
                value(
                    "--exclude-dir --exclude-lang --include-lang --exclude-ext --include-ext --match-f --not-match-f --match-d --not-match-d --timeout --max-file-size --processes --fullpath --progress-rate",
                    Text,
                ),
                value("--list-file --exclude-list-file", ReadPath),
                output("--out --report-file --ignored --counted --found --categorized"),
                writes_with(
                    "--write-lang-def --write-lang-def-incl-dup --sql --strip-comments --strip-code --diff-list-file",
                    "writes a file",
                ),
                runs_with("--vcs --git --extract-with", "starts programs"),
            ],
            check: Some(|seen, _| {
                seen.operands
                    .iter()
                    .filter_map(|word| word.as_literal())
                    .any(is_archive)
                    .then(|| seen.verdict(CommandKind::Runs, "archive", "starts programs that unpack"))
            }),
            ..READER
        },
        &["cloc .", "cloc --json src", "cloc --exclude-dir=node_modules ."],
        &[
            "cloc --out=x .",
            "cloc --report-file=x .",
            "cloc --extract-with='sh' .",
            "cloc --vcs=git",
            "cloc sources.tar.gz",
        ],
    ),
    parse(
        "tokei",
        &Grammar {
            options: &[
                flags(
                    "-f -C -c -l -v -V --files --hidden --no-ignore --no-ignore-parent --no-ignore-dot --no-ignore-vcs --languages --compact --verbose",
                ),
                value(
                    "-e -t -s -r -o -i -n --exclude --types --type --sort --rsort --output --input --num-format --columns",
                    Text,
                ),
            ],
            ..READER
        },
        &["tokei", "tokei -o json src", "tokei --files -e target"],
        &["tokei --frob"],
    ),
    parse(
        "scc",
        &Grammar {
            options: &[
                flags(
                    "-a -c -d -m -p -u -v -w -z --by-file --no-cocomo --no-complexity --no-duplicates --wide --ci --no-gen --no-min --no-size --uloc --verbose --dryness",
                ),
                value(
                    "-f -i -x -s -M -n --format --include-ext --exclude-ext --sort --not-match --exclude-dir --exclude-file --count-as",
                    Text,
                ),
                output("-o --output"),
            ],
            ..READER
        },
        &["scc", "scc --by-file -s lines src"],
        &["scc -o out", "scc --format-multi html:x"],
    ),
    parse(
        "which whereis whatis apropos locate plocate mlocate",
        &Grammar {
            options: &[
                flags(
                    "-a -s -p -t -P -f -b -m -u -l -i -c -w -e -q -L -S -0 -k -r -d --all --ignore-case --count --existing --skip-alias --skip-functions --show-tilde --tty-only --basename --statistics --read-alias",
                ),
                value("-n -B -M --limit", Text),
            ],
            operands: WORDS,
            check: Some(|seen, _| {
                // `whereis -u` looks for unusual names, an old `locate -u` makes its database.
                (seen.has("-u") && seen.name.ends_with("locate"))
                    .then(|| seen.verdict(CommandKind::Writes, "-u", "may make its database anew"))
            }),
            ..READER
        },
        &["which ls", "which -a python3", "whereis gcc", "locate x.h", "which cargo rustc"],
        &["locate --frob x", "locate -u"],
    ),
    parse(
        "lsof",
        &Grammar {
            options: &[
                flags("-a -b -C -h -l -n -N -P -R -t -U -V -v -w -W -O -X -H -E"),
                attached("-i -s -F -o -L -r -S -T -g -x", Text),
                value("-p -u -c -d -k -e", Text),
            ],
            operands: PATHS,
            ..READER
        },
        &["lsof -i :8080", "lsof -p 1234", "lsof -nP -iTCP -sTCP:LISTEN", "lsof f", "lsof -ti:3000"],
        &["lsof -Db x", "lsof -D b", "lsof -x -Db"],
    ),
];

/// What `cloc` unpacks before it counts.
fn is_archive(name: &str) -> bool {
    const ENDS: &str = ".tar .gz .tgz .bz2 .tbz .tbz2 .xz .txz .zip .jar .war .ear .whl .Z .rpm .deb .7z";
    ENDS.split(' ').any(|end| name.ends_with(end))
}

/// `tree -L2o FILE` reads on behind the digits.
fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}
