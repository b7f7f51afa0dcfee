//! What Write does to files, and what it refuses, through the real gate.

#![expect(clippy::disallowed_methods, reason = "makes links for the tests")]

use super::Write;
use crate::{
    event::ShownCall,
    tools::{Read, Tool, test_support::Workplace},
};
use serde_json::json;

#[test]
fn a_new_file_is_written_with_its_folders_and_counts_as_seen() {
    let place = Workplace::new();
    let input = json!({"file_path": "src/deep/new.rs", "content": "one\ntwo\n"});
    let shown = ShownCall::diff("src/deep/new.rs: new, +2", "src/deep/new.rs", "@@ -0,0 +1,2 @@\n+one\n+two\n");
    assert_eq!(place.preview(&Write, input.clone()), Ok(shown.clone()));
    assert!(!place.at("src").exists());
    let output = place.call(&Write, input).unwrap();
    assert_eq!((output.shown, place.get("src/deep/new.rs").as_str()), (shown, "one\ntwo\n"));
    let again = json!({"file_path": "src/deep/new.rs", "content": "three\n"});
    assert_eq!(place.told(&Write, again), "/t/shop/src/deep/new.rs was replaced.");
}

#[test]
fn a_file_is_replaced_only_as_it_was_read() {
    let place = Workplace::with(&[("a.txt", "old\n")]);
    let input = json!({"file_path": "a.txt", "content": "new\n"});
    let unread = "/t/shop/a.txt has not been read yet. Read it first, then change it.";
    assert_eq!(place.trouble(&Write, input.clone()), unread);
    assert_eq!(place.plain(&place.preview(&Write, input.clone()).unwrap_err()), unread);
    place.told(&Read, json!({"file_path": "a.txt"}));
    place.put("a.txt", "someone else's\n");
    assert_eq!(
        place.trouble(&Write, input.clone()),
        "/t/shop/a.txt has changed since you read it. Read it again, then change it."
    );
    assert_eq!(place.get("a.txt"), "someone else's\n");
    place.told(&Read, json!({"file_path": "a.txt"}));
    let shown = ShownCall::diff("a.txt: +1 −1", "a.txt", "@@ -1 +1 @@\n-someone else's\n+new\n");
    assert_eq!(place.preview(&Write, input.clone()), Ok(shown.clone()));
    let output = place.call(&Write, input.clone()).unwrap();
    assert_eq!((output.shown, place.get("a.txt").as_str()), (shown, "new\n"));
    assert_eq!(place.told(&Write, input), "/t/shop/a.txt holds exactly this already; nothing was changed.");
}

#[test]
fn line_ends_and_mark_of_the_old_file_stay() {
    let place = Workplace::with(&[("win.txt", "\u{feff}a\r\nb\r\n")]);
    place.told(&Read, json!({"file_path": "win.txt"}));
    place.told(&Write, json!({"file_path": "win.txt", "content": "c\nd\n"}));
    assert_eq!(place.get("win.txt"), "\u{feff}c\r\nd\r\n");
    place.told(&Write, json!({"file_path": "win.txt", "content": "e\n"}));
    assert_eq!(place.get("win.txt"), "\u{feff}e\r\n");
}

#[test]
fn g2_while_planning_only_the_plan_file_is_written_and_it_needs_no_reading() {
    let place = Workplace::with(&[("a.txt", "old\n")]).planning();
    let plan = place.context.plan_file.clone().unwrap();
    let input = json!({"file_path": plan, "content": "# Plan\n"});
    assert_eq!(place.told(&Write, input), "/t/home/plans/quiet-fox.md was written.");
    place.put(&plan, "# Edited by a person\n");
    let input = json!({"file_path": plan, "content": "# Better plan\n"});
    assert_eq!(place.told(&Write, input), "/t/home/plans/quiet-fox.md was replaced.");
    assert_eq!(place.get(&plan), "# Better plan\n");
    for path in ["a.txt", "new.txt", "~/plans/other.md", "~/plans/../plans/quiet-fox.md"] {
        assert!(place.call(&Write, json!({"file_path": path, "content": "x"})).is_err(), "{path}");
    }
    assert_eq!(place.get("a.txt"), "old\n");
}

#[test]
fn links_folders_and_files_with_several_names_are_refused() {
    let place = Workplace::with(&[("one", "x\n"), ("folder/y", "")]);
    std::fs::hard_link(place.at("one"), place.at("two")).unwrap();
    place.told(&Read, json!({"file_path": "two"}));
    let page = [
        (
            "two",
            "/t/shop/two has several names (hard links); editing it here would change it elsewhere or tear the names apart.",
        ),
        ("folder", "/t/shop/folder is not an ordinary file."),
        ("one/x", "/t/shop/one/x: Not a directory (os error 20)."),
    ];
    for (path, why) in page {
        assert_eq!(place.trouble(&Write, json!({"file_path": path, "content": "new"})), why);
    }
    assert_eq!(place.get("one"), "x\n");
}

#[test]
fn a_large_difference_is_bounded() {
    let place = Workplace::new();
    let content = "line\n".repeat(1_000);
    let ShownCall { line, body } = place.preview(&Write, json!({"file_path": "big", "content": content})).unwrap();
    let crate::event::ShownBody::Diff { diff, .. } = body else { panic!("{body:?}") };
    assert_eq!(
        (line.as_str(), diff.lines().count(), diff.lines().last()),
        ("big: new, +1000", 401, Some("… 601 more lines left out"))
    );
    assert_eq!(Write.line(&json!({"file_path": "big"})), "big");
}
