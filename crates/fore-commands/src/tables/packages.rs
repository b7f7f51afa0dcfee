//! Package managers of systems and languages: listing reads, everything else changes the machine.

use super::grammar::{
    CommandRow, Grammar, NOTHING, Operands, READER, Reaches, VERBS, ValueType::*, Verbs, WORDS, always, changes, flags,
    nested, parse, starts, value, verb, verbs, writes, writes_with,
};
use fore_shell::CommandKind;

pub(super) const LISTING: Grammar = Grammar {
    options: &[
        flags(
            "-a -l -q -v -i -n -1 --all --installed --upgradeable --upgradable --all-versions -a --manual-installed --local --remote --versions --json --formula --cask --full-name --long --tree --verbose --quiet --pinned --multiple --recurse --no-recommends --names-only --full --direct --no-plugins --latest --paths --no-all-versions --prerelease --exact --duplicates --names --description",
        ),
        value("-t --format --columns --arch --repo", Text),
    ],
    operands: WORDS,
    ..READER
};
pub(super) const ASKING: Grammar = Grammar { reach: Reaches::AnyHost, ..LISTING };

/// A path is a formula, which is code; a name with slashes adds the tap it is in.
const BREW: Grammar = Grammar {
    operands: Operands { rest: Some(Format(|text| !text.contains('/') && !text.ends_with(".rb"))), ..NOTHING },
    ..LISTING
};

