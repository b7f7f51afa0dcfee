//! What the tools print and what is read of it.

use super::{ProjectRoot, numbered, plain, together};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn paths_are_read_and_sentences_are_not() {
    let text = "src/cart.rs\n./web/a b.ts\ndocs/\nNo matches.\nNo files found\n[3 more files; narrow the pattern.]\n\
                (cut)\n../up.rs\n/etc/passwd\na`b.rs\n<system-reminder>.rs\nx//y.rs\n\n";
    let paths = BTreeSet::from(["src/cart.rs".to_owned(), "web/a b.ts".into(), "docs".into()]);
    assert_eq!(ProjectRoot::default().paths(text), paths);
}

#[test]
fn absolute_paths_become_relative_to_the_project() {
    let root = ProjectRoot(Some("/projects/shop".into()));
    assert_eq!(root.paths("/projects/shop/src/a.rs\n/projects/shopping/b.rs"), BTreeSet::from(["src/a.rs".to_owned()]));
}

#[test]
fn a_list_of_names_that_was_cut_counts_as_none() {
    assert_eq!(ProjectRoot::default().names("a.rs\n[1 more files; narrow the pattern to see them.]"), BTreeSet::new());
    assert_eq!(ProjectRoot::default().names("a.rs"), BTreeSet::from(["a.rs".to_owned()]));
}

#[test]
fn counts_and_lines_are_read() {
    let root = ProjectRoot::default();
    let counts = BTreeMap::from([("a.rs".to_owned(), 3), ("b:c.rs".to_owned(), 1)]);
    let counts: BTreeMap<String, u64> = counts.into_iter().filter(|(path, _)| !path.contains(':')).collect();
    assert_eq!(root.counts("a.rs:3\nb:c.rs:1\nNo matches.\nx.rs:many\n[There is more.]"), counts);
    assert_eq!(
        root.lines("a.rs:12:fn a() { b::c(1:2) }\nsays: nothing\na.rs:x:y"),
        [("a.rs".to_owned(), 12, "fn a() { b::c(1:2) }".to_owned())]
    );
}

#[test]
fn a_file_is_read_without_its_notes() {
    let text = "     1\tfn a() {}\n     2\t\tx\n\n[Lines 1 to 2 of 9. Go on with offset 3.]";
    assert_eq!(numbered(text), [(1, "fn a() {}"), (2, "\tx")]);
    assert_eq!(plain(text), "fn a() {}\n\tx\n");
}

#[test]
fn a_commit_of_half_the_project_says_nothing() {
    let many: String = (0..30).map(|n| format!("f{n}.rs\n")).collect();
    let text =
        format!("==a1\nsrc/cart.rs\nsrc/price.rs\n\n==b2\nsrc/cart.rs\n\n==c3\nsrc/cart.rs\n{many}\n==d4\nother.rs\n");
    let read = together(&text, "src/cart.rs", &ProjectRoot::default());
    assert_eq!((read.commits, read.others), (2, BTreeMap::from([("src/price.rs".to_owned(), 1)])));
    assert_eq!(together("", "a", &ProjectRoot::default()), super::CoChanges::default());
}
