//! Work that git has stopped in the middle of and goes on with when it is told to: what of it would start programs.

use crate::small_file::{self, LinkPolicy};
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A list of steps or options that is longer is not looked through.
const MAX_BYTES: u64 = 1 << 20;
/// As much as is remembered of one file.
const MAX_REMEMBERED: usize = 16 << 10;

/// The steps of a rebase that start nothing by themselves, with their short names.
const QUIET_STEPS: &str =
    "pick p reword r edit e squash s fixup f break b drop d label l reset t merge m noop revert update-ref u";

/// Ways to merge that are git's own; another one is a program `git-merge-…`.
const OWN_STRATEGIES: [&str; 6] = ["ort", "recursive", "resolve", "octopus", "ours", "subtree"];

/// Finds the lines of a text that start programs.
type CommandFinder = fn(&str) -> Vec<&str>;

/// What would be started from a git folder, by the file that says so. Two looks are compared: what is new was not the person's.
pub(crate) fn commands(folder: &Path) -> BTreeSet<(PathBuf, String)> {
    let mut commands = BTreeSet::new();
    let looks: [(&str, CommandFinder); 3] =
        [("rebase-merge/git-rebase-todo", steps), ("rebase-merge/strategy", strategy), ("sequencer/opts", options)];
    for (name, look) in looks {
        let file = folder.join(name);
        let Ok(found) = file.symlink_metadata() else { continue };
        let read =
            small_file::read(&file, LinkPolicy::Followed, MAX_BYTES).and_then(|bytes| String::from_utf8(bytes).ok());
        match read
            .as_deref()
            .map(look)
            .filter(|lines| lines.iter().map(|line| line.len()).sum::<usize>() <= MAX_REMEMBERED)
        {
            Some(lines) => commands.extend(lines.into_iter().map(|line| (file.clone(), line.to_owned()))),
            // What was not read to its end may say anything; it stays the same as long as nobody touches it.
            None => {
                let stamp = (found.ino(), found.len(), found.ctime(), found.ctime_nsec());
                commands.insert((file, format!("{stamp:?}")));
            }
        }
    }
    commands
}

/// The steps of a rebase that are commands, or that nobody knows.
fn steps(text: &str) -> Vec<&str> {
    let is_quiet = |line: &&str| {
        let word = line.split([' ', '\t', '\r']).next().unwrap_or_default();
        // A remark begins with a sign of the person's choice.
        !word.starts_with(|sign: char| sign.is_alphabetic()) || QUIET_STEPS.split(' ').any(|quiet| quiet == word)
    };
    text.split('\n').map(|line| line.trim_matches([' ', '\t', '\r'])).filter(|line| !is_quiet(line)).collect()
}

fn strategy(text: &str) -> Vec<&str> {
    let name = text.trim_end_matches(['\n', '\r']);
    if name.is_empty() || OWN_STRATEGIES.contains(&name) { Vec::new() } else { vec![name] }
}

/// The same among the options of a cherry-pick, which are settings. Anything that is not a line as git writes it counts.
fn options(text: &str) -> Vec<&str> {
    let is_quiet = |line: &&str| match line.split_once(" = ") {
        Some(("strategy", name)) => OWN_STRATEGIES.contains(&name),
        Some((name, _)) => {
            matches!(
                name,
                "no-commit"
                    | "edit"
                    | "signoff"
                    | "record-origin"
                    | "allow-ff"
                    | "mainline"
                    | "gpg-sign"
                    | "strategy-option"
                    | "allow-rerere-auto"
                    | "default-msg-cleanup"
                    | "allow-empty"
                    | "allow-empty-message"
                    | "keep-redundant-commits"
                    | "drop-redundant-commits"
            ) && !line.ends_with('\\')
        }
        None => matches!(*line, "" | "[options]"),
    };
    text.split('\n').map(|line| line.trim_matches([' ', '\t'])).filter(|line| !is_quiet(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_start_programs_are_found_and_ordinary_ones_are_not() {
        let ordinary = "pick 1a2b one\nreword 1a2b x\n  fixup -C 1a2b y\nlabel onto\nmerge -C 1a2b topic # x\nupdate-ref refs/heads/x\n\
                        break\nnoop\n\n# exec in a remark\n; x exec\nd 1a2b\n";
        assert_eq!(steps(ordinary), Vec::<&str>::new());
        let page = ["exec make", "x make", "\texec\tmake", "x", "execute make", "unknown 1a2b"];
        for line in page {
            assert_eq!(steps(&format!("pick 1a2b one\n{line}\n")), [line.trim()], "{line}");
        }
    }

    #[test]
    fn a_way_to_merge_that_is_not_gits_own_is_a_program() {
        assert_eq!(strategy("ort\n"), Vec::<&str>::new());
        assert_eq!(strategy("evil\n"), ["evil"]);
        assert_eq!(options("[options]\n\tsignoff = true\n\tstrategy = ort\n"), Vec::<&str>::new());
        assert_eq!(options("[options]\n\tstrategy = evil\n"), ["strategy = evil"]);
        assert_eq!(options("[options] strategy = evil\n"), ["[options] strategy = evil"]);
        assert_eq!(options("[options]\nstrategy=evil\n"), ["strategy=evil"]);
        assert_eq!(options("[options]\n\tmainline = \\\n"), ["mainline = \\"]);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "makes the files that are looked at")]
    fn what_cannot_be_read_to_its_end_counts_until_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rebase-merge/git-rebase-todo");
        std::fs::create_dir(folder.path().join("rebase-merge")).unwrap();
        std::fs::write(&file, "#".repeat(1 << 20) + "\nexec x\n").unwrap();
        let before = commands(folder.path());
        assert_eq!(before.len(), 1);
        assert_eq!(commands(folder.path()), before);
        std::fs::write(&file, "#".repeat(1 << 20) + "\nexec y or z\n").unwrap();
        assert_ne!(commands(folder.path()), before);
        std::fs::write(&file, "pick 1a2b one\n").unwrap();
        assert!(commands(folder.path()).is_empty());
    }
}
