//! A key that can be sent to a server and never shown: no Debug, Display, serialisation or error prints it.

use std::fmt;

const SHOWN: &str = "[hidden]";

/// A key. Comparing, logging and serialising it is not offered; `reveal` is used by `auth` alone.
#[derive(Clone)]
pub struct Secret(Box<str>);

impl Secret {
    /// Takes the text without the white space around it: key commands end with a newline.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.trim().into())
    }

    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Replaces every appearance of the key in `text`; servers like to quote what was sent to them.
    #[must_use]
    pub(crate) fn scrub(&self, text: &str) -> String {
        // Very short keys ("x", "none") are placeholders for local servers; hiding them would garble ordinary words.
        if self.0.len() < 6 || !text.contains(&*self.0) {
            return text.to_owned();
        }
        text.replace(&*self.0, SHOWN)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(SHOWN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(SHOWN)
    }
}

impl serde::Serialize for Secret {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(SHOWN)
    }
}

impl<'de> serde::Deserialize<'de> for Secret {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <std::borrow::Cow<'de, str>>::deserialize(deserializer).map(|text| Self::new(&text))
    }
}

/// Where a key came from, so that a refused key can be named without being shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// A variable of the environment, by name.
    Variable(String),
    /// The command that the settings name.
    Command,
    /// The keyring of the system.
    Keyring,
    /// The settings themselves.
    Settings,
    /// There is none.
    Nowhere,
}

impl fmt::Display for KeySource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(formatter, "the variable {name}"),
            Self::Command => formatter.write_str("the output of apiKeyCommand"),
            Self::Keyring => formatter.write_str("the system keyring"),
            Self::Settings => formatter.write_str("the settings"),
            Self::Nowhere => formatter.write_str("nowhere: no key was found"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-very-secret-0123456789";

    #[test]
    fn a_key_is_never_printed() {
        let secret = Secret::new(KEY);
        let printed = format!("{secret} {secret:?} {:#?} {}", Some(&secret), serde_json::to_string(&secret).unwrap());
        assert_eq!(printed, "[hidden] [hidden] Some(\n    [hidden],\n) \"[hidden]\"");
    }

    #[test]
    fn a_quoted_key_is_scrubbed_from_messages() {
        let message = format!("Incorrect API key provided: {KEY}. {KEY}!");
        assert_eq!(Secret::new(KEY).scrub(&message), "Incorrect API key provided: [hidden]. [hidden]!");
        assert_eq!(Secret::new("none").scrub("none of these"), "none of these");
    }

    #[test]
    fn the_newline_after_a_command_output_is_not_part_of_the_key() {
        assert_eq!(Secret::new("  abc\n").reveal(), "abc");
        assert!(Secret::new(" \n").is_empty());
    }
}
