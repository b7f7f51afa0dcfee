//! A change of mode as everybody hears of it: from, to, by whom and why. Hosts, logs and transcripts have by and why as words;
//! the program compares variants.

use crate::{approval::Decider, change::Actor, mode::Mode, plan::PlanId};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A mode change as an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModeEvent {
    /// The mode before.
    pub from: Mode,
    /// The mode that holds now.
    pub to: Mode,
    /// Who changed it.
    pub by: ModeChanger,
    /// What it was changed for.
    pub why: ModeReason,
}

/// Whose doing a mode change is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModeChanger {
    /// Who switched.
    Actor(Actor),
    /// Who answered a request for approval.
    Decider(Decider),
    /// It follows from something else that happened.
    Program,
}

/// Why the mode changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum ModeReason {
    /// The program was started with this mode.
    Start,
    /// The person, or a host for them, named the mode.
    Chosen,
    /// The next stop of the mode cycle.
    Cycled,
    /// The person left plan mode without an answer to anything.
    Left,
    /// The model asked to plan first, and the person agreed.
    EnterConfirmed,
    /// Entries of the transcript were lost, and one of them may have begun planning.
    Damage,
    /// `permissions.defaultMode` is another one in a settings file that was read again.
    Settings,
    /// Without a language model every request is planned.
    NoModel,
    /// The plan was approved.
    Approved { plan: PlanId, revision: u32 },
    /// Plan mode was left as the answer to a request for approval.
    LeftAtApproval,
    /// The plan ended, and the level that it granted with it.
    PlanOver,
    /// What the session may use at all changed.
    Openings,
    /// The circuit breaker of auto mode.
    AutoClosed,
    /// It follows from something that was recorded.
    Recorded,
    /// Words of another program.
    Other(String),
}

/// The reasons of switches: what a transcript can hold as words, and is read back.
const SWITCHES: [ModeReason; 8] = [
    ModeReason::Start,
    ModeReason::Chosen,
    ModeReason::Cycled,
    ModeReason::Left,
    ModeReason::EnterConfirmed,
    ModeReason::Damage,
    ModeReason::Settings,
    ModeReason::NoModel,
];

/// The words that hosts read and transcripts hold: part of both formats, none of them may change.
impl fmt::Display for ModeReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ModeReason::Start => "start",
            ModeReason::Chosen => "chosen by the person",
            ModeReason::Cycled => "shift+tab",
            ModeReason::Left => "left by the person",
            ModeReason::EnterConfirmed => "EnterPlanMode, confirmed by the person",
            ModeReason::Settings => "the settings changed",
            ModeReason::Damage => "saved entries were damaged; what they said is unknown",
            ModeReason::NoModel => "no language model is set up, so the request is planned",
            ModeReason::Approved { plan, revision } => return write!(f, "plan {plan} revision {revision} approved"),
            ModeReason::LeftAtApproval => "left plan mode without approving the plan",
            ModeReason::PlanOver => "the plan is over, and the level it granted with it",
            ModeReason::Openings => "what this session may use at all changed",
            ModeReason::AutoClosed => "auto mode closed after too many blocked calls",
            ModeReason::Recorded => "it follows from what was recorded",
            ModeReason::Other(words) => words,
        })
    }
}

impl fmt::Display for ModeChanger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModeChanger::Actor(Actor::Person) => f.write_str("person"),
            ModeChanger::Actor(Actor::Model) => f.write_str("model"),
            ModeChanger::Actor(Actor::Settings) => f.write_str("settings"),
            ModeChanger::Actor(Actor::Breaker) => f.write_str("breaker"),
            ModeChanger::Decider(decider) => decider.fmt(f),
            ModeChanger::Program => f.write_str("program"),
        }
    }
}

impl Serialize for ModeReason {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ModeReason {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<ModeReason, D::Error> {
        let words = String::deserialize(from)?;
        let known = SWITCHES.into_iter().find(|reason| reason.to_string() == words);
        Ok(known.unwrap_or(ModeReason::Other(words)))
    }
}

impl Serialize for ModeChanger {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_switch_are_those_that_transcripts_hold_and_come_back_as_they_were() {
        let words: Vec<String> = SWITCHES.iter().map(ModeReason::to_string).collect();
        assert_eq!(
            words,
            [
                "start",
                "chosen by the person",
                "shift+tab",
                "left by the person",
                "EnterPlanMode, confirmed by the person",
                "saved entries were damaged; what they said is unknown",
                "the settings changed",
                "no language model is set up, so the request is planned",
            ]
        );
        let others =
            ["plan x#1 revision 2 approved", "/plan", "/plan off"].map(|words| ModeReason::Other(words.into()));
        for reason in SWITCHES.into_iter().chain(others) {
            let json = serde_json::to_string(&reason).unwrap();
            assert_eq!(json, format!("\"{reason}\""));
            assert_eq!(serde_json::from_str::<ModeReason>(&json).unwrap(), reason);
        }
    }
}
