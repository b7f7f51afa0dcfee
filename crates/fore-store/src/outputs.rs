//! The full text of what commands and pages said, where it was too long for the model: files of one session, bounded.
//!
//! Nothing is made before the first long output, and what a session of long ago left goes first.

use crate::{
    entry::SessionId,
    error::{Result, StoreError},
    folder::{Access, Folder, IfMissing},
    home::Home,
};
use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

const FOLDER: &str = "outputs";
/// Bytes of one file.
const MAX_FILE_BYTES: u64 = 32 << 20;
/// Bytes that one session writes while this program runs.
const MAX_SESSION_BYTES: u64 = 512 << 20;
/// Files of one session.
const MAX_FILES: usize = 1000;
/// Sessions whose outputs are kept.
const MAX_SESSIONS: usize = 200;
/// Names looked at when old sessions are removed.
const MAX_NAMES: usize = 20_000;

/// The outputs of one session.
#[derive(Debug)]
pub struct Outputs {
    home: Folder,
    session: SessionId,
    /// Made with the first file.
    folder: Mutex<Option<OutputFolder>>,
    written: AtomicU64,
}

#[derive(Debug)]
struct OutputFolder {
    folder: Folder,
    next: usize,
}

/// One output, written as it comes.
#[derive(Debug)]
pub struct OutputFile {
    file: File,
    path: PathBuf,
    /// Bytes that may still come.
    left: u64,
    lost: u64,
}

impl Outputs {
    /// Makes nothing yet.
    pub fn open(home: &Home, session: SessionId) -> Result<Outputs> {
        let home = Folder::open(home.path())?;
        Ok(Outputs { home, session, folder: Mutex::new(None), written: AtomicU64::new(0) })
    }

    /// Where this session's files go; not there before the first.
    pub fn path(&self) -> PathBuf {
        self.home.path_of(FOLDER).join(self.session.to_string())
    }

    /// A new, empty file that nobody else writes to.
    pub fn new_file(&self) -> Result<OutputFile> {
        let mut folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = match &mut *folder {
            Some(opened) => opened,
            none => none.insert(self.make_folder()?),
        };
        while opened.next < MAX_FILES {
            let name = format!("{:04}.txt", opened.next + 1);
            opened.next += 1;
            match opened.folder.file(&name, Access::New) {
                // Of an earlier run of this session.
                Err(StoreError::Exists { .. }) => {}
                made => {
                    let before = self.written.fetch_add(MAX_FILE_BYTES, Ordering::Relaxed);
                    let left = MAX_SESSION_BYTES.saturating_sub(before).min(MAX_FILE_BYTES);
                    return Ok(OutputFile { file: made?, path: opened.folder.path_of(&name), left, lost: 0 });
                }
            }
        }
        Err(StoreError::Refused(format!("this session has kept {MAX_FILES} long outputs already, which is the most")))
    }

    /// Gives back what a file did not use of the session's bytes.
    pub fn done(&self, file: OutputFile) {
        self.written.fetch_sub(file.left.min(MAX_FILE_BYTES), Ordering::Relaxed);
    }

    fn make_folder(&self) -> Result<OutputFolder> {
        let outputs = self.home.child(FOLDER, IfMissing::Make)?;
        outputs.make_private()?;
        // A leftover that cannot be removed is no reason to lose a new output.
        let _ = remove_old(&outputs, self.session);
        let folder = outputs.child(&self.session.to_string(), IfMissing::Make)?;
        folder.make_private()?;
        Ok(OutputFolder { folder, next: 0 })
    }
}

impl OutputFile {
    /// Writes what still fits; the rest is counted in [`OutputFile::lost_bytes`].
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let fits = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
        self.file.write_all(bytes.get(..fits).unwrap_or_default()).map_err(StoreError::io("write", &self.path))?;
        self.left -= fits as u64;
        self.lost += (bytes.len() - fits) as u64;
        Ok(())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What did not fit any more.
    pub fn lost_bytes(&self) -> u64 {
        self.lost
    }
}

