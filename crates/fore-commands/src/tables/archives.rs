//! Archives: listing and testing reads, packing and unpacking writes.

use super::{
    catalogue::{ArgumentScan, GivenValue, OptionScope, scan},
    grammar::{
        CommandRow, Grammar, READER, ValueType::*, WORDS, ask, attached, flags, output, parse, runs_with, value,
        writes, writes_with,
    },
};
use fore_shell::{CommandKind, Finding, JudgeContext, Value, Word};

pub(super) const ROWS: &[CommandRow] = &[
    ask(
        "tar gtar bsdtar",
        tar,
        &[
            "tar tf a.tar",
            "tar -tzf a.tgz",
            "tar -tvf a.tar",
            "tar --list -f a.tar",
            "tar tvzf a.tgz src",
            "tar -xOf a.tar x",
            "tar -tf a.tar --wildcards '*.c'",
            "tar --version",
        ],
        &[
            "tar xf a.tar",
            "tar -xzf a.tgz",
            "tar cf a.tar x",
            "tar -tf a --to-command=sh",
            "tar -tf a.tar -I sh",
            "tar -tf a --checkpoint-action=exec=sh",
            "tar tf a --index-file=x",
            "tar -tf a -F sh",
            "tar --list --file=a --use-compress-program=sh",
            "tar -xf a -O --to-command=x",
            "tar tf $x",
            "tar $x",
            "tar --checkpoint-action=exec=sh -tf a",
            "tar -tf host:a --rsh-command=x",
            "tar -rf a b",
            "tar -uf a b",
            "tar --delete -f a b",
            "tar",
            "tar -tf host:a",
            "tar -xf a m -O",
            "tar -tf a -W use-compress-program=x",
        ],
    ),
    parse(
        "unzip",
        &Grammar {
            options: &[flags("-l -v -t -Z -z -p -c -q -1 -2 -a -C -qq -lv -M -h -s -m"), value("-P", Text)],
            operands: WORDS,
            order: super::grammar::OptionOrder::OptionsFirst,
            check: Some(|seen, _| {
                let lists = seen.has("-l -v -t -Z -z -p -c");
                (!lists).then(|| seen.verdict(CommandKind::Writes, "extract", "unpacks files"))
            }),
            ..READER
        },
        &["unzip -l a.zip", "unzip -p a.zip x", "unzip -Z1 a.zip", "unzip -t a.zip", "unzip -qql a.zip"],
        &[
            "unzip a.zip",
            "unzip -o a.zip",
            "unzip -d x a.zip",
            "unzip -l -o a.zip",
            "unzip a.zip -l",
            // Before the archive `-x` takes no value, so that `foo` is the archive and is unpacked.
            "unzip -x foo -l a.zip",
            "unzip $x",
        ],
    ),
    parse(
        "zipinfo lsar",
        &Grammar { options: &[flags("-1 -2 -s -m -l -v -h -t -T -z -C")], operands: WORDS, ..READER },
        &["zipinfo a.zip", "zipinfo -1 a.zip"],
        &["zipinfo --frob a"],
    ),
    parse(
        "gzip gunzip bzip2 bunzip2 xz unxz lzma zstd unzstd",
        &Grammar {
            options: &[
                flags(
                    "-l -t -c -d -k -v -q -n -f -z -L --list --test --stdout --to-stdout --decompress --uncompress --keep --verbose --quiet --robot --no-name -V",
                ),
                value("-T --threads --memory", Int),
                output("-o"),
                writes("-r --recursive --rm", "replaces files"),
                writes_with("-S --suffix", "replaces files"),
            ],
            operands: super::grammar::PATHS,
            digits: true,
            check: Some(packs),
            ..READER
        },
        &[
            "gzip -l a.gz",
            "gzip -t a.gz",
            "gzip -dc a.gz",
            "gzip -c f",
            "zstd -dc a.zst",
            "xz -l a.xz",
            "gunzip -c a.gz",
            "xz -dc",
        ],
        &[
            "gzip f",
            "gzip -d a.gz",
            "gunzip a.gz",
            "xz f",
            "zstd f",
            "zstd -d a.zst -o b",
            "gzip -r d",
            "gzip $x",
            "gzip -9 f",
            "bzip2 -k f",
            "gzip -cr d --rm",
            "xz -t -z f",
            "xz -l -d f.xz",
            "bzip2 -tz f",
            "zstd -t -z f",
            "zstd -T 2",
            "xz -t -d a.xz",
            "xz -lz f",
            "zstd -t -d a.zst",
            "zstd -l --decompress a.zst",
            "bzip2 -td a.bz2",
            "bzip2 -tz f",
            // A small system's `gunzip` takes `-c` for a second file.
            "gunzip a.gz -c",
        ],
    ),
    parse(
        "7z 7za 7zr 7zz",
        &Grammar {
            options: &[flags("-slt -ba -bd -y -r"), attached("-p", Text)],
            operands: WORDS,
            style: super::grammar::OptionStyle::Dashed,
            check: Some(seven),
            ..READER
        },
        &["7z l a.7z", "7z t a.7z", "7z l -slt a.7z"],
        &["7z x a.7z", "7z e a.7z", "7z a b.7z f", "7z d a f", "7z", "7z $x a"],
    ),
    parse(
        "unrar",
        &Grammar { options: &[flags("-v")], operands: WORDS, check: Some(unrar), ..READER },
        &["unrar l a.rar", "unrar t a.rar"],
        &["unrar x a.rar", "unrar e a.rar"],
    ),
    parse(
        "ar",
        &Grammar {
            options: &[flags("-t -p -v"), runs_with("--plugin", "loads code")],
            operands: WORDS,
            check: Some(ar),
            ..READER
        },
        &["ar t a.a", "ar -t a.a", "ar tv a.a", "ar p a.a x.o"],
        &[
            "ar rcs a.a x.o",
            "ar x a.a",
            "ar d a.a x.o",
            "ar q a.a x",
            "ar --plugin x t a.a",
            "ar $x a.a",
            "ar t @arguments",
            "ar -tx a.a",
            "ar x -t a.a",
            "ar -x a.a",
        ],
    ),
    parse(
        "zipnote",
        &Grammar { options: &[flags("-i -n -l -c -v")], operands: WORDS, ..READER },
        &["zipnote a.zip"],
        &["zipnote -w a.zip"],
    ),
    parse(
        "zipcloak zip zipsplit rar compress uncompress funzip",
        &Grammar {
            operands: WORDS,
            check: Some(|seen, _| Some(seen.verdict(CommandKind::Writes, "archive", "writes files"))),
            ..READER
        },
        &["zip --version"],
        &["zip a.zip f", "zip -r a.zip d", "uncompress a.Z"],
    ),
    parse(
        "jar",
        &Grammar {
            operands: WORDS,
            options: &[flags("-t --list -v --verbose"), value("-f --file", ReadPath)],
            check: Some(jar),
            ..READER
        },
        &["jar tf a.jar", "jar tvf a.jar", "jar --list --file=a.jar", "jar -tf a.jar"],
        &[
            "jar xf a.jar",
            "jar cf a.jar x",
            "jar -xf a.jar",
            "jar uf a.jar x",
            "jar tf a.jar @more",
            "jar @arguments",
            "jar -tf a.jar @arguments",
        ],
    ),
    parse(
        "cpio",
        &Grammar {
            options: &[flags("-t -i -v --list --quiet"), value("-F --file", Format(|text| !text.contains(':')))],
            operands: WORDS,
            check: Some(|seen, _| {
                (!seen.has_early("-t --list"))
                    .then(|| seen.verdict(CommandKind::Writes, "extract", "packs or unpacks files"))
            }),
            ..READER
        },
        &["cpio -it", "cpio -t -F a.cpio"],
        &["cpio -i", "cpio -o", "cpio -idmv", "cpio -itd", "cpio -i x -t"],
    ),
];

