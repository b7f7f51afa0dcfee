//! The team as front ends see it: a row for each member, and what a front end may want of it.

use super::ContextUse;
use fore_plan::Mode;
use fore_team::{MemberActivity, MemberRole};
use serde::{Deserialize, Serialize};

/// What the person, or a host, wants of the team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "wish", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum TeamWish {
    /// Who is in it and what they do ([`crate::Event::Team`]).
    List,
    /// What a teammate said and did last ([`crate::Event::TeamStory`]).
    Story { member: String },
    /// The person's own words for a teammate.
    Tell { member: String, text: String },
    /// Stops what a teammate does now, or all of them do.
    Interrupt {
        #[serde(default)]
        member: Option<String>,
    },
    /// Ends a teammate, or all of them, and takes them off the roster.
    Stop {
        #[serde(default)]
        member: Option<String>,
    },
}

/// One member of the team.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TeamMemberRow {
    /// What it is called.
    pub name: String,
    /// Whether its plan needs a decision.
    pub role: MemberRole,
    /// What it does.
    pub activity: MemberActivity,
    /// Its mode, once it has said so.
    pub mode: Option<Mode>,
    /// What it is at, in one line.
    pub note: String,
    /// How full its context is; none where it does not run in this program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextUse>,
    /// Tokens of its answers so far.
    pub tokens: u64,
    /// What they cost in dollars, where all prices are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dollars: Option<f64>,
    /// Its questions that wait for the person.
    pub questions: u32,
    /// Messages that wait for it.
    pub mail: usize,
    /// Whether it runs in this program.
    pub is_here: bool,
}
