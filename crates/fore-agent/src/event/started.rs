//! What a session says of itself when it begins.

use super::ContextUse;
use fore_model::ModelName;
use fore_plan::Mode;
use fore_store::SessionId;
use serde::Serialize;

/// What a front end needs to know at the beginning.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Started {
    pub session: SessionId,
    pub folder: String,
    pub project: String,
    pub mode: Mode,
    pub trusted: bool,
    pub models: StartedModels,
    /// What the kernel holds: both, or which of the cages is missing.
    pub caged: bool,
    pub rehearsal: bool,
    pub resumed: bool,
    pub tools: Vec<String>,
    pub memory: Vec<String>,
    /// The kinds of subagents: built in, the person's own, the project's.
    pub agents: Vec<AgentRow>,
    pub skills: Vec<SkillRow>,
    /// The file of the current plan.
    pub plan: Option<String>,
    /// About how full the context is already; nothing in a fresh session.
    pub context: ContextUse,
    /// What is not asked about again in this session, in the words of `allowed`.
    pub allowed: Vec<String>,
}

/// A kind of subagent, for a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentRow {
    pub name: String,
    /// One line.
    pub description: String,
    pub read_only: bool,
}

/// A skill, for a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkillRow {
    pub name: String,
    /// One line.
    pub description: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StartedModels {
    pub plan: ModelName,
    pub act: ModelName,
    pub small: ModelName,
}
