//! Texts and where terms are found in them; sources in every language and what they are made of.

use super::closer::CloserLook;
use super::query::Query;
use super::structure::Structure;
use super::{FileAccess, FileCounts, Relation};
use crate::scout::request::TaskRequest;

fn query(request: &str) -> Query {
    Query::of(&TaskRequest::read(&[request.to_owned()]))
}

/// What a query finds in a text, as it stands there.
fn found(request: &str, text: &str) -> Vec<String> {
    query(request).hits(text).iter().map(|hit| text.get(hit.at..hit.end).unwrap().to_owned()).collect()
}

#[test]
fn a_word_is_found_where_a_part_of_a_name_begins() {
    for (name, is_found) in [
        ("cart", true),
        ("my_cart", true),
        ("CartItem", true),
        ("shopCart", true),
        ("CARTS", true),
        ("cartesian", false),
        ("descartes", false),
    ] {
        assert_eq!(!found("the cart", name).is_empty(), is_found, "{name}");
    }
    for (name, is_found) in
        [("discount", true), ("discountable", true), ("DiscountRule", true), ("undiscounted", false)]
    {
        assert_eq!(!found("discounts", name).is_empty(), is_found, "{name}");
    }
}

#[test]
fn a_name_is_found_in_every_spelling() {
    for spelling in ["apply_discount", "applyDiscount", "ApplyDiscount", "APPLY_DISCOUNT", "apply-discount"] {
        let hits = query("call applyDiscount").hits(spelling);
        assert!(
            hits.iter().any(|hit| hit.strength == 1.0 && hit.end - hit.at == spelling.len()),
            "{spelling} {hits:?}"
        );
    }
}

#[test]
fn two_words_side_by_side_are_a_pair() {
    for text in ["connection pool", "connectionPool", "connection_pool", "ConnectionPools", "connectionpool"] {
        assert!(found("the connection pool", text).iter().any(|hit| hit.len() >= "connectionpool".len()), "{text}");
    }
}

#[test]
fn any_request_makes_a_query() {
    let odd = "a.b*c `x[0]{1}` \"(?:\\ $^|\" “größe+”  日本語 foo\\bar [[ !@#% src/[x]/a.rs 'it''s' <b> &amp; a-b--c";
    let _ = query(odd).hits(odd);
    assert!(found("größe ändern", "die Größe").len() <= 1);
}

/// Names of definitions, and lines of prose and imports.
fn page(path: &str, text: &str) -> (Vec<String>, Vec<usize>, Vec<usize>) {
    let structure = Structure::of(path, text).unwrap();
    let lines = 1..=text.lines().count();
    (
        structure.definitions.iter().map(|held| held.name.clone()).collect(),
        lines.clone().filter(|line| structure.is_prose(*line)).collect(),
        lines.filter(|line| structure.is_import(*line)).collect(),
    )
}

