//! Levels and modes: how much may happen without asking, and the one word people see for it.
//!
//! Planning lies over the level and never replaces it, so a mode is computed and never stored.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// How much may happen without asking, when not planning. Ordered from careful to careless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Level {
    /// Each change is asked for.
    Default,
    /// File edits pass, the rest asks.
    AcceptEdits,
    /// A classifier decides instead of the person.
    Auto,
    /// Nothing asks; deny rules still hold.
    BypassPermissions,
}

/// What people see: planning, or the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Nothing may change.
    Plan,
    /// Work, with so much that may happen without asking.
    At(Level),
}

/// Which careless levels this session may use at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Openings {
    /// The person trusts this folder.
    pub folder_trusted: bool,
    /// The person opted in to auto mode.
    pub auto_opted_in: bool,
    /// Auto mode's circuit breaker has not tripped and its classifier is reachable.
    pub auto_gate_open: bool,
    /// The program was started with permission to bypass.
    pub bypass_permitted: bool,
}

impl Openings {
    /// Nothing beyond `default`.
    pub const CLOSED: Openings =
        Openings { folder_trusted: false, auto_opted_in: false, auto_gate_open: false, bypass_permitted: false };

    /// A trusted folder, without auto and bypass.
    pub const TRUSTED: Openings = Openings { folder_trusted: true, ..Openings::CLOSED };

    /// Whether auto mode may be used now.
    pub(crate) fn auto(&self) -> bool {
        self.allow(Level::Auto)
    }

    /// Whether a level may be used at all.
    pub(crate) fn allow(&self, level: Level) -> bool {
        match level {
            Level::Default => true,
            Level::AcceptEdits => self.folder_trusted,
            Level::Auto => self.folder_trusted && self.auto_opted_in && self.auto_gate_open,
            Level::BypassPermissions => self.folder_trusted && self.bypass_permitted,
        }
    }
}

impl Level {
    /// Every level.
    #[cfg(test)]
    pub(crate) const ALL: [Level; 4] = [Level::Default, Level::AcceptEdits, Level::Auto, Level::BypassPermissions];

