//! What Glob finds and leaves out, through the real gate.

#![expect(clippy::disallowed_methods, reason = "makes links and repositories for the tests")]

use super::Glob;
use crate::tools::{Tool, test_support::Workplace};
use serde_json::json;
use std::time::{Duration, SystemTime};

/// Sets the times of files, each a second older than the one before.
fn age(place: &Workplace, paths: &[&str]) {
    for (seconds, path) in paths.iter().enumerate() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - seconds as u64);
        std::fs::File::options().append(true).open(place.at(path)).unwrap().set_modified(time).unwrap();
    }
}

fn shop() -> Workplace {
    let place = Workplace::with(&[
        ("src/cart.rs", ""),
        ("src/deep/tax.rs", ""),
        ("src/page.ts", ""),
        ("src/page.tsx", ""),
        (".hidden/x.rs", ""),
        (".git/config.rs", ""),
        ("target/out.rs", ""),
        ("noise.log", ""),
        (".gitignore", "target/\n*.log\n"),
        ("main.rs", ""),
    ]);
    age(&place, &["src/deep/tax.rs", "main.rs", "src/cart.rs", ".hidden/x.rs", "target/out.rs"]);
    place
}

#[test]
fn files_come_newest_first_without_what_is_ignored() {
    let place = shop();
    let page = [
        ("**/*.rs", "src/deep/tax.rs\nmain.rs\nsrc/cart.rs\n.hidden/x.rs"),
        ("*.rs", "main.rs"),
        ("src/*.rs", "src/cart.rs"),
        ("src/**/*.rs", "src/deep/tax.rs\nsrc/cart.rs"),
        ("src/deep/tax.rs", "src/deep/tax.rs"),
        ("**/t?x.rs", "src/deep/tax.rs"),
        ("s[qr]c/*.rs", "src/cart.rs"),
        ("target/*.rs", "target/out.rs"),
    ];
    for (pattern, names) in page {
        assert_eq!(place.told(&Glob, json!({"pattern": pattern})), names, "{pattern}");
    }
}

#[test]
fn equal_times_are_ordered_by_path_and_braces_work() {
    let place = shop();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(5);
    for path in ["src/page.ts", "src/page.tsx"] {
        std::fs::File::options().append(true).open(place.at(path)).unwrap().set_modified(time).unwrap();
    }
    assert_eq!(place.told(&Glob, json!({"pattern": "**/*.{tsx,ts}"})), "src/page.ts\nsrc/page.tsx");
    assert_eq!(place.told(&Glob, json!({"pattern": "*.{tsx,ts}", "path": "src"})), "src/page.ts\nsrc/page.tsx");
}

#[test]
fn what_is_not_found_is_said_with_a_hint() {
    let place = shop();
    let page = [
        ("*.py", "No file matches `*.py`. It looks into one folder only; `**/` before it looks into all."),
        ("**/*.py", "No file matches `**/*.py`."),
    ];
    for (pattern, words) in page {
        assert_eq!(place.told(&Glob, json!({"pattern": pattern})), words);
    }
    let page = [
        (
            json!({"pattern": "**/{a"}),
            "The pattern is not understood: error parsing glob '**/{a': unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?).",
        ),
        (json!({"pattern": "sr/*"}), "/t/shop/sr does not exist. Near names in the same folder: src."),
        (
            json!({"pattern": "*", "path": "main.rs"}),
            "/t/shop/main.rs is a file, not a folder. Read it, or search in its folder.",
        ),
        (
            json!({"pattern": "*", "path": ".git"}),
            "`.git` is not searched; ask git itself, such as with `git log` or `git grep`.",
        ),
    ];
    for (input, words) in page {
        assert_eq!(place.trouble(&Glob, input), words);
    }
    assert!(place.call(&Glob, json!({"pattern": 3})).is_err(), "the gate does not know what would be searched");
}

#[test]
fn a_pattern_never_leaves_the_folder_that_the_gate_judged() {
    let place = shop();
    place.put(place.home().join("secret.rs"), "");
    let page = ["*/../../home/*.rs", "{../home,src}/*.rs", "**/../**/*.rs", "{src,..}/../*"];
    for pattern in page {
        assert_eq!(
            place.trouble(&Glob, json!({"pattern": pattern, "path": "src"})),
            "`..` cannot follow a wildcard in a pattern; begin further up with `path`.",
            "{pattern}"
        );
    }
    // What the fixed part names is what the gate judges: a deny rule for that folder holds, whatever `path` says.
    let absolute = place.home().join("*.rs").display().to_string();
    let page = [
        json!({"pattern": "../home/*.rs"}),
        json!({"pattern": "~/*.rs", "path": "src"}),
        json!({"pattern": absolute, "path": "src"}),
        json!({"pattern": "../../home/*.rs", "path": "src"}),
    ];
    for input in &page {
        assert_eq!(place.told(&Glob, input.clone()), "/t/home/secret.rs", "{input}");
    }
    let place = place.denying("Read(~/**)");
    for input in page {
        assert!(place.call(&Glob, input.clone()).is_err(), "{input}");
    }
}

#[test]
fn g8_denied_files_are_left_out_and_names_of_secrets_may_be_listed() {
    let place = shop().denying("Read(src/deep/**)").denying("Read(.hidden/x.rs)");
    place.put(".env", "KEY=1");
    assert_eq!(place.told(&Glob, json!({"pattern": "**/*.rs"})), "main.rs\nsrc/cart.rs");
    assert_eq!(place.told(&Glob, json!({"pattern": ".env"})), ".env");
}

#[test]
fn links_are_listed_and_never_followed() {
    let place = shop();
    place.put(place.home().join("far.rs"), "");
    std::os::unix::fs::symlink(place.home(), place.at("src/away")).unwrap();
    assert_eq!(place.told(&Glob, json!({"pattern": "src/**/far.rs"})), "No file matches `src/**/far.rs`.");
    assert_eq!(place.told(&Glob, json!({"pattern": "src/aw*"})), "src/away");
}

#[test]
fn many_names_are_bounded_and_the_rest_is_counted() {
    let place = Workplace::new();
    for number in 0..205 {
        place.put(format!("many/{number:03}.txt"), "");
    }
    let text = place.told(&Glob, json!({"pattern": "many/*"}));
    assert_eq!(
        (text.lines().count(), text.lines().last()),
        (201, Some("[5 more files; narrow the pattern to see them.]"))
    );
    place.context.cancel.cancel();
    assert_eq!(place.trouble(&Glob, json!({"pattern": "many/*"})), "The search was stopped.");
}

#[test]
fn names_are_relative_to_the_working_folder_that_the_next_call_begins_in() {
    let place = shop();
    place.context.folder.set(place.at("src"));
    assert_eq!(place.told(&Glob, json!({"pattern": "deep/*"})), "deep/tax.rs");
    assert_eq!(place.told(&Glob, json!({"pattern": "../main.*"})), "/t/shop/main.rs");
    assert_eq!(Glob.line(&json!({"pattern": "*.rs", "path": "src"})), "*.rs in src");
}
