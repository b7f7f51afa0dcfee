//! What a session says of itself when it begins.

use super::ContextUse;
use crate::custom::CustomCommandRow;
use fore_model::ModelName;
use fore_plan::{
    Mode,
    gate::table::{CageStanding, CageSupport, Lack, WithoutSandbox},
};
use fore_store::SessionId;
use serde::Serialize;

/// What a front end needs to know at the beginning.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionStarted {
    /// Names the session.
    pub session: SessionId,
    /// The folder it works in.
    pub folder: String,
    /// The project that the folder belongs to.
    pub project: String,
    /// The mode it is in.
    pub mode: Mode,
    /// Whether the person trusts the project.
    pub trusted: bool,
    /// Who answers.
    pub models: StartedModels,
    /// What the kernel holds: both, or which of the cages is missing.
    pub caged: bool,
    /// Whether runs can be rehearsed.
    pub rehearsal: bool,
    /// What is missing of them, and what that means.
    pub sandbox: SandboxGaps,
    /// Whether it goes on with what was said before.
    pub resumed: bool,
    /// What the model may call.
    pub tools: Vec<String>,
    /// The memory files that were read.
    pub memory: Vec<String>,
    /// The kinds of subagents: built in, the person's own, the project's.
    pub agents: Vec<AgentRow>,
    /// What the model can learn on demand.
    pub skills: Vec<SkillRow>,
    /// Custom commands, and skills as commands.
    pub commands: Vec<CustomCommandRow>,
    /// The file of the current plan.
    pub plan: Option<String>,
    /// About how full the context is already; nothing in a fresh session.
    pub context: ContextUse,
    /// Hosts that the person's settings or command line let commands talk to without asking.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_hosts: Vec<String>,
    /// What is not asked about again in this session, in the words of `allowed`.
    pub allowed: Vec<String>,
}

/// What is missing of the sandbox, in words for a person; nothing where it has every layer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SandboxGaps {
    /// The layer that this machine lacks, where the others hold without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<String>,
    /// Why there is none, and what to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// Why there is no rehearsal, and what to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_rehearsal: Option<String>,
    /// There is none, and the person's own settings let proved reads run all the same while planning.
    pub uncaged_reads: bool,
}

impl SandboxGaps {
    pub(crate) fn new(kernel: &CageSupport, without_sandbox: WithoutSandbox) -> SandboxGaps {
        let told = |lack: &Lack| format!("{}. {}", lack.reason, lack.remedy);
        let missing = kernel.read_only.lack().map(told);
        SandboxGaps {
            without: match &kernel.read_only {
                CageStanding::Without(layer) => Some(layer.clone()),
                CageStanding::Full | CageStanding::Missing(_) => None,
            },
            uncaged_reads: missing.is_some() && without_sandbox == WithoutSandbox::Reads,
            missing,
            no_rehearsal: kernel.rehearsal.lack().map(told),
        }
    }
}

/// A kind of subagent, for a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentRow {
    /// What it is called.
    pub name: String,
    /// One line.
    pub description: String,
    /// Whether it can change nothing.
    pub read_only: bool,
}

/// A skill, for a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkillRow {
    /// What it is called.
    pub name: String,
    /// One line.
    pub description: String,
}

/// The models of a session, by duty.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StartedModels {
    /// Thinks and writes the plan.
    pub plan: ModelName,
    /// Carries it out.
    pub act: ModelName,
    /// Explores, summarises and classifies.
    pub small: ModelName,
}
