//! Edits reach exactly the file that was permitted, or nothing.

use crate::permitted::permit;
use fore_plan::{
    Cage, ToolName,
    gate::{Action, FileTarget},
};
use fore_sandbox::Cages;
use fore_sandbox::edit::{self, EditError, FoundFile, Precondition, WriteOptions, WriteOutcome};
use fore_sandbox::open::{Links, NotOpened, Opener, SpecialFile};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder whose files are edited with a permit for each.
struct Root(PathBuf);

impl Root {
    fn write(&self, target: impl AsRef<Path>, bytes: &[u8], options: WriteOptions) -> Result<WriteOutcome, EditError> {
        let real = self.0.join(target).display().to_string();
        let target = FileTarget { asked: real.clone(), real, is_link: false, names: 1 };
        let permit = permit(Action::Edit { tool: ToolName::Write, target }, Cage::Free);
        edit::write(permit, bytes, options)
    }

    fn read(&self, target: impl AsRef<Path>) -> Result<FoundFile, EditError> {
        edit::read(&self.0.join(target))
    }
}

fn root() -> (tempfile::TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    let root = Root(folder.path().canonicalize().unwrap());
    (folder, root)
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_new_file_is_made_with_its_folders_only_on_request() {
    let (folder, root) = root();
    assert!(matches!(root.write(Path::new("a/b/c"), b"x", WriteOptions::default()), Err(EditError::NoFolder(_))));
    let written =
        root.write(Path::new("a/b/c"), b"x", WriteOptions { make_folders: true, ..WriteOptions::default() }).unwrap();
    assert_eq!(
        (written, read(folder.path().join("a/b/c")), names(&folder.path().join("a/b"))),
        (WriteOutcome::Created, "x".to_owned(), vec!["c".to_owned()])
    );
}

#[test]
fn replacing_keeps_mode_and_line_ends_and_leaves_nothing_beside() {
    let (folder, root) = root();
    let file = folder.path().join("run.sh");
    std::fs::write(&file, "a\r\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o751)).unwrap();
    assert_eq!(root.write(&file, b"b\nc\n", WriteOptions::default()).unwrap(), WriteOutcome::Replaced);
    assert_eq!(
        (read(&file), std::fs::metadata(&file).unwrap().mode() & 0o7777, names(folder.path())),
        ("b\r\nc\r\n".to_owned(), 0o751, vec!["run.sh".to_owned()])
    );
}

#[test]
fn the_same_content_touches_nothing() {
    let (folder, root) = root();
    std::fs::write(folder.path().join("a"), "x").unwrap();
    let inode = std::fs::metadata(folder.path().join("a")).unwrap().ino();
    assert_eq!(root.write(Path::new("a"), b"x", WriteOptions::default()).unwrap(), WriteOutcome::Same);
    assert_eq!(std::fs::metadata(folder.path().join("a")).unwrap().ino(), inode);
}

#[test]
fn what_was_read_must_still_be_there() {
    let (folder, root) = root();
    std::fs::write(folder.path().join("a"), "one").unwrap();
    let seen = root.read(Path::new("a")).unwrap();
    assert_eq!(seen.bytes, b"one");
    let as_seen = WriteOptions { before: Precondition::Exactly(seen.fingerprint), ..WriteOptions::default() };
    std::fs::write(folder.path().join("a"), "two").unwrap();
    assert!(matches!(root.write(Path::new("a"), b"x", as_seen), Err(EditError::Changed(_))));
    assert!(matches!(root.write(Path::new("b"), b"x", as_seen), Err(EditError::Missing(_))));
    let absent = WriteOptions { before: Precondition::Absent, ..WriteOptions::default() };
    assert!(matches!(root.write(Path::new("a"), b"x", absent), Err(EditError::Exists(_))));
    assert_eq!(read(folder.path().join("a")), "two");
}

#[test]
fn links_at_any_place_are_refused() {
    let (folder, root) = root();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("file"), "safe").unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("folder")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("file"), folder.path().join("file")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("new"), folder.path().join("dangling")).unwrap();
    for target in ["folder/file", "folder/new", "file", "dangling"] {
        let result =
            root.write(Path::new(target), b"x", WriteOptions { make_folders: true, ..WriteOptions::default() });
        assert!(matches!(result, Err(EditError::Link(_))), "{target}: {result:?}");
        assert!(matches!(root.read(Path::new(target)), Err(EditError::Link(_))), "{target}");
    }
    assert_eq!(
        (read(outside.path().join("file")), names(outside.path())),
        ("safe".to_owned(), vec!["file".to_owned()])
    );
}

