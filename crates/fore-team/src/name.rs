//! Names of teams and members: one strict grammar, so that a name is never a path, an order or a look-alike.

use crate::error::TeamError;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The longest name.
const MAX_NAME_CHARS: usize = 32;
/// Words that mean somebody else, or everybody.
const RESERVED: [&str; 10] = ["all", "everyone", "me", "nobody", "person", "self", "system", "team", "user", "you"];

/// A team's name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TeamName(String);

/// The name of a member of a team.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MemberName(String);

impl TeamName {
    /// Its letters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl MemberName {
    /// Its letters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Small letters, digits and single `-` between them, beginning with a letter.
fn checked(what: &'static str, text: &str) -> Result<String, TeamError> {
    let bytes = text.as_bytes();
    let letters = bytes.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-');
    let ends = bytes.first().is_some_and(u8::is_ascii_lowercase) && !text.ends_with('-');
    if bytes.len() > MAX_NAME_CHARS || !letters || !ends || text.contains("--") || RESERVED.contains(&text) {
        let shown = fore_text::cut::ellipsis(text, 80).into_owned();
        return Err(TeamError::BadName { what, name: shown });
    }
    Ok(text.to_owned())
}

impl FromStr for TeamName {
    type Err = TeamError;

    fn from_str(text: &str) -> Result<TeamName, TeamError> {
        checked("team", text).map(TeamName)
    }
}

impl FromStr for MemberName {
    type Err = TeamError;

    fn from_str(text: &str) -> Result<MemberName, TeamError> {
        checked("member", text).map(MemberName)
    }
}

impl TryFrom<String> for TeamName {
    type Error = TeamError;

    fn try_from(text: String) -> Result<TeamName, TeamError> {
        text.parse()
    }
}

impl TryFrom<String> for MemberName {
    type Error = TeamError;

    fn try_from(text: String) -> Result<MemberName, TeamError> {
        text.parse()
    }
}

impl From<TeamName> for String {
    fn from(name: TeamName) -> String {
        name.0
    }
}

impl From<MemberName> for String {
    fn from(name: MemberName) -> String {
        name.0
    }
}

impl fmt::Display for TeamName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for MemberName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_small_letters_digits_and_single_dashes() {
        let good = ["a", "ada", "code-reviewer", "worker-2", "x1", "abcdefghijklmnopqrstuvwxyzabcdef"];
        for name in good {
            assert!(name.parse::<MemberName>().is_ok(), "{name}");
            assert!(name.parse::<TeamName>().is_ok(), "{name}");
        }
        let bad = [
            "",
            "-a",
            "a-",
            "a--b",
            "1a",
            "Ada",
            "a b",
            "a.b",
            ".",
            "..",
            "../lead",
            "a/b",
            "/etc",
            "a\0b",
            "a\nb",
            "аda",
            "leаd",
            "lead\u{200b}",
            "ＬＥＡＤ",
            "ſ",
            "é",
            "new",
            "cur",
            "all",
            "you",
            "person",
            "abcdefghijklmnopqrstuvwxyzabcdefg",
            "a\\b",
            "~",
            "$HOME",
            "a;b",
            "a'b",
        ];
        for name in bad {
            let ordinary = ["new", "cur"].contains(&name);
            assert_eq!(name.parse::<MemberName>().is_ok(), ordinary, "{name:?}");
            assert_eq!(serde_json::from_value::<MemberName>(name.into()).is_ok(), ordinary, "{name:?}");
        }
    }

    #[test]
    fn a_refused_name_says_what_a_name_looks_like() {
        let error = "../lead".parse::<MemberName>().unwrap_err().to_string();
        assert_eq!(
            error,
            "`../lead` cannot be the name of a member: use up to 32 small letters, digits and single `-`, beginning with a letter"
        );
    }
}
