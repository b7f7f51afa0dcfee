//! Programs that describe the machine, its users, processes and network interfaces.

use super::{
    catalogue::{ArgumentScan, reaching},
    grammar::{
        ALWAYS_READS, CommandRow, DASHED, Grammar, NOTHING, Operands, PRINTS, READER, Reaches, VERBS, ValueType::*,
        Verbs, WORDS, attached, flags, parse, value, verb, verbs, writes, writes_with,
    },
};
use fore_shell::{CommandKind, Finding, JudgeContext, Value};

pub(super) const ROWS: &[CommandRow] = &[
    parse(
        "uname whoami id groups users who w last tty logname nproc uptime getconf locale printenv lscpu lsmod lsusb sw_vers cal ncal sestatus getenforce",
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
            ..ALWAYS_READS
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
        "arch hostid",
        &Grammar {
            operands: Operands {
                // On macOS `arch` starts the program behind it, in the machine language it is told.
                surplus: (CommandKind::Runs, "with a word does more than print"),
                ..NOTHING
            },
            ..READER
        },
        &["arch", "hostid"],
        &["arch -64 rm x", "arch -c rm x", "arch rm x"],
    ),
    parse(
        "lastlog",
        &Grammar {
            options: &[
                value("-b -t -u --before --time --user", Text),
                writes("-C -S --clear --set", "changes the record of logins"),
            ],
            ..PRINTS
        },
        &["lastlog", "lastlog -u root"],
        &["lastlog -C -u root", "lastlog -S -u root", "lastlog $x"],
    ),
    parse(
        "lsb_release",
        &Grammar {
            options: &[flags("-a -i -d -r -c -s -v --all --id --description --release --codename --short")],
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
            operands: Operands { surplus: (CommandKind::Writes, "with a name sets the host name"), ..NOTHING },
            ..READER
        },
        &["hostname", "hostname -f", "hostname -I"],
        &["hostname NEW", "hostname -F f", "hostname $x", "hostname -b x"],
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
        &["date -s now", "date --set=now", "date 010112002024", "date --se=x", "date $x", "date -us now"],
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
                let acts = seen.name == "swapon" && (!seen.operands.is_empty() || seen.has("-a --all -e"));
                acts.then(|| seen.verdict(CommandKind::Writes, "operand", "turns swap space on"))
            }),
            ..READER
        },
        &["lsblk", "lsblk -f", "lsblk -o NAME,SIZE -J", "findmnt", "findmnt /", "swapon --show"],
        &["swapon /dev/sda1", "swapon -a", "swapon -p 5 /x"],
    ),
    parse(
        "lspci",
        &Grammar { options: &[flags("-n -v -k -m -D -t -x -b"), value("-s -d", Text)], operands: NOTHING, ..READER },
        &["lspci", "lspci -nnk", "lspci -s 00:02.0 -v"],
        &["lspci -q", "lspci -M", "lspci -H1"],
    ),
    parse(
        "fdisk losetup",
        &Grammar {
            options: &[flags("-l -a --list --all"), value("-o --output", Text)],
            operands: WORDS,
            check: Some(|seen, _| {
                // Behind `losetup -l`, a device and a file still set the device up.
                let plain = seen.operands.is_empty();
                let lists = if seen.name == "fdisk" {
                    seen.has("-l --list") && !seen.has("-a --all")
                } else {
                    seen.has("-l --list -a --all") && plain
                };
                (!lists).then(|| seen.verdict(CommandKind::Writes, "device", "changes devices unless it lists them"))
            }),
            ..READER
        },
        &["fdisk -l", "losetup -a", "losetup -l"],
        &[
            "fdisk /dev/sda",
            "fdisk -a",
            "losetup -f x",
            "losetup /dev/loop0 x",
            "losetup -d x",
            "losetup -l /dev/loop0 f",
        ],
    ),
    verbs(
        "zfs zpool",
        &Verbs {
            verbs: &[
                verb(
                    "list get history",
                    &Grammar {
                        options: &[flags("-r -H -p -v -L -P"), value("-o -t -d -s -S", Text)],
                        operands: WORDS,
                        ..READER
                    },
                ),
                // Here `-s` and `-t` take no value, and `-c` starts scripts.
                verb(
                    "status iostat",
                    &Grammar { options: &[flags("-H -p -v -x -L -P -s -t -g -i")], operands: WORDS, ..READER },
                ),
            ],
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &["zfs list", "zpool status", "zfs get all x"],
        &["zfs destroy x", "zpool create x", "zfs set a=b x", "zpool status -s -c x p"],
    ),
    parse(
        "mount",
        &Grammar {
            options: &[flags("-l -v --show-labels --verbose"), value("-t --types", Text)],
            operands: Operands { surplus: (CommandKind::Writes, "with a device or folder mounts it"), ..NOTHING },
            ..READER
        },
        &["mount", "mount -l", "mount -t ext4"],
        &["mount /dev/sda1 /mnt", "mount -a", "mount -o remount,rw /", "mount $x"],
    ),
    parse(
        "dmesg",
        &Grammar {
            options: &[
                flags(
                    "-T -k -u -x -t -w -W -L -r -e -d -J -P -S --ctime --kernel --userspace --decode --notime --follow --nopager --json --reltime --show-delta --raw --syslog",
                ),
                attached("-L --color", Text),
                value("-l -f -s --level --facility --since --until --time-format --buffer-size", Text),
                value("-F --file -K --kmsg-file", ReadPath),
                writes("-C -c --clear --read-clear", "clears the kernel log"),
                writes("-D -E --console-off --console-on", "changes console logging"),
                writes_with("-n --console-level", "changes console logging"),
            ],
            operands: NOTHING,
            ..READER
        },
        &["dmesg", "dmesg -T", "dmesg --level=err,warn"],
        &["dmesg -C", "dmesg -c", "dmesg -Tc", "dmesg -n 1", "dmesg --read-cl", "dmesg $x"],
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
        &["sysctl -a", "sysctl -n hw.ncpu", "sysctl vm.swappiness kernel.pid_max"],
        &["sysctl -w a=b", "sysctl vm.swappiness=1", "sysctl -p", "sysctl $x", "sysctl -n a=b", "sysctl -p/etc/x"],
    ),
    parse(
        "getent",
        &Grammar {
            options: &[flags("-i --no-idn"), value("-s --service", Text)],
            operands: WORDS,
            check: Some(|seen, context| {
                let table = seen.operands.first().and_then(|word| word.as_literal());
                let local = matches!(
                    table,
                    Some(
                        "passwd"
                            | "group"
                            | "shadow"
                            | "gshadow"
                            | "services"
                            | "protocols"
                            | "rpc"
                            | "ethers"
                            | "aliases"
                            | "initgroups"
                    )
                );
                // Names of hosts are asked for outside.
                (!local).then(|| reaching(Reaches::AnyHost, "getent", seen.program, context))
            }),
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
            operands: Operands { surplus: (CommandKind::Writes, "with a file replaces the crontab"), ..NOTHING },
            check: Some(|seen, _| {
                (!seen.has("-l"))
                    .then(|| seen.verdict(CommandKind::Writes, "operand", "without `-l` replaces the crontab"))
            }),
            ..READER
        },
        &["crontab -l", "crontab -u root -l"],
        &["crontab -e", "crontab -r", "crontab f", "crontab -", "crontab", "crontab -lr"],
    ),
    parse(
        "sleep",
        &Grammar { operands: Operands { rest: Some(Int), ..NOTHING }, ..READER },
        &["sleep 1", "sleep 0.5s"],
        &["sleep --frob"],
    ),
    parse(
        "stty",
        &Grammar {
            options: &[flags("-a -g --all --save")],
            operands: Operands { rest: Some(Enum("size speed")), ..NOTHING },
            ..READER
        },
        &["stty -a", "stty size"],
        &["stty -echo", "stty raw", "stty sane"],
    ),
    parse(
        "xcode-select",
        &Grammar { options: &[flags("-p -v --print-path --version -h")], ..PRINTS },
        &["xcode-select -p"],
        &["xcode-select --install", "xcode-select -s /x"],
    ),
    parse(
        "system_profiler",
        &Grammar {
            options: &[flags("-json -xml -listDataTypes"), value("-detailLevel -timeout", Text)],
            operands: WORDS,
            ..DASHED
        },
        &["system_profiler SPHardwareDataType", "system_profiler -json SPHardwareDataType"],
        &["system_profiler -frob"],
    ),
    parse(
        "nvidia-smi",
        &Grammar { options: &[flags("-L -q"), value("-i --query-gpu --format -d", Text)], operands: NOTHING, ..READER },
        &["nvidia-smi", "nvidia-smi -L", "nvidia-smi --query-gpu=name --format=csv"],
        &["nvidia-smi -r", "nvidia-smi -pm 1", "nvidia-smi -f x"],
    ),
];

/// An operand of `date` that does not start with `+` sets the clock, unless `-j` forbids it.
fn date(seen: &ArgumentScan<'_>, _: &JudgeContext<'_>) -> Option<Finding> {
    if seen.has("-j") {
        return None;
    }
    seen.operands.iter().find_map(|word| match &word.value {
        Value::Literal(text) if text.starts_with('+') => None,
        Value::Literal(_) => {
            let why = "`date` with a date sets the clock".to_string();
            Some(Finding::shown(CommandKind::Writes, "date.operand", word, why))
        }
        Value::Opaque(o) if o.prefix.starts_with('+') && !o.may_split => None,
        Value::Opaque(_) => Some(Finding::unknown("date.word", word, "`date` may be told to set the clock")),
    })
}

fn sysctl(seen: &ArgumentScan<'_>, _: &JudgeContext<'_>) -> Option<Finding> {
    seen.operands.iter().find_map(|word| match word.as_literal() {
        Some(text) if text.contains('=') => {
            Some(Finding::shown(CommandKind::Writes, "sysctl.operand", word, "`sysctl NAME=VALUE` sets a kernel value"))
        }
        Some(_) => None,
        None => Some(Finding::unknown("sysctl.word", word, "`sysctl` may be told to set a value")),
    })
}
