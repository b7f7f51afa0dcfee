//! Programs that describe network interfaces and connections.

use super::grammar::{
    CommandRow, Grammar, NOTHING, Operands, READER, Reaches, VERBS, ValueType::*, Verbs, WORDS, ask, flags, nested,
    parse, value, verb, verbs, writes, writes_with,
};
use fore_shell::{CommandKind, Finding, JudgeContext, Word};

pub(super) const ROWS: &[CommandRow] = &[
    parse(
        "route arp",
        &Grammar {
            options: &[flags("-n -e -a -v -4 -6 --numeric")],
            operands: Operands { surplus: (CommandKind::Writes, "with arguments changes the tables"), ..NOTHING },
            ..READER
        },
        &["route -n", "arp -a", "arp -an"],
        &["route add default gw x", "arp -d x", "route del x", "arp -s a b"],
    ),
    verbs(
        "nmcli",
        &Verbs {
            options: &[
                flags("-t -p -a --terse --pretty"),
                value("-f -g -c -m --fields --get-values --colors --mode", Text),
            ],
            verbs: &[nested(
                "device dev d connection con c general g radio r networking n",
                &Verbs {
                    verbs: &[verb(
                        "show status list",
                        &Grammar { options: &[flags("--active")], operands: WORDS, ..READER },
                    )],
                    otherwise: CommandKind::Writes,
                    ..VERBS
                },
            )],
            reach: Reaches::Daemon("networkmanager"),
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &["nmcli", "nmcli device status", "nmcli -t con show"],
        &["nmcli con up x", "nmcli device wifi connect x", "nmcli radio wifi off", "nmcli networking off"],
    ),
    verbs(
        "ufw",
        &Verbs {
            verbs: &[verb(
                "status",
                &Grammar { operands: Operands { rest: Some(Enum("verbose numbered")), ..NOTHING }, ..READER },
            )],
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &["ufw status", "ufw status verbose"],
        &["ufw enable", "ufw allow 22", "ufw --force reset"],
    ),
    parse(
        "ss",
        &Grammar {
            options: &[
                flags(
                    "-a -l -n -r -o -e -m -p -i -s -t -u -d -w -x -S -0 -4 -6 -H -O -T -Z -z -M -E --all --listening --numeric --resolve --options --extended --memory --processes --info --summary --tcp --udp --dccp --raw --unix --sctp --ipv4 --ipv6 --no-header --oneline --threads --packet --vsock --events",
                ),
                value("-f -A --family --query --socket", Text),
                value("-F --filter", ReadPath),
                writes("-K --kill", "closes sockets"),
                writes_with("-D --diag", "writes a file"),
            ],
            operands: WORDS,
            ..READER
        },
        &["ss -tlnp", "ss -s", "ss -tan state established", "ss -lntu sport = :80"],
        &["ss -K", "ss -tK dst 1.2.3.4", "ss -D f", "ss --kill", "ss $x"],
    ),
    parse(
        "netstat",
        &Grammar {
            options: &[flags(
                "-a -A -b -c -C -d -e -f -F -g -i -l -L -m -M -n -N -o -p -r -R -s -S -t -T -u -U -v -V -w -W -x -X -Z -4 -6 --tcp --udp --listening --numeric --program --programs --all --route --interfaces --statistics --numeric-ports --numeric-hosts --extend --wide --continuous",
            )],
            operands: WORDS,
            ..READER
        },
        &["netstat -tlnp", "netstat -an", "netstat -rn"],
        &["netstat --exec", "netstat -s -z", "netstat $x"],
    ),
    parse(
        "ifconfig",
        &Grammar {
            options: &[flags("-a -s -v -l -L -m")],
            operands: Operands {
                first: &[Text],
                rest: None,
                surplus: (CommandKind::Writes, "with settings changes an interface"),
            },
            check: Some(|seen, _| {
                // On BSD what follows `-a` is done to every interface.
                let is_family = |word: &&Word| matches!(word.as_literal(), Some("inet" | "inet6" | "link"));
                (seen.has("-a") && !seen.operands.iter().all(is_family))
                    .then(|| seen.verdict(CommandKind::Writes, "-a", "with settings changes every interface"))
            }),
            ..READER
        },
        &["ifconfig", "ifconfig -a", "ifconfig eth0", "ifconfig -a inet"],
        &["ifconfig eth0 down", "ifconfig eth0 10.0.0.1", "ifconfig $x", "ifconfig eth0 $x", "ifconfig -a down"],
    ),
    ask(
        "ip",
        ip,
        &[
            "ip addr",
            "ip a",
            "ip -br link show",
            "ip route show table all",
            "ip route get 8.8.8.8",
            "ip -4 addr show dev eth0",
            "ip -s link",
            "ip neigh",
            "ip netns list",
        ],
        &[
            "ip link set eth0 up",
            "ip addr add 1.2.3.4 dev eth0",
            "ip route add x",
            "ip -batch f",
            "ip netns exec x ls",
            "ip $x",
            "ip link delete x",
            "ip -b f",
            "ip addr flush dev eth0",
        ],
    ),
];

/// `ip` reads when its object is only shown; everything behind `show` is a filter.
fn ip(argv: &[Word], _: &JudgeContext<'_>) -> Finding {
    const OPTIONS: &str = "-4 -6 -0 -s -stats -statistics -d -details -o -oneline -br -brief -c -color -j -json -p -pretty -h -human -r -resolve -t -timestamp -V -Version -all -a --brief --json -c=never -color=never -N -Numeric";
    const OBJECTS: &str = "a ad add addr address l li link r ro route ru rule n ne neigh neighbor neighbour m maddr mr mroute tunnel tuntap netns token tcp_metrics vrf";
    let Some(program) = argv.first() else {
        return Finding::reads();
    };
    let mut words = argv.iter().skip(1);
    let object = loop {
        let Some(word) = words.next() else {
            return Finding::reads();
        };
        match word.as_literal() {
            Some(text) if text.starts_with('-') && OPTIONS.split(' ').any(|one| one == text) => {}
            Some(text) if OBJECTS.split(' ').any(|one| one == text) => break text,
            Some(_) | None => {
                return Finding::unknown(
                    "ip.word",
                    word,
                    format!("`{}` is no part of `ip` that is known to read", word.source),
                );
            }
        }
    };
    let Some(verb) = words.next() else {
        return Finding::reads();
    };
    match verb.as_literal() {
        Some("show" | "list" | "ls" | "lst" | "sh") => Finding::reads(),
        Some("get") if matches!(object, "r" | "ro" | "route") => Finding::reads(),
        Some("add" | "del" | "delete" | "set" | "change" | "replace" | "append" | "flush" | "restore" | "attach") => {
            Finding::shown(
                CommandKind::Writes,
                format!("ip.{object}"),
                verb,
                format!("`ip {object} {}` changes the network", verb.source),
            )
        }
        Some("exec") => Finding::shown(CommandKind::Runs, "ip.netns.exec", verb, "`ip netns exec` starts a program"),
        Some(_) | None => Finding::unknown(
            format!("ip.{object}"),
            program,
            format!("`ip {object} {}` is not known to read", verb.source),
        ),
    }
}
