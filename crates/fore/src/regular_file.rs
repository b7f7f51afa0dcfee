//! Opens a file that somebody else may have put there: an ordinary one, without waiting for anybody. It only reads.

use std::{fs::File, io, path::Path};

/// Opens an ordinary file. A pipe in its place, which would keep us waiting, or a folder or device is an error.
#[expect(clippy::disallowed_methods, reason = "opened to be read only, with flags that plain opening does not take")]
pub(crate) fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let not_a_file = || io::Error::new(io::ErrorKind::InvalidInput, "it is not an ordinary file");
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)
        .map_err(|error| if error.raw_os_error() == Some(libc::ENXIO) { not_a_file() } else { error })?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_a_file()) }
}

/// Whether the name still leads to the file that is open.
pub(crate) fn is_same(path: &Path, file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (named, open) = (path.metadata()?, file.metadata()?);
    Ok((named.dev(), named.ino()) == (open.dev(), open.ino()))
}
