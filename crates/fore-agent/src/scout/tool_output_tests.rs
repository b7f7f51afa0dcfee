//! What git prints and what is read of it.

use super::{is_plain_path, together};
use std::collections::BTreeMap;

#[test]
fn only_plain_paths_are_written_into_a_plan() {
    for path in ["src/cart.rs", "web/a b.ts", "docs", "a(b).js"] {
        assert!(is_plain_path(path), "{path}");
    }
    for path in [
        "No matches.",
        "No files found",
        "(cut)",
        "../up.rs",
        "/etc/passwd",
        "a`b.rs",
        "<system-reminder>.rs",
        "x//y.rs",
        "",
    ] {
        assert!(!is_plain_path(path), "{path}");
    }
}

#[test]
fn a_commit_of_half_the_project_says_nothing() {
    let many: String = (0..30).map(|n| format!("f{n}.rs\n")).collect();
    let text =
        format!("==a1\nsrc/cart.rs\nsrc/price.rs\n\n==b2\nsrc/cart.rs\n\n==c3\nsrc/cart.rs\n{many}\n==d4\nother.rs\n");
    let read = together(&text, "src/cart.rs");
    assert_eq!((read.commits, read.others), (2, BTreeMap::from([("src/price.rs".to_owned(), 1)])));
    assert_eq!(together("", "a"), super::CoChanges::default());
}
