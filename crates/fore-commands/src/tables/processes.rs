//! Programs that describe processes and the use of the machine.

use super::grammar::{
    ALWAYS_READS, CommandRow, Grammar, NOTHING, Operands, READER, ValueType::*, WORDS, flags, parse, value,
};

pub(super) const ROWS: &[CommandRow] = &[
    parse(
        "free vmstat iostat mpstat lsmem lslocks",
        &Grammar {
            options: &[
                flags(
                    "-a -b -g -h -i -k -l -m -n -t -v -w -V -x -y -z -N -C -D --human --bytes --kilo --mega --giga --kibi --mebi --gibi --total --wide --si --lohi --committed --hardware --show --json --output-all --raw",
                ),
                value("-s -c -p -S -P --seconds --count --unit", Text),
            ],
            operands: Operands { rest: Some(Int), ..NOTHING },
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
            ..ALWAYS_READS
        },
        &["ps", "ps aux", "ps -ef", "ps -p 1 -o pid,cmd", "ps auxf --sort=-%mem", "ps -eo pid,comm --no-headers"],
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
        &["pgrep -fl node", "pgrep -x sshd", "pidof bash", "pstree -p", "pgrep -a python"],
        &["pgrep --signal 9 x"],
    ),
    parse(
        "top",
        &Grammar {
            options: &[flags("-b -c -H -i -S -E -e -1 -F -R"), value("-n -d -p -u -U -o -w -l -s -stats -pid", Text)],
            operands: NOTHING,
            check: Some(|seen, _| {
                if seen.has("-b") {
                    return Some(seen.unknown("settings", "makes a settings folder at home when there is none"));
                }
                (!seen.has("-l")).then(|| seen.unknown("screen", "takes over the terminal"))
            }),
            ..READER
        },
        &["top -l 1"],
        &["top", "top -p 1", "top -b -n1", "top -bn1"],
    ),
];
