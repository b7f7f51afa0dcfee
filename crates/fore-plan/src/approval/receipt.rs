//! An approval is a receipt: it names the plan, the revision, the bytes that were shown, the level, who and when.

use crate::{
    mode::Level,
    plan::{Hash, PlanId},
};
use serde::{Deserialize, Serialize};

/// Milliseconds since 1970, handed in by whoever has a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Timestamp(pub u64);

/// Names one request for approval, so that an answer to another one does not count.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RequestId(pub String);

/// Who decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum Decider {
    /// A person, through this front end (`terminal`, `headless`, `browser`, …).
    Person { via: String },
    /// The lead of a team.
    Lead { name: String },
    /// A voluntary teammate, for itself: nobody reviewed the plan.
    Teammate { name: String },
}

/// How long a level that came with an approval lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GrantScope {
    /// Until the plan is done or abandoned.
    Plan,
    /// Until the person changes it.
    Session,
    /// No other level was chosen: the one beneath the planning goes on.
    Unchanged,
}

/// Proof that somebody approved exactly these bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The request that was answered.
    pub request: RequestId,
    /// The plan.
    pub plan: PlanId,
    /// Its version.
    pub revision: u32,
    /// Its bytes.
    pub hash: Hash,
    /// The level the work runs at.
    pub level: Level,
    /// How long that level lasts.
    pub scope: GrantScope,
    /// The person changed the plan while approving it.
    pub edited: bool,
    /// The work starts with an empty context.
    pub clear_context: bool,
    /// The steps that were approved, where not all were; empty for a whole plan. Its bytes hold these alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    /// What the plan was read to grant, by its hash; none where nobody read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<Hash>,
    /// What that covers runs without being asked about.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub runs_covered: bool,
    /// Who approved it.
    pub by: Decider,
    /// When.
    pub at: Timestamp,
}
