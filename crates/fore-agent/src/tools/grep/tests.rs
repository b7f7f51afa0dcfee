//! What Grep finds and leaves out, through the real gate.

#![expect(clippy::disallowed_methods, reason = "makes links for the tests")]

use super::Grep;
use crate::tools::{Tool, test_support::Workplace};
use serde_json::{Value, json};

fn shop() -> Workplace {
    Workplace::with(&[
        ("src/cart.rs", "fn total() {}\nfn tax() {}\n\n\nlet a = total();\nend\n"),
        ("src/page.ts", "const total = 1;\r\n"),
        ("lib/Total.py", "TOTAL = 2\n"),
        ("notes.md", "nothing here\n"),
        (".hidden", "total\n"),
        (".git/HEAD", "total\n"),
        (".gitignore", "build/\n*.log\n"),
        ("build/out.js", "total\n"),
        ("x.log", "total\n"),
    ])
}

#[test]
fn the_three_ways_to_show_what_was_found_in_the_order_of_paths() {
    let place = shop();
    let page = [
        (json!({"pattern": "total"}), ".hidden\nsrc/cart.rs\nsrc/page.ts"),
        (json!({"pattern": "total", "output_mode": "count"}), ".hidden:1\nsrc/cart.rs:2\nsrc/page.ts:1"),
        (
            json!({"pattern": "total", "output_mode": "content"}),
            ".hidden:1:total\nsrc/cart.rs:1:fn total() {}\nsrc/cart.rs:5:let a = total();\nsrc/page.ts:1:const total = 1;",
        ),
        (json!({"pattern": "tax", "output_mode": "content", "-n": false}), "src/cart.rs:fn tax() {}"),
        (json!({"pattern": "total", "-i": true, "path": "lib"}), "lib/Total.py"),
        (json!({"pattern": "^fn \\w+\\(", "output_mode": "count"}), "src/cart.rs:2"),
        (json!({"pattern": "absent"}), "No matches."),
    ];
    for (input, text) in page {
        assert_eq!(place.told(&Grep, input.clone()), text, "{input}");
    }
}

