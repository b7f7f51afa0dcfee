//! A request for approval: the exact bytes shown, to whom, under which id. It waits on disk as long as it takes.

use crate::{
    approval::RequestId,
    plan::{Hash, PlanId},
};
use serde::{Deserialize, Serialize};

/// Who is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Approver {
    /// The person in front of this session.
    Person,
    /// The lead of the team, through their inbox.
    Lead { name: String },
}

/// One request for approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    pub request: RequestId,
    pub plan: PlanId,
    pub path: String,
    pub revision: u32,
    pub hash: Hash,
    /// What is shown; its bytes have `hash`.
    pub text: String,
    pub approver: Approver,
}

/// A remark on some lines of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// Counts from 1.
    pub first_line: u32,
    pub last_line: u32,
    /// The lines as they were when the remark was made.
    pub quote: String,
    pub remark: String,
}
