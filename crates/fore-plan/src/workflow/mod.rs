//! How the model is told to plan: workflows, plan lengths, agent counts, and the words of the plan-mode tools.

mod settings;
mod text;

pub use settings::{
    AgentCount, Agents, ExploreOrder, PlanLength, Trigger, UnknownSetting, Warning, Workflow, WorkflowKind,
    agent_count, interview_switch,
};
pub use text::{
    SYSTEM_PROMPT_TAGS, enter_already_planning, enter_declined, enter_tool_description, entered, exit_tool_description,
};

pub(crate) use text::workflow_text;
