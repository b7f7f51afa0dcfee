//! Pages of walks: the same as git on ordinary trees, and never kept waiting on others.
#![expect(clippy::disallowed_methods, reason = "builds the trees that are walked")]

use super::*;
use fore_testkit::Workspace;
use proptest::prelude::*;
use std::{os::unix::fs::symlink, sync::mpsc};

/// Far more than any of these walks takes on a busy machine, and far less than for ever.
const AT_ONCE: Duration = Duration::from_secs(5);

struct Names(PathBuf);

impl Visitor for Names {
    type Found = String;

    fn folder(&self, _: &Path) -> EnterFolder<String> {
        EnterFolder::Yes
    }

    fn file(&self, path: PathBuf, _: FileType) -> Option<String> {
        Some(path.strip_prefix(&self.0).ok()?.to_str()?.to_owned())
    }
}

fn walk(root: &Path, ignore_files: IgnoreFiles) -> Walk {
    Walk { root: root.to_owned(), ignore_files, excludes: None, threads: 2, max_found: 100_000, time: AT_ONCE }
}

fn names(walk: Walk) -> Vec<String> {
    let root = walk.root.clone();
    let began = Instant::now();
    let mut walked = walk.run(Names(root), &|| false);
    assert_eq!(walked.end, WalkEnd::Complete, "after {:?}", began.elapsed());
    walked.found.sort_unstable();
    walked.found
}

fn pipe(path: &Path) {
    rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::from(0o600)).unwrap();
}

fn shop() -> Workspace {
    let files = [("src/cart.rs", "cart"), ("src/debug.log", "log"), ("README.md", "shop")];
    files.iter().fold(Workspace::new().unwrap(), |made, (path, text)| made.file(path, text).unwrap())
}

#[test]
fn an_ignore_file_that_is_no_ordinary_file_counts_for_nothing_and_keeps_nobody_waiting() {
    type Put = fn(&Path);
    let puts: [(&str, Put); 7] = [
        ("a pipe", |path| pipe(path)),
        ("/dev/zero", |path| symlink("/dev/zero", path).unwrap()),
        ("/dev/tty", |path| symlink("/dev/tty", path).unwrap()),
        ("/dev/stdin", |path| symlink("/dev/stdin", path).unwrap()),
        ("a link to itself", |path| symlink(path, path).unwrap()),
        ("a folder", |path| std::fs::create_dir(path).unwrap()),
        ("four gigabytes", |path| std::fs::File::create(path).unwrap().set_len(4 << 30).unwrap()),
    ];
    for place in
        [".gitignore", ".ignore", "src/.gitignore", ".git/info/exclude", "../.gitignore", "../.ignore", "excludes"]
    {
        for (what, put) in puts {
            let above = shop();
            let root = above.path().join("project");
            let made = ["src/cart.rs", "src/debug.log"]
                .iter()
                .fold(above, |made, name| made.file(&format!("project/{name}"), "text").unwrap());
            std::fs::create_dir_all(root.join(".git/info")).unwrap();
            // The folder above is a repository, so that its rules count.
            let made = made.repository().unwrap();
            if place.starts_with("../") {
                std::fs::remove_dir_all(root.join(".git")).unwrap();
            }
            put(&root.join(place));
            let excludes = (place == "excludes").then(|| root.join(place));
            let mut found = names(Walk { excludes, ..walk(&root, IgnoreFiles::Search) });
            found.retain(|name| !name.ends_with("ignore") && name != "excludes");
            assert_eq!(found, ["src/cart.rs", "src/debug.log"], "{place} is {what}");
            drop(made);
        }
    }
}

#[test]
fn a_git_that_is_a_pipe_or_a_device_is_no_repository() {
    for what in ["pipe", "/dev/zero", "/dev/tty", "file"] {
        let made = shop().file(".gitignore", "*.log\n").unwrap();
        match what {
            "pipe" => pipe(&made.path().join(".git")),
            "file" => std::fs::File::create(made.path().join(".git")).unwrap().set_len(4 << 30).unwrap(),
            device => symlink(device, made.path().join(".git")).unwrap(),
        }
        let all = [".gitignore", "README.md", "src/cart.rs", "src/debug.log"];
        assert_eq!(names(walk(made.path(), IgnoreFiles::Search)), all, "{what}");
        assert_eq!(names(walk(made.path(), IgnoreFiles::Anywhere)), all[..3], "{what}");
    }
}

