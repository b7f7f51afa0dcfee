//! Keeps what is secret by its place for the next run, as long as nothing has changed that it depends on.
//!
//! A name cannot come or go, nor become something else, without a new time of change of the folder around it, and no content
//! without one of its file; nobody can set these times back. Where that is not enough, nothing is kept.

use super::ByName;
use super::list::{ListedSecrets, listed_of};
use super::presence::{FolderState, PathPresence, Version, is_missing, is_settled};
use crate::cages::CageSettings;
use crate::setup::Mounts;
use std::collections::{BTreeMap, VecDeque};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Workspaces, and folders in them, that are kept in mind.
const MAX_WORKSPACES: usize = 8;

/// Of one `Cages`, whose settings never change.
#[derive(Debug, Default)]
pub(crate) struct Listings(Mutex<VecDeque<KeptListing>>);

#[derive(Debug)]
struct KeptListing {
    folders: [PathBuf; 2],
    all: Vec<PathBuf>,
    found: BTreeMap<PathBuf, PathBuf>,
    by_name: Arc<ByName>,
    seen: Seen,
}

/// What it depends on.
#[derive(Debug)]
struct Seen {
    folders: Vec<(PathBuf, FolderState)>,
    /// Homes of others, and files that were looked into.
    others: Vec<(PathBuf, Option<Version>)>,
    mounts: Arc<Mounts>,
}

impl Listings {
    /// What [`listed_of`] would tell.
    pub(crate) fn listed(&self, settings: &CageSettings, folders: [&Path; 2], there: PathPresence) -> ListedSecrets {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().position(|kept| kept.folders == folders).and_then(|at| kept.remove(at));
        if let Some(known) = known.filter(|known| known.seen.is_as_it_was()) {
            let (all, found, by_name) = (known.all.clone(), known.found.clone(), known.by_name.clone());
            kept.push_back(known);
            return ListedSecrets { all, found, by_name, there, looked_at: None };
        }
        let listed = listed_of(settings, folders, there);
        let seen = Seen::of(&listed);
        let (all, found, by_name) = (listed.all.clone(), listed.found.clone(), listed.by_name.clone());
        if kept.len() >= MAX_WORKSPACES {
            kept.pop_front();
        }
        kept.extend(seen.map(|seen| KeptListing { folders: folders.map(Path::to_owned), all, found, by_name, seen }));
        listed
    }
}

impl Seen {
    /// None where it cannot be told later whether everything is as it was.
    fn of(listed: &ListedSecrets) -> Option<Seen> {
        // What a link leads to may change while the link does not.
        let leads_on = listed.found.iter().any(|(path, real)| path != real);
        let folders = listed.there.folders();
        if leads_on || folders.iter().any(|(_, state)| *state == FolderState::Unsure) {
            return None;
        }
        let others = listed.looked_at.as_ref()?.iter().map(|path| Some((path.clone(), version(path)?)));
        Some(Seen { folders, others: others.collect::<Option<_>>()?, mounts: Mounts::now().ok()? })
    }

    fn is_as_it_was(&self) -> bool {
        let is_same = |(path, state): &(PathBuf, FolderState)| match state {
            // The folder around it is among these.
            FolderState::RuledOut => true,
            FolderState::Is(_) | FolderState::Missing => FolderState::of(path) == *state,
            FolderState::Unsure => false,
        };
        Mounts::now().is_ok_and(|now| Arc::ptr_eq(&now, &self.mounts))
            && self.folders.iter().all(is_same)
            && self.others.iter().all(|(path, then)| version(path).is_some_and(|now| now == *then))
    }
}

/// Which file it is, and when it last changed; `Some(None)` if there is none. Nothing where it is changing.
fn version(path: &Path) -> Option<Option<Version>> {
    match path.metadata() {
        Ok(facts) => is_settled(facts.ctime()).then(|| Some(Version::of(&facts))),
        Err(error) => is_missing(&error).then_some(None),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "makes the files that are looked for")]
    use super::super::presence::SETTLED;
    use super::*;
    use std::time::Instant;

    fn seen(folder: &Path, others: Vec<(PathBuf, Option<Version>)>) -> Seen {
        let folders = vec![(folder.to_owned(), FolderState::of(folder)), (folder.join("none"), FolderState::RuledOut)];
        Seen { folders, others, mounts: Mounts::now().unwrap() }
    }

    #[test]
    fn a_name_that_comes_is_noticed() {
        let top = tempfile::tempdir().unwrap();
        let seen = seen(top.path(), vec![(top.path().join("missing"), None)]);
        assert!(seen.is_as_it_was());
        // As soon as the disk's clock has moved on; what changed so shortly before is not kept.
        let (start, mut number) = (Instant::now(), 0);
        while FolderState::of(top.path()) == seen.folders[0].1 && start.elapsed() < SETTLED {
            std::fs::write(top.path().join(number.to_string()), "").unwrap();
            number += 1;
        }
        assert!(!seen.is_as_it_was());
    }

    #[test]
    fn a_file_that_comes_or_changes_is_noticed() {
        let top = tempfile::tempdir().unwrap();
        let file = top.path().join(".bashrc");
        let missing = Seen { folders: Vec::new(), ..seen(top.path(), vec![(file.clone(), None)]) };
        assert!(missing.is_as_it_was());
        std::fs::write(&file, "export API_KEY=x").unwrap();
        assert!(!missing.is_as_it_was());
        // It was written this moment, and may be written again without a sign of it.
        assert_eq!(version(&file), None);
        let changed = Some(Version::of(&file.metadata().unwrap()));
        assert!(!Seen { folders: Vec::new(), ..seen(top.path(), vec![(file, changed)]) }.is_as_it_was());
    }

    #[test]
    fn nothing_is_kept_that_depends_on_links_or_on_what_changes() {
        let top = tempfile::tempdir().unwrap();
        let listed = |looked_at, found: &[(&str, &str)]| ListedSecrets {
            found: found.iter().map(|(path, real)| (path.into(), real.into())).collect(),
            looked_at,
            ..ListedSecrets::default()
        };
        assert!(Seen::of(&listed(Some(Vec::new()), &[("/a/.npmrc", "/a/.npmrc")])).is_some());
        assert!(Seen::of(&listed(Some(Vec::new()), &[("/a/.npmrc", "/b/npmrc")])).is_none());
        assert!(Seen::of(&listed(None, &[])).is_none());
        let changing = listed(Some(Vec::new()), &[]);
        assert!(changing.there.may_be(&top.path().join(".env")));
        assert!(Seen::of(&changing).is_none());
    }

    #[test]
    fn the_second_answer_is_the_first() {
        let settings = CageSettings { home: Some("/usr/share".into()), ..CageSettings::default() };
        let (listings, folders) = (Listings::default(), [Path::new("/usr"), Path::new("/usr/share")]);
        let parts = |listed: ListedSecrets| (listed.all, listed.found);
        let fresh = parts(super::super::listed(&settings, folders));
        for _ in 0..3 {
            assert_eq!(parts(listings.listed(&settings, folders, PathPresence::default())), fresh);
        }
        let elsewhere = [Path::new("/usr/share"), Path::new("/usr/share")];
        let fresh = parts(super::super::listed(&settings, elsewhere));
        assert_eq!(parts(listings.listed(&settings, elsewhere, PathPresence::default())), fresh);
    }
}
