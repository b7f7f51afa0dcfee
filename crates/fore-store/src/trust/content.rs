//! What the files of a folder said when the person trusted it: `trusted/{hash of the path}.json`. Other content was not trusted.

use crate::{
    error::{Result, StoreError},
    folder::{Access, Folder, IfMissing},
    home::Home,
    replace::{self, Occupied},
};
use fore_plan::plan::Hash;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::Path};

const FOLDER: &str = "trusted";
/// Texts are kept to show what changed; of a longer one only the hash is.
const MAX_TEXT_BYTES: usize = 64 << 10;
/// Of all texts together; the rest is known by hash alone.
const MAX_TEXTS_BYTES: usize = 256 << 10;
/// A text may take six times its length when it is written down, and there are names and hashes.
const MAX_BYTES: usize = 4 << 20;
/// Records looked at when those of a folder are forgotten.
const MAX_RECORDS: usize = 100_000;

/// What a folder's files said, by their names in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenContent {
    folder: String,
    files: BTreeMap<String, SeenFile>,
}

/// One file as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenFile {
    hash: Hash,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl SeenContent {
    /// What was trusted of a folder; none if nothing was kept, as by older versions. Makes nothing.
    pub fn read(home: &Path, folder: &Path) -> Result<Option<SeenContent>> {
        let records = match Folder::open(home).and_then(|home| home.child(FOLDER, IfMissing::Fail)) {
            Ok(records) => records,
            Err(error) if error.is_missing() => return Ok(None),
            Err(error) => return Err(error),
        };
        let name = file_name(folder);
        let file = match records.file(&name, Access::Read) {
            Ok(file) => file,
            Err(error) if error.is_missing() => return Ok(None),
            Err(error) => return Err(error),
        };
        let bytes = replace::read_bounded(file, MAX_BYTES).map_err(StoreError::io("read", records.path_of(&name)))?;
        // A record that cannot be read trusts nothing.
        let seen = bytes.and_then(|bytes| serde_json::from_slice::<SeenContent>(&bytes).ok());
        Ok(seen.filter(|seen| Path::new(&seen.folder) == folder))
    }

    /// Keeps these texts as what the person trusts of the folder, in the place of earlier ones.
    pub fn keep<'t>(home: &Home, folder: &Path, texts: impl IntoIterator<Item = (&'t str, &'t str)>) -> Result<()> {
        let path = folder.to_str().ok_or_else(|| StoreError::NotUnicode { path: folder.to_owned() })?;
        let mut left = MAX_TEXTS_BYTES;
        let mut file = |text: &str| {
            let fits = text.len() <= MAX_TEXT_BYTES.min(left);
            left -= if fits { text.len() } else { 0 };
            SeenFile { hash: Hash::of(text.as_bytes()), text: fits.then(|| text.to_owned()) }
        };
        let files = texts.into_iter().map(|(name, text)| (name.to_owned(), file(text))).collect();
        let seen = SeenContent { folder: path.to_owned(), files };
        let records = home.root.child(FOLDER, IfMissing::Make)?;
        records.make_private()?;
        let mut text = serde_json::to_vec_pretty(&seen)?;
        text.push(b'\n');
        replace::write(&records, &file_name(folder), &text, Occupied::Replace)
    }

    /// What the file of this name said.
    pub fn file(&self, name: &str) -> Option<&SeenFile> {
        self.files.get(name)
    }

    /// All files that were seen.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }
}

impl SeenFile {
    /// Whether these bytes are the ones that were trusted.
    pub fn is(&self, text: &str) -> bool {
        self.hash == Hash::of(text.as_bytes())
    }

    /// The text, unless it was too long to keep.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }
}

/// Forgets what was trusted of a folder and of everything in it.
pub(super) fn forget_inside(home: &Home, folder: &Path) -> Result<()> {
    let records = match home.root.child(FOLDER, IfMissing::Fail) {
        Ok(records) => records,
        Err(error) if error.is_missing() => return Ok(()),
        Err(error) => return Err(error),
    };
    for name in records.names(MAX_RECORDS)? {
        let bytes = records.file(&name, Access::Read).map(|file| replace::read_bounded(file, MAX_BYTES));
        let Ok(Ok(Some(bytes))) = bytes else { continue };
        let seen = serde_json::from_slice::<SeenContent>(&bytes).ok();
        if seen.is_some_and(|seen| Path::new(&seen.folder).starts_with(folder)) {
            records.remove(&name)?;
        }
    }
    Ok(())
}

fn file_name(folder: &Path) -> String {
    format!("{}.json", Hash::of(folder.as_os_str().as_encoded_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_trusted_is_known_by_its_bytes_until_trust_is_taken_back() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        let home = Home::open(&root.join("home")).unwrap();
        let shop = root.join("projects/shop");
        assert_eq!(SeenContent::read(home.path(), &shop).unwrap(), None);
        let long = "x".repeat(MAX_TEXT_BYTES + 1);
        SeenContent::keep(&home, &shop, [("settings.json", "{}"), ("long.json", long.as_str())]).unwrap();
        let seen = SeenContent::read(home.path(), &shop).unwrap().unwrap();
        let file = seen.file("settings.json").unwrap();
        assert_eq!((file.is("{}"), file.is("{ }"), file.text()), (true, false, Some("{}")));
        let file = seen.file("long.json").unwrap();
        assert_eq!((file.is(&long), file.text()), (true, None));
        assert_eq!(seen.file("settings.local.json"), None);
        assert_eq!(SeenContent::read(home.path(), &root.join("projects")).unwrap(), None);
        super::super::remove(&home, &root.join("projects")).unwrap();
        assert_eq!(SeenContent::read(home.path(), &shop).unwrap(), None);
    }

    #[test]
    fn many_long_texts_are_known_by_hash_and_the_record_can_still_be_read() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        let texts: Vec<(String, String)> =
            (0..200).map(|number| (format!("{number}.md"), format!("{number} \"{}", "\u{1}".repeat(60_000)))).collect();
        let all = || texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        SeenContent::keep(&home, Path::new("/shop"), all()).unwrap();
        let seen = SeenContent::read(home.path(), Path::new("/shop")).unwrap().unwrap();
        assert!(all().all(|(name, text)| seen.file(name).unwrap().is(text)));
        assert!(seen.file("199.md").unwrap().text().is_none());
    }

    #[test]
    fn a_record_of_another_folder_or_a_damaged_one_trusts_nothing() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        let home = Home::open(&root.join("home")).unwrap();
        let (shop, other) = (root.join("shop"), root.join("other"));
        SeenContent::keep(&home, &other, [("settings.json", "{}")]).unwrap();
        let records = home.path().join(FOLDER);
        std::fs::rename(records.join(file_name(&other)), records.join(file_name(&shop))).unwrap();
        assert_eq!(SeenContent::read(home.path(), &shop).unwrap(), None);
        std::fs::write(records.join(file_name(&shop)), "{").unwrap();
        assert_eq!(SeenContent::read(home.path(), &shop).unwrap(), None);
    }
}
