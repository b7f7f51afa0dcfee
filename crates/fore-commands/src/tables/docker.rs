//! Containers. Reading asks a daemon on this machine, which the gate sees in the finding's reach.

use super::grammar::{
    CommandRow, Grammar, NOTHING, Operands, READER, Reaches, VERBS, ValueType::*, Verb, Verbs, WORDS, attached,
    changes, flags, nested, output, starts, value, verb, verbs, writes_with,
};
use fore_shell::CommandKind;

const LIST: Grammar = Grammar {
    options: &[
        flags(
            "-a -q -l -s --all --quiet --latest --size --no-trunc --digests --tree --orphans --services --dry-run --volumes --no-interpolate --profiles --images --hash --resolve-image-digests --no-normalize --no-path-resolution --no-consistency --environment --variables --networks --models",
        ),
        value("--filter --format --last --type --index --tail --since --until --status", Text),
        output("-o --output --lock-image-digests"),
    ],
    operands: WORDS,
    ..READER
};
/// Here `-f` takes a value: a filter or a format.
const FILTERED: Grammar = Grammar {
    options: &[
        flags("-a -q -l -s --all --quiet --latest --size --no-trunc --digests --tree --human --no-stream --verbose"),
        value("-f -n --filter --format --last --type --limit", Text),
    ],
    operands: WORDS,
    ..READER
};
const LOGS: Grammar = Grammar {
    options: &[
        flags("-f -t --follow --timestamps --details --no-color --no-log-prefix"),
        value("-n --tail --since --until --index", Text),
    ],
    operands: WORDS,
    ..READER
};
const OBJECTS: Verbs = Verbs {
    verbs: &[
        verb("ls list inspect", &FILTERED),
        changes("create rm remove prune connect disconnect update use", "changes objects of the daemon"),
    ],
    otherwise: CommandKind::Writes,
    ..VERBS
};
const PROJECT: Verb = nested("compose", &COMPOSE);
const COMPOSE: Verbs = Verbs {
    options: &[
        value("-f --file --project-directory --env-file", ReadPath),
        value("-p --project-name --profile --ansi --progress --parallel", Text),
        flags("--compatibility --dry-run --all-resources"),
    ],
    verbs: &[
        verb("ps ls top images port version config convert volumes stats", &LIST),
        verb("logs", &LOGS),
        verb("events", &LOGS),
        changes(
            "up down start stop restart build pull push rm kill pause unpause create scale cp watch wait publish commit export attach",
            "changes containers",
        ),
        starts("run exec", "runs a program in a container"),
    ],
    otherwise: CommandKind::Writes,
    ..VERBS
};

