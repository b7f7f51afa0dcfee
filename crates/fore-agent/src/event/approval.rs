//! A request for approval, and how it ended.

use super::{AgentId, ContextUse};
use crate::{named_files::MovedFile, spent::WorkEstimate};
use fore_plan::{
    Level,
    approval::{Comment, ExitRequest, Receipt},
    plan::{CheckNote, Hash},
};
use fore_store::entry::Rehearsal;
use serde::{Deserialize, Serialize};

/// A request for approval with what stands beside the plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAsked {
    /// The subagent whose plan it is; the session's own where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// Its kind and what it was asked to do, in one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent_task: String,
    /// The request as hosts know it, `plan:exit:request`.
    pub request: ExitRequest,
    /// What the plan check noticed.
    pub notes: Vec<CheckNote>,
    /// What changed since the text the person saw last, as unified text; empty at the first time.
    pub changed: String,
    /// That text itself, for a front end in which the person edits the plan; hosts have the difference.
    #[serde(skip)]
    pub seen: Option<String>,
    /// Whether the workspace is as it was when planning began.
    pub proof: Proof,
    /// Files that the plan names and that have moved since it was made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<MovedFile>,
    /// Commands that were tried since planning began, with what they came to. Nothing of them was kept.
    pub rehearsals: Vec<Rehearsal>,
    /// How full the context is, for "clear the context and start".
    pub context: ContextUse,
    /// What the work may come to, by what earlier plans came to; none where there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<WorkEstimate>,
    /// The comments on the revision before this one.
    pub earlier_comments: Vec<Comment>,
}

/// What changed in the workspace since planning began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Proof {
    /// One sentence for people: how many files changed and by whom, as far as can be told.
    pub line: String,
    /// Files that changed, relative to the workspace, at most a handful; `changed` counts all.
    pub paths: Vec<String>,
    /// How many files changed.
    pub changed: u64,
    /// The workspace was too large or unreadable to be compared whole.
    pub incomplete: bool,
}

/// How a request for approval ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "decision", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[expect(clippy::large_enum_variant, reason = "there are few of them, and most are approvals")]
pub enum ApprovalOutcome {
    /// The person said yes to these bytes.
    Approved {
        /// What the approval is bound to.
        receipt: Receipt,
        /// Something to know about the level that holds now.
        notice: Option<String>,
        /// Files that the plan names and that have moved since it was made. Of a plan that is applied by its hash none where nothing
        /// is known of them, and empty where none has moved.
        #[serde(skip_serializing_if = "Option::is_none")]
        moved: Option<Vec<MovedFile>>,
        /// As with [`ApprovalOutcome::KeepPlanning`].
        #[serde(skip)]
        comments: Vec<Comment>,
    },
    /// The person wants another plan.
    KeepPlanning {
        /// Why, in their words.
        reason: String,
        /// What was said about single lines, for a front end that shows the plan with them; hosts sent them themselves.
        #[serde(skip)]
        comments: Vec<Comment>,
    },
    /// The plan stays on disk and the run ends.
    Saved {
        /// Where it is.
        path: String,
    },
    /// Plan mode is over, and nothing was approved.
    Left {
        /// What holds now.
        level: Level,
    },
    /// The plan was thrown away.
    Discarded,
    /// The answer was stale, unknown or about other bytes; the request may still wait.
    NotCounted {
        /// What was wrong with it.
        why: String,
    },
    /// Nobody can approve here: the plan is on disk and the run ends.
    Awaits {
        /// Where it is.
        path: String,
        /// The bytes that an approval must name.
        hash: Hash,
    },
}
