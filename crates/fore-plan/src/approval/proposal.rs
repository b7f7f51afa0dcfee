//! A request for approval: the exact bytes shown, to whom, under which id. It waits on disk as long as it takes.

use crate::{
    approval::RequestId,
    plan::{Hash, PlanId},
};
use serde::{Deserialize, Serialize};

/// Who is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum Approver {
    /// The person in front of this session.
    Person,
    /// The lead of the team, through their inbox.
    Lead { name: String },
}

/// One request for approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// Names the request.
    pub request: RequestId,
    /// The plan.
    pub plan: PlanId,
    /// Its file.
    pub path: String,
    /// Its version.
    pub revision: u32,
    /// Its bytes.
    pub hash: Hash,
    /// What is shown; its bytes have `hash`.
    pub text: String,
    /// Who decides.
    pub approver: Approver,
}

/// A remark on some lines of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// Counts from 1.
    pub first_line: u32,
    /// The last line it is about.
    pub last_line: u32,
    /// The lines as they were when the remark was made.
    pub quote: String,
    /// What was said about them.
    pub remark: String,
}
