//! What files of a project held before the agent changed them, so that a change can be taken back: `undo/{hash of the project}/`.
//!
//! Contents are kept as whole files, cloned where the disk can share them, else copied. They belong to turns, each a small file of
//! its own; what no turn needs any more, and turns that are old or too many, go. Never is anything of the project itself touched.

use crate::{
    error::{Result, StoreError},
    folder::{Access, Folder, IfMissing},
    home::Home,
    replace,
};
use fore_plan::plan::Hash;
use std::{
    collections::HashSet,
    fs::File,
    io::{Read, Write},
    path::Path,
};
use uuid::Uuid;

const FOLDER: &str = "undo";
const TURN_ENDING: &str = ".turn";
const LOOK_ENDING: &str = ".look";
const PROJECT_DIGITS: usize = 32;
/// Bytes of one turn, and of one look at a workspace.
const MAX_TURN_BYTES: usize = 32 << 20;
const MAX_LOOK_BYTES: usize = 128 << 20;
/// Names that are looked at in one folder.
const MAX_NAMES: usize = 400_000;
/// What is kept of a project.
const MAX_TURNS: usize = 200;
const MAX_AGE_MS: u64 = 30 * 24 * 60 * 60 * 1000;
const MAX_KEPT_BYTES: u64 = 2 << 30;
/// A content that was kept only just now may belong to a turn that is not written yet.
const MIN_AGE_MS: u64 = 24 * 60 * 60 * 1000;

/// The folder of one project.
#[derive(Debug)]
pub struct UndoFolder {
    folder: Folder,
    contents: Folder,
}

/// A look at the workspace that is kept while a command runs, and held as long as this program lives.
#[derive(Debug)]
pub struct HeldLook {
    name: String,
    _lock: File,
}

/// One turn as it was written.
#[derive(Debug)]
pub struct KeptTurn {
    /// Its name; a later turn has a greater one.
    pub id: String,
    /// Whoever wrote it knows what is in it.
    pub bytes: Vec<u8>,
}

/// Whether a content was kept.
#[derive(Debug)]
pub enum KeepOutcome {
    /// It is kept under the name.
    Kept,
    /// It is larger than it may be.
    TooLarge,
}

impl UndoFolder {
    /// Opens the folder of a project, making what is missing.
    pub fn open(home: &Home, project: &Path) -> Result<UndoFolder> {
        let all = home.root.child(FOLDER, IfMissing::Make)?;
        all.make_private()?;
        let hash = Hash::of(project.as_os_str().as_encoded_bytes()).to_string();
        let folder = all.child(hash.get(..PROJECT_DIGITS).unwrap_or(&hash), IfMissing::Make)?;
        let contents = folder.child("contents", IfMissing::Make)?;
        Ok(UndoFolder { folder, contents })
    }

    /// Keeps what an open file holds under a name. Where the disk can share it, its length does not matter; else it is copied up to so
    /// many bytes.
    pub fn keep(&self, name: &str, from: &File, most: u64) -> Result<KeepOutcome> {
        if self.contents.facts(name)?.is_some() {
            return Ok(KeepOutcome::Kept);
        }
        let temporary = format!(".{}", Uuid::now_v7().simple());
        let mut file = self.contents.file(&temporary, Access::New)?;
        let copied = if rustix::fs::ioctl_ficlone(&file, from).is_ok() {
            Ok(true)
        } else {
            std::io::copy(&mut from.take(most.saturating_add(1)), &mut file).map(|copied| copied <= most)
        };
        let put = match copied.map_err(StoreError::io("keep", self.contents.path_of(name))) {
            Ok(true) => self.contents.rename(&temporary, name).map(|()| KeepOutcome::Kept),
            Ok(false) => Ok(KeepOutcome::TooLarge),
            Err(error) => Err(error),
        };
        if !matches!(put, Ok(KeepOutcome::Kept)) {
            let _ = self.contents.remove(&temporary);
        }
        put
    }

