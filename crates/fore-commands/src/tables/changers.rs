//! Programs that exist to change something, so that a refusal can say so.

use super::grammar::{CommandRow, always, ask, steered};
use fore_shell::{CommandKind, Finding, JudgeContext, Word};

pub(super) const ROWS: &[CommandRow] = &[
    always(
        "rm rmdir unlink shred srm trash trash-put",
        CommandKind::Writes,
        "deletes files",
        &["rm x", "rm -rf /", "/bin/rm x", "shred x"],
    ),
    always("mv rename mmv", CommandKind::Writes, "moves files", &["mv a b"]),
    always(
        "cp install ditto rclone dd",
        CommandKind::Writes,
        "copies into files",
        &["cp a b", "install a b", "dd if=a of=b"],
    ),
    always(
        "mkdir touch ln mkfifo mknod mktemp truncate fallocate split csplit link symlink",
        CommandKind::Writes,
        "makes files",
        &["mkdir x", "touch x", "ln -s a b", "mkfifo p", "truncate -s0 x", "split x", "mktemp"],
    ),
    always(
        "chmod chown chgrp chattr setfacl setfattr chcon xattr chflags",
        CommandKind::Writes,
        "changes rights or attributes of files",
        &["chmod +x f", "chown a f"],
    ),
    always(
        "patch dos2unix unix2dos sponge applypatch ex-edit replace",
        CommandKind::Writes,
        "edits files",
        &["patch -p1", "sponge f"],
    ),
    always(
        "pkill killall skill snice renice",
        CommandKind::Writes,
        "acts on other processes",
        &["pkill x", "killall x"],
    ),
    always(
        "reboot shutdown halt poweroff init telinit systemd-run at batch anacron",
        CommandKind::Writes,
        "acts on the whole machine or later",
        &["reboot", "shutdown now", "at now"],
    ),
    always(
        "useradd userdel usermod groupadd groupdel groupmod adduser deluser addgroup delgroup passwd chpasswd chsh chfn visudo vipw gpasswd newgrp",
        CommandKind::Writes,
        "changes accounts",
        &["useradd x", "passwd"],
    ),
    always(
        "umount swapoff mkfs mkfs.ext4 mkfs.xfs mkswap parted sfdisk cryptsetup lvcreate vgcreate pvcreate btrfs fsck hdparm fstrim sync blockdev wipefs diskutil",
        CommandKind::Writes,
        "acts on disks",
        &["umount /x", "mkfs.ext4 /dev/sda", "wipefs /dev/sda"],
    ),
    always(
        "modprobe insmod rmmod depmod kexec setenforce setsebool brctl sysrc",
        CommandKind::Writes,
        "acts on the kernel or the network",
        &["modprobe x", "insmod x.ko"],
    ),
    always(
        "git-lfs hub git-filter-repo bfg git-flow cvs fossil jj pijul stg gt",
        CommandKind::Unknown,
        "is not analysed",
        &["git-lfs pull", "jj new"],
    ),
    steered(
        "extensions named in the repository's settings",
        always("hg sl bzr", CommandKind::Unknown, "is not analysed", &["hg commit", "hg --version", "sl log"]),
    ),
    always(
        "nohup setsid daemonize start-stop-daemon screen byobu dtach",
        CommandKind::Unknown,
        "lets programs outlive the call",
        &["nohup rm x", "nohup ls", "setsid ls"],
    ),
    always(
        "parallel busybox toybox chroot unshare nsenter firejail bwrap systemd-nspawn runuser setpriv capsh script scriptreplay flock rlwrap unbuffer entr inotifywait fswatch proot fakeroot schroot aoss run-parts pueue ts",
        CommandKind::Unknown,
        "starts programs in ways that are not analysed",
        &["parallel rm", "busybox rm x", "script x", "entr ls", "flock f ls"],
    ),
    always(
        "gpg gpg2 gpgv age pass vault op bw security keychain secret-tool ssh-agent ssh-copy-id kinit kdestroy",
        CommandKind::Unknown,
        "handles keys and secrets",
        &["gpg -d x", "pass show x", "security find-generic-password"],
    ),
    always(
        "pbcopy pbpaste xclip xsel wl-copy wl-paste notify-send say osd_cat xdotool screencapture",
        CommandKind::Unknown,
        "acts on the desktop",
        &["pbcopy", "xclip"],
    ),
    always("mail sendmail mutt msmtp swaks", CommandKind::Writes, "sends mail", &["mail x", "sendmail x"]),
    steered(
        "the project's configuration and plugins",
        always(
            "ansible ansible-playbook puppet chef-client salt vagrant packer pulumi cdk sam serverless skaffold tilt argocd flux istioctl eksctl",
            CommandKind::Unknown,
            "manages machines in ways that are not analysed",
            &["ansible-playbook x", "vagrant up", "pulumi up", "serverless --help", "ansible --version"],
        ),
    ),
    steered(
        "the project's configuration and plugins",
        always(
            "alembic flyway liquibase prisma drizzle-kit knex sequelize typeorm diesel sqlx dbmate goose migrate artisan manage.py",
            CommandKind::Runs,
            "runs database code of the project",
            &["alembic upgrade head", "prisma migrate dev", "prisma --version"],
        ),
    ),
    always(
        "iptables ip6tables nft firewall-cmd iwconfig tc ethtool",
        CommandKind::Unknown,
        "acts on the network in ways that are not analysed",
        &["iptables -F", "nft flush ruleset", "tc qdisc add dev x"],
    ),
    ask(
        "sudo doas su pkexec gosu run0 sg",
        elevated,
        &["sudo --version"],
        &["sudo ls", "sudo rm x", "su -c x", "sudo -u a rm x", "doas ls"],
    ),
];

/// What runs as somebody else is never proved; if it clearly writes, say that.
fn elevated(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    if matches!(words, [only] if matches!(only.as_literal(), Some("--version" | "-V" | "--help"))) {
        return Finding::reads();
    }
    let name = &program.source;
    let mut finding = Finding::unknown("sudo", program, format!("`{name}` runs as somebody else"));
    let mut at = 0;
    while let Some(text) = words.get(at).and_then(Word::as_literal).filter(|text| text.starts_with('-')) {
        at += 1;
        if matches!(text, "-u" | "-g" | "-h" | "-p" | "-C" | "-r" | "-t" | "-T" | "-U" | "-D" | "--user" | "--group") {
            at += 1;
        }
    }
    let inner = words.get(at..).unwrap_or_default();
    if let (false, Some(deeper)) = (inner.is_empty(), context.deeper()) {
        finding = finding.and(fore_shell::judge_argv(inner, &deeper));
    }
    finding
}
