//! The person's own settings as a file: read whole, written whole. What stands in it is none of its business.

use crate::{
    error::{Result, StoreError},
    folder::Access,
    home::Home,
    replace::{self, Occupied},
};
use std::path::PathBuf;

const FILE: &str = "settings.json";
const MAX_BYTES: usize = 1 << 20;

/// Where the person's settings are.
pub fn path(home: &Home) -> PathBuf {
    home.root.path_of(FILE)
}

/// The text of the file; none if there is no file.
pub fn read(home: &Home) -> Result<Option<String>> {
    let file = match home.root.file(FILE, Access::Read) {
        Ok(file) => file,
        Err(error) if error.is_missing() => return Ok(None),
        Err(error) => return Err(error),
    };
    let path = path(home);
    let bytes = replace::read_bounded(file, MAX_BYTES).map_err(StoreError::io("read", &path))?;
    let refused = |why: &str| StoreError::Refused(format!("`{}` {why}", path.display()));
    let bytes = bytes.ok_or_else(|| refused("is larger than 1 MiB"))?;
    String::from_utf8(bytes).map(Some).map_err(|_| refused("is not UTF-8 text"))
}

/// Puts a text in the place of the file.
pub fn write(home: &Home, text: &str) -> Result<()> {
    replace::write(&home.root, FILE, text.as_bytes(), Occupied::Replace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_a_link_is_left_alone() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        assert_eq!(read(&home).unwrap(), None);
        write(&home, "{}\n").unwrap();
        assert_eq!(read(&home).unwrap().as_deref(), Some("{}\n"));
        std::fs::rename(path(&home), temporary.path().join("dotfiles.json")).unwrap();
        std::os::unix::fs::symlink(temporary.path().join("dotfiles.json"), path(&home)).unwrap();
        assert!(read(&home).is_err() && write(&home, "x").unwrap_err().to_string().contains("a symbolic link"));
    }
}