/// Removes the outputs of the sessions that were quiet for longest, beyond those that are kept with this one.
fn remove_old(outputs: &Folder, own: SessionId) -> Result<()> {
    let mut sessions: Vec<(u64, String)> = Vec::new();
    for name in outputs.names(MAX_NAMES)? {
        let other = name.parse::<SessionId>().is_ok_and(|session| session != own);
        if let (true, Some(facts)) = (other, outputs.facts(&name)?) {
            sessions.push((facts.modified_ms, name));
        }
    }
    sessions.sort_unstable_by(|one, other| other.cmp(one));
    for (_, name) in sessions.iter().skip(MAX_SESSIONS - 1) {
        let folder = outputs.child(name, IfMissing::Fail)?;
        for file in folder.names(MAX_NAMES)? {
            folder.remove(&file)?;
        }
        outputs.remove_folder(name)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn home() -> (tempfile::TempDir, Home) {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        (temporary, home)
    }

    #[test]
    fn nothing_is_made_before_the_first_long_output_and_then_it_is_private() {
        let (_temporary, home) = home();
        let session = SessionId::fresh();
        let outputs = Outputs::open(&home, session).unwrap();
        let folder = home.path().join("outputs");
        assert!(!folder.exists());
        let mut file = outputs.new_file().unwrap();
        file.write("grün\n".as_bytes()).unwrap();
        assert_eq!(file.path(), folder.join(session.to_string()).join("0001.txt"));
        assert_eq!(std::fs::read_to_string(file.path()).unwrap(), "grün\n");
        for (path, mode) in [(folder.as_path(), 0o700), (file.path().parent().unwrap(), 0o700), (file.path(), 0o600)] {
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
        }
    }

    #[test]
    fn a_file_takes_what_fits_and_counts_the_rest() {
        let (_temporary, home) = home();
        let mut file = Outputs::open(&home, SessionId::fresh()).unwrap().new_file().unwrap();
        file.left = 4;
        file.write(b"abc").unwrap();
        file.write(b"def").unwrap();
        assert_eq!((std::fs::read_to_string(file.path()).unwrap().as_str(), file.lost_bytes()), ("abcd", 2));
    }

    #[test]
    fn a_resumed_session_overwrites_nothing_and_follows_no_link() {
        let (temporary, home) = home();
        let session = SessionId::fresh();
        let first = Outputs::open(&home, session).unwrap().new_file().unwrap();
        let precious = temporary.path().join("precious");
        std::fs::write(&precious, "kept").unwrap();
        std::os::unix::fs::symlink(&precious, first.path().with_file_name("0002.txt")).unwrap();
        let mut next = Outputs::open(&home, session).unwrap().new_file().unwrap();
        next.write(b"new").unwrap();
        assert_eq!(next.path(), first.path().with_file_name("0003.txt"));
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), "kept");
    }

    #[test]
    fn a_linked_folder_is_refused() {
        let (temporary, home) = home();
        std::os::unix::fs::symlink(temporary.path(), home.path().join("outputs")).unwrap();
        let error = Outputs::open(&home, SessionId::fresh()).unwrap().new_file().unwrap_err().to_string();
        assert!(error.contains("outputs` is a symbolic link"), "{error}");
    }

    #[test]
    fn a_session_that_has_used_up_its_bytes_keeps_no_more() {
        let (_temporary, home) = home();
        let outputs = Outputs::open(&home, SessionId::fresh()).unwrap();
        let most = MAX_SESSION_BYTES / MAX_FILE_BYTES;
        let files: Vec<OutputFile> = (0..most).map(|_| outputs.new_file().unwrap()).collect();
        assert_eq!(outputs.new_file().unwrap().left, 0);
        files.into_iter().for_each(|file| outputs.done(file));
        assert_eq!(outputs.new_file().unwrap().left, MAX_FILE_BYTES);
    }

    #[test]
    fn the_outputs_of_the_quietest_sessions_go_first() {
        let (_temporary, home) = home();
        let old: Vec<SessionId> = (0..MAX_SESSIONS).map(|_| SessionId::fresh()).collect();
        for (number, session) in old.iter().enumerate() {
            let folder = home.path().join("outputs").join(session.to_string());
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("0001.txt"), "x").unwrap();
            let age = std::time::Duration::from_secs(1_000_000 + number as u64);
            File::open(&folder).unwrap().set_modified(std::time::SystemTime::UNIX_EPOCH + age).unwrap();
        }
        std::fs::create_dir(home.path().join("outputs/notes")).unwrap();
        Outputs::open(&home, SessionId::fresh()).unwrap().new_file().unwrap();
        let there = |session: &SessionId| home.path().join("outputs").join(session.to_string()).exists();
        assert_eq!(old.iter().filter(|session| !there(session)).collect::<Vec<_>>(), [&old[0]]);
        assert!(home.path().join("outputs/notes").exists());
    }
}
