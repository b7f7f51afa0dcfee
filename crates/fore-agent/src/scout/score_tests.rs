//! Requests, small projects, and the order of their files by score: one row for each rule.

use super::super::findings::ScoutFindings;
use super::super::index::FileAccess;

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

/// The files that score anything, best first.
fn order(request: &str, files: &'static [(&'static str, &'static str)]) -> Vec<String> {
    let paths: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    let findings = ScoutFindings::look(&[request.to_owned()], &paths, false, &Project(files));
    let mut scored: Vec<(f64, &String)> =
        findings.counts.files.iter().map(|file| (findings.score(file), &file.path)).collect();
    scored.retain(|(score, _)| *score > 0.0);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().map(|(_, path)| path.clone()).collect()
}

/// The rule, the request, the files, and the order they are in.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);

const ROWS: &[Row] = &[
    (
        "what defines a name comes before what uses it",
        "`total` rounds wrongly",
        &[("a.py", "x = total() + total()\n"), ("b.py", "def total():\n    return 1\n")],
        &["b.py", "a.py"],
    ),
    (
        "a name in the letters of a type is the type",
        "Please give Cart a limit",
        &[
            ("a.py", "x = Cart() + Cart()\ny = Cart() + Cart()\n"),
            ("b.py", "class Cart:\n    size = 1\n"),
            ("c.py", "y = 1\n"),
        ],
        &["b.py", "a.py"],
    ),
    (
        "a file that is named after a word is about it",
        "the invoice is wrong",
        &[("a.py", "x = invoice\n"), ("invoice.py", "x = invoice\n")],
        &["invoice.py", "a.py"],
    ),
    (
        "two words that a file name writes as one are a name",
        "the sans-io reader is slow",
        &[("a.py", "sans = 1\nio = 2\nreader = 3\n"), ("b_sansio.py", "sans = 1\nio = 2\nreader = 3\n")],
        &["b_sansio.py", "a.py"],
    ),
    (
        "a rare word tells more than a usual one",
        "the cart loses a voucher",
        &[("a.py", "cart\ncart\n"), ("b.py", "voucher\n"), ("c.py", "cart\n"), ("d.py", "cart\n"), ("e.py", "x\n")],
        &["b.py", "a.py", "c.py", "d.py"],
    ),
    (
        "words in one function tell more than words in two",
        "the voucher of an order",
        &[
            ("a.py", "def one():\n    voucher = 1\n    return 1\n\ndef two():\n    order = 1\n    return 2\n"),
            ("b.py", "def one():\n    voucher = order\n    return 1\n\ndef two():\n    return 2222222222\n"),
            ("c.py", "x = 1\n"),
        ],
        &["b.py", "a.py"],
    ),
    (
        "what is said first tells more",
        "the voucher lacks a deadline",
        &[("a.py", "deadline\n"), ("b.py", "voucher\n"), ("c.py", "x\n")],
        &["b.py", "a.py"],
    ),
    (
        "words of everyday life tell little",
        "the weird carries of the larger voucher",
        &[("a.py", "weird = larger = 1\n"), ("b.py", "voucher = 2222222\n"), ("c.py", "x\n")],
        &["b.py", "a.py"],
    ),
    (
        "what the language raises says little about where",
        "AttributeError in the voucher",
        &[("a.py", "raise AttributeError\n"), ("b.py", "voucher = 2\n"), ("c.py", "x\n")],
        &["b.py", "a.py"],
    ),
    (
        "a denied word is its own opposite",
        "keys are written unencoded",
        &[("a.py", "x = 1\n"), ("b.py", "def encode():\n    return 2\n")],
        &["b.py"],
    ),
    (
        "code says more than a comment",
        "the voucher",
        &[("a.py", "# voucher\nx = 1\n"), ("b.py", "voucher = 1\nx=1\n"), ("c.py", "x\n")],
        &["b.py", "a.py"],
    ),
    (
        "tests come behind what they test, in files of their own and at the end of a file",
        "the voucher",
        &[
            ("a.rs", "fn x() {}\n\n#[cfg(test)]\nmod tests {\n    fn y() { voucher(); }\n}\n"),
            ("b.rs", "fn x() {}\n\nmod inner {\n    fn y() { voucher(); }\n}\n"),
            ("tests/c.rs", "fn y() { voucher(); }\n"),
        ],
        &["b.rs", "a.rs", "tests/c.rs"],
    ),
    (
        "code comes before what says how it is built and what is written about it",
        "the voucher",
        &[
            ("PKG-INFO", "voucher\n"),
            ("README.md", "voucher\n"),
            ("setup.py", "voucher\n"),
            ("src/a.py", "voucher\n"),
            ("src/b.py", "x\n"),
        ],
        &["src/a.py", "setup.py", "README.md"],
    ),
    (
        "what only declares or hands on comes behind",
        "the voucher",
        &[("a.d.ts", "voucher\n"), ("b.ts", "voucher\n"), ("index.ts", "voucher\n"), ("x.ts", "x\n")],
        &["b.ts", "index.ts", "a.d.ts"],
    ),
    (
        "but it comes first where a request is about what can be imported",
        "Voucher can't be imported from the shop package",
        &[
            ("shop/__init__.py", "from .other import Voucher\n"),
            ("shop/other.py", "x = Voucher\n"),
            ("shop/third.py", "x\n"),
        ],
        &["shop/__init__.py", "shop/other.py", "shop/third.py"],
    ),
    (
        "a path is the file that it names, whole or by its end",
        "in shop/a.py the voucher is wrong",
        &[("lib/shop/a.py", "x\n"), ("shop/b.py", "def voucher():\n    return 1\n")],
        &["lib/shop/a.py", "shop/b.py"],
    ),
    (
        "a path of an installed file is the file",
        "fails in /usr/lib/python3/shop/a.py at the voucher",
        &[("src/shop/a.py", "x\n"), ("shop/b.py", "def voucher():\n    return 1\n")],
        &["src/shop/a.py", "shop/b.py"],
    ),
    (
        "a path of the system is text in code",
        "fails on a broken /etc/clock",
        &[("a.py", "open('/etc/clock')\n"), ("data/etc/clock", "x\n"), ("b.py", "x\n")],
        &["a.py", "data/etc/clock"],
    ),
];

#[test]
fn files_are_ordered_by_the_rules_of_the_score() {
    let wrong: Vec<_> = ROWS
        .iter()
        .map(|(rule, request, files, wanted)| (rule, order(request, files), wanted))
        .filter(|(_, found, wanted)| found != *wanted)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