pub(super) const ROWS: &[CommandRow] = &[
    verbs(
        "apt",
        &Verbs {
            options: &[flags("-q -qq")],
            verbs: &[
                verb("list show search policy depends rdepends showsrc", &LISTING),
                changes(
                    "install remove purge update upgrade full-upgrade autoremove edit-sources download source build-dep autoclean clean",
                    "changes packages",
                ),
            ],
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &["apt list --installed", "apt show x", "apt search x", "apt policy x", "apt --version"],
        &["apt install x", "apt update", "apt -y install x", "apt -o APT::x=y list", "apt $x"],
    ),
    verbs(
        "apt-cache aptitude",
        &Verbs {
            verbs: &[verb(
                "policy show search depends rdepends madison showpkg stats pkgnames showsrc versions why why-not",
                &LISTING,
            )],
            bare: CommandKind::Unknown,
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &["apt-cache policy x", "apt-cache search x", "apt-cache madison x"],
        &["apt-cache gencaches", "aptitude install x", "aptitude"],
    ),
    verbs(
        "apt-mark apt-config",
        &Verbs {
            verbs: &[verb("showmanual showauto showhold dump shell", &LISTING)],
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &["apt-mark showmanual"],
        &["apt-mark hold x"],
    ),
    parse(
        "dpkg",
        &Grammar {
            options: &[
                flags(
                    "-l -L -s -S -p -W -V -C --list --listfiles --status --search --print-avail --show --verify --audit --print-architecture --get-selections --print-foreign-architectures -I -c --info --contents --no-pager",
                ),
                value("--admindir", Text),
                writes(
                    "-i -r -P --install --remove --purge --configure --unpack -a --set-selections --clear-selections --update-avail --forget-old-unavail --add-architecture --remove-architecture -x -X -e -R",
                    "changes packages",
                ),
            ],
            operands: WORDS,
            check: Some(|seen, _| {
                seen.options.is_empty().then(|| seen.unknown("mode", "without an action is not known to read"))
            }),
            ..READER
        },
        &["dpkg -l", "dpkg -L bash", "dpkg -s bash", "dpkg -S /bin/ls", "dpkg --print-architecture"],
        &["dpkg -i x.deb", "dpkg --configure -a", "dpkg -r x", "dpkg -x a b", "dpkg --pre-invoke=x -l", "dpkg $x"],
    ),
    parse(
        "dpkg-query",
        &Grammar {
            options: &[
                flags(
                    "-l -L -s -S -p -W -c --list --listfiles --status --search --print-avail --show --control-list --no-pager",
                ),
                value("-f --showformat --admindir", Text),
            ],
            operands: WORDS,
            ..READER
        },
        &["dpkg-query -W -f '${Package}' bash", "dpkg-query -l"],
        &["dpkg-query --frob x"],
    ),
    parse(
        "rpm",
        &Grammar {
            options: &[
                flags(
                    "-q -a -i -l -f -c -d -s -R -p --query --all --info --list --file --whatprovides --whatrequires --requires --provides --changelog --scripts --last --nosignature --package --configfiles --docfiles --state --conflicts --obsoletes",
                ),
                value("--qf --queryformat", Format(|text| !text.contains("%("))),
            ],
            operands: Operands { rest: Some(Format(|text| !text.contains("://"))), ..NOTHING },
            check: Some(|seen, _| {
                let first = seen.options.first().map(|one| one.name);
                (!matches!(first, Some("-q" | "--query")))
                    .then(|| seen.verdict(CommandKind::Writes, "mode", "without `-q` changes packages"))
            }),
            ..READER
        },
        &["rpm -qa", "rpm -q bash", "rpm -ql bash", "rpm -qf /bin/ls", "rpm -qi bash"],
        &[
            "rpm -i x.rpm",
            "rpm -e x",
            "rpm -Uvh x",
            "rpm -i -q x",
            "rpm --import x",
            "rpm -qa --pipe x",
            "rpm -q --define 'x y' b",
            "rpm -E '%(touch x)'",
        ],
    ),
    verbs(
        "dnf yum zypper apk snap flatpak xbps-query pkg",
        &Verbs {
            options: &[flags("-q -C --cacheonly --quiet --installed")],
            verbs: &[verb(
                "list info search repolist repoquery provides history-list list-installed lr se if repos packages policy installed find version installed-list",
                &ASKING,
            )],
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &[
            "dnf list installed",
            "yum info x",
            "apk info",
            "apk list --installed",
            "snap list",
            "flatpak list",
            "zypper se x",
        ],
        &["dnf install x", "yum update", "apk add x", "snap install x", "flatpak run x", "dnf history undo 1"],
    ),
    verbs(
        "port",
        &Verbs {
            verbs: &[verb(
                "list info search provides installed version",
                &Grammar {
                    operands: Operands {
                        // A `;` ends the verb, and another one follows.
                        rest: Some(Format(|text| !text.contains(';'))),
                        ..NOTHING
                    },
                    ..ASKING
                },
            )],
            bare: CommandKind::Unknown,
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &["port installed", "port search x"],
        &["port", "port install x", "port installed ';' uninstall x"],
    ),
    // Here a word is a package to install, and options may follow it.
    always(
        "emerge nix-env",
        CommandKind::Writes,
        "installs packages unless an option says otherwise",
        &["emerge find", "emerge list", "nix-env find -i hello"],
    ),
    always(
        "yay paru",
        CommandKind::Unknown,
        "keeps files of its own whatever it is asked",
        &["yay", "yay -Q", "paru -S x"],
    ),
    parse(
        "pacman",
        &Grammar {
            options: &[
                flags(
                    "-Q -q -i -l -s -e -m -n -o -d -t -u -k -g --query --info --list --search --explicit --foreign --owns --deps --unrequired --upgrades --check --quiet --native",
                ),
                writes("-S -R -U -D -F -T -y --sync --remove --upgrade --database --files", "changes packages"),
            ],
            operands: WORDS,
            check: Some(|seen, _| {
                let first = seen.options.first().map(|one| one.name);
                (!matches!(first, Some("-Q" | "--query")))
                    .then(|| seen.verdict(CommandKind::Writes, "mode", "without `-Q` changes packages"))
            }),
            ..READER
        },
        &["pacman -Q", "pacman -Qi bash", "pacman -Qo /bin/ls", "pacman -Ql bash"],
        &["pacman -S x", "pacman -Syu", "pacman -R x", "pacman -Q --dbpath x --config y", "pacman -U x"],
    ),
    verbs(
        "brew",
        &Verbs {
            options: &[flags("-v --config"), value("--prefix --cellar --repository --cache", Text)],
            verbs: &[
                verb("list ls leaves config --prefix commands", &BREW),
                verb("info search deps uses desc cat", &Grammar { reach: Reaches::AnyHost, ..BREW }),
                changes("outdated", "may update brew itself first"),
                nested(
                    "services",
                    &Verbs {
                        verbs: &[verb("list info", &LISTING)],
                        bare: CommandKind::Reads,
                        otherwise: CommandKind::Writes,
                        ..VERBS
                    },
                ),
                starts("sh doctor test audit", "starts programs"),
            ],
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &["brew list", "brew --prefix", "brew info x", "brew --version", "brew leaves", "brew services list"],
        &[
            "brew install x",
            "brew upgrade",
            "brew services start x",
            "brew uninstall x",
            "brew $x",
            "brew tap x/y",
            "brew info ./x.rb",
            "brew cat user/tap/x",
            "brew list ./x.rb",
            "brew outdated",
        ],
    ),
    parse(
        "apt-get apt-key aptitude-curses add-apt-repository dpkg-reconfigure update-alternatives alternatives",
        &Grammar {
            options: &[flags("--list --display --query"), writes_with("--install --set --config", "changes settings")],
            operands: Operands { rest: Some(Text), ..NOTHING },
            check: Some(|seen, _| {
                let shows =
                    matches!(seen.name, "update-alternatives" | "alternatives") && seen.has("--list --display --query");
                (!shows).then(|| seen.verdict(CommandKind::Writes, "packages", "changes packages or settings"))
            }),
            ..READER
        },
        &["apt-get --version", "update-alternatives --list editor"],
        &[
            "apt-get install x",
            "apt-get update",
            "apt-get -y upgrade",
            "update-alternatives --set a b",
            "update-alternatives --config x",
            "add-apt-repository ppa:x",
        ],
    ),
];