#[test]
fn paths_with_detours_and_folders_are_refused() {
    let (folder, root) = root();
    for target in ["../x", "a/../../x", "a/.."] {
        let result = root.write(target, b"x", WriteOptions::default());
        assert!(matches!(result, Err(EditError::Outside(_))), "{target}: {result:?}");
    }
    for target in ["", "."] {
        let result = root.write(target, b"x", WriteOptions::default());
        assert!(matches!(result, Err(EditError::NotAFile(_))), "{target}: {result:?}");
    }
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn a_permit_for_something_else_writes_nothing() {
    let permit = permit(Action::Read { path: "/etc/hosts".into(), asked: "/etc/hosts".into() }, Cage::Free);
    let result = edit::write(permit, b"x", WriteOptions::default());
    assert!(matches!(result, Err(EditError::NotPermitted)), "{result:?}");
}

#[test]
fn folders_pipes_sockets_and_hard_links_are_refused() {
    let (folder, root) = root();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("folder")).unwrap();
    let pipe = std::ffi::CString::new(at("pipe").into_os_string().into_encoded_bytes()).unwrap();
    // SAFETY: a valid C string.
    assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    for target in ["folder", "pipe", "socket"] {
        let result = root.write(Path::new(target), b"x", WriteOptions::default());
        assert!(matches!(result, Err(EditError::NotAFile(_))), "{target}: {result:?}");
    }
    std::fs::write(at("one"), "both").unwrap();
    std::fs::hard_link(at("one"), at("two")).unwrap();
    assert!(matches!(root.write(Path::new("one"), b"x", WriteOptions::default()), Err(EditError::SeveralNames(_))));
    assert_eq!(read(at("two")), "both");
}

#[test]
fn swapping_a_folder_for_a_link_while_writing_never_leads_outside() {
    let (folder, root) = root();
    let outside = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("real")).unwrap();
    std::os::unix::fs::symlink(outside.path(), at("link")).unwrap();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // The name `real` is a folder, nothing, or a link to the outside, in turn.
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let _ = std::fs::rename(at("real"), at("away"));
                let _ = std::fs::rename(at("link"), at("real"));
                let _ = std::fs::rename(at("real"), at("link"));
                let _ = std::fs::rename(at("away"), at("real"));
            }
        });
        for round in 0..3000 {
            let _ = root.write(Path::new("real/file"), round.to_string().as_bytes(), WriteOptions::default());
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(names(outside.path()), [""; 0]);
}

#[test]
fn a_file_is_opened_for_reading_under_any_of_its_names_and_through_no_link() {
    let (folder, root) = root();
    let at = |name: &str| root.0.join(name);
    std::fs::create_dir(at("folder")).unwrap();
    std::fs::write(at("folder/one"), "both").unwrap();
    std::fs::hard_link(at("folder/one"), at("two")).unwrap();
    std::os::unix::fs::symlink(at("folder"), at("link")).unwrap();
    std::os::unix::fs::symlink(at("two"), at("three")).unwrap();
    let opener =
        Opener::new(Arc::new(Cages::new(crate::permitted::usual_settings(), &fore_commands::CATALOGUE)), &root.0);
    let open = |name: &str| match opener.open(&at(name), Links::Refused) {
        Ok(opened) => std::io::read_to_string(opened.file).unwrap(),
        Err(error) => error.to_string(),
    };
    let page = [
        ("folder/one", "both"),
        ("two", "both"),
        ("three", "leads through a symbolic link"),
        ("link/one", "leads through a symbolic link"),
        ("folder", "is a folder, not an ordinary file"),
        ("none", "does not exist"),
    ];
    let found = page.map(|(name, _)| (name, open(name)));
    assert_eq!(found, page.map(|(name, text)| (name, text.to_owned())));
    let own = PathBuf::from(format!("/proc/{}/environ", std::process::id()));
    assert!(matches!(opener.open(&own, Links::Refused), Err(NotOpened::NotAFile(SpecialFile::MadeByKernel))));
    drop(folder);
}