static TAR: Grammar = TAR_OPTIONS;
const TAR_OPTIONS: Grammar = Grammar {
    options: &[
        value("-f --file", ReadPath),
        flags(
            "-t -v -z -j -J -p -a -O -P -h -Z --list --verbose --gzip --bzip2 --xz --zstd --lzma --lzip --compress --to-stdout --full-time --utc --wildcards --no-wildcards --show-stored-names --numeric-owner --no-recursion --anchored --no-anchored --ignore-case --auto-compress --absolute-names --show-transformed-names --ignore-zeros --ungzip --gunzip",
        ),
        value(
            "-C --directory -X --exclude-from -b -N --exclude --strip-components --transform --newer --warning --quoting-style",
            Text,
        ),
        flags("-x --extract --get"),
        writes("-c -r -u -A --create --append --update --delete --catenate --concatenate", "writes an archive"),
        runs_with(
            "-I -F --use-compress-program --to-command --checkpoint-action --info-script --new-volume-script --rsh-command --rmt-command",
            "starts a program",
        ),
        writes_with("--index-file -g --listed-incremental --volno-file", "writes a file"),
        writes("--remove-files --unlink-first --recursive-unlink -U", "removes files"),
        writes("-d --diff --compare --verify", "is not only a listing"),
    ],
    operands: WORDS,
    ..READER
};

static TAR_ORDERED: Grammar = Grammar { order: super::grammar::OptionOrder::OptionsFirst, ..TAR_OPTIONS };