    /// The word for it in settings and transcripts.
    pub fn name(self) -> &'static str {
        match self {
            Level::Default => "default",
            Level::AcceptEdits => "acceptEdits",
            Level::Auto => "auto",
            Level::BypassPermissions => "bypassPermissions",
        }
    }
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 5] = [
        Mode::Plan,
        Mode::At(Level::Default),
        Mode::At(Level::AcceptEdits),
        Mode::At(Level::Auto),
        Mode::At(Level::BypassPermissions),
    ];

    /// The word for it in settings and transcripts.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Plan => "plan",
            Mode::At(level) => level.name(),
        }
    }

    /// The next stop of Shift+Tab: default → acceptEdits → plan → auto → bypassPermissions → default, closed ones left out.
    pub fn next_in_cycle(self, openings: &Openings) -> Mode {
        let all = [
            Mode::At(Level::Default),
            Mode::At(Level::AcceptEdits),
            Mode::Plan,
            Mode::At(Level::Auto),
            Mode::At(Level::BypassPermissions),
        ];
        let here = all.iter().position(|mode| *mode == self).unwrap_or(0);
        (1..=all.len())
            .map(|step| all[(here + step) % all.len()])
            .find(|mode| mode.is_open(openings))
            .unwrap_or(Mode::At(Level::Default))
    }

    /// Whether it is closed in a folder that the person does not trust, whatever else is open.
    pub fn needs_trust(self) -> bool {
        let all_but_trust =
            Openings { folder_trusted: false, auto_opted_in: true, auto_gate_open: true, bypass_permitted: true };
        !self.is_open(&all_but_trust)
    }

    fn is_open(self, openings: &Openings) -> bool {
        match self {
            Mode::Plan => true,
            Mode::At(level) => openings.allow(level),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Longer than every name of a mode.
const MAX_NAME_BYTES: usize = 40;

/// A word that names no mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a mode; the modes are default, acceptEdits, plan, auto and bypassPermissions")]
pub struct UnknownMode(pub String);

impl FromStr for Mode {
    type Err = UnknownMode;

    /// Reads a mode by its name or one of the names other tools use. Capitals and small letters are the same, and so
    /// are `auto-edit`, `auto_edit` and `autoEdit`.
    fn from_str(word: &str) -> Result<Mode, UnknownMode> {
        let unknown = || UnknownMode(word.chars().take(40).collect());
        if word.len() > MAX_NAME_BYTES {
            return Err(unknown());
        }
        match word.to_ascii_lowercase().as_str() {
            "plan" => Ok(Mode::Plan),
            "default" | "agent" => Ok(Mode::At(Level::Default)),
            "acceptedits" | "accept-edits" | "accept_edits" | "autoedit" | "auto-edit" | "auto_edit" => {
                Ok(Mode::At(Level::AcceptEdits))
            }
            "auto" => Ok(Mode::At(Level::Auto)),
            "bypasspermissions" | "bypass-permissions" | "bypass_permissions" | "yolo" => {
                Ok(Mode::At(Level::BypassPermissions))
            }
            _ => Err(unknown()),
        }
    }
}

impl Serialize for Mode {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Mode {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Mode, D::Error> {
        let word = String::deserialize(from)?;
        word.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERYTHING: Openings =
        Openings { folder_trusted: true, auto_opted_in: true, auto_gate_open: true, bypass_permitted: true };

    fn round(openings: &Openings) -> String {
        let mut mode = Mode::At(Level::Default);
        let mut names = vec![mode.name()];
        loop {
            mode = mode.next_in_cycle(openings);
            names.push(mode.name());
            if mode == Mode::At(Level::Default) {
                return names.join(" ");
            }
        }
    }

    #[test]
    fn a1_every_mode_is_read_by_its_name_and_its_other_names() {
        let page = [
            ("default", "default"),
            ("agent", "default"),
            ("acceptEdits", "acceptEdits"),
            ("auto-edit", "acceptEdits"),
            ("auto_edit", "acceptEdits"),
            ("plan", "plan"),
            ("auto", "auto"),
            ("bypassPermissions", "bypassPermissions"),
            ("yolo", "bypassPermissions"),
            ("Plan", "plan"),
            ("PLAN", "plan"),
            ("Agent", "default"),
            ("DEFAULT", "default"),
            ("AutoEdit", "acceptEdits"),
            ("AUTO_EDIT", "acceptEdits"),
            ("acceptedits", "acceptEdits"),
            ("accept_edits", "acceptEdits"),
            ("Auto", "auto"),
            ("YOLO", "bypassPermissions"),
            ("BYPASS_PERMISSIONS", "bypassPermissions"),
        ];
        for (word, name) in page {
            assert_eq!(word.parse::<Mode>().map(Mode::name), Ok(name), "{word}");
        }
    }

    #[test]
    fn a1_an_unknown_mode_is_refused_with_the_names_that_exist() {
        assert_eq!(
            "turbo".parse::<Mode>().unwrap_err().to_string(),
            "`turbo` is not a mode; the modes are default, acceptEdits, plan, auto and bypassPermissions"
        );
        for word in ["", " plan", "plan ", "p-lan", "plann", "\u{ff50}lan", &"plan".repeat(1000)] {
            assert!(word.parse::<Mode>().is_err(), "{word}");
        }
    }

    #[test]
    fn a5_the_cycle_shows_only_what_is_open() {
        assert_eq!(round(&Openings::TRUSTED), "default acceptEdits plan default");
        assert_eq!(round(&EVERYTHING), "default acceptEdits plan auto bypassPermissions default");
        let tripped = Openings { auto_gate_open: false, ..EVERYTHING };
        assert_eq!(round(&tripped), "default acceptEdits plan bypassPermissions default");
    }

    #[test]
    fn a7_an_untrusted_folder_cycles_between_default_and_plan() {
        let untrusted = Openings { folder_trusted: false, ..EVERYTHING };
        assert_eq!(round(&untrusted), "default plan default");
        let closed: Vec<_> = Mode::ALL.into_iter().filter(|mode| mode.needs_trust()).map(Mode::name).collect();
        assert_eq!(closed, ["acceptEdits", "auto", "bypassPermissions"]);
    }

    #[test]
    fn a5_a_mode_that_has_closed_leads_back_into_the_cycle() {
        assert_eq!(Mode::At(Level::Auto).next_in_cycle(&Openings::TRUSTED), Mode::At(Level::Default));
    }
}
