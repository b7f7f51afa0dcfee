//! A text while a person edits it: a file of its own in a private folder, gone when they are done. It never opens an editor.

use crate::{
    error::{Result, StoreError},
    folder::{Access, Folder, IfMissing},
    home::Home,
    replace::{self, Occupied},
};
use std::path::{Path, PathBuf};
use uuid::Uuid;

const FOLDER: &str = "scratch";
/// Letters of a name that are kept.
const MAX_NAME_CHARS: usize = 40;
/// Files that an editor may have left beside ours.
const MAX_BESIDE_FILES: usize = 1000;
/// Folders looked at when leftovers of a crash are removed.
const MAX_SWEPT: usize = 1000;
/// Nobody edits one text for longer.
const ABANDONED_MS: u64 = 7 * 24 * 3600 * 1000;

/// A text that is being edited.
#[derive(Debug)]
pub struct Scratch {
    all: Folder,
    folder: Folder,
    folder_name: String,
    file_name: String,
}

impl Scratch {
    /// Puts a text into a new file, which ends in `.md` so that editors know what it is.
    pub fn new(home: &Home, name: &str, text: &str) -> Result<Scratch> {
        let all = home.root.child(FOLDER, IfMissing::Make)?;
        all.make_private()?;
        sweep(&all);
        let folder_name = Uuid::now_v7().simple().to_string();
        let folder = all.child(&folder_name, IfMissing::Make)?;
        folder.make_private()?;
        let scratch = Scratch { all, folder, folder_name, file_name: file_name(name) };
        replace::write(&scratch.folder, &scratch.file_name, text.as_bytes(), Occupied::Refuse)?;
        Ok(scratch)
    }

    /// Puts a page for the person's browser into a new file that only they can read.
    pub fn page(home: &Home, html: &str) -> Result<Scratch> {
        let mut scratch = Scratch::new(home, "page", "")?;
        scratch.folder.remove(&scratch.file_name)?;
        scratch.file_name = "page.html".to_owned();
        replace::write(&scratch.folder, &scratch.file_name, html.as_bytes(), Occupied::Refuse)?;
        Ok(scratch)
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.folder.path_of(&self.file_name)
    }

    /// What is in the file now, if it is text of at most so many bytes.
    pub fn text(&self, most_bytes: usize) -> Result<String> {
        let file = self.folder.file(&self.file_name, Access::Read)?;
        let bytes = replace::read_bounded(file, most_bytes).map_err(StoreError::io("read", self.path()))?;
        let bytes = bytes.ok_or_else(|| {
            StoreError::Refused(format!("the text is larger than the {most_bytes} bytes that are read; shorten it"))
        })?;
        String::from_utf8(bytes).map_err(|_| StoreError::Refused("the text is not in UTF-8; save it as UTF-8".into()))
    }
}

impl Drop for Scratch {
    /// With what an editor put beside it: backups, swap files.
    fn drop(&mut self) {
        remove(&self.all, &self.folder_name);
    }
}

fn remove(all: &Folder, name: &str) {
    let Ok(folder) = all.child(name, IfMissing::Fail) else { return };
    for file in folder.names(MAX_BESIDE_FILES).unwrap_or_default() {
        let _ = folder.remove(&file);
    }
    let _ = all.remove_folder(name);
}

/// Removes what a crash has left behind a while ago.
fn sweep(all: &Folder) {
    let now = crate::entry::now().0;
    for name in all.names(MAX_SWEPT).unwrap_or_default() {
        let facts = all.facts(&name).ok().flatten();
        if facts.is_some_and(|facts| now.saturating_sub(facts.modified_ms) > ABANDONED_MS) {
            remove(all, &name);
        }
    }
}