pub(super) const ROWS: &[CommandRow] = &[
    verbs(
        "docker podman nerdctl",
        &Verbs {
            options: &[
                flags("-v -D --debug --tls --tlsverify"),
                value("-l --log-level -c --context", Text),
                writes_with("-H --host --config", "talks to another daemon"),
            ],
            verbs: &[
                verb("ps images inspect history search-local", &FILTERED),
                verb("logs", &LOGS),
                verb(
                    "version info top port diff",
                    &Grammar { options: &[value("-f --format", Text)], operands: WORDS, ..READER },
                ),
                verb("stats", &FILTERED),
                verb(
                    "events",
                    &Grammar {
                        options: &[value("-f --filter --since --until --format", Text)],
                        operands: NOTHING,
                        ..READER
                    },
                ),
                verb(
                    "search",
                    &Grammar {
                        options: &[value("-f --filter --format --limit", Text), flags("--no-trunc")],
                        operands: WORDS,
                        reach: Reaches::AnyHost,
                        ..READER
                    },
                ),
                nested(
                    "container",
                    &Verbs {
                        verbs: &[
                            verb("ls list ps inspect stats", &FILTERED),
                            verb("logs", &LOGS),
                            verb("top port diff", &LIST),
                        ],
                        otherwise: CommandKind::Writes,
                        ..VERBS
                    },
                ),
                nested(
                    "image",
                    &Verbs {
                        verbs: &[verb("ls list inspect history tree", &FILTERED)],
                        otherwise: CommandKind::Writes,
                        ..VERBS
                    },
                ),
                nested("volume network secret config node plugin pod stack", &OBJECTS),
                nested(
                    "context",
                    &Verbs {
                        verbs: &[verb("ls list inspect show", &FILTERED)],
                        otherwise: CommandKind::Writes,
                        ..VERBS
                    },
                ),
                nested(
                    "service",
                    &Verbs {
                        verbs: &[verb("ls list inspect ps", &FILTERED), verb("logs", &LOGS)],
                        otherwise: CommandKind::Writes,
                        ..VERBS
                    },
                ),
                nested(
                    "system",
                    &Verbs { verbs: &[verb("df info", &FILTERED)], otherwise: CommandKind::Writes, ..VERBS },
                ),
                nested(
                    "buildx builder",
                    &Verbs {
                        verbs: &[verb(
                            "ls version du inspect",
                            &Grammar {
                                options: &[flags("--verbose"), value("--filter --format", Text)],
                                operands: WORDS,
                                ..READER
                            },
                        )],
                        otherwise: CommandKind::Writes,
                        ..VERBS
                    },
                ),
                nested(
                    "manifest",
                    &Verbs {
                        verbs: &[verb(
                            "inspect",
                            &Grammar {
                                options: &[flags("-v --verbose")],
                                operands: WORDS,
                                reach: Reaches::AnyHost,
                                ..READER
                            },
                        )],
                        otherwise: CommandKind::Writes,
                        ..VERBS
                    },
                ),
                PROJECT,
                starts("run exec", "runs a program in a container"),
                changes(
                    "build pull push rm rmi start stop restart kill pause unpause create cp commit tag save load import export login logout rename update wait attach swarm init scout",
                    "changes containers or images",
                ),
            ],
            reach: Reaches::Daemon("docker"),
            otherwise: CommandKind::Writes,
            help: super::grammar::Help::Every,
            ..VERBS
        },
        &[
            "docker ps",
            "docker ps -a --format '{{.Names}}'",
            "docker images",
            "docker inspect x",
            "docker logs --tail 50 x",
            "docker version",
            "docker info",
            "docker stats --no-stream",
            "docker volume ls",
            "docker network inspect x",
            "docker compose ps",
            "docker compose -f a.yml config",
            "docker compose logs --tail=20 web",
            "docker --version",
            "docker run --help",
            "docker system df",
        ],
        &[
            "docker run x",
            "docker rm x",
            "docker compose up -d",
            "docker compose down",
            "docker exec x ls",
            "docker restart x",
            "docker -H tcp://x ps",
            "docker volume rm x",
            "docker compose config -o f",
            "docker system prune",
            "docker build .",
            "docker $x",
            "docker cp a b",
            "docker frob",
            "docker container prune",
            "docker compose config --output=f",
        ],
    ),
    verbs(
        "docker-compose podman-compose",
        &Verbs { reach: Reaches::Daemon("docker"), ..COMPOSE },
        &["docker-compose ps", "docker-compose config", "docker-compose logs web"],
        &["docker-compose up", "docker-compose exec web ls", "docker-compose down -v"],
    ),
    super::grammar::parse(
        "hadolint",
        &Grammar {
            options: &[
                flags("--no-fail --no-color -V --verbose --disable-ignore-pragma"),
                value("-f -t --format --ignore --failure-threshold --trusted-registry --error --warning --info", Text),
                value("-c --config", ReadPath),
                attached("--strict-labels", Text),
            ],
            operands: Operands { rest: Some(ReadPath), ..WORDS },
            ..READER
        },
        &["hadolint Dockerfile"],
        &["hadolint --fix Dockerfile"],
    ),
];
