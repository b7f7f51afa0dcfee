//! Every version of every plan that was ever recorded, each a file named by its hash. Never changed, never scanned.

use crate::{
    error::{Result, StoreError},
    folder::{Access, Folder},
    replace,
};
use fore_plan::plan::{Hash, MAX_PLAN_BYTES};

fn file_name(hash: Hash) -> String {
    format!("{hash}.md")
}

/// Keeps a text under its hash. Keeping it twice changes nothing.
pub(crate) fn keep(folder: &Folder, text: &str) -> Result<Hash> {
    if text.len() > MAX_PLAN_BYTES {
        let path = folder.path().to_owned();
        return Err(StoreError::PlanTooLarge { path, bytes: text.len() as u64, max: MAX_PLAN_BYTES });
    }
    let hash = Hash::of(text.as_bytes());
    if self::text(folder, hash)?.is_none() {
        // A file whose text is not what its name says is damaged: it is replaced by what it should hold.
        replace::write_once(folder, &file_name(hash), text.as_bytes())?;
    }
    Ok(hash)
}

/// The text with this hash, if it was kept and is undamaged. One file is opened, whatever the history holds.
pub(crate) fn text(folder: &Folder, hash: Hash) -> Result<Option<String>> {
    let name = file_name(hash);
    let file = match folder.file(&name, Access::Read) {
        Err(error) if error.is_missing() => return Ok(None),
        other => other?,
    };
    let bytes = replace::read_bounded(file, MAX_PLAN_BYTES).map_err(StoreError::io("read", folder.path_of(&name)))?;
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    Ok(text.filter(|text| Hash::of(text.as_bytes()) == hash))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn b7_a_revision_is_found_by_its_hash_and_only_undamaged() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Folder::open(temporary.path()).unwrap();
        let hash = keep(&folder, "# Plan\n").unwrap();
        assert_eq!(keep(&folder, "# Plan\n").unwrap(), hash);
        assert_eq!(text(&folder, hash).unwrap().as_deref(), Some("# Plan\n"));
        assert_eq!(text(&folder, Hash::of(b"other")).unwrap(), None);

        let path = temporary.path().join(file_name(hash));
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o400);
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "# Forged\n").unwrap();
        assert_eq!(text(&folder, hash).unwrap(), None);
        keep(&folder, "# Plan\n").unwrap();
        assert_eq!(text(&folder, hash).unwrap().as_deref(), Some("# Plan\n"));
    }
}
