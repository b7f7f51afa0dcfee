//! Programs that show files for people, and readers of structured and binary formats.

use super::{
    grammar::{
        DASHED, Grammar, NOTHING, Operands, PATHS, PATTERN_PATHS, READER, Reaches, Row, Type::*,
        VERBS, Verbs, WORDS, ask, attached, changes, flags, output, parse, runs, runs_with, value,
        verb, verbs, writes, writes_with,
    },
    scan::{Scan, Scope, scan},
    verdict::{because, unknown},
};
use crate::{
    context::Context,
    finding::{Finding, Kind},
    languages,
    word::Word,
};

pub(super) const ROWS: &[Row] = &[
    ask(
        "git",
        crate::git::judge,
        &["git log", "git status"],
        &["git commit -m x", "git push"],
    ),
    ask(
        "sed gsed",
        languages::sed::judge,
        &["sed -n 1p f", "sed 's/a/b/' f"],
        &["sed -i s/a/b/ f", "sed -n 1wx f"],
    ),
    ask(
        "awk gawk mawk nawk",
        languages::awk::judge,
        &["awk '{print $1}' f"],
        &["awk 'BEGIN{system(\"x\")}'"],
    ),
    ask(
        "find gfind",
        languages::find::judge,
        &["find . -name x"],
        &["find . -delete", "find . -exec rm {} +"],
    ),
    ask(
        "jq gojq jaq",
        languages::jq::judge,
        &["jq . f", "jq -r .a f"],
        &["jq --frob f"],
    ),
    parse(
        "less zless",
        &Grammar {
            options: &[
                flags(
                    "-N -S -R -r -F -X -i -I -M -m -n -e -E -q -Q -s -w -W -g -G -d -f -c -K -J -L",
                ),
                flags(
                    "--LINE-NUMBERS --line-numbers --chop-long-lines --RAW-CONTROL-CHARS --quit-if-one-screen --no-init --ignore-case --squeeze-blank-lines --use-color",
                ),
                writes_with("-o -O --log-file --LOG-FILE", "writes a file"),
                runs_with(
                    "--cmd --lesskey-file --lesskey-src --lesskey-content -k",
                    "may run commands",
                ),
            ],
            check: Some(plus_commands),
            ..READER
        },
        &[
            "less f",
            "less -N f",
            "less +G f",
            "less +20 f",
            "less -SR f",
        ],
        &[
            "less '+!touch x' f",
            "less -o out f",
            "less --log-file=x f",
            "less --cmd=x f",
            "less $x",
            "less -Oout f",
            "less -oout f",
            "less -p -- -of g",
            "less '+/a' f",
        ],
    ),
    parse(
        "more zmore",
        &Grammar {
            options: &[flags("-d -f -l -p -c -s -u -e"), value("-n --lines", Int)],
            digits: true,
            check: Some(plus_commands),
            ..READER
        },
        &["more f", "more -s f", "more +20 f"],
        &["more '+/x' f", "more '+!x' f", "more $x"],
    ),
    parse(
        "man",
        &Grammar {
            options: &[
                flags("-k -f -w -a -W --where --path --apropos --whatis --all"),
                value("-s -S --sections", Text),
            ],
            operands: Operands {
                rest: Some(Format(is_page)),
                ..NOTHING
            },
            ..READER
        },
        &["man ls", "man 5 crontab", "man -k copy"],
        &[
            "man -P 'sh -c x' ls",
            "man --html=x ls",
            "man -Hx ls",
            "man ./x.1",
            "man -l x",
            "man --pager=x ls",
            "man $x",
        ],
    ),
    parse(
        "info tldr cheat",
        &Grammar {
            options: &[flags("-d -s -m")],
            operands: Operands {
                rest: Some(Format(is_page)),
                ..NOTHING
            },
            ..READER
        },
        &["tldr tar"],
        &["info -o x ls", "tldr --update", "cheat -e x"],
    ),
    parse(
        "bat batcat",
        &Grammar {
            options: &[
                flags(
                    "-p -pp -n -A -P -L -u -s -V -h --plain --number --show-all --list-languages --list-themes --no-paging --force-colorization --squeeze-blank --unbuffered --diff -d --no-config --no-custom-assets --diagnostic --acknowledgements",
                ),
                value(
                    "-l -r -H -m --language --line-range --highlight-line --style --theme --color --wrap --tabs --decorations --file-name --map-syntax --italic-text --terminal-width --diff-context --nonprintable-notation --binary --ignored-suffix --theme-light --theme-dark --squeeze-limit --strip-ansi",
                    Text,
                ),
                value("--paging", Enum("never auto")),
                runs_with("--pager", "starts a program"),
                writes("--generate-config-file", "writes a file"),
                runs("--lessopen", "starts a program"),
            ],
            check: Some(|seen, _| {
                let cache =
                    seen.operands.first().and_then(|word| word.as_literal()) == Some("cache");
                cache.then(|| seen.verdict(Kind::Writes, "cache", "keeps its cache"))
            }),
            ..READER
        },
        &[
            "bat f",
            "bat -p f",
            "bat --style=plain --paging=never f",
            "bat -r 1:20 f",
            "batcat -n f",
            "bat -pp f",
        ],
        &[
            "bat --pager 'sh -c x' f",
            "bat --paging=always f",
            "bat cache --build",
            "bat --pager=sh f",
            "bat $x",
        ],
    ),
    parse(
        "delta diff-so-fancy",
        &Grammar {
            options: &[
                flags(
                    "-s -n --side-by-side --line-numbers --color-only --no-gitconfig --dark --light --diff-so-fancy --raw --navigate --keep-plus-minus-markers",
                ),
                value("--paging", Enum("never")),
                value("-w --width --syntax-theme --features", Text),
            ],
            operands: NOTHING,
            ..READER
        },
        &["delta", "delta --side-by-side --paging=never"],
        &["delta --pager=sh", "delta --paging=always"],
    ),
    parse(
        "yq",
        &Grammar {
            options: &[
                flags(
                    "-r -e -n -N -M -C -j -c -P -v -0 -y -Y -S --raw-output --exit-status --null-input --no-doc --no-colors --colors --tojson --prettyPrint --unwrapScalar --compact-output --yaml-output --slurp --sort-keys --string-interpolation --xml-output --toml-output --verbose",
                ),
                value(
                    "-o -p --output-format --input-format",
                    Format(is_format_name),
                ),
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
        &[
            "yq . f.yml",
            "yq -r .a f.yml",
            "yq e '.a.b' f.yaml",
            "yq -o json f.yml",
            "yq -o=json . f",
            "yq -P f.json",
        ],
        &[
            "yq -i '.a=1' f",
            "yq e -i '.a=1' f",
            "yq -s .x f",
            "yq --inplace . f",
            "yq -o /tmp/x . f",
            "yq $x",
        ],
    ),
    parse(
        "xmllint",
        &Grammar {
            options: &[
                flags(
                    "--format --noout --nonet --recover --html --huge --noblanks --nowarning --nsclean --c14n --xmlout --nodefdtd --stream --version --debug --auto",
                ),
                value(
                    "--xpath --pretty --encode --schema --relaxng --maxmem",
                    Format(|text| !text.contains("://")),
                ),
                output("--output -o"),
                runs("--shell", "starts a shell"),
            ],
            operands: Operands {
                rest: Some(Format(|text| !text.contains("://"))),
                ..PATHS
            },
            style: super::grammar::Style::Dashed,
            ..READER
        },
        &[
            "xmllint --format f.xml",
            "xmllint --xpath //a f.xml",
            "xmllint --noout f.xml",
        ],
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
            ..READER
        },
        &[
            "nm a.out",
            "nm -D --defined-only x.so",
            "nm -C a.o",
            "nm -f posix a",
        ],
        &[
            "nm --plugin=evil.so a",
            "nm --plug=x a",
            "nm $x",
            "nm -f -- --plugin=x a",
        ],
    ),
    parse(
        "objdump readelf size addr2line c++filt otool dwarfdump llvm-nm llvm-objdump llvm-readelf",
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
            ..READER
        },
        &[
            "objdump -d a.out",
            "readelf -h a.out",
            "size a.out",
            "objdump -d --no-show-raw-insn a",
            "readelf -Ws x",
        ],
        &["objdump --frob a", "objdump $x"],
    ),
    Row {
        names: "ldd",
        action: super::grammar::Action::Is(Kind::Unknown, "may run the program it inspects"),
        reads: &["ldd --version"],
        not: &["ldd ./a.out"],
    },
    verbs(
        "openssl",
        &Verbs {
            verbs: &[
                verb(
                    "version",
                    &Grammar {
                        options: &[flags("-a -v -b -o -f -p -d -e -m -r -c")],
                        operands: NOTHING,
                        ..DASHED
                    },
                ),
                verb(
                    "x509 req crl pkey rsa ec asn1parse pkcs7 crl2pkcs7 verify",
                    &Grammar {
                        options: &[
                            flags(
                                "-text -noout -subject -issuer -dates -startdate -enddate -serial -fingerprint -sha256 -sha1 -md5 -modulus -pubkey -pubin -check -purpose -email -ocsp_uri -hash -subject_hash -issuer_hash -alias -verify -nocert -print_certs -i -partial_chain -pubout",
                            ),
                            value(
                                "-in -inform -outform -nameopt -certopt -ext -checkend -CAfile -CApath -untrusted -strparse -offset -length",
                                Text,
                            ),
                            output("-out -keyout -writerand -CAserial -signkey -key"),
                        ],
                        operands: PATHS,
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
                            flags(
                                "-showcerts -brief -tls1_2 -tls1_3 -quiet -status -no_ign_eof -ign_eof",
                            ),
                            value("-connect -servername -starttls -alpn -verify -CAfile", Text),
                            output("-sess_out -keylogfile -msgfile -writerand"),
                        ],
                        operands: NOTHING,
                        reach: Reaches::AnyHost,
                        ..DASHED
                    },
                ),
                changes(
                    "genrsa genpkey gendsa ecparam dhparam ca rehash srp",
                    "makes keys or certificates",
                ),
            ],
            bare: Kind::Unknown,
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
            "openssl",
        ],
    ),
    parse(
        "ffprobe mediainfo exiv2-print pdfinfo",
        &Grammar {
            options: &[
                flags("-hide_banner -show_format -show_streams -f -l"),
                value(
                    "-v -loglevel -print_format -of -show_entries -select_streams -i",
                    Text,
                ),
            ],
            operands: Operands {
                rest: Some(Format(|text| !text.contains(':'))),
                ..PATHS
            },
            ..super::grammar::DASHED
        },
        &["ffprobe -hide_banner a.mp4", "pdfinfo a.pdf"],
        &["ffprobe http://x/y", "ffprobe -report x"],
    ),
    ask(
        "sqlite3",
        sqlite,
        &[
            "sqlite3 -readonly a.db 'select * from t'",
            "sqlite3 -readonly a.db .tables",
            "sqlite3 --version",
            "sqlite3 -readonly -header -column a.db 'SELECT 1;'",
        ],
        &[
            "sqlite3 a.db",
            "sqlite3 a.db 'drop table t'",
            "sqlite3 -readonly a.db 'select writefile(1,2)'",
            "sqlite3 a.db 'select 1'",
            "sqlite3 -readonly a.db '.shell rm x'",
            "sqlite3 -readonly a.db 'select 1; drop table t'",
            "sqlite3 -readonly -cmd '.output x' a.db 'select 1'",
            "sqlite3 -readonly a.db",
            "sqlite3 -readonly a.db '.schema' '.once f' 'select 1'",
        ],
    ),
    ask(
        "psql mysql mariadb mongosh mongo redis-cli clickhouse-client duckdb sqlplus",
        database,
        &["psql --version", "mysql --version"],
        &[
            "psql -c 'select 1'",
            "psql -c 'drop table x'",
            "redis-cli flushall",
            "duckdb x.db",
        ],
    ),
];