#[test]
fn rules_come_from_every_place_that_git_has_and_dot_ignore_only_for_searches() {
    let made = shop().file(".gitignore", "*.log\n").unwrap().file("src/.gitignore", "!debug.log\n/cart.rs\n").unwrap();
    let made = made.file(".ignore", "README.md\n").unwrap().file("src/a/cart.rs", "").unwrap();
    // Without a repository only `.ignore` counts.
    let without = [".gitignore", ".ignore", "src/.gitignore", "src/a/cart.rs", "src/cart.rs", "src/debug.log"];
    assert_eq!(names(walk(made.path(), IgnoreFiles::Search)), without);
    let offered = [".gitignore", ".ignore", "src/.gitignore", "src/a/cart.rs", "src/debug.log"];
    assert_eq!(names(walk(made.path(), IgnoreFiles::Anywhere)), offered);
    let made = made.repository().unwrap();
    assert_eq!(names(walk(made.path(), IgnoreFiles::Search)), offered);
    let as_git = [".gitignore", ".ignore", "README.md", "src/.gitignore", "src/a/cart.rs", "src/debug.log"];
    assert_eq!(names(walk(made.path(), IgnoreFiles::Git)), as_git);
}

#[test]
fn excludes_of_the_repository_and_of_the_person_begin_at_the_top() {
    let made = shop().file("src/a/x", "").unwrap().file("a/x", "").unwrap().repository().unwrap();
    let made = made.file(".git/info/exclude", "/src/a\n").unwrap();
    assert_eq!(names(walk(made.path(), IgnoreFiles::Git)), ["README.md", "a/x", "src/cart.rs", "src/debug.log"]);
    let own = Workspace::new().unwrap().file("real", "/a\n*.log\n").unwrap();
    symlink("real", own.path().join("excludes")).unwrap();
    let excludes = Some(own.path().join("excludes"));
    let found = names(Walk { excludes: excludes.clone(), ..walk(made.path(), IgnoreFiles::Git) });
    assert_eq!(found, ["README.md", "src/cart.rs"]);
    let below = Walk { excludes, ..walk(&made.path().join("src"), IgnoreFiles::Git) };
    assert_eq!(names(below), ["cart.rs"]);
}

#[test]
fn rules_end_where_another_repository_begins_and_a_worktree_has_those_of_its_repository() {
    let made = shop().file(".gitignore", "*.log\n").unwrap().repository().unwrap().commit("first").unwrap();
    let made = made.file("other/.git/HEAD", "").unwrap().file("other/x.log", "").unwrap();
    let made = made.file("inside/x.log", "").unwrap();
    assert_eq!(names(walk(made.path(), IgnoreFiles::Git)), [".gitignore", "README.md", "other/x.log", "src/cart.rs"]);
    made.git(["worktree", "add", "-q", "tree", "-b", "tree"]).unwrap();
    let made = made.file(".git/info/exclude", "README.md\n").unwrap();
    assert_eq!(names(walk(&made.path().join("tree"), IgnoreFiles::Git)), [".gitignore", "src/cart.rs"]);
}

/// Names a folder forever.
struct Hangs;

impl Visitor for Hangs {
    type Found = ();

    fn folder(&self, _: &Path) -> EnterFolder<()> {
        EnterFolder::Yes
    }

    fn file(&self, path: PathBuf, _: FileType) -> Option<()> {
        if path.ends_with("pipe") {
            // As a disk that does not answer: nobody ever writes.
            let _ = std::fs::File::open(path);
        }
        Some(())
    }
}

