//! `EnterPlanMode` and `ExitPlanMode` as the model sees them. Their meaning is in `fore-plan`.

use crate::tools::input;
use fore_model::ToolSchema;
use fore_plan::{
    ToolName,
    workflow::{Trigger, enter_tool_description, exit_tool_description},
};
use schemars::JsonSchema;

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct EnterPlanInput {}

/// Read by [`fore_plan::approval::exit`], which refuses by codes of its own what does not fit the plan.
#[derive(JsonSchema)]
struct ExitPlanInput {
    /// Only if the plan file could not be written: the whole plan.
    #[expect(dead_code, reason = "read where it is judged")]
    plan: Option<String>,
}

pub(crate) fn enter_schema(trigger: Trigger) -> ToolSchema {
    ToolSchema {
        name: ToolName::EnterPlanMode.name().into(),
        description: enter_tool_description(trigger),
        parameters: input::schema::<EnterPlanInput>(),
    }
}

#[derive(JsonSchema)]
struct AgentExitInput {
    /// The whole plan.
    #[expect(dead_code, reason = "read where it is judged")]
    plan: String,
}

/// The same tool for a subagent that was started to plan: it has no plan file, so its plan comes with the call.
pub(crate) fn agent_exit_schema() -> ToolSchema {
    ToolSchema {
        name: ToolName::ExitPlanMode.name().into(),
        description: include_str!("exit_plan_agent.md").trim_end().into(),
        parameters: input::schema::<AgentExitInput>(),
    }
}

pub(crate) fn exit_schema() -> ToolSchema {
    ToolSchema {
        name: ToolName::ExitPlanMode.name().into(),
        description: exit_tool_description(),
        parameters: input::schema::<ExitPlanInput>(),
    }
}
