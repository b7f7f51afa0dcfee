//! Readers of structured and binary formats.

use super::catalogue::{ArgumentScan, GivenValue};
use super::grammar::{
    CommandRow, DASHED, Grammar, NOTHING, Operands, PATHS, PATTERN_PATHS, READER, Reaches, VERBS, ValueType::*, Verbs,
    WORDS, attached, changes, flags, output, parse, runs, runs_with, value, verb, verbs, writes, writes_with,
};
use fore_shell::{CommandKind, Finding, JudgeContext};

pub(super) const ROWS: &[CommandRow] = &[
    parse(
        "yq",
        &Grammar {
            options: &[
                flags(
                    "-r -e -n -N -M -C -j -c -P -v -0 -y -Y -S --raw-output --exit-status --null-input --no-doc --no-colors --colors --tojson --prettyPrint --unwrapScalar --compact-output --yaml-output --slurp --sort-keys --string-interpolation --xml-output --toml-output --verbose",
                ),
                value("-o -p --output-format --input-format", Format(is_format_name)),
                value(
                    "-I --indent --xml-attribute-prefix --xml-content-name --lua-prefix --csv-separator --tsv-separator --expression",
                    Text,
                ),
                value("--from-file", ReadPath),
                writes("-i --inplace --in-place", "edits the file"),
                writes_with("-s --split-exp --split-exp-file", "writes files"),
                writes("-w", "may write"),
            ],
            operands: PATTERN_PATHS,
            ..READER
        },
        &["yq . f.yml", "yq -r .a f.yml", "yq e '.a.b' f.yaml", "yq -o json f.yml", "yq -o=json . f", "yq -P f.json"],
        &["yq -i '.a=1' f", "yq e -i '.a=1' f", "yq -s .x f", "yq --inplace . f", "yq -o /tmp/x . f", "yq $x"],
    ),
    parse(
        "xmllint",
        &Grammar {
            options: &[
                flags(
                    "--format --noout --nonet --recover --html --huge --noblanks --nowarning --nsclean --c14n --xmlout --nodefdtd --stream --version --debug --auto",
                ),
                value("--xpath --pretty --encode --schema --relaxng --maxmem", Format(|text| !text.contains("://"))),
                output("--output -o"),
                runs("--shell", "starts a shell"),
            ],
            operands: Operands { rest: Some(Format(|text| !text.contains("://"))), ..PATHS },
            style: super::grammar::OptionStyle::Dashed,
            ..READER
        },
        &["xmllint --format f.xml", "xmllint --xpath //a f.xml", "xmllint --noout f.xml"],
        &[
            "xmllint --output x f.xml",
            "xmllint -o x f",
            "xmllint --shell f",
            "xmllint http://x/y",
            "xmllint --noent f",
            "xmllint -output x f",
        ],
    ),
    parse(
        "nm",
        &Grammar {
            options: &[
                flags(
                    "-a -A -o -B -C -D -g -l -n -v -p -P -r -S -s -u -U -V -W --debug-syms --print-file-name --demangle --no-demangle",
                ),
                flags(
                    "--dynamic --defined-only --extern-only --line-numbers --numeric-sort --no-sort --portability --print-size --print-armap --reverse-sort --size-sort --undefined-only --synthetic --with-symbol-versions",
                ),
                attached("--demangle", Text),
                value("-f -t -X --format --radix --target", Text),
                runs_with("--plugin", "loads code"),
            ],
            check: Some(|seen, _| seen.argument_file()),
            ..READER
        },
        &["nm a.out", "nm -D --defined-only x.so", "nm -C a.o", "nm -f posix a"],
        &["nm --plugin=evil.so a", "nm --plug=x a", "nm $x", "nm -f -- --plugin=x a", "nm @arguments"],
    ),
    parse(
        "objdump readelf size addr2line c++filt otool llvm-nm llvm-objdump llvm-readelf",
        &Grammar {
            options: &[
                flags(
                    "-a -A -B -C -D -d -e -f -g -G -h -H -I -i -l -L -n -p -P -r -R -s -S -t -T -u -U -v -V -W -w -x -z -c -o -tV",
                ),
                flags(
                    "--all --all-headers --demangle --disassemble --disassemble-all --dynamic --dynamic-syms --symbols --syms --section-headers --sections --program-headers --segments --headers --file-header --file-headers --wide --relocs --notes --source --line-numbers --no-show-raw-insn --reloc --dynamic-reloc --full-contents --extern-only --defined-only --undefined-only --print-size --size-sort --numeric-sort --reverse-sort --no-sort --no-demangle --print-file-name --debug-syms --format=sysv --totals --common --version-info --arch-specific --unwind --histogram --no-addresses --functions --inlines --pretty-print --basenames --show-raw-insn -info",
                ),
                attached("--demangle --disassemble --dwarf --debug-dump", Text),
                value(
                    "-j -M -m -b --section --disassembler-options --architecture --target --start-address --stop-address --format --radix --hex-dump --string-dump --exe",
                    Text,
                ),
                runs_with("--plugin", "loads code"),
            ],
            check: Some(|seen, _| seen.argument_file()),
            ..READER
        },
        &["objdump -d a.out", "readelf -h a.out", "size a.out", "objdump -d --no-show-raw-insn a", "readelf -Ws x"],
        &["objdump --frob a", "objdump $x", "objdump @arguments"],
    ),
    parse(
        "dwarfdump llvm-dwarfdump",
        &Grammar {
            options: &[
                flags("-a -c -e -i -h -v -n --all -all --verbose --verify --statistics"),
                flags("--show-children --show-parents --show-form --summarize-types --uuid"),
                flags("--debug-info --debug-line --debug-abbrev --debug-str --debug-frame"),
                value("--name --find --lookup --arch", Text),
                output("-o -O --out-file"),
            ],
            check: Some(|seen, _| seen.argument_file()),
            ..DASHED
        },
        &["dwarfdump a.o", "dwarfdump --debug-info a.o"],
        &["dwarfdump -o out a.o", "dwarfdump --out-file=out a.o", "dwarfdump -O file=out a.o", "dwarfdump --o out a.o"],
    ),
    CommandRow {
        names: "ldd",
        action: super::grammar::Handling::Is(CommandKind::Unknown, "may run the program it inspects"),
        steered_by: "",
        reads: &["ldd --version"],
        not: &["ldd ./a.out"],
    },
    verbs(
        "openssl",
        &Verbs {
            verbs: &[
                verb(
                    "version",
                    &Grammar { options: &[flags("-a -v -b -o -f -p -d -e -m -r -c")], operands: NOTHING, ..DASHED },
                ),
                verb(
                    "x509 req crl pkey rsa ec asn1parse pkcs7 crl2pkcs7 verify",
                    &Grammar {
                        options: &[
                            flags(
                                "-text -noout -subject -issuer -dates -startdate -enddate -serial -fingerprint -sha256 -sha1 -md5 -modulus -pubkey -pubin -check -purpose -email -ocsp_uri -hash -subject_hash -issuer_hash -alias -verify -nocert -print_certs -i -partial_chain -pubout",
                            ),
                            value("-inform -outform -nameopt -certopt -ext -checkend -strparse -offset -length", Text),
                            value("-in -CAfile -CApath -untrusted", ReadPath),
                            output("-out -keyout -writerand -CAserial -signkey -key"),
                        ],
                        operands: PATHS,
                        check: Some(names_store),
                        ..DASHED
                    },
                ),
                verb(
                    "dgst md5 sha1 sha256 sha512",
                    &Grammar {
                        options: &[
                            flags("-sha256 -sha1 -sha512 -md5 -sha384 -sha224 -hex -r -c -binary"),
                            output("-out -writerand"),
                        ],
                        ..DASHED
                    },
                ),
                verb(
                    "ciphers list",
                    &Grammar {
                        options: &[flags(
                            "-v -V -s -tls1_2 -tls1_3 -commands -digest-algorithms -cipher-algorithms -1",
                        )],
                        operands: WORDS,
                        ..DASHED
                    },
                ),
                verb(
                    "s_client",
                    &Grammar {
                        options: &[
                            flags("-showcerts -brief -tls1_2 -tls1_3 -quiet -status -no_ign_eof -ign_eof"),
                            value("-connect -servername -starttls -alpn -verify -CAfile", Text),
                            output("-sess_out -keylogfile -msgfile -writerand"),
                        ],
                        operands: NOTHING,
                        reach: Reaches::AnyHost,
                        ..DASHED
                    },
                ),
                changes("genrsa genpkey gendsa ecparam dhparam ca rehash srp", "makes keys or certificates"),
            ],
            bare: CommandKind::Unknown,
            help: super::grammar::Help::Never,
            ..VERBS
        },
        &[
            "openssl version",
            "openssl x509 -in c.pem -text -noout",
            "openssl dgst -sha256 f",
            "openssl s_client -connect a.b:443 -servername a.b",
        ],
        &[
            "openssl genrsa -out k 2048",
            "openssl x509 -in c -out d",
            "openssl enc -aes-256-cbc -in a -out b",
            "openssl req -new -keyout k -out c",
            "openssl rand -out f 10",
            "openssl dgst -engine ./evil.so f",
            "openssl pkey -in org.openssl.engine:./evil.so:key",
            "openssl",
        ],
    ),
    parse(
        // No `-f`: `-f lavfi` makes the input a chain of filters, and some of them write files.
        "ffprobe",
        &Grammar {
            options: &[
                flags("-hide_banner -show_format -show_streams -show_chapters -show_error -pretty"),
                value("-v -loglevel -print_format -of -show_entries -select_streams", Text),
                value("-i", Format(|text| !text.contains(':'))),
            ],
            operands: Operands { rest: Some(Format(|text| !text.contains(':'))), ..PATHS },
            ..super::grammar::DASHED
        },
        &["ffprobe -hide_banner a.mp4", "ffprobe -v error -i a.mp4"],
        &[
            "ffprobe http://x/y",
            "ffprobe -report x",
            "ffprobe -i http://x/y",
            "ffprobe -f lavfi testsrc,vidstabdetect=result=out",
        ],
    ),
    parse(
        "mediainfo pdfinfo",
        &Grammar {
            options: &[flags("-f -l -v")],
            operands: Operands { rest: Some(Format(|text| !text.contains(':'))), ..PATHS },
            ..super::grammar::DASHED
        },
        &["mediainfo a.mp4", "pdfinfo a.pdf"],
        &["mediainfo http://x/y", "mediainfo --LogFile=x a"],
    ),
];

/// With a scheme the input is looked up by a loader, and some of them load libraries.
fn names_store(seen: &ArgumentScan<'_>, _: &JudgeContext<'_>) -> Option<Finding> {
    let values = seen.options.iter().filter_map(|seen| match seen.value {
        GivenValue::Text(text) if matches!(seen.name, "-in" | "-CAfile" | "-untrusted") => Some(text),
        GivenValue::Text(_) | GivenValue::Nothing | GivenValue::Something => None,
    });
    let operands = seen.operands.iter().filter_map(|word| word.as_literal());
    values
        .chain(operands)
        .any(|text| text.contains(':'))
        .then(|| seen.unknown("store", "may load a library for an input with a scheme"))
}

fn is_format_name(text: &str) -> bool {
    let text = text.trim_start_matches('=');
    "json yaml yml props csv tsv xml y j p c t x a auto shell toml lua base64 uri ini s l i"
        .split(' ')
        .any(|one| one == text)
}
