//! Go's tools. The `go` command hands over to the toolchain that `go.mod` or `go.work` asks for.

use super::grammar::{
    CommandRow, DASHED, Grammar, Reaches, VERBS, ValueType::*, Verbs, WORDS, attached, changes, flags, nested, parse,
    starts, steered, value, verb, verbs, writes, writes_with,
};
use fore_shell::{CommandKind, Partner, Registry};

const BY: &str = "`go.mod`, `go.work` and version files";

pub(super) const ROWS: &[CommandRow] = &[
    steered(
        BY,
        verbs(
            "go",
            &Verbs {
                verbs: &[
                    verb(
                        "env",
                        &Grammar {
                            options: &[flags("-json -changed"), writes("-w -u", "changes settings")],
                            operands: WORDS,
                            ..DASHED
                        },
                    ),
                    verb(
                        // Which proxy is asked, and for which modules it is not, settings say.
                        "list",
                        &Grammar {
                            options: &[
                                flags("-e -find -m -test -deps -v -retracted -versions -u -export -compiled"),
                                value("-f -tags -reuse -mod -toolexec -overlay -modfile -exec -C", Text),
                                attached("-json", Text),
                            ],
                            operands: WORDS,
                            reach: Reaches::Configured(Partner::Registry(Registry::Go)),
                            ..DASHED
                        },
                    ),
                    nested(
                        "mod",
                        &Verbs {
                            verbs: &[
                                starts("graph why verify", "may fetch modules"),
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
                                        operands: WORDS,
                                        check: Some(|seen, _| {
                                            (!seen.has("-json -print"))
                                                .then(|| seen.verdict(CommandKind::Writes, "file", "edits go.mod"))
                                        }),
                                        ..DASHED
                                    },
                                ),
                            ],
                            bare: CommandKind::Reads,
                            otherwise: CommandKind::Writes,
                            ..VERBS
                        },
                    ),
                    nested("work", &Verbs { bare: CommandKind::Reads, otherwise: CommandKind::Writes, ..VERBS }),
                    changes("get install clean fmt fix", "changes files"),
                ],
                otherwise: CommandKind::Runs,
                help: super::grammar::Help::Never,
                ..VERBS
            },
            &[],
            &[
                "go version",
                "go env",
                "go env GOPATH",
                "go list ./...",
                "go list -m -u all",
                "go doc fmt.Println",
                "go mod graph",
                "go help build",
                "go mod edit -json",
                "go build",
                "go test ./...",
                "go env -w A=b",
                "go list -mod=mod ./...",
                "go mod tidy",
                "go get x",
                "go list -toolexec=x ./...",
                "go mod edit -require=x",
                "go tool pprof x",
            ],
        ),
    ),
    steered(
        BY,
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
            &[],
            &["gofmt -l .", "gofmt -d x.go", "gofmt -w x.go", "gofmt -l -w .", "gofmt $x"],
        ),
    ),
];