/// Words starting with `+` are commands to the pager; only jumps to a place are known to be harmless.
fn plus_commands(seen: &Scan<'_>, _: &Context<'_>) -> Option<Finding> {
    seen.operands.iter().find_map(|word| {
        let prefix = match &word.value {
            crate::word::Value::Literal(text) => text.as_str(),
            crate::word::Value::Opaque(opaque) => opaque.prefix.as_str(),
        };
        let command = prefix.strip_prefix('+');
        let jumps = |text: &str| {
            text == "G"
                || text == "F"
                || (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
        };
        let is_unsure = word.as_literal().is_none() && prefix.is_empty();
        let harmless = if word.as_literal().is_some() {
            command.is_none_or(jumps)
        } else {
            command.is_none() && !is_unsure
        };
        (!harmless).then(|| {
            unknown(
                format!("{}.command", seen.name),
                word,
                format!("`{}` may be a command to the pager", word.source),
            )
        })
    })
}

fn is_page(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '+' | '[' | '@'))
        && !text.starts_with('.')
}

fn is_format_name(text: &str) -> bool {
    let text = text.trim_start_matches('=');
    "json yaml yml props csv tsv xml y j p c t x a auto shell toml lua base64 uri ini s l i"
        .split(' ')
        .any(|one| one == text)
}

