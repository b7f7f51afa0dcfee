//! `AmendPlan` as the model sees it: asks the person to let the plan cover more.

use super::InputError;
use crate::tools::input;
use fore_model::ToolSchema;
use fore_plan::{ToolName, approval::amend::PlanAddition};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize, JsonSchema)]
struct AmendPlanInput {
    /// Why the plan as approved is not enough, in one sentence.
    why: String,
    /// Files or folders, from the project folder.
    #[serde(default)]
    files: Vec<String>,
    /// Commands, as you would run them in the project folder.
    #[serde(default)]
    commands: Vec<String>,
}

pub(crate) fn schema() -> ToolSchema {
    ToolSchema {
        name: ToolName::AmendPlan.name().into(),
        description: include_str!("amend_plan.md").trim_end().into(),
        parameters: input::schema::<AmendPlanInput>(),
    }
}

/// Reads what is asked for.
pub(crate) fn parse(input: &Value) -> Result<PlanAddition, InputError> {
    let AmendPlanInput { why, files, commands } = input::read(input, &[]).map_err(|why| why.to_string())?;
    let addition = PlanAddition { why, files, commands };
    if addition.is_empty() {
        return Err("name at least one of `files` and `commands`.".into());
    }
    Ok(addition)
}

/// The call in one line, for people.
pub(crate) fn line(input: &Value) -> String {
    parse(input).map_or_else(|wrong| wrong, |addition| fore_text::cut::one_line(&addition.why))
}
