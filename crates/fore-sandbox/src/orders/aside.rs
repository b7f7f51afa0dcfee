//! Gives another name to what a run has planted. Nothing is destroyed, and no link is followed on the way.

use super::{Met, Orders, Snapshot};
use crate::blueprint::RawPath;
use crate::error::CageError;
use crate::sys;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Looks again after a rename, because what is moved may have hidden something.
const MAX_ROUNDS: usize = 4;

/// After a run, when all its processes are dead: puts aside what it planted, and says what that had been called.
///
/// `look` asks the index of the workspace; where that fails, every name is looked at.
pub(crate) fn settle(orders: &Orders, mut look: impl FnMut(&Snapshot) -> Result<Snapshot, CageError>) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let now = look(&orders.before).unwrap_or_else(|_| by_walking(orders));
        let planted = now.planted(&orders.before);
        if planted.is_empty() {
            break;
        }
        all.extend(planted.into_iter().filter(|path| put_aside(path).is_ok()));
    }
    all
}

/// The same for a guard whose agent is gone.
pub(crate) fn settle_alone(orders: &Orders) {
    settle(orders, |_| Ok(by_walking(orders)));
}

fn by_walking(orders: &Orders) -> Snapshot {
    let names = orders.names.iter().map(RawPath::path);
    Snapshot::of(&Met::by_walking(orders.workspace.path(), names), orders.home.as_ref().map(RawPath::path))
}

fn put_aside(path: &Path) -> std::io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(std::io::ErrorKind::InvalidInput.into());
    };
    // A name that nobody could take beforehand.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let mut new_name = name.to_owned();
    new_name.push(format!(".planted-{now}"));
    let (name, new_name) = (sys::c_string(name)?, sys::c_string(new_name)?);
    let opened = sys::open_true(folder.as_os_str())?;
    sys::rename_in(opened.as_fd(), &name, &new_name).or_else(|_| {
        // The command may have closed the folder.
        super::met::open_up(folder)?;
        sys::rename_in(opened.as_fd(), &name, &new_name)
    })
}
