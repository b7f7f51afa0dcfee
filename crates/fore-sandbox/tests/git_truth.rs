//! Git in a read-only cage says what plain git says: 200 states of repositories, made by a generator, and some twenty commands each.
#![expect(clippy::disallowed_methods, reason = "prepares repositories and runs plain git on them")]
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

#[path = "support/permitted.rs"]
mod permitted;

use fore_plan::{Cage, Outside};
use fore_sandbox::GitProbe;
use fore_sandbox::{CageSettings, Cages, Job, JobCommand, RequiredBuild, RunLimits};
use permitted::RunTyped;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

/// States in all, and how many people (each with a configuration of their own) look at them.
const STATES: u64 = 200;
const USERS: u64 = 10;
/// Which person a second run of this program is.
const WHO: &str = "FORE_TEST_PERSON";
const PLACE: &str = "FORE_TEST_PLACE";
const NOBODY: u32 = 65534;

/// Each prints its name, its output and its exit code.
const READS: &[&str] = &[
    "git status",
    "git status --short --branch",
    "git status --porcelain=v2 --ignored",
    "git diff",
    "git diff --stat HEAD",
    "git log --oneline --decorate -5",
    "git log -1 --format=full",
    "git show --stat",
    "git branch -vv --all",
    "git stash list",
    "git ls-files --others --exclude-standard",
    "git config --get user.name; git config --get user.email",
    "git rev-parse HEAD --show-toplevel --is-bare-repository",
    "git describe --always --tags --dirty",
    "git blame HEAD -- a.txt",
    "git shortlog -sne HEAD",
    "git worktree list",
    "git remote -v",
    "[ ! -e .gitmodules ] || git submodule status",
];

fn place() -> PathBuf {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    // Whoever builds in the temp folder needs another place: cages have a temp folder of their own.
    let usual = if target.starts_with(std::env::temp_dir()) { PathBuf::from("/var/tmp") } else { target };
    let place = std::env::var_os(PLACE).map_or(usual, PathBuf::from);
    // So that what is made here is not taken for a part of the repository that this is built in.
    let mark = place.join("CACHEDIR.TAG");
    if !mark.exists() {
        let _ = std::fs::write(mark, "Signature: 8a477f597d28d172789f06886806bc55");
    }
    place
}

/// Always the same numbers, in no order that anybody chose.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }

    fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[usize::try_from(self.roll(list.len() as u64)).unwrap()]
    }
}

const NAMES: &[&str] = &[
    "a.txt",
    "b.txt",
    "dir/c.txt",
    "dir/deep/d.txt",
    "'sp ace.txt'",
    "ünï.txt",
    "'quo\"te.txt'",
    "./-dash",
    "x.log",
    "$'tab\\tname'",
    "$'new\\nline'",
    "e.bin",
];

/// A line of settings of a person.
const PERSONS: &[&str] = &[
    "user.name 'Ada Lovelace'",
    "user.email ada@example.com",
    "core.excludesFile ~/ignored",
    "core.attributesFile ~/attributes",
    "color.ui always",
    "color.status.added blue",
    "core.quotePath false",
    "log.date iso",
    "log.decorate full",
    "log.abbrevCommit true",
    "format.pretty 'format:%h %an %s'",
    "pretty.mine 'format:%h'",
    "status.short true",
    "status.branch true",
    "status.showStash true",
    "status.submoduleSummary true",
    "status.showUntrackedFiles all",
    "status.relativePaths false",
    "diff.noprefix true",
    "diff.mnemonicPrefix true",
    "diff.algorithm patience",
    "diff.context 1",
    "diff.renames copies",
    "diff.submodule log",
    "diff.wsErrorHighlight all",
    "diff.mine.xfuncname '^line'",
    "diff.ignoreSubmodules untracked",
    "branch.sort -committerdate",
    "tag.sort version:refname",
    "blame.date short",
    "blame.showEmail true",
    "grep.lineNumber false",
    "advice.statusHints false",
    "i18n.logOutputEncoding UTF-8",
    "core.abbrev 12",
    "core.autocrlf input",
    "mailmap.file ~/mailmap",
    "column.ui always",
    "url.https://example.com/.insteadOf ex:",
    "merge.conflictStyle diff3",
    // Not in force in a cage, and without a say in what these commands print.
    "alias.lg 'log --oneline'",
    "core.pager less",
    "core.editor vi",
    "credential.helper store",
    "filter.same.clean cat",
    "filter.same.smudge cat",
    "commit.gpgSign false",
    "core.hooksPath /nonexistent",
    "init.templateDir /nonexistent",
];

