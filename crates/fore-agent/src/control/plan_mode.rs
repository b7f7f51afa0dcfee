//! `EnterPlanMode` and `ExitPlanMode` as the model sees them. Their meaning is in `fore-plan`.

use fore_model::ToolSchema;
use fore_plan::workflow::{Trigger, enter_tool_description, exit_tool_description};
use serde_json::json;

pub(crate) fn enter_schema(trigger: Trigger) -> ToolSchema {
    ToolSchema {
        name: "EnterPlanMode".into(),
        description: enter_tool_description(trigger),
        parameters: json!({ "type": "object", "properties": {}, "additionalProperties": false }),
    }
}

pub(crate) fn exit_schema() -> ToolSchema {
    ToolSchema {
        name: "ExitPlanMode".into(),
        description: exit_tool_description(),
        parameters: json!({
            "type": "object",
            "properties": {
                "plan": { "type": "string", "description": "Only if the plan file could not be written: the whole plan." }
            }
        }),
    }
}
