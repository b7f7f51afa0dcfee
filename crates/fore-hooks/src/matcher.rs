//! Which calls, sources or agents a hook is for.

use fore_plan::ToolName;
use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use std::fmt;

/// Memory that a pattern may take.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// The `matcher` of a hook: nothing or `*` for all, names, or a pattern.
#[derive(Clone)]
pub struct HookMatcher {
    text: String,
    how: Matching,
}

#[derive(Clone)]
enum Matching {
    All,
    Names(Vec<String>),
    Pattern(Box<RegexMatcher>),
    /// A pattern that is none: the hook runs, so that a guard with a slip in it still guards.
    Unreadable(String),
}

impl HookMatcher {
    /// Reads one. Letters, digits, `_`, `-`, blanks, `,` and `|` are names; anything else is a pattern that may match anywhere.
    pub fn new(text: &str) -> HookMatcher {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_- ,|".contains(letter);
        let how = match text.trim() {
            "" | "*" => Matching::All,
            names if names.chars().all(is_plain) => {
                let names = names.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
                Matching::Names(names.map(str::to_owned).collect())
            }
            pattern => match RegexMatcherBuilder::new().size_limit(MAX_PATTERN_BYTES).build(pattern) {
                Ok(pattern) => Matching::Pattern(Box::new(pattern)),
                Err(error) => Matching::Unreadable(fore_text::cut::one_line(&error.to_string())),
            },
        };
        HookMatcher { text: text.to_owned(), how }
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Why the pattern cannot be read; such a hook runs each time.
    pub fn problem(&self) -> Option<&str> {
        match &self.how {
            Matching::Unreadable(why) => Some(why),
            Matching::All | Matching::Names(_) | Matching::Pattern(_) => None,
        }
    }

    /// Whether it is meant: by the name of a tool, an agent, a source. An event without one is always meant.
    pub fn matches(&self, subject: Option<&str>) -> bool {
        let Some(subject) = subject else { return true };
        match &self.how {
            Matching::All | Matching::Unreadable(_) => true,
            Matching::Names(names) => names.iter().any(|name| name == subject || is_same_tool(name, subject)),
            // A name that cannot be searched is no reason to leave a guard out.
            Matching::Pattern(pattern) => {
                all_names(subject).any(|name| pattern.is_match(name.as_bytes()).unwrap_or(true))
            }
        }
    }
}

/// Tools have other names in other agents, and hooks are written for those.
fn is_same_tool(name: &str, subject: &str) -> bool {
    let tool = ToolName::from_called(name);
    tool.is_some() && tool == ToolName::from_called(subject)
}

/// The name as it was called, and the tool's own.
fn all_names(subject: &str) -> impl Iterator<Item = &str> {
    std::iter::once(subject).chain(ToolName::from_called(subject).map(ToolName::name))
}

impl fmt::Debug for HookMatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HookMatcher").field(&self.text).finish()
    }
}

impl PartialEq for HookMatcher {
    fn eq(&self, other: &HookMatcher) -> bool {
        self.text == other.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matcher_is_names_or_a_pattern_and_one_that_cannot_be_read_leaves_nothing_out() {
        let page = [
            ("", "Bash", true),
            ("*", "Bash", true),
            (" * ", "Bash", true),
            ("Bash", "Bash", true),
            ("Bash", "BashOutput", false),
            ("bash", "Grep", false),
            ("Edit|Write", "Write", true),
            ("Edit, Write", "Write", true),
            ("Edit|Write", "MultiEdit", false),
            ("Edit.*", "MultiEdit", true),
            ("^Edit$", "MultiEdit", false),
            ("mcp__memory", "mcp__memory__read", false),
            ("mcp__memory__.*", "mcp__memory__read", true),
            ("Task", "Agent", true),
            ("(", "Bash", true),
            ("(?=Bash)", "Grep", true),
        ];
        for (matcher, subject, expected) in page {
            assert_eq!(HookMatcher::new(matcher).matches(Some(subject)), expected, "{matcher} {subject}");
        }
        assert!(HookMatcher::new("Bash").matches(None), "an event without a name is always meant");
        assert!(HookMatcher::new("(").problem().is_some() && HookMatcher::new("Bash.*").problem().is_none());
    }
}