#[test]
fn a_disk_that_hangs_holds_up_neither_a_stop_nor_the_end_of_the_time() {
    let made = shop();
    pipe(&made.path().join("pipe"));
    let began = Instant::now();
    let walk = Walk { time: Duration::from_secs(3600), ..walk(made.path(), IgnoreFiles::Git) };
    let stop = || began.elapsed() > Duration::from_millis(200);
    let walked = walk.clone().run(Hangs, &stop);
    assert_eq!(walked.end, WalkEnd::Cancelled);
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    let walked = Walk { time: Duration::from_millis(100), ..walk }.run(Hangs, &|| false);
    assert_eq!(walked.end, WalkEnd::TooSlow);
    assert!(began.elapsed() < AT_ONCE + AT_ONCE, "{:?}", began.elapsed());
    // Lets the threads go.
    let free = std::fs::OpenOptions::new().read(true).write(true).open(made.path().join("pipe")).unwrap();
    drop(free);
}

#[test]
fn a_huge_tree_is_left_as_soon_as_somebody_says_stop() {
    struct Endless(Mutex<mpsc::Sender<()>>);
    impl Visitor for Endless {
        type Found = ();
        fn folder(&self, _: &Path) -> EnterFolder<()> {
            EnterFolder::Yes
        }
        fn file(&self, _: PathBuf, _: FileType) -> Option<()> {
            // Begun; from here on every name takes a while.
            let _ = self.0.lock().unwrap().send(());
            std::thread::park_timeout(Duration::from_millis(5));
            None
        }
    }
    let made = (0..2_000).fold(Workspace::new().unwrap(), |made, n| made.file(&format!("{}/{n}", n % 7), "").unwrap());
    let (sender, begun) = mpsc::channel();
    let walk = Walk { time: Duration::from_secs(3600), ..walk(made.path(), IgnoreFiles::Git) };
    let began = Instant::now();
    let walked = walk.run(Endless(Mutex::new(sender)), &|| begun.try_recv().is_ok());
    assert_eq!(walked.end, WalkEnd::Cancelled);
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
}

/// A line of an ignore file, of the kinds that people write.
fn pattern() -> impl Strategy<Value = String> {
    let name =
        prop::sample::select(vec!["a", "b", "c", "x.log", "*.log", "*", "?", "a*", "[ab]", "**", "*.t[xy]t", "y.txt"]);
    let path = prop::collection::vec(name, 1..3).prop_map(|names| names.join("/"));
    let mark = || prop::sample::select(vec!["", "", "", "/"]);
    (prop::sample::select(vec!["", "", "", "!"]), mark(), path, mark(), prop::sample::select(vec!["", "", " ", "\r"]))
        .prop_map(|(not, root, path, folder, end)| format!("{not}{root}{path}{folder}{end}"))
}

fn tree() -> impl Strategy<Value = Vec<String>> {
    let name = || prop::sample::select(vec!["a", "b", "c", "ab"]);
    let leaf = prop::sample::select(vec!["x.log", "y.txt", "a", "b", "README", ".hidden"]);
    let path = (prop::collection::vec(name(), 0..3), leaf).prop_map(|(mut folders, leaf)| {
        folders.push(leaf);
        folders.join("/")
    });
    prop::collection::vec(path, 1..14)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_walk_shows_what_git_shows(
        files in tree(),
        top in prop::collection::vec(pattern(), 0..4),
        deeper in prop::collection::vec(pattern(), 0..3),
        exclude in prop::collection::vec(pattern(), 0..2),
    ) {
        let made = Workspace::new().unwrap().repository().unwrap();
        for name in &files {
            let path = made.path().join(name);
            // A name may be taken by a folder already, or lead through a file.
            let _ = std::fs::create_dir_all(path.parent().unwrap());
            let _ = std::fs::write(&path, "text");
        }
        std::fs::write(made.path().join(".gitignore"), top.join("\n")).unwrap();
        if made.path().join("a").is_dir() {
            std::fs::write(made.path().join("a/.gitignore"), deeper.join("\n")).unwrap();
        }
        std::fs::write(made.path().join(".git/info/exclude"), exclude.join("\n")).unwrap();
        let listed = made.git(["ls-files", "-co", "--exclude-standard"]).unwrap();
        let mut listed: Vec<&str> = listed.lines().collect();
        listed.sort_unstable();
        prop_assert_eq!(names(walk(made.path(), IgnoreFiles::Git)), listed);
    }
}