#[test]
fn lines_around_a_match_are_marked_and_groups_are_parted() {
    let place = shop();
    let page = [
        (
            json!({"-A": 1}),
            "src/cart.rs:2:fn tax() {}\nsrc/cart.rs-3-\n--\nsrc/cart.rs:5:let a = total();\nsrc/cart.rs-6-end",
        ),
        (
            json!({"-B": 1}),
            "src/cart.rs-1-fn total() {}\nsrc/cart.rs:2:fn tax() {}\n--\nsrc/cart.rs-4-\nsrc/cart.rs:5:let a = total();",
        ),
        (
            json!({"-C": 1, "-A": 0}),
            "src/cart.rs-1-fn total() {}\nsrc/cart.rs:2:fn tax() {}\n--\nsrc/cart.rs-4-\nsrc/cart.rs:5:let a = total();",
        ),
    ];
    for (more, text) in page {
        let mut input = json!({"pattern": "tax|let", "output_mode": "content", "path": "src"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(place.told(&Grep, input), text, "{more}");
    }
}

#[test]
fn globs_and_types_narrow_a_search_and_never_bring_back_what_is_ignored() {
    let place = shop();
    let page = [
        (json!({"glob": "*.rs"}), "src/cart.rs"),
        (json!({"glob": "*.{rs,ts}"}), "src/cart.rs\nsrc/page.ts"),
        (json!({"glob": "*.rs, *.ts"}), "src/cart.rs\nsrc/page.ts"),
        (json!({"glob": "!src/**"}), ".hidden"),
        (json!({"glob": "*.log"}), "No matches."),
        (json!({"type": "rust"}), "src/cart.rs"),
        (json!({"type": "ts", "glob": "src/*"}), "src/page.ts"),
    ];
    for (more, text) in page {
        let mut input = json!({"pattern": "total"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(place.told(&Grep, input), text, "{more}");
    }
}

#[test]
fn a_path_that_is_named_is_searched_though_it_is_ignored() {
    let place = shop();
    let page = [
        ("build", "build/out.js"),
        ("x.log", "x.log"),
        ("src/page.ts", "src/page.ts"),
        ("build/out.js", "build/out.js"),
    ];
    for (path, text) in page {
        assert_eq!(place.told(&Grep, json!({"pattern": "total", "path": path})), text);
    }
}

#[test]
fn ignore_files_hold_outside_of_a_repository_too() {
    let place = Workplace::with(&[("a.txt", "x"), ("b.txt", "x"), (".ignore", "b.txt\n"), (".gitignore", "a.txt\n")]);
    assert_eq!(place.told(&Grep, json!({"pattern": "x"})), ".gitignore\n.ignore\na.txt");
}

#[test]
fn patterns_over_several_lines_have_to_be_asked_for() {
    let place = shop();
    let input = json!({"pattern": "total\\(\\) \\{\\}.fn tax", "multiline": true, "output_mode": "content"});
    assert_eq!(place.told(&Grep, input), "src/cart.rs:1:fn total() {}\nsrc/cart.rs:2:fn tax() {}");
    let why = place.trouble(&Grep, json!({"pattern": "a\\nb"}));
    assert!(why.ends_with(" A pattern that holds a line end needs `multiline`."), "{why}");
}

#[test]
fn what_is_not_understood_is_explained() {
    let place = shop();
    let page = [
        (
            json!({"pattern": "f("}),
            "The regular expression `f(` is not understood: unclosed group. To search for special characters as they are, put a backslash before each.",
        ),
        (
            json!({"pattern": "x", "type": "rst2"}),
            "The type `rst2` is not known. Near: rst, rust. A glob such as `*.rst2` does it too.",
        ),
        (
            json!({"pattern": "x", "output_mode": "lines"}),
            "output_mode `lines` is not known; it is files_with_matches, content or count.",
        ),
        (json!({"pattern": "x", "path": "sr"}), "/t/shop/sr does not exist. Near names in the same folder: src."),
        (json!({"pattern": "x", "-A": -1}), "`-A` has to be a whole number, 0 or more."),
        (json!({}), "`pattern` is missing."),
    ];
    for (input, why) in page {
        assert_eq!(place.trouble(&Grep, input), why);
    }
    let why = place.trouble(&Grep, json!({"pattern": "x", "glob": "{a"}));
    assert!(why.starts_with("`glob` is not understood: "), "{why}");
    let why = place.trouble(&Grep, json!({"pattern": "(?=x)"}));
    assert!(why.ends_with("Search for something simpler and look at the lines it finds."), "{why}");
}

#[test]
fn binary_files_are_left_out_and_long_lines_are_cut() {
    let place = Workplace::with(&[("wide.txt", &format!("needle{}\n", "x".repeat(3_000)))]);
    place.put("binary", b"needle\nab\0cd\n");
    let expected = format!("wide.txt:1:needle{}… [line cut]", "x".repeat(494));
    assert_eq!(place.told(&Grep, json!({"pattern": "needle", "output_mode": "content"})), expected);
    assert_eq!(
        place.trouble(&Grep, json!({"pattern": "needle", "path": "binary"})),
        "/t/shop/binary is binary; it is not searched."
    );
}

/// A hundred files of ten lines each.
fn many() -> Workplace {
    let place = Workplace::new();
    for number in 0..100 {
        place.put(format!("f{number:02}.txt"), "hit\n".repeat(10));
    }
    place
}

#[test]
fn a_limit_cuts_at_the_same_place_every_time() {
    let place = many();
    let more = "\n[There is more. Narrow the search or raise head_limit.]";
    for _ in 0..20 {
        let files = place.told(&Grep, json!({"pattern": "hit", "head_limit": 3}));
        assert_eq!(files, format!("f00.txt\nf01.txt\nf02.txt{more}"));
        let lines =
            place.told(&Grep, json!({"pattern": "hit", "head_limit": 12, "output_mode": "content", "-n": false}));
        assert_eq!(lines, format!("{}{}{}", "f00.txt:hit\n".repeat(10), "f01.txt:hit\n".repeat(2).trim_end(), more));
    }
    let exactly = place.told(&Grep, json!({"pattern": "hit", "head_limit": 100, "output_mode": "count"}));
    assert_eq!((exactly.lines().count(), exactly.contains("more")), (100, false));
    let usual = place.told(&Grep, json!({"pattern": "hit", "output_mode": "content"}));
    assert_eq!(usual.lines().count(), 251);
}

#[test]
fn what_comes_behind_the_limit_is_not_kept() {
    let place = many();
    let input = json!({"pattern": "hit", "head_limit": 1});
    let asked = super::SearchQuery::read(crate::tools::input::read(&input, &[]).unwrap()).unwrap();
    let files: Vec<_> = (0..100).map(|number| place.at(format!("f{number:02}.txt"))).collect();
    let found = super::find(&files, &asked, &place.context.opener(), &place.context.cancel);
    assert_eq!((found.is_cut, found.matches.len()), (true, 16));
}

#[test]
fn all_lines_together_are_bounded_in_bytes() {
    let place = Workplace::with(&[("a.txt", &format!("{}\n", "x".repeat(400)).repeat(1_000)), ("b.txt", "x\n")]);
    let text = place.told(&Grep, json!({"pattern": "x", "output_mode": "content", "head_limit": 5_000}));
    assert!(text.len() < 61_000, "{}", text.len());
    assert_eq!(text.lines().last(), Some("[There is more. Narrow the search or raise head_limit.]"));
    assert!(!text.contains("b.txt"));
}

#[test]
fn a_cancelled_search_stops() {
    let place = many();
    place.context.cancel.cancel();
    assert_eq!(place.trouble(&Grep, json!({"pattern": "hit"})), "The search was stopped.");
}

#[test]
fn g8_denied_files_secrets_and_git_are_never_searched() {
    let place = shop().denying("Read(src/cart.rs)").denying("Read(lib/**)");
    place.put(".env", "total\n");
    place.put("api/.env.local", "total\n");
    place.put("hidden", "total\n");
    std::os::unix::fs::symlink(place.at("hidden"), place.at(".env.production")).unwrap();
    place.put(place.home().join(".ssh/config"), "total\n");
    place.put(place.home().join("plain"), "total\n");
    std::os::unix::fs::symlink(place.home().join(".ssh"), place.at("keys")).unwrap();
    let search = |input: Value| place.told(&Grep, input);
    assert_eq!(search(json!({"pattern": "total", "-i": true})), ".hidden\nsrc/page.ts");
    assert_eq!(search(json!({"pattern": "total", "path": "~"})), "/t/home/plain");
    for path in [".env", "~/.ssh", "keys", "~/.ssh/config", "hidden"] {
        let why = place.trouble(&Grep, json!({"pattern": "total", "path": path}));
        assert!(why.contains("is kept secret (setting `cage.secrets`)"), "{why}");
    }
    let why = place.trouble(&Grep, json!({"pattern": "total", "path": ".git"}));
    assert_eq!(why, "`.git` is not searched; ask git itself, such as with `git log` or `git grep`.");
    assert!(place.call(&Grep, json!({"pattern": "total", "path": "src/cart.rs"})).is_err());
}

#[test]
fn the_environment_of_this_program_cannot_be_searched() {
    let place = Workplace::new();
    for path in ["/proc/self/environ", "/proc/self"] {
        assert_eq!(place.told(&Grep, json!({"pattern": "PATH=", "path": path})), "No matches.");
    }
}

#[test]
fn links_are_not_followed() {
    let place = Workplace::with(&[("a.txt", "x\n")]);
    place.put(place.home().join("far.txt"), "x\n");
    std::os::unix::fs::symlink(place.home(), place.at("away")).unwrap();
    std::os::unix::fs::symlink(place.home().join("far.txt"), place.at("far.txt")).unwrap();
    assert_eq!(place.told(&Grep, json!({"pattern": "x"})), "a.txt");
    assert_eq!(place.told(&Grep, json!({"pattern": "x", "path": "far.txt"})), "/t/home/far.txt");
    place.context.folder.set(place.at("away"));
    assert_eq!(place.trouble(&Grep, json!({"pattern": "x"})), "/t/shop/away leads through a link; search in /t/home.");
}

#[test]
fn people_see_what_is_searched_and_how_much_was_found() {
    let place = shop();
    assert_eq!(Grep.line(&json!({"pattern": "a b", "path": "src", "glob": "*.rs"})), "\"a b\" in src, *.rs");
    let lines = [
        json!({"pattern": "total"}),
        json!({"pattern": "tax"}),
        json!({"pattern": "absent"}),
        json!({"pattern": "total", "head_limit": 1}),
    ]
    .map(|input| place.call(&Grep, input).unwrap().shown.line);
    assert_eq!(lines, ["3 files", "1 file", "no matches", "1 or more files"]);
}
