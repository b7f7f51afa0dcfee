//! Programs that describe the machine, its users, processes and network interfaces.

use super::{
    grammar::{
        DASHED, Grammar, NOTHING, Operands, PRINTS, READER, Row, TAME, Type::*, WORDS, ask,
        attached, flags, parse, value, writes, writes_with,
    },
    scan::Scan,
    verdict::{because, unknown},
};
use crate::{
    context::Context,
    finding::{Finding, Kind},
    word::{Value, Word},
};

pub(super) const ROWS: &[Row] = &[
    parse(
        "uname arch whoami id groups users who w last lastlog tty logname nproc uptime getconf locale printenv lscpu lsmod lsusb sw_vers cal ncal sestatus getenforce hostid",
        &Grammar {
            options: &[
                flags(
                    "-a -b -c -C -d -e -f -F -g -G -h -H -i -I -J -k -l -m -n -N -o -p -P -q -r -R -s -S -t -T -u -U -v -V -w -x -y -z -Z -0 -1 -3",
                ),
                flags(
                    "--all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --operating-system",
                ),
                flags(
                    "--user --group --groups --name --real --zero --context --pretty --since --json --extended --parse --online --null",
                ),
                flags(
                    "--all-locales --charmaps --category-name --keyword-name -productVersion -productName -buildVersion --verbose --tree",
                ),
                value("--ignore -A -B -D --time-format", Text),
            ],
            operands: WORDS,
            digits: true,
            ..TAME
        },
        &[
            "uname -a",
            "whoami",
            "id -u",
            "id root",
            "groups",
            "who",
            "uptime",
            "nproc",
            "getconf PAGE_SIZE",
            "locale -a",
            "printenv PATH",
            "cal 2024",
            "sw_vers -productVersion",
        ],
        &["uname --exec"],
    ),
    parse(
        "lsb_release",
        &Grammar {
            options: &[flags(
                "-a -i -d -r -c -s -v --all --id --description --release --codename --short",
            )],
            ..PRINTS
        },
        &["lsb_release -a", "lsb_release -cs"],
        &["lsb_release --frob"],
    ),
    parse(
        "hostname",
        &Grammar {
            options: &[
                flags(
                    "-a -A -d -f -i -I -s -y --alias --all-fqdns --domain --fqdn --long --ip-address --all-ip-addresses --short --yp --nis",
                ),
                writes("-b --boot", "sets the host name"),
                writes_with("-F --file", "sets the host name"),
            ],
            operands: Operands {
                surplus: (Kind::Writes, "with a name sets the host name"),
                ..NOTHING
            },
            ..READER
        },
        &["hostname", "hostname -f", "hostname -I"],
        &[
            "hostname NEW",
            "hostname -F f",
            "hostname $x",
            "hostname -b x",
        ],
    ),
    parse(
        "date gdate",
        &Grammar {
            options: &[
                flags("-u -R -j -n --utc --universal --rfc-email --rfc-2822 --debug --resolution"),
                attached("-I --iso-8601", Text),
                value("-d -r -v -f -z --date --reference --rfc-3339 --file", Text),
                writes_with("-s --set", "sets the clock"),
            ],
            operands: WORDS,
            check: Some(date),
            ..READER
        },
        &[
            "date",
            "date +%s",
            "date -u +%FT%TZ",
            "date -d yesterday +%F",
            "date -Iseconds",
            "date -r f",
            "date -j -f %Y 2024 +%s",
            "date --date='1 day ago'",
        ],
        &[
            "date -s now",
            "date --set=now",
            "date 010112002024",
            "date --se=x",
            "date $x",
            "date -us now",
        ],
    ),
    parse(
        "free vmstat iostat mpstat lsmem lslocks",
        &Grammar {
            options: &[
                flags(
                    "-a -b -g -h -i -k -l -m -n -t -v -w -V -x -y -z -N -C -D --human --bytes --kilo --mega --giga --kibi --mebi --gibi --total --wide --si --lohi --committed --hardware --show --json --output-all --raw",
                ),
                value("-s -c -p -S -P --seconds --count --unit", Text),
            ],
            operands: Operands {
                rest: Some(Int),
                ..NOTHING
            },
            ..READER
        },
        &["free -h", "free -m", "vmstat 1 3", "iostat -x 1 2"],
        &["iostat -o JSON", "free ls"],
    ),
    parse(
        "ps",
        &Grammar {
            options: &[
                flags(
                    "-A -a -c -d -e -E -f -F -H -h -j -l -L -M -m -N -r -S -T -v -V -w -X -x -y -Z --deselect --forest --headers --no-headers --no-heading --no-headings --info --context --cumulative",
                ),
                value(
                    "-C -G -g -O -o -p -q -s -t -U -u --Group --User --group --user --pid --ppid --quick-pid --sid --tty --format --sort --cols --columns --width --rows --lines",
                    Text,
                ),
            ],
            operands: WORDS,
            digits: true,
            ..TAME
        },
        &[
            "ps",
            "ps aux",
            "ps -ef",
            "ps -p 1 -o pid,cmd",
            "ps auxf --sort=-%mem",
            "ps -eo pid,comm --no-headers",
        ],
        &["ps --exec"],
    ),
    parse(
        "pgrep pidof pstree pwdx",
        &Grammar {
            options: &[
                flags(
                    "-a -c -f -h -i -l -n -o -p -q -s -S -v -w -x -A -U -T -V -Z -H --list-name --list-full --full --newest --oldest --exact --ignore-case --count --inverse --lightweight",
                ),
                value(
                    "-d -g -G -P -t -u -r -F -N -C --delimiter --pgroup --group --parent --session --terminal --euid --uid --runstates --ns --nslist",
                    Text,
                ),
            ],
            operands: WORDS,
            ..READER
        },
        &[
            "pgrep -fl node",
            "pgrep -x sshd",
            "pidof bash",
            "pstree -p",
            "pgrep -a python",
        ],
        &["pgrep --signal 9 x"],
    ),
    parse(
        "top",
        &Grammar {
            options: &[
                flags("-b -c -H -i -S -E -e -1 -F -R"),
                value("-n -d -p -u -U -o -w -l -s -stats -pid", Text),
            ],
            operands: NOTHING,
            check: Some(|seen, _| {
                let batch = seen.has("-b -l");
                (!batch).then(|| seen.unknown("screen", "without `-b` takes over the terminal"))
            }),
            ..READER
        },
        &["top -b -n1", "top -bn1", "top -l 1", "top -b -n 1 -o %MEM"],
        &["top", "top -p 1"],
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
        &[
            "ss -tlnp",
            "ss -s",
            "ss -tan state established",
            "ss -lntu sport = :80",
        ],
        &[
            "ss -K",
            "ss -tK dst 1.2.3.4",
            "ss -D f",
            "ss --kill",
            "ss $x",
        ],
    ),
    parse(
        "netstat",
        &Grammar {
            options: &[flags(
                "-a -A -b -c -C -d -e -f -F -g -i -l -L -m -M -n -N -o -p -r -R -s -S -t -T -u -U -v -V -w -W -x -X -Z -4 -6 --tcp --udp --listening --numeric --program --programs --all --route --interfaces --statistics --numeric-ports --numeric-hosts --extend --wide --continuous",
            )],
            operands: WORDS,
            ..TAME
        },
        &["netstat -tlnp", "netstat -an", "netstat -rn"],
        &["netstat --exec"],
    ),
    parse(
        "lsblk findmnt swapon",
        &Grammar {
            options: &[
                flags(
                    "-a -b -d -D -e -f -i -J -l -m -n -N -O -p -r -S -t -T -A -M -z -V -v -k -s -R -u --all --bytes --fs --json --list --output-all --paths --raw --topology --tree --nodeps --noheadings --df --real --pseudo --show --verify --evaluate --fstab --kernel --mtab",
                ),
                value(
                    "-o --output --target --source --types --mountpoint --options --sort --include --exclude -I -x",
                    Text,
                ),
            ],
            operands: WORDS,
            check: Some(|seen, _| {
                let acts =
                    seen.name == "swapon" && (!seen.operands.is_empty() || seen.has("-a --all -e"));
                acts.then(|| seen.verdict(Kind::Writes, "operand", "turns swap space on"))
            }),
            ..READER
        },
        &[
            "lsblk",
            "lsblk -f",
            "lsblk -o NAME,SIZE -J",
            "findmnt",
            "findmnt /",
            "swapon --show",
        ],
        &["swapon /dev/sda1", "swapon -a", "swapon -p 5 /x"],
    ),
    parse(
        "lspci",
        &Grammar {
            options: &[flags("-n -v -k -m -D -t -x -b"), value("-s -d", Text)],
            operands: NOTHING,
            ..READER
        },
        &["lspci", "lspci -nnk", "lspci -s 00:02.0 -v"],
        &["lspci -q", "lspci -M", "lspci -H1"],
    ),
    parse(
        "mount",
        &Grammar {
            options: &[
                flags("-l -v --show-labels --verbose"),
                value("-t --types", Text),
            ],
            operands: Operands {
                surplus: (Kind::Writes, "with a device or folder mounts it"),
                ..NOTHING
            },
            ..READER
        },
        &["mount", "mount -l", "mount -t ext4"],
        &[
            "mount /dev/sda1 /mnt",
            "mount -a",
            "mount -o remount,rw /",
            "mount $x",
        ],
    ),
    parse(
        "ifconfig",
        &Grammar {
            options: &[flags("-a -s -v -l -L -m")],
            operands: Operands {
                first: &[Text],
                rest: None,
                surplus: (Kind::Writes, "with settings changes an interface"),
            },
            ..READER
        },
        &["ifconfig", "ifconfig -a", "ifconfig eth0"],
        &[
            "ifconfig eth0 down",
            "ifconfig eth0 10.0.0.1",
            "ifconfig $x",
            "ifconfig eth0 $x",
        ],
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
    parse(
        "dmesg",
        &Grammar {
            options: &[
                flags(
                    "-T -k -u -x -t -w -W -L -r -e -d -J -P -S --ctime --kernel --userspace --decode --notime --follow --nopager --json --reltime --show-delta --raw --syslog",
                ),
                attached("-L --color", Text),
                value(
                    "-l -f -s --level --facility --since --until --time-format --buffer-size",
                    Text,
                ),
                value("-F --file -K --kmsg-file", ReadPath),
                writes("-C -c --clear --read-clear", "clears the kernel log"),
                writes(
                    "-D -E --console-off --console-on",
                    "changes console logging",
                ),
                writes_with("-n --console-level", "changes console logging"),
            ],
            operands: NOTHING,
            ..READER
        },
        &["dmesg", "dmesg -T", "dmesg --level=err,warn"],
        &[
            "dmesg -C",
            "dmesg -c",
            "dmesg -Tc",
            "dmesg -n 1",
            "dmesg --read-cl",
            "dmesg $x",
        ],
    ),
    parse(
        "sysctl",
        &Grammar {
            options: &[
                flags(
                    "-a -A -b -d -e -h -i -l -N -n -o -q -t -x -X --all --values --names --binary --ignore --deprecated",
                ),
                value("-r --pattern", Text),
                writes("-w --write", "sets a kernel value"),
                writes("-p -f --load --system", "sets kernel values from a file"),
            ],
            operands: WORDS,
            check: Some(sysctl),
            ..READER
        },
        &[
            "sysctl -a",
            "sysctl -n hw.ncpu",
            "sysctl vm.swappiness kernel.pid_max",
        ],
        &[
            "sysctl -w a=b",
            "sysctl vm.swappiness=1",
            "sysctl -p",
            "sysctl $x",
            "sysctl -n a=b",
            "sysctl -p/etc/x",
        ],
    ),
    parse(
        "getent",
        &Grammar {
            options: &[flags("-i --no-idn"), value("-s --service", Text)],
            operands: WORDS,
            ..READER
        },
        &["getent passwd root", "getent group", "getent services ssh"],
        &["getent --frob x"],
    ),
    parse(
        "crontab",
        &Grammar {
            options: &[
                flags("-l"),
                value("-u", Text),
                writes("-r", "deletes the crontab"),
                writes("-e", "edits the crontab"),
                writes("-i", "edits the crontab"),
            ],
            operands: Operands {
                surplus: (Kind::Writes, "with a file replaces the crontab"),
                ..NOTHING
            },
            check: Some(|seen, _| {
                (!seen.has("-l")).then(|| {
                    seen.verdict(Kind::Writes, "operand", "without `-l` replaces the crontab")
                })
            }),
            ..READER
        },
        &["crontab -l", "crontab -u root -l"],
        &[
            "crontab -e",
            "crontab -r",
            "crontab f",
            "crontab -",
            "crontab",
            "crontab -lr",
        ],
    ),
    parse(
        "sleep",
        &Grammar {
            operands: Operands {
                rest: Some(Int),
                ..NOTHING
            },
            ..READER
        },
        &["sleep 1", "sleep 0.5s"],
        &["sleep --frob"],
    ),
    parse(
        "stty",
        &Grammar {
            options: &[flags("-a -g --all --save")],
            operands: Operands {
                rest: Some(Enum("size speed")),
                ..NOTHING
            },
            ..READER
        },
        &["stty -a", "stty size"],
        &["stty -echo", "stty raw", "stty sane"],
    ),
    parse(
        "xcode-select",
        &Grammar {
            options: &[flags("-p -v --print-path --version -h")],
            ..PRINTS
        },
        &["xcode-select -p"],
        &["xcode-select --install", "xcode-select -s /x"],
    ),
    parse(
        "system_profiler",
        &Grammar {
            options: &[
                flags("-json -xml -listDataTypes"),
                value("-detailLevel -timeout", Text),
            ],
            operands: WORDS,
            ..DASHED
        },
        &[
            "system_profiler SPHardwareDataType",
            "system_profiler -json SPHardwareDataType",
        ],
        &["system_profiler -frob"],
    ),
    parse(
        "nvidia-smi",
        &Grammar {
            options: &[flags("-L -q"), value("-i --query-gpu --format -d", Text)],
            operands: NOTHING,
            ..READER
        },
        &[
            "nvidia-smi",
            "nvidia-smi -L",
            "nvidia-smi --query-gpu=name --format=csv",
        ],
        &["nvidia-smi -r", "nvidia-smi -pm 1", "nvidia-smi -f x"],
    ),
];

/// An operand of `date` that does not start with `+` sets the clock, unless `-j` forbids it.
fn date(seen: &Scan<'_>, _: &Context<'_>) -> Option<Finding> {
    if seen.has("-j") {
        return None;
    }
    seen.operands.iter().find_map(|word| match &word.value {
        Value::Literal(text) if text.starts_with('+') => None,
        Value::Literal(_) => {
            let why = "`date` with a date sets the clock".to_string();
            Some(because(Kind::Writes, "date.operand".into(), word, why))
        }
        Value::Opaque(o) if o.prefix.starts_with('+') && !o.may_split => None,
        Value::Opaque(_) => Some(unknown(
            "date.word".into(),
            word,
            "`date` may be told to set the clock".into(),
        )),
    })
}

fn sysctl(seen: &Scan<'_>, _: &Context<'_>) -> Option<Finding> {
    seen.operands
        .iter()
        .find_map(|word| match word.as_literal() {
            Some(text) if text.contains('=') => Some(because(
                Kind::Writes,
                "sysctl.operand".into(),
                word,
                "`sysctl NAME=VALUE` sets a kernel value".into(),
            )),
            Some(_) => None,
            None => Some(unknown(
                "sysctl.word".into(),
                word,
                "`sysctl` may be told to set a value".into(),
            )),
        })
}

/// `ip` reads when its object is only shown; everything behind `show` is a filter.
fn ip(argv: &[Word], _: &Context<'_>) -> Finding {
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
                return unknown(
                    "ip.word".into(),
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
        Some(
            "add" | "del" | "delete" | "set" | "change" | "replace" | "append" | "flush"
            | "restore" | "attach",
        ) => because(
            Kind::Writes,
            format!("ip.{object}"),
            verb,
            format!("`ip {object} {}` changes the network", verb.source),
        ),
        Some("exec") => because(
            Kind::Runs,
            "ip.netns.exec".into(),
            verb,
            "`ip netns exec` starts a program".into(),
        ),
        Some(_) | None => unknown(
            format!("ip.{object}"),
            program,
            format!("`ip {object} {}` is not known to read", verb.source),
        ),
    }
}
