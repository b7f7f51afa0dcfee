//! M9: what is remembered of the files that a plan names, and what is said of those that have moved.

use super::*;
use crate::tools::test_support::opener;
use fore_plan::contract::{CommandGrant, FileGrant, NotGranted};
use fore_testkit::Workspace;

const THEN: Timestamp = Timestamp(1);
const LATER: Timestamp = Timestamp(2);

fn shop() -> Workspace {
    let files = [
        ("src/cart.rs", "one\ntwo\nthree\n"),
        ("src/old.rs", "old\n"),
        ("src/price.rs", "price\n"),
        ("src/tax.rs", "tax\n"),
        (".env", "KEY=1\n"),
    ];
    files.iter().fold(Workspace::new().unwrap(), |made, (path, text)| made.file(path, text).unwrap())
}

fn grant(path: &str, change: PlannedChange) -> FileGrant {
    FileGrant { path: path.into(), shape: PathShape::File, change, line: 1 }
}

fn refused(named: &str, why: NotGrantedReason) -> NotGranted {
    NotGranted { named: named.into(), line: 2, why }
}

fn contract() -> Contract {
    Contract {
        files: vec![
            grant("src/cart.rs", PlannedChange::Change),
            grant("src/old.rs", PlannedChange::Move { to: "src/new.rs".into() }),
            grant("src/total.rs", PlannedChange::New),
            grant(".env", PlannedChange::Change),
            FileGrant { shape: PathShape::Folder, ..grant("src", PlannedChange::Change) },
        ],
        commands: vec![CommandGrant { command: "cargo test".into(), hosts: Vec::new(), line: 3 }],
        not_granted: vec![
            refused("src/price.rs", NotGrantedReason::Reference),
            refused("src/gone.rs", NotGrantedReason::Reference),
            refused("src/tax.rs", NotGrantedReason::OutOfScope),
            refused("../other/secret.rs", NotGrantedReason::Reference),
            refused("/etc/hosts", NotGrantedReason::OutsideProject),
            refused("later.rs", NotGrantedReason::NotFound),
        ],
        named_again: Vec::new(),
        leaves_more_alone: false,
    }
}

fn look(made: &Workspace) -> NamedFiles {
    NamedFiles::of(&contract(), &opener(made.path()), made.path(), THEN)
}

fn since(then: &NamedFiles, made: &Workspace) -> Vec<String> {
    then.moved(&then.again(&opener(made.path()), made.path(), LATER)).iter().map(MovedFile::to_string).collect()
}

#[test]
fn m9_named_files_are_remembered_and_no_others() {
    let made = shop();
    let then = look(&made);
    let paths: Vec<&str> = then.files.keys().map(String::as_str).collect();
    assert_eq!(paths, [".env", "later.rs", "src/cart.rs", "src/new.rs", "src/old.rs", "src/price.rs", "src/total.rs"]);
    assert_eq!(then.files.get(".env"), Some(&NamedFile::Unknown), "a secret is not read");
    assert!(!serde_json::to_string(&then).unwrap().contains("KEY=1"));
    assert_eq!(since(&then, &made), [""; 0]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "plays the person who changes files meanwhile")]
fn m9_what_moved_is_named_with_its_lines_and_its_difference() {
    let made = shop();
    let then = look(&made);
    let made = made
        .file("src/cart.rs", "one\n2\nthree\nfour\n")
        .unwrap()
        .file("src/total.rs", "total\n")
        .unwrap()
        .file("src/tax.rs", "another tax\n")
        .unwrap()
        .file(".env", "KEY=2\n")
        .unwrap();
    std::fs::remove_file(made.path().join("src/old.rs")).unwrap();
    std::fs::remove_file(made.path().join("src/price.rs")).unwrap();
    std::os::unix::fs::symlink(made.path().join(".env"), made.path().join("src/price.rs")).unwrap();
    assert_eq!(
        since(&then, &made),
        [
            "src/cart.rs (changed, +2 −1)",
            "src/old.rs (gone, +0 −1)",
            "src/price.rs (changed)",
            "src/total.rs (new, +1 −0)"
        ]
    );
    let now = then.again(&opener(made.path()), made.path(), LATER);
    assert_eq!(then.moved(&now)[0].diff, "@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n");
    assert!(!serde_json::to_string(&now).unwrap().contains("KEY="), "a link leads to no secret");
}

