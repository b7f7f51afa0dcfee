//! A look at the workspace as bytes, and back: it is written before each command, so it has to be quick.

use super::{
    tree_look::{LookTime, TreeEntry, TreeLook},
    turn_changes::{ContentPlace, NotKept},
};
use fore_sandbox::edit::FileMark;

/// The form of what follows; bytes of another form are no look.
const FORM: &[u8] = b"fore look 1\n";

pub(super) fn write(look: &TreeLook) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(look.entries.len().saturating_mul(128));
    bytes.extend_from_slice(FORM);
    put(&mut bytes, look.time.0 as u64);
    put(&mut bytes, look.unseen.len() as u64);
    look.unseen.iter().for_each(|folder| put_text(&mut bytes, folder));
    put(&mut bytes, look.entries.len() as u64);
    for TreeEntry { path, mark, link, content } in &look.entries {
        put_text(&mut bytes, path);
        put_text(&mut bytes, link);
        let FileMark { mode, size, device, inode, modified_ns, changed_ns } = mark;
        let numbers = [u64::from(*mode), *size, *device, *inode, *modified_ns as u64, *changed_ns as u64];
        numbers.into_iter().for_each(|number| put(&mut bytes, number));
        let (tag, text) = match content {
            None => (0, ""),
            Some(ContentPlace::Kept(name)) => (1, name.as_str()),
            Some(ContentPlace::Git(name)) => (2, name.as_str()),
            Some(ContentPlace::Lost(_)) => (3, ""),
        };
        bytes.push(tag);
        put_text(&mut bytes, text);
    }
    bytes
}

pub(super) fn read(bytes: &[u8]) -> Option<TreeLook> {
    let mut rest = bytes.strip_prefix(FORM)?;
    let time = LookTime(number(&mut rest)? as i64);
    let unseen = (0..number(&mut rest)?).map(|_| text(&mut rest)).collect::<Option<Vec<String>>>()?;
    let count = number(&mut rest)?;
    // Made as it is read: a number alone must not take memory.
    let mut entries = Vec::new();
    for _ in 0..count {
        let (path, link) = (text(&mut rest)?.into(), text(&mut rest)?.into());
        let mark = FileMark {
            mode: u32::try_from(number(&mut rest)?).ok()?,
            size: number(&mut rest)?,
            device: number(&mut rest)?,
            inode: number(&mut rest)?,
            modified_ns: number(&mut rest)? as i64,
            changed_ns: number(&mut rest)? as i64,
        };
        let (tag, after) = rest.split_first()?;
        rest = after;
        let name = text(&mut rest)?;
        let content = match tag {
            0 => None,
            1 => Some(ContentPlace::Kept(name)),
            2 => Some(ContentPlace::Git(name)),
            3 => Some(ContentPlace::Lost(NotKept::TooMuch)),
            _ => return None,
        };
        entries.push(TreeEntry { path, mark, link, content });
    }
    let is_sorted = entries.is_sorted_by(|one: &TreeEntry, other| one.path < other.path);
    (rest.is_empty() && is_sorted).then_some(TreeLook { time, entries, unseen, is_whole: true })
}

fn put(bytes: &mut Vec<u8>, number: u64) {
    bytes.extend_from_slice(&number.to_le_bytes());
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    let length = u32::try_from(text.len()).unwrap_or(0);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(text.as_bytes().get(..length as usize).unwrap_or_default());
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    let (head, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u64::from_le_bytes(*head))
}

fn text(rest: &mut &[u8]) -> Option<String> {
    let (length, after) = rest.split_first_chunk()?;
    let (text, after) = after.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    *rest = after;
    String::from_utf8(text.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            let _ = read(&[FORM, bytes.as_slice()].concat());
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "lays out the files that are looked at")]
    fn a_look_is_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("elsewhere", folder.path().join("link")).unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        std::fs::write(folder.path().join("src/cart.rs"), "fn cart() {}\n").unwrap();
        let mut look = TreeLook::take(&folder.path().canonicalize().unwrap(), &|| false);
        look.entries[2].content = Some(ContentPlace::Kept("name".into()));
        let paths: Vec<&str> = look.entries.iter().map(|entry| &*entry.path).collect();
        assert_eq!(paths, ["link", "src", "src/cart.rs"]);
        let again = read(&write(&look)).unwrap();
        assert_eq!(format!("{again:?}"), format!("{look:?}"));
        assert!(look.differences(&again).iter().all(|(path, _, _)| *path == "src/cart.rs" || *path == "link"));
    }
}
