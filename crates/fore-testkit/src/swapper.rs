//! Somebody who puts another thing in the place of a file, again and again, while a test uses it: for everything that is checked first
//! and used later.

#![expect(clippy::disallowed_methods, reason = "changes the files of a test behind the back of what is tested")]

use std::{
    fs, io,
    io::Write as _,
    os::unix::fs::{OpenOptionsExt as _, symlink},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::JoinHandle,
};

/// What is put in the place of the file.
#[derive(Clone, Debug)]
pub enum Swap {
    /// The same file with another text, written in place.
    Text(String),
    /// Another file with this text, renamed over it.
    Renamed(String),
    /// A link to this.
    Link(PathBuf),
    /// A second name of this file.
    HardLink(PathBuf),
    /// A named pipe that nobody writes to.
    Pipe,
    /// A folder.
    Folder,
    /// Nothing.
    Missing,
}

/// Swaps until it is dropped, and leaves a plain file behind, so that nothing waits for a file that never comes.
#[derive(Debug)]
pub struct Swapper {
    stop: Arc<AtomicBool>,
    swaps: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Swapper {
    /// Puts each of `swaps` in the place of the file in turn; `last` is the text of the file in the end.
    pub fn start(path: &Path, swaps: Vec<Swap>, last: &str) -> Swapper {
        let path = path.to_owned();
        Swapper::find(move || vec![path.clone()], swaps, last)
    }

    /// The same with every file that is found at that moment.
    pub fn find(find: impl Fn() -> Vec<PathBuf> + Send + 'static, swaps: Vec<Swap>, last: &str) -> Swapper {
        let (stop, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (stopped, counted, last) = (Arc::clone(&stop), Arc::clone(&count), Swap::Renamed(last.to_owned()));
        let thread = std::thread::spawn(move || {
            for swap in swaps.iter().cycle() {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                for path in find() {
                    // What fails was changed in the same moment by what is tested.
                    let _ = put(&path, swap);
                    counted.fetch_add(1, Ordering::SeqCst);
                }
                std::thread::yield_now();
            }
            for path in find() {
                let _ = put(&path, &last);
            }
        });
        Swapper { stop, swaps: count, thread: Some(thread) }
    }

    /// How often something was put in the place of a file.
    pub fn swaps(&self) -> u64 {
        self.swaps.load(Ordering::SeqCst)
    }
}

impl Drop for Swapper {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn put(path: &Path, swap: &Swap) -> io::Result<()> {
    let beside = path.with_extension("swap");
    match swap {
        Swap::Text(text) => write_in_place(path, text),
        Swap::Renamed(text) => {
            fs::write(&beside, text)?;
            over(&beside, path)
        }
        Swap::Link(to) => {
            clear(&beside);
            symlink(to, &beside)?;
            over(&beside, path)
        }
        Swap::HardLink(to) => {
            clear(&beside);
            fs::hard_link(to, &beside)?;
            over(&beside, path)
        }
        Swap::Pipe => {
            clear(&beside);
            rustix::fs::mkfifoat(rustix::fs::CWD, &beside, rustix::fs::Mode::from(0o600))?;
            over(&beside, path)
        }
        Swap::Folder => {
            clear(path);
            fs::create_dir(path)
        }
        Swap::Missing => {
            clear(path);
            Ok(())
        }
    }
}

/// Never through a link: what it leads to is for the test to find unchanged.
fn write_in_place(path: &Path, text: &str) -> io::Result<()> {
    let open = || {
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)
    };
    let is_second_name = || {
        use std::os::unix::fs::MetadataExt as _;
        path.symlink_metadata().is_ok_and(|facts| facts.nlink() > 1)
    };
    if is_second_name() {
        clear(path);
    }
    let mut file = open().or_else(|_| {
        clear(path);
        open()
    })?;
    file.write_all(text.as_bytes())
}

fn over(beside: &Path, path: &Path) -> io::Result<()> {
    fs::rename(beside, path).or_else(|_| {
        clear(path);
        fs::rename(beside, path)
    })
}

fn clear(path: &Path) {
    let _ = fs::remove_file(path).or_else(|_| fs::remove_dir(path));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_up_and_a_plain_file_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("plan.md"), folder.path().join("other"));
        fs::write(&other, "other").unwrap();
        let swaps = vec![
            Swap::Renamed("a".into()),
            Swap::Text("b".into()),
            Swap::Link(other.clone()),
            Swap::HardLink(other.clone()),
            Swap::Pipe,
            Swap::Folder,
            Swap::Missing,
        ];
        for swap in &swaps {
            put(&path, swap).unwrap();
            for next in &swaps {
                put(&path, next).unwrap();
                put(&path, swap).unwrap();
            }
        }
        let swapper = Swapper::start(&path, swaps, "last");
        while swapper.swaps() < 100 {
            std::thread::yield_now();
        }
        drop(swapper);
        assert_eq!(fs::read_to_string(&path).unwrap(), "last");
        assert_eq!(fs::read_to_string(&other).unwrap(), "other");
    }
}
