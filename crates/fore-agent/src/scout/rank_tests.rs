//! Requests, small projects, what git knows, and the candidates that come of them with their reasons.

use super::super::evidence::ScoutEvidence;
use super::super::findings::ScoutFindings;
use super::super::index::FileAccess;
use super::super::tool_output::CoChanges;
use super::{Candidate, CandidateReason, rank};

/// Files with their texts.
struct Project(&'static [(&'static str, &'static str)]);

impl FileAccess for Project {
    fn read(&self, path: &str) -> Option<String> {
        self.0.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
    }

    fn is_over(&self) -> bool {
        false
    }
}

/// The candidates; `together` are pairs of a file and what changed with it, with how often, of ten commits.
fn ranked(
    request: &str,
    files: &'static [(&'static str, &'static str)],
    together: &[(&str, &str, u64)],
) -> Vec<Candidate> {
    let paths: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    let findings = ScoutFindings::look(&[request.to_owned()], &paths, false, &Project(files));
    let mut evidence = ScoutEvidence { known: findings.known.clone(), ..ScoutEvidence::default() };
    for (file, other, times) in together {
        let others = [((*other).to_owned(), *times)].into_iter().collect();
        evidence.together.insert((*file).to_owned(), CoChanges { commits: 10, others });
    }
    rank(&findings, &evidence)
}

const SHOP: &[(&str, &str)] = &[
    ("shop/__init__.py", "from .cart import add_voucher\n"),
    ("shop/cart.py", "def add_voucher(code):\n    return code\n"),
    ("shop/page.py", "from .cart import add_voucher\n\nadd_voucher(1)\n"),
    ("shop/price.py", "cents = 1\n"),
    ("shop/notes.py", "# add_voucher is old\ncents = 1\n"),
];

#[test]
fn candidates_are_ordered_by_what_they_have_to_do_with_the_request() {
    type Row = (&'static str, &'static str, &'static [(&'static str, &'static str, u64)], &'static [&'static str]);
    let rows: &[Row] = &[
        (
            "a renaming begins where the name is defined, then where it is handed on, used and mentioned",
            "rename add_voucher to add_code",
            &[],
            &["shop/cart.py", "shop/__init__.py", "shop/page.py", "shop/notes.py"],
        ),
        (
            "a file named with its path is first",
            "add_voucher in shop/price.py",
            &[],
            &["shop/price.py", "shop/cart.py"],
        ),
        (
            "what changes together with a likely file is likely",
            "`add_voucher` is slow",
            &[("shop/cart.py", "shop/price.py", 9)],
            &["shop/cart.py", "shop/price.py"],
        ),
        (
            "once is a chance",
            "`add_voucher` is slow",
            &[("shop/cart.py", "shop/price.py", 1)],
            &["shop/cart.py", "shop/page.py", "shop/__init__.py", "shop/notes.py"],
        ),
        (
            "what git remembers may be gone",
            "`cents`",
            &[("shop/price.py", "shop/gone.py", 9)],
            &["shop/price.py", "shop/notes.py"],
        ),
        ("nothing fits", "`zebra`", &[], &[]),
    ];
    for (rule, request, together, wanted) in rows {
        let found = ranked(request, SHOP, together);
        let found: Vec<&str> = found.iter().map(|held| held.path.as_str()).take(wanted.len().max(1)).collect();
        assert_eq!(found, *wanted, "{rule}");
    }
}

#[test]
fn every_candidate_says_why() {
    let found = ranked("`add_voucher` in the cart", SHOP, &[("shop/cart.py", "shop/price.py", 9)]);
    let reasons = |path: &str| found.iter().find(|held| held.path == path).map(|held| held.reasons.clone()).unwrap();
    let name = || "add_voucher".to_owned();
    assert!(reasons("shop/cart.py").contains(&CandidateReason::Defines { name: name(), line: 1 }));
    assert!(reasons("shop/cart.py").contains(&CandidateReason::InName { said: "cart".into() }));
    assert!(reasons("shop/__init__.py").contains(&CandidateReason::HandsOn { name: name(), line: 1 }));
    assert!(reasons("shop/page.py").contains(&CandidateReason::Uses { name: name(), line: 1 }));
    assert!(
        !reasons("shop/notes.py").iter().any(|held| matches!(held, CandidateReason::Uses { .. })),
        "a comment uses nothing"
    );
    let together = CandidateReason::Together { with: "shop/cart.py".into(), times: 9, of: 10 };
    assert!(reasons("shop/price.py").contains(&together));
}
