//! Pages of git commands and what they would do, in quiet, armed and unknown repositories.

mod languages_support;
use fore_shell::{GitFacts, Reach};
use languages_support::{check, check_with, judge};

#[test]
fn commands_people_were_angry_to_see_refused_are_reads() {
    check(
        r#"
        reads: git log
        reads: git show HEAD
        reads: git diff
        reads: git status
        reads: git merge-base origin/master HEAD
        reads: git rev-parse HEAD
        reads: git describe --tags
        reads: git reflog
        reads: git for-each-ref
        reads: git cat-file -p HEAD
        reads: git ls-tree HEAD
        reads: git rev-list --left-right --count A...B
        reads: git branch -a
        reads: git tag --contains HEAD
        reads: git grep foo
        reads: git tag --list
        reads: git stash list
        reads: git worktree list
        reads: git submodule status
        reads: git switch -h
        reads: git -C DIR log
        reads: git -C /a -C b status
        reads: git --no-pager log -3
        reads: git -P --no-optional-locks diff
        reads: git -c color.ui=always -c core.pager=cat diff
        reads: git -c core.quotepath=false -c log.date=iso log
        reads: git log --format={}
        reads: git log -- src/*
        reads: git diff HEAD -- $x
        reads: git log --since="$x"
        reads: git log -S "$x"
        reads: git grep -e "$x" -- src
        reads: git --version
        reads: git -C "$x" rev-parse HEAD
        reads: git tag x --contains
        reads: git config --get a.b c
        reads: git
        "#,
    );
}

#[test]
fn global_options_that_steer_git_are_not_reads() {
    check(
        r#"
        unknown git.-c: git -c core.pager=evil log
        unknown git.-c: git -c alias.x=!sh x
        unknown git.-c: git -c core.fsmonitor=evil status
        unknown git.-c: git -c diff.external=evil diff
        unknown git.-c: git -c protocol.ext.allow=always clone ext::x
        unknown git.-c: git -c "$x" log
        unknown git.-c: git -c pager.log=evil log
        unknown git.-c: git -c core.fsmonitor status
        unknown git.global: git --config-env=core.pager=X log
        unknown git.global: git --exec-path=/tmp log
        unknown git.global: git --git-dir=/tmp/x log
        unknown git.global: git --work-tree=/tmp/x status
        unknown git.global: git -p log
        unknown git.global: git --paginate log
        unknown git.global: git --bare log
        unknown git.global: git -ccore.pager=evil log
        unknown git.global: git --help log
        unknown git.-C: git -C $x log
        unknown git.config.folder: git -C "$x" log
        unknown git.subcommand: git "$x"
        unknown git.subcommand: git st
        unknown git.subcommand: git Log
        "#,
    );
}

#[test]
fn commands_that_change_something_say_so() {
    check(
        r#"
        writes git.commit: git commit -m x
        writes git.commit: git commit --dry-run
        writes git.add: git add -n .
        writes git.push: git push
        writes git.fetch: git fetch
        writes git.pull: git pull
        writes git.checkout: git checkout main
        writes git.switch: git switch main
        writes git.reset: git reset --h
        writes git.gc: git gc
        writes git.cherry-pick: git cherry-pick abc
        writes git.stash: git stash
        writes git.stash: git stash -u
        writes git.stash.pop: git stash pop
        writes git.remote.add: git remote -v add a b
        writes git.remote.set-url: git remote set-url a b
        writes git.remote.update: git remote update
        writes git.branch.-D: git branch -D x
        writes git.branch.-d: git branch -r -d x
        writes git.branch.operand: git branch NAME
        writes git.branch.operand: git branch -v NAME
        writes git.branch.operand: git branch --sort=x NAME
        writes git.branch.--edit-description: git branch --edit-description
        writes git.branch.--delete: git branch --del x
        writes git.tag.operand: git tag v1
        writes git.tag.operand: git tag --sort=refname NAME
        writes git.tag.-d: git tag -d v1
        writes git.config.operand: git config user.name me
        writes git.config.--unset: git config --unset a.b
        writes git.config.set: git config set a.b c
        writes git.bisect.start: git bisect start
        writes git.reflog.expire: git reflog expire --all
        writes git.notes.add: git notes add -m x
        writes git.worktree.add: git worktree add ../x
        writes git.submodule.update: git submodule update --init
        writes git.hash-object.-w: git hash-object -w file
        writes git.diff.--output: git diff --output=f
        writes git.diff.--output: git diff --outp=f
        writes git.log.--output: git log --output f
        writes git.blame.--output: git blame --output=f a
        writes git.rev-list.--output: git rev-list --output=f HEAD
        writes git.archive.-o: git archive -o x.tar HEAD
        writes git.clean.operand: git clean -fd
        writes git.describe.--dirty: git describe --dirty
        runs git.diff.--ext-diff: git diff --ext-diff
        runs git.log.--textconv: git log -p --textconv
        runs git.log.--show-signature: git log --show-signature
        runs git.log.--format: git log --format=%G?
        runs git.log.--pretty: git log --pretty=format:%h%GK
        runs git.for-each-ref.--format: git for-each-ref --format=%(signature)
        runs git.grep.-O: git grep -O foo
        runs git.grep.--open-files-in-pager: git grep --open-files-in-pager=sh foo
        runs git.ls-remote.--upload-pack: git ls-remote --upload-pack=x origin
        runs git.ls-remote.--upload-pack: git ls-remote --upload-pa=x origin
        runs git.submodule.foreach: git submodule foreach ls
        runs git.bisect.run: git bisect run make
        runs git.verify-commit: git verify-commit HEAD
        runs git.lfs: git lfs ls-files
        runs git.difftool: git difftool
        unknown git.log.--help: git log --help
        unknown git.log.word: git log $x
        unknown git.log.--format: git log --format="$x"
        writes git.branch.-d: git branch --format --help -d x
        writes git.log.--output: git log --output=$x
        writes git.config.--edit: git config --edit="$x"
        unknown git.fsck.option: git fsck --r
        unknown git.log.option: git log --oneline=true
        unknown git.log.option: git log -5p
        unknown git.log.option: git log -- -x
        unknown git.log.-n: git log -n
        unknown git.log.-n: git log -n -5
        unknown git.diff.option: git diff -- --output=x
        "#,
    );
}

#[test]
fn asking_a_remote_is_network_with_its_host() {
    check(
        r"
        network git.ls-remote.network: git ls-remote
        network git.ls-remote.network: git ls-remote --tags origin
        network git.ls-remote.network: git ls-remote https://example.com/a.git
        network git.remote.show.network: git remote show origin
        reads: git remote show -n origin
        unknown git.ls-remote.operand: git ls-remote ext::sh
        unknown git.ls-remote.operand: git ls-remote git@example.com:a
        unknown git.ls-remote.operand: git ls-remote ../other
        unknown git.ls-remote.operand: git ls-remote https://%65xample.com/a
        ",
    );
    let reach = judge("git ls-remote https://me@Example.com:8443/a.git", &GitFacts::Quiet).reach;
    assert_eq!(reach, [Reach::Host("example.com:8443".into())]);
    assert_eq!(judge("git ls-remote origin", &GitFacts::Quiet).reach, [Reach::AnyHost]);
}

#[test]
fn an_armed_setting_stops_only_the_commands_that_obey_it() {
    let armed = |key: &str| GitFacts::Armed(vec![key.to_owned()]);
    check_with(
        r"
        unknown git.config.armed: git status
        unknown git.config.armed: git diff
        unknown git.config.armed: git ls-files -m
        unknown git.config.armed: git grep x
        unknown git.config.armed: git blame a
        reads: git log -p
        reads: git show
        reads: git rev-parse HEAD
        reads: git branch -a
        ",
        &armed("core.fsmonitor"),
    );
    check_with(
        r"
        unknown git.config.armed: git diff
        unknown git.config.armed: git log
        unknown git.config.armed: git show
        unknown git.config.armed: git blame a
        unknown git.config.armed: git stash show
        reads: git ls-files
        reads: git merge-base a b
        ",
        &armed("diff.x.textconv"),
    );
    check_with(
        r"
        unknown git.config.armed: git log
        unknown git.config.armed: git branch
        reads: git rev-parse HEAD
        reads: git for-each-ref
        ",
        &armed("core.pager"),
    );
    check_with(
        r"
        unknown git.config.armed: git ls-remote
        unknown git.config.armed: git remote show origin
        reads: git remote -v
        reads: git log
        ",
        &armed("core.sshCommand"),
    );
    check_with("reads: git status\nunknown git.subcommand: git st", &armed("alias.st"));
    check_with(
        r"
        unknown git.config.armed: git show HEAD
        unknown git.config.armed: git ls-tree -l HEAD
        unknown git.config.armed: git rev-parse HEAD:src
        reads: git rev-parse HEAD
        reads: git merge-base a b
        reads: git branch
        ",
        &armed("remote.origin.promisor"),
    );
    check_with("unknown git.config.armed: git whatchanged\nreads: git rev-parse HEAD", &armed("alias.whatchanged"));
    check_with("unknown git.config.armed: git status\nreads: git rev-parse HEAD", &armed("something.new"));
}

#[test]
fn a_repository_that_nobody_looked_at_is_unknown() {
    check_with(
        r"
        unknown git.config.unprobed: git status
        unknown git.config.unprobed: git log
        reads: git rev-parse HEAD
        reads: git --version
        writes git.commit: git commit
        ",
        &GitFacts::Unprobed,
    );
    check_with("reads: git status\nreads: git diff --no-index a b", &GitFacts::NoRepository);
}

#[test]
fn the_setting_is_named_to_the_person() {
    let finding = judge("git status", &GitFacts::Armed(vec!["alias.x".into(), "core.fsmonitor".into()]));
    assert_eq!(
        finding.evidence[0].why,
        "the repository's setting `core.fsmonitor` can make `git status` run a program"
    );
}
