//! Go's tools.

use super::grammar::{
    DASHED, Grammar, NOTHING, Operands, Row, Type::*, VERBS, Verbs, WORDS, attached, changes, flags, nested, parse,
    runs_with, starts, value, verb, verbs, writes, writes_with,
};
use crate::{finding::Kind, word::Word};

/// With `-mod=mod` the go command rewrites `go.mod`.
const MODULE: &str = "readonly vendor";

pub(super) const ROWS: &[Row] = &[
    verbs(
        "go",
        &Verbs {
            verbs: &[
                verb("version", &Grammar { options: &[flags("-m -v -json")], ..DASHED }),
                verb(
                    "env",
                    &Grammar {
                        options: &[flags("-json -changed"), writes("-w -u", "changes settings")],
                        operands: WORDS,
                        ..DASHED
                    },
                ),
                verb(
                    "doc",
                    &Grammar {
                        options: &[flags("-all -c -cmd -short -src -u"), runs_with("-http -C", "starts a server")],
                        operands: WORDS,
                        ..DASHED
                    },
                ),
                verb(
                    "list",
                    &Grammar {
                        options: &[
                            flags("-e -find -m -test -deps -v -retracted -versions -u"),
                            value("-f -tags -reuse", Text),
                            attached("-json", Text),
                            value("-mod", Enum(MODULE)),
                            runs_with(
                                "-export -compiled -toolexec -overlay -modfile -exec -C",
                                "compiles or starts programs",
                            ),
                        ],
                        operands: WORDS,
                        check: Some(|seen, _| {
                            let asks = |word: &&Word| word.as_literal().is_some_and(|text| text.contains('@'));
                            let outside = seen.has("-u -versions -retracted") || seen.operands.iter().any(asks);
                            outside.then(|| {
                                super::verdict::reaching(
                                    super::grammar::Reaches::Host("proxy.golang.org"),
                                    "go.list",
                                    seen.program,
                                )
                            })
                        }),
                        ..DASHED
                    },
                ),
                nested(
                    "mod",
                    &Verbs {
                        verbs: &[
                            verb(
                                "graph why",
                                &Grammar {
                                    options: &[flags("-m -vendor"), value("-go", Text)],
                                    operands: WORDS,
                                    ..DASHED
                                },
                            ),
                            verb("verify", &Grammar { operands: NOTHING, ..DASHED }),
                            verb(
                                "edit",
                                &Grammar {
                                    options: &[
                                        flags("-json -print"),
                                        writes_with(
                                            "-require -replace -droprequire -dropreplace -go -module -exclude -tool -retract -toolchain",
                                            "edits go.mod",
                                        ),
                                        writes("-fmt", "edits go.mod"),
                                    ],
                                    operands: Operands { first: &[ReadPath], ..NOTHING },
                                    check: Some(|seen, _| {
                                        (!seen.has("-json -print"))
                                            .then(|| seen.verdict(Kind::Writes, "file", "edits go.mod"))
                                    }),
                                    ..DASHED
                                },
                            ),
                        ],
                        bare: Kind::Reads,
                        otherwise: Kind::Writes,
                        ..VERBS
                    },
                ),
                nested("work", &Verbs { bare: Kind::Reads, otherwise: Kind::Writes, ..VERBS }),
                nested(
                    "tool",
                    &Verbs { bare: Kind::Reads, otherwise: Kind::Runs, help: super::grammar::Help::Never, ..VERBS },
                ),
                verb("help", &Grammar { operands: WORDS, ..DASHED }),
                starts(
                    "build test run vet generate install-check bug telemetry",
                    "compiles and runs code of the project",
                ),
                changes("get install clean fmt fix", "changes files"),
            ],
            help: super::grammar::Help::Never,
            ..VERBS
        },
        &[
            "go version",
            "go env",
            "go env GOPATH",
            "go list ./...",
            "go list -m all",
            "go list -json ./...",
            "go doc fmt.Println",
            "go mod graph",
            "go mod why x",
            "go list -f '{{.Dir}}' ./...",
            "go list -mod=readonly ./...",
            "go list -m -u all",
            "go help build",
            "go mod edit -json",
        ],
        &[
            "go build",
            "go test ./...",
            "go vet",
            "go env -w A=b",
            "go list -mod=mod ./...",
            "go mod tidy",
            "go get x",
            "go run .",
            "go list -toolexec=x ./...",
            "go generate",
            "go mod edit -require=x",
            "go list -mod mod ./...",
            "go tool pprof x",
            "go list -export ./...",
            "go env -u A",
        ],
    ),
    parse(
        "gofmt goimports gofumpt",
        &Grammar {
            options: &[
                flags("-l -d -s -e -v"),
                value("-r -local", Text),
                writes("-w", "rewrites files"),
                writes_with("-cpuprofile", "writes a file"),
            ],
            ..DASHED
        },
        &["gofmt -l .", "gofmt -d x.go"],
        &["gofmt -w x.go", "gofmt -l -w .", "gofmt $x"],
    ),
];