/// A name that is one on every disk, and leads nowhere else.
fn file_name(name: &str) -> String {
    let stem = Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = stem.strip_suffix(".md").unwrap_or(stem);
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let stem: String = stem.chars().map(plain).take(MAX_NAME_CHARS).collect();
    let stem = stem.trim_matches('-');
    format!("{}.md", if stem.is_empty() { "text" } else { stem })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_page_is_for_its_owner_alone_and_gone_with_its_value() {
        let (_temporary, home) = home();
        let page = Scratch::page(&home, "<p>hello</p>").unwrap();
        let path = page.path();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "<p>hello</p>");
        assert!(path.ends_with("page.html"), "{}", path.display());
        for (path, mode) in [(path.as_path(), 0o600), (path.parent().unwrap(), 0o700)] {
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
        }
        drop(page);
        assert!(!path.exists());
    }

    fn home() -> (tempfile::TempDir, Home) {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        (temporary, home)
    }

    #[test]
    fn a_text_is_private_while_it_is_edited_and_gone_afterwards() {
        let (_temporary, home) = home();
        let scratch = Scratch::new(&home, "brave-quiet-fox.md", "# Faster login\n").unwrap();
        let path = scratch.path();
        assert!(path.ends_with("brave-quiet-fox.md"), "{}", path.display());
        for (path, mode) in [(path.as_path(), 0o600), (path.parent().unwrap(), 0o700)] {
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
        }
        std::fs::write(&path, "# Slower login\n").unwrap();
        std::fs::write(path.with_file_name("brave-quiet-fox.md~"), "backup").unwrap();
        assert_eq!(scratch.text(100).unwrap(), "# Slower login\n");
        drop(scratch);
        assert!(!path.parent().unwrap().exists());
    }

    #[test]
    fn an_editor_may_put_a_new_file_in_the_place_of_ours() {
        let (_temporary, home) = home();
        let scratch = Scratch::new(&home, "prompt", "old").unwrap();
        let beside = scratch.path().with_file_name("new");
        std::fs::write(&beside, "new").unwrap();
        std::fs::rename(beside, scratch.path()).unwrap();
        assert_eq!(scratch.text(100).unwrap(), "new");
    }

    #[test]
    fn what_is_no_text_or_too_much_is_said_in_words() {
        let (_temporary, home) = home();
        let scratch = Scratch::new(&home, "prompt", "").unwrap();
        let page: [(&[u8], &str); 2] = [
            (b"\xff\xfe", "the text is not in UTF-8; save it as UTF-8"),
            (b"12345678901", "the text is larger than the 10 bytes that are read; shorten it"),
        ];
        for (bytes, words) in page {
            std::fs::write(scratch.path(), bytes).unwrap();
            assert_eq!(scratch.text(10).unwrap_err().to_string(), words);
        }
        std::fs::remove_file(scratch.path()).unwrap();
        assert!(scratch.text(10).unwrap_err().is_missing());
    }

    #[test]
    fn a_name_leads_nowhere_else() {
        let page = [
            ("plan.md", "plan.md"),
            ("../../etc/passwd", "passwd.md"),
            ("my plan!", "my-plan.md"),
            ("", "text.md"),
            ("..", "text.md"),
            ("日本", "text.md"),
        ];
        assert_eq!(page.map(|(name, _)| file_name(name)), page.map(|(_, expected)| expected.to_owned()));
    }

    #[test]
    fn what_a_crash_left_goes_after_a_while() {
        let (_temporary, home) = home();
        let left = |name: &str, age: std::time::Duration| {
            let folder = home.path().join("scratch").join(name);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("plan.md"), "x").unwrap();
            let then = std::time::SystemTime::now() - age;
            std::fs::File::open(&folder).unwrap().set_modified(then).unwrap();
            folder
        };
        let day = std::time::Duration::from_secs(24 * 3600);
        let (old, recent) = (left("old", day * 8), left("recent", day));
        drop(Scratch::new(&home, "prompt", "").unwrap());
        assert_eq!((old.exists(), recent.exists()), (false, true));
    }
}
