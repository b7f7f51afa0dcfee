//! What a person can choose about planning, read from setting and environment strings. Never reads the environment itself.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The chosen way to plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workflow {
    /// The way to a plan.
    pub kind: WorkflowKind,
    /// How long it may be.
    pub length: PlanLength,
    /// How many subagents help.
    pub agents: Agents,
}

/// The way to a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkflowKind {
    /// Explore, design, review, write, hand in.
    #[default]
    FivePhases,
    /// Ask the person as it goes, and write as answers come.
    Interview,
}

/// How long a plan may get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanLength {
    /// Reasons, approach, files, reuse and checks.
    #[default]
    Control,
    /// The same, with the reasons in one line.
    Trim,
    /// No reasons; most plans fit in 40 lines.
    Cut,
    /// No reasons, and 40 lines are the limit.
    Cap,
}

/// When the model is told to start planning by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trigger {
    /// Before everything that is more than a small edit.
    #[default]
    Eager,
    /// Only when the approach is really unclear.
    Reserved,
}

/// How many agents one round of planning may start, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agents {
    /// Those that look around.
    pub explore: AgentCount,
    /// Those that design.
    pub plan: AgentCount,
    /// How the former start.
    pub order: ExploreOrder,
}

impl Default for Agents {
    fn default() -> Self {
        Self { explore: AgentCount(3), plan: AgentCount(1), order: ExploreOrder::Parallel }
    }
}

/// How exploring subagents start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExploreOrder {
    /// All at once.
    #[default]
    Parallel,
    /// One after the other.
    Sequential,
}

/// A number of agents from 1 to 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct AgentCount(u8);

impl AgentCount {
    pub(crate) fn new(count: u8) -> Option<Self> {
        (1..=10).contains(&count).then_some(Self(count))
    }

    /// The number.
    pub fn get(self) -> u8 {
        self.0
    }
}

impl TryFrom<u8> for AgentCount {
    type Error = String;

    fn try_from(count: u8) -> Result<Self, String> {
        Self::new(count).ok_or_else(|| format!("{count} is not a number of agents from 1 to 10"))
    }
}

impl From<AgentCount> for u8 {
    fn from(count: AgentCount) -> u8 {
        count.0
    }
}

impl fmt::Display for AgentCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Why a value was ignored, as a sentence for the log and the person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Warning(pub String);

/// A number of agents from a setting or an environment variable. `name` is only for the warning.
pub fn agent_count(name: &str, text: &str) -> Result<AgentCount, Warning> {
    let digits = text.trim();
    // `parse` alone would take a sign.
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain
        .then(|| digits.parse().ok())
        .flatten()
        .and_then(AgentCount::new)
        .ok_or_else(|| Warning(format!("{name} is ignored: {} is not a whole number from 1 to 10.", shown(text))))
}

/// Whether the interview is switched on or off; `None` where the variable is empty and decides nothing.
pub fn interview_switch(name: &str, text: &str) -> Result<Option<WorkflowKind>, Warning> {
    match text.trim().to_ascii_lowercase().as_str() {
        "" => Ok(None),
        "1" | "true" | "yes" | "on" => Ok(Some(WorkflowKind::Interview)),
        "0" | "false" | "no" | "off" => Ok(Some(WorkflowKind::FivePhases)),
        _ => Err(Warning(format!(
            "{name} is ignored: {} is neither on (1, true, yes, on) nor off (0, false, no, off).",
            shown(text)
        ))),
    }
}

/// A value that is none of the words a setting knows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is not one of: {known}", shown(value))]
pub struct UnknownSetting {
    /// What was written.
    pub value: String,
    /// What could have been.
    pub known: &'static str,
}

fn shown(text: &str) -> String {
    format!("{:?}", fore_text::cut::chars(text, 40))
}

macro_rules! words {
    ($kind:ty, $known:literal, $($word:literal => $value:expr),+) => {
        impl FromStr for $kind {
            type Err = UnknownSetting;

            fn from_str(text: &str) -> Result<Self, UnknownSetting> {
                match text.trim() {
                    $($word => Ok($value),)+
                    _ => Err(UnknownSetting { value: text.to_owned(), known: $known }),
                }
            }
        }
    };
}

words!(PlanLength, "control, trim, cut, cap", "control" => Self::Control, "trim" => Self::Trim, "cut" => Self::Cut, "cap" => Self::Cap);
words!(WorkflowKind, "five-phases, interview", "five-phases" => Self::FivePhases, "interview" => Self::Interview);
words!(Trigger, "eager, reserved", "eager" => Self::Eager, "reserved" => Self::Reserved);
words!(ExploreOrder, "parallel, sequential", "parallel" => Self::Parallel, "sequential" => Self::Sequential);

#[cfg(test)]
mod tests {
    use super::{AgentCount, Agents, PlanLength, Trigger, Warning, WorkflowKind, agent_count, interview_switch};

    #[test]
    fn f5_defaults_are_three_explore_agents_at_once_and_one_plan_agent() {
        assert_eq!(serde_json::to_string(&Agents::default()).unwrap(), r#"{"explore":3,"plan":1,"order":"parallel"}"#);
    }

    #[test]
    fn f5_counts_from_one_to_ten_are_taken() {
        for (text, count) in [("1", 1), ("10", 10), (" 7\n", 7), ("03", 3)] {
            assert_eq!(agent_count("X", text).map(AgentCount::get), Ok(count));
        }
    }

    #[test]
    fn f5_other_counts_are_ignored_with_a_warning() {
        for text in ["", "0", "11", "-1", "+2", "3.0", "three", "99999999999999999999", "٣"] {
            let warning =
                Warning(format!("FORETHOUGHT_PLAN_AGENTS is ignored: {text:?} is not a whole number from 1 to 10."));
            assert_eq!(agent_count("FORETHOUGHT_PLAN_AGENTS", text), Err(warning));
        }
    }

    #[test]
    fn f5_a_count_out_of_range_does_not_come_in_through_json() {
        assert_eq!(
            serde_json::from_str::<AgentCount>("11").unwrap_err().to_string(),
            "11 is not a number of agents from 1 to 10"
        );
    }

    #[test]
    fn f3_the_interview_switch_knows_on_off_and_nothing() {
        for (text, kind) in [
            ("1", Some(WorkflowKind::Interview)),
            ("TRUE", Some(WorkflowKind::Interview)),
            (" yes ", Some(WorkflowKind::Interview)),
            ("off", Some(WorkflowKind::FivePhases)),
            ("0", Some(WorkflowKind::FivePhases)),
            ("", None),
        ] {
            assert_eq!(interview_switch("X", text), Ok(kind));
        }
        assert_eq!(
            interview_switch("FORETHOUGHT_PLAN_INTERVIEW", "maybe"),
            Err(Warning("FORETHOUGHT_PLAN_INTERVIEW is ignored: \"maybe\" is neither on (1, true, yes, on) nor off (0, false, no, off).".into()))
        );
    }

    #[test]
    fn f4_setting_words_are_read_and_others_named() {
        assert_eq!("cap".parse(), Ok(PlanLength::Cap));
        assert_eq!("reserved".parse(), Ok(Trigger::Reserved));
        assert_eq!(
            "short".parse::<PlanLength>().unwrap_err().to_string(),
            "\"short\" is not one of: control, trim, cut, cap"
        );
    }
}