/// What makes another state of one that was looked at.
const CHANGES: &[&str] = &[
    "git add -A",
    "git -c core.hooksPath=/dev/null -c user.name=x -c user.email=y commit -qam again",
    "echo more >> a.txt; echo more > fresh.txt",
    "git -c core.hooksPath=/dev/null checkout -q --detach",
    "git config user.name Changed; git config user.email changed@example.com",
    "printf 'fresh.txt\\n' >> .git/info/exclude; echo x > fresh.txt",
    "rm -f a.txt; git tag again",
    "git config status.short true; git config color.ui always",
    "git reset -q --hard",
];

fn configure(dice: &mut Dice, home: &Path) {
    std::fs::create_dir_all(home.join("work")).unwrap();
    std::fs::write(home.join("ignored"), "*.log\nscratch/\n").unwrap();
    std::fs::write(home.join("attributes"), "*.txt diff=mine\n*.bin binary\n").unwrap();
    std::fs::write(home.join("mailmap"), "Renamed <new@example.com> <ada@example.com>\n").unwrap();
    std::fs::write(home.join("more"), "[core]\n\tcommentChar = \";\"\n[user]\n\temail = included@example.com\n")
        .unwrap();
    let mut script = String::from("set -e\n");
    for setting in PERSONS {
        if dice.one_in(3) {
            script += &format!("git config --global {setting}\n");
        }
    }
    if dice.one_in(2) {
        script += "git config --global include.path more\n";
    }
    if dice.one_in(2) {
        script += "git config --global includeIf.onbranch:side.path more\n";
    }
    if dice.one_in(3) {
        script += "mkdir -p ~/.config/git; printf 'scratch/\\n*.tmp\\n' > ~/.config/git/ignore\n";
    }
    bash(&script, home, home);
}

