//! Temporary workspaces: the same every time, and every change in them shows.

use fore_testkit::{GitData, Times, Tree, Workspace};

fn tree(workspace: &Workspace, times: Times, git: GitData) -> Tree {
    Tree::read(workspace.path(), times, git).unwrap()
}

fn shop() -> Workspace {
    let workspace = Workspace::new().unwrap();
    let workspace = workspace.file("src/cart.rs", "pub fn total() -> u32 {\n    0\n}\n").unwrap();
    let workspace = workspace.executable("run.sh", "#!/bin/sh\n").unwrap();
    let workspace = workspace.link("current", "src/cart.rs").unwrap();
    workspace.directory("empty").unwrap().file("data.bin", [0xff, 0x00]).unwrap()
}

#[test]
fn a_snapshot_shows_files_links_and_modes() {
    insta::assert_snapshot!(shop().snapshot().unwrap(), @r#"
    current -> src/cart.rs
    data.bin
        <2 bytes, sha256 ea5dbf9596d187e9500f23e9a680109475341cf4e81f7e043f7d97152c10772f>
    empty/
    run.sh (executable)
        #!/bin/sh
    src/
    src/cart.rs
        pub fn total() -> u32 {
            0
        }
    "#);
}

#[test]
fn two_workspaces_made_alike_are_equal_down_to_commit_ids() {
    let (one, two) = (shop().repository().unwrap(), shop().repository().unwrap());
    let id = |workspace: &Workspace| workspace.git(["rev-parse", "HEAD"]).unwrap();
    assert_eq!(id(&one), id(&two));
    insta::assert_snapshot!(one.git(["log", "--format=%an %ae %aI %cI %s %D"]).unwrap(), @"Test test@example.invalid 2026-01-01T00:00:00Z 2026-01-01T00:00:00Z first HEAD -> main");
    let files = |workspace: &Workspace| tree(workspace, Times::Ignored, GitData::Ignored);
    assert_eq!(files(&one), files(&two));
    let two = two.file("new", "x").unwrap().commit("second").unwrap();
    assert_ne!(id(&one), id(&two));
    assert_ne!(files(&one), files(&two));
    assert_eq!(two.git(["status", "--short"]).unwrap(), "");
}

#[test]
fn every_kind_of_change_shows_in_the_tree() {
    let whole = |workspace: &Workspace| tree(workspace, Times::Ignored, GitData::Compared);
    let start = whole(&shop());
    let changes = |changed: Workspace| {
        let after = whole(&changed);
        assert_ne!(start, after);
        start.changes(&after).join("\n")
    };
    assert_eq!(start.changes(&whole(&shop())), [] as [String; 0]);
    let page = [
        changes(shop().file("src/cart.rs", "changed").unwrap()),
        changes(shop().file("src/new.rs", "").unwrap()),
        changes(shop().executable("data.bin", [0xff, 0x00]).unwrap()),
        changes(shop().directory("other").unwrap()),
    ];
    insta::assert_snapshot!(page.join("\n"), @r#"
    changed src/cart.rs: file 644, 32 bytes, 3fd3da8a4e1c → file 644, 7 bytes, d67e2e944994
    added src/new.rs: file 644, 0 bytes, e3b0c44298fc
    changed data.bin: file 644, 2 bytes, ea5dbf9596d1 → file 755, 2 bytes, ea5dbf9596d1
    added other: directory 755
    "#);
}

#[test]
fn writing_the_same_again_is_a_change_when_times_are_compared() {
    let workspace = shop();
    let before = tree(&workspace, Times::Compared, GitData::Compared);
    let unchanged = tree(&workspace, Times::Compared, GitData::Compared);
    assert_eq!(before, unchanged);
    #[expect(clippy::disallowed_methods, reason = "changes a workspace of the test")]
    let file = std::fs::File::options().append(true).open(workspace.path().join("run.sh")).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    let after = tree(&workspace, Times::Compared, GitData::Compared);
    let changes = before.changes(&after);
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert!(changes[0].starts_with("changed run.sh: file 755, 10 bytes"), "{changes:?}");
    assert!(changes[0].ends_with(", at 0"), "{changes:?}");
}

#[test]
fn no_path_leads_out_of_a_workspace() {
    for path in ["", "/etc/x", "../x", "a/../../x", "./x"] {
        let error = Workspace::new().unwrap().file(path, "x").unwrap_err().to_string();
        assert!(error.contains("is no path inside of a workspace"), "{path}: {error}");
    }
}

#[test]
fn names_that_are_no_text_are_told_apart() {
    use std::os::unix::ffi::OsStrExt as _;
    let with = |name: &[u8]| {
        let workspace = Workspace::new().unwrap().link("plain", "x").unwrap();
        let plain = workspace.path().join("plain");
        move_to(&plain, &workspace.path().join(std::ffi::OsStr::from_bytes(name)));
        tree(&workspace, Times::Ignored, GitData::Compared)
    };
    let (one, two) = (with(b"\xff"), with(b"\xfe"));
    assert_ne!(one, two);
    assert_eq!(one.changes(&two).len(), 2);
}

#[expect(clippy::disallowed_methods, reason = "the builder makes no names that are no text")]
fn move_to(from: &std::path::Path, to: &std::path::Path) {
    std::fs::rename(from, to).unwrap();
}

#[test]
fn a_failed_git_says_what_it_said() {
    let error = Workspace::new().unwrap().git(["no-such-command"]).unwrap_err().to_string();
    assert!(error.contains("'no-such-command' is not a git command"), "{error}");
}