#[test]
fn m9_large_files_are_compared_by_their_hash_and_huge_ones_not_at_all() {
    let large = "x\n".repeat(MAX_TEXT_BYTES);
    let huge = "x".repeat(usize::try_from(MAX_READ_BYTES).unwrap() + 1);
    let made = shop().file("src/cart.rs", &large).unwrap().file("src/old.rs", &huge).unwrap();
    let then = look(&made);
    let made = made.file("src/cart.rs", large.replace('x', "y")).unwrap().file("src/old.rs", "small\n").unwrap();
    assert_eq!(since(&then, &made), ["src/cart.rs (changed)"]);
    assert!(serde_json::to_vec(&then).unwrap().len() < 10_000);
    let made = made.file("src/cart.rs", &huge).unwrap().file("src/total.rs", &huge).unwrap();
    let now = since(&then, &made);
    assert_eq!(now, ["src/cart.rs (changed)", "src/total.rs (new)"], "what has become too long has changed");
}

#[test]
fn m9_no_more_files_and_texts_are_kept_than_the_bounds_say() {
    let text = "x".repeat(MAX_TEXT_BYTES - 1);
    let names: Vec<String> = (0..MAX_FILES + 20).map(|at| format!("src/{at}.rs")).collect();
    let made = names.iter().take(20).fold(Workspace::new().unwrap(), |made, name| made.file(name, &text).unwrap());
    let files = names.iter().map(|name| grant(name, PlannedChange::Change)).collect();
    let contract = Contract { files, ..Contract::default() };
    let then = NamedFiles::of(&contract, &opener(made.path()), made.path(), THEN);
    assert_eq!(then.files.len(), MAX_FILES);
    let texts = then.files.values().filter(|file| matches!(file, NamedFile::There { text: Some(_), .. })).count();
    assert_eq!(texts, 8, "the others are known by their hash");
    assert!(serde_json::to_vec(&then).unwrap().len() < MAX_TEXTS_BYTES + 50_000);
}

#[test]
fn m9_a_plan_that_was_edited_is_as_old_as_the_one_before() {
    let made = shop();
    let then = look(&made);
    let made = made.file("src/cart.rs", "another\n").unwrap().file("src/late.rs", "late\n").unwrap();
    let edited = Contract {
        files: vec![grant("src/cart.rs", PlannedChange::Change), grant("src/late.rs", PlannedChange::Change)],
        ..Contract::default()
    };
    let now = NamedFiles::of(&edited, &opener(made.path()), made.path(), LATER).edited_since(&then);
    assert_eq!((now.at, since(&now, &made)), (THEN, vec!["src/cart.rs (changed, +1 −3)".to_owned()]));
}

#[test]
fn m9_a_record_that_was_tampered_with_opens_nothing_outside() {
    let made = shop();
    let home = tempfile::tempdir().unwrap();
    let home = Home::open(home.path()).unwrap();
    let by = NamedBy::Plan(Hash::of(b"# Plan"), made.path());
    assert_eq!(NamedFiles::find(&home, by), None);
    let odd = br#"{"at": 1, "files": {"../../etc/passwd": {"kind": "absent"}, "/etc/passwd": {"kind": "absent"}}}"#;
    keep(&home, by, odd).unwrap();
    let found = NamedFiles::find(&home, by).unwrap();
    assert_eq!(since(&found, &made), [""; 0]);
    keep(&home, by, b"{").unwrap();
    assert_eq!(NamedFiles::find(&home, by), None);
    look(&made).keep(&home, by);
    assert_eq!(NamedFiles::find(&home, by), Some(look(&made)));
}