    /// What is kept under a name, up to so many bytes; none if it is longer.
    pub fn read(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>> {
        let file = self.contents.file(name, Access::Read)?;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        replace::read_bounded(file, most).map_err(StoreError::io("read", self.contents.path_of(name)))
    }

    /// A name for a turn that begins now.
    pub fn new_turn() -> String {
        Uuid::now_v7().simple().to_string()
    }

    /// Writes a turn in the place of what was written of it before.
    pub fn write_turn(&self, id: &str, bytes: &[u8]) -> Result<()> {
        if bytes.len() > MAX_TURN_BYTES {
            return Err(StoreError::Refused("the changes of this turn are too many to be remembered".into()));
        }
        put(&self.folder, &format!("{id}{TURN_ENDING}"), bytes)
    }

    /// The newest turns, the oldest of them first.
    pub fn turns(&self) -> Result<Vec<KeptTurn>> {
        let mut ids: Vec<String> = self.ids(TURN_ENDING)?;
        ids.sort_unstable();
        let from = ids.len().saturating_sub(MAX_TURNS);
        let mut turns = Vec::new();
        for id in ids.drain(from..) {
            let name = format!("{id}{TURN_ENDING}");
            let Ok(file) = self.folder.file(&name, Access::Read) else { continue };
            let read = replace::read_bounded(file, MAX_TURN_BYTES);
            let bytes = read.map_err(StoreError::io("read", self.folder.path_of(&name)))?;
            turns.extend(bytes.map(|bytes| KeptTurn { id, bytes }));
        }
        Ok(turns)
    }

    /// Keeps what the workspace looks like while something runs that may change it.
    pub fn hold_look(&self, id: &str, bytes: &[u8]) -> Result<HeldLook> {
        if bytes.len() > MAX_LOOK_BYTES {
            return Err(StoreError::Refused("the workspace has too many files to be remembered".into()));
        }
        let name = format!("{id}{LOOK_ENDING}");
        put(&self.folder, &name, bytes)?;
        let lock = self.folder.file(&name, Access::Read)?;
        // Nobody else knows the name; without the lock another program would take this one for gone.
        let _ = lock.try_lock();
        Ok(HeldLook { name, _lock: lock })
    }

    /// What ran has ended.
    pub fn drop_look(&self, look: HeldLook) -> Result<()> {
        self.folder.remove(&look.name)
    }

    /// Looks of programs that are gone, with the turns they belong to; each is handed out once.
    pub fn take_left_looks(&self) -> Result<Vec<KeptTurn>> {
        let mut left = Vec::new();
        for id in self.ids(LOOK_ENDING)? {
            let name = format!("{id}{LOOK_ENDING}");
            let Ok(file) = self.folder.file(&name, Access::Read) else { continue };
            if file.try_lock().is_err() {
                continue;
            }
            let bytes = replace::read_bounded(file, MAX_LOOK_BYTES).ok().flatten();
            self.folder.remove(&name)?;
            left.extend(bytes.map(|bytes| KeptTurn { id, bytes }));
        }
        Ok(left)
    }

    /// Removes a turn.
    pub fn remove_turn(&self, id: &str) -> Result<()> {
        self.folder.remove(&format!("{id}{TURN_ENDING}"))
    }

    /// Removes turns that are too old or too many, and contents that no turn names. `names` reads which contents a turn needs.
    pub fn sweep(&self, names: impl Fn(&[u8]) -> Vec<String>) -> Result<()> {
        let now = crate::entry::now().0;
        let mut ids: Vec<(u64, String)> = Vec::new();
        for id in self.ids(TURN_ENDING)? {
            let facts = self.folder.facts(&format!("{id}{TURN_ENDING}"))?;
            ids.extend(facts.map(|facts| (facts.modified_ms, id)));
        }
        ids.sort_unstable_by(|one, other| other.1.cmp(&one.1));
        let (mut needed, mut bytes) = (HashSet::new(), 0_u64);
        for (number, (modified, id)) in ids.iter().enumerate() {
            let is_old = now.saturating_sub(*modified) > MAX_AGE_MS;
            if number >= MAX_TURNS || is_old || bytes > MAX_KEPT_BYTES {
                self.remove_turn(id)?;
                continue;
            }
            let name = format!("{id}{TURN_ENDING}");
            let read = replace::read_bounded(self.folder.file(&name, Access::Read)?, MAX_TURN_BYTES);
            for name in names(&read.ok().flatten().unwrap_or_default()) {
                if !needed.contains(&name) && crate::folder::plain_name(&name).is_ok() {
                    bytes = bytes.saturating_add(self.contents.facts(&name)?.map_or(0, |facts| facts.bytes));
                    needed.insert(name);
                }
            }
        }
        for name in self.contents.names(MAX_NAMES)? {
            if needed.contains(&name) {
                continue;
            }
            let facts = self.contents.facts(&name)?;
            if facts.is_some_and(|facts| now.saturating_sub(facts.modified_ms) > MIN_AGE_MS) {
                self.contents.remove(&name)?;
            }
        }
        Ok(())
    }

    fn ids(&self, ending: &str) -> Result<Vec<String>> {
        let names = self.folder.names(MAX_NAMES)?;
        Ok(names.iter().filter_map(|name| name.strip_suffix(ending)).map(str::to_owned).collect())
    }
}

/// Whole or not at all. It survives the end of this program in whatever way, though perhaps no power cut: that would cost each call
/// of the agent more than the call.
fn put(folder: &Folder, name: &str, bytes: &[u8]) -> Result<()> {
    let temporary = format!(".{}", Uuid::now_v7().simple());
    let mut file = folder.file(&temporary, Access::New)?;
    let written = file.write_all(bytes).map_err(StoreError::io("write", folder.path_of(name)));
    let put = written.and_then(|()| folder.rename(&temporary, name));
    if put.is_err() {
        let _ = folder.remove(&temporary);
    }
    put
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn opened() -> (tempfile::TempDir, UndoFolder) {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        let folder = UndoFolder::open(&home, Path::new("/projects/shop")).unwrap();
        (temporary, folder)
    }

    #[test]
    fn contents_and_turns_are_kept_private_and_found_again() {
        let (temporary, undo) = opened();
        let path = temporary.path().join("cart.rs");
        std::fs::write(&path, "fn cart() {}\n").unwrap();
        let kept = undo.keep("one", &File::open(&path).unwrap(), 100).unwrap();
        assert!(matches!(kept, KeepOutcome::Kept));
        undo.write_turn(&UndoFolder::new_turn(), b"first").unwrap();
        undo.write_turn(&UndoFolder::new_turn(), b"second").unwrap();
        assert_eq!(undo.read("one", 100).unwrap().as_deref(), Some(&b"fn cart() {}\n"[..]));
        assert_eq!(undo.read("one", 5).unwrap(), None);
        let turns: Vec<Vec<u8>> = undo.turns().unwrap().into_iter().map(|turn| turn.bytes).collect();
        assert_eq!(turns, [b"first".to_vec(), b"second".to_vec()]);
        for path in [undo.folder.path(), undo.contents.path()] {
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o700, "{}", path.display());
        }
    }

