//! Whole bash texts with sed, awk, find, jq and git in them, through the parser and the tables.

use fore_shell::{GitFacts, ShellFacts, judge};
use std::path::Path;

fn check(page: &str) {
    let facts = ShellFacts {
        catalogue: &fore_commands::CATALOGUE,
        cwd: Path::new("/project"),
        home: None,
        plan_file: None,
        vouched: &[],
        repositories: &GitFacts::Quiet,
    };
    let judged = |line: &str| {
        let (_, text) = line.split_once(": ").unwrap_or_default();
        let finding = judge(&text.replace('⏎', "\n"), &facts);
        format!("{}: {text}", format!("{:?}", finding.kind).to_lowercase())
    };
    let lines = page.lines().map(str::trim).filter(|line| !line.is_empty());
    let (expected, judged): (Vec<&str>, Vec<String>) =
        lines.map(|line| (line, judged(line))).filter(|(line, judged)| line != judged).unzip();
    assert_eq!(judged, expected);
}

#[test]
fn what_planners_type_is_a_read() {
    check(
        r#"
        reads: sed -n '1,40p' src/main.rs
        reads: sed -n "10,20p" src/main.rs | head
        reads: cat x | sed 's/old/new/' | awk '{print $1}' | sort | uniq -c
        reads: awk '$3 > 5' data.txt
        reads: awk -F'\t' '{ if ($1 > 2) print $0 }' data.tsv
        reads: awk '{print ($1 > 2)}' data.txt
        reads: awk '{print $1}' inplace-notes.txt
        reads: awk "NR>=10 && NR<=20" file
        reads: find . -name '*.rs' -not -path './target/*' 2>/dev/null | head -1
        reads: find . -name "*.rs" -exec wc -l {} +
        reads: find src -type f -exec grep -l foo {} \;
        reads: find . \( -name a -o -name b \) -prune -o -print
        reads: find . -name *.rs
        reads: find . -type f -exec grep -n "$pattern" {} +
        reads: find . -type f -exec sed -n 1p {} \;
        reads: find . -type f -print0 | xargs -0 grep -n foo
        reads: git log --oneline -5 | head
        reads: git status && echo "---" && pwd
        reads: cd /project/sub && git grep foo 2>/dev/null | head
        reads: git -C /other log --oneline
        reads: git log --format='%h %s' --since='2 weeks ago' -- src/*.rs
        reads: git diff --stat HEAD~3..HEAD
        reads: git branch -a && git tag --list && git stash list && git worktree list
        reads: git rev-list --left-right --count origin/main...HEAD
        reads: mb=$(git merge-base origin/master HEAD); git diff --stat HEAD -- "$mb"
        reads: mb=$(git merge-base origin/master HEAD); git diff "$mb" -- src
        reads: git show HEAD:src/main.rs | sed -n '1,20p'
        reads: git log --format={}
        reads: git for-each-ref --sort=-committerdate --format='%(refname:short) %(committerdate:relative)' refs/heads | head
        reads: git ls-files | xargs wc -l
        reads: git log -p -S'needle' -- src
        reads: git shortlog -sn --all | head
        reads: git blame -L 10,20 src/main.rs
        reads: git config --get remote.origin.url
        reads: git remote -v
        reads: jq -r '.scripts | keys[]' package.json
        reads: cat package.json | jq '.dependencies' | head
        reads: grep -n "git apply\|--check" file
        reads: for f in src/*.rs; do awk 'END{print NR}' "$f"; done
        reads: git log --author="$(git config user.name)" --oneline
        "#,
    );
}

#[test]
fn what_hides_a_write_is_not_a_read() {
    check(
        r#"
        writes: sed -n 1p -ewFILE
        writes: sed -ne1wFILE x
        writes: sed "s/a/b/w out" x
        writes: sed $'s/a/b/\nw out' x
        writes: sed -i'' s/a/b/ x
        writes: sed s/a/b/ x -{i,n}
        runs: sed 1e x
        runs: awk 'BEGIN{system("rm x")}'
        runs: awk '{print | "sh"}' x
        writes: awk '{print > "out"}' x
        writes: awk "{print > \"out\"}" x
        unknown: awk "$PROGRAM" x
        writes: find . -del''ete
        writes: find . -{delete,print}
        writes: find . -name x -exec rm {} \;
        writes: find . -exec cp {} + DEST \;
        writes: find . -execdir rm {} +
        unknown: find . ${IFS}-delete
        unknown: find . -exec grep "$x" -delete {} \;
        unknown: find . -exec grep $x {} \;
        unknown: find . -exec grep {} "$x" -fprint out \;
        writes: find . -exec sed -i s/a/b/ {} \;
        writes: find . -exec sh -c 'rm "$1"' _ {} \;
        writes: git branch -D x
        writes: git -C sub branch -D x
        unknown: git -c core.pager='touch x' log
        writes: git diff --output=x
        writes: git log --"output"=x
        runs: git log --format='%G?'
        unknown: git $CMD
        unknown: git log $ARGS
        unknown: mb=$(git describe); git diff "$mb" -- src
        "#,
    );
}