static SQLITE: Grammar = Grammar {
    options: &[
        flags(
            "-readonly -header -noheader -csv -json -column -line -list -html -markdown -table -box -quote -tabs -batch -bail -safe -ascii -version",
        ),
        value("-separator -nullvalue -newline -mode", Text),
        runs_with("-cmd -init -vfs", "runs commands"),
        runs(
            "-interactive -deserialize -unsafe-testing",
            "is not only a query",
        ),
    ],
    operands: Operands {
        first: &[ReadPath, Format(is_query)],
        rest: None,
        surplus: (Kind::Unknown, "takes more commands"),
    },
    ..super::grammar::DASHED
};

/// A read-only database is still no guard: SQL functions of the shell write files and run editors.
fn sqlite(argv: &[Word], context: &Context<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    if matches!(words, [only] if matches!(only.as_literal(), Some("--version" | "-version" | "--help" | "-help")))
    {
        return Finding::reads();
    }
    let seen = scan("sqlite3", program, words, &SQLITE, Scope::NONE, context);
    let text = seen
        .operands
        .get(1)
        .and_then(|word| word.as_literal())
        .unwrap_or_default();
    if writes_sql(text) {
        return because(
            Kind::Writes,
            "sqlite3.sql".into(),
            program,
            "`sqlite3` is told to change the database".into(),
        );
    }
    if !seen.has("-readonly") || seen.operands.len() != 2 {
        let why = "`sqlite3` without `-readonly` and one query may create or change the database";
        return seen
            .finding
            .and(unknown("sqlite3.readonly".into(), program, why.into()));
    }
    seen.finding
}

