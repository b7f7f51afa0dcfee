//! What a front end needs to know to ask a person about one call.

use super::{AgentId, CallId, ShownCall};
use crate::command::QuestionId;
use fore_plan::{Cage, CalledTool, gate::Evidence};
use serde::Serialize;

/// A question of the gate, with everything a person needs to answer it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionRequest {
    /// Names the question for the answer.
    pub question: QuestionId,
    /// The subagent that made the call; the main conversation where there is none.
    pub agent: Option<AgentId>,
    /// The call.
    pub call: CallId,
    /// What is called.
    pub tool: CalledTool,
    /// What is asked, in plain words.
    pub text: String,
    /// The exact command, or the difference an edit would make.
    pub shown: ShownCall,
    /// The rule that asks.
    pub rule: String,
    /// What would hold it after a yes.
    pub cage: Cage,
    /// What a command would do, the worst first, each with its place in the command; empty for other calls.
    pub effects: Vec<Evidence>,
    /// What `yes-for-session` would cover, such as `edits of Cargo.toml`; none where it is not offered.
    pub for_session: Option<String>,
    /// What `yes-for-kind` would cover, such as `edits in src/`; none where it is not offered.
    pub for_kind: Option<String>,
    /// What `yes-for-plan` would add to the plan, such as `src/lib.rs`; none where the plan covers it or none is carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub for_plan: Option<String>,
    /// How commands begin that can be allowed for good in this project, one for each part of the command, by a front end that keeps the
    /// person's settings; none where it is not offered. Hosts have no answer for it.
    #[serde(skip)]
    pub always: Vec<String>,
}