#[test]
fn definitions_prose_and_imports_are_told_apart_in_every_language() {
    for (path, text, names, prose, imports) in [
        (
            "a.rs",
            "use x::Y;\n/// class Fake\npub fn total() {}\nmod cart;\nstruct Cart {\n    a: u8,\n}\nimpl Cart {\n    fn add() {}\n}\n",
            vec!["total", "Cart", "Cart", "add"],
            vec![2],
            vec![1],
        ),
        (
            "a.py",
            "from x import y\nclass Cart:\n    \"\"\"def fake\n    more\n    \"\"\"\n    def add(self):  # def other\n        pass\nLIMIT = 3\n",
            vec!["Cart", "add", "LIMIT"],
            vec![3, 4, 5],
            vec![1],
        ),
        (
            "a.js",
            "const x = require('x')\n// function fake\nfunction total() {}\nclass Cart { add() {} }\nexports.run = function () {}\nconst go = () => 1\nexport { y } from './y'\n",
            vec!["total", "Cart", "add", "run", "go"],
            vec![2],
            vec![1, 7],
        ),
        (
            "a.ts",
            "import { x } from 'x'\ninterface Cart { a: number }\nexport const total = (c: Cart): number => 1\ntype Id = string\n",
            vec!["Cart", "total", "Id"],
            vec![],
            vec![1],
        ),
        (
            "a.go",
            "package a\nimport \"x\"\n// func fake\nfunc (c *Cart) Add() {}\ntype Cart struct{}\n",
            vec!["Add", "Cart"],
            vec![3],
            vec![2],
        ),
        (
            "A.java",
            "import x.Y;\n/* class Fake */\nclass Cart {\n  int total() { return 1; }\n}\n",
            vec!["Cart", "total"],
            vec![2],
            vec![1],
        ),
        (
            "a.c",
            "#include <x.h>\n/* int fake() */\nstatic int *total(int a) {\n  return 0;\n}\nstruct cart { int a; };\n",
            vec!["total", "cart"],
            vec![2],
            vec![1],
        ),
        (
            "a.php",
            "<?php\nuse X\\Y;\n// function fake\nclass Cart {\n  function add() {}\n}\nfunction total() {}\n",
            vec!["Cart", "add", "total"],
            vec![3],
            vec![2],
        ),
    ] {
        assert_eq!(page(path, text), (names.into_iter().map(str::to_owned).collect(), prose, imports), "{path}");
    }
    assert_eq!(Structure::of("a.txt", "x"), None);
}

#[test]
fn broken_and_deep_sources_do_no_harm() {
    let deep = "(".repeat(20_000);
    for (path, text) in [("a.rs", "fn (((\u{0}"), ("a.py", "def \n\n   x"), ("a.js", deep.as_str()), ("a.php", "")] {
        let _ = CloserLook::at(path, text, &query("the cart"));
    }
}

#[test]
fn a_closer_look_tells_how_a_file_relates_to_a_name() {
    let asked = query("`apply_discount`");
    let relation = |path: &str, text: &str| CloserLook::at(path, text, &asked).relations.get(&0).map(|held| held.0);
    for (text, wanted) in [
        ("def apply_discount(): pass\n", Some(Relation::Defines)),
        ("from cart import apply_discount\n", Some(Relation::Imports)),
        ("total = apply_discount(1)\n", Some(Relation::Uses)),
        ("# apply_discount is old\n", Some(Relation::Mentions)),
        ("apply = discount\n", None),
    ] {
        assert_eq!(relation("a.py", text), wanted, "{text}");
    }
}

#[test]
fn tests_within_a_file_are_known_as_tests() {
    let text = "pub fn total() {}\n\n#[cfg(test)]\nmod tests {\n    fn helper() {}\n}\n";
    let look = CloserLook::at("a.rs", text, &query("the total"));
    let tests: Vec<&str> = look.definitions.iter().filter(|held| held.is_test).map(|held| held.name.as_str()).collect();
    assert_eq!((tests, look.has_tests), (vec!["tests", "helper"], true));
}

struct Shelf(Vec<(&'static str, &'static str)>);

impl FileAccess for Shelf {
    fn read(&self, path: &str) -> Option<String> {
        self.0.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
    }

    fn is_over(&self) -> bool {
        false
    }
}

#[test]
fn lines_are_counted_once_and_what_is_generated_not_at_all() {
    let shelf = Shelf(vec![("b.rs", "cart cart\ncart\n\nx\ncart"), ("a.rs", "x"), ("dist/c.js", "cart")]);
    let paths: Vec<String> = shelf.0.iter().map(|(path, _)| (*path).to_owned()).collect();
    let counts = FileCounts::count(&query("the cart"), &paths, &shelf, 3);
    let lines: Vec<(&str, u32)> =
        counts.files.iter().map(|file| (file.path.as_str(), file.lines.first().copied().unwrap_or_default())).collect();
    assert_eq!(lines, [("a.rs", 0), ("b.rs", 3), ("dist/c.js", 0)]);
}
