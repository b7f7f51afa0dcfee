//! What a finished draft is: words for the model, a slash command, or a command of the person's own. It sends nothing.

use super::{Composer, ComposerStep};
use fore_agent::PromptTiming;

/// What the person sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Submission {
    /// Words for the model.
    Prompt { text: String, when: PromptTiming },
    /// `/name words`.
    Slash { name: String, words: String },
    /// `!line`: the person's own command, not the agent's.
    Own { line: String },
}

impl Submission {
    /// As it would be typed again, for the history that is kept.
    pub(crate) fn typed(&self) -> String {
        match self {
            Submission::Prompt { text, .. } if kind(text) == SubmissionKind::Prompt => text.clone(),
            Submission::Prompt { text, .. } => format!(" {text}"),
            Submission::Slash { name, words } if words.is_empty() => format!("/{name}"),
            Submission::Slash { name, words } => format!("/{name} {words}"),
            Submission::Own { line } => format!("!{line}"),
        }
    }
}

impl Composer {
    /// Enter: the draft is finished.
    pub(super) fn submit(&mut self, when: PromptTiming) -> ComposerStep {
        let shown = self.draft.shown();
        if let Some(words) = unfinished(&shown) {
            self.quiet = false;
            self.propose();
            return ComposerStep::Refused(words.into());
        }
        match submission(&shown, when, |text| self.draft.expand(text)) {
            Some(submission) => {
                self.recall.remember(self.draft.expanded());
                self.reset();
                ComposerStep::Submit(submission)
            }
            None => ComposerStep::Nothing,
        }
    }
}

/// What the draft would be, by how it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SubmissionKind {
    Prompt,
    Slash,
    Own,
}

pub(super) fn kind(shown: &str) -> SubmissionKind {
    if shown.starts_with('!') {
        SubmissionKind::Own
    } else if slash_name(shown).is_some() {
        SubmissionKind::Slash
    } else {
        SubmissionKind::Prompt
    }
}

/// The name, if the text looks like a command: `/usr/bin is odd` is none.
fn slash_name(shown: &str) -> Option<&str> {
    let rest = shown.strip_prefix('/')?;
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let name = rest.get(..end)?;
    let letters = |letter: char| letter.is_ascii_alphanumeric() || "-_:".contains(letter);
    (name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.chars().all(letters)).then_some(name)
}

/// Reads a draft; nothing, if there is nothing to send. How it begins is judged before chips are made whole, so that no
/// pasted text becomes a command by itself.
fn submission(shown: &str, when: PromptTiming, whole: impl Fn(&str) -> String) -> Option<Submission> {
    match kind(shown) {
        SubmissionKind::Own => {
            let line = whole(shown.strip_prefix('!')?).trim().to_owned();
            (!line.is_empty()).then_some(Submission::Own { line })
        }
        SubmissionKind::Slash => {
            let name = slash_name(shown)?;
            let words = whole(shown.get(name.len() + 1..)?).trim().to_owned();
            Some(Submission::Slash { name: name.to_ascii_lowercase(), words })
        }
        SubmissionKind::Prompt => {
            let text = whole(unescaped(shown)).trim_end().to_owned();
            (!text.trim().is_empty()).then_some(Submission::Prompt { text, when })
        }
    }
}

/// What is said where only the sign of a command was written: it is a slip, and no model is asked about it.
fn unfinished(shown: &str) -> Option<&'static str> {
    match shown.trim_end() {
        "/" => Some("nothing sent: Up and Down choose a command"),
        "!" => Some("write a command after !; it runs even in plan mode"),
        _ => None,
    }
}

/// Takes away what kept the first letter from being a command.
fn unescaped(shown: &str) -> &str {
    let begun = shown.trim_start();
    match begun.strip_prefix('\\') {
        Some(rest) if rest.starts_with(['/', '!']) => rest,
        _ if begun.starts_with(['/', '!']) => begun,
        // Spaces before the first letter of code matter, empty lines do not.
        _ => shown.trim_start_matches('\n'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(shown: &str) -> Option<Submission> {
        submission(shown, PromptTiming::Queue, str::to_owned)
    }

    #[test]
    fn how_a_draft_begins_says_what_it_is() {
        let prompt = |text: &str| Some(Submission::Prompt { text: text.into(), when: PromptTiming::Queue });
        let slash = |name: &str, words: &str| Some(Submission::Slash { name: name.into(), words: words.into() });
        let own = |line: &str| Some(Submission::Own { line: line.into() });
        let page = [
            ("Why is login slow?", prompt("Why is login slow?")),
            ("/plan", slash("plan", "")),
            ("/Plan", slash("plan", "")),
            ("/plan  make login\nfast ", slash("plan", "make login\nfast")),
            ("/plan open", slash("plan", "open")),
            ("/usr/bin is odd", prompt("/usr/bin is odd")),
            ("/etc/hosts", prompt("/etc/hosts")),
            ("/ is the root", prompt("/ is the root")),
            ("/-x", prompt("/-x")),
            ("/8", prompt("/8")),
            ("/git:commit_2 fix it", slash("git:commit_2", "fix it")),
            ("/https://docs.rs", prompt("/https://docs.rs")),
            (" /plan", prompt("/plan")),
            ("\\/plan is a command", prompt("/plan is a command")),
            ("!git status", own("git status")),
            ("! git status ", own("git status")),
            (" !important", prompt("!important")),
            ("\\!important", prompt("!important")),
            ("\\n is a line break", prompt("\\n is a line break")),
            ("\n\n    let x = 1;\n", prompt("    let x = 1;")),
            ("", None),
            (" \n ", None),
            ("!", None),
            ("! ", None),
        ];
        for (shown, expected) in page {
            assert_eq!(read(shown), expected, "{shown:?}");
        }
    }

    #[test]
    fn what_is_kept_for_the_history_means_the_same_when_it_is_sent_again() {
        for shown in ["Why?", "/plan", "/plan fix it", "!ls -l", " /plan", "\\!important"] {
            let sent = read(shown).expect("something to send");
            assert_eq!(read(&sent.typed()), Some(sent), "{shown:?}");
        }
    }
}
