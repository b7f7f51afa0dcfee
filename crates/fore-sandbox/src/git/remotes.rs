//! Whom a git remote is: asked of git itself, which knows about `insteadOf`, `pushurl` and the branch that is checked out.

use super::{BlockingFiles, GitProbe, MAX_ASKING, PersonGitConfig, ProbeRound};
use crate::cages::Cages;
use fore_shell::{Reach, RemoteDirection, git::of_address};
use std::borrow::Borrow;
use std::path::Path;
use std::time::Instant;

/// Addresses of one remote; who names more is not understood.
const MAX_ADDRESSES: usize = 4;

impl<C: Borrow<Cages>> GitProbe<C> {
    /// The hosts of a remote; none where git does not say, or says something that is not certainly a host.
    pub(super) fn remote(&self, folder: &Path, name: Option<&str>, direction: RemoteDirection) -> Option<Vec<Reach>> {
        let person = PersonGitConfig::of_this_process();
        let BlockingFiles { blank, .. } = Some(BlockingFiles::at(folder, &person)).filter(|looked| looked.is_clear)?;
        let asking = ProbeRound { until: Instant::now() + MAX_ASKING, person, blank };
        let ask = |words: &[&str]| match self.git(folder, words, &asking)? {
            (0, answer, _) => Some(answer),
            _ => None,
        };
        let addresses = match (direction, name) {
            (RemoteDirection::Fetch, Some(name)) => ask(&["ls-remote", "--get-url", name])?,
            (RemoteDirection::Fetch, None) => ask(&["ls-remote", "--get-url"])?,
            (RemoteDirection::Push, Some(name)) => ask(&["remote", "get-url", "--push", "--all", name])?,
            (RemoteDirection::Push, None) => {
                // Several settings may choose among several remotes.
                let all = ask(&["remote"])?;
                let [only] = all.lines().collect::<Vec<_>>()[..] else { return None };
                ask(&["remote", "get-url", "--push", "--all", only])?
            }
        };
        let hosts: Option<Vec<Reach>> = addresses.lines().take(MAX_ADDRESSES + 1).map(of_address).collect();
        hosts.filter(|hosts| !hosts.is_empty() && hosts.len() <= MAX_ADDRESSES && !hosts.contains(&Reach::AnyHost))
    }
}
