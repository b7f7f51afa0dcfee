//! Whom an address names, as git reads it.

use crate::finding::Reach;

/// The host of an address as git reads it: a web address, `ssh://host/path` or `user@host:path`. None for a path.
pub fn of_address(address: &str) -> Option<Reach> {
    let authority = |rest: &str, usual| Reach::authority(rest.split(['/', '?', '#']).next().unwrap_or_default(), usual);
    match address.split_once("://") {
        Some(("https", rest)) => Some(authority(rest, 443)),
        Some(("http", rest)) => Some(authority(rest, 80)),
        Some(("ssh" | "git+ssh" | "ssh+git", rest)) => Some(authority(rest, 22)),
        Some(("git", rest)) => Some(authority(rest, 9418)),
        Some(_) => None,
        None => {
            let (host, path) = address.split_once(':')?;
            let is_host = !host.contains('/') && !host.starts_with('[') && !path.starts_with(':');
            is_host.then(|| Reach::authority(host, 22))
        }
    }
}
