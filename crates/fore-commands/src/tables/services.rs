//! Services of the system and their logs.

use super::grammar::{
    CommandRow, Grammar, NOTHING, Operands, READER, Reaches, VERBS, ValueType::*, Verbs, WORDS, ask, attached, changes,
    flags, output, parse, value, verb, verbs, writes, writes_with,
};
use fore_shell::{CommandKind, Finding, JudgeContext, Word};

const SHOW: Grammar = Grammar {
    options: &[
        flags(
            "-l -a -q -r --full --all --quiet --recursive --reverse --value --plain --no-legend --no-pager --failed --user --system --show-types --no-ask-password --after --before --with-dependencies --json",
        ),
        value("-t -p -P -n -o -u --type --state --property --lines --output --legend --timestamp --job-mode", Text),
    ],
    operands: WORDS,
    ..READER
};

pub(super) const ROWS: &[CommandRow] = &[
    verbs(
        "systemctl",
        &Verbs {
            options: &[
                flags("--no-pager --user --system -l --full -a --all --failed --plain --no-legend -q --quiet"),
                value("-t --type --state -n --lines -o --output", Text),
            ],
            verbs: &[
                verb(
                    "status show list-units list-unit-files list-timers list-sockets list-jobs list-dependencies list-machines list-paths is-active is-enabled is-failed is-system-running cat get-default show-environment help",
                    &SHOW,
                ),
                changes(
                    "start stop restart reload try-restart kill enable disable mask unmask edit daemon-reload daemon-reexec set-default set-property isolate reset-failed poweroff reboot halt suspend hibernate link revert set-environment unset-environment import-environment preset switch-root clean freeze thaw",
                    "changes services",
                ),
            ],
            reach: Reaches::Daemon("systemd"),
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &[
            "systemctl status nginx",
            "systemctl list-units --type=service",
            "systemctl is-active x",
            "systemctl cat x",
            "systemctl --user status x",
            "systemctl show -p A x",
            "systemctl --failed",
        ],
        &[
            "systemctl start x",
            "systemctl restart x",
            "systemctl daemon-reload",
            "systemctl -H host status",
            "systemctl $x y",
            "systemctl edit x",
            "systemctl frob",
        ],
    ),
    verbs(
        "loginctl timedatectl hostnamectl localectl networkctl resolvectl machinectl bootctl",
        &Verbs {
            options: &[flags("--no-pager --no-legend -a --all -l --full")],
            verbs: &[verb(
                "status show list list-sessions list-users show-session show-user list-timezones list-locales list-keymaps statistics",
                &SHOW,
            )],
            reach: Reaches::Daemon("systemd"),
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &["timedatectl", "hostnamectl status", "loginctl list-sessions", "resolvectl status"],
        &[
            "timedatectl set-time x",
            "hostnamectl set-hostname x",
            "loginctl terminate-session 1",
            "hostnamectl hostname x",
        ],
    ),
    verbs(
        "coredumpctl",
        &Verbs {
            options: &[flags("--no-pager --no-legend -q -r")],
            verbs: &[verb(
                "list info",
                &Grammar {
                    options: &[
                        flags("-1 -r -q --no-pager --no-legend --reverse --all"),
                        value("-n -S -U --since --until", Text),
                        output("-o --output"),
                    ],
                    operands: WORDS,
                    ..READER
                },
            )],
            reach: Reaches::Daemon("systemd"),
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &["coredumpctl list", "coredumpctl info 123"],
        &["coredumpctl dump -o f", "coredumpctl info -o f", "coredumpctl list --output=f", "coredumpctl debug"],
    ),
    parse(
        "journalctl",
        &Grammar {
            options: &[
                flags(
                    "-a -e -f -k -q -r -x -m -l -N --no-pager --no-tail --all --follow --dmesg --reverse --catalog --quiet --merge --utc --no-hostname --no-full --list-boots --disk-usage --header --list-catalog --user --system --pager-end --show-cursor --fields --verify --truncate-newline --full",
                ),
                attached("-b -n --boot --lines", Text),
                value(
                    "-u -p -S -U -t -o -g -F -c -T --unit --user-unit --priority --since --until --identifier --output --grep --field --cursor --after-cursor --output-fields --facility --case-sensitive --exclude-identifier --invocation",
                    Text,
                ),
                value("-D --directory --file --root", ReadPath),
                writes_with("--vacuum-size --vacuum-time --vacuum-files --cursor-file", "changes the journal"),
                writes(
                    "--rotate --flush --sync --relinquish-var --smart-relinquish-var --update-catalog --setup-keys --force",
                    "changes the journal",
                ),
            ],
            digits: true,
            operands: WORDS,
            ..READER
        },
        &[
            "journalctl -u nginx --no-pager",
            "journalctl -n 50",
            "journalctl --since today",
            "journalctl -xe",
            "journalctl -b -p err",
            "journalctl -fu x",
            "journalctl -b -1",
        ],
        &[
            "journalctl --vacuum-size=1M",
            "journalctl --rotate",
            "journalctl --vacuum-time 1d",
            "journalctl --cursor-file=x",
            "journalctl --rot",
            "journalctl $x",
        ],
    ),
    ask(
        "service rc-service",
        service,
        &["service nginx status", "service --status-all"],
        &[
            "service nginx restart",
            "service nginx",
            "service $x status",
            "service ../../tmp/x status",
            "service --full-restart status",
        ],
    ),
    verbs(
        "launchctl",
        &Verbs {
            verbs: &[verb(
                "list print blame print-disabled managerpid manageruid managername hostinfo",
                &Grammar { operands: WORDS, ..READER },
            )],
            bare: CommandKind::Unknown,
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &["launchctl list"],
        &["launchctl load x", "launchctl kickstart x"],
    ),
    verbs(
        "defaults",
        &Verbs {
            verbs: &[verb(
                "read read-type domains find",
                &Grammar { options: &[flags("-g -globalDomain -app")], operands: WORDS, ..super::grammar::DASHED },
            )],
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &["defaults read com.x"],
        &["defaults write com.x a b", "defaults delete com.x"],
    ),
    verbs(
        "tmux",
        &Verbs {
            options: &[flags("-V")],
            verbs: &[verb(
                "ls list-sessions list-windows list-panes lsw lsp info show-options show display-message-p",
                &Grammar {
                    options: &[flags("-a -g -s -p"), value("-F -t", Format(|text| !text.contains("#(")))],
                    operands: NOTHING,
                    ..READER
                },
            )],
            bare: CommandKind::Unknown,
            otherwise: CommandKind::Writes,
            reach: Reaches::Daemon("tmux"),
            help: super::grammar::Help::Never,
        },
        &["tmux ls", "tmux -V"],
        &["tmux kill-server", "tmux new", "tmux", "tmux send-keys x", "tmux ls -F '#(touch x)'"],
    ),
    verbs(
        "supervisorctl",
        &Verbs {
            verbs: &[verb(
                "status list ls jlist prettylist describe show avail",
                &Grammar { operands: WORDS, ..READER },
            )],
            bare: CommandKind::Unknown,
            otherwise: CommandKind::Writes,
            reach: Reaches::Daemon("supervisor"),
            ..VERBS
        },
        &["supervisorctl status"],
        &["supervisorctl stop x"],
    ),
    parse("atq", &Grammar { operands: NOTHING, ..READER }, &["atq"], &["atq --frob"]),
    parse(
        "logger wall write mesg",
        &Grammar {
            operands: Operands { first: &[], rest: None, surplus: (CommandKind::Writes, "sends a message") },
            check: Some(|seen, _| Some(seen.verdict(CommandKind::Writes, "message", "sends a message"))),
            ..READER
        },
        &["logger --version"],
        &["logger x", "wall x", "write root"],
    ),
];

/// `service NAME status`, nothing else.
fn service(argv: &[Word], _: &JudgeContext<'_>) -> Finding {
    let literals: Vec<&str> = argv.iter().skip(1).filter_map(Word::as_literal).collect();
    // The name is put behind the folder of the init scripts, so `../` would lead to any program.
    let named = literals.first().is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.@".contains(&b))
    });
    match literals.as_slice() {
        ["--status-all" | "--version" | "--help"] if literals.len() + 1 == argv.len() => Finding::daemon("systemd"),
        [_, "status"] if named && literals.len() + 1 == argv.len() => Finding::daemon("systemd"),
        _ => match argv.first() {
            Some(program) if literals.len() + 1 == argv.len() => {
                Finding::shown(CommandKind::Writes, "service", program, "`service` changes services")
            }
            Some(program) => Finding::unknown("service.word", program, "what `service` does is decided at run time"),
            None => Finding::reads(),
        },
    }
}
