//! What objects of a repository hold, by their names: git prints them where it can change nothing.

use super::{BlockingFiles, GitProbe, MAX_ASKING, PersonGitConfig, ProbeRound};
use crate::cages::Cages;
use crate::environment::Environment;
use crate::git::GitReading;
use crate::job::{Job, JobCommand, RunLimits};
use fore_plan::{Cage, Outside};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

/// Objects of one question, and bytes of one answer.
const MAX_ASKED: usize = 400;
const MAX_BYTES: usize = 256 << 20;

impl<C: Borrow<Cages>> GitProbe<C> {
    /// The contents of these objects, as they are in the repository of a folder; those that are not there are left out.
    pub fn blobs(&self, folder: &Path, names: &[String]) -> HashMap<String, Vec<u8>> {
        let is_name = |name: &&String| name.len() >= 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let names: Vec<&String> = names.iter().filter(is_name).collect();
        let mut found = HashMap::new();
        for part in names.chunks(MAX_ASKED) {
            if let Some(answer) = self.printed(folder, part) {
                read_batch(&answer, &mut found);
            }
        }
        found
    }

    fn printed(&self, folder: &Path, names: &[&String]) -> Option<Vec<u8>> {
        let person = PersonGitConfig::of_this_process();
        let looked = BlockingFiles::at(folder, &person);
        if !looked.is_clear {
            return None;
        }
        let asking = ProbeRound { until: Instant::now() + MAX_ASKING, person, blank: looked.blank };
        let words: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
        let script = format!("printf '%s\\n' {} | git --no-replace-objects cat-file --batch", words.join(" "));
        let limits = RunLimits { time: MAX_ASKING, output_bytes: MAX_BYTES, ..RunLimits::default() };
        let environment = Environment::Exactly(asking.person.environment(folder));
        let git = GitReading { blank: asking.blank.clone(), ..GitReading::default() };
        let mut job = Job { limits, environment, git, ..Job::new(JobCommand::Script(script), folder) };
        let outcome = self.cages.borrow().run_in(&Cage::ReadOnly { outside: Outside::Closed }, &mut job).ok()?;
        (!outcome.stdout.truncated()).then(|| outcome.stdout.bytes())
    }
}

/// `NAME blob LENGTH`, the bytes, a line end; or `NAME missing`.
fn read_batch(mut rest: &[u8], found: &mut HashMap<String, Vec<u8>>) {
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let (head, after) = rest.split_at(end);
        let after = after.get(1..).unwrap_or_default();
        let head = String::from_utf8_lossy(head);
        let mut words = head.split(' ');
        let (name, kind, length) = (words.next(), words.next(), words.next());
        let length = length.and_then(|length| length.parse::<usize>().ok());
        match (name, kind, length) {
            (Some(name), Some("blob"), Some(length)) => {
                let Some(bytes) = after.get(..length) else { return };
                found.insert(name.to_owned(), bytes.to_vec());
                rest = after.get(length.saturating_add(1)..).unwrap_or_default();
            }
            (_, _, Some(length)) => rest = after.get(length.saturating_add(1)..).unwrap_or_default(),
            (_, _, None) => rest = after,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_read_by_its_lengths() {
        let mut found = HashMap::new();
        read_batch(b"aa blob 4\na\nb\n\nbb missing\ncc tree 2\nxx\ndd blob 0\n\nee blob 9\nshort\n", &mut found);
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort();
        assert_eq!(found, [("aa".to_owned(), b"a\nb\n".to_vec()), ("dd".to_owned(), Vec::new())]);
    }
}