/// `tar` knows options without a dash (`tar tzf x`): the first word is a cluster whose values follow in order.
fn tar(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    if matches!(words, [only] if matches!(only.as_literal(), Some("--version" | "--help"))) {
        return Finding::reads();
    }
    let mut owned: Vec<Word> = Vec::new();
    let mut words = words;
    if let Some((first, rest)) = words.split_first()
        && let Some(cluster) = first.as_literal()
        && !cluster.starts_with('-')
    {
        let mut rest = rest.iter();
        for letter in cluster.chars() {
            owned.push(Word {
                value: Value::Literal(format!("-{letter}")),
                source: first.source.clone(),
                span: first.span,
            });
            if matches!(letter, 'f' | 'C' | 'T' | 'X' | 'b' | 'N' | 'I' | 'F' | 'g' | 'H' | 'K' | 'L' | 'V') {
                owned.extend(rest.next().cloned());
            }
        }
        owned.extend(rest.cloned());
        words = &owned;
    }
    let seen = scan("tar", program, words, &TAR, OptionScope::NONE, context);
    // `host:archive` is fetched by a remote shell.
    let remote = |seen: &ArgumentScan<'_>| match seen.value("-f --file") {
        Some(GivenValue::Text(file)) => file.contains(':'),
        Some(GivenValue::Something) => true,
        Some(GivenValue::Nothing) | None => false,
    };
    let verdict = if seen.has("-x --extract --get") {
        // bsdtar takes an `-O` behind the names of members for a name, and unpacks.
        let early = scan("tar", program, words, &TAR_ORDERED, OptionScope::NONE, context);
        if early.has("-O --to-stdout") {
            Finding::reads()
        } else {
            Finding::shown(CommandKind::Writes, "tar.-x", program, "`tar -x` unpacks files")
        }
    } else if seen.has("-t --list") {
        Finding::reads()
    } else {
        Finding::unknown("tar.mode", program, "`tar` without `-t` is not known to read")
    };
    let verdict = if remote(&seen) || seen.options.iter().filter(|one| matches!(one.name, "-f" | "--file")).count() > 1
    {
        verdict.and(Finding::unknown("tar.-f", program, "`tar -f HOST:FILE` starts a remote shell"))
    } else {
        verdict
    };
    seen.finding.and(verdict)
}

/// Packers replace the file they are given unless they write to standard output.
fn packs(seen: &ArgumentScan<'_>, _: &JudgeContext<'_>) -> Option<Finding> {
    // `zstd -T 2` takes the number for a file.
    let pipes = seen.operands.is_empty() && !seen.has("-T --threads --memory");
    let prints = seen.has_early("-c --stdout --to-stdout") || pipes;
    // All but gzip obey the last of the modes: `xz -t -d` unpacks.
    let packs = seen.has("-d -z --decompress --uncompress");
    let looks = seen.has_early("-l -t --list --test")
        && (!packs || matches!(seen.name, "gzip" | "gunzip"))
        && !(seen.has("-l --list") && matches!(seen.name, "bzip2" | "bunzip2"));
    let reads = prints || looks;
    (!reads).then(|| seen.verdict(CommandKind::Writes, "operand", "replaces the file it is given"))
}

fn seven(seen: &ArgumentScan<'_>, _: &JudgeContext<'_>) -> Option<Finding> {
    by_letter(seen, &["l", "t", "i", "h", "b"])
}

fn unrar(seen: &ArgumentScan<'_>, _: &JudgeContext<'_>) -> Option<Finding> {
    by_letter(seen, &["l", "t", "v", "lb", "vb", "lt", "p"])
}

fn ar(seen: &ArgumentScan<'_>, _: &JudgeContext<'_>) -> Option<Finding> {
    if let Some(doubt) = seen.argument_file() {
        return Some(doubt);
    }
    if seen.has_early("-t -p") {
        return None;
    }
    by_letter(seen, &["t", "tv", "p", "pv", "tvO", "tO"])
}

fn jar(seen: &ArgumentScan<'_>, _: &JudgeContext<'_>) -> Option<Finding> {
    if let Some(doubt) = seen.argument_file() {
        return Some(doubt);
    }
    if seen.has("-t --list") {
        return None;
    }
    by_letter(seen, &["tf", "tvf", "t", "tv"])
}

fn by_letter(seen: &ArgumentScan<'_>, reading: &[&str]) -> Option<Finding> {
    match seen.operands.first().and_then(|word| word.as_literal()) {
        Some(letter) if reading.contains(&letter) => None,
        Some(_) => Some(seen.verdict(CommandKind::Writes, "verb", "with this command writes files")),
        None => Some(seen.unknown("verb", "without a command is not known to read")),
    }
}
