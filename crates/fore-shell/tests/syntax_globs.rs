//! A glob is harmless to programs with dangerous options only where no file is named like one.

use fore_shell::{CommandKind, GitFacts, Repositories, ShellFacts, judge};
use std::path::Path;

/// A disk on which only `/dashed` holds a file such as `-o`.
struct Disk;

impl Repositories for Disk {
    fn at(&self, _folder: &Path) -> GitFacts {
        GitFacts::NoRepository
    }

    fn may_hold_dashed_names(&self, folder: &Path) -> bool {
        folder == Path::new("/dashed")
    }
}

fn kind(text: &str, repositories: &dyn Repositories) -> CommandKind {
    let facts = ShellFacts {
        catalogue: &fore_commands::CATALOGUE,
        cwd: Path::new("/plain"),
        home: None,
        plan_file: None,
        vouched: &[],
        repositories,
    };
    judge(text, &facts).kind
}

#[test]
fn globs_are_words_where_no_name_starts_with_a_dash() {
    let page = [
        ("sort *.txt", CommandKind::Reads),
        ("sed -n 1,5p *.md", CommandKind::Reads),
        ("sort [a-z]*", CommandKind::Reads),
        ("for f in *; do sort \"$f\"; done", CommandKind::Reads),
        ("cd /dashed && sort *.txt", CommandKind::Unknown),
        ("cd \"$x\" && sort *.txt", CommandKind::Unknown),
        // A name with a blank in it falls apart, and a part may start with a dash.
        ("for f in *; do sort $f; done", CommandKind::Unknown),
        ("sort $x*.txt", CommandKind::Unknown),
        ("sort -o *.txt", CommandKind::Writes),
        ("uniq *", CommandKind::Unknown),
    ];
    for (text, expected) in page {
        assert_eq!(kind(text, &Disk), expected, "{text}");
    }
}

#[test]
fn where_nobody_looked_a_glob_may_be_an_option() {
    assert_eq!(kind("sort *.txt", &GitFacts::Quiet), CommandKind::Unknown);
    assert_eq!(kind("sort ./*.txt", &GitFacts::Quiet), CommandKind::Reads);
}
