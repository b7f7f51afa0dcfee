//! Programs that talk to other machines. A fetch that keeps nothing is a network read; sending or saving is a write.

use super::grammar::{
    CommandRow, Grammar, NOTHING, READER, Reaches, ValueType::*, WORDS, ask, flags, hosts, parse, runs_with, value,
    writes,
};
use fore_shell::{CommandKind, Finding, JudgeContext, Reach, Word};

pub(super) const ROWS: &[CommandRow] = &[
    parse(
        "ping ping6",
        &Grammar {
            options: &[flags("-4 -6 -n -q -v -a -D -A -O -o"), value("-c -i -W -w -t -s -I -m", Text)],
            // It uses no port at all; the name is what counts.
            operands: hosts(443),
            ..READER
        },
        &["ping -c 1 a.b", "ping -c3 8.8.8.8"],
        &["ping -f a.b", "ping $x"],
    ),
    parse(
        "dig host nslookup whois traceroute traceroute6 tracepath mtr kdig",
        &Grammar {
            options: &[
                flags("-4 -6 -n -a -v -r -t -d -s -I -w -C -i -l -c -z -U -T -m"),
                value("-x -p -q -b -y -m -h -W -R -N", Text),
                flags("-type=mx -type=txt -type=ns -type=a -type=aaaa -type=soa -type=any -query=mx --report"),
            ],
            operands: WORDS,
            reach: Reaches::AnyHost,
            check: Some(|seen, _| {
                let asks = seen.operands.first().and_then(|word| word.as_literal());
                (seen.name == "nslookup" && matches!(asks, None | Some("-")))
                    .then(|| seen.unknown("stdin", "reads commands"))
            }),
            ..READER
        },
        &[
            "dig a.b",
            "dig +short a.b MX",
            "dig @8.8.8.8 a.b",
            "host a.b",
            "nslookup a.b",
            "whois a.b",
            "traceroute a.b",
            "dig -x 1.2.3.4",
        ],
        &["dig -f f", "dig $x", "nslookup", "nslookup - 8.8.8.8", "drill -w f a.b"],
    ),
    parse(
        "nc ncat netcat",
        &Grammar {
            options: &[
                flags("-z -v -n -4 -6 -u -vz -zv"),
                value("-w -G", Int),
                runs_with("-e -c --exec --sh-exec", "starts a program"),
                writes("-l -k", "opens a port"),
            ],
            operands: WORDS,
            check: Some(|seen, _| {
                (!seen.has("-z")).then(|| seen.unknown("send", "without `-z` sends what it is given"))
            }),
            reach: Reaches::AnyHost,
            ..READER
        },
        &["nc -z localhost 80", "nc -zv a.b 443"],
        &["nc a.b 80", "nc -e sh a.b 80", "nc -l 80", "nc -zc sh a 1"],
    ),
    parse(
        "ssh-keyscan",
        &Grammar { options: &[value("-t -T", Text), flags("-4 -6 -H")], operands: hosts(22), ..READER },
        &["ssh-keyscan a.b"],
        &["ssh-keyscan -f x", "ssh-keyscan -p 2222 a.b"],
    ),
    ask("ssh", ssh, &["ssh -V"], &["ssh a.b", "ssh a.b ls", "ssh -V a.b", "ssh -o ProxyCommand=x a.b", "ssh -G a.b"]),
    ask(
        "scp sftp rcp",
        |argv, _| connects(argv, CommandKind::Writes, "copies files between machines", Some("files of this machine")),
        &[],
        &["scp a b:c", "sftp a"],
    ),
    parse(
        "rsync",
        &Grammar {
            options: &[flags("--dry-run -n -a -v -r")],
            operands: WORDS,
            check: Some(|seen, _| {
                Some(if seen.has("-n --dry-run") {
                    seen.unknown("dry", "may start a remote shell even when it only tries")
                } else {
                    seen.verdict(CommandKind::Writes, "copy", "copies files")
                })
            }),
            ..READER
        },
        &["rsync --version"],
        &["rsync -a a b", "rsync -n a b", "rsync -e sh a b"],
    ),
    parse(
        "ssh-keygen",
        &Grammar {
            options: &[
                flags("-l -v -B"),
                value("-E", Text),
                value("-f", ReadPath),
                value("-F", Text),
                writes("-R -A -p -y -q -i -e", "makes or changes keys"),
            ],
            operands: NOTHING,
            check: Some(|seen, _| {
                (!seen.has("-l -F -B")).then(|| seen.verdict(CommandKind::Writes, "key", "makes a key"))
            }),
            ..READER
        },
        &["ssh-keygen -lf k.pub", "ssh-keygen -l -f k.pub", "ssh-keygen -F a.b"],
        &["ssh-keygen", "ssh-keygen -t ed25519", "ssh-keygen -R a.b", "ssh-keygen -D x.so -l"],
    ),
    parse(
        "ssh-add",
        &Grammar {
            options: &[flags("-l -L")],
            operands: NOTHING,
            reach: Reaches::Daemon("ssh-agent"),
            check: Some(|seen, _| {
                (!seen.has("-l -L")).then(|| seen.verdict(CommandKind::Writes, "key", "adds a key to the agent"))
            }),
            ..READER
        },
        &["ssh-add -l"],
        &["ssh-add", "ssh-add -D", "ssh-add k", "ssh-add -s x.so"],
    ),
    ask(
        "drill telnet ftp lftp nmap masscan socat tcpdump tshark ngrok cloudflared",
        |argv, _| connects(argv, CommandKind::Unknown, "talks to other machines in ways that are not analysed", None),
        &[],
        &["telnet a.b", "socat - x", "nmap a.b", "tcpdump -w f"],
    ),
];

fn ssh(argv: &[Word], _: &JudgeContext<'_>) -> Finding {
    if matches!(argv, [_, only] if only.as_literal() == Some("-V")) {
        return Finding::reads();
    }
    connects(argv, CommandKind::Unknown, "runs commands on another machine", None)
}

/// Whoever else this talks to is not known, and what it sends is what it is given.
fn connects(argv: &[Word], kind: CommandKind, why: &str, sent: Option<&str>) -> Finding {
    let Some(program) = argv.first() else {
        return Finding::reads();
    };
    let name = program.as_literal().unwrap_or_default();
    let mut finding = Finding::shown(kind, name.to_owned(), program, format!("`{name}` {why}"));
    finding.reach.push(Reach::AnyHost);
    if let Some(sent) = sent {
        finding.send(sent.to_owned());
    }
    finding
}