/// One statement that only asks, without the functions that reach files.
fn is_query(text: &str) -> bool {
    let lower = text.trim().to_ascii_lowercase();
    let one = lower.strip_suffix(';').unwrap_or(&lower);
    if one.contains(';') || one.contains('\n') && one.contains("\n.") {
        return false;
    }
    if let Some(command) = one.strip_prefix('.') {
        let mut words = command.split_whitespace();
        let known = matches!(
            words.next(),
            Some("tables" | "schema" | "indexes" | "indices" | "databases" | "fullschema")
        );
        return known
            && words.all(|word| {
                word.chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '_' | '%' | '-'))
            });
    }
    let starts = [
        "select ",
        "select\n",
        "explain ",
        "with ",
        "pragma table_info",
        "pragma index_list",
        "pragma foreign_key_list",
    ];
    let reaches = [
        "writefile",
        "edit",
        "load_extension",
        "readfile",
        "fts3_tokenizer",
        "attach",
        "lsdir",
        "fsdir",
        "zipfile",
        "shell",
    ];
    starts.iter().any(|start| one.starts_with(start))
        && !reaches.iter().any(|name| one.contains(name))
}

fn writes_sql(text: &str) -> bool {
    let lower = text.trim_start().to_ascii_lowercase();
    [
        "insert ",
        "update ",
        "delete ",
        "drop ",
        "create ",
        "alter ",
        "truncate ",
        "replace ",
        "vacuum",
        "grant ",
        "revoke ",
    ]
    .iter()
    .any(|word| {
        lower.starts_with(word)
            || lower.contains(&format!("; {word}"))
            || lower.contains(&format!(";{word}"))
    })
}

/// Clients of database servers: what they change is not on this disk, and nothing here can prove a statement harmless.
fn database(argv: &[Word], _: &Context<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    if matches!(words, [only] if matches!(only.as_literal(), Some("--version" | "-V" | "--help"))) {
        return Finding::reads();
    }
    let name = &program.source;
    let clear = |text: &str| {
        writes_sql(text)
            || matches!(
                text.to_ascii_lowercase().as_str(),
                "flushall" | "flushdb" | "set" | "del" | "shutdown"
            )
    };
    match words
        .iter()
        .find(|word| word.as_literal().is_some_and(clear))
    {
        Some(word) => because(
            Kind::Writes,
            "database.statement".into(),
            word,
            format!("`{name}` is told to change a database"),
        ),
        None => unknown(
            "database".into(),
            program,
            format!("`{name}` runs statements in a database"),
        ),
    }
}
