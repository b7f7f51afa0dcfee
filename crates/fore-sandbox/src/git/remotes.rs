//! Whom a git remote is: asked of git itself, which knows about `insteadOf`, `pushurl` and the branch that is checked out.

use super::{Asking, Looked, MAX_ASKING, Person, Probe};
use crate::cages::Cages;
use fore_shell::{Direction, Reach, git::operands::of_address};
use std::borrow::Borrow;
use std::path::Path;
use std::time::Instant;

/// Addresses of one remote; who names more is not understood.
const MAX_ADDRESSES: usize = 4;

impl<C: Borrow<Cages>> Probe<C> {
    /// The hosts of a remote; none where git does not say, or says something that is not certainly a host.
    pub(super) fn remote(&self, folder: &Path, name: Option<&str>, direction: Direction) -> Option<Vec<Reach>> {
        let person = Person::of_this_process();
        let Looked { blank, .. } = Some(Looked::at(folder, &person)).filter(|looked| looked.is_clear)?;
        let asking = Asking { until: Instant::now() + MAX_ASKING, person, blank };
        let ask = |words: &[&str]| match self.git(folder, words, &asking)? {
            (0, answer, _) => Some(answer),
            _ => None,
        };
        let addresses = match (direction, name) {
            (Direction::Fetch, Some(name)) => ask(&["ls-remote", "--get-url", name])?,
            (Direction::Fetch, None) => ask(&["ls-remote", "--get-url"])?,
            (Direction::Push, Some(name)) => ask(&["remote", "get-url", "--push", "--all", name])?,
            (Direction::Push, None) => {
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