/// A script that makes a state; the last line of its output is the folder to look from.
fn state(dice: &mut Dice) -> String {
    let mut script = String::from(
        "set -e; export GIT_AUTHOR_DATE='2026-01-02T03:04:05Z' GIT_COMMITTER_DATE='2026-01-02T03:04:05Z'
         export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=ada@example.com GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@example.com
         export GIT_EDITOR=true
         git() { command git -c core.hooksPath=/dev/null -c core.pager=cat -c protocol.file.allow=always -c core.safecrlf=false \"$@\"; }
         put() { case $1 in */*) [ -d \"${1%/*}\" ] || mkdir -p \"${1%/*}\" ;; esac
                printf \"line %s of $2\\n\" 1 2 3 4 5 6 >> \"$1\"; }
         mkdir repo; cd repo; git init -q -b main .\n",
    );
    let mut look = "";
    if dice.one_in(3) {
        let kind =
            dice.pick(&["*.txt text eol=crlf", "*.txt ident", "*.txt filter=same", "*.bin -diff", "*.txt diff=mine"]);
        script += &format!("echo '{kind}' > .gitattributes; git add .gitattributes\n");
    }
    if dice.one_in(3) {
        script += "printf '*.log\\n!keep.log\\n/out/\\n' > .gitignore; git add .gitignore\n";
    }
    let commits = if dice.one_in(15) { 0 } else { 1 + dice.roll(3) };
    for commit in 0..commits {
        let names: Vec<&str> = (0..1 + dice.roll(3)).map(|_| dice.pick(NAMES)).chain(["a.txt"]).collect();
        for name in &names {
            script += &format!("put {name} c{commit}; ");
        }
        script += &format!("\ngit add -f -- {}; git commit -q -m 'commit {commit}'\n", names.join(" "));
        if dice.one_in(4) {
            script += &format!("git tag v{commit}\n");
        }
        if dice.one_in(5) {
            script += &format!("git tag -a -m note w{commit}\n");
        }
    }
    if commits > 0 {
        let (more, folder) = after_commits(dice);
        script += &more;
        look = folder;
    }
    for _ in 0..dice.roll(4) {
        let name = dice.pick(NAMES);
        script += &format!("put {name} loose\n");
        if dice.one_in(3) {
            script += &format!("git add -f -- {name}\n");
        }
    }
    if dice.one_in(4) {
        script += "mkdir -p scratch out; echo x > scratch/x; echo x > out/y; echo x > z.log; echo x > q.tmp\n";
    }
    if dice.one_in(6) {
        script += "mkdir -p .git/info; echo 'q.tmp' >> .git/info/exclude; echo x > q.tmp\n";
    }
    if dice.one_in(6) {
        let setting = dice.pick(&[
            "user.name Local",
            "core.quotePath true",
            "status.short false",
            "color.ui false",
            "log.date short",
            "diff.noprefix false",
            "alias.st status",
            "status.submoduleSummary false",
            "core.fileMode false",
        ]);
        script += &format!("git config {setting}\n");
    }
    if dice.one_in(8) {
        script += "mkdir nested; git init -q nested; echo x > nested/x\n";
    }
    if dice.one_in(8) {
        script += "ln -s a.txt link; touch -d 2020-01-01 a.txt 2>/dev/null\n";
    }
    script + &format!("cd {look}. && pwd\n")
}

/// What can be done once there is something; and where to look from.
fn after_commits(dice: &mut Dice) -> (String, &'static str) {
    let mut script = String::new();
    if dice.one_in(4) {
        script += "git clone -q --bare . ../remote; git remote add origin ../remote; git fetch -q; git branch -q -u origin/main
                   put a.txt ahead; git commit -qam ahead\n";
    }
    if dice.one_in(4) {
        script += "command git init -q -b main ../sub; ( cd ../sub; put s.txt sub; git add .; git commit -qm sub )
                   git submodule --quiet add ../sub subm; git commit -qm submodule\n";
        script += dice.pick(&[
            "",
            "echo dirty >> subm/s.txt\n",
            "echo new > subm/untracked\n",
            "( cd subm; put s.txt more; git commit -qam more )\n",
            "git submodule --quiet deinit -f subm\n",
        ]);
    }
    if dice.one_in(5) {
        script += "echo stashed >> a.txt; git stash -q\n";
    }
    let what = dice.roll(13);
    script += match what {
        0 => {
            "git checkout -q -b side; put a.txt side; git commit -qam side; git checkout -q main; echo main >> a.txt
              git commit -qam main; git merge -q side > /dev/null 2>&1 || true\n"
        }
        1 => {
            "git checkout -q -b side; echo side >> a.txt; git commit -qam side; git checkout -q main; echo main >> a.txt
              git commit -qam main; git rebase -q side > /dev/null 2>&1 || true\n"
        }
        2 => {
            "git checkout -q -b side; echo side >> a.txt; git commit -qam side; git checkout -q main; echo main >> a.txt
              git commit -qam main; git cherry-pick side > /dev/null 2>&1 || true\n"
        }
        3 => "git checkout -q --detach\n",
        4 => "git mv a.txt moved.txt\n",
        5 => "git rm -q --cached a.txt\n",
        6 => "rm a.txt\n",
        7 => "git update-index --assume-unchanged a.txt; echo hidden >> a.txt\n",
        8 => "git update-index --skip-worktree a.txt; echo hidden >> a.txt\n",
        9 => "git checkout -q -b side; git branch -q -f gone\n",
        10 => "chmod +x a.txt; put dir/c.txt x; git add dir/c.txt\n",
        11 => "put dir/k.txt x; git add dir; git commit -qm dir; git sparse-checkout set dir > /dev/null 2>&1\n",
        _ => "touch a.txt; git notes add -m noted; git reset -q --soft HEAD\n",
    };
    if dice.one_in(5) {
        script += "git remote add other ex:shop.git\n";
    }
    let folder = match dice.roll(10) {
        0 => {
            script += "git worktree add -q --detach ../tree; echo x > ../tree/untracked\n";
            "../tree/"
        }
        1 => {
            script += "git clone -q --depth 1 \"file://$PWD\" ../shallow 2>/dev/null; echo x >> ../shallow/new.txt\n";
            "../shallow/"
        }
        2 => {
            script += "git clone -q --bare . ../bare.git\n";
            "../bare.git/"
        }
        3 | 4 => {
            script += "mkdir -p dir; put dir/inner.txt x\n";
            "dir/"
        }
        _ => "",
    };
    (script, folder)
}

fn plain(text: &str, folder: &Path, home: &Path) -> std::process::Command {
    let mut command = std::process::Command::new("bash");
    command.args(["--noprofile", "--norc", "-c", text]).current_dir(folder).env_clear().stdin(Stdio::null());
    for name in ["PATH", "LC_ALL", "XDG_CONFIG_HOME"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    command.env("HOME", home).env("TERM", "dumb");
    command
}

fn bash(text: &str, folder: &Path, home: &Path) -> String {
    let output = plain(text, folder, home).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}\n{out}{err}");
    out.trim_end().lines().last().unwrap_or_default().to_owned()
}

/// Which states this person looks at; the test itself starts the people.
fn person() -> Option<u64> {
    std::env::var(WHO).ok().and_then(|number| number.parse().ok())
}

#[test]
fn one_person() {
    let Some(person) = person() else { return };
    let home = PathBuf::from(std::env::var_os("HOME").unwrap());
    let mut dice = Dice(person * 7919 + 17);
    for _ in 0..20 {
        dice.roll(2);
    }
    configure(&mut dice, &home);
    let cages = Cages::new(
        CageSettings {
            setup: Some(env!("CARGO_BIN_EXE_fore-cage-setup").into()),
            home: Some(home.clone()),
            required_build: RequiredBuild::Full,
            ..crate::permitted::usual_settings()
        },
        &fore_commands::CATALOGUE,
    );
    let reads: String = READS
        .iter()
        .map(|read| format!("echo \"== {}\"; {read} 2>&1; echo \"= $?\"\n", read.replace('"', "")))
        .collect();
    let probe = GitProbe::new(&cages);
    let mut wrong = Vec::new();
    for number in 0..STATES / USERS / 2 {
        let top = home.join(format!("work/{number}"));
        std::fs::create_dir(&top).unwrap();
        let mut script = state(&mut dice);
        let folder = PathBuf::from(bash(&script, &top, &home));
        for _ in 0..2 {
            let reading = probe.reading(&folder);
            assert!(reading.config.is_some(), "nobody could look at {number} of {person}:\n{script}");
            let limits = RunLimits { time: Duration::from_secs(60), ..RunLimits::default() };
            let job = Job { limits, git: reading.clone(), ..Job::new(JobCommand::Script(reads.clone()), &folder) };
            let caged = cages.run_typed(&Cage::ReadOnly { outside: Outside::Closed }, job).unwrap().stdout.text();
            let output = plain(&reads, &folder, &home).env("GIT_PAGER", "cat").output().unwrap();
            let plain = String::from_utf8_lossy(&output.stdout).into_owned();
            if plain != caged {
                let pairs = plain.lines().zip(caged.lines());
                let first = pairs.enumerate().find(|(_, (plain, caged))| plain != caged);
                wrong.push(format!("state {number} of {person}: {first:#?}\n{:?}\n{script}", reading.overrides));
            }
            assert!(plain.matches("= 0").count() >= 5, "no control: {plain}");
            let change = dice.pick(CHANGES);
            script += change;
            bash(&format!("{{ {change}; }} >/dev/null 2>&1 || true"), &folder, &home);
        }
        std::fs::remove_dir_all(&top).unwrap();
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n\n"));
}

fn start(person: u64, place: &Path, ordinary: bool) -> Child {
    let home = place.join(format!("home-{person}"));
    std::fs::create_dir(&home).unwrap();
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "one_person", "--nocapture"]).env_clear().env(WHO, person.to_string()).env("HOME", &home);
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("LC_ALL", "C").env(PLACE, place);
    if person % 3 == 1 {
        command.env("XDG_CONFIG_HOME", home.join("elsewhere"));
        std::fs::create_dir_all(home.join("elsewhere/git")).unwrap();
        std::fs::write(home.join("elsewhere/git/ignore"), "q.tmp\n").unwrap();
        std::fs::write(home.join("elsewhere/git/config"), "[user]\n\tname = Elsewhere\n").unwrap();
    }
    if ordinary {
        for path in [home.clone(), home.join("elsewhere"), home.join("elsewhere/git")] {
            let _ = std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY));
        }
        command.uid(NOBODY).gid(NOBODY);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn git_says_the_same_in_a_cage_as_outside_on_200_states() {
    if person().is_some() {
        return;
    }
    // SAFETY: no pointers, cannot fail.
    let is_root = unsafe { libc::geteuid() } == 0;
    let place = tempfile::tempdir_in(place()).unwrap();
    std::os::unix::fs::chown(place.path(), None, None).unwrap();
    std::fs::set_permissions(place.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut waiting: Vec<u64> = (0..USERS).collect();
    let mut failures = Vec::new();
    while !waiting.is_empty() {
        // Three at a time: two processors, and somebody always waits for the disk.
        let batch: Vec<u64> = waiting.drain(..waiting.len().min(3)).collect();
        let running: Vec<Child> =
            batch.into_iter().map(|person| start(person, place.path(), is_root && person % 2 == 1)).collect();
        for child in running {
            let output = child.wait_with_output().unwrap();
            if !output.status.success() {
                failures.push(format!(
                    "{}{}",
                    String::from_utf8_lossy(&output.stdout),
                    String::from_utf8_lossy(&output.stderr)
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