    #[test]
    fn what_is_too_long_to_be_copied_is_not_kept_in_part() {
        let (temporary, undo) = opened();
        let path = temporary.path().join("large");
        std::fs::write(&path, vec![1; 2000]).unwrap();
        let kept = undo.keep("large", &File::open(&path).unwrap(), 1000).unwrap();
        // Where the disk can share it, it is kept whole.
        match kept {
            KeepOutcome::TooLarge => assert!(undo.read("large", 5000).is_err()),
            KeepOutcome::Kept => assert_eq!(undo.read("large", 5000).unwrap().map(|bytes| bytes.len()), Some(2000)),
        }
        let left = undo.contents.names(10).unwrap();
        assert!(!left.iter().any(|name| name.starts_with('.')), "{left:?}");
    }

    #[test]
    fn a_look_is_handed_out_once_and_only_when_its_program_is_gone() {
        let (_temporary, undo) = opened();
        let held = undo.hold_look("turn", b"look").unwrap();
        assert!(undo.take_left_looks().unwrap().is_empty(), "it is held");
        drop(held);
        let left = undo.take_left_looks().unwrap();
        assert_eq!(
            left.iter().map(|look| (look.id.as_str(), look.bytes.as_slice())).collect::<Vec<_>>(),
            [("turn", &b"look"[..])]
        );
        assert!(undo.take_left_looks().unwrap().is_empty());
        let held = undo.hold_look("turn", b"look").unwrap();
        undo.drop_look(held).unwrap();
        assert!(undo.take_left_looks().unwrap().is_empty());
    }

    #[test]
    fn what_no_turn_needs_goes_once_it_is_a_day_old() {
        let (_temporary, undo) = opened();
        for name in ["needed", "old", "new"] {
            put(&undo.contents, name, b"x").unwrap();
        }
        let day = std::time::Duration::from_secs(2 * 24 * 60 * 60);
        for name in ["needed", "old"] {
            let file = File::options().write(true).open(undo.contents.path_of(name)).unwrap();
            file.set_modified(std::time::SystemTime::now() - day).unwrap();
        }
        undo.write_turn("turn", b"needed").unwrap();
        undo.sweep(|bytes| vec![String::from_utf8(bytes.to_vec()).unwrap()]).unwrap();
        let mut names = undo.contents.names(10).unwrap();
        names.sort();
        assert_eq!(names, ["needed", "new"]);
    }

    #[test]
    fn old_turns_go_and_links_in_the_place_of_ours_are_refused() {
        let (temporary, undo) = opened();
        undo.write_turn("0", b"old").unwrap();
        undo.write_turn("1", b"new").unwrap();
        let file = File::options().write(true).open(undo.folder.path_of("0.turn")).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        undo.sweep(|_| Vec::new()).unwrap();
        assert_eq!(undo.turns().unwrap().iter().map(|turn| turn.id.as_str()).collect::<Vec<_>>(), ["1"]);
        std::os::unix::fs::symlink(temporary.path(), undo.contents.path_of("link")).unwrap();
        assert!(undo.read("link", 10).unwrap_err().to_string().contains("symbolic link"));
    }
}
