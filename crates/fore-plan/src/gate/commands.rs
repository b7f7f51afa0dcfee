//! What a `Bash(…)` rule says about the commands in a text. An allow must cover all of them, a deny needs only one.

use crate::gate::rule::{CommandWords, RuleEffect, ShellContents};

/// The commands that a rule means.
#[derive(Clone, Debug)]
pub(super) enum CommandPattern {
    Any,
    /// `Bash(npm run test:*)` or `Bash(npm run test *)`: these words and anything after them.
    Prefix(Vec<String>),
    /// `Bash(git * main)`: the whole command with `*` for anything.
    Pattern(String),
}

/// Programs that run whatever their arguments say.
const INTERPRETERS: [&str; 28] = [
    "sh", "bash", "zsh", "dash", "ksh", "fish", "pwsh", "python", "node", "deno", "bun", "tsx", "ruby", "perl", "php",
    "lua", "awk", "npx", "uvx", "pipx", "env", "xargs", "sudo", "doas", "ssh", "eval", "exec", "busybox",
];
/// Those of them whose first word after the options is a program too.
const WRAPPERS: [&str; 7] = ["env", "xargs", "sudo", "doas", "ssh", "eval", "exec"];

impl CommandPattern {
    pub(super) fn parse(specifier: Option<&str>) -> CommandPattern {
        let words = |prefix: &str| CommandPattern::Prefix(prefix.split_whitespace().map(str::to_owned).collect());
        match specifier {
            None | Some("*" | ":*") => CommandPattern::Any,
            Some(specifier) => match (specifier.strip_suffix(":*"), specifier.strip_suffix(" *")) {
                (Some(prefix), _) => words(prefix),
                (None, Some(prefix)) if !prefix.contains('*') => words(prefix),
                (None, _) => CommandPattern::Pattern(specifier.into()),
            },
        }
    }

    /// Whether an allow of these would let anything run: any shell, interpreters, wrappers.
    pub(super) fn is_broad(&self) -> bool {
        let (program, next) = match self {
            CommandPattern::Any => return true,
            CommandPattern::Prefix(words) => (words.first().map(String::as_str), words.get(1).map(String::as_str)),
            CommandPattern::Pattern(pattern) => {
                let mut words = pattern.split_whitespace();
                (words.next(), words.next())
            }
        };
        let Some(program) = program.filter(|program| !program.contains('*')) else { return true };
        let name = unversioned(program);
        let is_open = next.is_none_or(|next| next.starts_with('-') || next.contains('*'));
        INTERPRETERS.contains(&name) && (is_open || WRAPPERS.contains(&name))
    }

    /// An allow must cover every command in the text; an ask or a deny needs only one, and doubt counts for it.
    pub(super) fn speak_of(&self, effect: RuleEffect, text: &str, inside: &ShellContents<'_>) -> bool {
        match (self, effect) {
            (CommandPattern::Any, _) => true,
            (_, RuleEffect::Allow) => {
                let is_covered = |words: &CommandWords| self.are(words);
                inside.is_complete && !inside.commands.is_empty() && inside.commands.iter().all(is_covered)
            }
            (_, RuleEffect::Ask | RuleEffect::Deny) => {
                let may_be_met = |words: &CommandWords| {
                    // What an unknown program is given may be what it runs, word by word or as one line.
                    let starts = if inside.runs_others { words.len() } else { 1 };
                    let mut lines = words.iter().flatten().filter(|word| word.contains(char::is_whitespace));
                    (0..starts).any(|start| words.get(start..).is_some_and(|words| self.may_be(words)))
                        || (inside.runs_others && lines.any(|line| self.names_words_of(line)))
                };
                self.is_the_text(text)
                    || inside.commands.iter().any(may_be_met)
                    || (!inside.is_complete && self.names_words_of(text))
            }
        }
    }

    /// Whether this is certainly one of the commands meant.
    fn are(&self, words: &CommandWords) -> bool {
        match self {
            CommandPattern::Any => true,
            CommandPattern::Prefix(prefix) => {
                let known = words.iter().map_while(Option::as_deref);
                prefix.len() <= words.len() && prefix.iter().map(String::as_str).eq(known.take(prefix.len()))
            }
            CommandPattern::Pattern(pattern) => {
                let line: Option<Vec<&str>> = words.iter().map(Option::as_deref).collect();
                line.is_some_and(|line| wildcard(pattern, &line.join(" ")))
            }
        }
    }

    /// Whether this may be one of the commands meant: the program counts by its last name, options before a word may
    /// be passed over, and a word that is decided at run time may be any word.
    fn may_be(&self, words: &[Option<String>]) -> bool {
        let Some((Some(program), rest)) = words.split_first() else { return false };
        match self {
            CommandPattern::Any => true,
            CommandPattern::Prefix(prefix) => match prefix.split_first() {
                None => true,
                Some((wanted, prefix)) => last_name(wanted) == last_name(program) && may_follow(prefix, rest),
            },
            CommandPattern::Pattern(pattern) => [program.as_str(), last_name(program)].iter().any(|program| {
                let known = rest.iter().map_while(Option::as_deref);
                let line: Vec<&str> = std::iter::once(*program).chain(known).collect();
                let is_whole = line.len() == words.len();
                let line = line.join(" ");
                if is_whole {
                    return wildcard(pattern, &line);
                }
                let head = pattern.split('*').next().unwrap_or_default();
                line.starts_with(head) || head.starts_with(&line)
            }),
        }
    }

    fn is_the_text(&self, text: &str) -> bool {
        matches!(self, CommandPattern::Pattern(pattern) if wildcard(pattern, text.trim()))
    }

    /// For texts that were not understood: do the words that the rule names occur at all?
    fn names_words_of(&self, text: &str) -> bool {
        let is_separator = |letter: char| !(letter.is_alphanumeric() || "._-+".contains(letter));
        let occurs = |word: &str| word.contains('*') || text.split(is_separator).any(|found| found == last_name(word));
        match self {
            CommandPattern::Any => true,
            CommandPattern::Prefix(words) => !words.is_empty() && words.iter().all(|word| occurs(word)),
            CommandPattern::Pattern(pattern) => pattern.split_whitespace().next().is_some_and(occurs),
        }
    }
}

/// Whether these words may come next, options and their values between them passed over. Linear in the words.
fn may_follow(wanted: &[String], words: &[Option<String>]) -> bool {
    let mut starts = vec![0];
    for wanted in wanted {
        let (mut next, mut seen) = (Vec::new(), vec![false; words.len()]);
        while let Some(at) = starts.pop() {
            let (Some(word), Some(seen)) = (words.get(at), seen.get_mut(at)) else { continue };
            if std::mem::replace(seen, true) {
                continue;
            }
            let Some(word) = word else { return true };
            if word == wanted {
                next.push(at + 1);
            }
            if word.starts_with('-') {
                starts.extend([at + 1, at + 2]);
            }
        }
        if next.is_empty() {
            return false;
        }
        starts = next;
    }
    true
}

/// Whether it runs whatever its arguments say.
pub(super) fn is_interpreter(program: &str) -> bool {
    INTERPRETERS.contains(&unversioned(program))
}

/// `python` for `/usr/bin/python3.12`.
fn unversioned(program: &str) -> &str {
    last_name(program).trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.')
}

fn last_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// `*` for anything, the rest as it stands. Linear: each star keeps its last place only.
pub(super) fn wildcard(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(previous) = last.replace(part) {
            let Some(at) = rest.find(previous) else { return false };
            rest = &rest[at + previous.len()..];
        }
    }
    match last {
        None => rest.is_empty(),
        Some(last) => rest.ends_with(last),
    }
}
